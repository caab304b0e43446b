"""The formula that a user asks about in place of the bound of a claim. Main definitions: `asked_bound`, `completed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.claims.selection import SelectionError

if TYPE_CHECKING:
    from bounds.bound import Bound
    from theory.claims.block import Claim
    from theory.core.values import Values


def asked_bound(claim: Claim, text: str) -> Bound:
    """The formula of `--bound` for a claim, in the names that a formula about it may use.

    Raises `SelectionError` where the function of the claim evaluates the bound itself, and the formula has a symbol
    that neither the bound of the claim nor a cell gives; `FormulaError` for what is no formula.
    """
    from bounds.bound import Bound
    from bounds.parse import parse_formula

    bound = Bound(parse_formula(text, claim.names), claim.bound.constants)
    if "bound" in claim.parameters:
        usable = {*claim.bound.symbols, *claim.regime.symbols}
        absent = [name for name in bound.symbols if name not in usable]
        if absent:
            raise SelectionError(
                f"--bound: {claim.id} evaluates its bound itself, and {', '.join(absent)} is measured only after that; "
                f"use {', '.join(sorted(usable | set(claim.bound.constants)))}"
            )
    return bound


def completed(bound: Bound, declared: Bound, values: Values) -> Bound:
    """The bound for a function that evaluates it: the symbols that are not in the declared one as in `values`.

    Such a function gives values to the symbols of the declared bound, and knows of no others.
    """
    for name in bound.symbols:
        value = values.get(name)
        if name not in declared.symbols and isinstance(value, int | float):
            bound = bound.variants.frozen(name, value)
    return bound
