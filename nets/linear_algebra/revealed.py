"""A Gaussian matrix sampled only where it is looked at, so that widths of 10^6 fit on a laptop.

Main definition: `RevealedGaussian`, at O(rows + cols) memory per direction asked. It is a view of a `Store`, which
samples and keeps the answers; `W + step` is another view of the same store.

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

Written by hand: numpy draws whole matrices, of 8 TB at a width of 10^6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, overload

import numpy as np
import numpy.typing as npt
from scipy.linalg import svd
from scipy.sparse.linalg import LinearOperator

from nets.core.arrays import Array
from nets.core.jit import kernel
from nets.core.normals import drawn_normals, write_standard_normal
from nets.core.pcg64 import words_of
from nets.linear_algebra.lowrank import LowRank, sum_of
from nets.linear_algebra.vector_store import SHORT, Rows, accumulate_product, largest_entries, two_norm

# Relative size below which what is left of a query after projection counts as rounding noise. Projections at
# m = 10^6 err by tens of units in the last place and queries are themselves computed to as many; 2^12 units
# lie above both, and an answer then belongs to a query within 1e-12, relatively, of the one asked. Above it, the
# second projection meets a vector that is at least 2^12 times its error, so it restores orthogonality.
NOISE = 2.0**12 * np.finfo(np.float64).eps

# Bytes that one matrix may take unless its owner says otherwise: 134 directions of a square layer of 10^6.
MEMORY_LIMIT = 2 * 2**30

# Length from which normals are drawn in a thread of their own: some 0.4 ms, where a thread costs 0.1 ms.
THREADED = 10**5


@contextmanager
def beside(task: Callable[[], None]) -> Iterator[None]:
    """Do `task` while the block runs, in a thread of its own; it is done when the block ends."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(task)
        yield
        done.result()


class Side:
    """What is known of one side: an orthonormal basis of the directions asked, and the answer to each.

    The first `drawn` rows of the store of answers are answers, or normals for answers to come: a query that turns
    out to depend on earlier ones leaves the normals drawn for it to the next.
    """

    def __init__(self, length: int, answer_length: int) -> None:
        self.directions = Rows(length)
        self.answers = Rows(answer_length)
        self.drawn = 0

    def make_room(self, j: int) -> None:
        """Have j free rows on both lists."""
        self.directions.make_room(j)
        if self.answers.make_room(j):
            self.drawn = self.answers.count


class Store:
    """What has been sampled of a matrix W of independent N(0, std^2) entries, and the generator of the rest.

    The answers are kept as those of W/std. The parameters are those of `RevealedGaussian`, which checks them.
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
        return self.right.answers.count + self.left.answers.count

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
        sizes = largest_entries(X)
        # One NaN would enter the basis and spoil every later answer.
        if not sizes.max() < np.inf:
            raise ValueError("the query holds NaN or infinity: pass finite vectors")
        if not self.directions and sizes.any():
            # Told before room is made for what can never be kept.
            self.reserve(1, factors)
        asked.make_room(X.shape[0])
        try:
            coefficients, overlaps = self._split(asked, other, X, sizes)
            new = asked.directions.count - asked.answers.count
            if new:
                self.reserve(self.directions + new, factors)
                self._answer(asked, other, overlaps[:new])
        finally:
            # A query that is refused or interrupted leaves no direction without answer.
            asked.directions.cut(asked.answers.count)
        # Not the answers but the few coefficients are scaled: a pass over memory less.
        return asked.answers.combine(coefficients[:, : asked.answers.count] * (self.std * sizes)[:, np.newaxis])

    def _split(self, asked: Side, other: Side, X: Array, sizes: Array) -> tuple[Array, Array]:
        """Write the rows of X (j, k), divided by their sizes, as combinations of old and new directions.

        Returns the coefficients (j, count + j) and, for each new direction, Q^T g of the normals g drawn for its
        answer (j, other.count). The new directions are kept; their answers are still to be made.
        """
        directions = asked.directions
        coefficients = np.zeros((X.shape[0], directions.count + X.shape[0]))
        overlaps = np.zeros((X.shape[0], other.directions.count))
        for x, size, found in zip(X, sizes.tolist(), coefficients, strict=True):
            if not size > 0.0:
                continue
            # Drawn at once, though the query may turn out to be known, to do both at the same time.
            if asked.answers.length >= THREADED:
                with beside(lambda: self._draw(asked, other, overlaps)):
                    known, rest = self._enter(directions, x, size)
            else:
                self._draw(asked, other, overlaps)
                known, rest = self._enter(directions, x, size)
            found[: known.size] = known
            if rest:
                found[directions.count] = rest
                directions.keep()
        return coefficients, overlaps

    def _draw(self, asked: Side, other: Side, overlaps: Array) -> None:
        """Normals g for the answer to the next direction, unless some are left, and Q^T g."""
        number = asked.directions.count
        new = number - asked.answers.count
        normals = asked.answers.room(new + 1)[new:]
        if asked.drawn == number:
            write_standard_normal(self._rng, normals[0])
            asked.drawn += 1
        overlaps[new] = other.directions.inner(normals)[0]

    def _enter(self, basis: Rows, x: Array, size: float) -> tuple[Array, float]:
        """Write what is new of x (k,), divided by its size, where the next direction stands; as `_orthogonalise`."""
        query = basis.room()[0]
        # By the largest entry, so that squares of small or large entries neither vanish nor overflow.
        np.divide(x, size, out=query)
        return self._orthogonalise(basis, query)

    def _orthogonalise(self, basis: Rows, query: Array) -> tuple[Array, float]:
        """Coefficients of a query (k,) in the known directions and in a new one, which overwrites it; 0 without one."""
        length = two_norm(query)
        known, rest = basis.split(query)
        if rest <= NOISE * length:
            return known, 0.0
        query /= rest
        return known, rest

    def _answer(self, asked: Side, other: Side, overlaps: Array) -> None:
        """Make the answers to the new directions from their normals; `overlaps` are Q^T g (new, other.count)."""
        new = overlaps.shape[0]
        # Half-made answers, were this interrupted, are no normals.
        drawn, asked.drawn = asked.drawn, asked.answers.count
        self._condition(other, asked.directions.last(new), asked.answers.room(new), overlaps)
        asked.answers.keep(new)
        asked.drawn = drawn

    def _condition(self, other: Side, residuals: Array, normals: Array, overlaps: Array) -> None:
        """Turn normals g (r, length) into answers to new orthonormal directions, given what the other side knows.

        Q (Z^T r) + (I - Q Q^T) g in one pass, g + Q (Z^T r - Q^T g).
        """
        other.directions.accumulate(other.answers.inner(residuals) - overlaps, normals)


class ShortStore(Store):
    """A `Store` of at most `SHORT` rows and columns and a generator of `words_of`: compiled code takes its queries.

    There a product of vectors takes less than the call of it. It keeps what a `Store` keeps, up to rounding.
    """

    def _split(self, asked: Side, other: Side, X: Array, sizes: Array) -> tuple[Array, Array]:
        basis, normals, others = asked.directions, asked.answers, other.directions
        # Asked each time: a copy of the store has a copy of the generator, whose words stand elsewhere.
        words, rows = words_of(self._rng), np.ascontiguousarray(X)
        coefficients, overlaps, new, asked.drawn, *_ = split_queries(
            words, rows, sizes, basis.block, basis.count, normals.block, asked.drawn, others.block, others.count
        )
        basis.keep(new)
        return coefficients, overlaps


@kernel
def split_queries(
    words: int, X: Array, sizes: Array, basis: Array, count: int, normals: Array, drawn: int, others: Array, known: int
) -> tuple[Array, Array, int, int, Array, Array]:
    """`Store._split` of X (j, k): coefficients (j, count + j), overlaps (j, known), how many directions are new.

    Of the basis (count + j or more, k) the first `count` rows are there, and of the normals (as many, l) the first
    `drawn`; what is new is written behind them. Of the other side's directions (known or more, l) the first `known`
    count. Returns also how many normals are there now, and the rows that are there of both.
    """
    j, k = X.shape
    coefficients, overlaps = np.zeros((j, count + j)), np.zeros((j, known))
    along, part = np.empty(count + j), np.empty(k)
    new = 0
    for i in range(j):
        if not sizes[i] > 0.0:
            continue
        number = count + new
        if drawn == number:
            drawn_normals(words, normals[number])
            drawn += 1
        if known:
            np.dot(others[:known], normals[number], overlaps[new])
        query = basis[number]
        for c in range(k):
            query[c] = X[i, c] / sizes[i]
        length = math.sqrt(np.dot(query, query))
        if number:
            for _ in range(2):
                np.dot(basis[:number], query, along[:number])
                np.dot(along[:number], basis[:number], part)
                query -= part
                coefficients[i, :number] += along[:number]
        rest = math.sqrt(np.dot(query, query))
        if rest > NOISE * length:
            query /= rest
            coefficients[i, number] = rest
            new += 1
    return coefficients, overlaps, new, drawn, basis[: count + new], normals[:drawn]


class RevealedGaussian(LinearOperator):  # type: ignore[misc, unused-ignore]
    """A matrix W with independent N(0, std^2) entries, sampled on the directions asked, plus a low-rank update.

    Products on either side have the joint law of a stored matrix, also when later queries depend on earlier
    answers (module docstring). Equal queries get equal answers, up to rounding. Each new direction costs
    8 (rows + cols) bytes; a query that depends on earlier ones costs none.

    `X @ W` (X (n, rows)) and `B @ W.T` (B (n, cols)) are the fast forms: rows are samples, in and out, and the
    result is C-contiguous float64. `W + step` and `W - step` with a `LowRank` step are new matrices: they share
    with W all that is revealed of the Gaussian part, now or later, and hold the update as a list of factors of their
    own. The factors are not copied: a step that has been added must not be overwritten. `V - W` of two such matrices is
    a `LowRank`.

    `memory_limit` is what all directions and the update factors of one matrix may take together, in bytes. Raises
    ValueError for unusable parameters, queries or steps, MemoryError where a query or step would pass the limit; what
    was revealed before stays valid then.
    """

    # None: the store is chosen by the sizes and the generator.
    _store_kind: type[Store] | None = None

    def __init__(
        self, rows: int, cols: int, std: float, rng: np.random.Generator, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        if min(rows, cols) < 1:
            raise ValueError(f"a matrix of shape ({rows}, {cols}) was asked for: pass positive sizes")
        if not 0.0 <= std < np.inf:
            raise ValueError(f"the standard deviation is {std}: pass a finite number that is not negative")
        super().__init__(np.dtype(np.float64), (rows, cols))
        kind = self._store_kind or (ShortStore if max(rows, cols) <= SHORT and words_of(rng) else Store)
        self._store = kind(rows, cols, std, rng, memory_limit)
        self._transposed = False
        self._terms: tuple[LowRank, ...] = ()

    def _view(self, terms: tuple[LowRank, ...]) -> RevealedGaussian:
        """The matrix with the same Gaussian part and these terms of an update."""
        # Not `copy.copy`, whose way through the pickling protocol takes as long as a short product.
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._terms = terms
        return view

    @property
    def std(self) -> float:
        """Standard deviation of an entry of the Gaussian part."""
        return self._store.std

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

    def _product(self, X: npt.ArrayLike, transposed: bool) -> Array:
        """W x for the rows x of X, W^T x if transposed: a new C-contiguous array."""
        if np.iscomplexobj(X):
            raise ValueError("the query is complex: ask for its real and its imaginary part, one by one")
        queries = np.asarray(X, dtype=np.float64)
        out = self._store.reveal(transposed != self._transposed, queries, self._factors)
        factors = ((term.left, term.right) if transposed else (term.right, term.left) for term in self._terms)
        pairs = [(first, second) for first, second in factors if queries.size and first.size]
        if len(pairs) > 1 and max(self.shape) <= SHORT:
            pairs = [(np.concatenate([f for f, _ in pairs]), np.concatenate([s for _, s in pairs]))]
        for first, second in pairs:
            accumulate_product(queries @ first.T, second, out)
        return out

    def _matmat(self, X: Array) -> Array:
        return self._product(X.T, transposed=False).T

    def __rmatmul__(self, x: Any) -> Any:
        """x W. scipy's own form goes through conjugates and transposes, five copies of all that passes."""
        if isinstance(x, LinearOperator) or np.isscalar(x):
            return super().__rmatmul__(x)
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
        return sum_of((*self._terms[common:], *(-term for term in other._terms[common:])), self.shape)

    @property
    def update(self) -> LowRank:
        """The sum of all steps: what W is beyond its Gaussian part."""
        return sum_of(self._terms, self.shape)

    def compress(self) -> RevealedGaussian:
        """The same matrix with as few update factors as the rank of the update.

        Singular values under `NOISE` times the largest are dropped: the update changes by no more than that.
        """
        if not self._factors:
            return self._view(())
        update = self.update
        left, A = np.linalg.qr(update.left.T)
        right, B = np.linalg.qr(update.right.T)
        P, sizes, Qt = svd(A @ B.T, full_matrices=False)
        kept = sizes > NOISE * sizes[0]
        return self._view((LowRank((P[:, kept] * sizes[kept]).T @ left.T, Qt[kept] @ right.T),) if kept.any() else ())
