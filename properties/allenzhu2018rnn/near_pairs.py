"""Two sequences of two times, with the errors that a step feels least: what the rates of descent scale with.

Main definitions: `hard_pair`; `PAIR_SIZES` and `PAIR_EXPONENTS`, the sizes and the fit of the claims on rates;
`limit_eigenvalue`, the least eigenvalue of the kernel in the limit of infinite width; `FEW_SEQUENCES`, why few need no
width that grows with their number.
"""

import math
from typing import NamedTuple

from numpy.random import Generator

from bounds.laws.layers import separation_map
from nets import Array, Network, recurrent_network
from properties.allenzhu2018rnn.descent import error_targets
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Regime, grid
from theory.evidence import Scaling

FEW_SEQUENCES = "for few sequences the neurons that the level asks for are enough: left, with them, by a control"

# Norm of the errors, so small that hardly a gate turns in a step.
ERROR_NORM = 1e-3

PAIR_SIZES = Regime(
    calibration=grid(m=[1024, 8192], phi=0.5, eta=[1e-7, 1e-8]),
    cells=grid(m=[16384, 65536], phi=0.5, eta=[2e-9, 2e-10]),
    least={"phi": 0.5, "m": 64},  # neurons enough to tell the two apart
    most={"phi": 0.5},
)
PAIR_EXPONENTS = Scaling(dict.fromkeys(("m", "eta"), "equal"), constant="C", replicates=24, resolution=0.05)


class SequencePair(NamedTuple):
    """Two sequences (2, 2, 3), targets, and the network."""

    X: Array
    targets: Array
    net: Network


def hard_pair(rng: Generator, m: int, phi: float) -> SequencePair:
    """Two sequences of two times whose first inputs are at distance phi, and targets that a step tells apart worst."""
    X, net = sequences(2, 2, 3, rng, "zero", phi), recurrent_network(3, m, 1, 2, rng, stored=2**16)
    return SequencePair(X, error_targets(net, X, "flat", ERROR_NORM, rng), net)


def limit_eigenvalue(phi: float) -> float:
    """The least eigenvalue of the kernel of such a pair over the width, in the limit of infinite width.

    An entry is <h, h'> of the first states times the share of neurons open at both at time 2.
    """
    # By distances, as near duplicates leave no digits of cosines.
    distance = float(separation_map(phi))
    turned, lacking = 2.0 * math.asin(0.5 * distance) / math.pi, 0.5 * distance**2
    return 0.5 * (lacking + (1.0 - lacking) * turned)
