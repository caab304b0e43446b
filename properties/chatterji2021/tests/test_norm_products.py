"""Products of norms: against loops over the layers, a case solved by hand, and the norms that searches span."""

import itertools
import math

import numpy as np
import pytest

from bounds.bound import Bound
from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from properties.chatterji2021.norm_products import (
    UPWARD_FACTOR,
    Products,
    least_norm,
    norm_of_largest_output,
    operator_norms,
)

EPS = float(np.finfo(np.float64).eps)
sizes = pytest.mark.parametrize("layers", [2, 3, 5])


def _norms(layers: int) -> Array:
    return np.random.default_rng(layers).uniform(0.2, 3.0, layers)


def _product(norms: Array, kept: list[int]) -> float:
    return math.prod(float(norms[k]) for k in kept)


@pytest.mark.parametrize("widths", [(3, 3, 3, 3), (2, 4, 3, 1)])
def test_operator_norms_are_no_smaller_than_the_true_ones_and_hardly_larger(widths: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal(shape) for shape in itertools.pairwise(widths)] + [
        rng.standard_normal((widths[-1], 1))
    ]
    true = np.array([math.sqrt(np.linalg.eigvalsh(V.T @ V)[-1]) for V in weights])
    found = operator_norms(weights)
    assert np.all(found >= true * (1.0 + 1e-13))
    assert np.all(found <= true * (UPWARD_FACTOR + 1e-13))


def test_two_layers_by_hand() -> None:
    products = Products(np.array([2.0, 3.0]))
    assert products.without_one.tolist() == [3.0, 2.0]
    assert products.without_two.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert products.up_to.tolist() == [[1.0, 0.0], [3.0, 2.0]]
    # One hidden layer: its bend sees the input, and the output layer is above it.
    assert products.slopes.tolist() == [[3.0, 0.0], [0.0, 0.0]]
    assert products.sums() == {"squares": 13.0, "pairs": pytest.approx(1.0, rel=1e-14), "bends": 3.0}
    assert products.curvature(0.5) == pytest.approx(13.0 + 1.0 + 6.0, rel=1e-14)


@sizes
def test_products_leave_out_the_layers_they_say(layers: int) -> None:
    norms = _norms(layers)
    found = Products(norms)
    for j, k in itertools.product(range(layers), repeat=2):
        assert found.without_one[k] == pytest.approx(_product(norms, [i for i in range(layers) if i != k]), rel=1e-13)
        two = _product(norms, [i for i in range(layers) if i not in (j, k)]) if j != k else 0.0
        assert found.without_two[j, k] == pytest.approx(two, rel=1e-13)
        up_to = _product(norms, [i for i in range(j + 1) if i != k]) if k <= j else 0.0
        assert found.up_to[j, k] == pytest.approx(up_to, rel=1e-13)


@sizes
def test_slopes_sum_over_the_hidden_layers_above_both(layers: int) -> None:
    norms = _norms(layers)
    found = Products(norms).slopes
    for k, level in itertools.product(range(layers), repeat=2):
        inner = sum(_product(norms, [i for i in range(j + 1) if i != level]) for j in range(max(k, level), layers - 1))
        expected = inner * _product(norms, [i for i in range(layers) if i != k]) if max(k, level) < layers - 1 else 0.0
        assert found[k, level] == pytest.approx(expected, rel=1e-13)


@sizes
def test_sums_are_those_of_their_definitions(layers: int) -> None:
    norms = _norms(layers)
    found = Products(norms)
    squares = sum(_product(norms, [i for i in range(layers) if i != k]) ** 2 for k in range(layers))
    bends = sum(
        _product(norms, list(range(hidden + 1, layers)))
        * sum(_product(norms, [i for i in range(hidden + 1) if i != k]) ** 2 for k in range(hidden + 1))
        for hidden in range(layers - 1)
    )
    assert found.squares == pytest.approx(squares, rel=1e-13)
    assert found.bends == pytest.approx(bends, rel=1e-13)
    # The largest quotient of the quadratic form: no vector exceeds it, its own attains it.
    vectors = np.random.default_rng(1).standard_normal((200, layers))
    quotients = np.einsum("vi,ij,vj->v", vectors, found.without_two, vectors) / np.sum(vectors**2, axis=1)
    assert np.all(quotients <= found.pairs * (1.0 + 1e-12))
    power = np.ones(layers)
    for _ in range(200):
        # Shifted, so that no eigenvalue is as large in size as the largest one.
        power = found.without_two @ power + found.pairs * power
        power /= np.linalg.norm(power)
    assert power @ found.without_two @ power == pytest.approx(found.pairs, rel=1e-8)


def test_a_layer_of_zeros_leaves_the_products_without_it() -> None:
    found = Products(np.array([2.0, 0.0, 5.0]))
    assert found.without_one.tolist() == [0.0, 10.0, 0.0]
    assert found.without_two.tolist() == [[0.0, 5.0, 0.0], [5.0, 0.0, 2.0], [0.0, 2.0, 0.0]]


@pytest.mark.parametrize("L", [1, 2, 6])
def test_a_chain_of_equal_layers_attains_squares_and_pairs_where_it_is_linear(L: int) -> None:
    """f = w^(L+1): slope w^L in each weight, second derivatives w^(L-1) between any two."""
    w = 1.3
    found = Products(np.full(L + 1, w))
    assert found.squares == pytest.approx((L + 1) * w ** (2 * L), rel=1e-12)
    assert found.pairs == pytest.approx(L * w ** (L - 1), rel=1e-12)


@pytest.mark.parametrize("L", [1, 3, 14])
def test_the_norms_searched_begin_just_above_the_least_and_end_at_outputs_of_a_hundred_million(L: int) -> None:
    assert 0.0 < least_norm(L) / math.sqrt(L + 0.5) - 1.0 < 2e-8
    # Layers of equal norm make the most of their sum of squares.
    each = norm_of_largest_output(L) / math.sqrt(L + 1.0)
    assert each ** (L + 1) == pytest.approx(1e8, rel=1e-12)


def _evaluated(bound: Bound, **values: float) -> float:
    return float(bound.evaluate({name: values[name] for name in bound.symbols}))


CEILINGS = [
    (sheet.lemma_4_2_ceiling, sheet.lemma_4_2),
    (sheet.lemma_B_13_ceiling, sheet.lemma_B_13),
    (sheet.lemma_B_14_ceiling, sheet.lemma_B_14),
    (sheet.lemma_B_15_ceiling, sheet.lemma_B_15),
    (sheet.lemma_B_16_ceiling, sheet.lemma_B_16),
    (sheet.lemma_B_17_ceiling, sheet.lemma_B_17),
]


@pytest.mark.parametrize("L", range(1, 7))
def test_ceilings_lie_above_the_sharp_bounds_and_below_the_printed_ones(L: int) -> None:
    """At norms of layers of all kinds, at the least norm of all and h = m = 1, where both come closest."""
    rng, depth = np.random.default_rng(L), L + 1
    unit = {"J": 1.0, "Js": 1.0, "dist": 1.0, "distop": 1.0, "h": 1.0, "m": 1.0, "L": float(L)}
    for _ in range(20):
        norms = rng.dirichlet(np.full(depth, rng.choice([0.1, 1.0, 100.0]))) ** 0.5 * least_norm(L)
        here = Products(norms)
        at = {**unit, "normV": least_norm(L)}
        assert here.curvature(1.0) <= _evaluated(sheet.lemma_4_2_ceiling, **at)
        level = int(rng.integers(depth))
        larger = Products(np.where(np.arange(depth) == level, norms + least_norm(L) / (2.0 * depth), norms))
        pairs, singles = here.without_two[:, level], here.without_one * here.without_one[level]
        slopes = larger.slopes[:, level]
        found = {
            sheet.lemma_B_13_ceiling: _evaluated(
                sheet.lemma_B_13_sharp,
                **at,
                pairs=float(np.linalg.norm(pairs)),
                singles=float(np.linalg.norm(singles)),
                bends=float(np.linalg.norm(slopes)),
            ),
            sheet.lemma_B_14_ceiling: 2.0 * float(pairs.max()),
            sheet.lemma_B_15_ceiling: 2.0 * float(pairs.max()) + float(singles.max()) / math.log(2.0),
            sheet.lemma_B_16_ceiling: 2.0 * float((pairs + slopes).max()),
        }
        moved = Products(norms + least_norm(L) / (6.0 * L + 10.0) * rng.dirichlet(np.ones(depth)))
        found[sheet.lemma_B_17_ceiling] = _evaluated(
            sheet.lemma_B_17_sharp,
            **at,
            pairs=float(np.linalg.norm(moved.without_two)),
            singles=float(moved.without_one @ moved.without_one),
            bends=float(np.linalg.norm(moved.slopes)),
        )
        for ceiling, value in found.items():
            assert value <= _evaluated(ceiling, **at), ceiling
    for ceiling, printed in CEILINGS:
        assert _evaluated(ceiling, **at) <= _evaluated(printed, **at), printed
