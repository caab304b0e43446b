"""Norms of random variables by exponential moments, for laws with finitely many values.

Main definitions: `DiscreteLaw`, `sub_gaussian_norm` (chatterji2021, Definition F.1) and `sub_exponential_norm`
(Definition F.2, with the bracket of the print put right): the least t > 0 with E exp((|X|/t)^k) <= 2, for k = 2 and
k = 1. Both are enclosed in balls.

Written by hand: a root of `scipy.optimize` comes without an enclosure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from bounds.arithmetic.balls import BALLS, precision_of

__all__ = ["DiscreteLaw", "sub_exponential_norm", "sub_gaussian_norm"]

PRECISION = 128
# Halvings of the bracket that the search starts from.
HALVINGS = 72


@dataclass(frozen=True)
class DiscreteLaw:
    """Values, taken exactly, in proportion to positive integer counts.

    Raises ValueError unless there is one count per value, and at least one.
    """

    values: Sequence[Fraction | float | int]
    counts: Sequence[int]

    def __post_init__(self) -> None:
        if not self.values or len(self.values) != len(self.counts) or min(self.counts) < 1:
            raise ValueError(f"{len(self.values)} values with the counts {list(self.counts)}; give one count >= 1 each")

    @property
    def mean(self) -> Fraction:
        """Its mean, exactly."""
        weighted = (Fraction(value) * count for value, count in zip(self.values, self.counts, strict=True))
        return sum(weighted, Fraction(0)) / sum(self.counts)

    def squared(self) -> "DiscreteLaw":
        """The law of the square."""
        return DiscreteLaw([Fraction(value) ** 2 for value in self.values], self.counts)

    def shifted(self, by: Fraction) -> "DiscreteLaw":
        """The law of X + by."""
        return DiscreteLaw([Fraction(value) + by for value in self.values], self.counts)

    def exponential_moment(self, scale: flint.arb, order: int) -> flint.arb:
        """E exp((|X|/scale)^order)."""
        total = flint.arb(0)
        for value, count in zip(self.values, self.counts, strict=True):
            total += count * ((abs(BALLS.number(value)) / scale) ** order).exp()
        return total / sum(self.counts)


def sub_gaussian_norm(law: DiscreteLaw) -> flint.arb:
    """The least t with E exp(X^2/t^2) <= 2, enclosed (chatterji2021, Definition F.1)."""
    return _norm(law, 2)


def sub_exponential_norm(law: DiscreteLaw) -> flint.arb:
    """The least t with E exp(|X|/t) <= 2, enclosed (chatterji2021, Definition F.2)."""
    return _norm(law, 1)


def _norm(law: DiscreteLaw, order: int) -> flint.arb:
    """Bisection: the moment is above 2 at the lower end, and at most 2 at the upper one."""
    largest, count = max((abs(value), count) for value, count in zip(law.values, law.counts, strict=True))
    if largest == 0:
        return flint.arb(0)
    with precision_of(PRECISION):
        top, share = BALLS.number(largest), flint.arb(count) / sum(law.counts)
        # All mass at the largest value on the one hand, only its own mass there on the other.
        high = (top / flint.arb(2).log().root(order)).upper()
        low = (top / (2 / share).log().root(order)).lower()
        for _ in range(HALVINGS):
            middle = flint.arb(((low + high) / 2).mid())
            moment = law.exponential_moment(middle, order)
            if moment > 2:
                low = middle
            elif moment <= 2:
                high = middle
            else:
                break
        return low.union(high)
