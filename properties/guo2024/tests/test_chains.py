"""The kernel of points in a row."""

import math

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import leaky_network
from nets.tangent.linearised import tangent_features
from properties.guo2024.chains import chain_kernel


@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.5])
def test_wide_networks_have_nearly_the_kernel_of_a_chain(slope: float) -> None:
    angles = 2.0 * math.asin(0.25) * np.arange(4)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    net = leaky_network(2, 2**15, 1, 1, slope, np.random.default_rng(0), stored=2**16)
    found = tangent_features(net, forward(net, X)).grams.sum(axis=0) / 2**15
    assert found == pytest.approx(chain_kernel(slope, 0.5, 4), abs=0.03)


def test_neighbours_are_as_far_apart_as_said() -> None:
    # Near slope 1 the kernel is half of the cosine, and |x - y|^2 = 2 - 2 cos.
    kernel = chain_kernel(1.0 - 1e-9, 0.3, 3)
    assert 2.0 - 4.0 * kernel[0, 1] == pytest.approx(0.09, rel=1e-9)
    assert kernel[0, 2] < kernel[0, 1] == kernel[1, 2]
