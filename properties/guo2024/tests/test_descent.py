"""Descent on a sum of squares: loss, gradients, steps, trees of batches, and the helpers of its claims."""

import itertools
import math

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.data.points import SphereSource, sphere
from nets.descent.training import all_batches
from nets.networks.forward import forward
from nets.networks.network import Network, leaky_network, shifted
from properties.guo2024.descent import (
    GONE_ON,
    LeakyRun,
    Reach,
    ends_early,
    fitted_targets,
    fitting_size,
    floor_argument,
    gradients_by_definition,
    gradients_of_squares,
    largest_operator_norm,
    leaky_iterates,
    leaky_path_to_rest,
    leaky_run_start,
    leaky_tree,
    least_gradient_met,
    moving_iterates,
    pair_eigenvalue,
    radius_and_gradient,
    rounding_of_squares,
    slopes_of_squares,
    stands,
    sum_of_squares,
    weight_drift,
    with_slope,
)
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.slopes import SLOPES
from properties.shared.batch_trees import Batch

SLOPE = -0.5


def _setting(outputs: int, size: float = 0.5) -> tuple[Network, Array, Array]:
    rng = np.random.default_rng(5)
    net, X = leaky_network(3, 12, 2, outputs, SLOPE, rng), sphere(4, 3, rng)
    return net, X, fitted_targets(net, X, "drawn", size, rng)


def test_the_loss_is_neither_halved_nor_a_mean() -> None:
    assert sum_of_squares(np.array([1.0, 3.0]), [0.0, 1.0]) == 5.0
    assert sum_of_squares(np.ones((2, 1, 3)), np.zeros((2, 1, 3))) == 6.0


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("batch", [None, np.array([0, 2])])
def test_gradients_are_those_of_the_definition_and_of_differences(outputs: int, batch: Batch | None) -> None:
    net, X, targets = _setting(outputs)
    chosen = np.arange(4) if batch is None else batch
    found = gradients_of_squares(net, forward(net, X), targets, batch)
    samples = gradients_by_definition(net, X, targets, SLOPE)
    rng = np.random.default_rng(6)
    direction = [rng.standard_normal(W.shape) for W in net.stored_weights()]

    def loss(at: float) -> float:
        return sum_of_squares(forward(shifted(net, direction, at), X[chosen]).output, targets[chosen])

    for k, G in enumerate(found):
        np.testing.assert_allclose(G, sum(samples[i][k] for i in chosen), atol=1e-12)
    slope = sum(float(np.sum(G * D)) for G, D in zip(found, direction, strict=True))
    assert (loss(1e-6) - loss(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


def test_iterates_go_down_the_gradient_of_their_batch() -> None:
    net, X, targets = _setting(2)
    first, second, third = itertools.islice(leaky_iterates(net, X, targets, 1e-3), 3)
    assert first.loss > second.loss > third.loss
    assert first.squared_gradient == pytest.approx(sum(float(np.sum(G**2)) for G in first.gradients))
    step = weight_drift(first.net, second.net)
    assert step == pytest.approx(1e-3 * math.sqrt(first.squared_gradient))
    assert weight_drift(first.net, second.net, operator=True) <= step
    batch = np.array([1])
    before, after = leaky_iterates(net, X, targets, 1e-3, [batch, None])
    down = gradients_of_squares(net, before.passed, targets, batch)
    for W, V, G in zip(before.net.weights, after.net.weights, down, strict=True):
        np.testing.assert_allclose(V, W - 1e-3 * G)


def test_slopes_are_those_of_the_sum_and_zero_outside_a_batch() -> None:
    outputs, targets, change = np.arange(6.0).reshape(3, 1, 2), np.ones((3, 1, 2)), 1e-6
    slopes = slopes_of_squares(outputs, targets)
    for index in np.ndindex(outputs.shape):
        moved = outputs.copy()
        moved[index] += change
        assert (sum_of_squares(moved, targets) - sum_of_squares(outputs, targets)) / change == pytest.approx(
            slopes[index], abs=1e-4
        )
    of_batch = slopes_of_squares(outputs, targets, np.array([0, 2]))
    np.testing.assert_array_equal(of_batch[[0, 2]], slopes[[0, 2]])
    assert not of_batch[1].any()


@pytest.mark.parametrize("stored", [2**15, 0], ids=["stored", "revealed"])
def test_moving_iterates_take_the_same_path(stored: int) -> None:
    rng = np.random.default_rng(11)
    net = seen_network(3, 8, 2, 2, SLOPE, rng, stored=stored)
    X, batches = sphere(4, 3, rng), [None, np.array([1, 3]), np.array([0]), None]
    targets = forward(net, X).output + rng.standard_normal((4, 1, 2))
    steps, far, lengths = [], [], []
    for at in moving_iterates(net, X, targets, 1e-2, batches):
        steps.append(at.loss)
        lengths.append(at.length)
        far.append(weight_drift(net, at))
    kept = list(leaky_iterates(net, X, targets, 1e-2, batches))
    np.testing.assert_allclose(steps, [at.loss for at in kept], rtol=1e-10)
    np.testing.assert_allclose(far, [weight_drift(net, at.net) for at in kept], rtol=1e-10)
    assert far[0] == 0.0 < far[1] < far[3]
    moved = [math.sqrt(at.squared_gradient) * 1e-2 for at in kept[:-1]]
    np.testing.assert_allclose(lengths, [0.0, *moved], rtol=1e-10)


def test_targets_put_the_residuals_along_the_ends_of_the_kernel() -> None:
    net, X, _ = _setting(2)
    rng = np.random.default_rng(7)
    ends = {}
    for name in ("steep", "flat"):
        at = next(leaky_iterates(net, X, fitted_targets(net, X, name, 0.5, rng), 0.0))
        assert at.loss == pytest.approx(0.25 * 4)
        ends[name] = at.squared_gradient / at.loss
    values = np.linalg.eigvalsh(at.kernel)
    assert ends["steep"] == pytest.approx(4 * values[-1])
    assert ends["flat"] == pytest.approx(4 * values[0])
    with pytest.raises(ValueError, match="choose among drawn, steep, flat"):
        fitted_targets(net, X, "round", 0.5, rng)


def test_a_tree_holds_the_exact_means_over_batches() -> None:
    net, X, targets = _setting(1)
    batches = all_batches(4, 2)
    tree = leaky_tree(net, X, targets, 1e-3, batches, 2)
    assert [len(level) for level in tree.levels] == [1, 6, 36]
    assert len(tree.inner) == 7
    paths = [
        [at.loss for at in leaky_iterates(net, X, targets, 1e-3, [*pair, None])]
        for pair in itertools.product(batches, repeat=2)
    ]
    np.testing.assert_allclose(tree.mean_losses, np.mean(paths, axis=0))


def test_radius_and_gradient_are_the_worst_on_the_way() -> None:
    net, X, targets = _setting(1)
    path = list(itertools.islice(leaky_iterates(net, X, targets, 1e-3), 3))
    found = radius_and_gradient(path, 1e-3)
    assert found["omega"] >= weight_drift(net, path[2].net, operator=True)
    assert found["gradF"] <= math.sqrt(path[0].squared_gradient)
    assert rounding_of_squares(np.array([4.0]), 1)[0] == 4e-14


def test_the_radius_of_a_tree_is_of_steps_on_batches() -> None:
    net, X, targets = _setting(2)
    batches = all_batches(4, 1)
    tree = leaky_tree(net, X, targets, 1e-3, batches, 2)
    found = []
    for pair in itertools.product(batches, repeat=2):
        at, after, last = (at.net for at in leaky_iterates(net, X, targets, 1e-3, [*pair, None]))
        found += [weight_drift(*ends, operator=True) for ends in ((at, after), (after, last), (at, last))]
    assert tree.radius == pytest.approx(max(found))
    assert least_gradient_met(tree.inner) == radius_and_gradient(tree.inner, 1e-3)["gradF"]
    whole = leaky_tree(net, X, targets, 1e-3, all_batches(4, 4), 2)
    assert whole.least_gradient_met(1e-3, 1.0) == pytest.approx(least_gradient_met(whole.inner))
    assert tree.least_gradient_met(1e-3, 0.25) <= least_gradient_met(tree.inner)
    still = leaky_tree(net, X, targets, 0.0, batches, 1)
    assert still.radius == 0.0


def test_what_is_gathered_along_a_path_is_what_the_whole_path_shows() -> None:
    net, X, targets = _setting(2)
    path = list(itertools.islice(leaky_iterates(net, X, targets, 1e-3), 40))
    reach = Reach(1e-3)
    for at in path:
        reach.add(at)
    whole = radius_and_gradient(path, 1e-3)
    assert whole["omega"] <= reach.symbols["omega"] <= (1.0 + 2.0 * GONE_ON) * whole["omega"]
    assert reach.symbols["gradF"] == pytest.approx(whole["gradF"])
    assert reach.least == min(at.squared_gradient / at.loss for at in path)


def test_a_path_rests_where_its_loss_is_at_rounding() -> None:
    net, X, targets = _setting(1, size=0.1)
    largest = float(np.linalg.eigvalsh(next(leaky_iterates(net, X, targets, 0.0)).kernel)[-1])
    path = leaky_path_to_rest(leaky_iterates(net, X, targets, 0.25 / largest), targets.size, 10**5)
    last = list(path)[-1]
    assert path.rested
    assert path.taken < 10**5
    assert last.loss < 1e-18
    still = leaky_path_to_rest(leaky_iterates(net, X, targets, 0.0), targets.size, 100)
    assert (len(list(still)), still.rested) == (2, True)
    assert not ends_early(still, 100)
    left = leaky_path_to_rest(leaky_iterates(net, X, targets, 1e-3 / largest), targets.size, 3)
    assert len(list(left)) == 4
    assert ends_early(left, 4)
    assert not ends_early(left, 3)


def test_a_path_that_rests_far_above_rounding_stands() -> None:
    assert stands(2.0, 1e-12)
    assert not stands(2.0, 1e-21)
    assert not stands(2.0, 1e-12, 1e-6)
    assert not stands(0.0, 0.0)


def test_the_largest_residuals_grow_with_the_root_of_the_width() -> None:
    narrow, wide = (fitting_size((m, 2, 1), 0.0, 0.1, 1.0) for m in (1000, 4000))
    assert wide == pytest.approx(2.0 * narrow)
    assert fitting_size((1000, 2, 1), 0.0, 0.2, 0.5) == pytest.approx(2.0 * narrow)


def test_another_slope_changes_the_pass_alone() -> None:
    net, X, targets = _setting(1)
    at = next(leaky_iterates(net, X, targets, 1e-3))
    other = with_slope(at, X, 0.5)
    assert other.loss == at.loss
    assert not np.allclose(other.passed.output, at.passed.output)


@pytest.mark.parametrize("opposite", [False, True])
def test_the_least_eigenvalue_of_pairs_is_near_that_of_infinite_width(opposite: bool) -> None:
    angle = 2.0 * math.asin(0.05)
    angle = math.pi - angle if opposite else angle
    for slope in SLOPES:
        f = (1.0 - slope) ** 2 / (1.0 + slope**2)
        off = (1.0 - f * angle / math.pi) * math.cos(angle)
        found = pair_eigenvalue(np.random.default_rng(8), 2**12, slope, 0.1, opposite=opposite)
        assert found / 2**12 == pytest.approx(0.5 * (1.0 - abs(off)), rel=0.25)


def test_the_floor_asks_for_antipodes_and_slope_minus_one() -> None:
    assert all(floor_argument(2, 2.0, -1.0).values())
    assert not all(floor_argument(2, 2.0, -0.5).values())
    assert not all(floor_argument(3, 2.0, -1.0).values())


def test_a_run_starts_at_its_sizes_with_its_step() -> None:
    run = LeakyRun(SLOPE, "antipodes", "drawn", 0.5, 0.25)
    found = leaky_run_start(np.random.default_rng(9), SphereSource(), (2, 12, 4, 3, 2), run)
    other = leaky_run_start(np.random.default_rng(9), SphereSource(), (2, 12, 4, 3, 2), run, mirror=True)
    assert found.X.shape == (4, 3)
    assert found.targets.shape == forward(found.net, found.X).output.shape
    assert found.eta == pytest.approx(0.25 * 2 / (4 * 2**2 * 12))
    np.testing.assert_array_equal(found.net.weights[0], other.net.weights[0])
    assert found.net.activation != other.net.activation


def test_a_step_astray_is_as_long_as_the_gradient_in_every_layer_and_goes_elsewhere() -> None:
    net, X, targets = _setting(2)
    first, after = itertools.islice(leaky_iterates(net, X, targets, 0.1, astray=np.random.default_rng(0)), 2)
    for G, V, W in zip(first.gradients, after.net.weights, net.weights, strict=True):
        moved, gradient = np.ravel(V - W), np.ravel(G)
        assert np.linalg.norm(moved) == pytest.approx(0.1 * np.linalg.norm(gradient), rel=1e-9)
        assert abs(moved @ gradient) < 0.05 * np.linalg.norm(gradient) ** 2


def test_the_distance_of_a_path_that_overflows_is_no_number() -> None:
    rng = np.random.default_rng(10)
    net = seen_network(2, 5, 1, 1, SLOPE, rng)
    assert math.isnan(weight_drift(net, shifted(net, [np.full((2, 5), np.inf)]), operator=True))


def test_the_largest_norm_is_that_of_all_and_no_number_where_one_is_none() -> None:
    rng = np.random.default_rng(11)
    matrices = [rng.standard_normal((12, 12)) * size for size in (1.0, 0.3, 1.1)]
    matrices.append(np.diag([9.0, *[0.0] * 11]))
    assert largest_operator_norm(matrices) == pytest.approx(max(np.linalg.norm(D, 2) for D in matrices), rel=1e-12)
    assert largest_operator_norm(matrices[:3]) == pytest.approx(
        max(np.linalg.norm(D, 2) for D in matrices[:3]), rel=1e-12
    )
    assert largest_operator_norm([]) == 0.0
    assert math.isnan(largest_operator_norm([*matrices, np.full((2, 2), np.nan)]))
