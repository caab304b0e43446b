"""Binary classification data on the unit sphere, as the theorems want them, and the account of how they came.

Main definitions: `load` (a bundled set or a file), `from_arrays`, `Dataset`.

The theorems speak of unit rows (zou2018, Assumption 3.5) at pairwise distance at least phi > 0 (zou2018,
Assumption 3.6). So every row is divided by its Euclidean norm, and rows that then coincide are dropped;
nothing else is done to the numbers. In particular features are neither centred nor scaled: wine and
breast_cancer hold features of very unequal size, their rows are nearly parallel, and a separation near 1e-3
says so. Who wants standardised features standardises them and loads the file: that is another data set with
another separation.
"""

import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.data.distances import (
    UNIT_TOLERANCE,
    DataError,
    antipodal_separation,
    first_of_equals,
    normalise_rows,
    separation,
)
from nets.data.files import Table, printable, read, table_of_arrays


class DataSource(Protocol):
    """What a claim draws its data from: `nets.data.points.SphereSource`, or a `Dataset`."""

    def draw(self, n: int, d: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return n unit rows X (n, d) and labels y (n,) in {-1, +1}, float64."""
        ...


@dataclass(frozen=True, eq=False)
class Dataset:
    """Unit rows with two labels, and the account of how they were obtained.

    rows_read is n plus the three numbers of dropped rows. The arrays are meant as constants: separations and
    fingerprint are computed once. Compare data sets by their fingerprints.

    Attributes
    ----------
    X : (n, d) float64, C-contiguous, rows of norm 1 within `UNIT_TOLERANCE`
    y : (n,) float64, -1 or +1
    name : where the data come from
    classes : the labels of the source that became -1 and +1
    rows_read : rows of the source, of all classes
    duplicates_dropped : rows equal to an earlier one of the same label
    conflicts_dropped : rows that are equal but carry different labels (all of them go)
    others_dropped : rows of classes beyond the two kept
    spec : what `load` was given, from which it reads the data again; empty for arrays
    """

    X: Array
    y: Array
    name: str
    classes: tuple[str, str]
    rows_read: int
    duplicates_dropped: int = 0
    conflicts_dropped: int = 0
    others_dropped: int = 0
    spec: str = ""

    def __post_init__(self) -> None:
        X, y = self.X, self.y
        if X.ndim != 2 or 0 in X.shape or X.dtype != np.float64 or not X.flags.c_contiguous:
            found = f"X is {X.dtype} of shape {X.shape} where a C-contiguous float64 matrix is needed"
        elif y.shape != (len(X),) or y.dtype != np.float64 or not np.isin(y, (-1.0, 1.0)).all():
            found = f"y does not hold {len(X)} float64 labels -1 or +1"
        elif not self.norm_deviation <= UNIT_TOLERANCE:
            found = f"the norm of a row is off 1 by {self.norm_deviation:.1e}"
        else:
            return
        raise DataError(f"{self.name}: {found}: make the data set with from_arrays")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @cached_property
    def norm_deviation(self) -> float:
        """The largest | ||x_i|| - 1 |."""
        return float(np.abs(np.linalg.norm(self.X, axis=1) - 1.0).max())

    @cached_property
    def separation(self) -> float:
        """phi = min over i != j of ||x_i - x_j|| (zou2018, Assumption 3.6); inf for one row."""
        return separation(self.X)

    @cached_property
    def antipodal_separation(self) -> float:
        """phi_pm = min over i != j of min(||x_i - x_j||, ||x_i + x_j||); inf for one row."""
        return antipodal_separation(self.X, self.separation)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of shape, rows and labels in hexadecimal; name and counts do not enter."""
        digest = hashlib.sha256(repr(self.X.shape).encode())
        for array in (self.X, self.y):
            # Adding zero turns -0.0 into 0.0: equal numbers get equal fingerprints.
            digest.update((array + 0.0).astype("<f8").tobytes())
        return digest.hexdigest()

    def subset(self, n: int, rng: np.random.Generator) -> "Dataset":
        """Return n rows drawn without replacement, in their old order.

        Uniform over the subsets that hold both classes; over all when n = 1 or the data have one class only.
        Raises `DataError` unless 1 <= n <= number of rows.
        """
        if not 1 <= n <= self.n:
            raise DataError(f"{self.name}: {n} rows asked for where there are {self.n}: ask for 1 to {self.n}")
        plus, minus = np.flatnonzero(self.y > 0), np.flatnonzero(self.y < 0)
        if n == 1 or len(plus) == 0 or len(minus) == 0:
            rows = rng.choice(self.n, n, replace=False)
        else:
            count = _positive_count(len(plus), len(minus), n, rng)
            chosen = [rng.choice(plus, count, replace=False), rng.choice(minus, n - count, replace=False)]
            rows = np.concatenate(chosen)
        rows = np.sort(rows)
        return replace(self, X=self.X[rows], y=self.y[rows], name=f"{self.name}[n={n}]")

    def draw(self, n: int, d: int | None = None, rng: np.random.Generator | None = None) -> tuple[Array, Array]:
        """Return X and y of `subset(n, rng)`, as a `DataSource`; d, if given, must be that of the rows."""
        if d is not None and d != self.d:
            raise DataError(f"{self.name}: rows with d = {d} asked for, they have d = {self.d}: ask for that")
        if rng is None:
            raise TypeError("draw takes no randomness of its own: pass rng")
        chosen = self.subset(n, rng)
        return chosen.X, chosen.y


def _positive_count(plus: int, minus: int, n: int, rng: np.random.Generator) -> int:
    """Draw how many of n rows out of plus + minus are positive, given that both classes occur (n >= 2)."""
    counts = range(max(1, n - minus), min(n - 1, plus) + 1)
    # Hypergeometric weights C(plus, k) C(minus, n - k), in logarithms because the coefficients overflow.
    logs = np.array([_log_binomial(plus, k) + _log_binomial(minus, n - k) for k in counts])
    weights = np.exp(logs - logs.max())
    return int(rng.choice(counts, p=weights / weights.sum()))


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def load(spec: str) -> Dataset:
    """Read a data set, reduce it to unit rows with labels -1 and +1, drop rows that coincide.

    `spec` is the name of a set bundled with scikit-learn, of which two classes are kept, the first as -1:
    digits (3, 8), iris (versicolor, virginica), wine (class_0, class_1), breast_cancer (malignant, benign), others and
    fewer rows as in digits:4,9:200 (:func:`nets.data.files.read`);
    or FILE.npz with arrays X (n, d) and y (n,); or FILE.csv, comma-separated UTF-8 text with the label in the
    last column and, optionally, a first line of column names. Labels are numbers or text of exactly two
    values, the smaller becomes -1. Raises `DataError` for everything that cannot be used.
    """
    try:
        return replace(_dataset(read(spec)), spec=spec)
    except MemoryError:
        raise DataError(f"{printable(spec)}: does not fit in memory: draw a sample") from None


def from_arrays(X: npt.ArrayLike, y: npt.ArrayLike, name: str = "arrays") -> Dataset:
    """Make a data set of X (n, d) and y (n,), treated as `load` treats the arrays of an npz file."""
    return _dataset(table_of_arrays(name, np.asarray(X), np.asarray(y)))


def _dataset(table: Table) -> Dataset:
    """Normalise the rows, map the two labels to -1 and +1, drop rows that coincide."""
    where = table.source
    if len(table.X) == 1:
        raise DataError(f"{where}: there is one row only: give at least two, one of each class")
    zero = ~table.X.any(axis=1)
    if zero.any():
        row = table.rows[np.argmax(zero)]
        raise DataError(f"{where}: row {row} is zero and has no direction on the unit sphere: remove it")
    values = np.unique(table.labels)
    names = [_label_text(value) for value in values[:6]]
    if len(values) == 1:
        raise DataError(f"{where}: every row has the label {names[0]}: give rows of two labels")
    if len(values) > 2:
        listed = ", ".join(names) + (", ..." if len(values) > len(names) else "")
        raise DataError(f"{where}: there are {len(values)} label values ({listed}): keep the rows of two of them")

    X = normalise_rows(table.X)
    y = np.where(table.labels == values[1], 1.0, -1.0)
    leader = first_of_equals(X)
    disputed = np.isin(leader, leader[y != y[leader]])
    kept = (leader == np.arange(len(X))) & ~disputed
    if len(np.unique(y[kept])) < 2:
        raise DataError(
            f"{where}: {disputed.sum()} of {len(X)} rows share a ray with a row of the other label, "
            "and without them one class or none is left: check the labels"
        )
    return Dataset(
        X=X[kept],
        y=y[kept],
        name=where,
        classes=table.class_names or (names[0], names[1]),
        rows_read=len(X) + table.others_dropped,
        duplicates_dropped=int((~kept & ~disputed).sum()),
        conflicts_dropped=int(disputed.sum()),
        others_dropped=table.others_dropped,
    )


def _label_text(value: Any) -> str:
    text = str(value).removesuffix(".0") if isinstance(value, np.floating) else str(value)
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def describe(dataset: Dataset) -> list[str]:
    """Return the lines of a report: rows and what was dropped, classes, norms, separations."""
    minus, plus = int((dataset.y < 0).sum()), int((dataset.y > 0).sum())
    dropped = {
        "other classes": dataset.others_dropped,
        "duplicates": dataset.duplicates_dropped,
        "equal rows with both labels": dataset.conflicts_dropped,
    }
    left = dataset.rows_read - sum(dropped.values())
    others = (
        f"; choose others as in {dataset.spec.split(':')[0]}:A,B" if dataset.others_dropped and dataset.spec else ""
    )
    reasons = ", ".join(f"{what} {count}" for what, count in dropped.items())
    return [
        f"data set {dataset.name}: n = {dataset.n}, d = {dataset.d}, fingerprint {dataset.fingerprint[:12]}",
        f"rows read: {dataset.rows_read}; dropped: {reasons}; used: {dataset.n} of {left}",
        f"classes: {dataset.classes[0]} as -1 ({minus} rows), {dataset.classes[1]} as +1 ({plus} rows){others}",
        f"norms: largest deviation from 1 is {dataset.norm_deviation:.1e}",
        f"separation phi = min ||x_i - x_j|| = {dataset.separation:.6g}",
        f"antipodal separation phi_pm = min ||x_i +- x_j|| = {dataset.antipodal_separation:.6g}",
    ]
