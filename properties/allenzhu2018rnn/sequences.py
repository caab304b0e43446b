"""Input sequences as allenzhu2018rnn takes them, kind and unkind (Section 2.1, Assumption 2.1).

Main definitions: `first_inputs`, on the sphere with the last coordinate 1/sqrt(2) and a given separation; `crowd`, as
many of them as near one as that allows; `sequences`, with one of the families `LATER` of later inputs; `nearest_first`,
with two near ones in front; `is_normalised`, what Section 2.1 asks of all of them.

Sequences are arrays (n, times, d), as `nets.networks.forward.forward` takes them.
"""

import math

import numpy as np
from numpy.random import Generator

from nets import Array, DataError, separated, sphere
from nets.data.distances import EPS

#: The bias: the last coordinate of every first input.
BIAS = 1.0 / math.sqrt(2.0)

#: How inputs 2, ..., times are made. "drawn": uniform directions, norms uniform in [0, 1]; "unit": norms 1; "zero";
#: "repeated": the first input of the sequence again; "opposed": its negative and itself by turns; "alike": drawn once,
#: the same in all sequences.
LATER = ("drawn", "unit", "zero", "repeated", "opposed", "alike")


def first_inputs(n: int, d: int, rng: Generator, phi: float | None = None) -> Array:
    """Return n unit rows (n, d), d >= 2, whose last coordinate is 1/sqrt(2).

    With `phi` their least distance is phi, attained by one pair; phi = 0 makes them all equal. Without it their other
    coordinates are uniform on the sphere of radius 1/sqrt(2). Raises `DataError` where there are no such rows.
    """
    if d < 2:
        raise DataError(f"first inputs of dimension {d} asked for: take d >= 2, the last coordinate is a bias")
    if phi == 0.0:
        directions = np.repeat(sphere(1, d - 1, rng), n, axis=0)
    elif phi is None or n == 1:
        directions = sphere(n, d - 1, rng)
    else:
        directions = separated(n, d - 1, math.sqrt(2.0) * phi, rng)
    return np.ascontiguousarray(np.column_stack([BIAS * directions, np.full(n, BIAS)]))


def crowd(n: int, d: int, rng: Generator, phi: float) -> Array:
    """Return n first inputs (n, d), 2 (d - 2) + 1 at most: one, and others at the distance phi from it.

    They lie along axes, on either side, so that no two are nearer to each other than phi (phi <= 1). Opposite losses
    of the first and all others are what a gradient feels least. Raises `DataError` where there are no so many, or
    none so far: unit inputs whose last entry is sqrt(1/2) are sqrt(2) apart at most.
    """
    if phi * BIAS > 1.0:
        raise DataError(f"first inputs at the distance {phi:.6g} asked for: take sqrt(2) at most")
    pairs = -(-(n - 1) // 2)
    if pairs > d - 2:
        raise DataError(f"a crowd of {n} first inputs of dimension {d} asked for: take d >= {pairs + 2}")
    centre, *axes = np.linalg.qr(rng.standard_normal((d - 1, pairs + 1)))[0].T
    angle = 2.0 * math.asin(phi * BIAS)
    others = [math.cos(angle) * centre + side * math.sin(angle) * axis for axis in axes for side in (1.0, -1.0)]
    return np.column_stack([BIAS * np.array([centre, *others])[:n], np.full(n, BIAS)])


def sequences(
    n: int,
    times: int,
    d: int,
    rng: Generator,
    later: str = "drawn",
    phi: float | None = None,
    shared: int = 0,
    *,
    crowded: bool = False,
) -> Array:
    """Return n sequences (n, times, d) with `first_inputs` and the family `later` of inputs behind them.

    With `crowded` the first inputs are a `crowd` at the distance phi. The first `shared` inputs of all sequences are
    those of the first one; with any, their separation is 0. Raises
    ValueError for an unknown family or a number of times that is not positive.
    """
    if later not in LATER:
        raise ValueError(f"later inputs {later!r}: choose among {', '.join(LATER)}")
    if times < 1:
        raise ValueError(f"sequences of {times} inputs asked for: take at least one")
    X = np.zeros((n, times, d))
    X[:, 0] = crowd(n, d, rng, phi) if crowded and phi else first_inputs(n, d, rng, phi)
    if times > 1:
        if later == "repeated":
            X[:, 1:] = X[:, :1]
        elif later == "opposed":
            X[:, 1::2] = -X[:, :1]
            X[:, 2::2] = X[:, :1]
        elif later != "zero":
            rows = 1 if later == "alike" else n
            norms = 1.0 if later == "unit" else rng.random((rows, times - 1, 1))
            # A little inside: a norm that rounding leaves above 1 is no input of the paper.
            X[:, 1:] = (1.0 - 8.0 * EPS) * norms * sphere(rows * (times - 1), d, rng).reshape(rows, times - 1, d)
    X[1:, :shared] = X[0, :shared]
    return X


def nearest_first(X: Array) -> Array:
    """Sequences (n, times, d), n >= 2, with those two in front whose first inputs are nearest to each other."""
    n = len(X)
    gaps = np.linalg.norm(X[:, None, 0] - X[None, :, 0], axis=2) + 4.0 * np.eye(n)
    i, j = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
    return np.ascontiguousarray(X[[int(i), int(j), *[k for k in range(n) if k not in (i, j)]]])


def is_normalised(X: Array) -> bool:
    """Whether sequences (n, times, d) are as Section 2.1 asks, up to 16 roundings: norms at most 1, the first unit."""
    norms = np.linalg.norm(X, axis=2)
    room = 16.0 * EPS
    return bool(
        norms.max() <= 1.0 + room
        and np.abs(norms[:, 0] - 1.0).max() <= room
        and np.abs(X[:, 0, -1] - BIAS).max() <= room
    )
