"""chatterji2021: sums of concave terms, and products of norms under one budget.

Main claims: `least_sum` and `alignment_is_concave` (Lemma B.4), `suffix_products` and its kin (Lemma B.6),
`operator_products` and its kin (Lemma B.7). Both lemmas on products compare only the ends of (||V||/sqrt(q))^q, which
is largest at q = ||V||^2/e, between them.

Norms are drawn as doubles and multiplied as fractions. The total norm is entered rounded upwards, so that a
counterexample stands against a bound no smaller than the true one, and equality can be decided.
"""

import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import sympy
from hypothesis import strategies as st
from numpy.random import Generator
from sympy import exp, log

from bounds import Bound, is_zero, nonnegative, precision_of
from bounds.arithmetic.balls import BALLS
from bounds.papers import chatterji2021 as sheet
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid, reals, rounding
from theory.evidence import Proof, Search, Step

# Knots of the concave functions of Lemma B.4, at equal distances up to M.
KNOTS = 12
# Enough for an exact product of all norms to be told from a bound that is nearly equal.
PRECISION = 256


def _least_sum(values: Sequence[int], terms: int) -> int:
    """The least sum of psi(z_i) over all z_1, ..., z_terms >= 0 of sum M, from psi at M j/KNOTS for j = 0..KNOTS.

    psi is linear between its knots, so all but one z_i may be moved to a knot, and the last one is then at a knot
    too. The rest is an exact minimum over ways of writing KNOTS as a sum.
    """
    least: list[int] = list(values)
    for _ in range(terms - 1):
        least = [min(least[i] + values[j - i] for i in range(j + 1)) for j in range(len(values))]
    return least[-1]


@claim(
    "chatterji2021:lemma-B.4",
    bound=sheet.lemma_B_4.reads("0"),
    sense="=",
    premises="none needed: each psi drawn is concave with psi(0) = 0, and all shares are tried",
    regime=Regime(cells=grid(n=[2, 3, 8]), draw={"spread": st.integers(0, 9), "lift": st.integers(-9, 9)}),
    evidence=Search(examples=30, adversary="minimum over the whole simplex, exactly"),
    controls=[
        control("convex", order=1),
        control("two slopes out of order", swapped=True),
        control("psi(0) = -1", start=-1),
        control("least at equal shares, as for convex functions", equal=True),
    ],
    note="linear functions attain psi(M) everywhere (spread 0), others at the corners alone; some go below zero",
)
def least_sum(
    rng: Generator,
    n: int,
    spread: int,
    lift: int,
    *,
    order: int = -1,
    swapped: bool = False,
    start: int = 0,
    equal: bool = False,
) -> Measured:
    """Min sum_i psi(z_i) over n numbers z_i >= 0 of sum M, less psi(M); psi concave, linear between twelve knots."""
    slopes = order * np.sort(order * (lift + rng.integers(-spread, spread + 1, KNOTS)))
    if swapped:
        slopes[[0, -1]] = slopes[[-1, 0]]
    values = [start + int(total) for total in np.cumsum([0, *slopes])]
    # Equal shares are knots where n divides their number, and lie in between elsewhere.
    share, rest = divmod(KNOTS, n)
    middle = values[share] + (Fraction(rest, n) * int(slopes[share]) if rest else 0)
    found = n * middle if equal else _least_sum(values, n)
    return Measured(float(found - values[-1]), error=0.0)


@claim(
    "chatterji2021:lemma-B.4-application",
    title="the weight of an example times its margin is concave in its loss",
    bound=sheet.lemma_B_4.reads("0"),
    premises="loss of a sample at most 1: n J, which none exceeds, is far below 1 there [proof of Lemma 4.5]: Js <= 1",
    measured=["Js"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="concave up to a loss of 1.524; the losses that use it are below 3^-24"),
    controls=[
        control("up to a loss of 1.53", end=sympy.Rational(153, 100), without="Js <= 1"),
        control("weight of the other label", other=True),
        control("margin alone, without the weight", bare=True),
    ],
    note="from 1.5241 on it is convex",
)
def alignment_is_concave(
    bound: Bound, *, end: sympy.Expr = sympy.S.One, other: bool = False, bare: bool = False
) -> list[Step]:
    """The second derivative of (1 - exp(-z)) log(1/y) in the loss z, y = exp(z) - 1: (y log(y) - y - 1)/(y (1 + y))."""
    z, y = sympy.symbols("z y", positive=True)
    weight = sympy.S.One if bare else exp(-z) if other else 1 - exp(-z)
    second = sympy.diff(weight * log(1 / (exp(z) - 1)), z, 2).subs(z, log(1 + y))
    scaled = sympy.simplify(sympy.expand_log(y * (1 + y) * (second - bound.expr), force=True))
    decided = nonnegative(-scaled, y, sympy.Rational(1, 1000), exp(end) - 1)
    return [
        Step(f"at most the bound from a loss of 0.001 on{decided.where}", decided),
        Step("below, log(y) < 0 decides", is_zero(scaled - (y * log(y) - y - 1)) or None),
    ]


def _layer_norms(L: int, empty: int, tilt: float, rest: float, total: float) -> list[float]:
    """Norms of L + 1 layers, from the bottom, of about this total.

    Alike are those from the top; the one below them has `tilt` times their norm, and the `empty` ones below that,
    modulo L + 1, have `rest` times it.
    """
    below = empty % (L + 1)
    weights = [rest] * below + [tilt] + [1.0] * (L - below)
    size = math.hypot(*weights)
    return [total / size * weight for weight in weights] if size > 0.0 else [total] + [0.0] * L


def _norm_rounded_up(squares: Sequence[Fraction]) -> float:
    """The least double that is no smaller than the root of the sum."""
    total = sum(squares, Fraction(0))
    root = math.sqrt(float(total))
    while Fraction(root) ** 2 < total:
        root = math.nextafter(root, math.inf)
    while Fraction(math.nextafter(root, 0.0)) ** 2 >= total:
        root = math.nextafter(root, 0.0)
    return root


def _measured_product(product: Fraction, **symbols: float) -> Measured:
    """An exact product, decided in balls where a double cannot tell it from the bound."""

    def ball() -> object:
        with precision_of(PRECISION):
            return BALLS.number(product)

    value = float(product)
    return Measured(value, error=rounding(value, 1), symbols=dict(symbols), ball=ball)


def _largest_suffix(norms: Sequence[float], layers: int) -> Fraction:
    """The largest product of the norms of one to `layers` layers from the top."""
    products = itertools.accumulate(map(Fraction, reversed(norms)), operator.mul)
    return max(itertools.islice(products, layers))


# What a search chooses: which layers hold how much of the norm, and the total over its least value.
SHARES = {"empty": st.integers(0, 40), "tilt": reals(0.0, 1.0), "rest": reals(0.0, 1.0)}
ADVERSARY = "the norm shared among some of the top layers"


def _suffixes(L: int, empty: int, tilt: float, rest: float, total: float, extra: int = 0) -> Measured:
    """The largest product of the norms above a layer k >= 1 and the total norm; with `extra` above a layer k >= 0."""
    norms = _layer_norms(L, empty, tilt, rest, total)
    return _measured_product(
        _largest_suffix(norms, L + extra), normV=_norm_rounded_up([Fraction(norm) ** 2 for norm in norms])
    )


@claim(
    "chatterji2021:lemma-B.6",
    bound=sheet.lemma_B_6_1_printed.reads("(normV/sqrt(L))**L"),
    premises=sheet.lemma_B_6_1_large.reads("normV > sqrt(L + 1)"),
    measured=["normV"],
    regime=Regime(cells=grid(L=[2, 3, 12]), draw={**SHARES, "excess": reals(0.0, 1.0)}),
    evidence=Search(examples=120, adversary=ADVERSARY),
    expected=Verdict.REFUTED,
    controls=[control("L + 1 for L", bound="(normV/sqrt(L + 1))**L"), control("products of all layers", extra=1)],
    note="erratum, part 1: false for every L >= 2. With L = 2 and norms 0, 0, 7/4 the last norm alone is 7/4, while "
    "||V||^2 = 49/16 > 3 and ||V||^2/2 = 49/32",
)
def suffix_products(L: int, empty: int, tilt: float, rest: float, excess: float, *, extra: int = 0) -> Measured:
    """The largest prod_{j > k} ||V_j|| over k in [L], of L + 1 norms; ||V|| from sqrt(L + 1) on."""
    return _suffixes(L, empty, tilt, rest, math.sqrt(L + 1) * math.exp(excess), extra)


@claim(
    "chatterji2021:lemma-B.6-corrected",
    title="product of the norms of the last layers, where the total norm is at least sqrt(e L)",
    bound=sheet.lemma_B_6_1_corrected.reads("(normV/sqrt(L))**L"),
    premises=sheet.lemma_B_6_large.reads("normV >= sqrt(E*L)"),
    measured=["normV"],
    regime=Regime(
        cells=grid(L=[1, 2, 6, 20]),
        draw={**SHARES, "excess": reals(0.0, 3.0)},
        pinned=[
            {"empty": 1, "tilt": 1.0, "rest": 0.0, "excess": 0.5},
            {"empty": 2, "tilt": 1.0, "rest": 0.0, "excess": 1e-6},
        ],
    ),
    evidence=Search(examples=30, adversary=ADVERSARY),
    controls=[
        control("L + 1 for L", bound="(normV/sqrt(L + 1))**L"),
        control("products of all layers", extra=1),
        control("L - 1 factors at most", bound="(normV/sqrt(L))**(L - 1)"),
        control("norms from sqrt(e L)/2 on", shorter=0.5, cells=grid(L=6), without=sheet.lemma_B_6_large),
        control("norms a fourteenth shorter", shorter=13 / 14, cells=grid(L=6), without=sheet.lemma_B_6_large),
    ],
    note="from sqrt(e L) on, q = L is the best number of factors; equality for V_1 = 0 and L equal norms",
)
def suffix_products_corrected(
    L: int, empty: int, tilt: float, rest: float, excess: float, *, extra: int = 0, shorter: float = 1.0
) -> Measured:
    """The largest prod_{j > k} ||V_j|| over k in [L], of L + 1 norms; ||V|| from sqrt(e L) on, missing in print."""
    return _suffixes(L, empty, tilt, rest, shorter * math.sqrt(math.e * L) * math.exp(excess), extra)


@claim(
    "chatterji2021:lemma-B.6-part-2",
    title="product of the norms of the last layers, where the total norm is above one",
    bound=sheet.lemma_B_6_2.reads("normV**L"),
    premises="weights of norm above 1 [Lemma B.6, part 2]: normV > 1",
    measured=["normV"],
    regime=Regime(
        cells=grid(L=[1, 2, 6, 20]),
        draw={**SHARES, "excess": reals(0.0, 4.0)},
        pinned=[{"empty": -1, "tilt": 1.0, "rest": 0.0, "excess": 2.0**-10}],
    ),
    evidence=Search(examples=30, adversary=ADVERSARY),
    controls=[
        control("power L - 1", bound="normV**(L - 1)"),
        control("products of all layers", extra=1),
        control("norms from 1/4 on", shorter=0.25, cells=grid(L=6), without="normV > 1"),
    ],
    note="equality: L = 1 and V_1 = 0. For larger L it is approached by an output layer alone, of norm close to 1",
)
def suffix_products_above_one(
    L: int, empty: int, tilt: float, rest: float, excess: float, *, extra: int = 0, shorter: float = 1.0
) -> Measured:
    """The largest prod_{j > k} ||V_j|| over k in [L], of L + 1 norms; ||V|| from 1 on."""
    return _suffixes(L, empty, tilt, rest, shorter * math.exp(excess), extra)


@claim(
    "chatterji2021:lemma-B.6-sharp",
    title="product of the norms of the last layers, for every total norm",
    bound=sheet.lemma_B_6_sharp.reads("exp(normV**2/(2*E))"),
    premises="none needed: total norms on both sides of sqrt(e L) are drawn: none is excluded",
    measured=["normV"],
    regime=Regime(cells=grid(L=[1, 2, 6, 20]), draw={**SHARES, "excess": reals(-2.0, 1.0)}),
    evidence=Search(examples=30, adversary=ADVERSARY),
    controls=[
        control("3 for e", bound="exp(normV**2/6)"),
        control("norm for its square", bound="exp(normV/(2*E))"),
        control("root e for e", bound="(1 + normV**2/(2*E))"),
    ],
    note="(||V||/sqrt(q))^q is largest at q = ||V||^2/e; equality is approached by q equal norms of squares near e",
)
def suffix_products_sharp(L: int, empty: int, tilt: float, rest: float, excess: float) -> Measured:
    """The largest prod_{j > k} ||V_j|| over k in [L], of L + 1 norms; ||V|| on both sides of sqrt(e L)."""
    return _suffixes(L, empty, tilt, rest, math.sqrt(math.e * L) * math.exp(excess))


# Blocks are given by their singular values, which both norms depend on alone: one that is the operator norm, and
# WIDTH - 1 that are `flat` times as large. The matrices M_i have operator norm `gate`.
WIDTH = 3
BLOCKS = {**SHARES, "flat": reals(0.0, 1.0), "missing": st.integers(0, 40)}


def _operator_product(
    L: int, empty: int, tilt: float, rest: float, flat: float, missing: int, total: float, gate: float
) -> Measured:
    """||A_i||_op ||M_i||_op multiplied over all but the lowest `missing` blocks, modulo L + 1, with ||A||."""
    norms = [Fraction(norm) for norm in _layer_norms(L, empty, tilt, rest, total / math.hypot(1.0, flat))]
    chosen = norms[missing % (L + 1) :]
    product = math.prod((norm * Fraction(gate) for norm in chosen), start=Fraction(1))
    spread = 1 + (WIDTH - 1) * Fraction(flat) ** 2
    return _measured_product(product, normV=_norm_rounded_up([spread * norm**2 for norm in norms]), factors=len(chosen))


@claim(
    "chatterji2021:lemma-B.7",
    bound=sheet.lemma_B_7_printed.reads("Max(normV**(L + 1)/(L + 1)**((L + 1)/2), normV)"),
    premises="none needed: the M_i have norm one, in print at most one, and some block is chosen",
    measured=["normV", "factors"],
    regime=Regime(cells=grid(L=[2, 9]), draw={"empty": st.integers(0, 40), "excess": reals(0.0, 1.0)}),
    evidence=Search(examples=120, adversary="the norm shared equally, which is best, among some of the blocks"),
    expected=Verdict.REFUTED,
    controls=[
        control("L for L + 1", bound="Max((normV/sqrt(L))**L, normV)"),
        control("first branch alone", bound="(normV/sqrt(L + 1))**(L + 1)"),
    ],
    note="for every L >= 2; of the blocks 3/2, 3/2, 0 two have the product 9/4, and the branches are (3/2)^(3/2) = "
    "1.84 and 3/sqrt(2) = 2.12. True for L = 1",
)
def operator_products(L: int, empty: int, excess: float) -> Measured:
    """The product of ||A_i||_op ||M_i||_op over equal scalar blocks, the rest of L + 1 being 0; normV is ||A||."""
    total = math.sqrt(L + 1 - empty % (L + 1)) * math.exp(excess)
    return _operator_product(L, empty, 1.0, 0.0, 0.0, empty, total, 1.0)


@claim(
    "chatterji2021:lemma-B.7-corrected",
    title="product of operator norms under a total Frobenius norm, by its plain power",
    bound=sheet.lemma_B_7_corrected.reads("Max(normV**(L + 1), normV)"),
    premises="none needed: the M_i have norm one and some block is chosen; ||A|| may be any",
    measured=["normV", "factors"],
    regime=Regime(
        cells=grid(L=[1, 2, 9, 20]),
        draw={**BLOCKS, "excess": reals(-4.0, 5.0)},
        pinned=[
            {"empty": 0, "tilt": 1.0, "rest": 0.0, "flat": 0.0, "missing": 0, "excess": 4.0},
            {"empty": -1, "tilt": 1.0, "rest": 0.0, "flat": 0.0, "missing": -1, "excess": -0.5},
        ],
    ),
    evidence=Search(examples=30, adversary="the norm shared among some of the blocks"),
    controls=[
        control("no branch for small norms", bound="normV**(L + 1)"),
        control("power L", bound="Max(normV**L, normV)"),
        control("gates of norm 1.1", gate=1.1),
    ],
    note="what later proofs use, with ||A|| >= 1, but for Lemma B.8. Equality: one block not zero, of norm at most 1",
)
@form(
    "sharp",
    title="product of so many operator norms under a total Frobenius norm",
    bound=sheet.lemma_B_7_sharp.reads("(normV/sqrt(factors))**factors"),
    regime=Regime(
        cells=grid(L=[1, 2, 9, 20]),
        draw={**BLOCKS, "excess": reals(-30.0, 7.0)},
        pinned=[{"empty": 1, "tilt": 1.0, "rest": 0.0, "flat": 0.0, "missing": 1, "excess": 0.5}],
    ),
    evidence=Search(examples=30, adversary="equal norms of the chosen blocks, none elsewhere"),
    controls=[
        control("all L + 1 blocks counted", bound="(normV/sqrt(L + 1))**(L + 1)"),
        control("norm not shared", bound="normV**factors/factors**factors"),
        control("gates of norm 1.1", gate=1.1),
    ],
    note="equality: chosen blocks, one or more, of rank one and equal norms, the others zero",
    says="The number of these blocks is factors.",
)
def operator_products_corrected(
    L: int, empty: int, tilt: float, rest: float, flat: float, missing: int, excess: float, *, gate: float = 1.0
) -> Measured:
    """The product of ||A_i||_op ||M_i||_op over some blocks; normV is ||A||, far below 1 to far above sqrt(L + 1)."""
    return _operator_product(L, empty, tilt, rest, flat, missing, math.exp(excess), gate)
