"""What a statement rests on: the weakest answer behind it, found along the whole proof."""

from __future__ import annotations

from typing import Any

from theory.core.statements import ByClaim, ByDefinition, Coverage, Open, Paper, Statement, Through, ids
from theory.core.verdict import Verdict
from theory.judging.judge import Row
from theory.reports.rests_on import Standing, standings
from theory.tests.fakes import row


def _statement(name: str, *uses: str, coverage: Coverage | None = None) -> Statement:
    return Statement(
        id=f"toy:{name}",
        label=name,
        title=f"statement {name}",
        kind="deterministic",
        theme="activation",
        locator=f"Section {name}",
        coverage=coverage or ByClaim(),
        uses=ids("toy", *uses),
    )


def _standings(*statements: Statement, rows: list[Row]) -> dict[str, Standing]:
    found = standings(Paper("toy", "A toy", ("A. Author",), 2018, statements), rows)
    return {name.split(":")[1]: standing for name, standing in found.items()}


def _passing(name: str, **block: Any) -> Row:
    return row(lambda m: 0.5, statement=f"toy:{name}", **block)


def _failing(name: str) -> Row:
    return row(lambda m: 2.0, statement=f"toy:{name}", expected=Verdict.REFUTED)


def test_a_refuted_lemma_shows_in_every_theorem_above_it() -> None:
    found = _standings(
        _statement("lemma"),
        _statement("corollary", "lemma"),
        _statement("theorem", "corollary"),
        rows=[_failing("lemma"), _passing("corollary"), _passing("theorem")],
    )
    assert (found["theorem"].own, found["theorem"].weakest) == ("holds", "refuted")
    assert found["theorem"].through == ("toy:lemma",)
    assert found["theorem"].text == "rests on lemma, refuted as printed"
    assert found["corollary"].weakest == "refuted"
    assert (found["lemma"].weakest, found["lemma"].text) == ("", "rests on no other statement")


def test_a_corrected_form_beside_the_refuted_one_is_said() -> None:
    rows = [_failing("lemma"), _passing("lemma", variant="corrected"), _passing("theorem")]
    found = _standings(_statement("lemma"), _statement("theorem", "lemma"), rows=rows)
    assert found["lemma"].own == "refuted"
    assert found["lemma"].corrected
    assert found["theorem"].text == "rests on lemma, refuted as printed; corrected forms hold"


def test_definitions_weaken_nothing_and_open_statements_do() -> None:
    pinned = ByDefinition(where="nets.networks.forward", tested="nets/tests/test_forward.py")
    found = _standings(
        _statement("definition", coverage=pinned),
        _statement("fact", coverage=Open("needs more than there is")),
        _statement("plain", "definition"),
        _statement("theorem", "definition", "fact"),
        rows=[_passing("plain"), _passing("theorem")],
    )
    assert found["plain"].weakest == "definition"
    assert found["theorem"].text == "rests on fact, open"


def test_the_nearest_of_equally_weak_statements_comes_first() -> None:
    found = _standings(
        _statement("far"),
        _statement("near", "far"),
        _statement("theorem", "near"),
        rows=[_failing("far"), _failing("near"), _passing("theorem")],
    )
    assert found["theorem"].through == ("toy:near", "toy:far")


def test_what_is_covered_through_others_stands_as_the_weakest_of_them() -> None:
    through = Through(ids("toy", "one", "two"), "both together give it")
    found = _standings(
        _statement("umbrella", coverage=through),
        _statement("one"),
        _statement("two"),
        _statement("theorem", "umbrella"),
        rows=[_passing("one"), _failing("two"), _passing("theorem")],
    )
    assert found["umbrella"].own == "refuted"
    assert found["theorem"].weakest == "refuted"


def test_what_is_covered_through_a_corrected_form_stands_on_that() -> None:
    through = Through(ids("toy", "lemma"), "its width condition is asked for here")
    found = _standings(
        _statement("umbrella", coverage=through),
        _statement("lemma"),
        rows=[_failing("lemma"), _passing("lemma", variant="corrected")],
    )
    assert (found["umbrella"].own, found["lemma"].own) == ("holds", "refuted")


def test_a_variant_of_the_printed_form_speaks_for_the_print() -> None:
    narrow = row(lambda m: 2.0, statement="toy:lemma", variant="narrow", printed=True, expected=Verdict.REFUTED)
    found = _standings(
        _statement("lemma"), _statement("theorem", "lemma"), rows=[_passing("lemma"), narrow, _passing("theorem")]
    )
    assert (found["lemma"].own, found["lemma"].corrected) == ("refuted", True)
    assert found["theorem"].text == "rests on lemma, refuted as printed; corrected forms hold"


def test_a_reader_s_conjecture_does_not_speak_for_the_print() -> None:
    """Refuted, as its block expects, beside a published lemma that passes, and alone."""
    mine = row(lambda m: 2.0, statement="toy:lemma", variant="mine", expected=Verdict.REFUTED)
    statements = _statement("lemma"), _statement("theorem", "lemma")
    beside = _standings(*statements, rows=[_passing("lemma"), mine, _passing("theorem")])
    assert (beside["lemma"].own, beside["theorem"].text) == ("holds", "rests on lemma, holds")
    alone = _standings(*statements, rows=[mine, _passing("theorem")])
    assert (alone["lemma"].own, alone["theorem"].text) == ("not run", "rests on lemma, not run")


def test_claims_that_were_not_selected_are_said_not_to_have_run() -> None:
    found = _standings(_statement("lemma"), _statement("theorem", "lemma"), rows=[_passing("theorem")])
    assert found["theorem"].text == "rests on lemma, not run"
