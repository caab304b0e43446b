"""The table of widths that the front of the page draws: a plan at each point of a grid of sizes.

    python -m theory.upkeep.theorem_widths

writes `theory/reports/page/theorem_widths.json`, with the claims on theorems and corollaries alone, in some minutes.
What the lemmas behind a theorem ask for is left out: with them a single plan takes a minute.

Main definitions: `measured`, what the table ought to have at a point, and `failing`, why it has nothing there.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence

from theory.claims import registry
from theory.claims.block import Claim
from theory.papers import papers
from theory.reports.main_theorems import MAIN
from theory.reports.needs import Plan, own_forms, plan
from theory.reports.page.widths import FILE, GRID, condensed
from theory.reports.solving import SMALLEST_REAL, Solvers, need_of
from theory.running.config import RunConfig

# Digits of a power of ten.
DIGITS = 2


def of_theorems(claims: Sequence[Claim]) -> list[Claim]:
    """Those whose statement is a theorem or a corollary."""
    main = {s.id for paper in papers().values() for s in paper.statements if s.label.startswith(MAIN)}
    return [claim for claim in claims if claim.statement in main]


def measured(claims: Sequence[Claim], at: Mapping[str, float], solvers: Solvers) -> dict[str, float | None]:
    """The power of ten of the width of each theorem at these sizes."""
    found = _plan(claims, at, solvers)
    widths = {theorem.id: theorem.widths.get(theorem.id) for theorem in found.theorems if theorem.own}
    return {name: None if width is None else round(math.log10(width), DIGITS) for name, width in widths.items()}


def _plan(claims: Sequence[Claim], at: Mapping[str, float], solvers: Solvers) -> Plan:
    forms: dict[str, tuple[str, ...]] = {}
    for claim in claims:
        forms[claim.statement] = (*forms.get(claim.statement, ()), claim.id)
    return plan(own_forms(of_theorems(claims)), RunConfig(at=dict(at), forms=forms), papers(), solvers)


def failing(claims: Sequence[Claim], at: Mapping[str, float], statement: str, solvers: Solvers) -> list[str]:
    """Of a theorem without a width at these sizes the premises that fail at every width, and where they would hold.

    That is told of the number of points, the least with which a premise holds, and of the separation, the largest.
    """
    (theorem,) = (found for found in _plan(claims, at, solvers).theorems if found.id == statement)
    premises = {claim.id: claim.premises for claim in claims}
    said: dict[str, None] = {}
    for need in (need_of(claim, RunConfig(at=dict(at)), solvers) for claim in claims if claim.id in theorem.own):
        values = {**at, **{name: float(value) for name, value in _sizes(need.at).items()}}
        for premise in (p for p in premises[need.id] if p.text in need.lacking):
            others = sorted(set(premise.symbols) - {"n", "phi", *premise.constants})
            known = ", ".join(f"{name}={values[name]:.10g}" for name in others if name in values)
            where = f" at {known}" * bool(known)
            if "n" in premise.symbols:
                said[f"{premise.text} fails{where}: it holds from n = {solvers.least([premise], 'n', values):,} on"] = (
                    None
                )
            elif "phi" in premise.symbols:
                most = solvers.most([premise], "phi", values, SMALLEST_REAL, 2.0)
                said[f"{premise.text} fails{where}: it holds up to phi = {most:.3g}"] = None
            else:
                said[f"{premise.text} fails{where}"] = None
    return list(said)


def _sizes(text: str) -> dict[str, str]:
    """The sizes of a need, as it says them, but for those that are words."""
    pairs = [part.split("=") for part in text.split(",") if "=" in part]
    return {name: value for name, value in pairs if re.fullmatch(r"[-+.\de]+", value)}


def main() -> int:
    """Write the table anew."""
    claims = [claim for claim in registry.load_claims() if claim.file.startswith("properties")]
    solvers, powers = Solvers(), dict[str, list[float | None]]()
    for number, point in enumerate(itertools.product(*GRID.values())):
        for name, power in measured(claims, dict(zip(GRID, point, strict=True)), solvers).items():
            powers.setdefault(name, [None] * number).append(power)
    points = [dict(zip(GRID, point, strict=True)) for point in itertools.product(*GRID.values())]
    tables = {name: vars(condensed(row)) for name, row in powers.items()}
    for name, row in powers.items():
        if None in row:
            tables[name]["fails"] = failing(claims, points[row.index(None)], name, solvers)
    rows = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(table, separators=(',', ':'))}" for name, table in tables.items()
    )
    FILE.write_text(f'{{"grid": {json.dumps(GRID)},\n "theorems": {{\n{rows}\n}}}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
