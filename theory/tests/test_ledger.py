"""The ledger: valid against its schema whatever was measured, and written in whole files or not at all."""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.verdict import MEANING, Verdict
from theory.evidence import Distribution, ExactLaw, Mean, Proof, Scaling, Search, Step, Tail, Trials
from theory.judging.judge import Row, judge
from theory.papers import papers
from theory.reports import figures, ledger
from theory.reports.ledger import LedgerError, Suite, plain, to_json, to_markdown, try_folder, write
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, FakePremise, chosen, declared, formula, row

FIGURE = figures.Figure("one", [figures.Panel("x", "y", [figures.Curve("c", [1.0, 2.0], [3.0, 4.0])])])

SUITE = Suite(
    version="0.1.0",
    commit="abc",
    effort="quick",
    seed=3,
    versions={"numpy": "2"},
    threads=2,
    started="2020-01-01T00:00:00",
    seconds=1.5,
)
SCHEMA = json.loads(ledger.SCHEMA_FILE.read_text(encoding="utf-8"))


def uniform(rng: np.random.Generator, m: int) -> float:
    return float(rng.random())


def width(rng: np.random.Generator, m: int) -> float:
    return m * math.exp(0.01 * float(rng.standard_normal()))


def tail(threshold: float, m: int) -> Tail:
    exact = min(1.0, math.exp(-9.0 * threshold))
    return Tail(0.9 * exact, exact)


def steps(bound: Any, m: int) -> list[Step]:
    return [Step("first", True), Step("second", None)]


POWER = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})
CALIBRATED = Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16]))

ROWS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "search": (
        lambda rng, m, x: x * float(rng.random()),
        {
            "regime": Regime(cells=grid(m=[4, 8], name="swish"), draw={"x": st.floats(0, 1)}),
            "evidence": Search(examples=5, adversary="none"),
            "premises": [FakePremise(lambda x: x <= 1, "x <= 1")],
        },
    ),
    "trials": (uniform, {"evidence": Trials(rate=0.2, budget=100)}),
    "fixed trials": (uniform, {"evidence": Trials(rate=0.2, budget=1500, fixed=True)}),
    "law": (tail, {"evidence": ExactLaw(rate=0.01)}),
    "distribution": (uniform, {"evidence": Distribution(lambda m: stats.uniform(), 100), "sense": "="}),
    "mean": (uniform, {"evidence": Mean(ceiling=1.0), "bound": formula(lambda: 0.7)}),
    "mean of anything": (uniform, {"evidence": Mean(budget=64), "bound": formula(lambda: 0.7)}),
    "NaN in a mean": (lambda rng, m: math.nan, {"evidence": Mean(ceiling=1.0, budget=64)}),
    "scaling": (width, {"evidence": Scaling({"m": "equal"}, constant="C"), "bound": POWER, "regime": CALIBRATED}),
    "proof": (steps, {"evidence": Proof(margin="all of it")}),
    "NaN": (lambda m: math.nan, {}),
    "NaN in trials": (lambda rng, m: math.nan, {"evidence": Trials(rate=0.2, budget=100)}),
    "NaN in scaling": (
        lambda rng, m: math.nan,
        {"evidence": Scaling({"m": "equal"}, constant="C"), "bound": POWER, "regime": CALIBRATED},
    ),
    "NaN in a law": (lambda threshold, m: math.nan, {"evidence": ExactLaw(rate=0.01)}),
    "infinite bound": (lambda m: 1.0, {"bound": formula(lambda: math.inf)}),
    "infinite ratio": (lambda m: 1.0, {"bound": formula(lambda: 0.0)}),
    "outside": (lambda m: 0.5, {"premises": [FakePremise(lambda m: m > 9)]}),
    "no instance inside": (
        lambda m, x: 0.5,
        {"regime": Regime(cells=[{"m": 4}], draw={"x": st.floats(0, 1)}), "premises": [FakePremise(lambda x: x > 2)]},
    ),
}


def judged(name: str, config: RunConfig | None = None) -> Row:
    function, block = ROWS[name]
    return row(function, config, **block)


def validate(rows: list[Row]) -> dict[str, Any]:
    """The ledger of these rows as a reader gets it, checked against the schema."""
    text = json.dumps(to_json(rows, SUITE), allow_nan=False)
    read = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(read)
    return read


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ROWS)
def test_every_kind_of_row_is_valid(name: str) -> None:
    read = validate([judged(name)])
    (entry,) = read["claims"]
    assert entry["id"] == "toy:statement"
    assert entry["reproduce"].startswith("pytest --claim toy:statement --seed 0")
    assert entry["evidence"]["method"]
    assert entry["controls"][0]["name"] == NEVER.name


def test_what_if_rows_are_valid() -> None:
    config = RunConfig(at={"m": 16}, bound=formula(lambda: 3.0, "3"), smallest=lambda *asked: 10**50)
    entry = validate([judged("outside", config)])["claims"][0]
    assert (entry["bound"], entry["cells"][0]["at"]) == ("3", {"m": 16})
    assert entry["evidence"]["needs"] == []
    outside = validate([judged("outside", RunConfig(smallest=lambda *asked: 10**50))])["claims"][0]
    assert outside["evidence"]["needs"] == ["m >= 1.00e50"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (("claims", 0, "verdict"), "passed"),
        (("claims", 0, "controls"), []),
        (("claims", 0, "worst_ratio"), None),
        (("claims", 0, "id"), "statement"),
        (("suite", "false_alarm_budget"), 0.5),
        (("schema",), 1),
    ],
)
def test_the_schema_sees_what_is_wrong(change: tuple[Any, ...], wrong: Any) -> None:
    read = validate([judged("law")])
    place = read
    for step in change[:-1]:
        place = place[step]
    place[change[-1]] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(read)


def test_numbers_that_json_lacks_are_strings() -> None:
    assert plain([math.nan, math.inf, -math.inf, 1.5]) == ["NaN", "Infinity", "-Infinity", 1.5]
    (entry,) = validate([judged("NaN")])["claims"]
    assert (entry["worst_ratio"], entry["verdict"], entry["ok"]) == ("NaN", "undecided", False)
    assert validate([judged("infinite ratio")])["claims"][0]["worst_ratio"] == "Infinity"
    assert validate([judged("infinite bound")])["claims"][0]["cells"][0]["bound"] == "Infinity"


def test_numpy_becomes_python() -> None:
    written = plain({"a": np.float64(0.5), "b": np.int64(3), "c": np.bool_(True), "d": np.array([[1.0, np.nan]])})
    assert written == {"a": 0.5, "b": 3, "c": True, "d": [[1.0, "NaN"]]}
    assert [type(written[name]) for name in "abc"] == [float, int, bool]
    assert plain(Verdict.HOLDS) == "holds"
    assert plain(None) is None


def test_details_do_not_take_the_place_of_what_every_row_has() -> None:
    """The fit's way of making intervals is a detail; the intervals stay intervals."""
    evidence = validate([judged("scaling")])["claims"][0]["evidence"]
    assert evidence["intervals"]["m"] == evidence["exponents"]["m"]["ci"]
    assert evidence["interval method"] == "HC3"


def test_rows_are_sorted_and_described() -> None:
    rows = [row(lambda m: 0.5, statement=f"toy:{name}", note="remark") for name in ("b", "a")]
    read = validate(rows)
    assert [entry["id"] for entry in read["claims"]] == ["toy:a", "toy:b"]
    first = read["claims"][0]
    assert (first["title"], first["source"], first["evidence"]["note"]) == ("a toy statement", "Section 1", "remark")
    assert (first["verdict"], first["expected_verdict"], first["ok"]) == ("holds", "holds", True)
    assert first["power"] == {"kind": "bound factor", "value": 0.5, "best": None}


def test_every_paper_says_what_is_open() -> None:
    read = validate([])
    assert set(read["papers"]) == set(papers())
    for key, entry in read["papers"].items():
        assert entry["covered"] + len(entry["open"]) == entry["statements"] == len(papers()[key].statements)


def _twice(m: int) -> float:
    """Half of the width, which is what a toy measures."""
    return 0.5


_OF_M = FakeBound(lambda m: 1.0, "m")
_WIDE = FakePremise(lambda m, n: True, "m >= n", note="wide enough", source="toy, (1)")


def test_a_row_says_what_is_measured_of_what_symbols_under_which_premises_and_where() -> None:
    with declared(_twice, bound=_OF_M, regime=Regime(cells=grid(m=4, n=1)), premises=[_WIDE]) as made:
        judged = judge(made, RunConfig(), 1e-4)
    (read,) = validate([judged])["claims"]
    assert read["measures"] == "Half of the width, which is what a toy measures."
    assert read["symbols"] == {"m": "meaning of m", "n": "meaning of n"}
    assert read["premises"] == [{"text": "m >= n", "latex": "m >= n", "words": "wide enough", "source": "toy, (1)"}]
    assert re.fullmatch(r"theory/tests/fakes\.py:[0-9]+", read["declared"])
    page = to_markdown([judged], SUITE)
    said = "Half of the width, which is what a toy measures."
    assert f"| `toy:statement` | {said} | `m >= n` (wide enough) | `{read['declared']}` |" in page
    assert "| `n` | meaning of n |" in page


class TestMarkdown:
    def test_it_has_one_line_for_each_claim(self) -> None:
        page = to_markdown([judged("law"), row(lambda m: 3.0, statement="toy:wrong")], SUITE)
        rows, refuted = page.split("## What is measured")[0].split("## Counterexamples")
        lines = [line for line in rows.splitlines() if line.startswith("| `toy:")]
        assert [line.split("`")[1] for line in lines] == ["toy:statement", "toy:wrong"]
        assert "| `toy:wrong` | 3 | &lt;= | 1 | 3 | `m=4` |" in refuted
        assert "**(unexpected)**" in lines[1]
        assert "(unexpected)" not in lines[0]
        for verdict in Verdict:
            assert f"- `{verdict}`: {MEANING[verdict]}" in page

    def test_a_small_violation_is_seen(self) -> None:
        page = to_markdown([row(lambda m: 1.0 + 2.1e-6)], SUITE)
        assert "| `toy:statement` | 1.0000021 | &lt;= | 1 | 1 + 2.1e-6 | `m=4` |" in page
        assert "Counterexamples" not in to_markdown([judged("law")], SUITE)

    def test_bars_do_not_begin_columns(self) -> None:
        bound = FakeBound(lambda: 1.0, r"\left|x\right| \|y\|")
        page = to_markdown([row(lambda m: 0.5, bound=bound, title="the size |x|")], SUITE)
        (line,) = [line for line in page.split("## What each row sees")[0].splitlines() if line.startswith("| `toy:")]
        assert line.replace(r"\|", "").count("|") == 10
        assert r"$`\left\vert x\right\vert  \Vert y\Vert `$" in line


class TestWrite:
    def test_it_writes_whole_files_and_leaves_nothing_else(self, tmp_path: Path) -> None:
        target = tmp_path / "deep" / "ledger"
        write(target, [judged("law")], SUITE)
        assert sorted(path.name for path in target.iterdir()) == ["index.html", "ledger.json", "ledger.md"]
        read = json.loads((target / "ledger.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(read)
        assert {path.stat().st_mode & 0o777 for path in target.iterdir()} == {0o644}

    def test_it_replaces_what_was_there(self, tmp_path: Path) -> None:
        (tmp_path / "ledger.json").write_text("old")
        (tmp_path / "other.txt").write_text("kept")
        write(tmp_path, [], SUITE)
        assert json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))["claims"] == []
        assert (tmp_path / "other.txt").read_text() == "kept"

    @pytest.mark.parametrize("step", ["replace", "chmod", "fsync", "mkdir"])
    @pytest.mark.parametrize("file", ["ledger.json", "ledger.md"])
    @pytest.mark.parametrize("present", [(), ("ledger.json",), ("ledger.json", "ledger.md")])
    def test_a_write_that_fails_at_either_file_leaves_both_as_they_were(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, file: str, present: tuple[str, ...]
    ) -> None:
        for name in present:
            (tmp_path / name).write_text(f"old {name}")
        real: dict[str, Callable[..., Any]] = {n: getattr(os, n) for n in ("replace", "chmod", "fsync", "mkdir")}

        def full(where: Any, *more: Any) -> Any:
            name = os.readlink(f"/proc/self/fd/{where}") if isinstance(where, int) else os.fspath(where)
            if Path(name).name.startswith((file, f".{file}")):
                raise OSError(28, "No space left on device")
            return real[step](where, *more)

        monkeypatch.setattr(os, step, full)
        if step == "mkdir" and file not in present:
            write(tmp_path, [], SUITE)  # nothing is there to be kept under a second name
            return
        with pytest.raises(LedgerError, match="No space left") as caught:
            write(tmp_path, [], SUITE)
        assert len(str(caught.value).splitlines()) == 1
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {n: f"old {n}" for n in present}

    def test_figures_stand_in_a_folder_of_their_own_and_the_page_and_the_rows_name_them(self, tmp_path: Path) -> None:
        made, other = row(lambda m: 0.5, statement="toy:a/b"), row(lambda m: 0.5, statement="toy:a-b")
        suite = replace(SUITE, figures={"toy:a/b": FIGURE, "toy:a-b": replace(FIGURE, caption="two [x](y)")})
        for _ in range(2):
            write(tmp_path, [made, other], suite)
        files = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
        assert sorted(files) == ["toy-a-b.json", "toy-a-b.png", "toy-a-b_2.json", "toy-a-b_2.png"]
        assert files["toy-a-b_2.png"] == figures.png(FIGURE)
        assert json.loads(files["toy-a-b_2.json"])["caption"] == "one"
        read = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(read)
        assert [claim["figure"] for claim in read["claims"]] == ["figures/toy-a-b.png", "figures/toy-a-b_2.png"]
        page = (tmp_path / "ledger.md").read_text(encoding="utf-8")
        assert "![toy:a/b](figures/toy-a-b_2.png)\n\n`toy:a/b`: one [Numbers](figures/toy-a-b_2.json)" in page
        assert r"`toy:a-b`: two \[x\](y) [Numbers](figures/toy-a-b.json)" in page

    def test_a_run_that_ended_early_writes_no_figure(self, tmp_path: Path) -> None:
        write(tmp_path, [judged("law")], replace(SUITE, missing=("toy:b",), figures={"toy:law": FIGURE}))
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(ledger.PARTIAL)
        assert "Figures" not in (tmp_path / "ledger.partial.md").read_text(encoding="utf-8")

    @pytest.mark.parametrize("file", ["toy-law.png", "toy-law.json", "ledger.json"])
    def test_a_figure_that_cannot_be_written_leaves_all_files_as_they_were(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
    ) -> None:
        (tmp_path / "ledger.md").write_text("old")
        real = os.replace

        def full(source: Path, target: Path) -> None:
            if target.name == file:
                raise OSError(28, "No space left on device")
            real(source, target)

        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(LedgerError, match="No space left"):
            write(tmp_path, [], replace(SUITE, figures={"toy:law": FIGURE}))
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"ledger.md": "old"}

    def test_without_links_a_copy_is_put_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "ledger.json").write_text("old")
        replace = os.replace

        def no_links(*arguments: Any) -> None:
            raise OSError(95, "Operation not supported")

        def no_page(source: Path, target: Path) -> None:
            if target.name == "ledger.md":
                raise OSError(28, "No space left on device")
            replace(source, target)

        monkeypatch.setattr(os, "link", no_links)
        monkeypatch.setattr(os, "replace", no_page)
        with pytest.raises(LedgerError, match="No space left"):
            write(tmp_path, [], SUITE)
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"ledger.json": "old"}

    def test_a_ledger_without_pages_takes_those_of_an_earlier_one_away(self, tmp_path: Path) -> None:
        write(tmp_path, [judged("law")], SUITE)
        (tmp_path / "needs.html").touch()
        write(tmp_path, [judged("law")], replace(SUITE, paged=False))
        assert {path.name for path in tmp_path.iterdir()} == {"ledger.json", "ledger.md"}

    def test_a_run_that_ended_early_leaves_a_complete_ledger_alone(self, tmp_path: Path) -> None:
        write(tmp_path, [judged("law")], SUITE)
        complete = {path: path.read_bytes() for path in tmp_path.iterdir()}
        early = replace(SUITE, missing=("toy:c", "toy:b"))
        assert write(tmp_path, [judged("law")], early) == tuple(tmp_path / name for name in ledger.PARTIAL)
        assert {path: path.read_bytes() for path in complete} == complete
        read = json.loads((tmp_path / "ledger.partial.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(read)
        assert (read["suite"]["complete"], read["suite"]["missing"]) == (False, ["toy:b", "toy:c"])
        page = (tmp_path / "ledger.partial.md").read_text(encoding="utf-8")
        assert "**Partial**: the run ended when 1 of its 3 claims were judged.\nNot judged: `toy:b`, `toy:c`." in page
        # The next complete run leaves no partial one behind it.
        write(tmp_path, [judged("law")], SUITE)
        assert {path.name for path in tmp_path.iterdir()} == {"index.html", "ledger.json", "ledger.md"}
        read = json.loads((tmp_path / "ledger.json").read_text(encoding="utf-8"))
        assert (read["suite"]["complete"], read["suite"]["missing"]) == (True, [])
        assert "Partial" not in (tmp_path / "ledger.md").read_text(encoding="utf-8")


class TestTryFolder:
    @staticmethod
    def refused(directory: Path) -> str:
        with pytest.raises(LedgerError) as caught:
            try_folder(directory)
        message = str(caught.value)
        assert message.startswith("--ledger: ")
        assert message.isprintable()
        return message

    def test_it_leaves_everything_as_it_is(self, tmp_path: Path) -> None:
        try_folder(tmp_path / "deep" / "ledger")
        try_folder(tmp_path)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("missing", [(), ("toy:b",)])
    def test_a_ledger_may_be_written_over_a_ledger(self, tmp_path: Path, missing: tuple[str, ...]) -> None:
        write(tmp_path, [judged("law")], replace(SUITE, missing=missing))
        (tmp_path / "other.txt").write_text("kept")
        try_folder(tmp_path)

    def test_ledgers_of_other_versions_and_empty_files_are_no_obstacle(self, tmp_path: Path) -> None:
        (tmp_path / "ledger.json").write_text('{"schema":1,"suite":{}}')
        (tmp_path / "ledger.md").touch()
        try_folder(tmp_path)

    def test_what_is_no_folder_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        (tmp_path / "broken").symlink_to(tmp_path / "missing")
        for path in (tmp_path / "file", tmp_path / "file" / "ledger", Path("/dev/full")):
            assert "is no folder; name a folder" in self.refused(path)
        assert "is no folder" in self.refused(tmp_path / "broken" / "ledger")

    @pytest.mark.parametrize("name", [*ledger.COMPLETE, *ledger.PARTIAL, *ledger.PLANNER])
    @pytest.mark.parametrize("content", [b"[1, 2]", b'{"accounts": 1}', b"\xff", b"My ledger\n"])
    def test_a_foreign_file_is_not_overwritten(self, tmp_path: Path, name: str, content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        assert f"{name} is no ledger and would be overwritten" in self.refused(tmp_path)

    def test_a_file_in_the_place_of_the_figures_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "figures").touch()
        assert "figures is no folder; move it" in self.refused(tmp_path)

    def test_a_folder_or_a_pipe_of_that_name_is_refused_unread(self, tmp_path: Path) -> None:
        (tmp_path / "ledger.md").mkdir()
        assert "ledger.md is no ledger" in self.refused(tmp_path)
        (tmp_path / "other").mkdir()
        os.mkfifo(tmp_path / "other" / "ledger.json")
        assert "ledger.json is no ledger" in self.refused(tmp_path / "other")

    @pytest.mark.parametrize(
        "error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")]
    )
    def test_a_folder_without_room_or_rights_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
    ) -> None:
        def fail(*arguments: Any, **options: Any) -> None:
            raise error

        monkeypatch.setattr(
            os if error.errno == 28 else tempfile, "fsync" if error.errno == 28 else "TemporaryFile", fail
        )
        message = self.refused(tmp_path / "ledger")
        assert message == f"--ledger: {tmp_path / 'ledger'}: {error.strerror}; name a folder that can be written"
        assert list(tmp_path.iterdir()) == []

    def test_names_that_are_none_are_refused_in_one_line(self, tmp_path: Path) -> None:
        for name in ("nul\0", "x" * 300 + "\n"):
            self.refused(tmp_path / name)


HOSTILE = (
    "a | b ` <script>alert(1)</script> & [x](javascript:alert(1)) ![y](z) *b* _c_ ~~d~~ # \\ $x$\n| next | \x1b[2J"
)


def unescaped(line: str, character: str) -> int:
    """How often a character stands in a line without a backslash before it."""
    return len(re.findall(rf"(?<!\\)(?:\\\\)*{re.escape(character)}", line))


@pytest.fixture(scope="module")
def page() -> str:
    """A page of claims whose every text is hostile."""
    bound = FakeBound(lambda C: 1.0, "\\frac{a_1}{|b|}`<b>`\n", {"C": chosen(1.0, HOSTILE)})
    made = row(lambda m: 0.5, statement="toy:a`|b", bound=bound)
    # A block with control characters in its title is refused; the page holds all the same.
    made = replace(made, claim=replace(made.claim, label=HOSTILE, title=HOSTILE))
    nothing: dict[str, float] = {}
    broken = row(lambda m: nothing[HOSTILE], statement="toy:broken")
    return to_markdown([made, broken], SUITE)


class TestHostileText:
    """Nothing that an author writes of a claim is more than text on the page."""

    def test_it_stays_in_its_row(self, page: str) -> None:
        (line,) = [line for line in page.splitlines() if "toy:a`" in line and "$`" in line]
        assert unescaped(line, "|") == 10
        assert line.startswith("| `` toy:a`\\|b `` | ")

    def test_no_tag_link_or_emphasis_comes_of_it(self, page: str) -> None:
        assert page.count(r"\[x\](javascript:alert(1))") >= 3
        for line in page.splitlines():
            # Code spans, and formulas, which are code between dollars, show what they hold.
            outside = re.sub(r"(\$?)(`+)(?!`).*?(?<!`)\2(?!`)\1", "", line.replace("\\`", ""))
            assert "<" not in outside, line
            assert unescaped(outside, "[") == 0, line
            if "alert" in line:
                assert [unescaped(outside, character) for character in "$`*_~"] == [0] * 5, line
        assert page.replace("\n", "").isprintable()

    def test_formulas_stay_whole(self, page: str) -> None:
        assert r"$`\frac{a_1}{\vert b\vert }'<b>' `$" in page


def test_a_control_that_survived_is_in_the_ledger() -> None:
    weak = control("too generous", bound=formula(lambda: 0.75))
    (entry,) = validate([row(lambda m: 0.5, controls=[weak])])["claims"]
    changed = {"ratio": 0.5 / 0.75, "bound_ratio": [0.75, 0.75], "measured_ratio": [1.0, 1.0], "closest": None}
    changed |= {"why_none": {"closest": "it is not refuted"}}
    assert entry["controls"] == [{"name": "too generous", "verdict": "holds", "refuted": False, **changed}]
    assert entry["ok"] is False


def test_a_part_that_cannot_be_made_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> str:
        raise ZeroDivisionError("no page")

    monkeypatch.setattr("theory.reports.page.page", broken)
    monkeypatch.setattr(ledger, "to_markdown", broken)
    lost: list[str] = []
    ledger.write(tmp_path, [row(lambda m: 0.5)], ledger.Suite("0", "0", "quick", 0), lost=lost)
    assert json.loads((tmp_path / "ledger.json").read_text())["claims"][0]["verdict"] == "holds"
    assert [word.partition(" was made")[0] for word in lost] == ["no ledger.md", "no index.html"]
    assert all("no page" in word for word in lost)


def test_a_row_that_cannot_be_written_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = row(lambda m: 0.5), row(lambda m: 0.5, variant="bad")
    whole = ledger.to_json

    def failing(rows: Any, suite: Any) -> Any:
        if bad in rows:
            raise TypeError("no number")
        return whole(rows, suite)

    monkeypatch.setattr(ledger, "to_json", failing)
    lost: list[str] = []
    ledger.write(tmp_path, [good, bad], ledger.Suite("0", "0", "quick", 0), lost=lost)
    written = json.loads((tmp_path / "ledger.partial.json").read_text())
    assert [entry["id"] for entry in written["claims"]] == ["toy:statement"]
    assert written["suite"]["missing"] == ["toy:statement-bad"]
    assert lost == ["no row of toy:statement-bad: TypeError: no number"]
