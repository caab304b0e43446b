"""Wrong variants of a bound: another dependence on one symbol, or a term less."""

from fractions import Fraction

import pytest
import sympy
from sympy import log, sqrt

from bounds.bound import Bound, Constant
from bounds.symbols import symbol

m, n, L = map(symbol, ("m", "n", "L"))

BOUND = Bound(3 * m**2 / sqrt(n) + symbol("C") * L, {"C": Constant(Fraction(1, 3), "a test")})


def test_a_frozen_symbol_has_one_value() -> None:
    frozen = BOUND.variants.frozen("m", 4)
    assert (frozen.symbols, frozen.constants) == (("n", "L"), BOUND.constants)
    assert frozen(n=4, L=6) == BOUND(m=4, n=4, L=6)
    assert BOUND.variants.frozen("m", 0.1)(n=4, L=6) == pytest.approx(BOUND(m=0.1, n=4, L=6), rel=1e-15)


def test_where_that_is_undefined_it_is_refused() -> None:
    with pytest.raises(ValueError, match="zoo"):
        Bound(1 / L).variants.frozen("L", 0)


@pytest.mark.parametrize("power", [Fraction(1, 2), Fraction(-1)])
def test_a_tilted_bound_has_another_exponent_and_the_same_value_at_one_point(power: Fraction) -> None:
    tilted = BOUND.variants.tilted("n", 9, power)
    assert tilted(m=2, n=9, L=1) == pytest.approx(BOUND(m=2, n=9, L=1), rel=1e-14)
    assert tilted(m=2, n=36, L=1) == pytest.approx(4.0**power * BOUND(m=2, n=36, L=1), rel=1e-14)
    assert Bound(n**2).variants.tilted("n", 3, power).exponent("n") == 2 + power


@pytest.mark.parametrize(
    ("expr", "power"), [(m**2 * L, 2), (L / m, -1), (sqrt(m), Fraction(1, 2)), (log(m) * m, None), (m + L, None)]
)
def test_the_power_of_a_symbol(expr: sympy.Expr, power: Fraction | None) -> None:
    assert Bound(expr).variants.power("m") == power


def test_the_terms_of_every_sum_that_is_a_factor() -> None:
    assert {text: wrong.expr for text, wrong in Bound(m * sqrt(n + L)).variants.without_terms().items()} == {
        "n": m * sqrt(L),
        "L": m * sqrt(n),
    }
    assert set(BOUND.variants.without_terms()) == {"3*m**2/sqrt(n)", "C*L"}
    assert set(BOUND.variants.without_terms()["3*m**2/sqrt(n)"].constants) == {"C"}
    assert Bound(m * log(n + L)).variants.without_terms() == {}


def test_a_term_without_which_there_is_no_real_number_is_left_out() -> None:
    assert set(Bound(m * sqrt(L - 1)).variants.without_terms()) == {"-1"}
