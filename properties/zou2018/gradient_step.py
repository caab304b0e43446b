"""What the claims on one gradient step measure, and the weights that leave their proofs no slack.

Main definitions: `GradientStep`, a step with the passes before and after it and the norms that bound what it
does; `step_in_region`, one inside the region of zou2018, Lemmas C.2 and C.3. What a search draws: `RegionStep` and
`FreeStep`, and of losses, by `named`, the `STEP_LOSSES`, those that are `SMOOTH` and those that are `LIPSCHITZ`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from nets.core.arrays import Array
from nets.descent.training import descent_step
from nets.networks.forward import Forward, forward
from nets.networks.gradients import loss_gradient
from nets.networks.losses import HINGE, HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, Loss, power_loss
from nets.networks.network import Network, he_network, perturbed
from nets.networks.operators import layer_norms, operator_norm
from nets.worst_cases.adversaries import random_perturbation
from properties.shared.batch_trees import Batch
from properties.zou2018.limits import region_radius
from properties.zou2018.perturbed_pass import ALLOWED_SHARE
from properties.zou2018.risk_slopes import loss_slopes
from properties.zou2018.worst_networks import two_channels


def named(*losses: Loss) -> dict[str, Loss]:
    """Losses by the names under which a search draws them: of a power loss its exponent, and its knee where not 0."""
    return {_said(loss): loss for loss in losses}


def _said(loss: Loss) -> str:
    if not loss.parameters:
        return loss.name
    p, knee = loss.parameters
    return f"power {Fraction(p).limit_denominator(100)}" + (f" from {knee:g} on" if knee else "")


# The first three meet Assumptions 3.3 and 3.4 of zou2018. What a step does is bounded through the derivatives
# met before it, and how these came about must not matter, so a search may take the others too. The exponential
# loss is left out, as it overflows at the margins of a deep network with large norms.
STEP_LOSSES = named(LOGISTIC, HUBERISED_HINGE, power_loss(2 / 3), SQUARED_HINGE, HINGE)

# Those with a smoothness constant (Assumption 3.4), and those with a Lipschitz constant (Assumption 3.3).
SMOOTH = tuple(name for name, loss in STEP_LOSSES.items() if np.isfinite(loss.constants.lam))
LIPSCHITZ = tuple(name for name, loss in STEP_LOSSES.items() if np.isfinite(loss.constants.rho))


# A premise of the lemmas on a step in the region that can be dropped, and why.
BLIND_TO_OUTPUTS = {
    "premise r <= 3/2": "not needed: norms of 4 alone make the outputs at most 4^l, and L 16^(L-1) is below 2^(5 L)/7"
}


class RegionStep(NamedTuple):
    """A step between two points of a region, as a search draws it.

    `weights` says which centre the region has and `loss` which of the `STEP_LOSSES` goes down. The step begins at the
    share `moved` of the radius off the centre, and its length is the share `size` of what is left.
    """

    weights: str
    loss: str
    size: float
    moved: float


class FreeStep(NamedTuple):
    """A step from weights that no premise binds, as a search draws it.

    `weights` says which, `norm` how large their layers are, `loss` which of the `STEP_LOSSES` goes down, and `size` is
    the length of the step as a share of `norm`.
    """

    weights: str
    loss: str
    norm: float
    size: float


# What the blocks that draw such a step say of it.
REGION_STEP = {"drawn": (RegionStep, RegionStep._fields)}
FREE_STEP = {"drawn": (FreeStep, FreeStep._fields)}


@dataclass(frozen=True, eq=False)
class GradientStep:
    """One step of size `eta` of all layers down the gradient of the empirical risk, or of that of a mini-batch.

    `derivatives` are the |ell'(y_i f(x_i))| before the step, (n,), or (B,) where the risk is that of a mini-batch.
    """

    before: Network
    after: Network
    start: Forward
    end: Forward
    gradients: tuple[Array, ...]
    derivatives: Array
    eta: float

    @classmethod
    def of(cls, net: Network, X: Array, y: Array, loss: Loss, eta: float, batch: Batch | None = None) -> GradientStep:
        """The step from `net` at the samples X (n, d) with labels y (n,), all or those numbered in `batch`.

        The passes are over all samples.
        """
        start = forward(net, X)
        after, gradients = descent_step(net, start, y, loss, eta, batch)
        derivatives = np.abs(loss_slopes(loss, y * start.output))
        met = derivatives if batch is None else derivatives[batch]
        return cls(net, after, start, forward(after, X), gradients, met, eta)

    @cached_property
    def outputs(self) -> Array:
        """How far the step moves the output of each layer 0..L, in 2-norm: (n, L + 1)."""
        pairs = zip(self.start.post, self.end.post, strict=True)
        return np.stack([np.linalg.norm(after - before, axis=1) for before, after in pairs], axis=1)

    @cached_property
    def norms_before(self) -> Array:
        """||W_l|| before the step: (L,)."""
        return np.array([operator_norm(W) for W in self.before.weights])

    @cached_property
    def norms_after(self) -> Array:
        """||W_l|| after the step: (L,)."""
        return np.array([operator_norm(W) for W in self.after.weights])

    @cached_property
    def downstream(self) -> Array:
        """||W_{l+1}|| ... ||W_L|| before the step, for l = 1..L: (L,)."""
        return np.cumprod([1.0, *self.norms_before[:0:-1]])[::-1]

    @cached_property
    def own_moves(self) -> Array:
        """||W_{l+1}|| ... ||W_L|| times the largest ||x_{l-1}||^2 before the step, for l = 1..L: (L,).

        The step of layer l moves x_l by at most its norm times ||x_{l-1}||, and that norm is proportional to
        the norms downstream and to ||x_{l-1}|| once more.
        """
        return self.downstream * layer_norms(self.start).max(axis=0)[:-1] ** 2

    def stretched(self, own: Array, power: int = 1) -> Array:
        """The sum over t <= l of own_t (||W_{t+1}|| ... ||W_l||)^power after the step, for l = 1..L: (L,).

        For `own_moves` it is the prodW of zou2018, Lemma C.2, sharp form.
        """
        total, totals = 0.0, []
        for norm, term in zip(self.norms_after, own, strict=True):
            total = norm**power * total + term
            totals.append(total)
        return np.array(totals)


def step_size(net: Network, X: Array, y: Array, loss: Loss, longest: float, batch: Batch | None = None) -> float:
    """The eta at which no layer moves further than `longest`, in operator norm; `longest` at a flat point."""
    steepest = max(operator_norm(G) for G in loss_gradient(net, forward(net, X), y, loss, batch))
    return longest / steepest if steepest > 0.0 else longest


def longest_step(
    net: Network, X: Array, y: Array, loss: Loss, longest: float, batch: Batch | None = None
) -> GradientStep:
    """The step in which the layer that moves most moves by `longest`."""
    return GradientStep.of(net, X, y, loss, step_size(net, X, y, loss, longest, batch), batch)


def standing(step: GradientStep) -> GradientStep:
    """The step not taken: everything that is known before it, and the network where it was."""
    return replace(step, after=step.before, end=step.start)


def same_points(X: Array, y: Array) -> tuple[Array, Array]:
    """The first point in place of all, all labelled +1: every sample then pulls the weights the same way."""
    return np.tile(X[0], (len(X), 1)), np.ones_like(y)


def widths(d: int, M: int, L: int) -> tuple[int, ...]:
    """(d, M/2, M, ..., M): layers that are not square, with M <= 2 m (zou2018, Assumption 3.7)."""
    return (d, *(M // 2 if L > 1 and layer == 0 else M for layer in range(L)))


def step_in_region(
    rng: Generator,
    X: Array,
    y: Array,
    sizes: Sequence[int],
    drawn: RegionStep,
    channels: tuple[float, float],
    beyond: float = 0.0,
    opposite: bool = False,
) -> tuple[Network, GradientStep]:
    """The centre of a region of radius (7/2) 8^-L, and a step from one of its points to another.

    The centre is "Gaussian", or has "two channels" of the given signal and norm, and equal samples, the first of them
    `opposite` to the others, where no channel is open. The points are further off by `beyond`.
    """
    if drawn.weights == "Gaussian":
        centre = he_network(sizes, rng)
    else:
        X, y = same_points(X, y)
        centre = two_channels(X[0], sizes[1:], *channels)
        X[0] *= -1.0 if opposite else 1.0
    net, left = moved_off(rng, centre, drawn.moved, beyond)
    return centre, longest_step(net, X, y, STEP_LOSSES[drawn.loss], drawn.size * left)


def moved_off(rng: Generator, centre: Network, share: float, beyond: float = 0.0) -> tuple[Network, float]:
    """A point off the centre by that share of the radius (7/2) 8^-L of its region, and what is left of it.

    The point, and with it the region, may lie further off by `beyond`.
    """
    radius = ALLOWED_SHARE * region_radius(centre.depth)
    offset = share * radius + beyond
    net = perturbed(centre, [random_perturbation(W, offset, rng, "rank_one") for W in centre.weights])
    return net, (1.0 - share) * radius


def region_symbols(centre: Network, step: GradientStep, *, columns: bool = False) -> dict[str, float]:
    """What the premises and the bounds of zou2018, Lemmas C.2 and C.3, speak of.

    With `columns` the largest norm of a column stands for the norm of a layer.
    """
    ends = (step.before, step.after)
    moves = [W - V for net in ends for W, V in zip(net.weights, centre.weights, strict=True)]
    norms = [np.linalg.norm(W, axis=0).max() if columns else operator_norm(W) for W in centre.weights]
    return {
        "S1abs": float(step.derivatives.sum()),
        "eta": step.eta,
        "tau": max(operator_norm(move) for move in moves),
        "normW": float(max(norms)),
        "r": float(layer_norms(forward(centre, step.start.post[0]))[:, 1:].max()),
    }
