"""The orthonormal frame of all hidden states up to a time, and what of the next state is fresh (Section 2, B.1, B.2).

Main definitions: `gram_schmidt`, the process GS with its completion; `StateFrames`, the frames U_l of a forward pass,
the leftovers (I - U_{l-1} U_{l-1}^T) h_{i,l} and their norms and directions v_{i,l}; `row_norm`, the norm (2.1).

Rows are vectors: the paper's U_l of shape (m, n l) is stored transposed, (n l, m), time after time. Written by hand:
LAPACK's QR completes dependent columns too, but neither says which, nor extends a frame it has made before.
"""

import numpy as np
import numpy.typing as npt

from nets import Array, DataError, Forward
from nets.core.arrays import matrix

# Relative size below which what is left of a vector counts as rounding noise, as for the directions of a
# `nets.linear_algebra.revealed.RevealedGaussian`: projections at m = 10^6 err by tens of units in the last place.
NOISE = 2.0**12 * float(np.finfo(np.float64).eps)


def gram_schmidt(vectors: npt.ArrayLike, frame: Array | None = None) -> Array:
    """Return the orthonormal rows (k, m) that Gram-Schmidt makes of the rows of `vectors` (k, m), in their order.

    They are orthogonal to the rows of `frame` (j, m), if given, too. A row that depends on those before it, up to
    `NOISE`, becomes a unit vector orthogonal to them: that nearest to the coordinate axis that they cover least. Raises
    `DataError` where there are more rows than dimensions.
    """
    rows = matrix(vectors, "the vectors")
    k, m = rows.shape
    known = 0 if frame is None else len(frame)
    if known + k > m:
        raise DataError(f"{known + k} orthonormal vectors in dimension {m} asked for: take at most {m}")
    basis = np.empty((known + k, m))
    if frame is not None:
        basis[:known] = frame
    for row in rows:
        earlier = basis[:known]
        left, norm = _rejected(row, earlier)
        if norm == 0.0:
            axis = np.zeros(m)
            axis[np.argmin(np.einsum("ij,ij->j", earlier, earlier))] = 1.0
            left, norm = _rejected(axis, earlier)
        basis[known] = left / norm
        known += 1
    return basis[known - k :]


def _rejected(row: Array, basis: Array) -> tuple[Array, float]:
    """What the rows of an orthonormal basis leave of a vector, and its norm; 0 where that is rounding noise.

    Twice, because one projection leaves parts along the basis that are as large as the roundings of the vector.
    """
    left = row
    for _ in range(2):
        left = left - (basis @ left) @ basis
    norm = float(np.linalg.norm(left))
    return left, norm if norm > NOISE * float(np.linalg.norm(row)) else 0.0


class StateFrames:
    """The frames U_0, U_1, ..., U_L of the hidden states of a forward pass, and what each time adds to them.

    Attributes
    ----------
    basis : (n L, m), orthonormal rows; the first n l of them are those of U_l (Definition B.1)
    leftover : (n, L), ||(I - U_{l-1} U_{l-1}^T) h_{i,l}|| at [i, l - 1]; 0 where it is rounding noise

    Takes O(m (n L)^2) time and twice the memory of the states. Raises `DataError` where n L exceeds m.
    """

    def __init__(self, fwd: Forward) -> None:
        states = fwd.post[1:]
        n, m = states[0].shape
        self._n = n
        self.basis = np.empty((0, m))
        self.leftover = np.zeros((n, len(states)))
        self._left: list[Array] = []
        for time, state in enumerate(states):
            parts = [_rejected(h, self.basis) for h in state]
            self.leftover[:, time] = [norm for _, norm in parts]
            self._left.append(np.stack([left for left, _ in parts]))
            # Of the states themselves: what is noise of one is told by its own size.
            self.basis = np.concatenate([self.basis, gram_schmidt(state, self.basis)])

    def frame(self, time: int) -> Array:
        """U_time transposed: (n time, m) orthonormal rows that span all states up to this time; empty at time 0."""
        return self.basis[: self._n * time]

    def first_direction(self, time: int) -> Array:
        """The row (m,) that the first sequence adds to the frame at this time: v_{1,time} where that exists.

        Else it is what GS puts in its place, which is also chosen before W is asked for it.
        """
        return np.asarray(self.basis[self._n * (time - 1)])

    def fresh(self, time: int) -> Array:
        """The directions v_{i,time} (n, m) of what is new in the states (Definition B.2).

        Raises ValueError where a state has nothing new: it has no such direction.
        """
        norms = self.leftover[:, time - 1]
        if not norms.all():
            raise ValueError(
                f"state {int(np.argmin(norms)) + 1} of time {time} lies in the span of those before: it has no fresh"
                " direction"
            )
        return self._left[time - 1] / norms[:, np.newaxis]


def row_norm(W: npt.ArrayLike, p: float) -> float:
    """(sum_i ||w_i||^p)^(1/p) of the rows w_i of W, p >= 1 (eq. (2.1)); scaled, so that no power overflows."""
    norms = np.linalg.norm(matrix(W, "the matrix"), axis=1)
    largest = float(norms.max(initial=0.0))
    return largest * float(np.sum((norms / largest) ** p) ** (1.0 / p)) if largest > 0.0 else largest
