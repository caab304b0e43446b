"""Activations and gates at and around the kink, and at NaN."""

import numpy as np
import pytest

from nets.activations import leaky, leaky_gate, relu, relu_gate

TINY = np.nextafter(0.0, 1.0)


def test_relu_keeps_the_positive_part() -> None:
    np.testing.assert_array_equal(relu([-2.0, -0.0, 0.0, 3.0]), [0.0, 0.0, 0.0, 3.0])


def test_gate_opens_strictly_above_zero() -> None:
    np.testing.assert_array_equal(relu_gate([-TINY, -0.0, 0.0, TINY]), [0.0, 0.0, 0.0, 1.0])


def test_leaky_gate_is_the_derivative() -> None:
    z, step = np.array([-2.0, -0.5, 0.5, 2.0]), 1e-3
    slopes = (leaky(z + step, -0.3) - leaky(z - step, -0.3)) / (2 * step)
    np.testing.assert_allclose(slopes, leaky_gate(z, -0.3), rtol=1e-12)


def test_leaky_gate_at_zero_is_the_slope_of_the_left_side() -> None:
    np.testing.assert_array_equal(leaky_gate([-0.0, 0.0, TINY], 0.1), [0.1, 0.1, 1.0])


@pytest.mark.parametrize("function", [relu, relu_gate])
def test_nan_stays_nan(function) -> None:  # type: ignore[no-untyped-def]
    assert np.isnan(function([[np.nan, 1.0]])[0, 0])


@pytest.mark.parametrize("function", [leaky, leaky_gate])
def test_nan_stays_nan_when_leaky(function) -> None:  # type: ignore[no-untyped-def]
    assert np.isnan(function([[np.nan, 1.0]], 0.2)[0, 0])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    assert relu(np.ones(shape)).shape == shape
    assert leaky_gate(np.ones(shape), 0.5).shape == shape
