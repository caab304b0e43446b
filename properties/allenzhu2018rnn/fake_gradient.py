"""The gradient of the recurrent network by its closed form, and the quadratic form of fixed losses behind it.

Main definitions: `backward_matrix` (Definition D.6) and `fake_gradient` (Definition E.1), products of matrices as the
paper writes them, which know nothing of `nets.networks.gradients`; `loss_gram`, the Gram matrix of the gradients of all
outputs from time 2 on, whose eigenvalues are the extremes of the fake gradient over all losses, and `worst_losses`,
losses that come near the least of them; `alike_gates` and `turned_gates`, steps in W that give the first two sequences
the same gates, or turn the most of one, at time 2; `neuron_norms`, the norms of the gradient in single neurons;
`row_step`, a step in the weights of one neuron, and `row_kinks`, the steps at which its gates turn.

Losses are arrays (n, L, outputs); those of time 1 count nowhere, as no output of time 1 depends on W. Matrices are
those of the code, the transposes of the paper's: row k of the paper's gradient is column k here.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nets import Array, Forward, Network, forward, frobenius_norm, no_step, outer, shifted
from nets.networks.gradients import weighted_pairs

# Norm of the steps of difference quotients: relative to W, whose norm is near 2.
SHORT = 1e-7


def backward_matrix(net: Network, fwd: Forward, i: int, start: int, end: int) -> Array:
    """Back_{i, start -> end} = B D_{i,end} W ... D_{i,start+1} W, and B where start is end: (outputs, m).

    Gates are those that the pre-activations say, here and in `fake_gradient`.
    """
    product = net.v.T
    for time in range(end, start, -1):
        product = (product * (fwd.pre[time - 1][i] > 0.0)) @ net.weights[0].T
    return np.asarray(product)


def fake_gradient(
    net: Network, fwd: Forward, losses: Array, *, after: int = 1, gated: bool = True, state: int = 0
) -> Array:
    """The sum of D_{i,l+1} (Back_{i,l+1->a}^T loss_{i,a}) h_{i,l}^T over i, a >= 2 and l < a, transposed: (m, m).

    The knobs are for wrong forms: `after` stands for the 1 of Back_{i,l+1->a}; without `gated` the gates D_{i,l+1} are
    left out; `state` is added to the number of h.
    """
    total = np.zeros(net.weights[0].shape)
    for i, of_sample in enumerate(losses):
        for a in range(2, net.depth + 1):
            for time in range(1, a):
                back = of_sample[a - 1] @ backward_matrix(net, fwd, i, time + after, a)
                total += np.outer(fwd.post[time + state][i], back * (fwd.pre[time][i] > 0.0) if gated else back)
    return total


def from_time_two(losses: Array) -> Array:
    """The losses (n, L, outputs) with those of time 1 set to zero."""
    kept = np.array(losses, dtype=np.float64)
    kept[:, 0] = 0.0
    return kept


def fake_pair(net: Network, fwd: Forward, losses: Array) -> tuple[Array, Array]:
    """Factors (n L, m) whose product left^T right is the fake gradient, from the backward pass."""
    return weighted_pairs(net, fwd, from_time_two(losses))[0]


def product_frobenius_norm(pair: tuple[Array, Array]) -> float:
    """The Frobenius norm of left^T right."""
    return float(np.sqrt(max(0.0, np.sum((pair[0] @ pair[0].T) * (pair[1] @ pair[1].T)))))


def neuron_norms(pair: tuple[Array, Array]) -> Array:
    """The norms of the columns of left^T right, one for each neuron: (m,)."""
    left, right = pair
    squares = np.sum(right * ((left @ left.T) @ right), axis=0)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def loss_gram(net: Network, fwd: Forward, neurons: npt.NDArray[np.intp] | None = None) -> Array:
    """Inner products of the gradients of the outputs at times 2..L: (F, F), F = n (L - 1) outputs, in this order.

    With `neurons`, numbers of them, those of the gradients in their weights alone.

    The squared Frobenius norm of the fake gradient of losses v, as one vector (F,), is v^T K v. From the rows of
    Back_{i,t->a} D_{i,t} and the states h_{i,t-1}, with the gates that the pre-activations say.
    """
    n, L, outputs = fwd.output.shape
    rows = np.zeros((n, L - 1, outputs, net.widths[-1]))
    reached = np.zeros((L - 1, *rows.shape))
    for time in range(L, 1, -1):
        rows[:, time - 2] = net.v.reshape(-1, outputs).T
        rows *= (fwd.pre[time - 1] > 0.0)[:, np.newaxis, np.newaxis]
        reached[time - 2] = rows
        if time > 2:
            later = rows[:, time - 2 :]
            rows[:, time - 2 :] = (later.reshape(-1, later.shape[-1]) @ net.weights[0].T).reshape(later.shape)
    states, reached = np.array(fwd.post[1:L]), reached.reshape(L - 1, n * (L - 1) * outputs, -1)
    reached = reached if neurons is None else reached[:, :, neurons]
    gram = np.zeros((n, reached.shape[1] // n) * 2)
    for h, back in zip(states, reached, strict=True):
        for other, of_other in zip(states, reached, strict=True):
            gram += (h @ other.T)[:, np.newaxis, :, np.newaxis] * (back @ of_other.T).reshape(gram.shape)
    return gram.reshape(reached.shape[1], -1)


def slope_along(net: Network, X: Array, losses: Array, step: Any) -> float:
    """d/ds of sum <loss_{i,a}, B h_{i,a}(W + s step)> at s = 0, by a difference of two forward passes.

    The step is taken so short that hardly a gate turns. Along the fake gradient of these losses it is its squared norm.
    A step of norm 0, as of losses of equal sequences that cancel, has the slope 0.
    """
    length = frobenius_norm(step)
    if length == 0.0:
        return 0.0
    short = SHORT / length
    sides = [np.sum(from_time_two(losses) * forward(shifted(net, [step], s), X).output) for s in (short, -short)]
    return float((sides[0] - sides[1]) / (2.0 * short))


def as_losses(v: Array, n: int, outputs: int) -> Array:
    """A vector of `loss_gram` as losses (n, L, outputs), those of time 1 zero."""
    rows = v.reshape(n, -1, outputs)
    return np.concatenate([np.zeros((n, 1, outputs)), rows], axis=1)


class Least(NamedTuple):
    """The least v^T K v over losses of which the largest has norm 1: no less than `low` and no more than `high`.

    `losses` (F,) attain `high`.
    """

    low: float
    high: float
    losses: Array


def worst_losses(K: Array, outputs: int) -> Least:
    """Losses of largest norm 1 that make v^T K v small.

    The sum of their squares is 1 at least, so that no losses are below the least eigenvalue. Tried are its eigenvector,
    and for each sample and time the best loss there together with what cancels it best at all others, each scaled so
    that the largest has norm 1.
    """
    values, vectors = np.linalg.eigh(K)
    tried = [vectors[:, 0]]
    everything = np.arange(len(K))
    for first in range(0, len(K), outputs):
        block = everything[first : first + outputs]
        others = np.setdiff1d(everything, block)
        answer = np.linalg.lstsq(K[np.ix_(others, others)], K[np.ix_(others, block)], rcond=None)[0]
        rest = K[np.ix_(block, block)] - K[np.ix_(block, others)] @ answer
        u = np.linalg.eigh(0.5 * (rest + rest.T))[1][:, 0]
        v = np.zeros(len(K))
        v[block], v[others] = u, -answer @ u
        tried.append(v)
    scaled = [v / np.linalg.norm(v.reshape(-1, outputs), axis=1).max() for v in tried]
    reached = [float(v @ K @ v) for v in scaled]
    best = int(np.argmin(reached))
    # Where the eigenvector itself is the best, the two are one number but for rounding.
    return Least(min(float(values[0]), reached[best]), reached[best], scaled[best])


def alike_gates(net: Network, fwd: Forward, radius: float) -> Any:
    """A step in W of operator norm `radius` at most that gives the first two sequences the same gates at time 2.

    It moves both pre-activations of a neuron alike, along the mean of their first states, so that it costs the smaller
    of the two; neurons are taken by cost, as many as the radius allows.
    """
    pre = fwd.pre[1][:2]
    differ = (pre[0] > 0.0) != (pre[1] > 0.0)
    nearer = np.where(np.abs(pre[0]) < np.abs(pre[1]), pre[0], pre[1])
    return _turning_step(net, fwd.post[1][:2].mean(axis=0), np.where(differ, nearer, np.inf), radius)


def turned_gates(net: Network, fwd: Forward, radius: float) -> Any:
    """A step in W of operator norm `radius` at most that turns the most gates of the first sequence at time 2.

    No step turns more: a change t of the pre-activations costs ||t||/||h||, so the smallest are taken first.
    """
    return _turning_step(net, fwd.post[1][0], fwd.pre[1][0], radius)


# How far past its kink a pre-activation is moved, relatively: the two of a pair do not move quite alike.
PAST = 1.02


def _turning_step(net: Network, state: Array, moves: Array, radius: float) -> Any:
    """The step along a state that takes away `moves` (m,) and a little more, the smallest first; none along 0."""
    if not state.any():
        return no_step(net.weights[0])
    order = np.argsort(np.abs(moves), kind="stable")
    spent = np.cumsum((PAST * moves[order]) ** 2)
    taken = order[spent <= (radius * np.linalg.norm(state)) ** 2]
    change = np.zeros(moves.size)
    change[taken] = -PAST * moves[taken]
    return outer(net.weights[0], state[np.newaxis] / (state @ state), change[np.newaxis])


def row_step(net: Network, direction: Array, neuron: int, size: float) -> Any:
    """size e_neuron v^T for a direction v (m,): the step of Lemma E.5 in the weights of one neuron."""
    change = np.zeros((1, direction.size))
    change[0, neuron] = size
    return outer(net.weights[0], direction[np.newaxis], change)


def row_kinks(fwd: Forward, direction: Array, neuron: int, limit: float) -> Array:
    """The ends of [-limit, limit] and sizes just beyond those at which a `row_step` turns a gate of the neuron.

    They are to first order: states are taken to stay as they are.
    """
    along = np.concatenate([h @ direction for h in fwd.post[1:-1]])
    pre = np.concatenate([g[:, neuron] for g in fwd.pre[1:]])
    sizes = -(1.0 + 1e-6) * np.divide(pre, along, out=np.full_like(pre, np.inf), where=np.abs(along) > 1e-12)
    return np.concatenate([[limit, -limit], sizes[np.abs(sizes) <= limit]])
