"""How likely a scaling fit is left open, or is refuted, at another seed, if what one run measured is true.

A run measures the mean of the logarithms in each cell and how these are spread. Taken as true, they give the laws of
the intervals of another seed. The slope of a window is normal about that of the means. The square of its interval, that
of HC3, has the law of chi-square, with degrees of freedom matched to its variance. Both shrink as replicates grow. What
they do not mend is a lack of fit: where the means lie off a power law, slopes of two windows stay as far apart as they
were measured. The spread is taken at the upper end of its interval, for few replicates measure it badly.

Every chance is an upper bound: the sum over the ways in which it may come about, of pairs of windows and of looks.
Where two intervals count together, both are taken to be as far beyond their middles.

Main definitions: `Laws`, of the intervals of one exponent, by a run (`laws_of`); `chance_open`, after all looks, and
`room`, which the spread has left to it; `chance_missed`, of the cells that a constant has to cover; `chance_planned`,
before anything is measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from theory.claims.regime import Cell
from theory.core.means import FloatArray
from theory.core.statistics import ScalingFit, undecided_chance
from theory.evidence.enough_trials import RESERVE, UNDECIDED
from theory.evidence.exponents import WIDEST_HALF_WIDTH, WINDOWS, Design, design_of
from theory.evidence.replicates import EXPONENT_ROUNDING, LOOK_SHARES, LOOKS

# Spreads are taken at the upper end of an interval that they are above with this chance.
UNSURE = 0.05

# The chances with which a part may be beyond its quantile, and how many steps of a factor of 1.26 between them.
LEAST, STEPS = 1e-18, 178
CHANCES = np.geomspace(LEAST, 10.0 ** (0.1 * (STEPS - 1)) * LEAST, STEPS)
BETWEEN = np.diff(CHANCES, append=1.0)

# The fourth moment of a normal law beside the square of its second.
OF_NORMAL = 3.0

# A kurtosis is read off cells of so many replicates.
FEWEST = 4

# A standard error is looked at where it comes out as these shares of what it is.
SHARES = np.linspace(0.0, 3.0, 301)

# A spread that is none.
TINY = 1e-12

# Of what was measured without scatter.
MOST_FREEDOM = 1e6

# How far the room for a larger spread is looked for, and in how many halvings of its logarithm.
MOST_ROOM, HALVINGS = 16.0, 8

# More replicates are told in steps of this factor, and so many of them.
FURTHER, MOST_FURTHER = 1.25, 24

# What is rarer than this is not looked into.
NEVER = 1e-16

# A fitted constant is taken to be no nearer than its replicates are but with this chance.
UNLUCKY = 1e-9


@dataclass(frozen=True)
class WindowLaw:
    """The slope of a window and its interval, as another run with as many replicates may give them.

    `middle` is the slope of the means, to which that of a cell adds `loads` times itself. The interval extended
    `measured` to either side, by `observations` less `parameters` degrees of freedom; its square varies as chi-square
    with `freedom` of them. A `small` window is left out where it says nothing; it `is_left_out` where it was measured.
    """

    middle: float
    loads: FloatArray
    measured: float
    freedom: float
    observations: int
    parameters: int
    small: bool = False
    is_left_out: bool = False

    @property
    def looser(self) -> float:
        """The factor by which the spread may be larger than it was measured."""
        return math.sqrt(_looser(self.freedom))

    def halves(self, look: Look) -> FloatArray:
        """What the interval extends to either side at a look at most, but with each of `CHANCES`."""
        freedom = self.freedom * look.times
        return np.asarray(self._expected(look) * np.sqrt(scipy.special.chdtri(freedom, CHANCES) / freedom))

    def half(self, look: Look, chance: float) -> float:
        """What it extends at most, but with such a chance."""
        freedom = self.freedom * look.times
        return self._expected(look) * math.sqrt(float(scipy.special.chdtri(freedom, chance)) / freedom)

    def narrow(self, look: Look, spread: float) -> float:
        """The chance that the interval is narrow enough to tell something, the spread being so many times as large."""
        freedom, expected = self.freedom * look.times, spread * self._expected(look)
        square = (WIDEST_HALF_WIDTH / expected) ** 2 if expected else math.inf
        return float(scipy.special.gammainc(0.5 * freedom, 0.5 * freedom * square))

    def passed(self, look: Look, off: float, error: float) -> float:
        """The chance that the slope, `off` standard errors beyond a point, has it below its interval.

        By Student's law, moved by so much: a normal one, averaged over what its standard error may come out as.
        """
        if not error:
            return float(off > 0.0)
        freedom, reach = self.freedom * look.times, self._expected(look) / error
        below = np.diff(scipy.special.gammainc(0.5 * freedom, 0.5 * freedom * SHARES**2), append=1.0)
        return float(below @ scipy.special.ndtr(off - reach * SHARES))

    def _expected(self, look: Look) -> float:
        """What the interval extends to either side, on average."""
        quantile = _quantile(self._degrees(look.times), look.level) / _quantile(self._degrees(1.0), look.first)
        return self.measured * quantile / math.sqrt(look.times)

    def _degrees(self, times: float) -> float:
        return times * self.observations - self.parameters


@dataclass(frozen=True)
class Look:
    """A look at `times` the replicates that were measured, its intervals at a `level`; they had the level `first`."""

    times: float
    level: float
    first: float


@dataclass(frozen=True)
class Laws:
    """The laws of the intervals of one exponent, and what it is held against.

    `noise` is the variance of the mean of each cell; the first of the `windows` is that of all sizes.
    """

    agreement: str
    claimed: float
    resolution: float
    noise: FloatArray
    windows: tuple[WindowLaw, ...]

    def open(self, look: Look, spread: float = 1.0) -> float:
        """The chance that a look leaves it open, the spread being so many times what was measured."""
        if self.agreement == "free":
            return 0.0
        sure = [window for window in self.windows if not window.small]
        chance = self._open(sure, look, spread)
        for window in self.windows:
            if window.small:
                chance += min(self._open([*sure, window], look, spread), self._spoilt(window, sure, look, spread))
        return min(1.0, chance)

    def refuted(self, look: Look) -> float:
        """The chance that all windows lie beside the claimed exponent at a look.

        That of the rarest of them, or of all that share no cell, whose measurements are independent. So are a slope and
        its interval, as of normal measurements that are spread alike.
        """
        signs = {"equal": (1.0, -1.0), "at most": (1.0,), "at least": (-1.0,), "free": ()}[self.agreement]
        whole, *halves = [window for window in self.windows if not window.small]
        apart = not any(((one.loads != 0.0) & (other.loads != 0.0)).any() for one, other in itertools.pairwise(halves))
        chance = 0.0
        for sign in signs:
            of_halves = [self._passed(window, sign, look) for window in halves]
            chance += min([self._passed(whole, sign, look), *of_halves, *([math.prod(of_halves)] if apart else [])])
        return chance

    def _passed(self, window: WindowLaw, sign: float, look: Look) -> float:
        error = self._error(window, look)
        off = sign * (window.middle - self.claimed) - self._forgiven
        return window.passed(look, off / error if error else off, error)

    def unrefuted(self, look: Look) -> float:
        """The chance that some window does not lie beside the claimed exponent at a look, on the side where it was."""
        if self.agreement == "free":
            return 1.0
        sign = math.copysign(1.0, self.windows[0].middle - self.claimed)
        if (sign, self.agreement) in ((1.0, "at least"), (-1.0, "at most")):
            return 1.0
        chance = 0.0
        for window in self.windows:
            if not window.is_left_out:
                short = self._forgiven - sign * (window.middle - self.claimed)
                error, half = window.looser * self._error(window, look), window.looser * window.halves(look)
                chance += _above(short, error, half, 0.0)
        return min(1.0, chance)

    @property
    def _forgiven(self) -> float:
        return EXPONENT_ROUNDING + self.resolution

    def _error(self, window: WindowLaw, look: Look) -> float:
        """The standard error of the slope of a window."""
        return math.sqrt(float(window.loads**2 @ self.noise) / look.times)

    def _apart(
        self, one: WindowLaw, other: WindowLaw, halves: FloatArray, most: float, look: Look, spread: float
    ) -> float:
        """The chance that one slope, with what is added in `halves`, is above another by more than `most`."""
        error = spread * max(one.looser, other.looser) * self._error_apart(one, other, look)
        return _above(one.middle - other.middle, error, halves, most)

    def _error_apart(self, one: WindowLaw, other: WindowLaw, look: Look) -> float:
        """The standard error of the difference of two slopes."""
        return math.sqrt(float((one.loads - other.loads) ** 2 @ self.noise) / look.times)

    def _open(self, windows: Sequence[WindowLaw], look: Look, spread: float) -> float:
        """That these windows are too wide together, and do not lie on the side that is claimed."""
        ends = [(window, spread * window.looser * window.halves(look)) for window in windows]
        chance = sum(
            self._apart(one, other, half + of_other, 2.0 * WIDEST_HALF_WIDTH, look, spread)
            for (one, half), (other, of_other) in itertools.product(ends, repeat=2)
        )
        if self.agreement == "equal":
            return chance
        sign, beside = 1.0 if self.agreement == "at most" else -1.0, 0.0
        for window, half in ends:
            error = spread * window.looser * self._error(window, look)
            beside += _above(sign * (window.middle - self.claimed), error, half, self._forgiven)
        return min(chance, beside)

    def _spoilt(self, window: WindowLaw, sure: Sequence[WindowLaw], look: Look, spread: float) -> float:
        """That a small window is not left out, and makes too wide what others leave narrow.

        It is left out where it is too wide itself and holds the interval of all sizes. One that holds it and is narrow
        makes no more of it than its own interval, so that the other half alone may be too far from it.
        """
        whole, *halves = sure
        error = spread * max(window.looser, whole.looser) * self._error_apart(window, whole, look)
        reach = spread * whole.looser * whole.half(look, UNLUCKY)
        chance = UNLUCKY
        for side in (1.0, -1.0):
            off = side * (window.middle - whole.middle) + reach
            chance += window.passed(look, off / error, error / (spread * window.looser)) if error else float(off > 0.0)
        far = sum(
            self._apart(one, other, spread * half.looser * half.halves(look), WIDEST_HALF_WIDTH, look, spread)
            for half in halves
            for one, other in ((window, half), (half, window))
        )
        return chance + min(far, window.narrow(look, spread))


def laws_of(agreement: str, claimed: float, resolution: float, design: Design, whole: ScalingFit, name: str) -> Laws:
    """The laws of the exponent of a variable, by the measurements of a design and their fit."""
    logs, places, number = np.log(design.measured), design.places, len(design.cells)
    counts = np.bincount(places, minlength=number)
    means = np.bincount(places, logs) / counts
    within = logs - means[places]
    squares = np.bincount(places, within**2)
    # A cell with one replicate is spread as all are on average.
    average = float(squares.sum()) / max(1, logs.size - number)
    variances = np.where(counts > 1, squares / np.maximum(1, counts - 1), average)
    kurtosis = _kurtosis(within, places, counts)
    windows = []
    for window in design.windows(name, whole):
        loads = _loads(design, window.chosen, name)
        lacks = means - _fitted(design, window.fit)
        squares_of_loads = loads**2 / counts
        # The only replicate of a cell does not tell its lack of fit from its spread.
        square = squares_of_loads * np.where(counts > 1, lacks**2 + variances, np.maximum(lacks**2, variances))
        scattered = squares_of_loads**2 * ((kurtosis - 1.0) * variances**2 + 4.0 * lacks**2 * variances) / counts
        low, high = window.interval
        windows.append(
            WindowLaw(
                middle=float(window.fit.exponents[name]),
                loads=loads,
                measured=0.5 * (high - low),
                freedom=_freedom(float(square.sum()), float(scattered.sum())),
                observations=int(window.chosen.sum()),
                parameters=1 + len(design.columns),
                small=window.small,
                is_left_out=window.is_left_out,
            )
        )
    return Laws(agreement, claimed, resolution, variances / counts, tuple(windows))


def chance_open(laws: Sequence[Laws], alpha: float, done: int, looks: int, replicates: float = 1.0) -> float:
    """The chance that so many looks leave some exponent open, or that one of them refutes one.

    By `laws` of what was measured at the look numbered `done`, where exponents have the share `alpha` of the error
    budget; of a run with so many times the `replicates`.
    """
    wrong, least, before = 0.0, 1.0, 1.0
    for look in _looks(laws, alpha, done, looks, replicates):
        # A later look is one that those before it ask for.
        wrong += min(before, sum(law.refuted(look) for law in laws))
        before = sum(law.open(look) for law in laws)
        least = min(least, before)
        if before < NEVER:
            break
    return min(1.0, least + wrong)


def chance_unrefuted(laws: Sequence[Laws], alpha: float, done: int) -> float:
    """The chance that the first look refutes no exponent, by laws as for `chance_open`; 1 where none refutes any."""
    (first,) = _looks(laws, alpha, done, 1, 1.0)
    return min((law.unrefuted(first) for law in laws), default=1.0)


def room(laws: Sequence[Laws], alpha: float, done: int, looks: int) -> float:
    """How many times larger the spread might be, so that the last look still leaves nothing open but with `UNDECIDED`.

    At most `MOST_ROOM`, and 0 where replicates do not help.
    """
    last = _looks(laws, alpha, done, looks, 1.0)[-1]
    low, high = 1.0 / MOST_ROOM, MOST_ROOM
    if sum(law.open(last, low) for law in laws) > UNDECIDED:
        return 0.0
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        fits = sum(law.open(last, middle) for law in laws) <= UNDECIDED
        low, high = (middle, high) if fits else (low, middle)
    return low


def replicates_wanted(laws: Sequence[Laws], alpha: float, done: int, looks: int) -> float:
    """How many times the replicates would bring `chance_open` down to `UNDECIDED`; infinite where none do."""
    low, high = -1, MOST_FURTHER
    while high - low > 1:
        middle = (low + high) // 2
        enough = chance_open(laws, alpha, done, looks, FURTHER**middle) <= UNDECIDED
        low, high = (low, middle) if enough else (middle, high)
    return FURTHER**high if high < MOST_FURTHER else math.inf


def chance_planned(
    names: Sequence[str], judged: Sequence[str], cells: Sequence[Cell], replicates: Sequence[int]
) -> float:
    """The chance that all of so many replicates in each cell leave an exponent that is `judged` too wide.

    For an interval that is `RESERVE` times as wide as it may be on average, whatever the spread that makes it so, which
    is the same in all cells: as few degrees of freedom make intervals of very different widths.
    """
    design = design_of(names, cells, [np.ones(number) for number in replicates])
    counts = np.array(replicates)
    chance = 0.0
    for name in judged:
        for chosen in [np.ones(design.places.size, bool), *design.halves(name)]:
            if _determines(design, chosen):
                squares = _loads(design, chosen, name) ** 2 / counts
                freedom = float(squares.sum() ** 2 / np.sum(squares**2 / counts))
                chance += float(scipy.special.chdtrc(freedom, freedom / RESERVE**2))
    return min(1.0, chance)


@dataclass(frozen=True)
class Covered:
    """What a cell measures beside a constant, larger ratios worse: their logarithms where all are positive.

    `first` replicates are looked at, up to `most` where some miss the bound.
    """

    ratios: FloatArray
    first: int
    most: int


def chance_missed(
    cells: Sequence[Covered],
    reaches: Sequence[tuple[FloatArray, int]],
    beyond: Callable[[float], float],
    rate: float,
    alpha: float,
) -> float:
    """The chance that some cell is not covered by a constant, at the level `alpha` in each, by normal laws.

    The constant is what `beyond` makes of the largest of the ratios on which it is fitted but for so many of them, each
    cell of them one of `reaches`; of 0, where it is not fitted. The spread of a cell is taken at the upper end of its
    interval, which of few replicates is no more than that of the average, or of the cell if that is more.
    """
    known = [cell.ratios for cell in cells] + [ratios for ratios, _ in reaches]
    freedom = sum(one.size - 1 for one in known)
    average = sum(float(np.sum((one - one.mean()) ** 2)) for one in known) / max(1, freedom)

    def spread(one: FloatArray) -> float:
        own = float(one.var(ddof=1)) if one.size > 1 else 0.0
        above = max(own, average) * _looser(freedom)
        return math.sqrt(min(own * _looser(one.size - 1), above) if one.size > 1 else above)

    constant = beyond(_reached(reaches) if reaches else 0.0)
    chance = UNLUCKY
    for cell in cells:
        off, wide = constant - float(cell.ratios.mean()), spread(cell.ratios)
        share = float(scipy.special.ndtr(-off / wide)) if wide else float(off < 0.0)
        some = -math.expm1(cell.first * math.log1p(-share)) if share < 1.0 else 1.0
        if some > UNLUCKY:
            some = min(some, undecided_chance(rate, alpha / LOOKS, cell.most, share) + alpha)
        chance += some
    return min(1.0, chance)


def _reached(reaches: Sequence[tuple[FloatArray, int]]) -> float:
    """What the largest ratio of some cells, but for so many of each, is above with all but the chance `UNLUCKY`."""
    laws = [
        (float(one.mean()), max(float(one.std(ddof=1)), TINY), one.size - spared, spared + 1) for one, spared in reaches
    ]
    means, spreads, counted, spared = (np.array(column) for column in zip(*laws, strict=True))
    low = float(np.max(means + spreads * scipy.special.ndtri(scipy.special.betaincinv(counted, spared, UNLUCKY))))
    high = float(np.max(means + spreads * scipy.special.ndtri(scipy.special.betaincinv(counted, spared, 0.5))))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        below = float(np.prod(scipy.special.betainc(counted, spared, scipy.special.ndtr((middle - means) / spreads))))
        low, high = (middle, high) if below <= UNLUCKY else (low, middle)
    return low


def _looser(freedom: float) -> float:
    """The factor by which a variance may be larger than it was measured with so many degrees of freedom."""
    return float(freedom / scipy.special.chdtri(freedom, 1.0 - UNSURE)) if freedom else 1.0


def _looks(laws: Sequence[Laws], alpha: float, done: int, looks: int, replicates: float) -> list[Look]:
    shares = [share * alpha / (WINDOWS * max(1, len(laws))) for share in LOOK_SHARES]
    return [Look(replicates * 2.0 ** (look - done), shares[look], shares[done]) for look in range(looks)]


def _above(off: float, error: float, halves: FloatArray, most: float) -> float:
    """The chance that `off`, with a normal error and something that is `halves` but with `CHANCES`, is above `most`."""
    far = off + halves - most
    of_error = scipy.special.ndtr(far / error) if error else (far > 0.0).astype(float)
    return float(CHANCES[0] + BETWEEN @ of_error)


def _quantile(degrees: float, level: float) -> float:
    """The two-sided quantile of Student's law."""
    return -float(scipy.special.stdtrit(degrees, 0.5 * level))


def _freedom(square: float, variance: float) -> float:
    """The degrees of freedom of the law of chi-square with such a mean and variance."""
    return min(MOST_FREEDOM, 2.0 * square**2 / variance) if variance > 0.0 else MOST_FREEDOM


def _determines(design: Design, chosen: NDArray[np.bool_]) -> bool:
    """Whether every exponent can be fitted to the measurements chosen."""
    counts = np.bincount(design.places[chosen], minlength=len(design.cells))
    sizes = _sizes(design)[counts > 0]
    return bool(int(counts.sum()) > sizes.shape[1] == np.linalg.matrix_rank(sizes))


def _loads(design: Design, chosen: NDArray[np.bool_], name: str) -> FloatArray:
    """How the slope of a variable moves with the mean of each cell, where some measurements are chosen."""
    counts = np.bincount(design.places[chosen], minlength=len(design.cells))
    sizes = np.sqrt(counts)[:, None] * _sizes(design)
    return np.asarray(np.linalg.pinv(sizes)[1 + list(design.columns).index(name)] * np.sqrt(counts))


def _fitted(design: Design, fit: ScalingFit) -> FloatArray:
    """The logarithm in each cell by a fit."""
    return np.asarray(_sizes(design) @ np.array([fit.intercept, *(fit.exponents[name] for name in design.columns)]))


def _sizes(design: Design) -> FloatArray:
    """One and the logarithm of each variable, by cell."""
    first = np.unique(design.places, return_index=True)[1]
    return np.column_stack([np.ones(first.size), *(np.log(column[first]) for column in design.columns.values())])


def _kurtosis(within: FloatArray, places: NDArray[np.intp], counts: NDArray[np.intp]) -> float:
    """The fourth moment of what is left of the means of cells beside the square of the second, a normal law's at least.

    That of a cell is as far below that of its law as a normal one would make it.
    """
    seconds = np.bincount(places, within**2) / counts
    fourths = np.bincount(places, within**4) / counts
    told = (counts >= FEWEST) & (seconds > 0.0)
    if not told.any():
        return OF_NORMAL
    seen = fourths[told] / seconds[told] ** 2 * (counts[told] + 1) / (counts[told] - 1)
    return max(OF_NORMAL, float(np.average(seen, weights=counts[told])))
