"""Activations with their first and, where it is known, one-sided second derivatives.

Main definitions: `Activation`, the one type of all, and `Kink`; `RELU`, `IDENTITY`, `leaky_relu`, `huberised_relu`,
`scaled_swish`; `custom_activation`, for any other one.

The derivative of ReLU and of leaky ReLU at 0 is that of the left side: a neuron is active where its pre-activation is
strictly positive (zou2018, Section 3.2). The derivative at NaN is NaN: a mask of zeros would hide it from whatever is
computed next. Where an activation is said to be h-smoothly approximately ReLU (chatterji2021, Definition 2.1),
phi(0) = 0 is checked here; the rest is what its maker says it is.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, is_canonical, matrix
from nets.core.jit import kernel
from nets.networks.own_activations import check_rules

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


class Kink(NamedTuple):
    """A place where phi' jumps, and by how much: phi' on its right less phi' on its left."""

    place: float
    jump: float


@dataclass(frozen=True)
class Activation:
    """An activation phi, its derivative and, where it is known, its second derivative.

    Attributes
    ----------
    name : for messages and tables
    rule : phi and phi' of an array (n, m): (pre, *parameters) -> two arrays (n, m)
    curvature_rule : phi'' of (n, m), from the left where side < 0 and from the right elsewhere:
        (pre, side, *parameters) -> (n, m); None if there is none, and Hessian-vector products are then refused
    parameters : handed on to both rules
    kinks : all places where phi' jumps
    bends : all places where phi'' jumps and phi' does not
    smoothness : a bound on |phi''| away from both; 0 where phi is linear between its kinks
    def_2_1_h : the h for which phi is said to meet chatterji2021, Definition 2.1, positive and finite; or None

    Raises ValueError where phi(0) = 0 is promised, by an h, and not so; and of rules other than those of this file
    unless they act on each number by itself, and phi' is the derivative of phi and phi'' that of phi', as far as
    `nets.networks.own_activations` can tell.
    """

    name: str
    rule: Callable[..., tuple[Array, Array]]
    curvature_rule: Callable[..., Array] | None = None
    parameters: tuple[float, ...] = ()
    kinks: tuple[Kink, ...] = ()
    bends: tuple[float, ...] = ()
    smoothness: float = 0.0
    def_2_1_h: float | None = None

    def __post_init__(self) -> None:
        if self.def_2_1_h is not None and not 0.0 < self.def_2_1_h < math.inf:
            raise ValueError(f"{self.name} with h={self.def_2_1_h}: choose a positive, finite h")
        if self._own:
            return
        if not 0.0 <= self.smoothness < math.inf:
            raise ValueError(f"{self.name} has the smoothness {self.smoothness}: pass a finite bound of |phi''|")
        rules: dict[str, Callable[[Array], Array]] = {
            "value": lambda pre: self._checked(self.rule(pre, *self.parameters)[0], pre, "value"),
            "slope": lambda pre: self._checked(self.rule(pre, *self.parameters)[1], pre, "slope"),
        }
        if (bent := self.curvature_rule) is not None:
            rules["second derivative"] = lambda pre: self._checked(
                bent(pre, np.ones_like(pre), *self.parameters), pre, "second derivative"
            )
        check_rules(self.name, rules, self.kinks, self.bends, self.smoothness)
        at_zero = float(rules["value"](np.zeros((1, 1)))[0, 0])
        if self.def_2_1_h is not None and at_zero != 0.0:
            raise ValueError(
                f"{self.name} is {at_zero:.6g} at 0, where Definition 2.1 asks for phi(0) = 0: leave out its h"
            )

    @property
    def h(self) -> float:
        """The h of chatterji2021, Definition 2.1; ValueError where the activation is not said to meet it."""
        if self.def_2_1_h is None:
            raise ValueError(f"{self.name} is not said to meet Definition 2.1 of chatterji2021: it has no h")
        return self.def_2_1_h

    @cached_property
    def at_zero(self) -> float:
        """phi(0)."""
        return float(self.value(0.0))

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

    def curvature_range(self, pre: npt.ArrayLike, radius: npt.ArrayLike = 0.0) -> tuple[Array, Array]:
        """Least and largest of phi'' at z and of its two sides at each bend within `radius` of z: two arrays.

        What phi'' varies by between bends is left out. Within `radius` of a kink one of them is infinite.
        """
        z = np.asarray(pre, dtype=np.float64)
        low, high = self.curvature(z, -1.0), self.curvature(z, 1.0)
        low, high = np.minimum(low, high), np.maximum(low, high)
        for place in (*self.bends, *(kink.place for kink in self.kinks)):
            near = np.abs(z - place) <= radius
            for side in (-1.0, 1.0):
                there = float(self.curvature(place, side))
                low = np.where(near, np.minimum(low, there), low)
                high = np.where(near, np.maximum(high, there), high)
        for place, jump in self.kinks:
            near = np.abs(z - place) <= radius
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

    def __repr__(self) -> str:
        """As it is written in code, where this file makes it; of any other its fields, by which two are told apart."""
        for name, known in (("RELU", RELU), ("IDENTITY", IDENTITY)):
            if self == known:
                return name
        if self.rule is leaky_with_gate:
            for rescaled, said in ((True, ""), (False, ", rescaled=False")):
                if self == leaky_relu(self.parameters[0], rescaled):
                    return f"leaky_relu({self.parameters[0]!r}{said})"
        for maker in (huberised_relu, scaled_swish):
            if self.def_2_1_h is not None and self == maker(self.def_2_1_h):
                return f"{maker.__name__}({self.def_2_1_h!r})"
        return f"Activation({', '.join(f'{field.name}={getattr(self, field.name)!r}' for field in fields(self))})"

    def __reduce__(self) -> tuple[Callable[..., "Activation"], tuple[Any, ...]]:
        # By its maker: a compiled function travels to a worker as code, to be compiled again there.
        for maker in (huberised_relu, scaled_swish):
            if self.def_2_1_h is not None and self == maker(self.def_2_1_h):
                return maker, (self.def_2_1_h,)
        return Activation, tuple(getattr(self, field.name) for field in fields(self))


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


RELU = Activation("relu", relu_with_gate, _no_curvature, kinks=(Kink(0.0, 1.0),))
IDENTITY = Activation("identity", _identity, _no_curvature)


def leaky_relu(slope: float, rescaled: bool = True) -> Activation:
    """z above 0 and slope*z below, divided by sqrt(1 + slope^2) if `rescaled`, for any finite slope (guo2024, (18)).

    Rescaled, a Gaussian of variance v becomes a variable of mean square v/2, as with ReLU.
    """
    if not math.isfinite(slope):
        raise ValueError(f"leaky ReLU of slope {slope}: choose a finite one")
    scale = 1.0 / math.hypot(1.0, slope) if rescaled else 1.0
    kinks = (Kink(0.0, scale - scale * slope),) if slope != 1.0 else ()
    return Activation("leaky_relu", leaky_with_gate, _no_curvature, (float(slope), scale), kinks)


def huberised_relu(h: float) -> Activation:
    """The Huberised ReLU (chatterji2021, (1)): 0 below 0, z^2/(2h) on [0, h], z - h/2 above."""
    h = float(h)
    rules = (huberised_relu_with_slope, huberised_relu_curvature)
    return Activation("huberised_relu", *rules, (h,), bends=(0.0, h), smoothness=_over(h), def_2_1_h=h)


def scaled_swish(h: float) -> Activation:
    """Scaled Swish (chatterji2021, Section 2.2, example 2): z/(1.1 (1 + exp(-2z/h))); |phi''| is at most 1/(1.1 h)."""
    h = float(h)
    return Activation("scaled_swish", swish_with_slope, swish_curvature, (h,), smoothness=_over(h), def_2_1_h=h)


def _over(h: float) -> float:
    """1/h, the bound on |phi''| of Definition 2.1; of an h that is no size, which is refused, 0."""
    return 1.0 / h if h > 0.0 else 0.0


def custom_activation(
    name: str,
    value: Callable[[Array], Any],
    slope: Callable[[Array], Any],
    curvature: Callable[[Array, Array], Any] | None = None,
    *,
    smoothness: float | None = None,
    h: float | None = None,
    kinks: Iterable[tuple[float, float]] = (),
    bends: Iterable[float] = (),
) -> Activation:
    """An activation from elementwise functions of arrays, in plain Python or compiled.

    `value` and `slope` take pre-activations (n, m) and return arrays of that shape. `curvature`, needed for
    Hessian-vector products alone, takes a second array too, the side: negative asks for phi'' from the left.
    `kinks` are the places where phi' jumps, each with its jump, `bends` those where phi'' does; a bend left out is
    treated as though it were none. `smoothness` bounds |phi''| elsewhere, by default by the 1/h of Definition 2.1.
    Functions defined at the top of a module travel to worker processes, lambdas do not.

    Raises ValueError as `Activation` does, and for functions of single numbers.
    """
    for function in (value, slope):
        try:
            function(np.zeros((1, 2)))
        except TypeError:
            raise ValueError(
                f"{name} takes no array of pre-activations: write it with numpy, as np.sin in place of math.sin"
            ) from None
    if smoothness is None:
        if h is None:
            raise ValueError(f"nothing says how fast the slope of {name} changes: pass smoothness, a bound of |phi''|")
        smoothness = _over(float(h))
    return Activation(
        name,
        _Pair(value, slope),
        curvature,
        kinks=tuple(Kink(float(place), float(jump)) for place, jump in kinks),
        bends=tuple(map(float, bends)),
        smoothness=float(smoothness),
        def_2_1_h=None if h is None else float(h),
    )


def _row(values: npt.ArrayLike) -> Array:
    array = np.asarray(values, dtype=np.float64)
    return matrix(array if array.ndim == 2 else np.reshape(array, (1, -1)), "the pre-activation")
