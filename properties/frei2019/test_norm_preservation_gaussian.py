"""frei2019, norms of states and of products between layers: what Gaussian weights add.

Main claims: `product_of_gaussian_layers` (Lemma B.2), `perturbed_maps` (35), `first_layer_on_a_net` and
`norms_on_the_sphere` (Lemma 4.1), `two_layers_on_a_net` (13), `last_layer_on_a_net` (15).
"""

import math

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.bound import Constant
from bounds.laws.layers import MaskedChiSquare
from bounds.papers import frei2019 as sheet
from nets import Array, DataSource, forward, masked_product, operator_norm, perturbed, residual_network, sphere
from nets.networks.fresh import fresh_layer
from nets.worst_cases.adversaries import top_pair
from properties.frei2019.gated_products import gated_product, worst_gates
from properties.frei2019.layer_tails import chance_of_longer_state, chance_of_longer_states, grown
from properties.frei2019.worst_points import longest
from theory.claims import Regime, claim, control, form, grid
from theory.evidence import ExactLaw, Tail, Trials

SCALE = math.log(1.01) / 4.11
NARROW = grid(m=24, d=4, L=3, delta=0.4, theta=1e-5)
DEEP = grid(m=48, d=4, L=20, delta=0.4, theta=SCALE / 20)
DEEPER = grid(m=28, d=4, L=300, delta=0.4, theta=SCALE / 300)
BY_THE_NORMS = "it is for bounded norms of all layers, W_1 with them, which is not here; lemma-B.1 sees it"


@claim(
    "frei2019:lemma-B.2",
    bound=sheet.lemma_b2.reads("exp(C0*theta*L)"),
    premises=[
        sheet.lemma_b1_dimension.reads("m >= d"),
        sheet.lemma_b1_width.reads("m >= C*log(L/delta)"),
        sheet.lemma_b1_depth.reads("L >= 2"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(
        cells=[*NARROW, *grid(m=48, d=4, L=4, delta=0.4, theta=SCALE / 4), *DEEP, *DEEPER],
        thorough=grid(m=200, d=4, L=60, delta=0.4, theta=SCALE / 60),
        least={"L": 2},
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("4/5 for 41/10 in the exponent", bound="exp(4*theta*L/5)", cells=DEEP),
        control("5 for 41/10, and no depth", bound="exp(5*theta)", cells=DEEP),
        control("the printed 101/100 at tenfold scale", bound="101/100", times=10.0, cells=DEEP),
        control("5 for 41/10, and the scale squared", bound="exp(5*theta**2*L)", cells=DEEP),
        control("the power 2/3 of the depth", bound="exp(41/10*theta*L**(2/3))", cells=DEEPER),
    ],
    blind={
        **{f"premise {p.text}": BY_THE_NORMS for p in (sheet.lemma_b1_dimension, sheet.lemma_b1_width)},
        f"premise {sheet.lemma_b1_depth.text}": "without residual layers the product is empty, of norm 1",
        f"premise {sheet.lemma_b2_scale.text}": "it serves the last step, to 101/100, which a control leaves",
    },
    note="C_0 = 41/10, C = 4, ours; the logarithm met is some theta L, norms allow 2.83; of all a <= b the longest, "
    "a = 2, b = L; diagonal S_l are worst at +-1. m >= d is of Lemma B.1; 1.01 follows from the scale",
)
def product_of_gaussian_layers(rng: Generator, m: int, L: int, theta: float, *, times: float = 1.0) -> float:
    """The norm ||prod_l (I + theta S_l W_l^T)||_2 over l = 2..L, at diagonal S_l of entries +-1 that climb it."""
    weights = [math.sqrt(2.0 / m) * rng.standard_normal((m, m)) for _ in range(L - 1)]
    gates = worst_gates(weights, times * theta, rng)
    return operator_norm(gated_product(weights, gates, times * theta))


START = grid(m=128, d=2, L=4, delta=0.4, theta=SCALE / 4, tau=0.0)
PERTURBED = grid(m=32, d=4, L=4, delta=0.4, theta=SCALE / 4, tau=1.0)


@claim(
    "frei2019:eq-35",
    bound=sheet.eq_35.reads("(C0 + tau)*exp(theta*L*(C0 + tau))"),
    premises=[
        sheet.lemma_b1_dimension.reads("m >= d"),
        sheet.lemma_b1_width.reads("m >= C*log(L/delta)"),
        sheet.lemma_b1_depth.reads("L >= 2"),
        sheet.eq_35_radius.reads("tau <= 1"),
    ],
    regime=Regime(
        cells=[*grid(m=32, d=4, L=3, delta=0.4, theta=0.5, tau=0.1), *PERTURBED, {**PERTURBED[0], "delta": 0.05}]
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("two thirds of the bound", bound="2*(41/10 + tau)/3", cells=PERTURBED),
        control("steps of four times the radius", times=4.0, cells=PERTURBED),
        control(
            "no growth by the residual layers",
            bound="41/10 + tau",
            cells=[{**START[0], "L": 2, "theta": 1.0, "tau": 0.1}],
        ),
        control(
            "narrower than the inputs",
            cells=grid(m=16, d=1024, L=3, delta=0.4, theta=0.001, tau=0.1),
            without=sheet.lemma_b1_dimension,
        ),
    ],
    blind={
        f"premise {sheet.lemma_b1_width.text}": BY_THE_NORMS,
        f"premise {sheet.lemma_b1_depth.text}": "without residual layers the one map is W_{L+1}^T, within the bound",
        f"premise {sheet.eq_35_radius.text}": "the bound has the radius, and holds at any",
        **dict.fromkeys(("L", "term tau"), "the certified form sees it; here 41/10 leaves room for a radius of 1"),
    },
    note="C_0 = 41/10, ours; steps along top singular pairs attain norm plus radius; x is one point, which climbs "
    "||x_(L+1)||, in print all samples, below constants",
)
@form(
    "maps",
    of="frei2019:lemma-4.1",
    title="norm of the maps between layers at the start, at a point chosen against them",
    bound="C",
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    constants={"C": (4, "sqrt(2) (2 + t) for a square layer, t^2 at most 1/2 by the width, times 1.01, is 3.87")},
    regime=Regime(
        cells=[*START, *grid(m=64, d=1, L=2, delta=0.05, theta=SCALE / 2, tau=0.0)],
        thorough=grid(m=512, d=8, L=12, delta=0.05, theta=SCALE / 12, tau=0.0),
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("the constant 2", bound="2"),
        control("weights after steps of norm 2", cells=[{**START[0], "tau": 2.0}]),
        control(
            "the scale 1, by the first map", cells=[{**START[0], "L": 2, "theta": 1.0}], without=sheet.lemma_b2_scale
        ),
        control(
            "narrower than the inputs",
            cells=grid(m=4, d=64, L=4, delta=0.4, theta=SCALE / 4, tau=0.0),
            without=sheet.lemma_b3_width,
        ),
    ],
    blind={},
    note="all these maps and states, at tau = 0; for maps that end at a layer before the last one see lemma-B.2",
)
def perturbed_maps(
    rng: Generator, data: DataSource, m: int, d: int, L: int, theta: float, tau: float, *, times: float = 1.0
) -> float:
    """The largest ||W~_{L+1}^T H~_l^L|| >= ||H~_l^{L+1}||, l > 1, and ||x~_l||, l <= L, W~ tau away in each layer."""
    X, _ = data.draw(1, d, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    if tau > 0.0:
        net = perturbed(net, [top_pair(W, times * tau) for W in net.weights])
    fwd = forward(net, longest(net, X))
    maps = [operator_norm(masked_product(net, fwd, 0, layer, L + 1)) for layer in range(2, L + 2)]
    return max(*maps, *(float(np.linalg.norm(x, axis=1).max()) for x in fwd.post[:-1]))


def on_a_net(chance: float, d: int, mesh: float) -> float:
    """Above the chance of an event at some of the (3/mesh)^d points of a net, at least one, by their union."""
    return math.exp(min(0.0, d * math.log(max(1.0, 3.0 / mesh)) + math.log(chance))) if chance > 0.0 else 0.0


ONE_DIMENSION = grid(m=[4000, 10**5], d=1, mesh=0.9, delta=1e-9)
ONE_POINT = "the failure from below is that of a few points, which needs no dimension: the union is from above"


@claim(
    "frei2019:a41-layer1",
    # With 2 e <= 1 the exact law gives P(| ||x_1|| - 1 | > e) <= 2 exp(-m (2 e/3.9336)^2), and a net has (3/mesh)^d
    # points.
    bound="C*sqrt(d*log(m/(mesh*delta))/m)",
    constants={"C": (2, "the Chernoff constant 3.9336 of the squared norm, halved, and a little")},
    premises=[sheet.a41_layer1_width.reads("m >= C*d*log(m/(mesh*delta))"), sheet.net_radius.reads("mesh <= 1")],
    regime=Regime(
        cells=[
            *ONE_DIMENSION,
            *grid(m=10**4, d=[1, 4], mesh=[0.1, 1e-3], delta=0.1),
            *grid(m=10**5, d=16, mesh=1e-5, delta=1e-6),
        ]
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("constant 1/2", bound="sqrt(d*log(m/(mesh*delta))/m)/2", cells=ONE_DIMENSION),
        control("weight variance 3/m", gain=3.0, cells=ONE_DIMENSION),
        control("rate 1/m", bound="2*d*log(m/(mesh*delta))/m", cells=ONE_DIMENSION),
        control(
            "no width in the logarithm",
            bound="2*sqrt(d*log(1/(mesh*delta))/m)",
            cells=grid(m=10**4, d=4, mesh=1.0, delta=0.999),
        ),
        control("a radius of 333", cells=grid(m=100, d=1, mesh=333.0, delta=0.3), without=sheet.net_radius),
    ],
    blind={
        "m in sqrt(log(m/(delta*mesh)))": "a logarithm beside a power: a control has none",
        f"premise {sheet.a41_layer1_width.text}": "beyond it the bound is above 1/2, and missed far more rarely",
        "d": ONE_POINT + "; a41-layer1-sphere sees it",
    },
    note="from below the axes, in a net that has them, from above a union over the (3/mesh)^d points that one needs at "
    "most; both sides together, in print delta/3 each. Nothing that is met needs mesh. No norm of 1.004 is asked for",
)
def first_layer_on_a_net(threshold: float, m: int, d: int, mesh: float, *, gain: float = 2.0) -> Tail:
    """The probability that | ||x_1|| - 1 | exceeds `threshold` at some point of a net of radius mesh with the axes."""
    law = MaskedChiSquare(m, gain)
    p = float(law.sf((1.0 + threshold) ** 2))
    p += float(law.cdf((1.0 - threshold) ** 2)) if threshold < 1.0 else 0.0
    # At the d axes the outputs are independent.
    return Tail(-math.expm1(d * math.log1p(-p)) if p < 1.0 else 1.0, on_a_net(p, d, mesh))


MANY_DIMENSIONS = grid(m=8300, d=48, mesh=0.5, delta=0.4)
FEWER_DIMENSIONS = grid(m=2700, d=16, mesh=0.5, delta=0.4)


@claim(
    "frei2019:a41-layer1-sphere",
    title="norm of the first layer at the longest and the shortest state of the sphere",
    bound="C*sqrt(d*log(m/(mesh*delta))/m)",
    constants={"C": (2, "that of the net")},
    premises=[sheet.a41_layer1_width.reads("m >= C*d*log(m/(mesh*delta))"), sheet.net_radius.reads("mesh <= 1")],
    regime=Regime(cells=[*grid(m=1000, d=1, mesh=0.5, delta=0.05), *MANY_DIMENSIONS]),
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("no dimension", bound="2*sqrt(log(m/(mesh*delta))/m)", cells=MANY_DIMENSIONS),
        control(
            "no width in the logarithm",
            bound="2*sqrt(d*log(1/(mesh*delta))/m)",
            cells=grid(m=2200, d=16, mesh=1.0, delta=0.75),
        ),
        control("weight variance 4/m, by the longest state", gain=4.0, cells=FEWER_DIMENSIONS),
        control("weight variance 1/(2 m), by the shortest", gain=0.5, cells=FEWER_DIMENSIONS),
        control("a radius of 1330", cells=grid(m=400, d=16, mesh=1330.0, delta=0.3), without=sheet.net_radius),
        control("one neuron of 49 inputs", cells=grid(m=1, d=49, mesh=1.0, delta=0.8), without=sheet.a41_layer1_width),
    ],
    blind={
        "mesh": "points of the whole sphere, which no net has",
        **dict.fromkeys(("m", "delta"), "the form over a net sees it"),
    },
    note="the deviation grows like the root of d, which one point cannot show; mesh is in the bound alone",
)
def first_layer_on_the_sphere(rng: Generator, m: int, d: int, *, gain: float = 2.0) -> float:
    """The larger of both | ||x_1|| - 1 |, at points that climb and descend the norm of the first layer's output."""
    W = rng.standard_normal((d, m)) * math.sqrt(gain / m)
    sizes = np.linalg.norm(np.maximum(_extremes(W, rng) @ W, 0.0), axis=1)
    return float(np.abs(sizes - 1.0).max())


@claim(
    "frei2019:eq-15",
    bound="C*sqrt(d*log(3/(mesh*delta))/m)",
    constants={"C": (Rational(7, 2), "sqrt(10) for the variance 5/m below the mean, times 1.02^2, and a little")},
    premises=sheet.net_radius.reads("mesh <= 1"),
    regime=Regime(
        cells=[
            *ONE_DIMENSION,
            *grid(m=10**4, d=[1, 4], mesh=[0.1, 1e-3], delta=0.1),
            *grid(m=10**5, d=16, mesh=1e-5, delta=1e-6),
        ]
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("constant 3/2", bound="3*sqrt(d*log(3/(mesh*delta))/m)/2", cells=ONE_DIMENSION),
        control("weight variance 1/m", gain=1.0, cells=ONE_DIMENSION),
        control("rate 1/m", bound="7*d*log(3/(mesh*delta))/(2*m)", cells=ONE_DIMENSION),
        control("a radius of 9.9", cells=grid(m=100, d=1, mesh=9.9, delta=0.3), without=sheet.net_radius),
    ],
    blind={"d": ONE_POINT},
    note="the net has at most (3/mesh)^d points, the usual number; what enters has norm 1.02 at most, as in (13)",
    scope="part: the display before (15), delta for its delta/3; with (14) it gives the lower bound C_4 of (15)",
)
def last_layer_on_a_net(threshold: float, m: int, d: int, mesh: float, *, gain: float = 2.0) -> Tail:
    """P(||x_L||^2 - ||x_{L+1}||^2 > `threshold` at some point of a net of radius mesh), all ||x_L|| being 1.02."""
    left = 1.0 - threshold / 1.02**2
    p = float(MaskedChiSquare(m, gain).cdf(left)) if left > 0.0 else 0.0
    return Tail(p, on_a_net(p, d, mesh))


NET = grid(m=4 * 10**6, d=1, L=10, mesh=0.5, delta=0.1, theta=1e-6)


@claim(
    "frei2019:eq-13",
    bound="51/50",
    premises=[
        sheet.eq_13_width.reads("m >= C*d*log(m/(mesh*delta))"),
        sheet.net_radius.reads("mesh <= 1"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(
        cells=[*NET, *grid(m=4 * 10**6, d=1, L=1000, mesh=0.1, delta=1e-3, theta=1e-6)],
        thorough=grid(m=4 * 10**7, d=[1, 8], L=1000, mesh=0.1, delta=0.1, theta=1e-6),
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("1.0005", bound="2001/2000", cells=NET),
        control("weight variance 2.1/m", gain=2.1, cells=NET),
        control(
            "a thousand neurons, without the width",
            cells=grid(m=1000, d=1, L=10, mesh=0.5, delta=0.1, theta=1e-6),
            without=sheet.eq_13_width,
        ),
        control(
            "a radius of 333", cells=grid(m=100, d=1, L=10, mesh=333.2, delta=0.3, theta=1e-6), without=sheet.net_radius
        ),
        control("the scale 1", cells=[{**NET[0], "theta": 1.0}], without=sheet.lemma_b2_scale),
    ],
    note="first and last layer have exact laws, and the residual ones a factor from 1 to 1.01, by the scale, where "
    "norms are 41/10 at most, which fails with a chance of L exp(-0.4 m). If 1.01 would do is left open",
)
def two_layers_on_a_net(
    threshold: float, m: int, d: int, L: int, mesh: float, theta: float, *, gain: float = 2.0
) -> Tail:
    """The probability that some ||x_l|| exceeds `threshold`, l = 1..L + 1, at some point of a net of radius mesh.

    From below the first layer, or the second one, at one point. From above: a product of two ratios is above the square
    of threshold/1.01 only where one of them is above threshold/1.01.
    """
    above = on_a_net(2.0 * chance_of_longer_state(threshold / 1.01, m, gain), d, mesh)
    return Tail(chance_of_longer_states(threshold**2, m, L, theta, gain), grown(above, m, L, theta))


def _extremes(W: Array, rng: Generator, sweeps: int = 6) -> Array:
    """Two unit rows (2, d): one that climbs ||relu(x W)||, and one that descends it; gates held, both by turns."""
    rows = []
    for which in (-1, 0):
        pre = sphere(1, len(W), rng)[0] @ W
        # On a line there are two points, and the first sweep looks at both.
        for _ in range(sweeps if len(W) > 1 else 1):
            axis = np.linalg.eigh((W * (pre > 0.0)) @ W.T)[1][:, which]
            pre = axis @ W
            # Of the axis and its negative, which share what passes their gates.
            sizes = np.linalg.norm(np.maximum(pre, 0.0)), np.linalg.norm(np.minimum(pre, 0.0))
            if (np.argmax(sizes) if which else np.argmin(sizes)) == 1:
                axis, pre = -axis, -pre
        rows.append(axis)
    return np.stack(rows)


WIDE = grid(m=10**5, d=2, L=4, delta=0.4, theta=SCALE / 4)
BROAD = grid(m=1000, d=16, L=2, delta=0.4, theta=SCALE / 2)


@claim(
    "frei2019:lemma-4.1",
    bound="3/125",
    premises=[
        "width against dimension, for all inputs at once, and against failure probability, for two layers together "
        "beside the residual ones: m >= C*d*log(m*L/delta) + 10000*log(1/delta)",
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    constants={"C": (3000, "hidden in the paper; smaller than the union over a net gives, so that more is tested")},
    regime=Regime(
        cells=[*WIDE, *grid(m=8 * 10**4, d=1, L=2, delta=0.05, theta=SCALE / 2)],
        thorough=grid(m=3 * 10**5, d=4, L=16, delta=0.4, theta=SCALE / 16),
    ),
    evidence=Trials(rate="delta", budget=100, dear=True),
    controls=[
        control("1/1000", bound="1/1000"),
        control("weight variance 2.2/m in the last layer", gain=2.2),
        control("residual layers without their skips", skip=False),
        control("the scale 1", cells=grid(m=10**5, d=2, L=2, delta=0.4, theta=1.0), without=sheet.lemma_b2_scale),
        control(
            "a hundred neurons, without the width",
            cells=grid(m=100, d=2, L=2, delta=0.4, theta=SCALE / 2),
            without="m >= C*d*log(m*L/delta) + 10000*log(1/delta)",
        ),
    ],
    note="the print has 128/125 from above, and no number from below; how far below 3/125 the norms stay is a matter "
    "of the hidden constant of the width: lemma-4.1-rate has the deviation that a width leaves, and 0.05 for delta, as "
    "maps has",
    scope="part: the norms of the states, at the two points that are found; those of the maps are the variant maps",
)
@form(
    "rate",
    title="deviation of the norms of all layers from 1, by width, dimension and failure probability",
    bound="C*sqrt((d + log(1/delta))/m)",
    premises=[
        "width against dimension, so that deviations are small: m >= 50*(d + log(1/delta))",
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
        "width small against the scale, so that residual layers do not count: m*(theta*L)**2 <= 1",
    ],
    constants={"C": Constant.above(Rational(5, 2), attacked=2.11, why="99 of 100 starts of two dimensions")},
    regime=Regime(
        cells=[
            *grid(m=4000, d=2, L=2, delta=0.05, theta=SCALE / 2),
            *BROAD,
            *grid(m=1000, d=2, L=4, delta=0.05, theta=SCALE / 4),
        ],
        thorough=grid(m=10**4, d=[2, 32], L=8, delta=0.05, theta=SCALE / 8),
    ),
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("half of it", bound="5*sqrt((d + log(1/delta))/m)/4", cells=BROAD),
        control("no dimension", bound="5*sqrt((1 + log(1/delta))/m)/2", cells=BROAD),
        control("weight variance 3/m in the last layer", gain=3.0, cells=BROAD),
    ],
    blind={
        "premise m >= 50*d + 50*log(1/delta)": "of single neurons a start in 1000 is beyond, at levels of 10^-6 alone",
        "premise C0*L*theta <= log(101/100)": "lemma-4.1 has a control without it",
        "premise L**2*m*theta**2 <= 1": "residual layers grow by the scale, far below the deviation of the first one",
        **dict.fromkeys(("delta in log(1/delta)", "term log(1/delta)"), "two dimensions count for more than log(20)"),
    },
    note="at m = 10^5 and d = 2 it is 0.018 at delta = 0.05, where 3/125 is printed; the widths asked for are ours",
    scope="part: the deviation of the norms of the states that a width leaves, at the two points that are found",
)
def norms_on_the_sphere(
    rng: Generator, m: int, d: int, L: int, theta: float, *, gain: float = 2.0, skip: bool = True
) -> float:
    """The largest | ||x_l|| - 1 | of all layers at the two points found where ||x_1|| is longest and shortest.

    Of the layers after the first no more is drawn than the states of these points meet; `gain` is that of the last.
    """
    W = math.sqrt(2.0 / m) * rng.standard_normal((d, m))
    state = np.maximum(_extremes(W, rng) @ W, 0.0)
    met = [state]
    for _ in range(L - 1):
        added = theta * np.maximum(fresh_layer(state, m, rng), 0.0)
        state = state + added
        met.append(state if skip else added)
    met.append(math.sqrt(gain / 2.0) * np.maximum(fresh_layer(state, m, rng), 0.0))
    return max(float(np.abs(np.linalg.norm(x, axis=1) - 1.0).max()) for x in met)
