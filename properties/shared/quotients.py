"""Shares of a whole that may be 0, as the states of a network of few neurons are.

Main definition: `quotients`.
"""

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array


def quotients(part: npt.ArrayLike, whole: npt.ArrayLike) -> Array:
    """part/whole, no whole below 0, of shapes that go together: 0 where both are 0, infinite where the whole alone is.

    So a part of 0 is at most any multiple of a whole of 0, and a vector of norm 0 has no direction.
    """
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    without = np.where(part == 0.0, 0.0, np.copysign(np.inf, part))
    return np.divide(part, whole, out=without, where=whole > 0.0)
