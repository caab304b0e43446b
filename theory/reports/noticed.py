"""Which rows notice wrong gradients and gates in the code that they run: read from what `make mutants` left.

A row that passes as well with every wrong gradient and every wrong gate that its code meets is no evidence about
networks. Main definitions: `FILE`, which a full run of `theory.upkeep.mutants` writes, and `said`, what a row says of
it: of a claim that is new since, that it was not asked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from theory.core.values import JsonDict

FILE = Path(__file__).with_name("noticed.json")

NOT_ASKED = "not asked which wrong gradients and gates it notices"


@cache
def recorded() -> Mapping[str, Mapping[str, Any]]:
    """For each claim that was tried: how many wrong gradients and gates its code `met`, and how many it `noticed`.

    `of` is a digest of what was asked, where it is known. Empty where the file is not there.
    """
    if not FILE.is_file():
        return {}
    found: Mapping[str, Mapping[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))["claims"]
    return found


def said(claim: str) -> JsonDict:
    """What is known of a claim: whether it was `asked` and is `silent`, and a `text`.

    That is empty where its code meets no wrong gradient and no wrong gate, and of a paper that no record is about: a
    reader's own.
    """
    entry = recorded().get(claim)
    if entry is None:
        others = any(name.split(":")[0] == claim.split(":")[0] for name in recorded())
        return {"asked": False, "silent": False, "text": NOT_ASKED if others else ""}
    if not entry["met"]:
        return {"asked": True, "silent": False, "text": ""}
    silent = not entry["noticed"]
    met = "1 wrong gradient or gate" if entry["met"] == 1 else f"{entry['met']} wrong gradients and gates"
    text = f"it passes with each of {met} that its code meets" if silent else f"it notices wrong code, of {met} met"
    return {"asked": True, "silent": silent, "text": text}
