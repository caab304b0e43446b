"""zou2018, Lemma C.2: how far one gradient step moves the outputs of the layers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bounds import zou2018 as sheet
from bounds.formula import formula
from nets.data import DataSource
from nets.network import he_network
from properties.smoothness.measurements import (
    BELOW,
    LOSSES,
    GradientStep,
    region_symbols,
    same_points,
    step_in_region,
    step_size,
    two_channels,
    widths,
)
from theory.claim import claim, control
from theory.evidence import Search
from theory.measured import Measured
from theory.regime import Regime, grid, reals

# Where a factor of the bound is seen best, and a wrong one refuted at once.
ONE_LAYER = grid(L=1, M=32, n=8, d=8)
CHANNELS = "equal samples, all neurons active, gradients along the largest norms"


@claim(
    "zou2018:lemma-C.2",
    bound=sheet.lemma_C_2,
    premises=sheet.lemma_C_2_premises,
    regime=Regime(
        cells=grid(L=[1, 2, 3], M=32, n=8, d=8),
        thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": st.integers(0, len(LOSSES) - 1),
            "size": reals(1e-6, 1.0, logarithmic=True),
            "moved": reals(0.0, 0.99),
        },
        pinned=[{"worst": 1, "loss": 1, "size": 1.0, "moved": 0.0, "trial": 0}],
    ),
    measured=["S1abs", "eta", "tau", "normW", "r"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("a fifth of the bound", bound=formula("2**(5*L)*sqrt(M)*eta/(35*n)*S1abs"), cells=ONE_LAYER),
        control("mean over the samples taken twice", bound=formula("2**(5*L)*sqrt(M)*eta/(7*n**2)*S1abs")),
        control("norms of the columns for the norm of a layer", norm=12.0, columns=True),
        control("inputs of norm 3", times=3.0, cells=ONE_LAYER),
    ],
    note="the centre of the region need not be Gaussian: of Theorem 5.1 the proof uses the norms of the "
    "layers and of their outputs alone",
)
def layer_moves(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    worst: int,
    loss: int,
    size: float,
    moved: float,
    *,
    norm: float = 3.5,
    times: float = 1.0,
    columns: bool = False,
) -> Measured:
    """The moves of all layer outputs from an iterate in the region to the next one.

    The worst centre has the largest norms that the premises allow, in the places where a gradient meets them.
    """
    X, y = data.draw(n, d, rng)
    channels = (1.5 / times**2 * BELOW, norm * BELOW) if worst else None
    centre, step = step_in_region(rng, times * X, y, widths(X.shape[1], M, L), LOSSES[loss], size, moved, channels)
    return Measured(step.outputs[:, 1:], symbols=region_symbols(centre, step, columns=columns))


@claim(
    "zou2018:lemma-C.2",
    variant="sharp",
    bound=sheet.lemma_C_2_sharp,
    regime=Regime(
        cells=grid(L=[1, 2, 3, 4], m=32, n=4, d=8),
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw={
            "worst": st.integers(0, 1),
            "loss": st.integers(0, len(LOSSES) - 1),
            "norm": reals(0.25, 16.0, logarithmic=True),
            "size": reals(1e-3, 10.0, logarithmic=True),
        },
        pinned=[
            {"worst": 1, "loss": 1, "norm": 4.0, "size": 1e-3, "trial": 0},
            {"worst": 0, "loss": 0, "norm": 2.0, "size": 1.0, "trial": 0},
        ],
    ),
    measured=["S1abs", "eta", "prodW"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("half of the last neurons taken to be active", bound=formula("prodW*sqrt(m/2)*eta/n*S1abs")),
        control("one neuron in twelve missed", bound=formula("prodW*sqrt(11*m/12)*eta/n*S1abs")),
        control("moves of the layers added in quadrature", quadrature=True),
        control("inputs taken to have norm 1 where they have norm 2", times=2.0),
    ],
    note="no premise: weights of any norm, steps of any size, iterates anywhere",
)
def layer_moves_by_measured_norms(
    rng: np.random.Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    worst: int,
    loss: int,
    norm: float,
    size: float,
    *,
    times: float = 1.0,
    quadrature: bool = False,
) -> Measured:
    """The largest move of every layer's output over the samples, against the measured norms of all layers.

    `size` is that of the step, as a share of `norm`. In the worst network the bound is missed only by the two
    dead neurons of the last layer.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], m, L)
    if worst:
        X, y = same_points(X, y)
        net = two_channels(X[0], sizes[1:], 1.0, norm)
    else:
        net = he_network(sizes, rng, gain=norm**2 / 4.0)
    eta = step_size(net, times * X, y, LOSSES[loss], size * norm)
    step = GradientStep.of(net, times * X, y, LOSSES[loss], eta)
    own = step.own_moves / np.array([times**2, *[1.0] * (L - 1)])
    moves, squares = step.stretched(own), np.sqrt(step.stretched(own**2, power=2))
    return Measured(
        step.outputs[:, 1:].max(axis=0),
        symbols={
            "S1abs": step.derivatives.sum(),
            "eta": eta,
            "prodW": squares if quadrature else moves,
        },
    )
