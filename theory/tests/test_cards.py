"""What a claim's card says, and the story with it: sentences, counterexamples, formulas, and what a replay comes to."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims.regime import Regime, grid
from theory.core.statements import Statement, Suspect
from theory.core.verdict import Verdict
from theory.evidence import Search, Trials
from theory.judging.counterexamples import SMALLEST, STRONGEST
from theory.judging.judge import Row
from theory.judging.sight import Sight
from theory.papers import papers
from theory.reports import words
from theory.reports.expected import ExpectationError, asking, of_row, parse
from theory.reports.ledger import Suite, entry, to_json
from theory.reports.page import page
from theory.reports.page.cards import shown_claims, shown_statements
from theory.reports.page.formulas import compared, mathml, prose, typeset
from theory.reports.report import story, table
from theory.running.config import RunConfig
from theory.tests.fakes import formula, row

SUITE = Suite("0.1.0", "abcdef", "quick", 3, started="2020-01-01T00:00:00", seconds=1.5)

_DRAWN: dict[str, Any] = {
    "regime": Regime(cells=grid(m=[4, 2]), draw={"x": st.floats(0.0, 4.0)}),
    "bound": formula(lambda m: 1.0, "1"),
    "expected": Verdict.REFUTED,
    "evidence": Search(examples=40),
}


def missing() -> Row:
    """A row that a search refuted: the measurement is x, and the bound 1."""
    return row(lambda m, x: x, **_DRAWN)


def of_a_paper(found: Row, tail: str = "") -> Row:
    """The row as that of a statement of a paper that there is."""
    statement = papers()["zou2018"].statements[0].id
    return replace(found, claim=replace(found.claim, id=f"{statement}{tail}", statement=statement, paper="zou2018"))


def rated(failing: float, **block: Any) -> Row:
    """A row of trials of which a share fails, where a tenth may."""

    def drawn(m: int, rng: np.random.Generator) -> float:
        return 2.0 if rng.random() < failing else 0.4 + 0.1 * rng.random()

    regime, one = Regime(cells=grid(m=[4], delta=[0.1])), formula(lambda: 1.0, "1")
    return row(drawn, regime=regime, bound=one, evidence=Trials(rate="delta"), **block)


def shown(*rows: Row) -> str:
    return page(to_json(rows, SUITE), {})


class TestCounterexamples:
    def test_the_smallest_stands_in_the_least_sizes_and_the_strongest_misses_by_most(self) -> None:
        found = missing()
        smallest, strongest = found.finding.counterexamples
        assert (smallest.which, strongest.which) == (SMALLEST, STRONGEST)
        assert smallest.at["m"] == 2
        assert 1.0 < smallest.ratio < strongest.ratio <= 4.0
        assert strongest.measured == strongest.at["x"] == strongest.ratio

    def test_the_line_of_each_measures_it_again(self) -> None:
        found = missing()
        for example in found.finding.counterexamples:
            at = {name: example.at[name] for name in ("m", "x")}
            again = row(lambda m, x: x, RunConfig(at=at), **_DRAWN)
            assert again.worst is not None
            assert again.worst.ratio == example.ratio
            assert f"--at m={at['m']},x={at['x']!r}" in found.measuring(example.at)

    def test_rows_that_pass_and_trials_have_none(self) -> None:
        assert row(lambda m: 0.5).finding.counterexamples == ()
        assert rated(0.5).finding.counterexamples == ()

    def test_the_story_and_the_page_have_the_same_words(self) -> None:
        found = of_a_paper(missing())
        said = words.verdict(entry(found))
        assert said.startswith("False: at m = ")
        assert f"in words   {said}" in story(found)
        assert re.sub("<[^>]*>", "", shown(found)).replace("\N{NO-BREAK SPACE}", " ").count(said) == 1
        lines = "\n".join(story(found))
        assert re.search(r"smallest   at m = 2, x = \S+: measured \S+, where at most 1 is claimed", lines)
        assert re.search(r"strongest  at m = \d, x = ", lines)


class TestReplay:
    @pytest.mark.parametrize(
        ("asked", "alike", "said"),
        [
            ("ratio 0.5, holds", True, "as in the ledger: ratio 0.5, holds"),
            ("ratio 0.502, holds", True, "as in the ledger: ratio 0.5, holds"),
            (
                "ratio 0.6, holds",
                False,
                "not as in the ledger: ratio 0.5, holds, where the ledger has ratio 0.6, holds",
            ),
            (
                "ratio 0.5, refuted",
                False,
                "not as in the ledger: ratio 0.5, holds, where the ledger has ratio 0.5, refuted",
            ),
        ],
    )
    def test_a_run_says_whether_it_came_to_what_the_ledger_has(self, asked: str, alike: bool, said: str) -> None:
        assert parse(asked).said_of(row(lambda m: 0.5, bound=formula(lambda m: 1.0))) == (alike, said)

    def test_one_trial_decides_no_rate(self) -> None:
        whole = rated(0.0)
        assert whole.verdict is Verdict.SUPPORTED
        assert whole.worst is not None
        one = rated(0.0, config=RunConfig(at=whole.worst.worst))
        assert one.verdict is Verdict.UNDECIDED
        alike, said = parse(of_row(whole)).said_of(one)
        assert alike
        assert re.fullmatch(r"as in the ledger: ratio 0\.\d+; one trial decides nothing, all of them: supported", said)

    def test_what_a_row_says_is_read_again(self) -> None:
        for found in (missing(), row(lambda m: 0.0), row(lambda m: float("inf"))):
            assert parse(of_row(found)).text == of_row(found)
            assert parse(of_row(found)).said_of(found)[0]
        assert of_row(row(lambda m: 1 / 0)) == ""
        assert asking("pytest --claim a", "") == "pytest --claim a"

    @pytest.mark.parametrize("text", ["", "refuted", "ratio, refuted", "ratio 1.2", "ratio x, holds", "ratio 1, true"])
    def test_what_says_no_number_and_verdict_is_refused_in_a_line(self, text: str) -> None:
        with pytest.raises(ExpectationError, match=r"^--expect: [^\n]*; write them as in 'ratio 0.97, holds'$"):
            parse(text)


class TestTrials:
    def test_failures_stand_beside_the_rate_and_no_ratio_above_1(self) -> None:
        found = of_a_paper(rated(0.02))
        assert found.verdict is Verdict.SUPPORTED
        assert found.worst is not None
        assert found.worst.ratio == 2.0
        failed, trials = found.counted or (0, 0)
        assert failed > 1
        told = entry(found)
        assert words.failures(told) == f"{failed} of {trials:,} trials fail, where a share of delta = 0.05 to 0.1 may"
        assert f"{failed}/{trials} fail" in table([found], 200)[2]
        text = shown(found)
        card = text[text.index("<article class=claim") : text.index("</article>")]
        assert f"{failed} of {trials:,} trials fail" in card
        assert ">ratio<" not in card
        assert any(line.startswith("worst      ratio 2, a failure at") for line in story(found))

    def test_none_is_told_in_words(self) -> None:
        assert words.failures(entry(rated(0.0))).startswith("none of ")
        assert words.failures(entry(row(lambda m: 0.5))) == ""


class TestWhatIsSeen:
    def test_blind_without_a_reason_is_no_evidence(self) -> None:
        found = of_a_paper(row(lambda m: float(m), bound=formula(lambda m: 2.0 * m, "2*m")))
        blind = Sight(blind={"m": "too loose"})
        lacking = replace(found, finding=replace(found.finding, sight=blind))
        excused = replace(lacking, claim=replace(lacking.claim, blind={"m": "another row sees it"}))
        assert "no evidence: too loose" in shown(lacking)
        assert "need not be seen" not in shown(lacking)
        assert "need not be seen: another row sees it" in shown(excused)
        assert "no evidence: too loose" not in shown(excused)

    @pytest.mark.parametrize(
        ("measured", "said"),
        [
            (0.97, "a bound 3 % tighter would have failed"),
            (0.99995, "any tighter bound would have failed: this one is attained"),
            (0.25, "a bound tighter by a factor of 4 would have failed, and none before"),
            (0.0, "no bound above 0 would have failed"),
        ],
    )
    def test_what_would_have_been_noticed_is_said_in_words(self, measured: float, said: str) -> None:
        assert words.caught(entry(row(lambda m: measured, bound=formula(lambda m: 1.0)))) == said

    def test_of_a_refuted_row_it_is_said_how_far_it_misses(self) -> None:
        found = entry(missing())
        easier = 100.0 * (found["counterexamples"][-1]["ratio"] - 1.0)
        assert words.caught(found) == f"a bound {easier:,.0f} % easier to meet would have been refuted as well"

    def test_outside_its_premises_nothing_is_said(self) -> None:
        assert words.caught({**entry(row(lambda m: 0.97)), "verdict": "vacuous"}) == ""


class TestForms:
    def test_the_forms_of_a_statement_stand_together_with_links_between_them(self) -> None:
        ledger = to_json([of_a_paper(missing()), of_a_paper(row(lambda m: 0.5), "-corrected")], SUITE)
        (statement,) = shown_statements(ledger, shown_claims(ledger, {}))
        assert [form["form"] for form in statement["forms"]] == ["as printed", "corrected"]
        assert statement["url"] == papers()["zou2018"].url
        text = page(ledger, {})
        identifier = ledger["claims"][0]["id"]
        tabs = text[text.index("<nav class=tabs") :]
        assert (
            tabs.index(f'href="#{identifier}"') < tabs.index(f'href="#{identifier}-corrected"') < tabs.index("</nav>")
        )

    def test_the_printed_form_stands_beside_its_repair_with_the_difference_marked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        half = row(lambda m: 0.5, bound=formula(lambda m: 2.0, "2"))
        printed, repaired = of_a_paper(missing()), of_a_paper(half, "-corrected")
        record = papers()["zou2018"].statements[0]
        doubt = Suspect(
            "the factor", "false as printed", "One is too small.", (printed.claim.id,), (repaired.claim.id,)
        )
        known: dict[str, Statement] = {record.id: replace(record, suspect=doubt)}
        monkeypatch.setattr(words, "find_statement", known.get)
        ledger = to_json([printed, repaired], SUITE)
        claim, other = shown_claims(ledger, {})
        assert [side["verdict"] for side in claim["pair"]["sides"]] == ["refuted", "holds"]
        assert 'class="d"' in claim["pair"]["sides"][0]["formula"]
        assert other["pair"] is None
        assert claim["said"].startswith("False as printed: at ")
        known[record.id] = replace(record, kind="experiment", suspect=replace(doubt, decision="not reproduced"))
        assert shown_claims(ledger, {})[0]["said"].startswith("Not reproduced: at ")

    def test_a_ledger_of_before_is_shown_without_what_it_lacks(self) -> None:
        ledger = to_json([of_a_paper(missing())], SUITE)
        older = [
            {k: v for k, v in c.items() if k not in ("counterexamples", "expect", "typeset")} for c in ledger["claims"]
        ]
        text = page({**ledger, "claims": older}, {})
        assert "--expect" not in text
        assert "strongest" not in text


SYMBOLS = {"m": "m", "n": "n", "beta_": r"\beta", "normV1": r"\|V^{(1)}\|", "outputs": "d", "tau": r"\tau", "a": "a"}


class TestFormulas:
    def test_symbols_in_prose_are_set_as_in_formulas_and_words_are_left(self) -> None:
        said = prose("a width m, beta_ and normV1 <b>; outputs of (m.7), by tau", SYMBOLS)
        assert said.startswith("a width <i>m</i>, <i>\u03b2</i> and <math>")
        assert "&lt;b&gt;; outputs of (m.7), by <i>\u03c4</i>" in said
        assert prose("m's, 'm", {"m": "m", "s": "s"}) == "<i>m</i>&#39;s, &#39;<i>m</i>"
        assert prose(said.striptags(), {}) == said.striptags().replace("<", "&lt;").replace(">", "&gt;")

    @pytest.mark.parametrize(
        ("text", "latex"),
        [
            ("sqrt(m)/(2*n)", r"\frac{\sqrt{m}}{2 n}"),
            ("(m + n)**2*beta_", r"{\left(m + n\right)}^{2} \beta"),
            ("m - (n - 1)", r"m - \left(n - 1\right)"),
            ("m**(2/3) >= 3*normV1", r"{m}^{2/3} \geq 3 \|V^{(1)}\|"),
            ("-32*m*n + 1", r"-32 m n + 1"),
            ("1 - 1/m", r"1 - \frac{1}{m}"),
            ("-1/(4*m)", r"-\frac{1}{4 m}"),
            ("2*(-m*n)", r"2 \left(-m n\right)"),
            ("Min(1, -m)", r"\min\left(1, -m\right)"),
            ("3.02e42*m", r"3.02 \cdot 10^{42} m"),
        ],
    )
    def test_formulas_in_python_are_set(self, text: str, latex: str) -> None:
        assert typeset(text, SYMBOLS) == mathml(latex)

    @pytest.mark.parametrize("text", ["no formula", "x if m else n", "m.real", "f(x=1)", "<b>", "True"])
    def test_what_is_no_formula_stays_text(self, text: str) -> None:
        assert "<math>" not in typeset(text, SYMBOLS)
        assert "<b>" not in typeset(text, SYMBOLS)

    def test_what_two_formulas_have_not_in_common_is_marked(self) -> None:
        first, second = compared(r"L + \frac{3}{4}", r"L + \frac{1}{4}")
        assert first == '<math><mi>L</mi><mo>+</mo><mfrac><mn class="d">3</mn><mn>4</mn></mfrac></math>'
        assert second.count('class="d"') == 1
        assert compared("a b", "a b") == (mathml("a b"), mathml("a b"))
        longer, shorter = compared("a b c", "a c")
        assert (longer.count('class="d"'), shorter.count('class="d"')) == (1, 0)
