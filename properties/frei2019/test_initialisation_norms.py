"""frei2019 at initialisation: the law of the layers, their norms and the variance of the output.

Main claims: `pre_activations_at_the_start` and `layers_beside_each_other` (the initialisation),
`variance_of_the_output` (Appendix A.1), `norms_of_the_layers` and `norms_of_single_neurons` (Lemma B.1).
"""

import numpy as np
import sympy as sp
from numpy.random import Generator
from scipy import fft, special, stats

from bounds import Bound, is_identity, symbol
from bounds.papers import frei2019 as sheet
from nets import Array, DataError, forward, residual_network, sphere
from nets.networks.fresh import fresh_operator_norm
from properties.shared.layer_frames import entries_beside
from theory.claims import Regime, claim, control, form, grid
from theory.evidence import Distribution, ExactLaw, Proof, Step, Trials


@claim(
    "frei2019:def-gaussian-init",
    bound="= sqrt(2/m)",
    premises="none needed: each layer is independent of what enters it",
    regime=Regime(cells=[*grid(m=128, d=4, L=3, theta=0.1), *grid(m=32, d=4, L=8, theta=1.0)]),
    evidence=Distribution(law=lambda: stats.norm(), trials=600),
    controls=[
        control("weight variance 1/m", bound="sqrt(1/m)"),
        control("weight variance 2.2/m", bound="sqrt(2.2/m)", cells=grid(m=128, d=4, L=3, theta=0.1)),
        control("over the norm of the input of the network", entering=False, cells=grid(m=32, d=4, L=8, theta=1.0)),
    ],
    note="all (L + 1) m entries of a trial count, turned over the layers, which keeps independent standard normals "
    "and no others; of 512 a variance off by a tenth is refuted",
)
def pre_activations_at_the_start(
    rng: Generator, m: int, d: int, L: int, theta: float, *, entering: bool = True
) -> Array:
    """The pre-activations of all layers at one input over the norm of what enters: the bound times N(0, 1) in law.

    Of each neuron number the L + 1 entries are turned: to their sum over sqrt(L + 1), and what is orthogonal to it.
    Raises `DataError` where that is 0, as of a few neurons.
    """
    fwd = forward(residual_network((d, *[m] * (L + 1)), theta, rng), sphere(1, d, rng))
    lengths = [float(np.linalg.norm(x)) for x in fwd.post[:-1]]
    if not all(lengths):
        raise DataError(f"a state of {m} neurons is 0, over whose norm nothing has a law: take more neurons")
    sizes = lengths if entering else [1.0] * len(lengths)
    entries = np.stack([pre[0] / size for pre, size in zip(fwd.pre, sizes, strict=True)])
    return np.asarray(fft.dct(entries, axis=0, norm="ortho")).ravel()


SQUARE_LAYERS = [*grid(m=24, d=24, L=2), *grid(m=8, d=8, L=3), *grid(m=12, d=3, L=4)]


@claim(
    "frei2019:def-gaussian-init-layers",
    title="layers of one shape at the start, each along those before it",
    bound="= sqrt(2/m)",
    premises="none needed: independent Gaussian matrices, in a frame that those before span",
    regime=Regime(cells=SQUARE_LAYERS),
    evidence=Distribution(law=lambda: stats.norm(), trials=400),
    controls=[
        control("weight variance 1/m", bound="sqrt(1/m)"),
        control("one matrix for all residual layers", copied="residual", cells=SQUARE_LAYERS[1:]),
        control("the last layer a residual one", copied="last", cells=SQUARE_LAYERS[2:]),
        control("the first layer as the last one", copied="first", cells=SQUARE_LAYERS[:1]),
    ],
    note="independent over l: so each layer has independent N(0, 2/m) entries in any frame made of the others; a layer "
    "that is another one has sqrt(2 m) there. All layers where d = m, else all but the first",
    scope="part: independent over l, by pairs of layers of one shape",
)
def layers_beside_each_other(rng: Generator, m: int, d: int, L: int, *, copied: str = "") -> Array:
    """The entries of every layer (m^2 numbers) in the orthonormal frame of those of its shape before it: N(0, 2/m)."""
    weights = [np.asarray(W) for W in residual_network((d, *[m] * (L + 1)), 0.1, rng).weights]
    if copied == "residual":
        weights[1:-1] = [weights[1]] * (L - 1)
    elif copied:
        weights[-1] = weights[0 if copied == "first" else 1]
    return entries_beside([W for W in weights if W.shape == (m, m)])


@claim(
    "frei2019:a1-variance",
    bound="= (1 - 1/pi)*r**2",
    premises="none needed: Gaussian integrals, at every width and norm",
    regime=Regime(cells=[{}]),
    measured=["r"],
    evidence=Proof(margin="none: an equality, at every width and norm"),
    controls=[
        control("weight variance 1/m", gain=1),
        control("the square of the mean left out", centred=False),
        control("1 - 2/pi", bound="(1 - 2/pi)*r**2"),
        control("the norm itself", bound="(1 - 1/pi)*r"),
    ],
    note="outputs at states of norms r, r' and angle t have the covariance r r' (sin t + (pi - t) cos t - 1)/pi",
    scope="part: the variance, not printed, of the sum of independent differences that is",
)
def variance_of_the_output(bound: Bound, *, gain: int = 2, centred: bool = True) -> list[Step]:
    """Var(f | x_L), r = ||x_L||, by m independent signed neurons, and the covariance of the outputs of two samples."""
    m, r = symbol("m"), symbol("r")
    z, t = sp.symbols("z t", real=True)
    phi, other, radius = sp.symbols("phi other radius", positive=True)
    variance = gain * r**2 / m
    density = sp.exp(-(z**2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    mean, square = (sp.integrate(z**k * density, (z, 0, sp.oo)) for k in (1, 2))
    found = m * (square - (mean**2 if centred else 0))
    radial = sp.integrate(radius**3 * sp.exp(-(radius**2) / 2), (radius, 0, sp.oo)) / (2 * sp.pi)
    angular = sp.integrate(sp.expand_trig(sp.cos(t) * sp.cos(t - phi)), (t, phi - sp.pi / 2, sp.pi / 2))
    covariance = gain * r * other * (radial * angular - sp.Rational(1, 2) / sp.pi)
    closed = r * other / sp.pi * (sp.sin(phi) + (sp.pi - phi) * sp.cos(phi) - 1)
    at_zero = sp.limit(closed, phi, 0).subs(other, r)
    return [
        Step("m neurons have the bound as variance", is_identity(found - bound.expr)),
        Step("the covariance of two samples at the angle phi", is_identity(covariance - closed)),
        Step("at the angle 0 and equal norms it is the bound", is_identity(at_zero - bound.expr)),
    ]


SQUARE = grid(m=96, d=96, L=4, delta=0.4)
MANY_INPUTS = grid(m=48, d=768, L=3, delta=0.5)
LAYERS_AND_DELTA = "sqrt(2)*sqrt(log((L + 1)/delta))"
PREMISE_DEPTH = f"premise {sheet.lemma_b1_depth.text}"


@claim(
    "frei2019:lemma-B.1",
    bound=sheet.lemma_b1.reads("C0"),
    premises=[
        sheet.lemma_b1_dimension.reads("m >= d"),
        sheet.lemma_b1_width.reads("m >= C*log(L/delta)"),
        sheet.lemma_b1_depth.reads("L >= 2"),
    ],
    regime=Regime(
        cells=[
            *grid(m=6, d=6, L=2, delta=0.5),
            *grid(m=16, d=16, L=5, delta=0.4),
            *SQUARE,
            *grid(m=64, d=2, L=20, delta=0.4),
        ],
        thorough=[*grid(m=1000, d=[10, 1000], L=16, delta=0.1), *grid(m=64, d=64, L=300, delta=0.1)],
    ),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("the constant 2", bound="2", cells=SQUARE),
        control("weight variance 5/m", gain=5.0, cells=SQUARE),
        control("sixteen inputs a neuron", cells=grid(m=64, d=1024, L=2, delta=0.1), without=sheet.lemma_b1_dimension),
        control(
            "single neurons, without the width", cells=grid(m=1, d=1, L=1000, delta=0.1), without=sheet.lemma_b1_width
        ),
    ],
    blind={PREMISE_DEPTH: "it serves the constant alone, and says that there is a residual layer"},
    note="C_0 = 41/10, C = 4; square layers need 2 sqrt(2) in the limit, so that it is at most 1.45 times too large",
)
@form(
    "sharp",
    title="operator norms of Gaussian weight matrices, with the deviation in the number of layers",
    bound="sqrt(2/m)*(sqrt(d) + sqrt(m) + sqrt(2*log((L + 1)/delta)))",
    premises="inputs as many as neurons or more, so that a bound of the first layer is one of the others: d >= m",
    regime=Regime(
        cells=[*grid(m=1, d=1, L=[2, 100], delta=0.5), *grid(m=96, d=96, L=4, delta=0.5), *MANY_INPUTS],
        thorough=grid(m=1000, d=1000, L=16, delta=0.5),
    ),
    controls=[
        control(
            "no number of layers", bound="sqrt(2/m)*(1 + sqrt(2*log(1/delta)))", cells=grid(m=1, d=1, L=100, delta=0.5)
        ),
        control(
            "2 sqrt(m) for sqrt(d) + sqrt(m)",
            bound="sqrt(2/m)*(2*sqrt(m) + sqrt(2*log((L + 1)/delta)))",
            cells=MANY_INPUTS,
        ),
        control("longer side alone", bound="sqrt(2/m)*(sqrt(m) + sqrt(2*log((L + 1)/delta)))", cells=SQUARE),
        control("weight variance 4/m", gain=4.0, cells=SQUARE),
        control("one input", cells=grid(m=96, d=1, L=4, delta=0.5), without="d >= m"),
    ],
    blind={
        f"L in {LAYERS_AND_DELTA}": "beside the two roots: single-neurons has a control without it",
        f"delta in {LAYERS_AND_DELTA}": "beside the two roots: single-neurons sees it",
    },
)
def norms_of_the_layers(rng: Generator, m: int, d: int, L: int, *, gain: float = 2.0) -> float:
    """The largest operator norm of the L + 1 independent layers, of d, m, ..., m inputs, by the exact law of each."""
    return _largest(rng, m, d, L, gain)


def _largest(rng: Generator, m: int, d: int, L: int, gain: float) -> float:
    """The largest operator norm of layers of d, m, ..., m inputs."""
    return max(fresh_operator_norm(k, m, rng, gain) for k in (d, *[m] * L))


MANY_LAYERS = grid(m=1, d=1, L=[10**4, 10**9], delta=0.5)


@claim(
    "frei2019:lemma-B.1-single-neurons",
    title="operator norms of many layers of one neuron, with the deviation in the number of layers",
    bound="sqrt(2/m)*(sqrt(d) + sqrt(m) + sqrt(2*log((L + 1)/delta)))",
    premises="none needed: one neuron and one input, m = d = 1, at every L and delta",
    regime=Regime(cells=[*MANY_LAYERS, *grid(m=1, d=1, L=100, delta=[1e-3, 1e-100])], most={"m": 1, "d": 1}),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("no number of layers", bound="sqrt(2/m)*(sqrt(d) + sqrt(m) + sqrt(2*log(1/delta)))", cells=MANY_LAYERS),
        control("weight variance 5/m", gain=5.0),
    ],
    blind={
        **dict.fromkeys(("m", "d"), "layers of one neuron: lemma-B.1-sharp has others"),
        **dict.fromkeys(("term sqrt(m)", "term sqrt(d)"), "layers of one neuron, where both are no more than room"),
    },
    note="the number of layers and the failure probability count where a layer is one Gaussian number",
)
def norms_of_single_neurons(threshold: float, L: int, *, gain: float = 2.0) -> float:
    """The chance that the largest |W_l| of L + 1 layers of one neuron, independent N(0, 2), is above `threshold`."""
    one = float(special.erfc(threshold / np.sqrt(2.0 * gain)))
    return float(-np.expm1((L + 1.0) * np.log1p(-one))) if one < 1.0 else 1.0
