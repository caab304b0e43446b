"""What the claims on gradient lower bounds measure: gate patterns of points, and the gated Gram matrix.

Main definitions: `gate_cells`, the exact measures of all gate patterns in the plane and in space;
`exceedance`, the probability that a gated sum is long; `responding`, the fewest nodes with a long gated sum over all
coefficients; `least_gradient`. Points: `fan`, `arc`, `star`, `square_cap`, `antipodal_trio`, `crossing_lines`,
`training_points`.
Perturbations: `align` gives all points the same gates, `aligned_forward` without weights, also for the `nearest_pair`
alone; `draw_aligned` keeps the weights, and `certify` decides in ball arithmetic what they do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import flint
import numpy as np
from numpy.random import Generator

from bounds import Constant, precision_of
from bounds.papers import zou2018 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError, antipodal_separation, normalise_rows, separation
from nets.data.labelled import Dataset, DataSource
from nets.data.points import separated
from nets.linear_algebra.lowrank import outer, triangle
from nets.networks.activations import RELU
from nets.networks.forward import Forward, forward
from nets.networks.fresh import fresh_layer
from nets.networks.losses import HUBERISED_HINGE
from nets.networks.network import Network, balanced_signs, perturbed, revealed_network
from nets.networks.operators import gated_gram, operator_norm, pairwise_distances
from nets.worst_cases.adversaries import WeightStep, step_radius, worst_derivatives
from properties.shared import ball_pass
from properties.shared.ball_activations import Ball, ball_form
from properties.shared.ball_pass import Factored, Matrix, gates_are, layered
from properties.zou2018.risk_slopes import loss_slopes
from theory.claims import UNIT_ROUNDOFF, Measured, rounding

# A sum or a share below is off by a few roundings of each of its terms; this many a term are allowed for.
_OPERATIONS = 16.0

FITTED = {"c": Constant(1, "fitted on the calibration cells")}


@dataclass(frozen=True)
class GateCells:
    """All gate patterns 1{<w, z_i> > 0} that a random direction w meets, with their probabilities.

    Attributes
    ----------
    gates : (k, n) of 0.0 and 1.0, one row a pattern
    shares : (k,) probabilities, of sum 1
    error : bound on the rounding error of a sum of shares
    """

    gates: Array
    shares: Array
    error: float


def gate_cells(Z: Array) -> GateCells:
    """The cells into which the hyperplanes orthogonal to the points Z (n, d), d = 2 or 3, cut the sphere.

    In space no two points may be equal or antipodal and no three on a great circle; where rounding makes the
    cells inconsistent, the error is NaN.
    """
    if Z.shape[1] not in (2, 3):
        raise ValueError(f"the points have dimension {Z.shape[1]}: cells are measured exactly in dimensions 2 and 3")
    return _sectors(Z) if Z.shape[1] == 2 else _spherical_polygons(Z)


def _sectors(Z: Array) -> GateCells:
    """Between neighbouring critical directions of the circle the gates do not change: one at the middle
    tells."""
    angles = np.arctan2(Z[:, 1], Z[:, 0])
    critical = np.sort(np.concatenate([angles + 0.5 * math.pi, angles - 0.5 * math.pi]) % (2.0 * math.pi))
    following = np.append(critical[1:], critical[0] + 2.0 * math.pi)
    middle = 0.5 * (critical + following)
    directions = np.column_stack([np.cos(middle), np.sin(middle)])
    error = _OPERATIONS * critical.size * UNIT_ROUNDOFF
    return GateCells((directions @ Z.T > 0.0).astype(float), (following - critical) / (2.0 * math.pi), error)


def _spherical_polygons(Z: Array) -> GateCells:
    """A spherical polygon has area 2 pi minus its outer angles (Gauss and Bonnet).

    Each crossing point of two great circles is a corner of four cells, whose outer angles there are the
    angles between the two inward normals.
    """
    n = len(Z)
    areas: dict[tuple[bool, ...], float] = {}
    least = 1.0
    for i in range(n):
        for j in range(i + 1, n):
            corner = np.cross(Z[i], Z[j])
            sine = float(np.linalg.norm(corner))
            least = min(least, sine)
            angle = math.atan2(sine, float(Z[i] @ Z[j]))
            for sign in (1.0, -1.0):
                pattern = sign * (Z @ corner) > 0.0
                for pattern[i], pattern[j] in ((False, False), (False, True), (True, False), (True, True)):
                    outer = angle if pattern[i] == pattern[j] else math.pi - angle
                    key = tuple(pattern.tolist())
                    areas[key] = areas.get(key, 2.0 * math.pi) - outer
    shares = np.array(list(areas.values())) / (4.0 * math.pi)
    error = _OPERATIONS * n**2 * UNIT_ROUNDOFF / max(least, UNIT_ROUNDOFF)
    whole = len(areas) == n * n - n + 2 and abs(shares.sum() - 1.0) <= error and shares.min() >= -error
    return GateCells(np.array(list(areas), dtype=float), shares, error if whole else math.nan)


def exceedance(Z: Array, a: Array, level: float) -> Measured:
    """P(||sum_i a_i 1{<w, z_i> > 0} z_i|| >= level) for a random direction w, points Z (n, d), coefficients a
    (n,).

    The points are unit vectors up to rounding only, so a cell whose norm falls short of the level by rounding
    counts.
    """
    cells = gate_cells(Z)
    norms = np.linalg.norm((cells.gates * a) @ Z, axis=1)
    close = _OPERATIONS * len(Z) * UNIT_ROUNDOFF * float(np.abs(a).sum())
    probability = float(cells.shares[norms >= level - close].sum())
    return Measured(probability, error=cells.error, symbols=separations(Z, a))


def separations(Z: Array, a: Array) -> dict[str, float]:
    """The separations phi and phi_pm of the points Z (n, d), and the largest |a_i|."""
    phi = separation(Z)
    return {"phi": phi, "phi_pm": min(phi, antipodal_separation(Z)), "a": float(np.abs(a).max())}


def fan(n: int, d: int, tilt: float, rng: Generator) -> Array:
    """Unit rows (n, d): e, and then two each at angles tilt, 2 tilt, ... from e, which has equal coordinates.

    The two lie opposite each other in the plane and in random directions in space.
    """
    e = np.full(d, d**-0.5)
    rows = [e]
    for k in range(n - 1):
        away = np.array([e[1], -e[0]]) if d == 2 else rng.standard_normal(d)
        away -= (away @ e) * e
        angle = tilt * (1 + k // 2) * (1.0 if k % 2 else -1.0)
        rows.append(math.cos(angle) * e + math.sin(angle) * away / np.linalg.norm(away))
    return normalise_rows(rows)


def arc(n: int, phi: float, *, antipodes: bool = False) -> Array:
    """Points (n, 2) of the circle, the neighbours among them at distance phi.

    Raises `DataError` for more of them than the circle has room for, so far from each other; with `antipodes`, from the
    antipodes of the others too.
    """
    angle, room = 2.0 * math.asin(0.5 * phi), math.pi if antipodes else 2.0 * math.pi
    if n * angle > room * (1.0 + 1e-9):
        raise DataError(
            f"{n} points {phi:g} apart are asked for, of a circle: ask for at most {int(room / angle + 1e-9)}"
        )
    return fan(n, 2, angle, np.random.default_rng(0))


def star(n: int, d: int, phi: float) -> Array:
    """A point and n - 1 <= d - 1 others at distance phi from it, in orthogonal directions: (n, d).

    Raises `DataError` for more points than there are directions.
    """
    if n > d:
        raise DataError(f"{n} points in orthogonal directions are asked for in d = {d}: ask for at most {d}")
    angle = 2.0 * math.asin(0.5 * phi)
    points = math.sin(angle) * np.eye(d)[:n]
    points[1:, 0] = math.cos(angle)
    points[0, 0] = 1.0
    return points


def square_cap(phi: float) -> Array:
    """The corners (4, 3) of a small square on the sphere, in turn, of side phi: x_1 + x_3 = x_2 + x_4 exactly."""
    s = phi * math.sqrt(0.5)
    c = math.sqrt(1.0 - s * s)
    return np.array([[s, 0.0, c], [0.0, s, c], [-s, 0.0, c], [0.0, -s, c]])


def square_balls(phi: float) -> flint.arb_mat:
    """The points (4, 3) of `square_cap`, exactly of norm 1 and side phi, as balls of 128 bits."""
    with precision_of(128):
        half = flint.arb(phi) / flint.arb(2).sqrt()
        height = (1 - half * half).sqrt()
        return flint.arb_mat([[half, 0, height], [0, half, height], [-half, 0, height], [0, -half, height]])


def antipodal_trio(phi: float) -> Array:
    """Three points of an arc, neighbours at distance phi <= 1, and then their negatives: (6, 2)."""
    points = arc(3, phi)
    return np.concatenate([points, -points])


def with_antipodes(Z: Array, gap: float, rng: Generator) -> Array:
    """Z (k, d) and then for each row a unit vector at distance `gap` from its negative, turned at random:
    (2k, d)."""
    away = rng.standard_normal(Z.shape)
    away -= np.sum(away * Z, axis=1, keepdims=True) * Z
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    angle = 2.0 * math.asin(0.5 * gap)
    return np.concatenate([Z, -math.cos(angle) * Z - math.sin(angle) * away])


def crossing_lines(n: int, gap: float) -> Array:
    """The ends (n, 2) of lines through 0 at equal angles, the second ends turned until they are `gap` off antipodes.

    All turn the same way, and the last line has one end where n is odd. phi_pm is `gap`: raises `DataError` where that
    is more than half of the angle between lines.
    """
    lines = (n + 1) // 2
    most = 2.0 * math.sin(0.25 * math.pi / lines)
    if gap > most:
        raise DataError(f"the ends of {lines} lines are {gap:g} off antipodes: ask for {most:.3g} at most")
    first = np.arange(lines) * math.pi / lines
    angles = np.concatenate([first, first + math.pi + 2.0 * math.asin(0.5 * gap)])[:n]
    return np.column_stack([np.cos(angles), np.sin(angles)])


def training_points(data: DataSource, n: int, d: int, phi: float, rng: Generator) -> Array:
    """n points whose nearest two are at distance phi, or n of the user's own points."""
    if isinstance(data, Dataset):
        return np.ascontiguousarray(data.draw(n, d, rng)[0])
    return separated(n, d, phi, rng)


# Below this share of the level a sum counts as long all the same: it may fall short of it by rounding.
_ALL_BUT_ROUNDING = 1.0 - 1e-9


def responding(fwd: Forward, level: float) -> Measured:
    """The fewest nodes of the last layer whose gated sum is at least level ||a||_inf, over all coefficients a.

    The sum of node j is ||sum_i a_i 1{j active at i} x_{L-1,i}||. The answer is an interval. Above stands the count at
    the worst coefficients that a search meets (`_worst_count`). Below, at a level of at most half the least norm, what
    holds for all coefficients at once: sums over S and over S with k differ by a_k x_k, so that of two nodes with
    these gates one responds, if |a_k| is largest. Pairs of such nodes are disjoint for each k.

    The symbols are r = min ||x_{L-1,i}||, and phi and phi_pm of the normalised x_{L-1,i}. Patterns of gates take 2^n
    numbers.
    """
    H, n = fwd.post[-2], fwd.output.size
    counts = np.bincount((2.0 ** np.arange(n) @ fwd.masks[-1]).astype(np.intp), minlength=2**n).astype(float)
    patterns = np.arange(2**n)
    r = float(np.linalg.norm(H, axis=1).min())
    fewest = float(counts.sum())
    for k in range(n):
        without = patterns[(patterns >> k) & 1 == 0]
        fewest = min(fewest, float(np.minimum(counts[without], counts[without | (1 << k)]).sum()))
    met = patterns[counts > 0.0]
    gates = ((met[:, np.newaxis] >> np.arange(n)) & 1).astype(float)
    least = fewest if _ALL_BUT_ROUNDING * level <= 0.5 * r else 0.0
    found = _worst_count(triangle(H).T, gates, counts[met], level, least)
    unit = H / np.linalg.norm(H, axis=1, keepdims=True)
    symbols = {"r": r, **separations(unit, np.ones(n))}
    del symbols["a"]
    return Measured.between(least, found, symbols)


def _worst_count(H: Array, gates: Array, counts: Array, level: float, least: float, sweeps: int = 5) -> float:
    """The fewest nodes that respond, over the coefficients that a search meets.

    It starts from each coefficient alone, at which the nodes that the others activate do not respond, and from the two
    smallest eigenvectors of the gated Gram matrix; it ends early where it meets `least`, which no coefficients go
    below. A sweep weighs the patterns of gates with (||h||^2 + e^2)^-1, which bounds the sum of log(||h||^2 + e^2) from
    above, and takes the coefficients that are best for these weights, the largest one held fixed; e falls towards the
    level.
    """
    grams = gates[:, :, np.newaxis] * gates[:, np.newaxis, :] * (H @ H.T)
    whole = np.tensordot(counts, grams, 1)
    fewest = float(counts.sum())
    for start in (*np.eye(len(H)), *np.linalg.eigh(whole)[1].T[:2]):
        a = start / np.abs(start).max()
        for sweep in range(sweeps):
            squares = np.sum(((gates * a) @ H) ** 2, axis=1)
            fewest = min(fewest, float(counts[squares >= (_ALL_BUT_ROUNDING * level) ** 2].sum()))
            if fewest <= least:
                return fewest
            weights = counts / (np.maximum(squares, 0.0) + level**2 * 4.0 ** max(0, 3 - sweep))
            weighted = np.tensordot(weights, grams, 1)
            ridge = 1e-13 * np.trace(weighted) * np.eye(len(a))
            a = np.linalg.solve(weighted + ridge, np.eye(len(a))[int(np.argmax(np.abs(a)))])
            a /= np.abs(a).max()
    return fewest


def least_gradient(fwd: Forward) -> Measured:
    """The least ||grad_{W_L} L_S||_F^2 over all labels and losses whose derivatives sum to 1 in size.

    It is m/n^2 times the least b^T G b, G the gated Gram matrix, and attained for up to 16 samples. Where G is
    singular up to rounding it is 0.
    """
    n = fwd.output.size
    least = worst_derivatives(gated_gram(fwd)).value
    return Measured(fwd.masks[-1].shape[1] * max(0.0, least) / n**2, symbols={"S1": 1.0})


def last_gradient_norm(fwd: Forward, coefficients: Array) -> float:
    """||grad_{W_L} L_S||_F for the derivatives (n,) of L_S in the outputs, v of entries 1 and -1.

    From triangles, so that what cancels in the sum over samples does so before it is squared. What is no longer than
    the rounding errors of the terms is 0.
    """
    weighted = coefficients[:, np.newaxis] * fwd.masks[-1]
    length = float(np.linalg.norm(triangle(fwd.post[-2]) @ triangle(weighted).T))
    terms = float(np.linalg.norm(fwd.post[-2], axis=1) @ np.linalg.norm(weighted, axis=1))
    return length if length > rounding(terms, _OPERATIONS * len(coefficients)) else 0.0


def align(net: Network, X: Array, tau: float = math.inf) -> tuple[WeightStep, ...]:
    """Steps of rank one and norm at most tau that give all points X (n, d), near each other, the same gates.

    In each layer the neurons move along the mean of what arrives (`_alignment`). If all moves fit into the radius, the
    network is linear on the points.
    """
    steps: list[WeightStep] = []
    arriving = X
    for W in net.weights:
        mean, moves = _alignment(arriving, arriving @ W, step_radius(W, tau))
        steps.append(outer(W, mean[np.newaxis], moves[np.newaxis]))
        arriving = np.maximum(arriving @ (W + steps[-1]), 0.0)
    return tuple(steps)


def nearest_pair(X: Array) -> list[int]:
    """The indices of the two rows of X (n, d), n >= 2, that are nearest to each other."""
    distances = pairwise_distances(X) + np.diag(np.full(len(X), np.inf))
    return [int(index) for index in np.unravel_index(int(np.argmin(distances)), distances.shape)]


def aligned_forward(
    X: Array, widths: Sequence[int], tau: float, rng: Generator, among: Sequence[int] | None = None
) -> tuple[Forward, float]:
    """The pass of a new network after the steps of `align`, and the largest norm of a step.

    Exact in law, and without weights: each layer is drawn at what arrives from the perturbed one before. The steps
    give the points with the indices `among` the same gates, by default all points.
    """
    alike = list(range(len(X)) if among is None else among)
    pre: list[Array] = []
    post, masks, largest = [X], [], 0.0
    for m in widths:
        at_points = fresh_layer(post[-1], m, rng)
        mean, moves = _alignment(post[-1][alike], at_points[alike], tau)
        moved = np.flatnonzero(moves)
        at_points[:, moved] += np.outer(post[-1] @ mean, moves[moved])
        pre.append(at_points)
        post.append(np.maximum(pre[-1], 0.0))
        masks.append((pre[-1] > 0.0).astype(float))
        largest = max(largest, float(np.linalg.norm(moves)))
    return Forward(tuple(pre), tuple(post), tuple(masks), post[-1] @ balanced_signs(widths[-1])), largest


def aligned_gradient(rng: Generator, m: int, L: int, n: int, d: int, phi: float) -> tuple[float, dict[str, float]]:
    """||grad_{W_L} L_S(W~)||_F at the corners of a square after the steps of `align`, labels in turn, d = 3.

    With it the sum S1 of the derivatives of a loss that is linear up to margin 5, the norm tau of the largest step,
    and the nodes that responded before, at least.
    """
    X, y = square_cap(phi), np.array([1.0, -1.0, 1.0, -1.0])
    net = revealed_network((d, *[m] * L), rng)
    count = responding(forward(net, X), printed_level(n, phi)).low
    steps = align(net, X)
    moved = forward(perturbed(net, steps), X)
    slopes = HUBERISED_HINGE.derivative(y * moved.output - 5.0)
    tau = max(operator_norm(step) for step in steps)
    promised = float(loss_slopes(HUBERISED_HINGE, y * moved.output - 5.0).sum())
    return last_gradient_norm(moved, y * slopes / n), {"S1": promised, "tau": tau, "count": count}


@dataclass(frozen=True)
class AlignedLayer:
    """Weights W = basis draw^T (k, m) and the step mean moves^T, as far as the points meet them.

    Attributes
    ----------
    basis, draw : (k, r) orthonormal columns up to rounding, and (m, r) of N(0, 2/m) entries
    mean, moves : (k,) and (m,)
    before, after : (n, m) of 0.0 and 1.0, the gates without and with the steps, in floating point
    """

    basis: Array
    draw: Array
    mean: Array
    moves: Array
    before: Array
    after: Array


def draw_aligned(X: Array, widths: Sequence[int], rng: Generator, steps: bool = True) -> list[AlignedLayer]:
    """A network's layers after the steps of `align` at the points X (n, d), drawn where the points look.

    What a layer does elsewhere, the points do not see: W is drawn on the span of what arrives with and without the
    steps of the layers below, and nothing else is asked of it. Without `steps` no step is taken.
    """
    layers = []
    arriving, moved = X, X
    for m in widths:
        basis = np.linalg.qr(np.concatenate([arriving, moved]).T)[0]
        draw = rng.standard_normal((m, basis.shape[1])) * math.sqrt(2.0 / m)
        pre, at_points = arriving @ basis @ draw.T, moved @ basis @ draw.T
        mean, moves = _alignment(moved, at_points, math.inf if steps else 0.0)
        at_points += np.outer(moved @ mean, moves)
        gates = [(values > 0.0).astype(float) for values in (pre, at_points)]
        layers.append(AlignedLayer(basis, draw, mean, moves, *gates))
        arriving, moved = np.maximum(pre, 0.0), np.maximum(at_points, 0.0)
    return layers


@dataclass(frozen=True)
class Certificate:
    """What is certain of layers of `draw_aligned`, the weights taken as exact numbers.

    Attributes
    ----------
    gates : whether every gate, with and without the steps, is the one that floating point found
    radius : a ball that holds the largest operator norm of a step
    arriving : (n, m_{L-1}) what arrives at the last layer without the steps, rounded
    output : balls, the outputs (n,) with the steps
    """

    gates: bool
    radius: Ball
    arriving: Array
    output: list[Ball]


def certify(points: Matrix, layers: Sequence[AlignedLayer]) -> Certificate:
    """Pass the points (n, d), given as balls, through the layers with and without their steps, in 128 bits."""
    with precision_of(128):
        radius = Ball(0)
        still: list[Factored] = []
        moved: list[Factored] = []
        for layer in layers:
            drawn = (Matrix(layer.basis.tolist()), Matrix(layer.draw.T.tolist()))
            mean, moves = Matrix([[u] for u in layer.mean]), Matrix([layer.moves.tolist()])
            squares = (mean.transpose() * mean)[0, 0] * (moves * moves.transpose())[0, 0]
            radius = radius.max(squares.sqrt())
            still.append(Factored((drawn,)))
            moved.append(Factored((drawn, (mean, moves))))
        v = Matrix([[sign] for sign in balanced_signs(layers[-1].moves.size)])
        before, after = (ball_pass.forward(layered(weights, ball_form(RELU), v), points) for weights in (still, moved))
        certain = gates_are(before, [layer.before for layer in layers])
        certain = certain and gates_are(after, [layer.after for layer in layers])
        rounded = np.array([[float(entry.mid()) for entry in row] for row in before.post[-2].tolist()])
        return Certificate(certain, radius, rounded, list(after.output))


def _alignment(arriving: Array, pre: Array, radius: float) -> tuple[Array, Array]:
    """The direction in which all neurons of a layer move, and how far each does: (k,), (m,).

    The direction is the mean of the points that arrive (n, k). A neuron active at some and not at others moves as far
    as opens or closes it at all of them, whichever is less; the smallest moves first, while they fit into the radius.
    No direction moves opposite points alike: nothing is moved. A point that does not arrive has no gates to move.
    """
    heard = arriving.any(axis=1)
    arriving, pre = arriving[heard], pre[heard]
    if not heard.any():
        return np.zeros(arriving.shape[1]), np.zeros(pre.shape[1])
    mean = arriving.mean(axis=0)
    if np.linalg.norm(mean) <= 1e-12 * np.linalg.norm(arriving):
        return np.zeros_like(mean), np.zeros(pre.shape[1])
    mean /= np.linalg.norm(mean)
    along = pre / (arriving @ mean)[:, np.newaxis]
    lowest, highest = along.min(axis=0), along.max(axis=0)
    # Past zero by a relative 1e-9, so that rounding does not leave a gate behind.
    beyond = 1e-9 * (highest - lowest)
    moves = np.where(-lowest < highest, beyond - lowest, -beyond - highest)
    moves[(lowest > 0.0) | (highest <= 0.0)] = 0.0
    # Only those that fit alone are put in order: few, where the radius is small.
    moves[moves**2 > radius**2] = 0.0
    fitting = np.flatnonzero(moves)
    order = fitting[np.argsort(np.abs(moves[fitting]))]
    moves[order[np.cumsum(moves[order] ** 2) > radius**2]] = 0.0
    return mean, moves


def printed_level(n: int, phi: float) -> float:
    return n * float(sheet.lemma_A_10_threshold.evaluate({"a": 1.0, "phi": phi, "n": n}))
