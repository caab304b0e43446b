"""frei2019, Appendix B.2: the exact steps of the proof of Lemma 4.2, at any two weight tuples.

Main claims: `telescoped_output` (eq. (16)), `layer_split` (eq. (17)), `linear_parts_in_print` and `linear_parts`
(eq. (25)).
"""

import numpy as np
from numpy.random import Generator

from nets import Array, DataSource, masked_product, output_gradient, perturbed, residual_network
from properties.frei2019.weight_pairs import PAIRS, WeightPair, absolute_size, draw_pair, layer_scales
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals, rounding
from theory.evidence import Search

TWO_WEIGHTS = Regime(
    cells=[*grid(m=2, L=2, n=2, d=2), *grid(m=8, L=[2, 4], n=3, d=4)],
    thorough=grid(m=32, L=[3, 6], n=4, d=8),
    draw={"theta": reals(0.05, 1.5), "kind": choices(*PAIRS), "size": reals(1e-3, 3.0, logarithmic=True)},
    pinned=[{"theta": 0.5, "kind": kind, "size": 1.0} for kind in PAIRS],
)
SEARCH = Search(examples=12, adversary="unrelated weights, whole numbers with kinks, small and large steps")


def _measured(pair: WeightPair, exact: bool, differences: Array) -> Measured:
    scale = absolute_size(pair)
    # Whole multiples of a power of the scale are doubles up to 2^53; sums of differences may be some times as large.
    exact = exact and scale < 2.0**50 * min(1.0, pair.theta ** (pair.layers - 2))
    operations = (pair.layers + 1.0) * (sum(pair.tilde.widths) + 8.0)
    return Measured(differences, error=0.0 if exact else rounding(scale, 2.0 * operations), scale=scale)


@claim(
    "frei2019:eq-16",
    bound="= 0",
    premises="none needed: an identity of any two weight tuples, kinks included",
    regime=TWO_WEIGHTS,
    evidence=SEARCH,
    controls=[
        control("scale of the residual layers forgotten", power=0.0),
        control("scale squared", power=2.0),
        control("maps of the other weights", maps="hat"),
        control("states of the other weights", states="tilde"),
        control("gates of the other weights", gates="hat"),
        control("the first residual layer left out", skipped=2),
        control("the first layer left out", skipped=1),
    ],
    note="whole numbers and powers of 2 make both sides numbers that float64 holds, and then nothing is allowed; terms "
    "of residual layers are times theta, and the recursion of H^ - H~ by which the sum is found is held as well",
)
def telescoped_output(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    kind: str,
    size: float,
    *,
    power: float = 1.0,
    maps: str = "tilde",
    states: str = "hat",
    gates: str = "tilde",
    skipped: int = 0,
) -> Measured:
    """The change f^ - f~ less (T1) + (T2) + (T3), v^T H~_{l+1} (S^ W^^T - S~ W~^T)_l x^_{l-1}; the recursion of H."""
    pair, exact = draw_pair(rng, data.draw(n, d, rng)[0], m, L, theta, kind, size)
    scales = layer_scales(L + 1, pair.theta, power)
    fed = (pair.after if states == "hat" else pair.before).post
    kept = (pair.before if gates == "tilde" else pair.after).masks
    arriving = pair.arriving if maps == "tilde" else pair.arriving_after
    hat = perturbed(pair.tilde, pair.steps)
    total, recursions = np.zeros(len(fed[0])), []
    for layer in range(1, L + 2):
        W, W_hat = pair.tilde.weights[layer - 1], hat.weights[layer - 1]
        moves = (fed[layer - 1] @ W_hat) * pair.after.masks[layer - 1] - (fed[layer - 1] @ W) * kept[layer - 1]
        if layer != skipped:
            total = total + scales[layer - 1] * np.sum(arriving[layer - 1] * moves, axis=1)
        if 2 <= layer <= L:
            after = pair.arriving_after[layer - 1] * pair.after.masks[layer - 1]
            both = arriving[layer - 1] * (pair.after.masks[layer - 1], kept[layer - 1])
            difference = pair.arriving_after[layer - 1] - pair.arriving[layer - 1]
            through = difference + scales[layer - 1] * ((after - both[0]) @ W_hat.T + both[0] @ W_hat.T - both[1] @ W.T)
            recursions.append(pair.arriving_after[layer - 2] - pair.arriving[layer - 2] - through)
    missed = pair.after.output - pair.before.output - total
    return _measured(pair, exact, np.append(np.ravel(recursions), missed))


@claim(
    "frei2019:eq-17",
    bound="= 0",
    premises="none needed: an identity of any two weight tuples, kinks included",
    regime=TWO_WEIGHTS,
    evidence=SEARCH,
    controls=[
        control("flipped neurons left out", parts=(0.0, 1.0, 1.0)),
        control("the change of the states left out", parts=(1.0, 0.0, 1.0)),
        control("the linear part left out", parts=(1.0, 1.0, 0.0)),
        control("gates of the other weights", gates="hat"),
        control("flipped neurons with the other weights", flipped="tilde"),
        control("the linear part at the other states, and the change counted again", states="hat"),
    ],
)
def layer_split(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    kind: str,
    size: float,
    *,
    parts: tuple[float, float, float] = (1.0, 1.0, 1.0),
    gates: str = "tilde",
    flipped: str = "hat",
    states: str = "tilde",
) -> Measured:
    """The image (S^ W^^T - S~ W~^T) x^ less the sum (S^ - S~) W^^T x^ + S~ dW^T (x^ - x~) + S~ dW^T x~, each layer."""
    pair, exact = draw_pair(rng, data.draw(n, d, rng)[0], m, L, theta, kind, size)
    hat = perturbed(pair.tilde, pair.steps)
    missed = []
    for layer in range(1, L + 2):
        x, W, W_hat = pair.after.post[layer - 1], pair.tilde.weights[layer - 1], hat.weights[layer - 1]
        before, after = pair.before.masks[layer - 1], pair.after.masks[layer - 1]
        kept = before if gates == "tilde" else after
        first = (after - before) * (x @ (W_hat if flipped == "hat" else W))
        second = kept * pair.moved_by_the_states(layer)
        third = kept * (pair.moved(layer) if states == "tilde" else x @ pair.steps[layer - 1])
        split = parts[0] * first + parts[1] * second + parts[2] * third
        missed.append(((x @ W_hat) * after - (x @ W) * before - split).ravel())
    return _measured(pair, exact, np.concatenate(missed))


@claim(
    "frei2019:eq-25",
    expected=Verdict.REFUTED,
    bound="= 0",
    premises="none needed: one sample, one neuron a layer and two in the last, all weights and the step 1 or -1",
    regime=Regime(cells=grid(theta=[1.0, 0.5, 1.0 / 64], L=2), thorough=grid(theta=0.25, L=4), least={"L": 2}),
    evidence=Search(),
    controls=[
        control("scale of the layer forgotten", power=0.0),
        control("a step of half the size on the left alone", left=0.5),
        control("the last gates left out, so that both signs cancel", gated=False),
    ],
    note="at theta = 1 the left side is 2 and the right side 1: H_l has a factor I + theta Sigma W^T more than the "
    "gradient; in the first and the last layer its shape does not even fit",
)
def linear_parts_in_print(
    theta: float, L: int, *, power: float = 1.0, left: float = 1.0, gated: bool = True
) -> Measured:
    """The printed theta v^T H_l S_l dW_l^T x_{l-1} of (25) less <dW_l, grad_{W_l} f>, in layer 2, in exact numbers."""
    net = residual_network((1, *[1] * L, 2), theta, np.random.default_rng(0))
    weights = [np.ones(W.shape) for W in net.weights]
    weights[-1][0, 1] = -1.0
    net = net.with_weights(weights)
    steps = [np.ones((1, 1)) if layer == 1 else np.zeros(W.shape) for layer, W in enumerate(weights)]
    pair = WeightPair.of(net, steps, theta, np.ones((1, 1)))
    rows = net.v * pair.before.masks[-1][0] if gated else net.v
    printed = rows @ masked_product(net, pair.before, 0, 2, L + 1)
    step = left * pair.moved(2)[0] * pair.before.masks[1][0]
    G = output_gradient(net, pair.before, np.ones(1))
    return Measured(theta**power * float(printed @ step) - float(np.sum(G[1] * steps[1])), error=0.0)


@claim(
    "frei2019:eq-25-corrected",
    title="linear terms are inner products with the gradients, with the maps behind the layer",
    bound="= 0",
    premises="none needed: an identity of any two weight tuples, kinks included",
    regime=TWO_WEIGHTS,
    evidence=SEARCH,
    controls=[
        control("the printed H_l, in the residual layers", shift=0),
        control("scale of the residual layers forgotten", power=0.0),
        control("gates of the layer left out", gated=False),
        control("the step transposed, in the residual layers", transposed=True),
        control("states of the other weights", states="hat"),
    ],
    note="the maps are made forward, as products of matrices, and the gradients backward",
)
def linear_parts(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    kind: str,
    size: float,
    *,
    shift: int = 1,
    power: float = 1.0,
    gated: bool = True,
    transposed: bool = False,
    states: str = "tilde",
) -> Measured:
    """The v^T H_{l+1} S_l dW_l^T x_{l-1} at W~, times theta if residual, less <dW_l, grad_{W_l} f(W~)>, each layer."""
    pair, exact = draw_pair(rng, data.draw(n, d, rng)[0], m, L, theta, kind, size)
    scales, missed = layer_scales(L + 1, pair.theta, power), []
    for i in range(n):
        G = output_gradient(pair.tilde, pair.before, np.eye(n)[i])
        top = pair.tilde.v * pair.before.masks[-1][i]
        for layer in range(1, L + 2):
            residual = 2 <= layer <= L
            step = pair.steps[layer - 1].T if transposed and residual else pair.steps[layer - 1]
            first = layer + (shift if residual else 1)
            maps = pair.tilde.v if layer > L else top @ masked_product(pair.tilde, pair.before, i, first, L + 1)
            moved = (pair.before if states == "tilde" else pair.after).post[layer - 1][i] @ step
            gate = pair.before.masks[layer - 1][i] if gated else 1.0
            along = float(np.sum(G[layer - 1] * pair.steps[layer - 1]))
            missed.append(scales[layer - 1] * float(np.sum(maps * gate * moved)) - along)
    return _measured(pair, exact, np.array(missed))
