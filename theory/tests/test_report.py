"""What the terminal shows: one line per claim that fits, the counts, and the whole story of one claim."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core import progress
from theory.core.verdict import Verdict
from theory.evidence import Proof, Scaling, Search, Step, Trials
from theory.judging.judge import Row
from theory.reports.report import SETTING_WIDTH, story, summary, table
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, FakePremise, chosen, formula, row

THOROUGH = RunConfig(seed=2, effort="thorough")
ELSEWHERE = RunConfig(seed=2, at={"m": 5})


def toy(name: str = "statement", **block: Any) -> Row:
    function = block.pop("function", lambda m: m / 10)
    return row(function, block.pop("config", None), statement=f"toy:{name}", **block)


class TestTable:
    def test_it_has_one_line_per_claim_in_order(self) -> None:
        lines = table([toy("b"), toy("a", function=lambda m: 2.0)], 100)
        assert lines[0].split() == ["claim", "title", "verdict", "premises", "ratio", "power", "controls", "time"]
        assert set(lines[1]) == {"-", " "}
        assert [line.split()[0] for line in lines[2:]] == ["toy:a", "toy:b"]
        assert "refuted !" in lines[2]
        assert "!" not in lines[3]
        assert "1/1" in lines[3]

    def test_titles_give_way_to_the_width(self) -> None:
        rows = [toy(title="a title that goes on for longer than any terminal is wide " * 3)]
        for width in (100, 120):
            lines = table(rows, width)
            assert max(map(len, lines)) <= width
            assert "…" in lines[2]
        assert rows[0].claim.title in table(rows, 400)[2]

    def test_a_row_without_a_number_says_nan(self) -> None:
        assert " nan " in table([toy(function=lambda m: float("nan"))], 100)[2]


def test_the_summary_counts() -> None:
    rows = [toy("a"), toy("b"), toy("c", function=lambda m: 2.0)]
    lines = summary(rows)
    assert lines[0] == "3 claims: 2 holds, 1 refuted"
    assert lines[1] == "3 of 3 negative controls by hand refuted"
    assert lines[2] == "toy:c is not as expected; again: pytest --claim toy:c --seed 0 --at m=4"
    assert lines[3].startswith("0 cells and 0 instances set aside as trivial")
    assert len(lines) == 4  # no paper lists these


def test_the_summary_names_the_line_that_shows_again_what_is_not_as_expected() -> None:
    weak = control("generous", bound=formula(lambda: 100.0))
    even = Trials(rate=0.5, budget=4)
    seed = RunConfig(seed=7)
    undecided = toy("even", function=lambda m, rng: 2.0 * rng.random(), evidence=even, config=seed)
    assert undecided.verdict is Verdict.UNDECIDED
    rows = [
        toy("caught", config=seed),
        toy("alive", controls=[NEVER, weak], config=seed),
        undecided,
        toy("thorough", function=lambda m, rng: 2.0 * rng.random(), evidence=even, config=THOROUGH),
        toy("elsewhere", controls=[NEVER, weak], config=ELSEWHERE),
        toy("raises", function=lambda m: 1 / 0, config=seed),
        toy("erratum", expected=Verdict.REFUTED, config=seed),
    ]
    told = [line.split("; again: ")[1] for line in summary(rows) if "not as expected" in line]
    assert told == [
        "pytest --claim toy:alive --seed 7",
        "pytest --claim toy:even --seed 7",
        "pytest --claim toy:thorough --seed 2 --effort thorough",
        "pytest --claim toy:elsewhere --seed 2 --at m=5",
        "pytest --claim toy:raises --seed 7",
        "pytest --claim toy:erratum --seed 7",
    ]


def test_a_rate_that_would_hardly_have_been_missed_is_supported_weakly() -> None:
    """Where no judged cell would have caught one failure in four, the verdict says so, everywhere a reader looks."""

    def never(rng: np.random.Generator, m: int) -> float:
        return 0.5 * float(rng.random())

    weak, strong = (toy(name, function=never, evidence=Trials(rate=r)) for name, r in (("a", 0.4), ("b", 0.1)))
    assert (weak.weak, strong.weak) == (True, False)
    assert "supported, weakly" in table([weak], 100)[2]
    assert summary([weak, strong])[0] == "2 claims: 1 supported, 1 supported, weakly"
    assert any(line.startswith("verdict    supported, weakly (") for line in story(weak))
    assert not any("weakly" in line for line in story(strong))
    regime = Regime(cells=grid(m=4, delta=[0.4, 0.1]))
    mixed = toy("c", function=never, regime=regime, evidence=Trials())
    assert not mixed.weak  # one cell that sees much is enough
    assert not toy("d").weak


def test_the_summary_names_what_a_paper_leaves_open() -> None:
    rows = [row(lambda m: 0.5, statement="zou2018:lemma-A.7")]
    assert summary(rows)[3].startswith("zou2018: ")
    assert summary(rows)[3].endswith(" open")


def test_the_summary_tells_trivial_from_outside() -> None:
    def smallest(premises: Any, name: str, at: Any) -> int | None:
        return None if at["L"] == 9 else 100

    block: dict[str, Any] = {"function": lambda m, L: 0.5, "bound": formula(lambda m: 9.0 * m, "9*m")}
    config = RunConfig(smallest=smallest)
    huge = toy("huge", regime=Regime(cells=grid(m=4, L=[2, 3])), ceiling=formula(lambda m: m), config=config, **block)
    narrow = toy(
        "narrow",
        regime=Regime(cells=grid(m=4, L=[2, 9])),
        premises=[FakePremise(lambda m: False)],
        config=config,
        **block,
    )
    lines = summary([huge, narrow])
    assert lines[-3:] == [
        "toy:huge is trivial: nothing that can be measured would miss its bound at m=4, L=2; m=4, L=3",
        "toy:narrow is outside its premises: it needs m >= 100 at L=2",
        "toy:narrow is outside its premises: no width m suffices at L=9",
    ]


class TestStory:
    def test_it_goes_from_the_statement_to_the_line_that_reproduces_it(self) -> None:
        def function(m: int, x: float) -> float:
            """The largest of the products of
            m and x.

            It is exact.
            """
            return m * x

        constants = {"C": chosen(2.0, "as in the proof")}
        bound = FakeBound(lambda m, x, C: C * m * x, "C*m*x", constants, note="on the product")
        weak = control("generous", bound=formula(lambda: 100.0))
        lines = story(
            toy(
                function=function,
                bound=bound,
                regime=Regime(cells=grid(m=[4, 8]), draw={"x": st.sampled_from([0.5])}),
                premises=[FakePremise(lambda m: True, "m >= 1", note="not empty", source="toy, (1)")],
                evidence=Search(examples=5, adversary="the worst vector"),
                note="a remark",
                controls=[NEVER, weak],
            )
        )
        text = "\n".join(lines)
        for line in (
            "toy:statement: a toy statement",
            "source     toy, Section 1; deterministic; theme activation",
            "claim      measured <= C*m*x",
            "  in words on the product",
            "constant   C = 2.0: as in the proof",
            "measures   The largest of the products of m and x.",
            "           It is exact.",
            "premise    m >= 1 (toy, (1))",
            "  in words not empty",
            "symbol     m: meaning of m",
            "symbol     x: meaning of x",
            "symbol     C: meaning of C",
            "note       a remark",
            "  adversary: the worst vector",
            "in words   No counterexample: the worst of 2 instances that were tried comes to 0.5 of its bound. "
            "But not all is as it should be: a control was not refuted, or a declaration is stale.",
            "power      bound x 0.5: a bound tighter by a factor of 2 would have failed, and none before",
            "numbers    C*4*0.5 = 4",
            "control    a bound nothing meets: refuted; bound times 1.25e-10 to 2.5e-10, ratio 2e+09, "
            "caught up to a factor 2e+09 on its bound",
            "control    generous: holds (NOT CAUGHT); bound times 12.5 to 25, ratio 0.04",
            "reproduce  pytest --claim toy:statement --seed 0 --at m=4,x=0.5 --expect 'ratio 0.5, holds'",
        ):
            assert line in lines, text
        assert any(line.startswith("declared   theory/tests/fakes.py:") for line in lines)
        assert any(line.startswith("verdict    holds (no counterexample found") for line in lines)
        assert all("\n" not in line for line in lines)

    def test_a_what_if_shows_both_bounds(self) -> None:
        lines = story(toy(bound=formula(lambda: 1.0, "1"), config=RunConfig(bound=formula(lambda: 2.0, "2"))))
        assert "claim      measured <= 2 (what if)" in lines
        assert "published  measured <= 1" in lines

    def test_it_tells_the_setting_of_the_paper_in_short_lines(self) -> None:
        lines = story(row(lambda m: 0.5, statement="zou2018:lemma-A.7"))
        at = next(number for number, line in enumerate(lines) if line.startswith("setting    f(x) = v^T "))
        assert lines[at + 1].startswith(" " * 11)
        assert max(map(len, lines[at : at + 3])) <= SETTING_WIDTH + 11

    def test_it_says_what_is_suspect_and_what_a_lemma_rests_on(self) -> None:
        lines = story(row(lambda m: 0.5, statement="zou2018:assumption-3.1"))
        assert any(line.startswith("suspect    the limit of the derivative") for line in lines)
        lines = story(row(lambda m: 0.5, statement="zou2018:lemma-A.7"))
        assert "uses       zou2018:corollary-A.2, zou2018:fact-bernstein" in lines

    def test_a_proof_lists_its_steps(self) -> None:
        lines = story(toy(function=lambda bound, m: [Step("first", True), Step("second", None)], evidence=Proof()))
        assert "  step     first: True" in lines
        assert "  step     second: None" in lines
        assert not any(line.startswith("numbers") for line in lines)  # steps are not held against its value

    def test_a_fit_shows_claimed_and_measured_exponents(self) -> None:
        def width(rng: np.random.Generator, m: int) -> float:
            return float(m) * (1.0 + 0.01 * float(rng.random()))

        lines = story(
            toy(
                function=width,
                bound=FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0}),
                regime=Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16])),
                evidence=Scaling({"m": "equal"}, constant="C"),
            )
        )
        (line,) = [line for line in lines if line.startswith("  exponent of m")]
        assert line.startswith("  exponent of m: claimed 1 (equal), measured ")
        assert line.endswith("-> consistent")

    def test_trials_and_cells_outside_are_told(self) -> None:
        lines = story(
            toy(
                function=lambda rng, m: 2.0 if rng.random() < 0.5 else 0.5,
                evidence=Trials(rate=0.2, budget=128),
                premises=[FakePremise(lambda m: m > 9, "m > 9")],
                config=RunConfig(smallest=lambda *asked: 10),
            )
        )
        (line,) = [line for line in lines if line.startswith("  m=4: ")]
        assert "failures in" in line
        assert line.endswith("extrapolated -> refuted")
        assert "needs      m >= 10" in lines
        assert "verdict    undecided" in "\n".join(lines)

    def test_a_claim_that_measured_nothing_finite_still_has_one(self) -> None:
        lines = story(toy(function=lambda m: float("nan")))
        assert any("a measurement is not a finite number" in line for line in lines)


def test_progress_reaches_the_listener_and_no_one_else() -> None:
    heard: list[progress.Progress] = []
    progress.listen(heard.append)
    try:
        toy("loud")
    finally:
        progress.listen(None)
    lines = [told.line for told in heard]
    assert lines[0] == "toy:loud at m=4: searching"
    assert lines[-1] == "toy:loud, control 'a bound nothing meets', at m=4: searching"
    count = len(heard)
    toy("silent")
    assert len(heard) == count
