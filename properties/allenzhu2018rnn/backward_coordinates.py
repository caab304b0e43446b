"""The coordinates of the backward sums of Appendix D.2 of allenzhu2018rnn, for losses that are fixed beforehand.

Main definitions: `fixed_losses`, of the families `LATER_LOSSES`; `backward_sum`, the sum over a >= l of Back_{l -> a}^T
loss_a; `least_varied`, neurons at which it varies least with B; `SmallCoordinates`, how many are small at the last
time.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from numpy.random import Generator
from scipy.special import erf

from nets import Array, Forward, Network, backward

#: The losses of later times beside the largest one: none, the same vector, its negative, or any of at most its norm.
LATER_LOSSES = ("alone", "equal", "opposed", "drawn")


def fixed_losses(name: str, times: int, outputs: int, time: int, rng: Generator) -> Array:
    """Losses (times, outputs) of norm 1 at `time` and of at most that later, of the family `name`; 0 before.

    Raises ValueError for an unknown family.
    """
    if name not in LATER_LOSSES:
        raise ValueError(f"losses {name!r}: choose among {', '.join(LATER_LOSSES)}")
    losses = rng.standard_normal((times, outputs))
    losses *= (rng.random(times) / np.linalg.norm(losses, axis=1))[:, np.newaxis]
    losses[: time - 1] = 0.0
    losses[time - 1] /= np.linalg.norm(losses[time - 1])
    if name != "drawn":
        losses[time:] = {"alone": 0.0, "equal": 1.0, "opposed": -1.0}[name] * losses[time - 1]
    return losses


def backward_sum(net: Network, fwd: Forward, losses: Array, time: int) -> Array:
    """The sum over a = time..L of Back_{time -> a}^T loss_a for the first sample, losses (L, outputs): (m,)."""
    if time == net.depth:
        return np.asarray(net.v @ losses[-1])
    later = np.zeros((len(fwd.masks[0]), *losses.shape))
    later[0, time - 1 :] = losses[time - 1 :]
    return np.asarray(backward(net, fwd, coefficients=later).q[time][0])


def least_varied(net: Network, fwd: Forward, losses: Array, time: int, count: int) -> npt.NDArray[np.intp]:
    """The `count` neurons at which `backward_sum` has the least variance over B, W and A given.

    The variance is that of B times the sum over j of ||sum_a (C_a)_jk loss_a||^2, C_a = D_a W ... D_{time + 1} W. Of a
    revealed W, which does not tell, they are those that are most active at that time.
    """
    W, m = net.weights[0], net.widths[-1]
    if not isinstance(W, np.ndarray):
        return np.argsort(-fwd.pre[time - 1][0], kind="stable")[:count]
    product, reach = np.eye(m), np.eye(m)[:, :, np.newaxis] * losses[time - 1]
    for later in range(time + 1, net.depth + 1):
        product = (product @ W) * fwd.masks[later - 1][0]
        reach = reach + product[:, :, np.newaxis] * losses[later - 1]
    return np.argsort(np.sum(reach**2, axis=(1, 2)), kind="stable")[:count]


@dataclass(frozen=True)
class SmallCoordinates:
    """How many of N4 independent coordinates from N(0, 1) are of size below `level`: l = L, where B alone acts."""

    N4: int
    level: float

    def exceeds(self, threshold: float) -> float:
        """The chance of more than `threshold` of them."""
        return float(scipy.stats.binom.sf(math.floor(threshold), float(self.N4), erf(self.level / math.sqrt(2.0))))
