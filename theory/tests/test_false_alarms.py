"""The false-alarm budget holds: claims that are true by a hair are refuted no more often than their share allows.

Every kind of evidence is run end to end, through `judge` and with controls, on toy claims at the very edge: failures
exactly at the rate, samples exactly of the law, exponents and constants as claimed, bounds attained. The share of the
error budget is large, so that false alarms would show. One run takes milliseconds, so that some hundreds of each kind
are run so; what decides in them is run on its own a hundred thousand times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
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

# The share of the error budget of a claim here, and how often it is judged.
ALPHA = 0.05
RUNS = 200
MANY = 100_000

RATE = 0.4


def at_the_rate(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
    """A trial that fails exactly as often as it may."""
    return 2.0 if rng.random() < RATE * times else 0.5


def of_the_law(rng: np.random.Generator, m: int, *, times: float = 1.0) -> np.ndarray:
    """Eight draws of the law."""
    return times * rng.random(8)


def of_the_mean(rng: np.random.Generator, m: int, *, times: float = 1.0) -> float:
    """A number whose mean is the bound 1."""
    return float(times * rng.exponential())


def of_two_means(rng: np.random.Generator, m: int, *, times: float = 1.0) -> np.ndarray:
    """Two of them."""
    return times * rng.exponential(size=2)


def of_the_power(rng: np.random.Generator, m: int, *, power: float = 1.0) -> float:
    """A power law with noise."""
    return float(m**power * math.exp(0.05 * rng.standard_normal()))


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
TWO_SIDED = Mean(ratio=2.0, why="exponential", resolution=0.8)
# A small reserve asks for few trials.
ODDS = [control("always", times=2.5), NEVER]

BLOCKS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "trials": (at_the_rate, {"evidence": Trials(rate=RATE, reserve=0.02), "controls": ODDS}),
    "trials, two cells": (
        at_the_rate,
        {"evidence": Trials(rate=RATE, reserve=0.02), "controls": ODDS, "regime": Regime(cells=grid(m=[1, 2]))},
    ),
    "fixed trials": (
        at_the_rate,
        {"evidence": Trials(rate=RATE, budget=45, fixed=True, reserve=1e-9), "controls": ODDS},
    ),
    "distribution": (
        of_the_law,
        {
            "evidence": Distribution(law=lambda: scipy.stats.uniform, trials=16),
            "sense": "=",
            "controls": [control("another scale", times=1.6)],
        },
    ),
    "mean": (of_the_mean, {"evidence": Mean(budget=64), "controls": [control("twice", times=2.0)]}),
    "mean of two": (
        of_two_means,
        {"evidence": TWO_SIDED, "sense": "=", "controls": [control("a quarter", times=0.25)]},
    ),
    "scaling": (
        of_the_power,
        {
            "evidence": Scaling({"m": "equal"}, constant="C", replicates=6),
            "bound": LINEAR,
            "regime": Regime(cells=grid(m=[64, 256]), calibration=grid(m=[4, 16])),
            "controls": [control("the root", power=0.5)],
        },
    ),
    "search": (attained, {"evidence": Search(examples=5), "controls": [control("twice", times=2.0)]}),
    "law": (tail, {"evidence": ExactLaw(rate=RATE), "controls": [control("half", bound=formula(lambda: 0.5, "1/2"))]}),
    "proof": (steps, {"evidence": Proof(), "controls": [control("twice", bound=formula(lambda: 2.0, "2"))]}),
}
CERTAIN = ("search", "law", "proof")


def most(runs: int, alpha: float = ALPHA) -> int:
    """So many refuted runs of these are exceeded with probability 1e-6 where each is refuted with probability alpha."""
    return int(scipy.stats.binom.isf(1e-6, runs, alpha))


@pytest.mark.parametrize("name", BLOCKS)
def test_a_claim_at_its_edge_is_refuted_no_more_often_than_its_share(name: str) -> None:
    function, block = BLOCKS[name]
    runs = 5 if name in CERTAIN else RUNS
    with declared(function, **block) as made:
        rows = [judge(made, RunConfig(seed=seed), ALPHA) for seed in range(runs)]
    verdicts = [row.verdict for row in rows]
    assert Verdict.ERROR not in verdicts
    assert verdicts.count(Verdict.REFUTED) <= (0 if name in CERTAIN else most(runs))
    # The machinery is not silent: what is wrong is refuted at every seed.
    assert all(c.refuted for row in rows for c in row.controls)


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
