"""Exact linear programs: hand-made ones, and sympy's answers to random ones."""

import random
from fractions import Fraction

import pytest
from sympy.solvers.simplex import InfeasibleLPError, UnboundedLPError, linprog

from bounds.decisions import simplex
from bounds.decisions.simplex import InfeasibleError, Minimum, UnboundedError, minimise

ONE = Fraction(1)


def test_the_least_cost_and_where_it_is_attained() -> None:
    value, x, multipliers = minimise([ONE, ONE], equal=[([ONE, -ONE], ONE)], at_least=[([ONE, 2 * ONE], 2 * ONE)])
    assert (value, x) == (Fraction(5, 3), [Fraction(4, 3), Fraction(1, 3)])
    assert multipliers == [Fraction(1, 3), Fraction(2, 3)]


def test_a_program_without_a_point_is_infeasible() -> None:
    with pytest.raises(InfeasibleError):
        minimise([ONE], equal=[([ONE], -ONE)])


def test_a_program_without_a_minimum_is_unbounded() -> None:
    with pytest.raises(UnboundedError):
        minimise([-ONE, ONE], at_least=[([ONE, -ONE], ONE)])


def test_redundant_rows_do_no_harm() -> None:
    rows = [([ONE, ONE], ONE), ([2 * ONE, 2 * ONE], 2 * ONE), ([ONE, 0 * ONE], 0 * ONE)]
    assert minimise([ONE, ONE], equal=rows)[:2] == (ONE, [0, 1])


def test_a_degenerate_program_that_makes_other_pivot_rules_cycle() -> None:
    """Beale's example: the rule of steepest descent goes round in it."""
    rows = [
        [Fraction(-1, 4), Fraction(60), Fraction(1, 25), Fraction(-9)],
        [Fraction(-1, 2), Fraction(90), Fraction(1, 50), Fraction(-3)],
        [Fraction(0), Fraction(0), Fraction(-1), Fraction(0)],
    ]
    cost = [Fraction(-3, 4), Fraction(150), Fraction(-1, 50), Fraction(6)]
    assert minimise(cost, at_least=list(zip(rows, [Fraction(0), Fraction(0), -ONE], strict=True))).value == Fraction(
        -1, 20
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_have_the_value_that_sympy_finds(seed: int) -> None:
    draw = random.Random(seed)

    def numbers(count: int) -> list[Fraction]:
        return [Fraction(draw.randint(-4, 4)) for _ in range(count)]

    cost, rows, right = numbers(4), [numbers(4) for _ in range(5)], numbers(5)
    ours: Fraction | str
    theirs: Fraction | str
    try:
        ours = minimise(cost, at_least=list(zip(rows, right, strict=True))).value
    except InfeasibleError:
        ours = "infeasible"
    except UnboundedError:
        ours = "unbounded"
    try:
        # sympy asks for rows . x <= right
        theirs = linprog(cost, [[-value for value in row] for row in rows], [-value for value in right])[0]
    except InfeasibleLPError:
        theirs = "infeasible"
    except UnboundedLPError:
        theirs = "unbounded"
    assert ours == theirs


Conditions = list[tuple[list[Fraction], Fraction]]


def _random_program(seed: int) -> tuple[list[Fraction], Conditions, Conditions]:
    draw = random.Random(seed)

    def rows(count: int) -> Conditions:
        coefficients = [[Fraction(draw.randint(-4, 4), draw.randint(1, 3)) for _ in range(4)] for _ in range(count)]
        return [(row, Fraction(draw.randint(-4, 4))) for row in coefficients]

    return [Fraction(draw.randint(-1, 4)) for _ in range(4)], rows(draw.randint(0, 3)), rows(draw.randint(1, 4))


def _dot(one: list[Fraction], other: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _added_up(factors: list[Fraction], conditions: Conditions) -> tuple[list[Fraction], Fraction]:
    """The conditions times their factors."""
    row = [_dot(factors, [row[place] for row, _ in conditions]) for place in range(4)]
    return row, _dot(factors, [number for _, number in conditions])


def _answer(seed: int) -> Minimum | InfeasibleError | UnboundedError:
    cost, equal, at_least = _random_program(seed)
    try:
        return minimise(cost, equal=equal, at_least=at_least)
    except (InfeasibleError, UnboundedError) as error:
        return error


def test_every_answer_carries_its_proof() -> None:
    kinds = set()
    for seed in range(60):
        cost, equal, at_least = _random_program(seed)
        answer = _answer(seed)
        kinds.add(type(answer))
        if isinstance(answer, UnboundedError):
            assert min(answer.direction) >= 0 > _dot(cost, answer.direction)
            assert all(_dot(row, answer.direction) == 0 for row, _ in equal)
            assert all(_dot(row, answer.direction) >= 0 for row, _ in at_least)
            continue
        row, number = _added_up(answer.multipliers, [*equal, *at_least])
        assert min(answer.multipliers[len(equal) :]) >= 0
        if isinstance(answer, InfeasibleError):
            # A sum of the conditions says that what is at most 0 is at least a positive number.
            assert max(row) <= 0 < number
        else:
            assert min(answer.point) >= 0
            assert all(a <= b for a, b in zip(row, cost, strict=True))
            assert number == answer.value == _dot(cost, answer.point)
    assert kinds == {InfeasibleError, UnboundedError, Minimum}


@pytest.mark.parametrize("least", [ONE, -ONE], ids=["stopped in phase one", "stopped in phase two"])
def test_an_answer_without_its_proof_is_not_given(monkeypatch: pytest.MonkeyPatch, least: Fraction) -> None:
    monkeypatch.setattr(simplex, "_run", lambda table, basis, prices, denominator, width: (denominator, None))
    with pytest.raises(ArithmeticError, match="failed its verification"):
        minimise([-ONE, ONE], at_least=[([ONE, ONE], least), ([-ONE, 0 * ONE], -3 * ONE)])
