"""The formulas of a claim: those of its block that are text, read.

Main definitions: `Formulas`; `formulas_of`, which reads them; `reason_for_none`, for premises that are not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Control
from theory.claims.reading import Reading
from theory.claims.written import Unread, Written, listed_premises
from theory.core.verdict import NONE_NEEDED

# What is read from text.
Formula = TypeVar("Formula", Bound, Premise)


@dataclass(frozen=True)
class Formulas:
    """The formulas of a block, those written as text read."""

    bound: Bound
    premises: tuple[Premise, ...]
    ceiling: Bound | None
    controls: tuple[Control, ...]
    normalised: Mapping[str, Bound]


def formulas_of(written: Written, label: str) -> Formulas:
    """Read what is text. Raises `ClaimError` for what is no formula, with the piece underlined.

    `label` is that of the statement, where its premises stand.
    """
    texts = written.texts
    hidden = texts["evidence"].constant
    fitted = {} if hidden is None else {hidden: (1, "fitted on the calibration cells")}
    reading = Reading(texts["constants"], fitted, written.statement.split(":")[0], label)

    def read(what: str, reader: Callable[[object], Formula], text: object) -> Formula:
        try:
            return reader(text)
        except ValueError as error:
            raise written.refuse(f"its {what}: {error}") from None

    def read_control(c: Control) -> Control:
        what = f"control {c.name!r}"
        if not isinstance(c, Unread):
            return c
        wrong = None if c.written is None else read(what, reading.bound, c.written)
        return Control(c.name, wrong, c.cells, tuple(read(what, reading.premise, p) for p in c.dropped), c.knobs)

    stated = read("bound", reading.bound, texts["bound"])
    # What is written beside it may name the constants of the bound, which have their values there.
    reading.shared = {**fitted, **stated.constants}
    premises = () if reason_for_none(written) else listed_premises(texts["premises"])
    ceiling = texts["ceiling"]
    formulas = Formulas(
        bound=stated,
        premises=tuple(read("premise", reading.premise, p) for p in premises),
        ceiling=None if ceiling is None else read("ceiling", reading.bound, ceiling),
        controls=tuple(map(read_control, texts["controls"])),
        normalised={n: read(f"divisor of {n!r}", reading.bound, by) for n, by in texts["normalised"].items()},
    )
    # What a form has from its block may be of use there alone.
    for name in reading.unused if "constants" in written.own else ():
        raise written.refuse(f"its constant {name!r} occurs in none of its formulas that are text; leave it out")
    return formulas


def reason_for_none(written: Written) -> str:
    """Why no premise is needed, where that is what is written in their place; else empty.

    Raises `ClaimError` where the reason is left out.
    """
    premises = written.texts["premises"]
    if not isinstance(premises, str) or not premises.startswith(NONE_NEEDED):
        return ""
    reason = premises.removeprefix(NONE_NEEDED).removeprefix(":").strip()
    if not reason:
        raise written.refuse('its premises are none needed, without a reason; write "none needed: " and why')
    return reason
