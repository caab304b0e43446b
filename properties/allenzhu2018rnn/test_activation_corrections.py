"""allenzhu2018rnn, Proposition G.3: differences of ReLU through the gates of one side and a correction.

Main claims: `difference_through_gates`, exact; `range_of_the_correction`.
"""

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from properties.allenzhu2018rnn.gate_corrections import gate_correction
from theory.claims import Measured, Regime, choices, claim, control, grid
from theory.evidence import Search

# Entries on and next to kinks, with both signs of 0, the least and large floats.
UNKIND = (0.0, -0.0, 5e-324, -5e-324, 2.2e-308, -2.2e-308, 1.0, -1.0, 1.0 + 2.0**-52, 1e300, -1e300)

PAIRS = Regime(
    cells=grid(m=24),
    thorough=grid(m=500),
    draw={"entries": choices("drawn", "nearly equal", "kinks")},
    pinned=[{"entries": entries} for entries in ("drawn", "nearly equal", "kinks")],
)
ENTRIES = Search(examples=6, adversary="kinks, both signs of 0, denormal and nearly equal entries")


def _entries(rng: Generator, m: int, entries: str) -> list[tuple[Fraction, Fraction]]:
    """Pairs (a_k, b_k), exact: those of the floats; "kinks" has all pairs of `UNKIND`."""
    if entries == "kinks":
        a, b = (grid.ravel() for grid in np.meshgrid(UNKIND, UNKIND))
    else:
        a = rng.standard_normal(m)
        b = rng.standard_normal(m) if entries == "drawn" else a + 1e-9 * rng.standard_normal(m)
    return [(Fraction(x), Fraction(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]


@claim(
    "allenzhu2018rnn:proposition-G.3",
    bound="= 0",
    premises="none needed: an identity of any two vectors",
    regime=PAIRS,
    evidence=ENTRIES,
    controls=[
        control("gates of b", of_b=True),
        control("the correction left out", share=0),
        control("the correction of the sign in print where a < 0 <= b", printed=True),
        control("half of the correction", share=Fraction(1, 2)),
    ],
    scope="part: the identity; size and places of the correction are proposition-G.3-range",
    note="D has the gates of a, and D'' is b/|a - b| where those of b differ, else 0; in exact arithmetic on the "
    "floats. The display for a < 0 <= b has a wrong sign, its D'' the right one",
)
def difference_through_gates(
    rng: Generator, m: int, entries: str, *, of_b: bool = False, share: Fraction | int = 1, printed: bool = False
) -> Measured:
    """Entries relu(a_k) - relu(b_k) - (D + D'')_kk (a_k - b_k), over |a_k| + |b_k| where not 0, exactly."""
    missed = []
    for a, b in _entries(rng, m, entries):
        gate = Fraction((b if of_b else a) >= 0)
        turned = -1 if printed and a < 0 <= b else 1
        found = max(a, Fraction(0)) - max(b, Fraction(0)) - (gate + turned * share * gate_correction(a, b)) * (a - b)
        missed.append(float(found / (abs(a) + abs(b) or 1)))
    return Measured(np.array(missed), error=0.0)


@claim(
    "allenzhu2018rnn:proposition-G.3-range",
    title="size and places of the correction of the gates",
    bound="1",
    premises="none needed: of any two vectors",
    regime=PAIRS,
    evidence=ENTRIES,
    controls=[
        control("half", bound="1/2"),
        control("nine tenths", bound="9/10"),
        control("the correction of pairs whose gates agree", anywhere=True),
    ],
    note="attained at a = 0 > b, and nearly at a < 0 where b is far above 0",
)
def range_of_the_correction(rng: Generator, m: int, entries: str, *, anywhere: bool = False) -> Measured:
    """The size |D''_kk|, D'' = b/|a - b| where gates differ, plus 1 where it is not 0 at a pair whose gates agree."""
    found = []
    for a, b in _entries(rng, m, entries):
        correction = b / abs(a - b) if anywhere and a != b else gate_correction(a, b)
        agree = (a >= 0) == (b >= 0)
        found.append(float(abs(correction)) + float(agree and correction != 0))
    return Measured(np.array(found), error=0.0)
