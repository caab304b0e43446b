"""Formulas of a claim that are written as text, read.

Main definition: `Reading`, which reads all those of one claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bounds import formula
from bounds.bound import Bound
from bounds.formula import Constants
from bounds.premise import Premise

# Where a premise stands in its paper, at the end of what is said of it.
_PLACE = re.compile(r"\s*\[([^\[\]]+)\]\s*$")


@dataclass
class Reading:
    """Reads the formulas of one claim that are written as text, all with the same `constants`.

    `constants` has the value of each constant and the reason for it; `shared` has further ones, of formulas that are no
    text, which need not be used. `paper` and `label` say where what a premise asks for stands.
    """

    constants: Constants
    shared: Constants = field(default_factory=dict)
    paper: str = ""
    label: str = ""
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
        """The premise that is written, likewise: its words and a colon may stand before the inequality.

        It stands where the statement does, unless its words end in another place, in brackets: "width against depth
        [eq. (3)]: m >= 4*L**2".
        """
        if isinstance(written, str):
            said, _, inequality = written.rpartition(":")
            found = _PLACE.search(said)
            said, place = (said[: found.start()], found[1]) if found else (said, self.label)
            source = f"{self.paper}, {place}" if self.paper and place else ""
            made = formula.premise(inequality.strip(), self._known, source, said.strip())
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
