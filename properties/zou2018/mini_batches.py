"""What the claims on mini-batches measure: single steps over all batches, whole trees of paths, and single paths.

Main definitions: `Branching`, an iterate with what each mini-batch makes of it; `batch_tree`, all paths of a few
steps, whose means are exact, and what it returns, `BatchTree`; `run_to`, a random path that stops at a given
loss, and what it returns, `Run`; `steepest_samples`, the batch an adversary takes; `ball_decrease`,
the mean decrease in steps too small for floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import flint
import numpy as np

from bounds.arithmetic.balls import precision_of
from bounds.papers import zou2018 as sheet
from nets.arrays import Array
from nets.distances import separation
from nets.forward import Forward, forward
from nets.gradients import (
    Backward,
    backward,
    batch_mean,
    gradient_norms,
    loss_coefficients,
    output_gradient,
    rank_one_pairs,
)
from nets.losses import HUBERISED_HINGE, LOGISTIC, Loss, LossConstants, power_loss
from nets.network import Network
from nets.operators import gated_gram
from nets.training import all_batches
from properties.zou2018.descent import kernel_step
from properties.zou2018.gradient_step import Batch, named


def _slow_exponential(margins: Array) -> Array:
    e = np.exp(-0.5 * margins)
    return np.stack([e, -0.5 * e])


# |ell'| = ell/2 everywhere: p = 1 without a knee, and an alpha_1 below 1, so that leaving it out is an error.
SLOW_EXPONENTIAL = Loss(
    "slow_exponential", LossConstants(1.0, -math.inf, math.inf, 0.5, math.inf, math.inf), _slow_exponential
)

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
        """sum_i |ell'(y_i f(x_i))|."""
        return float(np.abs(self._losses[1]).sum())

    @property
    def errors(self) -> int:
        """Samples with a margin of zero or less."""
        return int(np.count_nonzero(~(self.y * self.passed.output > 0.0)))

    def after(self, batch: Batch) -> Branching:
        """The next iterate if that batch is drawn."""
        coefficients = batch_mean(self.y * self._losses[1], batch)
        gradients = output_gradient(self.net, self.passed, coefficients, self.back)
        net = Network(tuple(W - self.eta * G for W, G in zip(self.net.weights, gradients, strict=True)), self.net.v)
        return Branching(net, self.X, self.y, self.loss, self.eta, self.size)

    @cached_property
    def children(self) -> list[Branching]:
        """The next iterates for all batches, each as likely as the others."""
        return [self.after(batch) for batch in all_batches(len(self.X), self.size)]

    @cached_property
    def mean_decrease(self) -> float:
        """L_S less its conditional mean after one step."""
        return self.risk - float(np.mean([child.risk for child in self.children]))

    @cached_property
    def linear_moves(self) -> Array:
        """The changes of the outputs to first order in the weights, for all batches: (batches, n)."""
        pairs = rank_one_pairs(self.passed, self.back)
        kernel = sum(((x @ x.T) * (b @ b.T) for x, b in pairs), start=np.zeros((len(self.X), len(self.X))))
        batches = all_batches(len(self.X), self.size)
        return np.stack(
            [-self.eta * kernel @ loss_coefficients(self.passed, self.y, self.loss, batch) for batch in batches]
        )

    @cached_property
    def squared_gradients(self) -> Array:
        """Squared Frobenius norms of the gradients of L_S: (L,)."""
        coefficients = loss_coefficients(self.passed, self.y, self.loss)
        return np.asarray(gradient_norms(self.passed, self.back, coefficients)[1]) ** 2


def unit_step(net: Network, X: Array) -> float:
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
        return np.array([iterate.slope_sum / len(iterate.X) for iterate in self.levels[t]])

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
    return iterate.mean_decrease / promised if promised > 0.0 else math.inf


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
class Run:
    """A path up to its first iterate of a given loss, `last`, and how long it took: `time`, the steps times eta."""

    last: Branching
    time: float
    symbols: dict[str, float]


# A path that has not come to its loss after `most` steps is taken to be too long, if the lemma says it should have
# come there in this many.
PROMISED = 10**7


def run_to(
    root: Branching,
    eps: float,
    rng: np.random.Generator,
    *,
    rate: Callable[[Branching], float] = measured_rate,
    most: int = 300,
    fixed: bool = False,
) -> Run:
    """A path with random batches up to the loss `eps`, and what Lemma 5.8 of zou2018 speaks of.

    The c0 of (C.18) is taken from the least `rate` met. The bound 1/C on the probability that the path is longer than
    the lemma says stays: with c_t what is met at the iterate t, the mean of the sum of the c_t eta S1_t^2 is at most
    L_S at the start, whenever one stops. A path is given up after `most` steps. With `fixed` all
    batches are the first one.
    """
    n, m, phi, constants = len(root.X), root.net.v.size, separation(root.X), root.loss.constants
    symbols = {"eta": root.eta, "eps": eps, "phi": phi, "L0": root.risk, "p": constants.p}
    symbols |= {"alpha0": constants.alpha_0, "alpha1": constants.alpha_1}
    here, least, k = root, math.inf, 0
    while here.risk > eps and k < most:
        least = min(least, rate(here))
        here = here.children[0 if fixed else rng.integers(len(here.children))]
        k += 1
    # With no c0 at all the lemma promises nothing, and a number as good as zero says so.
    c0 = max(1e-12, 2.0 * min(least, 1e12) * n**7 / (m * phi**3))
    time, allowed = k * root.eta, float(sheet.lemma_5_8.evaluate({**symbols, "m": m, "n": n, "c0": c0}))
    if here.risk > eps and allowed < PROMISED * root.eta:
        time = 2.0 * allowed
    return Run(here, time, {**symbols, "c0": c0})


def steepest_samples(net: Network, passed: Forward, y: Array, loss: Loss, size: int) -> Batch:
    """The batch of the `size` samples whose gradients, of all layers together, are the longest."""
    pairs = rank_one_pairs(passed, backward(net, passed))
    squares = sum((np.sum(x * x, axis=1) * np.sum(b * b, axis=1) for x, b in pairs), start=np.zeros(len(y)))
    lengths = np.abs(loss.derivative(y * passed.output)) * np.sqrt(squares)
    return np.sort(np.argsort(-lengths, kind="stable")[:size]).astype(np.intp)


# ------------------------------------------------------------------------------------------- in ball arithmetic

# A step that the premises of (C.18) allow lowers the loss by some 10^(-25) of its value.
BITS = 320


@dataclass(frozen=True)
class _Ball:
    """A pass: inputs of the layers, masks, and outputs, in ball arithmetic, samples as rows."""

    post: list[flint.arb_mat]
    masks: list[list[list[int]]]
    outputs: list[flint.arb]


def _ball_forward(weights: Sequence[flint.arb_mat], v: flint.arb_mat, X: flint.arb_mat) -> _Ball:
    post, masks = [X], []
    for W in weights:
        z = post[-1] * W
        rows, columns = z.nrows(), z.ncols()
        entries = [[z[i, j] for j in range(columns)] for i in range(rows)]
        # Above a layer that is dead at a sample everything is zero, and is known to be.
        if not all(e > 0 or e < 0 or e.is_zero() for row in entries for e in row):
            raise ArithmeticError("a pre-activation is not known to be positive or negative")
        masks.append([[int(e > 0) for e in row] for row in entries])
        post.append(flint.arb_mat([[e if e > 0 else flint.arb(0) for e in row] for row in entries]))
    out = post[-1] * v
    return _Ball(post, masks, [out[i, 0] for i in range(X.nrows())])


def _masked(A: flint.arb_mat, mask: list[list[int]]) -> flint.arb_mat:
    return flint.arb_mat([[A[i, j] if on else 0 for j, on in enumerate(row)] for i, row in enumerate(mask)])


def _ball_backward(weights: Sequence[flint.arb_mat], v: flint.arb_mat, passed: _Ball) -> list[flint.arb_mat]:
    arriving = flint.arb_mat([[v[j, 0] for j in range(v.nrows())] for _ in passed.outputs])
    b = [_masked(arriving, passed.masks[-1])]
    for W, mask in zip(reversed(weights[1:]), reversed(passed.masks[:-1]), strict=True):
        b.append(_masked(b[-1] * W.transpose(), mask))
    return b[::-1]


def _ball_logistic(x: flint.arb) -> tuple[flint.arb, flint.arb]:
    e = (-x).exp()
    return e.log1p(), -e / (1 + e)


def ball_decrease(net: Network, X: Array, y: Array, size: int, eta: float, offset: float, share: int) -> float:
    """The decrease of the mean logistic loss in one step, in the mean over all batches of `size` samples.

    The iterate is off the weights of `net` by `offset` in all layers, along the unit matrices of equal entries. The
    sum over a batch is divided by `share`. Raises `ArithmeticError` where the bits do not suffice.
    """
    with precision_of(BITS):
        weights = []
        for W in net.weights:
            shift = flint.arb(offset) / flint.arb(W.size).sqrt()
            weights.append(flint.arb_mat([[flint.arb(w) + shift for w in row] for row in W.tolist()]))
        v = flint.arb_mat([[flint.arb(sign)] for sign in net.v.tolist()])
        points = flint.arb_mat([[flint.arb(x) for x in row] for row in X.tolist()])
        labels = [int(label) for label in y]
        passed = _ball_forward(weights, v, points)
        backs = _ball_backward(weights, v, passed)
        met = [_ball_logistic(label * out) for label, out in zip(labels, passed.outputs, strict=True)]
        before = sum((value for value, _ in met), start=flint.arb(0))
        total, batches = flint.arb(0), all_batches(len(labels), size).tolist()
        for batch in batches:
            steps = []
            for post, b in zip(passed.post[:-1], backs, strict=True):
                factors = [labels[i] * met[i][1] * flint.arb(eta) / share for i in batch]
                left = flint.arb_mat([[post[i, j] for j in range(post.ncols())] for i in batch])
                scaled = [[f * b[i, j] for j in range(b.ncols())] for f, i in zip(factors, batch, strict=True)]
                steps.append(left.transpose() * flint.arb_mat(scaled))
            moved = [W - step for W, step in zip(weights, steps, strict=True)]
            outputs = _ball_forward(moved, v, points).outputs
            values = [_ball_logistic(label * out)[0] for label, out in zip(labels, outputs, strict=True)]
            total += before - sum(values, start=flint.arb(0))
        decrease = total / (len(batches) * len(labels))
        # Below the rounding of a float by far, or the number would not be known.
        if not decrease.rad() < abs(decrease.mid()) * flint.arb(2) ** -60:
            raise ArithmeticError(f"the decrease {decrease} is not known at {BITS} bits")
        return float(decrease)
