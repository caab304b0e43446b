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


def _is_canonical(values: npt.ArrayLike) -> TypeGuard[Array]:
    """Whether nothing is to be done, which is most often so, and asked faster than `np.require` does."""
    return type(values) is np.ndarray and values.dtype == np.float64 and values.flags.carray


def is_matrix(values: npt.ArrayLike) -> TypeGuard[Array]:
    """Whether `matrix` would return the very same array."""
    return _is_canonical(values) and values.ndim == 2


def _canonical(values: npt.ArrayLike, axes: int, what: str, wanted: str) -> Array:
    array = values if _is_canonical(values) else np.require(values, np.float64, ["C", "W"])
    if array.ndim != axes:
        raise ValueError(f"{what} has shape {array.shape}: pass an array of shape {wanted}")
    return array
