"""allenzhu2018rnn: images of a sphere as a sparse vector and one of small coordinates (Appendix A.5).

Main claims: `chance_of_a_long_sparse_part` (Lemma A.17) from a union over sets of rows, its sharp form, and
`sparse_part_of_a_drawn_matrix`, by ascent over the sphere.
"""

import math

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from properties.allenzhu2018rnn.sparse_parts import log_chances, longest_sparse_part
from theory.claims import Measured, Regime, claim, control, form, grid
from theory.evidence import Search, Trials

# A larger s asks for a longer part, so that s <= m loses nothing.
MORE_THAN_ROWS = {f"premise {sheet.lemma_A_17_rows.text}": "it is not needed: a larger s only asks for a longer part"}
BY_THE_UNION = "no drawn part comes near the bound: the row by the union over rows sees it"
LEFT_BY_THE_PRINTED_ROW = {
    f"premise {premise.text}": "the row of the printed power leaves it"
    for premise in (sheet.lemma_A_17_columns, sheet.lemma_A_17_width)
}

SIZES = [
    *grid(m=50, d=1, s=[1, 50]),
    *grid(m=50, d=50, s=50),
    *grid(m=1000, d=1, s=[1, 30]),
    *grid(m=1000, d=[250, 1000], s=1000),
    *grid(m=10**5, d=[1, 100], s=100),
]


def _chance(m: int, d: int, s: int, gain: float, power: float, entry: float = 1.0) -> Measured:
    low, high = log_chances(m, d, math.sqrt(s / m) * math.log(m) ** power, gain, entry)
    return Measured.between(low * (1.0 - 1e-9), high * (1.0 + 1e-9))


@claim(
    "allenzhu2018rnn:lemma-A.17",
    # A sparse part longer than the bound needs k rows whose operator norm is sqrt(bound^2 + k log(m)^2/m); union over
    # all sets of k rows, and the concentration of the norm of a Gaussian matrix.
    bound=">= c*s*log(m)**2",
    constants={"c": (1, "by a union over sets of rows; it is least for one column and m = 50, 1.46")},
    premises=[
        sheet.lemma_A_17_columns.reads("d <= s"),
        sheet.lemma_A_17_rows.reads("s <= m"),
        sheet.lemma_A_17_width.reads("m >= 50"),
    ],
    regime=Regime(cells=SIZES, thorough=grid(m=10**6, d=[1, 1000], s=[1000, 10**6])),
    evidence=Search(adversary="one column, and as many as s; from above by the norm of one row"),
    controls=[
        control("parts of sqrt(s/m)", power=0.0),
        control("parts of sqrt(s/m), and entries of 1/sqrt(m)", power=0.0, entry=0.0),
        control(
            "as many columns as rows, and a sparsity of 1",
            without=sheet.lemma_A_17_columns,
            cells=grid(m=50, d=100, s=1),
        ),
        control("two rows", without=sheet.lemma_A_17_width, cells=grid(m=2, d=2, s=2)),
    ],
    note="the printed d <= s is for the number of columns, called n there",
    blind=MORE_THAN_ROWS,
)
@form(
    "sharp",
    title="chance of a long sparse part, with the fourth power of the logarithm",
    # The same with the power of log(m) that the proof allows.
    bound="c*s*log(m)**4",
    constants={
        "c": (Rational(9, 100), "by the same union; for large m a single row shows that none above 1/4 is possible")
    },
    controls=[
        control("exponent 5 of the logarithm, constant 1/10", bound="s*log(m)**5/10"),
        control("parts shorter by log(m)", power=1.0),
        control("variance 8/m", gain=8.0),
    ],
    note="beyond the printed exponent: between 0.09 and 1/4 of s log(m)^4 at large widths",
    blind={**MORE_THAN_ROWS, **LEFT_BY_THE_PRINTED_ROW},
)
def chance_of_a_long_sparse_part(
    m: int, d: int, s: int, *, gain: float = 2.0, power: float = 2.0, entry: float = 1.0
) -> Measured:
    """Minus the logarithm of the chance that some sparse part has a norm above sqrt(s/m) log(m)^2, as an interval.

    A part is what entries of W x exceed log(m)/sqrt(m) by in size, ||x|| = 1, W (m, d) of independent N(0, 2/m).
    """
    return _chance(m, d, s, gain, power, entry)


@claim(
    "allenzhu2018rnn:lemma-A.17-drawn",
    title="sparse part of the image of a sphere under a drawn matrix",
    bound="sqrt(s)*log(m)**2/sqrt(m)",
    premises=[
        sheet.lemma_A_17_columns.reads("d <= s"),
        sheet.lemma_A_17_rows.reads("s <= m"),
        sheet.lemma_A_17_width.reads("m >= 50"),
    ],
    regime=Regime(
        cells=[*grid(m=256, d=16, s=16, delta=[0.05, 0.4]), *grid(m=512, d=64, s=64, delta=0.4)],
        thorough=grid(m=4096, d=[16, 256], s=256, delta=0.4),
    ),
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("a third of sqrt(s/m), without logarithms", bound="sqrt(s)/(3*sqrt(m))"),
        control("variance 800/m", gain=800.0),
        control("the width for its root", bound="sqrt(s)*log(m)/m"),
    ],
    note="ascents from long rows reach 4 % of the bound: random points have no sparse part; delta is over W",
    blind={**MORE_THAN_ROWS, **LEFT_BY_THE_PRINTED_ROW, "m": BY_THE_UNION, "s": BY_THE_UNION},
)
def sparse_part_of_a_drawn_matrix(rng: Generator, m: int, d: int, s: int, *, gain: float = 2.0) -> float:
    """The largest norm found of what entries of W x exceed log(m)/sqrt(m) by, ||x|| = 1, W (m, d) of N(0, 2/m)."""
    W = math.sqrt(gain / m) * rng.standard_normal((m, d))
    return longest_sparse_part(W, W[np.argsort(-np.linalg.norm(W, axis=1))[:8]])
