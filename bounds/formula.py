"""Bounds and premises from text: for wrong variants in negative controls, and for lemmas that have no sheet."""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from bounds.bound import Bound, Constant
from bounds.parse import FormulaError, parse_formula
from bounds.premise import Premise

__all__ = ["Constants", "formula", "premise"]

#: Value and reason of each constant: a `Constant`, or the pair.
Constants: TypeAlias = Mapping[str, Constant | tuple[Any, str]]

RELATIONS: dict[str, Callable[..., sympy.Basic]] = {
    ">=": sympy.Ge,
    "<=": sympy.Le,
    ">": sympy.Gt,
    "<": sympy.Lt,
}
_COMPARISON = re.compile("[<>=!]+")


def formula(text: str, constants: Constants | None = None, source: str = "") -> Bound:
    """Return the bound that `text` writes in the declared symbols, in the grammar of `parse_formula`.

    Raises :class:`bounds.parse.FormulaError`, and ValueError for a constant without a value or a reason.
    """
    return Bound(parse_formula(text), _stated(constants), source)


def premise(text: str, constants: Constants | None = None, source: str = "") -> Premise:
    """Return the premise that `text` writes: two formulas with one of >=, <=, > and < between them.

    Raises :class:`bounds.parse.FormulaError`, also for an inequality that the domains of its symbols decide, and
    ValueError for a constant without a value or a reason.
    """
    found = list(_COMPARISON.finditer(text))
    if not found:
        raise FormulaError("this is no premise; write an inequality, as in m >= 4*n", text)
    if len(found) > 1:
        raise FormulaError("this has more than one sign; write each inequality as a premise", text, *found[1].span())
    (sign,) = found
    if sign.group() not in RELATIONS:
        raise FormulaError(f"a premise is written with one of {' '.join(RELATIONS)}", text, *sign.span())
    # Blanks in place of what stands before keep the places in a message those in the whole text.
    sides = (text[: sign.start()], " " * sign.end() + text[sign.end() :])
    if not all(side.strip() for side in sides):
        raise FormulaError("a side of the inequality is missing", text, *sign.span())
    try:
        left, right = (parse_formula(side) for side in sides)
    except FormulaError as error:
        raise FormulaError(error.reason, text, error.start, error.end) from None
    relation = RELATIONS[sign.group()](left, right)
    if relation in (sympy.true, sympy.false):
        always = "always true; leave it out" if relation == sympy.true else "never true"
        raise FormulaError(f"by the domains of its symbols this is {always}", text)
    return Premise(relation, _stated(constants), source)


def _stated(constants: Constants | None) -> dict[str, Constant]:
    """The constants as such; ValueError for one that is neither a `Constant` nor a pair of a number and a reason."""
    stated = {}
    for name, given in (constants or {}).items():
        if isinstance(given, Constant):
            stated[name] = given
            continue
        match given:
            case (int() | float() | Fraction() | sympy.Expr() as value, str() as reason) if not isinstance(value, bool):
                stated[name] = Constant(value, reason)
            case _:
                raise ValueError(
                    f"the constant {name} is given as {given!r}; write its value and the reason for it, as in "
                    f'constants={{{name!r}: (2, "the value in the proof")}}'
                )
    return stated
