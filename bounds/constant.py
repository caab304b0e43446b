"""A value for a constant that a paper leaves open, and the reason for it.

Main definition: :class:`Constant`.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import sympy

# A constant that is set by attacks stands so many times beyond the worst of them at least: another seed goes further.
LEAST_RESERVE = 1.1


@dataclass(frozen=True)
class Constant:
    """A value for a constant that the paper leaves open, and the reason for this value.

    `value` is a number, or a sympy expression without symbols where the constant is irrational. `attacked` is the
    worst value that attacks made necessary, where the constant is one of the suite's own that is set beyond them:
    `above` and `below` make such a one.
    """

    value: int | float | Fraction | sympy.Expr
    reason: str
    attacked: float | None = None

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"the constant {self.value} has no reason: say why it has this value")

    @classmethod
    def above(
        cls, value: int | float | Fraction | sympy.Expr, *, attacked: float, why: str, seeds: str = "0 to 19"
    ) -> "Constant":
        """The constant of an upper bound, set above the largest that attacks over these seeds reached.

        `why` says what the attacks are. Raises ValueError where the value is not `LEAST_RESERVE` times as large.
        """
        return cls._beyond(
            value, attacked, "above", float(value) / attacked if attacked > 0.0 else math.nan, why, seeds
        )

    @classmethod
    def below(
        cls, value: int | float | Fraction | sympy.Expr, *, attacked: float, why: str, seeds: str = "0 to 19"
    ) -> "Constant":
        """The constant of a lower bound, set below the smallest that attacks over these seeds left.

        `why` says what the attacks are. Raises ValueError where that is not `LEAST_RESERVE` times as large.
        """
        return cls._beyond(
            value, attacked, "below", attacked / float(value) if float(value) > 0.0 else math.nan, why, seeds
        )

    @classmethod
    def _beyond(
        cls,
        value: int | float | Fraction | sympy.Expr,
        attacked: float,
        side: str,
        reserve: float,
        why: str,
        seeds: str,
    ) -> "Constant":
        if not why.strip():
            raise ValueError(f"the constant {value} is set {side} attacks: say which these are")
        if not LEAST_RESERVE <= reserve < math.inf:
            raise ValueError(
                f"the constant {value} is set {side} attacks that reach {attacked:.6g}: its reserve is {reserve:.3g}, "
                f"and another seed may go further; set it {LEAST_RESERVE} times beyond them at least"
            )
        reason = f"set {side} our attacks, which reach {attacked:.6g} over seeds {seeds}, reserve {reserve:.3g}: {why}"
        return cls(value, reason, attacked)

    @property
    def reserve(self) -> float | None:
        """How many times beyond the attacks it stands; none where it is not set by attacks."""
        if self.attacked is None:
            return None
        return max(float(self.value) / self.attacked, self.attacked / float(self.value))

    def __float__(self) -> float:
        return float(self.value)
