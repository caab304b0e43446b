"""A meter tells trials, rate and the time that is left; a terminal gets a bar and no more than its width."""

from __future__ import annotations

import pytest

from theory.core.progress import Meter, Progress


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("total", "done", "seconds", "may_stop", "told"),
    [
        (50_000, 12_300, 14.47, False, "12,300/50,000 trials, 850/s, 44 s left"),
        (50_000, 12_300, 14.47, True, "12,300/50,000 trials, 850/s, at most 44 s left"),
        (1000, 10, 100.0, False, "10/1,000 trials, 0.1/s, 2.8 h left"),
        (1000, 100, 100.0, False, "100/1,000 trials, 1/s, 15 min left"),
        (64, 64, 1e-3, True, "64/64 trials, 64,000/s, at most 0 s left"),
    ],
)
def test_rate_and_remaining_time(total: int, done: int, seconds: float, may_stop: bool, told: str) -> None:
    clock = Clock()
    meter = Meter("toy:rate", total, may_stop=may_stop, clock=clock)
    clock.now += seconds
    meter.advance(done)
    assert meter.numbers == told


def test_what_was_not_measured_now_says_nothing_of_the_rate() -> None:
    clock = Clock()
    meter = Meter("toy:rate", 1000, unit="replicates", clock=clock)
    clock.now += 1.0
    meter.advance(500, measured=False)
    assert meter.numbers == "500/1,000 replicates"
    meter.advance(100)
    assert meter.numbers == "600/1,000 replicates, 100/s, 4 s left"


def test_a_terminal_gets_a_bar_in_its_width() -> None:
    half = Progress("toy:rate at m=4", "32/64 trials", 0.5)
    assert half.drawn(200) == "[############............] 32/64 trials  toy:rate at m=4"
    assert half.drawn(30) == "[############............] 32/"
    assert half.line == "toy:rate at m=4: 32/64 trials"
    unknown = Progress("toy:all at m=4: searching")
    assert unknown.drawn(200) == unknown.line == "toy:all at m=4: searching"
