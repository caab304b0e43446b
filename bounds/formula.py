"""Bounds and premises from text: for wrong variants in negative controls, and for lemmas that have no sheet."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

from bounds.bound import Bound, Constant
from bounds.parse import parse_formula
from bounds.premise import Premise, parse_relation

__all__ = ["Constants", "formula", "premise"]

#: Value and reason of each constant: a `Constant`, or the pair.
Constants: TypeAlias = Mapping[str, Constant | tuple[Any, str]]


def formula(text: str, constants: Constants | None = None, source: str = "") -> Bound:
    """Return the bound that `text` writes in the declared symbols, in the grammar of `parse_formula`.

    Raises :class:`bounds.parse.FormulaError`, and ValueError for a constant without a value or a reason.
    """
    return Bound(parse_formula(text), _stated(constants), source)


def premise(text: str, constants: Constants | None = None, source: str = "", note: str = "") -> Premise:
    """Return the premise that `text` writes: two formulas with one of >=, <=, > and < between them.

    `note` says what it asks for in the words of the field. Raises :class:`bounds.parse.FormulaError`, also for an
    inequality that the domains of its symbols decide, and ValueError for a constant without a value or a reason.
    """
    return Premise(parse_relation(text), _stated(constants), source, note)


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
