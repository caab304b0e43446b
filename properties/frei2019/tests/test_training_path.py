"""What a run of descent is measured by: errors, constants, families of points, one step beyond first order."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, perturbed, residual_network
from nets.tangent.linearised import linearisation_error
from properties.frei2019.perturbation import radius
from properties.frei2019.random_feature_margin import MarginSource
from properties.frei2019.training_path import (
    POINT_FAMILIES,
    Downhill,
    OneStep,
    Path,
    gradient_scales,
    risk_gradient_norms,
    stretching_steps,
    surrogate_error,
    unkind,
)


def _run(m: int = 32, L: int = 3, n: int = 4, theta: float = 0.05) -> tuple[Network, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X, y = MarginSource(0.2).draw(n, 3, rng)
    return residual_network((3, *[m] * (L + 1)), theta, rng), X, y


def test_surrogate_error_is_below_one_and_the_loss() -> None:
    outputs, y = np.linspace(-800.0, 800.0, 9), np.ones(9)
    each = [surrogate_error([f], [1.0]) for f in outputs]
    assert all(0.0 <= error <= min(1.0, float(LOGISTIC.value(f))) for error, f in zip(each, outputs, strict=True))
    assert surrogate_error(outputs, y) == pytest.approx(np.mean(each))
    assert surrogate_error([0.0], [-1.0]) == 0.5


@pytest.mark.parametrize("family", POINT_FAMILIES)
def test_unkind_points_keep_their_margin_and_norm(family: str) -> None:
    rng = np.random.default_rng(2)
    source = MarginSource(0.2)
    X, y = unkind(*source.draw(7, 3, rng), family, rng)
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)
    assert (y * X[:, 0] >= source.gap - 1e-12).all()


def test_unkind_points_are_near_each_other_or_their_negatives() -> None:
    rng = np.random.default_rng(3)
    drawn = MarginSource(0.2).draw(6, 3, rng)
    X, y = unkind(*drawn, "near duplicates", rng)
    assert np.abs(X[3:] - X[:3]).max() < 0.01
    assert (y[3:] == y[:3]).all()
    X, y = unkind(*drawn, "antipodes", rng)
    assert np.abs(X[3:] + X[:3]).max() < 0.01
    assert (y[3:] == -y[:3]).all()
    with pytest.raises(ValueError, match="there is no family 'circle' of points: choose one of drawn"):
        unkind(*drawn, "circle", rng)


def test_stretched_steps_stay_in_the_ball_and_open_gates() -> None:
    net, X, _ = _run()
    moved = perturbed(net, stretching_steps(net, X[0], 0.5))
    assert radius(net, moved) <= 0.5
    before, after = forward(net, X[:1]), forward(moved, X[:1])
    assert after.masks[-1].sum() > before.masks[-1].sum()
    assert np.linalg.norm(after.post[1]) > np.linalg.norm(before.post[1]) + 0.4


def test_path_has_the_best_constants_of_its_steps() -> None:
    net, X, y = _run()
    path = Path.of(net, X, y, 0.01, 5, 0.05, 0.2)
    norms = risk_gradient_norms(net, X, y)[1]
    scale = gradient_scales(3, 0.05) * np.sqrt(32) * path.errors[0]
    assert (path.gradient_constants >= norms / scale * (1.0 - 1e-12)).all()
    decreases = path.falls / (0.01 * 32 * 0.2**4 * path.errors[:-1] ** 2)
    assert path.decrease_constant == pytest.approx(decreases.min())
    assert path.errors[0] == pytest.approx(surrogate_error(forward(net, X).output, y))


def test_one_step_falls_by_its_first_order_part_where_it_is_short() -> None:
    net, X, y = _run()
    step = OneStep.of(net, X, y, 1e-6)
    assert step.fall == pytest.approx(1e-6 * float(np.sum(step.frobenius_norms**2)), rel=1e-3)
    assert step.beyond < 1e-3 * step.moved
    assert (step.operator_norms <= step.frobenius_norms * (1.0 + 1e-12)).all()


@pytest.mark.parametrize("stored", [0, np.inf])
def test_steps_that_share_a_gradient_are_those_made_alone(stored: float) -> None:
    _, X, y = _run()
    net = residual_network((3, 32, 32, 32), 0.05, np.random.default_rng(2), stored=stored)
    start = Downhill.of(net, X, y)
    assert start.error == pytest.approx(surrogate_error(forward(net, X).output, y))
    for eta in (0.0, 0.01, 0.1):
        shared, alone = start.step(eta), OneStep.of(net, X, y, eta)
        assert shared.fall == pytest.approx(alone.fall)
        assert shared.beyond == pytest.approx(float(linearisation_error(alone.end, net, X).max()), abs=1e-13)
        assert shared.moved == pytest.approx(alone.moved)
        again = shared.reached.step(eta)
        assert again.fall == pytest.approx(OneStep.of(shared.end, X, y, eta).fall)
        assert np.allclose(forward(again.end, X).output, again.after.output, rtol=1e-12)


def test_a_layer_that_nothing_enters_is_not_moved() -> None:
    net = residual_network((3, 8, 8, 8), 0.5, np.random.default_rng(0))
    x = np.array([1.0, 0.0, 0.0])
    closed = net.with_weights([-np.abs(np.asarray(net.weights[0])), *net.weights[1:]])
    steps = stretching_steps(closed, x, 0.5)
    moved = perturbed(closed, steps)
    assert all(np.isfinite(forward(moved, x[np.newaxis]).output))
    assert np.array_equal(np.asarray(moved.weights[1]), np.asarray(closed.weights[1]))
