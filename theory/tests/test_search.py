"""The adversarial search finds planted counterexamples, replays them, and admits what it could not decide."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial
from typing import Any

import flint
import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from theory.claims import control
from theory.claims.regime import Regime, grid, reals
from theory.claims.results import NO_PART, PARTS, Evidence, walked
from theory.core.measured import Measured, Walk
from theory.core.refusal import ClaimError
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Search
from theory.running.config import RunConfig
from theory.tests.fakes import FakeBound, FakePremise, decide, formula, row

UNIT = st.floats(0.0, 1.0)


def drawing(cells: Any = ({"m": 4},), **strategies: Any) -> Regime:
    """A regime in which a search chooses the given symbols."""
    return Regime(cells=list(cells), draw=strategies)


def planted(m: int, x: float) -> float:
    """At most 1 except where x > 0.9."""
    return 2.0 if x > 0.9 else x


def planted_low(m: int, x: float) -> float:
    """At most 1 everywhere."""
    return x


class TestCounterexamples:
    def test_a_planted_one_is_found_shrunk_and_pinned(self) -> None:
        found = decide(planted, regime=drawing(x=UNIT), evidence=Search(examples=60))
        assert found.verdict is Verdict.REFUTED
        worst = found.worst
        assert worst is not None
        # 1.0 is the simplest float above 0.9, whatever the search met first.
        assert worst.worst == {"m": 4, "x": 1.0}
        assert (worst.measured, worst.bound, worst.ratio) == (2.0, 1.0, 2.0)
        assert worst.failures >= 1

    def test_it_replays_from_the_line_that_the_row_prints(self) -> None:
        judged = row(planted, regime=drawing(x=UNIT), evidence=Search(examples=60))
        assert judged.reproduce == "pytest --claim toy:statement --seed 0 --at m=4,x=1.0"
        again = decide(planted, RunConfig(at={"m": 4, "x": 1.0}), regime=drawing(x=UNIT))
        assert again.verdict is Verdict.REFUTED
        assert again.worst is not None
        assert (again.worst.trials, again.worst.measured) == (1, 2.0)

    def test_no_examples_leave_the_pinned_instances(self) -> None:
        """A cell that is too dear for a search is still tried where the claim says."""
        regime = Regime(cells=grid(m=[4, 8]), draw={"x": UNIT}, pinned=[{"x": 0.5}, {"x": 0.75}])
        few = Search(examples=lambda m: 0 if m > 4 else 20)
        narrow, wide = decide(planted_low, regime=regime, evidence=few).cells
        assert (wide.trials, wide.verdict, wide.ratio) == (2, Verdict.HOLDS, 0.75)
        assert narrow.trials > 2
        none = decide(planted_low, regime=replace(regime, pinned=[]), evidence=few).cells[1]
        assert none.verdict is Verdict.UNDECIDED

    def test_what_is_not_drawn_counts_in_all_parts_of_the_draws(self) -> None:
        """A pinned instance without a generator, or the only one there is; with a generator there is chance in both."""
        pinned = Regime(cells=[{"m": 4}], draw={"x": UNIT}, pinned=[{"x": 0.875}])
        none = Search(examples=0)
        assert decide(planted_low, regime=pinned, evidence=none).cells[0].parts == (0.875, 0.875, 0.875)
        (alone,) = decide(lambda m: 0.5, regime=drawing(), evidence=Search(1)).cells
        assert alone.parts == (0.5, 0.5, 0.5)

        def by_chance(rng: np.random.Generator, m: int, x: float) -> float:
            return float(rng.random())

        drawn = decide(by_chance, regime=pinned, evidence=none).cells[0].parts
        assert sorted(drawn)[:2] == [NO_PART, NO_PART]
        (found,) = decide(by_chance, regime=pinned, evidence=Search(60)).cells
        assert len(set(found.parts)) == PARTS
        assert NO_PART not in found.parts
        assert max(found.parts) == found.ratio

    def test_random_weights_replay_by_their_trial_number(self) -> None:
        """A counterexample in one of twenty draws of the weights."""

        def unlucky(rng: np.random.Generator, m: int, x: float) -> float:
            return 1.0 + float(rng.random()) / 2 if x > 0.5 and rng.random() < 0.2 else 0.5

        regime = drawing(cells=grid(m=[4, 8]), x=UNIT)
        found = decide(unlucky, regime=regime, evidence=Search(examples=200)).worst
        assert found is not None
        assert found.verdict is Verdict.REFUTED
        again = decide(unlucky, RunConfig(at=found.worst), regime=regime)
        assert len(again.cells) == 1
        assert (again.cells[0].measured, again.cells[0].verdict) == (found.measured, Verdict.REFUTED)

    def test_the_search_climbs_to_where_sampling_would_not_come(self) -> None:
        """A peak that one sample in 50,000 hits, on a slope that leads to it."""

        def slope(m: int, x: float, y: float) -> float:
            return 1.5 - abs(x - 0.7) - abs(y - 0.3)

        found = decide(
            slope,
            bound=formula(lambda: 1.497),
            regime=drawing(x=reals(0.0, 1.0), y=reals(0.0, 1.0)),
            evidence=Search(examples=150),
        )
        assert found.verdict is Verdict.REFUTED

    def test_a_pinned_instance_is_tried_first(self) -> None:
        needle = 0.123456789

        def hidden(m: int, x: float) -> float:
            return 2.0 if x == needle else 0.5

        regime = Regime(cells=[{"m": 4}], draw={"x": UNIT}, pinned=[{"x": needle}])
        found = decide(hidden, regime=regime, evidence=Search(examples=10))
        assert found.verdict is Verdict.REFUTED
        assert found.cells[0].worst["x"] == needle
        assert decide(hidden, regime=drawing(x=UNIT), evidence=Search(examples=10)).verdict is Verdict.HOLDS

    def test_one_failing_cell_refutes(self) -> None:
        found = decide(lambda m: float(m), bound=formula(lambda: 10.0), regime=Regime(cells=grid(m=[4, 8, 16])))
        assert found.verdict is Verdict.REFUTED
        assert [c.verdict for c in found.cells] == [Verdict.HOLDS, Verdict.HOLDS, Verdict.REFUTED]
        assert found.worst is found.cells[2]

    @pytest.mark.parametrize(("sense", "bad"), [("<=", 1.5), (">=", 0.5), ("=", 1.5), ("=", 0.5)])
    def test_every_sense_can_be_refuted(self, sense: str, bad: float) -> None:
        found = decide(lambda m, x: bad if x > 0.9 else 1.0, sense=sense, regime=drawing(x=UNIT), evidence=Search(60))
        assert found.verdict is Verdict.REFUTED
        assert found.cells[0].measured == bad
        exact = Measured(1.0, error=0.0)
        bound = FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1))
        assert decide(lambda m, x: exact, sense=sense, regime=drawing(x=UNIT), bound=bound).verdict is Verdict.HOLDS

    def test_an_array_is_judged_entry_by_entry_with_its_symbols(self) -> None:
        """The bound takes the norms that the measurement reports, one for each row."""

        def rows(m: int, x: float) -> Measured:
            norms = np.array([[1.0], [2.0], [3.0]])
            value = norms * np.array([0.5, 0.8])
            value[2, 1] += 1.0 if x > 0.5 else 0.0
            return Measured(value, symbols={"r": norms})

        block: dict[str, Any] = {"bound": formula(lambda r: r), "measured": ["r"], "regime": drawing(x=UNIT)}
        found = decide(rows, **block, evidence=Search(60)).cells[0]
        assert found.verdict is Verdict.REFUTED
        assert (found.measured, found.bound) == (pytest.approx(3.4), 3.0)
        held = decide(lambda m, x: rows(m, 0.0), **block).cells[0]
        assert (held.verdict, held.ratio) == (Verdict.HOLDS, pytest.approx(0.8))


class TestReproducibility:
    @staticmethod
    def search(cells: Any, config: RunConfig | None = None) -> Evidence:
        def bumpy(rng: np.random.Generator, m: int, x: float) -> float:
            return math.sin(40 * x) * float(rng.random()) / m

        return decide(bumpy, config, regime=drawing(cells=cells, x=UNIT), evidence=Search(examples=40))

    @staticmethod
    def seen(found: Evidence) -> list[tuple[Any, ...]]:
        return [(c.at, c.worst, c.measured, c.trials) for c in found.cells]

    def test_the_same_seed_gives_the_same_search(self) -> None:
        cells = grid(m=[4, 8])
        assert self.seen(self.search(cells)) == self.seen(self.search(cells))
        other = self.search(cells, RunConfig(seed=1))
        assert self.seen(other) != self.seen(self.search(cells))

    def test_a_cell_does_not_depend_on_its_company(self) -> None:
        alone = self.seen(self.search(grid(m=8)))
        assert self.seen(self.search(grid(m=[4, 8, 2])))[1:2] == alone
        assert self.seen(self.search(grid(m=[4, 2, 16]), RunConfig(at={"m": 8}))) == alone

    def test_it_does_not_depend_on_the_profile_of_the_user(self) -> None:
        expected = self.seen(self.search(grid(m=8)))
        previous = hypothesis.settings.get_current_profile_name()
        hypothesis.settings.register_profile("short", deadline=1, max_examples=3, derandomize=False)
        hypothesis.settings.load_profile("short")
        try:
            assert self.seen(self.search(grid(m=8))) == expected
        finally:
            hypothesis.settings.load_profile(previous)

    def test_more_effort_is_more_examples(self) -> None:
        few = decide(lambda m, x: x, regime=drawing(x=UNIT), evidence=Search(examples=5))
        many = decide(lambda m, x: x, RunConfig(effort="thorough"), regime=drawing(x=UNIT), evidence=Search(5))
        assert few.details["examples"] <= 6
        assert many.details["examples"] > 30


class TestWalks:
    """A row says how far the paths were followed of which its statement is for all times."""

    def test_paths_that_rest_and_paths_that_were_left(self) -> None:
        def followed(m: int, x: float) -> Measured:
            return Measured(x, walk=Walk(7 if x < 0.5 else 20, x < 0.5))

        pinned = [{"x": 0.2}, {"x": 0.3}, {"x": 0.7}]
        found = decide(followed, regime=replace(drawing(x=UNIT), pinned=pinned), evidence=Search(examples=0))
        assert found.cells[0].remark == "2 of 3 paths rest, after 7 steps; the others were left after 20 steps"

    def test_without_a_path_nothing_is_said(self) -> None:
        assert walked([]) == ""
        assert walked([Walk(3, False), Walk(9, False)]) == "2 paths were left after 3 to 9 steps"
        assert walked([Walk(40, False)]) == "the path was left after 40 steps"


class TestPurity:
    def test_a_passing_measurement_that_changes_is_undecided(self) -> None:
        calls = iter(range(10**6))
        found = decide(lambda m, x: 0.5 + 1e-7 * next(calls), regime=drawing(x=UNIT))
        assert (found.verdict, found.cells[0].remark) == (
            Verdict.UNDECIDED,
            "an instance came out differently when measured again: the measurement is not pure",
        )

    def test_a_failure_that_does_not_come_back_is_undecided(self) -> None:
        """Neither a pass nor a counterexample: Hypothesis calls it flaky when it tries again."""
        calls = iter([0.5] * 5 + [2.0] + [0.5] * 10**6)
        found = decide(lambda m, x: next(calls), regime=drawing(x=UNIT))
        assert (found.verdict, found.spent) == (Verdict.UNDECIDED, False)
        assert "not pure" in found.cells[0].remark

    def test_a_counterexample_beside_a_changing_measurement_is_undecided(self) -> None:
        calls = iter(range(10**6))
        found = decide(lambda m, x: 2.0 + 1e-7 * next(calls), regime=drawing(x=UNIT))
        assert (found.verdict, found.cells[0].remark.endswith("not pure")) == (Verdict.UNDECIDED, True)

    def test_without_a_draw_it_is_measured_twice(self) -> None:
        values = iter([0.5, 0.25])
        found = decide(lambda m: next(values))
        assert (found.verdict, found.spent) == (Verdict.UNDECIDED, False)

    def test_what_is_not_a_number_is_not_for_want_of_measurements(self) -> None:
        found = decide(lambda m, x: math.nan, regime=drawing(x=UNIT))
        assert (found.verdict, found.spent) == (Verdict.UNDECIDED, False)


class TestPremises:
    @staticmethod
    def run(function: Any, share: float) -> Evidence:
        premise = FakePremise(lambda x: x <= share, "x small")
        return decide(function, regime=drawing(x=st.floats(1e-6, 1.0)), premises=[premise], evidence=Search(200))

    def test_instances_outside_are_not_judged(self) -> None:
        found = self.run(lambda m, x: 2.0 if x > 0.5 else 0.5, 0.5)
        assert (found.verdict, found.premises) == (Verdict.HOLDS, PremiseStatus.INSIDE)
        assert found.cells[0].failures == 0

    def test_a_counterexample_inside_counts_however_few_are_inside(self) -> None:
        regime = Regime(cells=[{"m": 4}], draw={"x": UNIT}, pinned=[{"x": 1e-3}])
        found = decide(
            lambda m, x: 2.0, regime=regime, premises=[FakePremise(lambda x: x == 1e-3)], evidence=Search(50)
        )
        assert (found.verdict, found.premises) == (Verdict.REFUTED, PremiseStatus.INSIDE)

    def test_too_few_inside_decide_nothing(self) -> None:
        regime = Regime(cells=[{"m": 4}], draw={"x": UNIT}, pinned=[{"x": 1e-3}])
        found = decide(
            lambda m, x: 0.5, regime=regime, premises=[FakePremise(lambda x: x == 1e-3)], evidence=Search(50)
        )
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].remark == f"only 1 of {51} instances met the premises"
        assert found.spent

    def test_none_inside_leaves_the_row_vacuous(self) -> None:
        judged = row(lambda m, x: 0.5, regime=drawing(x=UNIT), premises=[FakePremise(lambda x: x > 2)])
        assert (judged.verdict, judged.premise_status) == (Verdict.VACUOUS, PremiseStatus.EMPTY)

    def test_a_premise_may_be_about_what_is_measured(self) -> None:
        def norm(m: int, x: float) -> Measured:
            return Measured(2.0 if x > 0.5 else 0.5, symbols={"r": x})

        block: dict[str, Any] = {"regime": drawing(x=UNIT), "measured": ["r"]}
        inside = FakePremise(lambda r: r <= 0.5)
        assert decide(norm, premises=[inside], **block).verdict is Verdict.HOLDS
        assert decide(norm, **block).verdict is Verdict.REFUTED

    def test_cells_outside_earn_nothing(self) -> None:
        small = FakePremise(lambda m: m <= 4, "m <= 4")
        block: dict[str, Any] = {"premises": [small], "bound": formula(lambda: 10.0)}
        mixed = row(lambda m: float(m), regime=Regime(cells=grid(m=[4, 16])), **block)
        assert (mixed.verdict, mixed.premise_status) == (Verdict.HOLDS, PremiseStatus.INSIDE)
        outside_pass = row(lambda m: float(m), regime=Regime(cells=grid(m=8)), **block)
        assert (outside_pass.verdict, outside_pass.premise_status) == (Verdict.VACUOUS, PremiseStatus.EXTRAPOLATED)
        outside_fail = row(lambda m: float(m), regime=Regime(cells=grid(m=16)), **block)
        assert outside_fail.verdict is Verdict.UNDECIDED


def enclosure(excess: float, radius: float = 1e-30) -> flint.arb:
    """A ball around 1 + excess."""
    with flint.ctx.workprec(128):
        return flint.arb(1) + flint.arb(excess, radius)


class TestBorderline:
    @staticmethod
    def run(excess: float, with_ball: bool, sense: str = "<=", loose: bool = False) -> Evidence:
        """Values that exceed 1 by `excess`, too little for floats; the ball knows, unless it is `loose`."""
        ball = partial(enclosure, excess, 1e-3 if loose else 1e-30) if with_ball else None

        def close(m: int) -> Measured:
            return Measured(1.0 + math.copysign(2.0**-50, excess), error=1e-12, ball=ball)

        return decide(close, sense=sense, bound=FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1)))

    @pytest.mark.parametrize(("sense", "excess"), [("<=", 1e-20), (">=", -1e-20)])
    def test_a_ball_refutes_what_floats_cannot(self, sense: str, excess: float) -> None:
        assert self.run(excess, True, sense).verdict is Verdict.REFUTED

    @pytest.mark.parametrize(("sense", "excess"), [("<=", -1e-20), (">=", 1e-20)])
    def test_a_ball_clears_what_floats_cannot(self, sense: str, excess: float) -> None:
        """Also where the float number is on the wrong side of the bound."""

        def wrong_side(m: int) -> Measured:
            value = 1.0 - math.copysign(2.0**-50, excess)
            return Measured(value, error=1e-12, ball=partial(enclosure, excess))

        bound = FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1))
        assert decide(wrong_side, sense=sense, bound=bound).verdict is Verdict.HOLDS
        assert self.run(excess, True, sense).verdict is Verdict.HOLDS

    @pytest.mark.parametrize(("sense", "excess"), [("<=", 1e-20), (">=", -1e-20)])
    @pytest.mark.parametrize("loose", [False, True])
    def test_without_a_decisive_ball_it_stays_open(self, sense: str, excess: float, loose: bool) -> None:
        found = self.run(excess, loose, sense, loose)
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].remark == "an instance meets or misses the bound by less than is known of it"

    def test_an_open_instance_is_not_hidden_by_a_cleared_one(self) -> None:
        """The cleared one has the larger float ratio."""

        def two(m: int, x: bool) -> Measured:
            if x:
                return Measured(1.0 + 2.0**-48, error=1e-12, ball=partial(enclosure, -1e-20))
            return Measured(1.0 + 2.0**-50, error=1e-12)

        found = decide(
            two, regime=drawing(x=st.booleans()), bound=FakeBound(lambda: 1.0, enclosure=lambda: flint.arb(1))
        )
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].measured == 1.0 + 2.0**-50

    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [(0.5, 0.9, Verdict.HOLDS), (0.5, 1.5, Verdict.UNDECIDED), (1.2, 1.5, Verdict.REFUTED)],
    )
    def test_an_interval_around_the_bound_is_no_counterexample(self, low: float, high: float, verdict: Verdict) -> None:
        found = decide(lambda m, x: Measured.between(low * x, high * x), regime=drawing(x=st.just(1.0)))
        assert found.verdict is verdict
        assert (found.cells[0].failures > 0) is (verdict is Verdict.REFUTED)
        assert found.cells[0].measured == high

    def test_an_exact_number_on_its_bound_is_decided_in_ball_arithmetic(self) -> None:
        """Without an error there is nothing to forgive, and no ball need be written."""
        bound = FakeBound(lambda m: m / 4.0, enclosure=lambda m: flint.arb(m) / 4)
        assert decide(lambda m: Measured(1, error=0.0), bound=bound).verdict is Verdict.HOLDS
        below = FakeBound(lambda m: 1.0 - 2.0**-50, enclosure=lambda m: flint.arb(1 - 2.0**-50))
        assert decide(lambda m: Measured(1, error=0.0), bound=below).verdict is Verdict.REFUTED

    def test_instances_that_are_all_too_close_decide_nothing(self) -> None:
        found = decide(lambda m, x: 1.0, regime=drawing(x=UNIT))
        (cell,) = found.cells
        assert (found.verdict, cell.ratio, found.spent) == (Verdict.UNDECIDED, 1.0, True)
        assert cell.remark == f"{cell.trials} of {cell.trials} instances are too close to decide"

    @pytest.mark.parametrize(("close", "verdict"), [(0.7, Verdict.HOLDS), (0.999, Verdict.UNDECIDED)])
    def test_close_calls_are_set_aside_where_enough_others_are_decided(self, close: float, verdict: Verdict) -> None:
        """A bound that is attained: ties are counted, and what is not tied carries the verdict."""
        regime = drawing(x=st.integers(1, 1000))
        found = decide(lambda m, x: 1.0 if x <= 1000 * close else 0.5, regime=regime, evidence=Search(60))
        (cell,) = found.cells
        assert (found.verdict, cell.ratio) == (verdict, 1.0)
        assert re.search(r"\d+ (close calls set aside: they meet|of \d+ instances are too close)", cell.remark)

    def test_a_wide_error_is_no_close_call(self) -> None:
        """Met by half, and known to within 10^300: one such instance leaves the cell open."""
        found = decide(
            lambda m, x: Measured(0.5, error=1e300 if x == 1 else 0.0),
            regime=Regime(cells=[{"m": 4}], draw={"x": st.integers(1, 5)}, pinned=[{"x": 1}]),
        )
        assert found.verdict is Verdict.UNDECIDED
        assert found.cells[0].worst["x"] == 1
        assert decide(lambda m: Measured(0.5, error=1e300)).verdict is Verdict.UNDECIDED
        assert decide(lambda m: Measured(1.0, error=1e300), sense="=").verdict is Verdict.UNDECIDED

    @pytest.mark.parametrize(
        ("lost", "verdict", "remark"),
        [
            (3, Verdict.HOLDS, "set aside: lost in rounding"),
            (15, Verdict.UNDECIDED, "instances are lost in rounding"),
            (21, Verdict.UNDECIDED, "by less than is known of it"),
        ],
    )
    def test_instances_that_measure_nothing_are_set_aside_where_enough_others_do(
        self, lost: int, verdict: Verdict, remark: str
    ) -> None:
        """A difference of two losses near 1 whose bound is 1e-18 says nothing, and nothing about the others."""
        found = decide(
            lambda m, x: Measured(1e-17 if x < lost else 0.3, error=1e-16),
            regime=drawing(x=st.integers(0, 20)),
            bound=FakeBound(lambda m, x: np.where(np.asarray(x) < lost, 1e-18, 1.0)),
            evidence=Search(60),
        )
        assert found.verdict is verdict
        assert remark in found.cells[0].remark

    def test_a_failure_is_not_hidden_by_an_error_as_large_as_the_others(self) -> None:
        found = decide(
            lambda m, x: Measured(5.0, error=6.0) if x == 3 else Measured(0.5, error=0.0),
            regime=Regime(cells=[{"m": 4}], draw={"x": st.integers(0, 20)}, pinned=[{"x": 3}]),
        )
        assert (found.verdict, found.cells[0].worst["x"]) == (Verdict.UNDECIDED, 3)

    def test_one_instance_that_dwarfs_the_others_makes_no_error_one_of_rounding(self) -> None:
        found = decide(
            lambda m, x: Measured(5.0, error=6.0) if x == 3 else Measured(0.5, error=0.0),
            regime=Regime(cells=[{"m": 4}], draw={"x": st.integers(0, 20)}, pinned=[{"x": 3}, {"x": 7}]),
            bound=FakeBound(lambda m, x: np.where(np.asarray(x) == 7, 1e30, 1.0)),
        )
        assert (found.verdict, found.cells[0].worst["x"]) == (Verdict.UNDECIDED, 3)


class TestControlsAndPower:
    def test_a_control_keyword_reaches_the_function(self) -> None:
        def scaled(m: int, x: float, *, gain: float = 1.0) -> float:
            return gain * x

        wrong = control("gain doubled", gain=2.0)
        block: dict[str, Any] = {"regime": drawing(x=UNIT), "controls": [wrong], "evidence": Search(60)}
        assert decide(scaled, **block).verdict is Verdict.HOLDS
        assert decide(scaled, of_control="gain doubled", **block).verdict is Verdict.REFUTED

    def test_a_control_may_drop_a_premise_by_its_cells(self) -> None:
        """Outside the premises a failure cannot refute the statement, but it does catch the control."""
        block: dict[str, Any] = {
            "bound": formula(lambda: 10.0),
            "premises": [FakePremise(lambda m: m <= 4)],
            "controls": [control("width unlimited", cells=[{"m": 16}])],
        }
        judged = row(lambda m: float(m), **block)
        assert judged.ok
        assert judged.controls[0].refuted

    def test_power_is_the_factor_on_the_bound_that_would_be_refuted(self) -> None:
        found = decide(lambda m: float(m), bound=formula(lambda: 20.0), regime=Regime(cells=grid(m=[2, 5])))
        assert (found.power.kind, found.power.value) == ("bound factor", 0.25)
        assert found.power.text == "bound x 0.25"
        tighter = decide(lambda m: float(m), bound=formula(lambda: 20.0 * 0.24), regime=Regime(cells=grid(m=[2, 5])))
        assert tighter.verdict is Verdict.REFUTED

    def test_the_power_of_an_equality_is_what_it_forgives(self) -> None:
        found = decide(lambda m: Measured(0.0, error=1e-9, scale=10.0), sense="=", bound=formula(lambda: 0.0))
        assert (found.power.kind, found.power.value) == ("relative error", pytest.approx(1e-10))

    def test_without_randomness_or_draw_one_instance_is_judged(self) -> None:
        found = decide(lambda m: 0.5)
        assert (found.verdict, found.cells[0].trials) == (Verdict.HOLDS, 1)


class TestExamples:
    @staticmethod
    def block(examples: Any) -> dict[str, Any]:
        return {"regime": drawing([{"m": 4}, {"m": 400}], x=UNIT), "evidence": Search(examples)}

    def test_their_number_may_depend_on_the_cell(self) -> None:
        small, large = decide(lambda m, x: x, **self.block(lambda m: 2 if m > 100 else 40)).cells
        assert large.trials == 2
        assert small.trials > 20

    def test_a_number_made_of_an_unknown_symbol_is_refused(self) -> None:
        with pytest.raises(
            ClaimError, match="its numbers depend on width, which the cells do not give; add it to them"
        ):
            decide(lambda m, x: x, **self.block(lambda width: width))


class TestWhatIsToBeRefuted:
    """A control, or a form that is false as printed, is searched for longer where no counterexample is found."""

    @staticmethod
    def seldom(rng: np.random.Generator, m: int, *, rate: float = 0.0) -> float:
        return 2.0 if rng.random() < rate else 0.5

    def test_a_control_that_fails_seldom_is_refuted_at_every_seed(self) -> None:
        block: dict[str, Any] = {"evidence": Search(examples=6), "controls": [control("one in four", rate=0.25)]}
        rows = [row(self.seldom, RunConfig(seed=seed), **block) for seed in range(8)]
        assert all(judged.ok for judged in rows)
        assert {judged.evidence.cells[0].trials for judged in rows} == {6}

    def test_a_control_that_fails_seldom_at_the_pinned_instance_alone_is_refuted_at_every_seed(self) -> None:
        def corner(rng: np.random.Generator, m: int, x: float, *, rate: float = 0.0) -> float:
            return self.seldom(rng, m, rate=rate if x == 1.0 else 0.0)

        regime = Regime(cells=({"m": 4},), draw={"x": st.floats(0.0, 0.9)}, pinned=[{"x": 1.0}])
        block: dict[str, Any] = {"evidence": Search(examples=2), "controls": [control("one in four", rate=0.25)]}
        assert all(row(corner, RunConfig(seed=seed), regime=regime, **block).ok for seed in range(6))

    def test_a_form_that_is_to_be_refuted_is_searched_for_longer_and_no_other(self) -> None:
        def one_in_four(rng: np.random.Generator, m: int) -> float:
            return self.seldom(rng, m, rate=0.25)

        block: dict[str, Any] = {"evidence": Search(examples=1)}
        expected = [decide(one_in_four, RunConfig(seed=s), expected=Verdict.REFUTED, **block) for s in range(8)]
        plain = [decide(one_in_four, RunConfig(seed=s), **block) for s in range(8)]
        found = [sum(e.verdict is Verdict.REFUTED for e in kind) for kind in (expected, plain)]
        assert found[0] > found[1]
        assert all(e.cells[0].trials <= 1 for e in plain if e.verdict is not Verdict.REFUTED)

    def test_what_draws_nothing_is_evaluated_once_all_the_same(self) -> None:
        calls: list[int] = []

        def measured(m: int) -> float:
            calls.append(m)
            return 0.5

        assert decide(measured, expected=Verdict.REFUTED).verdict is Verdict.HOLDS
        assert len(calls) <= 2  # once, and once more to see that it is pure
