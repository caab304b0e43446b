"""The statistics that decide claims: anytime-valid tests, exact binomial bounds, power, and fitted exponents.

Main definitions: `log_e_refute` and `log_e_support`, e-values that may be consulted after every trial;
`SequentialTest`, which decides with them; `time_uniform_interval`, their inversion; `clopper_pearson_*`,
exact for a number of trials fixed beforehand; `detectable_rate`, the power of a run; `trials_to_support` and
`row_to_refute`, how soon it can decide; `undecided_chance`, of a budget that does not suffice; `binomial_survival`;
`scaling_fit`, exponents of power laws.

Sources: Ville's inequality (Ville 1939) for the e-processes; Clopper and Pearson 1934; MacKinnon and White
1985 for HC3.

Written by hand: scipy has neither e-processes nor HC3 (statsmodels has that one, for ten lines here), and
`scipy.stats.binomtest` finds its interval for one pair of counts at a time, in 0.6 ms against 0.01 ms by the quantiles
of the beta law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

# Below this, tails and probabilities from scipy come too near to underflow, and the logarithmic forms take
# over.
UNDERFLOW_GUARD = 1e-280

# Lentz's continued fraction stops once a step changes it by less than this: a few units in the last place.
FRACTION_TOLERANCE = 4.0 * float(np.finfo(np.float64).eps)
FRACTION_STEPS = 20_000

# Halvings of a logit range of 1490 that leave less than 1e-15: the ends are then exact to rounding.
BISECTIONS = 64

# Counts above this are no longer exact in float64.
MOST_TRIALS = 2**53

# A design point with leverage this near to 1 is fitted exactly, so its residual tells nothing and HC3 divides
# by zero.
LARGEST_LEVERAGE = 1.0 - 1e-9


def _counts(failures: ArrayLike, trials: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both counts as float64 arrays, checked."""
    k, n = np.broadcast_arrays(np.asarray(failures, np.float64), np.asarray(trials, np.float64))
    whole = (k == np.floor(k)) & (n == np.floor(n))
    valid = whole & (k >= 0.0) & (k <= n) & np.isfinite(n)
    if not valid.all():
        at = int(np.argmin(valid))
        raise ValueError(
            f"failures and trials must be whole numbers with 0 <= failures <= trials: "
            f"found failures={k.flat[at]:g}, trials={n.flat[at]:g}; count every trial once"
        )
    return k, n


def _level(name: str, value: float) -> None:
    """Refuse a level outside (0, 1), NaN included."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name} must lie strictly between 0 and 1: found {value!r}")


def _rate(rate: float) -> float:
    """The rate as a float; NaN is refused."""
    value = float(rate)
    if math.isnan(value):
        raise ValueError("rate is NaN: check the formula that gives the allowed failure rate")
    return value


def binomial_survival(failures: ArrayLike, trials: ArrayLike, rate: float) -> FloatArray:
    """The probability of more than `failures` failures among `trials`, each failing with probability `rate`.

    By the incomplete beta function, as `scipy.stats.binom.sf`: that module takes half a second to load, and blocks ask
    for this when they load.
    """
    k, n = _counts(failures, trials)
    # At k = n the function has no value; nothing is above.
    return np.where(k < n, scipy.special.betainc(k + 1.0, np.maximum(n - k, 1.0), _rate(rate)), 0.0)


# -------------------------------------------------------------------------------------------------- e-values


def _log_pmf(k: FloatArray, n: FloatArray, p: float, q: float) -> FloatArray:
    """Log of the binomial probability of k successes in n trials, success p, failure q = 1 - p.

    That of k is what the tail of k - 1 has more than that of k, both on the side of k where they are small; blocks ask
    for it when they load, and `scipy.stats`, which has the density itself, takes half a second to load.
    """
    if q < p:  # the smaller of the two is the one that carries its digits
        k, p, q = n - k, q, p
    above = k > n * p
    inner, outer = np.maximum(k, 1.0), np.maximum(n - k, 1.0)
    upper = np.where(k > 0.0, scipy.special.betainc(inner, n - k + 1.0, p), 1.0)
    upper -= np.where(k < n, scipy.special.betainc(k + 1.0, outer, p), 0.0)
    lower = np.where(k < n, scipy.special.betaincc(k + 1.0, outer, p), 1.0)
    lower -= np.where(k > 0.0, scipy.special.betaincc(inner, n - k + 1.0, p), 0.0)
    pmf = np.where(above, upper, lower)
    with np.errstate(divide="ignore"):
        log: FloatArray = np.log(pmf)
    far = pmf < UNDERFLOW_GUARD
    if far.any():
        form = scipy.special.xlogy(k, p) + scipy.special.xlog1py(n - k, -p)
        form = form - scipy.special.betaln(n - k + 1.0, k + 1.0) - np.log1p(n)
        log = np.where(far, form, log)
    return log


def _beta_fraction(a: FloatArray, b: FloatArray, x: FloatArray) -> FloatArray:
    """Continued fraction of the incomplete beta function by Lentz's method; fast for x < (a + 1)/(a + b + 2).

    I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times the value returned (DLMF 8.17.22).
    """
    tiny = 1e-300
    c = np.ones_like(x)
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
    value = d.copy()
    for step in range(1, FRACTION_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1.0) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1.0))
        for coefficient in (even, odd):
            d = 1.0 + coefficient * d
            d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
            c = 1.0 + coefficient / c
            c = np.where(np.abs(c) < tiny, tiny, c)
            value = value * (c * d)
        if bool(np.all(np.abs(c * d - 1.0) <= FRACTION_TOLERANCE)):
            return value
    raise ArithmeticError(f"the incomplete beta fraction did not settle at a={a.max():g}, b={b.max():g}")


def _log_mixture(k: FloatArray, n: FloatArray, p: float, q: float) -> FloatArray:
    """Log of the mean, over u uniform in (p, 1), of the likelihood ratio of u against p for k failures of n.

    With T the tail of Beta(k + 1, n - k + 1) above p, the mean is T / ((n + 1) q pmf(k)). Below the mean of
    that law, T and pmf underflow together while their quotient stays near p / (n - k + 1): there the
    continued fraction of T gives the quotient itself. `p` and `q` = 1 - p come separately so that neither
    loses digits.
    """
    a, b = n - k + 1.0, k + 1.0
    tail = scipy.special.betaincc(b, a, p) if p <= q else scipy.special.betainc(a, b, q)
    with np.errstate(divide="ignore"):
        plain: FloatArray = np.log(tail) - np.log((n + 1.0) * q) - _log_pmf(k, n, p, q)
    far = tail < UNDERFLOW_GUARD
    if not far.any():
        return plain
    result = np.array(plain)
    result[far] = np.log(p * _beta_fraction(a[far], b[far], np.full(a[far].shape, q)) / a[far])
    return result


def _log_e(k: FloatArray, n: FloatArray, p: float, q: float) -> Any:
    """`_log_mixture` with the ends of the interval: p >= 1 is never refuted, p <= 0 by the first failure."""
    if q <= 0.0:
        found = np.zeros(k.shape)
    elif p <= 0.0:
        found = np.where(k > 0.0, np.inf, -np.log1p(n))
    else:
        found = _log_mixture(np.atleast_1d(k), np.atleast_1d(n), p, q).reshape(k.shape)
    return float(found) if found.ndim == 0 else found


def log_e_refute(failures: ArrayLike, trials: ArrayLike, rate: float) -> Any:
    """Log of the e-value against "the failure probability is at most `rate`".

    The mean likelihood ratio against `rate` of a failure probability uniform on (rate, 1). Under the null
    hypothesis its expectation is at most 1, and it exceeds 1/alpha at any time with probability at most alpha
    (Ville). Counts broadcast; returns a float for scalars. A rate of 1 or more is never refuted (0), a rate
    of 0 or less is refuted by one failure (infinity).
    """
    k, n = _counts(failures, trials)
    p = _rate(rate)
    return _log_e(k, n, p, 1.0 - p)


def log_e_support(failures: ArrayLike, trials: ArrayLike, rate: float) -> Any:
    """Log of the e-value against "the failure probability is at least `rate`".

    The mean likelihood ratio against `rate` of a failure probability that is 0 with probability 1/2 and else uniform on
    (0, rate): most statements that are true never fail at the sizes of a run, and a failure costs no more than the
    factor 2. Counts broadcast; returns a float for scalars. A rate of 0 or less is never supported (0); a rate of 1 or
    more is supported by one success (infinity).
    """
    k, n = _counts(failures, trials)
    p = _rate(rate)
    return _log_e_below(k, n, p, 1.0 - p)


def _log_e_below(k: FloatArray, n: FloatArray, p: float, q: float) -> Any:
    """`log_e_support` of k failures of n; `p` and `q` = 1 - p come separately so that neither loses digits."""
    spread = _log_e(n - k, n, q, p)
    if p <= 0.0 or q <= 0.0:
        return spread
    never = np.where(k == 0.0, -n * (math.log1p(-p) if p < q else math.log(q)), -np.inf)
    found = np.logaddexp(spread, never) - math.log(2.0)
    return float(found) if found.ndim == 0 else found


@dataclass(frozen=True)
class SequentialTest:
    """Test of "failure probability <= rate", open to a look after every trial; level `alpha` on each side."""

    rate: float
    alpha: float

    def __post_init__(self) -> None:
        _rate(self.rate)
        _level("alpha", self.alpha)

    def decide(self, failures: int, trials: int) -> Literal["refute", "support"] | None:
        """What the counts so far show: a rate above the stated one, one below it, or neither yet."""
        return _decided(self.rate, self.alpha, failures, trials)

    def refutation_boundary(self, trials: ArrayLike) -> NDArray[np.int64]:
        """Smallest number of failures among each of `trials` that refutes; trials + 1 where none does."""
        threshold = -math.log(self.alpha)
        return smallest_count(
            lambda k, n: np.asarray(log_e_refute(k, n, self.rate)) >= threshold, np.asarray(trials, np.int64)
        )

    def support_boundary(self, trials: ArrayLike) -> NDArray[np.int64]:
        """Largest number of failures among each of `trials` that supports; -1 where none does."""
        threshold = -math.log(self.alpha)
        first_not = smallest_count(
            lambda k, n: ~(np.asarray(log_e_support(k, n, self.rate)) >= threshold), np.asarray(trials, np.int64)
        )
        return first_not - 1


@lru_cache(maxsize=2**14)
def _decided(rate: float, alpha: float, failures: int, trials: int) -> Literal["refute", "support"] | None:
    # With fewer failures than the rate allows no higher rate is likelier, and with more no lower one.
    if failures > rate * trials:
        return "refute" if log_e_refute(failures, trials, rate) >= -math.log(alpha) else None
    return "support" if log_e_support(failures, trials, rate) >= -math.log(alpha) else None


def smallest_count(
    met: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]], trials: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Smallest k in 0..n with met(k, n), monotone in k, by bisection over all n at once; n + 1 where none."""
    low, high = np.zeros_like(trials), trials + 1
    while np.any(low < high):
        middle = (low + high) // 2
        yes = (middle > trials) | met(np.minimum(middle, trials), trials)
        high = np.where(yes, middle, high)
        low = np.where(yes, low, np.minimum(middle + 1, high))
    return high


@cache
def time_uniform_interval(failures: int, trials: int, alpha: float) -> tuple[float, float]:
    """The rates that no e-process has excluded, level `alpha` on each side.

    With probability at least 1 - 2 alpha the true rate lies in the intervals of all times at once. The
    e-value against p <= rate falls as the rate grows, so both ends are found by bisection (on the logit
    scale, where tiny rates keep their digits).
    """
    _level("alpha", alpha)
    k, n = _counts(failures, trials)
    threshold = -math.log(alpha)

    def end(log_e: Callable[[float, float], Any]) -> tuple[float, float]:
        """The largest p that `log_e`, of p and 1 - p, excludes together with all below it, and 1 - p."""
        low, high = -745.0, 745.0  # logits beyond these are 0 or 1 in float64
        if not log_e(float(scipy.special.expit(low)), 1.0) >= threshold:
            return 0.0, 1.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            excluded = log_e(float(scipy.special.expit(middle)), float(scipy.special.expit(-middle))) >= threshold
            low, high = (middle, high) if excluded else (low, middle)
        return float(scipy.special.expit(low)), float(scipy.special.expit(-low))

    lower, _ = end(lambda p, q: _log_e(k, n, p, q))
    _, upper = end(lambda q, p: _log_e_below(k, n, p, q))
    return lower, upper


# --------------------------------------------------------------------------------------------- exact binomia


def clopper_pearson_upper(failures: ArrayLike, trials: ArrayLike, confidence: float) -> Any:
    """One-sided exact upper confidence bound on a failure probability; `trials` must be fixed beforehand."""
    k, n = _counts(failures, trials)
    _level("confidence", confidence)
    found = np.where(k < n, scipy.special.betainccinv(k + 1.0, np.maximum(n - k, 1.0), 1.0 - confidence), 1.0)
    return float(found) if found.ndim == 0 else found


def clopper_pearson_lower(failures: ArrayLike, trials: ArrayLike, confidence: float) -> Any:
    """One-sided exact lower confidence bound on a failure probability; `trials` must be fixed beforehand."""
    k, n = _counts(failures, trials)
    _level("confidence", confidence)
    found = np.where(k > 0, scipy.special.betaincinv(np.maximum(k, 1.0), n - k + 1.0, 1.0 - confidence), 0.0)
    return float(found) if found.ndim == 0 else found


def clopper_pearson_interval(failures: ArrayLike, trials: ArrayLike, confidence: float) -> tuple[Any, Any]:
    """Two-sided exact confidence interval, half the error on each side; `trials` must be fixed beforehand."""
    _level("confidence", confidence)
    one_sided = 0.5 * (1.0 + confidence)
    return clopper_pearson_lower(failures, trials, one_sided), clopper_pearson_upper(failures, trials, one_sided)


# ----------------------------------------------------------------------------------------------------- power


def _rate_reaching(count: int, trials: int, power: float) -> float:
    """Smallest rate giving at least `count` failures in `trials` with probability `power`; inf if none."""
    if count > trials:
        return math.inf
    return float(scipy.special.betaincinv(count, trials - count + 1, power))


@cache
def detectable_rate(rate: float, alpha: float, max_trials: int, power: float = 0.9) -> float:
    """Smallest true failure rate that a run of `max_trials` refutes with probability at least `power`.

    Conservative: counts only a refutation that stands at the last look. Infinite where even failing every
    trial would not refute (a bound of 1 or more, or too few trials).
    """
    _level("power", power)
    boundary = SequentialTest(rate, alpha).refutation_boundary([max_trials])
    return _rate_reaching(int(boundary[0]), max_trials, power)


def detectable_rate_fixed(rate: float, alpha: float, trials: int, power: float = 0.9) -> float:
    """As `detectable_rate`, for one Clopper-Pearson bound at confidence 1 - alpha after `trials` trials."""
    _level("power", power)
    return _rate_reaching(failures_to_refute(rate, alpha, trials, fixed=True), trials, power)


def trials_to_support(rate: float, alpha: float, failures: int = 0, fixed: bool = False) -> int | None:
    """Number of trials, with no failure beyond the given ones, after which the sequential test supports the rate.

    With `fixed` the number after which a Clopper-Pearson bound does. None where no number of trials up to 2**53 would
    do, which includes every rate of 0 or less.
    """
    test = SequentialTest(rate, alpha)

    def supports(trials: int) -> bool:
        if fixed:
            return bool(clopper_pearson_upper(failures, trials, 1.0 - alpha) <= rate)
        return test.decide(failures, trials) == "support"

    return _least(supports, max(1, failures))


def row_to_refute(rate: float, alpha: float, failures: int = 0, trials: int = 0) -> int | None:
    """Number of further trials after which the sequential test refutes the rate, if all of them fail.

    With the given failures among the given trials; 0 where these refute it. None for a rate that is never refuted.
    """
    if _rate(rate) >= 1.0:
        return None
    test = SequentialTest(rate, alpha)

    def refutes(row: int) -> bool:
        return test.decide(failures + row, trials + row) == "refute"

    return 0 if refutes(0) else _least(refutes, 1)


def _least(holds: Callable[[int], bool], first: int) -> int | None:
    """The least number for which `holds`, as it does for all larger ones; None where that is beyond `MOST_TRIALS`.

    Looked for above half of `first`.
    """
    high = first
    while not holds(high):
        if high >= MOST_TRIALS:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def failures_to_refute(rate: float, alpha: float, trials: int, fixed: bool = False) -> int:
    """Smallest number of failures among `trials` that refutes the rate; trials + 1 where none does.

    With `fixed` by one Clopper-Pearson bound after that many trials, else by the sequential test.
    """
    _level("alpha", alpha)
    limit, counted = _rate(rate), np.array([trials], np.int64)
    if not fixed:
        return int(SequentialTest(limit, alpha).refutation_boundary(counted)[0])
    return int(smallest_count(lambda k, n: np.asarray(clopper_pearson_lower(k, n, 1.0 - alpha)) > limit, counted)[0])


def undecided_chance(
    rate: float,
    alpha: float,
    most_trials: int,
    failure_rate: float,
    wanted: Literal["support", "refute"] = "support",
    fixed: bool = False,
) -> float:
    """The most that the chance can be of `most_trials` trials that fail with `failure_rate` and decide nothing.

    That of a count at the last look which does not decide as `wanted`: a run that no look has decided is undecided at
    the last one too. With `fixed` the one look of a Clopper-Pearson bound. 1 where no count would decide so.
    """
    if wanted == "refute":
        least = failures_to_refute(rate, alpha, most_trials, fixed)
        passes = 1.0 - _rate(failure_rate)
        return float(binomial_survival(most_trials - least, most_trials, passes)) if least <= most_trials else 1.0
    _level("alpha", alpha)
    limit, trials = _rate(rate), np.array([most_trials], np.int64)
    most = (
        smallest_count(lambda k, n: ~(clopper_pearson_upper(k, n, 1.0 - alpha) <= limit), trials) - 1
        if fixed
        else SequentialTest(limit, alpha).support_boundary(trials)
    )
    return float(binomial_survival(most[0], most_trials, failure_rate)) if most[0] >= 0 else 1.0


# ------------------------------------------------------------------------------------------------- exponents


@dataclass(frozen=True)
class ScalingFit:
    """A power law fitted to replicates: measured ~ exp(intercept) * prod variable^exponent.

    `covariance` is the HC3 covariance of (intercept, exponents in the order of `names`); `intervals` are
    two-sided t intervals at level 1 - `alpha`, each.
    """

    names: tuple[str, ...]
    intercept: float
    exponents: dict[str, float]
    standard_errors: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    covariance: FloatArray
    degrees_of_freedom: int
    alpha: float

    def agrees(self, name: str, exponent: float) -> bool:
        """Whether the interval of `name` holds the given exponent."""
        low, high = self.intervals[name]
        return low <= exponent <= high


def _log_columns(variables: Mapping[str, ArrayLike], measured: ArrayLike) -> tuple[list[FloatArray], FloatArray]:
    """Logarithms of all variables and of the measured values, checked."""
    columns = {**variables, "measured": measured}
    logs = []
    for name, column in columns.items():
        values = np.asarray(column, np.float64)
        valid = np.isfinite(values) & (values > 0.0)
        if values.ndim != 1 or not valid.all():
            seen = f"shape {values.shape}" if values.ndim != 1 else f"{values[np.argmin(valid)]!r}"
            raise ValueError(f"a scaling fit needs a vector of positive finite numbers for {name!r}: found {seen}")
        logs.append(np.log(values))
    sizes = {name: log.size for name, log in zip(columns, logs, strict=True)}
    if len(set(sizes.values())) != 1:
        raise ValueError(f"a scaling fit needs one value of each variable per measurement: found lengths {sizes}")
    return logs[:-1], logs[-1]


def _hc3(design: FloatArray, response: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Least-squares coefficients and their HC3 covariance: (X'X)^-1 X' diag(r_i / (1 - h_i))^2 X (X'X)^-1."""
    q, r = np.linalg.qr(design)
    leverage = np.einsum("ij,ij->i", q, q)
    if leverage.max() > LARGEST_LEVERAGE:
        at = int(np.argmax(leverage))
        raise ValueError(f"measurement {at} alone determines an exponent, so its spread is unknown: add replicates")
    coefficients = np.linalg.solve(r, q.T @ response)
    scaled = (response - design @ coefficients) / (1.0 - leverage)
    root = np.linalg.solve(r, (q * scaled[:, None]).T)
    return coefficients, root @ root.T


def scaling_fit(variables: Mapping[str, ArrayLike], measured: ArrayLike, alpha: float) -> ScalingFit:
    """Fit log(measured) = intercept + sum exponent * log(variable) by least squares, with HC3 intervals.

    `variables` maps names to vectors of one value per measurement. Raises ValueError for values that are not
    positive and finite, and for designs that do not determine every exponent.
    """
    _level("alpha", alpha)
    names = tuple(variables)
    logs, response = _log_columns(variables, measured)
    degrees = response.size - len(names) - 1
    if degrees < 1:
        raise ValueError(f"{response.size} measurements do not determine {len(names)} exponents: add replicates")
    # Centred columns make the rank test independent of the units, and the exponents are unchanged by it.
    centres = [float(log.mean()) for log in logs]
    design = np.column_stack([np.ones_like(response), *(log - c for log, c in zip(logs, centres, strict=True))])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise ValueError(f"the sizes do not tell the exponents of {', '.join(names)} apart: vary them independently")
    coefficients, covariance = _hc3(design, response)
    shift = np.eye(design.shape[1])
    shift[0, 1:] = [-c for c in centres]
    coefficients, covariance = shift @ coefficients, shift @ covariance @ shift.T
    # Of an exact power law that of the intercept may be below 0 by rounding.
    errors = np.sqrt(np.diag(covariance)[1:])
    half = scipy.stats.t.isf(alpha / 2.0, degrees) * errors
    slopes = coefficients[1:]
    return ScalingFit(
        names=names,
        intercept=float(coefficients[0]),
        exponents={name: float(s) for name, s in zip(names, slopes, strict=True)},
        standard_errors={name: float(e) for name, e in zip(names, errors, strict=True)},
        intervals={name: (float(s - h), float(s + h)) for name, s, h in zip(names, slopes, half, strict=True)},
        covariance=covariance,
        degrees_of_freedom=degrees,
        alpha=alpha,
    )
