"""The first stage from Gaussian weights: against plain numpy, where it ends, and how large the bend is there."""

import math

import numpy as np
import pytest

from bounds.papers import chatterji2021 as sheet
from nets.data.points import SphereSource
from nets.networks.activations import huberised_relu
from nets.networks.forward import forward
from nets.networks.log_loss import log_mean_loss
from properties.chatterji2021 import first_stage
from properties.chatterji2021.carried_paths import FirstIterate
from properties.chatterji2021.first_stage import (
    ALL_STEPS,
    RUN_CELLS,
    TARGET,
    bend_of,
    cells_of,
    descend_by_shares,
    gaussian_start,
    log_target,
    log_time,
    run_examples,
    second_start,
)
from properties.chatterji2021.tests.networks import losses_of, numeric_gradient, random_network, unit_points

LABELS = np.array([1.0, -1.0, 1.0])


def _start(m: int, end: str, trained: bool = True) -> FirstIterate:
    return second_start(np.random.default_rng(3), SphereSource(), (m, 1, 3, 8), 1.0, end, bend_of(6), trained)


def test_two_steps_are_those_of_plain_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    phi, X = huberised_relu(0.5), unit_points(1, 3, 3)
    net = random_network(0, 3, 4).with_activation(phi)
    weights = [V.copy() for V in net.stored_weights()]
    for _ in range(2):
        loss = float(np.mean(losses_of(weights, X, LABELS, phi)))
        gradients = [np.zeros_like(V) for V in weights]
        for x, label in zip(X, LABELS, strict=True):
            margin = label * float(forward(net.with_weights(weights), x[np.newaxis]).output[0])
            for total, G in zip(gradients, numeric_gradient(weights, x, phi), strict=True):
                total -= label / (1.0 + math.exp(margin)) / 3.0 * G
        weights = [V - 0.1 / loss * G for V, G in zip(weights, gradients, strict=True)]
    monkeypatch.setattr(first_stage, "MOST_STEPS", 2)
    found = descend_by_shares(net, X, LABELS, 0.1, -math.inf, math.inf)
    for V, W in zip(found.stored_weights(), weights, strict=True):
        np.testing.assert_allclose(V, W, rtol=1e-6, atol=1e-8)


def test_it_ends_at_the_first_loss_below_the_target_and_by_its_time_where_the_steps_sum_up_to_it() -> None:
    rng = np.random.default_rng(0)
    net, X, y = gaussian_start(rng, SphereSource(), 30, 1, 3, 8, sheet.eq_5)
    assert X.shape == (3, 30)
    assert not X[:, 8:].any()
    assert net.activation.h == pytest.approx(25.0 * math.log(3.0) / (6.0 * 180.0))

    def loss(target: float, time: float) -> float:
        return log_mean_loss(forward(descend_by_shares(net, X, y, 1.0 / 30.0, target, time), X).margins(y))

    met = loss(-5.0, math.inf)
    assert -6.0 < met <= -5.0
    assert loss(met, math.inf) == met
    assert loss(math.nextafter(met, -math.inf), math.inf) < met
    # After a time of nothing there is one step, and in a longer time the loss goes further.
    first = log_mean_loss(forward(net, X).margins(y))
    assert loss(math.nan, -100.0) < first
    assert loss(math.nan, 2.0) < loss(math.nan, -100.0)


def test_the_time_of_the_theorem() -> None:
    assert log_target(3, 1) == pytest.approx(-26.0 * math.log(3.0))
    rho = 2.0 / 5.0 * (math.sqrt(math.log(30.0)) + math.log(6.0) + 26.0 * math.log(3.0))
    assert math.exp(log_time(100, 1, 3, 0.5)) == pytest.approx(3.0 * rho**2 * 3.0**26)


def test_which_side_of_its_limit_the_printed_bend_is_on_depends_on_where_the_first_stage_ends() -> None:
    shares = {}
    for end in (TARGET, ALL_STEPS):
        symbols = {**_start(200, end).symbols, "L": 1}
        assert symbols["J1"] <= 3.0**-26
        shares[end] = symbols["h"] / float(sheet.eq_3a.evaluate(symbols))
    assert 0.8 < shares[ALL_STEPS] < 1.0 < 1.1 < shares[TARGET] < 1.3


def test_without_a_first_stage_it_is_the_gaussian_network() -> None:
    begin = _start(30, TARGET, trained=False)
    assert begin.log_loss > -3.0
    assert begin.net.norm == pytest.approx(math.sqrt(90.0), rel=0.1)


def test_bends_and_cells() -> None:
    sizes = {"m": 50, "L": 2, "n": 3}
    assert float(bend_of(6).evaluate(sizes)) == pytest.approx(float(sheet.eq_5.evaluate(sizes)), rel=1e-15)
    assert float(bend_of(10).evaluate(sizes)) == pytest.approx(float(sheet.eq_5_corrected.evaluate(sizes)), rel=1e-15)
    assert cells_of(50, 1, TARGET) == [{"m": 50, "L": 1, "n": 3, "d": 8, "pace": 1.0, "end": TARGET}]
    assert min(run_examples(cell["m"], cell["L"]) for cell in RUN_CELLS) >= 1


def test_the_width_is_that_of_the_hidden_layers_where_points_have_more_coordinates() -> None:
    begin = second_start(np.random.default_rng(0), SphereSource(), (5, 1, 3, 9), 1.0, TARGET, bend_of(6), False)
    assert begin.X.shape == (3, 9)
    assert begin.symbols["m"] == 5
