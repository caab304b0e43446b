"""frei2019: the gradient of one neuron of the last layer, from above.

Main claims: `gradient_of_a_neuron` (eq. (28)) and `gradient_of_a_neuron_certified`, for the norms that there are.
"""

import numpy as np
from numpy.random import Generator

from bounds.papers import frei2019 as sheet
from nets import LOGISTIC, DataSource, arranged, forward, perturbed, random_labels, residual_network
from properties.frei2019.layer_tails import chance_of_longer_state, chance_of_longer_states, grown
from properties.frei2019.perturbation import random_steps
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import ExactLaw, Search, Tail

ONE = grid(m=4 * 10**6, d=1, L=10, n=1, mesh=0.5, delta=0.1, theta=1e-6)


@claim(
    "frei2019:eq-28",
    bound="51/50",
    premises=[
        sheet.eq_13_width.reads("m >= C*d*log(m/(mesh*delta))"),
        sheet.net_radius.reads("mesh <= 1"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(cells=[*ONE, *grid(m=4 * 10**6, d=1, L=1000, n=10**6, mesh=0.1, delta=1e-3, theta=1e-6)]),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("1.0005", bound="2001/2000", cells=ONE),
        control("weight variance 2.1/m", gain=2.1, cells=ONE),
        control(
            "a thousand neurons, without the width",
            cells=grid(m=1000, d=1, L=10, n=1, mesh=0.5, delta=0.1, theta=1e-6),
            without=sheet.eq_13_width,
        ),
        control(
            "a radius of 333",
            cells=grid(m=100, d=1, L=10, n=1, mesh=333.2, delta=0.3, theta=1e-6),
            without=sheet.net_radius,
        ),
        control("the scale 1", cells=[{**ONE[0], "theta": 1.0}], without=sheet.lemma_b2_scale),
    ],
    note="by the norms of states; eq-28-certified has gradients. By the scale residual layers grow by 1.01 at most. If "
    "1.01 would do is left open, as in (13); mesh: tau_0, a net's radius",
)
def gradient_of_a_neuron(threshold: float, m: int, L: int, n: int, theta: float, *, gain: float = 2.0) -> Tail:
    """P(some ||g_j|| > `threshold` E_S), g_j = (1/n) sum_i l'_i y_i v_j 1{neuron j of the last layer active} x_{L,i}.

    l' is of any weights, the rest of the start. From below by equal samples, whose ||x_L|| is ||x_1||, or ||x_2||, or
    more; from above by n of them, and residual layers that grow by 1.01 where their norms are at most 41/10.
    """
    above = n * chance_of_longer_state((threshold / 1.01) ** 2, m, gain)
    return Tail(chance_of_longer_states(threshold**2, m, L, theta, gain), grown(above, m, L, theta))


@claim(
    "frei2019:eq-28-certified",
    title="gradient of a neuron, by the largest norm of what enters the last layer",
    kind="deterministic",
    bound="normX",
    premises="none needed: an average of states, true of all networks, samples and derivatives",
    regime=Regime(
        cells=[*grid(m=4, d=2, L=2, n=2), *grid(m=32, d=4, L=4, n=[3, 12])],
        draw={
            "theta": reals(0.001, 1.0, logarithmic=True),
            "tau": reals(0.001, 1.0, logarithmic=True),
            "points": choices("drawn", "near duplicates", "antipodes"),
        },
        pinned=[{"theta": 0.1, "tau": 0.1, "points": "near duplicates"}],
    ),
    measured=["normX"],
    evidence=Search(examples=12, adversary="samples that are near each other, with one label"),
    controls=[
        control("square of the norm", bound="normX**2"),
        control("sum over the samples in place of the mean", mean=False),
        control("states that enter the layer below", below=1),
    ],
    note="equal where all samples are one; l' and E_S are those at moved weights, gates and states those of the start",
)
def gradient_of_a_neuron_certified(
    rng: Generator,
    data: DataSource,
    m: int,
    d: int,
    L: int,
    n: int,
    theta: float,
    tau: float,
    points: str,
    *,
    mean: bool = True,
    below: int = 0,
) -> Measured:
    """The norms ||g_j||/E_S, g_j the mean of l'_i y_i v_j 1{j active} x_{L,i}; normX is the largest ||x_{L,i}||."""
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    y = np.ones(n) if points == "near duplicates" else random_labels(n, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    before, moved = forward(net, X), perturbed(net, random_steps(net, tau, rng))
    slopes = LOGISTIC.derivative(forward(moved, X).margins(y))
    rows = (slopes * y)[:, np.newaxis] * before.post[-2]
    total = np.linalg.norm(rows.T @ before.masks[-1], axis=0)
    error = float(np.abs(slopes).mean())
    entering = np.linalg.norm(before.post[-2 - below], axis=1)
    largest = float(entering.max())
    # Less by as little as no rounding decides: at one sample both sides are equal.
    return Measured(
        total / (n if mean else 1) / error * (1.0 - 1e-11),
        error=rounding(largest, m + n + 8.0) * (total > 0.0),
        symbols={"normX": largest},
    )
