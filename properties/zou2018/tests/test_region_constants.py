"""Paired neurons cancel."""

from __future__ import annotations

import numpy as np
import pytest

from nets.forward import forward
from nets.gradients import output_gradient
from nets.network import he_network
from nets.points import sphere
from properties.zou2018.region_constants import paired


@pytest.fixture
def rng() -> np.random.Generator:
    """One generator for each test."""
    return np.random.default_rng(31)


def test_paired_neurons_leave_a_gradient_to_the_last_layer_alone(rng: np.random.Generator) -> None:
    net, X = paired(he_network((4, 6, 8), rng)), sphere(3, 4, rng)
    fwd = forward(net, X)
    assert fwd.output == pytest.approx(np.zeros(3), abs=1e-15)
    lower, last = output_gradient(net, fwd, np.ones(3))
    assert lower == pytest.approx(np.zeros((4, 6)), abs=1e-14)
    assert np.linalg.norm(last) > 0.1
