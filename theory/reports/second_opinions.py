"""Which steps of a proof two judges decided: read from what `make second-opinion` left.

Main definitions: `FILE`, which `theory.upkeep.second_opinion` writes; `recorded`, what it has; `said`, what a row says
of the steps that one judge alone decided.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from theory.core.values import JsonDict

FILE = Path(__file__).with_name("second_opinion.json")

#: How a step is decided: alike by two judges, by the first one alone, by neither, or by each in another way.
BOTH, ONE, OPEN, CONTRADICTION = "both", "one judge", "open", "contradiction"


@cache
def recorded(file: Path = FILE) -> Mapping[str, Sequence[JsonDict]]:
    """The steps of each proof that was asked for again; empty where the file is not there."""
    if not file.is_file():
        return {}
    found: Mapping[str, Sequence[JsonDict]] = json.loads(file.read_text(encoding="utf-8"))["claims"]
    return found


def said(claim: str, steps: Sequence[str]) -> str:
    """What a row says of the steps of its proof that were not decided by both judges; empty where all were.

    `steps` are those of this run, in words: one that the record does not know was not asked again.
    """
    if not steps:
        return ""
    known = {entry["step"]: entry["said"] for entry in recorded().get(claim, ())}
    alone = [step for step in dict.fromkeys(steps) if known.get(step) in (ONE, OPEN, CONTRADICTION)]
    unknown = [step for step in dict.fromkeys(steps) if step not in known]
    number = len(dict.fromkeys(steps))
    told = [f"one judge decided {len(alone)} of {number} steps: {'; '.join(alone)}"] if alone else []
    told += [f"{len(unknown)} of {number} steps were not asked of a second judge"] if unknown else []
    return "; ".join(told)
