"""Networks of every architecture in ball arithmetic: passes, gradients and steps, each number with an enclosure.

Main definitions: `BallNetwork`, made of a `Network` by `in_balls` and of layers alone by `layered`; `forward`, which
gives a `BallForward`; `backward`, `rank_one_pairs` and `gradients`, of the outputs or, with `logistic_coefficients`,
of the mean of `logistic_losses`; `gates_are`, whether gates are certain. All are as in `nets`, with matrices of balls
for arrays; the precision is the one in force. Doubles enter exactly.

`with_enough_bits` computes again with more where the first precision does not tell.

Of a layer nothing is asked but its products X W and B W^T, which a `Factored` one gives too. What no ball decides,
the side of a kink, makes balls wider; what is no number stays none, and passes no comparison.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import flint
import numpy as np

from bounds.arithmetic.balls import precision_of
from nets import Array, Network
from properties.shared.ball_activations import ONE, ZERO, Ball, Phi, ball_form

Matrix: TypeAlias = flint.arb_mat

# A loss that falls by 10^(-58) of its value is known to 60 bits and more with the first. Where points nearly coincide
# it falls by 10^(-79), which takes the second.
BALL_PRECISIONS = (320, 1280)

_Known = TypeVar("_Known")


def with_enough_bits(compute: Callable[[int], _Known]) -> _Known:
    """What `compute(bits)` gives at the first precision of `BALL_PRECISIONS` that decides, in force while it runs.

    It raises `ArithmeticError` where its precision does not; that of the last precision is passed on.
    """
    for bits in BALL_PRECISIONS[:-1]:
        with contextlib.suppress(ArithmeticError), precision_of(bits):
            return compute(bits)
    with precision_of(BALL_PRECISIONS[-1]):
        return compute(BALL_PRECISIONS[-1])


# A `Matrix` or a `Factored`.
Layer = Any


@dataclass(frozen=True, eq=False)
class Factored:
    """A sum of products of matrices, which is a layer without being multiplied out."""

    terms: tuple[tuple[Matrix, ...], ...]

    def under(self, left: Matrix) -> Matrix:
        """left * self; a method, as python-flint 0.7 converts what stands on the right of `*` and does not ask it."""
        products = (functools.reduce(operator.mul, term, left) for term in self.terms)
        return functools.reduce(operator.add, products)

    def transpose(self) -> Factored:
        """The transposed matrix."""
        return Factored(tuple(tuple(M.transpose() for M in reversed(term)) for term in self.terms))


def _times(left: Matrix, layer: Layer) -> Matrix:
    return layer.under(left) if isinstance(layer, Factored) else left * layer


@dataclass(frozen=True)
class BallStep:
    """A `nets.networks.network.Step` whose activation is one of balls."""

    weight: int
    phi: Phi
    input: int | None = None
    carry: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class BallNetwork:
    """A network as `nets.networks.network.Network` describes it; the read-out a matrix (m_S, k), also of one output."""

    weights: tuple[Layer, ...]
    steps: tuple[BallStep, ...]
    readout: Matrix | None = None
    frozen: tuple[Layer, ...] = ()
    every_step: bool = False

    @cached_property
    def parameters(self) -> tuple[Layer, ...]:
        """Weights and frozen parameters."""
        return (*self.weights, *self.frozen)

    @property
    def v(self) -> Matrix:
        """The read-out, trained or not."""
        return self.weights[-1] if self.readout is None else self.readout

    def with_weights(self, weights: Sequence[Layer]) -> BallNetwork:
        """The same network with other trained parameters."""
        return replace(self, weights=tuple(weights))

    def descended(self, steps: Sequence[Matrix], length: Ball | float = 1) -> BallNetwork:
        """The network with weights W_k - length * steps[k - 1], all matrices."""
        return self.with_weights([W - length * G for W, G in zip(self.weights, steps, strict=True)])


def in_balls(net: Network, forms: Mapping[str, Phi] | None = None) -> BallNetwork:
    """A network of stored arrays, exactly; `forms` holds activations in balls by their names in `net`.

    Raises ValueError where a parameter is not stored, a step has a bias, or an activation is neither of `nets` nor in
    `forms`.
    """
    if any(step.bias is not None for step in net.steps):
        raise ValueError("a step has a bias, which is not known in balls: let a constant coordinate of X be the bias")
    given = forms or {}
    for number, A in enumerate(net.frozen, start=1):
        if not isinstance(A, np.ndarray):
            raise ValueError(f"frozen parameter {number} is not stored: this needs a network of arrays")
    steps = tuple(
        BallStep(
            step.weight,
            given[step.activation.name] if step.activation.name in given else ball_form(step.activation),
            step.input,
            step.carry,
            step.scale,
        )
        for step in net.steps
    )
    readout = None if net.readout is None else _matrix(net.readout)
    return BallNetwork(
        tuple(map(_matrix, net.stored_weights())), steps, readout, tuple(map(_matrix, net.frozen)), net.every_step
    )


def layered(weights: Sequence[Layer], phi: Phi, readout: Matrix | None = None) -> BallNetwork:
    """phi(... phi(x W_1) ... W_L) v, where v is the last of the weights unless it is given, and not trained then."""
    hidden = len(weights) - (readout is None)
    return BallNetwork(tuple(weights), tuple(BallStep(k, phi) for k in range(hidden)), readout)


@dataclass(frozen=True, eq=False)
class BallForward:
    """All layers at all samples, as `nets.networks.forward.Forward`; rows are samples.

    Attributes
    ----------
    pre, post : the pre-activations of the steps 1..L and the states 0..L: (n, m_l) each
    slopes : phi' at the pre-activations, row after row
    reads : the outputs, a matrix (n, k) for each time they are read
    inputs : the input of each step that has one of its own
    """

    pre: tuple[Matrix, ...]
    post: tuple[Matrix, ...]
    slopes: tuple[list[Ball], ...]
    reads: tuple[Matrix, ...]
    inputs: tuple[Matrix, ...] = ()

    @property
    def output(self) -> tuple[Ball, ...]:
        """The outputs (n,) of a network with one output; ValueError for any other one."""
        if len(self.reads) > 1 or self.reads[0].ncols() > 1:
            raise ValueError(
                f"the network has {len(self.reads)} x {self.reads[0].ncols()} outputs: this needs one, take `reads`"
            )
        return tuple(self.reads[0].entries())


def forward(net: BallNetwork, X: Array | Matrix) -> BallForward:
    """Run samples through the network: X (n, d), an array or balls, or an array (n, times, d), as in
    `nets.networks.forward`.

    Raises ValueError for samples of another shape.
    """
    inputs, state = _start(net, X)
    pre: list[Matrix] = []
    post = [state]
    slopes: list[list[Ball]] = []
    waiting = iter(inputs)
    for step in net.steps:
        z = _times(post[-1], net.parameters[step.weight])
        if step.input is not None:
            z = z + _times(next(waiting), net.parameters[step.input])
        values: list[Ball] = []
        its_slopes: list[Ball] = []
        for entry in z.entries():
            value, slope = step.phi.pieces(entry)
            values.append(value)
            its_slopes.append(slope)
        x = Matrix(z.nrows(), z.ncols(), values)
        if step.scale != 1.0:
            x = step.scale * x
        if step.carry:
            x = step.carry * post[-1] + x
        pre.append(z)
        post.append(x)
        slopes.append(its_slopes)
    reads = tuple(x * net.v for x in (post[1:] if net.every_step else post[-1:]))
    return BallForward(tuple(pre), tuple(post), tuple(slopes), reads, inputs)


def gates_are(found: BallForward, gates: Sequence[Array]) -> bool:
    """Whether the slopes of all steps are certainly these: (n, m_l) each, of 0.0 and 1.0, for ReLU."""
    balls = {0.0: ZERO, 1.0: ONE}
    pairs = zip(found.slopes, gates, strict=True)
    return all(slopes == [balls.get(gate) for gate in wanted.ravel().tolist()] for slopes, wanted in pairs)


def backward(net: BallNetwork, found: BallForward, coefficients: Sequence[Matrix] | None = None) -> tuple[Matrix, ...]:
    """Derivatives of the output in the pre-activations of all steps: L matrices (n, m_l).

    Where the read-out is trained, those in what is read follow, a matrix (n, k) for each time. `coefficients`, of that
    shape, let them belong to the sum of the outputs with these coefficients; a network of several outputs needs them:
    ValueError.
    """
    if coefficients is None:
        rows = len(found.output)
        coefficients = [Matrix(rows, 1, [Ball(1)] * rows)]
    shapes = [[(M.nrows(), M.ncols()) for M in matrices] for matrices in (coefficients, found.reads)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"the coefficients have shapes {shapes[0]}: pass {shapes[1]}, one per output")
    arriving = coefficients[-1] * net.v.transpose()
    b: list[Matrix] = []
    for number in reversed(range(len(net.steps))):
        step, carried = net.steps[number], arriving
        b.append(_products(found.slopes[number], arriving))
        if step.scale != 1.0:
            b[-1] = step.scale * b[-1]
        if number:
            arriving = _times(b[-1], net.parameters[step.weight].transpose())
            if step.carry:
                arriving = step.carry * carried + arriving
            if net.every_step:
                arriving = arriving + coefficients[number - 1] * net.v.transpose()
    return (*reversed(b), *(coefficients if net.readout is None else ()))


def rank_one_pairs(
    net: BallNetwork, found: BallForward, b: Sequence[Matrix]
) -> tuple[tuple[tuple[Matrix, Matrix], ...], ...]:
    """Per weight a pair (n, rows), (n, columns) for each use of it, whose rows i give left_i right_i^T.

    The sum over the uses is the gradient, for the sample i, of what `backward` took the derivatives b of.
    """
    uses: list[list[tuple[Matrix, Matrix]]] = [[] for _ in net.parameters]
    waiting = iter(found.inputs)
    for step, x, right in zip(net.steps, found.post, b, strict=False):
        uses[step.weight].append((x, right))
        if step.input is not None:
            uses[step.input].append((next(waiting), right))
    if net.readout is None:
        uses[len(net.weights) - 1] += zip(found.post[-len(found.reads) :], b[len(net.steps) :], strict=True)
    return tuple(map(tuple, uses[: len(net.weights)]))


def gradients(
    net: BallNetwork, found: BallForward, b: Sequence[Matrix], coefficients: Sequence[Ball | int] | None = None
) -> tuple[Matrix, ...]:
    """Gradients in all weights of the sum over the samples, with these coefficients (n,), of what b belongs to."""
    found_gradients = []
    for pairs in rank_one_pairs(net, found, b):
        if coefficients is not None:
            pairs = tuple((left, _scaled_rows(right, coefficients)) for left, right in pairs)
        found_gradients.append(functools.reduce(operator.add, (left.transpose() * right for left, right in pairs)))
    return tuple(found_gradients)


# ------------------------------------------------------------------------- losses


def logistic_losses(found: BallForward, y: Array) -> tuple[Ball, ...]:
    """log(1 + exp(-y f)) of every sample."""
    return tuple((-int(label) * f).exp().log1p() for label, f in zip(y, found.output, strict=True))


def logistic_weights(found: BallForward, y: Array) -> tuple[Ball, ...]:
    """g = 1/(1 + exp(y f)) of every sample, the size of the derivative of its loss in f."""
    return tuple(1 / (1 + (int(label) * f).exp()) for label, f in zip(y, found.output, strict=True))


def logistic_coefficients(found: BallForward, y: Array) -> tuple[Ball, ...]:
    """Derivatives of the mean logistic loss in the outputs: coefficients for `gradients`."""
    return tuple(-int(label) * g / len(y) for label, g in zip(y, logistic_weights(found, y), strict=True))


def mean(balls: Sequence[Ball]) -> Ball:
    """Mean of some balls."""
    return sum(balls, Ball(0)) / len(balls)


def norm(matrices: Sequence[Matrix]) -> Ball:
    """Frobenius norm of all together."""
    return sum((entry * entry for M in matrices for entry in M.entries()), Ball(0)).sqrt()


# ------------------------------------------------------------------------- matrices


def _start(net: BallNetwork, X: Array | Matrix) -> tuple[tuple[Matrix, ...], Matrix]:
    """The inputs of the steps that have one of their own, and the state 0."""
    fed = sum(step.input is not None for step in net.steps)
    if isinstance(X, np.ndarray) and X.ndim == 3 and X.shape[1] == fed:
        inputs = tuple(_matrix(X[:, time]) for time in range(fed))
    else:
        inputs = (_matrix(X) if isinstance(X, np.ndarray) else X,) * max(fed, 1)
    first = net.steps[0]
    own = first.input is not None
    dimension = _rows(net.parameters[first.weight if first.input is None else first.input])
    if inputs[0].ncols() != dimension:
        raise ValueError(f"X has {inputs[0].ncols()} columns: the network takes inputs of dimension {dimension}")
    state = Matrix(inputs[0].nrows(), _rows(net.parameters[first.weight])) if own else inputs[0]
    return inputs if fed else (), state


def _rows(layer: Layer) -> int:
    return int((layer.terms[0][0] if isinstance(layer, Factored) else layer).nrows())


def _matrix(array: Array) -> Matrix:
    """An array with one or two axes, exactly; one with one axis as a column."""
    if array.ndim > 2:
        raise ValueError(f"an array has {array.ndim} axes: pass a matrix, or an input for each step that has one")
    return Matrix(array.reshape(len(array), -1).tolist())


def _products(slopes: Sequence[Ball], M: Matrix) -> Matrix:
    """Entry by entry."""
    return Matrix(M.nrows(), M.ncols(), [a * c for a, c in zip(slopes, M.entries(), strict=True)])


def _scaled_rows(M: Matrix, factors: Sequence[Ball | int]) -> Matrix:
    columns = M.ncols()
    scaled = [factors[place // columns] * entry for place, entry in enumerate(M.entries())]
    return Matrix(M.nrows(), columns, scaled)
