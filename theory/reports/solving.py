"""What the premises of one claim ask for, found without a trial: width, step size, radius, number of steps and depth.

Main definitions: `need_of`, from a claim to a `Need`, with a `PremiseNeed` for each premise; `unsolved`, the same
before the search; `Solvers`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bounds.decisions.region import Number, largest, smallest
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, domain_of
from theory.claims.block import Claim
from theory.core.scope import Scope
from theory.core.seeds import said
from theory.core.verdict import Verdict
from theory.running.case import Case
from theory.running.config import RunConfig

WIDTH = "m"

# The largest width of a layer, in a claim with a premise that compares it with the least one: they are taken as equal.
WIDEST = "M"

# What may be chosen where a premise fails at the value of the cell, in this order: of the first the largest value that
# the premises leave is sought, of the next the least; all at the width that is asked for or the least one. Those that
# count neurons are no more than the width.
RADII = ("eta", "tau", "omega", "h", "betaplus")
LARGEST = (*RADII, "L")
STEPS = ("K", "T", "k")
COUNTS = ("s", "rows", "N4")
LEAST = (*STEPS, *COUNTS, "dev")
CHOSEN = (*RADII, *LEAST, "L")
SMALLEST_REAL, LARGEST_REAL = 1e-300, 1e300
LARGEST_INTEGER = 10**18
# As many steps as one likes: those of a theorem grow with powers of the number of points.
ANY_NUMBER = 10**300

# So many ranges are looked at for one number: a fraction of a second.
STEPS_OF_ONE_SEARCH = 2000

# A width that is trained every day.
MODERATE_WIDTH = 10**4

# Bits of the longest width at which premises are tried together.
LONGEST_WIDTH = 20_000

# Symbols that follow from the width are computed in doubles, so that no larger width is tried with them.
LARGEST_COMPUTED = 2**1000

# Up to this power of two a constant is changed, so that premises hold at a width; and how near a bisection comes.
MOST_CHANGED = 1000
NEARNESS = 1e-9

GAVE_UP = "undecided"
NO_WIDTH = "no width at these sizes"

HOLDS, FAILS, MEASURED = "holds", "fails", "measured"


class _NotComputedError(ArithmeticError):
    """A symbol that follows from the width has no value at some width."""


@dataclass(frozen=True)
class Solvers:
    """What solves premises for one symbol, from the left and from the right.

    What was found is kept: many claims share premises and sizes.
    """

    smallest: Callable[..., int | None] = smallest
    largest: Callable[..., Number | None] = largest
    _known: dict[Hashable, Number | ArithmeticError | None] = field(default_factory=dict, compare=False, repr=False)

    def least(self, premises: Sequence[Premise], name: str, values: Mapping[str, Any], low: int = 1) -> int | None:
        """The least integer `name` from `low` on, up to one part in 2**40. Raises `ArithmeticError`, as `most`.

        1 is nothing but the least where 2 will do as well: there many a premise holds because log(1) is 0.
        """

        def search() -> int | None:
            most = {"boxes": STEPS_OF_ONE_SEARCH, "exact": False}
            found = self.smallest(premises, name, values, low=max(low, 2), **most)
            return self.smallest(premises, name, values, low=low, high=2, **most) if found == 2 and low == 1 else found

        found = self._kept(("least", low), premises, name, values, search)
        return None if found is None else int(found)

    def most(
        self, premises: Sequence[Premise], name: str, values: Mapping[str, Any], low: Number, high: Number
    ) -> Number | None:
        """The largest `name` from `low` to `high`."""

        def search() -> Number | None:
            return self.largest(premises, name, values, low, high, boxes=STEPS_OF_ONE_SEARCH)

        return self._kept(("most", low, high), premises, name, values, search)

    def _kept(
        self,
        what: Hashable,
        premises: Sequence[Premise],
        name: str,
        values: Mapping[str, Any],
        search: Callable[[], Number | None],
    ) -> Number | None:
        key = (what, name, tuple(_identity(premise, name, values) for premise in premises))
        if key not in self._known:
            try:
                self._known[key] = search()
            except ArithmeticError as error:
                self._known[key] = error
        found = self._known[key]
        if isinstance(found, ArithmeticError):
            raise found
        return found


def _identity(premise: Premise, name: str, values: Mapping[str, Any]) -> Any:
    """What a premise says of a symbol: its text, its constants and the other symbols' values."""
    constants = tuple((n, float(values.get(n, constant))) for n, constant in premise.constants.items())
    return premise.text, constants, tuple((other, values.get(other)) for other in premise.symbols if other != name)


@dataclass(frozen=True)
class PremiseNeed:
    """One premise of a claim, at the width that is asked for or else at the least one.

    `status` is "holds", "fails", or "measured" where it has symbols that no size decides. `words` say what it asks for.
    `constants` are the values in force, `best` those of a ledger: the least demanding ones that a cell which passed
    still meets. `enough` are values with which it holds at the width that is asked for, and the other premises of the
    claim too; nothing where it holds without, or none do. `width` is the least width that the premise asks for alone,
    and nothing where it asks for none or none was found.
    """

    text: str
    latex: str
    status: str
    constants: Mapping[str, float] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    enough: Mapping[str, float] = field(default_factory=dict)
    width: int | None = None
    words: str = ""


@dataclass(frozen=True)
class Need:
    """What one claim asks for.

    `width` is the least width that meets the premises, 1 where the width is in none, and nothing where there is none or
    it was not found: then `why` says so, and `lacking` has the premises that fail whatever the width. `costliest` is
    the premise that alone asks for the most. `kept` are the symbols that follow from the width and stand in its
    premises with the value they have in the cell, as they cannot be computed at the widths that were tried. `chosen`
    are sizes that differ from those of the cell, as premises fail with these. `sizes` has the largest step size, radius
    and depth and the least number of steps that the premises leave; `unsolved` those for which none was found. `within`
    says whether the width asked for is enough. `verdict` is that of its row, and `scope` what of its statement it is
    about.
    """

    id: str
    statement: str
    printed: bool
    at: str
    premises: tuple[PremiseNeed, ...]
    width: int | None
    why: str = ""
    costliest: str = ""
    kept: tuple[str, ...] = ()
    sizes: Mapping[str, float] = field(default_factory=dict)
    unsolved: tuple[str, ...] = ()
    within: bool | None = None
    lacking: tuple[str, ...] = ()
    chosen: Mapping[str, float] = field(default_factory=dict)
    verdict: str = ""
    scope: str = ""

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.id.split(":")[0]

    @property
    def asks(self) -> bool:
        """Whether it has any premise."""
        return bool(self.premises)

    @property
    def is_false(self) -> bool:
        """Whether it is a printed form that is refuted."""
        return self.printed and self.verdict == Verdict.REFUTED

    @property
    def is_repair(self) -> bool:
        """Whether its block declares it as the whole statement, corrected."""
        return self.scope == Scope.REPAIRED

    def of(self, status: str) -> list[PremiseNeed]:
        """The premises with this status."""
        return [premise for premise in self.premises if premise.status == status]


@dataclass(frozen=True)
class _Place:
    """The symbols of a claim: those of its first cell, and at other widths those that follow from the width.

    `following` computes the ones that its premises need, in their order.
    """

    fixed: Mapping[str, Any]
    following: Mapping[str, Callable[..., Any]]

    def at(self, width: int) -> dict[str, Any]:
        """The symbols at a width. Raises `_NotComputedError` where one that follows from it has no value there."""
        found = {**self.fixed, WIDTH: width}
        for name, compute in self.following.items():
            needed = {parameter: found[parameter] for parameter in inspect.signature(compute).parameters}
            try:
                with np.errstate(all="ignore"):
                    value = compute(**needed)
            except (ArithmeticError, ValueError, TypeError, AttributeError):
                raise _NotComputedError(f"{name} cannot be computed at this width") from None
            found[name] = value.item() if isinstance(value, np.generic) else value
            if not self._may_have(name, found[name]):
                raise _NotComputedError(f"{name} has no value at this width that it may have")
        return found

    def _may_have(self, name: str, value: Any) -> bool:
        """Whether a computed value is finite and, as that of the cell is, in the domain of its symbol."""
        if isinstance(value, float) and not math.isfinite(value):
            return False
        domain, known = domain_of(name), self.fixed.get(name)
        return domain is None or known is None or not domain.contains(known) or bool(domain.contains(value))

    def near(self, width: int) -> dict[str, Any]:
        """The same, with the values of the cell where they cannot be computed."""
        try:
            return self.at(width)
        except _NotComputedError:
            return {**self.fixed, WIDTH: width}

    def moves(self, premise: Premise) -> bool:
        """Whether a symbol of a premise follows from the width."""
        return not self.following.keys().isdisjoint(premise.symbols)


def unsolved(claim: Claim, verdict: str = "") -> Need:
    """What is known of a claim before its premises are looked at: as if it had none."""
    verdict = verdict or str(claim.expected)
    return Need(claim.id, claim.statement, claim.printed, "", (), 1, verdict=verdict, scope=str(claim.scope.scope))


def need_of(claim: Claim, config: RunConfig, solvers: Solvers, verdict: str = "") -> Need:
    """What one claim asks for at its first cell, with what `config` assigns: sizes, constants, the user's data.

    `verdict` is that of its row, or else the one that its block expects.
    """
    found = replace(unsolved(claim, verdict), within=None if config.at.get(WIDTH) is None else True)
    # Most claims have no premises, and then there is nothing to find out.
    return _Search(claim, config, solvers).fill(found) if claim.premises else found


@dataclass(frozen=True)
class _Found:
    """A width or why there is none, the costliest premise, symbols kept as in the cell, premises that always fail."""

    width: int | None
    why: str = ""
    costliest: str = ""
    kept: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass
class _Search:
    """The search for what one claim asks for; `chosen` are the sizes that were chosen in place of those of the cell."""

    claim: Claim
    config: RunConfig
    solvers: Solvers
    chosen: dict[str, Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.place = self._placed({})
        known = {name for name, value in self.place.fixed.items() if not isinstance(value, str)}
        self.known = known | {WIDTH}
        self.decided = [p for p in self.claim.premises if set(p.symbols) <= self.known]

    def _placed(self, chosen: Mapping[str, Number]) -> _Place:
        """The symbols of the claim with these sizes chosen."""
        return _place(self.claim, self.config, chosen)

    def fill(self, need: Need) -> Need:
        """`need` with what the premises ask for."""
        self._choose([p for p in self.decided if not self._wide(p)], self.place.fixed)
        place, settled, asked = self.place, dict(self.chosen), self.config.at.get(WIDTH)
        wide = [p for p in self.decided if self._wide(p) and not self._limits_a_size(p)]
        alone = {_key(p): _alone(p, place, self.solvers) for p in wide}
        found = self._jointly(_width(wide, alone, place, self.solvers))
        if any(WIDTH in p.symbols and self._unmeasured & set(p.symbols) for p in self.claim.premises):
            # The points did not give what this premise compares the width with.
            found = _Found(None, GAVE_UP)
        there = asked if asked is not None else found.width
        if asked is not None:
            # What was chosen for the least width need not be the best at this one.
            self.chosen = settled
            self.place = self._placed(settled)
        values = dict(self.place.fixed) if there is None else self.place.near(there)
        tried = self.decided if there is not None else [p for p in self.decided if not self._wide(p)]
        if there is not None:
            values = self._choose(tried, values, there)
        sizes, unsolved = self._sizes(tried, values, there)
        status = {_key(p): HOLDS if _holds(p, values) else FAILS for p in tried}
        fits = there is None or all(self.chosen.get(name, 0) <= there for name in COUNTS)
        enough = found.width is not None and fits and all(value == HOLDS for value in status.values())
        meeting = {} if asked is None or enough else _constants_that_meet(tried, values)
        left = _symbols(self.decided) - {WIDTH, *place.following, *self.chosen}
        return replace(
            need,
            at=said({name: self.place.fixed[name] for name in sorted(left)}),
            premises=tuple(
                PremiseNeed(
                    text=p.text,
                    latex=p.latex,
                    status=status.get(_key(p), MEASURED),
                    words=p.note,
                    constants={n: float(values.get(n, constant)) for n, constant in p.constants.items()},
                    enough=meeting.get(_key(p), {}),
                    width=alone.get(_key(p)),
                )
                for p in self.claim.premises
            ),
            width=found.width,
            why=found.why,
            costliest=found.costliest,
            kept=found.kept,
            sizes=sizes,
            unsolved=unsolved,
            within=None if asked is None or found.why == GAVE_UP else enough,
            lacking=found.lacking,
            chosen=dict(self.chosen),
        )

    @property
    def _unmeasured(self) -> set[str]:
        return set(self.claim.regime.following) - self.known

    def _wide(self, premise: Premise) -> bool:
        """Whether the width, or what follows from it, stands in a premise."""
        return WIDTH in premise.symbols or self.place.moves(premise)

    def _limits_a_size(self, premise: Premise) -> bool:
        """Whether a step or radius that is small enough, or a number that is large enough, meets a premise at a
        moderate width: it asks for no width then.
        """
        free = {name for name in premise.symbols if self._is_free(name) or name in RADII}
        moved = {name: SMALLEST_REAL for name in RADII if name in free}
        moved |= {name: ANY_NUMBER for name in LEAST if name in free}
        return bool(moved) and _holds(premise, {**self.place.near(MODERATE_WIDTH), **moved})

    def _is_free(self, name: str) -> bool:
        """Whether a size may be chosen: the cell has it, the user gives none, and it does not follow from the width."""
        fixed = self.place.fixed
        return name in fixed and name not in self.config.at and name not in self.place.following

    def _choose(
        self, premises: Sequence[Premise], values: Mapping[str, Any], width: int | None = None
    ) -> dict[str, Any]:
        """The values with sizes chosen anew for which premises that fail hold, as far as there are any."""
        values = dict(values)
        for name in CHOSEN:
            failing = [p for p in premises if name in p.symbols and not _holds(p, values)]
            if not failing or not self._is_free(name):
                continue
            among = [p for p in premises if name not in RADII or not self._met_by_more(p, values)]
            having, moving = self._having(name, among)
            size = self._solve(name, having, moving, values, width)
            if size is None:
                continue
            self.chosen[name] = size
            self.place = self._placed(self.chosen)
            values = dict(self.place.fixed) if width is None else self.place.near(width)
        return values

    def _met_by_more(self, premise: Premise, values: Mapping[str, Any]) -> bool:
        """Whether a number that may be chosen meets a premise where it is large, as steps do: it is found later."""
        more = {name: ANY_NUMBER for name in LEAST if name in premise.symbols and self._is_free(name)}
        return bool(more) and _holds(premise, {**values, **more})

    def _jointly(self, found: _Found) -> _Found:
        """What was found of the width, where all other premises can be met at it; else a larger one where they can."""
        if found.why == NO_WIDTH:
            return found
        before, place = dict(self.chosen), self.place

        def failing(width: int) -> list[str]:
            self.chosen, self.place = dict(before), place
            values = self._choose(self.decided, self.place.near(width), width)
            many = [name for name in COUNTS if self.chosen.get(name, 0) > width]
            fails = [p.text for p in self.decided if not _holds(p, values)]
            return fails + [next(p.text for p in self.decided if name in p.symbols) for name in many]

        if found.width is None:
            lacking = [p.text for p in self.decided if not self._wide(p) and not _holds(p, self.place.fixed)]
            return replace(found, why=NO_WIDTH, lacking=tuple(lacking)) if lacking else found
        try:
            fails = failing(found.width)
            if not fails:
                return found
            # Those without the width cannot be mended by a larger one, nor by what is chosen.
            values = self.place.near(found.width)
            lasting = {p.text for p in self.decided if not self._wide(p) and not _holds(p, values)}
            below, above, growth = found.width, max(2, found.width), 1
            while not lasting and (now := failing(above)):
                below, fails = above, now
                if above.bit_length() > LONGEST_WIDTH:
                    break
                above <<= growth
                growth *= 2
            else:
                if not lasting:
                    while above - below > max(1, above >> 40):
                        middle = math.isqrt(below * above) if above > 4 * below else (below + above) // 2
                        if now := failing(middle):
                            below, fails = middle, now
                        else:
                            above = middle
                    failing(above)
                    return replace(found, width=above, costliest=fails[0])
        except ArithmeticError:
            return replace(found, width=None, why=GAVE_UP)
        self.chosen, self.place = before, place
        return _Found(None, NO_WIDTH, kept=found.kept, lacking=tuple(sorted(lasting) or fails))

    def _having(self, name: str, premises: Sequence[Premise]) -> tuple[list[Premise], bool]:
        """The premises with a symbol, or with one that is computed from it, and whether there are any of these."""
        computed = set(_following(self.claim, name)) & _symbols(premises)
        return [p for p in premises if {name, *computed} & set(p.symbols)], bool(computed)

    def _solve(
        self, name: str, having: Sequence[Premise], moving: bool, values: Mapping[str, Any], width: int | None
    ) -> Number | None:
        """The largest or least value of a symbol with which premises hold; None where there is none or any will do."""
        domain = SYMBOLS[name].domain
        high = LARGEST_INTEGER if domain.integer else min(LARGEST_REAL, domain.high)
        if moving or (name in LEAST and not domain.integer):
            return self._by_trial(name, having, values, width, high)
        try:
            if name in LEAST:
                return self.solvers.least(having, name, values)
            size = self.solvers.most(having, name, values, 1 if domain.integer else SMALLEST_REAL, high)
        except ArithmeticError:
            return None
        # What reaches the end of the search is not limited by the premises.
        return None if size == high else size

    def _by_trial(
        self, name: str, having: Sequence[Premise], values: Mapping[str, Any], width: int | None, high: Number
    ) -> Number | None:
        """The same of a symbol from which others are computed, that have no intervals: values are tried one by one.

        It is taken that the premises turn once between those that are tried, of which each is twice the one before.
        """

        def holds(value: Number) -> bool:
            try:
                place = self._placed({**self.chosen, name: value})
                there = {**(place.fixed if width is None else place.at(width)), name: value}
                return all(_holds(p, there) for p in having)
            except (ArithmeticError, ValueError, KeyError):
                return False

        rising = name in LEAST
        integer = isinstance(high, int)
        start: Number = values[name]
        good, bad = start, start
        while holds(good) is False:
            bad, good = good, (good * 2 if rising else good // 2 if integer else good / 2)
            if not SMALLEST_REAL < good < high or (integer and good < 1):
                return None
        if bad == good:
            while holds(bad):
                good, bad = bad, (bad * 2 if not rising else bad // 2 if integer else bad / 2)
                if not SMALLEST_REAL < bad < high:
                    return good if rising else None
        while abs(good - bad) > (1 if integer else NEARNESS * good):
            middle = (good + bad) // 2 if integer else (good + bad) / 2
            if holds(middle):
                good = middle
            else:
                bad = middle
        return good

    def _sizes(
        self, premises: Sequence[Premise], values: Mapping[str, Any], width: int | None
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        """The largest step size, radius and depth and the least number of steps that the premises with them leave.

        Each is found with the others as they are in the cell, but the steps with the largest step size. The second list
        has those for which none was found, although one that is computed from them stands in the premises.
        """
        place = dict(values)
        found: dict[str, float] = {}
        unsolved = []
        for name in (*LARGEST, *LEAST):
            # How many steps a step size asks for is found after it.
            later = () if name in LEAST else STEPS
            among = [p for p in premises if not set(later) & set(p.symbols)]
            having, moving = self._having(name, among)
            if not having or name not in place or isinstance(place[name], str):
                continue
            size = self._solve(name, having, moving, place, width)
            if size is None:
                if moving and not all(_holds(p, place) for p in having):
                    unsolved.append(name)
                continue
            found[name] = size
            if name == "eta":
                place[name] = size
        return found, tuple(unsolved)


def _constants_that_meet(premises: Sequence[Premise], values: Mapping[str, Any]) -> dict[Hashable, dict[str, float]]:
    """For each premise that fails values of its constants with which all hold together; empty where none were found.

    Of the constants of a premise the one is changed that need be changed least. Those of one name and value are one.
    """
    changed: dict[tuple[str, float], float] = {}

    def now(premise: Premise) -> dict[str, float]:
        mine = {name: float(values.get(name, constant)) for name, constant in premise.constants.items()}
        return {name: changed.get((name, value), value) for name, value in mine.items()}

    for premise in premises:
        if _holds(premise, {**values, **now(premise)}):
            continue
        found = {
            (name, float(values.get(name, premise.constants[name]))): value
            for name in premise.constants
            if (value := _nearest_constant(premise, name, {**values, **now(premise)})) is not None
        }
        if not found:
            return {}
        best = min(found, key=lambda key: abs(math.log(found[key] / key[1])))
        changed[best] = found[best]
    if not all(_holds(p, {**values, **now(p)}) for p in premises):
        return {}
    failing = [p for p in premises if not _holds(p, values)]
    return {_key(p): {n: v for n, v in now(p).items() if v != values.get(n, p.constants[n])} for p in failing}


def _nearest_constant(premise: Premise, name: str, values: Mapping[str, Any]) -> float | None:
    """The value of a constant nearest to the one in force with which a premise holds, to three digits; None if none."""
    start = float(values[name])
    found = []
    for sign in (-1, 1):

        def holds(power: float, sign: int = sign) -> bool:
            value = _digits(start, sign * power)
            return value > 0.0 and math.isfinite(value) and _holds(premise, {**values, name: value})

        above = 1.0
        while above <= MOST_CHANGED and not holds(above):
            above *= 2
        if above > MOST_CHANGED or start <= 0.0:
            continue
        below = 0.0 if above == 1.0 else above / 2
        while above - below > 1e-4:
            middle = (below + above) / 2
            below, above = (below, middle) if holds(middle) else (middle, above)
        found.append((above, _digits(start, sign * above)))
    return min(found)[1] if found else None


def _digits(start: float, power: float) -> float:
    """start * 2**power, to three digits."""
    try:
        return float(f"{start * 2.0**power:.2e}")
    except OverflowError:
        return math.inf


def _place(claim: Claim, config: RunConfig, chosen: Mapping[str, Number]) -> _Place:
    """The symbols of the first cell with what is assigned or `chosen`, and the constants that --at gives."""
    given: dict[str, Any] = {}
    if config.data.is_brought:
        # The number of points and their separation mean the same everywhere; a dimension may be another one.
        given = {name: value for name, value in config.data.fixed.items() if claim.takes_data or name != "d"}
        given["n"] = config.data.rows
    given |= {**config.at, **chosen}
    first = claim.regime.cells[0] if claim.regime.cells else {}
    cell = _on_points(claim, config, claim.regime.complete(first, {n: v for n, v in given.items() if n != WIDTH}))
    # What a search or a trial would draw is known where it is given, and a constant has another value there.
    drawn, constants = claim.regime.draw, {name for p in claim.premises for name in p.constants}
    fixed = {name: value for name, value in cell.items() if name not in drawn}
    fixed |= {name: value for name, value in given.items() if name in drawn}
    fixed |= {name: value for name, value in config.at.items() if name in constants and name not in fixed}
    widest: dict[str, Callable[..., Any]] = {}
    if WIDEST in cell and WIDEST not in given and any({WIDTH, WIDEST} == set(p.symbols) for p in claim.premises):
        widest = {WIDEST: lambda m: m}
    later = [n for symbol in (WIDTH, *widest) for n in _following(claim, symbol)]
    derived = {n: claim.regime.derived[n] for n in claim.regime.derived if n in later}
    following = widest | {n: compute for n, compute in derived.items() if n in cell and n not in given}
    needed = _symbols(claim.premises)
    for name in reversed(following):
        if name in needed:
            needed |= set(inspect.signature(following[name]).parameters)
    return _Place(fixed, {name: compute for name, compute in following.items() if name in needed})


def _key(premise: Premise) -> Hashable:
    """What tells the premises of a claim apart: two may have one text and different constants."""
    return premise.text, tuple((name, float(constant)) for name, constant in premise.constants.items())


def _symbols(premises: Iterable[Premise]) -> set[str]:
    return {name for premise in premises for name in premise.symbols}


def _on_points(claim: Claim, config: RunConfig, cell: dict[str, Any]) -> dict[str, Any]:
    """The cell with what is measured on its points, all rows of the data; without it where that cannot be measured."""
    if not claim.regime.from_data:
        return cell
    try:
        return Case(claim, config, alpha=0.0).sizes.on_points(cell, {n: v for n, v in config.at.items() if n != WIDTH})
    except (ArithmeticError, MemoryError, ValueError):
        return cell


def _following(claim: Claim, symbol: str) -> list[str]:
    """The derived symbols that are computed from a symbol, in the order in which they are."""
    found: list[str] = []
    for name, compute in claim.regime.derived.items():
        if {symbol, *found} & set(inspect.signature(compute).parameters):
            found.append(name)
    return found


def _holds(premise: Premise, values: Mapping[str, Any]) -> bool:
    """Whether a premise holds; widths are too long for floats, so balls decide."""
    return premise.certainly(values) is True


def _alone(premise: Premise, place: _Place, solvers: Solvers) -> int | None:
    """The least width that a premise asks for alone; nothing where none was found or another symbol follows it."""
    if place.moves(premise):
        return None
    try:
        return solvers.least([premise], WIDTH, place.fixed)
    except ArithmeticError:
        return None


def _width(
    premises: Sequence[Premise], alone: Mapping[Hashable, int | None], place: _Place, solvers: Solvers
) -> _Found:
    """The least width that these premises ask for or why there is none.

    No width below the largest that a premise asks for alone is enough; mostly that one is.
    """
    moving = [p for p in premises if place.moves(p)]
    still = [p for p in premises if not place.moves(p)]
    costliest = max(still, key=lambda p: alone[_key(p)] or 0).text if still else ""
    least = max([1, *(alone[_key(p)] or 1 for p in still)])
    try:
        if not all(_holds(p, {**place.fixed, WIDTH: least}) for p in still):
            found = solvers.least(still, WIDTH, place.fixed, low=least)
            if found is None:
                return _Found(None, NO_WIDTH, lacking=tuple(p.text for p in still))
            least = found
        if not moving:
            return _Found(least, costliest=costliest if least > 1 else "")
        try:
            found, last = _turn([*moving, *still], place, least)
            return _Found(found, "" if found else GAVE_UP, (last or costliest) if found and found > 1 else "")
        except _NotComputedError:
            kept = tuple(sorted(_symbols(moving) & place.following.keys()))
            found = solvers.least(premises, WIDTH, place.fixed)
            lacking = () if found else tuple(p.text for p in premises)
            return _Found(found, "" if found else NO_WIDTH, costliest if found else "", kept, lacking)
    except ArithmeticError:
        return _Found(None, GAVE_UP)


def _turn(premises: Sequence[Premise], place: _Place, least: int) -> tuple[int | None, str]:
    """The least width from `least` on at which premises hold whose symbols follow from it, and which one failed last.

    Symbols that are computed have no intervals, so that widths are tried one by one: twice as large each time, then by
    bisection to one part in 2**40. It is taken that the premises turn true once in between. Nothing where they hold at
    none that was tried.
    """

    def failing(width: int) -> str:
        values = place.at(width)
        return next((p.text for p in premises if not _holds(p, values)), "")

    above = max(least, 2)
    below, last = above - 1, ""
    while fails := failing(above):
        below, last = above, fails
        above *= 2
        if above > LARGEST_COMPUTED:
            return None, last
    while above - below > max(1, above >> 40) and last:
        middle = (below + above) // 2
        if fails := failing(middle):
            below, last = middle, fails
        else:
            above = middle
    if above == 2 and least == 1 and not failing(1):
        return 1, ""
    return above, last
