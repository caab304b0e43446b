"""Gradient descent in ball arithmetic, for steps far below the last bit of the weights.

Main definitions: `ball_descent`, some steps on the logistic loss, and what it returns, `BallRun`.
"""

from dataclasses import dataclass

import numpy as np

from nets import Array, Network, operator_norm
from properties.shared import ball_pass
from properties.shared.ball_activations import Ball
from properties.shared.ball_pass import Matrix, in_balls, logistic_coefficients, logistic_losses, mean


@dataclass(frozen=True, eq=False)
class BallRun:
    """What some steps have done.

    Attributes
    ----------
    fall : (L_S before - L_S after)/(L_S before), certain to 60 bits
    drift : (L,) the largest ||W_l^(t) - W_l^(0)|| of the iterates, the last one included
    """

    fall: float
    drift: Array


def ball_descent(net: Network, X: Array, y: Array, eta: float, steps: int) -> BallRun:
    """`steps` >= 1 steps of size eta on the mean logistic loss of samples X (n, d), labels y (n,): up for eta < 0.

    Raises `ArithmeticError` where the bits do not suffice, for a gate or else.
    """

    def at(bits: int) -> BallRun:
        first = here = in_balls(net)
        passed = [ball_pass.forward(here, X)]
        drift = np.zeros(len(net.weights))
        for _ in range(steps):
            b = ball_pass.backward(here, passed[-1])
            slopes = logistic_coefficients(passed[-1], y)
            here = here.descended(ball_pass.gradients(here, passed[-1], b, slopes), eta)
            passed.append(ball_pass.forward(here, X))
            pairs = zip(here.weights, first.weights, strict=True)
            drift = np.maximum(drift, [operator_norm(_rounded(W - V)) for W, V in pairs])
        before, after = (mean(logistic_losses(passed[at], y)) for at in (0, -1))
        fall = (before - after) / before
        if not fall.rad() <= abs(fall.mid()) * Ball(2) ** -60:
            raise ArithmeticError(f"the fall {fall} is not known at {bits} bits")
        return BallRun(float(fall), drift)

    return ball_pass.with_enough_bits(at)


def _rounded(matrix: Matrix) -> Array:
    return np.array([float(entry.mid()) for entry in matrix.entries()]).reshape(matrix.nrows(), -1)
