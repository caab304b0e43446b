"""Steps of a proof that a wrong bound cannot pass: the inequality at places, in ball arithmetic.

That a chain of steps does not go through for another bound refutes nothing; a place where the inequality is false does.
Main definitions: `nowhere_violated`, `below_at`, `met_from_the_first`; `away_from`, the places; `at_most`, for a step
whose sides are to be numbers, and `constant_values`, which makes numbers of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy

from bounds import Bound, Decision, all_of, at_least, certainly_le, symbol
from bounds.decisions.questions import NotBelowZero
from theory.evidence import Step


def away_from(place: Mapping[str, Any], others: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The place, and those where one symbol of it has one of its `others`."""
    return [dict(place), *({**place, name: value} for name, values in others.items() for value in values)]


def nowhere_violated(gap: Bound, places: Iterable[Mapping[str, Any]]) -> Step:
    """The step that a gap, which a true inequality makes nonnegative, is certainly negative at none of the places.

    A place may name symbols that the gap lacks. A gap without a value at some place leaves the step undecided.
    """
    given = [{name: place[name] for name in gap.symbols} for place in places]
    gaps = [gap.ball(**at) for at in given]
    found = [at for at, ball in zip(given, gaps, strict=True) if certainly_le(0, ball) is False]
    where = f"; it is at {', '.join(f'{name} = {value}' for name, value in found[0].items())}" if found else ""
    said = f"not violated in ball arithmetic at {len(given)} places{where}"
    if found:
        return Step(said, Decision(False).of(_asked_at(gap, found[0])))
    if not all(ball.is_finite() for ball in gaps):
        return Step(said, None)
    return Step(said, all_of(Decision(True).of(_asked_at(gap, at)) for at in given))


def below_at(small: Bound, large: Bound, at: Mapping[str, Any]) -> Decision:
    """Whether one formula is at most another at a place, in ball arithmetic; None where that cannot be told."""
    found = certainly_le(*(side.ball(**{name: at[name] for name in side.symbols}) for side in (small, large)))
    gap = Bound(large.expr - small.expr, constants={**small.constants, **large.constants})
    return Decision(found).of(_asked_at(gap, at))


def _asked_at(gap: Bound, at: Mapping[str, Any]) -> NotBelowZero:
    values = {**{name: constant.value for name, constant in gap.constants.items()}, **at}
    named = {free: values[free.name] for free in gap.expr.free_symbols}
    return NotBelowZero(gap.expr, tuple((free, value, value) for free, value in named.items()))


def met_from_the_first(compared: Sequence[Decision]) -> Decision:
    """That the first comparison holds and no later one fails; those that cannot be told are left out."""
    return all_of([compared[0], *(found for found in compared[1:] if found.holds is not None)])


def constant_values(bound: Bound) -> dict[sympy.Symbol, sympy.Expr]:
    """The constants of a bound, to be put into its formula."""
    return {symbol(name): constant.value for name, constant in bound.constants.items()}


def at_most(found: sympy.Expr, limit: sympy.Expr) -> Decision:
    """Whether one real number is at most another; None where either is none."""
    return at_least(limit, found)
