"""What a claim measured, as its plan and its controls take it up again.

Main definition: `Recollection`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from theory.claims.block import Claim, Control
from theory.claims.memory import Memory, Points, instance
from theory.claims.results import CellResult
from theory.core import seeds
from theory.core.measured import Measured
from theory.core.values import Values
from theory.running.config import RunConfig


@dataclass(frozen=True)
class Recollection:
    """What a claim, or a control of it, leaves in the claim's memory, and what it may take from there."""

    claim: Claim
    config: RunConfig
    control: Control | None
    memory: Memory

    @cached_property
    def shares(self) -> bool:
        """Whether this claim and its controls without knobs measure the same: not where the function knows the bound.

        Nor where the user moved the sizes or brought data, which controls do not see.
        """
        return not self.config.asks_elsewhere and "bound" not in self.claim.parameters

    def remember(self, key: Any, measure: Callable[[], Any]) -> Any:
        """`measure()`, or what it gave before for this key and the knobs in force."""
        turned = self.control.knobs if self.control is not None else {}
        knobs = tuple(sorted((name, repr(value)) for name, value in turned.items()))
        return self.memory.sample((key, knobs), measure)

    def keep(self, cell: Values, values: Values, trial: int, measured: Measured, limit: Any, ratio: float) -> None:
        """Keep an instance beside its bound: of the claim, and of a control at cells of its own."""
        recalled = None
        if self.control is None and self.shares and any(not control.knobs for control in self.claim.controls):
            recalled = self.memory.recalled.note(cell, values, trial, measured)
        kept = measured if recalled is None else recalled
        made = functools.partial(instance, values, trial, kept, limit, self.claim.sense, recalled is not None)
        if self.control is None:
            self.memory.keep(cell, ratio, made)
        elif self.control.cells is not None and self.control.bound is not None:
            self.memory.keep_of(self.control, cell, ratio, made)

    def find(self, cell: Values, values: Values, trial: int) -> Measured | None:
        """For a control: what its claim measured at this instance, where it measures the same and that is known."""
        if self.control is None or self.control.knobs or not self.shares:
            return None
        return self.memory.recalled.find(cell, values, trial)

    def noted(self, result: CellResult) -> CellResult:
        """The result of a cell, kept for the case that the claim does not come to its end."""
        if self.control is None:
            self.memory.finished[seeds.canonical(result.at)] = result
        return result

    def note_points(self, cell: Values, points: Points) -> None:
        """Keep measurements of a cell beside their bounds, for what is held against them."""
        self.memory.note_points(self.control, cell, points)

    def note_worst(self, cell: Values, values: Values) -> None:
        """Keep the instance at which the claim came closest to its bound, for its controls to begin with."""
        if self.control is None and not self.config.asks_elsewhere:
            self.memory.worst[seeds.canonical(cell)] = values

    def seen(self, cell: Values) -> list[Values]:
        """For a control: the instance of the claim with the worst ratio, then those whose measurement is known."""
        if self.control is None:
            return []
        worst = self.memory.worst.get(seeds.canonical(cell))
        known = [] if self.control.knobs else self.memory.recalled.instances(cell)
        return [*([] if worst is None else [worst]), *known]
