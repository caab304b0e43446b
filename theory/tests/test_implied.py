"""Which controls by hand are implied by what their row refutes by itself, and which of these may go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import strategies as st

from bounds.bound import Bound
from bounds.parse import parse_formula
from theory.claims import control, registry
from theory.claims.block import Claim, Control
from theory.claims.regime import Regime, grid
from theory.core.verdict import Verdict
from theory.evidence import Proof, Scaling, Step, Trials
from theory.judging.judge import judge
from theory.reports.ledger import Suite, to_json
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, declared
from theory.upkeep.implied import Implied, changes_the_bound_alone, main, superfluous

SUITE = Suite("0.1.0", "abc", "quick", 0)
SIZES = Regime(cells=grid(m=[2, 4, 8], n=[2, 3]))
ZERO = control("0 in its place", bound="m - m*n**0")
# Stays in any case: what it changes is no bound.
TURNED = control("ten times", times=10.0)


def product(m: int, n: int, *, times: float = 1.0) -> float:
    return 0.9 * times * m**2 * n


def judged(function: Any, **block: Any) -> tuple[Claim, dict[str, Any]]:
    """A claim and its row in a ledger."""
    with declared(function, **block) as claim:
        (entry,) = to_json([judge(claim, RunConfig(), ALPHA)], SUITE)["claims"]
    return claim, json.loads(json.dumps(entry))


def going(function: Any, *controls: Control, **block: Any) -> dict[str, str]:
    """The controls that may go beside one that stays, each with the reason."""
    claim, row = judged(function, controls=[*controls, TURNED], **{"regime": SIZES, "bound": "m**2*n", **block})
    return {entry.control: entry.why for entry in superfluous(claim, [row])}


class TestMultiples:
    def test_a_number_on_the_refuted_side_of_the_power_is_implied(self) -> None:
        half, near = control("half", bound="m**2*n/2"), control("near the edge", bound="85*m**2*n/100")
        assert going(product, half, near) == {"half": "the bound times 0.5, where the power of the row is x0.9"}

    def test_a_lower_bound_is_refuted_from_above(self) -> None:
        block: dict[str, Any] = {"bound": "m/2", "sense": ">=", "regime": Regime(cells=grid(m=[2, 4]))}
        wrong = [control("twice", bound="m"), control("a third more", bound="2*m/3"), control("half", bound="m/4")]

        def width(m: int, *, times: float = 1.0) -> float:
            return 0.6 * m / times

        claim, row = judged(width, controls=[*wrong[:2], TURNED], **block)
        assert [entry.control for entry in superfluous(claim, [row])] == ["twice", "a third more"]
        claim, row = judged(lambda m, *, times=1.0: 0.56 * m / times, controls=[wrong[1], TURNED], **block)
        assert [entry.control for entry in superfluous(claim, [row])] == ["a third more"]
        row["power"]["value"] = 0.8
        assert superfluous(claim, [row]) == []

    def test_the_power_of_trials_is_no_factor(self) -> None:
        def small(rng: np.random.Generator, m: int, n: int, *, times: float = 1.0) -> float:
            return product(m, n, times=times) * (1.0 if rng.random() < 0.5 else 0.001)

        assert going(small, control("half", bound="m**2*n/2"), evidence=Trials(0.01)) == {}


class TestOwnVariants:
    def test_a_power_that_is_moved_as_far_is_implied(self) -> None:
        wrong = [
            control("without n", bound="m**2"),
            control("no square", bound="m*n"),
            control("n**2", bound="m**2*n**2"),
        ]
        assert going(product, *wrong) == {
            "without n": "the row refutes n: frozen at 2",
            "no square": "the row refutes m: times (m/2)**(-1/2)",
        }

    def test_a_variant_of_another_symbol_says_something_else(self) -> None:
        claim, row = judged(
            product, controls=[control("without n", bound="m**2"), TURNED], regime=SIZES, bound="m**2*n"
        )
        row["own_variants"]["refuted"] = [text for text in row["own_variants"]["refuted"] if text.startswith("m")]
        assert superfluous(claim, [row]) == []

    def test_one_that_is_moved_less_stays(self) -> None:
        """The row refutes n**(-1/2) more, and nothing is known of n**(-1/100) more."""
        assert going(product, control("a little less", bound="m**2*n**(99/100)")) == {}

    def test_the_anchor_counts(self) -> None:
        """Without n the bound is half at n = 2, and a third at n = 3; with 3/n in its place more at n = 2."""
        assert going(product, control("a third for n", bound="3*m**2")) == {}
        assert list(going(product, control("1 for n", bound="m**2"))) == ["1 for n"]

    def test_a_term_left_out_is_implied(self) -> None:
        def both(m: int, n: int, *, times: float = 1.0) -> float:
            return 0.9 * times * (m**2 + 5.0 * n)

        wrong = control("no n", bound="m**2"), control("10 n", bound="m**2 + 10*n")
        claim, row = judged(both, controls=[*wrong, TURNED], regime=SIZES, bound="m**2 + 5*n")
        row["own_variants"]["refuted"] = ["without term 5*n"]
        assert superfluous(claim, [row]) == [Implied("no n", "the row refutes without term 5*n")]

    def test_what_cells_leave_open_must_not_matter(self) -> None:
        """The range of what is drawn is not known: a control follows where it is a multiple of the variant alone."""

        def drawn(m: int, a: float, *, times: float = 1.0) -> float:
            return 0.9 * times * m * a

        block: dict[str, Any] = {
            "bound": "m*a",
            "regime": Regime(cells=grid(m=[2, 4]), draw={"a": st.sampled_from([2.0, 8.0])}, pinned=[{"a": 2.0}]),
        }
        claim, row = judged(drawn, controls=[control("no a", bound="m"), control("1/a", bound="m/a"), TURNED], **block)
        assert "a: frozen at 2" in row["own_variants"]["refuted"]
        assert superfluous(claim, [row]) == [Implied("no a", "the row refutes a: frozen at 2")]
        row["own_variants"]["refuted"] = ["a: times (a/2)**(-1/2)"]
        assert superfluous(claim, [row]) == []

    def test_a_function_that_is_given_the_bound_is_left_alone_but_in_a_proof(self) -> None:
        def line(bound: Any, *, times: float = 1.0) -> list[Step]:
            return [Step("below", times * (1.0 - x) <= float(bound.evaluate({"x": x}))) for x in (0.0, 0.5, 1.0)]

        block: dict[str, Any] = {"measured": ["x"], "regime": Regime(cells=grid()), "evidence": Proof()}
        wrong = control("a third", bound="1/3"), control("two thirds", bound="2/3")
        assert going(line, *wrong, bound="1/(1 + x)", **block) == {"a third": "the row refutes x: frozen at 1"}

        def knowing(bound: Any, m: int, n: int, *, times: float = 1.0) -> float:
            return 0.9 * times * float(bound.evaluate({"m": m, "n": n}))

        assert going(knowing, control("half", bound="m**2*n/2")) == {}


class TestFits:
    """Exponents are held against what was measured, and a fitted constant takes up a number."""

    BLOCK: ClassVar[dict[str, Any]] = {
        "bound": "C*m**2",
        "constants": {"C": (1, "fitted")},
        "regime": Regime(calibration=grid(m=[4, 8, 16]), cells=grid(m=[32, 64])),
    }

    @staticmethod
    def power(rng: np.random.Generator, m: int, *, times: float = 0.0) -> float:
        return float(m ** (2.0 + times) * np.exp(0.01 * rng.standard_normal()))

    def found(self, agreement: str, *controls: Control) -> dict[str, str]:
        plan = Scaling({"m": agreement}, constant="C", replicates=20)
        return going(self.power, *controls, evidence=plan, **self.BLOCK)

    def test_an_exponent_outside_of_the_interval_is_implied(self) -> None:
        cube, root = control("cube", bound="C*m**3"), control("root", bound="C*sqrt(m)")
        near = control("201/100", bound="C*m**(201/100)")
        assert list(self.found("equal", cube, root, near)) == ["cube", "root"]
        assert list(self.found("at most", cube, root, near)) == ["root"]
        assert self.found("equal", cube)["cube"].startswith("the exponent 3 of m, measured in [")

    def test_so_is_a_variant_that_was_refuted_up_to_a_number(self) -> None:
        flat = [control("no m, 7 times", bound="7*C"), control("no m, nor a constant", bound="7")]
        claim, row = judged(
            self.power,
            evidence=Scaling({"m": "equal"}, constant="C", replicates=20),
            controls=[*flat, TURNED],
            **self.BLOCK,
        )
        row["evidence"]["exponents"] = {}
        (only,) = superfluous(claim, [row])
        assert only == Implied("no m, 7 times", "the row refutes m: frozen at 4")


class TestWhatStays:
    HALF = control("half", bound="m**2*n/2")

    def test_only_what_changes_the_bound_alone_is_asked_about(self) -> None:
        assert changes_the_bound_alone(Control("half", bound=Bound(parse_formula("m**2*n/2"))))
        assert not changes_the_bound_alone(TURNED)
        assert not changes_the_bound_alone(Control("elsewhere", bound=Bound(parse_formula("m")), cells=({"m": 2},)))

    def test_all_may_go_where_two_own_ones_are_refuted(self) -> None:
        claim, row = judged(product, controls=[self.HALF], regime=SIZES, bound="m**2*n")
        assert superfluous(claim, [row]) == [Implied("half", "the bound times 0.5, where the power of the row is x0.9")]
        row["own_variants"]["refuted"] = ["m: frozen at 2"]
        assert superfluous(claim, [row]) == []
        row["own_variants"]["refuted"] = ["m: frozen at 2", "n: frozen at 2"]
        assert superfluous(claim, [{**row, "blind": {"n": {"found": "", "declared": ""}}}]) == []
        assert superfluous(claim, [{**row, "blind": {"premise n <= m": {"found": "", "declared": ""}}}]) != []

    def test_one_that_is_more_than_a_tiny_multiple_stays(self) -> None:
        tiny = control("a millionth", bound="m**2*n/10**6")
        claim, row = judged(product, controls=[tiny, self.HALF], regime=SIZES, bound="m**2*n")
        row["own_variants"]["refuted"] = []
        assert [entry.control for entry in superfluous(claim, [row])] == ["a millionth"]

    def test_so_does_a_control_that_is_a_printed_form(self) -> None:
        assert going(product, control("half, as printed", bound="m**2*n/2")) == {}
        half = parse_formula("m**2*n/2")
        assert list(going(product, control("half", bound=Bound(half)))) == ["half"]
        assert going(product, control("half", bound=Bound(half, source="toy, Lemma 1"))) == {}

    def test_it_has_to_be_implied_in_every_ledger(self) -> None:
        claim, row = judged(product, controls=[self.HALF, TURNED], regime=SIZES, bound="m**2*n")
        other = {**row, "power": {**row["power"], "value": 0.5}, "blind": {}}
        assert superfluous(claim, [row, row]) != []
        assert superfluous(claim, [row, other]) == []
        assert superfluous(claim, []) == []

    def test_an_erratum_keeps_its_controls(self) -> None:
        block: dict[str, Any] = {"bound": "m**2*n/4", "regime": SIZES, "expected": Verdict.REFUTED}
        claim, row = judged(product, controls=[control("an eighth", bound="m**2*n/8"), TURNED], **block)
        assert superfluous(claim, [row]) == []

    @pytest.mark.parametrize("words", [{"note": "a control shows it"}, {"blind": {"n": "a control has none"}}], ids=str)
    def test_so_does_a_claim_whose_words_are_about_a_control(self, words: dict[str, Any]) -> None:
        claim, row = judged(product, controls=[self.HALF, TURNED], regime=SIZES, bound="m**2*n", **words)
        assert superfluous(claim, [row]) == []


def test_the_command_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    claim, row = judged(product, controls=[TestWhatStays.HALF, TURNED], regime=SIZES, bound="m**2*n")
    (tmp_path / "ledger.json").write_text(json.dumps({"claims": [row]}))
    monkeypatch.setattr(registry, "load_claims", lambda: [claim])
    assert main([str(tmp_path / "ledger.json")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "toy:statement: 'half': the bound times 0.5, where the power of the row is x0.9",
        "1 controls by hand are implied by what their rows refute",
    ]
    assert main([]) == 2
