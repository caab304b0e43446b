"""Growing lists of vectors, and projections on them that read memory as rarely as they can.

At a length of 10^6 all work here is bound by the reading of vectors from memory, and new
memory costs more than a whole pass over old memory: so vectors are written in place, once. Of short vectors the
calls cost more than the work: they are kept in one block, so that each product is one call.

Written by hand: `scipy.linalg.qr_insert` keeps an orthonormal basis in as much time, but in a new copy for each vector,
and two of the four lists of a revealed matrix are not orthonormal.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg.blas import dgemm, dgemv

from nets.core.arrays import Array

# Rows of the first block of a store; it doubles from there.
FIRST_ROWS = 8

# Columns that a pass over a block takes at a time: a block of doubles this large stays in the cache of one core.
CACHED = 2**17
SHORTEST_PIECE = 2**10

# Length up to which a list is copied into a larger block as it grows: there that takes less than a second call of each
# product.
SHORT = 2**12


class Rows:
    """A growing list of vectors, kept as the rows of C-contiguous blocks, of one block where they are `SHORT`.

    Each new block is as large as all before it, so nothing long is copied as the list grows; what has not been written
    to of a large block takes no physical memory. The next vectors are written in place: `room` shows where, and
    `keep` makes them part of the list.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.count = 0
        self._blocks: list[Array] = []
        self._used: list[int] = []

    def make_room(self, j: int) -> bool:
        """Have j rows that are free and in one block; True if that took a new block."""
        if self._blocks and self._blocks[-1].shape[0] - self._used[-1] >= j:
            return False
        more = max(FIRST_ROWS, self.count, j)
        if self.length <= SHORT:
            block = np.empty((self.count + more, self.length))
            block[: self.count] = self.array()
            self._blocks, self._used = [block], [self.count]
        else:
            self._blocks.append(np.empty((more, self.length)))
            self._used.append(0)
        return True

    def room(self, j: int = 1) -> Array:
        """The next j rows, which are still free, of those made room for: (j, length)."""
        return self._blocks[-1][self._used[-1] : self._used[-1] + j]

    def keep(self, j: int = 1) -> None:
        """Make the next j free rows part of the list."""
        self._used[-1] += j
        self.count += j

    @property
    def block(self) -> Array:
        """The only block of a list of short vectors, free rows with it: (rows, length)."""
        return self._blocks[0] if self._blocks else np.empty((0, self.length))

    def last(self, j: int) -> Array:
        """The last j vectors, all in one block: (j, length)."""
        return self._blocks[-1][self._used[-1] - j : self._used[-1]]

    def cut(self, count: int) -> None:
        """Give rows of the last block back, until `count` are left."""
        if self.count > count:
            self._used[-1] -= self.count - count
            self.count = count

    def array(self) -> Array:
        """All vectors, as a new array (count, length)."""
        return np.concatenate([np.empty((0, self.length)), *(block for block, _ in self._filled())])

    def inner(self, V: Array) -> Array:
        """Inner products of the rows of V (j, length) with all vectors: (j, count)."""
        parts = [_products(V, block) for block, _ in self._filled()]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([np.empty((V.shape[0], 0)), *parts], axis=1)

    def combine(self, C: Array) -> Array:
        """C times the vectors: C (j, count) -> a new array (j, length)."""
        out: Array | None = None
        for block, span in self._filled():
            if out is None:
                out = C[:, span] @ block
            else:
                accumulate_product(C[:, span], block, out)
        return np.zeros((C.shape[0], self.length)) if out is None else out

    def accumulate(self, C: Array, V: Array) -> None:
        """V += C times the vectors, in place: C (j, count), V (j, length), C-contiguous."""
        for block, span in self._filled():
            accumulate_product(C[:, span], block, V)

    def subtract(self, c: Array, x: Array) -> Array:
        """x -= c times the vectors, in place, and the inner products of all vectors with what is left.

        c (count,), x (length,) -> (count,). Both by one reading of the vectors: piece by piece through the cache.
        """
        left = np.zeros(self.count)
        width = max(SHORTEST_PIECE, CACHED // max(1, self.count))
        blocks = [(block, c[span], left[span]) for block, span in self._filled()]
        for start in range(0, self.length if blocks else 0, width):
            piece = x[start : start + width]
            for block, coefficients, _ in blocks:
                piece -= coefficients @ block[:, start : start + width]
            for block, _, products in blocks:
                products += block[:, start : start + width] @ piece
        return left

    def split(self, x: Array) -> tuple[Array, float]:
        """Split x (length,) along orthonormal vectors: coefficients (count,) and 2-norm of the rest.

        The rest overwrites x. Classical Gram-Schmidt, twice: the second round runs after all cancellation, as only
        then its error is small beside what is left. Squares of the entries of x must not overflow.
        """
        if self.length <= SHORT:
            known = np.zeros(self.count)
            for block, _ in self._filled():
                for _ in range(2):
                    along = block @ x
                    x -= along @ block
                    known += along
        else:
            first = self.inner(x[np.newaxis])[0]
            second = self.subtract(first, x)
            self.accumulate(-second[np.newaxis], x[np.newaxis])
            known = first + second
        return known, two_norm(x)

    def _filled(self) -> Iterator[tuple[Array, slice]]:
        """The filled part of each block, and which vectors of the list it holds."""
        start = 0
        for block, used in zip(self._blocks, self._used, strict=True):
            if used:
                yield block[:used], slice(start, start + used)
                start += used


def _products(V: Array, block: Array) -> Array:
    """V block^T; for a single row the matrix-vector routine is the faster one."""
    return (block @ V[0])[np.newaxis] if V.shape[0] == 1 else V @ block.T


def accumulate_product(C: Array, rows: Array, V: Array) -> None:
    """V += C rows in place: C (j, k), rows (k, length), V (j, length), the last two C-contiguous, none empty."""
    # BLAS writes into V through its Fortran view; a numpy product would need a second V.
    if V.shape[0] == 1:
        dgemv(1.0, rows.T, C[0], beta=1.0, y=V[0], overwrite_y=1)
    else:
        dgemm(1.0, rows.T, C.T, beta=1.0, c=V.T, overwrite_c=1)


def two_norm(x: Array) -> float:
    """2-norm of x (length,), C-contiguous, whose squares must not overflow."""
    # As `np.linalg.norm` does it, after as much time for a short vector as this takes.
    return math.sqrt(x @ x)


def largest_entries(X: Array) -> Array:
    """Largest |entry| of each row of X (j, k), k > 0: (j,); NaN or infinite where an entry is."""
    # Not of np.abs(X), which would be another X.
    return np.asarray(np.maximum(X.max(axis=1), -X.min(axis=1)))
