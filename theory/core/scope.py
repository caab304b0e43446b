"""The vocabulary of scopes: how much of a statement a row is about.

Main definitions: `Scope` and `MEANING`; `Scoped`, the scope of a claim with what it is of. Which scope a claim has is
decided in `theory.claims.scoping`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from theory.core.verdict import Verdict


class Scope(StrEnum):
    """What of a statement a claim is about, from the most to the least."""

    AS_PRINTED = "as printed"
    REPAIRED = "repaired"
    OWN_CONSTANTS = "own constants"
    PART = "part"
    STEPS = "steps"
    START = "at the start"
    CHAIN = "chain"
    VACUOUS = "vacuous"
    COUNTEREXAMPLE = "counterexample"

    @property
    def rank(self) -> int:
        """Its place in the vocabulary: 0 for the most."""
        return tuple(Scope).index(self)


MEANING: dict[Scope, str] = {
    Scope.AS_PRINTED: "the printed form, with no constant that the paper does not give",
    Scope.REPAIRED: "the whole statement, in the form that stands beside a printed one with an error",
    Scope.OWN_CONSTANTS: "the printed form, where constants that the paper leaves open have values of the suite",
    Scope.PART: "a part of the statement, or a form of the suite's own that is about a part of it",
    Scope.STEPS: "so many steps of those that the statement speaks of",
    Scope.START: "what the statement takes from the weights before the first step",
    Scope.CHAIN: "exponents, or a recursion of numbers with constants measured on the very run that it judges",
    Scope.VACUOUS: "no size that can be tested is inside the premises",
    Scope.COUNTEREXAMPLE: "where and why the printed form fails: nothing that speaks for it",
}


@dataclass(frozen=True)
class Scoped:
    """The scope of a claim.

    Attributes
    ----------
    scope : which one
    of : which part, how many steps of which, or why it is more than what follows from the block
    constants : the constants of the bound and the premises whose value is the suite's
    ceiling : why it can be no more than a chain, or empty
    declared : whether the block says it
    """

    scope: Scope
    of: str = ""
    constants: tuple[str, ...] = ()
    ceiling: str = ""
    declared: bool = False

    @property
    def text(self) -> str:
        """The scope and what it is of, as a block writes it."""
        return f"{self.scope}: {self.of}" if self.of else str(self.scope)

    def found(self, verdict: Verdict) -> Scope:
        """The scope of a row with this verdict: what was not inside its premises is vacuous, whatever it is about."""
        return Scope.VACUOUS if verdict is Verdict.VACUOUS else self.scope
