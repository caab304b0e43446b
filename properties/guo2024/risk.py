"""The risk on a finite population of points, exactly, along descent on a sample of it.

Main definitions: `Population`, with `draw_population`, whose targets are pure noise, and `of_the_class`, targets at
which the residuals at the start are averages over a random layer, by `class_average`; `risk_path`, risks and training
losses, step by step; `expected_gap`, over all samples there are, and `gradient_variance`, which it starts from.
"""

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets import Array, Forward, Network, draw_batch, forward, output_gradient, separated, shifted, tangent_features
from nets.data.distances import DataError


class Population(NamedTuple):
    """All the points there are, each as likely as any other, the first `sampled` of which are the training sample."""

    X: Array
    targets: Array
    sampled: int


class Risks(NamedTuple):
    """The mean squared distance of outputs and targets, over the population and over the sample."""

    unseen: float
    seen: float

    @property
    def gap(self) -> float:
        """By how much the risk exceeds the mean training loss."""
        return self.unseen - self.seen


def draw_population(count: int, n: int, d: int, outputs: int, phi: float, rng: Generator) -> Population:
    """`count` unit points in R^d at least phi apart, targets uniform on the unit sphere: of n there is a sample."""
    if n > count:
        raise DataError(f"a sample of {n} of {count} points: ask for {count} at most")
    noise = rng.standard_normal((count, outputs))
    return Population(separated(count, d, phi, rng), noise / np.linalg.norm(noise, axis=1, keepdims=True), n)


def risk_path(
    net: Network, population: Population, eta: float, steps: int, *, batch: int = 0, rng: Generator
) -> Iterator[Risks]:
    """The risks before the first and after each of `steps` steps of size eta on the sum of squares of the sample.

    With `batch` a step takes the sum over so many samples, drawn without replacement.
    """
    for step in range(steps + 1):
        passed = forward(net, population.X)
        yield risks(passed, population)
        if step < steps:
            chosen = draw_batch(population.sampled, batch or population.sampled, rng)
            net = _stepped(net, passed, population, eta, chosen)


def trained_on_sample(net: Network, population: Population, eta: float, steps: int) -> tuple[Risks, Network]:
    """The risks at the start, and the network after `steps` steps of size eta on the whole sample."""
    first, chosen = risks(forward(net, population.X), population), np.arange(population.sampled)
    for _ in range(steps):
        net = _stepped(net, forward(net, population.X), population, eta, chosen)
    return first, net


def _stepped(
    net: Network, passed: Forward, population: Population, eta: float, chosen: npt.NDArray[np.intp]
) -> Network:
    slopes = np.zeros_like(population.targets)
    slopes[chosen] = 2.0 * residuals(passed, population)[chosen]
    return shifted(net, output_gradient(net, passed, slopes.reshape(passed.output.shape)), -eta)


def residuals(passed: Forward, population: Population) -> Array:
    """Outputs less targets: of the shape of the targets."""
    return passed.output.reshape(population.targets.shape) - population.targets


def risks(passed: Forward, population: Population) -> Risks:
    """The risks of a network, by its pass over the population."""
    squares = np.sum(residuals(passed, population) ** 2, axis=1)
    return Risks(float(squares.mean()), float(squares[: population.sampled].mean()))


def of_the_class(
    net: Network, population: Population, slope: float, even: float, rng: Generator, *, parted: bool = False
) -> Population:
    """The same points with targets at which the residuals at the start are in F_{L-1}, by its closed form.

    f_j(x) is the mean of c_j(u) phi(<u, h>) over standard Gaussian u, where h is the state of the network before its
    last two layers and c_j(u) = even + (1 - even) sign <u, a_j> with drawn unit vectors a_j, in [-1, 1] for `even` in
    [0, 1]: of two standard Gaussians of correlation r the mean of sign(v) z is r sqrt(2/pi), that of |z| sqrt(2/pi).
    Where `parted` all a_j are along the difference of the first two states: their residuals are opposite at even = 0.
    """
    passed, outputs = forward(net, population.X), population.targets.shape[1]
    states = passed.post[len(net.weights) - 1]
    directions = rng.standard_normal((states.shape[1], outputs))
    if parted:
        directions = np.repeat((states[0] - states[1])[:, np.newaxis], outputs, axis=1)
    averages = class_average(states, directions, slope, even)
    return population._replace(targets=passed.output.reshape(averages.shape) + averages)


def class_average(states: Array, directions: Array, slope: float, even: float) -> Array:
    """The means of (even + (1 - even) sign <u, a>) phi(<u, h>) over u, for states h (n, m) and directions a (m, k)."""
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    along = states @ (directions / np.linalg.norm(directions, axis=0))
    halves = (1.0 - slope) * even * lengths + (1.0 + slope) * (1.0 - even) * along
    return np.asarray(halves / np.sqrt(2.0 * np.pi * (1.0 + slope**2)))


def gradient_variance(net: Network, population: Population) -> float:
    """The variance of the gradient of the squared distance of outputs and target, over the population.

    That is the mean of its squared norm less the squared norm of its mean, in all weights together.
    """
    passed = forward(net, population.X)
    count, outputs = population.targets.shape
    gaps = 2.0 * residuals(passed, population)
    kernel = tangent_features(net, passed).grams.sum(axis=0).reshape(count, outputs, count, outputs)
    products = np.einsum("ik,ikjl,jl->ij", gaps, kernel, gaps)
    return float(np.trace(products) / count - products.sum() / count**2)


def expected_gap(net: Network, population: Population, eta: float, steps: int, *, batch: int = 0) -> float:
    """The mean gap after `steps` steps of size eta, over all samples of size `sampled` drawn with replacement.

    With `batch` each step takes the sum over so many of the sample, and the mean is over all choices as well.
    """
    count, n, total = len(population.X), population.sampled, 0.0
    for drawn in itertools.combinations_with_replacement(range(count), n):
        times = np.bincount(drawn, minlength=count)
        chance = math.factorial(n) / math.prod(map(math.factorial, times.tolist())) / count**n
        batches = [np.bincount(part, minlength=count) for part in itertools.combinations(drawn, batch or n)]
        reached = [net]
        for _ in range(steps):
            reached = [_weighted_step(at, population, eta, batch_times) for at in reached for batch_times in batches]
        for at in reached:
            squares = np.sum(residuals(forward(at, population.X), population) ** 2, axis=1)
            total += chance * float(squares.mean() - times @ squares / n) / len(reached)
    return total


def _weighted_step(net: Network, population: Population, eta: float, times: npt.NDArray[np.intp]) -> Network:
    """A step on the sum over the population with so many times each point."""
    passed = forward(net, population.X)
    slopes = 2.0 * times[:, np.newaxis] * residuals(passed, population)
    return shifted(net, output_gradient(net, passed, slopes.reshape(passed.output.shape)), -eta)
