"""A bound of a paper: one sympy object, and every other form derived from it.

:class:`Bound` holds the formula and, for each constant the paper leaves open, a value with the reason for it
(:class:`Constant`). From the formula come the float function, the logarithm that never over- or underflows,
the enclosure in ball arithmetic, the text, the LaTeX and the growth exponents. :func:`certainly_le` compares
two enclosures.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import sympy

from bounds.arithmetic.balls import Ball, UndecidedError, certainly_le
from bounds.arithmetic.tree import UnsupportedFormulaError
from bounds.constant import Constant
from bounds.difference import Difference, difference
from bounds.exponents import exponent
from bounds.growth import UnknownGrowthError
from bounds.numeric import MissingValueError, Numbers
from bounds.parse import FormulaError, parse_formula
from bounds.symbols import SYMBOLS, Domain, SymbolInfo, declared_elsewhere, keep, meaning_of, symbol
from bounds.variants import Variants

__all__ = ["Bound", "Constant", "MissingValueError", "UndecidedError", "UnsupportedFormulaError", "certainly_le"]


class Bound:
    """A formula in the symbols of :data:`bounds.symbols.SYMBOLS`.

    Parameters
    ----------
    expr
        sympy expression; numbers in it are exact (a float literal is refused).
    constants
        Value and reason of each constant; a name that does not occur in `expr` is ignored.
    source
        Paper key and locator, as in ``"zou2018, eq. (C.6)"``; none where the record of the statement says as much.
    note
        What the reader has to know to apply it.

    Raises
    ------
    ValueError
        `expr` holds a symbol that is not declared, or something without a numeric form.
    """

    def __init__(
        self, expr: sympy.Expr | int, constants: Mapping[str, Constant] | None = None, source: str = "", note: str = ""
    ) -> None:
        self.expr: sympy.Expr = sympy.sympify(expr, strict=True)
        self.source = source
        self.note = note
        if not isinstance(self.expr, sympy.Expr):
            raise UnsupportedFormulaError(f"{expr!r} is not a formula but {type(self.expr).__name__}")
        for free in self.expr.free_symbols:
            if free != symbol(free.name):
                raise UnsupportedFormulaError(
                    f"the symbol {free} of the formula {self.expr} is not the one declared under that name: "
                    f"take symbol({free.name!r}) of bounds.symbols"
                )
        names = {free.name for free in self.expr.free_symbols}
        self.constants: Mapping[str, Constant] = MappingProxyType(
            {name: constant for name, constant in (constants or {}).items() if name in names}
        )
        #: Names that need a value, in the order of the symbol table.
        self.symbols: tuple[str, ...] = tuple(name for name in SYMBOLS if name in names and name not in self.constants)
        self._numbers = Numbers(self.expr, self.symbols, self.constants)

    def __repr__(self) -> str:
        return f"Bound({self.text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bound) and (self.expr, self.constants) == (other.expr, other.constants)

    def __hash__(self) -> int:
        return hash((self.expr, tuple(self.constants.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        # The compiled forms cannot be pickled, and are quickly made again.
        return remade(Bound, self.expr, dict(self.constants), self.source, self.note)

    # ------------------------------------------------------------------ words

    @property
    def text(self) -> str:
        """The formula as text that :func:`bounds.parse.parse_formula` reads back."""
        return str(self.expr)

    @property
    def latex(self) -> str:
        """The formula typeset."""
        return typeset(self.expr)

    def meanings(self, paper: str) -> dict[str, str]:
        """What each symbol and each constant stands for in a paper, by its key; empty where nobody says it."""
        return meanings(paper, self.symbols, self.constants)

    @property
    def domains(self) -> dict[str, Domain]:
        """Where each symbol that needs a value takes it."""
        return {name: SYMBOLS[name].domain for name in self.symbols}

    def reads(self, text: str) -> "Bound":
        """Return this bound, of which `text` is the formula: how a claim shows what it takes from a sheet.

        Constants stay names in `text`. Raises :class:`bounds.parse.FormulaError`, whose first line has both formulas,
        unless :func:`bounds.parse.parse_formula` makes of `text` the very expression of this bound.
        """
        if text != self.text:
            try:
                shown = parse_formula(text)
            except FormulaError as error:
                raise FormulaError(
                    f"{error.reason}, in {text!r}; the formula is {self.text}", text, error.start, error.end
                ) from None
            if shown != self.expr:
                raise FormulaError(f"{text!r} is shown as the formula {self.text}; write that one", text)
        return self

    # ---------------------------------------------------------------- numbers

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Return the value as a float, or an array where some of `values` are arrays (numpy broadcasting).

        Names that the formula does not hold are ignored; a value under a constant's name overrides it. The
        result is infinite or 0 only where the true value lies outside the doubles, NaN where it is undefined.
        Raises :class:`MissingValueError`.
        """
        return self._numbers.evaluate(values)

    def __call__(self, **values: Any) -> Any:
        """Evaluate with the names of the formula only; :class:`MissingValueError` refuses any other."""
        known = {name for name, _ in self._numbers.slots}
        unknown = [name for name in values if name not in known]
        if unknown:
            raise MissingValueError(
                f"{self.text} has no symbol {', '.join(unknown)}; it has {', '.join(sorted(known)) or 'none'}"
            )
        return self.evaluate(values)

    def log(self, **values: Any) -> float:
        """Return the natural logarithm of the value; values may be Python ints of any size.

        It neither over- nor underflows unless the logarithm itself leaves the doubles. A value of 0 gives
        minus infinity, an undefined one NaN; a negative one raises ValueError.
        """
        wide = self._numbers.wide(values)
        if wide.sign < 0:
            raise ValueError(f"{self.text} is negative here ({wide.value}), so it has no logarithm")
        return wide.log

    def signed_log(self, values: Mapping[str, Any]) -> tuple[int, float]:
        """Return sign and logarithm of the absolute value."""
        wide = self._numbers.wide(values)
        return wide.sign, wide.log

    def ball(self, *, precision: int = 128, **values: Any) -> Ball:
        """Return an enclosure of the value at `precision` bits; doubles and ints enter exactly.

        A comparison with it that it does not decide raises :class:`UndecidedError`.
        """
        return Ball(self._numbers.ball(values, precision))

    # --------------------------------------------------------------- exponents

    def exponent(self, name: str, **values: Any) -> float:
        """Return the limit of d log(value) / d log(`name`), at the end where `name` is extreme.

        Widths and depths are taken to infinity, radii and probabilities to 0 (`SymbolInfo.towards`). Exact
        for power laws; 0 for a logarithm, infinite for an exponential. Where it depends on other symbols, as
        44 - 4*p does, they are read from `values`, to six digits. Raises ValueError where it is undetermined.
        """
        info = SYMBOLS.get(name)
        if info is None or info.symbol not in self.expr.free_symbols:
            raise MissingValueError(f"{self.text} has no symbol {name}")
        return exponent(self.expr, name, values, self._numbers.defaults)

    def exponents(self, **values: Any) -> dict[str, float]:
        """Return the exponent in each of `symbols`; NaN where it is undetermined."""
        found = {}
        for name in self.symbols:
            try:
                found[name] = self.exponent(name, **values)
            except UnknownGrowthError:
                found[name] = math.nan
        return found

    # ------------------------------------------------------------------ others

    @cached_property
    def variants(self) -> "Variants[Bound]":
        """Its wrong variants, with its constants, source and note."""
        return Variants(self._numbers, lambda expr: Bound(expr, self.constants, self.source, self.note))

    def difference(self, other: "Bound", free: Iterable[str] = ()) -> Difference:
        """Return in what `other` differs: in the shape of its terms, and by which numbers before terms of one shape.

        Constants count with their values, but those that are `free` as symbols.
        """
        values = [{n: float(c) for n, c in each.constants.items() if n not in free} for each in (self, other)]
        return difference(self.expr, values[0], other.expr, values[1])

    def over(self, other: "Bound") -> sympy.Expr:
        """Return the quotient of two formulas without what both are multiples of.

        Constants count with their values, but those that have the same one in both as symbols.
        """
        parts = []
        for one, against in ((self, other), (other, self)):
            known = {n: float(c) for n, c in one.constants.items()}
            same = {n for n, c in against.constants.items() if known.get(n) == float(c)}
            values = {symbol(n): sympy.Rational(str(value)) for n, value in known.items() if n not in same}
            parts.append(sympy.factor_terms(one.expr.subs(values)))
        return sympy.powsimp(parts[0] / parts[1])


def remade(kind: Callable[..., Any], expr: sympy.Basic, *rest: Any) -> tuple[Any, ...]:
    """How `pickle` makes `kind(expr, *rest)` again in a process that may not know the symbols of `expr` yet."""
    return _make, (declared_elsewhere(free.name for free in expr.free_symbols), kind, (expr, *rest))


def _make(infos: tuple[SymbolInfo, ...], kind: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    keep(infos)
    return kind(*arguments)


def typeset(expr: sympy.Basic) -> str:
    """LaTeX of a formula or a relation, with the symbols as the papers write them."""
    names = {free: SYMBOLS[free.name].latex for free in expr.free_symbols if free.name in SYMBOLS}
    return str(sympy.latex(expr, symbol_names=names))


def meanings(paper: str, names: Iterable[str], constants: Mapping[str, Constant]) -> dict[str, str]:
    """What these symbols and constants stand for in a paper; a constant of which it says nothing, by its reason."""
    said = {name: meaning_of(name, paper) for name in names}
    return said | {
        name: meaning_of(name, paper) or f"constant: {constant.reason}" for name, constant in constants.items()
    }
