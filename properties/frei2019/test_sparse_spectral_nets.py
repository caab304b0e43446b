"""frei2019, the last layer between sparse vectors (Lemma C.3), and how nets stand for spheres (Appendices D.2, D.3).

Main claims: `fixed_vectors`, `fixed_vectors_in_a_network` (44); `supremum_over_pairs`, `supremum_over_vectors`, with
what angles give; `maps_made_of_the_last_layer`, an erratum of Lemma C.3, `form_over_nets`, `form_in_a_network`.
"""

import itertools
import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from scipy import stats
from scipy.special import erfc
from sympy import Rational

from bounds.papers import frei2019 as sheet
from nets import Array, DataError, DataSource, forward, polygon, residual_network, sparse_supremum, sphere
from nets.data.covering import sphere_net
from properties.frei2019.sparse_responses import log_sparse_net, mapped, some_row_above
from properties.shared.sparse_blocks import doubly_sparse
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid
from theory.evidence import Distribution, ExactLaw, Search, Tail, Trials

LENGTHS = grid(m=[2, 1000], r=[0.5, 1.01], delta=[0.5, 0.1, 1e-9])
SHORT = grid(m=1000, r=0.5, delta=0.1)


@claim(
    "frei2019:eq-44",
    bound="2*r*sqrt(log(1/delta)/m)",
    premises="none needed: vectors and maps that do not depend on the last layer, as the law says",
    regime=Regime(cells=[*LENGTHS, *grid(m=10**6, r=1.01, delta=1e-100)]),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("two thirds", bound="4*r*sqrt(log(1/delta)/m)/3", cells=grid(m=1000, r=1.01, delta=1e-9)),
        control("no root of the logarithm", bound="2*r*log(1/delta)/m", cells=SHORT),
        control("weight variance 4/m", gain=4.0),
        control(
            "half of it, the length of the image left out",
            bound="sqrt(log(1/delta)/m)",
            cells=grid(m=1000, r=1.01, delta=0.1),
        ),
        control("exponent 3/5 of the width", bound="2*r*sqrt(log(1/delta))*m**(-3/5)", cells=SHORT),
    ],
    note="P(|N(0, 1)| > u) is at most exp(-u^2/2), so that no factor 2 is in the logarithm",
    scope="own constants: for C_3 twice the bound on ||xi||, as the law has it",
)
def fixed_vectors(threshold: float, m: int, r: float, *, gain: float = 2.0) -> float:
    """P(|b^T W_{L+1}^T xi a| > `threshold`), the form being N(0, 2 r^2/m) with r = ||xi a||, for fixed unit a and b."""
    return float(erfc(threshold / (r * math.sqrt(2.0 * gain / m))))


@claim(
    "frei2019:eq-44-law",
    title="law of the bilinear form of the last layer at fixed unit vectors",
    bound="= sqrt(2/m)",
    premises="none needed: at all gates and maps of the layers before, as drawn",
    regime=Regime(cells=[*grid(m=4, d=4, L=3, theta=0.5), *grid(m=256, d=4, L=2, theta=0.5)]),
    evidence=Distribution(law=lambda: stats.norm(), trials=800),
    controls=[
        control("weight variance 4/m", bound="sqrt(4/m)"),
        control("the map left out", through=False, cells=grid(m=32, d=4, L=3, theta=1.5)),
        control("a vector that depends on the layer", chosen=True),
        control("three quarters of the deviation", bound="3*sqrt(2/m)/4"),
    ],
    note="in units of the length of the image under the maps before the last layer",
)
def fixed_vectors_in_a_network(
    rng: Generator, m: int, d: int, L: int, theta: float, *, through: bool = True, chosen: bool = False
) -> Array:
    """The forms b^T W_{L+1}^T H_2^L a over ||H_2^L a||, one unit a, b = e_1..e_m: the bound times N(0, 1) in law."""
    # One point and one vector pass each layer once: at a width of 256 most of it need not be drawn.
    net = residual_network((d, *[m] * (L + 1)), theta, rng, stored=2**14)
    a = sphere(1, m, rng)[0]
    image = mapped(net, forward(net, sphere(1, d, rng)), 0, 2, a)
    forms = image @ net.weights[-1]
    length = np.linalg.norm(image if through else a)
    return np.asarray((forms[[np.argmax(np.abs(forms))]] if chosen else forms) / length)


@lru_cache
def _net(s: int, corners: int, distance: float) -> tuple[Array, float]:
    """A net of the unit sphere of R^s and its distance: both points, a polygon, or in space a separated set."""
    if s == 1:
        return np.array([[1.0], [-1.0]]), 0.0
    if s == 2:
        return polygon(corners), 2.0 * math.sin(0.5 * math.pi / corners)
    if s > 3:
        raise DataError(f"a net of vectors with {s} entries: ask for 3 at most")
    return sphere_net(s, distance, 24), distance


def _between(net: Array) -> Array:
    """A unit vector halfway between the first member of a net and one beside it; on the line that member."""
    if net.shape[1] == 1:
        return net[0]
    if net.shape[1] == 2:
        half = math.pi / len(net)
        return np.array([math.cos(half), math.sin(half)])
    middle = net[0] + net[1 + int(np.argmax(net[1:] @ net[0]))]
    return np.asarray(middle / np.linalg.norm(middle))


def _supports(m: int, s: int) -> Array:
    return np.array(list(itertools.combinations(range(m), s)))


def _pairs(rng: Generator, m: int, s: int, net: Array, kind: str) -> tuple[float, float]:
    """The supremum of |b^T M a| over pairs of sparse unit vectors, and the largest value on the nets.

    M is drawn, or of rank one, along vectors between the members of a net.
    """
    M = rng.standard_normal((m, m))
    if kind == "between members":
        vector = np.zeros(m)
        vector[:s] = _between(net)
        M = np.outer(vector, vector)
    places = _supports(m, s)
    blocks = M[places[:, np.newaxis, :, np.newaxis], places[np.newaxis, :, np.newaxis, :]].reshape(-1, s, s)
    return float(np.linalg.norm(blocks, 2, axis=(1, 2)).max()), max(
        float(np.abs(net @ block @ net.T).max()) for block in blocks
    )


def _vectors(rng: Generator, m: int, s: int, net: Array, kind: str) -> tuple[float, float]:
    """The supremum of |q^T a| over sparse unit vectors, and the largest value on the nets."""
    q = rng.standard_normal(m)
    if kind == "between members":
        q = np.zeros(m)
        q[:s] = _between(net)
    return float(sparse_supremum(q, s)), float(np.abs(q[_supports(m, s)] @ net.T).max())


KINDS = {"kind": choices("drawn", "between members")}
QUARTERS = Regime(
    cells=[*grid(m=[2, 6], s=2, corners=14), *grid(m=5, s=2, corners=40), *grid(m=4, s=3, corners=14)],
    draw=KINDS,
    pinned=[{"kind": "between members"}],
    most={"s": "m"},
)
HALVES = Regime(
    cells=[*grid(m=[2, 12], s=2, corners=8), *grid(m=6, s=2, corners=20), *grid(m=8, s=3, corners=8)],
    draw=KINDS,
    pinned=[{"kind": "between members"}],
    most={"s": "m"},
)
FROM_BELOW = "forms of rank one along vectors that are halfway between two members of the net"
TWO_POINTS = grid(m=2, s=2, corners=2)
# Less by as little as no rounding decides, where both sides can be equal.
ATTAINED = 1.0 - 1e-11


@claim(
    "frei2019:d2-lift",
    bound="2*netmax",
    premises="members of the net of a circle, within 1/4 of all of it: corners >= 13",
    regime=QUARTERS,
    measured=["netmax"],
    evidence=Search(examples=8, adversary=FROM_BELOW),
    controls=[
        control("the largest value on the nets itself", bound="netmax"),
        control("one twentieth more than it", bound="21*netmax/20", cells=grid(m=2, s=2, corners=14)),
        control("two points for a net", cells=TWO_POINTS, without="corners >= 13"),
    ],
    note="forms lose no more than the squared cosine of the angle: at 1/4 the factor 1.066 would do, see sharp",
)
def supremum_over_pairs(rng: Generator, m: int, s: int, corners: int, kind: str) -> Measured:
    """The supremum of |b^T M a|, M any, s-sparse unit a and b; netmax is its largest on nets.

    The nets are of such vectors, one for every s coordinates, within 1/4 of all unit vectors there.
    """
    supremum, largest = _pairs(rng, m, s, _net(s, corners, 0.25)[0], kind)
    return Measured(supremum, symbols={"netmax": largest})


@claim(
    "frei2019:d2-lift-sharp",
    title="bilinear net-to-sphere bootstrapping, by the angle",
    bound="netmax/(1 - mesh**2/2)**2",
    premises="none needed: nets of unit vectors, within mesh < sqrt(2) of all of these, for every s coordinates",
    regime=replace(QUARTERS, least={"corners": 3}),
    measured=["netmax", "mesh"],
    evidence=Search(examples=8, adversary=FROM_BELOW),
    controls=[
        control("one angle alone", bound="netmax/(1 - mesh**2/2)", cells=grid(m=2, s=2, corners=14)),
        control(
            "a quarter of the squared distance", bound="netmax/(1 - mesh**2/4)**2", cells=grid(m=2, s=2, corners=14)
        ),
        control("the cube of the distance", bound="netmax/(1 - mesh**3/2)**2"),
        control("half of the distance", scale=0.5),
    ],
    note="attained by a form of rank one; a form that stretches all vectors alike loses less",
)
def supremum_over_pairs_by_the_angle(
    rng: Generator, m: int, s: int, corners: int, kind: str, *, scale: float = 1.0
) -> Measured:
    """The supremum of |b^T M a|, M any, s-sparse unit a and b; netmax is its largest on nets of such vectors."""
    net, reach = _net(s, corners, 0.25)
    supremum, largest = _pairs(rng, m, s, net, kind)
    return Measured(supremum * ATTAINED, symbols={"netmax": largest, "mesh": scale * reach})


@claim(
    "frei2019:d3-lift",
    bound="2*netmax",
    premises="members of the net of a circle, within 1/2 of all of it: corners >= 7",
    regime=HALVES,
    measured=["netmax"],
    evidence=Search(examples=8, adversary=FROM_BELOW),
    controls=[
        control("the largest value on the net itself", bound="netmax"),
        control("one twentieth more than it", bound="21*netmax/20", cells=grid(m=2, s=2, corners=8)),
        control("two points for a net", cells=TWO_POINTS, without="corners >= 7"),
    ],
    note="linear forms lose no more than the cosine of the angle: at 1/2 the factor 8/7 would do, see sharp",
)
def supremum_over_vectors(rng: Generator, m: int, s: int, corners: int, kind: str) -> Measured:
    """The supremum of |q^T a|, q any, over s-sparse unit a; netmax is its largest value on nets within 1/2 of them."""
    supremum, largest = _vectors(rng, m, s, _net(s, corners, 0.5)[0], kind)
    return Measured(supremum, symbols={"netmax": largest})


@claim(
    "frei2019:d3-lift-sharp",
    title="linear net-to-sphere bootstrapping, by the angle",
    bound="netmax/(1 - mesh**2/2)",
    premises="none needed: nets of unit vectors, within mesh < sqrt(2) of all of these, for every s coordinates",
    regime=replace(HALVES, least={"corners": 3}),
    measured=["netmax", "mesh"],
    evidence=Search(examples=8, adversary=FROM_BELOW),
    controls=[
        control("a third of the squared distance", bound="netmax/(1 - mesh**2/3)", cells=grid(m=2, s=2, corners=8)),
        control("the cube of the distance", bound="netmax/(1 - mesh**3/2)"),
        control("half of the distance", scale=0.5),
    ],
    note="attained at forms halfway between two members",
)
def supremum_over_vectors_by_the_angle(
    rng: Generator, m: int, s: int, corners: int, kind: str, *, scale: float = 1.0
) -> Measured:
    """The supremum of |q^T a|, q any, over s-sparse unit a; netmax is its largest on nets of such vectors."""
    net, reach = _net(s, corners, 0.5)
    supremum, largest = _vectors(rng, m, s, net, kind)
    return Measured(supremum * ATTAINED, symbols={"netmax": largest, "mesh": scale * reach})


NORM = 1.01  # of the maps, as in Lemma B.2


@claim(
    "frei2019:lemma-C.3",
    bound=sheet.lemma_c3.reads("C*sqrt(s*log(m)/m)"),
    premises=sheet.sparse_logarithm.reads("s*log(m) >= C*log(L/delta)"),
    regime=Regime(cells=grid(m=256, L=2, s=1, delta=0.1)),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("constant 80", bound="80*sqrt(s*log(m)/m)", cells=grid(m=10**5, L=2, s=1, delta=0.1)),
        control("constant 800", bound="800*sqrt(s*log(m)/m)", cells=grid(m=10**8, L=2, s=1, delta=0.1)),
    ],
    note="w e_1^T/||w||, w the longest weight vector of the last layer, has norm 1 and value ||w||, sqrt(2) and more: "
    "the map must not depend on the last layer",
)
def maps_made_of_the_last_layer(threshold: float, m: int, s: int) -> Tail:
    """The chance of |b^T W_{L+1}^T xi a| > `threshold` for some s-sparse unit a, b and some ||xi|| <= 1.01.

    From below that of ||w||, of m entries of variance 2/m. From above that one of all choices of s weight vectors has
    a norm as large, maps of norm 1.01 making no more of it. C is 8.
    """
    single = float(stats.chi2.sf(0.5 * m * threshold**2, m))
    longest = -math.expm1(m * math.log1p(-single)) if single < 1.0 else 1.0
    beyond = threshold / NORM * math.sqrt(0.5 * m) - math.sqrt(m) - math.sqrt(s)
    choices_of_neurons = log_sparse_net(m, s, 1)
    above = math.exp(min(0.0, choices_of_neurons - 0.5 * max(beyond, 0.0) ** 2))
    return Tail(longest, above)


SINGLE = grid(m=200, L=2, s=1, delta=0.1)
ENTRIES = grid(m=10**4, L=3, s=22, delta=0.1)
WIDEST = grid(m=10**6, L=2, s=1, delta=0.1)
DENSE = grid(m=400, L=2, s=400, delta=0.1)
RAREST = [{**SINGLE[0], "delta": 1e-60}]


@claim(
    "frei2019:lemma-C.3-corrected",
    title="bilinear form of the last layer on doubly sparse vectors, for maps independent of it",
    bound=sheet.lemma_c3.reads("C*sqrt(s*log(m)/m)"),
    premises=sheet.sparse_logarithm.reads("s*log(m) >= C*log(L/delta)"),
    regime=Regime(cells=[*SINGLE, *ENTRIES, *DENSE, *grid(m=10**6, L=50, s=[2, 15, 500], delta=1e-6)]),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("log(m/s) for log(m)", bound="8*sqrt(s*log(m/s)/m)", cells=DENSE),
        control("constant 3/2", bound="3*sqrt(s*log(m)/m)/2", cells=SINGLE),
        control("half of it, no logarithm", bound="4*sqrt(s/m)", cells=SINGLE),
        control("exponent 3/5 of the width", bound="8*sqrt(s*log(m))*m**(-3/5)", cells=WIDEST),
        control("3 for 8, fourth root of the sparsity", bound="3*s**(1/4)*sqrt(log(m)/m)", cells=ENTRIES),
        control("weight variance 32/m", gain=32.0, cells=SINGLE),
        control("a map made of the last layer", dependent=True, cells=grid(m=10**5, L=2, s=1, delta=0.1)),
        control(
            "a level of 10^-60, which one entry does not make up for", cells=RAREST, without=sheet.sparse_logarithm
        ),
    ],
    note="C = 8; a net has binom(m, s) 9^s points, more than m^s at some m for 1 < s < 22; one entry needs no net",
    blind={"m in sqrt(log(m))": "single has a control with its fourth root"},
)
@form(
    "single",
    title="bilinear form of the last layer between single entries, for maps independent of it",
    bound="C*sqrt(log(m)/m)",
    constants={"C": (Rational(7, 2), "the root of 12, for m^2 pairs and L/delta, which is m at most, times 1.01")},
    regime=Regime(
        cells=[*SINGLE, *grid(m=10**4, L=3, s=1, delta=0.1), *WIDEST, *grid(m=10**6, L=50, s=1, delta=1e-4)],
        most={"s": 1},
    ),
    controls=[
        control("exponent 11/20 of the width", bound="7*sqrt(log(m))*m**(-11/20)/2", cells=WIDEST),
        control("fourth root of the logarithm", bound="7*log(m)**(1/4)/(2*sqrt(m))", cells=WIDEST),
        control("weight variance 4/m", gain=4.0, cells=SINGLE),
        control(
            "a level of 10^-60, which one entry does not make up for", cells=RAREST, without=sheet.sparse_logarithm
        ),
    ],
    blind={},
    note="no net is needed for them: a constant within a fifth of what one entry has",
)
def form_over_nets(threshold: float, m: int, L: int, s: int, *, gain: float = 2.0, dependent: bool = False) -> Tail:
    """P(some |b^T W_{L+1}^T xi a| > `threshold`), a, b s-sparse of norm 1, L maps ||xi|| <= 1.01; from below xi = I."""
    if dependent:
        return maps_made_of_the_last_layer(threshold, m, s)
    # A net takes half of the level, but for single entries, which are counted as they are.
    level = (0.5 if s > 1 else 1.0) * threshold / (NORM * math.sqrt(gain / m))
    points = math.log(2.0 * L) + 2.0 * log_sparse_net(m, s, 9) + float(stats.norm.logsf(level))
    return Tail(some_row_above(threshold, m, s, m, gain / m), min(1.0, math.exp(min(points, 0.0))))


FORMS = grid(m=256, d=8, L=3, s=1, delta=0.4, theta=0.0005)
SPREAD = grid(m=256, d=8, L=2, s=16, delta=0.4, theta=0.0005)
EIGHT_LAYERS = grid(m=64, d=8, L=8, s=1, delta=0.4, theta=0.5)
# Whose choice outweighs no such level.
TWO_NEURONS = [{**FORMS[0], "m": 2, "d": 1, "L": 2, "delta": 0.01}]


@claim(
    "frei2019:lemma-C.3-sharp",
    title="bilinear form of the last layer on doubly sparse vectors, in networks",
    bound="C*sqrt(s*log(m)/m)",
    constants={
        "C": (4, "Gordon's inequality: the widths of both sets of sparse vectors, at most sqrt(2 s log(m)) each")
    },
    premises=[
        sheet.sparse_logarithm.reads("s*log(m) >= C*log(L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(
        cells=[
            *FORMS,
            *SPREAD,
            *grid(m=64, d=8, L=2, s=2, delta=0.4, theta=0.0005),
            *grid(m=64, d=8, L=2, s=1, delta=0.05, theta=0.0005),
        ],
        thorough=grid(m=512, d=8, L=2, s=[1, 30], delta=0.4, theta=0.0005),
        least={"L": 2},
    ),
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("constant 2", bound="2*sqrt(s*log(m)/m)", cells=FORMS),
        control("no logarithm", bound="4*sqrt(s/m)", cells=FORMS),
        control("3/4 of it, cube root of the sparsity", bound="3*s**(1/3)*sqrt(log(m))/sqrt(m)", cells=SPREAD),
        control("weight variance 8/m in the last layer", gain=8.0, cells=FORMS),
        control("the map made of the last layer", dependent=True, cells=[{**FORMS[0], "L": 2}]),
        control("scale 1/2 in eight layers", cells=EIGHT_LAYERS, without=sheet.lemma_b2_scale),
        control("two neurons, at the level 1/100", cells=TWO_NEURONS, without=sheet.sparse_logarithm),
    ],
    note="at one entry each the supremum is exact, at more it is climbed; the scale keeps norms of maps below 1.01",
)
def form_in_a_network(
    rng: Generator,
    data: DataSource,
    m: int,
    d: int,
    L: int,
    s: int,
    theta: float,
    *,
    gain: float = 2.0,
    dependent: bool = False,
) -> float:
    """The largest |b^T W_{L+1}^T H_l^L a| found, a and b s-sparse of norm 1, l = 2..L, at the gates of one input."""
    X, _ = data.draw(1, d, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    fwd, last = forward(net, X), math.sqrt(gain / 2.0) * net.weights[-1]
    found = []
    for layer in range(2, L + 1):
        if dependent:
            rows = np.outer(np.eye(m)[0], last[:, 0] / np.linalg.norm(last[:, 0]))
        else:
            # The first map of unit vectors is its own matrix.
            step = net.steps[layer - 1]
            first = step.combined(np.eye(m), net.weights[step.weight] * fwd.masks[layer - 1][0])
            rows = mapped(net, fwd, 0, layer + 1, first)
        found.append(doubly_sparse(rows @ last, s))
    return max(found)
