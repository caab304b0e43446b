"""guo2024 at initialisation: the norms of the gated backward vectors z_l = D_l W_{l+1}^T z_{l+1} (Appendix B.4).

Main claims: `ratio_of_two_backward_norms` (79), `norms_of_all_backward_vectors` (81), `tail_of_the_active_half`, a step
of its proof.

Given the forward pass up to layer l, what arrives at its neurons has signs that are independent of all else. So a row
of W_l may be exchanged for its negative, its gate turned, and the arriving number as well: the gates are then
independent of the products a_j w_j, whose law is that of free Gaussian rows, and z_{l-1} has the norm ratio of a layer
forward, exactly and independently of the layers above. That W_l given z_l itself is Gaussian is another matter.
"""

import math

import numpy as np
import scipy
from numpy.random import Generator
from sympy import Rational

from bounds.laws.leaky_layers import LeakyChiSquare
from bounds.papers import guo2024 as sheet
from nets import Array, backward, sphere
from properties.guo2024.initial_norms import backward_norms_fall, draw
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, Verdict, claim, control, grid
from theory.evidence import Distribution, ExactLaw, Tail

SLOPES = (-2.0, -1.0, -0.5, 0.05, 0.5, 0.9)
RELU = {"m": 24, "L": 3, "slope": 0.0}
# The law is narrow enough there for a scale off by a tenth to be seen.
NARROW = {"m": 100, "L": 4, "slope": -1.0}


def _backward_ratios(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    *,
    positive: bool = False,
    gain: float = 2.0,
    gated: bool = True,
    rescaled: bool = True,
) -> Array:
    """||z_{l-1}||^2/||z_l||^2 for l = L, ..., 2; `positive`: given that what arrives last is positive; 0/0 is 0."""
    X = sphere(1, 4, rng)
    net, fwd = draw(X, m, L, 1, slope, rng, gain=gain, rescaled=rescaled)
    arriving = np.abs(net.v[:, 0]) if positive else net.v[:, 0]
    bwd = backward(net, fwd, direction=np.ascontiguousarray(arriving))
    # b[l] belongs to layer l, b[0] to the input layer; q[l] is what arrives at layer l before its gates.
    squares = np.array([np.sum(z**2) for z in bwd.b[1:]])
    arrived = squares if gated else np.array([np.sum(q**2) for q in bwd.later_q])
    return quotients(arrived[:-1], squares[1:])[::-1]


@claim(
    "guo2024:eq-79",
    bound=sheet.eq_79.reads("1"),
    premises="none needed: given z_l, the bound times 2 (chi2_K + slope^2 chi2_{m-K})/(m + slope^2 m), K ~ Bin(m, 1/2)",
    sense="=",
    regime=Regime(cells=[{"m": 24, "L": 2, "slope": slope} for slope in (0.0, 0.05)], least={"L": 2}),
    evidence=Distribution(law=lambda m, slope: LeakyChiSquare(m, slope), trials=300),
    expected=Verdict.REFUTED,
    controls=[control("weight variance 1/m", gain=1.0), control("weight variance 4/m", gain=4.0)],
    note="given z_l, active neurons are known to have rows on one side of h_{l-1}: where all that arrives is positive "
    "they add up along it. (79) is true at slope -1, where z_l tells nothing of the gates",
)
def ratio_given_a_positive_vector(rng: Generator, m: int, L: int, slope: float, *, gain: float = 2.0) -> Measured:
    """The ratio ||z_{L-1}||^2/||z_L||^2, z_l = D_l Back_{l+1}^T v, one output, given that B^T v is positive."""
    return Measured(_backward_ratios(rng, m, L, slope, positive=True, gain=gain)[:1])


@claim(
    "guo2024:eq-79-corrected",
    title="unconditional law of the norm ratio of two backward vectors",
    bound=sheet.eq_79.reads("1"),
    premises="layers of ReLUs hardly ever die, one of L with chance L 2^-m at most; not in print: dead <= 10**(-6)",
    sense="=",
    regime=Regime(
        cells=[RELU, NARROW, *[{"m": 5, "L": 4, "slope": slope} for slope in SLOPES]],
        derived={"dead": lambda m, L, slope: 0.0 if slope else L * 2.0**-m},
        thorough=[{"m": m, "L": 4, "slope": slope} for m in (2, 24) for slope in SLOPES],
        least={"L": 2},
    ),
    evidence=Distribution(law=lambda m, slope: LeakyChiSquare(m, slope), trials=200),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("weight variance 2.4/m", gain=2.4, cells=[{**RELU, "slope": -1.0}]),
        control("without the gates", gated=False),
        control("not rescaled", rescaled=False, cells=grid(m=5, L=4, slope=[-2.0, 0.9])),
        control("given that all that arrives is positive", positive=True, cells=[{**RELU, "L": 2}]),
        control("a tenth more", bound="11/10", cells=[NARROW]),
        control("a tenth less", bound="9/10", cells=[NARROW]),
        control("two ReLUs a layer", cells=[{**RELU, "m": 2, "L": 4}], without="dead <= 10**(-6)"),
    ],
    note="z_l = D_l Back_{l+1}^T v, l = 2..L, K ~ Bin(m, 1/2), one output, W^(0). The signs of what arrives are "
    "independent of the weights below, the ratios of one another; `dead` bounds the chance of a layer that passes 0 on",
    scope="part: the law of each ratio by itself; print has it given z_l, where it may be another",
)
def ratio_of_two_backward_norms(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    *,
    positive: bool = False,
    gain: float = 2.0,
    gated: bool = True,
    rescaled: bool = True,
) -> Measured:
    """The ||z_{l-1}||^2/||z_l||^2: in law the bound times 2 (chi2_K + slope^2 chi2_{m-K})/(m + slope^2 m)."""
    found = _backward_ratios(rng, m, L, slope, positive=positive, gain=gain, gated=gated, rescaled=rescaled)
    return Measured(found)


STEEP = {"m": 2 * 10**4, "L": 16, "slope": 0.0, "delta": 0.3}


@claim(
    "guo2024:eq-81-corrected",
    title="norms of all backward vectors from below",
    bound="C*L*sqrt(log(L/delta)/m)",
    constants={
        "C": (
            Rational(317, 100),
            "a ratio is below 1 - e with probability at most exp(-m e^2/10), by the rate of the heaviest law, that of "
            "slope 0; with e = eps_0/L in each of L layers",
        )
    },
    premises="width against depth: eps_0 is below 1 [Appendix B.4, eq. (81)]: C**2*L**2*log(L/delta) <= m",
    regime=Regime(
        cells=[
            *grid(m=24, L=1, slope=-2.0, delta=0.1),
            *grid(m=150, L=2, slope=[-0.5, 0.0], delta=0.1),
            *grid(m=600, L=3, slope=[-1.0, 0.05], delta=1e-2),
            *grid(m=2000, L=3, slope=0.9, delta=1e-6),
            *grid(m=10**4, L=6, slope=0.5, delta=1e-3),
        ],
        thorough=grid(m=10**5, L=8, slope=[0.0, *SLOPES], delta=[0.1, 1e-6]),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("no depth but in the logarithm", bound="317/100*sqrt(log(L/delta)/m)", cells=[STEEP]),
        control("rate 1/m", bound="317/100*L*log(L/delta)/m", cells=grid(m=10**4, L=1, slope=0.0, delta=0.1)),
        control("constant 1", bound="L*sqrt(log(L/delta)/m)", cells=grid(m=1000, L=1, slope=0.0, delta=0.1)),
        control("weight variance 1.5/m", gain=1.5, cells=grid(m=2000, L=3, slope=-1.0, delta=0.1)),
    ],
    blind={
        "premise C**2*L**2*log(L/delta) <= m": "outside of it the norm would have to be negative",
        "L in sqrt(log(L/delta))": "beside the depth itself, of which the law asks for the root",
    },
    note="print solved for eps_0: delta = L exp(-m eps_0^2/(C^2 L^2)); independent ratios as in (79) ask for sqrt(L)",
)
def norms_of_all_backward_vectors(threshold: float, m: int, L: int, slope: float, *, gain: float = 2.0) -> Tail:
    """The chance that 1 - 2 outputs ||z_l||^2/(m ||v||^2), z_l = D_l Back_{l+1}^T v, exceeds eps_0 for some l <= L.

    At one input, for one v fixed before the draw."""
    return backward_norms_fall(threshold, m, L, slope, gain)


@claim(
    "guo2024:eq-81",
    bound="sqrt(10*log(1/delta)/m)",
    premises="none needed: any width and accuracy eps, at delta = exp(-m eps^2/10); print has K >= (0.5 - eps/2) m",
    regime=Regime(cells=grid(m=[100, 10**4, 10**6], delta=[0.1, 1e-4])),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("an exponent twice as large", bound="sqrt(5*log(1/delta)/m)"),
        control("even fewer neurons", fewer=0.75),
    ],
    note="chi2_K has the mean 0.5 m (1 - eps), so that the chance is near 1/2 at any width, 0.48 "
    "at m = 100 and delta = 1/10. With (1/2 - eps/4) m neurons it is of order exp(-m eps^2/32)",
    scope="part: the step (78) at the least K that it admits, with 1/10 where the exponent has an order",
)
def tail_of_the_active_half(threshold: float, m: int, *, fewer: float = 0.5) -> Tail:
    """The probability that chi2_K < 0.5 m (1 - `threshold`) at K = (1/2 - `threshold`/2) m, rounded up."""
    k = max(1, math.ceil(m * (0.5 - fewer * threshold)))
    p = float(scipy.stats.chi2.cdf(0.5 * m * (1.0 - threshold), k)) if threshold < 1.0 else 0.0
    return Tail(p, p)
