"""Where a path rests: at rounding, on the spot, never, or lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nets.descent.rest import LOST, UntilRest


@dataclass
class At:
    loss: float


def falling(factor: float, first: float = 1.0) -> Iterator[At]:
    while True:
        yield At(first)
        first *= factor


def test_a_path_rests_with_the_first_step_that_is_lost_in_rounding() -> None:
    walk = UntilRest(falling(0.5), 100, lambda loss: 0.1)
    assert [at.loss for at in walk] == [1.0, 0.5, 0.25, 0.125, 0.0625]
    assert (walk.taken, walk.rested) == (4, True)


def test_a_path_that_does_not_move_rests_after_one_step() -> None:
    walk = UntilRest(falling(1.0), 100, lambda loss: 0.0)
    assert (len(list(walk)), walk.taken, walk.rested) == (2, 1, True)


def test_a_path_that_still_falls_is_left() -> None:
    walk = UntilRest(falling(0.5), 3, lambda loss: 0.0)
    assert (len(list(walk)), walk.taken, walk.rested) == (4, 3, False)
    assert [at.loss for at in UntilRest(falling(0.5), 0, lambda loss: 0.0)] == [1.0]


def test_a_path_that_is_lost_is_left_where_it_is_and_does_not_rest() -> None:
    for factor in (1e3, float("inf"), float("nan")):
        walk = UntilRest(falling(factor), 100, lambda loss: 0.0)
        last = list(walk)[-1].loss
        assert not walk.rested
        assert not last <= LOST
        assert walk.taken <= 3
