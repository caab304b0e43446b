"""Claims judged by workers: every row arrives, in whatever order it is asked for, and so does what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from theory import ahead, registry
from theory.ahead import Ahead
from theory.claim import Claim
from theory.judge import judge
from theory.run import RunConfig
from theory.tests.fakes import ALPHA, declared


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge in this process: a worker knows nothing of claims that exist for one test only."""

    def run(tasks: Any) -> Iterator[Any]:
        return iter([function(*arguments, **keywords) for function, arguments, keywords in tasks])

    monkeypatch.setattr(ahead.joblib, "Parallel", lambda **options: run)


def _failing(m: int) -> float:
    raise ArithmeticError("no number")


@pytest.mark.usefixtures("here")
def test_rows_are_those_of_this_process_in_any_order() -> None:
    with declared(lambda m: 0.5, statement="toy:a") as one, declared(lambda m: 2.0, statement="toy:b") as two:
        rows = Ahead([one, two], RunConfig(jobs=2), {"toy:a": ALPHA, "toy:b": ALPHA})
        for claim in (two, one, two):
            found, wanted = rows.row(claim), judge(claim, RunConfig(jobs=2), ALPHA)
            assert (found.claim, found.config) == (wanted.claim, wanted.config)
            assert (found.verdict, found.evidence.power) == (wanted.verdict, wanted.evidence.power)


@pytest.mark.usefixtures("here")
def test_an_error_is_raised_when_the_turn_of_its_claim_comes() -> None:
    with declared(_failing, statement="toy:a") as one, declared(lambda m: 0.5, statement="toy:b") as two:
        rows = Ahead([one, two], RunConfig(jobs=2), {"toy:a": ALPHA, "toy:b": ALPHA})
        assert rows.row(two).ok
        with pytest.raises(ArithmeticError, match="no number") as caught:
            rows.row(one)
        assert "in _failing" in caught.value.__notes__[0]


@pytest.mark.usefixtures("here")
def test_a_claim_that_workers_do_not_know_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with declared(lambda m: 0.5, statement="toy:a") as made:
        unknown: Claim = made
        monkeypatch.setattr(registry, "load_claims", list)
        monkeypatch.setattr(registry, "find", lambda identifier: None)
        rows = Ahead([unknown], RunConfig(jobs=2), {"toy:a": ALPHA})
        with pytest.raises(LookupError, match="no claim toy:a is loaded in this worker"):
            rows.row(unknown)
