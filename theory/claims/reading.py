"""Formulas of a claim that are written as text, read.

Main definition: `Reading`, which reads all those of one claim.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bounds import formula
from bounds.bound import Bound
from bounds.formula import Constants
from bounds.premise import Premise


@dataclass
class Reading:
    """Reads the formulas of one claim that are written as text, all with the same `constants`.

    `constants` has the value of each constant and the reason for it; `shared` has further ones, of formulas that are no
    text, which need not be used.
    """

    constants: Constants
    shared: Constants = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def bound(self, written: object) -> Bound:
        """The bound that is written; what is no text must be one already.

        Raises `ValueError` for text that is no formula, and for anything else.
        """
        if isinstance(written, str):
            made = formula.formula(written, self._known)
            self.used |= set(made.constants)
            return made
        if not isinstance(written, Bound):
            raise ValueError(f"{written!r} is no formula; write it as text, as in '2*sqrt(n/m)'")
        return written

    def premise(self, written: object) -> Premise:
        """The premise that is written, likewise."""
        if isinstance(written, str):
            made = formula.premise(written, self._known)
            self.used |= set(made.constants)
            return made
        if not isinstance(written, Premise):
            raise ValueError(f"{written!r} is no premise; write it as text, as in 'm >= 4*n'")
        return written

    @property
    def unused(self) -> list[str]:
        """The constants that no text read so far has."""
        return sorted(set(self.constants) - self.used)

    @property
    def _known(self) -> Constants:
        return {**self.shared, **self.constants}
