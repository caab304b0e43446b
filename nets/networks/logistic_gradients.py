"""The logistic loss of networks with one output, also where it is far below 1e-308: gradients, their norms, steps.

With g_s = 1/(1 + exp(y_s f(x_s))) the gradient of J is that of the sum of the outputs with the coefficients -y_s g_s/n
(chatterji2021, equations (2a), (2b)). Gradients are those of exp(-log_scale) J, where `log_scale` is the caller's.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.linear_algebra.lowrank import frobenius_norms, triangle
from nets.networks.forward import Forward, forward
from nets.networks.gradients import at_uses, backward, output_gradient, rank_one_pairs
from nets.networks.log_loss import log_mean, logistic_terms
from nets.networks.losses import check_labels
from nets.networks.network import Network, shifted

# Weights g_s above this have all their digits; exp(log g_s) would have some less.
NORMAL_WEIGHT = 1e-290


class LossWeights(NamedTuple):
    """First and second derivatives (n,) of exp(-log_scale) J in the outputs f(x_s)."""

    first: Array
    second: Array


def loss_weights(fwd: Forward, y: npt.ArrayLike, log_scale: float = 0.0) -> LossWeights:
    """-y_s g_s/n and g_s (1 - g_s)/n, divided by exp(log_scale); infinite where that overflows."""
    labels = check_labels(y, fwd.output.size)
    terms = logistic_terms(labels * fwd.output)
    if log_scale == 0.0:
        weight = terms.weight
    else:
        with np.errstate(over="ignore"):
            weight = np.exp(terms.log_weight - log_scale)
    # 1 - g is exp(-J_s), to all digits.
    return LossWeights(-labels * weight / labels.size, weight * np.exp(-terms.loss) / labels.size)


def logistic_gradient(net: Network, fwd: Forward, y: npt.ArrayLike, log_scale: float = 0.0) -> tuple[Any, ...]:
    """Gradients of exp(-log_scale) J in all weights, a matrix of the shape of each; labels y (n,).

    With log_scale = 0 it is the gradient of J itself, to the last digits as long as g_s is a normal double.
    """
    return output_gradient(net, fwd, loss_weights(fwd, y, log_scale).first)


def log_gradient_norms(net: Network, fwd: Forward, y: npt.ArrayLike) -> Array:
    """log ||grad_V J|| for each of the weights, then log ||grad J||: (weights + 1,); -inf where a gradient is zero.

    From the factors, each of them divided by its size: neither tiny weights of samples nor huge or tiny layers round
    to zero. Gradients of samples that cancel lose as many digits as in a sum of numbers.
    """
    labels = check_labels(y, fwd.output.size)
    log_weights = logistic_terms(labels * fwd.output).log_weight
    logs = []
    for left, right in rank_one_pairs(fwd, backward(net, fwd)):
        (unit_left, log_left), (unit_right, log_right) = _unit_rows(left), _unit_rows(right)
        sizes = at_uses(log_weights, right) + log_left + log_right
        largest = float(sizes.max())
        if not math.isfinite(largest):
            logs.append(largest)
            continue
        scaled = (at_uses(labels, right) * np.exp(sizes - largest) / labels.size)[:, np.newaxis] * unit_right
        norm = float(frobenius_norms([triangle(unit_left) @ triangle(scaled).T])[0])
        logs.append(largest + math.log(norm) if norm > 0.0 else -math.inf if norm == 0.0 else norm)
    return np.array([*logs, 0.5 * (log_mean(2.0 * np.array(logs)) + math.log(len(logs)))])


def _unit_rows(rows: Array) -> tuple[Array, Array]:
    """Rows divided by their 2-norms, and the logarithms of these, (n,): -inf for a zero row."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    units = rows / np.where(largest == 0.0, 1.0, largest)
    norms = np.linalg.norm(units, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        logs = np.log(largest) + np.log(norms)
    return units / np.where(norms == 0.0, 1.0, norms), logs[:, 0]


def logistic_step(net: Network, X: npt.ArrayLike, y: npt.ArrayLike, step_size: float) -> Network:
    """The network after one step V - step_size grad J(V), all weights at once.

    In plain float64: an update below the last bit of a weight changes nothing.
    """
    if not 0.0 < step_size < math.inf:
        raise ValueError(f"step_size={step_size}: choose a positive, finite step")
    fwd = forward(net, X)
    # With this log_scale the largest weight of a sample becomes 1/n.
    scale = float(logistic_terms(fwd.margins(y)).log_weight.max())
    if math.exp(scale) >= NORMAL_WEIGHT or scale == -math.inf:
        scale, factor = 0.0, step_size
    else:
        factor = math.exp(math.log(step_size) + scale)
    return shifted(net, logistic_gradient(net, fwd, y, scale), -factor)
