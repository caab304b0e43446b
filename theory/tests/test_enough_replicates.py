"""How likely a scaling fit is left open: held against simulated runs of laws that are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import scipy

from theory.claims.regime import Regime, grid
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Scaling
from theory.evidence.enough_replicates import (
    Covered,
    Laws,
    Look,
    chance_missed,
    chance_open,
    chance_planned,
    chance_unrefuted,
    laws_of,
    replicates_wanted,
    room,
)
from theory.evidence.exponents import WIDEST_HALF_WIDTH, WINDOWS, design_of
from theory.evidence.misses import MOST_TIMES
from theory.evidence.replicates import LOOK_SHARES, LOOKS
from theory.tests.fakes import FakeBound, chosen, decide, declared, row

SIZES = np.array([16.0, 64.0, 256.0, 1024.0])
CELLS = [{"m": size} for size in SIZES]
REPLICATES = 24
ALPHA = 1e-6
RUNS = 2000

Noise = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.standard_normal(shape)


def two_sided_exponential(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.laplace(scale=math.sqrt(0.5), size=shape)


@dataclass(frozen=True)
class Toy:
    """Logarithms with the slope 1, a bend up at the largest size, and noise that is `wider` at the smallest one."""

    noise: float
    bend: float = 0.0
    wider: float = 1.0
    law: Noise = normal

    def logs(self, rng: np.random.Generator, runs: int, replicates: int) -> np.ndarray:
        """The measurements of each run, one row each: all replicates of a size, then those of the next."""
        spread = self.noise * np.array([self.wider, 1.0, 1.0, 1.0])
        means = np.log(SIZES) + self.bend * np.array([0.0, 0.0, 0.0, 1.0])
        drawn = self.law(rng, (runs, SIZES.size, replicates))
        return (means[:, None] + spread[:, None] * drawn).reshape(runs, -1)

    def shares(self, claimed: float = 1.0, alpha: float = ALPHA, looks: int = LOOKS) -> tuple[float, float]:
        """Of simulated runs, how many are left open by all looks and how many are refuted by one."""
        rng = np.random.default_rng(0)
        logs = self.logs(rng, RUNS, REPLICATES * 2 ** (looks - 1)).reshape(RUNS, SIZES.size, -1)
        still, refuted = np.ones(RUNS, bool), np.zeros(RUNS, bool)
        for look in range(looks):
            looked = logs[:, :, : REPLICATES * 2**look].reshape(RUNS, -1)
            low, high = hulls(looked, LOOK_SHARES[look] * alpha / WINDOWS)
            beside = (low > claimed) | (high < claimed)
            refuted |= still & beside
            still &= ~beside & (0.5 * (high - low) > WIDEST_HALF_WIDTH)
        return float(still.mean()), float(refuted.mean())

    def laws(self, rng: np.random.Generator, claimed: float = 1.0, alpha: float = ALPHA) -> list[Laws]:
        """What one run of the first look says."""
        values = np.exp(self.logs(rng, 1, REPLICATES)).reshape(SIZES.size, -1)
        design = design_of(["m"], CELLS, [*values])
        whole = design.fitted(design.level(LOOK_SHARES[0] * alpha))
        assert whole is not None
        return [laws_of("equal", claimed, 0.0, design, whole, "m")]

    def stated(self, number: int = 60) -> np.ndarray:
        """The chances that so many runs state, in order."""
        rng = np.random.default_rng(1)
        return np.sort([chance_open(self.laws(rng), ALPHA, 0, LOOKS) for _ in range(number)])


def hulls(logs: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the hull of the three HC3 intervals of each run, for all runs at once."""
    each = logs.shape[1] // SIZES.size
    sizes = np.repeat(np.log(SIZES), each)
    ends = []
    for chosen_ones in (sizes > 0.0, sizes < 5.0, sizes > 4.5):
        x, y = sizes[chosen_ones], logs[:, chosen_ones]
        design = np.column_stack([np.ones(x.size), x])
        weights = np.linalg.pinv(design)
        left = 1.0 - np.einsum("ij,ji->i", design, weights)
        fitted = y @ weights.T
        error = np.sqrt(((y - fitted @ design.T) / left) ** 2 @ weights[1] ** 2)
        half = scipy.stats.t.isf(0.5 * level, x.size - 2) * error
        ends.append((fitted[:, 1] - half, fitted[:, 1] + half))
    return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


def typical(toy: Toy, claimed: float = 1.0, alpha: float = ALPHA) -> list[Laws]:
    """What a run says that measures means and spreads as they are."""
    ranks = scipy.stats.norm.ppf((np.arange(REPLICATES) + 0.5) / REPLICATES)
    exact = replace(toy, law=lambda rng, shape: np.broadcast_to(ranks / ranks.std(ddof=1), shape))
    return exact.laws(np.random.default_rng(0), claimed, alpha)


TOYS = {
    "normal": Toy(0.19),
    "a bend": Toy(0.13, bend=0.1),
    "unequal noise": Toy(0.1, wider=3.0),
    "heavier tails": Toy(0.18, law=two_sided_exponential),
}


@pytest.mark.parametrize("name", TOYS)
def test_what_runs_state_is_above_what_happens_and_soon_nothing_with_less_noise(name: str) -> None:
    """The share of 2000 runs that all looks leave open is what nearly all runs state at least.

    The spread is at the upper end of an interval of 95 %; a bend is as it is measured, which may be less than it is.
    """
    toy = TOYS[name]
    happens, refuted = toy.shares()
    assert 0.005 < happens < 0.3
    assert refuted == 0.0
    assert np.mean(toy.stated() < happens) <= (0.25 if toy.bend else 0.1)
    assert np.median(replace(toy, noise=toy.noise / 2.2).stated()) <= 1e-6


@pytest.mark.parametrize(("claimed", "bend"), [(1.0, 0.0), (1.04, 0.0), (1.03, 0.2)])
def test_what_is_off_is_refuted_no_more_often_than_said_and_not_much_more_seldom(claimed: float, bend: float) -> None:
    """By the first look, at a level at which 2000 runs show it; windows count together as the rarest of them."""
    alpha, toy = 0.2, Toy(0.1, bend=bend)
    _, refuted = toy.shares(claimed, alpha, 1)
    (laws,) = typical(toy, claimed, alpha)
    stated = laws.refuted(Look(1.0, LOOK_SHARES[0] * alpha / WINDOWS, LOOK_SHARES[0] * alpha / WINDOWS))
    assert refuted <= stated + 3e-3
    assert stated <= 10.0 * refuted + 3e-3


def test_what_is_far_off_is_refuted_at_once_but_with_the_chance_stated() -> None:
    toy = Toy(0.1)
    _, refuted = toy.shares(1.18, looks=1)
    assert 0.0 < 1.0 - refuted <= chance_unrefuted(typical(toy, 1.18), ALPHA, 0) < 0.5
    assert chance_unrefuted(typical(toy), ALPHA, 0) == pytest.approx(1.0)
    assert chance_unrefuted(typical(toy, 2.0), ALPHA, 0) < 1e-9


def test_the_room_is_what_the_spread_may_grow_by() -> None:
    toy = Toy(0.05)
    left = room(typical(toy), ALPHA, 0, LOOKS)
    assert 1.0 < left < 4.0
    for share, enough in ((0.95, True), (1.05, False)):
        stated = chance_open(typical(replace(toy, noise=share * left * toy.noise)), ALPHA, 0, LOOKS)
        assert (stated <= 1e-6) is enough
    assert room(typical(Toy(0.05, bend=2.0)), ALPHA, 0, LOOKS) == 0.0


def test_so_many_more_replicates_as_are_told_would_do() -> None:
    toy = Toy(0.2)
    laws = typical(toy)
    times = replicates_wanted(laws, ALPHA, 0, LOOKS)
    assert 1.0 < times < 10.0
    assert chance_open(laws, ALPHA, 0, LOOKS, times) <= 1e-6 < chance_open(laws, ALPHA, 0, LOOKS, 0.8 * times)
    assert replicates_wanted(typical(Toy(0.05, bend=2.0)), ALPHA, 0, LOOKS) == math.inf
    assert replicates_wanted(typical(Toy(0.01)), ALPHA, 0, LOOKS) == 1.0


@pytest.mark.parametrize("margin", [1.2, 1.6])
def test_replicates_miss_a_constant_no_more_often_than_is_said(margin: float) -> None:
    """Two cells of 20 replicates on which it is fitted, one of four that has to be covered; none may miss it."""
    rng = np.random.default_rng(3)
    fitted, tested = 0.1 * rng.standard_normal((RUNS, 2, 20)), 0.15 * rng.standard_normal((RUNS, 4))
    missed = (tested > fitted.max(axis=(1, 2))[:, None] + math.log(margin)).any(axis=1).mean()
    stated = [
        chance_missed([Covered(cell, 4, 4)], [(one, 0) for one in of_fit], lambda x: x + math.log(margin), 0.1, 1e-9)
        for of_fit, cell in zip(fitted[:60], tested[:60], strict=True)
    ]
    assert np.mean(np.array(stated) < missed) <= 0.1
    narrow = [Covered(0.02 * tested[0], 4, 4 * MOST_TIMES)]
    assert chance_missed(narrow, [(fitted[0, 0], 0)], lambda x: x + 1.0, 0.1, 1e-9) <= 1e-8


def test_a_share_that_may_miss_it_is_told_by_more_replicates() -> None:
    """One in a thousand misses the constant: of 20 replicates often some; 1280 say that no more than a tenth does."""
    values = scipy.stats.norm.ppf((np.arange(20) + 0.5) / 20.0)
    off = scipy.stats.norm.isf(0.001)

    def stated(times: int) -> float:
        return chance_missed([Covered(values, 20, 20 * times)], [], lambda reached: off, 0.1, 1e-9)

    assert stated(1) > 0.1
    assert stated(MOST_TIMES) < 1e-6


LINE = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})


def of_width(rng: np.random.Generator, m: int, *, noise: float = 0.05) -> float:
    return float(m * math.exp(noise * rng.standard_normal()))


def block(**plan: Any) -> dict[str, Any]:
    return {
        "bound": LINE,
        "regime": Regime(cells=grid(m=[256, 1024]), calibration=grid(m=[16, 64])),
        "evidence": Scaling({"m": "equal"}, constant="C", **plan),
    }


def test_a_block_whose_replicates_decide_too_seldom_whatever_the_spread_is_refused() -> None:
    said = "2 to 2 in a cell at most, leave it undecided with probability 0.007 where its intervals are half as wide as"
    with pytest.raises(ClaimError, match=said), declared(of_width, **block(replicates=2, looks=1)):
        pass
    for enough in ({"replicates": 2}, {"replicates": 8, "looks": 1}):
        with declared(of_width, **block(**enough)):
            pass


def test_intervals_of_few_replicates_are_twice_as_wide_as_on_average_as_often_as_is_said() -> None:
    """Of three windows; 20000 runs."""
    noise = np.random.default_rng(0).standard_normal((20_000, SIZES.size, 3))
    logs = (np.log(SIZES)[:, None] + 0.1 * noise).reshape(20_000, -1)
    low, high = hulls(logs, 0.05)
    assert np.mean(high - low > 2.0 * np.mean(high - low)) <= chance_planned(["m"], ["m"], CELLS, [3] * 4)
    assert chance_planned(["m"], ["m"], CELLS, [24] * 4) < 1e-12


def test_a_row_says_its_chance_and_its_room() -> None:
    found = decide(of_width, alpha=1e-9, **block(replicates=24))
    assert found.verdict is Verdict.CONSISTENT
    assert found.details["undecided"] <= 1e-6
    assert found.details["room"] > 1.0
    refuted = decide(lambda rng, m: m * of_width(rng, m), alpha=1e-9, **block(replicates=24))
    assert refuted.verdict is Verdict.REFUTED
    assert refuted.details["undecided"] <= 1e-6


def test_a_row_that_another_seed_may_not_pass_says_so() -> None:
    judged = row(of_width, **block(replicates=4))
    assert judged.verdict is Verdict.CONSISTENT
    (remark,) = (said for said in judged.remarks if "another seed" in said)
    assert "times the replicates would do" in remark


def test_what_is_not_drawn_comes_out_the_same_at_every_seed() -> None:
    assert decide(lambda m: float(m), **block(replicates=3)).details["undecided"] == 0.0
