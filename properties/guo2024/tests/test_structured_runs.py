"""Runs of convolutional and recurrent networks and of transformers: their shapes, and descent written out."""

from dataclasses import replace

import numpy as np
import pytest

from properties.guo2024.slope_runs import TESTS
from properties.guo2024.structured_runs import (
    NETWORKS,
    REMEDY,
    LayerShape,
    StructuredRecipe,
    _drawn,
    _single_threaded,
    _squares,
    structured_errors,
)

SMALL = StructuredRecipe("convolution", "digits", n=4, m=3, steps=2, eta=0.02, every=2)


@pytest.fixture
def torch() -> object:
    """PyTorch as the runs have it."""
    return pytest.importorskip("torch", reason=f"PyTorch is not installed: {REMEDY}")


def test_images_are_averaged_over_squares_and_brought_to_minus_one_to_one() -> None:
    rows = np.arange(32.0).reshape(2, 16)
    whole = _squares(rows, 1)
    assert whole.shape == (2, 1, 4, 4)
    assert (whole.min(), whole.max(), whole[1, 0, 0, 1]) == (-1.0, 1.0, 2.0 * 17 / 31 - 1.0)
    means = np.array([[2.5, 4.5], [10.5, 12.5]])
    np.testing.assert_allclose(_squares(rows, 2)[0, 0], 2.0 * means / 28.5 - 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", NETWORKS)
def test_entries_that_enter_a_sum_are_those_of_the_shape(name: str) -> None:
    """The rows of a matrix, and the channels and places of a convolution; a place of a token is no factor."""
    for layer_name, layer in NETWORKS[name][0](8, 6).items():
        entering = layer.shape[0] if len(layer.shape) == 2 else int(np.prod(layer.shape[1:]))
        assert layer.entering == (layer.shape[1] if layer_name == "place" else entering)


def test_weights_have_twice_the_variance_before_a_leaky_relu(torch: object) -> None:
    layers = {"plain": LayerShape((300, 300), 300), "leaky": LayerShape((300, 300), 300, leaky=True)}
    drawn = _drawn(layers, np.random.default_rng(1), torch)
    assert drawn["plain"].detach().numpy().var() == pytest.approx(1 / 300, rel=0.02)
    assert drawn["leaky"].detach().numpy().var() == pytest.approx(2 / 300, rel=0.02)


@pytest.mark.parametrize("name", NETWORKS)
def test_runs_of_one_seed_differ_in_the_slope_alone_and_are_the_same_again(name: str, torch: object) -> None:
    recipe = replace(SMALL, network=name)
    first = structured_errors(recipe, -1.0, 5)
    structured_errors.cache_clear()
    again = structured_errors(recipe, -1.0, 5)
    assert np.array_equal(first.training, again.training)
    assert np.array_equal(first.test, again.test)
    assert (first.training.shape, first.test.shape) == ((3,), (2,))
    assert first.training[0] != structured_errors(recipe, 0.0, 5).training[0]
    assert first.training[-1] < first.training[0]
    assert TESTS == 100


@pytest.mark.parametrize("name", NETWORKS)
def test_a_step_goes_down_the_gradient(name: str, torch: object) -> None:
    """The fall of the error in a short step is its size times the squared norm of the gradient, so linear in it."""
    falls = [
        -np.diff(structured_errors(replace(SMALL, network=name, steps=1, eta=eta), -0.5, 3).training)[0]
        for eta in (1e-6, 2e-6)
    ]
    assert falls[0] > 0.0
    assert falls[1] == pytest.approx(2.0 * falls[0], rel=1e-3)


def test_the_rescaled_leaky_relu_stands_in_every_network(torch: object) -> None:
    """Slope 1 makes the read-out linear: outputs turn about with the sign of its weights alone."""
    with _single_threaded() as used:
        for shapes, output in NETWORKS.values():
            weights = _drawn(shapes(8, 4), np.random.default_rng(2), used)
            images = used.from_numpy(np.random.default_rng(3).uniform(-1, 1, (5, 1, 8, 8)))
            assert output(used, weights, images, lambda x: x).shape == (5, 10)
            assert used.equal(output(used, weights, images, lambda x: 0 * x), used.zeros(5, 10, dtype=used.float64))
            assert used.get_num_threads() == 1
