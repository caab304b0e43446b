"""A lemma of another paper, which `paper.py` does not list: lengths in a deep network with biases."""

import numpy as np
from lemmata import lemma
from lemmata.nets import forward, plain_network, sphere

KNOWN = {
    "resolution": 0.2,
    "ratio": lambda m, L: (1.0 + 5.0 / m) ** L,
    "why": "fourth moments of a layer of Gaussian weights and biases",
}


@lemma("hanin2018:mean-length", "= 1/d + v*(L + 1)/4", mean=KNOWN, m=64, d=[2, 8], L=[2, 6], v=[0.1, 1.0])
def mean_length(rng, m, d, L, v):
    """The mean over L layers of |h_l|^2/m, where biases have the variance v."""
    network = plain_network((d, *[m] * L, 1), rng, biases="frozen", bias_variance=v)
    return np.mean([np.mean(state**2) for state in forward(network, sphere(1, d, rng)).post[1 : L + 1]])
