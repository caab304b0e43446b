"""The ledger as one page that opens from a file: no network, no server, readable without a script.

Main definitions: `page`, the text of the page. `theory.reports.page.drawing` draws figures,
`theory.reports.page.formulas` sets formulas, `theory.reports.page.graph` lays out what rests on what,
`theory.reports.page.changes` compares two ledgers; words and order stand in the templates.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from theory.core.digits import near_one
from theory.core.scope import MEANING as SCOPES
from theory.core.statements import DECISIONS, STATEMENT_KINDS, THEMES, ByClaim, Paper
from theory.core.values import Json, JsonDict
from theory.core.verdict import MEANING, Verdict
from theory.papers import papers
from theory.reports.figures import Curve, Figure, Panel
from theory.reports.page.changes import KINDS, changes
from theory.reports.page.drawing import svg
from theory.reports.page.formulas import mathml
from theory.reports.page.graph import ancestors, layout
from theory.reports.pictures import picture
from theory.reports.rests_on import NOT_RUN, STRENGTH
from theory.reports.versions import SIZES

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"

# End tags that HTML lets one leave out: twenty thousand of them.
OPTIONAL = re.compile(r"</(?:dt|dd|li|td|th|tr|option)>")

# Units of a box in the drawing of a paper, and of the space it takes.
BOX = (104, 18)
STEP = (128, 23)


def page(
    ledger: Json,
    figures: Mapping[str, Figure],
    old: Json | None = None,
    selected: bool = False,
    widths: Mapping[str, str] | None = None,
) -> str:
    """The page of a ledger, as `theory.reports.ledger.to_json` gives it.

    `figures` are those that claims draw themselves, by id. `old` is an earlier ledger to compare with; `selected` says
    that the run was about some claims alone. `widths` is what the premises of claims ask for, by
    `theory.reports.needs_shown.widths`, where `needs.html` stands beside the page.
    """
    environment = _environment()
    shown = {claim["paper"] for claim in ledger["claims"]}
    claims = _claims(ledger, figures)
    views = [_paper(paper, ledger, claims) for key, paper in sorted(papers().items()) if key in shown]
    text = environment.get_template("page.html").render(
        suite=ledger["suite"],
        planned=widths is not None,
        widths=widths or {},
        verdicts=[str(verdict) for verdict in Verdict if any(c["verdict"] == str(verdict) for c in claims)],
        meaning={str(verdict): said for verdict, said in MEANING.items()},
        decisions=DECISIONS,
        themes=THEMES,
        kinds=STATEMENT_KINDS,
        theorems=[entry for entry in ledger["main_theorems"] if entry["scope"] != NOT_RUN],
        scope_meaning={scope.value: said for scope, said in SCOPES.items()},
        papers=views,
        groups=_groups(ledger, claims),
        sizes=list(SIZES),
        claims=claims,
        changes=None if old is None else changes(old, ledger, selected),
        change_kinds=KINDS,
        old=None if old is None else old["suite"],
        style=Markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
        data=_script_data({view["key"]: view["places"] for view in views}),
    )
    lines = (OPTIONAL.sub("", line.strip()) for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


@cache
def _environment() -> Environment:
    """The templates, which take as long to read as a short page to write."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "math": mathml,
        "near_one": lambda ratio: near_one(float(ratio)),
        "tail": _tail,
        "exponent": _exponent,
    }
    return environment


def _exponent(entry: Json) -> str:
    """An exponent as claimed and as measured."""
    claimed, measured, low, high = (float(entry[name]) for name in ("claimed", "measured", "low", "high"))
    said = "" if math.isnan(claimed) else f"{claimed:.3g}"
    return said if math.isnan(measured) else f"{said}; {measured:.2f} [{low:.2f}, {high:.2f}]"


def _tail(identifier: str) -> str:
    """The part of an id after the paper's key."""
    return identifier.split(":", 1)[1]


def _script_data(data: object) -> Markup:
    """Data for the script as JSON that cannot end the element in which it stands."""
    return Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))


def _claims(ledger: Json, figures: Mapping[str, Figure]) -> list[JsonDict]:
    """What the page shows of each claim: its entry in the ledger, its picture, and what it rests on."""
    used_by: dict[str, list[str]] = {}
    for paper in papers().values():
        for statement in paper.statements:
            for used in statement.uses:
                used_by.setdefault(used, []).append(statement.id)
    claimed = {statement.id for paper in papers().values() for statement in paper.statements}
    found = []
    for entry in ledger["claims"]:
        drawn = picture(entry)
        own = figures.get(entry["id"])
        found.append(
            {
                **entry,
                "picture": "" if drawn is None else svg(drawn, "measured beside the bound"),
                "own": "" if own is None else svg(own),
                "own_caption": "" if own is None else own.caption,
                "uses": [used for used in entry["uses"] if used in claimed],
                "used_by": used_by.get(entry["statement"], []),
            }
        )
    return found


def _groups(ledger: Json, claims: Sequence[Json]) -> list[JsonDict]:
    """What the page shows of each group of versions: with formulas, and a picture of the bounds at one place."""
    by_id = {claim["id"]: claim for claim in claims}
    found = []
    for number, group in enumerate(ledger["versions"]):
        drawn = _bounds_at_one_place(group)
        shown = [{**version, "entry": by_id[version["claim"]]} for version in group["versions"]]
        tightest = [min(e["bounds"], key=lambda name: abs(math.log(_share(e, name)))) for e in group["beside"]]
        found.append(
            {
                **group,
                "number": number,
                "shown": shown,
                "picture": "" if drawn is None else svg(drawn),
                "tightest": Counter(tightest).most_common(),
            }
        )
    return found


def _share(entry: Json, name: str) -> float:
    """A bound against what was measured there, as a positive number."""
    measured, bound = float(entry["measured"]), float(entry["bounds"][name])
    return bound / measured if measured > 0.0 and bound > 0.0 else math.inf


def _bounds_at_one_place(group: Json) -> Figure | None:
    """What the first claim measured, and the bounds of all there, over each size that takes several values."""
    panels = []
    for name in dict.fromkeys(name for entry in group["beside"] for name in entry["at"]):
        placed = [e for e in group["beside"] if isinstance(e["at"].get(name), int | float) and e["at"][name] > 0]
        if len({e["at"][name] for e in placed}) < 2:
            continue
        xs = [float(e["at"][name]) for e in placed]
        curves = [Curve("measured", xs, [float(e["measured"]) for e in placed], dots=True)]
        for version in group["versions"]:
            ys = [float(e["bounds"].get(version["claim"], math.nan)) for e in placed]
            curves.append(Curve(version["claim"], xs, ys, dots=True, mark="_"))
        positive = all(y > 0.0 for curve in curves for y in curve.y if math.isfinite(y))
        panels.append(Panel(name, "measured", curves, log_x=True, log_y=positive))
    return Figure(f"{group['title']}: bounds at one place", panels[:3]) if panels else None


def _paper(paper: Paper, ledger: Json, claims: Sequence[Json]) -> JsonDict:
    """What the page shows of a paper: counts, errata, statements, and the drawing of what rests on what."""
    summary = ledger["papers"][paper.key]
    uses = {s.id: [used for used in s.uses if used.startswith(f"{paper.key}:")] for s in paper.statements}
    standing = {entry["id"]: entry for entry in summary["proofs"]}
    mine = [claim for claim in claims if claim["paper"] == paper.key]
    forms: dict[str, list[str]] = {}
    for claim in mine:
        forms.setdefault(claim["statement"], []).append(claim["id"])
    number = {s.id: k for k, s in enumerate(paper.statements)}
    whole = layout(uses, uses)
    at = {placed.id: (STEP[0] * placed.column, round(STEP[1] * placed.row)) for placed in whole}
    statements = [
        {
            "id": s.id,
            "label": s.label,
            "title": s.title,
            "kind": s.kind,
            "theme": s.theme,
            "by_claim": isinstance(s.coverage, ByClaim),
            "forms": forms.get(s.id, []),
            "own": standing[s.id]["own"],
            "weakest": standing[s.id]["weakest"] or standing[s.id]["own"],
            "text": standing[s.id]["text"],
            "x": at[s.id][0],
            "y": at[s.id][1],
        }
        for s in paper.statements
    ]
    return {
        "key": paper.key,
        "title": paper.title,
        "year": paper.year,
        "summary": summary,
        "counts": Counter(claim["verdict"] for claim in mine),
        "statements": statements,
        "labels": {s.id: s.label for s in paper.statements},
        "legend": [
            (answer, sum(s["own"] == answer for s in statements), sum(s["weakest"] == answer for s in statements))
            for answer in STRENGTH
            if any(answer in (s["own"], s["weakest"]) for s in statements)
        ],
        "edges": [
            (number[used], number[name], _line(at[used], at[name]))
            for name, names in uses.items()
            for used in names
            if used in uses
        ],
        "box": BOX,
        "size": (max(x for x, _ in at.values()) + BOX[0], max(y for _, y in at.values()) + BOX[1]),
        "places": _foci(paper, uses),
    }


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    """From the right side of one box to the left side of another."""
    middle = BOX[1] // 2
    return f"M{start[0] + BOX[0]} {start[1] + middle}L{end[0]} {end[1] + middle}"


def _foci(paper: Paper, uses: Mapping[str, Sequence[str]]) -> dict[str, list[list[int]]]:
    """For each statement that rests on others: these, laid out anew, as number, distance in steps, column and row."""
    number = {s.id: k for k, s in enumerate(paper.statements)}
    found: dict[str, list[list[int]]] = {}
    for name in uses:
        steps = ancestors(uses, name)
        if len(steps) > 1:
            found[str(number[name])] = [
                [number[p.id], steps[p.id], STEP[0] * p.column, round(STEP[1] * p.row)] for p in layout(uses, steps)
            ]
    return found
