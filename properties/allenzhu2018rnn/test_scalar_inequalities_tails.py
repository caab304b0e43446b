"""allenzhu2018rnn: swapped randomness, chi-square tails and percentiles of Gaussian vectors (Appendices A.1 to A.4).

Main claims: `splitting` and `mean_where_often_large` (Facts A.1 and A.2), `chi_square_tails` (Lemma A.3),
`relative_deviation` (Lemma A.4), `truncated_squares` (Lemma A.5), `two_sided_chance` (Fact A.12) and
`central_percentiles` (Lemma A.13). Every probability is computed.
"""

import math
from fractions import Fraction

import flint
import numpy as np
from scipy import special
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from properties.allenzhu2018rnn.percentiles import measured_lack
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid, reals
from theory.evidence import Search

# Tails from scipy's incomplete gamma function, which keeps about twelve digits far out.
TAIL_ERROR = 1e-10

# Below this doubles have no digits left, and balls decide.
NO_DOUBLE = 1e-300

IN_THE_EXPONENT = "it stands in the exponent, where a factor of its root decides nothing: a control has another power"


def _rows(many: float, often: float, seldom: float) -> tuple[tuple[Fraction, Fraction], ...]:
    """The law of the conditional chance of an event given X: `often` with probability `many`, else `seldom`."""
    first, high, low = map(Fraction, (many, often, seldom))
    return ((first, high), (1 - first, low))


@claim(
    "allenzhu2018rnn:fact-A.1",
    bound=">= 1 - sqrt(delta)",
    probability=True,
    premises="none needed: delta is the chance of failure of any event",
    measured=["delta"],
    regime=Regime(
        cells=grid(),
        draw={"many": reals(1e-4, 0.9, logarithmic=True), "often": reals(0.01, 1.0), "fewer": reals(0.0, 1.0)},
        pinned=[
            *({"many": share, "often": share + 1e-4, "fewer": 0.0} for share in (0.25, 0.81)),
            {"many": 0.01, "often": 0.0101, "fewer": 0.0},
            {"many": 0.9, "often": 0.1, "fewer": 0.0},
        ],
    ),
    evidence=Search(adversary="all failures where X has one value, just too many of them"),
    controls=[
        control("as probable as the event, 1 - delta", bound="1 - delta"),
        control("exponent 3/4", bound="1 - delta**(3/4)"),
        control("as often given X as in all", power=1),
        control("nineteen twentieths of the root", bound="1 - 19*sqrt(delta)/20"),
    ],
    note="by Markov's inequality, in rationals; nearly attained where failures are a product of two sets",
)
def splitting(many: float, often: float, fewer: float, *, power: int = 2) -> Measured:
    """The probability over X, of two values, that an event has, given X, at least the chance 1 - sqrt(delta)."""
    rows = _rows(many, often, fewer * often)
    failure = sum(share * chance for share, chance in rows)
    value = sum(share for share, chance in rows if chance**power <= failure)
    return Measured(float(value), symbols={"delta": float(failure)})


def _mean_above(many: float, often: float, seldom: float, low: Fraction, level: Fraction) -> Measured:
    """Pr_X[E_Y f >= level times chance] for f = 1 with the chance of the row and `low` else, and the chance of both."""
    rows = _rows(many, often, seldom)
    chance = sum(share * high for share, high in rows)
    value = sum((share for share, high in rows if high + (1 - high) * low >= level * chance), Fraction(0))
    return Measured(float(value), symbols={"chance": float(chance)}, error=0.0 if value in (0, 1) else None)


HALF = Fraction(1, 2)


@claim(
    "allenzhu2018rnn:fact-A.2",
    bound=sheet.fact_A_2.reads("chance/2"),
    sense=">=",
    probability=True,
    premises="none needed: the printed form asks nothing of f",
    measured=["chance"],
    regime=Regime(
        cells=grid(), draw={"often": reals(0.01, 0.99), "low": reals(-10.0, 0.0)}, pinned=[{"often": 0.5, "low": -1.0}]
    ),
    evidence=Search(adversary="values below 0, where f is not large"),
    expected=Verdict.REFUTED,
    controls=[control("a quarter of the chance", bound="chance/4"), control("the whole chance", bound="chance")],
    note="smallest case: f is 1 or -1 as a fair coin Y falls, X constant: a = 1, chance 1/2, the mean 0 is below 1/4",
)
def mean_where_often_large(often: float, low: float) -> Measured:
    """The chance over X that E_Y f >= a chance/2, chance = Pr[f >= a], for f of both signs and a single value of X."""
    return _mean_above(1.0, often, often, Fraction(low), HALF)


@claim(
    "allenzhu2018rnn:fact-A.2-corrected",
    title="conditional mean of a nonnegative function that is often large",
    bound=sheet.fact_A_2.reads("chance/2"),
    sense=">=",
    probability=True,
    premises="none needed: f >= 0, which is not printed, and 0 where it is not large, the least that it may be",
    measured=["chance"],
    regime=Regime(
        cells=grid(),
        draw={"many": reals(1e-4, 0.9, logarithmic=True), "often": reals(0.01, 1.0), "fewer": reals(0.0, 1.0)},
        pinned=[{"many": 0.001, "often": 1.0, "fewer": 0.0005}, {"many": 0.01, "often": 1.0, "fewer": 0.009}],
    ),
    evidence=Search(adversary="certain for few X, and for the others just too seldom"),
    controls=[
        control("the whole level, a chance", level=Fraction(1)),
        control("the root of the chance", bound="sqrt(chance)/2"),
        control("-1 where it is not large", low=Fraction(-1)),
    ],
    note="X has a value of chance many, where f = a with chance often, else fewer times that; in rationals, nearly met",
)
def mean_of_a_nonnegative_function(
    many: float, often: float, fewer: float, *, low: Fraction = Fraction(0), level: Fraction = HALF
) -> Measured:
    """The chance over X, of two values, that E_Y f >= a chance/2, chance = Pr[f >= a], f being a > 0 or else 0."""
    return _mean_above(many, often, fewer * often, low, level)


@claim(
    "allenzhu2018rnn:lemma-A.3",
    bound="exp(-exponent)",
    probability=True,
    premises="none needed: every number of degrees of freedom and every exponent t > 0",
    regime=Regime(
        cells=grid(count=[1, 2, 3, 10, 100, 10**4, 10**7]),
        draw={"exponent": reals(1e-3, 50.0, logarithmic=True)},
        pinned=[{"exponent": t} for t in (0.1, 1.0, 10.0, 50.0)],
    ),
    evidence=Search(examples=20, adversary="few degrees of freedom, and many, where the tails are those of a Gaussian"),
    controls=[
        control("a fifth more in the exponent", bound="exp(-6*exponent/5)"),
        control("without the linear term 2 t", linear=0.0),
        control("half of the root term", root=1.0),
        control("the root of the exponent", bound="exp(-exponent**(3/2))"),
    ],
    note="the larger tail; variances enter as a unit alone. At small t its chance is 0.5 to 0.7, then it falls faster",
)
def chi_square_tails(count: int, exponent: float, *, linear: float = 2.0, root: float = 2.0) -> Measured:
    """The larger chance of chi2_k - k >= 2 sqrt(k t) + 2 t and k - chi2_k >= 2 sqrt(k t), k count and t exponent."""
    spread = root * math.sqrt(count * exponent)
    upper = float(special.gammaincc(0.5 * count, 0.5 * (count + spread + linear * exponent)))
    lower = float(special.gammainc(0.5 * count, 0.5 * max(count - spread, 0.0)))
    return Measured(max(upper, lower), error=TAIL_ERROR * max(upper, lower))


def _both_tails(m: int, inverse: float, variance: float) -> flint.arb:
    """The chance that the squared norm of m Gaussians is off m by m/inverse or more, however small it is.

    The lower tail is between the first term of its series and the geometric one that begins so.
    """
    half = flint.arb(m) / 2
    low, high = (half * (1 + sign / flint.arb(inverse)) / variance for sign in (-1, 1))
    above = high.gamma_upper(half, regularized=1)
    if inverse <= 1.0:
        return above
    first = (half * low.log() - low - (half + 1).lgamma()).exp()
    return above + first.union(first / (1 - low / (half + 1)))


@claim(
    "allenzhu2018rnn:lemma-A.4",
    bound="2*exp(-m/(8*inverse**2))",
    probability=True,
    premises="relative deviation of at most 1: inverse >= 1",
    regime=Regime(cells=grid(m=[1, 2, 10, 100, 1000, 3000], inverse=[1.0, 1.1, 1.5, 2.0, 5.0, 30.0])),
    evidence=Search(adversary="b = 1, where the upper tail is heaviest against its bound"),
    controls=[
        control("a sixth for an eighth", bound="2*exp(-m/(6*inverse**2))"),
        control("1/b for its square", bound="2*exp(-m/(8*inverse))"),
        control(
            "Bernstein's form with 5 b/2 for 8 b/3",
            bound="2*exp(-m/(4*inverse**2 + 5*inverse/2))",
            cells=grid(m=10**5, inverse=1.0),
        ),
        control("exponent 5/4 of the number", bound="2*exp(-m**(5/4)/(8*inverse**2))"),
        control("variance 11/10", variance=1.1),
        control("deviations of twice the mean", without="inverse >= 1", cells=grid(m=1000, inverse=0.5)),
    ],
    blind={"m": IN_THE_EXPONENT},
    note="both tails; the exponent 1/8 could be (1 - log 2)/2 = 1/6.5, which b = 1 asks for",
)
def relative_deviation(m: int, inverse: float, *, variance: float = 1.0) -> Measured:
    """The chance that the squared norm of m standard Gaussians is off m by m/b or more, b = inverse."""
    ends = 0.5 * m * (1.0 + np.array([-1.0, 1.0]) / inverse) / variance
    value = float(special.gammainc(0.5 * m, max(ends[0], 0.0)) + special.gammaincc(0.5 * m, ends[1]))
    if value < NO_DOUBLE:
        return Measured(value, error=NO_DOUBLE, ball=lambda: _both_tails(m, inverse, variance))
    return Measured(value, error=TAIL_ERROR * value)


def _log_chernoff(m: float, tilt: float, least: float, variance: float) -> float:
    """- tilt least + m log E exp(tilt y) of y = max(x^2 - log m, 0), x Gaussian: an upper bound of the log of the tail.

    The mean is 1 + P(tilted) - P(beyond), where beyond sqrt(log m) the exponential shrinks 1 - x^2 by 1 - 2 tilt.
    """
    level, shrunk = math.sqrt(math.log(m) / variance), math.sqrt(1.0 - 2.0 * tilt * variance)
    tilted = math.log(2.0) + float(special.log_ndtr(-level * shrunk)) - tilt * math.log(m) - math.log(shrunk)
    beyond = 2.0 * float(special.ndtr(-level))
    return m * math.log1p(math.exp(tilted) - beyond) - tilt * least


@claim(
    "allenzhu2018rnn:lemma-A.5",
    # By Chernoff's bound at 1/4: E exp(y/4) is known in closed form.
    bound=">= c*sqrt(m)",
    constants={"c": (Rational(3, 20), "by Chernoff's bound at 1/4, where it is least, 0.1534, for a single variable")},
    premises="none needed: every number of variables",
    regime=Regime(cells=grid(), draw={"m": reals(1.0, 1e12, logarithmic=True)}, pinned=[{"m": 1.0}, {"m": 2.0}]),
    evidence=Search(adversary="few variables; from below by Chernoff's bound, from above by one large variable"),
    controls=[
        control("exponent 3/4 of the number", bound="3*m**(3/4)/20"),
        control("variance 4", variance=4.0),
        control("2 m^(1/4) for 2 sqrt(m)", power=0.25),
    ],
    note="one square of 2 sqrt(m) + log(m) has the chance exp(-sqrt(m)) up to powers, so that the order is attained",
)
def truncated_squares(m: float, *, variance: float = 1.0, power: float = 0.5) -> Measured:
    """Minus the log of the chance of sum_{i <= m} max(x_i^2 - log m, 0) >= 2 sqrt(m), x_i independent N(0, 1)."""
    least = 2.0 * m**power
    one = math.log(2.0) + float(special.log_ndtr(-math.sqrt((math.log(m) + least) / variance)))
    some = math.log(-math.expm1(-m * math.exp(one))) if m * math.exp(one) > 1e-12 else math.log(m) + one - 1e-12
    tilt = 0.25 if 0.5 * variance < 1.0 else 0.25 / variance
    return Measured.between(max(0.0, -_log_chernoff(m, tilt, least, variance) * (1.0 - 1e-9)), -some)


@claim(
    "allenzhu2018rnn:lemma-A.5-mean",
    title="mean of a truncated squared Gaussian",
    bound="1/sqrt(m)",
    premises="none needed: every number of variables",
    regime=Regime(cells=grid(), draw={"m": reals(1.0, 1e12, logarithmic=True)}, pinned=[{"m": 1.0}, {"m": 2.0}]),
    evidence=Search(adversary="a single variable, for which both are 1"),
    controls=[control("exponent 3/5", bound="1/m**(3/5)"), control("variance 3/2", variance=1.5)],
    note="2 ((1 - g^2) P(x > g) + g p(g)), g^2 = log(m), p the density; the proof has (x - g)^2 over x > g alone",
)
def mean_of_a_truncated_square(m: float, *, variance: float = 1.0) -> Measured:
    """The mean of max(x^2 - log m, 0) for a standard Gaussian x."""
    level = math.sqrt(math.log(m) / variance)
    density = math.exp(-0.5 * level**2) / math.sqrt(2.0 * math.pi)
    value = 2.0 * variance * ((1.0 - level**2) * float(special.ndtr(-level)) + level * density)
    # The two terms are about g phi(g) and cancel but for 2/g^2 of it.
    return Measured(value, error=1e-14 * (1.0 + level) ** 2 * max(density, value))


def _beyond(mean: float, deviation: float) -> flint.arb:
    """The chance that a Gaussian of that mean and variance 1 is at least `deviation` from 0."""
    root = flint.arb(2).sqrt()
    return sum(((flint.arb(deviation) + sign * flint.arb(mean)) / root).erfc() for sign in (1, -1)) / 2


def _beyond_measured(mean: float, deviation: float) -> Measured:
    value = float(_beyond(mean, deviation).mid())
    return Measured(value, ball=lambda: _beyond(mean, deviation))


@claim(
    "allenzhu2018rnn:fact-A.12",
    bound=sheet.fact_A_12.reads("1 - 2*deviation/3"),
    probability=True,
    premises=sheet.fact_A_12_range.reads("deviation <= 1"),
    regime=Regime(
        cells=grid(),
        draw={"centre": reals(0.0, 5.0), "deviation": reals(0.001, 1.0)},
        pinned=[{"centre": 1.0, "deviation": 1.0}, {"centre": 0.25, "deviation": 1.0}],
    ),
    evidence=Search(adversary="means other than 0"),
    expected=Verdict.REFUTED,
    controls=[control("a half for two thirds", bound="1 - deviation/2"), control("mean 3", centre_at=3.0)],
    note="at mu = t = sigma = 1 it is 0.5227 for 1/3 at most; mu = 0.26 is enough. The printed upper end is for mu = 0",
)
def two_sided_chance(centre: float, deviation: float, *, centre_at: float | None = None) -> Measured:
    """The chance that a Gaussian of any mean and variance 1 is at least t = deviation from 0, against the upper end."""
    return _beyond_measured(centre if centre_at is None else centre_at, deviation)


@claim(
    "allenzhu2018rnn:fact-A.12-corrected",
    title="chance that a centred Gaussian is not small, from above",
    bound=sheet.fact_A_12.reads("1 - 2*deviation/3"),
    probability=True,
    premises=sheet.fact_A_12_range.reads("deviation <= 1"),
    regime=Regime(cells=grid(deviation=[1e-6, 1e-3, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0])),
    evidence=Search(adversary="both ends of (0, sigma]"),
    controls=[
        control("7/10 for 2/3; 0.6826 would do", bound="1 - 7*deviation/10"),
        control("variance 5/4", variance=1.25),
        control("t up to 11/10", without=sheet.fact_A_12_range, cells=grid(deviation=1.1)),
        control("mean 1/2", centre=0.5),
    ],
    scope="part: the upper end, at mean 0; half of it is the one-sided chance; fact-A.12-lower has the lower end",
)
def centred_chance(deviation: float, *, variance: float = 1.0, centre: float = 0.0) -> Measured:
    """The chance that a centred Gaussian of variance 1 is at least t = deviation from 0."""
    return _beyond_measured(centre, deviation / math.sqrt(variance))


@claim(
    "allenzhu2018rnn:fact-A.12-lower",
    title="chance that a Gaussian of any mean is not small, from below",
    bound=">= 1 - 4*deviation/5",
    probability=True,
    premises="none needed: every mean and every t; above 5/4 the bound is negative",
    regime=Regime(
        cells=grid(),
        draw={"centre": reals(-4.0, 4.0), "deviation": reals(1e-6, 1.2)},
        pinned=[{"centre": 0.0, "deviation": t} for t in (1e-6, 0.5, 1.0)],
    ),
    evidence=Search(adversary="mean 0, the worst of all, and small t"),
    controls=[
        control("0.79 for 4/5; sqrt(2/pi) = 0.798 would do", bound="1 - 79*deviation/100"),
        control("variance 9/10", variance=0.9),
        control("t^2 for t", bound="1 - 4*deviation**2/5"),
    ],
    note="half of it at mean 0 is the one-sided chance; the proofs use this end alone for other means",
)
def chance_for_any_mean(centre: float, deviation: float, *, variance: float = 1.0) -> Measured:
    """The chance that a Gaussian of any mean and variance 1 is at least t = deviation from 0."""
    return _beyond_measured(centre, deviation / math.sqrt(variance))


# The thresholds of Lemma A.13 and of Corollary A.15, over alpha and the standard deviation.
PERCENTILE, GOOD = 5.0 / 16.0, 0.25
COUNTS = grid(m=[1, 2, 3, 7, 20, 101, 1000, 4000])
# For alpha up to 1, where nothing is asked any more, the chance is below the bounds too.
TRUE_BEYOND = {f"premise {sheet.lemma_A_13_range.text}": "the statement is true for alpha from 1/2 to 1 as well"}
LEVELS = {"alpha": reals(0.002, 0.499)}


@claim(
    "allenzhu2018rnn:lemma-A.13",
    bound=sheet.lemma_A_13.reads("exp(-alpha**2*m/100)"),
    probability=True,
    premises=sheet.lemma_A_13_range.reads("2*alpha < 1"),
    regime=Regime(
        cells=grid(m=[1, 3, 101]), draw={"alpha": reals(0.002, 0.3)}, pinned=[{"alpha": 0.25}, {"alpha": 0.0098}]
    ),
    evidence=Search(examples=10, adversary="an odd number of coordinates"),
    expected=Verdict.REFUTED,
    controls=[
        control("a tenth of the exponent", bound="exp(-alpha**2*m/1000)"),
        control("thresholds of 0", threshold=0.0),
    ],
    note="for m = 1 one coordinate would have to be both positive and negative: the chance is 1 at every alpha. So it "
    "is for odd m with alpha < 1/m",
)
@form(
    "corrected",
    title="central percentiles of a Gaussian vector, with the union over both signs",
    bound=sheet.lemma_A_13_corrected.reads("2*exp(-alpha**2*m/100)"),
    regime=Regime(cells=COUNTS, draw=LEVELS, pinned=[{"alpha": 0.33}, {"alpha": 0.2}]),
    evidence=Search(examples=8, adversary="three coordinates of which two would have to be positive and two negative"),
    controls=[
        control("a factor of 19/20", bound="19*exp(-alpha**2*m/100)/20"),
        control("exponent 1/2", bound="2*exp(-alpha**2*m/2)"),
        control("thresholds of 5 alpha/4", threshold=1.25),
        control("alpha for its square", bound="2*exp(-alpha*m/4)"),
        control("the square of the number", bound="2*exp(-alpha**2*m**2/100)"),
    ],
    note="the proof bounds one sign by exp(-alpha^2 (1 - alpha/4) m/64); with the factor 2 of the union it is complete",
    blind={**TRUE_BEYOND, "m": IN_THE_EXPONENT},
)
@form(
    "sharp",
    title="central percentiles of a Gaussian vector, with exponent 1/4",
    bound="2*exp(-alpha**2*m/4)",
    regime=Regime(cells=COUNTS, draw=LEVELS, pinned=[{"alpha": 0.33}, {"alpha": 0.2}]),
    evidence=Search(examples=8, adversary="many coordinates, where the tail is that of a Gaussian"),
    controls=[
        control("exponent 1/2", bound="2*exp(-alpha**2*m/2)"),
        control("thresholds of alpha/2", threshold=0.5),
        control("exponent 5/4 of the number", bound="2*exp(-alpha**2*m**(5/4)/4)"),
    ],
    note="the best exponent is between 1/3.6, for small alpha, and 1/3.2",
    blind=TRUE_BEYOND,
)
def central_percentiles(m: int, alpha: float, *, threshold: float = PERCENTILE) -> Measured:
    """The exact chance that fewer than (1 - alpha) m/2 of m independent N(0, 1) are beyond 5 alpha/16 on some side."""
    return measured_lack(m, alpha, threshold)
