"""frei2019: how far the outputs of the layers move with the input, for Gaussian weights.

Main claims: `distances_of_outputs` (Lemma B.3), and `first_layer_as_printed`, an erratum of its proof.
"""

import math

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.bound import Constant
from bounds.papers import frei2019 as sheet
from nets import forward, pair_at_distance, residual_network, sphere
from properties.frei2019.worst_points import steepest
from theory.claims import Measured, Regime, Verdict, claim, control, grid, reals, rounding
from theory.evidence import Search, Trials

SCALE = math.log(1.01) / 4.11
NEAR = grid(m=256, d=2, L=4, delta=0.4, theta=SCALE / 4)
# At the edge of the width, with many numbers to choose the input by.
EDGE = grid(m=520, d=16, L=2, delta=0.4, theta=SCALE / 2)


@claim(
    "frei2019:lemma-B.3",
    bound="C*dinput",
    constants={
        "C": Constant.above(
            Rational(5, 2),
            attacked=1.75,
            why="hidden; 99 of 100 starts of the least widths, at levels of 0.05 to 0.9; norms of layers give 17",
        )
    },
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(
        cells=[
            *NEAR,
            *grid(m=128, d=2, L=16, delta=0.4, theta=SCALE / 16),
            *grid(m=128, d=2, L=4, delta=0.05, theta=SCALE / 4),
        ]
    ),
    measured=["dinput"],
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("9/8", bound="9*dinput/8", cells=EDGE),
        control("square of the distance", bound="5*dinput**2/2", cells=NEAR),
        control(
            "the scale 1, without the one of the statement",
            cells=grid(m=128, d=2, L=16, delta=0.4, theta=1.0),
            without=sheet.lemma_b2_scale,
        ),
        control(
            "narrower than the inputs",
            cells=grid(m=4, d=64, L=4, delta=0.4, theta=SCALE / 4),
            without=sheet.lemma_b3_width,
        ),
    ],
    note="pairs along the top singular vector of x_{L+1}'s Jacobian, at an x that climbs its norm, and antipodes; C "
    "is 4 in the width",
)
def distances_of_outputs(rng: Generator, m: int, d: int, L: int, theta: float) -> Measured:
    """The distance ||x_l - x_l'|| of each layer l <= L + 1 at pairs of unit points, dinput being ||x - x'||."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    x, towards = steepest(net, sphere(1, d, rng))
    # On the line there are antipodes alone.
    moves = (1e-5, 1e-3, 0.1, 1.0) if d > 1 else ()
    others = np.stack([x[0] + h * towards for h in moves] + [-x[0]])
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    post = forward(net, np.concatenate([x, others])).post
    gaps = [np.linalg.norm(state[1:] - state[0], axis=1) for state in post]
    return Measured(np.stack(gaps[1:]), error=1e-11, symbols={"dinput": gaps[0]})


@claim(
    "frei2019:b3-first-layer",
    bound="= 0",
    premises="none needed: an identity as it is printed, at all weights and points",
    regime=Regime(cells=grid(m=[2, 64], d=2), draw={"phi": reals(0.01, 1.0, logarithmic=True)}, pinned=[{"phi": 0.01}]),
    evidence=Search(examples=4, adversary="points so near that hardly a gate differs"),
    expected=Verdict.REFUTED,
    controls=[control("gates of the first point", late=False)],
    note="print equates norms of both sides, the right one 0 where gates agree; Claim C.1's diagonal repairs the proof",
)
def first_layer_as_printed(rng: Generator, m: int, d: int, phi: float, *, late: bool = True) -> Measured:
    """The norm of x_1 - x_1' - (Sigma_1 - Sigma_1') W_1^T (x - x') at two points, the number phi their distance."""
    fwd = forward(residual_network((d, m, 2), 1.0, rng), pair_at_distance(phi, d, rng))
    (first, second), (gates, others), (pre, moved) = fwd.post[1], fwd.masks[0], fwd.pre[0]
    left = first - second - (gates - (others if late else 0.0)) * (pre - moved)
    scale = float(np.linalg.norm(pre) + np.linalg.norm(moved))
    return Measured(float(np.linalg.norm(left)), error=rounding(scale, d + 8.0), scale=scale)
