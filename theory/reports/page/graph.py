"""What the statements of a paper rest on, as a drawing: columns from what rests on nothing to what all leads to.

Main definitions: `Placed` and `layout`, places of the statements that are asked for; `ancestors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Placed:
    """A statement in its column, counted from the left, and its row, in units of a box."""

    id: str
    column: int
    row: float


def ancestors(uses: Mapping[str, Sequence[str]], focus: str) -> dict[str, int]:
    """The statement and all that it rests on, directly or not, each with the steps between; nearest first."""
    found = {focus: 0}
    waiting = [focus]
    for name in waiting:
        for used in uses.get(name, ()):
            if used in uses and used not in found:
                found[used] = found[name] + 1
                waiting.append(used)
    return found


def layout(uses: Mapping[str, Sequence[str]], wanted: Iterable[str]) -> list[Placed]:
    """Places of the wanted statements: what a statement uses stands to its left, and few lines cross.

    Columns and the order inside them are those of Sugiyama's method; all are as tall as the fullest one. Those without
    a line stand in columns of their own, to the right of all others.
    """
    chosen = list(dict.fromkeys(wanted))
    edges = [(used, name) for name in chosen for used in uses.get(name, ()) if used in chosen]
    joined = {name for edge in edges for name in edge}
    drawn = [name for name in chosen if name in joined]
    placed: list[Placed] = []
    if drawn:
        number = {name: k for k, name in enumerate(drawn)}
        places = _sugiyama(len(drawn), tuple((number[a], number[b]) for a, b in edges))
        placed = _compact([(name, round(y), x) for name, (x, y) in zip(drawn, places, strict=True)])
    alone = [name for name in chosen if name not in joined]
    columns = 1 + max((p.column for p in placed), default=-1)
    tall = max(12, round(max((p.row for p in placed), default=0.0)))
    return placed + [Placed(name, columns + k // tall, float(k % tall)) for k, name in enumerate(alone)]


@cache
def _sugiyama(count: int, edges: tuple[tuple[int, int], ...]) -> tuple[tuple[float, float], ...]:
    """Where vertices of a directed graph stand: across, and in which layer. A paper has hundreds of such graphs."""
    from igraph import Graph

    graph = Graph(count, edges, directed=True).simplify()
    return tuple((x, y) for x, y in graph.layout_sugiyama(hgap=1, vgap=1, maxiter=200)[:count])


def _compact(places: Sequence[tuple[str, int, float]]) -> list[Placed]:
    """The places with rows so near to one another that every column fits into the height of the fullest one."""
    heights = [height for _, _, height in places]
    top, room = min(heights), (max(heights) - min(heights)) or 1.0
    columns: dict[int, list[tuple[float, str]]] = {}
    for name, column, height in places:
        columns.setdefault(column, []).append((height, name))
    last = max(len(column) for column in columns.values()) - 1
    placed = []
    for number, members in columns.items():
        members.sort()
        rows = [last * (height - top) / room for height, _ in members]
        for k in range(1, len(rows)):
            rows[k] = max(rows[k], rows[k - 1] + 1.0)
        for k in reversed(range(len(rows))):
            rows[k] = min(rows[k], (rows[k + 1] if k + 1 < len(rows) else last + 1.0) - 1.0)
        placed += [Placed(name, number, round(row, 1)) for (_, name), row in zip(members, rows, strict=True)]
    return placed
