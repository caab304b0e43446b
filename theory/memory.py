"""What a claim measured, kept for those of its controls that differ from it in the bound alone.

Such a control is compared with numbers that are known already. Main definition: `Memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theory.measured import Measured
from theory.seeds import canonical

# So many instances a cell are kept, of at most so many numbers each.
MOST_INSTANCES = 128
MOST_NUMBERS = 1024

Values = Mapping[str, Any]


@dataclass
class Memory:
    """Instances of a claim by cell, and whatever else a plan of evidence wants to have measured once."""

    samples: dict[Any, Any] = field(default_factory=dict)
    cells: dict[str, dict[tuple[str, int], tuple[Values, Measured]]] = field(default_factory=dict)
    worst: dict[str, Values] = field(default_factory=dict)

    def sample(self, key: Any, measure: Callable[[], Any]) -> Any:
        """`measure()`, or what it gave before for this key."""
        if key not in self.samples:
            self.samples[key] = measure()
        return self.samples[key]

    def note(self, cell: Values, values: Values, trial: int, measured: Measured) -> None:
        """Keep what one instance gave, if it is small and there is room, and its symbols can be told apart."""
        known = self.cells.setdefault(canonical(cell), {})
        numbers = (measured.value, measured.error, measured.low, *measured.symbols.values())
        # Ball arithmetic would keep the network alive.
        if len(known) >= MOST_INSTANCES or measured.ball is not None or sum(map(np.size, numbers)) > MOST_NUMBERS:
            return
        if all(map(_has_a_text, values.values())):
            known[canonical(values), trial] = (dict(values), _detached(measured))

    def find(self, cell: Values, values: Values, trial: int) -> Measured | None:
        """What an instance gave, if that is known."""
        known = self.cells.get(canonical(cell))
        if not known or not all(map(_has_a_text, values.values())):
            return None
        _, measured = known.get((canonical(values), trial), (None, None))
        return measured

    def instances(self, cell: Values) -> Iterable[Values]:
        """The symbols of the known instances of a cell, the drawn trial number included."""
        return [values for values, _ in self.cells.get(canonical(cell), {}).values()]


def _has_a_text(value: Any) -> bool:
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
