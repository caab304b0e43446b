"""Shares of the false-alarm budget sum to it, are the same for all, and do not depend on the selection."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import select
from theory.core.budget import FALSE_ALARM_BUDGET, shares
from theory.tests.fakes import declared


@pytest.fixture
def suite() -> Iterator[list[Claim]]:
    with ExitStack() as stack:
        for index in range(5):
            stack.enter_context(declared(lambda m: 0.5, statement=f"toy:{index}"))
        yield [c for c in registry.claims() if c.paper == "toy"]


def test_they_sum_to_the_budget(suite: list[Claim]) -> None:
    assert math.fsum(shares(suite).values()) == pytest.approx(FALSE_ALARM_BUDGET, rel=1e-12)
    assert FALSE_ALARM_BUDGET == 1e-6


def test_all_claims_have_the_same(suite: list[Claim]) -> None:
    assert set(shares(suite).values()) == {FALSE_ALARM_BUDGET / 5}


def test_a_selection_spends_only_its_share(suite: list[Claim]) -> None:
    """The share of a claim is fixed by the whole suite, so that it is judged alone as in company."""
    whole = shares(suite)
    chosen = select(suite, ids=["toy:[01]"])
    assert [c.id for c in chosen] == ["toy:0", "toy:1"]
    assert math.fsum(whole[c.id] for c in chosen) == pytest.approx(FALSE_ALARM_BUDGET * 2 / 5)
    assert shares(reversed(suite)) == pytest.approx(whole)


def test_an_empty_suite_has_none() -> None:
    assert shares([]) == {}
