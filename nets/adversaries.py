"""Perturbations and networks chosen to come as near to a bound as possible.

Main definitions: `flip_smallest`, `flip_layer`, `forward_shift`, `top_pair`, `influential_flips`,
`aligned_network`, and `random_perturbation` to compare with.

Perturbations are steps dW to be added to the weights (`nets.network.perturbed`). The norm the statements
bound is that of W~ - W, with W~ = W + dW rounded; `_radius` leaves room for the rounding, so that it is at
most tau and not merely nearly so.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import svd

from nets.arrays import Array
from nets.forward import Forward, forward
from nets.gradients import backward
from nets.network import Network, balanced_signs, perturbed
from nets.operators import flip_counts, masked_product, operator_norm

_EPS = float(np.finfo(np.float64).eps)


def _radius(W: Array, tau: float) -> float:
    """The norm to give a step so that ||fl(W + dW) - W||_2 <= tau also as computed.

    Rounding W + dW moves each entry by eps/2 of its size at most, which is eps ||W||_F in norm; the
    relative 1e-12 covers the errors of the norms themselves.
    """
    return max(0.0, tau * (1.0 - 1e-12) - _EPS * float(np.linalg.norm(W)))


def flip_smallest(W: Array, X: npt.ArrayLike, tau: float, masks: npt.ArrayLike | None = None) -> Array:
    """Step dW (m_{l-1}, m_l), ||dW||_2 <= tau, that flips the most activations of a layer at given points.

    X is one point (m_{l-1},) or n linearly independent points (n, m_{l-1}), the inputs of the layer. A
    neuron counts as flipped when its activation differs from `masks` (of shape (m_l,) or (n, m_l), default:
    the activations under W). At one point dW = x t^T/||x||^2 changes the pre-activation h by t at the cost
    ||t|| <= tau ||x||, so the budget goes to the smallest |h_j| first, which no other step can beat
    (zou2018, Lemma B.3). With several points each neuron is attacked at one of them, so that the rows of
    the change T are orthogonal, and dW = X^+ T spends tau/||X^+|| on each (zou2018, Lemma B.4); that is a
    good choice, not the best.
    """
    X = np.atleast_2d(np.asarray(X, dtype=np.float64))
    sizes = np.linalg.svd(X, compute_uv=False)
    if X.shape[0] > X.shape[1] or not sizes[-1] > 1e-10 * sizes[0]:
        raise ValueError(f"the {X.shape[0]} points are zero or linearly dependent: pass independent ones")
    pre = X @ W
    active = pre > 0.0
    wanted_active = ~(active if masks is None else np.atleast_2d(masks) > 0.5)
    reach = _radius(W, tau) * sizes[-1]
    # Beyond zero by a relative 1e-10, by more than X @ (W + dW) can be off by in any order of summation,
    # and by something where both are zero.
    rounding = 4.0 * (X.shape[1] + 2) * _EPS * (np.abs(X) @ np.abs(W))
    margin = 1e-10 * np.abs(pre) + rounding + 1e-10 * reach / pre.shape[1]
    change = np.where(wanted_active, margin - pre, -margin - pre)
    cost = np.where(wanted_active == active, 0.0, change**2)

    attacked = np.zeros_like(pre)
    best_point = np.argmin(cost, axis=0)
    for i in range(X.shape[0]):
        (own,) = np.nonzero((best_point == i) & (cost[i] > 0.0))
        own = own[np.argsort(cost[i, own])]
        chosen = own[: np.searchsorted(np.cumsum(cost[i, own]), reach**2, side="right")]
        attacked[i, chosen] = change[i, chosen]
    return np.ascontiguousarray(np.linalg.pinv(X) @ attacked)


def forward_shift(
    net: Network, x: npt.ArrayLike, tau: float, layer: int | None = None, sweeps: int = 10
) -> tuple[Array, ...]:
    """Steps, ||dW_l||_2 <= tau each, that move the output of `layer` (default L) at x (d,) far away.

    If the move shall point in the direction e, the best step of W_l to first order is tau times the
    rank-one matrix along the layer's current input and the backward vector of e, which lives on active
    neurons. First e is the top left singular vector of the masked product downstream of layer 1, with
    either sign; each sweep then takes for e the direction of the move just made. The farthest move met is
    returned: a lower bound of the supremum (zou2018, Lemma B.2). Steps of layers after `layer` are zero.
    """
    target = net.depth if layer is None else layer
    x = np.asarray(x, dtype=np.float64).reshape(1, -1)
    head = Network(net.weights[:target], np.zeros(net.widths[target]))
    start = forward(head, x)
    origin = start.post[target][0]
    if target == 1:
        top = origin / max(float(np.linalg.norm(origin)), np.finfo(np.float64).tiny)
    else:
        product = masked_product(head, start, 0, 2, target) * start.masks[0][0]
        top = svd(start.masks[-1][0][:, np.newaxis] * product, full_matrices=False)[0][:, 0]

    best = tuple(np.zeros_like(W) for W in head.weights)
    farthest = 0.0
    for sign in (1.0, -1.0):
        direction, moved, current = sign * top, start, head
        for _ in range(sweeps):
            steps = _steps_towards(head, current, moved, direction, tau)
            current = perturbed(head, steps)
            moved = forward(current, x)
            gap = moved.post[target][0] - origin
            distance = float(np.linalg.norm(gap))
            if distance > farthest:
                best, farthest = steps, distance
            if distance == 0.0:
                break
            direction = gap / distance
    return best + tuple(np.zeros_like(W) for W in net.weights[target:])


def _steps_towards(head: Network, current: Network, moved: Forward, direction: Array, tau: float) -> tuple[Array, ...]:
    """Steps from `head`, of the largest norms allowed, that move its last layer in a direction (m_L,).

    They are along the inputs and backward vectors of `current`, whose pass of the one point is `moved`: the
    best to first order, as the gradients have rank one.
    """
    bwd = backward(current, moved, direction)
    return tuple(_along(moved.post[k][0], bwd.b[k][0], _radius(W, tau)) for k, W in enumerate(head.weights))


def _along(u: Array, w: Array, size: float) -> Array:
    """size u w^T/(||u|| ||w||), zero where a vector is."""
    scale = float(np.linalg.norm(u) * np.linalg.norm(w))
    return np.outer(u, w * (size / scale)) if scale > 0.0 else np.zeros((u.size, w.size))


def flip_layer(net: Network, x: npt.ArrayLike, tau: float, layer: int, sweeps: int = 3) -> tuple[Array, ...]:
    """Steps of layers 1..`layer`, ||dW_l||_2 <= tau each, that flip many activations of `layer` at x (d,).

    With k neurons in view, those of the smallest pre-activations h_J, the layers before move the input of
    `layer` so as to shrink ||h_J||; its own step then flips what is nearest to zero (`flip_smallest`).
    Several k are tried, and no step of the layers before; the best of these attacks is returned.
    """
    x = np.asarray(x, dtype=np.float64).reshape(1, -1)
    start = forward(net, x)
    W, pre = net.weights[layer - 1], start.pre[layer - 1][0]
    before, still = net.weights[: layer - 1], tuple(np.zeros_like(V) for V in net.weights)

    def attack(steps: tuple[Array, ...]) -> tuple[float, tuple[Array, ...]]:
        arriving = forward(perturbed(net, (*steps, *still[layer - 1 :])), x).post[layer - 1]
        if not arriving.any():
            return 0.0, still
        own = flip_smallest(W, arriving, tau, masks=start.masks[layer - 1])
        whole = (*steps, own, *still[layer:])
        return float(flip_counts(start, forward(perturbed(net, whole), x))[0, layer - 1]), whole

    most, best = attack(still[: layer - 1])
    if layer > 1 and start.post[layer - 1].any():
        head = Network(before, np.zeros(W.shape[0]))
        order, alone = np.argsort(np.abs(pre)), most
        for k in sorted({math.ceil(factor * (alone + 1.0)) for factor in (1.0, 1.5, 2.0, 3.0, 4.0)}):
            direction = -(W[:, order[:k]] @ pre[order[:k]])
            current, moved = head, forward(head, x)
            for _ in range(sweeps):
                steps = _steps_towards(head, current, moved, direction, tau)
                current = perturbed(head, steps)
                moved = forward(current, x)
            flips, whole = attack(steps)
            if flips > most:
                most, best = flips, whole
    return best


def top_pair(W: Array, tau: float) -> Array:
    """Step tau u v^T along the top singular pair of W: no step of that norm raises ||W||_2 more."""
    left, _, right = svd(W, full_matrices=False)
    return _along(left[:, 0], right[0], _radius(W, tau))


def influential_flips(net: Network, fwd: Forward, s: int) -> tuple[Array, ...]:
    """Masks that differ from those of `fwd` in s neurons of each layer and sample (zou2018, Lemma B.1).

    From the last layer down, the s inactive neurons are switched on at which the backward vector, under the
    masks chosen so far, is largest; where fewer are inactive, all of them. L arrays (n, m_l).
    """
    arriving = np.tile(net.v, (fwd.output.size, 1))
    chosen = []
    for W, mask in zip(reversed(net.weights), reversed(fwd.masks), strict=True):
        gain = np.where(mask == 0.0, np.abs(arriving), -1.0)
        order = np.argsort(-gain, axis=1)[:, :s]
        changed = mask.copy()
        np.put_along_axis(changed, order, 1.0, axis=1)
        chosen.append(changed)
        arriving = (changed * arriving) @ W.T
    return tuple(reversed(chosen))


def aligned_network(widths: Sequence[int], norm: float) -> Network:
    """Network (d, m_1, ..., m_L) of rank-one layers of norm `norm`, each mapping onto the input of the next.

    W_l = norm u_{l-1} u_l^T with equal entries in u_0, ..., u_{L-1}, and u_L on the neurons of positive
    sign. So ||x_l|| = norm^l for x = u_0, and f(u_0) = norm^L sqrt(m_L/2), the largest values that norms
    allow.
    """
    signs = balanced_signs(widths[-1])
    ends = [np.full(m, m**-0.5) for m in widths[:-1]] + [(signs > 0.0) * (2.0 / widths[-1]) ** 0.5]
    return Network(tuple(norm * np.outer(u, w) for u, w in itertools.pairwise(ends)), signs)


def random_perturbation(
    W: Array, tau: float, rng: np.random.Generator, kind: Literal["gaussian", "rank_one"] = "gaussian"
) -> Array:
    """Random step of operator norm tau, of the shape of W: a scaled Gaussian matrix, or one of rank one."""
    if kind == "rank_one":
        left, right = rng.standard_normal(W.shape[:1]), rng.standard_normal(W.shape[1:])
        return _along(left, right, _radius(W, tau))
    step = rng.standard_normal(W.shape)
    return step * (_radius(W, tau) / operator_norm(step))
