"""guo2024, Appendix B.3: what is exact about perturbed layers, and what follows at one layer from measured changes.

Main claims: `one_step_of_the_change` (49), an erratum, with `one_step_corrected`, `unrolled_change` (50)-(51) and
`change_of_the_features` (end of the proof of Lemma B.4), another; `few_small_flipped` (41), `large_flipped` (45) and
`flipped_part_of_a_layer` (43) on flipped pre-activations; `certified_flips` of Lemma B.4.
"""

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from bounds.papers import guo2024 as sheet
from nets.networks.network import leaky_network
from properties.guo2024.layer_changes import (
    LAYER_ATTACKS,
    StepEffect,
    affordable_flips,
    attacked_layer,
    first_layer_flips,
    leaky_start,
)
from properties.guo2024.parted_changes import SPLIT, SPLIT_SEARCH, parted, pinned_draw, sizes_of, squares
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid, reals
from theory.evidence import Search

IDENTITY_DRAW = Regime(
    cells=[
        {"m": m, "L": L, "slope": slope} for slope, m, L in zip(SLOPES, [6, 8, 12] * 3, [2, 3, 4] * 3, strict=False)
    ],
    thorough=grid(m=24, L=6, slope=SLOPES),
    draw={"omega": reals(1e-3, 1.0, logarithmic=True), "attack": choices(*LAYER_ATTACKS)},
    pinned=[{"omega": 0.5, "attack": "shift"}, {"omega": 0.5, "attack": "flips"}],
)
IDENTITY = Search(examples=4, adversary="steps that flip many neurons or one by far, on Gaussian weights")


def _one_neuron(slope: float, L: int, first: float) -> StepEffect:
    """A network of one neuron a layer, all weights 1, and a step of that size in its first layer alone."""
    net = leaky_network(1, 1, L, 1, slope, np.random.default_rng(0))
    net = replace(net.with_weights([np.ones((1, 1))] * L), frozen=(np.ones((1, 1)),))
    return StepEffect.of(net, [np.full((1, 1), first if layer == 0 else 0.0) for layer in range(L)], np.ones((1, 1)))


def _one_step(effect: StepEffect, *, form: str, own: bool = True) -> Measured:
    """g'_l less its one-step expansion, at all layers."""
    missed, errors, sizes = [], [], []
    for layer in range(1, effect.layers + 1):
        g, earlier = effect.end.pre[layer - 1][0], effect.change(layer - 1)
        flipped, kept = effect.jumps(layer - 1), effect.start.masks[layer - 1][0]
        last = {"printed": flipped * earlier, "corrected": flipped * g + kept * earlier, "kept": kept * earlier}[form]
        expansion = last @ effect.net.weights[layer - 1]
        if own:
            expansion = expansion + effect.end.post[layer][0] @ effect.step(layer)
        missed.append(effect.change(layer) - expansion)
        errors.append(effect.error(layer))
        sizes.append(effect.sizes[layer].max())
    return Measured(np.concatenate(missed), error=np.concatenate(errors), scale=float(max(sizes)))


@claim(
    "guo2024:eq-49",
    bound=sheet.eq_49.reads("0"),
    premises="none needed: an identity, at any weights, step and point",
    sense="=",
    regime=Regime(cells=grid(m=1, L=2, slope=SLOPES)),
    evidence=Search(examples=1),
    expected=Verdict.REFUTED,
    controls=[
        control("the step of the layer itself left out", own=False),
        control("of 30 neurons a layer", cells=grid(m=30, L=2, slope=SLOPES)),
    ],
    note="one neuron a layer, A = W_1 = W_2 = 1 and W'_1 = 1/2: g'_2 is half of what passes at first, and the printed "
    "expansion has nothing of it, as no gate moves",
)
def one_step_of_the_change(rng: Generator, m: int, L: int, slope: float, *, own: bool = True) -> Measured:
    """The entries of g'_l less (W'_l D_{l-1} g_{l-1} + W_l^(0) D'_{l-1} g'_{l-1}), as printed, in both layers."""
    if m == 1:
        return _one_step(_one_neuron(slope, L, 0.5), form="printed", own=own)
    net, x = leaky_start(rng, m, L, slope)
    return _one_step(attacked_layer(rng, net, x, 0.5, "random"), form="printed", own=own)


@claim(
    "guo2024:eq-49-corrected",
    title="one-step expansion of the change of the pre-activations, with the term of the gates that stay",
    bound=sheet.eq_49.reads("0"),
    premises="none needed: an identity, at any weights, step and point",
    sense="=",
    regime=IDENTITY_DRAW,
    evidence=IDENTITY,
    controls=[
        control("the printed last term", form="printed"),
        control("flips left out", form="kept"),
        control("the step of the layer itself left out", own=False),
    ],
)
def one_step_corrected(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    omega: float,
    attack: str,
    *,
    form: str = "corrected",
    own: bool = True,
) -> Measured:
    """The entries of g'_l - W'_l D_{l-1} g_{l-1} - W_l^(0) (D'_{l-1} g_{l-1} + D_{l-1}^(0) g'_{l-1}), all layers."""
    net, x = leaky_start(rng, m, L, slope)
    return _one_step(attacked_layer(rng, net, x, omega, attack), form=form, own=own)


@claim(
    "guo2024:eq-50-51",
    bound="= 0",
    premises="none needed: an identity, at any weights, step and point",
    regime=IDENTITY_DRAW,
    evidence=IDENTITY,
    controls=[
        control("what flips do left out", gates=False),
        control("what the steps do left out", weights=False),
        control("gates after the step in the products", carried_after=True),
    ],
    note="all entries of all layers l; k from 1, and P_l is the identity; h, g are those after the step",
)
def unrolled_change(
    rng: Generator,
    m: int,
    L: int,
    slope: float,
    omega: float,
    attack: str,
    *,
    gates: bool = True,
    weights: bool = True,
    carried_after: bool = False,
) -> Measured:
    """The g'_l - sum_k P_k (W'_k h_{k-1} + W_k^(0) D'_{k-1} g_{k-1}), k <= l, P_k = W_l^(0) D_{l-1}^(0) ... D_k^(0)."""
    net, x = leaky_start(rng, m, L, slope)
    effect = attacked_layer(rng, net, x, omega, attack)
    summed = replace(effect, start=replace(effect.start, masks=effect.end.masks)) if carried_after else effect
    missed, errors = [], []
    for layer in range(1, L + 1):
        expansion = np.zeros(m)
        if weights:
            expansion += summed.weight_part(layer)
        if gates:
            expansion += np.sum(effect.gate_parts(layer), axis=0)
        missed.append(effect.change(layer) - expansion)
        errors.append(effect.error(layer))
    return Measured(np.concatenate(missed), error=np.concatenate(errors), scale=float(effect.sizes[L].max()))


def _features(effect: StepEffect, form: str) -> Measured:
    """h'_l less its expansion, at all layers."""
    missed, errors = [], []
    for layer in range(1, effect.layers + 1):
        change, flipped = effect.change(layer), effect.flipped_part(layer)
        gates = (effect.end if form == "printed" else effect.start).masks[layer][0]
        expansion = gates * change + (0.0 if form == "kept" else flipped)
        missed.append(effect.feature_change(layer) - expansion)
        errors.append(effect.error(layer))
    return Measured(np.concatenate(missed), error=np.concatenate(errors), scale=float(effect.sizes[-1].max()))


@claim(
    "guo2024:claim-h-prime",
    bound=sheet.claim_h_prime.reads("0"),
    premises="none needed: an identity, at any weights, step and point",
    sense="=",
    regime=Regime(cells=grid(m=1, L=1, slope=SLOPES)),
    evidence=Search(examples=1),
    expected=Verdict.REFUTED,
    controls=[
        control("flips left out", form="kept"),
        control("of 30 neurons a layer", cells=grid(m=30, L=2, slope=SLOPES)),
    ],
    note="one neuron, weight 1 before and -1 after: D is the one after the step, and D' g' counts twice",
)
def change_of_the_features(rng: Generator, m: int, L: int, slope: float, *, form: str = "printed") -> Measured:
    """The entries of h'_l - D_l g'_l - D'_l g_l, with D_l after the step as its definition says."""
    if m == 1:
        return _features(_one_neuron(slope, L, -2.0), form)
    net, x = leaky_start(rng, m, L, slope)
    return _features(attacked_layer(rng, net, x, 0.5, "flips"), form)


@claim(
    "guo2024:claim-h-prime-corrected",
    title="change of the features, with the gates before the step",
    bound=sheet.claim_h_prime.reads("0"),
    premises="none needed: an identity, at any weights, step and point",
    sense="=",
    regime=IDENTITY_DRAW,
    evidence=IDENTITY,
    controls=[control("gates after the step", form="printed"), control("flips left out", form="kept")],
)
def change_of_the_features_corrected(
    rng: Generator, m: int, L: int, slope: float, omega: float, attack: str, *, form: str = "corrected"
) -> Measured:
    """The entries of h'_l - D_l^(0) g'_l - D'_l g_l, at all layers."""
    net, x = leaky_start(rng, m, L, slope)
    return _features(attacked_layer(rng, net, x, omega, attack), form)


@claim(
    "guo2024:eq-41",
    bound="3*(1 - slope)**2/(1 + slope**2)*(count*(beta_**2 + drift2**2) + drift1**2)",
    premises="none needed: true of any vectors, g = g^(0) + g'_1 + g'_2, and any threshold beta_",
    regime=replace(
        SPLIT,
        draw={**SPLIT.draw, "sup": reals(0.0, 5.0)},
        pinned=[
            *pinned_draw(low=1e-3, inside=10.0, sup=5.0),
            *pinned_draw(low=1e-6, inside=8.0, sup=5.0),
            *pinned_draw(low=0.9, inside=1e-3, sup=1.0),
        ],
    ),
    measured=["count", "drift1", "drift2"],
    evidence=SPLIT_SEARCH,
    idle={"part": 0.0},
    controls=[control("second part forgotten", bound="3*(1 - slope)**2/(1 + slope**2)*(count*beta_**2 + drift1**2)")],
    note="a flipped neuron has moved by more than its size, so that 2/3 of it is the most that is met",
    blind={"beta_ in count*(beta_**2 + drift2**2)": "not needed, as sharp shows"},
)
@form(
    "sharp",
    title="what small flipped neurons contribute to D' g, without the threshold",
    # A flip needs a move of more than |g_j|, against its sign, so that |g_j + g_j'| <= |g_j'|.
    bound="2*(1 - slope)**2/(1 + slope**2)*(count*drift2**2 + drift1**2)",
    regime=replace(
        SPLIT,
        pinned=[pinned_draw(low=1e-6, inside=part, sup=sup)[0] for part, sup in ((0.39, 0.4), (1e-3, 0.4), (4, 4))],
    ),
    controls=[control("factor 19/10", bound="19*(1 - slope)**2/(10 + 10*slope**2)*(count*drift2**2 + drift1**2)")],
    note="attained where both parts are equal and the neurons at their kinks",
    blind={},
)
def few_small_flipped(
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
) -> Measured:
    """The sum of d_j^2, d = D' g, over `count` flips of |g_j^(0)| < beta_; drift1 = ||g'_1||, drift2 = max |g'_2|."""
    change = parted(rng, m, slope, beta_, low, part * inside, part * outside, part * sup, jitter)
    value, count = squares(change, np.abs(change.before) < beta_)
    return Measured(value, symbols={**sizes_of(change), "count": count})


@claim(
    "guo2024:eq-43",
    bound="2*(1 - slope)**2/(1 + slope**2)*(drift1**2 + drift2**2*drift1**2/(beta_ - drift2)**2)",
    premises=sheet.eq_42_large.reads("beta_ > 2*drift2"),
    regime=replace(SPLIT, pinned=[*pinned_draw(outside=1e3, sup=1e-3), *pinned_draw(outside=3.0, sup=0.45)]),
    measured=["drift1", "drift2"],
    evidence=SPLIT_SEARCH,
    idle={"part": 0.0},
    controls=[
        control("a fifth of it", bound="2*(1 - slope)**2/(5 + 5*slope**2)*drift1**2"),
        control("slope with the wrong sign", bound="2*(1 + slope)**2/(1 + slope**2)*drift1**2"),
        control("norm of the first part not squared", bound="2*(1 - slope)**2/(1 + slope**2)*drift1"),
        control("second part beyond the threshold", beyond=20.0, without=sheet.eq_42_large),
    ],
    blind={
        **dict.fromkeys(("beta_", "term drift1**2*drift2**2/(beta_ - drift2)**2"), "not needed, as sharp shows"),
        "slope in -slope": "half of the bound is met: sharp sees it",
    },
    note="(45), by (43), (44); any g = g^(0) + g'_1 + g'_2; half is met: a large neuron first comes back to its kink",
)
@form(
    "sharp",
    title="what large flipped neurons contribute to D' g, by the first part alone",
    # There |g_j| >= beta > |g'_2,j|, so that |g_j + g'_1,j + g'_2,j| <= |g'_1,j| after a flip.
    bound="(1 - slope)**2/(1 + slope**2)*drift1**2",
    regime=replace(SPLIT, pinned=[*pinned_draw(outside=1e3, sup=1e-3), *pinned_draw(outside=30.0, sup=0.45)]),
    controls=[
        control("nineteen twentieths", bound="19*(1 - slope)**2/(20 + 20*slope**2)*drift1**2"),
        control("second part beyond the threshold", beyond=20.0, without=sheet.eq_42_large),
    ],
    note="beyond the threshold the old size of a neuron is more than the second part can add",
    blind={},
)
def large_flipped(
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
    """The sum of d_j^2, d = D' g, over flips of |g_j^(0)| >= beta_; drift1 = ||g'_1||, drift2 = max |g'_2|."""
    change = parted(rng, m, slope, beta_, low, part * inside, part * outside, part * sup + beyond, jitter)
    value, _ = squares(change, np.abs(change.before) >= beta_)
    return Measured(value, symbols=sizes_of(change))


LAYERS = [
    {"m": m, "L": L, "slope": slope} for slope, m, L in zip(SLOPES, [64, 128, 32] * 3, [1, 2, 3] * 3, strict=False)
]


@claim(
    "guo2024:eq-43-norm",
    title="norm of D' g by the change of the pre-activations",
    bound="(1 - slope)/sqrt(1 + slope**2)*drift",
    premises="none needed: the measured change replaces the radius, at any weights",
    regime=Regime(
        cells=LAYERS,
        thorough=grid(m=256, L=4, slope=SLOPES),
        draw={"omega": reals(1e-2, 1.0, logarithmic=True), "attack": choices(*LAYER_ATTACKS)},
        pinned=[{"omega": 1.0, "attack": "overshoot"}],
    ),
    measured=["drift"],
    evidence=Search(examples=3, adversary="the whole step of a layer on the neuron nearest to its kink"),
    idle={"part": 0.0},
    controls=[
        control("not rescaled", bound="(1 - slope)/(1 + slope**2)*drift"),
        control("slope with the wrong sign", bound="(1 + slope)/sqrt(1 + slope**2)*drift"),
    ],
    note="nearly attained by a neuron close to its kink that is moved far across, as the others stay",
    blind={"slope in -slope": "at -1 and -1/2 attacks reach three quarters of it: eq-43-sharp sees its square"},
)
def flipped_part_of_a_layer(
    rng: Generator, m: int, L: int, slope: float, omega: float, attack: str, *, part: float = 1.0
) -> Measured:
    """The norms ||D'_l g_l|| against kappa times drift = ||g'_l||, in all layers, steps of norm omega at most."""
    net, x = leaky_start(rng, m, L, slope)
    effect = attacked_layer(rng, net, x, part * omega, attack)
    layers = range(1, L + 1)
    value = np.array([np.linalg.norm(effect.flipped_part(layer)) for layer in layers])
    return Measured(value, symbols={"drift": np.array([np.linalg.norm(effect.change(layer)) for layer in layers])})


@claim(
    "guo2024:lemma-B.4-certified",
    title="number of flips by the measured change, as many as the smallest pre-activations allow",
    bound="count",
    premises="none needed: the measured change replaces the radius, at any weights",
    regime=Regime(
        cells=LAYERS,
        thorough=grid(m=256, L=4, slope=SLOPES),
        draw={"omega": reals(1e-2, 1.0, logarithmic=True), "attack": choices(*LAYER_ATTACKS)},
        pinned=[{"omega": 0.3, "attack": "flips"}, {"omega": 0.03, "attack": "flips"}],
    ),
    measured=["count"],
    evidence=Search(examples=3, adversary="the smallest pre-activations first, to just beyond their kinks"),
    idle={"part": 0.0},
    controls=[
        control("five sixths of them", bound="5*count/6", cells=LAYERS[:2]),
        control("the smallest pre-activation left out", passed_over=1, cells=LAYERS[:1]),
    ],
    note="with one trained layer the step that flips most attains it",
)
def certified_flips(
    rng: Generator, m: int, L: int, slope: float, omega: float, attack: str, *, passed_over: int = 0, part: float = 1.0
) -> Measured:
    """The number ||D'_L||_0 against the largest s whose s smallest squares of g_L^(0) sum to at most ||g'_L||^2."""
    net, x = leaky_start(rng, m, L, slope)
    if attack == "flips" and L == 1:
        effect = first_layer_flips(net, x, part * omega)
    else:
        effect = attacked_layer(rng, net, x, part * omega, attack)
    sizes = np.sort(np.abs(effect.start.pre[L][0]))[passed_over:]
    most = affordable_flips(sizes, float(np.linalg.norm(effect.change(L))))
    return Measured(float(effect.flips(L)), error=0.0, symbols={"count": float(most)})
