"""Growth exponents: exact on power laws, and the limit elsewhere."""

import math

import pytest

from bounds.bound import Bound, Constant, MissingValueError
from bounds.formula import formula
from bounds.growth import UnknownGrowthError
from bounds.symbols import symbol


@pytest.mark.parametrize(
    ("text", "name", "exponent"),
    [
        ("2*m**(3/2)*beta_", "m", 1.5),
        ("2*m**(3/2)*beta_", "beta_", 1.0),
        ("sqrt(log(n*L/delta)/m)", "m", -0.5),
        ("sqrt(log(n*L/delta)/m)", "n", 0.0),
        ("sqrt(log(n*L/delta)/m)", "delta", 0.0),
        ("n**44/phi**24*2**(76*L)", "phi", -24.0),
        ("n**44/phi**24*2**(76*L)", "L", math.inf),
        ("exp(-n)*m", "n", -math.inf),
        ("(1 - log(2)/(2*L))**l*phi", "L", 0.0),
        ("(1 - log(2)/(2*L))**l*phi", "l", -math.inf),
        # radii go to 0, so the smallest power leads
        ("tau + tau**2", "tau", 1.0),
        ("1/2 - theta**2/4 + theta**3", "theta", 0.0),
        ("phi**2 - 4*phi**3", "phi", 2.0),
        # sizes go to infinity, so the largest one does
        ("m + m**2", "m", 2.0),
        ("m - log(m)", "m", 1.0),
        ("Max(m**2, n*m)", "m", 2.0),
        ("Min(m**2, n*m)", "m", 1.0),
        ("m**2/(m + n)", "m", 1.0),
        ("log(log(m))*m", "m", 1.0),
        ("exp(1/m)*m", "m", 1.0),
        ("(1 + 1/m)**m", "m", 0.0),
        # leading terms that tie are measured
        ("4**L - 3**L", "L", math.inf),
        ("sqrt(m)*tau*(4**(L - l + 1) - (7/2)**(L - l + 1)) + r", "l", 0.0),
    ],
)
def test_exponent(text: str, name: str, exponent: float) -> None:
    assert formula(text).exponent(name) == exponent


def test_exponent_that_depends_on_another_symbol() -> None:
    bound = formula("n**(44 - 4*p)*eps**(2 - 4*p)")
    assert bound.exponent("n", p=1) == 40.0
    assert bound.exponents(p=0.75) == {"n": 41.0, "eps": -1.0, "p": 0.0}
    assert math.isnan(bound.exponents()["n"])
    with pytest.raises(UnknownGrowthError, match=r"is 44 - 4\*p: give a value for p"):
        bound.exponent("n")


def test_exponent_that_depends_on_a_constant() -> None:
    m, c = symbol("m"), symbol("c")
    assert Bound(m**c, {"c": Constant(3, "for the test")}).exponent("m") == 3.0


def test_exponent_that_other_symbols_decide_is_refused() -> None:
    with pytest.raises(UnknownGrowthError, match="no growth exponent"):
        formula("b**(1 - 2*p) - a**(1 - 2*p)").exponent("b")


def test_no_such_symbol() -> None:
    with pytest.raises(MissingValueError, match="has no symbol n"):
        formula("m").exponent("n")
