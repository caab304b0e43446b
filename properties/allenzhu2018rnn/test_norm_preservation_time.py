"""allenzhu2018rnn, Appendices B.1 and B.2: norms of hidden states along time, and what W leaves to chance.

Main claims: `norms_along_time` (Lemma B.3) with `printed_lower_bound`, `one_step_from_above` and `one_step_from_below`
(Claims B.4 and B.5), `answers_to_the_frame` (footnote 13), `frame_of_hard_vectors` (GS).
"""

import math

import numpy as np
import scipy
from numpy.random import Generator

from bounds.laws.layers import MaskedChiSquare
from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, Network
from properties.allenzhu2018rnn.forward_norms import (
    arriving_norms,
    ends_multiplied,
    fresh_answers,
    input_energy,
    preactivation_norms,
    recurrent_pass,
    state_norms,
)
from properties.allenzhu2018rnn.frames import StateFrames, gram_schmidt
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid
from theory.evidence import Distribution, ExactLaw, Search, Tail, Trials

NORMAL = scipy.stats.norm()


@claim(
    "allenzhu2018rnn:def-gs",
    bound="= 1",
    premises="none needed: vectors of any kind, at most as many as there are dimensions",
    regime=Regime(
        cells=grid(m=[6, 64], n=5),
        draw={"family": choices("drawn", "nearly equal", "equal", "zero", "dependent")},
        pinned=[{"family": "nearly equal"}, {"family": "zero"}],
        least={"n": 3, "m": "n"},  # two vectors, and one that depends on them
    ),
    evidence=Search(),
    controls=[
        control("all projections from the vector itself, once", once=True),
        control("nothing in place of a vector that depends on others", completed=False),
        control("not normalised", scale=1.5),
    ],
    scope="part: orthonormal, and all vectors in its span; not that the first k are in that of the first k",
    note="zero first vectors too, which the definition, printed, divides by their norm",
)
def frame_of_hard_vectors(
    rng: Generator, m: int, n: int, family: str, *, once: bool = False, completed: bool = True, scale: float = 1.0
) -> Measured:
    """The singular values of U = GS(v_1, ..., v_n), and 1 + ||v_i - U U^T v_i||/||v_i||, 1 for v_i = 0, of each v_i."""
    vectors = rng.standard_normal((n, m))
    if family == "nearly equal":
        vectors = vectors[0] + 1e-10 * vectors
    elif family == "equal":
        vectors[1:3] = vectors[0]
    elif family == "zero":
        vectors[0] = 0.0
    elif family == "dependent":
        vectors[2:] = rng.standard_normal((n - 2, 2)) @ vectors[:2]
    U = scale * gram_schmidt(vectors)
    if once:
        for k in range(n):
            left = vectors[k] - (U[:k] @ vectors[k]) @ U[:k]
            U[k] = left / max(float(np.linalg.norm(left)), 1e-300)
    if not completed:
        U *= np.linalg.norm(vectors, axis=1, keepdims=True) > 0.0
    outside = np.linalg.norm(vectors - vectors @ U.T @ U, axis=1)
    sizes = np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)
    return Measured(np.concatenate([np.linalg.svd(U, compute_uv=False), 1.0 + outside / sizes]), error=1e-10)


def _directions(net: Network, states: list[Array], frame: str, rng: Generator) -> Array:
    """What W answers to directions chosen one after the other, each from what is known by then: (n L, m)."""
    W = net.weights[0]
    asked = gram_schmidt(states[0])
    for state in states[1:]:
        answers = asked @ W
        if frame == "sorted":  # as far as possible from what a network does
            chosen = np.sort(answers[-len(state) :], axis=1) ** 3
        elif frame == "signs":
            chosen = np.sign(answers[-len(state) :]) * states[0]
        else:  # "backward": looks at W where it was not asked
            chosen = W @ answers[-1]
            chosen = np.tile(chosen, (len(state), 1)) + 1e-3 * state
        asked = np.concatenate([asked, gram_schmidt(chosen, asked)])
    return np.asarray(asked @ W)


def _answers(rng: Generator, m: int, n: int, L: int, later: str, frame: str) -> Array:
    """The entries of [W U_L, A], transposed: (n L + d, m)."""
    X = sequences(n, L, 3, rng, later)
    net, fwd = recurrent_pass(X, m, rng)
    states = list(fwd.post[1:])
    if frame == "states":
        answers = fresh_answers(net, fwd)
    elif frame == "not orthonormal":
        rows = np.concatenate(states)
        answers = rows / np.linalg.norm(rows, axis=1, keepdims=True) @ net.weights[0]
    elif frame == "top":
        answers = np.linalg.svd(net.weights[0])[0][:, : n * L].T @ net.weights[0]
    else:
        answers = _directions(net, states, frame, rng)
    return np.concatenate([answers, net.frozen[0]])


FRAMES = [
    {"m": 24, "n": 2, "L": 3, "later": "drawn", "frame": "states"},
    {"m": 24, "n": 1, "L": 8, "later": "zero", "frame": "states"},
    {"m": 12, "n": 2, "L": 4, "later": "repeated", "frame": "sorted"},
    {"m": 12, "n": 2, "L": 4, "later": "alike", "frame": "signs"},
]


NO_FRAME = {"premise m >= L*n": "there is no frame where states are more than dimensions"}


@claim(
    "allenzhu2018rnn:footnote-13",
    bound="= sqrt(2/m)",
    premises="no more states than dimensions, so that there is a frame: m >= n*L",
    regime=Regime(cells=FRAMES, thorough=grid(m=64, n=4, L=16, later="unit", frame="states"), least={"m": "n*L"}),
    evidence=Distribution(law=lambda: NORMAL, trials=120),
    controls=[
        control("weight variance 1/m", bound="1/sqrt(m)"),
        control("frame of the largest singular vectors", chosen="top", cells=FRAMES[:1]),
        control("past leaks: directions taken back through W", chosen="backward", cells=FRAMES[1:2]),
    ],
    blind=NO_FRAME,
    scope="part: the law of an entry; footnote-13-cosines has pairs of columns, for their independence",
    note="frames chosen from what is known by then; at every width",
)
def answers_to_the_frame(
    rng: Generator, m: int, n: int, L: int, later: str, frame: str, *, chosen: str | None = None
) -> Measured:
    """Entries of [W U_L, A], in law N(0, bound^2), U_L the states' frame, or chosen by earlier columns of W U_L."""
    return Measured(_answers(rng, m, n, L, later, chosen or frame).ravel())


@claim(
    "allenzhu2018rnn:footnote-13-cosines",
    title="answers of W to directions of an adaptive frame make angles like independent vectors",
    bound="= 1",
    premises="no more states than dimensions, so that there is a frame: m >= n*L",
    regime=Regime(cells=[{**cell, "m": 24} for cell in FRAMES], least={"m": "n*L + 1"}),  # one neuron makes no angle
    evidence=Distribution(law=lambda m: scipy.stats.beta((m - 1) / 2, (m - 1) / 2, loc=-1.0, scale=2.0), trials=250),
    controls=[
        control("states in place of their frame", chosen="not orthonormal", cells=FRAMES[1:2]),
        control("past leaks: directions taken back through W", chosen="backward", cells=[FRAMES[1]]),
        control("a third of the width", narrower=3, cells=FRAMES[:1]),
    ],
    blind=NO_FRAME,
    note="frames chosen from what is known by then; the law of the cosine of two independent Gaussian vectors; no two "
    "pairs have a vector in common",
)
def cosines_of_answers(
    rng: Generator, m: int, n: int, L: int, later: str, frame: str, *, chosen: str | None = None, narrower: int = 1
) -> Measured:
    """The cosines of neighbouring columns of W U_L, two by two, U_L the states' frame or chosen by earlier ones.

    Of an odd number of them the last one goes with the first column of A.
    """
    answers = _answers(rng, m // narrower, n, L, later, chosen or frame)[: n * L + (n * L) % 2]
    unit = answers / np.linalg.norm(answers, axis=1, keepdims=True)
    return Measured(np.sum(unit[0::2] * unit[1::2], axis=1))


STEPS = [
    {"m": 24, "n": 1, "L": 2, "later": "zero"},
    {"m": 40, "n": 2, "L": 12, "later": "drawn"},
    {"m": 400, "n": 1, "L": 24, "later": "zero"},
]


@claim(
    "allenzhu2018rnn:claim-B.4-fresh",
    title="norm of a ReLU layer of what is fresh in a state",
    bound="= 1",
    premises="no more states than dimensions, so that there is a frame: m >= n*L",
    regime=Regime(cells=STEPS, thorough=grid(m=2100, n=1, L=32, later="repeated"), least={"m": "n*L"}),
    evidence=Distribution(law=lambda m: MaskedChiSquare(m), trials=60),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("weight variance 2.4/m", gain=2.4, cells=STEPS[1:2]),
        control("no ReLU", relu=False),
        control("the last two answers alike", again=True, cells=[{"m": 32, "n": 1, "L": 2, "later": "zero"}]),
    ],
    blind=NO_FRAME,
    note="the answers at different times are independent, given the past, so that all of them are one sample",
)
def layer_of_what_is_fresh(
    rng: Generator, m: int, n: int, L: int, later: str, *, gain: float = 2.0, relu: bool = True, again: bool = False
) -> Measured:
    """The numbers ||relu(W v_{1,l})||^2 of all l, in law (2/m) chi2_K, K binomial(m, 1/2).

    v_{1,l} is the unit vector that h_{1,l} adds to U_{l-1}, or, where it adds nothing, one that completes the frame.
    """
    net, fwd = recurrent_pass(sequences(n, L, 3, rng, later), m, rng)
    frames = StateFrames(fwd)
    directions = np.stack([frames.first_direction(time) for time in range(1, L + 1)])
    answers = math.sqrt(0.5 * gain) * directions @ net.weights[0]
    if again:
        answers = answers + answers[::-1]
    return Measured(np.sum((np.maximum(answers, 0.0) if relu else answers) ** 2, axis=1))


FEW_COLUMNS = "it stands under the root of the number of columns, few of which are its own"

# The part of Chevet's inequality, which is for all vectors that the columns span: few of them are states.
CHEVET = "(sqrt(2*L*n + 2*d) + 2*sqrt(log(2/delta)))/sqrt(m)"
OF_ALL_VECTORS = {
    f"{name} in {CHEVET}": "states are few of all vectors of their span" for name in ("m", "L", "d", "delta")
}

# What 64 networks cannot tell.
DECIDED_BY_FEW = {"term 2/m": "it is for the mean from below, and small"}
BY_THE_SHARP_FORM = "the bound is nearly twice what occurs, so that no change of its small terms is seen: sharp sees it"

SHORT = grid(m=600, n=1, L=1, d=4, delta=0.4, later="zero")
# At a chance that 600 neurons are not enough for; from 2100 on nothing of W is drawn that is not asked for.
SURE = grid(m=2100, n=1, L=1, d=4, delta=0.05, later="zero")
NARROW = grid(m=3000, n=1, L=2, d=4, delta=0.4, later=["zero", "repeated"])
BROAD = grid(m=25000, n=2, L=4, d=3, delta=0.4, later=["drawn"])
REPEATED = grid(m=2100, n=1, L=2, d=2, delta=0.4, later="repeated")
MANY = grid(m=2100, n=8, L=1, d=16, delta=0.4, later="zero")
# Of several sequences and times.
SEVERAL = grid(m=5100, n=2, L=2, d=4, delta=0.05, later="unit")
SEVERAL_NARROW = grid(m=64, n=2, L=2, d=2, delta=0.05, later="unit")
# As narrow as the premise of Lemma B.3 admits, where inputs that come again make the norms scatter most.
AS_LITTLE = grid(m=14_350, n=1, L=3, d=2, delta=1e-3, later="repeated")
# Many states, far from each other.
CROWDED = grid(m=256, n=400, L=3, d=64, delta=0.4, later="unit")
WIDEST = grid(m=10**5, n=1, L=8, d=3, delta=0.4, later=["zero", "repeated"])


@claim(
    "allenzhu2018rnn:claim-B.4",
    bound="(1 + 1/L)*(normX + 1)",
    premises=sheet.norms_width.reads("m >= 16*L**2*(2*sqrt(L)*sqrt(n) + 2*sqrt(log(2/delta)) + 1)**2"),
    measured=["normX"],
    regime=Regime(cells=[*SHORT, *SURE, *NARROW], thorough=BROAD),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("no input", bound="(1 + 1/L)*normX", cells=NARROW[1:]),
        control("weight variance 16/m", gain=16.0, cells=NARROW[1:]),
        control("half", bound="(1 + 1/L)*(normX + 1)/2", cells=NARROW[1:]),
        control("the last state of the last sequence 20 times as long", last=20.0, cells=SEVERAL),
        control("the first state 20 times as long", first=20.0, cells=NARROW[:1]),
    ],
    blind={
        f"premise {sheet.norms_width.text}": "without it a step adds more than 1 with chances that no trials see: "
        "lemma-B.3-corrected sees it",
        "L": BY_THE_SHARP_FORM,
        "term normX": "where states are large the 1 beside them covers what an input adds",
    },
    note="delta for the printed exp(-Omega(m/L^2)); normX is 0 before the first input",
)
def one_step_from_above(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """The norms ||h_{i,l+1}|| of all sequences i and times l = 0, ..., L - 1, each beside its normX = ||h_{i,l}||."""
    X = sequences(n, L, d, rng, later)
    norms = state_norms(ends_multiplied(recurrent_pass(X, m, rng, gain)[1], last, first))
    before = np.concatenate([np.zeros((n, 1)), norms[:, :-1]], axis=1)
    return Measured(norms, symbols={"normX": before})


@claim(
    "allenzhu2018rnn:claim-B.4-sharp",
    title="one step from above, by the norm of state and input together",
    bound="(1 + (sqrt(2*(n*L + d)) + 2*sqrt(log(2/delta)))/sqrt(m) + 2/m)*normX",
    premises="none needed: Chevet's inequality holds at every width",
    measured=["normX"],
    regime=Regime(
        cells=[
            *grid(m=64, n=1, L=1, d=2, delta=0.4, later="zero"),
            *NARROW[1:],
            *grid(m=256, n=2, L=16, d=3, delta=0.4, later="unit"),
        ],
        thorough=BROAD,
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("weight variance 3/m", gain=3.0, cells=NARROW[1:]),
        control("rate 1/m", bound="(1 + (sqrt(2*(n*L + d)) + 2*sqrt(log(2/delta)))/m)*normX", cells=MANY),
        control("the input not counted", fed=False, cells=NARROW[1:]),
        control("no union over states", bound="(1 + 2*sqrt(log(2/delta))/sqrt(m) + 2/m)*normX", cells=CROWDED),
        control("the last state of the last sequence 20 times as long", last=20.0, cells=SEVERAL_NARROW),
        control("the first state of the last sequence 20 times as long", first=20.0, cells=SEVERAL_NARROW),
    ],
    blind={"n": FEW_COLUMNS, **DECIDED_BY_FEW, **OF_ALL_VECTORS},
)
def one_step_from_above_sharply(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    fed: bool = True,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """The norms ||h_{i,l+1}|| of all sequences and times, beside normX, (||h_{i,l}||^2 + ||x_{i,l+1}||^2)^(1/2)."""
    X = sequences(n, L, d, rng, later)
    fwd = ends_multiplied(recurrent_pass(X, m, rng, gain)[1], last, first)
    return Measured(state_norms(fwd), symbols={"normX": arriving_norms(fwd, X if fed else 0.5 * X)})


@claim(
    "allenzhu2018rnn:claim-B.4-tail",
    title="norm of the first state from above, down to chances that no trials see",
    bound="1 + 2*sqrt(log(1/delta))/sqrt(m)",
    premises="none needed: Gaussian concentration holds at every width",
    regime=Regime(cells=grid(m=[24, 1000, 10**5], delta=[0.4, 1e-3, 1e-12])),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("free of the chance", bound="1 + 2/sqrt(m)"),
        control("half of the deviation", bound="1 + sqrt(log(1/delta))/sqrt(m)"),
        control("the root of the logarithm once more", bound="1 + 2*log(1/delta)**(1/4)/sqrt(m)"),
        control("weight variance 3/m", gain=3.0),
    ],
    note="claim-B.4-sharp has 2/delta; the 2 is for the Lipschitz constant sqrt(2/m), the spread is sqrt(5/(4 m))",
)
def tail_of_the_first_state(threshold: float, m: int, *, gain: float = 2.0) -> float:
    """The probability that ||h_1||, after an input of norm 1, exceeds the threshold, by its exact law."""
    return float(MaskedChiSquare(m, gain).sf(threshold**2))


# Six times at the least width that the premise leaves, where a norm scatters as little as it has to.
LEAST_WIDTH = grid(m=64_000, n=1, L=6, d=4, delta=0.01, later="zero")


@claim(
    "allenzhu2018rnn:claim-B.5",
    bound=">= (1 - 1/(4*L))*normX",
    premises=sheet.norms_width.reads("m >= 16*L**2*(2*sqrt(L)*sqrt(n) + 2*sqrt(log(2/delta)) + 1)**2"),
    measured=["normX"],
    regime=Regime(cells=[*SHORT, *SURE, *NARROW], thorough=BROAD),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("no loss", bound="normX", cells=NARROW[:1]),
        control("weight variance 1/m", gain=1.0, cells=NARROW[:1]),
        control("a hundredth of the share, by L squared", bound="(1 - 1/(400*L**2))*normX", cells=NARROW[:1]),
        control("L squared", bound="(1 - 1/(4*L**2))*normX", cells=LEAST_WIDTH),
        control("a width of 8", cells=grid(m=8, n=6, L=2, d=4, delta=0.4, later="zero"), without=sheet.norms_width),
        control("the last state of the last sequence half as long", last=0.5, cells=[{**SEVERAL[0], "later": "zero"}]),
        control("the first state half as long", first=0.5, cells=NARROW[:1]),
    ],
    blind={
        "normX": "at zero inputs, the hard ones, norms stay near 1; by its power nothing is told from a constant",
        "L in -1/(4*L)": "two horizons: a control at the least width sees its square",
    },
    note="zero inputs add nothing and are the hard ones; at l = 0 normX is 1, the input's; delta for e^(-Omega(m/L^2)) "
    "in print; half of the share is told where failures are rarer than 10^-6 alone: lemma-B.3-lower",
)
def one_step_from_below(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """The norms ||h_{i,l+1}|| of all sequences i and times l = 0, ..., L - 1, each beside its normX = ||h_{i,l}||."""
    X = sequences(n, L, d, rng, later)
    norms = state_norms(ends_multiplied(recurrent_pass(X, m, rng, gain)[1], last, first))
    before = np.concatenate([np.ones((n, 1)), norms[:, :-1]], axis=1)
    return Measured(norms, symbols={"normX": before})


@claim(
    "allenzhu2018rnn:lemma-B.3",
    bound="(1 - 1/(4*L))**(-l)",
    premises=sheet.norms_width.reads("m >= 16*L**2*(2*sqrt(L)*sqrt(n) + 2*sqrt(log(2/delta)) + 1)**2"),
    regime=Regime(cells=[*grid(m=1000, n=1, L=1, l=0, delta=0.1), *grid(m=10**5, n=4, L=4, l=0, delta=[0.4, 0.1])]),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[control("weight variance 1/m", gain=1.0), control("the upper bound of the proof", bound="1 - 1/(4*L)")],
    note="at l = 0 the norm is to be at least 1, which fails with a chance near 1/2 for each sample, however wide",
)
@form(
    "lower",
    bound="(1 - 1/(4*L))**(-(l + 1))",
    title="norm of the first state from below, with one factor more",
    regime=Regime(
        cells=[
            *grid(m=1000, n=1, L=1, l=0, delta=0.1),
            *grid(m=640_000, n=1, L=16, l=0, delta=0.1),
            *grid(m=4450, n=1, L=1, l=0, delta=1e-20),
        ]
    ),
    controls=[
        control(
            "half of the exponent", bound="(1 - 1/(4*L))**(-(l + 1)/2)", cells=grid(m=4450, n=1, L=1, l=0, delta=1e-20)
        ),
        control(
            "L^2 in the factor", bound="(1 - 1/(4*L**2))**(-(l + 1))", cells=grid(m=640_000, n=1, L=16, l=0, delta=0.1)
        ),
        control("a width of 8", cells=grid(m=8, n=1, L=1, l=0, delta=0.1), without=sheet.norms_width),
    ],
    blind={"l": "the exact law is that of the first state: lemma-B.3-sharp sees the later times"},
    note="by the exact law of the first state: near the least width a factor with L^2 fails at L = 16, and half of the "
    "share at L = 1 where failures are rarer than 10^-9",
)
def printed_lower_bound(threshold: float, m: int, n: int, l: int, *, gain: float = 2.0) -> Tail:  # noqa: E741
    """The chance that some 1/||h_{i,1}||, l = 0, exceeds the threshold: that of one sample to n times that."""
    p = float(MaskedChiSquare(m, gain).cdf(threshold**-2.0))
    return Tail(p, min(1.0, n * p))


def _of_the_bounds(norms: Array, preactivations: Array, L: int, extra: int) -> Array:
    """Norms of h, halves of those of g, and the lower bound of h over h, all in units of 2 l + 4; l counts from 0."""
    l = np.arange(norms.shape[1])  # noqa: E741
    low = (1.0 - 1.0 / (4.0 * L)) ** (l + extra)
    with np.errstate(divide="ignore"):  # dead states are as far below the bound as can be
        return np.stack([norms, preactivations / 2.0, (2.0 * l + 4.0) * low / norms])


@claim(
    "allenzhu2018rnn:lemma-B.3-corrected",
    title="norms along time, the lower bound with one factor more",
    bound="2*l + 4",
    premises=sheet.norms_width.reads("m >= 16*L**2*(2*sqrt(L)*sqrt(n) + 2*sqrt(log(2/delta)) + 1)**2"),
    measured=["l"],
    regime=Regime(cells=[*NARROW, *BROAD, *grid(m=3800, n=1, L=2, d=4, delta=0.05, later="zero")], thorough=WIDEST),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("the lower bound as printed", extra=0, cells=MANY),
        control("weight variance 1/m", gain=1.0, cells=NARROW[:1]),
        control("weight variance 64/m", gain=64.0, cells=NARROW[1:]),
        control("the last state of the last sequence 20 times as long", last=20.0, cells=SEVERAL),
        control("the first state 20 times as long", first=20.0, cells=NARROW[:1]),
        control("a width of 8", cells=grid(m=8, n=6, L=2, d=4, delta=0.4, later="zero"), without=sheet.norms_width),
    ],
    note="l counts from 0; delta for the printed exp(-Omega(m/L^2))",
)
def norms_along_time(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    extra: int = 1,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """Of all sequences and times l + 1: ||h||, ||g||/2, and (2 l + 4)(1 - 1/(4L))^(l + 1)/||h||."""
    X = sequences(n, L, d, rng, later)
    fwd = ends_multiplied(recurrent_pass(X, m, rng, gain)[1], last, first)
    found = _of_the_bounds(state_norms(fwd), preactivation_norms(fwd), L, extra)
    return Measured(found, symbols={"l": np.arange(L)})


@claim(
    "allenzhu2018rnn:lemma-B.3-sharp",
    title="norms along time from above, against the root of the summed squared norms of the inputs",
    bound="(1 + (sqrt(2*(n*L + d)) + 2*sqrt(log(2/delta)))/sqrt(m) + 2/m)**l",
    premises="none needed: Chevet's inequality holds at every width",
    measured=["l"],
    regime=Regime(
        cells=[
            *grid(m=64, n=1, L=1, d=2, delta=0.4, later="zero"),
            *grid(m=2100, n=1, L=24, d=2, delta=0.4, later="zero"),
            *REPEATED,
            *grid(m=256, n=4, L=8, d=4, delta=0.4, later="alike"),
        ],
        thorough=[
            *grid(m=10**5, n=1, L=24, d=2, delta=0.4, later="zero"),
            *grid(m=20000, n=1, L=64, d=2, delta=0.4, later="repeated"),
            *grid(m=10**6, n=2, L=4, d=2, delta=0.4, later="unit"),
        ],
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("no room", bound="1", cells=MANY),
        control(
            "one factor, whatever the time",
            bound="1 + (sqrt(2*(n*L + d)) + 2*sqrt(log(2/delta)))/sqrt(m) + 2/m",
            cells=grid(m=256, n=1, L=64, d=2, delta=0.01, later="zero"),
        ),
        control("weight variance 3/m", gain=3.0, cells=REPEATED),
        control("rate 1/m", bound="(1 + (sqrt(2*(n*L + d)) + 2*sqrt(log(2/delta)))/m)**l", cells=MANY),
        control("later inputs not counted", summed=False, cells=REPEATED),
        control("the last state of the last sequence 20 times as long", last=20.0, cells=SEVERAL_NARROW),
        control("the first state of the last sequence 20 times as long", first=20.0, cells=SEVERAL_NARROW),
    ],
    blind={"d": FEW_COLUMNS, **DECIDED_BY_FEW},
    note="the root of the time, where the lemma has the time itself",
)
def norms_along_time_sharply(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    summed: bool = True,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """The ||h_{i,l}|| over the root of ||x_{i,1}||^2 + ... + ||x_{i,l}||^2, of all sequences i and times l = 1..L."""
    X = sequences(n, L, d, rng, later)
    fwd = ends_multiplied(recurrent_pass(X, m, rng, gain)[1], last, first)
    unit = input_energy(X)
    return Measured(state_norms(fwd) / (unit if summed else unit[:, :1]), symbols={"l": np.arange(1, L + 1)})


@claim(
    "allenzhu2018rnn:eq-4.1",
    bound="2*sqrt(L)",
    premises=sheet.norms_width.reads("m >= 16*L**2*(2*sqrt(L)*sqrt(n) + 2*sqrt(log(2/delta)) + 1)**2"),
    regime=Regime(cells=[*SHORT, *SURE, *NARROW], thorough=BROAD),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("weight variance 1/4 of 1/m", gain=0.25, cells=NARROW[:1]),
        control("weight variance 8/m", gain=8.0, cells=NARROW[1:]),
        control("seven tenths", bound="7/5*sqrt(L)", cells=NARROW[1:]),
        control("the root of 1/2 for 1, and 1/(16 L) above it", bound="sqrt(2*L)*(1 + 1/(16*L))", cells=AS_LITTLE),
        control("a width of 4", cells=grid(m=4, n=6, L=2, d=4, delta=0.4, later="zero"), without=sheet.norms_width),
        control("the last state of the last sequence 20 times as long", last=20.0, cells=SEVERAL),
        control("the first state 20 times as long", first=20.0, cells=NARROW[:1]),
    ],
    blind={"L": "up to the time 2 a constant will do as well; lemma-B.3-sharp has the power of the time"},
    scope="own constants: 2 sqrt(L) from above, where the print has the order L",
)
def all_norms(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    gain: float = 2.0,
    last: float = 1.0,
    first: float = 1.0,
) -> Measured:
    """Of all sequences and times: ||h||, ||g||, and the root of L over ||h||, at its bound where ||h|| is 1/2."""
    fwd = ends_multiplied(recurrent_pass(sequences(n, L, d, rng, later), m, rng, gain)[1], last, first)
    norms = state_norms(fwd)
    with np.errstate(divide="ignore"):
        return Measured(np.stack([norms, math.sqrt(0.5 * gain) * preactivation_norms(fwd), math.sqrt(L) / norms]))
