"""A Gaussian matrix sampled only where it is looked at, so that widths of 10^6 fit on a laptop.

Main definition: `RevealedGaussian`, a linear operator whose products W v and W^T u have exactly the joint law
of a stored matrix with independent N(0, std^2) entries, at O(rows + cols) memory per direction asked.

Theorem. Let the entries of W be independent N(0, std^2), and let each query, a v for W v or a u for W^T u, be any
function of the earlier answers and of randomness independent of W. The answers of `RevealedGaussian` have the
same joint law as those of W.

Proof. R and Q hold orthonormal bases of the directions asked on the right and on the left, Y = W R, Z = W^T Q.
By induction, given all answers so far W has the law of

    A + std (I - Q Q^T) G (I - R R^T),    A = Q Z^T + Y R^T - Q (Q^T Y) R^T,

with A known and G a new matrix of independent N(0, 1) entries; with nothing asked this is the law of W. Ask
for W v. Its part in span(R) is read from Y. The unit residual r is a function of what is known and orthogonal
to R, so W r = Q (Z^T r) + std (I - Q Q^T) g with g = G r, a standard Gaussian vector, which is what is drawn. The
rotation invariance of G makes g independent of G (I - R R^T - r r^T), so given the answer y = W r the unknown
part keeps its form with R replaced by [R, r], and A grows by (y - Q Z^T r) r^T, as its formula says for [Y, y].
A left query is the same for W^T.  []
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.linalg import svd
from scipy.linalg.blas import dgemm, dgemv
from scipy.sparse.linalg import LinearOperator

from nets.arrays import Array, matrix

# Relative size below which what is left of a query after projection counts as rounding noise. Projections at
# m = 10^6 err by tens of units in the last place and queries are themselves computed to as many; 2^12 units
# lie above both, and an answer then belongs to a query within 1e-12, relatively, of the one asked. Above it, the
# second projection meets a vector that is at least 2^12 times its error, so it restores orthogonality.
NOISE = 2.0**12 * np.finfo(np.float64).eps

# Rows of the first block of a store; it doubles from there.
FIRST_ROWS = 8


class Rows:
    """A growing list of vectors, kept as the rows of C-contiguous blocks.

    Each new block is as large as all before it, so nothing is copied as the list grows; what is not filled yet of
    a large block takes no physical memory.
    """

    def __init__(self, length: int) -> None:
        self.length = length
        self.count = 0
        self._blocks: list[Array] = []
        self._room = 0

    def append(self, rows: Array) -> None:
        """Add the rows of an array (j, length)."""
        while rows.shape[0]:
            if not self._room:
                self._room = max(FIRST_ROWS, self.count)
                self._blocks.append(np.empty((self._room, self.length)))
            block, taken = self._blocks[-1], min(self._room, rows.shape[0])
            start = block.shape[0] - self._room
            block[start : start + taken] = rows[:taken]
            self._room -= taken
            self.count += taken
            rows = rows[taken:]

    def array(self) -> Array:
        """All vectors, as a new array (count, length)."""
        return np.concatenate([np.empty((0, self.length)), *self._filled()])

    def inner(self, V: Array) -> Array:
        """Inner products of the rows of V (j, length) with all vectors: (j, count)."""
        return np.concatenate([np.empty((V.shape[0], 0)), *(_products(V, block) for block in self._filled())], axis=1)

    def accumulate(self, C: Array, V: Array) -> None:
        """V += C times the vectors, in place: C (j, count), V (j, length), C-contiguous."""
        start = 0
        for block in self._filled():
            part = C[:, start : start + block.shape[0]]
            start += block.shape[0]
            # BLAS writes into V through its Fortran view; a numpy product would need a second V.
            if V.shape[0] == 1:
                dgemv(1.0, block.T, part[0], beta=1.0, y=V[0], overwrite_y=1)
            else:
                dgemm(1.0, block.T, part.T, beta=1.0, c=V.T, overwrite_c=1)

    def _filled(self) -> Iterator[Array]:
        yield from self._blocks[:-1]
        if self._blocks:
            yield self._blocks[-1][: self._blocks[-1].shape[0] - self._room]


def _products(V: Array, block: Array) -> Array:
    """V block^T; for a single row the matrix-vector routine is the faster one."""
    return (block @ V[0])[np.newaxis] if V.shape[0] == 1 else V @ block.T


class Side:
    """What is known of one side: an orthonormal basis of the directions asked, and the answer to each."""

    def __init__(self, length: int, answer_length: int) -> None:
        self.directions = Rows(length)
        self.answers = Rows(answer_length)


class RevealedGaussian(LinearOperator):  # type: ignore[misc, unused-ignore]
    """A matrix W with independent N(0, std^2) entries, sampled on the directions asked, plus a low-rank update.

    Products on either side have the joint law of a stored matrix, also when later queries depend on earlier
    answers (module docstring: theorem and proof). Equal queries get equal answers, up to rounding. The
    operator keeps what it has revealed, so each new direction costs 8 (rows + cols) bytes; a query that depends
    on earlier ones costs none.

    Parameters
    ----------
    rows, cols : shape of W
    std : standard deviation of an entry, finite and not negative
    rng : generator of the fresh entries
    memory_limit : bytes that directions and update factors may take together

    Raises ValueError for unusable parameters or queries, MemoryError where a query would pass the limit; what
    was revealed before stays valid then.
    """

    def __init__(
        self, rows: int, cols: int, std: float, rng: np.random.Generator, memory_limit: int = 2 * 2**30
    ) -> None:
        if min(rows, cols) < 1:
            raise ValueError(f"a matrix of shape ({rows}, {cols}) was asked for: pass positive sizes")
        if not 0.0 <= std < np.inf:
            raise ValueError(f"the standard deviation is {std}: pass a finite number that is not negative")
        super().__init__(np.dtype(np.float64), (rows, cols))
        self.std = std
        self.memory_limit = memory_limit
        self._rng = rng
        self._right = Side(cols, rows)
        self._left = Side(rows, cols)
        self._U = np.empty((rows, 0))
        self._V = np.empty((cols, 0))

    # --- what is known ----------------------------------------------------------------------------

    @property
    def right_basis(self) -> Array:
        """R, an orthonormal basis of the directions asked by W v: a new array (cols, k)."""
        return self._right.directions.array().T

    @property
    def left_basis(self) -> Array:
        """Q, an orthonormal basis of the directions asked by W^T u: a new array (rows, k)."""
        return self._left.directions.array().T

    @property
    def directions(self) -> int:
        """Number of directions revealed, both sides together."""
        return self._right.directions.count + self._left.directions.count

    @property
    def nbytes(self) -> int:
        """Bytes of the directions, of their answers and of the update factors."""
        return self._bytes(self.directions + self._U.shape[1])

    def _bytes(self, pairs: int) -> int:
        return 8 * sum(self.shape) * pairs

    def _reserve(self, directions: int, factors: int) -> None:
        """Raise MemoryError unless so many directions and factor pairs fit."""
        needed = self._bytes(directions + factors)
        if needed > self.memory_limit:
            raise MemoryError(
                f"the revealed matrix of shape {self.shape} would hold {directions} directions and {factors} update"
                f" columns, {needed} bytes, over its limit of {self.memory_limit} bytes: pass a larger memory_limit,"
                " ask fewer directions, or compress the update"
            )

    # --- products ---------------------------------------------------------------------------------

    def _matmat(self, X: npt.ArrayLike) -> Array:
        X = self._checked(X)
        out = self._reveal(self._right, self._left, X)
        return out + self._U @ (self._V.T @ X) if self._U.shape[1] else out

    def _rmatmat(self, X: npt.ArrayLike) -> Array:
        X = self._checked(X)
        out = self._reveal(self._left, self._right, X)
        return out + self._V @ (self._U.T @ X) if self._U.shape[1] else out

    def _matvec(self, x: npt.ArrayLike) -> Array:
        return self._matmat(np.reshape(x, (-1, 1)))[:, 0]

    def _rmatvec(self, x: npt.ArrayLike) -> Array:
        return self._rmatmat(np.reshape(x, (-1, 1)))[:, 0]

    def _checked(self, X: npt.ArrayLike) -> Array:
        if np.iscomplexobj(X):
            raise ValueError("the query is complex: ask for its real and its imaginary part, one by one")
        X = np.asarray(X, dtype=np.float64)
        # One NaN would enter the basis and spoil every later answer.
        if not np.isfinite(X).all():
            raise ValueError("the query holds NaN or infinity: pass finite vectors")
        return X

    def _reveal(self, asked: Side, other: Side, X: Array) -> Array:
        """Products with the columns of X (k, j), sampling what is not known yet."""
        if not X.shape[1]:
            return np.zeros((asked.answers.length, 0))
        queries = np.array(X.T, order="C")
        # In two steps, so that squares of very small or large entries neither vanish nor overflow.
        sizes = np.abs(queries).max(axis=1, initial=0.0)
        queries /= np.where(sizes > 0.0, sizes, 1.0)[:, np.newaxis]
        lengths = np.sqrt(np.einsum("ij,ij->i", queries, queries))
        queries /= np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis]
        known, new, residuals = self._orthogonalise(asked.directions, queries)
        out = np.zeros((queries.shape[0], asked.answers.length))
        asked.answers.accumulate(known, out)
        if residuals.shape[0]:
            self._reserve(self.directions + residuals.shape[0], self._U.shape[1])
            answers = self._draw(other, residuals)
            if out.shape[0] == 1 and not asked.answers.count:
                np.multiply(answers, new[0, 0], out=out)
            else:
                dgemm(1.0, answers.T, new.T, beta=1.0, c=out.T, overwrite_c=1)
            asked.directions.append(residuals)
            asked.answers.append(answers)
        out *= (lengths * sizes)[:, np.newaxis]
        return out.T

    def _orthogonalise(self, basis: Rows, queries: Array) -> tuple[Array, Array, Array]:
        """Split unit (or zero) queries (j, k) into known and new directions, overwriting them.

        Returns the coefficients of the known directions (j, count), those of the new ones (j, r), and the new
        orthonormal directions (r, k). Classical Gram-Schmidt, twice: the second round of a query runs after all
        cancellation, within the block too, as only then its error is small beside what is left.
        """
        known = basis.inner(queries)
        basis.accumulate(-known, queries)
        new = np.zeros((queries.shape[0], queries.shape[0]))
        found = 0
        for i in range(queries.shape[0]):
            rest, block = queries[i : i + 1], queries[:found]
            # The block of new directions takes the places of queries already dealt with.
            if found:
                new[i, :found] = block @ rest[0]
                rest[0] -= new[i, :found] @ block
            again = basis.inner(rest)
            basis.accumulate(-again, rest)
            known[i] += again[0]
            if found:
                correction = block @ rest[0]
                new[i, :found] += correction
                rest[0] -= correction @ block
            size = float(np.linalg.norm(rest[0]))
            if size > NOISE:
                new[i, found] = size
                np.divide(rest[0], size, out=queries[found])
                found += 1
        return known, np.ascontiguousarray(new[:, :found]), queries[:found]

    def _draw(self, other: Side, residuals: Array) -> Array:
        """Answers to new orthonormal directions (r, k), given what the other side knows: (r, length)."""
        answers = self._rng.standard_normal((residuals.shape[0], other.directions.length))
        answers *= self.std
        # Q (Z^T r) + (I - Q Q^T) g in one pass: g + Q (Z^T r - Q^T g).
        other.directions.accumulate(other.answers.inner(residuals) - other.directions.inner(answers), answers)
        return answers

    # --- low-rank update --------------------------------------------------------------------------

    def add(self, U: npt.ArrayLike, V: npt.ArrayLike) -> None:
        """Replace W by W + U V^T: U (rows, p), V (cols, p). The factors are copied."""
        U, V = matrix(U, "the factor U"), matrix(V, "the factor V")
        wanted = ((self.shape[0], V.shape[1]), (self.shape[1], U.shape[1]))
        if (U.shape, V.shape) != wanted:
            raise ValueError(
                f"the factors have shapes {U.shape} and {V.shape} for a matrix of shape {self.shape}:"
                " pass (rows, p) and (cols, p)"
            )
        if not (np.isfinite(U).all() and np.isfinite(V).all()):
            raise ValueError("the update holds NaN or infinity: pass finite factors")
        self._reserve(self.directions, self._U.shape[1] + U.shape[1])
        self._U = np.hstack([self._U, U])
        self._V = np.hstack([self._V, V])

    @property
    def update(self) -> tuple[Array, Array]:
        """Copies of the factors (U, V) of all updates so far: (rows, p), (cols, p)."""
        return self._U.copy(), self._V.copy()

    def compress(self) -> int:
        """Rewrite the update with as few columns as its rank, and return that rank.

        Singular values under `NOISE` times the largest are dropped: the update changes by no more than that.
        """
        if not self._U.shape[1]:
            return 0
        left, A = np.linalg.qr(self._U)
        right, B = np.linalg.qr(self._V)
        P, sizes, Qt = svd(A @ B.T)
        rank = int(np.count_nonzero(sizes > NOISE * sizes[0]))
        self._U = left @ (P[:, :rank] * sizes[:rank])
        self._V = right @ Qt[:rank].T
        return rank

    def drift_norms(self) -> tuple[float, float]:
        """Spectral and Frobenius norm of the sum of all updates, from its factors; (0, 0) without any."""
        if not self._U.shape[1]:
            return 0.0, 0.0
        A: Array = np.asarray(np.linalg.qr(self._U, mode="r"))
        B: Array = np.asarray(np.linalg.qr(self._V, mode="r"))
        sizes = svd(A @ B.T, compute_uv=False)
        return float(sizes[0]), float(np.linalg.norm(sizes))
