"""guo2024 on how far gradient descent goes from its start: Lemma B.9.

Main claim: `distance_at_all_times`.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from bounds.papers import guo2024 as sheet
from nets.forward import forward
from nets.network import leaky_network
from nets.points import pair_at_distance
from properties.guo2024.descent import descend, drift
from theory.claim import claim, control
from theory.evidence import Trials
from theory.regime import Regime


def antipodes_at(m: int, slope: float, times: float = 1.0) -> dict[str, float]:
    """Two antipodes and one layer, which the condition on the width leaves at sizes that run; a step near the limit."""
    sizes = {"m": m, "L": 1, "n": 2, "outputs": 1, "phi": 2.0}
    largest = float(sheet.lemma_B_9_step.larger.evaluate(sizes))
    return {**sizes, "slope": slope, "delta": 0.4, "eta": times * 0.99 * largest}


@claim(
    "guo2024:lemma-B.9",
    bound=sheet.lemma_B_9.reads("phi**(3/2)*C/(n**(3/2)*L**(15/2)*log(m)**(3/2))"),
    premises=(sheet.lemma_B_9_width, sheet.lemma_B_9_step),
    regime=Regime(
        cells=[*(antipodes_at(2**13, slope) for slope in (-2.0, -1.0, -0.5)), antipodes_at(2**15, 0.0)],
        thorough=[antipodes_at(2**15, 0.05), antipodes_at(2**17, 0.0), antipodes_at(2**18, 0.5)],
    ),
    evidence=Trials(rate="delta", budget=80),
    controls=[
        control("a narrow layer, 12 steps", taken=4, cells=[antipodes_at(64, 0.0)], without=sheet.lemma_B_9_width),
        control("a step too long", cells=[antipodes_at(2**15, 0.0, 30.0)], without=sheet.lemma_B_9_step),
        control("a radius that falls like the root of the width", bound="phi**(3/2)/(n**(3/2)*L**(15/2)*sqrt(m))"),
        control("ascent, 12 steps", sign=-1.0, taken=4, cells=[antipodes_at(2**13, -0.5)]),
    ],
    idle={"taken": 0},
    blind=dict.fromkeys(
        ("m", "n", "L", "phi"), "at sizes that can be run the condition on the width leaves two antipodes"
    ),
    note="targets of norm 1 against the outputs at the start. By (111) the distance falls like the root of "
    "the width, so that it stays inside from there on. At 9/10 the condition on the width asks for 2^25 neurons",
)
def distance_at_all_times(
    rng: np.random.Generator,
    m: int,
    L: int,
    n: int,
    outputs: int,
    phi: float,
    slope: float,
    eta: float,
    *,
    sign: float = 1.0,
    taken: int = 1,
) -> float:
    """The largest distance from the start, in operator norm, in 3 steps of almost the largest size allowed."""
    X = pair_at_distance(phi, 2, rng)
    net = leaky_network(2, m, L, outputs, slope, rng, stored=2**17)
    targets = -np.sign(forward(net, X).output)
    path = itertools.islice(descend(net, X, targets, sign * eta), taken * 3 + 1)
    far = [drift(net, at.net, operator=True) if math.isfinite(at.loss) else math.inf for at in path]
    return max(far)
