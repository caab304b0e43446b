"""Backward vectors and gradients of a network.

Main definitions: `backward`; `rank_one_pairs`, `output_gradient`, `loss_gradient`; `gradient_norms`.

With b_{s,i} the derivative of f(x_i) in the pre-activation of step s, the gradient of f(x_i) in W is the sum of
state_{s-1,i} b_{s,i}^T over the steps that use W, and that in a matrix A of an input of its own the sum of
input_{s,i} b_{s,i}^T: of rank one for each step, stored as pairs. In a plain network b_{l,i} = Sigma_l W_{l+1}
Sigma_{l+1} ... W_L Sigma_L v (zou2018, Section 3.4). Of a layer only the product `B @ W.T` is asked. Gradients in
stored layers are arrays, those in revealed layers are `LowRank`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import outer, triangle
from nets.linear_algebra.products import times_transposed
from nets.networks.forward import Forward
from nets.networks.losses import Loss, OutputLoss
from nets.networks.network import Network


@dataclass(frozen=True, eq=False)
class Backward:
    """Backward vectors of all steps and samples; rows are samples.

    Attributes
    ----------
    b : L arrays (n, m_l); b[l - 1] holds b_{l,i}, the derivative of f(x_i) in `pre[l - 1]`; where the read-out is
        trained, then that in the output, (n, 1) of one, (n, times, outputs) of all others; empty before `first`
    q : L arrays (n, m_{l-1}); q[l - 1] holds q_{l,i}, the derivative of f(x_i) in `post[l - 1]`, of a plain layer
        W_l b_{l,i}; where the read-out is trained, then that in the last state
    later_q : q without its first entry, which costs a product
    """

    b: tuple[Array, ...]
    net: Network
    later_q: tuple[Array, ...]
    _carried: Array | None

    @cached_property
    def q(self) -> tuple[Array, ...]:
        """Derivatives of f in the states; that in state 0, which no gradient needs, only when asked."""
        first = times_transposed(self.b[0], self.net.parameters[self.net.steps[0].weight])
        return (first if self._carried is None else self._carried + first, *self.later_q)


def backward(
    net: Network,
    fwd: Forward,
    direction: Array | None = None,
    coefficients: npt.ArrayLike | None = None,
    *,
    first: int = 0,
) -> Backward:
    """Backward vectors of the network at the masks of `fwd`.

    Of a network with one output they belong to that output. `direction`, (m_L,) or (n, m_L), takes the place of v: the
    vectors then belong to the function <direction, x_L>. `coefficients`, of the shape of the outputs, (n,) or (n,
    times, outputs), let them belong to the sum of the outputs of a sample with these coefficients: by a unit vector,
    to any output at any time. A network of several outputs needs one of the two: ValueError. The pass ends at the step
    with the number `first`, from 0.
    """
    arriving, read, at_states = _read_out(net, fwd, direction, coefficients)
    steps, masks, parameters = net.steps, fwd.masks, net.parameters
    later_q: list[Array] = [] if net.readout is not None else [arriving]
    b: list[Array] = [] if read is None else [read]
    carried: Array | None = None
    for number in range(len(steps) - 1, first - 1, -1):
        step = steps[number]
        b.append(masks[number] * arriving if step.scale == 1.0 else step.scale * masks[number] * arriving)
        carried = step.carry * arriving if step.carry else None
        if number > first:
            arriving = times_transposed(b[-1], parameters[step.weight])
            if carried is not None:
                arriving = carried + arriving
            if at_states is not None:
                arriving = arriving + at_states[number - 1]
            later_q.append(arriving)
    b += [np.empty((0, 0))] * first
    return Backward(tuple(b[::-1]), net, tuple(later_q[::-1]), carried)


def _read_out(
    net: Network, fwd: Forward, direction: Array | None, coefficients: npt.ArrayLike | None
) -> tuple[Array, Array | None, list[Array] | None]:
    """What arrives at the last state; the derivative in a trained read-out; what arrives at each state read."""
    v, trained = net.v, net.readout is None
    if direction is not None:
        return (
            direction,
            np.zeros((len(fwd.masks[-1]), 1) if net.scalar else fwd.output.shape) if trained else None,
            None,
        )
    if net.scalar:
        if not trained and coefficients is None:
            return (v if v.ndim == 1 else v[:, 0]), None, None
        ones = np.ones((len(fwd.output), 1)) if coefficients is None else _column(coefficients, fwd)
        return (ones @ v.T, ones, None) if trained else (ones * v.reshape(1, -1), None, None)
    if coefficients is None:
        raise ValueError(f"the outputs have shape {fwd.output.shape}: pass coefficients of that shape, or a direction")
    weights = np.asarray(coefficients, dtype=np.float64)
    if weights.shape != fwd.output.shape:
        raise ValueError(f"the coefficients have shape {weights.shape}: pass {fwd.output.shape}, one per output")
    transposed = v.reshape(len(v), -1).T
    at_states = [c @ transposed for c in weights.swapaxes(0, 1)] if net.every_step else None
    return weights[:, -1] @ transposed, weights if trained else None, at_states


def rank_one_pairs(fwd: Forward, bwd: Backward) -> tuple[tuple[Array, Array], ...]:
    """Per weight the pair (n, rows), (n, columns) whose rows give its gradient of f(x_i) = left_i right_i^T.

    Of a weight that is used k times they have k n rows, sample after sample for one use after the other.
    """
    net, lefts, rights = bwd.net, fwd.post + fwd.inputs, bwd.b
    pairs = [[(lefts[x], rights[b]) for x, b in used] for used in net.uses]
    if net.readout is None and not net.scalar:
        states = fwd.post[1:] if net.every_step else fwd.post[-1:]
        pairs[-1][-1:] = [(x, np.ascontiguousarray(rights[-1][:, time])) for time, x in enumerate(states)]
    stacked = ((np.vstack(sides) for sides in zip(*used, strict=True)) if len(used) > 1 else used[0] for used in pairs)
    return tuple((left, right) for left, right in stacked)


def output_gradient(
    net: Network, fwd: Forward, coefficients: npt.ArrayLike, bwd: Backward | None = None
) -> tuple[Any, ...]:
    """Gradients in all weights of the sum of the outputs with these coefficients, (n,) or (n, times, outputs)."""
    return pair_products(net, weighted_pairs(net, fwd, coefficients, bwd))


def pair_products(net: Network, pairs: Sequence[tuple[Array, Array]]) -> tuple[Any, ...]:
    """left^T right for the pair of each weight, as a step of its kind."""
    return tuple([outer(W, left, right) for W, (left, right) in zip(net.weights, pairs, strict=True)])


def weighted_pairs(
    net: Network, fwd: Forward, coefficients: npt.ArrayLike, bwd: Backward | None = None
) -> list[tuple[Array, Array]]:
    """`rank_one_pairs` of the sum of the outputs with these coefficients: its gradient in W is left^T right.

    `bwd`, here and below, saves the backward pass of a network with one output.
    """
    if not net.scalar:
        first = min(b for used in net.uses for _, b in used)
        return list(rank_one_pairs(fwd, backward(net, fwd, coefficients=coefficients, first=first)))
    weighted = _column(coefficients, fwd)
    pairs = rank_one_pairs(fwd, backward(net, fwd) if bwd is None else bwd)
    return [(left, at_uses(weighted, right) * right) for left, right in pairs]


def at_uses(values: Array, rows: Array) -> Array:
    """One value or row for each sample, said again for each use of a weight: one for each of the rows of a pair."""
    uses = len(rows) // len(values)
    return values if uses == 1 else np.concatenate([values] * uses)


def loss_coefficients(
    fwd: Forward, y: npt.ArrayLike, loss: Loss | OutputLoss, batch: npt.NDArray[np.intp] | None = None
) -> Array:
    """Derivatives of the empirical risk, or of that of a batch of sample numbers, in the outputs, of their shape."""
    return batch_mean(loss.at_outputs(fwd.output, y)[1], batch)


def batch_mean(slopes: Array, batch: npt.NDArray[np.intp] | None) -> Array:
    """The derivatives of a batch's mean, or of all, from those of its terms: divided by its size, 0 outside."""
    if batch is None:
        return slopes / len(slopes)
    inside = np.zeros_like(slopes)
    inside[batch] = slopes[batch] / len(batch)
    return inside


def loss_gradient(
    net: Network,
    fwd: Forward,
    y: npt.ArrayLike,
    loss: Loss | OutputLoss,
    batch: npt.NDArray[np.intp] | None = None,
    bwd: Backward | None = None,
) -> tuple[Any, ...]:
    """Gradients of the empirical risk, or of that of a batch, in all weights: a matrix of the shape of each."""
    return output_gradient(net, fwd, loss_coefficients(fwd, y, loss, batch), bwd)


def gradient_norms(fwd: Forward, bwd: Backward, coefficients: npt.ArrayLike) -> tuple[Array, Array]:
    """Operator and Frobenius norms of the gradients of sum_i coefficients_i f(x_i) in all weights: (weights,) each."""
    return pair_norms(weighted_pairs(bwd.net, fwd, coefficients, bwd))


def pair_norms(pairs: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Operator and Frobenius norms of left^T right for each pair."""
    cores = [_core(left, right) for left, right in pairs]
    spectral = [np.nan if core is None else float(np.linalg.norm(core, 2)) for core in cores]
    return np.array(spectral), _frobenius_of(cores)


def pair_frobenius(pairs: Sequence[tuple[Array, Array]]) -> Array:
    """The Frobenius norms alone, for half of the time."""
    return _frobenius_of([_core(left, right) for left, right in pairs])


def _core(left: Array, right: Array) -> Array | None:
    """A small matrix with the singular values of left^T right; none where an entry is not finite.

    With left = Q_1 R_1 and right = Q_2 R_2 (columns are samples) they are those of R_1 R_2^T.
    """
    finite = np.isfinite(left).all() and np.isfinite(right).all()
    return np.asarray(triangle(left) @ triangle(right).T) if finite else None


def _frobenius_of(cores: Sequence[Array | None]) -> Array:
    return np.array([np.nan if core is None else float(np.linalg.norm(core)) for core in cores])


def _column(coefficients: npt.ArrayLike, fwd: Forward) -> Array:
    column = np.asarray(coefficients, dtype=np.float64)
    if column.shape != fwd.output.shape:
        raise ValueError(f"the coefficients have shape {column.shape}: pass {fwd.output.shape}, one per sample")
    return column[:, np.newaxis]
