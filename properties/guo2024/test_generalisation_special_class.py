"""guo2024, Appendices B.11 and B.13: averages over one random layer (Assumption B.13, Lemma B.17).

Main claims: `residuals_of_labels_fixed_before`, of which half and more are larger than anything in the class;
`largest_of_the_class`; `average_over_the_neurons` (150).
"""

import math

import numpy as np
from numpy.random import Generator
from scipy import stats

from bounds.papers import guo2024 as sheet
from nets.networks.activations import leaky_relu
from properties.guo2024.slopes import SLOPES
from theory.claims import Regime, Verdict, claim, control, grid, reals
from theory.evidence import ExactLaw, Search, Trials


@claim(
    "guo2024:assumption-B.13",
    bound="(1 + Max(slope, -slope))/sqrt(2*pi*(1 + slope**2)) + lam",
    premises="none needed: one sample and one output, for wide layers",
    regime=Regime(cells=grid(slope=SLOPES, lam=[0.001, 0.05], delta=0.5)),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("the label 1 for the label 0", label=1.0),
        control("half of what the class reaches", bound="(1 + Max(slope, -slope))/sqrt(8*pi*(1 + slope**2))"),
    ],
    note="(135) is E c(u) sigma(<u, h>), |c| <= 1, to an accuracy lam. Of labels fixed before the draw even 0, the "
    "best, is mostly out of reach, for u ~ N(0, I) of the proof and more for N(0, 2/m) of print",
)
def residuals_of_labels_fixed_before(threshold: float, *, label: float = 0.0) -> float:
    """The chance that |residual| at the start, N(0, 1), label 0, exceeds the largest |(135)| at ||h|| = 1, plus lam."""
    return float(stats.norm.sf(threshold - label) + stats.norm.cdf(-threshold - label))


@claim(
    "guo2024:assumption-B.13-class",
    title="largest value of an average over a random layer",
    bound="(1 + Max(slope, -slope))/sqrt(2*pi*(1 + slope**2))",
    premises="none needed: a state of norm 1 and coefficients of size 1 at most",
    regime=Regime(
        cells=grid(slope=SLOPES),
        draw={
            "below": reals(-3.0, -1e-3),
            "above": reals(1e-3, 3.0),
            "first": reals(-1.0, 1.0),
            "last": reals(-1.0, 1.0),
        },
        pinned=[{"below": -1e-3, "above": 1e-3, "first": sign, "last": 1.0} for sign in (-1.0, 1.0)],
    ),
    evidence=Search(examples=20, adversary="the sign of the activation"),
    controls=[
        control("nine tenths", bound="9/10*(1 + Max(slope, -slope))/sqrt(2*pi*(1 + slope**2))"),
        control("activation not rescaled", rescaled=False),
    ],
)
def largest_of_the_class(
    slope: float, below: float, above: float, first: float, last: float, *, rescaled: bool = True
) -> float:
    """The number |E c(g) sigma(g)|, g standard Gaussian, c `first` below, 0 between and `last` above two thresholds."""
    scale = 1.0 / math.sqrt(1.0 + slope**2) if rescaled else 1.0
    density = stats.norm.pdf
    return abs(scale * float(last * density(above) - first * slope * density(below)))


# At these the larger of the squared slope and 1 is all but the factor by which the activation is rescaled.
STEEP = grid(m=16, slope=[-100.0, -10.0], delta=0.2)


@claim(
    "guo2024:eq-150",
    bound=sheet.eq_150.reads("sqrt(C*Max(1, slope**2)/(1 + slope**2)*log(2/delta)/m)"),
    premises="none needed: a state of norm 1 and coefficients of size 1 at most",
    regime=Regime(
        cells=[*grid(m=16, slope=SLOPES, delta=0.2), *STEEP, *grid(m=[256, 16384], slope=-1.0, delta=[0.1, 0.2])]
    ),
    evidence=Trials(budget=400),
    controls=[
        control("a twelfth of it", bound="sqrt(log(2/delta)/m)/5"),
        control("the mean left in", centred=False, cells=grid(m=4096, slope=-1.0, delta=0.2)),
        control(
            "without the larger of 1 and the squared slope",
            bound="sqrt((4 + 8/pi)/(1 + slope**2)*log(2/delta)/m)",
            cells=STEEP,
        ),
    ],
    blind={
        "delta": "the tail is lighter than the bound at all levels",
        "slope in slope**2 of slope**2 + 1": "beside max(1, slope^2) it is worth a factor of 2 at most",
    },
    note="lambda of print, solved for at the chance delta = exp(-Omega(lambda^2 m)), C = 4 + 8/pi, ours. Nothing but "
    "<u, h> enters, u ~ N(0, I) as a row of W_{L-1} times sqrt(m/2); one c stands for all of size 1 at most",
)
def average_over_the_neurons(rng: Generator, m: int, slope: float, *, centred: bool = True) -> float:
    """How far the mean of m copies of c(u) sigma(<u, h>), ||h|| = 1, is from its mean, c = (1 + 3 sign <u, h>)/4."""
    g = rng.standard_normal(m)
    values = (0.25 + 0.75 * np.sign(g)) * leaky_relu(slope).value_and_slope(g)[0]
    mean = (0.25 * (1.0 - slope) + 0.75 * (1.0 + slope)) / math.sqrt(2.0 * math.pi * (1.0 + slope**2))
    return abs(float(values.mean()) - (mean if centred else 0.0))
