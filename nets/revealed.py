"""A Gaussian matrix sampled only where it is looked at, so that widths of 10^6 fit on a laptop.

Main definition: `RevealedGaussian`, a linear operator whose products W v and W^T u have exactly the joint law
of a stored matrix with independent N(0, std^2) entries, at O(rows + cols) memory per direction asked. It is a view
of a `Store`, which samples and keeps the answers; `W + step` is another view of the same store.

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

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from scipy.linalg import svd
from scipy.linalg.blas import dgemm, dgemv
from scipy.sparse.linalg import LinearOperator

from nets.arrays import Array
from nets.lowrank import LowRank

# Relative size below which what is left of a query after projection counts as rounding noise. Projections at
# m = 10^6 err by tens of units in the last place and queries are themselves computed to as many; 2^12 units
# lie above both, and an answer then belongs to a query within 1e-12, relatively, of the one asked. Above it, the
# second projection meets a vector that is at least 2^12 times its error, so it restores orthogonality.
NOISE = 2.0**12 * np.finfo(np.float64).eps

# Bytes that one matrix may take unless its owner says otherwise: 134 directions of a square layer of 10^6.
MEMORY_LIMIT = 2 * 2**30

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
            _accumulate(C[:, start : start + block.shape[0]], block, V)
            start += block.shape[0]

    def _filled(self) -> Iterator[Array]:
        yield from self._blocks[:-1]
        if self._blocks:
            yield self._blocks[-1][: self._blocks[-1].shape[0] - self._room]


def _products(V: Array, block: Array) -> Array:
    """V block^T; for a single row the matrix-vector routine is the faster one."""
    return (block @ V[0])[np.newaxis] if V.shape[0] == 1 else V @ block.T


def _accumulate(C: Array, rows: Array, V: Array) -> None:
    """V += C rows in place: C (j, k), rows (k, length), V (j, length), the last two C-contiguous."""
    if not rows.shape[0]:
        return
    # BLAS writes into V through its Fortran view; a numpy product would need a second V.
    if V.shape[0] == 1:
        dgemv(1.0, rows.T, C[0], beta=1.0, y=V[0], overwrite_y=1)
    else:
        dgemm(1.0, rows.T, C.T, beta=1.0, c=V.T, overwrite_c=1)


class Side:
    """What is known of one side: an orthonormal basis of the directions asked, and the answer to each."""

    def __init__(self, length: int, answer_length: int) -> None:
        self.directions = Rows(length)
        self.answers = Rows(answer_length)


class Store:
    """What has been sampled of a matrix of independent N(0, std^2) entries, and the generator of the rest.

    Parameters: those of `RevealedGaussian`, which checks them.
    """

    def __init__(self, rows: int, cols: int, std: float, rng: np.random.Generator, memory_limit: int) -> None:
        self.std = std
        self.memory_limit = memory_limit
        self.right = Side(cols, rows)
        self.left = Side(rows, cols)
        self._rng = rng

    @property
    def directions(self) -> int:
        """Number of directions revealed, both sides together."""
        return self.right.directions.count + self.left.directions.count

    def bytes(self, pairs: int) -> int:
        """Bytes of so many pairs of a direction and its answer, or of update factors."""
        return 8 * (self.right.directions.length + self.left.directions.length) * pairs

    def reserve(self, directions: int, factors: int) -> None:
        """Raise MemoryError unless so many directions and pairs of factors fit."""
        needed = self.bytes(directions + factors)
        if needed > self.memory_limit:
            shape = (self.left.directions.length, self.right.directions.length)
            raise MemoryError(
                f"the revealed matrix of shape {shape} would hold {directions} directions and {factors} update"
                f" factors, {needed} bytes, over its limit of {self.memory_limit} bytes: pass a larger memory_limit,"
                " ask fewer directions, or compress the update"
            )

    def reveal(self, transposed: bool, X: Array, factors: int) -> Array:
        """W x for the rows x of X (j, cols), W^T x if transposed, sampling what is not known yet: (j, rows).

        `factors` are the update factors of the asking view, which share the memory limit.
        """
        asked, other = (self.left, self.right) if transposed else (self.right, self.left)
        if not X.shape[0]:
            return np.zeros((0, asked.answers.length))
        queries = np.array(X, order="C")
        # In two steps, so that squares of very small or large entries neither vanish nor overflow.
        sizes = np.abs(queries).max(axis=1, initial=0.0)
        queries /= np.where(sizes > 0.0, sizes, 1.0)[:, np.newaxis]
        lengths = np.sqrt(np.einsum("ij,ij->i", queries, queries))
        queries /= np.where(lengths > 0.0, lengths, 1.0)[:, np.newaxis]
        known, new, residuals = self._orthogonalise(asked.directions, queries)
        out = np.zeros((queries.shape[0], asked.answers.length))
        asked.answers.accumulate(known, out)
        if residuals.shape[0]:
            self.reserve(self.directions + residuals.shape[0], factors)
            answers = self._draw(other, residuals)
            if out.shape[0] == 1 and not asked.answers.count:
                np.multiply(answers, new[0, 0], out=out)
            else:
                dgemm(1.0, answers.T, new.T, beta=1.0, c=out.T, overwrite_c=1)
            asked.directions.append(residuals)
            asked.answers.append(answers)
        out *= (lengths * sizes)[:, np.newaxis]
        return out

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


class RevealedGaussian(LinearOperator):  # type: ignore[misc, unused-ignore]
    """A matrix W with independent N(0, std^2) entries, sampled on the directions asked, plus a low-rank update.

    Products on either side have the joint law of a stored matrix, also when later queries depend on earlier
    answers (module docstring: theorem and proof). Equal queries get equal answers, up to rounding. The
    operator keeps what it has revealed, so each new direction costs 8 (rows + cols) bytes; a query that depends
    on earlier ones costs none.

    `X @ W` (X (n, rows)) and `B @ W.T` (B (n, cols)) are the fast forms: rows are samples, in and out, and the
    result is C-contiguous float64. `W + step` and `W - step` with a `LowRank` step are new matrices: they share
    with W all that is revealed of the Gaussian part, now or later, and the memory limit, and hold the update as a
    list of factors of their own. The factors are not copied: a step that has been added must not be overwritten.
    `V - W` of two such matrices is a `LowRank`.

    Parameters
    ----------
    rows, cols : shape of W
    std : standard deviation of an entry, finite and not negative
    rng : generator of the fresh entries
    memory_limit : bytes that all directions and the update factors of one matrix may take together

    Raises ValueError for unusable parameters, queries or steps, MemoryError where a query or step would pass the
    limit; what was revealed before stays valid then.
    """

    _store_kind: type[Store] = Store

    def __init__(
        self, rows: int, cols: int, std: float, rng: np.random.Generator, memory_limit: int = 2 * 2**30
    ) -> None:
        if min(rows, cols) < 1:
            raise ValueError(f"a matrix of shape ({rows}, {cols}) was asked for: pass positive sizes")
        if not 0.0 <= std < np.inf:
            raise ValueError(f"the standard deviation is {std}: pass a finite number that is not negative")
        super().__init__(np.dtype(np.float64), (rows, cols))
        self._store = self._store_kind(rows, cols, std, rng, memory_limit)
        self._transposed = False
        self._terms: tuple[LowRank, ...] = ()

    def _view(self, terms: tuple[LowRank, ...]) -> RevealedGaussian:
        """The matrix with the same Gaussian part and these terms of an update."""
        view = copy.copy(self)
        view._terms = terms
        return view

    # --- what is known ----------------------------------------------------------------------------

    @property
    def std(self) -> float:
        """Standard deviation of an entry of the Gaussian part."""
        return self._store.std

    @property
    def right_basis(self) -> Array:
        """R, an orthonormal basis of the directions asked by W v: a new array (cols, k)."""
        return self._sides()[0].directions.array().T

    @property
    def left_basis(self) -> Array:
        """Q, an orthonormal basis of the directions asked by W^T u: a new array (rows, k)."""
        return self._sides()[1].directions.array().T

    def _sides(self) -> tuple[Side, Side]:
        right, left = self._store.right, self._store.left
        return (left, right) if self._transposed else (right, left)

    @property
    def directions(self) -> int:
        """Number of directions revealed, both sides together."""
        return self._store.directions

    @property
    def nbytes(self) -> int:
        """Bytes of the directions, of their answers and of the update factors."""
        return self._store.bytes(self.directions + self._factors)

    @property
    def _factors(self) -> int:
        return sum(term.left.shape[0] for term in self._terms)

    # --- products ---------------------------------------------------------------------------------

    def _product(self, X: npt.ArrayLike, transposed: bool) -> Array:
        """W x for the rows x of X, W^T x if transposed: a new C-contiguous array."""
        queries = self._checked(X)
        out = self._store.reveal(transposed != self._transposed, queries, self._factors)
        for term in self._terms:
            first, second = (term.left, term.right) if transposed else (term.right, term.left)
            _accumulate(queries @ first.T, second, out)
        return out

    def _checked(self, X: npt.ArrayLike) -> Array:
        if np.iscomplexobj(X):
            raise ValueError("the query is complex: ask for its real and its imaginary part, one by one")
        X = np.asarray(X, dtype=np.float64)
        # One NaN would enter the basis and spoil every later answer.
        if not np.isfinite(X).all():
            raise ValueError("the query holds NaN or infinity: pass finite vectors")
        return X

    def _matmat(self, X: Array) -> Array:
        return self._product(X.T, transposed=False).T

    def _rmatmat(self, X: Array) -> Array:
        return self._product(X.T, transposed=True).T

    def _matvec(self, x: Array) -> Array:
        return self._product(np.reshape(x, (1, -1)), transposed=False)[0]

    def _rmatvec(self, x: Array) -> Array:
        return self._product(np.reshape(x, (1, -1)), transposed=True)[0]

    def _rdot(self, x: Any) -> Any:
        """x W. scipy's own form goes through conjugates and transposes, five copies of all that passes."""
        if isinstance(x, LinearOperator):
            return super()._rdot(x)
        X = np.asarray(x)
        if X.ndim not in (1, 2) or X.shape[-1] != self.shape[0]:
            raise ValueError(
                f"the array to multiply from the left has shape {X.shape} for a matrix of shape {self.shape}:"
                f" pass (n, {self.shape[0]}) or ({self.shape[0]},)"
            )
        out = self._product(np.atleast_2d(X), transposed=True)
        return out[0] if X.ndim == 1 else out

    def _transpose(self) -> RevealedGaussian:
        view = self._view(tuple(term.T for term in self._terms))
        view._transposed = not self._transposed
        view.shape = self.shape[::-1]
        return view

    _adjoint = _transpose

    # --- low-rank update --------------------------------------------------------------------------

    @overload
    def __add__(self, other: LowRank) -> RevealedGaussian: ...
    @overload
    def __add__(self, other: LinearOperator) -> LinearOperator: ...
    def __add__(self, other: Any) -> Any:
        if not isinstance(other, LowRank):
            return super().__add__(other)
        if other.shape != self.shape:
            raise ValueError(f"the step has shape {other.shape}: a matrix of shape {self.shape} needs one of its shape")
        if not (np.isfinite(other.left).all() and np.isfinite(other.right).all()):
            raise ValueError("the step holds NaN or infinity: pass finite factors")
        self._store.reserve(self.directions, self._factors + other.left.shape[0])
        return self._view((*self._terms, other))

    @overload
    def __sub__(self, other: LowRank) -> RevealedGaussian: ...
    @overload
    def __sub__(self, other: RevealedGaussian) -> LowRank: ...
    def __sub__(self, other: Any) -> Any:
        if isinstance(other, LowRank):
            return self + -other
        if not isinstance(other, RevealedGaussian):
            return super().__sub__(other)
        if other._store is not self._store or other._transposed != self._transposed:
            raise ValueError(
                "the two revealed matrices do not come from one by low-rank steps, so their difference has no"
                " low rank: subtract matrices with the same Gaussian part"
            )
        # Steps that both have taken, in this order, cancel without rounding and without a column.
        common = 0
        for mine, theirs in zip(self._terms, other._terms, strict=False):
            if mine.left is not theirs.left or mine.right is not theirs.right:
                break
            common += 1
        return self._sum((*self._terms[common:], *(-term for term in other._terms[common:])))

    def _sum(self, terms: tuple[LowRank, ...]) -> LowRank:
        """Sum of terms of the shape of W, without any the zero matrix with no factors."""
        if len(terms) == 1:
            return terms[0]
        rows, cols = self.shape
        left, right = [np.empty((0, rows))], [np.empty((0, cols))]
        left += [term.left for term in terms]
        right += [term.right for term in terms]
        return LowRank(np.vstack(left), np.vstack(right))

    @property
    def update(self) -> LowRank:
        """The sum of all steps: what W is beyond its Gaussian part."""
        return self._sum(self._terms)

    def compress(self) -> RevealedGaussian:
        """The same matrix with as few update factors as the rank of the update.

        Singular values under `NOISE` times the largest are dropped: the update changes by no more than that.
        """
        if not self._factors:
            return self._view(())
        update = self.update
        left, A = np.linalg.qr(update.left.T)
        right, B = np.linalg.qr(update.right.T)
        P, sizes, Qt = svd(A @ B.T)
        rank = int(np.count_nonzero(sizes > NOISE * sizes[0]))
        if not rank:
            return self._view(())
        return self._view((LowRank((P[:, :rank] * sizes[:rank]).T @ left.T, Qt[:rank] @ right.T),))

    def drift_norms(self) -> tuple[float, float]:
        """Operator and Frobenius norm of the sum of all steps, from its factors; (0, 0) without any."""
        return self.update.norms()
