"""Means by sampling: bets against "the mean is at most b" and "the mean is at least b", open to a look at any time.

A bettor begins with 1 and multiplies it, draw by draw, by factors whose expectation is at most 1 while the hypothesis
holds. Whatever the law, such a wealth reaches 1/alpha at any time with probability at most alpha (Ville 1939). So does
the mean of several wealths, each with a stake of its own.

* "E[X] <= b" for X >= 0: the factor `1 + s (X/b - 1)` with a stake s in (0, 1). It asks nothing of the law but that X
  is never negative (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, Journal of the
  Royal Statistical Society B 86, 2024, section 4).
* "E[X] >= b" for X <= M, a ceiling: the same bet on M - X, whose mean is at most M - b.
* "E[X] >= b" for X >= 0 with E[X^2] <= r E[X]^2: the factor `f(t X) / (1 - t b + t^2 r b^2 / 2)` with
  f(y) = (1 + max(1 - y, 0)^2) / 2 and t = s/(r b). As f(y) <= 1 - y + y^2/2 for y >= 0, with equality up to y = 1, and
  as f falls: where E[X] = a >= b, E f(t X) <= E f(t (b/a) X) <= 1 - t b + t^2 r b^2 / 2. From y = 1 on f is constant,
  so that no large draw speaks for a small mean, as it would by the square alone; it is the bounded influence of Catoni
  (Challenging the empirical mean and empirical variance, Annales de l'IHP 48, 2012) on the side that counts here, and
  Wang and Ramdas (Catoni-style confidence sequences for heavy-tailed mean estimation, Stochastic Processes and their
  Applications 163, 2023) make sequences of it. Without a ceiling or a moment there is no such bet: a mean may be large
  by values too rare to be seen.

How many draws decide is known before the first one, by Markov's inequality for a negative power of the wealth, at the
law of its class that is the worst: 0 or the largest value, as negative powers of the factors are convex in the draw. Of
a second moment that is 0 or r times the mean: a quadratic that meets such a power at 0 and touches it there lies above
it, as its third derivative is negative.

Main definitions: `Above` and `Below`, the bets; `Wealth`, which places them; `lower_mean` and `upper_mean`, what is not
excluded; `Law`, what is known of draws, and how many of them decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# The shares of the wealth that are staked, each by a bettor with an equal part of it. The best share is about the
# distance of the mean from the bound over the spread: from some hundred draws to some hundred thousand, one is near.
STAKES = np.geomspace(0.01, 0.8, 10)
LOG_BETTORS = math.log(STAKES.size)

# Draws are taken up in parts of so many numbers, stakes included, so that no array is large.
PART = 2**18

# Powers of the wealth that are tried for the chance of a late decision, and draws beyond which nobody waits.
POWERS = np.geomspace(0.05, 20.0, 80)
MOST_DRAWS = 10**6

# Halvings with which an end is found to seven digits, and how far from the mean it is looked for, as a logarithm.
BISECTIONS = 30
FARTHEST = 40.0

# Where nothing varies, a second moment is as large as the square of the mean, and this much beyond it in its place.
LEAST_RATIO = 1.0 + 1e-9


class Bet(Protocol):
    """A hypothesis on means, shape (k,), and what is paid where it is false."""

    @property
    def bounds(self) -> FloatArray:
        """The bound on each mean, shape (k,)."""

    def log_factors(self, draws: FloatArray) -> FloatArray:
        """Logarithms of the factors of draws, shape (n, k), for each stake: shape (stakes, n, k)."""

    def at(self, bounds: FloatArray) -> Bet:
        """The same bet on other bounds."""


def _log1p(x: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log1p(x))


@dataclass(frozen=True)
class Above:
    """A bet against "the mean is at most the bound", of draws that are never negative.

    A bound of 0 is refuted by one positive draw, and a negative one by any.
    """

    bounds: FloatArray

    def log_factors(self, draws: FloatArray) -> FloatArray:
        """As in `Bet`."""
        positive = self.bounds > 0.0
        gains = draws / np.where(positive, self.bounds, 1.0) - 1.0
        factors = _log1p(STAKES[:, None, None] * gains)
        at_once = (self.bounds < 0.0) | ((self.bounds == 0.0) & (draws > 0.0))
        return np.where(positive, factors, np.where(at_once, np.inf, np.where(np.isnan(self.bounds), np.nan, 0.0)))

    def at(self, bounds: FloatArray) -> Above:
        """As in `Bet`."""
        return Above(bounds)


@dataclass(frozen=True)
class BelowCeiling:
    """A bet against "the mean is at least the bound", of draws of at most `ceiling`, shape (k,).

    A bound above the ceiling is refuted by any draw, and the ceiling itself by one that is smaller.
    """

    bounds: FloatArray
    ceiling: FloatArray

    def log_factors(self, draws: FloatArray) -> FloatArray:
        """As in `Bet`."""
        room, left = self.ceiling - self.bounds, np.maximum(self.ceiling - draws, 0.0)
        return Above(room).log_factors(left)

    def at(self, bounds: FloatArray) -> BelowCeiling:
        """As in `Bet`."""
        return BelowCeiling(bounds, self.ceiling)


@dataclass(frozen=True)
class BelowRatio:
    """A bet against "the mean is at least the bound", of draws that are never negative, with a second moment.

    That is at most `ratio` >= 1 times the square of their mean, shape (k,). A bound of 0 and less is never refuted.
    """

    bounds: FloatArray
    ratio: FloatArray

    def log_factors(self, draws: FloatArray) -> FloatArray:
        """As in `Bet`."""
        positive = self.bounds > 0.0
        stakes = STAKES[:, None, None]
        scaled = stakes * (draws / np.where(positive, self.bounds * self.ratio, 1.0))
        paid = 0.5 * (1.0 + np.maximum(1.0 - scaled, 0.0) ** 2)
        factors = np.log(paid) - _log1p(-(stakes - 0.5 * stakes**2) / self.ratio)
        return np.where(positive, factors, np.where(np.isnan(self.bounds), np.nan, 0.0))

    def at(self, bounds: FloatArray) -> BelowRatio:
        """As in `Bet`."""
        return BelowRatio(bounds, self.ratio)


@dataclass
class Wealth:
    """The wealth of a bet on k means at once, each on its own, as draws come in.

    `taken` counts the draws; `largest` has for each mean the largest logarithm that the wealth has reached, and
    `reached` the number of draws after which it first was `threshold` or more, infinite where it was not.
    """

    bet: Bet
    threshold: float
    taken: int = 0
    largest: FloatArray = field(init=False)
    reached: FloatArray = field(init=False)
    _totals: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        means = self.bet.bounds.shape
        self.largest = np.zeros(means)
        self.reached = np.full(means, np.inf)
        self._totals = np.zeros((STAKES.size, 1, *means))

    def take(self, draws: FloatArray) -> None:
        """Take up draws of shape (n, k), in their order."""
        size = max(1, PART // (STAKES.size * max(1, draws.shape[1])))
        for start in range(0, len(draws), size):
            self._take(draws[start : start + size])

    def _take(self, draws: FloatArray) -> None:
        totals = self._totals + np.cumsum(self.bet.log_factors(draws), axis=1)
        self._totals = totals[:, -1:]
        top = totals.max(axis=0)
        finite = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(over="ignore"):
            logs = finite + np.log(np.exp(totals - finite).sum(axis=0)) - LOG_BETTORS
        logs = np.where(top == np.inf, np.inf, logs)
        over = logs >= self.threshold
        first = np.where(over.any(axis=0), self.taken + 1 + over.argmax(axis=0), np.inf)
        self.reached = np.minimum(self.reached, first)
        self.largest = np.fmax(self.largest, np.fmax.reduce(logs, axis=0))
        self.taken += len(draws)


def largest_wealth(bet: Bet, draws: FloatArray) -> FloatArray:
    """The largest logarithm of the wealth that the draws, shape (n, k), ever bring, shape (k,)."""
    wealth = Wealth(bet, math.inf)
    wealth.take(draws)
    return wealth.largest


def lower_mean(draws: ArrayLike, alpha: float) -> float:
    """The largest number that draws which are never negative, shape (n,), exclude as a bound from above; 0 for none.

    At all times at once the mean lies above such numbers with probability at least 1 - alpha, whatever the law.
    """
    drawn = np.asarray(draws, float)
    centre = float(drawn.mean())
    if not 0.0 < centre < math.inf:
        return 0.0
    return _nearest(drawn, Above, alpha, lambda share: centre * math.exp(-FARTHEST * share), 0.0)


def upper_mean(draws: ArrayLike, alpha: float, ceiling: float = math.inf, ratio: float = math.inf) -> float:
    """The least number that draws with a ceiling or a ratio, shape (n,), exclude as a bound from below.

    The mirror of `lower_mean`; the ceiling, or infinity, where none is excluded.
    """
    drawn = np.asarray(draws, float)
    centre, found = float(drawn.mean()), ceiling
    if not math.isfinite(centre):
        return found
    if math.isfinite(ceiling):
        highest = np.array([ceiling])
        found = _nearest(
            drawn,
            lambda bounds: BelowCeiling(bounds, highest),
            alpha,
            lambda share: centre + share * (ceiling - centre),
            found,
        )
    if math.isfinite(ratio):
        # Of nothing but zeros every bound is as far.
        scale = centre if centre > 0.0 else 1.0
        most = np.array([ratio])
        end = _nearest(
            drawn,
            lambda bounds: BelowRatio(bounds, most),
            alpha,
            lambda share: scale * math.exp(FARTHEST * share),
            math.inf,
        )
        found = min(found, end if centre > 0.0 or math.isinf(end) else 0.0)
    return found


def _nearest(
    draws: FloatArray, bet: Callable[[FloatArray], Bet], alpha: float, bound_at: Callable[[float], float], none: float
) -> float:
    """The excluded bound nearest to the mean, where `bound_at` leads away from it; `none` where there is none."""
    threshold = -math.log(alpha)

    def excluded(share: float) -> bool:
        return bool(largest_wealth(bet(np.array([bound_at(share)])), draws[:, None])[0] >= threshold)

    if not excluded(1.0):
        return none
    near, far = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (near + far)
        near, far = (near, middle) if excluded(middle) else (middle, far)
    return bound_at(far)


# ----------------------------------------------------------------------------------------------------- power


def _log_alpha(alpha: float) -> float:
    """The logarithm that one bettor has to reach for the mean of all of them to be 1/alpha."""
    return LOG_BETTORS - math.log(alpha)


def _two_values(low: FloatArray, high: FloatArray, chance: float) -> FloatArray:
    """Logarithms of the mean of a negative power of a factor, `high` with a chance and else `low`: (stakes, powers)."""
    logs = np.log([low, high])[..., None] * -POWERS
    rest = math.log1p(-chance) if chance < 1.0 else -math.inf
    return np.asarray(np.logaddexp(rest + logs[0], (math.log(chance) if chance > 0.0 else -math.inf) + logs[1]))


def _needed(log_means: FloatArray, powers: FloatArray, alpha: float, missed: float) -> int | None:
    """The draws after which the wealth was not 1/alpha with probability `missed` at most; None for too many."""
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = (powers * _log_alpha(alpha) - math.log(missed)) / -log_means
    useful = draws[log_means < 0.0]
    fewest = math.ceil(useful.min()) if useful.size else MOST_DRAWS + 1
    return int(fewest) if fewest <= MOST_DRAWS else None


def _log_missed(log_means: FloatArray, powers: FloatArray, alpha: float, draws: int) -> float:
    """The logarithm of the probability, at most, that so many draws do not bring the wealth to 1/alpha."""
    return float(min(0.0, np.min(powers * _log_alpha(alpha) + draws * log_means)))


def _below_ceiling(share: float, reserve: float) -> tuple[FloatArray, FloatArray]:
    """Of a bet against a bound that is a `share` of the ceiling, where the mean is `reserve` times the bound."""
    paid = 1.0 + STAKES * share / (1.0 - share)
    return _two_values(paid, 1.0 - STAKES, reserve * share), POWERS


def _below_ratio(ratio: float, reserve: float) -> tuple[FloatArray, FloatArray]:
    """Of a bet with a second moment, by the power -1 alone: 1/f(y) <= 1 + y + y^2/2, as their product is 1 + y^4/4."""
    stakes = STAKES / ratio
    charged = np.log1p(-stakes + 0.5 * stakes**2 * ratio)
    returned = np.log1p(stakes * reserve + 0.5 * (stakes * reserve) ** 2 * ratio)
    return (charged + returned)[:, None], np.array([1.0])


def _above(ratio: float, times: float) -> tuple[FloatArray, FloatArray]:
    """Of a bet against a bound, where the mean is `times` the bound and its class is that of a ratio."""
    return _two_values(1.0 - STAKES, 1.0 + STAKES * (ratio * times - 1.0), 1.0 / ratio), POWERS


@dataclass(frozen=True)
class Law:
    """What is known of the law of draws that are never negative, beside a bound on their mean.

    `share` is the bound over their ceiling, 0 without one, and `ratio` that of their second moment to the square of
    their mean, infinite where none is known.
    """

    share: float = 0.0
    ratio: float = math.inf

    @property
    def is_known(self) -> bool:
        """Whether something keeps the mean from lying in values too rare to be seen."""
        return 0.0 < self.share < 1.0 or math.isfinite(self.ratio)

    def ratio_at(self, times: float) -> float:
        """The ratio of the second moment to the squared mean where that is so many times the bound, at most."""
        by_ceiling = 1.0 / (self.share * times) if self.share > 0.0 else math.inf
        return max(LEAST_RATIO, min(self.ratio, by_ceiling))

    def _bets_below(self, reserve: float) -> list[tuple[FloatArray, FloatArray]]:
        found = [_below_ceiling(self.share, reserve)] if 0.0 < self.share < 1.0 else []
        return found + ([_below_ratio(max(LEAST_RATIO, self.ratio), reserve)] if math.isfinite(self.ratio) else [])

    def _bets_above(self, times: float) -> list[tuple[FloatArray, FloatArray]]:
        ratio = self.ratio_at(times)
        return [_above(ratio, times)] if math.isfinite(ratio) else []

    def draws_to_show_below(self, reserve: float, alpha: float, missed: float) -> int | None:
        """How many draws show that a mean is below a bound of which it is `reserve` times, but with a chance `missed`.

        By the better of the bets that there are. None where `MOST_DRAWS` are too few, or nothing is known of the law.
        """
        return _fewest(self._bets_below(reserve), alpha, missed)

    def draws_to_show_above(self, reserve: float, alpha: float, missed: float) -> int | None:
        """How many draws show that a mean is above a bound that is `reserve` times the mean; None as before."""
        return _fewest(self._bets_above(1.0 / reserve), alpha, missed)

    def missed_below(self, reserve: float, alpha: float, draws: int) -> float:
        """The chance, at most, that so many draws do not show what `draws_to_show_below` is about."""
        return _least_missed(self._bets_below(reserve), alpha, draws)

    def missed_above(self, reserve: float, alpha: float, draws: int) -> float:
        """The chance, at most, that so many draws do not show what `draws_to_show_above` is about."""
        return _least_missed(self._bets_above(1.0 / reserve), alpha, draws)

    def seen_above(self, alpha: float, draws: int, power: float = 0.9) -> float:
        """The least multiple of the bound that so many draws tell from it with the given chance; infinite for none.

        Whatever the law of its kind is.
        """
        top = 1.0 / self.share if self.share > 0.0 else math.exp(FARTHEST)

        def missed(log_times: float) -> bool:
            return not self.missed_above(math.exp(-log_times), alpha, draws) <= 1.0 - power

        near, far = 0.0, math.log(top)
        if far <= 0.0 or missed(far):
            return math.inf
        for _ in range(BISECTIONS):
            middle = 0.5 * (near + far)
            near, far = (middle, far) if missed(middle) else (near, middle)
        return math.exp(far)

    def seen_below(self, alpha: float, draws: int, power: float = 0.9) -> float:
        """The largest share of the bound that so many draws tell from it with the given chance; 0 for none."""

        def missed(reserve: float) -> bool:
            return not self.missed_below(reserve, alpha, draws) <= 1.0 - power

        near, far = 1.0, 0.0
        if missed(far):
            return 0.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (near + far)
            near, far = (middle, far) if missed(middle) else (near, middle)
        return far


def _fewest(bets: list[tuple[FloatArray, FloatArray]], alpha: float, missed: float) -> int | None:
    found = [_needed(*bet, alpha, missed) for bet in bets]
    return min((draws for draws in found if draws is not None), default=None)


def _least_missed(bets: list[tuple[FloatArray, FloatArray]], alpha: float, draws: int) -> float:
    return math.exp(min((_log_missed(*bet, alpha, draws) for bet in bets), default=0.0))
