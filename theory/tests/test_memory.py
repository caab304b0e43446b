"""A control costs as little as its refutation needs: known measurements, few trials, no cell beyond the first."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.memory import MOST_ENTRIES, MOST_INSTANCES, MOST_NUMBERS, Measurements, instance
from theory.claims.regime import Regime
from theory.core.measured import Measured
from theory.core.verdict import Verdict
from theory.evidence import ExactLaw, Proof, Search, Step, Tail, Trials
from theory.running.config import RunConfig
from theory.tests.fakes import FakePremise, formula, row

HALF = control("half the bound", bound=formula(lambda: 0.4, "0.4"))
DRAWING = Regime(cells=[{"m": 4}], draw={"x": st.floats(0.0, 1.0)})


class TestMeasurements:
    def test_what_was_measured_is_found_by_cell_symbols_and_trial(self) -> None:
        memory, value = Measurements(), np.array([1.0, 2.0])
        memory.note({"m": 4}, {"m": 4, "x": 0.5}, 7, Measured(value, symbols={"k": 3.0}))
        value[0] = 9.0
        found = memory.find({"m": 4}, {"m": 4, "x": 0.5}, 7)
        assert found is not None
        assert (found.value.tolist(), found.symbols) == ([1.0, 2.0], {"k": 3.0})
        assert memory.find({"m": 4}, {"m": 4, "x": 0.5}, 8) is None
        assert memory.find({"m": 8}, {"m": 4, "x": 0.5}, 7) is None
        assert list(memory.instances({"m": 4})) == [{"m": 4, "x": 0.5}]

    @pytest.mark.parametrize(
        ("values", "measured"),
        [
            ({}, Measured(1.0, ball=lambda: flint.arb(1))),
            ({}, Measured(np.zeros(MOST_NUMBERS + 1))),
            ({"x": np.zeros(2000)}, Measured(1.0)),
        ],
        ids=["ball arithmetic keeps a network", "large", "symbols without a text"],
    )
    def test_what_is_not_kept(self, values: dict[str, Any], measured: Measured) -> None:
        memory = Measurements()
        memory.note({"m": 4}, values, 0, measured)
        assert memory.find({"m": 4}, values, 0) is None

    def test_a_cell_has_room_for_so_many(self) -> None:
        memory = Measurements()
        for trial in range(MOST_INSTANCES + 5):
            memory.note({"m": 4}, {"m": 4}, trial, Measured(1.0))
        assert len(list(memory.instances({"m": 4}))) == MOST_INSTANCES


class TestKnownMeasurements:
    def test_a_control_that_changes_the_bound_alone_measures_its_counterexample_again_and_no_more(self) -> None:
        calls: list[float] = []

        def measured(m: int, x: float) -> float:
            calls.append(x)
            return 0.5 * x

        judged = row(measured, regime=DRAWING, evidence=Search(30), controls=[HALF])
        own = sum(cell.trials for cell in judged.evidence.cells)
        assert judged.ok
        assert len(calls) == own + 2  # the worst case of the claim, the counterexample of the control

    def test_a_measurement_that_changes_refutes_no_control(self) -> None:
        calls: list[float] = []

        def impure(m: int, x: float) -> float:
            calls.append(x)
            return 0.5 if len(calls) <= 31 else 0.1

        judged = row(impure, regime=DRAWING, evidence=Search(30), controls=[HALF])
        assert judged.controls[0].verdict is Verdict.UNDECIDED

    def test_a_control_that_turns_a_knob_begins_with_the_worst_instance_of_its_claim(self) -> None:
        seen: list[tuple[float, float]] = []

        def measured(m: int, x: float, *, gain: float = 1.0) -> float:
            seen.append((gain, x))
            return gain * x

        judged = row(measured, regime=DRAWING, evidence=Search(30), controls=[control("doubled", gain=2.0)])
        assert judged.ok
        assert judged.worst is not None
        of_control = [x for gain, x in seen if gain == 2.0]
        assert of_control == [judged.worst.worst["x"]] * 2

    def test_sizes_of_a_what_if_are_none_of_its_controls_business(self) -> None:
        seen: list[float] = []

        def measured(m: int, x: float) -> float:
            seen.append(x)
            return 0.45 * (x <= 1.0)

        judged = row(measured, RunConfig(at={"x": 7.0}), regime=DRAWING, evidence=Search(30), controls=[HALF])
        assert judged.controls[0].refuted
        assert all(x <= 1.0 for x in seen[2:])

    def test_trials_of_a_claim_are_judged_once_more_against_the_bound_of_a_control(self) -> None:
        calls: list[int] = []

        def measured(rng: np.random.Generator, m: int) -> float:
            calls.append(m)
            return float(rng.uniform(0.45, 0.5))

        judged = row(measured, evidence=Trials(rate=0.2), controls=[HALF])
        assert judged.ok
        # The first trial and the worst one are measured again.
        assert len(calls) == judged.evidence.cells[0].trials + 2


class TestNoMoreThanNeeded:
    @staticmethod
    def cells_of_control(**block: Any) -> list[int]:
        seen: list[int] = []

        def measured(m: int, *, gain: float = 1.0) -> float:
            if gain != 1.0:
                seen.append(m)
            return 0.4 * gain

        block = {"controls": [control("trebled", gain=3.0)], "regime": Regime(cells=[{"m": 4}, {"m": 8}]), **block}
        assert row(measured, **block).ok
        return sorted(set(seen))

    def test_a_control_ends_at_the_first_cell_that_refutes_it(self) -> None:
        assert self.cells_of_control() == [4]

    def test_but_not_outside_the_premises_while_a_cell_inside_is_left(self) -> None:
        assert self.cells_of_control(premises=[FakePremise(lambda m: m >= 8)]) == [4, 8]

    def test_a_proof_ends_there_too(self) -> None:
        seen: list[int] = []

        def steps(m: int, bound: Any) -> list[Step]:
            seen.append(m)
            return [Step("bound", bound.evaluate({}) == 1.0)]

        regime = Regime(cells=[{"m": 4}, {"m": 8}])
        assert row(steps, regime=regime, evidence=Proof(), controls=[HALF], expected=Verdict.PROVED).ok
        assert seen == [4, 8, 4]

    @pytest.mark.parametrize("fixed", [False, True])
    def test_a_control_is_caught_after_as_few_trials_as_decide_the_test(self, fixed: bool) -> None:
        seen: list[float] = []

        def measured(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
            seen.append(gain)
            return (0.4 + 1e-6 * rng.random()) * gain

        evidence = Trials(rate=0.2, budget=400 if not fixed else 100, fixed=fixed, reserve=1e-9)
        judged = row(measured, evidence=evidence, controls=[control("trebled", gain=3.0)])
        assert judged.ok
        assert 0 < seen.count(3.0) < seen.count(1.0) // 2

    def test_a_fixed_number_of_trials_is_cut_short_only_when_the_rest_could_not_change_it(self) -> None:
        """One failure in the first trials is nothing yet; what counts is the number that the whole budget needs."""

        def measured(rng: np.random.Generator, m: int, *, gain: float = 1.0) -> float:
            return 0.9 * gain if rng.uniform() < 0.3 else 0.4

        judged = row(
            measured,
            evidence=Trials(rate=0.5, budget=80, fixed=True, reserve=0.01),
            controls=[control("trebled", gain=3.0)],
            expected=Verdict.SUPPORTED,
        )
        assert judged.verdict is Verdict.SUPPORTED
        assert judged.controls[0].verdict is not Verdict.REFUTED

    def test_of_a_control_an_exact_law_asks_for_the_tail_at_its_bound_and_for_what_it_changed_once_a_level(
        self,
    ) -> None:
        levels: list[tuple[float, float]] = []

        def tail(m: int, threshold: float, *, mean: float = 1.0) -> Tail:
            levels.append((mean, threshold))
            chance = float(np.exp(-threshold / mean))
            return Tail(chance, chance)

        judged = row(
            tail, bound=formula(lambda: 6.0), evidence=ExactLaw(rate=0.01), controls=[control("mean doubled", mean=2.0)]
        )
        assert judged.ok
        # Then for the level that the control has beside the claim's.
        assert next(level for mean, level in levels if mean == 2.0) == 6.0
        assert len(levels) == len(set(levels))


def test_a_measurement_that_controls_recall_is_the_one_of_its_instance() -> None:
    memory, value = Measurements(), np.arange(100.0)
    recalled = memory.note({"m": 4}, {"m": 4}, 0, Measured(value, symbols={"k": np.arange(100.0)}))
    assert recalled is not None
    kept = instance({"m": 4}, 0, recalled, 50.0, "<=", recalled=True)
    assert kept.measured is recalled is memory.find({"m": 4}, {"m": 4}, 0)
    assert kept.size <= MOST_ENTRIES
    assert (kept.value == kept.symbols["k"]).all()
    alone = instance({"m": 4}, 0, Measured(value, symbols={"k": np.arange(100.0)}), 50.0, "<=")
    assert kept.value.tolist() == alone.value.tolist()
    assert kept.error.tolist() == alone.error.tolist()
