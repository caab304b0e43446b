"""The objective of the recurrent network, gradient descent on it, whole and on mini-batches, and what claims ask of it.

Main definitions: `objective` (Section 2.2), half of the squared errors summed over samples and times from 2 on, and its
`gradient`, of a batch times n/|S|; `recurrent_iterates`, the iterates, and `RecurrentIterate`; `error_targets`, targets
from which the outputs are off by errors that a step feels most or least; `RecurrentRun`, what a search draws, and
`recurrent_run_start`; `recurrent_path_to_rest`; `recurrent_tree`, all batches at every step; `sizes_of_steps`, what the
kernel at the start and the steps say of the rate.

Targets have the shape of the outputs, (n, L, outputs); those of time 1 count nowhere, as no output of time 1 depends on
W. A step is exact: half of the squares has the errors as derivatives.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.descent.rest import UntilRest
from nets.networks.forward import Forward, forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Network, recurrent_network, shifted
from nets.networks.operators import frobenius_norm
from properties.allenzhu2018rnn.fake_gradient import loss_gram
from properties.allenzhu2018rnn.sequences import sequences
from properties.shared.batch_trees import Batch, IterateTree, tree_levels
from theory.claims import choices, reals

# What the errors at the start may be: drawn, or along an eigenvector of the kernel.
ERRORS = ("drawn", "steep", "flat")


def sample_objectives(outputs: Array, targets: npt.ArrayLike) -> Array:
    """f_i: half of the squared errors of a sample, summed over the times from 2 on: (n,)."""
    gaps = (outputs - np.asarray(targets))[:, 1:]
    return np.asarray(0.5 * np.sum(gaps**2, axis=(1, 2)))


def objective(outputs: Array, targets: npt.ArrayLike) -> float:
    """f, the sum of the f_i: not their mean."""
    return float(np.sum(sample_objectives(outputs, targets)))


def gradient(
    net: Network, passed: Forward, targets: npt.ArrayLike, batch: Batch | None = None, *, share: float = 1.0
) -> tuple[Any, ...]:
    """The gradient of f in W, or `share` n/|S| times the sum of those of f_i, i in the batch S."""
    errors = passed.output - np.asarray(targets)
    errors[:, 0] = 0.0
    if batch is not None:
        inside = np.zeros_like(errors)
        inside[batch] = share * len(errors) / len(batch) * errors[batch]
        errors = inside
    return output_gradient(net, passed, errors)


@dataclass(frozen=True, eq=False)
class RecurrentIterate:
    """An iterate with its pass of the samples and the targets."""

    net: Network
    passed: Forward
    targets: Array

    @classmethod
    def of(cls, net: Network, X: Array, targets: Array) -> RecurrentIterate:
        """The iterate with the weights of `net`."""
        return cls(net, forward(net, X), targets)

    @property
    def loss(self) -> float:
        """f here."""
        return objective(self.passed.output, self.targets)

    @property
    def outputs(self) -> Array:
        """The outputs at the times from 2 on, in one vector."""
        return np.ravel(self.passed.output[:, 1:])

    @property
    def errors(self) -> Array:
        """Outputs less targets at the times from 2 on, in one vector, sample after sample."""
        return np.ravel((self.passed.output - self.targets)[:, 1:])

    @cached_property
    def kernel(self) -> Array:
        """The tangent kernel: inner products of the gradients of these outputs in W."""
        return loss_gram(self.net, self.passed)

    @cached_property
    def eigenvalues(self) -> tuple[float, float]:
        """The least eigenvalue of the kernel, less what rounding may add and never below 1e-300, and the largest.

        Raises `DataError` for a kernel of 0, by which no step has a length, as of few neurons with closed gates.
        """
        values = np.linalg.eigvalsh(self.kernel)
        if not self.kernel.any():
            raise DataError(f"no output of {self.net.widths[-1]} neurons depends on W, as gates are closed: take more")
        return max(float(values[0] - 1e-12 * values[-1]), 1e-300), float(values[-1])


def recurrent_iterates(
    net: Network,
    X: Array,
    targets: Array,
    eta: float,
    batches: Iterable[Batch | None] = itertools.repeat(None),
    *,
    astray: Generator | None = None,
    other: Network | None = None,
) -> Iterator[RecurrentIterate]:
    """The iterates of descent with the step size eta, the start included, one for each of `batches`.

    With `astray` each step has the length of the gradient and a direction that is drawn; with `other` it goes along
    what the errors give when they are led back through the weights of that network.
    """
    led = None if other is None else (other, forward(other, X))
    for batch in batches:
        at = RecurrentIterate.of(net, X, targets)
        yield at
        if led is None:
            down = gradient(net, at.passed, targets, batch)
        else:
            by, through = led
            down = gradient(by, through, through.output - at.passed.output + targets, batch)
        if astray is not None:
            drawn = astray.standard_normal(down[0].shape)
            down = (drawn * (frobenius_norm(down[0]) / frobenius_norm(drawn)),)
        net = shifted(net, down, -eta)


def recurrent_path(
    net: Network, X: Array, targets: Array, eta: float, steps: int, **options: Any
) -> list[RecurrentIterate]:
    """The first iterates of `recurrent_iterates`, so many steps and the start."""
    return list(itertools.islice(recurrent_iterates(net, X, targets, eta, **options), steps + 1))


def recurrent_path_to_rest(
    iterates: Iterable[RecurrentIterate], targets: Array, most: int
) -> UntilRest[RecurrentIterate]:
    """The iterates up to where f rests: `most` steps at most."""
    return UntilRest(iterates, most, lambda loss: float(rounding_of_objective(loss, targets)))


def weight_distance(before: Network, after: Network) -> float:
    """||W' - W||_F."""
    return frobenius_norm(after.weights[0] - before.weights[0])


def error_targets(net: Network, X: Array, errors: str, size: float, rng: Generator) -> Array:
    """Targets of the shape of the outputs from which the outputs are off by errors of norm `size` in all.

    The errors are "drawn", or along the eigenvector of the greatest ("steep") or least ("flat") eigenvalue of the
    kernel, of which a step feels most and least. Raises ValueError for another name.
    """
    return _targets_off(_without_targets(net, X), errors, size, rng)


def _without_targets(net: Network, X: Array) -> RecurrentIterate:
    """The iterate whose targets are 0: its kernel is that with any others."""
    return RecurrentIterate.of(net, X, np.zeros((len(X), net.depth, net.v.reshape(len(net.v), -1).shape[1])))


def _targets_off(at: RecurrentIterate, errors: str, size: float, rng: Generator) -> Array:
    """`error_targets` of the network of an iterate."""
    if errors == "drawn":
        direction = rng.standard_normal(at.errors.size)
    elif errors in ERRORS:
        direction = np.linalg.eigh(at.kernel)[1][:, -1 if errors == "steep" else 0]
    else:
        raise ValueError(f"errors {errors!r}: choose among {', '.join(ERRORS)}")
    targets = np.array(at.passed.output)
    # Of the first time, which the objective leaves out: were it counted, no descent would meet these errors.
    targets[:, 0] += 1.0
    targets[:, 1:] -= (size / np.linalg.norm(direction) * direction).reshape(targets[:, 1:].shape)
    return targets


class RecurrentRun(NamedTuple):
    """A run as a search draws it: family of the later inputs, separation, errors at the start and their norm, step.

    The step size is `share` of the inverse of the largest eigenvalue of the kernel at the start.
    """

    later: str
    phi: float
    errors: str
    size: float
    share: float


# What a search draws of a run, and how its blocks say so.
RECURRENT_RUNS = {
    "later": choices("drawn", "unit", "zero", "opposed", "alike"),
    "phi": reals(0.01, 1.0, logarithmic=True),
    "errors": choices(*ERRORS),
    "size": reals(1e-4, 0.05, logarithmic=True),
    "share": reals(0.05, 0.9),
}
RECURRENT_RUN = {"run": (RecurrentRun, RecurrentRun._fields)}


class RecurrentRunStart(NamedTuple):
    """Sequences (n, L, d), targets, the network at the start, and the step size."""

    X: Array
    targets: Array
    net: Network
    eta: float


def recurrent_run_start(rng: Generator, sizes: tuple[int, int, int, int, int], run: RecurrentRun) -> RecurrentRunStart:
    """Where a run begins, for sizes m, L, n, d and outputs."""
    m, L, n, d, outputs = sizes
    X, net = sequences(n, L, d, rng, run.later, run.phi), recurrent_network(d, m, outputs, L, rng)
    at = _without_targets(net, X)
    targets = _targets_off(at, run.errors, run.size, rng)
    return RecurrentRunStart(X, targets, net, run.share / at.eigenvalues[1])


def departure(
    kernel: Array, before: RecurrentIterate, after: RecurrentIterate, eta: float, batch: Batch | None = None
) -> float:
    """How far the outputs are after a step from where the kernel sends them, over eta times the norm of the errors."""
    errors = before.errors
    weights = np.ones(len(before.targets))
    if batch is not None:
        weights = np.zeros(len(weights))
        weights[batch] = len(weights) / len(batch)
    felt = np.repeat(weights, len(errors) // len(weights)) * errors
    linear = -eta * kernel @ felt
    return float(np.linalg.norm(after.outputs - before.outputs - linear) / (eta * np.linalg.norm(errors)))


def sizes_of_steps(met: Sequence[RecurrentIterate], eta: float) -> dict[str, float]:
    """The extreme eigenvalues of the kernel at the start of a path, and its largest `departure` in a step."""
    first = met[0]
    away = max(departure(first.kernel, at, after, eta) for at, after in itertools.pairwise(met))
    return {"kerlow": first.eigenvalues[0], "kerhigh": first.eigenvalues[1], "away": away}


def rounding_of_objective(losses: npt.ArrayLike, targets: Array) -> Array:
    """The rounding errors of `objective`, for outputs of the order 1 that are each known to 2e-14."""
    squares = 2.0 * np.asarray(losses) * targets.size
    return np.asarray(2e-14 * np.sqrt(squares) + 4e-28 * targets.size)


@dataclass(frozen=True, eq=False)
class RecurrentTree(IterateTree[RecurrentIterate]):
    """The tree of steps of size eta on `batches` (count, B)."""

    batches: Batch
    eta: float

    @property
    def sizes(self) -> dict[str, float]:
        """As `sizes_of_steps`, over all steps of the tree."""
        (first,) = self.levels[0]
        away = max(
            departure(first.kernel, at, after, self.eta, batch)
            for level, following in itertools.pairwise(self.levels)
            for (at, batch), after in zip(itertools.product(level, self.batches), following, strict=True)
        )
        return {"kerlow": first.eigenvalues[0], "kerhigh": first.eigenvalues[1], "away": away}


def recurrent_tree(
    net: Network,
    X: Array,
    targets: Array,
    eta: float,
    batches: Batch,
    steps: int,
    *,
    taken: float = 1.0,
    share: float = 1.0,
) -> RecurrentTree:
    """The tree of all sequences of `batches` (count, B), which are equally likely in each of `steps` steps.

    A step is eta times `taken` long; `share` is as for `gradient`.
    """

    def after(at: RecurrentIterate, batch: Batch) -> RecurrentIterate:
        down = gradient(at.net, at.passed, targets, batch, share=share)
        return RecurrentIterate.of(shifted(at.net, down, -taken * eta), X, targets)

    levels = tree_levels(RecurrentIterate.of(net, X, targets), batches, steps, after)
    return RecurrentTree(levels, batches, eta)


def most_moved(net: Network, X: Array, time: int = 1) -> float:
    """||B||^2 ||h||^2 at a time of one sequence: at time 1, the share of its error that a unit step moves at most."""
    B = net.v.reshape(len(net.v), -1)
    return float(np.linalg.norm(B, 2) ** 2 * np.sum(forward(net, X).post[time][0] ** 2))
