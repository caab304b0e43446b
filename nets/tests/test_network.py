"""Networks: the law of their initialisation, balanced signs, and what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import chi2

from nets.core.arrays import Array
from nets.networks.activations import huberised_relu
from nets.networks.network import (
    Network,
    balanced_signs,
    gaussian_network,
    gaussian_smooth_network,
    he_network,
    leaky_network,
    perturbed,
    recurrent_network,
    residual_network,
)
from nets.tests.draws import seeds

# Two-sided level of the exact tests below. They are run on 100 drawn seeds at most.
LEVEL = 1e-9


def _variance_level(W: Array, variance: float) -> float:
    """Two-sided exact level of sum W^2/variance, which is chi-square distributed if W has that variance."""
    statistic = np.sum(W**2) / variance
    return 2.0 * min(chi2.cdf(statistic, W.size), chi2.sf(statistic, W.size))


@given(seeds)
def test_variance_counts_the_outputs(seed: int) -> None:
    net = he_network((20, 30, 10), np.random.default_rng(seed))
    for W, outputs in zip(net.weights, (30, 10), strict=True):
        assert _variance_level(W, 2.0 / outputs) >= LEVEL


@given(seeds)
def test_variance_that_counts_the_inputs_would_be_noticed(seed: int) -> None:
    net = he_network((40, 80, 20), np.random.default_rng(seed))
    for W, inputs in zip(net.weights, (40, 80), strict=True):
        assert _variance_level(W, 2.0 / inputs) < LEVEL


@given(seeds)
def test_gain_scales_the_variance(seed: int) -> None:
    net = he_network((20, 30), np.random.default_rng(seed), gain=1.0)
    assert _variance_level(net.weights[0], 1.0 / 30) >= LEVEL


CONSTRUCTORS = {
    "he": lambda rng: he_network((40, 40, 40, 40), rng),
    "gaussian": lambda rng: gaussian_network((40, 40, 40, 40), rng),
    "smooth": lambda rng: gaussian_smooth_network((40, 40, 40, 40), huberised_relu(0.5), rng),
    "leaky": lambda rng: leaky_network(40, 40, 3, 40, -1.0, rng),
    "residual": lambda rng: residual_network((40, 40, 40, 40), 0.5, rng),
    "recurrent": lambda rng: recurrent_network(40, 40, 40, 3, rng),
}


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_layers_read_out_and_input_layer_are_drawn_apart(name: str) -> None:
    net = CONSTRUCTORS[name](np.random.default_rng(11))
    drawn = [W / np.linalg.norm(W) for W in (*net.weights, *net.frozen, net.v) if np.shape(W) == (40, 40)]
    # Of independent ones the correlation has deviation 1/40, and so has that with the other's transpose.
    assert len(drawn) >= 3
    for A, B in itertools.combinations(drawn, 2):
        assert max(abs(np.sum(A * B)), abs(np.sum(A * B.T))) < 6.0 / 40


def test_equal_generators_give_equal_networks() -> None:
    a, b = (he_network((3, 5, 4), np.random.default_rng(7)) for _ in range(2))
    assert all(np.array_equal(A, B) for A, B in zip(a.weights, b.weights, strict=True))


def test_signs_are_balanced_and_not_scaled() -> None:
    v = balanced_signs(6)
    assert v.sum() == 0.0
    np.testing.assert_array_equal(np.abs(v), 1.0)


@pytest.mark.parametrize("m", [-2, 0, 1, 7])
def test_odd_or_empty_last_layer_is_refused(m: int) -> None:
    with pytest.raises(ValueError, match=f"the last layer has {m} neurons: balanced signs need an even"):
        balanced_signs(m)


@pytest.mark.parametrize("widths", [(3,), (0, 2), (3, 0, 2)])
def test_impossible_widths_are_refused(widths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"pass \(d, m_1, \.\.\., m_L\), all positive, with L >= 1"):
        he_network(widths, np.random.default_rng(0))


def test_depth_and_widths() -> None:
    net = he_network((3, 5, 7, 4), np.random.default_rng(0))
    assert net.depth == 3
    assert net.widths == (3, 5, 7, 4)


@pytest.mark.parametrize(
    ("weights", "v", "message"),
    [
        ((), np.ones(2), "the network has no layer"),
        ((np.ones((3, 4)), np.ones((5, 2))), np.ones(2), r"W_2 has shape \(5, 2\) after a layer of 4 neurons"),
        ((np.ones((3, 4)),), np.ones(2), "v has 2 entries for a last layer of 4 neurons"),
        ((np.ones((3, 4), dtype=np.float32),), np.ones(4), r"W_1 is float32 .* pass np\.ascontiguousarray\(W_1"),
        ((np.ones((4, 3)).T,), np.ones(4), "W_1 is float64 and not C-contiguous"),
        ((np.ones(4),), np.ones(4), "W_1 has 1 axes: pass an array with 2"),
        ((np.ones((3, 4)),), np.ones((4, 1, 1)), "v has 3 axes: pass an array with 1 or 2"),
    ],
)
def test_misfit_arrays_are_refused(weights: tuple[Array, ...], v: Array, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Network(weights, v)


def test_perturbed_adds_steps_and_keeps_the_original() -> None:
    net = he_network((3, 4), np.random.default_rng(1))
    before = net.weights[0].copy()
    moved = perturbed(net, [np.ones((3, 4))])
    np.testing.assert_array_equal(moved.weights[0], before + 1.0)
    np.testing.assert_array_equal(net.weights[0], before)


def test_perturbed_refuses_a_missing_step() -> None:
    with pytest.raises(ValueError, match="shorter"):
        perturbed(he_network((3, 4, 2), np.random.default_rng(1)), [np.ones((3, 4))])
