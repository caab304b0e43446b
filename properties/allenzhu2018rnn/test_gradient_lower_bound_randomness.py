"""allenzhu2018rnn, Proposition 6.1 and Appendix E.1: randomness of W drawn again along a fresh direction.

Main claims: `excess_of_the_variance` (Proposition 6.1), `chance_of_a_large_entry` (Lemma E.4, a step of whose proof is
false), `law_of_the_first_part` (its parts (a) and (b)), `law_of_partial_decompositions` and
`what_the_three_parts_leave_of_W` (Lemma E.5).
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.stats
from numpy.random import Generator
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, Forward, Network, forward, recurrent_network, shifted
from properties.allenzhu2018rnn.forward_norms import ends_multiplied
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.randomness import redrawn, small_part, split
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Distribution, Search

# A state and the pre-activation that W makes of it.
AND_THE_NEXT: dict[str, int | str] = {"L": "l + 1", "l": 1, "m": "n*L"}
# A time is one of the horizon, a set one of neurons, and a frame has no more vectors than dimensions.
A_STATE: dict[str, int | str] = {"l": 1, "m": "n*L"}
A_TIME: dict[str, float | str] = {"l": "L", "theta": 1}
A_SET: dict[str, float | str] = {"rows": "m"}
NOT_BUILT = {
    "premise m >= L*n": "there is no frame where states are more than dimensions",
    "premise theta <= 1": "a larger theta leaves no root",
}

# What the parts are made of: g alone and xi alone.
KNOWN, DRAWN = np.array([1.0, 0.0]), np.array([0.0, 1.0])


@claim(
    "allenzhu2018rnn:proposition-6.1",
    bound="theta**2",
    premises="what is left beside theta has a root: theta <= 1",
    # The root is steep near 1, where the bound is attained.
    regime=Regime(cells=grid(theta=[1e-3, 0.03, 0.3, 0.9, 0.9999, 1.0 - 1e-8])),
    evidence=Search(),
    controls=[
        control("the cube", bound="theta**3"),
        control("39/40 of it", bound="39*theta**2/40"),
        control("g_1 drawn anew, not coupled with g", coupled=False),
        control("sqrt(1 + theta^2) for the root", sign=-1.0),
    ],
    blind={"premise theta <= 1": NOT_BUILT["premise theta <= 1"]},
    note="'very close' is theta^2/4 for small theta, of each entry, as proofs use it; of all m where theta^4 m is "
    "small",
    scope="part: how close the variance of g_3 is, by a bound of ours",
)
def excess_of_the_variance(theta: float, *, coupled: bool = True, sign: float = 1.0) -> Measured:
    """Var g_3/(theta^2 Var g) - 1, exact; g = sqrt(1 - theta^2) g_1 + theta g_2, g_1, g_2 i.i.d., and g_3 = g - g_1."""
    first, second = split(KNOWN, DRAWN, theta)
    rest = small_part(first, second, theta) if coupled else KNOWN - DRAWN
    if sign < 0.0:
        rest = theta * second - (1.0 + math.sqrt(1.0 + theta * theta)) * first
    size = float(rest @ rest) / theta**2
    # No entry cancels to less than a third of its terms, which are off by eight roundings: a square by three times
    # twice as many, and the quotient by some more.
    return Measured(size - 1.0, error=rounding(size + 1.0, 64.0))


@claim(
    "allenzhu2018rnn:proposition-6.1-covariance",
    title="covariance of the two parts of a Gaussian and what is left of it beside them",
    bound="= 0",
    premises="none needed: linear maps of independent Gaussians, so that the covariance is the law",
    regime=Regime(cells=grid(theta=[1e-4, 0.1, 0.7, 1.0]), most={"theta": 1}),  # beyond, 1 - theta^2 has no root
    evidence=Search(),
    controls=[
        control("1 - theta for the root", kept=lambda theta: 1.0 - theta, cells=grid(theta=0.1)),
        control("parts that are not independent", shared=0.5, cells=grid(theta=0.1)),
        control("nothing drawn", shared=1.0, cells=grid(theta=0.1)),
    ],
    note="g_1 = s g + theta xi, g_2 = theta g - s xi, s = sqrt(1 - theta^2), xi drawn; g_3 = theta g_2 - (1 - s) g_1",
)
def covariance_of_the_parts(theta: float, *, kept: object = None, shared: float = 0.0) -> Measured:
    """The largest entry, in size, of cov(g_1, g_2) less the identity, in units of Var g, and of g less g_1 and g_3."""
    drawn = math.sqrt(1.0 - shared * shared) * DRAWN + shared * KNOWN
    first, second = split(KNOWN, drawn, theta)
    if callable(kept):
        first = kept(theta) * KNOWN + theta * drawn
    parts = np.stack([first, second])
    off = np.abs(parts @ parts.T - np.eye(2)).max()
    left = np.abs(first + small_part(first, second, theta) - KNOWN).max()
    return Measured(float(max(off, left)), error=1e-14)


SCALES = [
    {"rho_": 1.0, "theta": 0.5},
    {"rho_": 1.0, "theta": 1e-6},
    {"rho_": 4.0, "theta": 0.125},
    {"rho_": 1000.0, "theta": 0.0005},
]


def _pull(theta: float) -> float:
    """(1 - sqrt(1 - theta^2))/theta, by which g_1 pulls an entry of u back, in units of theta."""
    return theta / (1.0 + math.sqrt(1.0 - theta * theta))


def _beyond(level: float) -> float:
    """The chance that an entry of variance 2 exceeds a level."""
    return 0.5 * math.erfc(0.5 * level)


@claim(
    "allenzhu2018rnn:lemma-E.4",
    bound=">= 1/4",
    probability=True,
    premises=[
        sheet.lemma_E_4_scale.reads("2*rho_*theta <= 1"),
        sheet.rho_at_least_one.reads("rho_ >= 1"),
        "entries of g_1 of at most rho/sqrt(m) in size [its proof; their chance: lemma-E.4-size]: g1 <= rho_",
    ],
    regime=Regime(cells=SCALES),
    measured=["g1"],
    evidence=Search(adversary="an entry of g_1 at the end rho/sqrt(m) of its range, against the sign"),
    controls=[
        control("three tenths", bound="3/10"),
        control("entries above theta/sqrt(m)", level=1.0),
        control("entries of g_1 up to 2 rho/sqrt(m)", reach=2.0, cells=SCALES[:1], without="g1 <= rho_"),
        control("variance 1/m", gain=1.0),
        control("theta = 1/rho", cells=[{"rho_": 1.0, "theta": 1.0}], without=sheet.lemma_E_4_scale),
        control("rho below 1", cells=[{"rho_": 0.5, "theta": 1.0}], without=sheet.rho_at_least_one),
    ],
    scope="part: (c), for W_2 of which no entry of g_1 exceeds rho/sqrt(m) in size",
    note="the least is 0.2936, at rho = 1; W v = sqrt(1 - theta^2) g_1 + theta g_2, g_i i.i.d., g_1 = W_2 v, u = W v - "
    "g_1, v along (I - U_{l-1} U_{l-1}^T) h_l. A step of its proof is false: lemma-E.4-proof",
)
def chance_of_a_large_entry(
    theta: float, rho_: float, *, level: float = 0.5, reach: float = 1.0, gain: float = 2.0
) -> Measured:
    """The lesser of P(u_k >= theta/(2 sqrt(m)) | W_2) and P(u_k <= -theta/(2 sqrt(m)) | W_2), for every k.

    At the worst W_2 with ||g_1||_inf <= g1/sqrt(m).
    """
    scale = math.sqrt(2.0 / gain)
    ends = [_beyond(scale * (level + side * reach * rho_ * _pull(theta))) for side in (-1.0, 1.0)]
    return Measured(min(ends), error=1e-14, symbols={"g1": reach * rho_})


@claim(
    "allenzhu2018rnn:lemma-E.4-proof",
    title="chance that an entry of the new randomness exceeds its scale, which the proof has too large",
    bound="6/25",
    probability=True,
    premises="none needed: neither theta nor m enter the chance",
    regime=Regime(cells=grid()),
    evidence=Search(),
    controls=[control("half of the scale, as part (c) has it", level=0.5), control("variance 3/m", gain=3.0)],
    note="the proof has at least 1/4. An entry of g_2 has variance 2/m, and exceeds 1/sqrt(m) with the chance "
    "Q(1/sqrt(2)) = 0.23975. Part (c) asks for theta/(2 sqrt(m)) alone, and stands",
)
def chance_in_the_proof(*, level: float = 1.0, gain: float = 2.0) -> Measured:
    """The chance that an entry of theta g_2 exceeds theta/sqrt(m)."""
    return Measured(_beyond(math.sqrt(2.0 / gain) * level), error=1e-15)


def _minus_log_of_any(chance: float, m: int) -> float:
    """Minus the logarithm of the chance that one of m independent events of this chance happens."""
    log_none = m * math.log1p(-chance)
    return -math.log(-math.expm1(log_none))


def _widths(factors: list[float], widths: list[int]) -> list[dict[str, float]]:
    """Cells with rho = factor log(m), from above, and the largest theta there is."""
    rhos = [(m, factor * math.log(m) * (1.0 + 1e-12)) for m in widths for factor in factors]
    return [{"m": m, "rho_": rho, "theta": 0.5 / rho * (1.0 - 1e-12)} for m, rho in rhos]


@claim(
    "allenzhu2018rnn:lemma-E.4-size",
    title="chance of entries of g_1 and of u beyond their sizes",
    bound=">= c*rho_**2",
    constants={"c": (Rational(1, 16), "by the exact law; it is least for 12 neurons and rho = log(m), 0.075")},
    premises=[
        sheet.lemma_E_4_scale.reads("2*rho_*theta <= 1"),
        "problem size of at least log(m), as rho is n L outputs log m: rho_ >= log(m)",
    ],
    regime=Regime(cells=_widths([1.0, 2.0, 3.0], [3, 12, 10**3, 10**5])),
    evidence=Search(adversary="entries of g_1 at the end of their range, theta as large as it may be"),
    controls=[
        control("half of the size of u", size=0.75),
        control("variance 8/m", gain=8.0),
        control("theta near 1", cells=[{"m": 10**5, "rho_": 12.0, "theta": 0.999}], without=sheet.lemma_E_4_scale),
        control("rho far below log(m)", cells=[{"m": 10**5, "rho_": 2.0, "theta": 0.25}], without="rho_ >= log(m)"),
    ],
    note="part (d), given W_2, and the event that (c), (d) ask of W_2; u is theta g_2 - (1 - sqrt(1 - theta^2)) g_1",
)
def chances_of_excess(m: int, rho_: float, theta: float, *, size: float = 1.5, gain: float = 2.0) -> Measured:
    """The lesser of minus the logarithms of the chances that g_1 has a large entry, and, where it has none, that u has.

    Large is in size above rho/sqrt(m) in g_1 = W_2 v, 3 theta rho/(2 sqrt(m)) in u. The m entries of g_1 and those of
    g_2 are independent N(0, 2/m).
    """
    scale = math.sqrt(2.0 / gain)
    pull = rho_ * _pull(theta)
    of_u = sum(_beyond(scale * (size * rho_ + side * pull)) for side in (-1.0, 1.0))
    values = [_minus_log_of_any(chance, m) for chance in (2.0 * _beyond(scale * rho_), of_u)]
    # A level x is off by six roundings, its tail by 2 x^2 + 1 times those and some of its own, a logarithm by twice
    # what its chances of a half at most are; x^2 is below 3/2 rho^2.
    return Measured(min(values), error=rounding(1.0 + rho_**2, 64.0))


NORMAL = scipy.stats.norm()
FRESH = [
    {"m": 16, "n": 1, "L": 3, "l": 2, "later": "zero", "theta": 0.9, "read": "along"},
    {"m": 16, "n": 2, "L": 3, "l": 3, "later": "alike", "theta": 0.5, "read": "along"},
    {"m": 12, "n": 2, "L": 3, "l": 2, "later": "repeated", "theta": 0.9, "read": "frame"},
    {"m": 36, "n": 1, "L": 2, "l": 1, "later": "drawn", "theta": 0.99, "read": "entries"},
    {"m": 48, "n": 2, "L": 16, "l": 15, "later": "unit", "theta": 0.9, "read": "along"},
]


def _start(
    rng: Generator, m: int, n: int, L: int, time: int, later: str, direction: str = "fresh"
) -> tuple[Network, Array, StateFrames, Array]:
    """A network, its inputs and frames, and the direction of the first sequence's state of a time, or a wrong one."""
    X, net = sequences(n, L, 3, rng, later), recurrent_network(3, m, 1, L, rng)
    fwd = forward(net, X)
    frames = StateFrames(fwd)
    if direction == "state":
        v = fwd.post[time][0] / np.linalg.norm(fwd.post[time][0])
    elif direction == "top":
        v = np.linalg.svd(net.weights[0])[0][:, 0]
    elif direction == "earlier":
        v = frames.frame(time - 1)[-1]
    else:
        v = frames.first_direction(time)
    return net, X, frames, v


def _answers(W: Array, frames: StateFrames, v: Array, read: str) -> Array:
    """What is compared with its law: W along v, on the frame of all states, or its entries."""
    return np.ravel({"along": v, "frame": frames.basis, "entries": np.eye(len(W))}[read] @ W)


@claim(
    "allenzhu2018rnn:lemma-E.4-law",
    title="law of W less the small part along the fresh direction",
    bound="sqrt(2/m)",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    sense="=",
    regime=Regime(cells=FRESH, least=A_STATE, most=A_TIME),
    evidence=Distribution(law=lambda: NORMAL, trials=150),
    controls=[
        control("variance 1/m", bound="1/sqrt(m)", cells=FRESH[:1]),
        control("the largest singular vector for the direction", direction="top", cells=FRESH[1:2]),
        control("new randomness of twice the standard deviation", spread=2.0, cells=FRESH[1:2]),
        control("parts that are not independent", shared=0.7, cells=FRESH[1:2]),
    ],
    blind=NOT_BUILT,
    note="part (a); v along (I - U_{l-1} U_{l-1}^T) h_l, by Gram-Schmidt where that is 0; W v = sqrt(1 - theta^2) g_1 "
    "+ theta g_2, g_i i.i.d., W_2 v = g_1, else W_2 is W; theta far above 1/(2 rho), where a wrong law would show",
)
def law_of_the_first_part(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    read: str,
    *,
    direction: str = "fresh",
    spread: float = 1.0,
    shared: float = 0.0,
) -> Measured:
    """Entries of W_2 on the frame of the states of W, along v or as they are: independent, Gaussian of mean 0.

    The bound is their standard deviation.
    """
    net, _, frames, v = _start(rng, m, n, L, l, later, direction)
    W = np.asarray(net.weights[0])
    drawn = math.sqrt(2.0 / m) * rng.standard_normal(m)
    drawn = spread * math.sqrt(1.0 - shared * shared) * drawn + shared * (v @ W)
    return Measured(_answers(redrawn(W, v, drawn, theta)[0], frames, v, read))


PAIRS = [
    {"m": 24, "n": 1, "L": 3, "l": 2, "later": "zero", "theta": 0.9, "pair": "past"},
    {"m": 24, "n": 2, "L": 3, "l": 3, "later": "alike", "theta": 0.3, "pair": "past"},
    {"m": 24, "n": 1, "L": 2, "l": 2, "later": "repeated", "theta": 0.6, "pair": "parts"},
    {"m": 48, "n": 2, "L": 16, "l": 16, "later": "unit", "theta": 0.9, "pair": "past"},
]


@claim(
    "allenzhu2018rnn:lemma-E.4-cosines",
    title="independence of the first part from the past of the forward pass and from the second part",
    bound="= 1",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(cells=PAIRS, least=A_STATE, most=A_TIME),
    evidence=Distribution(law=lambda m: scipy.stats.beta((m - 1) / 2, (m - 1) / 2, loc=-1.0, scale=2.0), trials=300),
    controls=[
        control("the state itself for what is fresh of it", direction="state", cells=PAIRS[1:2]),
        control("a direction of the frame before", direction="earlier", cells=PAIRS[1:2]),
        control("parts that share randomness", shared=0.5, cells=PAIRS[2:]),
        control("u in place of g_2", whole=True, cells=PAIRS[2:]),
    ],
    blind=NOT_BUILT,
    note="v along (I - U_{l-1} U_{l-1}^T) h_l, l = l*, by Gram-Schmidt where that is 0; W v = sqrt(1 - theta^2) g_1 + "
    "theta g_2; given the pass by then",
)
def cosines_of_parts(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    pair: str,
    *,
    direction: str = "fresh",
    shared: float = 0.0,
    whole: bool = False,
) -> Measured:
    """The cosine of g_1 with what W made of the last direction of U_{l*-1}, or with g_2: that of independent vectors.

    At the first time nothing but A is known, and the last vector of it is taken.
    """
    net, _, frames, v = _start(rng, m, n, L, l, later, direction)
    W = np.asarray(net.weights[0])
    known = v @ W
    drawn = math.sqrt(1.0 - shared * shared) * math.sqrt(2.0 / m) * rng.standard_normal(m) + shared * known
    first, second = split(known, drawn, theta)
    other = frames.frame(l - 1)[-1] @ W if l > 1 else np.asarray(net.frozen[0])[-1]
    if pair == "parts":
        other = small_part(first, second, theta) if whole else second
    return Measured(float(first @ other / (np.linalg.norm(first) * np.linalg.norm(other))))


# All times up to the last one, of two sequences.
LAST_TIME = grid(m=40, n=2, L=4, l=4, later="drawn", theta=0.3)


@claim(
    "allenzhu2018rnn:lemma-E.4-revealed",
    title="states up to time l* are those of the part W_2 of W = W_2 + u v^T",
    bound="= 0",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(
        cells=[
            {"m": 40, "n": n, "L": 4, "l": time, "later": later, "theta": theta}
            for n, time, later, theta in [(1, 1, "zero", 1.0), (2, 3, "alike", 0.3), (3, 4, "drawn", 1e-3)]
        ]
        + grid(m=80, n=2, L=32, l=31, later="unit", theta=0.3),
        least=A_STATE,
        most=A_TIME,
    ),
    evidence=Search(examples=2),
    controls=[
        control("the state itself for what is fresh of it", direction="state"),
        control("the direction before", earlier=1, cells=grid(m=40, n=2, L=4, l=3, later="alike", theta=0.3)),
        control("states one time later", after=1, cells=grid(m=40, n=2, L=4, l=3, later="alike", theta=0.3)),
        control("the last state of the last sequence twice as long", last=2.0, cells=LAST_TIME),
    ],
    blind=NOT_BUILT,
    note="the direction is orthogonal to all earlier states: v along (I - U_{l-1} U_{l-1}^T) h_{1,l}, l = l*, by "
    "Gram-Schmidt where that is 0; W v = sqrt(1 - theta^2) g_1 + theta g_2, u = W v - g_1",
)
def change_of_the_past(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    *,
    direction: str = "fresh",
    earlier: int = 0,
    after: int = 0,
    last: float = 1.0,
) -> Measured:
    """The largest change of an entry of a state up to time l* from W to W_2, and of one of W from W_2 + u v^T."""
    net, X, _, v = _start(rng, m, n, L, l - earlier, later, direction)
    W = np.asarray(net.weights[0])
    first, u = redrawn(W, v, math.sqrt(2.0 / m) * rng.standard_normal(m), theta)
    before, past = forward(net, X), ends_multiplied(forward(shifted(net, [first - W]), X), last)
    times = range(1, l + 1 + after)
    change = max(float(np.abs(before.post[k] - past.post[k]).max()) for k in times)
    change = max(change, float(np.abs(first + np.outer(v, u) - W).max()))
    return Measured(change, error=_rounding_of(before))


def _rounding_of(fwd: Forward) -> float:
    """What rounding may move a state of a pass, whose norms grow with the times where inputs are of norm 1."""
    return 1e-13 * max(1.0, *(float(np.linalg.norm(h, axis=1).max()) for h in fwd.post[1:]))


PARTIAL = [
    {"m": 16, "n": 1, "L": 3, "l": 2, "later": "zero", "theta": 0.9, "rows": 1, "read": "frame"},
    {"m": 16, "n": 2, "L": 2, "l": 2, "later": "alike", "theta": 0.9, "rows": 8, "read": "along"},
    {"m": 36, "n": 1, "L": 2, "l": 1, "later": "drawn", "theta": 0.99, "rows": 4, "read": "entries"},
    {"m": 48, "n": 2, "L": 16, "l": 15, "later": "unit", "theta": 0.9, "rows": 24, "read": "along"},
]


@claim(
    "allenzhu2018rnn:lemma-E.5",
    bound="= sqrt(2/m)",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(cells=PARTIAL, least=A_STATE, most=A_TIME | A_SET),
    evidence=Distribution(law=lambda: NORMAL, trials=150),
    controls=[
        control("variance 1/m", bound="1/sqrt(m)", cells=PARTIAL[1:2]),
        control("the neurons with the largest answers", chosen="largest", cells=PARTIAL[1:2]),
        control("u taken off twice", times=2.0, cells=PARTIAL[1:2]),
        control("the largest singular vector for the direction", direction="top", cells=PARTIAL[1:2]),
    ],
    scope="part: the laws of W_0 and W_1; the sum of the third bullet is lemma-E.5-sum",
    blind=NOT_BUILT,
    note="W_0 for one neuron (one cell), W_1 for a set; W v = sqrt(1 - theta^2) g_1 + theta g_2, g_i i.i.d., u = W v - "
    "g_1 in it, else 0; v along (I - U_{l-1} U_{l-1}^T) h_l, by Gram-Schmidt where that is 0. Neurons are fixed",
)
def law_of_partial_decompositions(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    rows: int,
    read: str,
    *,
    chosen: str = "fixed",
    times: float = 1.0,
    direction: str = "fresh",
) -> Measured:
    """Entries of W - u v^T, along v, on the frame of states or as they are: independent, Gaussian of mean 0.

    The bound is their standard deviation.
    """
    net, _, frames, v = _start(rng, m, n, L, l, later, direction)
    W = np.asarray(net.weights[0])
    neurons = np.argsort(-np.abs(v @ W))[:rows] if chosen == "largest" else np.arange(rows)
    u = redrawn(W, v, math.sqrt(2.0 / m) * rng.standard_normal(m), theta, neurons)[1]
    return Measured(_answers(W - times * np.outer(v, u), frames, v, read))


ALONG: list[dict[str, Any]] = [
    {"m": 40, "n": 2, "L": 4, "l": 3, "later": "alike", "theta": 0.3, "rows": 8},
    {"m": 40, "n": 3, "L": 4, "l": 4, "later": "drawn", "theta": 0.9, "rows": 1},
    {"m": 80, "n": 2, "L": 32, "l": 31, "later": "unit", "theta": 0.3, "rows": 40},
]


def _along_each(
    rng: Generator, m: int, n: int, L: int, time: int, later: str, theta: float, rows: int
) -> Iterator[tuple[Forward, Forward, float, Array]]:
    """Of every sequence: the passes of W and of W_1, the norm of what is fresh in its state, and u in a set of neurons.

    W_1 is W less u v^T along the fresh direction v of that sequence, that of the first one by the frame. Nothing where
    a state adds nothing.
    """
    X, net = sequences(n, L, 3, rng, later), recurrent_network(3, m, 1, L, rng)
    before, W = forward(net, X), np.asarray(net.weights[0])
    frames = StateFrames(before)
    if not frames.leftover[:, time - 1].all():
        return
    for i, fresh in enumerate(frames.fresh(time)):
        v = fresh if i else frames.first_direction(time)
        first, u = redrawn(W, v, math.sqrt(2.0 / m) * rng.standard_normal(m), theta, np.arange(rows))
        yield before, forward(shifted(net, [first - W]), X), float(frames.leftover[i, time - 1]), u


@claim(
    "allenzhu2018rnn:lemma-E.5-revealed",
    title="states up to the time of the direction stay when a set of neurons draws again",
    bound="= 0",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(cells=ALONG, least=A_STATE, most=A_TIME | A_SET),
    evidence=Search(examples=2),
    controls=[
        control("states one time later", after=1, cells=ALONG[:1]),
        control("one time later, along the direction of the last sequence alone", after=1, alone=True, cells=ALONG[:1]),
        control("the last state of the last sequence twice as long", last=2.0, cells=ALONG[1:2]),
    ],
    blind=NOT_BUILT,
    note="each direction is orthogonal to all earlier states: v along (I - U_{l-1} U_{l-1}^T) h_{i,l}, l = l*; W v = "
    "sqrt(1 - theta^2) g_1 + theta g_2, u = W v - g_1",
)
def change_of_the_past_by_a_set(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    rows: int,
    *,
    after: int = 0,
    alone: bool = False,
    last: float = 1.0,
) -> Measured:
    """The largest change of an entry of a state up to time l*, W to W_1 = W - u v^T, u in a set, any sequence's v."""
    change, error = 0.0, 0.0
    for i, (before, moved, _, _) in enumerate(_along_each(rng, m, n, L, l, later, theta, rows)):
        times = range(1, l + 1 + (after if i == n - 1 or not alone else 0))
        past = ends_multiplied(moved, last).post
        change = max(change, *(float(np.abs(before.post[k] - past[k]).max()) for k in times))
        error = _rounding_of(before)
    return Measured(change, error=error)


# New randomness for the same v: as it is drawn, much larger, and along what W answers already.
XI = ("drawn", "far", "along")


def _new(known: Array, xi: str, rng: Generator) -> Array:
    """What is drawn for the answers of W to a direction, `known` (m,)."""
    drawn = math.sqrt(2.0 / len(known)) * rng.standard_normal(len(known))
    return {"drawn": drawn, "far": 100.0 * drawn, "along": 3.0 * known}[xi]


@claim(
    "allenzhu2018rnn:lemma-E.5-sum",
    title="W as the sum of W_2 and of what is drawn again in a set of neurons and in all others",
    bound="= 0",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(
        cells=[{name: value for name, value in cell.items() if name != "theta"} for cell in ALONG],
        draw={"theta": reals(1e-6, 1.0, logarithmic=True), "chosen": choices("first", "largest"), "xi": choices(*XI)},
        pinned=[{"theta": 0.3, "chosen": "largest", "xi": xi} for xi in XI],
        least=A_STATE,
        most=A_TIME | A_SET,
    ),
    evidence=Search(examples=3, adversary="theta from 10^-6 to 1; new randomness that is large, or along the old"),
    controls=[
        control("u without the pull of g_1", pull=0.0),
        control("101/100 of the part in N", of_set=1.01),
        control("without the part outside N", of_others=0.0),
        control("the last neuron of N in both sets", both=1),
    ],
    blind=NOT_BUILT,
    note="W_2 has g_1 along v, else W; it knows no u. Largest entry of what is off over that of u v^T; any i*, v along "
    "(I - U_{l-1} U_{l-1}^T) h_{i,l}, by Gram-Schmidt if 0; W v = sqrt(1 - theta^2) g_1 + theta g_2",
)
def what_the_three_parts_leave_of_W(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    rows: int,
    theta: float,
    chosen: str,
    xi: str,
    *,
    pull: float = 1.0,
    of_set: float = 1.0,
    of_others: float = 1.0,
    both: int = 0,
) -> Measured:
    """The largest entry of W_2 + u_N v^T + u_{-N} v^T - W, over that of u v^T, u = theta g_2 - (1 - root) g_1."""
    net, _, frames, first = _start(rng, m, n, L, l, later)
    W = np.asarray(net.weights[0])
    worst, error = 0.0, 0.0
    for v in (first, *(frames.fresh(l)[1:] if frames.leftover[:, l - 1].all() else ())):
        known = v @ W
        g_1, g_2 = split(known, _new(known, xi, rng), theta)
        u = theta * (g_2 - pull * _pull(theta) * g_1)
        order = np.argsort(-np.abs(u)) if chosen == "largest" else np.arange(m)
        inside, outside = np.zeros(m), np.full(m, of_others)
        inside[order[:rows]], outside[order[: rows - both]] = of_set, 0.0
        parts = [W - np.outer(v, known), np.outer(v, g_1), np.outer(v, inside * u), np.outer(v, outside * u)]
        size = float(np.abs(v).max() * np.abs(u).max())
        worst = max(worst, float(np.abs(sum(parts) - W).max()) / size)
        # A sum of few terms that are rounded themselves.
        error = max(error, rounding(sum(float(np.abs(part).max()) for part in (*parts, W)) / size, 32.0))
    return Measured(worst, error=error)


@claim(
    "allenzhu2018rnn:lemma-E.6-push",
    title="how far a part of the randomness moves a pre-activation: by the norm of what is fresh in the state",
    bound="= 0",
    premises=[
        "no more states than dimensions, so that there is a frame: m >= n*L",
        "what is left beside theta has a root; 1/(2 rho) at most in print: theta <= 1",
    ],
    regime=Regime(
        cells=[{**cell, "L": 4, "l": 3} for cell in ALONG[:2]] + [{**ALONG[2], "l": 30}],
        least=AND_THE_NEXT,
        most={**A_SET, "theta": 1},
    ),
    evidence=Search(examples=2),
    controls=[
        control("the norm of the state for that of what is fresh", whole=True),
        control("half of the change, of the last sequence alone", factor=0.5),
    ],
    blind=NOT_BUILT,
    note="an identity: the direction is orthogonal to what the frame has of the state. What moves a neuron across its "
    "kink in Appendix E.2; W_1 = W - u v^T, u in some neurons, v along that part",
)
def push_along_what_is_fresh(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    l: int,  # noqa: E741
    later: str,
    theta: float,
    rows: int,
    *,
    whole: bool = False,
    factor: float = 1.0,
) -> Measured:
    """The largest entry of the change of g_{i,l+1} from W_1 to W less ||(I - U_{l-1} U_{l-1}^T) h_{i,l}|| u, any i."""
    worst, error = 0.0, 0.0
    for i, (before, moved, norm, u) in enumerate(_along_each(rng, m, n, L, l, later, theta, rows)):
        size = float(np.linalg.norm(before.post[l][i])) if whole else norm
        change = (factor if i == n - 1 else 1.0) * (before.pre[l][i] - moved.pre[l][i])
        worst, error = max(worst, float(np.abs(change - size * u).max())), _rounding_of(before)
    return Measured(worst, error=error)
