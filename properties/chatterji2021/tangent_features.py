"""What the claims on tangent features share: wide networks at initialisation, their features and largest margin.

Main definitions: `wide_network`, with hidden layers revealed where they are square; `Tangent`, a network at its start
with all that is linear there; `two_stage_smoothing`, the h of the two-stage theorem; `limit_margin`, of infinite width.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bounds.laws.tangent_kernel import limit_kernel
from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import RELU, huberised_relu
from nets.networks.forward import Forward, forward
from nets.networks.network import Layer, Network, smooth_network
from nets.tangent.linearised import TangentFeatures, tangent_features
from nets.tangent.margin import Margin, largest_margin

# A forward pass of n samples errs by some 1e-13 of its outputs; the features inherit that, and so do their products.
FORWARD_ERROR = 1e-12


def two_stage_smoothing(m: int, n: int, L: int) -> float:
    """h_NT of the two-stage theorem in its corrected form."""
    return float(sheet.eq_5_corrected.evaluate({"m": m, "n": n, "L": L}))


def wide_network(d: int, m: int, L: int, rng: Generator, output_variance: float = 1.0) -> Network:
    """Entries N(0, 2/m) in L hidden layers of width m, N(0, output_variance) in the last; inputs fill d of m places.

    What the first layer holds for the other m - d coordinates no sample reads. Square layers are revealed where they
    are looked at, which is exact in law and takes n directions instead of m^2 entries. `tangent` smooths the ReLU.
    """
    std = (2.0 / m) ** 0.5
    layers: list[Layer] = [rng.normal(0.0, std, (d, m))]
    layers += [RevealedGaussian(m, m, std, own) for own in rng.spawn(L - 1)]
    return smooth_network((*layers, rng.normal(0.0, output_variance**0.5, (m, 1))), RELU)


@dataclass(frozen=True, eq=False)
class Tangent:
    """A network at its start with samples X (n, d), labels y (n,), its pass and the gradients of its outputs there."""

    net: Network
    X: Array
    y: Array
    fwd: Forward
    features: TangentFeatures

    @property
    def margins(self) -> Array:
        """y_s f(x_s)."""
        return self.fwd.margins(self.y)

    def largest_margin(self) -> Margin:
        """The largest margin of the labelled features."""
        return largest_margin(self.features.grams.sum(axis=0), self.y, self.features.gram_error + FORWARD_ERROR)


def tangent(net: Network, X: Array, y: Array, h: float) -> Tangent:
    """`Tangent` of the network with the Huberised ReLU of smoothing h."""
    net = net.with_activation(huberised_relu(h))
    fwd = forward(net, X)
    return Tangent(net, X, y, fwd, tangent_features(net, fwd))


def limit_margin(X: Array, y: Array, L: int) -> float:
    """The largest margin over sqrt(m) of the same points at infinite width."""
    cosines = np.clip(X @ X.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return largest_margin(limit_kernel(cosines, L), y).low
