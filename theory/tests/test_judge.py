"""From evidence to a row: gates, expectations, controls, what-if, what a row needs, how to reproduce it."""

from __future__ import annotations

import itertools
import math
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from bounds.bound import Bound
from bounds.parse import parse_formula
from theory.claims import control
from theory.claims.block import Plan
from theory.claims.regime import Regime, choices, grid
from theory.claims.results import CellResult, Evidence, Power, summarise
from theory.claims.selection import parse_at
from theory.core.data import Data
from theory.core.verdict import MEANING, PremiseStatus, Verdict, combine, gate
from theory.evidence import ExactLaw, Proof, Search, Step, Tail, Trials
from theory.judging.judge import Row, _large, judge
from theory.reports import report
from theory.reports.ledger import Suite, to_json, to_markdown
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, ONE, FakeBound, FakePremise, chosen, decide, declared, formula, row


def half(m: int) -> float:
    return 0.5


def cell(verdict: Verdict, premises: PremiseStatus = PremiseStatus.INSIDE, ratio: float = 0.5) -> CellResult:
    return CellResult({"m": 4}, premises, verdict, ratio, 1.0, ratio, 1, 0, 0.0)


INSIDE, OUTSIDE, EMPTY = PremiseStatus.INSIDE, PremiseStatus.EXTRAPOLATED, PremiseStatus.EMPTY


class TestVerdicts:
    @pytest.mark.parametrize("status", list(PremiseStatus))
    def test_an_error_is_one_whatever_the_premises(self, status: PremiseStatus) -> None:
        assert gate(Verdict.ERROR, status) is Verdict.ERROR

    @pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.ERROR}))
    def test_no_pass_survives_outside_the_premises(self, verdict: Verdict) -> None:
        assert gate(verdict, INSIDE) is verdict
        assert gate(verdict, EMPTY) is Verdict.VACUOUS
        assert gate(verdict, OUTSIDE) is (Verdict.VACUOUS if verdict.is_pass else Verdict.UNDECIDED)

    def test_every_verdict_has_a_meaning(self) -> None:
        assert set(MEANING) == set(Verdict)
        assert {v for v in Verdict if v.is_pass} == {
            Verdict.HOLDS,
            Verdict.PROVED,
            Verdict.SUPPORTED,
            Verdict.CONSISTENT,
        }

    @pytest.mark.parametrize("length", [1, 2, 3])
    def test_one_refutation_refutes_and_one_open_cell_leaves_it_open(self, length: int) -> None:
        seen = (Verdict.SUPPORTED, Verdict.UNDECIDED, Verdict.REFUTED)
        for verdicts in itertools.product(seen, repeat=length):
            expected = next((v for v in reversed(seen) if v in verdicts), None)
            assert combine(list(verdicts)) is expected
        assert combine([]) is Verdict.UNDECIDED

    def test_only_the_cells_inside_are_judged_if_there_are_any(self) -> None:
        assert summarise([cell(Verdict.HOLDS), cell(Verdict.REFUTED, OUTSIDE)]) == (Verdict.HOLDS, INSIDE)
        assert summarise([cell(Verdict.HOLDS, OUTSIDE), cell(Verdict.REFUTED, EMPTY)]) == (Verdict.HOLDS, OUTSIDE)
        assert summarise([cell(Verdict.HOLDS, EMPTY)]) == (Verdict.UNDECIDED, EMPTY)
        assert summarise([]) == (Verdict.UNDECIDED, EMPTY)


class TestWorst:
    @staticmethod
    def worst(*cells: CellResult) -> CellResult | None:
        verdict, status = summarise(list(cells))
        return Evidence("m", verdict, status, cells, Power("bound factor", 1.0)).worst

    def test_it_is_the_cell_that_decides(self) -> None:
        refuted, better = cell(Verdict.REFUTED, ratio=1.1), cell(Verdict.HOLDS, ratio=0.9)
        opened = cell(Verdict.UNDECIDED, ratio=0.2)
        outside = cell(Verdict.REFUTED, OUTSIDE, ratio=9.0)
        assert self.worst(better, refuted, outside, opened) is refuted
        assert self.worst(better, opened, outside) is opened
        assert self.worst(cell(Verdict.HOLDS, ratio=0.1), better, outside) is better
        assert self.worst() is None

    def test_a_ratio_that_is_no_number_is_not_the_largest(self) -> None:
        known, unknown = cell(Verdict.UNDECIDED, ratio=0.4), cell(Verdict.UNDECIDED, ratio=float("nan"))
        assert self.worst(known, unknown) is known
        assert self.worst(unknown, known) is known
        assert self.worst(unknown, cell(Verdict.HOLDS)) is unknown


class TestExpectations:
    def test_a_row_as_expected_has_no_complaint(self) -> None:
        judged = row(half)
        assert judged.ok
        assert judged.complaint == ""
        assert (judged.verdict, judged.expected) == (Verdict.HOLDS, Verdict.HOLDS)

    def test_a_refuted_claim_says_what_was_seen_where(self) -> None:
        judged = row(lambda m: 3.0)
        assert not judged.ok
        assert judged.complaint == "toy:statement: verdict refuted, expected holds: measured 3, bound 1, ratio 3 at m=4"
        close = row(lambda m: 1.0 + 2.1e-9).complaint
        assert "measured 1.0000000021, bound 1, ratio 1 + 2.1e-9 at m=4" in close

    def test_an_erratum_is_expected_to_be_refuted_strictly(self) -> None:
        assert row(lambda m: 3.0, expected=Verdict.REFUTED).ok
        passing = row(half, expected=Verdict.REFUTED)
        assert not passing.ok
        assert passing.complaint.startswith("toy:statement: verdict holds, expected refuted: measured 0.5")

    def test_a_surviving_control_fails_the_row(self) -> None:
        weak = control("still too generous", bound=formula(lambda: 0.75))
        judged = row(half, controls=[NEVER, weak])
        assert judged.verdict is Verdict.HOLDS
        assert not judged.ok
        assert judged.complaint == "toy:statement: control not refuted: 'still too generous' (holds)"

    def test_a_row_without_controls_has_to_refute_a_wrong_variant_of_its_own(self) -> None:
        regime = Regime(cells=grid(m=[2, 4]))
        sharp = row(lambda m: 0.9 * m, bound="m", regime=regime, controls=[])
        assert (sharp.ok, sharp.controls_said) == (True, "0/0+3")
        loose = row(lambda m: 0.1 * m, bound="m", regime=regime, controls=[])
        assert (loose.verdict, loose.ok, loose.controls_said) == (Verdict.HOLDS, False, "0/0")
        assert loose.complaint == (
            "toy:statement: it refutes no wrong variant; add controls=[control('what is wrong', ...)], or "
            "state a sharper bound: at its worst the ratio to this one is 0.1"
        )
        assert row(lambda m: 0.1 * m, RunConfig(at={"m": 8}), bound="m", regime=regime, controls=[]).ok

    def test_an_inequality_between_two_numbers_is_not_as_expected_by_itself(self) -> None:
        """It has no symbol to be wrong about, so that a control by hand is all that it could refute."""
        regime = Regime(cells=grid(m=[2, 4, 8]))
        alone = row(lambda m: 0.1, bound="1", regime=regime, controls=[])
        assert (alone.verdict, alone.ok, alone.controls_said) == (Verdict.HOLDS, False, "0/0")
        assert "it refutes no wrong variant" in alone.complaint
        assert not row(lambda m: 0.1, bound="1", regime=regime, controls=[control("a half", bound="1/2")]).ok

    def test_an_undecided_claim_says_why(self) -> None:
        judged = row(
            lambda rng, m: 2.0 if rng.random() < 0.2 else 0.5, evidence=Trials(rate=0.2, budget=100), controls=[NEVER]
        )
        assert "verdict undecided, expected supported" in judged.complaint
        assert f"({judged.evidence.cells[0].budget} trials were not enough" in judged.complaint


class TestWhatIf:
    def test_another_bound_is_judged_by_the_same_machinery(self) -> None:
        tight, loose = formula(lambda: 0.4, "0.4"), formula(lambda: 0.6, "0.6")
        assert row(half, RunConfig(bound=tight)).verdict is Verdict.REFUTED
        judged = row(half, RunConfig(bound=loose))
        assert judged.verdict is Verdict.HOLDS
        assert judged.reproduce == "pytest --claim toy:statement --seed 0 --bound=0.6 --at m=4"

    def test_controls_are_judged_as_declared(self) -> None:
        """At the declared sizes and at quick effort, with the published bound."""
        seen: list[tuple[str, int]] = []

        def recorded(m: int, *, who: str = "claim") -> float:
            seen.append((who, m))
            return 2.0 if who == "control" and m == 8 else 0.5

        regime = Regime(cells=grid(m=[4, 8]), thorough=grid(m=16))
        config = RunConfig(effort="thorough", at={"m": 32}, bound=formula(lambda: 100.0))
        judged = row(recorded, config, regime=regime, controls=[control("wrong", who="control")])
        assert judged.ok
        assert {m for who, m in seen if who == "control"} == {4, 8}
        # The claim is measured once beside what refutes its control.
        assert [m for who, m in seen if who == "claim" and m != 32] == [8]

    def test_asking_outside_the_premises_is_answered_with_vacuous(self) -> None:
        premise = FakePremise(lambda m: m <= 8)
        outside = row(half, RunConfig(at={"m": 16}), premises=[premise])
        assert (outside.verdict, outside.expected, outside.ok) == (Verdict.VACUOUS, Verdict.VACUOUS, True)
        assert row(half, RunConfig(at={"m": 2}), premises=[premise]).expected is Verdict.HOLDS

    @pytest.mark.parametrize("m", [4, 16], ids=["inside", "outside"])
    def test_at_other_sizes_a_budget_may_be_spent_without_a_decision_and_nan_never_passes(self, m: int) -> None:
        def asked(measure: Callable[..., float]) -> Row:
            return row(
                measure,
                RunConfig(at={"m": m}),
                premises=[FakePremise(lambda m: m <= 8)],
                evidence=Trials(rate=0.2, budget=100),
                controls=[NEVER],
            )

        spent = asked(lambda rng, m: 2.0 if rng.random() < 0.2 else 0.5)
        assert (spent.verdict, spent.expected, spent.ok) == (Verdict.UNDECIDED, Verdict.UNDECIDED, True)
        assert f"{spent.evidence.cells[0].budget} trials were not enough" in spent.evidence.cells[0].remark
        without = asked(lambda rng, m: math.nan)
        assert (without.verdict, without.ok) == (Verdict.UNDECIDED, False)

    def test_what_is_false_as_printed_need_not_fail_at_other_sizes(self) -> None:
        def printed(m: int) -> float:
            return 2.0 if m == 4 else 0.5

        assert row(printed, expected=Verdict.REFUTED).ok
        elsewhere = row(printed, RunConfig(at={"m": 16}), expected=Verdict.REFUTED)
        assert (elsewhere.verdict, elsewhere.expected, elsewhere.ok) == (Verdict.HOLDS, Verdict.HOLDS, True)

    def test_a_constant_of_the_bound_can_be_set(self) -> None:
        bound = FakeBound(lambda C: C, "C", {"C": chosen(1.0)})
        block: dict[str, Any] = {"bound": bound, "controls": [NEVER]}
        assert row(half, **block).verdict is Verdict.HOLDS
        judged = row(half, RunConfig(at={"C": 0.25}), **block)
        assert judged.verdict is Verdict.REFUTED
        assert judged.reproduce.endswith("--at C=0.25,m=4")

    def test_what_belongs_to_another_claim_changes_nothing(self) -> None:
        """With several claims selected, --at may name symbols that this one does not have."""

        def noisy(rng: np.random.Generator, m: int) -> float:
            return float(rng.random())

        plain = row(noisy, evidence=Search(examples=10)).evidence.cells
        other = row(noisy, RunConfig(at={"beta_": 0.5}), evidence=Search(examples=10)).evidence.cells
        assert [(c.at, c.worst, c.measured) for c in plain] == [(c.at, c.worst, c.measured) for c in other]


class TestSizesThatCannotBeBuilt:
    @staticmethod
    def second(m: int, L: int, data: Any = None) -> float:
        return 0.5 * [1.0, 1.0][L - 1] / m

    def test_what_is_raised_at_sizes_of_the_user_is_their_refusal(self) -> None:
        regime = Regime(cells=grid(m=4, L=2))
        judged = row(self.second, RunConfig(at={"L": 3, "beta_": 1}), regime=regime)
        assert judged.refused.startswith(
            "claim toy:statement cannot be built at L=3: IndexError: list index out of range"
        )
        assert judged.refused.endswith("; choose other sizes")
        assert judged.complaint == judged.refused
        assert len(judged.refused.splitlines()) == 1

    def test_elsewhere_it_is_an_error_of_the_claim(self) -> None:
        broken = Regime(cells=grid(m=4, L=3))
        assert row(self.second, regime=broken).refused == ""
        assert row(self.second, RunConfig(at={"beta_": 1}), regime=broken).complaint.startswith("toy:statement: error:")
        assert row(self.second, RunConfig(at={"L": 2}), regime=broken).refused == ""

    def test_nor_is_a_control_refused_that_raises_at_its_declared_sizes(self) -> None:
        def measure(m: int, *, layer: int = 0) -> float:
            return [0.5][layer]

        judged = row(measure, RunConfig(at={"m": 8}), controls=[control("no such layer", layer=1)])
        assert (judged.refused, judged.verdict) == ("", Verdict.ERROR)

    def test_data_that_a_claim_cannot_take_are_named(self) -> None:
        data = SimpleNamespace(name="points.csv", spec="points.csv", n=5, d=4, separation=0.5)
        regime = Regime(cells=grid(m=4, L=3, n=2))
        judged = row(self.second, RunConfig(data=Data(brought=data)), regime=regime)
        assert judged.refused.startswith("claim toy:statement cannot be built on points.csv: IndexError")

    def test_a_bound_that_a_function_cannot_compute_with_is_named(self) -> None:
        def steps(bound: Bound, m: int) -> list[Step]:
            return [Step("the relation", (bound.expr > 0).lhs == 0)]

        what_if = RunConfig(bound=Bound(parse_formula("1")))
        judged = row(steps, what_if, bound="m", evidence=Proof(), expected=Verdict.PROVED)
        assert re.sub(r"\d+\)", "N)", judged.complaint) == (
            "claim toy:statement cannot be asked of the bound 1, as its function computes with the formula "
            "(AttributeError: 'BooleanTrue' object has no attribute 'lhs' (line N)); give one like the published m, "
            "in its symbols"
        )

    def test_a_lack_of_time_is_no_refusal(self) -> None:
        def slow(m: int) -> float:
            time.sleep(60)
            return 0.5

        judged = row(slow, RunConfig(at={"m": 8}, time_limit=0.2))
        assert (judged.refused, judged.verdict) == ("", Verdict.ERROR)


class TestReproduce:
    def test_the_line_names_what_was_chosen_and_leaves_out_what_follows(self) -> None:
        regime = Regime(
            cells=grid(m=np.array([4]), eps=0.1), derived={"r": lambda m: 2 * m}, draw={"x": st.sampled_from([0.25])}
        )
        judged = row(lambda m, r, x: x, RunConfig(seed=7), regime=regime, evidence=Search(examples=5))
        assert judged.reproduce == "pytest --claim toy:statement --seed 7 --at eps=0.1,m=4,x=0.25"

    def test_the_line_reads_back_to_the_same_measurement(self) -> None:
        def measure(rng: np.random.Generator, m: int, x: float) -> float:
            return x * float(rng.random()) / m

        regime = Regime(cells=grid(m=[4, 8]), draw={"x": st.floats(0.0, 1.0)})
        block: dict[str, Any] = {"regime": regime, "evidence": Search(examples=30)}
        judged = row(measure, **block)
        words = shlex.split(judged.reproduce)
        with declared(measure, **block) as made:
            at = parse_at(words[words.index("--at") + 1], [made])
        (again,) = decide(measure, RunConfig(at=at), **block).cells
        assert judged.worst is not None
        assert (again.measured, again.worst) == (judged.worst.measured, judged.worst.worst)

    @pytest.mark.parametrize(
        "spec",
        ["digits", "my points.npz", '../it\'s "here" $HOME;`ls`.csv', "/a b/c.npz", "-x.npz", "~/a b.npz", "ü.csv"],
    )
    def test_the_shell_reads_data_and_formula_as_they_were_given(self, spec: str) -> None:
        data = SimpleNamespace(name="shown", spec=spec)
        text = "m**(3/2)*exp(-0.5)"
        judged = row(half, RunConfig(data=Data(brought=data), bound=formula(lambda: 1.0, text)), statement="toy:it's")
        printed = subprocess.run(
            ["bash", "-c", f'pytest() {{ printf "%s\\0" "$@"; }}; {judged.reproduce}'],
            capture_output=True,
            text=True,
            check=True,
        )
        assert printed.stdout.split("\0")[:-1] == [
            *("--claim", "toy:it's", "--seed", "0", f"--data={spec}", f"--bound={text}", "--at", "m=4")
        ]

    def test_what_no_one_can_type_is_left_out(self) -> None:
        regime = Regime(cells=grid(m=4), draw={"x": st.just((1, 2))})
        judged = row(lambda m, x: 0.5, regime=regime, evidence=Search(examples=3))
        assert judged.reproduce == "pytest --claim toy:statement --seed 0 --at m=4"

    def test_names_are_said_as_they_are(self) -> None:
        regime = Regime(cells=grid(m=4, loss="p < 1/2"), draw={"x": choices("two words")})
        judged = row(lambda m, loss, x: 0.5, regime=regime, evidence=Search(examples=3))
        assert judged.reproduce == "pytest --claim toy:statement --seed 0 --at 'loss=p < 1/2,m=4,x=two words'"

    def test_a_pinned_instance_of_random_weights_is_the_first_trial(self) -> None:
        regime = Regime(cells=grid(m=4), draw={"x": st.just(0.25)}, pinned=[{"x": 0.5}])
        judged = row(lambda rng, m, x: x, regime=regime, evidence=Search(examples=3))
        assert judged.reproduce.endswith(" --at m=4,trial=0,x=0.5")


class TestNeeds:
    @staticmethod
    def smallest(premises: Any, name: str, at: Any) -> int | None:
        """The solver of another room, asked about the premises that a cell decides."""
        assert [p.text for p in premises] == ["wide"]
        assert name == "m"
        return None if at["L"] == 9 else 10 ** at["L"] + 1

    def test_a_cell_outside_says_which_width_would_enter(self) -> None:
        judged = row(
            lambda m, L: 0.5,
            RunConfig(smallest=self.smallest),
            regime=Regime(cells=grid(m=[4, 8], L=[2, 9, 12]), draw={}),
            premises=[FakePremise(lambda m, L: m >= 10**L, "wide")],
        )
        assert judged.needs == ("m >= 101 at L=2", "no width m suffices at L=9", "m >= 1.01e12 at L=12")
        assert judged.verdict is Verdict.VACUOUS

    def test_a_cell_whose_bound_cannot_be_missed_needs_nothing(self) -> None:
        """It is inside the premises; what is wrong with it is its bound."""
        judged = row(
            lambda m, L: 0.5,
            RunConfig(smallest=self.smallest, bound=formula(lambda m: 10.0 * m)),
            regime=Regime(cells=grid(m=4, L=2)),
            premises=[FakePremise(lambda m, L: True, "wide")],
            ceiling=formula(lambda m: m),
        )
        assert (judged.premise_status, judged.verdict, judged.needs) == (PremiseStatus.TRIVIAL, Verdict.VACUOUS, ())

    def test_cells_inside_need_nothing(self) -> None:
        premises = [FakePremise(lambda m: True, "wide")]
        assert row(half, RunConfig(smallest=self.smallest), premises=premises).needs == ()
        assert row(half, premises=[FakePremise(lambda m: False, "wide")]).needs == ()

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (7, "7"),
            (999_999_999, "999999999"),
            (1_000_000_000, "1.00e9"),
            (1_234_000_001, "1.24e9"),
            (9_999_999_999, "1.00e10"),
            (2**64, "1.85e19"),
        ],
    )
    def test_large_numbers_are_rounded_up_so_that_they_suffice(self, number: int, text: str) -> None:
        assert _large(number) == text
        assert float(text) >= number

    def test_numbers_beyond_the_limit_of_printing_are_printed(self) -> None:
        """Python refuses to print integers of more than 4300 digits."""
        assert re.fullmatch(r"\d\.\d\de6020", _large(2**20_000))


def test_a_row_is_judged_with_one_thread() -> None:
    seen: list[int] = []

    def measure(m: int) -> float:
        seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return 0.5

    with threadpool_limits(limits=2):
        row(measure, bound=ONE)
    assert seen
    assert set(seen) == {1}


def test_a_claim_without_its_package_is_not_judged_and_says_what_installs_it() -> None:
    def never(m: int) -> float:
        raise AssertionError("it is not asked")

    with declared(never, packages={"json": "part of Python", "no_such_module": "pip install it"}) as claim:
        found = judge(claim, RunConfig(), 1e-4)
    assert (found.verdict, found.expected, found.ok) == (Verdict.VACUOUS, Verdict.VACUOUS, True)
    assert found.unjudged == "the package no_such_module is not installed: pip install it"
    assert (found.evidence.cells, found.controls, found.error) == ((), (), "")
    suite = Suite("0", "", "quick", 0)
    (entry,) = to_json([found], suite)["claims"]
    assert entry["remarks"] == [f"not judged: {found.unjudged}"]
    assert f"## Not judged\n\n- `{claim.id}`: the package no\\_such\\_module is not" in to_markdown([found], suite)
    assert f"{claim.id} is not judged: {found.unjudged}" in report.summary([found])


def test_a_claim_with_its_packages_is_judged() -> None:
    with declared(lambda m: 0.5, packages={"json": "part of Python"}) as claim:
        assert judge(claim, RunConfig(), 1e-4).verdict is claim.expected


@pytest.mark.parametrize("evidence", [Search(examples=3), Trials(budget=8), ExactLaw(rate=0.5), Proof()], ids=repr)
def test_a_claim_out_of_time_keeps_the_cells_that_are_judged(evidence: Plan) -> None:
    def ended(m: int) -> None:
        if m == 8:
            time.sleep(60.0)

    def searched(m: int) -> float:
        ended(m)
        return 0.5

    def drawn(rng: np.random.Generator, m: int) -> float:
        return searched(m) + 1e-3 * rng.random()

    def exact(m: int, threshold: float) -> Tail:
        ended(m)
        return Tail(0.0, 0.0)

    def steps(bound: Bound, m: int) -> list[Step]:
        ended(m)
        return [Step("the bound is above 0", bool(bound.expr > 0))]

    functions: dict[str, Callable[..., Any]] = {"Search": searched, "Trials": drawn, "ExactLaw": exact, "Proof": steps}
    cells = [{"m": m, "delta": 0.5} for m in (4, 8)]
    function = functions[type(evidence).__name__]
    block: dict[str, Any] = {"bound": "m", "evidence": evidence}
    # Once without a limit: what is loaded by the first measurement takes longer than a cell.
    assert row(function, regime=Regime(cells=cells[:1]), **block).evidence.verdict.is_pass
    judged = row(function, RunConfig(time_limit=1.0), regime=Regime(cells=cells), **block)
    assert judged.verdict is Verdict.ERROR
    assert [cell.at["m"] for cell in judged.evidence.cells] == [4]
    assert judged.evidence.cells[0].verdict.is_pass
    assert judged.error.startswith("no result within 1 s")
    assert judged.error.endswith("; cells judged before, which decide nothing: 1")
    assert judged.reproduce == "pytest --claim toy:statement --seed 0"
