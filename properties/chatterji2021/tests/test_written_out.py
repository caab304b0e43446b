"""The gradients written out, against difference quotients of the outputs written out."""

import numpy as np

from properties.chatterji2021.written_out import outputs_and_gradients

STEP = 1e-6


def test_gradients_are_the_difference_quotients_of_the_outputs() -> None:
    rng = np.random.default_rng(2)
    weights = [rng.standard_normal(shape) for shape in ((3, 4), (4, 4), (4, 1))]
    X = rng.standard_normal((2, 3))
    outputs, gradients = outputs_and_gradients(weights, 0.5, X)
    for layer, V in enumerate(weights):
        E = rng.standard_normal(V.shape)
        ends = []
        for sign in (1.0, -1.0):
            moved = [*weights[:layer], V + sign * STEP * E, *weights[layer + 1 :]]
            ends.append(outputs_and_gradients(moved, 0.5, X)[0])
        quotients = (ends[0] - ends[1]) / (2.0 * STEP)
        np.testing.assert_allclose(np.sum(gradients[layer] * E, axis=(1, 2)), quotients, rtol=1e-6, atol=1e-8)
    assert outputs.shape == (2,)
