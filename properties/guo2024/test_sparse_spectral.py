"""guo2024, Appendix B.3: products on sparse vectors, small pre-activations, flips beyond a threshold, heavy entries.

Main claims: `flips_beyond_the_threshold` (42); `few_small_pre_activations` (40); Lemma B.3 in
`read_out_among_the_layers`, an erratum, `norm_of_layer_products`, `norm_of_back_products`, `sparse_stretch` and
`sparse_response`; `sparse_propagation` (53); `heavy_mass` (55), another, and its corrected form.
"""

import math
from dataclasses import replace

import numpy as np
import scipy
from numpy.random import Generator
from sympy import Rational, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.papers import guo2024 as sheet
from nets import DataError, forward, operator_norm, sparse_supremum
from properties.guo2024.layer_changes import leaky_start
from properties.guo2024.parted_changes import SPLIT, SPLIT_SEARCH, parted, pinned_draw, sizes_of
from properties.guo2024.slopes import SLOPES, any_slope
from properties.guo2024.sparse_products import (
    HeavyEntries,
    SmallEntries,
    feature_products,
    layer_products,
    leaky_back_products,
    sparse_operator_norm,
)
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Distribution, ExactLaw, Proof, Scaling, Step, Tail, Trials

FITTED = {"C": Constant(1, "fitted on the calibration cells")}

# Of premises that a chance of failure asks for.
TAILS = "it is for tails that no trials see"

# All the first part on neurons at the threshold, with just what they need to flip.
JUST_FLIPPED = pinned_draw(outside=0.7000001, sup=0.3) + pinned_draw(outside=0.501, sup=0.4995)


@claim(
    "guo2024:eq-42",
    bound="drift1**2/(beta_ - drift2)**2",
    premises=sheet.eq_42_large.reads("beta_ > 2*drift2"),
    regime=replace(SPLIT, pinned=JUST_FLIPPED),
    measured=["drift1", "drift2"],
    evidence=SPLIT_SEARCH,
    idle={"part": 0.0},
    controls=[
        control("nineteen twentieths", bound="19*drift1**2/(20*(beta_ - drift2)**2)"),
        control("norm in place of its square", bound="drift1/(beta_ - drift2)"),
        control("second part beyond the threshold", beyond=20.0, without=sheet.eq_42_large),
    ],
    note="attained where all of the first part goes into neurons at the threshold, with just what they need",
    blind={"beta_": "a unit of length, in which the draws give both parts: these are seen"},
)
@form(
    "coarse",
    title="number of flipped neurons at the threshold or beyond, without the second part",
    bound="4*drift1**2/beta_**2",
    controls=[
        control("norm in place of its square", bound="4*drift1/beta_"),
        control("second part beyond the threshold", beyond=20.0, without=sheet.eq_42_large),
    ],
    note="approached as twice the second part comes near the threshold",
)
def flips_beyond_the_threshold(
    rng: Generator,
    m: int,
    slope: float,
    beta_: float,
    low: float,
    inside: float,
    outside: float,
    sup: float,
    jitter: float,
    *,
    part: float = 1.0,
    beyond: float = 0.0,
) -> Measured:
    """Count |S_2| of j, D'_jj not 0, |g_j^(0)| >= beta, at g = g^(0) + g'_1 + g'_2; drift1 = ||g'_1||, drift2 = max
    |g'_2|."""
    change = parted(rng, m, slope, beta_, low, part * inside, part * outside, part * sup + beyond, jitter)
    flips = np.count_nonzero((np.abs(change.before) >= beta_) & (change.jumps != 0.0))
    return Measured(float(flips), symbols=sizes_of(change))


def chernoff_rate(m: int, beta_: float) -> float:
    """The chance that Chernoff's bound leaves for twice the largest mean: exp(-2 m^(3/2) beta/(3 sqrt(pi)))."""
    return math.exp(-2.0 * m**1.5 * beta_ / (3.0 * math.sqrt(math.pi)))


FEW_SMALL = Regime(
    cells=[
        *grid(m=1024, r=[0.5, 1.0, 1.5], beta_=1e-3),
        *grid(m=10**4, r=0.5, beta_=[1e-5, 1e-4]),
        *grid(m=10**6, r=0.5, beta_=3e-7),
    ],
    thorough=grid(m=10**8, r=0.5, beta_=[1e-11, 1e-10]),
    derived={"delta": chernoff_rate},
)


@claim(
    "guo2024:eq-40",
    # |g_j| < beta has the chance erf(beta sqrt(m)/(2 r)) <= beta sqrt(m/pi)/r, at most 2 beta sqrt(m/pi) for r >= 1/2.
    # By Chernoff's bound more than twice the mean has a chance of exp(-mean/3) at most.
    bound="C*m**(3/2)*beta_",
    constants={"C": (4 / sqrt(pi), "twice the largest mean, with features of norm 1/2")},
    premises="features of norm 1/2 at least [Appendix B.3, before eq. (40)]: 2*r >= 1",
    ceiling="m",
    regime=FEW_SMALL,
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("exponent 7/5 of the width", bound="4*m**(7/5)*beta_/sqrt(pi)"),
        control("weight variance 1/m", gain=1.0),
        control("features of norm 1/8", cells=grid(m=1024, r=0.125, beta_=1e-3), without="2*r >= 1"),
    ],
    note="given the features the number is binomial at every slope, see eq-40-law. beta_ is xi; delta, for "
    "exp(-Omega(m^(3/2) xi)), is exp(-2 m^(3/2) beta_/(3 sqrt(pi))), by Chernoff for twice the largest mean",
)
def few_small_pre_activations(threshold: float, m: int, r: float, beta_: float, *, gain: float = 2.0) -> float:
    """The chance that more than `threshold` of m entries of g are below beta in size: N(0, 2 r^2/m) given ||h|| = r."""
    return SmallEntries(m, r, beta_, gain).exceeds(threshold)


@claim(
    "guo2024:eq-40-law",
    title="pre-activations given the features: Gaussian at every slope",
    bound="= 1",
    premises="none needed: given an h_{l-1} that is not 0 the law is exact at every width, slope and point",
    regime=Regime(cells=grid(m=32, L=2, slope=SLOPES), thorough=grid(m=64, L=3, slope=SLOPES)),
    evidence=Distribution(law=lambda: scipy.stats.norm(), trials=100),
    controls=[
        control("variance 1/m", gain=1.0),
        control("features of the layer itself", own=False),
        control("sizes alone", folded=True),
    ],
    note="the features of layer l are h_{l-1}; entries of all layers of a network count together",
)
def pre_activations_given_the_features(
    rng: Generator, m: int, L: int, slope: float, *, gain: float = 2.0, own: bool = True, folded: bool = False
) -> Measured:
    """The entries of g_l over sqrt(2/m) ||h_{l-1}||, l = 1, ..., L: given h_{l-1}, not 0, independent, of N(0, 1)."""
    net, x = leaky_start(rng, m, L, slope)
    fwd = forward(net, x)
    rows = fwd.pre if own else fwd.post[1:]
    if not all(post.any() for post in fwd.post[: L + 1]):
        raise DataError(f"the features of {m} neurons are 0, over which nothing has a law: take more neurons")
    entries = [rows[layer][0] / np.linalg.norm(fwd.post[layer][0]) for layer in range(1, L + 1)]
    values = np.concatenate(entries) * math.sqrt(m / gain)
    return Measured(np.abs(values) if folded else values)


@claim(
    "guo2024:lemma-B.3",
    bound="C*sqrt(L)",
    constants={"C": (10, "hidden in the paper")},
    premises="none needed: the item of the read-out, b = L, has no premise but the width, which is named",
    regime=Regime(cells=[{"m": 10**4, "L": 1, "slope": slope, "delta": 0.01} for slope in SLOPES]),
    evidence=Proof(margin="a chance of 0.998 against 0.01"),
    expected=Verdict.REFUTED,
    controls=[
        control("constant 400", bound="400*sqrt(L)", cells=grid(m=10**6, L=1, slope=SLOPES, delta=0.01)),
        control("linear in the depth", bound="10*L"),
        control("a chance of 9/10", bound="10*sqrt(L)", cells=grid(m=10**4, L=1, slope=[-1.0], delta=0.9)),
    ],
    note="W_{L+1} is B, of norm sqrt(m/outputs): ||B D_L||^2 is near m/2 with one output, at every slope. With b < L "
    "item 1 is layers, and the other items are back, sparse and response. C is 10; any other fails at larger m",
)
def read_out_among_the_layers(bound: Bound, m: int, L: int, slope: float, delta: float) -> list[Step]:
    """Whether ||B D_L|| is above the bound with a chance of more than delta, 1/100 for the printed exp(-Omega(m/L)).

    With one output its square is a sum of m independent B_j^2 D_jj^2 of mean 1/2 and variance 5/4 at most, as D_jj is
    one of two values with equal chances. By Chebyshev it is below m/4 with a chance of 20/m at most.
    """
    moments = (0.5 * (1.0 + slope**2) / (1.0 + slope**2), 1.5 * (1.0 + slope**4) / (1.0 + slope**2) ** 2)
    level = float(bound.evaluate({"L": L})) ** 2
    gap = m * moments[0] - level
    chance = 1.0 - m * (moments[1] - moments[0] ** 2) / gap**2 if gap > 0.0 else 0.0
    return [Step("the norm is above the bound with a chance of delta at most", False if chance > delta else None)]


@claim(
    "guo2024:lemma-B.3-layers",
    title="operator norm of products of layers at the start, with a stated constant",
    # L Gaussian matrices of gain 1 have a product of norm near sqrt((L + 1)^(L + 1)/L^L), below sqrt(e (L + 1/2)), and
    # the last factor has gain 2. At slope 0 half of the neurons pass, and the norm is larger by sqrt(2) in the limit.
    bound="C*sqrt(L)",
    constants={
        "C": Constant.above(Rational(9, 2), attacked=3.74, why="99 of 100 starts; sqrt(4 e) in the limit, at slope 0")
    },
    premises=sheet.lemma_B_3_sparse_width.reads("m >= 32*L*log(1/delta)"),
    regime=Regime(
        cells=[
            {"m": 96, "L": 1, "slope": 0.9, "delta": 0.4},
            *grid(m=96, L=3, slope=SLOPES, delta=0.4),
            *grid(m=240, L=8, slope=0.0, delta=0.4),
        ],
        thorough=grid(m=480, L=16, slope=SLOPES, delta=0.4),
    ),
    evidence=Trials(rate="delta", budget=150),
    controls=[
        control("no growth with the depth", bound="9/2", cells=grid(m=240, L=8, slope=0.0, delta=0.4)),
        control("constant 3/2", bound="3*sqrt(L)/2", cells=grid(m=96, L=3, slope=SLOPES, delta=0.4)),
        control("weight variance 4/m", gain=2.0, cells=grid(m=96, L=3, slope=SLOPES, delta=0.4)),
        control("weight variance 10/m, at -2", gain=5.0, cells=grid(m=96, L=3, slope=-2.0, delta=0.4)),
    ],
    blind={f"premise {sheet.lemma_B_3_sparse_width.text}": TAILS},
    note="of b < L, b = L - 1 alone; delta for exp(-Omega(m/L)). Near slope 1 the norm is near sqrt(2 e (L + 1/2))",
)
def norm_of_layer_products(rng: Generator, m: int, L: int, slope: float, *, gain: float = 1.0) -> float:
    """The largest ||W_L D_{L-1} W_{L-1} ... D_a|| over a = 0..L-1, D_0 = I, at one drawn unit point."""
    net, x = leaky_start(rng, m, L, slope)
    products = layer_products(net, forward(net, x))
    return max(gain ** ((k + 1) / 2.0) * operator_norm(A) for k, A in enumerate(products))


@claim(
    "guo2024:lemma-B.3-back",
    title="operator norm of the back-propagated read-out at the start, with a stated constant",
    bound="C*sqrt(m/outputs)",
    constants={
        "C": Constant.above(
            2, attacked=1.68, why="99 of 100 starts at m = 256, outputs = 16; at m = 96, outputs = 21 one in 100 has 2"
        )
    },
    premises=[
        sheet.lemma_B_3_few_outputs.reads("outputs*L*log(m) <= m"),
        sheet.lemma_B_3_sparse_width.reads("m >= 32*L*log(1/delta)"),
        "more than one neuron, whose logarithm is 0: m >= 2",
    ],
    regime=Regime(
        cells=[*grid(m=64, L=2, outputs=1, delta=0.4), *grid(m=256, L=2, outputs=[1, 16], delta=0.4)],
        thorough=grid(m=1024, L=4, outputs=[1, 32], delta=0.4),
    ),
    evidence=Trials(rate="delta", budget=150),
    controls=[
        control("half of it", bound="sqrt(m/outputs)/2"),
        control("read-out of variance 1", scale=4.0, cells=grid(m=256, L=2, outputs=16, delta=0.4)),
        # Each is beyond the bound at one end alone, of all layers or of the last.
        control("layers of twice the variance", gain=2.0, cells=grid(m=256, L=4, outputs=1, delta=0.4)),
        control("of a quarter, behind 6 B", gain=0.25, scale=6.0, cells=grid(m=256, L=2, outputs=1, delta=0.4)),
    ],
    blind={
        f"premise {sheet.lemma_B_3_few_outputs.text}": "with as many outputs as neurons it is the whole bound",
        f"premise {sheet.lemma_B_3_sparse_width.text}": TAILS,
        "premise m >= 2": "the width against the depth leaves one neuron for a chance above 0.96 alone",
    },
    note="near sqrt(m/outputs) for every a where outputs are few; delta, of all that is drawn, for exp(-Omega(m/L))",
)
def norm_of_back_products(
    rng: Generator, m: int, L: int, outputs: int, *, scale: float = 1.0, gain: float = 1.0
) -> float:
    """The largest ||Back_a|| = ||B D_L W_L ... D_a W_a|| over a = 1..L; unit point, slope (of 7, -2 to 0.9) drawn."""
    net, x = leaky_start(rng, m, L, any_slope(rng), outputs)
    products = leaky_back_products(net, forward(net, x))
    return scale * max(gain ** (0.5 * k) * operator_norm(A) for k, A in enumerate(products, 1))


SPARSE = Regime(
    cells=[{"m": 256, "L": 2, "s": 2, "delta": 0.4}, {"m": 192, "L": 2, "s": 1, "delta": 0.05}],
    thorough=[{"m": 512, "L": 3, "s": 3, "delta": 0.4}, {"m": 1024, "L": 2, "s": 6, "delta": 0.4}],
)


@claim(
    "guo2024:lemma-B.3-sparse",
    title="products of layers on sparse vectors at the start",
    # The log of a squared stretch has the mean log(2) and a variance of 5 L/m at most, at slope 0: among some m^s
    # vectors the largest is about log(2) + sqrt(10 s L log(m)/m), at most log(2) + 9/8 here, and log(9) is 2.2.
    bound="3",
    premises=[
        sheet.lemma_B_3_sparse.reads("8*s*L*log(m) <= m"),
        sheet.lemma_B_3_sparse_width.reads("m >= 32*L*log(1/delta)"),
    ],
    regime=SPARSE,
    evidence=Trials(rate="delta", budget=150),
    controls=[
        control("seven fifths", bound="7/5"),
        control("weight variance 6/m", gain=3.0),
        control("a third of all entries", cells=grid(m=96, L=2, s=32, delta=0.4), without=sheet.lemma_B_3_sparse),
    ],
    blind={f"premise {sheet.lemma_B_3_sparse_width.text}": TAILS},
    note="b = L alone; delta for exp(-Omega(m/L)). One entry is stretched by sqrt(2); upper ends: Gershgorin's circles",
)
def sparse_stretch(rng: Generator, m: int, L: int, s: int, *, gain: float = 1.0) -> Measured:
    """The largest ||W_L D_{L-1} ... W_a v||, s-sparse unit v, a = 1..L; unit point, slope (of 7, -2 to 0.9) drawn."""
    net, x = leaky_start(rng, m, L, any_slope(rng), stored=math.inf)
    net = net.with_weights([W * math.sqrt(gain) for W in net.weights])
    ends = np.array([sparse_operator_norm(A, s) for A in feature_products(net, forward(net, x), gated=False)])
    return Measured.between(ends[:, 0], ends[:, 1])


@claim(
    "guo2024:eq-53",
    bound="4",
    premises=[
        sheet.lemma_B_3_sparse.reads("8*s*L*log(m) <= m"),
        sheet.lemma_B_3_sparse_width.reads("m >= 32*L*log(1/delta)"),
    ],
    regime=SPARSE,
    evidence=Trials(rate="delta", budget=150),
    controls=[
        control("factor 1", bound="1"),
        control("weights three times as large", gain=9.0),
        control(
            "half of all entries", cells=grid(m=96, L=2, s=48, delta=0.4), bound="2", without=sheet.lemma_B_3_sparse
        ),
    ],
    blind={
        f"premise {sheet.lemma_B_3_sparse_width.text}": TAILS,
        f"premise {sheet.lemma_B_3_sparse.text}": "the factor leaves room for more entries: lemma-B.3-sparse",
    },
    note="of all sparse d, as D' g depends on W; s is for O(m omega^(2/3) L), delta, of all that is drawn, "
    "for exp(-Omega(m/L)). 2 would do",
    scope="part: carried up to the top layer L alone",
)
def sparse_propagation(rng: Generator, m: int, L: int, s: int, *, gain: float = 1.0) -> Measured:
    """The largest ||D_L W_L ... D_a W_a d|| at W^(0), s-sparse unit d, a = 1..L; point, slope (7, -2 to 0.9) drawn."""
    net, x = leaky_start(rng, m, L, any_slope(rng))
    net = net if gain == 1.0 else net.with_weights([W * math.sqrt(gain) for W in net.weights])
    ends = np.array([sparse_operator_norm(A, s) for A in feature_products(net, forward(net, x), gated=True)])
    return Measured.between(ends[:, 0], ends[:, 1])


@claim(
    "guo2024:lemma-B.3-response",
    title="response of the outputs to sparse vectors at the start",
    bound="C*sqrt(s*log(m)/outputs)",
    constants={
        "C": (2, "hidden in the paper; the s largest of m standard Gaussians have norm sqrt(2 s log(m)) at most")
    },
    premises=[
        sheet.lemma_B_3_response_sparse.reads("s*L*log(m) <= m"),
        sheet.lemma_B_3_few_outputs.reads("outputs*L*log(m) <= m"),
        "entries against outputs, as in item 4 of Lemma B.5: s*log(m) >= 2*outputs",
        "depth, ours, up to which one start in forty is beyond the constant 2: 8*L*log(8*m) <= m",
    ],
    regime=Regime(
        calibration=grid(m=4096, s=[1, 10, 100], outputs=1, L=2),
        cells=grid(m=20000, s=[1, 20, 400], outputs=1, L=2),
        thorough=grid(m=10**5, s=[1, 40, 2000], outputs=1, L=2),
        most={"outputs": 1},
    ),
    evidence=Scaling({"s": "at most", "m": "free"}, constant="C", replicates=24),
    controls=[control("cube root of the sparsity", bound="C*s**(1/3)*sqrt(log(m)/outputs)")],
    blind={
        "outputs": "one output, where the supremum is exact: response-outputs has several",
        "m": "its logarithm moves by a fifth",
        f"premise {sheet.lemma_B_3_response_sparse.text}": "beyond it the bound only grows, the norm does not",
        **dict.fromkeys((f"premise {sheet.lemma_B_3_few_outputs.text}", "premise s*log(m) >= 2*outputs"), "one output"),
        "premise 8*L*log(8*m) <= m": "at eight times the depth one start in five is beyond the constant 2",
    },
    note="the supremum is the norm of the s largest entries of one output; one network in ten may fail, for "
    "exp(-Omega(s log m))",
)
def sparse_response(rng: Generator, m: int, L: int, s: int, outputs: int) -> float:
    """The largest |B D_L W_L ... D_a W_a v|, s-sparse unit v, a = 1..L; unit point, slope (of 7, -2 to 0.9) drawn."""
    net, x = leaky_start(rng, m, L, any_slope(rng), outputs, stored=0)
    return max(float(sparse_supremum(A[0], s)) for A in leaky_back_products(net, forward(net, x)))


TWO_OUTPUTS = grid(m=192, L=2, s=1, outputs=2, delta=0.05)
# As many outputs as the entries allow.
MANY_ENTRIES = grid(m=512, L=1, s=16, outputs=49, delta=0.4)


@claim(
    "guo2024:lemma-B.3-response-outputs",
    title="response of several outputs to sparse vectors at the start, with a stated constant",
    bound="C*sqrt(s*log(m)/outputs)",
    constants={"C": Constant.above(3, attacked=2.5, why="hidden: 20 entries, 69 outputs, 1024 neurons, 134 starts")},
    premises=[
        sheet.lemma_B_3_response_sparse.reads("s*L*log(m) <= m"),
        sheet.lemma_B_3_few_outputs.reads("outputs*L*log(m) <= m"),
        "entries against outputs, as in item 4 of Lemma B.5: s*log(m) >= 2*outputs",
        "entries against the chance, exp(-Omega(s log m)) in print: s*log(m) >= log(1/delta)",
        sheet.lemma_B_3_sparse_width.reads("m >= 32*L*log(1/delta)"),
    ],
    regime=Regime(
        cells=[*grid(m=64, L=1, s=2, outputs=1, delta=0.4), *TWO_OUTPUTS, *MANY_ENTRIES],
        thorough=grid(m=512, L=3, s=4, outputs=[2, 8], delta=0.4),
        most={"s": "m"},
    ),
    evidence=Trials(rate="delta", budget=150),
    controls=[
        control("constant 1/2", bound="sqrt(s*log(m)/outputs)/2"),
        control("constant 5/4", bound="5*sqrt(s*log(m)/outputs)/4", cells=TWO_OUTPUTS),
        control("read-out of variance 1", ordinary=False, cells=grid(m=256, L=2, s=4, outputs=8, delta=0.4)),
        control(
            "more outputs than the entries allow",
            cells=grid(m=1024, L=1, s=1, outputs=100, delta=0.4),
            without="s*log(m) >= 2*outputs",
        ),
    ],
    blind={
        f"premise {sheet.lemma_B_3_response_sparse.text}": "beyond it the bound only grows, the norm does not",
        f"premise {sheet.lemma_B_3_few_outputs.text}": "with more outputs sqrt(m/outputs) is the smaller bound",
        **dict.fromkeys(("premise s*log(m) >= log(1/delta)", f"premise {sheet.lemma_B_3_sparse_width.text}"), TAILS),
    },
    note="at a drawn unit point; a column alone has norm 1, however many outputs; delta, of all that is drawn, for "
    "exp(-Omega(s log m)); upper ends: Gershgorin or norms of s columns",
)
def sparse_response_of_outputs(
    rng: Generator, m: int, L: int, s: int, outputs: int, *, ordinary: bool = True
) -> Measured:
    """The largest |u^T B D_L W_L ... D_a W_a v|, unit u, s-sparse unit v, a = 1..L; slope (of 7, -2 to 0.9) drawn."""
    net, x = leaky_start(rng, m, L, any_slope(rng), outputs)
    scale = 1.0 if ordinary else math.sqrt(outputs)
    ends = [sparse_operator_norm(A, s) for A in leaky_back_products(net, forward(net, x))]
    return Measured.between(*(scale * np.array(ends).T))


def heavy_rate(m: int) -> float:
    """The chance of failure that (55) allows: exp(-sqrt(m)/log(m))."""
    return math.exp(-math.sqrt(m) / math.log(m))


@claim(
    "guo2024:eq-55",
    bound="C/m",
    constants={"C": (100, "hidden in the paper")},
    premises="none needed: the law of a Gaussian vector, of which the width is named",
    regime=Regime(cells=grid(m=[10**5, 10**6, 10**8], c=3), derived={"delta": heavy_rate}, least={"m": 2}),
    evidence=ExactLaw(rate="delta"),
    expected=Verdict.REFUTED,
    controls=[
        control("constant 160", bound="160/m", cells=grid(m=10**8, c=3)),
        control("a threshold of twice the height", cells=grid(m=10**8, c=6)),
    ],
    note="with b^2 = c^2 log(m)/m one entry beyond b is more than that already, and its chance is a power of m, not "
    "delta = exp(-sqrt(m)/log(m)): no constants will do",
)
@form(
    "corrected",
    title="heavy entries of a Gaussian vector carry little mass, of order 1/sqrt(m)",
    bound="C/sqrt(m)",
    constants={"C": (1, "at least 8/log(m), by the exponential moment at the tilt 1/4, with c = 3")},
    premises=[
        "threshold of a height, ours, beyond which entries are few: c >= 3",
        "width, ours, from which 8/log(m) is at most 1: m >= 3000",
    ],
    regime=Regime(
        cells=grid(m=[10**4, 10**5, 10**6, 10**8], c=3),
        thorough=grid(m=[3000, 10**7], c=3),
        derived={"delta": heavy_rate},
        least={"m": 2},
    ),
    controls=[
        control("the printed order", bound="1/m"),
        control("a threshold of a sixth of the height", cells=grid(m=[10**6, 10**8], c=0.5), without="c >= 3"),
        control("two neurons", cells=grid(m=2, c=3), without="m >= 3000"),
    ],
    note="the order is that of 4 q b^2 log(q), q = sqrt(m)/log(m)^2; delta is exp(-sqrt(m)/log(m)). The norm of the "
    "large entries is then of order m^(-1/4), and m has to be of order L^4 where L^2 is assumed",
)
def heavy_mass(threshold: float, m: int, c: float) -> Tail:
    """P(S > threshold), S the sum of y_j^2 over |y_j| >= b = c sqrt(log(m)/m), y = W u ~ N(0, (2/m) I), ||u|| = 1."""
    return HeavyEntries(m, c).exceeds(threshold)
