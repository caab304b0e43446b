"""allenzhu2018rnn: McDiarmid's inequality and its extension (Appendix A.6).

Main claims: `a_fair_coin` (Lemma A.18, printed with its signs turned round) and `bounded_differences`, corrected;
`exceptional_points` (Lemma A.19); `one_sided_increments`, the martingale tail of its proof. All by exact laws.
"""

import math
from fractions import Fraction

import numpy as np
from scipy import stats
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from properties.allenzhu2018rnn.bounded_differences import CUBE_FUNCTIONS, MOST_BITS, BitFunction
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid, reals
from theory.evidence import Search


@claim(
    "allenzhu2018rnn:lemma-A.18",
    bound=sheet.lemma_A_18.reads("exp(-2*deviation**2/changes)"),
    sense=">=",
    probability=True,
    premises="none needed: one fair coin, whose value is the function",
    measured=["changes"],
    regime=Regime(cells=grid(), draw={"deviation": reals(0.1, 3.0)}, pinned=[{"deviation": 1.0}]),
    evidence=Search(adversary="deviations that the function does not reach"),
    expected=Verdict.REFUTED,
    controls=[control("a quarter of it", bound="exp(-2*deviation**2/changes)/4")],
    note="erratum: both inequalities of the printed form are turned round; for one fair coin and t = 1 the chance is 0 "
    "for exp(-2) at least, and the second line asks for exp(2)",
)
def a_fair_coin(deviation: float) -> Measured:
    """The chance that a fair coin, 0 or 1, is above its mean by t = deviation or more; changes, sum c_k^2, is 1."""
    return Measured(0.5 if deviation <= 0.5 else 0.0, error=0.0, symbols={"changes": 1.0})


def _tail_at(function: BitFunction, rank: float) -> tuple[float, float]:
    """The deviation of one value of the function from the mean, and the chance of that deviation or more there."""
    values = np.unique(function.table)
    value, mean = float(values[min(int(rank * values.size), values.size - 1)]), function.mean
    beyond = function.table >= value if value > mean else function.table <= value
    return abs(value - mean), function.probability(beyond)


@claim(
    "allenzhu2018rnn:lemma-A.18-corrected",
    title="tail of a function of independent variables with bounded differences",
    bound=sheet.lemma_A_18.reads("exp(-2*deviation**2/changes)"),
    probability=True,
    premises="none needed: true of all independent variables; bits, each 1 with the same chance, are looked at",
    measured=["deviation", "changes"],
    regime=Regime(
        cells=grid(variables=[1, 2, 4, 9], family=["share", "weighted", "maximum", "majority", "parity"]),
        draw={"chance": reals(0.01, 0.99), "rank": reals(0.0, 1.0)},
        pinned=[{"chance": 0.5, "rank": 1.0}, {"chance": 0.97, "rank": 1.0}],
        thorough=grid(variables=14, family=["share", "weighted", "maximum", "majority", "parity"]),
    ),
    evidence=Search(examples=8, adversary="values at their own level, and coins of every bias"),
    controls=[
        control("exponent 3", bound="exp(-3*deviation**2/changes)"),
        control("the sum of the changes, not of their squares", power=4),
        control("the square of the deviation doubled", bound="exp(-2*(3*deviation/2)**2/changes)"),
        control("deviation to the power 1", bound="exp(-2*deviation/changes)"),
    ],
    scope="part: five functions of bits, repaired",
    note="the tail at each value, above the mean or below; c_k the largest change by bit k; 2 might be 2.4 here",
)
def bounded_differences(variables: int, family: str, chance: float, rank: float, *, power: int = 2) -> Measured:
    """The chance that a function is off its mean by t = deviation or more on one side; changes is sum c_k^2."""
    function = BitFunction(CUBE_FUNCTIONS[family](variables), chance)
    deviation, tail = _tail_at(function, rank)
    squares = float(np.sum(function.changes() ** power))
    return Measured(tail, symbols={"deviation": deviation, "changes": squares})


EXCEPTIONS = Regime(
    cells=[
        *grid(variables=[1, 2, 4, 8], family=["share", "weighted", "majority", "spike"]),
        *grid(variables=[100, 1000], family="share"),
    ],
    draw={"chance": reals(1e-3, 0.999), "rank": reals(0.0, 1.0)},
    pinned=[{"chance": chance, "rank": rank} for chance, rank in ((0.01, 0.0), (0.5, 0.0), (0.5, 1.0), (0.02, 1.0))],
    thorough=grid(variables=12, family=["share", "weighted", "majority", "spike"]),
)


def _below_half(
    variables: int, family: str, chance: float, rank: float, changed: float, below: float = 0.5
) -> Measured:
    """The chance of a value below a share of the mean, with the change that is allowed for, times `changed`, its p."""
    # The values of so many bits fill no table: of their share, the law is binomial.
    if variables > MOST_BITS and family == "share":
        tail = float(stats.binom.cdf(math.ceil(below * chance * variables) - 1, variables, chance))
        return Measured(
            tail, error=1e-11 * tail, symbols={"atypical": 0.0, "change": changed / variables, "mean": chance}
        )
    function = BitFunction(CUBE_FUNCTIONS[family](variables), chance)
    at_points = function.point_changes()
    levels = np.unique(at_points)
    change = float(levels[min(int(rank * levels.size), levels.size - 1)])
    symbols = {"atypical": function.probability(at_points > change), "change": changed * change, "mean": function.mean}
    return Measured(function.probability(function.table < below * function.mean), symbols=symbols)


@claim(
    "allenzhu2018rnn:lemma-A.19",
    # An increment of the Doob martingale is the mean of f less f with w_k drawn again, at most change where the second
    # point is typical. Its chance to be atypical is known before w_k, so that increments are at most change + sqrt(p)
    # in size until that chance exceeds sqrt(p): ever, with chance sqrt(p) by Doob's inequality. Azuma's inequality at
    # mean/2.
    bound="variables**2*sqrt(atypical) + exp(-c*mean**2/(variables*(change**2 + atypical)))",
    constants={"c": (Rational(1, 16), "an eighth from increments of at most change + sqrt(p), halved by (a + b)^2")},
    probability=True,
    premises="none needed: functions, with values in [0, 1], of independent bits, each 1 with the same chance",
    measured=["atypical", "change", "mean"],
    regime=EXCEPTIONS,
    evidence=Search(examples=8, adversary="functions that vanish at rare points, and coins that rarely fall on 1"),
    controls=[
        control("exponent 8", bound="variables**2*sqrt(atypical) + exp(-8*mean**2/(variables*(change**2 + atypical)))"),
        control("a tenth of the change", changed=0.1),
        control("the mean for half of it", below=1.0),
    ],
    scope="part: four functions of bits, own constants",
    note="print has p, c, N, mu <= E f for atypical, change, variables, mean; c is ours, term 1 for f 0 at rare points",
    blind={"variables in sqrt(atypical)*variables**2": "not needed, as sharp shows"},
)
@form(
    "sharp",
    title="tail of a function with bounded differences off exceptional points, without the number of variables",
    bound="sqrt(atypical) + exp(-mean**2/(8*variables*(sqrt(atypical) + change)**2))",
    controls=[
        control("exponent 4", bound="sqrt(atypical) + exp(-4*mean**2/(variables*(sqrt(atypical) + change)**2))"),
        control("a tenth of the change", changed=0.1),
        control("the mean for half of it", below=1.0),
    ],
    note="a stopped martingale with increments bounded on both sides; Doob's inequality replaces N^2 by 1",
    blind={},
)
def exceptional_points(
    variables: int, family: str, chance: float, rank: float, *, changed: float = 1.0, below: float = 0.5
) -> Measured:
    """The chance of f < mean/2; with chance atypical some bit changes f by more than change, any value that occurs."""
    return _below_half(variables, family, chance, rank, changed, below)


def _all_down(variables: int, chance: Fraction) -> Measured:
    """The chance that all of these increments are -1, of the chance given each, and the distance that they then go."""
    return Measured(float((1 - chance) ** variables), symbols={"deviation": float(variables), "change": 1.0})


@claim(
    "allenzhu2018rnn:martingale-A.19",
    bound=sheet.martingale_A_19.reads("exp(-deviation**2/(2*variables*change**2))"),
    probability=True,
    premises="none needed: the quoted tail asks for increments of at least -c alone",
    measured=["deviation", "change"],
    regime=Regime(
        cells=grid(variables=[1, 4, 100]),
        draw={"chance": reals(1e-4, 0.3)},
        pinned=[{"chance": 0.25}, {"chance": 1e-4}],
    ),
    evidence=Search(examples=10, adversary="increments that are -1 nearly always, and rarely large"),
    expected=Verdict.REFUTED,
    controls=[
        control("a quarter of the exponent", bound="exp(-deviation**2/(8*variables*change**2))"),
        control("without the number of increments", bound="exp(-deviation**2/change**2)"),
    ],
    note="one increment, -1 with chance 3/4 and 3 with 1/4: 3/4 for exp(-1/2) = 0.607. For 100 of them, up with chance "
    "1e-4, it is 0.99 for exp(-50). Here change is 1; the proof prints no factor 1/2 either",
)
def one_sided_increments(variables: int, chance: float) -> Measured:
    """The chance that all `variables` independent increments, (1 - q)/q with chance q and else -1, of mean 0, are -1:
    their number is deviation."""
    return _all_down(variables, Fraction(chance))


@claim(
    "allenzhu2018rnn:martingale-A.19-corrected",
    title="lower tail of a martingale with increments bounded on both sides",
    bound=sheet.martingale_A_19.reads("exp(-deviation**2/(2*variables*change**2))"),
    probability=True,
    premises="none needed: independent increments of mean 0 between -change and change, and a deviation above 0",
    measured=["deviation"],
    regime=Regime(
        cells=grid(variables=[1, 4, 100, 2500], change=[1.0, 0.2, 2.0]),
        draw={"down": reals(0.05, 1.0), "rank": reals(0.0, 1.0)},
        pinned=[{"down": 1.0, "rank": 1.0}, {"down": 1.0, "rank": 0.4}, {"down": 1.0, "rank": 0.1}],
    ),
    evidence=Search(examples=10, adversary="fair coins, whose increments are as large as they may be"),
    controls=[
        control("exponent 1 for 1/2, as in the proof", bound="exp(-deviation**2/(variables*change**2))"),
        control("without the size of increments", bound="exp(-deviation**2/(2*variables))"),
        control("three quarters of the square", bound="exp(-2*deviation**2/(3*variables*change**2))"),
    ],
    blind={"change": "it is a unit of the increments: the deviation over it counts, whose power the deviation shows"},
    scope="part: independent increments of two values, repaired",
    note="each goes up by change or down by `down` times change, at most change; print has c for it",
)
def two_sided_increments(variables: int, change: float, down: float, rank: float) -> Measured:
    """The chance that `variables` independent increments, mean 0, size at most change, sum to -deviation or less."""
    downs = variables - int(rank * variables / 2.0) if rank < 1.0 else variables
    deviation = change * (downs * down - (variables - downs))
    tail = float(stats.binom.sf(downs - 1, variables, 1.0 / (1.0 + down)))
    return Measured(tail if deviation > 0.0 else 0.0, symbols={"deviation": max(deviation, 0.0)}, error=1e-11 * tail)
