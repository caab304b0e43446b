"""Training and test points of the experiments: a synthetic regression set, images of digits, and tables.

Main definitions: `Points`, and `drawn_points`, which gives the points of a source; `SOURCES`, the names of the sources.

Rows have unit norm, as Section 2 asks. The tables are standardised column by column, which centres them; "raw" tables
are divided by the standard deviation alone, so that no entry is negative. With a constant coordinate every row gets an
entry of the mean norm of the rows before it is normalised: what a bias of the first layer does.
"""

import functools
import importlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets import Array, normalise_rows
from properties.shared.images import mnist

Table = tuple[Array, Array]

# Classes of the images.
DIGITS = 10


class Points(NamedTuple):
    """Training and test inputs (n, d) of unit norm; targets of the shape of the outputs, (n,) or (n, 1, classes)."""

    X: Array
    Y: Array
    X_test: Array
    Y_test: Array

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return 1 if self.Y.ndim == 1 else int(self.Y.shape[-1])


def synthetic_labels(x: Array, noise: Array) -> Array:
    """The labels of the synthetic set (Section 5.1): a function of five coordinates (n, 5), and the noise (n,)."""
    x1, x2, x3, x4, x5 = x.T
    waves = np.sin(10.0 * x1 + 20.0 * x2**3) + np.cos(3.0 * x3 + 5.0 * x4**2)
    return np.asarray(waves + 2.0 / np.sqrt(1.0 + np.maximum(0.05 + x5, 0.0)) + 2.0 * x1 * x5 + noise)


def _synthetic(count: int, rng: Generator) -> Table:
    """Standard Gaussian points and their labels, with noise of variance 0.01."""
    x = rng.standard_normal((count, 5))
    return x, synthetic_labels(x, rng.normal(0.0, 0.1, count))


@functools.lru_cache(maxsize=8)
def _bundled(name: str) -> Table:
    """All rows of a set that comes with scikit-learn, and their targets."""
    options = {"scaled": False} if name == "diabetes" else {}
    # Imported here: it takes a second.
    bunch = getattr(importlib.import_module("sklearn.datasets"), f"load_{name}")(**options)
    return np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target, dtype=np.float64)


def _images(load: Callable[[], Table], count: int, rng: Generator) -> Table:
    """Images, of entries that are not negative, and the unit vectors of their classes."""
    X, digit = load()
    rows = rng.choice(len(X), count, replace=False)
    return X[rows], np.eye(DIGITS)[digit[rows].astype(np.intp)][:, np.newaxis]


def _tabled(name: str, centred: bool, count: int, rng: Generator) -> Table:
    """Rows of a table with columns of standard deviation 1, and standardised targets."""
    X, y = _standardised(name, centred)
    rows = rng.choice(len(X), count, replace=False)
    return X[rows], y[rows]


@functools.lru_cache(maxsize=8)
def _standardised(name: str, centred: bool) -> Table:
    """All rows of a table, by columns, and standardised targets."""
    X, y = _bundled(name)
    X, y = X / X.std(axis=0), (y - y.mean()) / y.std()
    return X - X.mean(axis=0) if centred else X, y


SOURCES: dict[str, Callable[[int, Generator], Table]] = {
    "synthetic": _synthetic,
    "digits": functools.partial(_images, functools.partial(_bundled, "digits")),
    "mnist": functools.partial(_images, mnist),
    "diabetes": functools.partial(_tabled, "diabetes", True),
    "breast_cancer": functools.partial(_tabled, "breast_cancer", True),
    "raw diabetes": functools.partial(_tabled, "diabetes", False),
    "raw breast_cancer": functools.partial(_tabled, "breast_cancer", False),
}


def drawn_points(source: str, n: int, tests: int, rng: Generator, *, constant: bool = False) -> Points:
    """n training points and `tests` test points of a source, all different rows of it.

    Raises `ValueError` for an unknown source.
    """
    if source not in SOURCES:
        raise ValueError(f"there is no source {source!r}: choose one of {', '.join(SOURCES)}")
    X, Y = SOURCES[source](n + tests, rng)
    if constant:
        X = np.column_stack([X, np.linalg.norm(X, axis=1).mean() * np.ones(len(X))])
    X = normalise_rows(X)
    return Points(X[:n], Y[:n], X[n:], Y[n:])
