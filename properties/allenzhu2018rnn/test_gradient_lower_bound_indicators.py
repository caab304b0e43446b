"""allenzhu2018rnn, Appendix D.1: neurons near the kink for one sequence and time, and away from it for all others.

Main claims: `neurons_near_the_kink` (Lemma D.3), `neurons_away_for_others` (Lemma D.4), `neurons_away_later` (Lemma
D.5) and `neurons_of_one_kink` (Lemma D.2, their combination). Thresholds are free, as those of Definition D.1 leave no
neuron at any width that fits a computer.
"""

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, Forward, Network, forward, recurrent_network
from properties.allenzhu2018rnn.forward_norms import ends_multiplied
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.indicators import later_away, minus_log_chance, near_kink, others_away, revealed_part
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, claim, control, form, grid
from theory.evidence import Search, Trials

# Layers with more entries than this are sampled where they are looked at.
STORED = 2**15

# So many sequences or fewer: near the first is one of them, in three dimensions.
APART = 4

# The kink of the state of time l is one of the next time.
NEXT: dict[str, int | str] = {"L": "l + 1", "l": 1}
A_SET = {"rows": "m"}
CHOSEN = {"chosen": "m"}

NARROW = "premise m >= C*L**2*log(L/delta)"
# A neuron fails with a chance of 1/4 at most, so that half of a set does with one of e^(-chosen/7): lemma-D.4-chance.
ENOUGH = "chosen >= 7*log(1/delta)"
# Its root beside the root of L is what the norm of a fresh part loses at most along time.
FRESH = "m >= 2*n*(L + 1)**2*log(n*L/delta)"
FEW_NEURONS = "narrow networks have norms some e times as large over hundreds of times, of inputs that repeat"
OF_THE_ORDER = "counts are ten times the bound and more at all sizes: sharp sees it"


def _pass(rng: Generator, m: int, n: int, L: int, later: str, phi: float, size: float = 1.0) -> tuple[Network, Forward]:
    """A network and its pass over sequences, multiplied by `size`.

    More than `APART` of them are all phi from the first, of fewer one is.
    """
    crowded = n > APART
    d = n // 2 + 2 if crowded else 3
    X = size * sequences(n, L, d, rng, later, phi if n > 1 else None, crowded=crowded)
    net = recurrent_network(d, m, 1, L, rng, stored=STORED)
    return net, forward(net, X)


USUAL = {"phi": 0.5}
NEAR: list[dict[str, Any]] = [
    {"m": 4000, "n": 1, "L": 2, "l": 1, "later": "zero", "betaminus": 0.02, "rows": 4000},
    {"m": 4000, "n": 2, "L": 8, "l": 7, "later": "unit", "betaminus": 0.1, "rows": 2000},
    {"m": 2000, "n": 2, "L": 4, "l": 3, "later": "repeated", "betaminus": 0.3, "rows": 400},
]
NEAR = [{"delta": 0.4, **cell} for cell in NEAR]
# Sets so large that the counts scatter little.
NEAR_LONG: list[dict[str, Any]] = [
    {"m": 6000, "n": 1, "L": 2, "l": 1, "later": "unit", "betaminus": 0.04, "rows": 6000},
    {"m": 3000, "n": 1, "L": 4, "l": 3, "later": "unit", "betaminus": 0.3, "rows": 1500},
    {"m": 6000, "n": 1, "L": 12, "l": 11, "later": "unit", "betaminus": 0.4, "rows": 6000},
]
NEAR_LONG = [{"delta": 0.4, **cell} for cell in NEAR_LONG]


# Of inputs that leave states of norm sqrt(L) at most a neuron is near its kink with probability 0.56 betaminus/sqrt(L):
# by the Poisson law none of so many are with probability delta at most, and by Chernoff's bound fewer than 2/5 of them.
@claim(
    "allenzhu2018rnn:lemma-D.3",
    bound=">= betaminus*rows/(16*L)",
    premises=[
        sheet.lemma_D_3_threshold.reads("betaminus <= 1"),
        "a set large enough for the level of failure, exp(-Omega(betaminus |N|/L)) there: "
        "betaminus*rows >= C*L*log(1/delta)",
        sheet.lemma_D_3_width.reads("m >= C*L**2*log(L/delta)"),
    ],
    constants={"C": (4, "hidden in the paper; one neuron at all has to be near its kink")},
    regime=Regime(cells=NEAR, usual=USUAL, least=NEXT, most=A_SET),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("eight times as many, without the horizon", bound="betaminus*rows/2", cells=NEAR[1:2]),
        control("16 times as much, all neurons", bound="betaminus*m/L", cells=NEAR[2:]),
        control("4 times as much, the root of the threshold", bound="sqrt(betaminus)*rows/(4*L)", cells=NEAR[:1]),
        control("a threshold in units of 1/m", unit=-0.5, cells=NEAR[:1]),
        control(
            "thresholds beyond all pre-activations",
            cells=[{**NEAR[0], "betaminus": 40.0}],
            without=sheet.lemma_D_3_threshold,
        ),
        control("one neuron", cells=[{**NEAR[0], "rows": 1}], without="betaminus*rows >= C*L*log(1/delta)"),
    ],
    blind={**dict.fromkeys(("L", "rows"), OF_THE_ORDER), NARROW: FEW_NEURONS},
    note="a set fixed beforehand; betaminus is free, phi/rho^10 in print. C = 4, 12 are ours; chance: lemma-D.3-chance",
)
@form(
    "sharp",
    title="neurons near the kink of one sequence and time, with the root of the horizon",
    bound="c*betaminus*rows/sqrt(L)",
    constants={"c": (Rational(3, 10), "1/sqrt(pi) = 0.56 on average where inputs of norm 1 make the norm sqrt(l + 1)")},
    premises=[
        sheet.lemma_D_3_threshold.reads("betaminus <= 1"),
        sheet.lemma_D_3_sharp_rows.reads("betaminus*rows >= C*sqrt(L)*log(1/delta)"),
        sheet.lemma_D_3_width.reads("m >= C*L**2*log(L/delta)"),
    ],
    regime=Regime(cells=NEAR_LONG, usual=USUAL, least=NEXT, most=A_SET),
    controls=[
        control("the root of the threshold", bound="3/10*sqrt(betaminus)*rows/sqrt(L)"),
        control("a threshold in units of 1/m", unit=-0.5),
        control(
            "thresholds beyond all pre-activations",
            cells=[{**NEAR_LONG[0], "betaminus": 40.0}],
            without=sheet.lemma_D_3_threshold,
        ),
        control("one neuron", cells=[{**NEAR_LONG[0], "rows": 1}], without=sheet.lemma_D_3_sharp_rows),
    ],
    blind={NARROW: FEW_NEURONS},
    note="C is 42 and 12; norms of states are about the root of the time at most, where the lemma takes 6 L",
)
def neurons_near_the_kink(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    phi: float,
    betaminus: float,
    rows: int,
    *,
    unit: float = 0.0,
) -> float:
    """The number of k in a set of `rows` with |(W h_{i,l} + A x_{i,l+1})_k| <= betaminus/sqrt(m), for one i and l."""
    _, fwd = _pass(rng, m, n, L, later, phi)
    return float(np.count_nonzero(near_kink(fwd, 0, l, betaminus * m**unit)[:rows]))


@claim(
    "allenzhu2018rnn:lemma-D.3-chance",
    title="chance of few near-zero entries of a Gaussian vector, at a state of the largest norm",
    bound=">= c*betaminus*rows/L",
    constants={"c": (Rational(1, 200), "by the exact binomial law; 0.0061 for many neurons, more for few")},
    premises=sheet.lemma_D_3_threshold.reads("betaminus <= 1"),
    regime=Regime(cells=grid(L=[1, 4, 30], rows=[1, 30, 10**3, 10**5], betaminus=[1e-3, 0.1, 1.0])),
    evidence=Search(adversary="many neurons, so that the number asked for is near the mean"),
    controls=[
        control("an eighth for a sixteenth", share=1.0 / 8.0),
        control("a state of norm 10 L", norm=10.0),
        control(
            "a threshold of 1000", cells=grid(L=1, rows=10**5, betaminus=1000.0), without=sheet.lemma_D_3_threshold
        ),
    ],
    note="the exact law of the proof before its net: also for few neurons, so that the lemma needs no least set there",
)
def chance_of_few(L: int, rows: int, betaminus: float, *, share: float = 1.0 / 16.0, norm: float = 6.0) -> Measured:
    """Minus log of the chance that fewer than betaminus rows/(16 L) of `rows` entries are within betaminus/sqrt(m).

    They are independent N(0, (36 L^2 + 1) 2/m): those of a state of norm 6 L and an input of norm 1.
    """
    size = math.hypot(norm * L, 1.0)
    chance = math.erf(0.5 * betaminus / size)
    # The least whole number that is enough; below it by rounding of the product is a smaller chance to fail.
    enough = math.ceil(share * betaminus * rows / L)
    if enough > rows:
        return Measured(0.0, error=0.0)
    return minus_log_chance(np.arange(enough), rows, chance)


OTHERS: list[dict[str, Any]] = [
    {"m": 4000, "n": 2, "L": 3, "l": 1, "later": "zero", "phi": 0.2, "choice": "near", "chosen": 60},
    {"m": 4000, "n": 2, "L": 3, "l": 2, "later": "alike", "phi": 0.02, "choice": "worst", "chosen": 200},
    {"m": 4000, "n": 4, "L": 4, "l": 2, "later": "repeated", "phi": 0.2, "choice": "worst", "chosen": 200},
    {"m": 2800, "n": 2, "L": 12, "l": 10, "later": "unit", "phi": 0.2, "choice": "worst", "chosen": 200},
]
OTHERS = [{"delta": 0.4, "betaplus": cell["phi"] / (5.0 * cell["n"]) * (1.0 - 1e-12), **cell} for cell in OTHERS]
# Nineteen sequences as near to the first as the separation allows.
CROWD = {"m": 4000, "n": 20, "L": 3, "l": 1, "later": "zero", "phi": 0.2, "delta": 0.4}
OTHERS.append({**CROWD, "choice": "near", "chosen": 60, "betaplus": 0.2 / 100.0 * (1.0 - 1e-12)})
# The same at other thresholds.
OTHERS_SHARP = [{**OTHERS[1], "phi": 0.1, "betaplus": 0.1 / 200.0}, {**OTHERS[1], "phi": 0.4, "betaplus": 0.4 / 11.0}]
OTHERS_SHARP.append({**OTHERS[1], "L": 8, "l": 7, "phi": 0.4, "betaplus": 0.4 / 11.0})
# So narrow a network repeats itself, and leaves nothing fresh.
NARROW_OTHERS = [{"m": 64, "n": 2, "L": 32, "l": 31, "later": "zero", "phi": 0.124, "betaplus": 0.0124, "delta": 1e-3}]
NARROW_OTHERS[0] |= {"choice": "worst", "chosen": 64}
LONG_APART = [{**OTHERS[1], "m": 8200, "L": 20, "l": 19, "later": "zero", "phi": 1.41, "betaplus": 0.28}]
ABOVE_PHI, FAR_OFF = [{**OTHERS[1], "betaplus": 0.3}], [{**OTHERS[-1], "betaplus": 0.2 / 5.0}]


def _nearest(known: Array, count: int) -> np.ndarray:
    """The neurons, so many, where what is known is nearest to 0 for one of some sequences."""
    chosen = np.zeros(known.shape[-1], dtype=bool)
    chosen[np.argsort(np.abs(known).min(axis=0), kind="stable")[:count]] = True
    return chosen


@claim(
    "allenzhu2018rnn:lemma-D.4",
    bound="chosen/2",
    sense=">=",
    premises=[
        sheet.lemma_D_4_threshold.reads("5*n*betaplus <= phi"),
        "few times for the separation, as what is fresh in a state shrinks like 9/l at separation 1: phi*L <= 4",
        "width against horizon and samples, for what is fresh to stay (2 is ours) [Lemma B.9]: "
        "m >= 2*n*(L + 1)**2*log(n*L/delta)",
        "set large enough for the level of failure, so that half of it does not fail (7 is ours): "
        "chosen >= 7*log(1/delta)",
    ],
    regime=Regime(cells=OTHERS, least={"n": 2, **NEXT}, most=CHOSEN),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("all of them", bound="chosen", cells=OTHERS[1:]),
        control("inputs of norm 1/100", size=0.01, cells=OTHERS[2:]),
        control("the sequence of the kink too", itself=True, cells=OTHERS[:1]),
        control("a threshold above the separation", cells=ABOVE_PHI, without=sheet.lemma_D_4_threshold),
        control("the threshold of one other, for nineteen", cells=FAR_OFF, without=sheet.lemma_D_4_threshold),
        control("a single neuron", cells=[{**OTHERS[1], "m": 560, "chosen": 1, "delta": 1e-3}], without=ENOUGH),
        control("64 neurons, 32 times", cells=NARROW_OTHERS, without=FRESH),
    ],
    blind={"premise L*phi <= 4": "times in plenty ask for a width that is dear: sharp sees it"},
    note="with the larger beta_+, which Lemma D.2 needs, for beta_-. Sets by A, W U_{l-1} and W h_{i,l}: "
    "nearest to the kink of i, or by these to other kinks. Chance: lemma-D.4-chance. For three in four one network "
    "in 36 fails at n = 10, delta = 0.0007: unseen",
)
@form(
    "sharp",
    title="neurons away from the kinks of other sequences, by the threshold in units of the separation",
    bound="chosen*(1 - C*(n - 1)*betaplus/phi) - log(1/delta)",
    constants={
        "C": (Rational(5, 2), "1.7 times the chance, 0.56 betaplus over what is fresh: 0.62 phi, rarely 0.4 phi")
    },
    premises=[
        "few times for the separation, as what is fresh in a state shrinks like 9/l at separation 1: phi*L <= 4",
        "width against horizon and samples, for what is fresh to stay (2 is ours) [Lemma B.9]: "
        "m >= 2*n*(L + 1)**2*log(n*L/delta)",
    ],
    regime=Regime(cells=[*OTHERS[1:2], *OTHERS_SHARP], least={"n": 2, **NEXT}, most=CHOSEN),
    controls=[
        control("the sequence of the kink too", itself=True),
        control("20 times at separation 1.41", cells=LONG_APART, without="phi*L <= 4"),
    ],
    blind={
        "n": "two sequences, as of more each is the nearest to few of the neurons: its power is that of a union",
        "chosen": "sets of one size, of which a share is counted: lemma-D.4-chance has others",
        **dict.fromkeys(
            ("delta in -log(1/delta)", "term -log(1/delta)"), "it is 1 or 3, of a hundred neurons and more"
        ),
        "premise m >= 2*n*(L + 1)**2*log(L*n/delta)": "a control of lemma-D.4 leaves it",
    },
    note="so that of two near sequences three in four remain at all thresholds of the lemma. The set looks at A, W "
    "U_{l-1} and W h_{i,l}; a neuron fails with 0.91 betaplus/phi at the worst, and a Poisson tail takes C to e - 1 "
    "times that",
)
def neurons_away_for_others(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    phi: float,
    betaplus: float,
    choice: str,
    chosen: int,
    *,
    itself: bool = False,
    size: float = 1.0,
) -> float:
    """How many k of a set of `chosen` have |(W h_{j,l} + A x_{j,l+1})_k| >= betaplus/sqrt(m) for all j but one, i."""
    net, fwd = _pass(rng, m, n, L, later, phi, size)
    known = fwd.pre[l][:1]
    if choice == "worst":
        frames = StateFrames(fwd)
        # Its next row is the direction of the first sequence.
        frame = frames.basis[: n * (l - 1) + 1]
        known = np.stack([revealed_part(net, fwd, frame, i, l) for i in range(1, n)])
    away = others_away(fwd, 0, l, betaplus)
    if itself:
        away &= ~near_kink(fwd, 0, l, 0.05)
    return float(np.count_nonzero(away & _nearest(known, chosen)))


@claim(
    "allenzhu2018rnn:lemma-D.4-chance",
    title="chance that more than half of a set of neurons is near one of their other kinks",
    bound=">= chosen/7",
    premises="none needed: each neuron fails with probability 1/4 at most, whatever is known of the others",
    regime=Regime(cells=grid(chosen=[1, 2, 3, 10, 101, 1000, 4000])),
    evidence=Search(),
    controls=[control("chance 3/10", chance=0.3)],
    note="for Lemmas D.4 and D.5, where the chances of up to n L kinks add up to 1/4 at most. So Lemma D.2 has its "
    "exponent; e^(-Omega(|N_3|/(n L))), as Lemma D.5 has it, would lose a factor n L",
)
def chance_of_half(chosen: int, *, chance: float = 0.25) -> Measured:
    """Minus the logarithm of the chance that more than half of `chosen` independent neurons fail, each with 1/4."""
    return minus_log_chance(np.arange(chosen // 2 + 1, chosen + 1), chosen, chance)


LATER: list[dict[str, Any]] = [
    {"m": 4000, "n": 2, "L": 3, "l": 1, "later": "alike", "phi": 0.02, "choice": "near", "chosen": 60},
    {"m": 4000, "n": 2, "L": 4, "l": 2, "later": "zero", "phi": 0.3, "choice": "worst", "chosen": 200},
    {"m": 4000, "n": 3, "L": 4, "l": 1, "later": "repeated", "phi": 0.3, "choice": "worst", "chosen": 200},
    {"m": 4000, "n": 1, "L": 16, "l": 2, "later": "unit", "phi": 0.3, "choice": "near", "chosen": 60},
]
LATER = [{"delta": 0.4, "betaplus": 1.0 / (4.0 * cell["n"] * cell["L"] ** 2) * (1.0 - 1e-12), **cell} for cell in LATER]

ALONE = {"n": 1, "l": 1, "later": "zero", "phi": 0.3, "delta": 1e-3}
RARELY = {**ALONE, "m": 3200, "L": 12, "delta": 1.25e-3, "betaplus": 1.0 / 577.0, "choice": "worst", "chosen": 47}
NARROW_LATER = {**ALONE, "m": 64, "L": 64, "betaplus": 6.1e-5, "choice": "worst", "chosen": 64}


@claim(
    "allenzhu2018rnn:lemma-D.5",
    bound=">= chosen/2",
    premises=[
        sheet.lemma_D_5_threshold.reads("4*n*L**2*betaplus <= 1"),
        "width against horizon and samples, for what is fresh to stay (2 is ours) [Lemma B.9]: "
        "m >= 2*n*(L + 1)**2*log(n*L/delta)",
        "set large enough for the level of failure, so that half of it does not fail (7 is ours): "
        "chosen >= 7*log(1/delta)",
    ],
    regime=Regime(cells=LATER, least={"L": "l + 2", "l": 1}, most=CHOSEN),  # a later time than that of the kink
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("all of them", bound="chosen", cells=LATER[1:]),
        control("all but the share 1/(4 L)", bound="chosen*(1 - 1/(4*L))", cells=[RARELY]),
        control("inputs of norm 1/100", size=0.01, cells=LATER[2:]),
        control("the time of the kink too", earlier=1, cells=LATER[:1]),
        control("a threshold of 3", cells=[{**LATER[1], "betaplus": 3.0}], without=sheet.lemma_D_5_threshold),
        control("64 neurons, as many times", cells=[NARROW_LATER], without=FRESH),
        control("the last sequence at all kinks at the last time", last=0.0, cells=[{**LATER[2], "delta": 0.05}]),
    ],
    blind={"premise chosen >= 7*log(1/delta)": "a single neuron fails once in fifty networks: lemma-D.4 sees it"},
    note="with the larger beta_+, which Lemma D.2 needs, for beta_-; no separation, as earlier states alone are "
    "taken out. Sets by A and W U_l: nearest to the kink of i, or by these to later ones. The n of the "
    "threshold counts from some fifty on: dear",
)
def neurons_away_later(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    phi: float,
    betaplus: float,
    choice: str,
    chosen: int,
    *,
    earlier: int = 0,
    size: float = 1.0,
    last: float = 1.0,
) -> float:
    """How many k of a set of `chosen` have |(W h_{j,a} + A x_{j,a+1})_k| >= betaplus/sqrt(m) for all j and a > l."""
    net, fwd = _pass(rng, m, n, L, later, phi, size)
    known = fwd.pre[l][:1]
    if choice == "worst":
        frame = StateFrames(fwd).frame(l)
        known = np.stack([revealed_part(net, fwd, frame, i, l + 1) for i in range(n)])
    # With the time of the kink itself the threshold is its own.
    away = later_away(ends_multiplied(fwd, last), l - earlier, betaplus if not earlier else 0.05 + 1e-9)
    return float(np.count_nonzero(away & _nearest(known, chosen)))


BOTH: list[dict[str, Any]] = [
    {"m": 1000, "n": 2, "L": 2, "l": 1, "later": "zero", "phi": 0.1, "betaminus": 0.05, "rows": 640},
    {"m": 4000, "n": 2, "L": 4, "l": 2, "later": "alike", "phi": 0.1, "betaminus": 0.1, "rows": 4000},
    {"m": 4000, "n": 3, "L": 3, "l": 2, "later": "unit", "phi": 0.5, "betaminus": 0.05, "rows": 3000},
    {"m": 2000, "n": 1, "L": 16, "l": 14, "later": "unit", "phi": 0.5, "betaminus": 0.25, "rows": 2000},
]
BOTH = [
    {"delta": 0.4, "betaplus": min(cell["phi"] / 5.0, 0.25 / cell["L"] ** 2) / cell["n"] * (1.0 - 1e-12), **cell}
    for cell in BOTH
]
BEYOND_SEPARATION = [{**BOTH[0], "phi": 1e-4, "betaminus": 0.03, "betaplus": 0.031, "rows": 1000}]
WIDER_BEYOND = [{**BOTH[0], "phi": 1e-4, "betaminus": 0.02, "betaplus": 0.03, "m": 3000, "rows": 3000}]
TWO_LATER = [{**BOTH[1], "l": 1, "delta": 0.05}]
SIX = [{**BOTH[0], "phi": 1.0, "betaplus": 6.0, "n": 2}]
LARGE_SET = "rows*betaminus >= 2*n**2*L**2*log(1/delta)"
# Sets so large that the counts scatter little, inputs of norm 1.
BOTH_LONG: list[dict[str, Any]] = [
    {"m": 8000, "n": 2, "L": 2, "l": 1, "later": "unit", "phi": 0.1, "betaminus": 0.05, "rows": 8000},
    {"m": 3000, "n": 3, "L": 3, "l": 2, "later": "unit", "phi": 0.5, "betaminus": 0.5, "rows": 1500},
    {"m": 4000, "n": 2, "L": 8, "l": 7, "later": "unit", "phi": 0.1, "betaminus": 0.5, "rows": 4000},
]
BOTH_LONG = [
    {"delta": 0.4, "betaplus": min(cell["phi"] / 5.0, 0.25 / cell["L"] ** 2) / cell["n"] * (1.0 - 1e-12), **cell}
    for cell in BOTH_LONG
]

# Many sequences near the first, at the threshold that one alone would allow.
CROWDED: list[dict[str, Any]] = [
    {"m": 4000, "n": 20, "rows": 4000, "betaminus": 0.2, "delta": 0.4},
    {"m": 30000, "n": 40, "rows": 30000, "betaminus": 0.4, "delta": 0.4},
]
CROWDED = [{"L": 2, "l": 1, "later": "zero", "phi": 0.5, "betaplus": 0.1 * (1.0 - 1e-12), **cell} for cell in CROWDED]
THRESHOLDS = (sheet.lemma_D_5_threshold, sheet.lemma_D_4_threshold)
FAR_ABOVE = [{**BOTH_LONG[0], "betaminus": 60.0}]


@claim(
    "allenzhu2018rnn:lemma-D.2",
    bound=">= betaminus*rows/(64*L)",
    premises=[
        "set of neurons large enough for samples, horizon and level: rows*betaminus >= 2*n**2*L**2*log(1/delta)",
        sheet.lemma_D_3_threshold.reads("betaminus <= 1"),
        sheet.lemma_D_4_threshold.reads("5*n*betaplus <= phi"),
        sheet.lemma_D_5_threshold.reads("4*n*L**2*betaplus <= 1"),
        "width against horizon and samples, which the first premise has for delta <= 1/2 (ours): m >= n*L**2",
    ],
    regime=Regime(cells=BOTH, least=NEXT, most=A_SET),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("half, without the horizon", bound="betaminus*rows/2", cells=BOTH[1:2]),
        control("64 times as much, all neurons", bound="betaminus*m/L", cells=BOTH[:1]),
        control("32 times as much, the root of the threshold", bound="sqrt(betaminus)*rows/(2*L)", cells=BOTH[2:]),
        control("away at the time of the kink too", all_away=True, cells=BOTH[:1]),
        control("thresholds far above 1", cells=[{**BOTH[0], "betaminus": 1e3}], without=sheet.lemma_D_3_threshold),
        control("a set of two neurons", cells=[{**BOTH[2], "rows": 2}], without=LARGE_SET),
        control("a threshold far above the separation", cells=BEYOND_SEPARATION, without=sheet.lemma_D_4_threshold),
        control("a threshold of 6", cells=SIX, without=(sheet.lemma_D_5_threshold, sheet.lemma_D_4_threshold)),
        control("the threshold of one other sequence, for 39", cells=CROWDED[1:], without=THRESHOLDS),
        control("the last sequence at all kinks at the last time", last=0.0, cells=TWO_LATER),
    ],
    blind={
        **dict.fromkeys(("L", "rows", "betaminus"), OF_THE_ORDER),
        f"premise {sheet.lemma_D_5_threshold.text}": "a control leaves both thresholds; lemma-D.5 sees this one",
        "premise m >= L**2*n": "it is for levels near 1 alone, where fewer neurons would do for the set",
    },
    note="a set fixed beforehand. In print betaminus = phi/rho^10, betaplus = phi/rho^2, and a chance that "
    "lemma-D.4-chance has",
)
@form(
    "sharp",
    title="neurons near one kink and away from all others, with the root of the horizon",
    bound="c*betaminus*rows/sqrt(L)",
    constants={"c": (Rational(1, 5), "0.56 near one kink on average, of which three in four at least are away")},
    premises=[
        sheet.lemma_D_4_threshold.reads("5*n*betaplus <= phi"),
        sheet.lemma_D_5_threshold.reads("4*n*L**2*betaplus <= 1"),
        sheet.lemma_D_3_threshold.reads("betaminus <= 1"),
        sheet.lemma_D_3_sharp_rows.reads("betaminus*rows >= C*sqrt(L)*log(1/delta)"),
        sheet.lemma_D_3_width.reads("m >= C*L**2*log(L/delta)"),
    ],
    regime=Regime(cells=BOTH_LONG, least=NEXT, most=A_SET),
    controls=[
        control("the root of the threshold", bound="sqrt(betaminus)*rows/(5*sqrt(L))"),
        control("away at the time of the kink too", all_away=True),
        control("a threshold far above the separation", cells=WIDER_BEYOND, without=sheet.lemma_D_4_threshold),
        control("the threshold of one other sequence, for nineteen", cells=CROWDED[:1], without=THRESHOLDS),
        control("thresholds far above 1", cells=FAR_ABOVE, without=sheet.lemma_D_3_threshold),
        control("one neuron", cells=[{**BOTH_LONG[0], "rows": 1}], without=sheet.lemma_D_3_sharp_rows),
        control("the last sequence at all kinks at the last time", last=0.0, cells=TWO_LATER),
    ],
    blind={
        NARROW: FEW_NEURONS,
        "L": "from 2 to 8 times its root doubles: lemma-D.3-sharp sees it",
        f"premise {sheet.lemma_D_5_threshold.text}": "its thresholds take few neurons away: lemma-D.5 sees it",
    },
    note="a set fixed beforehand, at thresholds as large as Lemmas D.4 and D.5 leave them; C is 42 and 12",
)
def neurons_of_one_kink(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    phi: float,
    betaminus: float,
    betaplus: float,
    rows: int,
    *,
    all_away: bool = False,
    last: float = 1.0,
) -> float:
    """The number of k in a set of `rows` near the kink of one sequence i and time l, and away from all others.

    Near is |(W h_{i,l} + A x_{i,l+1})_k| <= betaminus/sqrt(m), away >= betaplus/sqrt(m): of other j at l, all j later.
    """
    fwd = ends_multiplied(_pass(rng, m, n, L, later, phi)[1], last)
    kept = near_kink(fwd, 0, l, betaminus) & others_away(fwd, 0, l, betaplus)
    kept &= later_away(fwd, l - int(all_away), max(betaplus, betaminus * (1.0 + 1e-9)) if all_away else betaplus)
    return float(np.count_nonzero(kept[:rows]))
