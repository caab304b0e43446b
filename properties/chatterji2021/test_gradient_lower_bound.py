"""chatterji2021 on gradients from below: Lemma 4.5 and the alignment per layer that its proof rests on, Lemma B.18.

Main claims: `gradient_of_deep_chains`, `gradient_of_one_sample` and `alignment_of_deep_chains`, where they fail as
printed; `gradient_from_below`, `alignment_on_large_weights` and `shortfall_of_the_alignment`, the corrected forms. All
in ball arithmetic: losses go down to 1e-8000.

Both lemmas hold at the first iterate if at all: there their last premise is an equality, and at later ones it says that
h is at most what the iterate itself would allow.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from properties.chatterji2021.ball_members import MEMBERS_IN_BALLS
from properties.chatterji2021.tiny_losses import (
    JUST_BELOW,
    RANK_ONE,
    BallInstance,
    NearRankOne,
    gradient_alignment,
    near_rank_one,
    one_sample_chain,
    small_network,
    suffix_sums,
    two_block_chain,
)
from properties.shared.ball_ends import enclosed_measure, largest_ball
from theory.claims import Measured, Regime, Verdict, claim, control, grid, reals, rounding
from theory.evidence import Search

MEASURED = ("h", "J", "J1", "normV", "normV1")

# What a search chooses of a chain: see `two_block_chain`. Where the weak layers end, their weight, where the
# activation bends, and how much of h_max is used.
CHAIN = {
    "lower": reals(0.1, 0.7),
    "weak": reals(0.5, 0.99),
    "bend": reals(0.05, 1.0, logarithmic=True),
    "share": reals(0.1, 0.99),
}
LARGE_CHAIN = {
    "lower": reals(0.1, 1.0),
    "large": reals(1e-3, 1.0, logarithmic=True),
    "bend": reals(0.05, 1.0, logarithmic=True),
    "share": reals(0.1, 0.99),
}

# Where chains have to bend before they break Lemma 4.5.
BEND = 0.3

# And of a small network.
NETWORK = near_rank_one(reals(1e-6, 0.999, logarithmic=True))
# The same with h beyond h_max, and among them chains that leave a premise.
FLAT, DEAD, WEAK_BELOW_STRONG = "flat", "dead", "weak below strong"
WIDER = near_rank_one(reals(1e-6, 100.0, logarithmic=True), (*MEMBERS_IN_BALLS, FLAT, DEAD))
NEAR_RANK_ONE = "layers near rank one, equal or not, two samples aside, bent activations"
BALANCED = {**RANK_ONE, "name": "bent", "share": 0.999}
MIRRORED = {**BALANCED, "turn": 0.69}
TOP_HEAVY = {**BALANCED, "tilt": 1.0, "share": 1e-4}
NEARLY_HOMOGENEOUS = {**RANK_ONE, "name": "bent", "share": 1e-4}
CELLS = grid(L=1, m=[1, 3], n=3) + grid(L=[2, 6], m=2, n=4)
WIDE = grid(L=1, m=32, n=3)

# Chains that leave a premise, by depth and number of samples: an activation of h = 1 that is flat where it is met;
# layers without gradient, as the first is 0 and the activation flat there; weak layers below strong ones.
CHAINS: dict[str, Callable[[int, int], BallInstance]] = {
    FLAT: lambda L, n: one_sample_chain(L, 1.0, 56.0, 1.0, "saturating"),
    DEAD: lambda L, n: one_sample_chain(L, 0.0, 2.0, 2.0**-10, "huberised_relu"),
    WEAK_BELOW_STRONG: lambda L, n: two_block_chain(L, n, 0.5, 0.9, 0.99, JUST_BELOW, BEND),
}

# What rows on the alignment and on deep chains need not see, and why.
ON_A_SMALL_LOSS = (sheet.lemma_4_5_samples, sheet.lemma_4_5_smoothing, sheet.lemma_4_5_loss)
BLIND_TO_SMALL_LOSSES = dict.fromkeys(
    (f"premise {premise.text}" for premise in ON_A_SMALL_LOSS),
    "not needed: phi'(z) z is within h/2 of phi(z) for every h and z, whatever the loss",
)
BLIND_TO_DEPTH = f"premise {sheet.lemma_B_6_large.text}"


@claim(
    "chatterji2021:lemma-B.18",
    bound=sheet.lemma_B_18_shortfall.reads("sqrt(m)*h*normV**L/(2*L**(L/2 - 1))"),
    premises=[
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
    ],
    measured=MEASURED,
    regime=Regime(
        cells=grid(L=[80, 100], m=1, n=3),
        draw={"lower": reals(0.1, 0.5), "weak": reals(0.5, 0.9)},
        least={"n": 3},
        most={"m": 1},
    ),
    evidence=Search(examples=40, adversary="weak layers below strong ones, the activation bending down in between"),
    expected=Verdict.REFUTED,
    controls=[
        control("half of the gap", bound="sqrt(m)*h*normV**L/(4*L**(L/2 - 1))"),
        control("L + 1 for L below the norm", bound="sqrt(m)*h*L*(normV/sqrt(L + 1))**L/2"),
    ],
    note="false for deep networks; such chains show it from 78 layers on, the best unequal weights found from 73 on. "
    "Rearranged, by the mean of g: margin less alignment against the error. At t = 1 the premise ||V^(t)||^L <= "
    "||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality",
)
def alignment_of_deep_chains(L: int, n: int, lower: float, weak: float) -> Measured:
    """The mean of y f(x) - y <grad_l f(x), V_l>, weighted by g, at V = V^(1), largest over l <= L of a scalar chain."""
    found = gradient_alignment(two_block_chain(L, n, lower, weak, 0.99, JUST_BELOW, BEND))
    return enclosed_measure(largest_ball(found.shortfalls), found.symbols)


@claim(
    "chatterji2021:lemma-B.18-corrected",
    title="alignment of the gradient with the weights of one hidden layer, where the norm is at least sqrt(e L)",
    bound=sheet.lemma_B_18_shortfall.reads("sqrt(m)*h*normV**L/(2*L**(L/2 - 1))"),
    premises=[
        sheet.lemma_4_5_samples.reads("n >= 3"),
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
        sheet.lemma_B_6_large.reads("normV >= sqrt(E*L)"),
    ],
    measured=MEASURED,
    regime=Regime(cells=CELLS, **NETWORK, pinned=[BALANCED, TOP_HEAVY]),
    evidence=Search(examples=15, adversary=NEAR_RANK_ONE),
    controls=[control("power L - 1 of the norm", bound="sqrt(m)*h*normV**(L - 1)/(2*L**(L/2 - 1))")],
    blind={
        **BLIND_TO_SMALL_LOSSES,
        BLIND_TO_DEPTH: "the loss implies it up to depth 11; lemma-B.18, refuted as printed, leaves it",
    },
    note="n >= 3 and ||V|| >= sqrt(e L) are missing in print; up to 11 layers n and the loss imply the second. "
    "||V^(t)||^L <= ||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality at t = 1, and later makes h small for V^(t)",
)
def alignment_on_large_weights(rng: Generator, L: int, m: int, n: int, drawn: NearRankOne) -> Measured:
    """The mean of y f(x) - y <grad_l f(x), V_l>, weighted by g, at V = V^(1), the largest over the hidden layers l."""
    found = gradient_alignment(small_network(rng, L, m, n, drawn))
    return enclosed_measure(largest_ball(found.shortfalls), found.symbols)


@claim(
    "chatterji2021:lemma-B.18-sharp",
    title="alignment of the gradient with the weights of one hidden layer, by products of operator norms",
    bound=sheet.lemma_B_18_shortfall_corrected.reads("sqrt(m)*h*suffixes/2"),
    premises=[
        sheet.lemma_4_5_samples.reads("n >= 3"),
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
    ],
    measured=(*MEASURED, "suffixes"),
    regime=Regime(cells=CELLS, **NETWORK, pinned=[NEARLY_HOMOGENEOUS]),
    evidence=Search(examples=15, adversary=NEAR_RANK_ONE),
    controls=[
        control("one layer's gap for the sum of all", bound="sqrt(m)*h*suffixes/(2*L)"),
        control("1 + log(m) for the root of the width", bound="h*suffixes*(1 + log(m))/2", cells=WIDE),
    ],
    blind=BLIND_TO_SMALL_LOSSES,
    note="no premise on a norm is needed. Equality is approached where every pre-activation is past the bend of an "
    "activation that has hardly lost slope there, and the gaps are aligned with the layers above",
)
def shortfall_of_the_alignment(rng: Generator, L: int, m: int, n: int, drawn: NearRankOne) -> Measured:
    """The g-weighted mean of y (f - <grad_l f, V_l>) at V^(1), l <= L; suffixes: sum_{k=l}^L prod_{j>k} ||V_j||_op."""
    instance = small_network(rng, L, m, n, drawn)
    found = gradient_alignment(instance)
    shortfalls = np.array([float(ball.mid()) for ball in found.shortfalls])
    radii = np.array([float(ball.rad()) for ball in found.shortfalls])
    suffixes = suffix_sums(instance.weights)
    error = radii + rounding(1.0, 8) * instance.phi.h * suffixes
    return Measured(shortfalls, error=error, symbols={**found.symbols, "suffixes": suffixes})


@claim(
    "chatterji2021:lemma-B.18-deep",
    title="alignment of the gradient with the weights of one of many hidden layers, in norms of each",
    bound=sheet.lemma_B_18_shortfall_corrected.reads("sqrt(m)*h*suffixes/2"),
    premises=[
        sheet.lemma_4_5_samples.reads("n >= 3"),
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
    ],
    measured=(*MEASURED, "suffixes"),
    regime=Regime(cells=grid(L=[80, 200], m=1, n=3), draw=CHAIN, least={"n": 2}, most={"m": 1}),
    evidence=Search(examples=15, adversary="weak layers below strong ones, the activation bending down in between"),
    controls=[
        control("the largest product alone", bound="sqrt(m)*h*suffixes/(2*sqrt(L))"),
        control("the printed error term", bound=sheet.lemma_B_18_shortfall),
    ],
    blind={**BLIND_TO_SMALL_LOSSES, "m": "the chains have one neuron a layer; lemma-B.18-sharp sees the width"},
    note="the chains on which the printed form fails, and their first layer",
)
def alignment_of_deep_chains_sharp(L: int, n: int, lower: float, weak: float, bend: float, share: float) -> Measured:
    """The mean of y f - y <grad_1 f, V_1>, by weights g, V = V^(1); suffixes sums prod_{j>k} ||V_j||_op over all k."""
    instance = two_block_chain(L, n, lower, weak, share, JUST_BELOW, bend)
    found = gradient_alignment(instance)
    return enclosed_measure(found.shortfalls[0], {**found.symbols, "suffixes": float(suffix_sums(instance.weights)[0])})


@claim(
    "chatterji2021:lemma-4.5",
    bound=sheet.lemma_4_5_constant.reads("L + 3/4"),
    sense=">=",
    premises=[
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
    ],
    measured=MEASURED,
    regime=Regime(
        cells=grid(L=700, m=1, n=3),
        thorough=grid(L=500, m=1, n=3),
        draw={"lower": reals(0.3, 0.7), "weak": reals(0.7, 0.99)},
        least={"n": 2},
        most={"m": 1, "L": 2000},
    ),
    evidence=Search(examples=30, adversary="weak layers below strong ones, the activation bending down in between"),
    expected=Verdict.REFUTED,
    controls=[control("L + 1 for L + 3/4", bound="L + 1"), control("hidden layers alone", hidden=True)],
    note="false for very deep networks; reached are 0.93 (L + 3/4) with 700 layers and 0.98 with 500, one neuron each "
    "and three samples alike. The premise ||V^(t)||^L <= ||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality at t = 1",
)
def gradient_of_deep_chains(L: int, n: int, lower: float, weak: float, *, hidden: bool = False) -> Measured:
    """Ratio ||grad J|| ||V||/(J log(1/J)) at V = V^(1), of a chain of one neuron per layer, h 99/100 of its largest."""
    found = gradient_alignment(two_block_chain(L, n, lower, weak, 0.99, JUST_BELOW, BEND), hidden)
    return enclosed_measure(found.constant, found.symbols)


@claim(
    "chatterji2021:lemma-4.5-one-sample",
    printed=True,
    title="gradient from below with a single sample",
    bound=sheet.lemma_4_5_constant.reads("L + 3/4"),
    sense=">=",
    premises=[
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
    ],
    measured=MEASURED,
    regime=Regime(cells=grid(L=[1, 2], m=1, n=1), draw={"first": reals(0.0, 1.0), "rest": reals(0.0, 2.0)}),
    evidence=Search(examples=20),
    expected=Verdict.REFUTED,
    controls=[control("L + 1 for L + 3/4", bound="L + 1"), control("hidden layers alone", hidden=True)],
    note="with n = 1 any loss below 1 is small enough, and at V = V^(1) = (0, v) the gradient is too small; the "
    "premise ||V^(t)||^L <= ||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality at t = 1. Two samples suffice",
)
def gradient_of_one_sample(L: int, m: int, first: float, rest: float, *, hidden: bool = False) -> Measured:
    """Ratio ||grad J|| ||V||/(J log(1/J)) at V = V^(1) for one sample, phi(z) = z and scalar weights of any size."""
    found = gradient_alignment(one_sample_chain(L, first, rest, 2.0**-60), hidden)
    return enclosed_measure(found.constant, found.symbols)


@claim(
    "chatterji2021:lemma-4.5-corrected",
    title="gradient from below, for three samples or more and norms of at least sqrt(e L)",
    bound=sheet.lemma_4_5_constant.reads("L + 3/4"),
    sense=">=",
    premises=[
        sheet.lemma_4_5_samples.reads("n >= 3"),
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
        sheet.lemma_B_6_large.reads("normV >= sqrt(E*L)"),
    ],
    measured=MEASURED,
    regime=Regime(
        cells=CELLS, **WIDER, pinned=[{**BALANCED, "name": DEAD}, {**BALANCED, "name": FLAT}, BALANCED, MIRRORED]
    ),
    evidence=Search(examples=20, adversary=NEAR_RANK_ONE),
    controls=[
        control("L + 1 for L + 3/4", bound="L + 1"),
        control("hidden layers alone", hidden=True),
        control("power 9/8 of L", bound="L**(9/8) + 3/4"),
        control("h of 1 where the activation is flat", cells=grid(L=1, m=1, n=3), without=sheet.lemma_4_5_smoothing),
        control("one sample where nothing moves", cells=grid(L=1, m=1, n=1), without=sheet.lemma_4_5_samples),
        control("a loss of log(2) where nothing moves", cells=grid(L=1, m=1, n=3), without=sheet.lemma_4_5_loss),
        control(
            "norms below sqrt(e L)", chain=WEAK_BELOW_STRONG, cells=grid(L=700, m=1, n=3), without=sheet.lemma_B_6_large
        ),
    ],
    note="nearly attained by equal layers of rank one. n >= 3 and ||V|| >= sqrt(e L) are missing in print; the premise "
    "||V^(t)||^L <= ||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality at t = 1, later it makes h small enough for V^(t)",
)
def gradient_from_below(
    rng: Generator, L: int, m: int, n: int, drawn: NearRankOne, *, hidden: bool = False, chain: str = ""
) -> Measured:
    """Ratio ||grad J|| ||V||/(J log(1/J)) at V = V^(1), of a small network, or of a chain that leaves a premise."""
    name = chain or drawn.name
    instance = CHAINS[name](L, n) if name in CHAINS else small_network(rng, L, m, n, drawn)
    found = gradient_alignment(instance, hidden)
    return enclosed_measure(found.constant, found.symbols)


@claim(
    "chatterji2021:lemma-4.5-deep",
    title="gradient from below for many layers, with norms of at least sqrt(e L)",
    bound=sheet.lemma_4_5_constant.reads("L + 3/4"),
    sense=">=",
    premises=[
        sheet.lemma_4_5_samples.reads("n >= 3"),
        sheet.lemma_4_5_smoothing.reads("h <= Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.lemma_4_5_loss.reads("n**(-24*L - 1) > J"),
        sheet.lemma_B_6_large.reads("normV >= sqrt(E*L)"),
    ],
    measured=MEASURED,
    regime=Regime(
        cells=grid(L=[80, 300], m=1, n=3),
        draw=LARGE_CHAIN,
        pinned=[{"lower": 1.0, "large": 1e-3, "bend": 0.5, "share": 0.99}],
        least={"L": 2, "n": 2},
        most={"m": 1},
    ),
    evidence=Search(examples=10, adversary="weak layers below strong ones, as where the printed form fails"),
    controls=[control("twice the constant", bound="2*L + 3/2")],
    blind=dict.fromkeys(
        (*BLIND_TO_SMALL_LOSSES, BLIND_TO_DEPTH), "it is about depth; lemma-4.5-corrected sees that it is needed"
    ),
    note="so large a norm with so small an output is far from balanced: in the cells' chains, at the largest loss "
    "allowed, the ratio stays above 3 L/2, least where the last two layers have most of it. "
    "||V^(t)||^L <= ||V^(1)||^L log(1/J_t)/log(1/J_1) is an equality at t = 1",
)
def gradient_of_large_chains(L: int, n: int, lower: float, large: float, bend: float, share: float) -> Measured:
    """Ratio ||grad J|| ||V||/(J log(1/J)) at V = V^(1), of a scalar chain whose strong layers have most of the norm."""
    found = gradient_alignment(two_block_chain(L, n, lower, 0.0, share, JUST_BELOW, bend, large))
    return enclosed_measure(found.constant, found.symbols)
