"""Gradient descent on a sum of squares, whole and on mini-batches, and what the claims on training ask of it.

The loss is the sum over the samples of ||y_i - yhat_i||^2, neither halved nor divided by n. Main definitions:
`sum_of_squares`, its `gradients_of_squares` and, put together from matrices, `gradients_by_definition`;
`leaky_iterates`, the iterates, and `moving_iterates`, where loss and weights are enough; `fitted_targets`, targets for
which the residuals at the start are what is most or least felt; `LeakyRun`, what a search draws, and
`leaky_run_start`; `leaky_path_to_rest`, a path until it rests, and `Reach`, what the premises of (16) ask of one that
is too long to be kept.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import sympy as sp
from hypothesis import strategies as st
from numpy.random import Generator

from bounds import Decision, at_least, is_zero
from bounds.papers import guo2024 as sheet
from nets.core.arrays import Array
from nets.data.labelled import DataSource
from nets.data.points import ARRANGEMENTS, arranged
from nets.descent.in_place import InPlaceDescent
from nets.descent.rest import HasLoss, UntilRest
from nets.networks.activations import leaky_relu
from nets.networks.forward import Forward, forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Network, leaky_network, shifted
from nets.networks.operators import frobenius_norm, operator_norm
from nets.tangent.linearised import tangent_features
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.slopes import SLOPES, jump
from properties.shared.batch_trees import Batch, IterateTree, tree_levels
from theory.claims import choices, reals

# What residuals at the start may be: drawn, or along an eigenvector of the kernel.
RESIDUALS = ("drawn", "steep", "flat")

# By which share of the distance from the start a path goes on until the operator norm of that distance is taken anew.
GONE_ON = 0.05

# The rounding error of a sum of squares of numbers of the order 1, over its root and that of their number.
ROUNDING_OF_A_ROOT = 2e-14

# The share of the first loss below which a path that rests has fitted its samples.
FITTED = 1e-20

# A path that rests with more than this share of its first loss has not gone what it takes to fit its samples.
HARDLY = 1e-6

# The separation of points farther apart than this, which Assumption 2.1 has below 1.
BELOW_ONE = 0.99

# Rows of a step up to which its norm is taken from their inner products.
FEW_ROWS = 8


def sum_of_squares(outputs: Array, targets: npt.ArrayLike) -> float:
    """The sum over the samples of the squared distances of outputs and targets, which have one shape."""
    return float(np.sum((outputs - np.asarray(targets)) ** 2))


def rounding_of_squares(losses: Array, entries: int) -> Array:
    """The rounding errors of `sum_of_squares` of so many entries, for outputs of the order 1, each known to 1e-14."""
    return ROUNDING_OF_A_ROOT * np.sqrt(entries * losses)


def slopes_of_squares(outputs: Array, targets: npt.ArrayLike, batch: Batch | None = None) -> Array:
    """The derivatives of `sum_of_squares` in the outputs, of their shape, and zero outside of a `batch`."""
    return _of_batch(2.0 * (outputs - np.asarray(targets)), batch)


def _of_batch(slopes: Array, batch: Batch | None) -> Array:
    """The derivatives, with zero in the place of those outside of a `batch`."""
    if batch is None:
        return slopes
    inside = np.zeros_like(slopes)
    inside[batch] = slopes[batch]
    return inside


def gradients_of_squares(
    net: Network, passed: Forward, targets: npt.ArrayLike, batch: Batch | None = None
) -> tuple[Any, ...]:
    """The gradients of `sum_of_squares`, of all samples or of those numbered in `batch`, in all weights."""
    return output_gradient(net, passed, slopes_of_squares(passed.output, targets, batch))


def gradients_by_definition(net: Network, X: Array, targets: Array, slope: float) -> list[list[Array]]:
    """For each sample the gradients of its squared distance in all weights, by the chain rule for matrices.

    This takes of the network its matrices alone: x A, then W_1, ..., W_L with the leaky ReLU of `slope`, then B. Each
    gradient is the outer product of the state before the layer and of what comes back, which is 2 (yhat - y) B^T at
    first.
    """
    found = []
    (A,), weights, B = net.frozen, net.stored_weights(), net.v.reshape(net.widths[-1], -1)
    for x, y in zip(X, targets.reshape(len(X), -1), strict=True):
        states, diagonals = [x @ A], []
        for W in weights:
            pre = states[-1] @ W
            diagonals.append(np.where(pre >= 0.0, 1.0, slope) / math.sqrt(1.0 + slope**2))
            states.append(pre * diagonals[-1])
        back, layers = B @ (2.0 * (states[-1] @ B - y)), []
        for W, state, diagonal in zip(weights[::-1], states[-2::-1], diagonals[::-1], strict=True):
            layers.append(np.outer(state, diagonal * back))
            back = W @ (diagonal * back)
        found.append(layers[::-1])
    return found


Point = TypeVar("Point", bound=HasLoss)


@dataclass(frozen=True, eq=False)
class LeakyIterate:
    """An iterate with its pass of the samples, its loss, and the gradients of the step that is taken from it."""

    net: Network
    passed: Forward
    loss: float
    gradients: tuple[Any, ...]

    @property
    def squared_gradient(self) -> float:
        """The sum of the squared Frobenius norms of the gradients in all weights."""
        return float(sum(frobenius_norm(G) ** 2 for G in self.gradients))

    @property
    def kernel(self) -> Array:
        """The tangent kernel: inner products of the gradients of all outputs, over all weights."""
        return np.asarray(tangent_features(self.net, self.passed).grams.sum(axis=0))


def leaky_iterates(
    net: Network,
    X: Array,
    targets: npt.ArrayLike,
    eta: float,
    batches: Iterable[Batch | None] = itertools.repeat(None),
    *,
    astray: Generator | None = None,
) -> Iterator[LeakyIterate]:
    """The iterates of descent with the step size eta, the start included, one for each of `batches`.

    Each step goes down the gradient of its batch, or of all samples where that is None; with `astray` it is as long in
    every layer, and its direction is drawn.
    """
    for batch in batches:
        passed = forward(net, X)
        down = gradients_of_squares(net, passed, targets, batch)
        yield LeakyIterate(net, passed, sum_of_squares(passed.output, targets), down)
        net = shifted(net, down if astray is None else _turned(down, astray), -eta)


class MovingIterate(NamedTuple):
    """The loss at an iterate, its weights, and the step that led to it; the next step overwrites these."""

    loss: float
    weights: tuple[Any, ...]
    moves: tuple[Any, ...]

    @property
    def length(self) -> float:
        """The Frobenius norm of the step that led here, over all weights."""
        return math.sqrt(sum(frobenius_norm(D) ** 2 for D in self.moves))


def moving_iterates(
    net: Network, X: Array, targets: Array, eta: float, batches: Iterable[Batch | None] = itertools.repeat(None)
) -> Iterator[MovingIterate]:
    """As `leaky_iterates`, the losses and weights alone: stored layers are moved in place, in a third of the time."""
    if not all(isinstance(W, np.ndarray) for W in net.parameters):
        moves: tuple[Any, ...] = ()
        for at in leaky_iterates(net, X, targets, eta, batches):
            yield MovingIterate(at.loss, at.net.weights, moves)
            moves = tuple(-eta * G for G in at.gradients)
        return
    run = InPlaceDescent(net, X)
    for batch in batches:
        gaps = run.output - targets
        yield MovingIterate(float(np.vdot(gaps, gaps)), run.weights, run.moves)
        run.descend(_of_batch(2.0 * gaps, batch), eta)


def leaky_path_to_rest(path: Iterable[Point], entries: int, most: int) -> UntilRest[Point]:
    """The iterates up to where the loss, of so many entries, rests: `most` steps at most."""
    # As `rounding_of_squares`, of one number at a time.
    return UntilRest(path, most, lambda loss: ROUNDING_OF_A_ROOT * math.sqrt(entries * loss))


def stands(first: float, last: float, share: float = FITTED) -> bool:
    """Whether a path that rests has not fitted its samples, by its losses: it then stays there at all later steps.

    One whose loss falls by a hundredth or more in a step comes below that share of the first.
    """
    return last > share * first


def ends_early(path: UntilRest[Any], steps: int) -> bool:
    """Whether a path that was gone along neither rests nor takes all of these steps."""
    return not path.rested and path.taken < steps


def _turned(steps: tuple[Any, ...], rng: Generator) -> tuple[Any, ...]:
    """Steps of the same Frobenius norms in directions that are drawn."""
    drawn = [rng.standard_normal(step.shape) for step in steps]
    return tuple(D * (frobenius_norm(step) / frobenius_norm(D)) for D, step in zip(drawn, steps, strict=True))


def weight_drift(before: Network, after: Network | MovingIterate, *, operator: bool = False) -> float:
    """||W' - W||_F over all weights, or with `operator` the largest of the operator norms."""
    moves = _moves(before, after)
    if operator:
        return max(_norm(D) for D in moves)
    return math.sqrt(sum(frobenius_norm(D) ** 2 for D in moves))


def _norm(D: Any) -> float:
    """The operator norm; of few rows by their inner products, which is a hundred times quicker."""
    if not isinstance(D, np.ndarray) or len(D) > FEW_ROWS:
        return operator_norm(D)
    products = D @ D.T
    return math.sqrt(float(np.linalg.eigvalsh(products)[-1])) if np.isfinite(products).all() else math.nan


def fitted_targets(net: Network, X: Array, residuals: str, size: float, rng: Generator) -> Array:
    """Targets of the shape of the outputs from which the outputs are `size` away in root mean square per sample.

    The residuals are "drawn", or along the eigenvector of the greatest ("steep") or least ("flat") eigenvalue of the
    tangent kernel, of which a step feels most and least. Raises ValueError for another name.
    """
    passed = forward(net, X)
    entries = passed.output.size
    if residuals == "drawn":
        direction = rng.standard_normal(entries)
    elif residuals in RESIDUALS:
        vectors = np.linalg.eigh(tangent_features(net, passed).grams.sum(axis=0))[1]
        direction = vectors[:, -1 if residuals == "steep" else 0]
    else:
        raise ValueError(f"residuals {residuals!r}: choose among {', '.join(RESIDUALS)}")
    direction = direction * (size * math.sqrt(len(X)) / np.linalg.norm(direction))
    return np.asarray(passed.output - direction.reshape(passed.output.shape))


def fitting_size(sizes: tuple[int, int, int], slope: float, phi_pm: float, share: float) -> float:
    """A share of the largest residuals for which the width m of m, n and outputs is enough, as (111) asks for.

    In root mean square per sample; at that distance from each other or from being antipodes.
    """
    m, n, outputs = sizes
    at = {"m": m, "n": n, "outputs": outputs, "jump": jump(slope), "phi_pm": phi_pm, "L0": 1.0}
    smaller, larger = (float(side.evaluate(at)) for side in (sheet.eq_111_width.smaller, sheet.eq_111_width.larger))
    return share * math.sqrt(larger / (smaller * n))


class LeakyRun(NamedTuple):
    """A run as a search draws it: slope, arrangement of the points, residuals at the start, and step size.

    `size` is that of the residuals, and the step size is `share` of outputs/(n L^2 m).
    """

    slope: float
    points: str
    residuals: str
    size: float
    share: float

    def step_size(self, L: int, m: int, n: int, outputs: int) -> float:
        """The step size at these sizes."""
        return self.share * outputs / (n * L**2 * m)


# What a search draws of a run, and how its blocks say so.
LEAKY_RUNS = {
    "slope": st.sampled_from(SLOPES),
    "points": choices(*ARRANGEMENTS),
    "residuals": choices(*RESIDUALS),
    "size": reals(0.02, 1.0, logarithmic=True),
    "share": reals(0.01, 0.5, logarithmic=True),
}
LEAKY_RUN = {"run": (LeakyRun, LeakyRun._fields)}

# Residuals that a step feels most, and that it feels least at points hard to tell apart.
STEEP_AND_FLAT_RUNS = [
    {**LeakyRun(slope, points, residuals, size, share=0.5)._asdict(), "trial": 0}
    for slope in (-1.0, 0.0)
    for points, residuals, size in (("drawn", "steep", 0.02), ("clusters", "flat", 0.02), ("clusters", "flat", 1.0))
]

# Steps on points all but alike by which the loss rises: judged only where a premise lets them in.
RISING_RUN = {**LeakyRun(0.0, "near duplicates", "steep", size=0.02, share=2.9)._asdict(), "trial": 0}

# At a slope at which products of steps alone bend the loss.
NEARLY_LINEAR_RUN = {**LeakyRun(1.0 - 1e-6, "drawn", "steep", size=0.3, share=0.5)._asdict(), "trial": 0}


class LeakyRunStart(NamedTuple):
    """Points (n, d), targets, the network at the start, and the step size."""

    X: Array
    targets: Array
    net: Network
    eta: float


def leaky_run_start(
    rng: Generator, data: DataSource, sizes: tuple[int, int, int, int, int], run: LeakyRun, mirror: bool = False
) -> LeakyRunStart:
    """Where a run begins, for sizes L, m, n, d and outputs; with `mirror` the activation has the slope negated."""
    L, m, n, d, outputs = sizes
    X = arranged(data.draw(n, d, rng)[0], run.points, rng)
    net = leaky_network(X.shape[1], m, L, outputs, -run.slope if mirror else run.slope, rng)
    return LeakyRunStart(
        X, fitted_targets(net, X, run.residuals, run.size, rng), net, run.step_size(L, m, len(X), outputs)
    )


@dataclass(frozen=True, eq=False)
class LeakyTree(IterateTree[LeakyIterate]):
    """The tree of steps on mini-batches."""

    @property
    def inner(self) -> list[LeakyIterate]:
        """The iterates from which a step is taken."""
        return [at for level in self.levels[:-1] for at in level]

    @property
    def radius(self) -> float:
        """The largest operator norm of a step on a batch, or of the distance from the start after one, over layers."""
        start = self.levels[0][0].net
        ends = [
            (level[k * len(level) // len(following)].net, at.net)
            for level, following in itertools.pairwise(self.levels)
            for k, at in enumerate(following)
        ]
        return float(np.max([largest_operator_norm([*_moves(a, b), *_moves(start, b)]) for a, b in ends]))

    def least_gradient_met(self, eta: float, share: float) -> float:
        """As the function of that name, of share ||grad L||_F^2 over the mean ||grad L_B||_F of the batches B.

        As many of the samples are in a batch; the mean of the gradients is `share` of that of all.
        """
        first, found = self.levels[0][0].loss, []
        for level, following in itertools.pairwise(self.levels):
            each = len(following) // len(level)
            for k, at in enumerate(level):
                steps = [weight_drift(at.net, after.net) for after in following[k * each : (k + 1) * each]]
                if mean := float(np.mean(steps)):
                    found.append(share * at.squared_gradient * eta / mean * math.sqrt(first / at.loss))
        return min(found, default=least_gradient_met(self.inner))


def leaky_tree(net: Network, X: Array, targets: Array, eta: float, batches: Batch, steps: int) -> LeakyTree:
    """The tree of all sequences of `batches` (count, B), which are equally likely in each of `steps` steps.

    The gradients that its iterates hold are those of all samples.
    """

    def after(at: LeakyIterate, batch: Batch) -> LeakyIterate:
        following = shifted(at.net, gradients_of_squares(at.net, at.passed, targets, batch), -eta)
        return next(leaky_iterates(following, X, targets, eta))

    return LeakyTree(tree_levels(next(leaky_iterates(net, X, targets, eta)), batches, steps, after))


def radius_and_gradient(met: list[LeakyIterate], eta: float) -> dict[str, float]:
    """What the premises of (16) ask of the steps of size eta from all iterates met, together: `omega` and `gradF`.

    The first of these is the start. omega is the largest operator norm of a step, or of the distance from the start
    before one; gradF is the `least_gradient_met`.
    """
    steps = [G for at in met for G in at.gradients]
    moves = [V - W for at in met[1:] for V, W in zip(at.net.weights, met[0].net.weights, strict=True)]
    omega = max(eta * largest_operator_norm(steps), largest_operator_norm(moves))
    return {"omega": omega, "gradF": least_gradient_met(met)}


def least_gradient_met(met: list[LeakyIterate]) -> float:
    """The least norm of a gradient in units of the root of the loss at the same iterate, times that at the first."""
    return math.sqrt(min(at.squared_gradient * met[0].loss / at.loss for at in met))


@dataclass
class Reach:
    """As `radius_and_gradient`, gathered along a path of steps of size eta that is too long to be kept.

    The distance from the start counts with what the path has gone on by since its operator norm was taken, so that
    `omega` is too large by the share `GONE_ON` at most.

    Attributes
    ----------
    omega : the largest operator norm of a step, or of the distance from the start before one
    least : the least squared gradient over the loss
    """

    eta: float
    omega: float = 0.0
    least: float = math.inf
    _first: LeakyIterate | None = None
    _looked: LeakyIterate | None = None
    _far: float = 0.0

    def add(self, at: LeakyIterate) -> None:
        """Go on to the next iterate from which a step is taken."""
        if self._first is None or self._looked is None:
            self._first = self._looked = at
        if at.loss > 0.0:
            self.least = min(self.least, at.squared_gradient / at.loss)
        if self.eta * max(frobenius_norm(G) for G in at.gradients) > self.omega:
            self.omega = max(self.omega, self.eta * largest_operator_norm(at.gradients))
        on = max(frobenius_norm(D) for D in _moves(self._looked.net, at.net))
        if on > GONE_ON * self._far:
            self._looked, self._far, on = at, largest_operator_norm(_moves(self._first.net, at.net)), 0.0
        self.omega = max(self.omega, self._far + on)

    @property
    def symbols(self) -> dict[str, float]:
        """What the premises of (16) speak of, `omega` and `gradF`."""
        at_start = 0.0 if self._first is None else self._first.loss
        return {"omega": self.omega, "gradF": math.sqrt(self.least * at_start)}


def _moves(before: Network, after: Network | MovingIterate) -> list[Any]:
    return [V - W for V, W in zip(after.weights, before.weights, strict=True)]


def largest_operator_norm(matrices: Sequence[Any]) -> float:
    """The largest operator norm; of matrices whose Frobenius norms leave them no chance it is not computed."""
    sizes = [frobenius_norm(D) for D in matrices]
    if not np.isfinite(sizes).all():
        return math.nan
    largest = 0.0
    for size, D in sorted(zip(sizes, matrices, strict=True), key=lambda pair: -pair[0]):
        if size <= largest:
            break
        largest = max(largest, _norm(D))
    return largest


def with_slope(at: LeakyIterate, X: Array, slope: float) -> LeakyIterate:
    """The same weights with the leaky ReLU of another slope; loss and gradients stay those that they were."""
    net = at.net.with_activation(leaky_relu(slope))
    return replace(at, net=net, passed=forward(net, X))


def pair_eigenvalue(
    rng: Generator, m: int, slope: float, distance: float, *, opposite: bool = False, pairs: int = 48
) -> float:
    """The mean over pairs of points of the least eigenvalue of their tangent kernel, for one layer and one output.

    The points of a pair have that distance, or with `opposite` one has it from the negative of the other. Each pair has
    a network of its own, so that the mean is one over starts.
    """
    half = math.asin(0.5 * distance)
    X = np.array([[math.cos(half), -math.sin(half)], [math.cos(half), math.sin(half)]])
    if opposite:
        X[1] *= -1.0
    found = []
    for _ in range(pairs):
        net = seen_network(2, m, 1, 1, slope, rng)
        found.append(np.linalg.eigvalsh(tangent_features(net, forward(net, X)).grams.sum(axis=0))[0])
    return float(np.mean(found))


def floor_argument(n: int, phi: float, slope: float) -> dict[str, bool | Decision]:
    """Why no weights bring the loss on x and -x with the labels 1 and -1 below 2 at slope -1, step by step."""
    z = sp.Symbol("z", positive=True)
    u, a, x = (sp.Symbol(name, real=True) for name in ("u", "a", "x"))
    alpha = sp.nsimplify(slope)
    # sigma(-z) - sigma(z) for z > 0, not rescaled.
    odd_part = alpha * (-z) - z
    loss = (u - 1) ** 2 + (u + 1) ** 2
    return {
        "x and -x are two unit points at distance 2": n == 2 and at_least(2, sp.Rational(phi)),
        "the activation is even": is_zero(odd_part),
        "x A is odd in x, so that what the even activation makes of it, and the output u, is even": is_zero(
            (a * x).subs(x, -x) + a * x
        ),
        "the loss (u - 1)^2 + (u + 1)^2 is 2 + 2 u^2": is_zero(loss - 2 - 2 * u**2),
    }
