"""The rate at which a layer brings directions closer, and the constant of Lemma A.4 that rests on it."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize

from bounds.laws.layers import separation_map
from bounds.laws.shrinkage import shrinkage_rate
from bounds.papers import zou2018


@pytest.mark.parametrize(("phi", "factor"), [(0.3, 0.7), (1.0, 0.65), (1.2, 0.82), (1.9, 0.6)])
def test_closed_form_agrees_with_an_integral_over_directions(phi: float, factor: float) -> None:
    # In polar coordinates E exp(h Q) is the mean of 1/(1 - 2 h q) over directions, q being Q on the circle.
    t, k = 2.0 * math.asin(phi / 2.0), 1.0 - (factor * phi) ** 2 / 2.0

    def log_moment(h: float) -> float:
        def density(angle: float) -> float:
            u, v = max(math.cos(angle), 0.0), max(math.cos(angle - t), 0.0)
            return 1.0 / (1.0 - 2.0 * h * (2.0 * u * v - k * (u * u + v * v)))

        kinks = [-math.pi / 2.0, t - math.pi / 2.0, math.pi / 2.0, t + math.pi / 2.0, 1.5 * math.pi]
        pieces = (integrate.quad(density, a, b)[0] for a, b in itertools.pairwise(kinks))
        return math.log(sum(pieces) / (2.0 * math.pi))

    # q is largest half way between the two directions, at 1 + cos t - k (1 + cos t).
    pole = 0.5 / ((1.0 + math.cos(t)) * (1.0 - k))
    found = optimize.minimize_scalar(log_moment, bounds=(0.0, 0.999 * pole), method="bounded")
    assert shrinkage_rate(phi, factor) == pytest.approx(-found.fun, rel=1e-4)


def test_simulated_layers_shrink_as_rarely_as_it_says() -> None:
    rng, m, phi, factor, trials = np.random.default_rng(0), 60, 1.0, 0.7, 40_000
    bound = math.exp(-m * shrinkage_rate(phi, factor))
    c = 1.0 - phi**2 / 2.0
    first = rng.standard_normal((trials, m))
    second = c * first + math.sqrt(1.0 - c * c) * rng.standard_normal((trials, m))
    u, v = np.maximum(first, 0.0), np.maximum(second, 0.0)
    cosine = np.sum(u * v, axis=1) / np.sqrt(np.sum(u * u, axis=1) * np.sum(v * v, axis=1))
    share = float(np.mean(2.0 - 2.0 * cosine < (factor * phi) ** 2))
    # Chernoff's bound is off by a factor of order sqrt(m) only.
    assert bound / 30.0 < share < bound


def test_no_rate_where_an_infinitely_wide_layer_shrinks_as_much() -> None:
    left = float(separation_map(1.2)) / 1.2
    assert shrinkage_rate(1.2, min(1.0, left * 1.001)) == pytest.approx(0.0, abs=1e-9)
    assert 0.0 < shrinkage_rate(1.2, left * 0.99) < shrinkage_rate(1.2, left * 0.9)


def test_constant_of_lemma_a_4_covers_every_depth_and_distance() -> None:
    kappa = float(zou2018.lemma_A_4_separation.constants["kappa"])
    constant = float(zou2018.lemma_A_4_width.constants["Cbar"])
    needed = []
    for depth in (*range(1, 11), 20, 50):
        factor = 1.0 - math.log(2.0) / (2.0 * depth)
        for phi in np.linspace(0.01, 0.999, 100) * min(kappa / depth, 2.0):
            needed.append(phi**4 / (depth**4 * shrinkage_rate(float(phi), factor)))
    assert 0.99 * constant < max(needed) <= constant


@pytest.mark.parametrize(("phi", "factor"), [(0.0, 0.5), (2.0, 0.5), (1.0, 0.0), (1.0, 1.5), (math.nan, 0.5)])
def test_senseless_arguments_are_refused(phi: float, factor: float) -> None:
    with pytest.raises(ValueError, match="take phi in"):
        shrinkage_rate(phi, factor)
