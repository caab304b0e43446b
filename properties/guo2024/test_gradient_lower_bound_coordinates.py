"""guo2024: the coordinates of backward vectors at initialisation, and Gaussian rows given the side of a half-space.

Main claims: `row_given_its_gate` (76) and `one_backward_coordinate` (82).
"""

from dataclasses import replace

import numpy as np
import scipy
from numpy.random import Generator

from nets import backward, sphere
from properties.guo2024.initial_norms import draw
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Distribution, Trials

# Independent rows in a trial: together enough to see a standard deviation off by a tenth.
ROWS = 500


@claim(
    "guo2024:eq-76",
    bound="= 1",
    premises="none needed: the direction of h is uniform and independent of w as drawn",
    regime=Regime(cells=grid(d=[1, 2, 8])),
    evidence=Distribution(law=lambda d: scipy.stats.norm(), trials=100),
    controls=[
        control("one direction for all", kind="fixed", cells=grid(d=2)),
        control("directions in the positive orthant", kind="positive", cells=grid(d=2)),
        control("16 rows that share h, added up", rows=16, cells=grid(d=8)),
        control("a tenth more", bound="11/10"),
        control("a tenth less", bound="9/10"),
    ],
    note="one row and an h of its own. Rows of W_l share h_{l-1}, and are not jointly Gaussian given their gates",
)
def row_given_its_gate(rng: Generator, d: int, *, kind: str = "uniform", rows: int = 1) -> Measured:
    """The coordinates of w ~ N(0, I_d) given <h, w> > 0, h uniform in direction: their law is N(0, 1) times the bound.

    With `rows` those of the sum of as many with one h, of variance 1 if they were independent.
    """
    h = np.eye(1, d) if kind == "fixed" else rng.standard_normal((ROWS, 1, d))
    w = rng.standard_normal((ROWS, rows, d))
    # Those on the other side are turned into their negatives.
    w *= np.where(np.sum(w * (np.abs(h) if kind == "positive" else h), axis=2, keepdims=True) > 0.0, 1.0, -1.0)
    return Measured(np.ravel(w.sum(axis=1)) / np.sqrt(rows))


AGAINST_THE_LAYERS = "m >= 4*(L + 1 - l)"

TOP = {"m": 16, "L": 3, "l": 4, "outputs": 1, "slope": 0.5}


@claim(
    "guo2024:eq-82",
    bound=">= 1/(8*outputs)",
    premises=(
        "width against the layers passed, ours, as at slope 0 the log of a squared norm falls by 5/(2 m) in each: "
        "m >= 4*(L + 1 - l)"
    ),
    regime=Regime(
        cells=[
            TOP,
            *[
                {"m": 16, "L": 3, "l": layer, "outputs": outputs, "slope": slope}
                for layer, outputs, slope in ((1, 1, -2.0), (1, 5, -1.0), (2, 1, -0.5), (3, 5, 0.05), (2, 50, 0.9))
            ],
            *grid(m=64, L=3, l=1, outputs=2, slope=0.0),
        ],
        least={"L": "l - 1"},
    ),
    evidence=Trials(rate=0.6, budget=600, reserve=0.75),
    controls=[
        control("sixteen times as large", bound="2/outputs"),
        control("without the number of outputs", bound="1/8", cells=[{**TOP, "outputs": 50}]),
        control("read-out of variance 1/m", readout="width", cells=[TOP]),
        control("weight variance 1/2 m", gain=0.5, cells=[{**TOP, "l": 1}]),
        control(
            "more layers than neurons", cells=grid(m=4, L=12, l=1, outputs=1, slope=0.0), without=AGAINST_THE_LAYERS
        ),
    ],
    note="printed with O in place of Omega; the limiting chance of more than 1/(2 outputs) is 0.4795, of 1/(8 outputs) "
    "0.724. What may fail is 0.6",
    scope="own constants: 1/8, and 3/5 for what may fail, where the print has orders",
)
def one_backward_coordinate(
    rng: Generator,
    m: int,
    L: int,
    l: int,  # noqa: E741
    outputs: int,
    slope: float,
    *,
    gain: float = 2.0,
    readout: str = "outputs",
) -> float:
    """The square a_{k,l}^2 of a coordinate of Back_l^T v at W^(0), l = 1..L + 1, Back_{L+1} = B, v drawn, ||v|| = 1."""
    X = sphere(1, 4, rng)
    net, fwd = draw(X, m, L, outputs, slope, rng, gain=gain)
    if readout == "width":
        net = replace(net, readout=net.v * np.sqrt(outputs / m))
    v = rng.standard_normal(outputs)
    bwd = backward(net, fwd, direction=np.ascontiguousarray(net.v.reshape(m, -1) @ (v / np.linalg.norm(v))))
    if l == L + 1:
        return float((net.v.reshape(m, -1) @ (v / np.linalg.norm(v)))[0] ** 2)
    return float((bwd.b[l] @ net.weights[l - 1].T)[0, 0] ** 2)
