"""Gradient descent and stochastic gradient descent, with the quantities the theorems follow along the path.

Main definitions: `gradient_step`, `sgd_step`, `draw_batch`, `all_batches`, `train` and what it returns,
`Trajectory`.

All layers move at once, with gradients taken at the old weights (zou2018, Section 3.3). Revealed layers are trained
alike: their drift is the list of the rank-one terms of all steps, and its norms come from there.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.arrays import Array
from nets.forward import Forward, forward
from nets.gradients import backward, gradient_norms, loss_coefficients, loss_gradient
from nets.losses import Loss, OutputLoss, check_labels
from nets.network import Network
from nets.operators import flip_counts, frobenius_norm, operator_norm


def _step(net: Network, gradients: tuple[Any, ...], eta: float) -> Network:
    return net.with_weights([W - eta * G for W, G in zip(net.weights, gradients, strict=True)])


def gradient_step(net: Network, X: npt.ArrayLike, y: npt.ArrayLike, loss: Loss | OutputLoss, eta: float) -> Network:
    """The network after one step of size eta down the gradient of the empirical risk."""
    return _step(net, loss_gradient(net, forward(net, X), y, loss), eta)


def draw_batch(n: int, size: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """`size` different samples out of n, all subsets alike: sorted sample numbers (size,)."""
    if not 1 <= size <= n:
        raise ValueError(f"a batch of {size} out of {n} samples: choose 1 <= size <= n")
    return np.sort(rng.choice(n, size, replace=False)).astype(np.intp)


def all_batches(n: int, size: int) -> npt.NDArray[np.intp]:
    """All subsets of that size, for exact expectations: (binomial(n, size), size)."""
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
    return _step(net, loss_gradient(net, fwd, y, loss, batch), eta)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What was met at the iterates 0..K of a training run: memory O(K L).

    Attributes
    ----------
    loss : (K + 1,), empirical risk
    min_margin : (K + 1,), min_i y_i f(x_i)
    derivative_sum : (K + 1,), sum_i ell'(y_i f(x_i)), not positive
    derivative_max : (K + 1,), max_i |ell'(y_i f(x_i))|
    gradient_norms : (K + 1, L), Frobenius norms of the gradients of the empirical risk
    flips : (K + 1, L), max over samples of the activations that differ from those at the start
    drift_frobenius : (K + 1, L), ||W_l^(k) - W_l^(0)||_F
    drift_steps : (R,), the k at which `drift_operator` was taken
    drift_operator : (R, L), ||W_l^(k) - W_l^(0)||_2
    network : the last iterate
    """

    loss: Array
    min_margin: Array
    derivative_sum: Array
    derivative_max: Array
    gradient_norms: Array
    flips: Array
    drift_frobenius: Array
    drift_steps: npt.NDArray[np.intp]
    drift_operator: Array
    network: Network


def train(
    net: Network,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    loss: Loss,
    eta: float,
    steps: int,
    *,
    batch_size: int | None = None,
    rng: np.random.Generator | None = None,
    drift_every: int = 1,
) -> Trajectory:
    """Take `steps` steps of size eta and record all iterates, the start included.

    With `batch_size` (and `rng`) each step uses a batch; what is recorded always concerns all samples.
    Operator norms of the drift are the dear part (a dense singular value, or a QR of all rank-one terms): they are
    taken at every `drift_every`-th iterate and at the last.
    """
    if batch_size is not None and rng is None:
        raise ValueError(f"batches of {batch_size} need a generator: pass rng")
    start_weights, start_pass = net.weights, forward(net, X)
    fwd = start_pass
    y = check_labels(y, fwd.output.size)
    drift_steps = np.unique([*range(0, steps + 1, drift_every), steps]).astype(np.intp)
    rows: list[tuple[float, ...]] = []
    layers: list[Array] = []
    operator_norms: list[list[float]] = []
    for k in range(steps + 1):
        drifts = [W - W_0 for W, W_0 in zip(net.weights, start_weights, strict=True)]
        rows.append(_scalars(fwd, y, loss))
        frobenius = gradient_norms(fwd, backward(net, fwd), loss_coefficients(fwd, y, loss))[1]
        flipped = flip_counts(start_pass, fwd).max(axis=0)
        layers.append(np.stack([frobenius, flipped, [frobenius_norm(D) for D in drifts]]))
        if k in drift_steps:
            operator_norms.append([operator_norm(D) for D in drifts])
        if k < steps:
            batch = None
            if batch_size is not None and rng is not None:
                batch = draw_batch(y.size, batch_size, rng)
            net = _step(net, loss_gradient(net, fwd, y, loss, batch), eta)
            fwd = forward(net, X)
    risk, min_margin, derivative_sum, derivative_max = np.array(rows).T.copy()
    gradient_sizes, flips, drift_frobenius = np.stack(layers, axis=1)
    return Trajectory(
        loss=risk,
        min_margin=min_margin,
        derivative_sum=derivative_sum,
        derivative_max=derivative_max,
        gradient_norms=gradient_sizes,
        flips=flips,
        drift_frobenius=drift_frobenius,
        drift_steps=drift_steps,
        drift_operator=np.array(operator_norms),
        network=net,
    )


def _scalars(fwd: Forward, y: Array, loss: Loss) -> tuple[float, float, float, float]:
    """Empirical risk, least margin, sum and largest size of the derivatives."""
    margins = y * fwd.output
    values, derivatives = loss.value_and_derivative(margins)
    return values.mean(), margins.min(), derivatives.sum(), np.abs(derivatives).max()
