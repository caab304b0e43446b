"""frei2019: inequalities between numbers.

Main claims: `logistic_loss` (Appendix A.1), `negative_margin` (Appendix A.2), `bounded_entries` (Appendix B.2),
`shares_of_neurons` (Appendices B.3 and C.5) and `size_of_the_nets` (Appendix D.2).
"""

import math

import flint
import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds import Bound, at_least
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid, reals
from theory.evidence import Proof, Search, Step


@claim(
    "frei2019:a1-loss-bound",
    bound="Abs(z) + 1",
    premises="none needed: true of every margin",
    regime=Regime(
        cells=grid(),
        draw={"z": reals(-1000.0, 1000.0)},
        pinned=[{"z": value} for value in (-700.0, -1.0, -0.54, 0.0, 1.0, 700.0)],
    ),
    evidence=Search(),
    controls=[
        control("without the constant", bound="Abs(z)"),
        control("the constant alone", bound="1"),
        control("half of the constant", bound="Abs(z) + 1/2"),
        control("the sign of the margin turned, and no size", bound="1 + Max(z, 0)/2"),
    ],
    note="log 2, and not 1, would do: the largest excess over |z| is at 0",
)
def logistic_loss(z: float) -> Measured:
    """The logistic loss log(1 + exp(-z)) at a margin z."""

    def enclosed() -> flint.arb:
        return (flint.arb(-z).exp() + 1).log()

    return Measured(float(np.logaddexp(0.0, -z)), ball=enclosed)


@claim(
    "frei2019:b2-sparse-signs",
    bound="sqrt(s)",
    premises="none needed: vectors of entries between -1 and 1, as drawn, at any dimension",
    regime=Regime(
        cells=grid(s=[1, 7, 64], m=[64, 1000]),
        draw={"kind": choices("drawn", "signs", "one large"), "less": reals(1e-9, 0.5, logarithmic=True)},
    ),
    evidence=Search(),
    controls=[
        control("the fourth root", bound="s**(1/4)", cells=grid(s=64, m=64)),
        control("nine tenths", bound="9/10*sqrt(s)"),
        control("entries up to 6/5", largest=1.2),
    ],
    note="attained by signs",
)
def bounded_entries(rng: Generator, m: int, s: int, kind: str, less: float, *, largest: float = 1.0) -> float:
    """The norm of a vector of m entries, s of them other than 0 and none larger than 1 in size."""
    sizes = {"drawn": rng.uniform(0.0, 1.0, s), "signs": np.ones(s), "one large": np.full(s, less)}[kind]
    sizes[0] = 1.0
    v = np.zeros(m)
    v[rng.permutation(m)[:s]] = (1.0 - less) * largest * sizes * rng.choice([-1.0, 1.0], s)
    return math.sqrt(float(v @ v))


@claim(
    "frei2019:a2-markov",
    bound="2/(exp(z) + 1)",
    premises="none needed: true of every margin",
    regime=Regime(
        cells=grid(),
        draw={"z": reals(-300.0, 300.0)},
        pinned=[{"z": value} for value in (-300.0, -1.0, -1e-9, 0.0, 1e-9, 300.0)],
    ),
    evidence=Search(),
    controls=[
        control("1.9 for 2", bound="19/10/(exp(z) + 1)"),
        control("the derivative as it is printed", bound="2/(exp(-z) + 1)"),
        control("the derivative at twice the margin, without its factor", bound="1/(exp(2*z) + 1)"),
        control("positive margins counted", turned=True),
    ],
    blind={"term 1": "without it the bound is larger"},
    note="of one margin; the printed probability is the mean of the indicator, at most that of the bound. Tends to "
    "equality as z rises to 0. By a slip the print has exp(-z)",
)
def negative_margin(z: float, *, turned: bool = False) -> Measured:
    """The indicator 1(z < 0) of a margin z = y f(x), whose mean is the error on unseen points."""
    return Measured(float(z > 0.0 if turned else z < 0.0), error=0.0)


@claim(
    "frei2019:b6-arith",
    bound=">= 1/67",
    premises="none needed: numbers alone",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="five in a thousand"),
    controls=[
        control("1/66", bound="1/66"),
        control("24/50 of the neurons", percent=48),
        control("a gradient of 1/11, and not 1/16", least=11),
        control("states up to 1.03", above=1030),
    ],
)
def shares_of_neurons(bound: Bound, *, percent: int = 49, least: int = 16, above: int = 1024) -> list[Step]:
    """The (49/100)^2/16; also 1/(1.05 134) >= 1/141, 1.024^2 <= 1.05, 1/sqrt(134) > 1/16 and 1.01 1.004 <= 1.015."""
    most = Rational(105, 100)
    return [
        Step("share^2/16 against the bound", at_least(Rational(percent, 100) ** 2 / 16, bound.expr)),
        Step("1/(1.05 134) is at least 1/141", at_least(1 / (most * 134), Rational(1, 141))),
        Step("the square of the norm of states, 1.024, is at most 1.05", at_least(most, Rational(above, 1000) ** 2)),
        Step("1/sqrt(134) exceeds 1/16, in squares", at_least(Rational(1, 134), Rational(1, least) ** 2, strict=True)),
        Step("1.01 times 1.004 is at most 1.015", at_least(1015 * 1000, 1010 * 1004)),
    ]


@claim(
    "frei2019:d2-nets",
    bound="m**s",
    premises="sparsities larger than 15, as printed: s >= 16",
    regime=Regime(cells=grid(s=16, m=[32, 33, 1000])),
    evidence=Search(),
    expected=Verdict.REFUTED,
    controls=[control("the root", bound="m**(s/2)"), control("a larger net", per_axis=12)],
    note="false at s = 16 from m = 33 on, in whole numbers, and at s = 21 from m = 283 on",
)
@form(
    "corrected",
    title="points in nets of sparse spheres, from 22 entries on",
    premises=(
        "sparsity for which 9^s is below s!: 22! exceeds 9^22, and 21! is below 9^21 [Appendix D.2, 15 there]: s >= 22"
    ),
    # A double holds no larger powers.
    regime=Regime(cells=grid(s=[22, 23, 30, 40], m=[40, 100, 1000, 10**6]), most={"s": 51, "m": 10**6}),
    controls=[
        control("21 entries", cells=grid(s=21, m=[1000, 10**6]), without="s >= 22"),
        control("11 points along every axis", per_axis=11),
    ],
    note="binom(m, s) is at most m^s/s!, and s!/9^s rises from 9 on, so that 22 settles all larger ones",
)
def size_of_the_nets(m: int, s: int, *, per_axis: int = 9) -> Measured:
    """The number binom(m, s) 9^s of points in the nets of all spheres of s of m entries, in whole numbers."""
    return Measured(float(math.comb(m, s) * per_axis**s))
