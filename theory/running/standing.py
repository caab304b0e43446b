"""Where cells and instances stand relative to the premises of a claim, and to what it could not miss.

Main definition: `Standing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim
from theory.claims.memory import Instance
from theory.core.values import Values
from theory.core.verdict import PremiseStatus


@dataclass(frozen=True)
class Standing:
    """The `premises` and the `bound` in force, and the `constants` that the user assigned.

    `known` has the instances that were asked about, each with the answer.
    """

    claim: Claim
    bound: Bound
    premises: tuple[Premise, ...]
    constants: Values
    known: dict[Instance, bool]

    def of_cell(self, cell: Values, limit: Any = None) -> PremiseStatus:
        """Where a cell stands relative to those premises that its own symbols decide.

        `limit` is the bound there, for a plan that fits its constant; by default it is evaluated.
        """
        values = {**self.constants, **cell}
        decided = [p for p in self.premises if all(name in values for name in p.symbols)]
        if not all(premise.holds(values) for premise in decided):
            return PremiseStatus.EXTRAPOLATED
        return PremiseStatus.TRIVIAL if self.is_trivial(cell, limit) else PremiseStatus.INSIDE

    def is_trivial(self, values: Values, limit: Any = None) -> bool:
        """Whether the bound at `values` lies beyond what the measured quantity can reach.

        Not so where nothing is said of its reach, or one of the two needs a symbol that `values` lacks.
        """
        ceiling, everything = self.claim.ceiling, {**self.constants, **values}
        if not self.claim.probability and (ceiling is None or not set(ceiling.symbols) <= set(values)):
            return False
        if limit is None:
            if not set(self.bound.symbols) <= set(values):
                return False
            limit = self.bound.evaluate(everything)
        upper = self.claim.sense == "<="
        reach = float(upper) if ceiling is None else ceiling.evaluate(everything)
        return bool(np.all(reach <= limit) if upper else np.all(limit <= reach))

    def has_inside(self, cell: Values, values: Values) -> bool:
        """Whether an instance of a cell meets the premises that drawn or measured symbols decide."""
        known, everything = {**self.constants, **cell}, {**self.constants, **values}
        return all(p.holds(everything) for p in self.premises if not all(n in known for n in p.symbols))

    def has_kept_inside(self, cell: Values, kept: Instance) -> bool:
        """As `has_inside`, for what is kept of an instance; asked once."""
        if kept not in self.known:
            self.known[kept] = self.has_inside(cell, {**kept.values, **kept.symbols})
        return self.known[kept]
