"""Two networks with smooth gates in the ball around a third one, and the steps that set them apart most.

Main definitions: `huberised_network`; `NearPair`, three networks and their passes of one point; the attacks
`opposite_shifts` (features), `changed_slopes` and `planted_slopes` (gates), `attacked_product` (gated products) and
`output_gap` (output functionals with extra slopes); `linearisation_remainder`, the error of linearisation, and
`kinked_pair`, which makes it large (chatterji2021, Appendix E).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.linear_algebra.lowrank import outer
from nets.networks.activations import huberised_relu
from nets.networks.forward import Forward, forward
from nets.networks.network import Layer, Network, gaussian_smooth_network, perturbed
from nets.networks.operators import operator_norm
from nets.tangent.linearised import difference, tangent_features
from nets.worst_cases.adversaries import WeightStep, forward_shift, no_step, step_radius
from nets.worst_cases.worst_networks import two_levels

# How far beyond its end, as a share of the bend h, a changed slope leaves the range in which it would be the same.
PAST_BEND = 1e-6

# What rows need not see that take their exponents where Lemma E.14 holds.
BLIND_TO_THE_BALL = {
    f"premise {premise.text}": "it is what Lemma E.14 asks for, on which this rests: lemma-E.14 sees it"
    for premise in sheet.lemma_E_14_premises
}
BLIND_TO_DEPTH = {
    "L": "what the attacks reach grows less with the depth than the proof's power, which is an upper bound"
}

BLIND_TO_ONE_NEURON = {
    f"premise {sheet.lemma_E_4_width.text}": "it keeps away a width of 1, where log(m) = 0 admits any radius: half of "
    "such networks are silent, or have an output weight below 0, and leave nothing to move; lemma-E.15-exponent sees it"
}

# Power iterations between two changes of gates and weights.
POWER_ITERATIONS = 4


@dataclass(frozen=True, eq=False)
class NearPair:
    """Weights V~ and V^ in the ball around V, and the passes of one point (1, d) through all three."""

    tilde: Network
    hat: Network
    start: Forward
    one: Forward
    other: Forward

    @classmethod
    def of(cls, net: Network, tilde: Sequence[WeightStep], hat: Sequence[WeightStep], x: Array) -> NearPair:
        """The networks that these steps of all L + 1 layers lead to."""
        nets = [perturbed(net, steps) for steps in (tilde, hat)]
        passes = [forward(V, x) for V in (net, *nets)]
        return cls(nets[0], nets[1], *passes)

    @property
    def differing(self) -> Array:
        """The number of slopes of each hidden layer in which V~ and V^ differ: (L,)."""
        pairs = zip(self.one.masks, self.other.masks, strict=True)
        return np.array([float(np.count_nonzero(a != b)) for a, b in pairs])

    @property
    def features(self) -> Array:
        """||x^V~ - x^V^|| of each hidden layer: (L,)."""
        pairs = zip(self.one.post[1:], self.other.post[1:], strict=True)
        return np.array([float(np.linalg.norm(a - b)) for a, b in pairs])


def huberised_network(rng: Generator, data: DataSource, m: int, L: int, d: int, h: float) -> tuple[Network, Array]:
    """A Gaussian network of L hidden layers of width m with Huberised ReLU, and a point (1, d)."""
    X, _ = data.draw(1, d, rng)
    return gaussian_smooth_network((X.shape[1], *[m] * L), huberised_relu(h), rng), X


def still(net: Network) -> list[WeightStep]:
    """A step of each of the L + 1 layers that leaves it as it is."""
    return [no_step(V) for V in net.weights]


def along(V: Layer, x: Array, change: Array) -> WeightStep:
    """The step of V, of rank one, that changes the pre-activations at x (1, k) by `change` (m,).

    Raises `ValueError` where x is 0, at which no step changes anything.
    """
    square = float(np.sum(x**2))
    if square == 0.0:
        raise ValueError(f"nothing arrives at a layer of {change.size} neurons to move along: ask for wider layers")
    return outer(V, x / square, change[np.newaxis])


# --- features and slopes --------------------------------------------------------------------------


def opposite_shifts(net: Network, x: Array, tau: float, sweeps: int = 2) -> tuple[list[WeightStep], list[WeightStep]]:
    """Steps of norm tau that move the last features far away, as with gates of 0 and 1, and their opposites."""
    rectified = Network(net.weights[:-1], np.ascontiguousarray(net.weights[-1][:, 0]))
    steps = forward_shift(rectified, x[0], tau, sweeps=sweeps)
    last = no_step(net.weights[-1])
    return [*steps, last], [*(-step for step in steps), last]


def changed_slopes(V: Layer, x: Array, tau: float, h: float, taken: Array | None = None) -> tuple[Array, Array]:
    """Changes (m,) of the pre-activations x V, of norm tau ||x|| at most, that alter the most slopes at little cost.

    A slope is 0 up to 0 and 1 from h on: it changes where a pre-activation gets past its end of [0, h], and for next
    to nothing inside. Those of the neurons `taken` differ already. The changes, and the neurons they are for.
    """
    u = (x @ V)[0]
    margin = PAST_BEND * h
    wanted = np.where(u > 0.5 * h, np.minimum(u, h) - margin, np.maximum(u, 0.0) + margin)
    change = wanted - u
    cost = change**2 if taken is None else np.where(taken > 0.0, np.inf, change**2)
    order = np.argsort(cost)
    room = (step_radius(V, tau) * float(np.linalg.norm(x))) ** 2
    chosen = order[: np.searchsorted(np.cumsum(cost[order]), room)]
    mask = np.zeros_like(u)
    mask[chosen] = 1.0
    return mask * change, mask


def slope_attack(net: Network, x: Array, tau: float) -> tuple[list[WeightStep], list[WeightStep]]:
    """Steps of the last hidden layer for V~ and V^ that alter the slopes of different neurons, the cheapest for V~."""
    fwd = forward(net, x)
    V, arriving = net.weights[-2], fwd.post[-2]
    first, taken = changed_slopes(V, arriving, tau, net.activation.h)
    second, _ = changed_slopes(V, arriving, tau, net.activation.h, taken)
    tilde, hat = still(net), still(net)
    tilde[-2], hat[-2] = along(V, arriving, first), along(V, arriving, second)
    return tilde, hat


# --- gated products -------------------------------------------------------------------------------


def planted_slopes(net: Network, x: Array, tau: float, beta: float, planted: float) -> NearPair:
    """The pair of a network and its start in which many slopes of the last hidden layer differ, at a point x (1, d).

    At the start that layer has the share `planted` of m tau^(2/3) pre-activations just inside the threshold beta, and
    as many as that number are put just beyond it. Steps of norm tau then move what arrives, and change the slopes where
    that is cheapest.
    """
    start = forward(net, x)
    V, arriving, m = net.weights[-2], start.post[-2], start.pre[-1].shape[1]
    levels = two_levels(start.pre[-1], beta, int(planted * m * tau ** (2.0 / 3.0)), int(m * tau ** (2.0 / 3.0)))
    V = V + along(V, arriving, (levels - start.pre[-1])[0])
    net = net.with_weights((*net.weights[:-2], V, net.weights[-1]))
    steps = still(net)
    if len(start.pre) > 1:
        steps = opposite_shifts(net, x, tau)[0]
        steps[-2] = still(net)[-2]
        arriving = NearPair.of(net, steps, steps, x).one.post[-2]
    change, _ = changed_slopes(V, arriving, tau, net.activation.h)
    steps[-2] = along(V, arriving, change)
    return NearPair.of(net, steps, still(net), x)


def gated_chain(weights: Sequence[Array], gates: Sequence[Array]) -> Array:
    """Sigma_l2 V_l2 ... Sigma_l1 V_l1 for stored layers and gates (m_l,), transposed: (m_{l1-1}, m_l2)."""
    product = weights[0] * gates[0]
    for V, gate in zip(weights[1:], gates[1:], strict=True):
        product = (product @ V) * gate
    return product


def norms_between_flips(
    weights: Sequence[Array], gates: Sequence[Array], flipped: Sequence[npt.NDArray[np.intp]]
) -> dict[str, float]:
    """The norms of the gated products of all layers, and from, up to and between the flipped neurons.

    These are what is left of a chain of flips when the flips themselves are taken out.
    """
    depth = len(weights)
    left = right = both = 0.0
    for first in range(depth):
        product = weights[first]
        for last in range(first, depth):
            if last > first:
                product = (product * gates[last - 1]) @ weights[last]
            if first == 0:
                left = max(left, operator_norm(product[:, flipped[last]]))
            else:
                both = max(both, operator_norm(product[np.ix_(flipped[first - 1], flipped[last])]))
        if first > 0:
            right = max(right, operator_norm((product * gates[-1])[flipped[first - 1]]))
    free = operator_norm(gated_chain(weights, gates))
    return {"opfree": free, "opleft": left, "opright": max(1.0, right), "opboth": both if depth > 1 else 1.0}


def attacked_product(
    weights: Sequence[Array], gates: Sequence[Array], k: int, most: float, tau: float, sweeps: int = 5
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Weights moved by tau and gates, k of each layer changed to +-most, that stretch some vector far.

    Along what comes close to the top singular pair of the current product a gate counts with what arrives on either
    side of it: the k whose change adds most take the sign of that, and each step goes along the same two vectors. At
    the first choice these are the vectors of the product as it is, or of that with all gates open, which sees what is
    behind closed ones.
    """
    best: tuple[tuple[Array, ...], tuple[Array, ...]] = (tuple(weights), tuple(gates))
    largest = 0.0
    for begin in (gates, [np.ones_like(gate) for gate in gates]):
        layers, current = tuple(weights), tuple(begin)
        right = _near_top(layers, current, np.full(weights[0].shape[0], weights[0].shape[0] ** -0.5))
        for _ in range(sweeps):
            below = _through(layers, current, right)
            above, _ = _back(layers, current, below[-1])
            arriving = [right, *below[:-1]]
            # Of the output itself: a closed gate of the last layer asks for nothing, but adds its square when opened.
            above[-1] = arriving[-1] @ layers[-1]
            weight = [(path @ V) * asked for path, V, asked in zip(arriving, layers, above, strict=True)]
            gain = [most * np.abs(w) - gate * w for gate, w in zip(gates, weight, strict=True)]
            gain[-1] = (most**2 - gates[-1] ** 2) * weight[-1]
            current = tuple(_changed(gate, w, g, k, most) for gate, w, g in zip(gates, weight, gain, strict=True))
            steps = [np.outer(path, asked * gate) for path, asked, gate in zip(arriving, above, current, strict=True)]
            # Of rank one, so that the norm is that of all entries.
            sizes = [float(np.linalg.norm(step)) for step in steps]
            layers = tuple(
                V + (step_radius(V, tau) / size) * step if size > 0.0 else V
                for V, step, size in zip(weights, steps, sizes, strict=True)
            )
            right = _near_top(layers, current, right)
            reached = float(np.linalg.norm(_through(layers, current, right)[-1]))
            if reached > largest:
                best, largest = (layers, current), reached
    return best


def _near_top(weights: Sequence[Array], gates: Sequence[Array], right: Array) -> Array:
    """A unit vector (m_0,) after some power iterations of the product, from another."""
    for _ in range(POWER_ITERATIONS):
        right = _back(weights, gates, _through(weights, gates, right)[-1])[1]
        right = right / float(np.linalg.norm(right))
    return right


def _through(weights: Sequence[Array], gates: Sequence[Array], path: Array) -> list[Array]:
    """What a vector (m_0,) becomes after each gated layer."""
    found = []
    for V, gate in zip(weights, gates, strict=True):
        path = (path @ V) * gate
        found.append(path)
    return found


def _back(weights: Sequence[Array], gates: Sequence[Array], path: Array) -> tuple[list[Array], Array]:
    """What a vector (m_L,) becomes on its way down: above the gates of each layer, and below the first layer."""
    found = []
    for V, gate in zip(reversed(weights), reversed(gates), strict=True):
        found.append(path)
        path = V @ (path * gate)
    return found[::-1], path


def _changed(gate: Array, weight: Array, gain: Array, k: int, most: float) -> Array:
    """The gates, with the k of the largest gain (m,) changed to +-most, by the sign of the weight (m,)."""
    places = np.argpartition(-gain, k - 1)[:k]
    out = gate.copy()
    out[places] = np.where(weight[places] < 0.0, -most, most)
    return out


# --- output functionals ---------------------------------------------------------------------------


def output_gap(pair: NearPair, s: int, choices: int = 1) -> Array:
    """||V~_{L+1} prod (Sigma~ + S) V~ - V^_{L+1} prod Sigma^ V^|| for the products from layer l = 1..L on: (L,).

    S has s entries of 1 or -1 in each layer: those which enlarge the difference most above the layer; with more
    `choices` also those which add most along the difference that the choice before has made below it, if that is more.
    """
    rows = [pair.tilde.weights[-1].T, pair.hat.weights[-1].T]
    gaps = []
    for layer in range(pair.tilde.depth - 1, -1, -1):
        V, W = pair.tilde.weights[layer], pair.hat.weights[layer]
        one, other = rows[0] * pair.one.masks[layer], rows[1] * pair.other.masks[layer]
        difference = (one - other)[0]
        gain = (np.abs(difference) + np.abs(rows[0][0])) ** 2 - difference**2
        sign = np.where(difference * rows[0][0] < 0.0, -1.0, 1.0)
        below, largest = rows[0], -1.0
        for remaining in reversed(range(choices)):
            places = np.argpartition(-gain, s - 1)[:s] if s else np.array([], dtype=np.intp)
            extended = one.copy()
            extended[0, places] += sign[places] * rows[0][0, places]
            candidate = extended @ V.T
            after = other @ W.T
            gap = candidate - after
            if (size := float(np.linalg.norm(gap))) > largest:
                below, largest = candidate, size
            if remaining:
                added = (rows[0] * (gap @ V))[0]
                gain, sign = np.abs(added), np.where(added < 0.0, -1.0, 1.0)
        rows = [below, after]
        gaps.append(largest)
    return np.array(gaps[::-1])


def loud_slopes(net: Network, x: Array, tau: float) -> tuple[list[WeightStep], list[WeightStep]]:
    """Steps of V~: slopes of the last hidden layer altered where the output weights are large, and a step of these."""
    fwd = forward(net, x)
    V, arriving, v = net.weights[-2], fwd.post[-2], net.weights[-1][:, 0]
    u, h = fwd.pre[-1][0], net.activation.h
    change = np.where(u > 0.0, -(1.0 + PAST_BEND) * u, h - u)
    order = np.argsort(change**2 / v**2)
    room = (step_radius(V, tau) * float(np.linalg.norm(arriving))) ** 2
    chosen = order[: np.searchsorted(np.cumsum(change[order] ** 2), room)]
    mask = np.zeros_like(u)
    mask[chosen] = 1.0
    tilde, hat = still(net), still(net)
    tilde[-2] = along(V, arriving, mask * change)
    tilde[-1] = net.weights[-1] * (tau * (1.0 - 1e-9) / float(np.linalg.norm(v)))
    return tilde, hat


# --- linearisation --------------------------------------------------------------------------------


def linearisation_remainder(pair: NearPair) -> float:
    """f_V^(x) - f_V~(x) - <grad f_V~(x), V^ - V~>, over all L + 1 layers."""
    linear = tangent_features(pair.tilde, pair.one).along(difference(pair.hat, pair.tilde))
    return float((pair.other.output - pair.one.output - linear)[0])


def kinked_pair(net: Network, x: Array, tau: float) -> tuple[list[WeightStep], list[WeightStep]]:
    """Steps of V~ and V^ after which many neurons of the last hidden layer are below their bend and well above it.

    Only those with positive output weights v_j count, so that all errors add up. V~ closes the open ones with the
    smallest u_j/v_j, as many as the radius allows; V^ opens these, and the closed ones with |u_j| < z v_j/2, by moves
    z v_j, where z uses up the radius: the best moves there are, by the multipliers of the two constraints.
    """
    fwd = forward(net, x)
    V, arriving, v = net.weights[-2], fwd.post[-2], net.weights[-1][:, 0]
    u, room = fwd.pre[-1][0], step_radius(V, tau) * float(np.linalg.norm(arriving))
    open_ = np.flatnonzero((v > 0.0) & (u > 0.0))
    open_ = open_[np.argsort(u[open_] / v[open_])]
    closing = open_[: np.searchsorted(np.cumsum(u[open_] ** 2), room**2)]
    shut = np.flatnonzero((v > 0.0) & (u <= 0.0))
    shut = shut[np.argsort(-u[shut] / v[shut])]
    # With j of the closed ones z is known; those stay in as long as |u_j| < z v_j/2.
    squares = float(np.sum(v[closing] ** 2)) + np.cumsum(v[shut] ** 2)
    z = room / np.sqrt(squares)
    opening = shut[: np.count_nonzero(-u[shut] < 0.5 * z * v[shut])]
    lifted = np.concatenate([closing, opening])
    tilde_change, hat_change = np.zeros_like(u), np.zeros_like(u)
    tilde_change[closing] = -u[closing]
    if lifted.size:
        hat_change[lifted] = v[lifted] * (room / float(np.linalg.norm(v[lifted])))
    tilde, hat = still(net), still(net)
    tilde[-2], hat[-2] = along(V, arriving, tilde_change), along(V, arriving, hat_change)
    # Opposite steps of the output layer along the difference of the features add what they can.
    activation = net.activation
    direction = (activation.value(u + hat_change) - activation.value(u + tilde_change))[:, np.newaxis]
    size = float(np.linalg.norm(direction))
    if size > 0.0:
        hat[-1] = direction * (tau * (1.0 - 1e-9) / size)
        tilde[-1] = -hat[-1]
    return tilde, hat


def absorbed_terms(pair: NearPair) -> float:
    """What (111) and (112) of chatterji2021 bound in the last hidden layer, by norms: of the row and of the vector.

    The first is ||V^_{L+1} (Sigma^ + S - Sigma~)|| ||(V^ - V~) x~||, S the secants of the proof of Lemma E.14, the
    second |V^_{L+1} chi|.
    """
    one, other = pair.one, pair.other
    v = pair.hat.weights[-1][:, 0]
    before, after = one.pre[-1][0], other.pre[-1][0]
    change = after - before
    jump = other.masks[-1][0] - one.masks[-1][0]
    with np.errstate(divide="ignore", invalid="ignore"):
        secant = np.where(change != 0.0, jump * before / np.where(change == 0.0, 1.0, change), 0.0)
    step = (one.post[-2] @ (pair.hat.weights[-2] - pair.tilde.weights[-2]))[0]
    chi = other.post[-1][0] - other.masks[-1][0] * after - one.post[-1][0] + one.masks[-1][0] * before
    return float(np.linalg.norm(v * (jump + secant)) * np.linalg.norm(step)) + abs(float(v @ chi))


def admitted_radius(m: int, L: int, share: float, n: int = 1, delta: float = 0.1) -> float:
    """A radius between the ends that chatterji2021, Lemma D.7, allows with constants 1, on a logarithmic scale."""
    low = float(sheet.lemma_E_9_radius.evaluate({"m": m, "L": L, "n": n, "delta": delta}))
    high = float(sheet.lemma_E_14_radius.evaluate({"m": m, "L": L}))
    return low * (high / low) ** share


def bend(m: int, tau: float) -> float:
    """A hundredth of the smoothing that chatterji2021, Lemma E.14, allows."""
    return 0.01 * tau / float(sheet.lemma_E_14_smoothing.smaller(m=m, h=1.0))
