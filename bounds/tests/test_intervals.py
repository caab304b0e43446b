"""Interval arithmetic: the interval of a box holds the value at every point of the box."""

import math
import random

import flint
import pytest
import sympy

from bounds.arithmetic.balls import precision_of
from bounds.arithmetic.intervals import INTERVALS, Interval, between, is_above_one, is_below_one
from bounds.arithmetic.tree import compile_tree
from bounds.bound import Bound
from bounds.formula import formula
from bounds.symbols import symbol


def _ends(interval: Interval) -> tuple[float, float]:
    assert interval is not None
    low, high = (end.sign * float(end.log.exp()) if end.sign else 0.0 for end in interval)
    return low, high


@pytest.mark.parametrize(
    "text",
    [
        "m**(3/2)*S1 - 2*m",
        "S1**2 + S1",
        "S1**3/m",
        "m**-2 - S1",
        "Abs(S1)*log(m + 1)",
        "exp(S1/10)*sqrt(m)",
        "Max(S1, m, 2) - Min(S1, 3)",
        "2**(S1/3)",
        "m**(S1/5)",
        "(m + 1)**(-alpha)",
        "acos(alpha)*sin(S1) + cos(m)*atan(S1)",
        "(1 - alpha**2)**(3/2)",
        "S1*alpha*m",
        "alpha*(S1 - m)",
    ],
)
def test_interval_holds_every_value(text: str) -> None:
    bound = formula(text)
    on_boxes = compile_tree(bound.expr, INTERVALS)
    rng = random.Random(text)
    with precision_of(64):
        for _ in range(60):
            box: dict[str, Interval] = {}
            point: dict[str, float] = {}
            for name in bound.symbols:
                if name == "m":
                    first, last = sorted(rng.choices(range(1, 50), k=2))
                    point[name], box[name] = rng.randint(first, last), between(first, last)
                else:
                    size = 1.0 if name == "alpha" else 20.0
                    low, high = sorted(rng.uniform(-size, size) for _ in range(2))
                    point[name], box[name] = rng.uniform(low, high), between(low, high)
            interval = on_boxes(box)
            value = bound.evaluate(point)
            if interval is None:  # nothing known is never wrong
                continue
            low, high = _ends(interval)
            slack = 1e-9 * (1.0 + abs(value))
            assert low - slack <= value <= high + slack


@pytest.mark.parametrize(
    ("text", "low", "high", "wanted"),
    [
        ("S1**2", -3.0, 2.0, (0.0, 9.0)),
        ("S1**3", -3.0, 2.0, (-27.0, 8.0)),
        ("S1**-1", -4.0, -2.0, (-0.5, -0.25)),
        ("S1**-2", -4.0, -2.0, (1 / 16, 1 / 4)),
        ("Abs(S1)", -3.0, 2.0, (0.0, 3.0)),
        ("Abs(S1)", -3.0, -2.0, (2.0, 3.0)),
        ("Max(S1, 1)", -3.0, 2.0, (1.0, 2.0)),
        ("exp(S1)", -1.0, 2.0, (math.exp(-1.0), math.exp(2.0))),
        ("S1*(S1 + 10)", -1.0, 1.0, (-11.0, 11.0)),
        ("S1 - 3", 1.0, 3.0, (-2.0, 0.0)),
    ],
)
def test_interval_of_one_occurrence_is_tight(text: str, low: float, high: float, wanted: tuple[float, float]) -> None:
    found = _ends(compile_tree(formula(text).expr, INTERVALS)({"S1": between(low, high)}))
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", ["1/S1", "S1**-3", "log(S1)", "sqrt(S1)", "S1**S1", "acos(2*S1)"])
def test_undefined_somewhere_is_unknown(text: str) -> None:
    assert compile_tree(formula(text).expr, INTERVALS)({"S1": between(-1.0, 3.0)}) is None
    assert compile_tree(formula(f"Max({text}, 1) + 2*({text})").expr, INTERVALS)({"S1": between(-1.0, 3.0)}) is None


def test_thousands_of_magnitudes() -> None:
    m, n = symbol("m"), symbol("n")
    quotient = compile_tree(m / (n**44 * sympy.log(m) ** 6), INTERVALS)
    with precision_of(64):
        box = {"m": between(2**4096, 2**8192), "n": between(1, 8)}
        assert is_above_one(quotient(box), or_equal=False)
        assert is_below_one(quotient({"m": between(2, 2**40), "n": between(2, 8)}), or_equal=True)
        ends = box["m"]
        assert ends is not None
        assert float(ends[1].log) == pytest.approx(8192 * math.log(2))
        assert ends[0].before(ends[1])


def test_one_is_neither_above_nor_below_when_strict() -> None:
    one = INTERVALS.number(1)
    assert is_above_one(one, or_equal=True)
    assert is_below_one(one, or_equal=True)
    assert not is_above_one(one, or_equal=False)
    assert not is_below_one(one, or_equal=False)


def test_infinite_and_nan_ends_are_unknown() -> None:
    assert between(1.0, math.inf) is None
    assert INTERVALS.number(math.nan) is None


def test_rounding_is_outward() -> None:
    third = compile_tree(formula("1/3 + m/7").expr, INTERVALS)
    with precision_of(30):
        interval = third({"m": between(2, 2)})
    assert interval is not None
    with precision_of(200):
        exact = flint.arb(flint.fmpq(13, 21)).log()
        assert interval[0].log < exact < interval[1].log


def test_constant_bound_needs_no_box() -> None:
    assert _ends(compile_tree(Bound(3).expr, INTERVALS)({})) == pytest.approx((3.0, 3.0))
