"""guo2024, (85) and (90): how much the layer gradients of given rows v_i change in a ball of weights."""

import math

import numpy as np
from numpy.random import Generator

from nets.data.labelled import DataSource
from nets.data.points import arranged
from nets.networks.forward import Forward, forward
from nets.networks.network import Network, leaky_network, perturbed
from nets.worst_cases.adversaries import flip_smallest, random_perturbation
from properties.guo2024.layer_maps import back_propagation, random_network, simplex, summed_map
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid, reals, rounding
from theory.evidence import Search


def _parts(
    net: Network, fwd: Forward, after: Network, moved: Forward, layer: int, v: np.ndarray
) -> tuple[float, float]:
    """The two sums of (85): of changes of the backward vector, and of changes of what enters the layer."""
    back_part = fore_part = 0.0
    for i, row in enumerate(v):
        before = row @ back_propagation(net, fwd, i, layer + 1) * fwd.masks[layer][i]
        then = row @ back_propagation(after, moved, i, layer + 1) * moved.masks[layer][i]
        back_part += float(np.linalg.norm(then - before) * np.linalg.norm(moved.post[layer][i]))
        fore_part += float(np.linalg.norm(before) * np.linalg.norm(moved.post[layer][i] - fwd.post[layer][i]))
    return back_part, fore_part


def _size(net: Network, fwd: Forward, layer: int) -> float:
    """What the terms of `summed_map` for rows of ones sum to at most, whatever cancels in them."""
    norms = [np.linalg.norm(W, 2) for W in (*net.stored_weights()[layer:], net.v)]
    return float(np.linalg.norm(fwd.post[layer], axis=1).sum() * math.sqrt(net.v.shape[1]) * np.prod(norms))


@claim(
    "guo2024:eq-85",
    bound="back_part + fore_part",
    premises="none needed: all weights, steps and samples",
    measured=["back_part", "fore_part"],
    regime=Regime(
        cells=grid(slope=list(SLOPES), m=8, L=2, n=3, d=3, outputs=2),
        draw={
            "omega": reals(0.01, 2.0, logarithmic=True),
            "family": choices("drawn", "near duplicates", "antipodes", "clusters"),
            "where": choices("all layers", "the last"),
        },
        # Of one layer or one point, or of equal ones, both sides are one number.
        least={"L": 2, "n": 2, "d": 2},
    ),
    evidence=Search(examples=10, adversary="Gaussian steps, also of the last layer alone, clusters of points"),
    idle={"stepped": False},
    note="attained by one sample, or equal ones, where the step is in the last layer alone",
    scope="part: equal rows v, at l = L, or at l = 1 by steps of the last layer alone",
)
def change_of_the_map(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    outputs: int,
    slope: float,
    omega: float,
    family: str,
    where: str,
    *,
    stepped: bool = True,
) -> Measured:
    """The norm ||sum_i (G_{i,l}(v; W) - G_{i,l}(v; W^(0)))||_F, v = (1, ..., 1), after steps of norm omega, l = L.

    Where the last layer moves alone l is 1. G_{i,l} = b_i^T h_{i,l-1}^T, b_i = v^T B D_L W_L ... D_l, back_part is
    sum_i ||b_i - b_i^(0)|| ||h_{i,l-1}|| and fore_part sum_i ||b_i^(0)|| ||h_{i,l-1} - h_{i,l-1}^(0)||.
    """
    X = arranged(data.draw(n, d, rng)[0], family, rng)
    net = leaky_network(d, m, L, outputs, slope, rng)
    size = omega if stepped else 0.0
    steps = [random_perturbation(W, size, rng) if size else np.zeros_like(W) for W in net.weights]
    if where == "the last":
        steps[:-1] = [np.zeros_like(W) for W in net.weights[:-1]]
    after = perturbed(net, steps)
    fwd, moved = forward(net, X), forward(after, X)
    v, layer = np.ones((n, outputs)), 1 if where == "the last" else L
    change = summed_map(after, moved, layer, v) - summed_map(net, fwd, layer, v)
    back_part, fore_part = _parts(net, fwd, after, moved, layer, v)
    # No looser, as the bound is attained, by a change that is small beside the maps.
    error = rounding(_size(net, fwd, layer) + _size(after, moved, layer), 4 * (d + m * L + outputs + n))
    return Measured(
        float(np.linalg.norm(change)), error=error, symbols={"back_part": back_part, "fore_part": fore_part}
    )


def _sum_over_terms(rng: Generator, m: int, n: int, slope: float, omega: float, phi: float) -> float:
    """||sum of the changes of G_{i,1}(v_i)||_F^2 over the sum of their squares, gates turned at the first point."""
    X, net = simplex(n, phi), random_network(n + 1, m, 1, 1, slope, rng)
    fwd = forward(net, X)
    moved = forward(perturbed(net, [flip_smallest(net.weights[0], fwd.post[1][0], omega)]), X)
    # One layer: its input is not moved, and the change has the factors of states and of changed gates.
    rows = (moved.masks[1] - fwd.masks[1]) * net.v.ravel()
    products = (rows @ rows.T) * (fwd.post[1] @ fwd.post[1].T)
    return float(products.sum() / np.trace(products)) if np.trace(products) > 0.0 else 0.0


@claim(
    "guo2024:eq-90",
    bound="1",
    premises="none needed: the step from (85), at all weights, steps and samples, for equal rows v",
    regime=Regime(
        cells=grid(slope=list(SLOPES), m=256, n=64),
        draw={"omega": reals(0.05, 0.5, logarithmic=True), "phi": reals(1e-6, 1.0, logarithmic=True)},
    ),
    evidence=Search(examples=4, adversary="n points phi apart, down to 1e-6; steps that flip most gates of x_1"),
    controls=[control("ten", bound="10"), control("the root of n", bound="sqrt(n)")],
    expected=Verdict.REFUTED,
    note="points much nearer to each other than omega have 0.6 to 0.8 n. At the radius of Lemma 4.2, below phi^(3/2), "
    "gates of different points turn at different neurons; whether n enters there is not decided",
    scope="part: the step from (85), not the order that it is to have",
)
@form(
    "corrected",
    title="squared change of a sum of gradients by those of its terms",
    bound="n",
    premises="none needed: all weights, steps, samples and rows v, of which those of size 1 are tried",
    regime=Regime(
        cells=grid(slope=list(SLOPES), m=256, n=[2, 8]),
        draw={"omega": reals(0.05, 0.5, logarithmic=True), "phi": reals(1e-6, 1.0, logarithmic=True)},
        least={"n": 2},
    ),
    evidence=Search(examples=6, adversary="n points phi apart, down to 1e-6; steps that flip most gates of x_1"),
    controls=[control("without the factor n, as printed", bound="1"), control("nine tenths", bound="9*n/10")],
    note="(85) has the square of a sum of n norms, (90) the sum of their squares. Equal changes attain n",
    scope="part: the step from (85), with the factor n",
)
def change_of_sums(rng: Generator, m: int, n: int, slope: float, omega: float, phi: float) -> float:
    """The ||sum_i M_i||_F^2/sum_i ||M_i||_F^2, or 0, M_i the change of G_{i,1}(1) by a step of norm omega, L = 1."""
    return _sum_over_terms(rng, m, n, slope, omega, phi)
