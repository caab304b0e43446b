"""What changed between two ledgers: claims that are new or lost, verdicts that turned, what is stated and where it is
judged, controls, and bounds met more tightly or less.

Main definitions: `Change`; `changes`; `read`, which reads an older ledger.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from theory.core.guard import SessionError
from theory.core.values import Json, JsonDict
from theory.core.verdict import Verdict

# A worst ratio moves by chance where other instances are drawn: less than this share is not told.
MOVED = 0.01

# In the order in which a reader wants them.
KINDS = {
    "turned": "another verdict",
    "lost": "no longer judged",
    "new": "judged for the first time",
    "bound": "another bound",
    "premises": "other premises",
    "constants": "other values of constants",
    "sizes": "judged at other sizes",
    "controls": "other controls, or caught otherwise",
    "tightened": "the worst ratio is nearer to 1",
    "loosened": "the worst ratio is further from 1",
}

# So many of the entries that differ are told.
MOST_TOLD = 3

# What a page asks of the run of an older ledger.
UNSAID = {"started": "", "commit": "an unknown run"}


class LedgerMissingError(SessionError):
    """A file that is no ledger; the message is one line."""


@dataclass(frozen=True)
class Change:
    """A claim, what kind of change it is, and what was and is, in words."""

    id: str
    kind: str
    before: str
    after: str


def read(path: Path, asked: str = "") -> JsonDict:
    """The ledger of that file, or in that folder; `asked` is the option that names it.

    Raises `LedgerMissingError` where there is none.
    """
    said = f"{asked}: " if asked else ""
    file = path / "ledger.json" if path.is_dir() else path
    try:
        found: JsonDict = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no JSON"
        raise LedgerMissingError(f"{said}{str(file)!r}: {reason}; name a ledger.json or its folder") from None
    claims = found.get("claims") if isinstance(found, dict) else None
    if not isinstance(claims, list) or not all(isinstance(c, dict) and {"id", "verdict"} <= set(c) for c in claims):
        raise LedgerMissingError(f"{said}{str(file)!r} is no ledger; name one that --ledger wrote")
    # One of an earlier form may say less of its run than the page tells.
    suite = found.get("suite")
    found["suite"] = {**UNSAID, **(suite if isinstance(suite, dict) else {})}
    return found


def changes(old: Json, new: Json, selected: bool = False) -> list[Change]:
    """The changes from one ledger to the other, by kind and id.

    With `selected`, the new one is about some claims alone, and a claim that is missing is not lost.
    """
    before = {claim["id"]: claim for claim in old["claims"]}
    after = {claim["id"]: claim for claim in new["claims"]}
    found = [Change(i, "new", "", after[i]["verdict"]) for i in after if i not in before]
    if not selected:
        found += [Change(i, "lost", before[i]["verdict"], "") for i in before if i not in after]
    for identifier in sorted(set(before) & set(after)):
        one, other = before[identifier], after[identifier]
        if one["verdict"] != other["verdict"]:
            found.append(Change(identifier, "turned", one["verdict"], other["verdict"]))
        elif moved := _moved(one, other):
            found.append(Change(identifier, moved, f"{_ratio(one):.4g}", f"{_ratio(other):.4g}"))
        found += _stated(one, other)
    order = list(KINDS)
    return sorted(found, key=lambda change: (order.index(change.kind), change.id))


def _stated(one: Json, other: Json) -> list[Change]:
    """How two forms of a claim differ in what they state, in their sizes and in their controls."""
    found = []
    for kind, told in ENTRIES.items():
        try:
            before, after = told(one), told(other)
        except KeyError:  # an earlier form of the ledger, which does not say it
            continue
        gone, come = ([entry for entry in mine if entry not in its] for mine, its in ((before, after), (after, before)))
        if gone or come:
            found.append(Change(other["id"], kind, _listed(gone), _listed(come)))
    return found


def _constants(claim: Json) -> list[str]:
    return [f"{name} = {float(value):.4g}" for name, value in claim["evidence"]["constants"].items()]


def _sizes(claim: Json) -> list[str]:
    return [", ".join(f"{name} = {value}" for name, value in cell["at"].items()) for cell in claim["cells"]]


def _controls(claim: Json) -> list[str]:
    return [control["name"] + ("" if control["refuted"] else ", not caught") for control in claim["controls"]]


# What the entries of a claim say, by the kind of change.
ENTRIES: dict[str, Callable[[Json], list[str]]] = {
    "bound": lambda claim: [f"{claim['sense']} {claim['bound']}"],
    "premises": lambda claim: [premise["text"] for premise in claim["premises"]],
    "constants": _constants,
    "sizes": _sizes,
    "controls": _controls,
}


def _listed(entries: Sequence[str]) -> str:
    """The first entries, and how many there are beyond."""
    said = "; ".join(entries[:MOST_TOLD])
    return said + (f"; and {len(entries) - MOST_TOLD} more" if len(entries) > MOST_TOLD else "")


def _ratio(claim: Json) -> float:
    """The worst ratio; a ledger writes what is not finite as text."""
    return float(claim.get("worst_ratio", math.nan))


def _moved(one: Json, other: Json) -> str:
    """Whether the ratio of a passing row came nearer to 1 or went away from it."""
    first, second = _ratio(one), _ratio(other)
    if not Verdict(other["verdict"]).is_pass or not (0.0 < first <= 1.0 and 0.0 < second <= 1.0):
        return ""
    if abs(second - first) <= MOVED * max(first, second):
        return ""
    return "tightened" if second > first else "loosened"
