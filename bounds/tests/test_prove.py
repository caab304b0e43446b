"""Inequalities on an interval: what is decided, what is refuted, and what stays open."""

import math

import flint
import pytest
import sympy
from sympy import Abs, Rational, acos, cos, exp, log, pi, sin, sqrt

from bounds.arithmetic.tree import UnsupportedFormulaError
from bounds.decisions.prove import (
    at_least,
    is_identity,
    is_nonnegative,
    is_positive,
    is_zero,
    no_negative_coefficient,
    nonnegative,
    nonnegative_function,
    vanishes,
)
from bounds.decisions.questions import Decision, IsZero, NotBelowZero, all_of, fails

x = sympy.Symbol("x", real=True)
y = sympy.Symbol("y", real=True)


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (x**2 + Rational(1, 1000), -1, 1),
        (x - sin(x), 0, pi),  # a zero of order 3 at the lower end
        (sin(x) * (x - sin(x)), 0, pi),  # zeros of orders 4 and 1
        (1 + cos(x), 0, pi),  # order 2 at an end that is no fraction
        (exp(x) - 1 - x, -1, 0),
        ((1 - x) ** 5, 0, 1),  # odd order at the upper end
        (Abs(x - Rational(1, 3)) + x / 100, Rational(1, 10), 1),  # a kink inside
        (sqrt(x) - x, Rational(1, 10), 1),
        (sympy.Integer(0) * x, 0, 1),
    ],
)
def test_true_inequalities_are_proved(expr: sympy.Expr, low: sympy.Expr, high: sympy.Expr) -> None:
    assert nonnegative(expr, x, low, high).holds is True


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (x**2 - Rational(1, 10**12), -1, 1),
        (sin(x) - x, 0, 1),
        (1 - x / 2 - exp(-x), 0, Rational(1594, 1000)),
        (x**3 - Rational(1, 10**6) * x**2, 0, 1),  # negative only next to the zero at the lower end
        ((1 - x) ** 3 - Rational(1, 10**6) * (1 - x), 0, 1),
        (log(2) - x - Rational(1, 10**20), 0, log(2)),
    ],
)
def test_false_inequalities_are_refuted_at_a_place(expr: sympy.Expr, low: sympy.Expr, high: sympy.Expr) -> None:
    found = nonnegative(expr, x, low, high)
    assert found.holds is False
    assert found.at is not None
    assert float(low) <= found.at <= float(high)
    assert "fails at" in found.where


@pytest.mark.parametrize(
    "expr",
    [
        (x - Rational(1, 3)) ** 2,  # a zero inside
        Abs(x) - x / 2,  # a kink at the end
        x ** Rational(5, 2),  # flat at the end, but without a derivative of integer order
    ],
)
def test_what_cannot_be_decided_stays_open(expr: sympy.Expr) -> None:
    found = nonnegative(expr, x, 0, 1)
    assert found.holds is None
    assert "open at" in found.where


def test_the_budget_ends_the_search() -> None:
    found = nonnegative(Rational(1, 2) + sin(1000 * x) + Abs(sin(1000 * x)), x, 0, 1, boxes=3)
    assert found.holds is None
    assert found.boxes == 3


def test_a_function_of_balls_needs_no_formula() -> None:
    def distance_to_golden(ball: flint.arb) -> flint.arb:
        return abs(ball * ball - ball - 1)

    assert nonnegative_function(distance_to_golden, 0, 1).holds is True
    found = nonnegative_function(lambda ball: distance_to_golden(ball) - flint.arb(0.5), 0, 2)
    assert found.holds is False
    assert found.at == pytest.approx((1 + math.sqrt(5)) / 2, abs=0.3)


def test_nan_is_never_decided() -> None:
    assert nonnegative_function(lambda ball: flint.arb.nan(), 0, 1).holds is None


def test_identities() -> None:
    assert vanishes(sin(acos(x)) ** 2 + x**2 - 1, x, -1, 1).holds is True
    assert vanishes(sin(x) - x, x, 0, 1).holds is False
    assert vanishes(Rational(1, 10**30) * x, x, 0, 1).holds is False
    # True on the interval only; simplification does not know where x lies.
    assert vanishes(Abs(x) - x, x, 0, 1).holds is None


def test_identities_of_several_variables() -> None:
    a, b, c = sympy.symbols("a b c", positive=True)
    assert is_identity((a + b) ** 2 - a**2 - 2 * a * b - b**2).holds is True
    assert is_identity(log(a * b) - log(a) - log(b)).holds is True
    # What sympy's own `equals`, which tries random places, decides in some runs only.
    powers = a * (b ** Rational(3, 2) - b) * c ** Rational(2, 3) - (b - 1) * c ** Rational(2, 3)
    assert is_identity(powers).holds is False
    assert is_identity(Rational(1, 10**30) * a * b).holds is False
    # True of all positive numbers, which simplification does not know.
    assert is_identity(Abs(y) - y).holds is None


@pytest.mark.parametrize("decide", [nonnegative, vanishes])
def test_other_symbols_are_refused(decide: object) -> None:
    with pytest.raises(UnsupportedFormulaError, match="holds y"):
        decide(x + y, x, 0, 1)  # type: ignore[operator]


def test_decisions_carry_what_was_asked_with_the_answer() -> None:
    assert nonnegative(x**2, x, 0, 1).asked == ((NotBelowZero(x**2, ((x, sympy.S.Zero, sympy.S.One),)), True),)
    assert nonnegative(x - 1, x, 0, 2).asked[0][1] is False
    assert vanishes(x - x, x, 0, 1).asked == ((IsZero(sympy.S.Zero, ((x, sympy.S.Zero, sympy.S.One),)), True),)
    assert is_identity(sin(y) ** 2 + cos(y) ** 2 - 1).asked[0][1] is True
    assert is_zero(x + 1).asked == ((IsZero(x + 1), False),)
    # What the caller has simplified is not what is asked.
    assert is_zero(log(y**2) - y, sympy.S.Zero).asked == ((IsZero(log(y**2) - y), True),)


def test_signs_by_what_symbols_are_declared_to_be() -> None:
    a, s = sympy.Symbol("a", positive=True), sympy.Symbol("s", nonnegative=True)
    assert is_nonnegative(s).holds is True
    assert is_positive(s).holds is None
    assert is_positive(a + s).holds is True
    assert is_positive(-a).asked == ((NotBelowZero(-a, strict=True), False),)


def test_numbers_are_compared_where_they_are_real() -> None:
    assert at_least(sqrt(2), Rational(7, 5)).holds is True
    assert at_least(1, 1, strict=True).holds is False
    assert at_least(x, 1) == Decision(None)
    assert at_least(sympy.zoo, 1) == Decision(None)


def test_coefficients_are_those_of_variables_that_are_not_negative() -> None:
    assert no_negative_coefficient(x**2 + 3 * x, x).holds is True
    ((question, first),) = no_negative_coefficient(x * y + x, x, y).asked
    assert first is True
    assert question == NotBelowZero(x * y + x, ((x, sympy.S.Zero, sympy.oo), (y, sympy.S.Zero, sympy.oo)))
    # A negative coefficient makes no polynomial negative.
    negative = no_negative_coefficient(x**2 - x + 1, x)
    assert (negative.holds, negative.asked) == (False, ())
    assert no_negative_coefficient(y * x, x).holds is None
    with pytest.raises(sympy.PolynomialError):
        no_negative_coefficient(1 / x, x)


def test_a_decision_is_true_where_it_holds_and_several_hold_together() -> None:
    yes, no, unknown = is_zero(x - x), is_zero(x), Decision(None)
    assert [bool(found) for found in (yes, no, unknown)] == [True, False, False]
    assert all_of([yes, yes]).asked == yes.asked * 2
    assert [all_of(found).holds for found in ([yes, no, unknown], [yes, unknown], [])] == [False, None, True]
    assert [fails(found).holds for found in (yes, no, unknown)] == [False, True, None]
    assert fails(no).asked == no.asked
