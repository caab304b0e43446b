"""Losses that fall by what a recursion asks, held against sums by hand."""

import pytest

from properties.zou2018.recursions import loss_after


def test_a_constant_decrease_is_taken_as_often_as_asked() -> None:
    assert loss_after(1.0, lambda _: 0.125, 3) == (0.625, 3)
    assert loss_after(1.0, lambda _: 0.125, 0) == (1.0, 0)


def test_a_share_of_the_loss_falls_geometrically() -> None:
    assert loss_after(3.0, lambda loss: 0.5 * loss, 10) == (3.0 / 1024, 10)


@pytest.mark.parametrize("decrease", [1.0, 2.0])
def test_a_step_that_would_end_the_loss_is_not_taken(decrease: float) -> None:
    """From 1 down to exactly 0, or below: no step; from 2.5 in steps of 1, two of them."""
    assert loss_after(1.0, lambda _: decrease, 5) == (1.0, 0)
    assert loss_after(2.5, lambda _: 1.0, 5) == (0.5, 2)


def test_a_decrease_that_is_not_a_number_ends_the_recursion() -> None:
    assert loss_after(1.0, lambda _: float("nan"), 5) == (1.0, 0)
