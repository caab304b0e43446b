"""What a decision was asked, in a form that another judge can answer by arithmetic of its own.

A deciding function answers with a :class:`Decision`, which carries its questions along: `NotBelowZero`, `IsZero` and
`Implied`. So the step of a proof that is handed a decision knows what was decided, and `theory.upkeep.second_opinion`
asks it again. A decision counts as true where it holds alone: one that is open is no yes.

Written by hand: what sympy's assumptions and its own relations answer, they answer without a record of what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import sympy

__all__ = ["Decision", "Implied", "IsZero", "NotBelowZero", "Question", "all_of", "fails"]


@dataclass(frozen=True)
class NotBelowZero:
    """Whether `expr` >= 0 (> 0 if `strict`) for each symbol between its ends in `within`.

    A symbol that is not in `within` takes all values that it is declared for.
    """

    expr: sympy.Expr
    within: tuple[tuple[sympy.Symbol, sympy.Expr, sympy.Expr], ...] = ()
    strict: bool = False


@dataclass(frozen=True)
class IsZero:
    """Whether `expr` is 0 for each symbol between its ends in `within`, and all values of the others."""

    expr: sympy.Expr
    within: tuple[tuple[sympy.Symbol, sympy.Expr, sympy.Expr], ...] = ()


@dataclass(frozen=True)
class Implied:
    """Whether inequalities imply another one up to constants and logarithms, as `bounds.decisions.chain` has it.

    `define` are formulas for names, inserted in this order; `ends` the range of the exponent p, and which of its two
    ends are left out.
    """

    target: Any
    given: tuple[Any, ...]
    define: Mapping[str, sympy.Expr]
    ends: tuple[Any, Any]
    open_ends: tuple[bool, bool]


Question: TypeAlias = NotBelowZero | IsZero | Implied


@dataclass(frozen=True)
class Decision:
    """Whether what was asked holds (None: open); if not, `at` is a place where it fails or is left open.

    `asked` are the questions with the answer that each got.
    """

    holds: bool | None
    at: float | None = None
    boxes: int = 0
    asked: tuple[tuple[Question, bool | None], ...] = field(default=(), repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.holds is True

    @property
    def where(self) -> str:
        """Where it fails or is open, to be put after the words for what was to be shown; "" if it holds."""
        if self.holds or self.at is None:
            return ""
        return f" ({'open' if self.holds is None else 'fails'} at {self.at:.6g})"

    def of(self, question: Question) -> Decision:
        """The same decision as the answer to one question."""
        return replace(self, asked=((question, self.holds),))


def all_of(found: Iterable[Decision]) -> Decision:
    """That all hold: false where one fails, else open where one is open."""
    decisions = list(found)
    asked = tuple(one for decision in decisions for one in decision.asked)
    said = [decision.holds for decision in decisions]
    holds = False if False in said else None if None in said else True
    worst = next((decision for decision in decisions if decision.holds is holds), None)
    return Decision(holds, None if worst is None or holds else worst.at, sum(d.boxes for d in decisions), asked)


def fails(decision: Decision) -> Decision:
    """That a decision came out false: open where it is."""
    return replace(decision, holds=None if decision.holds is None else not decision.holds)
