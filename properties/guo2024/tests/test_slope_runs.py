"""Runs that differ in the slope: against descent written out, and what is the same among them."""

from dataclasses import replace

import numpy as np
import pytest

from bounds.papers import guo2024 as sheet
from nets import DataError
from nets.networks.forward import forward
from nets.networks.losses import CROSS_ENTROPY, SQUARE, exponential_of_square
from nets.networks.network import leaky_network
from properties.guo2024.experiment_data import drawn_points
from properties.guo2024.slope_runs import (
    ALONG_A_PATH,
    OVERFLOWED,
    TESTS,
    Comparison,
    Recipe,
    along_a_path,
    error_of_fall,
    errors,
    fall,
    least_eigenvalue,
    seed_of,
)

SMALL = Recipe("diabetes", n=6, m=8, L=2, steps=4, pace=1.0, every=2)


def test_a_run_is_gradient_descent_on_the_mean_of_half_squares() -> None:
    """With weights and gradients written out: x A, two leaky layers over sqrt(1 + slope^2), and B."""
    slope, seed = -0.5, 11
    points = drawn_points("diabetes", 6, TESTS, np.random.default_rng([seed, 0]))
    net = leaky_network(10, 8, 2, 1, slope, np.random.default_rng([seed, 1]))
    A, (W1, W2), B, scale = net.parameters[2], net.weights, net.v[:, 0], np.sqrt(1.25)

    def parts(X: np.ndarray) -> tuple[np.ndarray, ...]:
        pre = X @ A @ W1
        first = np.where(pre > 0, pre, slope * pre) / scale
        later = first @ W2
        return X @ A, pre, first, later, np.where(later > 0, later, slope * later) / scale @ B

    met, test = [], []
    for step in range(5):
        x, pre, first, later, output = parts(points.X)
        met.append(np.mean((output - points.Y) ** 2) / 2)
        if step % 2 == 0:
            test.append(np.mean((parts(points.X_test)[-1] - points.Y_test) ** 2) / 2)
        back = ((output - points.Y) / 6)[:, None] * B * np.where(later > 0, 1.0, slope) / scale
        before = (back @ W2.T) * np.where(pre > 0, 1.0, slope) / scale
        W1, W2 = W1 - x.T @ before / 16, W2 - first.T @ back / 16
    run = errors(SMALL, slope, seed)
    np.testing.assert_allclose(run.training, met, rtol=1e-10)
    np.testing.assert_allclose(run.test, test, rtol=1e-10)


def test_a_run_whose_numbers_overflow_has_infinite_errors_from_there_on() -> None:
    run = errors(replace(SMALL, loss=exponential_of_square(0.05), met=SQUARE, pace=1000.0, steps=9), 0.9, 3)
    assert run.training.shape == (10,)
    assert np.isfinite(run.training).tolist() == 2 * [True] + 8 * [False]
    assert np.isfinite(run.test).tolist() == [True] + 4 * [False]
    assert not np.isnan(run.training).any()


def test_runs_of_one_seed_share_points_and_batches_and_differ_in_the_slope() -> None:
    same = errors(replace(SMALL, batch=3), 0.0, 5)
    errors.cache_clear()
    again = errors(replace(SMALL, batch=3), 0.0, 5)
    assert np.array_equal(same.training, again.training)
    assert not np.array_equal(errors(SMALL, 0.0, 5).training, same.training)
    other = errors(replace(SMALL, batch=3), -1.0, 5)
    assert same.training.shape == other.training.shape
    assert same.training[0] != other.training[0]
    whole, full = errors(replace(SMALL, batch=6), -1.0, 5), errors(SMALL, -1.0, 5)
    np.testing.assert_allclose(whole.training, full.training, rtol=1e-12)


def test_a_run_may_meet_another_loss_than_it_goes_down() -> None:
    images = Recipe("digits", n=4, m=8, L=1, steps=3, pace=1.0, loss=CROSS_ENTROPY)
    squares = errors(replace(images, met=SQUARE), -1.0, 3).training
    assert errors(images, -1.0, 3).training[0] != squares[0]
    points = drawn_points("digits", 4, 0, np.random.default_rng([3, 0]))
    output = forward(leaky_network(64, 8, 1, 10, -1.0, np.random.default_rng([3, 1])), points.X).output
    np.testing.assert_allclose(squares[0], np.mean(np.sum((output - points.Y) ** 2, axis=(1, 2))) / 2, rtol=1e-12)


def test_a_comparison_is_with_the_best_of_the_others_and_may_stop_early() -> None:
    last = {slope: errors(SMALL, slope, 9) for slope in (-1.0, 0.0, 0.5)}
    least = min(last[0.0].training[-1], last[0.5].training[-1])
    compared = Comparison(-1.0, (0.0, 0.5))
    assert compared.of_training(SMALL, 9).value == last[-1.0].training[-1] / least
    assert replace(compared, share=0.5).of_training(SMALL, 9).value == last[-1.0].training[2] / least
    tested = min(last[0.0].test[-1], last[0.5].test[-1])
    assert compared.of_test(SMALL, 9).value == last[-1.0].test[-1] / tested
    assert replace(compared, share=0.0).of_test(SMALL, 9).value == last[-1.0].test[0] / tested


@pytest.mark.parametrize(("own", "least"), [(1.0, 0.0), (np.inf, np.inf), (1.0, np.nan)])
def test_errors_without_a_quotient_are_refused(own: float, least: float) -> None:
    with pytest.raises(DataError, match=f"is {least:g}: ask for more samples or neurons"):
        Comparison(-1.0, (0.5,)).ratio(lambda slope: np.array([1.0, own if slope == -1.0 else least]))
    with pytest.raises(DataError, match="ask for more samples or neurons"):
        fall(replace(SMALL, steps=3, pace=1e200), -1.0, 3, 2)


def test_others_that_overflow_alone_are_behind() -> None:
    runs = {-1.0: np.array([1.0, 0.5]), 0.5: np.array([1.0, np.inf])}
    assert Comparison(-1.0, (0.5,)).ratio(lambda slope: runs[slope]).value == 0.0


def test_what_is_met_along_a_path_has_an_error() -> None:
    assert along_a_path(3.0).error == pytest.approx(3.0 * ALONG_A_PATH)
    assert along_a_path(np.inf).value == OVERFLOWED
    assert np.isfinite(along_a_path(np.inf).error)


def test_the_fall_is_one_less_the_rate_of_section_5_2() -> None:
    met = errors(SMALL, 0.0, 2).training
    assert fall(SMALL, 0.0, 2, first=1) == pytest.approx(1.0 - (met[4] / met[1]) ** (1 / 3), rel=1e-12)


@pytest.mark.parametrize("fallen", [0.3, 1e-9, 0.0, -0.008])
def test_the_error_of_a_fall_is_what_the_errors_of_both_ends_do_to_it(fallen: float) -> None:
    ends = 1.0, (1.0 - fallen) ** 34
    moved = 1.0 - (ends[1] * (1.0 + ALONG_A_PATH) / (ends[0] * (1.0 - ALONG_A_PATH))) ** (1.0 / 34)
    assert error_of_fall(fallen, 34) == pytest.approx(fallen - moved, rel=1e-5)


def test_the_predicted_rate_is_that_of_slope_0_at_slope_0() -> None:
    """(17) with C0 = 1; for the synthetic set of the paper 1 - gamma is 0.00143 f."""
    assert sheet.eq_17(C0=1.0, fall0=0.00143) == pytest.approx(0.00143)
    assert sheet.figure_2_shape(C0=1.0, fall0=0.00143, slope=0.0) == pytest.approx(0.00143)
    assert sheet.figure_2_shape(C0=0.5, fall0=0.001074, slope=-1.0) == pytest.approx(0.001074)


def test_the_least_eigenvalue_is_that_of_differences_of_the_output() -> None:
    recipe = replace(SMALL, n=3, m=4, L=1, every=0)
    X = drawn_points("diabetes", 3, 0, np.random.default_rng([7, 0])).X
    net = leaky_network(10, 4, 1, 1, -1.0, np.random.default_rng([7, 1]))
    columns = []
    for i, j in np.ndindex(4, 4):
        moved = [
            replace(net, weights=(net.weights[0] + up * np.outer(np.eye(4)[i], np.eye(4)[j]),)) for up in (1e-6, -1e-6)
        ]
        columns.append((forward(moved[0], X).output - forward(moved[1], X).output) / 2e-6)
    J = np.array(columns).T
    assert least_eigenvalue(recipe, -1.0, 7) == pytest.approx(np.linalg.eigvalsh(J @ J.T)[0] / 4, rel=1e-6)


def test_the_seed_of_a_trial_is_one_draw_of_its_generator() -> None:
    assert seed_of(np.random.default_rng(1)) == int(np.random.default_rng(1).integers(2**62))
