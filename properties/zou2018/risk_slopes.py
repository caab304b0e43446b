"""The derivatives of losses and of the empirical risk written out, apart from what they are compared with.

Main definitions: `loss_slopes`, ell' of each loss by its formula; `risk_slopes`, the derivatives of the empirical risk,
or of that of a mini-batch, in the outputs. A claim takes from here what its bound is told of the derivatives, so that
a slip in the kernels of losses and gradients changes one side of it alone.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from nets import EXPONENTIAL, HINGE, HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, Array, Loss, power_loss


def _of_logistic(x: Array) -> Array:
    # exp of a negative number only, so that nothing overflows.
    e = np.exp(-np.abs(x))
    return np.where(x >= 0.0, -e, -1.0) / (1.0 + e)


def _of_power(x: Array, p: float, x_0: float) -> Array:
    base = np.maximum((1.0 - p) * (1.0 - np.maximum(x, x_0)), 0.0)
    return np.asarray(-(base ** (p / (1.0 - p))))


# By name; what a loss is made with follows the margins.
_FORMULAS: dict[str, Callable[..., Array]] = {
    LOGISTIC.name: _of_logistic,
    EXPONENTIAL.name: lambda x: -np.exp(-x),
    HINGE.name: lambda x: np.where(x < 1.0, -1.0, 0.0),
    SQUARED_HINGE.name: lambda x: -2.0 * np.maximum(1.0 - x, 0.0),
    HUBERISED_HINGE.name: lambda x: -np.clip(1.0 - x, 0.0, 1.0),
    power_loss(0.5).name: _of_power,
    # exp(-x/2), which the claims on mini-batches bring along.
    "slow_exponential": lambda x: -0.5 * np.exp(-0.5 * x),
}


def loss_slopes(loss: Loss, margins: npt.ArrayLike) -> Array:
    """ell' at margins of any shape, from the right at a kink, NaN at NaN; KeyError for a loss without formula."""
    x = np.asarray(margins, dtype=np.float64)
    return np.where(np.isnan(x), np.nan, _FORMULAS[loss.name](x, *loss.parameters))


def risk_slopes(loss: Loss, y: Array, output: Array, batch: npt.NDArray[np.intp] | None = None) -> Array:
    """y_i ell'(y_i f_i)/n for labels and outputs (n,); with `batch`, for its samples over its size, and else 0."""
    slopes = y * loss_slopes(loss, y * output)
    if batch is None:
        return slopes / len(y)
    inside = np.zeros(len(y))
    for i in batch.tolist():
        inside[i] = slopes[i] / len(batch)
    return inside
