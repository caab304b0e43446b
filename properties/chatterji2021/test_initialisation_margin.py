"""chatterji2021 at initialisation: how many neurons of moderate output weight a cluster activates (Appendix C).

Main claims: `too_few_neurons`, `too_many_neurons` and `moved_by_the_cluster`, the parts of the event; `whole_event`
(Lemma C.2) by trials and `whole_event_by_law`.
"""

import math

import scipy
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from properties.chatterji2021 import clusters
from properties.chatterji2021.tangent_features import wide_network
from theory.claims import Regime, claim, control, form, grid
from theory.evidence import ExactLaw, Tail, Trials

# Where the statement starts to speak of 20 samples and delta = 1/10: m >= log(200)^5.
SMALLEST = 4176
# About the least width for one sample and a delta nearly as large as it may be then, 1/150.
FEW_SAMPLES = grid(m=3200, n=1, delta=0.0066)
# So wide that 7e-5 of all neurons are many deviations of their number.
HUGE = grid(m=10**10, n=20, delta=0.1)
# A lower chance, at a width that log(400)^5 = 7722 admits.
RARE = grid(m=10**4, n=20, delta=0.05)
# Outside the premises on the width, on h and on the spread.
NARROW = grid(m=50, n=20, delta=0.1)
SMOOTH = grid(m=SMALLEST, n=20, delta=0.1, h=20.0 * clusters.largest_h_of_two_layers(SMALLEST))


def _spread_out(factor: float) -> list[dict[str, float]]:
    """The least width, with clusters larger by that factor than the statement lets them be."""
    limit = clusters.largest_spread(SMALLEST, 20, clusters.largest_h_of_two_layers(SMALLEST), 0.1)
    return grid(m=SMALLEST, n=20, delta=0.1, spread=factor * limit)


def _fewer(m: int, h: float, least: float, count: float) -> float:
    """P(|S_+| < count)."""
    return float(scipy.stats.binom.cdf(math.ceil(count) - 1, m, clusters.share(m, h, least)))


def _either(one: float) -> Tail:
    """Brackets of the probability that one of the two counts misses, from that of one of them."""
    return Tail(one, min(2.0 * one, 1.0))


def _short(m: int, h: float, threshold: float, least: float) -> Tail:
    return _either(_fewer(m, h, least, m / 2 - threshold))


BOTH_PARTS = {**clusters.AT_THE_LIMITS, "rate": lambda delta: 2.0 * delta / 3.0}


@claim(
    "chatterji2021:event-margin",
    bound="-m*((1/2 - 1/sqrt(m))*(1/2 - 1/m**(1/4)) - 1/m**(1/4)) + m/2",
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
        sheet.prop_C_1_samples.reads("n >= 150*delta"),
    ],
    regime=Regime(cells=[*grid(m=[10**4, 10**6, 10**8], n=20, delta=0.1), *RARE], derived=BOTH_PARTS),
    evidence=ExactLaw(rate="rate"),
    ceiling="m/2",
    controls=[
        control("output weights from 1 to 2", least=1.0),
        control("21/100 for the quarter", bound="21*m/100"),
        control(
            "h a hundred times as large",
            cells=grid(m=10**4, n=20, delta=0.1, h=100.0 * clusters.largest_h_of_two_layers(10**4)),
            without=sheet.prop_C_1_smoothing,
        ),
        control(
            "failures that a width of 2500 cannot rule out",
            cells=grid(m=2500, n=20, delta=1e-280),
            without=sheet.prop_C_1_width,
        ),
    ],
    note="rate is 2 delta/3 for (a), (b); C = 1, C1 = 5; o(1) is that of the proof; spread is max ||x_s - y_s mu||",
    scope="part: parts (a) and (b), from below",
    blind={
        **clusters.BLIND_TO_POINTS,
        f"premise {sheet.prop_C_1_samples.text}": "the o(1) of the proof has room for it; the row sharp has none",
    },
)
@form(
    "sharp",
    title="at least a quarter of the neurons have moderate output weight on either side",
    bound="m/4",
    regime=Regime(cells=[*grid(m=[SMALLEST, 10**5, 10**8], n=20, delta=0.1), *FEW_SAMPLES, *RARE], derived=BOTH_PARTS),
    controls=[
        control("output weights from 7/10 to 2", least=0.7),
        control("h twenty times as large", cells=SMOOTH, without=sheet.prop_C_1_smoothing),
        control("a width of 50", cells=NARROW, without=sheet.prop_C_1_width),
        control(
            "two samples, but for a chance of a tenth",
            cells=grid(m=242, n=2, delta=0.1),
            without=sheet.prop_C_1_samples,
        ),
        control("4/19 for the quarter", bound="4*m/19"),
        control("half a root below the quarter", bound="m/4 - sqrt(m)/2", cells=FEW_SAMPLES),
    ],
    note="at rate 2 delta/3; C = 1, C1 = 5; spread is max ||x_s - y_s mu||; no o(1) is needed from the least width of "
    "the premises on",
    blind=clusters.BLIND_TO_POINTS,
)
def too_few_neurons(m: int, h: float, threshold: float, *, least: float = 0.5) -> Tail:
    """P(m/2 - min(|S_+|, |S_-|) > level), S_+ neurons with 1/2 <= |V_2| <= 2 and V_1 mu >= 4 h, S_- with -V_1 mu."""
    return _short(m, h, threshold, least)


@claim(
    "chatterji2021:event-margin-most",
    title="at most half of the neurons have moderate output weight on one side",
    bound="m**(3/4) + sqrt(m) + m/2",
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
    ],
    regime=Regime(cells=[*grid(m=[10**4, 10**6, 10**8], n=20, delta=0.1), *HUGE, *RARE], derived=BOTH_PARTS),
    evidence=ExactLaw(rate="rate"),
    ceiling="m",
    controls=[
        control("quarter for the half", bound="m/4 + sqrt(m) + m**(3/4)"),
        control("both sets together", sides=2),
        control("2/7 for the half, 2 for 1 at the root, and no m**(3/4)", bound="2*m/7 + 2*sqrt(m)", cells=HUGE),
        control(
            "failures that a width of 100 cannot rule out",
            cells=grid(m=100, n=20, delta=1e-60),
            without=sheet.prop_C_1_width,
        ),
    ],
    blind={
        **clusters.BLIND_TO_POINTS,
        f"premise {sheet.prop_C_1_smoothing.text}": "not needed: the larger h, the fewer neurons count",
        **dict.fromkeys(
            ("term sqrt(m)", "term m**(3/4)"), "not needed: a neuron counts with probability 2/7, far below the half"
        ),
    },
    note="(a), (b) from above, at rate 2 delta/3; C = 1, C1 = 5; o(1) is the proof's; spread is max ||x_s - y_s mu||",
)
def too_many_neurons(m: int, h: float, threshold: float, *, sides: int = 1) -> Tail:
    """P(max(|S_+|, |S_-|) > level), S_+ neurons with 1/2 <= |V_2| <= 2 and V_1 mu >= 4 h, S_- with -V_1 mu."""
    return _either(float(scipy.stats.binom.sf(math.floor(threshold), m, sides * clusters.share(m, h))))


@claim(
    "chatterji2021:event-margin-moved",
    title="no neuron tells the points of a cluster from its centre by more than 2 h",
    bound="2*h",
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
    ],
    regime=Regime(
        cells=[*grid(m=[SMALLEST, 10**6, 10**8], n=20, delta=0.1), *RARE],
        derived={**clusters.AT_THE_LIMITS, "rate": lambda delta: delta / 3.0},
    ),
    evidence=ExactLaw(rate="rate"),
    controls=[
        control("spread a third larger", cells=_spread_out(4 / 3), without=sheet.prop_C_1_smoothed_spread),
        control("neurons not counted in the union", neurons=False),
    ],
    note="part (c) at rate delta/3; C = 1, C1 = 5; the spread max ||x_s - y_s mu|| is the largest of the premises",
    blind={
        **clusters.BLIND_TO_SPREAD,
        f"premise {sheet.prop_C_1_smoothing.text}": "not needed: the spread allowed is in proportion to h",
        f"premise {sheet.prop_C_1_width.text}": "not needed: the union over neurons and points holds at every width",
    },
)
def moved_by_the_cluster(
    m: int, n: int, h: float, delta: float, spread: float, threshold: float, *, neurons: bool = True
) -> Tail:
    """P(|V_{1,i} (x_s - y_s mu)| > level for some i and s), between that of one point and of a union of points."""
    if not neurons:
        spread = math.sqrt(m) * h / math.sqrt(math.log(3 * n / delta))
    return Tail(*clusters.moved_tail(m, n, threshold, spread))


@claim(
    "chatterji2021:lemma-C.2",
    bound=sheet.lemma_C_2.reads("1"),
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
        sheet.prop_C_1_samples.reads("n >= 150*delta"),
    ],
    regime=Regime(
        cells=grid(m=SMALLEST, n=20, delta=0.1), thorough=grid(m=20000, n=20, delta=0.1), derived=clusters.AT_THE_LIMITS
    ),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("output weights from 7/10 to 2", least=0.7),
        control("spread a third larger", cells=_spread_out(4 / 3), without=sheet.prop_C_1_smoothed_spread),
        control("h twenty times as large", cells=SMOOTH, without=sheet.prop_C_1_smoothing),
        control("a width of 50", cells=NARROW, without=sheet.prop_C_1_width),
        control(
            "two samples, but for a chance of a tenth",
            cells=grid(m=242, n=2, delta=0.1),
            without=sheet.prop_C_1_samples,
        ),
        control("27/100 for the quarter", bound="25/27"),
    ],
    note="the strict reading, the o(1) of parts (a), (b) being 0; C = 1, C1 = 5; spread is max ||x_s - y_s mu||",
    blind=clusters.BLIND_TO_SPREAD,
)
def whole_event(rng: Generator, m: int, n: int, h: float, spread: float, *, least: float = 0.5) -> float:
    """The largest of m/(4 |S|), 2 |S|/m, |V_1 (x_s - y_s mu)|/(2 h), S having 1/2 <= |V_2| <= 2 and +-V_1 mu >= 4 h."""
    X, y = clusters.two_clusters(n, spread, rng)
    found = clusters.Clusters(wide_network(clusters.DIMENSION, m, 1, rng), X, y, h, least)
    fewest, most = min(found.counts), max(found.counts)
    return max(m / 4 / fewest if fewest else math.inf, most / (m / 2), found.moved / (2.0 * h))


@claim(
    "chatterji2021:lemma-C.2-law",
    title="counts of moderate neurons and moves of points within the event, by their exact laws",
    bound=sheet.lemma_C_2.reads("1"),
    premises=[
        sheet.prop_C_1_smoothing.reads("h <= sqrt(pi)/(2*m)"),
        sheet.prop_C_1_spread.reads("spread <= 1/16"),
        sheet.prop_C_1_smoothed_spread.reads("spread <= sqrt(m)*h/(C*sqrt(log(3*m*n/delta)))"),
        sheet.prop_C_1_width.reads("m >= log(n/delta)**C1"),
        sheet.prop_C_1_samples.reads("n >= 150*delta"),
    ],
    regime=Regime(
        cells=[*grid(m=[SMALLEST, 10**5, 10**7], n=20, delta=0.1), *grid(m=7800, n=20, delta=0.05)],
        derived=clusters.AT_THE_LIMITS,
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("output weights from 7/10 to 2", least=0.7),
        control("spread a third larger", cells=_spread_out(4 / 3), without=sheet.prop_C_1_smoothed_spread),
        control("h twenty times as large", cells=SMOOTH, without=sheet.prop_C_1_smoothing),
        control("a width of 50", cells=NARROW, without=sheet.prop_C_1_width),
        control(
            "two samples, but for a chance of a tenth",
            cells=grid(m=242, n=2, delta=0.1),
            without=sheet.prop_C_1_samples,
        ),
        control("27/100 for the quarter", bound="25/27"),
    ],
    note="the strict reading, no o(1), by a union of exact laws; C = 1, C1 = 5; spread is max ||x_s - y_s mu||",
    blind=clusters.BLIND_TO_SPREAD,
)
def whole_event_by_law(m: int, n: int, h: float, spread: float, threshold: float, *, least: float = 0.5) -> Tail:
    """P(m/(4 |S|), 2 |S|/m or |V_1 (x_s - y_s mu)|/(2 h) > level), S having 1/2 <= |V_2| <= 2, +-V_1 mu >= 4 h."""
    one = clusters.share(m, h, least)
    few = float(scipy.stats.binom.cdf(math.ceil(m / (4.0 * threshold)) - 1, m, one))
    many = float(scipy.stats.binom.sf(math.floor(min(threshold / 2.0, 1.0) * m), m, one))
    low, high = clusters.moved_tail(m, n, 2.0 * h * threshold, spread)
    return Tail(max(few, many, low), min(2.0 * (few + many) + high, 1.0))
