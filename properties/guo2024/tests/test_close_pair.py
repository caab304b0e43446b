"""The limit of the tangent kernel of two layers."""

import flint
import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import leaky_network
from nets.tangent.linearised import tangent_features
from properties.guo2024.close_pair import limit_kernel


@pytest.mark.parametrize("slope", [-2.0, -0.5, 0.5])
@pytest.mark.parametrize("angle", [0.3, 1.5, 2.8])
def test_wide_networks_have_nearly_the_kernel_of_the_limit(slope: float, angle: float) -> None:
    fall = (1.0 - slope) ** 2 / (1.0 + slope**2)
    X = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
    net = leaky_network(2, 1500, 2, 1, slope, np.random.default_rng(0))
    found = tangent_features(net, forward(net, X)).grams.sum(axis=0)[0, 1] / 750.0
    assert found == pytest.approx(float(limit_kernel(flint.arb(angle), flint.arb(fall)).mid()), abs=0.12)
