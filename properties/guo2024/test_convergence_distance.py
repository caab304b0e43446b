"""guo2024 on how far gradient descent goes from its start: Lemma B.9.

Main claim: `distance_at_all_times`.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import strategies as st

from bounds.papers import guo2024 as sheet
from nets.forward import forward
from nets.network import leaky_network
from nets.points import pair_at_distance
from properties.guo2024.descent import descend, drift
from properties.guo2024.slopes import SLOPES
from theory.claim import claim, control
from theory.evidence import Search
from theory.measured import Measured
from theory.regime import Regime, grid, reals

# Two antipodes and one layer: what the condition on the width leaves at sizes that can be run.
WIDE = grid(m=32768, L=1, n=2, outputs=1, phi=2.0)
NARROW = grid(m=64, L=1, n=2, outputs=1, phi=2.0)


@claim(
    "guo2024:lemma-B.9",
    bound=sheet.lemma_B_9.reads("phi**(3/2)*C/(n**(3/2)*L**(15/2)*log(m)**(3/2))"),
    premises=(sheet.lemma_B_9_width, sheet.lemma_B_9_step),
    measured=["eta"],
    regime=Regime(
        cells=WIDE,
        thorough=grid(m=131072, L=1, n=2, outputs=1, phi=2.0),
        draw={"slope": st.sampled_from(SLOPES), "pace": reals(0.5, 0.99)},
        pinned=[{"slope": slope, "pace": 0.99, "trial": 0} for slope in (-2.0, -1.0, 0.0, 0.05)],
    ),
    evidence=Search(examples=1, adversary="targets of norm 1 against the outputs at the start"),
    controls=[
        control("a narrow layer", cells=NARROW, without=sheet.lemma_B_9_width),
        control("a step too long", times=30.0, without=sheet.lemma_B_9_step),
        control("a radius that falls like the root of the width", bound="phi**(3/2)/(n**(3/2)*L**(15/2)*sqrt(m))"),
        control("ascent", times=-1.0),
    ],
    idle={"taken": 0},
    blind=dict.fromkeys(
        ("m", "n", "L", "phi"), "at sizes that can be run the condition on the width leaves two antipodes"
    ),
    note="slopes 1/2 and 9/10 ask for larger widths and are set aside; by (111) the distance falls like the root of "
    "the width, so that it stays inside from there on",
)
def distance_at_all_times(
    rng: np.random.Generator,
    m: int,
    L: int,
    n: int,
    outputs: int,
    phi: float,
    slope: float,
    pace: float,
    *,
    times: float = 1.0,
    taken: int = 1,
) -> Measured:
    """The largest distance from the start, in operator norm, in 12 steps of almost the largest size allowed."""
    X = pair_at_distance(phi, 2, rng)
    net = leaky_network(2, m, L, outputs, slope, rng, stored=2**17)
    targets = -np.sign(forward(net, X).output)
    largest = float(sheet.lemma_B_9_step.larger.evaluate({"m": m, "n": n, "L": L, "outputs": outputs, "phi": phi}))
    eta = times * pace * largest
    path = itertools.islice(descend(net, X, targets, eta), taken * 12 + 1)
    far = [drift(net, at.net, operator=True) if math.isfinite(at.loss) else math.inf for at in path]
    return Measured(max(far), symbols={"eta": abs(eta)})
