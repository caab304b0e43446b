"""Radius, step sizes and the condition to stay near, at sizes for which they are worked out by hand."""

import pytest
import sympy as sp

from bounds.formula import formula
from bounds.symbols import symbol
from properties.zou2018.radius_and_step import (
    BELOW_ONE_IN_N,
    EPS_AT_MOST_ONE,
    LOSS_EXPONENTS,
    PROOF_RADIUS,
    PROOF_STEP,
    PROOF_WIDTH,
    STOCHASTIC_PROOF_STEP,
    stays,
)

# All powers of 2, and M = e^2 so that its logarithm is 2.
SIZES = {"n": 2, "L": 1, "phi": 2, "m": 4, "M": sp.exp(2), "c0": 8, "C0": 1, "lam": 1, "rho": 1, "B": 1}


def at_sizes(expression: sp.Expr) -> float:
    """The value at the sizes above."""
    return float(expression.subs({symbol(name): value for name, value in SIZES.items()}))


def test_the_radius_is_the_cube_of_what_it_is_by_hand() -> None:
    """c0 m phi^3 = 2^8 over 2^14 n^5 M log(M) = 2^20 e^2."""
    assert at_sizes(PROOF_RADIUS) == pytest.approx((2.0**-12 * float(sp.exp(-2))) ** 3, rel=1e-12)


def test_the_step_is_what_it_is_by_hand_and_a_batch_of_one_in_two_halves_it() -> None:
    """2^8 over 2^12 n^5 M^2 (lam + rho) = 2^18 e^4."""
    assert at_sizes(PROOF_STEP) == pytest.approx(2.0**-10 * float(sp.exp(-4)), rel=1e-12)
    assert at_sizes(STOCHASTIC_PROOF_STEP) == pytest.approx(0.5 * at_sizes(PROOF_STEP), rel=1e-12)


def test_weights_stay_near_by_the_total_step_alone() -> None:
    """K eta of order n^2 gives 4^L sqrt(M) rho n^2 <= tau, whatever K is."""
    L, M, rho, n, tau = (symbol(name) for name in ("L", "M", "rho", "n", "tau"))
    relation = stays(formula("n**2"))
    assert sp.simplify(relation.lts - 4**L * sp.sqrt(M) * rho * n**2) == 0
    assert relation.gts == tau
    assert not relation.has(symbol("k"))


def test_widths_lie_within_a_factor_of_two() -> None:
    within = [all(bool(p.relation.subs({symbol("m"): m, symbol("M"): 8})) for p in PROOF_WIDTH) for m in (3, 4, 8, 9)]
    assert within == [False, True, True, False]


def test_accuracies_are_small_up_to_one_and_up_to_one_in_n() -> None:
    eps, n = symbol("eps"), symbol("n")
    assert [bool(EPS_AT_MOST_ONE.subs(eps, value)) for value in (1, 2)] == [True, False]
    assert [bool(BELOW_ONE_IN_N.subs({eps: value, n: 4})) for value in (sp.Rational(1, 4), 1)] == [True, False]


@pytest.mark.parametrize("p", [sp.Rational(k, 8) for k in range(9)])
def test_the_cases_of_the_exponent_share_nothing_and_leave_nothing_out(p: sp.Rational) -> None:
    assert [p in case for case in LOSS_EXPONENTS.values()] == [2 * p < 1, 2 * p == 1, 2 * p > 1]
