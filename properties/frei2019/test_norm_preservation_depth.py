"""frei2019, Lemma 4.1: how norms depend on the depth, with theta L fixed, with the scale 1, and without skips.

Main claims: `drift_with_the_depth`, the residual network; beside it `drift_at_the_scale_one`, the same with theta = 1,
and `drift_without_skips`, the network of zou2018 of equal depth and width; `drift_of_wide_networks`, revealed.
"""

from __future__ import annotations

import math

import numpy as np

from bounds.formula import formula
from bounds.papers import frei2019 as sheet
from nets.forward import forward
from nets.fresh import fresh_layer, sample_ensemble
from nets.network import residual_network
from nets.points import sphere
from theory.claim import claim, control
from theory.evidence import Scaling
from theory.regime import Regime, grid


def _log_norm(rng: np.random.Generator, m: int, L: int, theta: float) -> float:
    """The size of the logarithm of ||x_L||; the layers are fresh at what enters them."""
    x = np.maximum(fresh_layer(sphere(1, 4, rng), m, rng), 0.0)
    size = math.log(float(np.linalg.norm(x)))
    for _ in range(L - 1):
        x = x / np.linalg.norm(x)
        x = x + theta * np.maximum(fresh_layer(x, m, rng), 0.0)
        size += math.log(float(np.linalg.norm(x)))
    return abs(size)


@claim(
    "frei2019:lemma-4.1",
    variant="depth",
    title="the norm of the last layer does not grow with a power of the depth",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built",
    regime=Regime(
        calibration=grid(m=2000, L=[8, 32, 64]),
        cells=grid(m=2000, L=[128, 1000]),
        thorough=grid(m=2000, L=4000),
    ),
    evidence=Scaling({"L": "equal"}, constant="C", replicates=20, resolution=0.05),
    controls=[
        control("the scale 1", power=0.0),
        control("the scale 1/sqrt(L)", power=0.5),
    ],
    note="theta L = 1: at the scales 1 and 1/sqrt(L) the same networks grow with the depth",
)
def drift_with_the_depth(rng: np.random.Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size of the logarithm of the norm of the last state; the layers are fresh at what enters them."""
    return _log_norm(rng, m, L, L**-power)


@claim(
    "frei2019:lemma-4.1",
    variant="depth-at-scale-1",
    title="with the scale 1 the norm of the last layer grows exponentially with the depth",
    kind="asymptotic",
    bound=sheet.lemma_41_scale_one.reads("C*L"),
    premises="none needed: the scale is 1 as built",
    regime=Regime(
        calibration=grid(m=2000, L=[32, 64]), cells=grid(m=2000, L=[128, 1000]), thorough=grid(m=2000, L=2000)
    ),
    evidence=Scaling({"L": "equal"}, constant="C", replicates=12, resolution=0.05),
    controls=[
        control("the scale 1/L", power=1.0),
        control("the root of the depth", bound=formula("C*sqrt(L)", sheet.lemma_41_scale_one.constants)),
        control("no depth", bound=sheet.lemma_41_depth),
    ],
    note="beside lemma-4.1-depth: the same network, theta apart",
)
def drift_at_the_scale_one(rng: np.random.Generator, m: int, L: int, *, power: float = 0.0) -> float:
    """The size of the logarithm of the norm of the last state of a residual network of the scale 1."""
    return _log_norm(rng, m, L, L**-power)


# Networks of which the standard deviation is taken.
ENSEMBLE = 128


@claim(
    "frei2019:lemma-4.1",
    variant="depth-without-skips",
    title="without skips the norm of the last layer is off by the root of depth over width",
    kind="asymptotic",
    bound=sheet.lemma_41_plain.reads("C*sqrt(L/m)"),
    premises="none needed: weights are those of Gaussian initialisation",
    regime=Regime(
        calibration=grid(m=[64, 256], L=[4, 16]),
        cells=[*grid(m=256, L=64), *grid(m=1024, L=4)],
        thorough=grid(m=512, L=128),
    ),
    evidence=Scaling(
        {"L": "equal", "m": "equal"}, constant="C", replicates=lambda L: 30 if L < 100 else 3, resolution=0.05
    ),
    controls=[
        control("no depth", bound=formula("C/sqrt(m)", sheet.lemma_41_plain.constants)),
        control("the depth itself", bound=formula("C*L/sqrt(m)", sheet.lemma_41_plain.constants)),
        control("the order 1/m", bound=formula("C*sqrt(L)/m", sheet.lemma_41_plain.constants)),
    ],
    note="beside lemma-4.1-depth: the plain network of zou2018, whose width has to grow with the depth",
)
def drift_without_skips(rng: np.random.Generator, m: int, L: int) -> float:
    """The standard deviation, over plain networks of L layers, of the logarithm of the norm of the last state."""
    norms = sample_ensemble(sphere(1, 4, rng), [m] * L, ENSEMBLE, rng).norms[:, 0, -1]
    return float(np.std(np.log(norms), ddof=1))


@claim(
    "frei2019:lemma-4.1",
    variant="depth-at-large-widths",
    title="norms of the last residual layer at widths of 10^4 to 10^5",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built",
    regime=Regime(
        calibration=[*grid(m=10**4, L=[12, 45]), *grid(m=3 * 10**4, L=12)],
        cells=[*grid(m=10**5, L=12), *grid(m=10**4, L=160)],
        thorough=grid(m=10**4, L=1000),
    ),
    evidence=Scaling(
        {"L": "equal", "m": "equal"}, constant="C", replicates=lambda L: 12 if L < 500 else 2, resolution=0.05
    ),
    controls=[
        control("the scale 1", power=0.0),
        control("the scale 1/sqrt(L)", power=0.5),
    ],
    note="layers are revealed at what meets them",
)
def drift_of_wide_networks(rng: np.random.Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size of the logarithm of ||x_L|| of a revealed residual network at a point of the sphere."""
    net = residual_network((4, *[m] * (L + 1)), L**-power, rng, stored=0)
    return abs(math.log(float(np.linalg.norm(forward(net, sphere(1, 4, rng)).post[L]))))
