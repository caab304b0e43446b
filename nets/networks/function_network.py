"""Networks of which nothing is known but their function of (parameters, X), and its gradient.

Main definition: `FunctionNetwork`. What the description of `nets.networks.network` has no word for, as attention over
the parts of one sample, is a function here, in whatever way it is written. Its gradient is a function of its own, which
is held against difference quotients once, when the network is made; and every sample has to come out the same whatever
others stand beside it, as a gradient, a kernel or a statement "for all x" has no meaning otherwise: normalisation over
a batch is refused.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array
from nets.networks.losses import Loss, OutputLoss

# Steps of the difference quotients, relative to the size of a parameter: a kink may lie within the first of them.
STEPS = (2.0**-17, 2.0**-21, 2.0**-25)
# How far a quotient may be from the gradient, relative to what it is for a direction at random: their error is that of
# rounding, and of the second derivative over a step.
TOLERANCE = 1e-4
# Directions for each parameter, besides that of its gradient.
DIRECTIONS = 2
# A gradient that is right at one choice of the parameters, as at 0, may be wrong elsewhere: it is looked at as well
# where each is moved by so much of its size at random.
MOVED = 0.125
# Numbers that are computed in arrays of other shapes differ in the last bits.
ALIKE = 1e-9

Parameters = Sequence[Array]


@dataclass(frozen=True, eq=False)
class FunctionNetwork:
    """`function(parameters, X)` gives the outputs, (n,) or (n, ...), of samples X (n, ...).

    `gradient(parameters, X, coefficients)` gives, for coefficients of the shape of the outputs, the gradients of the
    sum of the outputs with these coefficients, one array of the shape of each of the `parameters`. `checked_at` are
    the samples at which that is looked at once, at these parameters and at others beside them: some, away from kinks.

    Raises ValueError where the gradient is not that of the function, a sample comes out otherwise beside others, an
    array is written into, or a shape or a number is none.
    """

    function: Callable[[Parameters, Array], Any]
    gradient: Callable[[Parameters, Array, Array], Sequence[Any]]
    parameters: tuple[Array, ...]
    checked_at: Array

    def __post_init__(self) -> None:
        parameters = tuple(np.asarray(P, dtype=np.float64) for P in self.parameters)
        if not parameters:
            raise ValueError("the network has no parameters: pass one array at least")
        self.__dict__.update(parameters=parameters, checked_at=np.asarray(self.checked_at, dtype=np.float64))
        self._check_function()
        self._check_gradient()
        self._check_elsewhere()

    def output(self, X: npt.ArrayLike) -> Array:
        """The outputs at samples X."""
        return np.asarray(self.function(self.parameters, np.asarray(X, dtype=np.float64)), dtype=np.float64)

    def output_gradient(self, X: npt.ArrayLike, coefficients: npt.ArrayLike) -> tuple[Array, ...]:
        """Gradients of the sum of the outputs with these coefficients in all parameters."""
        given = np.asarray(coefficients, dtype=np.float64)
        found = self.gradient(self.parameters, np.asarray(X, dtype=np.float64), given)
        arrays = tuple(np.asarray(G, dtype=np.float64) for G in found)
        if [G.shape for G in arrays] != [P.shape for P in self.parameters]:
            shapes = ", ".join(str(G.shape) for G in arrays)
            raise ValueError(f"the gradient has the shapes {shapes}: let it return those of the parameters")
        return arrays

    def loss_gradient(self, X: npt.ArrayLike, y: npt.ArrayLike, loss: Loss | OutputLoss) -> tuple[Array, ...]:
        """Gradients of the empirical risk in all parameters."""
        slopes = loss.at_outputs(self.output(X), y)[1]
        return self.output_gradient(X, slopes / len(slopes))

    def shifted(self, direction: Sequence[Array], factor: float = 1.0) -> "FunctionNetwork":
        """The network with parameters P_k + factor * direction[k], whose functions are checked already."""
        made = object.__new__(FunctionNetwork)
        moved = tuple(P + factor * D for P, D in zip(self.parameters, direction, strict=True))
        made.__dict__.update(self.__dict__, parameters=moved)
        return made

    def train(
        self, X: npt.ArrayLike, y: npt.ArrayLike, loss: Loss | OutputLoss, eta: float, steps: int
    ) -> tuple[Array, "FunctionNetwork"]:
        """The empirical risks (steps + 1,) along so many steps of descent of size eta, and the last iterate."""
        net, risks = self, []
        for step in range(steps + 1):
            values, slopes = loss.at_outputs(net.output(X), y)
            risks.append(float(np.mean(values)))
            if step < steps:
                net = net.shifted(net.output_gradient(X, slopes / len(slopes)), -eta)
        return np.array(risks), net

    def features(self, X: npt.ArrayLike) -> Array:
        """The gradients of all outputs in all parameters, one after the other: (outputs, entries)."""
        shape = self.output(X).shape
        units = np.eye(int(np.prod(shape))).reshape(-1, *shape)
        return np.array([np.concatenate([G.ravel() for G in self.output_gradient(X, unit)]) for unit in units])

    def tangent_kernel(self, X: npt.ArrayLike) -> Array:
        """Inner products of the gradients of all outputs: (outputs, outputs)."""
        features = self.features(X)
        return features @ features.T

    # --------------------------------------------------------------------------------------------- checks

    def _check_function(self) -> None:
        """Whether every sample has an output of its own."""
        X, given = self.checked_at, tuple(P.copy() for P in self.parameters)
        if X.ndim < 2 or len(X) < 2:
            raise ValueError(f"the samples to check at have shape {X.shape}: pass two at least, (n, ...)")
        samples, found = X.copy(), self.output(X)
        if not np.array_equal(samples, X) or not all(map(np.array_equal, given, self.parameters)):
            raise ValueError("the function writes into the arrays that it is given: let it return others")
        if found.shape[:1] != X.shape[:1] or not np.isfinite(found).all():
            raise ValueError(f"the function gave outputs of shape {found.shape}: let it return a finite one per sample")
        alone = np.concatenate([self.output(X[i : i + 1]) for i in range(len(X))])
        turned = self.output(np.ascontiguousarray(X[::-1]))[::-1]
        for other in (alone, turned):
            alike = np.isclose(other, found, rtol=ALIKE, atol=ALIKE * float(np.abs(found).max()))
            if not alike.all():
                at = np.unravel_index(int(np.argmin(alike)), alike.shape)
                raise ValueError(
                    f"the output of sample {at[0]} is {found[at]:.6g} beside others and {other[at]:.6g} otherwise:"
                    " a network is a function of one sample; normalise by numbers that are fixed, not over a batch"
                )

    def _check_gradient(self) -> None:
        """Whether the gradient is that of the function, along its own direction and along some at random."""
        X, rng = self.checked_at, np.random.default_rng(0)
        coefficients = rng.standard_normal(self.output(X).shape)
        gradients = self.output_gradient(X, coefficients)
        for number, (P, G) in enumerate(zip(self.parameters, gradients, strict=True), start=1):
            if not np.isfinite(G).all():
                raise ValueError(f"the gradient in parameter {number} is not finite: let it be so at checked_at")
            drawn = [rng.standard_normal(P.shape) for _ in range(DIRECTIONS)]
            for D in (*([G] if G.any() else []), *drawn):
                self._check_along(number, G, D / np.linalg.norm(D), coefficients)

    def _check_elsewhere(self) -> None:
        """The same at parameters beside the given ones, where the function has finite outputs there."""
        rng = np.random.default_rng(1)
        sizes = [float(np.sqrt(np.mean(P**2))) or 1.0 for P in self.parameters]
        move = [size * rng.standard_normal(P.shape) for size, P in zip(sizes, self.parameters, strict=True)]
        beside = self.shifted(move, MOVED)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                is_defined = bool(np.isfinite(beside.output(self.checked_at)).all())
            except (ArithmeticError, ValueError, np.linalg.LinAlgError):
                return
        if is_defined:
            try:
                beside._check_gradient()
            except ValueError as error:
                raise ValueError(f"at parameters beside those given, by {MOVED:g} of their size, {error}") from None

    def _check_along(self, number: int, G: Array, D: Array, coefficients: Array) -> None:
        rate = float(np.sum(G * D))
        size = 1.0 + float(np.abs(self.parameters[number - 1]).max())
        quotients = [self._quotient(number - 1, step * size * D, coefficients) / (step * size) for step in STEPS]
        # As large as the slope along a direction at random, or what rounding leaves of the terms.
        usual = max(float(np.linalg.norm(G)) / np.sqrt(G.size), max(map(abs, quotients)) / np.sqrt(G.size))
        terms = float(np.sum(np.abs(coefficients * self.output(self.checked_at))))
        for step, quotient in zip(STEPS, quotients, strict=True):
            allowed = TOLERANCE * max(usual, abs(rate)) + 64.0 * np.finfo(float).eps * terms / (step * size)
            if abs(quotient - rate) <= allowed:
                return
        raise ValueError(
            f"the gradient in parameter {number} gives {rate:.6g} along a direction in which the outputs rise at the"
            f" rate {quotients[1]:.6g}: pass the gradient of the sum of the outputs with the coefficients, and samples"
            " away from kinks"
        )

    def _quotient(self, at: int, move: Array, coefficients: Array) -> float:
        """Half of the rise of the sum of the outputs between P - move and P + move."""
        ends = []
        for sign in (1.0, -1.0):
            moved = [P + sign * move if k == at else P for k, P in enumerate(self.parameters)]
            ends.append(float(np.sum(coefficients * np.asarray(self.function(moved, self.checked_at), float))))
        return 0.5 * (ends[0] - ends[1])
