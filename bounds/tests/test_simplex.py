"""Exact linear programs: hand-made ones, and sympy's answers to random ones."""

import random
from fractions import Fraction

import pytest
from sympy.solvers.simplex import InfeasibleLPError, UnboundedLPError, linprog

from bounds.decisions.simplex import InfeasibleError, UnboundedError, minimise

ONE = Fraction(1)


def test_the_least_cost_and_where_it_is_attained() -> None:
    value, x = minimise([ONE, ONE], equal=[([ONE, -ONE], ONE)], at_least=[([ONE, 2 * ONE], 2 * ONE)])
    assert (value, x) == (Fraction(5, 3), [Fraction(4, 3), Fraction(1, 3)])


def test_a_program_without_a_point_is_infeasible() -> None:
    with pytest.raises(InfeasibleError):
        minimise([ONE], equal=[([ONE], -ONE)])


def test_a_program_without_a_minimum_is_unbounded() -> None:
    with pytest.raises(UnboundedError):
        minimise([-ONE, ONE], at_least=[([ONE, -ONE], ONE)])


def test_redundant_rows_do_no_harm() -> None:
    rows = [([ONE, ONE], ONE), ([2 * ONE, 2 * ONE], 2 * ONE), ([ONE, 0 * ONE], 0 * ONE)]
    assert minimise([ONE, ONE], equal=rows) == (ONE, [0, 1])


def test_a_degenerate_program_that_makes_other_pivot_rules_cycle() -> None:
    """Beale's example: the rule of steepest descent goes round in it."""
    rows = [
        [Fraction(-1, 4), Fraction(60), Fraction(1, 25), Fraction(-9)],
        [Fraction(-1, 2), Fraction(90), Fraction(1, 50), Fraction(-3)],
        [Fraction(0), Fraction(0), Fraction(-1), Fraction(0)],
    ]
    cost = [Fraction(-3, 4), Fraction(150), Fraction(-1, 50), Fraction(6)]
    assert minimise(cost, at_least=list(zip(rows, [Fraction(0), Fraction(0), -ONE], strict=True)))[0] == Fraction(
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
        ours = minimise(cost, at_least=list(zip(rows, right, strict=True)))[0]
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
