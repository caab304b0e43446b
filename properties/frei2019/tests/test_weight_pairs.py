"""Two weight tuples and what lies between them."""

import numpy as np
import pytest

from nets.data.points import sphere
from nets.networks.gradients import output_gradient
from nets.networks.network import perturbed, residual_network
from nets.networks.operators import operator_norm
from properties.frei2019.weight_pairs import PAIRS, absolute_size, at_layer, draw_pair, layer_scales, weighted_distance


def test_the_distance_is_a_metric_that_weighs_residual_layers_by_the_scale() -> None:
    rng = np.random.default_rng(0)
    one, two = ([rng.standard_normal(shape) for shape in [(3, 4), (4, 4), (4, 6)]] for _ in range(2))
    norms = [operator_norm(step) for step in one]
    assert weighted_distance(one, 0.3) == pytest.approx(norms[0] + 0.3 * norms[1] + norms[2], rel=1e-14)
    assert weighted_distance([-2.0 * step for step in one], 0.3) == pytest.approx(2.0 * weighted_distance(one, 0.3))
    both = weighted_distance([a + b for a, b in zip(one, two, strict=True)], 0.3)
    assert both <= weighted_distance(one, 0.3) + weighted_distance(two, 0.3)


@pytest.mark.parametrize("kind", PAIRS)
def test_the_remainder_is_what_the_gradient_leaves_of_the_change(kind: str) -> None:
    rng = np.random.default_rng(1)
    pair, _ = draw_pair(rng, sphere(2, 3, rng), 6, 3, 0.4, kind, 0.7)
    for i in range(2):
        G = output_gradient(pair.tilde, pair.before, np.eye(2)[i])
        along = sum(float(np.sum(g * step)) for g, step in zip(G, pair.steps, strict=True))
        change = pair.after.output[i] - pair.before.output[i]
        assert pair.remainder[i] == pytest.approx(change - along, rel=1e-10, abs=1e-10)


def test_a_step_of_one_layer_leaves_the_others() -> None:
    rng = np.random.default_rng(2)
    net = residual_network((3, 4, 4, 6), 0.4, rng)
    step = rng.standard_normal((4, 4))
    moved = perturbed(net, at_layer(net, 2, step))
    assert [np.array_equal(a, b) for a, b in zip(net.weights, moved.weights, strict=True)] == [True, False, True]


def test_the_scale_stands_at_the_residual_layers() -> None:
    assert layer_scales(4, 0.5).tolist() == [1.0, 0.5, 0.5, 1.0]
    assert layer_scales(3, 0.5, 2.0).tolist() == [1.0, 0.25, 1.0]


@pytest.mark.parametrize("kind", PAIRS)
def test_both_outputs_and_the_distance_are_below_the_sum_of_absolute_products(kind: str) -> None:
    rng = np.random.default_rng(3)
    pair, exact = draw_pair(rng, sphere(2, 3, rng), 6, 3, 0.4, kind, 0.7)
    assert exact == (kind == "integer weights")
    largest = max(float(np.abs(fwd.output).max()) for fwd in (pair.before, pair.after))
    assert largest <= absolute_size(pair)
    assert pair.distance() == weighted_distance(pair.steps, pair.theta)
    assert pair.distance(0.0) == pytest.approx(sum(map(operator_norm, pair.steps)))


def test_the_maps_to_the_output_give_it_from_every_state() -> None:
    rng = np.random.default_rng(4)
    pair, _ = draw_pair(rng, sphere(2, 3, rng), 6, 3, 0.4, "unrelated", 1.0)
    for maps, fwd in ((pair.arriving, pair.before), (pair.arriving_after, pair.after)):
        for arriving, state in zip(maps, fwd.post[1:], strict=True):
            assert np.allclose(np.sum(arriving * state, axis=1), fwd.output, rtol=1e-12)


def test_the_norms_are_those_of_the_steps() -> None:
    rng = np.random.default_rng(5)
    pair, _ = draw_pair(rng, sphere(1, 3, rng), 4, 2, 0.4, "rank-one step", 0.3)
    assert pair.norms == pytest.approx([0.3, 0.3, 0.3], rel=1e-9)
