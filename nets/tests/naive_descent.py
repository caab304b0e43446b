"""The slow and obvious form of the descent that carries differences, and what to feed it."""

from typing import Any

import mpmath
import numpy as np
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.descent.carried_kernel import Architecture, Begin, Change, Wants

DIGITS = 40


def _value_and_slope(swish: float, bends: Array, z: Any) -> tuple[Any, Any]:
    if swish > 0.0:
        s = 1 / (1 + mpmath.exp(-2 * z / swish))
        return z * s / mpmath.mpf(1.1), (s + 2 * z / swish * s * (1 - s)) / mpmath.mpf(1.1)
    knots, left, right = ([mpmath.mpf(number) for number in row] for row in bends)
    # The integral of the slope from the first knot on.
    value, slope = min(z - knots[0], 0) * left[0], left[0]
    for k in range(len(knots) - 1):
        inside = min(max(z, knots[k]), knots[k + 1]) - knots[k]
        bend = (left[k + 1] - right[k]) / (knots[k + 1] - knots[k])
        value += inside * (right[k] + bend * inside / 2)
        slope = right[k] + bend * inside if z > knots[k] else slope
    return value + max(z - knots[-1], 0) * right[-1], right[-1] if z > knots[-1] else slope


def carried_descent(
    net: Architecture, begin: Begin, wants: Wants, change: Change, step: float, steps: int
) -> tuple[Array, Array]:
    """Every difference taken of two totals, with so many digits that it does not matter."""
    (weights, pre, post, inputs), (logistic, aims, shares, odds) = begin, wants
    table, mix, bends, top = net.table, net.mix, net.bends, net.readout
    depth, n, p = pre.shape
    first_read, outputs = depth + 1 - aims.shape[1], aims.shape[2]

    def row(values: Array) -> Any:
        return mpmath.matrix([values.tolist()])

    with mpmath.workdps(DIGITS):
        start = [mpmath.matrix(V.tolist()) for V in weights]
        D = [mpmath.matrix(M.tolist()) for M in change.moved]
        rows = []
        for _ in range(steps):
            now = [V + M for V, M in zip(start, D, strict=True)]
            gradients = [mpmath.zeros(p, p) for _ in weights]
            fall = mpmath.mpf(0)
            for s in range(n):
                dx, slopes = [mpmath.zeros(1, p)], []
                for layer in range(depth):
                    W, A, given, pieces = table[layer]
                    carry, scale, swish = map(mpmath.mpf, mix[layer])
                    u = [mpmath.mpf(z) for z in pre[layer, s]]
                    du = row(post[layer, s]) * D[W] + dx[-1] * now[W]
                    if A >= 0:
                        du += row(inputs[given, s]) * D[A]
                    knots = bends[layer, :, :pieces]
                    begins = [_value_and_slope(swish, knots, z) for z in u]
                    ends = [_value_and_slope(swish, knots, z + du[j]) for j, z in enumerate(u)]
                    rises = [[scale * (end[0] - begin[0]) for begin, end in zip(begins, ends, strict=True)]]
                    dx.append(carry * dx[-1] + mpmath.matrix(rises))
                    slopes.append([scale * slope for _, slope in ends])
                features = [row(x) + d for x, d in zip(post[:, s], dx, strict=True)]
                b_read: dict[int, Any] = {}
                for time, state in enumerate(range(first_read, depth + 1)):
                    change = row(post[state, s]) * D[top] + dx[state] * now[top]
                    b_read[state] = mpmath.zeros(1, p)
                    for j in range(outputs):
                        aim = mpmath.mpf(aims[s, time, j])
                        if logistic:
                            ratio = mpmath.exp(-aim * change[j]) - 1
                            fall -= shares[s] / mpmath.mpf(odds[s]) * mpmath.log(1 + odds[s] * ratio)
                            b_read[state][j] = aim * shares[s] * (1 + ratio) / (1 + odds[s] * ratio)
                        else:
                            fall -= shares[s] * ((aim + change[j]) ** 2 - aim**2) / 2
                            b_read[state][j] = -shares[s] * (aim + change[j])
                q = mpmath.zeros(1, p)
                for state in range(depth, -1, -1):
                    if state in b_read:
                        gradients[top] += features[state].T * b_read[state]
                        q += b_read[state] * now[top].T
                    if state:
                        W, A, given, _ = table[state - 1]
                        b = mpmath.matrix([[q[j] * slopes[state - 1][j] for j in range(p)]])
                        gradients[W] += features[state - 1].T * b
                        if A >= 0:
                            gradients[A] += row(inputs[given, s]).T * b
                        q = mpmath.mpf(mix[state - 1, 0]) * q + b * now[W].T
            totals = [[v**2 for V in layers[: net.trained] for v in V] for layers in (now, start, gradients)]
            growth = mpmath.fsum(totals[0]) - mpmath.fsum(totals[1])
            rows.append([float(fall), float(growth), float(mpmath.fsum(totals[2]))])
            D = [M + step * G if k < net.trained else M for k, (M, G) in enumerate(zip(D, gradients, strict=True))]
        return np.array(rows), np.array([[[float(v) for v in line] for line in M.tolist()] for M in D])


def _phi(bend: str, h: float, u: Array) -> Array:
    if bend == "swish":
        return np.asarray(u / (1.1 + 1.1 * np.exp(-2.0 * u / h)))
    if bend == "leaky":
        return np.where(u > 0.0, u, 0.25 * u)
    inside = np.clip(u, 0.0, h)
    return np.asarray(inside**2 / (2.0 * h) + u - inside)


def descent_case(
    seed: int, depth: int, p: int, n: int, h: float, bend: str, label: float, step: float, steps: int, how: str
) -> tuple[Any, ...]:
    """Arguments of `carried_descent`: positive weights and points of one class, so that no two terms cancel.

    `how` is "plain", layers all trained and the logistic loss; "shared", one matrix and one for inputs at all steps,
    with skip connections and a fixed read-out; or "squares", the same with outputs at all times and squared distances.
    """
    rng = np.random.default_rng(seed)
    plain, logistic = how == "plain", how != "squares"
    outputs, times = (1, 1) if logistic else (p, depth)
    weights = rng.uniform(0.5, 1.5, (depth + 1 if plain else 3, p, p))
    top, trained = len(weights) - 1, len(weights) if plain else 2
    weights[top, :, outputs:] = 0.0
    carry, scale = (0.0, 1.0) if plain else (0.5, 0.75)
    rows = [(layer, -1, 0, 0) if plain else (0, 1, layer, 0) for layer in range(depth)]
    pre, post = np.empty((depth, n, p)), np.zeros((depth + 1, n, p))
    points = rng.uniform(0.5, 1.0, (0 if plain else depth, n, p))
    if plain:
        post[0] = rng.uniform(0.5, 1.0, (n, p))
    for layer in range(depth):
        pre[layer] = post[layer] @ weights[rows[layer][0]] + (0.0 if plain else points[layer] @ weights[1])
        post[layer + 1] = carry * post[layer] + scale * _phi(bend, h, pre[layer])
    knots = {"swish": np.zeros((3, 1)), "leaky": np.array([[0.0], [0.25], [1.0]])}
    bends = knots.get(bend, np.array([[0.0, h], [0.0, 1.0], [0.0, 1.0]]))
    table = np.array(rows, dtype=np.int64) + np.array([0, 0, 0, bends.shape[1]])
    mix = np.tile([carry, scale, h if bend == "swish" else 0.0], (depth, 1))
    found = np.stack([x @ weights[top][:, :outputs] for x in post[depth + 1 - times :]], axis=1)
    odds, loss = np.zeros(n), 0.5 * np.sum(found**2, axis=(1, 2))
    shares = np.full(n, 1.0 / loss.sum())
    if logistic:
        margins = label * found[:, 0, 0]
        odds, loss = 1.0 / (1.0 + np.exp(margins)), np.logaddexp(0.0, -margins)
        shares, found = odds / loss.sum(), np.full((n, 1, 1), label)
    net = Architecture(trained, top, table, mix, np.tile(bends, (depth, 1, 1)))
    wants = Wants(logistic, found, shares, odds)
    return net, Begin(weights, pre, post, points), wants, Change(*np.zeros((2, *weights.shape))), step, steps


DESCENTS = st.builds(
    descent_case,
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.sampled_from([0.125, 0.5]),
    st.sampled_from(["huberised", "swish", "leaky"]),
    st.sampled_from([1.0, -1.0]),
    st.sampled_from([1e-2, 1e-9, 1e-20]),
    st.integers(1, 3),
    st.sampled_from(["plain", "shared", "squares"]),
)
