"""chatterji2021, equations (2a) and (2b) and Lemma 4.3: the gradient of the loss in closed form, and how large it is.

Main claims: `gradient_is_the_derivative` (equations (2a), (2b)) with `backpropagation` and `written_out`;
`gradient_norm` (Lemma 4.3) with `gradient_norm_without_width` and `gradient_norm_by_products`.
"""

import math
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import mpmath
import numpy as np
import sympy
from numpy.random import Generator

from bounds import Bound, is_zero
from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import ARRANGEMENTS, arranged
from nets.networks.curvature import rounding_errors
from nets.networks.forward import Forward, forward
from nets.networks.log_loss import log_mean, log_mean_loss, logistic_terms
from nets.networks.logistic_gradients import log_gradient_norms, logistic_gradient
from nets.networks.network import Network, gaussian_smooth_network
from properties.chatterji2021.closed_form import ExactNetwork
from properties.chatterji2021.curvature import LABELS, MEMBER_NAMES, Instance, chain_instance, drawn_instance, scaled
from properties.chatterji2021.norm_products import Products, least_norm, norm_of_largest_output, operator_norms
from properties.chatterji2021.smooth_members import MEMBERS
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Search, Step

# Digits carried, and the step of a difference quotient: it errs by the step times the curvature, and by far less
# in rounding.
DIGITS = 100
STEP = mpmath.mpf(10) ** -40

MEMBER = choices(*MEMBER_NAMES)
SMOOTHING = reals(1e-6, 1.0, logarithmic=True)


class GaussianWeights(NamedTuple):
    """A Gaussian network with weights of the norm `size` and the family of its points, as a search draws them."""

    member: str
    h: float
    size: float
    points: str

    def of(self, rng: Generator, data: DataSource, m: int, L: int, n: int, d: int) -> Instance:
        """The network, half of whose pre-activations are pulled towards the bend, at points of the data, arranged."""
        X, y = data.draw(n, d, rng)
        X = arranged(X, self.points, rng)
        net = gaussian_smooth_network((X.shape[1], *[m] * L), MEMBERS[self.member](self.h), rng)
        layers = [np.asarray(V) for V in net.weights]
        layers[0][:, ::2] *= math.sqrt(self.h)
        return Instance(scaled(net.with_weights(layers), self.size), X, y)


MODERATE = reals(0.5, 10.0, logarithmic=True)
NETWORKS = Regime(
    cells=[*grid(L=[1, 3], m=3, n=2, d=3), *grid(L=4, m=2, n=2, d=2), *grid(L=2, m=1, n=3, d=1)],
    thorough=grid(L=[2, 6], m=3, n=2, d=5),
    draw={"member": MEMBER, "h": SMOOTHING, "size": MODERATE, "points": choices(*ARRANGEMENTS)},
    built={"drawn": (GaussianWeights, GaussianWeights._fields)},
)
RANDOM = "random directions, along which no error of an entry cancels; pre-activations inside the bend"
SQUARE_LAYERS = grid(L=3, m=3, n=2, d=3)


@claim(
    "chatterji2021:eq-2",
    bound=sheet.eq_2.reads("0"),
    sense="=",
    premises="none needed: every activation drawn is differentiable, which is all that the formula asks",
    regime=NETWORKS,
    evidence=Search(examples=5, adversary=RANDOM),
    controls=[
        control("slope of the layer's own neurons missing", form="own slope missing"),
        control("slopes to the left of their layers", form="slopes to the left of their layers", cells=SQUARE_LAYERS),
        control("product in descending order", form="layers in descending order", cells=SQUARE_LAYERS),
        control("layers not transposed", form="layers not transposed", cells=SQUARE_LAYERS),
        control("pre-activation in place of the feature", form="pre-activation for feature"),
        control("labels left out", form="no label"),
        control("weight of the other label", form="weight of the other label"),
    ],
    note="of the loss, df/dV_l being in it; that alone is eq-2-symbols. In 100 digits both sides agree to 1e-25 of it",
)
def gradient_is_the_derivative(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, drawn: GaussianWeights, *, form: str = ""
) -> Measured:
    """Slope <grad_l J, D> in closed form less the difference quotient of J along D, for all l <= L + 1, random D.

    The form is the mean of -y g Sigma_l prod_{l<j<=L} (V_j^T Sigma_j) V_{L+1}^T x_{l-1}^T, at l = L + 1 of -y g x_L^T.
    """
    net, X, y = drawn.of(rng, data, m, L, n, d)
    with mpmath.workdps(DIGITS):
        true = ExactNetwork.of(net, X, y, drawn.member, drawn.h)
        gradients = true.gradients(form)
        reach = float(np.max(np.linalg.norm(X, axis=1)))
        norms = operator_norms(net.weights) * (1.0 + 1e-9) * np.array([max(1.0, reach), *[1.0] * L])
        curvature = max(1.0, reach) ** 2 * Products(norms).curvature(drawn.h)
        differences, errors, largest = [], [], 0.0
        for layer, V in enumerate(net.weights):
            D = rng.standard_normal(V.shape)
            along = [D if k == layer else None for k in range(L + 1)]
            ends = [true.moved(along, sign * STEP).loss() for sign in (1, -1)]
            slope = (ends[0] - ends[1]) / (2 * STEP)
            differences.append(float(mpmath.fsum((gradients[layer] * D).ravel()) - slope))
            errors.append(float(STEP) * (1.0 + curvature * float(np.sum(D**2))))
            largest = max(largest, abs(float(slope)))
    return Measured(np.array(differences), error=np.array(errors), scale=max(largest, 1e-6))


@claim(
    "chatterji2021:eq-2-backpropagation",
    title="backpropagation in double precision against the explicit product of matrices",
    bound=sheet.eq_2.reads("0"),
    sense="=",
    premises="none needed: every activation drawn is differentiable; weights and points may be any",
    regime=replace(NETWORKS, draw={**NETWORKS.draw, "h": reals(1e-3, 1.0, logarithmic=True)}),
    evidence=Search(examples=8, adversary="all entries of all layers; pre-activations inside the bend"),
    controls=[
        control("slopes to the left of their layers", form="slopes to the left of their layers", cells=SQUARE_LAYERS),
        control("product in descending order", form="layers in descending order", cells=SQUARE_LAYERS),
        control("labels left out", form="no label"),
        control("sum in place of the mean", form="sum for mean"),
        control("h longer by a part in ten thousand", stretch=1.0001),
    ],
    note="allowed are the rounding errors of the passes: where h is tiny, a slope is known to no more digits than its "
    "pre-activation divided by h",
)
def backpropagation(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    drawn: GaussianWeights,
    *,
    form: str = "",
    stretch: float = 1.0,
) -> Measured:
    """Computed grad_l J less the mean of -y g Sigma_l prod_{j>l} (V_j^T Sigma_j) V_{L+1}^T x_{l-1}^T, or -y g x_L^T."""
    net, X, y = drawn.of(rng, data, m, L, n, d)
    fwd = forward(net, X)
    with mpmath.workdps(DIGITS):
        explicit = [
            np.asarray(G, float) for G in ExactNetwork.of(net, X, y, drawn.member, stretch * drawn.h).gradients(form)
        ]
    found = logistic_gradient(net, fwd, y)
    differences = np.concatenate([np.ravel(a - b) for a, b in zip(found, explicit, strict=True)])
    sizes = np.concatenate([np.ravel(size) for size in _gradient_terms(net, fwd, y)])
    relative = _relative_error(net, fwd)
    return Measured(differences, error=relative * sizes, scale=float(sizes.max()))


def _gradient_terms(net: Network, fwd: Forward, y: Array) -> list[Array]:
    """The sums of the absolute values of all products that make up the entries of the gradients, all slopes one."""
    weights = logistic_terms(fwd.margins(y)).weight / len(y)
    left = [np.abs(fwd.post[0])]
    for V in net.weights[:-1]:
        left.append(left[-1] @ np.abs(V))
    right = [weights[:, np.newaxis]]
    for V in reversed(net.weights[1:]):
        right.append(right[-1] @ np.abs(V).T)
    return [a.T @ b for a, b in zip(left, reversed(right), strict=True)]


def _relative_error(net: Network, fwd: Forward) -> float:
    """Bound on the rounding error of an entry of a gradient, relative to its terms.

    Each factor adds its own: a slope 4 roundings and the error of its pre-activation over h, the weight of a sample
    the error of its output, a sum its length.
    """
    *pre_errors, output_error = rounding_errors(net, fwd)
    slopes = sum(float(error.max()) for error in pre_errors) / net.activation.h
    length = 16.0 + 8.0 * sum(V.shape[0] + V.shape[1] for V in net.weights) + len(fwd.output)
    return 1.01 * (rounding(1.0, length) + slopes + float(output_error.max()))


class _Slope(sympy.Function):
    """phi', of which nothing is known."""


class _Value(sympy.Function):
    """phi, of which nothing is known but the name of its derivative."""

    nargs: ClassVar[int] = 1

    def fdiff(self, argindex: int = 1) -> Any:
        """phi'(u)."""
        return _Slope(self.args[0])


SHAPES = ((1, 1), (1, 2), (1, 3), (1, 6), (2, 1), (2, 2), (2, 3), (3, 1))


def _written_out(width: int, depth: int, form: str, difference: sympy.Expr) -> bool:
    """Whether the derivatives of f in all weights differ by that from the closed form, all weights being symbols."""
    layers = [sympy.Matrix(width, width, sympy.symbols(f"v{k}_:{width**2}")) for k in range(depth)]
    layers.append(sympy.Matrix(1, width, sympy.symbols(f"v{depth}_:{width}")))
    x = sympy.Matrix(sympy.symbols(f"x:{width}"))
    post, slopes = [x], []
    for V in layers[:-1]:
        u = V * post[-1]
        post.append(u.applyfunc(_Value))
        slopes.append(sympy.diag(*u.applyfunc(_Slope)))
    f = (layers[-1] * post[-1])[0]
    for k, V in enumerate(layers):
        product = sympy.eye(1)
        if k < depth:
            product = sympy.eye(width) if form == "own slope missing" else slopes[k]
            for j in range(k + 1, depth):
                turned = layers[j] if form == "layers not transposed" else layers[j].T
                left = form == "slopes to the left of their layers"
                product = product * slopes[j] * turned if left else product * turned * slopes[j]
            product = product * layers[-1].T
        closed = product * post[k].T
        for place, entry in enumerate(V):
            if sympy.expand(sympy.diff(f, entry) - closed[place]) != difference:
                return False
    return True


@claim(
    "chatterji2021:eq-2-symbols",
    title="gradient of the output with all weights symbols, for small networks",
    bound=sheet.eq_2.reads("0"),
    sense="=",
    premises="none needed: all weights are symbols, and the activation is any differentiable function",
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an identity"),
    controls=[
        control("slope of the layer's own neurons missing", form="own slope missing"),
        control("slopes to the left of their layers", form="slopes to the left of their layers"),
        control("layers not transposed", form="layers not transposed"),
        control("weight of the other label", sign=-1),
    ],
    note="for any differentiable activation; width 1 up to six layers, width 2 up to three, width 3 with one",
)
def written_out(bound: Bound, *, form: str = "", sign: int = 1) -> list[Step]:
    """True df/dV_l less Sigma_l prod_{j>l} (V_j^T Sigma_j) V_{L+1}^T x_{l-1}^T, or x_L^T; then dJ/df less -y g."""
    f, y = sympy.symbols("f y", real=True)
    loss = sympy.log(1 + sympy.exp(-y * f))
    weight = 1 / (1 + sympy.exp(sign * y * f))
    steps = [
        Step("the derivative of a loss in the output is -y g", is_zero(sympy.diff(loss, f) + y * weight - bound.expr))
    ]
    return steps + [Step(f"width {p}, {depth} layers", _written_out(p, depth, form, bound.expr)) for p, depth in SHAPES]


# Losses below exp of this are scaled up to it, with their gradients: the bounds are proportional to them.
LEAST_LOG = -600.0


class EqualLayers(NamedTuple):
    """A network at which the gradient is taken, as a search draws it.

    The weights are "any", or a "chain" along which no factor is lost: of equal layers but for the first, `tilt`
    times as long, at points labelled `label`.
    """

    weights: str
    member: str
    h: float
    tilt: float
    label: str

    def of(self, rng: Generator, L: int, m: int, n: int, size: float) -> Instance:
        """The network whose weights have the norm `size`, its points and labels."""
        phi = MEMBERS[self.member](self.h)
        if self.weights == "any":
            return drawn_instance(rng, L, m, n, phi, size)
        lengths = np.array([self.tilt, *[1.0] * L])
        return chain_instance(m, n, phi, size * lengths / np.linalg.norm(lengths) * (1.0 + 1e-15), LABELS[self.label])


LAYERS = {
    "weights": choices("any", "chain"),
    "member": MEMBER,
    "h": SMOOTHING,
    "tilt": reals(0.25, 4.0, logarithmic=True),
    "label": choices(*LABELS),
}
EQUAL_LAYERS = {"drawn": (EqualLayers, EqualLayers._fields)}
ADVERSARY = "equal layers of width one along which no factor is lost, points on the wrong side and on the right one"


def _gradient_norm(net: Network, X: Array, y: Array, fwd: Forward, **symbols: Any) -> Measured:
    """||grad J|| less what rounding explains, with ||V||, J and g; the last two scaled up with it where tiny."""
    margins = fwd.margins(y)
    log_loss, log_weight = log_mean_loss(margins), log_mean(logistic_terms(margins).log_weight)
    raised = min(0.0, log_loss - LEAST_LOG)
    # Passes lose some roundings per entry of a layer, the weight of a sample what its output is off by.
    lost = rounding(1.0, 64.0 * sum(V.size for V in net.weights)) + float(rounding_errors(net, fwd)[-1].max())
    # Where the output is not known to within one half nothing is, and NaN meets no bound.
    share = 1.0 - lost if lost < 0.5 else math.nan
    norm = math.exp(float(log_gradient_norms(net, fwd, y)[-1]) - raised)
    measured = {"normV": net.norm, "J": math.exp(log_loss - raised), "g": math.exp(log_weight - raised)}
    return Measured(norm * share, error=0.0, symbols=measured | symbols)


def _norm_of(instance: Instance) -> Measured:
    net, X, y = instance
    squares = Products(operator_norms(net.weights)).squares
    return _gradient_norm(net, X, y, forward(net, X), squares=squares)


@claim(
    "chatterji2021:lemma-4.3",
    bound=sheet.lemma_4_3.reads("sqrt((L + 1)*m)*normV**(L + 1)*Min(J, 1)"),
    premises="weights large enough: normV >= sqrt(L + 1/2)",
    measured=["normV", "J"],
    regime=Regime(
        cells=[*grid(L=1, m=[1, 3], n=[1, 3]), *grid(L=[2, 3, 6], m=2, n=2)],
        thorough=grid(L=[1, 4], m=[2, 5], n=[1, 4]),
        draw={**LAYERS, "size": reals(0.0, 1.0)},
        pinned=[
            {**EqualLayers("chain", "identity", h=1.0, tilt=1.0, label=label)._asdict(), "size": 0.0}
            for label in LABELS
        ],
        built=EQUAL_LAYERS,
    ),
    evidence=Search(examples=12, adversary=f"{ADVERSARY}; norms from the smallest on"),
    controls=[
        control("power L - 1 of the norm", bound="sqrt((L+1)*m)*normV**(L-1)*Min(J,1)"),
        control("square of a small loss", bound="sqrt((L+1)*m)*normV**(L+1)*Min(J**2,1)"),
        control("an eighth", bound="sqrt((L+1)*m)*normV**(L+1)*Min(J,1)/8", cells=grid(L=1, m=1, n=1)),
        control("inputs of norm 4", times=4.0, cells=grid(L=1, m=1, n=1)),
        control("norms a thousandth of it", shorter=1e-3, cells=grid(L=1, m=1, n=1), without="normV >= sqrt(L + 1/2)"),
    ],
    blind={
        "m": "no root of the width is needed: lemma-4.3-sharp is without it",
        **dict.fromkeys(("term 1", "term L"), "loose by ||V|| (L + 1)^(L/2): lemma-4.3-sharp sees the depth"),
    },
    note="loose by ||V|| (L+1)^(L/2) and by the root of the width at least, which the proof loses; the forms without "
    "them are attained",
)
def gradient_norm(
    rng: Generator, L: int, m: int, n: int, drawn: EqualLayers, size: float, *, times: float = 1.0, shorter: float = 1.0
) -> Measured:
    """The norm ||grad J|| for weights from the least norm of the lemma to the largest with a well-known output.

    `size` is the share of the way, in proportion; the least norm may be taken `shorter`.
    """
    least = shorter * least_norm(L)
    found = drawn.of(rng, L, m, n, least * (norm_of_largest_output(L) / least) ** size)
    return _norm_of(found._replace(X=times * found.X))


# The norm of each of the L + 1 equal layers for an output of that size.
OUTPUT = reals(1e-3, 1e4, logarithmic=True)


@claim(
    "chatterji2021:lemma-4.3-sharp",
    title="gradient of the loss at most the power L of the norm times the loss, at any width and norm",
    bound=sheet.lemma_4_3_sharp.reads("sqrt(L + 1)*(normV**2/(L + 1))**(L/2)*Min(J, 1)"),
    premises="none needed: true for all weights at any width; points have norm one as drawn",
    measured=["normV", "J"],
    regime=Regime(
        cells=[*grid(L=[1, 2, 3, 6], m=1, n=1), *grid(L=[1, 3], m=4, n=3)],
        thorough=grid(L=[1, 4], m=[2, 6], n=[1, 4]),
        draw={**LAYERS, "output": OUTPUT},
        pinned=[
            {**EqualLayers("chain", name, h=1e-6, tilt=1.0, label="positive")._asdict(), "output": output}
            for name, output in (("identity", 20.0), ("huberised_relu", 1e4), ("saturating", 700.0))
        ],
        built=EQUAL_LAYERS,
    ),
    evidence=Search(examples=15, adversary=f"{ADVERSARY}; losses down to exp(-10^4)"),
    controls=[
        control("one part in a thousand less", bound="999*sqrt(L+1)*(normV**2/(L+1))**(L/2)*Min(J,1)/1000"),
        control("power L - 1 of the norm", bound="sqrt(L+1)*(normV**2/(L+1))**((L-1)/2)*Min(J,1)"),
        control("gradient of the longest layer counted alone", bound="(normV**2/(L+1))**(L/2)*Min(J,1)"),
        control("inputs of norm 1.01", times=1.01),
    ],
    note="equality in the limit of small losses, for equal scalar layers where the slope is one",
)
def gradient_norm_without_width(
    rng: Generator, L: int, m: int, n: int, drawn: EqualLayers, output: float, *, times: float = 1.0
) -> Measured:
    """The norm ||grad J|| at weights of any norm; a network of equal layers puts out `output`."""
    size = math.sqrt(L + 1.0) * output ** (1.0 / (L + 1.0))
    found = drawn.of(rng, L, m, n, size)
    return _norm_of(found._replace(X=times * found.X))


@claim(
    "chatterji2021:lemma-4.3-products",
    title="gradient of the loss by the operator norms of the other layers",
    bound="g*sqrt(squares)",
    premises="none needed: true for all weights; points have norm one and slopes are at most one",
    measured=["g", "squares"],
    regime=Regime(
        cells=[*grid(L=[1, 2, 3, 6], m=1, n=1), *grid(L=[1, 3], m=4, n=3)],
        thorough=grid(L=[1, 4], m=[2, 6], n=[1, 4]),
        draw={**LAYERS, "output": OUTPUT},
        pinned=[
            {**EqualLayers("chain", name, h=1e-6, tilt=tilt, label=label)._asdict(), "output": 9.0}
            for name, tilt, label in (
                ("identity", 4.0, "negative"),
                ("huberised_relu", 1.0, "positive"),
                ("saturating", 0.25, "positive"),
            )
        ],
        built=EQUAL_LAYERS,
    ),
    evidence=Search(examples=15, adversary=ADVERSARY),
    controls=[
        control("one part in a thousand less", bound="999*g*sqrt(squares)/1000"),
        control("largest layer gradient alone", bound="g*sqrt(squares/(L+1))"),
        control("weight g (1 - g)", bound="g*(1-g)*sqrt(squares)"),
        control("slopes up to 1.01", steep=1.01),
    ],
    note="equality for all scalar chains whose slopes are one and whose samples are alike, at any loss",
)
def gradient_norm_by_products(
    rng: Generator, L: int, m: int, n: int, drawn: EqualLayers, output: float, *, steep: float = 1.0
) -> Measured:
    """The norm ||grad J||; g is the mean weight of the samples, squares sums prod_{j != l} ||V_j||_op^2 over l."""
    size = math.sqrt(L + 1.0) * output ** (1.0 / (L + 1.0))
    found = drawn.of(rng, L, m, n, size)
    measured = _norm_of(found)
    if steep == 1.0:
        return measured
    # A slope of `steep` in the first layer is as good as its weights times that, but for their own gradient.
    layers = (steep * found.net.weights[0], *found.net.weights[1:])
    other = _norm_of(found._replace(net=found.net.with_weights(layers)))
    return Measured(other.value, error=0.0, symbols={**other.symbols, "squares": measured.symbols["squares"]})
