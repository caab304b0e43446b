"""The one kind of array the kernels see: float64, C-contiguous, writable.

numba compiles a kernel anew for every other kind, and two processes that cache two versions of one kernel
at the same time may mix them up. So what is public passes its arguments through `matrix` or `vector`.
"""

from typing import TypeGuard

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def matrix(values: npt.ArrayLike, what: str) -> Array:
    """`values` as a float64 array (n, k), copied only if need be; ValueError unless it has two axes."""
    return _canonical(values, 2, what, "(samples, coordinates)")


def vector(values: npt.ArrayLike, what: str) -> Array:
    """`values` as a float64 array (k,), copied only if need be; ValueError unless it has one axis."""
    return _canonical(values, 1, what, "(coordinates,)")


def is_canonical(values: npt.ArrayLike, axes: int) -> TypeGuard[Array]:
    """Whether `matrix`, for 2 axes, or `vector`, for 1, would return the very same array."""
    return type(values) is np.ndarray and values.ndim == axes and values.dtype == np.float64 and values.flags.carray


def _canonical(values: npt.ArrayLike, axes: int, what: str, wanted: str) -> Array:
    # Asked first, as it is most often so, and faster than `np.require` finds out.
    array = values if is_canonical(values, axes) else np.require(values, np.float64, ["C", "W"])
    if array.ndim != axes:
        raise ValueError(f"{what} has shape {array.shape}: pass an array of shape {wanted}")
    return array
