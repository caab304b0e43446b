"""Descent on the objective of the recurrent network: f, its gradients, steps, trees of batches, and targets."""

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.descent.training import all_batches
from nets.networks.forward import forward
from nets.networks.network import Network, recurrent_network, shifted
from properties.allenzhu2018rnn.descent import (
    RecurrentIterate,
    RecurrentRun,
    departure,
    error_targets,
    gradient,
    most_moved,
    objective,
    recurrent_iterates,
    recurrent_path,
    recurrent_path_to_rest,
    recurrent_run_start,
    recurrent_tree,
    rounding_of_objective,
    sample_objectives,
    sizes_of_steps,
    weight_distance,
)
from properties.allenzhu2018rnn.sequences import sequences
from properties.shared.batch_trees import Batch


def _setting(outputs: int = 2, L: int = 3) -> tuple[Network, Array, Array]:
    rng = np.random.default_rng(5)
    net, X = recurrent_network(3, 24, outputs, L, rng), sequences(3, L, 3, rng)
    return net, X, rng.standard_normal((3, L, outputs))


def test_the_objective_is_half_of_the_squares_from_time_two_on_and_no_mean() -> None:
    outputs = np.array([[[5.0], [1.0], [3.0]], [[7.0], [0.0], [2.0]]])
    targets = np.array([[[0.0], [0.0], [1.0]], [[0.0], [0.0], [0.0]]])
    assert sample_objectives(outputs, targets).tolist() == [2.5, 2.0]
    assert objective(outputs, targets) == 4.5


@pytest.mark.parametrize("batch", [None, np.array([0, 2])])
def test_gradients_are_slopes_of_the_objective(batch: Batch | None) -> None:
    net, X, targets = _setting()
    chosen = np.arange(3) if batch is None else batch
    (found,) = gradient(net, forward(net, X), targets, batch)
    direction = np.random.default_rng(6).standard_normal(found.shape)

    def f(at: float) -> float:
        return objective(forward(shifted(net, (direction,), at), X[chosen]).output, targets[chosen])

    slope = 3 / len(chosen) * (f(1e-6) - f(-1e-6)) / 2e-6
    assert np.sum(found * direction) == pytest.approx(slope, rel=1e-6)
    (half,) = gradient(net, forward(net, X), targets, np.arange(3), share=0.5)
    whole = gradient(net, forward(net, X), targets)[0]
    np.testing.assert_allclose(2.0 * half, whole, rtol=1e-9, atol=1e-12 * np.abs(whole).max())


def test_steps_go_down_the_gradient_or_astray_at_its_length() -> None:
    net, X, targets = _setting()
    (down,) = gradient(net, forward(net, X), targets)
    straight = recurrent_path(net, X, targets, 1e-3, 1)[1].net
    np.testing.assert_allclose(straight.weights[0], net.weights[0] - 1e-3 * down)
    astray = recurrent_path(net, X, targets, 1e-3, 1, astray=np.random.default_rng(0))[1].net
    assert weight_distance(net, astray) == pytest.approx(1e-3 * np.linalg.norm(down))
    assert not np.allclose(astray.weights[0], straight.weights[0])
    same = recurrent_path(net, X, targets, 1e-3, 1, other=net)[1].net
    np.testing.assert_allclose(same.weights[0], straight.weights[0])
    through = recurrent_path(net, X, targets, 1e-3, 1, other=recurrent_network(3, 24, 2, 3, np.random.default_rng(8)))[
        1
    ].net
    assert not np.allclose(through.weights[0], straight.weights[0])
    assert len(list(recurrent_iterates(net, X, targets, 1e-3, [None, np.array([1])]))) == 2


def test_errors_are_along_what_a_step_feels_most_and_least() -> None:
    net, X, _ = _setting()
    for errors in ("steep", "flat", "drawn"):
        at = RecurrentIterate.of(net, X, error_targets(net, X, errors, 0.1, np.random.default_rng(0)))
        assert np.linalg.norm(at.errors) == pytest.approx(0.1)
        assert at.loss == pytest.approx(0.005)
        felt = at.errors @ at.kernel @ at.errors / 0.01
        low, high = at.eigenvalues
        assert low * (1 - 1e-6) <= felt <= high * (1 + 1e-6)
        if errors != "drawn":
            assert felt == pytest.approx(high if errors == "steep" else low, rel=1e-3)
    with pytest.raises(ValueError, match="choose among"):
        error_targets(net, X, "soft", 0.1, np.random.default_rng(0))


def test_short_steps_go_where_the_kernel_sends_them() -> None:
    net, X, targets = _setting()
    short, long = (recurrent_path(net, X, targets, eta, 1) for eta in (1e-8, 1e-2))
    kernel = short[0].kernel
    assert departure(kernel, short[0], short[1], 1e-8) < 1e-4 < departure(kernel, long[0], long[1], 1e-2)
    batch = np.array([1])
    one, after = list(recurrent_iterates(net, X, targets, 1e-8, [batch, None]))
    assert departure(kernel, one, after, 1e-8, batch) < 1e-4 < departure(kernel, one, after, 1e-8)
    sizes = sizes_of_steps(recurrent_path(net, X, targets, 1e-8, 2), 1e-8)
    assert 0.0 < sizes["kerlow"] < sizes["kerhigh"]
    assert sizes["away"] < 1e-4


def test_a_tree_holds_every_batch_at_every_step() -> None:
    net, X, targets = _setting()
    tree = recurrent_tree(net, X, targets, 1e-4, all_batches(3, 2), 2)
    assert [len(level) for level in tree.levels] == [1, 3, 9]
    assert tree.mean_losses[0] > tree.mean_losses[1] > tree.mean_losses[2]
    assert tree.sizes["away"] > 0.0
    whole = recurrent_tree(net, X, targets, 1e-4, all_batches(3, 3), 1)
    np.testing.assert_allclose(whole.mean_losses[1], recurrent_path(net, X, targets, 1e-4, 1)[1].loss)


def test_a_run_starts_off_its_targets_by_the_size_asked_for() -> None:
    found = recurrent_run_start(
        np.random.default_rng(1), (32, 2, 2, 3, 1), RecurrentRun("zero", 0.1, "flat", 0.02, 0.5)
    )
    at = RecurrentIterate.of(found.net, found.X, found.targets)
    assert at.loss == pytest.approx(0.5 * 0.02**2)
    assert found.eta == pytest.approx(0.5 / at.eigenvalues[1])


def test_no_unit_step_moves_the_output_of_one_sequence_by_more_than_its_share() -> None:
    rng = np.random.default_rng(2)
    net, X = recurrent_network(3, 8, 1, 2, rng), sequences(1, 2, 3, rng)
    at = RecurrentIterate.of(net, X, np.zeros((1, 2, 1)))
    assert at.kernel[0, 0] <= most_moved(net, X)
    assert most_moved(net, X, time=2) != most_moved(net, X)


def test_a_path_that_nothing_moves_rests_at_once_and_one_that_falls_goes_on() -> None:
    net, X, targets = _setting()
    still = recurrent_path_to_rest(recurrent_iterates(net, X, targets, 0.0), targets, 100)
    assert (len(list(still)), still.rested) == (2, True)
    moving = recurrent_path_to_rest(recurrent_iterates(net, X, targets, 1e-3), targets, 5)
    assert (len(list(moving)), moving.rested) == (6, False)


def test_rounding_grows_with_the_root_of_the_loss() -> None:
    small, large = rounding_of_objective([1e-8, 1.0], np.zeros((2, 2, 1)))
    assert 0.0 < small < 1e-3 * large
