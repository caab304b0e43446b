"""Bounds that are met by any factor: a pass that would also have been one for a bound a thousand times smaller.

Main definitions: `LOOSE` and `loose_claims`, which reads the rows of a run.
"""

from __future__ import annotations

from collections.abc import Sequence

from theory.judging.judge import Row

# A row whose worst ratio is below this says little of its bound: the constants of the statement, a logarithm or a power
# of the depth could be wrong and it would still pass.
LOOSE = 1e-3


def loose_claims(rows: Sequence[Row]) -> frozenset[str]:
    """Ids of the rows that pass with a worst ratio below `LOOSE`, where no sharper row of the same statement passes.

    Not loose are proofs and equalities, whose ratio is no factor of the bound, and rows with a bound of 0 in some
    judged cell, for the same reason. Where a claim on the same statement is declared and was not run, a sharper row may
    exist, and nothing is said.
    """
    ran = {row.claim.id for row in rows}
    spoken_for = {row.claim.statement for row in rows if row.verdict.is_pass and _ratio(row) >= LOOSE and _bounds(row)}
    spoken_for |= {row.claim.statement for row in rows if set(row.config.forms.get(row.claim.statement, ())) - ran}
    return frozenset(
        row.claim.id
        for row in rows
        if row.verdict.is_pass and _ratio(row) < LOOSE and _is_factor(row) and row.claim.statement not in spoken_for
    )


def _ratio(row: Row) -> float:
    return row.worst.ratio if row.worst is not None else float("nan")


def _bounds(row: Row) -> bool:
    """Whether the ratio of the row compares a quantity with a bound."""
    return row.claim.sense != "=" and row.claim.evidence.compares


def _is_factor(row: Row) -> bool:
    """Whether the ratio of the row is the factor by which its bound is met."""
    return _bounds(row) and all(cell.bound > 0.0 for cell in row.evidence.cells if cell.premises is row.premise_status)
