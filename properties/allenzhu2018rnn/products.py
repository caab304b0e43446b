"""Products of layers D_l W ... D_b W of a recurrent network, and what they do to vectors (Appendix B.4).

Main definitions: `drawn_network`, with one W at all times or a fresh one at each; `response`, of a fixed vector along
time; `product_operator` and `product_norm_interval`, for the operator norm; `back_rows`, for other gates;
`gates_multiplied`, a pass that is spoilt at one place; `fixed_vector`, one of the families `VECTORS`.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from scipy.sparse.linalg import LinearOperator

from nets import Array, Forward, Layer, Network, Step, masked_product_operator, norm_interval, recurrent_network
from nets.linear_algebra.lanczos import NormInterval
from nets.networks.network import STORED_ENTRIES
from properties.shared.quotients import quotients

#: Vectors that do not look at W: a coordinate axis, a Gaussian direction, one with a few entries, and the first state.
VECTORS = ("axis", "dense", "sparse", "state")


def drawn_network(
    d: int,
    m: int,
    times: int,
    rng: Generator,
    *,
    gain: float = 2.0,
    fresh: bool = False,
    stored: float = STORED_ENTRIES,
) -> Network:
    """The recurrent network at its initialisation, with one output; W and A have the variance gain/m.

    With `fresh` every time has a W of its own, always stored, and so has W, always, with a gain other than 2.
    """
    if not fresh and gain == 2.0:
        return recurrent_network(d, m, 1, times, rng, stored=stored)
    std = np.sqrt(gain / m)
    weights = tuple(rng.normal(0.0, std, (m, m)) for _ in range(times if fresh else 1))
    steps = [Step(time if fresh else 0, input=len(weights)) for time in range(times)]
    A = rng.normal(0.0, std, (d, m))
    return Network(weights, rng.standard_normal((m, 1)), steps, (A,), every_step=True)


def fixed_vector(name: str, fwd: Forward, i: int, rng: Generator) -> Array:
    """A vector (m,) of the family `name` that is independent of W: the first state depends on A alone.

    Raises ValueError for an unknown family.
    """
    m = fwd.post[1].shape[1]
    if name not in VECTORS:
        raise ValueError(f"fixed vectors {name!r}: choose among {', '.join(VECTORS)}")
    if name == "state":
        return np.array(fwd.post[1][i])
    z = np.zeros(m)
    if name == "axis":
        z[rng.integers(m)] = 1.0
    else:
        entries = slice(None) if name == "dense" else rng.choice(m, min(m, max(2, m // 50)), replace=False)
        z[entries] = rng.standard_normal(z[entries].shape)
    return z


def response(net: Network, fwd: Forward, i: int, first: int, z: Array) -> Array:
    """||D_l W ... D_first W z||/||z|| of sample i for l = first..L, 0 of z = 0: (L - first + 1,)."""
    rows, norms = z[np.newaxis], []
    for step, mask in zip(net.steps[first - 1 :], fwd.masks[first - 1 :], strict=True):
        rows = (rows @ net.parameters[step.weight]) * mask[i]
        norms.append(np.linalg.norm(rows))
    return quotients(norms, np.linalg.norm(z))


def product_operator(net: Network, fwd: Forward, i: int, first: int, last: int) -> LinearOperator:
    """D_last W ... D_first W of sample i as a linear operator (m, m)."""
    inner = masked_product_operator(net, fwd, i, first, last)
    mask = fwd.masks[last - 1][i]
    return LinearOperator(
        inner.shape,
        matvec=lambda x: mask * inner.matvec(np.ravel(x)),
        rmatvec=lambda y: inner.rmatvec(mask * np.ravel(y)),
        dtype=np.float64,
    )


def product_norm_interval(
    net: Network, fwd: Forward, i: int, first: int, last: int, rng: Generator, *, masked: bool = True, steps: int = 16
) -> NormInterval:
    """An interval for the operator norm of D_last W ... D_first W, or of W D ... D W if not `masked`.

    The upper end is wrong with probability at most 1e-3.
    """
    operator = product_operator if masked else masked_product_operator
    return norm_interval(operator(net, fwd, i, first, last), rng, steps, failure=1e-3)


def gates_multiplied(fwd: Forward, time: int, factor: float) -> Forward:
    """The pass whose gates of the last sequence at a time are multiplied: in products that contain them alone.

    A largest over all sequences, first and last times notices it, and one over the first of them does not.
    """
    if factor == 1.0:
        return fwd
    gates = np.array(fwd.masks[time - 1])
    gates[-1] *= factor
    return replace(fwd, masks=(*fwd.masks[: time - 1], gates, *fwd.masks[time:]))


def back_rows(rows: Array, W: Layer, gates: Sequence[Array]) -> Array:
    """Rows (k, m) taken back through D_l W for the diagonals (m,), the last time first: a^T B D W ... D W."""
    for gate in gates[::-1]:
        rows = (rows * gate) @ W.T
    return np.asarray(rows)
