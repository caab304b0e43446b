"""Fully connected ReLU networks f(x) = v^T relu(W_L^T ... relu(W_1^T x)) and their random initialisation.

Main definitions: `Network`; `he_network`, with stored layers, `revealed_network`, with layers sampled only where
they are looked at, and `gaussian_network`, which chooses by size; `balanced_signs`, `perturbed`.

Layers are numbered 1..L as in the papers: `weights[l - 1]` is W_l, of shape (m_{l-1}, m_l), and column j of
it is the weight vector of neuron j. There are no biases, and v is not trained.

Of a layer nothing is asked but its shape, `X @ W`, `B @ W.T`, `W + step`, `W - step`, and the difference of two
versions of it. Stored arrays and `RevealedGaussian` offer these alike, so what is written for one kind of
network runs on the other.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nets.arrays import Array
from nets.lowrank import LowRank
from nets.memory import require
from nets.revealed import MEMORY_LIMIT, RevealedGaussian

# A stored array or a `RevealedGaussian`. Not a union: the arithmetic of a layer and a step of its own kind would
# then have to be spelled out for every pair of kinds.
Layer = Any

# Entries up to which `gaussian_network` stores a layer: 32 MB, where a forward pass takes a few milliseconds.
STORED_ENTRIES = 2**22


@dataclass(frozen=True, eq=False)
class Network:
    """The weights of a network; a constant, as are its arrays.

    Attributes
    ----------
    weights : tuple of L layers (m_{l-1}, m_l): arrays, float64 and C-contiguous, or `RevealedGaussian`
    v : (m_L,) float64, output weights

    Raises ValueError where shapes do not fit together or an array is of another kind.
    """

    weights: tuple[Layer, ...]
    v: Array

    def __post_init__(self) -> None:
        if not self.weights:
            raise ValueError("the network has no layer: pass at least one weight matrix")
        for layer, W in enumerate(self.weights, start=1):
            if not isinstance(W, RevealedGaussian):
                _check_kind(W, 2, f"W_{layer}")
            wanted = W.shape[0] if layer == 1 else self.weights[layer - 2].shape[1]
            if W.shape[0] != wanted:
                raise ValueError(
                    f"W_{layer} has shape {W.shape} after a layer of {wanted} neurons: it needs {wanted} rows"
                )
        _check_kind(self.v, 1, "v")
        if self.v.size != self.weights[-1].shape[1]:
            raise ValueError(
                f"v has {self.v.size} entries for a last layer of {self.weights[-1].shape[1]} neurons:"
                " pass one entry per neuron"
            )

    @property
    def depth(self) -> int:
        """L, the number of hidden layers."""
        return len(self.weights)

    @property
    def widths(self) -> tuple[int, ...]:
        """(d, m_1, ..., m_L)."""
        return (self.weights[0].shape[0], *(W.shape[1] for W in self.weights))


def _check_kind(array: Array, axes: int, name: str) -> None:
    if array.ndim != axes:
        raise ValueError(f"{name} has {array.ndim} axes: pass an array with {axes}")
    if array.dtype != np.float64 or not array.flags.c_contiguous:
        order = "C-contiguous" if array.flags.c_contiguous else "not C-contiguous"
        raise ValueError(f"{name} is {array.dtype} and {order}: pass np.ascontiguousarray({name}, dtype=float)")


def balanced_signs(m: int) -> Array:
    """+1 in the first half, -1 in the second: (m,), m even (zou2018, Section 3.2)."""
    if m < 2 or m % 2:
        raise ValueError(f"the last layer has {m} neurons: balanced signs need an even, positive number")
    return np.repeat([1.0, -1.0], m // 2)


def he_network(widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0) -> Network:
    """Network of widths (d, m_1, ..., m_L), the entries of W_l drawn from N(0, gain/m_l), with balanced v.

    The variance counts the OUTPUTS of the layer (zou2018, Section 3.3), not its inputs as in most libraries.
    Raises `NotEnoughMemoryError` before anything is drawn where the layers would not fit in memory.
    """
    require_layers(_pairs(widths), math.inf)
    weights = tuple(_stored(inputs, outputs, gain, rng) for inputs, outputs in _pairs(widths))
    return Network(weights, balanced_signs(widths[-1]))


def revealed_network(
    widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0, memory_limit: int = MEMORY_LIMIT
) -> Network:
    """A network of the law of `he_network` whose layers are `RevealedGaussian`, each with its own generator.

    `memory_limit`, in bytes, is that of one layer. Raises `NotEnoughMemoryError` where one direction and its answer
    in each layer would not fit in memory.
    """
    pairs = _pairs(widths)
    require_layers(pairs, 0)
    weights = tuple(
        _revealed(inputs, outputs, gain, own, memory_limit)
        for (inputs, outputs), own in zip(pairs, rng.spawn(len(pairs)), strict=True)
    )
    return Network(weights, balanced_signs(widths[-1]))


def gaussian_network(widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0) -> Network:
    """A network of the law of `he_network` at any width: layers of at most `STORED_ENTRIES` entries are stored.

    Raises `NotEnoughMemoryError` as `he_network` and `revealed_network` do.
    """
    pairs = _pairs(widths)
    require_layers(pairs)
    weights = tuple(
        _stored(inputs, outputs, gain, own)
        if inputs * outputs <= STORED_ENTRIES
        else _revealed(inputs, outputs, gain, own, MEMORY_LIMIT)
        for (inputs, outputs), own in zip(pairs, rng.spawn(len(pairs)), strict=True)
    )
    return Network(weights, balanced_signs(widths[-1]))


def _pairs(widths: Sequence[int]) -> list[tuple[int, int]]:
    if len(widths) < 2 or min(widths) < 1:
        raise ValueError(f"widths are {tuple(widths)}: pass (d, m_1, ..., m_L), all positive, with L >= 1")
    return list(itertools.pairwise(widths))


def require_layers(shapes: Sequence[tuple[int, int]], stored: float = STORED_ENTRIES) -> None:
    """Raise `NotEnoughMemoryError` unless layers of these shapes fit in memory together.

    Those of at most `stored` entries as arrays, the others revealed, with one direction and its answer each.
    """
    require(
        sum(math.prod(shape) if math.prod(shape) <= stored else sum(shape) for shape in shapes),
        lambda: f"a network of {len(shapes)} layers, the largest of shape {max(shapes, key=math.prod)},",
    )


def _stored(inputs: int, outputs: int, gain: float, rng: np.random.Generator) -> Array:
    W = rng.standard_normal((inputs, outputs))
    W *= np.sqrt(gain / outputs)
    return W


def _revealed(inputs: int, outputs: int, gain: float, rng: np.random.Generator, limit: int) -> RevealedGaussian:
    return RevealedGaussian(inputs, outputs, float(np.sqrt(gain / outputs)), rng, limit)


def perturbed(net: Network, steps: Sequence[Array | LowRank]) -> Network:
    """The network with weights W_l + steps[l - 1]; v is shared. Steps of revealed layers are `LowRank`."""
    return Network(tuple(W + step for W, step in zip(net.weights, steps, strict=True)), net.v)
