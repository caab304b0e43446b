"""guo2024: mean logarithms of chi-square variables, as the norm of a leaky layer needs them (Appendix B.2).

Main claims: `logarithm_of_a_chi_square`, which is false for a fixed number of degrees of freedom, and in its corrected
form an average over them; `logarithm_of_a_ratio` (26), both sides.

Given the window, K is Binomial(m, 1/2) given 0.4 m <= K <= 0.6 m, the number of neurons above 0.
"""

import math

import numpy as np
from scipy import special

from bounds.laws.leaky_layers import mean_log_ratio
from bounds.papers import guo2024 as sheet
from nets.data.distances import DataError
from theory.claims import Measured, Regime, Verdict, claim, control, grid, reals
from theory.evidence import Search

SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9, 0.999)


def _window(m: int) -> np.ndarray:
    """The numbers of neurons from 0.4 m to 0.6 m; `DataError` where there is none, for one neuron and for three."""
    found = np.arange(-(-4 * m // 10), 6 * m // 10 + 1)
    if not found.size:
        raise DataError(f"no number of neurons is between 0.4 m and 0.6 m for m = {m}: take m = 2 or m >= 4")
    return found


def _averaged(m: int, gain: float = 2.0) -> float:
    """E[log(m/(gain H))] of H ~ chi2_K, K given the window."""
    k = _window(m)
    weights = special.gammaln(m + 1.0) - special.gammaln(k + 1.0) - special.gammaln(m - k + 1.0)
    shares = np.exp(weights - special.logsumexp(weights))
    return float(shares @ (math.log(m / (2.0 * gain)) - special.digamma(0.5 * k)))


@claim(
    "guo2024:claim-chi2-log",
    bound=sheet.claim_chi2_log.reads("4/m"),
    premises="none needed: every number K of neurons from 0.4 m to 0.6 m",
    regime=Regime(
        cells=grid(m=[4, 5, 100, 1000]), draw={"share": reals(0.4, 0.6)}, pinned=[{"share": 0.4}, {"share": 0.5}]
    ),
    evidence=Search(adversary="every number of degrees of freedom in the window"),
    expected=Verdict.REFUTED,
    controls=[control("half of it", bound="2/m"), control("variance 1/m", gain=1.0)],
    note="at m = 5 and K = 2 it is 0.80036 against 0.8, at m = 1000 and K = 400 0.2257 against 0.004: the logarithm of "
    "K/(m/2) is of order 1",
)
def logarithm_of_a_chi_square(m: int, share: float, *, gain: float = 2.0) -> float:
    """The mean E[log(m/(2 H))] of H ~ chi2_K for one K from 0.4 m to 0.6 m, about share times m."""
    k = min(max(round(share * m), int(_window(m)[0])), int(_window(m)[-1]))
    return float(math.log(m / (2.0 * gain)) - special.digamma(0.5 * k))


@claim(
    "guo2024:claim-chi2-log-corrected",
    title="mean logarithm of a chi-square variable with a binomial number of degrees of freedom",
    bound=sheet.claim_chi2_log.reads("4/m"),
    premises="none needed: every width whose window holds a number",
    regime=Regime(
        cells=grid(m=[2, 4, 5, 7, 9, 12, 20, 31, 100, 1000, 10**5]), thorough=[{"m": m} for m in (2, *range(4, 400))]
    ),
    evidence=Search(adversary="small widths, and large ones"),
    controls=[control("variance 1.9/m", gain=1.9)],
    note="2.5/m for large widths; averaged over the window, which is all that (28) needs",
)
def logarithm_of_a_mixed_chi_square(m: int, *, gain: float = 2.0) -> Measured:
    """The mean E[log(m/(2 H))] of H ~ chi2_K over H and K ~ Binomial(m, 1/2), given 0.4 m <= K <= 0.6 m."""
    return Measured(_averaged(m, gain), error=1e-10 / m)


@claim(
    "guo2024:eq-26",
    bound="b",
    premises="none needed: concavity of the logarithm, at every slope and every width whose window holds a number",
    measured=["b"],
    regime=Regime(
        cells=grid(m=[2, 5, 12, 200]), draw={"slope": reals(-3.0, 0.999)}, pinned=[{"slope": s} for s in SLOPES]
    ),
    evidence=Search(examples=10, adversary="every slope: at 0 both sides are equal, and near 0 nearly so"),
    controls=[control("variance 1.9/m", gain=1.9), control("not rescaled, at slope 1/20", gain=2.0 / 1.0025)],
    scope="part: the left inequality, of two chi-squares of one mean logarithm; the right one is eq-26-right",
)
def logarithm_of_a_ratio(m: int, slope: float, *, gain: float = 2.0) -> Measured:
    """The mean of -log(||h_l||^2/||h_{l-1}||^2); b = E log(m/(2 chi2_K)). Both given 0.4 m <= K <= 0.6 m, K above 0."""
    k = _window(m)
    lost = -mean_log_ratio(m, slope, int(k[0]), int(k[-1])) - math.log(gain / 2.0)
    return Measured(lost, error=1e-14 if slope == 0.0 else 1e-12, symbols={"b": _averaged(m)})


@claim(
    "guo2024:eq-26-right",
    title="geometric mean of a norm ratio",
    bound="1",
    premises="none needed: Jensen's inequality, at every slope and every width whose window holds a number",
    regime=Regime(cells=[{"m": m, "slope": slope} for m in (2, 5, 12, 200, 2000) for slope in SLOPES]),
    evidence=Search(adversary="large widths, where the ratio is near 1"),
    controls=[
        control("variance 2.02/m", gain=2.02),
        control("not rescaled, at slope 1/2", gain=2.5),
        control("1 - 1/1000", bound="999/1000"),
    ],
)
def geometric_mean_of_a_ratio(m: int, slope: float, *, gain: float = 2.0) -> float:
    """The number exp(E[log(||h_l||^2/||h_{l-1}||^2)]), given that 0.4 m to 0.6 m neurons are above 0."""
    k = _window(m)
    return 0.5 * gain * math.exp(mean_log_ratio(m, slope, int(k[0]), int(k[-1])))
