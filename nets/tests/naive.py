"""Slow and obvious forms of the kernels, each under the name of its kernel, and what to feed them.

Main definitions: one twin per kernel, and `INPUTS`, the strategy of argument tuples for each; `outcome`, which calls
either. A kernel without twin and inputs fails `test_twins`.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit

from nets.core.arrays import Array
from nets.core.pcg64 import words_of
from nets.descent.in_place import PIECE
from nets.tests.naive_descent import DESCENTS
from nets.tests.naive_descent import carried_descent as carried_descent


def outcome(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a kernel or a twin returns; of one that returns nothing all arguments, of which it has written some.

    It works on copies: the arguments stay as they are.
    """
    given = copy.deepcopy(tuple(args))
    found = function(*given)
    return tuple(one for one in given if not isinstance(one, Words)) if found is None else found


class Words(int):
    """The address of the words of a generator that is kept here; a copy is that of a copy of it."""

    OWNERS: ClassVar[dict[int, np.random.Generator]] = {}

    @classmethod
    def of(cls, rng: np.random.Generator) -> "Words":
        found = cls(words_of(rng))
        cls.OWNERS[found] = rng
        return found

    def __deepcopy__(self, memo: dict[int, Any]) -> "Words":
        return self.of(copy.deepcopy(self.OWNERS[self]))


def drawn_normals(words: Words, numbers: Array) -> None:
    words.OWNERS[words].standard_normal(out=numbers)


def split_queries(
    words: Words,
    X: Array,
    sizes: Array,
    basis: Array,
    count: int,
    normals: Array,
    drawn: int,
    others: Array,
    known: int,
) -> tuple[Any, ...]:
    coefficients, overlaps, new = np.zeros((len(X), count + len(X))), np.zeros((len(X), known)), 0
    for row, size, found in zip(X, sizes, coefficients, strict=True):
        if size == 0.0:
            continue
        number = count + new
        if drawn == number:
            drawn_normals(words, normals[number])
            drawn += 1
        overlaps[new] = [one @ normals[number] for one in others[:known]]
        rest = row / size
        for direction in [*range(number), *range(number)]:
            along = basis[direction] @ rest
            rest = rest - along * basis[direction]
            found[direction] += along
        basis[number], length = rest, np.linalg.norm(rest)
        # Not new are those below whose rest is rounding noise, and no other is small.
        if length > 1e-9 * np.linalg.norm(row / size):
            basis[number] /= length
            found[number] = length
            new += 1
    return coefficients, overlaps, new, drawn, basis[: count + new], normals[:drawn]


def write_relu(pre: Array, post: Array, gate: Array) -> None:
    post[:] = np.maximum(pre, 0.0)
    gate[:] = np.where(np.isnan(pre), np.nan, pre > 0.0)


def leaky_with_gate(pre: Array, slope: float, scale: float) -> tuple[Array, Array]:
    gate = np.where(np.isnan(pre), np.nan, np.where(pre > 0.0, 1.0, slope))
    return scale * np.where(pre <= 0.0, slope * pre, pre), scale * gate


def step_of_leaky_layer(
    X: Array, c: Array, B: Array, W: Array, move: Array, gates: Array, states: Array, slope: float, scale: float
) -> None:
    move[:] = X.T @ (gates * (c @ B))
    W += move
    states[:], gates[:] = leaky_with_gate(X @ W, slope, scale)


def logistic(margins: Array) -> Array:
    return np.stack([np.logaddexp(0.0, -margins), -expit(-margins)])


def exponential(margins: Array) -> Array:
    return np.stack([np.exp(-margins), -np.exp(-margins)])


def hinge(margins: Array) -> Array:
    slopes = np.where(np.isnan(margins), np.nan, np.where(margins < 1.0, -1.0, 0.0))
    return np.stack([np.maximum(0.0, 1.0 - margins), slopes])


def squared_hinge(margins: Array) -> Array:
    return np.stack([np.maximum(0.0, 1.0 - margins) ** 2, -2.0 * np.maximum(0.0, 1.0 - margins)])


def huberised_hinge(margins: Array) -> Array:
    left, middle, right = margins < 0.0, (margins >= 0.0) & (margins < 1.0), margins >= 1.0
    branches = [left, middle, right]
    values = np.select(branches, [0.5 - margins, (1.0 - margins) ** 2 / 2.0, 0.0 * margins], np.nan)
    slopes = np.select(branches, [-1.0 + 0.0 * margins, margins - 1.0, 0.0 * margins], np.nan)
    # An infinite margin makes the zeros above NaN.
    values = np.where(margins == np.inf, 0.0, np.where(margins == -np.inf, np.inf, values))
    slopes = np.where(margins == np.inf, 0.0, np.where(margins == -np.inf, -1.0, slopes))
    return np.stack([values, slopes])


def power(margins: Array, p: float, x_0: float) -> Array:
    def value(x: Array | float) -> Array:
        return np.asarray(((1.0 - p) * np.maximum(0.0, 1.0 - x)) ** (1.0 / (1.0 - p)))

    def slope(x: Array | float) -> Array:
        return -(((1.0 - p) * np.maximum(0.0, 1.0 - x)) ** (p / (1.0 - p)))

    below = margins < x_0
    tangent = value(x_0) + slope(x_0) * (margins - x_0)
    return np.stack([np.where(below, tangent, value(margins)), np.where(below, slope(x_0), slope(margins))])


def huberised_relu_with_slope(pre: Array, h: float) -> tuple[Array, Array]:
    middle = (pre > 0.0) & (pre <= h)
    values = np.select([pre <= 0.0, middle, pre > h], [0.0, pre**2 / (2.0 * h), pre - h / 2.0], np.nan)
    return values, np.select([pre <= 0.0, middle, pre > h], [0.0, pre / h, 1.0], np.nan)


def huberised_relu_curvature(pre: Array, side: Array, h: float) -> Array:
    left, right = (pre > 0.0) & (pre <= h), (pre >= 0.0) & (pre < h)
    return np.where(np.isnan(pre), np.nan, np.where(side < 0.0, left, right) / h)


def swish_with_slope(pre: Array, h: float) -> tuple[Array, Array]:
    t = np.clip(2.0 * pre / h, -1e6, 1e6)
    values = np.where(t < -1e3, 0.0, pre * expit(t) / 1.1)
    return values, (expit(t) + t * expit(t) * expit(-t)) / 1.1


def swish_curvature(pre: Array, _side: Array, h: float) -> Array:
    t = np.clip(2.0 * pre / h, -1e6, 1e6)
    return (2.0 / h) * expit(t) * expit(-t) * (2.0 - t * np.tanh(t / 2.0)) / 1.1


def logistic_logs(margins: Array) -> Array:
    loss = np.logaddexp(0.0, -margins)
    log_loss = np.where(margins > 40.0, -margins, np.log(loss))
    return np.stack([loss, log_loss, expit(-margins), -np.logaddexp(0.0, margins)])


def count_below(pre: Array, betas: Array) -> Array:
    counts = [[np.count_nonzero(np.abs(row) <= beta) for beta in betas] for row in pre]
    broken = np.isnan(pre).any(axis=1, keepdims=True) | np.isnan(betas)
    return np.where(broken, np.nan, np.reshape(counts, (pre.shape[0], betas.size)))


def count_flips(mask: Array, other: Array) -> Array:
    broken = np.isnan(mask) | np.isnan(other)
    return np.where(broken.any(axis=1), np.nan, (mask != other).sum(axis=1))


def row_distances(H: Array) -> Array:
    return np.array([[np.linalg.norm(a - b) for b in H] for a in H])


def norms_of_columns(A: Array) -> Array:
    return np.array([np.linalg.norm(column) for column in A.T])


def correlated_relu(points: Array, normals: Array, scale: float) -> Array:
    out = np.zeros(normals.shape)
    for r in range(points.shape[2]):
        rows = points[:, :, r].copy()
        for i, row in enumerate(rows):
            size = np.linalg.norm(row)
            unit = 0.0 * row if size == 0.0 else row / size
            out[i:, :, r] += scale * np.outer(rows[i:] @ unit, normals[i, :, r])
            rows[i + 1 :] -= np.outer(rows[i + 1 :] @ unit, unit)
    return np.maximum(out, 0.0)


# Squares of these neither overflow nor vanish; kinks, zeros of both signs, NaN and infinities come on top.
_numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf]),
    st.floats(1e-100, 1e100),
    st.floats(-1e100, -1e-100),
    st.floats(-3.0, 3.0, allow_subnormal=False).map(lambda x: round(x, 6)),
)
_sizes = st.integers(1, 6)
_matrices = st.tuples(_sizes, _sizes).flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=_numbers))
_vectors = _sizes.flatmap(lambda size: hnp.arrays(np.float64, size, elements=_numbers))
_mask_pairs = st.tuples(_sizes, _sizes).flatmap(
    lambda shape: st.tuples(*[hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, np.nan]))] * 2)
)

# A smooth activation and pre-activations at its kinks and elsewhere.
_huberised = st.tuples(_sizes, _sizes, st.floats(1e-3, 1e3)).flatmap(
    lambda drawn: st.tuples(
        hnp.arrays(np.float64, drawn[:2], elements=st.one_of(_numbers, st.sampled_from([drawn[2], drawn[2] / 2.0]))),
        hnp.arrays(np.float64, drawn[:2], elements=st.sampled_from([-1.0, 1.0])),
        st.just(drawn[2]),
    )
)

# 2z/h is a multiple of 1/2, exactly: phi' and phi'' have their zeros at 2z/h = -1.278 and +-2.399, near which two
# formulas agree in fewer digits.
_swish = st.tuples(_sizes, _sizes, st.sampled_from([0.25, 1.0, 8.0])).flatmap(
    lambda drawn: st.tuples(
        hnp.arrays(
            np.float64,
            drawn[:2],
            elements=st.one_of(
                st.integers(-4000, 4000).map(lambda k: 0.25 * drawn[2] * k),
                st.sampled_from([-0.0, np.nan, np.inf, -np.inf, 1e100, -1e100]),
            ),
        ),
        st.just(drawn[2]),
    )
)

# Away from -0.5413, where log J_s is 0; `test_log_loss` has that.
_log_margins = _vectors.map(lambda margins: np.where(np.abs(margins + 0.5413) < 0.1, 0.0, margins))

# Numbers with which every sum, product and quotient is exact: cancellation would otherwise leave nothing to compare but
# rounding. `test_ensembles` has real numbers.
_digits = st.one_of(st.integers(-3, 3).map(float), st.just(np.nan))


@st.composite
def _axis_points(draw: st.DrawFn) -> tuple[Array, Array, float]:
    """Points (n, k, b) that modified Gram-Schmidt turns into coordinate axes, some zero, some NaN, and normals."""
    n, m, networks = draw(_sizes), draw(_sizes), draw(st.integers(1, 3))
    points = np.zeros((n, n, networks))
    for r in range(networks):
        below = np.tril(draw(hnp.arrays(np.float64, (n, n), elements=_digits)), -1)
        diagonal = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-4.0, -1.0, 1.0, 2.0])))
        shown = draw(hnp.arrays(np.bool_, n))
        points[:, :, r] = np.where(shown[:, np.newaxis] & shown, below + np.diag(diagonal), 0.0)
    return points, draw(hnp.arrays(np.float64, (n, m, networks), elements=_digits)), draw(st.sampled_from([0.5, 2.0]))


_generators = st.builds(np.random.default_rng, st.integers(0, 2**32))


@st.composite
def _queries(draw: st.DrawFn) -> tuple[Any, ...]:
    """Queries of a store that holds axes of both sides: new directions, known ones and zeros; some normals are left.

    A new direction is four equal entries, up to signs, so that all sums are exact.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    j, count, known, left = draw(
        st.tuples(st.integers(1, 5), st.integers(0, 12), st.integers(0, 12), st.integers(0, 1))
    )
    length = known + draw(st.integers(1, 30))
    basis, normals, others = np.eye(count + j, count + 4 * j), np.zeros((count + j, length)), np.eye(known + 2, length)
    normals[: count + left] = rng.standard_normal((count + left, length))
    news = np.zeros((j, count + 4 * j))
    for i, place in enumerate(range(count, count + 4 * j, 4)):
        news[i, place : place + 4] = draw(st.sampled_from([[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]]))
    mix = draw(hnp.arrays(np.float64, (j, count + j), elements=st.integers(-3, 3).map(float)))
    # Only what is new to the store at its own query is part of later ones.
    mix[:, count:] = np.tril(mix[:, count:]) * (np.diag(mix[:, count:]) != 0.0)
    X = mix @ np.concatenate([basis[:count], news])
    basis[count:] = 0.0
    sizes = np.where(X.any(axis=1), draw(st.sampled_from([1.0, 4.0])), 0.0)
    return Words.of(rng), X, sizes, basis, count, normals, count + left, others, known


@st.composite
def _leaky_steps(draw: st.DrawFn) -> tuple[Any, ...]:
    """A layer of more neurons than a piece takes, or of a few, with a step of `_digits`, so that all sums are exact."""
    n, d, outputs = draw(st.tuples(_sizes, _sizes, _sizes))
    m = draw(st.one_of(_sizes, st.sampled_from([PIECE, PIECE + 3])))

    def drawn(*shape: int) -> Array:
        columns = draw(hnp.arrays(np.float64, (shape[0], min(shape[1], 6)), elements=_digits))
        return np.resize(columns.T, shape[::-1]).T.copy()

    X, c, B, W, gates = drawn(n, d), drawn(n, outputs), drawn(outputs, m), drawn(d, m), drawn(n, m)
    return X, c, B, W, np.empty((d, m)), gates, np.empty((n, m)), draw(st.sampled_from([-1.0, 0.0, 0.5])), 0.75


INPUTS: dict[str, st.SearchStrategy[tuple[object, ...]]] = {
    "write_relu": _matrices.map(lambda pre: (pre, np.empty_like(pre), np.empty_like(pre))),
    "leaky_with_gate": st.tuples(
        _matrices, st.floats(-1.0, 1.0).filter(lambda slope: abs(slope) > 1e-6), st.sampled_from([1.0, 0.75])
    ),
    "logistic": st.tuples(_vectors),
    "exponential": st.tuples(_vectors),
    "hinge": st.tuples(_vectors),
    "squared_hinge": st.tuples(_vectors),
    "huberised_hinge": st.tuples(_vectors),
    "power": st.tuples(_vectors, st.floats(0.5, 0.9), st.floats(-10.0, 0.9)),
    "huberised_relu_with_slope": _huberised.map(lambda drawn: (drawn[0], drawn[2])),
    "huberised_relu_curvature": _huberised,
    "swish_with_slope": _swish,
    "swish_curvature": _swish.map(lambda drawn: (drawn[0], drawn[0], drawn[1])),
    "logistic_logs": st.tuples(_log_margins),
    "count_below": st.tuples(_matrices, _vectors),
    "count_flips": _mask_pairs,
    "correlated_relu": _axis_points(),
    "row_distances": st.tuples(_matrices),
    "norms_of_columns": st.tuples(_matrices),
    "carried_descent": DESCENTS,
    "drawn_normals": st.builds(lambda rng, size: (Words.of(rng), np.empty(size)), _generators, st.integers(0, 3000)),
    "split_queries": _queries(),
    "step_of_leaky_layer": _leaky_steps(),
}
