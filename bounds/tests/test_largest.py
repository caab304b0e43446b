"""The largest value of a symbol at which premises hold."""

import pytest

from bounds.decisions.region import UndecidedSizeError, largest
from bounds.formula import premise


def test_the_largest_integer_is_exact() -> None:
    assert largest([premise("L**2 <= n", {})], "L", {"n": 10**12 + 1}, 1, 10**18) == 10**6


def test_the_largest_real_number_meets_the_premise_and_is_its_end() -> None:
    rule = premise("eta <= 1/(3*m)", {})
    found = largest([rule], "eta", {"m": 10**80}, 1e-300, 1.0)
    assert found == pytest.approx(1e-80 / 3, rel=1e-11)
    assert rule.certainly({"eta": found, "m": 10**80}) is True


def test_none_where_no_value_holds_and_the_end_where_all_do() -> None:
    assert largest([premise("L >= n", {})], "L", {"n": 50}, 1, 40) is None
    assert largest([premise("L >= n", {})], "L", {"n": 5}, 1, 40) == 40


def test_too_few_ranges_are_told() -> None:
    with pytest.raises(UndecidedSizeError, match="no largest eta"):
        largest([premise("eta <= 1/m", {})], "eta", {"m": 7}, 1e-300, 1.0, boxes=5)
