"""guo2024: inequalities between numbers, among them what the rate bound says of the slope.

Main claims: `jump_of_the_slope` (Section 4.1), `best_slope_of_the_rate_bound` (Corollary 3.3), which is about the bound
alone, `cubic_part_of_the_kernel`, `shrinking_separation`, `best_threshold` (truncation in Lemma B.4), `gaussian_tail`
(54), `logarithm_from_both_sides`, `completed_square`, `half_of_the_samples` (155) and `steps_of_the_recursion`.
"""

from collections.abc import Sequence

import flint
import sympy
from sympy import Rational, exp, log, pi, sin, sqrt

from bounds import Bound, Decision, all_of, at_least, certainly_le, is_positive, is_zero, nonnegative, symbol
from bounds.decisions.prove import no_negative_coefficient
from bounds.papers import guo2024 as sheet
from properties.shared.places import nowhere_violated
from theory.claims import Regime, Verdict, claim, control, form, grid, reals
from theory.evidence import Proof, Search, Step

slope, x, l, z, t, n = map(symbol, ("slope", "x", "l", "z", "t", "n"))  # noqa: E741
phi, angle, theta, a, b, eps, m = map(symbol, ("phi", "angle", "theta", "a", "b", "eps", "m"))
# A nonnegative variable: by how much a symbol exceeds the least value that is admitted.
U = sympy.Symbol("u", nonnegative=True)
POSITIVE = sympy.Symbol("threshold", positive=True)
JUMP = (1 - slope) / sympy.sqrt(1 + slope**2)

# Slopes below 1: those of the experiments, beyond -1, close to -1 from both sides, and towards both ends.
SLOPES = tuple(
    map(Rational, ("-100", "-10", "-2", "-1.01", "-1", "-0.99", "-1/2", "0", "1/20", "1/2", "9/10", "0.999"))
)


@claim(
    "guo2024:claim-derivative-gap",
    bound="sqrt(2)",
    premises=sheet.slope_below_one.reads("slope < 1"),
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at -1"),
    controls=[
        control("a hundredth less", bound="sqrt(2) - 1/100"),
        control("divided by 1 + |slope|, not by the root", jump=2 * (1 - slope) / (1 + sympy.Abs(slope))),
        control("not rescaled", jump=1 - slope),
    ],
    blind={f"premise {sheet.slope_below_one.text}": "the inequality is true of every slope; at -1 it is attained"},
    scope="part: the largest value; not that for slopes below 0 it is above 1, its value at slope 0",
)
def jump_of_the_slope(bound: Bound, *, jump: sympy.Expr = JUMP) -> list[Step]:
    """The jump of the derivative at 0, (1 - slope)/sqrt(1 + slope^2), against the bound, attained at -1 alone."""
    gap = Bound(bound.expr - jump)
    # Both sides are nonnegative below 1, so that their squares may be compared.
    rest = (bound.expr**2 - jump**2) * (1 + slope**2)
    return [
        nowhere_violated(gap, [{"slope": value} for value in SLOPES]),
        Step(
            "the difference of the squares, times 1 + slope^2, is (1 + slope)^2",
            is_zero(rest - (1 + slope) ** 2) or None,
        ),
        Step("it is attained at -1", is_zero(bound.expr - jump.subs(slope, -1)) or None),
    ]


def _signs(derivative: sympy.Expr, minimiser: Rational, places: Sequence[Rational]) -> Decision:
    """Whether the derivative is negative at the places below the minimiser and positive at those above."""
    values = [(place, derivative.subs(slope, place)) for place in places if place != minimiser]
    return all_of(at_least(*((0, value) if place < minimiser else (value, 0)), strict=True) for place, value in values)


@claim(
    "guo2024:corollary-3.3",
    bound=sheet.corollary_3_3.reads("(1 - slope)**2/(1 + slope**2)"),
    premises=sheet.slope_below_one.reads("slope < 1"),
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equalities and signs"),
    controls=[
        control("not squared", bound="(1 - slope)/(1 + slope**2)"),
        control("the sign of the slope turned", bound="(1 + slope)**2/(1 + slope**2)"),
        control(
            "slopes above 1, where it rises again", beyond=(Rational(3), Rational(10)), without=sheet.slope_below_one
        ),
    ],
    note="a statement about the bound on the rate, C free of the slope: it is least where this factor is largest",
)
def best_slope_of_the_rate_bound(bound: Bound, *, beyond: tuple[Rational, ...] = ()) -> list[Step]:
    """The factor f(slope) in the bound 1 - C f(slope) on gamma: it rises to 2 at -1, falls to 1 at 0 and to 0 at 1."""
    factor = bound.expr
    derivative = sympy.diff(factor, slope)
    values = {-1: 2, 0: 1, 1: 0}
    closed = derivative - 2 * (slope**2 - 1) / (1 + slope**2) ** 2
    inverse = factor - factor.subs(slope, 1 / slope)
    ends = [sympy.limit(factor, slope, end) for end in (sympy.oo, -sympy.oo)]
    return [
        Step(
            "it falls on (-1, 1) and rises below -1, at each place",
            _signs(-derivative, Rational(-1), [*SLOPES, *beyond]),
        ),
        Step(
            "2, 1 and 0 at -1, 0 and 1", all_of(is_zero(factor.subs(slope, at) - value) for at, value in values.items())
        ),
        Step("tends to 1 at both ends", ends == [1, 1]),
        Step(
            "the derivative is 2 (slope^2 - 1)/(1 + slope^2)^2, of one sign on either side of -1",
            is_zero(closed) or None,
        ),
        Step("the same at a slope and at its inverse", is_zero(inverse) or None),
    ]


@claim(
    "guo2024:claim-B16-corollary",
    bound="(1 + slope**2)/(1 - slope)**2",
    premises=sheet.slope_below_one.reads("slope < 1"),
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: equalities and signs"),
    controls=[
        control("not squared", bound="(1 + slope**2)/(1 - slope)"),
        control("the factor itself, largest there", bound="(1 - slope)**2/(1 + slope**2)"),
        control("slopes above 1, where it falls again", beyond=(Rational(3),), without=sheet.slope_below_one),
    ],
    note="least value 1/2 at -1: of the bound on the number of steps, not of the steps themselves",
)
def best_slope_for_convex_losses(bound: Bound, *, beyond: tuple[Rational, ...] = ()) -> list[Step]:
    """This factor of the bound on the number of steps: least at -1, where it is 1/2, and without limit towards 1."""
    factor = bound.expr
    derivative = sympy.diff(factor, slope)
    closed = derivative - 2 * (1 - slope**2) / (slope - 1) ** 4
    return [
        Step("falls below -1 and rises above it, at each place", _signs(derivative, Rational(-1), [*SLOPES, *beyond])),
        Step(
            "1/2 at -1, and without limit towards 1",
            [factor.subs(slope, -1), sympy.limit(factor, slope, 1, "-")] == [Rational(1, 2), sympy.oo],
        ),
        Step("its derivative is 2 (1 - slope^2)/(1 - slope)^4", is_zero(closed) or None),
    ]


# E[Z_1 Z_2 1{Z_1 >= 0 > Z_2}] of standard Gaussians at this angle, with its sign turned.
SIGN_CHANGE = (sin(angle) - angle * sympy.cos(angle)) / (2 * pi)
CHORD = 2 * sin(angle / 2)


@claim(
    "guo2024:claim-cubic",
    # With the angle v the ratio (sin v - v cos v) / (2 pi (2 sin(v/2))^3) rises from 1/(6 pi) for close points to 1/16
    # at antipodes, so that 1/16 is the least constant for all pairs.
    bound="theta**3/16",
    premises="none needed: standard Gaussians Z_1 and Z_2 of any correlation, the cosine of an angle up to pi",
    measured=["theta"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="attained at antipodes; 8/(3 pi) of the bound for close points"),
    controls=[
        control("a seventeenth", bound="theta**3/17"),
        control("power four", bound="theta**4/16"),
        control("the angle in place of the chord, and the constant for close points", bound="theta**3/(6*pi)"),
        control("both patterns of signs", times=2),
    ],
    note="1/16 is the least constant that serves at every angle. The bars in print are read as the indicator. With a "
    "theta below the chord, which (30) admits, none serves: at a right angle the size is 1/(2 pi), whatever theta is",
    scope="own constants: 1/16, where the print has an order; theta is the chord, and in print at most the chord",
)
def cubic_part_of_the_kernel(bound: Bound, *, times: int = 1) -> list[Step]:
    """The size of E[Z_1 Z_2 1{Z_1 >= 0 > Z_2}], (sin angle - angle cos angle)/(2 pi); theta is 2 sin(angle/2)."""
    gap = bound.expr.subs(theta, CHORD) - times * SIGN_CHANGE
    shown = nonnegative(gap, angle, 0, pi)
    return [Step(f"nowhere above on (0, pi]{shown.where}", shown)]


@claim(
    "guo2024:claim-telescoping-factor",
    bound=">= l**2/(l + 1)**2",
    premises=(
        "inputs close together, with C = 1/4, which the cubic term of the kernel needs [Appendix B.2, after eq. "
        "(39)]: phi*((1 - slope)**2/(4 + 4*slope**2) + 1) <= 1"
    ),
    measured=["l", "phi", "slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="1/2 against 1/4 in the first layer"),
    controls=[
        control("a quarter of 1/l", bound="1 - 1/(4*l)"),
        control("not squared, one layer on", bound="(l + 1)/(l + 2)"),
        control("separation twice as large", most=2, without="phi*((1 - slope)**2/(4 + 4*slope**2) + 1) <= 1"),
    ],
    scope="own constants: 1/4 for the C that is not given",
)
def shrinking_separation(bound: Bound, *, most: int = 1) -> list[Step]:
    """The number 1 - (C f(slope) + 1) phi/(2 l) for all l >= 1, least where the premise is attained; f is jump^2."""
    least = 1 - most / (2 * l)
    parts = (least - l / (l + 1), l / (l + 1) - bound.expr)
    above, rest = (sympy.fraction(sympy.together(part.subs(l, 1 + U)))[0].as_poly(U) for part in parts)
    places = [{"l": layer} for layer in (1, 2, 3, 10, 10**6)]
    return [
        nowhere_violated(Bound(least - bound.expr), places),
        Step("at least l/(l + 1): in u = l - 1 no coefficient is negative", _no_negative(above)),
        Step("which is at least the bound, likewise", _no_negative(rest)),
    ]


def _no_negative(polynomial: sympy.Poly | None) -> Decision | None:
    """That no coefficient is negative, which makes it nonnegative of nonnegative variables; None where it is not so."""
    return None if polynomial is None else no_negative_coefficient(polynomial.as_expr(), *polynomial.gens) or None


@claim(
    "guo2024:claim-xi-optimal",
    bound="= 3*m*a**(2/3)",
    premises="none needed: the least value over all positive thresholds, at any width and norm",
    measured=["m", "a"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality"),
    controls=[
        control("without the factor 3", bound="m*a**(2/3)"),
        control("the count without its factor 4", steepness=1),
        control("the count falls like 1/threshold", power=1),
    ],
    scope="own constants: 1 and 4 for those of (40) and (42), with which the printed order m a^(2/3) has the factor 3",
)
def best_threshold(bound: Bound, *, steepness: int = 4, power: int = 2) -> list[Step]:
    """The least of x m^(3/2) + 4 a^2/x^2, the counts of (40) and (42), over x > 0; a = ||g'_1||, g'_1 of Lemma B.4."""
    count = x * m ** Rational(3, 2) + steepness * a**2 / x**power
    least = 2 * a ** Rational(2, 3) / sqrt(m)
    flat, convex = sympy.diff(count, x).subs(x, least), sympy.diff(count, x, 2).subs(x, POSITIVE)
    return [
        Step("stationary at 2 a^(2/3)/sqrt(m)", is_zero(flat)),
        Step("convex at every positive threshold", is_positive(convex)),
        Step("the value there is the bound", is_zero(count.subs(x, least) / bound.expr - 1)),
    ]


# A two-sided tail at a threshold of z standard deviations.
TAIL = sympy.erfc(z / sqrt(2))
THRESHOLDS = tuple(map(flint.arb, (0.01, 0.5, 0.625, 1.0, 3.0, 10.0, 30.0)))


def _tail_steps(bound: Bound, sides: int) -> list[Step]:
    """That the Gaussian tail is at most the bound: at places in balls, and by the sign of a derivative and a limit."""
    tail = sides * TAIL
    met = [certainly_le(sides * (place / flint.arb(2).sqrt()).erfc(), bound.ball(z=place)) for place in THRESHOLDS]
    above = [str(place) for place, below in zip(THRESHOLDS, met, strict=True) if below is False]
    slower = sympy.simplify((sympy.diff(bound.expr, z) - sympy.diff(tail, z)) * exp(z**2 / 2) * z**2)
    return [
        Step(f"true in ball arithmetic at {len(met)} thresholds{' but ' * bool(above)}{', '.join(above)}", all(met)),
        Step("the gap falls for all thresholds", is_positive(-slower) or None),
        Step("and tends to 0", sympy.limit(bound.expr - tail, z, sympy.oo) == 0 or None),
    ]


@claim(
    "guo2024:eq-54",
    bound="exp(-z**2/2)/(sqrt(2*pi)*z)",
    premises="none needed: any Gaussian variable and any positive threshold, in its standard deviations",
    measured=["z"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("half of it", bound="exp(-z**2/2)/(2*sqrt(2*pi)*z)"),
        control("squared threshold", bound="exp(-z**2)/(sqrt(2*pi)*z)"),
    ],
    note="of |y| this is the tail of one side: at three standard deviations 0.0027 against 0.0015",
)
def gaussian_tail(bound: Bound) -> list[Step]:
    """P(|y| >= z sigma) of a Gaussian of deviation sigma against the printed bound."""
    return _tail_steps(bound, 1)


@claim(
    "guo2024:eq-54-corrected",
    bound="2*exp(-z**2/2)/(sqrt(2*pi)*z)",
    premises="none needed: any Gaussian variable and any positive threshold, in its standard deviations",
    measured=["z"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="the ratio tends to 1 for large thresholds"),
    controls=[
        control("both sides counted twice", sides=2),
        control("a tenth less", bound="9/5*exp(-z**2/2)/(sqrt(2*pi)*z)"),
        control("threshold not in the denominator", bound="2*exp(-z**2/2)/(sqrt(2*pi)*z**2)"),
    ],
    blind={"z in exp(-z**2/2)": "frozen at 1 it is a weaker bound, which is true"},
)
def gaussian_tail_of_both_sides(bound: Bound, *, sides: int = 1) -> list[Step]:
    """P(|y| >= z sigma) of a Gaussian of deviation sigma against twice the bound for one side."""
    return _tail_steps(bound, sides)


@claim(
    "guo2024:claim-square-completion",
    bound=sheet.claim_square_completion.reads("a**2*x**2/2"),
    sense=">=",
    premises=sheet.claim_square_completion_far.reads("a*x > 4*b"),
    measured=["a", "b", "x"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="25 b^2 against 8 b^2 at the least x"),
    controls=[
        control("twice the square", bound="2*a**2*x**2"),
        control("a power of x more", bound="a**2*x**3/2"),
        control("the sign of b turned, below 4 b/a", sign=-1, from_=2, without=sheet.claim_square_completion_far),
    ],
    note="printed with + b; the proof takes the square of a x - b, which the variant used is about",
)
def completed_square(bound: Bound, *, sign: int = 1, from_: int = 4) -> list[Step]:
    """The number (a x + b)^2 for x > 4 b/a against the bound; a, b > 0 is ours: for a = 1, b = -1, x = 1 it is 0."""
    return _square_steps(bound, sign, from_)


@claim(
    "guo2024:claim-square-completion-used",
    title="half of the square of a x - b beyond its vertex",
    bound=sheet.claim_square_completion.reads("a**2*x**2/2"),
    sense=">=",
    premises=sheet.claim_square_completion_far.reads("a*x > 4*b"),
    measured=["a", "b", "x"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="9 b^2 against 8 b^2 at the least x"),
    controls=[
        control("the whole square", bound="a**2*x**2"),
        control("0.6 of the square", bound="3/5*a**2*x**2"),
        control("from 3 b/a on", from_=3, without=sheet.claim_square_completion_far),
    ],
)
def completed_square_with_a_minus(bound: Bound, *, from_: int = 4) -> list[Step]:
    """The number (a x - b)^2 for a, b > 0 and x > 4 b/a, as the proof needs it, against the bound."""
    return _square_steps(bound, -1, from_)


def _square_steps(bound: Bound, sign: int, first: int) -> list[Step]:
    """That (a x + sign b)^2 is at least the bound for a x = first b + u, u >= 0, of which it is a polynomial."""
    gap = sympy.expand(((a * x + sign * b) ** 2 - bound.expr).subs(x, (first * b + U) / a))
    places = [{"a": value, "b": 1, "u": further} for value in (Rational(1, 2), 1, 3) for further in (0, 1, 100)]
    values = [gap.subs({a: at["a"], b: at["b"], U: at["u"]}) for at in places]
    known = all_of(at_least(value, 0) for value in values)
    return [
        Step(f"true in exact arithmetic at {len(places)} places", known),
        Step("no coefficient in u and b is negative", _no_negative(gap.as_poly(U, b))),
    ]


@claim(
    "guo2024:claim-log-bounds",
    bound="z",
    premises="argument above -1 [Appendix B.7, before eq. (121)]: z > -1",
    measured=["z"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: attained at 0"),
    controls=[
        control("the bound from below", bound="z/(1 + z)"),
        control("second order, with the wrong sign below 0", bound="z - z**2/2"),
        control("the lower bound without its denominator", below=z),
    ],
    blind={"premise z > -1": "outside of it the logarithm has no value"},
)
def logarithm_from_both_sides(bound: Bound, *, below: sympy.Expr = z / (1 + z)) -> list[Step]:
    """The number log(1 + z) against the bound from above, and z/(1 + z) from below, for all z > -1."""
    above, lower = bound.expr - log(1 + z), log(1 + z) - below
    places = [{"z": value} for value in map(Rational, ("-999/1000", "-1/2", "-1/1000", "0", "1/1000", "1", "1000"))]
    turns = [sympy.diff(above, z) - z / (1 + z), sympy.diff(lower, z) - z / (1 + z) ** 2]
    return [
        nowhere_violated(Bound(above), places),
        nowhere_violated(Bound(lower), places),
        Step("both gaps are 0 at 0", all_of(is_zero(gap.subs(z, 0)) for gap in (above, lower)) or None),
        Step("and have derivatives of the sign of z", all_of(map(is_zero, turns)) or None),
    ]


def _above(samples: int, roots: Rational) -> sympy.Rational:
    """P(S > n/2 + roots sqrt(n)) of S ~ Binomial(n, 1/2), exactly."""
    first = sympy.floor(Rational(samples, 2) + roots * sqrt(samples)) + 1
    return Rational(sum(sympy.binomial(samples, k) for k in range(int(first), samples + 1)), 2**samples)


def _share_steps(bound: Bound, roots: Rational, bend: Rational) -> list[Step]:
    """That so large a sum has at least the chance of the bound: for some n exactly, for all by Berry and Esseen."""
    numbers = (101, 102, 150, 1000)
    lowest = min((_above(number, roots), number) for number in numbers)
    normal = sympy.erfc(sqrt(2) * roots) / 2
    rest = normal - bend / sqrt(101) - bound.expr
    return [
        Step(
            f"exact at n = {', '.join(map(str, numbers))}; least {float(lowest[0]):.4f} at {lowest[1]}",
            at_least(lowest[0], bound.expr),
        ),
        Step("the normal chance less the error of Berry and Esseen at 101 is enough", at_least(rest, 0) or None),
    ]


HALF, ONE = Rational(1, 2), Rational(1)

# The constant of Shevtsova (2011) for sums of independent variables of one law, whose third absolute moment is 1 here.
BERRY_ESSEEN = Rational(4748, 10000)


@claim(
    "guo2024:eq-155-156",
    bound=sheet.eq_155_156.reads("1/10"),
    sense=">=",
    premises=sheet.eq_155_156_samples.reads("n > 100"),
    measured=["n"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[control("a quarter", bound="1/4"), control("two roots of n", roots=Rational(2))],
    blind={f"premise {sheet.eq_155_156_samples.text}": "refuted for every n beyond it"},
    note="the root of n is two standard deviations of the sum, whose limiting chance is 0.0228",
)
def half_of_the_samples(bound: Bound, *, roots: Rational = ONE) -> list[Step]:
    """The chance that more than n/2 + sqrt(n) of n fair coins show heads, (155), and so (156), against the bound."""
    return _share_steps(bound, roots, BERRY_ESSEEN)


@claim(
    "guo2024:eq-155-156-corrected",
    bound=sheet.eq_155_156.reads("1/10"),
    sense=">=",
    premises=sheet.eq_155_156_samples.reads("n > 100"),
    measured=["n"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="0.111 by the proof, 0.137 or more exactly, against 0.1"),
    controls=[
        control("0.16", bound="4/25"),
        control("two standard deviations", roots=Rational(1)),
        control("ten coins", numbers=(10, 12), without=sheet.eq_155_156_samples),
    ],
    note="by symmetry the same of fewer than n/2 - sqrt(n)/2",
)
def one_deviation_of_the_samples(bound: Bound, *, roots: Rational = HALF, numbers: tuple[int, ...] = ()) -> list[Step]:
    """The chance that more than n/2 + sqrt(n)/2 of n fair coins show heads, one standard deviation, against a tenth."""
    few = [
        Step(f"as well at n = {number}", at_least(_above(number, roots), Rational(18, 100), strict=True))
        for number in numbers
    ]
    return [*_share_steps(bound, roots, BERRY_ESSEEN), *few]


OUTSIDE = {
    f"premise {sheet.claim_convex_recursion_start.text}": "beyond it the slowest sequence falls at once",
    f"premise {sheet.claim_convex_recursion_above.text}": "below it there is no step to count",
}
RECURSION = Regime(
    cells=grid(b=[1.0, 40.0]), draw={"c": reals(1e-3, 0.025, logarithmic=True), "eps": reals(0.05, 0.999)}
)


@claim(
    "guo2024:claim-convex-recursion",
    bound="log(b/eps)/(c*eps)",
    premises=[
        sheet.claim_convex_recursion_start.reads("c*b <= 1"),
        sheet.claim_convex_recursion_above.reads("eps < b"),
    ],
    regime=RECURSION,
    evidence=Search(adversary="the slowest sequence: equality at every step"),
    controls=[
        control("without the accuracy", bound="log(b/eps)/c"),
        control("half of it", bound="log(b/eps)/(2*c*eps)"),
        control("decrease by the cube", power=3),
    ],
    blind={**OUTSIDE, "eps in log(b/eps)": "not needed, as sharp shows"},
    note="b is the excess at the start; equality is slowest of all E_{t+1} <= E_t - c E_t^2; no logarithm is needed",
)
@form(
    "sharp",
    title="number of steps of a recursion with quadratic decrease, without the logarithm",
    bound="(1/eps - 1/b)/c",
    controls=[
        control("logarithms for inverses", bound="log(b/eps)/c"),
        control("nine tenths", bound="9/10*(1/eps - 1/b)/c"),
        control("decrease by the cube", power=3),
    ],
    note="1/E grows by c at least in every step, so that no logarithm is lost",
    blind=OUTSIDE,
)
def steps_of_the_recursion(b: float, c: float, eps: float, *, power: int = 2) -> int:
    """The number of t >= 1 with E_t > eps, for E_{t+1} = E_t - c E_t^2 from E_0 = b on."""
    return _steps_above(b, c, eps, power)


def _steps_above(start: float, c: float, eps: float, power: int) -> int:
    """The last t whose excess is above eps."""
    steps, excess = 0, start
    while (excess := excess - c * excess**power) > eps:
        steps += 1
    return steps
