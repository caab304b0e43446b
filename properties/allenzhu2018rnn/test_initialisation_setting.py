"""allenzhu2018rnn, Section 2: the setting, that is norms of rows, inputs, and the law of the weights.

Main claims: `row_norm_of_exponent_two` and `row_norms` ((2.1)), `bias_of_the_first_layer` (Section 2.1, footnote 5),
`entries` (Definition 2.3).
"""

import math

import numpy as np
import scipy
from numpy.random import Generator

from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.frames import row_norm
from properties.allenzhu2018rnn.sequences import LATER, is_normalised, sequences
from theory.claims import Measured, Regime, choices, claim, control, grid, reals
from theory.evidence import Distribution, Search

NORMAL = scipy.stats.norm()


@claim(
    "allenzhu2018rnn:eq-2.1",
    bound="= normW",
    premises="none needed: W is any matrix",
    measured=["normW"],
    regime=Regime(cells=grid(m=[1, 5, 64], d=3)),
    evidence=Search(),
    controls=[control("exponent 1", q=1.0, cells=grid(m=5, d=3)), control("exponent 3", q=3.0, cells=grid(m=5, d=3))],
    scope="part: exponent 2, where it is ||W||_F; eq-2.1-exponents has the others",
)
def row_norm_of_exponent_two(rng: Generator, m: int, d: int, *, q: float = 2.0) -> Measured:
    """The norm (sum_i ||w_i||^2)^(1/2) of the m rows w_i of a Gaussian W, against normW = ||W||_F."""
    W = rng.standard_normal((m, d))
    norm = float(np.linalg.norm(W))
    return Measured(row_norm(W, q), symbols={"normW": norm}, error=1e-13 * norm, scale=norm)


@claim(
    "allenzhu2018rnn:eq-2.1-exponents",
    title="mixed norms of the rows of a matrix against its Frobenius norm",
    # Concavity or convexity of powers: equality for rows of equal norms where the exponent is at most 2, and for a
    # single row beyond.
    bound="normW*m**Max(gamma - 1/2, 0)",
    premises="none needed: W is any matrix, and the exponent any number of at least 1",
    measured=["normW"],
    regime=Regime(
        cells=grid(m=[2, 5, 64], d=3),
        draw={"gamma": reals(1e-3, 1.0), "rows": choices("drawn", "alike", "one large")},
        pinned=[{"gamma": 1.0, "rows": "alike"}, {"gamma": 1e-3, "rows": "one large"}],
    ),
    evidence=Search(),
    controls=[
        control("no growth below the exponent 2", bound="normW"),
        control("half of the exponent", bound="normW*m**Max(gamma/2 - 1/4, 0)"),
        control("a thousandth less", bound="999/1000*normW*m**Max(gamma - 1/2, 0)"),
    ],
    note="normW is ||W||_F; attained by rows of equal norms below the exponent 2 and by a single row above",
)
def row_norms(rng: Generator, m: int, d: int, gamma: float, rows: str) -> Measured:
    """The (sum_i ||w_i||^q)^(1/q), q = 1/gamma, of m Gaussian rows w_i: any, nearly equal, all but the first small."""
    W = rng.standard_normal((m, d))
    if rows == "alike":
        W = W[0] + 1e-3 * W
    elif rows == "one large":
        W[1:] *= 1e-3
    return Measured(row_norm(W, 1.0 / gamma), symbols={"normW": float(np.linalg.norm(W))})


@claim(
    "allenzhu2018rnn:setup-inputs",
    bound="= 1/sqrt(m)",
    premises="none needed: an equality in law at every width",
    regime=Regime(cells=[*({"m": 6, "later": later} for later in LATER), {"m": 1200, "later": "drawn"}]),
    evidence=Distribution(law=lambda: NORMAL, trials=200),
    controls=[
        control("variance 2/m", bound="sqrt(2/m)"),
        control("all coordinates", bias=False, cells=[{"m": 24, "later": "zero"}]),
        control("last coordinate 1", scale=2.0**0.5, cells=[{"m": 24, "later": "zero"}]),
        control("variance 2.2/m of A", scale=1.1**0.5, cells=[{"m": 1200, "later": "drawn"}]),
    ],
    note="NaN, which is refused, unless all norms are at most 1, and first inputs have norm 1 and 1/sqrt(2) at the end",
)
def bias_of_the_first_layer(rng: Generator, m: int, later: str, *, bias: bool = True, scale: float = 1.0) -> Measured:
    """The m numbers A_{k,d} x_{1,d}, what the last coordinate of a first input adds to g_1, in law N(0, bound^2)."""
    X = sequences(3, 4, 5, rng, later, 0.3)
    A = recurrent_network(5, m, 1, 4, rng, stored=2**14).frozen[0]
    added = ((np.eye(1, 5, 4) * X[0, 0, -1] if bias else X[0, :1]) @ A)[0]
    return Measured(scale * added if is_normalised(X) else np.full(m, np.nan))


ENTRIES = [
    {"matrix": "W", "m": 72, "outputs": 1},
    {"matrix": "A", "m": 1800, "outputs": 1},
    {"matrix": "B", "m": 1800, "outputs": 3},
]


@claim(
    "allenzhu2018rnn:definition-2.3",
    bound="= sqrt(2/m)",
    premises="none needed: the law of the weights as they are drawn",
    regime=Regime(cells=[*ENTRIES, *grid(matrix=["W", "A", "B"], m=8, outputs=5)]),
    evidence=Distribution(law=lambda: NORMAL, trials=40),
    controls=[
        control("weight variance 1/m", bound="sqrt(1/m)"),
        control("standard deviation 2/m", bound="2/m"),
        control("variance 1/m in B, and not one over the outputs", read="m", cells=ENTRIES[2:]),
        control("variance 1 in B", read="1", cells=ENTRIES[2:]),
        control("variance 2.2/m", gain=1.1, cells=ENTRIES[:1]),
        control("variance 2.2/m of A", gain=1.1, cells=ENTRIES[1:2]),
        control("variance 1.1/outputs of B", gain=1.1, cells=ENTRIES[2:]),
    ],
    scope="part: the law of an entry of each matrix, not their independence",
    note="sees weights that are the same in every trial, as claim-B.5 does; rows whose inputs vary need not",
)
def entries(rng: Generator, m: int, outputs: int, matrix: str, *, read: str = "outputs", gain: float = 1.0) -> Measured:
    """Every entry of W, of A, or of B sqrt(2 outputs/m), against a Gaussian whose standard deviation is the bound."""
    # W is stored where it is the one that is read.
    net = recurrent_network(3, m, outputs, 2, rng, stored=m * m if matrix == "W" else 2**14)
    unit = {"outputs": outputs, "m": m, "1": 1.0}[read]
    drawn = {"W": net.weights[0], "A": net.frozen[0], "B": net.v * np.sqrt(2.0 * unit / m)}[matrix]
    return Measured(np.sqrt(gain) * np.ravel(drawn))


@claim(
    "allenzhu2018rnn:assumption-2.4",
    title="of the numbers rho and varrho: rho is at most phi varrho, for accuracies of at most 1",
    bound="n*L*outputs*log(m/eps)/phi",
    premises="accuracy of at most 1: eps <= 1",
    regime=Regime(
        cells=[
            {"m": m, "n": n, "L": L, "outputs": outputs, "phi": phi, "eps": eps}
            for m, n, L, outputs, phi, eps in [
                (3, 1, 2, 1, 1.0, 0.999),
                (1000, 4, 8, 2, 0.01, 0.99),
                (10**9, 100, 3, 10, 1e-6, 1e-12),
            ]
        ]
    ),
    evidence=Search(),
    controls=[
        control("half of it, with the logarithm of eps m", bound="n*L*outputs*log(m*eps)/phi/2"),
        control(
            "an accuracy above 1",
            cells=[{"m": 3, "n": 1, "L": 2, "outputs": 1, "phi": 1.0, "eps": 2.0}],
            without="eps <= 1",
        ),
    ],
    scope="part: how rho and varrho compare; the width and the small separation are assumed, not tested",
    note="attained at eps = 1; no size that a computer holds has the width that the proofs ask for",
)
def rho_against_varrho(m: int, n: int, L: int, outputs: int, phi: float) -> float:
    """The quotient rho/phi, where rho = n L outputs log m, against varrho = n L outputs log(m/eps)/phi."""
    return n * L * outputs * math.log(m) / phi
