"""The kernel of gradient descent that carries differences from its start.

Main definitions: `carried_descent`, and what it takes: `Architecture`, `Begin`, `Wants`, `Change`.

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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.core.jit import kernel, part
from nets.networks.activations import SWISH_DIVISOR, SWISH_FAR

# Below this log(1 + x) is x to the last bit.
LINEAR = 1e-17

# Rows of `Architecture.bends`.
KNOT, LEFT, RIGHT = 0, 1, 2

# Rows of `back` in `add_gradient`: derivatives in the pre-activation of a step, and in the state before it.
PRE, STATE = 0, 1


class Architecture(NamedTuple):
    """What the network does with its weights.

    Attributes
    ----------
    trained, readout : number of the trained weights, and which of the weights is the read-out
    table : (S, 4): for each step number of W, number of A or -1, which of the inputs A meets, knots of the activation
    mix : (S, 3): carry, scale, and h of Swish; 0 for an activation whose slope is linear between knots
    bends : (S, 3, k): knots, and phi' on their left and right
    """

    trained: int
    readout: int
    table: npt.NDArray[np.int64]
    mix: Array
    bends: Array


class Begin(NamedTuple):
    """The start of a run, padded with zeros to one width p.

    Attributes
    ----------
    weights : (K, p, p), W^(1), the trained ones first, then frozen ones and a fixed read-out
    pre, post : (S, n, p) and (S + 1, n, p), u_s and x_s at W^(1)
    inputs : (inputs, n, p), those that steps have of their own
    """

    weights: Array
    pre: Array
    post: Array
    inputs: Array


class Wants(NamedTuple):
    """What the loss asks of each sample.

    Attributes
    ----------
    logistic : whether the loss is the logistic one; else half of the squared distance
    aims : (n, times, outputs), y_i, or r_i at W^(1), where the last so many states are read
    shares, odds : (n,), w_i, or 1/(n J_1), and g_i at W^(1)
    """

    logistic: bool
    aims: Array
    shares: Array
    odds: Array


class Change(NamedTuple):
    """D, (K, p, p), and what the sum D has lost to rounding so far, of the same shape.

    `lost` is written to, so that the next call goes on from it.
    """

    moved: Array
    lost: Array


@part
def swish_difference(u: float, du: float, h: float, e: float) -> tuple[float, float]:
    """phi(u + du) - phi(u) and phi'(u + du) of Swish; `e` is exp(-|2u/h|)."""
    t, dt = 2.0 * u / h, 2.0 * du / h
    after = t + dt
    far = np.exp(-min(abs(after), SWISH_FAR))
    start = 1.0 / (1.0 + e) if t >= 0.0 else e / (1.0 + e)
    near, rest = 1.0 / (1.0 + far), far / (1.0 + far)
    end, against = (near, rest) if after >= 0.0 else (rest, near)
    if abs(dt) < 1.0:
        grown = start * against * np.expm1(dt)
    elif t > 0.0 and after > 0.0:
        grown = e / (1.0 + e) - against
    else:
        grown = end - start
    # Beyond SWISH_FAR the product would be infinite times zero.
    slope = (end + max(min(after, SWISH_FAR), -SWISH_FAR) * near * rest) / SWISH_DIVISOR
    return (du * end + u * grown) / SWISH_DIVISOR, slope


@part
def piecewise_difference(u: float, du: float, bends: Array, layer: int, pieces: int) -> tuple[float, float]:
    """phi(u + du) - phi(u) and phi'(u + du) where phi' is linear between so many knots of `bends` of a layer."""
    place, left, rise, slope = u, du, 0.0, np.nan
    # Piece after piece from u towards u + du; `right` is the number of the knot on the right.
    right = 0
    while right < pieces and (place > bends[layer, KNOT, right] or (place == bends[layer, KNOT, right] and left > 0.0)):
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
    return rise, slope


@part
def move_states(
    net: Architecture, begin: Begin, starts: Array, moved: Array, now: Array, s: int, dx: Array, gates: Array
) -> None:
    """dx_s and phi' of the sample s at the weights `now` = W + `moved`, written into `dx` (S + 1, p), `gates` (S, p).

    `starts` (S, n, p) are the exponentials that Swish has of u, which stay where they are.
    """
    pre, post = begin.pre, begin.post
    depth, _, p = pre.shape
    for layer in range(depth):
        # Unsigned, as an index that may be negative is looked at twice.
        W, A, given = np.uint64(net.table[layer, 0]), net.table[layer, 1], np.uint64(net.table[layer, 2])
        carry, scale, swish = net.mix[layer, 0], net.mix[layer, 1], net.mix[layer, 2]
        for j in range(p):
            du = 0.0
            for i in range(p):
                du += post[layer, s, i] * moved[W, i, j] + dx[layer, i] * now[W, i, j]
            if A >= 0:
                for i in range(p):
                    du += begin.inputs[given, s, i] * moved[A, i, j]
            if swish > 0.0:
                rise, slope = swish_difference(pre[layer, s, j], du, swish, starts[layer, s, j])
            else:
                rise, slope = piecewise_difference(pre[layer, s, j], du, net.bends, layer, net.table[layer, 3])
            if scale != 1.0:
                rise, slope = scale * rise, scale * slope
            dx[layer + 1, j] = rise if carry == 0.0 else carry * dx[layer, j] + rise
            gates[layer, j] = slope


@part
def read_outputs(
    readout: int, begin: Begin, wants: Wants, moved: Array, now: Array, s: int, dx: Array, read: Array, fall: float
) -> float:
    """`fall` less what the sample s adds to J/J_1; -dJ/df/J_1 of its outputs is written into `read`."""
    p = begin.pre.shape[2]
    times, outputs = wants.aims.shape[1:]
    first_read, top = begin.pre.shape[0] + 1 - times, np.uint64(readout)
    for time in range(times):
        state = first_read + time
        for j in range(outputs):
            change = 0.0
            for i in range(p):
                change += begin.post[state, s, i] * moved[top, i, j] + dx[state, i] * now[top, i, j]
            aim, share = wants.aims[s, time, j], wants.shares[s]
            if wants.logistic:
                e = np.expm1(-aim * change)
                x = wants.odds[s] * e
                fall -= share * (e if abs(x) < LINEAR else np.log1p(x) / wants.odds[s])
                read[time, j] = aim * share * (1.0 + e) / (1.0 + x)
            else:
                fall -= share * change * (aim + 0.5 * change)
                read[time, j] = -share * (aim + change)
    return fall


@part
def add_gradient(
    net: Architecture,
    begin: Begin,
    now: Array,
    s: int,
    dx: Array,
    gates: Array,
    read: Array,
    back: Array,
    gradient: Array,
) -> None:
    """What the sample s adds to -grad J/J_1, added to `gradient` (K, p, p); `back` (2, p) is overwritten."""
    post = begin.post
    depth, _, p = begin.pre.shape
    times, outputs = read.shape
    first_read, top = depth + 1 - times, np.uint64(net.readout)
    for i in range(p):
        back[STATE, i] = 0.0
    for state in range(depth, -1, -1):
        if state < depth:
            W, A, given = np.uint64(net.table[state, 0]), net.table[state, 1], np.uint64(net.table[state, 2])
            carry = net.mix[state, 0]
            for i in range(p):
                feature = post[state, s, i] + dx[state, i]
                q = 0.0
                for j in range(p):
                    gradient[W, i, j] += feature * back[PRE, j]
                    q += now[W, i, j] * back[PRE, j]
                back[STATE, i] = q if carry == 0.0 else carry * back[STATE, i] + q
            if A >= 0:
                for i in range(p):
                    for j in range(p):
                        gradient[A, i, j] += begin.inputs[given, s, i] * back[PRE, j]
        if state >= first_read:
            for i in range(p):
                feature = post[state, s, i] + dx[state, i]
                for j in range(outputs):
                    gradient[top, i, j] += feature * read[state - first_read, j]
                    back[STATE, i] += now[top, i, j] * read[state - first_read, j]
        if state > 0:
            for i in range(p):
                back[PRE, i] = gates[state - 1, i] * back[STATE, i]


@part
def make_step(
    trained: int, weights: Array, gradient: Array, step: float, moved: Array, lost: Array
) -> tuple[float, float]:
    """||W||^2 - ||W^(1)||^2 and ||grad J||^2/J_1^2 before the step, which is added to `moved` and `lost`."""
    p = weights.shape[1]
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
    return growth, square


@kernel
def carried_descent(
    net: Architecture, begin: Begin, wants: Wants, change: Change, step: float, steps: int
) -> tuple[Array, Array]:
    """`steps` steps of size eta J_1 = `step` on all trained weights at once, and what is met before each of them.

    Returns
    -------
    (steps, 3): 1 - J/J_1, ||W||^2 - ||W^(1)||^2, ||grad J||^2/J_1^2; then D after the steps
    """
    depth, samples, p = begin.pre.shape
    moved, lost = change.moved.copy(), change.lost
    now, gradient = np.empty_like(moved), np.empty_like(moved)
    dx, gates = np.zeros((depth + 1, p)), np.empty((depth, p))
    back = np.empty((2, p))
    read = np.empty(wants.aims.shape[1:])
    out = np.empty((steps, 3))
    starts = np.empty_like(begin.pre)
    for layer in range(depth):
        swish = net.mix[layer, 2]
        for s in range(samples if swish > 0.0 else 0):
            for j in range(p):
                starts[layer, s, j] = np.exp(-min(abs(2.0 * begin.pre[layer, s, j] / swish), SWISH_FAR))
    for k in range(steps):
        for layer in range(now.shape[0]):
            for i in range(p):
                for j in range(p):
                    now[layer, i, j] = begin.weights[layer, i, j] + moved[layer, i, j]
                    gradient[layer, i, j] = 0.0
        fall = 0.0
        for s in range(samples):
            move_states(net, begin, starts, moved, now, s, dx, gates)
            fall = read_outputs(net.readout, begin, wants, moved, now, s, dx, read, fall)
            add_gradient(net, begin, now, s, dx, gates, read, back, gradient)
        growth, square = make_step(net.trained, begin.weights, gradient, step, moved, lost)
        out[k, 0], out[k, 1], out[k, 2] = fall, growth, square
    return out, moved
