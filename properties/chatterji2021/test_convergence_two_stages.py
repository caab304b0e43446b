"""chatterji2021 on gradient descent from Gaussian weights: Lemmas D.6 and D.8, and Theorem 3.3 in its parts.

Main claims: `mean_loss_of_a_run`, `least_loss_of_a_run`, `stays_in_the_ball`, and `second_stage` and `first_stage` of
Theorem 3.3. The first stage takes 3^26 steps and more, so that it is its proof that is followed.
"""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import sympy
from hypothesis import strategies as st
from numpy.random import Generator

from bounds import Bound, all_of, at_least, is_zero, no_negative_coefficient, symbol
from bounds.papers import chatterji2021 as sheet
from nets import DataSource, arranged, layer_distances, logistic_terms
from properties.chatterji2021.linearised_descent import (
    GRAM_ERROR,
    Comparator,
    LinearisedDescent,
    compare_with_best,
    descent_with_comparator,
    linearisation_error,
)
from properties.chatterji2021.tangent_features import Tangent, tangent, two_stage_smoothing, wide_network
from properties.shared.places import at_most, below_at
from theory.claims import Measured, Regime, choices, claim, control, form, grid, reals
from theory.evidence import Proof, Search, Step


def _start(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, labels: str, points: str = "drawn"
) -> Tangent:
    """Points of a family, random weights; labels are "random", "wrong" (as the network has them not) or its "own"."""
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    h = two_stage_smoothing(m, max(n, 3), L)
    start = tangent(wide_network(X.shape[1], m, L, rng), X, y, h)
    if labels != "random":
        y = np.sign(start.fwd.output) * (1.0 if labels == "own" else -1.0)
        start = tangent(start.net, X, y, h)
    return start


def _longest_step(start: Tangent, L: int, share: float) -> float:
    """`share` of the longest step that the layer gradients at the start allow; those of the path decide."""
    largest = float(start.features.layer_norms.max())
    if largest == 0.0:
        raise ValueError(f"a network of width {start.net.widths[1]} is silent at all points: ask for wider layers")
    return share / (2.0 * (L + 1) * largest**2)


# Labels of an instance: random, those that the network gets wrong at the start, its own. In the balls of all cells the
# linearised loss is so far below that of the start that no run that stays there meets the bound with the worst labels.
NARROW = grid(m=1000, L=1, n=4, d=8, reach=1.8, starts=1)
# So few neurons that the linearisation errs by an eighth and more, at the worst of some starts.
FEW_NEURONS = grid(m=100, L=1, n=1, d=8, reach=2.0, starts=24)
# A ball in which the loss is nearly linear, so that the inequality has no room but what squares of steps are given.
NEAR = grid(m=1000, L=1, n=1, d=8, reach=0.05, starts=1)
RUN = Regime(
    cells=[
        *FEW_NEURONS,
        *NARROW,
        *grid(m=400, L=2, n=4, d=8, reach=1.0, starts=1),
        *grid(m=700, L=3, n=2, d=8, reach=0.7, starts=1),
        *grid(m=10**4, L=2, n=2, d=8, reach=0.7, starts=1),
        {**NARROW[0], "points": "near duplicates"},
    ],
    thorough=[*grid(m=10**5, L=2, n=2, d=8, reach=1.0, starts=1), *grid(m=10**4, L=3, n=2, d=8, reach=0.5, starts=1)],
    draw={"K": st.integers(1, 12), "share": reals(0.3, 0.9), "labels": choices("random", "wrong", "own")},
    pinned=[
        {"K": 8, "share": 0.9, "labels": "wrong", "trial": 0},
        {"K": 1, "share": 0.3, "labels": "wrong", "trial": 1},
    ],
    usual={"points": "drawn"},
)


def _examples(m: int) -> int:
    return 4 if m <= 100 else 8 if m <= 1000 else 1


def _mean(above: str = "away**2 - awayT**2 + 2*K*eta*eNT", below: str = "3/2 - 4*eapp") -> str:
    return f"({above})/(K*eta*({below}))"


@claim(
    "chatterji2021:lemma-D.6",
    bound="(away**2 - awayT**2 + 2*K*eta*eNT)/(K*eta*(3/2 - 4*eapp))",
    premises=[sheet.lemma_D_6_step.reads("eta <= 1/(2*(L + 1)*Gmax**2)"), "small error of linearisation: eapp < 3/8"],
    measured=["eNT", "eapp", "Gmax", "away", "awayT", "eta"],
    regime=RUN,
    evidence=Search(examples=_examples, adversary="labels that the network gets wrong, steps close to the longest"),
    controls=[
        control("linearised loss counted once", bound=_mean("away**2 - awayT**2 + K*eta*eNT"), cells=NARROW),
        control("denominator 5/2", bound=_mean(below="5/2 - 4*eapp"), cells=NARROW),
        control("last distance counted twice", bound=_mean("away**2 - 2*awayT**2 + 2*K*eta*eNT"), cells=NARROW),
        control("error of linearisation with the other sign", bound=_mean(below="3/2 + 4*eapp"), cells=FEW_NEURONS),
        control("ascent", upwards=True, cells=NARROW),
        control("steps ten times as long", stretch=10.0, cells=NEAR, without=sheet.lemma_D_6_step),
    ],
    idle={"moved": False},
    note="eapp, Gmax are the run's, where the lemma has suprema over the ball. At best 3/4 of the bound is met: a "
    "quarter is for squares of steps. h = (1+24 L) log(max(n, 3))/(10 (6 m)^((L+1)/2) L^3)",
    scope="own constants: 1/(2 (L + 1) Gmax^2), where the print has an order",
    blind={
        "term -4*eapp": "a quarter of the first power is set aside for squares of steps, which hides that it is left "
        "out, but not that it has the other sign",
        "premise eapp < 3/8": "beyond it the bound is below 0, as no mean loss is, so that missing it shows nothing",
    },
)
def mean_loss_of_a_run(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    reach: float,
    starts: int,
    K: int,
    share: float,
    labels: str,
    points: str,
    *,
    upwards: bool = False,
    stretch: float = 1.0,
    moved: bool = True,
) -> Measured:
    """Mean J(V^(t)), t = 1 to K <= 12. V*, each layer within reach/sqrt(m) of V^(1), has least linearised loss eNT.

    away, awayT are ||V* - V^(1)|| and ||V* - V^(K+1)||, eapp is the largest |f(V*) - f(V) - <grad f(V), V* - V>| and
    Gmax the largest ||grad_l f(V)|| at the iterates V. Of several starts that of the largest such error up to 1/3.
    """
    start, best = _worst_of(
        [_start(rng, data, m, L, n, d, labels, points) for _ in range(starts)], reach / math.sqrt(m)
    )
    eta = stretch * _longest_step(start, L, share)
    run = descent_with_comparator(start, best, eta if moved else 0.0, K, upwards)
    symbols = _symbols(best, run, eta)
    if stretch > 1.0:
        # Beyond 3/8 the bound would change its sign.
        symbols["eapp"] = min(run.error, 0.3)
    return Measured(float(run.losses.mean()), symbols=symbols)


def _worst_of(starts: list[Tangent], radius: float) -> tuple[Tangent, Comparator]:
    """The start at which the linearisation errs most at the best point of its ball, but for those above 1/3."""
    pairs = [(start, compare_with_best(start, radius)) for start in starts]
    errors = [linearisation_error(start.net, start.fwd, start.features, best) for start, best in pairs]
    return pairs[int(np.argmax([error if error <= 1.0 / 3.0 else 0.0 for error in errors]))]


def _symbols(best: Comparator, run: LinearisedDescent, eta: float) -> dict[str, float]:
    return {"eNT": best.low, "eapp": run.error, "Gmax": run.steepest, "away": run.away, "awayT": run.last, "eta": eta}


# Where the loss at the start exceeds six times the linearised loss, so that descent has something to do. No other
# instance counts: the start is one of the iterates.
ONE_SAMPLE = grid(m=2000, L=1, n=1, d=8, reach=3.5)
TWO_SAMPLES = grid(m=4000, L=1, n=2, d=8, reach=4.5)
TWO_LAYERS = grid(m=2000, L=2, n=1, d=8, reach=1.7)
FULL_RUN = Regime(
    cells=[*ONE_SAMPLE, *TWO_SAMPLES, *TWO_LAYERS],
    thorough=[*grid(m=10**4, L=1, n=2, d=8, reach=5.0), *grid(m=10**4, L=2, n=1, d=8, reach=2.0)],
    draw={"share": reals(0.5, 0.9), "labels": choices("random", "wrong", "own")},
    pinned=[{"share": 0.9, "labels": "wrong"}, {"share": 0.9, "labels": "own"}],
)
# No start is set aside where the distance is judged, so that the longest runs, those with labels of its own, can wait.
BALL_RUN = replace(
    FULL_RUN,
    cells=[*FULL_RUN.cells, *grid(m=10**4, L=1, n=1, d=8, reach=3.5)],
    draw={**FULL_RUN.draw, "labels": choices("random", "wrong")},
    pinned=FULL_RUN.pinned[:1],
)
# A ball in which the linearised loss stays near that of the start, so that descent ends above it.
SHORT_REACH = grid(m=1000, L=1, n=4, d=8, reach=1.5)
# And one that a few steps cross.
FEW_STEPS = grid(m=2000, L=2, n=1, d=8, reach=0.6)
FULL_RUN_SYMBOLS = ["eNT", "eapp", "Gmax", "eta", "K", "away", "tau", "awayT", "J1"]

# What the least loss of a run need not see.
BEYOND_THE_PREMISES = {
    f"premise {sheet.lemma_D_6_step.text}": "a run that overshoots errs in its linearisation too: lemma-D.6 sees it",
    f"premise {sheet.lemma_D_8_error.text}": "a third of what lemma-D.6 allows, which sees it",
}
MEAN_OF_THE_LOSSES = "the least loss lies far below the mean: lemma-D.6 sees it, in the mean of the losses"


def _full_examples(m: int, L: int) -> int:
    return 2 if m <= 2000 and L == 1 else 0


def _steps(best: Comparator, eta: float, L: int) -> int:
    """ceil((L + 1) rho^2/(4 eta eNT))."""
    return math.ceil((L + 1) * best.radius**2 / (4.0 * eta * best.low))


def _full_run(
    rng: Generator,
    data: DataSource,
    sizes: tuple[int, int, int, int],
    reach: float,
    share: float,
    labels: str,
    part: float = 1.0,
    stretch: float = 1.0,
    followed: bool = False,
    more: int = 0,
) -> tuple[LinearisedDescent, dict[str, float]]:
    """The run of `_steps`, or `part` of them and some `more`, and its symbols; rho = reach/sqrt(m).

    The losses are those of the iterates stepped from: a run of one step has that of the start alone.
    """
    m, L, n, d = sizes
    start = _start(rng, data, m, L, n, d, labels)
    best = compare_with_best(start, reach / math.sqrt(m))
    eta = _longest_step(start, L, share)
    steps = _steps(best, eta, L)
    taken = max(1, math.ceil(part * steps)) + more
    run = descent_with_comparator(start, best, stretch * eta, taken, followed=followed)
    symbols = {**_symbols(best, run, eta), "K": steps, "tau": 3.0 * L * best.radius, "J1": run.losses[0]}
    return run, symbols


@claim(
    "chatterji2021:lemma-D.8",
    bound="6*eNT",
    premises=[sheet.lemma_D_6_step.reads("eta <= 1/(2*(L + 1)*Gmax**2)"), sheet.lemma_D_8_error.reads("eapp <= 1/8")],
    measured=FULL_RUN_SYMBOLS,
    regime=FULL_RUN,
    evidence=Search(examples=_full_examples, adversary="labels that the network gets wrong, one sample among them"),
    ceiling="J1",
    idle={"part": 0.0},
    controls=[
        control("no step", part=0.0),
        control("a fiftieth of the steps", part=0.02, cells=ONE_SAMPLE),
        control("no more than the linearised loss", bound="eNT", cells=SHORT_REACH),
        control("a sixth of the linearised loss", bound="eNT/6", cells=TWO_SAMPLES),
    ],
    note="eapp is the largest |f(V*) - f(V) - <grad f(V), V* - V>|, V* the best point of the ball, Gmax the largest "
    "||grad_l f(V)||, both at the run's V; h = (1+24 L) log(max(n, 3))/(10 (6 m)^((L+1)/2) L^3)",
    scope="chain: all K steps, from eapp <= 1/8 and a step by Gmax on, without radius, width and chance behind them",
    blind={**BEYOND_THE_PREMISES, "eNT": MEAN_OF_THE_LOSSES},
)
@form(
    "sharp",
    title="gradient descent reaches the linearised loss plus a distance over the length of the run",
    bound="(2*eNT + away**2/(K*eta))/(3/2 - 4*eapp)",
    controls=[
        control("no step", part=0.0),
        control("a fiftieth of the steps, counted in full", part=0.02, cells=ONE_SAMPLE),
        control("distance left out, and squares of steps", bound="2*eNT/(2 - 4*eapp)", cells=SHORT_REACH),
        control("distance left out", bound="2*eNT/(3/2 - 4*eapp)", cells=FEW_STEPS),
    ],
    blind={
        **BEYOND_THE_PREMISES,
        **dict.fromkeys(("K", "eta", "eapp", "eNT", "away", "term 2*eNT", "term away**2/(K*eta)"), MEAN_OF_THE_LOSSES),
        "term -4*eapp": "it moves the bound by a third at most, far above the least loss; lemma-D.6 sees its sign",
    },
    says="The distance from V^(1) to the best point V* of that ball is away. At the run's V, eapp is the largest "
    "|f(V*) - f(V) - <grad f(V), V* - V>|, Gmax the largest ||grad_l f(V)||.",
)
def least_loss_of_a_run(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    reach: float,
    share: float,
    labels: str,
    *,
    part: float = 1.0,
) -> Measured:
    """Least J(V^(t)), t = 1 to K = ceil((L + 1) rho^2/(4 eta eNT)); eNT is the least linearised loss of the rho-ball.

    The ball has the centre V^(1), and radius rho = reach/sqrt(m) in each layer.
    """
    run, symbols = _full_run(rng, data, (m, L, n, d), reach, share, labels, part)
    least = float(run.losses.min())
    # A path multiplies its roundings, by less than that (test_linearised_descent); in another order of sums by 8e-12.
    return Measured(least, error=1e-9 * abs(least), symbols=symbols)


SMALL_BALLS = grid(m=400, L=[1, 2], n=[1, 4], d=8, reach=[0.3, 2.0])


@claim(
    "chatterji2021:lemma-D.8-distance",
    title="the steps of the run cover the distance to the best point of the ball",
    bound="4*K*eta*eNT",
    premises="none needed: ball, of rho = reach/sqrt(m), and number of steps are the lemma's, for any step eta",
    measured=["eNT", "eta", "K"],
    regime=Regime(
        cells=SMALL_BALLS,
        thorough=grid(m=10**4, L=[1, 3], n=2, d=8, reach=1.0),
        draw={"share": reals(0.3, 0.9), "labels": choices("random", "wrong", "own")},
        pinned=[{"share": 0.3, "labels": "own"}],
    ),
    evidence=Search(examples=2, adversary="many steps, so that little is gained by rounding up their number"),
    idle={"taken": 0},
    controls=[
        control("steps for one layer", every_layer=False),
        control("steps for the loss at the start", linearised=False, cells=grid(m=400, L=1, n=1, d=8, reach=2.0)),
    ],
    note="each layer of the best point is as far away as the ball allows, so that equality is near; h is h_NT with 10 "
    "for 6",
    scope="chain: all K steps, by their number alone",
)
def steps_cover_the_distance(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    reach: float,
    share: float,
    labels: str,
    *,
    every_layer: bool = True,
    linearised: bool = True,
    taken: int = 1,
) -> Measured:
    """Square ||V* - V^(1)||^2, K = ceil((L + 1) rho^2/(4 eta eNT)); V* has the rho-ball's least linearised loss eNT."""
    start = _start(rng, data, m, L, n, d, labels)
    best = compare_with_best(start, reach / math.sqrt(m))
    eta = _longest_step(start, L, share)
    wanted = best if linearised else replace(best, low=float(logistic_terms(start.margins).loss.mean()))
    steps = taken * _steps(wanted, eta, L if every_layer else 0)
    distance = float(np.sum(layer_distances(best.net, start.net) ** 2))
    return Measured(distance, symbols={"eNT": best.low, "eta": eta, "K": steps})


@claim(
    "chatterji2021:lemma-D.8-ball",
    title="no layer leaves the ball on the way to the best linearised loss",
    bound="tau",
    premises=[sheet.lemma_D_6_step.reads("eta <= 1/(2*(L + 1)*Gmax**2)"), sheet.lemma_D_8_error.reads("eapp <= 1/8")],
    measured=FULL_RUN_SYMBOLS,
    regime=BALL_RUN,
    evidence=Search(examples=_full_examples, adversary="labels that the network gets wrong, one sample among them"),
    controls=[
        control("a third of the ball of the comparison, rho", bound="tau/(3*L)", cells=ONE_SAMPLE),
        control(
            "steps without limit",
            stretch=1000.0,
            cells=ONE_SAMPLE,
            without=(sheet.lemma_D_6_step, sheet.lemma_D_8_error),
        ),
        control("V^(K+1) too, in a ball that one step leaves", more=1, cells=grid(m=2000, L=1, n=1, d=8, reach=1e-3)),
    ],
    idle={"stretch": 0.0},
    note="t <= K: by the sum behind Lemma D.6 V^(t) is within sqrt(3 (L + 1)/2) rho of V*, which is within rho of "
    "V^(1) in a layer. In a tiny ball K is 1, and V^(2) outside",
    blind=dict.fromkeys(
        BEYOND_THE_PREMISES, "runs that leave the ball leave both premises, as those of the control do"
    ),
)
def stays_in_the_ball(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    reach: float,
    share: float,
    labels: str,
    *,
    stretch: float = 1.0,
    more: int = 0,
) -> Measured:
    """The largest ||V_l^(t) - V_l^(1)||, t = 1 to K = ceil((L + 1) rho^2/(4 eta eNT)); tau = 3 L rho.

    rho is reach/sqrt(m), eNT the rho-ball's least linearised loss; eapp is the largest |f(V*) - f(V) - <grad f(V),
    V* - V>|, V* the best point of the ball, Gmax the largest ||grad_l f(V)||, at these V; h is h_NT with 10 for 6.
    """
    run, symbols = _full_run(rng, data, (m, L, n, d), reach, share, labels, stretch=stretch, followed=True, more=more)
    return Measured(run.furthest, error=GRAM_ERROR * run.furthest, symbols=symbols)


m, n, L = map(symbol, ("m", "n", "L"))
SIZES = [
    dict(zip(("n", "L", "m"), sizes, strict=True))
    for sizes in itertools.product((3, 10**4), (1, 2, 3, 10, 1000), (64, 10**9))
]


def _sizes(*, fewer: int = 0, narrower: int = 1) -> list[dict[str, int]]:
    """Sizes at which formulas are tried, with so many samples `fewer` and widths divided by `narrower`."""
    return [{**at, "n": at["n"] - fewer, "m": at["m"] // narrower} for at in SIZES]


def _rate(constant: int) -> Bound:
    """Q tilde of (3c) at the step (3b), first term, norm sqrt(6 m L), loss n^-(1 + 24 L), h_NT with `constant` for 6.

    A smaller norm and a smaller loss make it larger.
    """
    h, eta, J1, norm = map(symbol, ("h", "eta", "J1", "normV1"))
    step = sheet.eq_3b_first.expr.subs(h, sheet.eq_5.expr * sympy.Rational(6, constant))
    rate = sheet.eq_3c.expr.subs(eta, step)
    return Bound(rate.subs({norm: sympy.sqrt(6 * m * L), sympy.log(1 / J1): (1 + 24 * L) * sympy.log(n)}))


def _exactly(constant: int, rate: Bound) -> list[Step]:
    """Steps that put `rate` below Q tilde for all sizes, given that it is 1/(c L^... ) with some c.

    Q tilde over the rate is c * 6/(1024 constant) * (1 + 24 L)(L + 3/4)^2/(L^2 (L + 1/2)) * log(n) * a power of the
    logarithm of the loss, which exceeds 1; the rational function of L is above 24.
    """
    log_loss = (1 + 24 * L) * sympy.log(n)
    rational = (1 + 24 * L) * (L + sympy.Rational(3, 4)) ** 2 / (L**2 * (L + sympy.Rational(1, 2)))
    c = sympy.simplify(1 / (rate.expr * L ** ((3 * L + 7) / 2) * (L + 1) ** 2 * (6 * m) ** (2 * L + 5)))
    claimed = c * sympy.Rational(6, 1024 * constant) * rational * sympy.log(n) * log_loss ** (2 / L)
    shares = _rate(constant).expr / rate.expr / claimed
    quotient = sympy.simplify(sympy.powsimp(sympy.expand_log(shares), force=True))
    excess = sympy.Poly(sympy.cancel((rational - 24) * L**2 * (L + sympy.Rational(1, 2))), L)
    enough = None
    if c.is_number:
        # log(3) > 1
        enough = at_least(c * sympy.Rational(6 * 24, 1024 * constant), 1)
    return [
        Step(
            "the quotient is c times a rational function of L, log(n) and a power of the log-loss",
            is_zero(shares - 1, quotient - 1),
        ),
        Step("the rational function is at least 24", no_negative_coefficient(excess.as_expr(), L)),
        Step("c is large enough for the rest, the power of the log-loss being above 1", enough),
    ]


@claim(
    "chatterji2021:thm-3.3-rate",
    title="rate of the second stage at the norm and the bend that its proof inserts",
    bound=sheet.theorem_3_3_rate.reads("1/(50*L**((3*L + 7)/2)*(L + 1)**2*(6*m)**(2*L + 5))"),
    sense=">=",
    premises=sheet.theorem_3_1_samples.reads("n >= 3"),
    regime=Regime(cells=grid()),
    measured=["n", "L", "m"],
    evidence=Proof(margin="42.7 is needed of the constant 50, short of log(3) and of powers of the log-loss"),
    controls=[
        control("30 for 50", bound="1/(30*L**((3*L + 7)/2)*(L + 1)**2*(6*m)**(2*L + 5))"),
        control("corrected bend, the rate as it was", constant=10),
        control("(6 m)^(2 L + 4)", bound="1/(50*L**((3*L + 7)/2)*(L + 1)**2*(6*m)**(2*L + 4))"),
        control("L^((3 L + 5)/2)", bound="1/(50*L**((3*L + 5)/2)*(L + 1)**2*(6*m)**(2*L + 5))"),
        control("two samples", fewer=1, without=sheet.theorem_3_1_samples),
    ],
    blind={"term 1": "powers of the log-loss, which the rate leaves out, make up for a factor of (1 + 1/L)^2"},
    note="with h_NT as printed, which is above its limit: the arithmetic alone; 72 takes the place of 50 below it",
    scope="chain: the rate of the proof in numbers",
)
def rate_as_printed(bound: Bound, *, constant: int = 6, fewer: int = 0) -> list[Step]:
    """Q tilde = L (L+3/4)^2 eta J log^(2/L)(1/J)/((L+1/2) N^2) at eta = h/(1024 (L+1)^2 m J N^(3L+5)), for all sizes.

    N = sqrt(6 m L), J = n^-(1+24 L), h = h_NT = (1+24 L) log(n)/(6 (6 m)^((L+1)/2) L^3); n is at least 3, less `fewer`.
    """
    meets = [below_at(bound, _rate(constant), at) for at in _sizes(fewer=fewer)]
    steps = [Step("the rate is below Q tilde, at every size tried", all_of(meets))]
    if bound.expr == sheet.theorem_3_3_rate.expr:
        steps += _exactly(constant, bound)
    return steps


@claim(
    "chatterji2021:thm-3.3-corrected",
    title="the second of two stages of descent: its rate by Theorem 3.1, with the corrected bend",
    bound="C*L**((3*L + 11)/2)*(6*m)**(2*L + 5)/(n**(1 + 24*L)*k)",
    constants={"C": (288, "72 (L + 1)^2 <= 288 L^2")},
    premises=[sheet.theorem_3_1_samples.reads("n >= 3"), sheet.theorem_3_3_bend_width.reads("m >= log(n)")],
    regime=Regime(cells=grid()),
    measured=["n", "L", "m", "k"],
    evidence=Proof(margin="the norm sqrt(6 m L) for a typical sqrt((2 L + 1) m), and 1 for powers of the log-loss"),
    controls=[
        control("h_NT as printed", constant=6),
        control("one sample", fewer=2, without=sheet.theorem_3_1_samples),
        control("a width of one", narrower=64, without=sheet.theorem_3_3_bend_width),
        control("(6 m)^(2 L + 4)", bound="288*L**((3*L + 11)/2)*(6*m)**(2*L + 4)/(n**(1 + 24*L)*k)"),
        control("L^((3 L + 9)/2)", bound="288*L**((3*L + 9)/2)*(6*m)**(2*L + 5)/(n**(1 + 24*L)*k)"),
        control("loss n^-(2 + 24 L) at the start", bound="288*L**((3*L + 11)/2)*(6*m)**(2*L + 5)/(n**(2 + 24*L)*k)"),
    ],
    note="part 2 alone, given Theorem 3.1 and ||V|| <= sqrt(6 m L) where the first stage ends, with the corrected h_NT "
    "(10 for 6) and the constant that goes with it. m >= log(n), ours, puts h_NT below 1; the width is judged apart",
    scope="chain: part 2 in numbers, given Theorem 3.1 and the norm where the first stage ends",
)
def second_stage(bound: Bound, *, constant: int = 10, fewer: int = 0, narrower: int = 1) -> list[Step]:
    """The loss n^-(1 + 24 L)/(Q k + 1) that Theorem 3.1 gives after k steps; h_NT <= h_max, Q <= Q tilde and 1/2.

    Q = 1/(72 L^((3 L + 7)/2) (L + 1)^2 (6 m)^(2 L + 5)), a rate at the step (3b); Q tilde itself gives less.
    """
    k = symbol("k")
    rate = Bound(1 / (72 * L ** ((3 * L + 7) / 2) * (L + 1) ** 2 * (6 * m) ** (2 * L + 5)))
    square = Fraction(24**2, constant**2 * 6)
    h = Bound(sheet.eq_5.expr * sympy.Rational(6, constant))
    tried = _sizes(fewer=fewer, narrower=narrower)
    h_max = [below_at(h, sheet.theorem_3_3_h_max, at) for at in tried]
    # The step (3b) is its first term or makes Q tilde 1/2.
    half = [below_at(rate, Bound(sympy.S.Half), at) for at in tried]
    fixed = {symbol(name): constant.value for name, constant in bound.constants.items()}
    ratio = sympy.simplify(sympy.powsimp(bound.expr.subs(fixed) * rate.expr * k / sheet.eq_3_loss.expr, force=True))
    sizes = [{**{symbol(name): size for name, size in at.items()}, k: count} for at in tried for count in (1, 10**400)]
    meets = [at_most(sympy.S.One, ratio.subs(at)) for at in sizes]
    true_rate = Bound(sheet.eq_3_loss.expr / (_rate(constant).expr * k + 1))
    tight = [below_at(true_rate, bound, {**at, "k": 10**400}) for at in tried]
    order = sympy.Poly(sympy.expand(288 * L**2 - 72 * (L + 1) ** 2).subs(L, L + 1), L)
    below_one = sympy.Poly(sympy.expand(6 * constant * L**3 - 24 * L - 1).subs(L, L + 1), L)
    return [
        Step("24/sqrt(6) over the constant of h_NT is at most 1", at_least(1, square)),
        Step("h_NT is below its limit, at every size tried", all_of(h_max)),
        # The power (6 m)^((L + 1)/2) is 6 m at least, and m is log(n) at least.
        Step("and below 1 at all sizes: 1 + 24 L <= 60 L^3", no_negative_coefficient(below_one.as_expr(), L)),
        *_exactly(constant, rate),
        Step("the rate is at most 1/2", all_of(half)),
        Step("72 (L + 1)^2 <= 288 L^2", no_negative_coefficient(order.as_expr(), L)),
        Step(
            "the loss that Theorem 3.1 gives at that rate is at most the bound, in fractions where tried", all_of(meets)
        ),
        Step("so is the one at Q tilde itself", all_of(tight)),
    ]


@claim(
    "chatterji2021:thm-3.3-first",
    title="the first stage ends below its target after the steps of the theorem, and inside the ball",
    bound="n**(-(2 + 24*L))",
    premises="none needed: its sums are in units of the target, where width and radius cancel",
    regime=Regime(cells=grid()),
    measured=["n", "L"],
    evidence=Proof(margin="none in the number of steps: 1/3 and 2/3 of the target make it up"),
    controls=[
        control("steps (L + 1) rho^2 n^(2 + 24 L)/alpha", factor=Fraction(1)),
        control("linearised loss 1/(4 n^(2 + 24 L))", part=4),
        control("ball of radius 2 L rho", radius=2),
        control("target n^-(3 + 24 L)", bound="n**(-(3 + 24*L))"),
    ],
    note="(46): Lemma D.8 with the number of steps of the theorem, which has 1/(6 n^(2 + 24 L)) for the linearised"
    " loss; Lemma D.9 and eq. (4) provide that loss",
    scope="chain: the sums of the first stage in exact fractions",
)
def first_stage(bound: Bound, *, factor: Fraction = Fraction(3, 2), part: int = 6, radius: int = 3) -> list[Step]:
    """The 2 eNT + (L + 1) rho^2/(T alpha) above the least of T losses, eNT = 1/(6 N), T alpha = 3 (L + 1) rho^2 N/2.

    N is n^(2 + 24 L). An iterate is within (sqrt(3 L) + 1) rho of V^(1) in each layer, at most tau = 3 L rho.
    """
    # 2 eNT + (L + 1) rho^2/(T alpha), T alpha = factor (L + 1) rho^2 n^(2 + 24 L)
    reached = Fraction(2, part) + 1 / factor
    sizes = [{n: 3, L: depth} for depth in (1, 2, 5)]
    target = sympy.simplify(bound.expr * n ** (2 + 24 * L))
    below = all_of([at_most(sympy.Rational(reached), target.subs(at)) for at in sizes])
    times_n = sympy.simplify(bound.expr * n / sheet.eq_3_loss.expr)
    small = all_of([at_most(times_n.subs(at), sympy.S.One) for at in sizes])
    # ||V^(t) - V*||^2 <= (L + 1) rho^2 (1 + 2 factor/part) <= 3 L rho^2
    square = at_least(3, 2 * (1 + 2 * factor / part))
    inside = [at_least(radius * depth, sympy.sqrt(3 * depth) + 1) for depth in (1, 2, 3, 10, 1000)]
    return [
        Step("the least loss is at most the target", below),
        Step("(L + 1)(1 + 2 eNT T alpha/((L + 1) rho^2)) <= 3 L, as L + 1 <= 2 L", square),
        # sqrt(3 L) + 1 - 3 L falls from L = 1 on.
        Step("sqrt(3 L) rho + rho is at most the radius of the ball", all_of(inside)),
        Step("n times the target is at most n^-(1 + 24 L)", small),
    ]
