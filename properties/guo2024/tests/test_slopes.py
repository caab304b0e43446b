"""The slopes of the claims, and the jump of the derivative against the activation itself."""

import math

import numpy as np
import pytest

from nets.networks.activations import leaky_relu
from properties.guo2024.slopes import SLOPES, any_slope, jump


@pytest.mark.parametrize("slope", SLOPES)
def test_the_jump_is_that_of_the_activation(slope: float) -> None:
    assert jump(slope) == pytest.approx(leaky_relu(slope).kinks[0].jump, rel=1e-14)


def test_the_slopes_are_below_one_and_the_jump_is_largest_at_minus_one() -> None:
    assert max(SLOPES) < 1.0
    assert max(SLOPES, key=jump) == -1.0
    assert jump(-1.0) == pytest.approx(math.sqrt(2.0))


def test_any_slope_is_each_of_them_as_often_as_the_others() -> None:
    """Of 7000 draws each slope has 1000, up to six standard deviations."""
    rng = np.random.default_rng(5)
    values, counts = np.unique([any_slope(rng) for _ in range(7000)], return_counts=True)
    assert values.tolist() == sorted(SLOPES)
    assert counts == pytest.approx(np.full(7, 1000.0), abs=6.0 * math.sqrt(7000.0 / 7.0 * 6.0 / 7.0))
