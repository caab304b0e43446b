"""Outputs and gradients of a network with the Huberised ReLU, written out sample by sample.

Main definition: `outputs_and_gradients`. What claims on definitions compare the code of the networks with.
"""

from collections.abc import Sequence

import numpy as np

from nets.core.arrays import Array


def outputs_and_gradients(weights: Sequence[Array], h: float, X: Array) -> tuple[Array, list[Array]]:
    """f(x_s) for X (n, d), (n,), and its gradients in all weights V_1, ..., V_{L+1}: (n, rows, columns) each."""
    outputs, gradients = [], []
    for x in X:
        features, slopes = [x], []
        for V in weights[:-1]:
            u = V.T @ features[-1]
            features.append(np.where(u > h, u - h / 2.0, np.where(u > 0.0, u**2 / (2.0 * h), 0.0)))
            slopes.append(np.clip(u / h, 0.0, 1.0))
        outputs.append(float(features[-1] @ weights[-1][:, 0]))
        found = [features[-1][:, np.newaxis]]
        arriving = weights[-1][:, 0]
        for layer in range(len(slopes) - 1, -1, -1):
            b = slopes[layer] * arriving
            found.insert(0, np.outer(features[layer], b))
            arriving = weights[layer] @ b
        gradients.append(found)
    return np.array(outputs), [np.array(of_layer) for of_layer in zip(*gradients, strict=True)]
