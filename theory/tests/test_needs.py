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

from bounds.symbols import state_meanings
from theory.claims.block import Claim
from theory.claims.reading import Reading
from theory.claims.regime import Regime
from theory.claims.selection import SelectionError, parse_at
from theory.core.refusal import ROOT
from theory.core.statements import ByClaim, Open, Paper, Statement
from theory.evidence import Search
from theory.reports import needs_shown, solving
from theory.reports.needs import Plan, TheoremNeed, _theorems, plan, with_best
from theory.reports.solving import Need, PremiseNeed, Solvers, need_of
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
    lines = needs_shown.table(found)
    assert "toy:main: a title: m >= 160, out of reach" in lines
    assert lines[-5:] == [
        "least width of one theorem",
        "       160  toy:main (not tested itself; by m >= C*n**2 of toy:wide)",
        "within reach of m = 100: 0 of 1",
        "out of reach of m = 100: 1 of 1",
        "with other constants in their premises would hold there: 1",
    ]
    (width,) = needs_shown.widths(found).values()
    assert width == f"160 at {found.claims[0].at}"
    as_json, as_page = needs_shown.write(tmp_path, found)
    assert json.loads(as_json.read_text())["theorems"][0]["width"] == 160
    assert "toy:main" in as_page.read_text()


def test_long_widths_are_rounded_up() -> None:
    assert needs_shown.readable(10**30 + 1) == "1.01e30"
    assert needs_shown.table(Plan(None, (), ())) == []
    # Python writes no integer of so many digits.
    assert '"asked": "1.01e5000"' in needs_shown.texts(Plan(10**5000 + 1, (), ()), beside=False)["needs.json"]


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
        assert (need.width, need.why) == (None, solving.GAVE_UP)


def test_each_premise_is_told_with_its_constants_and_the_best_ones_of_a_ledger(wide: Claim) -> None:
    found = plan([wide], RunConfig(at={"m": 100}), {}, SOLVERS)
    (need,) = found.claims
    assert [(p.status, p.width) for p in need.premises] == [
        (solving.FAILS, 160),
        (solving.HOLDS, 12),
        (solving.HOLDS, None),
        (solving.HOLDS, None),
    ]
    assert need.chosen == {"eta": pytest.approx(0.01), "K": pytest.approx(800, abs=1)}
    # Of what fails another constant would do, rounded to three digits so that the premise holds.
    assert [p.enough for p in need.premises] == [{"C": 6.25}, {}, {}, {}]
    table = [{"claim": "toy:wide", "name": "C", "where": "premise m >= C*n**2", "best": 6.25}]
    unknown = [{"claim": "toy:wide", "name": "C", "where": "premise m >= 3*n", "best": "NaN"}]
    better = with_best(found, [*table, *unknown])
    assert better.claims[0].premises[0].best == {"C": 6.25}
    assert "    fails: m >= C*n**2 with C = 10 (passed with 6.25); would hold with C = 6.25" in needs_shown.table(
        better
    )
    assert "passed with 6.25)" in needs_shown.texts(better, beside=False)["needs.html"]


def test_where_two_premises_share_a_range_the_width_meets_both() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    fields: dict[str, Any] = {"statement": "toy:both", "regime": Regime(cells=[{"m": 5, "n": 3}])}
    # The first holds from 30 on, the second below 12 and from 50 on.
    with declared(seen, premises=["m >= 10*n", "(m - 12)*(m - 50) >= 0"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 50
    with declared(seen, premises=["m >= 10*n", "m <= 9*n"], **fields) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.why) == (None, solving.NO_WIDTH)
    # It holds at m = 1 because log(1) is 0, then not before 111: 5*log(110)**2 is 110.5.
    with declared(seen, premises=["m >= 5*log(m)**2"], **fields) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 111


def test_a_symbol_that_is_drawn_is_known_where_it_is_given() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    regime = Regime(cells=[{"m": 5}], draw={"n": strategies.integers(2, 9)})
    with declared(seen, statement="toy:drawn", premises=["m >= 10*n"], regime=regime, evidence=Search()) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert ([p.status for p in need.premises], need.width) == ([solving.MEASURED], 1)
        need = need_of(made, RunConfig(at={"n": 7}), SOLVERS)
        assert ([p.status for p in need.premises], need.width) == ([solving.HOLDS], 70)


def test_two_premises_of_one_text_have_the_widths_of_their_own_constants() -> None:
    def seen(m: int, n: int) -> float:
        raise AssertionError("the planner measured something")

    twice = [Reading({"C": (value, "of a test")}).premise("m >= C*n") for value in (7, 3)]
    with declared(seen, premises=twice, regime=Regime(cells=[{"m": 20, "n": 4}])) as made:
        need = need_of(made, RunConfig(at={"m": 20}), SOLVERS)
    assert need.width == 28
    assert [(p.status, p.width, p.constants) for p in need.premises] == [
        (solving.FAILS, 28, {"C": 7.0}),
        (solving.HOLDS, 12, {"C": 3.0}),
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
    page = needs_shown.texts(found, beside=False)["needs.html"]
    assert 'aria-label="widths from 10^5 to 10^204"' in page
    assert 'cx="2.00%"' in page
    assert 'cx="98.00%"' in page
    assert "toy:lemma: 3" not in page  # left of the axis
    assert page.count('class="asked" x1="2.48%"') == len(few)
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert 'href="index.html' not in page
    assert 'aria-label="widths from 10^2 ' in needs_shown.texts(replace(found, asked=100), beside=True)["needs.html"]


@pytest.mark.reads_claims_of("zou2018/test_norm_preservation.py")
def test_the_premises_of_the_suite_are_planned_without_a_trial(tmp_path: Path) -> None:
    asked = ["--needs", "--claim", "zou2018:lemma-A.1", "--at", "m=10**5", f"--ledger={tmp_path}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "zou2018:lemma-A.1 (supported, own constants): m >= 72" in done.stdout
    assert "    holds: width against " in done.stdout
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


def test_of_a_refuted_form_the_printed_width_stays_and_only_a_declared_correction_stands_in(tmp_path: Path) -> None:
    def form(name: str, width: int, verdict: str, printed: bool = False, scope: str = "part") -> Need:
        premise = PremiseNeed(f"m >= {width}", "m", solving.HOLDS, words="width")
        asks = (premise,) if width > 1 else ()
        costliest = premise.text if asks else ""
        return Need(
            f"toy:{name}",
            f"toy:{name.split('-')[0]}",
            printed,
            "",
            asks,
            width,
            costliest=costliest,
            verdict=verdict,
            scope=scope,
        )

    def theorems(*needs: Need) -> list[tuple[str, int | None, int | None, tuple[str, ...], tuple[str, ...]]]:
        known = {need.statement: (need.id,) for need in needs}
        found = _theorems(needs, known, {"toy": paper}, 10**9)
        return [(t.id, t.width, t.printed, tuple(t.forms.values()), t.false) for t in found]

    def statement(name: str, label: str, *uses: str) -> Statement:
        return Statement(f"toy:{name}", label, "a title", "deterministic", "ntk", "page 1", ByClaim(), uses)

    paper = Paper("toy", "T", ("A",), 2020, (statement("low", "Lemma 1"), statement("main", "Theorem 2", "toy:low")))
    main = form("main", 50, "refuted", printed=True, scope="as printed")
    low = form("low", 700, "refuted", printed=True, scope="as printed")
    exponents, some = form("low-exponents", 1, "proved", scope="chain"), form("low-corrected", 3, "holds")
    # Neither a table of exponents nor a corrected part stands in for it.
    (found,) = theorems(main, form("main-orders", 1, "proved", scope="chain"), low, exponents, some)
    assert found == ("toy:main", 700, 50, ("toy:main", "toy:low"), ("toy:main", "toy:low"))
    repaired = form("low-corrected", 90, "supported", scope="repaired")
    (found,) = theorems(main, low, exponents, repaired)
    assert found == ("toy:main", 90, 50, ("toy:main", "toy:low-corrected"), ("toy:main",))
    # Of the theorem itself the printed width stays, whatever its correction asks for.
    (found,) = theorems(
        main, form("main-corrected", 2, "holds", scope="repaired"), form("low", 4, "holds", printed=True)
    )
    assert found == ("toy:main", 50, 50, ("toy:main", "toy:low"), ("toy:main",))
    shown = _theorems((main, low), {}, {"toy": paper}, None)
    lines = needs_shown.table(Plan(None, (main, low), tuple(shown)))
    assert lines[-1] == "       700  toy:main (refuted; false as printed; printed m >= 50; by width of toy:low)"
    assert "toy:low (refuted, false as printed): m >= 700" in lines


def test_what_was_not_selected_is_not_said_to_be_within_reach(wide: Claim) -> None:
    def statement(name: str, label: str, *uses: str) -> Statement:
        return Statement(f"toy:{name}", label, "a title", "deterministic", "ntk", "page 1", ByClaim(), uses)

    both = statement("wide", "Theorem 1", "toy:other"), statement("main", "Theorem 2", "toy:wide", "toy:other")
    paper = Paper("toy", "T", ("A",), 2020, (statement("other", "Lemma 3"), *both))
    forms = {"toy:wide": ("toy:wide",), "toy:other": ("toy:other",)}
    for width, answer in ((200, None), (100, False)):
        config = RunConfig(at={"m": width}, forms=forms)
        # Nothing at all is said of a theorem of which only some of what it rests on was selected.
        (theorem,) = plan([wide], config, {"toy": paper}, SOLVERS).theorems
        assert (theorem.id, theorem.within, theorem.unselected) == ("toy:wide", answer, ("toy:other",))


def test_no_width_is_said_to_be_enough_where_no_claim_is_about_the_theorem_or_what_it_rests_on(wide: Claim) -> None:
    def statement(name: str, label: str, *uses: str, kind: str = "deterministic") -> Statement:
        return Statement(f"toy:{name}", label, "a title", kind, "ntk", "page 1", Open("no claim is written yet"), uses)

    fixed = statement("fixed", "Definition 1", kind="definition")
    low = statement("wide", "Theorem 1", "toy:fixed"), statement("eq-2", "(2)")
    main = statement("main", "Theorem 2", "toy:wide", "toy:eq-2")
    paper = Paper("toy", "T", ("A",), 2020, (fixed, *low, main))
    config = RunConfig(at={"m": 200}, forms={"toy:wide": ("toy:wide",)})
    found = plan([wide], config, {"toy": paper}, SOLVERS)
    assert [(theorem.id, theorem.within, theorem.untested) for theorem in found.theorems] == [
        ("toy:wide", True, ()),
        ("toy:main", None, ("toy:main", "toy:eq-2")),
    ]
    lines = needs_shown.table(found)
    assert "    which width is enough is not known: no claim is about main, eq-2" in lines
    assert "within reach of m = 200: 1 of 2: toy:wide" in lines
    assert "not known to be within reach of m = 200: 1 of 2: toy:main" in lines
    low_width = plan([wide], replace(config, at={"m": 100}), {"toy": paper}, SOLVERS)
    assert [theorem.within for theorem in low_width.theorems] == [False, False]


def test_a_premise_that_no_choice_meets_leaves_no_width_for_it_nor_for_what_rests_on_it() -> None:
    def seen(m: int, n: int, s: int) -> float:
        raise AssertionError("the planner measured something")

    def statement(name: str, label: str, *uses: str) -> Statement:
        return Statement(f"toy:{name}", label, "a title", "deterministic", "ntk", "page 1", ByClaim(), uses)

    paper = Paper("toy", "T", ("A",), 2020, (statement("few", "Lemma 1"), statement("main", "Theorem 2", "toy:few")))
    fields: dict[str, Any] = {"statement": "toy:few", "regime": Regime(cells=[{"m": 5, "n": 4, "s": 1}])}
    with declared(seen, premises=["m >= 10*n", "few points: n <= 3"], **fields) as made:
        (theorem,) = plan([made], RunConfig(), {"toy": paper}, SOLVERS).theorems
        assert (theorem.width, theorem.barred, theorem.premise) == (None, ("toy:few",), "n <= 3")
        assert need_of(made, RunConfig(), SOLVERS).why == solving.NO_WIDTH
        assert need_of(made, RunConfig(at={"n": 3}), SOLVERS).width == 30
        assert "    fails: few points: n <= 3" in needs_shown.table(plan([made], RunConfig(), {}, SOLVERS))
    # A sparsity can be chosen, and is no larger than the width.
    with declared(seen, premises=["s >= 2*n", "m >= n"], **fields) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert (need.width, need.chosen) == (8, {"s": 8})
        assert [need_of(made, RunConfig(at={"m": m}), SOLVERS).within for m in (7, 8)] == [False, True]
        need = need_of(made, RunConfig(at={"s": 1}), SOLVERS)
        assert (need.width, need.lacking) == (None, ("s >= 2*n",))
    # Where one choice limits another, the width is sought at which both can be met.
    with declared(seen, premises=["s*log(m) >= 7*n", "m >= 100*s"], **fields) as made:
        need = need_of(made, RunConfig(), SOLVERS)
        assert need.width is not None
        assert (need.width, need.chosen) == (500, {"s": 5})


def test_a_largest_width_that_a_premise_compares_with_the_least_is_taken_as_equal_to_it() -> None:
    def seen(m: int, n: int, M: int) -> float:
        raise AssertionError("the planner measured something")

    state_meanings("toy", {"M": "largest width"})
    cells = Regime(cells=[{"m": 5, "n": 4, "M": 6}])
    with declared(seen, statement="toy:two", premises=["m >= 10*n", "m <= M", "2*m >= M"], regime=cells) as made:
        assert need_of(made, RunConfig(), SOLVERS).width == 40


def test_a_depth_from_which_other_symbols_are_computed_is_found_by_trial() -> None:
    def seen(m: int, L: int, beta_: float) -> float:
        raise AssertionError("the planner measured something")

    regime = Regime(cells=[{"m": 5, "L": 2}], derived={"beta_": lambda L: 1.0 / L})
    with declared(seen, statement="toy:deep", premises=["m >= L/beta_"], regime=regime) as made:
        need = need_of(made, RunConfig(at={"m": 100}), SOLVERS)
        assert (need.sizes["L"], need.unsolved) == (10, ())
