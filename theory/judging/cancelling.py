"""Symbols that cancel between what a claim measures and its bound: a wrong dependence on one would not be noticed.

Where a function measures a quotient by a symbol and the bound multiplies by it again, both sides stay what they are
whatever that symbol is. Two ways find it. A block says by what its function divides (`normalised`), and the bound is
evaluated with the symbol moved there and in the bound alike. And a symbol that is handed to the function is moved and
everything measured again, with the same generator: if both sides come out as before, it is a name and no more.

What is divided by a symbol that also makes the data, without a word in the block, is not found; nor are sizes, which
no function takes without the arrays that go with them. A symbol that is the scale of the data, with which measured ones
move alike, cannot be told from a name: a block may give the reason in `blind`.

Main definitions: `cancelled`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theory.claims.memory import Instance, instance
from theory.claims.regime import Cell
from theory.claims.results import Evidence
from theory.core.measured import ratios, real_numbers
from theory.core.values import Values
from theory.evidence.retrial import judged
from theory.running.case import Case

# By what a symbol is multiplied where only numbers are computed: a probability stays one.
MOVED = 0.75

# What is the same up to rounding.
SAME = 1e-9

# A measurement more for each symbol is made where the claim has made so many.
MEASURED_FOR_ONE = 8

Pair = tuple[Cell, Instance]


def cancelled(case: Case, evidence: Evidence, kept: Sequence[Pair]) -> dict[str, str]:
    """The symbols of the bound that cancel, and how that was found; `kept` are instances inside the premises."""
    # A constant that the function measures takes the place of its stated value.
    if not kept or not set(case.claim.measured) & {*case.bound.symbols, *case.bound.constants}:
        return {}
    chosen = _telling(case, kept)
    found = _by_declaration(case, chosen)
    return found | _by_measuring(case, evidence, kept, chosen, set(found))


def _telling(case: Case, kept: Sequence[Pair]) -> list[Pair]:
    """The first instance, the one nearest to its bound, and the last: all have to agree."""

    def ratio(index: int) -> float:
        one = kept[index][1]
        small, large = (one.limit, one.value) if case.claim.sense == ">=" else (one.value, one.limit)
        found = ratios(np.asarray(small, float), np.asarray(large, float))
        return float(np.fmax.reduce(found.ravel(), initial=-np.inf))

    worst = max(range(len(kept)), key=ratio)
    return [kept[index] for index in dict.fromkeys((0, worst, len(kept) - 1))]


# --- what a block says ------------------------------------------------------------------------------------------------


def _by_declaration(case: Case, chosen: Sequence[Pair]) -> dict[str, str]:
    bound = case.bound
    known = {*bound.symbols, *bound.constants}
    divisors = {name: by for name, by in case.claim.normalised.items() if name in known}
    held = {symbol for by in divisors.values() for symbol in by.symbols}
    found = {}
    for symbol in (name for name in bound.symbols if name in held and name not in divisors):
        if all(_stays(case, {**i.values, **i.symbols}, symbol, divisors) for _, i in chosen):
            told = ", ".join(f"{name} by {by.text}" for name, by in divisors.items() if symbol in by.symbols)
            found[symbol] = f"it cancels: its function divides {told}"
    return found


def _stays(case: Case, values: Values, symbol: str, divisors: Values) -> bool:
    """Whether the bound is the same with the symbol moved in it and in what the measured quotients are divided by."""
    known = case.with_constants(values)
    moved = {**known, symbol: np.asarray(known[symbol], float) * MOVED}
    rescaled = {
        name: np.asarray(known[name], float) * by.evaluate(known) / by.evaluate(moved) for name, by in divisors.items()
    }
    limit, unchanged, apart = (
        case.bound.evaluate(at) for at in (known, {**moved, **rescaled}, {**moved, **{n: known[n] for n in divisors}})
    )
    return _is_same(limit, unchanged) and not _is_same(limit, apart)


def _is_same(one: object, other: object) -> bool:
    """Whether two sets of numbers are equal up to rounding, and are numbers."""
    first, second = np.broadcast_arrays(real_numbers(one), real_numbers(other))
    return bool(np.all(np.abs(first - second) <= SAME * np.abs(first)))


# --- what is measured again -------------------------------------------------------------------------------------------


def _by_measuring(
    case: Case, evidence: Evidence, kept: Sequence[Pair], chosen: Sequence[Pair], known: set[str]
) -> dict[str, str]:
    """By as many measurements as there are symbols, and a few more for each that seems to cancel.

    None is made where the row has made few itself, so that what is measured again costs little beside it.
    """
    bound, claim = case.bound, case.claim
    asked = [
        name
        for name in bound.symbols
        if name in claim.parameters
        and name not in known
        and name not in claim.measured
        and not bound.domains[name].integer
    ]
    made = sum(cell.trials for cell in judged(evidence))
    found = {}
    for name in asked[: made // MEASURED_FOR_ONE]:
        values = {i.values[name] for _, i in kept if name in i.values}
        if len(values) < 2:
            continue
        # The smallest other value: of sizes and numbers of steps that is the cheapest.
        pairs = [(cell, i, min(values - {i.values[name]})) for cell, i in chosen]
        if all(_comes_out_the_same(case, cell, i, name, moved) for cell, i, moved in pairs):
            _, first, moved = pairs[0]
            found[name] = f"it cancels: with {moved:.6g} for {first.values[name]:.6g} both sides come out the same"
    return found


def _comes_out_the_same(case: Case, cell: Cell, kept: Instance, name: str, moved: object) -> bool:
    """Whether the quantity and its bound are the same where the function is told another value of a symbol."""
    values = {**kept.values, name: moved}
    try:
        measured = case.measured(cell, values, kept.trial)
        again = instance(values, kept.trial, measured, case.limit({**values, **measured.symbols}), case.claim.sense)
        apart = case.limit({**values, **kept.symbols})
    except Exception:
        return False  # what cannot be measured there tells nothing
    if again.size != kept.size:
        return False
    return _is_same(kept.value, again.value) and _is_same(kept.limit, again.limit) and not _is_same(kept.limit, apart)
