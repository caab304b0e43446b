"""The forward pass of a ReLU network.

Main definitions: `forward` and what it returns, `Forward`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.activations import relu_with_gate
from nets.arrays import Array, matrix
from nets.network import Network


@dataclass(frozen=True, eq=False)
class Forward:
    """All layers at all samples; rows are samples.

    `pre` and `masks` start at layer 1 and `post` at the input, as in the papers. For masks that do not come
    from the weights (zou2018, Lemma B.1) replace them: `dataclasses.replace(fwd, masks=...)`.

    Attributes
    ----------
    pre : L arrays (n, m_l); pre[l - 1] holds W_l^T x_{l-1,i}
    post : L + 1 arrays (n, m_l); post[l] holds x_{l,i}, post[0] the input
    masks : L arrays (n, m_l) of 0.0 and 1.0; masks[l - 1] holds the diagonals of Sigma_{l,i}
    output : (n,), f(x_i)
    """

    pre: tuple[Array, ...]
    post: tuple[Array, ...]
    masks: tuple[Array, ...]
    output: Array


def forward(net: Network, X: npt.ArrayLike) -> Forward:
    """Run the samples X (n, d) through the network. NaN in a sample reaches all its later entries.

    Of a layer only the product `X @ W` is asked.
    """
    X = matrix(X, "the sample array X")
    inputs = net.weights[0].shape[0]
    if X.shape[1] != inputs:
        raise ValueError(f"X has {X.shape[1]} columns: the network takes inputs of dimension {inputs}")
    pre: list[Array] = []
    post: list[Array] = [X]
    masks: list[Array] = []
    for W in net.weights:
        z = post[-1] @ W
        x, mask = relu_with_gate(z)
        pre.append(z)
        post.append(x)
        masks.append(mask)
    return Forward(tuple(pre), tuple(post), tuple(masks), np.asarray(post[-1] @ net.v))
