"""The numbers of a formula: as a float, as a logarithm that never over- or underflows, as an enclosure in balls.

Main definitions: :class:`Numbers`, these forms of one formula, each compiled when it is first asked for; :func:`enter`,
a value as a number of an arithmetic.
"""

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import flint
import numpy as np
import numpy.typing as npt
import sympy

from bounds.arithmetic.arrays import SMALL_RESULT, alike, doubtful, is_extreme
from bounds.arithmetic.balls import BALLS, DOUBLE_BITS, precision_of
from bounds.arithmetic.logfloat import LOG_FLOATS, LogFloat, plain_number
from bounds.arithmetic.tree import Arithmetic, UnsupportedFormulaError, compile_tree
from bounds.constant import Constant
from bounds.symbols import symbol

# Bits at which a value that floats may have lost is computed, until as many digits as a double has are certain.
PRECISIONS = (128, 512, 2048)


class MissingValueError(KeyError):
    """A formula was evaluated without a value it needs, or with one it does not know."""

    def __str__(self) -> str:
        return str(self.args[0])


def _nan_safe(choose: Callable[..., float]) -> Callable[..., float]:
    """Python's min and max drop a NaN that is not the first argument; a NaN must survive to fail."""

    def chosen(*arguments: float) -> float:
        return math.nan if any(argument != argument for argument in arguments) else choose(arguments)

    return chosen


_SCALAR_FUNCTIONS = {"min": _nan_safe(min), "max": _nan_safe(max)}


class Numbers:
    """The forms in which `expr` is computed from a value for each of `symbols`, and the constants or others for them.

    Raises :class:`UnsupportedFormulaError` for what has no numeric form.
    """

    def __init__(self, expr: sympy.Expr, symbols: tuple[str, ...], constants: Mapping[str, Constant]) -> None:
        self.expr, self.symbols, self.constants = expr, symbols, constants
        self.defaults = {name: float(constant) for name, constant in constants.items()}
        #: (name, default) in call order; None marks a name without a default.
        self.slots: tuple[tuple[str, float | None], ...] = tuple(
            (name, self.defaults.get(name)) for name in (*symbols, *constants)
        )
        self._log_form: Callable[[Mapping[str, LogFloat]], LogFloat] = compile_tree(expr, LOG_FLOATS)

    def known(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The value of each name, a constant's as a float unless it is given. Raises :class:`MissingValueError`."""
        found = {name: values.get(name, default) for name, default in self.slots}
        if any(value is None for value in found.values()):
            raise self._missing(values)
        return found

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value as a float, or an array where some of `values` are arrays. Raises :class:`MissingValueError`."""
        arguments = []
        for name, default in self.slots:
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

    def ball(self, values: Mapping[str, Any], precision: int) -> flint.arb:
        """An enclosure of the value at `precision` bits; doubles and ints enter exactly."""
        with precision_of(precision):
            return self._ball_form({name: enter(value, BALLS) for name, value in self._exact_values(values).items()})

    def wide(self, values: Mapping[str, Any]) -> LogFloat:
        """The value as sign and logarithm."""
        return self._log_form({name: enter(value, LOG_FLOATS) for name, value in self._exact_values(values).items()})

    @cached_property
    def _arguments(self) -> list[sympy.Symbol]:
        return [symbol(name) for name, _ in self.slots]

    @cached_property
    def _scalar_form(self) -> Callable[..., float]:
        form: Callable[..., float] = sympy.lambdify(self._arguments, self.expr, modules=[_SCALAR_FUNCTIONS, "math"])
        return form

    @cached_property
    def _array_form(self) -> Callable[..., npt.NDArray[np.float64]]:
        form: Callable[..., npt.NDArray[np.float64]] = sympy.lambdify(self._arguments, self.expr, modules="numpy")
        return form

    @cached_property
    def _ball_form(self) -> Callable[[Mapping[str, flint.arb]], flint.arb]:
        return compile_tree(self.expr, BALLS)

    def _missing(self, values: Mapping[str, Any]) -> MissingValueError:
        absent = [name for name in self.symbols if values.get(name) is None]
        given = ", ".join(sorted(values)) or "none"
        return MissingValueError(f"{self.expr} needs a value for {', '.join(absent)}; given: {given}")

    def _exact_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The value of each name, a constant's as it was stated."""
        if any(values.get(name) is None for name in self.symbols):
            raise self._missing(values)
        stated = {name: values.get(name, constant.value) for name, constant in self.constants.items()}
        return {name: values[name] for name in self.symbols} | stated

    def _evaluate_wide(self, values: Mapping[str, Any]) -> float:
        return self.wide(values).value

    def _evaluate_certainly(self, values: Mapping[str, Any]) -> float | None:
        """The value from a ball that is narrow enough for a double; None where none is."""
        for precision in PRECISIONS:
            try:
                ball = self.ball(values, precision)
            except (OverflowError, ZeroDivisionError, ValueError, UnsupportedFormulaError):
                return None
            if ball.is_zero() or (ball.is_finite() and ball.rel_accuracy_bits() > DOUBLE_BITS):
                return float(ball)
        return None

    def _evaluate_arrays(self, values: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        arrays = np.broadcast_arrays(*[np.asarray(value, dtype=np.float64) for value in self.known(values).values()])
        with np.errstate(all="ignore"):
            result = np.array(np.broadcast_to(self._array_form(*arrays), arrays[0].shape), dtype=np.float64)
        for at, one in alike(doubtful(result, arrays), arrays):
            result[at] = self.evaluate(dict(zip((name for name, _ in self.slots), one, strict=True)))
        return result


def enter(value: Any, arithmetic: Arithmetic[Any]) -> Any:
    """A value, or a constant given as an expression without symbols, as a number of `arithmetic`."""
    if isinstance(value, sympy.Expr) and not isinstance(value, sympy.Rational):
        return compile_tree(value, arithmetic)({})
    return arithmetic.number(value)
