"""The forms in which a formula is computed agree with one another, and say what they lack."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bounds.constant import LEAST_RESERVE, Constant
from bounds.exponents import exponent
from bounds.growth import UnknownGrowthError
from bounds.numeric import MissingValueError, Numbers
from bounds.parse import parse_formula


def numbers(text: str, *symbols: str, **constants: float) -> Numbers:
    """The forms of a formula."""
    return Numbers(parse_formula(text), symbols, {name: Constant(value, "chosen") for name, value in constants.items()})


def test_float_logarithm_array_and_ball_are_one_value() -> None:
    form = numbers("C*sqrt(n/m)", "m", "n", C=3.0)
    values = {"m": 16, "n": 4}
    assert form.evaluate(values) == pytest.approx(1.5)
    assert form.wide(values).log == pytest.approx(math.log(1.5))
    assert form.ball(values, 128).contains(form.evaluate(values))
    np.testing.assert_allclose(form.evaluate({"m": np.array([16, 64]), "n": 4}), [1.5, 0.75])


def test_a_constant_may_have_another_value_and_a_symbol_needs_one() -> None:
    form = numbers("C*m", "m", C=3.0)
    assert form.known({"m": 2}) == {"m": 2, "C": 3.0}
    assert form.evaluate({"m": 2, "C": 1.0}) == 2.0
    for ask in (form.known, form.evaluate, form.wide):
        with pytest.raises(MissingValueError, match=r"C\*m needs a value for m; given: C"):
            ask({"C": 1.0})


def test_what_leaves_the_doubles_is_known_by_its_logarithm() -> None:
    form = numbers("exp(m)*exp(-m)", "m")
    assert form.evaluate({"m": 10**4}) == 1.0
    assert numbers("exp(m)", "m").wide({"m": 10**4}).log == 10**4


def test_an_exponent_is_read_where_a_symbol_is_extreme() -> None:
    formula = parse_formula("m**(3/2) + m*n**p")
    assert exponent(formula, "m", {"p": 2, "n": 3}, {}) == 1.5
    assert exponent(formula, "n", {"m": 3}, {"p": 2.0}) == 2.0
    with pytest.raises(UnknownGrowthError, match="give a value for"):
        exponent(parse_formula("m**p"), "m", {}, {})


def test_a_constant_set_by_attacks_keeps_its_distance_from_them() -> None:
    assert Constant.above(2.2, attacked=2.0, why="by hand").reserve == pytest.approx(LEAST_RESERVE)
    with pytest.raises(ValueError, match="another seed may go further"):
        Constant.above(2.1, attacked=2.0, why="by hand")
