"""guo2024, Lemma B.8: how the features of a leaky network change, as a sum over the layers with gates in between.

Main claims: `mean_value_decomposition`, `gates_in_between`.
"""

import numpy as np
from numpy.random import Generator

from bounds.papers import guo2024 as sheet
from nets.data.labelled import DataSource
from properties.guo2024.loss_expansion import EACH_MOVE, MOVES, POINT_FAMILIES, DrawnNetworks, cells_of_slopes
from theory.claims import Measured, Regime, choices, claim, control, reals
from theory.evidence import Search

TWO_NETWORKS = Regime(
    cells=cells_of_slopes([6, 12], [1, 2, 4], n=3, outputs=2, d=4),
    thorough=cells_of_slopes([32], [3, 6], n=5, outputs=3, d=4),
    draw={"move": choices(*MOVES), "size": reals(1e-4, 4.0, logarithmic=True), "points": choices(*POINT_FAMILIES)},
    pinned=EACH_MOVE,
    built={"drawn": (DrawnNetworks, DrawnNetworks._fields)},
)
ATTACK = Search(examples=10, adversary="unrelated weights, gradient steps, steps of rank one, flips in all layers")


@claim(
    "guo2024:lemma-B.8",
    bound="= 0",
    premises="none needed: an identity of any two networks, whatever lies between them",
    regime=TWO_NETWORKS,
    evidence=ATTACK,
    controls=[
        control("entries of D'' in [-1, 1], as for ReLU", widest=1.0),
        control("features before the step", before=True),
        control("gates before the step", widest=0.0),
        control("gates after the step", after=True),
        control("the gate of the layer itself left out", own=False),
        control("the first layer left out", first=2),
    ],
    note="the entries of D'' are the mean slopes less those before the step, kept within the root of 2; in the first "
    "layer no others will do, and at slope -1 they reach it. Their size is bounded in lemma-B.8-interval",
    scope="part: the decomposition, without the bounds of its norms",
)
def mean_value_decomposition(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    slope: float,
    n: int,
    outputs: int,
    d: int,
    drawn: DrawnNetworks,
    *,
    widest: float = 2.0**0.5,
    before: bool = False,
    after: bool = False,
    own: bool = True,
    first: int = 1,
) -> Measured:
    """The h'_l less sum_{a <= l} (D*_l + D''_l) W*_l ... (D*_a + D''_a) W'_a h_{a-1}, at all layers, samples."""
    pair = drawn.of(rng, data, (d, m, L, outputs, n), slope)
    extra = [np.clip(pair.mean_gates(layer) - pair.gates(layer), -widest, widest) for layer in pair.layers]
    gates = [
        pair.end.masks[layer] if after else pair.gates(layer) + D for layer, D in zip(pair.layers, extra, strict=True)
    ]
    features = (pair.start if before else pair.end).post
    missed = []
    for layer in pair.layers:
        rest = pair.feature_change(layer)
        for step in range(first, layer + 1):
            moved = features[step] @ pair.step(step)
            rest = rest - pair.carried(moved * gates[step - 1] if own else moved, step, layer, gates)
        missed.append(rest)
    sizes = np.stack(pair.feature_size[1:])
    return Measured(np.stack(missed), error=pair.share * sizes, scale=float(sizes.max()))


@claim(
    "guo2024:lemma-B.8-interval",
    title="mean slope of a leaky ReLU between two arguments, less its slope at the first",
    bound="(1 - slope)/sqrt(1 + slope**2)",
    premises=sheet.slope_below_one.reads("slope < 1"),
    regime=Regime(
        cells=cells_of_slopes([6], [1, 2], n=3, outputs=2, d=4),
        # Two layers at most: weights of size 10^6 in three of them bring entries within rounding of the bound.
        thorough=cells_of_slopes([32], [2], n=5, outputs=3, d=4),
        draw={"move": choices(*MOVES), "size": reals(1e-4, 1e4, logarithmic=True), "points": choices(*POINT_FAMILIES)},
        pinned=[*EACH_MOVE, DrawnNetworks("unrelated", size=1e6, points="drawn")._asdict()],
        built={"drawn": (DrawnNetworks, DrawnNetworks._fields)},
    ),
    evidence=Search(examples=10, adversary="a second network of weights that dwarf those of the first"),
    controls=[control("neurons that do not cross counted as if they did", crossed=False)],
    note="in print the bound is the root of 2, the largest kappa; D''_jj is 0 where g_j = g*_j",
    blind={f"premise {sheet.slope_below_one.text}": "above 1 the jump changes sign, and its size is the bound still"},
)
def gates_in_between(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    slope: float,
    n: int,
    outputs: int,
    d: int,
    drawn: DrawnNetworks,
    *,
    crossed: bool = True,
) -> np.ndarray:
    """The |D''_jj| = |(sigma(g_j) - sigma(g*_j))/(g_j - g*_j) - sigma'(g*_j)| of all layers, samples and j."""
    pair = drawn.of(rng, data, (d, m, L, outputs, n), slope)
    mean = [pair.mean_gates(layer) for layer in pair.layers]
    before = [pair.gates(layer) if crossed else 0.0 * pair.gates(layer) for layer in pair.layers]
    return np.abs(np.stack(mean) - np.stack(before))
