"""Where a claim is judged in a run: the cells of its block under what the user asked for, on their training points.

Main definition: `Sizes`.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.bound import Bound
from theory.claims.block import Claim, Control
from theory.claims.memory import Memory
from theory.claims.regime import Cell
from theory.core import seeds
from theory.core.values import Values
from theory.running.config import RunConfig


@dataclass(frozen=True)
class Sizes:
    """The cells of a claim, or of its `control`, with `bound` in force; `memory` keeps the points drawn for them."""

    claim: Claim
    config: RunConfig
    control: Control | None
    bound: Bound
    memory: Memory

    @property
    def cells(self) -> list[Cell]:
        """The cells to judge, smallest first."""
        if self.control is not None and self.control.cells is not None:
            return [self.on_points(self.claim.regime.complete(cell, cell), cell) for cell in self.control.cells]
        return [self.on_points(cell, self._given) for cell in self._to_judge]

    @property
    def calibration(self) -> list[Cell]:
        """The cells on which a hidden constant is fitted: those of the block, with what user data fix.

        Nor is it fitted at another value than is asked of a symbol that has one value in the whole block and that the
        bound does not name: the constant may depend on that.
        """
        return [self.on_points(cell, self._given_to_fit) for cell in self._to_fit]

    @property
    def lacking(self) -> str:
        """What keeps a cell from being built, as in `L >= 2`, where sizes are asked about; empty where all can be.

        What is drawn counts where it is asked for. A size of one value that the function does not take is not built.
        What is given is looked at before anything is computed from it, which may have no value there.
        """
        regime, at = self.claim.regime, self.config.at
        if found := next(filter(None, map(regime.lacks, regime.given(self.config.effort, self._given))), ""):
            return found
        for name, least in self.claim.evidence.least_sizes(self.claim).items():
            if name in at and at[name] < least:
                return f"{name} >= {least}, as an order is one of large sizes"
        for name, parts in self.claim.followed.items():
            if name in at and (name in regime.following or any(value != at[name] for value in self._computed(name))):
                return f"{name} as it follows from {', '.join(parts)}" if parts else f"the {name} of its block"
        drawn = {name: at[name] for name in regime.draw if name in at}
        cells = [{**cell, **drawn} for cell in (*self._to_judge, *self._to_fit)]
        alone = (f"{name} = {value}" for name, value in self.claim.built_alone.items() if at.get(name, value) != value)
        return next(itertools.chain(filter(None, map(regime.lacks, cells)), alone), "")

    def _computed(self, name: str) -> list[Any]:
        """What a derived symbol that follows no points comes to in the cells, whatever is asked of it."""
        given = {other: value for other, value in self._given.items() if other != name}
        return [cell[name] for cell in self.claim.regime.select(self.config.effort, given)]

    def on_points(self, cell: Cell, given: Values) -> Cell:
        """The cell with the symbols that are measured on its points, and those that follow; `given` stays in force."""
        regime = self.claim.regime
        return regime.on_points(cell, *self.points(cell), given) if regime.from_data else cell

    def points(self, cell: Values) -> tuple[np.ndarray, np.ndarray]:
        """The training points X (n, d) of a cell and their labels y (n,), which nobody may change.

        They are drawn once for a cell, by a generator that the seed, the block and the cell name, or those symbols of
        the cell that the block says: rows of the user's data, all where the cell has as many, or else synthetic ones.
        """
        data, named = self.config.data, self.claim.regime.names_points(cell)

        def draw() -> tuple[np.ndarray, np.ndarray]:
            if data.source is None:
                raise ValueError("no training points were handed in: a run takes the source of synthetic ones with it")
            rng = seeds.generator(self.config.seed, f"points of {self.claim.block}", named, 0)
            X, y = data.source.draw(cell["n"], cell["d"], rng)
            for array in (X, y):
                array.setflags(write=False)
            return X, y

        key = ("points", seeds.canonical(named), data.is_brought)
        drawn: tuple[np.ndarray, np.ndarray] = self.memory.sample(key, draw)
        return drawn

    @property
    def _given(self) -> Cell:
        return {**self._of_user_data, **self.config.at}

    @property
    def _given_to_fit(self) -> Cell:
        fixed = self.claim.regime.is_fixed
        named = self.bound.symbols
        asked = {name: value for name, value in self.config.at.items() if fixed(name) and name not in named}
        return {**self._of_user_data, **asked}

    @property
    def _to_judge(self) -> list[Cell]:
        """The cells to judge, without what is measured on their points."""
        return self._fitting(self.claim.regime.select(self.config.effort, self._given), self._given)

    @property
    def _to_fit(self) -> list[Cell]:
        return self._fitting(self.claim.regime.select_calibration(self._given_to_fit), self._given_to_fit)

    @property
    def _on_user_data(self) -> bool:
        return self.claim.takes_data and self.config.data.is_brought

    @property
    def _of_user_data(self) -> Cell:
        """The symbols of the cells that the user's data fix, if the claim is about data and measures none itself."""
        if not self._on_user_data:
            return {}
        symbols = self.claim.regime.symbols - set(self.claim.regime.from_data)
        return {name: value for name, value in self.config.data.fixed.items() if name in symbols}

    def _fitting(self, cells: list[Cell], given: Values) -> list[Cell]:
        """The cells with no more samples than the user's data have rows, without repetitions."""
        if not self._on_user_data:
            return cells
        rows, complete = self.config.data.rows, self.claim.regime.complete
        fitting = [complete({**cell, "n": min(cell["n"], rows)}, given) if "n" in cell else cell for cell in cells]
        return [cell for index, cell in enumerate(fitting) if cell not in fitting[:index]]
