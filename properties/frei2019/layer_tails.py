"""Chances that a layer lengthens what enters it, and that its signed sum is large, at any width.

Main definitions: `chance_of_longer_state`, with `grown` from above and `chance_of_longer_states` from below;
`chance_of_larger_output`.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import wofz

from bounds.laws.layers import MaskedChiSquare, chernoff_rate

Complex = npt.NDArray[np.complex128]

# Steps of the trapezoidal rule on a line of the complex plane, whose error is below e^(-2 pi/step), and how many.
_STEP, _STEPS = 0.02, 3000


def chance_of_longer_state(level: float, m: int, gain: float = 2.0) -> float:
    """Above the chance that a ReLU layer of m neurons, variance gain/m, takes a squared norm to `level` times it.

    Chernoff's bound, where the law itself is a sum of some sqrt(m) terms; 1 for levels up to the mean gain/2.
    """
    beyond = 2.0 * level / gain - 1.0
    return math.exp(-m * chernoff_rate(beyond)) if beyond > 0.0 else 1.0


def chance_of_longer_states(level: float, m: int, L: int, theta: float, gain: float = 2.0) -> float:
    """Below the chance that the squared norm of some state is above `level`, of L layers at one input of norm 1.

    By the first layer, or by it and a residual one, both without negative entries, so that squares add up at least.
    """
    law = MaskedChiSquare(m, gain)
    # Of a small scale the second layer would have to be many times as long as it is in the mean.
    if L < 2 or level / 0.98 - 1.0 > 4.0 * gain * theta**2:
        return float(law.sf(level))
    return max(float(law.sf(level)), float(law.sf(0.98) * law.sf((level / 0.98 - 1.0) / theta**2)))


def grown(chance: float, m: int, L: int, theta: float) -> float:
    """What residual layers make of a chance that is above that of the others, where they grow by 1.01 at most.

    By the scale they do where their norms are 41/10 at most, and these are larger with a chance of L exp(-0.4 m).
    """
    return min(1.0, chance + L * math.exp(-0.4 * m)) if math.exp(4.1 * theta * L) <= 1.01 else 1.0


def chance_of_larger_output(level: float, m: int, norm: float, gain: float = 2.0) -> float:
    """The chance that the output is larger in size than `level` >= 0, given a state of that norm before the last layer.

    The last layer has m neurons, an even number of 64 or more, of variance gain/m, and half of the signs are negative.
    Its law by the integral of exp(K(s) - s level)/s along a line, K the logarithm of the generating function of the
    moments: to some twelve digits, whatever the size of the chance. Raises ValueError for other widths.
    """
    if m < 64 or m % 2:
        raise ValueError(f"a width of {m}: the integral is for even widths of 64 and more")
    scale = norm * math.sqrt(gain / m)

    def exponent(s: Complex) -> Complex:
        # E exp(s relu(g)) = (1 + exp(s^2/2) erfc(-s/sqrt(2)))/2; neurons of both signs, so both signs of s.
        both = [(1.0 + wofz(-1j * sign * scale * s / math.sqrt(2.0))) / 2.0 for sign in (1.0, -1.0)]
        return m // 2 * (np.log(both[0]) + np.log(both[1])) - s * level - np.log(s)

    def on_the_axis(x: float) -> float:
        return float(exponent(np.array([math.exp(x)], np.complex128)).real[0])

    # Through the point at which the integrand is least along the axis, and greatest across it.
    place = math.exp(minimize_scalar(on_the_axis, bounds=(-3.0, 5.0), method="bounded").x)
    line = np.exp(exponent(np.asarray(place + 1j * _STEP * np.arange(_STEPS), np.complex128))).real
    return float(min(1.0, 2.0 * _STEP / math.pi * (line.sum() - line[0] / 2.0)))
