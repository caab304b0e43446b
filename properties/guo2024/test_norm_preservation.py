"""guo2024 at initialisation: the norms of the layer outputs, by their exact laws at every slope.

Main claims: `norms_of_all_layers` (Lemma B.1) and what its proof consists of: `norm_of_the_input_layer` (20),
`ratio_of_one_layer` (22)-(23), `product_of_the_ratios` (24), `mean_of_one_layer` (25) with the fourth moments of all
layers, `half_of_the_neurons` (27), `drift_of_the_logarithm` (28), `tail_of_the_log_ratio` and
`tail_of_the_sum_of_log_ratios`.

The laws are those of slope^2, the same at a slope, its negative and its inverse.
"""

import functools
import math

import numpy as np
import scipy
import sympy as sp
from numpy.random import Generator

from bounds import Bound, Decision, is_zero, symbol
from bounds.laws.leaky_layers import LeakyChiSquare, log_norm_law, mean_log_ratio
from bounds.papers import guo2024 as sheet
from nets import sphere
from properties.guo2024.initial_norms import (
    draw,
    given_the_window,
    log_norm_leaves,
    norms_leave,
    trained_layer_ratios,
    window,
)
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Distribution, ExactLaw, Proof, Search, Step, Tail

# A failure probability for each of them.
LEVELS = (0.5, 0.9, 0.1, 0.1, 1e-3, 0.99, 0.3)

DEEP = {"m": 4096, "L": 64, "slope": 0.0, "delta": 0.5}
NARROW = {"m": 12, "L": 1, "slope": -2.0, "delta": 0.5}
RARE = {"m": 10**4, "L": 1, "slope": 0.0, "delta": 1e-20}


@claim(
    "guo2024:lemma-B.1",
    bound="C*sqrt(L*log(1/delta)/m)",
    constants={
        "C": (
            4,
            "E[ratio^q] <= exp(5 q (q - 1)/(2 m)), Ville's inequality and log(1 + eps) >= eps log 2 give C^2 = (2 + "
            "5 L)/(2 L log(2)^2) (1 + log 2/log(1/delta)), at most 14.6 for delta <= 1/2; what is below 1 is lighter",
        )
    },
    premises=[
        "width against depth: eps is at most 1, and with delta <= 1/2 above 11 L/m too: C**2*L*log(1/delta) <= m",
        (
            "failure probability of at most 1/2, needed where it has no prefactor: 'Omega' counts from some number on: "
            "2*delta <= 1"
        ),
    ],
    regime=Regime(
        cells=[
            NARROW,
            {"m": 148, "L": 2, "slope": -0.5, "delta": 1e-2},
            {"m": 512, "L": 4, "slope": 0.0, "delta": 1e-3},
            {"m": 300, "L": 4, "slope": 0.9, "delta": 0.1},
            {"m": 4096, "L": 16, "slope": 0.5, "delta": 0.5},
            {"m": 2000, "L": 8, "slope": 0.05, "delta": 1e-6},
            {"m": 10**5, "L": 3, "slope": -1.0, "delta": 1e-12},
            RARE,
        ],
        thorough=[{**DEEP, "slope": slope} for slope in SLOPES],
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("no growth with the depth", bound="4*sqrt(log(1/delta)/m)", cells=[DEEP]),
        control("rate 1/m", bound="4*sqrt(L)*log(1/delta)/m", cells=[{**DEEP, "m": 10**6, "L": 2, "delta": 0.4}]),
        control("constant 1", bound="sqrt(L*log(1/delta)/m)", cells=[NARROW]),
        control("fourth root of the logarithm", bound="4*sqrt(L/m)*log(1/delta)**(1/4)", cells=[RARE]),
        control("weight variance 2.1/m", gain=2.1, cells=[{"m": 10**5, "L": 4, "slope": -1.0, "delta": 0.1}]),
        control("not rescaled, at slope 1/2", gain=2.5, cells=[{"m": 2000, "L": 4, "slope": 0.5, "delta": 0.1}]),
        control(
            "single neurons, without an accuracy below 1",
            cells=[{"m": 1, "L": 8, "slope": -1.0, "delta": 1e-12}],
            without="C**2*L*log(1/delta) <= m",
        ),
        control("nearly certain to fail", cells=[{**DEEP, "L": 8, "delta": 0.999}], without="2*delta <= 1"),
    ],
    note="print solved for eps: delta = exp(-m eps^2/(C^2 L)). The joint law of all layers, between two brackets",
)
def norms_of_all_layers(threshold: float, m: int, L: int, slope: float, *, gain: float = 2.0) -> Tail:
    """The probability that some | ||h_l|| - 1 |, l = 0..L, exceeds `threshold` for one input of norm 1."""
    return norms_leave(threshold, m, L, slope, gain)


COMMON = {"m": 120, "delta": 0.1}
AT_THE_EDGE = grid(m=10**4, delta=1e-135)  # where eps is nearly 1


@claim(
    "guo2024:eq-20",
    bound="sqrt(8*log(2/delta)/m)",
    premises="width against the failure probability: eps is below 1 [Appendix B.2, eq. (20)]: 32*log(2/delta) < m",
    regime=Regime(
        cells=[
            *grid(m=45, delta=0.5),
            COMMON,
            *grid(m=10**3, delta=[0.9, 1e-6, 1e-12]),
            *AT_THE_EDGE,
            *grid(m=10**5, delta=[0.1, 1e-100]),
        ],
        thorough=grid(m=10**6, delta=[0.1, 1e-300]),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("exponent m eps^2/8", bound="sqrt(2*log(2/delta)/m)", cells=grid(m=1000, delta=1e-12)),
        control("rate 1/m", bound="8*log(2/delta)/m", cells=grid(m=10**5, delta=0.1)),
        control("24/5 for 8", bound="sqrt(24*log(2/delta)/(5*m))", cells=AT_THE_EDGE),
        control("variance 2/m", gain=2.0, cells=[COMMON]),
        control("eps far above 1", cells=grid(m=8, delta=1e-12), without="32*log(2/delta) < m"),
    ],
    note="print solved for eps/2, the threshold, at 2 exp(-m eps^2/32); the best exponent is m eps^2/16 for small eps",
)
def norm_of_the_input_layer(threshold: float, m: int, *, gain: float = 1.0) -> Tail:
    """The probability that | ||A x||^2 - 1 | exceeds `threshold` for ||x|| = 1, where m ||A x||^2 is chi2_m."""
    law = scipy.stats.chi2(m, scale=gain / m)
    p = float(law.sf(1.0 + threshold) + (law.cdf(1.0 - threshold) if threshold < 1.0 else 0.0))
    return Tail(p, p)


# At these widths the laws are narrow enough for a scale off by a tenth to be seen.
NARROW_LAW = {"m": 64, "L": 4, "slope": -1.0}
NARROW_PRODUCT = {"m": 320, "L": 1, "slope": -1.0}


@claim(
    "guo2024:eq-22-23",
    bound="= 1",
    premises="none needed: an equality in law at every width and slope, given that h_{l-1} is not 0",
    regime=Regime(
        cells=[
            *[{"m": 6, "L": 4, "slope": slope} for slope in SLOPES if slope],
            *[{"m": 24, "L": 4, "slope": slope} for slope in (-1.0, 0.0)],
            NARROW_LAW,
        ],
        thorough=[{"m": m, "L": 4, "slope": slope} for m in (24, 60) for slope in (*SLOPES, 0.99, -100.0)],
    ),
    evidence=Distribution(law=lambda m, slope: LeakyChiSquare(m, slope), trials=150),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("weight variance 2.4/m", gain=2.4, cells=grid(m=24, L=4, slope=-1.0)),
        control("not rescaled", rescaled=False, cells=grid(m=6, L=4, slope=[-2.0, 0.9])),
        control("slope -1 in place of 0: another variance", turned=-1.0, cells=grid(m=24, L=4, slope=0.0)),
        control("the ratios of four layers together", apart=4, cells=grid(m=6, L=4, slope=0.5)),
        control("a tenth more", bound="11/10", cells=[NARROW_LAW]),
        control("a tenth less", bound="9/10", cells=[NARROW_LAW]),
    ],
    note="K, which the paper calls Bernoulli, is Bin(m, 1/2), chi2 independent given K; the L ratios are independent",
)
def ratio_of_one_layer(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    *,
    gain: float = 2.0,
    rescaled: bool = True,
    turned: float | None = None,
    apart: int = 1,
) -> Measured:
    """The ||h_l||^2/||h_{l-1}||^2, all l: in law the bound times 2 (chi2_K + slope^2 chi2_{m-K})/((1 + slope^2) m)."""
    X = sphere(1, 4, rng)
    used = slope if turned is None else turned
    _, fwd = draw(X, m, L, 1, used, rng, gain=gain, rescaled=rescaled)
    ratios = trained_layer_ratios(fwd)[0]
    return Measured(ratios.reshape(-1, apart).prod(axis=1))


@claim(
    "guo2024:eq-24",
    bound="= 1",
    premises="none needed: an equality in law at every width, depth and slope",
    regime=Regime(
        cells=[
            *[{"m": 16, "L": L, "slope": slope} for L, slope in zip((1, 2, 3, 4, 5, 6, 8), SLOPES, strict=True)],
            NARROW_PRODUCT,
        ],
        thorough=[{"m": 32, "L": 8, "slope": slope} for slope in SLOPES],
    ),
    evidence=Distribution(law=lambda m, L, slope: log_norm_law(m, L, slope), trials=250),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("the first ratio in place of all", again=True, cells=grid(m=16, L=8, slope=0.9)),
        control("three times as deep", times=3, cells=grid(m=16, L=8, slope=0.9)),
        control("not rescaled", rescaled=False, cells=grid(m=16, L=4, slope=-2.0)),
        control("a tenth more", bound="11/10", cells=[NARROW_PRODUCT]),
        control("a tenth less", bound="9/10", cells=[NARROW_PRODUCT]),
    ],
    note="of each ratio the law is that of 2 (chi2_K + slope^2 chi2_{m-K})/(m + slope^2 m), K ~ Bin(m, 1/2)",
)
def product_of_the_ratios(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    *,
    gain: float = 2.0,
    rescaled: bool = True,
    again: bool = False,
    times: int = 1,
) -> float:
    """The squared norm ||h_L||^2 for ||x|| = 1: in law the bound times chi2_m/m and L independent ratios as in (23)."""
    X = sphere(1, 4, rng)
    _, fwd = draw(X, m, times * L, 1, slope, rng, gain=gain, rescaled=rescaled)
    if again:
        return float(np.sum(fwd.post[1] ** 2) * trained_layer_ratios(fwd)[0, 0] ** L)
    return float(np.sum(fwd.post[-1] ** 2))


def _zero(expression: sp.Expr) -> Decision:
    """Whether a rational expression vanishes."""
    return is_zero(expression, sp.cancel(sp.together(expression)))


def _moment(power: int, gain: int, rescaled: bool) -> sp.Expr:
    """The mean of the ratio or of its square: m times the mean of a neuron, and m^2 or m times what cumulants give."""
    m, slope = symbol("m"), symbol("slope")
    weight = gain / ((1 + slope**2) if rescaled else sp.Integer(1))
    # A neuron contributes gain w z^2/m, with w = 1 or slope^2 over 1 + slope^2 by equal chances; E z^4 = 3.
    mean = weight * (1 + slope**2) / 2
    square = 3 * weight**2 * (1 + slope**4) / 2
    return mean if power == 1 else (square - mean**2) / m + mean**2


@claim(
    "guo2024:eq-25",
    bound="= 1",
    premises="none needed: the weights are Gaussian as drawn, at every width, norm and slope",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality, at every width and slope"),
    controls=[
        control("weight variance 1/m", gain=1),
        control("not rescaled", rescaled=False),
        control("mean 2: no activation", bound="2"),
    ],
)
def mean_of_one_layer(bound: Bound, *, gain: int = 2, rescaled: bool = True) -> list[Step]:
    """The mean of ||h_l||^2/||h_{l-1}||^2 over Gaussian weights, from its law and from the integral of one neuron."""
    slope, z = symbol("slope"), sp.Symbol("z", real=True)
    share = 1 + slope**2 if rescaled else sp.Integer(1)
    density = z**2 * sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    above, below = sp.integrate(density, (z, 0, sp.oo)), sp.integrate(density, (z, -sp.oo, 0))
    neuron = gain * (above + slope**2 * below) / share
    return [
        Step("the integral of one neuron, times m", _zero(neuron - bound.expr)),
        Step(
            "the mean of (2/((1 + slope^2) m)) (chi2_K + slope^2 chi2_{m-K})",
            _zero(_moment(1, gain, rescaled) - bound.expr),
        ),
    ]


@claim(
    "guo2024:eq-25-fourth",
    title="fourth moment of the norm of every layer",
    bound="= (1 + 2/m)*(1 + (6*(1 + slope**4)/(1 + slope**2)**2 - 1)/m)**l",
    premises="none needed: the ratios are independent and of one law, at every width and slope",
    measured=["m", "slope", "l"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality, at every width, depth and slope"),
    controls=[
        control("weight variance 1/m", gain=1),
        control("the variance of ReLU at every slope", bound="(1 + 2/m)*(1 + 5/m)**l"),
        control("without the input layer", bound="(1 + (6*(1 + slope**4)/(1 + slope**2)**2 - 1)/m)**l"),
        control("not rescaled", rescaled=False),
    ],
    note="what stands over m in the power is 5 at slope 0, 2 at -1, and tends to 2 at 1",
)
def fourth_moment_of_all_layers(bound: Bound, *, gain: int = 2, rescaled: bool = True) -> list[Step]:
    """The mean of ||h_l||^4 for an input of norm 1: at layer 0, and what every layer multiplies it by."""
    m, l = symbol("m"), symbol("l")  # noqa: E741
    start = sp.simplify(m * (m + 2) / m**2)
    factor = _moment(2, gain, rescaled)
    slope = symbol("slope")
    return [
        Step(
            f"the value at slope {value}, width {width} and layer {layer}",
            _zero((start * factor**layer - bound.expr).subs({slope: value, m: width, l: layer})),
        )
        for value, width, layer in ((0, 7, 0), (0, 3, 2), (-1, 3, 1), (sp.Rational(-1, 2), 5, 3), (-2, 1, 2))
    ] + [
        Step("at layer 0 that of chi2_m/m", _zero(bound.expr.subs(l, 0) - start)),
        Step("each layer multiplies by the second moment of its ratio", _zero(bound.expr.subs(l, 1) / start - factor)),
        Step("and by the same at all layers", _zero(bound.expr.subs(l, 3) / start - factor**3)),
    ]


@claim(
    "guo2024:eq-25-near-linear",
    title="variance of a norm ratio where the leaky ReLU becomes linear",
    bound="= 3*(1 - slope**2)**2/(1 + slope**2)**2",
    premises="none needed: the law is exact at every width and slope",
    measured=["slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality; 3 (1 - slope)^2 to leading order at 1, and 0 at -1 as well"),
    controls=[
        control("of first order in 1 - slope", bound="3*(1 - slope)/(1 + slope**2)"),
        control("of third order in 1 - slope", bound="3*(1 - slope)**3/(1 + slope**2)**2"),
        control("not rescaled", rescaled=False),
    ],
    note="for the norm alone a slope of -1 is as good as a linear layer; (25) has the mean alone",
)
def variance_near_a_linear_layer(bound: Bound, *, rescaled: bool = True) -> list[Step]:
    """The variance of ||h_l||^2/||h_{l-1}||^2 times m, less the 2 of a linear layer, and its order in 1 - slope."""
    slope = symbol("slope")
    excess = symbol("m") * (_moment(2, 2, rescaled) - _moment(1, 2, rescaled) ** 2) - 2
    return [
        Step("equal at every slope", _zero(excess - bound.expr)),
        Step("3 (1 - slope)^2 at 1", sp.limit(bound.expr / (1 - slope) ** 2, slope, 1) == 3),
        Step("0 at slope -1", is_zero(bound.expr.subs(slope, -1))),
    ]


FEW = {"m": 40, "delta": 0.5}
TENTH = grid(m=2000, delta=2.0 * math.exp(-40.0))


@claim(
    "guo2024:eq-27",
    bound="sqrt(log(2/delta)/(2*m))",
    premises="none needed: Hoeffding's inequality holds at every number of trials",
    regime=Regime(
        cells=[
            *grid(m=[1, 3], delta=0.9),
            FEW,
            *grid(m=200, delta=[0.5, 2.0 * math.exp(-4.0)]),
            *grid(m=2000, delta=[0.1, 2.0 * math.exp(-40.0)]),
            *grid(m=10**6, delta=[0.1, 1e-100]),
        ]
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("exponent doubled", bound="sqrt(log(2/delta)/(4*m))", cells=TENTH),
        control("rate 1/m", bound="log(2/delta)/(2*m)", cells=grid(m=10**6, delta=0.1)),
        control("neurons positive with chance 0.55", share=0.55, cells=TENTH),
    ],
    note="at delta = 2 exp(-m/50) the deviation is the tenth of the paper",
    scope="own constants: those of the inequality of Hoeffding, where the print has an order",
)
def half_of_the_neurons(threshold: float, m: int, *, share: float = 0.5) -> Tail:
    """The probability that |K/m - 1/2| exceeds `threshold`, K ~ Binomial(m, 1/2) the neurons above 0."""
    law = scipy.stats.binom(m, share)
    # In whole numbers K > m (1/2 + threshold) and K < m (1/2 - threshold).
    high, low = math.floor(m * (0.5 + threshold) + 1e-9), math.ceil(m * (0.5 - threshold) - 1e-9)
    p = float(law.sf(high) + law.cdf(low - 1))
    return Tail(p, p)


@functools.cache
def _drift(m: int, slope: float) -> float:
    return mean_log_ratio(m, slope, *window(m))


@claim(
    "guo2024:eq-28",
    bound="2/m",
    premises="none needed: true at every width that has a number of neurons between 0.4 m and 0.6 m",
    regime=Regime(cells=[{"m": m, "slope": slope} for m in (2, 5, 8, 60, 1000) for slope in (*SLOPES, -100.0, 0.999)]),
    evidence=Search(adversary="every slope; small widths, and large ones where the drift is that of the limit"),
    controls=[
        control("from -2/m to 0", bound="1/m", centre=1.0),
        control("from -4/m^2 to 0", bound="2/m**2", centre=2.0, power=2),
        control("not rescaled, at slope 1/2", gain=2.5, cells=grid(m=8, slope=0.5)),
        control("weight variance 1/m", gain=1.0),
        control("above 0", centre=-2.0),
    ],
    note="for large widths the drift times m is about -1 at slope -1 and -2.5 at slope 0",
)
def drift_of_the_logarithm(m: int, slope: float, *, centre: float = 2.0, power: int = 1, gain: float = 2.0) -> Measured:
    """The distance of E[log(||h_l||^2/||h_{l-1}||^2)], given 0.4 m to 0.6 m neurons above 0, from -2/m, amid [-4/m, 0].
    Raises `DataError` for a width without a number from 0.4 m to 0.6 m."""
    drift = _drift(m, slope) + math.log(gain / 2.0)
    return Measured(abs(drift + centre / m**power), error=1e-12)


USUAL = {"m": 280, "slope": 0.0, "delta": 0.5}


@claim(
    "guo2024:claim-subgaussian",
    bound=sheet.claim_subgaussian.reads("C*sqrt(log(1/delta)/m)"),
    premises=(
        "moderate deviation: t is at most m/4, m at least 4 for the window [Appendix B.2, after eq. (28)]: "
        "16*C**2*log(1/delta) <= m"
    ),
    regime=Regime(
        cells=[
            USUAL,
            *[{"m": 4000, "slope": slope, "delta": delta} for slope, delta in zip(SLOPES, LEVELS, strict=True)],
            *grid(m=10**5, slope=[0.0, -1.0], delta=1e-60),
        ],
        thorough=grid(m=10**6, slope=list(SLOPES), delta=[0.5, 1e-100]),
        least={"m": 4},  # of fewer neurons none or one is above 0 in the window
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("constant 2", bound="2*sqrt(log(1/delta)/m)", cells=grid(m=1000, slope=0.0, delta=0.1)),
        control("rate 1/m", bound="5*log(1/delta)/m", cells=grid(m=10**5, slope=-1.0, delta=0.1)),
        control("weight variance 2.5/m", gain=2.5, cells=grid(m=1000, slope=-1.0, delta=0.1)),
        control(
            "far in the tail of few neurons",
            cells=grid(m=4, slope=-1.0, delta=1e-120),
            without="16*C**2*log(1/delta) <= m",
        ),
    ],
    note="C is 5; the bound is t/m at delta = exp(-(t/m)^2 m/C^2), and print has log|ratio|. The window: 0.4 m to "
    "0.6 m neurons are above 0; brackets allow for its chance",
)
def tail_of_the_log_ratio(threshold: float, m: int, slope: float, *, gain: float = 2.0) -> Tail:
    """The probability that |log(||h_l||^2/||h_{l-1}||^2)|, given the window, exceeds `threshold`, which is t/m."""
    law = LeakyChiSquare(m, slope, gain)
    p = float(law.sf(math.exp(threshold)) + law.cdf(math.exp(-threshold)))
    return given_the_window(Tail(p, p), m, 1, slope)


SUMS = {"m": 300, "L": 8, "slope": 0.0, "delta": 0.5}

# Layers so narrow, and so many, that the sum of the means is beyond the bound.
DEEP_AND_NARROW = {"m": 4, "L": 128, "slope": -1.0, "delta": 0.5}


@claim(
    "guo2024:ext-azuma-subgaussian",
    bound=sheet.ext_azuma.reads("C*sqrt(L*log(1/delta)/m)"),
    premises=(
        "moderate deviation: eps is at most 1/4, as far as the tail of a ratio is shown, m not 1 or 3, of which the "
        "window has no number [Appendix B.2, Theorem 2 of Shamir (2011)]: 16*C**2*log(1/delta) <= L*m"
    ),
    regime=Regime(
        cells=[
            *grid(m=300, L=1, slope=0.0, delta=0.5),
            SUMS,
            DEEP_AND_NARROW,
            *grid(m=30000, L=2, slope=0.05, delta=0.1),
            *[{"m": 800, "L": 4, "slope": slope, "delta": delta} for slope, delta in zip(SLOPES, LEVELS, strict=True)],
            *grid(m=2000, L=16, slope=-1.0, delta=[0.1, 1e-9]),
        ],
        thorough=grid(m=10**4, L=64, slope=list(SLOPES), delta=0.1),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control(
            "no growth with the depth",
            bound="5*sqrt(log(1/delta)/m)",
            cells=[{**SUMS, "m": 2000, "L": 16, "delta": 0.4}],
        ),
        control("rate 1/m", bound="5*sqrt(L)*log(1/delta)/m", cells=[{**SUMS, "m": 2000, "delta": 1e-3}]),
        control("constant 2", bound="2*sqrt(L*log(1/delta)/m)", cells=[{**SUMS, "delta": 0.05}]),
        control("weight variance 2.5/m", gain=2.5, cells=[SUMS]),
        control("not less their means", centred=False, cells=[DEEP_AND_NARROW]),
        control(
            "far in the tail of few neurons",
            cells=[{"m": 2, "L": 1, "slope": -1.0, "delta": 1e-20}],
            without="16*C**2*log(1/delta) <= L*m",
        ),
    ],
    note="C is 5, L the b of print: delta = exp(-L eps^2 m/C^2). The logs are independent: no martingale is needed. "
    "The window: 0.4 m to 0.6 m neurons are above 0 in each layer; brackets allow for its chance, and decide nothing "
    "where it is small",
)
def tail_of_the_sum_of_log_ratios(
    threshold: float, m: int, L: int, slope: float, *, gain: float = 2.0, centred: bool = True
) -> Tail:
    """The chance that sum_l log(||h_l||^2/||h_{l-1}||^2), L terms, is over `threshold` = L eps off its mean, both given
    the window."""
    chance = log_norm_leaves(threshold, L * _drift(m, slope) if centred else 0.0, m, L, slope, gain)
    return given_the_window(chance, m, L, slope)
