"""frei2019, norms of states and of products between layers: what holds for all weights.

Main claims: `product_with_any_gates` (Appendix C.1), `product_on_a_vector` (38), `maps_by_the_radius` (35),
`entries_of_the_states` (they grow from layer to layer, proof of Lemma 4.1), `output_through_the_maps` (1).
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import arranged
from nets.networks.forward import forward
from nets.networks.network import Network, perturbed, residual_network
from nets.networks.operators import masked_product, operator_norm
from nets.worst_cases.adversaries import top_pair
from properties.frei2019.gated_products import gated_product, worst_gates
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search


def _residual_layers(kind: str, m: int, L: int, rng: Generator) -> list[Array]:
    """L - 1 matrices (m, m): drawn, a multiple of the identity, or of rank one and aligned."""
    if kind == "drawn":
        return [np.sqrt(2.0 / m) * rng.standard_normal((m, m)) for _ in range(L - 1)]
    u = rng.standard_normal((m, 1))
    core = np.eye(m) if kind == "identity" else u @ u.T / (u.T @ u)
    return [rng.uniform(0.9, 1.1) * core for _ in range(L - 1)]


MANY, A_RESIDUAL_LAYER = grid(m=8, L=50), {"L": 2}


@claim(
    "frei2019:lemma-B.2-core",
    bound="exp(C1*theta*L)",
    premises="none needed: true of all square matrices and all gates of size 1 at most, as built",
    regime=Regime(
        cells=[*grid(m=[2, 8], L=3), *MANY, *grid(m=64, L=12)],
        draw={"theta": reals(0.001, 1.0, logarithmic=True), "kind": choices("drawn", "identity", "rank one")},
        pinned=[{"theta": 0.002, "kind": "identity"}, {"theta": 1.0, "kind": "drawn"}],
        least=A_RESIDUAL_LAYER,
        most={"L": 128},
    ),
    measured=["C1"],
    evidence=Search(examples=12, adversary="gates that climb the norm, by turns with the top singular vectors"),
    controls=[
        control("half of the exponent", bound="exp(C1*theta*L/2)", cells=MANY),
        control("no depth", bound="exp(2*C1*theta)", cells=MANY),
        control("squared scale", bound="exp(C1*theta**2*L)", cells=MANY),
        control("gates of size 3/2", gate=1.5, cells=MANY),
        control("no growth with the norms", bound="exp(theta*L/2)", cells=MANY),
    ],
    note="all layers at once, in print any run of them; for W_l = c I and small theta equal up to about one layer",
)
def product_with_any_gates(rng: Generator, m: int, L: int, theta: float, kind: str, *, gate: float = 1.0) -> Measured:
    """The norm ||prod_{l=2}^L (I + theta S_l W_l^T)||, diagonal S_l chosen against it; C1 is the largest ||W_l||."""
    weights = _residual_layers(kind, m, L, rng)
    gates = [gate * chosen for chosen in worst_gates(weights, theta, rng)]
    if kind != "drawn":
        gates = [np.full(m, gate) for _ in weights]
    largest = max(map(operator_norm, weights))
    return Measured(operator_norm(gated_product(weights, gates, theta)), symbols={"C1": largest})


@claim(
    "frei2019:eq-38",
    bound="exp(theta*C2*L)*norma",
    premises="none needed: true of all networks and vectors, with the largest norm that the perturbed layers have",
    regime=Regime(
        cells=[*grid(m=8, L=3), *MANY, *grid(m=64, L=12)],
        draw={
            "theta": reals(0.001, 1.0, logarithmic=True),
            "tau": reals(0.01, 4.0, logarithmic=True),
            "size": reals(0.01, 100.0, logarithmic=True),
            "kind": choices("drawn", "identity", "rank one"),
        },
        pinned=[{"theta": 0.002, "tau": 0.01, "size": 10.0, "kind": "identity"}],
        least=A_RESIDUAL_LAYER,
        most={"L": 100},
    ),
    measured=["C2", "norma"],
    evidence=Search(
        examples=12, adversary="steps along the top singular pair, and the vector that the product grows most"
    ),
    controls=[
        control("half of the exponent", bound="exp(theta*C2*L/2)*norma", cells=MANY),
        control("no depth", bound="exp(2*theta*C2)*norma", cells=MANY),
        control("root of the norm", bound="exp(theta*C2*L)*sqrt(norma)", cells=MANY),
        control("norms before the step", perturbed_norms=False, cells=MANY),
    ],
    note="steps of norm tau; S_l chosen against it, or I; in print from any layer on, at gates of x, below a constant",
)
def product_on_a_vector(
    rng: Generator, m: int, L: int, theta: float, tau: float, size: float, kind: str, *, perturbed_norms: bool = True
) -> Measured:
    """The norm ||H a||, H = prod_{l=2}^L (I + theta S_l W~_l^T), a its worst, norma = ||a||, C2 = max ||W~_l||."""
    before = _residual_layers(kind, m, L, rng)
    weights = [W + top_pair(W, tau) for W in before]
    gates = worst_gates(weights, theta, rng) if kind == "drawn" else [np.ones(m) for _ in weights]
    left = np.linalg.svd(gated_product(weights, gates, theta))[0]
    a = size * left[:, 0]
    for W, gate in zip(weights, gates, strict=True):
        a = a + theta * (a @ W) * gate
    largest = max(map(operator_norm, weights if perturbed_norms else before))
    return Measured(float(np.linalg.norm(a)), symbols={"C2": largest, "norma": size})


def _aligned_network(kind: str, m: int, L: int, theta: float, rng: Generator) -> Network:
    """A residual network of m inputs: drawn, or with layers of rank one and norm 2 along one vector.

    The entries of that vector are positive, so that what enters along it leaves every gate open.
    """
    net = residual_network((m, *[m] * (L + 1)), theta, rng)
    if kind == "drawn":
        return net
    return net.with_weights([np.full((m, m), 2.0 / m) for _ in net.weights])


DEEP = grid(m=8, L=60)


@claim(
    "frei2019:eq-35-certified",
    title="norm of the maps to the last layer after steps, by the largest norm before them and the radius",
    kind="deterministic",
    bound="(C2 + tau)*exp(theta*L*(C2 + tau))",
    premises="none needed: true of all networks and steps, with the largest norm that the layers have",
    regime=Regime(
        cells=[*grid(m=[2, 16], L=[2, 5]), *DEEP],
        draw={
            "theta": reals(0.001, 0.3, logarithmic=True),
            "tau": reals(0.3, 3.0, logarithmic=True),
            "kind": choices("drawn", "aligned"),
        },
        pinned=[{"theta": 0.001, "tau": 1.0, "kind": "aligned"}, {"theta": 0.02, "tau": 1.0, "kind": "aligned"}],
    ),
    measured=["C2"],
    evidence=Search(examples=8, adversary="steps along the top singular pairs, which all layers have in common"),
    idle={"reach": 0.0},
    controls=[
        control("radius left out", bound="C2*exp(theta*L*C2)"),
        control("radius left out of the exponent", bound="(C2 + tau)*exp(theta*L*C2)", cells=DEEP),
        control("radius left out of the last layer", bound="C2*exp(theta*L*(C2 + tau))"),
        control("no depth", bound="(C2 + tau)*exp(2*theta*(C2 + tau))", cells=DEEP),
        control("squared scale", bound="(C2 + tau)*exp(theta**2*L*(C2 + tau))", cells=DEEP),
        control("steps of twice the radius", reach=2.0),
    ],
    note="of (35) the maps without their last gates, with which norms are no larger, at x = (1, ..., 1)/sqrt(m)",
)
def maps_by_the_radius(
    rng: Generator, m: int, L: int, theta: float, tau: float, kind: str, *, reach: float = 1.0
) -> Measured:
    """The larger ||W~_{L+1}^T H~_l^L||, l = 2 and L + 1, W~ being tau away in each layer; C2 is the largest ||W_l||."""
    before = _aligned_network(kind, m, L, theta, rng)
    net = perturbed(before, [top_pair(W, reach * tau) for W in before.weights])
    fwd = forward(net, np.full((1, m), 1.0 / np.sqrt(m)))
    maps = [operator_norm(masked_product(net, fwd, 0, layer, L + 1)) for layer in (2, L + 1)]
    return Measured(max(maps), symbols={"C2": max(map(operator_norm, before.weights))})


NETWORKS = Regime(
    cells=[*grid(m=4, L=2, n=2, d=2), *grid(m=32, L=[3, 8], n=4, d=8), *grid(m=64, L=3, n=8, d=4)],
    draw={"theta": reals(0.01, 1.5), "points": choices("drawn", "near duplicates", "antipodes")},
)


@claim(
    "frei2019:a41-monotone",
    bound="x",
    premises="none needed: the entries that are added are not negative, whatever the weights and theta >= 0",
    regime=replace(NETWORKS, least=A_RESIDUAL_LAYER),
    measured=["x"],
    evidence=Search(examples=12, adversary="equal wherever a neuron is not active"),
    controls=[
        control("the last layer as well", last=True),
        control("a negative scale", sign=-1.0),
        control("the skip left out", skip=False),
    ],
)
def entries_of_the_states(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    points: str,
    *,
    last: bool = False,
    sign: float = 1.0,
    skip: bool = True,
) -> Measured:
    """The entries x_{l,j}, l = 1..L - 1, x being x_{l+1,j}, hence x_{1,j} <= x_{l,j}: rounded sums are monotone."""
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), sign * theta, rng)
    states = forward(net if skip else Network(net.weights, net.v), X).post[1 : L + 1 + last]
    return Measured(np.stack(states[:-1]), error=0.0, symbols={"x": np.stack(states[1:])})


@claim(
    "frei2019:def-interlayer",
    bound="= 0",
    premises="none needed: an identity at all weights and inputs, kinks included",
    regime=NETWORKS,
    evidence=Search(examples=12),
    controls=[
        control("scale squared", power=2.0),
        control("the skip left out", skip=False),
        control("last gates left out", gated=False),
        control("the layer before it", shift=1),
        control("a slope of 1/10 below 0", slope=0.1),
    ],
    scope="part: the maps to layer L + 1, on the states that they take to the output",
)
def output_through_the_maps(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    points: str,
    *,
    power: float = 1.0,
    skip: bool = True,
    gated: bool = True,
    shift: int = 0,
    slope: float = 0.0,
) -> Measured:
    """The f(x) less v^T Sigma_{L+1} W_{L+1}^T prod_{r=l+1}^L (I + theta Sigma_r W_r^T) x_l, l = 1..L, each sample.

    Sigma_r has the entries 1(w^T x > 0).
    """
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    fwd = forward(net, X)
    wrong = residual_network((X.shape[1], *[m] * (L + 1)), theta**power, rng).with_weights(net.weights)
    maps = wrong if skip else Network(net.weights, net.v)
    # Not the gates of the pass, which would go along with any slopes that it has.
    gates = replace(fwd, masks=tuple(np.where(pre > 0.0, 1.0, slope) for pre in fwd.pre))
    rows = net.v * (gates.masks[-1] if gated else np.ones_like(fwd.masks[-1]))
    differences = [
        rows[i] @ masked_product(maps, gates, i, layer + 1, L + 1) @ fwd.post[layer - shift][i] - fwd.output[i]
        for i in range(len(X))
        for layer in range(1 + shift, L + 1)
    ]
    sizes = np.abs(X) @ np.abs(net.weights[0])
    for W in net.weights[1:-1]:
        sizes = sizes + theta * sizes @ np.abs(W)
    scale = float((sizes @ np.abs(net.weights[-1])).sum(axis=1).max())
    return Measured(np.array(differences), error=rounding(scale, (L + 2.0) * (m + d + 4.0)), scale=scale)
