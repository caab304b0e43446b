"""frei2019, (42): how many gates of the last layer are open at the start, by the exact law.

Main claim: `open_gates`.
"""

import math

import scipy

from theory.claims import Regime, claim, control, form, grid
from theory.evidence import ExactLaw, Tail


def _tail(threshold: float, m: int, n: int, chance: float) -> Tail:
    """By one sample from below and by a union over them, whose gates depend on one another, from above."""
    # A share of at most 1/2 - t - open gates are whole, so that equality counts as met.
    one = float(scipy.stats.binom.cdf(math.ceil(m * (0.5 - threshold) - 1e-9) - 1, m, chance))
    return Tail(one, min(1.0, n * one))


@claim(
    "frei2019:eq-42",
    bound="1/100",
    premises="width against samples [eq. (42): what the constant has to be]: m >= 5000*log(2*n/delta)",
    regime=Regime(
        cells=[*grid(m=20000, n=1, delta=0.05), *grid(m=26500, n=10, delta=0.1)],
        thorough=grid(m=10**6, n=10**6, delta=1e-60),
        derived={"p": lambda delta: 0.5 * delta},
    ),
    evidence=ExactLaw(rate="p"),
    controls=[
        control("gates open with chance 49/100", chance=0.49),
        control("a width of 1000", cells=grid(m=1000, n=10, delta=0.1), without="m >= 5000*log(2*n/delta)"),
    ],
    note="a shortfall of 1/100 is a share of 49/100; one beyond it may have the chance p = delta/2, over all samples",
)
@form(
    "hoeffding",
    title="share of open gates in the last layer, by Hoeffding's inequality",
    bound="sqrt(log(2*n/delta)/(2*m))",
    premises="none needed: a gate is open by the sign of a Gaussian, at any state but 0 with chance 1/2",
    regime=Regime(
        cells=[*grid(m=4, n=1, delta=0.61), *grid(m=[64, 4096], n=[1, 100], delta=[0.5, 0.01])],
        derived={"p": lambda delta: 0.5 * delta},
    ),
    controls=[
        control("three quarters of it", bound="3*sqrt(log(2*n/delta)/(2*m))/4"),
        control("m^(-3/5)", bound="sqrt(log(2*n/delta)/2)/m**(3/5)"),
        control("gates open with chance 2/5", chance=0.4),
        control("a failure for both sides of Hoeffding's inequality", bound="sqrt(log(n/delta)/(2*m))"),
    ],
    note="a shortfall beyond it may have the chance p = delta/2, over all samples",
)
def open_gates(threshold: float, m: int, n: int, *, chance: float = 0.5) -> Tail:
    """The probability that the share of open gates of the last layer is below 1/2 - `threshold` at some sample."""
    return _tail(threshold, m, n, chance)
