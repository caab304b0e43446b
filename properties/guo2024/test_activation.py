"""guo2024: what a leaky ReLU does to a row of weights, as a linear part and one that switches (Appendix B.13).

Main claim: `split_row` (152).
"""

import math

import numpy as np
from numpy.random import Generator

from nets import SQUARE, DataSource, loss_gradient
from properties.guo2024.initial_norms import draw
from properties.guo2024.slopes import SLOPES
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search

CELLS = [
    {"m": 8, "L": 2, "d": 3, "outputs": k, "slope": slope}
    for slope, k in zip(SLOPES, (2, 3, 2, 3, 2, 3, 2), strict=True)
]


@claim(
    "guo2024:eq-152",
    bound="= 1",
    premises="none needed: an identity for all weights, errors and directions",
    regime=Regime(cells=CELLS, least={"outputs": 2}),  # errors stand in columns
    evidence=Search(examples=8, adversary="none: weights, targets y and u are Gaussian, inputs x unit"),
    controls=[
        control("the sign of the slope turned", sign=-1.0, cells=CELLS[:1]),
        control("the switching part not shortened by the slope", whole=True, cells=CELLS[:1]),
        control("not rescaled", rescale=False, cells=CELLS[:1]),
        control("gates of the other side", above=False, cells=CELLS[:1]),
    ],
    note="q_k = ((1 - slope) sum_i s_i 1{g_{i,L,k} > 0} + slope sum_i s_i)/sqrt(1 + slope^2), s_i = <B_k, e_i> "
    "<h_{i,L-1}, u>, e_i = yhat_i - y_i; p_k is of half the sum of squares, by back-propagation",
)
def split_row(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    outputs: int,
    slope: float,
    *,
    sign: float = 1.0,
    whole: bool = False,
    rescale: bool = True,
    above: bool = True,
) -> Measured:
    """One plus ||p - q||/||p|| over the neurons k: p_k is <u, gradient in its weights of W_L>, u in R^m; n = 4."""
    X = data.draw(4, d, rng)[0]
    net, fwd = draw(X, m, L, outputs, slope, rng)
    y, u = rng.standard_normal((4, 1, outputs)), rng.standard_normal(m)
    projected = 4.0 * (u @ loss_gradient(net, fwd, y, SQUARE)[-1])
    # sum_i B_k^T e_i <h_{i,L-1}, u> 1{g_{i,L,k} > 0}, and without the indicator.
    weighted = (fwd.output - y)[:, 0, :] @ net.v.T * (fwd.post[-2] @ u)[:, np.newaxis]
    gates = fwd.pre[-1] > 0.0 if above else fwd.pre[-1] <= 0.0
    switching = np.sum(weighted * gates, axis=0)
    used = sign * slope
    parts = ((1.0 if whole else 1.0 - used) * switching + used * weighted.sum(axis=0)) / (
        math.sqrt(1.0 + slope**2) if rescale else 1.0
    )
    apart = quotients(np.linalg.norm(projected - parts), np.linalg.norm(projected))
    return Measured(1.0 + float(apart), error=1e-11)
