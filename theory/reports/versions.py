"""Versions of one statement in several papers, side by side: formulas, exponents, and their bounds at one place.

Main definitions: `groups`, what the records of the papers declare to be about one quantity; `side_by_side`, what a run
found of them. Nothing is typed twice: formulas, exponents and bounds are those of the claims.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from theory.claims.results import CellResult
from theory.core.statements import THEMES, Version
from theory.core.values import JsonDict, Values
from theory.judging.judge import Row
from theory.papers import papers

# Sizes in which versions are compared, and the symbols that papers have for each.
SIZES: dict[str, tuple[str, ...]] = {
    "m": ("m", "M"),
    "L": ("L", "l", "depth"),
    "n": ("n",),
    "s": ("s",),
    "tau": ("tau", "omega"),
    "phi": ("phi", "phi_pm"),
    "outputs": ("outputs",),
    "eta": ("eta",),
}


@dataclass(frozen=True)
class Group:
    """Versions of one quantity, the one that leads first, and the theme that this says."""

    title: str
    theme: str
    versions: tuple[Version, ...]


def groups() -> list[Group]:
    """What the records of all papers declare to be versions of one quantity, by theme; of each one has to lead."""
    declared: dict[str, list[Version]] = {}
    for paper in papers().values():
        for version in paper.versions:
            declared.setdefault(version.quantity, []).append(version)
    found = []
    for title, versions in declared.items():
        leading = next((version for version in versions if version.theme), None)
        if leading is not None:
            rest = (version for version in versions if version is not leading)
            found.append(Group(title, leading.theme, (leading, *rest)))
    return sorted(found, key=lambda group: list(THEMES).index(group.theme))


def side_by_side(rows: Sequence[Row]) -> list[JsonDict]:
    """For each group of which two claims or more were judged: its versions, and their bounds where the first stands."""
    by_id = {row.claim.id: row for row in rows}
    found = []
    for group in groups():
        known = {version.claim: version for version in group.versions}
        judged = [by_id[identifier] for identifier in known if identifier in by_id]
        if len(judged) > 1:
            beside = _beside(known, judged)
            found.append(
                {
                    "title": group.title,
                    "theme": group.theme,
                    "versions": [_version(row) for row in judged],
                    "beside": beside,
                    "absent": _absent(known, judged, beside),
                }
            )
    return found


def _version(row: Row) -> JsonDict:
    # A bound may hold two names of a size, the depth and the layer: what was fitted goes first. A size that the bound
    # does not hold has the exponent 0, where one was fitted.
    fitted, held = row.evidence.exponents, row.bound.symbols
    named = {
        size: next((n for known in (fitted, held) for n in names if n in known), None) for size, names in SIZES.items()
    }
    return {
        "claim": row.claim.id,
        "exponents": {size: _exponent(row, name) for size, name in named.items() if name is not None},
    }


def _known(row: Row, cell: CellResult) -> JsonDict:
    """What the bound may be evaluated with at a cell: its symbols, those of the worst case, and a fitted constant."""
    fitted, hidden = row.evidence.details.get("constant"), row.claim.evidence.constant
    return {**cell.worst, **cell.at, **({hidden: fitted} if hidden is not None and fitted is not None else {})}


def _exponent(row: Row, name: str) -> dict[str, float]:
    """The claimed exponent of a symbol, and the measured one with its interval, NaN where it is not known.

    Where none was fitted it is the claimed one moved by the slope of the worst ratio.
    """
    nan = math.nan
    if fitted := row.evidence.exponents.get(name):
        low, high = fitted["ci"]
        numbers = (fitted["claimed"], fitted["measured"], low, high)
        return dict(zip(("claimed", "measured", "low", "high"), map(float, numbers), strict=True))
    worst = row.worst
    try:
        claimed = float(row.bound.exponent(name, **_known(row, worst))) if worst is not None else nan
    except (ArithmeticError, ValueError, KeyError, TypeError):  # no limit, or a symbol that the cell does not know
        claimed = nan
    trend = row.trends.get(name)
    if trend is None or trend.along or not math.isfinite(trend.slope):
        return {"claimed": claimed, "measured": nan, "low": nan, "high": nan}
    sign = -1.0 if row.claim.sense == ">=" else 1.0
    ends = sorted(claimed + sign * end for end in trend.interval)
    return {"claimed": claimed, "measured": claimed + sign * trend.slope, "low": ends[0], "high": ends[1]}


def _beside(versions: Mapping[str, Version], judged: Sequence[Row]) -> list[JsonDict]:
    """At each judged cell of the first claim: what was measured, and the bounds of all that can be evaluated there."""
    first, found = judged[0], []
    others = [row for row in judged[1:] if not versions[row.claim.id].apart]
    for cell in first.evidence.cells:
        values = _known(first, cell)
        bounds = {row.claim.id: _bound(row, values, versions[row.claim.id].renamed) for row in others}
        known = {identifier: bound for identifier, bound in bounds.items() if math.isfinite(bound)}
        if known and math.isfinite(cell.measured) and math.isfinite(cell.bound):
            at = {name: value for name, value in cell.at.items() if name in first.bound.symbols}
            found.append({"at": at, "measured": cell.measured, "bounds": {first.claim.id: cell.bound, **known}})
    return found


def _absent(versions: Mapping[str, Version], judged: Sequence[Row], beside: Sequence[JsonDict]) -> dict[str, str]:
    """The versions whose bounds stand at no cell of the first claim, each with the reason."""
    first, found = judged[0], {}
    for row in judged[1:]:
        version = versions[row.claim.id]
        if version.apart:
            found[version.claim] = f"its bound is {version.apart}"
        elif not any(version.claim in entry["bounds"] for entry in beside):
            given = {*(_known(first, first.evidence.cells[0]) if first.evidence.cells else {}), *row.bound.constants}
            needed = [name for name in row.bound.symbols if name not in given and name not in version.renamed]
            lacking = f"depends on {', '.join(needed)}" if needed else "is no number"
            found[version.claim] = f"its bound {lacking} where {first.claim.id} was measured"
    return found


def _bound(row: Row, values: Values, renamed: Mapping[str, str | float]) -> float:
    """The bound of a claim at the values of another, NaN where it needs more."""
    own = _known(row, row.evidence.cells[0]) if row.evidence.cells else {}
    constants = {name: own[name] for name in row.bound.constants if name in own}
    given = {**values, **{n: values.get(v) if isinstance(v, str) else v for n, v in renamed.items()}, **constants}
    if any(given.get(name) is None for name in row.bound.symbols):
        return math.nan
    try:
        limit = np.asarray(row.bound.evaluate(given), float)
    except (ArithmeticError, ValueError, TypeError):  # outside the domain of the formula
        return math.nan
    return float(limit) if limit.ndim == 0 else math.nan
