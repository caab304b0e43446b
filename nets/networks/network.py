"""Networks of every architecture as one description, and the random initialisations of the papers.

Main definitions: `Step` and `Network`; networks with ReLU and a fixed read-out: `he_network`, with stored layers,
`revealed_network`, with layers sampled only where they are looked at, and `gaussian_network`, which chooses by size;
all layers trained: `smooth_network`, `gaussian_smooth_network`; between a frozen first layer and a frozen read-out:
`leaky_network`; with skip connections: `residual_network`; one matrix at all times: `recurrent_network`;
`balanced_signs`; `perturbed`, `shifted`.

A network makes steps s = 1..S from a state to the next, samples as rows,

    pre_s = state_{s-1} W_{k(s)} + input_s A + c_s b,     state_s = carry_s state_{s-1} + scale_s phi_s(pre_s),

and reads its outputs off the last state, or off every one. Where the first step has an input of its own, state_0 is
zero, and else it is the input. In a plain network step s has the matrix W_s, carry 0 and scale 1, and steps are called
layers: `weights[l - 1]` is W_l, of shape (m_{l-1}, m_l), and column j of it is the weight vector of neuron j. A bias b
is a parameter like any other, of shape (1, m_s), trained or frozen; without one, and in the read-out, there is none.

    net = Network((W_1, W_2), v)                                  # v^T relu(W_2^T relu(W_1^T x)), v is not trained
    net = Network((W, V), steps=(Step(0, huberised_relu(0.1)),))  # V^T phi(W^T x), both are trained
    net = Network((W,), B, [Step(0, input=1)] * 5, frozen=(A,), every_step=True)         # recurrent, read at all times
    net = Network((W, b), v, [Step(0, bias=1)])                   # v^T relu(W^T x + b), W and b are trained

Of a layer nothing is asked but its shape, `X @ W`, `B @ W.T`, `W + step`, `W - step`, and the difference of two
versions of it. Stored arrays and `RevealedGaussian` offer these alike, so what is written for one kind of
network runs on the other.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from nets.core.arrays import Array, is_canonical
from nets.core.memory import require
from nets.core.normals import standard_normal
from nets.linear_algebra.lowrank import LowRank, frobenius_norms
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import IDENTITY, RELU, Activation, leaky_relu

# A stored array or a `RevealedGaussian`. Not a union: the arithmetic of a layer and a step of its own kind would
# then have to be spelled out for every pair of kinds.
Layer = Any

# Entries up to which `gaussian_network` stores a layer: 32 MB, where a forward pass takes a few milliseconds.
STORED_ENTRIES = 2**22


@dataclass(frozen=True)
class Step:
    """How a network goes from one state to the next.

    Attributes
    ----------
    weight : number of W in `Network.parameters`; steps may share it
    activation : phi
    input : number of the matrix A of an input of its own; None for none
    carry : what the old state counts in the new one: 0, or 1 for a skip connection
    scale : what phi counts
    bias : number of the row b that is added to all samples; None for none
    bias_scale : what b counts

    Raises ValueError for an activation that is a mere function.
    """

    weight: int
    activation: Activation = RELU
    input: int | None = None
    carry: float = 0.0
    scale: float = 1.0
    bias: int | None = None
    bias_scale: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.activation, Activation):
            named = getattr(self.activation, "__name__", self.activation)
            raise ValueError(
                f"the activation {named} is none, as its derivative is not known: make it by "
                f"custom_activation(name, value, slope, smoothness=...)"
            )

    def combined(self, state: Array | None, moved: Array) -> Array:
        """carry * state + scale * moved; in a plain step `moved` itself, whatever the state."""
        if self.scale != 1.0:
            moved = self.scale * moved
        return self.carry * state + moved if self.carry and state is not None else moved


# For each weight, where it is used: the numbers of x among states and then inputs, and of b, in its gradient x^T b.
Uses = tuple[tuple[tuple[int, int], ...], ...]

# The numbers of a step's weight, of the matrix of its input and of its bias.
Met = tuple[int, int | None, int | None]


@lru_cache
def _uses(met: tuple[Met, ...], weights: int, reads: bool) -> Uses:
    """The uses of so many weights by steps that meet these; with `reads` the last reads the outputs."""
    used = defaultdict(list)
    alone = Counter(weight for weight, _, _ in met)
    inputs = itertools.count(len(met) + 1)
    # Behind the inputs of all steps there are the constants that biases are multiplied by.
    constants = itertools.count(len(met) + 1 + sum(fed is not None for _, fed, _ in met))
    for number, (weight, fed, bias) in enumerate(met):
        # Before a first step with an input of its own there is nothing but zero, which adds nothing to a gradient.
        if number or fed is None or alone[weight] == 1:
            used[weight].append((number, number))
        if fed is not None:
            used[fed].append((next(inputs), number))
        if bias is not None:
            used[bias].append((next(constants), number))
    if reads:
        used[weights - 1].append((len(met), len(met)))
    return tuple(tuple(used[number]) for number in range(weights))


@lru_cache
def _relu_layers(weights: int, reads: bool) -> tuple[tuple[Step, ...], Uses]:
    """A ReLU layer for each weight that is not the read-out, and their uses; networks are made by thousands."""
    hidden = range(weights - reads)
    return tuple(map(Step, hidden)), _uses(tuple((number, None, None) for number in hidden), weights, reads)


@dataclass(frozen=True, eq=False)
class Network:
    """The parameters of a network and what it does with them; a constant, as are its arrays.

    Attributes
    ----------
    weights : trained parameters: arrays, float64 and C-contiguous, or `RevealedGaussian`
    readout : (m_S,) for one output or (m_S, k) for k, not trained; None where the last of the weights, an array, is
        the read-out, trained
    steps : by default one ReLU layer for each of the weights that is not the read-out
    frozen : parameters that are not trained, numbered after the weights
    every_step : whether outputs are read off the states 1..S, and not off the last alone
    parameters : weights and frozen parameters
    widths : (d, m_1, ..., m_L); of a network that starts from zero the width of that state takes the place of d
    fed : how many steps have an input of their own
    uses : for each weight, where it is used: the numbers of x among states and then inputs, and of b, in x^T b; a state
        0 that is zero is left out where there are others
    scalar : whether there is one output, read once

    Raises ValueError where shapes do not fit together, an array is of another kind or a weight is not used.
    """

    weights: tuple[Layer, ...]
    readout: Array | None = None
    steps: Sequence[Step] = ()
    frozen: tuple[Layer, ...] = ()
    every_step: bool = False
    parameters: tuple[Layer, ...] = field(init=False, repr=False)
    widths: tuple[int, ...] = field(init=False, repr=False)
    fed: int = field(init=False, repr=False)
    uses: Uses = field(init=False, repr=False)
    scalar: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        hidden = len(self.weights) - (self.readout is None)
        if hidden < 1:
            missing = "" if self.readout is not None else ", and the trained read-out after it"
            raise ValueError(f"the network has no layer: pass at least one weight matrix{missing}")
        v, parameters = self.v, (*self.weights, *self.frozen)
        layout = len(self.weights), self.readout is None
        if self.steps:
            steps = tuple(self.steps)
            uses = _uses(tuple([(step.weight, step.input, step.bias) for step in steps]), *layout)
        else:
            steps, uses = _relu_layers(*layout)
        # The guard of a frozen dataclass is not asked: what follows from the fields is set once, here.
        self.__dict__.update(parameters=parameters, steps=steps, uses=uses)
        for number, W in enumerate(parameters):
            if not (is_canonical(W, 2) or isinstance(W, RevealedGaussian)):
                _check_kind(W, (2,), self._name(number))
        fed, widths = 0, [parameters[steps[0].weight].shape[0]]
        for step in steps:
            shape = parameters[step.weight].shape
            if shape[0] != widths[-1] or step.carry or step.input is not None or step.bias is not None:
                self._check_step(step, len(widths), widths[-1])
                fed += step.input is not None
            widths.append(shape[1])
        if not all(uses):
            unused = [self._name(number) for number, used in enumerate(uses) if not used]
            raise ValueError(f"no step uses {', '.join(unused)}: leave it out")
        if not (is_canonical(v, 1) or is_canonical(v, 2)):
            if not isinstance(v, np.ndarray):
                raise ValueError("the read-out is not stored: pass an array (m,) or (m, outputs)")
            _check_kind(v, (1, 2), "v")
        if v.shape[0] != widths[-1] or (self.every_step and len(set(widths[1:])) > 1):
            raise ValueError(
                f"v has {v.shape[0]} entries for a last layer of {widths[-1]} neurons: pass one entry per neuron"
            )
        scalar = not self.every_step and v.size == v.shape[0]
        self.__dict__.update(widths=tuple(widths), fed=fed, scalar=scalar)

    def _name(self, number: int) -> str:
        return f"W_{number + 1}" if number < len(self.weights) else f"frozen parameter {number - len(self.weights) + 1}"

    def _check_step(self, step: Step, number: int, width: int) -> None:
        W = self.parameters[step.weight]
        if W.shape[0] != width:
            raise ValueError(
                f"{self._name(step.weight)} has shape {W.shape} after a layer of {width} neurons: it needs {width} rows"
            )
        if step.carry and W.shape[1] != width:
            raise ValueError(
                f"step {number} carries a state of {width} neurons into one of {W.shape[1]}: make them alike"
            )
        if step.input is not None and self.parameters[step.input].shape != (self.inputs, W.shape[1]):
            raise ValueError(
                f"{self._name(step.input)} has shape {self.parameters[step.input].shape} in step {number}:"
                f" pass ({self.inputs}, {W.shape[1]})"
            )
        if step.bias is not None and self.parameters[step.bias].shape != (1, W.shape[1]):
            raise ValueError(
                f"{self._name(step.bias)} has shape {self.parameters[step.bias].shape} as the bias of step {number}:"
                f" pass (1, {W.shape[1]})"
            )

    @property
    def v(self) -> Array:
        """The read-out, trained or not: (m_S,) or (m_S, outputs)."""
        return self.weights[-1] if self.readout is None else self.readout

    @property
    def depth(self) -> int:
        """L, the number of steps."""
        return len(self.steps)

    @property
    def inputs(self) -> int:
        """The dimension of the inputs."""
        first = self.steps[0]
        return int(self.parameters[first.weight if first.input is None else first.input].shape[0])

    @property
    def activation(self) -> Activation:
        """The activation of all steps that are not linear; ValueError if they have several."""
        bent = [step.activation for step in self.steps if step.activation is not IDENTITY] or [IDENTITY]
        if any(activation != bent[0] for activation in bent):
            names = ", ".join(sorted({activation.name for activation in bent}))
            raise ValueError(f"the steps have several activations ({names}): ask each step for its own")
        return bent[0]

    @property
    def layer_norms(self) -> Array:
        """Frobenius norms of the weights: (weights,). Needs stored layers."""
        return frobenius_norms(self.stored_weights())

    @property
    def norm(self) -> float:
        """The root of the sum of the squared Frobenius norms of the weights. Needs stored layers."""
        return float(frobenius_norms([self.layer_norms])[0])

    def stored_weights(self) -> tuple[Array, ...]:
        """The weights, if all are arrays; ValueError if not."""
        return self._stored(self.weights)

    def stored_parameters(self) -> tuple[Array, ...]:
        """The weights and the frozen parameters, if all are arrays; ValueError if not."""
        return self._stored(self.parameters)

    def _stored(self, parameters: tuple[Layer, ...]) -> tuple[Array, ...]:
        for number, W in enumerate(parameters):
            if not isinstance(W, np.ndarray):
                raise ValueError(f"{self._name(number)} is not stored: this needs a network of arrays")
        return parameters

    def with_weights(self, weights: Sequence[Layer]) -> "Network":
        """The same network with other trained parameters."""
        weights = tuple(weights)
        if len(weights) != len(self.weights) or not all(map(_alike, weights, self.weights)):
            return replace(self, weights=weights)
        # What was checked of the old weights, and found from their shapes, is true of the new ones.
        net = object.__new__(Network)
        net.__dict__.update(self.__dict__, weights=weights, parameters=weights + self.frozen)
        return net

    def with_activation(self, activation: Activation) -> "Network":
        """The same network with another activation in all steps that are not linear."""
        steps = [step if step.activation is IDENTITY else replace(step, activation=activation) for step in self.steps]
        return replace(self, steps=tuple(steps))


def _alike(new: Layer, old: Layer) -> bool:
    """Whether a layer is of the shape and kind of another that has been checked."""
    return (
        type(new) is type(old)
        and new.shape == old.shape
        and (is_canonical(new, 2) or isinstance(new, RevealedGaussian))
    )


def _check_kind(array: Array, axes: tuple[int, ...], name: str) -> None:
    if array.ndim not in axes:
        raise ValueError(f"{name} has {array.ndim} axes: pass an array with {' or '.join(map(str, axes))}")
    if array.dtype != np.float64 or not array.flags.c_contiguous:
        order = "C-contiguous" if array.flags.c_contiguous else "not C-contiguous"
        raise ValueError(f"{name} is {array.dtype} and {order}: pass np.ascontiguousarray({name}, dtype=float)")


def balanced_signs(m: int) -> Array:
    """+1 in the first half, -1 in the second: (m,), m even (zou2018, Section 3.2)."""
    if m < 2 or m % 2:
        raise ValueError(f"the last layer has {m} neurons: balanced signs need an even, positive number")
    return np.repeat([1.0, -1.0], m // 2)


def he_network(widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0) -> Network:
    """Network of widths (d, m_1, ..., m_L), the entries of W_l drawn from N(0, gain/m_l), with balanced v.

    The variance counts the OUTPUTS of the layer (zou2018, Section 3.3), not its inputs as in most libraries.
    Raises `NotEnoughMemoryError` before anything is drawn where the layers would not fit in memory.
    """
    layers = _layers(widths, gain)
    _require(layers, math.inf)
    return Network(tuple([_stored(law, rng) for law in layers]), balanced_signs(widths[-1]))


def revealed_network(widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0) -> Network:
    """A network of the law of `he_network` whose layers are `RevealedGaussian`, each with its own generator.

    Raises `NotEnoughMemoryError` where one direction and its answer in each layer would not fit in memory.
    """
    return Network(_gaussian(_layers(widths, gain), rng, 0), balanced_signs(widths[-1]))


def gaussian_network(widths: Sequence[int], rng: np.random.Generator, gain: float = 2.0) -> Network:
    """A network of the law of `he_network` at any width: layers of at most `STORED_ENTRIES` entries are stored.

    Raises `NotEnoughMemoryError` as `he_network` and `revealed_network` do.
    """
    return Network(_gaussian(_layers(widths, gain), rng), balanced_signs(widths[-1]))


def smooth_network(weights: Sequence[Layer], activation: Activation) -> Network:
    """phi(... phi(x V_1) ... V_L) V_{L+1} (chatterji2021, Section 2.2): all layers trained, the last an array (p_L, 1).

    Raises ValueError as `Network` does, and for a last layer of another shape.
    """
    if np.shape(weights[-1])[1:] != (1,):
        raise ValueError(f"the output layer has shape {np.shape(weights[-1])}: pass an array (p_L, 1)")
    return Network(tuple(weights), steps=tuple(Step(k, activation) for k in range(len(weights) - 1)))


def gaussian_smooth_network(
    widths: Sequence[int],
    activation: Activation,
    rng: np.random.Generator,
    gain: float = 2.0,
    output_variance: float = 1.0,
    *,
    stored: float = STORED_ENTRIES,
) -> Network:
    """`smooth_network` of widths (p_0, ..., p_L), V_l from N(0, gain/p_l), V_{L+1} from N(0, output_variance).

    The initialisation of chatterji2021, Section 3.2, where all widths are p. Hidden layers of more than `stored`
    entries are `RevealedGaussian`. Raises `NotEnoughMemoryError` where they would not fit in memory.
    """
    layers = _gaussian(_layers(widths, gain), rng, stored)
    return smooth_network((*layers, rng.normal(0.0, math.sqrt(output_variance), (widths[-1], 1))), activation)


def leaky_network(
    d: int, m: int, depth: int, outputs: int, slope: float, rng: np.random.Generator, *, stored: float = STORED_ENTRIES
) -> Network:
    """x A, then `depth` layers of width m with rescaled leaky ReLU, then B: A and B are frozen (guo2024, Algorithm 1).

    A (d, m) from N(0, 1/m), W_l from N(0, 2/m), B (m, outputs) from N(0, 1/outputs). Layers of more than `stored`
    entries are `RevealedGaussian`.
    """
    A, *weights = _gaussian([((d, m), 1.0 / m), *[((m, m), 2.0 / m)] * depth], rng, stored)
    steps = (Step(depth, IDENTITY), *(Step(k, leaky_relu(slope)) for k in range(depth)))
    return Network(tuple(weights), _stored(((m, outputs), 1.0 / outputs), rng), steps, (A,))


def residual_network(
    widths: Sequence[int], theta: float, rng: np.random.Generator, *, stored: float = STORED_ENTRIES
) -> Network:
    """x_1 = relu(x W_1), x_l = x_{l-1} + theta relu(x_{l-1} W_l), then a last ReLU layer and fixed signs (frei2019).

    `widths` are (d, m_1, ..., m_{L+1}), m_1 = ... = m_L, all L + 1 layers are trained and drawn from N(0, 2/m_l).
    Layers of more than `stored` entries are `RevealedGaussian`.
    """
    weights = _gaussian(_layers(widths, 2.0), rng, stored)
    skips = [Step(k, carry=1.0, scale=theta) for k in range(1, len(weights) - 1)]
    steps = (Step(0), *skips, *([Step(len(weights) - 1)] if len(weights) > 1 else []))
    return Network(weights, balanced_signs(widths[-1]), steps)


def recurrent_network(
    d: int, m: int, outputs: int, times: int, rng: np.random.Generator, *, stored: float = STORED_ENTRIES
) -> Network:
    """h_t = relu(h_{t-1} W + x_t A), h_0 = 0, read by B at all times; W alone is trained (allenzhu2018rnn).

    W (m, m) and A (d, m) from N(0, 2/m), B (m, outputs) from N(0, 1/outputs). Layers of more than `stored` entries are
    `RevealedGaussian`.
    """
    W, A = _gaussian([((m, m), 2.0 / m), ((d, m), 2.0 / m)], rng, stored)
    return Network(
        (W,), _stored(((m, outputs), 1.0 / outputs), rng), (Step(0, input=1),) * times, (A,), every_step=True
    )


# The shape of a Gaussian layer and the variance of its entries.
Law = tuple[tuple[int, int], float]


def _layers(widths: Sequence[int], gain: float) -> list[Law]:
    """Layers (m_{l-1}, m_l) of variance gain/m_l."""
    if len(widths) < 2 or min(widths) < 1:
        raise ValueError(f"widths are {tuple(widths)}: pass (d, m_1, ..., m_L), all positive, with L >= 1")
    return [(pair, gain / pair[1]) for pair in itertools.pairwise(widths)]


def _gaussian(layers: Sequence[Law], rng: np.random.Generator, stored: float = STORED_ENTRIES) -> tuple[Layer, ...]:
    """Layers drawn each from its own generator, stored up to so many entries and revealed beyond."""
    _require(layers, stored)
    return tuple(
        _stored((shape, variance), own)
        if math.prod(shape) <= stored
        else RevealedGaussian(*shape, math.sqrt(variance), own)
        for (shape, variance), own in zip(layers, rng.spawn(len(layers)), strict=True)
    )


def _stored(law: Law, rng: np.random.Generator) -> Array:
    shape, variance = law
    W = standard_normal(rng, shape)
    W *= math.sqrt(variance)
    return W


def _require(layers: Sequence[Law], stored: float = STORED_ENTRIES) -> None:
    """Raise `NotEnoughMemoryError` unless these layers fit in memory together.

    Those of at most `stored` entries as arrays, the others revealed, with one direction and its answer each.
    """

    def what() -> str:
        largest = max((shape for shape, _ in layers), key=math.prod)
        return f"a network of {len(layers)} layers, the largest of shape {largest},"

    require(sum([rows * cols if rows * cols <= stored else rows + cols for (rows, cols), _ in layers]), what)


def perturbed(net: Network, steps: Sequence[Array | LowRank]) -> Network:
    """The network with weights W_k + steps[k - 1]; all else is shared. Steps of revealed layers are `LowRank`."""
    return net.with_weights([W + step for W, step in zip(net.weights, steps, strict=True)])


def shifted(net: Network, direction: Sequence[Array | LowRank], factor: float = 1.0) -> Network:
    """The network with weights W_k + factor * direction[k - 1]: for gradients and factor -eta a step of descent."""
    return net.with_weights([_moved(W, factor * D) for W, D in zip(net.weights, direction, strict=True)])


def _moved(W: Layer, step: Array | LowRank) -> Layer:
    """W + step, written over a stored step, which is the caller's alone: new memory takes as long as the sum."""
    if isinstance(W, np.ndarray) and isinstance(step, np.ndarray) and W.shape == step.shape:
        return np.add(W, step, out=step)
    return W + step
