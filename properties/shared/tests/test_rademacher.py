"""Rademacher complexities against direct calculations."""

import itertools

import numpy as np
import pytest
from numpy.random import Generator

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.network import leaky_network
from nets.tangent.linearised import tangent_features
from properties.shared.rademacher import (
    all_signs,
    class_values,
    gram_suprema,
    linear_complexity,
    linear_suprema,
    mean_size,
    rademacher,
)


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(8)


def test_values_of_a_class_are_one_output_of_each_network(rng: Generator) -> None:
    X = sphere(4, 3, rng)
    nets = [leaky_network(3, 6, 2, 2, -0.5, rng) for _ in range(3)]
    values = class_values(nets, X, k=1)
    assert values.shape == (3, 4)
    np.testing.assert_allclose(values[2], forward(nets[2], X).output[:, 0, 1])


def test_all_signs_are_all_and_at_most_ten() -> None:
    assert sorted(map(tuple, all_signs(3))) == sorted(itertools.product((-1.0, 1.0), repeat=3))
    with pytest.raises(ValueError, match="take 1 to 10"):
        all_signs(11)


def test_one_function_has_no_complexity_and_two_opposite_ones_have_the_mean_size_of_a_sum() -> None:
    ones = np.ones((1, 5))
    assert rademacher(ones) == pytest.approx(0.0, abs=1e-15)
    assert rademacher(np.vstack([ones, -ones])) == pytest.approx(1.875 / 5.0)


def test_suprema_over_balls_are_dual_norms_of_the_whole_gradient(rng: Generator) -> None:
    net, X = leaky_network(3, 6, 2, 1, -0.5, rng), sphere(4, 3, rng)
    features, signs = tangent_features(net, forward(net, X)), all_signs(4)
    for number, sigma in enumerate(signs):
        sums = [(left * sigma[:, np.newaxis]).T @ right / 4.0 for left, right in features.pairs]
        nuclear = sum(np.linalg.norm(G, "nuc") for G in sums)
        assert linear_suprema(features, signs, "spectral")[number] == pytest.approx(nuclear)
        frobenius = sum(np.linalg.norm(G) for G in sums)
        assert linear_suprema(features, signs, "Frobenius")[number] == pytest.approx(frobenius)
    np.testing.assert_allclose(gram_suprema(features.grams, signs), linear_suprema(features, signs, "Frobenius"))
    assert linear_complexity(features, "Frobenius") < linear_complexity(features, "spectral")


def test_the_mean_size_of_a_sum_of_signs_is_that_of_all_of_them() -> None:
    expected = [np.mean(np.abs(all_signs(n).sum(axis=1))) for n in range(1, 9)]
    np.testing.assert_allclose(mean_size(np.arange(9.0)), [0.0, *expected])
