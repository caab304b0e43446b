"""`lemmata new`: what it writes says what to fill in, and is a claim once that is done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import registry
from theory.claims.registry import load_file
from theory.core.refusal import ClaimError
from theory.evidence import Mean, Proof, Scaling, Search, Trials
from theory.judging.judge import judge
from theory.running.config import RunConfig
from theory.surface.settings import SECTION, ask_pytest
from theory.surface.skeleton import KINDS, main, skeleton

STATED = '\n    title="a toy", theme="activation", source="Section 1",'

# For each kind: bound, premises, wrong bound, what the function returns, and the plan.
WRITTEN = {
    "probability": ("2*sqrt(log(2/delta)/m)", '"m >= 4"', "1/m", "abs(rng.standard_normal(m).mean())", Trials),
    "deterministic": ("t*m", "", "t*m/2", "t * rng.uniform(0.9, 0.99) * m", Search),
    "expectation": ("5/m", "", "1/m", "2.5 * rng.standard_normal() ** 2 / m", Mean),
    "constant": ("C*m", "", "C*m**(4/3)", "rng.uniform(0.99, 1.0) * m", Scaling),
    "proof": ("exp(-x)", "", "exp(-2*x)", None, Proof),
}
STEP = '[Step("1 - x is nowhere above", nonnegative(bound.expr - 1 + symbol("x"), symbol("x"), 0, 1))]'


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    before = {claim.id for claim in registry.claims()}
    yield
    for claim in registry.claims():
        if claim.id not in before:
            registry.remove(claim.id)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said when these arguments are refused: one line, with the exit code of refused options."""
    try:
        code: object = main(arguments)
    except SystemExit as error:
        code = error.code
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (4, "", 1)
    return said.err


@pytest.mark.parametrize("kind", KINDS)
def test_a_skeleton_is_refused_as_it_stands_with_all_that_is_to_be_written(kind: str, tmp_path: Path) -> None:
    assert main(["new", f"mine:Lemma-4.{kind}", "--kind", kind, str(tmp_path)]) == 0
    file = tmp_path / f"test_mine_lemma_4_{kind}.py"
    with pytest.raises(ClaimError) as caught:
        load_file(file)
    assert str(caught.value).endswith(
        f"claim mine:Lemma-4.{kind}: what stands as ... there is still to be written: title, theme, source, bound, "
        "premises, controls, the docstring, what the function returns"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_skeleton_with_every_gap_written_is_a_claim_and_no_sooner(kind: str, tmp_path: Path) -> None:
    bound, premises, wrong, returned, plan = WRITTEN[kind]
    fills = [
        ("title=...", 'title="a toy"', "title"),
        ("theme=...", 'theme="activation"', "theme"),
        ("source=...", 'source="Section 1"', "source"),
        ("    bound=...", f'    bound="{bound}"', "bound"),
        ("premises=[...]", f"premises=[{premises}]", "premises"),
        ("control(..., bound=...)", f'control("wrong", bound="{wrong}")', "controls"),
        ('"""..."""', '"""A toy."""', "the docstring"),
        ("return ...", f"return {returned or STEP}", "what the function returns"),
    ]
    text = skeleton(f"mine:toy-{kind}", kind).replace('sense=">="', 'sense="<="')
    for at, (gap, written, _) in enumerate(fills):
        file = tmp_path / f"test_{kind}_{at}.py"
        file.write_text(text)
        with pytest.raises(ClaimError, match=re.escape(", ".join(what for *_, what in fills[at:])) + "$"):
            load_file(file)
        assert gap in text
        text = text.replace(gap, written)
    file = tmp_path / f"test_{kind}_done.py"
    file.write_text(text)
    (claim,) = load_file(file)
    row = judge(claim, RunConfig(), 1e-8)
    assert row.ok, row.complaint
    assert isinstance(claim.evidence, plan)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_skeleton_takes_from_the_vocabulary_of_claims_is_one_import(kind: str) -> None:
    lines = skeleton("mypaper:lemma-3", kind).splitlines()
    imports = [line.split(" import ")[0] for line in lines if " import " in line or line.startswith("import")]
    assert imports == ["import numpy as np", "from lemmata"][kind == "proof" :]


def test_what_a_record_says_of_the_statement_is_left_out() -> None:
    text = skeleton("zou2018:lemma-A.7", "probability")
    assert not any(f"{name}=" in text for name in ("title", "theme", "source"))


def test_a_file_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test_own.py"
    file.write_text("mine")
    assert "there is such a file already" in refusal(capsys, "new", "mine:x", "--kind", "proof", str(file))
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "mine", "--kind", "proof"), "'mine' is no id; write KEY:STATEMENT"),
        (("new", "mine:x", "--kind", "prof"), "no kind 'prof'; nearest: proof"),
        (("new", "mine:x", "--kind", "proof", "claims.py"), "call it test_....py"),
        (("new", "mine:x", "--kind", "proof", "nowhere/test_x.py"), "nowhere: there is no such folder; make it first"),
        (("new", "mine:x", "--kind", "proof", "nowhere"), "nowhere: there is no such folder; make it first, or name a"),
        (("new", "zou2018:lemma-A.77", "--kind", "proof"), "theory/papers/zou2018.py lists no such statement (nearest"),
        (("new", "mine:x"), "the following arguments are required: --kind"),
        (("old", "mine:x", "--kind", "proof"), "invalid choice: 'old'"),
    ],
)
def test_what_makes_no_sense_gets_one_line_and_no_file(
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refusal(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "said", "written"),
    [
        ({}, "pytest judges claims there from now on", SECTION),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, "from now on", f"[project]\nname = 'x'\n\n{SECTION}"),
        ({"pyproject.toml": SECTION}, "", SECTION),
        ({"pyproject.toml": "[tool.pytest]\n"}, "add -p lemmata to addopts", "[tool.pytest]\n"),
        ({"setup.cfg": "[tool:pytest]\n"}, "add -p lemmata to addopts", None),
        ({"pytest.ini": "[pytest]\naddopts = -q -p lemmata\n"}, "", None),
        ({"pyproject.toml": "no toml"}, "add -p lemmata to addopts", "no toml"),
    ],
    ids=str,
)
def test_the_settings_of_a_project_get_the_line_where_they_say_nothing_of_pytest(
    tmp_path: Path, settings: dict[str, str], said: str, written: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims").mkdir()
    for name, text in settings.items():
        (tmp_path / name).write_text(text)
    found = ask_pytest(tmp_path / "claims")
    assert said in found
    assert bool(said) == bool(found)
    file = tmp_path / "pyproject.toml"
    assert (file.read_text() if file.exists() else None) == written
