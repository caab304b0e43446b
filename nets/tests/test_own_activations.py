"""Activations of a user: what makes one, and what is refused when it is made."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.descent.carried_descent import CarriedDescent
from nets.networks.activations import Activation, Kink, custom_activation, leaky_relu
from nets.networks.curvature import local_lipschitz, rounding_errors
from nets.networks.forward import forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Network
from nets.tests.functions import elu_rules


def _elu(alpha: float) -> Activation:
    kinks = [(0.0, 1.0 - alpha)] if alpha != 1.0 else []
    return custom_activation(
        "elu", *elu_rules(alpha), smoothness=alpha, kinks=kinks, bends=[0.0] if alpha == 1.0 else []
    )


def _leaky(slope: float, **about: Any) -> Activation:
    value, gate = (lambda z: np.where(z > 0.0, z, slope * z)), (lambda z: np.where(z > 0.0, 1.0, slope))
    return custom_activation("leaky", value, gate, lambda z, _: 0.0 * z, smoothness=0.0, **about)


def _net(phi: Activation, seed: int = 3) -> tuple[Network, Array]:
    rng = np.random.default_rng(seed)
    net = Network(tuple(rng.standard_normal((2, 3, 3))), rng.standard_normal(3)).with_activation(phi)
    return net, rng.standard_normal((4, 3))


def _difference(net: Network, X: Array, direction: tuple[Array, ...], step: float = 1e-5) -> float:
    ends = [
        net.with_weights([W + sign * step * D for W, D in zip(net.weights, direction, strict=True)])
        for sign in (-1.0, 1.0)
    ]
    low, high = (float(np.sum(forward(end, X).output)) for end in ends)
    return (high - low) / (2.0 * step)


# --- what can be made -----------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_elu_can_be_made_and_its_gradient_is_that_of_the_output(alpha: float) -> None:
    net, X = _net(_elu(alpha))
    gradient = output_gradient(net, forward(net, X), np.ones(4))
    direction = tuple(np.random.default_rng(1).standard_normal((2, 3, 3)))
    slope = sum(float(np.sum(G * D)) for G, D in zip(gradient, direction, strict=True))
    assert slope == pytest.approx(_difference(net, X, direction), rel=1e-8)
    assert local_lipschitz(net, X, [1.0, -1.0, 1.0, 1.0], np.random.default_rng(0)).high < np.inf


def test_at_a_kink_one_end_of_the_second_derivative_is_infinite_and_at_a_bend_neither() -> None:
    low, high = _elu(0.5).curvature_range([0.0, -1.0, 1.0])
    np.testing.assert_array_equal(low, [0.0, 0.5 * np.exp(-1.0), 0.0])
    np.testing.assert_array_equal(high, [np.inf, 0.5 * np.exp(-1.0), 0.0])
    low, high = _elu(1.0).curvature_range([0.0])
    assert (low[0], high[0]) == (0.0, 1.0)


def test_a_leaky_relu_made_by_hand_is_the_one_of_the_package() -> None:
    mine, theirs = _leaky(0.25, kinks=[(0.0, 0.75)]), leaky_relu(0.25, rescaled=False)
    assert mine.kinks == theirs.kinks == (Kink(0.0, 0.75),)
    assert mine.curvature_range([0.0])[1] == theirs.curvature_range([0.0])[1] == np.inf
    y = np.array([1.0, -1.0, 1.0, 1.0])
    found, wanted = (CarriedDescent(*_net(phi), y, 1e-3).advance(20) for phi in (mine, theirs))
    np.testing.assert_array_equal(found.fall, wanted.fall)


def test_descent_crosses_several_kinks() -> None:
    """Three pieces: against plain descent, with steps that weights see."""
    phi = custom_activation(
        "three pieces",
        lambda z: np.where(z > 1.0, 0.5 + 0.5 * z, np.where(z > -0.5, z, -0.5)),
        lambda z: np.where(z > 1.0, 0.5, np.where(z > -0.5, 1.0, 0.0)),
        smoothness=0.0,
        kinks=[(1.0, -0.5), (-0.5, 1.0)],
    )
    net, X = _net(phi)
    y, scaled = np.array([1.0, -1.0, 1.0, 1.0]), 0.05
    run = CarriedDescent(net, X, y, scaled)
    run.advance(12)
    moved, first = net, np.mean(np.logaddexp(0.0, -y * forward(net, X).output))
    for _ in range(12):
        fwd = forward(moved, X)
        steps = output_gradient(moved, fwd, y / (1.0 + np.exp(y * fwd.output)) / 4)
        moved = moved.with_weights([W + scaled / first * G for W, G in zip(moved.weights, steps, strict=True)])
    for found, end, begin in zip(run.moved, moved.weights, net.weights, strict=True):
        np.testing.assert_allclose(found, end - begin, rtol=1e-9, atol=1e-12)


def test_phi_of_zero_is_zero_where_an_h_promises_it() -> None:
    rules = (lambda z: np.logaddexp(0.0, z)), (lambda z: 0.5 * (1.0 + np.tanh(0.5 * z)))
    with pytest.raises(ValueError, match=r"softplus is 0.693147 at 0, where Definition 2.1 asks for phi\(0\) = 0"):
        custom_activation("softplus", *rules, h=2.0)
    softplus = custom_activation("softplus", *rules, smoothness=0.25)
    assert softplus.at_zero == pytest.approx(np.log(2.0))
    with pytest.raises(ValueError, match=r"softplus is not said to meet Definition 2.1 of chatterji2021: it has no h"):
        _ = softplus.h
    net = Network((np.zeros((2, 2)), np.eye(2)), np.ones(2)).with_activation(softplus)
    # log(2) is no double: the error counts although the first pre-activations are 0 without one.
    assert rounding_errors(net, forward(net, np.ones((1, 2))))[1].min() >= np.finfo(float).eps


# --- what is refused ------------------------------------------------------------------------------


def _normalised(axis: int) -> Callable[[Array], Array]:
    return lambda z: (z - z.mean(axis, keepdims=True)) / np.sqrt(z.var(axis, keepdims=True) + 1e-5)


def _inverse_spread(axis: int) -> Callable[[Array], Array]:
    return lambda z: np.ones_like(z) / np.sqrt(z.var(axis, keepdims=True) + 1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_normalisation_is_refused_whose_gradient_would_be_wrong(axis: int) -> None:
    with pytest.raises(ValueError, match=r"the value of norm at .*: an activation takes each number by itself"):
        custom_activation("norm", _normalised(axis), _inverse_spread(axis), smoothness=1.0)


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _at_random(z: Array) -> Array:
    return z * np.random.default_rng().integers(0, 2, z.shape)


def _in_place(z: Array) -> Array:
    return np.maximum(z, 0.0, out=z)


def _square_root(z: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.sqrt(z)


def _gate(z: Array) -> Array:
    return np.where(z > 0.0, 1.0, 0.0)


REFUSED: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array], str]] = {
    "softmax": (_softmax, lambda z: _softmax(z) * (1.0 - _softmax(z)), "takes each number by itself"),
    "dropout": (_at_random, np.ones_like, "takes each number by itself"),
    "cumulative sum": (lambda z: np.cumsum(z, axis=1), np.ones_like, "takes each number by itself"),
    "slope by mean": (np.copy, lambda z: 0.0 * z + z.mean(), "the slope of slope by mean at .* by itself"),
    "in place": (_in_place, _gate, "the value of in place writes into the array that it is given"),
    "root": (_square_root, np.ones_like, "the value of root at .* is nan: let it be finite everywhere"),
    "steep": (
        np.copy,
        lambda z: 1.001 * np.ones_like(z),
        "the slope of steep at .* where its values rise at the rate 1",
    ),
    "sign": (np.sin, lambda z: -np.cos(z), "the slope of sign at .* where its values rise"),
    "no kink": (lambda z: np.maximum(z, 0.0), _gate, "list|places where it jumps in kinks"),
    "bend": (lambda z: np.sin(3 * z) / 3, lambda z: np.cos(3 * z), "its smoothness is 1: pass a bound of"),
    "step": (lambda z: np.sign(z), np.zeros_like, "places where it jumps in kinks"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_functions_that_make_no_activation_are_refused_in_a_sentence(name: str) -> None:
    value, slope, match = REFUSED[name]
    with pytest.raises(ValueError, match=match) as refusal:
        custom_activation(name, value, slope, smoothness=1.0)
    assert len(str(refusal.value).splitlines()) == 1


def test_a_kink_jumps_by_what_is_said_and_the_values_do_not() -> None:
    with pytest.raises(ValueError, match=r"the slope of leaky jumps at 0 by 0.75 and not by 0.5"):
        _leaky(0.25, kinks=[(0.0, 0.5)])
    with pytest.raises(ValueError, match=r"the value of step jumps at 0: an activation is continuous"):
        custom_activation("step", np.sign, np.zeros_like, smoothness=0.0, kinks=[(0.0, 0.0)])


def test_a_second_derivative_is_that_of_the_slope() -> None:
    with pytest.raises(ValueError, match=r"the second derivative of sine at .* where its slope rises at the rate"):
        custom_activation("sine", np.sin, np.cos, lambda z, _: np.sin(z), smoothness=1.0)
    value, slope, _ = elu_rules(1.0)
    with pytest.raises(ValueError, match=r"the second derivative of elu at .*: pass the derivative"):
        custom_activation("elu", value, slope, lambda z, _: np.exp(np.minimum(z, 0.0)), smoothness=1.0)


def test_how_fast_the_slope_changes_has_to_be_said() -> None:
    with pytest.raises(ValueError, match="nothing says how fast the slope of sine changes: pass smoothness"):
        custom_activation("sine", np.sin, np.cos)
    for smoothness in (-1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="pass a finite bound of"):
            custom_activation("sine", np.sin, np.cos, smoothness=smoothness)


@pytest.mark.parametrize("unit", [1e-200, 1e-12, 1e-3, 1.0, 1e6])
def test_right_functions_of_any_scale_are_taken(unit: float) -> None:
    """A sine of that scale: rounding and the step of a quotient refuse nothing."""
    phi = custom_activation(
        "sine",
        lambda z: unit * np.sin(z / unit),
        lambda z: np.cos(z / unit),
        lambda z, _: -np.sin(z / unit) / unit,
        smoothness=1.0 / unit,
    )
    assert phi.value(0.0) == 0.0


def test_a_function_of_single_numbers_is_refused_with_what_to_write() -> None:
    with pytest.raises(ValueError, match=r"waves takes no array of pre-activations: write it with numpy, as np.sin in"):
        custom_activation("waves", math.sin, math.cos, smoothness=1.0)
