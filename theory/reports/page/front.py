"""The front of the page: how the run came out, what it tested of each theorem, what the words mean, and three more.

Main definitions: `front`; `shown_papers`; `WORDS`, words beside the verdicts; `AXIS`, `at_power`, `readable` and
`lanes`, the axis of widths.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeGuard

from theory.core.statements import FALSE
from theory.core.values import Json, JsonDict
from theory.core.verdict import MEANING, Verdict
from theory.evidence import of_method
from theory.papers import papers
from theory.reports.main_theorems import counted
from theory.reports.page import widths
from theory.reports.rests_on import NOT_RUN

# What a line says of words that stand beside the verdicts.
WORDS = {
    "control": "a variant that is wrong on purpose, in one thing; every run has to refute it, or the run fails",
    "power": "the smallest error in the statement that the run would have caught",
    "trivial": "of a size: nothing that can be measured could miss the bound there, so that it counts for nothing",
}

# The claims that decide the hexagon in exact arithmetic: the panel is there where one of them was judged.
HEXAGON = ("zou2018:lemma-A.11-hexagon", "zou2018:theorem-4.1")

# So many theorems of a paper stand open; the others are folded.
OPEN = 4

# Not as expected are shown on the front up to so many.
FEW = 20

# The sizes at which the axis of widths and the planner begin; the axis asks for the first four.
SIZES: dict[str, float] = {"n": 1000, "phi": 0.1, "L": 3, "delta": 0.1, "outputs": 1, "d": 10}
ASKED = ("n", "phi", "L", "delta")

# In the order in which the planner asks for them.
FIELDS = ("n", "d", "L", "phi", "delta", "outputs")

# How sizes are written in a line.
LETTERS = {"phi": "φ", "delta": "δ"}

# What the axis of widths is marked at: powers of ten. They range up to thousands, so that they are on a scale of
# their own, with room for those below `STRETCH`; the axis ends at `LONGEST`.
AXIS = (0, 1, 3, 10, 30, 100, 300, 1000)
LONGEST = 4000
STRETCH = 1.0

# Percent of the axis within which two dots would touch.
NEAR = 1.5


def front(ledger: Json) -> JsonDict:
    """What the front shows of a ledger."""
    claims = ledger["claims"]
    counts = Counter(claim["verdict"] for claim in claims)
    controls = [control for claim in claims for control in claim["controls"]]
    tested = [t for t in ledger["main_theorems"] if _is_told(t)]
    return {
        "odd": [claim for claim in claims if not claim["ok"]],
        "few": FEW,
        "day": _day(ledger["suite"]["started"]),
        "verdicts": [(str(v), counts[str(v)], said) for v, said in MEANING.items()],
        "share": [(str(v), counts[str(v)] / len(claims)) for v in Verdict if counts[str(v)]],
        "words": WORDS,
        "controls": (sum(control["refuted"] for control in controls), len(controls)),
        "own": tuple(sum(_own(claim)[k] for claim in claims) for k in range(2)),
        "examples": _examples(ledger),
        "tested": counted((t["id"], t["scope"], t["unseen"]) for t in tested),
        "papers": [_paper(key, ledger) for key in shown_papers(ledger)],
        "false": _false(ledger),
        "widths": _widths(ledger),
    }


def shown_papers(ledger: Json) -> list[str]:
    """The keys of the papers of which claims were judged; where none was, of those of which something is known."""
    known = {t["id"].split(":")[0] for t in ledger["main_theorems"] if t["scope"] != NOT_RUN}
    return sorted({claim["paper"] for claim in ledger["claims"]} or known)


def _own(claim: Json) -> tuple[int, int]:
    """How many wrong variants of its own a row refuted, and how many it asked about."""
    return len(claim["own_variants"]["refuted"]), claim["own_variants"]["asked"]


def _day(started: str) -> str:
    """A time of ISO 8601 as a day in words, or as it stands where it is none."""
    try:
        day = datetime.fromisoformat(started)
    except ValueError:
        return started
    return f"{day.day} {day:%B %Y}"


def _paper(key: str, ledger: Json) -> JsonDict:
    """A paper with its counts; of one that no record lists there is only its key."""
    claims = [claim for claim in ledger["claims"] if claim["paper"] == key]
    record, summary = papers().get(key), ledger["papers"].get(key)
    counts = Counter(claim["verdict"] for claim in claims)
    return {
        "key": key,
        "title": record.title if record is not None else "",
        "authors": ", ".join(record.authors) if record is not None else "",
        "year": record.year if record is not None else "",
        "url": record.url if record is not None else "",
        "recorded": record is not None,
        "statements": summary["statements"] if summary else len({claim["statement"] for claim in claims}),
        "open": len(summary["open"]) if summary else 0,
        "false": sum(e["decision"] == FALSE for e in summary["errata"]) if summary else 0,
        "claims": len(claims),
        "counts": [(str(v), counts[str(v)], counts[str(v)] / len(claims)) for v in Verdict if counts[str(v)]],
        "theorems": [t for t in ledger["main_theorems"] if t["id"].startswith(f"{key}:") and _is_told(t)],
    }


def _is_told(theorem: Json) -> bool:
    """Whether a run has something to say of a theorem."""
    asked = theorem["printed"] != NOT_RUN or theorem["rows"] or theorem["through"]
    return bool(theorem["scope"] != NOT_RUN and asked)


def _false(ledger: Json) -> JsonDict:
    """How many statements are false as printed, and those that the hexagon refutes, where it was judged."""
    judged = {claim["id"]: claim for claim in ledger["claims"]}
    shown = {claim["paper"] for claim in ledger["claims"]}
    errata = [
        erratum
        for key, paper in ledger["papers"].items()
        if key in shown
        for erratum in paper["errata"]
        if erratum["decision"] == FALSE
    ]
    labels = {statement.id: statement.label for paper in papers().values() for statement in paper.statements}
    return {
        "count": len(errata),
        "of": sum(paper["statements"] for key, paper in ledger["papers"].items() if key in shown),
        "theorems": [
            {**t, "paper": t["id"].split(":")[0]}
            for t in ledger["main_theorems"]
            if t["printed"] == str(Verdict.REFUTED)
        ],
        "hexagon": [judged[name] for name in HEXAGON if name in judged],
        "by_hexagon": [
            (labels[erratum["id"]], erratum["refuted"][0])
            for erratum in errata
            if "hexagon" in erratum["why"] and erratum["refuted"][0] in judged
        ],
    }


def _examples(ledger: Json) -> list[tuple[str, str]]:
    """A control of each paper, of a row that speaks for a main theorem: the claim, and what is wrong on purpose."""
    controls = {claim["id"]: claim["controls"] for claim in ledger["claims"]}
    found: dict[str, tuple[str, str]] = {}
    for theorem in ledger["main_theorems"]:
        for name in theorem["best"]:
            if controls.get(name):
                found.setdefault(theorem["id"].split(":")[0], (name, controls[name][0]["name"]))
    return list(found.values())


def _widths(ledger: Json) -> JsonDict | None:
    """The axis of widths of the theorems that this run judged, with what the script needs to draw it anew."""
    known = widths.known()
    theorems = [t for t in ledger["main_theorems"] if t["id"] in known and t["rows"]]
    if not theorems:
        return None
    powers = {t["id"]: widths.between(known[t["id"]], SIZES) for t in theorems}
    return {
        "sizes": {name: SIZES[name] for name in ASKED},
        **_planner(theorems, known, powers),
        "trained": _trained(ledger["claims"]),
        "lanes": lanes(theorems, powers),
        "ticks": [(power, at_power(power)) for power in AXIS],
        "data": {
            "grid": widths.GRID,
            "axis": [LONGEST, STRETCH],
            "near": NEAR,
            "sizes": SIZES,
            "found": [widths.COMPUTED, widths.BETWEEN, widths.BEYOND],
            "tables": {name: vars(known[name]) for name in powers},
        },
    }


def _planner(
    theorems: Sequence[Json], known: Mapping[str, widths.Table], powers: Mapping[str, float | None]
) -> JsonDict:
    """The planner's table at the sizes at which it begins, the least width first, and what its table is over."""
    used = {name for theorem in theorems for name in known[theorem["id"]].sizes}
    ranked = sorted(theorems, key=lambda t: p if _is_known(p := powers[t["id"]]) else math.inf)
    rows = [
        {
            **{name: theorem[name] for name in ("id", "label", "title", "printed")},
            "paper": theorem["id"].split(":")[0],
            "width": readable(powers[theorem["id"]]),
            "fails": () if _is_known(powers[theorem["id"]]) else known[theorem["id"]].fails,
            "found": widths.standing(known[theorem["id"]], SIZES),
            "of": [LETTERS.get(name, name) for name in FIELDS if name in known[theorem["id"]].sizes],
        }
        for theorem in ranked
    ]
    over = [
        f"{LETTERS.get(name, name)} = {' and '.join([', '.join(points[:-1]), points[-1]])}"
        for name in FIELDS
        if name in used and (points := [f"{point:,g}" for point in widths.GRID[name]])
    ]
    return {
        "fields": {name: SIZES[name] for name in FIELDS},
        "rows": rows,
        "grid": "; ".join(over),
        "idle": [LETTERS.get(name, name) for name in FIELDS if name not in used],
    }


def _is_known(power: float | None) -> TypeGuard[float]:
    return power is not None and not math.isnan(power)


def _trained(claims: Sequence[Json]) -> tuple[int, float] | None:
    """The widest network that a row on training took, and where that stands on the axis."""
    widths = [
        cell["at"]["m"]
        for claim in claims
        if claim["kind"] == "convergence" and of_method(claim["evidence"]["method"]).compares
        for cell in claim["cells"]
        if cell["trials"] and isinstance(cell["at"].get("m"), int)
    ]
    return (max(widths), at_power(math.log10(max(widths)))) if widths else None


def at_power(power: float) -> float:
    """Where a power of ten stands on the axis, in percent of it."""
    return round(100.0 * math.log1p(power / STRETCH) / math.log1p(LONGEST / STRETCH), 2)


def lanes(theorems: Sequence[Json], powers: Mapping[str, float | None]) -> list[JsonDict]:
    """For each paper its theorems with their places, and those without a width at these sizes."""
    found: dict[str, JsonDict] = {}
    for theorem in theorems:
        key = theorem["id"].split(":")[0]
        lane = found.setdefault(key, {"key": key, "dots": [], "without": []})
        power = powers[theorem["id"]]
        dot = {
            "id": theorem["id"],
            "label": theorem["label"],
            "printed": theorem["printed"],
            "width": readable(power),
            "at": at_power(power) if _is_known(power) else None,
            "row": 0,
        }
        lane["dots"].append(dot)
        if dot["at"] is None:
            lane["without"].append(theorem["label"])
    for lane in found.values():
        placed = sorted((dot for dot in lane["dots"] if dot["at"] is not None), key=lambda dot: float(dot["at"]))
        # One above the other where they would touch.
        first, row = -NEAR, 0
        for dot in placed:
            first, row = (first, row + 1) if dot["at"] - first < NEAR else (dot["at"], 0)
            dot["row"] = row
        lane["rows"] = 1 + max((dot["row"] for dot in placed), default=0)
    return list(found.values())


def readable(power: float | None) -> str:
    """A width in words, by its power of ten: as the script writes it."""
    if power is None:
        return "no width at these sizes"
    if math.isnan(power):
        return "not known here"
    if power <= 0.0:
        return "any width"
    return f"m ≥ {10.0**power:,.0f}" if power < 6.0 else f"m ≥ 10^{power:.0f}"
