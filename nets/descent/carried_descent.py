"""Gradient descent that carries differences from its start, for steps below the last bit of the weights.

Main definitions: `CarriedDescent`, a run of gradient descent of a network of low width, and `Stretch`, what it reports
of every iterate. What is computed, and how, is told in `nets.descent.carried_kernel`.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.descent.carried_kernel import Architecture, Begin, Change, Wants, carried_descent
from nets.linear_algebra.lowrank import frobenius_norms
from nets.networks.activations import Activation, huberised_relu_with_slope, swish_with_slope
from nets.networks.forward import Forward, forward
from nets.networks.log_loss import log_mean, logistic_terms
from nets.networks.losses import SQUARE, OutputLoss, check_labels
from nets.networks.network import Network
from nets.networks.piecewise_slopes import PiecewiseRule


class Stretch(NamedTuple):
    """Successive iterates of a run, the first of them `begin` steps after the start; arrays (k,).

    Attributes
    ----------
    steps : number of steps from the start to each iterate
    fall : 1 - J_t/J_1; where it is near 1, J_t/J_1 has fewer digits
    growth : ||V^(t)||^2/||V^(1)||^2 - 1, V all trained weights
    gradient : ||grad J_t||/J_1
    """

    steps: Array
    fall: Array
    growth: Array
    gradient: Array


class CarriedDescent:
    """Gradient descent from `net` on samples X in steps of size eta; `scaled` is eta J_1, negative to go upwards.

    The loss is the logistic one of a network with one output and labels y (n,), or with `loss=SQUARE` half of the
    squared distance of the outputs from targets y of their shape.

    A step takes some 0.1 microseconds for one hidden neuron and samples that are all alike, and longer by n L p^2, n
    the number of samples that differ and p the largest width. Narrower layers are padded with neurons of weight zero,
    which stay at zero.

    Rounding errors of what is reported are relative, some n L p units in the last place however many steps are made,
    as the sum D is compensated; where terms of both signs cancel in du or grad J, they grow by as much. The difference
    of two iterates k steps from the start is thus off by some k units in the last place, relative to one step.

    Attributes
    ----------
    log_loss, norm : log J_1 and ||V^(1)||, V all trained weights
    steps : steps made so far

    Raises ValueError for revealed layers, an activation or a loss whose differences are not known, labels other than -1
    and +1, a loss of 0, or a step that is not finite.
    """

    def __init__(
        self, net: Network, X: npt.ArrayLike, y: npt.ArrayLike, scaled: float, loss: OutputLoss | None = None
    ) -> None:
        if not math.isfinite(scaled):
            raise ValueError(f"step size times loss is {scaled}: choose a finite step")
        fwd = forward(net, X)
        self.log_loss, wants = _wants(fwd, y, loss)
        self.norm = net.norm
        self.steps = 0
        self._scaled = float(scaled)
        self._architecture = _architecture(net)
        self._begin, self._wants = _begin(net, fwd, wants)
        self._shapes = [W.shape for W in net.weights]
        self._change = Change(np.zeros_like(self._begin.weights), np.zeros_like(self._begin.weights))

    @property
    def moved(self) -> tuple[Array, ...]:
        """V^(t) - V^(1) in all weights, of their shapes."""
        pairs = zip(self._change.moved, self._shapes, strict=False)
        return tuple(D[:inputs, :outputs].copy() for D, (inputs, outputs) in pairs)

    @property
    def distance(self) -> float:
        """||V^(t) - V^(1)||."""
        return float(frobenius_norms([np.reshape(self._change.moved, (1, -1))])[0])

    def advance(self, steps: int) -> Stretch:
        """Make so many steps; the iterates before each of them."""
        if steps < 1:
            raise ValueError(f"{steps} steps: make at least one")
        found, moved = carried_descent(self._architecture, self._begin, self._wants, self._change, self._scaled, steps)
        self._change = self._change._replace(moved=moved)
        numbers = np.arange(self.steps, self.steps + steps, dtype=np.float64)
        self.steps += steps
        return Stretch(numbers, found[:, 0], found[:, 1] / self.norm**2, np.sqrt(found[:, 2]))


def _wants(fwd: Forward, y: npt.ArrayLike, loss: OutputLoss | None) -> tuple[float, Wants]:
    """log J_1, and what the loss asks of each sample."""
    n = len(fwd.output)
    if loss is None:
        labels = check_labels(y, fwd.output.size)
        terms = logistic_terms(labels * fwd.output)
        log_loss = log_mean(terms.log_loss)
        return log_loss, Wants(True, labels, np.exp(terms.log_weight - log_loss), terms.weight)
    if loss is not SQUARE:
        raise ValueError(f"the differences of the loss {loss.name} are not known: take SQUARE, or None for logistic")
    values, gaps = loss.at_outputs(fwd.output, y)
    if not values.any():
        raise ValueError("the loss is 0 at the start: there is nothing to descend")
    return float(np.log(np.mean(values))), Wants(False, gaps, np.full(n, 1.0 / np.mean(values)), np.zeros(n))


def _begin(net: Network, fwd: Forward, wants: Wants) -> tuple[Begin, Wants]:
    """The start and what is wanted as the kernel takes them: of samples that are alike one, padded to one width."""
    n = len(fwd.output)
    # Samples that are alike move alike: one of them stands for all.
    rows = np.column_stack([fwd.post[0], *fwd.inputs, wants.aims.reshape(n, -1)])
    _, kept, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    v = net.v.reshape(len(net.v), -1)
    stored = [*net.stored_parameters(), *([] if net.readout is None else [v])]
    p = max(size for W in stored for size in W.shape)
    passed = (_padded([x[kept] for x in part], kept.size, p) for part in (fwd.pre, fwd.post, fwd.inputs))
    aims = np.ascontiguousarray(wants.aims[kept].reshape(kept.size, -1, v.shape[1]))
    shares = wants.shares[kept] * counts / n
    return Begin(_padded(stored, p, p), *passed), Wants(wants.logistic, aims, shares, wants.odds[kept])


def _architecture(net: Network) -> Architecture:
    """Which weights each step uses, and its activation. Raises ValueError for a network with biases."""
    if any(step.bias is not None for step in net.steps):
        raise ValueError(
            "differences of networks with biases are not known: let a constant coordinate of X be the bias"
        )
    swishes, bends = zip(*(_bends(step.activation) for step in net.steps), strict=True)
    fed = np.cumsum([step.input is not None for step in net.steps]) - 1
    steps = [
        (step.weight, -1 if step.input is None else step.input, given, knots.shape[1])
        for step, given, knots in zip(net.steps, fed, bends, strict=True)
    ]
    mix = [(step.carry, step.scale, swish) for step, swish in zip(net.steps, swishes, strict=True)]
    readout = len(net.weights) - 1 if net.readout is None else len(net.parameters)
    table = np.array(steps, dtype=np.int64)
    return Architecture(len(net.weights), readout, table, np.array(mix), _padded(bends, 3, int(table[:, 3].max())))


def _bends(activation: Activation) -> tuple[float, Array]:
    """An activation as the kernel takes it: the h of Swish, or 0; knots, and phi' on their left and right: (3, k)."""
    rule = activation.rule
    if rule is swish_with_slope:
        return activation.h, np.zeros((3, 1))
    if rule is huberised_relu_with_slope:
        rule = PiecewiseRule((0.0, activation.h), (0.0, 1.0))
    if isinstance(rule, PiecewiseRule):
        return 0.0, np.array([rule.knots, rule.slopes, rule.slopes])
    if not activation.smoothness:
        # Linear between its kinks: the slope is asked between them and beyond.
        knots = np.array(sorted(kink.place for kink in activation.kinks) or [0.0])
        slopes = activation.slope([knots[0] - 1.0, *(0.5 * (knots[1:] + knots[:-1])), knots[-1] + 1.0])
        return 0.0, np.array([knots, slopes[:-1], slopes[1:]])
    raise ValueError(
        f"the differences of {activation.name} are not known: take scaled_swish, piecewise_quadratic or one that is"
        " linear between its kinks"
    )


def _padded(arrays: Sequence[Array], rows: int, columns: int) -> Array:
    """Arrays of two axes in one of three, filled up with zeros."""
    out = np.zeros((len(arrays), rows, columns))
    for number, array in enumerate(arrays):
        out[number, : array.shape[0], : array.shape[1]] = array
    return out
