"""chatterji2021 at initialisation: norms of the weights, pre-activations near zero, and outputs.

Main claims: `norms_of_the_layers` (Lemma E.3), its sharp form and the law of the output layer,
`few_small_pre_activations` (Lemma E.9) with their law, `outputs_at_the_start` (Lemma E.11) with the laws of one output
and of many, `norm_of_all_weights` (Lemma E.12), its sharp form and `norm_of_a_drawn_network`, its law.

The activation is the Huberised ReLU. All layers have the width of the network, the first one included.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.random import Generator

from bounds.laws.layers import SmallPreactivations
from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.data.labelled import DataSource
from nets.data.points import arranged, sphere
from nets.networks.activations import huberised_relu
from nets.networks.forward import forward
from nets.networks.fresh import fresh_forward, fresh_operator_norm
from nets.networks.network import gaussian_smooth_network
from nets.networks.operators import frobenius_norm, threshold_counts
from properties.chatterji2021.initial_norms import (
    WeightNorm,
    largest_smoothing,
    norms_off,
    share_of_a_part,
    weight_norm_tail,
    with_last_of_length,
)
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Distribution, ExactLaw, Tail, Trials

NARROW = grid(m=504, L=1, delta=0.4)
TWO = grid(m=1000, L=2, delta=0.8)
# So wide that the norm is known to some thousandths, and so seldom allowed to be larger.
WIDE_AND_RARE = grid(m=10**4, L=5, delta=0.008)


def _hidden_norms(rng: Generator, m: int, L: int, last: float) -> list[float]:
    """Operator norms of new hidden layers, of variance 2/m but for that of the last, `last`/m."""
    return [fresh_operator_norm(m, m, rng, gain) for gain in (*(2.0,) * (L - 1), last)]


@claim(
    "chatterji2021:lemma-E.3",
    bound=sheet.lemma_E_3.reads("C"),
    premises=sheet.lemma_E_3_width.reads("m >= C*log(16*L/delta)"),
    regime=Regime(
        cells=[*NARROW, *TWO, *grid(m=2000, L=1, delta=0.8)],
        thorough=grid(m=10**5, L=1, delta=0.8),
        derived={"rate": share_of_a_part},
    ),
    evidence=Trials(rate="rate", budget=400),
    controls=[
        control("weight variance 3/m in the last hidden layer", gain=3.0, cells=TWO),
        control("output weights of variance 3", outputs=3.0, cells=TWO),
        control("one side of the matrix only", bound="sqrt(2)", cells=NARROW),
        control("a width of 12", cells=grid(m=12, L=12, delta=0.1), without=sheet.lemma_E_3_width),
    ],
    note="C is 3 in the bound, for O(1), and 136 in the premise. Square layers are drawn from their bidiagonal form, "
    "exact in law. ||V_{L+1}|| counts in units in which its bound, sqrt(2 m), is that of the others",
)
def norms_of_the_layers(rng: Generator, m: int, L: int, *, gain: float = 2.0, outputs: float = 1.0) -> Measured:
    """Norms ||V_l||_op of every hidden layer, d = m in the first, and ||V_{L+1}||, at once at failure rate delta/8."""
    hidden = _hidden_norms(rng, m, L, gain)
    unit = sheet.lemma_E_3() / sheet.lemma_E_3_output(m=m)
    last = unit * math.sqrt(outputs * rng.chisquare(m))
    return Measured(np.array([*hidden, last]))


@claim(
    "chatterji2021:lemma-E.3-sharp",
    title="operator norm of each layer against Gordon's mean and the Gaussian deviation",
    bound=sheet.lemma_E_3_sharp.reads("2*sqrt(2) + 2*sqrt(log(8*L/delta)/m)"),
    premises="none needed: Gordon's mean and the Gaussian deviation hold at every width",
    regime=Regime(
        cells=[*grid(m=[1, 8], L=1, delta=0.8), *grid(m=64, L=4, delta=[0.8, 0.4]), *TWO],
        thorough=grid(m=10**4, L=[1, 3], delta=0.8),
        derived={"rate": share_of_a_part},
    ),
    evidence=Trials(rate="rate", budget=400),
    controls=[
        control("weight variance 2.4/m in the last layer", gain=2.4, cells=TWO),
        control("root of the sum of the sides", bound="2 + 2*sqrt(log(8*L/delta)/m)", cells=TWO),
        control(
            "deviation of order 1/m, from three times as far below the limit",
            bound="2*sqrt(2) - 3*m**(-2/3) + 2*log(8*L/delta)/m",
            cells=TWO,
        ),
        control("deviation of order 1/m", bound="2*sqrt(2) + 2*log(8*L/delta)/m", cells=WIDE_AND_RARE),
    ],
    note="hidden layers alone, m x m, at every width, where print asks for a polynomial one. The norm differs from "
    "2 sqrt(2) by the order of m^(-2/3), so that at large widths less than this deviation would do",
)
def norms_near_their_limit(rng: Generator, m: int, L: int, *, gain: float = 2.0) -> Measured:
    """Norms ||V_l||_op of every hidden layer of a new network, all at once at failure rate delta/8."""
    return Measured(np.array(_hidden_norms(rng, m, L, gain)))


@claim(
    "chatterji2021:lemma-E.3-law-of-the-output-layer",
    title="law of the norm of the output layer of a network that is drawn",
    bound="= 1",
    premises="none needed: the entries are independent Gaussians as drawn: the law is exact at every width",
    regime=Regime(cells=[*grid(m=1, L=2), *grid(m=400, L=1)]),
    evidence=Distribution(law=lambda m: scipy.stats.chi(m), trials=600),
    controls=[
        control("output weights of variance 11/10", outputs=1.1, cells=grid(m=400, L=1)),
        control("output weights of variance 2/m, as in the layers before", outputs=0.005, cells=grid(m=400, L=1)),
        control("the last hidden layer in its place", at=-2),
    ],
    note="the bound 1 is the unit; Lemma E.3 has the norm at most sqrt(2 m), with the layers, but for delta/8",
)
def norm_of_the_output_layer(rng: Generator, m: int, L: int, *, outputs: float = 1.0, at: int = -1) -> float:
    """Norm ||V_{L+1}|| of a new network, its law that of the root of a chi-square of m degrees."""
    net = gaussian_smooth_network((m,) * (L + 1), huberised_relu(1e-3), rng, 2.0, outputs)
    return frobenius_norm(net.weights[at])


def _smoothing(m: int, L: int, bend: float) -> float:
    """So many times the largest smoothing admitted."""
    return bend * largest_smoothing(m, L)


def _radius(m: int, n: int, L: int, delta: float, radius: float) -> float:
    """So many times the least radius admitted, rounded up."""
    return radius * 1.0001 * float(sheet.lemma_E_9_radius(m=m, n=n, L=L, delta=delta))


def _threshold(m: int, L: int, tau: float, band: float) -> float:
    """So many times the threshold that goes with it, rounded up."""
    return band * 1.0001 * float(sheet.lemma_E_9_threshold(m=m, L=L, tau=tau))


ADMITTED = {"bend": 1.0, "radius": 1.0, "band": 1.0}

# Norms of what enters a layer, of which the chances to be below are known: the shorter, the larger the count.
SHORT = (0.5, 0.75, 0.9, 0.95, 0.98)

USUAL = [*grid(m=2400, n=4, L=1, delta=0.1, **ADMITTED), *grid(m=10**4, n=4, L=2, delta=0.1, **ADMITTED)]
RARE = grid(m=10**5, n=4, L=1, delta=1e-6, **ADMITTED)
# So many layers that a root of the depth would show.
RARE_DEEP = grid(m=6 * 10**4, n=4, L=8, delta=1e-6, **ADMITTED)
# So few neurons in the band that the bound is just below 3, where rounding it down costs most.
NEARLY_THREE = grid(m=2000, n=1, L=1, delta=0.372, **ADMITTED)
DERIVED: dict[str, Callable[..., Any]] = {"h": _smoothing, "rate": share_of_a_part, "tau": _radius, "beta_": _threshold}


@claim(
    "chatterji2021:lemma-E.9",
    bound=sheet.lemma_E_9.reads("3*m**(3/2)*beta_"),
    premises=[
        sheet.lemma_E_2_smoothing.reads("50*L*h*sqrt(m) < 1"),
        sheet.lemma_E_2_width.reads("m >= C*L*log(16*n*L/delta)"),
        sheet.lemma_E_9_least_radius.reads("tau >= C*log(L*n/delta)**2/(L**3*m**(3/2))"),
        sheet.lemma_E_9_least_threshold.reads("beta_ >= C*L**2*tau**(2/3)/sqrt(m)"),
        sheet.lemma_E_9_level.reads("n*L >= 2*delta"),
    ],
    regime=Regime(
        cells=[*USUAL, *RARE, *NEARLY_THREE],
        thorough=[*grid(m=10**5, n=64, L=3, delta=1e-12, **ADMITTED), *grid(m=20000, n=4, L=5, delta=0.1, **ADMITTED)],
        derived=DERIVED,
    ),
    evidence=ExactLaw(rate="rate"),
    controls=[
        control("the mean at norm one for the bound", bound="m**(3/2)*beta_/sqrt(pi)", cells=RARE),
        control("exponent 7/5 of the width", bound="3*m**(7/5)*beta_", cells=RARE),
        control("over the root of the depth", bound="3*m**(3/2)*beta_/sqrt(L)", cells=RARE_DEEP),
        control(
            "threshold a hundredth of its order",
            cells=[{**RARE[0], "band": 0.01}],
            without=sheet.lemma_E_9_least_threshold,
        ),
        control(
            "radius at which less than a neuron is expected",
            cells=[{**RARE[0], "radius": 1e-4}],
            without=sheet.lemma_E_9_least_radius,
        ),
        control(
            "one sample, but for a chance of seven tenths",
            cells=grid(m=1200, n=1, L=1, delta=0.7, **ADMITTED),
            without=sheet.lemma_E_9_level,
        ),
    ],
    note="the count given the norm r of what enters is Binomial(m, P(|N(0, 2 r^2/m)| <= beta)); V_l acts on x_{l-1}, "
    "where x_l is printed. C is 360 in the width, else 1. Print has O() for 3, and beta is O(): the bound may be < 1",
    blind=dict.fromkeys(
        (f"premise {premise.text}" for premise in (sheet.lemma_E_2_smoothing, sheet.lemma_E_2_width)),
        "the law from below is that of the first layer, where the norm is one: lemma-E.9-network sees it",
    ),
)
def few_small_pre_activations(
    threshold: float, m: int, n: int, L: int, h: float, beta_: float, *, gain: float = 2.0
) -> Tail:
    """The probability, delta/8 at most, that some layer and sample has over `threshold` pre-activations |u_i| <= beta.

    tau is any radius. From below the first layer of one sample, where the norm is one. From above a union over layers
    and samples, by the chances that a norm ||x_l|| is off 1 by over 1/2, 1/4, 1/10, 1/20 or 1/50; the first of them, or
    the first few, are for some layer and sample at once.
    """
    first = float(SmallPreactivations(m, beta_, 1.0, gain).sf(threshold))
    upper = n * first
    if L > 1:
        off = np.array([norms_off(1.0 - short, m, n, L - 1, h, gain, False) for short in SHORT])
        counts = np.array([float(SmallPreactivations(m, beta_, short, gain).sf(threshold)) for short in SHORT])
        falls = off[1:] * (counts[:-1] - counts[1:])
        upper += min(float(chance) + n * (L - 1) * (counts[-1] + falls[k:].sum()) for k, chance in enumerate(off))
    return Tail(first, min(upper, 1.0))


PAIR = grid(m=4000, n=4, L=2, d=8, delta=0.8, **ADMITTED)
FEW_NEURONS = {"m": 64, "n": 1, "L": 120, "d": 8, "delta": 0.8, **ADMITTED}


@claim(
    "chatterji2021:lemma-E.9-network",
    bound=sheet.lemma_E_9.reads("3*m**(3/2)*beta_"),
    premises=[
        sheet.lemma_E_2_smoothing.reads("50*L*h*sqrt(m) < 1"),
        sheet.lemma_E_2_width.reads("m >= C*L*log(16*n*L/delta)"),
        sheet.lemma_E_9_least_radius.reads("tau >= C*log(L*n/delta)**2/(L**3*m**(3/2))"),
        sheet.lemma_E_9_least_threshold.reads("beta_ >= C*L**2*tau**(2/3)/sqrt(m)"),
        sheet.lemma_E_9_level.reads("n*L >= 2*delta"),
    ],
    regime=Regime(
        cells=[
            *PAIR,
            *grid(m=2500, n=8, L=1, d=8, delta=0.8, **ADMITTED),
            *grid(m=2 * 10**4, n=4, L=1, d=8, delta=0.8, **ADMITTED),
            *grid(m=2500, n=8, L=1, d=8, delta=0.8, points="arc", **ADMITTED),
        ],
        thorough=grid(m=10**5, n=2, L=3, d=8, delta=0.8, **ADMITTED),
        derived=DERIVED,
        usual={"points": "drawn"},
    ),
    evidence=Trials(rate="rate", budget=400),
    controls=[
        control("a third of the bound", bound="m**(3/2)*beta_", cells=PAIR),
        control("exponent 7/5 of the width", bound="3*m**(7/5)*beta_", cells=PAIR),
        control("features in place of pre-activations", features=True, cells=PAIR),
        control("weight variance 1/(4 m)", gain=0.25, cells=PAIR),
        control("features lost in their bend", cells=[{**PAIR[0], "bend": 1e4}], without=sheet.lemma_E_2_smoothing),
        control("a narrow network of many layers", cells=[FEW_NEURONS], without=sheet.lemma_E_2_width),
        control("the last point a tenth as long", last=0.1, cells=[{**PAIR[0], "L": 1}]),
    ],
    note="all layers, samples at once, at rate delta/8; tau is any radius. C is 360 in the width, else 1; 3 is for O()",
    blind=dict.fromkeys(
        (
            f"premise {premise.text}"
            for premise in (sheet.lemma_E_9_least_radius, sheet.lemma_E_9_least_threshold, sheet.lemma_E_9_level)
        ),
        "short of it the bound falls below one neuron, and lemma-E.9 sees by its law how often it is then broken",
    ),
)
def few_small_pre_activations_in_a_network(
    rng: Generator,
    data: DataSource,
    m: int,
    n: int,
    L: int,
    d: int,
    h: float,
    beta_: float,
    points: str,
    *,
    gain: float = 2.0,
    features: bool = False,
    last: float = 1.0,
) -> Measured:
    """Count |S_l(beta)|, the number of |(V_l x_{l-1})_i| <= beta, of every layer and sample of a new network."""
    X = with_last_of_length(arranged(data.draw(n, d, rng)[0], points, rng), last)
    fwd = fresh_forward(X, (m,) * L, rng, gain, huberised_relu(h), 1.0)
    looked_at = fwd.post[1:] if features else fwd.pre
    return Measured(np.stack([threshold_counts(u, np.array([beta_]))[:, 0] for u in looked_at]))


@claim(
    "chatterji2021:lemma-E.9-law",
    title="law of the pre-activations of a network that is drawn",
    bound="= sqrt(2/m)",
    premises="none needed: each layer is independent of what enters it, at every width and smoothing",
    regime=Regime(cells=[*grid(m=64, L=2, d=8, h=0.05), *grid(m=256, L=1, d=8, h=1e-3)]),
    evidence=Distribution(law=lambda: scipy.stats.norm, trials=1600),
    controls=[
        control("weight variance 11/(5 m)", gain=2.2, cells=grid(m=256, L=1, d=8, h=1e-3)),
        control("variance over the inputs of the layer", bound="sqrt(2/d)"),
        control("over the norm of the input of the network", entering=False, cells=grid(m=16, L=4, d=8, h=0.5)),
    ],
    note="what the count of those near zero is computed by; a tenth in the variance is refuted",
)
def pre_activations_of_a_network(
    rng: Generator, m: int, L: int, d: int, h: float, *, gain: float = 2.0, entering: bool = True
) -> Array:
    """All (V_l x_{l-1})_i/||x_{l-1}||, all layers, neurons i, one uniform unit x: sqrt(2/m) times a standard normal.

    Layers that nothing enters, as those below are silent, are left out.
    """
    net = gaussian_smooth_network((d, *[m] * L), huberised_relu(h), rng, gain)
    fwd = forward(net, sphere(1, d, rng))
    sizes = [float(np.linalg.norm(x)) if entering else 1.0 for x in fwd.post[:-1]]
    return np.concatenate([pre[0] / size for pre, size in zip(fwd.pre, sizes, strict=True) if size > 0.0])


SMALL = grid(m=1600, n=4, L=1, d=8, h=1e-4, delta=0.1)
MANY = grid(m=400, n=64, L=1, d=32, h=1e-4, delta=0.4)


@claim(
    "chatterji2021:lemma-E.11",
    bound=sheet.lemma_E_11.reads("C*sqrt(log(2*n/delta))"),
    premises=sheet.lemma_E_2_width.reads("m >= C*L*log(16*n*L/delta)"),
    regime=Regime(
        cells=[
            *grid(m=1100, n=1, L=1, d=8, h=[1e-4, 0.5], delta=0.8),
            *grid(m=2400, n=4, L=1, d=8, h=1e-4, delta=0.4),
            *grid(m=8200, n=2, L=3, d=8, h=1e-4, delta=0.4),
            *grid(m=3 * 10**4, n=1, L=1, d=8, h=1e-4, delta=0.4),
            *grid(m=2900, n=64, L=1, d=32, h=1e-4, delta=0.4),
            *grid(m=1900, n=1, L=1, d=8, h=1e-4, delta=0.1),
            *grid(m=2400, n=4, L=1, d=8, h=1e-4, delta=0.4, points="clusters"),
        ],
        thorough=grid(m=10**5, n=1, L=3, d=8, h=[1e-5, 0.1], delta=0.4),
        usual={"points": "drawn"},
    ),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("weight variance 4/m", gain=4.0, cells=grid(m=8200, n=2, L=3, d=8, h=1e-4, delta=0.4)),
        control("output weights of variance 4", outputs=4.0, cells=SMALL),
        control("half of the constant", bound="11*sqrt(2)*sqrt(log(2*n/delta))/20", cells=SMALL),
        control("no union over the samples", bound="11*sqrt(2)*sqrt(log(2/delta))/10", cells=MANY),
        control("a narrow network", cells=grid(m=2, n=64, L=2, d=8, h=1e-4, delta=1e-3), without=sheet.lemma_E_2_width),
    ],
    note="for every h: the proof goes by Lemma E.2, which asks for a small one, but uses only that features are not "
    "long. One cell has h sqrt(m) = 17, where they nearly vanish. C is 11 sqrt(2)/10 in the bound, 360 in the premise",
)
def outputs_at_the_start(
    rng: Generator,
    data: DataSource,
    m: int,
    n: int,
    L: int,
    d: int,
    h: float,
    points: str,
    *,
    gain: float = 2.0,
    outputs: float = 1.0,
) -> Measured:
    """Size |f(x_s)| of the output of a new network at every sample, all at once at failure rate delta."""
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    return Measured(np.abs(fresh_forward(X, (m,) * L, rng, gain, huberised_relu(h), outputs).output))


@claim(
    "chatterji2021:lemma-E.11-sharp",
    title="outputs against the norm of the last features",
    bound="r*sqrt(2*log(n/delta))",
    premises="none needed: given the features outputs are Gaussian, at every width and smoothing",
    measured=["r"],
    regime=Regime(
        cells=[
            *grid(m=2, n=1, L=1, d=8, h=1e-4, delta=0.8),
            *grid(m=[2, 64], n=4, L=2, d=8, h=[1e-4, 1.0], delta=0.4),
            *grid(m=64, n=64, L=2, d=8, h=1e-4, delta=0.2),
            *MANY,
            *grid(m=64, n=4, L=2, d=8, h=1e-4, delta=0.4, points="antipodes"),
        ],
        thorough=grid(m=10**5, n=1, L=3, d=8, h=[1e-5, 0.1], delta=0.4),
        usual={"points": "drawn"},
    ),
    evidence=Trials(rate="delta", budget=400, reserve=0.75),
    controls=[
        control("output weights of variance 3", outputs=3.0, cells=MANY),
        control("no union over the samples", bound="r*sqrt(2*log(1/delta))", cells=MANY),
        control("a third of the logarithm", bound="r*sqrt(2*log(n/delta)/3)", cells=MANY),
        control("square of the norm, as the proof prints", power=2, cells=grid(m=64, n=4, L=2, d=8, h=0.2, delta=0.4)),
    ],
    note="at every width and for every h: what is random in the norm is in the bound. At n/delta up to 320 it is not "
    "told from 2 r log(n/delta)^(1/4), which is too small from n/delta = 800 on",
)
def outputs_given_the_norm(
    rng: Generator,
    data: DataSource,
    m: int,
    n: int,
    L: int,
    d: int,
    h: float,
    points: str,
    *,
    gain: float = 2.0,
    outputs: float = 1.0,
    power: int = 1,
) -> Measured:
    """Size |f(x_s)| of the output at every sample, all at once at failure rate delta; r is ||x_{L,s}||."""
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    fwd = fresh_forward(X, (m,) * L, rng, gain, huberised_relu(h), outputs)
    return Measured(np.abs(fwd.output), symbols={"r": np.linalg.norm(fwd.post[-1], axis=1) ** power})


@claim(
    "chatterji2021:lemma-E.11-law",
    title="an output over the norm of its last features is standard normal",
    bound="= 1",
    premises="none needed: given its features an output is Gaussian, at every width and smoothing",
    regime=Regime(cells=[*grid(m=2, L=2, d=8, h=1e-3), *grid(m=64, L=2, d=8, h=0.3)]),
    evidence=Distribution(law=lambda: scipy.stats.norm, trials=600),
    controls=[
        control(
            "output weights of variance 2/m, as in the layers before",
            outputs=2 / 64,
            cells=grid(m=64, L=2, d=8, h=1e-3),
        ),
        control("square of the norm, as the proof prints", power=2, cells=grid(m=64, L=2, d=8, h=0.3)),
        control("output weights of signs, in a narrow network", signs=True, cells=grid(m=2, L=2, d=8, h=1e-3)),
    ],
    note="given the features the output is a sum of independent Gaussians: exact at every width and smoothing",
)
def law_of_an_output(
    rng: Generator, m: int, L: int, d: int, h: float, *, outputs: float = 1.0, power: int = 1, signs: bool = False
) -> Measured:
    """The quotient f(x)/||x_L|| at a uniform unit x, standard normal; where features vanish, the network is redrawn."""
    while True:
        fwd = fresh_forward(sphere(1, d, rng), (m,) * L, rng, 2.0, huberised_relu(h), outputs)
        norm = float(np.linalg.norm(fwd.post[-1]))
        if norm > 0.0:
            break
    output = float(fwd.post[-1][0] @ rng.choice([-1.0, 1.0], m)) if signs else float(fwd.output[0])
    return Measured(output / norm**power)


# How near to the span of those before it, relative to the farthest, a feature may be to count as independent; and the
# most networks that are drawn until all are.
INDEPENDENT = 1e-8
DRAWN_AGAIN = 50


@claim(
    "chatterji2021:lemma-E.11-law-of-a-network",
    title="law of the outputs of a network that is drawn, at many points at once",
    bound="= 1",
    premises="none needed: given features that are linearly independent outputs are jointly Gaussian",
    regime=Regime(
        cells=[*grid(m=192, n=128, L=1, d=8, h=1e-3), *grid(m=128, n=64, L=2, d=16, h=0.05)], most={"n": "m"}
    ),
    evidence=Distribution(law=lambda: scipy.stats.norm, trials=1600),
    controls=[
        control("output weights of variance 11/10", outputs=1.1, cells=grid(m=192, n=128, L=1, d=8, h=1e-3)),
        control("features in their own lengths", whitened=False, cells=grid(m=128, n=64, L=2, d=16, h=0.05)),
    ],
    note="networks whose features are dependent, as of many points in one linear piece, are drawn again. Orthonormal "
    "features have independent outputs: a variance off by a tenth is refuted",
)
def law_of_many_outputs(
    rng: Generator, m: int, n: int, L: int, d: int, h: float, *, outputs: float = 1.0, whitened: bool = True
) -> Array:
    """Outputs at n uniform unit points, so combined that the features x_L are orthonormal: each a standard Gaussian."""
    for _ in range(DRAWN_AGAIN):
        net = gaussian_smooth_network((d, *[m] * L), huberised_relu(h), rng, 2.0, outputs)
        fwd = forward(net, sphere(n, d, rng))
        factor = np.linalg.qr(fwd.post[-1].T, mode="r")
        sizes = np.abs(np.diag(factor))
        if sizes.min() > INDEPENDENT * sizes.max():
            if not whitened:
                return fwd.output
            return np.asarray(scipy.linalg.solve_triangular(factor, fwd.output, trans="T"))
    raise DataError(f"features of {n} points at {m} neurons are linearly dependent: ask for fewer points or a larger d")


LARGE = grid(m=10**4, L=3, delta=0.1)
EVEN = grid(m=1000, L=1, delta=1e-6)
# So narrow and so many layers that the hidden ones deviate by more than the width.
VERY_DEEP = grid(m=4, L=1000, delta=0.4)
# So many layers that the hidden ones make most of the deviation.
DEEP = grid(m=2, L=64, delta=0.1)


@claim(
    "chatterji2021:lemma-E.12",
    bound=sheet.lemma_E_12.reads("sqrt(5*m*L)"),
    premises=sheet.lemma_E_12_width.reads("m >= C*Max(1, log(1/delta))"),
    regime=Regime(
        cells=[
            *grid(m=4, L=1, delta=0.4),
            *grid(m=280, L=1, delta=1e-30),
            *grid(m=100, L=2, delta=1e-6),
            *LARGE,
            *VERY_DEEP,
        ],
        thorough=grid(m=10**5, L=[1, 12], delta=[0.1, 1e-100]),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("no depth", bound="sqrt(5*m)", cells=LARGE),
        control("weight variance 5/m", gain=5.0, cells=LARGE),
        control("mean of the hidden layers alone", bound="sqrt(2*m*L)", cells=LARGE),
        control("2 L + 3 for 5 L", bound="sqrt((2*L + 3)*m)", cells=VERY_DEEP),
        control("half the exponent of the width", bound="sqrt(5*L)*m**(1/4)", cells=LARGE),
        control(
            "a width that does not grow as delta falls",
            cells=grid(m=4, L=1, delta=1e-30),
            without=sheet.lemma_E_12_width,
        ),
    ],
    note="||V||^2 is (2/m) chi2_{L m^2} + chi2_m, of mean (2 L + 1) m: at one layer 3 m, where the bound has 5 m. C is "
    "4, ours: from there on the sharp form is below the bound",
)
def norm_of_all_weights(threshold: float, m: int, L: int, *, gain: float = 2.0) -> Tail:
    """P(||V|| > `threshold`), at most delta, V all layers: L of m x m entries N(0, 2/m), the last of m of N(0, 1)."""
    return weight_norm_tail(threshold, m, L, gain)


@claim(
    "chatterji2021:lemma-E.12-sharp",
    title="norm of all weights against its mean and deviation",
    bound=sheet.lemma_E_12_sharp.reads("sqrt((2*L + 1)*m + 2*sqrt((m + 4*L)*log(1/delta)) + 2*log(1/delta))"),
    premises="two neurons at least, so that no weight has a variance above 1: m >= 2",
    regime=Regime(
        cells=[*grid(m=[2, 30], L=1, delta=0.1), *grid(m=2, L=1, delta=1e-10), *DEEP, *EVEN, *LARGE],
        thorough=grid(m=10**5, L=[1, 12], delta=[0.1, 1e-100]),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("a width of one", cells=grid(m=1, L=1, delta=1e-10), without="m >= 2"),
        control("mean alone", bound="sqrt((2*L + 1)*m)", cells=EVEN),
        control(
            "deviation of the output layer alone",
            bound="sqrt((2*L + 1)*m + 2*sqrt(m*log(1/delta)) + 2*log(1/delta))",
            cells=DEEP,
        ),
        control("no output layer", bound="sqrt(2*L*m + 2*sqrt(m*log(1/delta)) + 2*log(1/delta))", cells=LARGE),
        control("weight variance 2.1/m", gain=2.1, cells=LARGE),
        control("output weights of variance 1.2", outputs=1.2, cells=EVEN),
        control(
            "half of the deviation", bound="sqrt((2*L + 1)*m + sqrt((m + 4*L)*log(1/delta)) + log(1/delta))", cells=EVEN
        ),
    ],
)
def norm_of_all_weights_near_its_mean(
    threshold: float, m: int, L: int, *, gain: float = 2.0, outputs: float = 1.0
) -> Tail:
    """P(||V|| > `threshold`), at most delta, V all layers: L of m x m entries N(0, 2/m), the last of m of N(0, 1)."""
    return weight_norm_tail(threshold, m, L, gain, outputs)


@claim(
    "chatterji2021:lemma-E.12-law",
    title="law of the norm of all weights of a network that is drawn",
    bound="= 1",
    premises="none needed: all entries are independent Gaussians as drawn: the law is exact at every width",
    regime=Regime(cells=[*grid(m=3, L=3), *grid(m=2, L=8), *grid(m=16, L=1), *grid(m=120, L=1)]),
    evidence=Distribution(law=WeightNorm, trials=600),
    controls=[
        control("weight variance 1/m", gain=1.0),
        control("output weights of variance 1/2", outputs=0.5, cells=grid(m=16, L=1)),
        control("output weights of variance 11/10", outputs=1.1, cells=grid(m=120, L=1)),
        control("a layer more", more=1),
    ],
    note="what the tails of the forms beside this one are computed by",
)
def norm_of_a_drawn_network(
    rng: Generator, m: int, L: int, *, gain: float = 2.0, outputs: float = 1.0, more: int = 0
) -> float:
    """Norm ||V|| of a new network with d = m, its law that of the root of (2/m) chi2_{L m^2} + chi2_m."""
    widths = (m,) * (L + 1 + more)
    return gaussian_smooth_network(widths, huberised_relu(1e-3), rng, gain, outputs).norm
