"""Options of the claims that are off are refused in one line, before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from theory.claims.selection import SelectionError
from theory.core.choices import TIME_LIMIT
from theory.surface.options import Options, count

USUAL: dict[str, Any] = {
    **dict.fromkeys(("ledger", "data", "journal", "compare", "plot", "bound", "scheduler", "timeout")),
    "needs": False,
    "resume": False,
    "effort": "quick",
    "backend": "loky",
    "jobs": "1",
    "seed": "0",
    "at": "",
    "claim": [],
    "paper": [],
    "theme": [],
}


def options(**given: Any) -> Options:
    """The options of a session, the usual ones but for those given."""
    asked = {**USUAL, **given}

    def getoption(name: str, default: Any = None) -> Any:
        return asked.get(name, default)

    return Options(SimpleNamespace(getoption=getoption, rootpath=Path("/somewhere")))  # type: ignore[arg-type]


def test_the_usual_ones_are_accepted() -> None:
    options().check()
    assert not options().selects
    assert options(paper=["zou2018"]).selects


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": ""}, "--data: it is empty, as an unset variable of the shell is; give a name or none"),
        ({"effort": "quik"}, "--effort: no level 'quik'; nearest: quick"),
        ({"backend": "lokey"}, "--backend: no 'lokey'; nearest: loky"),
        ({"scheduler": "host:1"}, "--scheduler: only dask has one; add --backend dask"),
        ({"jobs": "two"}, "--jobs: 'two' is no integer; write a number from 1 up"),
        ({"jobs": "0"}, "--jobs: 0 is too small; write a number from 1 up"),
        ({"seed": "-1"}, "--seed: -1 is too small; write a number from 0 up"),
        ({"timeout": "soon"}, "--timeout: 'soon' is no number of seconds; write one, or 0 for no limit"),
        ({"compare": "old"}, "--compare: the changes stand on the page of a ledger; add --ledger DIR"),
        ({"expect": "refuted"}, "--expect: 'refuted' says no number and verdict; write them as in 'ratio 0.97, holds'"),
        ({"resume": True}, "--resume: a run at quick effort keeps no journal; add --effort thorough or nightly"),
        ({"needs": True, "seed": "3"}, "--seed: --needs judges nothing, so that nothing is drawn; leave one of both"),
    ],
)
def test_one_that_is_off_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SelectionError) as caught:
        options(**given).check()
    assert str(caught.value).startswith(said)


def test_a_long_run_keeps_a_journal_and_has_more_time() -> None:
    assert options().journal_file() is None
    assert options(effort="nightly").journal_file() == Path("/somewhere/.lemmata/journal.jsonl")
    assert options(effort="nightly", journal="mine").journal_file() == Path("mine")
    assert [options(effort=effort).time_limit() for effort in TIME_LIMIT] == list(TIME_LIMIT.values())
    assert options(timeout="0.5").time_limit() == 0.5


def test_a_fresh_seed_is_drawn() -> None:
    assert options(seed="17").seed() == 17
    assert len({options(seed="fresh").seed() for _ in range(4)}) > 1


def test_a_number_is_read() -> None:
    assert count("jobs", "3", 1) == 3
