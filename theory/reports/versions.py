"""Versions of one statement in several papers, side by side: formulas, exponents, and their bounds at one place.

Main definitions: `Group` and `GROUPS`, which claims are about one quantity; `side_by_side`, what a run found of them.
Nothing is typed twice: formulas, exponents and bounds are those of the claims.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theory.claims.results import CellResult
from theory.judging.judge import Row

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
    """Claims of several papers on one quantity.

    The bounds of all are evaluated where the first one was judged, each with what `renamed` says of its own symbols: a
    symbol of that claim and the name, or the number, that it has there. A bound that needs more is left out.
    """

    title: str
    theme: str
    claims: tuple[str, ...]
    renamed: Mapping[str, Mapping[str, str | float]] = field(default_factory=dict)


# Some groups have a table alone: the loss beyond first order is bounded by what each measurement finds of the outputs,
# the gates by a number; the papers' steps on mini-batches have no sizes in common, as one of them is at infinite width;
# orders of the width, and tails with constants derived, are proved without a measurement.
GROUPS: tuple[Group, ...] = (
    Group(
        "size of the output at the start",
        "initialisation",
        ("zou2018:lemma-A.6-corrected", "chatterji2021:lemma-E.11", "frei2019:eq-8-outputs"),
    ),
    Group(
        "number of small pre-activations",
        "initialisation",
        (
            "zou2018:lemma-A.7-orders",
            "zou2018:lemma-A.7-network",
            "chatterji2021:lemma-E.9-network",
            "guo2024:eq-40",
            "frei2019:claim-D.1",
        ),
        # At the first layer, which inputs of norm 1 enter.
        {"frei2019:claim-D.1": {"clow": 1.0}},
    ),
    Group(
        "operator norm of Gaussian layers",
        "initialisation",
        ("frei2019:lemma-B.1-sharp", "chatterji2021:lemma-E.3-sharp", "zou2018:fact-vershynin-5.35"),
    ),
    Group(
        "least distance of two outputs of a layer, or of what is fresh in two states",
        "separation",
        ("zou2018:theorem-5.1-ii", "guo2024:eq-34-corrected", "allenzhu2018rnn:lemma-B.9"),
        # The points are at one distance from one another, and farther from the antipodes; the last layer is the worst.
        {"guo2024:eq-34-corrected": {"phi_pm": "phi", "l": "L"}},
    ),
    Group(
        "norm of a layer's output against that of the input",
        "norm_preservation",
        (
            "zou2018:corollary-A.2-network",
            "guo2024:lemma-B.1",
            "allenzhu2018rnn:corollary-A.9-sharp",
            "frei2019:a41-layer1",
        ),
    ),
    Group(
        "norm of the last layer against the depth, with scaled skips, with skips and without",
        "norm_preservation",
        (
            "frei2019:lemma-4.1-depth-without-skips",
            "frei2019:lemma-4.1-depth",
            "frei2019:lemma-4.1-depth-at-large-widths",
            "frei2019:lemma-4.1-depth-at-scale-1",
            "zou2018:corollary-A.2-exponent",
        ),
    ),
    Group(
        "operator norm of products of gated layers",
        "sparse_spectral",
        ("zou2018:lemma-A.8-orders", "chatterji2021:lemma-E.4", "allenzhu2018rnn:lemma-B.11"),
    ),
    Group(
        "response of the output to a sparse vector in a layer",
        "sparse_spectral",
        (
            "chatterji2021:lemma-E.8-exponent",
            "zou2018:lemma-A.9-orders",
            "guo2024:lemma-B.3-response",
            "allenzhu2018rnn:eq-4.6",
        ),
        {"zou2018:lemma-A.9-orders": {"M": "m"}, "guo2024:lemma-B.3-response": {"outputs": 1.0}},
    ),
    Group(
        "neurons that flip within a radius",
        "forward_stability",
        (
            "zou2018:lemma-B.3-exponent",
            "chatterji2021:lemma-E.14-flips",
            "guo2024:lemma-B.4-flips",
            "allenzhu2018rnn:eq-5.1",
            "frei2019:lemma-B.4-flips",
        ),
        {
            "chatterji2021:lemma-E.14-flips": {"L": 1.0},
            "guo2024:lemma-B.4-flips": {"omega": "tau"},
        },
    ),
    Group(
        "what flips change in the vector propagated back",
        "semi_smoothness",
        (
            "guo2024:lemma-B.5-exponent",
            "zou2018:eq-D.4-exponent",
            "allenzhu2018rnn:lemma-C.9-flips",
            "frei2019:eq-26-kinks",
        ),
        {"zou2018:eq-D.4-exponent": {"M": "m", "tau": "omega"}},
    ),
    Group(
        "gradient from below by the loss and the separation",
        "gradient_lower_bound",
        (
            "zou2018:lemma-B.5-linear",
            "guo2024:lemma-B.7-orders",
            "allenzhu2018rnn:theorem-5-orders",
            "frei2019:lemma-4.3-sharp",
        ),
    ),
    Group(
        "gradient from above by the loss",
        "gradient_upper_bound",
        (
            "guo2024:lemma-B.6-orders",
            "allenzhu2018rnn:lemma-E.2-sharp",
            "zou2018:lemma-B.6-sharp",
            "frei2019:lemma-4.4-orders",
        ),
    ),
    Group(
        "loss beyond first order in the outputs",
        "smoothness",
        ("frei2019:b2-taylor", "frei2019:b2-taylor-sharp", "zou2018:eq-C.4"),
        # The second derivative of the logistic loss is at most a quarter.
        {"zou2018:eq-C.4": {"lam": 0.25}},
    ),
    Group(
        "share of the loss that a step of gradient descent takes",
        "convergence",
        ("guo2024:theorem-3.1-rate", "allenzhu2018rnn:theorem-1-restated-rate", "zou2018:theorem-4.1-certified"),
    ),
    Group(
        "what a step on a mini-batch takes of the loss, in the mean",
        "stochastic_convergence",
        ("guo2024:theorem-3.2-rate", "allenzhu2018rnn:eq-I.2-I.3", "zou2018:eq-C.20-one-step"),
    ),
    Group(
        "error of linearisation of the output in a ball, by neurons that flip",
        "ntk",
        ("chatterji2021:lemma-D.7", "guo2024:eq-132", "frei2019:a2-i1"),
        {"guo2024:eq-132": {"omega": "tau", "jump": 1.0}},
    ),
    Group(
        "Rademacher complexity of what is linear in the weights of a ball",
        "generalisation",
        ("guo2024:eq-125-bound-order", "frei2019:a2-i2"),
        {"frei2019:a2-i2": {"tau": "omega"}},
    ),
    Group(
        "size of the correction of the gates between two rectified vectors",
        "activation",
        ("frei2019:claim-C.1", "allenzhu2018rnn:proposition-G.3-range"),
    ),
    Group(
        "order of the width that gradient descent asks for",
        "parameter_chains",
        (
            "zou2018:corollary-4.4-width-exponents",
            "guo2024:theorem-3.1-width-exponents",
            "allenzhu2018rnn:theorem-1-restated-width",
            "chatterji2021:thm-3.3-width",
            "frei2019:corollary-3.7",
        ),
    ),
    Group(
        "tail of a weighted sum of sub-exponential variables",
        "scalar_inequalities",
        ("chatterji2021:thm-F.6-constant", "zou2018:fact-bernstein-constant"),
    ),
)


def side_by_side(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """For each group of which two claims or more were judged: its versions, and their bounds where the first stands."""
    by_id = {row.claim.id: row for row in rows}
    found = []
    for group in GROUPS:
        judged = [by_id[identifier] for identifier in group.claims if identifier in by_id]
        if len(judged) > 1:
            found.append(
                {
                    "title": group.title,
                    "theme": group.theme,
                    "versions": [_version(row) for row in judged],
                    "beside": _beside(group, judged),
                }
            )
    return found


def _version(row: Row) -> dict[str, Any]:
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


def _known(row: Row, cell: CellResult) -> dict[str, Any]:
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


def _beside(group: Group, judged: Sequence[Row]) -> list[dict[str, Any]]:
    """At each judged cell of the first claim: what was measured, and the bounds of all that can be evaluated there."""
    first, found = judged[0], []
    for cell in first.evidence.cells:
        values = _known(first, cell)
        bounds = {row.claim.id: _bound(row, values, group.renamed.get(row.claim.id, {})) for row in judged[1:]}
        known = {identifier: bound for identifier, bound in bounds.items() if math.isfinite(bound)}
        if known and math.isfinite(cell.measured) and math.isfinite(cell.bound):
            at = {name: value for name, value in cell.at.items() if name in first.bound.symbols}
            found.append({"at": at, "measured": cell.measured, "bounds": {first.claim.id: cell.bound, **known}})
    return found


def _bound(row: Row, values: Mapping[str, Any], renamed: Mapping[str, str | float]) -> float:
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
