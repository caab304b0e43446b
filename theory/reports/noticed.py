"""Which rows notice wrong gradients and gates in the code that they run: read from what `make mutants` left.

A row that passes as well with every wrong gradient and every wrong gate that its code meets is no evidence about
networks. Main definitions: `FILE`, which a full run of `theory.upkeep.mutants` writes, and `said`, what a row says of
it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from theory.core.values import JsonDict

FILE = Path(__file__).with_name("noticed.json")


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
    """What is known of a claim: whether it is `silent`, and a `text`, which is empty where its code meets none."""
    entry = recorded().get(claim)
    if entry is None or not entry["met"]:
        return {"silent": False, "text": ""}
    silent = not entry["noticed"]
    met = "1 wrong gradient or gate" if entry["met"] == 1 else f"{entry['met']} wrong gradients and gates"
    text = f"it passes with each of {met} that its code meets" if silent else f"it notices wrong code, of {met} met"
    return {"silent": silent, "text": text}
