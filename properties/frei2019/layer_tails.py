"""Chances that a layer lengthens what enters it, in closed form at any width.

Main definition: `chance_of_longer_state`.
"""

from __future__ import annotations

import math

from bounds.laws.layers import chernoff_rate


def chance_of_longer_state(level: float, m: int, gain: float = 2.0) -> float:
    """Above the chance that a ReLU layer of m neurons, variance gain/m, takes a squared norm to `level` times it.

    Chernoff's bound, where the law itself is a sum of some sqrt(m) terms; 1 for levels up to the mean gain/2.
    """
    beyond = 2.0 * level / gain - 1.0
    return math.exp(-m * chernoff_rate(beyond)) if beyond > 0.0 else 1.0
