"""An inequality at places: what is certainly false is told, and what cannot be decided refutes nothing."""

from fractions import Fraction

import sympy

from bounds.decisions.questions import Decision, NotBelowZero
from bounds.formula import formula
from bounds.symbols import symbol
from properties.shared.places import at_most, away_from, below_at, constant_values, met_from_the_first, nowhere_violated


def test_one_symbol_at_a_time_leaves_the_place() -> None:
    assert away_from({"m": 1, "n": 2}, {"n": [3, 4]}) == [{"m": 1, "n": 2}, {"m": 1, "n": 3}, {"m": 1, "n": 4}]


def test_a_negative_gap_is_told_with_its_place_and_symbols_that_it_lacks_are_let_be() -> None:
    step = nowhere_violated(formula("m - 2"), [{"m": 3, "n": 5}, {"m": Fraction(3, 2), "n": 5}])
    assert step.holds is False
    assert step.what.endswith("at 2 places; it is at m = 3/2")


def test_a_gap_of_zero_is_no_violation() -> None:
    assert nowhere_violated(formula("sqrt(2*m) - sqrt(2)*sqrt(m)"), [{"m": 3}]).holds is True


def test_a_gap_without_a_value_is_neither_met_nor_violated() -> None:
    gap = formula("log(m - 5) - 9")
    assert nowhere_violated(gap, [{"m": 3}, {"m": 10**9}]).holds is None
    assert nowhere_violated(gap, [{"m": 3}, {"m": 7}]).holds is False


def test_two_formulas_at_a_place_are_asked_about_there() -> None:
    found = below_at(formula("m"), formula("n**2"), {"m": 4, "n": 3, "L": 1})
    assert found.holds is True
    ((question, first),) = found.asked
    assert first is True
    assert isinstance(question, NotBelowZero)
    assert {(free.name, low, high) for free, low, high in question.within} == {("m", 4, 4), ("n", 3, 3)}
    assert below_at(formula("m"), formula("n"), {"m": 4, "n": 3}).holds is False
    # Equal numbers that balls cannot tell apart.
    assert below_at(formula("sqrt(2*m)"), formula("sqrt(2)*sqrt(m)"), {"m": 3}).holds is None


def test_the_first_comparison_has_to_hold_and_no_later_one_may_fail() -> None:
    yes, no, unknown = (Decision(holds) for holds in (True, False, None))
    assert met_from_the_first([yes, unknown, yes]).holds is True
    assert met_from_the_first([yes, unknown, no]).holds is False
    assert met_from_the_first([unknown, yes]).holds is None


def test_only_real_numbers_are_compared() -> None:
    assert at_most(sympy.Rational(1, 2), sympy.sqrt(2)).holds is True
    assert at_most(sympy.S(2), sympy.sqrt(2)).holds is False
    assert at_most(symbol("m"), sympy.S.One).holds is None
    assert at_most(sympy.zoo, sympy.S.One).holds is None


def test_constants_are_put_into_a_formula_by_their_values_and_sizes_stay() -> None:
    bound = formula("C*m + C0*n", {"C": (Fraction(3, 2), "one"), "C0": (sympy.sqrt(2), "the other")})
    shown = bound.expr.subs(constant_values(bound))
    assert sympy.simplify(shown - sympy.Rational(3, 2) * symbol("m") - sympy.sqrt(2) * symbol("n")) == 0
    assert constant_values(formula("m + n")) == {}
