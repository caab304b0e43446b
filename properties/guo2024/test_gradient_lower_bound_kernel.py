"""guo2024, Lemmas 4.2 and B.7 and the limiting tangent kernel of the points at hand.

The separation of the paper stands for its least eigenvalue, which `bounds.laws.tangent_kernel` computes from the
points. `least_gradient_at_the_points` measures gradients of networks of finite width, `least_of_a_layer` has Lemma B.7
at depths that only the limit can show.
"""

import numpy as np
from numpy.random import Generator

from bounds.laws.tangent_kernel import layer_kernels, limit_kernel
from nets import Array, normalise_rows
from properties.guo2024.layer_maps import grams, least_of_sum, random_network
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, choices, claim, control, grid, reals
from theory.evidence import Search, Trials

# All pairs of so many points are compared in seconds.
MOST_POINTS = 4096


def least_limit(X: Array, L: int, slope: float) -> float:
    """The least eigenvalue of the limiting tangent kernel of points X (n, d), per neuron and for one output.

    Raises `ValueError` for more than `MOST_POINTS` points.
    """
    if len(X) > MOST_POINTS:
        raise ValueError(f"the eigenvalues of {len(X)} points take too long; take at most {MOST_POINTS}")
    return float(np.linalg.eigvalsh(limit_kernel(X @ X.T, L, slope))[0])


# Logs of squared norms, of the input layer as well, have a variance of (5 L + 2)/m at most.
WIDTH_AGAINST_DEPTH = "m >= 64*L*log(n*outputs/delta)"
FEW = {"n": 4, "d": 8, "m": 1024, "L": 2, "outputs": 1, "delta": 0.4}


@claim(
    "guo2024:lemma-4.2-kernel",
    title="gradient lower bound at the start, by the limiting kernel of the points at hand",
    bound=">= c*kerlim*m/outputs",
    constants={
        "c": (2, "half of the limit, and 4 for the derivative of the square"),
        "Cbar": (
            24,
            "of bounded summands the matrix Chernoff bound asks for 6.5; squares of Gaussians have heavier tails",
        ),
    },
    premises=[
        "width against the least eigenvalue of the limiting kernel [ours, in place of the chance "
        "exp(-Omega(m phi^2/L^3)) of Lemma 4.2]: m >= Cbar*n*outputs*log(n*outputs/delta)/kerlim",
        "width against depth, as the eigenvalue grows with the depth: m >= 64*L*log(n*outputs/delta)",
    ],
    regime=Regime(
        cells=[
            *grid(**{**FEW, "slope": [-1.0, 0.0]}),
            *grid(**{**FEW, "slope": 0.0, "L": 1, "m": 2048, "n": 2, "outputs": 4}),
            *grid(**{**FEW, "slope": 0.5, "L": 1, "m": 16384, "n": 6}),
        ],
        thorough=grid(**{**FEW, "slope": [-2.0, 0.05], "n": 8, "m": 4096, "L": 3}),
        from_data={"kerlim": least_limit},
    ),
    evidence=Trials(rate="delta", budget=120),
    controls=[
        control("points moved far towards the first", moved=4.0),
        control(
            "eight neurons",
            cells=grid(**{**FEW, "slope": 0.0, "m": 8}),
            without=["m >= Cbar*n*outputs*log(n*outputs/delta)/kerlim", WIDTH_AGAINST_DEPTH],
        ),
        control(
            "many points in a plane",
            cells=grid(**{**FEW, "slope": 0.0, "n": 24, "d": 2, "m": 264, "L": 1}),
            without="m >= Cbar*n*outputs*log(n*outputs/delta)/kerlim",
        ),
        control(
            "fifty layers of sixteen neurons",
            cells=grid(**{**FEW, "slope": 0.0, "n": 2, "m": 16, "L": 50}),
            without=WIDTH_AGAINST_DEPTH,
        ),
    ],
    note="for all residuals, at the points of a cell, random ones, which all its trials share; with --data at rows of "
    "the file. kerlim is the least eigenvalue of their limiting kernel, per neuron and for one output; c, Cbar ours",
)
def least_gradient_at_the_points(
    rng: Generator, X: Array, m: int, L: int, outputs: int, slope: float, *, moved: float = 0.0
) -> float:
    """The least ||grad L||_F^2/L over all residuals, loss without 1/2, at W^(0) and the points X."""
    points = normalise_rows(X + moved * X[0]) if moved else X
    return 4.0 * least_of_sum(grams(random_network(X.shape[1], m, L, outputs, slope, rng), points))


@claim(
    "guo2024:lemma-B.7-limit",
    title="least eigenvalue of the limiting kernel of two points in every layer, by separation and depth",
    kind="deterministic",
    bound=">= (1 - slope)**2*phi_pm/(8*L*(1 + slope**2))",
    premises="none needed: every signed separation and every slope drawn, in layers of infinite width",
    regime=Regime(
        cells=grid(L=[1, 4, 64]),
        draw={
            "slope": reals(-3.0, 0.95),
            "phi_pm": reals(0.01, 1.414, logarithmic=True),
            "points": choices("near", "near antipodes"),
        },
        pinned=[
            {"slope": slope, "phi_pm": phi_pm, "points": points}
            for slope in SLOPES
            for phi_pm in (0.01, 1.414)
            for points in ("near", "near antipodes")
        ],
        most={"phi_pm": 2.0**0.5},  # of orthogonal points
    ),
    evidence=Search(adversary="near duplicates and near antipodes, at the separation itself"),
    controls=[
        control("another slope in the gates", times=-1.0),
        control(
            "the power 3/4 of the depth", bound="(1 - slope)**2*phi_pm/(8*L**(3/4)*(1 + slope**2))", cells=grid(L=1000)
        ),
    ],
    note="in units of m/outputs. Two points near each other have kappa^2 phi/(2 pi) in one layer, and far up a layer "
    "does not tell points apart by more than 3 pi/(kappa^2 L): there the factor 1/L is needed, which print has",
)
def least_of_a_layer(L: int, slope: float, phi_pm: float, points: str, *, times: float = 1.0) -> Measured:
    """The least eigenvalue, over layers l <= L, of the limit of outputs/m times <G_{i,l}(v), G_{j,l}(v)> at W^(0).

    ||v|| = 1, at two points phi_pm apart up to signs.
    """
    cosine = (1.0 - 0.5 * phi_pm**2) * (-1.0 if points == "near antipodes" else 1.0)
    kernels = layer_kernels(np.array([[1.0, cosine], [cosine, 1.0]]), L, times * slope)
    return Measured(float(np.linalg.eigvalsh(kernels)[:, 0].min()), error=1e-13 * L)
