"""frei2019, neurons with small pre-activations: of finitely many vectors (Claim D.1), and at all inputs (Lemma C.2).

Main claims: `count_for_a_vector_of_the_layer`, an erratum, with `count_for_finitely_many_vectors`;
`neurons_beside_the_net`, from the net to the sphere; `count_over_a_net` and `count_at_the_worst_input` (Lemma C.2).
"""

import math

import numpy as np
from numpy.random import Generator

from bounds.laws.layers import SmallPreactivations, chernoff_rate
from bounds.papers import frei2019 as sheet
from nets import Array, Network, forward, masked_product, operator_norm, residual_network, sphere, threshold_counts
from properties.frei2019.aligned_states import head
from properties.frei2019.sparse_responses import input_near_kinks
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals
from theory.evidence import ExactLaw, Search, Tail, Trials


def _some(rate: float, times: int) -> float:
    """The chance that one of so many independent events of this chance happens."""
    return 1.0 if rate >= 1.0 else -math.expm1(times * math.log1p(-rate))


def _least_for_a_set(m: int, rows: int, delta: float, share: float) -> float:
    """A multiple of the least threshold that Claim D.1 admits."""
    return share * math.sqrt(math.log(4.0 * rows / delta)) / m


SHORT = grid(m=10**4, rows=100, delta=0.1, clow=0.5, share=1.01)
UNIT = grid(m=2000, rows=1, delta=0.1, clow=1.0, share=1.01)
MANY = grid(m=10**6, rows=1000, delta=1e-6, clow=0.1, share=1.01)


@claim(
    "frei2019:claim-D.1",
    bound="(1/sqrt(pi) + 1/sqrt(2))*m**(3/2)*beta_",
    premises=(
        "threshold not too small for width and vectors [Claim D.1, constant 1]: m >= sqrt(log(4*rows/delta))/beta_"
    ),
    regime=Regime(cells=grid(m=[100, 400, 1600], rows=1, delta=0.1, share=1.01), derived={"beta_": _least_for_a_set}),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control(
            "hundred times the constant",
            bound="100*(1/sqrt(pi) + 1/sqrt(2))*m**(3/2)*beta_",
            cells=grid(m=10**6, rows=1, delta=0.1, share=1.01),
        )
    ],
    note="a unit vector orthogonal to m - 1 of the m weight vectors leaves so many below any threshold, and the bound "
    "grows like the root of m: the vectors must not depend on the layer",
    scope="own constants: of Hoeffding's inequality, where the print has two that it does not give",
)
def count_for_a_vector_of_the_layer(threshold: float, m: int) -> float:
    """The chance of more than `threshold` |w_j^T x| <= beta_ at one vector (rows = 1) orthogonal to m - 1 w_j."""
    return float(m - 1 > threshold)


@claim(
    "frei2019:claim-D.1-corrected",
    title="few neurons with small pre-activations, for finitely many vectors independent of the layer",
    bound="(1/(sqrt(pi)*clow) + 1/sqrt(2))*m**(3/2)*beta_",
    ceiling="m",
    premises=(
        "threshold not too small for width and vectors [Claim D.1, constant 1]: m >= sqrt(log(4*rows/delta))/beta_"
    ),
    regime=Regime(
        cells=[
            *UNIT,
            *SHORT,
            *MANY,
            *grid(m=10**8, rows=10, delta=0.1, clow=1.0, share=1.01),
            *grid(m=2000, rows=1, delta=0.1, clow=1.0, share=10.0),
        ],
        derived={"beta_": _least_for_a_set},
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("1/sqrt(pi), nothing beyond the mean at norm 1", bound="m**(3/2)*beta_/sqrt(pi)", cells=SHORT),
        control("the part of Hoeffding's inequality alone", bound="m**(3/2)*beta_/sqrt(2)", cells=SHORT),
        control("vectors half as long", length=0.5, cells=MANY),
        control("weight variance 1/(2 m)", gain=0.5, cells=MANY),
        control("exponent 7/5 of the width", bound="(1/(sqrt(pi)*clow) + 1/sqrt(2))*m**(7/5)*beta_"),
        control(
            "a threshold that a single neuron is beyond",
            cells=grid(m=2000, rows=1000, delta=1e-3, clow=1.0, share=1e-4),
            without="m >= sqrt(log(4*rows/delta))/beta_",
        ),
    ],
    note="clow is xi, in print the least norm; Hoeffding's constants for its two; that x knows nothing of w_j is ours",
)
def count_for_finitely_many_vectors(
    threshold: float, m: int, rows: int, beta_: float, clow: float, *, gain: float = 2.0, length: float = 1.0
) -> Tail:
    """The chance that at one of `rows` vectors x, all of norm clow, more than `threshold` |w_j^T x| are within beta_.

    From below the vectors are orthogonal, so that counts are independent; from above a union.
    """
    single = float(SmallPreactivations(m, beta_, length * clow, gain).sf(threshold))
    return Tail(_some(single, rows), min(1.0, rows * single))


def _lifted(kind: str, rng: Generator, m: int, d: int, L: int, theta: float) -> Network:
    """A network: as it is drawn, or all weights the identity, so that Lipschitz constants are those of layer norms."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    return net if kind == "drawn" else net.with_weights([np.eye(d, m), *[np.eye(m)] * L])


@claim(
    "frei2019:d1-lift",
    bound="2*beta_",
    premises="none needed: points at the distance beta/(C1 C2), with the constants that the network has",
    regime=Regime(
        cells=[*grid(m=8, d=2, L=2), *grid(m=32, d=8, L=3), *grid(m=64, d=16, L=6)],
        draw={
            "theta": reals(0.001, 1.0, logarithmic=True),
            "share": reals(1e-3, 1.0, logarithmic=True),
            "kind": choices("drawn", "identity"),
        },
        pinned=[{"theta": 0.1, "share": share, "kind": "identity"} for share in (0.01, 0.1)],
    ),
    measured=["beta_"],
    evidence=Search(examples=16, adversary="from an input at the threshold, straight along the gradient of the neuron"),
    controls=[control("twice the distance", times=2.0), control("the Lipschitz constant left out", lipschitz=False)],
    note="the constants are the longest weight vector and the product of norms; attained in the first layer, and up to "
    "curvature by identities in all others",
)
def neurons_beside_the_net(
    rng: Generator,
    m: int,
    d: int,
    L: int,
    theta: float,
    share: float,
    kind: str,
    *,
    times: float = 1.0,
    lipschitz: bool = True,
) -> Measured:
    """The largest |w_{l,j}^T x_{l-1}| at x beside z, the j within beta_ at z, each l; x and z may be exchanged."""
    net = _lifted(kind, rng, m, d, L, theta)
    x = np.abs(sphere(1, d, rng)) if kind == "identity" else sphere(1, d, rng)
    before = forward(net, x)
    constant, reached, thresholds = 1.0, [], []
    for layer in range(1, L + 2):
        pre = before.pre[layer - 1][0]
        # The neuron of that rank is just at the threshold.
        neuron = int(np.argsort(np.abs(pre))[int(share * (m - 1))])
        if kind == "identity":
            neuron = int(share * (min(m, d) - 1))
        beta = abs(float(pre[neuron]))
        longest = float(np.linalg.norm(net.weights[layer - 1], axis=0).max())
        gradient = np.sign(pre[neuron]) * masked_product(net, before, 0, 1, layer)[neuron]
        beside = _at(x[0], gradient, times * beta / (longest * (constant if lipschitz else 1.0)))
        after = np.abs(forward(net, beside[np.newaxis]).pre[layer - 1][0])
        reached.append(float(after[np.abs(pre) <= beta].max()))
        thresholds.append(beta)
        norm = operator_norm(net.weights[layer - 1])
        constant *= norm if layer == 1 else 1.0 + theta * norm
    return Measured(np.array(reached), symbols={"beta_": np.array(thresholds)})


def _at(x: Array, direction: Array, distance: float) -> Array:
    """The unit vector at this distance, of 2 at most, from the unit vector x towards the direction."""
    across = direction - (direction @ x) * x
    size = float(np.linalg.norm(across))
    half = math.asin(min(0.5 * distance, 1.0))
    return math.cos(2.0 * half) * x + math.sin(2.0 * half) * (across / size if size > 0.0 else across)


def _least_for_all(m: int, d: int, delta: float, share: float) -> float:
    """A multiple of a threshold just above the least that Lemma C.2 admits."""
    beta = 1.0 / m
    for _ in range(20):
        beta = 2.02 * math.sqrt(d * math.log(1.0 / (beta * delta))) / m
    return share * beta


def _least_for_all_layers(m: int, d: int, L: int, delta: float, share: float) -> float:
    """The same for the threshold that counts the layers."""
    return _least_for_all(m, d, delta / L, share)


WIDE = grid(m=10**4, d=2, L=3, delta=0.1, theta=1e-5)
DEEP = grid(m=10**6, d=16, L=100, delta=1e-4, theta=1e-5)
# Longest weight vectors, with d <= m, and Lipschitz constants of the layers: Lemmas B.1 and B.3.
LONGEST, LIPSCHITZ = 4.1, 17.0


@claim(
    "frei2019:lemma-C.2",
    bound="C*m**(3/2)*beta_",
    constants={"C": (2, "twice 5/(4 sqrt(pi)), the mean at norm 4/5 on the net, and what a union over it adds")},
    ceiling="m",
    premises=[
        sheet.lemma_c2_threshold.reads("m >= C*sqrt(d*log(1/(beta_*delta)))/beta_"),
        sheet.lemma_c2_width.reads("m >= C*d*log(m*L/delta)"),
        sheet.lemma_b2_scale.reads("C0*theta*L <= log(101/100)"),
        "few layers beside the count, ours, as a count so large has a chance of exp(-m^(3/2) beta/10) in each: "
        "m**(3/2)*beta_ >= 20*log(L)",
    ],
    regime=Regime(
        cells=[*WIDE, *DEEP, *grid(m=10**5, d=4, L=10, delta=0.1, theta=1e-5)],
        derived={"beta_": _least_for_all},
        usual={"share": 1.0},
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("half of the mean", bound="m**(3/2)*beta_/(2*sqrt(pi))", cells=WIDE),
        control("exponent 13/10 of the width", bound="2*m**(13/10)*beta_", cells=WIDE),
        control("root of the threshold, and the width", bound="2*sqrt(beta_)*m", cells=DEEP),
        control("weight variance 1/(10 m)", gain=0.1, cells=WIDE),
        control(
            "a threshold at which one neuron in four draws is too many",
            cells=grid(m=1300, d=1, L=1, delta=0.1, theta=1e-5, share=0.002),
            without=sheet.lemma_c2_threshold,
        ),
    ],
    blind={
        f"premise {sheet.lemma_c2_width.text}": "it keeps norms above 4/5, far below which the bound fails too seldom",
        f"premise {sheet.lemma_b2_scale.text}": "it gives the Lipschitz constant 17, of which the law has the number",
        "premise beta_*m**(3/2) >= 20*log(L)": "more than 10^2800 layers are asked for to miss the bound",
    },
    note="from above a union over a net, with norms of 4/5, at twice the threshold; from below the first layer at "
    "one input. Norms of later layers are no smaller; states are 17-Lipschitz in x by Lemma B.3 and the scale",
)
def count_over_a_net(threshold: float, m: int, d: int, L: int, beta_: float, *, gain: float = 2.0) -> Tail:
    """The chance that at some input some layer has more than `threshold` pre-activations within beta_ of zero."""
    points = d * math.log(4.0 * LONGEST * LIPSCHITZ / beta_)
    counted = float(SmallPreactivations(m, 2.0 * beta_, 0.8, gain).logsf(threshold)) + math.log(L + 1.0)
    short = -m * chernoff_rate(0.64 - 1.0)
    norms = (L + 1.0) * math.exp(-0.39 * m)
    above = math.exp(min(0.0, points + counted)) + math.exp(min(0.0, points + short)) + norms
    return Tail(float(SmallPreactivations(m, beta_, 1.0, gain).sf(threshold)), min(1.0, above))


ATTACKED = grid(m=256, d=2, L=2, delta=0.4, theta=0.001)


@claim(
    "frei2019:lemma-C.2-sharp",
    title="few neurons have small pre-activations at the worst input found",
    bound="m**(3/2)*beta_",
    ceiling="m",
    premises=[
        "threshold not too small for the width, in any layer: m >= 2*sqrt(d*log(L/(beta_*delta)))/beta_",
        "width against failure probability, for norms and counts of all layers: m >= 30*log(L/(beta_*delta))",
        sheet.lemma_b3_width.reads("m >= C*d*log(m*L/delta)"),
    ],
    regime=Regime(
        cells=[
            *ATTACKED,
            {**ATTACKED[0], "share": 2.0},
            *grid(m=512, d=8, L=2, delta=0.4, theta=0.001),
            *grid(m=256, d=2, L=2, delta=0.05, theta=0.001),
        ],
        thorough=grid(m=512, d=[2, 12], L=3, delta=0.4, theta=0.001),
        derived={"beta_": _least_for_all_layers},
        usual={"share": 1.0},
        least={"m": 16},
        most={"m": 2048},
    ),
    evidence=Trials(rate="delta", budget=100),
    controls=[
        control("the mean", bound="m**(3/2)*beta_/sqrt(pi)", cells=ATTACKED),
        control("exponent 7/5 of the width", bound="m**(7/5)*beta_", cells=ATTACKED),
        control("weight variance 1/(2 m) in one layer, drawn", gain=0.5, cells=ATTACKED),
        control(
            "a twentieth of the least threshold, below which inputs orthogonal to d - 1 neurons count",
            cells=grid(m=512, d=16, L=2, delta=0.4, theta=0.001, share=0.05),
            without="m >= 2*sqrt(d*log(L/(beta_*delta)))/beta_",
        ),
    ],
    blind={
        f"premise {sheet.lemma_b3_width.text}": "it keeps norms from falling, which is rare without it as well",
        "premise m >= 30*log(L/(beta_*delta))": "it keeps norms and counts at levels that no trials decide",
    },
    note="inputs tried are nearly orthogonal to the neurons nearest to their kinks, in each layer by itself",
)
def count_at_the_worst_input(
    rng: Generator, m: int, d: int, L: int, theta: float, beta_: float, *, gain: float = 2.0
) -> float:
    """The largest number, over l = 1..L+1, of |w_{l,j}^T x_{l-1}| <= beta_, at inputs chosen against that layer."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    # Of one layer alone, or the largest count of a few layers would do for that of all.
    changed = 0 if gain == 2.0 else int(rng.integers(1, L + 2))
    counts = []
    for layer in range(1, L + 2):
        # Layers behind it have no part in it.
        below = head(net, layer)
        if layer == changed:
            below = below.with_weights([*below.weights[:-1], math.sqrt(gain / 2.0) * below.weights[-1]])
        fwd = forward(below, input_near_kinks(below, layer, beta_, rng))
        counts.append(float(threshold_counts(fwd.pre[layer - 1], beta_).max()))
    return max(counts)
