"""What the claims on training measure: how far the weights drift, and how gradient descent comes down.

Main definitions: `descend`, the iterates with their passes and gradients; `arrival`, when and how far out they reach
a given loss; `Guarantee`, what the iterates met
so far say of the path; `steep`, the weights that drift fastest for their norms, and `stretched`; `LIPSCHITZ`,
losses whose slope is bounded.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.forward import Forward, forward
from nets.gradients import backward, loss_gradient, rank_one_pairs
from nets.losses import HINGE, HUBERISED_HINGE, LOGISTIC, Loss, power_loss
from nets.lowrank import LowRank
from nets.network import Layer, Network, balanced_signs
from nets.operators import frobenius_norm, gated_gram, operator_norm
from nets.revealed import RevealedGaussian
from properties.forward_stability.measurements import factored_layer, norm_above

Array = npt.NDArray[np.float64]

# All fall with constant slope below some margin, or nearly so. For the last one that slope is 2, so that a
# Lipschitz constant of 1 cannot be built in.
LIPSCHITZ: tuple[Loss, ...] = (HUBERISED_HINGE, LOGISTIC, HINGE, power_loss(1 / 2, -3.0))


@dataclass(frozen=True, eq=False)
class Iterate:
    """An iterate with its pass of the samples and the gradients (L steps) of the empirical risk there."""

    net: Network
    passed: Forward
    gradients: tuple[Array | LowRank, ...]
    loss: float

    @property
    def squared_gradient(self) -> float:
        """The squared Frobenius norm of all gradients together."""
        return float(sum(frobenius_norm(G) ** 2 for G in self.gradients))


def descend(net: Network, X: Array, y: Array, loss: Loss, eta: float) -> Iterator[Iterate]:
    """The iterates of gradient descent with the step size eta, the start included, without end."""
    while True:
        passed = forward(net, X)
        gradients = loss_gradient(net, passed, y, loss)
        yield Iterate(net, passed, gradients, float(loss.value(y * passed.output).mean()))
        net = Network(tuple(W - eta * G for W, G in zip(net.weights, gradients, strict=True)), net.v)


def iterate(net: Network, X: Array, y: Array, loss: Loss, eta: float, k: int) -> Iterate:
    """The iterate after k steps."""
    return next(itertools.islice(descend(net, X, y, loss, eta), k, None))


@dataclass(frozen=True)
class Arrival:
    """Where a path reaches a given loss: `time` is K eta, `drift` the largest ||W_l^(K) - W_l^(0)||."""

    time: float
    drift: float


def arrival(net: Network, X: Array, y: Array, loss: Loss, eta: float, eps: float, most: int) -> Arrival:
    """Where gradient descent reaches the loss `eps`, in `most` steps at most; NaN if it does not.

    Between the last two iterates the logarithm of the loss is taken to be linear, so that K is not rounded up.
    """
    for k, (above, below) in enumerate(itertools.pairwise(itertools.islice(descend(net, X, y, loss, eta), most + 1))):
        if below.loss <= eps < above.loss:
            share = math.log(above.loss / eps) / math.log(above.loss / below.loss)
            far = [
                max(operator_norm(V - W) for W, V in zip(net.weights, step.net.weights, strict=True))
                for step in (above, below)
            ]
            return Arrival((k + share) * eta, far[0] + share * (far[1] - far[0]))
    return Arrival(math.nan, math.nan)


def kernel_step(net: Network, X: Array, loss: Loss) -> float:
    """The step size at which the linearised network meets the curvature of the loss: n/(lam ||K||).

    K is the matrix of the inner products of the gradients of f at the samples, at the given weights. Where all
    gradients vanish, any step will do: 1.
    """
    passed = forward(net, X)
    pairs = rank_one_pairs(passed, backward(net, passed))
    K = sum(((x @ x.T) * (b @ b.T) for x, b in pairs), start=np.zeros((len(X), len(X))))
    largest = float(np.linalg.eigvalsh(K)[-1])
    return len(X) / (loss.constants.lam * largest) if largest > 0.0 else 1.0


@dataclass
class Guarantee:
    """The constant c0 for which (C.7) of zou2018 holds at every step taken so far.

    Where a step lowers the loss by `share` of eta ||grad L_S||^2 at least, and `eigenvalue` is a lower bound
    of the eigenvalues of the gated Gram matrices G, ||grad_{W_L} L_S||^2 = (m/n^2) b^T G b (proof of Lemma
    B.5, with b_i = y_i ell'_i) gives a decrease of share eta m eigenvalue/n^3 (sum_i ell'_i)^2.
    """

    share: float = math.inf
    eigenvalue: float = math.inf

    def take(self, before: Iterate, after: Iterate, eta: float) -> None:
        """Account for one step."""
        eigenvalues = np.linalg.eigvalsh(gated_gram(before.passed))
        # The computed eigenvalues are off by some n roundings of the largest one.
        self.eigenvalue = min(self.eigenvalue, float(eigenvalues[0] - 1e-12 * eigenvalues[-1]))
        promised = eta * before.squared_gradient
        if promised > 0.0:
            self.share = min(self.share, (before.loss - after.loss) / promised)

    def constant(self, n: int, phi: float) -> float:
        """The c0 for n samples at distance phi; zero if nothing is guaranteed, as before a gradient was met."""
        if not (0.0 < self.share < math.inf and self.eigenvalue > 0.0):
            return 0.0
        return 2.0 * self.share * self.eigenvalue * n**4 / phi**3


def steep(x: Array, sizes: Sequence[int], norm: float) -> Network:
    """Layers of rank one and norm `norm`, each mapping onto the input of the next, with f(x) far below zero.

    All neurons are active at x (d,) but two of the last layer, which keep the drift clear of rounding errors.
    So the gradient of the last layer is as large as norms allow, and a label +1 is in the steepest part of
    the loss.
    """
    signs = balanced_signs(sizes[-1])
    last = 1.0 - 0.3 * signs
    last[[0, -1]] = 0.0
    ends = [x, *(np.ones(m) for m in sizes[:-1]), last]
    units = [end / np.linalg.norm(end) for end in ends]
    layers = (factored_layer(norm * u[np.newaxis], w[np.newaxis]) for u, w in itertools.pairwise(units))
    return Network(tuple(layers), signs)


def stretched(W: Layer, norm: float, rng: np.random.Generator) -> Layer:
    """A Gaussian layer W times a factor, so that its norm is `norm`; by `norm_above` where it is revealed.

    A revealed layer must not have been looked at: the one that takes its place, with the generator `rng`, has the
    law of the multiple.
    """
    if isinstance(W, np.ndarray):
        return W * (norm / operator_norm(W))
    rows, cols = W.shape
    return RevealedGaussian(rows, cols, W.std * (norm / norm_above(W)), rng)
