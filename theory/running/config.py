"""What the user asked for in one run of the suite.

Main definition: `RunConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bounds.bound import Bound
from bounds.premise import Premise
from theory.core.choices import EFFORT_FACTOR
from theory.core.data import NO_DATA, Data
from theory.core.values import Values

Smallest = Callable[[Sequence[Premise], str, Values], int | None]


@dataclass(frozen=True)
class RunConfig:
    """What the user asked for.

    `at` and `bound` are the what-if assignments and formula, and `data` is where training points come from. `forms`
    lists for each statement the ids of all claims on it, those included that are not asked for. `smallest` solves
    premises for a size, where the widths that would meet them are wanted; a long one it may overstate, by less than the
    digits that are printed. A claim has `time_limit` seconds, 0 for as long as it takes.
    """

    effort: str = "quick"
    seed: int = 0
    jobs: int = 1
    at: Values = field(default_factory=dict)
    bound: Bound | None = None
    data: Data = NO_DATA
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    smallest: Smallest | None = None
    time_limit: float = 0.0

    @property
    def factor(self) -> int:
        """Budget multiplier of the effort."""
        return EFFORT_FACTOR[self.effort]

    @property
    def declared(self) -> RunConfig:
        """The same run without what-if and user's data: the conditions under which controls are judged."""
        return replace(self, at={}, bound=None, data=self.data.declared)

    @property
    def asks_elsewhere(self) -> bool:
        """Whether the user moved the sizes or the data, so that the premises need not hold there."""
        return bool(self.at) or self.data.is_brought
