"""Part of the randomness of W drawn again, in one direction and some neurons (Section 6.3, Appendix E.1).

Main definitions: `split`, of a Gaussian vector into one of the same law and a small rest; `redrawn`, W less the rest
along a direction. W is that of the code, the transpose of the paper's: W v of the paper is v @ W.
"""

import math

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array


def split(known: Array, drawn: Array, theta: float) -> tuple[Array, Array]:
    """Return g_1 = sqrt(1 - theta^2) g + theta xi and g_2 = theta g - sqrt(1 - theta^2) xi, g `known` and xi `drawn`.

    They are independent where g and xi are, of the same law, and sqrt(1 - theta^2) g_1 + theta g_2 = g.
    """
    kept = math.sqrt(1.0 - theta * theta)
    return kept * known + theta * drawn, theta * known - kept * drawn


def small_part(first: Array, second: Array, theta: float) -> Array:
    """The rest theta g_2 - (1 - sqrt(1 - theta^2)) g_1 that g_1 leaves of g (Proposition 6.1); theta in [0, 1]."""
    # 1 - sqrt(1 - theta^2) without cancellation.
    return theta * second - theta * theta / (1.0 + math.sqrt(1.0 - theta * theta)) * first


def redrawn(
    W: Array, direction: Array, drawn: Array, theta: float, rows: slice | npt.NDArray[np.intp] = slice(None)
) -> tuple[Array, Array]:
    """Return W - u v^T and u (m,), v the unit vector `direction`: W with new randomness along v in the neurons `rows`.

    u is the `small_part` of what W makes of v, split with `drawn` (m,), and 0 in all other neurons (Lemmas E.4, E.5).
    """
    first, second = split(direction @ W, drawn, theta)
    u = np.zeros(len(drawn))
    u[rows] = small_part(first, second, theta)[rows]
    return W - np.outer(direction, u), u
