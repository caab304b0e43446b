"""A series of ledgers as one page: the verdict and the worst ratio of every claim that changed, run by run.

Main definitions: `history`, the text of the page; `main`, which `lemmata history` calls.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from markupsafe import Markup

from theory.core.digits import near_one
from theory.core.guard import SessionError
from theory.core.values import Json, JsonDict
from theory.core.verdict import Verdict
from theory.reports.page import rendered, style
from theory.reports.page.changes import KINDS, changes, read

FILE = "history.html"

# Units of the line of a claim's ratios.
WIDE, HIGH = 90, 22

# A line reaches down to a half at least, so that what hardly moves looks so.
LEAST = math.log(2.0)


def history(ledgers: Sequence[Json], linked: bool = False) -> str:
    """The page of two ledgers or more, the oldest first by the time when their runs began.

    With `linked`, the page of the last of them stands beside it as `index.html`.
    """
    runs = sorted(ledgers, key=lambda ledger: str(ledger["suite"]["started"]))
    known = [{claim["id"]: claim for claim in ledger["claims"]} for ledger in runs]
    told: list[dict[str, list[str]]] = [{}]
    for old, new in pairwise(runs):
        found: dict[str, list[str]] = {}
        for change in changes(old, new):
            said = " to ".join(filter(None, (change.before, change.after)))
            found.setdefault(change.id, []).append(f"{KINDS[change.kind]}: {said}")
        told.append(found)
    moved = sorted({identifier for found in told for identifier in found})
    return rendered(
        "history.html",
        runs=[_run(ledger) for ledger in runs],
        verdicts=[v.value for v in Verdict if any(c["verdict"] == v for ledger in runs for c in ledger["claims"])],
        claims=[_line(identifier, known, told) for identifier in moved],
        count=len(set().union(*known)),
        linked=linked,
        style=style("base.css", "picture.css", "history.css"),
    )


def _run(ledger: Json) -> JsonDict:
    claims, suite = ledger["claims"], ledger["suite"]
    return {
        "commit": suite["commit"],
        "started": suite["started"],
        "effort": suite.get("effort", ""),
        "seed": suite.get("seed", ""),
        "claims": len(claims),
        "counts": Counter(claim["verdict"] for claim in claims),
        "unexpected": sum(not claim.get("ok", True) for claim in claims),
    }


def _line(identifier: str, known: Sequence[Json], told: Sequence[dict[str, list[str]]]) -> JsonDict:
    """A claim in every run: its verdict, its ratio, and what changed against the run before."""
    rows = [claims.get(identifier) for claims in known]
    ratios = [math.nan if row is None else float(row.get("worst_ratio", math.nan)) for row in rows]
    return {
        "id": identifier,
        "line": _drawn(ratios),
        "runs": [
            {
                "verdict": "" if row is None else row["verdict"],
                "ratio": "" if row is None or math.isnan(ratio) else near_one(ratio),
                "changes": found.get(identifier, []),
            }
            for row, ratio, found in zip(rows, ratios, told, strict=True)
        ],
    }


def _drawn(ratios: Sequence[float]) -> Markup:
    """The ratios as a line on a logarithmic scale that has 1 in it; nothing for fewer than two that are positive."""
    shown = [(k, math.log(ratio)) for k, ratio in enumerate(ratios) if 0.0 < ratio < math.inf]
    if len(shown) < 2:
        return Markup("")
    low, high = min(-LEAST, *(y for _, y in shown)), max(0.0, *(y for _, y in shown))

    def up(y: float) -> int:
        return round(HIGH - 2 - (HIGH - 4) * (y - low) / (high - low))

    across = (WIDE - 4) / (len(ratios) - 1)
    path = " ".join(f"{'M' if k == shown[0][0] else 'L'}{round(2 + across * k)} {up(y)}" for k, y in shown)
    whole = '<svg viewBox="0 0 {} {}" width={} role=img aria-label="worst ratio by run; dashed: 1">'
    return Markup(whole + '<path class=said d="M0 {}H{}"/><path class=line d="{}"/></svg>').format(
        WIDE, HIGH, WIDE, up(0.0), WIDE, path
    )


def main(words: Sequence[str]) -> int:
    """Write the page of the ledgers that are named into the folder that is named last; the exit code."""
    *named, folder = map(Path, words) if words else [Path()]
    if len(named) < 2:
        print("lemmata history: name two ledgers or more and a folder, as in before after out", file=sys.stderr)
        return 4
    try:
        text = history([read(path) for path in named], (folder / "index.html").exists())
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(text, encoding="utf-8")
    except (SessionError, OSError) as error:
        print(f"lemmata history: {error}", file=sys.stderr)
        return 4
    print(f"written to {folder / FILE}")
    return 0
