"""Gradient descent that carries differences from its start, for steps below the last bit of the weights.

Main definitions: `CarriedDescent`, a run of gradient descent of a network of low width, and `Stretch`, what it reports
of every iterate; `piecewise_quadratic`, activations whose slope is piecewise linear.

In plain float64 a step that changes every weight by less than its last bit changes nothing. Here W stays W^(1) and
D = W^(t) - W^(1) is a sum of its own, with compensation. All else is a difference from the start too, without
cancellation between totals (u_s, x_s, f are those of the start, A with its own D alike):

    du_s = x_{s-1} D + dx_{s-1} (W + D) + input_s D_A,      dx_s = carry dx_{s-1} + scale (phi(u_s + du_s) - phi(u_s)),
    df = x_S D_V + dx_S (V + D_V).

Of the logistic loss, with m_i and g_i those of the start and dm_i = y_i df_i,

    1 - J_t/J_1 = -sum_i w_i log1p(x_i)/g_i,       x_i = g_i expm1(-dm_i),                w_i = g_i/(n J_1),
    -grad J_t/J_1 = sum_i w_i exp(-dm_i)/(1 + x_i) y_i grad f(x_i),

and of half of the squared distance r_i of f(x_i) from its target

    1 - J_t/J_1 = -sum_i df_i . (r_i + df_i/2)/(n J_1),     -grad J_t/J_1 = -sum_i (r_i + df_i) . grad f(x_i)/(n J_1).

phi(u + du) - phi(u) is factored: where the slope of phi is linear it is du (phi'(u) + phi''(u) du/2), piece after
piece; for Swish the difference of two sigmoids is s(t) s(-t - dt) expm1(dt). The loss enters through ratios to J_1
alone, and the step size as eta J_1, so that losses far below 1e-308 do no harm.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.core.jit import kernel
from nets.linear_algebra.lowrank import frobenius_norms
from nets.networks.activations import SWISH_DIVISOR, SWISH_FAR, Activation, huberised_relu_with_slope, swish_with_slope
from nets.networks.forward import forward
from nets.networks.log_loss import log_mean, logistic_terms
from nets.networks.losses import SQUARE, OutputLoss, check_labels
from nets.networks.network import Network

# Below this log(1 + x) is x to the last bit.
LINEAR = 1e-17

# Rows of `bends` in `carried_descent`.
KNOT, LEFT, RIGHT = 0, 1, 2

# --- activations whose slope is piecewise linear ----------------------------------------------------


@dataclass(frozen=True)
class PiecewiseRule:
    """phi and phi' where phi' is linear between `knots` and constant beyond them; phi(0) = 0.

    Attributes
    ----------
    knots : increasing, at least one
    slopes : phi' at the knots
    """

    knots: tuple[float, ...]
    slopes: tuple[float, ...]

    def __call__(self, pre: Array) -> tuple[Array, Array]:
        """phi and phi' of pre-activations (n, m): two arrays (n, m)."""
        return self._primitive(pre) - self._primitive(np.zeros(1)), np.interp(pre, self.knots, self.slopes)

    def _primitive(self, z: Array) -> Array:
        """The integral of phi' from the first knot on."""
        knots, slopes = np.array(self.knots), np.array(self.slopes)
        total = slopes[0] * np.minimum(z - knots[0], 0.0)
        for k in range(knots.size - 1):
            inside = np.clip(z, knots[k], knots[k + 1]) - knots[k]
            bend = (slopes[k + 1] - slopes[k]) / (knots[k + 1] - knots[k])
            total = total + inside * (slopes[k] + 0.5 * bend * inside)
        return np.asarray(total + slopes[-1] * np.maximum(z - knots[-1], 0.0))


def piecewise_quadratic(name: str, h: float, knots: tuple[float, ...], slopes: tuple[float, ...]) -> Activation:
    """The activation with phi(0) = 0 whose slope is linear between the knots and constant beyond them.

    That it is h-smoothly approximately ReLU is not checked. It has no second derivative for Hessian products.
    """
    if len(knots) != len(slopes) or not knots or not all(np.diff(knots) > 0.0):
        raise ValueError(f"{name} has knots {knots} and slopes {slopes}: pass increasing knots, one slope for each")
    return Activation(name, float(h), PiecewiseRule(tuple(map(float, knots)), tuple(map(float, slopes))))


def _bends(activation: Activation) -> tuple[float, Array]:
    """An activation as the kernel takes it: the h of Swish, or 0; knots, and phi' on their left and right: (3, k)."""
    rule = activation.rule
    if rule is swish_with_slope:
        return activation.h, np.zeros((3, 1))
    if rule is huberised_relu_with_slope:
        rule = PiecewiseRule((0.0, activation.h), (0.0, 1.0))
    if isinstance(rule, PiecewiseRule):
        return 0.0, np.array([rule.knots, rule.slopes, rule.slopes])
    if not activation.h:
        # Linear on either side of 0.
        return 0.0, np.concatenate([np.zeros((1, 1)), activation.slope([[-1.0], [1.0]])])
    raise ValueError(
        f"the differences of {activation.name} are not known: take relu, leaky_relu, huberised_relu, scaled_swish or"
        " piecewise_quadratic"
    )


# --- the kernel -----------------------------------------------------------------------------------


@kernel
def carried_descent(
    weights: Array,
    trained: int,
    read_out: int,
    table: npt.NDArray[np.int64],
    mix: Array,
    bends: Array,
    pre: Array,
    post: Array,
    inputs: Array,
    logistic: bool,
    aims: Array,
    shares: Array,
    odds: Array,
    moved: Array,
    lost: Array,
    step: float,
    steps: int,
) -> tuple[Array, Array]:
    """`steps` steps on all trained parameters at once, and what is met before each of them.

    Parameters
    ----------
    weights : (K, p, p), W^(1), the trained ones first, then frozen ones and a fixed read-out; padded with zeros
    trained, read_out : number of the trained weights, and which of the weights is the read-out
    table : (S, 4): for each step number of W, number of A or -1, which of the inputs A meets, knots of the activation
    mix : (S, 3): carry, scale, and h of Swish; 0 for an activation whose slope is linear between knots
    bends : (S, 3, k): knots, and phi' on their left and right
    pre, post : (S, n, p) and (S + 1, n, p), u_s and x_s at W^(1)
    inputs : (inputs, n, p), those that steps have of their own
    logistic : whether the loss is the logistic one
    aims : (n, times, outputs), y_i, or r_i at W^(1), where the last so many states are read
    shares, odds : (n,), w_i, or 1/(n J_1), and g_i at W^(1)
    moved : (K, p, p), D
    lost : (K, p, p), what the sum D has lost to rounding so far; written to, so that the next call goes on from it
    step : eta J_1

    Returns
    -------
    (steps, 3): 1 - J/J_1, ||W||^2 - ||W^(1)||^2, ||grad J||^2/J_1^2; then D after the steps
    """
    depth, samples, p = pre.shape
    times, outputs = aims.shape[1:]
    top, first_read = np.uint64(read_out), depth + 1 - times
    moved = moved.copy()
    now, gradient = np.empty_like(weights), np.empty_like(weights)
    dx, gates = np.zeros((depth + 1, p)), np.empty((depth, p))
    b, arriving = np.empty(p), np.empty(p)
    read = np.empty((times, outputs))
    out = np.empty((steps, 3))
    # The exponential that Swish has of u, which stays where it is.
    starts = np.empty_like(pre)
    for layer in range(depth):
        swish = mix[layer, 2]
        for s in range(samples if swish > 0.0 else 0):
            for j in range(p):
                starts[layer, s, j] = np.exp(-min(abs(2.0 * pre[layer, s, j] / swish), SWISH_FAR))
    for k in range(steps):
        for layer in range(weights.shape[0]):
            for i in range(p):
                for j in range(p):
                    now[layer, i, j] = weights[layer, i, j] + moved[layer, i, j]
                    gradient[layer, i, j] = 0.0
        fall = 0.0
        for s in range(samples):
            for layer in range(depth):
                # Unsigned, as an index that may be negative is looked at twice.
                W, A, given = np.uint64(table[layer, 0]), table[layer, 1], np.uint64(table[layer, 2])
                pieces = table[layer, 3]
                carry, scale, swish = mix[layer, 0], mix[layer, 1], mix[layer, 2]
                for j in range(p):
                    du = 0.0
                    for i in range(p):
                        du += post[layer, s, i] * moved[W, i, j] + dx[layer, i] * now[W, i, j]
                    if A >= 0:
                        for i in range(p):
                            du += inputs[given, s, i] * moved[A, i, j]
                    u = pre[layer, s, j]
                    if swish > 0.0:
                        t, dt = 2.0 * u / swish, 2.0 * du / swish
                        after = t + dt
                        e, far = starts[layer, s, j], np.exp(-min(abs(after), SWISH_FAR))
                        start = 1.0 / (1.0 + e) if t >= 0.0 else e / (1.0 + e)
                        near, rest = 1.0 / (1.0 + far), far / (1.0 + far)
                        end, against = (near, rest) if after >= 0.0 else (rest, near)
                        if abs(dt) < 1.0:
                            grown = start * against * np.expm1(dt)
                        elif t > 0.0 and after > 0.0:
                            grown = e / (1.0 + e) - against
                        else:
                            grown = end - start
                        rise = (du * end + u * grown) / SWISH_DIVISOR
                        # Beyond SWISH_FAR the product would be infinite times zero.
                        slope = (end + max(min(after, SWISH_FAR), -SWISH_FAR) * near * rest) / SWISH_DIVISOR
                    else:
                        place, left, rise, slope = u, du, 0.0, np.nan
                        # Piece after piece from u towards u + du; `right` is the number of the knot on the right.
                        right = 0
                        while right < pieces and (
                            place > bends[layer, KNOT, right] or (place == bends[layer, KNOT, right] and left > 0.0)
                        ):
                            right += 1
                        for _ in range(pieces + 1):
                            bend = 0.0
                            if right == 0:
                                slope = bends[layer, LEFT, 0]
                            elif right == pieces:
                                slope = bends[layer, RIGHT, pieces - 1]
                            else:
                                bend = bends[layer, LEFT, right] - bends[layer, RIGHT, right - 1]
                                bend = bend / (bends[layer, KNOT, right] - bends[layer, KNOT, right - 1])
                                slope = bends[layer, RIGHT, right - 1] + bend * (place - bends[layer, KNOT, right - 1])
                            room = left
                            if left > 0.0 and right < pieces:
                                room = min(left, bends[layer, KNOT, right] - place)
                            elif left < 0.0 and right > 0:
                                room = max(left, bends[layer, KNOT, right - 1] - place)
                            rise += room * (slope + 0.5 * bend * room)
                            slope += bend * room
                            if room == left:
                                # Where phi' jumps it is that of the left side.
                                if left < 0.0 and right > 0 and room == bends[layer, KNOT, right - 1] - place:
                                    slope = bends[layer, LEFT, right - 1]
                                break
                            left -= room
                            place = bends[layer, KNOT, right] if left > 0.0 else bends[layer, KNOT, right - 1]
                            right += 1 if left > 0.0 else -1
                        if u != u or du != du:
                            rise = slope = np.nan
                    if scale != 1.0:
                        rise, slope = scale * rise, scale * slope
                    dx[layer + 1, j] = rise if carry == 0.0 else carry * dx[layer, j] + rise
                    gates[layer, j] = slope
            for time in range(times):
                state = first_read + time
                for j in range(outputs):
                    change = 0.0
                    for i in range(p):
                        change += post[state, s, i] * moved[top, i, j] + dx[state, i] * now[top, i, j]
                    aim = aims[s, time, j]
                    if logistic:
                        e = np.expm1(-aim * change)
                        x = odds[s] * e
                        fall -= shares[s] * (e if abs(x) < LINEAR else np.log1p(x) / odds[s])
                        read[time, j] = aim * shares[s] * (1.0 + e) / (1.0 + x)
                    else:
                        fall -= shares[s] * change * (aim + 0.5 * change)
                        read[time, j] = -shares[s] * (aim + change)
            for i in range(p):
                arriving[i] = 0.0
            for state in range(depth, -1, -1):
                if state < depth:
                    W, A, given = np.uint64(table[state, 0]), table[state, 1], np.uint64(table[state, 2])
                    carry = mix[state, 0]
                    for i in range(p):
                        feature = post[state, s, i] + dx[state, i]
                        q = 0.0
                        for j in range(p):
                            gradient[W, i, j] += feature * b[j]
                            q += now[W, i, j] * b[j]
                        arriving[i] = q if carry == 0.0 else carry * arriving[i] + q
                    if A >= 0:
                        for i in range(p):
                            for j in range(p):
                                gradient[A, i, j] += inputs[given, s, i] * b[j]
                if state >= first_read:
                    for i in range(p):
                        feature = post[state, s, i] + dx[state, i]
                        for j in range(outputs):
                            gradient[top, i, j] += feature * read[state - first_read, j]
                            arriving[i] += now[top, i, j] * read[state - first_read, j]
                if state > 0:
                    for i in range(p):
                        b[i] = gates[state - 1, i] * arriving[i]
        growth, square = 0.0, 0.0
        for layer in range(trained):
            for i in range(p):
                for j in range(p):
                    d, g = moved[layer, i, j], gradient[layer, i, j]
                    growth += d * (2.0 * weights[layer, i, j] + d)
                    square += g * g
                    added = step * g - lost[layer, i, j]
                    total = d + added
                    lost[layer, i, j] = (total - d) - added
                    moved[layer, i, j] = total
        out[k, 0], out[k, 1], out[k, 2] = fall, growth, square
    return out, moved


# --- runs -----------------------------------------------------------------------------------------


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
    which stay at zero where phi(0) = 0.

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
        n = len(fwd.output)
        if loss is None:
            aims = check_labels(y, fwd.output.size)
            terms = logistic_terms(aims * fwd.output)
            self.log_loss = log_mean(terms.log_loss)
            shares, odds = np.exp(terms.log_weight - self.log_loss), terms.weight
        elif loss is SQUARE:
            values, aims = loss.at_outputs(fwd.output, y)
            if not values.any():
                raise ValueError("the loss is 0 at the start: there is nothing to descend")
            self.log_loss = float(np.log(np.mean(values)))
            shares, odds = np.full(n, 1.0 / np.mean(values)), np.zeros(n)
        else:
            raise ValueError(
                f"the differences of the loss {loss.name} are not known: take SQUARE, or None for logistic"
            )
        self.norm = net.norm
        self.steps = 0
        self._scaled = float(scaled)
        # Samples that are alike move alike: one of them stands for all.
        rows = np.column_stack([fwd.post[0], *fwd.inputs, aims.reshape(n, -1)])
        _, kept, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        v = net.v.reshape(len(net.v), -1)
        stored = [*net.stored_parameters(), *([] if net.readout is None else [v])]
        p = max(size for W in stored for size in W.shape)
        pre, post, inputs = (_padded([x[kept] for x in part], kept.size, p) for part in (fwd.pre, fwd.post, fwd.inputs))
        self._shapes = [W.shape for W in net.weights]
        self._start = (
            _padded(stored, p, p),
            len(net.weights),
            len(net.weights if net.readout is None else stored) - 1,
            *_steps(net),
            pre,
            post,
            inputs,
            loss is None,
            np.ascontiguousarray(aims[kept].reshape(kept.size, -1, v.shape[1])),
            shares[kept] * counts / n,
            odds[kept],
        )
        self._moved, self._lost = np.zeros((2, len(stored), p, p))

    @property
    def moved(self) -> tuple[Array, ...]:
        """V^(t) - V^(1) in all weights, of their shapes."""
        pairs = zip(self._moved, self._shapes, strict=False)
        return tuple(D[:inputs, :outputs].copy() for D, (inputs, outputs) in pairs)

    @property
    def distance(self) -> float:
        """||V^(t) - V^(1)||."""
        return float(frobenius_norms([np.reshape(self._moved, (1, -1))])[0])

    def advance(self, steps: int) -> Stretch:
        """Make so many steps; the iterates before each of them."""
        if steps < 1:
            raise ValueError(f"{steps} steps: make at least one")
        found, self._moved = carried_descent(*self._start, self._moved, self._lost, self._scaled, steps)
        numbers = np.arange(self.steps, self.steps + steps, dtype=np.float64)
        self.steps += steps
        return Stretch(numbers, found[:, 0], found[:, 1] / self.norm**2, np.sqrt(found[:, 2]))


def _padded(arrays: Sequence[Array], rows: int, columns: int) -> Array:
    """Arrays of two axes in one of three, filled up with zeros."""
    out = np.zeros((len(arrays), rows, columns))
    for number, array in enumerate(arrays):
        out[number, : array.shape[0], : array.shape[1]] = array
    return out


def _steps(net: Network) -> tuple[npt.NDArray[np.int64], Array, Array]:
    """`table`, `mix` and `bends` of `carried_descent`."""
    swishes, bends = zip(*(_bends(step.activation) for step in net.steps), strict=True)
    fed = np.cumsum([step.input is not None for step in net.steps]) - 1
    steps = [
        (step.weight, -1 if step.input is None else step.input, given, knots.shape[1])
        for step, given, knots in zip(net.steps, fed, bends, strict=True)
    ]
    mix = [(step.carry, step.scale, swish) for step, swish in zip(net.steps, swishes, strict=True)]
    return np.array(steps, dtype=np.int64), np.array(mix), _padded(bends, 3, max(row[3] for row in steps))
