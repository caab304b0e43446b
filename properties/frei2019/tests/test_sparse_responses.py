"""Responses to sparse vectors, the inputs and steps chosen against them, and the chances beside them."""

import math

import numpy as np
import pytest
from scipy import stats

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import residual_network
from nets.networks.operators import masked_product, operator_norm, threshold_counts
from properties.frei2019.sparse_responses import (
    input_near_kinks,
    log_gated_sum_tail,
    log_sparse_net,
    mapped,
    response_rows,
    some_row_above,
    step_along,
    worst_input,
)


def test_rows_are_the_written_out_products_from_the_last_layer_to_the_second() -> None:
    rng = np.random.default_rng(0)
    net = residual_network((3, 6, 6, 6, 6), 0.7, rng)
    fwd = forward(net, sphere(2, 3, rng))
    rows = list(response_rows(net, fwd, 1))
    assert len(rows) == 3
    for layer, row in zip((4, 3, 2), rows, strict=True):
        expected = (net.v * fwd.masks[-1][1]) @ masked_product(net, fwd, 1, layer, 4)
        assert row == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_map_and_the_last_layer_make_the_response() -> None:
    rng = np.random.default_rng(1)
    net = residual_network((3, 6, 6, 6, 6), 0.7, rng)
    fwd, vectors = forward(net, sphere(1, 3, rng)), rng.standard_normal((2, 6))
    images = mapped(net, fwd, 0, 2, vectors)
    response = images @ net.weights[-1] @ (net.v * fwd.masks[-1][0])
    assert response == pytest.approx(vectors @ list(response_rows(net, fwd))[-1], rel=1e-12)
    assert np.array_equal(mapped(net, fwd, 0, 4, vectors), vectors)


def test_the_chosen_input_beats_two_thousand_drawn_ones() -> None:
    rng = np.random.default_rng(2)
    net = residual_network((32, 64, 64, 64), 0.01, rng)
    wanted = net.v * net.weights[-1][5]
    x = worst_input(net, 5, rng)
    assert np.linalg.norm(x) == pytest.approx(1.0)
    drawn = forward(net, sphere(2000, 32, rng)).masks[-1] @ wanted
    assert forward(net, x).masks[-1][0] @ wanted > 1.1 * drawn.max()


def test_the_step_has_its_norm_and_adds_to_one_response_what_it_can() -> None:
    rng = np.random.default_rng(3)
    net = residual_network((4, 8, 8, 8), 0.5, rng)
    fwd = forward(net, sphere(1, 4, rng))
    gated, step = net.v * fwd.masks[-1][0], step_along(net, fwd, 2, 0.3)
    assert operator_norm(step) == pytest.approx(0.3)
    before, after = net.weights[-1] @ gated, (net.weights[-1] + step) @ gated
    assert abs(after[2]) - abs(before[2]) == pytest.approx(0.3 * math.sqrt(fwd.masks[-1][0].sum()))
    assert np.array_equal(np.delete(before, 2), np.delete(after, 2))


def test_points_of_a_sparse_net_are_counted() -> None:
    assert log_sparse_net(10, 3, 9) == pytest.approx(math.log(120 * 9**3))
    assert log_sparse_net(10, 1, 9) == pytest.approx(math.log(10))


@pytest.mark.parametrize("s", [1, 3])
def test_the_chance_of_a_large_row_is_from_below_and_exact_for_one_entry(s: int) -> None:
    rng = np.random.default_rng(4)
    values = np.sort(rng.normal(0.0, math.sqrt(0.5), (4000, 5, 12)) ** 2, axis=2)[:, :, -s:].sum(axis=2).max(axis=1)
    level = math.sqrt(float(np.quantile(values, 0.7)))
    chance = some_row_above(level, 12, s, 5, 0.5)
    assert chance == pytest.approx(0.3, abs=0.04) if s == 1 else 0.0 < chance < 0.3
    assert some_row_above(0.0, 12, s, 5, 0.5) == 1.0


@pytest.mark.parametrize("along", [0.0, 0.6, 1.0])
def test_the_tail_of_a_gated_sum_is_from_above(along: float) -> None:
    rng, m, norm = np.random.default_rng(5), 8, 1.5
    first, second = rng.normal(0.0, math.sqrt(2.0 / m), (2, 20000, m))
    terms = (first > 0.0) * norm * (along * first + math.sqrt(1.0 - along**2) * second)
    sums = terms[:, : m // 2].sum(axis=1) - terms[:, m // 2 :].sum(axis=1)
    for level in (1.0, 3.0, 5.0):
        assert math.exp(log_gated_sum_tail(level, m, norm)) >= np.mean(sums > level)
    assert log_gated_sum_tail(3.0, 10**6, norm) == pytest.approx(-0.5 * (3.0 / norm) ** 2, rel=1e-3)
    assert math.exp(log_gated_sum_tail(3.0, 10**6, norm)) >= stats.norm.sf(3.0 / norm)


def test_the_input_near_kinks_is_orthogonal_to_as_many_neurons_as_it_can_be() -> None:
    rng = np.random.default_rng(6)
    net = residual_network((32, 128, 128, 128), 0.01, rng)
    x = input_near_kinks(net, 1, 0.001, rng)
    assert np.linalg.norm(x) == pytest.approx(1.0)
    assert threshold_counts(forward(net, x).pre[0], 0.001) >= 31.0


def test_the_input_near_kinks_of_a_later_layer_beats_drawn_ones() -> None:
    rng = np.random.default_rng(7)
    net = residual_network((8, 128, 128, 128), 0.01, rng)
    chosen = threshold_counts(forward(net, input_near_kinks(net, 3, 0.02, rng)).pre[2], 0.02)
    assert chosen > 1.5 * threshold_counts(forward(net, sphere(500, 8, rng)).pre[2], 0.02).mean()
