"""Errors after training against direct calculations."""

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.descent.training import train
from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC
from nets.networks.network import residual_network
from nets.tangent.linearised import layer_distances, tangent_features
from properties.frei2019.trained_errors import Trained, WeightedRun, linear_part, steered, trained_network
from properties.shared.rademacher import linear_complexity


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(12)


def test_descent_ends_within_the_ball_and_one_step_on_is_outside(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(6, 3, rng)
    y = np.sign(X[:, 0])
    end = trained_network(net, X, y, 0.4, 0.1, 200)
    assert 0.2 < layer_distances(end, net).max() <= 0.4
    assert layer_distances(trained_network(end, X, y, 9.0, 0.1, 1), net).max() > 0.4
    assert trained_network(net, X, y, 0.4, 0.1, 0) is net


def test_outputs_are_what_one_chose_and_a_step_of_their_size_suffices(rng: Generator) -> None:
    net, X = residual_network((2, 64, 64, 64), 0.5, rng), np.eye(2)
    chosen = np.array([-1e-3, 6.0])
    end = steered(net, X, chosen)
    assert forward(end, X).output == pytest.approx(chosen, abs=1e-9)
    far = np.linalg.norm(chosen - forward(net, X).output)
    assert layer_distances(end, net).max() < 2.0 * far / tangent_features(net, forward(net, X)).layer_norms.max()
    assert layer_distances(steered(end, X, chosen), end).max() < 1e-9


def test_the_linear_part_bounds_the_mean_over_all_signs(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(6, 3, rng)
    features = tangent_features(net, forward(net, X))
    found = 0.3 * linear_complexity(features, "Frobenius")
    assert found < linear_part(features.layer_norms, 0.3, 6) < np.sqrt(2.0) * found


def test_errors_are_means_over_the_points_and_over_the_sample(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(9, 3, rng)
    y, sample = rng.choice((-1.0, 1.0), size=9), np.array([0, 0, 4, 7])
    found = Trained.of(net, (X, y), sample, 1.0, 0.1, 0)
    margins = y * forward(net, X).output
    assert found.wrong == np.mean(margins < 0.0)
    assert found.sample_error == pytest.approx(np.mean(1.0 / (1.0 + np.exp(margins[sample]))))
    assert found.population_error == pytest.approx(np.mean(1.0 / (1.0 + np.exp(margins))))
    assert found.deviation == 0.0
    assert Trained.of(net, (X, y), sample, 1.0, 0.1, 20).sample_error < found.sample_error


def test_shares_count_what_a_sample_repeats(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(9, 3, rng)
    y, repeated = rng.choice((-1.0, 1.0), size=9), np.array([0, 0, 4, 7])
    end = trained_network(net, X, y, 1.0, 0.5, 20)
    drawn = Trained.at(net, end, (X, y), repeated, 1.0)
    once = Trained.at(net, end, (X, y), np.array([0, 4, 7]), 1.0, shares=np.array([0.5, 0.25, 0.25]))
    assert once.deviation == pytest.approx(drawn.deviation)
    assert once.sample_error == pytest.approx(drawn.sample_error)
    assert once.deviation > 0.0


def test_held_out_points_alone_stand_for_new_ones(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(9, 3, rng)
    y, sample, rest = rng.choice((-1.0, 1.0), size=9), np.arange(5), np.arange(5, 9)
    end = trained_network(net, X[sample], y[sample], 1.0, 0.1, 10)
    found = Trained.at(net, end, (X, y), sample, 1.0, rest)
    margins = y * forward(end, X).output
    assert found.wrong == np.mean(margins[rest] < 0.0)
    assert found.sample_error == pytest.approx(np.mean(1.0 / (1.0 + np.exp(margins[sample]))))
    assert found.population_error == pytest.approx(np.mean(1.0 / (1.0 + np.exp(margins[rest]))))


def test_a_run_with_shares_is_that_on_a_sample_with_repetitions(rng: Generator) -> None:
    net, X = residual_network((3, 12, 12, 12), 0.5, rng), sphere(4, 3, rng)
    y, sample = np.array([1.0, -1.0, 1.0, 1.0]), np.array([0, 1, 1, 3, 0, 1])
    run = WeightedRun.of(net, (X, y), np.bincount(sample, minlength=4) / 6.0, 0.05, 30)
    met = train(net, X[sample], y[sample], LOGISTIC, 0.05, 30)
    np.testing.assert_allclose(run.losses, met.loss, rtol=1e-10)
    np.testing.assert_allclose(run.errors, -met.derivative_sum / 6.0, rtol=1e-10)
    assert run.far == pytest.approx(met.drift_frobenius.max(), rel=1e-10)
    least = forward(run.best, X[sample]).output
    assert np.mean(1.0 / (1.0 + np.exp(y[sample] * least))) == pytest.approx(run.errors.min(), rel=1e-10)
