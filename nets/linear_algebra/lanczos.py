"""Operator norms of matrices that are too large for LAPACK or not stored, as intervals with a stated error.

By Golub-Kahan-Lanczos bidiagonalisation from a random start.

Theorem. Let A have operator norm s, and let v be a unit vector whose inner product with a top right singular
vector is c != 0. Let t be the largest singular value of the bidiagonal matrix after j products, alternately with A
and A^T. Then

    t <= s <= t cosh(arccosh(1/|c|) / j).

Proof. t is the norm of A or A^T on a subspace, hence at most s. Scale to s = 1, let B = A^T A and let t^2 = 1 - e
with e > 0. For j = 2k - 1 the subspace holds p(B) v for all polynomials p of degree below k, so with b_i the
coefficients of v and x_i the eigenvalues of B

    sum_i b_i^2 p(x_i)^2 (x_i - (1 - e)) <= 0,    c^2 p(1)^2 e <= sum_{x_i < 1 - e} b_i^2 p(x_i)^2 (1 - e - x_i),

where the second keeps of the positive terms one, that of the top singular vector.

Take p(x) = T_j(y)/y at x = (1 - e)(1 - y^2), T_j the Chebyshev polynomial, which is odd. On 0 <= x <= 1 - e the
weight p(x)^2 (1 - e - x) is (1 - e) T_j(y)^2 <= 1 - e, and p(1)^2 e = (1 - e) sinh(j artanh sqrt(e))^2. So
c^2 sinh(j artanh sqrt(e))^2 <= 1 - c^2, that is cosh(j artanh sqrt(e)) <= 1/|c|, and 1/t = cosh(artanh sqrt(e)).
For j = 2k the subspace holds A p(B) v; the weight gains a factor x, and p(x) = sin(j a)/(sin(a) cos(a)), y = cos(a),
leads to the same line.  []

For v uniform on the sphere in R^n, c^2 has the Beta(1/2, (n - 1)/2) law, and its quantile in place of c^2 bounds s
with the stated probability. As P(|c| < q) <= sqrt(2n/pi) q and cosh(x) >= exp(x)/2, the chance that the relative
error of t^2 exceeds e is at most 1.6 sqrt(n) exp(-sqrt(e) (2k - 1)); a bound of this form is what J. Kuczynski and
H. Wozniakowski prove in "Estimating the largest eigenvalue by the power and Lanczos algorithms with a random start",
SIAM J. Matrix Anal. Appl. 13 (1992), 1094-1122. The quantile itself is sharper.

Written by hand: `scipy.sparse.linalg.svds` gives a number and no bound on its error.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import svdvals
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from scipy.special import betaincinv

from nets.core.arrays import Array, matrix
from nets.linear_algebra.vector_store import Rows, largest_entries

# A residual below this, relative to the largest entry of the bidiagonal matrix, counts as zero, and each end moves
# outwards by as much: the relative error of an answer of `RevealedGaussian` is allowed to reach it (see `NOISE`
# there), and a dense product of 10^6 terms errs by less.
ROUNDING = float(2.0**12 * np.finfo(np.float64).eps)

# Chance that an upper end is wrong, unless the caller says otherwise: beside the failure rate that a claim allows each
# trial it is nothing, and a step more costs less than a smaller one would save.
NORM_FAILURE = 1e-9


class NormInterval(NamedTuple):
    """Bounds on an operator norm; `steps` pairs of products begun, `products` with the operator or its transpose."""

    low: float
    high: float
    steps: int
    products: int


def overlap_quantile(n: int, failure: float) -> float:
    """The q with P(|c| < q) = failure, c the first coordinate of a uniform point on the unit sphere of R^n."""
    return 1.0 if n == 1 else float(np.sqrt(betaincinv(0.5, 0.5 * (n - 1), failure)))


def norm_factor(overlap: float, products: int) -> float:
    """cosh(arccosh(1/overlap)/products): how far the norm may lie above the bidiagonal one."""
    return float(np.cosh(np.arccosh(1.0 / overlap) / products))


def operator_norm_interval(
    A: npt.ArrayLike | LinearOperator, rng: np.random.Generator, steps: int = 12, failure: float = NORM_FAILURE
) -> NormInterval:
    """Interval for the largest singular value of a dense array or real linear operator (rows, cols).

    The lower end always holds. The upper end holds with probability at least 1 - failure over `rng`, which must
    be independent of A; one generator may serve both, one seed twice may not. Both ends are moved outwards by
    `ROUNDING`. NaN or infinity in the matrix or in a product makes both ends NaN.

    When the Krylov space becomes invariant, or is the whole space, the norm is found almost surely and the ends
    differ by rounding alone; a zero matrix gives [0, 0]. Invariant means a residual of at most `ROUNDING`; that
    a start gets there without sight of a norm larger by a relative gap g has a chance of order sqrt(n) ROUNDING/g.

    Takes 2 steps products and min(steps, n) vectors on each side, n the smaller dimension. Raises ValueError for
    steps < 1, failure outside (0, 1), a complex operator, and a matrix without rows or columns.
    """
    if steps < 1:
        raise ValueError(f"steps={steps}: choose steps >= 1")
    if not 0.0 < failure < 1.0:
        raise ValueError(f"failure={failure}: choose a probability between 0 and 1")
    op = A if isinstance(A, LinearOperator) else aslinearoperator(matrix(A, "the matrix"))
    if np.issubdtype(op.dtype, np.complexfloating):
        raise ValueError("the operator is complex: pass a real one")
    if min(op.shape) < 1:
        raise ValueError(f"the matrix has shape {op.shape}: pass at least one row and one column")
    # The smaller dimension has the larger overlap, hence the shorter interval.
    wide = op.shape[0] < op.shape[1]
    multiply = (op.rmatvec, op.matvec) if wide else (op.matvec, op.rmatvec)
    n = min(op.shape)
    # Directions of the smaller space, and of the other.
    bases = (Rows(n), Rows(max(op.shape)))
    _append(bases[0], rng.standard_normal(n), 0.0)
    entries: list[float] = []
    products, exact = 0, False
    while products < 2 * steps and not exact:
        side = products % 2
        with np.errstate(over="ignore", invalid="ignore"):
            image = np.asarray(multiply[side](bases[side].last(1)[0]), dtype=np.float64)
        products += 1
        if not np.isfinite(largest_entries(image[np.newaxis])).all():
            return NormInterval(float("nan"), float("nan"), (products + 1) // 2, products)
        size = _append(bases[1 - side], image, ROUNDING * max(entries, default=0.0))
        exact = size == 0.0
        if not exact:
            entries.append(size)
            exact = side == 0 and bases[0].count == n
    largest = _bidiagonal_norm(entries)
    factor = 1.0 if exact else norm_factor(overlap_quantile(n, failure), products)
    return NormInterval(largest * (1.0 - ROUNDING), largest * factor * (1.0 + ROUNDING), (products + 1) // 2, products)


def krylov(
    multiply: Callable[[Array], Array], start: Array, steps: int, back: Callable[[Array], Array] = lambda image: image
) -> tuple[Array, Array]:
    """Orthonormal rows (k, n), k <= steps, that span a Krylov space from `start` (n,), and their images (k, m).

    It is the space of `back` after `multiply`, of which k products are taken; k is smaller where it is invariant.
    """
    basis, images, largest = [start / np.linalg.norm(start)], [], 0.0
    while True:
        images.append(multiply(basis[-1]))
        if len(images) >= steps:
            break
        rest = back(images[-1])
        largest = max(largest, float(np.linalg.norm(rest)))
        # Twice, because the first round may leave rounding errors as large as what is left.
        for known in (*basis, *basis):
            rest = rest - (known @ rest) * known
        size = float(np.linalg.norm(rest))
        if not size > ROUNDING * largest:
            break
        basis.append(rest / size)
    return np.array(basis), np.array(images)


def _append(basis: Rows, x: Array, noise: float) -> float:
    """Make what is left of x beside orthonormal rows the next of them; returns its 2-norm, 0 if at most noise."""
    scale = float(largest_entries(x[np.newaxis])[0])
    if not scale > 0.0:
        return 0.0
    basis.make_room(1)
    rest = basis.room()[0]
    # Divided by the largest entry, so that squares neither vanish nor overflow.
    np.divide(x, scale, out=rest)
    size = basis.split(rest)[1]
    if not scale * size > noise:
        return 0.0
    rest /= size
    basis.keep()
    return scale * size


def _bidiagonal_norm(entries: list[float]) -> float:
    """Largest singular value of the bidiagonal matrix with entries alpha_1, beta_1, alpha_2, ...; 0 without any."""
    if not entries:
        return 0.0
    alphas, betas = entries[0::2], entries[1::2]
    B = np.zeros((len(alphas), len(betas) + 1))
    B[np.arange(len(alphas)), np.arange(len(alphas))] = alphas
    B[np.arange(len(betas)), np.arange(len(betas)) + 1] = betas
    return float(svdvals(B)[0])
