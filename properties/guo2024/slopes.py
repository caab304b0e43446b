"""The slopes at which claims of guo2024 are judged, and what a slope does to the derivative of the activation.

Main definitions: `SLOPES`, of them `BELOW_THE_LARGEST` and `AT_MOST_HALF`; `COMPARED_IN_PRINT` and
`COMPARED_ON_CIFAR`, those of the experiments; `any_slope`; `jump`.
"""

import math

from numpy.random import Generator

#: From beyond -1, where f(alpha) is largest, to near 1, where the network is linear; 0 is ReLU.
SLOPES = (-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9)

#: All of them but -1, at which the jump is largest, for claims that vary their sizes at -1.
BELOW_THE_LARGEST = tuple(slope for slope in SLOPES if slope != -1.0)

#: Those at which f(alpha) is at most half of what it is at -1; at -2 and -1/2 it is nine tenths.
AT_MOST_HALF = tuple(slope for slope in SLOPES if slope >= 0.0)

#: Those that the experiments of the paper compare with -1 (Section 5.1, Appendix C.1); on CIFAR-10 all but one of them.
COMPARED_IN_PRINT = (-2.0, 0.0, 0.01, 0.05)
COMPARED_ON_CIFAR = tuple(slope for slope in COMPARED_IN_PRINT if slope != 0.01)


def any_slope(rng: Generator) -> float:
    """One of the `SLOPES`."""
    return float(rng.choice(SLOPES))


def jump(slope: float) -> float:
    """kappa(alpha) = (1 - alpha)/sqrt(1 + alpha^2), by which the derivative of the rescaled leaky ReLU jumps at 0."""
    return (1.0 - slope) / math.hypot(1.0, slope)
