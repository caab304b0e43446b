"""allenzhu2018rnn, (6.4) to (6.8) and Lemmas E.6 and E.7: the gradients of single neurons and of sets of them."""

import math

import numpy as np
from numpy.random import Generator

from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, forward, recurrent_network, shifted
from properties.allenzhu2018rnn.fake_gradient import (
    as_losses,
    backward_matrix,
    fake_gradient,
    fake_pair,
    loss_gram,
    neuron_norms,
    row_step,
    worst_losses,
)
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.sequences import nearest_first, sequences
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Search, Trials

# Layers with more entries than this are sampled where they are looked at.
STORED = 2**15
# rho counts from two neurons on, and a set is one of neurons.
OF_RHO = {"n": 2, "L": 2, "m": 2}
A_SET = {"rows": "m"}
NO_POWER_OF_N = "near sequences ask for no power of their number in the limit: theorem-1-restated-horizon"


def _opposite(n: int, L: int, outputs: int) -> Array:
    """Losses (n, L, outputs) 1 and -1 at time 2 of the first two sequences, and 0 else."""
    losses = np.zeros((n, L, outputs))
    losses[:2, 1, 0] = 1.0, -1.0
    return losses


SETS = grid(m=128, n=2, L=[2, 3], d=3, outputs=1, phi=[0.1, 0.5], rows=64)


@claim(
    "allenzhu2018rnn:lemma-E.6",
    bound=">= phi/(n*L*outputs*log(m))**10*rows/(100*L)",
    premises=sheet.lemma_E_6_width.reads("m >= L**16*n**16*outputs**16*Max(1, log(m))**16/phi"),
    regime=Regime(cells=SETS, least=OF_RHO, most=A_SET),
    evidence=Search(examples=2, adversary="opposite losses at the two nearest sequences"),
    expected=Verdict.VACUOUS,
    controls=[
        control("all neurons of N and one more", bound="rows + 1"),
        control("a thousandfold level, a twentieth of the set", threshold=1e3, bound="rows/20"),
        control("the set as large as the width", bound="m"),
    ],
    note="losses 1, -1 at time 2 of two sequences, N drawn; W = W_1 + W'_N, W v = sqrt(1 - theta^2) W_1 v + theta g on "
    "N, v along h_{1,1}, theta = phi/rho^6, g four times N(0, 2/m); 1/60 is gate 1/5, state 1/2, entry 1/6",
)
def neurons_with_large_gradients(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, rows: int, *, threshold: float = 1.0
) -> float:
    """How many k in N, of `rows`, have a mean ||fake gradient_k|| over W'_N of 1/(60 n L sqrt(outputs)) or more."""
    X = nearest_first(sequences(n, L, d, rng, "alike", phi))
    net = recurrent_network(d, m, outputs, L, rng)
    losses = _opposite(n, L, outputs)
    direction, chosen = StateFrames(forward(net, X)).fresh(1)[0], rng.permutation(m)[:rows]
    theta = phi / (n * L * outputs * math.log(m)) ** 6
    norms, old = [], direction @ np.asarray(net.weights[0])
    for _ in range(4):
        fresh = math.sqrt(2.0 / m) * rng.standard_normal(m)
        change = np.zeros(m)
        change[chosen] = (theta * fresh - (1.0 - math.sqrt(1.0 - theta**2)) * old)[chosen]
        moved = shifted(net, [np.outer(direction, change)])
        norms.append(neuron_norms(fake_pair(moved, forward(moved, X), losses)))
    level = threshold / (60.0 * n * L * math.sqrt(outputs))
    return float(np.count_nonzero(np.mean(norms, axis=0)[chosen] >= level))


@claim(
    "allenzhu2018rnn:lemma-E.6-kink",
    title="jump of the gradient of a neuron where one gate of it turns",
    bound="= 0",
    premises="none needed: any step across a kink of one gate at time 2, which turns no other gate",
    regime=Regime(cells=grid(m=[4, 32], n=2, L=[2, 4, 12], d=3, outputs=2), least={"L": 2}),
    evidence=Search(examples=4),
    controls=[
        control("the state of the time of the gate", state=1),
        control("the backward vector one time later", after=1),
        control("the state of the other sequence", other=True),
        control("half of the jump", factor=0.5),
    ],
    note="the gate of time l*, here 2, switches sum_{a>=l*} Back_{l*->a}^T loss_a times the state of time l*-1: the "
    "indices that Appendix E.2.1 needs, where it has the state of time l*",
)
def jump_at_a_kink(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    outputs: int,
    *,
    state: int = 0,
    after: int = 0,
    other: bool = False,
    factor: float = 1.0,
) -> Measured:
    """Norm of J - (sum_a Back_{2->a}^T loss_a)_k h_1, J what neuron k's fake gradient gains as its gate opens.

    The gate is that of time 2 of one sequence, whose are Back, loss and h_1; all other gates stay.
    """
    while True:
        X, net = sequences(n, L, d, rng, "unit"), recurrent_network(d, m, outputs, L, rng)
        fwd = forward(net, X)
        start = fwd.post[1][0]
        if start.any():
            break
    # Nothing comes before time 1: all of its state is fresh.
    direction = start / np.linalg.norm(start)
    neuron = int(np.argmin(np.abs(fwd.pre[1][0])))
    losses, kink = rng.standard_normal((n, L, outputs)), -fwd.pre[1][0, neuron] / float(start @ direction)
    sides = []
    for beyond in (1.0 - 1e-9, 1.0 + 1e-9):
        moved = shifted(net, [row_step(net, direction, neuron, beyond * kink)])
        sides.append((moved, fake_gradient(moved, forward(moved, X), losses)[:, neuron]))
    (moved, before), (_, past) = sides
    there = forward(moved, X)
    entry = sum(
        float(losses[0, a - 1] @ backward_matrix(moved, there, 0, 2 + after, a)[:, neuron])
        for a in range(2 + after, L + 1)
    )
    expected = factor * entry * there.post[1 + state][int(other)]
    opened = 1.0 if kink * float(start @ direction) > 0.0 else -1.0
    scale = float(np.linalg.norm(before) + np.linalg.norm(past) + np.linalg.norm(expected)) + 1e-3
    return Measured(float(np.linalg.norm(opened * (past - before) - expected)), error=1e-7 * scale, scale=scale)


PARTS = [
    {"m": 8192, "n": 2, "L": 2, "d": 3, "outputs": 1, "phi": 0.4, "rows": 400, "delta": 0.4},
    {"m": 32768, "n": 2, "L": 2, "d": 3, "outputs": 1, "phi": 0.01, "rows": 16384, "delta": 0.4},
    {"m": 4096, "n": 2, "L": 8, "d": 3, "outputs": 1, "phi": 0.4, "rows": 2048, "delta": 0.4},
    {"m": 4096, "n": 15, "L": 2, "d": 9, "outputs": 1, "phi": 0.4, "rows": 3072, "delta": 0.4},
    {"m": 2048, "n": 2, "L": 2, "d": 3, "outputs": 2, "phi": 0.4, "rows": 1024, "delta": 0.4},
]
SURE = grid(m=400, n=2, L=2, d=3, outputs=1, phi=0.8, rows=400, delta=0.05)
# Opposite to one first input there is one other: two at such a distance from it are the same.
OPPOSITE = [{**PARTS[0], "m": 256, "n": 3, "phi": 1.4142, "rows": 192}]


@claim(
    "allenzhu2018rnn:lemma-E.7",
    bound="c*phi/(n*L*outputs*log(m))**12*rows",
    constants={"c": (1, "hidden in the paper")},
    sense=">=",
    premises=sheet.lemma_E_6_width.reads("m >= L**16*n**16*outputs**16*Max(1, log(m))**16/phi"),
    regime=Regime(cells=SETS, least=OF_RHO, most=A_SET),
    evidence=Search(examples=2, adversary="the worst losses at the weights drawn, sequences near each other"),
    expected=Verdict.VACUOUS,
    controls=[
        control("ten times, without the power of rho", bound="phi*rows*10"),
        control("the width for the set", bound="m"),
        control("the square of the set", bound="phi*rows**2"),
    ],
    note="c = 1, for all losses and one set, at one W, whose law W_2 + W'_N + W'_{-N} has, not in the mean over W'_N; "
    "the sets may be as small as 40 n L outputs/phi: lemma-E.7-linear",
)
@form(
    "linear",
    title="sum over a set of neurons of squared gradients from below, with a constant",
    bound=sheet.lemma_E_7_sharp.reads("c*phi*rows/(n**(1/4)*outputs)"),
    premises=[
        sheet.lemma_E_7_sharp_rows.reads("rows*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        sheet.lemma_D_3_width.reads("m >= C*L**2*log(L/delta)"),
    ],
    regime=Regime(cells=[*PARTS, *SURE], least={"L": 2}, most=A_SET),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("the root of the separation", bound="sqrt(phi)*rows/(16*n**(1/4)*outputs)"),
        control("the width for the set", cells=PARTS[:1], bound="m*phi/(16*n**(1/4)*outputs)"),
        control("four neurons", cells=[{**PARTS[1], "phi": 0.005, "rows": 4}], without=sheet.lemma_E_7_sharp_rows),
        control("a distance of sqrt(2)", cells=OPPOSITE, without=sheet.separability_of_inputs_range),
    ],
    blind={
        "outputs": "one or two: theorem-5-linear sees their number",
        "n": NO_POWER_OF_N,
        "premise m >= C*L**2*log(L/delta)": "as many neurons as the set needs will do up to thousands of times",
    },
    note="c = 1/16, C is 20 and 12; sets of 40 n L outputs/phi neurons suffice, far fewer than rho^16/phi. A like "
    "share of gates is open at all times, which moves distances by e^(L/sqrt(m)). One set, one W, all losses; delta is "
    "over both",
)
def squares_over_a_set(rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, rows: int) -> Measured:
    """The least sum of ||fake gradient_k||^2 over `rows` neurons k drawn, losses of largest norm 1, as an interval.

    First inputs are at the distance phi from one of them, later ones alike. What the closed form and the backward
    pass differ by, for the worst losses of this set, is taken off.
    """
    X = sequences(n, L, d, rng, "alike", phi, crowded=True)
    net = recurrent_network(d, m, outputs, L, rng, stored=STORED)
    fwd, chosen = forward(net, X), rng.permutation(m)[:rows]
    found = worst_losses(loss_gram(net, fwd, chosen), outputs)
    norms = neuron_norms(fake_pair(net, fwd, as_losses(found.losses, n, outputs)))[chosen]
    apart = abs(float(np.sum(norms**2)) - found.high)
    return Measured.between(found.low - apart, found.high - apart)


@claim(
    "allenzhu2018rnn:eq-6.4-6.8",
    bound="c*rows/(n*L*outputs*log(m))**4",
    constants={"c": (1, "hidden in the paper")},
    sense=">=",
    premises="none needed: two first inputs at a distance that is positive, and as small as one likes",
    regime=Regime(cells=grid(m=[16, 64], n=2, L=2, d=3, outputs=1, phi=1e-7, rows=16), least=OF_RHO, most=A_SET),
    evidence=Search(examples=3),
    expected=Verdict.REFUTED,
    controls=[
        control("the sixth power of rho", bound="rows/(n*L*outputs*log(m))**6"),
        control("a constant smaller by 10^6", bound="rows/(n*L*outputs*log(m))**4/10**6"),
    ],
    scope="part: (6.8)",
    note="erratum: (6.8) leaves out the separation of Theorem 5; poly(rho) is rho^4 here, c = 1: losses 1, -1 at two "
    "sequences at distance phi leave phi^2 |N| and a share phi/pi of N, whose gates differ, also at widths polynomial "
    "in 1/phi, as rho has their logarithm",
)
def squares_of_opposite_losses(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, rows: int
) -> Measured:
    """The sum of the `rows` largest ||fake gradient_k||^2; losses are 1 and -1 at time 2 of two sequences at phi."""
    X = nearest_first(sequences(n, L, d, rng, "alike", phi))
    while True:
        net = recurrent_network(d, m, outputs, L, rng)
        fwd = forward(net, X)
        if fwd.masks[1][:2].all(axis=0).any() and fwd.post[1][:2].any():
            break
    gradient = fake_gradient(net, fwd, _opposite(n, L, outputs))
    # The neurons with the largest squares are in it: every set of so many has no more.
    value = float(np.sum(np.sort(np.sum(gradient**2, axis=0))[-rows:]))
    return Measured(value, error=1e-6 * value)


@claim(
    "allenzhu2018rnn:eq-6.4-6.8-corrected",
    title="sum over a set of neurons of squared gradients, with the separation",
    bound=sheet.lemma_E_7_sharp.reads("c*phi*rows/(n**(1/4)*outputs)"),
    sense=">=",
    premises=[
        sheet.lemma_E_7_sharp_rows.reads("rows*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
    ],
    regime=Regime(cells=[*PARTS[:2], *SURE], least={"n": 2, "L": 2}, most=A_SET),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("the root of the separation", bound="sqrt(phi)*rows/(16*n**(1/4)*outputs)"),
        control(
            "a set of four neurons", cells=[{**PARTS[1], "phi": 0.005, "rows": 4}], without=sheet.lemma_E_7_sharp_rows
        ),
    ],
    scope="part: (6.8), repaired, for opposite losses",
    note="opposite losses at time 2, fixed beforehand, and one set; c = 1/16, C = 20",
    blind={
        "outputs": "one output: theorem-5-linear sees their number",
        "n": NO_POWER_OF_N,
        f"premise {sheet.separability_of_inputs_range.text}": "two are sqrt(2) apart at most: lemma-E.7-linear sees it",
    },
)
def squares_of_fixed_losses(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, rows: int
) -> float:
    """The sum of ||fake gradient_k||^2 over `rows` neurons drawn, losses 1 and -1 at time 2 of two sequences at phi."""
    X = nearest_first(sequences(n, L, d, rng, "alike", phi))
    net = recurrent_network(d, m, outputs, L, rng, stored=STORED)
    losses = _opposite(n, L, outputs)
    norms = neuron_norms(fake_pair(net, forward(net, X), losses))
    return float(np.sum(norms[rng.permutation(m)[:rows]] ** 2))
