"""chatterji2021, Lemmas B.8 and B.10 to B.12: products of matrices, features, slopes and weights of samples that move.

Main claims: `product_of_matrices` (Lemma B.8), `features` and `change_of_features` (Lemma B.10), `change_of_slopes`
(Lemma B.11) and `change_of_the_weight` (Lemma B.12), each with its sharp form.
"""

from collections.abc import Sequence
from typing import Any

import flint
import numpy as np
import sympy
from hypothesis import strategies as st
from numpy.random import Generator
from sympy import exp, log

from bounds import Bound, certainly_le, is_nonnegative, is_positive, is_zero, nonnegative, precision_of, symbol
from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from properties.chatterji2021.norm_products import UPWARD_FACTOR, Products, least_norm, norm_of_largest_output
from properties.chatterji2021.perturbed_layers import (
    BENT_DOWN,
    DEEPEST,
    HUBERISED,
    IDENTITY,
    SHAPE,
    SHAPES,
    ZERO,
    PerturbedPair,
    Shape,
    mixture,
    one_layer,
    pinned_pair,
)
from theory.claims import Measured, Regime, choices, claim, control, grid, reals
from theory.evidence import Proof, Search, Step

DEPTHS = list(range(1, DEEPEST + 1))
# Wrong variants are judged where they show, which saves the other depths.
SHALLOW = grid(L=1)
# a loss, or another number that is not negative
X = sympy.Symbol("x", nonnegative=True)
TWO = sympy.Integer(2)

BOTH, MATRICES, GATES = "matrices and gates", "matrices", "gates"
FACTORS = {
    # largest size of a matrix
    "widest": st.integers(1, 4),
    # decades of ||A|| above the least allowed norm, and of the whole step and of the gates' change below their largest
    "size": reals(0.0, 1.0),
    "step": reals(1e-6, 10.0, logarithmic=True),
    "gate": reals(1e-6, 2.0, logarithmic=True),
    # decades by which one factor exceeds the others; at -2 it is zero
    "weight": reals(-2.0, 2.0),
    # 1: all matrices along one direction and all changes adding up; 0: Gaussian, of varying shapes
    "aligned": reals(0.0, 1.0),
    "moved": choices(BOTH, MATRICES, GATES),
}
FACTOR_SHAPES = {"factors": (dict, FACTORS)}
EQUAL = {"widest": 1, "size": 0.0, "step": 1e-4, "gate": 1e-4, "weight": 0.0, "aligned": 1.0, "moved": BOTH}


def _factors(**changes: Any) -> dict[str, object]:
    return {**EQUAL, **changes, "trial": 0}


FACTOR_PINS = [
    _factors(),
    _factors(size=1.0),
    _factors(moved=MATRICES),
    _factors(moved=GATES),
    _factors(step=10.0, moved=MATRICES),
]
FACTOR_ADVERSARY = "equal scalars whose changes add up, rank-one and Gaussian factors of varying shapes, zero factors"


def _unit(rng: Generator, rows: int, columns: int, aligned: float) -> Array:
    """A matrix of Frobenius norm 1 between the first basis vectors (aligned = 1) and a Gaussian one."""
    return mixture(np.eye(rows, 1) @ np.eye(1, columns), rng.standard_normal((rows, columns)), 1.0 - aligned)


def _gate(rng: Generator, size: int, aligned: float) -> Array:
    """A matrix (size, size) of operator norm 1: the identity (aligned = 1) or a mixture with a Gaussian one."""
    mixed = mixture(np.eye(size), rng.standard_normal((size, size)), 1.0 - aligned)
    return mixed / np.linalg.norm(mixed, 2)


def _product_change(rng: Generator, L: int, chosen: Shape, norm: float, *, extra: int = 0) -> Measured:
    """Operator norm of the difference of two products of L + 1 + `extra` gated factors, ||A|| being `norm`."""
    count, aligned = L + 1 + extra, chosen["aligned"]
    sizes = rng.integers(1, chosen["widest"] + 1, count + 1)
    shares = np.ones(count)
    shares[0] = 10.0 ** chosen["weight"] if chosen["weight"] > -2.0 else 0.0
    shares *= norm / np.linalg.norm(shares)
    steps = shares * chosen["step"] * (chosen["moved"] != GATES)
    kappa = chosen["gate"] * (chosen["moved"] != MATRICES)
    left, right = np.eye(sizes[0]), np.eye(sizes[0])
    frobenius, moved, gated = [], [], []
    for i in range(count):
        A = shares[i] * _unit(rng, sizes[i], sizes[i + 1], aligned)
        B = A + steps[i] * _unit(rng, sizes[i], sizes[i + 1], aligned)
        N = _gate(rng, sizes[i + 1], aligned)
        M = (1.0 - kappa) * N
        left, right = left @ A @ M, right @ B @ N
        frobenius.append(float(np.linalg.norm(A)))
        moved.append(float(np.linalg.norm(B - A)))
        gated.append(float(np.linalg.norm(N - M, 2)))
    found = float(np.linalg.norm(left - right, 2))
    size = float(np.prod(np.asarray(frobenius) + moved))
    symbols = {
        "normV": float(np.linalg.norm(frobenius)) * UPWARD_FACTOR,
        "dist": float(np.linalg.norm(moved)) * UPWARD_FACTOR,
        "dgate": max(gated) * UPWARD_FACTOR,
    }
    return Measured(found, error=1e-14 * size + 1e-12 * found, symbols=symbols)


@claim(
    "chatterji2021:lemma-B.8",
    bound=sheet.lemma_B_8.reads("3*(normV + dist)**(L + 1)*(dgate*normV + dist)/2"),
    premises=sheet.lemma_B_8_large.reads("normV >= sqrt(L + 1/2)"),
    measured=["normV", "dist", "dgate"],
    regime=Regime(cells=grid(L=DEPTHS), draw=FACTORS, built=FACTOR_SHAPES, pinned=FACTOR_PINS),
    evidence=Search(examples=25, adversary=FACTOR_ADVERSARY),
    controls=[
        control("change of the gates left out", bound="3*(normV + dist)**(L + 1)*dist/2", cells=SHALLOW),
        control("change of the matrices left out", bound="3*(normV + dist)**(L + 1)*dgate*normV/2", cells=SHALLOW),
        control("power L - 1", bound="3*(normV + dist)**(L - 1)*(dgate*normV + dist)/2", cells=SHALLOW),
        control("three factors more than counted", extra=3, cells=SHALLOW),
        control("norms a thousandth of it", shorter=1e-3, cells=grid(L=2), without=sheet.lemma_B_8_large),
    ],
    note="its proof rests on Lemma B.7, which is false; but exactly L factors remain where one is exchanged, for which "
    "the inequality of means alone is enough. The power L would do",
)
def product_of_matrices(rng: Generator, L: int, factors: Shape, *, extra: int = 0, shorter: float = 1.0) -> Measured:
    """The norm ||prod A_i M_i - prod B_i N_i||_op; normV is ||A||, dist ||A - B||, dgate max ||M_i - N_i||_op.

    Of L + 1 factors, gates of norm one at most; ||A|| goes from the least allowed to 10^(16/(L + 1)) times that.
    """
    least = shorter * float(sheet.lemma_B_8_large.smaller.evaluate({"L": L})) * (1.0 + 1e-12)
    norm = least * 10.0 ** (16.0 / (L + 1) * factors["size"])
    return _product_change(rng, L, factors, norm, extra=extra)


@claim(
    "chatterji2021:lemma-B.8-sharp",
    title="change of a product of matrices, with L factors shared evenly",
    bound=sheet.lemma_B_8_sharp.reads("sqrt(L + 1)*((normV + dist)/sqrt(L + 1))**L*(dgate*normV + dist)"),
    premises="none needed: gates have norm at most one as drawn, and ||A|| may be any",
    measured=["normV", "dist", "dgate"],
    regime=Regime(cells=grid(L=DEPTHS), draw=FACTORS, built=FACTOR_SHAPES, pinned=FACTOR_PINS),
    evidence=Search(examples=25, adversary=FACTOR_ADVERSARY),
    controls=[
        control(
            "root of L + 1 terms left out", bound="((normV + dist)/sqrt(L + 1))**L*(dgate*normV + dist)", cells=SHALLOW
        ),
        control(
            "one factor fewer",
            bound="sqrt(L + 1)*((normV + dist)/sqrt(L + 1))**(L - 1)*(dgate*normV + dist)",
            cells=SHALLOW,
        ),
        control("norms of A alone", bound="sqrt(L + 1)*(normV/sqrt(L + 1))**L*(dgate*normV + dist)", cells=SHALLOW),
        control("one factor more than counted", extra=1, cells=SHALLOW),
    ],
    note="no lower bound on ||A||, from 10^(-16/(L + 1)) on. Equal scalars approach it as the change becomes small: "
    "pinned with changes of 10^-4",
)
def product_of_matrices_sharp(rng: Generator, L: int, factors: Shape, *, extra: int = 0) -> Measured:
    """Norm ||prod A_i M_i - prod B_i N_i||_op, i <= L + 1; normV is ||A||, dist ||A-B||, dgate max ||M_i-N_i||_op."""
    return _product_change(rng, L, factors, 10.0 ** (16.0 / (L + 1) * (2.0 * factors["size"] - 1.0)), extra=extra)


ONE_LAYER_ADVERSARY = (
    "scalar chains, rank-one and Gaussian layers, unequal and zero layers, any layer replaced, five "
    "activations, pre-activations at the bend"
)


def _anywhere(norm: float) -> float:
    return 3.0 * norm


def _replaced(
    rng: Generator, L: int, shape: Shape, *, least: float = 0.0, unit: str = "norm", **changes: Any
) -> PerturbedPair:
    """V and W anywhere, up to huge norms, with h up to 10^6."""
    return one_layer(
        rng,
        L,
        shape,
        least=least or least_norm(L),
        largest=norm_of_largest_output(L),
        farthest=_anywhere,
        unit=unit,
        largest_h=1e6,
        **changes,
    )


def _rows(arrays: Sequence[Array]) -> Array:
    """2-norms of the rows of all arrays."""
    return np.concatenate([np.linalg.norm(each, axis=1) for each in arrays])


LINEAR = {"member": IDENTITY, "turn": 1.0, "reach": 0.25, "bend": 0.0}
SMALL_NORMS = control("norms from 1/1000 on", least=1e-3, cells=SHALLOW, without=sheet.lemma_B_10_large)
FEATURE_PINS = [
    pinned_pair(**LINEAR, size=0.0, heavy=0, weight=2.0, level=1),
    pinned_pair(**LINEAR, size=1.0),
    pinned_pair(size=0.0, weight=2.0, bend=-2.0),
    pinned_pair(**LINEAR, size=0.0, heavy=1, weight=2.0),
]
# A network of three layers, of norm 2.3, the last of which is zero.
NOT_THE_LAST = pinned_pair(**LINEAR, size=0.06, heavy=2, weight=ZERO)


@claim(
    "chatterji2021:lemma-B.10",
    bound="normV**(L + 1)",
    premises=sheet.lemma_B_10_large.reads("normLow > sqrt(L + 1/2)"),
    measured=["normV", "normLow"],
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=[*FEATURE_PINS, NOT_THE_LAST]),
    evidence=Search(examples=25, adversary=ONE_LAYER_ADVERSARY),
    controls=[
        control("power L", bound="normV**L", cells=SHALLOW),
        control(
            "all of the norm in one layer, or shared by all",
            bound="Max(normV, (normV/sqrt(L + 1))**(L + 1))",
            cells=grid(L=2),
        ),
        control("inputs of norm 2", input_norm=2.0, cells=SHALLOW),
        control("activation of slope 2", stretch=2.0, cells=SHALLOW),
        SMALL_NORMS,
    ],
    note="the output layer has a pre-activation only",
    scope="part: parts 1 and 2, on one network; parts 3 and 4 are lemma-B.10-change",
)
def features(
    rng: Generator, L: int, shape: Shape, *, stretch: float = 1.0, input_norm: float = 1.0, least: float = 0.0
) -> Measured:
    """Norms ||u_j||, j <= L + 1, and ||x_j||, j <= L, at V; normLow is min(||V||, ||W||), W being V but for a layer."""
    pair = _replaced(rng, L, shape, least=least, stretch=stretch, input_norm=input_norm)
    passed = pair.at_V
    found = _rows([*passed.pre, passed.output[:, None], *passed.post[1:]])
    return Measured(found, symbols={"normV": pair.V.norm, "normLow": pair.low})


@claim(
    "chatterji2021:lemma-B.10-change",
    title="change of the features when one layer is replaced",
    bound="distop*normV**(L + 1)",
    premises=sheet.lemma_B_10_large.reads("normLow > sqrt(L + 1/2)"),
    measured=["normV", "normLow", "distop"],
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=FEATURE_PINS),
    evidence=Search(examples=20, adversary=ONE_LAYER_ADVERSARY),
    controls=[
        control("power L - 1", bound="distop*normV**(L - 1)", cells=SHALLOW),
        control("inputs of norm 2", input_norm=2.0, cells=SHALLOW),
        control("activation of slope 2", stretch=2.0, cells=SHALLOW),
        SMALL_NORMS,
    ],
    note="parts 3 and 4; normLow is min(||V||, ||W||). The power L would do",
)
def change_of_features(
    rng: Generator, L: int, shape: Shape, *, stretch: float = 1.0, input_norm: float = 1.0, least: float = 0.0
) -> Measured:
    """All moves ||u_j^V - u_j^W|| and ||x_j^V - x_j^W||, W being V but for layer l; distop is ||V_l - W_l||_op."""
    pair = _replaced(rng, L, shape, least=least, stretch=stretch, input_norm=input_norm)
    symbols = {"normV": pair.V.norm, "normLow": pair.low, "distop": pair.distop}
    return Measured(np.concatenate(_feature_changes(pair)), symbols=symbols)


def _feature_changes(pair: PerturbedPair) -> tuple[Array, Array]:
    """||u_j^V - u_j^W|| for j = 1..L+1 and ||x_j^V - x_j^W|| for j = 1..L."""
    before, after = pair.at_V, pair.at_W
    outputs = (after.output - before.output)[:, None]
    pre = [*(w - v for v, w in zip(before.pre, after.pre, strict=True)), outputs]
    return _rows(pre), _rows([w - v for v, w in zip(before.post[1:], after.post[1:], strict=True)])


@claim(
    "chatterji2021:lemma-B.10-sharp",
    title="change of the features against the operator norms of the layers below",
    bound="distop*prodW",
    premises="none needed: no least norm is asked; one layer is replaced and points have norm one",
    measured=["distop", "prodW"],
    regime=Regime(
        cells=grid(L=DEPTHS),
        draw=SHAPE,
        built=SHAPES,
        pinned=[*FEATURE_PINS, pinned_pair(member=IDENTITY, size=0.9, turn=1.0, reach=0.25, level=2)],
    ),
    evidence=Search(examples=20, adversary=ONE_LAYER_ADVERSARY),
    controls=[
        control("activation of slope 1.001", stretch=1.001, cells=grid(L=2)),
        control("inputs of norm 1.001", input_norm=1.001, cells=grid(L=2)),
        control("first layer left out", first=1, cells=grid(L=2)),
    ],
    note="with the identity and layers of rank one along one direction it is an equality: pinned. No lower bound on "
    "the norms, which go down to 10^-3. Replacing a layer by zero makes it the bound on the features themselves",
)
def change_of_features_sharp(
    rng: Generator, L: int, shape: Shape, *, stretch: float = 1.0, input_norm: float = 1.0, first: int = 0
) -> Measured:
    """The changes ||u_j^V - u_j^W|| and ||x_j^V - x_j^W|| for all j >= l, W being V but for layer l.

    distop is ||V_l - W_l||_op, rounded up by what passes lose, prodW is prod_{i <= j, i != l} ||V_i||_op.
    """
    pair = _replaced(rng, L, shape, least=1e-3, stretch=stretch, input_norm=input_norm)
    level = shape["level"] % (L + 1)
    norms = pair.before.norms.copy()
    norms[:first] = 1.0
    products = Products(norms).up_to[level:, level]
    pre, post = _feature_changes(pair)
    symbols = {"distop": pair.distop, "prodW": np.concatenate([products, products[: L - level]])}
    return Measured(np.concatenate([pre[level:], post[level:]]), symbols=symbols)


IN_THE_BEND = {"member": HUBERISED, "turn": 1.0, "reach": 0.25, "bend": 0.3}
SLOPE_PINS = [
    pinned_pair(**IN_THE_BEND, size=0.0),
    pinned_pair(**IN_THE_BEND, size=0.0, heavy=1, weight=2.0),
    pinned_pair(**{**IN_THE_BEND, "reach": 0.4}, size=0.5),
    pinned_pair(**{**IN_THE_BEND, "bend": -2.0, "bent": 1}, size=0.5),
    pinned_pair(**{**IN_THE_BEND, "member": BENT_DOWN, "bend": 0.0}, size=0.2),
    pinned_pair(**IN_THE_BEND, size=0.0, heavy=6, weight=ZERO),
    pinned_pair(**{**IN_THE_BEND, "reach": 1e-3}, size=0.0),
]


@claim(
    "chatterji2021:lemma-B.11",
    bound="distop*normV**(L + 1)/h",
    premises=sheet.lemma_B_10_large.reads("normLow > sqrt(L + 1/2)"),
    measured=["normV", "normLow", "distop", "h"],
    ceiling="2",
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=SLOPE_PINS),
    evidence=Search(examples=25, adversary=ONE_LAYER_ADVERSARY),
    controls=[
        control("no division by h", bound="distop*normV**(L + 1)", cells=SHALLOW),
        control("bend half as long", bend_length=0.5, cells=SHALLOW),
        control("power L - 2", bound="distop*normV**(L - 2)/h", cells=SHALLOW),
        SMALL_NORMS,
    ],
    blind={"L": "loose by two powers of the norm; lemma-B.11-sharp sees the norm of every layer"},
    note="normLow is min(||V||, ||W||). Bounds of 2 and more say nothing, slopes being within [-1, 1]",
)
def change_of_slopes(rng: Generator, L: int, shape: Shape, *, bend_length: float = 1.0, least: float = 0.0) -> Measured:
    """The largest ||Sigma_j^V - Sigma_j^W||_op over j <= L, W being V but for layer l; distop is ||V_l - W_l||_op."""
    pair = _replaced(rng, L, shape, least=least, unit="bend", bend_length=bend_length)
    symbols = {"normV": pair.V.norm, "normLow": pair.low, "distop": pair.distop, "h": pair.h}
    return Measured(float(_slope_changes(pair).max()), symbols=symbols)


def _slope_changes(pair: PerturbedPair) -> Array:
    """||Sigma_j^V - Sigma_j^W|| for j = 1..L."""
    return np.array([np.abs(w - v).max() for v, w in zip(pair.at_V.masks, pair.at_W.masks, strict=True)])


@claim(
    "chatterji2021:lemma-B.11-sharp",
    title="change of the slopes against the operator norms of the layers below",
    bound="distop*prodW/h",
    premises="none needed: no least norm is asked; one layer is replaced and points have norm one",
    measured=["distop", "prodW", "h"],
    ceiling="2",
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=SLOPE_PINS),
    evidence=Search(examples=25, adversary=ONE_LAYER_ADVERSARY),
    controls=[
        control("bend of length 0.999 h", bend_length=0.999, cells=SHALLOW),
        control("no division by h", bound="distop*prodW", cells=SHALLOW),
        control("inputs of norm 1.001", input_norm=1.001, cells=SHALLOW),
    ],
    note="an equality for the Huberised ReLU with both pre-activations of a neuron in the bend. Norms go down to 10^-3",
)
def change_of_slopes_sharp(
    rng: Generator, L: int, shape: Shape, *, bend_length: float = 1.0, input_norm: float = 1.0
) -> Measured:
    """One ||Sigma_j^V - Sigma_j^W||_op, l <= j <= L, or 0 if l = L + 1, W being V but for layer l; distop is
    ||V_l - W_l||_op, prodW is prod_{i<=j, i!=l} ||V_i||_op."""
    pair = _replaced(rng, L, shape, least=1e-3, unit="bend", bend_length=bend_length, input_norm=input_norm)
    level, bent = shape["level"] % (L + 1), shape["bent"] % L
    at = max(bent, min(level, L - 1))
    symbols = {"distop": pair.distop, "prodW": float(pair.before.up_to[at, level]), "h": pair.h}
    return Measured(float(_slope_changes(pair)[at]), symbols=symbols)


DOUBLING = {"turn": -1.0, "reach": 0.999}
WEIGHT_PINS = [
    pinned_pair(**DOUBLING, size=0.1),
    pinned_pair(**DOUBLING, size=0.8),
    pinned_pair(**DOUBLING, size=0.8, member=IDENTITY, level=1),
    pinned_pair(turn=1.0, reach=0.05, size=0.0, heavy=1, weight=0.3, bend=-1.0),
    pinned_pair(turn=1.0, reach=4.0, size=0.2, label="negative"),
    pinned_pair(turn=-1.0, reach=1.99, size=0.8, member=IDENTITY),
]
# Of two layers, of norm 4 together and 3.87 in the first, the second is replaced by the longest step.
UNEQUAL_LAYERS = pinned_pair(member=IDENTITY, size=0.1265, heavy=0, weight=0.583, level=1, turn=-1.0, reach=4.0)
WEIGHT_ADVERSARY = ONE_LAYER_ADVERSARY + ", steps that double a small loss"


@claim(
    "chatterji2021:lemma-B.12",
    bound=sheet.lemma_B_12.reads("2*Js*distop*normV**(L + 1)"),
    premises=[
        sheet.lemma_B_12_product.reads("distop*normV**(L + 1) <= 1"),
        sheet.lemma_B_10_large.reads("normLow > sqrt(L + 1/2)"),
        sheet.lemma_B_12_doubled.reads("rise <= 2"),
    ],
    measured=["Js", "normV", "normLow", "distop", "rise"],
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=[*WEIGHT_PINS, UNEQUAL_LAYERS]),
    evidence=Search(examples=25, adversary=WEIGHT_ADVERSARY),
    controls=[
        control("loss squared", bound="2*Js**2*distop*normV**(L + 1)", cells=SHALLOW),
        control("1 for 2, and a norm that L layers share", bound="Js*distop*(normV/sqrt(L))**L", cells=SHALLOW),
        control("no product of norms", bound="2*Js*distop", cells=SHALLOW),
        control("power L - 2", bound="2*Js*distop*normV**(L - 2)", cells=SHALLOW),
        SMALL_NORMS,
    ],
    blind={
        f"premise {sheet.lemma_B_12_product.text}": "not needed: lemma-B.12-sharp is without it",
        f"premise {sheet.lemma_B_12_doubled.text}": "not needed beside the product condition: a margin that moves by 1 "
        "at most makes of g no more than e g, and e - 1 is below 2",
    },
    note="of the loss on the segment an upper bound is taken, from three points and the speed of the output: no "
    "instance counts that might leave the premise",
)
def change_of_the_weight(rng: Generator, L: int, shape: Shape, *, least: float = 0.0) -> Measured:
    """The change |g(V) - g(W)| of the weight g = 1/(1 + exp(y f)) of a sample, W being V but for layer l.

    distop is ||V_l - W_l||_op, normLow min(||V||, ||W||), Js the loss at V, rise the largest between V and W over Js.
    """
    pair = one_layer(
        rng,
        L,
        shape,
        least=least or least_norm(L),
        largest=norm_of_largest_output(L),
        farthest=lambda norm: 0.99 / norm ** (L + 1),
    )
    symbols = {"Js": pair.loss, "normV": pair.V.norm, "normLow": pair.low, "distop": pair.distop, "rise": pair.rise}
    return Measured(pair.weight_change(), symbols=symbols)


@claim(
    "chatterji2021:lemma-B.12-sharp",
    title="change of the weight of an example without a condition on the step",
    bound="Js*distop*prodW/log(2)",
    premises=sheet.lemma_B_12_sharp_doubled.reads("rise <= 2"),
    measured=["Js", "distop", "prodW", "rise"],
    regime=Regime(cells=grid(L=DEPTHS), draw=SHAPE, built=SHAPES, pinned=WEIGHT_PINS),
    evidence=Search(examples=25, adversary=WEIGHT_ADVERSARY),
    controls=[
        control("factor 1 for 1/log(2)", bound="Js*distop*prodW", cells=SHALLOW),
        control("loss that more than doubles", cells=SHALLOW, without=sheet.lemma_B_12_sharp_doubled),
        control("loss squared", bound="Js**2*distop*prodW/log(2)", cells=SHALLOW),
    ],
    note="needs neither the product condition nor a lower bound on the norms, which go down to 10^-3, and of the "
    "segment its end alone. Approached where a small loss doubles: pinned with losses from exp(-40) to exp(-10^5)",
)
def change_of_the_weight_sharp(rng: Generator, L: int, shape: Shape) -> Measured:
    """The change |g(V) - g(W)| of the weight g = 1/(1 + exp(y f)) of a sample, W being V but for layer l.

    distop is any ||V_l - W_l||_op; rise is the loss at W over Js, that at V, prodW is prod_{j != l} ||V_j||_op.
    """
    pair = one_layer(rng, L, shape, least=1e-3, largest=norm_of_largest_output(L), farthest=_anywhere)
    symbols = {
        "Js": pair.loss,
        "distop": pair.distop,
        "prodW": float(pair.before.without_one[shape["level"] % (L + 1)]),
        "rise": pair.end_rise,
    }
    return Measured(pair.weight_change(), symbols=symbols)


def _weight_violates(bound: Bound) -> bool:
    """Whether a loss that doubles changes its weight by certainly more than the bound, for margins up to 200."""
    with precision_of(256):
        for margin in (0, 5, 200):
            start = flint.arb(margin)
            loss = (1 + (-start).exp()).log()
            end = -((2 * loss).exp() - 1).log()
            change = (1 / (1 + end.exp()) - 1 / (1 + start.exp())).abs_lower()
            move = (start - end).abs_upper()
            if certainly_le(flint.arb(change), bound.ball(Js=loss, x=move, precision=256)) is False:
                return True
    return False


@claim(
    "chatterji2021:lemma-B.12-margins",
    title="weight of an example when its margin moves and its loss at most doubles",
    bound="Js*x/log(2)",
    premises=sheet.lemma_B_12_sharp_doubled.reads("rise <= 2"),
    measured=["Js", "x", "rise"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none for small losses that double"),
    controls=[
        control("factor 1.44", bound="36*Js*x/25"),
        control("square of the loss", bound="Js**2*x/log(2)"),
        control("loss that grows 2.01-fold", growth=sympy.Rational(201, 100), without=sheet.lemma_B_12_sharp_doubled),
    ],
    note="what makes the product condition of Lemma B.12 unnecessary, there and in Lemmas B.13, B.15 and B.17",
)
def weight_against_margin(bound: Bound, *, growth: sympy.Expr = TWO) -> list[Step]:
    """Change |g - g'| at margins z, z', x = |z - z'|, Js = J: by |g - g'| <= J |r - 1|, x >= |log r|; rise is r = J'/J.

    Their quotient is (r - 1)/log(r), for r up to `growth`.
    """
    loss, move, r = symbol("Js"), symbol("x"), sympy.Symbol("r", positive=True)
    factor = sympy.simplify(bound.expr / (loss * move))
    weight = nonnegative(X - 1 + exp(-X), X, 0, 1)
    rate = sympy.diff(1 - exp(-X), X)
    gap = factor * log(r) - (r - 1)
    return [
        Step("not violated by losses that double", not _weight_violates(bound)),
        Step("the bound is a multiple of the loss and the move", not factor.free_symbols or None),
        Step(f"g = 1 - exp(-J) <= J, so that log J moves no faster than the margin{weight.where}", weight),
        Step("g moves no faster than J", is_zero(rate - exp(-X))),
        Step("factor log(r) - (r - 1) is concave", is_positive(-sympy.diff(gap, r, 2)) or None),
        Step("it is 0 at r = 1", is_zero(gap.subs(r, 1))),
        Step("and not negative at the largest r", is_nonnegative(sympy.simplify(gap.subs(r, growth)))),
        Step("where the loss falls, 1 - r <= -log(r) and the factor is at least 1", is_nonnegative(factor - 1)),
    ]
