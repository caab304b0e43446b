"""The kernel of the gradients of all outputs in the limit of infinite width, of given sequences.

Main definitions: `limiting_kernel`, in the order of `properties.allenzhu2018rnn.fake_gradient.loss_gram`, and
`least_in_the_limit`, its least eigenvalue: both by the law of the inputs alone, which knows no network and no gradient.
"""

import numpy as np

from bounds.laws.recurrent_layers import recurrent_kernel
from nets.core.arrays import Array


def limiting_kernel(X: Array) -> Array:
    """The limit of p/m times the kernel of one output of p, of the times from 2 on: (n (L - 1), n (L - 1)).

    For sequences X (n, L, d). Raises ValueError unless X has three axes.
    """
    n, L, _ = X.shape
    kept = recurrent_kernel(X)[1:, :, 1:].transpose(1, 0, 3, 2)
    return np.ascontiguousarray(kept.reshape(n * (L - 1), n * (L - 1)))


def least_in_the_limit(X: Array) -> float:
    """The least eigenvalue of `limiting_kernel`, which is also that of all p outputs."""
    return float(np.linalg.eigvalsh(limiting_kernel(X))[0])
