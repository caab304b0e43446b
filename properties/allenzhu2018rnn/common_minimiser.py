"""Stochastic descent on quadratic functions, whose second moments are exact: what footnote 3 says of convex functions.

Main definitions: `LeastSquares`, f = (1/n) sum_i f_i with f_i(x) = <x - x_i, H_i (x - x_i)>/2, and `least_squares`,
which makes the unkind ones.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array

# Curvature of a function that is nearly flat: at 0 bounds would be met with equality, which rounding hides.
FLAT_CURVATURE = 1e-3


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Functions f_i of d variables with the matrices H_i, `matrices` (n, d, d), and minimisers x_i, `centres` (n, d).

    `first` (d,) is where descent begins.
    """

    matrices: Array
    centres: Array
    first: Array

    @property
    def lip(self) -> float:
        """The largest smoothness of the f_i."""
        return float(max(np.linalg.eigvalsh(H)[-1] for H in self.matrices))

    @property
    def lam(self) -> float:
        """The strong convexity of f."""
        return float(np.linalg.eigvalsh(self.matrices.mean(axis=0))[0])

    @cached_property
    def minimiser(self) -> Array:
        """Where f is least."""
        pull = np.einsum("nij,nj->i", self.matrices, self.centres) / len(self.matrices)
        return np.asarray(np.linalg.solve(self.matrices.mean(axis=0), pull))

    @property
    def spread(self) -> float:
        """The root mean square of the gradients of the f_i at the minimiser of f."""
        return float(np.sqrt(np.mean(np.sum(self._pulls**2, axis=1))))

    @cached_property
    def _pulls(self) -> Array:
        if not self.centres.any():
            return np.zeros_like(self.centres)
        return np.asarray(np.einsum("nij,nj->ni", self.matrices, self.minimiser - self.centres))

    def _path(self, eta: float) -> Iterator[float]:
        """E||x_k - x*||^2/||x_0 - x*||^2 for k = 0, 1, ...

        The second moments of (x - x*, 1) go through one affine map for each f_i, and their mean is taken.
        """
        n, d = self.centres.shape
        maps = np.zeros((n, d + 1, d + 1))
        maps[:, :d, :d] = np.eye(d) - eta * self.matrices
        maps[:, :d, d] = -eta * self._pulls
        maps[:, d, d] = 1.0
        at = np.append(self.first - self.minimiser, 1.0)
        moments = np.outer(at, at)
        first = float(np.trace(moments[:d, :d]))
        while True:
            yield float(np.trace(moments[:d, :d])) / first
            moments = np.mean(maps @ moments @ maps.swapaxes(1, 2), axis=0)

    def distances(self, eta: float, steps: int) -> Array:
        """The mean squared distances to the minimiser after 0, ..., `steps` steps, over the first: (steps + 1,)."""
        return np.array(list(itertools.islice(self._path(eta), steps + 1)))

    def steps(self, eta: float, eps: float, most: int) -> int:
        """The first k below `most` at which this is eps at most; `most` where there is none, or where it passes 1e6."""
        for k, distance in enumerate(itertools.islice(self._path(eta), most)):
            if distance <= eps:
                return k
            if distance > 1e6:
                break
        return most


def least_squares(
    n: int, d: int, lip: float, kind: str, ratio: float, rng: Generator, apart: float = 0.0
) -> LeastSquares:
    """Functions with largest smoothness `lip`, and minimisers in 0 but for distances `apart`.

    "flat or steep": along the first axis the f_i are nearly flat or of curvature 1, so many that f has about the
    curvature `ratio`, and along the others all have curvature 1; begun on the first axis. "drawn": eigenvalues that are
    drawn above `ratio`/2, axes that are drawn. Curvatures are in units of `lip`. Raises ValueError for another kind.
    """
    if kind == "flat or steep":
        steep = min(max(1, round(ratio * n)), n)
        matrices = np.repeat(np.eye(d)[np.newaxis], n, axis=0)
        matrices[steep:, 0, 0] = FLAT_CURVATURE
        first = np.eye(d)[0]
    elif kind == "drawn":
        axes = np.linalg.qr(rng.standard_normal((n, d, d)))[0]
        values = ratio / 2.0 + (1.0 - ratio / 2.0) * rng.random((n, d))
        matrices = np.einsum("nij,nj,nkj->nik", axes, values, axes)
        matrices /= max(np.linalg.eigvalsh(H)[-1] for H in matrices)
        first = rng.standard_normal(d)
    else:
        raise ValueError(f"functions {kind!r}: choose 'flat or steep' or 'drawn'")
    return LeastSquares(lip * matrices, apart * rng.standard_normal((n, d)), first)
