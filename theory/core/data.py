"""The training points of a run as one object: who needs to know asks it, and hands it on whole.

Main definitions: `Data`, and `NO_DATA`, for a run without any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from theory.core.sources import Source, UserData


@dataclass(frozen=True)
class Data:
    """Where the training points of a run come from: the data set that the user brought, or else synthetic ones.

    `synthetic` is nothing where no claim of the run takes points. `brought` is the data set of the user, if there is
    one, and `report` has the lines to be said of it. What it fixes holds in every cell of a claim about data.
    """

    synthetic: Source | None = None
    brought: UserData | None = None
    report: Sequence[str] = ()

    @property
    def is_brought(self) -> bool:
        """Whether the user brought a data set."""
        return self.brought is not None

    @property
    def source(self) -> Source | None:
        """What points are drawn from."""
        return self.brought if self.brought is not None else self.synthetic

    @property
    def fixed(self) -> dict[str, Any]:
        """The symbols that the user's data set fixes: dimension and separation."""
        return {"d": self.brought.d, "phi": self.brought.separation} if self.brought is not None else {}

    @property
    def rows(self) -> int:
        """How many points the user's data set has; 0 where there is none."""
        return self.brought.n if self.brought is not None else 0

    @property
    def declared(self) -> Data:
        """The synthetic points alone: those that controls are judged on."""
        return Data(self.synthetic)

    @property
    def said(self) -> str:
        """What is to be said of the user's data set, in one line."""
        return "; ".join(self.report)


NO_DATA = Data()
