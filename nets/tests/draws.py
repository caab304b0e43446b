"""What the property tests of networks draw: small networks of unequal widths, with points."""

import numpy as np
from hypothesis import strategies as st

from nets.core.arrays import Array
from nets.networks.network import Network, he_network

seeds = st.integers(0, 2**32 - 1)


@st.composite
def widths(draw: st.DrawFn, depths: tuple[int, int] = (1, 4)) -> tuple[int, ...]:
    """(d, m_1, ..., m_L) with small entries and an even last one."""
    hidden = draw(st.lists(st.integers(1, 7), min_size=depths[0] - 1, max_size=depths[1] - 1))
    return (draw(st.integers(1, 6)), *hidden, 2 * draw(st.integers(1, 4)))


@st.composite
def cases(draw: st.DrawFn, depths: tuple[int, int] = (1, 4), samples: int = 5) -> tuple[Network, Array]:
    """A random network and random points (n, d) for it."""
    sizes = draw(widths(depths))
    rng = np.random.default_rng(draw(seeds))
    n = draw(st.integers(1, samples))
    return he_network(sizes, rng), rng.standard_normal((n, sizes[0]))
