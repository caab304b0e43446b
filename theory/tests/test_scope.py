"""The scope of a claim: what follows from its block, what the block may say, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest

from theory.claims.regime import Regime
from theory.core.measured import Measured
from theory.core.refusal import ClaimError
from theory.core.scope import MEANING, Scope
from theory.core.verdict import Verdict
from theory.evidence import Proof, Scaling
from theory.reports import noticed, report
from theory.reports.ledger import Suite, to_markdown
from theory.tests.fakes import FakeBound, FakePremise, chosen, declared, formula, row


def half(m: int) -> float:
    return 0.5


def losses(m: int) -> Measured:
    """The loss after a step, with the eigenvalue of that very run."""
    return Measured(0.5, symbols={"kerlow": 0.25, "eta": 1.0, "L0": 1.0})


HEADLINE: dict[str, Any] = {
    "kind": "convergence",
    "theme": "convergence",
    "bound": formula(lambda L0, eta, kerlow: L0 * (1.0 - eta * kerlow), "L0*(1 - eta*kerlow)"),
    "measured": ["kerlow", "eta", "L0"],
}
OURS = FakeBound(lambda C: C, "C", {"C": chosen(1.0, "hidden in the paper")})
STATED = FakeBound(lambda r: r, "r", {"r": chosen(1.5, "Theorem 5.1(i): norm of a layer output")})
WIDE = FakePremise(lambda m: True, "m >= c", {"c": chosen(1.0, "open in the paper")})

FOLLOWING: dict[str, tuple[dict[str, Any], Scope, str]] = {
    "a printed form": ({}, Scope.AS_PRINTED, ""),
    "a constant of the suite": ({"bound": OURS}, Scope.OWN_CONSTANTS, ""),
    "a constant of the suite in a premise": ({"premises": [WIDE]}, Scope.OWN_CONSTANTS, ""),
    "a constant that the paper states": ({"bound": STATED}, Scope.AS_PRINTED, ""),
    "a corrected form": ({"variant": "corrected", "bound": OURS}, Scope.REPAIRED, ""),
    "another corrected form": ({"variant": "run-corrected"}, Scope.REPAIRED, ""),
    "a form of its own": ({"variant": "sharp"}, Scope.PART, "a toy statement"),
    "a second printed form": ({"variant": "distance", "printed": True}, Scope.AS_PRINTED, ""),
    "every constant refuted": ({"variant": "any-constant"}, Scope.COUNTEREXAMPLE, "a toy statement"),
    "exponents": ({"kind": "implication"}, Scope.CHAIN, ""),
    "a chain of parameters": ({"theme": "parameter_chains"}, Scope.CHAIN, ""),
    "none inside": ({"expected": Verdict.VACUOUS}, Scope.VACUOUS, ""),
    "its own eigenvalue": (HEADLINE, Scope.CHAIN, ""),
    "its own eigenvalue, repaired": ({**HEADLINE, "variant": "corrected"}, Scope.CHAIN, ""),
}


@pytest.mark.parametrize("name", FOLLOWING)
def test_what_a_block_does_not_say_follows_from_it(name: str) -> None:
    block, scope, of = FOLLOWING[name]
    with declared(losses if "measured" in block else half, **block) as made:
        assert (made.scope.scope, made.scope.of, made.scope.declared) == (scope, of, False)


def test_a_fitted_constant_is_one_of_the_suite() -> None:
    with declared(
        lambda m: m / 2.0,
        bound=FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0, "fitted")}, {"m": 1.0}),
        evidence=Scaling({"m": "equal"}, constant="C"),
        regime=Regime(calibration=[{"m": 4}, {"m": 8}, {"m": 16}], cells=[{"m": 32}, {"m": 64}]),
    ) as made:
        assert (made.scope.scope, made.scope.constants) == (Scope.OWN_CONSTANTS, ("C",))


def test_a_headline_judged_by_its_own_constants_is_a_chain_at_most() -> None:
    with declared(losses, **HEADLINE) as made:
        assert made.scope.ceiling == "its own run reports kerlow"
    for scope in ("as printed: it is the theorem", "repaired", "steps: 1 of t", "at the start"):
        word = scope.split(":")[0]
        with (
            pytest.raises(
                ClaimError, match=rf"its scope is {word}, and its own run reports kerlow: that is a chain at most"
            ),
            declared(losses, **HEADLINE, scope=scope),
        ):
            pass


def test_a_constant_that_the_run_reports_in_place_of_its_value_counts_as_its_own() -> None:
    bound = FakeBound(lambda c0: c0, "c0", {"c0": chosen(1.0, "as the proof defines it")})
    block = {**HEADLINE, "bound": bound, "measured": ["c0"]}
    with declared(lambda m: Measured(0.5, symbols={"c0": 1.0}), **block) as made:
        assert (made.scope.ceiling, made.scope.constants) == ("its own run reports c0", ())


def test_symbols_known_otherwise_lift_the_ceiling_with_a_reason() -> None:
    known = {"kerlow": "the least eigenvalue of the limiting kernel, from the points alone"}
    with declared(losses, **HEADLINE, independent=known, scope="steps: 1 of t") as made:
        assert (made.scope.scope, made.scope.of, made.scope.ceiling) == (Scope.STEPS, "1 of t", "")
    with declared(losses, **HEADLINE, independent=known) as made:
        assert made.scope.scope is Scope.AS_PRINTED


def test_a_proof_and_a_statement_about_no_convergence_have_no_ceiling() -> None:
    with declared(losses, **{**HEADLINE, "kind": "deterministic"}) as made:
        assert made.scope.scope is Scope.AS_PRINTED
    with declared(lambda bound: [], **{**HEADLINE, "evidence": Proof()}, regime=Regime(cells=[{}])) as made:
        assert made.scope.scope is Scope.AS_PRINTED


def counted(steps: int) -> Measured:
    """The loss after each of so many steps, of which the run reports the number."""
    return Measured([0.5] * steps, symbols={"k": range(1, steps + 1), "eta": 1.0, "L0": 1.0})


TO_AN_END: dict[str, Any] = {
    "kind": "convergence",
    "theme": "convergence",
    "bound": formula(lambda L0, eta, k: L0 / (1.0 + eta * k) + 1.0, "L0/(1 + eta*k) + 1"),
    "measured": ["k", "eta", "L0"],
    "regime": Regime(cells=[{"steps": 2}, {"steps": 4}], thorough=[{"steps": 9}]),
}


@pytest.mark.parametrize("scope", ["", "as printed: for all t", "repaired", "part: one layer", "chain"])
def test_a_run_of_which_the_bound_counts_the_steps_has_to_say_when_it_ends(scope: str) -> None:
    with (
        pytest.raises(ClaimError, match=r"its run reports k, and its scope, .*, does not say when it ends; say how"),
        declared(counted, **TO_AN_END, scope=scope),
    ):
        pass


@pytest.mark.parametrize(
    "scope",
    [
        "as printed: until the path rests",
        "chain: 2 to 9 steps of T",
        "part: 2 to 9 steps of T, one layer",
        "steps: 9 of all t",
        "steps: 2 to 9 of T",
        "steps: 2 to 4 (thoroughly 9) of T",
        "at the start",
    ],
)
def test_a_scope_that_says_when_a_run_ends_is_taken(scope: str) -> None:
    with declared(counted, **TO_AN_END, scope=scope) as made:
        assert made.scope.text == scope


@pytest.mark.parametrize("scope", ["steps: 4 of T", "steps: 1 to 9 of T", "chain: 2 to 1,000 steps of T"])
def test_numbers_of_steps_are_those_of_the_cells(scope: str) -> None:
    with (
        pytest.raises(ClaimError, match="and its cells have 2 to 9 steps; one of the two is wrong"),
        declared(counted, **TO_AN_END, scope=scope),
    ):
        pass


def test_a_statement_about_no_convergence_and_one_that_fails_need_no_end() -> None:
    with declared(counted, **{**TO_AN_END, "kind": "deterministic"}) as made:
        assert made.scope.scope is Scope.AS_PRINTED
    with declared(counted, **TO_AN_END, expected=Verdict.REFUTED) as made:
        assert made.scope.scope is Scope.AS_PRINTED


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "no word of it": ({"scope": "whole"}, "unknown scope 'whole'; use one of as printed, repaired, own constants"),
    "no part": ({"scope": "part"}, r"its scope is 'part'; say which part, as in \"part: the first item\""),
    "no steps": ({"scope": "steps: some"}, "its scope is 'steps: some'; say how many of which"),
    "more without a reason": (
        {"scope": "as printed", "bound": OURS},
        'its scope is as printed, where own constants follows from its block; say why, as in "as printed: ..."',
    ),
    "vacuous and not expected": ({"scope": "vacuous"}, "its scope is vacuous and it expects holds; one of the two"),
    "expected vacuous and not so": (
        {"scope": "part: one", "expected": Verdict.VACUOUS},
        "its scope is part and it expects vacuous; one of the two is wrong",
    ),
    "independent of nothing": (
        {"independent": {"eta": "given"}},
        "'eta' is declared independent, and is no symbol that its run reports; there are none",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_scope_that_the_block_does_not_bear_out_is_refused(name: str) -> None:
    block, said = REFUSALS[name]
    with pytest.raises(ClaimError) as caught, declared(half, **block):
        pass
    assert said.replace("\\", "") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_independent_symbol_needs_a_reason_and_a_name_that_the_run_reports() -> None:
    with (
        pytest.raises(ClaimError, match="'kerlow' is declared independent, without a reason; say why"),
        declared(losses, **HEADLINE, independent={"kerlow": " "}),
    ):
        pass
    with (
        pytest.raises(ClaimError, match=r"'L0' is declared independent, and .* reports; those are kerlow"),
        declared(losses, **HEADLINE, independent={"L0": "given"}),
    ):
        pass


def test_a_block_may_say_less_by_itself_and_more_with_a_reason() -> None:
    with declared(half, scope="at the start") as made:
        assert made.scope.text == "at the start"
    with declared(half, bound=OURS, scope="as printed: it fails for every constant") as made:
        assert (made.scope.scope, made.scope.constants) == (Scope.AS_PRINTED, ("C",))


def test_every_word_has_a_meaning_and_a_rank() -> None:
    assert list(MEANING) == list(Scope)
    assert [scope.rank for scope in Scope] == list(range(len(Scope)))


def test_the_story_tells_the_scope_its_constants_and_its_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noticed, "recorded", lambda: {"toy:statement": {"met": 3, "noticed": 0}})
    told = report.story(row(losses, **HEADLINE, premises=[WIDE]))
    assert f"scope      chain ({MEANING[Scope.CHAIN]})" in told
    assert "  own      constants of the suite: c" in told
    assert "  at most  a chain: its own run reports kerlow" in told
    assert "  code     it passes with each of 3 wrong gradients and gates that its code meets" in told


def test_a_row_that_comes_out_vacuous_is_so_whatever_it_is_about() -> None:
    outside = row(half, premises=[FakePremise(lambda m: m > 10, "m > 10")])
    assert outside.verdict is Verdict.VACUOUS
    assert outside.claim.scope.scope is Scope.AS_PRINTED
    assert outside.claim.scope.found(outside.verdict) is Scope.VACUOUS
    assert f"scope      vacuous ({MEANING[Scope.VACUOUS]})" in report.story(outside)


@pytest.mark.parametrize(
    ("entry", "silent", "text"),
    [
        (None, False, ""),
        ({"met": 0, "noticed": 0}, False, ""),
        ({"met": 1, "noticed": 0}, True, "it passes with each of 1 wrong gradient or gate that its code meets"),
        ({"met": 4, "noticed": 2}, False, "it notices wrong code, of 4 wrong gradients and gates met"),
    ],
)
def test_a_row_says_of_wrong_code_what_is_on_record(
    monkeypatch: pytest.MonkeyPatch, entry: dict[str, int] | None, silent: bool, text: str
) -> None:
    monkeypatch.setattr(noticed, "recorded", lambda: {} if entry is None else {"toy:statement": entry})
    assert noticed.said("toy:statement") == {"asked": entry is not None, "silent": silent, "text": text}


def test_a_row_that_was_not_asked_about_wrong_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = row(losses, **HEADLINE, premises=[WIDE])
    for of, said in (("toy", True), ("other", False)):
        monkeypatch.setattr(noticed, "recorded", lambda of=of: {f"{of}:lemma-1": {"met": 3, "noticed": 0}})
        assert (f"  code     {noticed.NOT_ASKED}" in report.story(judged)) is said
        assert (f"; {noticed.NOT_ASKED} |" in to_markdown([judged], Suite("0.1.0", "abc", "quick", 0))) is said
        assert noticed.said(judged.claim.id)["asked"] is False
