"""What the claims on separation measure.

Main definitions: `points_apart`, the inputs; `layer_outputs`, a random network at them;
`direction_distances`, how far apart the directions are; `relu_mean_product` and `mean_product_ball`, the mean
product of two rectified Gaussians, from its definition; `distance_left`, what infinitely wide layers leave of
a distance.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import flint
import numpy as np
import sympy
from numpy.random import Generator
from sympy import cos, pi, sin

from bounds import Decision, nonnegative
from nets import Array, Dataset, forward, he_network, separated
from nets.networks.fresh import fresh_outputs

# The angle of two unit vectors; their distance is 2 sin(t/2).
ANGLE = sympy.Symbol("t", nonnegative=True)
DISTANCE_AT_ANGLE = 2 * sin(ANGLE / 2)

# A network with at most this many weights is drawn as such, a larger one at the points alone.
DENSE_WEIGHTS = 2**15

# Rows of the user's data whose scalar products are held at once.
BLOCK_ROWS = 1024

# Where Gaussian integrals are cut off: what is left out is below 1e-85, and enters the result as an error.
CUT = 20


def points_apart(data: Any, n: int, d: int, phi: float, rng: Generator) -> Array:
    """Unit points (n, d): rows of the user's data, or else synthetic points, all at distance phi.

    Closer pairs end up closer, so equidistant points are the hardest ones with separation phi. Where there
    are none, at least one pair is at distance phi. Of the user's data the closest pair is always there.
    """
    if isinstance(data, Dataset):
        pair = closest_pair(data)
        others = rng.choice(np.delete(np.arange(data.n), pair), n - 2, replace=False)
        return np.ascontiguousarray(data.X[[*pair, *others]])
    if n > d or phi**2 > 2.0 * n / (n - 1):
        return separated(n, d, phi, rng)
    X = np.zeros((n, d))
    # The symmetric root of the Gram matrix; differences of its rows have length phi to the last digit.
    X[:, :n] = phi / np.sqrt(2.0) * (np.eye(n) - 1.0 / n) + np.sqrt(n - (n - 1) * phi**2 / 2.0) / n
    return X


@functools.cache
def closest_pair(data: Dataset) -> tuple[int, int]:
    """The two rows with the largest scalar product."""
    largest, pair = -np.inf, (0, 1)
    for start in range(0, data.n, BLOCK_ROWS):
        block = data.X[start : start + BLOCK_ROWS]
        products = block @ data.X.T
        products[np.arange(len(block)), start + np.arange(len(block))] = -np.inf
        row, other = divmod(int(products.argmax()), data.n)
        if products[row, other] > largest:
            largest, pair = float(products[row, other]), (start + row, other)
    return pair


def layer_outputs(X: Array, widths: Sequence[int], rng: Generator) -> tuple[Array, ...]:
    """The outputs of the layers 1..L of a random network at the points X (n, d): arrays (n, m_l)."""
    sizes = (X.shape[1], *widths)
    if sum(a * b for a, b in itertools.pairwise(sizes)) > DENSE_WEIGHTS:
        return fresh_outputs(X, widths, rng)[1:]
    return forward(he_network(sizes, rng), X).post[1:]


def direction_distances(outputs: Sequence[Array]) -> Array:
    """||x_i/||x_i|| - x_j/||x_j|||| at each layer, for all pairs i < j: (L, pairs).

    A point that a layer maps to zero has no direction left: its distances are 0.
    """
    first, second = np.triu_indices(len(outputs[0]), 1)
    rows = []
    for x in outputs:
        norms = np.linalg.norm(x, axis=1)
        directions = x / np.where(norms > 0.0, norms, 1.0)[:, np.newaxis]
        distances = np.linalg.norm(directions[first] - directions[second], axis=1)
        rows.append(np.where(np.minimum(norms[first], norms[second]) > 0.0, distances, 0.0))
    return np.array(rows)


@functools.cache
def relu_mean_product() -> sympy.Expr:
    """E[relu(Z1) relu(Z2)] of standard Gaussians with correlation cos t, integrated over the plane.

    In polar coordinates Z1 = r cos(s), Z2 = r cos(s - t); both are positive for s in (t - pi/2, pi/2), and
    the radial integral of r^3 exp(-r^2/2) is 2.
    """
    direction = sympy.Symbol("s", real=True)
    integral = sympy.integrate(cos(direction) * cos(direction - ANGLE), (direction, ANGLE - pi / 2, pi / 2))
    return sympy.expand(sympy.simplify(integral) / pi)


def mean_product_ball(alpha: flint.arb) -> flint.arb:
    """Enclosure of E[relu(Z1) relu(Z2)] at correlation alpha in (-1, 1), by rigorous quadrature over Z1.

    Given Z1 = z, Z2 is Gaussian of mean alpha z and variance s^2 = 1 - alpha^2, whose rectified mean is
    alpha z F(alpha z/s) + s f(alpha z/s) with F and f the standard distribution function and density.
    """
    spread = (1 - alpha * alpha).sqrt()

    def density(z: Any) -> Any:
        return (-z * z / 2).exp() / (2 * flint.arb.pi()).sqrt()

    def integrand(z: flint.acb, _: bool) -> flint.acb:
        mean = alpha * z
        below = (1 + (mean / spread / flint.arb(2).sqrt()).erf()) / 2
        return z * density(z) * (mean * below + spread * density(mean / spread))

    # Beyond CUT >= 1 the integrand is between 0 and 2 z^2 f(z), whose integral is below 2 (CUT + 1) f(CUT).
    half = (CUT + 1) * density(flint.arb(CUT))
    return flint.acb.integral(integrand, 0, CUT).real + half + flint.arb(0, half.upper())


def next_square() -> sympy.Expr:
    """The squared distance, after an infinitely wide layer, of two directions at angle t before it."""
    return 2 - 4 * relu_mean_product()


@functools.cache
def layer_is_monotone() -> tuple[Decision, Decision]:
    """Whether the distance after an infinitely wide layer grows with the one before, and its share falls.

    Both are decided on [0, pi] by derivatives in the angle: of the squared distance after, and of the squared
    share after/before, the latter up to a positive factor.
    """
    after, before = next_square(), DISTANCE_AT_ANGLE**2
    grows = sympy.simplify(sympy.diff(after, ANGLE))
    share = sympy.simplify(sympy.diff(before, ANGLE) * after - sympy.diff(after, ANGLE) * before)
    return nonnegative(grows, ANGLE, 0, pi), nonnegative(share, ANGLE, 0, pi)


def distance_left(phi: flint.arb, layers: int) -> flint.arb:
    """The share of a distance phi in (0, 2] that infinitely wide layers leave: `next_square`, iterated."""
    distance = phi
    for _ in range(layers):
        # From the ends, as a layer is monotone: else the ball would grow with every layer.
        distance = _next_distance(distance.lower()).union(_next_distance(distance.upper()))
    return distance / phi


def _next_distance(phi: flint.arb) -> flint.arb:
    """The root of phi^2 - (2/pi) (sin t - t cos t), in which less cancels for close points."""
    t = 2 * (phi / 2).asin()
    return (phi * phi - 2 / flint.arb.pi() * (t.sin() - t * t.cos())).sqrt()
