"""Networks that many papers speak of, as constructors: two layers, fan-in and fan-out, NTK parametrisation, patches.

Main definitions: `two_layer_network`; `plain_network`, with biases and any activation; `ntk_network`; `patch_network`,
one layer of a convolution with sum pooling, and `sliding_patches`, which cuts its inputs. Each gives a `Network`, so
that whatever is measured of one is measured of these.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.core.memory import require
from nets.networks.activations import IDENTITY, RELU, Activation
from nets.networks.network import Network, Step

# What becomes of biases: there are none, or they are trained, or not.
Biases = Literal["none", "trained", "frozen"]


def two_layer_network(
    d: int, m: int, rng: np.random.Generator, kappa: float = 1.0, activation: Activation = RELU
) -> Network:
    """(1/sqrt(m)) sum_r a_r phi(w_r^T x): w_r from N(0, kappa^2 I), trained, and a_r random signs, which are not.

    The network of Du, Zhai, Poczos and Singh, Gradient descent provably optimizes over-parameterized neural networks,
    ICLR 2019, and of Arora, Du, Hu, Li and Wang, ICML 2019, (1). Raises `NotEnoughMemoryError` as `he_network` does.
    """
    _require([(d, m)])
    W = kappa * rng.standard_normal((d, m))
    return Network((W,), rng.choice([-1.0, 1.0], m) / math.sqrt(m), [Step(0, activation)])


def plain_network(
    widths: Sequence[int],
    rng: np.random.Generator,
    *,
    fan: Literal["in", "out"] = "in",
    gain: float = 2.0,
    activation: Activation = RELU,
    biases: Biases = "none",
    bias_variance: float = 0.0,
) -> Network:
    """phi(... phi(x W_1 + b_1) ... W_L + b_L) V of widths (d, m_1, ..., m_L, outputs), V trained and without a bias.

    The entries of W_l are from N(0, gain/m_{l-1}), `fan` "in" (He et al. 2015, as in most libraries), or from
    N(0, gain/m_l), "out"; those of V from N(0, 1/m_L) or N(0, 1/outputs), and those of biases from N(0,
    bias_variance). Raises ValueError for fewer than one hidden layer or another word, and `NotEnoughMemoryError`.
    """
    sizes = _widths(widths)
    if fan not in ("in", "out"):
        raise ValueError(f"the variance counts the fan {fan!r}: choose in or out")
    counted = [rows if fan == "in" else columns for rows, columns in sizes]
    hidden = len(sizes) - 1
    gains = [gain] * hidden + [1.0]
    layers = [math.sqrt(g / n) * rng.standard_normal(size) for g, n, size in zip(gains, counted, sizes, strict=True)]
    rows = _biases(sizes, biases, math.sqrt(bias_variance), rng)
    steps = [Step(k, activation, bias=at) for k, at in enumerate(_bias_numbers(hidden, biases))]
    weights = (*layers[:-1], *(rows if biases == "trained" else ()), layers[-1])
    return Network(weights, None, steps, tuple(rows) if biases == "frozen" else ())


def ntk_network(
    widths: Sequence[int],
    rng: np.random.Generator,
    *,
    weight_scale: float = math.sqrt(2.0),
    bias_scale: float = 0.0,
    activation: Activation = RELU,
) -> Network:
    """x_l = phi((weight_scale/sqrt(m_{l-1})) x_{l-1} W_l + bias_scale b_l), read by x_L V/sqrt(m_L); all from N(0, 1).

    The parametrisation of Jacot, Gabriel and Hongler, Neural tangent kernel, NeurIPS 2018, of widths (d, m_1, ..., m_L,
    outputs). The factors are no part of the weights, so that a step of size eta is one of that size in their
    parametrisation: the states, and x itself in a linear first step, which is not trained, are multiplied by them. So
    the states of `forward` are those that enter the next layer. With `bias_scale` 0 there are no biases, else they are
    trained. Raises ValueError and `NotEnoughMemoryError` as `plain_network` does.
    """
    sizes = _widths(widths)
    hidden, d = len(sizes) - 1, sizes[0][0]
    _require([*sizes, (d, d)])
    biases: Biases = "trained" if bias_scale else "none"
    layers = [rng.standard_normal(size) for size in sizes]
    rows = _biases(sizes, biases, 1.0, rng)
    weights = (*layers[:-1], *rows, layers[-1])
    factors = [weight_scale / math.sqrt(columns) for _, columns in sizes[: hidden - 1]]
    factors.append(1.0 / math.sqrt(sizes[-1][0]))
    entered = Step(len(weights), IDENTITY, scale=weight_scale / math.sqrt(d))
    steps = [
        Step(k, activation, scale=factor, bias=at, bias_scale=bias_scale if at is not None else 1.0)
        for k, (factor, at) in enumerate(zip(factors, _bias_numbers(hidden, biases), strict=True))
    ]
    return Network(weights, None, [entered, *steps], (np.eye(d),))


def patch_network(
    patches: int, size: int, m: int, rng: np.random.Generator, gain: float = 2.0, activation: Activation = RELU
) -> Network:
    """sum_p sum_r v_r phi(w_r^T x_p) of the patches x_p of a sample, with balanced signs v_r/sqrt(m) of m filters.

    One layer of a convolution with sum pooling: X is (n, patches, size), as `sliding_patches` cuts it. The filters W
    (size, m) are trained, from N(0, gain/size). Every patch is a step of its own that carries the state, which starts
    from zero and is multiplied by a matrix of zeros (m, m), not trained. Raises ValueError for an odd number of filters
    or no patch, and `NotEnoughMemoryError`.
    """
    if patches < 1 or m < 2 or m % 2:
        raise ValueError(f"{patches} patches and {m} filters: pass a patch at least, and an even number of filters")
    _require([(size, m), (m, m)])
    W = math.sqrt(gain / size) * rng.standard_normal((size, m))
    v = np.repeat([1.0, -1.0], m // 2) / math.sqrt(m)
    return Network((W,), v, [Step(1, activation, input=0, carry=1.0)] * patches, (np.zeros((m, m)),))


def sliding_patches(X: npt.ArrayLike, size: int, stride: int = 1) -> Array:
    """The (d - size)//stride + 1 patches of neighbouring coordinates of samples (n, d): (n, patches, size)."""
    array = np.asarray(X, dtype=np.float64)
    if array.ndim != 2 or not 1 <= size <= array.shape[1] or stride < 1:
        raise ValueError(f"patches of {size} of an array of shape {array.shape}: pass (n, d) with 1 <= size <= d")
    windows = np.lib.stride_tricks.sliding_window_view(array, size, axis=1)
    return np.ascontiguousarray(windows[:, ::stride])


def _widths(widths: Sequence[int]) -> list[tuple[int, int]]:
    if len(widths) < 3 or min(widths) < 1:
        raise ValueError(f"widths are {tuple(widths)}: pass (d, m_1, ..., m_L, outputs), all positive, with L >= 1")
    sizes = list(itertools.pairwise(widths))
    _require(sizes)
    return sizes


def _require(sizes: Sequence[tuple[int, int]]) -> None:
    require(
        sum(rows * columns for rows, columns in sizes),
        lambda: f"a network of {len(sizes)} matrices, the largest of shape {max(sizes, key=math.prod)},",
    )


def _biases(
    sizes: Sequence[tuple[int, int]], biases: Biases, deviation: float, rng: np.random.Generator
) -> list[Array]:
    """A row for each hidden layer, unless there are none."""
    if biases not in ("none", "trained", "frozen"):
        raise ValueError(f"biases that are {biases!r}: choose none, trained or frozen")
    return [] if biases == "none" else [deviation * rng.standard_normal((1, columns)) for _, columns in sizes[:-1]]


def _bias_numbers(hidden: int, biases: Biases) -> list[int | None]:
    """The numbers of the biases among the parameters: trained ones behind the layers, others behind the weights."""
    if biases == "none":
        return [None] * hidden
    first = hidden if biases == "trained" else hidden + 1
    return list(range(first, first + hidden))
