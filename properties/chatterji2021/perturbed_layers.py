"""Pairs of networks with smooth activations that differ in one layer or in all, and bounds on what that changes.

Main definitions: `SHAPE` and `pinned_pair`, what a search may choose of a pair that differs in one layer and one such
choice; `SHAPE_OF_ALL` and `pinned_of_all`, the same where all layers move; `one_layer` and `all_layers`, the pairs;
`PerturbedPair`, with its passes, losses and norms.

The networks are those of chatterji2021, Section 2.2. Layers are numbered from 0 here. A loss below exp(-600) is
reported as exp(-600), and all that is proportional to it is raised by the same factor.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator

from nets.core.arrays import Array
from nets.networks.activations import Activation, custom_activation
from nets.networks.forward import Forward, forward
from nets.networks.gradients import Backward, backward
from nets.networks.log_loss import log_mean, logistic_terms
from nets.networks.logistic_gradients import logistic_gradient
from nets.networks.network import Network, smooth_network
from properties.chatterji2021 import smooth_members
from properties.chatterji2021.curvature import LABELS
from properties.chatterji2021.norm_products import UPWARD_FACTOR, Products, operator_norms
from theory.claims import choices, reals

EPS = float(np.finfo(np.float64).eps)

# Losses below this are reported as this.
LEAST_LOG_LOSS = -600.0
# A ratio of losses beyond this is reported as this: any above 2 is outside the premises.
LARGEST_LOG = 600.0

DEEPEST = 6
# decades that stand for a norm of zero
ZERO = -3.0


# ------------------------------------------------------------------------- activations

HUBERISED, SWISH, IDENTITY = "huberised_relu", "scaled_swish", "identity"
BENT_DOWN, FLAT = "bent down at 3/4", "odd and flat at zero"
PERTURBED_MEMBERS: dict[str, Callable[[float], Activation]] = {
    name: smooth_members.MEMBERS[name] for name in (HUBERISED, SWISH, IDENTITY, BENT_DOWN, FLAT)
}


def stretched_activation(activation: Activation, factor: float) -> Activation:
    """The activation times a factor, which above 1 breaks Definition 2.1."""
    if factor == 1.0:
        return activation
    return custom_activation(
        "stretched",
        lambda z: factor * activation.value(z),
        lambda z: factor * activation.slope(z),
        smoothness=factor * activation.smoothness,
        h=activation.h,
    )


# ------------------------------------------------------------------------- pairs of networks


@dataclass(frozen=True, eq=False)
class PerturbedPair:
    """Two networks V and W, samples X (n, m), labels y (n,) and an h for which their activation calls itself h-smooth.

    `level` is the layer in which they differ, or None where all layers may.
    """

    V: Network
    W: Network
    X: Array
    y: Array
    h: float
    level: int | None = None

    @cached_property
    def at_V(self) -> Forward:
        """The pass through V."""
        return forward(self.V, self.X)

    @cached_property
    def at_W(self) -> Forward:
        """The pass through W."""
        return forward(self.W, self.X)

    @cached_property
    def steps(self) -> tuple[Array, ...]:
        """W - V, layer by layer."""
        return tuple(W - V for V, W in zip(self.V.weights, self.W.weights, strict=True))

    @cached_property
    def low(self) -> float:
        """min(||V||, ||W||)."""
        return min(self.V.norm, self.W.norm)

    @cached_property
    def before(self) -> Products:
        """Products of the operator norms of V."""
        return Products(operator_norms(self.V.weights))

    @cached_property
    def larger(self) -> Products:
        """Products of the larger of the operator norms of V and W, layer by layer."""
        return Products(np.maximum(self.before.norms, operator_norms(self.W.weights)))

    @cached_property
    def moved(self) -> Array:
        """Operator norms (L + 1,) of the steps, rounded up by more than two passes lose.

        A relative error of a few units in the last place of each product of layers is as good as a step of that
        size relative to the layer itself.
        """
        m, depth = self.X.shape[1], self.V.depth
        return operator_norms(self.steps) + 16 * (depth + 1) * (m + 1) * EPS * self.larger.norms

    @cached_property
    def distop(self) -> float:
        """Operator norm of the step at the replaced layer, or the largest; rounded up as in `moved`."""
        return float(self.moved.max() if self.level is None else self.moved[self.level])

    @cached_property
    def dist(self) -> float:
        """||V - W||, and at least the root of the sum of the squares of `moved`, to which rounding adds."""
        frobenius = math.sqrt(sum(float(np.sum(step * step)) for step in self.steps)) * UPWARD_FACTOR
        used = self.moved if self.level is None else self.moved[[self.level]]
        return max(frobenius, float(np.linalg.norm(used)))

    # --- losses

    @cached_property
    def log_losses(self) -> Array:
        """log J_s(V): (n,)."""
        return logistic_terms(self.at_V.margins(self.y)).log_loss

    @cached_property
    def log_loss(self) -> float:
        """log J(V), the mean over the samples."""
        return log_mean(self.log_losses)

    @cached_property
    def loss(self) -> float:
        """J(V), or exp(-600) where it is less."""
        return math.exp(max(self.log_loss, LEAST_LOG_LOSS))

    def weights(self, passed: Forward) -> Array:
        """g_s/J(V): (n,)."""
        return np.exp(logistic_terms(passed.margins(self.y)).log_weight - self.log_loss)

    @cached_property
    def end_rise(self) -> float:
        """max_s J_s(W)/J_s(V)."""
        logs = logistic_terms(self.at_W.margins(self.y)).log_loss - self.log_losses
        return math.exp(min(float(logs.max()), LARGEST_LOG)) * UPWARD_FACTOR

    @cached_property
    def rise(self) -> float:
        """An upper bound of the largest J_s on the segment from V to W, over J_s(V), one layer being replaced.

        From V, W and their mean: in between log J_s moves no faster than the output, which moves by at most the step
        times the operator norms of the other layers.
        """
        assert self.level is not None
        mean = tuple(0.5 * (V + W) for V, W in zip(self.V.weights, self.W.weights, strict=True))
        passes = (self.at_V, forward(self.V.with_weights(mean), self.X), self.at_W)
        logs = np.stack([logistic_terms(each.margins(self.y)).log_loss for each in passes])
        speed = float(self.before.without_one[self.level]) * self.distop
        return rise_between(logs, speed / 2.0) * UPWARD_FACTOR

    # --- changes

    def gradient_change(self) -> float:
        """||grad J(V) - grad J(W)||, in proportion to `loss`."""
        before = logistic_gradient(self.V, self.at_V, self.y, self.log_loss)
        after = logistic_gradient(self.W, self.at_W, self.y, self.log_loss)
        change = np.concatenate([(a - b).ravel() for a, b in zip(after, before, strict=True)])
        # Multiplied by the loss last: squares of gradients on its scale would underflow.
        return self.loss * float(np.linalg.norm(change))

    def weight_change(self) -> float:
        """|g(V) - g(W)| of one sample, from the logarithms of both, in proportion to `loss`."""
        first, second = (float(logistic_terms(p.margins(self.y)).log_weight[0]) for p in (self.at_V, self.at_W))
        return self.loss * math.exp(first - self.log_loss) * abs(math.expm1(second - first))

    def terms(self) -> tuple[tuple[Array, Array | None], ...]:
        """Xi_1, Xi_2, Xi_3 of (14) for one sample and every hidden layer, in proportion to `loss`.

        Three times the values (L,) and what rounding adds to them (L,), none where `moved` covers it. All three are
        matrices of rank one, or zero, so that operator and Frobenius norm are the same. No difference of backward
        vectors or of weights is taken of numbers that agree: steps far below their rounding are resolved.
        """
        depth, V_passed, W_passed = self.V.depth, self.at_V, self.at_W
        mixed = backward(self.V.with_weights((*self.V.weights[:-1], self.W.weights[-1])), V_passed)
        last = backward(self.V.with_weights((*self.V.weights[:-1], self.steps[-1])), V_passed)
        changed, sizes = self._backward_change(mixed)
        g_V, g_W, g_change = self.weights(V_passed)[0], self.weights(W_passed)[0], self._weight_change()
        found, lost = np.zeros((3, depth)), np.zeros((3, depth))
        for k in range(depth):
            c, x_V, x_W = mixed.b[k][0], V_passed.post[k][0], W_passed.post[k][0]
            found[0, k] = g_W * np.linalg.norm(c) * np.linalg.norm(x_W - x_V)
            parts = g_change * c, g_V * last.b[k][0]
            found[1, k] = np.linalg.norm(parts[0] + parts[1]) * np.linalg.norm(x_V)
            lost[1, k] = LOST * sum(np.linalg.norm(part) for part in parts) * np.linalg.norm(x_V)
            found[2, k] = g_W * np.linalg.norm(changed[k]) * np.linalg.norm(x_W)
            lost[2, k] = LOST * g_W * np.linalg.norm(sizes[k]) * np.linalg.norm(x_W)
        found, lost = self.loss * found, self.loss * lost
        return (found[0], None), (found[1], lost[1]), (found[2], lost[2])

    def _weight_change(self) -> float:
        """(g(W) - g(V))/J(V) of one sample: g(V) expm1(f(V) - f(W)) sigma(f(W)) at margins f, unless they are far."""
        first, second = (float(passed.margins(self.y)[0]) for passed in (self.at_V, self.at_W))
        g_V, g_W = self.weights(self.at_V)[0], self.weights(self.at_W)[0]
        if abs(second - first) > 1.0:
            return float(g_W - g_V)
        share = math.exp(float(logistic_terms(np.array([-second])).log_weight[0]))
        return float(g_V) * math.expm1(first - second) * share

    def _backward_change(self, mixed: Backward) -> tuple[list[Array], list[Array]]:
        """By how much the backward vectors (m,) of W exceed `mixed`, layer by layer, and the sizes of what is summed.

        Those of V with the output layer of W, `mixed`, differ by the slopes and by the hidden layers.
        """
        change, size = np.zeros(1), np.zeros(1)
        changed, sizes = [], []
        for k in reversed(range(self.V.depth)):
            W = self.W.weights[k + 1]
            step = self.steps[k + 1] if k + 1 < self.V.depth else np.zeros_like(W)
            bent, reach = slope_change(self.V.activation, self.at_V.pre[k][0], self.at_W.pre[k][0])
            slope, q, b = self.at_W.masks[k][0], mixed.later_q[k][0], mixed.b[k + 1][0]
            change = slope * (change @ W.T + b @ step.T) + bent * q
            size = np.abs(slope) * (size @ np.abs(W).T + np.abs(b) @ np.abs(step).T) + reach * np.abs(q)
            changed.append(change)
            sizes.append(size)
        return changed[::-1], sizes[::-1]


# Above this share of h a move of the pre-activation changes the slope by far more than rounding does; below it phi''
# at the middle gives the change, to the square of this.
NEAR = 1e-5

# What is lost of a difference that is taken so, relative to its terms: rounding over `NEAR`, with room.
LOST = 1e-9


def slope_change(activation: Activation, before: Array, after: Array) -> tuple[Array, Array]:
    """phi'(after) - phi'(before) of arrays (m,), and the largest that it can be of an h-smooth activation.

    A kink within a rounding of either end may count on the wrong side, which is as good as a step (see `Pair.moved`).
    """
    move = after - before
    far = activation.slope(after) - activation.slope(before)
    if activation.curvature_rule is None:
        return far, np.maximum(np.abs(far), 1.0)
    low, high = np.minimum(before, after), np.maximum(before, after)
    cuts = np.sort([low, *(np.clip(kink, low, high) for kink in activation.bends), high], axis=0)
    pieces = np.diff(cuts, axis=0)
    near = np.sign(move) * np.sum(activation.curvature(cuts[:-1] + 0.5 * pieces) * pieces, axis=0)
    return np.where(np.abs(move) > NEAR * activation.h, far, near), np.abs(move) / activation.h


def rise_between(logs: Array, move: float) -> float:
    """The largest ratio that log J_s allows on a path, from its values (k, n) at k points, to that at the first.

    Between two points it moves by no more than `move`: then it is at most half of `move` above their mean.
    """
    peaks = np.maximum(0.5 * (logs[1:] + logs[:-1] + move), np.maximum(logs[1:], logs[:-1]))
    return math.exp(min(float((peaks - logs[0]).max()), LARGEST_LOG))


# ------------------------------------------------------------------------- what a search chooses

FIRST_COORDINATES, EQUAL_ENTRIES = "first coordinates", "equal entries"
BY_THE_OUTPUT, BY_THE_NORMS = "by the output", "by the norms"

SHAPE: dict[str, Any] = {
    "width": st.integers(1, 4),
    "member": choices(*PERTURBED_MEMBERS),
    # ||V||, from the least to the largest of the claim
    "size": reals(0.0, 1.0),
    # decades by which the norm of one layer exceeds the others; at `ZERO` the layer is zero
    "heavy": st.integers(0, DEEPEST),
    "weight": reals(ZERO, 3.0),
    # the layer replaced, the size of the step, and how far it is aligned
    "level": st.integers(0, DEEPEST),
    "reach": reals(1e-3, 4.0, logarithmic=True),
    "turn": reals(-1.0, 1.0),
    # share of Gaussian matrices in the layers, which are else of rank one along one direction
    "rough": reals(0.0, 1.0),
    "along": choices(FIRST_COORDINATES, EQUAL_ENTRIES),
    # the hidden layer whose pre-activations are near the bend, and decades of h above them
    "bent": st.integers(0, DEEPEST - 1),
    "bend": reals(-2.0, 1.0),
    "label": choices(*LABELS),
    # random samples beside the one along the layers, where all layers move
    "others": st.integers(0, 2),
}
# Where all layers move none is the one replaced; the steps are in proportion to what they do to the output of a chain
# of rank one, or to the layers themselves.
SHAPE_OF_ALL: dict[str, Any] = {
    **{name: drawn for name, drawn in SHAPE.items() if name != "level"},
    "steps": choices(BY_THE_OUTPUT, BY_THE_NORMS),
}
# The argument of a measuring function that is made of them.
SHAPES = {"shape": (dict, SHAPE)}
SHAPES_OF_ALL = {"shape": (dict, SHAPE_OF_ALL)}

Shape = Mapping[str, Any]

# One scalar per layer, all alike, the first replaced by a step towards zero that nearly doubles a small loss.
PLAIN: dict[str, Any] = {
    "width": 1,
    "member": HUBERISED,
    "size": 0.5,
    "heavy": 0,
    "weight": 0.0,
    "level": 0,
    "reach": 0.999,
    "turn": -1.0,
    "rough": 0.0,
    "along": FIRST_COORDINATES,
    "bent": 0,
    "bend": -2.0,
    "label": "positive",
    "others": 0,
}


def pinned_pair(**changes: Any) -> dict[str, Any]:
    """A pinned pair: `PLAIN` but for the changes."""
    return {**PLAIN, **changes, "trial": 0}


def pinned_of_all(pins: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Pinned pairs that differ in one layer as pairs that differ in all, with steps of either kind; none twice."""
    found: list[dict[str, Any]] = []
    for pin in pins:
        rest = {name: value for name, value in pin.items() if name != "level"}
        made = [{**rest, "steps": steps} for steps in (BY_THE_OUTPUT, BY_THE_NORMS)]
        found += [one for one in made if one not in found]
    return found


def weights_of(rng: Generator, L: int, chosen: Shape, least: float, largest: float) -> list[Array]:
    """Layers of total norm between `least` and `largest`, in the proportions that `chosen` asks for."""
    shares = np.ones(L + 1)
    shares[chosen["heavy"] % (L + 1)] = 10.0 ** chosen["weight"] if chosen["weight"] != ZERO else 0.0
    shares *= least * (largest / least) ** chosen["size"] / np.linalg.norm(shares)
    aligned = direction(chosen)
    layers = []
    for i, share in enumerate(shares):
        target = np.outer(aligned, aligned) if i < L else aligned[:, None]
        layers.append(share * mixture(target, rng.standard_normal(target.shape), chosen["rough"]))
    return layers


def direction(chosen: Shape) -> Array:
    """The unit vector (m,) that the rank-one parts of all layers are made of, and the input."""
    m = chosen["width"]
    return np.full(m, m**-0.5) if chosen["along"] == EQUAL_ENTRIES else np.eye(m)[0]


def smoothing_of(chosen: Shape, norms: Array, largest_h: float) -> float:
    """The h for which a pre-activation at the layer that `chosen` names is near the bend; at most `largest_h`."""
    reached = float(np.prod(norms[: 1 + chosen["bent"] % (norms.size - 1)]))
    return min(largest_h, max(1e-8, reached * 10.0 ** chosen["bend"])) if reached > 0.0 else largest_h


def mixture(target: Array, noise: Array, share: float, sign: float = 1.0) -> Array:
    """(1 - share) of a matrix, or of its negative, and `share` of another, all of Frobenius norm 1.

    Two scalars of opposite signs may cancel; it is the first matrix then.
    """
    first, second = sign * target / np.linalg.norm(target), noise / np.linalg.norm(noise)
    found = (1.0 - share) * first + share * second
    size = float(np.linalg.norm(found))
    return found / size if size > 0.0 else first


def layer_direction(rng: Generator, chosen: Shape, last: bool) -> Array:
    """A matrix of Frobenius norm 1: rank one along the layers, against them, or a mixture with noise."""
    aligned = direction(chosen)
    target = aligned[:, None] if last else np.outer(aligned, aligned)
    return mixture(
        target, rng.standard_normal(target.shape), 1.0 - abs(chosen["turn"]), math.copysign(1.0, chosen["turn"])
    )


def one_layer(
    rng: Generator,
    L: int,
    chosen: Shape,
    *,
    least: float,
    largest: float,
    farthest: Callable[[float], float],
    unit: str = "loss",
    largest_h: float = 1.0,
    stretch: float = 1.0,
    bend_length: float = 1.0,
    input_norm: float = 1.0,
) -> PerturbedPair:
    """V and W that differ in one layer.

    `farthest` gives the largest step for a norm ||V||. The step is `reach` times a unit, if that is less: ||V||
    ("norm"), the step that doubles a small loss ("loss"), or the one that moves the pre-activation near the bend by h
    ("bend"). Beyond the definitions, for wrong variants: slopes up to `stretch`, a bend of `bend_length` times h, an
    input of norm `input_norm`.
    """
    layers = weights_of(rng, L, chosen, least, largest)
    level = chosen["level"] % (L + 1)
    norms = operator_norms(layers)
    norm = float(np.linalg.norm([np.linalg.norm(layer) for layer in layers]))
    h = smoothing_of(chosen, norms, largest_h)
    products = Products(norms)
    bent = max(level, chosen["bent"] % L)
    units = {
        "norm": (norm, 1.0),
        "loss": (math.log(2.0), float(products.without_one[level])),
        "bend": (h, float(products.up_to[bent, level])),
    }
    moves, per_step = units[unit]
    size = min(farthest(norm), chosen["reach"] * moves / per_step if per_step > 0.0 else math.inf)
    replaced = [*layers]
    replaced[level] = layers[level] + size * layer_direction(rng, chosen, level == L)
    activation = stretched_activation(PERTURBED_MEMBERS[chosen["member"]](bend_length * h), stretch)
    return PerturbedPair(
        V=smooth_network(layers, activation),
        W=smooth_network(replaced, activation),
        X=input_norm * direction(chosen)[None, :],
        y=np.array([LABELS[chosen["label"]]]),
        h=h,
        level=level,
    )


def all_layers(
    rng: Generator,
    L: int,
    chosen: Shape,
    *,
    least: float,
    largest: float,
    farthest: Callable[[float], float],
    largest_h: float = 1.0,
) -> PerturbedPair:
    """V and W that may differ in every layer, and one to three samples; see `SHAPE_OF_ALL` and `one_layer`."""
    layers = weights_of(rng, L, chosen, least, largest)
    norms = operator_norms(layers)
    without = Products(norms).without_one
    shares = without if chosen["steps"] == BY_THE_OUTPUT and without.any() else norms
    shares = shares / np.linalg.norm(shares)
    speed = float(shares @ without)
    scale = chosen["reach"] * math.log(2.0) / speed if speed > 0.0 else math.inf
    size = min(farthest(float(np.linalg.norm([np.linalg.norm(layer) for layer in layers]))), scale)
    moved = [
        layer + size * share * layer_direction(rng, chosen, i == L)
        for i, (layer, share) in enumerate(zip(layers, shares, strict=True))
    ]
    h = smoothing_of(chosen, norms, largest_h)
    others = rng.standard_normal((chosen["others"], chosen["width"]))
    inputs = np.vstack([direction(chosen)[None, :], others / np.linalg.norm(others, axis=1, keepdims=True)])
    activation = PERTURBED_MEMBERS[chosen["member"]](h)
    return PerturbedPair(
        V=smooth_network(layers, activation),
        W=smooth_network(moved, activation),
        X=inputs,
        y=np.append(LABELS[chosen["label"]], rng.choice([-1.0, 1.0], chosen["others"])),
        h=h,
    )


def hybrid_rise(pair: PerturbedPair) -> float:
    """An upper bound of how much losses grow when the layers of V are replaced by those of W one by one.

    That is, of all J_s(T(j))/J_s(V), and of the losses between T(j) and T(j + 1) over J_s(T(j)).
    """
    depth = pair.V.depth
    hybrids = [pair.V.with_weights((*pair.W.weights[:j], *pair.V.weights[j:])) for j in range(1, depth + 1)]
    passes = [pair.at_V, *(forward(net, pair.X) for net in hybrids), pair.at_W]
    logs = np.stack([logistic_terms(each.margins(pair.y)).log_loss for each in passes])
    moves = pair.moved * pair.larger.without_one
    between = max(rise_between(logs[j : j + 2], float(moves[j])) for j in range(depth + 1))
    return max(math.exp(min(float((logs - logs[0]).max()), LARGEST_LOG)), between) * UPWARD_FACTOR
