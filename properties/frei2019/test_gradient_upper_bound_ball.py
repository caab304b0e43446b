"""frei2019: gradients of the output and of the loss from above, at the start, in the ball and in a step of descent.

Main claims: `output_gradients_at_the_start` (eq. (10)), `comparable_widths` (Assumption 3.3); Lemma 4.4 by
`risk_gradients_in_the_ball` and `orders_of_the_gradient`; eq. (5) by `length_of_a_step` and `length_is_h`.
"""

import numpy as np
from numpy.random import Generator

from bounds.bound import Constant
from bounds.papers import frei2019 as sheet
from nets.core.arrays import Array
from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.gradients import backward, gradient_norms
from nets.networks.network import Network, perturbed, residual_network
from nets.networks.operators import masked_product, operator_norm
from nets.tangent.linearised import difference
from properties.frei2019.random_feature_margin import MarginSource
from properties.frei2019.training_path import (
    POINT_FAMILIES,
    Downhill,
    OneStep,
    gradient_scales,
    risk_gradient_norms,
    stretching_steps,
    surrogate_error,
    unkind,
)
from properties.frei2019.worst_points import longest
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Scaling, Search, Trials

GAMMA = 0.12


def _replicates(m: int) -> int:
    """More of small networks, which differ more."""
    return 150 if m < 100 else 100 if m < 300 else 32 if m < 1000 else 8


BALL = {"d": 3, "delta": 0.5, "theta": 0.001, "tau": 1.0}
# So few that a start in 50 is beyond the bound, which one in 2000 may be.
TWO_NEURONS = grid(m=2, L=2, n=1, **{**BALL, "delta": 0.0005})
WIDTH, SCALE = sheet.lemma_b3_premises
BY_NORMS = {f"premise {premise.text}": "it is for the norms: see lemma-4.4 and eq-10" for premise in (WIDTH, SCALE)}
BY_OTHER_FORMS = {
    "m": "the variant orders of lemma-4.4 sees it",
    "ES": "the certified form sees it: errors at the start are alike",
}
BY_THE_SCALE = {
    "theta": "its square beside 2, where theta L is small; the certified form sees it",
    "L": "its term is that of theta",
    "term theta**2*(L - 1)": "the certified form sees it",
}


def _powers(L: int) -> Array:
    """The power of theta of each layer: 1 in the residual ones."""
    return np.array([0.0, *[1.0] * (L - 1), 0.0])


def _climbed(net: Network, d: int, rng: Generator) -> Array:
    """Two points of the sphere (2, d): one at random, and one that climbs the norm of the last state from there."""
    x = sphere(1, d, rng)
    return np.concatenate([x, longest(net, x)])


def _output_gradient_norms(net: Network, X: Array) -> Array:
    """||grad_{W_l} f(x)||_F of all layers, the largest over the points X: (L + 1,)."""
    met = []
    for x in X:
        fwd = forward(net, x[np.newaxis])
        met.append(gradient_norms(fwd, backward(net, fwd), np.ones(1))[1])
    return np.asarray(np.max(met, axis=0))


SMALL = grid(m=128, L=2, d=2, delta=0.5, theta=0.001)


@claim(
    "frei2019:eq-10",
    bound="C*theta**exponent*sqrt(m)",
    constants={"C": Constant.above(2, attacked=1.46, why="99 of 100 starts of 10 neurons; norms of Lemma B.1 give 17")},
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
    ],
    regime=Regime(
        cells=[*SMALL, *grid(m=192, L=6, d=3, delta=0.5, theta=0.0001)],
        thorough=grid(m=512, L=[2, 8], d=8, delta=0.2, theta=1e-4),
    ),
    measured=["exponent"],
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("scale of the layer squared", power=2.0, bound="2*theta**(2*exponent)*sqrt(m)"),
        control("weight variance 12/m", gain=6.0, cells=SMALL),
        control("1/2 of it, cube root of the width", bound="m**(1/3)*theta**exponent"),
        control("a quarter of the constant", bound="theta**exponent*sqrt(m)/2"),
        control("scale of the layers forgotten", scaled=False),
        control("narrower than the inputs", cells=grid(m=16, L=2, d=64, delta=0.5, theta=0.001), without=WIDTH),
        control("a scale of 1", cells=grid(m=128, L=6, d=2, delta=0.5, theta=1.0), without=SCALE),
    ],
    blind={"m": BY_OTHER_FORMS["m"]},
    note="of all points two; C would be sqrt(1/2) at each layer, but for what d/m and the scale add",
)
def output_gradients_at_the_start(
    rng: Generator, m: int, L: int, d: int, theta: float, *, gain: float = 1.0, power: float = 1.0, scaled: bool = True
) -> Measured:
    """The ||grad_{W_l} f||_F at W^(0), larger of 2 points, one climbs ||x_{L+1}||; exponent is 1 if residual, or 0."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    if gain != 1.0:
        net = net.with_weights([np.sqrt(gain) * W for W in net.weights])
    norms = _output_gradient_norms(net, _climbed(net, d, rng))
    return Measured(norms / (1.0 if scaled else gradient_scales(L, theta)), symbols={"exponent": _powers(L)})


@claim(
    "frei2019:lemma-4.4",
    bound=sheet.lemma_44.reads("C*theta**exponent*sqrt(m)*ES"),
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
        sheet.eq_35_radius.reads("tau <= 1"),
    ],
    regime=Regime(
        cells=[*grid(m=128, L=2, n=4, **BALL), *grid(m=192, L=6, n=4, **{**BALL, "theta": 0.0002})],
        thorough=grid(m=512, L=12, n=8, **{**BALL, "theta": 0.0001}),
    ),
    measured=["exponent", "ES"],
    evidence=Trials(rate="delta", budget=100),
    idle={"reach": 0.0},
    controls=[
        control("a quarter, and the fourth power of the error", bound="theta**exponent*sqrt(m)*ES**4"),
        control("scale of the layer squared", bound="4*theta**(2*exponent)*sqrt(m)*ES"),
        control(
            "a root of the depth in the denominator",
            bound="4*theta**exponent*sqrt(m/L)*ES",
            cells=grid(m=192, L=24, n=1, **{**BALL, "theta": 0.0001}),
        ),
        control("scale of the layers forgotten", scaled=False),
        control("1/4 of it, cube root of the width", bound="ES*m**(1/3)*theta**exponent"),
        control("a radius of 12", cells=grid(m=128, L=2, n=1, **{**BALL, "tau": 12.0}), without=sheet.eq_35_radius),
        control("sum in place of the mean", summed=True, cells=grid(m=128, L=2, n=32, **BALL)),
        control("two neurons", cells=TWO_NEURONS, without=WIDTH),
        control("a scale of 1", cells=grid(m=128, L=6, n=1, **{**BALL, "theta": 1.0}), without=SCALE),
    ],
    blind={**BY_OTHER_FORMS, "theta": "orders sees it"},
    note="C is 4; W~ takes some 1, where n is 1 some 2, of few neurons at times 3; for all of the ball norms give 27, "
    "and steps of every layer, each chosen for it, take 4.7 where n is 1",
    scope="part: at one W~, which lengthens states and gradients at a sample, of n of margin 0.12",
)
def risk_gradients_in_the_ball(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    tau: float,
    *,
    reach: float = 1.0,
    scaled: bool = True,
    summed: bool = False,
) -> Measured:
    """The norm ||grad_{W_l} L_S(W~)||_F at one W~ at the ball's edge; ES is E_S(W~), exponent 1 if residual."""
    family = str(rng.choice(POINT_FAMILIES))
    X, y = unkind(*MarginSource(GAMMA).draw(n, d, rng), family, rng)
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    net = perturbed(net, stretching_steps(net, X[0], reach * tau))
    reached = Downhill.of(net, X, y)
    norms = reached.norms[1] * (n if summed else 1) / (1.0 if scaled else gradient_scales(L, theta))
    return Measured(norms, symbols={"exponent": _powers(L), "ES": reached.error})


NETWORKS = Regime(
    cells=[*grid(m=8, L=2, n=2, d=2), *grid(m=24, L=[2, 4], n=4, d=3)],
    draw={
        "theta": reals(0.01, 1.0, logarithmic=True),
        "tau": reals(0.01, 3.0, logarithmic=True),
        "points": choices(*POINT_FAMILIES, "equal"),
    },
    pinned=[{"theta": 0.5, "tau": 0.5, "points": "equal"}],
)


def _matched(net: Network, x: Array) -> Network:
    """The network with weights at which all layers have the same gradient at x, in units of the layer's scale.

    All states are positive and of norm 1, but for what tiny residual layers add: these only open their gates.
    """
    m = net.v.size
    even = np.full((m, m), 1.0 / m)
    return net.with_weights([np.outer(x, even[0]) * np.sqrt(m), *[1e-6 * even for _ in net.weights[2:]], np.eye(m)])


def _in_the_ball(
    rng: Generator, m: int, L: int, n: int, d: int, theta: float, tau: float, points: str
) -> tuple[Network, Array, Array]:
    """A network moved by tau in every layer, or a matched one, points of the named family or equal ones, and labels."""
    X, y = MarginSource(GAMMA).draw(n, d, rng)
    if points == "matched":
        X, y = np.repeat(X[:1], n, axis=0), np.repeat(y[:1], n)
        return _matched(residual_network((d, *[m] * (L + 1)), theta, rng), X[0]), X, y
    if points == "equal":
        X, y = np.repeat(X[:1], n, axis=0), np.repeat(y[:1], n)
    else:
        X, y = unkind(X, y, points, rng)
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    return perturbed(net, stretching_steps(net, X[0], tau)), X, y


@claim(
    "frei2019:lemma-4.4-certified",
    title="gradient of the loss by the norms of states and backward vectors, and the surrogate error",
    kind="deterministic",
    bound="theta**exponent*normX*Gam_l*ES",
    premises="none needed: the triangle inequality, at all weights, points and labels",
    regime=NETWORKS,
    measured=["exponent", "normX", "Gam_l", "ES"],
    evidence=Search(examples=10, adversary="equal samples with equal labels, for which it is an equality"),
    controls=[
        control("scale of the layer squared", bound="theta**(2*exponent)*normX*Gam_l*ES"),
        control("nine tenths of it", bound="9/10*theta**exponent*normX*Gam_l*ES"),
        control("maps of the next layer, as in print", shift=1),
        control("sum in place of the mean", summed=True),
    ],
    note="the first display of the proof, with the gates of layer l, which print takes of layer l + 1",
)
def risk_gradients_by_norms(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    tau: float,
    points: str,
    *,
    shift: int = 0,
    summed: bool = False,
) -> Measured:
    """The norms ||grad_{W_l} L_S||_F; normX and Gam_l are the largest ||x_{l-1}|| and ||v^T H_{l+1}^{L+1} Sigma_l||.

    The largest over samples; exponent is 1 in residual layers, else 0. normX is rounded up, as both sides may be equal.
    """
    net, X, y = _in_the_ball(rng, m, L, n, d, theta, tau, points)
    fwd = forward(net, X)
    top = net.v * fwd.masks[-1]
    entering, backwards = np.empty(L + 1), np.empty(L + 1)
    for layer in range(1, L + 2):
        gates = fwd.masks[min(layer + shift, L + 1) - 1]
        rows = [top[i] if layer > L else top[i] @ masked_product(net, fwd, i, layer + 1, L + 1) for i in range(n)]
        backwards[layer - 1] = max(np.linalg.norm(row * gate) for row, gate in zip(rows, gates, strict=True))
        entering[layer - 1] = np.linalg.norm(fwd.post[layer - 1], axis=1).max()
    norms = risk_gradient_norms(net, X, y)[1] * (n if summed else 1)
    symbols = {
        "exponent": _powers(L),
        "normX": (1.0 + 4e-12) * entering,
        "Gam_l": backwards,
        "ES": surrogate_error(fwd.output, y),
    }
    return Measured(norms, symbols=symbols)


@claim(
    "frei2019:lemma-4.4-orders",
    title="gradient of the loss in a residual layer over the surrogate error, powers of width and scale",
    kind="asymptotic",
    bound="C*sqrt(m)*theta",
    constants={"C": (1, "fitted")},
    premises="none needed: weights of the ball of radius 1/4 and theta L below 1/10, samples with equal labels",
    regime=Regime(
        calibration=grid(m=[64, 192], theta=[0.0003, 0.003]),
        cells=grid(m=576, theta=[1e-5, 0.03]),
        thorough=grid(m=1152, theta=0.0001),
    ),
    evidence=Scaling({"m": "equal", "theta": "equal"}, constant="C", replicates=_replicates, margin=2.0),
    note="three layers; what the proof says of theta is exact, as only one factor of the gradient has it",
)
def orders_of_the_gradient(rng: Generator, m: int, theta: float) -> float:
    """The ratio ||grad_{W_2} L_S||_F/E_S, W_2 residual in L = 2, at three near duplicates with the same label."""
    X, y = MarginSource(GAMMA).draw(1, 4, rng)
    X, y = unkind(np.repeat(X, 3, axis=0), np.repeat(y, 3), "near duplicates", rng)
    # Few samples pass few times: beyond a width of 256 it is quicker to reveal the layers.
    net = residual_network((4, *[m] * 3), theta, rng, stored=2**16)
    reached = Downhill.of(perturbed(net, stretching_steps(net, X[0], 0.25)), X, y)
    return float(reached.norms[1][1:-1].max() / reached.error)


@claim(
    "frei2019:eq-5",
    bound=sheet.eq_5.reads("eta*C*sqrt(m)*ES*(2 + theta**2*(L - 1))"),
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
        sheet.eq_35_radius.reads("tau <= 1"),
    ],
    regime=Regime(
        cells=[
            *grid(m=128, L=2, n=4, eta=0.01, **BALL),
            *grid(m=192, L=6, n=4, eta=0.001, **{**BALL, "theta": 0.0003}),
            *grid(m=104, L=2, n=2, eta=0.01, **{**BALL, "delta": 0.05}),
        ]
    ),
    measured=["ES"],
    evidence=Trials(rate="delta", budget=100),
    idle={"taken": 0.0},
    controls=[
        control("a quarter, and the fourth power of the error", bound="eta*sqrt(m)*ES**4*(2 + theta**2*(L - 1))"),
        control("free of the width", bound="4*ES*eta*(theta**2*(L - 1) + 2)"),
        control(
            "a radius of 12", cells=grid(m=128, L=2, n=1, eta=0.01, **{**BALL, "tau": 12.0}), without=sheet.eq_35_radius
        ),
        control("sixteen steps", taken=16.0),
        control(
            "a scale of 1", cells=grid(m=128, L=6, n=1, eta=0.01, **{**BALL, "theta": 1.0, "delta": 0.1}), without=SCALE
        ),
    ],
    blind={**BY_THE_SCALE, f"premise {WIDTH.text}": BY_NORMS[f"premise {WIDTH.text}"], **BY_OTHER_FORMS},
    note="C = 4, as of lemma-4.4; the step is one from the edge of the ball, with tau = 1",
)
def length_of_a_step(
    rng: Generator, m: int, L: int, n: int, d: int, theta: float, tau: float, eta: float, *, taken: float = 1.0
) -> Measured:
    """The h of a step, ||dW_1|| + theta sum_2^L ||dW_l|| + ||dW_{L+1}||, from the edge of the ball; ES is E_S.

    By the gradients, along which the step goes: `length_is_h` holds both against each other.
    """
    start = Downhill.of(*_in_the_ball(rng, m, L, n, d, theta, tau, str(rng.choice(POINT_FAMILIES))))
    moved = taken * eta * float(gradient_scales(L, theta) @ start.norms[0])
    return Measured(moved, error=1e-11, symbols={"ES": start.error})


def _distance(end: Network, start: Network, L: int, theta: float) -> float:
    """h of two networks: operator norms of the layers' differences, those of the residual layers times theta."""
    return float(gradient_scales(L, theta) @ [operator_norm(D) for D in difference(end, start)])


STEPS = Regime(
    cells=[*grid(m=8, L=2, n=1, d=2), *grid(m=24, L=[2, 5], n=3, d=3)],
    draw={
        **NETWORKS.draw,
        "points": choices(*POINT_FAMILIES, "equal", "matched"),
        "eta": reals(1e-3, 1.0, logarithmic=True),
    },
    pinned=[
        {"theta": 1.0, "tau": 0.5, "points": "equal", "eta": 0.1},
        {"theta": 0.5, "tau": 0.5, "points": "matched", "eta": 0.1},
    ],
)


@claim(
    "frei2019:eq-5-certified",
    title="length of a step in the metric h by the largest gradient that is met",
    kind="deterministic",
    bound="eta*Gmax*sqrt(m)*ES*(2 + theta**2*(L - 1))",
    premises="none needed: a sum of L + 1 terms, at all weights and step sizes",
    regime=STEPS,
    measured=["Gmax", "ES"],
    evidence=Search(examples=10, adversary="equal samples, whose gradients have rank one and, matched, the same size"),
    idle={"taken": 0.0},
    controls=[
        control("cube of the scale", bound="eta*Gmax*sqrt(m)*ES*(2 + theta**3*(L - 1))"),
        control("one end layer", bound="eta*Gmax*sqrt(m)*ES*(1 + theta**2*(L - 1))"),
        control("L - 2 residual layers", bound="eta*Gmax*sqrt(m)*ES*(2 + theta**2*(L - 2))"),
        control("two steps", taken=2.0),
        control("no weights in h", weighted=False),
    ],
    note="h is ||dW_1|| + theta sum_2^L ||dW_l|| + ||dW_{L+1}||, operator norms of what the layers move by",
)
def length_by_the_largest_gradient(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    tau: float,
    points: str,
    eta: float,
    *,
    taken: float = 1.0,
    weighted: bool = True,
) -> Measured:
    """The distance h of both ends of a step; Gmax is max ||grad_{W_l} L_S||_F/(theta^[1 if residual] sqrt(m) ES)."""
    net, X, y = _in_the_ball(rng, m, L, n, d, theta, tau, points)
    step = OneStep.of(net, X, y, taken * eta)
    # Of errors that are 0 as doubles no gradient is left.
    largest = float(quotients(step.frobenius_norms, gradient_scales(L, theta) * np.sqrt(m) * step.error).max())
    moved = _distance(step.end, net, L, theta if weighted else 1.0 / theta)
    # Less what rounding explains: where the gradients of all layers match, both sides are equal.
    return Measured(max(moved - 2e-11, 0.0), error=1e-11, symbols={"Gmax": largest, "ES": step.error})


@claim(
    "frei2019:eq-5-identity",
    title="length of a step in the metric h is eta times the weighted sum of the gradients' norms",
    kind="deterministic",
    bound="= 0",
    premises="none needed: the definition of gradient descent",
    regime=STEPS,
    evidence=Search(examples=8),
    controls=[
        control("Frobenius norms", spectral=False),
        control("theta squared in h", power=2.0),
        control("twice the step", taken=2.0),
        control("nothing done", taken=0.0),
    ],
    note="h is ||dW_1|| + theta sum_2^L ||dW_l|| + ||dW_{L+1}||, operator norms of what the layers move by",
)
def length_is_h(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    tau: float,
    points: str,
    eta: float,
    *,
    taken: float = 1.0,
    spectral: bool = True,
    power: float = 1.0,
) -> Measured:
    """The distance h of both ends of a step less h_k, eta times the same sum of operator norms of the gradients."""
    net, X, y = _in_the_ball(rng, m, L, n, d, theta, tau, points)
    step = OneStep.of(net, X, y, taken * eta)
    norms = step.operator_norms if spectral else step.frobenius_norms
    summed = eta * float(gradient_scales(L, theta) @ norms)
    scale = float(sum(np.linalg.norm(W) for W in net.weights)) + summed
    error = rounding(scale, 8.0 * (m + d))
    return Measured(_distance(step.end, net, L, theta**power) - summed, error=error, scale=scale)


WIDTHS = {"d": 2, "L": 2, "delta": 0.5, "theta": 0.001}


@claim(
    "frei2019:assumption-3.3",
    bound="C*theta**exponent*sqrt(m)",
    constants={"C": (3, "that of (10) times sqrt(2)")},
    premises=[
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
        "layers of like widths; 2 stands for any fixed factor: 2*m >= M",
        "the layer or layers that M counts are the widest: M >= m",
    ],
    regime=Regime(
        cells=[*grid(m=128, M=[128, 256], widest="last", **WIDTHS), *grid(m=128, M=256, widest="hidden", **WIDTHS)]
    ),
    measured=["exponent"],
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("last layer 64 times as wide", cells=grid(m=128, M=8192, widest="last", **WIDTHS), without="2*m >= M"),
        control(
            "single neurons before the last layer",
            cells=grid(m=640, M=1, widest="hidden", **{**WIDTHS, "d": 16, "delta": 0.1}),
            without="M >= m",
        ),
        control("a quarter of it, at widths 1 : 2", bound="3/4*theta**exponent*sqrt(m)"),
        control("scale of the layers squared", bound="3*theta**(2*exponent)*sqrt(m)"),
        control("fifth root of the width", bound="3*theta**exponent*m**(1/5)"),
    ],
    blind={**BY_NORMS, "m": "one width; the premise on the widths is what is asked", "theta": "one value"},
    note="what (10) needs of widths that differ; of all points two, a random one and one that climbs ||x_{L+1}||",
)
def comparable_widths(rng: Generator, m: int, M: int, L: int, d: int, theta: float, widest: str) -> Measured:
    """The ||grad_{W_l} f||_F at W^(0), the last layer or all others M wide, the rest m; exponent is 1 if residual."""
    hidden, last = (M, m) if widest == "hidden" else (m, M)
    net = residual_network((d, *[hidden] * L, last), theta, rng)
    return Measured(_output_gradient_norms(net, _climbed(net, d, rng)), symbols={"exponent": _powers(L)})
