"""One run of the suite: what the user asked for, and a claim under those conditions.

Main definitions: `RunConfig`; `Case`, a claim or one of its controls, ready to be measured.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim, Control
from theory.claims.memory import Instance, Memory, Points, instance
from theory.claims.points import POINTS
from theory.claims.regime import Cell
from theory.core import seeds
from theory.core.choices import EFFORT_FACTOR
from theory.core.measured import (
    Comparison,
    Measured,
    MeasurementError,
    Outcome,
    as_measured,
    compare,
    refuse_no_probability,
)
from theory.core.sources import Source, UserData
from theory.core.verdict import PremiseStatus

Smallest = Callable[[Sequence[Premise], str, Mapping[str, Any]], int | None]


@dataclass(frozen=True)
class RunConfig:
    """What the user asked for.

    `at` and `bound` are the what-if assignments and formula. Training points come from `data`, or from
    `user_data` when the user brought some; that fixes the symbols `user_symbols` (dimension, separation) in
    every cell of a claim about data, and `user_rows` is the most points there are. `forms` lists for each statement the
    ids of all claims on it, those included that are not asked for. `smallest` solves premises for a size, where it is
    to be told which width would meet them. A claim has `time_limit` seconds, 0 for as long as it takes.
    """

    effort: str = "quick"
    seed: int = 0
    jobs: int = 1
    at: Mapping[str, Any] = field(default_factory=dict)
    bound: Bound | None = None
    data: Source | None = None
    user_data: UserData | None = None
    user_symbols: Mapping[str, Any] = field(default_factory=dict)
    user_rows: int = 0
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    smallest: Smallest | None = None
    time_limit: float = 0.0

    @property
    def factor(self) -> int:
        """Budget multiplier of the effort."""
        return EFFORT_FACTOR[self.effort]

    @property
    def declared(self) -> RunConfig:
        """The same run without what-if and user's data: the conditions under which controls are judged."""
        return replace(self, at={}, bound=None, user_data=None, user_symbols={}, user_rows=0)

    @property
    def asks_elsewhere(self) -> bool:
        """Whether the user moved the sizes or the data, so that the premises need not hold there."""
        return bool(self.at) or self.user_data is not None


@dataclass(frozen=True)
class Case:
    """A claim (or a control of it) under the conditions of one run, with its share of the error budget."""

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

    def against(self, name: str, bound: Bound) -> Case:
        """The same case with a wrong bound, of which only a refutation is wanted."""
        return replace(self, control=Control(name, bound=bound))

    def note_points(self, cell: Mapping[str, Any], points: Points) -> None:
        """Keep measurements of a cell beside their bounds, for what is held against them."""
        self.memory.note_points(self.control, cell, points)

    def remember(self, key: Any, measure: Callable[[], Any]) -> Any:
        """`measure()`, or what it gave before for this key and the knobs in force."""
        knobs = self.control.knobs if self.control is not None else {}
        return self.memory.sample((key, tuple(sorted((name, repr(value)) for name, value in knobs.items()))), measure)

    def asking(self, bound: Bound) -> Case:
        """The same case with another bound in force."""
        return replace(self, config=replace(self.config, bound=bound))

    @cached_property
    def _shares(self) -> bool:
        """Whether this claim and its controls without knobs measure the same: not where the function knows the bound.

        Nor where the user moved the sizes or brought data, which controls do not see.
        """
        return not self.config.asks_elsewhere and "bound" not in self.claim.parameters

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

    @property
    def cells(self) -> list[Cell]:
        """The cells to judge, smallest first."""
        if self.control is not None and self.control.cells is not None:
            return [self.on_points(self.claim.regime.complete(cell, cell), cell) for cell in self.control.cells]
        return [self.on_points(cell, self._given) for cell in self._sizes]

    @property
    def calibration(self) -> list[Cell]:
        """The cells on which a hidden constant is fitted: those of the block, with what user data fix.

        Nor is it fitted at another value than is asked of a symbol that has one value in the whole block and that the
        bound does not name: the constant may depend on that.
        """
        return [self.on_points(cell, self._given_to_fit) for cell in self._sizes_to_fit]

    @property
    def lacking(self) -> str:
        """What keeps a cell from being built, as in `L >= 2`, where sizes are asked about; empty where all can be."""
        return next(filter(None, map(self.claim.regime.lacks, (*self._sizes, *self._sizes_to_fit))), "")

    @property
    def _given(self) -> dict[str, Any]:
        return {**self._of_user_data, **self.config.at}

    @property
    def _given_to_fit(self) -> dict[str, Any]:
        fixed = self.claim.regime.is_fixed
        named = self.bound.symbols
        asked = {name: value for name, value in self.config.at.items() if fixed(name) and name not in named}
        return {**self._of_user_data, **asked}

    @property
    def _sizes(self) -> list[Cell]:
        """The cells to judge, without what is measured on their points."""
        return self._fitting(self.claim.regime.select(self.config.effort, self._given), self._given)

    @property
    def _sizes_to_fit(self) -> list[Cell]:
        return self._fitting(self.claim.regime.select_calibration(self._given_to_fit), self._given_to_fit)

    def on_points(self, cell: Cell, given: Mapping[str, Any]) -> Cell:
        """The cell with the symbols that are measured on its points, and those that follow; `given` stays in force."""
        regime = self.claim.regime
        return regime.on_points(cell, *self.points(cell), given) if regime.from_data else cell

    def points(self, cell: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The training points X (n, d) of a cell and their labels y (n,), which nobody may change.

        They are drawn once for a cell, by a generator that the seed, the claim and the cell name: rows of the user's
        data, all where the cell has as many, or else synthetic ones.
        """
        of_user = self.config.user_data is not None
        source = self.config.user_data if of_user else self.config.data
        named = self.claim.regime.unusual(cell)

        def draw() -> tuple[np.ndarray, np.ndarray]:
            if source is None:
                raise ValueError("no training points were handed in: a run takes the source of synthetic ones with it")
            rng = seeds.generator(self.config.seed, f"points of {self.claim.id}", named, 0)
            X, y = source.draw(cell["n"], cell["d"], rng)
            for array in (X, y):
                array.setflags(write=False)
            return X, y

        drawn: tuple[np.ndarray, np.ndarray] = self.memory.sample(("points", seeds.canonical(named), of_user), draw)
        return drawn

    @property
    def _of_user_data(self) -> dict[str, Any]:
        """The symbols of the cells that the user's data fix, if the claim is about data and measures none itself."""
        if not self.claim.takes_data or self.config.user_data is None:
            return {}
        symbols = self.claim.regime.symbols - set(self.claim.regime.from_data)
        return {name: value for name, value in self.config.user_symbols.items() if name in symbols}

    def _fitting(self, cells: list[Cell], given: Mapping[str, Any]) -> list[Cell]:
        """The cells with no more samples than the user's data have rows, without repetitions."""
        if not self.claim.takes_data or self.config.user_data is None:
            return cells
        fitting = [
            self.claim.regime.complete({**cell, "n": min(cell["n"], self.config.user_rows)}, given)
            if "n" in cell
            else cell
            for cell in cells
        ]
        return [cell for index, cell in enumerate(fitting) if cell not in fitting[:index]]

    def at(self, cell: Mapping[str, Any]) -> str:
        """What is being judged and where, for who watches: claim, control if it is one, and cell."""
        wrong = f", control {self.control.name!r}," if self.control is not None else ""
        return f"{self.claim.id}{wrong} at {seeds.canonical(cell)}"

    @property
    def is_replay(self) -> bool:
        """Whether one numbered trial is asked for."""
        return "trial" in self.config.at

    def cell_status(self, cell: Mapping[str, Any], limit: Any = None) -> PremiseStatus:
        """Where a cell stands relative to those premises that its own symbols decide.

        `limit` is the bound there, for a plan that fits its constant; by default it is evaluated.
        """
        values = self.with_constants(cell)
        decided = [p for p in self.premises if all(name in values for name in p.symbols)]
        if not all(premise.holds(values) for premise in decided):
            return PremiseStatus.EXTRAPOLATED
        return PremiseStatus.TRIVIAL if self.is_trivial(cell, limit) else PremiseStatus.INSIDE

    def is_trivial(self, values: Mapping[str, Any], limit: Any = None) -> bool:
        """Whether the bound at `values` lies beyond what the measured quantity can reach.

        Not so where nothing is said of its reach, or one of the two needs a symbol that `values` lacks.
        """
        ceiling = self.claim.ceiling
        if not self.claim.probability and (ceiling is None or not set(ceiling.symbols) <= set(values)):
            return False
        if limit is None:
            if not set(self.bound.symbols) <= set(values):
                return False
            limit = self.limit(values)
        if ceiling is None:
            reach = 1.0 if self.claim.sense == "<=" else 0.0
        else:
            reach = ceiling.evaluate(self.with_constants(values))
        return bool(np.all(reach <= limit) if self.claim.sense == "<=" else np.all(limit <= reach))

    def instance_inside(self, cell: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Whether an instance meets the premises that drawn or measured symbols decide."""
        known, everything = self.with_constants(cell), self.with_constants(values)
        return all(p.holds(everything) for p in self.premises if not all(n in known for n in p.symbols))

    def kept_inside(self, cell: Mapping[str, Any], kept: Instance) -> bool:
        """As `instance_inside`, for what is kept of an instance; asked once."""
        known = self.memory.inside
        if kept not in known:
            known[kept] = self.instance_inside(cell, {**kept.values, **kept.symbols})
        return known[kept]

    def with_constants(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """`values` and the constants that `--at` assigns."""
        given = {name: number for name, number in self.config.at.items() if name in self.claim.bound.constants}
        return {**given, **values}

    def limit(self, values: Mapping[str, Any]) -> Any:
        """The bound in force at `values`, with the constants that `--at` assigns."""
        return self.bound.evaluate(self.with_constants(values))

    def measure(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int, **services: Any) -> Any:
        """Call the claim's function on one instance.

        The generator depends on the cell and the trial number alone, so that symbols a search varies do not
        change the weights.
        """
        available = {**values, **self.claim.regime.build(values), **services}
        for name in self.claim.parameters:
            if name == "rng":
                available["rng"] = seeds.generator(
                    self.config.seed, self.claim.id, self.claim.regime.unusual(cell), trial
                )
            elif name == "data":
                user = self.config.user_data
                available["data"] = self.config.data if user is None else user
            elif name in POINTS and name not in available:
                available |= dict(zip(POINTS, self.points(cell), strict=True))
            elif name == "bound":
                available["bound"] = self.bound
        knobs = self.control.knobs if self.control is not None else {}
        return self.claim.function(**{name: available[name] for name in self.claim.parameters}, **knobs)

    def measured(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> Measured:
        """Measure one instance; raises `MeasurementError`, which says where, for what is no measurement."""
        try:
            measured = as_measured(self.measure(cell, values, trial))
            if self.claim.probability:
                refuse_no_probability(measured)
            return measured
        except MeasurementError as error:
            raise error.at(seeds.canonical(values)) from None

    def judge(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> tuple[Measured, Comparison]:
        """Measure one instance and compare it with the bound, deciding a close call in ball arithmetic."""
        measured = self.measured(cell, values, trial)
        recalled = None
        if self.control is None and self._shares and any(not control.knobs for control in self.claim.controls):
            recalled = self.memory.note(cell, values, trial, measured)
        symbols = self.with_constants({**values, **measured.symbols})
        limit = self.bound.evaluate(symbols)
        comparison = self._compare(measured, symbols, limit)
        if self.control is None:
            kept = measured if recalled is None else recalled
            made = functools.partial(instance, values, trial, kept, limit, self.claim.sense, recalled is not None)
            self.memory.keep(cell, comparison.ratio, made)
        elif self.control.cells is not None and self.control.bound is not None:
            made = functools.partial(instance, values, trial, measured, limit, self.claim.sense)
            self.memory.keep_of(self.control, cell, comparison.ratio, made)
        return measured, comparison

    def kept(self, cell: Mapping[str, Any], trials: range) -> list[Instance]:
        """What is kept of these trials of a cell: as it was measured, or measured again where a worker did it."""
        known = {kept.trial: kept for kept in self.memory.kept.get(seeds.canonical(cell), ())}
        return [known[trial] if trial in known else self._instance(cell, trial) for trial in trials]

    def _instance(self, cell: Mapping[str, Any], trial: int) -> Instance:
        measured = self.measured(cell, cell, trial)
        limit = self.limit({**cell, **measured.symbols})
        return instance(cell, trial, measured, limit, self.claim.sense)

    def note_worst(self, cell: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Keep the instance at which the claim came closest to its bound, for its controls to begin with."""
        if self.control is None and not self.config.asks_elsewhere:
            self.memory.worst[seeds.canonical(cell)] = values

    def seen(self, cell: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """For a control: the instance of the claim with the worst ratio, then those whose measurement is known."""
        if self.control is None:
            return []
        worst = self.memory.worst.get(seeds.canonical(cell))
        known = [] if self.control.knobs else self.memory.instances(cell)
        return [*([] if worst is None else [worst]), *known]

    def recall(self, cell: Mapping[str, Any], values: Mapping[str, Any], trial: int) -> tuple[Measured, Comparison]:
        """As `judge`, for a control with what its claim measured at this instance, where that is the same and known."""
        known = None
        if self.control is not None and not self.control.knobs and self._shares:
            known = self.memory.find(cell, values, trial)
        if known is None:
            return self.judge(cell, values, trial)
        symbols = self.with_constants({**values, **known.symbols})
        return known, self._compare(known, symbols, self.bound.evaluate(symbols))

    def _compare(self, measured: Measured, symbols: Mapping[str, Any], limit: Any) -> Comparison:
        """Compare with the bound `limit`, where `symbols` has the values of all symbols and constants."""
        comparison = compare(measured, limit, self.claim.sense)
        enclosure = measured.enclosure if self.claim.sense != "=" else None
        if comparison.outcome is Outcome.BORDERLINE and enclosure is not None:
            outcome, ratio = self._decide(enclosure(), self.bound.ball(**symbols)), comparison.ratio
            if outcome is Outcome.PASS:
                # Floats may have lost the bound in cancellation; what is known to be met has no larger ratio.
                ratio = min(ratio, 1.0)
            comparison = replace(comparison, outcome=outcome, ratio=ratio, decided=outcome is Outcome.PASS)
            if not comparison.unsure:
                comparison = replace(comparison, close=False, blank=0.0)
        return comparison

    def _decide(self, measured: Any, bound: Any) -> Outcome:
        """Three-valued comparison of two enclosures; an undecided pair stays borderline."""
        small, large = (measured, bound) if self.claim.sense == "<=" else (bound, measured)
        if bool(small <= large):
            return Outcome.PASS
        return Outcome.FAIL if bool(small > large) else Outcome.BORDERLINE
