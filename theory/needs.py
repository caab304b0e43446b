"""What the premises of claims ask for, found without a trial: width, step size, radius, number of steps and depth.

Main definitions: `plan`, from claims to a `Plan`; `Need`, what one claim asks for; `TheoremNeed`, what a theorem asks
for with the lemmas that it rests on; `table` and `write`, which show a plan.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

from theory.block import Claim
from theory.case import Case, RunConfig
from theory.page.graph import ancestors
from theory.protocols import PremiseLike
from theory.seeds import said
from theory.statements import Paper
from theory.verdict import Verdict

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

GAVE_UP = "undecided"
NO_WIDTH = "no width"


@dataclass(frozen=True)
class Solvers:
    """What solves premises for one symbol, from the left and from the right, and where symbols take their values."""

    smallest: Callable[..., int | None]
    largest: Callable[..., Any]
    domains: Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """What one claim asks for.

    `holds`, `fails` and `measured` are its premises: at the width that is asked for or else at the least one, where
    those are measured that hold symbols no cell decides. `width` is the least width that meets the premises with the
    width in them, 1 where there are none, and nothing where there is none or it was not found: then `why` says so.
    `costliest` is the premise that alone asks for the most. `kept` are the symbols that follow from the width and stand
    in its premises with the value they have in the cell. `sizes` has the largest step size, radius and depth and the
    least number of steps that the premises leave. `within` says whether the width asked for is enough.
    """

    id: str
    statement: str
    printed: bool
    at: str
    holds: tuple[str, ...]
    fails: tuple[str, ...]
    measured: tuple[str, ...]
    width: int | None
    why: str = ""
    costliest: str = ""
    kept: tuple[str, ...] = ()
    sizes: Mapping[str, float] = field(default_factory=dict)
    within: bool | None = None


@dataclass(frozen=True)
class TheoremNeed:
    """What a theorem or corollary asks for: the largest width among its own claims and all that it rests on.

    `widths` has the width of each of these statements that has one, nearest first, and `open` those whose width was
    not found or does not exist; what is within reach is said of the others. `costliest` is the statement that decides,
    and `premise` the premise of it.
    """

    id: str
    label: str
    title: str
    width: int | None
    widths: Mapping[str, int]
    open: tuple[str, ...]
    costliest: str
    premise: str
    within: bool | None


@dataclass(frozen=True)
class Plan:
    """What the claims ask for, and what that means for each theorem; `asked` is the width of --at, if it gives one."""

    asked: int | None
    claims: tuple[Need, ...]
    theorems: tuple[TheoremNeed, ...]


def plan(claims: Sequence[Claim], config: RunConfig, papers: Mapping[str, Paper], solvers: Solvers) -> Plan:
    """What the claims that are expected to pass ask for at their first cells, with what `config` assigns."""
    expected = [claim for claim in claims if claim.expected.is_pass or claim.expected is Verdict.VACUOUS]
    found = tuple(need_of(claim, config, solvers) for claim in expected)
    asked = config.at.get(WIDTH)
    refuted = {claim.statement for claim in claims if claim.printed and claim.expected is Verdict.REFUTED}
    return Plan(asked, found, tuple(_theorems(found, refuted, papers, asked)))


def need_of(claim: Claim, config: RunConfig, solvers: Solvers) -> Need:
    """What one claim asks for at its first cell, with what `config` assigns: sizes, constants, the user's data."""
    values = _values(claim, config)
    known = {name for name in values if name not in claim.regime.draw}
    decided = [p for p in claim.premises if set(p.symbols) <= known | {WIDTH}]
    measured = tuple(p.text for p in claim.premises if p not in decided)
    wide = [p for p in decided if WIDTH in p.symbols and not _limits_a_radius(p, values)]
    width, why = _width(wide, values, solvers)
    costliest = _costliest(wide, values, solvers) if width is not None and width > 1 else ""
    asked = config.at.get(WIDTH)
    place = {**values, WIDTH: asked if asked is not None else width}
    at_least = decided if place[WIDTH] is not None else [p for p in decided if WIDTH not in p.symbols]
    sizes = _sizes(at_least, place, solvers)
    holds = [p.text for p in at_least if _holds(p, place)]
    needed = {name for p in wide for name in p.symbols}
    return Need(
        id=claim.id,
        statement=claim.statement,
        printed=claim.printed,
        at=said({name: values[name] for name in sorted({n for p in decided for n in p.symbols} - {WIDTH})}),
        holds=tuple(holds),
        fails=tuple(p.text for p in at_least if p.text not in holds),
        measured=measured,
        width=width,
        why=why,
        costliest=costliest,
        kept=tuple(sorted(needed & _following_the_width(claim))),
        sizes=sizes,
        within=None if asked is None or why == GAVE_UP else width is not None and all(_holds(p, place) for p in wide),
    )


def _limits_a_radius(premise: Any, values: Mapping[str, Any]) -> bool:
    """Whether a small enough step size or radius meets a premise at a moderate width: it asks for no width then."""
    small = {name: SMALLEST_REAL for name in RADII if name in premise.symbols}
    return bool(small) and _holds(premise, {**values, **small, WIDTH: MODERATE_WIDTH})


def _values(claim: Claim, config: RunConfig) -> dict[str, Any]:
    """The symbols of the first cell with what is assigned, and the constants that --at gives."""
    given: dict[str, Any] = {}
    if config.user_data is not None:
        # The number of points and their separation mean the same everywhere; a dimension may be another one.
        given = {name: value for name, value in config.user_symbols.items() if claim.takes_data or name != "d"}
        given["n"] = config.user_rows
    given |= config.at
    cells = claim.regime.select(config.effort, {n: v for n, v in given.items() if n != WIDTH})
    cell = _on_points(claim, config, cells[0]) if cells else {}
    constants = {name for p in claim.premises for name in p.constants}
    return {**{name: value for name, value in config.at.items() if name in constants}, **cell}


def _on_points(claim: Claim, config: RunConfig, cell: dict[str, Any]) -> dict[str, Any]:
    """The cell with what is measured on its points, all rows of the data; without it where that cannot be measured."""
    try:
        return Case(claim, config, alpha=0.0).on_points(cell, {n: v for n, v in config.at.items() if n != WIDTH})
    except (ArithmeticError, MemoryError, ValueError):
        return cell


def _following_the_width(claim: Claim) -> set[str]:
    """The derived symbols that are computed from the width."""
    found: set[str] = set()
    for name, compute in claim.regime.derived.items():
        if {WIDTH, *found} & set(inspect.signature(compute).parameters):
            found.add(name)
    return found


def _holds(premise: Any, values: Mapping[str, Any]) -> bool:
    """Whether a premise holds; widths are too long for floats, so balls decide."""
    return premise.certainly(values) is True


def _width(premises: Sequence[PremiseLike], values: Mapping[str, Any], solvers: Solvers) -> tuple[int | None, str]:
    """The least width, or why there is none."""
    try:
        found = solvers.smallest(premises, WIDTH, values, boxes=STEPS_OF_ONE_SEARCH)
    except ArithmeticError:
        return None, GAVE_UP
    return found, "" if found is not None else NO_WIDTH


def _costliest(premises: Sequence[PremiseLike], values: Mapping[str, Any], solvers: Solvers) -> str:
    """The premise that alone asks for the largest width."""
    alone = [(_width([premise], values, solvers)[0] or 0, premise.text) for premise in premises]
    return max(alone, default=(0, ""))[1]


def _sizes(premises: Sequence[PremiseLike], values: Mapping[str, Any], solvers: Solvers) -> dict[str, float]:
    """The largest step size, radius and depth and the least number of steps that the premises with them leave.

    Each is found with the others as they are in the cell, but the steps with the largest step size.
    """
    place = dict(values)
    found: dict[str, float] = {}
    for name in (*LARGEST, *STEPS):
        # How many steps a step size asks for is found after it.
        later = () if name in STEPS else STEPS
        having = [p for p in premises if name in p.symbols and not set(later) & set(p.symbols)]
        if not having or name not in place:
            continue
        domain = solvers.domains[name]
        try:
            if name in STEPS:
                size = solvers.smallest(having, name, place, boxes=STEPS_OF_ONE_SEARCH) if domain.integer else None
            elif domain.integer:
                size = solvers.largest(having, name, place, 1, LARGEST_INTEGER, boxes=STEPS_OF_ONE_SEARCH)
            else:
                high = min(LARGEST_REAL, domain.high)
                size = solvers.largest(having, name, place, SMALLEST_REAL, high, boxes=STEPS_OF_ONE_SEARCH)
        except ArithmeticError:
            continue
        # What reaches the end of the search is not limited by the premises.
        if size is None or size in (LARGEST_INTEGER, LARGEST_REAL, domain.high):
            continue
        found[name] = size
        if name == "eta":
            place[name] = size
    return found


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
                    costliest=most,
                    premise=behind[most].costliest if most else "",
                    within=None if asked is None else all(behind[name].within is True for name in widths),
                )
            )
    return found


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


def table(found: Plan) -> list[str]:
    """The plan in lines: each theorem with the statements behind it, then each claim."""
    lines = []
    for theorem in found.theorems:
        reach = {None: "", True: ", within reach", False: ", out of reach"}[theorem.within]
        lines.append(f"{theorem.id}: {theorem.title}: m >= {readable(theorem.width)}{reach}")
        if theorem.premise:
            lines.append(f"    costliest: {theorem.premise} of {theorem.costliest}")
        lines += [f"    {name}: m >= {readable(width)}" for name, width in theorem.widths.items() if width > 1]
        if theorem.open:
            lines.append(f"    no width was found for {', '.join(theorem.open)}")
    for need in found.claims:
        said_of = [f"{name} {'>=' if name in STEPS else '<='} {readable(size)}" for name, size in need.sizes.items()]
        width = need.why or f"m >= {readable(need.width)}"
        lines.append(f"{need.id}: {', '.join([width, *said_of])}" + (f" at {need.at}" if need.at else ""))
        for word in ("fails", "measured", "kept"):
            if getattr(need, word):
                lines.append(f"    {_WORDS[word]}: {'; '.join(getattr(need, word))}")
    return lines


_WORDS = {"fails": "fails", "measured": "undecided without a trial", "kept": "taken as at the width of the cell"}


def write(directory: Path, found: Plan) -> tuple[Path, Path]:
    """Write `needs.json` and `needs.html` and return their paths. Raises `OSError` where that cannot be."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    directory.mkdir(parents=True, exist_ok=True)
    as_json, as_page = directory / "needs.json", directory / "needs.html"
    as_json.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
    templates = Path(__file__).parent / "page" / "templates"
    environment = Environment(loader=FileSystemLoader(templates), autoescape=True, undefined=StrictUndefined)
    environment.filters["readable"] = readable
    powers = [math.log10(width) for theorem in found.theorems for width in theorem.widths.values()]
    low, high = 0.0, max([10.0, *powers, math.log10(found.asked or 1)]) * 1.02

    def place(width: int) -> str:
        return f"{100 * (math.log10(width) - low) / (high - low):.2f}%"

    step = max(1, round(high / 10))
    style = Markup((templates / "page.css").read_text(encoding="utf-8"))
    ticks = [(power, place(10**power)) for power in range(0, int(high) + 1, step)]
    page = environment.get_template("needs.html").render(plan=found, place=place, ticks=ticks, style=style)
    as_page.write_text(page, encoding="utf-8")
    return as_json, as_page
