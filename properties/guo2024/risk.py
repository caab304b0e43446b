"""The risk on a finite population of points, exactly, along descent on a sample of it.

Main definitions: `Population`, with `draw_population`, whose targets are pure noise, and `of_the_class`, targets at
which the residuals at the start are averages over a random layer; `risk_path`, risks and training losses, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nets.arrays import Array
from nets.forward import Forward, forward
from nets.gradients import output_gradient
from nets.network import Network, shifted
from nets.points import separated
from nets.training import draw_batch

# The slopes at which claims are met.
SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9)


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


def draw_population(count: int, n: int, d: int, outputs: int, phi: float, rng: np.random.Generator) -> Population:
    """`count` unit points in R^d at least phi apart, targets uniform on the unit sphere: of n there is a sample."""
    noise = rng.standard_normal((count, outputs))
    return Population(separated(count, d, phi, rng), noise / np.linalg.norm(noise, axis=1, keepdims=True), n)


def risk_path(
    net: Network, population: Population, eta: float, steps: int, *, batch: int = 0, rng: np.random.Generator
) -> Iterator[Risks]:
    """The risks before the first and after each of `steps` steps of size eta on the sum of squares of the sample.

    With `batch` a step takes the sum over so many samples, drawn without replacement.
    """
    for step in range(steps + 1):
        passed = forward(net, population.X)
        yield risks(passed, population)
        if step < steps:
            chosen = draw_batch(population.sampled, batch or population.sampled, rng)
            slopes = np.zeros_like(population.targets)
            slopes[chosen] = 2.0 * residuals(passed, population)[chosen]
            net = shifted(net, output_gradient(net, passed, slopes.reshape(passed.output.shape)), -eta)


def residuals(passed: Forward, population: Population) -> Array:
    """Outputs less targets: of the shape of the targets."""
    return passed.output.reshape(population.targets.shape) - population.targets


def risks(passed: Forward, population: Population) -> Risks:
    """The risks of a network, by its pass over the population."""
    squares = np.sum(residuals(passed, population) ** 2, axis=1)
    return Risks(float(squares.mean()), float(squares[: population.sampled].mean()))


def of_the_class(
    net: Network, population: Population, slope: float, even: float, rng: np.random.Generator
) -> Population:
    """The same points with targets at which the residuals at the start are in F_{L-1}, by its closed form.

    f_j(x) is the mean of c_j(u) phi(<u, h>) over standard Gaussian u, where h is the state of the network before its
    last two layers and c_j(u) = even + (1 - even) sign <u, a_j> with drawn unit vectors a_j, in [-1, 1] for `even` in
    [0, 1]: of two standard Gaussians of correlation r the mean of sign(v) z is r sqrt(2/pi), that of |z| sqrt(2/pi).
    """
    passed = forward(net, population.X)
    states, outputs = passed.post[len(net.weights) - 1], population.targets.shape[1]
    directions = rng.standard_normal((states.shape[1], outputs))
    directions /= np.linalg.norm(directions, axis=0)
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    halves = (1.0 - slope) * even * lengths + (1.0 + slope) * (1.0 - even) * (states @ directions)
    averages = halves / np.sqrt(2.0 * np.pi * (1.0 + slope**2))
    return population._replace(targets=passed.output.reshape(averages.shape) + averages)
