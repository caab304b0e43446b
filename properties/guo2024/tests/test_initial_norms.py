"""Networks are drawn with the variance and the scaling asked, and tails bracket what drawn paths do."""

import math

import numpy as np
import pytest

from bounds.laws.leaky_layers import LeakyChiSquare
from nets import DataError
from nets.networks.forward import forward
from properties.guo2024.initial_norms import (
    backward_norms_fall,
    draw,
    given_the_window,
    log_norm_leaves,
    norms_leave,
    trained_layer_ratios,
    window,
)
from theory.evidence import Tail

POINT = np.array([[0.6, 0.0, 0.8]])


def test_ratios_by_hand() -> None:
    net, fwd = draw(POINT, 5, 3, 2, -0.5, np.random.default_rng(0))
    state, norms = POINT @ net.frozen[0], []
    for W in net.weights:
        norms.append(np.sum(state**2))
        z = state @ W
        state = np.where(z > 0.0, z, -0.5 * z) / math.sqrt(1.25)
    norms.append(np.sum(state**2))
    np.testing.assert_allclose(trained_layer_ratios(fwd)[0], np.divide(norms[1:], norms[:-1]), rtol=1e-13)


def test_a_silent_layer_has_no_ratio_after_it() -> None:
    net, _ = draw(POINT, 4, 2, 1, 0.0, np.random.default_rng(0))
    silent = net.with_weights([np.outer(POINT @ net.frozen[0], -np.ones(4)), net.weights[1]])
    with pytest.raises(DataError, match="silences a whole layer"):
        trained_layer_ratios(forward(silent, POINT))


def test_a_gain_multiplies_the_weights_and_no_rescaling_the_activation() -> None:
    plain = draw(POINT, 4, 1, 1, 2.0, np.random.default_rng(1))
    wider = draw(POINT, 4, 1, 1, 2.0, np.random.default_rng(1), gain=8.0)
    longer = draw(POINT, 4, 1, 1, 2.0, np.random.default_rng(1), rescaled=False)
    np.testing.assert_allclose(wider[0].weights[0], 2.0 * plain[0].weights[0], rtol=1e-15)
    np.testing.assert_allclose(longer[1].post[-1], math.sqrt(5.0) * plain[1].post[-1], rtol=1e-14)
    np.testing.assert_array_equal(forward(longer[0], POINT).post[1], plain[1].post[1])


@pytest.mark.parametrize(("m", "L", "slope"), [(20, 2, 0.5), (100, 6, 0.0)])
def test_tails_bracket_what_drawn_paths_do(m: int, L: int, slope: float) -> None:
    rng = np.random.default_rng(2)
    start = LeakyChiSquare(m, -1.0).sample(rng, (4000, 1))
    ratios = LeakyChiSquare(m, slope).sample(rng, (4000, L))
    norms = np.sqrt(np.cumprod(np.hstack([start, ratios]), axis=1))
    tail = norms_leave(0.4, m, L, slope)
    assert tail.lower - 0.03 < (np.abs(norms - 1.0) > 0.4).any(axis=1).mean() < tail.upper + 0.03
    tail = log_norm_leaves(0.3, -0.1, m, L, slope)
    assert tail.lower - 0.03 < (np.abs(np.log(ratios).sum(axis=1) + 0.1) > 0.3).mean() < tail.upper + 0.03


def test_a_level_above_one_has_no_lower_limit() -> None:
    assert norms_leave(1.5, 8, 1, -1.0).upper < norms_leave(0.9, 8, 1, -1.0).lower


def test_norms_on_their_way_back_have_limits_below_alone() -> None:
    ratios = LeakyChiSquare(40, 0.05).sample(np.random.default_rng(4), (4000, 3))
    tail = backward_norms_fall(0.4, 40, 3, 0.05)
    seen = (np.cumprod(ratios, axis=1) < 0.6).any(axis=1).mean()
    assert tail.lower - 0.03 < seen < tail.upper + 0.03
    assert backward_norms_fall(1.0, 40, 3, 0.05).upper == 0.0


def test_the_window_has_the_numbers_from_two_fifths_to_three() -> None:
    assert [window(m) for m in (2, 4, 5, 10, 12)] == [(1, 1), (2, 2), (2, 3), (4, 6), (5, 7)]
    for m in (1, 3):
        with pytest.raises(DataError, match="no number of neurons"):
            window(m)


def test_a_chance_given_the_window_is_bracketed_by_what_is_outside() -> None:
    # Of five neurons 2 or 3 are above 0 with the chance 5/8.
    found = given_the_window(Tail(0.8, 0.2), 5, 2, 0.0)
    assert found.lower == pytest.approx(0.8 - 39.0 / 64.0)
    assert found.upper == pytest.approx(0.2 * 64.0 / 25.0)
    assert given_the_window(Tail(0.1, 0.9), 5, 2, 0.0).upper == 1.0
    assert given_the_window(Tail(0.8, 0.9), 5, 2, -1.0) == Tail(0.8, 0.9)
