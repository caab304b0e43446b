"""What the premises of claims ask for, found without a trial: width, step size, radius, number of steps and depth.

Main definitions: `plan`, from claims to a `Plan`; `Need`, what one claim asks for, and `PremiseNeed`, one premise
of it; `TheoremNeed`, what a theorem asks for with the lemmas that it rests on; `with_best`, which adds what a ledger
knows of the constants; `table`, `texts` and `write`, which show a plan.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

import numpy as np

from bounds.decisions.region import Number, largest, smallest
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, domain_of
from theory.claims.block import Claim
from theory.claims.regime import Cell
from theory.core.seeds import said
from theory.core.statements import Paper
from theory.core.values import Function, Values
from theory.core.verdict import Verdict
from theory.reports.page.graph import ancestors
from theory.running.case import Case
from theory.running.config import RunConfig

WIDTH = "m"

# Of these the largest is sought, then of the steps the least; all at the width that is asked for or the least one.
RADII = ("eta", "tau", "omega")
LARGEST = (*RADII, "L")
STEPS = ("K", "T")
SMALLEST_REAL, LARGEST_REAL = 1e-300, 1e300
LARGEST_INTEGER = 10**18

# So many ranges are looked at for one number: a fraction of a second.
STEPS_OF_ONE_SEARCH = 2000

# A width that is trained every day.
MODERATE_WIDTH = 10**4

# Symbols that follow from the width are computed in doubles, so that no larger width is tried with them.
LARGEST_COMPUTED = 2**1000

GAVE_UP = "undecided"
NO_WIDTH = "no width"

HOLDS, FAILS, MEASURED = "holds", "fails", "measured"

SCHEMA = 1

# Bits of an integer in JSON: Python writes none of more than 4300 digits, and few read them.
LONGEST_INTEGER = 10_000

# Percent of an axis at each end, so that what stands there is seen.
EDGE = 2


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

    def least(self, premises: Sequence[Premise], name: str, values: Values, low: int = 1) -> int | None:
        """The least integer `name` from `low` on, up to one part in 2**40. Raises `ArithmeticError`, as `most`.

        1 is nothing but the least where 2 will do as well: there many a premise holds because log(1) is 0.
        """

        def search() -> int | None:
            most = {"boxes": STEPS_OF_ONE_SEARCH, "exact": False}
            found = self.smallest(premises, name, values, low=max(low, 2), **most)
            return self.smallest(premises, name, values, low=low, high=2, **most) if found == 2 and low == 1 else found

        found = self._kept(("least", low), premises, name, values, search)
        return None if found is None else int(found)

    def most(self, premises: Sequence[Premise], name: str, values: Values, low: Number, high: Number) -> Number | None:
        """The largest `name` from `low` to `high`."""

        def search() -> Number | None:
            return self.largest(premises, name, values, low, high, boxes=STEPS_OF_ONE_SEARCH)

        return self._kept(("most", low, high), premises, name, values, search)

    def _kept(
        self,
        what: Hashable,
        premises: Sequence[Premise],
        name: str,
        values: Values,
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


def _identity(premise: Premise, name: str, values: Values) -> Any:
    """What a premise says of a symbol: its text, its constants and the other symbols' values."""
    constants = tuple((n, float(values.get(n, constant))) for n, constant in premise.constants.items())
    return premise.text, constants, tuple((other, values.get(other)) for other in premise.symbols if other != name)


@dataclass(frozen=True)
class PremiseNeed:
    """One premise of a claim, at the width that is asked for or else at the least one.

    `status` is "holds", "fails", or "measured" where it has symbols that no size decides. `constants` are the values in
    force, `best` those of a ledger: the least demanding ones that a cell which passed still meets. `width` is the least
    width that the premise asks for alone, and nothing where it asks for none or none was found.
    """

    text: str
    latex: str
    status: str
    constants: Mapping[str, float] = field(default_factory=dict)
    best: Mapping[str, float] = field(default_factory=dict)
    width: int | None = None


@dataclass(frozen=True)
class Need:
    """What one claim asks for.

    `width` is the least width that meets the premises with the width in them, 1 where there are none, and nothing where
    there is none or it was not found: then `why` says so. `costliest` is the premise that alone asks for the most.
    `kept` are the symbols that follow from the width and stand in its premises with the value they have in the cell, as
    they cannot be computed at the widths that were tried. `sizes` has the largest step size, radius and depth and the
    least number of steps that the premises leave; `unsolved` those for which a symbol in the premises follows from
    them. `within` says whether the width asked for is enough.
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

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.id.split(":")[0]

    @property
    def asks(self) -> bool:
        """Whether it has any premise."""
        return bool(self.premises)

    def of(self, status: str) -> list[PremiseNeed]:
        """The premises with this status."""
        return [premise for premise in self.premises if premise.status == status]


@dataclass(frozen=True)
class TheoremNeed:
    """What a theorem or corollary asks for: the largest width among its own claims and all that it rests on.

    `widths` has the width of each of these statements that has one, nearest first, and `open` those whose width was
    not found or does not exist; what is within reach is said of the others. `forms` has the claim of each that was
    taken. `costliest` is the statement that decides, and `premise` the premise of it. `missed` are the statements with
    premises that fail at the width asked for, although it is no smaller than the one they need: not at these sizes.
    """

    id: str
    label: str
    title: str
    width: int | None
    widths: Mapping[str, int]
    open: tuple[str, ...]
    forms: Mapping[str, str]
    costliest: str
    premise: str
    within: bool | None
    missed: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.id.split(":")[0]


@dataclass(frozen=True)
class Plan:
    """What the claims ask for, and what that means for each theorem; `asked` is the width of --at, if it gives one.

    `data` says whose sizes and separation are in force, where the user brought points, and `given` what --at assigns.
    """

    asked: int | None
    claims: tuple[Need, ...]
    theorems: tuple[TheoremNeed, ...]
    data: str = ""
    given: str = ""


def plan(
    claims: Sequence[Claim], config: RunConfig, papers: Mapping[str, Paper], solvers: Solvers, data: str = ""
) -> Plan:
    """What the claims that are expected to pass ask for at their first cells, with what `config` assigns."""
    expected = [claim for claim in claims if claim.expected.is_pass or claim.expected is Verdict.VACUOUS]
    found = tuple(need_of(claim, config, solvers) for claim in expected)
    asked = config.at.get(WIDTH)
    refuted = {claim.statement for claim in claims if claim.printed and claim.expected is Verdict.REFUTED}
    return Plan(asked, found, tuple(_theorems(found, refuted, papers, asked)), data, said(config.at))


@dataclass(frozen=True)
class _Place:
    """The symbols of a claim: those of its first cell, and at other widths those that follow from the width.

    `following` computes the ones that its premises need, in their order.
    """

    fixed: Values
    following: Mapping[str, Function]

    def at(self, width: int) -> Cell:
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

    def near(self, width: int) -> Cell:
        """The same, with the values of the cell where they cannot be computed."""
        try:
            return self.at(width)
        except _NotComputedError:
            return {**self.fixed, WIDTH: width}

    def moves(self, premise: Premise) -> bool:
        """Whether a symbol of a premise follows from the width."""
        return not self.following.keys().isdisjoint(premise.symbols)


def need_of(claim: Claim, config: RunConfig, solvers: Solvers) -> Need:
    """What one claim asks for at its first cell, with what `config` assigns: sizes, constants, the user's data."""
    if not claim.premises:
        # Most claims have none, and then there is nothing to find out.
        within = None if config.at.get(WIDTH) is None else True
        return Need(claim.id, claim.statement, claim.printed, "", (), 1, within=within)
    place = _place(claim, config)
    known = {name for name, value in place.fixed.items() if not isinstance(value, str)}
    decided = [p for p in claim.premises if set(p.symbols) <= known | {WIDTH}]
    wide = [
        p
        for p in decided
        if (WIDTH in p.symbols or place.moves(p)) and not _limits_a_radius(p, place.near(MODERATE_WIDTH))
    ]
    alone = {_key(p): _alone(p, place, solvers) for p in wide}
    width, why, costliest, kept = _width(wide, alone, place, solvers)
    unmeasured = claim.regime.following - known
    if any(WIDTH in p.symbols and unmeasured & set(p.symbols) for p in claim.premises):
        # The points did not give what this premise compares the width with.
        width, why, costliest = None, GAVE_UP, ""
    asked = config.at.get(WIDTH)
    there = asked if asked is not None else width
    values = dict(place.fixed) if there is None else place.near(there)
    tried = decided if there is not None else [p for p in decided if WIDTH not in p.symbols]
    sizes, unsolved = _sizes(claim, tried, values, solvers)
    status = {_key(p): HOLDS if _holds(p, values) else FAILS for p in tried}
    enough = width is not None and all(status[_key(p)] == HOLDS for p in wide)
    return Need(
        id=claim.id,
        statement=claim.statement,
        printed=claim.printed,
        at=said({name: place.fixed[name] for name in sorted(_symbols(decided) - {WIDTH, *place.following})}),
        premises=tuple(
            PremiseNeed(
                text=p.text,
                latex=p.latex,
                status=status.get(_key(p), MEASURED),
                constants={n: float(values.get(n, constant)) for n, constant in p.constants.items()},
                width=alone.get(_key(p)),
            )
            for p in claim.premises
        ),
        width=width,
        why=why,
        costliest=costliest,
        kept=kept,
        sizes=sizes,
        unsolved=unsolved,
        within=None if asked is None or why == GAVE_UP else enough,
    )


def with_best(found: Plan, constants: Iterable[Values]) -> Plan:
    """The plan with the best values of constants from the table of a ledger, `constants` as `ledger.json` has it."""
    best: dict[tuple[str, str], dict[str, float]] = {}
    for entry in constants:
        if math.isfinite(float(entry["best"])):
            best.setdefault((entry["claim"], entry["where"]), {})[entry["name"]] = float(entry["best"])

    def filled(need: Need) -> Need:
        premises = [replace(p, best=best.get((need.id, f"premise {p.text}"), {})) for p in need.premises]
        return replace(need, premises=tuple(premises))

    return replace(found, claims=tuple(map(filled, found.claims)))


def _key(premise: Premise) -> Hashable:
    """What tells the premises of a claim apart: two may have one text and different constants."""
    return premise.text, tuple((name, float(constant)) for name, constant in premise.constants.items())


def _symbols(premises: Iterable[Premise]) -> set[str]:
    return {name for premise in premises for name in premise.symbols}


def _limits_a_radius(premise: Premise, values: Values) -> bool:
    """Whether a small enough step size or radius meets a premise at a moderate width: it asks for no width then."""
    small = {name: SMALLEST_REAL for name in RADII if name in premise.symbols}
    return bool(small) and _holds(premise, {**values, **small})


def _place(claim: Claim, config: RunConfig) -> _Place:
    """The symbols of the first cell with what is assigned, and the constants that --at gives."""
    given: Cell = {}
    if config.data.is_brought:
        # The number of points and their separation mean the same everywhere; a dimension may be another one.
        given = {name: value for name, value in config.data.fixed.items() if claim.takes_data or name != "d"}
        given["n"] = config.data.rows
    given |= config.at
    cells = claim.regime.select(config.effort, {n: v for n, v in given.items() if n != WIDTH})
    cell = _on_points(claim, config, cells[0]) if cells else {}
    # What a search or a trial would draw is known where it is given, and a constant has another value there.
    drawn, constants = claim.regime.draw, {name for p in claim.premises for name in p.constants}
    fixed = {name: value for name, value in cell.items() if name not in drawn}
    fixed |= {name: value for name, value in given.items() if name in drawn}
    fixed |= {name: value for name, value in config.at.items() if name in constants and name not in fixed}
    following = {n: claim.regime.derived[n] for n in _following(claim, WIDTH) if n in cell and n not in given}
    needed = _symbols(claim.premises)
    for name in reversed(following):
        if name in needed:
            needed |= set(inspect.signature(following[name]).parameters)
    return _Place(fixed, {name: compute for name, compute in following.items() if name in needed})


def _on_points(claim: Claim, config: RunConfig, cell: Cell) -> Cell:
    """The cell with what is measured on its points, all rows of the data; without it where that cannot be measured."""
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


def _holds(premise: Premise, values: Values) -> bool:
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
) -> tuple[int | None, str, str, tuple[str, ...]]:
    """The least width or why there is none, the costliest premise, and the symbols kept as they are in the cell.

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
                return None, NO_WIDTH, "", ()
            least = found
        if not moving:
            return least, "", costliest if least > 1 else "", ()
        try:
            found, last = _turn([*moving, *still], place, least)
            return found, "" if found else GAVE_UP, (last or costliest) if found and found > 1 else "", ()
        except _NotComputedError:
            kept = tuple(sorted(_symbols(moving) & place.following.keys()))
            found = solvers.least(premises, WIDTH, place.fixed)
            return found, "" if found else NO_WIDTH, costliest if found else "", kept
    except ArithmeticError:
        return None, GAVE_UP, "", ()


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


def _sizes(
    claim: Claim, premises: Sequence[Premise], values: Values, solvers: Solvers
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The largest step size, radius and depth and the least number of steps that the premises with them leave.

    Each is found with the others as they are in the cell, but the steps with the largest step size. The second list has
    those that cannot be found, as other symbols of the premises are computed from them.
    """
    place = dict(values)
    found: dict[str, float] = {}
    unsolved = []
    for name in (*LARGEST, *STEPS):
        # How many steps a step size asks for is found after it.
        later = () if name in STEPS else STEPS
        having = [p for p in premises if name in p.symbols and not set(later) & set(p.symbols)]
        if not having or name not in place:
            continue
        if _symbols(having) & set(_following(claim, name)):
            unsolved.append(name)
            continue
        domain = SYMBOLS[name].domain
        high = LARGEST_INTEGER if domain.integer else min(LARGEST_REAL, domain.high)
        try:
            size: Number | None
            if name in STEPS:
                size = solvers.least(having, name, place) if domain.integer else None
            else:
                size = solvers.most(having, name, place, 1 if domain.integer else SMALLEST_REAL, high)
        except ArithmeticError:
            continue
        # What reaches the end of the search is not limited by the premises.
        if size is None or size == high:
            continue
        found[name] = size
        if name == "eta":
            place[name] = size
    return found, tuple(unsolved)


def _theorems(
    needs: Sequence[Need], refuted: set[str], papers: Mapping[str, Paper], asked: int | None
) -> list[TheoremNeed]:
    """The theorems and corollaries of which something is known, each with what it rests on."""
    forms: dict[str, list[Need]] = {}
    for need in needs:
        forms.setdefault(need.statement, []).append(need)
    chosen = {name: _form(mine, name in refuted) for name, mine in forms.items()}
    uses = {s.id: s.uses for paper in papers.values() for s in paper.statements}
    found = []
    for paper in papers.values():
        for statement in paper.statements:
            if not statement.label.startswith(("Theorem", "Corollary")):
                continue
            behind = {name: chosen[name] for name in ancestors(uses, statement.id) if name in chosen}
            if statement.id in forms:
                behind[statement.id] = max(forms[statement.id], key=_cost)
            widths = {name: need.width for name, need in behind.items() if need.width is not None}
            if not behind:
                continue
            most = max(widths, key=lambda name: widths[name]) if widths else ""
            found.append(
                TheoremNeed(
                    id=statement.id,
                    label=statement.label,
                    title=statement.title,
                    width=widths[most] if most else None,
                    widths=widths,
                    open=tuple(name for name in behind if name not in widths),
                    forms={name: need.id for name, need in behind.items()},
                    costliest=most,
                    premise=behind[most].costliest if most else "",
                    within=None if asked is None or not widths else all(width <= asked for width in widths.values()),
                    missed=tuple(name for name in widths if asked is not None and _misses(behind[name], asked)),
                )
            )
    return found


def _misses(need: Need, asked: int) -> bool:
    """Whether a width fails that is not too small."""
    return need.width is not None and need.width <= asked and need.within is False


def _form(forms: Sequence[Need], is_refuted: bool) -> Need:
    """The form of a statement that is asked for: the printed one, or the cheapest that passes where that is refuted."""
    printed = [need for need in forms if need.printed]
    if printed and not is_refuted:
        return max(printed, key=_cost)
    return min(forms, key=_cost)


def _cost(need: Need) -> float:
    return math.inf if need.width is None else math.log(need.width)


def readable(number: float | int | None) -> str:
    """A number in print: three digits of a long integer, rounded up so that it still suffices."""
    if number is None:
        return "-"
    if isinstance(number, int) and number >= 10**9:
        return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(number):.2e}".replace("e+", "e")
    return str(number) if isinstance(number, int) else f"{number:.3g}"


# How a long number is written.
_LONG = re.compile(r"(\d\.\d+)e(-?\d+)")


def table(found: Plan) -> list[str]:
    """The plan in lines: each theorem with its premises and the statements behind it, then each claim with premises."""
    lines = []
    needs = {need.id: need for need in found.claims}
    for theorem in found.theorems:
        reach = {None: "", True: ", within reach", False: ", out of reach"}[theorem.within]
        lines.append(f"{theorem.id}: {theorem.title}: m >= {readable(theorem.width)}{reach}")
        if theorem.premise:
            lines.append(f"    costliest: {theorem.premise} of {theorem.costliest}")
        if theorem.missed:
            lines.append(
                f"    not at this width, too large for other sizes of their cells: {', '.join(theorem.missed)}"
            )
        for name, form in theorem.forms.items():
            need = needs[form]
            if need.asks:
                width = need.why or f"m >= {readable(need.width)}"
                lines.append(f"    {name}: {', '.join([width, *_counts(need)])}")
            if name == theorem.id:
                lines += [f"        {_WORDS[p.status]}: {p.text}{_constants(p)}" for p in need.premises]
    for need in filter(lambda need: need.asks, found.claims):
        said_of = [f"{name} {'>=' if name in STEPS else '<='} {readable(size)}" for name, size in need.sizes.items()]
        width = need.why or f"m >= {readable(need.width)}"
        lines.append(f"{need.id}: {', '.join([width, *said_of])}" + (f" at {need.at}" if need.at else ""))
        lines += [f"    {_WORDS[premise.status]}: {premise.text}{_constants(premise)}" for premise in need.premises]
        if need.kept:
            lines.append(f"    taken as at the width of the cell: {', '.join(need.kept)}")
        if need.unsolved:
            lines.append(f"    not solved for, as other symbols follow from it: {', '.join(need.unsolved)}")
    others = sum(not need.asks for need in found.claims)
    return [*lines, f"{others} claims have no premises"] if others else lines


_WORDS = {HOLDS: "holds", FAILS: "fails", MEASURED: "undecided without a trial"}


def widths(found: Plan) -> dict[str, str]:
    """The least width that the premises of each claim ask for, or why there is none, and the sizes that it is for."""
    asking = [need for need in found.claims if need.asks]
    return {need.id: (need.why or readable(need.width)) + (f" at {need.at}" if need.at else "") for need in asking}


def _counts(need: Need) -> list[str]:
    """How many premises hold, fail and are measured."""
    return [f"{len(need.of(status))} {word}" for status, word in _COUNTED.items() if need.of(status)]


_COUNTED = {HOLDS: "hold", FAILS: "fail", MEASURED: "undecided"}


def _constants(premise: PremiseNeed) -> str:
    """The constants of a premise, with the values with which a ledger saw the claim pass."""
    found = [
        f"{name} = {value:.4g}" + (f" (passed with {premise.best[name]:.4g})" if name in premise.best else "")
        for name, value in premise.constants.items()
    ]
    return f" with {', '.join(found)}" if found else ""


def texts(found: Plan, beside: bool) -> dict[str, str]:
    """`needs.json` and the page `needs.html`, by name; `beside` says that a ledger's page is in that folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from theory.reports.page.formulas import mathml

    templates = Path(__file__).parent / "page" / "templates"
    environment = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"readable": lambda number: Markup(_LONG.sub(r"\1 · 10<sup>\2</sup>", readable(number)))}
    environment.filters["math"] = mathml
    page = environment.get_template("needs.html").render(
        plan=found,
        beside=beside,
        needs={need.id: need for need in found.claims},
        papers=[_view(key, found) for key in dict.fromkeys(need.paper for need in found.claims)],
        steps=STEPS,
        style=Markup((templates / "page.css").read_text(encoding="utf-8")),
    )
    as_json = json.dumps({"schema": SCHEMA, **_short(asdict(found))}, indent=1, allow_nan=False)
    return {"needs.json": as_json + "\n", "needs.html": page}


def _short(value: object) -> Any:
    """`value` for JSON, where integers that Python does not write are text of three digits, and floats finite."""
    if isinstance(value, Mapping):
        return {name: _short(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_short(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return readable(value) if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER else value


@dataclass(frozen=True)
class _View:
    """A paper on the page: its theorems, its claims with premises, and the axis of its widths, from `low` to `high`."""

    key: str
    theorems: Sequence[TheoremNeed]
    claims: Sequence[Need]
    others: int
    low: int
    high: int

    def place(self, width: int) -> str:
        """Where a width stands on the axis, in percent of it."""
        return self.at(math.log10(width))

    def at(self, power: float) -> str:
        """Where a power of ten stands."""
        return f"{EDGE + (100 - 2 * EDGE) * (power - self.low) / (self.high - self.low):.2f}%"

    def shows(self, width: int) -> bool:
        """Whether a width is not left of the axis."""
        return math.log10(width) >= self.low

    @property
    def ticks(self) -> list[int]:
        """Powers of ten at round numbers, at most eight steps, and the one at which the axis begins."""
        rough = (self.high - self.low) / 8
        scale = 10 ** max(0, math.floor(math.log10(rough)))
        step = next(k * scale for k in (1, 2, 5, 10) if k * scale >= rough)
        first = -(-self.low // step) * step
        return [self.low] * (first - self.low > step / 2) + list(range(first, self.high + 1, step))


def _view(paper: str, found: Plan) -> _View:
    """The theorems and claims of a paper, on an axis from the least width that one needs or that is asked for."""
    theorems = [theorem for theorem in found.theorems if theorem.paper == paper]
    claims = [need for need in found.claims if need.paper == paper]
    asked = [found.asked] if found.asked is not None else []
    ends = [math.log10(width) for width in [*(t.width for t in theorems if t.width and t.width > 1), *asked]] or [0.0]
    low = math.floor(min(ends))
    asking = [need for need in claims if need.asks]
    return _View(paper, theorems, asking, len(claims) - len(asking), low, max(math.ceil(max(ends)), low + 1))


def write(directory: Path, found: Plan) -> tuple[Path, Path]:
    """Write `needs.json` and `needs.html` and return their paths. Raises `OSError` where that cannot be."""
    directory.mkdir(parents=True, exist_ok=True)
    contents = texts(found, (directory / "index.html").exists())
    for name, content in contents.items():
        (directory / name).write_text(content, encoding="utf-8")
    first, second = contents
    return directory / first, directory / second
