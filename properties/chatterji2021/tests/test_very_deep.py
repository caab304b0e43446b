"""Very deep chains: their pass and one gradient step against numbers of mpmath, found as they were asked for."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from bounds.papers import chatterji2021 as sheet
from nets.data.distances import DataError
from properties.chatterji2021.tiny_losses import largest_h, log_threshold
from properties.chatterji2021.very_deep import BEND, DEEPEST_BITS, EXCESS, Deep

# As many digits as the helper has bits for.
DIGITS = int(DEEPEST_BITS * math.log10(2.0))
N = 3
shapes = pytest.mark.parametrize(("L", "share", "least"), [(20, 0.5, 0.5), (20, 0.5, 0.1), (60, 0.6, 1e-3)])


def _pass(deep: Deep, weights: list[Any]) -> tuple[Any, list[Any]]:
    """The output and its derivatives in all weights: phi is a line of slope `slope` beyond the knots."""
    slope = mpmath.mpf(deep.slope)
    middle = (mpmath.mpf(deep.knee) + mpmath.mpf(deep.end)) / 2
    features = [mpmath.mpf(1)]
    for v in weights[:-1]:
        features.append(middle + slope * (features[-1] * v - middle))
    slopes = []
    for k, feature in enumerate(features):
        # Every layer above the k-th multiplies by its weight, and by the slope unless it is the output.
        slopes.append(feature * slope ** (len(weights) - 1 - k) * mpmath.fprod(weights[k + 1 :]))
    return features[-1] * weights[-1], slopes


def _exact(deep: Deep) -> list[Any]:
    return [mpmath.mpf(v) for v in deep.weights]


@shapes
def test_what_is_found_has_the_weights_the_output_and_the_h_asked_for(L: int, share: float, least: float) -> None:
    found = Deep.find(L, N, share, least)
    shrinking = round(share * L)
    assert found.small**shrinking == pytest.approx(least, rel=1e-12)
    assert found.weights == [found.small] * shrinking + [found.large] * (L + 1 - shrinking)
    pre, output = found.forward()
    assert output == pytest.approx(EXCESS * log_threshold(L, N), rel=1e-8)
    norm = math.sqrt(sum(v * v for v in found.weights))
    assert found.widest == pytest.approx(largest_h(L, 1, output, norm), rel=1e-9)
    assert found.h == pytest.approx(BEND * found.widest, rel=1e-8)
    # Beyond both knots everywhere, and within what Definition 2.1 allows the bend.
    assert min(pre) > found.end > found.knee > 0.0
    assert (1.0 - found.slope) * found.h <= found.end - found.knee
    assert (1.0 - found.slope) * (found.knee + found.end) <= found.h


@shapes
def test_passes_and_derivatives_in_floats_agree_with_many_digits(L: int, share: float, least: float) -> None:
    found = Deep.find(L, N, share, least)
    with mpmath.workdps(60):
        output, slopes = _pass(found, _exact(found))
    assert found.forward()[1] == pytest.approx(float(output), rel=1e-12)
    assert found.slopes == pytest.approx([float(slope) for slope in slopes], rel=1e-12)
    weights = np.array(found.weights)
    assert found.squares == pytest.approx((float(weights @ weights), float(np.square(found.slopes).sum())), rel=1e-12)


@shapes
def test_the_first_step_in_balls_is_that_of_as_many_digits(L: int, share: float, least: float) -> None:
    found = Deep.find(L, N, share, least)
    step = found.first_step
    assert step is not None
    with mpmath.workdps(DIGITS):
        weights = _exact(found)
        output, slopes = _pass(found, weights)
        norm = mpmath.sqrt(mpmath.fsum(v * v for v in weights))
        loss = mpmath.log1p(mpmath.exp(-output))
        length = mpmath.mpf(found.h) / (1024 * (L + 1) ** 2 * loss * norm ** (3 * L + 5)) / 2
        moved = [v + length * -mpmath.expm1(-loss) * g for v, g in zip(weights, slopes, strict=True)]
        after, _ = _pass(found, moved)
        norm_after = mpmath.sqrt(mpmath.fsum(v * v for v in moved))
        loss_after = mpmath.log1p(mpmath.exp(-after))
        quotient = mpmath.log(norm_after / norm) / mpmath.log(mpmath.log(loss_after) / mpmath.log(loss))
        factor = L * (L + mpmath.mpf("0.75")) ** 2 * length * loss / ((L + mpmath.mpf("0.5")) * norm**2)
        rate = factor * (-mpmath.log(loss)) ** (mpmath.mpf(2) / L) / (loss / loss_after - 1)
        quotient, rate = float(quotient), float(rate)
        log_loss = float(mpmath.log(loss))
    assert float(step.norm) == pytest.approx(float(norm), rel=1e-13)
    assert float(step.log_loss) == pytest.approx(log_loss, rel=1e-13)
    assert step.norm_after > step.norm
    assert step.log_after < step.log_loss
    assert float(found.quotient_ball()) == pytest.approx(quotient, rel=1e-12)
    assert float(found.rate_share_ball(2.0 / L)) == pytest.approx(rate, rel=1e-9)
    assert found.quotient_ball().rad() <= 1e-20
    # In a step that short the floats of an infinitely short one say the same.
    assert found.quotient() == pytest.approx(quotient, rel=1e-6)
    assert found.rate_share(2.0 / L) == pytest.approx(rate, rel=1e-6)


def test_the_rate_share_is_the_rate_of_the_sheet_over_the_fall_of_the_loss() -> None:
    found = Deep.find(20, N, 0.5, 0.5)
    step = found.first_step
    assert step is not None
    loss, norm, eta = math.exp(float(step.log_loss)), float(step.norm), 1e-3
    rate = float(sheet.eq_3c.evaluate({"L": 20, "eta": eta, "J1": loss, "normV1": norm}))
    # J_1/J_2 - 1 is eta J_1 times the squared norm of the derivatives of the output, to first order.
    assert found.rate_share(2.0 / 20) == pytest.approx(rate / (eta * loss * found.squares[1]), rel=1e-6)


def test_without_a_certain_hypothesis_there_is_no_step_and_what_depends_on_it_is_nan() -> None:
    found = Deep.find(20, N, 0.5, 0.5)
    wider = Deep(20, N, found.shrinking, found.small, found.large, 2.0 * found.h, found.knee, found.end, found.slope)
    larger = Deep(20, 2 * N, found.shrinking, found.small, found.large, found.h, found.knee, found.end, found.slope)
    for other in (wider, larger):
        assert other.first_step is None
        assert other.quotient_ball().is_nan()
        assert other.rate_share_ball(1.0).is_nan()


def test_networks_that_the_iteration_does_not_find_are_refused() -> None:
    with pytest.raises(DataError, match=r"no network of 20 layers was found for the share 0.5 and features of"):
        Deep.find(20, N, 0.5, 1e-200)


@pytest.mark.parametrize("share", [0.01, 1.2])
def test_a_share_of_no_layer_or_of_more_than_there_are_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="of 20 layers shrink the feature: choose a share"):
        Deep.find(20, N, share, 0.1)
