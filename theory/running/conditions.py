"""The conditions under which a claim, or one of its controls, is judged in one run.

Main definition: `Conditions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim, Control
from theory.claims.memory import Memory
from theory.claims.regime import Cell
from theory.core import seeds
from theory.core.values import Values
from theory.running.config import RunConfig
from theory.running.sizes import Sizes
from theory.running.standing import Standing


@dataclass(frozen=True)
class Conditions:
    """What a claim, or a control of it, is judged by: bound, premises and cells, and its share of the error budget.

    Its cells are those of `sizes`; where they stand relative to the premises is told by `standing`.
    """

    claim: Claim
    config: RunConfig
    alpha: float
    control: Control | None = None
    # What a claim has measured, for those of its controls that differ in the bound alone.
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    @property
    def wants_only_a_refutation(self) -> bool:
        """Whether nothing is asked but that it is refuted, as of a wrong variant of a claim."""
        return self.control is not None

    @property
    def measures_what_its_claim_did(self) -> bool:
        """Whether it is a wrong variant that leaves the measurement as it is, so that its claim has made it before."""
        return self.control is not None and not self.control.knobs

    @property
    def has_cells_of_its_own(self) -> bool:
        """Whether it is a wrong variant that is refuted at other sizes than those of its claim."""
        return self.control is not None and self.control.cells is not None

    def against(self, name: str, bound: Bound) -> Self:
        """The same case with a wrong bound, of which only a refutation is wanted."""
        return replace(self, control=Control(name, bound=bound))

    def of_its_claim(self) -> Self:
        """For a control: its claim under the same conditions, of which nothing is kept."""
        return replace(self, control=None, memory=Memory(signed=self.memory.signed))

    def asking(self, bound: Bound) -> Self:
        """The same case with another bound in force."""
        return replace(self, config=replace(self.config, bound=bound))

    @property
    def bound(self) -> Bound:
        """The bound in force."""
        if self.control is not None and self.control.bound is not None:
            return self.control.bound
        return self.config.bound if self.config.bound is not None else self.claim.bound

    @cached_property
    def premises(self) -> tuple[Premise, ...]:
        """The premises in force: those of the claim, less those that the control drops."""
        dropped = self.control.without if self.control is not None else ()
        return tuple(premise for premise in self.claim.premises if premise not in dropped)

    @cached_property
    def constants(self) -> Cell:
        """The constants of the bound that `--at` assigns."""
        return {name: number for name, number in self.config.at.items() if name in self.claim.bound.constants}

    @cached_property
    def sizes(self) -> Sizes:
        """Where it is judged."""
        return Sizes(self.claim, self.config, self.control, self.bound, self.memory)

    @property
    def cells(self) -> list[Cell]:
        """The cells to judge, smallest first."""
        return self.sizes.cells

    @cached_property
    def standing(self) -> Standing:
        """Where cells and instances stand."""
        return Standing(self.claim, self.bound, self.premises, self.constants, self.memory.inside)

    @property
    def is_replay(self) -> bool:
        """Whether one numbered trial is asked for."""
        return "trial" in self.config.at

    @property
    def knobs(self) -> Values:
        """The keywords that a control hands to the measuring function; none for the claim itself."""
        return self.control.knobs if self.control is not None else {}

    def at(self, cell: Values) -> str:
        """What is being judged and where, for who watches: claim, control if it is one, and cell."""
        wrong = f", control {self.control.name!r}," if self.control is not None else ""
        return f"{self.claim.id}{wrong} at {seeds.canonical(cell)}"

    def with_constants(self, values: Values) -> Cell:
        """`values` and the constants that `--at` assigns."""
        return {**self.constants, **values}

    def limit(self, values: Values) -> Any:
        """The bound in force at `values`, with the constants that `--at` assigns; a wrong one as `meetable` has it."""
        limit = self.bound.evaluate(self.with_constants(values))
        # A wrong step or network is told by what the claim's own bound makes of it: by a loss that rises, say.
        wrong = self.control is not None and (self.control.bound is not None or bool(self.control.without))
        return self.meetable(limit) if wrong else limit

    def meetable(self, limit: Any) -> Any:
        """The value of a wrong bound, and NaN where nothing of the measured kind meets it: missing that shows nothing.

        So an upper bound below 0 of what is never negative, by what the claim measured, and a chance above 1.
        """
        if self.claim.sense == "<=" and not self.memory.signed:
            beyond = np.less(limit, 0.0)
        elif self.claim.sense == ">=" and self.claim.probability:
            beyond = np.greater(limit, 1.0)
        else:
            return limit
        return np.where(beyond, np.nan, limit)[()] if np.any(beyond) else limit
