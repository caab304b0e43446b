"""allenzhu2018rnn, Definitions B.1 and B.2: the frame of all states up to a time, and what is fresh in the next ones.

Main claims: `state_in_its_frame` (Definition B.1) and `state_from_what_is_fresh` (Definition B.2), as identities.
"""

import numpy as np
from numpy.random import Generator

from nets import Array, Forward
from properties.allenzhu2018rnn.forward_norms import recurrent_pass
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.sequences import sequences
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Search

STATES = Regime(
    cells=[
        *grid(m=16, n=1, L=3, later=["zero", "repeated"]),
        *grid(m=40, n=3, L=[2, 4], later=["drawn", "alike"]),
        *grid(m=80, n=2, L=24, later="unit"),
    ],
    thorough=grid(m=4000, n=4, L=64, later="unit"),
)
NO_FRAME = {"premise m >= L*n": "there is no frame where states are more than dimensions"}
ROUNDED = 1e-12  # of projections of unit vectors, twice, and sums of m products


def _states(rng: Generator, m: int, n: int, L: int, later: str) -> tuple[Forward, StateFrames]:
    fwd = recurrent_pass(sequences(n, L, 3, rng, later), m, rng)[1]
    return fwd, StateFrames(fwd)


def _apart(rows: Array, frame: Array) -> float:
    """The largest entry of the inner products of rows (k, m) with a frame (j, m), 0 for an empty one."""
    return float(np.abs(rows @ frame.T).max(initial=0.0))


def _moved(rows: Array, places: int) -> Array:
    """The rows with the entries of the last one moved on by so many places."""
    return np.concatenate([rows[:-1], np.roll(rows[-1:], places, axis=1)])


# Of several sequences and times.
MANY = grid(m=40, n=3, L=4, later="drawn")


@claim(
    "allenzhu2018rnn:definition-B.1",
    bound="= 0",
    premises="no more states than dimensions, so that there is a frame: m >= n*L",
    regime=STATES,
    evidence=Search(examples=2),
    controls=[
        control("the frame of the time before", behind=1),
        control("states themselves for their frame", raw=True, cells=grid(m=40, n=3, L=4, later="drawn")),
        control("the next row for that of the first sequence", other=1, cells=grid(m=40, n=3, L=4, later="drawn")),
        control("entries of the last state of the last sequence exchanged", moved=1, cells=MANY),
    ],
    blind=NO_FRAME,
    scope="part: all states of a time, and the first of it, in their spans; the order of the others is not judged",
    note="P has the columns of U_{l-1} and the first that time l adds: that of the first sequence",
)
def state_in_its_frame(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    later: str,
    *,
    behind: int = 0,
    raw: bool = False,
    other: int = 0,
    moved: int = 0,
) -> Measured:
    """The largest |entry| of (I - U_l U_l^T) h_{i,l}, (I - P P^T) h_{1,l} and U_l^T U_l - I, over all i and l."""
    fwd, frames = _states(rng, m, n, L, later)
    worst = 0.0
    for time in range(1, L + 1):
        states = _moved(fwd.post[time], moved if time == L else 0)
        U = np.concatenate(fwd.post[1 : time + 1]) if raw else frames.frame(time - behind)
        own = frames.frame(time)[n * (time - 1) + other] if other else frames.first_direction(time)
        first = np.concatenate([frames.frame(time - 1), own[np.newaxis]])
        left = states - (states @ U.T) @ U
        alone = states[0] - (first @ states[0]) @ first
        gram = np.abs(U @ U.T - np.eye(len(U))).max(initial=0.0)
        worst = max(worst, float(np.abs(left).max()), float(np.abs(alone).max()), float(gram))
    return Measured(worst, error=ROUNDED)


@claim(
    "allenzhu2018rnn:definition-B.2",
    bound="= 0",
    premises="no more states than dimensions, so that there is a frame: m >= n*L",
    regime=STATES,
    evidence=Search(examples=2),
    controls=[
        control("the direction of another sequence", other=1, cells=grid(m=40, n=3, L=4, later="drawn")),
        control("the frame of the same time", ahead=1),
        control("the norm of the state for that of what is fresh", whole=True),
        control("entries of the last direction of the last sequence exchanged", moved=1, cells=MANY),
    ],
    blind=NO_FRAME,
    note="all i, and all l but those at which some state adds nothing: there it has no direction",
)
def state_from_what_is_fresh(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    later: str,
    *,
    other: int = 0,
    ahead: int = 0,
    whole: bool = False,
    moved: int = 0,
) -> Measured:
    """The largest |entry| of r - ||r|| v_{i,l}, r = (I - U_{l-1} U_{l-1}^T) h_{i,l}, and of U_{l-1}^T v_{i,l}."""
    fwd, frames = _states(rng, m, n, L, later)
    worst = 0.0
    for time in (1 + np.flatnonzero(frames.leftover.all(axis=0))).tolist():
        states, U = fwd.post[time], frames.frame(time - 1 + ahead)
        directions = _moved(np.roll(frames.fresh(time), other, axis=0), moved if time == L else 0)
        norms = np.linalg.norm(states, axis=1) if whole else frames.leftover[:, time - 1]
        left = states - (states @ U.T) @ U - norms[:, np.newaxis] * directions
        worst = max(worst, float(np.abs(left).max()), _apart(directions, U))
    return Measured(worst, error=ROUNDED)
