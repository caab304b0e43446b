"""The exponents of replicates: fitted, and held against those of a bound.

Main definitions: `Exponents`; `Design`, what is fitted, and its `Window`s; `agreement_of`, what one interval says of
one claimed exponent; `wanted`, what would decide one that is left open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.claims.regime import Cell
from theory.core.seeds import canonical
from theory.core.statistics import ScalingFit, scaling_fit
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence.replicates import EXPONENT_ROUNDING, Sample
from theory.running.case import Case

# An interval wider than this on either side cannot tell an exponent from one off by 0.1, and is no evidence.
WIDEST_HALF_WIDTH = 0.1

# An exponent has the interval of all sizes and those of two halves.
WINDOWS = 3

# A window with so small a part of the spread of a variable may be left out: an even half has 1/2.
LEAST_PART = 0.25

# An interval at the share that exponents have is some four standard errors wide on either side, so that a window whose
# middle is off by half of it shows a bend. Up to so many steps, of which four are a factor of 2, more are looked at.
BENDS, MOST_STEPS = 0.5, 44

AGREEMENTS = ("equal", "at most", "at least", "free")


@dataclass(frozen=True)
class Exponents:
    """How the exponent of each variable must compare with that of the bound, up to a `resolution`."""

    agreements: Mapping[str, str]
    resolution: float = 0.0

    def measured(
        self, case: Case, cells: Sequence[Cell], samples: Mapping[str, Sample], alpha: float
    ) -> dict[str, dict[str, Any]]:
        """Per variable: the claimed exponent, the measured one, the hull of its intervals, and the verdict.

        A variable is missing when the cells inside the premises do not determine its exponent. All intervals hold but
        with a chance of `alpha`.
        """
        design = self.design(case, cells, samples)
        whole = design.fitted(design.level(alpha))
        if whole is None:
            return {}
        found = {}
        for name in design.columns:
            intervals = [window.interval for window in design.windows(name, whole) if not window.is_left_out]
            low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
            claimed = self.claimed(case, name, design)
            found[name] = {
                "claimed": claimed,
                "measured": float(whole.exponents[name]),
                "ci": [float(low), float(high)],
                "agreement": self.agreements[name],
                "windows": [[float(a), float(b)] for a, b in intervals],
                "verdict": str(agreement_of(self.agreements[name], claimed, low, high, self.resolution)),
            }
        return found

    def design(self, case: Case, cells: Sequence[Cell], samples: Mapping[str, Sample]) -> Design:
        """What is fitted: the measurements of the cells inside the premises, or of all where none is."""
        inside = [c for c in cells if case.standing.of_cell(c) is PremiseStatus.INSIDE] or list(cells)
        values = [samples[canonical(cell)].values for cell in inside]
        return design_of(self.agreements, inside, values)

    @staticmethod
    def claimed(case: Case, name: str, design: Design) -> float:
        """The exponent of the bound in force: 0 for a variable it does not hold, NaN where it is undetermined."""
        if name not in case.bound.symbols:
            return 0.0
        first, *others = design.cells
        shared = {name: v for name, v in first.items() if all(c[name] == v for c in others)}
        try:
            return float(case.bound.exponent(name, **shared))
        except ValueError:
            return math.nan


@dataclass(frozen=True)
class Window:
    """Those measurements of a design that are `chosen`, fitted for the exponent of the variable `name`.

    In a `small` one this hardly moves by itself; one that `is_left_out` says nothing of the exponent.
    """

    name: str
    chosen: NDArray[np.bool_]
    fit: ScalingFit
    small: bool = False
    is_left_out: bool = False

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the exponent."""
        return self.fit.intervals[self.name]


@dataclass(frozen=True)
class Design:
    """The measurements that are fitted, each with its sizes in `columns` and the number of its cell in `places`."""

    cells: Sequence[Cell]
    columns: Mapping[str, np.ndarray]
    places: NDArray[np.intp]
    measured: np.ndarray

    def level(self, alpha: float) -> float:
        """The share of each interval in the error budget `alpha` of all."""
        return alpha / (WINDOWS * max(1, len(self.columns)))

    def fitted(self, level: float) -> ScalingFit | None:
        """The fit of all measurements, its intervals at such a level; none where the sizes do not determine them."""
        return self._fit(np.ones(self.measured.size, bool), level)

    def halves(self, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which measurements lie in the lower and in the upper half of a variable; in both, those at its middle."""
        middle = float(np.median(np.unique(self.columns[name])))
        return self.columns[name] <= middle, self.columns[name] >= middle

    def windows(self, name: str, whole: ScalingFit) -> list[Window]:
        """All measurements, and those in the lower and in the upper half of a variable, where these can be fitted.

        A half in which it hardly moves, or moves with others, and whose interval is too wide to tell anything is left
        out, unless it lies beside that of all sizes: it would leave undecided what those decide.
        """
        found = [Window(name, np.ones(self.measured.size, bool), whole)]
        for half in self.halves(name):
            fit = self._fit(half, whole.alpha)
            if fit is None:
                continue
            of_half = {n: column[half] for n, column in self.columns.items()}
            small = _spread(of_half, name) / _spread(self.columns, name) < LEAST_PART
            left_out = small and _says_nothing(fit.intervals[name], whole.intervals[name])
            found.append(Window(name, half, fit, small, left_out))
        return found

    def _fit(self, chosen: NDArray[np.bool_], level: float) -> ScalingFit | None:
        columns = {name: column[chosen] for name, column in self.columns.items()}
        try:
            return scaling_fit(columns, self.measured[chosen], level) if columns else None
        except ValueError:
            return None


def design_of(agreements: Iterable[str], cells: Sequence[Cell], values: Sequence[np.ndarray]) -> Design:
    """The design of what was measured in each cell, by the variables named that take several values there."""
    names = [n for n in agreements if len({c[n] for c in cells}) > 1]
    places = np.repeat(np.arange(len(cells)), [v.size for v in values])
    columns = {name: np.array([float(cell[name]) for cell in cells])[places] for name in names}
    return Design(cells, columns, places, np.concatenate(values))


@dataclass(frozen=True)
class Wanted:
    """How many `times` the replicates would decide an exponent, or how many times the range of the logarithm of its
    size; both infinite where the intervals of its windows lie too far apart."""

    times: float
    spread: float


def wanted(entry: Mapping[str, Any], resolution: float = 0.0) -> Wanted:
    """What would decide an exponent that was measured and left open, if its windows stay where they are.

    A window that is off by no more than the chance of its interval is taken to lie where all sizes do.
    """
    low, high = entry["windows"][0]
    centre, half = 0.5 * (low + high), 0.5 * (high - low)
    windows = []
    for start, end in entry["windows"]:
        middle, width = 0.5 * (start + end), 0.5 * (end - start)
        windows.append((middle if abs(middle - centre) > BENDS * math.hypot(width, half) else centre, width))
    for step in range(MOST_STEPS):
        times = 2.0 ** (step / 4)
        ends = [(middle - width / math.sqrt(times), middle + width / math.sqrt(times)) for middle, width in windows]
        hull = min(a for a, _ in ends), max(b for _, b in ends)
        if agreement_of(entry["agreement"], entry["claimed"], *hull, resolution) is not Verdict.UNDECIDED:
            return Wanted(times, math.sqrt(times))
    return Wanted(math.inf, math.inf)


def _spread(columns: Mapping[str, np.ndarray], name: str) -> float:
    """The root mean square of the logarithm of a variable, less what the others explain: what an exponent is read off.

    Variables that move together have little of it, however far they go.
    """
    logs = {n: np.log(column) for n, column in columns.items()}
    others = np.column_stack([np.ones(logs[name].size), *(log for n, log in logs.items() if n != name)])
    left = logs[name] - others @ np.linalg.lstsq(others, logs[name])[0]
    return float(np.sqrt(np.mean(left**2)))


def _says_nothing(window: tuple[float, float], whole: tuple[float, float]) -> bool:
    """Whether the interval of a window is too wide for evidence and shows no bend, as it holds that of all sizes."""
    return 0.5 * (window[1] - window[0]) > WIDEST_HALF_WIDTH and window[0] <= whole[0] and whole[1] <= window[1]


def agreement_of(agreement: str, claimed: float, low: float, high: float, resolution: float = 0.0) -> Verdict:
    """Whether an interval [low, high] agrees with the claimed exponent, and is narrow enough to say so."""
    if agreement == "free":
        return Verdict.CONSISTENT
    if not math.isfinite(claimed):
        return Verdict.UNDECIDED
    forgiven = EXPONENT_ROUNDING + resolution
    above, below = low - claimed > forgiven, claimed - high > forgiven
    if {"equal": above or below, "at most": above, "at least": below}[agreement]:
        return Verdict.REFUTED
    at_most, at_least = high - claimed <= forgiven, claimed - low <= forgiven
    one_sided = {"equal": False, "at most": at_most, "at least": at_least}[agreement]
    if one_sided or 0.5 * (high - low) <= WIDEST_HALF_WIDTH:
        return Verdict.CONSISTENT
    return Verdict.UNDECIDED
