"""A claim as a block states it: what the decorator `theory.claims.claim` makes and everything else reads.

Main definitions: `Claim`, `Control`, and `Plan`, what every kind of evidence offers.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.points import POINTS
from theory.claims.regime import Cell, Regime
from theory.claims.results import CellResult, Evidence
from theory.claims.wrong_bounds import Retrial
from theory.core.scope import Scope, Scoped
from theory.core.values import Function, Values
from theory.core.verdict import Verdict


class Plan(ABC):
    """A way of deciding a claim.

    A plan of your own derives from this class and says `check`, `run` and `retrial`. What else is asked of a plan has
    an answer here that holds of any; where yours differs, say so in your class. No other module asks of which kind a
    plan is.
    """

    # How it is called in a ledger, and the verdict of a claim that it finds nothing against.
    method: ClassVar[str] = "a plan of its own"
    pass_verdict: ClassVar[Verdict] = Verdict.HOLDS
    # Whether it judges instances that the measuring function gives one at a time, so that one can be measured anew.
    by_instance: ClassVar[bool] = False
    # Whether these are trials 0, 1, 2, ... of a cell, of which it counts those that fail against a rate.
    counts_failures: ClassVar[bool] = False
    # Whether its worst ratio is the largest that was looked for, so that another seed may find a larger one.
    searches: ClassVar[bool] = False
    # Whether it judges its cells together, as points of one fit, so that a cell alone shows nothing.
    fits: ClassVar[bool] = False
    # Whether it measures a cell several times, and numbers these trials, where nothing is drawn as well.
    replicates_cells: ClassVar[bool] = False
    # Whether what refutes a bound by it refutes every bound that asks for more.
    is_monotone: ClassVar[bool] = False
    # Whether it draws anything: otherwise it finds the same at every seed.
    draws: ClassVar[bool] = True
    # Whether it may err, with a chance that its share of the error budget bounds.
    spends_alpha: ClassVar[bool] = True
    # Whether what it shows of a cell as measured and bound are a quantity and its bound, whose ratio tells how near.
    compares: ClassVar[bool] = True
    # Whether that bound is what a test allows at a share of the error budget, and not the formula of the claim.
    bound_is_of_test: ClassVar[bool] = False
    # Whether it judges means of draws, of which a cell takes as many as decide, up to its budget.
    averages: ClassVar[bool] = False
    # Whether it judges an equality within what chance leaves, and not within rounding.
    allows_chance: ClassVar[bool] = False
    # Whether its function gives steps, each decided for itself, which another judge can be asked again.
    gives_steps: ClassVar[bool] = False
    # Why no factor on its bound may tell how near a control came to not being refuted; empty where one always does.
    no_factor: ClassVar[str] = ""
    # Whether it calls the measuring function with the level `threshold`.
    gives_threshold: ClassVar[bool] = False
    # What the best value of a constant means that follows from its ratios; empty to tell its method alone.
    best_constant: ClassVar[str] = ""

    @property
    def rate(self) -> float | str | None:
        """The failure rate that it allows, or the symbol of the cells that is it; none where it knows no rate."""
        return None

    @property
    def constant(self) -> str | None:
        """The constant of the bound that it fits, if it fits one."""
        return None

    def of_one_cell(self) -> Plan:
        """The plan that judges one cell and makes no others of it."""
        return self

    def sketch(self, trials: int) -> Plan:
        """The plan that makes do with so many measurements of a cell, for a first look; itself where it is as quick."""
        return self

    def least_sizes(self, claim: Claim) -> Values:
        """The least value of each symbol from which on it says anything, where `--at` may ask for less."""
        return {}

    def measurements(self, case: Any) -> list[tuple[Cell, int]]:
        """How often a run measures at each cell where nothing goes wrong; none where it does not say."""
        return []

    def never_passes(self, claim: Claim) -> str:
        """Why no number of measurements lets the claim pass, whatever they come to; empty where enough of them do."""
        return ""

    def foreseen(self, case: Any, evidence: Evidence) -> str:
        """Why a whole run may leave it undecided, by a first look; empty where that is not known."""
        return ""

    def likely(self, case: Any, evidence: Evidence, cell: CellResult, number: int) -> float:
        """How often a run will most likely measure a cell, by a first look, where `measurements` says `number`."""
        return float(number)

    def of_fit(self, case: Any) -> tuple[CellResult, ...]:
        """The cells on which a constant is fitted, after a first look."""
        return ()

    def partly(self, case: Any) -> tuple[CellResult, ...]:
        """The cells that were measured, where the time was over before what they are measured for was known."""
        return tuple(case.memory.finished.values())

    def beside(self, control: Any, claim: Any, cell: CellResult) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """What a control and its claim, each a `Case`, measure at the worst instance of a cell, and their bounds.

        The cell is one of the control. The claim measures there, with the same draw; of an array the entry counts that
        is nearest to its bound.
        """
        return (cell.measured, cell.bound), claim.at_worst(cell)

    def unmoved(self, case: Any) -> str:
        """Why what it shows is no evidence where no wrong bound was refuted; empty where that is not its matter."""
        return ""

    @abstractmethod
    def check(self, claim: Claim) -> str:
        """What is missing in the block for this plan, or an empty string."""

    @abstractmethod
    def run(self, case: Any) -> Evidence:
        """Decide the case, a `theory.running.case.Case` (which holds a claim, and so stands above)."""

    @abstractmethod
    def retrial(self, case: Any, evidence: Evidence) -> Retrial | str:
        """How the case, decided with this evidence, is decided again with a wrong bound, or why it is not."""


@dataclass(frozen=True)
class Control:
    """A wrong variant of a claim, which the same machinery must refute on every run.

    `bound` replaces the bound by a wrong formula, `cells` the regime by another, where a cell may give derived symbols
    as well; `without` are premises that are not asked for, so that what fails them counts; further keywords are handed
    to the measuring function.
    """

    name: str
    bound: Bound | None = None
    cells: tuple[Values, ...] | None = None
    without: tuple[Premise, ...] = ()
    knobs: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """An executable statement. Build one with the decorator `claim`, which checks it."""

    id: str
    statement: str
    paper: str
    label: str
    title: str
    kind: str
    theme: str
    source: str
    uses: tuple[str, ...]
    bound: Bound
    sense: str
    premises: tuple[Premise, ...]
    regime: Regime
    evidence: Plan
    controls: tuple[Control, ...]
    measured: tuple[str, ...]
    ceiling: Bound | None
    probability: bool
    entries: int | str
    expected: Verdict
    printed: bool
    note: str
    needs_none: str
    blind: Mapping[str, str]
    idle: Values
    function: Function
    file: str
    line: int
    figure: Function | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    normalised: Mapping[str, Bound] = field(default_factory=dict)
    rising: Mapping[str, str] = field(default_factory=dict)
    scope: Scoped = field(default_factory=lambda: Scoped(Scope.AS_PRINTED))
    # What a form of a block adds to the docstring of its function, and the id of that block's own claim.
    says: str = ""
    form_of: str = ""

    @property
    def block(self) -> str:
        """The id of its block's own claim, by which its generators are named: forms of a block draw the same."""
        return self.form_of or self.id

    @property
    def absent(self) -> str:
        """Which package it takes and is not installed, and what installs it; empty where all are there."""
        missing = (name for name in self.packages if importlib.util.find_spec(name) is None)
        return next((f"the package {name} is not installed: {self.packages[name]}" for name in missing), "")

    def __call__(self, *values: Any, **named: Any) -> Any:
        """What the decorated function gives."""
        return self.function(*values, **named)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the positional parameters of the measuring function."""
        kinds = inspect.signature(self.function).parameters.values()
        return tuple(p.name for p in kinds if p.kind is not inspect.Parameter.KEYWORD_ONLY)

    @cached_property
    def has_points(self) -> bool:
        """Whether its cells have training points of their own, drawn once for each cell."""
        asked = set(POINTS) & set(self.parameters)
        return bool(self.regime.from_data or asked - self.regime.symbols - set(self.regime.built))

    @property
    def takes_data(self) -> bool:
        """Whether the claim is about given training points."""
        return "data" in self.parameters or self.has_points

    @cached_property
    def built_alone(self) -> dict[str, int]:
        """The sizes that all cells give one value while nothing measured takes them: what is built has no other.

        So where measurements decide that the function makes. A law may stand for other sizes, as a union over them, and
        the steps of a proof are about those that its premises name.
        """
        if not self.evidence.draws:
            return {}
        regime, cell = self.regime, self.regime.all_cells()[0]
        taken = self._taken.union(*(inspect.signature(compute).parameters for compute in regime.derived.values()))
        fixed = [name for name in cell if type(cell[name]) is int and name not in taken and regime.is_fixed(name)]
        return {name: cell[name] for name in fixed}

    @cached_property
    def followed(self) -> dict[str, tuple[str, ...]]:
        """The derived symbols that nothing measured takes, nor another derived one, and what each follows from.

        Another value would be one of the bound alone.
        """
        uses = {name: tuple(inspect.signature(compute).parameters) for name, compute in self.regime.derived.items()}
        taken = self._taken.union(*uses.values())
        return {name: parts for name, parts in uses.items() if name not in taken}

    @property
    def _taken(self) -> frozenset[str]:
        """The symbols of cells that decide what is measured."""
        regime = self.regime
        built = itertools.chain.from_iterable(parts for _, parts in regime.built.values())
        measured = (inspect.signature(compute).parameters for compute in regime.from_data.values())
        points = {"n", "d"} if self.has_points else set[str]()
        return frozenset({*self.parameters, *regime.points_of, *built, *points}).union(*measured)

    @property
    def measures(self) -> str:
        """What is measured: the docstring of the measuring function, a line for each of its paragraphs."""
        paragraphs = inspect.cleandoc(self.function.__doc__ or "").split("\n\n")
        paragraphs[-1] += f" {self.says}" if self.says else ""
        return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    @property
    def place(self) -> str:
        """Where the block stands: file and line."""
        return f"{self.file}:{self.line}"

    @property
    def names(self) -> frozenset[str]:
        """Every name a formula about this claim may use."""
        return self.regime.symbols | frozenset(self.measured) | frozenset(self.bound.constants)
