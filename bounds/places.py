"""Where a symbol stands in a formula: in which terms of its sums, and in which factors of these.

The formula is kept once more with a name of its own for the symbol at every place, and a number beside it by which it
is multiplied there. So a wrong dependence at one place is the same formula at other numbers, and is compiled once.

Main definitions: `Place`; `Places`, all of a formula.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy

from bounds.arithmetic.arrays import ARRAYS, alike, doubtful
from bounds.arithmetic.logfloat import LOG_FLOATS, LogFloat
from bounds.arithmetic.tree import Arithmetic, compile_tree

__all__ = ["Place", "Places"]

SUMS = (sympy.Add, sympy.Min, sympy.Max)


@dataclass(frozen=True)
class _Sum:
    """One step down: from a sum, a minimum or a maximum to one of its terms."""

    whole: sympy.Expr
    term: sympy.Expr

    def count(self, name: str) -> int:
        """At how many places of the term a symbol stands."""
        return sum(leaf_name == name for leaf, _ in _leaves(self.term, ()) for leaf_name in _names(leaf))


@dataclass(frozen=True)
class Place:
    """One place of the symbol `symbol`, with its number among the places of the formula.

    `name` says where it stands. `within` are the terms of sums that hold it, from outside in. `has_power` says whether
    its exponent can be moved there: not that of a logarithm beside the symbol itself.
    """

    number: int
    symbol: str
    name: str
    leaf: sympy.Expr
    within: tuple[str, ...] = ()
    has_power: bool = True

    @property
    def power(self) -> Fraction | None:
        """The exponent of the symbol where it stands as a power, else nothing."""
        base, power = self.leaf.as_base_exp()
        if not (base.is_Symbol and power.is_Rational):
            return None
        return Fraction(int(power.p), int(power.q))


@dataclass(frozen=True)
class Places:
    """All places of the symbols `names` in `expr`: of each that stands in a sum, or more than once.

    What stands inside a logarithm or another function, or beside an exponent that holds a symbol, is one place.
    """

    expr: sympy.Expr
    names: tuple[str, ...]
    _forms: dict[Arithmetic[Any], Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def all(self) -> tuple[Place, ...]:
        """The places, symbol by symbol, each in the order in which they stand."""
        met: dict[str, list[tuple[int, sympy.Expr, tuple[_Sum, ...]]]] = {name: [] for name in self.names}
        for number, (leaf, path) in enumerate(_leaves(self.expr, ())):
            for name in sorted(_names(leaf) & set(self.names)):
                met[name].append((number, leaf, path))
        found = []
        for name, places in met.items():
            if len(places) > 1 or any(path for _, _, path in places):
                found += _told(name, places)
        return tuple(found)

    # ------------------------------------------------------------------ wrong dependences

    def evaluate(self, place: Place, values: Mapping[str, Any], at: Any, power: Fraction | None) -> Any:
        """The formula with a wrong dependence at one place, at numbers or arrays: see `changed`."""
        if any(np.ndim(value) > 0 for value in values.values()):
            return self._evaluate_arrays(place, values, at, power)
        return self._wide(place, values, at, power)

    def changed(self, place: Place, at: sympy.Rational, power: Fraction | None) -> sympy.Expr:
        """The formula with `at` for the symbol at one place, or times (symbol/at)**`power` there."""
        symbols = {free.name: free for free in self.expr.free_symbols}
        given: dict[sympy.Symbol, sympy.Expr] = {}
        for own, times, name, number in self._marks:
            here = (number, name) == (place.number, place.symbol)
            given[own] = at if here and power is None else symbols[name]
            given[times] = (symbols[name] / at) ** _rational(power) if here and power is not None else sympy.S.One
        return self._marked.xreplace(given)

    @cached_property
    def _marks(self) -> list[tuple[sympy.Symbol, sympy.Symbol, str, int]]:
        """For each place: the name of its own, that of its number, the symbol, and the number of the place."""
        free = {one.name: one for one in self.expr.free_symbols}
        return [
            (
                sympy.Symbol(f"{p.symbol} at {p.number}", **free[p.symbol].assumptions0),
                sympy.Symbol(f"times {p.symbol} at {p.number}", positive=True),
                p.symbol,
                p.number,
            )
            for p in self.all
        ]

    @cached_property
    def _marked(self) -> sympy.Expr:
        """The formula in which every place has a name of its own."""
        own: dict[int, list[tuple[sympy.Symbol, sympy.Symbol, str]]] = {}
        for symbol, times, name, number in self._marks:
            own.setdefault(number, []).append((symbol, times, name))
        numbers = iter(range(len(list(_leaves(self.expr, ())))))

        def mark(leaf: sympy.Expr) -> sympy.Expr:
            marked = leaf
            for symbol, times, name in own.get(next(numbers), []):
                marked = times * marked.xreplace({free: symbol for free in leaf.free_symbols if free.name == name})
            return marked

        return _rebuilt(self.expr, mark)

    def _form(self, arithmetic: Arithmetic[Any]) -> Any:
        if arithmetic not in self._forms:
            self._forms[arithmetic] = compile_tree(self._marked, arithmetic)
        return self._forms[arithmetic]

    def _computed(
        self, place: Place, values: Mapping[str, Any], at: Any, power: Fraction | None, arithmetic: Arithmetic[Any]
    ) -> Any:
        """The marked formula in an arithmetic, with the numbers of the wrong dependence."""
        given = {name: arithmetic.number(value) for name, value in values.items()}
        one, first = arithmetic.number(1), arithmetic.number(at)
        for own, times, name, where in self._marks:
            here = (where, name) == (place.number, place.symbol)
            given[own.name] = first if here and power is None else given[name]
            given[times.name] = one
            if here and power is not None:
                ratio = arithmetic.multiply([given[name], arithmetic.rational_power(first, sympy.S.NegativeOne)])
                given[times.name] = arithmetic.rational_power(ratio, _rational(power))
        return self._form(arithmetic)(given)

    def _wide(self, place: Place, values: Mapping[str, Any], at: Any, power: Fraction | None) -> float:
        wide: LogFloat = self._computed(place, values, at, power, LOG_FLOATS)
        return wide.value

    def _evaluate_arrays(
        self, place: Place, values: Mapping[str, Any], at: Any, power: Fraction | None
    ) -> npt.NDArray[np.float64]:
        columns = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values.values()))
        given = dict(zip(values, columns, strict=True))
        with np.errstate(all="ignore"):
            found = self._computed(place, given, at, power, ARRAYS)
        result = np.array(np.broadcast_to(found, columns[0].shape))
        for where, one in alike(doubtful(result, columns), columns):
            result[where] = self._wide(place, dict(zip(given, one, strict=True)), at, power)
        return result


def _rational(power: Fraction) -> sympy.Rational:
    return sympy.Rational(power.numerator, power.denominator)


def _names(expr: sympy.Expr) -> set[str]:
    return {free.name for free in expr.free_symbols}


def _parts(expr: sympy.Expr) -> Sequence[sympy.Expr] | None:
    """What of a formula is looked into, in order; none of a leaf."""
    if isinstance(expr, sympy.Mul | sympy.Add):
        return tuple(expr.args)
    if isinstance(expr, sympy.Min | sympy.Max):
        return tuple(sympy.ordered(expr.args))
    if isinstance(expr, sympy.Pow) and expr.exp.is_number and isinstance(expr.base, (sympy.Mul, *SUMS)):
        return (expr.base,)
    return None


def _leaves(expr: sympy.Expr, path: tuple[_Sum, ...]) -> Iterator[tuple[sympy.Expr, tuple[_Sum, ...]]]:
    """The factors that hold symbols and are no sums, each with the sums above it."""
    if not expr.free_symbols:
        return
    parts = _parts(expr)
    if parts is None:
        yield expr, path
        return
    for part in parts:
        yield from _leaves(part, (*path, _Sum(expr, part)) if isinstance(expr, SUMS) else path)


def _rebuilt(expr: sympy.Expr, leaf: Any) -> sympy.Expr:
    """The formula with `leaf(part)` for each of its leaves, in their order."""
    if not expr.free_symbols:
        return expr
    parts = _parts(expr)
    if parts is None:
        return leaf(expr)
    if isinstance(expr, sympy.Pow):
        return _rebuilt(expr.base, leaf) ** expr.exp
    return expr.func(*[_rebuilt(part, leaf) for part in parts])


def _told(name: str, places: Sequence[tuple[int, sympy.Expr, tuple[_Sum, ...]]]) -> list[Place]:
    """The places of one symbol, with names that differ."""
    together = Counter(path for _, _, path in places)
    told = [_name(name, leaf, path, alone=together[path] == 1) for _, leaf, path in places]
    again = Counter(told)
    if max(again.values()) > 1:
        # The same term in two sums: told apart by the sum, and at last by number.
        told = [
            f"{said} of {path[-1].whole}" if again[said] > 1 and path else said
            for said, (_, _, path) in zip(told, places, strict=True)
        ]
        told = [
            said + (f" ({told[:k].count(said) + 1})" if told.count(said) > 1 else "") for k, said in enumerate(told)
        ]
    return [
        Place(
            number,
            name,
            said,
            leaf,
            tuple(str(step.term) for step in path),
            has_power=together[path] == 1 or leaf.as_base_exp()[0].is_Symbol,
        )
        for said, (number, leaf, path) in zip(told, places, strict=True)
    ]


def _name(name: str, leaf: sympy.Expr, path: tuple[_Sum, ...], alone: bool) -> str:
    """Where a symbol stands: in the largest term that holds it once, else in a factor of the innermost one."""
    if not path:
        return f"{name} in {leaf}"
    if not alone:
        return f"{name} in {leaf} of {path[-1].term}"
    once = next((step for step in path if step.count(name) == 1), path[-1])
    return f"{name} as a term" if str(once.term) == name else f"{name} in {once.term}"
