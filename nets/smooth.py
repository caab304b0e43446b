"""Networks with smooth activations, all layers trained on the logistic loss: passes, gradients, Hessian products.

Main definitions: `SmoothNetwork` and `gaussian_smooth_network`; `smooth_forward` and `smooth_backward`;
`smooth_gradient`, `log_gradient_norms`, `smooth_gradient_step`; `hessian_vector`, `hessian_operator` and
`local_lipschitz`.

The network is f(x) = phi(... phi(x V_1) ... V_L) V_{L+1} (chatterji2021, Section 2.2), each V_l of shape
(p_{l-1}, p_l) and thus the transpose of the paper's. With u_l = x_{l-1} V_l, x_l = phi(u_l), b_{L+1} = 1,
q_l = b_{l+1} V_{l+1}^T and b_l = phi'(u_l) q_l, the gradient of f in V_l is x_{l-1}^T b_l, and that of J is
sum_s c_s x_{l-1,s}^T b_{l,s} with c_s = -y_s g_s/n (equations (2a), (2b)).

Hessian products. Let R be the derivative along D = (D_1, ..., D_{L+1}), as B. A. Pearlmutter has it in "Fast exact
multiplication by the Hessian", Neural Computation 6 (1994), 147-160. The rules of differentiation give

    R x_0 = 0,      R u_l = (R x_{l-1}) V_l + x_{l-1} D_l,         R x_l = phi'(u_l) R u_l,      R f = R u_{L+1},
    R b_{L+1} = 0,  R q_l = (R b_{l+1}) V_{l+1}^T + b_{l+1} D_{l+1}^T,
                    R b_l = phi'(u_l) R q_l + phi''(u_l) R u_l q_l,
    R c = g (1 - g) R f/n,
    R (grad_l J) = sum_s x_{l-1}^T ((R c) b_l + c R b_l) + (R x_{l-1})^T c b_l.

At a kink of phi (a jump of phi'') the same lines hold for the one-sided derivative along D, with phi'' from the side
to which R u_l points; where R u_l = 0 either will do, as it is multiplied by zero.

J below 1e-308: gradients and Hessian products are those of exp(-log_scale) J, where `log_scale` is the caller's.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator

from nets.arrays import Array, matrix, vector
from nets.lanczos import NORM_FAILURE, ROUNDING, operator_norm_interval
from nets.log_loss import log_mean, logistic_terms
from nets.losses import check_labels
from nets.lowrank import LowRank, outer, triangle
from nets.network import STORED_ENTRIES, Layer, Network, require_layers
from nets.revealed import RevealedGaussian
from nets.smooth_activations import Activation

EPS = float(np.finfo(np.float64).eps)

# Weights g_s above this have all their digits; exp(log g_s) would have some less.
NORMAL_WEIGHT = 1e-290

# --- the network ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SmoothNetwork:
    """The weights of a network all L + 1 layers of which are trained; a constant, as are its arrays.

    Attributes
    ----------
    weights : V_1, ..., V_L of shapes (p_{l-1}, p_l), float64 and C-contiguous arrays or `RevealedGaussian`, and
        V_{L+1}, an array (p_L, 1)

    Raises ValueError where shapes do not fit together or an array is of another kind.
    """

    weights: tuple[Layer, ...]

    def __post_init__(self) -> None:
        if len(self.weights) < 2:
            raise ValueError(
                f"the network has {len(self.weights)} layers: pass L >= 1 hidden ones and the output layer"
            )
        last = self.weights[-1]
        if not isinstance(last, np.ndarray) or last.ndim != 2 or last.shape[1] != 1:
            raise ValueError(f"the output layer has shape {np.shape(last)}: pass an array (p_L, 1)")
        # All else is what a network with a fixed output vector v is asked.
        Network(self.weights[:-1], last[:, 0])

    @property
    def depth(self) -> int:
        """L, the number of hidden layers."""
        return len(self.weights) - 1

    @property
    def widths(self) -> tuple[int, ...]:
        """(p_0, p_1, ..., p_L), p_0 the dimension of the inputs."""
        return tuple(V.shape[0] for V in self.weights)

    @property
    def layer_norms(self) -> Array:
        """Frobenius norms of V_1, ..., V_{L+1}: (L + 1,). Needs stored layers."""
        return frobenius_norms(_stored(self))

    @property
    def norm(self) -> float:
        """||V||, the root of the sum of the squared Frobenius norms. Needs stored layers."""
        return float(frobenius_norms([self.layer_norms])[0])


def frobenius_norms(matrices: Sequence[Array | LowRank]) -> Array:
    """Frobenius norms of stored or factored matrices, without overflow or underflow of the squares of stored ones."""
    return np.array([M.norms()[1] if isinstance(M, LowRank) else _frobenius(M) for M in matrices])


def _frobenius(M: Array) -> float:
    largest = float(np.max(np.abs(M), initial=0.0))
    return largest * float(np.linalg.norm(M / largest)) if 0.0 < largest < math.inf else largest


def _stored(net: SmoothNetwork) -> tuple[Array, ...]:
    for layer, V in enumerate(net.weights, start=1):
        if not isinstance(V, np.ndarray):
            raise ValueError(f"V_{layer} is not stored: this needs a network of arrays")
    return net.weights


def gaussian_smooth_network(
    widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0, output_variance: float = 1.0
) -> SmoothNetwork:
    """Network of widths (p_0, ..., p_L), entries of V_l from N(0, gain/p_l), of V_{L+1} from N(0, output_variance).

    The initialisation of chatterji2021, Section 3.2, where all widths are p. Layers of more than `STORED_ENTRIES`
    entries are `RevealedGaussian`. Raises `NotEnoughMemoryError` where they would not fit in memory.
    """
    if len(widths) < 2 or min(widths) < 1:
        raise ValueError(f"widths are {tuple(widths)}: pass (p_0, p_1, ..., p_L), all positive, with L >= 1")
    pairs = list(itertools.pairwise(widths))
    require_layers(pairs)
    layers: list[Layer] = []
    for (inputs, outputs), own in zip(pairs, rng.spawn(len(pairs)), strict=True):
        std = math.sqrt(gain / outputs)
        if inputs * outputs > STORED_ENTRIES:
            layers.append(RevealedGaussian(inputs, outputs, std, own))
        else:
            layers.append(own.normal(0.0, std, (inputs, outputs)))
    return SmoothNetwork((*layers, rng.normal(0.0, math.sqrt(output_variance), (widths[-1], 1))))


# --- passes ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SmoothForward:
    """All layers at all samples; rows are samples.

    Attributes
    ----------
    pre : L arrays (n, p_l); pre[l - 1] holds u_{l,s}
    post : L + 1 arrays (n, p_l); post[l] holds x_{l,s}, post[0] the input
    slopes : L arrays (n, p_l); slopes[l - 1] holds phi'(u_{l,s}), the diagonals of Sigma_{l,s}
    output : (n,), f(x_s)
    activation : phi, which Hessian products ask for its second derivative
    """

    pre: tuple[Array, ...]
    post: tuple[Array, ...]
    slopes: tuple[Array, ...]
    output: Array
    activation: Activation

    def margins(self, y: npt.ArrayLike) -> Array:
        """y_s f(x_s) for labels y (n,) of -1 and +1."""
        return check_labels(y, self.output.size) * self.output


def smooth_forward(net: SmoothNetwork, X: npt.ArrayLike, activation: Activation) -> SmoothForward:
    """Run the samples X (n, p_0), of any norm, through the network. NaN in a sample reaches all its later entries."""
    X = matrix(X, "the sample array X")
    if X.shape[1] != net.widths[0]:
        raise ValueError(f"X has {X.shape[1]} columns: the network takes inputs of dimension {net.widths[0]}")
    pre: list[Array] = []
    post: list[Array] = [X]
    slopes: list[Array] = []
    for V in net.weights[:-1]:
        u = post[-1] @ V
        x, slope = activation.value_and_slope(u)
        pre.append(u)
        post.append(x)
        slopes.append(slope)
    output = np.asarray(post[-1] @ net.weights[-1])[:, 0]
    return SmoothForward(tuple(pre), tuple(post), tuple(slopes), output, activation)


@dataclass(frozen=True, eq=False)
class SmoothBackward:
    """Backward vectors of all layers and samples; rows are samples.

    Attributes
    ----------
    b : L + 1 arrays (n, p_l); b[l - 1] holds the gradient of f(x_s) in u_{l,s}, b[L] ones (n, 1)
    q : L arrays (n, p_l); q[l - 1] holds the gradient of f(x_s) in x_{l,s}
    """

    b: tuple[Array, ...]
    q: tuple[Array, ...]


def smooth_backward(net: SmoothNetwork, fwd: SmoothForward) -> SmoothBackward:
    """Backward vectors of the network at the slopes of `fwd`."""
    b = [np.ones((fwd.output.size, 1))]
    q: list[Array] = []
    for V, slope in zip(reversed(net.weights[1:]), reversed(fwd.slopes), strict=True):
        q.append(np.asarray(b[-1] @ V.T))
        b.append(slope * q[-1])
    return SmoothBackward(tuple(reversed(b)), tuple(reversed(q)))


# --- gradients ------------------------------------------------------------------------------------


def smooth_rank_one_pairs(fwd: SmoothForward, bwd: SmoothBackward) -> tuple[tuple[Array, Array], ...]:
    """Per layer the pair (n, p_{l-1}), (n, p_l) whose rows give grad_{V_l} f(x_s) = left_s right_s^T: L + 1 pairs."""
    return tuple(zip(fwd.post, bwd.b, strict=True))


def smooth_output_gradient(net: SmoothNetwork, fwd: SmoothForward, coefficients: npt.ArrayLike) -> tuple[Any, ...]:
    """Gradients of sum_s coefficients_s f(x_s) in all layers: L + 1 matrices; `LowRank` where a layer is not stored."""
    weighted = np.asarray(coefficients, dtype=np.float64)
    if weighted.shape != fwd.output.shape:
        raise ValueError(f"the coefficients have shape {weighted.shape}: pass {fwd.output.shape}, one per sample")
    pairs = smooth_rank_one_pairs(fwd, smooth_backward(net, fwd))
    return tuple(
        outer(V, left, weighted[:, np.newaxis] * right) for V, (left, right) in zip(net.weights, pairs, strict=True)
    )


class LossWeights(NamedTuple):
    """First and second derivatives (n,) of exp(-log_scale) J in the outputs f(x_s)."""

    first: Array
    second: Array


def loss_weights(fwd: SmoothForward, y: npt.ArrayLike, log_scale: float = 0.0) -> LossWeights:
    """-y_s g_s/n and g_s (1 - g_s)/n, divided by exp(log_scale); infinite where that overflows."""
    labels = check_labels(y, fwd.output.size)
    terms = logistic_terms(labels * fwd.output)
    if log_scale == 0.0:
        weight = terms.weight
    else:
        with np.errstate(over="ignore"):
            weight = np.exp(terms.log_weight - log_scale)
    # 1 - g is exp(-J_s), to all digits.
    return LossWeights(-labels * weight / labels.size, weight * np.exp(-terms.loss) / labels.size)


def largest_log_weight(fwd: SmoothForward, y: npt.ArrayLike) -> float:
    """max_s log g_s: the log_scale with which the largest weight of a sample becomes 1/n."""
    return float(logistic_terms(fwd.margins(y)).log_weight.max())


def smooth_gradient(
    net: SmoothNetwork, fwd: SmoothForward, y: npt.ArrayLike, log_scale: float = 0.0
) -> tuple[Any, ...]:
    """Gradients of exp(-log_scale) J in all layers: L + 1 matrices (p_{l-1}, p_l); labels y (n,).

    With log_scale = 0 it is the gradient of J itself, to the last digits as long as g_s is a normal double.
    """
    return smooth_output_gradient(net, fwd, loss_weights(fwd, y, log_scale).first)


def log_gradient_norms(net: SmoothNetwork, fwd: SmoothForward, y: npt.ArrayLike) -> Array:
    """log ||grad_{V_l} J|| for l = 1..L+1, then log ||grad J||: (L + 2,); -inf where a gradient is zero.

    From the factors, each of them divided by its size: neither tiny weights of samples nor huge or tiny layers round
    to zero. Gradients of samples that cancel lose as many digits as in a sum of numbers.
    """
    labels = check_labels(y, fwd.output.size)
    log_weights = logistic_terms(labels * fwd.output).log_weight
    logs = []
    for left, right in smooth_rank_one_pairs(fwd, smooth_backward(net, fwd)):
        (unit_left, log_left), (unit_right, log_right) = _unit_rows(left), _unit_rows(right)
        sizes = log_weights + log_left + log_right
        largest = float(sizes.max())
        if not math.isfinite(largest):
            logs.append(largest)
            continue
        scaled = (labels * np.exp(sizes - largest) / labels.size)[:, np.newaxis] * unit_right
        norm = _frobenius(triangle(unit_left) @ triangle(scaled).T)
        logs.append(largest + math.log(norm) if norm > 0.0 else -math.inf if norm == 0.0 else norm)
    return np.array([*logs, 0.5 * (log_mean(2.0 * np.array(logs)) + math.log(len(logs)))])


def _unit_rows(rows: Array) -> tuple[Array, Array]:
    """Rows divided by their 2-norms, and the logarithms of these, (n,): -inf for a zero row."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    units = rows / np.where(largest == 0.0, 1.0, largest)
    norms = np.linalg.norm(units, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(largest) + np.log(norms)
    return units / np.where(norms == 0.0, 1.0, norms), logs[:, 0]


def smooth_gradient_step(
    net: SmoothNetwork, X: npt.ArrayLike, y: npt.ArrayLike, activation: Activation, step_size: float
) -> SmoothNetwork:
    """The network after one step V - step_size grad J(V), all layers at once.

    In plain float64: an update below the last bit of a weight changes nothing.
    """
    if not 0.0 < step_size < math.inf:
        raise ValueError(f"step_size={step_size}: choose a positive, finite step")
    fwd = smooth_forward(net, X, activation)
    scale = largest_log_weight(fwd, y)
    if math.exp(scale) >= NORMAL_WEIGHT or scale == -math.inf:
        scale, factor = 0.0, step_size
    else:
        factor = math.exp(math.log(step_size) + scale)
    gradients = smooth_gradient(net, fwd, y, scale)
    return SmoothNetwork(tuple(V - factor * G for V, G in zip(net.weights, gradients, strict=True)))


# --- Hessian products -----------------------------------------------------------------------------


def flatten(matrices: Sequence[Array]) -> Array:
    """The entries of all layers in one vector, layer after layer, row after row."""
    return np.concatenate([np.ravel(M) for M in matrices])


def unflatten(net: SmoothNetwork, entries: npt.ArrayLike) -> tuple[Array, ...]:
    """A vector of as many entries as the network has weights, as L + 1 matrices of the shapes of its layers."""
    values = vector(entries, "the direction")
    sizes = [V.shape[0] * V.shape[1] for V in net.weights]
    if values.size != sum(sizes):
        raise ValueError(f"the direction has {values.size} entries for {sum(sizes)} weights: pass one per weight")
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(V.shape) for part, V in zip(parts, net.weights, strict=True))


def hessian_vector(
    net: SmoothNetwork,
    fwd: SmoothForward,
    y: npt.ArrayLike,
    direction: Sequence[Array | LowRank],
    side: float | None = None,
    log_scale: float = 0.0,
) -> tuple[Any, ...]:
    """Derivative of the gradients of exp(-log_scale) J along `direction` (L + 1 matrices): L + 1 matrices.

    Exact up to rounding, from the formulas at the head of this file. At kinks `side` decides: None for the one-sided
    derivative lim (grad J(V + tD) - grad J(V))/t, t > 0, which is positively homogeneous in D but not linear; -1 or
    +1 for phi'' from the left or from the right everywhere, which is linear and symmetric. Without a pre-activation
    at a kink all three agree. Raises ValueError for an activation without second derivative.
    """
    if len(direction) != len(net.weights) or any(
        D.shape != V.shape for D, V in zip(direction, net.weights, strict=True)
    ):
        shapes = [D.shape for D in direction]
        raise ValueError(f"the direction has shapes {shapes}: pass one matrix of the shape of each layer")
    bwd, weights = smooth_backward(net, fwd), loss_weights(fwd, y, log_scale)
    return _products(net, fwd, bwd, weights, direction, None if side is None else _curvatures(fwd, side))


def _curvatures(fwd: SmoothForward, side: float) -> tuple[Array, ...]:
    return tuple(fwd.activation.curvature(u, side) for u in fwd.pre)


def _products(
    net: SmoothNetwork,
    fwd: SmoothForward,
    bwd: SmoothBackward,
    weights: LossWeights,
    direction: Sequence[Array | LowRank],
    curvatures: Sequence[Array] | None,
) -> tuple[Any, ...]:
    """R of the gradients of J, with phi'' as given, or from the side to which R u points where it is not."""
    depth = net.depth
    R_pre: list[Array] = [fwd.post[0] @ direction[0]]
    R_post: list[Array] = []
    for layer in range(1, depth + 1):
        R_post.append(fwd.slopes[layer - 1] * R_pre[-1])
        R_pre.append(R_post[-1] @ net.weights[layer] + fwd.post[layer] @ direction[layer])
    R_first = weights.second * R_pre[-1][:, 0]
    c, R_c = weights.first[:, np.newaxis], R_first[:, np.newaxis]
    R_b: list[Array] = [np.zeros_like(bwd.b[-1])]
    for layer in range(depth, 0, -1):
        R_q = R_b[-1] @ net.weights[layer].T + bwd.b[layer] @ direction[layer].T
        R_u = R_pre[layer - 1]
        phi_2 = fwd.activation.curvature(fwd.pre[layer - 1], R_u) if curvatures is None else curvatures[layer - 1]
        R_b.append(fwd.slopes[layer - 1] * R_q + phi_2 * R_u * bwd.q[layer - 1])
    R_b.reverse()
    found = [outer(net.weights[0], fwd.post[0], R_c * bwd.b[0] + c * R_b[0])]
    for layer in range(1, depth + 1):
        left = np.vstack([fwd.post[layer], R_post[layer - 1]])
        right = np.vstack([R_c * bwd.b[layer] + c * R_b[layer], c * bwd.b[layer]])
        found.append(outer(net.weights[layer], left, right))
    return tuple(found)


def hessian_operator(
    net: SmoothNetwork, fwd: SmoothForward, y: npt.ArrayLike, side: float = 1.0, log_scale: float = 0.0
) -> LinearOperator:
    """The Hessian of exp(-log_scale) J in all weights, entries in the order of `flatten`; symmetric.

    `side` as in `hessian_vector`, -1 or +1. Needs stored layers.
    """
    weights = loss_weights(fwd, y, log_scale)
    return _operator(net, fwd, smooth_backward(net, fwd), weights, _curvatures(fwd, side))


def _operator(
    net: SmoothNetwork, fwd: SmoothForward, bwd: SmoothBackward, weights: LossWeights, curvatures: tuple[Array, ...]
) -> LinearOperator:
    size = sum(V.size for V in _stored(net))

    def multiply(x: Array) -> Array:
        return flatten(_products(net, fwd, bwd, weights, unflatten(net, np.ravel(x)), curvatures))

    return LinearOperator((size, size), matvec=multiply, rmatvec=multiply, dtype=np.float64)


# --- local Lipschitz constant of the gradient -----------------------------------------------------


class LipschitzInterval(NamedTuple):
    """Bounds on the local Lipschitz constant of grad J.

    Attributes
    ----------
    log_low, log_high : logarithms of the ends; -inf for 0, NaN for NaN
    kinks : pre-activations that may lie at a kink and matter there
    rounding : relative amount by which the ends were moved outwards
    products : Hessian-vector products taken
    """

    log_low: float
    log_high: float
    kinks: int
    rounding: float
    products: int

    @property
    def low(self) -> float:
        """The lower end; 0 or infinite where it is no double."""
        return _exp(self.log_low)

    @property
    def high(self) -> float:
        """The upper end; 0 or infinite where it is no double."""
        return _exp(self.log_high)


def local_lipschitz(
    net: SmoothNetwork,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    activation: Activation,
    rng: np.random.Generator,
    steps: int = 24,
    failure: float = NORM_FAILURE,
    exact: bool = False,
) -> LipschitzInterval:
    """Interval for limsup_{W -> V} ||grad J(V) - grad J(W)||/||V - W|| (chatterji2021, Section 2.1).

    Where no pre-activation may lie at a kink, that is the operator norm of the Hessian, and the interval is that of
    `operator_norm_interval`: the lower end always holds, the upper end with probability at least 1 - failure.

    At kinks let H_t be the Hessian with t_k phi''_- + (1 - t_k) phi''_+ at kink k, 0 <= t_k <= 1. phi'' enters the
    quadratic form <D, H_t D> through c q phi'' (R u)^2 alone, so H_- <= H_t <= H_+, where H_+ has at each kink
    the side with the larger c q phi'' and H_- the other. Hence for all t, and for the one-sided derivatives,

        max(lambda_max(H_-), -lambda_min(H_+)) <= Lip <= max(||H_+||, ||H_-||).

    Both ends are taken from Krylov spaces. A pre-activation may lie at a kink if it is no further from it than its
    rounding error can be, by a running error analysis; with `exact` computed pre-activations are taken for the true
    ones, and derivatives along the Ritz vectors and their opposites raise the lower end.

    Both ends are moved outwards by `rounding`, relative to them: that of `operator_norm_interval`, the relative error
    of g_s that the error of f(x_s) causes, and to first order that of phi' and phi'', 2L times the largest error of a
    pre-activation where phi is curved over h. What terms of the Hessian that cancel lose by rounding is not counted.
    Needs stored layers.
    """
    fwd = smooth_forward(net, X, activation)
    bwd = smooth_backward(net, fwd)
    *errors, output_error = rounding_errors(net, fwd)
    radii = [0.0 * error for error in errors] if exact else errors
    ranges = [activation.curvature_range(u, radius) for u, radius in zip(fwd.pre, radii, strict=True)]
    bent = [
        float(np.max(np.where((low == 0.0) & (high == 0.0), 0.0, radius), initial=0.0))
        for (low, high), radius in zip(ranges, radii, strict=True)
    ]
    # Beyond 700 the interval is [0, inf] anyway.
    rounding = ROUNDING + math.expm1(min(float(output_error.max()), 700.0)) + 2.0 * net.depth * max(bent) / activation.h
    log_weights = logistic_terms(fwd.margins(y)).log_weight
    found = LipschitzInterval(-math.inf, -math.inf, 0, rounding, 0)
    products = 0
    # The samples of largest weight may have no Hessian at all; the next ones must not vanish beside them.
    for scale in np.unique(log_weights)[::-1]:
        if scale == -math.inf:
            break
        kept = log_weights <= scale
        weights = LossWeights(*(np.where(kept, w, 0.0) for w in loss_weights(fwd, y, float(scale))))
        low, high, kinks, taken = _hessian_norm(net, fwd, bwd, weights, ranges, rng, steps, failure, exact)
        products += taken
        if high != 0.0:
            ends = _log(low * max(0.0, 1.0 - rounding)) + scale, _log(high * (1.0 + rounding)) + scale
            return LipschitzInterval(float(ends[0]), float(ends[1]), kinks, rounding, products)
    return found._replace(products=products)


def rounding_errors(net: SmoothNetwork, fwd: SmoothForward) -> tuple[Array, ...]:
    """Bounds on the rounding errors of the pre-activations, L arrays (n, p_l), and of the output, (n,).

    A product of k terms errs by k eps sum |x||V| at most; phi has slopes of at most 1 (or what is met, if larger) and
    is computed to 4 eps |u|. Needs stored layers.
    """
    errors: list[Array] = []
    arriving = np.zeros_like(fwd.post[0])
    for layer, V in enumerate(_stored(net)):
        sizes = np.abs(V)
        error = (arriving + (V.shape[0] + 2) * EPS * np.abs(fwd.post[layer])) @ sizes
        errors.append(error)
        if layer < net.depth:
            steepest = np.maximum(1.0, np.abs(fwd.slopes[layer]))
            arriving = steepest * error + 4.0 * EPS * np.abs(fwd.pre[layer])
    return (*errors[:-1], errors[-1][:, 0])


def _exp(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(x))


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else x


def _hessian_norm(
    net: SmoothNetwork,
    fwd: SmoothForward,
    bwd: SmoothBackward,
    weights: LossWeights,
    ranges: Sequence[tuple[Array, Array]],
    rng: np.random.Generator,
    steps: int,
    failure: float,
    exact: bool,
) -> tuple[float, float, int, int]:
    """Ends of the interval before rounding, kinks that matter, and products taken."""
    upper, lower, kinks = [], [], 0
    for (least, largest), q in zip(ranges, bwd.q, strict=True):
        rising = weights.first[:, np.newaxis] * q > 0.0
        upper.append(np.where(rising, largest, least))
        lower.append(np.where(rising, least, largest))
        kinks += int(np.count_nonzero((largest > least) & (weights.first[:, np.newaxis] * q != 0.0)))
    operators = [_operator(net, fwd, bwd, weights, tuple(sides)) for sides in ((upper, lower) if kinks else (upper,))]
    # Two ends are taken of two operators, each with half of the probability.
    intervals = [operator_norm_interval(A, rng, steps, failure / len(operators)) for A in operators]
    products = sum(interval.products for interval in intervals)
    high = float(np.max([interval.high for interval in intervals]))
    if not kinks or not math.isfinite(high):
        return float(np.min([interval.low for interval in intervals])), high, kinks, products
    low, candidates = 0.0, []
    for sign, A in zip((-1.0, 1.0), operators, strict=True):
        values, vectors = _ritz(A, rng, steps)
        low = max(low, float((sign * values).max()))
        candidates += [vectors[0], -vectors[0], vectors[-1], -vectors[-1]]
        products += len(values)
    for direction in candidates if exact else ():
        slopes = _products(net, fwd, bwd, weights, unflatten(net, direction), None)
        low = max(low, float(frobenius_norms([flatten(slopes)])[0] / frobenius_norms([direction])[0]))
        products += 1
    # Unlike those of a norm, errors of a signed eigenvalue are relative to the largest one.
    return max(0.0, low - ROUNDING * high), high, kinks, products


def _ritz(A: LinearOperator, rng: np.random.Generator, steps: int) -> tuple[Array, Array]:
    """Ritz values, rising, and vectors (rows) of a symmetric operator on a Krylov space from a random start."""
    basis: list[Array] = []
    images: list[Array] = []
    x = rng.standard_normal(A.shape[0])
    size = largest = float(np.linalg.norm(x))
    while len(basis) < min(steps, A.shape[0]) and size > ROUNDING * largest:
        basis.append(x / size)
        images.append(A.matvec(basis[-1]))
        x = images[-1].copy()
        largest = float(np.linalg.norm(x)) if len(images) == 1 else max(largest, float(np.linalg.norm(x)))
        # Twice, because the first round may leave rounding errors as large as what is left.
        for _ in range(2):
            for q in basis:
                x -= (q @ x) * q
        size = float(np.linalg.norm(x))
    Q = np.array(basis)
    T = Q @ np.array(images).T
    values, combinations = np.linalg.eigh(0.5 * (T + T.T))
    return values, combinations.T @ Q
