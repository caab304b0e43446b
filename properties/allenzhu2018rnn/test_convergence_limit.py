"""allenzhu2018rnn, Theorem 1: what its rate depends on, by the kernel of an infinitely wide recurrent network.

Main claims: `distance_from_the_limit`, that the kernel of a drawn network tends to the limit; `least_eigenvalue`, its
exponents of separation, samples and horizon.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from nets import forward, recurrent_network
from properties.allenzhu2018rnn.fake_gradient import loss_gram
from properties.allenzhu2018rnn.limiting_kernel import least_in_the_limit, limiting_kernel
from properties.allenzhu2018rnn.sequences import LATER, sequences
from theory.claims import Regime, claim, control, grid
from theory.evidence import Scaling, Trials

# Outputs count from time 2 on.
TWO_TIMES = {"L": 2}

WIDTHS = [
    {"m": 48, "n": 2, "L": 3, "outputs": 2, "delta": 0.4},
    {"m": 256, "n": 3, "L": 6, "outputs": 1, "delta": 0.4},
    {"m": 2048, "n": 2, "L": 3, "outputs": 2, "delta": 0.4},
    {"m": 1024, "n": 2, "L": 3, "outputs": 2, "delta": 0.05},
]
WIDE = "m >= 3*L**2*log(2/delta)"


@claim(
    "allenzhu2018rnn:theorem-1-restated-kernel",
    title="kernel of the gradients of all outputs against its limit at infinite width",
    bound="C*L*sqrt(log(2/delta)/m)",
    constants={"C": (5, "0.9 in standard deviation of many times, as all share W; of few some more, by B B^T")},
    premises=[
        "width against horizon and level, as the rate is one of wide networks (3 is ours): m >= 3*L**2*log(2/delta)",
        "few outputs, as what B B^T is off by grows with their number (ours): outputs <= L",
    ],
    regime=Regime(cells=WIDTHS, thorough=[{"m": 65536, "n": 2, "L": 4, "outputs": 2, "delta": 0.4}], least=TWO_TIMES),
    evidence=Trials(rate="delta", budget=160),
    controls=[
        control("rate 1/m", bound="5*L*sqrt(log(2/delta))/m", cells=WIDTHS[2:3]),
        control("a sixth", bound="5*L*sqrt(log(2/delta)/m)/6", cells=WIDTHS[2:3]),
        control("different sequences taken as uncorrelated", apart=True, cells=WIDTHS[2:3]),
        control("outputs read by B of variance 2", read=2.0**0.5, cells=WIDTHS[2:3]),
        control("8 neurons, 32 times", cells=grid(m=8, n=1, L=32, outputs=1, delta=0.1), without=WIDE),
        control("32 outputs", cells=grid(m=128, n=1, L=2, outputs=32, delta=0.4), without="outputs <= L"),
    ],
    blind={
        "L": "from 3 to 6 times it hardly grows; from 32 on, where it does, networks are dear",
        "delta": "the root of its logarithm, at two levels",
    },
    note="W is one at all times, so that what it adds to a norm adds up: L, not its root; outputs are uncorrelated in "
    "K_lim, each with the same block",
    scope="at the start: the kernel against its limit",
)
def distance_from_the_limit(
    rng: Generator, m: int, n: int, L: int, outputs: int, *, apart: bool = False, read: float = 1.0
) -> float:
    """Ratio ||outputs/m K - K_lim||/||K_lim||, operator norms, K the kernel of l >= 2 at W^(0), K_lim its limit."""
    X = sequences(n, L, 4, rng, str(rng.choice(LATER)))
    net = recurrent_network(4, m, outputs, L, rng, stored=2**16)
    found = read**2 * outputs / m * loss_gram(net, forward(net, X))
    limit = limiting_kernel(X)
    if apart:
        limit *= np.kron(np.eye(n), np.ones((L - 1, L - 1)))
    of_all = np.kron(limit, np.eye(outputs))
    return float(np.linalg.norm(found - of_all, 2) / np.linalg.norm(of_all, 2))


NEAR_AND_ALIKE = [
    {"m": 1024, "phi": 0.4, "delta": 0.4},
    {"m": 4096, "phi": 0.4, "delta": 0.4},
    {"m": 4096, "phi": 0.03, "delta": 0.4},
    {"m": 16384, "phi": 1e-4, "delta": 0.4},
]
WIDE_AND_ALIKE = [{"m": 16384, "phi": 0.4, "delta": 0.4}]


@claim(
    "allenzhu2018rnn:theorem-1-restated-least",
    title="least eigenvalue of the kernel of two near sequences against that of its limit",
    bound="C/sqrt(m*phi*delta)",
    constants={"C": (5, "gates of some phi m/3 neurons tell the two apart, with squares of B: 3 by Chebyshev")},
    premises="none needed: by the variance of what the neurons add that tell the sequences apart, at all levels delta",
    regime=Regime(cells=NEAR_AND_ALIKE, thorough=[{"m": 10**6, "phi": 0.1, "delta": 0.4}]),
    evidence=Trials(rate="delta", budget=160),
    controls=[
        control("gates one time early", early=True, cells=WIDE_AND_ALIKE),
        control("rate of the width alone", bound="5/sqrt(m*delta)", cells=[{**WIDE_AND_ALIKE[0], "phi": 0.003}]),
        control("rate 1/m", bound="5/(m*phi*delta)", cells=NEAR_AND_ALIKE[:1]),
        control("the fourth root of phi", bound="5/(sqrt(m*delta)*phi**(1/4))", cells=NEAR_AND_ALIKE[3:]),
        control("outputs read by B of variance 5/4", read=1.25**0.5, cells=WIDE_AND_ALIKE),
    ],
    blind=dict.fromkeys(
        ("m", "delta"), "the constant leaves a factor of four: controls have the width alone, and another power"
    ),
    note="two times, second inputs alike, of norm 1: gates of time 1 differ sqrt(2) times as often as those of time 2",
    scope="at the start: the kernel against its limit",
)
def least_against_its_limit(rng: Generator, m: int, phi: float, *, early: bool = False, read: float = 1.0) -> float:
    """The number |a/b - 1|, m a the least kernel eigenvalue of two sequences at W^(0), one output, b the limit of a."""
    X = sequences(2, 2, 4, rng, "alike", phi)
    X[:, 1] /= np.linalg.norm(X[0, 1])
    net = recurrent_network(4, m, 1, 2, rng, stored=2**16)
    fwd = forward(net, X)
    if early:
        fwd = replace(fwd, pre=(fwd.pre[0], *fwd.pre[:-1]))
    found = read**2 / m * float(np.linalg.eigvalsh(loss_gram(net, fwd))[0])
    limit = least_in_the_limit(X)
    return abs(found / limit - 1.0)


@claim(
    "allenzhu2018rnn:theorem-1-restated-horizon",
    title="rate of descent in the limit of infinite width, exponents of separation, samples and horizon",
    bound=">= C*phi/n**(1/4)",
    premises="none needed: the limit of infinite width, where sequences differ by their first inputs",
    regime=Regime(
        calibration=grid(phi=[0.1, 0.01], n=[5, 9], L=[3, 8]),
        cells=grid(phi=[0.03, 0.001], n=[7, 15], L=[4, 24]),
        least={"n": 2, **TWO_TIMES},
    ),
    evidence=Scaling(
        {"phi": "equal", "n": "at least", "L": "equal"}, constant="C", replicates=8, margin=1.5, resolution=0.02
    ),
    controls=[
        control("falling with the horizon", bound="C*phi/n**(1/4)/L**(1/4)"),
        control("growing with it", bound="C*phi*L**(1/4)/n**(1/4)"),
    ],
    note="where print has rho^-14: neither the horizon nor a power of the samples above 1/4 is lost. Of two sequences "
    "the rate is 1.6 to 1.8 times that of five. For width and outputs: rate, kernel",
    scope="at the start: the limiting kernel, by separation, samples and times",
)
def least_eigenvalue(rng: Generator, phi: float, n: int, L: int) -> float:
    """The least eigenvalue of the limit of outputs/m times the kernel; n first inputs phi from one, repeated later."""
    return least_in_the_limit(sequences(n, L, n // 2 + 2, rng, "repeated", phi, crowded=True))
