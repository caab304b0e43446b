"""Bounds and premises from text: what they are equal to, what is refused, and what is underlined."""

from fractions import Fraction

import pytest
import sympy

from bounds.bound import Constant
from bounds.formula import formula, premise
from bounds.parse import FormulaError
from bounds.premise import Premise
from bounds.symbols import symbol

m, n, C = map(symbol, ("m", "n", "C"))
TWO = {"C": Constant(2, "for the test")}


@pytest.mark.parametrize("sign", [">=", "<=", ">", "<"])
def test_a_premise_from_text_is_the_one_from_symbols(sign: str) -> None:
    relation = sympy.Rel(m, C * n**2, sign)
    assert premise(f" m {sign} C*n**2", {"C": (2, "for the test")}, "a lemma") == Premise(relation, TWO)
    assert premise(f"m{sign}C*n**2", TWO, "a lemma").source == "a lemma"


@pytest.mark.parametrize(
    ("text", "reason", "underlined"),
    [
        ("m", "this is no premise; write an inequality", "m"),
        ("m >= n > 2", "write each inequality as a premise", ">"),
        ("m => n", "a premise is written with one of >= <= > <", "=>"),
        ("m == n", "a premise is written with one of >= <= > <", "=="),
        ("m = n", "a premise is written with one of >= <= > <", "="),
        ("m >= 0", "always true; leave it out", "m >= 0"),
        ("m < -1", "never true", "m < -1"),
        (" m >= 2*n + widthlike", "unknown symbol 'widthlike'", "widthlike"),
        ("zzzz*m >= n", "unknown symbol 'zzzz'", "zzzz"),
        ("m >= m.real", "an attribute", "m.real"),
        ("m >= ", "a side of the inequality is missing", ">="),
    ],
)
def test_what_is_no_premise_is_refused_with_the_piece_underlined(text: str, reason: str, underlined: str) -> None:
    with pytest.raises(FormulaError, match=r"\A[^\n]+\n  [^\n]+\n *\^+\Z") as caught:
        premise(text)
    assert reason in caught.value.reason
    assert caught.value.text[caught.value.start : caught.value.end] == underlined


@pytest.mark.parametrize("value", [2, 2.0, Fraction(2), sympy.Integer(2)])
def test_a_constant_is_a_pair_of_value_and_reason(value: object) -> None:
    assert formula("C*m", {"C": (value, "for the test")}).evaluate({"m": 3}) == 6.0


@pytest.mark.parametrize("given", [2, "2", (2,), ("2", "for the test"), (True, "for the test"), (2, "for", "it")])
def test_a_constant_without_value_or_reason_is_refused_with_what_to_write(given: object) -> None:
    with pytest.raises(ValueError, match=r"the constant C is given as .* write its value and the reason for it"):
        formula("C*m", {"C": given})  # type: ignore[dict-item]


def test_a_constant_with_an_empty_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="has no reason"):
        premise("m >= C", {"C": (2, " ")})
