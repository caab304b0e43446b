"""Random networks have the variances asked, drawn whole or at the points alone, and the ratios are those by hand."""

import numpy as np
import pytest
import scipy

from nets.networks.forward import Forward, forward
from properties.zou2018.initial_norms import (
    KINDS,
    draw_network,
    layer_deviations,
    layer_ratios,
    network_of_kind,
    weightless_pass,
)

DRAWS = 1000


def test_ratios_by_hand() -> None:
    post = (np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[5.0], [2.0]]), np.array([[0.0, 10.0], [1.0, 1.0]]))
    fwd = Forward(post[1:], post, post[1:], np.zeros(2))
    assert layer_ratios(fwd) == pytest.approx(np.array([[1.0, 4.0], [4.0, 0.5]]), rel=1e-14)


def test_deviations_by_hand_and_none_behind_a_silent_layer() -> None:
    post = (np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[10.0], [0.0]]), np.array([[5.0, 5.0], [0.0, 0.0]]))
    fwd = Forward(post[1:], post, post[1:], np.zeros(2))
    assert layer_deviations(fwd) == pytest.approx(np.array([[3.0, 0.5], [1.0, 0.0]]), rel=1e-14)


@pytest.mark.parametrize(("fan_in", "variances"), [(False, (3 / 300, 3 / 40)), (True, (3 / 80, 3 / 300))])
def test_weights_have_the_variance_of_their_outputs_or_inputs(fan_in: bool, variances: tuple[float, float]) -> None:
    net = draw_network((80, 300, 40), np.random.default_rng(2), gain=3.0, fan_in=fan_in)
    for W, variance in zip(net.weights, variances, strict=True):
        # Six standard errors of a mean of squares.
        assert np.mean(W**2) == pytest.approx(variance, rel=6.0 * (2.0 / W.size) ** 0.5)


@pytest.mark.parametrize(("gain", "fan_in", "means"), [(2.0, False, (1.0, 1.0)), (2.0, True, (24 / 5, 10 / 24))])
def test_a_pass_drawn_without_weights_has_the_ratios_of_one_through_weights(
    gain: float, fan_in: bool, means: tuple[float, float]
) -> None:
    """In the mean (gain/2) times outputs over inputs with the latter in the variance, and in law."""
    rng = np.random.default_rng(3)
    X = np.eye(1, 5)
    drawn = np.array([layer_ratios(weightless_pass(X, (24, 10), rng, gain, fan_in))[0] for _ in range(DRAWS)])
    whole = np.array([layer_ratios(forward(draw_network((5, 24, 10), rng, gain, fan_in), X))[0] for _ in range(DRAWS)])
    for layer, mean in enumerate(means):
        for ratios in (drawn, whole):
            error = float(ratios[:, layer].std()) / DRAWS**0.5
            assert ratios[:, layer].mean() == pytest.approx(mean, abs=6.0 * error)
        assert scipy.stats.ks_2samp(drawn[:, layer], whole[:, layer]).pvalue > 1e-6


def test_another_gain_moves_the_mean_with_it() -> None:
    rng = np.random.default_rng(4)
    ratios = np.array([layer_ratios(weightless_pass(np.eye(1, 4), (16,), rng, 1.0))[0, 0] for _ in range(DRAWS)])
    assert ratios.mean() == pytest.approx(0.5, abs=6.0 * ratios.std() / DRAWS**0.5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gain", [2.0, 3.0])
def test_stored_and_revealed_layers_have_the_variance_that_is_asked(kind: str, gain: float) -> None:
    """A layer of m neurons makes of a unit vector pre-activations of variance gain/m."""
    net = network_of_kind(kind, (5, 4000), np.random.default_rng(3), gain)
    pre = forward(net, np.eye(5)[:1]).pre[0]
    assert 4000 * np.mean(pre**2) == pytest.approx(gain, rel=6.0 * (2.0 / 4000) ** 0.5)
