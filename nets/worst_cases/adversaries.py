"""Perturbations, masks and vectors chosen to come as near to a bound as possible.

Perturbations are steps dW to be added to the weights (`nets.networks.network.perturbed`): arrays for stored layers,
`LowRank` for revealed ones. The norm the statements bound is that of W~ - W, with W~ = W + dW rounded; `step_radius`
leaves room for the rounding, so that it is at most tau and not merely nearly so.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, svd
from scipy.sparse import diags_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from nets.core.arrays import Array
from nets.linear_algebra.lanczos import krylov
from nets.linear_algebra.lowrank import outer
from nets.linear_algebra.revealed import NOISE
from nets.networks.activations import RELU, Activation
from nets.networks.forward import Forward, forward
from nets.networks.gradients import backward
from nets.networks.network import Layer, Network, Step, perturbed
from nets.networks.operators import masked_product, masked_product_operator, operator_norm, sparse_supremum

# A stored array for a stored layer, a `LowRank` for a revealed one. Not a union, as `Layer` is none.
WeightStep = Any

_EPS = float(np.finfo(np.float64).eps)


def step_radius(W: Layer, tau: float) -> float:
    """The norm to give a step so that ||fl(W + dW) - W||_2 <= tau also as computed.

    The relative 1e-12 covers the errors of the norms themselves. Rounding W + dW moves each entry of a stored layer
    by eps/2 of its size at most, which is eps ||W||_F in norm; a revealed layer keeps the step as it is.
    """
    spilt = _EPS * float(np.linalg.norm(W)) if isinstance(W, np.ndarray) else 0.0
    return max(0.0, tau * (1.0 - 1e-12) - spilt)


def no_step(W: Layer) -> WeightStep:
    """The step that leaves W as it is."""
    rows, cols = W.shape
    return outer(W, np.zeros((0, rows)), np.zeros((0, cols)))


def _along(W: Layer, u: Array, w: Array, size: float) -> WeightStep:
    """size u w^T/(||u|| ||w||) as a step of W, zero where a vector is."""
    scale = float(np.linalg.norm(u) * np.linalg.norm(w))
    return outer(W, u[np.newaxis], (w * (size / scale))[np.newaxis]) if scale > 0.0 else no_step(W)


def flip_smallest(W: Layer, X: npt.ArrayLike, tau: float, masks: npt.ArrayLike | None = None) -> WeightStep:
    """Step dW (m_{l-1}, m_l), ||dW||_2 <= tau, that flips the most activations of a layer at given points.

    X is one point (m_{l-1},) or n linearly independent points (n, m_{l-1}), the inputs of the layer. A
    neuron counts as flipped when its activation differs from `masks` (of shape (m_l,) or (n, m_l), default:
    the activations under W). At one point dW = x t^T/||x||^2 changes the pre-activation h by t at the cost
    ||t|| <= tau ||x||, so the budget goes to the smallest |h_j| first, which no other step can beat
    (zou2018, Lemma B.3). With several points each neuron is attacked at one of them, so that the rows of
    the change T are orthogonal, and dW = X^+ T spends tau/||X^+|| on each (zou2018, Lemma B.4): weak where points are
    close to each other.
    """
    X = np.atleast_2d(np.asarray(X, dtype=np.float64))
    sizes = np.linalg.svd(X, compute_uv=False)
    if X.shape[0] > X.shape[1] or not sizes[-1] > 1e-10 * sizes[0]:
        raise ValueError(f"the {X.shape[0]} points are zero or linearly dependent: pass independent ones")
    pre = X @ W
    active = pre > 0.0
    wanted_active = ~active if masks is None else ~_activations(masks, pre.shape)
    reach = step_radius(W, tau) * sizes[-1]
    # Beyond zero by a relative 1e-10, by more than X @ (W + dW) can be off by, and by something where both are zero.
    margin = 1e-10 * np.abs(pre) + _rounding(W, X) + 1e-10 * reach / pre.shape[1]
    change = np.where(wanted_active, margin - pre, -margin - pre)
    cost = np.where(wanted_active == active, 0.0, change**2)

    attacked = np.zeros_like(pre)
    best_point = np.argmin(cost, axis=0)
    for i in range(X.shape[0]):
        (own,) = np.nonzero((best_point == i) & (cost[i] > 0.0))
        own = own[np.argsort(cost[i, own])]
        chosen = own[: np.searchsorted(np.cumsum(cost[i, own]), reach**2, side="right")]
        attacked[i, chosen] = change[i, chosen]
    return outer(W, np.linalg.pinv(X).T, attacked)


def _activations(masks: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Masks of ReLU at points as truth values; ValueError for any other numbers."""
    found = np.atleast_2d(masks)
    if found.shape != shape or not np.isin(found, (0, 1)).all():
        raise ValueError(
            f"the masks have shape {found.shape}: pass 0 and 1 alone, of shape {shape}, one per activation"
        )
    return found.astype(bool)


def _check_layers(
    net: Network, kind: str = "layers", activation: Activation | None = None, *, skips: bool = False
) -> None:
    """ValueError unless each layer has a matrix of its own and no input, bias or skip connection, and that activation.

    No activation stands for any; with `skips` connections and scales may be what they are.
    """
    expected = tuple(
        replace(step if skips else Step(k), weight=k, activation=activation or step.activation, input=None, bias=None)
        for k, step in enumerate(net.steps)
    )
    if net.readout is None or net.steps != expected or len(net.steps) != len(net.weights):
        raise ValueError(f"the network is not one of {kind} with a fixed read-out: these attacks know no other")


def _head(net: Network, layers: int) -> Network:
    """The first layers alone, with a read-out of zeros."""
    return Network(net.weights[:layers], np.zeros(net.widths[layers]), net.steps[:layers])


def flip_anywhere(W: Layer, X: npt.ArrayLike, tau: float) -> WeightStep:
    """Step dW, ||dW||_2 <= tau, that flips many neurons at one or more of the points X (n, m_{l-1}), none zero.

    Each neuron is attacked at the point that is nearest to its kink: a change t of that pre-activation moves its
    weights by t x_i/||x_i||^2. With budgets r_i^2, the sums of the squared moves at x_i, ||dW||_2^2 is the top
    eigenvalue of sum_i r_i^2 x_i x_i^T/||x_i||^2; neurons are taken by the size of their move, as long as that
    allows, and a point at which one does not fit any more is closed. So at least as many are flipped as at any one
    point alone, and the points may be close to each other or dependent (zou2018, Lemma B.4).
    """
    X = np.atleast_2d(np.asarray(X, dtype=np.float64))
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    if not np.all(lengths > 0.0):
        raise ValueError(f"{np.count_nonzero(~(lengths > 0.0))} of the {len(X)} points are zero: leave them out")
    pre = X @ W
    radius = step_radius(W, tau)
    margin = 1e-10 * np.abs(pre) + _rounding(W, X) + 1e-10 * radius * lengths / pre.shape[1]
    moves = (np.abs(pre) + margin) / lengths
    point = np.argmin(moves, axis=0)
    cost = moves.min(axis=0) ** 2
    cosines = (X / lengths) @ (X / lengths).T

    def fits(chosen: npt.NDArray[np.intp]) -> bool:
        sizes = np.sqrt(np.bincount(point[chosen], cost[chosen], minlength=len(X)))
        return bool(np.linalg.eigvalsh(sizes[:, np.newaxis] * cosines * sizes)[-1] <= radius**2)

    waiting, taken = np.argsort(cost, kind="stable"), np.array([], dtype=np.intp)
    while waiting.size:
        # As many as fit, by bisection, as the norm grows with each neuron.
        room = range(1, waiting.size + 1)
        count = bisect.bisect_left(room, True, key=lambda k: not fits(np.append(taken, waiting[:k])))
        taken, waiting = np.append(taken, waiting[:count]), waiting[count:]
        waiting = waiting[point[waiting] != point[waiting[:1]]]
    attacked = np.zeros_like(pre)
    attacked[point[taken], taken] = (np.where(pre > 0.0, -1.0, 1.0) * moves * lengths)[point[taken], taken]
    return outer(W, X / lengths**2, attacked)


def _rounding(W: Layer, X: Array) -> Array:
    """More than an entry of X @ (W + dW) can be off by, dW a step of `flip_smallest`: (n, m_l) or (n, 1)."""
    if isinstance(W, np.ndarray):
        # In any order of summation; the step cannot exceed W by much where this matters.
        return np.asarray(4.0 * (X.shape[1] + 2) * _EPS * (np.abs(X) @ np.abs(W)))
    # The answer belongs to a point within NOISE of the one asked, relatively. An entry of the answer to a unit vector
    # passes 8 standard deviations with probability 1e-15, and one of an update never passes its norm.
    largest = 8.0 * W.std + W.update.norms()[0]
    return np.asarray(NOISE * largest * np.linalg.norm(X, axis=1, keepdims=True))


def forward_shift(
    net: Network, x: npt.ArrayLike, tau: float, layer: int | None = None, sweeps: int = 10
) -> tuple[WeightStep, ...]:
    """Steps, ||dW_l||_2 <= tau each, that move the output of `layer` (default L) at x (d,) far away.

    To move in the direction e, the best step of W_l to first order is tau times the rank-one matrix along the layer's
    current input and the backward vector of e. First e is the top left singular vector of the masked product
    downstream of layer 1 (on revealed layers what `worst_direction` finds), with either sign, once at the gates of x
    and once at open gates, as a long step can open them; in layer one it is the neuron that is active or nearest to
    being so, of ReLU the best there is. Each sweep then takes for e the direction of the move just made. The
    farthest move met is returned: a lower bound of the supremum (zou2018, Lemma B.2). Steps of layers after `layer`
    are zero. A sweep reveals at most eight directions a layer.
    """
    _check_layers(net, skips=True)
    target = net.depth if layer is None else layer
    x = np.asarray(x, dtype=np.float64).reshape(1, -1)
    head = _head(net, target)
    start = forward(head, x)
    origin = start.post[target][0]
    opened = replace(start, masks=tuple(np.ones_like(mask) for mask in start.masks))
    if target == 1:
        aims = [(opened, (np.arange(origin.size) == np.argmax(start.pre[0][0])).astype(np.float64))]
    else:
        tops = [(gates, worst_direction(_gated_product(head, gates)).left) for gates in (start, opened)]
        aims = [(gates, sign * top) for gates, top in tops for sign in (1.0, -1.0)]

    best = tuple(no_step(W) for W in head.weights)
    farthest = 0.0
    for moved, direction in aims:
        current = head
        for _ in range(sweeps):
            steps, current, moved = _moved_towards(head, current, moved, direction, tau)
            gap = moved.post[target][0] - origin
            distance = float(np.linalg.norm(gap))
            if distance > farthest:
                best, farthest = steps, distance
            if distance == 0.0:
                break
            direction = gap / distance
    return best + tuple(no_step(W) for W in net.weights[target:])


def _gated_product(head: Network, gates: Forward) -> Array | LinearOperator:
    """The masked product downstream of layer 1, with the gates of layer 1 and of the last one: (m_L, m_1).

    Gates of a last layer with a skip connection are left out, as what it carries meets none.
    """
    first, last = gates.masks[0][0], gates.masks[-1][0]
    if head.steps[-1].carry:
        last = np.ones_like(last)
    if all(isinstance(W, np.ndarray) for W in head.weights[1:]):
        product = masked_product(head, gates, 0, 2, head.depth) * first
        return np.asarray(last[:, np.newaxis] * product)
    operator = masked_product_operator(head, gates, 0, 2, head.depth)
    return aslinearoperator(diags_array(last)) @ operator @ aslinearoperator(diags_array(first))


def _moved_towards(
    head: Network, current: Network, moved: Forward, direction: Array, tau: float
) -> tuple[tuple[WeightStep, ...], Network, Forward]:
    """The best steps from `head`, to first order, that move its last layer in a direction (m_L,), and where they lead.

    They are along the inputs and backward vectors of `current`, whose pass of the one point is `moved`.
    """
    bwd = backward(current, moved, direction)
    steps = [_along(W, moved.post[k][0], bwd.b[k][0], step_radius(W, tau)) for k, W in enumerate(head.weights)]
    reached = perturbed(head, steps)
    return tuple(steps), reached, forward(reached, moved.post[0])


def flip_layer(net: Network, x: npt.ArrayLike, tau: float, layer: int, sweeps: int = 3) -> tuple[WeightStep, ...]:
    """Steps of layers 1..`layer`, ||dW_l||_2 <= tau each, that flip many activations of `layer` at x (d,).

    With k neurons in view, those of the smallest pre-activations h_J, the layers before move the input of
    `layer` so as to shrink ||h_J||; its own step then flips what is nearest to zero (`flip_smallest`).
    Several k are tried, and no step of the layers before; the best of these attacks is returned.
    """
    _check_layers(net, skips=True)
    x = np.asarray(x, dtype=np.float64).reshape(1, -1)
    start = forward(net, x)
    W, pre = net.weights[layer - 1], start.pre[layer - 1][0]
    active, still = pre > 0.0, tuple(no_step(V) for V in net.weights)

    def attack(steps: tuple[WeightStep, ...]) -> tuple[float, tuple[WeightStep, ...]]:
        arriving = forward(perturbed(net, (*steps, *still[layer - 1 :])), x).post[layer - 1]
        if not arriving.any():
            return 0.0, still
        own = flip_smallest(W, arriving, tau, masks=active)
        whole = (*steps, own, *still[layer:])
        reached = forward(perturbed(net, whole), x).pre[layer - 1][0]
        return float(np.count_nonzero((reached > 0.0) != active)), whole

    most, best = attack(still[: layer - 1])
    if layer > 1 and start.post[layer - 1].any():
        head = _head(net, layer - 1)
        order, alone = np.argsort(np.abs(pre)), most
        for k in sorted({math.ceil(factor * (alone + 1.0)) for factor in (1.0, 1.5, 2.0, 3.0, 4.0)}):
            nearest = np.zeros_like(pre)
            nearest[order[:k]] = pre[order[:k]]
            direction = -(nearest @ W.T)
            current, moved = head, forward(head, x)
            for _ in range(sweeps):
                steps, current, moved = _moved_towards(head, current, moved, direction, tau)
            flips, whole = attack(steps)
            if flips > most:
                most, best = flips, whole
    return best


def top_pair(W: Layer, tau: float) -> Array:
    """Step tau u v^T along the top singular pair of a stored W: no step of that norm raises ||W||_2 more."""
    if not isinstance(W, np.ndarray):
        raise ValueError(
            "the layer is revealed, and its top singular pair would take all directions to find:"
            " store it, or use worst_direction for a direction that comes near"
        )
    pair = worst_direction(W)
    return np.asarray(_along(W, pair.left, pair.right, step_radius(W, tau)))


def random_perturbation(
    W: Layer, tau: float, rng: np.random.Generator, kind: Literal["gaussian", "rank_one"] = "gaussian"
) -> WeightStep:
    """Random step of operator norm tau, of the shape of W: a scaled Gaussian matrix, or one of rank one.

    Steps of revealed layers have low rank, so that only the second kind is open to them: ValueError otherwise.
    """
    if kind == "rank_one":
        left, right = rng.standard_normal(W.shape[:1]), rng.standard_normal(W.shape[1:])
        return _along(W, left, right, step_radius(W, tau))
    if not isinstance(W, np.ndarray):
        raise ValueError("a Gaussian step of a revealed layer has no low rank: pass kind='rank_one'")
    step = np.asarray(rng.standard_normal(W.shape))
    return np.asarray(step * (step_radius(W, tau) / operator_norm(step)))


def influential_flips(
    net: Network, fwd: Forward, s: int, layer: int = 1, sweeps: int = 4, starts: int = 8
) -> tuple[Array, ...]:
    """Masks that differ from those of `fwd` in s neurons at most of each layer and sample (zou2018, Lemma B.1).

    They are to make sup of <q, a> over s-sparse unit vectors a large, q the backward vector that arrives below
    `layer`. In each sweep the masks of one layer after the other are chosen best, given a and the other masks: by a
    sort, as <q, a> is linear in them. Then a is taken best at these masks, so that no sweep makes the supremum less.
    It starts from the masks of `fwd`, with the best a there, and from open gates, with the best a and with each of the
    `starts` coordinates at which q is largest; and from all these with -a. Each sample gets the best of what is
    found, nearly always the best there is where all choices could be tried. Layers below `layer` keep their masks.
    L arrays (n, m_l).
    """
    if min(s, sweeps) < 1:
        raise ValueError(f"s={s} flips in {sweeps} sweeps: choose at least one of each")
    _check_layers(net, "ReLU layers", RELU)
    n, layers = fwd.output.size, range(layer - 1, net.depth)

    def arrivals(masks: Sequence[Array]) -> tuple[Array, ...]:
        return backward(net, replace(fwd, masks=tuple(masks))).q[layer - 1 :]

    wide = arrivals([np.ones_like(mask) for mask in fwd.masks])[0]
    first = [_largest(arrivals(fwd.masks)[0], s), _largest(wide, s)]
    for places in np.argsort(-np.abs(wide), axis=1).T[:starts]:
        first.append((np.arange(wide.shape[1]) == places[:, np.newaxis]).astype(np.float64))
    # All climbs at once, as samples of one pass; the first two are those from the masks of `fwd`.
    given = [np.tile(mask, (2 * len(first), 1)) for mask in fwd.masks]
    masks = [np.where(np.arange(len(mask))[:, np.newaxis] < 2 * n, mask, 1.0) for mask in given]
    masks[: layer - 1] = given[: layer - 1]
    pushed = np.vstack([sign * a for a in first for sign in (1.0, -1.0)])
    q = arrivals(masks)
    for _ in range(sweeps):
        for k, arriving in zip(layers, (*q[1:], net.v), strict=True):
            pushed = pushed @ net.weights[k]
            gain = (1.0 - 2.0 * given[k]) * pushed * arriving
            masks[k] = np.where(_among_largest(gain, s) & (gain > 0.0), 1.0 - given[k], given[k])
            pushed = masks[k] * pushed
        q = arrivals(masks)
        pushed = _largest(q[0], s)
    best = np.argmax(sparse_supremum(q[0], s).reshape(-1, n), axis=0)
    return tuple(mask.reshape(-1, n, mask.shape[1])[best, np.arange(n)] for mask in masks)


def _largest(q: Array, s: int) -> Array:
    """The vectors (n, k) without all but their s entries of largest size."""
    return np.asarray(np.where(_among_largest(np.abs(q), s), q, 0.0))


def _among_largest(sizes: Array, s: int) -> npt.NDArray[np.bool_]:
    """Marks the s largest entries of each row of (n, k), all if there are fewer."""
    s = min(s, sizes.shape[1])
    marked = np.zeros(sizes.shape, dtype=bool)
    np.put_along_axis(marked, np.argpartition(sizes, -s, axis=1)[:, -s:], True, axis=1)
    return marked


class Direction(NamedTuple):
    """A unit vector `right` (cols,), the unit vector `left` (rows,) along its image, and `value` = ||A right||."""

    value: float
    left: Array
    right: Array


# Steps of the Krylov space of `worst_direction`.
STEPS = 12


def worst_direction(A: Array | LinearOperator) -> Direction:
    """The unit vector that A (rows, cols) stretches most: its top singular pair.

    Exact for arrays. For linear operators the best vector of a Krylov space of A^T A that starts at equal entries,
    found with 2 `STEPS` products: `value` is then a lower bound of the operator norm, attained, and exact once the
    space is invariant.
    """
    if isinstance(A, np.ndarray):
        left, sizes, right = svd(A, full_matrices=False)
        return Direction(float(sizes[0]), left[:, 0], right[0])
    basis, images = krylov(A.matvec, np.ones(A.shape[1]), min(STEPS, A.shape[1]), A.rmatvec)
    inside, sizes, left = svd(images, full_matrices=False)
    return Direction(float(sizes[0]), left[0], inside[:, 0] @ basis)


class Coefficients(NamedTuple):
    """Coefficients a (n,) of a quadratic form and its value there, a^T G a."""

    vector: Array
    value: float


# Coefficients up to which all patterns of signs are tried: 2^15 of them, 20 ms.
ENUMERATED = 16


def worst_derivatives(G: npt.ArrayLike) -> Coefficients:
    """The coefficients b, sum_i |b_i| = 1, that make b^T G b least, for a positive semidefinite G (n, n).

    As b_i = y_i ell'_i they are loss derivatives, of one sign, times labels: with the gated Gram matrix the value is
    the least ||grad_{W_L} L_S||_F^2 n^2/(m_L S1^2) (zou2018, Lemma B.5). The minimum over all labels is exact for
    n <= 16; beyond, no single label changed makes the value less. (Given labels it is the square of
    `nets.tangent.margin.largest_margin`; the largest value is max_i G_ii.)
    """
    G = np.asarray(G, dtype=np.float64)
    values, vectors = eigh(G)
    if values[0] <= len(G) * _EPS * values[-1]:
        b = vectors[:, 0] / np.abs(vectors[:, 0]).sum()
        return Coefficients(b, float(b @ G @ b))
    # On the ellipsoid b^T G b = 1 the sum of the |b_i| is the largest s^T b over signs s, and s^T b is largest at b
    # along G^-1 s, where it is the root of s^T G^-1 s: so the minimum is 1 over the largest s^T G^-1 s.
    inverse = (vectors / values) @ vectors.T
    pattern = _all_signs(inverse) if len(G) <= ENUMERATED else _flipped_signs(inverse, np.sign(vectors[:, 0]))
    b = inverse @ pattern
    b /= np.abs(b).sum()
    return Coefficients(b, float(b @ G @ b))


def _all_signs(Q: Array) -> Array:
    """The s of entries 1 and -1 with the largest s^T Q s, out of all whose first entry is 1: (n,)."""
    n = len(Q)
    patterns = 1.0 - 2.0 * ((np.arange(2 ** (n - 1))[:, np.newaxis] >> np.arange(n)) & 1)[:, ::-1]
    return np.asarray(patterns[np.argmax(np.einsum("ij,ij->i", patterns @ Q, patterns))])


def _flipped_signs(Q: Array, s: Array) -> Array:
    """Signs s, changed one by one as long as s^T Q s grows, the most profitable first: (n,)."""
    s = np.where(s == 0.0, 1.0, s)
    while True:
        gain = np.diag(Q) - s * (Q @ s)
        best = int(np.argmax(gain))
        if not gain[best] > len(Q) * _EPS * float(np.abs(Q).sum()):
            return s
        s[best] = -s[best]
