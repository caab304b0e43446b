"""Hessian products of the logistic loss of a network, and the local Lipschitz constant of its gradient.

Main definitions: `hessian_vector` and `hessian_operator`, for every network with one output; `local_lipschitz`, for
networks all layers of which are trained.

Hessian products. Let R be the derivative along D, as B. A. Pearlmutter has it in "Fast exact multiplication by the
Hessian", Neural Computation 6 (1994), 147-160. With x_s the states, u_s = x_{s-1} V_s the pre-activations, q_s and b_s
the derivatives of f in x_s and u_s, c the coefficients -y g/n, the rules of differentiation give

    R x_0 = 0,      R u_s = (R x_{s-1}) V_s + x_{s-1} D_s,      R x_s = carry R x_s-1 + scale phi'(u_s) R u_s,
    R q_{s-1} = carry R q_s + (R b_s) V_s^T + b_s D_s^T,        R b_s = scale (phi'(u_s) R q_s + phi''(u_s) R u_s q_s),
    R c = g (1 - g) R f/n,
    R (grad J) = sum_s x_{s-1}^T ((R c) b_s + c R b_s) + (R x_{s-1})^T c b_s,

where a trained read-out is one more step without phi, with b = 1 and R b = 0, and a frozen matrix has D = 0.

At a kink of phi (a jump of phi'') the same lines hold for the one-sided derivative along D, with phi'' from the side
to which R u points; where R u = 0 either will do, as it is multiplied by zero. Of ReLU, whose phi' jumps, phi'' is
taken to be 0: the Hessian where no pre-activation is 0.

J below 1e-308: Hessian products are those of exp(-log_scale) J, where `log_scale` is the caller's.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator

from nets.arrays import Array, vector
from nets.forward import Forward, forward
from nets.gradients import Backward, backward
from nets.lanczos import NORM_FAILURE, ROUNDING, operator_norm_interval
from nets.log_loss import logistic_terms
from nets.logistic_gradients import LossWeights, loss_weights
from nets.lowrank import LowRank, frobenius_norms, outer
from nets.network import Network, smooth_activation

EPS = float(np.finfo(np.float64).eps)

# --- Hessian products -----------------------------------------------------------------------------


def flatten(matrices: Sequence[Array]) -> Array:
    """The entries of all layers in one vector, layer after layer, row after row."""
    return np.concatenate([np.ravel(M) for M in matrices])


def unflatten(net: Network, entries: npt.ArrayLike) -> tuple[Array, ...]:
    """A vector of as many entries as the network has weights, as L + 1 matrices of the shapes of its layers."""
    values = vector(entries, "the direction")
    sizes = [V.shape[0] * V.shape[1] for V in net.weights]
    if values.size != sum(sizes):
        raise ValueError(f"the direction has {values.size} entries for {sum(sizes)} weights: pass one per weight")
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return tuple(part.reshape(V.shape) for part, V in zip(parts, net.weights, strict=True))


def hessian_vector(
    net: Network,
    fwd: Forward,
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
    bwd, weights = backward(net, fwd), loss_weights(fwd, y, log_scale)
    return _products(net, fwd, bwd, weights, direction, None if side is None else _curvatures(net, fwd, side))


def _curvatures(net: Network, fwd: Forward, side: float) -> tuple[Array, ...]:
    return tuple(step.activation.curvature(u, side) for step, u in zip(net.steps, fwd.pre, strict=True))


def _products(
    net: Network,
    fwd: Forward,
    bwd: Backward,
    weights: LossWeights,
    direction: Sequence[Array | LowRank],
    curvatures: Sequence[Array] | None,
) -> tuple[Any, ...]:
    """R of the gradients of J, with phi'' as given, or from the side to which R u points where it is not."""
    trained = net.readout is None
    along: list[Any] = [*direction, *[None] * len(net.frozen)]
    R_state: list[Any] = [None]
    R_pre: list[Any] = []
    waiting = iter(fwd.inputs)
    for number, step in enumerate(net.steps):
        terms = []
        if (R_x := R_state[-1]) is not None:
            terms.append(R_x @ net.parameters[step.weight])
        if along[step.weight] is not None:
            terms.append(fwd.post[number] @ along[step.weight])
        if step.input is not None:
            given = next(waiting)
            if along[step.input] is not None:
                terms.append(given @ along[step.input])
        R_u = sum(terms[1:], terms[0]) if terms else np.zeros_like(fwd.pre[number])
        R_pre.append(R_u)
        moved = fwd.masks[number] * R_u
        if step.scale != 1.0:
            moved = step.scale * moved
        R_state.append(moved if not step.carry or R_x is None else step.carry * R_x + moved)
    last = R_state[-1] @ net.v
    if trained:
        last = last + fwd.post[-1] @ direction[-1]
    R_first = weights.second * last.reshape(len(last), -1)[:, 0]
    c, R_c = weights.first[:, np.newaxis], R_first[:, np.newaxis]
    uses: list[list[tuple[Array, Array]]] = [[] for _ in net.parameters]

    def use(number: int, x: Array, R_x: Array | None, b: Array, R_b: Array) -> None:
        uses[number].append((x, R_c * b + c * R_b))
        if R_x is not None:
            uses[number].append((R_x, c * b))

    R_q: Array | None = None
    if trained:
        R_read = np.zeros_like(bwd.b[-1])
        use(len(net.weights) - 1, fwd.post[-1], R_state[-1], bwd.b[-1], R_read)
        R_q = R_read @ net.v.T + bwd.b[-1] @ direction[-1].T
    above = (*bwd.later_q, *(() if trained else (net.v.reshape(1, -1),)))
    fed = list(fwd.inputs)
    for number in range(net.depth - 1, -1, -1):
        step, R_u, b = net.steps[number], R_pre[number], bwd.b[number]
        phi_2 = step.activation.curvature(fwd.pre[number], R_u) if curvatures is None else curvatures[number]
        bent = phi_2 * R_u * above[number]
        R_b = bent if R_q is None else fwd.masks[number] * R_q + bent
        if step.scale != 1.0:
            R_b = step.scale * R_b
        use(step.weight, fwd.post[number], R_state[number], b, R_b)
        if step.input is not None:
            use(step.input, fed.pop(), None, b, R_b)
        carried = step.carry * R_q if step.carry and R_q is not None else None
        if number:
            R_q = R_b @ net.parameters[step.weight].T
            if (D := along[step.weight]) is not None:
                R_q = R_q + b @ D.T
            if carried is not None:
                R_q = carried + R_q
    return tuple(
        outer(V, *(used[0] if len(used) == 1 else map(np.vstack, zip(*used, strict=True))))
        for V, used in zip(net.weights, uses, strict=False)
    )


def hessian_operator(
    net: Network, fwd: Forward, y: npt.ArrayLike, side: float = 1.0, log_scale: float = 0.0
) -> LinearOperator:
    """The Hessian of exp(-log_scale) J in all weights, entries in the order of `flatten`; symmetric.

    `side` as in `hessian_vector`, -1 or +1. Needs stored layers.
    """
    weights = loss_weights(fwd, y, log_scale)
    return _operator(net, fwd, backward(net, fwd), weights, _curvatures(net, fwd, side))


def _operator(
    net: Network, fwd: Forward, bwd: Backward, weights: LossWeights, curvatures: tuple[Array, ...]
) -> LinearOperator:
    size = sum(V.size for V in net.stored_weights())

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
    net: Network,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
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
    Needs a network as of `smooth_network`, with stored layers.
    """
    activation = smooth_activation(net)
    fwd = forward(net, X)
    bwd = backward(net, fwd)
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


def rounding_errors(net: Network, fwd: Forward) -> tuple[Array, ...]:
    """Bounds on the rounding errors of the pre-activations, L arrays (n, p_l), and of the output, (n,).

    A product of k terms errs by k eps sum |x||V| at most; phi has slopes of at most 1 (or what is met, if larger) and
    is computed to 4 eps |u|. Needs stored layers.
    """
    errors: list[Array] = []
    arriving = np.zeros_like(fwd.post[0])
    for layer, V in enumerate(net.stored_weights()):
        sizes = np.abs(V)
        error = (arriving + (V.shape[0] + 2) * EPS * np.abs(fwd.post[layer])) @ sizes
        errors.append(error)
        if layer < net.depth:
            steepest = np.maximum(1.0, np.abs(fwd.masks[layer]))
            arriving = steepest * error + 4.0 * EPS * np.abs(fwd.pre[layer])
    return (*errors[:-1], errors[-1][:, 0])


def _exp(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(x))


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else x


def _hessian_norm(
    net: Network,
    fwd: Forward,
    bwd: Backward,
    weights: LossWeights,
    ranges: Sequence[tuple[Array, Array]],
    rng: np.random.Generator,
    steps: int,
    failure: float,
    exact: bool,
) -> tuple[float, float, int, int]:
    """Ends of the interval before rounding, kinks that matter, and products taken."""
    upper, lower, kinks = [], [], 0
    for (least, largest), q in zip(ranges, bwd.later_q, strict=True):
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
