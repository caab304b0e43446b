"""Exact laws of the norms in a random network of rescaled leaky ReLUs, so that tails are computed, not sampled.

Main definitions: `LeakyChiSquare`, the squared norm ratio of one layer; `path_leaves`, for the norms of all layers
together, and `log_norm_law`, for that of the last; `mean_log_ratio`, the drift of the logarithm of the norm.

A layer of width m whose weights are N(0, gain/m) multiplies the squared norm by an average over its neurons of gain w
z^2, z a standard Gaussian variable and w = 1/(1 + slope^2) or slope^2/(1 + slope^2) with equal chances (guo2024,
(22)-(23)). So the law is the same at slope, -slope and 1/slope, that of ReLU at 0 and chi2_m gain/(2 m) at -1.

Written by hand: packages for quadratic forms in Gaussian variables (chi2comb, momentchi2) have no mixtures of them, and
no tails with a stated relative error.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bounds.laws.layers import Bracket, FloatArray

Complex = NDArray[np.complex128]

#: What is promised of the relative error of a tail; seen are 1e-11 and less.
TAIL_ERROR = 1e-9

# Errors of the trapezoidal rule are damped to exp(-DAMPING), and terms smaller than NEGLIGIBLE times the sum dropped.
DAMPING = 38.0
NEGLIGIBLE = 1e-17
NODE_BLOCK = 32
MOST_NODES = 1 << 13
LEAST_BEND = 0.1
LEAST_LEVEL = -760.0
CROSSINGS = 1000


@dataclass(frozen=True)
class LeakyChiSquare:
    """Law of ||h_l||^2/||h_{l-1}||^2 for a layer of m rescaled leaky ReLUs whose weights are N(0, gain/m).

    The ratio is (gain/((1 + slope^2) m)) (chi2_K + slope^2 chi2_{m-K}) with K ~ Binomial(m, 1/2): mean gain/2, and for
    the gain 2 variance c/m with c = 6 (1 + slope^4)/(1 + slope^2)^2 - 1, from 2 at -1 and 1 to 5 at 0.

    `sf` and `cdf` take scalars or arrays. The smaller of the two has a relative error of at most `TAIL_ERROR`, or is 0
    where it is below the least float. Raises ValueError for a width below 1, or a slope or gain out of range.
    """

    m: int
    slope: float
    gain: float = 2.0

    def __post_init__(self) -> None:
        if not (self.m >= 1 and int(self.m) == self.m):
            raise ValueError(f"a width must be a whole number of at least 1: found m={self.m!r}")
        if not (math.isfinite(self.slope) and 0.0 < self.gain < math.inf):
            raise ValueError(
                f"the slope must be finite, the gain positive: found slope={self.slope!r}, gain={self.gain!r}"
            )

    @property
    def shares(self) -> tuple[float, float]:
        """What a neuron above 0 and one below 0 contribute, in units of gain z^2/m."""
        square = self.slope * self.slope
        return 1.0 / (1.0 + square), square / (1.0 + square)

    def mean(self) -> float:
        """Expectation: 1 for the gain 2."""
        return self.gain / 2.0

    def var(self) -> float:
        """Variance: c/m for the gain 2."""
        above, below = self.shares
        return self.gain**2 / (4.0 * self.m) * (6.0 * (above**2 + below**2) - 1.0)

    def sf(self, t: ArrayLike) -> Any:
        """Probability of a value above t."""
        return self._all(t, 1)

    def cdf(self, t: ArrayLike) -> Any:
        """Probability of a value of at most t."""
        return self._all(t, 0)

    def _all(self, t: ArrayLike, which: int) -> Any:
        """One of the two tails; at 0 stands the chance that no neuron of a ReLU layer is above 0."""
        values = np.asarray(t, np.float64)
        dead = 0.5**self.m if self.slope == 0.0 else 0.0
        below = np.where(values == 0.0, dead, 0.0)
        found = np.where(which == 0, below, 1.0 - below)
        positive = values > 0.0
        found[positive | np.isnan(values)] = self.tails(values[positive | np.isnan(values)])[which]
        return float(found) if found.ndim == 0 else found

    def log_transform(self, z: Any) -> Any:
        """log E exp(z X) for real or complex z off the half-line where it is infinite."""
        one, other = self._factors(z)
        return self.m * np.log(0.5 * one + 0.5 * other)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Independent values, drawn as the law is written."""
        above = rng.binomial(self.m, 0.5, size)
        first, second = rng.standard_gamma(0.5 * above), rng.standard_gamma(0.5 * (self.m - above))
        return 2.0 * self.gain / self.m * (self.shares[0] * first + self.shares[1] * second)

    def _factors(self, z: Any) -> tuple[Any, Any]:
        """(1 - 2 a z)^(-1/2) for the two scales a of a neuron."""
        first, second = (2.0 * self.gain / self.m * share for share in self.shares)
        return 1.0 / np.sqrt(1.0 - first * z), 1.0 / np.sqrt(1.0 - second * z)

    def _derivatives(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The first three derivatives of the log transform at real arguments."""
        one, other = self._factors(u)
        scales = [2.0 * self.gain / self.m * share for share in self.shares]
        # The k-th derivative of (1 - a u)^(-1/2) is (1/2)(3/2)...(k - 1/2) a^k times its (2 k + 1)-th power.
        n0, n1, n2, n3 = (
            coefficient * sum(a**k * factor ** (2 * k + 1) for a, factor in zip(scales, (one, other), strict=True))
            for k, coefficient in enumerate((0.5, 0.25, 0.375, 0.9375))
        )
        first, second, third = n1 / n0, n2 / n0, n3 / n0
        return (self.m * first, self.m * (second - first**2), self.m * (third - 3.0 * second * first + 2.0 * first**3))

    def tails(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(X <= t) and P(X > t): (k,) each.

        The inversion integral of exp(K(z) - z t)/z, K the log transform, over a parabola that opens to the right, where
        exp(-z t) decays, around the half-line on which K has no value: between 0 and that line for P(X > t), and left
        of 0 for P(X <= t). It crosses the real axis where the integrand is least, and is bent as the path of
        steepest descent of K is. The trapezoidal rule has errors of the size of the integrand at the ends of the strip
        in which it is analytic, damped by its step (Trefethen and Weideman 2014).
        """
        if not ((t > 0.0) & (t < math.inf)).all():
            raise ValueError("a tail was asked for at a number that is not positive and finite")
        above = t >= self.mean()
        side = np.where(above, 1.0, -1.0)
        u = self._crossing(t, above)
        level = self.log_transform(u) - u * t
        _, second, third = self._derivatives(u)
        # At the slope 0 the integrand stays at the size 2^-m of an atom, where its path would bend little or backwards.
        kappa = np.maximum(third / (6.0 * second), LEAST_BEND / (self._end() + np.abs(u)))
        # In the strip |Im y| < h the parabola meets the real axis between u - h - kappa h^2 and u + h - kappa h^2. On
        # the one side it may go as far as the pole, on the other half way to the half-line, or by u once more.
        bent = 4.0 * kappa * np.abs(u)
        towards = 2.0 * np.abs(u) / (1.0 + np.sqrt(1.0 + bent * above))
        away = np.where(above, np.minimum(0.5 * (self._end() - u), u), np.abs(u) / (1.0 + 0.25 * bent))
        place = u + side * away - kappa * away**2
        rise = self.log_transform(place) - place * t - level
        # What is below the least float is 0 whatever its digits.
        level = np.maximum(level, LEAST_LEVEL)
        period = np.maximum((DAMPING - level) / towards, (DAMPING + np.maximum(rise, 0.0)) / away)
        step = 2.0 * math.pi / period
        total = np.zeros_like(t)
        for start in range(0, MOST_NODES, NODE_BLOCK):
            y = step[:, None] * np.arange(start, start + NODE_BLOCK)
            z = u[:, None] + 1j * y + kappa[:, None] * y**2
            shares = np.where(y == 0.0, 1.0, 2.0)
            exponent = self.log_transform(z) - z * t[:, None] - level[:, None]
            terms = (np.exp(exponent) * (1.0 - 2j * kappa[:, None] * y) / z).real * shares
            total += terms.sum(axis=1)
            if bool((np.abs(terms[:, -8:]).max(axis=1) <= NEGLIGIBLE * np.abs(total)).all()):
                break
        else:
            raise ValueError(f"m={self.m}, slope={self.slope:g}: the inversion does not settle; ask for more neurons")
        tail = np.clip(side * np.exp(level) * total / period, 0.0, 1.0)
        return np.where(above, 1.0 - tail, tail), np.where(above, tail, 1.0 - tail)

    def _end(self) -> float:
        """Where the transform ceases to exist."""
        return self.m / (2.0 * self.gain * max(self.shares))

    def _crossing(self, t: FloatArray, above: NDArray[np.bool_]) -> FloatArray:
        """About the zero of K'(u) - t - 1/u, right of 0 or left of it: any u there would do."""
        right = self._end() * special.expit(np.linspace(-40.0, 25.0, CROSSINGS))
        left = -self._end() * np.geomspace(1e90, 1e-12, CROSSINGS)
        found = []
        for u in (right, left):
            levels = self._derivatives(u)[0] - 1.0 / u
            found.append(np.interp(t, levels, u))
        return np.where(above, found[0], found[1])


# ----------------------------------------------------------------------------------------- the mean logarithm

# Nodes of the trapezoidal rule in the logarithm of the argument: the integrands are analytic in a strip of half-width
# pi/2 at least, so that a step of 1/5 leaves an error of exp(-49).
LOG_STEP = 0.2
LOG_REACH = 60.0


def mean_log_ratio(m: int, slope: float, low: int = 0, high: int | None = None) -> float:
    """E[log X | low <= K <= high] of the law `LeakyChiSquare(m, slope)`, K the number of neurons above 0.

    The integral of exp(-e^v) - E exp(-e^v X) over all v (Frullani), and at the slope 0 digamma functions: minus
    infinity where K can be 0.
    """
    last = m if high is None else high
    if slope == 0.0 and low < 1:
        return -math.inf
    above, below = LeakyChiSquare(m, slope).shares
    k = np.arange(low, last + 1)
    log_weight = special.gammaln(m + 1.0) - special.gammaln(k + 1.0) - special.gammaln(m - k + 1.0)
    weight = np.exp(log_weight - special.logsumexp(log_weight))
    if slope == 0.0:
        return float(weight @ (special.digamma(0.5 * k) - math.log(0.25 * m)))
    # Far out the second exponential is below exp(-(v + log(b/m)) m/2), b the smaller share that is not 0.
    end = LOG_REACH + math.log(m) - math.log(min(share for share in (above, below) if share > 0.0))
    v = np.arange(-LOG_REACH, end + (2.0 * LOG_REACH if low <= 1 else 0.0), LOG_STEP)
    s = np.exp(v)
    exponents = -0.5 * (np.outer(k, np.log1p(4.0 * above / m * s)) + np.outer(m - k, np.log1p(4.0 * below / m * s)))
    return float(LOG_STEP * np.sum(np.exp(-s) - weight @ np.exp(exponents)))


# ----------------------------------------------------------------------------------------- all layers

# Points of the lattice across the widest of the bands; standard deviations after which a sum without limits, and one
# difference, count as far away.
POINTS = 400
REACH = 9.0
CELL_REACH = 14.0
REACH_DOWN = 160.0


def path_leaves(
    m: int,
    slope: float,
    lows: ArrayLike,
    highs: ArrayLike,
    gain: float = 2.0,
    *,
    from_input: bool = True,
    points: int = POINTS,
) -> Bracket:
    """Bracket the probability that S_l = log ||h_l||^2 is outside of [lows[l], highs[l]] for some l = 0..L.

    S_0 is the logarithm of chi2_m/m, or 0 without `from_input`, and the differences are independent, with the law
    `LeakyChiSquare(m, slope, gain)`. Limits may be infinite. The sums are followed on a lattice, with the probabilities
    of its cells: after l differences a sum is off by at most (l + 1)/2 steps, by which the limits are moved in or out.
    What has left is added up, so that small probabilities keep their digits. What is far away counts as outside for
    the upper end alone.
    """
    law, start = LeakyChiSquare(m, slope, gain), LeakyChiSquare(m, -1.0)
    low, high = np.asarray(lows, np.float64), np.asarray(highs, np.float64)
    layers = np.arange(low.size)
    spread = law.var() / law.mean() ** 2
    deviation = REACH * np.sqrt((start.var() if from_input else 0.0) + layers * spread) + 1e-9
    drift = layers * (math.log(law.mean()) - 0.5 * spread)
    near = np.where(np.isfinite(low), low, drift - deviation)
    far = np.where(np.isfinite(high), high, drift + deviation)
    if not bool((near < far).all()):
        return Bracket(0.0, 1.0)
    step = float((far - near).max() / points)
    found = []
    for outer in (False, True):
        shift = (0.5 if outer else -0.5) * step * (layers + (1.0 if from_input else 0.0))
        first, last = np.ceil((near + shift) / step).astype(int), np.floor((far - shift) / step).astype(int)
        if bool((first > last).any()):
            return Bracket(0.0, 1.0)
        counted = np.stack([np.isfinite(low), np.isfinite(high)]) | outer
        found.append(_leaving(law, start if from_input else None, step, first, last, counted, outer))
    room = 1.0 + (low.size + 1) * TAIL_ERROR
    return Bracket(float(found[0] / room), float(min(1.0, found[1] * room)))


def _leaving(
    law: LeakyChiSquare,
    start: LeakyChiSquare | None,
    step: float,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    counted: NDArray[np.bool_],
    outer: bool,
) -> float:
    """The probability that a sum on the lattice is ever outside of first..last, where that is counted."""
    places, chance, left = np.array([0]), np.array([1.0]), 0.0
    # No difference that stays inside is longer.
    most = int(max(last.max(), 0) - min(first.min(), 0))
    for layer in range(first.size):
        if layer == 0 and start is None:
            continue
        cells = _cells(law if layer else start or law, step, most)
        left += counted[0, layer] * float(chance @ cells.below(first[layer] - places, outer))
        left += counted[1, layer] * float(chance @ cells.above(last[layer] - places, outer))
        moved = np.convolve(chance, cells.chance)
        begin = int(places[0]) + cells.lowest
        places = np.arange(first[layer], last[layer] + 1)
        chance = np.zeros(places.size)
        inside = (places >= begin) & (places < begin + moved.size)
        chance[inside] = moved[places[inside] - begin]
    return left


@dataclass(frozen=True)
class _Cells:
    """The law of log X rounded to a lattice: chance[i] that it is at lowest + i, and the tails at the edges.

    down[i] is the chance that it is below lowest + i, and up[i] that it is above lowest + i - 1.
    """

    lowest: int
    chance: FloatArray
    down: FloatArray
    up: FloatArray

    def below(self, index: NDArray[np.int64], outer: bool) -> FloatArray:
        """P(lattice < index); beyond the lattice that at its end, or 0 where `outer` is false."""
        at = np.clip(index - self.lowest, 0, self.chance.size)
        return np.where((index < self.lowest) & (not outer), 0.0, self.down[at])

    def above(self, index: NDArray[np.int64], outer: bool) -> FloatArray:
        """P(lattice > index), likewise."""
        at = np.clip(index - self.lowest + 1, 0, self.chance.size)
        return np.where((index - self.lowest >= self.chance.size) & (not outer), 0.0, self.up[at])


@functools.lru_cache(maxsize=32)
def _cells(law: LeakyChiSquare, step: float, most: int | None = None) -> _Cells:
    """The cells of log X within CELL_REACH standard deviations, and of at most so many steps; further down, where few
    neurons may leave little of the norm, by REACH_DOWN/m."""
    deviation, centre = CELL_REACH * math.sqrt(law.var()) / law.mean(), math.log(law.mean())
    lowest = math.floor((centre - max(deviation, REACH_DOWN / law.m)) / step)
    highest = math.ceil((centre + min(deviation, 30.0)) / step)
    if most is not None:
        lowest, highest = max(lowest, -most), min(highest, most)
    cdf, sf = law.tails(np.exp((np.arange(lowest, highest + 2) - 0.5) * step))
    rising = np.arange(lowest, highest + 1) * step < centre
    return _Cells(lowest, np.maximum(np.where(rising, np.diff(cdf), -np.diff(sf)), 0.0), cdf, sf)


@dataclass(frozen=True)
class LogNormLaw:
    """The law of ||h_L||^2, or of its product of ratios, as its distribution function on a lattice of logarithms."""

    at: FloatArray
    probability: FloatArray

    def cdf(self, t: ArrayLike) -> Any:
        """P(||h_L||^2 <= t), linear between the points of the lattice, below which silent networks are, at 0."""
        t = np.asarray(t, np.float64)
        with np.errstate(divide="ignore"):
            found = np.interp(np.log(np.maximum(t, 0.0)), self.at, self.probability, right=1.0)
        return np.where(t < 0.0, 0.0, found)


@functools.lru_cache(maxsize=64)
def log_norm_law(m: int, L: int, slope: float, *, from_input: bool = True, points: int = POINTS) -> LogNormLaw:
    """The law of ||h_L||^2 for an input of norm 1, or of ||h_L||^2/||h_0||^2 without `from_input`.

    Off by the rounding of L + 1 logarithms to a lattice of so many points within REACH standard deviations of a layer.
    """
    law, start = LeakyChiSquare(m, slope), LeakyChiSquare(m, -1.0)
    step = 2.0 * REACH * math.sqrt(law.var()) / points
    cells = [*([start] if from_input else []), *[law] * L]
    chance, lowest, below = np.array([1.0]), 0, 0.0
    for part in (_cells(each, step) for each in cells):
        # What is further down than the lattice goes stays below all of it.
        below += (1.0 - below) * float(part.down[0])
        chance, lowest = np.convolve(chance, part.chance), lowest + part.lowest
    at = (lowest + np.arange(chance.size) + 0.5) * step
    return LogNormLaw(np.asarray(at, np.float64), np.minimum(below + np.cumsum(chance), 1.0))
