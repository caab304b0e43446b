"""The witnesses have the norms and the tails that they state, and tell a bound that is too small."""

import flint
import mpmath
import numpy as np
import pytest

from bounds.formula import formula
from properties.shared.tail_witnesses import EXPONENTIAL_WITNESS, TAIL_LEVELS, UNITS, Witness, gaussians, violated_by


def psi_norm(moment: mpmath.mpf, q: int, power: int) -> mpmath.mpf:
    """E[|X|^q]^(1/q) / q^(1/power), whose supremum over q >= 1 is the psi norm of that power."""
    return moment ** (mpmath.mpf(1) / q) / mpmath.mpf(q) ** (mpmath.mpf(1) / power)


def test_the_exponential_witness_has_the_norm_it_states() -> None:
    """Less its mean, E|X|^q is an integral; q = 1 is the worst, where it is 2/e."""
    norms = []
    for q in range(1, 13):
        moment = mpmath.quad(lambda x, q=q: abs(x - 1) ** q * mpmath.exp(-x), [0, 1, 10, 60, mpmath.inf])
        norms.append(psi_norm(moment, q, 1))
    assert norms[0] == pytest.approx(2.0 / np.e, rel=1e-9)
    assert max(norms) == norms[0]
    assert max(norms) <= float(EXPONENTIAL_WITNESS.norm())


def test_gaussian_witnesses_have_the_norm_they_state_for_both_powers() -> None:
    norm = float(gaussians(3).norm())
    for power in (1, 2):
        sizes = []
        for q in range(1, 40):
            moment = mpmath.mpf(2) ** (mpmath.mpf(q) / 2) * mpmath.gamma(mpmath.mpf(q + 1) / 2) / mpmath.sqrt(mpmath.pi)
            sizes.append(psi_norm(moment, q, power))
        assert float(max(sizes)) == pytest.approx(norm, rel=1e-12)


def test_the_tails_are_those_of_sampled_sums() -> None:
    rng, size = np.random.default_rng(6), 200_000
    exponential = float(np.mean(np.abs(rng.exponential(size=size) - 1.0) > 1.0))
    assert exponential == pytest.approx(
        float(EXPONENTIAL_WITNESS.tail(flint.arb(1))), abs=6.0 * (0.14 * 0.86 / size) ** 0.5
    )
    sums = float(np.mean(np.abs(rng.standard_normal((size, 4)).sum(axis=1)) > 2.0))
    assert sums == pytest.approx(float(gaussians(4).tail(flint.arb(2))), abs=6.0 * (0.32 * 0.68 / size) ** 0.5)


def test_levels_are_those_at_which_only_the_upper_tail_of_the_exponential_counts() -> None:
    assert min(TAIL_LEVELS) >= 1


@pytest.mark.parametrize("level", TAIL_LEVELS)
def test_a_bound_below_the_exact_tail_is_told_also_where_floats_underflow(level: int) -> None:
    """The tail exp(-1 - t) lies between these two at every level."""
    assert EXPONENTIAL_WITNESS.violates(formula("exp(-2-t)"), level) is True
    assert EXPONENTIAL_WITNESS.violates(formula("exp(-t)"), level) is False


def test_a_bound_in_the_sizes_of_the_sum_gets_those_of_the_witness() -> None:
    witness = Witness(4, lambda: flint.arb(3), lambda t: t / 100)
    # ||a|| = 2, max |a_i| = 1 and the norm 3: at t = 100 the tail is 1.
    assert witness.violates(formula("normX*norma*maxa/(6*t)"), 100) is True
    assert witness.violates(formula("normX*norma*maxa*t/600"), 100) is False
    assert witness.violates(formula("normX*norma*maxa*t/601"), 100) is True


@pytest.mark.parametrize("units", UNITS)
def test_a_bound_in_the_units_of_the_sum_is_violated_in_none_or_in_all(units: dict[str, int]) -> None:
    """The norm of the variable is 3/4, and ||a|| that of a single weight: t over both is the level by itself."""
    assert EXPONENTIAL_WITNESS.violates(formula("exp(-2-3*t/(4*normX*norma))"), 10, **units) is True
    assert EXPONENTIAL_WITNESS.violates(formula("exp(-1-3*t/(4*normX*maxa))"), 10, **units) is False


def test_one_law_at_one_of_the_levels_is_enough_to_violate_a_bound() -> None:
    """The tail t/1000 is above 1/2 at the last of the levels 1, 10, 100, 1000 alone, and t/10000 at none of them."""
    loud = Witness(1, lambda: flint.arb(1), lambda t: t / 1000)
    silent = Witness(1, lambda: flint.arb(1), lambda t: t / 10000)
    bound = formula("1/2")
    assert [violated_by(bound, laws) for laws in ([silent, loud], [loud, silent], [silent], [])] == [
        True,
        True,
        False,
        False,
    ]
    assert violated_by(bound, [loud], TAIL_LEVELS[:-1]) is False
    assert violated_by(bound, [silent], (1, 10**4)) is True


@pytest.mark.parametrize(("text", "violated"), [("50/t*maxa", True), ("50/t*normX", True), ("100/t", False)])
def test_large_variables_and_large_weights_are_tried_too(text: str, violated: bool) -> None:
    """At the level 1, where the tail is 1, the bounds are 50 or more for a small variable with a small weight.

    With t = 100 one of them is 1/2 for large variables only, one for large weights only, and one stays at 1.
    """
    certain = Witness(1, lambda: flint.arb(1), lambda t: flint.arb(1))
    assert violated_by(formula(text), [certain], (1,)) is violated
