"""Definition 2.1 of chatterji2021: activations whose exact answer is known, inside and outside the definition."""

import math
import random
from fractions import Fraction
from typing import Any

import flint
import pytest
import sympy
from sympy import Abs, Max, Piecewise, Rational, Symbol, atan, cos, exp, log, oo, pi, sin, sqrt, tanh

from bounds.arithmetic.balls import BALLS
from bounds.arithmetic.tree import UnsupportedFormulaError, compile_tree
from bounds.laws.asymptotic_series import TailError, tail_of
from properties.chatterji2021.definition_2_1 import (
    ActivationReport,
    Condition,
    check_activation,
    huberised_relu,
    scaled_swish,
    smallest_h,
    supremum,
)

z = Symbol("z", real=True)

CLIP = Piecewise((z, z < 0), (z - z**2 / 2, z <= 1), (Rational(1, 2), True))
# slope 1 up to a, falling at rate 1/h to 1 - w/h at a + w, constant from there; (a + w)^2 - a^2 = h^2 with h = 1/2
KINK_A, KINK_W, KINK_H = Rational(7, 48), Rational(3, 8), Rational(1, 2)
DOWNWARD_KINK = Piecewise(
    (z, z <= KINK_A),
    (z - (z - KINK_A) ** 2 / (2 * KINK_H), z <= KINK_A + KINK_W),
    ((1 - KINK_W / KINK_H) * z + KINK_H / 2, True),
)

# the least and the largest h, in closed form
RANGES: dict[str, tuple[sympy.Expr, Any, Any]] = {
    "Huberised": (huberised_relu(Rational(1, 2)), Rational(1, 2), Rational(1, 2)),
    "tiny Huberised": (huberised_relu(Rational(1, 10**20)), Rational(1, 10**20), Rational(1, 10**20)),
    "identity": (z, 0, oo),
    "negation": (-z, 0, oo),
    "zero": (sympy.S.Zero, 0, oo),
    "leaky": (z / 10 + Rational(9, 10) * huberised_relu(1), Rational(9, 10), Rational(10, 9)),
    "clip": (CLIP, 1, 1),
    "downward kink": (DOWNWARD_KINK, KINK_H, KINK_H),
    "shifted softplus": (log(1 + exp(z)) - log(2), 2 * log(2), 4),
    "steep softplus": ((log(1 + exp(10 * z)) - log(2)) / 10, log(2) / 5, Rational(2, 5)),
    "square root": ((z + sqrt(z**2 + 1) - 1) / 2, 1, 2),
    "odd root": (z / 2 + z / sqrt(1 + z**2) / 2, 1, 25 * sqrt(5) / 24),
}


def violations(report: ActivationReport) -> list[Condition]:
    """The conditions that fail."""
    return [condition for condition in report.conditions if condition.holds is False]


@pytest.mark.parametrize("name", RANGES)
def test_range_of_h_is_exact(name: str) -> None:
    phi, smallest, largest = RANGES[name]
    found = smallest_h(phi)
    assert found.obstacle is None
    assert found.smallest.exact == smallest
    assert sympy.simplify(found.largest.exact - largest) == 0 if largest != oo else found.largest.exact == oo
    assert float(found) == float(smallest)


@pytest.mark.parametrize("name", ["Huberised", "clip", "downward kink", "leaky"])
def test_definition_is_decided_at_both_ends_of_the_range(name: str) -> None:
    phi, smallest, largest = RANGES[name]
    little = Rational(1, 10**30)
    assert check_activation(phi, smallest).holds is True
    assert check_activation(phi, largest).holds is True
    below, above = check_activation(phi, smallest - little), check_activation(phi, largest + little)
    assert [condition.name for condition in violations(below)] == ["|phi'(z) z - phi(z)| <= h/2"]
    assert [condition.name for condition in violations(above)] == ["phi' is 1/h-Lipschitz"]


def test_scaled_swish_has_the_figures_of_the_paper() -> None:
    steep, bend = supremum(sympy.diff(scaled_swish(1), z)), supremum(sympy.diff(scaled_swish(1), z, 2))
    assert float(steep.low) - 1e-12 <= 0.99985392739 <= float(steep.high) + 1e-12
    assert float(steep.high - steep.low) < 1e-14
    # attained at 2 z = 2.39936, and as far below zero on the other side it is small
    assert float(2 * sympy.Abs(steep.place)) == pytest.approx(2.39936, abs=1e-4)
    assert bend.exact == Rational(10, 11)
    assert bend.place == 0
    found = smallest_h(scaled_swish(1))
    assert float(found) == pytest.approx(0.399299, abs=1e-6)
    assert found.smallest.exact is None
    assert float(found.smallest.high - found.smallest.low) < 1e-14
    assert found.largest.exact == Rational(11, 10)
    assert check_activation(scaled_swish(1), 1).holds is True


def test_swish_needs_the_factor() -> None:
    """1.1 suffices and 1.09 does not."""
    report = check_activation(scaled_swish(1) * Rational(110, 109), 1)
    (steep,) = violations(report)
    assert steep.name == "|phi'(z)| <= 1"
    assert float(2 * sympy.Abs(steep.place)) == pytest.approx(2.39936, abs=1e-4)
    assert smallest_h(scaled_swish(1) * Rational(110, 109)).smallest.exact == oo


def test_the_definition_scales() -> None:
    one, narrow = smallest_h(scaled_swish(1)), smallest_h(scaled_swish(Rational(1, 1000)))
    assert float(one) == pytest.approx(1000 * float(narrow), rel=1e-13)
    assert narrow.largest.exact == Rational(11, 10000)


@pytest.mark.parametrize(
    ("phi", "condition", "place"),
    [
        pytest.param(Max(z, 0), "phi is differentiable", 0, id="ReLU"),
        pytest.param(Abs(z), "phi is differentiable", 0, id="absolute value"),
        pytest.param(Piecewise((0, z < 2), (z + 1, True)), "phi is differentiable", 2, id="jump"),
        pytest.param(log(1 + exp(z)), "phi(0) = 0", 0, id="softplus"),
        pytest.param(z**2, "|phi'(z)| <= 1", None, id="square"),
        pytest.param(Piecewise((0, z < 0), (sqrt(z), True)), "phi is differentiable", 0, id="root"),
        pytest.param(z + 1, "phi(0) = 0", 0, id="shifted identity"),
        pytest.param(2 * z, "|phi'(z)| <= 1", 0, id="twice the identity"),
    ],
)
def test_illegal_activation_names_condition_and_place(phi: sympy.Expr, condition: str, place: int | None) -> None:
    for h in (Rational(1, 100), 3):
        report = check_activation(phi, h)
        assert report.holds is False
        (failed,) = [each for each in violations(report) if each.name == condition]
        assert failed.place is not None
        assert failed.place == place if place is not None else failed.place.is_infinite
    assert smallest_h(phi).smallest.exact == oo


@pytest.mark.parametrize(
    ("phi", "least", "most"),
    [
        pytest.param(tanh(z), 2.0, 1.0 / (4.0 / (3.0 * math.sqrt(3.0))), id="tanh"),
        pytest.param(atan(z), math.pi, 8.0 * math.sqrt(3.0) / 9.0, id="atan"),
        pytest.param(Piecewise((exp(z) - 1, z < 0), (z, True)), 2.0, 1.0, id="ELU"),
        pytest.param(z / (1 + Abs(z)), 2.0, 0.5, id="softsign"),
    ],
)
def test_no_h_is_large_and_small_enough(phi: sympy.Expr, least: float, most: float) -> None:
    """Bounded slopes and curvatures do not make a member: the gap asks for a larger h than the curvature allows."""
    found = smallest_h(phi)
    assert found.obstacle is not None
    assert found.obstacle.holds is False
    assert found.smallest.exact == oo
    assert float(found.largest) == pytest.approx(most, rel=1e-12)
    gap = supremum(sympy.diff(phi, z) * z - phi)
    assert 2 * float(gap.high) == pytest.approx(least, rel=1e-12)


def test_a_gap_that_grows_for_ever_is_seen() -> None:
    assert smallest_h(sin(z)).smallest.exact == oo
    assert check_activation(sin(z), 1).holds is False


def test_what_is_not_decided_is_said() -> None:
    """Slopes of an oscillating activation have no limit."""
    assert check_activation(z / 2 + sin(10 * z) / 20, 1).conditions[2].holds is not False
    assert check_activation(cos(z) - 1, Rational(1, 10)).conditions[2].holds is None


def test_supremum_is_above_every_sample() -> None:
    rng = random.Random("activation")
    for phi, smallest, _ in RANGES.values():
        for order in (1, 2):
            derivative = sympy.diff(phi, z, order)
            found = supremum(derivative)
            value = sympy.lambdify(z, derivative, "math")
            for _ in range(40):
                at = rng.choice((-1, 1)) * math.exp(rng.uniform(-6, 3)) * max(float(smallest), 0.1)
                assert abs(value(at)) <= float(found.high) * (1 + 1e-12)


def test_every_h_inside_the_range_will_do() -> None:
    phi = (z + sqrt(z**2 + 1) - 1) / 2
    for h in (1, Fraction(5, 4), 1.5, 2):
        assert check_activation(phi, h).holds is True
    for h in (0.999, 2.001):
        assert check_activation(phi, h).holds is False


def test_refusals() -> None:
    with pytest.raises(UnsupportedFormulaError, match="float"):
        smallest_h(0.5 * z)
    with pytest.raises(UnsupportedFormulaError, match="one variable"):
        smallest_h(z * Symbol("w"))
    with pytest.raises(UnsupportedFormulaError, match="whole line"):
        smallest_h(Piecewise((z, z > 0)))
    with pytest.raises(UnsupportedFormulaError):
        smallest_h(sympy.erf(z))
    for h in (0, -1):
        with pytest.raises(ValueError, match="positive"):
            check_activation(z, h)


# ------------------------------------------------------------------------ tails


@pytest.mark.parametrize(
    ("expr", "limit", "side"),
    [
        (1 / (1 + exp(-z)), 1, -1),
        (log(1 + exp(z)) - z, 0, 1),
        (sqrt(z**2 + 1) - z, 0, 1),
        (z / sqrt(1 + z**2), 1, -1),
        (atan(z), pi / 2, -1),
        (z**3 * exp(-z), 0, 1),
        ((z + 1) ** 2 - z**2 - 2 * z, 1, 0),
        (exp(1 / z), 1, 1),
        (z**2 * exp(-z) * log(1 + exp(-z)), 0, 1),
        (atan(1 / z) * z, 1, -1),
        ((1 + 1 / z) ** Rational(-3, 2), 1, -1),
    ],
)
def test_tail_holds_all_values_beyond(expr: sympy.Expr, limit: sympy.Expr, side: int) -> None:
    tail = tail_of(expr, flint.arb(32))
    assert sympy.simplify(tail.limit - limit) == 0
    assert tail.side == side
    form = compile_tree(expr, BALLS)
    with flint.ctx.workprec(20000):
        middle = compile_tree(sympy.sympify(limit), BALLS)({})
        for place in (32, 33, 40, 100, 1000, 5000):
            distance = form({"z": flint.arb(place)}) - middle
            assert distance.is_finite()
            assert abs(distance) <= tail.distance or side == 0
            assert not (distance < 0) or side == -1
            assert not (distance > 0) or side == 1


@pytest.mark.parametrize("expr", [sin(z), exp(-(z**2)), log(z), atan(1 + 1 / z)])
def test_tail_refuses_what_it_does_not_know(expr: sympy.Expr) -> None:
    with pytest.raises(TailError):
        tail_of(expr, flint.arb(32))


def test_tail_refuses_a_start_that_is_too_near() -> None:
    with pytest.raises(TailError):
        tail_of(1 / (z - 50), flint.arb(32))
    assert tail_of(1 / (z - 50), flint.arb(512)).side == 1
    assert tail_of(z - exp(-z), flint.arb(32)).limit == oo
