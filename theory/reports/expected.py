"""What a replay of a row has to come to, as `--expect` asks: the number of its worst case, and the verdict of the row.

Main definitions: `of_row` and `of`, which write it, and `of_entry` and `of_example`, which do from a ledger; `parse`,
which reads it; `Expectation.said_of`, which holds a row against it.
"""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import dataclass

from theory.claims.selection import SelectionError
from theory.core.agreement import near, same_ratio, settled
from theory.core.digits import near_one, read
from theory.core.values import Json
from theory.core.verdict import Verdict
from theory.evidence import of_method
from theory.judging.judge import IN_PYTHON, Row
from theory.reports.words import printed_ratio, share_of_itself

# Digits of the number: more than the tolerance between processors asks for, so that a reader sees the same ones again.
# Where rounding may have moved it by more there are fewer, each of them a hundred times that.
DIGITS, LEAST_DIGITS = 6, 3

_WRITTEN = re.compile(rf"(ratio|measured) (\S+(?: [+-] \S+)?), ({'|'.join(Verdict)})")


class ExpectationError(SelectionError):
    """A text that says no expectation; the message is one line."""


@dataclass(frozen=True)
class Expectation:
    """What a replay measures at the worst case, its ratio or the number alone, and the verdict of the whole row."""

    what: str
    number: float
    verdict: str
    digits: int = DIGITS

    @property
    def text(self) -> str:
        """As `--expect` takes it."""
        return f"{self._number}, {self.verdict}"

    @property
    def _number(self) -> str:
        return f"{self.what} {near_one(self.number, self.digits)}"

    def said_of(self, row: Row) -> tuple[bool, str]:
        """Whether a row comes to this, and a line that says so.

        One trial decides no rate, so that of a row of trials the number alone is asked for; and of an identity the
        verdict alone, as its number is a rounding error, and so where rounding hides both a number and its bound.
        """
        found = _found(row, self.what, str(row.verdict))
        one_trial = "trial" in row.config.at and row.verdict is Verdict.UNDECIDED
        if not (self._same_number(row, found) and (one_trial or found.verdict == self.verdict)):
            return False, f"not as in the ledger: {found.text}, where the ledger has {self.text}"
        if one_trial and found.verdict != self.verdict:
            return True, f"as in the ledger: {found._number}; one trial decides nothing, all of them: {self.verdict}"
        return True, f"as in the ledger: {found.text}"

    def _same_number(self, row: Row, found: Expectation) -> bool:
        if row.claim.sense == "=" and not row.claim.evidence.bound_is_of_test:
            return True
        if row.worst is not None and row.worst.is_blank:
            return True
        return self._is_close(found.number)

    def _is_close(self, number: float) -> bool:
        close = same_ratio if self.what == "ratio" else near
        return close(number, self.number)

    def is_near(self, other: Expectation) -> bool:
        """Whether what comes to the one comes to the other: the same but for the processor."""
        return (self.what, self.verdict) == (other.what, other.verdict) and self._is_close(other.number)


def _found(row: Row, what: str, verdict: str) -> Expectation:
    worst = row.worst
    number = math.nan
    if worst is not None:
        ratio = settled(worst.printed_ratio(row.claim.sense), worst.share_of_itself)
        number = ratio if what == "ratio" else worst.measured
    return Expectation(what, number, verdict, DIGITS if worst is None else _digits(worst.share_of_itself))


def _digits(share: float) -> int:
    """How many digits stay the same, nearly always, of a number that rounding moved by this share of itself."""
    if not 0.0 < share < math.inf:
        return DIGITS
    return min(DIGITS, max(LEAST_DIGITS, round(-math.log10(share)) - 2))


def of_row(row: Row) -> str:
    """What a replay of this row comes to; empty where it has no worst case.

    How far a sample may be from its law depends on how many cells are judged: there it is the distance alone.
    """
    if row.worst is None or row.error:
        return ""
    what = "measured" if row.claim.evidence.bound_is_of_test else "ratio"
    return _found(row, what, str(row.verdict)).text


def of(ratio: float, share: float, verdict: str) -> str:
    """What the replay of an instance comes to: its ratio as printed, which rounding may have moved by this share."""
    return Expectation("ratio", settled(ratio, share), str(verdict), _digits(share)).text


def of_entry(entry: Json, place: int | None) -> str:
    """What a replay of this entry of a ledger comes to, whose worst cell has this place; empty where it has none."""
    if place is None or entry["error"]:
        return ""
    cell, verdict = entry["cells"][place], entry["verdict"]
    if of_method(entry["evidence"]["method"]).bound_is_of_test:
        return Expectation("measured", float(cell["measured"]), verdict, _digits(share_of_itself(cell))).text
    return of(printed_ratio(cell, entry["sense"]), share_of_itself(cell), verdict)


def of_example(entry: Json, example: Json) -> str:
    """What a replay of one of the counterexamples of an entry comes to."""
    return of(printed_ratio(example, entry["sense"]), share_of_itself(example), entry["verdict"])


def asking(command: str, expectation: str) -> str:
    """The command that replays, with what it has to come to; a call in Python as it is."""
    if command.startswith(IN_PYTHON):
        return command
    return f"{command} --expect {shlex.quote(expectation)}" if expectation else command


def parse(text: str) -> Expectation:
    """What the text of `--expect` says. Raises `ExpectationError`."""
    said = _WRITTEN.fullmatch(text.strip())
    number = read(said[2]) if said else math.nan
    if said is None or (math.isnan(number) and said[2] != "nan"):
        raise ExpectationError(f"--expect: {text!r} says no number and verdict; write them as in 'ratio 0.97, holds'")
    return Expectation(said[1], number, said[3])
