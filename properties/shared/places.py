"""Steps of a proof that a wrong bound cannot pass: the inequality at places, in ball arithmetic.

That a chain of steps does not go through for another bound refutes nothing; a place where the inequality is false does.
Main definitions: `nowhere_violated`, `away_from`, the places, and `at_most`, for a step whose sides are to be numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from bounds.arithmetic.balls import certainly_le
from bounds.bound import Bound
from theory.evidence import Step


def away_from(place: Mapping[str, Any], others: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The place, and those where one symbol of it has one of its `others`."""
    return [dict(place), *({**place, name: value} for name, values in others.items() for value in values)]


def nowhere_violated(gap: Bound, places: Iterable[Mapping[str, Any]]) -> Step:
    """The step that a gap, which a true inequality makes nonnegative, is certainly negative at none of the places.

    A place may name symbols that the gap lacks. Where the gap is undefined nothing is certain.
    """
    given = [{name: place[name] for name in gap.symbols} for place in places]
    found = [at for at in given if certainly_le(0, gap.ball(**at)) is False]
    where = f"; it is at {', '.join(f'{name} = {value}' for name, value in found[0].items())}" if found else ""
    return Step(f"not violated in ball arithmetic at {len(given)} places{where}", not found)


def at_most(found: sympy.Expr, limit: sympy.Expr) -> bool | None:
    """Whether one real number is at most another; None where either is none."""
    gap = limit - found
    return bool(gap >= 0) if gap.is_number and gap.is_extended_real else None
