"""The statements of a reader's own paper in a ledger, so that a page can be made of it where their record is not.

Those of the suite's papers are at hand wherever lemmata is installed, and stand in no ledger.

Main definitions: `recorded`, a paper for a ledger; `take_in`, which makes the papers of a ledger known.
"""

from __future__ import annotations

from pathlib import Path

from theory.core.guard import SessionError
from theory.core.statements import ByClaim, Open, Paper, Statement, StatementError, Suspect
from theory.core.values import Json, JsonDict
from theory.papers import is_of_the_suite, papers, recorded_elsewhere

# What a ledger says of a statement beside what its rows and its lists of what is open and doubtful say.
FIELDS = ("id", "label", "title", "kind", "theme", "locator")


def recorded(paper: Paper) -> list[JsonDict]:
    """The statements of a paper that is a reader's own; none of one of the suite."""
    if is_of_the_suite(paper.key):
        return []
    return [{**{name: getattr(s, name) for name in FIELDS}, "uses": list(s.uses)} for s in paper.statements]


def take_in(ledger: Json, file: Path) -> None:
    """Make the papers known that the ledger `file` has with their statements, if they are not.

    Raises `SessionError` for one that contradicts itself.
    """
    for key, entry in ledger.get("papers", {}).items():
        if entry.get("record") and key not in papers():
            try:
                recorded_elsewhere(_paper(key, entry), file)
            except (StatementError, KeyError, TypeError) as error:
                raise SessionError(f"{file}: its record of the paper {key} cannot be read: {error}") from None


def _paper(key: str, entry: Json) -> Paper:
    reasons = {one["id"]: one["reason"] for one in entry["open"]}
    doubts = {one["id"]: one for one in entry["errata"]}
    statements = tuple(
        Statement(
            **{name: said[name] for name in FIELDS},
            uses=tuple(said["uses"]),
            coverage=Open(reasons[said["id"]]) if said["id"] in reasons else ByClaim(),
            suspect=_doubt(doubts[said["id"]]) if said["id"] in doubts else None,
        )
        for said in entry["record"]
    )
    return Paper(key, entry["title"], tuple(entry["authors"]), entry["year"], statements, url=entry["url"])


def _doubt(entry: Json) -> Suspect:
    return Suspect(entry["doubt"], entry["decision"], entry["why"], tuple(entry["refuted"]), tuple(entry["tested"]))
