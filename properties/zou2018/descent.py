"""What the claims on training measure: how far the weights drift, and how gradient descent comes down.

Main definitions: `risk_iterates`, the iterates with their passes and gradients, or `path_from` one of them; `arrival`,
when and how far out they reach a given loss, and `times_to`, between losses; `clock` and `recursion_time`, the same for
the scalar recursion, in the limit of small steps and step by step, and `kernel_fall`, what a finite width adds to it;
`Guarantee`, what the iterates met so far say of the path, with `watched` and `guaranteed_path`; `DrawnTraining`, what a
search draws, with `draw_training`; `steep`, the weights that drift fastest for their norms, and `scaled_to_norm`;
`certified_step`, what norms say of one step; `hexagon_argument`, why no single hidden layer fits the alternating
hexagon, with `mean_loss_argument` and `refuting_steps`; `BOUNDED_SLOPE`, losses whose slope is bounded, and
`UNBOUNDED_SLOPE`, two whose slope is not.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import sympy as sp
from numpy.random import Generator

from bounds import Decision, all_of, at_least, is_positive, is_zero
from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.data.labelled import DataSource
from nets.descent.training import descent_step
from nets.linear_algebra.lowrank import LowRank
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.forward import Forward, forward
from nets.networks.gradients import Backward, backward, loss_gradient
from nets.networks.losses import EXPONENTIAL, HINGE, HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, Loss, power_loss
from nets.networks.network import Layer, Network, balanced_signs, gaussian_network
from nets.networks.operators import frobenius_norm, gated_gram, operator_norm
from nets.tangent.linearised import tangent_features
from nets.worst_cases.worst_networks import factored_layer
from properties.zou2018.expansion import flip_terms, second_order_norms
from properties.zou2018.gradient_step import GradientStep, named, same_points, widths
from properties.zou2018.perturbed_pass import ALLOWED_SHARE, norm_above
from theory.evidence import Step

# All fall with constant slope below some margin, or nearly so. For the last one that slope is 2, so that a
# Lipschitz constant of 1 cannot be built in.
BOUNDED_SLOPE = named(HUBERISED_HINGE, LOGISTIC, HINGE, power_loss(1 / 2, -3.0))

# Those of Remark 4.3: their slope grows without end to the left.
UNBOUNDED_SLOPE = named(EXPONENTIAL, SQUARED_HINGE)

# What the width of Theorem 4.1 depends on besides n, L, phi and eps, for two losses.
LOGISTIC_CONSTANTS = {"p": 1, "rho": 1, "alpha0": LOGISTIC.constants.alpha_0, "alpha1": LOGISTIC.constants.alpha_1}
HUBER_CONSTANTS = {
    "p": 0.5,
    "rho": 1.0,
    "alpha0": HUBERISED_HINGE.constants.alpha_0,
    "alpha1": HUBERISED_HINGE.constants.alpha_1,
}

# Data on which one hidden layer fails, of least distance 1.
HEXAGON = {"n": 6, "d": 2, "phi": 1.0, "L": 1, "L0": 2.0, **LOGISTIC_CONSTANTS}


@dataclass(frozen=True, eq=False)
class RiskIterate:
    """An iterate of gradient descent on the samples X with labels y; passes and gradients are made when asked for.

    So the last iterate of a path costs no step that is not taken. `known` is the pass of the samples, where one has it.
    """

    net: Network
    X: Array
    y: Array
    measured_by: Loss
    known: Forward | None = field(default=None, repr=False)

    @cached_property
    def passed(self) -> Forward:
        """The pass of the samples."""
        return forward(self.net, self.X) if self.known is None else self.known

    @cached_property
    def back(self) -> Backward:
        """The backward vectors of the samples."""
        return backward(self.net, self.passed)

    @cached_property
    def gradients(self) -> tuple[Array | LowRank, ...]:
        """The gradients (L steps) of the empirical risk."""
        return loss_gradient(self.net, self.passed, self.y, self.measured_by, bwd=self.back)

    @cached_property
    def loss(self) -> float:
        """The empirical risk."""
        return float(self.measured_by.value(self.y * self.passed.output).mean())

    @property
    def squared_gradient(self) -> float:
        """The squared Frobenius norm of all gradients together."""
        return float(sum(frobenius_norm(G) ** 2 for G in self.gradients))

    def after(self, eta: float) -> "RiskIterate":
        """The next iterate, after a step of size eta."""
        net, gradients = descent_step(self.net, self.passed, self.y, self.measured_by, eta, bwd=self.back)
        # Who asks for them later need not make them again.
        self.__dict__["gradients"] = gradients
        return RiskIterate(net, self.X, self.y, self.measured_by)


def path_from(start: RiskIterate, eta: float) -> Iterator[RiskIterate]:
    """The iterates of gradient descent with the step size eta, the start included, without end."""
    here = start
    while True:
        yield here
        here = here.after(eta)


def risk_iterates(net: Network, X: Array, y: Array, loss: Loss, eta: float) -> Iterator[RiskIterate]:
    """The same from the weights of a network."""
    return path_from(RiskIterate(net, X, y, loss), eta)


def iterate(start: RiskIterate, eta: float, k: int) -> RiskIterate:
    """The iterate after k steps."""
    return next(itertools.islice(path_from(start, eta), k, None))


@dataclass(frozen=True)
class Arrival:
    """Where a path reaches a given loss: `time` is K eta, `drift` the largest ||W_l^(K) - W_l^(0)||."""

    time: float
    drift: float


def arrival(start: RiskIterate, eta: float, eps: float, most: int) -> Arrival:
    """Where gradient descent reaches the loss `eps`, in `most` steps at most; NaN if it does not.

    Between the last two iterates the logarithm of the loss is taken to be linear, so that K is not rounded up.
    """
    for k, (above, below) in enumerate(itertools.pairwise(itertools.islice(path_from(start, eta), most + 1))):
        if below.loss <= eps < above.loss:
            share = math.log(above.loss / eps) / math.log(above.loss / below.loss)
            far = [
                max(operator_norm(V - W) for W, V in zip(start.net.weights, step.net.weights, strict=True))
                for step in (above, below)
            ]
            return Arrival((k + share) * eta, far[0] + share * (far[1] - far[0]))
    return Arrival(math.nan, math.nan)


def clock(p: float, high: float, low: float | Array) -> Array:
    """The integral of x^(-2p) from `low` to `high`, times that zou2018, (C.9) and (C.10), count in units of c."""
    if p == 0.5:
        return np.log(high / np.asarray(low))
    return np.asarray((np.asarray(low) ** (1.0 - 2.0 * p) - high ** (1.0 - 2.0 * p)) / (2.0 * p - 1.0))


def times_to(
    net: Network, X: Array, y: Array, loss: Loss, eta: float, losses: Sequence[float], most: int
) -> list[float]:
    """K eta from the first of falling `losses` to each other, in `most` steps at most; NaN for those not met.

    Between two iterates the logarithm of the loss is taken to be linear, so that K is not rounded.
    """
    met: list[float] = []
    path = itertools.pairwise(itertools.islice(risk_iterates(net, X, y, loss, eta), most + 1))
    for k, (above, below) in enumerate(path):
        while len(met) < len(losses) and below.loss <= losses[len(met)] < above.loss:
            met.append(k + math.log(above.loss / losses[len(met)]) / math.log(above.loss / below.loss))
        if len(met) == len(losses):
            break
    met += [math.nan] * (len(losses) - len(met))
    return [(k - met[0]) * eta for k in met[1:]]


# By how much more the kernel falls with L hidden layers, to first order; see `kernel_fall`.
FALL_BY_DEPTH = {1: 1.0, 2: 1.486}


def kernel_fall(m: int, L: int = 1) -> float:
    """By what share the kernel ||grad f||^2 at one point falls as the margin y f(x) gains 1: 1/sqrt(pi m) for L = 1.

    The kernel of one hidden layer is the number of active neurons, m/2 at the start. Training shifts all their
    pre-activations by s = 2 (gain of y f)/m, up or down with the sign of v_j y. Those of variance 2/m that go down and
    began in [0, s], a share s sqrt(m/pi) of all that go down, turn off; no neuron turns on.

    With two layers the kernel is m, half of it of either layer, and s = (gain)/m. Of the second layer, neurons move by
    s (2 +- g) if active and s g if not, g standard normal; they turn off or on, or stay at 0 for a share of the time.
    In the first an active neuron moves by s b, b standard normal, and takes b^2 with it when it turns off. Summed over
    g and b that is 1.486/sqrt(pi m). Left out are terms of order 1/m, and for two layers the change of g on the way:
    what is found differs by less than a tenth. Raises `ValueError` for more layers.
    """
    if L not in FALL_BY_DEPTH:
        raise ValueError(f"the fall of the kernel of {L} layers is asked for: it is known for 1 and 2")
    return FALL_BY_DEPTH[L] / math.sqrt(math.pi * m)


def recursion_time(
    loss: Loss, step: float, high: float, low: float, fall: float = 0.0, start: float | None = None
) -> float:
    """The time, steps times `step`, that x <- x - step (1 - fall (x - start)) ell'(x) takes from one loss to another.

    This is the margin of a single point under gradient descent, in units of 1/kernel at the margin `start` (by default
    the one of the loss `high`), where the kernel falls by the share `fall` per unit of the margin. As in `times_to` the
    logarithm of the loss is taken to be linear between two steps; NaN if the loss does not fall.
    """
    far, near = -64.0, 64.0
    for _ in range(100):
        middle = 0.5 * (far + near)
        far, near = (middle, near) if float(loss.value(middle)) > high else (far, middle)
    x, above, steps = near, high, 0
    start = x if start is None else start
    while True:
        x -= step * (1.0 - fall * (x - start)) * float(loss.derivative(x))
        below = float(loss.value(x))
        if not below < above:
            return math.nan
        if below <= low:
            return step * (steps + math.log(above / low) / math.log(above / below))
        above, steps = below, steps + 1


def kernel_step(net: Network, X: Array, loss: Loss, curvature: float | None = None) -> float:
    """The step size at which the linearised network meets the curvature of the loss: n/(lam ||K||).

    `curvature` takes the place of lam, for a loss whose curvature has no bound.

    K is the matrix of the inner products of the gradients of f at the samples, at the given weights. Where all
    gradients vanish, any step will do: 1.
    """
    passed = forward(net, X)
    return _curvature_size(passed, backward(net, passed), curvature or loss.constants.lam)


def first_step(start: RiskIterate) -> float:
    """`kernel_step` at an iterate, by the passes that its own step takes."""
    return _curvature_size(start.passed, start.back, start.measured_by.constants.lam)


def _curvature_size(passed: Forward, back: Backward, curvature: float) -> float:
    K = tangent_features(back.net, passed, back).grams.sum(axis=0)
    largest = float(np.linalg.eigvalsh(K)[-1])
    return len(passed.output) / (curvature * largest) if largest > 0.0 else 1.0


# A constant that a path is found to meet is a quotient of rounded numbers; one that is less by more than their rounding
# is met by the path itself, where a single step attains it.
CERTAIN = 1.0 - 1e-11


@dataclass
class Guarantee:
    """The constant c0 for which (C.7) of zou2018 holds at every step taken so far.

    Where a step lowers the loss by `share` of eta ||grad L_S||^2 at least, and `eigenvalue` is a lower bound
    of the eigenvalues of the gated Gram matrices G, ||grad_{W_L} L_S||^2 = (m/n^2) b^T G b (proof of Lemma
    B.5, with b_i = y_i ell'_i) gives a decrease of share eta m eigenvalue/n^3 (sum_i ell'_i)^2.
    """

    share: float = math.inf
    eigenvalue: float = math.inf

    def take(self, before: RiskIterate, after: RiskIterate, eta: float) -> None:
        """Account for one step."""
        eigenvalues = np.linalg.eigvalsh(gated_gram(before.passed))
        # The computed eigenvalues are off by some n roundings of the largest one.
        self.eigenvalue = min(self.eigenvalue, float(eigenvalues[0] - 1e-12 * eigenvalues[-1]))
        promised = eta * before.squared_gradient
        if promised > 0.0:
            self.share = min(self.share, (before.loss - after.loss) / promised)

    def constant(self, n: int, phi: float) -> float:
        """The c0 for n samples at distance phi; zero if nothing is guaranteed, as before a gradient was met."""
        if not (0.0 < self.share < math.inf and self.eigenvalue > 0.0):
            return 0.0
        return CERTAIN * 2.0 * self.share * self.eigenvalue * n**4 / phi**3


def watched(
    net: Network,
    X: Array,
    y: Array,
    loss: Loss,
    eta: float,
    *,
    eigenvalue: float | None = None,
    decrease: float | None = None,
) -> Iterator[tuple[RiskIterate, RiskIterate, Guarantee]]:
    """The steps of gradient descent, by their ends, each with what the path guarantees up to there.

    Numbers that are given stand for the least eigenvalue and the least share of the decrease that are found.
    """
    guarantee = Guarantee()
    for before, after in itertools.pairwise(risk_iterates(net, X, y, loss, eta)):
        guarantee.take(before, after, eta)
        guarantee.eigenvalue = guarantee.eigenvalue if eigenvalue is None else eigenvalue
        guarantee.share = guarantee.share if decrease is None else decrease
        yield before, after, guarantee


@dataclass(frozen=True, eq=False)
class GuaranteedPath:
    """A path while it guarantees something: the numbers of steps, the losses there, and the c0 of (C.7) up to there.

    All have shape (k,). `first` is the loss at the start; `right_of_knee` says that no margin on the way was left of
    the knee of the loss.
    """

    first: float
    steps: Array
    losses: Array
    constants: Array
    right_of_knee: bool


def guaranteed_path(
    net: Network,
    X: Array,
    y: Array,
    loss: Loss,
    eta: float,
    phi: float,
    *,
    eigenvalue: float | None = None,
    decrease: float | None = None,
    most: int = 60,
) -> GuaranteedPath:
    """The path to a thousandth of its first loss, through `most` steps, or to where nothing is guaranteed any more.

    Where nothing is from the start on, that no time has passed is all there is to say: one loss, after 0 steps.
    """
    c0, met, right_of_knee = [], [float(loss.value(y * forward(net, X).output).mean())], True
    path = watched(net, X, y, loss, eta, eigenvalue=eigenvalue, decrease=decrease)
    for before, after, guarantee in itertools.islice(path, most):
        if guarantee.constant(len(X), phi) <= 0.0 or not met[0] >= after.loss > 1e-3 * met[0]:
            break
        right_of_knee &= bool((y * before.passed.output).min() >= loss.constants.x_0)
        met.append(after.loss)
        c0.append(guarantee.constant(len(X), phi))
    steps = np.arange(len(met) > 1, len(met)).astype(np.float64)
    return GuaranteedPath(met[0], steps, np.array(met[1:] or met), np.array(c0 or [1.0]), right_of_knee)


def curvature_step(net: Network, X: Array, y: Array, loss: Loss) -> float:
    """`kernel_step`, for the exponential loss too, which is its own second derivative and largest at the start."""
    lam = loss.constants.lam
    return kernel_step(net, X, loss, lam if math.isfinite(lam) else float(loss.value(y * forward(net, X).output).max()))


class DrawnTraining(NamedTuple):
    """Steps of gradient descent, as a search draws them.

    `weights` says where they begin and `loss` what they lower; there are `k` of them, and together they take the share
    `share` of the time tau/(4^L sqrt(M) rho) that keeps the weights within tau.
    """

    weights: str
    loss: str
    k: int
    tau: float
    share: float

    def step_size(self, L: int, M: int, rho: float) -> float:
        """The eta of which k steps take that share, for the slope rho."""
        return self.share * self.tau / (4.0**L * math.sqrt(M) * rho * self.k)


# Where training begins; what the blocks that draw it say of it.
BEGINNINGS = ("Gaussian", "stretched", "steep")
TRAINING = {"drawn": (DrawnTraining, DrawnTraining._fields)}

# What rows on the drift of such training need not see.
BY_THE_STEPS = {
    f"premise {sheet.theorem_5_3_radius.text}": "a larger radius lets steps be longer, no more: "
    "lemma-5.5-sharp has a control with too long steps"
}


def draw_training(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    weights: str,
    norm: float,
    alike: int | None = None,
) -> tuple[Array, Array, Network]:
    """Points, labels and weights to begin with: "Gaussian", "stretched" until every layer has that norm, or "steep".

    At steep weights the samples are equal and in the steepest part of the loss; but for the first `alike` of them, if
    that is given, they have the other label and are in the flattest.
    """
    X, y = data.draw(n, d, rng)
    sizes = widths(X.shape[1], M, L)
    net = gaussian_network(sizes, rng)
    if weights == "stretched":
        net = Network(tuple(scaled_to_norm(W, norm * ALLOWED_SHARE, rng) for W in net.weights), net.v)
    elif weights == "steep":
        X, y = same_points(X, y)
        y[len(y) if alike is None else alike :] = -1.0
        net = steep(X[0], sizes[1:], norm * ALLOWED_SHARE)
    return X, y, net


def drift_of(before: Network, after: Network) -> Array:
    """||W_l' - W_l|| of all layers: (L,)."""
    return np.array([operator_norm(V - W) for W, V in zip(before.weights, after.weights, strict=True)])


def steep(x: Array, sizes: Sequence[int], norm: float) -> Network:
    """Layers of rank one and norm `norm`, each mapping onto the input of the next, with f(x) far below zero.

    All neurons are active at x (d,) but two of the last layer, which keep the drift clear of rounding errors.
    So the gradient of the last layer is as large as norms allow, and a label +1 is in the steepest part of
    the loss. Raises `DataError` for a last layer of fewer than four neurons.
    """
    if sizes[-1] < 4:
        raise DataError(f"a last layer of {sizes[-1]} neurons is asked for, of which two are dead: ask for 4 at least")
    signs = balanced_signs(sizes[-1])
    last = 1.0 - 0.3 * signs
    last[[0, -1]] = 0.0
    ends = [x, *(np.ones(m) for m in sizes[:-1]), last]
    units = [end / np.linalg.norm(end) for end in ends]
    layers = (factored_layer(norm * u[np.newaxis], w[np.newaxis]) for u, w in itertools.pairwise(units))
    return Network(tuple(layers), signs)


def scaled_to_norm(W: Layer, norm: float, rng: Generator) -> Layer:
    """A Gaussian layer W times a factor, so that its norm is `norm`; by `norm_above` where it is revealed.

    A revealed layer must not have been looked at: the one that takes its place, with the generator `rng`, has the
    law of the multiple.
    """
    if isinstance(W, np.ndarray):
        return W * (norm / operator_norm(W))
    rows, cols = W.shape
    return RevealedGaussian(rows, cols, W.std * (norm / norm_above(W)), rng)


def certified_step(step: GradientStep, *, gates: bool = True) -> dict[str, float]:
    """What bounds a step beyond first order by measured norms, as zou2018, Lemma C.3 has it: SumGam, prodW and dout.

    SumGam is that of the worst sample: the backward vector on the neurons that flip times the right side of (D.3),
    summed over the layers; prodW the factor of the second-order term; dout a bound of the change of every output.
    Without `gates` no neuron is taken to flip.
    """
    n, m = step.start.masks[-1].shape
    return {
        "SumGam": float(flip_terms(step).sum(axis=1).max()) if gates else 0.0,
        "prodW": float(second_order_norms(step).sum()),
        "dout": float(step.stretched(step.own_moves)[-1] * m * step.eta / n * step.derivatives.sum()),
    }


def hexagon_argument(n: int, L: int, phi: float) -> dict[str, bool | Decision]:
    """Why the margins of a network with one hidden layer sum to zero on the alternating hexagon, step by step."""
    corners = [sp.Matrix([sp.cos(k * sp.pi / 3), sp.sin(k * sp.pi / 3)]) for k in range(6)]
    labels = [1, -1, 1, -1, 1, -1]
    squares = [(a - b).dot(a - b) for a, b in itertools.combinations(corners, 2)]
    z, w1, w2 = sp.symbols("z w_1 w_2", real=True)
    t = sp.Symbol("t", positive=True)
    odd_part = sp.Max(z, 0) - sp.Max(-z, 0) - z
    # Of the corners k and k + 3 a neuron w makes relu(z) and -relu(-z), together z, times the label of k.
    neuron = sum(labels[k] * sp.Matrix([w1, w2]).dot(corners[k]) for k in range(3))
    return {
        "the corners have norm 1": all_of(is_zero(x.dot(x) - 1) for x in corners),
        "their least distance is phi or more": n == 6
        and all_of(at_least(square, sp.Rational(phi)) for square in squares),
        "opposite corners are antipodes with opposite labels": all_of(
            is_zero(number) for k in range(3) for number in (*(corners[k] + corners[k + 3]), labels[k] + labels[k + 3])
        ),
        "relu(z) - relu(-z) = z for every z": all_of(
            is_zero(odd_part.subs(z, value)) for value in (t, -t, sp.Integer(0))
        ),
        "every neuron of a single hidden layer adds zero to the sum of the margins": L == 1 and is_zero(neuron),
    }


def mean_loss_argument() -> dict[str, bool | Decision]:
    """Why margins of sum zero keep the mean of the logistic loss at log 2 or more."""
    u = sp.Symbol("u", real=True)
    curvature = sp.exp(u) / (1 + sp.exp(u)) ** 2
    gap = sp.diff(sp.log(1 + sp.exp(-u)), u, 2) - curvature
    return {
        "the loss is convex, so that its mean is at least that of the mean margin 0, log 2": all_of(
            [is_zero(gap), is_positive(curvature)]
        )
    }


def refuting_steps(argument: Mapping[str, bool | Decision], contradicted: bool, promised: str) -> list[Step]:
    """An argument and what it contradicts, as the steps of a proof.

    A gap in the argument, or a promise that it does not contradict, leaves the promise undecided.
    """
    steps = [Step(what, holds or None) for what, holds in argument.items()]
    return [*steps, Step(promised, False if contradicted and all(argument.values()) else None)]
