"""frei2019, Lemma 4.1: how norms depend on the depth, with theta L fixed, with the scale 1, and without skips.

Main claims: `drift_with_the_depth`, the residual network; beside it `drift_at_the_scale_one`, the same with theta = 1,
and `drift_without_skips`, the network of zou2018; `drift_of_wide_networks`, the first one with its layers revealed.
All are judged at the same sizes, by the growth of the norm after the first layer. `what_layers_add` is a layer's law.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from bounds.laws.layers import MaskedChiSquare
from bounds.papers import frei2019 as sheet
from nets import Array, DataError, forward, residual_network, sphere
from properties.frei2019.depth_drift import drifts_by_depth, plain_drift, residual_drift
from theory.claims import Regime, claim, control, grid
from theory.evidence import Distribution, Scaling

SIZES = Regime(
    calibration=[*grid(m=1000, L=[32, 128]), *grid(m=4000, L=32)],
    cells=[*grid(m=4000, L=500), *grid(m=10**5, L=32)],
    thorough=grid(m=10**4, L=1000),
    least={"m": 1000, "L": 32},
)
EXPONENTS = {"L": "equal", "m": "equal"}


def _replicates(m: int, L: int) -> int:
    """Fewer of what is larger and keeps closer to its limit."""
    return 8 if m * L < 10**6 else 2


@claim(
    "frei2019:lemma-4.1-depth",
    title="from the first to the last residual layer the norm does not grow with a power of the depth",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built, 32 layers and 1000 neurons or more, where no state is 0",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[control("the scale 1", power=0.0), control("the scale 1/sqrt(L)", power=0.5)],
    figure=drifts_by_depth,
    note="theta L = 1, C fitted, of fewer layers it is less; at the scales 1 and 1/sqrt(L) the same "
    "networks grow with the depth",
)
def drift_with_the_depth(rng: Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size |log(||x_L||/||x_1||)| at one point, theta = 1/L; the layers are fresh at what enters them."""
    return residual_drift(rng, m, L, L**-power)


@claim(
    "frei2019:lemma-4.1-depth-at-scale-1",
    title="with the scale 1 the norm of the last residual layer grows exponentially with the depth",
    kind="asymptotic",
    bound="C*L",
    constants={"C": (1, "fitted")},
    premises="none needed: the scale is 1 as built, 32 layers and 1000 neurons or more, where no state is 0",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[control("the scale 1/L", power=1.0)],
    scope="counterexample: the scale 1, which the lemma leaves out",
    note="beside lemma-4.1-depth: the same network, theta apart",
)
def drift_at_the_scale_one(rng: Generator, m: int, L: int, *, power: float = 0.0) -> float:
    """The size |log(||x_L||/||x_1||)| at one point of a residual network with theta = 1."""
    return residual_drift(rng, m, L, L**-power)


@claim(
    "frei2019:lemma-4.1-depth-without-skips",
    title="without skips the norm of the last layer is off by the root of depth over width",
    kind="asymptotic",
    bound="C*sqrt(L/m)",
    constants={"C": (1, "fitted")},
    premises="a depth well below the width, where the mean of the logarithm adds little: m >= 7*L",
    regime=replace(SIZES, least={}),
    evidence=Scaling(EXPONENTS, constant="C", replicates=30, resolution=0.05),
    controls=[control("eight times as deep as wide", without="m >= 7*L", cells=grid(m=64, L=512))],
    scope="counterexample: a network without skips, of which the lemma does not speak",
    note="beside lemma-4.1-depth: the plain network of zou2018, whose width has to grow with the depth",
)
def drift_without_skips(rng: Generator, m: int, L: int) -> float:
    """The root mean square of log(||x_L||/||x_1||) over 128 plain networks, x_l = phi(W_l^T x_{l-1}), of L layers."""
    return plain_drift(rng, m, L)


@claim(
    "frei2019:lemma-4.1-depth-at-large-widths",
    title="norms of the last residual layer at widths of up to 10^5",
    kind="asymptotic",
    bound=sheet.lemma_41_depth.reads("C"),
    premises="none needed: the scale is 1/L as built, 32 layers and 1000 neurons or more, where no state is 0",
    regime=SIZES,
    evidence=Scaling(EXPONENTS, constant="C", replicates=_replicates, resolution=0.05),
    controls=[
        control("the scale 1/sqrt(L)", power=0.5),
        control("the root of the depth", bound="C*sqrt(L)"),
        control("the root of the width", bound="C/sqrt(m)"),
    ],
    note="C fitted; layers are drawn where states meet them",
)
def drift_of_wide_networks(rng: Generator, m: int, L: int, *, power: float = 1.0) -> float:
    """The size |log(||x_L||/||x_1||)| at one point, drawn on the sphere, of a residual network with theta = 1/L."""
    net = residual_network((4, *[m] * (L + 1)), L**-power, rng, stored=0)
    states = forward(net, sphere(1, 4, rng)).post
    return abs(math.log(float(np.linalg.norm(states[L]) / np.linalg.norm(states[1]))))


WIDE = grid(m=200, d=4, L=3, theta=0.1, which="each layer")


@claim(
    "frei2019:lemma-4.1-law",
    title="squared norm of what one layer adds, over that of what enters it, in law",
    bound="= 1",
    premises="none needed: each layer is independent of what enters it",
    regime=Regime(
        cells=[
            *WIDE,
            *grid(m=24, d=4, L=8, theta=1.0, which="each layer"),
            *grid(m=24, d=4, L=15, theta=0.02, which="mean of all"),
        ]
    ),
    # The mean of L + 1 independent layers is one layer of (L + 1) m neurons, in law.
    evidence=Distribution(
        law=lambda m, L, which: MaskedChiSquare(m if which == "each layer" else m * (L + 1)), trials=300
    ),
    controls=[
        control("weight variance 1/m", gain=1.0, cells=WIDE),
        control("weight variance 2.2/m", gain=2.2, cells=WIDE),
        control("the state for what is added to it", added=False, cells=WIDE),
    ],
    note="all layers of a network, each for itself, or their mean, which is as close to 1 only if they are "
    "independent; from this the squared norm of the first output has mean 1",
)
def what_layers_add(
    rng: Generator, m: int, d: int, L: int, theta: float, which: str, *, gain: float = 2.0, added: bool = True
) -> Array:
    """The square ||(x_l - x_{l-1})/theta||^2, or ||x_l||^2 at l = 1, L + 1, over ||x_{l-1}||^2: (2/m) chi2_K in law.

    K ~ Binomial(m, 1/2) neurons are active. Raises `DataError` where ||x_{l-1}|| is 0, as of a few neurons.
    """
    # A layer lengthens what it adds by the root of the gain, whatever enters it. One point passes each layer once: at a
    # width of 200 most of it need not be drawn.
    longer = math.sqrt(gain / 2.0)
    fwd = forward(residual_network((d, *[m] * (L + 1)), longer * theta, rng, stored=2**14), sphere(1, d, rng))
    if not all(x.any() for x in fwd.post[:-1]):
        raise DataError(f"a state of {m} neurons is 0, beside which nothing has a law: take more neurons")
    inner = zip(fwd.post[1:L], fwd.post[2 : L + 1], strict=True)
    ends = longer * fwd.post[1], longer * fwd.post[-1]
    parts = [ends[0], *((leaving - added * entering) / theta for entering, leaving in inner), ends[1]]
    found = np.array([np.sum(part**2) / np.sum(x**2) for x, part in zip(fwd.post[:-1], parts, strict=True)])
    return found if which == "each layer" else found.mean(keepdims=True)
