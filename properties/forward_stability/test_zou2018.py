"""zou2018, Theorem 5.3(i) and Appendix B: what a perturbation of the weights does, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from bounds import zou2018 as sheet
from bounds.formula import formula
from nets.adversaries import flip_layer, flip_smallest, forward_shift, random_perturbation, top_pair
from nets.data import DataSource
from nets.forward import forward
from nets.network import gaussian_network, he_network
from nets.operators import operator_norm, threshold_counts
from nets.points import sphere
from properties.forward_stability.measurements import (
    Array,
    Shift,
    channel_network,
    masked_factors,
    plant,
    product,
    random_layers,
    two_levels,
)
from theory.claim import claim, control
from theory.evidence import Scaling, Search
from theory.measured import Measured, rounding
from theory.regime import Regime, grid

# The share used of a norm that a premise allows: a bound that is attained is then met by more than rounding.
USED = 1.0 - 1e-9


@claim(
    "zou2018:theorem-5.3-i",
    bound=sheet.theorem_5_3_i,
    premises=sheet.theorem_5_3_i_premises,
    regime=Regime(
        cells=grid(m=[16, 64], d=8),
        thorough=grid(m=128, d=[8, 128]),
        draw={"tau": st.floats(1e-6, 0.5), "stretch": st.floats(0.0, 1.0)},
        pinned=[{"tau": 0.5, "stretch": 1.0}, {"tau": 0.5, "stretch": 0.0}],
    ),
    measured=["normW"],
    evidence=Search(examples=40, adversary="a step along the top singular pair, which adds all of its norm"),
    controls=[
        control("bound a quarter of a per cent smaller", bound=formula("399/100")),
        control("norms added as if the step were orthogonal", bound=formula("sqrt(49/4 + tau**2)")),
        control("radius relative to the norm of the weights", relative=True),
        control("radius for each entry in place of the norm", entrywise=True),
    ],
)
def perturbed_weight_norms(
    rng: np.random.Generator,
    m: int,
    d: int,
    tau: float,
    stretch: float,
    *,
    relative: bool = False,
    entrywise: bool = False,
) -> Measured:
    """||W~_l|| for Gaussian weights of widths (d, m, 2m, m), stretched as far as the premise allows.

    A step along the top singular pair makes the triangle inequality an equality.
    """
    before, after = [], []
    for W in he_network((d, m, 2 * m, m), rng).weights:
        W = W * (1.0 - stretch + stretch * 3.5 * USED / operator_norm(W))
        before.append(operator_norm(W))
        step = tau * np.sign(W) if entrywise else top_pair(W, tau * (before[-1] if relative else 1.0))
        after.append(operator_norm(W + step))
    return Measured(np.array(after), symbols={"normW": max(before)})


# Beyond this width layers are revealed, and an instance takes tenths of a second.
WIDE = 10**4


def _instances(m: int, otherwise: int) -> int:
    """How many instances a search tries at the width m."""
    return 1 if m >= WIDE else otherwise


NARROW_OUTPUTS = grid(L=[1, 2, 3], m=32, d=8)
OUTPUTS = Regime(
    cells=[*NARROW_OUTPUTS, *grid(L=3, m=WIDE, d=8), *grid(L=2, m=10**5, d=8)],
    thorough=[*grid(L=[2, 4, 5], m=128, d=[8, 64]), *grid(L=3, m=10**5, d=16), *grid(L=2, m=10**6, d=8)],
    draw={"tau": st.floats(1e-4, 0.5), "channels": st.integers(0, 1)},
    pinned=[{"tau": 1e-4, "channels": 1, "trial": 0}, {"tau": 0.1, "channels": 0, "trial": 0}],
)
OUTPUTS_SEARCH = Search(
    examples=lambda m: _instances(m, 30),
    adversary="rank-one steps along each layer's input and backward vector, on Gaussian weights and on two "
    "channels; beside them random steps of rank one",
)


def _moved_outputs(
    rng: np.random.Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    channels: int,
    limit: float,
    length: float,
    first: int,
) -> Measured:
    """||x~_l - x_l|| of the layers from `first` on, at a point of norm `length`, for two choices of the steps.

    The channels stretch as far as ||W~_l|| <= limit lets them; the first steps move the last layer most, the
    second are random.
    """
    X, _ = data.draw(1, d, rng)
    x, widths, radius = length * X[0], (m,) * L, tau * USED
    net = channel_network(x, widths, limit - tau) if channels else gaussian_network((x.size, *widths), rng)
    shifts = [
        Shift.of(net, forward_shift(net, x, radius, sweeps=3), x),
        Shift.of(net, [random_perturbation(W, radius, rng, "rank_one") for W in net.weights], x),
    ]
    # A control that raises the limit has the premise judged against the raised one.
    norm = max(shift.weight_norm for shift in shifts) * 4.0 / limit
    return Measured(
        np.stack([shift.outputs[first - 1 :] for shift in shifts]),
        error=np.stack([shift.output_errors[first - 1 :] for shift in shifts]),
        symbols={"l": np.arange(first, L + 1), "normW": norm, "r": shifts[0].output_norm},
    )


@claim(
    "zou2018:lemma-B.2",
    bound=sheet.lemma_B_2,
    premises=sheet.lemma_B_2_premises,
    regime=OUTPUTS,
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("bound an eighth smaller, and a little more", bound=formula("100*8**L*tau/801"), cells=NARROW_OUTPUTS),
        control("outputs taken to have norm 1", bound=formula("(4**L - 1)*tau/3"), cells=NARROW_OUTPUTS),
        control("no factor 2 for the activations", bound=formula("4**L*tau/7"), cells=grid(L=3, m=WIDE, d=8)),
        control("weights of norm 8 allowed", limit=8.0, cells=NARROW_OUTPUTS),
        control("inputs of norm 1.2", length=1.2, cells=NARROW_OUTPUTS),
    ],
    note="the two channels come near the bound; Gaussian weights reach 0.32 of it at L = 2 and 0.07 at L = 3, at all "
    "large widths alike",
)
def layer_outputs(
    rng: np.random.Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    channels: int,
    *,
    limit: float = 4.0,
    length: float = 1.0,
) -> Measured:
    """||x~_l - x_l|| of every layer. At depth one any active neuron gives tau, 7/8 of the bound."""
    return _moved_outputs(rng, data, m, L, d, tau, channels, limit, length, first=1)


@claim(
    "zou2018:lemma-B.2",
    variant="sharp",
    title="stability of the layer outputs, with the factor 1 of a 1-Lipschitz ReLU",
    bound=sheet.lemma_B_2_sharp,
    premises=sheet.lemma_B_2_premises,
    regime=OUTPUTS,
    measured=["normW", "r", "l"],
    evidence=OUTPUTS_SEARCH,
    controls=[
        control("bound 1 % smaller", bound=formula("99*(3*4**(l - 1) - 1)*tau/200"), cells=grid(L=3, m=WIDE, d=8)),
        control("outputs taken to have norm 1", bound=formula("(4**l - 1)*tau/3"), cells=NARROW_OUTPUTS),
        control(
            "norm of W, 7/2, in place of that of W~",
            bound=formula("(8*(7/2)**(l - 1) - 3)*tau/5"),
            cells=NARROW_OUTPUTS,
        ),
        control("weights of norm 4.1 allowed", limit=4.1, cells=NARROW_OUTPUTS),
        control("inputs of norm 1.2", length=1.2, cells=NARROW_OUTPUTS),
    ],
    note="d_1 <= tau and d_l <= 3 tau/2 + 4 d_(l-1); two channels attain it in every layer as tau falls",
)
def layer_outputs_sharply(
    rng: np.random.Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    tau: float,
    channels: int,
    *,
    limit: float = 4.0,
    length: float = 1.0,
) -> Measured:
    """||x~_L - x_L|| at every depth against the recursion that the proof gives without its factor 2."""
    return _moved_outputs(rng, data, m, L, d, tau, channels, limit, length, first=L)


NARROW_FLIPS = [
    {"L": 1, "layer": 1, "m": 1024, "d": 8, "tau": 0.02},
    {"L": 2, "layer": 1, "m": 256, "d": 8, "tau": 0.0025},
    {"L": 2, "layer": 2, "m": 256, "d": 8, "tau": 0.0025},
    {"L": 3, "layer": 3, "m": 256, "d": 8, "tau": 0.0003},
]
WIDE_FLIPS = [
    {"L": 3, "layer": 3, "m": WIDE, "d": 8, "tau": 0.0003},
    # In a layer of thousands so small a step flips next to nothing.
    {"L": 2, "layer": 2, "m": 10**5, "d": 8, "tau": 1e-5},
]
FLIPS = Regime(
    cells=[*NARROW_FLIPS, *WIDE_FLIPS],
    thorough=[
        {"L": 1, "layer": 1, "m": 16384, "d": 64, "tau": 0.001},
        {"L": 2, "layer": 2, "m": 512, "d": 64, "tau": 0.001},
        {"L": 3, "layer": 2, "m": 256, "d": 64, "tau": 0.0003},
        {"L": 3, "layer": 3, "m": 10**5, "d": 16, "tau": 1e-5},
        {"L": 2, "layer": 2, "m": 10**6, "d": 8, "tau": 1e-6},
    ],
    derived={"beta_": lambda m, L, tau: 4.0**L * tau ** (2.0 / 3.0) / m**0.5},
    draw={"planted": st.floats(0.0, 1.0)},
    pinned=[{"planted": 1.0, "trial": 0}, {"planted": 0.0, "trial": 0}],
)
FLIPS_SEARCH = Search(
    examples=lambda m: _instances(m, 15),
    adversary="the layer's input moved far, then its smallest pre-activations flipped; exact in layer one",
)


def _attacked(
    rng: np.random.Generator,
    data: DataSource,
    widths: Sequence[int],
    layer: int,
    d: int,
    tau: float,
    levels: tuple[float, float, float],
) -> Shift:
    """The attack on a layer whose weights are Gaussian but for the smallest pre-activations at one point.

    `levels` says where those lie: a threshold, how many next to zero, how many just beyond the threshold.
    """
    X, _ = data.draw(1, d, rng)
    net = gaussian_network((X.shape[1], *widths), rng)
    beta, inside, outside = levels
    wanted = two_levels(forward(net, X).pre[layer - 1][0], beta, int(inside), int(outside))
    net = plant(net, X[0], layer, wanted)
    return Shift.of(net, flip_layer(net, X[0], tau, layer), X[0])


@claim(
    "zou2018:lemma-B.3",
    bound=sheet.lemma_B_3,
    premises=sheet.lemma_B_3_premises,
    regime=FLIPS,
    measured=["normW", "r", "count"],
    evidence=FLIPS_SEARCH,
    controls=[
        control("neurons beyond the threshold forgotten", bound=formula("2*4**L*m*tau**(2/3)"), cells=NARROW_FLIPS),
        control("exponent 3/4 of tau", bound=formula("3*4**L*m*tau**(3/4)"), cells=WIDE_FLIPS[1:]),
        control("growth 5/2 a layer", bound=formula("3*(5/2)**L*m*tau**(2/3)"), cells=NARROW_FLIPS),
        control("twice as many small pre-activations", crowd=2.0, cells=NARROW_FLIPS),
    ],
    note=(
        "weights with as many small pre-activations as the premise allows reach 2/3 of the bound, Gaussian "
        "weights (3/pi)^(1/3)/12 = 0.08 at depth one and less beyond"
    ),
)
def flips_of_a_layer(
    rng: np.random.Generator,
    data: DataSource,
    m: int,
    L: int,
    layer: int,
    d: int,
    tau: float,
    beta_: float,
    planted: float,
    *,
    crowd: float = 1.0,
) -> Measured:
    """||Sigma~_l - Sigma_l||_0 at weights on which the proof's split of the neurons loses nothing.

    Up to 2 m^(3/2) beta pre-activations, all that the premise allows, are next to zero, half as many just
    beyond beta.
    """
    allowed = crowd * planted * 2.0 * m**1.5 * beta_
    shift = _attacked(rng, data, (m,) * L, layer, d, tau, (beta_, allowed, allowed / 2.0))
    # A control that plants more than the premise allows has the premise judged against what it plants.
    count = threshold_counts(shift.before.pre[layer - 1], beta_)[0, 0] / crowd
    return Measured(
        shift.flips[layer - 1],
        symbols={"normW": shift.weight_norm, "r": shift.output_norm, "count": count},
    )


@claim(
    "zou2018:lemma-B.3",
    variant="certified",
    title="number of activation flips, from the measured change of the pre-activations",
    bound=sheet.lemma_B_3_certified,
    regime=replace(FLIPS, derived={}),
    measured=["count", "D", "beta_"],
    evidence=FLIPS_SEARCH,
    controls=[
        control("small pre-activations forgotten", bound=formula("D**2/beta_**2"), cells=WIDE_FLIPS[1:]),
        control("square 2 % smaller", bound=formula("count + 49*D**2/(50*beta_**2)"), cells=NARROW_FLIPS),
        control("norm in place of its square", bound=formula("count + D/beta_"), cells=NARROW_FLIPS),
        control("input of the layer taken as unmoved", unmoved=True, cells=NARROW_FLIPS),
    ],
    note="needs no premise; tested at every threshold at which its right-hand side jumps",
)
def flips_certified(
    rng: np.random.Generator,
    data: DataSource,
    m: int,
    L: int,
    layer: int,
    d: int,
    tau: float,
    planted: float,
    *,
    unmoved: bool = False,
) -> Measured:
    """||Sigma~_l - Sigma_l||_0 against |S(beta)| + D^2/beta^2 for all beta > 0 at once.

    Between neighbouring sizes of pre-activations the right-hand side falls, so its infimum is found by
    letting beta rise to each size, with the count of those strictly below. Both terms matter when about
    m tau^(2/3) pre-activations are next to zero and the others within reach share one size.
    """
    scale = m * tau ** (2.0 / 3.0)
    levels = (tau / scale**0.5, planted * scale, planted * 16.0 ** (layer - 1) * scale)
    shift = _attacked(rng, data, (m,) * L, layer, d, tau, levels)
    own = shift.before.post[layer - 1] @ (shift.moved.weights[layer - 1] - shift.net.weights[layer - 1])
    sizes = np.sort(np.abs(shift.before.pre[layer - 1][0]))
    sizes = sizes[sizes > 0.0]
    return Measured(
        shift.flips[layer - 1],
        symbols={
            "count": m - sizes.size + np.searchsorted(sizes, sizes),
            "beta_": sizes,
            "D": float(np.linalg.norm(own)) if unmoved else shift.pre_activations[layer - 1],
        },
    )


@claim(
    "zou2018:lemma-B.3",
    variant="exponent",
    title="number of activation flips, exponents of the radius and the width",
    bound=sheet.lemma_B_3_exponent,
    regime=Regime(
        calibration=grid(m=[256, 512], tau=[0.02, 0.06, 0.18], d=8),
        cells=grid(m=[1024, 4096, WIDE], tau=[0.02, 0.06, 0.18], d=8),
        thorough=grid(m=10**5, tau=[0.02, 0.06, 0.18], d=8),
        nightly=grid(m=10**6, tau=[0.02, 0.06, 0.18], d=8),
    ),
    evidence=Scaling(exponents={"tau": "equal", "m": "equal"}, constant="C", replicates=50, margin=1.1),
    controls=[
        control("exponent 3/4 of tau", bound=formula("C*m*tau**(3/4)")),
        control("exponent 1/2 of tau", bound=formula("C*m*tau**(1/2)")),
        control("exponent 4/5 of m", bound=formula("C*m**(4/5)*tau**(2/3)")),
        control("each neuron moved by tau on its own", each=True),
    ],
    note="the constant tends to (3/pi)^(1/3) = 0.985: the k-th smallest size is near k sqrt(pi)/m^(3/2)",
)
def flips_of_the_first_layer(rng: np.random.Generator, m: int, d: int, tau: float, *, each: bool = False) -> Measured:
    """The least number of flips beyond the reach of a step of norm tau in the first layer at one point.

    The step that flips most is known. One flip more, which no step makes, is stricter than the statement, and
    follows the power law down to a dozen flips, which whole numbers rounded down do not. Random steps of that
    norm flip a multiple of m tau only. The law is the same at all unit points.
    """
    X, net = sphere(1, d, rng), he_network((d, m), rng)
    if each:
        return Measured(threshold_counts(forward(net, X).pre[0], tau)[0, 0])
    return Measured(Shift.of(net, (flip_smallest(net.weights[0], X[0], tau),), X[0]).flips[0] + 1.0)


@claim(
    "zou2018:eq-B.1-telescoping",
    bound=sheet.eq_B_1_telescoping,
    sense="=",
    regime=Regime(cells=grid(L=[2, 3, 5], m=12), thorough=grid(L=[4, 8], m=64)),
    evidence=Search(examples=30, adversary="arbitrary masks and weights, widths between m and 2m"),
    controls=[
        control("factors of each term in reverse order", reverse=True),
        control("last term dropped", dropped=1),
        control("perturbed factors on both sides", perturbed_left=True),
        control("perturbed weights in both parts of a change", perturbed_split=True),
    ],
)
def telescoping_sum(
    rng: np.random.Generator,
    m: int,
    L: int,
    *,
    reverse: bool = False,
    dropped: int = 0,
    perturbed_left: bool = False,
    perturbed_split: bool = False,
) -> Measured:
    """All entries of left side minus right side, for the products that start at any layer.

    The change of a factor is (Sigma~ - Sigma) W^T + Sigma~ (W~ - W)^T. Each entry is allowed the rounding
    error of its own sum of products, whose size is that sum with absolute values in place of all numbers.
    """
    widths = [m] * (L + 1) if reverse else [int(k) for k in rng.integers(m, 2 * m, L + 1, endpoint=True)]
    (weights, masks), (moved, flipped) = random_layers(widths, rng), random_layers(widths, rng)
    factors, perturbed = masked_factors(weights, masks), masked_factors(moved, flipped)
    layers = list(zip(weights, moved, masks, flipped, strict=True))
    changes = [
        (after - before)[:, None] * (V if perturbed_split else W).T + after[:, None] * (V - W).T
        for W, V, before, after in layers
    ]
    sizes = [
        abs(after - before)[:, None] * abs(W).T + after[:, None] * (abs(V) + abs(W)).T for W, V, before, after in layers
    ]

    def telescoped(first: int, left: list[Array], middle: list[Array], right: list[Array]) -> Array:
        """The sum over the layers after `first`: factors on the left, one change, factors on the right."""
        total = np.zeros((widths[L], widths[first]))
        for t in range(first, L - dropped):
            parts = [product(right[first:t], widths[first]), middle[t], product(left[t + 1 :], widths[t + 1])]
            total += product(parts[::-1] if reverse else parts, widths[first])
        return total

    plain, sized = [abs(A) for A in factors], [abs(A) for A in perturbed]
    left = perturbed if perturbed_left else factors
    gaps, magnitudes = [], []
    for first, width in enumerate(widths[:-1]):
        both = product(perturbed[first:], width) - product(factors[first:], width)
        gaps.append(both - telescoped(first, left, changes, perturbed))
        most = product(sized[first:], width) + product(plain[first:], width)
        magnitudes.append(most + telescoped(first, plain, sizes, sized))
    magnitude = np.concatenate([part.ravel() for part in magnitudes])
    # Along one term the inner products are as long as each layer is wide, once or twice; then come the sums.
    operations = 2 * sum(widths) + L + 6
    return Measured(
        np.concatenate([part.ravel() for part in gaps]),
        error=rounding(1.0, operations) * magnitude,
        scale=float(magnitude.max()),
    )
