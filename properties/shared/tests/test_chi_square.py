"""Logarithms of tails are those of scipy where it has digits, and finite where it has none."""

import math

import pytest
import scipy

from properties.shared.chi_square import log_chi_square_tail


def test_logarithms_of_tails() -> None:
    assert log_chi_square_tail(30.0, 3) == pytest.approx(scipy.stats.chi2.logsf(30.0, 3), rel=1e-12)
    assert log_chi_square_tail(6000.0, 2) == pytest.approx(-3000.0, rel=1e-14)
    assert math.isfinite(log_chi_square_tail(1e8, 1))
