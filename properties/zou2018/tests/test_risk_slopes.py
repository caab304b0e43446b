"""The derivatives written out, against difference quotients of the losses."""

import numpy as np
import pytest

from nets.networks.losses import LOSSES, Loss, power_loss
from properties.zou2018.mini_batches import SLOW_EXPONENTIAL
from properties.zou2018.risk_slopes import loss_slopes, risk_slopes

STEP = 2.0**-20


@pytest.mark.parametrize(
    "loss", [*LOSSES.values(), power_loss(2 / 3), power_loss(0.5, -3.0), SLOW_EXPONENTIAL], ids=lambda loss: loss.name
)
def test_slopes_are_the_difference_quotients_of_the_loss(loss: Loss) -> None:
    x = np.array([-7.3, -2.9, -0.31, 0.12, 0.8, 1.4, 6.0])
    quotients = (loss.value(x + STEP) - loss.value(x - STEP)) / (2.0 * STEP)
    np.testing.assert_allclose(loss_slopes(loss, x), quotients, rtol=1e-7, atol=1e-9)
    assert np.isnan(loss_slopes(loss, [np.nan])).all()


def test_risk_slopes_carry_the_label_and_the_size_of_what_is_averaged() -> None:
    squared, y, output = LOSSES["squared_hinge"], np.array([1.0, -1.0, 1.0]), np.array([0.5, 0.5, -1.0])
    np.testing.assert_allclose(risk_slopes(squared, y, output), [-1.0 / 3.0, 1.0, -4.0 / 3.0])
    np.testing.assert_allclose(risk_slopes(squared, y, output, np.array([1, 2])), [0.0, 1.5, -2.0])
