"""Training runs that differ in the slope alone: the same points, the same initial weights, the same mini-batches.

Main definitions: `Recipe`, what a run is besides its slope; `errors`, one run; `Comparison` of one slope with
others; `fall`, by which share the training error falls in a step, and `error_of_fall`; `least_eigenvalue` of the
tangent kernel.
"""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from nets import SQUARE, Array, DataError, Network, OutputLoss, draw_batch, forward, leaky_relu, tangent_features
from nets.descent.in_place import InPlaceDescent
from nets.networks.gradients import batch_mean
from properties.guo2024.experiment_data import Points, drawn_points
from properties.guo2024.seen_networks import seen_network
from properties.shared.batch_trees import Batch
from theory.claims import Measured

# Test points of a run: enough that their mean tells slopes apart, and no burden where they are met often.
TESTS = 100

# Descent takes layers as arrays: those of 1024 neurons are the widest.
STORED = 2**20

# The rounding error of what is met along a path, as a share of it: steps amplify that of one pass, but not beyond this.
ALONG_A_PATH = 1e-6

# What stands for the quotient of an error that has overflowed: no bound is met by it, and it is decided.
OVERFLOWED = 1e300


@dataclass(frozen=True)
class Recipe:
    """A training run, all but its slope: source of the points, network, loss and steps.

    The step size is `pace` * outputs/(L m). `batch` samples enter a step, all n where it is 0. Test errors are met
    every `every` steps, and never where it is 0. Errors are means of `met` over the points, by default of the loss.
    """

    source: str
    n: int
    m: int
    L: int
    steps: int
    pace: float
    constant: bool = False
    loss: OutputLoss = SQUARE
    met: OutputLoss | None = None
    batch: int = 0
    every: int = 0


@dataclass(frozen=True, eq=False)
class Errors:
    """Training errors (steps + 1,) along a run, and test errors at the multiples of `every`."""

    training: Array
    test: Array


@functools.lru_cache(maxsize=1024)
def errors(recipe: Recipe, slope: float, seed: int) -> Errors:
    """The run of that slope and seed. Runs of one seed share points, initial weights and mini-batches.

    A run whose numbers overflow ends there, and its errors are infinite from there on. Runs are kept, as the controls
    of a claim compare those of the claim in other ways.
    """
    points, start, batches = _shared(recipe, seed)
    net = start.with_activation(leaky_relu(slope))
    eta = recipe.pace * points.outputs / (recipe.L * recipe.m)
    met = recipe.met or recipe.loss
    training, test = [], []
    with contextlib.suppress(FloatingPointError), np.errstate(over="raise"):
        run = InPlaceDescent(net, points.X)
        for step in range(recipe.steps + 1):
            values, slopes = recipe.loss.at_outputs(run.output, points.Y)
            training.append((values if met is recipe.loss else met.at_outputs(run.output, points.Y)[0]).mean())
            if recipe.every and step % recipe.every == 0:
                test.append(met.at_outputs(forward(run.network, points.X_test).output, points.Y_test)[0].mean())
            if step < recipe.steps:
                run.descend(batch_mean(slopes, batches[step]), eta)
    tests = recipe.steps // recipe.every + 1 if recipe.every else 0
    return Errors(_continued(training, recipe.steps + 1), _continued(test, tests))


@functools.lru_cache(maxsize=8)
def _shared(recipe: Recipe, seed: int) -> tuple[Points, Network, tuple[Batch | None, ...]]:
    """What runs of one seed share: points, a network whose slope does not matter, and the batch of each step."""
    if min(recipe.n, recipe.m) < 2:
        raise DataError(f"runs on {recipe.n} samples by {recipe.m} neurons a layer: ask for two of each at least")
    for_points, for_weights, for_batches = (np.random.default_rng([seed, use]) for use in range(3))
    points = drawn_points(recipe.source, recipe.n, TESTS if recipe.every else 0, for_points, constant=recipe.constant)
    net = seen_network(points.X.shape[1], recipe.m, recipe.L, points.outputs, 0.0, for_weights, stored=STORED)
    if not recipe.batch:
        return points, net, (None,) * recipe.steps
    return points, net, tuple(draw_batch(recipe.n, recipe.batch, for_batches) for _ in range(recipe.steps))


def _continued(met: list[float], count: int) -> Array:
    """So many numbers: those met, and infinity for each one missing."""
    return np.array([*met, *[np.inf] * (count - len(met))], dtype=np.float64)


@dataclass(frozen=True)
class Comparison:
    """One slope against others: the error of `slope` over the least of the errors of `others`.

    With a `share` below 1 the run of `slope` is looked at after that share of its steps.
    """

    slope: float = -1.0
    others: tuple[float, ...] = (0.0,)
    share: float = 1.0

    def of_training(self, recipe: Recipe, seed: int) -> Measured:
        """By the last training error."""
        return self.ratio(lambda slope: errors(recipe, slope, seed).training)

    def of_test(self, recipe: Recipe, seed: int) -> Measured:
        """By the last test error that is met."""
        return self.ratio(lambda slope: errors(recipe, slope, seed).test)

    def ratio(self, met: Callable[[float], Array]) -> Measured:
        """By the last of the errors that a run of each slope met."""
        own, least = met(self.slope), min(met(slope)[-1] for slope in self.others)
        reached = own[round(self.share * (len(own) - 1))]
        # Others that overflow alone are behind: their quotient is 0.
        if not least > 0.0 or (np.isinf(least) and np.isinf(reached)):
            raise DataError(f"the least error of the other slopes is {least:g}: ask for more samples or neurons")
        return along_a_path(reached / least)


def along_a_path(value: Any) -> Measured:
    """A positive number met along a path, with its rounding error; `OVERFLOWED` where it is infinite."""
    met = np.minimum(value, OVERFLOWED)
    return Measured(met, error=ALONG_A_PATH * np.abs(met))


def fall(recipe: Recipe, slope: float, seed: int, first: int) -> float:
    """By which share the training error falls in a step, from step `first` to the last: 1 - gamma-hat (Section 5.2)."""
    met = errors(recipe, slope, seed).training
    if not 0.0 < met[first] < np.inf:
        raise DataError(f"the training error at slope {slope:g} is {met[first]:g}: ask for more samples or neurons")
    return float(1.0 - (met[-1] / met[first]) ** (1.0 / (len(met) - 1 - first)))


def error_of_fall(fallen: float, steps: int) -> float:
    """The rounding error of a fall over so many steps, of either sign: it is a root of a quotient of two errors."""
    return 2.0 * ALONG_A_PATH * (1.0 - fallen) / steps


def least_eigenvalue(recipe: Recipe, slope: float, seed: int) -> float:
    """The least eigenvalue of the tangent kernel of one output at the start, over L m."""
    for_points, for_weights = (np.random.default_rng([seed, use]) for use in range(2))
    points = drawn_points(recipe.source, recipe.n, 0, for_points, constant=recipe.constant)
    net = seen_network(points.X.shape[1], recipe.m, recipe.L, 1, slope, for_weights)
    kernel = tangent_features(net, forward(net, points.X)).grams.sum(axis=0)
    return float(np.linalg.eigvalsh(kernel)[0]) / (recipe.L * recipe.m)


def seed_of(rng: Generator) -> int:
    """The seed of the runs of a trial, which is all that is drawn from its generator."""
    return int(rng.integers(2**62))
