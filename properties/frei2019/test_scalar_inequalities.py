"""frei2019: inequalities between numbers.

Main claims: `logistic_loss` (Appendix A.1) and `bounded_entries` (Appendix B.2).
"""

from __future__ import annotations

import math

import flint
import numpy as np

from bounds.formula import formula
from bounds.papers import frei2019 as sheet
from theory.claim import claim, control
from theory.evidence import Search
from theory.measured import Measured
from theory.regime import Regime, choices, grid, reals


@claim(
    "frei2019:a1-loss-bound",
    bound=sheet.a1_loss_bound.reads("Abs(z) + 1"),
    premises="none needed: true of every margin",
    regime=Regime(
        cells=grid(),
        draw={"z": reals(-1000.0, 1000.0)},
        pinned=[{"z": value} for value in (-700.0, -1.0, -0.54, 0.0, 1.0, 700.0)],
    ),
    evidence=Search(),
    controls=[
        control("without the constant", bound=formula("Abs(z)")),
        control("the constant alone", bound=formula("1")),
        control("half of the constant", bound=formula("Abs(z) + 1/2")),
        control("the sign of the margin turned, and no size", bound=formula("1 + Max(z, 0)/2")),
    ],
    note="log 2, and not 1, would do: the largest excess over |z| is at 0",
)
def logistic_loss(z: float) -> Measured:
    """The logistic loss log(1 + exp(-z)) at a margin."""

    def enclosed() -> flint.arb:
        return (flint.arb(-z).exp() + 1).log()

    return Measured(float(np.logaddexp(0.0, -z)), ball=enclosed)


@claim(
    "frei2019:b2-sparse-signs",
    bound=sheet.b2_sparse_signs.reads("sqrt(s)"),
    premises="none needed: vectors of entries between -1 and 1, as drawn, at any dimension",
    regime=Regime(
        cells=grid(s=[1, 7, 64], m=[64, 1000]),
        draw={"kind": choices("drawn", "signs", "one large"), "less": reals(1e-9, 0.5, logarithmic=True)},
    ),
    evidence=Search(),
    controls=[
        control("the fourth root", bound=formula("s**(1/4)"), cells=grid(s=64, m=64)),
        control("nine tenths", bound=formula("9/10*sqrt(s)")),
        control("entries up to 6/5", largest=1.2),
    ],
    note="attained by signs",
)
def bounded_entries(rng: np.random.Generator, m: int, s: int, kind: str, less: float, *, largest: float = 1.0) -> float:
    """The norm of a vector of m entries, s of them other than 0 and none larger than 1 in size."""
    sizes = {"drawn": rng.uniform(0.0, 1.0, s), "signs": np.ones(s), "one large": np.full(s, less)}[kind]
    sizes[0] = 1.0
    v = np.zeros(m)
    v[rng.permutation(m)[:s]] = (1.0 - less) * largest * sizes * rng.choice([-1.0, 1.0], s)
    return math.sqrt(float(v @ v))
