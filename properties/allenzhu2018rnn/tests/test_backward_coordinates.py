"""Backward sums are products written out, their variance is that over many read-outs, and laws are those of samples."""

import math
from dataclasses import replace

import numpy as np
import pytest

from properties.allenzhu2018rnn.backward_coordinates import (
    LATER_LOSSES,
    SmallCoordinates,
    backward_sum,
    fixed_losses,
    least_varied,
)
from properties.allenzhu2018rnn.sparse_norms import started


@pytest.mark.parametrize("name", LATER_LOSSES)
def test_losses_are_largest_at_their_time(name: str) -> None:
    losses = fixed_losses(name, 5, 3, 3, np.random.default_rng(0))
    norms = np.linalg.norm(losses, axis=1)
    assert norms[:2] == pytest.approx(0.0)
    assert norms[2] == pytest.approx(1.0)
    assert norms.max() <= 1.0 + 1e-12


def test_unknown_losses_are_refused() -> None:
    with pytest.raises(ValueError, match="choose among"):
        fixed_losses("large", 3, 1, 2, np.random.default_rng(0))


def test_backward_sums_are_those_written_out() -> None:
    rng = np.random.default_rng(1)
    net, fwd = started(rng, 6, 4, 2, 3)
    losses = fixed_losses("drawn", 4, 3, 2, rng)
    W, B = net.weights[0].T, net.v.T
    D = [np.diag(mask[0]) for mask in fwd.masks]
    backs = [B, B @ D[2] @ W, B @ D[3] @ W @ D[2] @ W]
    written = sum(back.T @ loss for back, loss in zip(backs, losses[1:], strict=True))
    assert backward_sum(net, fwd, losses, 2) == pytest.approx(written)
    assert backward_sum(net, fwd, losses, 4) == pytest.approx(B.T @ losses[3])


def test_the_least_varied_neurons_vary_least_over_many_read_outs() -> None:
    rng = np.random.default_rng(2)
    net, fwd = started(rng, 6, 3, 1, 2)
    losses = fixed_losses("opposed", 3, 2, 2, rng)
    drawn = [
        backward_sum(replace(net, readout=rng.normal(0.0, math.sqrt(0.5), (6, 2))), fwd, losses, 2) for _ in range(4000)
    ]
    variances = np.var(drawn, axis=0)
    order = least_varied(net, fwd, losses, 2, 6)
    assert np.all(np.diff(variances[order]) > -0.1 * variances.max())
    assert sorted(order) == list(range(6))
    assert list(least_varied(net, fwd, losses, 2, 2)) == list(order[:2])


def test_of_a_revealed_matrix_the_most_active_neurons_are_taken() -> None:
    rng = np.random.default_rng(4)
    net, fwd = started(rng, 20, 3, 1, stored=0)
    chosen = least_varied(net, fwd, fixed_losses("equal", 3, 1, 2, rng), 2, 3)
    assert set(chosen) == set(np.argsort(fwd.pre[1][0])[-3:])


def test_the_number_of_small_coordinates_has_the_law_of_samples() -> None:
    rng, law = np.random.default_rng(3), SmallCoordinates(40, 0.2)
    counts = np.count_nonzero(np.abs(rng.standard_normal((4000, 40))) < 0.2, axis=1)
    assert law.exceeds(7.0) == pytest.approx(np.mean(counts > 7), abs=0.03)
