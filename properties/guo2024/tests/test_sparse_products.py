"""Intervals hold sparse norms over all supports, products are those written out, and laws agree with samples."""

import itertools
import math

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.operators import operator_norm
from properties.guo2024.layer_changes import leaky_start
from properties.guo2024.sparse_products import (
    HeavyEntries,
    SmallEntries,
    feature_products,
    layer_products,
    leaky_back_products,
    sparse_operator_norm,
)


@pytest.mark.parametrize("s", [1, 2, 3])
def test_the_interval_holds_the_largest_norm_of_any_support(s: int) -> None:
    A = np.random.default_rng(s).standard_normal((7, 9))
    exact = max(operator_norm(A[:, list(chosen)]) for chosen in itertools.combinations(range(9), s))
    low, high = sparse_operator_norm(A, s)
    assert low <= exact * (1.0 + 1e-12)
    assert exact <= high * (1.0 + 1e-12)
    assert high <= 1.5 * low
    assert s > 1 or low == pytest.approx(high)


def test_products_are_those_written_out() -> None:
    net, x = leaky_start(np.random.default_rng(0), 6, 3, -0.5, outputs=2)
    fwd = forward(net, x)
    first, second, third = (W.T for W in net.weights)
    D0, D1, D2, D3 = (np.diag(mask[0]) for mask in fwd.masks)
    assert layer_products(net, fwd)[0] == pytest.approx(third @ D2)
    assert layer_products(net, fwd)[2] == pytest.approx(third @ D2 @ second @ D1 @ first @ D0)
    assert feature_products(net, fwd, gated=False)[1] == pytest.approx(third @ D2 @ second)
    assert feature_products(net, fwd, gated=True)[2] == pytest.approx(D3 @ third @ D2 @ second @ D1 @ first)
    assert leaky_back_products(net, fwd)[1] == pytest.approx(net.v.T @ D3 @ third @ D2 @ second)


def test_the_number_of_small_entries_has_the_law_of_samples() -> None:
    rng, law = np.random.default_rng(1), SmallEntries(50, 1.5, 0.1)
    counts = np.count_nonzero(np.abs(rng.standard_normal((4000, 50))) * 1.5 * math.sqrt(2.0 / 50) < 0.1, axis=1)
    assert law.exceeds(13.0) == pytest.approx(np.mean(counts > 13), abs=0.03)


@pytest.mark.parametrize("mass", [0.02, 0.1])
def test_the_mass_of_heavy_entries_lies_between_its_bounds(mass: float) -> None:
    rng, law = np.random.default_rng(2), HeavyEntries(1000, 1.4)
    y = rng.standard_normal((2000, 1000)) * math.sqrt(2.0 / 1000)
    heavy = np.where(np.abs(y) >= 1.4 * math.sqrt(math.log(1000) / 1000), y, 0.0)
    found = np.mean(np.sum(heavy**2, axis=1) > mass)
    tail = law.exceeds(mass)
    assert tail.lower - 0.03 <= found <= tail.upper + 0.03
    assert law.deviations == pytest.approx(1.4 * math.sqrt(math.log(1000) / 2.0))
