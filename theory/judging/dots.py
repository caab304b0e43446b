"""The measurements of a row as dots, each beside its bound: what a reader looks at to see how a bound is met.

Main definitions: `Dot`; `dots`, which picks them from what a run has kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from theory.claims.memory import Instance
from theory.claims.results import MOST_DOTS, CellResult, Evidence
from theory.core.seeds import canonical
from theory.core.values import Values
from theory.running.case import Case


@dataclass(frozen=True)
class Dot:
    """One measurement: the number of its cell in the evidence, what it measured, its bound, and what was drawn.

    `drawn` has the positive numbers among the symbols that the cell does not give, the trial aside. `worst` marks the
    one with the largest ratio of its cell.
    """

    cell: int
    measured: float
    bound: float
    drawn: Mapping[str, float]
    worst: bool = False


def dots(case: Case, evidence: Evidence) -> tuple[Dot, ...]:
    """At most `MOST_DOTS` measurements, if there are not more cells, of each cell the worst one among them.

    Of a cell that keeps none, its own number is the dot.
    """
    share = max(1, MOST_DOTS // max(1, len(evidence.cells)))
    found: list[Dot] = []
    for number, cell in enumerate(evidence.cells):
        names = [name for name in case.claim.regime.draw if name not in cell.at]
        if (key := canonical(cell.at)) in case.memory.points:
            known = [Dot(number, value, limit, {}) for value, limit in case.memory.points_of(None, key)]
        else:
            known = [_of_instance(number, kept, names, case.claim.sense) for kept in _kept(case, cell)]
        worst = Dot(number, cell.measured, cell.bound, _positive(cell.worst, names), worst=True)
        # Some are measured twice, to see that they come out the same.
        apart = {(dot.measured, dot.bound, *dot.drawn.values()): dot for dot in known}
        others = [dot for dot in apart.values() if (dot.measured, dot.bound) != (worst.measured, worst.bound)]
        # An even choice: the first ones of a search are drawn before it climbs, the last ones are near its end.
        even = np.linspace(0, len(others) - 1, min(share - 1, len(others))).astype(int)
        found += [others[k] for k in dict.fromkeys(even.tolist())]
        found.append(worst)
    return tuple(found)


def _kept(case: Case, cell: CellResult) -> Sequence[Instance]:
    """The instances of a cell that met its premises."""
    everything, inside = case.memory.kept.get(canonical(cell.at), ()), case.standing.has_kept_inside
    return [kept for kept in everything if inside(cell.at, kept)]


def _of_instance(number: int, kept: Instance, names: Sequence[str], sense: str) -> Dot:
    """The dot of an instance: of several entries that with the largest ratio."""
    value, limit = (np.asarray(part, float).ravel() for part in (kept.value, kept.limit))
    value, limit = np.broadcast_arrays(value, limit)
    small, large = (limit, value) if sense == ">=" else (value, limit)
    with np.errstate(all="ignore"):
        ratio = np.nan_to_num(small / large, nan=-math.inf)
    k = int(np.argmax(ratio))
    return Dot(number, float(value[k]), float(limit[k]), _positive(kept.values, names))


def _positive(values: Values, names: Sequence[str]) -> dict[str, float]:
    """The positive numbers among the values of these names."""
    numbers = {n: values[n] for n in names if isinstance(values.get(n), int | float | np.number)}
    return {n: float(v) for n, v in numbers.items() if not isinstance(v, bool) and 0.0 < v < 1e300}
