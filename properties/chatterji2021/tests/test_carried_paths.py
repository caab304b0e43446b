"""Starts and paths: hypotheses with the sheet's own formulas, quantities by hand, descents against 80 digits."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.descent.carried_descent import Stretch
from properties.chatterji2021.carried_paths import (
    ACTIVATIONS,
    BLOCK,
    CARRIED_ERROR,
    CONFLICT,
    DEAD,
    FLAT,
    GENERIC,
    ONE_CLASS,
    RISEN,
    TWO_CLASSES,
    Begin,
    FirstIterate,
    decreases,
    decreases_by_log,
    extremes,
    first_iterate,
    log_ratios,
    path_error,
    plain_rates,
    quotient,
    rates,
    shares_of_the_invariants,
    step_ratios,
    stretches,
    with_longest_step,
)
from properties.chatterji2021.closed_form import ExactNetwork
from properties.chatterji2021.tests.networks import losses_of, phi_of

KINDS = {
    ONE_CLASS: Begin(),
    TWO_CLASSES: Begin(kind=TWO_CLASSES, spread=0.3),
    GENERIC: Begin(n=4, kind=GENERIC, noise=0.02, spread=0.3, pattern=1),
    CONFLICT: Begin(kind=CONFLICT, activation="identity"),
}
kinds = pytest.mark.parametrize("kind", KINDS)
DIGITS = 80


# --- starts -------------------------------------------------------------------------------------------


def test_the_longest_step_is_that_of_the_theorem_and_descent_may_go_upwards() -> None:
    begin = first_iterate(1, Begin())
    half = with_longest_step(begin.net, begin.X, begin.y, begin.log_loss, 0.5)
    assert (half.eta, half.Q) == (0.5 * begin.eta, 0.5 * begin.Q)
    at = {"L": 1, **begin.symbols}
    assert begin.eta == pytest.approx(float(sheet.eq_3b.evaluate(at)), rel=1e-11)
    down, up, still = (begin.descent(direction=d).advance(2).fall[1] for d in (1.0, -1.0, 0.0))
    assert up == pytest.approx(-down, rel=1e-9)
    assert down > 0.0 == still


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_activations_are_the_members_of_their_names(name: str) -> None:
    h, z = 0.3, np.linspace(-1.0, 1.0, 41)
    found = ACTIVATIONS[name](h).value(z)
    with mpmath.workdps(40):
        assert found == pytest.approx([float(phi_of(name, u, h)) for u in z], rel=1e-12, abs=1e-15)


def test_an_unfit_start_leaves_the_hypothesis_that_its_kind_is_for() -> None:
    flat, dead = first_iterate(1, Begin(kind=FLAT)), first_iterate(2, Begin(kind=DEAD))
    assert flat.net.activation.h == 1.0 > float(sheet.eq_3a.evaluate({"L": 1, **flat.symbols}))
    assert flat.log_loss < -25.0 * math.log(3)
    assert math.exp(dead.log_loss) == pytest.approx(math.log(2.0))
    assert np.all(dead.descent().advance(3).fall == 0.0)
    # A step takes eta J^2/4 off J, as only the last layer moves and what enters it is 1/2.
    rate = float(extremes(flat.descent(), 4, rates, np.min)[0])
    assert rate == pytest.approx(flat.eta * math.exp(flat.log_loss) / 4.0, rel=1e-9)
    assert 0.4 < rate / flat.Q < 0.5


def test_a_tilt_makes_layers_unequal_at_the_same_loss() -> None:
    even, tilted = (first_iterate(2, Begin(tilt=tilt)) for tilt in (0.0, 0.7))
    sizes = [float(V[0, 0]) for V in tilted.net.weights]
    assert np.diff(np.log(sizes)) == pytest.approx([0.7, 0.7])
    assert tilted.log_loss == pytest.approx(even.log_loss, rel=1e-8)


@kinds
@pytest.mark.parametrize("L", [1, 2, 5])
def test_starts_meet_every_hypothesis_up_to_its_end(kind: str, L: int) -> None:
    begin = KINDS[kind]
    found = first_iterate(L, begin)
    at = {"L": L, "m": max(found.net.widths), "n": begin.n, **found.symbols}
    total = float(np.mean(losses_of(found.net.weights, found.X, found.y, found.net.activation)))
    assert math.log(total) == pytest.approx(found.log_loss, rel=1e-6)
    assert found.log_loss == pytest.approx(-begin.excess * (1 + 24 * L) * math.log(begin.n), rel=1e-8)
    assert found.log_loss < math.log(float(sheet.eq_3_loss.evaluate(at)))
    assert found.net.activation.h <= float(sheet.eq_3a.evaluate(at))
    assert found.net.activation.h == pytest.approx(begin.bend * float(sheet.eq_3a.evaluate(at)), rel=1e-6)
    limit = float(sheet.eq_3b.evaluate(at))
    assert limit * (1.0 - 1e-9) <= found.eta <= limit
    rate = float(sheet.eq_3c.evaluate({**at, "eta": found.eta}))
    assert rate * (1.0 - 1e-9) <= found.Q <= rate
    assert np.linalg.norm(found.X, axis=1) == pytest.approx([1.0] * begin.n, rel=1e-14)
    assert np.linalg.norm(found.X, axis=1).max() <= 1.0 + 4e-16


def test_strides_and_bends_are_shares_of_what_is_allowed() -> None:
    whole, part = first_iterate(2, Begin()), first_iterate(2, Begin(stride=0.25))
    assert part.eta == pytest.approx(0.25 * whole.eta, rel=1e-12)
    bent = first_iterate(2, Begin(bend=0.5))
    allowed = float(sheet.eq_3a.evaluate({"L": 2, **bent.symbols}))
    assert bent.net.activation.h == pytest.approx(0.5 * allowed, rel=1e-6)


def test_points_that_conflict_pull_apart_and_one_of_them_harder() -> None:
    found = first_iterate(2, KINDS[CONFLICT])
    first, second = found.y[:2, np.newaxis] * found.X[:2]
    assert float(first @ second) == pytest.approx(-0.95, abs=1e-9)
    # Signs of the labels are in the points: one is nearer to the other end of the axis.
    margins = found.y * [float(x) for x in _outputs(found)]
    assert margins[0] != pytest.approx(margins[1], rel=0.01)
    assert np.all(margins > 0.0)


def _outputs(found: FirstIterate) -> list[float]:
    outputs = []
    for x in found.X:
        row = x
        for V in found.net.weights[:-1]:
            row = found.net.activation.value(row @ V)
        outputs.append(float((row @ found.net.weights[-1])[0]))
    return outputs


def test_noise_that_spoils_a_start_is_halved() -> None:
    found = first_iterate(1, Begin(n=4, kind=GENERIC, noise=3.0, pattern=2))
    assert found.log_loss < 0.0


def test_a_start_that_cannot_be_is_refused() -> None:
    """Points across the axis are on the wrong side at any scale, and there is no noise to halve."""
    with pytest.raises(DataError, match="no first iterate was found at depth 1 for Begin"):
        first_iterate(1, Begin(n=3, kind=TWO_CLASSES, spread=3.0, excess=1e-3))


# --- quantities ---------------------------------------------------------------------------------------

# J_t/J_1 = 1, 1/2, 1/5 and ||V^(t)||^2/||V^(1)||^2 = 1, 4, 9.
PATH = Stretch(
    np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 0.8]), np.array([0.0, 3.0, 8.0]), np.array([7.0, 2.0, 1.0])
)
ELL = 3.0
LOGS = (ELL, ELL + math.log(2.0), ELL + math.log(5.0))


def test_quantities_of_three_iterates_by_hand() -> None:
    assert rates(PATH, ELL) == pytest.approx([1.0, 2.0], rel=1e-14)
    assert decreases(PATH, ELL) == pytest.approx([0.5, 0.3 * 4.0], rel=1e-14)
    by_log = [0.5 / LOGS[0] ** 2, 1.2 * 4.0 / LOGS[1] ** 2]
    assert decreases_by_log(PATH, ELL) == pytest.approx(by_log, rel=1e-14)
    growth = [math.log(2.0), math.log(1.5)]
    falls = [math.log(LOGS[1] / LOGS[0]), math.log(LOGS[2] / LOGS[1])]
    assert log_ratios(PATH, ELL) == pytest.approx([g / f for g, f in zip(growth, falls, strict=True)], rel=1e-13)
    steps = [growth[0] * LOGS[0] / (LOGS[1] - LOGS[0]), growth[1] * LOGS[1] / (LOGS[2] - LOGS[1])]
    assert step_ratios(PATH, ELL) == pytest.approx(steps, rel=1e-13)
    expected = [
        [0.5 / 1.0, 0.5 / 2.0],
        [2.0 * math.log(2.0) / falls[0], 2.0 * math.log(3.0) / math.log(LOGS[2] / LOGS[0])],
        [5.0 * math.log(2.0) / math.log(2.0), 5.0 * math.log(3.0) / math.log(5.0)],
    ]
    assert shares_of_the_invariants(PATH, ELL, 0.5, (2.0, 5.0)) == pytest.approx(np.array(expected), rel=1e-13)


def test_a_loss_that_did_not_fall_is_far_above_anything_allowed_and_nan_stays_nan() -> None:
    found = quotient(np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, -1.0]))
    assert found.tolist() == [0.5, RISEN, RISEN]
    assert np.isnan(quotient(np.array([math.nan, 1.0]), np.array([0.0, math.nan]))).all()
    flat = PATH._replace(fall=np.zeros(3))
    assert np.all(log_ratios(flat, ELL) == RISEN)


def test_short_steps_keep_their_digits_in_every_quantity() -> None:
    """Falls of 1e-30, where 1 - J_t/J_1 has all its digits and J_t none of them."""
    tiny = 1e-30
    path = Stretch(np.arange(3.0), tiny * np.arange(3.0), 4.0 * tiny * np.arange(3.0), np.ones(3))
    assert rates(path, ELL) == pytest.approx([tiny, tiny], rel=1e-13, abs=0.0)
    assert log_ratios(path, ELL) == pytest.approx([2.0 * ELL] * 2, rel=1e-13)
    assert step_ratios(path, ELL) == pytest.approx([2.0 * ELL] * 2, rel=1e-13)


def test_stretches_begin_where_the_last_one_ended_and_leave_no_step_out() -> None:
    first = first_iterate(1, Begin())
    steps = BLOCK + 10
    parts = list(stretches(first.descent(), steps))
    assert [int(part.steps[0]) for part in parts] == [0, BLOCK - 1]
    assert [int(part.steps[-1]) for part in parts] == [BLOCK - 1, steps]
    least, most = (extremes(first.descent(), steps, rates, worst) for worst in (np.min, np.max))
    whole = np.concatenate([rates(part, 0.0) for part in parts])
    assert float(least.min()) == float(whole.min())
    assert float(most.max()) == float(whole.max())


def test_errors_of_a_path_grow_with_its_steps_and_its_values() -> None:
    found = path_error(np.array([2.0, -3.0]), 1000)
    assert found == pytest.approx((CARRIED_ERROR + 1000 * 16 * 2.0**-52) * np.array([2.0, 3.0]), rel=1e-12)


# --- paths --------------------------------------------------------------------------------------------


def _exact_path(first: FirstIterate, name: str, steps: int, eta: float) -> tuple[list[Any], list[Any]]:
    """1 - J_t/J_1 and ||V^(t)||^2/||V^(1)||^2 - 1 of descent on the closed form, in the precision in force."""
    net = ExactNetwork.of(first.net, first.X, first.y, name, first.net.activation.h)
    loss, fall, growth = net.loss(), [], []
    size = mpmath.fsum(v**2 for V in net.layers for v in V.ravel())
    for _ in range(steps + 1):
        fall.append(1 - net.loss() / loss)
        growth.append(mpmath.fsum(v**2 for V in net.layers for v in V.ravel()) / size - 1)
        layers = tuple(V - eta * G.T for V, G in zip(net.layers, net.gradients(), strict=True))
        net = ExactNetwork(layers, net.X, net.y, net.name, net.h)
    return fall, growth


@pytest.mark.parametrize("name", ACTIVATIONS)
@kinds
def test_a_descent_agrees_with_80_digits_in_steps_below_the_last_bit(kind: str, name: str) -> None:
    first = first_iterate(2, Begin(**{**KINDS[kind].__dict__, "activation": name}))
    path = first.descent().advance(4)
    with mpmath.workdps(DIGITS):
        fall, growth = _exact_path(first, name, 3, first.eta)
    assert path.fall.tolist() == pytest.approx([float(z) for z in fall], rel=CARRIED_ERROR, abs=0.0)
    assert path.growth.tolist() == pytest.approx([float(z) for z in growth], rel=CARRIED_ERROR, abs=0.0)


def test_a_leap_raises_the_margins_by_the_share_asked_for_to_first_order() -> None:
    first = first_iterate(1, Begin())
    path = first.descent(leap=1e-4).advance(2)
    # log J falls by the leap times log(1/J), to first order.
    assert -math.log1p(-float(path.fall[1])) == pytest.approx(1e-4 * -first.log_loss, rel=0.01)


@pytest.mark.parametrize("kind", [ONE_CLASS, TWO_CLASSES])
def test_rates_in_plain_floats_are_off_by_no_more_than_their_bounds(kind: str) -> None:
    first = first_iterate(1, KINDS[kind])
    values, errors = plain_rates(first, 6)
    with mpmath.workdps(DIGITS):
        fall, _ = _exact_path(first, "huberised_relu", 6, first.eta)
        true: Array = np.array([float(z / (1 - z) / k) for k, z in enumerate(fall) if k])
    assert np.all(errors > 0.0)
    assert np.all(np.abs(values - true) <= errors)
