"""Losses: values far out, derivatives, and the table of constants."""

import dataclasses
import decimal
import math
import pickle

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.losses import (
    CROSS_ENTROPY,
    EXPONENTIAL,
    HINGE,
    HUBERISED_HINGE,
    LOGISTIC,
    LOSSES,
    SQUARE,
    SQUARED_HINGE,
    Loss,
    OutputLoss,
    check_labels,
    empirical_risk,
    exponential_of_square,
    hinge,
    named_loss,
    power_loss,
)

POWERS = [power_loss(0.5, -2.0), power_loss(0.6, 0.3), power_loss(0.9, -0.5)]
ALL = [*LOSSES.values(), *POWERS]
EPS = np.finfo(np.float64).eps

every_loss = pytest.mark.parametrize("loss", ALL, ids=lambda loss: f"{loss.name}{loss.parameters or ''}")


def _edge(loss: Loss) -> float:
    """Left end of grids: where the exponential is still finite when squared."""
    return -300.0 if loss is EXPONENTIAL else -1000.0


def _grid(loss: Loss) -> Array:
    """Dense near the kinks, sparse far out; 1 and x_0 themselves included."""
    far = np.geomspace(1e-9, 1.0 - _edge(loss), 4001)
    x_0 = max(loss.constants.x_0, _edge(loss))
    return np.unique(np.concatenate([1.0 - far, 1.0 + far, x_0 + far, x_0 - far[far < 5.0], [1.0, x_0, 0.0]]))


@every_loss
def test_loss_falls_and_vanishes_on_the_right(loss: Loss) -> None:
    x = _grid(loss)
    values, slopes = loss.value_and_derivative(x)
    assert np.all(values >= 0.0)
    assert np.all(slopes <= 0.0)
    assert loss.value(1000.0) == 0.0
    assert loss.derivative(1000.0) == 0.0


@every_loss
def test_derivative_is_the_limit_of_differences(loss: Loss) -> None:
    x, step = np.linspace(-6.0, 3.0, 181) + 1e-3, 1e-5
    differences = (loss.value(x + step) - loss.value(x - step)) / (2 * step)
    # The error is step^2/6 times the third derivative, at most 3e5 here, and eps |ell|/step.
    np.testing.assert_allclose(loss.derivative(x), differences, rtol=1e-8, atol=1e-8)


@every_loss
def test_derivative_is_large_where_the_loss_is(loss: Loss) -> None:
    x, c = _grid(loss), loss.constants
    values, slopes = loss.value_and_derivative(x)
    left = x < c.x_0
    assert np.all(-slopes[left] >= c.alpha_0 * (1.0 - 4 * EPS))
    assert np.all(-slopes[~left] >= c.alpha_1 * values[~left] ** c.p * (1.0 - 200 * EPS))


@pytest.mark.parametrize("loss", [LOGISTIC, HUBERISED_HINGE, *POWERS], ids=lambda loss: loss.name)
def test_constants_of_the_lower_bounds_cannot_be_raised(loss: Loss) -> None:
    x, c = _grid(loss), loss.constants
    values, slopes = loss.value_and_derivative(x)
    left, right = x < c.x_0, (x >= c.x_0) & (values > 0.0)
    assert np.min(-slopes[left]) <= c.alpha_0 * (1.0 + 1e-6)
    assert np.min(-slopes[right] / values[right] ** c.p) <= c.alpha_1 * (1.0 + 1e-6)


def test_squared_hinge_and_exponential_meet_their_lower_bound_everywhere() -> None:
    x = np.linspace(-20.0, 0.9, 300)
    np.testing.assert_allclose(-SQUARED_HINGE.derivative(x), 2.0 * SQUARED_HINGE.value(x) ** 0.5, rtol=1e-14)
    np.testing.assert_allclose(-EXPONENTIAL.derivative(x), EXPONENTIAL.value(x), rtol=1e-14)


@every_loss
def test_largest_slope_is_rho(loss: Loss) -> None:
    steepest = np.max(-loss.derivative(_grid(loss)))
    if math.isinf(loss.constants.rho):
        assert steepest > 100.0
    else:
        assert loss.constants.rho * (1.0 - 1e-12) <= steepest <= loss.constants.rho


@every_loss
def test_largest_change_of_slope_is_lam(loss: Loss) -> None:
    x = np.linspace(-5.0, 2.0, 70001) if math.isfinite(loss.constants.lam) else _grid(loss)
    steepest = np.max(np.abs(np.diff(loss.derivative(x)) / np.diff(x)))
    if math.isinf(loss.constants.lam):
        assert steepest > 1e6
    else:
        # A quotient over a step of 1e-4 misses the supremum by 1e-3 of it at most; its rounding is 1e-11.
        assert loss.constants.lam * (1.0 - 1e-3) <= steepest <= loss.constants.lam * (1.0 + 1e-9)


@pytest.mark.parametrize(
    "loss", [loss for loss in ALL if math.isfinite(loss.constants.lam)], ids=lambda loss: loss.name
)
def test_smooth_losses_bound_themselves(loss: Loss) -> None:
    values, slopes = loss.value_and_derivative(_grid(loss))
    assert np.all(slopes**2 <= 2.0 * loss.constants.lam * values * (1.0 + 200 * EPS) + 1e-300)


def _reference(loss: Loss, x: float) -> tuple[float, float]:
    with decimal.localcontext(prec=500):
        e = (-decimal.Decimal(x)).exp()
        if loss is LOGISTIC:
            return float((1 + e).ln()), float(-e / (1 + e))
        return float(e), float(-e)


@pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL], ids=lambda loss: loss.name)
@pytest.mark.parametrize("x", [-700.0, -37.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 30.0, 37.0, 700.0, 1000.0])
def test_value_is_accurate_far_out(loss: Loss, x: float) -> None:
    value, slope = _reference(loss, x)
    np.testing.assert_allclose(loss.value_and_derivative(x), (value, slope), rtol=4 * EPS, atol=1e-300)


@every_loss
@pytest.mark.parametrize("x", [-1000.0, 1000.0])
def test_nothing_is_nan_far_out(loss: Loss, x: float) -> None:
    value, slope = loss.value_and_derivative(x)
    assert not np.isnan(value)
    assert not np.isnan(slope)
    assert np.isfinite(value) or (loss is EXPONENTIAL and x < 0.0)


def test_values_at_minus_a_thousand_are_exact() -> None:
    found = [loss.value(-1000.0) for loss in (LOGISTIC, HINGE, SQUARED_HINGE, HUBERISED_HINGE)]
    assert found == [1000.0, 1001.0, 1002001.0, 1000.5]


@every_loss
def test_infinite_margins_give_limits(loss: Loss) -> None:
    values, slopes = loss.value_and_derivative([-np.inf, np.inf])
    assert values[0] == np.inf
    assert values[1] == 0.0
    assert slopes[0] == -loss.constants.rho
    assert slopes[1] == 0.0


@every_loss
def test_nan_margin_gives_nan(loss: Loss) -> None:
    assert np.all(np.isnan(loss.value_and_derivative(np.nan)))


@pytest.mark.parametrize("loss", POWERS, ids=lambda loss: str(loss.parameters))
def test_power_loss_is_smooth_at_its_joint(loss: Loss) -> None:
    x_0 = loss.constants.x_0
    around = np.array([np.nextafter(x_0, -np.inf), x_0, np.nextafter(x_0, np.inf)])
    values, slopes = loss.value_and_derivative(around)
    assert np.ptp(values) <= 1e-14 * values[1]
    assert np.ptp(slopes) <= 1e-13 * -slopes[1]


@pytest.mark.parametrize(("p", "x_0"), [(0.4, 0.0), (1.0, 0.0), (0.5, 1.0), (0.5, -math.inf), (math.nan, 0.0)])
def test_power_loss_outside_its_family_is_refused(p: float, x_0: float) -> None:
    with pytest.raises(ValueError, match="choose 1/2 <= p < 1 and a finite x_0 < 1"):
        power_loss(p, x_0)


@every_loss
def test_loss_travels_by_name(loss: Loss) -> None:
    copy = pickle.loads(pickle.dumps(loss))
    assert copy == loss
    assert copy.kernel is loss.kernel


def test_unknown_loss_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no loss 'cross_entropy': choose one of logistic, "):
        named_loss("cross_entropy")


def test_constants_bear_the_names_of_the_formulas() -> None:
    assert set(dataclasses.asdict(LOGISTIC.constants)) == {"p", "x_0", "alpha_0", "alpha_1", "rho", "lam"}


def test_risk_is_the_mean_loss_of_the_margins() -> None:
    output = np.array([0.5, 2.0, -1.0])
    assert empirical_risk(HINGE, [1.0, -1.0, -1.0], output) == pytest.approx((0.5 + 3.0 + 0.0) / 3)


def test_labels_other_than_signs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a label is 0\.0: pass labels -1 and \+1"):
        check_labels([1.0, 0.0], 2)
    with pytest.raises(ValueError, match="2 labels for 3 samples"):
        check_labels([1.0, -1.0], 3)


OF_OUTPUTS = [SQUARE, CROSS_ENTROPY, exponential_of_square(0.1)]


def _naive(loss: OutputLoss, outputs: Array, targets: Array) -> float:
    """The loss of one sample, outputs and targets (times, classes), number by number."""
    if loss is CROSS_ENTROPY:
        total = 0.0
        for row, shares in zip(outputs.tolist(), targets.tolist(), strict=True):
            total += sum(t * (math.log(sum(map(math.exp, row))) - z) for z, t in zip(row, shares, strict=True))
        return total
    square = sum((z - t) ** 2 for z, t in zip(outputs.ravel().tolist(), targets.ravel().tolist(), strict=True))
    return 0.5 * square if loss is SQUARE else 0.5 * math.exp(0.1 * square)


@pytest.mark.parametrize("loss", OF_OUTPUTS, ids=lambda loss: loss.name)
def test_losses_of_outputs_are_those_written_out_and_their_derivatives_limits_of_differences(loss: OutputLoss) -> None:
    rng, step = np.random.default_rng(3), 1e-6
    outputs, moves = rng.standard_normal((2, 4, 2, 3))
    targets = rng.dirichlet(np.ones(3), (4, 2)) * 2.0
    values, slopes = loss.at_outputs(outputs, targets)
    np.testing.assert_allclose(values, [_naive(loss, z, t) for z, t in zip(outputs, targets, strict=True)], rtol=1e-13)
    (above, steeper), (below, flatter) = (loss.at_outputs(outputs + s * moves, targets) for s in (step, -step))
    np.testing.assert_allclose(np.sum(slopes * moves, axis=(1, 2)), (above - below) / (2 * step), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(
        loss.change(outputs, targets, moves), (steeper - flatter) / (2 * step), rtol=1e-6, atol=1e-8
    )
    assert pickle.loads(pickle.dumps(loss)).at_outputs(outputs, targets)[0].tolist() == values.tolist()


def test_losses_of_outputs_take_one_target_for_all_samples_and_far_outputs() -> None:
    values, slopes = CROSS_ENTROPY.at_outputs(np.array([[[1000.0, 0.0]], [[0.0, 1000.0]]]), np.array([1.0, 0.0]))
    assert values.tolist() == [0.0, 1000.0]
    assert slopes.tolist() == [[[0.0, 0.0]], [[-1.0, 1.0]]]
    single = exponential_of_square(0.5).at_outputs(np.array([1.0, 3.0]), np.zeros(1))
    np.testing.assert_allclose(single, [np.exp([0.5, 4.5]) / 2, np.exp([0.5, 4.5]) * [0.5, 1.5]], rtol=1e-15)


@pytest.mark.parametrize("lam", [0.0, -1.0, math.inf, math.nan])
def test_exponential_of_square_without_a_positive_factor_is_refused(lam: float) -> None:
    with pytest.raises(ValueError, match="choose a positive number"):
        exponential_of_square(lam)


def test_a_loss_prints_as_it_is_written() -> None:
    named = [LOGISTIC, EXPONENTIAL, HINGE, SQUARED_HINGE, HUBERISED_HINGE, SQUARE, CROSS_ENTROPY]
    assert [repr(loss) for loss in named] == [
        "LOGISTIC",
        "EXPONENTIAL",
        "HINGE",
        "SQUARED_HINGE",
        "HUBERISED_HINGE",
        "SQUARE",
        "CROSS_ENTROPY",
    ]
    assert repr(power_loss(0.75, -0.5)) == "power_loss(0.75, -0.5)"
    assert repr(dataclasses.replace(LOGISTIC, kernel=hinge)).startswith(
        "Loss(name='logistic', constants=LossConstants("
    )
    assert repr(OutputLoss("mine", np.divmod)) == "OutputLoss(name='mine', rule=<ufunc 'divmod'>, second_rule=None)"


@pytest.mark.parametrize("loss", [SQUARE, CROSS_ENTROPY])
def test_targets_of_another_number_of_samples_are_refused_with_a_sentence(loss: OutputLoss) -> None:
    with pytest.raises(
        ValueError, match=r"targets of shape \(3,\) for outputs of shape \(6,\): pass those of the shape"
    ):
        loss.at_outputs(np.zeros(6), np.ones(3))
