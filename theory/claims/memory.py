"""What a claim measured, kept for what is decided again without measuring: controls with another bound, its own sight.

Main definitions: `Memory`; `Instance`, what is kept of one measurement beside its bound; `Measurements`, what instances
gave; `OfBlock`, what claims of one block measured, which are judged one after the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from theory.claims.results import CellResult
from theory.core.measured import Measured
from theory.core.seeds import canonical
from theory.core.values import Values

# So many instances a cell are kept, of at most so many numbers each.
MOST_INSTANCES = 128
MOST_NUMBERS = 1024

# Of the claims of one block so many instances a cell: the trials of most cells.
MOST_OF_BLOCK = 1024

# Of each cell so many instances are kept beside their bounds, and of each so many entries.
MOST_KEPT = 256
MOST_ENTRIES = 64


# Measurements, and the bound of each: arrays of one shape.
Points = tuple[np.ndarray, np.ndarray]


class Named(Protocol):
    """A control, as far as what it measured is kept under its name."""

    @property
    def name(self) -> str:
        """What is wrong with it."""


@dataclass(frozen=True, eq=False)
class Instance:
    """A measurement beside its bound: entries of the numbers that were compared, each a number or of shape (k,).

    `measured` is all of it where controls may recall it, and else its `chosen` entries alone; `limit` has these. In the
    other case `chosen` tells the entries by their number in arrays of this `shape`.
    """

    values: Values
    trial: int
    measured: Measured
    limit: Any
    sense: str
    shape: tuple[int, ...] = ()
    chosen: np.ndarray | None = None

    @property
    def value(self) -> Any:
        """The end of what is known of the quantity that is further from meeting the bound."""
        return self._of(self.measured.value if self.sense != ">=" else self._low)

    @property
    def other(self) -> Any:
        """The end that is nearer to meeting it."""
        return self._of(self.measured.value if self.sense == ">=" else self._low)

    @property
    def error(self) -> Any:
        """The rounding-error bound of the quantity."""
        return self._of(self.measured.absolute_error)

    @cached_property
    def symbols(self) -> Values:
        """The symbols that only the measurement knows."""
        return {name: self._of(symbol) for name, symbol in self.measured.symbols.items()}

    @property
    def _low(self) -> Any:
        return self.measured.value if self.measured.low is None else self.measured.low

    def _of(self, part: Any) -> Any:
        return part if self.chosen is None else _few(part, self.shape, self.chosen)

    @property
    def size(self) -> int:
        """How many entries there are."""
        parts = (self.value, self.other, self.error, self.limit, *self.symbols.values())
        return max(int(np.size(part)) for part in parts)


@dataclass
class Measurements:
    """What instances gave, by cell: of each cell the first `most`, as far as they are small."""

    most: int = MOST_INSTANCES
    by_cell: dict[str, dict[tuple[str, int], tuple[Values, Measured]]] = field(default_factory=dict)

    def note(self, cell: Values, values: Values, trial: int, measured: Measured) -> Measured | None:
        """Keep what one instance gave, if it is small and there is room, and its symbols can be told apart.

        What is kept is returned: a copy, which nobody changes.
        """
        known = self.by_cell.setdefault(canonical(cell), {})
        numbers = (measured.value, measured.error, measured.low, *measured.symbols.values())
        # Ball arithmetic would keep the network alive.
        if len(known) >= self.most or measured.ball is not None or sum(map(np.size, numbers)) > MOST_NUMBERS:
            return None
        if not all(map(_has_a_text, values.values())):
            return None
        detached = _detached(measured)
        known[canonical(values), trial] = (values, detached)
        return detached

    def find(self, cell: Values, values: Values, trial: int) -> Measured | None:
        """What an instance gave, if that is known."""
        known = self.by_cell.get(canonical(cell))
        if not known or not all(map(_has_a_text, values.values())):
            return None
        _, measured = known.get((canonical(values), trial), (None, None))
        return measured

    def instances(self, cell: Values) -> Iterable[Values]:
        """The symbols of the known instances of a cell, the drawn trial number included."""
        return [values for values, _ in self.by_cell.get(canonical(cell), {}).values()]


@dataclass
class OfBlock:
    """What claims of one block, with the same regime, measured: each is told what another has measured before.

    Never what it measured itself, so that an instance which it measures again is measured.
    """

    by_claim: dict[tuple[str, int], Measurements] = field(default_factory=dict)

    def note(self, claim: str, regime: object, cell: Values, values: Values, trial: int, measured: Measured) -> None:
        """Keep what a claim measured at one instance."""
        own = self.by_claim.setdefault((claim, id(regime)), Measurements(MOST_OF_BLOCK))
        own.note(cell, values, trial, measured)

    def find(self, claim: str, regime: object, cell: Values, values: Values, trial: int) -> Measured | None:
        """What another claim of the same regime measured at this instance, if that is known."""
        others = (known for (by, of), known in self.by_claim.items() if by != claim and of == id(regime))
        return next(filter(None, (known.find(cell, values, trial) for known in others)), None)


@dataclass
class Memory:
    """Instances of a claim by cell, and whatever else a plan of evidence wants to have measured once.

    A measurement is kept once: that which controls recall, of `recalled`, is the one of its instance in `kept`, and the
    `points` of a plan with `samples` are these arrays. `points` are measurements beside their bounds, by cell, of a
    plan that keeps no instances. `of_controls` has the instance of the largest ratio of every control, and
    `points_of_controls` its points, by its name and the cell. `of_block` is shared with the claims of its block, where
    they are judged together. `finished` are the cells that are judged, whatever becomes of the others. `took` has
    the seconds of one measurement of the cells of a fit. `signed` says whether the claim measured a number below 0.
    """

    samples: dict[Any, Any] = field(default_factory=dict)
    recalled: Measurements = field(default_factory=Measurements)
    worst: dict[str, Values] = field(default_factory=dict)
    kept: dict[str, list[Instance]] = field(default_factory=dict)
    latest: dict[str, float] = field(default_factory=dict)
    inside: dict[Instance, bool] = field(default_factory=dict)
    levels: dict[str, float] = field(default_factory=dict)
    points: dict[str, Points] = field(default_factory=dict)
    of_controls: dict[tuple[str, str], tuple[float, Instance]] = field(default_factory=dict)
    points_of_controls: dict[tuple[str, str], Points] = field(default_factory=dict)
    of_block: OfBlock | None = None
    finished: dict[str, CellResult] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)
    signed: bool = False

    def keep(self, cell: Values, ratio: float, made: Callable[[], Instance]) -> None:
        """Keep an instance of a cell: the first ones, and of all later ones that with the largest ratio."""
        known = self.kept.setdefault(canonical(cell), [])
        if len(known) < MOST_KEPT:
            known.append(made())
        elif ratio > self.latest.get(canonical(cell), -np.inf):
            self.latest[canonical(cell)] = ratio
            known[MOST_KEPT:] = [made()]

    def keep_of(self, control: Named, cell: Values, ratio: float, made: Callable[[], Instance]) -> None:
        """Keep an instance of a control, if none of the cell has a larger ratio."""
        key = (control.name, canonical(cell))
        if key not in self.of_controls or ratio > self.of_controls[key][0]:
            self.of_controls[key] = (ratio, made())

    def of_control(self, control: Named | None, cell: str) -> Instance | None:
        """The instance of a control with the largest ratio of a cell, if one is kept."""
        return None if control is None else self.of_controls.get((control.name, cell), (0.0, None))[1]

    def note_points(self, control: Named | None, cell: Values, points: Points) -> None:
        """Keep measurements beside their bounds, of the claim or of a control; the first ones noted stay."""
        if control is None:
            self.points.setdefault(canonical(cell), points)
        else:
            self.points_of_controls.setdefault((control.name, canonical(cell)), points)

    def points_of(self, control: Named | None, cell: str) -> list[tuple[float, float]]:
        """What `note_points` kept of the claim or of a control in a cell: each measurement with its bound."""
        kept = self.points.get(cell) if control is None else self.points_of_controls.get((control.name, cell))
        return [] if kept is None else list(zip(kept[0].tolist(), kept[1].tolist(), strict=True))

    def sample(self, key: Any, measure: Callable[[], Any]) -> Any:
        """`measure()`, or what it gave before for this key."""
        if key not in self.samples:
            self.samples[key] = measure()
        return self.samples[key]


def _has_a_text(value: object) -> bool:
    """Whether the text of a value, as `canonical` writes it, is that of no other value."""
    if isinstance(value, tuple | list):
        return all(map(_has_a_text, value))
    return value is None or isinstance(value, bool | int | float | str | np.number | np.bool_)


def _detached(measured: Measured) -> Measured:
    """A copy, so that no entry is the view of an array that may change or is much larger."""
    copied = {name: _copied(value) for name, value in measured.symbols.items()}
    return replace(
        measured,
        value=_copied(measured.value),
        error=_copied(measured.error),
        low=_copied(measured.low),
        symbols=copied,
    )


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def instance(
    values: Values, trial: int, measured: Measured, limit: Any, sense: str, recalled: bool = False
) -> Instance:
    """What is kept of a measurement: at most `MOST_ENTRIES` entries, those nearest to the bound and an even choice.

    One that is `recalled` is kept as a whole already, and nobody changes it.
    """
    low = measured.value if measured.low is None else measured.low
    error = measured.absolute_error
    sizes = [np.shape(p) for p in (measured.value, low, error, limit, *measured.symbols.values()) if np.size(p) > 1]
    if not sizes:
        if not recalled:
            copied = {name: _copied(symbol) for name, symbol in measured.symbols.items()}
            measured = Measured(_copied(measured.value), _copied(error), copied, low=_copied(measured.low))
        return Instance(values, trial, measured, limit, sense)
    shape = np.broadcast_shapes(*sizes)
    far = low if sense == ">=" else measured.value
    chosen = _telling(np.broadcast_to(far, shape).ravel(), np.broadcast_to(limit, shape).ravel(), sense)
    few = functools.partial(_few, shape=shape, chosen=chosen)
    if recalled:
        return Instance(values, trial, measured, few(limit), sense, shape, chosen)
    symbols = {name: few(symbol) for name, symbol in measured.symbols.items()}
    low = None if measured.low is None else few(measured.low)
    return Instance(values, trial, Measured(few(measured.value), few(error), symbols, low=low), few(limit), sense)


def _few(part: Any, shape: tuple[int, ...], chosen: np.ndarray) -> Any:
    """The chosen entries of a part, as a copy: the array may change, or be a view of a larger one."""
    return np.broadcast_to(part, shape).ravel()[chosen] if np.size(part) > 1 else _copied(part)


def _telling(value: np.ndarray, limit: np.ndarray, sense: str) -> np.ndarray:
    """The indices of the entries that are kept."""
    if value.size <= MOST_ENTRIES:
        return np.arange(value.size)
    small, large = (limit, value) if sense == ">=" else (value, limit)
    with np.errstate(all="ignore"):
        ratio = np.asarray(small, float) / np.asarray(large, float)
    worst = np.argsort(np.where(np.isnan(ratio), -np.inf, ratio), kind="stable")[-(MOST_ENTRIES // 2) :]
    even = np.linspace(0, value.size - 1, MOST_ENTRIES // 2).astype(int)
    return np.unique(np.concatenate([worst, even]))
