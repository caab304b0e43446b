"""Where a lemma in short form is tested: what its keywords say of sizes, and the cells that are made of them.

Main definitions: `Sizes`, which reads the keywords; `Following`, a size that follows from others by a formula.

A number is the same in every cell. Of a list the first value stands in all cells but those that move this size: each
value of it with the others at their first, and one cell with all at their last. Of two lists of two values these are
all four combinations; of k lists k + 2 cells and not 2**k.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.parse import CONSTANTS, parse_formula
from bounds.symbols import domain_of
from theory.claims.points import POINTS
from theory.claims.regime import Cell, Choices, Regime
from theory.core.values import Function, Values

# What a lemma is tested at where it takes points, or speaks of a failure probability, and says no more.
USUAL_POINTS: Values = {"n": 8, "d": 16}
USUAL_RATE = 0.1

# The symbols by which training points are drawn: over widths and depths they stay the same.
POINTS_OF = ("n", "d")

# How many values are made of two ends where a constant is fitted, and where exponents are; the first half, and of an
# odd number the middle one too, are for the fit.
OF_A_CONSTANT, OF_EXPONENTS = 4, 5


class SizeError(ValueError):
    """A keyword of a lemma is no size; the message says what to write."""


class Following:
    """A size that follows from others by a formula in them, as `eta = lam0/n**2`; whole where its symbol is.

    It is rounded up there, and where the formula stands inside `ceiling(...)`, as in `steps = ceiling(4/eta)`.

    Called with the symbols of the formula by name. Raises `bounds.parse.FormulaError` for what is no formula.
    """

    def __init__(self, name: str, text: str) -> None:
        inside = _inside_ceiling(text)
        self._bound = Bound(parse_formula(text if inside is None else inside))
        domain = domain_of(name)
        self._whole = inside is not None or (domain is not None and domain.integer)
        kind = inspect.Parameter.KEYWORD_ONLY
        self.__signature__ = inspect.Signature([inspect.Parameter(symbol, kind) for symbol in self._bound.symbols])

    def __call__(self, **values: Any) -> float | int:
        """The size at these values, rounded up where it counts something."""
        found = float(self._bound.evaluate(values))
        return math.ceil(found) if self._whole else found


@dataclass(frozen=True)
class Sizes:
    """What the keywords say: `values` that cells give, in their order, symbols that are `derived`, measured
    `from_data` or chosen by a search, `draw`."""

    values: Mapping[str, tuple[Any, ...]]
    derived: Mapping[str, Function]
    from_data: Mapping[str, Function]
    draw: Values

    @classmethod
    def of(cls, given: Values) -> Sizes:
        """What these keywords say. Raises `SizeError` for one that says nothing, and what `Following` raises."""
        values: dict[str, tuple[Any, ...]] = {}
        derived: dict[str, Function] = {}
        from_data: dict[str, Function] = {}
        draw: Cell = {}
        for name, said in given.items():
            if _is_one(said):
                values[name] = (said,)
            elif isinstance(said, str):
                if is_formula(said, given):
                    derived[name] = Following(name, said)
                else:
                    values[name] = (said,)
            elif isinstance(said, list | tuple) and said and all(_is_one(v) or isinstance(v, str) for v in said):
                values[name] = tuple(dict.fromkeys(said))
            elif isinstance(said, Choices) or hasattr(said, "example"):
                draw[name] = said
            elif callable(said):
                asked = set(inspect.signature(said).parameters)
                (from_data if asked & set(POINTS) else derived)[name] = said
            else:
                raise SizeError(
                    f"{name}={said!r} is no size; write a number, a list of them, a formula in other sizes, "
                    f"reals(...) or choices(...), or a function of X, y or other sizes"
                )
        return cls(values, _in_order(derived), from_data, draw)

    @property
    def known(self) -> frozenset[str]:
        """The symbols that have a value."""
        return frozenset({*self.values, *self.derived, *self.from_data, *self.draw})

    def with_usual(self, usual: Values) -> Sizes:
        """The same with these values for symbols that have none."""
        missing = {name: (value,) for name, value in usual.items() if name not in self.known}
        return Sizes({**self.values, **missing}, self.derived, self.from_data, self.draw)

    def regime(self, points: bool, fits: int = 0) -> Regime:
        """The regime of these sizes, with training points or without.

        Where something is fitted, each list of two ends is filled up to `fits` values with equal ratios, and its
        smaller half is for the fit. Raises `SizeError` where no size has values enough for that.
        """
        calibration: list[Cell] = []
        if fits:
            filled = {name: _filled(values, fits) for name, values in self.values.items()}
            moving = {name: values for name, values in filled.items() if len(values) > 1}
            if not any(len(values) > 2 for values in moving.values()):
                raise SizeError(
                    "to be fitted it takes sizes to fit on and larger ones to be judged at; give a list such as "
                    "m=[64, 4096]"
                )
            first = {name: values[0] for name, values in filled.items()}
            halves = {name: (len(values) + 1) // 2 for name, values in moving.items()}
            calibration = [first, *_moved(first, {n: v[1 : halves[n]] for n, v in moving.items()})]
            cells = [
                *_moved(first, {n: v[halves[n] :] for n, v in moving.items()}),
                {name: values[-1] for name, values in filled.items()},
            ]
        else:
            first = {name: values[0] for name, values in self.values.items()}
            moved = _moved(first, {name: values[1:] for name, values in self.values.items()})
            cells = [first, *moved, {name: values[-1] for name, values in self.values.items()}]
        return Regime(
            cells=_distinct(cells),
            calibration=_distinct(calibration),
            derived=self.derived,
            draw=self.draw,
            from_data=self.from_data,
            points_of=POINTS_OF if points else (),
        )


def is_formula(text: str, names: Iterable[str]) -> bool:
    """Whether a text that stands for a size is a formula, and no name such as that of a loss."""
    return not text.isidentifier() or text in set(names)


def _inside_ceiling(text: str) -> str | None:
    """What stands between the parentheses of a formula that is `ceiling(...)` or `ceil(...)` as a whole."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # reading it says what is wrong
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("ceiling", "ceil")):
        return None
    return ast.get_source_segment(text.strip(), call.args[0]) if len(call.args) == 1 and not call.keywords else None


def symbols_of(text: str) -> tuple[str, ...]:
    """The symbols in a formula or inequality that is text, in their order; none where it is no Python."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # reading it says what is wrong
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
    return tuple(
        dict.fromkeys(node.id for node in sorted(names, key=lambda node: node.col_offset) if node.id not in CONSTANTS)
    )


def _is_one(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float | np.number)


def _in_order(derived: Mapping[str, Function]) -> dict[str, Function]:
    """Derived symbols after those that they follow from; those in a circle last, as they stand."""
    left = dict(derived)
    found: dict[str, Function] = {}
    while left:
        ready = [n for n, f in left.items() if not set(inspect.signature(f).parameters) & (set(left) - {n})]
        found |= {name: left.pop(name) for name in ready or list(left)}
    return found


def _filled(values: tuple[Any, ...], wanted: int) -> tuple[Any, ...]:
    """Two ends with values between them of equal ratios, of equal differences where these are none.

    Between whole numbers they are multiples of what divides both, so that between even widths stand even ones.
    """
    if len(values) != 2 or not all(map(_is_one, values)):
        return values
    low, high = values
    shares = [step / (wanted - 1) for step in range(wanted)]
    unit = math.gcd(low, high) if isinstance(low, int) and isinstance(high, int) else 0
    ratio = high / low if low > 0 and high > 0 else None
    between: Callable[[float], float] = (
        (lambda share: low * ratio**share) if ratio is not None else (lambda share: low + (high - low) * share)
    )
    found = [low, *(unit * round(between(s) / unit) if unit else float(between(s)) for s in shares[1:-1]), high]
    return tuple(dict.fromkeys(found))


def _moved(first: Values, further: Mapping[str, Sequence[Any]]) -> list[Cell]:
    """One size at a time at further values."""
    return [{**first, name: value} for name, values in further.items() for value in values]


def _distinct(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for at, cell in enumerate(cells) if cell not in cells[:at]]
