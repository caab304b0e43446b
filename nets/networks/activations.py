"""Activations with their first and, where it is known, one-sided second derivatives.

Main definitions: `Activation`, the one type of all; `RELU`, `IDENTITY`, `leaky_relu`, `huberised_relu`,
`scaled_swish`; `custom_activation`, for any other one.

The derivative of ReLU and of leaky ReLU at 0 is that of the left side: a neuron is active where its pre-activation is
strictly positive (zou2018, Section 3.2). The derivative at NaN is NaN: a mask of zeros would hide it from whatever is
computed next. That an activation is h-smoothly approximately ReLU (chatterji2021, Definition 2.1) is not checked here:
h is what its maker says it is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, is_canonical, matrix
from nets.core.jit import kernel

# The paper divides Swish by this, so that its slope, at most 1.09984 before, stays below 1.
SWISH_DIVISOR = 1.1

# Beyond this |2z/h| Swish is its limit to the last bit: exp(-800) is 0, while an infinite 2z/h would lead to NaN.
SWISH_FAR = 800.0


def relu_with_gate(pre: Array) -> tuple[Array, Array]:
    """max(z, 0) and 1{z > 0} of pre-activations (n, m): two arrays (n, m)."""
    # numpy allocates: it asks for large pages where the arrays are large, which compiled code does not.
    post, gate = np.empty_like(pre), np.empty_like(pre)
    write_relu(pre, post, gate)
    return post, gate


@kernel
def write_relu(pre: Array, post: Array, gate: Array) -> None:
    """max(z, 0) and 1{z > 0} of pre-activations (n, m), written into two arrays (n, m).

    Nothing is returned: of a small layer, arrays on their way back from compiled code take longer than their entries.
    """
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            post[i, j] = 0.0 if z <= 0.0 else z
            gate[i, j] = 1.0 if z > 0.0 else (0.0 if z <= 0.0 else z)


@kernel
def leaky_with_gate(pre: Array, slope: float, scale: float) -> tuple[Array, Array]:
    """z where z > 0, slope*z elsewhere, and the derivative, both times scale, of (n, m): two arrays (n, m)."""
    post = np.empty_like(pre)
    gate = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            post[i, j] = scale * (slope * z if z <= 0.0 else z)
            gate[i, j] = scale * (1.0 if z > 0.0 else (slope if z <= 0.0 else z))
    return post, gate


@kernel
def huberised_relu_with_slope(pre: Array, h: float) -> tuple[Array, Array]:
    """0 below 0, z^2/(2h) on [0, h], z - h/2 above, and the derivative, of pre-activations (n, m): two (n, m)."""
    post = np.empty_like(pre)
    slopes = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            if z > h:
                post[i, j] = z - 0.5 * h
                slopes[i, j] = 1.0
            elif z <= 0.0:
                post[i, j] = 0.0
                slopes[i, j] = 0.0
            else:
                # Not z^2, which vanishes for z = h = 1e-170.
                slopes[i, j] = z / h
                post[i, j] = 0.5 * z * slopes[i, j]
    return post, slopes


@kernel
def huberised_relu_curvature(pre: Array, side: Array, h: float) -> Array:
    """1/h on (0, h), 0 outside, from the left at a kink where side < 0, else from the right: (n, m) twice -> (n, m)."""
    out = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            if z < 0.0 or z > h:
                out[i, j] = 0.0
            elif z == 0.0:
                out[i, j] = 0.0 if side[i, j] < 0.0 else 1.0 / h
            elif z == h:
                out[i, j] = 1.0 / h if side[i, j] < 0.0 else 0.0
            else:
                out[i, j] = 1.0 / h if z < h else z
    return out


@kernel
def swish_with_slope(pre: Array, h: float) -> tuple[Array, Array]:
    """z/(1.1 (1 + exp(-2z/h))) and its derivative, of pre-activations (n, m): two arrays (n, m)."""
    post = np.empty_like(pre)
    slopes = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            z = pre[i, j]
            t = 2.0 * z / h
            if t > SWISH_FAR:
                post[i, j] = z / SWISH_DIVISOR
                slopes[i, j] = 1.0 / SWISH_DIVISOR
            elif t < -SWISH_FAR:
                post[i, j] = 0.0
                slopes[i, j] = 0.0
            else:
                # exp of a negative number only; 1 - sigmoid is not formed by a difference.
                e = np.exp(-abs(t))
                near, far = 1.0 / (1.0 + e), e / (1.0 + e)
                sigmoid = near if t >= 0.0 else far
                post[i, j] = z * sigmoid / SWISH_DIVISOR
                slopes[i, j] = (sigmoid + t * near * far) / SWISH_DIVISOR
    return post, slopes


@kernel
def swish_curvature(pre: Array, _side: Array, h: float) -> Array:
    """Second derivative of z/(1.1 (1 + exp(-2z/h))), which has no kink: (n, m) twice -> (n, m)."""
    out = np.empty_like(pre)
    for i in range(pre.shape[0]):
        for j in range(pre.shape[1]):
            t = 2.0 * pre[i, j] / h
            if abs(t) > SWISH_FAR:
                out[i, j] = 0.0
            else:
                size = abs(t)
                e = np.exp(-size)
                bend = 2.0 - size * (1.0 - e) / (1.0 + e)
                out[i, j] = 2.0 / h * (e / (1.0 + e) / (1.0 + e)) * bend / SWISH_DIVISOR
    return out


@dataclass(frozen=True)
class Activation:
    """An activation phi with phi(0) = 0, its derivative and, where it is known, its second derivative.

    Attributes
    ----------
    name : for messages and tables
    h : the h of chatterji2021, Definition 2.1, positive and finite; 0 where the derivative jumps or nothing bends
    rule : phi and phi' of an array (n, m): (pre, *parameters) -> two arrays (n, m)
    curvature_rule : phi'' of (n, m), from the left where side < 0 and from the right elsewhere:
        (pre, side, *parameters) -> (n, m); None if there is none, and Hessian-vector products are then refused
    kinks : where phi'' jumps, of an activation with a Lipschitz derivative
    parameters : handed on to both rules
    """

    name: str
    h: float
    rule: Callable[..., tuple[Array, Array]]
    curvature_rule: Callable[..., Array] | None = None
    kinks: tuple[float, ...] = ()
    parameters: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (0.0 < self.h < math.inf or self.rule in (relu_with_gate, leaky_with_gate, _identity)):
            raise ValueError(f"{self.name} with h={self.h}: choose a positive, finite h")

    @cached_property
    def _own(self) -> bool:
        """Whether the rule is one of this file, which needs no check at every call."""
        return self.rule in (relu_with_gate, leaky_with_gate, _identity, huberised_relu_with_slope, swish_with_slope)

    def value_and_slope(self, pre: npt.ArrayLike) -> tuple[Array, Array]:
        """phi and phi' at pre-activations of any shape: two arrays of that shape."""
        if self._own and is_canonical(pre, 2):
            return self.rule(pre, *self.parameters)
        rows, shape = _row(pre), np.shape(pre)
        value, slope = self.rule(rows, *self.parameters)
        return self._checked(value, rows, "value").reshape(shape), self._checked(slope, rows, "slope").reshape(shape)

    def value(self, pre: npt.ArrayLike) -> Array:
        """phi, elementwise."""
        return self.value_and_slope(pre)[0]

    def slope(self, pre: npt.ArrayLike) -> Array:
        """phi', elementwise."""
        return self.value_and_slope(pre)[1]

    def curvature(self, pre: npt.ArrayLike, side: npt.ArrayLike = 1.0) -> Array:
        """phi'', elementwise, from the side of `curvature_rule`; ValueError where the activation has none."""
        if self.curvature_rule is None:
            raise ValueError(
                f"{self.name} has no second derivative: make it with custom_activation(..., curvature=...)"
            )
        rows, shape = _row(pre), np.shape(pre)
        sides = np.empty(shape)
        sides[...] = side
        return self._checked(self.curvature_rule(rows, _row(sides), *self.parameters), rows, "curvature").reshape(shape)

    @property
    def jump(self) -> float:
        """By how much phi' jumps at 0, as that of ReLU does by 1; 0 where it is continuous."""
        left, right = (0.0, 0.0) if self.h else self.slope([-1.0, 1.0])
        return float(right - left)

    def curvature_range(self, pre: npt.ArrayLike, radius: npt.ArrayLike = 0.0) -> tuple[Array, Array]:
        """Least and largest of phi'' at z and of its two sides at each kink within `radius` of z: two arrays.

        What phi'' varies by between kinks is left out. Where phi' jumps one of them is infinite.
        """
        z = np.asarray(pre, dtype=np.float64)
        low, high = self.curvature(z, -1.0), self.curvature(z, 1.0)
        low, high = np.minimum(low, high), np.maximum(low, high)
        for kink in self.kinks:
            near = np.abs(z - kink) <= radius
            for side in (-1.0, 1.0):
                there = float(self.curvature(kink, side))
                low = np.where(near, np.minimum(low, there), low)
                high = np.where(near, np.maximum(high, there), high)
        near, jump = np.abs(z) <= radius, self.jump
        low = np.where(near & (jump < 0.0), -np.inf, low)
        high = np.where(near & (jump > 0.0), np.inf, high)
        return low, high

    def _checked(self, found: Any, rows: Array, what: str) -> Array:
        if is_canonical(found, 2) and found.shape == rows.shape:
            return found
        array = np.asarray(found)
        if array.shape != rows.shape or not np.can_cast(array.dtype, np.float64):
            raise ValueError(
                f"the {what} of {self.name} gave {array.dtype} of shape {array.shape} for pre-activations of shape"
                f" {rows.shape}: let it return one real number per entry"
            )
        return np.ascontiguousarray(array, dtype=np.float64)

    def __reduce__(self) -> tuple[Callable[..., "Activation"], tuple[Any, ...]]:
        # By its maker: a compiled function travels to a worker as code, to be compiled again there.
        for maker in (huberised_relu, scaled_swish):
            if self.h and self == maker(self.h):
                return maker, (self.h,)
        return Activation, (self.name, self.h, self.rule, self.curvature_rule, self.kinks, self.parameters)


@dataclass(frozen=True)
class _Pair:
    """Two elementwise functions as one rule; a class, so that it travels to workers when they do."""

    value: Callable[[Array], Any]
    slope: Callable[[Array], Any]

    def __call__(self, pre: Array) -> tuple[Any, Any]:
        return self.value(pre), self.slope(pre)


def _identity(pre: Array) -> tuple[Array, Array]:
    return pre.copy(), np.where(np.isnan(pre), np.nan, 1.0)


def _no_curvature(pre: Array, _side: Array, *_parameters: float) -> Array:
    """0, and NaN at NaN: the second derivative of a function that is linear on either side of 0, away from 0."""
    return np.where(np.isnan(pre), np.nan, 0.0)


RELU = Activation("relu", 0.0, relu_with_gate, _no_curvature)
IDENTITY = Activation("identity", 0.0, _identity, _no_curvature)


def leaky_relu(slope: float, rescaled: bool = True) -> Activation:
    """z above 0 and slope*z below, divided by sqrt(1 + slope^2) if `rescaled`, for any finite slope (guo2024, (18)).

    Rescaled, a Gaussian of variance v becomes a variable of mean square v/2, as with ReLU.
    """
    if not math.isfinite(slope):
        raise ValueError(f"leaky ReLU of slope {slope}: choose a finite one")
    scale = 1.0 / math.hypot(1.0, slope) if rescaled else 1.0
    return Activation("leaky_relu", 0.0, leaky_with_gate, _no_curvature, parameters=(float(slope), scale))


def huberised_relu(h: float) -> Activation:
    """The Huberised ReLU (chatterji2021, (1)): 0 below 0, z^2/(2h) on [0, h], z - h/2 above."""
    h = float(h)
    rules = (huberised_relu_with_slope, huberised_relu_curvature)
    return Activation("huberised_relu", h, *rules, kinks=(0.0, h), parameters=(h,))


def scaled_swish(h: float) -> Activation:
    """Scaled Swish (chatterji2021, Section 2.2, example 2): z/(1.1 (1 + exp(-2z/h)))."""
    h = float(h)
    return Activation("scaled_swish", h, swish_with_slope, swish_curvature, parameters=(h,))


def custom_activation(
    name: str,
    h: float,
    value: Callable[[Array], Any],
    slope: Callable[[Array], Any],
    curvature: Callable[[Array, Array], Any] | None = None,
    kinks: tuple[float, ...] = (),
) -> Activation:
    """An activation from elementwise functions of arrays, in plain Python or compiled.

    `value` and `slope` take pre-activations (n, m) and return arrays of that shape. `curvature`, needed for
    Hessian-vector products alone, takes a second array too, the side: negative asks for phi'' from the left.
    `kinks` lists all points where phi'' jumps; one left out is treated as though it were none. Functions defined at
    the top of a module travel to worker processes, lambdas do not.
    """
    return Activation(name, float(h), _Pair(value, slope), curvature, tuple(float(kink) for kink in kinks))


def _row(values: npt.ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    return matrix(array if array.ndim == 2 else np.reshape(array, (1, -1)), "the pre-activation")
