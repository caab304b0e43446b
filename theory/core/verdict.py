"""The vocabulary of verdicts and how the premises gate them.

A statement is judged on the cells inside its premises. A pass outside them is shown but earns nothing.
"""

from __future__ import annotations

from enum import StrEnum

# What is said of the premises of a claim that has none.
NONE_NEEDED = "none needed"


class Verdict(StrEnum):
    """What a run may say of a claim."""

    HOLDS = "holds"
    PROVED = "proved"
    SUPPORTED = "supported"
    CONSISTENT = "consistent"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    VACUOUS = "vacuous"
    ERROR = "error"

    @property
    def is_pass(self) -> bool:
        """Whether the verdict speaks for the claim."""
        return self in {Verdict.HOLDS, Verdict.PROVED, Verdict.SUPPORTED, Verdict.CONSISTENT}


MEANING: dict[Verdict, str] = {
    Verdict.HOLDS: "no counterexample found by adversarial search",
    Verdict.PROVED: "decided symbolically or in ball arithmetic over the whole stated domain",
    Verdict.SUPPORTED: "failure rate or mean shown to be within its bound, or a law matched within the stated power",
    Verdict.CONSISTENT: "a constant fitted on small sizes carries over to larger ones, exponents agree",
    Verdict.REFUTED: "counterexample found, or statistical evidence beyond the claim's error budget",
    Verdict.UNDECIDED: "the budget was spent without a decision, or a measurement was not a number",
    Verdict.VACUOUS: "no testable size meets the premises, none has a bound one could miss, or a package is missing",
    Verdict.ERROR: "the claim or a control has no result: it raised, was stopped, or its worker was lost",
}


class PremiseStatus(StrEnum):
    """Where a cell, or the judged part of a row, stands relative to the premises.

    A trivial cell is inside, but its bound lies beyond what the measured quantity can reach, so that no network could
    break it. An idle one is inside, but meets its bound as well where what the claim is about is not done.
    """

    INSIDE = "inside"
    TRIVIAL = "trivial"
    IDLE = "idle"
    EXTRAPOLATED = "extrapolated"
    EMPTY = "empty"


def combine(verdicts: list[Verdict]) -> Verdict:
    """The verdict of a row from those of its cells: one refutation refutes, one open cell leaves it open."""
    if not verdicts:
        return Verdict.UNDECIDED
    for decisive in (Verdict.REFUTED, Verdict.UNDECIDED):
        if decisive in verdicts:
            return decisive
    return verdicts[0]


def gate(verdict: Verdict, status: PremiseStatus) -> Verdict:
    """`verdict` as the premises allow it to be said.

    Outside the premises, at a bound that cannot be missed, or where doing nothing does as well, a pass says nothing
    about the statement (`vacuous`); a failure outside does not refute it (`undecided`). Nor is there anything to decide
    at a bound that cannot be missed, which may be too large for a float. An error is one anywhere.
    """
    if verdict is Verdict.ERROR:
        return verdict
    if status is PremiseStatus.INSIDE:
        return verdict
    open_at_trivial = status is PremiseStatus.TRIVIAL and verdict is Verdict.UNDECIDED
    if status is PremiseStatus.EMPTY or verdict.is_pass or open_at_trivial:
        return Verdict.VACUOUS
    return Verdict.UNDECIDED
