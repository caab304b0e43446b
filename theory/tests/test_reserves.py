"""Rows not as expected are told by seed and in which way, and what a row has left is read from ledgers made by hand."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

from theory.claims.regime import Regime, grid
from theory.core.statistics import trials_to_support, undecided_chance
from theory.core.verdict import Verdict
from theory.evidence import Proof, Scaling, Search, Trials
from theory.judging.judge import Row, judge
from theory.reports.ledger import Suite, plain
from theory.reports.ledger import to_json as as_ledger
from theory.running.config import RunConfig
from theory.tests.fakes import ALPHA, FakeBound, chosen, declared, formula
from theory.upkeep.reserves import (
    HOWS,
    Standing,
    beyond,
    chance_beyond,
    counted,
    hows,
    near_the_edge,
    replayed,
    standings,
    summary,
    to_json,
    to_markdown,
)

Entry = dict[str, Any]


def entry(name: str = "toy:a", method: str = Search.method, ratio: float | str = 0.5, **changes: Any) -> Entry:
    """A row of a ledger with one cell."""
    verdict = changes.get("verdict", "holds")
    cell = {"at": {"m": 4}, "trials": 1, "failures": 0, "ratio": ratio, "verdict": verdict, "premises": "inside"}
    made: Entry = {
        "id": name,
        "verdict": "holds",
        "expected_verdict": "holds",
        "ok": True,
        "error": "",
        "premise_status": "none needed",
        "worst_ratio": ratio,
        "evidence": {"method": method, "exponents": {}, "alpha": None},
        "controls": [{"name": "wrong", "verdict": "refuted", "refuted": True}],
        "cells": [{**cell, "remark": ""}],
        "reproduce": f"pytest --claim {name} --seed 0 --at m=4",
    }
    return {**made, **changes}


def ledger(seed: int, *rows: Entry, own: tuple[tuple[str, str], ...] = ()) -> Entry:
    """A ledger of these rows; `own` has the claims with a constant C, and where."""
    suite = {"seed": seed, "commit": "c0ffee", "dirty": False, "effort": "quick"}
    constants = [{"claim": claim, "name": "C", "where": where} for claim, where in own]
    return {"suite": suite, "claims": list(rows), "constants": constants}


def trials(failures: int, run: int, budget: int | None = 200, **changes: Any) -> Entry:
    """A row of trials in two cells, of which the first has no failure."""
    evidence = {"method": Trials.method, "exponents": {}, "alpha": ALPHA, "rate": 0.4, "rate symbol": "delta"}
    cells = []
    for failed in (0, failures):
        cell = {"at": {"delta": 0.4}, "trials": run, "failures": failed, "verdict": "supported", "premises": "inside"}
        cells.append({**cell, "remark": ""} if budget is None else {**cell, "remark": "", "budget": budget})
    said = {"verdict": "supported", "expected_verdict": "supported", "evidence": evidence, "cells": cells}
    return entry(**{**said, **changes})


def scaling(low: float, high: float, agreement: str = "equal", ratio: float = 0.5, **changes: Any) -> Entry:
    """A row of a scaling fit with the claimed exponent 1."""
    exponent = {"claimed": 1.0, "ci": [low, high], "agreement": agreement, "verdict": "consistent"}
    evidence = {"method": Scaling.method, "exponents": {"m": exponent}, "alpha": ALPHA, "resolution": 0.0}
    said = {"verdict": "consistent", "expected_verdict": "consistent", "evidence": evidence, "ratio": ratio}
    return entry(**{**said, **changes})


def only(*ledgers: Entry) -> Standing:
    (found,) = standings(ledgers)
    return found


ALIVE = {"name": "generous", "verdict": "holds", "refuted": False}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ()),
        ({"verdict": "refuted"}, ("refuted",)),
        ({"verdict": "undecided"}, ("undecided",)),
        ({"verdict": "vacuous"}, ("other",)),
        ({"verdict": "error", "error": "ValueError: no"}, ("error",)),
        ({"controls": [ALIVE]}, ("control not refuted",)),
        ({"verdict": "undecided", "controls": [ALIVE]}, ("undecided", "control not refuted")),
        ({"expected_verdict": "refuted"}, ("erratum not found",)),
        ({"expected_verdict": "refuted", "verdict": "undecided"}, ("erratum not found",)),
        ({"blind": {}}, ("stale",)),
    ],
)
def test_each_way_not_to_be_as_expected_has_a_name(changes: Entry, said: tuple[str, ...]) -> None:
    row = entry(**changes, ok=not said)
    assert hows(row) == said
    assert set(said) <= set(HOWS)
    assert only(ledger(3, row)).unexpected == ({3: said} if said else {})


def test_counts_by_seed_and_by_how() -> None:
    bad = entry("toy:b", verdict="undecided", controls=[ALIVE], ok=False)
    ledgers = [ledger(5, entry(), bad), ledger(1, entry(), entry("toy:b"))]
    counts = counted(standings(ledgers), ledgers)
    assert [(c["seed"], c["rows"], c["unexpected"]) for c in counts] == [(1, 2, 0), (5, 2, 1)]
    assert {how for how in HOWS if counts[1][how]} == {"undecided", "control not refuted"}
    said = summary(standings(ledgers), ledgers)
    assert said[:2] == [
        "seed 1: 0 of 2 rows not as expected",
        "seed 5: 1 of 2 rows not as expected: 1 undecided, 1 control not refuted",
    ]
    assert said[2].startswith("toy:b: seed 5: undecided, control not refuted: undecided for holds, worst ratio 0.5; ")
    assert said[2].endswith("controls not refuted: 'generous' (holds): pytest --claim toy:b --seed 5")


def test_the_worst_case_is_named_where_it_refutes_and_the_claim_elsewhere() -> None:
    assert replayed(entry(verdict="refuted", ok=False), 0) == "pytest --claim toy:a --seed 0 --at m=4"
    assert replayed(entry(verdict="undecided", ok=False), 2) == "pytest --claim toy:a --seed 2"
    erratum = entry(verdict="refuted", expected_verdict="refuted", controls=[ALIVE], ok=False)
    assert replayed(erratum, 2) == "pytest --claim toy:a --seed 2"


class TestSearch:
    OWN = (("toy:a", "bound"),)

    def test_a_constant_of_ours_has_what_the_largest_ratio_leaves(self) -> None:
        found = only(*(ledger(s, entry(ratio=r), own=self.OWN) for s, r in enumerate((0.5, 0.83, 0.7))))
        assert found.reserve is not None
        assert found.reserve.share == pytest.approx(0.17)
        assert (found.reserve.seed, found.reserve.of, found.constants) == (1, "the bound", ("C (bound)",))

    @pytest.mark.parametrize("own", [(), (("toy:a", "premise m >= C"),)])
    def test_a_bound_of_the_paper_has_none(self, own: tuple[tuple[str, str], ...]) -> None:
        found = only(*(ledger(s, entry(ratio=r), own=own) for s, r in enumerate((0.5, 0.83))))
        assert found.reserve is None
        assert found.none.startswith("no constant of its own in the bound")

    def test_a_bound_without_a_named_constant_that_one_seed_refutes_has_less_than_nothing(self) -> None:
        found = only(ledger(0, entry(ratio=0.8)), ledger(1, entry(ratio=1.25, verdict="refuted", ok=False)))
        assert found.reserve is not None
        assert (found.reserve.share, found.reserve.seed) == (-0.25, 1)

    def test_the_same_ratio_at_every_seed_leaves_nothing_to_chance(self) -> None:
        found = only(*(ledger(s, entry(ratio=0.9), own=self.OWN) for s in range(3)))
        assert found.reserve is None

    def test_an_erratum_has_what_its_counterexample_is_beyond_the_bound(self) -> None:
        rows = [entry(ratio=r, verdict="refuted", expected_verdict="refuted") for r in (4.0, 1.25)]
        found = only(*(ledger(s, row) for s, row in enumerate(rows)))
        assert found.reserve is not None
        assert (found.reserve.share, found.reserve.seed) == (pytest.approx(0.2), 1)

    def test_a_ratio_that_is_no_number_is_none(self) -> None:
        found = only(ledger(0, entry(ratio="NaN"), own=self.OWN), ledger(1, entry(ratio=0.75), own=self.OWN))
        assert found.reserve is not None
        assert found.reserve.share == 0.25


@pytest.mark.parametrize(("ratio", "share"), [(0.0, -1.0), (0.5, -0.5), (1.0, 0.0), (2.0, 0.5), (math.inf, 1.0)])
def test_beyond_the_edge_is_a_share_of_the_ratio(ratio: float, share: float) -> None:
    assert beyond(ratio) == share


class TestTrials:
    def test_failures_make_trials_necessary_and_the_worst_seed_counts(self) -> None:
        found = only(ledger(0, trials(1, 64)), ledger(4, trials(9, 128)))
        needed = trials_to_support(0.4, ALPHA, 9)
        assert needed is not None
        assert found.reserve is not None
        assert found.reserve.share == 1.0 - needed / 200
        assert (found.reserve.seed, found.reserve.of) == (4, "the trials")
        assert found.reserve.said == f"9 of 128 trials fail, {needed} support, 200 may be run"

    def test_failures_are_pooled_cell_by_cell_with_the_chance_of_no_decision(self) -> None:
        found = only(ledger(0, trials(1, 64)), ledger(4, trials(9, 128)))
        easy, hard = found.pooled
        assert (easy.trials, easy.failures, easy.budget, easy.used, easy.seed) == (192, 0, 200, 128 / 200, 4)
        assert (hard.trials, hard.failures, hard.rate) == (192, 10, 0.4)
        assert hard.undecided == undecided_chance(0.4, ALPHA, 200, 10 / 192)
        assert hard.undecided < hard.undecided_most < 1.0
        assert easy.undecided_most < hard.undecided_most
        assert found.undecided_most == easy.undecided_most + hard.undecided_most

    def test_a_run_that_did_not_decide_has_less_than_nothing(self) -> None:
        row = trials(20, 60, 60, verdict="undecided", ok=False)
        found = only(ledger(0, row))
        assert found.reserve is not None
        assert found.reserve.share < 0.0
        assert found.unexpected == {0: ("undecided",)}

    def test_without_a_budget_there_is_no_share(self) -> None:
        found = only(ledger(0, trials(1, 64, None)))
        assert found.reserve is None
        assert "do not say how many trials" in found.none
        assert math.isnan(found.undecided_most)

    def test_of_an_erratum_the_cell_that_refutes_most_clearly_counts(self) -> None:
        row = trials(60, 64, verdict="refuted", expected_verdict="refuted")
        found = only(ledger(0, row))
        assert found.reserve is not None
        assert found.reserve.said.startswith("60 of 64 trials fail, ")
        assert found.reserve.share == 1.0 - 64 / 200

    def test_cells_outside_the_premises_do_not_count(self) -> None:
        row = trials(9, 64)
        row["cells"][1]["premises"] = "extrapolated"
        (cell,) = only(ledger(0, row)).pooled
        assert cell.failures == 0


class TestScaling:
    @pytest.mark.parametrize(
        ("interval", "agreement", "of", "share"),
        [
            ((0.95, 1.05), "equal", "the width of an interval", 0.5),  # in the middle, half as wide as it may be
            ((0.99, 1.07), "equal", "the exponent", 0.25),  # a quarter of a half width from its edge
            ((0.6, 0.98), "at most", "the width of an interval", 0.02 / 0.19),  # wide, and as a whole on the right side
            ((0.6, 1.2), "at most", "the width of an interval", -0.2 / 0.3),
            ((1.02, 1.4), "at least", "the width of an interval", 0.02 / 0.19),
        ],
    )
    def test_an_interval_has_its_width_and_its_distance_to_the_edge(
        self, interval: tuple[float, float], agreement: str, of: str, share: float
    ) -> None:
        found = only(ledger(0, scaling(*interval, agreement)))
        assert found.reserve is not None
        assert (found.reserve.of, found.reserve.share) == (of, pytest.approx(share, abs=1e-6))

    @pytest.mark.parametrize(("looks", "share"), [(1, 0.875), (2, 0.75), (4, 0.1)])
    def test_an_interval_that_might_have_been_fitted_again_has_the_replicates_that_are_left(
        self, looks: int, share: float
    ) -> None:
        row = scaling(0.91, 1.09)
        row["evidence"]["looks"] = looks
        found = only(ledger(0, row))
        assert found.reserve is not None
        assert (found.reserve.of, found.reserve.share) == ("the width of an interval", pytest.approx(share))
        assert found.reserve.said.endswith(f"half width 0.09 of 0.1, look {looks} of 4")

    def test_a_constant_has_what_the_worst_ratio_leaves(self) -> None:
        found = only(ledger(0, scaling(0.999, 1.001, ratio=0.96), own=(("toy:a", "bound"),)))
        assert found.reserve is not None
        assert (found.reserve.of, found.reserve.share) == ("the bound", pytest.approx(0.04))

    def test_an_erratum_has_the_half_widths_by_which_it_is_beyond(self) -> None:
        row = scaling(1.02, 1.1, verdict="refuted", expected_verdict="refuted")
        found = only(ledger(0, row))
        assert found.reserve is not None
        assert (found.reserve.of, found.reserve.share) == ("the counterexample", pytest.approx(0.5))


class TestConstantsThatAnotherSeedMayPass:
    def test_the_chance_is_that_of_gumbels_law(self) -> None:
        values = np.random.default_rng(0).gumbel(-1.0, 0.1, size=2000)
        assert chance_beyond(values.tolist(), -0.5) == pytest.approx(math.exp(-5.0), rel=0.4)

    def test_few_seeds_tell_less_than_many(self) -> None:
        few, many = [-1.1, -1.0, -0.9, -1.0], [-1.1, -1.0, -0.9, -1.0] * 5
        assert chance_beyond(few, 0.0) > chance_beyond(many, 0.0)
        assert math.isnan(chance_beyond(few[:3], 0.0))

    @pytest.mark.parametrize(("value", "chance"), [(-0.1, 0.0), (0.0, 1.0)])
    def test_what_is_the_same_at_every_seed_leaves_nothing_to_chance(self, value: float, chance: float) -> None:
        assert chance_beyond([value] * 4, 0.0) == chance

    def test_rows_with_a_constant_of_ours_are_listed_by_their_chance(self) -> None:
        close, far = (0.8, 0.95, 0.7, 0.9), (0.31, 0.3, 0.32, 0.3)
        ledgers = [
            ledger(seed, entry("toy:a", ratio=far[seed]), entry("toy:b", ratio=close[seed]), own=OWN)
            for seed in range(4)
        ]
        found = standings(ledgers)
        assert [row.id for row in near_the_edge(found)] == ["toy:b"]
        assert "## Constants of our own that another seed may pass" in to_markdown(found, ledgers)
        assert "a seed: toy:b" in "\n".join(summary(found, ledgers))

    def test_a_bound_of_the_paper_is_not_listed(self) -> None:
        ledgers = [ledger(seed, entry(ratio=ratio)) for seed, ratio in enumerate((0.8, 0.95, 0.7, 0.9))]
        assert not near_the_edge(standings(ledgers))


OWN = (("toy:a", "bound"), ("toy:b", "bound"))


def test_what_draws_nothing_has_none() -> None:
    found = only(ledger(0, entry(method=Proof.method, verdict="proved", expected_verdict="proved")))
    assert (found.reserve, found.none) == (None, "nothing is drawn")


def test_a_method_without_a_rule_is_named() -> None:
    assert only(ledger(0, entry(method="a new one"))).none == "no rule for the method 'a new one'"


def test_controls_have_a_reserve_where_ledgers_tell_their_ratios() -> None:
    told = [{"name": n, "verdict": "refuted", "refuted": True, "ratio": r} for n, r in (("half", 2.0), ("tenth", 1.25))]
    found = only(ledger(0, entry(controls=told)), ledger(1, entry()))
    assert found.control is not None
    assert (found.control.share, found.control.said) == (pytest.approx(0.2), "'tenth', ratio 1.25")
    alive = {**told[0], "refuted": False}
    assert only(ledger(0, entry(controls=[alive], ok=False))).control is not None
    assert "| `toy:a` | 0.2 | 0 | 'tenth', ratio 1.25 |" in to_markdown([found], [ledger(0, entry())])


def test_rows_stand_by_least_reserve_and_the_tables_say_so() -> None:
    own = (("toy:tight", "bound"), ("toy:loose", "bound"))
    ledgers = [
        ledger(
            s, entry("toy:loose", ratio=0.1 + s / 10), entry("toy:tight", ratio=0.9 + s / 100), entry("toy:z"), own=own
        )
        for s in range(2)
    ]
    found = standings(ledgers)
    assert [row.id for row in found] == ["toy:tight", "toy:loose", "toy:z"]
    page = to_markdown(found, ledgers)
    assert page.index("| `toy:tight` | adversarial search | 0.09 | the bound | 1 |") < page.index("| `toy:loose` |")
    assert "Commit c0ffee, effort quick: seeds 0, 1." in page
    assert "- adversarial search: no constant of its own in the bound, or the same ratio at every seed: 1 rows" in page
    said = to_json(found, ledgers)
    assert [row["id"] for row in said["rows"]] == ["toy:tight", "toy:loose", "toy:z"]
    assert said["rows"][0]["reserve"]["share"] == pytest.approx(0.09)
    assert summary(found, ledgers)[2:4] == [
        "rows with the least reserve:",
        "      0.09 of the bound: toy:tight, seed 1: worst ratio 0.91",
    ]


def test_the_order_of_the_ledgers_makes_no_difference() -> None:
    ledgers = [ledger(s, trials(s, 64), entry("toy:b", ratio=0.1 * s), own=(("toy:b", "bound"),)) for s in range(4)]
    before = copy.deepcopy(ledgers)
    assert to_markdown(standings(ledgers), ledgers) == to_markdown(standings(ledgers[::-1]), ledgers[::-1])
    assert ledgers == before


def judged(seed: int, bound: FakeBound, evidence: Any) -> Entry:
    """The ledger of a toy claim about uniform numbers at a seed, as a run writes it."""
    with declared(
        lambda m, rng: rng.random(m).max(), bound=bound, evidence=evidence, regime=Regime(cells=grid(m=[4, 8]))
    ) as made:
        row: Row = judge(made, RunConfig(seed=seed), ALPHA)
        found = as_ledger([row], Suite("0", "c0ffee", "quick", seed))
    return dict(plain(found))


def test_a_constant_fitted_to_one_seed_is_not_as_expected_at_another() -> None:
    """Uniform numbers come as near to 1 as they like: what ten draws of one seed reach is not their supremum."""
    first = judged(0, FakeBound(lambda C: C, "C", {"C": chosen(1.0)}), Search(examples=10))
    reached = first["claims"][0]["worst_ratio"]
    fitted = FakeBound(lambda C: C, "C", {"C": chosen(1.001 * reached, "what seed 0 reaches")})
    ledgers = [judged(seed, fitted, Search(examples=10)) for seed in range(12)]
    (found,) = standings(ledgers)
    assert 0 not in found.unexpected
    assert found.unexpected
    assert set(found.unexpected.values()) == {("refuted",)}
    assert found.reserve is not None
    assert found.reserve.share < 0.0
    for seed, line in found.again.items():
        assert line.startswith(f"pytest --claim toy:statement --seed {seed} --at ")
    stated = [judged(seed, FakeBound(lambda C: C, "C", {"C": chosen(1.0)}), Search(examples=10)) for seed in range(3)]
    (kept,) = standings(stated)
    assert not kept.unexpected
    assert kept.reserve is not None
    assert kept.reserve.share > 0.0


def test_a_ledger_of_trials_names_the_symbol_of_its_rate() -> None:
    with declared(
        lambda m, rng: float(rng.random() < 0.1),
        bound=formula(lambda: 0.5, "1/2"),
        evidence=Trials(rate="chance", budget=400, rare=0.0),
        regime=Regime(cells=grid(m=4, chance=[0.4, 0.6])),
    ) as made:
        rows = [judge(made, RunConfig(seed=seed), ALPHA) for seed in range(2)]
    assert rows[0].verdict is Verdict.SUPPORTED
    ledgers = [as_ledger([row], Suite("0", "c0ffee", "quick", seed)) for seed, row in enumerate(rows)]
    (found,) = standings(ledgers)
    assert [cell.rate for cell in found.pooled] == [0.4, 0.6]
    assert all(0.02 < cell.failures / cell.trials < 0.3 for cell in found.pooled)
