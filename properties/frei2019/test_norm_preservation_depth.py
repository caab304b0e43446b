"""frei2019, Lemma 4.1: how norms depend on the depth, with theta L fixed, with the scale 1, and without skips.

Main claims: `drift_with_the_depth`, the residual network; beside it `drift_at_the_scale_one`, the same with theta = 1,
and `drift_without_skips`, the network of zou2018; `drift_of_wide_networks`, the first one with its layers revealed.
All are judged at the same widths and depths, by the growth of the norm after the first layer, which is the same in all.
"""

from __future__ import annotations

import math

import numpy as np

from bounds.papers import frei2019 as sheet
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import residual_network
from properties.frei2019.depth_drift import drifts_by_depth, plain_drift, residual_drift
from theory.claims import Regime, claim, control, grid
from theory.evidence import Scaling

SIZES = Regime(
    calibration=[*grid(m=1000, L=[32, 128]), *grid(m=4000, L=32)],
    cells=[*grid(m=4000, L=500), *grid(m=10**5, L=32)],
    thorough=grid(m=10**4, L=1000),
)


def _replicates(m: int, L: int) -> int:
    """Fewer of what is larger and keeps closer to its limit."""
    return 8 if m * L < 10**6 else 2


EXPONENTS = {"L": "equal", "m": "equal"}


@claim(
    "frei2019:lemma-4.1",
    variant="depth",
    title="from the first to the last layer the norm does not grow with a power of the depth",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[control("the scale 1", power=0.0), control("the scale 1/sqrt(L)", power=0.5)],
    figure=drifts_by_depth,
    note="theta L = 1: at the scales 1 and 1/sqrt(L) the same networks grow with the depth",
)
def drift_with_the_depth(rng: np.random.Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size of log(||x_L||/||x_1||); the layers are fresh at what enters them."""
    return residual_drift(rng, m, L, L**-power)


@claim(
    "frei2019:lemma-4.1",
    variant="depth-at-scale-1",
    title="with the scale 1 the norm of the last layer grows exponentially with the depth",
    kind="asymptotic",
    bound="C*L",
    constants={"C": (1, "fitted")},
    premises="none needed: the scale is 1 as built",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[control("the scale 1/L", power=1.0)],
    scope="counterexample: the scale 1, which the lemma leaves out",
    note="beside lemma-4.1-depth: the same network, theta apart",
)
def drift_at_the_scale_one(rng: np.random.Generator, m: int, L: int, *, power: float = 0.0) -> float:
    """The size of log(||x_L||/||x_1||) in a residual network of the scale 1."""
    return residual_drift(rng, m, L, L**-power)


@claim(
    "frei2019:lemma-4.1",
    variant="depth-without-skips",
    title="without skips the norm of the last layer is off by the root of depth over width",
    kind="asymptotic",
    bound="C*sqrt(L/m)",
    constants={"C": (1, "fitted")},
    premises="none needed: weights are those of Gaussian initialisation",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=30, resolution=0.05),
    scope="counterexample: a network without skips, of which the lemma does not speak",
    note="beside lemma-4.1-depth: the plain network of zou2018, whose width has to grow with the depth",
)
def drift_without_skips(rng: np.random.Generator, m: int, L: int) -> float:
    """The root mean square of log(||x_L||/||x_1||) over plain networks of L layers."""
    return plain_drift(rng, m, L)


@claim(
    "frei2019:lemma-4.1",
    variant="depth-at-large-widths",
    title="norms of the last residual layer at widths of up to 10^5",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[
        control("the scale 1/sqrt(L)", power=0.5),
        control("the root of the depth", bound="C*sqrt(L)"),
        control("the root of the width", bound="C/sqrt(m)"),
    ],
    note="layers are revealed at what meets them",
)
def drift_of_wide_networks(rng: np.random.Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size of log(||x_L||/||x_1||) in a revealed residual network at a point of the sphere."""
    net = residual_network((4, *[m] * (L + 1)), L**-power, rng, stored=0)
    states = forward(net, sphere(1, 4, rng)).post
    return abs(math.log(float(np.linalg.norm(states[L]) / np.linalg.norm(states[1]))))
