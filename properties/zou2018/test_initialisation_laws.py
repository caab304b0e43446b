"""zou2018 at initialisation: the laws of what a network that is drawn gives, with its layers stored or revealed.

Main claims: `pre_activations_at_the_start` and `layers_beside_each_other` (the Gaussian initialisation),
`outputs_of_two_neurons` (Lemma A.6).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from numpy.random import Generator
from scipy import stats
from scipy.special import ndtr

from nets import Array, DataError, forward, sphere
from properties.shared.layer_frames import entries_beside
from properties.zou2018.initial_norms import KINDS, network_of_kind
from theory.claims import Regime, claim, control, grid
from theory.evidence import Distribution

TWO_NEURONS = grid(m=2, d=8, L=1, kind="stored")


@claim(
    "zou2018:def-gaussian-init",
    bound="= sqrt(2/m)",
    premises="none needed: each layer is independent of what enters it, which is not zero",
    regime=Regime(cells=[*grid(m=64, d=8, L=3, kind=KINDS), *TWO_NEURONS, *grid(m=256, d=8, L=1, kind="stored")]),
    evidence=Distribution(law=lambda: stats.norm(), trials=1500),
    controls=[
        control("one neuron less, as where a mean is estimated", bound="sqrt(2/(m - 1))", cells=TWO_NEURONS),
        control("weight variance 2.2/m", gain=2.2, cells=grid(m=256, d=8, L=1, kind="stored")),
        control("variance over the inputs of the layer", bound="sqrt(2/d)"),
        control("over the norm of the input of the network", entering=False, cells=grid(m=16, d=8, L=8, kind="stored")),
    ],
    note="layers stored; revealed: drawn where they are looked at; or one of these by size. A variance off by a tenth "
    "is refuted",
    scope="part: the law of what each layer makes of one input",
)
def pre_activations_at_the_start(
    rng: Generator, m: int, d: int, L: int, kind: str, *, gain: float = 2.0, entering: bool = True
) -> Array:
    """The pre-activations of all layers at one input, over the norm of what enters: the bound times N(0, 1) in law."""
    fwd = forward(network_of_kind(kind, (d, *[m] * L), rng, gain), sphere(1, d, rng))
    sizes = [float(np.linalg.norm(x)) if entering else 1.0 for x in fwd.post[:-1]]
    if not all(sizes):
        raise DataError(f"a layer of {m} neurons died: ask for a larger width")
    return np.concatenate([pre[0] / size for pre, size in zip(fwd.pre, sizes, strict=True)])


@claim(
    "zou2018:def-gaussian-init-layers",
    title="layers of one shape at the start, each along those before it",
    bound="= sqrt(2/m)",
    premises="none needed: independent Gaussian matrices, in a frame that those before span",
    regime=Regime(cells=grid(m=[8, 20], L=4, kind=["stored", "by size"])),
    evidence=Distribution(law=lambda: stats.norm(), trials=400),
    controls=[
        control("weight variance 1/m", bound="sqrt(1/m)"),
        control("one matrix for all layers", copied=(0, 1, 2, 3)),
        control("the last layer the first one", copied=(0, 3)),
    ],
    note="independent over l: so each layer has independent N(0, 2/m) entries in any frame made of the others; a layer "
    "that is another one has sqrt(2 m) there",
    scope="part: independent over l, by pairs of layers of one shape, as inputs have m entries",
)
def layers_beside_each_other(rng: Generator, m: int, L: int, kind: str, *, copied: Sequence[int] = ()) -> Array:
    """The entries of every layer (m^2 numbers) in the orthonormal frame of those before it: N(0, 2/m) in law."""
    weights = [np.asarray(W) for W in network_of_kind(kind, [m] * (L + 1), rng).weights]
    for k in copied:
        weights[k] = weights[copied[0]]
    return entries_beside(weights)


class _TwoNeurons:
    """The law of relu(g) - relu(g') of two independent Gaussians, an atom of 1/4 at 0 included."""

    @staticmethod
    def cdf(t: npt.ArrayLike) -> Array:
        """P(relu(g) - relu(g') > t) is (P(g > t) + P(g > t/sqrt(2))^2)/2 for t >= 0, and the law is even."""
        size = np.abs(np.asarray(t, np.float64))
        above = 0.5 * (ndtr(-size) + ndtr(-size / np.sqrt(2.0)) ** 2)
        return np.where(np.asarray(t) >= 0.0, 1.0 - above, above)


@claim(
    "zou2018:lemma-A.6-law",
    title="law of the output of two neurons of opposite signs",
    bound="= 1",
    premises="none needed: the law is exact",
    regime=Regime(cells=grid(d=32, kind=KINDS[:2])),
    evidence=Distribution(law=_TwoNeurons, trials=600),
    controls=[
        control("output weights not balanced", balanced=False),
        control("weight variance 4/m", gain=4.0),
        control("no ReLU", rectified=False),
    ],
    note="g, g' are independent N(0, 1); the outputs are independent too; layers stored, or drawn where met",
)
def outputs_of_two_neurons(
    rng: Generator, d: int, kind: str, *, gain: float = 2.0, balanced: bool = True, rectified: bool = True
) -> Array:
    """The outputs f(x) of one layer of two neurons at d orthogonal unit points: relu(g) - relu(g') in law."""
    net = network_of_kind(kind, (d, 2), rng, gain)
    fwd = forward(net, np.eye(d))
    signs = net.v if balanced else np.ones_like(net.v)
    return np.asarray(((fwd.post[-1] if rectified else fwd.pre[-1]) @ signs).ravel())
