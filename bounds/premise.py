"""Premises: inequalities between formulas, and where they hold.

A :class:`Premise` is one inequality. Whether several can hold together within limits, and how large a size has to be,
is decided in `bounds.decisions.region`.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import sympy

from bounds.arithmetic.balls import certainly_le
from bounds.bound import Bound, Constant, UnsupportedFormulaError, meanings, remade, typeset
from bounds.parse import FormulaError, parse_formula
from bounds.symbols import SYMBOLS

__all__ = ["Premise", "parse_relation"]

RELATIONS: dict[str, Callable[..., sympy.Basic]] = {">=": sympy.Ge, "<=": sympy.Le, ">": sympy.Gt, "<": sympy.Lt}
_COMPARISON = re.compile("[<>=!]+")

# Each float evaluation is good to a few units in the last place per operation; a formula of a hundred
# operations that cancels down to 1e-5 of its terms still has this relative accuracy. Closer calls go to
# balls.
FLOAT_ACCURACY = 1e-9
# Bits beyond the length of the integers that take part. Rounding uses up some ten; each doubling shows that
# the two sides agree that closely, and after four the premise is not called true.
EXTRA_BITS = 64
DOUBLINGS = 4


def parse_relation(text: str) -> sympy.Basic:
    """Return the relation that `text` writes: two formulas with one of >=, <=, > and < between them.

    Raises :class:`bounds.parse.FormulaError`, also for an inequality that the domains of its symbols decide.
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
    return relation


class Premise:
    """An inequality of a paper, as ``Premise(m >= C * log(n * L / delta), {"C": ...})``.

    Parameters
    ----------
    relation
        sympy relational with >=, <=, > or <, in declared symbols.
    constants
        Value and reason of each constant; names that do not occur are ignored.
    source
        Paper key and locator.
    note
        What it asks for in the words of the field, such as "width against depth", and what the reader has to know.

    Raises
    ------
    ValueError
        `relation` is no such relational (sympy turns one that always holds into ``True``), or a side holds
        something a :class:`bounds.bound.Bound` refuses.
    """

    def __init__(
        self,
        relation: sympy.Basic | bool,
        constants: Mapping[str, Constant] | None = None,
        source: str = "",
        note: str = "",
    ) -> None:
        if not isinstance(relation, (sympy.Ge, sympy.Le, sympy.Gt, sympy.Lt)):
            raise UnsupportedFormulaError(
                f"the premise {relation} is no inequality with >=, <=, > or < "
                "(one that the domains of its symbols decide turns into True or False: leave it out)"
            )
        self.relation = relation
        self.source = source
        self.note = note
        #: The sides by size: the premise says `larger` >= `smaller`, or > if `strict`.
        self.larger = Bound(relation.gts, constants)
        self.smaller = Bound(relation.lts, constants)
        self.strict = isinstance(relation, (sympy.Gt, sympy.Lt))
        self.constants: Mapping[str, Constant] = MappingProxyType({**self.larger.constants, **self.smaller.constants})
        needed = {*self.larger.symbols, *self.smaller.symbols}
        #: Names that need a value, in the order of the symbol table.
        self.symbols: tuple[str, ...] = tuple(name for name in SYMBOLS if name in needed)

    def __repr__(self) -> str:
        return f"Premise({self.text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Premise) and (self.relation, self.constants) == (other.relation, other.constants)

    def __hash__(self) -> int:
        return hash(self.relation)

    def __reduce__(self) -> tuple[Any, ...]:
        return remade(Premise, self.relation, dict(self.constants), self.source, self.note)

    @cached_property
    def text(self) -> str:
        """The inequality as text."""
        return f"{self.relation.lhs} {self.relation.rel_op} {self.relation.rhs}"

    @cached_property
    def latex(self) -> str:
        """The inequality typeset."""
        return typeset(self.relation)

    def reads(self, text: str) -> "Premise":
        """Return this premise, of which `text` is the inequality: how a claim shows what it takes from a sheet.

        Constants stay names in `text`. Raises :class:`bounds.parse.FormulaError`, whose first line has both
        inequalities, unless :func:`parse_relation` makes of `text` the very relation of this premise.
        """
        if text != self.text:
            try:
                shown = parse_relation(text)
            except FormulaError as error:
                raise FormulaError(
                    f"{error.reason}, in {text!r}; the premise is {self.text}", text, error.start, error.end
                ) from None
            if shown != self.relation:
                raise FormulaError(f"{text!r} is shown as the premise {self.text}; write that one", text)
        return self

    def meanings(self, paper: str) -> dict[str, str]:
        """What each symbol and each constant stands for in a paper, by its key; empty where nobody says it."""
        return meanings(paper, self.symbols, self.constants)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether the premise is true at `values`; False where a side is NaN or undefined.

        A close call is decided in ball arithmetic: the boundary itself is inside a >= and outside a >.
        Raises :class:`bounds.bound.MissingValueError`, and TypeError for an array, of which it is not one truth.
        """
        try:
            large, small = float(self.larger.evaluate(values)), float(self.smaller.evaluate(values))
        except TypeError:
            raise TypeError(f"the premise {self.text} is about numbers; give each of its symbols one number") from None
        gap, size = large - small, abs(large) + abs(small)
        if math.isfinite(size) and large != 0.0 and small != 0.0 and abs(gap) > FLOAT_ACCURACY * size:
            return gap > 0
        if math.isnan(large) or math.isnan(small):
            return False
        slack, log = self.slack(values), self.smaller.signed_log(values)[1]
        if math.isfinite(slack) and abs(slack) > FLOAT_ACCURACY * (1.0 + abs(log)):
            return slack > 0
        return self.certainly(values) is True

    def slack(self, values: Mapping[str, Any]) -> float:
        """Return log(larger side / smaller side): at least 0 inside the premise.

        Where a side is not positive the sign still says whether the premise holds: it is infinite when the
        two sides differ in sign, and the logarithm of the inverse quotient when both are negative.
        """
        (sign, log), (other_sign, other_log) = self.larger.signed_log(values), self.smaller.signed_log(values)
        if math.isnan(log) or math.isnan(other_log):
            return math.nan
        if sign != other_sign:
            return math.inf if sign > other_sign else -math.inf
        return sign * (log - other_log) if sign else 0.0

    def certainly(self, values: Mapping[str, Any]) -> bool | None:
        """Return True or False where ball arithmetic decides the premise at `values`, else None.

        None is what a NaN gives, and two sides that agree to more digits than the largest precision tried.
        """
        longest = max((value.bit_length() for value in values.values() if isinstance(value, int)), default=1)
        precision = longest + EXTRA_BITS
        for _ in range(DOUBLINGS):
            large = self.larger.ball(precision=precision, **values)
            small = self.smaller.ball(precision=precision, **values)
            if self.strict:
                opposite = certainly_le(large, small)
                decided = None if opposite is None else not opposite
            else:
                decided = certainly_le(small, large)
            if decided is not None or large.is_nan() or small.is_nan():
                return decided
            precision *= 2
        return None
