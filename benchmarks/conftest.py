"""What all benchmarks share: one thread, notes beside the times, slow ones on request, and the targets at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.notes import TARGETS, Target, target_lines
from theory.running.parallel import one_thread


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option of the benchmarks."""
    group = parser.getgroup("lemmata benchmarks")
    group.addoption("--with-slow", action="store_true", help="also run benchmarks of a minute and more")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks."""
    config.stash[TARGETS] = []
    for line in (
        "slow: takes a minute or more; runs with --with-slow only",
        "peer: compares with another library",
        "headline: a full-size problem in a process of its own",
    ):
        config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is slow unless it was asked for; run peers and full-size problems last."""
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--with-slow", default=False):
            item.add_marker(pytest.mark.skip(reason="takes a minute or more: pass --with-slow"))
    items.sort(key=lambda item: sum(item.get_closest_marker(name) is not None for name in ("peer", "headline", "slow")))


@pytest.fixture(autouse=True)
def single_threaded() -> Iterator[None]:
    """Time one core, as the claims use it."""
    with one_thread():
        yield


@pytest.fixture
def targets(request: pytest.FixtureRequest) -> list[Target]:
    """Where a benchmark states what it was to reach."""
    return request.config.stash[TARGETS]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print each target beside what was measured."""
    if stated := config.stash[TARGETS]:
        terminalreporter.section("targets")
        for line in target_lines(stated):
            terminalreporter.line(line)
