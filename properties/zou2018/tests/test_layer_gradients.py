"""Difference quotients without truncation error, and weights at which the chain rule loses nothing."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import backward, loss_gradient, output_gradient
from nets.networks.losses import SQUARED_HINGE
from nets.networks.network import Network, balanced_signs, he_network
from nets.networks.operators import frobenius_norm, operator_norm
from properties.zou2018.layer_gradients import (
    SHORTEST,
    Line,
    drawn_lines,
    output_operations,
    output_scale,
    saturating_network,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(11)


def test_the_scale_of_an_output_is_that_of_all_gates_open_and_all_signs_positive() -> None:
    """|x| = (1, 2), then columns (1 + 2, 2 + 0), then |v| = 1."""
    W = np.array([[1.0, -2.0], [-1.0, 0.0]])
    v, x = np.array([1.0, -1.0]), np.array([[1.0, -2.0]])
    assert output_scale([W], v, x) == pytest.approx([5.0], rel=1e-15)
    assert output_scale([W], v, x, [np.array([[True, False]])]) == pytest.approx([3.0], rel=1e-15)


def test_the_scale_bounds_every_output(rng: Generator) -> None:
    for _ in range(10):
        net, X = he_network((3, 6, 6), rng), sphere(5, 3, rng)
        assert np.all(np.abs(forward(net, X).output) <= output_scale(net.weights, net.v, X))


def test_operations_count_every_width_and_one_more_rounding_each() -> None:
    net = Network((np.ones((3, 4)), np.ones((4, 2))), balanced_signs(2))
    assert output_operations(net) == 3 + 4 + 2 + 3


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_quotients_along_a_line_are_the_gradient(layer: int, rng: Generator) -> None:
    net, X, y = he_network((3, 6, 8, 4), rng), sphere(4, 3, rng), np.array([1.0, -1.0, 1.0, -1.0])
    direction = rng.standard_normal(net.weights[layer - 1].shape)
    line = Line.through(net, X, y, layer, direction)
    fwd = forward(net, X)
    slopes = [np.sum(output_gradient(net, fwd, one)[layer - 1] * direction) for one in np.eye(4)]
    risk = np.sum(loss_gradient(net, fwd, y, SQUARED_HINGE)[layer - 1] * direction)
    assert np.all(np.abs(line.output_slopes - slopes) <= 2.0 * line.output_error)
    assert abs(line.risk_slope(y) - risk) <= 2.0 * line.risk_error
    # The stated errors are those of rounding, and no more.
    assert line.output_error.max() < 1e-9
    assert line.risk_error < 1e-8
    assert np.array_equal(line.low.masks[layer - 1], line.high.masks[layer - 1])


def test_a_line_is_halved_until_no_gate_changes(rng: Generator) -> None:
    """The neurons sit at 1 and 1/8, so that a step of 1 along both fits in whole after four halvings: 1/16 < 1/8."""
    net = Network((np.array([[1.0, 0.125]]),), np.array([1.0, -1.0]))
    line = Line.through(net, np.ones((1, 1)), np.ones(1), 1, np.ones((1, 2)))
    assert line.step == 2.0**-4
    assert line.output_slopes == pytest.approx([0.0], abs=1e-12)


def test_a_line_ends_where_a_margin_passes_one() -> None:
    """The margin is 1 - 1/16 and moves with the first weight: at steps of 1/16 and more it meets 1."""
    net = Network((np.array([[1.0, 0.0625]]),), np.array([1.0, -1.0]))
    assert Line.through(net, np.ones((1, 1)), np.ones(1), 1, np.array([[1.0, 0.0]])).step == 2.0**-5


def test_weights_at_a_kink_have_no_line() -> None:
    net = Network((np.array([[1.0, 0.0]]),), np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match="no derivative at these weights"):
        Line.through(net, np.ones((1, 1)), np.ones(1), 1, np.array([[0.0, 1.0]]))


@pytest.mark.parametrize(("depth", "norm"), [(1, 4.0), (2, 1.5), (4, 4.0)])
def test_saturating_weights_meet_the_bound_on_every_gradient(depth: int, norm: float, rng: Generator) -> None:
    """||grad_{W_l} f|| is norm^(L-1) ||x|| ||v|| less the two neurons that are silent, in every layer."""
    m, x = 12, sphere(1, 5, rng)[0]
    net = saturating_network(x, m, depth, norm)
    assert [operator_norm(W) for W in net.weights] == pytest.approx([norm] * depth, rel=1e-12)
    fwd = forward(net, x[np.newaxis])
    assert fwd.output == pytest.approx([0.0], abs=1e-9 * norm**depth)
    attained = [frobenius_norm(G) for G in output_gradient(net, fwd, np.ones(1))]
    assert attained == pytest.approx([norm ** (depth - 1) * np.sqrt(m - 2.0)] * depth, rel=1e-9)


def test_no_random_network_of_the_same_norms_has_gradients_as_large(rng: Generator) -> None:
    m, depth, norm, x = 12, 3, 2.0, sphere(1, 5, rng)[0]
    saturated = saturating_network(x, m, depth, norm)
    best = backward(saturated, forward(saturated, x[np.newaxis]))
    for _ in range(20):
        net = he_network((5, *[m] * depth), rng)
        net = Network(tuple(W * (norm / operator_norm(W)) for W in net.weights), net.v)
        rival = backward(net, forward(net, x[np.newaxis]))
        assert np.linalg.norm(rival.b[0]) < np.linalg.norm(best.b[0])


def test_weights_near_a_kink_are_drawn_again() -> None:
    """Among the first weights of the seeds are some with a shorter line."""
    X, y, widths = sphere(5, 8, np.random.default_rng(0)), np.array([1.0, -1.0, 1.0, -1.0, 1.0]), (8, 24, 24)
    again = 0
    for seed in range(40):
        net, lines = drawn_lines(np.random.default_rng(seed), X, y, widths)
        assert [E.shape for E, _ in lines] == [W.shape for W in net.weights]
        assert min(line.step for _, line in lines) >= SHORTEST
        again += not np.array_equal(net.weights[0], he_network(widths, np.random.default_rng(seed)).weights[0])
    assert 0 < again < 40
