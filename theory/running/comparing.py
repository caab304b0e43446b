"""A measurement held against its bound: in floats, and in ball arithmetic where floats do not decide.

Main definition: `compared`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bounds.bound import Bound
from theory.core.measured import Comparison, Measured, Outcome, compare
from theory.core.values import Values


def compared(measured: Measured, bound: Bound, values: Values, limit: Any, sense: str) -> Comparison:
    """Compare with `limit`, the bound at `values`, which has all symbols and constants; `sense` is the claim's."""
    comparison = compare(measured, limit, sense)
    enclosure = measured.enclosure if sense != "=" else None
    if comparison.outcome is Outcome.BORDERLINE and enclosure is not None:
        outcome, ratio = _decided(enclosure(), bound.ball(**values), sense), comparison.ratio
        if outcome is Outcome.PASS:
            # Floats may have lost the bound in cancellation; what is known to be met has no larger ratio.
            ratio = min(ratio, 1.0)
        comparison = replace(comparison, outcome=outcome, ratio=ratio, decided=outcome is Outcome.PASS)
        if not comparison.unsure:
            comparison = replace(comparison, close=False, blank=0.0)
    return comparison


def _decided(measured: Any, bound: Any, sense: str) -> Outcome:
    """Three-valued comparison of two enclosures; an undecided pair stays borderline."""
    small, large = (measured, bound) if sense == "<=" else (bound, measured)
    if bool(small <= large):
        return Outcome.PASS
    return Outcome.FAIL if bool(small > large) else Outcome.BORDERLINE
