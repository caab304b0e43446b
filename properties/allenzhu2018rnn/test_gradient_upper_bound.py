"""allenzhu2018rnn, Fact 2.5: the gradient of the recurrent network in closed form."""

import math

import numpy as np
from numpy.random import Generator

from bounds.papers import allenzhu2018rnn as sheet
from nets import SQUARE, Array, Network, forward, recurrent_network, shifted
from properties.allenzhu2018rnn.fake_gradient import fake_gradient, fake_pair, from_time_two
from properties.allenzhu2018rnn.sequences import LATER, sequences
from theory.claims import Measured, Regime, choices, claim, control, grid, rounding
from theory.evidence import Search

SMALL = [*grid(m=[1, 6], L=[2, 3], n=2, d=3, outputs=2), *grid(m=5, L=5, n=1, d=2, outputs=1)]


def _slope(net: Network, E: Array, X: Array, targets: Array) -> tuple[float, float]:
    """The derivative of f along E from differences, and the size of its terms.

    As long as no gate turns, f is a polynomial of degree 2 (L - 1) along a line, whose derivative a difference
    quotient with 2 (L - 1) nodes gives without an error but rounding.
    """
    masks, order = forward(net, X).masks, net.depth - 1
    size = 0.125
    while True:
        passes = [[forward(shifted(net, [E], sign * j * size), X) for sign in (1.0, -1.0)] for j in range(1, order + 1)]
        if all((a == b).all() for pair in passes for fwd in pair for a, b in zip(fwd.masks, masks, strict=True)):
            break
        size *= 0.5
    slope, scale = 0.0, 0.0
    for j, pair in enumerate(passes, start=1):
        weight = (-1.0) ** (j + 1) * math.factorial(order) ** 2 / (j * math.factorial(order - j))
        weight /= math.factorial(order + j) * size
        high, low = (float(np.sum(SQUARE.at_outputs(fwd.output[:, 1:], targets[:, 1:])[0])) for fwd in pair)
        slope += weight * (high - low)
        scale += abs(weight) * (high + low)
    return slope, scale


@claim(
    "allenzhu2018rnn:fact-2.5",
    bound=sheet.fact_2_5.reads("0"),
    sense="=",
    premises="none needed: an identity wherever f has a derivative, and each line ends before the nearest kink",
    regime=Regime(cells=SMALL, draw={"later": choices(*LATER)}),
    evidence=Search(examples=4),
    controls=[
        control("Back from one time earlier", after=0),
        control("without the gates of the time itself", gated=False),
        control("the state one time later", state=1),
        control("squares without 1/2", factor=2.0),
        control("losses that leave the targets out", targets=False),
    ],
    note="off kinks f is a polynomial in W, so that differences at enough nodes give its slope but for rounding; "
    "the sum starts at time 2, as no output of time 1 depends on W",
)
def closed_form_against_differences(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    later: str,
    *,
    after: int = 1,
    gated: bool = True,
    state: int = 0,
    factor: float = 1.0,
    targets: bool = True,
) -> Measured:
    """The slope of f along a random direction by the closed form less that by differences of f.

    The form is the sum over i, a >= 2 and l < a of D_{i,l+1} Back_{i,l+1->a}^T loss_{i,a} h_{i,l}^T.
    """
    X, net = sequences(n, L, d, rng, later), recurrent_network(d, m, outputs, L, rng)
    fwd, y, E = forward(net, X), rng.standard_normal((n, L, outputs)), rng.standard_normal((m, m))
    losses = fwd.output - y if targets else fwd.output
    closed = E * (factor * fake_gradient(net, fwd, losses, after=after, gated=gated, state=state))
    slope, scale = _slope(net, E, X, y)
    scale += float(np.abs(closed).sum())
    return Measured(float(closed.sum()) - slope, error=rounding(scale, 64.0 * L * (m + d + outputs)), scale=scale)


@claim(
    "allenzhu2018rnn:fact-2.5-recursive",
    title="double sum over times as one backward recursion",
    bound=sheet.fact_2_5.reads("0"),
    sense="=",
    premises="none needed: an identity, at all weights, sequences, losses and gates, kinks included",
    regime=Regime(
        cells=[*SMALL, *grid(m=12, L=8, n=3, d=4, outputs=3)],
        thorough=grid(m=32, L=16, n=3, d=4, outputs=2),
        draw={"later": choices(*LATER)},
    ),
    evidence=Search(examples=3),
    controls=[
        control("Back from one time earlier", after=0),
        control("without the gates of the time itself", gated=False),
        control("the state one time later", state=1),
    ],
    note="u_L = B^T loss_L, u_l = B^T loss_l + W^T D_{l+1} u_{l+1}, losses drawn: L products, not some L^3",
)
def double_sum_against_recursion(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    later: str,
    *,
    after: int = 1,
    gated: bool = True,
    state: int = 0,
) -> Measured:
    """The largest entry of sum_{i,l<a} D_{l+1} Back_{l+1->a}^T loss_a h_l^T less sum_{i,l<L} D_{l+1} u_{l+1} h_l^T."""
    X, net = sequences(n, L, d, rng, later), recurrent_network(d, m, outputs, L, rng)
    fwd, losses = forward(net, X), rng.standard_normal((n, L, outputs))
    left, right = fake_pair(net, fwd, losses)
    found = fake_gradient(net, fwd, losses, after=after, gated=gated, state=state)
    # Sizes of all terms: those of the paths down with every sign left out.
    wide, reached = np.abs(net.weights[0]), np.zeros((n, m))
    for time in range(L, 1, -1):
        reached = np.abs(from_time_two(losses)[:, time - 1]) @ np.abs(net.v).T + reached @ wide.T
    scale = max(1.0, n * float(reached.max()) * max(float(h.max()) for h in fwd.post[1:]) * L)
    return Measured(float(np.abs(found - left.T @ right).max()), error=rounding(scale, 8.0 * L * (m + n)), scale=scale)
