"""The slow and obvious form of the descent that carries differences, and what to feed it."""

from typing import Any

import mpmath
import numpy as np
from hypothesis import strategies as st

from nets.arrays import Array

DIGITS = 40


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
    _lost: Array,
    step: float,
    steps: int,
) -> tuple[Array, Array]:
    """Every difference taken of two totals, with so many digits that it does not matter."""
    layers, p, n = len(weights), weights.shape[1], len(labels)

    def phi(z: Any) -> tuple[Any, Any]:
        if swish > 0.0:
            s = 1 / (1 + mpmath.exp(-2 * z / swish))
            return z * s / mpmath.mpf(1.1), (s + 2 * z / swish * s * (1 - s)) / mpmath.mpf(1.1)
        # The integral of the slope from the first knot on.
        value, slope = min(z - knots[0], 0) * bends[0], mpmath.mpf(bends[0])
        for left, right, low, high in zip(knots[:-1], knots[1:], bends[:-1], bends[1:], strict=True):
            inside = min(max(z, left), right) - left
            bend = (mpmath.mpf(high) - low) / (mpmath.mpf(right) - left)
            value += inside * (low + bend * inside / 2)
            slope += bend * inside
        return value + max(z - knots[-1], 0) * bends[-1], slope

    with mpmath.workdps(DIGITS):
        start = [mpmath.matrix(V.tolist()) for V in weights]
        D = [mpmath.matrix(M.tolist()) for M in moved]
        rows = []
        for _ in range(steps):
            now = [V + M for V, M in zip(start, D, strict=True)]
            gradients = [mpmath.zeros(p, p) for _ in range(layers)]
            fall = mpmath.mpf(0)
            for s in range(n):
                dx, slopes, features = mpmath.zeros(1, p), [], []
                for layer in range(layers):
                    x = mpmath.matrix(post[layer, s : s + 1].tolist())
                    features.append(x + dx)
                    du = x * D[layer] + dx * now[layer]
                    if layer < layers - 1:
                        u = [mpmath.mpf(z) for z in pre[layer, s]]
                        ends = [phi(z + du[j]) for j, z in enumerate(u)]
                        dx = mpmath.matrix([[end[0] - phi(z)[0] for end, z in zip(ends, u, strict=True)]])
                        slopes.append([slope for _, slope in ends])
                ratio = mpmath.exp(-labels[s] * du[0]) - 1
                fall -= shares[s] / mpmath.mpf(odds[s]) * mpmath.log(1 + odds[s] * ratio)
                b = mpmath.zeros(1, p)
                b[0] = labels[s] * shares[s] * (1 + ratio) / (1 + odds[s] * ratio)
                for layer in range(layers - 1, -1, -1):
                    gradients[layer] += features[layer].T * b
                    if layer:
                        q = b * now[layer].T
                        b = mpmath.matrix([[q[j] * slopes[layer - 1][j] for j in range(p)]])
            growth = mpmath.fsum(v**2 for V in now for v in V) - mpmath.fsum(v**2 for V in start for v in V)
            rows.append([float(fall), float(growth), float(mpmath.fsum(g**2 for G in gradients for g in G))])
            D = [M + step * G for M, G in zip(D, gradients, strict=True)]
        return np.array(rows), np.array([[[float(v) for v in row] for row in M.tolist()] for M in D])


def descent_case(
    seed: int, depth: int, p: int, n: int, h: float, swish: bool, label: float, step: float, steps: int
) -> tuple[Any, ...]:
    """Arguments of `carried_descent`: positive weights and points of one class, so that no two terms cancel."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 1.5, (depth + 1, p, p))
    weights[depth, :, 1:] = 0.0
    pre, post = np.empty((depth, n, p)), np.empty((depth + 1, n, p))
    post[0] = rng.uniform(0.5, 1.0, (n, p))
    for layer in range(depth):
        u = pre[layer] = post[layer] @ weights[layer]
        inside = np.clip(u, 0.0, h)
        post[layer + 1] = u / (1.1 + 1.1 * np.exp(-2.0 * u / h)) if swish else inside**2 / (2.0 * h) + u - inside
    margins = label * (post[depth] @ weights[depth])[:, 0]
    odds, loss = 1.0 / (1.0 + np.exp(margins)), np.logaddexp(0.0, -margins)
    return (
        weights,
        pre,
        post,
        np.full(n, label),
        odds / loss.sum(),
        odds,
        h if swish else 0.0,
        np.array([0.0, h]),
        np.array([0.0, 1.0]),
        np.zeros_like(weights),
        np.zeros_like(weights),
        step,
        steps,
    )


DESCENTS = st.builds(
    descent_case,
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.sampled_from([0.125, 0.5]),
    st.booleans(),
    st.sampled_from([1.0, -1.0]),
    st.sampled_from([1e-2, 1e-9, 1e-20]),
    st.integers(1, 3),
)
