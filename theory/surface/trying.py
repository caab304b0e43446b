"""`lemmata try FILE[::NAME]`: a first look at the claims of a file, in seconds.

Main definitions: `main`, the command; `told`, what is printed of one claim.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from typing import NoReturn

from theory.claims.results import LOOSEST, CellResult
from theory.claims.selection import SelectionError
from theory.core.budget import OWN_BUDGET
from theory.core.data import Data
from theory.core.digits import apart, near_one
from theory.core.refusal import ClaimError
from theory.core.values import Values
from theory.core.verdict import PremiseStatus
from theory.judging.trying import SECONDS, Glance, attempt
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.surface.named import claims_at

REFUSED = 4

# What makes a long run shorter.
CHEAPER = "smaller last values in the lists, or fewer steps in the function, shorten it"

# Beyond so many seconds a run is told in minutes.
LONG = 100.0


class _Parser(argparse.ArgumentParser):
    """One whose refusals are one line, with the exit code of refused options."""

    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Look at the claims that the command line names; 4 where they are refused, 1 where something warns, else 0."""
    parser = _Parser(prog="lemmata try")
    parser.add_argument("what", metavar="FILE[::NAME]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data")
    parser.add_argument("--timeout", type=float, default=SECONDS)
    given = parser.parse_args(arguments)
    if not 0.0 <= given.timeout < math.inf:
        parser.error(f"--timeout {given.timeout:g}: write seconds, or 0 for no limit")
    try:
        claims = claims_at(given.what)
        brought = None if given.data is None else rooms.load_data(given.data)
    except (ClaimError, SelectionError, rooms.data_error()) as error:
        print(f"lemmata try: {error}", file=sys.stderr)
        return REFUSED
    source = rooms.sphere() if any(claim.takes_data for claim in claims) else None
    config = RunConfig(seed=given.seed, data=Data(source, brought))
    warned = False
    for claim in claims:
        glance = attempt(claim, config, OWN_BUDGET / len(claims), given.timeout)
        print("\n".join(told(glance)), end="\n\n" if claim is not claims[-1] else "\n")
        warned |= glance.failure is not None or bool(glance.warnings)
    return int(warned)


def told(glance: Glance) -> list[str]:
    """What was seen of a claim: its cells beside their bounds, the constant, what would be noticed, and warnings."""
    claim = glance.claim
    lines = [f"{claim.id}: {claim.title}", f"  measured {claim.sense} {claim.bound.text}"]
    if glance.evidence is None:
        why = glance.failure.reason if glance.failure is not None else "nothing was measured"
        return [*lines, f"  no result  {why}"]
    cells = list(glance.evidence.cells)
    every = [*glance.fitted, *cells]
    common = {name: v for name, v in every[0].at.items() if all(c.at.get(name) == v for c in every)} if every else {}
    beyond = glance.ahead.result
    shown = [_row(cell, common, "fit: ") for cell in glance.fitted] + [_row(cell, common) for cell in cells]
    shown += [_row(beyond, common, "beyond: ")] if beyond is not None else []
    lines += [f"  all at     {_said(common)}"] if common else []
    if shown:
        table = _aligned([("cell", "measured", "bound", "ratio", "missed"), *shown])
        lines += ["", *(f"  {line}" for line in table), ""]
    if glance.failure is not None:
        return [*lines, f"  no result  {glance.failure.reason}"]
    if glance.unmeasured:
        missing = f"{glance.unmeasured} of {len(cells) + glance.unmeasured} cells"
        lines.append(f"  time       was over before {missing}; give --timeout more seconds")
    lines += [f"  beyond     not looked at: {glance.ahead.why}"] if glance.ahead.why else []
    lines += _constant(glance)
    sees = [f"{name} ({', '.join(how)})" for name, how in glance.sight.sees.items()]
    many = f"by {glance.measurements} measurement{'s' * (glance.measurements != 1)} of each cell"
    lines.append(f"  sees       {'; '.join(sees) if sees else 'nothing yet'}, {many}")
    lines += [f"  not seen   {name}: {why}" for name, why in glance.sight.blind.items()]
    lines += [f"  not seen   {glance.sight.unasked}"] if glance.sight.unasked else []
    if glance.expected:
        about, took = "at least" if glance.unmeasured else "about", glance.expected
        lines.append(f"  full run   {about} {_duration(took)}")
    if (dear := glance.dearest) is not None:
        at = _said({name: value for name, value in dear.at.items() if common.get(name) != value}) or "its one cell"
        lines.append(f"  dearest    {dear.share:.0%} of it at {at}, {dear.seconds:.2g} s for a measurement: {CHEAPER}")
    lines += [f"  unsure     {unsure}; the whole run decides" for unsure in glance.unsure]
    return lines + [f"  warning    {warning}" for warning in glance.warnings]


def _duration(seconds: float) -> str:
    if seconds > LONG:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.2g} s"


def _constant(glance: Glance) -> list[str]:
    """The best value of the constant, or by which factor the bound could be nearer; nothing of a bound that is 0.

    The ratio of an equality is a share of what it forgives, and no factor of its bound.
    """
    if not glance.constant and glance.claim.sense == "=":
        return []
    if not glance.constant:
        worst = glance.best
        return (
            [f"  bound      just met by what was measured if it were {worst:.3g} times as large"] if worst > 0.0 else []
        )
    how = "as it stands"
    if glance.claim.evidence.constant:
        how = "as the whole run would most likely fit it on the smaller sizes"
        details = glance.evidence.details if glance.evidence is not None else {}
        if (loosest := details.get(LOOSEST)) is not None:
            how += f", at {'most' if glance.claim.sense == '<=' else 'least'} {loosest:.4g}"
    return [f"  constant   {glance.constant} = {glance.value:.4g}, {how}; the best value is {glance.best:.4g}"]


def _row(cell: CellResult, common: Values, lead: str = "") -> tuple[str, ...]:
    measured, bound = apart(cell.measured, cell.bound) if math.isfinite(cell.bound) else (f"{cell.measured:.4g}", "-")
    at = _said({name: value for name, value in cell.at.items() if name not in common or common[name] != value})
    missed = f"{cell.failures} of {cell.trials}" if cell.trials else "-"
    status = "" if cell.premises is PremiseStatus.INSIDE else f" ({cell.premises})"
    ratio = near_one(cell.ratio) if math.isfinite(cell.bound) else "-"
    return (lead + (at or "(one cell)"), measured, bound, ratio, missed + status)


def _said(values: Values) -> str:
    return ", ".join(
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in values.items()
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
