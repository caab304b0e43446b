"""Networks for which a step does most, or whose neurons wait at their kinks, and networks of whole numbers.

Main definitions: `two_channels`; `own_kink` and `lower_kink`; `aligned_network`; `integer_network`, `uneven_widths`.
The names under which a search draws them are `WEIGHTS`, of them `KINKED_WEIGHTS`.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from nets import Array, DataError, Network, balanced_signs

# How far below zero the neurons of `lower_kink` start: less than any step moves them, more than rounding
# errors.
BELOW_KINK = 1e-9
# Weights with neurons just before their kink, or with layers that move along themselves, and those without.
KINKED_WEIGHTS = ("own kink", "lower kink", "aligned")
WEIGHTS = ("Gaussian", *KINKED_WEIGHTS)


def uneven_widths(d: int, m: int, L: int) -> tuple[int, ...]:
    """(d, m, 2m, m, 2m, ...): layers that grow and shrink, none of them square."""
    return (d, *(m * (1 + layer % 2) for layer in range(L)))


def two_channels(x: Array, sizes: Sequence[int], signal: float, norm: float, dead: Sequence[int] = (0, -1)) -> Network:
    """Layers of the given widths that carry x (d,) at norm `signal` and stretch a step by `norm` each.

    The signal has equal entries on all neurons, so that these are active. The second channel, along the
    output signs, is empty at x; but the gradient of every layer points into it, and there a step meets the
    largest norms. The neurons `dead` of the last layer are not used: two, one of either sign, keep what is attained
    clear of rounding errors, and more of one sign than of the other give the network an output. Raises `DataError`
    where the last layer has not one more of either sign.
    """
    if sizes[-1] < 2 * len(dead):
        raise DataError(
            f"a last layer of {sizes[-1]} neurons is asked for, {len(dead)} unused: ask for {2 * len(dead)}"
        )
    carriers = [np.ones(m) for m in sizes]
    carriers[-1][list(dead)] = 0.0
    signs = [balanced_signs(m) * carrier for m, carrier in zip(sizes, carriers, strict=True)]
    units = [(c / np.linalg.norm(c), s / np.linalg.norm(s)) for c, s in zip(carriers, signs, strict=True)]
    weights = [np.outer(x, signal * units[0][0])]
    for (carrier, amplifier), (to_carrier, to_amplifier) in itertools.pairwise(units):
        weights.append(np.outer(carrier, to_carrier) + norm * np.outer(amplifier, to_amplifier))
    return Network(tuple(weights), balanced_signs(sizes[-1]))


def own_kink(x: Array, sizes: Sequence[int], norm: float, longest: float) -> Network:
    """The neurons of output sign -1 sit just above zero at x (d,), and those of sign +1 are dead.

    A step of norm `longest` for the label +1 turns all of the former off, through the weights of the last
    layer alone, and they do all that zou2018, (D.3) and (D.4), allow but for the one percent at which they
    start.
    """
    start = two_channels(x, sizes, norm, norm)
    inputs = start.weights[-1].shape[0]
    direction = x if len(sizes) == 1 else np.full(inputs, inputs**-0.5)
    waiting = start.v < 0.0
    last = np.outer(direction, 0.01 * longest / np.sqrt(waiting.sum()) * waiting)
    return Network((*start.weights[:-1], last), start.v)


def lower_kink(x: Array, sizes: Sequence[int], norm: float) -> Network:
    """A quarter of the last neurons sit just below zero at x (d,), where only the layers below can move them.

    Two further quarters, of either sign, are active and send the gradient down into the direction in which
    the first quarter then turns on; the last quarter is dead. Needs two layers or more and widths divisible
    by 4.
    """
    start = two_channels(x, sizes[:-1], 0.1, norm)
    inputs, outputs = sizes[-2], sizes[-1]
    carrier, amplifier = np.full(inputs, inputs**-0.5), balanced_signs(inputs) * inputs**-0.5
    signs = balanced_signs(outputs)
    quarter = np.repeat([0, 1, 2, 3], outputs // 4)
    active = np.isin(quarter, [1, 2])
    waiting = quarter == 0
    unit = (outputs / 4) ** -0.5
    along_amplifier = 0.1 * unit * active * signs + norm * unit * waiting
    along_carrier = unit * active - BELOW_KINK * waiting
    last = np.outer(carrier, along_carrier) + np.outer(amplifier, along_amplifier)
    return Network((*start.weights, last), signs)


def aligned_network(x: Array, sizes: Sequence[int], norm: float) -> Network:
    """Layers of rank one and norm `norm`, each mapping onto the input of the next; all neurons are active.

    A step moves every layer output along itself, so that the second-order term is as large as it can be. In
    the last layer the neurons of output sign -1 carry little, and yet as much of its gradient as the others.
    """
    signs = balanced_signs(sizes[-1])
    ends = [x, *(np.ones(m) for m in sizes[:-1]), np.where(signs > 0.0, 1.0, 0.05)]
    units = [end / np.linalg.norm(end) for end in ends]
    return Network(tuple(norm * np.outer(u, w) for u, w in itertools.pairwise(units)), signs)


def integer_network(sizes: Sequence[int], rng: Generator) -> Network:
    """Weights -2, ..., 2 and balanced signs."""
    shapes = itertools.pairwise(sizes)
    return Network(tuple(rng.integers(-2, 3, shape).astype(float) for shape in shapes), balanced_signs(sizes[-1]))
