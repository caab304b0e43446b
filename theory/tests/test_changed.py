"""A control shows by which factors it differs from its claim, and one that hides a factor is refused."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy import stats

from bounds.bound import Bound
from theory.claims import control
from theory.claims.regime import Regime, grid
from theory.claims.stated_factors import stated
from theory.core.measured import Measured
from theory.core.refusal import ClaimError
from theory.core.verdict import Verdict
from theory.evidence import Distribution, ExactLaw, Mean, Proof, Scaling, Search, Step, Trials
from theory.reports.ledger import _control
from theory.reports.report import story
from theory.running.config import RunConfig
from theory.tests.fakes import declared, formula, row

# Written as text, so that the formulas are those of the suite.
SIZES = Regime(cells=grid(m=[4, 16]))


def width(m: int) -> float:
    """The width itself."""
    return float(m)


def _changes(function: Any, **block: Any) -> dict[str, dict[str, Any]]:
    found = row(function, **block)
    assert all(c.refuted for c in found.controls), [c.failure for c in found.controls]
    return {c.name: _control(c) for c in found.controls}


def test_the_bound_of_a_control_stands_beside_that_of_the_claim() -> None:
    found = _changes(
        width,
        bound="m",
        regime=SIZES,
        controls=[
            control("half of it", bound="m/2"),
            control("the root of the width", bound="sqrt(m)"),
            control("a bound for one size", bound="m/4", cells=grid(m=64)),
        ],
    )
    assert found["half of it"]["bound_ratio"] == [0.5, 0.5]
    assert found["half of it"]["measured_ratio"] == [1.0, 1.0]
    assert found["half of it"]["ratio"] == found["half of it"]["closest"] == 2.0
    assert found["the root of the width"]["bound_ratio"] == [0.25, 0.5]
    assert found["a bound for one size"]["bound_ratio"] == [0.25, 0.25]
    # The same function at the same size measures the same.
    assert found["a bound for one size"]["measured_ratio"] == [1.0, 1.0]


def test_the_measurement_of_a_control_stands_beside_that_of_the_claim_at_the_same_instance() -> None:
    def stretched(m: int, x: float, *, by: float = 1.0) -> float:
        return by * m * x

    regime = Regime(cells=grid(m=[4, 16]), draw={"x": st.floats(0.5, 1.0)}, pinned=[{"x": 1.0}])
    found = _changes(stretched, bound="m", regime=regime, controls=[control("three times as much", by=3.0)])
    change = found["three times as much"]
    assert change["bound_ratio"] == [1.0, 1.0]
    assert change["measured_ratio"] == [3.0, 3.0]
    assert change["closest"] == 3.0


def test_symbols_that_only_the_measurement_knows_are_those_of_the_worst_instance() -> None:
    def reported(m: int) -> Measured:
        return Measured(float(m), symbols={"x": float(m)})

    found = _changes(
        reported,
        bound=formula(lambda x: 2.0 * x, "2*x"),
        measured=["x"],
        regime=SIZES,
        controls=[
            control("a quarter of it", bound=formula(lambda x: x / 2.0, "x/2")),
            control("a quarter of it elsewhere", bound=formula(lambda x: x / 2.0, "x/2"), cells=grid(m=64)),
        ],
    )
    assert [change["bound_ratio"] for change in found.values()] == [[0.25, 0.25]] * 2


def test_trials_of_a_control_are_held_against_those_of_the_same_number() -> None:
    def noise(rng: np.random.Generator, m: int, *, by: float = 1.0) -> float:
        return by * m * float(rng.uniform(0.5, 1.0))

    found = _changes(
        noise,
        bound="m",
        regime=SIZES,
        evidence=Trials(rate=0.1, budget=300),
        controls=[control("a third of it", bound="m/3"), control("three times as much", by=3.0)],
    )
    assert found["a third of it"]["bound_ratio"] == pytest.approx([1 / 3, 1 / 3])
    assert 1.0 < found["a third of it"]["closest"] <= found["a third of it"]["ratio"]
    assert found["three times as much"]["measured_ratio"] == pytest.approx([3.0, 3.0])


def test_a_mean_at_cells_of_a_control_is_held_against_its_claim_by_one_draw() -> None:
    def draw(rng: np.random.Generator, m: int, *, by: float = 1.0) -> float:
        return by * m * float(rng.random())

    found = _changes(
        draw,
        bound="m",
        regime=SIZES,
        evidence=Mean(ceiling="3*m"),
        controls=[control("three times as much", by=3.0, cells=grid(m=64))],
    )
    assert found["three times as much"]["measured_ratio"] == pytest.approx([3.0, 3.0])


def test_a_control_of_an_exact_law_is_caught_up_to_the_level_of_the_claim() -> None:
    def tail(threshold: float, m: int) -> float:
        return math.exp(-max(threshold, 0.0) / m)

    found = _changes(
        tail, bound="5*m", regime=SIZES, evidence=ExactLaw(rate=0.1), controls=[control("a fifth of it", bound="m")]
    )
    assert found["a fifth of it"]["closest"] == pytest.approx(math.log(10.0), rel=1e-5)


def test_a_bound_with_a_fitted_constant_is_no_matter_of_a_factor() -> None:
    def size(rng: np.random.Generator, m: int) -> float:
        return m * (1.0 + 0.01 * float(rng.random()))

    found = _changes(
        size,
        bound="C*m",
        regime=Regime(cells=grid(m=[64, 256, 1024]), calibration=grid(m=[4, 8, 16])),
        evidence=Scaling({"m": "equal"}, constant="C", replicates=10),
        controls=[control("the root", bound="C*sqrt(m)")],
    )
    assert found["the root"]["closest"] is None
    assert found["the root"]["bound_ratio"] is not None


def test_a_control_at_cells_of_its_own_is_held_against_its_claim_there() -> None:
    def noise(rng: np.random.Generator, m: int, *, by: float = 1.0) -> np.ndarray:
        return by * m * rng.uniform(0.5, 1.0, size=3)

    elsewhere: dict[str, Any] = {"cells": grid(m=[5, 64])}
    controls = [control("three times as much", by=3.0, **elsewhere)]
    for plan in (Trials(rate=0.1, budget=300), Search(examples=5)):
        found = _changes(noise, bound="m", regime=SIZES, evidence=plan, controls=controls)["three times as much"]
        assert found["measured_ratio"] == pytest.approx([3.0, 3.0])
        assert found["bound_ratio"] == [1.0, 1.0]
        assert found["why_none"] == {}


def test_a_bound_of_which_a_knob_changes_a_measured_symbol_is_another_bound() -> None:
    def reported(m: int, *, by: float = 1.0) -> Measured:
        return Measured(float(m), symbols={"x": m / by})

    places: list[dict[str, Any]] = [{}, {"cells": grid(m=[5, 64])}]
    for elsewhere in places:
        controls = [control("a quarter of x", by=4.0, **elsewhere)]
        block: dict[str, Any] = {"bound": formula(lambda x: 2.0 * x, "2*x"), "measured": ["x"], "regime": SIZES}
        found = _changes(reported, controls=controls, **block)["a quarter of x"]
        assert found["bound_ratio"] == [0.25, 0.25]
        assert found["measured_ratio"] == [1.0, 1.0]


def test_an_exact_law_of_a_control_has_its_own_level() -> None:
    def tail(threshold: float, m: int, *, by: float = 1.0) -> float:
        return math.exp(-max(threshold, 0.0) / (by * m))

    found = _changes(
        tail,
        bound="5*m",
        regime=SIZES,
        evidence=ExactLaw(rate=0.1),
        controls=[control("three times as much", by=3.0), control("so elsewhere", by=3.0, cells=grid(m=64))],
    )
    for change in found.values():
        assert change["measured_ratio"] == pytest.approx([3.0, 3.0], rel=1e-5)
        assert change["why_none"] == {"closest": "its law is asked for one level, that of its bound"}


def test_a_sample_of_a_law_is_held_against_that_of_the_claim_draw_by_draw() -> None:
    def sample(rng: np.random.Generator, m: int, *, by: float = 1.0) -> np.ndarray:
        return by * rng.random(size=8)

    found = _changes(
        sample,
        bound="1",
        sense="=",
        regime=SIZES,
        evidence=Distribution(law=lambda: stats.uniform(), trials=400),
        controls=[control("twice as much", by=2.0)],
    )["twice as much"]
    assert found["measured_ratio"] == pytest.approx([2.0, 2.0])
    assert found["why_none"] == {"closest": "an equality is not easier to meet with any factor"}


def test_the_bounds_of_a_proof_are_held_against_each_other() -> None:
    def steps(bound: Bound, m: int, *, wrong: bool = False) -> list[Step]:
        return [Step("the bound is m at least", not wrong and bound.evaluate({"m": m, "L": 3}) >= m)]

    found = _changes(
        steps,
        bound="m*L",
        regime=SIZES,
        measured=["L"],
        evidence=Proof(),
        controls=[
            control("a quarter of it", bound="m*L/4"),
            control("over the square of the depth", bound="m/L"),
            control("another step", wrong=True),
        ],
    )
    assert [change["bound_ratio"] for change in found.values()] == [[0.25, 0.25], None, [1.0, 1.0]]
    reasons = found["over the square of the depth"]["why_none"]
    assert reasons["bound_ratio"] == "a proof for all values of its symbols: times L**(-2)"
    assert reasons["measured_ratio"] == "the steps of a proof measure nothing"
    assert reasons["closest"] == "a step of a proof holds or does not, and no number says how nearly"


def test_what_the_claim_cannot_measure_where_its_control_is_costs_no_verdict() -> None:
    def narrow(m: int, *, by: float = 1.0) -> float:
        if m > 16 and by == 1.0:
            raise ValueError("too wide")
        return by * m

    elsewhere = control("three times as much", by=3.0, cells=grid(m=64))
    found = _changes(narrow, bound="m", regime=SIZES, controls=[elsewhere])["three times as much"]
    assert found["measured_ratio"] is None
    assert found["why_none"]["measured_ratio"].startswith("the claim has no result there: ValueError: too wide")


def test_every_number_that_is_none_has_a_reason() -> None:
    def still(m: int, *, by: float = 0.0) -> float:
        return by * m

    found = _changes(still, bound="m", regime=SIZES, controls=[control("three times as much", by=3.0)])
    assert found["three times as much"]["measured_ratio"] is None
    assert found["three times as much"]["why_none"] == {"measured_ratio": "the claim measures 0 there"}


def test_a_control_of_many_trials_is_caught_up_to_a_quantile_of_its_ratios() -> None:
    def noise(rng: np.random.Generator, m: int) -> float:
        return m * float(rng.uniform(0.5, 1.0))

    # Two in five fail, so that it takes more trials than are kept to be shown.
    found = row(
        noise,
        bound="m",
        regime=Regime(cells=grid(m=4)),
        evidence=Trials(rate=0.2, budget=600),
        controls=[control("four fifths", bound="4*m/5")],
    ).controls[0]
    assert found.refuted
    assert found.change.closest is not None
    assert 1.0 < found.change.closest < 1.25


def test_the_story_says_by_how_much_a_control_differs() -> None:
    lines = story(row(width, bound="m", regime=SIZES, controls=[control("half of it", bound="m/2")]))
    assert "control    half of it: refuted; bound times 0.5, ratio 2, caught up to a factor 2 on its bound" in lines


@pytest.mark.parametrize(
    ("name", "bound", "factor"),
    [
        ("without the root", "m/16", "0.0625"),
        ("the second term left out", "m/16", "0.0625"),
        ("exponent 2", "m**2/2 + sqrt(m)", "0.5"),
    ],
)
def test_a_factor_hidden_beside_another_change_is_refused(name: str, bound: str, factor: str) -> None:
    with (
        pytest.raises(ClaimError, match=f"changes the form of the bound, and the bound by the factor {factor} besides"),
        declared(width, bound="m + sqrt(m)", regime=SIZES, controls=[control(name, bound=bound)]),
    ):
        pass


def stretched(m: int, *, by: float = 1.0) -> float:
    """The width, or so many times as much."""
    return by * m


def test_a_factor_hidden_beside_what_is_measured_is_refused() -> None:
    """A sixteenth refutes the claim by itself: that the width counts twice has nothing to do with it."""
    with (
        pytest.raises(ClaimError, match=r"changes what is measured, and the bound by the factor 0\.0625 besides"),
        declared(stretched, bound="m", regime=SIZES, controls=[control("the width twice", bound="m/16", by=2.0)]),
    ):
        pass
    honest = [control("the width twice, against a sixteenth", bound="m/16", by=2.0), control("twice", by=2.0)]
    with declared(stretched, bound="m", regime=SIZES, controls=honest) as made:
        assert len(made.controls) == 2


def test_a_factor_hidden_beside_a_dropped_premise_is_refused() -> None:
    dropped = control("narrow", bound="m/16", cells=grid(m=2), without="m >= 3")
    with (
        pytest.raises(ClaimError, match=r"changes the premises, and the bound by the factor 0\.0625 besides"),
        declared(width, bound="m", regime=SIZES, premises=["width: m >= 3"], controls=[dropped]),
    ):
        pass


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("a sixteenth, without the root", "m/16"),
        ("1/16 of it, without the root", "m/16"),
        ("without the root", "m"),
        ("any smaller one", "(m + sqrt(m))/16"),
    ],
)
def test_a_factor_that_is_stated_or_alone_is_accepted(name: str, bound: str) -> None:
    with declared(width, bound="m + sqrt(m)", regime=SIZES, controls=[control(name, bound=bound)]) as made:
        assert made.controls[0].name == name


def test_names_state_numbers_in_digits_and_in_words() -> None:
    assert 0.3 in stated("three tenths of it")
    assert 1.0 / 16.0 in stated("a sixteenth, without the ball")
    assert 0.99 in {1.0 - number for number in stated("1 % less")}
    assert 1e9 in stated("10^9, any number")
    assert math.sqrt(2.0) in stated("the root of 2")
    # What an exponent is does not say by which factor.
    assert not stated("m^(1/4)")
    assert not stated("exponent 3/2 of the radius")


LEVEL = formula(lambda x: x, "x")
PROBABILITY: dict[str, Any] = {
    "regime": Regime(cells=grid(m=100, x=[0.5, 2.9])),
    "controls": [control("a hundredth", bound=formula(lambda x: x / 100.0, "x/100"))],
}


def _half(m: int, x: float) -> float:
    return 0.4


def test_a_bound_above_one_on_a_probability_is_trivial() -> None:
    found = row(_half, bound=LEVEL, probability=True, evidence=Search(examples=5), **PROBABILITY)
    statuses = [str(cell.premises) for cell in found.evidence.cells]
    assert (statuses, found.verdict) == (["inside", "trivial"], Verdict.HOLDS)
    plain = row(_half, bound=LEVEL, evidence=Search(examples=5), **PROBABILITY)
    assert [str(cell.premises) for cell in plain.evidence.cells] == ["inside", "inside"]


def test_a_lower_bound_of_nothing_on_a_probability_is_trivial() -> None:
    found = row(
        _half,
        bound=formula(lambda x: 1.0 - x, "1 - x"),
        sense=">=",
        probability=True,
        evidence=Search(examples=5),
        regime=Regime(cells=grid(m=100, x=[0.7, 1.0])),
        controls=[control("all of it", bound="1")],
    )
    assert [str(cell.premises) for cell in found.evidence.cells] == ["inside", "trivial"]


def test_what_is_no_probability_is_an_error() -> None:
    found = row(
        lambda m, x: 1.5, RunConfig(), bound=LEVEL, probability=True, evidence=Search(examples=5), **PROBABILITY
    )
    assert found.verdict is Verdict.ERROR
    assert "a probability is measured as 1.5, which is not between 0 and 1" in found.error


@pytest.mark.parametrize("said", ["The exact chance that x is large.", "P(x > 1).", "Probability of a wrong sign."])
def test_what_says_that_it_measures_a_chance_is_one(said: str) -> None:
    def measured(m: int, x: float) -> float:
        return 0.4

    measured.__doc__ = said
    with pytest.raises(ClaimError, match="write probability=True"), declared(measured, bound=LEVEL, **PROBABILITY):
        pass
    measured.__doc__ = f"Minus the logarithm: {said}"
    with declared(measured, bound=LEVEL, **PROBABILITY) as made:
        assert not made.probability


@pytest.mark.parametrize(
    ("block", "said"), [({"sense": "="}, "an equality"), ({"ceiling": LEVEL}, "a ceiling besides")]
)
def test_a_probability_takes_no_ceiling_and_no_equality(block: dict[str, Any], said: str) -> None:
    with pytest.raises(ClaimError, match=said), declared(_half, bound=LEVEL, probability=True, **block, **PROBABILITY):
        pass
