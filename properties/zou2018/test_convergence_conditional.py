"""zou2018: what follows from the gradient lower bound that the weights themselves have, in a step and in many.

Main claims: `decrease_in_one_step` (C.7); `time_within_the_radius` and `time_within_a_radius_of_its_own` (Theorem 4.1).
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import separation
from nets.data.labelled import DataSource
from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, he_network
from nets.networks.operators import gated_gram, layer_norms, operator_norm
from nets.worst_cases.adversaries import worst_derivatives
from properties.zou2018.ball_descent import BallRun, ball_descent
from properties.zou2018.descent import certified_step, drift_of, risk_iterates
from properties.zou2018.expansion import loss_size, two_pass_operations
from properties.zou2018.gated_features import least_gradient
from properties.zou2018.gradient_step import SMOOTH, STEP_LOSSES, GradientStep
from properties.zou2018.limits import LAYER_NORM, ONE_WIDTH, OUTPUT_NORM
from properties.zou2018.mini_batches import CANCELLED
from properties.zou2018.perturbed_pass import ALLOWED_SHARE
from properties.zou2018.region_constants import Region, near_kinks, one_sided, paired
from properties.zou2018.worst_networks import own_kink, two_channels
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

# A step that the errors of (C.6) do not allow is made shorter by a tenth, so often at most.
SHORTENED = 150

# The norm of the last of several layers with two channels: what those below have of the gradient is small beside it.
WEAK = 0.1

# What the region may take of the gradient bound at its centre, where no gate changes: far less than this share.
KEPT = 1e-6

# So short that the norms of the layers stay as they are.
SHORT = 1e-9


class AllowedStep(NamedTuple):
    """A step that lowers the loss as (C.7) says, as a search draws it.

    From `weights`, down one of the `STEP_LOSSES`, as long as the curvature of the loss allows times `size`, and
    shortened until all errors allow it.
    """

    weights: str
    loss: str
    size: float


# "Paired" weights are Gaussian but for the last layer, whose neurons come in pairs of opposite signs.
STARTS = ("Gaussian", "paired", "two channels")
ALONE = [*grid(L=1, m=[32, 128], n=1, d=8), *grid(L=[2, 3], m=64, n=1, d=8)]
THREE = grid(L=1, m=64, n=3, d=8)
ALLOWED = Regime(
    cells=[*ALONE, *THREE, *grid(L=2, m=64, n=2, d=8)],
    thorough=grid(L=[2, 3], m=128, n=[3, 4], d=16),
    least={"d": 2},
    draw={"weights": choices(*STARTS), "loss": choices(*SMOOTH), "size": reals(0.05, 1.0, logarithmic=True)},
    pinned=[AllowedStep(weights, "huberised_hinge", size=1.0)._asdict() for weights in STARTS],
    built={"drawn": (AllowedStep, AllowedStep._fields)},
)


def _start(
    rng: Generator, X: Array, L: int, m: int, weights: str, channels: tuple[float, float], last: float = 1.0
) -> Network:
    """Weights of the kind that is drawn, for layers half as wide as the last.

    Two channels, of the given signal and norm and with `last` times the last of several layers, carry one sample alone.
    """
    sizes = (X.shape[1], *[m // 2] * (L - 1), m)
    if weights == "two channels" and len(X) == 1:
        net = two_channels(X[0], sizes[1:], *channels)
        return net if L == 1 else net.with_weights([*net.weights[:-1], last * net.weights[-1]])
    net = he_network(sizes, rng)
    return net if weights == "Gaussian" else paired(net)


def _needy_labels(net: Network, X: Array) -> Array:
    """The labels with which the gradient of the last layer is as short as it can be for its slopes: (n,)."""
    return np.where(worst_derivatives(gated_gram(forward(net, X))).vector < 0.0, -1.0, 1.0)


@claim(
    "zou2018:eq-C.7-measured",
    title="decrease of the loss in a step whose measured errors take half of the gradient at most",
    bound=sheet.eq_C_7.reads("eta*c0*m*phi**3/(2*n**7)*S1**2"),
    sense=">=",
    premises=sheet.eq_C_7_errors.reads(
        "2*S1abs*(S1abs**2*eta**2*m**(3/2)*prodW/n**2 + SumGam)/n + dout**2*lam <= S1**2*c0*eta*m*phi**3/n**7"
    ),
    regime=ALLOWED,
    measured=["eta", "c0", "phi", "S1", "S1abs", "SumGam", "prodW", "dout", "lam"],
    normalised={"c0": "m*phi**3/n**7"},
    evidence=Search(examples=8, adversary="a loss that is a parabola, and all neurons active"),
    idle={"taken": 0.0},
    controls=[
        control("ascent", taken=-1.0),
        control("half of the step", taken=0.5),
        control("labels left out of the gradient", labels=False, cells=THREE),
        control("step that the curvature of the loss does not allow", longer=8.0, without=sheet.eq_C_7_errors),
        control("n^6 for n^7", bound="eta*c0*m*phi**3/(2*n**6)*S1**2", cells=THREE),
    ],
    note="c0 is the largest with ||grad_{W_L} L_S(W)||_F^2 >= c0 m phi^3 S1^2/n^7 for all labels and losses, and the "
    "labels are those that need it; phi is 2 for n = 1; steps are up to what the errors of this network allow, 10^4 to "
    "10^10 times the printed size",
    blind={**CANCELLED, "n": "as m: lemma-B.5-orders sees n**(-3)"},
)
def decrease_in_one_step(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: AllowedStep,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    labels: bool = True,
) -> Measured:
    """L_S(W) - L_S(W - eta grad L_S(W)), eta up to what the errors of (C.6) allow; S1 is the sum of the ell'_i. With '
    after the step, w_l = ||W_l|| and r_l the largest ||x_l||, dout is m eta S1abs/n sum_t w'_{t+1} ... w'_L w_{t+1} ...
    w_L r_{t-1}^2; prodW is sum_{t < l} (w_{l+1} ... w_L)^2 r_{l-1} w'_{t+1} ... w'_{l-1} w_{t+1} ... w_L r_{t-1}^2; and
    SumGam, at the worst sample, the sum over l of the norm of the backward vector on the flipped neurons times (eta
    ||grad_{W_l} L_S|| ||x'_{l-1}|| + w_l ||x'_{l-1} - x_{l-1}||). A control takes `taken` of a step or one `longer`."""
    X, y = data.draw(n, d, rng)
    net, used = _start(rng, X, L, m, drawn.weights, (1.0, 1.0), WEAK), STEP_LOSSES[drawn.loss]
    y = _needy_labels(net, X)
    step, symbols = _allowed(net, X, y, drawn, longer)
    end = GradientStep.of(net, X, y if labels else np.abs(y), used, taken * step.eta).end
    start = used.value(y * step.start.output)
    error = rounding(1.0, 4 * two_pass_operations(net)) * loss_size(step, y, used)
    return Measured(float(np.mean(start - used.value(y * end.output))), error=error, symbols=symbols)


def _allowed(
    net: Network, X: Array, y: Array, drawn: AllowedStep, longer: float
) -> tuple[GradientStep, dict[str, float]]:
    """The step that is drawn, `longer` than the errors of (C.6) allow, and what (C.7) and the errors speak of."""
    used, least, phi = STEP_LOSSES[drawn.loss], least_gradient(forward(net, X)).value, min(separation(X), 2.0)
    m, n, lam = net.v.size, len(X), used.constants.lam

    def tried(eta: float) -> tuple[GradientStep, dict[str, float]]:
        step = GradientStep.of(net, X, y, used, eta)
        total = float(step.derivatives.sum())
        known = {"m": m, "n": n, "phi": phi, "c0": least * n**7 / (m * phi**3), "eta": eta, "lam": lam}
        return step, {**known, **certified_step(step), "S1": -total, "S1abs": total}

    # By the moves of the outputs alone, with the norms of the layers as a short step leaves them.
    _, short = tried(SHORT)
    moves = lam * short["dout"] ** 2
    # Where the loss is flat, any step will do.
    eta = drawn.size * ALLOWED_SHARE * least * (SHORT * short["S1"]) ** 2 / moves if moves > 0.0 else 1.0
    for _ in range(SHORTENED):
        if sheet.eq_C_7_errors.holds(tried(eta)[1]):
            break
        eta *= 0.9
    return tried(longer * eta)


class ShortWay(NamedTuple):
    """Steps of gradient descent inside the radius before (C.7), as a search draws them.

    They begin at `weights`, there are `k` of them, and they take the share `share` of the time that Lemma 5.5 allows.
    """

    weights: str
    k: int
    share: float


# How far below zero the outputs are that neurons of the negative sign alone make: just before all of these turn off, or
# where the slope of the loss is a third of its value.
BELOW_ZERO = {"at the kink": 1e-9, "far below zero": 3.0}

WAYS = Regime(
    cells=[*grid(L=[2, 3], m=32, n=1, d=8), *grid(L=2, m=80, n=1, d=8), *grid(L=[2, 3], m=64, n=3, d=8)],
    thorough=grid(L=[2, 4], m=128, n=[2, 4], d=16),
    derived={"M": lambda m: m},
    draw={"weights": choices(*STARTS, *BELOW_ZERO), "k": st.integers(1, 3), "share": reals(0.1, ALLOWED_SHARE)},
    pinned=[ShortWay(weights, k=2, share=ALLOWED_SHARE)._asdict() for weights in (*STARTS, *BELOW_ZERO)],
    built={"drawn": (ShortWay, ShortWay._fields)},
    least={"L": 2, "d": 2, **ONE_WIDTH},
    most=ONE_WIDTH,
)


NOT_ALONE = "a control leaves it, but not alone: in a larger region no c0 is certain"
# Inside a radius of 10^(-26) little can go wrong.
ON_A_SHORT_WAY = {
    **CANCELLED,
    f"premise {sheet.eq_C_7_radius.text}": NOT_ALONE,
    f"premise {sheet.eq_C_7_step.text}": "steps that stay inside the radius are much shorter",
    f"premise {sheet.lemma_C_2_norms.text}": "it is for the errors, which the way is too short to feel",
    f"premise {sheet.lemma_C_2_outputs.text}": "it is for the errors, which the way is too short to feel",
    f"premise {sheet.eq_C_7_gates.text}": "no weights drawn have a gate so near its kink",
}


LARGE_RADIUS = control(
    "a radius of 10^(-4)",
    radius=1e-4,
    without=[sheet.eq_C_7_radius, sheet.theorem_4_1_gradient],
    cells=grid(L=2, m=32, n=1, d=8),
)


@claim(
    "zou2018:theorem-4.1-conditional",
    title="time in which the loss comes down inside the radius of the proof, by the gradient bound of its region",
    bound=sheet.theorem_4_1_time.reads("2*n**5*clock/(alpha1**2*c0*m*phi**3)"),
    premises=[
        sheet.eq_C_7_radius.reads("tau <= (c0*m*phi**3/(2**(12*L + 2)*C0*n**5*M*log(M)))**3"),
        sheet.eq_C_7_step.reads("eta <= c0*m*phi**3/(2**(10*L + 2)*n**5*M**2*(lam + rho))"),
        sheet.lemma_5_5_radius.reads("4**L*sqrt(M)*rho*k*eta <= tau"),
        sheet.theorem_4_1_gradient.reads("normsq >= c0*m*phi**3/n**7"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
        sheet.eq_C_7_gates.reads("count <= 0"),
    ],
    regime=WAYS,
    measured=["eta", "tau", "c0", "phi", "clock", "alpha1", "normsq", "normW", "r", "rho", "lam", "count"],
    normalised={"c0": "m*phi**3/n**7"},
    evidence=Search(examples=4, adversary="a gradient in the last layer alone, and one along the largest norms"),
    idle={"taken": 0.0},
    blind=ON_A_SHORT_WAY,
    controls=[
        control("ascent", taken=-1.0),
        control("mean over the samples taken twice", taken=1.0 / 3.0, cells=grid(L=2, m=64, n=3, d=8)),
        control("no norms of the layers in the time", longer=4.0, without=sheet.lemma_5_5_radius),
        control("four times the c0 of the region", times=4.0, without=sheet.theorem_4_1_gradient),
        LARGE_RADIUS,
        control("n^4 for n^5", bound="2*n**4*clock/(alpha1**2*c0*m*phi**3)", cells=grid(L=2, m=64, n=3, d=8)),
        control("width counted twice", bound="2*n**5*clock/(alpha1**2*c0*m**2*phi**3)"),
    ],
    scope="chain: 1 to 3 steps, in a share of the time that the printed radius allows",
    note="logistic, p = 1, phi is 2 at n = 1; radius 10^(-26) to 10^(-42): for what errors take see eq-C.7-measured",
)
def time_within_the_radius(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: ShortWay,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    times: float = 1.0,
    radius: float = 0.0,
) -> Measured:
    """K eta of K = k, 1 to 3, steps within the printed radius and step size; clock is 1/L_S(W^(K)) - 1/L_S(W^(0)).
    Within tau of the start normsq is a floor of ||grad_{W_L} L_S||_F^2/S1^2, S1 = sum_i ell'_i, alpha1 of |ell'|/ell;
    c0 is nearly what normsq allows at tau = 0; at the start r is the largest ||x_l||, normW ||W_l||, and count
    pre-activations of neurons with weights are within 8^L times the radius that c0 allows of 0. If an iterate is beyond
    tau no fall counts. A control takes `taken` of each step, `longer`^L of the time, `times` c0 or a `radius`."""
    X, _ = data.draw(n, d, rng)
    net = _start_of_a_way(rng, X, L, m, drawn.weights)
    y = _needy_labels(net, X)
    symbols = _constants(net, X, y, drawn, times, radius)
    symbols["eta"] *= longer**L
    moving = taken != 0.0 and symbols["normsq"] > 0.0
    run = ball_descent(net, X, y, taken * symbols["eta"], drawn.k) if moving else BallRun(0.0, np.zeros(L))
    fall = run.fall if run.drift.max() <= symbols["tau"] else 0.0
    start = float(LOGISTIC.value(y * forward(net, X).output).mean())
    return Measured(drawn.k * symbols["eta"], symbols={**symbols, "clock": fall / ((1.0 - fall) * start)})


def _start_of_a_way(rng: Generator, X: Array, L: int, m: int, weights: str) -> Network:
    """Weights of the kind that is drawn, with norms up to those of Theorem 5.1(i)."""
    if weights not in BELOW_ZERO or len(X) > 1:
        return _start(rng, X, L, m, weights, (OUTPUT_NORM * ALLOWED_SHARE, LAYER_NORM * ALLOWED_SHARE))
    signal = OUTPUT_NORM * ALLOWED_SHARE
    # One in a hundred parts of that step is what each neuron is before its kink.
    step = 100.0 * BELOW_ZERO[weights] / (signal * math.sqrt(m / 2))
    return own_kink(X[0], [m // 2] * (L - 1) + [m], signal, step)


def _constants(net: Network, X: Array, y: Array, drawn: ShortWay, times: float, radius: float) -> dict[str, float]:
    """What the theorem speaks of: its largest radius for the c0 of that region, or for `times` that, or `radius`."""
    m, n, L, phi = net.v.size, len(X), net.depth, min(separation(X), 2.0)
    around = Region(net, X, y)
    # Where nothing bounds the gradient, a number that the premise on it refuses.
    c0 = max(times * (1.0 - KEPT) * around.constants(0.0).gradient * n**7 / (m * phi**3), 1e-12)
    known = {"m": m, "M": m, "n": n, "L": L, "phi": phi, "c0": c0}
    known |= {"rho": LOGISTIC.constants.rho, "lam": LOGISTIC.constants.lam}
    allowed = float(sheet.eq_C_7_radius.larger.evaluate(known))
    tau = radius or allowed
    longest = float(sheet.eq_C_7_step.larger.evaluate(known))
    # k steps of this size have the drift tau by Lemma 5.5, which is linear in the size.
    whole = tau / float(sheet.lemma_5_5.evaluate({**known, "k": drawn.k, "eta": 1.0}))
    region = around.constants(tau)
    return {
        **known,
        "tau": ALLOWED_SHARE * tau,
        "eta": ALLOWED_SHARE * min(drawn.share * whole, longest),
        "normsq": region.gradient,
        "alpha1": _slope_over_loss(region.margin),
        "normW": max(operator_norm(W) for W in net.weights),
        "r": float(layer_norms(forward(net, X))[:, 1:].max()),
        "count": near_kinks(net, around.passed, 8.0**L * allowed),
    }


def _slope_over_loss(margin: float) -> float:
    """|ell'|/ell of the logistic loss, which grows with the margin: from there on it is at least as much."""
    value, slope = LOGISTIC.value_and_derivative(np.array([margin]))
    return float(-slope[0] / value[0])


# A radius is looked for from the first on, each a fifth shorter than the one before.
LARGEST, RADII = 0.5, 60

# How far below zero the outputs of neurons of one sign are.
DEPTHS = {"one side": 3.0, "one side at the kink": 0.01}

OWN_WAYS = Regime(
    cells=[*grid(L=[2, 3], m=32, n=1, d=8), *grid(L=2, m=128, n=1, d=8), *grid(L=[2, 3], m=64, n=3, d=8)],
    thorough=grid(L=[2, 4], m=128, n=[2, 4], d=16),
    draw={
        "weights": choices("Gaussian", "paired", *DEPTHS),
        "k": st.integers(1, 8),
        "share": reals(0.1, ALLOWED_SHARE),
    },
    pinned=[ShortWay(weights, k=4, share=ALLOWED_SHARE)._asdict() for weights in ("Gaussian", "paired", *DEPTHS)],
    built={"drawn": (ShortWay, ShortWay._fields)},
    least={"L": 2, "d": 2},
)


MEASURED_OF_A_REGION = [
    *("eta", "tau", "c0", "phi", "clock", "alpha1", "normsq", "Gam_l", "r", "rho", "lam"),
    *("S1", "S1abs", "SumGam", "prodW", "dout"),
]


TURNED_OFF = control(
    "radius of a region in which neurons turn off",
    wider=100.0,
    without=[sheet.eq_C_7_errors, sheet.theorem_4_1_gradient],
    cells=grid(L=2, m=32, n=1, d=8),
)


@claim(
    "zou2018:theorem-4.1-certified",
    title="time in which the loss comes down inside a region whose own errors take half of its gradient at most",
    bound=sheet.theorem_4_1_time.reads("2*n**5*clock/(alpha1**2*c0*m*phi**3)"),
    premises=[
        sheet.eq_C_7_errors.reads(
            "2*S1abs*(S1abs**2*eta**2*m**(3/2)*prodW/n**2 + SumGam)/n + dout**2*lam <= S1**2*c0*eta*m*phi**3/n**7"
        ),
        sheet.theorem_4_1_stay.reads("Gam_l*r*rho*k*eta <= tau"),
        sheet.theorem_4_1_gradient.reads("normsq >= c0*m*phi**3/n**7"),
    ],
    regime=OWN_WAYS,
    measured=MEASURED_OF_A_REGION,
    normalised={"c0": "m*phi**3/n**7"},
    evidence=Search(examples=4, adversary="neurons that all turn off just outside of the region"),
    idle={"taken": 0.0},
    blind={**CANCELLED, f"premise {sheet.eq_C_7_errors.text}": NOT_ALONE},
    controls=[
        control("ascent", taken=-1.0),
        control("a quarter of each step", taken=0.25),
        control("four times the time within the radius", longer=4.0, without=sheet.theorem_4_1_stay),
        control("four times the c0 of the region", times=4.0, without=sheet.theorem_4_1_gradient),
        TURNED_OFF,
        control("n^4 for n^5", bound="2*n**4*clock/(alpha1**2*c0*m*phi**3)", cells=grid(L=2, m=64, n=3, d=8)),
    ],
    scope="chain: 1 to 8 steps, in a share of the time that the radius allows",
    note="p = 1, phi is 2 for n = 1; what holds of the region of the start in place of constants: the largest radius "
    "tried where flips take a quarter of the gradient, steps where all errors take half. Half of the time would do",
)
def time_within_a_radius_of_its_own(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: ShortWay,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    times: float = 1.0,
    wider: float = 1.0,
) -> Measured:
    """The time k eta after each of 8 logistic steps or less, clock 1/L_S(W^(k)) - 1/L_S(W^(0)). Within tau of the start
    normsq is a floor of ||grad_{W_L} L_S||_F^2/S1^2, alpha1 of |ell'|/ell, Gam_l and r bound norms of what comes to a
    layer from above and below; c0 is nearly what normsq allows. At slopes rho, S1abs = |S1| = n rho, SumGam bounds
    what flips add to an output, prodW m^(3/2) eta^2 S1abs^2/n^2 the second order, dout the whole change. The
    steps take a share of the time within tau; if an iterate leaves it, no fall counts. A control takes `taken` of each
    step, steps `longer` than keep the weights in it, `times` the c0 of the region, or a radius `wider` than allowed."""
    X, _ = data.draw(n, d, rng)
    net = _start_of_an_own_way(rng, X, L, m, drawn.weights)
    y = _needy_labels(net, X)
    symbols = _own_constants(net, X, y, drawn, times, wider)
    symbols["eta"] *= longer
    path = list(itertools.islice(risk_iterates(net, X, y, LOGISTIC, taken * symbols["eta"]), drawn.k + 1))
    stays = max(float(drift_of(net, step.net).max()) for step in path) <= symbols["tau"]
    clock = np.array([1.0 / step.loss - 1.0 / path[0].loss if stays else 0.0 for step in path[1:]])
    passed = symbols["eta"] * np.arange(1.0, len(path))
    return Measured(passed, error=1e-6 * passed, symbols={**symbols, "clock": clock})


def _start_of_an_own_way(rng: Generator, X: Array, L: int, m: int, weights: str) -> Network:
    """Weights of the kind that is drawn; those of one side carry one sample alone."""
    if weights in DEPTHS and len(X) == 1:
        return one_sided(X[0], [m // 2] * (L - 1) + [m], 1.0, DEPTHS[weights])
    return _start(rng, X, L, m, weights, (1.0, 1.0))


def _own_constants(net: Network, X: Array, y: Array, drawn: ShortWay, times: float, wider: float) -> dict[str, float]:
    """What the theorem speaks of: the region of the largest radius it may have, with `times` its c0, made `wider`."""
    m, n, phi, around = net.v.size, len(X), min(separation(X), 2.0), Region(net, X, y)
    rho, lam = LOGISTIC.constants.rho, LOGISTIC.constants.lam
    for shortened in range(RADII):
        tau = LARGEST * 0.8**shortened
        found = around.constants(tau)
        # The gradient and the flip terms for slopes of rho, in a step of size 1: what is left is for the other errors.
        gradient, flips = found.gradient * (n * rho) ** 2, 2.0 * rho**2 * found.flip_term
        if gradient > 0.0 and flips <= 0.5 * gradient:
            break
    longest = max(gradient - flips, 0.0) / (2.0 * rho**3 * found.second_order + lam * (rho * found.move) ** 2)
    region = around.constants(wider * tau)
    eta = ALLOWED_SHARE * min(drawn.share * wider * tau / (region.backward * region.output * rho * drawn.k), longest)
    return {
        **region.step_symbols(eta, rho, m),
        "m": m,
        "n": n,
        "phi": phi,
        "rho": rho,
        "lam": lam,
        "tau": wider * tau,
        "eta": eta,
        "S1": -n * rho,
        "S1abs": n * rho,
        "normsq": region.gradient,
        "r": region.output,
        "Gam_l": region.backward,
        "c0": max(times * (1.0 - KEPT) * found.gradient * n**7 / (m * phi**3), 1e-12),
        "alpha1": _slope_over_loss(region.margin),
    }
