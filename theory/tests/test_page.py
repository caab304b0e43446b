"""The page of a ledger: whatever a claim is called stays text, every formula is set, every link leads somewhere."""

from __future__ import annotations

import html.parser
import itertools
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from markupsafe import Markup

from theory.claims import registry
from theory.claims.regime import Regime, grid
from theory.core.statements import STATEMENT_KINDS, Version
from theory.core.verdict import Verdict
from theory.judging.judge import Row
from theory.judging.sight import Sight
from theory.papers import papers
from theory.reports import figures, versions
from theory.reports.figures import Curve, Figure, Panel
from theory.reports.ledger import Suite, to_json, write
from theory.reports.page import page
from theory.reports.page.changes import Change, LedgerMissingError, changes, read
from theory.reports.page.drawing import TICKS, svg, ticks
from theory.reports.page.formulas import mathml
from theory.reports.page.graph import ancestors, layout
from theory.reports.page.history import history, main
from theory.reports.page.paper_view import BOX, REPAIRED, outline, paper_view
from theory.reports.versions import Group
from theory.tests.fakes import formula, row

SUITE = Suite("0.1.0", "abc", "quick", 3, started="2020-01-01T00:00:00", seconds=1.5)
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"'&"
VOID = {"meta", "input", "img", "br", "link"}
# Those that another one ends, and those that may be left open at the end of what they stand in.
ENDED = {"dt", "dd", "li", "td", "th", "tr", "option"}
LEFT_OPEN = {"p", "thead", "tbody"}


class Reader(html.parser.HTMLParser):
    """Elements by tag, the ids, the links, and what is still open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: dict[str, int] = {}
        self.ids: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.handlers: list[str] = []
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        self.sources += [given["src"]] if "src" in given else []
        self.handlers += [name for name in given if name.startswith("on")]
        if tag not in VOID | ENDED:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID | ENDED:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        while self.open[-1] in LEFT_OPEN - {tag}:
            self.open.pop()
        assert self.open.pop() == tag, (tag, self.open[-3:])


def made(rows: list[Row], suite: Suite = SUITE, **given: Any) -> str:
    return page(to_json(rows, suite), suite.figures, **given)


def test_versions_side_by_side_say_what_width_their_premises_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [toy(), toy("other")]
    pair = [replace(r, claim=replace(r.claim, id=f"zou2018:{name}")) for r, name in zip(rows, "ab", strict=True)]
    group = Group("one thing", "separation", (Version("", "zou2018:a"), Version("", "zou2018:b")))
    monkeypatch.setattr(versions, "groups", lambda: [group])
    assert ">least width" not in made(pair)
    text = made(pair, widths={"zou2018:b": "160 at L=2"})
    assert ">least width" in text
    assert text.count("160 at L=2") == 1


def toy(title: str = "toy", **block: Any) -> Row:
    """The row of a claim of a paper that there is."""
    found = row(
        lambda m: float(m), bound=formula(lambda m: 2.0 * m, "2*m"), regime=Regime(cells=grid(m=[4, 8])), **block
    )
    statement = papers()["zou2018"].statements[0].id
    return replace(
        found, claim=replace(found.claim, id=statement, statement=statement, paper="zou2018", title=title, note=title)
    )


def test_it_is_whole_and_asks_for_nothing_from_elsewhere() -> None:
    read_back = Reader(made([toy()]))
    assert read_back.open == []
    assert len(set(read_back.ids)) == len(read_back.ids)
    assert {"front", "claims", "zou2018", toy().claim.id} <= set(read_back.ids)
    assert read_back.sources == []
    assert read_back.tags["script"] == 3
    assert read_back.tags["svg"] == 2 + len(re.findall('<svg class="?key', made([toy()])))
    assert "link" not in read_back.tags
    # Where a paper can be read is a link, and nothing is asked for before it is followed.
    text = re.sub(r'href="https://arxiv\.org/abs/[\d.]+"', "", made([toy()]))
    assert not re.search(r"https?://|url\((?!#)|@import", text)


def test_every_link_leads_somewhere() -> None:
    read_back = Reader(made([toy()]))
    ids = {*read_back.ids, "main"}
    outside = {link for link in read_back.links if not link.startswith("#")}
    assert outside == {papers()["zou2018"].url}
    targets = {link[1:].split("?")[0] for link in read_back.links if link not in outside}
    statements = {s.id for s in papers()["zou2018"].statements}
    assert {t for t in targets if t not in ids and f"{t},s" not in ids} <= {
        form for e in to_json([toy()], SUITE)["papers"]["zou2018"]["errata"] for form in (*e["refuted"], *e["tested"])
    } | statements


def test_rows_without_evidence_for_their_formula_are_listed_and_marked() -> None:
    seeing, loose = (
        replace(found, finding=replace(found.finding, sight=sight))
        for found, sight in ((toy(), Sight(sees={"m": ("frozen",)})), (toy(), Sight(blind={"m": "too loose"})))
    )
    assert "no evidence for their formula" not in made([seeing])
    text = made([loose])
    assert "<strong>no evidence for their formula</strong>: 1 of the claims that pass" in text
    assert text.count("<small>formula unseen</small>") == 1


@pytest.mark.parametrize("where", ["title", "figure", "data"])
def test_hostile_names_stay_text(where: str) -> None:
    suite = SUITE
    if where == "figure":
        drawn = Figure(HOSTILE, [Panel(HOSTILE, HOSTILE, [Curve(HOSTILE, [1.0, 2.0], [1.0, 2.0])], HOSTILE)])
        suite = replace(SUITE, figures={toy().claim.id: drawn})
    if where == "data":
        suite = replace(SUITE, data=HOSTILE, what_if=HOSTILE, commit=HOSTILE)
    read_back = Reader(made([toy(HOSTILE if where == "title" else "toy")], suite))
    assert read_back.open == []
    assert read_back.tags["script"] == 3
    assert "img" not in read_back.tags
    assert read_back.handlers == []


def test_old_ledgers_are_told_against_new_ones(tmp_path: Path) -> None:
    now = to_json([toy()], SUITE)
    (claim,) = now["claims"]
    cases = {
        "turned": {**claim, "verdict": "refuted"},
        "tightened": {**claim, "worst_ratio": 0.25},
        "loosened": {**claim, "worst_ratio": 0.75},
    }
    for kind, before in cases.items():
        (found,) = changes({**now, "claims": [before]}, now)
        assert (found.kind, found.id) == (kind, claim["id"])
    assert changes(now, now) == []
    assert changes({**now, "claims": []}, now) == [Change(claim["id"], "new", "", "holds")]
    gone = {**claim, "id": "zou2018:gone"}
    assert changes({**now, "claims": [claim, gone]}, now) == [Change("zou2018:gone", "lost", "holds", "")]
    assert changes({**now, "claims": [claim, gone]}, now, selected=True) == []
    assert changes({**now, "claims": [{**claim, "worst_ratio": 0.499}]}, now) == []
    old = {**now, "claims": [gone, {**claim, "verdict": "refuted"}]}
    text = made([toy()], old=old)
    assert "zou2018:gone" in text
    assert ">turned<" in text
    (tmp_path / "ledger.json").write_text(json.dumps(old))
    assert read(tmp_path) == read(tmp_path / "ledger.json") == old


def test_what_a_claim_states_and_where_it_is_judged_is_compared_too() -> None:
    now = json.loads(json.dumps(to_json([toy()], SUITE)))
    (claim,) = now["claims"]
    premise = {"text": "m >= 4", "latex": "m", "words": "", "source": ""}
    control = {"name": "half of it", "verdict": "holds", "refuted": False}
    cells = [{**claim["cells"][0], "at": {"m": m}} for m in (4, 16, 32, 64, 128, 256)]
    cases: dict[str, tuple[dict[str, Any], str, str]] = {
        "bound": ({"bound": "3*m"}, "<= 3*m", "<= 2*m"),
        "premises": ({"premises": [premise]}, "m >= 4", ""),
        "constants": ({"evidence": {**claim["evidence"], "constants": {"C": 2.0}}}, "C = 2", ""),
        "sizes": ({"cells": cells}, "m = 16; m = 32; m = 64; and 2 more", "m = 8"),
        "controls": ({"controls": [*claim["controls"], control]}, "half of it, not caught", ""),
    }
    for kind, (other, before, after) in cases.items():
        (found,) = changes({**now, "claims": [{**claim, **other}]}, now)
        assert found == Change(claim["id"], kind, before, after)
    assert changes({**now, "claims": [{"id": claim["id"], "verdict": claim["verdict"]}]}, now) == []


def test_a_series_of_ledgers_is_a_page_of_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = json.loads(json.dumps(to_json([toy(HOSTILE)], SUITE)))
    (claim,) = first["claims"]
    second = {**first, "suite": {**first["suite"], "commit": "def", "started": "2020-02-01T00:00:00"}}
    second["claims"] = [{**claim, "verdict": "refuted", "worst_ratio": 1.25, "bound": HOSTILE}]
    third = {**second, "suite": {**second["suite"], "commit": "fed", "started": "2020-03-01T00:00:00"}}
    third["claims"] = [*second["claims"], {**claim, "id": "zou2018:new-one"}]
    text = history([third, first, second])
    reader = Reader(text)
    assert reader.open == []
    assert "script" not in reader.tags
    assert "img" not in reader.tags
    assert text.index(">abc<") < text.index(">def<") < text.index(">fed<")
    assert "another verdict: holds to refuted" in text
    assert "another bound: " in text
    assert text.count("judged for the first time: holds") == 1
    assert text.count("<svg") == 1
    assert "Nothing changed." in history([first, first])
    for number, ledger in enumerate((first, second)):
        (tmp_path / f"{number}.json").write_text(json.dumps(ledger))
    assert main([str(tmp_path / "0.json"), str(tmp_path / "1.json"), str(tmp_path / "out")]) == 0
    assert "2 runs" in (tmp_path / "out" / "history.html").read_text()
    assert main([str(tmp_path / "0.json"), str(tmp_path / "out")]) == 4
    assert main([str(tmp_path / "0.json"), str(tmp_path / "none"), str(tmp_path / "out")]) == 4
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"claims": 3}', '{"claims": [{"id": "a"}]}', '{"claims": ["a"]}'])
def test_what_is_no_ledger_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(LedgerMissingError, match=r"^--compare: [^\n]+; name [^\n]+$"):
        read(tmp_path / "other.json", "--compare")
    with pytest.raises(LedgerMissingError, match="No such file"):
        read(tmp_path / "none.json")


def test_it_is_written_beside_the_ledger_and_not_of_a_run_that_ended_early(tmp_path: Path) -> None:
    write(tmp_path, [toy()], SUITE)
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert first == made([toy()])
    write(tmp_path, [toy()], replace(SUITE, missing=("zou2018:other",), commit="later"))
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == first


def all_formulas() -> Iterator[tuple[str, str]]:
    """Of every claim of the suite its bound, its premises and the bounds of its controls."""
    for claim in registry.load_claims(Path("properties")):
        yield claim.id, claim.bound.latex
        for premise in claim.premises:
            yield claim.id, premise.latex


@pytest.mark.reads_claims
def test_every_formula_of_every_paper_is_set() -> None:
    formulas = dict.fromkeys(latex for _, latex in all_formulas())
    assert len(formulas) > 500
    for latex in formulas:
        found = mathml(latex)
        reader = Reader(found)
        assert reader.open == []
        assert set(reader.tags) <= {
            *(
                "math",
                "mrow",
                "mi",
                "mn",
                "mo",
                "mtext",
                "mspace",
                "mfrac",
                "msqrt",
                "mroot",
                "msub",
                "msup",
                "msubsup",
            ),
            *("mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded"),
        }, latex
        assert "\\" not in found, latex


def test_a_line_leaves_out_what_lies_on_a_level_way_and_keeps_gaps_and_turns() -> None:
    flat = Curve("c", [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0, 2.0])
    back = Curve("c", [1.0, 5.0, 3.0, 4.0], [1.0, 1.0, 1.0, 2.0])
    gap = Curve("c", [1.0, 2.0, 3.0, 4.0], [1.0, math.nan, 1.0, 2.0])
    for curve, expected in ((flat, "Mhl"), (back, "Mhhl"), (gap, "MMl")):
        (path,) = re.findall(r'class=line d="([^"]+)"', svg(Figure("f", [Panel("x", "y", [curve])])))
        assert re.sub(r"[^Mlhv]", "", path) == expected


def test_formulas_hold_no_tags_and_are_refused_where_they_cannot_be_read() -> None:
    assert "<script" not in mathml(r"a < b \text{<script>alert(1)</script>}")
    assert isinstance(mathml("a"), Markup)
    assert mathml(r"\frac{a}{b}") == "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"
    with pytest.raises(ValueError, match="cannot be written as MathML"):
        mathml(r"\sqrt")


def test_what_is_refuted_and_repaired_is_told_from_what_is_not() -> None:
    ledger = json.loads(json.dumps(to_json([toy()], SUITE)))
    paper = papers()["zou2018"]
    first, user = paper.statements[0].id, next(s for s in paper.statements if paper.statements[0].id in s.uses).id
    for entry in ledger["papers"]["zou2018"]["proofs"]:
        if entry["id"] == user:
            entry.update(own="holds", corrected=True, weakest="refuted", through=[first])
    for corrected, answer in ((True, REPAIRED), (False, "refuted")):
        for entry in ledger["papers"]["zou2018"]["proofs"]:
            if entry["id"] == first:
                entry.update(own="refuted", corrected=corrected)
        view = paper_view(paper, ledger, ledger["claims"])
        shown = {s["id"]: s for s in view["statements"]}
        assert (shown[first]["border"], shown[first]["fill"]) == (answer, answer)
        assert (shown[user]["border"], shown[user]["fill"]) == ("holds", answer)
        (told,) = [entry for entry in view["legend"] if entry["answer"] == answer]
        assert told["border"] == 1
        assert told["fill"] >= 2


def test_every_kind_of_statement_has_a_shape_of_its_own_around_the_origin() -> None:
    shapes = {kind: outline(kind, *BOX) for kind in STATEMENT_KINDS}
    assert len(set(shapes.values())) == len(shapes)
    assert all(re.fullmatch(r"M-?\d+ -10[-\d HVLalqz]+z", shape) for shape in shapes.values()), shapes


def test_what_can_be_focused_is_listed_once_under_its_own_name() -> None:
    row = toy()
    rows = [replace(row, claim=replace(row.claim, id=p.statements[0].id, paper=p.key)) for p in papers().values()]
    text = made(rows)
    for key, paper in papers().items():
        view = text[text.index(f"data-paper={key}>") :]
        listed = re.findall(r'<option value="([^"]+)" data-n=\d+>([^<]+)', view[: view.index("</select>")])
        assert len(listed) == sum(any(u.startswith(f"{key}:") for u in s.uses) for s in paper.statements)
        assert len(listed) == len({value for value, _ in listed}) == len({said for _, said in listed})


class TestGraph:
    USES: ClassVar[dict[str, list[str]]] = {"c": ["b", "a"], "b": ["a"], "a": [], "d": [], "e": ["elsewhere"]}

    def test_what_is_used_stands_to_the_left(self) -> None:
        places = {p.id: p for p in layout(self.USES, self.USES)}
        assert places["a"].column < places["b"].column < places["c"].column < places["d"].column
        assert set(places) == set(self.USES)

    def test_no_two_stand_at_one_place(self) -> None:
        for paper in papers().values():
            uses = {s.id: s.uses for s in paper.statements}
            places = layout(uses, uses)
            assert {p.id for p in places} == set(uses)
            for one in places:
                near = [p for p in places if p.column == one.column and abs(p.row - one.row) < 0.9]
                assert near == [one]
            columns = {p.id: p.column for p in places}
            assert all(columns[u] < columns[name] for name in uses for u in uses[name] if u in uses)

    def test_ancestors_are_nearest_first_with_their_distance(self) -> None:
        assert ancestors(self.USES, "c") == {"c": 0, "b": 1, "a": 1}
        assert ancestors(self.USES, "e") == {"e": 0}
        assert [p.id for p in layout(self.USES, ["d"])] == ["d"]
        assert layout({}, []) == []


class TestDrawing:
    def test_what_is_not_finite_leaves_a_gap_and_no_text(self) -> None:
        curve = Curve("c", [1.0, 2.0, 3.0, 4.0], [1.0, math.nan, 3.0, 4.0])
        drawn = svg(Figure("f", [Panel("x", "y", [curve])]))
        path = re.search(r'class=line d="([^"]+)"', drawn)
        assert path is not None
        assert path.group(1).count("M") == 2
        assert "nan" not in drawn.lower()
        assert svg(Figure("f", [Panel("x", "y", [Curve("c", [1.0], [math.nan])])])).count("<path") == 0

    def test_places_grow_with_what_they_show(self) -> None:
        dots = Curve("c", [1.0, 10.0, 100.0], [1.0, 2.0, 3.0], dots=True)
        drawn = svg(Figure("f", [Panel("x", "y", [dots], log_x=True)]))
        found = re.search(r'class=dots d="([^"]+)"', drawn)
        assert found is not None
        steps = [tuple(map(int, pair)) for pair in re.findall(r"m(-?\d+) ?(-?\d+)", found.group(1))]
        points = [(sum(x for x, _ in steps[: k + 1]), sum(y for _, y in steps[: k + 1])) for k in range(len(steps))]
        assert points[1][0] - points[0][0] == pytest.approx(points[2][0] - points[1][0], abs=1)
        assert points[0][1] > points[1][1] > points[2][1]

    @pytest.mark.parametrize(
        ("low", "high", "log"),
        [
            (1.0, 2.0, False),
            (-3.0, 5.0, False),
            (1e-9, 1e9, True),
            (3.0, 4.0, True),
            (3.1, 3.2, True),
            (1.0, 30.0, True),
        ],
    )
    def test_ticks_lie_on_the_axis_and_are_few(self, low: float, high: float, log: bool) -> None:
        found = ticks(low, high, log)
        assert 2 <= len(found) <= TICKS + 1
        assert all(low <= place <= high and text for place, text in found)

    def test_numbers_at_the_ends_of_floats_are_drawn_or_left_out(self) -> None:
        curve = Curve("c", [1e-310, 1e-200, 1.0, 1e200, 1e305], [5e-324, 1e-200, 1.0, 1e200, 1e308], dots=True)
        for log in (True, False):
            drawn = svg(Figure("f", [Panel("x", "y", [curve], log_x=log, log_y=log)]))
            found = re.search(r'class=dots d="([^"]+)"', drawn)
            assert found is not None
            assert found.group(1).count("m") in (2, 3)

    def test_named_curves_have_colours_and_their_names_at_their_ends_and_none_meet(self) -> None:
        lines = [Curve(f"slope {k}", [1.0, 2.0], [1.0, 1.0 + 0.001 * k]) for k in range(6)]
        panels = [Panel("step", "error", lines), Panel("step", "test error", lines)]
        drawn = svg(Figure("f", panels, columns=1), named=True)
        ends = re.findall(r'<text class="l c(\d)" x=(\d+) y=(\d+)>slope (\d)</text>', drawn)
        assert len(ends) == 12
        assert all(colour == name for colour, _, _, name in ends)
        heights = sorted(int(y) for *_, y, _ in ends[:6])
        assert all(upper + 9 <= lower for upper, lower in itertools.pairwise(heights))
        assert ">error</text>" in drawn
        assert 'class="line c5"' in drawn
        box = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
        assert box is not None
        assert int(box.group(2)) == 2 * 150
        assert "slope 0" not in svg(Figure("f", panels))

    def test_it_is_small_and_has_a_name(self) -> None:
        drawn = svg(Figure("what it shows", [Panel("x", "y", [Curve("c", list(range(1, 50)), [2.0] * 49, dots=True)])]))
        assert len(drawn) < 1500
        assert 'aria-label="what it shows"' in drawn


def test_files_for_papers_are_the_same_for_the_same_numbers() -> None:
    drawn = Figure("f", [Panel("x", "y", [Curve("c", [1.0, 2.0], [1.0, 2.0], dashed=True)], shaded=[(1.0, 1.5)])])
    assert figures.pdf(drawn) == figures.pdf(drawn)
    assert figures.pdf(drawn).startswith(b"%PDF")
    assert Verdict.HOLDS == "holds"
