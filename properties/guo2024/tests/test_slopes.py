"""The slopes of the claims, and the jump of the derivative against the activation itself."""

from __future__ import annotations

import math

import pytest

from nets.networks.activations import leaky_relu
from properties.guo2024.slopes import SLOPES, jump


@pytest.mark.parametrize("slope", SLOPES)
def test_the_jump_is_that_of_the_activation(slope: float) -> None:
    assert jump(slope) == pytest.approx(leaky_relu(slope).kinks[0].jump, rel=1e-14)


def test_the_slopes_are_below_one_and_the_jump_is_largest_at_minus_one() -> None:
    assert max(SLOPES) < 1.0
    assert max(SLOPES, key=jump) == -1.0
    assert jump(-1.0) == pytest.approx(math.sqrt(2.0))
