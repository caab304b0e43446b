"""The table of widths that the front of the page draws: a plan at each point of a grid of sizes.

    python -m theory.upkeep.theorem_widths

writes `theory/reports/page/theorem_widths.json`, with the claims on theorems and corollaries alone, in ten minutes.
What the lemmas behind a theorem ask for is left out: with them a single plan takes a minute.

Main definition: `measured`, what the table ought to have at a point.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Mapping, Sequence

from theory.claims import registry
from theory.claims.block import Claim
from theory.papers import papers
from theory.reports.main_theorems import MAIN
from theory.reports.needs import plan
from theory.reports.page.widths import FILE, GRID, condensed
from theory.reports.solving import Solvers
from theory.running.config import RunConfig

# Digits of a power of ten.
DIGITS = 2


def of_theorems(claims: Sequence[Claim]) -> list[Claim]:
    """Those whose statement is a theorem or a corollary."""
    main = {s.id for paper in papers().values() for s in paper.statements if s.label.startswith(MAIN)}
    return [claim for claim in claims if claim.statement in main]


def measured(claims: Sequence[Claim], at: Mapping[str, float], solvers: Solvers) -> dict[str, float | None]:
    """The power of ten of the width of each theorem at these sizes."""
    forms: dict[str, tuple[str, ...]] = {}
    for claim in claims:
        forms[claim.statement] = (*forms.get(claim.statement, ()), claim.id)
    found = plan(of_theorems(claims), RunConfig(at=dict(at), forms=forms), papers(), solvers)
    widths = {theorem.id: theorem.widths.get(theorem.id) for theorem in found.theorems if theorem.own}
    return {name: None if width is None else round(math.log10(width), DIGITS) for name, width in widths.items()}


def main() -> int:
    """Write the table anew."""
    claims = [claim for claim in registry.load_claims() if claim.file.startswith("properties")]
    solvers, powers = Solvers(), dict[str, list[float | None]]()
    for number, point in enumerate(itertools.product(*GRID.values())):
        for name, power in measured(claims, dict(zip(GRID, point, strict=True)), solvers).items():
            powers.setdefault(name, [None] * number).append(power)
    tables = {name: vars(condensed(row)) for name, row in powers.items()}
    rows = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(table, separators=(',', ':'))}" for name, table in tables.items()
    )
    FILE.write_text(f'{{"grid": {json.dumps(GRID)},\n "theorems": {{\n{rows}\n}}}}\n', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
