"""What a block is refused for that a scaling fit cannot judge.

Main definition: `problem_of`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from theory.claims.block import Claim
from theory.claims.regime import Cell
from theory.evidence.exponents import AGREEMENTS
from theory.evidence.plan import unknown_to_cells


def problem_of(claim: Claim, exponents: Mapping[str, str], constant: str | None) -> str:
    """What keeps the exponents and the hidden constant of a claim from being fitted, or an empty string.

    Calibration cells must exist, lie apart from the test cells, and let every exponent be fitted.
    """
    regime = claim.regime
    if claim.sense == "=":
        return "a scaling claim bounds from one side; state it with sense '<=' or '>='"
    if exponents and (of_points := sorted(regime.following & {*claim.bound.symbols, *exponents})):
        return f"its fit takes {of_points[0]}, which is not known before points are drawn; use Search or Trials"
    if constant is not None and constant not in claim.bound.constants:
        return f"its hidden constant {constant!r} is no constant of the bound"
    if not regime.calibration:
        return "a scaling claim needs calibration cells; add calibration=grid(...) with smaller sizes"
    calibration = [regime.complete(cell, {}) for cell in regime.calibration]
    test = [regime.complete(cell, {}) for cell in [*regime.cells, *regime.thorough, *regime.nightly]]
    if any(cell in test for cell in calibration):
        return "a calibration cell is also a test cell; keep the two apart"
    return (
        unknown_to_cells(claim, constant)
        or (_of_exponents(exponents, calibration, test[: len(regime.cells)]) if exponents else _of_none(constant))
        or (_of_varying(claim, exponents, calibration + test) if exponents else "")
        or _of_constant(claim, constant, calibration[0])
    )


def _of_none(constant: str | None) -> str:
    if constant is not None:
        return ""
    return "a scaling claim is about exponents; name each variable in exponents={...}, or a constant that is fitted"


def _of_exponents(exponents: Mapping[str, str], calibration: list[Cell], test: list[Cell]) -> str:
    if all(agreement == "free" for agreement in exponents.values()):
        return "a scaling claim is about exponents; name each variable in exponents={...}"
    cells = calibration + test
    columns = []
    for name, agreement in exponents.items():
        if agreement not in AGREEMENTS:
            return f"exponent of {name}: {agreement!r} is none of {', '.join(AGREEMENTS)}"
        if name not in cells[0]:
            return f"exponent of {name}: the cells do not give {name}; add it to them"
        sizes = np.array([float(cell[name]) for cell in cells])
        if not (np.isfinite(sizes) & (sizes > 0.0)).all():
            return f"exponent of {name}: a size is not positive; an exponent is a slope of logarithms"
        fewest = 2 if agreement == "free" else 3
        if np.unique(sizes).size < fewest:
            return f"{name} takes {np.unique(sizes).size} values in the regime; an exponent needs at least {fewest}"
        columns.append(np.log(sizes))
    design = np.column_stack([np.ones(len(cells)), *(column - column.mean() for column in columns)])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return f"the cells do not tell the exponents of {', '.join(exponents)} apart; vary each alone"
    known = len(calibration)
    if not any(c[known:].max() > c[:known].max() or c[known:].min() < c[:known].min() for c in columns):
        return "no test cell lies beyond the calibration cells; a constant must carry over to other sizes"
    return ""


def _of_varying(claim: Claim, exponents: Mapping[str, str], cells: list[Cell]) -> str:
    # A derived variable stands for the symbols it is computed from.
    if set(exponents) & set(claim.regime.derived):
        return ""
    for name in claim.regime.cells[0]:
        if name not in exponents and any(cell[name] != cells[0][name] for cell in cells):
            return f"{name} varies over the cells and would bend the fit; name it in exponents or fix it"
    return ""


def _of_constant(claim: Claim, constant: str | None, cell: Cell) -> str:
    if constant is None:
        return ""
    # What is measured on points is not known here, and whether the constant is a factor does not depend on it.
    cell = {**dict.fromkeys(claim.regime.following, 1.0), **cell}
    unit = float(claim.bound.evaluate({**cell, constant: 1.0}))
    if not 0.0 < unit < math.inf:
        return ""  # a bound that is no number leaves the run undecided, and is shown there
    values = [(c, float(claim.bound.evaluate({**cell, constant: c}))) for c in (2.0, 3.0, 5.0)]
    if all(math.isclose(value, c * unit, rel_tol=1e-9) for c, value in values):
        return ""
    return f"its hidden constant {constant!r} is no factor of the bound, so it cannot be fitted as one"
