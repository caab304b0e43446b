"""Hessian products of a loss of a network, and the local Lipschitz constant of its gradient.

Main definitions: `Hessian`, its products and operator; `local_lipschitz`; `rounding_errors` of a pass.

Hessian products. Let R be the derivative along D, as B. A. Pearlmutter has it in "Fast exact multiplication by the
Hessian", Neural Computation 6 (1994), 147-160. With x_s the states, u_s = x_{s-1} W + input_s A
the pre-activations (a bias is an A with a constant input), c the derivatives of the loss J in the outputs, q_s and b_s
those of the sum of the outputs with these coefficients in x_s and u_s, the rules of differentiation give

    R u_s = (R x_{s-1}) W + x_{s-1} D_W + input_s D_A,      R x_s = carry R x_{s-1} + scale phi'(u_s) R u_s,
    R q_{s-1} = carry R q_s + (R b_s) W^T + b_s D_W^T,      R b_s = scale (phi'(u_s) R q_s + phi''(u_s) R u_s q_s),
    R x_0 = 0,      R (grad J in W) = sum_s x_{s-1}^T R b_s + (R x_{s-1})^T b_s,

over the steps that use W, and alike for A. The read-out V adds (R c) V^T + c D_V^T to R q of the states it is applied
to, where R c is the second derivative of J times R f; trained, it has the gradients x^T R c + (R x)^T c. A frozen
matrix has D = 0. A network with one output has b_s = c b'_s with b' that of the output alone, and then R b_s is
(R c) b'_s + c R b'_s.

At a kink of phi (a jump of phi'') the same lines hold for the one-sided derivative along D, with phi'' from the side
to which R u points; where R u = 0 either will do, as it is multiplied by zero. Of ReLU, whose phi' jumps, phi'' is
taken to be 0: the Hessian of the piece in which the network lies.

J below 1e-308: all is of exp(-log_scale) J, where `log_scale` is the caller's.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator

from nets.core.arrays import Array, vector
from nets.linear_algebra.lanczos import NORM_FAILURE, ROUNDING, krylov, operator_norm_interval
from nets.linear_algebra.lowrank import LowRank, frobenius_norms, outer
from nets.linear_algebra.products import times, times_transposed
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.log_loss import logistic_terms
from nets.networks.logistic_gradients import loss_weights
from nets.networks.losses import OutputLoss
from nets.networks.network import Network

EPS = float(np.finfo(np.float64).eps)

# --- Hessian products -----------------------------------------------------------------------------


def flatten(matrices: Sequence[Array]) -> Array:
    """The entries of all layers in one vector, layer after layer, row after row."""
    return np.concatenate(matrices, axis=None)


def unflatten(net: Network, entries: npt.ArrayLike) -> tuple[Array, ...]:
    """A vector of as many entries as the network has weights, as matrices of the shapes of these."""
    values = vector(entries, "the direction")
    ends = [0, *itertools.accumulate(V.shape[0] * V.shape[1] for V in net.weights)]
    if values.size != ends[-1]:
        raise ValueError(f"the direction has {values.size} entries for {ends[-1]} weights: pass one per weight")
    parts = zip(itertools.pairwise(ends), net.weights, strict=True)
    return tuple([values[begin:end].reshape(V.shape) for (begin, end), V in parts])


class Hessian:
    """The second derivative of exp(-log_scale) J at the weights of a network, `fwd` its pass of the samples.

    J is the mean logistic loss of a network with one output and labels y (n,), of the samples that `kept` (n,) marks,
    of all if it is None; or that of `loss` and its targets y. Raises ValueError for a loss without second derivative.

    `change` is what the derivatives of J in the outputs change by with these, of their shape.

    Of a network with one output `c`, (n, 1), is kept apart from the derivatives of that output; else it is None, and
    the derivatives are those of J: `bwd`, and `above` in the states 1..L, of arrays (n, m_l) or (1, m_L). `read` is
    what they start from, that of the output in itself or c. `times` are those of the states that are read.

    `uses` are those of `Network`, of x and of the derivatives of J in the pre-activations and then in the outputs, time
    after time; `b` are these without the first, which meets no state that moves.
    """

    def __init__(
        self,
        net: Network,
        fwd: Forward,
        y: npt.ArrayLike,
        log_scale: float = 0.0,
        loss: OutputLoss | None = None,
        kept: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self.net, self.fwd, self.x = net, fwd, fwd.post + fwd.inputs
        self.change: Callable[[Array], Array]
        if loss is None:
            weights = loss_weights(fwd, y, log_scale)
            first, second = weights if kept is None else (np.where(kept, w, 0.0) for w in weights)
            self.change = lambda R_f: second * R_f
        else:
            factor = math.exp(-log_scale) / len(fwd.output)
            first = factor * loss.at_outputs(fwd.output, y)[1]
            self.change = lambda R_f: factor * loss.change(fwd.output, y, R_f)
        self.c = first[:, np.newaxis] if net.scalar else None
        self.bwd = backward(net, fwd, coefficients=None if net.scalar else first)
        self.v = net.v.reshape(len(net.v), -1)
        first = first.reshape(len(fwd.output), -1, self.v.shape[1])
        self.read = np.ones(first.shape) if net.scalar else first
        top = () if net.readout is None else (self.v.T if net.scalar else first[:, -1] @ self.v.T,)
        self.above = (*self.bwd.later_q, *top)
        states = range(1, net.depth + 1) if net.every_step else (net.depth,)
        self.times = {state: time for time, state in enumerate(states)}
        self.uses = [list(used) for used in net.uses]
        if net.readout is None:
            self.uses[-1][-1:] = [(state, net.depth + time) for state, time in self.times.items()]
        inner = self.bwd.b[1 : net.depth]
        self.b = [*(inner if self.c is None else [self.c * b for b in inner]), *first.swapaxes(0, 1)]

    def signs(self) -> list[Array]:
        """By what phi'' enters the quadratic form, for each step: c scale q, (n, m_l)."""
        found = []
        for step, q in zip(self.net.steps, self.above, strict=True):
            q = q if self.c is None else self.c * q
            found.append(q if step.scale == 1.0 else step.scale * q)
        return found

    def curvatures(self, side: float) -> tuple[Array, ...]:
        """phi'' of each step from the left or from the right, -1 or +1: arrays (n, m_l)."""
        return tuple(step.activation.curvature(u, side) for step, u in zip(self.net.steps, self.fwd.pre, strict=True))

    def operator(self, side: float | Sequence[Array] = 1.0) -> LinearOperator:
        """The symmetric matrix, entries in the order of `flatten`, `side` as in `product`. Needs stored layers."""
        size = sum(V.size for V in self.net.stored_weights())
        curvatures = self.curvatures(side) if isinstance(side, int | float) else side

        def multiply(x: Array) -> Array:
            return flatten(self.product(unflatten(self.net, np.ravel(x)), curvatures))

        return LinearOperator((size, size), matvec=multiply, rmatvec=multiply, dtype=np.float64)

    def product(
        self, direction: Sequence[Array | LowRank], side: float | Sequence[Array] | None = None
    ) -> tuple[Any, ...]:
        """R of the gradients of J along `direction`: both one matrix for each of the weights.

        Exact up to rounding, from the formulas at the head of this file. At kinks `side` decides: None for the
        one-sided derivative lim (grad J(V + tD) - grad J(V))/t, t > 0, which is positively homogeneous in D but not
        linear; -1 or +1 for phi'' from the left or from the right everywhere, or phi'' of each step, which is linear
        and symmetric. Without a pre-activation at a kink all agree. Raises ValueError for an activation without second
        derivative.
        """
        if [D.shape for D in direction] != [V.shape for V in self.net.weights]:
            shapes = [D.shape for D in direction]
            raise ValueError(f"the direction has shapes {shapes}: pass one matrix of the shape of each layer")
        curvatures = self.curvatures(side) if isinstance(side, int | float) else side
        net, fwd, v = self.net, self.fwd, self.v
        # Frozen parameters stand still; at the end there is what the read-out moves by.
        along: list[Any] = [*direction, *[None] * len(net.frozen), direction[-1] if net.readout is None else None]
        back = [None if D is None else D.T for D in along]
        R_post: list[Any] = [None]
        R_pre, inputs, constants = [], iter(fwd.inputs), iter(fwd.inputs[net.fed :])
        for step, x, mask in zip(net.steps, fwd.post, fwd.masks, strict=False):
            fed = None if step.input is None else _times(next(inputs), along[step.input])
            lifted = None if step.bias is None else _times(next(constants), along[step.bias])
            moved = _times(R_post[-1], net.parameters[step.weight])
            R_u = _sum(moved, _times(x, along[step.weight]), fed, lifted)
            R_pre.append(np.zeros_like(mask) if R_u is None else R_u)
            R_post.append(step.combined(R_post[-1], mask * R_pre[-1]))
        R_f = [_sum(R_post[state] @ v, _times(fwd.post[state], along[-1])) for state in self.times]
        R_c = self.change(R_f[0][:, 0] if net.scalar else np.stack(R_f, axis=1)).reshape(self.read.shape)
        R_b, R_q = [*fwd.pre, *R_c.swapaxes(0, 1)], None
        for number in range(net.depth - 1, -1, -1):
            step, R_u, b = net.steps[number], R_pre[number], self.bwd.b[number]
            if (time := self.times.get(number + 1)) is not None:
                # An output does not move in itself.
                R_read = None if net.scalar else R_c[:, time] @ v.T
                R_q = _sum(R_q, R_read, _times(self.read[:, time], back[-1]))
            phi_2 = step.activation.curvature(fwd.pre[number], R_u) if curvatures is None else curvatures[number]
            own = _sum(None if R_q is None else fwd.masks[number] * R_q, phi_2 * R_u * self.above[number])
            own = own if step.scale == 1.0 else step.scale * own
            R_b[number] = own if self.c is None else R_c[:, 0] * b + self.c * own
            if number:
                carried = step.carry * R_q if step.carry and R_q is not None else None
                R_q = _sum(times_transposed(own, net.parameters[step.weight]), _times(b, back[step.weight]), carried)
        R_post += [None] * len(fwd.inputs)
        found = []
        for V, used in zip(net.weights, self.uses, strict=False):
            pairs = [(self.x[x], R_b[b]) for x, b in used]
            pairs += [(R_post[x], self.b[b - 1]) for x, b in used if R_post[x] is not None]
            found.append(outer(V, *(pairs[0] if len(pairs) == 1 else map(np.concatenate, zip(*pairs, strict=True)))))
        return tuple(found)


def _times(x: Array | None, W: Any) -> Any:
    """x W, None where one of them is None, which stands for zero."""
    return None if x is None or W is None else times(x, W)


def _sum(*terms: Any) -> Any:
    """The sum of the terms that are not None; None where all are."""
    found = None
    for term in terms:
        if term is not None:
            found = term if found is None else found + term
    return found


# --- local Lipschitz constant of the gradient -----------------------------------------------------


class LipschitzInterval(NamedTuple):
    """Bounds on the local Lipschitz constant of grad J.

    Attributes
    ----------
    log_low, log_high : logarithms of the ends; -inf for 0, NaN for NaN
    kinks : pre-activations that may lie at a kink or a bend and matter there
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
    exact: bool = False,
    loss: OutputLoss | None = None,
) -> LipschitzInterval:
    """Interval for limsup_{W -> V} ||grad J(V) - grad J(W)||/||V - W|| (chatterji2021, Section 2.1), `loss` as above.

    Where no pre-activation may lie at a kink, that is the operator norm of the Hessian, and the interval is that of
    `operator_norm_interval`: the lower end always holds, the upper end with probability at least 1 - `NORM_FAILURE`.

    At kinks let H_t be the Hessian with t_k phi''_- + (1 - t_k) phi''_+ at kink k, 0 <= t_k <= 1. phi'' enters the
    quadratic form <D, H_t D> through c scale q phi'' (R u)^2 alone, so H_- <= H_t <= H_+, where H_+ has at each kink
    the side with the larger c scale q phi'' and H_- the other. Hence for all t, and for the one-sided derivatives,

        max(lambda_max(H_-), -lambda_min(H_+)) <= Lip <= max(||H_+||, ||H_-||).

    Both ends are taken from Krylov spaces. A pre-activation may lie at a kink if it is no further from it than its
    rounding error can be, by a running error analysis; with `exact` computed pre-activations are taken for the true
    ones, and derivatives along the Ritz vectors and their opposites raise the lower end. Where phi' itself may jump at
    a pre-activation with c q not 0, as that of ReLU does at 0, the interval is [0, inf].

    Both ends are moved outwards by `rounding`, relative to them: that of `operator_norm_interval`, the relative error
    of c that the error of the outputs causes, and to first order that of phi' and phi'', 2L times the largest error of
    a pre-activation where phi is curved, times its smoothness. What terms of the Hessian that cancel lose by rounding
    is not counted. Needs stored parameters.
    """
    fwd = forward(net, X)
    *errors, output_error = rounding_errors(net, fwd)
    radii = [0.0 * error for error in errors] if exact else errors
    ranges, lost, still = [], 0.0, ~fwd.post[0].any(axis=1)
    for step, u, slope, x, radius in zip(net.steps, fwd.pre, fwd.masks, fwd.post[1:], radii, strict=True):
        least, largest = step.activation.curvature_range(u, radius)
        # Behind a layer that is dead, and stays so, a pre-activation of 0 stays where it is.
        still = still & np.array(step.input is None and step.bias is None)
        fixed = still[:, np.newaxis]
        least, largest = (np.where(fixed & np.isinf(end), 0.0, end) for end in (least, largest))
        ranges.append((least, largest))
        still = still | np.all((u < -radius) & (slope == 0.0) & (x == 0.0), axis=1) & (step.carry == 0.0)
        if step.activation.smoothness:
            bent = float(np.max(np.where((least == 0.0) & (largest == 0.0), 0.0, radius), initial=0.0))
            lost = max(lost, 2.0 * net.depth * bent * step.activation.smoothness)
    scales, kept = np.zeros(1), None
    if loss is None:
        log_weights = logistic_terms(fwd.margins(y)).log_weight
        scales = np.unique(log_weights)[::-1]
        # Beyond 700 the interval is [0, inf] anyway.
        relative = math.expm1(min(float(output_error.max()), 700.0))
    else:
        first, moves = loss.at_outputs(fwd.output, y)[1], np.abs(loss.change(fwd.output, y, output_error))
        unknown = np.where(moves > 0.0, np.inf, 0.0)
        relative = float(np.max(np.divide(moves, np.abs(first), out=unknown, where=first != 0.0)))
    rounding = ROUNDING + relative + lost
    found = LipschitzInterval(-math.inf, -math.inf, 0, rounding, 0)
    products = 0
    # The samples of largest weight may have no Hessian at all; the next ones must not vanish beside them.
    for scale in scales:
        if scale == -math.inf:
            break
        if loss is None:
            kept = log_weights <= scale
        hessian = Hessian(net, fwd, y, float(scale), loss, kept)
        low, high, kinks, taken = _hessian_norm(hessian, ranges, rng, steps, exact)
        products += taken
        if high != 0.0:
            ends = _log(low * max(0.0, 1.0 - rounding)) + scale, _log(high * (1.0 + rounding)) + scale
            return LipschitzInterval(float(ends[0]), float(ends[1]), kinks, rounding, products)
    return found._replace(products=products)


def rounding_errors(net: Network, fwd: Forward) -> tuple[Array, ...]:
    """Bounds on the rounding errors of the pre-activations, L arrays (n, m_l), and of the outputs, of their shape.

    A product of k terms errs by k eps sum |x||V| at most; phi has slopes of at most 1 (or what is met, if larger) and
    is computed to 4 eps (|u| + |phi(0)|). Needs stored parameters.
    """
    errors: list[Array] = []
    stored, given = net.stored_parameters(), iter(fwd.inputs)
    states = [np.zeros(fwd.post[0].shape)]
    for number, step in enumerate(net.steps):
        u, arriving = fwd.pre[number], states[-1]
        error = _product_error(fwd.post[number], arriving, stored[step.weight])
        if step.input is not None:
            error = error + _product_error(next(given), 0.0, stored[step.input]) + EPS * np.abs(u)
        if step.bias is not None:
            error = error + _product_error(np.full((1, 1), step.bias_scale), 0.0, stored[step.bias]) + EPS * np.abs(u)
        errors.append(error)
        steepest = np.maximum(1.0, np.abs(fwd.masks[number]))
        size = np.abs(u) + abs(step.activation.at_zero)
        moved = steepest * error + 4.0 * EPS * size
        if step.scale != 1.0:
            moved = abs(step.scale) * (moved + EPS * steepest * size)
        if step.carry:
            sizes = abs(step.carry) * np.abs(fwd.post[number])
            moved = abs(step.carry) * arriving + moved + EPS * (sizes + np.abs(fwd.post[number + 1]))
        states.append(moved)
    v = net.v.reshape(len(net.v), -1)
    at = range(1, net.depth + 1) if net.every_step else [net.depth]
    last = [_product_error(fwd.post[number], states[number], v) for number in at]
    return (*errors, last[0][:, 0] if net.scalar else np.stack(last, axis=1))


def _product_error(x: Array, error: Array | float, V: Array) -> Array:
    """A bound on the error of x V, where x (n, k) is off by `error`."""
    return np.asarray((error + (V.shape[0] + 2) * EPS * np.abs(x)) @ np.abs(V))


def _exp(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(x))


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else x


def _hessian_norm(
    hessian: Hessian, ranges: Sequence[tuple[Array, Array]], rng: np.random.Generator, steps: int, exact: bool
) -> tuple[float, float, int, int]:
    """Ends of the interval before rounding, kinks that matter, and products taken."""
    upper, lower, kinks, corners = [], [], 0, 0
    for (least, largest), sign in zip(ranges, hessian.signs(), strict=True):
        upper.append(np.where(sign > 0.0, largest, least))
        lower.append(np.where(sign > 0.0, least, largest))
        kinks += int(np.count_nonzero((largest > least) & (sign != 0.0)))
        corners += int(np.count_nonzero((largest - least == np.inf) & (sign != 0.0)))
    if corners:
        return 0.0, math.inf, kinks, 0
    # A jump of phi' that is left counts for nothing.
    upper, lower = ([np.where(np.isinf(side), 0.0, side) for side in sides] for sides in (upper, lower))
    operators = [hessian.operator(sides) for sides in ((upper, lower) if kinks else (upper,))]
    # Two ends are taken of two operators, each with half of the probability.
    intervals = [operator_norm_interval(A, rng, steps, NORM_FAILURE / len(operators)) for A in operators]
    products = sum(interval.products for interval in intervals)
    high = float(np.max([interval.high for interval in intervals]))
    if not kinks or not math.isfinite(high):
        return float(np.min([interval.low for interval in intervals])), high, kinks, products
    low, candidates = 0.0, []
    for turned, A in zip((-1.0, 1.0), operators, strict=True):
        basis, images = krylov(A.matvec, rng.standard_normal(A.shape[0]), min(steps, A.shape[0]))
        T = basis @ images.T
        values, combinations = np.linalg.eigh(0.5 * (T + T.T))
        vectors = combinations.T @ basis
        low = max(low, float((turned * values).max()))
        candidates += [vectors[0], -vectors[0], vectors[-1], -vectors[-1]]
        products += len(values)
    for direction in candidates if exact else ():
        slopes = hessian.product(unflatten(hessian.net, direction), None)
        low = max(low, float(frobenius_norms([flatten(slopes)])[0] / frobenius_norms([direction])[0]))
        products += 1
    # Unlike those of a norm, errors of a signed eigenvalue are relative to the largest one.
    return max(0.0, low - ROUNDING * high), high, kinks, products
