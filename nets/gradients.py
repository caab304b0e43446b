"""Backward vectors and gradients of a ReLU network.

Main definitions: `backward` and what it returns, `Backward`; `rank_one_pairs`, `output_gradient`,
`loss_gradient`; `gradient_norms`, which never forms a gradient.

The gradient of f(x_i) in W_l is x_{l-1,i} b_{l,i}^T with b_{l,i} = Sigma_l W_{l+1} Sigma_{l+1} ... W_L
Sigma_L v (zou2018, Section 3.4): rank one, stored as a pair. Of a layer only the product `B @ W.T` is
asked. Gradients in stored layers are arrays, those in revealed layers are `LowRank`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.arrays import Array
from nets.forward import Forward
from nets.losses import Loss, check_labels
from nets.lowrank import outer, triangle
from nets.network import Layer, Network


@dataclass(frozen=True, eq=False)
class Backward:
    """Backward vectors of all layers and samples; rows are samples.

    Attributes
    ----------
    b : L arrays (n, m_l); b[l - 1] holds b_{l,i} = Sigma_l W_{l+1} Sigma_{l+1} ... W_L Sigma_L v
    q : L arrays (n, m_{l-1}); q[l - 1] holds q_{l,i} = W_l b_{l,i}, the gradient of f in x_{l-1,i}
    """

    b: tuple[Array, ...]
    _later_q: tuple[Array, ...]
    _first: Layer

    @cached_property
    def q(self) -> tuple[Array, ...]:
        """Gradients of f in the inputs of the layers; that of layer 1, which no gradient needs, only when asked."""
        return (self.b[0] @ self._first.T, *self._later_q)


def backward(net: Network, fwd: Forward, direction: Array | None = None) -> Backward:
    """Backward vectors of the network at the masks of `fwd`.

    `direction`, (m_L,) or (n, m_L), takes the place of v: the vectors then belong to the function
    <direction, x_L>.
    """
    arriving = net.v if direction is None else direction
    b = [fwd.masks[-1] * arriving]
    q: list[Array] = []
    for W, mask in zip(reversed(net.weights[1:]), reversed(fwd.masks[:-1]), strict=True):
        q.append(b[-1] @ W.T)
        b.append(mask * q[-1])
    return Backward(tuple(reversed(b)), tuple(reversed(q)), net.weights[0])


def rank_one_pairs(fwd: Forward, bwd: Backward) -> tuple[tuple[Array, Array], ...]:
    """Per layer the pair (n, m_{l-1}), (n, m_l) whose rows give grad_{W_l} f(x_i) = left_i right_i^T."""
    return tuple(zip(fwd.post[:-1], bwd.b, strict=True))


def output_gradient(
    net: Network, fwd: Forward, coefficients: npt.ArrayLike, bwd: Backward | None = None
) -> tuple[Any, ...]:
    """Gradients of sum_i coefficients_i f(x_i) in all layers: L matrices (m_{l-1}, m_l); coefficients (n,).

    `bwd`, where it is known, saves the backward pass.
    """
    weighted = _column(coefficients, fwd)
    pairs = rank_one_pairs(fwd, backward(net, fwd) if bwd is None else bwd)
    return tuple(outer(W, left, weighted * right) for W, (left, right) in zip(net.weights, pairs, strict=True))


def loss_coefficients(fwd: Forward, y: npt.ArrayLike, loss: Loss, batch: npt.NDArray[np.intp] | None = None) -> Array:
    """Derivatives (n,) of the empirical risk in the outputs: y_i ell'(y_i f_i)/n.

    With `batch`, an array of sample numbers, the risk is that of the batch: divided by its size, 0 outside.
    """
    y = check_labels(y, fwd.output.size)
    slopes = y * loss.derivative(y * fwd.output)
    return slopes / slopes.size if batch is None else batch_mean(slopes, batch)


def batch_mean(slopes: Array, batch: npt.NDArray[np.intp]) -> Array:
    """The derivatives of a batch's mean from those of its terms, y_i ell'_i: divided by its size, 0 outside; (n,)."""
    inside = np.zeros_like(slopes)
    inside[batch] = slopes[batch] / len(batch)
    return inside


def loss_gradient(
    net: Network, fwd: Forward, y: npt.ArrayLike, loss: Loss, batch: npt.NDArray[np.intp] | None = None
) -> tuple[Any, ...]:
    """Gradients of the empirical risk, or of that of a batch, in all layers: L matrices (m_{l-1}, m_l)."""
    return output_gradient(net, fwd, loss_coefficients(fwd, y, loss, batch))


def gradient_norms(fwd: Forward, bwd: Backward, coefficients: npt.ArrayLike) -> tuple[Array, Array]:
    """Operator and Frobenius norms (L,) each of the gradients of sum_i coefficients_i f(x_i).

    With left = Q_1 R_1 and right = Q_2 R_2 (columns are samples) the gradient is Q_1 (R_1 R_2^T) Q_2^T, so
    its singular values are those of a matrix of at most n rows and columns.
    """
    weighted = _column(coefficients, fwd)
    spectral, frobenius = [], []
    for left, right in rank_one_pairs(fwd, bwd):
        scaled = weighted * right
        if not (np.isfinite(left).all() and np.isfinite(scaled).all()):
            spectral.append(np.nan)
            frobenius.append(np.nan)
            continue
        core = triangle(left) @ triangle(scaled).T
        spectral.append(float(np.linalg.norm(core, 2)))
        frobenius.append(float(np.linalg.norm(core)))
    return np.array(spectral), np.array(frobenius)


def _column(coefficients: npt.ArrayLike, fwd: Forward) -> Array:
    column = np.asarray(coefficients, dtype=np.float64)
    if column.shape != fwd.output.shape:
        raise ValueError(f"the coefficients have shape {column.shape}: pass {fwd.output.shape}, one per sample")
    return column[:, np.newaxis]
