"""Descent in balls against descent in floats where floats see it, and against the gradient alone where they do not."""

import numpy as np
import pytest

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, he_network
from nets.networks.operators import frobenius_norm, operator_norm
from properties.zou2018.ball_descent import BallRun, ball_descent
from properties.zou2018.descent import RiskIterate, iterate

LABELS = np.array([1.0, -1.0, 1.0])


@pytest.fixture
def start() -> tuple[Network, np.ndarray]:
    """Two layers and three points."""
    rng = np.random.default_rng(37)
    return he_network((4, 8, 12), rng), sphere(3, 4, rng)


@pytest.mark.parametrize("eta", [0.01, -0.01])
def test_steps_that_floats_see_are_theirs(start: tuple[Network, np.ndarray], eta: float) -> None:
    net, X = start
    found = ball_descent(net, X, LABELS, eta, 3)
    assert isinstance(found, BallRun)
    begin = RiskIterate(net, X, LABELS, LOGISTIC)
    losses = [iterate(begin, eta, k).loss for k in (0, 3)]
    assert found.fall == pytest.approx(1.0 - losses[1] / losses[0], rel=1e-11)
    assert np.sign(found.fall) == np.sign(eta)
    last = iterate(begin, eta, 3).net
    moves = [operator_norm(V - W) for V, W in zip(last.weights, net.weights, strict=True)]
    assert found.drift == pytest.approx(moves, rel=1e-10)


def test_the_smallest_steps_see_the_gradient_alone(start: tuple[Network, np.ndarray]) -> None:
    net, X = start
    found = ball_descent(net, X, LABELS, 1e-45, 2)
    gradients = loss_gradient(net, forward(net, X), LABELS, LOGISTIC)
    before = float(LOGISTIC.value(LABELS * forward(net, X).output).mean())
    assert found.fall == pytest.approx(2e-45 * sum(frobenius_norm(G) ** 2 for G in gradients) / before, rel=1e-12)
    assert found.drift == pytest.approx([2e-45 * operator_norm(G) for G in gradients], rel=1e-12)


def test_a_fall_that_the_bits_do_not_show_is_refused(start: tuple[Network, np.ndarray]) -> None:
    with pytest.raises(ArithmeticError, match="is not known at 1280 bits"):
        ball_descent(*start, LABELS, 0.0, 1)
