"""The gradient in closed form: against differences of the loss in 60 digits; every slip in writing it is seen."""

import mpmath
import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.network import Network
from properties.chatterji2021.closed_form import FORMS, ExactNetwork, exact
from properties.chatterji2021.smooth_members import MEMBERS
from properties.chatterji2021.tests.networks import DIGITS, losses_of, network, random_network, unit_points

names = pytest.mark.parametrize("name", MEMBERS)
H = 0.4


def _case(widths: tuple[int, ...] = (2, 3, 2, 3)) -> tuple[Network, Array, Array]:
    net = random_network((1, *widths), *widths)
    # Off zero, so that no neuron is closed at all samples.
    return network(*(V + 0.4 for V in net.weights)), unit_points(2, 3, widths[0]), np.array([1.0, -1.0, 1.0])


def _exact(name: str) -> tuple[ExactNetwork, Network, Array, Array]:
    net, X, y = _case()
    return ExactNetwork.of(net, X, y, name, H), net, X, y


@names
def test_the_loss_is_that_of_a_pass_one_sample_at_a_time(name: str) -> None:
    found, net, X, y = _exact(name)
    with mpmath.workdps(DIGITS):
        true = float(found.loss())
    assert true == pytest.approx(float(np.mean(losses_of(net.weights, X, y, MEMBERS[name](H)))), rel=1e-13)


@names
def test_gradients_are_differences_of_the_loss_to_30_digits(name: str) -> None:
    found, net, _, _ = _exact(name)
    step = mpmath.mpf(10) ** -20
    with mpmath.workdps(DIGITS):
        gradients = found.gradients()
        for layer, G in enumerate(gradients):
            assert G.shape == net.weights[layer].shape
            for place in np.ndindex(*G.shape):
                direction: list[Array | None] = [None] * 4
                direction[layer] = np.zeros(G.shape)
                direction[layer][place] = 1.0  # type: ignore[index]
                change = found.moved(direction, step).loss() - found.moved(direction, -step).loss()
                assert abs(change / (2 * step) - G[place]) <= mpmath.mpf(10) ** -30


@pytest.mark.parametrize("form", FORMS[1:])
def test_every_slip_changes_the_gradient(form: str) -> None:
    """With square layers, where slopes of either side fit; the features differ from pre-activations."""
    net, X, y = _case((3, 3, 3, 3))
    found = ExactNetwork.of(net, X, y, "scaled_swish", H)
    with mpmath.workdps(DIGITS):
        pairs = zip(found.gradients(), found.gradients(form), strict=True)
        assert max(max(abs((a - b).ravel())) for a, b in pairs) > 1e-3


def test_one_neuron_by_hand() -> None:
    """f = w phi(v x) at v = 2, w = 3, x = 1, h = 1: phi(2) = 3/2, so J = log(1 + exp(-9/2)) and the slope is 1."""
    found = ExactNetwork.of(network([[2.0]], [[3.0]]), np.ones((1, 1)), np.ones(1), "huberised_relu", 1.0)
    with mpmath.workdps(DIGITS):
        g = 1 / (1 + mpmath.exp(mpmath.mpf("4.5")))
        hidden, output = found.gradients()
        assert abs(found.loss() - mpmath.log1p(mpmath.exp(-mpmath.mpf("4.5")))) < mpmath.mpf(10) ** -55
        assert abs(hidden[0, 0] + 3 * g) < mpmath.mpf(10) ** -55
        assert abs(output[0, 0] + g * 3 / 2) < mpmath.mpf(10) ** -55
        pre, post, slopes, f = found.passes(found.X[0])
        assert (pre[0][0], post[1][0], slopes[0][0], f) == (2, mpmath.mpf("1.5"), 1, mpmath.mpf("4.5"))


def test_a_layer_without_a_direction_stays_and_numbers_enter_exactly() -> None:
    found, net, _, _ = _exact("identity")
    with mpmath.workdps(DIGITS):
        moved = found.moved([None, np.ones((3, 2)), None, None], mpmath.mpf(1) / 3)
        assert np.array_equal(moved.layers[0], found.layers[0])
        assert max(abs((moved.layers[1] - found.layers[1] - mpmath.mpf(1) / 3).ravel())) < mpmath.mpf(10) ** -55
        assert exact(0.1)[()] == mpmath.mpf(0.1) != mpmath.mpf("0.1")
    assert [V.shape for V in found.layers] == [V.T.shape for V in net.weights]


def test_another_form_is_refused_with_the_forms_there_are() -> None:
    found, *_ = _exact("identity")
    with pytest.raises(ValueError, match="there is no form 'no slopes' of the formula: choose one of '', 'own slope"):
        found.gradients("no slopes")
