"""The constants of a start and of the region around it, and the weights for which bounds with them have least slack.

Main definition: `paired`, the weights whose last layer alone has a gradient.
"""

from __future__ import annotations

import numpy as np

from nets.network import Network


def paired(net: Network) -> Network:
    """The network with the last neurons of sign +1 in the place of those of sign -1 as well.

    All outputs are 0, and so are the gradients of the layers below the last.
    """
    last = net.weights[-1][:, : net.v.size // 2]
    return net.with_weights([*net.weights[:-1], np.concatenate([last, last], axis=1)])
