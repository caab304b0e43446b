"""What was tested of each theorem: the best scope of what passes, on a hand-made paper, and the table of the README."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theory.claims import Regime, grid, registry
from theory.core.statements import ByClaim, ByDefinition, Coverage, Open, Paper, Statement, Through
from theory.core.verdict import Verdict
from theory.reports import main_theorems
from theory.reports.main_theorems import (
    BEGIN,
    END,
    Answer,
    Form,
    admitted,
    by_paper,
    by_statement,
    compact,
    counted,
    declared_unseen,
    largest,
    of_claims,
    of_rows,
    phrase,
    scopes,
    written,
)
from theory.tests.fakes import FakeBound, chosen, declared, row

ROOT = Path(__file__).resolve().parents[2]


def _statement(name: str, label: str, coverage: Coverage) -> Statement:
    return Statement(f"toy:{name}", label, f"title of {name}", "deterministic", "activation", "page 1", coverage)


PAPER = Paper(
    "toy",
    "Toys",
    ("A. Author",),
    2025,
    (
        _statement("both", "Theorem 1", Through(("toy:sound", "toy:open-constant"), "their union")),
        _statement("sound", "Theorem 2", ByClaim()),
        _statement("open-constant", "Corollary 3", ByClaim()),
        _statement("wrong", "Theorem 4", ByClaim()),
        _statement("hopeless", "Theorem 5", ByClaim()),
        _statement("far", "Theorem 6", ByClaim()),
        _statement("unasked", "Theorem 7", ByClaim()),
        _statement("object", "Definition 8", ByDefinition("a.b", "tests")),
        _statement("left", "Lemma 9", Open("no idea")),
    ),
)
OURS = FakeBound(lambda C: C, "C", {"C": chosen(1.0, "hidden in the paper")})


def half(m: int) -> float:
    return 0.5


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Form]]:
    """The claims of the paper, as they are expected to come out."""
    monkeypatch.setattr(main_theorems, "papers", lambda: {"toy": PAPER})
    refuted, vacuous = Verdict.REFUTED, Verdict.VACUOUS
    blocks: tuple[dict[str, object], ...] = (
        {"statement": "toy:sound"},
        {"statement": "toy:sound", "variant": "sharp"},
        {"statement": "toy:open-constant", "bound": OURS},
        {"statement": "toy:wrong", "expected": refuted},
        {"statement": "toy:wrong", "variant": "corrected"},
        {"statement": "toy:wrong", "variant": "start", "scope": "at the start: one eigenvalue"},
        {"statement": "toy:hopeless", "expected": refuted},
        {"statement": "toy:hopeless", "variant": "any-constant"},
        {"statement": "toy:far", "expected": vacuous},
        {"statement": "toy:far", "variant": "few", "scope": "steps: 6 of T"},
    )
    with ExitStack() as stack:
        yield of_claims([stack.enter_context(declared(half, **block)) for block in blocks])


def test_the_best_that_passes_decides_and_a_counterexample_speaks_for_nothing(forms: list[Form]) -> None:
    found = {name.split(":")[1]: (entry.printed, entry.text) for name, entry in by_statement(PAPER, forms).items()}
    assert found == {
        "both": ("covered through others", "own constants"),
        "sound": ("holds", "as printed"),
        "open-constant": ("holds", "own constants"),
        "wrong": ("refuted", "repaired"),
        "hopeless": ("refuted", "refuted"),
        "far": ("vacuous", "steps: 6 of T"),
        "unasked": ("not run", "not run"),
        "object": ("definition", "definition"),
        "left": ("open", "open"),
    }


def test_statements_are_counted_once_each_the_best_first(forms: list[Form]) -> None:
    counts = scopes(PAPER, forms)
    assert list(counts.items()) == [
        ("as printed", 1),
        ("repaired", 1),
        ("own constants", 2),
        ("steps", 1),
        ("definition", 1),
        ("refuted", 1),
        ("open", 1),
        ("not run", 1),
    ]
    assert sum(counts.values()) == len(PAPER.statements)


def test_a_row_that_does_not_end_as_expected_speaks_for_nothing(forms: list[Form]) -> None:
    turned = [
        Form(form.claim, form.verdict, False, "") if form.claim.id == "toy:wrong-corrected" else form for form in forms
    ]
    assert by_statement(PAPER, turned)["toy:wrong"].text == "at the start: one eigenvalue"


def test_the_table_has_a_line_for_each_theorem_and_corollary(forms: list[Form]) -> None:
    assert compact(forms)[2:] == [
        "| toy: Theorem 1 | covered through others | own constants | through `sound`, `open-constant` | - |",
        "| toy: Theorem 2 | holds | as printed | `sound` | holds, m = 4 |",
        "| toy: Corollary 3 | holds | own constants | `open-constant` | holds, m = 4 |",
        "| toy: Theorem 4 | refuted | repaired | `wrong-corrected` | holds, m = 4 |",
        "| toy: Theorem 5 | refuted | nothing | `hopeless` | - |",
        "| toy: Theorem 6 | vacuous | steps: 6 of T | `far-few` | holds, m = 4 |",
        "| toy: Theorem 7 | not run | nothing | - | - |",
    ]


def _unseen(forms: Sequence[Form], *names: str) -> list[Form]:
    return [replace(form, unseen=form.claim.id in names) for form in forms]


def test_what_rests_on_rows_alone_that_see_nothing_is_marked(forms: list[Form]) -> None:
    marked = _unseen(forms, "toy:open-constant", "toy:wrong-corrected", "toy:hopeless")
    lines = {line.split("|")[1].strip(): line.split("|")[3].strip() for line in compact(marked)[2:]}
    assert lines == {
        "toy: Theorem 1": "own constants (formula unseen)",
        "toy: Theorem 2": "as printed",
        "toy: Corollary 3": "own constants (formula unseen)",
        "toy: Theorem 4": "repaired (formula unseen)",
        "toy: Theorem 5": "nothing",
        "toy: Theorem 6": "steps: 6 of T",
        "toy: Theorem 7": "nothing",
    }
    assert counted((name, entry.scope, entry.unseen) for name, entry in _mains(marked).items()) == {
        "toy": {
            "as printed": "1",
            "repaired": "1 (1 unseen)",
            "own constants": "2 (2 unseen)",
            "steps": "1",
            "nothing": "2",
        }
    }


def _mains(forms: Sequence[Form]) -> dict[str, Answer]:
    return {entry.statement.id: entry for entry in main_theorems.main_theorems(forms)}


def test_a_row_of_the_same_scope_that_sees_something_takes_the_mark_away_and_is_named_first(forms: list[Form]) -> None:
    (blind,) = (form for form in forms if form.claim.id == "toy:wrong-corrected")
    with declared(half, statement="toy:wrong", variant="other", scope="repaired: another form") as other:
        both = [*forms, *of_claims([other])]
        answer = by_statement(PAPER, _unseen(both, blind.claim.id))["toy:wrong"]
    assert [form.claim.id for form in answer.best] == ["toy:wrong-other", "toy:wrong-corrected"]
    assert not answer.unseen


@pytest.mark.parametrize(
    ("blind", "unseen"),
    [
        ((), False),
        (("m", "a"), True),
        (("m",), False),
        (("m", "a in a*m"), False),
        (("m", "a in a*m", "a in a**2"), True),
        (("m", "a in a*m", "term a**2"), True),
        (("term a**2", "term a*m"), True),
    ],
)
def test_a_block_that_need_not_see_any_symbol_is_unseen(blind: Sequence[str], unseen: bool) -> None:
    def rising(m: int, a: float) -> float:
        return m * a

    with declared(rising, bound="a*m + a**2", regime=Regime(cells=grid(m=4, a=0.5))) as claim:
        said = replace(claim, blind=dict.fromkeys(blind, "for the test"))
        assert declared_unseen(said) is unseen
        assert not declared_unseen(replace(said, expected=Verdict.REFUTED))
        assert [form.unseen for form in of_claims([said])] == [unseen]


def test_a_run_says_which_rows_see_nothing() -> None:
    def square(m: int) -> float:
        return float(m**2)

    block: dict[str, Any] = {"statement": "toy:sound", "regime": Regime(cells=grid(m=[2, 4, 8]))}
    far, near = row(square, bound="100*m**2", **block), row(square, bound="m**2", **block)
    assert [form.unseen for form in of_rows([far, near])] == [far.no_evidence, near.no_evidence] == [True, False]
    assert [form.largest for form in of_rows([far])] == ["m = 8"]


def test_a_cell_that_a_premise_leaves_out_is_not_the_largest() -> None:
    def counted(m: int, n: int, a: float) -> float:
        return 0.5

    with declared(
        counted, premises=[], regime=Regime(cells=grid(m=[4, 8], n=2), derived={"a": lambda m: m / 8})
    ) as free:
        assert phrase(largest(admitted(free))) == "m = 8, n = 2"
    for premise, told in (("a < 1", "m = 4, n = 2"), ("a > 1", "m = 8, n = 2")):
        regime = Regime(cells=grid(m=[4, 8], n=2), derived={"a": lambda m: m / 8})
        with declared(counted, premises=[premise], regime=regime) as claim:
            assert phrase(largest(admitted(claim))) == told


def test_the_largest_cell_is_the_widest_then_the_deepest() -> None:
    cells: list[dict[str, object]] = [
        {"L": 2, "m": 64, "n": 9},
        {"L": 2, "m": 4096, "phi": 0.1},
        {"m": 4096, "L": 1},
        {"n": "a name"},
    ]
    assert phrase(largest(cells)) == "m = 4,096, L = 2"
    assert largest([{"phi": 0.1}]) == largest([]) == {}
    assert phrase({}) == ""


def test_a_size_that_no_float_holds_is_told() -> None:
    assert phrase(largest([{"m": 10**5000, "L": 2**31}])) == "m = 1.000e+5000, L = 2,147,483,648"


def test_a_run_gives_verdicts_and_sizes() -> None:
    judged = of_rows([row(half, statement="toy:sound"), row(lambda m: 2.0, statement="toy:wrong")])
    assert [(form.verdict, form.ok, form.sizes) for form in judged] == [
        (Verdict.HOLDS, True, "m = 4"),
        (Verdict.REFUTED, False, "m = 4"),
    ]
    assert by_statement(PAPER, judged)["toy:wrong"].scope == "not run"


def test_a_file_without_marks_is_refused(forms: list[Form], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert written(f"a\n{BEGIN}\nold\n{END}\nb\n", forms).split("\n")[3] == compact(forms)[0]
    with pytest.raises(ValueError, match="there is no place for a table; write the lines"):
        written("nothing", forms)
    assert main_theorems.main([]) == 2
    assert "usage: python -m theory.reports.main_theorems FILE..." in capsys.readouterr().err


@pytest.mark.reads_claims
@pytest.mark.parametrize("file", ["README.md", "docs/theorems.md"])
def test_the_tables_of_the_documentation_are_what_the_blocks_say(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    own = [claim for claim in registry.load_claims() if claim.file.startswith("properties/")]
    assert written(text, of_claims(own)) == text, (
        "run python -m theory.reports.main_theorems README.md docs/theorems.md"
    )


def test_theorems_are_counted_by_paper_and_best_scope(forms: list[Form]) -> None:
    head, _, line = by_paper(forms)
    columns = dict(zip(map(str.strip, head.split("|")[1:-1]), map(str.strip, line.split("|")[1:-1]), strict=True))
    assert columns.pop("paper") == "`toy`"
    # Of the seven theorems two pass by no row, and one is covered through others.
    assert columns.pop("verdicts") == "4 holds"
    assert columns.pop("largest cell") == "m = 4"
    total = columns.pop("theorems")
    assert sum(int(count) for count in columns.values() if count) == int(total) == 7


def test_papers_are_counted_in_the_same_scopes_with_nothing_for_0() -> None:
    entries = [("b:1", "as printed", True), ("b:2", "vacuous", False), ("a:1", "chain", False)]
    assert counted(entries) == {
        "b": {"as printed": "1 (1 unseen)", "chain": "", "nothing": "1"},
        "a": {"as printed": "", "chain": "1", "nothing": ""},
    }
    assert counted([]) == {}


@pytest.mark.reads_claims
def test_the_mark_of_a_theorem_is_said_in_docs_beside_those_that_blocks_declare() -> None:
    text = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
    marked = re.findall(r"^\| (\w+: [^|]+) \|.*\(formula unseen\)", text, re.MULTILINE)
    assert "zou2018: Theorem 5.3(iv)" in marked
    assert "allenzhu2018rnn: Corollary A.9" in marked
    assert "guo2024: Corollary 3.3" not in marked
