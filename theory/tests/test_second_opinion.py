"""Proofs with two judges: toy proofs, a first judge that is wrong, the record and the page made of it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from bounds.decisions import prove
from bounds.decisions.questions import Decision, IsZero, NotBelowZero
from theory.core.refusal import ROOT
from theory.evidence import Proof, Step
from theory.reports import report, second_opinions
from theory.reports.second_opinions import BOTH, CONTRADICTION, ONE, OPEN, recorded
from theory.tests.fakes import declared, row
from theory.upkeep import second_opinion
from theory.upkeep.second_opinion import PAGE, ask_again, entry_of, page, run, steps_of, table

x = sympy.Symbol("x", real=True)


def two_steps(bound: Any, m: int, *, shift: int = 0) -> list[Step]:
    """A step that both judges decide, and one that says not what was asked."""
    found = prove.nonnegative(bound.expr - sympy.Integer(m) - shift + x, x, 0, 1)
    return [Step("at most the bound", found), Step("counted", bool(m + shift <= bound.evaluate({"m": m})))]


BLOCK: dict[str, Any] = {"bound": "4", "evidence": Proof(), "controls": []}


def options(**changed: Any) -> Any:
    return SimpleNamespace(**{"record": None, "page": None, "check": False, **changed})


def test_a_step_is_decided_by_both_by_one_or_by_none() -> None:
    asked = NotBelowZero(sympy.Integer(1))
    assert ask_again(Step("of both", Decision(True).of(asked))).said == BOTH
    assert ask_again(Step("false to both", Decision(False).of(NotBelowZero(sympy.Integer(-1))))).said == BOTH
    assert ask_again(Step("of one", True)).said == ONE
    assert ask_again(Step("open", None)).said == OPEN
    unknown = sympy.Function("unknown")(x)
    assert (
        ask_again(Step("not known", Decision(True).of(NotBelowZero(unknown, ((x, sympy.S.Zero, sympy.S.One),))))).said
        == ONE
    )


def test_a_first_judge_that_is_wrong_is_contradicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "nonnegative_function", lambda *_, **__: Decision(True))
    found = ask_again(Step("below 0 in the middle", prove.nonnegative(x**2 - x + sympy.Rational(1, 5), x, 0, 1)))
    assert found.said == CONTRADICTION
    monkeypatch.setattr(sympy, "simplify", lambda expr: sympy.S.Zero)
    assert ask_again(Step("no identity", prove.is_zero(sympy.sin(x) - x))).said == CONTRADICTION
    a = sympy.Symbol("a", positive=True)
    # In another direction: what holds is said to fail.
    assert ask_again(Step("it is", Decision(False).of(NotBelowZero(a + 1)))).said == CONTRADICTION


def test_the_command_fails_where_a_judge_contradicts_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with declared(two_steps, **BLOCK) as claim:
        assert run(options(), [claim], frozenset([claim.id])) == 0
        assert "1 both, 1 one judge" in capsys.readouterr().out
    wrong = {**BLOCK, "bound": "-9"}
    monkeypatch.setattr(prove, "nonnegative_function", lambda *_, **__: Decision(True))
    with declared(two_steps, **wrong) as claim:
        assert run(options(), [claim], frozenset([claim.id])) == 1
        assert "contradiction: at most the bound" in capsys.readouterr().out


def test_a_proof_that_raises_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(bound: Any, m: int) -> list[Step]:
        raise ArithmeticError("nothing to divide by")

    with declared(broken, **BLOCK) as claim:
        assert run(options(), [claim], frozenset([claim.id])) == 1
    assert "no steps: ArithmeticError: nothing to divide by" in capsys.readouterr().out


def test_the_record_keeps_what_was_not_asked_and_drops_what_is_gone(tmp_path: Path) -> None:
    file, written = tmp_path / "record.json", tmp_path / "page.md"
    old = [{"step": "one", "kind": "a truth value", "said": ONE, "by": ""}]
    file.write_text(json.dumps({"claims": {"toy:kept": old, "toy:gone": old}}))
    with declared(two_steps, **BLOCK) as claim:
        run(options(record=file, page=written), [claim], frozenset([claim.id, "toy:kept"]))
    told = json.loads(file.read_text())["claims"]
    assert set(told) == {claim.id, "toy:kept"}
    assert [step["said"] for step in told[claim.id]] == [BOTH, ONE]
    assert written.read_text() == page(told)


def test_a_record_that_is_out_of_date_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with declared(two_steps, **BLOCK) as claim:
        entry = entry_of(steps_of(claim))
        monkeypatch.setattr(second_opinion, "recorded", lambda: {claim.id: entry})
        assert run(options(check=True), [claim], frozenset([claim.id])) == 0
        monkeypatch.setattr(second_opinion, "recorded", lambda: {claim.id: entry[:1]})
        assert run(options(check=True), [claim], frozenset([claim.id])) == 1
        assert "the record says something else" in capsys.readouterr().out


def test_a_row_says_what_one_judge_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"toy:statement": [{"step": "at most the bound", "said": BOTH}, {"step": "counted", "said": ONE}]}
    monkeypatch.setattr(second_opinions, "recorded", lambda: told)
    said = second_opinions.said("toy:statement", ["at most the bound", "counted"])
    assert said == "one judge for 1 of 2 steps: counted"
    assert second_opinions.said("toy:statement", ["at most the bound"]) == ""
    assert second_opinions.said("toy:statement", ["new"]) == "1 of 1 steps were not asked of a second judge"
    assert second_opinions.said("toy:statement", []) == ""
    story = report.story(row(two_steps, **BLOCK))
    assert "  step     at most the bound: True (both)" in story
    assert "  step     counted: True (one judge)" in story


def test_the_table_counts_by_paper_and_kind() -> None:
    claims = {
        "one:a": [{"kind": "an identity", "said": BOTH}, {"kind": "an identity", "said": ONE}],
        "two:b": [{"kind": "an identity", "said": CONTRADICTION}],
    }
    assert table(claims)[2:] == [
        "| one | an identity | 1 | 1 | 0 | 0 |",
        "| two | an identity | 0 | 0 | 0 | 1 |",
        "| all | | 1 | 1 | 0 | 1 |",
    ]


def test_the_page_is_made_of_the_record_and_no_judge_contradicts_the_other() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(recorded())
    assert not [name for name, steps in recorded().items() if any(step["said"] == CONTRADICTION for step in steps)]


def proofs_in(place: Path) -> Iterator[str]:
    """The ids of the proofs in the claim files below a folder, as their blocks have them."""
    for path in sorted(place.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "evidence=Proof(" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "claim":
                words = {keyword.arg: keyword.value for keyword in node.keywords}
                evidence = words.get("evidence")
                if isinstance(evidence, ast.Call) and getattr(evidence.func, "id", "") == "Proof":
                    parts = [node.args[0], *([words["variant"]] if "variant" in words else [])]
                    yield "-".join(str(ast.literal_eval(part)) for part in parts)


@pytest.mark.reads_claims
def test_every_proof_of_the_suite_is_on_record() -> None:
    """A new proof, or one that is gone, asks for `make second-opinion`."""
    declared_ones = set(proofs_in(ROOT / "properties"))
    assert len(declared_ones) > 200
    assert declared_ones - set(recorded()) == set()
    # A block that takes its plan from that of another form is of the same statement.
    others = set(recorded()) - declared_ones
    assert {name for name in others if not any(name.startswith(f"{one}-") for one in declared_ones)} == set()


def test_a_step_knows_what_was_asked() -> None:
    found = prove.is_zero(x - x)
    assert Step("it is 0", found).asked == ((IsZero(sympy.S.Zero), True),)
    assert Step("it is 0", True).asked == ()
