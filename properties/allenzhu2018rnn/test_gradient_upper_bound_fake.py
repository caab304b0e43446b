"""allenzhu2018rnn, Lemma E.2: how large the fake gradient can be, for all losses and neuron by neuron.

For fixed weights the fake gradient is linear in the losses. Over losses of norm 1 at most at each sequence and time its
square is n (L - 1) times the largest eigenvalue of the quadratic form at most, and the top eigenvector, cut to norm 1
at each place, comes near it. Equal sequences that repeat their first input are the worst known.
"""

import numpy as np
from numpy.random import Generator
from sympy import Rational

from nets import Array, Forward, Network, forward, recurrent_network, tangent_features
from properties.allenzhu2018rnn.fake_gradient import loss_gram
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, claim, control, form, grid
from theory.evidence import Scaling, Trials


def _equal(n: int, L: int, m: int, d: int, outputs: int, rng: Generator, gain: float = 1.0) -> tuple[Network, Array]:
    """Equal sequences that repeat their first input, and a network with W from N(0, 2 gain^2/m)."""
    net = recurrent_network(d, m, outputs, L, rng, stored=m**2)
    return net.with_weights([gain * net.weights[0]]), sequences(n, L, d, rng, "repeated", 0.0)


def _most(K: Array, outputs: int) -> Measured:
    """An interval for the root of the largest v^T K v over v of norm 1 at most at each sequence and time."""
    values, vectors = np.linalg.eigh(K)
    rows = vectors[:, -1].reshape(-1, outputs)
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    v = np.divide(rows, sizes, out=np.zeros_like(rows), where=sizes > 0.0).reshape(-1)
    high = float(np.sqrt(values[-1] * len(rows)))
    return Measured.between(min(float(np.sqrt(v @ K @ v)), high), high)


EQUAL = [
    *grid(m=256, n=[1, 4, 16], L=2, d=3, outputs=1, delta=0.4),
    *grid(m=[512, 64], n=1, L=3, d=3, outputs=1, delta=0.4),
    *grid(m=[24, 1024], n=1, L=2, d=3, outputs=1, delta=0.4),
    *grid(m=40, n=2, L=2, d=3, outputs=2, delta=0.4),
    *grid(m=360, n=2, L=3, d=3, outputs=8, delta=0.4),
    *grid(m=256, n=2, L=5, d=3, outputs=1, delta=0.4),
]
LONG = grid(m=512, n=1, L=8, d=3, outputs=1, delta=0.4)
WIDE = "m >= 3*L**2*outputs*log(2/delta)"


@claim(
    "allenzhu2018rnn:lemma-E.2",
    bound="C*n*L**6*sqrt(m)",
    constants={"C": (1, "hidden in the paper")},
    premises="width against horizon, outputs and level (3 is ours): m >= 3*L**2*outputs*log(2/delta)",
    regime=Regime(cells=[*EQUAL[:2], *LONG], least={"L": 2}),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("1/4 of it, without the times", bound="sqrt(m)*n/4"),
        control("1/16 of it, without the width", bound="L**6*n/16"),
        control("1/100 of it, without the samples", bound="L**6*sqrt(m)/100", cells=EQUAL[1:2]),
    ],
    scope="part: the gradients of f and of f_i, not of single neurons, with C = 1; as an order: lemma-E.2-orders",
    note="the first part, C = 1, for all losses; n = 1 is that of f_i. Equal sequences are the worst known. L^6 is "
    "three to four powers too many: lemma-E.2-sharp; the last part: lemma-E.2-neurons. Print: chance e^(-Omega(m/L^2))",
    blind=dict.fromkeys(("m", "n", "L", f"premise {WIDE}"), "the bound leaves too much room: lemma-E.2-sharp sees it"),
)
@form(
    "orders",
    title="fake gradient from above, exponents of samples and times",
    scope="part: the gradients of f and of f_i as orders of samples and times, not of single neurons",
    bound="C*n*L**6*sqrt(m)",
    constants={"C": (1, "fitted")},
    regime=Regime(
        calibration=[
            *grid(m=320, n=[1, 4], L=2, d=3, outputs=1, delta=0.4),
            *grid(m=320, n=1, L=4, d=3, outputs=1, delta=0.4),
        ],
        cells=[*grid(m=320, n=16, L=2, d=3, outputs=1, delta=0.4), *grid(m=320, n=1, L=8, d=3, outputs=1, delta=0.4)],
        least={"L": 2},
    ),
    evidence=Scaling(exponents={"n": "at most", "L": "at most"}, constant="C", replicates=32),
    controls=[
        control("the root of the samples", bound="C*sqrt(n)*L**6*sqrt(m)"),
        control("the times as they are", bound="C*n*L*sqrt(m)"),
    ],
    note="the first part at one width; measured are n and some L^2",
    blind={
        "m": "one width: lemma-E.2-sharp sees it",
        f"premise {WIDE}": "the order is one of sizes inside: lemma-E.2-sharp sees it",
    },
)
@form(
    "sharp",
    title="fake gradient from above by the square of the number of times",
    scope="part: the gradients of f and of f_i, not of single neurons",
    bound="C*n*L**2*sqrt(m/outputs)",
    constants={"C": (Rational(1, 2), "equal sequences that repeat their input make 1/4, seldom 2/5")},
    regime=Regime(cells=[*EQUAL[3:], *EQUAL[:3], *LONG], least={"L": 2}),
    evidence=Trials(rate="delta", budget=120),
    controls=[
        control("without the samples", bound="L**2*sqrt(m)/(2*sqrt(outputs))", cells=EQUAL[1:2]),
        control("the times as they are", bound="n*L*sqrt(m/outputs)/2", cells=EQUAL[-1:]),
        control("m^(1/4)", bound="L**2*m**(1/4)*n/2"),
        control("a twentieth", bound="n*L**2*sqrt(m/outputs)/20"),
        control("weights of variance 32/m", gain=4.0, cells=EQUAL[-1:]),
        control("16 neurons and times", cells=grid(m=16, n=1, L=16, d=3, outputs=1, delta=0.05), without=WIDE),
    ],
    note="the proof bounds each of the L^2 products by L^4, and their sum by the triangle inequality",
    blind={},
)
def largest_fake_gradient(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, *, gain: float = 1.0
) -> Measured:
    """The largest ||fake gradient||_F, losses of norm 1 at most, equal sequences of one repeated input; an interval."""
    net, X = _equal(n, L, m, d, outputs, rng, gain)
    return _most(loss_gram(net, forward(net, X)), outputs)


def _of_neurons(net: Network, fwd: Forward, neurons: int) -> list[Array]:
    """The quadratic forms of the gradients in single neurons: those with the largest backward entries."""
    left, right = tangent_features(net, fwd).pairs[0]
    n, L, outputs = fwd.output.shape
    count = n * L * outputs
    chosen = np.argsort(-np.linalg.norm(right, axis=0), kind="stable")[:neurons]
    states = left.reshape(-1, count, left.shape[1])
    found = []
    for k in chosen:
        rows = np.einsum("uf,ufm->fm", right[:, k].reshape(-1, count), states)
        found.append(rows @ rows.T)
    return found


NEURONS = [
    *grid(m=64, n=2, L=2, d=3, outputs=2, delta=0.4),
    *grid(m=512, n=2, L=[2, 4], d=3, outputs=2, delta=0.4),
    *grid(m=512, n=1, L=8, d=3, outputs=1, delta=0.4),
]

OF_RHO = "L**2*n**2*outputs**2*log(m)**2 >= log(1/delta)"
USUAL = "delta >= 1/20"


@claim(
    "allenzhu2018rnn:lemma-E.2-neurons",
    title="fake gradient of a single neuron from above",
    scope="part: the last, with C = 1; its powers are judged in lemma-E.2-neurons-sharp",
    bound="C*n**2*L**4*outputs*log(m)",
    constants={"C": (1, "hidden in the paper")},
    premises=[
        "width against horizon and level, as repeated inputs make powers of one W: m >= 8*L**2*log(1/delta)",
        "level of failure within the printed exp(-Omega(rho^2)) (1 is ours): "
        "L**2*n**2*outputs**2*log(m)**2 >= log(1/delta)",
    ],
    regime=Regime(cells=NEURONS, least={"L": 2}),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("without samples and times", bound="log(m)"),
        control("1/10 of it, decreasing with the width", bound="L**4*n**2*outputs*log(m)/(10*sqrt(m))"),
    ],
    blind={
        **dict.fromkeys(
            ("m", "n", "L", "outputs", "premise m >= 8*L**2*log(1/delta)"),
            "n rho L^3 has powers to spare: neurons-sharp",
        ),
        f"premise {OF_RHO}": "it is for tails that no trials see",
    },
    note="the bound is n rho L^3, of which this is no evidence: neurons-sharp. The last part, for all losses, equal "
    "sequences, the worst known, at the eight neurons of largest backward entries; in print chance e^(-Omega(rho^2))",
)
@form(
    "neurons-sharp",
    title="fake gradient of a single neuron from above, by the square of the times and a column of B",
    scope="part: fake gradient of a single neuron from above, by the square of the times and a column of B",
    bound="C*n*L**2*sqrt(1 + 2*log(m)/outputs)",
    constants={"C": (Rational(1, 2), "of twenty networks nineteen stay below 0.36, with one output or with many")},
    premises=[
        "width against horizon and level, as repeated inputs make powers of one W: m >= 8*L**2*log(1/delta)",
        "level of the constant, which rarer failures exceed: delta >= 1/20",
    ],
    regime=Regime(
        cells=[
            *grid(m=128, n=1, L=2, d=3, outputs=8, delta=0.4),
            *grid(m=64, n=8, L=2, d=3, outputs=1, delta=0.4),
            *grid(m=512, n=1, L=8, d=3, outputs=1, delta=0.4),
            *grid(m=512, n=1, L=2, d=3, outputs=64, delta=0.4),
        ],
        least={"L": 2},
    ),
    controls=[
        control("a fourth", bound="n*L**2*sqrt(1 + 2*log(m)/outputs)/8"),
        control(
            "16 neurons and times",
            cells=grid(m=16, n=1, L=16, d=3, outputs=1, delta=0.05),
            without="m >= 8*L**2*log(1/delta)",
        ),
    ],
    note="a column of B has norm sqrt(1 + 2 log(m)/outputs) at most, about, and L^2 entries and states add up",
    blind={
        **{f"{name} in 2*log(m)/outputs": "at 64 outputs it is a fifth, beside 1" for name in ("m", "outputs")},
        f"premise {USUAL}": "it serves the constant alone: a column of B is long with a chance of m^-3 and less",
    },
)
def largest_gradient_of_a_neuron(rng: Generator, m: int, n: int, L: int, d: int, outputs: int) -> float:
    """From above, the most ||fake gradient_k||, k of 8 with largest backward entries, ||loss|| <= 1, inputs equal."""
    net, X = _equal(n, L, m, d, outputs, rng)
    forms = _of_neurons(net, forward(net, X), 8)
    return max(float(np.sqrt(n * (L - 1) * np.linalg.eigvalsh(K)[-1])) for K in forms)
