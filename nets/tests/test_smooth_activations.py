"""Smooth activations: values, slopes and one-sided curvatures at kinks and far out; activations of a user."""

import pickle
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.activations import RELU, Activation, custom_activation, huberised_relu, scaled_swish

EPS = np.finfo(np.float64).eps
both = pytest.mark.parametrize("make", [huberised_relu, scaled_swish])
Maker = Callable[[float], Activation]


def _reference(name: str, z: mpmath.mpf, h: mpmath.mpf) -> mpmath.mpf:
    if name == "scaled_swish":
        return z / (mpmath.mpf("1.1") * (1 + mpmath.exp(-2 * z / h)))
    return mpmath.mpf(0) if z < 0 else z * z / (2 * h) if z <= h else z - h / 2


@both
@pytest.mark.parametrize("h", [1e-8, 0.3, 1.0, 50.0])
def test_values_slopes_and_curvatures_are_those_of_the_formula(make: Maker, h: float) -> None:
    phi = make(h)
    z = h * np.array([-30.0, -3.1, -0.7, -1e-3, 1e-5, 0.25, 0.9, 1.1, 2.7, 40.0])
    with mpmath.workdps(60):
        exact = [
            [float(mpmath.diff(lambda t: _reference(phi.name, t, mpmath.mpf(h)), mpmath.mpf(x), k)) for x in z]
            for k in range(3)
        ]
    # 1.1 is no double, and exp(-t) errs by t/2 units in the last place.
    np.testing.assert_allclose(phi.value(z), exact[0], rtol=100 * EPS, atol=0.0)
    np.testing.assert_allclose(phi.slope(z), exact[1], rtol=100 * EPS, atol=0.0)
    np.testing.assert_allclose(phi.curvature(z), exact[2], rtol=100 * EPS, atol=0.0)


@given(st.floats(1e-3, 1e3), st.floats(-1e6, 1e6), st.sampled_from([huberised_relu, scaled_swish]))
def test_the_inequalities_of_the_definition_hold(h: float, z: float, make: Maker) -> None:
    phi = make(h)
    value, slope = (float(found) for found in phi.value_and_slope(z))
    rounding = 8 * EPS * (abs(z) + h)
    assert phi.value(0.0) == 0.0
    assert abs(slope) <= 1.0
    assert abs(slope * z - value) <= h / 2 + rounding
    assert abs(float(phi.curvature(z))) <= (1.0 + 4 * EPS) / h


def test_huberised_relu_meets_all_three_with_equality() -> None:
    phi = huberised_relu(0.5)
    assert phi.slope(0.5) == 1.0
    assert phi.curvature(0.25) == 2.0
    assert phi.slope(3.0) * 3.0 - phi.value(3.0) == 0.25


def test_swish_needs_the_divisor() -> None:
    # The largest slope of z/(1 + exp(-2z/h)) is 1.0998393..., at 2z/h = 2.39936.
    slopes = scaled_swish(2.0).slope(np.linspace(2.39, 2.41, 2001))
    assert 1.09983932 < 1.1 * slopes.max() < 1.0998394
    assert scaled_swish(2.0).curvature(0.0) == pytest.approx(1.0 / 2.2, rel=4 * EPS)


def test_curvature_of_huberised_relu_has_two_sides_at_bends() -> None:
    z, phi = np.array([0.0, -0.0, 0.25]), huberised_relu(0.25)
    np.testing.assert_array_equal(phi.curvature(z, -1.0), [0.0, 0.0, 4.0])
    np.testing.assert_array_equal(phi.curvature(z, 1.0), [4.0, 4.0, 0.0])
    np.testing.assert_array_equal(phi.curvature(z, [1.0, -1.0, 1.0]), [4.0, 0.0, 0.0])
    around = np.nextafter(z, -1.0), np.nextafter(z, 1.0)
    np.testing.assert_array_equal(phi.curvature(around[0]), [0.0, 0.0, 4.0])
    np.testing.assert_array_equal(phi.curvature(around[1]), [4.0, 4.0, 0.0])


def test_range_of_curvature_takes_in_the_bends_within_the_radius() -> None:
    phi = huberised_relu(0.25)
    z = np.array([-1e-3, 1e-3, 0.125, 0.2501, 1.0, 0.0])
    low, high = phi.curvature_range(z, 1e-2)
    np.testing.assert_array_equal(low, [0.0, 0.0, 4.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(high, [4.0, 4.0, 4.0, 4.0, 0.0, 4.0])
    low, high = phi.curvature_range(z)
    np.testing.assert_array_equal(low < high, [False, False, False, False, False, True])


def test_range_of_curvature_wider_than_h_takes_in_both_bends() -> None:
    low, high = huberised_relu(1e-17).curvature_range([2e-17, -2e-17], 1e-16)
    np.testing.assert_array_equal(low, 0.0)
    np.testing.assert_allclose(high, 1e17, rtol=EPS)


@both
@pytest.mark.parametrize("h", [1e-300, 1e-17, 1.0, 1e100])
def test_nothing_is_nan_or_infinite_far_out(make: Maker, h: float) -> None:
    z = np.array([-1e300, -1e10, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1e10, 1e300])
    assert np.isfinite(make(h).value_and_slope(z)).all()
    assert np.isfinite(make(h).curvature(z)).all()


@both
def test_infinite_pre_activations_give_limits(make: Maker) -> None:
    values, slopes = make(0.5).value_and_slope([-np.inf, np.inf])
    top = 1.0 if make is huberised_relu else 1.0 / 1.1
    np.testing.assert_array_equal(values, [0.0, np.inf])
    np.testing.assert_array_equal(slopes, [0.0, top])
    np.testing.assert_array_equal(make(0.5).curvature([-np.inf, np.inf]), 0.0)


@both
def test_nan_stays_nan(make: Maker) -> None:
    assert np.isnan(make(0.5).value_and_slope([np.nan, 1.0])[0][0])
    assert np.isnan(make(0.5).value_and_slope([np.nan, 1.0])[1][0])
    assert np.isnan(make(0.5).curvature([np.nan, 1.0])[0])


def test_squares_of_tiny_numbers_do_not_vanish() -> None:
    assert huberised_relu(1e-200).value(0.5e-200) == pytest.approx(0.125e-200, rel=4 * EPS)


@given(st.floats(-10.0, 10.0), st.floats(1e-6, 1.0))
def test_huberised_relu_tends_to_relu(z: float, h: float) -> None:
    gap = float(RELU.value(z) - huberised_relu(h).value(z))
    assert 0.0 <= gap <= 0.5 * h * (1.0 + 4 * EPS) + 2 * EPS * abs(z)


@both
def test_scaling_z_and_h_scales_the_value(make: Maker) -> None:
    z = np.linspace(-3.0, 3.0, 25)
    np.testing.assert_array_equal(make(4.0).value(4.0 * z), 4.0 * make(1.0).value(z))
    np.testing.assert_array_equal(make(4.0).slope(4.0 * z), make(1.0).slope(z))
    np.testing.assert_array_equal(make(4.0).curvature(4.0 * z), make(1.0).curvature(z) / 4.0)


@both
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_shape_is_kept(make: Maker, shape: tuple[int, ...]) -> None:
    phi = make(0.5)
    assert {found.shape for found in phi.value_and_slope(np.ones(shape))} == {shape}
    assert phi.curvature(np.ones(shape)).shape == phi.curvature(np.ones(shape), -np.ones(shape)).shape == shape


# --- activations of a user ------------------------------------------------------------------------

BEND = 0.5


def _bend_value(z: Array) -> Array:
    beyond = np.clip(z - BEND, 0.0, None)
    return z - np.where(beyond < BEND, beyond**2, 2 * BEND * beyond - BEND**2) / 2.0


def _bend_slope(z: Array) -> Array:
    return 1.0 - np.clip(z - BEND, 0.0, BEND)


def _bend_curvature(z: Array, side: Array) -> Array:
    inside = np.where(side < 0.0, (z > BEND) & (z <= 2 * BEND), (z >= BEND) & (z < 2 * BEND))
    return -1.0 * inside


def _bent() -> Activation:
    return custom_activation("bent", _bend_value, _bend_slope, _bend_curvature, h=1.0, bends=(BEND, 2 * BEND))


def test_plain_functions_make_an_activation() -> None:
    z = np.array([[-1.0, 0.4], [0.75, 3.0]])
    value, slope = _bent().value_and_slope(z)
    np.testing.assert_array_equal(value, _bend_value(z))
    np.testing.assert_array_equal(slope, _bend_slope(z))
    np.testing.assert_array_equal(_bent().curvature(z), [[0.0, 0.0], [-1.0, 0.0]])
    np.testing.assert_array_equal(_bent().curvature_range([BEND, 0.7])[0], [-1.0, -1.0])
    np.testing.assert_array_equal(_bent().curvature_range([BEND, 0.7])[1], [0.0, -1.0])


def test_a_joint_kernel_makes_an_activation() -> None:
    original = huberised_relu(0.5)
    mine = Activation("mine", original.rule, parameters=(0.5,), smoothness=2.0)
    np.testing.assert_array_equal(mine.value([0.25, 1.0]), original.value([0.25, 1.0]))


def test_activations_travel() -> None:
    named_alike = custom_activation("huberised_relu", np.copy, np.ones_like, h=0.3)
    for phi in (huberised_relu(0.3), scaled_swish(0.3), _bent(), named_alike):
        copy = pickle.loads(pickle.dumps(phi))
        assert copy == phi
        np.testing.assert_array_equal(copy.value([0.1, 0.7]), phi.value([0.1, 0.7]))


def test_without_second_derivative_curvature_is_refused() -> None:
    identity = custom_activation("identity", np.copy, np.ones_like, smoothness=0.0)
    np.testing.assert_array_equal(identity.value([1.0, -2.0]), [1.0, -2.0])
    with pytest.raises(ValueError, match=r"identity has no second derivative: make it with custom_activation"):
        identity.curvature([1.0])


@pytest.mark.parametrize("wrong", [np.sum, lambda z: z[:, :1], lambda z: 1j * z])
def test_functions_that_are_not_elementwise_are_refused(wrong: Callable[[Array], Array]) -> None:
    with pytest.raises(ValueError, match="let it return one real number per entry"):
        custom_activation("odd", wrong, np.ones_like, smoothness=1.0)
    with pytest.raises(ValueError, match="the slope of odd gave"):
        custom_activation("odd", np.copy, wrong, smoothness=1.0)


@pytest.mark.parametrize("h", [0.0, -1.0, np.inf, np.nan])
def test_an_h_that_is_no_size_is_refused(h: float) -> None:
    for make in (huberised_relu, scaled_swish, lambda h: custom_activation("mine", np.copy, np.ones_like, h=h)):
        with pytest.raises(ValueError, match="choose a positive, finite h"):
            make(h)
