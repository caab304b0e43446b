"""guo2024, Lemma B.18: the gradient at the start where a random layer realises the residuals (Assumption B.13)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from bounds.laws.tangent_kernel import squared_jump
from nets import forward, leaky_relu
from properties.guo2024.layer_maps import grams, least_of_sum, random_network, signed_pairs, simplex
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Scaling, Trials

SMALL_RESIDUALS = "any residuals that are small enough are realised, as the Gram matrix of the layer is definite"


@claim(
    "guo2024:lemma-B.18",
    bound=">= c/outputs**2",
    constants={"c": (1, "open in the paper; fitted")},
    premises=f"none needed: {SMALL_RESIDUALS}",
    regime=Regime(
        calibration=grid(L=2, outputs=1, phi=[0.4, 0.2]),
        cells=grid(L=2, outputs=1, phi=[0.1, 0.05]),
        derived={"m": lambda phi: round(400.0 / phi)},
    ),
    evidence=Scaling(exponents={"phi": "at most"}, constant="c", replicates=40),
    controls=[
        control("the root of phi less", bound="c*sqrt(phi)/outputs**2"),
        control("phi^(1/4)", bound="c*phi**(1/4)/outputs**2"),
    ],
    expected=Verdict.REFUTED,
    note="erratum: small opposite residuals at two points near each other. The gradient falls as the separation, so "
    "that no constant saves it; (163), a loss of order n, is what the proof needs and the assumption does not give",
)
def gradient_of_small_residuals(rng: Generator, m: int, L: int, phi: float) -> float:
    """The least ||grad L||_F^2/(m kappa^2 L), L here the loss, at W^(0) over residuals at two points phi apart.

    The slope is one of five from -2 to 1/20."""
    slope = float(rng.choice(SLOPES[:5]))
    K = grams(random_network(3, m, L, 1, slope, rng), signed_pairs(2, 3, phi, "near duplicates", rng))
    return 4.0 * least_of_sum(K) / (m * squared_jump(slope))


OF_THE_START = "m >= 100*L*log(1/delta)"
ONE_NEURON = control(
    "one neuron",
    cells=grid(slope=0.0, m=1, L=1, n=8, outputs=1, targets="equal", size=1.0, delta=0.05),
    without=OF_THE_START,
)

TARGETS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"equal": np.ones_like, "by sign": np.sign}


@claim(
    "guo2024:lemma-B.18-corrected",
    title="gradient at the start by the square of the loss, for residuals that a random layer realises",
    bound=">= L0**2*c*m*(1 - slope)**2/(n*outputs**2*(slope**2 + 1))",
    constants={"c": (2, "open in the paper; two thirds of pi, which orthogonal points have in one layer at slope -1")},
    premises="width against depth and failure rate, ours: m >= 100*L*log(1/delta)",
    measured=["L0"],
    regime=Regime(
        cells=[
            *grid(slope=list(SLOPES), m=512, L=1, n=8, outputs=1, targets="equal", size=1.0, delta=0.4),
            *grid(slope=[-1.0, 0.0], m=512, L=2, n=8, outputs=1, targets="equal", size=1.0, delta=0.4),
            *grid(slope=-1.0, m=512, L=1, n=8, outputs=1, targets="equal", size=0.1, delta=0.4),
            *grid(slope=[-1.0, -0.5], m=512, L=2, n=8, outputs=2, targets="by sign", size=1.0, delta=0.4),
            *grid(slope=-1.0, m=2048, L=1, n=24, outputs=1, targets="equal", size=1.0, delta=0.4),
            *grid(slope=-1.0, m=512, L=1, n=[2, 8], outputs=4, targets="equal", size=1.0, delta=0.4),
        ],
        most={"n": "m"},  # beyond it the states of a layer span less than their number
    ),
    evidence=Trials(rate="delta", budget=80),
    controls=[
        ONE_NEURON,
        control("twice as much", bound="4*L0**2*m*(1-slope)**2/(n*outputs**2*(slope**2+1))"),
        control(
            "coefficients of size 3",
            cells=grid(slope=-1.0, m=512, L=1, n=8, outputs=1, targets="equal", size=3.0, delta=0.4),
        ),
    ],
    blind=dict.fromkeys(("slope", "term 1", "term -slope"), "not needed, as the variant sharp shows"),
    note="(162), at orthogonal points, for the residuals named below; the width m >= Omega(n d) is not asked",
)
@form(
    "sharp",
    title="gradient at the start by the square of the loss, for residuals that a random layer realises, at any slope",
    # A neuron times its gradient is what the neuron adds to sum_i e_i f(x_i), for weights w in the span of n states:
    # L0^2 = (E[u Y])^2 <= E[|P w|^2] E[|G|^2] for coefficients |u| <= 1, Y = <P w, G>, with E[|P w|^2] <= n.
    bound=">= L0**2*c*m/(n*outputs**2)",
    constants={"c": (4, "in the mean, by Cauchy and Schwarz; at -1, one layer, orthogonal points have pi/2 times it")},
    controls=[
        ONE_NEURON,
        control("three times as much", bound="12*L0**2*m/(n*outputs**2)"),
        control(
            "coefficients of size 3",
            cells=grid(slope=-1.0, m=512, L=1, n=8, outputs=1, targets="equal", size=3.0, delta=0.4),
        ),
    ],
    blind={},
    note="without the factor (1 - slope)^2/(1 + slope^2) of print, which is at most 2",
)
def gradient_of_realised_residuals(
    rng: Generator, m: int, L: int, n: int, outputs: int, slope: float, targets: str, size: float
) -> Measured:
    """The square ||grad L||_F^2 at W^(0), L without 1/2, for residuals E c(u) sigma(<u, h_{i,L-2}>).

    These are the residuals themselves, L0 the sum of their squares: lambda is 0. E is the mean over 2000 draws u ~
    N(0, I), delta over them too, where (135) prints N(0, 2/m); c is `size`, or that times the sign of <u, h_{1,L-2}>,
    and at most 1 in size. The points are orthogonal, h_{-1} is x, and all outputs have the same residuals.
    """
    X = simplex(n, math.sqrt(2.0))
    net = random_network(n + 1, m, L, outputs, slope, rng)
    states = forward(net, X).post[L - 1]
    # Rows of the layer are Gaussian given the states, with their inner products as covariance.
    drawn = rng.standard_normal((2000, n)) @ np.linalg.cholesky(states @ states.T).T
    coefficients = size * TARGETS[targets](drawn[:, 0])
    e = np.repeat(leaky_relu(slope).value(drawn).T @ coefficients / len(drawn), outputs)
    return Measured(4.0 * float(e @ grams(net, X).sum(axis=0) @ e), symbols={"L0": float(e @ e)})
