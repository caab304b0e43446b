"""Weight matrices beside each other: what each has along those before it.

Main definition: `entries_beside`.
"""

from collections.abc import Sequence

import numpy as np

from nets.core.arrays import Array


def entries_beside(layers: Sequence[Array]) -> Array:
    """What each of k matrices of one shape has in the orthonormal frame that those before it span: (k (k - 1)/2,).

    Independent N(0, s^2) where all entries of all matrices are; of a matrix that is another one, its norm.
    """
    columns = np.column_stack([np.ravel(W) for W in layers])
    frame = np.linalg.qr(columns, mode="r")
    # Each direction of the frame as the layer that adds it has it.
    along = np.where(np.diag(frame) < 0.0, -1.0, 1.0)[:, np.newaxis] * frame
    return np.asarray(along[np.triu_indices(len(along), 1, columns.shape[1])])
