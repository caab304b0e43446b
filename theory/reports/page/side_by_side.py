"""Statements of several papers on one quantity, beside each other. Main definition: `shown_groups`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from theory.core.values import Json, JsonDict
from theory.reports.figures import Curve, Figure, Panel
from theory.reports.page.drawing import svg
from theory.reports.pictures import quantity

# What the title of a group loses in its address.
NO_LETTERS = re.compile("[^a-z0-9]+")


def shown_groups(ledger: Json, claims: Sequence[Json]) -> list[JsonDict]:
    """What the page shows of each group of versions: with formulas, and a picture of the bounds at one place."""
    by_id = {claim["id"]: claim for claim in claims}
    found = []
    for group in ledger["versions"]:
        drawn = _bounds_at_one_place(group, by_id)
        shown = [{**version, "entry": by_id[version["claim"]]} for version in group["versions"]]
        tightest = [min(e["bounds"], key=lambda name: abs(math.log(_share(e, name)))) for e in group["beside"]]
        found.append(
            {
                **group,
                "link": "versions-" + NO_LETTERS.sub("-", group["title"].lower()).strip("-"),
                "shown": shown,
                "picture": "" if drawn is None else svg(drawn),
                "tightest": Counter(tightest).most_common(),
                "absent": group.get("absent", {}),
            }
        )
    return found


def _share(entry: Json, name: str) -> float:
    """A bound against what was measured there, as a positive number."""
    measured, bound = float(entry["measured"]), float(entry["bounds"][name])
    return bound / measured if measured > 0.0 and bound > 0.0 else math.inf


def _bounds_at_one_place(group: Json, by_id: Mapping[str, Json]) -> Figure | None:
    """What the first claim measured, and the bounds of all there, over each size that takes several values."""
    panels, measured = [], quantity(by_id[group["versions"][0]["claim"]])
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
        panels.append(Panel(name, measured, curves, log_x=True, log_y=positive))
    return Figure(f"{group['title']}: bounds at one place", panels[:3]) if panels else None
