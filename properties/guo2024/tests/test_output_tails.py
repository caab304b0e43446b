"""Brackets hold what drawn outputs do."""

import numpy as np
import pytest

from bounds.laws.leaky_layers import LeakyChiSquare
from properties.guo2024.output_tails import antipode_exceeds, norm_off, output_below, output_exceeds


@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("slope", [-1.0, 0.0, 0.5])
def test_brackets_hold_what_drawn_outputs_do(slope: float, outputs: int) -> None:
    rng, m, L = np.random.default_rng(0), 8000, 2
    norms = LeakyChiSquare(m, -1.0).sample(rng, 20000) * LeakyChiSquare(m, slope).sample(rng, (20000, L)).prod(axis=1)
    squares = norms * rng.chisquare(outputs, 20000) / outputs
    for level in (0.2, 1.0, 3.0):
        share = (squares > level).mean()
        above, below = output_exceeds(level, m, L, outputs), output_below(level, m, L, outputs)
        assert above.lower - 0.02 < share < above.upper + 0.02
        assert below.lower - 0.02 < 1.0 - share < below.upper + 0.02
        assert above.upper - above.lower < 0.35
    short, long = norm_off(m, L, 0.3)
    assert (norms < 0.7).mean() <= short + 0.01
    assert (norms > 1.3).mean() <= long + 0.01


def test_a_norm_is_never_below_zero() -> None:
    assert norm_off(5, 1, 1.5)[0] == 0.0


def test_outputs_at_antipodes_of_relus_are_as_drawn() -> None:
    rng, m = np.random.default_rng(1), 4000
    pre = rng.standard_normal((2000, m)) * np.sqrt(2.0 * rng.chisquare(m, (2000, 1)) / m**2)
    read = rng.standard_normal((2000, m))
    here, there = (np.sum(np.maximum(sign * pre, 0.0) * read, axis=1) for sign in (1.0, -1.0))
    for level in (0.5, 2.0, 5.0):
        share = (there**2 - here**2 > level).mean()
        found = antipode_exceeds(level, m)
        assert found.lower - 0.02 < share < found.upper + 0.02
        assert found.lower > 0.1 * share
