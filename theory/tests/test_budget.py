"""Shares of the false-alarm budget never exceed it, are the same for all, and do not depend on the selection."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import select
from theory.core.budget import FALSE_ALARM_BUDGET, ROOM, shares
from theory.tests.fakes import declared


@pytest.fixture
def suite() -> Iterator[list[Claim]]:
    with ExitStack() as stack:
        for index in range(5):
            stack.enter_context(declared(lambda m: 0.5, statement=f"toy:{index}"))
        yield [c for c in registry.claims() if c.paper == "toy"]


def test_a_full_suite_spends_the_budget_and_no_other_more_than_it() -> None:
    assert FALSE_ALARM_BUDGET == 1e-6
    for count, part in ((ROOM, 1.0), (2 * ROOM, 1.0), (ROOM + 1, (ROOM + 1) / (2 * ROOM)), (1, 1 / ROOM)):
        alphas = shares(SimpleNamespace(id=f"toy:{k}") for k in range(count))
        assert math.fsum(alphas.values()) == pytest.approx(part * FALSE_ALARM_BUDGET, rel=1e-12)


def test_all_claims_have_the_same_which_one_more_leaves_as_it_is(suite: list[Claim]) -> None:
    assert set(shares(suite).values()) == set(shares(suite[:-1]).values()) == {FALSE_ALARM_BUDGET / ROOM}


def test_a_selection_spends_only_its_share(suite: list[Claim]) -> None:
    """The share of a claim is fixed by the whole suite, so that it is judged alone as in company."""
    whole = shares(suite)
    chosen = select(suite, ids=["toy:[01]"])
    assert [c.id for c in chosen] == ["toy:0", "toy:1"]
    assert math.fsum(whole[c.id] for c in chosen) == pytest.approx(FALSE_ALARM_BUDGET * 2 / ROOM)
    assert shares(reversed(suite)) == pytest.approx(whole)


def test_an_empty_suite_has_none() -> None:
    assert shares([]) == {}
