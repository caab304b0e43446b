"""The front of the page: how a run came out, papers that no record lists, and the widths that theorems ask for."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theory.claims import registry
from theory.core.statements import Paper, StatementError
from theory.core.verdict import Verdict
from theory.judging.judge import Row
from theory.papers import papers
from theory.reports.ledger import to_json
from theory.reports.page.front import LONGEST, at_power, front, lanes, readable
from theory.reports.page.widths import BETWEEN, BEYOND, COMPUTED, GRID, Table, between, condensed, known, standing
from theory.reports.page.words import ALSO, field_words
from theory.reports.solving import Solvers
from theory.tests.test_page import SUITE, made, toy
from theory.upkeep.theorem_widths import measured


def own(title: str = "own", **given: Any) -> Row:
    """The row of a claim of a paper that no record lists."""
    row = toy(title)
    return replace(row, claim=replace(row.claim, id="mine:lemma-1", statement="mine:lemma-1", paper="mine", **given))


def test_a_run_that_came_out_as_expected_passed_and_any_other_failed() -> None:
    assert "<strong>passed</strong> <span>the claim came out as expected" in made([toy()])
    wrong = replace(toy(), claim=replace(toy().claim, expected=Verdict.REFUTED))
    text = made([wrong])
    assert "<strong>failed</strong>" in text
    assert (
        f'<a href="#{wrong.claim.id}">{wrong.claim.id}</a>: <b class="chip v-holds">holds</b> where refuted is' in text
    )
    assert "1 January 2020, commit <code>abc</code>" in text


def test_the_page_opens_with_what_was_tested_of_each_theorem_its_verdict_and_its_largest_cell() -> None:
    claim = replace(toy().claim, id="zou2018:theorem-4.1", statement="zou2018:theorem-4.1", printed=True)
    text = made([replace(toy(), claim=claim)])
    assert text.index('id="tested-h"') < text.index(">Theorem 4.1</a>") < text.index("Claims by verdict")
    printed, passing, verdict = text.split(">Theorem 4.1</a>")[1].split("</table>")[0].split("<td>")[1:]
    assert printed == '<b class="chip v-holds">holds</b>'
    assert ">as printed</abbr>" in passing
    assert verdict.strip() == '<b class="chip v-holds">holds</b> <small><abbr title="m = 4..8">m = 8</abbr></small>'
    assert front(to_json([replace(toy(), claim=claim)], SUITE))["tested"] == {"zou2018": {"as printed": "1 (1 unseen)"}}


def test_of_papers_without_a_theorem_that_was_judged_nothing_is_counted() -> None:
    text = made([own()])
    assert 'id="tested-h"' not in text
    assert "<h3>Papers</h3>" in text


def test_every_verdict_has_its_line_and_so_have_control_power_and_trivial() -> None:
    text = made([toy()])
    for word in (*(str(verdict) for verdict in Verdict), "control", "power", "trivial"):
        assert f">{word}</b>" in text


def test_a_paper_that_no_record_lists_is_counted_and_can_be_chosen() -> None:
    text = made([own(), toy()])
    assert '<a href="#claims?paper=mine">mine</a>' in text
    assert "<option>mine" in text
    assert [(p["key"], p["claims"]) for p in front(to_json([own(), toy()], SUITE))["papers"]] == [
        ("mine", 1),
        ("zou2018", 1),
    ]


def test_no_paper_is_told_of_that_was_not_asked_for() -> None:
    ledger = to_json([own()], SUITE)
    assert ledger["papers"] == {}
    assert ledger["main_theorems"] == []
    assert set(to_json([toy()], SUITE)["papers"]) == {"zou2018"}
    assert set(to_json([toy()], replace(SUITE, missing=("guo2024:lemma-1",)))["papers"]) == {"zou2018", "guo2024"}
    assert "zou2018" not in made([own()])


def test_claims_of_ones_own_are_judged_again_by_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    below = own(file=str(tmp_path / "claims" / "test_mine.py"))
    assert below.again.startswith("lemmata check claims/test_mine.py --claim mine:lemma-1 --seed 0")
    elsewhere = own(file="/elsewhere/test_mine.py")
    assert elsewhere.reproduce.startswith("lemmata check /elsewhere/test_mine.py --claim mine:lemma-1 --seed 0")
    assert toy().reproduce.startswith("pytest --claim ")


def test_every_paper_can_be_read_somewhere() -> None:
    assert all(paper.url.startswith("https://arxiv.org/abs/") for paper in papers().values())
    with pytest.raises(StatementError, match="give one that starts with https://"):
        Paper("mine", "title", (), 2020, (), url="javascript:alert(1)")


def test_words_of_the_field_are_about_themes_and_kinds_that_there_are() -> None:
    assert set(ALSO) <= set(field_words())
    assert "semi-smooth" in field_words()["semi_smoothness"]


class TestWidths:
    @pytest.mark.reads_claims
    def test_the_table_has_every_theorem_with_a_claim_of_its_own(self) -> None:
        claimed = {claim.statement for claim in registry.load_claims(Path("properties/zou2018"))}
        main = {s.id for s in papers()["zou2018"].statements if s.label.startswith(("Theorem", "Corollary"))}
        assert main & claimed == {name for name in known() if name.startswith("zou2018:")}
        for table in known().values():
            assert len(table.powers) == math.prod(len(GRID[name]) for name in table.sizes)
        assert {name: list(values) for name, values in GRID.items()} == _written_grid()

    @pytest.mark.reads_claims
    def test_it_is_what_a_plan_gives(self) -> None:
        claims = [c for c in registry.load_claims(Path("properties/zou2018")) if c.id.startswith("zou2018:")]
        point = {"n": 100, "phi": 0.05, "L": 4, "delta": 0.1, "outputs": 10, "d": 10}
        found = measured(claims, point, Solvers())
        assert found == {name: between(table, point) for name, table in known().items() if name in found}

    @pytest.mark.reads_claims
    def test_between_its_points_and_beyond_them_powers_are_near_those_of_a_plan(self) -> None:
        claims = [c for c in registry.load_claims(Path("properties/zou2018")) if c.id.startswith("zou2018:")]
        for at in (
            {"n": 1797, "phi": 0.02, "L": 3, "delta": 0.01, "outputs": 3, "d": 64},
            {"n": 10**5, "phi": 0.3, "L": 12, "delta": 1e-4, "outputs": 100, "d": 1000},
        ):
            for name, power in measured(claims, at, Solvers()).items():
                about = between(known()[name], at)
                if power is not None and about is not None and not math.isnan(about):
                    assert abs(about - power) <= max(0.5, 0.02 * power), name

    def test_a_grid_of_lines_is_followed_exactly(self) -> None:
        lines = [
            2.0 + math.log10(n) * (1.0 + layers) - 3.0 * math.log10(phi) - 0.1 * math.log10(delta)
            for n, phi, layers, delta, *_ in itertools.product(*GRID.values())
        ]
        table = condensed(lines)
        at = {"n": 5000, "phi": 0.2, "L": 3, "delta": 0.01}
        assert between(table, at) == pytest.approx(2.0 + 4.0 * math.log10(5000) - 3.0 * math.log10(0.2) + 0.2)
        lacking = replace(table, powers=(None, *table.powers[1:]))
        first = {name: values[0] for name, values in GRID.items()}
        assert between(lacking, first) is None
        assert math.isnan(between(lacking, {**first, "n": 20}) or 0.0)
        assert between(lacking, {**first, "n": 200}) is not None
        assert table.sizes == ("n", "phi", "L", "delta")

    def test_what_is_computed_is_told_from_what_is_interpolated_and_from_what_is_beyond(self) -> None:
        table, first = Table(("n", "L"), (1.0,) * 9), {name: values[0] for name, values in GRID.items()}
        asked = [{"L": 8}, {"n": 11}, {"L": 9}, {"d": 100}, {"d": 1}]
        assert [standing(table, first | at) for at in asked] == [COMPUTED, BETWEEN, BEYOND, COMPUTED, BEYOND]

    def test_marks_that_would_touch_stand_in_rows(self) -> None:
        theorems = [{"id": f"zou2018:{k}", "label": str(k), "printed": "holds"} for k in range(4)]
        (lane,) = lanes(theorems, {"zou2018:0": 3.0, "zou2018:1": 3.0, "zou2018:2": 300.0, "zou2018:3": None})
        assert [(dot["row"], dot["at"]) for dot in lane["dots"][:2]] == [(0, at_power(3.0)), (1, at_power(3.0))]
        assert lane["dots"][2]["row"] == 0
        assert (lane["rows"], lane["without"]) == (2, ["3"])
        assert (at_power(0.0), at_power(LONGEST)) == (0.0, 100.0)

    def test_widths_are_read_as_numbers_and_then_as_powers_of_ten(self) -> None:
        said = [readable(power) for power in (None, math.nan, 0.0, 2.0, 5.5, 181.3)]
        assert said == [
            "no width at these sizes",
            "not known here",
            "any width",
            "m ≥ 100",
            "m ≥ 316,228",
            "m ≥ 10^181",
        ]


def _written_grid() -> Any:
    file = Path(__file__).parents[1] / "reports" / "page" / "theorem_widths.json"
    return json.loads(file.read_text(encoding="utf-8"))["grid"]
