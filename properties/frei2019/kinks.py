"""Weights in a ball around the start whose output is far from its linear part: many neurons at their kinks.

Main definitions: `beside_kinks`, two weight tuples with the neurons of one layer just before their kinks and then
across; `across_kinks`, from the start across them; `two_layers`, where the product of two steps counts and no kink;
`along_the_gradient`, where the output moves most; `to_the_other_side`, the same through the start; `attacked_pair`, one
of these by its name in `KINK_ATTACKS`; `at_a_kink`, a sample of the plane at which a neuron is at its kink already.

All are of one sample x (1, d). With q_j the derivative of the output in what neuron j of a layer gives, a move t_j
of its pre-activation z_j across the kink gains q_j (|t_j| - |z_j|) beyond first order, and costs the step
||t||/||x_{l-1}||. The neurons of q_j > 0 with the least |z_j|/q_j are the best choice, each moved in proportion to q_j.
"""

import math

import numpy as np
import numpy.typing as npt
from numpy.random import Generator
from scipy.optimize import brentq

from nets import Array, Forward, Network, WeightStep, backward, forward, outer, perturbed
from properties.frei2019.weight_pairs import WeightPair, at_layer
from properties.shared.quotients import quotients

# What stands beside a kink does so by this share of the step that takes it across.
BESIDE = 1e-3


def _gains(net: Network, fwd: Forward, layer: int, sign: float) -> Array:
    """q of the neurons of a layer where it has the sign asked for, else 0: (m_l,)."""
    arriving = net.v if layer == net.depth else backward(net, fwd).later_q[layer - 1][0]
    return np.asarray(np.maximum(sign * arriving, 0.0))


def _along(net: Network, x: Array, layer: int, moves: Array) -> list[WeightStep]:
    """Steps that move the pre-activations of one layer, whose input is x (m_{l-1},), by `moves` (m_l,)."""
    unit = quotients(x, x @ x)
    return at_layer(net, layer, outer(net.weights[layer - 1], unit[np.newaxis], moves[np.newaxis]))


def _order(pre: Array, gains: Array) -> tuple[npt.NDArray[np.intp], Array]:
    """The neurons that gain, by |z|/q, and these ratios: two arrays of as many entries."""
    (some,) = np.nonzero(gains > 0.0)
    ratios = np.abs(pre[some]) / gains[some]
    order = np.argsort(ratios, kind="stable")
    return some[order], ratios[order]


def beside_kinks(
    net: Network,
    X: Array,
    theta: float,
    layer: int,
    tau: float,
    omega: float,
    *,
    mover: int | None = None,
    sign: float = 1.0,
    amplified: bool = False,
) -> WeightPair:
    """Two weight tuples within tau of those of `net` in every layer, Frobenius norm, whose steps have the norm omega.

    The first has neurons of `layer` just before their kinks; a step of the layer `mover`, that one or one before, takes
    them across. `sign` is that of what is gained. Where `amplified`, both have a last layer moved by tau, so that the
    output counts these neurons for more.
    """
    mover = layer if mover is None else mover
    fwd = forward(net, X)
    x, pre = fwd.post[layer - 1][0], fwd.pre[layer - 1][0]
    length = float(np.linalg.norm(x))
    gains = _gains(net, fwd, layer, sign)
    order, _ = _order(pre, gains)
    least = np.where(pre >= 0.0, BESIDE, -BESIDE) * omega * length / np.sqrt(len(pre))
    away = least - pre
    budget = (tau - (omega if mover == layer else 0.0)) * length * (1.0 - 1e-9)
    chosen = order[: np.searchsorted(np.cumsum(away[order] ** 2), budget**2, side="right")]
    moves = np.zeros_like(pre)
    moves[chosen] = away[chosen]
    steps = _along(net, x, layer, moves)
    if amplified:
        steps[-1] = _read_more(net, fwd, gains * (moves != 0.0), sign * tau)
    tilde = perturbed(net, steps)
    after = forward(tilde, X)
    wanted = np.zeros_like(pre)
    wanted[chosen] = (-np.sign(least) * _gains(tilde, after, layer, sign))[chosen]
    if mover < layer:
        wanted = _below(tilde, after, theta, layer, mover, wanted)
        x, length = after.post[mover - 1][0], float(np.linalg.norm(after.post[mover - 1][0]))
    size = max(float(np.linalg.norm(wanted)), np.finfo(float).tiny)
    return WeightPair.of(tilde, _along(tilde, x, mover, omega * length / size * wanted), theta, X)


def _below(net: Network, fwd: Forward, theta: float, layer: int, mover: int, wanted: Array) -> Array:
    """The derivative of <wanted, pre-activations of `layer`> in those of `mover` before it: (m_l,)."""
    along = wanted[np.newaxis] @ net.weights[layer - 1].T
    for k in range(layer - 1, mover, -1):
        along = along + theta * (along * fwd.masks[k - 1]) @ net.weights[k - 1].T
    return np.asarray((along * fwd.masks[mover - 1])[0])


def _read_more(net: Network, fwd: Forward, gains: Array, size: float) -> WeightStep:
    """A step of the last layer, of that norm, by which the output takes more of the states along `gains` (m_L,)."""
    right = net.v * fwd.masks[-1]
    norms = max(float(np.linalg.norm(gains) * np.linalg.norm(right)), np.finfo(float).tiny)
    return outer(net.weights[-1], gains[np.newaxis], (1.0 - 1e-9) * size / norms * right)


def across_kinks(net: Network, X: Array, theta: float, layer: int, tau: float, *, sign: float = 1.0) -> WeightPair:
    """The weights of `net`, and weights at the distance tau in one layer that gain most beyond first order.

    With moves mu q_j of the neurons of |z_j| < mu q_j/2, as the gain of one less its share of the cost asks for.
    """
    fwd = forward(net, X)
    x, pre = fwd.post[layer - 1][0], fwd.pre[layer - 1][0]
    gains = _gains(net, fwd, layer, sign)
    order, ratios = _order(pre, gains)
    costs = np.sqrt(np.cumsum(gains[order] ** 2))
    budget = tau * float(np.linalg.norm(x)) * (1.0 - 1e-9)
    # mu as if the first k neurons were those moved; they are where 2 |z_k|/q_k is still below it.
    count = max(1, int(np.searchsorted(2.0 * ratios * costs, budget)))
    moves = np.zeros_like(pre)
    chosen = order[:count]
    moves[chosen] = -np.where(pre >= 0.0, 1.0, -1.0)[chosen] * gains[chosen] * (budget / costs[count - 1])
    return WeightPair.of(net, _along(net, x, layer, moves), theta, X)


def two_layers(
    net: Network, X: Array, theta: float, omega: float, rng: Generator, *, layer: int | None = None
) -> WeightPair:
    """Two weight tuples on either side of those of `net`, steps of norm omega in the first layer and in `layer`.

    The first layer moves its active neurons, and the other, by default the last, takes the change of the state that
    enters it to where the output counts it most.
    """
    fwd = forward(net, X)
    layer = net.depth if layer is None else layer
    own = rng.standard_normal(fwd.masks[0].shape[1]) * fwd.masks[0][0]
    steps = _along(net, X[0], 1, omega * float(np.linalg.norm(X)) * quotients(own, np.linalg.norm(own)))
    ends = (forward(perturbed(net, [share * step for step in steps]), X).post[layer - 1] for share in (0.5, -0.5))
    change = next(ends) - next(ends)
    arriving = net.v if layer == net.depth else backward(net, fwd).later_q[layer - 1]
    right = np.reshape(arriving * fwd.masks[layer - 1], (1, -1))
    size = omega / max(float(np.linalg.norm(change) * np.linalg.norm(right)), np.finfo(float).tiny)
    steps[layer - 1] = outer(net.weights[layer - 1], change, size * right)
    return WeightPair.of(perturbed(net, [-0.5 * step for step in steps]), steps, theta, X)


def along_the_gradient(net: Network, X: Array, theta: float, omega: float) -> WeightPair:
    """The weights of `net`, and steps of norm omega along the gradient of the output in every layer."""
    fwd = forward(net, X)
    pairs = zip(net.weights, fwd.post, backward(net, fwd).b, strict=False)
    units = [(W, x, b, float(np.linalg.norm(x) * np.linalg.norm(b))) for W, x, b in pairs]
    # A layer that nothing enters, or whose gates are closed, has no gradient to go along.
    return WeightPair.of(net, [outer(W, x, omega / (norm or math.inf) * b) for W, x, b, norm in units], theta, X)


def to_the_other_side(net: Network, X: Array, theta: float, omega: float) -> WeightPair:
    """Weights on either side of those of `net`, each omega away along the gradient of the output in every layer.

    A sample that is classified with certainty at the first tuple is as certainly wrong at the other.
    """
    steps = along_the_gradient(net, X, theta, omega).steps
    return WeightPair.of(perturbed(net, [-1.0 * step for step in steps]), [2.0 * step for step in steps], theta, X)


KINK_ATTACKS = (
    "last",
    "last from below",
    "residual",
    "residual amplified",
    "residual from below",
    "first",
    "first amplified",
    "two layers",
    "two layers residual",
    "along the gradient",
    "to the other side",
)


def at_a_kink(net: Network, x: Array, layer: int, sign: float = 1.0) -> Array:
    """A unit row (1, 2) at which a neuron of `layer` is at its kink: of those met on the way from x to -x, that which
    gains most, `sign` being that of what is gained; x itself if none is met."""

    def at(turn: float | Array) -> Forward:
        turn = np.atleast_1d(turn)[:, np.newaxis]
        return forward(net, np.cos(turn) * x + np.sin(turn) * np.array([[-x[0, 1], x[0, 0]]]))

    turns = np.linspace(0.0, math.pi, 9)
    fwd = at(turns)
    positive = fwd.pre[layer - 1] > 0.0
    arriving = net.v if layer == net.depth else backward(net, fwd).later_q[layer - 1][:-1]
    gains = sign * arriving * (positive[1:] != positive[:-1])
    part, neuron = np.unravel_index(np.argmax(gains), gains.shape)
    if not gains[part, neuron] > 0.0:
        return x
    turn = brentq(lambda t: at(t).pre[layer - 1][0, neuron], turns[part], turns[part + 1], xtol=1e-16)
    return np.asarray(at(turn).post[0])


def attacked_pair(
    rng: Generator, net: Network, X: Array, theta: float, attack: str, tau: float, share: float, sign: float = 1.0
) -> WeightPair:
    """One of the `KINK_ATTACKS` within tau of the weights, whose steps have `share` of that norm, at most 1.

    To the other side they have twice that, half on each side. Those at kinks say of which layer, the residual one
    being the last of its kind.
    """
    last = net.depth
    if attack == "along the gradient":
        return along_the_gradient(net, X, theta, sign * (1.0 - 1e-9) * share * tau)
    if attack == "to the other side":
        return to_the_other_side(net, X, theta, sign * (1.0 - 1e-9) * share * tau)
    if attack.startswith("two layers"):
        layer = last - 1 if attack.endswith("residual") else last
        return two_layers(net, X, theta, 2.0 * (1.0 - 1e-9) * share * tau, rng, layer=layer)
    where, _, how = attack.partition(" ")
    layer = {"last": last, "residual": last - 1, "first": 1}[where]
    return beside_kinks(
        net,
        X,
        theta,
        layer,
        tau,
        0.5 * share * tau,
        mover=1 if how == "from below" else None,
        sign=sign,
        amplified=how == "amplified",
    )
