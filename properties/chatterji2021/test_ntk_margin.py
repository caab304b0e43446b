"""chatterji2021 on margins of tangent features at initialisation: Assumption 3.2 and clustered data (Appendix C).

Main claims: `margin_near_the_limit` with `margin_on_digits`; `margin_of_clusters`, with `margin_by_counts` and
`margin_by_counts_sharp`.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import Array, DataError, Dataset, DataSource, separated
from nets.data.distances import antipodal_separation
from nets.data.labelled import load
from properties.chatterji2021.clusters import (
    AT_THE_LIMITS,
    BLIND_TO_BOTH_SPREADS,
    DIMENSION,
    LARGEST_SPREAD,
    Clusters,
    largest_h_of_two_layers,
    random_clusters,
    two_clusters,
)
from properties.chatterji2021.tangent_features import limit_margin, tangent, two_stage_smoothing, wide_network
from theory.claims import Measured, Regime, claim, control, grid, reals
from theory.evidence import Scaling, Search, Trials

# How often points are drawn until none is near the antipode of another, which in eight dimensions one draw in 200 is.
ATTEMPTS = 100


def _apart(n: int, d: int, least: float, rng: Generator) -> Array:
    """Points (n, d), two of which are at distance `least`, and none nearer to another or to its antipode."""
    for _ in range(ATTEMPTS):
        X = separated(n, d, least, rng)
        if antipodal_separation(X, least) >= least:
            return X
    raise DataError(f"no {n} points in d = {d} found that are {least:.6g} from each other and from antipodes")


@functools.cache
def digits() -> Dataset:
    """Images of 3 and 8, read once."""
    return load("digits")


def _margin(
    X: Array, y: Array, m: int, L: int, rng: Generator, share: float, output_variance: float, opposed: bool
) -> Measured:
    """The largest margin, enclosed, where gamma is `share` of that of the limiting kernel at these very points."""
    n = len(X)
    gamma = share * limit_margin(X, y, L)
    if opposed:
        X, y = X.copy(), y.copy()
        X[1], y[1] = X[0], -y[0]
    found = tangent(
        wide_network(X.shape[1], m, L, rng, output_variance), X, y, two_stage_smoothing(m, n, L)
    ).largest_margin()
    return Measured.between(found.low, found.high, symbols={"gamma": gamma})


NO_LOWER_CHANCE = "at lower ones no margin that trials see is short of it"
# At one layer h is 5 log(n)/(12 m), and pre-activations of points phi_pm apart differ by sqrt(4/pi) phi_pm/sqrt(m) in
# the mean, of which the bend takes h/3 from the squared difference of their slopes: 3 % at the least phi_pm.
SHORT_BEND = "sqrt(m)*phi_pm >= 4*log(n)"

TWO_LAYERS = grid(m=1024, L=2, n=4, d=8, phi_pm=0.5, delta=0.2)
ONE_LAYER = grid(m=5000, L=1, n=4, d=8, phi_pm=0.5, delta=0.2)


@claim(
    "chatterji2021:assumption-3.2",
    bound=sheet.assumption_3_2.reads("sqrt(m)*gamma"),
    sense=">=",
    premises=[
        "width against separation; not in the paper, which leaves gamma open: a test of it near the value at infinite "
        "width needs so much; from antipodes too, as odd functions of one layer are linear: m*phi_pm >= C",
        "separation against the bend h, within which points have nearly the same slopes: sqrt(m)*phi_pm >= 4*log(n)",
        "few samples beside the width, as twice as many random labels as there are weights have no margin: m >= 16*n",
        "few layers, as the margin of deep narrow ones scatters: L <= 3",
        "a chance that the width, in which there is none, leaves: delta >= 1/5",
    ],
    constants={
        "C": (400, "m phi/pi gates tell the nearest apart: nine tenths of a limit; right angles at 3 layers miss 12 %")
    },
    regime=Regime(
        cells=[*TWO_LAYERS, *ONE_LAYER],
        thorough=[{**TWO_LAYERS[0], "m": 10**4, "L": 3}, {**TWO_LAYERS[0], "m": 10**5, "n": 2}],
        least={"n": 2},  # at one sample the h of (5) is 0
    ),
    evidence=Trials(rate="delta", budget=240, dear=True),
    measured=["gamma"],
    controls=[
        control("the same point in both classes", opposed=True, cells=TWO_LAYERS),
        control("output weights of variance 1/m", small=True, cells=TWO_LAYERS),
        control("margin of order m", bound="m*gamma", cells=TWO_LAYERS),
        control("a margin above the limit by a tenth", share=1.1, cells=ONE_LAYER),
        control("a width of 32", cells=grid(m=32, L=2, n=2, d=8, phi_pm=0.5, delta=0.2), without="m*phi_pm >= C"),
        control("sixty layers", cells=grid(m=500, L=60, n=4, d=8, phi_pm=0.8, delta=0.2), without="L <= 3"),
    ],
    blind={
        "premise delta >= 1/5": NO_LOWER_CHANCE,
        f"premise {SHORT_BEND}": "at the least phi_pm it takes ten million neurons to miss it: no run has as many",
        "premise m >= 16*n": "it takes twice m d samples to miss all margins: no run has as many",
    },
    note="but for delta; gamma is 9/10 of the ReLU's margin/sqrt(m) at infinite m, same X, y; h is (5) with 10 for 6",
)
def margin_near_the_limit(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    phi_pm: float,
    *,
    share: float = 0.9,
    small: bool = False,
    opposed: bool = False,
) -> Measured:
    """Margin max_W min_s y_s <grad f(x_s), W> at V^(1), ||W|| = 1; points are phi_pm or more apart, labels random."""
    X, y = data.draw(n, d, rng)
    if not isinstance(data, Dataset):
        X = _apart(n, d, phi_pm, rng)
    return _margin(X, y, m, L, rng, share, 1.0 / m if small else 1.0, opposed)


@claim(
    "chatterji2021:assumption-3.2-digits",
    title="margin in the gradient features of two written digits",
    bound=sheet.assumption_3_2.reads("sqrt(m)*gamma"),
    sense=">=",
    premises=[
        "width; not in the paper, which leaves gamma open: a test of it near the value at infinite width: m >= C",
        "few layers, as the margin of deep narrow ones scatters: L <= 3",
        "a chance that the width, in which there is none, leaves: delta >= 1/5",
    ],
    constants={
        "C": (500, "the nearest 3 and 8 are 0.378 apart, and 60 gates tell them: enough for 4/5 of a limit at all 357")
    },
    regime=Regime(
        cells=[*grid(m=2000, L=1, n=8, delta=0.2), *grid(m=1000, L=2, n=8, delta=0.2)],
        thorough=[*grid(m=10**4, L=3, n=12, delta=0.2), *grid(m=3000, L=1, n=60, delta=0.2)],
        least={"n": 2},  # one of each class
    ),
    evidence=Trials(rate="delta", budget=240, dear=True),
    measured=["gamma"],
    controls=[
        control("a width of 16", cells=grid(m=16, L=1, n=8, delta=0.2), without="m >= C"),
        control("sixty layers", cells=grid(m=500, L=60, n=4, delta=0.2), without="L <= 3"),
        control("an image in both classes", opposed=True, cells=grid(m=2000, L=1, n=8, delta=0.2)),
        control("a margin above the limit by a quarter", share=1.25, cells=grid(m=2000, L=1, n=8, delta=0.2)),
    ],
    blind={"premise delta >= 1/5": NO_LOWER_CHANCE},
    note="3s, 8s, but for delta; gamma is 4/5 of the ReLU's margin/sqrt(m) at infinite m; h is h_NT of (5), 10 for 6",
)
def margin_on_digits(rng: Generator, m: int, L: int, n: int, *, share: float = 0.8, opposed: bool = False) -> Measured:
    """Margin max_W min_s y_s <grad f(x_s), W> at V^(1), ||W|| = 1 over all layers, distinct images of two classes."""
    X, y = digits().draw(n, None, rng)
    return _margin(X, y, m, L, rng, share, 1.0, opposed)


def _smooth(m: int, factor: float) -> list[dict[str, float]]:
    """A width, with h larger by that factor than the statement lets it be."""
    return grid(m=m, n=8, delta=0.04, h=factor * largest_h_of_two_layers(m))


def replicates_of_clusters(m: int) -> int:
    """How many starts are enough for the mean margin of m neurons: of six, whose margin varies most, a hundred."""
    return min(max(3, 120000 // m), 100)


@claim(
    "chatterji2021:prop-C.1",
    bound=sheet.prop_C_1.reads("c*sqrt(m)"),
    sense=">=",
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
        sheet.prop_C_1_samples.reads("n >= 150*delta"),
    ],
    regime=Regime(
        calibration=grid(m=[4300, 6400], n=8, delta=0.04),
        cells=grid(m=[10**4, 30000, 90000], n=8, delta=0.04),
        thorough=grid(m=400000, n=8, delta=0.04),
        derived=AT_THE_LIMITS,
    ),
    evidence=Scaling(
        exponents={"m": "equal"}, constant="c", replicates=replicates_of_clusters, margin=1.1, resolution=0.02
    ),
    controls=[
        control("margin of order m^(2/5)", bound="c*m**(2/5)"),
        control("direction divided by the number of its neurons, not by its root", root=False),
        control("h a hundred times as large", cells=_smooth(10**4, 100.0), without=sheet.prop_C_1_smoothing),
        control("a width of 64", cells=grid(m=64, n=8, delta=0.04), without=sheet.prop_C_1_width),
        control("six neurons, which is log(4)^5", cells=grid(m=6, n=2, delta=0.5), without=sheet.prop_C_1_samples),
    ],
    blind=BLIND_TO_BOTH_SPREADS,
    note="c is fitted, C 1, C1 5, no rate judged; h and spread are the largest, all x_s at that distance of y_s mu",
    scope="part: the exponent of the width; prop-C.1-rate has the probability",
)
def margin_of_clusters(rng: Generator, m: int, n: int, h: float, spread: float, *, root: bool = True) -> float:
    """Least y_s <grad f, W*>, ||W*|| = 1, rows along sign(V_2) mu if 1/2 <= |V_2| <= 2, |V_1 mu| >= 4 h, else 0."""
    return float(random_clusters(m, n, h, spread, rng).margins(root=root).min())


# So small a failure probability that the logarithm of the least width exceeds what margins leave of c.
VERY_SURE = grid(m=440_000, n=2, delta=3e-6)


@claim(
    "chatterji2021:prop-C.1-rate",
    title="margin of sqrt(m)/32 on two opposite clusters, but for probability delta",
    bound=sheet.prop_C_1.reads("c*sqrt(m)"),
    sense=">=",
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
        sheet.prop_C_1_samples.reads("n >= 150*delta"),
    ],
    regime=Regime(cells=grid(m=4300, n=8, delta=0.04), thorough=grid(m=20000, n=8, delta=0.04), derived=AT_THE_LIMITS),
    evidence=Trials(rate="delta", budget=1000),
    controls=[
        control("margin of order m", bound="m/32"),
        control("logarithm of the premises in the margin", bound="sqrt(m)*log(n/delta)/32", cells=VERY_SURE),
        control("direction divided by the number of its neurons, not by its root", root=False),
        control("the last sample with the label of the other cluster", turned=True),
        control("h eighty times as large", cells=_smooth(4300, 80.0), without=sheet.prop_C_1_smoothing),
        control("a width of 8", cells=grid(m=8, n=8, delta=0.04), without=sheet.prop_C_1_width),
        control("six neurons, which is log(4)^5", cells=grid(m=6, n=2, delta=0.5), without=sheet.prop_C_1_samples),
    ],
    blind={**BLIND_TO_BOTH_SPREADS, "m": "one width is enough for the rate; prop-C.1 sees the power of the width"},
    note="c is 1/32, C 1, C1 5; all ||x_s - y_s mu|| are spread; margins lie near 2 sqrt(m)/5 and hardly vary",
)
def least_margin_of_clusters(
    rng: Generator, m: int, n: int, h: float, spread: float, *, root: bool = True, turned: bool = False
) -> float:
    """Least y_s <grad f, W*>, ||W*|| = 1, rows along sign(V_2) mu if 1/2 <= |V_2| <= 2, |V_1 mu| >= 4 h, else 0."""
    margins = random_clusters(m, n, h, spread, rng).margins(root=root)
    margins[-1] *= -1.0 if turned else 1.0
    return float(margins.min())


# The least output weight that counts, but for so little that equality is told from rounding.
LEAST_WEIGHT = 0.5 * (1.0 + 1e-9)


def _adversarial(rng: Generator, m: int, n: int, h: float, spread: float, size: float) -> Clusters:
    """Weights for which the counts say the most: output weights of size 1/2 on one side, `size` on the other.

    Every second neuron that counts stands at 4 h exactly, and the first point of the class that opens it moves it
    towards the bend, as far as any neuron moves.
    """
    X, y = two_clusters(n, spread, rng)
    net = wide_network(DIMENSION, m, 1, rng)
    V1, V2 = (np.array(V) for V in net.weights)
    standing = np.flatnonzero(np.abs(V1[0]) >= 4.0 * h)[::2]
    seen = np.where(V1[0, standing] > 0.0, 0, min(1, n - 1))
    aside = X[seen, 1:].T
    V1[0, standing] = np.sign(V1[0, standing]) * 4.0 * h
    V1[1:, standing] = -np.linalg.norm(V1[1:], axis=0).max() * aside / np.linalg.norm(aside, axis=0)
    V2[:, 0] = np.sign(V2[:, 0]) * np.where(V1[0] > 0.0, LEAST_WEIGHT, np.maximum(size, LEAST_WEIGHT))
    return Clusters(net.with_weights((V1, V2)), X, y, h)


class MovedClusters(NamedTuple):
    """Clusters and the weights that see them, as a search draws them.

    The output weights of one side have that `size`; the spread is at most `least`, and such that pre-activations move
    by the share `part` of 2 h.
    """

    size: float
    h: float
    part: float
    least: float


COUNTS = Regime(
    cells=grid(n=4, m=[16, 200]),
    thorough=grid(n=12, m=[16, 2000]),
    draw={
        "size": reals(0.5, 2.0),
        "h": reals(1e-5, 0.1, logarithmic=True),
        "part": reals(1e-3, 1.0, logarithmic=True),
        "least": st.sampled_from([1e-9, 1e-3, 0.3]),
    },
    pinned=[{**MovedClusters(0.5, h=1e-3, part=1.0, least=0.3)._asdict(), "trial": k} for k in range(3)],
    built={"drawn": (MovedClusters, MovedClusters._fields)},
)


BLIND_TO_NO_NEURON = {"premise count >= 1": "without one there is no direction, and the bound is 0/0"}


def _by_counts(rng: Generator, m: int, n: int, drawn: MovedClusters, knobs: dict[str, bool]) -> Measured:
    """Margins, each with the counts as its class sees them; 0 where no neuron counts, which is outside the premises."""
    # A first guess of the largest move, and then a spread that makes it `part` of 2 h.
    size, h, part, least = drawn
    limit = min(LARGEST_SPREAD, least)
    state = rng.bit_generator.state
    moved = _adversarial(rng, m, n, h, limit, size).moved
    rng.bit_generator.state = state
    # No point moves along the sphere by more than in proportion to its spread, but for this root.
    narrow = math.sqrt(1.0 - 0.25 * limit**2)
    spread = limit if knobs["far"] else min(limit, narrow * limit * part * 2.0 * h / moved)
    found = _adversarial(rng, m, n, h, spread, size)
    plus, minus = found.counts
    y = found.y
    positive = y > 0.0
    symbols = {
        "plus": np.where(positive, plus, minus),
        "minus": np.where(positive, minus, plus),
        "spread": spread,
        "moved": found.moved,
        "count": plus + minus,
        "h": h,
    }
    if not plus + minus:
        # Any number there, so that the bound is one.
        return Measured(np.zeros(n), symbols={**symbols, "plus": np.ones(n)})
    margins = found.margins(signed=knobs["signed"])
    if knobs["flipped"]:
        margins[0] *= -1.0
    return Measured(margins, symbols=symbols)


@claim(
    "chatterji2021:prop-C.1-counts",
    title="margin of two opposite clusters from the counts of moderate neurons",
    kind="deterministic",
    bound=">= (3*plus - minus)/(8*sqrt(plus + minus))",
    premises=[
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_counts_bend.reads("2*h >= moved"),
        "some neuron that counts, W* being 0/0 without; count is plus + minus: count >= 1",
    ],
    measured=["plus", "minus", "count", "spread", "moved"],
    regime=COUNTS,
    evidence=Search(examples=25, adversary="output weights of size 1/2, neurons at 4 h exactly, moves of 2 h"),
    controls=[
        control("5/8 for 3/8", bound="(5*plus - minus)/(8*sqrt(plus + minus))"),
        control("root of the counts left out", bound="(3*plus - minus)/8"),
        control("direction without the signs of the output weights", signed=False),
        control("one label flipped", flipped=True),
    ],
    blind={
        f"premise {sheet.prop_C_1_spread.text}": "any spread up to sqrt(1/2) will do, as prop-C.1-sharp shows, whose "
        "bound has the spread in it",
        f"premise {sheet.prop_C_1_counts_bend.text}": "a quarter of the count is given away; prop-C.1-sharp sees it",
        "term minus": "a quarter of the count is given away; prop-C.1-sharp sees it",
        "term -minus": "not needed: prop-C.1-sharp takes off nothing for the other class",
        **BLIND_TO_NO_NEURON,
    },
)
def margin_by_counts(
    rng: Generator, m: int, n: int, drawn: MovedClusters, *, signed: bool = True, flipped: bool = False
) -> Measured:
    """Margins y_s <grad f(x_s), W*>, ||W*|| = 1, rows along sign(V_2) mu if 1/2 <= |V_2| <= 2, |V_1 mu| >= 4 h, else 0.

    Of these plus have y_s V_1 mu > 0, minus have not; moved is max |V_1 (x_s - y_s mu)|, spread max ||x_s - y_s mu||.
    """
    return _by_counts(rng, m, n, drawn, {"signed": signed, "flipped": flipped, "far": False})


@claim(
    "chatterji2021:prop-C.1-sharp",
    title="margin of two opposite clusters from the counts, as much as the neurons give",
    kind="deterministic",
    # mu x_s = 1 - spread^2/2 exactly, and the gates of the other class are not negative.
    bound=">= plus*(1 - spread**2/2)/(2*sqrt(plus + minus))",
    premises=[
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_counts_bend.reads("2*h >= moved"),
        "some neuron that counts, W* being 0/0 without; count is plus + minus: count >= 1",
    ],
    measured=["plus", "minus", "count", "spread", "moved"],
    regime=COUNTS,
    evidence=Search(examples=25, adversary="output weights of size 1/2, neurons at 4 h exactly, moves of 2 h"),
    controls=[
        control("spread left out", bound="plus/(2*sqrt(plus + minus))"),
        control("part (c) of the event not asked for", far=True, without=sheet.prop_C_1_counts_bend),
        control("direction without the signs of the output weights", signed=False),
    ],
    note="equality: output weights of size 1/2 on both sides",
    blind={f"premise {sheet.prop_C_1_spread.text}": "not needed: the bound has the spread in it", **BLIND_TO_NO_NEURON},
)
def margin_by_counts_sharp(
    rng: Generator, m: int, n: int, drawn: MovedClusters, *, signed: bool = True, far: bool = False
) -> Measured:
    """Margins y_s <grad f(x_s), W*>, ||W*|| = 1, rows along sign(V_2) mu if 1/2 <= |V_2| <= 2, |V_1 mu| >= 4 h, else 0.

    Of these plus have y_s V_1 mu > 0, minus have not; moved is max |V_1 (x_s - y_s mu)|, spread max ||x_s - y_s mu||.
    """
    return _by_counts(rng, m, n, drawn, {"signed": signed, "flipped": False, "far": far})
