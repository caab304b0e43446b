"""Where a claim is tested: cells of fixed sizes, symbols derived from them, and symbols a search may choose.

Main definitions: `Regime`, `grid`, `reals`, `choices`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.claims import points
from theory.core.values import Function, Values

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Cell = dict[str, Any]

# Hypothesis climbs by adding integers to what it drew, to a float as well, which in a range such as [0, 1]
# leads nowhere. On a lattice of 2^10 steps it finds the peak of a slope in two variables within 120 examples;
# from st.floats(0, 1) it comes no closer than uniform sampling, with 1000.
LATTICE = 2**10


def grid(**axes: object) -> list[Cell]:
    """All combinations of the given values; a value that is no list is the same in every cell."""
    lists = [_values(axis) for axis in axes.values()]
    return [dict(zip(axes, combination, strict=True)) for combination in itertools.product(*lists)]


def reals(low: float, high: float, logarithmic: bool = False) -> SearchStrategy[float]:
    """Real numbers from `low` to `high`, both included, on a lattice that a search can climb.

    Raises `ValueError` where there are none, or no logarithms of them.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(
            f"reals({low}, {high}): there is nothing between; write the smaller of two finite numbers first"
        )
    if logarithmic and low <= 0.0:
        raise ValueError(f"reals({low}, {high}, logarithmic=True): its lower end has no logarithm; begin above 0")

    def at(step: int) -> float:
        share = step / LATTICE
        if share in (0.0, 1.0):
            return high if share else low
        return low * (high / low) ** share if logarithmic else low + (high - low) * share

    from hypothesis import strategies

    return strategies.integers(0, LATTICE).map(at)


@dataclass(frozen=True)
class Choices:
    """A finite set of names, one of which a search draws; `--at` may say each of them."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in self.names:
            if not name or "," in name or name != " ".join(name.split()) or _is_number(name):
                raise ValueError(f"{name!r} is no name that --at could say; write words without commas")

    @property
    def strategy(self) -> SearchStrategy[str]:
        """One of the names, the first being the simplest."""
        from hypothesis import strategies

        return strategies.sampled_from(self.names)


def choices(*names: str) -> Choices:
    """What a search draws from these names; raises `ValueError` for one that `--at` could not say."""
    return Choices(names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _values(axis: object) -> list[Any]:
    if isinstance(axis, np.ndarray):
        return list(axis.tolist())
    return list(axis) if isinstance(axis, list | tuple | range) else [axis]


# How a limit of a size is written that depends on other symbols: `n`, `2*d`, `n*L`, `layer - 1`, `2*n + 1`.
_LIMIT = re.compile(r"(?:(\d+|[A-Za-z_]\w*)\*)?([A-Za-z_]\w*)(?: ([+-]) (\d+))?")


def limit_of(limit: float | str, cell: Values) -> Any:
    """What a limit comes to in a cell."""
    if not isinstance(limit, str):
        return limit
    times, name, sign, more = _read(limit)
    factor = cell[times] if times in cell else int(times or 1)
    return factor * cell[name] + int(f"{sign or '+'}{more or 0}")


def _read(limit: str) -> tuple[str, str, str, str]:
    found = _LIMIT.fullmatch(limit)
    if found is None:
        raise ValueError(f"{limit!r} is no limit of a size; write a number or a symbol, as in n, 2*d, n*L or layer - 1")
    times, name, sign, more = found.groups()
    return times, name, sign, more


def _symbols_of(limit: float | str) -> set[str]:
    """The symbols of which a limit says more."""
    return {name for name in _read(limit)[:2] if name and not name.isdigit()} if isinstance(limit, str) else set()


@dataclass(frozen=True)
class Regime:
    """The sizes at which a claim is tested.

    `cells` are run at every effort, smallest first; `thorough` and `nightly` add to them. `calibration` cells are those
    on which a hidden constant is fitted (scaling claims only). `derived` computes further symbols of a cell from
    earlier ones, by parameter name. `draw` gives a Hypothesis strategy of numbers, or `choices`, for each symbol a
    search may choose; `pinned` lists assignments of those symbols that are always tried first. `built` names arguments
    of the measuring function that are made of drawn symbols: a callable and the symbols that it is called with, as
    keywords. `least` and `most` say between which sizes there is anything to measure, or the function builds what it is
    asked for: a number, as in `least={"L": 2}`, or what other symbols say, as in `least={"L": "layer - 1"}`,
    `most={"B": "n"}`, `most={"n": "2*d"}` or `least={"m": "n*L"}`. `usual` has the symbols that a cell may leave out,
    each with the value that it then has, such as a family of points; at that value it changes no generator. `from_data`
    computes symbols of a cell from its training points, which are then drawn once for the cell: a function of the
    parameters `X` (n, d), `y` (n,) and symbols of the cell, by name. Raises `ValueError` for a cell beyond these
    limits, and for what is no cell, no limit or nothing that can be drawn. `points_of` names the symbols by which
    training points are drawn: cells that agree in these have the same points; by default those of every cell are its
    own.
    """

    cells: Sequence[Cell]
    thorough: Sequence[Cell] = ()
    nightly: Sequence[Cell] = ()
    calibration: Sequence[Cell] = ()
    derived: Mapping[str, Function] = field(default_factory=dict)
    draw: Values = field(default_factory=dict)
    pinned: Sequence[Cell] = ()
    built: Mapping[str, tuple[Function, Iterable[str]]] = field(default_factory=dict)
    least: Mapping[str, float | str] = field(default_factory=dict)
    most: Mapping[str, float | str] = field(default_factory=dict)
    usual: Values = field(default_factory=dict)
    from_data: Mapping[str, Function] = field(default_factory=dict)
    points_of: Sequence[str] = ()

    def __post_init__(self) -> None:
        for cell in (*self.calibration, *self.cells, *self.thorough, *self.nightly, *self.pinned, self.usual):
            if not isinstance(cell, Mapping) or not all(isinstance(name, str) for name in cell):
                raise ValueError(
                    f"{cell!r} is no cell; write symbols with their values, as grid(m=[64, 4096], L=2) does"
                )
        for name, drawn in self.draw.items():
            if not isinstance(drawn, Choices) and not hasattr(drawn, "example"):
                raise ValueError(
                    f"{name}={drawn!r} cannot be drawn; write reals(low, high), choices(...) or a strategy"
                )
        for limit in (*self.least.values(), *self.most.values()):
            for other in sorted(_symbols_of(limit) - self.symbols):
                raise ValueError(f"the limit {limit!r} has no symbol of the cells; give {other} there")
        for cell in self.all_cells():
            if missing := self.lacks(cell):
                raise ValueError(f"there is nothing to measure at {cell}: it takes {missing}")

    @property
    def limits(self) -> str:
        """`least` and `most` in words, as in `L >= 2; B <= n`; empty where there are none."""
        pairs = ((">=", self.least), ("<=", self.most))
        return "; ".join(f"{name} {sign} {limit}" for sign, limits in pairs for name, limit in limits.items())

    def lacks(self, cell: Values) -> str:
        """What of `least` and `most` a cell does not meet, as in `L >= 2` or `B <= n`; empty where it meets all."""
        for sign, limits in ((">=", self.least), ("<=", self.most)):
            for name, limit in limits.items():
                if not {name, *_symbols_of(limit)} <= cell.keys():
                    continue
                value, end = cell[name], limit_of(limit, cell)
                if value < end if sign == ">=" else value > end:
                    return f"{name} {sign} {limit}"
        return ""

    def is_fixed(self, name: str) -> bool:
        """Whether all declared cells, of which there are some, give a symbol one and the same value."""
        values = [cell.get(name) for cell in self.all_cells()]
        return bool(values) and values[0] is not None and all(value == values[0] for value in values)

    @property
    def strategies(self) -> dict[str, SearchStrategy[Any]]:
        """A Hypothesis strategy for each drawn symbol."""
        return {name: drawn.strategy if isinstance(drawn, Choices) else drawn for name, drawn in self.draw.items()}

    def names(self, symbol: str) -> tuple[str, ...]:
        """The names that the cells and the draws give to a symbol; none where it is a number."""
        drawn = self.draw.get(symbol)
        given = [cell.get(symbol) for cell in self.all_cells()]
        named = [*(drawn.names if isinstance(drawn, Choices) else ()), *(v for v in given if isinstance(v, str))]
        return tuple(dict.fromkeys(named))

    def build(self, values: Values) -> Cell:
        """The built arguments at an instance."""
        return {name: make(**{part: values[part] for part in parts}) for name, (make, parts) in self.built.items()}

    @property
    def symbols(self) -> frozenset[str]:
        """Names of all symbols that a cell fixes, derives, draws or measures on its points."""
        fixed = frozenset(itertools.chain.from_iterable(self.all_cells()))
        return fixed | frozenset(self.derived) | frozenset(self.draw) | frozenset(self.from_data)

    @cached_property
    def following(self) -> frozenset[str]:
        """The symbols that are measured on the points or computed from one that is."""
        found = set(self.from_data)
        for name, compute in self.derived.items():
            if found & set(inspect.signature(compute).parameters):
                found.add(name)
        return frozenset(found)

    def all_cells(self) -> list[Cell]:
        """Every declared cell at every effort, calibration included."""
        return [{**self.usual, **cell} for cell in (*self.calibration, *self.cells, *self.thorough, *self.nightly)]

    def unusual(self, cell: Values) -> Cell:
        """The symbols of a cell that name its generators: not those at their usual values, nor what follows the points.

        The last digits of what is measured on points depend on the processor.
        """
        usual, following = self.usual, self.following
        given = {name: value for name, value in cell.items() if name not in following}
        return {name: value for name, value in given.items() if name not in usual or value != usual[name]}

    def names_points(self, cell: Values) -> Cell:
        """The symbols of a cell that name the generator of its training points."""
        return {name: cell[name] for name in self.points_of} if self.points_of else self.unusual(cell)

    def complete(self, cell: Values, at: Values) -> Cell:
        """`cell` with the assignments `at` in force and the derived symbols computed from the result.

        Only symbols of the cell are assigned: whatever else `at` holds (a trial, a constant, a drawn symbol,
        a symbol of another claim) must not change the cell, which names the generators. What follows the points is
        computed where the cell has what was measured on them.
        """
        given = {**self.usual, **cell}
        values: Cell = {**given, **{name: at[name] for name in at if name in given or name in self.derived}}
        for name, compute in self.derived.items():
            if name not in at and (name not in self.following or values.keys() >= self.from_data.keys()):
                needed = inspect.signature(compute).parameters
                values[name] = compute(**{parameter: values[parameter] for parameter in needed})
        return values

    def on_points(self, cell: Values, X: Any, y: Any, at: Values) -> Cell:
        """A complete cell with the symbols that are measured on its points (X, y), and those that follow.

        Raises `MeasurementError` for a symbol that is no finite number.
        """
        values = {**cell, **dict(zip(points.POINTS, (X, y), strict=True))}
        measured = {name: points.measure(name, function, values) for name, function in self.from_data.items()}
        return self.complete({**cell, **measured}, at)

    def select(self, effort: str, at: Values) -> list[Cell]:
        """The cells to run at `effort` with `at` in force, without repetitions, in declared order."""
        return self._distinct(self._declared(effort), at)

    def given(self, effort: str, at: Values) -> list[Cell]:
        """The cells to run at `effort` with `at` in force, as far as nothing has to be computed."""
        cells = [{**self.usual, **cell} for cell in self._declared(effort)]
        return [{**cell, **{name: at[name] for name in at if name in cell}} for cell in cells]

    def _declared(self, effort: str) -> list[Cell]:
        declared = list(self.cells)
        if effort in ("thorough", "nightly"):
            declared += self.thorough
        if effort == "nightly":
            declared += self.nightly
        return declared

    def select_calibration(self, at: Values) -> list[Cell]:
        """The calibration cells with `at` in force."""
        return self._distinct(self.calibration, at)

    def _distinct(self, cells: Sequence[Cell], at: Values) -> list[Cell]:
        completed = [self.complete(cell, at) for cell in cells]
        return [cell for index, cell in enumerate(completed) if cell not in completed[:index]]
