"""Sums whose tails are known exactly, which any general tail bound must respect.

Main definitions: `Witness`; `EXPONENTIAL_WITNESS` and `gaussians`, two of them; `violated_by`, at the
`TAIL_LEVELS` and in the `UNITS`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import flint

from bounds import Bound, certainly_le, precision_of


@dataclass(frozen=True)
class Witness:
    """Sums of `terms` copies of one variable with weights 1, of psi norm at most `norm`, and their exact tail."""

    terms: int
    norm: Callable[[], flint.arb]
    tail: Callable[[flint.arb], flint.arb]

    def violates(self, bound: Bound, level: int, *, size: int = 1, weight: int = 1) -> bool:
        """Whether its tail at the level certainly exceeds the bound.

        With `size` times the variable, and with this weight, the level is as many times higher.
        """
        with precision_of(128):
            values: dict[str, Any] = {
                "normX": size * self.norm(),
                "norma": weight * flint.arb(self.terms).sqrt(),
                "maxa": flint.arb(weight),
                "t": flint.arb(size * weight * level),
            }
            given = {name: values[name] for name in bound.symbols}
            return certainly_le(self.tail(flint.arb(level)), bound.ball(**given)) is False


# Levels at which a tail bound is held against these laws, and units of the variables and weights.
TAIL_LEVELS = (1, 10, 100, 1000)
UNITS = ({"size": 1, "weight": 1}, {"size": 100, "weight": 1}, {"size": 1, "weight": 100})

# An exponential variable less its mean: E[|X|^q]^(1/q)/q is largest at q = 1, where it is 2/e < 3/4.
EXPONENTIAL_WITNESS = Witness(1, lambda: flint.arb(3) / 4, lambda t: (-1 - t).exp())


def gaussians(terms: int) -> Witness:
    """Standard Gaussians: their psi_1 and psi_2 norms are E|X| = sqrt(2/pi), as q = 1 is the worst moment of both."""
    return Witness(terms, lambda: (2 / flint.arb.pi()).sqrt(), lambda t: (t / flint.arb(2 * terms).sqrt()).erfc())


def violated_by(bound: Bound, laws: Iterable[Witness], levels: Sequence[int] = TAIL_LEVELS) -> bool:
    """Whether one of these sums, of variables or weights of some size, exceeds the bound at one of the levels."""
    return any(law.violates(bound, level, **units) for law in laws for level in levels for units in UNITS)
