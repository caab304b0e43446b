"""Drifts of norms with the depth: they have the law of networks, and the figure shows all four kinds."""

import math

import numpy as np
import pytest
from numpy.random import Generator
from scipy import stats

from nets.data.points import sphere
from nets.networks.forward import forward
from nets.networks.fresh import sample_ensemble
from nets.networks.network import residual_network
from properties.frei2019.depth_drift import DEPTHS, ENSEMBLE, drifts_by_depth, plain_drift, residual_drift


@pytest.fixture
def rng() -> Generator:
    return np.random.default_rng(15)


def test_drifts_of_fresh_layers_have_the_law_of_residual_networks(rng: Generator) -> None:
    m, L, theta, draws = 16, 4, 0.7, 400
    x = sphere(1, 4, rng)
    nets = [residual_network((4, *[m] * (L + 1)), theta, rng) for _ in range(draws)]
    states = [forward(net, x).post for net in nets]
    logs = [abs(math.log(np.linalg.norm(post[L]) / np.linalg.norm(post[1]))) for post in states]
    drawn = [residual_drift(rng, m, L, theta) for _ in range(draws)]
    assert stats.ks_2samp(logs, drawn).pvalue > 1e-6


def test_drifts_of_plain_networks_are_those_of_an_ensemble(rng: Generator) -> None:
    m, L, networks = 32, 3, 2000
    norms = sample_ensemble(sphere(1, 4, rng), [m] * L, networks, rng).norms[:, 0]
    logs = np.log(norms[:, -1] / norms[:, 0])
    assert plain_drift(rng, m, L, networks) == pytest.approx(np.sqrt(np.mean(logs**2)), rel=0.1)
    assert plain_drift(rng, 10**5, 32, ENSEMBLE) < 0.1


def test_one_layer_or_the_scale_0_adds_nothing(rng: Generator) -> None:
    assert residual_drift(rng, 50, 1, 1.0) == 0.0
    assert residual_drift(rng, 50, 20, 0.0) == pytest.approx(0.0, abs=1e-12)


def test_the_figure_holds_four_networks_over_the_same_depths(rng: Generator) -> None:
    (panel,) = drifts_by_depth(rng, "quick").panels
    assert [curve.name for curve in panel.curves] == [
        "skips, theta = 1/L",
        "skips, theta = 1/sqrt(L)",
        "skips, theta = 1",
        "no skips",
    ]
    assert all(curve.x == DEPTHS for curve in panel.curves)
    flat, root, linear, plain = (np.log(curve.y[-1] / curve.y[4]) / np.log(1000 / 32) for curve in panel.curves)
    assert abs(flat) < 0.1
    assert linear == pytest.approx(1.0, abs=0.1)
    assert 0.2 < root < 0.7
    assert 0.2 < plain < 0.9
