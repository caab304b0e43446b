"""The outputs of a random network at a few points, without its weight matrices.

The points meet the weights of a layer only in X W. Given X its columns are independent N(0, gain/m X X^T), so
they can be drawn as such: exact in law, and linear in the width where a dense layer is quadratic. What is
drawn is used up by these points; for one weight matrix applied again, draw the network.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh_tridiagonal

from nets.activations import RELU, Activation
from nets.arrays import Array, matrix
from nets.forward import Forward
from nets.memory import require
from nets.network import balanced_signs


def fresh_layer(X: npt.ArrayLike, m: int, rng: np.random.Generator, gain: float = 2.0) -> Array:
    """Return the pre-activations (n, m) of a new layer with entries N(0, gain/m) at the points X (n, k).

    X X^T = R^T R by an orthogonal triangularisation, which keeps the digits of points close to each other.
    Raises `NotEnoughMemoryError` where they would not fit in memory.
    """
    X = matrix(X, "the point array X")
    if m < 1:
        raise ValueError(f"a layer of {m} neurons was asked for: pass a positive width")
    require(2 * m * min(X.shape), lambda: f"the pre-activations of {m} neurons at {X.shape[0]} points")
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
    post = [matrix(X, "the point array X")]
    for m in widths:
        post.append(RELU.value(fresh_layer(post[-1], m, rng, gain)))
    return tuple(post)


def fresh_forward(
    X: npt.ArrayLike,
    widths: Sequence[int],
    rng: np.random.Generator,
    gain: float | Sequence[float] = 2.0,
    activation: Activation = RELU,
    output_variance: float | None = None,
) -> Forward:
    """Return the forward pass of a new network of hidden widths (m_1, ..., m_L) at the points X (n, d).

    The joint law of all its arrays is that of `forward(he_network((d, *widths), rng, gain), X)`, m_L even, and with an
    `output_variance` that of `forward(gaussian_smooth_network((d, *widths), activation, rng, gain, output_variance),
    X)`; the draws differ. `gain` is one number, or one for each layer.
    """
    # Refused before anything is drawn.
    signs = balanced_signs(widths[-1]) if output_variance is None else np.empty(0)
    first = state = matrix(X, "the point array X")
    layers = []
    for m, layer_gain in zip(widths, np.broadcast_to(gain, len(widths)), strict=True):
        z = fresh_layer(state, m, rng, float(layer_gain))
        state, slope = activation.value_and_slope(z)
        layers.append((z, state, slope))
    output = state @ signs if output_variance is None else fresh_layer(state, 1, rng, output_variance)[:, 0]
    pre, post, slopes = zip(*layers, strict=True)
    return Forward(pre, (first, *post), slopes, np.asarray(output))


def fresh_operator_norm(k: int, m: int, rng: np.random.Generator, gain: float = 2.0) -> float:
    """Return the largest singular value of a new layer (k, m) with entries N(0, gain/m), linear in its sides.

    Householder reflections from both sides, independent of what they have not met, leave a bidiagonal matrix of
    independent chi variables: M, M - 1, ..., M - s + 1 degrees of freedom on the diagonal, s - 1, ..., 1 beside it,
    for sides s <= M (J. W. Silverstein, "The smallest eigenvalue of a large dimensional Wishart matrix", Annals of
    Probability 13 (1985)). Bisection finds the largest eigenvalue of its square to a few units in the last place.
    """
    if min(k, m) < 1:
        raise ValueError(f"a layer of shape ({k}, {m}) was asked for: pass positive sides")
    short, long = sorted((k, m))
    diagonal = rng.chisquare(long - np.arange(short))
    beside = rng.chisquare(short - np.arange(1, short)) if short > 1 else np.empty(0)
    square = diagonal + np.concatenate([[0.0], beside])
    if short == 1:
        return float(np.sqrt(gain / m * square[0]))
    coupling = np.sqrt(diagonal[:-1] * beside)
    largest = eigh_tridiagonal(square, coupling, eigvals_only=True, select="i", select_range=(short - 1, short - 1))[0]
    return float(np.sqrt(gain / m * largest))
