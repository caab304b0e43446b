"""The view of a paper: its counts and errata, and the drawing of what its statements rest on.

Main definitions: `paper_view`; `outline`, the shape of a box; `BOX`, `MAIN` and `STEP`, its sizes and distances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from theory.core.statements import STATEMENT_KINDS, ByClaim, Paper
from theory.core.values import Json, JsonDict
from theory.core.verdict import Verdict
from theory.reports.page.graph import ancestors, layout
from theory.reports.rests_on import STRENGTH

# Units of a box in the drawing of a paper, of a main theorem's, and from the middle of one to that of the next.
BOX = (104, 20)
MAIN = (124, 26)
STEP = (160, 30)

# How much of a box its corners take.
CORNER = 7

# Whatever is refuted as printed has a corrected form that passes, or none: two answers in the drawing.
REPAIRED = "repaired"
ANSWERS = {
    Verdict.REFUTED.value: "refuted, and no corrected form holds",
    REPAIRED: "refuted as printed, a corrected form holds",
}

# Letters that fit into a box, into a main theorem's, and into the list of what can be focused.
FITS, FITS_MAIN, LISTED = 15, 18, 70


def paper_view(paper: Paper, ledger: Json, claims: Sequence[Json]) -> JsonDict:
    """What the page shows of a paper: counts, errata, statements, and the drawing of what rests on what."""
    summary = ledger["papers"][paper.key]
    uses = {s.id: [used for used in s.uses if used.startswith(f"{paper.key}:")] for s in paper.statements}
    standing = {entry["id"]: entry for entry in summary["proofs"]}
    mine = [claim for claim in claims if claim["paper"] == paper.key]
    forms: dict[str, list[Json]] = {}
    for claim in mine:
        forms.setdefault(claim["statement"], []).append(claim)
    number = {s.id: k for k, s in enumerate(paper.statements)}
    main = {entry["id"] for entry in ledger["main_theorems"]}
    at = {p.id: (STEP[0] * p.column, round(STEP[1] * p.row)) for p in layout(uses, uses)}
    statements = [
        {
            "id": s.id,
            "label": s.label,
            "short": _short(s.label, FITS_MAIN if s.id in main else FITS),
            "title": s.title,
            "listed": _short(f"{s.label}: {s.title}", LISTED),
            "kind": s.kind,
            "main": s.id in main,
            "outline": outline(s.kind, *(MAIN if s.id in main else BOX)),
            "focusable": bool(uses[s.id]),
            "theme": s.theme,
            "by_claim": isinstance(s.coverage, ByClaim),
            "forms": [{"id": claim["id"], "verdict": claim["verdict"]} for claim in forms.get(s.id, [])],
            "own": standing[s.id]["own"],
            "border": _border(standing[s.id]),
            "fill": _fill(standing[s.id], standing),
            "text": standing[s.id]["text"],
            "x": at[s.id][0],
            "y": at[s.id][1],
        }
        for s in paper.statements
    ]
    shown = Counter(s["kind"] for s in statements)
    return {
        "key": paper.key,
        "title": paper.title,
        "year": paper.year,
        "setting": paper.setting,
        "summary": summary,
        "counts": Counter(claim["verdict"] for claim in mine),
        "statements": statements,
        "labels": {s.id: s.label for s in paper.statements},
        "legend": [
            {
                "answer": answer,
                "said": ANSWERS.get(answer, answer),
                "border": sum(s["border"] == answer for s in statements),
                "fill": sum(s["fill"] == answer for s in statements),
            }
            for answer in (STRENGTH[0], REPAIRED, *STRENGTH[1:])
            if any(answer in (s["border"], s["fill"]) for s in statements)
        ],
        "shapes": [(kind, said, outline(kind, 44, 18), shown[kind]) for kind, said in STATEMENT_KINDS.items()],
        "edges": [
            (number[used], number[name], _line(at[used], at[name], used in main, name in main))
            for name, names in uses.items()
            for used in names
            if used in uses
        ],
        "half": (BOX[0] // 2, MAIN[0] // 2),
        "step": STEP,
        "margin": (MAIN[0] // 2 + 4, MAIN[1] // 2 + 4),
        "size": (max(x for x, _ in at.values()), max(y for _, y in at.values())),
        "places": _foci(paper, uses),
    }


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


def _border(standing: Json) -> str:
    """The answer of the printed form itself."""
    own: str = standing["own"]
    return REPAIRED if own == Verdict.REFUTED.value and standing["corrected"] else own


def _fill(standing: Json, known: Mapping[str, Json]) -> str:
    """The weakest answer among what a statement rests on; its own where it rests on nothing."""
    weakest: str = standing["weakest"]
    if weakest == Verdict.REFUTED.value:
        return REPAIRED if all(known[used]["corrected"] for used in standing["through"]) else weakest
    return weakest or _border(standing)


def outline(kind: str, width: int, height: int) -> str:
    """The path of a box around the origin that tells the kind of a statement."""
    x, y, c = width // 2, height // 2, CORNER
    sides = {
        # Ends of a half circle, and a slanted box.
        "definition": f"M{y - x} {-y}H{x - y}a{y} {y} 0 0 1 0 {2 * y}H{y - x}a{y} {y} 0 0 1 0 {-2 * y}z",
        "assumption": f"M{c - x} {-y}H{x}L{x - c} {y}H{-x}z",
        # Round corners, and corners cut off.
        "probability": (
            f"M{c - x} {-y}H{x - c}q{c} 0 {c} {c}V{y - c}q0 {c} {-c} {c}"
            f"H{c - x}q{-c} 0 {-c} {-c}V{c - y}q0 {-c} {c} {-c}z"
        ),
        "expectation": f"M{c - x} {-y}H{x - c}l{c} {c}V{y - c}l{-c} {c}H{c - x}l{-c} {-c}V{c - y}z",
        # Pointed at both ends, wider at its foot, pointed to the right, and notched on the left.
        "asymptotic": f"M{c - x} {-y}H{x - c}L{x} 0L{x - c} {y}H{c - x}L{-x} 0z",
        "convergence": f"M{-x} {-y}H{x - c}L{x} 0L{x - c} {y}H{-x}z",
        "implication": f"M{-x} {-y}H{x - c}L{x} 0L{x - c} {y}H{-x}L{c - x} 0z",
        "experiment": f"M{c - x} {-y}H{x - c}L{x} {y}H{-x}z",
    }
    return sides.get(kind, f"M{-x} {-y}H{x}V{y}H{-x}z")


def _line(start: tuple[int, int], end: tuple[int, int], from_main: bool, to_main: bool) -> str:
    """From the right side of one box to the left side of another, with the head of an arrow there; as graph.js does."""
    x1, y1 = start[0] + (MAIN if from_main else BOX)[0] // 2, start[1]
    x2, y2 = end[0] - (MAIN if to_main else BOX)[0] // 2, end[1]
    middle = (x1 + x2) // 2
    return f"M{x1} {y1}C{middle} {y1} {middle} {y2} {x2} {y2}l-6-3m6 3l-6 3"


def _foci(paper: Paper, uses: Mapping[str, Sequence[str]]) -> dict[str, list[list[float]]]:
    """For each statement that rests on others: these, laid out anew, as number, distance in steps, column and row."""
    number = {s.id: k for k, s in enumerate(paper.statements)}
    found: dict[str, list[list[float]]] = {}
    for name in uses:
        steps = ancestors(uses, name)
        if len(steps) > 1:
            found[str(number[name])] = [[number[p.id], steps[p.id], p.column, p.row] for p in layout(uses, steps)]
    return found
