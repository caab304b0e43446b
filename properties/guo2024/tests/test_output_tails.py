"""Brackets hold what drawn outputs do, and logarithms of tails are those of scipy where it has digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy

from bounds.laws.leaky_layers import LeakyChiSquare
from properties.guo2024.output_tails import log_chi_square_tail, norm_off, output_below, output_exceeds


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


def test_logarithms_of_tails() -> None:
    assert log_chi_square_tail(30.0, 3) == pytest.approx(scipy.stats.chi2.logsf(30.0, 3), rel=1e-12)
    assert log_chi_square_tail(6000.0, 2) == pytest.approx(-3000.0, rel=1e-14)
    assert math.isfinite(log_chi_square_tail(1e8, 1))
