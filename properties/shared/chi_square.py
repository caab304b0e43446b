"""Tails of chi-square laws below the least float: `log_chi_square_tail`, in ball arithmetic."""

import flint

from bounds.arithmetic.balls import precision_of


def log_chi_square_tail(level: float, degrees: int) -> float:
    """log P(chi2 > level), to full accuracy however small the probability."""
    with precision_of(128):
        tail = (flint.arb(level) / 2).gamma_upper(flint.arb(degrees) / 2, regularized=1)
        return float(tail.log().mid())
