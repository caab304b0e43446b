"""Pre-activations of one layer whose change comes in two parts, one bounded in norm and one entry by entry.

Main definitions: `PartedChange`; `parted`, changes at which (41) to (45) of guo2024 lose as little as they can, with
the regime `SPLIT` of their levels; `squares`, what flipped neurons contribute.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from properties.guo2024.layer_changes import derivative
from properties.guo2024.slopes import SLOPES
from theory.claims import Regime, grid, reals
from theory.evidence import Search


@dataclass(frozen=True)
class PartedChange:
    """Pre-activations g^(0) (m,) of a layer and their change g'_1 + g'_2, both parts (m,)."""

    slope: float
    before: Array
    first: Array
    second: Array

    @property
    def jumps(self) -> Array:
        """The diagonal of D': (m,)."""
        return derivative(self.before + self.first + self.second, self.slope) - derivative(self.before, self.slope)

    @property
    def flipped_part(self) -> Array:
        """d = D' g: (m,)."""
        return self.jumps * (self.before + self.first + self.second)


SPLIT = Regime(
    cells=grid(m=[2, 16], slope=SLOPES),
    draw={
        "beta_": reals(0.1, 10.0, logarithmic=True),
        "low": reals(0.0, 0.999),
        "inside": reals(0.0, 10.0),
        "outside": reals(0.0, 10.0),
        "sup": reals(0.0, 0.499),
        "jitter": reals(0.0, 1.0),
    },
)
SPLIT_SEARCH = Search(
    examples=6, adversary="neurons at one height below the threshold and at it, both parts against their signs"
)


def pinned_draw(**levels: float) -> list[dict[str, float]]:
    """One instance of the draws of `SPLIT`, at threshold 1 where it says nothing."""
    return [{"beta_": 1.0, "low": 0.0, "inside": 0.0, "outside": 0.0, "sup": 0.0, "jitter": 0.0} | levels]


def parted(
    rng: Generator,
    m: int,
    slope: float,
    beta_: float,
    low: float,
    inside: float,
    outside: float,
    sup: float,
    jitter: float,
) -> PartedChange:
    """Half of the pre-activations at the threshold and half at a share `low` of it; both parts of the change oppose.

    The parts are given in units of the threshold, and `jitter` is by how much the first varies from neuron to neuron.
    """
    signs, far = rng.choice([-1.0, 1.0], m), np.arange(m) < m // 2
    sizes = np.where(far, outside, inside) * (1.0 - jitter * rng.random(m))
    before = signs * beta_ * np.where(far, 1.0, low)
    return PartedChange(slope, before, -signs * beta_ * sizes, np.asarray(-signs * beta_ * sup))


def sizes_of(change: PartedChange) -> dict[str, float]:
    """The symbols of the two parts: ||g'_1|| and ||g'_2||_inf."""
    return {"drift1": float(np.linalg.norm(change.first)), "drift2": float(np.abs(change.second).max())}


def squares(change: PartedChange, among: npt.NDArray[np.bool_]) -> tuple[float, int]:
    """The sum of d_j^2 over those of the neurons `among` (m,) that flip, and how many these are."""
    chosen = among & (change.jumps != 0.0)
    return float(np.sum(change.flipped_part[chosen] ** 2)), int(np.count_nonzero(chosen))
