"""The false-alarm budget holds: claims that are true by a hair are refuted no more often than their share allows.

Every kind of evidence is run end to end, through `judge` and with a control, on toy claims at the very edge: failures
exactly at the rate, samples exactly of the law, exponents and constants as claimed, bounds attained. The share of the
error budget is large, so that false alarms would show, and toys are as small as a decision lets them be: a few draws of
one number. Hundreds or thousands of runs are made so, at night up to a hundred thousand; what decides in them is run on
its own a hundred thousand times. Where nothing is drawn that decides, a few runs show as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core.statistics import SequentialTest, clopper_pearson_lower, scaling_fit
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Mean, Proof, Scaling, Search, Step, Tail, Trials
from theory.evidence.distribution import distance_in_law, dkw_radius
from theory.judging.judge import judge
from theory.running.case import Case
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, chosen, declared, formula

MANY = 100_000
# Of kinds of which a run takes longer.
FEWER = 20_000

RATE = 0.5


def at_the_rate(rng: np.random.Generator, m: int) -> float:
    """A trial that fails exactly as often as it may."""
    return 2.0 if rng.random() < RATE else 0.5


def of_the_law(rng: np.random.Generator, m: int, *, times: float = 1.0) -> np.ndarray:
    """Twenty draws of the law."""
    return times * rng.random(20)


def of_the_mean(rng: np.random.Generator, m: int) -> float:
    """A number whose mean is the bound 1: most often half of it."""
    return 10.5 if rng.random() < 0.05 else 0.5


def of_two_means(rng: np.random.Generator, m: int) -> np.ndarray:
    """Two of them."""
    return np.where(rng.random(2) < 0.05, 10.5, 0.5)


def of_the_power(rng: np.random.Generator, m: int, *, power: float = 1.0) -> float:
    """A power law with noise."""
    return float(m**power * math.exp(0.01 * rng.standard_normal()))


def attained(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
    """The bound 1, always."""
    return times


def tail(m: int, threshold: float) -> Tail:
    """A failure probability that is the rate at the bound 1."""
    return Tail(RATE / threshold, RATE / threshold)


def steps(bound: Any, m: int) -> list[Step]:
    """A step that holds with equality."""
    return [Step("equal", bool(bound.evaluate({}) <= 1.0))]


LINEAR = FakeBound(lambda m, C: C * m, "C*m", {"C": chosen(1.0)}, {"m": 1.0})
ROOT = FakeBound(lambda m, C: C * m**0.5, "C*m^0.5", {"C": chosen(1.0)}, {"m": 0.5})


def of_trials(**plan: Any) -> dict[str, Any]:
    """Trials that support where none fails."""
    return {"evidence": Trials(rate=RATE, **{"budget": 8, "reserve": 1e-8, **plan}), "controls": [NEVER]}


@dataclass(frozen=True)
class Toy:
    """A claim at its edge, judged so many times at a share of the error budget, and more often at night."""

    function: Callable[..., Any]
    block: dict[str, Any]
    alpha: float = 0.1
    runs: int = 500
    at_night: int = FEWER

    def counted(self, runs: int) -> tuple[int, int]:
        """How many runs refute it, and how many do not refute its controls. Raises AssertionError where one is none."""
        refuted, missed = 0, 0
        with declared(self.function, **self.block) as made:
            for seed in range(runs):
                row = judge(made, RunConfig(seed=seed), self.alpha)
                assert row.verdict is not Verdict.ERROR, row.error
                refuted += row.verdict is Verdict.REFUTED
                missed += not all(c.refuted for c in row.controls)
        return refuted, missed


def most(runs: int, alpha: float) -> int:
    """So many refuted runs of these are exceeded with probability 1e-6 where each is refuted with probability alpha."""
    return int(scipy.stats.binom.isf(1e-6, runs, alpha))


TOYS = {
    "trials": Toy(at_the_rate, of_trials(), runs=2000, at_night=MANY),
    "trials at a level of 1 %": Toy(at_the_rate, of_trials(budget=12), alpha=0.01, runs=200),
    "trials in two cells": Toy(at_the_rate, {**of_trials(), "regime": Regime(cells=grid(m=[1, 2]))}),
    "fixed trials": Toy(at_the_rate, of_trials(budget=30, fixed=True)),
    "distribution": Toy(
        of_the_law,
        {
            "evidence": Distribution(law=lambda: scipy.stats.uniform, trials=2),
            "sense": "=",
            "controls": [control("another scale", times=8.0)],
        },
        runs=2000,
        at_night=MANY,
    ),
    "mean": Toy(of_the_mean, {"evidence": Mean(most=4), "controls": [NEVER]}, runs=1000),
    "mean of two": Toy(
        of_two_means,
        {"evidence": Mean(ratio=6.0, why="two values", resolution=0.8, most=4), "sense": "=", "controls": [NEVER]},
    ),
    "scaling": Toy(
        of_the_power,
        {
            "evidence": Scaling({"m": "equal"}, constant="C", replicates=4),
            "bound": LINEAR,
            "regime": Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16])),
            "controls": [control("the root", bound=ROOT)],
        },
        alpha=0.2,
        runs=200,
        at_night=FEWER // 2,
    ),
}

CERTAIN = {
    "search": Toy(attained, {"evidence": Search(examples=5), "controls": [control("twice", times=2.0)]}),
    "law": Toy(
        tail, {"evidence": ExactLaw(rate=RATE), "controls": [control("half", bound=formula(lambda: 0.5, "1/2"))]}
    ),
    "proof": Toy(steps, {"evidence": Proof(), "controls": [control("twice", bound=formula(lambda: 2.0, "2"))]}),
}


@pytest.mark.parametrize("name", TOYS)
def test_a_claim_at_its_edge_is_refuted_no_more_often_than_its_share(name: str) -> None:
    toy = TOYS[name]
    refuted, missed = toy.counted(toy.runs)
    assert refuted <= most(toy.runs, toy.alpha)
    # The machinery is not silent: what is wrong is refuted at every seed.
    assert missed == 0


@pytest.mark.at_night
@pytest.mark.parametrize("name", TOYS)
def test_nor_is_it_in_many_more_runs(name: str) -> None:
    toy = TOYS[name]
    refuted, missed = toy.counted(toy.at_night)
    assert refuted <= most(toy.at_night, toy.alpha)
    assert missed == 0


@pytest.mark.parametrize("name", CERTAIN)
def test_what_leaves_nothing_to_chance_is_never_refuted_at_its_edge(name: str) -> None:
    """An attained bound, a failure probability that is the rate, an equality: whatever the seed."""
    assert CERTAIN[name].counted(20) == (0, 0)


@pytest.mark.parametrize("rate", [0.5, 0.1])
def test_the_looks_of_trials_refute_no_more_often_than_their_share(rate: float) -> None:
    """A hundred thousand runs, looked at whenever a plan looks."""
    alpha = 0.01
    plan = Trials(rate=rate, budget=50)
    with declared(at_the_rate, evidence=plan) as made:
        case = Case(made, RunConfig(), alpha)
        budget = plan._budget(case, {"m": 4}, alpha, 1)
        stops = np.array([stop for _, stop in plan._looks(case, budget)])
    assert stops[-1] == budget
    rng = np.random.default_rng(1)
    failures = np.cumsum(rng.binomial(np.diff(stops, prepend=0), rate, size=(MANY, stops.size)), axis=1)
    refuted = (failures >= SequentialTest(rate, alpha).refutation_boundary(stops)).any(axis=1)
    assert 0 < int(refuted.sum()) <= most(MANY, alpha)


def test_a_fixed_number_of_trials_refutes_no_more_often_than_its_share() -> None:
    alpha = 0.01
    failures = np.random.default_rng(2).binomial(200, RATE, size=MANY)
    refuted = clopper_pearson_lower(failures, np.full(MANY, 200), 1.0 - alpha) > RATE
    assert 0 < int(refuted.sum()) <= most(MANY, alpha)


def test_a_sample_of_its_law_is_refuted_no_more_often_than_its_share() -> None:
    alpha = 0.01
    samples = np.random.default_rng(3).random((MANY // 10, 64))
    far = sum(distance_in_law(sample, scipy.stats.uniform.cdf) > dkw_radius(64, alpha) for sample in samples)
    assert 0 < far <= most(len(samples), alpha)


def test_an_exponent_lies_outside_its_interval_no_more_often_than_its_share() -> None:
    """Few replicates, of sizes with the same noise, as a fit has at its first look."""
    alpha, runs = 0.01, 10_000
    sizes = np.repeat([4.0, 16.0, 64.0, 256.0], 6)
    noise = np.random.default_rng(4).standard_normal((runs, sizes.size))
    outside = sum(not scaling_fit({"m": sizes}, sizes * np.exp(0.1 * row), alpha).agrees("m", 1.0) for row in noise)
    assert 0 < outside <= most(runs, alpha)
