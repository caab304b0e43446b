"""Several bounds in one block: each form is a claim of its own, and has from its block what it does not write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue, Entry
from theory.claims.registry import load_file
from theory.claims.written import DEFAULTS, DESCRIBED, OF_ONE_BOUND, Texts
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict

BLOCK = '''
from theory.claims import Regime, Verdict, claim, control, form
from theory.evidence import Search


@claim(
    "toy:lemma-1",
    title="half of the width",
    kind="deterministic",
    theme="activation",
    source="Lemma 1",
    bound="m/4",
    premises=["m >= 2"],
    constants={},
    regime=Regime(cells=[{"m": 4}, {"m": 8}]),
    evidence=Search(examples=3),
    expected=Verdict.REFUTED,
    controls=[control("an eighth", bound="m/8")],
    blind={"m": "not looked at"},
    note="half is more than a quarter",
)
%s
def half(m, *, part=0.5):
    """Half of the width of a toy."""
    return part * m
'''

FORMS = """@form("corrected", bound="m/2", title="half, corrected", controls=[control("a third", bound="m/3")])
@form(
    "wide",
    bound="m",
    premises="none needed: it is far away",
    controls=[control("all of it twice", part=2.0)],
    says="It is held against the whole.",
    note="as wide as can be",
)"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of claims, forgotten afterwards."""
    monkeypatch.setattr(registry, "_claims", {})
    monkeypatch.setattr(registry, "_loaded", {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("test_toy", None)


def loaded(place: Path, forms: str = FORMS) -> list[Claim]:
    """The claims of a block with these forms."""
    (place / "test_toy.py").write_text(BLOCK % forms)
    return load_file(place / "test_toy.py")


def refusal(place: Path, forms: str) -> str:
    """Why the block with these forms is refused, less the file."""
    with pytest.raises(ClaimError) as caught:
        loaded(place, forms)
    return str(caught.value).removeprefix(f"{place}/")


LINE = 1 + BLOCK.splitlines().index("%s")


def test_each_form_is_a_claim_in_the_order_of_the_block(place: Path) -> None:
    made = loaded(place)
    assert [claim.id for claim in made] == ["toy:lemma-1", "toy:lemma-1-corrected", "toy:lemma-1-wide"]
    assert [claim.bound.text for claim in made] == ["m/4", "m/2", "m"]
    assert [claim.line for claim in made[1:]] == [LINE, LINE + 1]
    assert len({claim.function for claim in made}) == len({id(claim.evidence) for claim in made}) == 1


def test_what_a_form_does_not_write_it_has_from_its_block(place: Path) -> None:
    first, corrected, wide = loaded(place)
    for form in (corrected, wide):
        assert (form.kind, form.theme, form.source) == (first.kind, first.theme, first.source)
        assert (form.regime, form.evidence, form.blind) == (first.regime, first.evidence, first.blind)
    assert corrected.premises == first.premises
    assert (corrected.title, wide.title) == ("half, corrected", first.title)
    assert (wide.premises, wide.needs_none) == ((), "it is far away")
    assert [c.name for c in corrected.controls] == ["a third"]


def test_what_is_said_of_one_bound_is_said_of_no_other(place: Path) -> None:
    first, corrected, wide = loaded(place)
    assert (first.expected, first.note, first.printed) == (Verdict.REFUTED, "half is more than a quarter", True)
    assert (corrected.expected, corrected.note, corrected.printed) == (Verdict.HOLDS, "", False)
    assert (wide.note, wide.measures) == (
        "as wide as can be",
        "Half of the width of a toy. It is held against the whole.",
    )
    assert corrected.measures == first.measures == "Half of the width of a toy."


def test_a_form_may_be_about_another_statement_of_the_paper(place: Path) -> None:
    described = 'title="of all", kind="implication", theme="activation", source="Theorem 2"'
    _, other = loaded(place, f'@form(of="toy:theorem-2", bound="m", {described}, controls=[control("-", bound="m/8")])')
    assert (other.id, other.statement, other.title) == ("toy:theorem-2", "toy:theorem-2", "of all")
    assert other.printed


def test_what_a_block_has_and_a_form_has_not_is_written_as_none(place: Path) -> None:
    _, other = loaded(place, '@form("free", bound="m", premises=None, blind=None, controls=[control("-", part=2.0)])')
    assert (other.premises, other.blind) == ((), {})


@pytest.mark.parametrize(
    ("forms", "told"),
    [
        ('@form("m", bound="m/2", boundary=3)', "-m: it has a keyword 'boundary', which no block has; nearest: bound"),
        ('@form(bound="m/2")', ': a form of it has no name; give it one, as in form("sharp", bound=...)'),
        ('@form("same", bound="m/8")', "-same: control 'an eighth' changes nothing; give it a wrong bound"),
        ('@form("x", bound="m/2")\n@form("x", bound="m/2")', "-x: its id is taken by "),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused(place: Path, forms: str, told: str) -> None:
    line = LINE + forms.count("\n")
    assert refusal(place, forms).startswith(f"test_toy.py:{line}: claim toy:lemma-1{told}")


def test_a_form_of_another_paper_is_refused(place: Path) -> None:
    assert refusal(place, '@form(of="other:a", bound="m/2")') == (
        f"test_toy.py:{LINE}: claim other:a: it is a form of what toy:lemma-1 measures, and of another paper; "
        "write a block"
    )


def test_a_form_above_its_claim_or_without_one_is_refused(place: Path) -> None:
    text = BLOCK % ""
    (place / "test_toy.py").write_text(text.replace("@claim(", '@form("sharp", bound="m/2")\n@claim('))
    with pytest.raises(ClaimError, match="its form 'sharp' stands above it; write it below claim"):
        load_file(place / "test_toy.py")
    (place / "test_toy.py").write_text(text + '\n\n@form("sharp", bound="m/2")\ndef alone(m):\n    """One."""\n')
    with pytest.raises(
        ClaimError, match=r"calls claim\(...\), lemma\(...\) or form\(...\) and decorates no function with it"
    ):
        load_file(place / "test_toy.py")


def test_the_catalogue_lists_the_forms_without_loading_the_file_again(place: Path) -> None:
    made = loaded(place)
    index = place / "index.json"
    for _ in range(2):
        catalogue = Catalogue(index)
        catalogue.add_place(place)
        assert catalogue.entries == [Entry.of(claim) for claim in made]
        sys.modules["test_toy"].__file__ = "elsewhere.py"
        registry._loaded.clear()


def test_every_default_is_that_of_a_text_and_what_a_form_lacks_is_one() -> None:
    assert set(DEFAULTS) | {"bound", "regime", "evidence"} == set(Texts.__annotations__)
    assert {*OF_ONE_BOUND, *DESCRIBED} <= set(DEFAULTS)
