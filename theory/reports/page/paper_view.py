"""The view of a paper: its counts and errata, and the drawing of what its statements rest on.

Main definitions: `paper_view`, `BOX`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from theory.core.statements import ByClaim, Paper
from theory.core.values import Json, JsonDict
from theory.reports.page.graph import ancestors, layout
from theory.reports.rests_on import STRENGTH

# Units of a box in the drawing of a paper, and of the space it takes.
BOX = (104, 18)
STEP = (128, 23)


def paper_view(paper: Paper, ledger: Json, claims: Sequence[Json]) -> JsonDict:
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
