"""chatterji2021 on activations: applied to every coordinate they bring no two vectors further apart.

Main claim: `contraction` (Lemma B.9).
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from nets import Activation, Array, custom_activation
from properties.chatterji2021.smooth_members import MEMBERS
from theory.claims import Measured, Regime, choices, claim, control, grid
from theory.evidence import Search

NAMES = tuple(MEMBERS)

# Entries are multiples of h/2^10 and h is a power of two. Then, but for Swish, all values and their differences are
# exact, and so are the sums of their squares where no value lies inside a bend: equality is decided as such.
STEPS = 2.0**10
EXPONENTS = st.integers(-200, 200)

# In multiples of h: where the first vector lies (the slope of Swish is largest at 1.1997), how far its coordinates
# scatter, and how far the second vector is.
CENTRES = (-6.0, -1.0, 0.0, 0.5, 0.75, 1.0, 1.1997, 6.0)
SCATTER = (0.0, 0.25, 1.0)
REACH = (2.0**-9, 2.0**-5, 0.5, 1.0, 2.0, 16.0, 2.0**10)


def _one_of(values: tuple[float, ...]) -> st.SearchStrategy[float]:
    return st.integers(0, len(values) - 1).map(values.__getitem__)


def _exact_norm(v: Array) -> float:
    """The norm of a vector of small integers times a power of two: but for the root, which is monotone, exact."""
    largest = float(np.abs(v).max())
    scale = 2.0 ** np.floor(np.log2(largest)) if largest else 1.0
    return float(scale * np.sqrt(np.sum((v / scale) ** 2)))


class Vectors(NamedTuple):
    """Two vectors as a search draws them, in multiples of h.

    The first scatters about `centre`. The second is apart from it by up to `apart`, in each coordinate by a move of
    "each its own" or by as much in "all alike"; or it is "zero".
    """

    centre: float
    scatter: float
    apart: float
    moves: str
    second: str

    def of(self, rng: Generator, m: int, h: float) -> tuple[Array, Array]:
        """The vectors, (m,) each."""
        v = np.round(STEPS * (self.centre + self.scatter * rng.uniform(-1.0, 1.0, m)))
        move = STEPS * self.apart * (np.ones(m) if self.moves == "all alike" else rng.uniform(-1.0, 1.0, m))
        return h / STEPS * v, np.zeros(m) if self.second == "zero" else h / STEPS * (v + np.round(move))


# Equality: all coordinates where the slope is 1, or largest. Then from the end of the bend of the Huberised ReLU just
# past it, where a value that jumps would show.
PINS = (
    ("huberised_relu", 0, Vectors(6.0, 1.0, 2.0, "each its own", "near")),
    ("saturating", -200, Vectors(-6.0, 1.0, 2.0, "all alike", "near")),
    ("identity", 200, Vectors(6.0, 1.0, 2.0, "each its own", "zero")),
    ("scaled_swish", 0, Vectors(1.1997, 0.0, 2.0**-5, "all alike", "near")),
    ("huberised_relu", 0, Vectors(1.0, 0.0, 2.0**-9, "all alike", "near")),
)


@claim(
    "chatterji2021:lemma-B.9",
    bound="dist",
    premises="none needed: every activation drawn is a member, by def-2.1; the vectors may be any",
    measured=["dist"],
    regime=Regime(
        cells=grid(m=[1, 2, 16]),
        thorough=grid(m=[3, 256]),
        draw={
            "member": choices(*NAMES),
            "power": EXPONENTS,
            "centre": _one_of(CENTRES),
            "scatter": _one_of(SCATTER),
            "apart": _one_of(REACH),
            "moves": choices("each its own", "all alike"),
            "second": choices("near", "zero"),
        },
        pinned=[{"member": name, "power": power, **vectors._asdict()} for name, power, vectors in PINS],
        built={"vectors": (Vectors, Vectors._fields)},
    ),
    evidence=Search(
        examples=40, adversary="vectors beyond the bend, across it and inside, from 2^-200 to 2^200; one may be zero"
    ),
    controls=[
        control("one part in a thousand less", bound="999*dist/1000"),
        control("Swish that is not scaled down", added=1.0),
        control("Swish scaled down by 1.09", added=1.09),
        control("bend that is h/2 long", steep=True),
        control("Euclidean norm against the largest coordinate", largest=True, cells=grid(m=2)),
    ],
    note="equality for the Huberised ReLU where all coordinates are above h, for the identity everywhere. With one "
    "vector zero it says |phi(z)| <= |z|",
)
def contraction(
    rng: Generator,
    m: int,
    member: str,
    power: int,
    vectors: Vectors,
    *,
    added: float = 0.0,
    steep: bool = False,
    largest: bool = False,
) -> Measured:
    """The distance ||phi(v) - phi(w)||, with dist = ||v - w||, exact for all but Swish.

    Swish has 1e-4 to spare and loses 1e-9 to cancellation.
    """
    h = 2.0**power
    v, w = vectors.of(rng, m, h)
    phi = MEMBERS[member](h)
    if added:
        phi = _swish(h, added)
    if steep:
        phi = _shortened(h)
    moved = phi.value(v) - phi.value(w)
    dist = float(np.abs(v - w).max()) if largest else _exact_norm(v - w)
    return Measured(_exact_norm(moved), error=0.0, symbols={"dist": dist})


def _swish(h: float, divisor: float) -> Activation:
    """Swish with another divisor than 1.1."""
    paper = MEMBERS["scaled_swish"](h)
    factor = 1.1 / divisor
    return custom_activation(
        "Swish",
        lambda z: factor * paper.value(z),
        lambda z: factor * paper.slope(z),
        smoothness=factor * paper.smoothness,
    )


def _shortened(h: float) -> Activation:
    """z^2/(2 (h/2)) up to h, where its slope has reached 2, and a line from there on."""
    paper = MEMBERS["huberised_relu"](h)
    return custom_activation(
        "steep", lambda z: 2.0 * paper.value(z), lambda z: 2.0 * paper.slope(z), smoothness=2.0 * paper.smoothness
    )
