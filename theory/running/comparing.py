"""A measurement held against its bound: in floats, and in ball arithmetic where floats do not decide.

Main definition: `compared`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bounds.bound import Bound, certainly_le
from theory.core.measured import Comparison, Measured, Outcome, compare, refuse_contradicted
from theory.core.values import Values


def compared(measured: Measured, bound: Bound, values: Values, limit: Any, sense: str) -> Comparison:
    """Compare with `limit`, the bound at `values`, which has all symbols and constants; `sense` is the claim's."""
    known, limit = _beside_zero(measured, bound, values, limit, sense)
    comparison = compare(known, limit, sense)
    enclosure = measured.enclosure if sense != "=" else None
    if comparison.outcome is Outcome.BORDERLINE and enclosure is not None:
        ball = enclosure()
        refuse_contradicted(measured, ball)
        outcome, ratio = _decided(ball, bound.ball(**values), sense), comparison.ratio
        if outcome is Outcome.PASS:
            # Floats may have lost the bound in cancellation; what is known to be met has no larger ratio.
            ratio = min(ratio, 1.0)
        elif outcome is Outcome.FAIL and ratio <= 1.0:
            # Nor has what is known to be missed a smaller one: below the doubles both sides are 0.
            ratio = _quotient(ball, bound.ball(**values), sense)
        comparison = replace(comparison, outcome=outcome, ratio=ratio, decided=outcome is Outcome.PASS)
        if not comparison.unsure:
            comparison = replace(comparison, close=False, blank=0.0)
    return comparison


# The doubles next to 0 are at this distance from it.
TINY = 5e-324


def _beside_zero(measured: Measured, bound: Bound, values: Values, limit: Any, sense: str) -> tuple[Measured, Any]:
    """What to compare where 0 is measured and the bound is 0 as a double alone: its logarithm has its sign.

    There the bound becomes the double next to 0. A bare 0 may be what is left of a number as small or as large, so that
    it decides nothing; one that is exact, a count or of a stated error, does.
    """
    if sense == "=" or (limit != 0.0 if isinstance(limit, float) else np.all(limit)):
        return measured, limit
    value, limits = np.broadcast_arrays(np.asarray(measured.value), np.asarray(limit, float))
    lost = (limits == 0.0) & (value == 0.0)
    moved, shape = np.array(limits), value.shape
    for place in map(tuple, np.argwhere(lost)):
        at = {n: np.broadcast_to(v, shape)[place] if np.size(v) > 1 else _one(v) for n, v in values.items()}
        moved[place] = bound.signed_log(at)[0] * TINY
    if (moved == limits).all():
        return measured, limit
    if measured.error is None and value.dtype.kind == "f":
        measured = replace(measured, error=np.maximum(np.broadcast_to(measured.absolute_error, shape), TINY * lost))
    return measured, moved if shape else float(moved)


def _one(value: Any) -> Any:
    """What an array of one entry holds."""
    return value.item() if isinstance(value, np.ndarray) else value


def _quotient(measured: Any, bound: Any, sense: str) -> float:
    """The ratio of two enclosures of which one misses the other, 1 where they are too wide to tell it."""
    small, large = (measured, bound) if sense == "<=" else (bound, measured)
    return max(1.0, float((small / large).mid()))


def _decided(measured: Any, bound: Any, sense: str) -> Outcome:
    """Three-valued comparison of two enclosures; an undecided pair stays borderline."""
    small, large = (measured, bound) if sense == "<=" else (bound, measured)
    met = certainly_le(small, large)
    return Outcome.BORDERLINE if met is None else Outcome.PASS if met else Outcome.FAIL
