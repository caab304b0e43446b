"""The cards of claims: what each shows beside its entry in the ledger. Main definition: `shown_claims`."""

from __future__ import annotations

from collections.abc import Mapping

from theory.core.values import Json, JsonDict
from theory.papers import papers
from theory.reports.figures import Figure
from theory.reports.page.drawing import svg
from theory.reports.pictures import picture


def shown_claims(ledger: Json, figures: Mapping[str, Figure]) -> list[JsonDict]:
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
                "own": "" if own is None else svg(own, named=True),
                "own_caption": "" if own is None else own.caption,
                "uses": [used for used in entry["uses"] if used in claimed],
                "used_by": used_by.get(entry["statement"], []),
            }
        )
    return found
