"""The planner: widths, step sizes and steps that premises ask for, found without a trial."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies

from theory.claims.block import Claim
from theory.claims.reading import Reading
from theory.claims.regime import Regime
from theory.claims.selection import SelectionError, parse_at
from theory.core.refusal import ROOT
from theory.core.statements import ByClaim, Paper, Statement
from theory.evidence import Search
from theory.reports import needs
from theory.reports.needs import Need, Plan, Solvers, TheoremNeed, need_of, plan
from theory.running.config import RunConfig
from theory.tests.fakes import declared

SOLVERS = Solvers()


def measured(m: int, n: int, eta: float = 0.0, K: int = 0) -> float:
    """Never called: the planner runs no trial."""
    raise AssertionError("the planner measured something")


@pytest.fixture
def wide() -> Any:
    """A claim that asks for m >= C n^2, a step of at most 1/m and at least m steps of this size."""
    fields: dict[str, Any] = {
        "statement": "toy:wide",
        "premises": ["m >= C*n**2", "m >= 3*n", "eta <= 1/m", "K >= 2*n/eta"],
        "constants": {"C": (10, "of a test")},
        "regime": Regime(cells=[{"m": 5, "n": 4, "eta": 0.5, "K": 1}]),
    }
    with declared(measured, **fields) as made:
        yield made


def test_the_least_width_and_then_the_step_and_the_steps(wide: Claim) -> None:
    need = need_of(wide, RunConfig(), SOLVERS)
    assert need.width == 160
    assert need.costliest == "m >= C*n**2"
    assert need.sizes["eta"] == pytest.approx(1 / 160, rel=1e-9)
    assert need.sizes["K"] == pytest.approx(8 * 160, abs=1)


def test_sizes_constants_and_a_width_of_the_user(wide: Claim) -> None:
    at = parse_at("m=2**10,C=64,n=2", [wide], planned=True)
    assert at == {"m": 1024, "C": 64, "n": 2}
    need = need_of(wide, RunConfig(at=at), SOLVERS)
    assert (need.width, need.within) == (256, True)
    assert need.sizes["eta"] == pytest.approx(1 / 1024, rel=1e-11)
    assert need_of(wide, RunConfig(at={**at, "m": 255}), SOLVERS).within is False


def test_a_width_beyond_doubles_and_what_runs_refuse(wide: Claim) -> None:
    assert parse_at("m=10**400", [wide], planned=True)["m"] == 10**400
    with pytest.raises(SelectionError, match="longer than any number"):
        parse_at("m=10**40000", [wide], planned=True)
    with pytest.raises(SelectionError, match="larger than what is built"):
        parse_at("m=10**400", [wide])


def test_a_theorem_needs_what_its_lemmas_need(wide: Claim, tmp_path: Path) -> None:
    def statement(name: str, label: str, *uses: str) -> Statement:
        return Statement(f"toy:{name}", label, "a title", "deterministic", "ntk", "page 1", ByClaim(), uses)

    paper = Paper("toy", "T", ("A",), 2020, (statement("wide", "Lemma 1"), statement("main", "Theorem 2", "toy:wide")))
    found = plan([wide], RunConfig(at={"m": 100}), {"toy": paper}, SOLVERS)
    (theorem,) = found.theorems
    assert (theorem.id, theorem.width, theorem.costliest, theorem.within) == ("toy:main", 160, "toy:wide", False)
    assert any("toy:main" in line and "out of reach" in line for line in needs.table(found))
    (width,) = needs.widths(found).values()
    assert width == f"160 at {found.claims[0].at}"
    as_json, as_page = needs.write(tmp_path, found)
    assert json.loads(as_json.read_text())["theorems"][0]["width"] == 160
    assert "toy:main" in as_page.read_text()


def test_long_widths_are_rounded_up() -> None:
    assert needs.readable(10**30 + 1) == "1.01e30"
    assert needs.table(Plan(None, (), ())) == []
    # Python writes no integer of so many digits.
    assert '"asked": "1.01e5000"' in needs.texts(Plan(10**5000 + 1, (), ()), beside=False)["needs.json"]


def following(beta_: Callable[..., float]) -> Any:
    """A claim that asks for m >= C/beta_, where beta_ follows from the width; in its cell beta_ is 2."""

    def seen(m: int, beta_: float) -> float:
        raise AssertionError("the planner measured something")

    fields: dict[str, Any] = {
        "statement": "toy:following",
        "premises": ["m >= C/beta_"],
        "constants": {"C": (40, "of a test")},
        "regime": Regime(cells=[{"m": 4}], derived={"beta_": beta_}),
    }
    return declared(seen, **fields)


def test_a_symbol_that_follows_from_the_width_is_computed_at_the_width_that_is_tried() -> None:
    with following(lambda m: 4.0 / m**0.5) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.costliest, need.kept) == (100, "m >= C/beta_", ())
        assert need_of(made, RunConfig(at={"m": 99}), SOLVERS).within is False
        # A value that is given stays as it is.
        assert need_of(made, RunConfig(at={"beta_": 8.0}), SOLVERS).width == 5


def test_a_symbol_that_cannot_be_computed_there_is_kept_as_in_the_cell_and_named() -> None:
    def short(m: int) -> float:
        if m > 16:
            raise OverflowError("too wide")
        return 2.0

    with following(short) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.kept) == (20, ("beta_",))
    # Nor is a value taken that the symbol cannot have: beta_ is positive.
    with following(lambda m: 2.0 if m < 17 else 0.0) as made:
        assert need_of(made, RunConfig(), SOLVERS).kept == ("beta_",)


def test_premises_that_never_hold_while_symbols_follow_the_width_leave_it_undecided() -> None:
    with following(lambda m: 1.0 / m) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.why) == (None, needs.GAVE_UP)


def test_each_premise_is_told_with_its_constants_and_the_best_ones_of_a_ledger(wide: Claim) -> None:
    found = plan([wide], RunConfig(at={"m": 100}), {}, SOLVERS)
    (need,) = found.claims
    assert [(p.status, p.width) for p in need.premises] == [
        (needs.FAILS, 160),
        (needs.HOLDS, 12),
        (needs.FAILS, None),
        (needs.FAILS, None),
    ]
    table = [{"claim": "toy:wide", "name": "C", "where": "premise m >= C*n**2", "best": 6.25}]
    unknown = [{"claim": "toy:wide", "name": "C", "where": "premise m >= 3*n", "best": "NaN"}]
    better = needs.with_best(found, [*table, *unknown])
    assert better.claims[0].premises[0].best == {"C": 6.25}
    assert "    fails: m >= C*n**2 with C = 10 (passed with 6.25)" in needs.table(better)
    assert "passed with 6.25)" in needs.texts(better, beside=False)["needs.html"]


def test_where_two_premises_share_a_range_the_width_meets_both() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    fields: dict[str, Any] = {"statement": "toy:both", "regime": Regime(cells=[{"m": 5, "n": 3}])}
    # The first holds from 30 on, the second below 12 and from 50 on.
    with declared(seen, premises=["m >= 10*n", "(m - 12)*(m - 50) >= 0"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 50
    with declared(seen, premises=["m >= 10*n", "m <= 9*n"], **fields) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.why) == (None, "no width")
    # It holds at m = 1 because log(1) is 0, then not before 111: 5*log(110)**2 is 110.5.
    with declared(seen, premises=["m >= 5*log(m)**2"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 111


def test_a_symbol_that_is_drawn_is_known_where_it_is_given() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    regime = Regime(cells=[{"m": 5}], draw={"n": strategies.integers(2, 9)})
    with declared(seen, statement="toy:drawn", premises=["m >= 10*n"], regime=regime, evidence=Search()) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert ([p.status for p in need.premises], need.width) == ([needs.MEASURED], 1)
        need = need_of(made, RunConfig(at={"n": 7}), SOLVERS)
        assert ([p.status for p in need.premises], need.width) == ([needs.HOLDS], 70)


def test_two_premises_of_one_text_have_the_widths_of_their_own_constants() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    twice = [Reading({"C": (value, "of a test")}).premise("m >= C*n") for value in (7, 3)]
    with declared(seen, premises=twice, regime=Regime(cells=[{"m": 20, "n": 4}])) as made:
        need = need_of(made, RunConfig(at={"m": 20}), SOLVERS)
    assert need.width == 28
    assert [(p.status, p.width, p.constants) for p in need.premises] == [
        (needs.FAILS, 28, {"C": 7.0}),
        (needs.HOLDS, 12, {"C": 3.0}),
    ]


def test_what_was_solved_once_is_not_solved_again(wide: Claim) -> None:
    calls: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return SOLVERS.smallest(*arguments, **options)

    solvers = Solvers(counted)
    first = need_of(wide, RunConfig(), solvers)
    before = len(calls)
    assert before > 0
    assert need_of(wide, RunConfig(), solvers) == first
    assert len(calls) == before
    need_of(wide, RunConfig(at={"n": 5}), solvers)
    assert len(calls) > before


def test_the_axis_of_a_paper_begins_where_its_least_theorem_or_the_width_asked_for_stands() -> None:
    def theorem(name: str, width: int | None) -> TheoremNeed:
        widths = {} if width is None else {name: width, "toy:lemma": 3}
        return TheoremNeed(name, "Theorem", "<b>bold</b>", width, widths, (), {}, "", "", None)

    def claim(name: str) -> Need:
        return Need(name, name, True, "", (), 1)

    few = (theorem("toy:one", 10**5), theorem("toy:two", 10**204), theorem("toy:none", 1), theorem("toy:open", None))
    found = Plan(10**6, (claim("toy:one"), claim("other:x")), few)
    page = needs.texts(found, beside=False)["needs.html"]
    assert 'aria-label="widths from 10^5 to 10^204"' in page
    assert 'cx="2.00%"' in page
    assert 'cx="98.00%"' in page
    assert "toy:lemma: 3" not in page  # left of the axis
    assert page.count('class="asked" x1="2.48%"') == len(few)
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert 'href="index.html' not in page
    assert 'aria-label="widths from 10^2 ' in needs.texts(replace(found, asked=100), beside=True)["needs.html"]


def test_the_premises_of_the_suite_are_planned_without_a_trial(tmp_path: Path) -> None:
    asked = ["--needs", "--claim", "zou2018:lemma-A.1", "--at", "m=10**5", f"--ledger={tmp_path}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zou2018:lemma-A.1: m >= 72" in done.stdout
    assert json.loads((tmp_path / "needs.json").read_text())["asked"] == 10**5
    assert not (tmp_path / "ledger.json").exists()


def test_an_upper_bound_on_a_radius_asks_for_no_width_and_a_lower_one_does() -> None:
    def moved(m: int, eta: float) -> float:
        raise AssertionError("the planner measured something")

    fields: dict[str, Any] = {"statement": "toy:moved", "regime": Regime(cells=[{"m": 5, "eta": 0.25}])}
    with declared(moved, premises=["eta <= 1/m**2", "m >= 7"], **fields) as made:
        need = need_of(made, RunConfig(at={"m": 100}), SOLVERS)
        assert (need.width, need.within) == (7, True)
        assert need.sizes["eta"] == pytest.approx(1e-4)
    with declared(moved, premises=["eta >= 1/sqrt(m)"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 16
