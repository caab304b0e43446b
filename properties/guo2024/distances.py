"""What the claims on separation measure: points, and how far apart the layers of a random network keep them.

Main definitions: `signed_points`; `layer_states`, the outputs of A and of all layers; `least_distance` and
`largest_square_cosine` of a layer's outputs; `leaky_mean_product`, a Gaussian mean by its integrals; `next_distance`
and `distance_path`, what infinitely wide layers leave of a distance.
"""

import math

import numpy as np
import numpy.typing as npt
import sympy
from numpy.random import Generator
from sympy import Rational, cos, pi, sin

from bounds.laws.layers import sine_excess
from bounds.symbols import symbol
from nets import Array, DataError, forward, leaky_network, pairwise_distances
from nets.data.points import near_antipodal
from theory.claims import rounding

# Layers with more entries than this are sampled where they are looked at: quicker for a few points.
STORED = 2**15

ANGLE, SLOPE = symbol("angle"), symbol("slope")
DISTANCE_AT_ANGLE = 2 * sin(ANGLE / 2)

#: f(alpha), by which the slope enters all means.
FACTOR: sympy.Expr = (1 - SLOPE) ** 2 / (1 + SLOPE**2)

#: The mean of Z_1 Z_2 where Z_1 >= 0 > Z_2, with its sign turned, of standard Gaussians at this angle.
SIGN_CHANGE: sympy.Expr = (sin(ANGLE) - ANGLE * cos(ANGLE)) / (2 * pi)


def leaky_mean_product(rescaled: bool = True, conditional: bool = False) -> sympy.Expr:
    """E[phi(Z_1) phi(Z_2)] of the leaky ReLU, by its integrals over the sectors where the signs are what they are.

    With the angle of the two standard Gaussians. `rescaled` divides by 1 + slope^2; `conditional` divides each integral
    by the chance of its sector, as though the bars in the paper were conditional means.
    """
    turn = sympy.Symbol("turn", real=True)
    angular = sympy.integrate(cos(turn) * cos(turn - ANGLE), turn)

    def sector(low: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
        # The radius integrates r^3 exp(-r^2/2)/(2 pi) to 1/pi.
        share = (high - low) / (2 * pi) if conditional else sympy.Integer(1)
        return (angular.subs(turn, high) - angular.subs(turn, low)) / (pi * share)

    alike, apart = sector(ANGLE - pi / 2, pi / 2), sector(-pi / 2, ANGLE - pi / 2)
    total = alike + 2 * SLOPE * apart + SLOPE**2 * alike
    return total / (1 + SLOPE**2) if rescaled else total


def next_distance(distance: npt.ArrayLike, slope: npt.ArrayLike) -> Array:
    """The distance of two unit vectors at `distance` after an infinitely wide leaky layer, elementwise.

    Its square is that before less 2 f(slope) (sin t - t cos t)/pi, t the angle.
    """
    before, a = np.asarray(distance, np.float64), np.asarray(slope, np.float64)
    factor = (1.0 - a) ** 2 / (1.0 + a**2)
    lost = (2.0 / np.pi) * factor * sine_excess(2.0 * np.arcsin(0.5 * before))
    return np.sqrt(np.maximum(before**2 - lost, 0.0))


def signed_points(n: int, d: int, phi: float, rng: Generator) -> Array:
    """Unit points (n, d) in pairs at signed distance phi: near duplicates and near antipodes, by random signs.

    Raises `DataError` where there is no room for them.
    """
    return near_antipodal(n, phi, rng, d) * rng.choice([-1.0, 1.0], (n, 1))


def distance_path(distance: float, slope: float, L: int) -> Array:
    """The distances after 0, ..., L infinitely wide layers: (L + 1,)."""
    path = [distance]
    for _ in range(L):
        path.append(float(next_distance(path[-1], slope)))
    return np.array(path)


def path_rounding(path: Array, slope: float) -> Array:
    """Bounds to first order on the rounding errors of a `distance_path` (L + 1,) of that slope, from an exact start.

    The square that a layer leaves of a distance D has the derivative 2 D (1 - f(slope) t/pi) in it, t the angle.
    """
    factor, angles = (1.0 - slope) ** 2 / (1.0 + slope**2), 2.0 * np.arcsin(0.5 * path[:-1])
    steepness = 2.0 * path[:-1] * np.abs(1.0 - factor * angles / np.pi)
    # sin t - t cos t is known up to its terms from t = 1/2 on, to full accuracy before; and t up to some roundings.
    own = rounding(1.0, 16.0) * (path[:-1] ** 2 + factor * np.minimum(8.0 * angles**3, 16.0))
    errors = [0.0]
    for steep, rounded, after in zip(steepness.tolist(), own.tolist(), path[1:].tolist(), strict=True):
        lost = steep * errors[-1] + rounded
        least = math.sqrt(max(after**2 - lost, 0.0))
        errors.append(lost / (after + least) if least else math.sqrt(lost))
    return np.array(errors)


def layer_states(X: Array, m: int, L: int, slope: float, rng: Generator, gain: float = 2.0) -> tuple[Array, ...]:
    """The outputs h_0, ..., h_L of A and of L layers of width m and weight variance gain/m: L + 1 arrays (n, m)."""
    states = forward(leaky_network(X.shape[1], m, L, 1, slope, rng, stored=STORED), X).post[1:]
    # Multiples of the weights of L layers make multiples of the outputs.
    return tuple(math.sqrt(0.5 * gain) ** layer * h for layer, h in enumerate(states)) if gain != 2.0 else states


def least_distance(states: Array) -> float:
    """The least distance of two rows."""
    return float(pairwise_distances(states)[np.triu_indices(len(states), 1)].min())


def largest_square_cosine(states: Array) -> float:
    """The largest squared cosine of two rows."""
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    if not lengths.all():
        raise DataError(f"an output of {states.shape[1]} neurons is 0, which has no cosine: take more neurons")
    unit = states / lengths
    cosines = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    return float(np.max(cosines**2))


#: Slopes at which a claim that is linear in f(slope) is decided one by one, in exact numbers.
EXACT_SLOPES = tuple(map(Rational, ("-2", "-1", "-1/2", "0", "1/20", "1/2", "9/10")))
