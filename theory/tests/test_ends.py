"""Sizes far from those of a block: a row is judged there, or refuses them in its own words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.regime import Regime, grid
from theory.core.data import Data
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Scaling
from theory.judging.judge import decide_alone
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.tests.fakes import ALPHA, FakeBound, chosen, declared, row
from theory.upkeep import vary
from theory.upkeep.variations import ends
from theory.upkeep.vary import Asked, Outcome, VariedRow, vary_row


class DataError(ValueError):
    """As that of what measures, by its name."""


# Claims of the suite that are tried here, drawn from papers whose rows were mended, with the files in which they stand;
# and the seconds that each size has.
SAMPLE = {
    "chatterji2021:lemma-E.7-entries": "chatterji2021/test_sparse_spectral.py",
    "chatterji2021:lemma-B.12-margins": "chatterji2021/test_forward_stability.py",
    "chatterji2021:lemma-F.4": "chatterji2021/test_scalar_inequalities.py",
    "zou2018:eq-C.5": "zou2018/test_semi_smoothness_proof.py",
    "zou2018:lemma-B.3": "zou2018/test_forward_stability_flips.py",
    "zou2018:theorem-5.1": "zou2018/test_initialisation.py",
}
SECONDS = 4.0

# What came out of an end that is neither judged nor refused.
WRONG = (Outcome.TURNED, Outcome.UNBUILT)


def at_ends(function: Any, **block: Any) -> VariedRow:
    with declared(function, **block) as claim:
        return vary_row(claim, Asked(ends=True, timeout=20.0), ALPHA)


def outcomes(found: VariedRow) -> dict[str, Outcome]:
    return {one.cells[0]: one.outcome for one in found.variations}


def test_two_small_and_two_large_sizes_of_each_symbol_are_tried_alone() -> None:
    with declared(lambda m, n, d: 0.5, regime=Regime(cells=grid(m=[4, 8], n=3), derived={"d": lambda n: n})) as claim:
        found = ends(claim)
    small = [{"d": 1}, {"d": 2}, {"m": 1}, {"m": 2}, {"n": 1}, {"n": 2}]
    assert found == [*small, {"d": 7}, {"d": 14}, {"m": 17}, {"m": 34}, {"n": 7}, {"n": 14}]


def test_what_is_built_is_judged_and_what_a_regime_or_a_helper_refuses_is_refused() -> None:
    def measured(B: int, n: int) -> float:
        if n > 10:
            raise DataError(f"{n} points are asked for where there are 10: ask for fewer")
        return 0.5

    found = outcomes(at_ends(measured, regime=Regime(cells=grid(B=2, n=4), most={"B": "n"})))
    assert found["B=1"] is found["n=2"] is found["n=9"] is Outcome.SAME
    assert found["B=5"] is found["n=1"] is found["n=18"] is Outcome.PREMISES


def test_a_limit_refuses_before_a_symbol_is_computed_that_has_no_value_there() -> None:
    regime = Regime(cells=grid(L=4), derived={"share": lambda L: 1.0 / (L - 1)}, least={"L": 2})
    found = at_ends(lambda L, share: 0.5 * share, regime=regime)
    assert [(one.outcome, one.why) for one in found.variations if one.cells == ("L=1",)] == [
        (Outcome.PREMISES, "it takes L >= 2")
    ]


def test_a_computed_size_that_nothing_measured_takes_is_the_one_of_the_block() -> None:
    """It would be one of the bound alone: a layer in it that is not the one which is measured."""
    regime = Regime(cells=grid(m=8, L=4), derived={"k": lambda L: L, "s": lambda m: m // 2})
    found = at_ends(lambda m, L, s: float(L), regime=regime, bound=FakeBound(lambda k: float(k)))
    refused = {one.cells[0]: one.why for one in found.variations if one.outcome is Outcome.PREMISES}
    assert refused == {f"k={k}": "it takes k as it follows from L" for k in (0, 1, 9, 18)}
    assert outcomes(found)["s=2"] is Outcome.SAME


def test_a_cell_on_which_the_constant_is_fitted_leaves_it_undecided_and_has_not_turned() -> None:
    found = at_ends(
        lambda rng, m: m * (1.0 + 0.01 * float(rng.random())),
        regime=Regime(calibration=grid(m=[1, 2, 4]), cells=grid(m=[8, 16])),
        bound=FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0}),
        evidence=Scaling({"m": "equal"}, constant="C"),
        kind="asymptotic",
    )
    assert {one.outcome for one in found.variations if one.cells in (("m=1",), ("m=2",))} == {Outcome.UNDECIDED}


def test_an_order_begins_at_the_least_sizes_that_its_constant_is_fitted_on() -> None:
    def measured(rng: np.random.Generator, m: int) -> float:
        return m * (1.0 + 0.01 * float(rng.random())) if m >= 64 else 0.0

    found = at_ends(
        measured,
        regime=Regime(calibration=grid(m=[64, 128, 256]), cells=grid(m=[512, 1024])),
        bound=FakeBound(lambda m, C: C * m, constants={"C": chosen(1.0)}, slopes={"m": 1.0}),
        evidence=Scaling({"m": "equal"}, constant="C"),
        kind="asymptotic",
    )
    refused = [one.why for one in found.variations if one.outcome is Outcome.PREMISES]
    assert refused == ["it takes m >= 64, as an order is one of large sizes"] * 2


def test_a_size_that_is_not_honoured_is_found() -> None:
    def measured(n: int) -> float:
        return float(np.ones(4)[n - 1])

    found = at_ends(measured, regime=Regime(cells=grid(n=4)))
    assert found.outcome is Outcome.UNBUILT
    assert {at for at, outcome in outcomes(found).items() if outcome is Outcome.UNBUILT} == {"n=9", "n=18"}


def test_a_row_that_is_refuted_at_another_size_has_turned() -> None:
    found = at_ends(lambda n: float(n), bound="4", regime=Regime(cells=grid(n=4)))
    assert [at for at, outcome in outcomes(found).items() if outcome is Outcome.TURNED] == ["n=9", "n=18"]


@pytest.mark.parametrize(("entries", "verdict"), [(4, "holds"), ("n", "holds"), ("n + 1", "error"), ("2*n", "error")])
def test_an_array_has_as_many_numbers_as_its_block_says(entries: int | str, verdict: str) -> None:
    found = row(lambda n: np.full(4, 0.5), entries=entries, regime=Regime(cells=grid(n=4)))
    assert str(found.verdict) == verdict
    assert ("it measures 4 numbers" in found.error) is (verdict == "error")


@pytest.mark.parametrize(("entries", "said"), [(-1, "is no count"), ("q", "needs q"), ("n*2", "is no limit")])
def test_what_is_no_count_is_refused(entries: Any, said: str) -> None:
    with pytest.raises(ClaimError, match=said):
        row(lambda n: 0.5, entries=entries, regime=Regime(cells=grid(n=4)))


@pytest.mark.at_night
@pytest.mark.reads_claims_of(*SAMPLE.values())
def test_claims_of_the_suite_are_judged_at_small_sizes_or_say_why_not() -> None:
    """A few; `make vary` with `--ends` takes all claims, and large sizes."""
    for name, file in SAMPLE.items():
        claim: Claim = registry.found(name, f"properties/{file}")
        config = RunConfig(data=Data(rooms.sphere()), time_limit=SECONDS)
        own = decide_alone(claim, config, ALPHA)
        if own.failure is not None or own.verdict is Verdict.VACUOUS:
            continue
        small = [at for at in ends(claim) if next(iter(at.values())) <= 2]
        for number, at in enumerate(small):
            found = vary._judged_at(claim, at, number, own, config, ALPHA)
            assert found.outcome not in WRONG, f"{claim.id}: {found.outcome}: {found.why}"
