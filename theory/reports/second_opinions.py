"""Which steps of a proof two judges decided: read from what `make second-opinion` left.

Main definitions: `FILE`, which `theory.upkeep.second_opinion` writes; `recorded`, what it has; `judges`, how
each step was decided; `said`, what a row says of the steps that one judge alone decided.
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


def judges(claim: str) -> Mapping[str, str]:
    """How each step of a proof, by its words, was decided when it was asked for again."""
    return {entry["step"]: entry["said"] for entry in recorded().get(claim, ())}


def said(claim: str, steps: Sequence[str]) -> str:
    """What a row says of the steps of its proof that were not decided by both judges; empty where all were.

    `steps` are those of this run, in words: one that the record does not know was not asked again.
    """
    known, told = judges(claim), list(dict.fromkeys(steps))
    alone = [step for step in told if known.get(step, BOTH) != BOTH]
    unknown = [step for step in told if step not in known]
    parts = [f"{ONE} for {len(alone)} of {len(told)} steps: {'; '.join(alone)}"] if alone else []
    parts += [f"{len(unknown)} of {len(told)} steps were not asked of a second judge"] if unknown else []
    return "; ".join(parts)
