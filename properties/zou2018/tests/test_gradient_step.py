"""One step against gradient descent written out, and two channels against what other weights of their norms do."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC, Loss, power_loss
from nets.networks.network import Network, he_network
from nets.networks.operators import operator_norm
from properties.shared.batch_trees import Batch
from properties.zou2018.gradient_step import (
    LIPSCHITZ,
    SMOOTH,
    STEP_LOSSES,
    GradientStep,
    RegionStep,
    longest_step,
    moved_off,
    named,
    region_symbols,
    same_points,
    standing,
    step_in_region,
    step_size,
    widths,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(19)


def risk(weights: list[Array], v: Array, X: Array, y: Array, loss: Loss) -> float:
    """The mean loss, sample by sample."""
    total = 0.0
    for x, label in zip(X, y, strict=True):
        for W in weights:
            x = np.maximum(W.T @ x, 0.0)
        total += float(loss.value(label * (v @ x)))
    return total / len(y)


def naive_gradient(net: Network, X: Array, y: Array, loss: Loss) -> list[Array]:
    """Central differences of the risk in every weight."""
    weights, h = [W.copy() for W in net.weights], 1e-6
    gradients = [np.zeros_like(W) for W in weights]
    for W, G in zip(weights, gradients, strict=True):
        for place in np.ndindex(W.shape):
            kept = W[place]
            W[place] = kept + h
            above = risk(weights, net.v, X, y, loss)
            W[place] = kept - h
            G[place] = (above - risk(weights, net.v, X, y, loss)) / (2.0 * h)
            W[place] = kept
    return gradients


@pytest.mark.parametrize("batch", [None, np.array([0, 2])])
def test_a_step_goes_down_the_gradient_of_the_risk(batch: Batch | None, rng: Generator) -> None:
    net, X, y = he_network((3, 4, 6), rng), sphere(4, 3, rng), np.array([1.0, -1.0, -1.0, 1.0])
    step = GradientStep.of(net, X, y, LOGISTIC, 0.25, batch)
    chosen = slice(None) if batch is None else batch
    gradients = naive_gradient(net, X[chosen], y[chosen], LOGISTIC)
    for W, after, G in zip(net.weights, step.after.weights, gradients, strict=True):
        assert after == pytest.approx(W - 0.25 * G, abs=1e-8)
    assert step.derivatives == pytest.approx(1.0 / (1.0 + np.exp(y * step.start.output))[chosen], rel=1e-12)
    assert step.start.output.shape == step.end.output.shape == (4,)
    assert step.end.output == pytest.approx(forward(step.after, X).output, rel=1e-12)


def test_a_step_not_taken_moves_nothing_and_knows_what_was_known_before_it(rng: Generator) -> None:
    net, X, y = he_network((3, 4, 6), rng), sphere(4, 3, rng), np.array([1.0, -1.0, -1.0, 1.0])
    step = GradientStep.of(net, X, y, LOGISTIC, 0.25)
    still = standing(step)
    assert step.outputs[:, 1:].min() > 0.0
    assert np.array_equal(still.outputs, np.zeros((4, 3)))
    assert (still.eta, still.before) == (step.eta, net)
    assert np.array_equal(still.derivatives, step.derivatives)


def test_moves_norms_and_their_products_are_those_written_out(rng: Generator) -> None:
    net, X, y = he_network((3, 4, 6, 4), rng), sphere(4, 3, rng), np.array([1.0, -1.0, -1.0, 1.0])
    step = GradientStep.of(net, X, y, LOGISTIC, 0.5)
    before = [np.linalg.norm(W, 2) for W in net.weights]
    after = [np.linalg.norm(W, 2) for W in step.after.weights]
    assert step.norms_before == pytest.approx(before, rel=1e-12)
    assert step.norms_after == pytest.approx(after, rel=1e-12)
    assert step.downstream == pytest.approx([before[1] * before[2], before[2], 1.0], rel=1e-12)
    longest = np.array([np.linalg.norm(post, axis=1).max() for post in step.start.post[:-1]])
    assert step.own_moves == pytest.approx(step.downstream * longest**2, rel=1e-12)
    assert np.array_equal(step.outputs[:, 0], np.zeros(4))
    moved = np.linalg.norm(step.end.post[2] - step.start.post[2], axis=1)
    assert step.outputs[:, 2] == pytest.approx(moved, rel=1e-12)
    a, b, c = own = np.array([1.0, 10.0, 100.0])
    assert step.stretched(own) == pytest.approx([a, b + after[1] * a, c + after[2] * (b + after[1] * a)], rel=1e-12)
    squares = [a, b + after[1] ** 2 * a, c + after[2] ** 2 * (b + after[1] ** 2 * a)]
    assert step.stretched(own, power=2) == pytest.approx(squares, rel=1e-12)


@pytest.mark.parametrize("loss", STEP_LOSSES.values(), ids=STEP_LOSSES)
def test_outputs_move_no_further_than_the_norms_allow(loss: Loss, rng: Generator) -> None:
    """With sqrt(m)/n sum |ell'| for the size of a step, as in the proof of Lemma C.2."""
    for _ in range(5):
        net, X, y = he_network((3, 6, 6), rng), sphere(5, 3, rng), np.array([1.0, -1.0, 1.0, -1.0, 1.0])
        step = GradientStep.of(net, X, y, loss, 0.3)
        allowed = step.eta * np.sqrt(6.0) * step.derivatives.sum() / 5.0 * step.stretched(step.own_moves)
        assert np.all(step.outputs[:, 1:].max(axis=0) <= allowed * (1.0 + 1e-9))


def test_the_step_size_moves_one_layer_as_far_as_allowed_and_no_other_further(rng: Generator) -> None:
    net, X, y = he_network((3, 6, 6), rng), sphere(5, 3, rng), np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    step = GradientStep.of(net, X, y, LOGISTIC, step_size(net, X, y, LOGISTIC, 0.125))
    moves = [operator_norm(after - W) for W, after in zip(net.weights, step.after.weights, strict=True)]
    assert max(moves) == pytest.approx(0.125, rel=1e-9)
    flat = Network(tuple(-np.abs(W) for W in net.weights), net.v)
    assert step_size(flat, np.abs(X), y, LOGISTIC, 0.125) == 0.125


def test_the_longest_step_is_the_one_of_that_size(rng: Generator) -> None:
    net, X, y = he_network((3, 6, 6), rng), sphere(5, 3, rng), np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    for batch in (None, np.array([0, 3])):
        step = longest_step(net, X, y, LOGISTIC, 0.125, batch)
        assert step.eta == step_size(net, X, y, LOGISTIC, 0.125, batch)
        assert max(operator_norm(step.eta * G) for G in step.gradients) == pytest.approx(0.125, rel=1e-9)
        assert step.derivatives.size == (5 if batch is None else 2)


def test_losses_are_named_apart_and_sorted_by_their_constants() -> None:
    assert list(STEP_LOSSES) == ["logistic", "huberised_hinge", "power 2/3", "squared_hinge", "hinge"]
    assert list(named(power_loss(0.5, -3.0), power_loss(0.55))) == ["power 1/2 from -3 on", "power 11/20"]
    assert set(STEP_LOSSES) - set(SMOOTH) == {"hinge"}
    assert set(STEP_LOSSES) - set(LIPSCHITZ) == {"squared_hinge"}


def test_equal_points_are_the_first_one_with_label_plus_one(rng: Generator) -> None:
    X, y = same_points(sphere(3, 4, rng), np.array([-1.0, 1.0, -1.0]))
    assert np.array_equal(X, X[[0, 0, 0]])
    assert np.array_equal(y, np.ones(3))


def test_widths_differ_by_a_factor_of_two_from_two_layers_on() -> None:
    assert widths(5, 8, 1) == (5, 8)
    assert widths(5, 8, 3) == (5, 4, 8, 8)


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_point_off_the_centre_is_off_by_its_share_of_the_radius(share: float, rng: Generator) -> None:
    centre = he_network((3, 8, 8), rng)
    net, left = moved_off(rng, centre, share)
    radius = 3.5 / 64.0
    for W, V in zip(net.weights, centre.weights, strict=True):
        assert operator_norm(W - V) == pytest.approx(share * radius, rel=1e-6, abs=1e-15)
        assert operator_norm(W - V) <= share * radius
    assert left == pytest.approx((1.0 - share) * radius, rel=1e-6)
    assert share * radius + left <= radius * (1.0 + 1e-8)


@pytest.mark.parametrize("weights", ["Gaussian", "two channels"])
def test_a_step_in_the_region_stays_in_it(weights: str, rng: Generator) -> None:
    X, y = sphere(4, 3, rng), np.array([1.0, -1.0, 1.0, -1.0])
    for moved, size in ((0.0, 1.0), (0.5, 1.0), (0.9, 0.3)):
        drawn = RegionStep(weights, "squared_hinge", size, moved)
        centre, step = step_in_region(rng, X, y, (3, 8, 8), drawn, (1.5, 3.0))
        assert np.all(step.start.post[0] == X[0]) == (weights == "two channels")
        symbols = region_symbols(centre, step)
        assert symbols["tau"] <= 3.5 / 64.0
        assert symbols["tau"] >= 0.99 * moved * 3.5 / 64.0
        assert symbols["eta"] == step.eta
        assert symbols["S1abs"] == pytest.approx(step.derivatives.sum(), rel=1e-14)
        assert symbols["normW"] == pytest.approx(max(np.linalg.norm(W, 2) for W in centre.weights), rel=1e-12)
        columns = region_symbols(centre, step, columns=True)["normW"]
        assert columns == pytest.approx(max(np.linalg.norm(W, axis=0).max() for W in centre.weights), rel=1e-12)
        outputs = forward(centre, step.start.post[0]).post[1:]
        assert symbols["r"] == pytest.approx(max(np.linalg.norm(post, axis=1).max() for post in outputs), rel=1e-12)
