"""Where symbols stand: names of the places, and wrong dependences at one of them by three ways that agree."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.arithmetic.arrays import alike
from bounds.bound import Bound, Constant, MissingValueError
from bounds.formula import formula

FORMULAS = (
    "b*clock/2 - a**2/(4*b)",
    "n*(jump*log(m)*sqrt(m)*L**2 + L*sqrt(m*log(m)/n) + sqrt(log(m)/n))",
    "Min(a*m, a**2) + 1",
    "(a*n + b)*(a*n + x)",
    "exp(-a*m)*m + 1",
)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("m**2*n", []),
        ("(1 + a/L)**L", []),
        ("m*log(m)", ["m in m", "m in log(m)"]),
        ("b*clock/2 - a**2/(4*b)", ["clock in b*clock/2", "a in -a**2/(4*b)", "b in b*clock/2", "b in -a**2/(4*b)"]),
        ("(a + b)*n", ["a as a term", "b as a term"]),
        ("theta**2*(L - 1) + 2", ["L in theta**2*(L - 1)", "theta in theta**2*(L - 1)"]),
        ("sqrt(a*n + 1)", ["n in a*n", "a in a*n"]),
        ("Max(a*n, a**2)", ["n in a*n", "a in a**2", "a in a*n"]),
        ("m*log(m) + n", ["m in m of m*log(m)", "m in log(m) of m*log(m)", "n as a term"]),
        (
            "(a*n + b)*(a*n + x)",
            [
                "n in a*n of a*n + b",
                "n in a*n of a*n + x",
                "a in a*n of a*n + b",
                "a in a*n of a*n + x",
                "b as a term",
                "x as a term",
            ],
        ),
    ],
)
def test_places_have_short_names_that_differ(text: str, places: list[str]) -> None:
    assert sorted(place.name for place in formula(text).variants.places) == sorted(places)


def test_a_constant_has_no_places() -> None:
    assert [place.symbol for place in formula("C*m + n", {"C": (2, "for the test")}).variants.places] == ["m", "n"]


def test_a_place_knows_its_terms_from_outside_in_and_its_power() -> None:
    inner = next(place for place in formula("theta**2*(L - 1) + 2").variants.places if place.symbol == "L")
    assert inner.within == ("theta**2*(L - 1)", "L")
    square, logarithm = formula("m**2*log(m)").variants.places
    assert (square.power, square.has_power) == (2, True)
    assert (logarithm.power, logarithm.has_power) == (None, False)


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("power", [None, Fraction(1, 2), Fraction(-1)])
def test_the_formula_the_array_and_the_number_of_a_wrong_dependence_agree(text: str, power: Fraction | None) -> None:
    bound, rng = formula(text), np.random.default_rng(0)
    values = {name: rng.uniform(1.0, 3.0, 5) for name in bound.symbols}
    for place in bound.variants.places:
        wrong = bound.variants.evaluate_at(place, values, 1.5, power)
        assert wrong == pytest.approx(bound.variants.changed_at(place, 1.5, power).evaluate(values), rel=1e-12)
        one = {name: float(column[2]) for name, column in values.items()}
        assert bound.variants.evaluate_at(place, one, 1.5, power) == pytest.approx(wrong[2], rel=1e-12)
        # It agrees with the bound at the one value, and nowhere else where it is what counts.
        at = {**values, place.symbol: np.full(5, 1.5)}
        assert bound.variants.evaluate_at(place, at, 1.5, power) == pytest.approx(bound.evaluate(at), rel=1e-12)
        assert "Min" in text or not np.isclose(wrong, bound.evaluate(values), rtol=1e-6).all()


def test_what_leaves_the_doubles_on_the_way_is_computed_by_logarithms() -> None:
    bound = formula("m**44/n**44 + 1")
    (place,) = (place for place in bound.variants.places if place.symbol == "m")
    found = bound.variants.evaluate_at(place, {"m": np.array([1e9, 2e9]), "n": np.array([1e9, 2e9])}, 1e9, Fraction(1))
    assert found == pytest.approx([2.0, 3.0], rel=1e-9)


def test_a_missing_value_is_named_and_a_constant_has_its_own() -> None:
    bound = Bound(formula("C*m + n", {"C": (2, "for the test")}).expr, {"C": Constant(3, "another")})
    (place, _) = bound.variants.places
    assert bound.variants.evaluate_at(place, {"m": 4.0, "n": 1.0}, 2.0, None) == 7.0
    with pytest.raises(MissingValueError, match="needs a value for n"):
        bound.variants.evaluate_at(place, {"m": 4.0}, 2.0, None)


def test_entries_that_are_alike_are_told_once() -> None:
    columns = [np.array([1.0, 2.0, 1.0, -0.0, 0.0]), np.array([3.0, 3.0, 3.0, 3.0, 3.0])]
    found = [(at[0].tolist(), one) for at, one in alike(np.array([True, True, True, True, True]), columns)]
    assert found == [([0, 2], [1.0, 3.0]), ([1], [2.0, 3.0]), ([3], [0.0, 3.0]), ([4], [0.0, 3.0])]
    assert [at[0].tolist() for at, _ in alike(np.array([False, True, False, False, False]), columns)] == [[1]]
