"""Implications between conditions, held against chains that are decided by hand."""

import pytest
import sympy

from bounds.decisions.powers import ChainError
from bounds.symbols import symbol
from properties.shared.implications import equivalent, implies, one_product

m, n, d = symbol("m"), symbol("n"), symbol("d")


def test_a_power_implies_a_smaller_one_and_the_step_says_so() -> None:
    step = implies("width", [m >= n**3], m >= n**2)
    assert step.holds is True
    assert "width: holds" in step.what


def test_a_power_does_not_imply_a_larger_one_and_the_step_names_a_witness() -> None:
    """With m = n^2 the target m >= n^3 is short by a factor n."""
    step = implies("width", [m >= n**2], m >= n**3)
    assert step.holds is False
    assert "m = t**2, n = t: short by t" in step.what


def test_factors_that_do_not_grow_change_nothing() -> None:
    assert implies("width", [m >= n**2], m >= 10**6 * n**2).holds is True


def test_an_implication_under_a_condition_needs_the_condition() -> None:
    assert implies("width", [], m >= n).holds is False
    assert implies("width", [], m >= n, under=[n <= 1]).holds is True


def test_relations_are_equivalent_only_if_both_steps_hold() -> None:
    both = equivalent(("one", "other"), m >= n**2, m**3 >= n**6)
    assert [step.holds for step in both] == [True, True]
    assert [step.what.split(":")[0] for step in both] == ["one gives other", "other asks for one"]
    assert [step.holds for step in equivalent(("one", "other"), m >= n**3, m >= n**2)] == [True, False]


def test_what_is_given_besides_counts_in_both_directions() -> None:
    """With n >= d and d >= n the sizes n and d are the same, without it they are not."""
    assert [step.holds for step in equivalent(("n", "d"), m >= n, m >= d)] == [False, False]
    assert [step.holds for step in equivalent(("n", "d"), m >= n, m >= d, given=[n >= d, n <= d])] == [True, True]


def test_a_condition_that_is_no_power_is_refused() -> None:
    with pytest.raises(ChainError):
        implies("width", [m >= n**2], m >= 2**n)


def test_one_product_has_each_name_once_with_the_sum_of_its_exponents() -> None:
    """(m/n)^p n^(p + 1) = m^p n, and (m^2 log m)^p m = m^(2p + 1) log(m)^p."""
    p = symbol("p")
    assert one_product((m / n) ** p * n ** (p + 1)).as_powers_dict() == {m: p, n: 1}
    assert one_product((m**2 * sympy.log(m)) ** p * m).as_powers_dict() == {m: 2 * p + 1, sympy.log(m): p}
    assert one_product(3 * sympy.sqrt(n) / (n * d)) == 3 * n ** sympy.Rational(-1, 2) / d
