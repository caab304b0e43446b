"""A claim, or one of its controls, under the conditions of one run.

Main definition: `Case`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim, Control
from theory.claims.memory import Instance, Memory, Points, instance
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
    is_below_zero,
    nearest,
    refuse_another_count,
    refuse_contradicted,
    refuse_no_probability,
    refuse_replaced,
)
from theory.core.values import Values
from theory.running.comparing import compared
from theory.running.config import RunConfig
from theory.running.sizes import Sizes
from theory.running.standing import Standing


@dataclass(frozen=True)
class Case:
    """A claim (or a control of it) under the conditions of one run, with its share of the error budget.

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

    def against(self, name: str, bound: Bound) -> Case:
        """The same case with a wrong bound, of which only a refutation is wanted."""
        return replace(self, control=Control(name, bound=bound))

    def asking(self, bound: Bound) -> Case:
        """The same case with another bound in force."""
        return replace(self, config=replace(self.config, bound=bound))

    # ------------------------------------------------------------------ conditions

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

    # ------------------------------------------------------------------- measuring

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
        recalled = None
        if self.control is None and self.shares and any(not control.knobs for control in self.claim.controls):
            recalled = self.memory.recalled.note(cell, values, trial, measured)
        symbols = self.with_constants({**values, **measured.symbols})
        limit = self.limit(symbols)
        if self.control is None and not self.memory.signed:
            self.memory.signed = is_below_zero(measured)
        comparison = compared(measured, self.bound, symbols, limit, self.claim.sense)
        kept = measured if recalled is None else recalled
        made = functools.partial(instance, values, trial, kept, limit, self.claim.sense, recalled is not None)
        if self.control is None:
            self.memory.keep(cell, comparison.ratio, made)
        elif self.control.cells is not None and self.control.bound is not None:
            self.memory.keep_of(self.control, cell, comparison.ratio, made)
        return measured, comparison

    def again(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> tuple[Comparison, Cell]:
        """As `judge`, for an instance that was judged before, with what its symbols were measured as where it is worst.

        It is measured again, whatever another claim of its block measured there. Raises `MeasurementError` where its
        ball contradicts its number and the error that this is said to have.
        """
        alone = replace(self, memory=replace(self.memory, of_block=None))
        measured, comparison = alone.judge(cell, values, trial)
        if measured.ball is not None:
            refuse_contradicted(measured, measured.ball())
        return comparison, comparison.at_worst(measured.symbols)

    def of_its_claim(self) -> Case:
        """For a control: its claim under the same conditions, of which nothing is kept."""
        return replace(self, control=None, memory=Memory(signed=self.memory.signed))

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

    # ----------------------------------------------------------- what was measured

    @cached_property
    def shares(self) -> bool:
        """Whether this claim and its controls without knobs measure the same: not where the function knows the bound.

        Nor where the user moved the sizes or brought data, which controls do not see.
        """
        return not self.config.asks_elsewhere and "bound" not in self.claim.parameters

    def remember(self, key: Any, measure: Callable[[], Any]) -> Any:
        """`measure()`, or what it gave before for this key and the knobs in force."""
        knobs = tuple(sorted((name, repr(value)) for name, value in self.knobs.items()))
        return self.memory.sample((key, knobs), measure)

    def kept(self, cell: Values, trials: range) -> list[Instance]:
        """What is kept of these trials of a cell: as it was measured, or measured again where a worker did it."""
        known = {kept.trial: kept for kept in self.memory.kept.get(seeds.canonical(cell), ())}
        return [known[trial] if trial in known else self._instance(cell, trial) for trial in trials]

    def _instance(self, cell: Values, trial: int) -> Instance:
        measured = self.measured(cell, cell, trial)
        limit = self.limit({**cell, **measured.symbols})
        return instance(cell, trial, measured, limit, self.claim.sense)

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
        known = [] if self.knobs else self.memory.recalled.instances(cell)
        return [*([] if worst is None else [worst]), *known]

    def recall(self, cell: Values, values: Values, trial: int) -> tuple[Measured, Comparison]:
        """As `judge`, for a control with what its claim measured at this instance, where that is the same and known."""
        known = None
        if self.measures_what_its_claim_did and self.shares:
            known = self.memory.recalled.find(cell, values, trial)
        if known is None:
            return self.judge(cell, values, trial)
        symbols = self.with_constants({**values, **known.symbols})
        return known, compared(known, self.bound, symbols, self.limit(symbols), self.claim.sense)
