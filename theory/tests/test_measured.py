"""A comparison is three-valued, names its worst index, and never lets NaN, an infinity or a wide error through."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from theory.core.measured import (
    BOUND_RELATIVE_ERROR,
    CLOSE_CALL,
    DEFAULT_RELATIVE_ERROR,
    EQUALITY_TOLERANCE,
    UNIT_ROUNDOFF,
    Comparison,
    Measured,
    MeasurementError,
    Outcome,
    as_measured,
    certain_ends,
    compare,
    finite_ends,
    finite_sample,
    rounding,
)

SENSES = ("<=", ">=", "=")
BROKEN = (math.nan, math.inf, -math.inf)


@pytest.mark.parametrize("sense", SENSES)
@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("where", ["value", "bound", "error", "symbol"])
@pytest.mark.parametrize("as_array", [False, True])
def test_what_is_not_finite_never_passes(sense: str, broken: float, where: str, as_array: bool) -> None:
    """One broken entry among good ones is enough, wherever it stands."""

    def entry(name: str, good: float) -> Any:
        hit = broken if name == where else good
        return np.array([good, hit, good]) if as_array else hit

    value = 1.0
    bound = {"<=": 2.0, ">=": 0.5, "=": 1.0}[sense]
    measured = Measured(entry("value", value), error=entry("error", 1e-9), symbols={"r": entry("symbol", 1.0)})
    found = compare(measured, entry("bound", bound), sense)
    assert found.outcome is Outcome.NOT_FINITE
    assert not found.ok
    # The comparison that this test breaks is one that passes.
    assert compare(Measured(value, error=1e-9, symbols={"r": 1.0}), bound, sense).ok


@pytest.mark.parametrize("sense", SENSES)
def test_nothing_measured_never_passes(sense: str) -> None:
    with pytest.raises(MeasurementError, match="its function returned nothing"):
        as_measured(None)
    with pytest.raises(ValueError, match="a measurement is empty"):
        compare(Measured(np.array([])), 1.0, sense)


@pytest.mark.parametrize(
    ("value", "bound", "sense", "outcome", "ratio"),
    [
        (1.0, 2.0, "<=", Outcome.PASS, 0.5),
        (3.0, 2.0, "<=", Outcome.FAIL, 1.5),
        (4.0, 2.0, ">=", Outcome.PASS, 0.5),
        (1.0, 2.0, ">=", Outcome.FAIL, 2.0),
        (-1.0, 2.0, "<=", Outcome.PASS, 0.0),
        (-1.0, 0.0, "<=", Outcome.PASS, 0.0),
        (1.0, 0.0, "<=", Outcome.FAIL, math.inf),
        (1.0, -2.0, "<=", Outcome.FAIL, math.inf),
        (-3.0, -2.0, "<=", Outcome.PASS, 0.0),
        (-3.0, -2.0, ">=", Outcome.FAIL, math.inf),
        (0.0, 0.0, "<=", Outcome.PASS, 0.0),
        (1e300, 1e-300, "<=", Outcome.FAIL, math.inf),
        (1.7e308, -1.7e308, "=", Outcome.FAIL, math.inf),
    ],
)
def test_outcome_and_ratio(value: float, bound: float, sense: str, outcome: Outcome, ratio: float) -> None:
    found = compare(Measured(value, error=0.0), bound, sense)
    assert (found.outcome, found.ratio) == (outcome, ratio)
    assert (found.measured, found.bound) == (value, bound)


@pytest.mark.parametrize("sense", SENSES)
def test_one_entry_decides_and_is_named(sense: str) -> None:
    """The claim quantifies over the entries; symbols may have one value for each."""
    value = np.array([[1.0, 1.0], [1.0, 3.0 if sense != ">=" else 0.2]])
    bound = np.array([2.0, 2.0]) if sense == "<=" else np.array([0.5, 0.5]) if sense == ">=" else np.ones(2)
    found = compare(Measured(value, error=1e-9), bound, sense)
    assert found.outcome is Outcome.FAIL
    assert (found.measured, found.bound) == (value[1, 1], bound[1])


def test_the_worst_of_several_failures_is_named() -> None:
    found = compare(Measured(np.array([3.0, 7.0, 1.0, 5.0])), 2.0, "<=")
    assert (found.outcome, found.measured, found.ratio) == (Outcome.FAIL, 7.0, 3.5)


def test_a_failure_is_named_before_a_worse_ratio_within_its_error() -> None:
    """Where the bound is 0 every excess has an infinite ratio; only the certain one is a failure."""
    found = compare(Measured(np.array([1e-9, 3.0]), error=np.array([1e-8, 0.0])), np.array([0.0, 2.0]), "<=")
    assert (found.outcome, found.measured) == (Outcome.FAIL, 3.0)


@pytest.mark.parametrize("sense", ["<=", ">="])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_within_the_error_nothing_is_decided(sense: str, side: float) -> None:
    close = compare(Measured(1.0 + 0.5 * side * DEFAULT_RELATIVE_ERROR), 1.0, sense)
    apart = compare(Measured(1.0 + 3.0 * side * DEFAULT_RELATIVE_ERROR), 1.0, sense)
    good = (sense == "<=") == (side < 0)
    assert (close.outcome, close.ok, close.unsure, close.decided) == (Outcome.BORDERLINE, False, True, False)
    # What may be set aside is what meets the bound as far as floats can tell.
    assert close.close is good
    assert apart.outcome is (Outcome.PASS if good else Outcome.FAIL)
    assert apart.ok is apart.decided is good


@pytest.mark.parametrize("sense", SENSES)
def test_a_huge_error_passes_nothing_and_refutes_nothing(sense: str) -> None:
    value = {"<=": 0.5, ">=": 2.0, "=": 1.0}[sense]
    for number in (value, 1.0 / value):
        found = compare(Measured(number, error=1e300), 1.0, sense)
        assert (found.outcome, found.ok, found.close, found.decided) == (Outcome.BORDERLINE, False, False, False)
    among = compare(Measured(np.full(3, value), error=np.array([0.0, 1e300, 0.0])), np.ones(3), sense)
    assert (among.outcome, among.close) == (Outcome.BORDERLINE, False)


def test_a_close_call_has_an_error_of_rounding() -> None:
    just, over = (Measured(1.0 - 1e-13, error=share * CLOSE_CALL) for share in (0.99, 1.01))
    assert (compare(just, 1.0, "<=").close, compare(over, 1.0, "<=").close) == (True, False)
    # The row is undecided by the entry that is open, not by a close call with a worse ratio.
    both = compare(Measured(np.array([1.0, 0.9]), error=np.array([0.0, 0.2])), np.ones(2), "<=")
    assert (both.close, both.measured) == (False, 0.9)


def test_some_entries_may_be_decided_and_others_close() -> None:
    found = compare(Measured(np.array([0.5, 1.0])), 1.0, "<=")
    assert (found.outcome, found.measured, found.decided, found.close) == (Outcome.BORDERLINE, 1.0, True, True)


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("where", ["value", "bound", "symbol"])
def test_a_broken_entry_hides_no_failure(broken: float, where: str) -> None:
    def entries(name: str, good: float, other: float) -> np.ndarray:
        return np.array([broken if name == where else good, other])

    measured = Measured(entries("value", 0.5, 3.0), symbols={"r": entries("symbol", 1.0, 1.0)})
    found = compare(measured, entries("bound", 1.0, 1.0), "<=")
    assert (found.outcome, found.measured) == (Outcome.FAIL, 3.0)
    alone = Measured(measured.value[:1], symbols={"r": measured.symbols["r"][:1]})
    assert compare(alone, entries("bound", 1.0, 1.0)[:1], "<=").outcome is Outcome.NOT_FINITE


def test_an_equality_holds_to_its_error_and_no_further() -> None:
    assert compare(Measured(1.0 + 1e-9, error=2e-9), 1.0, "=").ratio == pytest.approx(0.5, rel=1e-6)
    assert compare(Measured(1.0 + 1e-9, error=2e-9), 1.0, "=").outcome is Outcome.PASS
    assert compare(Measured(1.0 + 3e-9, error=2e-9), 1.0, "=").outcome is Outcome.FAIL
    assert compare(Measured(1.0 - 3e-9, error=2e-9), 1.0, "=").outcome is Outcome.FAIL
    assert compare(Measured(1.0, error=0.0), 1.0, "=").outcome is Outcome.PASS


def test_a_formula_in_floats_cannot_refute_an_exact_count() -> None:
    """30 flips against 0.1 * 300 = 30 evaluated one unit in the last place too low."""
    bound = math.nextafter(30.0, 0.0)
    assert compare(Measured(30, error=0.0), bound, "<=").outcome is Outcome.BORDERLINE
    assert compare(Measured(30, error=0.0), 30.0 * (1.0 - 2.0 * BOUND_RELATIVE_ERROR), "<=").outcome is Outcome.FAIL
    assert compare(Measured(31, error=0.0), bound, "<=").outcome is Outcome.FAIL


def test_an_equality_that_forgives_too_much_is_open() -> None:
    """Its tolerance is what the row prints as its power; beyond a limit it states no equality."""
    forgiving = Measured(1.0, error=100.0 * EQUALITY_TOLERANCE)
    assert compare(forgiving, 1.0, "=").outcome is Outcome.BORDERLINE
    assert compare(forgiving, 2.0, "=").outcome is Outcome.FAIL
    cancelled = Measured(0.0, error=100.0 * EQUALITY_TOLERANCE, scale=1000.0)
    assert compare(cancelled, 0.0, "=").outcome is Outcome.PASS


@pytest.mark.parametrize("error", [-1.0, -1e-300])
def test_a_negative_error_forgives_nothing(error: float) -> None:
    assert compare(Measured(1.0, error=error), 1.0, "=").outcome is Outcome.FAIL
    assert compare(Measured(1.5, error=error), 1.0, "<=").outcome is Outcome.FAIL


def test_an_outcome_decided_elsewhere_overrules_the_ratio() -> None:
    """Ball arithmetic may find a float excess to be rounding, or a float pass to be a failure."""
    assert Comparison(Outcome.PASS, 1.0, 1.0, 1.0 + 1e-15).ok
    assert not Comparison(Outcome.FAIL, 1.0, 1.0, 1.0 - 1e-15).ok


def test_what_an_equality_forgives_is_quoted_against_its_scale() -> None:
    assert compare(Measured(0.0, error=1e-6, scale=100.0), 0.0, "=").tolerance == 1e-8
    # Beside numbers that are there to be seen, larger terms on the way excuse nothing.
    assert compare(Measured(1.0, error=1e-6, scale=100.0), 1.0, "=").tolerance == 1e-6
    assert compare(Measured(0.0, error=1e-6, scale=0.0), 0.0, "=").tolerance == math.inf
    assert compare(Measured(0.0, error=1e-6, scale=math.nan), 0.0, "=").tolerance == math.inf
    assert compare(Measured(0.0, error=0.0, scale=0.0), 0.0, "=").tolerance == 0.0


def test_integers_beyond_float64_are_finite_symbols() -> None:
    assert compare(Measured(1.0, symbols={"m": 10**400}), 2.0, "<=").ok


def test_rounding_bounds_a_real_sum() -> None:
    # One term after the other, in Python: 0.1 is no binary fraction, and the same bits are lost on every processor.
    values = [0.1] * 10_000
    exact = scale = math.fsum(values)
    total = 0.0
    for value in values:
        total += value
    assert 1e-11 < abs(total - exact) <= rounding(scale, len(values))
    assert rounding(1.0, 1.0) == pytest.approx(UNIT_ROUNDOFF, rel=1e-9)


@pytest.mark.parametrize(("value", "symbols"), [(np.ones(2), {}), (1.0, {"r": np.ones(2)})], ids=["value", "symbol"])
def test_a_ball_belongs_to_one_number(value: Any, symbols: dict[str, Any]) -> None:
    """It would clear the entry that floats put first and hide the others."""
    with pytest.raises(ValueError, match="a ball decides one comparison, not 2"):
        Measured(value, symbols=symbols, ball=lambda: None)
    assert Measured(np.ones(1), ball=lambda: None).ball is not None


def test_a_bare_number_becomes_a_measurement() -> None:
    assert as_measured(2.0) == Measured(2.0)
    measured = Measured(2.0, error=0.0)
    assert as_measured(measured) is measured


@pytest.mark.parametrize("good", [3, 3.0, np.float32(3), np.int64(3), [1, 2.5], Fraction(1, 3), [Fraction(1, 2), 2]])
def test_real_numbers_of_every_kind_are_measurements(good: Any) -> None:
    assert compare(as_measured(good), 4.0, "<=").ok


NOT_REAL: dict[str, list[Any]] = {
    "complex": [1 + 0j, np.complex64(1), [1.0, 1j], np.ones(2, complex)],
    "a truth value": [True, np.True_, [True, False]],
    "a text": ["1.0", ["1", "2"], b"1"],
    "of type": [[1, None], {"value": 1.0}, [1, "a", object()], [1, 1j, 10**400], [True, 10**400]],
}


@pytest.mark.parametrize(("said", "bad"), [(said, bad) for said, group in NOT_REAL.items() for bad in group])
def test_what_is_no_real_number_is_refused(said: str, bad: Any) -> None:
    """numpy drops an imaginary part with a warning, and reads a number out of a text."""
    if said != "a text" or np.asarray(bad).dtype.kind in "US":
        with pytest.raises(MeasurementError, match=said):
            as_measured(bad)
    with pytest.raises(MeasurementError, match="the measured symbol r is"):
        as_measured(Measured(1.0, symbols={"r": bad}))
    with pytest.raises(MeasurementError, match="the error of a measurement is"):
        as_measured(Measured(1.0, error=bad))
    with pytest.raises(MeasurementError, match="the lower end of a measurement is"):
        as_measured(Measured(1.0, low=bad))
    with pytest.raises(MeasurementError, match="a measurement or its bound is"):
        compare(Measured(1.0), bad, "<=")


@pytest.mark.parametrize("error", [-1.0, -1e-300, [1e-9, -1e-9]])
def test_a_negative_error_is_refused(error: Any) -> None:
    with pytest.raises(MeasurementError, match=r"the error of a measurement is -1.*; an error bound is at least 0"):
        as_measured(Measured(1.0, error=error))


@pytest.mark.parametrize("broken", BROKEN)
def test_an_error_that_is_not_finite_is_refused_where_the_value_is_finite(broken: float) -> None:
    with pytest.raises(MeasurementError, match="at least 0" if broken < 0 else "is not finite; state a bound"):
        as_measured(Measured([1.0, 2.0], error=[0.0, broken]))
    if not broken < 0:
        both = as_measured(Measured(math.nan, error=broken))
        assert compare(both, 1.0, "<=").outcome is Outcome.NOT_FINITE


def test_an_exact_number_is_its_own_ball() -> None:
    exact = Measured(0.1, error=0.0).enclosure
    assert exact is not None
    assert (float(exact().mid()), float(exact().rad())) == (0.1, 0.0)
    assert Measured(0.1).enclosure is None
    assert Measured(np.ones(2), error=0.0).enclosure is None
    assert Measured.between(0.1, 0.1).enclosure is None


@pytest.mark.parametrize("broken", BROKEN)
def test_a_sample_is_nan_where_its_error_or_a_symbol_is_broken(broken: float) -> None:
    assert finite_sample(Measured([1.0, 2.0]), 1.0).tolist() == [[1.0, 2.0], [1e-12, 2e-12]]
    assert np.isnan(finite_sample(Measured([1.0, 2.0], error=[0.0, broken]), 1.0)).all()
    assert np.isnan(finite_sample(Measured(1.0, symbols={"r": broken}), 1.0)).all()
    assert not np.isfinite(finite_sample(Measured([1.0, broken]), 1.0)).all()


def test_a_sample_that_is_known_too_coarsely_is_nan() -> None:
    assert np.isnan(finite_sample(Measured([1.0, 2.0], error=1e-3), 1.0)).all()
    # The unit of the law is what an error is small against, also where a number happens to be small.
    assert finite_sample(Measured(1e-9, error=1e-9), 1.0).tolist() == [[1e-9], [1e-9]]
    assert np.isnan(finite_sample(Measured(1e-9, error=1e-9), 1e-9)).all()


def test_ends_move_outward_by_the_error() -> None:
    assert certain_ends(Measured([1.0, 2.0], error=[0.25, 0.5])).tolist() == [[0.75, 1.5], [1.25, 2.5]]
    assert certain_ends(Measured(2.0, low=1.0, error=0.5)).tolist() == [[0.5], [2.5]]


class TestIntervals:
    """Of the quantity only an interval is known: one end must meet the bound, the other must break it."""

    @pytest.mark.parametrize(
        ("low", "high", "sense", "outcome", "ok"),
        [
            (0.5, 0.9, "<=", Outcome.PASS, True),
            (0.5, 1.5, "<=", Outcome.BORDERLINE, False),
            (1.1, 1.5, "<=", Outcome.FAIL, False),
            (1.1, 1.5, ">=", Outcome.PASS, True),
            (0.5, 1.5, ">=", Outcome.BORDERLINE, False),
            (0.5, 0.9, ">=", Outcome.FAIL, False),
            (-1.0, 10.0, "<=", Outcome.BORDERLINE, False),
            # An end on the bound is as close as any number there.
            (1.0, 1.0, "<=", Outcome.BORDERLINE, False),
            (1.0, 1.5, "<=", Outcome.BORDERLINE, False),
            # The interval lies well inside: its length is no rounding error on the passing side.
            (-100.0, 0.9, "<=", Outcome.PASS, True),
        ],
    )
    def test_a_bound_inside_decides_nothing(
        self, low: float, high: float, sense: str, outcome: Outcome, ok: bool
    ) -> None:
        found = compare(Measured.between(low, high), 1.0, sense)
        assert (found.outcome, found.ok) == (outcome, ok)
        assert found.unsure is (outcome is Outcome.BORDERLINE)
        assert found.close is (found.unsure and low == high)
        assert found.measured == (high if sense == "<=" else low)

    def test_one_certain_failure_among_open_entries_is_a_failure(self) -> None:
        low, high = np.array([0.2, 1.1, 0.5]), np.array([9.0, 1.2, 0.6])
        found = compare(Measured.between(low, high), 1.0, "<=")
        assert (found.outcome, found.measured) == (Outcome.FAIL, 1.2)
        assert compare(Measured.between(low[::2], high[::2]), 1.0, "<=").unsure

    @pytest.mark.parametrize("broken", BROKEN)
    def test_a_broken_end_is_no_evidence(self, broken: float) -> None:
        low, high = (0.5, broken) if broken != -math.inf else (broken, 2.0)
        assert compare(Measured.between(low, high), 1.0, "<=").outcome is Outcome.NOT_FINITE
        assert np.isnan(finite_ends(Measured.between([0.1, low], [0.2, high]))).all()

    def test_what_is_no_interval_or_has_no_use_for_one_is_refused(self) -> None:
        with pytest.raises(ValueError, match="give its lower end first"):
            Measured.between(2.0, 1.0)
        with pytest.raises(ValueError, match="an interval equals nothing"):
            compare(Measured.between(1.0, 2.0), 1.0, "=")
        with pytest.raises(ValueError, match="not intervals"):
            finite_sample(Measured.between(1.0, 2.0), 1.0)

    def test_a_number_has_equal_ends(self) -> None:
        assert finite_ends(Measured([1.0, 2.0])).tolist() == [[1.0, 2.0], [1.0, 2.0]]
        assert finite_ends(Measured.between(1.0, [2.0, 3.0])).tolist() == [[1.0, 1.0], [2.0, 3.0]]


def test_an_exact_zero_at_a_bound_of_zero_hides_no_ratio() -> None:
    found = compare(Measured(np.array([0.0, 0.9]), error=0.0), np.array([0.0, 1.0]), "<=")
    assert (found.outcome, found.ratio) == (Outcome.PASS, 0.9)
    assert compare(Measured(1e-300, error=0.0), 0.0, "<=").outcome is Outcome.FAIL


NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-4.0, 4.0),
    st.sampled_from([0.0, 1.0, 1e-12, 5e-324, -1.0]),
)


@given(NUMBERS, NUMBERS, st.one_of(st.none(), NUMBERS), st.one_of(st.none(), NUMBERS), st.sampled_from(["<=", ">="]))
@example(1.0, 1.0 + 1e-13, None, None, "<=")
@example(2.0, 1.0, 0.0, 3.0, "<=")
@example(1e308, 1e-308, None, None, "<=")
def test_a_number_is_compared_as_an_array_of_one_is(
    value: float, bound: float, error: float | None, symbol: float | None, sense: str
) -> None:
    symbols = {} if symbol is None else {"t": symbol}
    with np.errstate(over="ignore", invalid="ignore"):
        alone = compare(Measured(value, error, symbols), bound, sense)
        among = compare(
            Measured(np.array([value]), None if error is None else np.array([error]), symbols), bound, sense
        )
    said = repr(replace(among, shape=()))  # nan equals nan there
    assert repr(alone) == said
