"""guo2024, the tangent kernel of a network of finite width against its law of infinite width.

Main claim: `distance_from_the_law`.
"""

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.laws.tangent_kernel import limit_kernel
from nets import forward, polygon, tangent_features
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.slopes import SLOPES
from theory.claims import Regime, claim, control, grid
from theory.evidence import Trials

AGAINST_DEPTH = "m >= 8*L*log(2/delta)"

# One layer of a width at which wrong laws are far beyond the bound.
WIDE = grid(slope=-1.0, m=512, L=1, delta=0.5)

# Two, of which one alone is far beyond it.
TWO_LAYERS = grid(slope=-1.0, m=1024, L=2, delta=0.5)


@claim(
    "guo2024:eq-133-width",
    title="tangent kernel of a wide network against its law of infinite width",
    kind="probability",
    # What a layer adds goes with the others: its logarithm has a variance of some (5 L + 2)/m.
    bound="C*L**(3/2)*sqrt(log(2/delta)/m)",
    constants={
        "C": (Rational(7, 2), "some three standard deviations of the largest entry, times the root of the width")
    },
    premises=(
        "width against depth, the 8 is ours, for tails that are those of a Gaussian in the logarithm: "
        "m >= 8*L*log(2/delta)"
    ),
    regime=Regime(
        cells=[
            *grid(slope=list(SLOPES), m=32, L=1, delta=0.5),
            *grid(slope=list(SLOPES), m=40, L=3, delta=0.5),
            *grid(slope=[-1.0, 0.5], m=32, L=1, delta=0.1),
            *grid(slope=[-1.0, 0.0, 0.9], m=512, L=1, delta=0.5),
            *grid(slope=-1.0, m=1024, L=1, delta=0.5),
            *TWO_LAYERS,
            # So wide that the gates of the last layer left out of the law are beyond the bound.
            *grid(slope=-1.0, m=8192, L=2, delta=0.5),
            *grid(slope=0.0, m=128, L=8, delta=0.5),
        ],
        thorough=grid(slope=list(SLOPES), m=2048, L=3, delta=0.5),
    ),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("falls as 1/m", bound="7*L**(3/2)*log(2/delta)/m", cells=WIDE),
        control("a third of it", bound="7*L**(3/2)*sqrt(log(2/delta)/m)/6"),
        control("the law of the slope of the wrong sign", sign=-1.0, cells=WIDE),
        control("the law of ReLU for all slopes", sign=0.0, cells=WIDE),
        control("the law of one layer more", deeper=1, cells=WIDE),
        control("the last layer left out", top=1, cells=WIDE),
        control("the last layer alone", below=0, cells=TWO_LAYERS),
    ],
    blind={f"premise {AGAINST_DEPTH}": "of narrower networks only the tail fails, less often than trials show"},
    note="not in print. x_i: corners of a pentagon; one output. Limit: (1/2) sum_l c_{l-1} k_{l-1} .. k_{L-1}, k_l = "
    "1 - f t_l/pi, c_l = cos t_l, c_0 = <x_i, x_j>, c_{l+1} = c_l + f (sin t_l - t_l c_l)/pi, f = jump^2",
)
def distance_from_the_law(
    rng: Generator, slope: float, m: int, L: int, *, sign: float = 1.0, deeper: int = 0, top: int = 0, below: int = 1
) -> float:
    """The largest |sum_l <grad_{W_l} f(x_i), grad_{W_l} f(x_j)>/m - its limit for infinite m| over i, j, at W^(0)."""
    X = polygon(5)
    net = seen_network(2, m, L, 1, slope, rng)
    grams = tangent_features(net, forward(net, X)).grams
    grams[:-1] *= below
    return float(np.abs(grams[: L - top].sum(axis=0) / m - limit_kernel(X @ X.T, L + deeper, sign * slope)).max())
