"""A bound of a paper: one sympy object, and every other form derived from it.

:class:`Bound` holds the formula and, for each constant the paper leaves open, a value with the reason for it
(:class:`Constant`). From the formula come the float function, the logarithm that never over- or underflows,
the enclosure in ball arithmetic, the text, the LaTeX and the growth exponents. :func:`certainly_le` compares
two enclosures.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import flint
import numpy as np
import numpy.typing as npt
import sympy

from bounds.arithmetic.arrays import SMALL_RESULT, doubtful, is_extreme
from bounds.arithmetic.balls import BALLS, DOUBLE_BITS, certainly_le, precision_of
from bounds.arithmetic.logfloat import LOG_FLOATS, LogFloat, plain_number
from bounds.arithmetic.tree import Arithmetic, UnsupportedFormulaError, compile_tree
from bounds.difference import Difference, difference
from bounds.growth import UnknownGrowthError, growth
from bounds.parse import FormulaError, parse_formula
from bounds.places import Place, Places
from bounds.symbols import SYMBOLS, Domain, SymbolInfo, declared_elsewhere, keep, meaning_of, symbol

__all__ = ["Bound", "Constant", "MissingValueError", "UnsupportedFormulaError", "certainly_le"]


LARGEST_DENOMINATOR = 1000

# Bits at which such a value is computed, until as many digits as a double has are certain.
PRECISIONS = (128, 512, 2048)


class MissingValueError(KeyError):
    """A formula was evaluated without a value it needs, or with one it does not know."""

    def __str__(self) -> str:
        return str(self.args[0])


# A constant that is set by attacks stands so many times beyond the worst of them at least: another seed goes further.
LEAST_RESERVE = 1.1


@dataclass(frozen=True)
class Constant:
    """A value for a constant that the paper leaves open, and the reason for this value.

    `value` is a number, or a sympy expression without symbols where the constant is irrational. `attacked` is the
    worst value that attacks made necessary, where the constant is one of the suite's own that is set beyond them:
    `above` and `below` make such a one.
    """

    value: int | float | Fraction | sympy.Expr
    reason: str
    attacked: float | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"the constant {self.value} has no reason: say why it has this value")

    @classmethod
    def above(
        cls, value: int | float | Fraction | sympy.Expr, *, attacked: float, why: str, seeds: str = "0 to 19"
    ) -> "Constant":
        """The constant of an upper bound, set above the largest that attacks over these seeds reached.

        `why` says what the attacks are. Raises ValueError where the value is not `LEAST_RESERVE` times as large.
        """
        return cls._beyond(
            value, attacked, "above", float(value) / attacked if attacked > 0.0 else math.nan, why, seeds
        )

    @classmethod
    def below(
        cls, value: int | float | Fraction | sympy.Expr, *, attacked: float, why: str, seeds: str = "0 to 19"
    ) -> "Constant":
        """The constant of a lower bound, set below the smallest that attacks over these seeds left.

        `why` says what the attacks are. Raises ValueError where that is not `LEAST_RESERVE` times as large.
        """
        return cls._beyond(
            value, attacked, "below", attacked / float(value) if float(value) > 0.0 else math.nan, why, seeds
        )

    @classmethod
    def _beyond(
        cls,
        value: int | float | Fraction | sympy.Expr,
        attacked: float,
        side: str,
        reserve: float,
        why: str,
        seeds: str,
    ) -> "Constant":
        if not why.strip():
            raise ValueError(f"the constant {value} is set {side} attacks: say which these are")
        if not LEAST_RESERVE <= reserve < math.inf:
            raise ValueError(
                f"the constant {value} is set {side} attacks that reach {attacked:.6g}: its reserve is {reserve:.3g}, "
                f"and another seed may go further; set it {LEAST_RESERVE} times beyond them at least"
            )
        reason = f"set {side} our attacks, which reach {attacked:.6g} over seeds {seeds}, reserve {reserve:.3g}: {why}"
        return cls(value, reason, attacked)

    @property
    def reserve(self) -> float | None:
        """How many times beyond the attacks it stands; none where it is not set by attacks."""
        if self.attacked is None:
            return None
        return max(float(self.value) / self.attacked, self.attacked / float(self.value))

    def __float__(self) -> float:
        return float(self.value)


def _nan_safe(choose: Callable[..., float]) -> Callable[..., float]:
    """Python's min and max drop a NaN that is not the first argument; a NaN must survive to fail."""

    def chosen(*arguments: float) -> float:
        return math.nan if any(argument != argument for argument in arguments) else choose(arguments)

    return chosen


_SCALAR_FUNCTIONS = {"min": _nan_safe(min), "max": _nan_safe(max)}


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
        self,
        expr: sympy.Expr | int,
        constants: Mapping[str, Constant] | None = None,
        source: str = "",
        note: str = "",
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
        self._defaults = {name: float(constant) for name, constant in self.constants.items()}
        # (name, default) in call order; None marks a name without a default.
        self._slots: tuple[tuple[str, float | None], ...] = tuple(
            (name, self._defaults.get(name)) for name in (*self.symbols, *self.constants)
        )
        self._log_form: Callable[[Mapping[str, LogFloat]], LogFloat] = compile_tree(self.expr, LOG_FLOATS)

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
        arguments = []
        for name, default in self._slots:
            value = values.get(name, default)
            if type(value) is not float:
                if value is None:
                    raise self._missing(values)
                if isinstance(value, (np.ndarray, list, tuple)) and np.ndim(value) > 0:
                    return self._evaluate_arrays(values)
                try:
                    value = float(plain_number(value))
                except OverflowError:
                    return self._evaluate_wide(values)
            arguments.append(value)
        try:
            result = self._scalar_form(*arguments)
        except (OverflowError, ZeroDivisionError, ValueError, TypeError):
            return self._evaluate_wide(values)
        # A complex number comes from a negative base, and the other form calls it NaN.
        if type(result) is not float or not abs(result) < math.inf:
            return self._evaluate_wide(values)
        if abs(result) < SMALL_RESULT or any(is_extreme(argument) for argument in arguments):
            certain = self._evaluate_certainly(values)
            return self._evaluate_wide(values) if certain is None else certain
        return result

    def __call__(self, **values: Any) -> Any:
        """Evaluate with the names of the formula only; :class:`MissingValueError` refuses any other."""
        known = {name for name, _ in self._slots}
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
        wide = self._wide(values)
        if wide.sign < 0:
            raise ValueError(f"{self.text} is negative here ({wide.value}), so it has no logarithm")
        return wide.log

    def signed_log(self, values: Mapping[str, Any]) -> tuple[int, float]:
        """Return sign and logarithm of the absolute value."""
        wide = self._wide(values)
        return wide.sign, wide.log

    def ball(self, *, precision: int = 128, **values: Any) -> flint.arb:
        """Return an enclosure of the value at `precision` bits; doubles and ints enter exactly."""
        with precision_of(precision):
            return self._ball_form({name: enter(value, BALLS) for name, value in self._exact_values(values).items()})

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

        def exact(given: Mapping[str, Any]) -> dict[sympy.Symbol, sympy.Rational]:
            return {
                symbol(other): sympy.Rational(_short_fraction(plain_number(value)))
                for other, value in given.items()
                if other in SYMBOLS and other != name
            }

        found = growth(self.expr.subs(exact(values)), info.symbol, info.towards)
        found = found.subs(exact(self._defaults))
        if not found.is_number:
            rest = ", ".join(sorted(free.name for free in found.free_symbols))
            raise UnknownGrowthError(f"the exponent of {self.text} in {name} is {found}: give a value for {rest}")
        return float(found)

    def exponents(self, **values: Any) -> dict[str, float]:
        """Return the exponent in each of `symbols`; NaN where it is undetermined."""
        found = {}
        for name in self.symbols:
            try:
                found[name] = self.exponent(name, **values)
            except UnknownGrowthError:
                found[name] = math.nan
        return found

    # ---------------------------------------------------------- wrong variants

    def frozen(self, name: str, value: float | Fraction) -> "Bound":
        """Return the bound with `value` in place of the symbol `name`: the formula without its dependence on it.

        Raises :class:`UnsupportedFormulaError` where that is undefined.
        """
        return Bound(self.expr.subs(symbol(name), _exact(value)), self.constants, self.source, self.note)

    def tilted(self, name: str, at: float | Fraction, power: Fraction) -> "Bound":
        """Return the bound times (`name`/`at`)**`power`: another exponent of `name`, and the same value at `at`."""
        factor = (symbol(name) / _exact(at)) ** _exact(power)
        return Bound(self.expr * factor, self.constants, self.source, self.note)

    def power(self, name: str) -> Fraction | None:
        """Return k where the formula is `name`**k times what does not hold `name`; None where it is not so."""
        rest = self.expr.as_independent(symbol(name), as_Add=False)[1]
        base, power = rest.as_base_exp()
        if base != symbol(name) or not power.is_Rational:
            return None
        return Fraction(int(power.p), int(power.q))

    def without_terms(self) -> dict[str, "Bound"]:
        """Return the bounds that lack one term of a sum, by the text of that term.

        A sum is the whole formula, or a factor of it, or what such a factor is a power of.
        """
        found = {}
        for factor in sympy.Mul.make_args(self.expr):
            base, power = factor.as_base_exp()
            for term in base.args if base.is_Add else ():
                wrong = self.expr / factor * (base - term) ** power
                found[str(term)] = Bound(wrong, self.constants, self.source, self.note)
        return found

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its symbols stand: of each that stands in a term of a sum, or in more than one factor, every place.

        A sum is the whole formula, or a factor of it or of a term, or what such a factor is a power of; a minimum and a
        maximum count as sums. What stands inside a function is one place.
        """
        return self._places.all

    def evaluate_at(self, place: Place, values: Mapping[str, Any], at: float | Fraction, power: Fraction | None) -> Any:
        """Return the value of `changed_at` at `values`, as `evaluate` does; nothing is compiled for it again."""
        known = {name: values.get(name, default) for name, default in self._slots}
        if any(value is None for value in known.values()):
            raise self._missing(values)
        return self._places.evaluate(place, known, at, power)

    def changed_at(self, place: Place, at: float | Fraction, power: Fraction | None) -> "Bound":
        """Return the bound with another dependence on a symbol at one place, and the same value where it is `at`.

        Without a `power` the symbol is frozen there; with one the factor that holds it is multiplied by
        (symbol/`at`)**`power`. Raises :class:`UnsupportedFormulaError` where that is undefined.
        """
        return Bound(self._places.changed(place, _exact(at), power), self.constants, self.source, self.note)

    @cached_property
    def _places(self) -> Places:
        return Places(self.expr, self.symbols)

    def difference(self, other: "Bound", free: Iterable[str] = ()) -> Difference:
        """Return in what `other` differs: in the shape of its terms, and by which numbers before terms of one shape.

        Constants count with their values, but those that are `free` as symbols.
        """
        values = [{n: v for n, v in each._defaults.items() if n not in free} for each in (self, other)]
        return difference(self.expr, values[0], other.expr, values[1])

    # ------------------------------------------------------------------- forms

    @cached_property
    def _arguments(self) -> list[sympy.Symbol]:
        return [symbol(name) for name, _ in self._slots]

    @cached_property
    def _scalar_form(self) -> Callable[..., float]:
        return sympy.lambdify(self._arguments, self.expr, modules=[_SCALAR_FUNCTIONS, "math"])

    @cached_property
    def _array_form(self) -> Callable[..., npt.NDArray[np.float64]]:
        return sympy.lambdify(self._arguments, self.expr, modules="numpy")

    @cached_property
    def _ball_form(self) -> Callable[[Mapping[str, flint.arb]], flint.arb]:
        return compile_tree(self.expr, BALLS)

    def _missing(self, values: Mapping[str, Any]) -> MissingValueError:
        absent = [name for name in self.symbols if values.get(name) is None]
        given = ", ".join(sorted(values)) or "none"
        return MissingValueError(f"{self.text} needs a value for {', '.join(absent)}; given: {given}")

    def _exact_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The value of each name, a constant's as it was stated."""
        if any(values.get(name) is None for name in self.symbols):
            raise self._missing(values)
        stated = {name: values.get(name, constant.value) for name, constant in self.constants.items()}
        return {name: values[name] for name in self.symbols} | stated

    def _wide(self, values: Mapping[str, Any]) -> LogFloat:
        return self._log_form({name: enter(value, LOG_FLOATS) for name, value in self._exact_values(values).items()})

    def _evaluate_wide(self, values: Mapping[str, Any]) -> float:
        return self._wide(values).value

    def _evaluate_certainly(self, values: Mapping[str, Any]) -> float | None:
        """The value from a ball that is narrow enough for a double; None where none is."""
        for precision in PRECISIONS:
            try:
                ball = self.ball(precision=precision, **values)
            except (OverflowError, ZeroDivisionError, ValueError, UnsupportedFormulaError):
                return None
            if ball.is_zero() or (ball.is_finite() and ball.rel_accuracy_bits() > DOUBLE_BITS):
                return float(ball)
        return None

    def _evaluate_arrays(self, values: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        given = [values.get(name, default) for name, default in self._slots]
        if any(value is None for value in given):
            raise self._missing(values)
        arrays = np.broadcast_arrays(*[np.asarray(value, dtype=np.float64) for value in given])
        with np.errstate(all="ignore"):
            result = np.array(np.broadcast_to(self._array_form(*arrays), arrays[0].shape), dtype=np.float64)
        for place in np.argwhere(doubtful(result, arrays)):
            at = tuple(place)
            result[at] = self.evaluate(
                {name: float(array[at]) for (name, _), array in zip(self._slots, arrays, strict=True)}
            )
        return result


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


def enter(value: Any, arithmetic: Arithmetic[Any]) -> Any:
    """A value, or a constant given as an expression without symbols, as a number of `arithmetic`."""
    if isinstance(value, sympy.Expr) and not isinstance(value, sympy.Rational):
        return compile_tree(value, arithmetic)({})
    return arithmetic.number(value)


def _exact(value: float | Fraction) -> sympy.Rational:
    """A number as the sympy number it equals."""
    return sympy.Rational(*value.as_integer_ratio())


def _short_fraction(value: float | Fraction) -> Fraction:
    """The fraction that a number stands for in an exponent, or its first six digits where it is no short one.

    sympy labours over exponents in 2**52 parts. A small number must not become 0, which changes the growth.
    """
    exact = Fraction(value)
    short = exact.limit_denominator(LARGEST_DENOMINATOR)
    if abs(short - exact) <= abs(exact) / 10**6:
        return short
    return Fraction(f"{float(exact):.5e}")
