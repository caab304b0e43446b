"""Products of masked layers of a recurrent network whose gates an adversary has changed.

Main definitions: `diagonal_product_norm` and `span_norms`, of all spans of times; `largest_corrupted_norm`, the
adversary over sparse changes of the gates.
"""

from collections.abc import Sequence

import numpy as np

from nets import Array, operator_norm


def _product(W: Array, gates: Sequence[Array]) -> Array:
    """The matrix of h -> h W D_1 W D_2 ... W D_k for diagonals (m,): (m, m)."""
    moved = W * gates[0]
    for gate in gates[1:]:
        moved = (moved @ W) * gate
    return moved


def diagonal_product_norm(W: Array, gates: Sequence[Array]) -> float:
    """||D_k W ... D_1 W|| of the paper, in the order of the times."""
    return operator_norm(_product(W, gates))


def span_norms(W: Array, gates: Sequence[Array]) -> list[float]:
    """||D_l W ... D_b W|| for all 1 <= b <= l <= k: k (k + 1)/2 norms, those of one b after the other."""
    found = []
    for first in range(len(gates)):
        moved = W * gates[first]
        found.append(operator_norm(moved))
        for gate in gates[first + 1 :]:
            moved = (moved @ W) * gate
            found.append(operator_norm(moved))
    return found


def largest_corrupted_norm(W: Array, gates: Sequence[Array], s: int, *, sweeps: int = 3) -> float:
    """A large norm of the product with s entries of each diagonal changed by 1, up or down: a lower bound.

    Each sweep goes through the diagonals at the top singular pair of the product. As it is linear in one diagonal, the
    s entries of largest effect are the best there are for that pair.
    """
    changed = [gate.copy() for gate in gates]
    best = diagonal_product_norm(W, gates)
    for _ in range(sweeps):
        left, sizes, right = np.linalg.svd(_product(W, changed))
        best = max(best, float(sizes[0]))
        above = right[0]
        backs = [above]
        for gate in changed[:0:-1]:
            above = (above * gate) @ W.T
            backs.append(above)
        row = left[:, 0]
        for number, gate in enumerate(gates):
            row = row @ W
            effect = row * backs[len(gates) - 1 - number]
            places = np.argpartition(-np.abs(effect), s - 1)[:s]
            changed[number] = gate.copy()
            changed[number][places] += np.sign(effect[places])
            row = row * changed[number]
    return max(best, diagonal_product_norm(W, changed))
