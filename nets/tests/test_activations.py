"""Activations and gates at and around the kink, and at NaN."""

import pickle
from typing import cast

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks import activations
from nets.networks.activations import IDENTITY, RELU, Activation, custom_activation, leaky_relu

TINY = np.nextafter(0.0, 1.0)


def test_relu_keeps_the_positive_part() -> None:
    np.testing.assert_array_equal(RELU.value([-2.0, -0.0, 0.0, 3.0]), [0.0, 0.0, 0.0, 3.0])


def test_gate_opens_strictly_above_zero() -> None:
    np.testing.assert_array_equal(RELU.slope([-TINY, -0.0, 0.0, TINY]), [0.0, 0.0, 0.0, 1.0])


def test_leaky_gate_is_the_derivative() -> None:
    z, step = np.array([-2.0, -0.5, 0.5, 2.0]), 1e-3
    slopes = (leaky_relu(-0.3, False).value(z + step) - leaky_relu(-0.3, False).value(z - step)) / (2 * step)
    np.testing.assert_allclose(slopes, leaky_relu(-0.3, False).slope(z), rtol=1e-12)


def test_leaky_gate_at_zero_is_the_slope_of_the_left_side() -> None:
    np.testing.assert_array_equal(leaky_relu(0.1, False).slope([-0.0, 0.0, TINY]), [0.1, 0.1, 1.0])


@pytest.mark.parametrize("activation", [RELU, IDENTITY, leaky_relu(0.2)])
def test_nan_stays_nan(activation: Activation) -> None:
    for found in (*activation.value_and_slope([[np.nan, 1.0]]), activation.curvature([[np.nan, 1.0]])):
        assert np.isnan(found[0, 0])
        assert np.isfinite(found[0, 1])


@pytest.mark.parametrize("slope", [-1.0, -0.3, 0.0, 0.1, 2.0])
def test_rescaled_leaky_relu_halves_the_mean_square(slope: float) -> None:
    z = np.array([-1.0, 1.0])
    # By symmetry the mean over both signs is the mean over a Gaussian of variance 1.
    assert float(np.mean(leaky_relu(slope).value(z) ** 2)) == pytest.approx(0.5, rel=1e-14)
    np.testing.assert_allclose(leaky_relu(slope).slope(z) * z, leaky_relu(slope).value(z), rtol=1e-15)


@pytest.mark.parametrize("slope", [np.nan, np.inf])
def test_an_impossible_slope_is_refused(slope: float) -> None:
    with pytest.raises(ValueError, match="choose a finite one"):
        leaky_relu(slope)


@pytest.mark.parametrize("activation", [RELU, IDENTITY, leaky_relu(-0.3)])
def test_activations_without_bend_travel_to_workers(activation: Activation) -> None:
    there = pickle.loads(pickle.dumps(activation))
    assert there == activation


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_shape_is_kept(shape: tuple[int, ...]) -> None:
    assert RELU.value(np.ones(shape)).shape == shape
    assert leaky_relu(0.5).slope(np.ones(shape)).shape == shape


@pytest.mark.parametrize(
    "code",
    [
        "RELU",
        "IDENTITY",
        "leaky_relu(0.25)",
        "leaky_relu(-0.5, rescaled=False)",
        "huberised_relu(0.5)",
        "scaled_swish(2.0)",
    ],
)
def test_an_activation_prints_as_it_is_written(code: str) -> None:
    assert repr(_written(code)) == code


def _written(code: str) -> Activation:
    """What stands under a name of the module, or what a maker there gives."""
    name, call, arguments = code.partition("(")
    found = getattr(activations, name)
    if not call:
        return cast(Activation, found)
    given = [word.strip() for word in arguments.rstrip(")").split(",")]
    return cast(Activation, found(float(given[0]), *[False] * (len(given) - 1)))


def test_activations_of_one_name_print_apart() -> None:
    first, second = (
        custom_activation("bent", np.tanh, _slope, smoothness=1.0, kinks=kinks) for kinks in ((), ((9.0, 0.0),))
    )
    assert repr(first) != repr(second)
    assert repr(first).startswith("Activation(name='bent', rule=")


def _slope(z: Array) -> Array:
    return np.asarray(1.0 - np.tanh(z) ** 2)
