"""NaN and infinities, under every plan and sense, neither pass a claim nor count as catching a control.

Nor do they hide a counterexample. What is no measurement at all is refused under every plan, by the claim's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.core import seeds
from theory.core.measured import Measured
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Mean, Proof, Scaling, Search, Step, Tail, Trials
from theory.running.config import RunConfig
from theory.tests.fakes import NEVER, FakeBound, FakePremise, chosen, decide, formula, row

BROKEN = (math.nan, math.inf, -math.inf)
SENSES = ("<=", ">=", "=")


@dataclass(frozen=True)
class Spoiler:
    """What a measuring function returns in place of a good number, and in which share of the trials."""

    where: str = ""
    broken: float = 0.0
    share: float = 1.0

    def __call__(self, where: str, good: float, rng: np.random.Generator | None = None) -> float:
        """`good`, or the broken number in its place."""
        hit = where == self.where and (rng is None or rng.random() < self.share)
        return self.broken if hit else good


HEALTHY = Spoiler()


def plain_block(plan: Any, sense: str, spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A number against a number, for search and trials."""
    limit = {"<=": 2.0, ">=": 0.5, "=": 1.0}[sense]

    def measure(rng: np.random.Generator, m: int, *, spoil: Spoiler = spoiler) -> Measured:
        r = spoil("symbol", 1.0, rng)
        # No two alike, as trials of one number are one trial.
        value = 1.0 + 1e-10 * rng.random()
        return Measured(spoil("value", value, rng), error=spoil("error", 1e-9, rng), symbols={"r": r})

    bound = formula(lambda: spoiler("bound", limit))
    return measure, {"evidence": plan, "sense": sense, "bound": bound, "measured": ["r"]}


def scaling_block(sense: str, spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """A power law with little noise."""

    def measure(rng: np.random.Generator, m: int, *, spoil: Spoiler = spoiler) -> Measured:
        value = m * math.exp(0.01 * rng.standard_normal())
        return Measured(spoil("value", value, rng), error=spoil("error", 1e-12, rng))

    bound = FakeBound(
        lambda m, C: spoiler("bound", C * m) if m > 4 else spoiler("calibrated bound", C * m),
        constants={"C": chosen(1.0)},
        slopes={"m": spoiler("exponent", 1.0)},
    )
    regime = Regime(cells=grid(m=[16, 64, 256]), calibration=grid(m=[1, 4]))
    plan = Scaling({"m": "equal"}, constant="C", replicates=6)
    return measure, {"evidence": plan, "sense": sense, "bound": bound, "regime": regime}


def distribution_block(spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Uniform numbers."""

    class Uniform:
        def cdf(self, x: np.ndarray) -> np.ndarray:
            return stats.uniform.cdf(x) + spoiler("law", 0.0)

    def measure(rng: np.random.Generator, m: int, *, spoil: Spoiler = spoiler) -> Measured:
        return Measured(spoil("value", rng.random(), rng), error=spoil("error", 0.0, rng))

    bound = formula(lambda: spoiler("bound", 1.0))
    return measure, {"evidence": Distribution(law=Uniform, trials=60), "sense": "=", "bound": bound}


def law_block(spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """An exact tail."""

    def measure(threshold: float, m: int, *, spoil: Spoiler = spoiler) -> Tail:
        exact = math.exp(-threshold)
        return Tail(spoil("lower", exact), spoil("upper", exact))

    bound = formula(lambda: spoiler("bound", 5.0))
    return measure, {"evidence": ExactLaw(rate=0.01), "bound": bound}


def proof_block(spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """One step."""

    def measure(bound: Any, m: int, *, spoil: Spoiler = spoiler) -> list[Step]:
        said: Any = True if spoil("value", 1.0) == 1.0 else spoil.broken
        return [Step("first", float(bound.evaluate({"m": m})) >= 1.0), Step("second", said)]

    return measure, {"evidence": Proof()}


def blocks(spoiler: Spoiler) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Every plan in every sense it admits, with the spoiler in place."""
    fixed = Trials(rate=0.3, budget=60, fixed=True, reserve=1e-9)
    for sense in SENSES:
        yield f"search {sense}", *plain_block(Search(examples=5), sense, spoiler)
        yield f"trials {sense}", *plain_block(Trials(rate=0.3, budget=40), sense, spoiler)
        yield f"fixed trials {sense}", *plain_block(fixed, sense, spoiler)
    for sense in SENSES:
        yield f"mean {sense}", *plain_block(Mean(ceiling=3.0, resolution=0.6), sense, spoiler)
    for sense in ("<=", ">="):
        yield f"scaling {sense}", *scaling_block(sense, spoiler)
    yield "distribution", *distribution_block(spoiler)
    yield "law", *law_block(spoiler)
    yield "proof", *proof_block(spoiler)


NAMES = [name for name, _, _ in blocks(HEALTHY)]

PLACES = {
    "search": ("value", "bound", "symbol"),
    "trials": ("value", "bound", "symbol"),
    "mean": ("value", "bound", "symbol"),
    "scaling": ("value", "bound", "calibrated bound", "exponent"),
    "distribution": ("value", "bound", "law"),
    "law": ("lower", "upper", "bound"),
    "proof": ("value",),
}


def places(name: str) -> tuple[str, ...]:
    """Where a broken number can enter under the plan."""
    return PLACES[next(word for word in name.split() if word in PLACES)]


def block(name: str, spoiler: Spoiler) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The block of that name."""
    return next((function, rest) for found, function, rest in blocks(spoiler) if found == name)


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_block_passes(name: str) -> None:
    """So that what the next tests see is due to the broken number alone."""
    function, rest = block(name, HEALTHY)
    assert decide(function, **rest).verdict.is_pass


@pytest.mark.parametrize(("name", "where"), [(name, where) for name in NAMES for where in places(name)])
def test_a_broken_number_leaves_the_claim_undecided(name: str, where: str) -> None:
    for broken in BROKEN:
        function, rest = block(name, Spoiler(where, broken))
        assert decide(function, **rest).verdict is Verdict.UNDECIDED, broken


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n.split()[0] in ("trials", "fixed", "mean", "scaling", "distribution")]
)
@pytest.mark.parametrize("broken", BROKEN)
def test_one_broken_number_among_many_is_enough(name: str, broken: float) -> None:
    function, rest = block(name, Spoiler("value", broken, share=0.05))
    found = decide(function, **rest)
    assert found.verdict is Verdict.UNDECIDED
    worst = found.worst
    assert worst is not None
    assert "finite" in worst.remark
    # The row names a trial that shows it; a constant cannot be fitted where a calibration cell has one.
    if name.startswith("scaling"):
        assert re.search(rf": {broken} at m=\d+,trial=\d+$", worst.remark)
    elif name != "distribution":
        assert worst.worst["trial"] >= 0
        assert math.isnan(worst.measured)


@pytest.mark.parametrize(
    # The law belongs to the plan, which a control cannot change.
    ("name", "where"),
    [(name, where) for name in NAMES for where in places(name) if where != "law"],
)
def test_a_broken_control_is_not_caught(name: str, where: str) -> None:
    """It shows that the variant cannot be measured, not that the machinery would see it is wrong."""
    for broken in BROKEN:
        spoiler = Spoiler(where, broken)
        if where in ("bound", "calibrated bound", "exponent"):
            wrong = control("broken", bound=block(name, spoiler)[1]["bound"])
        else:
            wrong = control("broken", spoil=spoiler)
        function, rest = block(name, HEALTHY)
        found = decide(function, **rest, controls=[wrong], of_control="broken")
        assert found.verdict is Verdict.UNDECIDED, broken


@pytest.mark.parametrize("name", ["search <=", "trials >=", "scaling <=", "distribution", "law", "proof"])
def test_a_row_whose_control_is_broken_fails(name: str) -> None:
    function, rest = block(name, HEALTHY)
    judged = row(function, **rest, controls=[control("broken", spoil=Spoiler(places(name)[0], math.nan))])
    assert judged.verdict.is_pass
    assert [c.refuted for c in judged.controls] == [False]
    assert not judged.ok
    assert judged.complaint == "toy:statement: control not refuted: 'broken' (undecided)"


def test_a_control_that_fails_in_finite_numbers_is_caught() -> None:
    """The control of the other tests is passed over for its NaN, not for being a control."""
    function, rest = block("search <=", HEALTHY)
    assert row(function, **rest, controls=[NEVER]).ok


@pytest.mark.parametrize("broken", BROKEN)
def test_a_premise_on_a_broken_number_does_not_set_the_instance_aside(broken: float) -> None:
    """NaN meets no premise, but to call its instances outside would hide them among those inside."""

    def measure(rng: np.random.Generator, m: int) -> Measured:
        return Measured(0.5, symbols={"r": broken if rng.random() < 0.2 else 0.0})

    premise = FakePremise(lambda r: r < 1.0)
    found = decide(measure, premises=[premise], measured=["r"], evidence=Search(examples=50))
    assert found.verdict is Verdict.UNDECIDED


MEASURED = [name for name in NAMES if name not in ("law", "proof")]

UNFIT = [
    ("value", 1.0 + 0.0j, "a measurement is complex"),
    ("value", np.complex128(1.0), "a measurement is complex"),
    ("value", True, "a measurement is a truth value"),
    ("value", "1.0", "a measurement is a text"),
    ("error", -1e-9, "an error bound is at least 0"),
    ("error", math.inf, "the error of a finite measurement is not finite"),
    ("error", math.nan, "the error of a finite measurement is not finite"),
]


@pytest.mark.parametrize("name", MEASURED)
@pytest.mark.parametrize(("where", "unfit", "said"), UNFIT)
def test_what_is_no_measurement_is_refused_by_the_name_of_the_claim(
    name: str, where: str, unfit: Any, said: str
) -> None:
    function, rest = block(name, Spoiler(where, unfit))
    told = rf"MeasurementError: .*{said}.* \(at .*m=\d+.*\)$"
    assert re.search(rf"^toy:statement: error: {told}", row(function, **rest).complaint)
    function, rest = block(name, HEALTHY)
    judged = row(function, **rest, controls=[control("unfit", spoil=Spoiler(where, unfit))])
    assert re.search(rf"^toy:statement: error: control 'unfit': {told}", judged.complaint)
    assert not judged.ok


@pytest.mark.parametrize("unfit", [0.1j, np.complex128(0.1), True, "0.1"])
@pytest.mark.parametrize("where", ["lower", "upper"])
def test_a_tail_that_is_no_number_is_refused(where: str, unfit: Any) -> None:
    function, rest = block("law", Spoiler(where, unfit))
    told = r"^toy:statement: error: MeasurementError: a failure probability is .* \(at m=4\)$"
    assert re.search(told, row(function, **rest).complaint)


def late_failures() -> Callable[..., float]:
    """A NaN in the first 64 trials, and failures in every second one after them."""
    early = {seeds.generator(0, "toy:statement", {"m": 4}, trial).random() for trial in range(64)}

    def measure(rng: np.random.Generator, m: int) -> float:
        draw = rng.random()
        return (math.nan if draw < 0.1 else 0.5) if draw in early else 5.0 * (draw < 0.5)

    return measure


class TestCounterexamplesBesideBrokenNumbers:
    """Half of the trials give NaN, some of the rest fail."""

    @staticmethod
    def measure(rng: np.random.Generator, m: int, *, failing: float = 0.8) -> float:
        return math.nan if rng.random() < 0.5 else 5.0 if rng.random() < failing else 0.5

    def test_a_search_refutes(self) -> None:
        found = decide(self.measure, evidence=Search(examples=40))
        assert (found.verdict, found.cells[0].measured) == (Verdict.REFUTED, 5.0)
        worst = found.cells[0].worst
        assert decide(self.measure, RunConfig(at={"trial": worst["trial"]})).verdict is Verdict.REFUTED

    def test_an_array_refutes(self) -> None:
        found = decide(lambda m: np.array([math.nan, 5.0]))
        assert (found.verdict, found.cells[0].measured) == (Verdict.REFUTED, 5.0)

    @pytest.mark.parametrize("fixed", [False, True])
    def test_trials_refute_by_the_failures_alone(self, fixed: bool) -> None:
        """Nine in twenty fail for certain, which the NaN of the others do not excuse."""
        found = decide(self.measure, evidence=Trials(rate=0.1, budget=300, fixed=fixed, reserve=1e-9))
        (cell,) = found.cells
        assert (found.verdict, cell.measured) == (Verdict.REFUTED, 5.0)
        assert 0.3 < cell.failures / cell.trials < 0.5

    @pytest.mark.parametrize("fixed", [False, True])
    def test_trials_that_give_no_number_are_no_failures(self, fixed: bool) -> None:
        """One in twenty fails, fewer than the rate allows; with the NaN there would be enough to refute."""
        plan = Trials(rate=0.2, budget=300, fixed=fixed, reserve=1e-9)
        found = decide(lambda rng, m: self.measure(rng, m, failing=0.1), evidence=plan)
        (cell,) = found.cells
        assert (found.verdict, cell.remark) == (Verdict.UNDECIDED, "a measurement is not a finite number")
        assert math.isnan(cell.measured)

    @pytest.mark.parametrize("fixed", [False, True])
    def test_trials_with_broken_numbers_support_nothing(self, fixed: bool) -> None:
        plan = Trials(rate=0.9, budget=300, fixed=fixed)
        assert decide(lambda rng, m: self.measure(rng, m, failing=0.0), evidence=plan).verdict is Verdict.UNDECIDED

    @pytest.mark.parametrize("fixed", [False, True])
    def test_trials_refute_by_failures_that_come_after_the_broken_numbers(self, fixed: bool) -> None:
        """No failure is among the trials after which the test first looks."""
        found = decide(late_failures(), evidence=Trials(rate=0.05, budget=800, fixed=fixed, reserve=1e-9))
        (cell,) = found.cells
        assert (found.verdict, cell.measured) == (Verdict.REFUTED, 5.0)
        assert cell.trials > 64

    def test_a_law_is_refuted_wherever_the_broken_numbers_may_be(self) -> None:
        """Numbers to 3 where the law ends at 1: one in ten unknown does not excuse it, nineteen in twenty might."""
        _, rest = block("distribution", HEALTHY)

        def part(rng: np.random.Generator, m: int, *, times: float = 3.0, share: float = 0.1) -> float:
            return math.nan if rng.random() < share else times * rng.random()

        rest["evidence"] = Distribution(law=rest["evidence"].law, trials=400)
        controls = [control("most unknown", share=0.95), control("as the law has it", times=1.0)]
        assert decide(part, **rest).verdict is Verdict.REFUTED
        for wrong in controls:
            found = decide(part, of_control=wrong.name, controls=controls, **rest)
            assert (found.verdict, math.isnan(found.cells[0].measured)) == (Verdict.UNDECIDED, True)

    def test_a_scaling_refutes_where_the_constant_is_known(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> float:
            return math.nan if m == 256 or rng.random() < 0.02 * (m == 64) else (100.0 if m == 64 else 1.0) * m

        _, rest = block("scaling <=", HEALTHY)
        rest["evidence"] = Scaling({"m": "equal"}, constant="C", replicates=60)
        found = decide(measure, **rest)
        assert found.verdict is Verdict.REFUTED
        assert [cell.verdict for cell in found.cells] == [Verdict.UNDECIDED, Verdict.REFUTED, Verdict.UNDECIDED]
        assert found.cells[1].measured == 6400.0

    def test_a_scaling_does_not_where_the_constant_could_not_be_fitted(self) -> None:
        def measure(rng: np.random.Generator, m: int) -> Measured:
            return Measured(100.0 if m > 4 else 1.0, error=1.0 if m == 1 else 0.0)

        _, rest = block("scaling <=", HEALTHY)
        found = decide(measure, **rest)
        assert found.verdict is Verdict.UNDECIDED
        assert "known too coarsely for an exponent: 1 at m=1,trial=0" in found.cells[0].remark
