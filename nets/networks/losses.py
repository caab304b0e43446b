"""Margin losses ell(y f), their derivatives, and the constants of the assumptions made on them.

Main definitions: `Loss` and the losses in `LOSSES`, the family `power_loss`; `OutputLoss`, one of outputs of any shape,
with `SQUARE`, `CROSS_ENTROPY` and `exponential_of_square`.

Each kernel gives the values and the derivatives of a vector of margins in one pass, as the two rows of one
array. They are finite, and accurate to a few units in the last place, wherever the exact number is; the
exponential overflows to infinity below -709. Branches are written so that NaN takes the one that keeps it.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, vector
from nets.core.jit import kernel


@dataclass(frozen=True)
class LossConstants:
    """Constants of Assumptions 3.2 to 3.4 of zou2018.

    |ell'(x)| >= alpha_0 for x < x_0, |ell'(x)| >= alpha_1 ell(x)^p for x >= x_0, |ell'| <= rho, and ell' is
    lam-Lipschitz. x_0 = -inf says that the second form holds on the whole line; alpha_0 is then infinite. An infinite
    rho or lam says that the loss does not satisfy the assumption. Given p and x_0, the constants are the best possible.
    """

    p: float
    x_0: float
    alpha_0: float
    alpha_1: float
    rho: float
    lam: float


@dataclass(frozen=True)
class Loss:
    """A loss of the margin: elementwise value and derivative, and its constants."""

    name: str
    constants: LossConstants
    kernel: Callable[..., Array]
    parameters: tuple[float, ...] = ()

    def value_and_derivative(self, margins: npt.ArrayLike) -> tuple[Array, Array]:
        """ell and ell' at margins of any shape: two arrays of that shape."""
        array = np.asarray(margins, dtype=np.float64)
        values, derivatives = self.kernel(vector(array.reshape(-1), "the margins"), *self.parameters)
        return values.reshape(array.shape), derivatives.reshape(array.shape)

    def at_outputs(self, outputs: Array, y: npt.ArrayLike) -> tuple[Array, Array]:
        """The loss of each sample and its derivative in the output, for outputs and labels (n,): two arrays (n,)."""
        if outputs.ndim != 1:
            raise ValueError(
                f"the loss {self.name} is one of margins, and the outputs have shape {outputs.shape}: pass"
                " an OutputLoss"
            )
        labels = check_labels(y, outputs.size)
        values, derivatives = self.value_and_derivative(labels * outputs)
        return values, labels * derivatives

    def value(self, margins: npt.ArrayLike) -> Array:
        """ell, elementwise."""
        return self.value_and_derivative(margins)[0]

    def derivative(self, margins: npt.ArrayLike) -> Array:
        """ell', elementwise; at a kink, the derivative from the right."""
        return self.value_and_derivative(margins)[1]

    def __repr__(self) -> str:
        """As it is written in code, where this file makes it; of any other its fields."""
        if self == LOSSES.get(self.name):
            return self.name.upper()
        if self.kernel is power and self == power_loss(*self.parameters):
            return f"power_loss({', '.join(map(repr, self.parameters))})"
        return _by_fields(self)

    def __reduce__(self) -> tuple[Callable[..., "Loss"], tuple[Any, ...]]:
        # By name: a compiled function travels to a worker as code, which the worker would compile again.
        return (power_loss, self.parameters) if self.parameters else (named_loss, (self.name,))


@dataclass(frozen=True)
class OutputLoss:
    """A loss of the outputs of a network and of targets of any kind, one row for each sample.

    `rule` makes of (outputs, targets) the loss (n,) of each sample and its derivatives in the outputs, of their shape;
    `second_rule` of (outputs, targets, changes of outputs) the changes of these derivatives, to first order. Without
    it Hessian products are refused.
    """

    name: str
    rule: Callable[[Array, Any], tuple[Array, Array]]
    second_rule: Callable[[Array, Any, Array], Array] | None = None

    def __repr__(self) -> str:
        """As it is written in code, where it has a name there; of any other its fields."""
        known = [name for name, loss in (("SQUARE", SQUARE), ("CROSS_ENTROPY", CROSS_ENTROPY)) if self == loss]
        return known[0] if known else _by_fields(self)

    def at_outputs(self, outputs: Array, targets: npt.ArrayLike) -> tuple[Array, Array]:
        """The loss (n,) of each sample and its derivatives in the outputs (n,) or (n, times, outputs)."""
        values, slopes = (np.asarray(found, dtype=np.float64) for found in self.rule(outputs, np.asarray(targets)))
        if values.shape != outputs.shape[:1] or slopes.shape != outputs.shape:
            raise ValueError(
                f"the loss {self.name} gave values {values.shape} and derivatives {slopes.shape} for outputs of shape"
                f" {outputs.shape}: let it return (n,) and the shape of the outputs"
            )
        return values, slopes

    def change(self, outputs: Array, targets: npt.ArrayLike, moves: Array) -> Array:
        """What the derivatives change by where the outputs change by `moves`, to first order: all of one shape."""
        if self.second_rule is None:
            raise ValueError(f"the loss {self.name} has no second derivative: make it with a second_rule")
        return np.asarray(self.second_rule(outputs, np.asarray(targets), moves), dtype=np.float64)


def _by_fields(loss: Loss | OutputLoss) -> str:
    told = ", ".join(f"{field.name}={getattr(loss, field.name)!r}" for field in fields(loss))
    return f"{type(loss).__name__}({told})"


def _as_outputs(targets: Array, outputs: Array) -> Array:
    """The targets in the shape of the outputs."""
    if targets.shape == outputs.shape:
        return targets
    try:
        return np.broadcast_to(targets, outputs.shape)
    except ValueError:
        raise ValueError(
            f"there are targets of shape {targets.shape} for outputs of shape {outputs.shape}: pass those of the shape"
            " of the outputs, one for each sample"
        ) from None


def _half_squares(outputs: Array, targets: Array) -> tuple[Array, Array]:
    gaps = outputs - _as_outputs(targets, outputs)
    return 0.5 * np.sum(np.reshape(gaps, (len(gaps), -1)) ** 2, axis=1), gaps


def _same(_outputs: Array, _targets: Array, moves: Array) -> Array:
    return moves


# Half of the squared distance to targets of the shape of the outputs.
SQUARE = OutputLoss("square", _half_squares, _same)


def _log_softmax(outputs: Array) -> Array:
    shifted = outputs - outputs.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def _cross_entropies(outputs: Array, targets: Array) -> tuple[Array, Array]:
    logarithms, shares = _log_softmax(outputs), _as_outputs(targets, outputs)
    values = -np.sum(np.reshape(shares * logarithms, (len(outputs), -1)), axis=1)
    return values, np.exp(logarithms) * shares.sum(axis=-1, keepdims=True) - shares


def _cross_entropy_change(outputs: Array, targets: Array, moves: Array) -> Array:
    chances = np.exp(_log_softmax(outputs))
    whole = np.broadcast_to(targets, outputs.shape).sum(axis=-1, keepdims=True)
    return np.asarray(whole * chances * (moves - np.sum(chances * moves, axis=-1, keepdims=True)))


# -sum_j t_j log p_j with p the softmax of the outputs and t the target, of a sample of one class a unit vector.
CROSS_ENTROPY = OutputLoss("cross_entropy", _cross_entropies, _cross_entropy_change)


def _exponentials(outputs: Array, targets: Array, lam: float) -> tuple[Array, Array]:
    squares, gaps = _half_squares(outputs, targets)
    values = 0.5 * np.exp(2.0 * lam * squares)
    return values, (2.0 * lam * values).reshape(-1, *[1] * (gaps.ndim - 1)) * gaps


def _exponential_change(outputs: Array, targets: Array, moves: Array, lam: float) -> Array:
    squares, gaps = _half_squares(outputs, targets)
    along = np.sum(np.reshape(gaps * moves, (len(gaps), -1)), axis=1)
    by_sample = (-1, *[1] * (gaps.ndim - 1))
    growth = (lam * np.exp(2.0 * lam * squares)).reshape(by_sample)
    return np.asarray(growth * (moves + 2.0 * lam * along.reshape(by_sample) * gaps))


def exponential_of_square(lam: float) -> OutputLoss:
    """exp(lam r^2)/2 of the distance r to the target (guo2024, (137)); near 0 it bends like lam times `SQUARE`."""
    if not 0.0 < lam < math.inf:
        raise ValueError(f"exponential of the square with the factor {lam}: choose a positive number")
    return OutputLoss(
        f"exponential of {lam:g} r^2",
        functools.partial(_exponentials, lam=lam),
        functools.partial(_exponential_change, lam=lam),
    )


@kernel
def logistic(margins: Array) -> Array:
    """log(1 + exp(-x)) and -1/(1 + exp(x)) of margins (k,): an array (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        x = margins[i]
        # exp of a negative number only: no overflow, and the difference of large numbers never arises.
        e = np.exp(-abs(x))
        out[0, i] = np.log1p(e) - min(x, 0.0)
        out[1, i] = -e / (1.0 + e) if x >= 0.0 else -1.0 / (1.0 + e)
    return out


@kernel
def exponential(margins: Array) -> Array:
    """exp(-x) and -exp(-x) of margins (k,): an array (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        e = np.exp(-margins[i])
        out[0, i] = e
        out[1, i] = -e
    return out


@kernel
def hinge(margins: Array) -> Array:
    """max(0, 1 - x) and its derivative, of margins (k,): an array (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        x = margins[i]
        out[0, i] = 0.0 if x >= 1.0 else 1.0 - x
        out[1, i] = 0.0 if x >= 1.0 else (-1.0 if x < 1.0 else x)
    return out


@kernel
def squared_hinge(margins: Array) -> Array:
    """max(0, 1 - x)^2 and its derivative, of margins (k,): an array (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        gap = 0.0 if margins[i] >= 1.0 else 1.0 - margins[i]
        out[0, i] = gap * gap
        out[1, i] = -2.0 * gap
    return out


@kernel
def huberised_hinge(margins: Array) -> Array:
    """1/2 - x below 0, (1 - x)^2/2 on [0, 1], 0 above, and the derivative, of margins (k,): (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        x = margins[i]
        gap = 0.0 if x >= 1.0 else 1.0 - x
        out[0, i] = 0.5 - x if x < 0.0 else 0.5 * gap * gap
        out[1, i] = -1.0 if x < 0.0 else -gap
    return out


@kernel
def power(margins: Array, p: float, x_0: float) -> Array:
    """((1-p)(1-x))^(1/(1-p)) on [x_0, 1], 0 above, the tangent below, and the derivative: an array (2, k)."""
    out = np.empty((2, margins.size))
    for i in range(margins.size):
        x = margins[i]
        beyond = x_0 - x if x < x_0 else 0.0
        base = 0.0 if x >= 1.0 else (1.0 - p) * (1.0 - (x_0 if x < x_0 else x))
        steepness = base ** (p / (1.0 - p))
        # On the curve beyond is 0, and base times steepness is base^(1/(1-p)).
        out[0, i] = steepness * (base + beyond)
        out[1, i] = -steepness
    return out


def power_loss(p: float, x_0: float = 0.0) -> Loss:
    """The loss with |ell'| = ell^p on [x_0, inf), continued by its tangent below x_0; 1/2 <= p < 1, x_0 < 1.

    A p below 1/2 is refused: the second derivative p ell^(2p-1) would be unbounded next to the zero of the loss.
    """
    if not (0.5 <= p < 1.0 and -math.inf < x_0 < 1.0):
        raise ValueError(f"power loss with p={p}, x_0={x_0}: choose 1/2 <= p < 1 and a finite x_0 < 1")
    base = (1.0 - p) * (1.0 - x_0)
    steepest = base ** (p / (1.0 - p))
    largest_curvature = p * base ** ((2.0 * p - 1.0) / (1.0 - p))
    constants = LossConstants(p, x_0, alpha_0=steepest, alpha_1=1.0, rho=steepest, lam=largest_curvature)
    return Loss("power", constants, power, (float(p), float(x_0)))


# |ell'|/ell grows on [0, inf), so alpha_1 is its value at 0.
LOGISTIC = Loss("logistic", LossConstants(1.0, 0.0, 0.5, 1.0 / (2.0 * math.log(2.0)), 1.0, 0.25), logistic)
EXPONENTIAL = Loss("exponential", LossConstants(1.0, -math.inf, math.inf, 1.0, math.inf, math.inf), exponential)
# Where x >= 1 both the loss and its derivative vanish: any p in (0, 1] and any alpha_1 would do.
HINGE = Loss("hinge", LossConstants(1.0, 1.0, 1.0, 1.0, 1.0, math.inf), hinge)
SQUARED_HINGE = Loss("squared_hinge", LossConstants(0.5, -math.inf, math.inf, 2.0, math.inf, 2.0), squared_hinge)
HUBERISED_HINGE = Loss("huberised_hinge", LossConstants(0.5, 0.0, 1.0, math.sqrt(2.0), 1.0, 1.0), huberised_hinge)

LOSSES = {loss.name: loss for loss in (LOGISTIC, EXPONENTIAL, HINGE, SQUARED_HINGE, HUBERISED_HINGE)}


def named_loss(name: str) -> Loss:
    """The loss of that name in `LOSSES`."""
    if name not in LOSSES:
        raise ValueError(f"there is no loss {name!r}: choose one of {', '.join(LOSSES)}, or call power_loss")
    return LOSSES[name]


def check_labels(y: npt.ArrayLike, n: int) -> Array:
    """Labels as a float64 array (n,); ValueError unless there are n of them and each is -1 or +1."""
    labels = vector(y, "the labels")
    if labels.size != n:
        raise ValueError(f"there are {labels.size} labels for {n} samples: pass one label per sample")
    if not (np.abs(labels) == 1.0).all():
        odd = labels[np.abs(labels) != 1.0][0]
        raise ValueError(f"a label is {odd}: pass labels -1 and +1")
    return labels


def empirical_risk(loss: Loss | OutputLoss, y: npt.ArrayLike, output: Array) -> float:
    """(1/n) sum_i ell(y_i f_i) for labels and outputs (n,) (zou2018, (3.2)), or the mean of an `OutputLoss`."""
    if isinstance(loss, OutputLoss):
        return float(np.mean(loss.at_outputs(output, y)[0]))
    return float(np.mean(loss.value(check_labels(y, output.size) * output)))
