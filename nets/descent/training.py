"""Gradient descent and stochastic gradient descent, with the quantities the theorems follow along the path.

Main definitions: `descent_step`, and by it `gradient_step` and `sgd_step`; `train`; `draw_batch`, or many at once.

All layers move at once, with gradients taken at the old weights (zou2018, Section 3.3). Revealed layers are trained
alike: their drift is the list of the rank-one terms of all steps, and its norms come from there.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import LowRank
from nets.networks.forward import Forward, forward
from nets.networks.gradients import (
    Backward,
    backward,
    batch_mean,
    loss_gradient,
    pair_frobenius,
    pair_products,
    weighted_pairs,
)
from nets.networks.losses import Loss, OutputLoss
from nets.networks.network import Network, shifted
from nets.networks.operators import column_norms, flip_counts, frobenius_norm, operator_norm


def descent_step(
    net: Network,
    fwd: Forward,
    y: npt.ArrayLike,
    loss: Loss | OutputLoss,
    eta: float,
    batch: npt.NDArray[np.intp] | None = None,
    bwd: Backward | None = None,
) -> tuple[Network, tuple[Any, ...]]:
    """The network after one step of size eta down `loss_gradient`, and the gradients it went along."""
    gradients = loss_gradient(net, fwd, y, loss, batch, bwd)
    return shifted(net, gradients, -eta), gradients


def gradient_step(net: Network, X: npt.ArrayLike, y: npt.ArrayLike, loss: Loss | OutputLoss, eta: float) -> Network:
    """The network after one step of size eta down the gradient of the empirical risk."""
    return descent_step(net, forward(net, X), y, loss, eta)[0]


def draw_batch(n: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """`size` different samples out of n, all subsets alike: sorted sample numbers (size,)."""
    if not 1 <= size <= n:
        raise ValueError(f"a batch of {size} out of {n} samples: choose 1 <= size <= n")
    return np.sort(rng.choice(n, size, replace=False)).astype(np.intp)


def draw_batches(n: int, size: int, count: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """So many batches as `draw_batch` draws one, for long paths: (count, size)."""
    if not 1 <= size <= n:
        raise ValueError(f"batches of {size} out of {n} samples: choose 1 <= size <= n")
    # The places of the least of n numbers, which all orders have with the same chance.
    return np.sort(np.argsort(rng.random((count, n)), axis=1)[:, :size], axis=1)


def all_batches(n: int, size: int) -> npt.NDArray[np.intp]:
    """All subsets of that size, for exact expectations: (binomial(n, size), size). Raises `ValueError` for none."""
    if not 1 <= size <= n:
        raise ValueError(f"batches of {size} out of {n} samples: choose 1 <= size <= n")
    return np.array(list(itertools.combinations(range(n), size)), dtype=np.intp)


def sgd_step(
    net: Network,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    loss: Loss | OutputLoss,
    eta: float,
    batch_size: int,
    rng: np.random.Generator,
) -> Network:
    """The network after one step of size eta on a batch drawn without replacement."""
    fwd = forward(net, X)
    batch = draw_batch(len(fwd.output), batch_size, rng)
    return descent_step(net, fwd, y, loss, eta, batch)[0]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What was met at the iterates 0..K of a training run of S steps of the network and w weights: memory O(K (S + w)).

    Attributes
    ----------
    loss : (K + 1,), empirical risk
    derivative_sum : (K + 1,), sum_i ell'(y_i f(x_i)), not positive; NaN for a loss that is not of margins
    gradient_norms : (K + 1, w), Frobenius norms of the gradients of the empirical risk
    flips : (K + 1, S), max over samples of the activations that differ from those at the start
    drift_frobenius : (K + 1, w), ||W_l^(k) - W_l^(0)||_F
    drift_neurons : (K + 1, w), max_r ||w_r^(k) - w_r^(0)||, of the weights w_r into the neurons, the columns of W_l
    drift_steps : (R,), the k at which `drift_operator` was taken
    drift_operator : (R, w), ||W_l^(k) - W_l^(0)||_2
    network : the last iterate
    """

    loss: Array
    derivative_sum: Array
    gradient_norms: Array
    flips: Array
    drift_frobenius: Array
    drift_neurons: Array
    drift_steps: npt.NDArray[np.intp]
    drift_operator: Array
    network: Network


def train(
    net: Network,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    loss: Loss | OutputLoss,
    eta: float,
    steps: int,
    *,
    batch_size: int | None = None,
    rng: np.random.Generator | None = None,
    drift_every: int = 1,
) -> Trajectory:
    """Take `steps` steps of size eta down the empirical risk, the mean of the losses, and record all iterates.

    What is recorded are attributes of a `Trajectory`, one number for each iterate from the start on: `loss`, the
    `gradient_norms`, `flips`, `drift_frobenius`, `drift_neurons`, `drift_operator`; and `network`, the last iterate.

    A paper that descends the sum of n losses takes steps that are n times as long: eta is then n times its own.
    y are labels (n,), or the targets of an `OutputLoss`. With `batch_size` (and `rng`) each step uses a batch; what is
    recorded always concerns all samples, and of the iterates the first and the last alone are kept. Operator norms of
    the drift are the dear part (a dense singular value, or a QR of all rank-one terms): they are taken at every
    `drift_every`-th iterate and at the last.
    """
    if batch_size is not None and rng is None:
        raise ValueError(f"batches of {batch_size} need a generator: pass rng")
    start_weights, start_pass = net.weights, forward(net, X)
    fwd = start_pass
    drift_steps = np.unique([*range(0, steps + 1, drift_every), steps]).astype(np.intp)
    records = []
    operator_norms: list[list[float]] = []
    for k in range(steps + 1):
        drifts = [W - W_0 for W, W_0 in zip(net.weights, start_weights, strict=True)]
        scalars, slopes = _scalars(fwd, y, loss)
        bwd = backward(net, fwd) if net.scalar else None
        pairs = weighted_pairs(net, fwd, batch_mean(slopes, None), bwd)
        flips = flip_counts(start_pass, fwd).max(axis=0)
        frobenius, furthest = zip(*map(_moved, drifts), strict=True)
        records.append((*scalars, pair_frobenius(pairs), flips, frobenius, furthest))
        if k in drift_steps:
            operator_norms.append([operator_norm(D) for D in drifts])
        if k < steps:
            if batch_size is not None and rng is not None:
                pairs = weighted_pairs(net, fwd, batch_mean(slopes, draw_batch(len(slopes), batch_size, rng)), bwd)
            net = shifted(net, pair_products(net, pairs), -eta)
            fwd = forward(net, X)
    risk, sums, gradients, flipped, moved, neurons = (np.array(met) for met in zip(*records, strict=True))
    operators = np.array(operator_norms)
    return Trajectory(risk, sums, gradients, flipped, moved, neurons, drift_steps, operators, net)


def _moved(drift: Array | LowRank) -> tuple[float, float]:
    """Frobenius norm of a drift, and the largest norm of a column; of a factored one from the same products."""
    columns = column_norms(drift)
    frobenius = float(np.linalg.norm(columns)) if isinstance(drift, LowRank) else frobenius_norm(drift)
    return frobenius, float(columns.max())


def _scalars(fwd: Forward, y: npt.ArrayLike, loss: Loss | OutputLoss) -> tuple[tuple[float, ...], Array]:
    """Empirical risk and sum of the derivatives in the margins; then the derivatives in the outputs."""
    values, slopes = loss.at_outputs(fwd.output, y)
    # As y^2 = 1, y times the derivative in the output is that in the margin.
    total = math.nan if isinstance(loss, OutputLoss) else (np.asarray(y) * slopes).sum()
    return (values.mean(), total), slopes
