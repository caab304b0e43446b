"""Norms at initialisation: laws bracket what is drawn, special cases are known exactly, products match plain loops."""

import math

import numpy as np
import pytest
import scipy

from bounds.laws.layers import MaskedChiSquare
from nets.networks.activations import huberised_relu
from properties.chatterji2021.initial_norms import (
    WeightNorm,
    gated_norms,
    gated_norms_of_chosen,
    largest_smoothing,
    norm_tail,
    norms_off,
    share_of_a_part,
    weight_norm_tail,
    with_last_of_length,
)
from properties.chatterji2021.tests.networks import random_network, smooth_pass, unit_points
from theory.evidence import Tail

DRAWS = 4000


def _holds(tail: Tail, count: int, draws: int = DRAWS) -> bool:
    """Whether a count of draws is within five standard deviations of some probability in the bracket."""
    share = count / draws
    spread = 5.0 * math.sqrt(max(share * (1.0 - share), 1.0 / draws) / draws)
    return tail.lower - spread <= share <= tail.upper + spread


def test_the_smoothing_and_the_share_of_a_part_are_those_of_the_lemmas() -> None:
    assert largest_smoothing(100, 2) < 1.0 / (50.0 * 10.0 * 2.0) < largest_smoothing(100, 2) * 1.002
    assert share_of_a_part(0.4) == 0.05


def test_the_last_point_of_a_wrong_variant_has_its_length_and_the_others_have_theirs() -> None:
    X = unit_points(0, 3, 4)
    found = with_last_of_length(X, 1.25)
    np.testing.assert_array_equal(found[:-1], X[:-1])
    np.testing.assert_array_equal(found[-1], 1.25 * X[-1])
    assert with_last_of_length(X, 1.0) is X


@pytest.mark.parametrize("growing", [False, True])
@pytest.mark.parametrize("level", [0.2, 0.4])
def test_norm_tails_bracket_the_share_of_networks_that_are_off(level: float, growing: bool) -> None:
    m, n, L, draws = 24, 2, 2, 1000
    h = largest_smoothing(m, L)
    phi, X = huberised_relu(h), unit_points(0, n, 3)
    count = 0
    for seed in range(draws):
        fwd = smooth_pass(random_network((1, seed), 3, *[m] * L), X, phi)
        sizes = np.array([np.linalg.norm(x, axis=1) for x in fwd.post[1:]])
        allowed = level * (np.arange(1, L + 1) if growing else np.ones(L))
        count += bool(np.any(np.abs(sizes - 1.0) > allowed[:, np.newaxis]))
    tail = norm_tail(level, m, n, L, h, growing=growing)
    assert tail.is_probability
    assert _holds(tail, count, draws)


@pytest.mark.parametrize("level", [0.1, 0.3])
def test_the_lower_end_of_one_layer_is_the_law_of_its_norm_ratio(level: float) -> None:
    m = 40
    short = float(MaskedChiSquare(m).cdf((1.0 - level) ** 2))
    both = short + float(MaskedChiSquare(m).sf((1.0 + level) ** 2))
    tail = norm_tail(level, m, 1, 1, 1e-12)
    assert tail.lower == pytest.approx(short, rel=1e-9)
    assert tail.lower < both <= tail.upper * (1.0 + 1e-9)


def test_levels_between_two_steps_are_taken_at_the_safe_end_and_deviations_of_one_at_zero() -> None:
    m, n, L, h = 40, 2, 2, 1e-5
    below, between, above = (norm_tail(level, m, n, L, h) for level in (0.3, 0.3005, 0.301))
    assert between.upper == below.upper >= above.upper
    assert between.lower == above.lower <= below.lower
    assert norm_tail(1.5, m, n, L, h).lower == 0.0
    assert norm_tail(0.5, m, n, L, h, growing=True).lower == 0.0


def test_smoothing_that_uses_up_all_room_leaves_no_bound() -> None:
    assert norms_off(0.1, 100, 1, 2, 0.02, 2.0, False) == 1.0
    assert norms_off(0.4, 400, 1, 2, 1e-6, 2.0, False) < norms_off(0.4, 100, 1, 2, 1e-6, 2.0, False) < 1.0


# --- products on a vector -----------------------------------------------------------------------------


def test_products_of_a_stored_network_are_those_of_plain_loops() -> None:
    m, L, n = 5, 3, 2
    net, X, phi = random_network(0, m, m, m, m), unit_points(1, n, m), huberised_relu(0.3)
    z = unit_points(2, 1, m)[0]
    slopes = smooth_pass(net, X, phi).masks
    before, after = gated_norms_of_chosen(net.with_activation(phi), X, z)
    pairs = [(first, last) for last in range(L) for first in range(last + 1)]
    assert before.shape == after.shape == (len(pairs), n)
    for row, (first, last) in enumerate(pairs):
        for s in range(n):
            product = np.eye(m)
            for layer in range(first, last):
                product = np.diag(slopes[layer][s]) @ net.weights[layer].T @ product
            assert before[row, s] == pytest.approx(float(np.linalg.norm(product @ z)), rel=1e-12)
            whole = net.weights[last].T @ product
            assert after[row, s] == pytest.approx(float(np.linalg.norm(whole @ z)), rel=1e-12)


def test_norms_of_drawn_products_have_the_mean_that_is_known() -> None:
    """A layer alone multiplies the mean of the squared norm by 2, a gate by 1/2; without gates it is 2 for each."""
    m, L, draws = 30, 2, 600
    X, z = unit_points(0, 2, 4), unit_points(1, 1, 4)[0]
    for activation, means in ((huberised_relu(1e-6), (1.0, 1.0, 1.0)), (None, (1.0, 2.0, 1.0))):
        rng = np.random.default_rng(2)
        squares = np.zeros((2, 3))
        for _ in range(draws):
            before, after = gated_norms(X, z, m, L, activation, rng)
            assert before.shape == after.shape == (3, 2)
            squares += np.array([np.mean(before**2, axis=1), np.mean(after**2, axis=1)]) / draws
        # Rows: layer 1 alone, layers 1 to 2, layer 2 alone. One layer spreads by sqrt(5/m) at most, two by sqrt(10/m).
        spread = 5.0 * math.sqrt(12.0 / m / draws)
        assert squares[0] == pytest.approx(means, rel=spread)
        assert squares[1] == pytest.approx([2.0 * mean for mean in means], rel=spread)


def test_the_gates_of_the_last_sample_are_left_out_alone() -> None:
    """The first layer is the same draw; behind it only the last sample has all of what leaves it."""
    X, z, phi = unit_points(0, 3, 4), unit_points(1, 1, 4)[0], huberised_relu(0.1)
    usual, opened = (gated_norms(X, z, 6, 2, phi, np.random.default_rng(2), 2.0, last) for last in (False, True))
    np.testing.assert_array_equal(opened[0][:, :-1], usual[0][:, :-1])
    np.testing.assert_array_equal(opened[1][0], usual[1][0])
    # Row 1: the layers 1 and 2.
    assert opened[0][1, -1] == opened[1][0, -1] > usual[0][1, -1]


def test_a_network_without_gates_is_one_matrix_after_the_other_in_law() -> None:
    """||V z||^2 m/2 is chi-square of m: its distribution function at the median and two quartiles."""
    m, draws, rng = 10, 2000, np.random.default_rng(3)
    X, z = unit_points(0, 1, 3), unit_points(1, 1, 3)[0]
    ratios = np.array([gated_norms(X, z, m, 1, None, rng)[1][0, 0] ** 2 * m / 2.0 for _ in range(draws)])
    for chance in (0.25, 0.5, 0.75):
        share = float(np.mean(ratios <= scipy.stats.chi2(m).ppf(chance)))
        assert share == pytest.approx(chance, abs=5.0 * math.sqrt(chance * (1.0 - chance) / draws))


# --- norm of all weights ------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "L"), [(3, 1), (6, 2)])
@pytest.mark.parametrize("outputs", [1.0, 4.0])
def test_weight_norm_tails_bracket_the_share_of_draws_beyond(m: int, L: int, outputs: float) -> None:
    rng = np.random.default_rng((m, L))
    squares = 2.0 / m * rng.chisquare(L * m * m, DRAWS) + outputs * rng.chisquare(m, DRAWS)
    for level in np.quantile(np.sqrt(squares), [0.1, 0.5, 0.99]):
        tail = weight_norm_tail(float(level), m, L, 2.0, outputs)
        assert tail.is_probability
        assert tail.upper - tail.lower <= 0.02
        assert _holds(tail, int(np.sum(squares > level**2)))


@pytest.mark.parametrize("level", [2.0, 4.0])
def test_weight_norms_of_equal_variances_are_one_chi_square(level: float) -> None:
    """With gain m all entries have variance 1: ||V||^2 is chi-square of L m^2 + m."""
    m, L = 2, 2
    true = float(scipy.stats.chi2(L * m * m + m).sf(level**2))
    tail = weight_norm_tail(level, m, L, gain=float(m))
    assert tail.lower <= true <= tail.upper
    assert tail.upper - tail.lower <= 0.02
    assert weight_norm_tail(level, m, L, gain=float(m), outputs=0.0).lower == pytest.approx(
        float(scipy.stats.chi2(L * m * m).sf(level**2)), rel=1e-9
    )


def test_the_law_of_the_norm_is_that_of_one_chi_square_where_all_variances_are_one() -> None:
    norms = np.array([[1.0, 2.0], [3.0, 4.5]])
    assert WeightNorm(2, 3).cdf(norms) == pytest.approx(scipy.stats.chi2(14).cdf(norms**2), abs=1e-4)
