"""A claim, or one of its controls, under the conditions of one run.

Main definition: `Case`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from theory.claims.memory import Instance, instance
from theory.claims.points import POINTS
from theory.claims.regime import Cell, limit_of
from theory.claims.results import CellResult
from theory.claims.what_if import completed
from theory.core import seeds
from theory.core.measured import (
    Comparison,
    Measured,
    MeasurementError,
    as_measured,
    error_beside,
    is_below_zero,
    nearest,
    refuse_another_count,
    refuse_contradicted,
    refuse_no_probability,
    refuse_replaced,
)
from theory.core.values import Values
from theory.running.comparing import compared
from theory.running.conditions import Conditions
from theory.running.recollection import Recollection


@dataclass(frozen=True)
class Case(Conditions):
    """A claim (or a control of it) under the conditions of one run: it measures, and compares with the bound.

    What was measured before is that of `recollection`.
    """

    @cached_property
    def recollection(self) -> Recollection:
        """What was measured before, and what is kept of what is measured now."""
        return Recollection(self.claim, self.config, self.control, self.memory)

    def measure(self, cell: Values, values: Values, trial: int, **services: Any) -> Any:
        """Call the claim's function on one instance.

        The generator depends on the cell and the trial number alone, so that symbols a search varies do not
        change the weights.
        """
        available = {**values, **self.claim.regime.build(values), **services}
        for name in self.claim.parameters:
            if name == "rng":
                available["rng"] = seeds.generator(
                    self.config.seed, self.claim.block, self.claim.regime.unusual(cell), trial
                )
            elif name == "data":
                available["data"] = self.config.data.source
            elif name in POINTS and name not in available:
                available |= dict(zip(POINTS, self.sizes.points(cell), strict=True))
            elif name == "bound":
                available["bound"] = completed(self.bound, self.claim.bound, values)
        return self.claim.function(**{name: available[name] for name in self.claim.parameters}, **self.knobs)

    def measured(self, cell: Values, values: Values, trial: int) -> Measured:
        """Measure one instance, or recall what another claim of its block measured at it.

        Raises `MeasurementError`, which says where, for what is no measurement.
        """
        try:
            measured = self._measured_in_block(cell, values, trial)
            if self.claim.probability:
                refuse_no_probability(measured)
            if self.claim.entries and self.control is None:
                refuse_another_count(measured, limit_of(self.claim.entries, values))
            if self.control is None and measured.symbols:
                refuse_replaced(measured, self._given(values), self.claim.measured)
            return measured
        except MeasurementError as error:
            raise error.at(seeds.canonical(values)) from None

    def _measured_in_block(self, cell: Values, values: Values, trial: int) -> Measured:
        block, claim = self.memory.of_block, self.claim
        if block is None or self.control is not None or "bound" in claim.parameters:
            return as_measured(self.measure(cell, values, trial))
        known = block.find(claim.id, claim.regime, cell, values, trial)
        if known is not None:
            return known
        measured = as_measured(self.measure(cell, values, trial))
        block.note(claim.id, claim.regime, cell, values, trial, measured)
        return measured

    def _given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What the block gives a value that is no measurement's to give: symbols of an instance, and constants."""
        stated = (p.constants for p in self.premises)
        constants = itertools.chain(self.bound.constants.items(), *(known.items() for known in stated))
        return {**{name: float(constant) for name, constant in constants}, **self.with_constants(values)}

    def judge(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> tuple[Measured, Comparison]:
        """Measure one instance and compare it with the bound, deciding a close call in ball arithmetic."""
        measured = self.measured(cell, values, trial)
        symbols = self.with_constants({**values, **measured.symbols})
        limit = self.limit(symbols)
        if self.control is None and not self.memory.signed:
            self.memory.signed = is_below_zero(measured)
        comparison = compared(measured, self.bound, symbols, limit, self.claim.sense)
        self.recollection.keep(cell, values, trial, measured, limit, comparison.ratio)
        return measured, comparison

    def again(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> tuple[Comparison, Cell]:
        """As `judge`, for an instance that was judged before, with what its symbols were measured as where it is worst.

        It is measured again, whatever another claim of its block measured there. Raises `MeasurementError` where its
        ball contradicts its number and the error that this is said to have.
        """
        alone = replace(self, memory=replace(self.memory, of_block=None))
        measured, comparison = alone.judge(cell, values, trial)
        if measured.ball is not None:
            ball = measured.ball()
            refuse_contradicted(measured, ball)
            comparison = replace(comparison, error=error_beside(comparison.measured, ball, comparison.error))
        return comparison, comparison.at_worst(measured.symbols)

    def at_worst(self, found: CellResult) -> tuple[float, float]:
        """What is measured at the worst instance of a cell, and the bound; of an array, the entry nearest to its bound.

        A constant that is fitted counts as 1, which changes nothing of which that is.
        """
        worst = {name: value for name, value in found.worst.items() if name != "trial"}
        trial = int(found.worst.get("trial", 0))
        measured = self.measured(found.at, worst, trial)
        fitted = self.claim.evidence.constant
        known = {**self.with_constants({**worst, **measured.symbols}), **({} if fitted is None else {fitted: 1.0})}
        return nearest(measured.value, self.bound.evaluate(known), self.claim.sense)

    def kept(self, cell: Values, trials: range) -> list[Instance]:
        """What is kept of these trials of a cell: as it was measured, or measured again where a worker did it."""
        known = {kept.trial: kept for kept in self.memory.kept.get(seeds.canonical(cell), ())}
        return [known[trial] if trial in known else self._instance(cell, trial) for trial in trials]

    def _instance(self, cell: Values, trial: int) -> Instance:
        measured = self.measured(cell, cell, trial)
        limit = self.limit({**cell, **measured.symbols})
        return instance(cell, trial, measured, limit, self.claim.sense)

    def recall(self, cell: Values, values: Values, trial: int) -> tuple[Measured, Comparison]:
        """As `judge`, for a control with what its claim measured at this instance, where that is the same and known."""
        known = self.recollection.find(cell, values, trial)
        if known is None:
            return self.judge(cell, values, trial)
        symbols = self.with_constants({**values, **known.symbols})
        return known, compared(known, self.bound, symbols, self.limit(symbols), self.claim.sense)
