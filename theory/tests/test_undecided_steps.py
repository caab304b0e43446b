"""What a proof could not show is undecided, not refuted: comparisons of balls and of symbols that nothing decides."""

from __future__ import annotations

from typing import Any

import flint
import pytest
import sympy

from bounds.bound import Bound, UndecidedError, certainly_le
from bounds.decisions.chain import decide
from bounds.decisions.powers import ChainError
from bounds.parse import parse_formula
from bounds.symbols import symbol
from theory.core.verdict import Verdict
from theory.evidence import Proof, Step
from theory.tests.fakes import row


def of(text: str) -> Bound:
    return Bound(parse_formula(text))


def test_a_bare_comparison_with_the_ball_of_a_bound_is_undecided_where_the_balls_overlap() -> None:
    def steps(bound: Bound) -> list[Step]:
        return [Step("2 is at most the bound", bool(flint.arb(2).sqrt() ** 2 <= bound.ball(m=2)))]

    found = row(steps, bound="sqrt(m)**2", evidence=Proof(), measured=["m"])
    assert found.verdict is Verdict.UNDECIDED
    assert found.worst is not None
    assert "certainly_le" in found.worst.remark


@pytest.mark.parametrize("compare", [lambda a, b: a <= b, lambda a, b: b >= a, lambda a, b: a == b, lambda a, b: b < a])
def test_both_sides_and_all_signs_are_guarded(compare: Any) -> None:
    ball = of("sqrt(m)").ball(m=2)
    with pytest.raises(UndecidedError, match="not decided"):
        compare(flint.arb(2), ball * ball)


def test_what_is_computed_of_a_guarded_ball_is_guarded() -> None:
    ball = of("sqrt(m)").ball(m=2)
    for same in (ball + 0, 0 + ball, flint.arb(1) * ball, abs(ball), (ball**2).sqrt(), ball.max(ball)):
        with pytest.raises(UndecidedError):
            bool(same <= flint.arb(2).sqrt())


def test_decided_comparisons_answer_and_the_enclosure_is_the_same() -> None:
    ball = of("sqrt(m)").ball(m=2)
    assert (ball < 2, ball > 2, ball <= flint.arb(1), ball == 3, ball != 3) == (True, False, False, False, True)
    assert certainly_le(ball * ball, 2) is None
    assert ball.rel_accuracy_bits() > 120


def test_a_symbolic_comparison_that_nothing_decides_is_undecided() -> None:
    def steps(bound: Bound) -> list[Step]:
        return [Step("the symbol is at most the bound", bool(symbol("m") <= bound.expr))]

    found = row(steps, bound="n", evidence=Proof(), measured=["n"])
    assert found.verdict is Verdict.UNDECIDED
    assert found.worst is not None
    assert "m <= n" in found.worst.remark


@pytest.mark.parametrize("steps", [None, [True], [Step(None, True)], "proved"])  # type: ignore[arg-type]
def test_what_are_no_steps_is_told_in_a_sentence(steps: Any) -> None:
    found = row(lambda bound: steps, bound="m", evidence=Proof())
    assert found.verdict is Verdict.ERROR
    assert "a proof returns a list of steps" in found.error


def test_an_implication_that_the_domains_decide_needs_no_exponents() -> None:
    m, n = symbol("m"), symbol("n")
    assert decide(m >= -5, given=[m >= n]).holds is True
    assert decide(sympy.false, given=[m >= n]).holds is False
    assert "never so" in str(decide(m <= -5, given=[m >= n]))
    assert decide(m >= n, given=[m >= n, m >= 0]).holds is True
    with pytest.raises(ChainError, match="never true"):
        decide(m >= n, given=[m <= 0])
