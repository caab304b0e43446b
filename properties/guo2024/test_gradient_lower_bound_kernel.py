"""guo2024, Lemma 4.2 with a quantity of the points at hand: the least eigenvalue of their limiting tangent kernel.

The separation of the paper stands for this eigenvalue. It is computed from the points by `bounds.laws.tangent_kernel`,
which knows no network, and a row measures gradients of networks of finite width.
"""

from __future__ import annotations

import numpy as np

from bounds.laws.tangent_kernel import limit_kernel
from nets.core.arrays import Array
from nets.data.distances import normalise_rows
from properties.guo2024.layer_maps import grams, least_of_sum, random_network
from theory.claims import Regime, claim, control, grid
from theory.evidence import Trials

# All pairs of so many points are compared in seconds.
MOST_POINTS = 4096


def least_limit(X: Array, L: int, slope: float) -> float:
    """The least eigenvalue of the limiting tangent kernel of points X (n, d), per neuron and for one output.

    Raises `ValueError` for more than `MOST_POINTS` points.
    """
    if len(X) > MOST_POINTS:
        raise ValueError(f"the eigenvalues of {len(X)} points take too long; take at most {MOST_POINTS}")
    return float(np.linalg.eigvalsh(limit_kernel(X @ X.T, L, slope))[0])


FEW = {"n": 4, "d": 8, "m": 512, "L": 2, "outputs": 1, "delta": 0.4}


@claim(
    "guo2024:lemma-4.2",
    variant="kernel",
    title="gradient lower bound at the start, by the limiting kernel of the points at hand",
    bound="c*kerlim*m/outputs",
    constants={
        "c": (2, "half of the limit, and 4 for the derivative of the square"),
        "Cbar": (8, "the matrix Chernoff bound over the neurons of a layer, to half of the mean, asks for 6.5"),
    },
    sense=">=",
    premises=(
        "width against the least eigenvalue of the limiting kernel [Lemma 4.2, with the eigenvalue for the "
        "separation]: m >= Cbar*n*outputs*log(n*outputs/delta)/kerlim"
    ),
    regime=Regime(
        cells=[
            *grid(**{**FEW, "slope": [-1.0, 0.0]}),
            *grid(**{**FEW, "slope": 0.0, "L": 1, "m": 2048, "n": 2, "outputs": 4}),
            *grid(**{**FEW, "slope": 0.5, "L": 1, "m": 4096, "n": 6}),
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
            without="m >= Cbar*n*outputs*log(n*outputs/delta)/kerlim",
        ),
    ],
    note="for all residuals, at the points of a cell, which all its trials share; with --data at rows of the file",
)
def least_gradient_at_the_points(
    rng: np.random.Generator, X: Array, m: int, L: int, outputs: int, slope: float, *, moved: float = 0.0
) -> float:
    """The least ||grad L||_F^2/L over all residuals, loss without 1/2, of a random network at the points."""
    points = normalise_rows(X + moved * X[0]) if moved else X
    return 4.0 * least_of_sum(grams(random_network(X.shape[1], m, L, outputs, slope, rng), points))
