"""How unlikely it is that one random ReLU layer brings two directions closer by more than a given factor.

Main definition: `shrinkage_rate`, the exponent of that probability in the width.

Written by hand: the exponential moment alone, in closed form; scipy minimises it.
"""

import math

import scipy

__all__ = ["shrinkage_rate"]


def shrinkage_rate(phi: float, factor: float) -> float:
    """The rate I such that a layer of width m leaves less than factor*phi of a distance phi like exp(-m I).

    phi in (0, 2) is the distance of two unit vectors, 0 < factor <= 1, and the new distance that of the
    normalised outputs. Let Z1, Z2 be standard Gaussians of correlation c = 1 - phi^2/2, z+ = max(z, 0), and
    k = 1 - (factor*phi)^2/2. The new distance is at most factor*phi when the sum over the neurons of
    Q = 2 Z1+ Z2+ - k (s Z1+^2 + Z2+^2/s) is at least 0 for some s > 0. By symmetry the likeliest s is 1, and
    there the exponent is Chernoff's: minus the least log E exp(h Q) over h. It is 0 where the factor is no
    smaller than what an infinitely wide layer leaves.
    """
    if not (0.0 < phi < 2.0 and 0.0 < factor <= 1.0):
        raise ValueError(f"phi = {phi}, factor = {factor}: take phi in (0, 2) and factor in (0, 1]")
    c, k = 1.0 - phi**2 / 2.0, 1.0 - (factor * phi) ** 2 / 2.0
    # 1/(1 - c^2) and 1/(1 + c): the inverse covariance has the entries p, -p c, and p (1 - c) = least.
    p, least = 1.0 / (phi**2 * (1.0 - phi**2 / 4.0)), 1.0 / (2.0 * (1.0 - phi**2 / 4.0))

    def log_moment(h: float) -> float:
        # E exp(h Q) by quadrants: integrals of Gaussian densities, hence angles over roots of determinants.
        one, diagonal = 1.0 + 2.0 * h * k, p + 2.0 * h * k
        both = (least - h * (factor * phi) ** 2) * (p * (1.0 + c) + 2.0 * h * (1.0 + k))
        if both <= 0.0 or one <= 0.0 or diagonal <= 0.0:
            return math.inf
        angles = (
            math.pi / 2.0
            + math.asin(c)
            + 2.0 * math.acos(c * math.sqrt(p / diagonal)) / math.sqrt(one)
            + (math.pi / 2.0 + math.asin(min((p * c + 2.0 * h) / diagonal, 1.0))) * math.sqrt(p / both)
        )
        return math.log(angles / (2.0 * math.pi))

    largest = least / (factor * phi) ** 2
    found = scipy.optimize.minimize_scalar(log_moment, bounds=(0.0, largest), method="bounded")
    return max(0.0, -float(found.fun))
