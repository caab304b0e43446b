"""What holds for every formula, wherever it stands: declared, readable, typeset, and one number in all its forms.

Each check raises AssertionError. Main definitions: `symbols_are_declared`, `text_reads_back`,
`latex_shows_every_symbol`, `float_logarithm_and_ball_agree`, `arrays_give_the_scalars`, `exponents_are_those_measured`
and `drawn_points`.
"""

import math
import random
from typing import Any

import numpy as np
import pytest
import sympy

from bounds.bound import Bound
from bounds.parse import parse_formula
from bounds.premise import Premise
from bounds.symbols import SYMBOLS

POINTS = 25


def drawn_points(names: tuple[str, ...], seed: str) -> list[dict[str, Any]]:
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


def symbols_are_declared(bound: Bound) -> None:
    names = {free.name for free in bound.expr.free_symbols}
    assert names == {*bound.symbols, *bound.constants}
    assert all(SYMBOLS[free.name].symbol is free for free in bound.expr.free_symbols)


def text_reads_back(bound: Bound) -> None:
    assert parse_formula(bound.text, (*bound.symbols, *bound.constants)) == bound.expr


def latex_shows_every_symbol(formula: Bound | Premise) -> None:
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


def float_logarithm_and_ball_agree(bound: Bound) -> None:
    compared = 0
    for values in drawn_points(bound.symbols, bound.text):
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


def arrays_give_the_scalars(bound: Bound) -> None:
    points = drawn_points(bound.symbols, bound.text)
    columns = {name: np.array([values[name] for values in points], dtype=float) for name in bound.symbols}
    scalars = np.array([bound.evaluate(values) for values in points])
    np.testing.assert_allclose(np.broadcast_to(bound.evaluate(columns), POINTS), scalars, rtol=1e-9, atol=1e-12)


def exponents_are_those_measured(bound: Bound) -> None:
    """d log / d log at a size far out, against the exponent read off the formula."""
    for name, exponent in bound.exponents(p=0.75).items():
        if not math.isfinite(exponent) or SYMBOLS[name].domain.high == 1.0:
            continue
        far = 2**3000 if SYMBOLS[name].towards == sympy.oo else 2.0**-900
        near = 2**1500 if SYMBOLS[name].towards == sympy.oo else 2.0**-450
        slopes = []
        for values in drawn_points(bound.symbols, bound.text)[:9]:
            values |= {"p": 0.75} if "p" in bound.symbols else {}
            (_, below), (_, above) = (bound.signed_log({**values, name: size}) for size in (near, far))
            if math.isfinite(below) and math.isfinite(above):
                slopes.append((above - below) / (math.log(far) - math.log(near)))
        if not slopes:  # so far out it has no value, as sqrt(1/(2 - rise))
            continue
        # logarithms bend the slope by about 1 over the logarithm of the size
        assert np.median(slopes) == pytest.approx(exponent, abs=0.02)
