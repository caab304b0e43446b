"""What the claims on mini-batches measure: single steps over all batches, whole trees of paths, and single paths.

Main definitions: `Branching`, an iterate with what each mini-batch makes of it; `batch_tree`, all paths of a few
steps, whose means are exact, and what it returns, `BatchTree`; `path_to`, a random path that stops at a given loss,
`passage`, how long it takes, and what that returns, `FirstPassage`; `steepest_samples`, the batch an adversary takes;
`best_loss`, the least loss of a path; `ball_decrease`, the mean decrease in steps too small for floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import separation
from nets.descent.training import all_batches, descent_step, draw_batch
from nets.networks.forward import Forward, forward
from nets.networks.gradients import Backward, backward, gradient_norms, rank_one_pairs
from nets.networks.losses import HUBERISED_HINGE, LOGISTIC, Loss, LossConstants, power_loss
from nets.networks.network import Network
from nets.networks.operators import gated_gram
from nets.tangent.linearised import tangent_features
from properties.shared import ball_pass
from properties.shared.ball_activations import Ball
from properties.shared.ball_pass import Matrix, in_balls, logistic_losses, logistic_weights, mean
from properties.shared.batch_trees import Batch
from properties.zou2018.descent import CERTAIN, kernel_step
from properties.zou2018.gradient_step import named
from properties.zou2018.risk_slopes import loss_slopes, risk_slopes
from theory.claims import UNIT_ROUNDOFF, Measured

# Inputs are moved by these shares of themselves, far more than roundings and far less than what bends a path.
MOVED = 2.0**-36

# Down to it exp(-margin/2) is a double.
LEAST_MARGIN = -1400.0


def _slow_exponential(margins: Array) -> Array:
    if margins.min(initial=0.0) < LEAST_MARGIN:
        raise ValueError(f"a margin of {margins.min():.3g} has a loss that no double is: ask for fewer layers or steps")
    e = np.exp(-0.5 * margins)
    return np.stack([e, -0.5 * e])


# |ell'| = ell/2 everywhere: p = 1 without a knee, and an alpha_1 below 1, so that leaving it out is an error.
SLOW_EXPONENTIAL = Loss(
    "slow_exponential", LossConstants(1.0, -math.inf, math.inf, 0.5, math.inf, math.inf), _slow_exponential
)

# One sample is at no distance from others, and on a line no more than two samples are.
TWO_SAMPLES_IN_THE_PLANE = {"n": 2, "d": 2}

# By what a c0 of (C.18) is divided where it is taken from the decreases of a path: its bounds multiply by it again.
QUOTIENT = {"c0": "m*phi**3/n**7"}
CANCELLED = {
    "m": "c0 is measured, as a quotient by it: lemma-B.5-orders sees the power in the gradient bound",
    "phi": "c0 is measured, as a quotient by it: lemma-B.5-linear sees the true power in the gradient bound",
}

# Exponents 1, 1/2 and 2/3, each with a knee.
KNEES = named(LOGISTIC, HUBERISED_HINGE, power_loss(2 / 3, -1.0))


@dataclass(frozen=True, eq=False)
class Branching:
    """An iterate on all samples X (n, d) with labels y (n,), and the next one for each batch of `size` samples."""

    net: Network
    X: Array
    y: Array
    loss: Loss
    eta: float
    size: int
    _made: dict[int, Branching] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def passed(self) -> Forward:
        """The pass of all samples."""
        return forward(self.net, self.X)

    @cached_property
    def back(self) -> Backward:
        """The backward vectors of all samples, which the gradients of all batches share."""
        return backward(self.net, self.passed)

    @cached_property
    def _losses(self) -> tuple[Array, Array]:
        """The losses of the samples and their derivatives: (n,) each."""
        return self.loss.value_and_derivative(self.y * self.passed.output)

    @property
    def values(self) -> Array:
        """The losses of the samples: (n,)."""
        return self._losses[0]

    @cached_property
    def risk(self) -> float:
        """L_S here."""
        return float(self.values.mean())

    @cached_property
    def slope_sum(self) -> float:
        """sum_i |ell'(y_i f(x_i))|, by the derivatives that the step takes."""
        return float(np.abs(self._losses[1]).sum())

    @property
    def mean_slope(self) -> float:
        """(1/n) sum_i |ell'(y_i f(x_i))|, by the formula of ell', apart from the step and from c0."""
        return float(np.abs(loss_slopes(self.loss, self.y * self.passed.output)).mean())

    @property
    def errors(self) -> int:
        """Samples with a margin of zero or less."""
        return int(np.count_nonzero(~(self.y * self.passed.output > 0.0)))

    def after(self, batch: Batch) -> Branching:
        """The next iterate if that batch is drawn."""
        net, _ = descent_step(self.net, self.passed, self.y, self.loss, self.eta, batch, self.back)
        return Branching(net, self.X, self.y, self.loss, self.eta, self.size)

    @cached_property
    def batches(self) -> npt.NDArray[np.intp]:
        """All batches, each as likely as the others: (batches, size)."""
        return all_batches(len(self.X), self.size)

    def child(self, number: int) -> Branching:
        """The next iterate for the batch of that number, made when it is first asked for."""
        if number not in self._made:
            self._made[number] = self.after(self.batches[number])
        return self._made[number]

    @property
    def children(self) -> list[Branching]:
        """The next iterates for all batches."""
        return [self.child(number) for number in range(len(self.batches))]

    def forget(self) -> None:
        """Let go of the next iterates, of which a long path would keep all; they are made again if asked for."""
        self._made.clear()

    @cached_property
    def mean_decrease(self) -> float:
        """L_S less its conditional mean after one step."""
        return self.risk - float(np.mean([child.risk for child in self.children]))

    @cached_property
    def linear_moves(self) -> Array:
        """The changes of the outputs to first order in the weights, for all batches: (batches, n)."""
        kernel = tangent_features(self.net, self.passed).grams.sum(axis=0)
        outputs = self.passed.output
        return np.stack([-self.eta * kernel @ risk_slopes(self.loss, self.y, outputs, batch) for batch in self.batches])

    @cached_property
    def squared_gradients(self) -> Array:
        """Squared Frobenius norms of the gradients of L_S: (L,)."""
        coefficients = risk_slopes(self.loss, self.y, self.passed.output)
        return np.asarray(gradient_norms(self.passed, self.back, coefficients)[1]) ** 2


def unit_curvature_step(net: Network, X: Array) -> float:
    """The step size at which the linearised network meets the curvature of a loss with lam = 1."""
    return kernel_step(net, X, HUBERISED_HINGE)


@dataclass(frozen=True, eq=False)
class BatchTree:
    """All paths of k steps from one network; level t holds the iterates after t steps, one for every path so far.

    `rate` is the least of (L_S less its mean after one step)/(eta S1^2) over all iterates but the last, S1 being the
    sum of the derivatives.
    """

    levels: tuple[tuple[Branching, ...], ...]
    rate: float

    def risks(self, t: int) -> Array:
        """L_S of all iterates of a level; a number that is as good as zero stands for zero, which has no logarithm."""
        return np.maximum([iterate.risk for iterate in self.levels[t]], 1e-100)

    def slopes(self, t: int) -> Array:
        """(1/n) sum_i |ell'_i| of all iterates of a level."""
        return np.array([iterate.mean_slope for iterate in self.levels[t]])

    def constant(self, m: int, n: int, phi: float) -> float:
        """The c0 with which (C.18) of zou2018 holds at every iterate but the last; 10^(-12) if no c0 > 0 is met."""
        return max(1e-12, 2.0 * self.rate * n**7 / (m * phi**3)) if self.rate < math.inf else 1e-12


def batch_tree(root: Branching, k: int) -> BatchTree:
    """The tree of k steps from an iterate."""
    levels: list[tuple[Branching, ...]] = [(root,)]
    rate = math.inf
    for _ in range(k):
        for iterate in levels[-1]:
            rate = min(rate, measured_rate(iterate))
        levels.append(tuple(child for iterate in levels[-1] for child in iterate.children))
    return BatchTree(tuple(levels), rate)


def measured_rate(iterate: Branching) -> float:
    """What (C.18) may take for c0 m phi^3/(2 n^7) at an iterate, from the mean decrease; infinite at a flat point."""
    promised = iterate.eta * iterate.slope_sum**2
    return CERTAIN * iterate.mean_decrease / promised if promised > 0.0 else math.inf


def gram_rate(iterate: Branching) -> float:
    """The same, from the least eigenvalue of the gated Gram matrix and the share of the promised decrease.

    The last layer's squared gradient is at least m_L eigenvalue/n^3 times S1^2 (zou2018, proof of Lemma B.5).
    """
    eigenvalues = np.linalg.eigvalsh(gated_gram(iterate.passed))
    # The computed eigenvalues are off by some n roundings of the largest one.
    eigenvalue = max(0.0, float(eigenvalues[0] - 1e-12 * eigenvalues[-1]))
    promised = iterate.eta * float(iterate.squared_gradients.sum())
    share = iterate.mean_decrease / promised if promised > 0.0 else math.inf
    return share * eigenvalue * iterate.net.v.size / len(iterate.X) ** 3


@dataclass(frozen=True, eq=False)
class FirstPassage:
    """A path up to its first iterate of a given loss, `last`, and how long it took: `time`, the steps times eta."""

    last: Branching
    time: float
    symbols: dict[str, float]


# A path that has not come to its loss after `most` steps is taken to be too long, if the lemma says it should have
# come there in this many.
PROMISED = 10**7


# Of the paths of theorem-4.5-corrected one in 100 takes 90 steps, one in 1000 takes 194, and of 12,000 the longest 455:
# twice as many steps for a tenth of the paths, so that of 10^8 about one is left.
MOST_STEPS = 10_000
# From there on a path ends as soon as it is longer than the lemma allows.
LONG = 300


def path_to(
    root: Branching, eps: float, rng: Generator, *, most: int = MOST_STEPS, fixed: bool = False, still: bool = False
) -> Iterator[Branching]:
    """The iterates of a path with random batches up to the loss `eps`, given up after `most` steps.

    With `fixed` all batches are the first one; a path that stands `still` takes no step, but counts it.
    """
    here = root
    yield here
    for _ in range(most):
        if not here.risk > eps:
            return
        if not still:
            here = here.child(0 if fixed else int(rng.integers(len(here.batches))))
        yield here


def passage(
    root: Branching,
    eps: float,
    rng: Generator,
    *,
    rate: Callable[[Branching], float] = measured_rate,
    most: int = MOST_STEPS,
    fixed: bool = False,
    still: bool = False,
    presumed: bool = False,
) -> FirstPassage:
    """A path as of `path_to`, and what Lemma 5.8 of zou2018 speaks of.

    From `LONG` steps on a path ends where it is longer than the lemma allows. One that is cut off before has no time.
    Where it is `presumed` to go on it has twice the time allowed, or its own where so long a path is never met.

    The c0 of (C.18) is taken from the least `rate` met. The bound 1/C on the probability that the path is longer than
    the lemma says stays: with c_t what is met at the iterate t, the mean of the sum of the c_t eta S1_t^2 is at most
    L_S at the start, whenever one stops.
    """
    n, m, phi, constants = len(root.X), root.net.v.size, separation(root.X), root.loss.constants
    symbols = {"eta": root.eta, "eps": eps, "phi": phi, "L0": root.risk, "p": constants.p}
    symbols |= {"alpha0": constants.alpha_0, "alpha1": constants.alpha_1}

    def promise(least: float) -> tuple[float, float]:
        """The c0 of that rate, and the time that the lemma allows."""
        # With no c0 at all the lemma promises nothing, and a number as good as zero says so.
        c0 = max(1e-12, 2.0 * min(least, 1e12) * n**7 / (m * phi**3))
        return c0, float(sheet.lemma_5_8.evaluate({**symbols, "m": m, "n": n, "c0": c0}))

    here, least, k = root, math.inf, 0
    for k, after in enumerate(path_to(root, eps, rng, most=most, fixed=fixed, still=still)):
        if k > 0:
            least = min(least, rate(here))
            if not still:
                here.forget()
        here = after
        if k >= LONG and k * root.eta > promise(least)[1]:
            break
    time, (c0, allowed) = k * root.eta, promise(least)
    if here.risk > eps and time <= allowed:
        if not presumed:
            time = math.nan
        elif allowed < PROMISED * root.eta:
            time = 2.0 * allowed
    return FirstPassage(here, time, {**symbols, "c0": c0})


def steepest_samples(net: Network, passed: Forward, y: Array, loss: Loss, size: int) -> Batch:
    """The batch of the `size` samples whose gradients, of all layers together, are the longest."""
    pairs = rank_one_pairs(passed, backward(net, passed))
    squares = sum((np.sum(x * x, axis=1) * np.sum(b * b, axis=1) for x, b in pairs), start=np.zeros(len(y)))
    lengths = np.abs(loss.derivative(y * passed.output)) * np.sqrt(squares)
    return np.sort(np.argsort(-lengths, kind="stable")[:size]).astype(np.intp)


# ------------------------------------------------------------------------------------------- in ball arithmetic


def ball_decrease(net: Network, X: Array, y: Array, size: int, eta: float, offset: float, share: int) -> float:
    """The decrease of the mean logistic loss in one step, in the mean over all batches of `size` samples.

    The iterate is off the weights of `net` by `offset` in all layers, along the unit matrices of equal entries. The
    sum over a batch is divided by `share`. Raises `ArithmeticError` where the bits do not suffice, for a gate or else.
    """

    def at(bits: int) -> float:
        units = [Matrix(*W.shape, [1 / Ball(W.size).sqrt()] * W.size) for W in net.weights]
        start = in_balls(net).descended(units, -offset)
        found = ball_pass.forward(start, X)
        if all(slope == 0 for slope in found.slopes[-1]):
            return 0.0  # no neuron of the last layer is active, and none moves
        b = ball_pass.backward(start, found)
        slopes = [-int(label) * g / share for label, g in zip(y, logistic_weights(found, y), strict=True)]
        before, after = mean(logistic_losses(found, y)), []
        for batch in all_batches(len(y), size).tolist():
            coefficients = [slope if i in batch else 0 for i, slope in enumerate(slopes)]
            moved = start.descended(ball_pass.gradients(start, found, b, coefficients), eta)
            after.append(mean(logistic_losses(ball_pass.forward(moved, X), y)))
        decrease = before - mean(after)
        # Below the rounding of a float by far, or the number would not be known.
        if not decrease.rad() < abs(decrease.mid()) * Ball(2) ** -60:
            raise ArithmeticError(f"the decrease {decrease} is not known at {bits} bits")
        return float(decrease)

    return ball_pass.with_enough_bits(at)


def best_loss(net: Network, X: Array, y: Array, B: int, K: int, times: float, rng: Generator) -> Measured:
    """The least Huberised hinge loss of the iterates, in K steps of `times` the size at which curvature is felt.

    Its error is eight standard deviations of roundings of random signs, made anew in sums of m terms in each of K
    steps (Higham and Mary 2019), times what the path, from the same batches, makes of inputs that are moved. An iterate
    with twice the least loss does not become the least.
    """
    eta, batch, again = times * unit_curvature_step(net, X), min(B, len(y)), deepcopy(rng)
    signs = np.where(np.indices(X.shape).sum(axis=0) % 2 == 0, 1.0, -1.0)
    losses, moved = (
        _losses_met(net, inputs, y, eta, K, batch, drawn)
        for inputs, drawn in ((X, rng), (X * (1.0 + MOVED * signs), again))
    )
    least, near = float(losses.min()), losses <= 2.0 * losses.min()
    change = float(np.abs(moved - losses)[near].max()) / MOVED
    return Measured(least, error=8.0 * math.sqrt(max(net.widths) * K) * UNIT_ROUNDOFF * change)


def _losses_met(net: Network, X: Array, y: Array, eta: float, K: int, size: int, rng: Generator) -> Array:
    """Huberised hinge losses of the iterates 0..K, with batches of `size`: (K + 1,); nothing else is recorded."""
    met = []
    for k in range(K + 1):
        passed = forward(net, X)
        met.append(float(HUBERISED_HINGE.value(y * passed.output).mean()))
        if k < K:
            batch = draw_batch(len(y), size, rng)
            net, _ = descent_step(net, passed, y, HUBERISED_HINGE, eta, batch)
    return np.array(met)
