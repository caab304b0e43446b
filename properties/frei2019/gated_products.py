"""Products of the residual layers with gates of one's own: what Lemma B.2 bounds.

Main definitions: `gated_product`; `worst_gates`, which climb its norm.
"""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array


def gated_product(weights: Sequence[Array], gates: Sequence[Array], theta: float) -> Array:
    """The product of all (I + theta S_r W_r^T), later ones on the left, transposed: (m, m)."""
    rows = np.eye(len(weights[0]))
    for W, gate in zip(weights, gates, strict=True):
        rows = rows + theta * (rows @ W) * gate
    return rows


def worst_gates(weights: Sequence[Array], theta: float, rng: Generator, sweeps: int = 4) -> list[Array]:
    """Gates of size 1 that climb the norm of `gated_product`, the top pair of vectors and the gates by turns.

    With the pair held, the product is affine in each gate alone, and best at the sign of its coefficient.
    """
    gates = [rng.choice([-1.0, 1.0], W.shape[1]) for W in weights]
    a = rng.standard_normal(len(weights[0]))
    for _ in range(sweeps):
        states = [a / np.linalg.norm(a)]
        for W, gate in zip(weights, gates, strict=True):
            states.append(states[-1] + theta * (states[-1] @ W) * gate)
        back = states[-1]
        for number in range(len(weights) - 1, -1, -1):
            W, moved = weights[number], states[number] @ weights[number]
            gates[number] = np.where(back * moved < 0.0, -1.0, 1.0)
            back = back + theta * (back * gates[number]) @ W.T
        a = back
    return gates
