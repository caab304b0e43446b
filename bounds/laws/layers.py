"""Exact probability laws of a Gaussian ReLU layer, so that tails are computed rather than sampled.

Main definitions: `MaskedChiSquare`, the squared norm ratio of one layer; `sample_norm_path` and
`layer_product_tail`, the product of the ratios of several layers; `SmallPreactivations`, the number of
pre-activations near zero; `relu_covariance`, `correlation_map` and `separation_map`, the infinite-width
angle between two inputs; `chernoff_rate` and `explicit_constant_A1`, the exact rate function of the squared
norm and the constant it gives.

Written by hand: the logarithms of tails in scipy (`gamma.logsf`, `chi2.logsf`, `beta.logsf`) are minus infinity below
1e-308, and python-flint takes 50 microseconds a tail against 0.2 here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LogGamma = Callable[[FloatArray, FloatArray], FloatArray]

LOG_TWO = math.log(2.0)

# Below this, tails from scipy come too near to underflow, and series or continued fractions give their
# logarithms.
UNDERFLOW_GUARD = 1e-280

# Terms of a mixture sum smaller than exp(-CUTOFF) times the largest are dropped: about 1e-20 of the sum in
# all.
CUTOFF = 50.0

# Entries of a table of (values of t) x (values of K) that are held at once.
TABLE_ENTRIES = 1 << 20

UNIT = float(np.finfo(np.float64).eps)

# Series and fractions stop when a step changes them by less than a few units in the last place.
STEP_TOLERANCE = 4.0 * UNIT
MOST_STEPS = 100_000


def _width(m: int) -> int:
    """The width as an int; refuses anything but whole numbers from 1 on."""
    if not (m >= 1 and int(m) == m):
        raise ValueError(f"a width must be a whole number of at least 1: found m={m!r}")
    return int(m)


def _as_given(values: FloatArray) -> Any:
    """A float for a scalar argument, an array for an array argument."""
    return float(values) if values.ndim == 0 else values


# ----------------------------------------------------------------------------------------- special functions


def _stirling_remainder(a: Any) -> Any:
    """Log-gamma(a) minus (a - 1/2) log a - a + log(2 pi)/2, for real or complex a with Re a >= 20.

    Asymptotic series with Bernoulli numbers (DLMF 5.11.1); the first omitted term is below 1e-17 at a = 20.
    """
    r = 1.0 / a
    s = r * r
    return r * (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s * (1.0 / 1680.0 - s / 1188.0))))


def _log_gamma_ratio(a: Any, z: Any) -> Any:
    """log Gamma(a + z) - log Gamma(a) for real a > 0 and z, real or complex, with Re(a + z) > 0.

    For large a both terms are huge and nearly equal; Stirling's formula lets the large parts cancel by hand.
    """
    a, z = np.broadcast_arrays(a, z)
    large = (a >= 20.0) & (a + z.real >= 20.0)
    safe = np.where(large, a, 40.0)
    shift = np.where(large, z, 0.0)
    far = (safe + shift - 0.5) * special.log1p(shift / safe) + shift * (np.log(safe) - 1.0)
    far = far + _stirling_remainder(safe + shift) - _stirling_remainder(safe)
    start = np.where(large, 1.0, a)
    near = special.loggamma(start + np.where(large, 0.0, z)) - special.gammaln(start)
    return np.where(large, far, near)


def _log_gamma_density(a: FloatArray, x: FloatArray) -> FloatArray:
    """Log of x^a e^(-x) / Gamma(a + 1), by deviance for large a so that no digits cancel."""
    safe = np.maximum(a, 20.0)
    deviance = -special.kl_div(safe, x) - 0.5 * np.log(2.0 * math.pi * safe) - _stirling_remainder(safe)
    density: FloatArray = np.where(a >= 20.0, deviance, special.xlogy(a, x) - x - special.gammaln(a + 1.0))
    return density


def _log_upper_gamma(a: FloatArray, x: FloatArray) -> FloatArray:
    """Log of Q(a, x) = Gamma(a, x)/Gamma(a), x > 0, a >= 0; far out by Legendre's continued fraction."""
    tail = special.gammaincc(a, x)
    far = (tail < UNDERFLOW_GUARD) & (a > 0.0)
    with np.errstate(divide="ignore"):
        result: FloatArray = np.log(tail)
    if far.any():
        s, y = a[far], x[far]
        b = y + 1.0 - s
        c, d = np.full_like(b, 1e300), 1.0 / b
        fraction = d.copy()
        for step in range(1, MOST_STEPS):
            numerator = -step * (step - s)
            b = b + 2.0
            d = 1.0 / (numerator * d + b)
            c = b + numerator / c
            fraction = fraction * (c * d)
            if bool(np.all(np.abs(c * d - 1.0) <= STEP_TOLERANCE)):
                break
        else:
            raise ArithmeticError(f"the incomplete gamma fraction did not settle at a={s.max():g}")
        result[far] = _log_gamma_density(s, y) + np.log(s * fraction)
    return result


def _log_lower_gamma(a: FloatArray, x: FloatArray) -> FloatArray:
    """Log of P(a, x) = 1 - Q(a, x), x > 0, a >= 0; far out by its power series."""
    tail = special.gammainc(a, x)
    far = tail < UNDERFLOW_GUARD
    with np.errstate(divide="ignore"):
        result: FloatArray = np.log(tail)
    if far.any():
        s, y = a[far], x[far]
        term = np.ones_like(s)
        total = term.copy()
        for step in range(1, MOST_STEPS):
            term = term * y / (s + step)
            total = total + term
            if bool(np.all(term <= STEP_TOLERANCE * total)):
                break
        else:
            raise ArithmeticError(f"the incomplete gamma series did not settle at a={s.max():g}")
        result[far] = _log_gamma_density(s, y) + np.log(total)
    return result


def _log_binomial(k: ArrayLike, n: int, p: float) -> FloatArray:
    """Log of the binomial probability; short of underflow, scipy's pmf keeps digits its logpmf loses."""
    pmf = np.asarray(scipy.stats.binom.pmf(k, n, p), np.float64)
    safe = pmf > UNDERFLOW_GUARD
    # Most are, and a call of either function costs more than what it computes.
    if safe.all():
        return np.log(pmf)
    with np.errstate(divide="ignore"):
        return np.where(safe, np.log(pmf), scipy.stats.binom.logpmf(k, n, p))


# ------------------------------------------------------------------------------------------------- one layer


@dataclass(frozen=True)
class MaskedChiSquare:
    """Law of ||Sigma W^T a||^2 / ||a||^2 for a ReLU layer of m outputs whose weights are N(0, gain/m).

    Sigma is the activation pattern of any input and a any vector, both independent of W. Every output is
    active with probability 1/2 independently of the size of its response, so the ratio is (gain/m) chi2_K
    with K ~ Binomial(m, 1/2): mean gain/2, variance 5 gain^2/(4 m), and an atom of mass 2^-m at 0 (zou2018,
    proofs of Lemmas A.1 and A.8).

    All methods take scalars or arrays. Tails are sums of positive terms in the log domain, with a relative
    error of about 1e-10 however small they are.
    """

    m: int
    gain: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _width(self.m))
        if not 0.0 < self.gain < math.inf:
            raise ValueError(f"the gain must be positive and finite: found {self.gain!r}")

    def mean(self) -> float:
        """Expectation: 1 for the gain 2."""
        return self.gain / 2.0

    def var(self) -> float:
        """Variance: 5/m for the gain 2."""
        return 1.25 * self.gain**2 / self.m

    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.var())

    def atom(self) -> float:
        """Probability of the value 0: no output is active."""
        return math.ldexp(1.0, -self.m) if self.m < 1100 else 0.0

    def logsf(self, t: ArrayLike) -> Any:
        """Log of the probability of a value above t."""
        return self._log_tail(t, _log_upper_gamma, below=0.0, at_zero=math.log1p(-self.atom()))

    def logcdf(self, t: ArrayLike) -> Any:
        """Log of the probability of a value of at most t."""
        return self._log_tail(t, _log_lower_gamma, below=-math.inf, at_zero=-self.m * LOG_TWO)

    def sf(self, t: ArrayLike) -> Any:
        """Probability of a value above t."""
        return _as_given(np.asarray(np.exp(self.logsf(t))))

    def cdf(self, t: ArrayLike) -> Any:
        """Probability of a value of at most t."""
        return _as_given(np.asarray(np.exp(self.logcdf(t))))

    def isf(self, p: ArrayLike) -> Any:
        """The smallest t with sf(t) <= p."""
        return self._quantiles(p, upper=True)

    def ppf(self, q: ArrayLike) -> Any:
        """The smallest t with cdf(t) >= q."""
        return self._quantiles(q, upper=False)

    def moment(self, theta: float) -> float:
        """E[X^theta; X > 0], finite for theta > -1/2."""
        return math.exp(self.log_moment(theta))

    def log_moment(self, theta: float, least_active: int = 1) -> float:
        """log E[X^theta; K >= least_active], finite for theta > -least_active/2; for Chernoff bounds."""
        return _LogMoment(self.m, self.gain, least_active, self.m).real(theta)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> FloatArray:
        """Independent values, drawn as the law is written."""
        active = rng.binomial(self.m, 0.5, size)
        return 2.0 * self.gain / self.m * rng.standard_gamma(0.5 * active)

    def _log_tail(self, t: ArrayLike, log_gamma: LogGamma, below: float, at_zero: float) -> Any:
        values = np.asarray(t, np.float64)
        if np.isnan(values).any():
            raise ValueError("a tail was asked for at NaN: check the formula that gives the threshold")
        result = np.full(values.shape, below)
        result[values == 0.0] = at_zero
        result[values == np.inf] = 0.0 if below else -np.inf
        positive = np.flatnonzero((values.ravel() > 0.0) & (values.ravel() < np.inf))
        order = positive[np.argsort(values.ravel()[positive])]
        # t m / (2 gain) is the argument of the incomplete gamma function of order K/2.
        scaled = np.minimum(values.ravel()[order] * (self.m / (2.0 * self.gain)), 1e300)
        flat = result.reshape(-1)
        start = 0
        while start < order.size:
            block = scaled[start : start + max(1, TABLE_ENTRIES // (2 * self._half_window + 1))]
            # The law of K given a tail event moves up with t, so the windows of the two ends cover the block.
            low, _ = self._window(block[0], log_gamma)
            _, high = self._window(block[-1], log_gamma)
            table = self._log_terms(np.arange(low, high + 1)[None, :], block[:, None], log_gamma)
            flat[order[start : start + block.size]] = special.logsumexp(table, axis=1)
            start += block.size
        return _as_given(np.minimum(flat.reshape(values.shape), 0.0))

    def _log_terms(self, k: IntArray, x: FloatArray, log_gamma: LogGamma) -> FloatArray:
        """Log of P(K = k) times the tail at x of the gamma law of order k/2."""
        a, y = np.broadcast_arrays(0.5 * k, x)
        return _log_binomial(k, self.m, 0.5) + log_gamma(a, y)

    @cached_property
    def _half_window(self) -> int:
        """Distance from the largest term beyond which terms are dropped.

        The second difference of the log of the binomial probability is at most -log(1 + 4/m). Q(a, x) and
        P(a, x) are log-concave in a (an indicator of a half-line is log-concave, and the gamma densities
        form a totally positive convolution semigroup; Karlin and Proschan 1960), so a term at distance d
        from the largest is smaller by a factor of at least exp(log(1 + 4/m) d (d - 1)/2).
        """
        return min(self.m, math.ceil(math.sqrt(2.0 * CUTOFF / math.log1p(4.0 / self.m))) + 2)

    def _window(self, x: float, log_gamma: LogGamma) -> tuple[int, int]:
        """Range of k outside which the terms do not count; the largest term is found by bisection."""
        low, high = 0, self.m
        while low < high:
            middle = (low + high) // 2
            here, there = log_gamma(np.array([0.5 * middle, 0.5 * middle + 0.5]), np.array([x, x]))
            # Of the binomial probabilities only the ratio is asked, which is (m - k)/(k + 1).
            rises = here == -math.inf or there - here > math.log((middle + 1) / (self.m - middle))
            low, high = (middle + 1, high) if rises else (low, middle)
        return max(0, low - self._half_window), min(self.m, low + self._half_window)

    def _quantiles(self, p: ArrayLike, upper: bool) -> Any:
        levels = np.asarray(p, np.float64)
        if not ((levels >= 0.0) & (levels <= 1.0)).all():
            raise ValueError("a quantile was asked for at a level outside [0, 1]")
        found = np.array([self._quantile(float(level), upper) for level in levels.ravel()])
        return _as_given(found.reshape(levels.shape))

    def _quantile(self, level: float, upper: bool) -> float:
        """Root of the log tail in log t, whichever tail is asked for."""
        if level == (0.0 if upper else 1.0):
            return math.inf
        log_tail = self.logsf if upper else self.logcdf
        target = math.log(level) if level > 0.0 else -math.inf
        if (target >= log_tail(0.0)) if upper else (target <= log_tail(0.0)):
            return 0.0

        def excess(log_t: float) -> float:
            return float(log_tail(math.exp(log_t))) - target

        sign = 1.0 if upper else -1.0
        low = high = math.log(self.mean())
        step = 4.0 * self.std() / self.mean()
        while sign * excess(low) < 0.0:
            low, step = low - step, 2.0 * step
            if low < -700.0:
                return 0.0
        while sign * excess(high) > 0.0:
            high, step = high + step, 2.0 * step
        return math.exp(low if low == high else float(scipy.optimize.brentq(excess, low, high, xtol=1e-14)))


# -------------------------------------------------------------------------------------------- several layers


class _LogMoment:
    """log E[X^z; low <= K <= high] for the law `MaskedChiSquare(m, gain)` and complex z, Re z > -low/2."""

    def __init__(self, m: int, gain: float, low: int, high: int) -> None:
        self.k = np.arange(low, high + 1)
        self.log_weight = _log_binomial(self.k, m, 0.5)
        self.log_scale = math.log(2.0 * gain / m)

    def real(self, theta: float) -> float:
        """The value at a real argument; infinite where the moment does not exist."""
        if not theta > -0.5 * float(self.k[0]):
            return math.inf
        terms = self.log_weight + _log_gamma_ratio(0.5 * self.k, np.float64(theta)).real
        return float(special.logsumexp(terms)) + theta * self.log_scale

    def slope_at_zero(self) -> float:
        """Mean of log X given X > 0, by a central difference; decides only which tail is computed first."""
        return (self.real(1e-4) - self.real(-1e-4)) / 2e-4

    def variance(self, l: int) -> float:  # noqa: E741
        """Variance of the sum of l log ratios, by a second difference; a guess that no bound relies on."""
        return l * abs(self.real(0.01) + self.real(-0.01) - 2.0 * self.real(0.0)) / 1e-4

    def on_line(self, z: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], FloatArray]:
        """The values at a vector of arguments, and bounds of their real parts that fall as |Im z| grows."""
        values, ceilings = np.empty(z.shape, np.complex128), np.empty(z.shape)
        block = max(1, TABLE_ENTRIES // (4 * self.k.size))
        for start in range(0, z.size, block):
            part = z[start : start + block]
            terms = self.log_weight + _log_gamma_ratio(0.5 * self.k[None, :], part[:, None])
            top = terms.real.max(axis=1)
            sums = np.exp(terms - top[:, None])
            values[start : start + block] = np.log(sums.sum(axis=1)) + top + part * self.log_scale
            ceilings[start : start + block] = np.log(np.abs(sums).sum(axis=1)) + top + part.real * self.log_scale
        return values, ceilings


def sample_norm_path(
    m: int, L: int, rng: np.random.Generator, size: int, gain: float = 2.0, tilt: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Log ratios of L successive layers, shape (size, L), and log importance weights, shape (size,).

    The ratios are independent, with the law of `MaskedChiSquare(m, gain)`; a dead layer gives -inf. With
    `tilt` > 0 every ratio X is drawn from its law weighted by X^tilt, which makes products far above 1
    common; the mean of exp(log weight) * f(path) is still the expectation of f. Without tilt the weights
    are 1. With tilt 1 the drawn K is 1 + Binomial(m - 1, 1/2) and the degrees of freedom are K + 2.
    """
    if not 0.0 <= tilt < math.inf:
        raise ValueError(f"the tilt must be a number of at least 0: found {tilt!r}")
    width = _width(m)
    scale = 2.0 * gain / width
    if tilt == 0.0:
        draws = MaskedChiSquare(width, gain).sample(rng, (size, L))
        with np.errstate(divide="ignore"):
            return np.log(draws), np.zeros(size)
    moment = _LogMoment(width, gain, 1, width)
    log_chance = moment.log_weight + _log_gamma_ratio(0.5 * moment.k, np.float64(tilt)).real
    chance = np.exp(log_chance - log_chance.max())
    cumulative = np.cumsum(chance)
    positions = np.searchsorted(cumulative, rng.random((size, L)) * cumulative[-1], side="right")
    active = moment.k[np.minimum(positions, width - 1)]
    log_ratios = np.log(scale * rng.standard_gamma(0.5 * active + tilt))
    return log_ratios, L * moment.real(tilt) - tilt * log_ratios.sum(axis=1)


class Bracket(NamedTuple):
    """Bounds of a probability."""

    lower: float
    upper: float

    def plus(self, least: float, most: float) -> Bracket:
        """The bracket after adding a probability between `least` and `most`, rounded outwards."""
        lower, upper = (self.lower + least) * (1.0 - 4.0 * UNIT), (self.upper + most) * (1.0 + 4.0 * UNIT)
        return Bracket(lower, min(1.0, upper))

    def complement(self) -> Bracket:
        """The bracket of one minus the probability, rounded outwards."""
        return Bracket(max(0.0, 1.0 - self.upper - UNIT), min(1.0, 1.0 - self.lower + UNIT))

    def narrower(self, other: Bracket) -> Bracket:
        """The part common to both."""
        return Bracket(max(self.lower, other.lower), min(self.upper, other.upper))


@dataclass(frozen=True)
class ProductTail:
    """Brackets of P(product < t) and P(product > t)."""

    below: Bracket
    above: Bracket


# Up to the first width every K is summed; beyond it those within the second times sqrt(m) of m/2. The
# others have a probability below 2 exp(-200) by Hoeffding, and it is added to the bracket.
FULL_WIDTH = 2048
HALF_RANGE = 10.0

# Aliases in the inversion are damped to exp(-ALIAS_DAMPING) of the tail, well below rounding.
ALIAS_DAMPING = 40.0
NODE_BLOCK = 32
MOST_NODES = 1 << 14

# A bracket this narrow, relative to the probability, needs no refinement.
NARROW = 1e-6

# Relative error allowed for a binomial probability or a gamma function; below a fifth of it was seen for
# m <= 10^6.
SPECIAL_ERROR = 1e-11


def layer_product_tail(m: int, l: int, t: float, gain: float = 2.0) -> ProductTail:  # noqa: E741
    """Bracket the probability that the squared norm ratio over l layers of width m is below t, and above t.

    The sum S of the log ratios has the transform M(z)^l, M(z) = E[X^z; X > 0]. On the vertical line through
    u > 0 the trapezoidal rule of step 2 pi/D for the inverse transform at y = log t gives exactly, by
    Poisson's summation formula,

        sum over integers j of exp(u j D) P(S > y + j D).

    Wanted is the term j = 0. The terms j < 0 sum to at most 1/(exp(u D) - 1); those with j > 0 are bounded
    by Markov's inequality at a point right of u. For u < 0 the same holds with P(S <= y) and the signs of j
    exchanged. What lies beyond the last node is bounded by the decay of |Gamma(a + i w)| in w, whose
    logarithm falls with a slope of at least arctan(w/a). Rounding is allowed for generously. Method: Abate
    and Whitt 1992; the bounds are our own.
    """
    width = _width(m)
    if not (l >= 1 and int(l) == l):
        raise ValueError(f"the number of layers must be a whole number of at least 1: found l={l!r}")
    if not 0.0 < t < math.inf:
        raise ValueError(f"the threshold must be positive and finite: found t={t!r}")
    y = math.log(t)
    reach = width if width <= FULL_WIDTH else math.ceil(HALF_RANGE * math.sqrt(width))
    lowest, high = max(1, width // 2 - reach), min(width, width // 2 + reach)
    whole = _LogMoment(width, gain, lowest, high)
    if y >= l * whole.slope_at_zero():
        above = _inverted_tail(whole, l, y, 1.0).plus(0.0, l * _outside(width, lowest, high))
        return ProductTail(above.complement(), above)
    best = Bracket(0.0, 1.0)
    # Leaving out small K lets the line move left, where small tails are resolved; their probability is
    # added instead.
    low = max(lowest, width // 4)
    while True:
        tail = _inverted_tail(_LogMoment(width, gain, low, high), l, y, -1.0)
        left_out = l * _outside(width, low, high)
        best = best.narrower(tail.plus(0.0, left_out))
        resolved = best.upper - best.lower <= NARROW * best.lower
        if resolved or low == lowest or tail.upper - tail.lower >= left_out:
            break
        low = max(lowest, low // 2)
    dead = -math.expm1(l * math.log1p(-MaskedChiSquare(width, gain).atom()))
    below = best.plus(dead, dead)
    return ProductTail(below, below.complement())


def _outside(m: int, low: int, high: int) -> float:
    """Probability that K ~ Binomial(m, 1/2) is positive and not in low..high."""
    left = float(scipy.stats.binom.cdf(low - 1, m, 0.5)) if low > 1 else 0.0
    return (left + float(scipy.stats.binom.sf(high, m, 0.5))) * (1.0 + SPECIAL_ERROR)


def _line(moment: _LogMoment, l: int, y: float, side: float) -> float:  # noqa: E741
    """Distance from 0, on the given side, at which the integrand exp(-u y) M(u)^l / u is smallest."""

    def height(u: float) -> float:
        return l * moment.real(side * u) - side * u * y - math.log(u)

    # A quarter of the range where M exists leaves room for Markov's inequality at twice the distance.
    most = math.inf if side > 0.0 else 0.24 * float(moment.k[0])
    u = min(1.0, most)
    while 2.0 * u <= most and height(2.0 * u) < height(u):
        u *= 2.0
    while height(0.5 * u) < height(u):
        u *= 0.5
    found = scipy.optimize.minimize_scalar(height, bounds=(0.5 * u, min(2.0 * u, most)), method="bounded")
    return float(found.x)


def _inverted_tail(moment: _LogMoment, l: int, y: float, side: float) -> Bracket:  # noqa: E741
    """Bracket P(S > y) (side 1) or P(-inf < S <= y) (side -1), every K in the range of `moment`."""
    u = _line(moment, l, y, side)
    level = l * moment.real(side * u) - side * u * y
    # Aliases on the side of the tail, by Markov's inequality at `factor` u: exp(markov) times the sum over j
    # of exp(-(factor - 1) u j D). The guess of the tail serves to choose the period D; no bound relies on it.
    guess = level - max(0.0, math.log(u) + 0.5 * math.log(2.0 * math.pi * moment.variance(l)))
    choices = []
    for factor in (1.25, 1.5, 2.0):
        markov = l * moment.real(side * factor * u) - side * factor * u * y
        choices.append(((ALIAS_DAMPING - guess + max(0.0, markov)) / ((factor - 1.0) * u), factor, markov))
    period, factor, markov = min(choices)
    alias = _geometric(u * period) + math.exp(min(700.0, markov)) * _geometric((factor - 1.0) * u * period)

    step = 2.0 * math.pi / period
    total = magnitude = rounding = 0.0
    rest = math.inf
    for start in range(0, MOST_NODES, NODE_BLOCK):
        w = step * np.arange(start, start + NODE_BLOCK)
        z = (side * u + 1j * w).astype(np.complex128)
        log_m, ceiling = moment.on_line(z)
        # side/z is the transform of the half-line; node 0 counts once, all others with their conjugates.
        shares = np.where(w == 0.0, 1.0, 2.0)
        terms = shares * np.exp(l * log_m - z * y - level) * side / z
        total += float(terms.real.sum())
        size = np.abs(terms)
        magnitude += float(size.sum())
        modulus = np.abs(z)
        # Absolute errors of the exponent: l times that of log M, like |z| log(m + |z|), and that of z y.
        error = l * (SPECIAL_ERROR + 8.0 * UNIT * modulus * np.log(3.0 + moment.k[-1] + modulus))
        rounding += float((size * (error + 8.0 * UNIT * (1.0 + modulus * abs(y) + abs(level)))).sum())
        slope = l * step * math.atan(w[-1] / (0.5 * float(moment.k[-1]) + max(0.0, side * u)))
        last = 2.0 * math.exp(l * ceiling[-1] - l * moment.real(side * u)) / modulus[-1]
        rest = last * _geometric(slope)
        if rest <= UNIT * magnitude:
            break
    scale = math.exp(level) / period
    upper = scale * (total + rest + rounding)
    lower = scale * (total - rest - rounding) - alias
    return Bracket(max(0.0, float(lower)), min(1.0, math.nextafter(upper, math.inf)))


def _geometric(x: float) -> float:
    """The sum of exp(-j x) over j >= 1."""
    return math.exp(-x) / -math.expm1(-x)


# ------------------------------------------------------------------------------------------- pre-activations


@dataclass(frozen=True)
class SmallPreactivations:
    """Law of |{j : |<w_j, x>| <= beta}| for m columns w_j ~ N(0, gain/m I) and ||x|| = norm.

    Binomial(m, p) with p = 2 Phi(beta sqrt(m/gain)/norm) - 1 (zou2018, Theorem 5.1(iv) and Lemma A.7,
    conditionally on the layer's input). Methods take scalars or arrays.
    """

    m: int
    beta: float
    norm: float
    gain: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", _width(self.m))
        if not (self.beta >= 0.0 and self.norm >= 0.0 and self.gain > 0.0):
            raise ValueError(
                f"beta and norm must be at least 0, the gain positive: found beta={self.beta!r}, "
                f"norm={self.norm!r}, gain={self.gain!r}"
            )

    @property
    def probability(self) -> float:
        """Probability that one pre-activation is small."""
        if self.norm == 0.0:
            return 1.0
        return math.erf(self.beta / self.norm * math.sqrt(0.5 * self.m / self.gain))

    def mean(self) -> float:
        """Expectation."""
        return self.m * self.probability

    def var(self) -> float:
        """Variance."""
        return self.m * self.probability * (1.0 - self.probability)

    def cdf(self, k: ArrayLike) -> Any:
        """Probability of at most k small pre-activations."""
        return scipy.stats.binom.cdf(k, self.m, self.probability)

    def sf(self, k: ArrayLike) -> Any:
        """Probability of more than k small pre-activations."""
        return scipy.stats.binom.sf(k, self.m, self.probability)

    def logsf(self, k: ArrayLike) -> Any:
        """Log of the probability of more than k, also where it underflows."""
        values = np.asarray(k, np.float64)
        tail = np.asarray(self.sf(values))
        p = self.probability
        with np.errstate(divide="ignore"):
            result = np.array(np.log(tail))
        far = (tail < UNDERFLOW_GUARD) & (values < self.m) & (p > 0.0)
        if far.any():
            first = np.floor(values[far]) + 1.0
            # Successive probabilities have ratios that fall from the first on: sum the geometric-like series.
            ratio = total = np.ones_like(first)
            j = first
            for _ in range(MOST_STEPS):
                ratio = ratio * (self.m - j) / (j + 1.0) * (p / (1.0 - p))
                total = total + ratio
                j = j + 1.0
                if bool(np.all(ratio <= STEP_TOLERANCE * total)):
                    break
            result[far] = _log_binomial(first, self.m, p) + np.log(total)
        return _as_given(result)

    def isf(self, q: ArrayLike) -> Any:
        """The smallest k with sf(k) <= q."""
        return scipy.stats.binom.isf(q, self.m, self.probability)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> IntArray:
        """Independent counts."""
        return rng.binomial(self.m, self.probability, size)


# ---------------------------------------------------------------------------------------------------- angles

# Below this the power series of sin t - t cos t is summed; above it at most two digits cancel.
SERIES_ANGLE = 0.5


def sine_excess(t: ArrayLike) -> Any:
    """sin t - t cos t = t^3/3 - t^5/30 + ..., to full relative accuracy for all t in [0, pi]."""
    angle = np.asarray(t, np.float64)
    square = angle * angle
    series = np.zeros_like(angle)
    # Coefficient of t^(2k + 1): (-1)^(k+1) 2k/(2k + 1)!. At t = 1/2 the term k = 9 is below 1e-20.
    for k in range(8, 0, -1):
        series = series * square + (-1.0) ** (k + 1) * 2 * k / math.factorial(2 * k + 1)
    series = series * square * angle
    return _as_given(np.where(angle < SERIES_ANGLE, series, np.sin(angle) - angle * np.cos(angle)))


def relu_covariance(t: ArrayLike) -> Any:
    """E[relu(Z1) relu(Z2)] for unit normal variables at angle t (correlation cos t), 0 <= t <= pi.

    (sin t + (pi - t) cos t)/(2 pi), which is `sine_excess(pi - t)`/(2 pi) (zou2018, proof of Lemma A.3).
    """
    return _as_given(np.asarray(sine_excess(math.pi - np.asarray(t, np.float64)) / (2.0 * math.pi)))


def correlation_map(c: ArrayLike) -> Any:
    """Cosine of two inputs after one infinitely wide ReLU layer: (sin t + (pi - t) c)/pi with c = cos t."""
    cosine = np.asarray(c, np.float64)
    if not ((cosine >= -1.0) & (cosine <= 1.0)).all():
        raise ValueError("a correlation must lie in [-1, 1]")
    # 2 arcsin of half the chord keeps the digits of small angles that arccos would lose.
    t = 2.0 * np.arcsin(np.sqrt(0.5 * (1.0 - cosine)))
    return _as_given(np.asarray(2.0 * np.asarray(relu_covariance(t))))


def separation_map(phi: ArrayLike) -> Any:
    """Distance of two unit vectors, phi before, after one infinitely wide ReLU layer and normalisation.

    phi'^2 = phi^2 - (2/pi) (sin t - t cos t) with phi = 2 sin(t/2); free of cancellation for small phi, where
    phi'^2 = phi^2 (1 - 2 phi/(3 pi) + O(phi^3)).
    """
    distance = np.asarray(phi, np.float64)
    if not ((distance >= 0.0) & (distance <= 2.0)).all():
        raise ValueError("a distance of unit vectors must lie in [0, 2]")
    t = 2.0 * np.arcsin(0.5 * distance)
    return _as_given(np.sqrt(distance**2 - (2.0 / math.pi) * np.asarray(sine_excess(t))))


def correlation_path(c: float, L: int) -> FloatArray:
    """The cosines of layers 0..L, shape (L + 1,)."""
    return _iterate(correlation_map, c, L)


def separation_path(phi: float, L: int) -> FloatArray:
    """The normalised distances of layers 0..L, shape (L + 1,)."""
    return _iterate(separation_map, phi, L)


def _iterate(step: Callable[[float], float], start: float, L: int) -> FloatArray:
    path = [float(start)]
    for _ in range(L):
        path.append(step(path[-1]))
    return np.array(path)


# --------------------------------------------------------------------------------------------- rate function


def _deviation(h: float) -> float:
    """The deviation e whose optimal tilt is h > -1/2: e = h (5 + 12 h + 8 h^2)/(1 + h)."""
    return h * (5.0 + 12.0 * h + 8.0 * h * h) / (1.0 + h)


def chernoff_rate(e: float) -> float:
    """Rate I with P(X >= 1 + e) <= exp(-m I) for e >= 0 and P(X <= 1 + e) <= exp(-m I) for e <= 0.

    X is the squared norm ratio of a ReLU layer of width m with N(0, 2/m) weights, and I the supremum over s
    of s (1 + e) - log(1/2 + (1 - 4 s)^(-1/2)/2). Put (1 - 4 s)^(-1/2) = 1 + 2 h: the best s has
    h (5 + 12 h + 8 h^2)/(1 + h) = e, and there I = h + 2 h^2 - log(1 + h), without cancellation in e.
    """
    if math.isnan(e):
        raise ValueError("the deviation is NaN: check the formula that gives it")
    if e == -1.0:
        return LOG_TWO
    if e < -1.0 or e == math.inf:
        return math.inf
    if e == 0.0:
        return 0.0
    if e < -0.5:
        # Near -1 the equation keeps its digits in r = 1 + 2 h: 2 r^3 = (1 + e)(1 + r).
        r = float(scipy.optimize.brentq(lambda x: 2.0 * x**3 - (1.0 + e) * (1.0 + x), 0.0, 1.0, xtol=1e-300))
        h = 0.5 * (r - 1.0)
        return 2.0 * h * h + _log1p_gap(h)
    # The deviation grows with h: it is at least 5 h and 8 h^2 for h > 0, and between 5 h and 2 h for h < 0.
    low, high = (0.0, min(0.2 * e, math.sqrt(0.125 * e))) if e > 0.0 else (max(-0.5, 0.5 * e), 0.2 * e)
    margin = 1e-12 * abs(e)  # so that rounding does not spoil the signs at the ends
    low, high = max(-0.5, low - margin), high + margin
    h = float(scipy.optimize.brentq(lambda x: _deviation(x) - e, low, high, xtol=1e-300, rtol=STEP_TOLERANCE))
    return 2.0 * h * h + _log1p_gap(h)


def _log1p_gap(h: float) -> float:
    """h - log(1 + h), by its power series for small h."""
    if abs(h) > 0.01:
        return h - math.log1p(h)
    # The first omitted term is below 1e-18 of the first.
    return h * h * sum((-h) ** k / (k + 2.0) for k in range(9))


def explicit_constant_A1(least: float = 2.0, largest: float = 1.0) -> float:
    """A constant C for zou2018, Lemma A.1, valid for n L/delta >= `least` and a bound of at most `largest`.

    With e = C sqrt(log(nL/delta)/m), each layer and sample fails with probability at most 2 exp(-m I), I
    the smaller of the rates at e and -e. Both e^2/h^2 grows and I/h^2 falls with h, so e^2/I grows with e
    on (-1, infinity): the supremum of e/sqrt(I) over 0 < |e| <= `largest` stands at e = `largest` on the
    upper side (3.9336 at 1; its limit at 0 is sqrt 10). Hence 2 n L exp(-m I) <= delta as soon as C^2 is
    that supremum squared times 1 + log 2/log(least). The lemma's premise m >= C^2 log(nL/delta) is e <= 1,
    so the default covers all of it.
    """
    if not (least > 1.0 and largest > 0.0):
        raise ValueError(f"least must exceed 1 and largest 0: found least={least!r}, largest={largest!r}")
    steepest = largest / math.sqrt(chernoff_rate(largest))
    return steepest * math.sqrt(1.0 + LOG_TWO / math.log(least))
