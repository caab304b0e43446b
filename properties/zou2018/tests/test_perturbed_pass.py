"""What perturbed weights do to a pass, by hand and against products written out."""

import math

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import operator_norm
from properties.zou2018.perturbed_pass import (
    ALLOWED_SHARE,
    WIDE,
    WIDEST,
    Shift,
    instances,
    largest_layer_norm,
    masked_factors,
    norm_above,
    orthogonal_rows,
    product,
    random_layers,
    telescoped,
)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(13)


def test_a_shift_by_hand() -> None:
    """At x = 2 the layer gives 2 (1, -1) = (2, -2), and with the step 2 (3, 1) = (6, 2): one flip."""
    net = Network((np.array([[1.0, -1.0]]),), np.array([1.0, -1.0]))
    shift = Shift.of(net, [np.array([[2.0, 2.0]])], np.array([2.0]))
    assert shift.outputs == pytest.approx([math.hypot(4.0, 2.0)], rel=1e-14)
    assert shift.pre_activations == pytest.approx([math.hypot(4.0, 4.0)], rel=1e-14)
    assert shift.flips.tolist() == [1]
    assert shift.weight_norm == pytest.approx(math.sqrt(10.0), rel=1e-14)
    # The input, 2, is no longer than the output (2, 0).
    assert shift.output_norm == pytest.approx(2.0, rel=1e-14)


def test_no_step_is_no_shift(rng: Generator) -> None:
    net = he_network((3, 8, 8), rng)
    shift = Shift.of(net, [np.zeros_like(W) for W in net.weights], sphere(4, 3, rng))
    assert np.array_equal(shift.outputs, [0.0, 0.0])
    assert np.array_equal(shift.pre_activations, [0.0, 0.0])
    assert np.array_equal(shift.flips, [0, 0])


def test_rounding_errors_of_a_pass_are_within_their_bounds(rng: Generator) -> None:
    """The same moves in extended precision, and bounds that are no larger than a billionth of the moves."""
    net, x = he_network((5, 24, 24, 24), rng), sphere(1, 5, rng)
    steps = [0.1 * rng.standard_normal(W.shape) / 5.0 for W in net.weights]
    shift = Shift.of(net, steps, x)
    passes = []
    for weights in (net.weights, perturbed(net, steps).weights):
        arriving, pre = x.astype(np.longdouble), []
        for W in weights:
            pre.append(arriving @ W.astype(np.longdouble))
            arriving = np.maximum(pre[-1], 0)
        passes.append(pre)
    pairs = list(zip(*passes, strict=True))
    moves = [np.linalg.norm((b - a).astype(float)) for a, b in pairs]
    outputs = [np.linalg.norm((np.maximum(b, 0) - np.maximum(a, 0)).astype(float)) for a, b in pairs]
    assert np.all(np.abs(shift.pre_activations - moves) <= shift.errors(shift.pre_activations))
    assert np.all(np.abs(shift.outputs - outputs) <= shift.errors(shift.outputs))
    assert np.all(shift.errors(shift.outputs) < 1e-9 * shift.outputs)


def test_the_norm_of_a_stored_layer_is_exact_and_that_of_a_revealed_one_is_above_all_samples() -> None:
    """Stored matrices of the same law stay below; the update is added in full, and a multiple scales."""
    rng = np.random.default_rng(17)
    rows, cols = 40, 60
    std = math.sqrt(2.0 / cols)
    W = RevealedGaussian(rows, cols, std, rng)
    above = norm_above(W)
    largest = max(operator_norm(std * rng.standard_normal((rows, cols))) for _ in range(100))
    assert largest < above < 3.0 * largest
    assert norm_above(W + LowRank(3.0 * np.eye(1, rows), np.eye(1, cols))) == pytest.approx(above + 3.0, rel=1e-12)
    assert norm_above(RevealedGaussian(rows, cols, 0.5 * std, rng)) == pytest.approx(0.5 * above, rel=1e-12)
    assert norm_above(np.diag([3.0, -5.0])) == pytest.approx(5.0, rel=1e-14)


def test_the_largest_norm_is_that_of_any_layer_stored_or_revealed() -> None:
    """Of operator norms 2, 5 and 4; the entries of the last have the largest sum of squares."""
    stored = (np.diag([1.0, -2.0, 0.0]), np.diag([0.0, -5.0, 1.0]), 4.0 * np.eye(3, 4))
    signs = np.array([1.0, 1.0, -1.0, -1.0])
    assert largest_layer_norm(Network(stored, signs)) == pytest.approx(5.0, rel=1e-14)
    W = RevealedGaussian(3, 4, 10.0, np.random.default_rng(3))
    assert largest_layer_norm(Network((*stored[:2], W), signs)) == norm_above(W) > 5.0


def test_orthogonal_rows_span_what_the_points_do(rng: Generator) -> None:
    X = rng.standard_normal((3, 7))
    Q = orthogonal_rows(X)
    assert np.abs(Q @ Q.T - np.eye(3)).max() < 1e-13
    assert np.abs(X @ Q.T @ Q - X).max() < 1e-13


def test_products_of_masked_factors_run_a_pass(rng: Generator) -> None:
    """Later factors to the left: the product maps the input to the last masked pre-activations; of none it is I."""
    weights, masks = random_layers((3, 4, 5, 2), rng)
    assert [W.shape for W in weights] == [(3, 4), (4, 5), (5, 2)]
    assert [mask.shape for mask in masks] == [(4,), (5,), (2,)]
    assert all(set(mask.tolist()) <= {0.0, 1.0} for mask in masks)
    x = rng.standard_normal(3)
    arriving = x
    for W, mask in zip(weights, masks, strict=True):
        arriving = mask * (arriving @ W)
    assert product(masked_factors(weights, masks), 3) @ x == pytest.approx(arriving, rel=1e-12, abs=1e-12)
    assert np.array_equal(product([], 3), np.eye(3))


def test_masks_are_fair_coins_and_weights_standard() -> None:
    weights, masks = random_layers((50, 4000), np.random.default_rng(1))
    assert masks[0].mean() == pytest.approx(0.5, abs=6.0 * 0.5 / math.sqrt(4000))
    assert weights[0].std() == pytest.approx(1.0, abs=6.0 / math.sqrt(2.0 * weights[0].size))


def test_fewer_instances_are_tried_the_wider_the_layers_and_norms_stay_just_below_their_limit() -> None:
    assert [instances(m, 20) for m in (64, WIDE - 1, WIDE, WIDEST)] == [20, 20, 1, 0]
    assert 0.0 < 1.0 - ALLOWED_SHARE < 1e-8


def test_the_telescoped_sum_is_the_change_of_a_product() -> None:
    """With one factor changed in each term; its parts in the other order, or without the last term, are another sum."""
    rng = np.random.default_rng(5)
    before, after = rng.standard_normal((2, 3, 4, 4))
    changes = list(after - before)
    whole = after[2] @ after[1] @ after[0] - before[2] @ before[1] @ before[0]
    assert telescoped(before, changes, after) == pytest.approx(whole, rel=1e-12)
    first_two = before[2] @ (after[1] @ after[0] - before[1] @ before[0])
    assert telescoped(before, changes[:2], after) == pytest.approx(first_two, rel=1e-12)
    assert np.abs(telescoped(before, changes, after, reverse=True) - whole).max() > 0.1
    assert telescoped([np.ones((2, 3))], [np.ones((2, 3))], [np.ones((2, 3))]).shape == (2, 3)
