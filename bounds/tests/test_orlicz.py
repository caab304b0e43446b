"""Norms by exponential moments: values in closed form, homogeneity, and what is refused."""

from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy.stats import norm

from bounds.laws.orlicz import DiscreteLaw, sub_exponential_norm, sub_gaussian_norm

SIGNS = DiscreteLaw([-1, 1], [1, 1])


def test_a_sign_has_norms_in_closed_form() -> None:
    assert sub_gaussian_norm(SIGNS).overlaps(1 / flint.arb(2).log().sqrt())
    assert sub_exponential_norm(SIGNS).overlaps(1 / flint.arb(2).log())


def test_a_constant_has_not_its_size_for_a_norm() -> None:
    assert float(sub_gaussian_norm(DiscreteLaw([3], [1]))) == pytest.approx(3 / np.sqrt(np.log(2)), rel=1e-14)


def test_a_rare_value_has_the_norm_of_its_probability() -> None:
    """1 - q + q exp(1/t^2) = 2 at 1/t^2 = log(1 + 1/q)."""
    rare = DiscreteLaw([0, 1], [99, 1])
    assert float(sub_gaussian_norm(rare)) == pytest.approx(np.log(101) ** -0.5, rel=1e-14)
    assert float(sub_exponential_norm(rare)) == pytest.approx(1 / np.log(101), rel=1e-14)


def test_enclosures_are_tight() -> None:
    assert sub_gaussian_norm(DiscreteLaw([0.5, -2.0, 1.0], [2, 1, 5])).rad() < 1e-18


def test_a_fine_grid_tends_to_the_gaussian_norm() -> None:
    places = np.arange(-6.0, 6.01, 0.25)
    counts = np.round(norm.pdf(places) * 1e10).astype(int)
    found = float(sub_gaussian_norm(DiscreteLaw(places.tolist(), counts.tolist())))
    assert found == pytest.approx(np.sqrt(8 / 3), rel=3e-3)


def test_norms_scale_with_the_variable() -> None:
    law = DiscreteLaw([0.5, -2.0, 1.0], [2, 1, 5])
    twice = DiscreteLaw([1.0, -4.0, 2.0], [2, 1, 5])
    for measure in (sub_gaussian_norm, sub_exponential_norm):
        assert float(measure(twice)) == pytest.approx(2 * float(measure(law)), rel=1e-14)


def test_zero_has_norm_zero() -> None:
    assert sub_exponential_norm(DiscreteLaw([0], [4])) == 0


def test_means_squares_and_shifts_are_exact() -> None:
    law = DiscreteLaw([0.1, -1], [1, 2])
    assert law.mean == (Fraction(0.1) - 2) / 3
    assert law.shifted(-law.mean).mean == 0
    assert list(law.squared().values) == [Fraction(0.1) ** 2, 1]


@pytest.mark.parametrize(("values", "counts"), [([], []), ([1.0], [1, 2]), ([1.0, 2.0], [1, 0])])
def test_counts_that_do_not_fit_are_refused(values: list[float], counts: list[int]) -> None:
    with pytest.raises(ValueError, match="one count >= 1 each"):
        DiscreteLaw(values, counts)
