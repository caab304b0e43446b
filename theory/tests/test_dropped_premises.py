"""Controls without a premise: judged where it fails as if nobody asked for it, and refused where they show nothing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.refusal import ClaimError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Search
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakePremise, decide, declared, row

WIDE = FakePremise(lambda m: m >= 8, "m >= 8")
FEW = FakePremise(lambda n: n <= 2, "n <= 2")
SHORT = FakePremise(lambda t: t <= 1.0, "t <= 1")

BLOCK: dict[str, Any] = {"premises": [WIDE, FEW], "regime": Regime(cells=grid(m=[8, 16], n=2))}


def needs_both(m: int, n: int) -> float:
    return 3.0 * n / m


def refusal(function: Any = needs_both, **block: Any) -> str:
    with pytest.raises(ClaimError) as caught, declared(function, **{**BLOCK, **block}):
        pass
    assert re.match(r"theory/tests/\w+\.py:\d+: claim toy:statement: ", str(caught.value))
    return str(caught.value).split("toy:statement: ")[1]


def test_cells_that_fail_the_premise_are_inside_what_is_left() -> None:
    narrow = control("narrow", cells=grid(m=4, n=2), without=WIDE)
    found = decide(needs_both, of_control="narrow", **BLOCK, controls=[narrow])
    assert (found.verdict, found.premises) == (Verdict.REFUTED, PremiseStatus.INSIDE)
    judged = row(needs_both, **BLOCK, controls=[narrow])
    assert (judged.verdict, judged.ok) == (Verdict.HOLDS, True)


def test_cells_inside_do_not_hide_what_fails_without_the_premise() -> None:
    """Where the premise is asked for, cells inside it decide alone."""
    cells = grid(m=[4, 16], n=2)
    for dropped, verdict in ([WIDE], Verdict.REFUTED), ([], Verdict.HOLDS):
        mixed = control("mixed", cells=cells, without=dropped)
        assert decide(needs_both, of_control="mixed", **BLOCK, controls=[mixed]).verdict is verdict


def test_the_cells_of_the_claim_serve_where_some_fail_the_premise() -> None:
    block = {**BLOCK, "regime": Regime(cells=grid(m=[4, 16], n=2)), "controls": [control("narrow", without=[WIDE])]}
    judged = row(needs_both, **block)
    assert (judged.verdict, judged.premise_status, judged.ok) == (Verdict.HOLDS, PremiseStatus.INSIDE, True)


def test_instances_that_fail_a_premise_on_what_is_drawn_count() -> None:
    def drawn(t: float) -> float:
        return t

    block: dict[str, Any] = {
        "premises": [SHORT],
        "regime": Regime(cells=grid(), draw={"t": st.floats(0.0, 2.0)}, pinned=[{"t": 1.5}]),
        "evidence": Search(examples=20),
        "controls": [control("any t", without=SHORT)],
    }
    judged = row(drawn, **block)
    assert (judged.verdict, judged.ok) == (Verdict.HOLDS, True)


def test_several_premises_are_dropped_at_once_and_the_claim_keeps_all() -> None:
    both = control("both", cells=grid(m=4, n=8), without=[WIDE, FEW])
    with declared(needs_both, **BLOCK, controls=[both]) as made:
        assert Case(made, RunConfig(), ALPHA, both).premises == ()
        assert Case(made, RunConfig(), ALPHA).premises == (WIDE, FEW)
        assert made.evidence.run(Case(made, RunConfig(), ALPHA, both)).verdict is Verdict.REFUTED


def test_a_premise_that_is_text_is_dropped_as_text() -> None:
    narrow = control("narrow", cells=grid(m=4, n=2), without="m >= C1*n")
    block = {**BLOCK, "premises": ["m >= C1*n"], "constants": {"C1": (4, "a quarter")}, "controls": [narrow]}
    assert row(needs_both, **block).ok


def test_a_control_that_needs_no_premise_dropped_survives() -> None:
    """The statement holds without it, so nothing shows that the premise is of use."""
    alive = control("narrow", cells=grid(m=4, n=2), without=WIDE)

    def half(m: int, n: int) -> float:
        return 0.5

    judged = row(half, **BLOCK, controls=[alive])
    assert [c.refuted for c in judged.controls] == [False]
    assert not judged.ok


@pytest.mark.parametrize(
    ("dropped", "message"),
    [
        ({"without": WIDE}, "control 'wrong' drops m >= 8, which all its cells satisfy; give it cells that do not"),
        (
            {"without": WIDE, "cells": grid(m=[8, 9], n=1)},
            "control 'wrong' drops m >= 8, which all its cells satisfy; give it cells that do not",
        ),
        (
            {"without": WIDE, "cells": grid(m=4, n=8)},
            "control 'wrong' does not drop n <= 2, which fails at m=4,n=8; drop it, or move the cell",
        ),
        ({"without": SHORT, "cells": grid(m=4, n=2)}, "control 'wrong' drops t <= 1, which is no premise of the claim"),
    ],
)
def test_what_shows_nothing_of_the_premise_is_refused(dropped: dict[str, Any], message: str) -> None:
    assert refusal(controls=[control("wrong", **dropped)]) == message


def test_text_that_is_no_premise_is_refused_with_the_piece_underlined() -> None:
    assert refusal(controls=[control("wrong", without="m => 8")]).startswith(
        "its control 'wrong': a premise is written with one of >= <= > <\n"
    )
