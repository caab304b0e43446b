"""The slopes of the claims, and the jump of the derivative against the activation itself."""

from __future__ import annotations

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


def test_any_slope_is_one_of_them_and_each_comes_up() -> None:
    rng = np.random.default_rng(0)
    assert {any_slope(rng) for _ in range(200)} == set(SLOPES)
