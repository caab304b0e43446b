"""Versions side by side: exponents from the formulas, and bounds of all at the places of the first."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from theory.claims.regime import Regime, grid
from theory.core.statements import THEMES, UNSORTED, Paper, StatementError, Version
from theory.evidence import Scaling
from theory.judging.judge import Row
from theory.papers import papers
from theory.reports import versions
from theory.reports.versions import SIZES, Group, groups, side_by_side
from theory.tests.fakes import FakeBound, chosen, entries_of_the_suite, row


def of(paper: str, bound: FakeBound) -> Row:
    found = row(lambda m, L: float(m), bound=bound, regime=Regime(cells=grid(m=[4, 8, 16, 32], L=2)))
    return replace(found, claim=replace(found.claim, id=f"{paper}:lemma"))


@pytest.fixture
def group(monkeypatch: pytest.MonkeyPatch) -> Group:
    renamed: dict[str, dict[str, str | float]] = {"b:lemma": {"M": "m", "t": 3.0}}
    claims = ("a:lemma", "b:lemma", "c:lemma")
    made = Group("one thing", "separation", tuple(Version("", c, renamed=renamed.get(c, {})) for c in claims))
    monkeypatch.setattr(versions, "groups", lambda: [made])
    return made


def test_bounds_stand_beside_the_first_one_under_their_own_names(group: Group) -> None:
    first = of("a", FakeBound(lambda m, L: 2.0 * m * L, "2*m*L", slopes={"m": 1.0, "L": 1.0}))
    bound = FakeBound(lambda M, t: t * M**2, "t*M**2", slopes={"M": 2.0, "t": 1.0})
    second = row(lambda M, t: float(M), bound=bound, regime=Regime(cells=grid(M=[4], t=9)))
    second = replace(second, claim=replace(second.claim, id="b:lemma"))
    (found,) = side_by_side([first, second])
    assert [version["claim"] for version in found["versions"]] == ["a:lemma", "b:lemma"]
    assert [entry["at"] for entry in found["beside"]] == [{"m": m, "L": 2} for m in (4, 8, 16, 32)]
    for entry in found["beside"]:
        m = entry["at"]["m"]
        assert entry["measured"] == m
        assert entry["bounds"] == {"a:lemma": 4.0 * m, "b:lemma": 3.0 * m**2}


def test_versions_that_stand_beside_nothing_are_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = Version("", "b:lemma", apart="about another thing")
    group = Group("one thing", "separation", (Version("", "a:lemma"), apart, Version("", "c:lemma")))
    monkeypatch.setattr(versions, "groups", lambda: [group])
    first = of("a", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))
    bound = FakeBound(lambda t: 2.0 * t, "2*t", slopes={"t": 1.0})
    needing = row(lambda t: 1.0, bound=bound, regime=Regime(cells=grid(t=[1, 2])))
    needing = replace(needing, claim=replace(needing.claim, id="c:lemma"))
    (found,) = side_by_side([first, of("b", FakeBound(lambda m: m, "m", slopes={"m": 1.0})), needing])
    assert found["beside"] == []
    assert found["absent"] == {
        "b:lemma": "its bound is about another thing",
        "c:lemma": "its bound depends on t where a:lemma was measured",
    }


def test_the_measured_exponent_is_the_claimed_one_moved_by_the_slope_of_the_ratio(group: Group) -> None:
    first = of("a", FakeBound(lambda m: m**2.0, "m**2", slopes={"m": 2.0}))
    (found,) = side_by_side([first, of("b", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))])
    exponents = found["versions"][0]["exponents"]["m"]
    assert exponents["claimed"] == 2.0
    assert exponents["measured"] == pytest.approx(1.0)
    assert exponents["low"] <= 1.0 + 1e-9
    assert exponents["high"] >= 1.0 - 1e-9


def test_fitted_exponents_are_taken_as_they_are(group: Group) -> None:
    def width(rng: np.random.Generator, m: int) -> float:
        return m * math.exp(0.01 * float(rng.standard_normal()))

    bound = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})
    regime = Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16]))
    fitted = row(width, evidence=Scaling({"m": "equal"}, constant="C"), bound=bound, regime=regime)
    fitted = replace(fitted, claim=replace(fitted.claim, id="a:lemma"))
    (found,) = side_by_side([fitted, of("b", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))])
    assert found["versions"][0]["exponents"]["m"]["measured"] == fitted.evidence.exponents["m"]["measured"]


def test_of_two_names_of_a_size_the_fitted_one_counts_also_where_the_bound_lacks_it(group: Group) -> None:
    def depth(rng: np.random.Generator, l: int, L: int) -> float:  # noqa: E741
        return L * math.exp(0.01 * float(rng.standard_normal()))

    bound = FakeBound(lambda L, C: C * L, "C*L", {"C": chosen(1.0)}, {"L": 1.0})
    regime = Regime(cells=grid(L=2, l=[64, 256]), calibration=grid(L=2, l=[4, 16]))
    fitted = row(depth, evidence=Scaling({"l": "equal"}, constant="C"), bound=bound, regime=regime)
    fitted = replace(fitted, claim=replace(fitted.claim, id="a:lemma"))
    (found,) = side_by_side([fitted, of("b", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))])
    exponents = found["versions"][0]["exponents"]["L"]
    assert exponents["claimed"] == 0.0
    assert exponents["measured"] == fitted.evidence.exponents["l"]["measured"]


def test_the_depth_of_a_chain_of_powers_stands_in_the_column_of_the_depth(group: Group) -> None:
    bound = FakeBound(lambda depth: depth**15.0, "depth**15", slopes={"depth": 15.0})
    first = row(lambda depth: float(depth), bound=bound, regime=Regime(cells=grid(depth=[2, 3])))
    first = replace(first, claim=replace(first.claim, id="a:lemma"))
    (found,) = side_by_side([first, of("b", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))])
    assert found["versions"][0]["exponents"]["L"]["claimed"] == 15.0


def test_a_group_of_which_one_was_judged_is_left_out(group: Group) -> None:
    assert side_by_side([of("a", FakeBound(lambda m: 2.0 * m, "2*m", slopes={"m": 1.0}))]) == []
    assert json.dumps(side_by_side([])) == "[]"


def test_every_theme_of_the_suite_has_a_group_but_experiments_which_one_paper_has() -> None:
    assert {group.theme for group in groups()} == set(THEMES) - {"experiments", UNSORTED}


@pytest.mark.reads_claims
def test_every_group_names_claims_of_several_papers_that_there_are() -> None:
    ids = {entry.id for entry in entries_of_the_suite()}
    for group in groups():
        claims = [version.claim for version in group.versions]
        assert set(claims) <= ids, set(claims) - ids
        assert len(claims) == len(set(claims))
        assert len({identifier.split(":")[0] for identifier in claims}) > 1
        assert not group.versions[0].renamed
        assert [version.claim for version in group.versions if version.theme] == claims[:1]
        assert not group.versions[0].apart
    declared = [version for paper in papers().values() for version in paper.versions]
    assert len(declared) == sum(len(group.versions) for group in groups()) > 60
    assert all(names for names in SIZES.values())


def test_papers_declare_versions_by_presence_and_the_one_that_leads_stands_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def paper(key: str, *of: Version) -> Paper:
        return Paper(key, key, ("A. Author",), 2020, (), of)

    leading = Version("a thing", "b:lemma-2", theme="ntk")
    of_a = Version("a thing", "a:lemma-1", renamed={"n": "m"})
    known = {"a": paper("a", of_a, Version("alone", "a:lemma-9")), "b": paper("b", leading)}
    monkeypatch.setattr(versions, "papers", lambda: known)
    assert groups() == [Group("a thing", "ntk", (leading, of_a))]


def test_the_four_forms_of_semi_smoothness_stand_together() -> None:
    (group,) = [group for group in groups() if "semi-smoothness" in group.title]
    of = ["allenzhu2018rnn", "frei2019", "guo2024", "zou2018"]
    assert sorted(version.claim.split(":")[0] for version in group.versions) == of


def test_slips_in_a_version_are_refused() -> None:
    with pytest.raises(StatementError, match="unknown theme 'nothing'"):
        Version("a thing", "a:lemma-1", theme="nothing")
    with pytest.raises(StatementError, match="the version b:lemma-1 stands in paper a"):
        Paper("a", "title", ("A. Author",), 2020, (), (Version("a thing", "b:lemma-1"),))
