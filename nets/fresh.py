"""The outputs of a random network at a few points, without its weight matrices.

Main definitions: `fresh_layer`, one layer, and `fresh_outputs`, all of them.

The points meet the weights of a layer only in X W. Given X its columns are independent N(0, gain/m X X^T), so
they can be drawn as such: exact in law, and linear in the width where a dense layer is quadratic. What is
drawn is used up by these points; for one weight matrix applied again, draw the network.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nets.activations import relu_with_gate
from nets.arrays import Array, matrix


def fresh_layer(X: npt.ArrayLike, m: int, rng: np.random.Generator, gain: float = 2.0) -> Array:
    """Return the pre-activations (n, m) of a new layer with entries N(0, gain/m) at the points X (n, k).

    X X^T = R^T R by an orthogonal triangularisation, which keeps the digits of points close to each other.
    """
    X = matrix(X, "the point array X")
    if m < 1:
        raise ValueError(f"a layer of {m} neurons was asked for: pass a positive width")
    R: Array = np.asarray(np.linalg.qr(X.T, mode="r"))
    pre: Array = R.T @ rng.standard_normal((R.shape[0], m))
    pre *= np.sqrt(gain / m)
    return pre


def fresh_outputs(
    X: npt.ArrayLike, widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0
) -> tuple[Array, ...]:
    """Return the outputs of the layers 0..L at the points X (n, d), layer 0 being X: arrays (n, m_l).

    The joint law is that of `forward(he_network((d, *widths), rng, gain), X).post`; the draws differ.
    """
    outputs = [matrix(X, "the point array X")]
    for m in widths:
        outputs.append(relu_with_gate(fresh_layer(outputs[-1], m, rng, gain))[0])
    return tuple(outputs)
