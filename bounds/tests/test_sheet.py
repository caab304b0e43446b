"""Every formula of every sheet: declared, readable, typeset, and the same number in all its forms."""

import math
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy

from bounds.arithmetic.balls import certainly_le
from bounds.bound import Bound
from bounds.growth import UnknownGrowthError
from bounds.parse import parse_formula
from bounds.premise import Premise
from bounds.sheet import bounds_of, premises_of, sheets
from bounds.symbols import SYMBOLS

BOUND_OF = {f"{key}:{name}": bound for key, sheet in sheets().items() for name, bound in bounds_of(sheet).items()}
PREMISE_OF = {
    f"{key}:{name}": premise for key, sheet in sheets().items() for name, premise in premises_of(sheet).items()
}
BOUNDS = [pytest.param(bound, id=name) for name, bound in BOUND_OF.items()]
PREMISES = [pytest.param(premise, id=name) for name, premise in PREMISE_OF.items()]
# the bounds, and each side of each premise
SIDES = {
    **BOUND_OF,
    **{f"{name}:larger": premise.larger for name, premise in PREMISE_OF.items()},
    **{f"{name}:smaller": premise.smaller for name, premise in PREMISE_OF.items()},
}
POINTS = 25


def _points(names: tuple[str, ...], seed: str) -> list[dict[str, Any]]:
    """Random points of the domain, over several magnitudes where it allows."""
    rng = random.Random(seed)

    def draw(name: str) -> float:
        domain = SYMBOLS[name].domain
        if domain.integer:
            return int(domain.low) + int(math.exp(rng.uniform(0.0, 4.0)))
        if math.isfinite(domain.high):
            return rng.uniform(domain.low, domain.high)
        return rng.choice((-1.0, 1.0) if domain.low < 0 else (1.0,)) * math.exp(rng.uniform(-4.0, 3.0))

    return [{name: draw(name) for name in names} for _ in range(POINTS)]


def test_sheets_are_found() -> None:
    assert "zou2018" in sheets()
    assert len(BOUND_OF) > 50
    assert len(PREMISE_OF) > 30


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_formulas_name_their_paper_or_leave_it_to_the_record_of_their_statement(sheet: ModuleType) -> None:
    key = sheet.__name__.split(".")[-1]
    for bound in bounds_of(sheet).values():
        assert not bound.source or bound.source.startswith(f"{key}, "), f"{bound} has the source {bound.source!r}"
    for premise in premises_of(sheet).values():
        assert premise.source.startswith(f"{key}, "), f"{premise} has the source {premise.source!r}"


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_what_a_statement_asks_for_is_made_of_premises_with_names(sheet: ModuleType) -> None:
    named = list(premises_of(sheet).values())
    groups = {name: value for name, value in vars(sheet).items() if name.endswith("_premises")}
    assert len(groups) > 10
    for name, group in groups.items():
        assert isinstance(group, tuple), name
        assert all(any(premise is other for other in named) for premise in group), name


@pytest.mark.parametrize("bound", BOUNDS)
def test_symbols_are_declared(bound: Bound) -> None:
    names = {free.name for free in bound.expr.free_symbols}
    assert names == {*bound.symbols, *bound.constants}
    assert all(SYMBOLS[free.name].symbol is free for free in bound.expr.free_symbols)


@pytest.mark.parametrize("bound", SIDES.values(), ids=list(SIDES))
def test_text_reads_back(bound: Bound) -> None:
    assert parse_formula(bound.text, (*bound.symbols, *bound.constants)) == bound.expr


@pytest.mark.parametrize("formula", [*BOUNDS, *PREMISES])
def test_latex_shows_every_symbol(formula: Bound | Premise) -> None:
    latex = formula.latex
    assert latex.count("{") == latex.count("}")
    for name in (*formula.symbols, *formula.constants):
        assert SYMBOLS[name].latex in latex


def _relative_size(bound: Bound, values: dict[str, float]) -> float:
    """Size of the largest term, against which the error of a float form is measured."""
    if not isinstance(bound.expr, sympy.Add):
        return 0.0
    terms = [abs(float(Bound(term, bound.constants).evaluate(values))) for term in bound.expr.args]
    return max(terms)


@pytest.mark.parametrize("bound", SIDES.values(), ids=list(SIDES))
def test_float_logarithm_and_ball_agree(bound: Bound) -> None:
    compared = 0
    for values in _points(bound.symbols, bound.text):
        ball = bound.ball(**values, precision=300)
        if not ball.is_finite():
            assert not math.isfinite(bound.evaluate(values))
            continue
        exact = float(ball)
        assert ball.rel_accuracy_bits() > 150 or exact == 0.0
        sign, log = bound.signed_log(values)
        error = 1e-11 * max(abs(exact), _relative_size(bound, values)) if math.isfinite(exact) else 0.0
        if math.isfinite(exact) and abs(exact) > 1e-300:
            assert abs(bound.evaluate(values) - exact) <= error
        if abs(exact) > 1e3 * error or not math.isfinite(exact):
            assert sign == (1 if ball > 0 else -1)
            want = float(abs(ball).log())
            assert log == pytest.approx(want, rel=1e-10, abs=1e-9)
        if sign >= 0 and abs(exact) > 1e3 * error:
            assert bound.log(**values) == log
        compared += 1
    assert compared >= POINTS // 2


@pytest.mark.parametrize("bound", BOUNDS)
def test_arrays_give_the_scalars(bound: Bound) -> None:
    points = _points(bound.symbols, bound.text)
    columns = {name: np.array([values[name] for values in points], dtype=float) for name in bound.symbols}
    scalars = np.array([bound.evaluate(values) for values in points])
    np.testing.assert_allclose(np.broadcast_to(bound.evaluate(columns), POINTS), scalars, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bound", BOUNDS)
def test_exponents_are_those_measured(bound: Bound) -> None:
    """d log / d log at a size far out, against the exponent read off the formula."""
    for name, exponent in bound.exponents(p=0.75).items():
        if not math.isfinite(exponent) or SYMBOLS[name].domain.high == 1.0:
            continue
        far = 2**3000 if SYMBOLS[name].towards == sympy.oo else 2.0**-900
        near = 2**1500 if SYMBOLS[name].towards == sympy.oo else 2.0**-450
        slopes = []
        for values in _points(bound.symbols, bound.text)[:9]:
            values |= {"p": 0.75} if "p" in bound.symbols else {}
            (_, below), (_, above) = (bound.signed_log({**values, name: size}) for size in (near, far))
            if math.isfinite(below) and math.isfinite(above):
                slopes.append((above - below) / (math.log(far) - math.log(near)))
        # logarithms bend the slope by about 1 over the logarithm of the size
        assert np.median(slopes) == pytest.approx(exponent, abs=0.02)


@pytest.mark.parametrize("premise", PREMISES)
def test_premise_decides_as_its_slack_says(premise: Premise) -> None:
    for values in _points(premise.symbols, premise.text):
        slack = premise.slack(values)
        if math.isnan(slack):
            assert not premise.holds(values)
        elif abs(slack) > 1e-6:
            assert premise.holds(values) is (slack > 0)
            assert premise.certainly(values) is (slack > 0)
        large, small = premise.larger.ball(**values), premise.smaller.ball(**values)
        if certainly_le(small, large) is False:
            assert not premise.holds(values)


def test_growth_error_is_a_value_error() -> None:
    assert issubclass(UnknownGrowthError, ValueError)


@pytest.mark.parametrize("sheet", sheets().values(), ids=list(sheets()))
def test_every_letter_of_a_sheet_has_a_meaning_in_its_paper(sheet: ModuleType) -> None:
    key = sheet.__name__.split(".")[-1]
    formulas: list[Bound | Premise] = [*bounds_of(sheet).values(), *premises_of(sheet).values()]
    for formula in formulas:
        assert all(formula.meanings(key).values()), formula.text
