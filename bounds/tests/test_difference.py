"""In what two formulas differ: the shape of their terms, and the numbers before terms of the same shape."""

import pytest

from bounds.formula import formula


def factors(one: str, other: str, **constants: float) -> tuple[bool, list[float]]:
    """Whether the shape differs, and the factors; `constants` are those of both formulas."""
    stated = {name: (value, "for the test") for name, value in constants.items()}
    found = formula(one, stated).difference(formula(other, stated))
    return found.shape, [factor.value for factor in found.factors]


def test_formulas_that_are_written_otherwise_do_not_differ() -> None:
    assert factors("m*(n + 1)/2", "(m*n + m)/2") == (False, [])


@pytest.mark.parametrize(("other", "shape", "factor"), [("m/2 + n/2", False, 0.5), ("m/16", True, 1 / 16)])
def test_terms_of_the_same_shape_have_a_factor(other: str, shape: bool, factor: float) -> None:
    found = factors("m + n", other)
    assert found == (shape, [factor] * len(found[1]))
    assert found[1]


def test_a_term_left_out_is_a_change_of_shape_alone() -> None:
    assert factors("2*m + n", "2*m") == (True, [])


def test_exponents_that_move_leave_the_factor_to_be_seen() -> None:
    assert factors("8*m**2*L", "8*m*L") == (True, [])
    assert factors("8*m**2*L", "m*L") == (True, [0.125])


def test_constants_count_with_their_values() -> None:
    assert factors("C*m**2", "m", C=8.0) == (True, [0.125])
    found = formula("C*m", {"C": (8, "for the test")}).difference(formula("C*m", {"C": (2, "for the test")}))
    assert [factor.value for factor in found.factors] == [0.25]


def test_a_constant_that_is_free_is_a_symbol() -> None:
    one, other = (formula("C*m", {"C": (value, "for the test")}) for value in (8, 2))
    assert one.difference(other, ["C"]).factors == ()


def test_another_function_of_a_symbol_has_no_factor() -> None:
    assert factors("4*log(m)", "m") == (True, [])
