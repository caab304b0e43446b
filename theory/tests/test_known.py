"""Rows that are known are shown as they came out, and judged again where anything that they depend on has changed."""

from __future__ import annotations

import dataclasses
import os
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bounds.bound import Bound
from bounds.constant import Constant
from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Entry
from theory.core.budget import shares
from theory.core.refusal import ROOT
from theory.core.verdict import Verdict
from theory.judging import known
from theory.judging.judge import Row, judge
from theory.judging.known import Dependencies, Known
from theory.running.config import RunConfig
from theory.tests.fakes import entries_of_the_suite, for_workers, of_the_suite

TOYS = """
from theory.claims import claim, control
from theory.claims.regime import Regime, grid
from theory.evidence import Search

COMMON = dict(title="t", kind="deterministic", theme="activation", source="S", evidence=Search(examples=3),
              controls=[control("a third", bound="C*m/3")], regime=Regime(cells=grid(m=[4, 8])),
              constants={"C": (1, "above what was seen")})


@claim("toy:one", bound="C*m", **COMMON)
def one(m):
    return 0.9 * m


@claim("toy:two", bound="C*m", **COMMON)
def two(m):
    return 0.8 * m
"""
IDS = ("toy:one", "toy:two")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Sources of which the only file has the toys."""
    place = tmp_path / "properties"
    place.mkdir()
    return tmp_path


@pytest.fixture
def claims(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Claim]]:
    with for_workers(root / "properties", monkeypatch, TOYS) as found:
        yield {claim.id: claim for claim in found}


@pytest.fixture
def alphas(claims: dict[str, Claim]) -> dict[str, float]:
    return shares(claims.values())


@pytest.fixture
def rows(claims: dict[str, Claim], alphas: dict[str, float]) -> list[Row]:
    return [judge(claims[name], RunConfig(), alphas[name]) for name in IDS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "known"


class TestStore:
    def test_a_row_is_found_as_it_was_kept(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        store = Known(folder, RunConfig(), alphas, root)
        assert [store.find(row.claim) for row in rows] == [None, None]
        for row in rows:
            store.keep(row)
        again = Known(folder, RunConfig(), alphas, root)
        for row in rows:
            found = again.find(row.claim)
            assert found is not None
            assert pickle.dumps(found.finding) == pickle.dumps(pickle.loads(pickle.dumps(row.finding)))
            assert len(found.day) == len("2026-01-31")

    def test_it_is_not_known_under_another_seed_effort_or_share(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        Known(folder, RunConfig(), alphas, root).keep(rows[0])
        claim = rows[0].claim
        for config in (RunConfig(seed=1), RunConfig(effort="thorough")):
            assert Known(folder, config, alphas, root).find(claim) is None
        assert Known(folder, RunConfig(), {claim.id: 2.0 * alphas[claim.id]}, root).find(claim) is None
        assert Known(folder, RunConfig(jobs=2), alphas, root).find(claim) is not None

    def test_nothing_is_known_of_other_sizes(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        Known(folder, RunConfig(), alphas, root).keep(rows[0])
        assert Known(folder, RunConfig(at={"m": 4}), alphas, root).find(rows[0].claim) is None

    def test_what_is_not_as_expected_is_not_kept(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        wrong = dataclasses.replace(rows[0], finding=dataclasses.replace(rows[0].finding, verdict=Verdict.UNDECIDED))
        store = Known(folder, RunConfig(), alphas, root)
        store.keep(wrong)
        assert store.find(wrong.claim) is None

    def test_a_torn_or_altered_file_is_unknown(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        store = Known(folder, RunConfig(), alphas, root)
        store.keep(rows[0])
        (file,) = folder.glob("*.row")
        content = file.read_bytes()
        for other in (content[:-1], content[: len(content) // 2], b"", content[:-1] + bytes([content[-1] ^ 1])):
            file.write_bytes(other)
            assert store.find(rows[0].claim) is None

    @pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a system without this kind of permissions")
    def test_a_folder_in_which_others_write_is_not_used(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        store = Known(folder, RunConfig(), alphas, root)
        store.keep(rows[0])
        folder.chmod(0o777)
        assert Known(folder, RunConfig(), alphas, root).find(rows[0].claim) is None

    def test_a_changed_block_asks_its_claim_again_and_no_other(
        self, rows: list[Row], alphas: dict[str, float], folder: Path, root: Path
    ) -> None:
        for row in rows:
            Known(folder, RunConfig(), alphas, root).keep(row)
        (root / "properties" / "test_toy.py").write_text(TOYS.replace("0.8", "0.7"))
        again = Known(folder, RunConfig(), alphas, root)
        assert [again.find(row.claim) is not None for row in rows] == [True, False]

    def test_another_constant_of_a_sheet_asks_again(self, rows: list[Row], root: Path) -> None:
        claim, found = rows[0].claim, Dependencies(RunConfig(), root=root)
        bound = Bound(claim.bound.expr, {name: Constant(7, "another") for name in claim.bound.constants})
        other = dataclasses.replace(claim, bound=bound)
        assert found.digest(other, 1e-9) != found.digest(claim, 1e-9)


# How many definitions are changed, one after the other.
CHANGED = 200


@pytest.fixture(scope="module")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Dependencies:
    return of_the_suite(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return entries_of_the_suite()


@pytest.mark.reads_claims
class TestChanges:
    def test_each_changed_definition_asks_all_claims_again_that_reach_it_and_no_others(
        self, dependencies: Dependencies, entries: list[Entry]
    ) -> None:
        sample = random.Random(0).sample(entries, 6)
        claims = [registry.found(entry.id, entry.file) for entry in sample]
        places = {}
        for claim in claims:
            module = dependencies.sources.module_of(ROOT / claim.file)
            assert module is not None
            own = [(module.name, name) for name in module.at(claim.line)]
            reached = dependencies.sources.reached([*own, *(known.POINTS if claim.takes_data else ())])
            places[claim.id] = frozenset(reached)
        before = {claim.id: dependencies.digest(claim, 1e-9) for claim in claims}
        modules = dependencies.sources.modules
        everything = [(m.name, n) for m in modules.values() for n in m.definitions if not m.name.startswith("theory.")]
        for module_name, name in random.Random(1).sample(everything, CHANGED):
            definition = modules[module_name].definitions[name]
            was, definition.digest = definition.digest, "changed"
            dependencies.__dict__.pop("_common", None)
            after = {claim.id: dependencies.digest(claim, 1e-9) for claim in claims}
            definition.digest = was
            asked = {identifier for identifier in after if after[identifier] != before[identifier]}
            common, place = known._is_machinery(module_name), (module_name, name)
            assert asked == ({*after} if common else {i for i in after if place in places[i]}), place
        dependencies.__dict__.pop("_common", None)

    def test_a_change_of_the_judge_asks_all_again_and_one_of_a_report_none(
        self, dependencies: Dependencies, entries: list[Entry]
    ) -> None:
        claim = registry.found(entries[0].id, entries[0].file)
        before = dependencies.digest(claim, 1e-9)
        for module, asks in (("theory.judging.judge", True), ("theory.reports.report", False)):
            one = next(iter(dependencies.sources.modules[module].definitions.values()))
            was, one.digest = one.digest, "changed"
            dependencies.__dict__.pop("_common", None)
            assert (dependencies.digest(claim, 1e-9) != before) is asks
            one.digest = was
        dependencies.__dict__.pop("_common", None)


def test_the_ledger_says_of_each_row_whether_it_was_known(rows: list[Row]) -> None:
    from theory.reports import ledger, report

    suite = ledger.Suite(version="0", commit="0", effort="quick", seed=0)
    shown = [dataclasses.replace(rows[0], known="2026-01-31"), rows[1]]
    found = {entry["id"]: entry["known"] for entry in ledger.to_json(shown, suite)["claims"]}
    assert found == {IDS[0]: "2026-01-31", IDS[1]: ""}
    assert any("2026-01-31" in line for line in report.table(shown, 120))
    assert "1 of 2 rows are known, the oldest since 2026-01-31" in report.summary(shown)
