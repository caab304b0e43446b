"""frei2019, the ReLU alone: its differences as a contracted diagonal map.

Main claims: `diagonals_of_a_difference` and `difference_by_the_diagonals` (Claim C.1).
"""

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

PAIRS = Regime(
    cells=grid(m=[1, 64]),
    draw={"size": reals(1e-150, 1e150, logarithmic=True), "kind": choices("drawn", "near", "opposite", "zeros")},
    pinned=[{"size": 5e-324, "kind": "opposite"}, {"size": 1.0, "kind": "zeros"}],
)


def _pair(kind: str, size: float, m: int, rng: Generator) -> tuple[Array, Array]:
    """Two vectors (m,): independent, almost equal, of opposite signs, or with zeros, also on both sides."""
    u, y = size * rng.standard_normal((2, m))
    if kind == "near":
        y = u * (1.0 + 1e-12 * rng.standard_normal(m))
    elif kind == "opposite":
        u, y = np.abs(u) + size, -np.abs(y) * 1e-9 - size
    elif kind == "zeros":
        u, y = u * rng.integers(0, 2, m), -np.abs(y) * rng.integers(0, 2, m)
    return u, y


def _diagonals(u: Array, y: Array, numerator: str = "y") -> tuple[Array, Array]:
    """The diagonals D(u), active at zero, and the one that Claim C.1 adds to it: (m,) each."""
    active, other = (u >= 0.0).astype(float), (y >= 0.0).astype(float)
    above = {"y": y, "u": u, "-y": -y}[numerator]
    quotient = np.divide(above, u - y, out=np.zeros_like(u), where=u != y)
    return active, (active - other) * quotient


@claim(
    "frei2019:claim-C.1",
    bound="1",
    premises="none needed: true of every two vectors, zeros and equal entries included",
    regime=PAIRS,
    evidence=Search(examples=40, adversary="entries just above and far below zero, zeros, the least float"),
    controls=[
        control("the sign of the quotient turned", numerator="-y"),
        control("the other vector in the quotient", numerator="u"),
    ],
    note="attained where both are active, and by d = -1 at u = 0 > y, as 0 counts as active",
    scope="part: the norms of the diagonals; the identity is claim-C.1-identity",
)
def diagonals_of_a_difference(rng: Generator, m: int, size: float, kind: str, *, numerator: str = "y") -> Measured:
    """The largest |d| and |1(u >= 0) + d| over the entries, d = (1(u >= 0) - 1(y >= 0)) y/(u - y), or 0 for u = y."""
    first, second = _diagonals(*_pair(kind, size, m, rng), numerator)
    return Measured(np.array([np.abs(second).max(), np.abs(first + second).max()]))


@claim(
    "frei2019:claim-C.1-identity",
    title="the difference of two rectified vectors by the two diagonals",
    bound="= 0",
    premises="none needed: true of every two vectors, zeros and equal entries included",
    regime=PAIRS,
    evidence=Search(examples=40),
    controls=[
        control("the first diagonal alone", second=0.0),
        control("the second diagonal twice", second=2.0),
        control("the other vector in the quotient", numerator="u"),
    ],
)
def difference_by_the_diagonals(
    rng: Generator, m: int, size: float, kind: str, *, numerator: str = "y", second: float = 1.0
) -> Measured:
    """The gap relu(u) - relu(y) - (1(u >= 0) + (1(u >= 0) - 1(y >= 0)) y/(u - y)) (u - y), over max |u - y|."""
    u, y = _pair(kind, size, m, rng)
    active, added = _diagonals(u, y, numerator)
    left, right = np.maximum(u, 0.0) - np.maximum(y, 0.0), (active + second * added) * (u - y)
    largest = max(float(np.abs(u - y).max()), np.finfo(float).tiny)
    return Measured((left - right) / largest, error=rounding(3.0, 8.0))
