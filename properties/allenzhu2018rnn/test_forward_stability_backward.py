"""allenzhu2018rnn, Appendices C.2 and C.3: products of layers and rows that go backward, under perturbation.

Main claims: `perturbed_products` (Lemma C.7), `corrupted_products` (Claim C.8), `backward_differences` (Lemma C.9);
`backward_change_by_flips` and `backward_change_by_the_step`, the exponents of its parts (a) and (c).
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.bound import Constant
from nets import forward, operator_norm, outer, recurrent_network
from properties.allenzhu2018rnn.corrupted_products import largest_corrupted_norm, largest_span_norm, stretched
from properties.allenzhu2018rnn.perturbation import RecurrentShift, attacked_sequences, flips_at_all_times
from properties.allenzhu2018rnn.products import back_rows, gates_multiplied
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.shared.quotients import quotients
from theory.claims import Regime, claim, control, form, grid
from theory.evidence import Scaling, Trials

# Up to so many entries W is stored: of small ones that is quicker.
SMALL = 2**16

FITTED = {"C": (1, "fitted on the calibration cells")}

# At one time W acts on nothing, and constants are for powers of the number of times from two on.
TWO_TIMES = {"L": 2}

# What is divided by the logarithm of the width takes one above 0.
LOGARITHM = {"m": 2}


def _pushed(
    rng: Generator, m: int, L: int, outputs: int, tau: float, attack: str, later: str, *, sweeps: int = 0
) -> RecurrentShift:
    """A network under an attack; "push" moves the first output of the last time, to first order the farthest.

    "all times" turns gates at each of them, other attacks at the last one.
    """
    net = recurrent_network(4, m, outputs, L, rng, stored=SMALL)
    X = sequences(1, L, 4, rng, later)
    if attack == "all times":
        return flips_at_all_times(net, X, tau)
    if attack != "push":
        return attacked_sequences(rng, net, X, tau, attack, sweeps=sweeps or L - 1)
    start = forward(net, X)
    # Each 0 where it has no direction: no W' moves what follows a state of 0, or is read through closed gates.
    state, read = start.post[L - 1][0], net.v[:, 0] * start.masks[-1][0]
    left, right = (quotients(v, np.linalg.norm(v)) for v in (state, read))
    return RecurrentShift.of(net, outer(net.weights[0], left[np.newaxis], tau / math.sqrt(m) * right[np.newaxis]), X)


def _spoilt(shift: RecurrentShift, wide: float) -> RecurrentShift:
    """The shift whose gates of the first time, after the perturbation, are multiplied: products from it on."""
    return replace(shift, after=gates_multiplied(shift.after, 1, wide))


def _differences(shift: RecurrentShift, last: int) -> Iterator[dict[str, float]]:
    """The norms of (a) to (d) of Lemma C.9, over all a of norm 1, for the times b..last, b = last, ..., 1."""
    W, moved = shift.W, shift.moved.weights[0]
    old = flipped = both = stepped = np.ascontiguousarray(shift.net.v.T)
    for time in range(last - 1, -1, -1):
        before, after = [shift.before.masks[time][0]], [shift.after.masks[time][0]]
        old, flipped = back_rows(old, W, before), back_rows(flipped, W, after)
        both, stepped = back_rows(both, moved, after), back_rows(stepped, moved, before)
        pairs = {"a": (old, flipped), "b": (flipped, both), "c": (old, stepped), "d": (stepped, both)}
        yield {name: operator_norm(one - other) for name, (one, other) in pairs.items()}


# Up to so many neurons products of all spans of times are multiplied out.
ALL_SPANS = 512

FEW_FACTORS = "tau*L**2 <= 2*sqrt(m)"
HALF_AS_MANY = "tau*L**2 <= sqrt(m)"
POWERS = "m >= L**2*log(1/delta)"


@claim(
    "allenzhu2018rnn:lemma-C.7",
    bound="C*L**7",
    constants={"C": Constant.above(Rational(1, 16), attacked=0.048, why="hidden in the paper: two times, 500 starts")},
    premises=[
        "radius small against width and horizon, so that L factors W' add little: tau*L**2 <= 2*sqrt(m)",
        "width against horizon and level, as W~ enters by its powers (1 is ours): m >= L**2*log(1/delta)",
        "level of the constant, which rarer failures exceed: delta >= 1/20",
    ],
    regime=Regime(
        cells=[
            {"m": 16, "L": 2, "tau": 1.0, "delta": 0.05},
            {"m": 64, "L": 4, "tau": 1.0, "delta": 0.4},
            {"m": 64, "L": 8, "tau": 0.25, "delta": 0.4},
        ],
        thorough=[{"m": 256, "L": 5, "tau": 1.0, "delta": 0.4}],
        least=TWO_TIMES,
    ),
    evidence=Trials(rate="delta", budget=60, dear=True),
    controls=[
        control("an eighth", bound="L**7/128"),
        control("exponent 1", bound="L/16"),
        control("a perturbation 10^4 times as large", part=1e4),
        control(
            "a radius beyond the width", cells=[{"m": 16, "L": 2, "tau": 60.0, "delta": 0.05}], without=FEW_FACTORS
        ),
    ],
    blind={
        "L": "norms grow with a power of the horizon that is far below 7: sharp sees it",
        f"premise {POWERS}": "of 8 neurons one in four exceeds it at 100 times, which are dear: sharp sees it",
        "premise delta >= 1/20": "it serves the constant alone, at two times and few neurons",
    },
    note="no evidence for L^7, which leaves too much room: sharp. Products at the start are as large. W' turn gates, "
    "move g_L or lie along singular vectors, one sequence. Print: varrho^-100 <= tau <= varrho^100, chance "
    "e^(-Omega(L^6 tau^(4/3) m^(1/3)))",
)
@form(
    "sharp",
    title="spectral norm of intermediate products after a perturbation, order of that at the start",
    bound="C*sqrt(L)",
    constants={"C": (4, "sqrt(2 e) = 2.33 in the limit; at the least widths powers of one W grow by up to e^(1/2)")},
    premises=[
        "radius small against width and horizon, so that L factors W' add little: tau*L**2 <= sqrt(m)",
        "width against horizon and level [Lemma B.11], as W~ enters by its powers: m >= 8*L**2*log(L/delta)",
    ],
    regime=Regime(
        cells=[
            {"m": 128, "L": 2, "tau": 2.8, "delta": 0.4},
            {"m": 160, "L": 3, "tau": 1.4, "delta": 0.4},
            {"m": 784, "L": 6, "tau": 0.77, "delta": 0.4},
        ],
        thorough=[{"m": 512, "L": 5, "tau": 0.9, "delta": 0.4}],
        least=TWO_TIMES,
    ),
    controls=[
        control("half", bound="2*sqrt(L)"),
        control(
            "a radius beyond the width", cells=[{"m": 128, "L": 2, "tau": 60.0, "delta": 0.4}], without=HALF_AS_MANY
        ),
        control(
            "8 neurons, 20 times",
            cells=[{"m": 8, "L": 20, "tau": 1e-3, "delta": 0.01}],
            without="m >= 8*L**2*log(L/delta)",
        ),
    ],
    blind={},
    note="as Lemma B.11 at the start, whose limit is sqrt(2 e L); W' turn gates, move g_L or lie along singular "
    "vectors; one sequence. These come to 0.85 of the bound at two times, at twice the radius to 1.1, in the limit",
)
def perturbed_products(rng: Generator, m: int, L: int, tau: float, *, part: float = 1.0) -> float:
    """The largest operator norm of D_l V ... D_b V, V = W~ or W~ + W', over all b <= l, D the gates of W~ + W'.

    Of more than `ALL_SPANS` neurons the product of all times alone is asked for, and W' lies along singular vectors.
    """
    net = recurrent_network(4, m, 1, L, rng, stored=math.inf)
    X = sequences(1, L, 4, rng, str(rng.choice(LATER)))
    largest = stretched(net, X, part * tau / math.sqrt(m), rng.standard_normal(m))
    for attack in ("flips", "drift") if m <= ALL_SPANS else ():
        shift = attacked_sequences(rng, net, X, part * tau, attack, sweeps=2)
        gates = [mask[0] for mask in shift.after.masks]
        for W in (net.weights[0], shift.moved.weights[0]):
            largest = largest_span_norm(W, gates, largest)
    return largest


PROVED = "4*L**2*(s*log(m) + 4*log(1/delta)) <= 25*m"


@claim(
    "allenzhu2018rnn:claim-C.8",
    bound="C*L**7",
    constants={"C": Constant.above(Rational(1, 6), attacked=0.124, why="hidden: two times, at the least widths")},
    premises=(
        "width against sparsity and horizon [proof of Claim C.8]: what each changed diagonal adds is small; the widths "
        "at which the proof works, for this level (4 is ours): 4*L**2*(s*log(m) + 4*log(1/delta)) <= 25*m"
    ),
    regime=Regime(
        cells=[
            {"m": 64, "L": 2, "s": 2, "delta": 0.4},
            {"m": 64, "L": 2, "s": 16, "delta": 0.4},
            {"m": 64, "L": 4, "s": 4, "delta": 0.4},
            {"m": 144, "L": 8, "s": 2, "delta": 0.4},
        ],
        thorough=[{"m": 400, "L": 4, "s": 25, "delta": 0.4}],
        least=TWO_TIMES,
        most={"s": "m"},
    ),
    evidence=Trials(rate="delta", budget=60, dear=True),
    controls=[
        control("a fourth", bound="L**7/24"),
        control("changes of size 100", size=100.0),
        control(
            "as many times as widths do not bear", cells=[{"m": 64, "L": 48, "s": 16, "delta": 0.4}], without=PROVED
        ),
    ],
    note="one sequence, l = L and b = 1; s is s^2 m^(2/3) in print. A gate may be -1 or 2, taken best for the top "
    "singular pair. At fixed width the norm grows exponentially with L: sharp. Print: chance e^(-Omega(s log(m)^2))",
)
@form(
    "sharp",
    title="spectral norm of products with changed gates, a factor for each of them",
    bound="C*sqrt(L)*(1 + 3*sqrt(s*log(m))/(2*sqrt(m)))**L",
    constants={
        "C": Constant.above(
            3,
            attacked=2.31,
            seeds="0 to 199",
            why="99 of 100 starts, 64 neurons, two times; rare ones 2.8, and at eight times one in 200 exceeds it",
        )
    },
    premises=(
        "width against horizon and level: of repeated inputs the product is a power of one matrix: "
        "2*m >= L**2*log(1/delta)**2"
    ),
    regime=Regime(
        cells=[
            {"m": 64, "L": 2, "s": 2, "delta": 0.4},
            {"m": 64, "L": 2, "s": 16, "delta": 0.4},
            {"m": 64, "L": 4, "s": 2, "delta": 0.4},
            {"m": 64, "L": 8, "s": 16, "delta": 0.4},
            {"m": 128, "L": 16, "s": 2, "delta": 0.4},
        ],
        thorough=[{"m": 512, "L": 32, "s": 6, "delta": 0.4}],
        least=TWO_TIMES,
        most={"s": "m"},
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("a fourth", bound="3/4*sqrt(L)*(1 + 3*sqrt(s*log(m))/(2*sqrt(m)))**L"),
        control("L^7 for the factors, a hundredth", bound="L**7/100"),
        control("half of what a change adds", bound="3*sqrt(L)*(1 + 3*sqrt(s*log(m))/(4*sqrt(m)))**L"),
        control("changes of size 100", size=100.0),
        control(
            "eight neurons, 64 times",
            cells=[{"m": 8, "L": 64, "s": 1, "delta": 0.05}],
            without="2*m >= L**2*log(1/delta)**2",
        ),
    ],
    note="a changed place adds the norm of a few rows of W, sqrt(s log(m)/m). So L^7 needs widths at which L "
    "times that is of the order log L: at those of the paper",
    blind={
        "L in sqrt(L)": "from 2 to 16 times it grows by 2.8, and most networks stay further below the bound",
        "m": "it stands with s and its logarithm alone",
    },
)
def corrupted_products(rng: Generator, m: int, L: int, s: int, *, size: float = 1.0) -> float:
    """A large norm of (D_L + D'_L) W ... (D_1 + D'_1) W, one sequence, over diagonal D'_l with s entries of 1 or -1."""
    net = recurrent_network(4, m, 1, L, rng, stored=math.inf)
    gates = [mask[0] for mask in forward(net, sequences(1, L, 4, rng, str(rng.choice(LATER)))).masks]
    return size * largest_corrupted_norm(net.stored_weights()[0], gates, s)


NEAR = "tau*L**2 <= sqrt(m)"
WIDER = [{"m": 400, "L": 2, "outputs": 1, "tau": 0.1, "delta": 0.4}]


@claim(
    "allenzhu2018rnn:lemma-C.9",
    bound="C",
    constants={"C": Constant.above(Rational(1, 50), attacked=0.0103, why="hidden in the paper: two times, one output")},
    premises=[
        "radius small against width and horizon, so that W' does not meet its own change: tau*L**2 <= sqrt(m)",
        "width against horizon and level [Lemma B.11], as W~ enters by its powers (5 is ours): "
        "m >= 5*L**2*log(L/delta)",
        "gates turned in number, against the level (ours): tau*m >= log(1/delta)**(3/2)",
    ],
    regime=Regime(
        cells=[
            {"m": 80, "L": 2, "outputs": 4, "tau": 1.0, "delta": 0.05},
            {"m": 256, "L": 3, "outputs": 2, "tau": 0.1, "delta": 0.4},
            {"m": 192, "L": 4, "outputs": 2, "tau": 0.1, "delta": 0.4},
        ],
        thorough=[{"m": 10**4, "L": 4, "outputs": 2, "tau": 1.0, "delta": 0.4}],
        least=TWO_TIMES | LOGARITHM,
    ),
    evidence=Trials(rate="delta", budget=60),
    idle={"part": 0.0},
    controls=[
        control("a tenth", bound="1/1000"),
        control("parts (a) and (d) without m^(1/3)", power=0.0, cells=WIDER),
        control("a perturbation 10^4 times as large", part=1e4),
        control("new gates of the first time 10^4 for 1", wide=1e4, cells=[{**WIDER[0], "m": 80, "delta": 0.05}]),
        control("a radius beyond the width", cells=[{**WIDER[0], "tau": 1e6}], without=NEAR),
    ],
    blind={
        "premise m >= 5*L**2*log(L/delta)": "the other two leave it room at hundreds of times alone",
        "premise m*tau >= log(1/delta)**(3/2)": "a neuron is at its kink then too rarely for any number of trials",
    },
    note="(a), (d): by gates, W~ or W, L^6 log(m) (tau m)^(1/3); (b), (c): by W', gates after or before, tau L^15, tau "
    "L^7. All b <= l, one sequence. Print: tau within varrho^(+-100), chance e^(-Omega(L^6 tau^(4/3) m^(1/3))). No "
    "evidence for powers of L: sharp",
)
def backward_differences(
    rng: Generator,
    m: int,
    L: int,
    outputs: int,
    tau: float,
    *,
    part: float = 1.0,
    power: float = 1.0 / 3.0,
    wide: float = 1.0,
) -> float:
    """The largest operator norm of a change of B D_l W ... D_b W over its order, W' turn gates or push one output."""
    by_gates = tau ** (1.0 / 3.0) * L**6 * math.log(m) * m**power
    orders = {"a": by_gates, "b": tau * L**15, "c": tau * L**7, "d": by_gates}
    later, found = str(rng.choice(LATER)), []
    for attack in ("flips", "push"):
        shift = _spoilt(_pushed(rng, m, L, outputs, part * tau, attack, later), wide)
        for last in range(1, L + 1):
            for norms in _differences(shift, last):
                found += [norm / orders[name] for name, norm in norms.items()]
    return max(found)


@claim(
    "allenzhu2018rnn:lemma-C.9-sharp",
    title="change of backward rows by turned gates and by the perturbation, with the root of the horizon",
    bound="C*sqrt(acts)",
    constants={"C": (2, "flips make 1.4 in the limit at two times, a push 0.8; some more at more times")},
    premises=[
        "radius small against width and horizon, so that W' does not meet its own change: tau*L**2 <= sqrt(m)",
        "width against horizon and level [Lemma B.11], as W~ enters by its powers: m >= 8*L**2*log(L/delta)",
        "gates turned in number, so that their count keeps to its mean (20 is ours): tau*m >= 20*log(1/delta)**(3/2)",
    ],
    regime=Regime(
        cells=[
            {"m": 128, "L": 2, "outputs": 2, "tau": 1.0, "delta": 0.4},
            {"m": 304, "L": 4, "outputs": 2, "tau": 0.3, "delta": 0.4},
            {"m": 2576, "L": 10, "outputs": 2, "tau": 0.1, "delta": 0.4},
        ],
        thorough=[{"m": 4096, "L": 8, "outputs": 2, "tau": 0.5, "delta": 0.4}],
        derived={"acts": lambda L: L - 1},
        least=TWO_TIMES,
    ),
    evidence=Trials(rate="delta", budget=60, dear=True),
    idle={"part": 0.0},
    controls=[
        control("half", bound="sqrt(acts)"),
        control(
            "new gates of the first time 10 for 1",
            wide=10.0,
            cells=[{"m": 128, "L": 2, "outputs": 2, "tau": 1.0, "delta": 0.05}],
        ),
        control(
            "a radius beyond the width",
            cells=[{"m": 304, "L": 4, "outputs": 2, "tau": 300.0, "delta": 0.4}],
            without=NEAR,
        ),
        control(
            "one gate at most",
            cells=[{"m": 192, "L": 2, "outputs": 32, "tau": 1.4e-3, "delta": 0.01}],
            without="tau*m >= 20*log(1/delta)**(3/2)",
        ),
    ],
    blind={"premise m >= 8*L**2*log(L/delta)": "the other two leave it room at hundreds of times alone"},
    note="acts is L - 1; L^6 log m, L^15, L^7 in print. One sequence, from each time to the last one; W' turn gates of "
    "the last time or of all, or push the first output",
)
def backward_differences_sharp(
    rng: Generator, m: int, L: int, outputs: int, tau: float, *, part: float = 1.0, wide: float = 1.0
) -> float:
    """The largest norm of a change of B D_L W ... D_b W, b <= L: by gates, over (tau m)^(1/3), (a), (d); by W', tau."""
    orders = {**dict.fromkeys("ad", (tau * m) ** (1.0 / 3.0)), **dict.fromkeys("bc", tau)}
    later, found = str(rng.choice(LATER)), []
    for attack in ("flips", "all times", "push"):
        shift = _spoilt(_pushed(rng, m, L, outputs, part * tau, attack, later, sweeps=2), wide)
        for norms in _differences(shift, L):
            found += [norm / orders[name] for name, norm in norms.items()]
    return max(found)


@claim(
    "allenzhu2018rnn:lemma-C.9-flips",
    title="change of a backward row by turned gates, exponents of radius and width",
    bound="C*(tau*m)**(1/3)",
    premises="width against radius, so that gates turn in number, and few of all (ours): m >= Max(100/tau, 36*tau**2)",
    regime=Regime(
        calibration=grid(m=[1000, 4000], tau=[0.5, 5.0]),
        cells=grid(m=[16000, 64000], tau=[0.5, 20.0]),
        thorough=grid(m=10**6, tau=[0.3, 30.0]),
    ),
    evidence=Scaling(
        {"m": "equal", "tau": "equal"},
        constant="C",
        replicates=lambda m: 120 if m < 10000 else 10 if m < 10**6 else 1,
        margin=1.2,
        resolution=0.01,
    ),
    controls=[
        control("exponent 1/4 of the width", bound="C*tau**(1/3)*m**(1/4)"),
        control("exponent 5/12 of the width", bound="C*tau**(1/3)*m**(5/12)"),
        control("exponent 1/4 of the radius", bound="C*tau**(1/4)*m**(1/3)"),
        control("exponent 5/12 of the radius", bound="C*tau**(5/12)*m**(1/3)"),
    ],
    blind={
        "premise m >= Max(100/tau, 36*tau**2)": "where one gate at most turns, or half of all do, there is no order"
    },
    note="part (a) without its logarithm, repeated input: the root of twice the gates turned, (3/(2 pi))^(1/3) (tau "
    "m)^(2/3) as tau m grows and tau/sqrt(m) falls, so 1.25. (5.3) says the same of the width",
)
def backward_change_by_flips(rng: Generator, m: int, tau: float) -> float:
    """The norm ||B D'_2 W~||, (a) at the second of two times, one output, under the W' that turns most gates there."""
    shift = _pushed(rng, m, 2, 1, tau, "flips", "repeated")
    return operator_norm(back_rows(np.ascontiguousarray(shift.net.v.T), shift.W, [shift.jumps(2)[0]]))


@claim(
    "allenzhu2018rnn:lemma-C.9-direct",
    title="change of a backward row by the perturbation itself, exponents of radius and width",
    bound="C*tau",
    premises="none needed: the inputs are normalised and the matrix is as drawn",
    regime=Regime(
        calibration=grid(m=[300, 1200], tau=[0.1, 1.0]),
        cells=grid(m=[5000, 20000], tau=[0.1, 10.0]),
        thorough=grid(m=10**6, tau=[0.3, 10.0]),
    ),
    evidence=Scaling(
        {"m": "equal", "tau": "equal"},
        constant="C",
        replicates=lambda m: 20 if m < 5000 else 6 if m < 10**6 else 1,
        margin=1.3,
        resolution=0.05,
    ),
    controls=[
        control("exponent 1/3 of the radius", bound="C*tau**(1/3)"),
        control("exponent 1/4 of the width", bound="C*tau*m**(1/4)"),
        control("exponent -1/4 of the width", bound="C*tau/m**(1/4)"),
    ],
    note="part (c), repeated input. The width cancels: ||B|| is of order sqrt(m), and ||W'|| is tau/sqrt(m)",
)
def backward_change_by_the_step(rng: Generator, m: int, tau: float) -> float:
    """The norm ||B D~_2 W'||, (c) at the second of two times, one output, W' along what the output reads."""
    return next(_differences(_pushed(rng, m, 2, 1, tau, "push", "repeated"), 2))["c"]
