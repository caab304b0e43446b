"""One block against the network of all of them, and what its steps do."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network
from nets.tangent.linearised import layer_distances, linearised, tangent_features
from properties.frei2019.memorising_blocks import BLOCK_STEPS, block, memorised, moved, right_by_far
from properties.frei2019.trained_errors import linear_part


def side_by_side(blocks: list[Network]) -> Network:
    """The network of the blocks, with an input for each; signs are those of the blocks."""
    weights = []
    for layer in zip(*(net.weights for net in blocks), strict=True):
        rows, columns = layer[0].shape
        whole = np.zeros((rows * len(layer), columns * len(layer)))
        for number, part in enumerate(layer):
            whole[number * rows : (number + 1) * rows, number * columns : (number + 1) * columns] = part
        weights.append(whole)
    return Network(tuple(weights), np.concatenate([net.v for net in blocks]), blocks[0].steps)


@pytest.mark.parametrize("kind", BLOCK_STEPS)
def test_errors_are_those_of_the_network_of_all_blocks(kind: str) -> None:
    points, others, sample = 6, 3, np.array([0, 4, 4, 1])
    start, right = block(kind, 3, 0.3, 1.5), right_by_far(3, 0.3)
    end = moved(start, 1.2)
    found = memorised(start, end, points, sample, (right, others / (points + others), 2))
    whole = side_by_side([*[start] * points, *[right] * others])
    trained = side_by_side([*[end if number in sample else start for number in range(points)], *[right] * others])
    X, sample = np.eye(points + others), np.append(sample, [6, 8])
    fwd, outputs = forward(whole, X), forward(trained, X).output
    errors, off = -LOGISTIC.derivative(outputs), np.abs(outputs - linearised(whole, fwd, trained))
    radius = float(layer_distances(trained, whole).max())
    assert found.wrong == pytest.approx(np.mean(outputs < 0.0)) == pytest.approx(1.0 / 3.0)
    assert found.sample_error == pytest.approx(errors[sample].mean())
    assert found.population_error == pytest.approx(errors.mean())
    assert found.deviation == pytest.approx((off.mean() + off[sample].mean()) / 2.0, abs=1e-9)
    norms = tangent_features(whole, fwd).layer_norms
    assert found.complexity == pytest.approx(linear_part(norms, radius, len(sample)))


@pytest.mark.parametrize("kind", BLOCK_STEPS)
def test_the_step_leads_to_the_output_from_a_little_below_zero(kind: str) -> None:
    start = block(kind, 2, 0.5, 3.0)
    assert -1e-5 < forward(start, np.ones((1, 1))).output[0] < 0.0
    assert forward(moved(start, 3.0), np.ones((1, 1))).output[0] == pytest.approx(3.0)


def test_a_point_right_by_far_has_no_error_and_hardly_a_gradient() -> None:
    x, right = np.ones((1, 1)), right_by_far(3, 0.3)
    fwd = forward(right, x)
    assert fwd.output[0] == pytest.approx(30.0)
    assert tangent_features(right, fwd).layer_norms.max() < 10.0


def test_a_linear_block_is_linear_on_its_step_and_an_opened_one_starts_without_a_gradient() -> None:
    x = np.ones((1, 1))
    start, closed = (block(kind, 2, 0.5, 1.0) for kind in BLOCK_STEPS)
    end = moved(start, 1.0)
    assert linearised(start, forward(start, x), end)[0] == pytest.approx(1.0)
    assert tangent_features(closed, forward(closed, x)).layer_norms.max() < 0.01
