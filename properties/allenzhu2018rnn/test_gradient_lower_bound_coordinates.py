"""allenzhu2018rnn, Appendix D.2: coordinates of the backward sums, most of which are not small.

Main claims: `small_coordinates` (Lemma D.7), `small_coordinates_of_the_last_time`, its law where B acts alone, and
`share_of_small_coordinates` (6.2).
"""

import math

import numpy as np
from numpy.random import Generator

from bounds.papers import allenzhu2018rnn as sheet
from properties.allenzhu2018rnn.backward_coordinates import (
    LATER_LOSSES,
    SmallCoordinates,
    backward_sum,
    fixed_losses,
    least_varied,
)
from properties.allenzhu2018rnn.sparse_norms import started
from theory.claims import Regime, claim, control, grid
from theory.evidence import ExactLaw, Trials

WIDE = {"m": 4096, "L": 4, "outputs": 1, "N4": 4096, "delta": 0.4}
# Neurons enough for so small a level: counts beyond their mean, 2/15 of N_4/(n L), are rarer than a large one shows.
RARE = {"m": 256, "n": 4, "L": 2, "outputs": 1, "N4": 224, "delta": 1e-3}


@claim(
    "allenzhu2018rnn:lemma-D.7",
    bound=sheet.lemma_D_7.reads("N4/(2*n*L)"),
    premises=(
        "neurons enough for a union bound; |N_4| >= rho^4 in print, for a chance of exp(-Omega(rho^2)): "
        "C*n*L*log(1/delta) <= N4"
    ),
    constants={"C": (4, "3.4 by Chernoff's bound for independent coordinates, small with chance 0.133/(n L)")},
    regime=Regime(
        cells=[
            {"m": 4096, "n": 8, "L": 8, "outputs": 1, "N4": 2048, "delta": 0.4},
            {"m": 128, "n": 1, "L": 2, "outputs": 1, "N4": 64, "delta": 0.4},
            {"m": 256, "n": 1, "L": 8, "outputs": 2, "N4": 128, "delta": 0.4},
            {"m": 256, "n": 8, "L": 2, "outputs": 3, "N4": 256, "delta": 0.4},
            {"m": 128, "n": 1, "L": 2, "outputs": 1, "N4": 64, "delta": 0.05},
        ],
        thorough=[{"m": 30000, "n": 8, "L": 8, "outputs": 2, "N4": 5000, "delta": 0.4}],
        least={"L": 2},
        most={"N4": "m"},
    ),
    evidence=Trials(rate="delta", budget=60, dear=True),
    controls=[
        control("a sixteenth", bound="N4/(32*n*L)"),
        control("two fifths", bound="N4/(5*n*L)", cells=[RARE]),
        control("a threshold without n L", power=0.0),
        control("a threshold with the root of n L", power=0.5, cells=[{**WIDE, "n": 25}]),
        control("neurons chosen with B in sight", blindly=False, cells=[{**WIDE, "n": 2, "N4": 64}]),
        control("a tenth of the read-out", scale=0.1),
        control(
            "a threshold without the root of the outputs",
            scale=32**-0.5,
            cells=[{**WIDE, "n": 8, "L": 2, "outputs": 32}],
        ),
    ],
    blind={"premise C*L*n*log(1/delta) <= N4": "of few neurons one that is small is too many, for a fifth of all B"},
    note="one sequence, n in the thresholds alone; a runs from l on. N_4: neurons where the sum varies least over B, "
    "beyond m = 316 those most active at l. Losses fixed, ||loss_a|| <= ||loss_l||. Printed sizes: last-time",
)
def small_coordinates(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    outputs: int,
    N4: int,
    *,
    power: float = 1.0,
    blindly: bool = True,
    scale: float = 1.0,
) -> float:
    """How many k in N_4 have |sum_a (Back_{l->a}^T loss_a)_k| below ||loss_l||/(6 sqrt(outputs) n L), l >= 2 drawn."""
    net, fwd = started(rng, m, L, 1, outputs, stored=1e5)
    time = int(rng.integers(2, L + 1))
    losses = fixed_losses(str(rng.choice(LATER_LOSSES)), L, outputs, time, rng)
    values = np.abs(backward_sum(net, fwd, losses, time)) * scale
    chosen = least_varied(net, fwd, losses, time, N4) if blindly else np.argsort(values)[:N4]
    return float(np.count_nonzero(values[chosen] < 1.0 / (6.0 * math.sqrt(outputs) * (n * L) ** power)))


A_LEVEL = "delta >= exp(-(n*L*outputs*log(m))**2/10)"


def rho_to_the_fourth(m: int, n: int, L: int, outputs: int) -> int:
    """The least number of neurons that Lemma D.7 admits."""
    return math.ceil((n * L * outputs * math.log(m)) ** 4)


def chance_of_the_lemma(m: int, n: int, L: int, outputs: int) -> float:
    """exp(-rho^2/10), a chance of the order that Lemma D.7 allows, rounded up; no less than numbers go to."""
    return max(1.0001 * math.exp(-((n * L * outputs * math.log(m)) ** 2) / 10.0), 1e-300)


@claim(
    "allenzhu2018rnn:lemma-D.7-last-time",
    title="coordinates of the read-out applied to one loss: a binomial number of them is small",
    bound=sheet.lemma_D_7.reads("N4/(2*n*L)"),
    premises=[
        "many neurons of N_4 against the problem size: (n*L*outputs*log(m))**4 <= N4",
        "no more neurons in N_4 than there are; N_4 is a set of neurons: m >= N4",
        "level of failure within the printed exp(-Omega(rho^2)): delta >= exp(-(n*L*outputs*log(m))**2/10)",
    ],
    regime=Regime(
        cells=[
            {"m": 10**18, "n": 25, "L": 16, "outputs": 1},
            {"m": 10**6, "n": 1, "L": 2, "outputs": 1},
            {"m": 10**10, "n": 1, "L": 4, "outputs": 2},
        ],
        derived={"N4": rho_to_the_fourth, "delta": chance_of_the_lemma},
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("Step 1: twice the threshold, and half of it", bound="N4/(4*n*L)", level=3.0),
        control("the root over n L too", power=0.5, cells=[{"m": 10**15, "n": 25, "L": 4, "outputs": 1}]),
        control("exponent 2 of n L", bound="N4/(2*L**2*n**2)"),
        control("one neuron", cells=[{"m": 2, "n": 1, "L": 1, "outputs": 1, "delta": 0.05}], without=A_LEVEL),
    ],
    blind={
        "premise L**4*n**4*outputs**4*log(m)**4 <= N4": "far fewer neurons are enough: they are independent here",
        "premise m >= N4": "the width enters by the number of neurons alone",
    },
    note="rho^4 neurons, delta = exp(-rho^2/10). The root is of outputs alone: that of n L too fails from n L = 15 on",
)
def small_coordinates_of_the_last_time(
    threshold: float, n: int, L: int, N4: int, *, level: float = 6.0, power: float = 1.0
) -> float:
    """The chance that more of N4 |(B^T loss)_k| than the bound are below ||loss||/(6 sqrt(outputs) n L)."""
    return SmallCoordinates(N4, 1.0 / (level * (n * L) ** power)).exceeds(threshold)


MANY = "m >= 50*n*L*sqrt(outputs)*log(m)*log(1/delta)"


@claim(
    "allenzhu2018rnn:eq-6.2",
    bound="C/(n*L*sqrt(outputs)*log(m))",
    constants={"C": (1, "sqrt(2/pi) for a Gaussian of the variance of B^T loss, and less where later times add to it")},
    probability=True,
    premises=(
        "width against rho and level, so that many neurons are small (50 is ours, by Chernoff): "
        "m >= 50*n*L*sqrt(outputs)*log(m)*log(1/delta)"
    ),
    regime=Regime(
        cells=[
            {"m": 10**4, "n": 4, "L": 4, "outputs": 1, "delta": 0.4},
            {"m": 1024, "n": 1, "L": 2, "outputs": 1, "delta": 0.4},
            {"m": 10**4, "n": 1, "L": 2, "outputs": 16, "delta": 0.4},
            {"m": 8192, "n": 1, "L": 16, "outputs": 1, "delta": 0.4},
            {"m": 2400, "n": 1, "L": 2, "outputs": 1, "delta": 0.05},
        ],
        thorough=[{"m": 30000, "n": 2, "L": 8, "outputs": 1, "delta": 0.4}],
        least={"L": 2, "m": 2},  # of one neuron rho is 0
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("half", bound="1/(2*n*L*sqrt(outputs)*log(m))"),
        control("a share below one neuron", cells=grid(m=1024, n=74, L=2, outputs=1, delta=0.05), without=MANY),
    ],
    note="one sequence, n in rho alone; a from l on, ||loss_a|| <= ||loss_l||. Of the read-out alone the share is near "
    "sqrt(2/pi) times the bound, which tends to 0 with the width. Lemma D.7 would give it for sqrt(outputs) log m >= 6",
)
def share_of_small_coordinates(rng: Generator, m: int, n: int, L: int, outputs: int) -> float:
    """The share of neurons with |sum_a (Back_{l->a}^T loss_a)_k| below ||loss_l||/rho, losses fixed, l >= 2 drawn."""
    net, fwd = started(rng, m, L, 1, outputs, stored=1e5)
    time = int(rng.integers(2, L + 1))
    losses = fixed_losses(str(rng.choice(LATER_LOSSES)), L, outputs, time, rng)
    rho = n * L * outputs * math.log(m)
    return float(np.mean(np.abs(backward_sum(net, fwd, losses, time)) < 1.0 / rho))
