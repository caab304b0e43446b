"""frei2019: how far the outputs of the layers move with the input, for Gaussian weights.

Main claim: `distances_of_outputs` (Lemma B.3).
"""

from __future__ import annotations

import math

import numpy as np

from bounds.papers import frei2019 as sheet
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import residual_network
from properties.frei2019.worst_points import steepest
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Trials

SCALE = math.log(1.01) / 4.11
BY_THE_NORMS = "it says that layers have bounded norms; lemma-B.1 sees it"

NEAR = grid(m=256, d=2, L=4, delta=0.4, theta=SCALE / 4)


@claim(
    "frei2019:lemma-B.3",
    bound="C*dinput",
    constants={"C": (17, "1.01 times the square of 41/10")},
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(cells=[*NEAR, *grid(m=128, d=2, L=16, delta=0.4, theta=SCALE / 16)]),
    measured=["dinput"],
    evidence=Trials(rate="delta", budget=100, dear=True),
    controls=[
        control("half of the distance", bound="dinput/2", cells=NEAR),
        control("square of the distance", bound="17*dinput**2", cells=NEAR),
        control(
            "the scale 1, without the one of the statement",
            cells=grid(m=128, d=2, L=16, delta=0.4, theta=1.0),
            without=sheet.lemma_b2_scale,
        ),
    ],
    blind={f"premise {sheet.lemma_b3_width.text}": BY_THE_NORMS},
    note="pairs along the top singular vector of the Jacobian, near and far, and antipodes, at a point that climbs its "
    "norm; the constant leaves room for all gates",
)
def distances_of_outputs(rng: np.random.Generator, m: int, d: int, L: int, theta: float) -> Measured:
    """The distance of the outputs of each layer at pairs of unit points, with the distance of the points."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    x, towards = steepest(net, sphere(1, d, rng))
    # On the line there are antipodes alone.
    moves = (1e-5, 1e-3, 0.1, 1.0) if d > 1 else ()
    others = np.stack([x[0] + h * towards for h in moves] + [-x[0]])
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    post = forward(net, np.concatenate([x, others])).post
    gaps = [np.linalg.norm(state[1:] - state[0], axis=1) for state in post]
    return Measured(np.stack(gaps[1:]), error=1e-11, symbols={"dinput": gaps[0]})
