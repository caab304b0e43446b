"""Gradient descent that carries differences from its start, for steps below the last bit of the weights.

Main definitions: `CarriedDescent`, a run of gradient descent on the logistic loss of a smooth network of low width,
and `Stretch`, what it reports of every iterate; `piecewise_quadratic`, activations whose slope is piecewise linear.

In plain float64 a step that changes every weight by less than its last bit changes nothing. Here V stays V^(1) and
D = V^(t) - V^(1) is a sum of its own, with compensation. All else is a difference from the start too, without
cancellation between totals (u_l, x_l, m_s, g_s are those of the start, x_l is an input for l = 0):

    du_l = x_{l-1} D_l + dx_{l-1} (V_l + D_l),     dx_l = phi(u_l + du_l) - phi(u_l),     dm_s = y_s du_{L+1},
    1 - J_t/J_1 = -sum_s w_s log1p(x_s)/g_s,       x_s = g_s expm1(-dm_s),                w_s = g_s/(n J_1),
    -grad J_t/J_1 = sum_s w_s exp(-dm_s)/(1 + x_s) y_s grad f(x_s).

dx is factored: where the slope of phi is linear it is du (phi'(u) + phi''(u) du/2), piece after piece; for Swish the
difference of two sigmoids is s(t) s(-t - dt) expm1(dt). The loss enters through ratios to J_1 alone, and the step size
as eta J_1, so that losses far below 1e-308 do no harm.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.activations import SWISH_DIVISOR, SWISH_FAR, Activation, huberised_relu_with_slope, swish_with_slope
from nets.arrays import Array
from nets.forward import forward
from nets.jit import kernel
from nets.log_loss import log_mean, logistic_terms
from nets.losses import check_labels
from nets.lowrank import frobenius_norms
from nets.network import Network, Step

# Below this log(1 + x) is x to the last bit.
LINEAR = 1e-17

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


class _Shape(NamedTuple):
    """An activation as the kernel takes it: the h of Swish, or 0, and else knots and slopes."""

    swish: float
    knots: Array
    slopes: Array


def _shape(activation: Activation) -> _Shape:
    rule = activation.rule
    if rule is swish_with_slope:
        return _Shape(activation.h, np.zeros(1), np.zeros(1))
    if rule is huberised_relu_with_slope:
        return _Shape(0.0, np.array([0.0, activation.h]), np.array([0.0, 1.0]))
    if isinstance(rule, PiecewiseRule):
        return _Shape(0.0, np.array(rule.knots), np.array(rule.slopes))
    raise ValueError(
        f"the differences of {activation.name} are not known: take huberised_relu, scaled_swish or piecewise_quadratic"
    )


# --- the kernel -----------------------------------------------------------------------------------


@kernel
def carried_descent(
    weights: Array,
    pre: Array,
    post: Array,
    labels: Array,
    shares: Array,
    odds: Array,
    swish: float,
    knots: Array,
    bends: Array,
    moved: Array,
    lost: Array,
    step: float,
    steps: int,
) -> tuple[Array, Array]:
    """`steps` steps on all layers at once, and what is met before each of them.

    Parameters
    ----------
    weights : (L + 1, p, p), V^(1); of the last layer only the first column counts, the others are zero
    pre, post : (L, n, p) and (L + 1, n, p), u_l and x_l at V^(1), x_0 the input
    labels, shares, odds : (n,), y_s, w_s and g_s at V^(1)
    swish : h of Swish; 0 for an activation whose slope is linear between `knots` (k,), where it is `bends` (k,)
    moved : (L + 1, p, p), D
    lost : (L + 1, p, p), what the sum D has lost to rounding so far; written to, so that the next call goes on from it
    step : eta J_1

    Returns
    -------
    (steps, 3): 1 - J/J_1, ||V||^2 - ||V^(1)||^2, ||grad J||^2/J_1^2; then D after the steps
    """
    layers, p, _ = weights.shape
    depth, samples, pieces = layers - 1, labels.size, knots.size
    moved = moved.copy()
    now, gradient = np.empty_like(weights), np.empty_like(weights)
    dx, gates = np.zeros((layers, p)), np.empty((layers, p))
    b, below = np.empty(p), np.empty(p)
    out = np.empty((steps, 3))
    for k in range(steps):
        for layer in range(layers):
            for i in range(p):
                for j in range(p):
                    now[layer, i, j] = weights[layer, i, j] + moved[layer, i, j]
                    gradient[layer, i, j] = 0.0
        fall = 0.0
        for s in range(samples):
            for layer in range(depth):
                for j in range(p):
                    du = 0.0
                    for i in range(p):
                        du += post[layer, s, i] * moved[layer, i, j] + dx[layer, i] * now[layer, i, j]
                    u = pre[layer, s, j]
                    if swish > 0.0:
                        t, dt = 2.0 * u / swish, 2.0 * du / swish
                        after = t + dt
                        e, far = np.exp(-min(abs(t), SWISH_FAR)), np.exp(-min(abs(after), SWISH_FAR))
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
                        while right < pieces and (place > knots[right] or (place == knots[right] and left > 0.0)):
                            right += 1
                        for _ in range(pieces + 1):
                            bend = 0.0
                            if right == 0:
                                slope = bends[0]
                            elif right == pieces:
                                slope = bends[pieces - 1]
                            else:
                                bend = (bends[right] - bends[right - 1]) / (knots[right] - knots[right - 1])
                                slope = bends[right - 1] + bend * (place - knots[right - 1])
                            room = left
                            if left > 0.0 and right < pieces:
                                room = min(left, knots[right] - place)
                            elif left < 0.0 and right > 0:
                                room = max(left, knots[right - 1] - place)
                            rise += room * (slope + 0.5 * bend * room)
                            slope += bend * room
                            if room == left:
                                break
                            left -= room
                            place = knots[right] if left > 0.0 else knots[right - 1]
                            right += 1 if left > 0.0 else -1
                        if u != u or du != du:
                            rise = slope = np.nan
                    dx[layer + 1, j] = rise
                    gates[layer, j] = slope
            change = 0.0
            for i in range(p):
                change += post[depth, s, i] * moved[depth, i, 0] + dx[depth, i] * now[depth, i, 0]
            e = np.expm1(-labels[s] * change)
            x = odds[s] * e
            fall -= shares[s] * (e if abs(x) < LINEAR else np.log1p(x) / odds[s])
            for j in range(p):
                b[j] = 0.0
            b[0] = labels[s] * shares[s] * (1.0 + e) / (1.0 + x)
            for layer in range(depth, -1, -1):
                for i in range(p):
                    feature = post[layer, s, i] + dx[layer, i]
                    q = 0.0
                    for j in range(p):
                        gradient[layer, i, j] += feature * b[j]
                        q += now[layer, i, j] * b[j]
                    below[i] = q
                if layer > 0:
                    for i in range(p):
                        b[i] = gates[layer - 1, i] * below[i]
        growth, square = 0.0, 0.0
        for layer in range(layers):
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
    growth : ||V^(t)||^2/||V^(1)||^2 - 1
    gradient : ||grad J_t||/J_1
    """

    steps: Array
    fall: Array
    growth: Array
    gradient: Array


class CarriedDescent:
    """Gradient descent from `net` on samples X (n, p_0) with labels y (n,), in steps of size eta; `scaled` is eta J_1.

    A step takes some 0.1 microseconds for one hidden neuron and samples that are all alike, and longer by n L p^2, n
    the number of samples that differ and p the largest width. Narrower layers are padded with neurons of weight zero,
    which stay at zero where phi(0) = 0.

    Rounding errors of what is reported are relative, some n L p units in the last place however many steps are made,
    as the sum D is compensated; where terms of both signs cancel in du or grad J, they grow by as much. The difference
    of two iterates k steps from the start is thus off by some k units in the last place, relative to one step.

    Attributes
    ----------
    log_loss, norm : log J_1 and ||V^(1)||
    steps : steps made so far

    Raises ValueError for a network not as of `smooth_network`, an activation whose differences are not known, labels
    other than -1 and +1, or a step that is not positive and finite.
    """

    def __init__(self, net: Network, X: npt.ArrayLike, y: npt.ArrayLike, scaled: float) -> None:
        if not 0.0 < scaled < math.inf:
            raise ValueError(f"step size times loss is {scaled}: choose a positive, finite step")
        fwd = forward(net, X)
        self._labels = check_labels(y, fwd.output.size)
        terms = logistic_terms(self._labels * fwd.output)
        self.log_loss = log_mean(terms.log_loss)
        self.norm = net.norm
        self.steps = 0
        if net.steps != tuple(Step(k, net.activation) for k in range(len(net.weights) - 1)):
            raise ValueError("the steps are not those of smooth_network: this needs such a network")
        self._shape, self._scaled = _shape(net.activation), float(scaled)
        # Samples that are alike move alike: one of them stands for all.
        rows = np.column_stack([fwd.post[0], self._labels])
        _, kept, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        p, n = max(net.widths), kept.size
        self._labels = self._labels[kept]
        self._shares = np.exp(terms.log_weight[kept] - self.log_loss) * counts / fwd.output.size
        self._odds = terms.weight[kept]
        self._weights = np.zeros((net.depth + 1, p, p))
        self._pre, self._post = np.zeros((net.depth, n, p)), np.zeros((net.depth + 1, n, p))
        for layer, V in enumerate(net.weights):
            self._weights[layer, : V.shape[0], : V.shape[1]] = V
            self._post[layer, :, : V.shape[0]] = fwd.post[layer][kept]
        for layer, u in enumerate(fwd.pre):
            self._pre[layer, :, : u.shape[1]] = u[kept]
        self._widths = (*net.widths, 1)
        self._moved, self._lost = np.zeros_like(self._weights), np.zeros_like(self._weights)

    @property
    def moved(self) -> tuple[Array, ...]:
        """V^(t) - V^(1) in all layers, of the shapes of the layers."""
        pairs = zip(self._widths[:-1], self._widths[1:], strict=True)
        return tuple(D[:inputs, :outputs].copy() for D, (inputs, outputs) in zip(self._moved, pairs, strict=True))

    @property
    def distance(self) -> float:
        """||V^(t) - V^(1)||."""
        return float(frobenius_norms([np.reshape(self._moved, (1, -1))])[0])

    def advance(self, steps: int) -> Stretch:
        """Make so many steps; the iterates before each of them."""
        if steps < 1:
            raise ValueError(f"{steps} steps: make at least one")
        found, self._moved = carried_descent(
            self._weights,
            self._pre,
            self._post,
            self._labels,
            self._shares,
            self._odds,
            self._shape.swish,
            self._shape.knots,
            self._shape.slopes,
            self._moved,
            self._lost,
            self._scaled,
            steps,
        )
        numbers = np.arange(self.steps, self.steps + steps, dtype=np.float64)
        self.steps += steps
        return Stretch(numbers, found[:, 0], found[:, 1] / self.norm**2, np.sqrt(found[:, 2]))
