"""The gradient of a smooth network as equations (2a) and (2b) of chatterji2021 write it, to any number of digits.

Main definitions: `ExactNetwork`, with its `loss` and its `gradients`. It shares no code with the kernels: one sample
after the other, matrices in the orientation of the paper, numbers of mpmath in the precision in force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

from nets import Array, Network
from properties.chatterji2021.smooth_members import exact_member

# Arrays of numbers of mpmath.
Exact = npt.NDArray[np.object_]

# Slips in writing the formula; the first is none.
FORMS = (
    "",
    "own slope missing",
    "slopes to the left of their layers",
    "layers in descending order",
    "layers not transposed",
    "pre-activation for feature",
    "no label",
    "weight of the other label",
    "sum for mean",
)


def exact(values: Any) -> Exact:
    """The same numbers, exactly."""
    return np.vectorize(mpmath.mpf, otypes=[object])(np.asarray(values, dtype=np.float64))


@dataclass(frozen=True)
class ExactNetwork:
    """V_1, ..., V_{L+1} of shapes (p_l, p_{l-1}), points (n, p_0) and labels (n,), an activation and its h."""

    layers: tuple[Exact, ...]
    X: Exact
    y: Array
    name: str
    h: Any

    @classmethod
    def of(cls, net: Network, X: Array, y: Array, name: str, h: float) -> ExactNetwork:
        """The float64 network, exactly."""
        return cls(tuple(exact(V).T for V in net.weights), exact(X), y, name, mpmath.mpf(h))

    def moved(self, directions: Sequence[Array | None], step: Any) -> ExactNetwork:
        """The network at V + step D; `directions` as `Network` has them, None for a layer that stays."""
        layers = (V if D is None else V + step * exact(D).T for V, D in zip(self.layers, directions, strict=True))
        return replace(self, layers=tuple(layers))

    def passes(self, x: Exact) -> tuple[list[Exact], list[Exact], list[Exact], Any]:
        """u_l, x_l from the input on, the slopes phi'(u_l), and f, of one sample."""
        pre: list[Exact] = []
        post, slopes = [x], []
        for V in self.layers[:-1]:
            pre.append(V.dot(post[-1]))
            pairs = [exact_member(self.name, self.h, u) for u in pre[-1]]
            post.append(np.array([value for value, _ in pairs], dtype=object))
            slopes.append(np.array([slope for _, slope in pairs], dtype=object))
        return pre, post, slopes, self.layers[-1].dot(post[-1])[0]

    def loss(self) -> Any:
        """J."""
        losses = (mpmath.log1p(mpmath.exp(-int(y) * self.passes(x)[3])) for x, y in zip(self.X, self.y, strict=True))
        return mpmath.fsum(losses) / len(self.y)

    def gradients(self, form: str = "") -> list[Exact]:
        """The gradient of J in each layer, in the orientation of `Network`; `form` names a slip."""
        total: list[Any] = [0] * len(self.layers)
        if form not in FORMS:
            raise ValueError(f"there is no form {form!r} of the formula: choose one of {', '.join(map(repr, FORMS))}")
        count = 1 if form == "sum for mean" else len(self.y)
        for x, label in zip(self.X, self.y, strict=True):
            pre, post, slopes, f = self.passes(x)
            sign = 1 if form == "no label" else int(label)
            g = 1 / (1 + mpmath.exp((-1 if form == "weight of the other label" else 1) * int(label) * f))
            left = [x, *pre] if form == "pre-activation for feature" else post
            for layer in range(len(self.layers)):
                factor = np.outer(self._product(layer, slopes, form), left[layer])
                total[layer] = total[layer] - sign * g / count * factor
        return [G.T for G in total]

    def _product(self, layer: int, slopes: list[Exact], form: str) -> Exact:
        """Sigma_l (prod_{j > l} V_j^T Sigma_j) V_{L+1}^T, or 1 for the output layer; layers counted from 0."""
        depth = len(self.layers) - 1
        if layer == depth:
            return exact([1.0])
        row = np.diag(slopes[layer])
        if form == "own slope missing":
            row = exact(np.eye(len(slopes[layer])))
        between = range(layer + 1, depth)
        for j in reversed(between) if form == "layers in descending order" else between:
            V = self.layers[j] if form == "layers not transposed" else self.layers[j].T
            gate = np.diag(slopes[j])
            row = row.dot(gate).dot(V) if form == "slopes to the left of their layers" else row.dot(V).dot(gate)
        return row.dot(self.layers[-1][0])
