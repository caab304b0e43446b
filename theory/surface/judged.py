"""A row as a script or a notebook shows it: its story, its cells by column, a card, a picture.

Main definitions: `Judged`; `Columns`, the cells where pandas is not installed; `Picture`.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theory.claims.results import CellResult
from theory.core.digits import apart, near_one
from theory.core.guard import SessionError
from theory.judging.judge import Row
from theory.reports import figures
from theory.reports.ledger import entry
from theory.reports.pictures import picture
from theory.reports.report import story

# What every cell has beside its symbols.
OF_A_CELL = ("measured", "bound", "ratio", "failures", "trials", "verdict", "premises", "remark")


class Columns(Mapping[str, list[Any]]):
    """Columns of the same length by their names, which a notebook shows as a table."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(column) for name, column in columns.items()}

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        """The table as text, a line for each cell."""
        texts = {name: [name, *map(_short, column)] for name, column in self.items()}
        widths = {name: max(map(len, column)) for name, column in texts.items()}
        lines = zip(*([text.rjust(widths[name]) for text in column] for name, column in texts.items()), strict=True)
        return "\n".join("  ".join(line) for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        rows = ["".join(f"<td>{html.escape(_short(v))}</td>" for v in row) for row in zip(*self.values(), strict=True)]
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


@dataclass(frozen=True)
class Picture:
    """A picture as PNG, which a notebook shows."""

    png: bytes = field(repr=False)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write it to a file."""
        Path(file).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        return self.png


@dataclass(frozen=True, repr=False)
class Judged(Row):
    """A row; printed, it is its story, and in a notebook a card."""

    @property
    def cells(self) -> Any:
        """What came out at each of its sizes, by column: a DataFrame where pandas is installed, else `Columns`."""
        cells: Sequence[CellResult] = self.evidence.cells
        names = dict.fromkeys(name for cell in cells for name in cell.at)
        columns = {name: [cell.at.get(name) for cell in cells] for name in names}
        for name in OF_A_CELL:
            values = [getattr(cell, name) for cell in cells]
            columns[name] = [str(v) for v in values] if name in ("verdict", "premises") else values
        if importlib.util.find_spec("pandas") is not None:
            return importlib.import_module("pandas").DataFrame(columns)
        return Columns(columns)

    def plot(self) -> Picture:
        """What was measured beside its bound, as with --plot. Raises `SessionError` where no number was measured."""
        found = picture(entry(self))
        if found is None:
            raise SessionError(f"{self.claim.id}: no number was measured that could be drawn")
        return Picture(figures.png(found))

    def __repr__(self) -> str:
        """The verdict in a line."""
        worst = self.worst
        return f"<{self.claim.id}: {self.said}{f', ratio {near_one(worst.ratio)}' if worst is not None else ''}>"

    def __str__(self) -> str:
        return "\n".join(story(self))

    @property
    def _fitted(self) -> str:
        """The constant that was fitted, with its value."""
        name, value = self.claim.evidence.constant, self.evidence.details.get("constant")
        return f", with {name} = {value:.4g} fitted on the smaller sizes" if name and isinstance(value, float) else ""

    def _repr_html_(self) -> str:
        claim, escape = self.claim, html.escape
        mark = "" if self.ok else " (not as expected)"
        lines = [
            f"<h4>{escape(claim.id)}: {escape(claim.title)}</h4>",
            f"<p>{escape(claim.measures)}</p>",
            f"<p>measured {escape(claim.sense)} ${self.bound.latex}${escape(self._fitted)}</p>",
            f"<p><b>{escape(self.said)}</b>{mark}; premises {escape(self.premises_marked)}; controls "
            f"{escape(self.controls_said)}; {escape(self.evidence.power.text)} would have been caught</p>",
            _table(self.evidence.cells),
            *(f"<p>{escape(remark)}</p>" for remark in self.remarks),
        ]
        return "\n".join(lines)


def _table(cells: Sequence[CellResult]) -> str:
    """The cells with the numbers that a reader looks at."""
    shown = []
    for cell in cells:
        measured, bound = apart(cell.measured, cell.bound)
        at = ", ".join(f"{name}={_short(value)}" for name, value in cell.at.items())
        shown.append((at, measured, bound, near_one(cell.ratio), str(cell.verdict)))
    names = ("cell", "measured", "bound", "ratio", "verdict")
    return Columns({name: [row[at] for row in shown] for at, name in enumerate(names)})._repr_html_()


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
