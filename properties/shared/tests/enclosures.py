"""Whether a ball holds a number of mpmath.

Main definitions: `exactly`, that number as a ball of no radius; `encloses`.
"""

from typing import Any

import flint

from bounds.arithmetic.balls import precision_of

# More bits than any number has here.
BITS = 2000


def exactly(value: Any) -> flint.arb:
    """A number of mpmath as a ball of no radius."""
    sign, mantissa, exponent, _ = value._mpf_
    with precision_of(BITS):
        return flint.arb(int(mantissa) * (-1) ** sign) * flint.arb(2) ** exponent


def encloses(ball: flint.arb, value: Any, error: str = "1e-90") -> bool:
    """Whether a number that is known up to this error may lie in the ball; False of NaN."""
    with precision_of(BITS):
        return bool(abs(ball - exactly(value)).lower() <= flint.arb(error))
