"""The second judge: true, false and open questions of each kind, decided by its own arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from mpmath import iv
from sympy import Abs, Max, Rational, acos, asin, atan, cos, exp, gamma, log, oo, pi, sin, sqrt

from bounds.decisions.chain import ABOVE_HALF, EVERY_P, Range
from bounds.decisions.questions import Implied, IsZero, NotBelowZero
from bounds.symbols import symbol
from theory.upkeep import normal_forms, second_judge, solver
from theory.upkeep.interval_jets import EXACT, INTERVALS, UndefinedError, highest, jet, lowest, rational
from theory.upkeep.normal_forms import Form, TooLargeError, normal_form
from theory.upkeep.second_judge import answer

x, y = sympy.symbols("x y", real=True)
a, b = sympy.symbols("a b", positive=True)
n = sympy.Symbol("n", positive=True, integer=True)
s = sympy.Symbol("s", nonnegative=True)

with_solver = pytest.mark.skipif(not solver.IS_THERE, reason="z3 is not installed")


def on(expr: Any, low: Any, high: Any, *, strict: bool = False) -> bool | None:
    question = NotBelowZero(sympy.sympify(expr), ((x, sympy.sympify(low), sympy.sympify(high)),), strict)
    return answer(question).holds


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (x**2 + Rational(1, 1000), -1, 1),
        (x - sin(x), 0, pi),  # a zero of order 3 at the lower end
        (sin(x) * (x - sin(x)), 0, pi),  # zeros of orders 4 and 1
        (1 + cos(x), 0, pi),  # order 2 at an end that is no fraction
        (exp(x) - 1 - x, -1, 0),
        (x - log(1 + x), 0, oo),
        ((1 - x) ** 5, 0, 1),
        (Abs(x - Rational(1, 3)) + x / 100, Rational(1, 10), 1),  # a kink inside
        (Max(x, 1 - x) - Rational(1, 3), 0, 1),
        (sqrt(x) - x, 0, 1),  # a polynomial in the root
        (acos(x) - asin(-x) - 1, -1, Rational(9, 10)),
        (atan(x) - x / 2, 0, 1),
        ((x - 1) ** 2 * (x + 3), -3, oo),  # a double zero inside
        (1 / (1 + x) - (1 - x), 0, 5),
    ],
)
def test_true_inequalities_are_decided(expr: sympy.Expr, low: Any, high: Any) -> None:
    assert on(expr, low, high) is True


@pytest.mark.parametrize(
    ("expr", "low", "high"),
    [
        (x**2 - Rational(1, 10**12), -1, 1),
        (sin(x) - x, 0, 1),
        (1 - x / 2 - exp(-x), 0, Rational(1594, 1000)),
        ((x - 3) * (x - 1) ** 2, 0, 5),
        (x - sqrt(x), 0, 1),
        (10 - x, 0, oo),
        (1 - exp(x) / 100, 0, 10),
    ],
)
def test_false_inequalities_are_decided(expr: sympy.Expr, low: Any, high: Any) -> None:
    assert on(expr, low, high) is False


def test_strict_inequalities_fail_at_a_zero() -> None:
    assert on(x**2, -1, 1, strict=True) is False
    assert on(x**2 + 1, -1, 1, strict=True) is True
    assert on(x, 0, 1) is True
    assert on(x, 0, 1, strict=True) is False


def test_what_it_does_not_know_it_leaves_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_judge, "BOXES", 50)
    assert on(gamma(x + 2), 0, 1) is None
    # A zero inside that no polynomial has, and one at an end without derivatives.
    assert on((exp(x) - exp(Rational(1, 3))) * (exp(2 * x) - exp(Rational(2, 3))), 0, 1) is None
    assert on(acos(x) - sqrt(2 - 2 * x), 0, 1) is None
    assert answer(IsZero(gamma(a + 1) - a * gamma(a))).holds is None


@pytest.mark.parametrize(
    ("expr", "strict", "holds"),
    [
        (2 * s + a, False, True),
        (2 * s + a, True, True),
        (s, True, False),
        (n * a - a, False, True),
        (log(n + 1) - log(2), False, True),
        (exp(x) / (1 + exp(x)) ** 2, True, True),
        (a - 1, False, False),
        (-exp(-a), False, False),
    ],
)
def test_signs_over_all_that_symbols_are_declared_for(expr: sympy.Expr, strict: bool, holds: bool) -> None:
    assert answer(NotBelowZero(expr, strict=strict)).holds is holds


@with_solver
def test_polynomials_in_several_variables() -> None:
    assert answer(NotBelowZero(x**2 - 2 * x * y + y**2)).holds is True
    assert answer(NotBelowZero(x**2 - 3 * x * y + y**2)).holds is False
    within = ((a, sympy.S.Zero, sympy.oo), (b, sympy.S.Zero, sympy.oo))
    assert answer(NotBelowZero(a + b - 2 * sqrt(a) * sqrt(b), within)).holds is True
    # Real numbers between integers are no witness.
    assert solver.never_negative((n - 1) * (n - 2), {n: (sympy.S.One, sympy.oo, False)}, strict=False) is None
    with pytest.raises(solver.NotExpressibleError):
        solver.never_negative(exp(a), {a: (sympy.S.Zero, sympy.oo, True)}, strict=False)


@pytest.mark.parametrize(
    "expr",
    [
        (a + b) ** 2 - a**2 - 2 * a * b - b**2,
        log(a * b) - log(a) - log(b),
        log(sqrt(2) * a) - log(2) / 2 - log(a),
        sqrt(1 + a) ** 3 - sqrt(1 + a) * (1 + a),
        (1 + a) ** (n + 1) - (1 + a) ** n * (1 + a),
        4**n - 2 ** (2 * n),
        (6 * a) ** (2 * n + 5) / (6 * a) ** (2 * n) - (6 * a) ** 5,
        sin(acos(x)) ** 2 + x**2 - 1,
        sin(2 * x) - 2 * sin(x) * cos(x),
        sin(pi - x) - sin(x),
        1 / (1 + a) - (1 - a) / (1 - a**2),
        exp(a / (1 + a)) * exp(-a / (1 + a)) - 1,
        log(exp(a) * (1 + b)) - a - log(1 + b),
        acos(Rational(1, 2)) - pi / 3,
        cos(pi / 6) - sqrt(3) / 2,
    ],
)
def test_identities_have_the_normal_form_0(expr: sympy.Expr) -> None:
    assert answer(IsZero(expr)).holds is True


@pytest.mark.parametrize("expr", [log(a * b) - log(a), a * b / 10**30, sin(x) - x, sqrt(2) + sqrt(3) - pi])
def test_what_is_no_identity_has_a_place(expr: sympy.Expr) -> None:
    assert answer(IsZero(expr)).holds is False


def test_a_root_of_what_may_be_negative_is_not_taken_apart() -> None:
    """sqrt(x^2) is |x|."""
    squared = sympy.Pow(sympy.Pow(x, 2, evaluate=False), Rational(1, 2), evaluate=False)
    assert not normal_form(squared - x).is_zero
    assert not normal_form(Abs(x) - x).is_zero
    assert normal_form(Abs(a) - a).is_zero


def test_identities_that_are_met_at_places_alone_are_open() -> None:
    found = answer(IsZero(atan(a) + atan(1 / a) - pi / 2))
    assert found.holds is None
    assert found.places > 10


def test_numbers() -> None:
    assert answer(NotBelowZero(sqrt(2) + sqrt(3) - pi)).holds is True
    assert answer(NotBelowZero(sympy.Integer(1) - sqrt(2))).holds is False
    # Alike to 300 digits, and equal.
    assert answer(NotBelowZero(sqrt(2) - sqrt(2 + Rational(1, 10**300)))).holds is False
    equal = sympy.Add(sympy.log(6, evaluate=False), -log(2), -log(3), evaluate=False)
    assert answer(NotBelowZero(equal)).holds is True
    assert answer(NotBelowZero(equal, strict=True)).holds is False


@pytest.mark.parametrize(("value", "holds"), [(2, True), (Fraction(1, 3), False), (0.5, False), (10**400, True)])
def test_an_inequality_at_a_place(value: Any, holds: bool) -> None:
    assert answer(NotBelowZero(x**2 - 1, ((x, value, value),))).holds is holds


@with_solver
@pytest.mark.parametrize(
    ("target", "given", "ends", "holds"),
    [
        ("m >= n**2", ("m >= n**3",), EVERY_P, True),
        ("m >= n**4", ("m >= n**3",), EVERY_P, False),
        ("m >= n**(2*p)", ("m >= n",), Range(Fraction(0), Fraction(1, 2)), True),
        ("m >= n**(2*p)", ("m >= n",), ABOVE_HALF, False),
        ("m >= n + d", ("m >= n", "m >= d"), EVERY_P, True),
        ("n + d >= sqrt(n*d)", (), EVERY_P, True),
        ("1 >= tau", (), EVERY_P, None),
        ("m*phi >= n", ("m >= n/phi**2",), EVERY_P, True),
        ("m >= 2**L*n", ("m >= 8**L*n*log(m)",), EVERY_P, True),
    ],
)
def test_implications_between_sizes(target: str, given: tuple[str, ...], ends: Range, holds: bool | None) -> None:
    def relation(text: str) -> sympy.Rel:
        larger, smaller = text.split(" >= ")
        return sympy.Ge(*(_formula(side) for side in (larger, smaller)), evaluate=False)

    question = Implied(
        relation(target),
        tuple(relation(text) for text in given),
        {},
        (ends.low, ends.high),
        (ends.open_low, ends.open_high),
    )
    found = answer(question).holds
    assert found is holds if holds is not None else found in (True, False)


def _formula(text: str) -> sympy.Expr:
    return sympy.sympify(text, locals={name: symbol(name) for name in ("m", "n", "d", "p", "L", "phi", "tau")})


@with_solver
def test_definitions_are_put_in() -> None:
    m, samples, width = symbol("m"), symbol("n"), symbol("M")
    given = (sympy.Ge(m, width, evaluate=False),)
    question = Implied(
        sympy.Ge(m, samples**2, evaluate=False), given, {"M": samples**3}, (Fraction(0), Fraction(1)), (False, False)
    )
    assert answer(question).holds is True


def test_taylor_coefficients_enclose_those_that_sympy_has() -> None:
    formula = exp(sin(x)) / (1 + x**2) + acos(x / 2) + sqrt(1 + x) * log(2 + x) + atan(x) + (3 + x) ** -7
    iv.prec = 160
    found = jet(formula, {x: rational(Fraction(1, 3))}, x, 4, INTERVALS)
    for order, coefficient in enumerate(found):
        with mpmath.workdps(40):
            true = mpmath.mpf(str(sympy.N(sympy.diff(formula, x, order).subs(x, Rational(1, 3)), 40)))
            true /= mpmath.factorial(order)
            assert lowest(coefficient) - mpmath.mpf(10) ** -35 <= true <= highest(coefficient) + mpmath.mpf(10) ** -35
            assert highest(coefficient) - lowest(coefficient) < mpmath.mpf(10) ** -40


def test_exact_coefficients_that_vanish_are_known_to() -> None:
    found = jet(sin(x) - x, {x: Form.of(0)}, x, 3, EXACT)
    assert [part.is_zero for part in found] == [True, True, True, False]
    assert found[3].number == Fraction(-1, 6)


@pytest.mark.parametrize("formula", [log(x), sqrt(x), 1 / x, acos(x + 1), gamma(x + 3), y])
def test_what_is_not_defined_on_all_of_an_interval_is_refused(formula: sympy.Expr) -> None:
    with pytest.raises(UndefinedError):
        jet(formula, {x: iv.mpf([-1, 1])}, x, 1, INTERVALS)


def test_large_forms_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal_forms, "MOST_TERMS", 100)
    total = a + b + n + s
    with pytest.raises(TooLargeError):
        normal_form(total**20)
    assert answer(IsZero(total**20 - total**19 * (a + b) - total**19 * (n + s))).holds is None
