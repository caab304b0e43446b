"""The finite population, the class of targets and the risks along descent."""

import numpy as np
import pytest

from nets.networks.activations import leaky_relu
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.network import leaky_network
from nets.tangent.linearised import tangent_features
from properties.guo2024.risk import (
    Population,
    class_average,
    draw_population,
    expected_gap,
    gradient_variance,
    of_the_class,
    residuals,
    risk_path,
    risks,
    trained_on_sample,
)


def test_targets_are_unit_and_points_apart() -> None:
    found = draw_population(10, 4, 8, 3, 0.7, np.random.default_rng(0))
    assert np.linalg.norm(found.targets, axis=1) == pytest.approx(1.0)
    apart = np.linalg.norm(found.X[:, None] - found.X, axis=2)[np.triu_indices(10, 1)]
    assert apart.min() == pytest.approx(0.7)


@pytest.mark.parametrize("slope", [-2.0, -1.0, 0.0, 0.5])
@pytest.mark.parametrize("even", [0.0, 0.3, 1.0])
def test_the_closed_form_of_the_class_is_an_average_over_a_random_layer(slope: float, even: float) -> None:
    rng = np.random.default_rng(1)
    net = leaky_network(6, 8, 2, 1, slope, rng)
    population = of_the_class(net, draw_population(5, 2, 6, 1, 0.5, rng), slope, even, np.random.default_rng(2))
    direction = np.random.default_rng(2).standard_normal((8, 1))
    u = rng.standard_normal((400_000, 8))
    passed = forward(net, population.X)
    weights = even + (1.0 - even) * np.sign(u @ direction)
    averages = np.mean(weights * leaky_relu(slope).value_and_slope(u @ passed.post[1].T)[0], axis=0)
    assert -residuals(passed, population)[:, 0] == pytest.approx(averages, abs=6e-3)


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_small_step_lowers_the_training_loss_by_its_squared_gradient(outputs: int) -> None:
    rng = np.random.default_rng(3)
    net = leaky_network(5, 16, 2, outputs, -0.5, rng)
    population = draw_population(6, 3, 5, outputs, 0.5, rng)
    before, after = risk_path(net, population, 1e-7, 1, rng=rng)
    step, losses = 1e-6, []
    for k, W in enumerate(net.stored_weights()):
        slopes = np.zeros_like(W)
        for at in np.ndindex(W.shape):
            moved = list(net.stored_weights())
            values = []
            for sign in (1.0, -1.0):
                moved[k] = W.copy()
                moved[k][at] += sign * step
                other = type(net)(tuple(moved), net.v, net.steps, net.frozen)
                values.append(3 * risks(forward(other, population.X), population).seen)
            slopes[at] = (values[0] - values[1]) / (2 * step)
        losses.append(np.sum(slopes**2))
    assert 3 * (before.seen - after.seen) == pytest.approx(1e-7 * sum(losses), rel=1e-3)


def test_a_batch_of_all_samples_is_the_sample() -> None:
    net = leaky_network(5, 16, 2, 2, 0.0, np.random.default_rng(4))
    population = draw_population(6, 3, 5, 2, 0.5, np.random.default_rng(5))
    whole = list(risk_path(net, population, 1e-3, 3, rng=np.random.default_rng(6)))
    assert whole == list(risk_path(net, population, 1e-3, 3, batch=3, rng=np.random.default_rng(7)))
    one = list(risk_path(net, population, 1e-3, 3, batch=1, rng=np.random.default_rng(8)))
    assert one[0] == whole[0]
    assert one[-1] != whole[-1]


def test_the_risk_of_everything_sampled_has_no_gap() -> None:
    net = leaky_network(5, 16, 1, 1, 0.9, np.random.default_rng(9))
    drawn = draw_population(6, 3, 5, 1, 0.5, np.random.default_rng(10))
    assert risks(forward(net, drawn.X), Population(drawn.X, drawn.targets, 6)).gap == 0.0


def test_descent_ends_where_its_path_ends() -> None:
    net = leaky_network(5, 16, 2, 2, 0.0, np.random.default_rng(11))
    population = draw_population(6, 3, 5, 2, 0.5, np.random.default_rng(12))
    first, *_, last = risk_path(net, population, 1e-3, 4, rng=np.random.default_rng(13))
    start, moved = trained_on_sample(net, population, 1e-3, 4)
    assert start == first
    assert risks(forward(moved, population.X), population) == last


def test_an_average_along_the_state_is_half_a_gaussian_and_one_across_is_none() -> None:
    states = np.array([[2.0, 0.0]])
    found = class_average(states, np.eye(2), 0.5, 0.0)
    assert found[0] == pytest.approx([2.0 * 1.5 / np.sqrt(2.0 * np.pi * 1.25), 0.0])
    assert class_average(states, np.eye(2), -1.0, 1.0)[0] == pytest.approx(2.0 / np.sqrt(np.pi))


def test_the_mean_gap_grows_by_the_variance_of_the_gradient_of_a_sample() -> None:
    net = leaky_network(5, 32, 2, 1, -0.5, np.random.default_rng(14))
    population = draw_population(4, 2, 5, 1, 0.5, np.random.default_rng(15))
    assert expected_gap(net, population, 1e-6, 0) == pytest.approx(0.0, abs=1e-12)
    passed = forward(net, population.X)
    left = 2.0 * residuals(passed, population)[:, 0]
    products = left[:, np.newaxis] * tangent_features(net, passed).grams.sum(axis=0) * left
    variance = float(np.trace(products) / 4 - products.sum() / 16)
    assert expected_gap(net, population, 1e-6, 1) == pytest.approx(1e-6 * variance, rel=1e-3)


@pytest.mark.parametrize("outputs", [1, 3])
def test_the_variance_of_gradients_is_that_of_gradients_taken_one_by_one(outputs: int) -> None:
    rng = np.random.default_rng(8)
    net = leaky_network(5, 12, 2, outputs, -0.5, rng)
    population = draw_population(4, 2, 5, outputs, 0.5, rng)
    passed = forward(net, population.X)
    each = []
    for point in range(4):
        slopes = np.zeros_like(population.targets)
        slopes[point] = 2.0 * residuals(passed, population)[point]
        parts = output_gradient(net, passed, slopes.reshape(passed.output.shape))
        each.append(np.concatenate([np.asarray(part).ravel() for part in parts]))
    assert gradient_variance(net, population) == pytest.approx(np.var(each, axis=0).sum(), rel=1e-10)


def test_the_gap_of_batches_of_all_samples_is_that_of_whole_steps() -> None:
    rng = np.random.default_rng(9)
    net = leaky_network(5, 12, 1, 1, 0.5, rng)
    population = draw_population(3, 2, 5, 1, 0.5, rng)
    whole = expected_gap(net, population, 0.01, 2)
    assert expected_gap(net, population, 0.01, 2, batch=2) == pytest.approx(whole, rel=1e-12)


def test_the_gap_of_a_short_step_is_the_variance_of_the_gradient_times_the_share_of_the_batch() -> None:
    rng = np.random.default_rng(10)
    net = leaky_network(5, 12, 2, 2, -1.0, rng)
    population = draw_population(4, 3, 5, 2, 0.5, rng)
    one = gradient_variance(net, population) * 1e-7 / 3
    assert expected_gap(net, population, 1e-7, 1, batch=2) == pytest.approx(2 * one, rel=1e-4)
    assert expected_gap(net, population, 1e-7, 2, batch=1) == pytest.approx(2 * one, rel=1e-4)


def test_coefficients_that_part_two_points_give_them_opposite_residuals() -> None:
    net = leaky_network(5, 12, 1, 2, 0.5, np.random.default_rng(11))
    population = draw_population(2, 2, 5, 2, 0.1, np.random.default_rng(12))
    parted = of_the_class(net, population, 0.5, 0.0, np.random.default_rng(13), parted=True)
    left = residuals(forward(net, population.X), parted)
    assert left[0] == pytest.approx(-left[1], rel=1e-9)
    # Along the difference, half of the distance 0.1.
    assert np.abs(left[0]) == pytest.approx(0.05 * 1.5 / np.sqrt(2.0 * np.pi * 1.25), rel=1e-9)
