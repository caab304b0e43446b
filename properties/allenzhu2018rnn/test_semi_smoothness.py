"""allenzhu2018rnn, Section 7 and Appendix G: how hidden states and the objective change in a step from any W^v.

Main claims: `recursion_of_the_change` of Claim G.2, exact, with `certified_change` and `most_corrections`;
`both_identities`, (7.1) and (7.2); `excess` of Theorem 4, and its term with kinks, by `excess_at_kinks`.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.constant import Constant
from nets import Array, Network, forward, operator_norm, random_perturbation, recurrent_network, shifted
from properties.allenzhu2018rnn.descent import gradient, objective
from properties.allenzhu2018rnn.forward_norms import ends_multiplied
from properties.allenzhu2018rnn.gate_corrections import ThreeNetworks, kinked
from properties.allenzhu2018rnn.perturbation import SEQUENCE_ATTACKS, attacked_sequences
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, choices, claim, control, grid, reals
from theory.evidence import Scaling, Search, Trials

LONG = grid(m=6, L=8, n=2, d=3, outputs=2)
TWO_STEPS = Regime(
    cells=[*grid(m=[6, 12], L=[2, 4], n=2, d=3, outputs=2), *LONG],
    thorough=grid(m=32, L=6, n=3, d=3, outputs=3),
    draw={
        "away": reals(1e-3, 10.0, logarithmic=True),
        "tau": reals(1e-3, 30.0, logarithmic=True),
        "attack": choices(*SEQUENCE_ATTACKS),
        "later": choices(*LATER),
    },
    pinned=[{"away": 1.0, "tau": 10.0, "attack": attack, "later": "drawn"} for attack in SEQUENCE_ATTACKS],
    least={"L": 2},  # at one time W acts on nothing
)
STEPS = Search(examples=4, adversary="steps that flip gates, move the last time, or are larger than W")


def _networks(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    away: float,
    tau: float,
    attack: str,
    later: str,
    part: float = 1.0,
) -> ThreeNetworks:
    """W^v at random at `away`/sqrt(m) from the start in norm, and `part` of an attack of `tau`/sqrt(m) on it."""
    net, X = recurrent_network(d, m, outputs, L, rng), sequences(n, L, d, rng, later)
    off = random_perturbation(net.weights[0], away / math.sqrt(m), rng, "gaussian")
    return ThreeNetworks.of(net, off, part * attacked_sequences(rng, shifted(net, (off,)), X, tau, attack).step, X)


def _spoilt(three: ThreeNetworks, factor: float) -> ThreeNetworks:
    """The networks where the last state of the last sequence at W is multiplied, which W' explains no longer."""
    return replace(three, shift=replace(three.shift, after=ends_multiplied(three.shift.after, factor)))


def _missed(
    three: ThreeNetworks, *, gates: str = "corrected", old: bool = False, first: int = 1, last: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """h_t - h^v_t less the sum (G.1) at all times, and what rounding explains: two arrays (L, n, m)."""
    shift = three.shift
    used = {
        "corrected": tuple(D + off for D, off in zip(three.gates, three.corrections, strict=True)),
        "before": three.gates,
        "of W": tuple((g >= 0.0) + off for g, off in zip(shift.after.pre, three.corrections, strict=True)),
    }[gates]
    fed, times = (shift.before if old else shift.after).post, range(1, shift.horizon + 1)
    missed = [shift.feature_change(t) - three.carried(used, fed, t, first=first, last=last) for t in times]
    return np.stack(missed), np.stack([shift.error(t) for t in times])


@claim(
    "allenzhu2018rnn:claim-G.2",
    bound="= 0",
    premises="none needed: an identity, at any weights, step and inputs",
    regime=TWO_STEPS,
    evidence=STEPS,
    controls=[
        control("corrections left out", gates="before"),
        control("corrections beside the gates of the other network", gates="of W"),
        control("states before the step", old=True),
        control("the last time left out", last=2),
        control("the first time left out", first=2),
        control("the last state of the last sequence twice as long", spoilt=2.0, cells=LONG),
    ],
    scope="part: the identity; the variants have the norms",
    note="D'' is that of Proposition G.3, relu(g) - relu(g^v) = (D^v + D'')(g - g^v): in [-1, 1], 0 where no gate "
    "turns; h is at W = W^v + W', h^v at W^v, a random step off the start; W' flips, drifts, overshoots or is random",
)
def recursion_of_the_change(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    away: float,
    tau: float,
    attack: str,
    later: str,
    *,
    gates: str = "corrected",
    old: bool = False,
    first: int = 1,
    last: int = 1,
    spoilt: float = 1.0,
) -> Measured:
    """All entries of h_l - h^v_l less the sum over a < l of (D^v_l + D''_l) W^v ... (D^v_{a+1} + D''_{a+1}) W' h_a."""
    three = _spoilt(_networks(rng, m, L, n, d, outputs, away, tau, attack, later), spoilt)
    missed, error = _missed(three, gates=gates, old=old, first=first, last=last)
    return Measured(missed, error=error, scale=float(three.shift.sizes[-1].max()))


@claim(
    "allenzhu2018rnn:claim-G.2-start",
    title="number of corrected gates by those that are not as at the start",
    bound="turned",
    premises="none needed: gates that differ from one another differ from a third one",
    measured=["turned"],
    regime=TWO_STEPS,
    evidence=STEPS,
    controls=[
        control("those of W alone", turned=(0, 1)),
        control("those of W^v alone", turned=(1, 0)),
        control("none at the last time of the last sequence", left=0, cells=LONG),
    ],
    idle={"part": 0.0},
    note="D'' is that of Proposition G.3, relu(g) - relu(g^v) = (D^v + D'')(g - g^v); W is W^v + W', W~ the start",
)
def corrections_since_the_start(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    away: float,
    tau: float,
    attack: str,
    later: str,
    *,
    turned: tuple[int, int] = (1, 1),
    part: float = 1.0,
    left: int = 1,
) -> Measured:
    """The number ||D''_{i,l}||_0, against turned, the gates of W^v and of W that are not as in W~, at all i and l."""
    three = _networks(rng, m, L, n, d, outputs, away, tau, attack, later, part)
    found = [np.count_nonzero(off, axis=1) for off in three.corrections]
    counts = turned[0] * three.turned("before") + turned[1] * three.turned("after")
    counts[-1, -1] *= left
    return Measured(np.stack(found, axis=1), error=0.0, symbols={"turned": counts})


@claim(
    "allenzhu2018rnn:claim-G.2-certified",
    title="change of the hidden states from the measured norms of the corrected products",
    bound="carried*omega",
    premises="none needed: measured norms replace those of the start",
    measured=["carried", "omega"],
    regime=TWO_STEPS,
    evidence=STEPS,
    controls=[
        control("the last time left out", last=2),
        control("order omega^2", bound="carried*omega**2"),
        control("the norm of the step with that of W^v", whole=False),
        control("the last state of the last sequence 1000 times as long", spoilt=1000.0, cells=LONG),
    ],
    idle={"part": 0.0},
)
def certified_change(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    away: float,
    tau: float,
    attack: str,
    later: str,
    *,
    last: int = 1,
    part: float = 1.0,
    whole: bool = True,
    spoilt: float = 1.0,
) -> Measured:
    """The norm ||h_{i,l} - h^v_{i,l}|| at all samples and times from 2 on, less what rounding explains.

    Here omega is ||W'||, carried the sum over a < l of ||(D^v_l + D''_l) W^v ... (D^v_{a+1} + D''_{a+1})|| ||h_a||,
    where relu(g) - relu(g^v) = (D^v + D'')(g - g^v), h and g at W^v + W'.
    """
    three = _spoilt(_networks(rng, m, L, n, d, outputs, away, tau, attack, later, part), spoilt)
    shift = three.shift
    W, states = shift.net.stored_weights()[0], shift.after.post
    found, sums = [], []
    for i in range(n):
        for t in range(2, L + 1):
            product, total = np.eye(m), 0.0
            for a in range(t - 1, 0, -1):
                product = (three.gates[a][i] + three.corrections[a][i])[:, np.newaxis] * product
                total += operator_norm(product) * float(np.linalg.norm(states[a][i])) if a <= t - last else 0.0
                product = W @ product
            sums.append(total)
            change = float(np.linalg.norm(shift.feature_change(t)[i]))
            found.append(max(change - float(np.linalg.norm(shift.error(t)[i])), 0.0))
    omega = operator_norm(shift.step) if whole else operator_norm(shift.step) ** 2 / operator_norm(W)
    return Measured(np.array(found), symbols={"carried": np.array(sums), "omega": omega})


@claim(
    "allenzhu2018rnn:claim-G.2-norm",
    title="change of the hidden states, exponents of the step and of the horizon",
    bound="C*L**9*omega",
    premises=[
        "step small against the weights and the horizon, as in Lemma C.7: omega*L**2 <= 2",
        "width against horizon, as W enters by its powers: m >= 4*L**2",
    ],
    regime=Regime(
        calibration=grid(m=[128, 512], L=[2, 3], omega=[1e-7, 1e-3]),
        cells=grid(m=[1024, 4096], L=[2, 8], omega=[1e-8, 1e-3]),
        thorough=grid(m=20000, L=[2, 8], omega=[1e-8, 0.03]),
        least={"L": 2},
    ),
    evidence=Scaling(
        {"m": "equal", "omega": "equal", "L": "at most"},
        constant="C",
        replicates=lambda m: 20 if m < 1000 else 6,
        margin=1.3,
        resolution=0.05,
    ),
    controls=[
        control("order 1/sqrt(m), as (4.1) has it", bound="C*L**9/sqrt(m)"),
        control("order omega^(2/3)", bound="C*L**9*omega**(2/3)"),
        control("exponent -1/4 of the width", bound="C*L**9*omega/m**(1/4)"),
        control("a step above the weights", cells=grid(m=128, L=3, omega=1000.0), without="omega*L**2 <= 2"),
    ],
    blind={"premise m >= 4*L**2": "L^9 leaves it up to thousands of times"},
    note="l = L, later inputs the first again, steps by polar factors: they reach some (L - 1)^2, far below L^9",
)
def change_by_the_step(rng: Generator, m: int, L: int, omega: float) -> float:
    """The norm ||h_L - h^v_L|| of one sequence, W^v at the start, after an attack of norm omega that moves g_L far."""
    net = recurrent_network(4, m, 1, L, rng, stored=0)
    shift = attacked_sequences(rng, net, sequences(1, L, 4, rng, "repeated"), omega * math.sqrt(m), "drift", sweeps=2)
    return float(np.linalg.norm(shift.feature_change(L)))


@claim(
    "allenzhu2018rnn:claim-G.2-flips",
    title="largest number of corrected gates, exponents of radius and width",
    bound="C*(tau*m)**(2/3)",
    premises=[
        "radius, of W^v and of W', from where several gates turn, ours: tau*m >= 40",
        "radius to which the gates that turn are near their kinks, ours: 10*tau <= sqrt(m)",
    ],
    ceiling="m + 1",
    regime=Regime(
        calibration=grid(m=[300, 1200], tau=[0.15, 0.5, 1.5]),
        cells=grid(m=[5000, 20000], tau=[0.15, 0.5, 1.5]),
        thorough=grid(m=10**6, tau=[0.15, 1.5]),
    ),
    evidence=Scaling(
        {"m": "equal", "tau": "equal"},
        constant="C",
        replicates=lambda m: 50 if m < 5000 else 10 if m < 10**5 else 1,
        margin=1.3,
    ),
    controls=[
        control("exponent 1/2 of both", bound="C*sqrt(tau*m)"),
        control("exponent 4/5 of the width", bound="C*m**(4/5)*tau**(2/3)"),
        control("exponent 1 of the radius", bound="C*m**(2/3)*tau"),
        control("steps without an aim", attack="random"),
    ],
    blind={
        "premise m*tau >= 40": "of fewer most starts turn none, which is no order",
        "premise 10*tau <= sqrt(m)": "beyond it all gates turn, the ceiling",
    },
    note="without the print's power of L: one sequence, L = 2. W^v takes the smallest pre-activations g half of the "
    "way to their kinks, W' the rest: no such pair turns more. relu(g) - relu(g^v) = (D^v + D'')(g - g^v)",
)
def most_corrections(rng: Generator, m: int, tau: float, *, attack: str = "flips") -> float:
    """One more than ||D''_{i,2}||_0, the corrected gates at time 2, ||W^v - W~|| and ||W'|| at most tau/sqrt(m)."""
    net, X = recurrent_network(4, m, 1, 2, rng, stored=0), sequences(1, 2, 4, rng, "repeated")
    half = 0.5 * attacked_sequences(rng, net, X, 2.0 * tau, attack, sweeps=1).step
    return float(np.count_nonzero(ThreeNetworks.of(net, half, half, X).corrections[1])) + 1.0


@claim(
    "allenzhu2018rnn:eq-7.1-7.2",
    bound="= 0",
    premises="none needed: identities, at any weights, step, inputs and targets",
    regime=TWO_STEPS,
    evidence=STEPS,
    controls=[
        control("(7.2) with f and its gradient at W, as printed", printed=True),
        control("squared changes without their half", square=1.0),
        control("(7.1) with the states before the step", old=True),
        control("(7.1) with the gates before alone", gates="before"),
        control("residuals after the step", after=True),
    ],
    note="W = W^v + W'. (7.1): h - h^v as the sum of W' h_a through W^v and D^v + D'', where relu(g) - relu(g^v) = "
    "(D^v + D'')(g - g^v). (7.2): f(W) - f(W^v) - <grad f(W^v), W'> as sum <loss^v, B (h-h^v - first order)> + "
    "||B (h-h^v)||^2/2",
    scope="repaired: (7.2) with f and its gradient at W^v, where W is printed",
)
def both_identities(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    away: float,
    tau: float,
    attack: str,
    later: str,
    *,
    printed: bool = False,
    square: float = 0.5,
    old: bool = False,
    gates: str = "corrected",
    after: bool = False,
) -> Measured:
    """The left less the right side of (7.1), at all samples and times, and of (7.2)."""
    three = _networks(rng, m, L, n, d, outputs, away, tau, attack, later)
    missed, error = _missed(three, gates=gates, old=old)
    shift, targets = three.shift, rng.standard_normal((n, L, outputs))
    base, passed = (shift.moved, shift.after) if printed else (shift.net, shift.before)
    along = float(np.sum(gradient(base, passed, targets)[0] * shift.step))
    gain = objective(shift.after.output, targets) - objective(passed.output, targets) - along
    residuals = (shift.after if after else shift.before).output - targets
    sizes = np.stack([size @ np.abs(shift.net.v) for size in shift.sizes], axis=1) + np.abs(targets)
    share = max(float((shift.error(t) / shift.sizes[t - 1]).max()) for t in range(1, L + 1))
    slack = 8.0 * (L + 2) * share * float(np.sum(sizes**2))
    return Measured(
        np.append(missed, gain - three.remainder(residuals, square=square)),
        error=np.append(error, slack),
        scale=float(np.sum(sizes**2)),
    )


class _Tried(NamedTuple):
    """A step that is tried: its norm, and that of the one residual. Without a residual it goes along the gradient."""

    omega: float
    size: float


# Residuals large and small against the step, and squares alone, at norms that tell omega from its powers.
TRIED = (_Tried(1e-6, 1.0), _Tried(1e-9, 1e-3), _Tried(1e-8, 0.0), _Tried(1e-4, 0.0))


def _excess(net: Network, X: Array, tau: float, tried: _Tried, along: Array, *, aimless: bool) -> float:
    """The excess f(W^v + W') - f(W^v) - <grad f(W^v), W'>, one output, ||W'|| = omega.

    With a residual, one of norm `size`, W^v is at its kinks, and W' takes neurons across, or goes along `along`, of
    norm 1, if it is without an aim. Without, W^v is the start, and W' goes along it.
    """
    still, residuals = np.zeros_like(along), np.zeros((*X.shape[:2], 1))
    residuals[0, 1] = tried.size
    if tried.size:
        three = kinked(net, X, residuals[0, 1], tau, tried.omega)
        net = three.shift.net
    if aimless or not tried.size:
        three = ThreeNetworks.of(net, still, tried.omega * along, X)
    return max(three.remainder(residuals), 0.0)


ONE_HORIZON = "one horizon; its power comes from the proof alone, see the variants on orders"
WITH_KINKS = "C1*L**11*m**(1/3)*n**11*omega*outputs**11*tau**(1/3)*worst*log(m)**11"
FEW = {"L": 2, "n": 1, "outputs": 1, "tau": 4.0, "delta": 0.05}
KINKS_UNSEEN = dict.fromkeys(
    (f"{at} {WITH_KINKS}" for at in ("m in m**(1/3) of", "m in log(m)**11 of", "n in", "tau in")),
    "the variant kinks fits m and tau, and no power of rho is needed",
)


OF_THEOREM_4 = {
    "C1": (Rational(1, 10**9), "hidden in the paper; more than kinks reach at the sizes tested"),
    "C2": Constant.above(Rational(1, 2**18), attacked=2.48e-6, why="steps along the gradient at L = 2 and n = 1"),
}


# The premises. At two times the squares are n ||B||^2 ||h_1||^2 omega^2/2 at most, which passes n m omega^2 with the
# chance n exp(-m/25), by the laws of ||B|| and ||h_1||. Of (tau m)^(2/3) neurons at kinks, up to a constant, four times
# as many come with the chance exp(-5/2 (tau m)^(2/3)).
@claim(
    "allenzhu2018rnn:theorem-4-restated",
    bound="C1*(n*L*outputs*log(m))**11*(tau*m)**(1/3)*worst*omega + C2*L**18*n*m*omega**2",
    constants=OF_THEOREM_4,
    premises=[
        "width against samples and level, for norms of B and of first states (25), and for rho^11 with its constant "
        "(32, ours); omega may exceed tau/sqrt(m), print's bound: m >= 32 + 25*log(2*n/delta)",
        "neurons at kinks in number, against the level (ours) [Lemma C.2]: tau*m >= log(1/delta)**(3/2)",
    ],
    measured=["worst", "omega"],
    regime=Regime(
        cells=[
            {"m": m, "L": 2, "n": n, "outputs": 1, "tau": tau, "delta": 0.05 if m == 125 else 0.4}
            for m, n, tau in [(76, 1, 1.0), (125, 1, 0.3), (96, 2, 1.0), (400, 1, 0.01), (144, 16, 1.0)]
        ],
        thorough=grid(m=1024, L=3, n=2, outputs=1, tau=[0.1, 1.0], delta=0.4),
        least={"L": 2},
        most={"L": 3, "outputs": 1},
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("a twentieth", part=20.0),
        control("two neurons", cells=[{**FEW, "m": 2}], without="m >= 32 + 25*log(2*n/delta)"),
        control(
            "the term with kinks of order omega^2",
            bound="C1*(n*L*outputs*log(m))**11*(tau*m)**(1/3)*worst*omega**2 + C2*L**18*n*m*omega**2",
        ),
        control(
            "the square of the residual",
            bound="C1*(n*L*outputs*log(m))**11*(tau*m)**(1/3)*worst**2*omega + C2*L**18*n*m*omega**2",
        ),
    ],
    scope="part: one output, L = 2 or 3, inputs repeated, W^v and W' of two attacks, where print has all",
    note="C1 = 10^(-9), C2 = 2^(-18). Kinks: one residual, W^v has neurons at kinks, W' takes them across. Or W^v is "
    "the start, without residuals, W' along the gradient of the outputs' sum. rho^11 and L^18: see the orders",
    blind={
        **KINKS_UNSEEN,
        "L": ONE_HORIZON,
        "outputs": "one output: as many as rho counts make no step gain more",
        "premise m*tau >= log(1/delta)**(3/2)": "a neuron is at its kink then too rarely for any number of trials",
    },
    idle={"aimless": True},
)
def excess(
    rng: Generator, m: int, L: int, n: int, outputs: int, tau: float, *, part: float = 1.0, aimless: bool = False
) -> Measured:
    """The f(W^v + W') - f(W^v) - <grad f(W^v), W'>, ||W'|| = omega, W^v within tau/sqrt(m), worst: max ||loss^v||, of
    two attacks on one start, at two norms omega each."""
    net, X = recurrent_network(4, m, 1, L, rng, stored=math.inf), sequences(n, L, 4, rng, "repeated")
    if aimless:
        along = np.asarray(random_perturbation(net.weights[0], 1.0, rng, "rank_one"))
    else:
        passed = forward(net, X)
        G = gradient(net, passed, passed.output - 1.0)[0]
        # Of outputs that do not depend on W there is no gradient to go along.
        along = quotients(G, operator_norm(G))
    found = np.array([_excess(net, X, tau, tried, along, aimless=aimless) for tried in TRIED])
    omegas, sizes = np.array(TRIED).T
    return Measured(part * found, symbols={"worst": sizes, "omega": omegas})


SHORT = "20*omega*(tau*m)**(1/3) <= worst"


@claim(
    "allenzhu2018rnn:theorem-4-restated-kinks",
    title="what a step from kinks gains beyond first order, exponents of step, radius and width",
    bound="C*(tau*m)**(1/3)*worst*omega",
    premises=[
        "width against radius, so that neurons reach their kinks in number, and few of all (ours): "
        "m >= Max(100/tau, 36*tau**2)",
        "steps so small against the residual that squares do not count (ours): 20*omega*(tau*m)**(1/3) <= worst",
    ],
    regime=Regime(
        calibration=grid(m=[1500, 6000], tau=[0.15, 1.0, 6.0], worst=[0.001, 1000.0], omega=1e-6),
        cells=grid(m=[10000, 80000], tau=[0.1, 16.0], worst=1.0, omega=[1e-8, 1e-5]),
        thorough=grid(m=10**6, tau=[0.1, 16.0], worst=1.0, omega=[1e-8, 1e-6]),
    ),
    evidence=Scaling(
        {"m": "equal", "tau": "equal", "worst": "equal", "omega": "equal"},
        constant="C",
        replicates=lambda m: 96 if m < 10000 else 16 if m < 10**6 else 1,
        margin=1.3,
        resolution=0.02,
    ),
    controls=[
        control("order omega^(4/3)", bound="C*(tau*m)**(1/3)*worst*omega**(4/3)"),
        control("exponent 5/12 of the radius", bound="C*m**(1/3)*tau**(5/12)*worst*omega"),
        control("a step of norm 100", cells=grid(m=1500, tau=0.2, worst=1.0, omega=100.0), without=SHORT),
    ],
    blind={
        "premise m >= Max(100/tau, 36*tau**2)": "where one neuron at most is reached, or half of all, there is no order"
    },
    note="L = 2, n = outputs = 1, input repeated, worst the one residual; linear in omega near 0: the term is needed",
)
def excess_at_kinks(rng: Generator, m: int, tau: float, worst: float, omega: float) -> float:
    """The f(W^v + W') - f(W^v) - <grad f(W^v), W'>, W^v at kinks within tau/sqrt(m), W' of norm omega across them."""
    net, X = recurrent_network(4, m, 1, 2, rng, stored=0), sequences(1, 2, 4, rng, "repeated")
    residuals = np.zeros((1, 2, 1))
    residuals[0, 1] = worst
    return max(kinked(net, X, residuals[0, 1], tau, omega).remainder(residuals), 0.0)


@claim(
    "allenzhu2018rnn:theorem-4-restated-on-kinks",
    title="excess of neurons on their kinks, linear in the step, in exact arithmetic",
    kind="deterministic",
    bound="= carried*worst*omega",
    premises="none needed: an instance in fractions",
    regime=Regime(cells=grid(m=[1, 4, 16], worst=[0.5, 3], k=[1, 10, 30]), derived={"omega": lambda k: 2.0**-k}),
    measured=["carried"],
    evidence=Search(examples=1),
    controls=[control("gates closed at 0", open_at_kink=False)],
    note="h_1 is 3/4 in all neurons, those of time 2 are at 0, every entry of W' is -omega/m (norm omega, along B and "
    "h_1), which takes them below it; the residual, at time 2, is positive: f stays, its linear part falls. carried is "
    "||B|| ||h_1||",
)
def excess_of_neurons_on_kinks(
    rng: Generator, m: int, worst: float, omega: float, *, open_at_kink: bool = True
) -> Measured:
    """The excess f(W^v + W') - f(W^v) - <grad f(W^v), W'>, one sequence at two times, B of ones, worst the residual."""
    loss, size = Fraction(worst), Fraction(omega)
    state = [Fraction(3, 4)] * m
    W = [[Fraction(int(entry), 4) for entry in row] for row in rng.integers(-8, 9, (m, m))]
    # A x_2 takes every neuron to its kink; the target leaves the residual.
    fed = [-sum((w * h for w, h in zip(row, state, strict=True)), Fraction(0)) for row in W]
    step = -size / m  # of every entry of W', whose operator norm is then the size
    before = [sum((w * h for w, h in zip(row, state, strict=True)), own) for row, own in zip(W, fed, strict=True)]
    after = [g + step * sum(state) for g in before]
    target = sum(max(g, Fraction(0)) for g in before) - loss
    values = [(sum(max(g, Fraction(0)) for g in pre) - target) ** 2 / 2 for pre in (before, after)]
    along = sum(loss * step * sum(state) for g in before if (g >= 0 if open_at_kink else g > 0))
    return Measured(float(values[1] - values[0] - along), error=0.0, symbols={"carried": float(m * state[0])})
