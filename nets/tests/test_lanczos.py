"""The interval for the operator norm holds the norm: below always, above at the stated rate."""

import itertools
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import svdvals
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from nets.core.arrays import Array
from nets.linear_algebra.lanczos import ROUNDING, norm_factor, operator_norm_interval, overlap_quantile
from nets.linear_algebra.revealed import RevealedGaussian

# Chance that the coverage test refuses a right interval, were its seed drawn anew.
LEVEL = 1e-6


class FixedStart:
    """A generator that returns one vector, for starts that are chosen."""

    def __init__(self, start: Array) -> None:
        self.start = start

    def standard_normal(self, size: int) -> Array:
        assert self.start.size == size
        return self.start


def fixed(start: Array) -> np.random.Generator:
    return cast(Any, FixedStart(start))


def generator(*key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(1992, spawn_key=key))


def with_spectrum(sizes: Array, rows: int, rng: np.random.Generator) -> Array:
    """A matrix (rows, len(sizes)) with these singular values and random singular vectors."""
    left = np.linalg.qr(rng.standard_normal((rows, sizes.size)))[0]
    right = np.linalg.qr(rng.standard_normal((sizes.size, sizes.size)))[0]
    return np.asarray((left * sizes) @ right.T)


def masked(rng: np.random.Generator) -> Array:
    W = rng.standard_normal((90, 70)) * (rng.random(90) < 0.5)[:, np.newaxis]
    return np.asarray(rng.standard_normal((50, 90)) @ W)


def examples() -> dict[str, Array]:
    rng = generator(0)
    return {
        "gaussian": rng.standard_normal((120, 80)),
        "wide": rng.standard_normal((30, 200)),
        "masked": masked(rng),
        "tiny gaps": with_spectrum(np.asarray(1.0 - 1e-9 * np.arange(60), dtype=np.float64), 80, rng),
        "outlier": with_spectrum(np.concatenate([[50.0], np.linspace(1.0, 0.1, 59)]), 70, rng),
        "rank one": np.outer(rng.standard_normal(40), rng.standard_normal(60)),
        "rank three": rng.standard_normal((40, 3)) @ rng.standard_normal((3, 60)),
        "row": rng.standard_normal((1, 30)),
        "column": rng.standard_normal((30, 1)),
        "one entry": np.array([[-3.0]]),
        "identity": np.eye(25),
        "large": 1e200 * rng.standard_normal((20, 20)),
        "small": 1e-200 * rng.standard_normal((20, 20)),
    }


EXAMPLES = examples()
EXACT = ["rank one", "rank three", "row", "column", "one entry", "identity"]


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("name", EXAMPLES)
def test_holds_the_norm(name: str, steps: int) -> None:
    A = EXAMPLES[name]
    norm = svdvals(A)[0]
    for seed in range(5):
        found = operator_norm_interval(A, generator(1, seed), steps)
        assert found.low <= norm <= found.high
        assert found.products <= 2 * found.steps <= 2 * steps


@pytest.mark.parametrize("name", EXACT)
def test_early_termination_is_exact(name: str) -> None:
    found = operator_norm_interval(EXAMPLES[name], generator(2))
    assert found.steps <= 4
    assert found.high <= found.low * (1.0 + 3.0 * ROUNDING)


@pytest.mark.parametrize("name", ["gaussian", "wide", "masked", "outlier", "tiny gaps", "large", "small"])
def test_whole_space_is_exact(name: str) -> None:
    A = EXAMPLES[name]
    found = operator_norm_interval(A, generator(3), min(A.shape))
    assert found.products <= 2 * min(A.shape) - 1
    assert found.low <= svdvals(A)[0] <= found.high <= found.low * (1.0 + 3.0 * ROUNDING)


def test_lower_end_never_above_the_norm() -> None:
    rng = generator(4)
    for _ in range(300):
        A = rng.standard_normal(rng.integers(1, 12, size=2))
        assert operator_norm_interval(A, rng, int(rng.integers(1, 15)), 0.9).low <= svdvals(A)[0]


def test_interval_shrinks_with_steps() -> None:
    A = EXAMPLES["gaussian"]
    found = [operator_norm_interval(A, generator(5), steps) for steps in (1, 2, 4, 8, 16, 32)]
    assert all(a.low <= b.low and a.high >= b.high for a, b in itertools.pairwise(found))
    assert found[-1].high <= 1.3 * found[-1].low
    assert found[0].high >= 100.0 * found[0].low


@pytest.mark.parametrize("steps", [1, 2, 3, 6])
def test_theorem_for_each_start(steps: int) -> None:
    """With the start's own overlap in place of the quantile the upper end never fails."""
    rng = generator(6, steps)
    level, n = 0.05, 40
    spectra = [np.concatenate([[1.0], np.full(n - 1, x)]) for x in (0.0, 0.5, 0.99)]
    spectra += [np.concatenate([[1.0], np.sort(rng.random(n - 1) * scale)[::-1]]) for scale in (0.3, 0.9, 1.0)]
    spectra += [np.concatenate([[1.0], 0.9 * np.abs(np.cos(np.arange(n - 1) * np.pi / 12))])]
    for sizes in spectra:
        for exponent in (0, 1, 2, 4, 6):
            start = rng.standard_normal(n)
            start[0] *= 10.0**-exponent
            overlap = abs(start[0]) / np.linalg.norm(start)
            found = operator_norm_interval(np.diag(sizes), fixed(start), steps, level)
            assert found.low <= 1.0
            # A start that looks invariant is the case the docstring sets apart.
            bound = found.low / (1.0 - ROUNDING) * norm_factor(overlap, found.products)
            assert bound * (1.0 + ROUNDING) >= 1.0


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_upper_end_fails_at_most_at_the_stated_rate(steps: int) -> None:
    """Clopper-Pearson: the lower confidence limit of the failure rate must not exceed the stated one."""
    failure, starts, n = 0.05, 2000, 30
    # A hard spectrum: one direction stands out and the rest sits where the Chebyshev polynomial is largest.
    nodes = np.abs(np.sin(np.arange(1, n) * np.pi / (2 * n)))
    rng = generator(7, steps)
    for scale in (0.0, 0.3, 0.7, 0.9):
        A = np.diag(np.concatenate([[1.0], scale * nodes + 1e-3 * np.arange(1, n) / n]))
        misses = sum(not operator_norm_interval(A, rng, steps, failure).high >= 1.0 for _ in range(starts))
        rate = stats.beta.ppf(LEVEL, misses, starts - misses + 1) if misses else 0.0
        assert rate <= failure
    # A rate far too large would be refused: twice the stated one already is.
    assert stats.beta.ppf(LEVEL, 0.1 * starts, 0.9 * starts + 1) > failure


def test_one_product_reaches_the_stated_rate() -> None:
    """A matrix of rank one, seen through one product, makes the theorem an equality: c alone decides."""
    n, failure, starts = 30, 0.05, 20000
    points = generator(8).standard_normal((starts, n))
    overlaps = np.abs(points[:, 0]) / np.linalg.norm(points, axis=1)
    misses = int(np.count_nonzero(overlaps * norm_factor(overlap_quantile(n, failure), 1) < 1.0))
    assert stats.binomtest(misses, starts, failure).pvalue > LEVEL


@pytest.mark.parametrize("n", [2, 3, 10, 1000, 10**6])
@pytest.mark.parametrize("failure", [1e-15, 1e-9, 1e-3, 0.05])
def test_overlap_quantile_and_its_simple_bound(n: int, failure: float) -> None:
    overlap = overlap_quantile(n, failure)
    assert stats.beta.cdf(overlap**2, 0.5, 0.5 * (n - 1)) == pytest.approx(failure, rel=1e-9)
    for k in (1, 2, 5, 12, 50):
        root = np.tanh(np.arccosh(1.0 / overlap) / (2 * k - 1))
        assert root <= np.log(1.6 * np.sqrt(n) / failure) / (2 * k - 1)


def test_start_must_be_random() -> None:
    """Control: a start without a part along the top singular vector never sees it."""
    sizes = np.concatenate([[10.0], np.linspace(1.0, 0.1, 29)])
    start = np.ones(30)
    start[0] = 0.0
    assert operator_norm_interval(np.diag(sizes), fixed(start), 12).high < 10.0
    assert operator_norm_interval(np.diag(sizes), generator(9), 12).high >= 10.0


@pytest.mark.parametrize("shape", [(60, 40), (40, 60), (50, 50)])
def test_revealed_matrix(shape: tuple[int, int]) -> None:
    W = RevealedGaussian(*shape, 0.3, generator(10))
    found = operator_norm_interval(W, generator(11), 6)
    norm = svdvals(W.matmat(np.eye(shape[1])))[0]
    assert found.low <= norm <= found.high
    assert found.products == 12


def test_dense_and_operator_agree() -> None:
    A = EXAMPLES["masked"]
    op = LinearOperator(A.shape, matvec=lambda x: A @ x, rmatvec=lambda x: A.T @ x, dtype=np.float64)
    found = [operator_norm_interval(B, generator(12)) for B in (A, op, aslinearoperator(A), A)]
    assert found[0] == found[3]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wrap", [np.asarray, aslinearoperator])
def test_not_finite_gives_nan(bad: float, wrap: Any) -> None:
    for position in ((0, 0), (4, 2), (6, 5)):
        A = np.ones((7, 6))
        A[position] = bad
        for B in (A, A.T):
            found = operator_norm_interval(wrap(B), generator(13))
            assert np.isnan(found.low)
            assert np.isnan(found.high)


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5)])
def test_zero_matrix(shape: tuple[int, int]) -> None:
    assert operator_norm_interval(np.zeros(shape), generator(14)) == (0.0, 0.0, 1, 1)


def test_refuses_what_it_cannot_do() -> None:
    A, rng = np.eye(3), generator(15)
    with pytest.raises(ValueError, match="steps=0"):
        operator_norm_interval(A, rng, 0)
    for failure in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="failure="):
            operator_norm_interval(A, rng, failure=failure)
    with pytest.raises(ValueError, match="complex"):
        operator_norm_interval(aslinearoperator(1j * A), rng)
    with pytest.raises(ValueError, match="at least one row"):
        operator_norm_interval(np.zeros((0, 3)), rng)
