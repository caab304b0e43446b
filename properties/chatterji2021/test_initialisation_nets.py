"""chatterji2021 at initialisation: nets of unit vectors and of sparse unit vectors.

Main claims: `quarter_net` (Lemma F.9) with `built_net`, and `sparse_net` (Lemma F.10) with what the proofs use of it,
`distance_from_the_net` and `coordinates_that_change`.
"""

import functools
import itertools
import math

import flint
import numpy as np
from numpy.random import Generator

from bounds import Bound, certainly_le, precision_of, symbol
from bounds.papers import chatterji2021 as sheet
from nets import Array, DataError
from nets.data.covering import is_net, maximal_separated, sphere_grid, sphere_net
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Proof, Search, Step

# Cells per edge of the grid that a net is picked from, by dimension.
CELLS = {1: 1, 2: 60, 3: 20}
DIMENSIONS = (2, 3, 4, 8, 16, 32, 64)


def _caps_needed(dimension: int, eps: flint.arb) -> flint.arb:
    """The area of the sphere over that of a cap of chord eps: a net of it has at least as many points."""
    sine_squared = eps**2 - eps**4 / 4
    share = sine_squared.beta_lower(flint.arb(dimension - 1) / 2, flint.arb(1) / 2, regularized=True) / 2
    return 1 / share


@claim(
    "chatterji2021:lemma-F.9",
    bound=sheet.fact_F_9.reads("9**d"),
    premises="none needed: the sphere of every dimension is covered whole: the lemma asks no more",
    measured=["d"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="areas of caps ask for 64 points in three dimensions, and for more than 4^d from four on"),
    controls=[
        control("4^d", bound="4**d"),
        control("9^(d-1), by the dimension of the sphere", bound="9**(d - 1)"),
        control("net of distance 1/9", eps=9),
    ],
)
def quarter_net(bound: Bound, *, eps: int = 4) -> list[Step]:
    """The size of a maximal 1/4-separated set of unit vectors of R^d, which is a net of distance 1/4; for every d.

    With 1/eps for 1/4: balls of half that radius about it are disjoint and lie in one of radius 1 + 1/(2 eps).
    """
    d = symbol("d")
    with precision_of(128):
        needed = {k: _caps_needed(k, flint.arb(1) / eps) for k in DIMENSIONS}
        few = [certainly_le(least, bound.ball(d=k)) is False for k, least in needed.items()]
    points, _ = sphere_grid(2, 40)
    chosen = maximal_separated(points, 1 / eps)
    return [
        Step("not fewer points than caps cover the sphere", not any(few)),
        Step("the bound is the ratio of the volumes", bool(bound.expr == (2 * eps + 1) ** d) or None),
        Step("a maximal separated set is a net, on a grid of the circle", is_net(chosen, points, 1 / eps)),
        Step("and no net without one of its points", not is_net(chosen[1:], points, 1 / eps)),
    ]


@functools.lru_cache(maxsize=16)
def _net(dimension: int, eps: float) -> Array:
    if dimension not in CELLS:
        raise DataError(f"no net of the sphere is built in dimension {dimension}: take 1 to {max(CELLS)}")
    return sphere_net(dimension, eps, CELLS[dimension])


@claim(
    "chatterji2021:lemma-F.9-built",
    title="quarter-nets of the whole sphere, built in one to three dimensions",
    bound=sheet.fact_F_9.reads("9**d"),
    premises="none needed: the sphere of each dimension is covered whole: the lemma asks no more",
    regime=Regime(cells=grid(d=[1, 2, 3])),
    evidence=Search(adversary="separated points of a grid fine enough that they are a net of all of the sphere"),
    controls=[control("5^d", bound="5**d"), control("net of distance 1/16", eps=0.0625, cells=grid(d=2))],
)
def built_net(d: int, *, eps: float = 0.25) -> Measured:
    """The number of points of a net of distance 1/4 of the unit sphere of R^d, separated by nearly as much."""
    return Measured(float(len(_net(d, eps))), error=0.0)


def _supports(d: int, s: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations(range(d), s))


@functools.lru_cache(maxsize=16)
def _sparse_net(d: int, s: int, eps: float) -> Array:
    """A net on each support, one after the other: (supports, points, d)."""
    net = _net(s, eps)
    found = np.zeros((math.comb(d, s), len(net), d))
    for place, support in enumerate(_supports(d, s)):
        found[place][:, support] = net
    return found


def _nearest(rng: Generator, d: int, s: int, eps: float, own: bool) -> tuple[Array, Array]:
    """Random sparse unit vectors, half of them with small entries, and their points of the net: (k, d) twice."""
    nets = _sparse_net(d, s, eps)
    vectors, points = [], []
    for place, support in enumerate(_supports(d, s)):
        block = np.zeros((60, d))
        block[:, support] = rng.normal(size=(60, s)) * 10.0 ** (
            -rng.uniform(0.0, 2.0, (60, s)) * (np.arange(60) % 2)[:, None]
        )
        block /= np.linalg.norm(block, axis=1, keepdims=True)
        net = nets[place] if own else nets.reshape(-1, d)
        distances = ((block[:, None] - net[None]) ** 2).sum(axis=2)
        vectors.append(block)
        points.append(net[distances.argmin(axis=1)])
    return np.concatenate(vectors), np.concatenate(points)


@claim(
    "chatterji2021:lemma-F.10",
    bound="9**s",
    premises="none needed: sparse unit vectors are all that is asked of, and every support is counted",
    regime=Regime(cells=[*grid(d=4, s=[1, 2, 3]), *grid(d=5, s=[2, 3])], least={"d": "s"}),
    evidence=Search(adversary="the union of the nets on all supports, points that two supports share counted once"),
    controls=[
        control("net of the whole sphere of R^d", dense=True, cells=grid(d=3, s=1)),
        control("5^s", bound="5**s"),
        control("net of distance 1/16", eps=0.0625, cells=grid(d=4, s=2)),
    ],
    scope="part: the size; how close the net comes, and in which coordinates, is lemma-F.10-distance and -support",
)
def sparse_net(d: int, s: int, *, eps: float = 0.25, dense: bool = False) -> Measured:
    """The size of the union of 1/4-nets of the unit vectors of each s coordinates of R^d, over the binomial(d, s)."""
    points = _net(d, eps) if dense else np.unique(_sparse_net(d, s, eps).reshape(-1, d), axis=0)
    return Measured(len(points) / math.comb(d, s), error=0.0)


@claim(
    "chatterji2021:lemma-F.10-distance",
    title="each sparse unit vector has a point of the net within a quarter",
    bound="1/4",
    premises="none needed: unit vectors with s entries are drawn on every support",
    regime=Regime(cells=grid(d=4, s=[1, 2, 3]), least={"d": "s"}),
    evidence=Search(examples=8, adversary="vectors on every support, half of them with small entries"),
    controls=[
        control("net of distance 0.4", eps=0.4, cells=grid(d=4, s=3)),
        control("net of vectors with one entry less", fewer=1, cells=grid(d=4, s=3)),
    ],
)
def distance_from_the_net(rng: Generator, d: int, s: int, *, eps: float = 0.25, fewer: int = 0) -> Measured:
    """The largest distance of random s-sparse unit vectors from the nearest point of a 1/4-net of their support."""
    vectors, points = _nearest(rng, d, s, eps, own=True)
    if fewer:
        net = _sparse_net(d, s - fewer, eps).reshape(-1, d)
        points = net[((vectors[:, None] - net[None]) ** 2).sum(axis=2).argmin(axis=1)]
    return Measured(float(np.linalg.norm(vectors - points, axis=1).max()))


@claim(
    "chatterji2021:lemma-F.10-support",
    title="a sparse unit vector and its point of the net differ in few coordinates",
    bound="s",
    premises="none needed: unit vectors with s entries are drawn on every support",
    regime=Regime(cells=grid(d=4, s=[1, 2, 3]), least={"d": "s"}),
    evidence=Search(examples=8, adversary="vectors with small entries, which other supports come close to"),
    controls=[
        control("nearest point of the whole net", own=False, cells=grid(d=4, s=2)),
        control("one coordinate less", bound="s - 1"),
    ],
)
def coordinates_that_change(rng: Generator, d: int, s: int, *, own: bool = True) -> Measured:
    """Number ||v - zeta(v)||_0, largest of random s-sparse v, zeta(v) nearest in a 1/4-net of the support of v."""
    vectors, points = _nearest(rng, d, s, 0.25, own)
    return Measured(float((vectors != points).sum(axis=1).max()), error=0.0)
