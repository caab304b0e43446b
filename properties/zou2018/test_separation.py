"""zou2018, Lemmas A.3 and A.4 and Corollary A.5: how far apart two inputs stay from layer to layer.

Main claims: `rectified_product`, `half_covariance`, `directions_apart`, `half_left`; the last two at infinite width.
"""

import functools
from fractions import Fraction

import flint
import numpy as np
import sympy
from numpy.random import Generator
from sympy import Rational, acos, asin, cos, pi, sqrt

from bounds import Bound, all_of, is_zero, nonnegative, precision_of, symbol
from bounds.decisions.prove import Decision, nonnegative_function, vanishes
from bounds.papers import zou2018 as sheet
from nets import DataSource, pairwise_distances
from nets.networks.fresh import fresh_outputs
from properties.zou2018.distances import (
    ANGLE,
    DISTANCE_AT_ANGLE,
    direction_distances,
    distance_left,
    layer_is_monotone,
    layer_outputs,
    mean_product_ball,
    next_square,
    points_apart,
    relu_mean_product,
)
from properties.zou2018.limits import LEAST_OF_EQ_5_1
from theory.claims import UNIT_ROUNDOFF, Measured, Regime, claim, control, grid, reals
from theory.evidence import Proof, Search, Step, Trials

# Correlations at which the closed form is held against quadrature.
CORRELATIONS = (Fraction(-9, 10), Fraction(-1, 3), Fraction(0), Fraction(1, 2), Fraction(99, 100))


@claim(
    "zou2018:lemma-A.3",
    bound=sheet.lemma_A_3.reads("1/2 - theta**2/4 + C*theta**3"),
    premises="any chord; the paper asks for a small one: theta <= 2",
    regime=Regime(cells=grid(C=float(sheet.lemma_A_3.constants["C"]))),
    measured=["theta"],
    evidence=Proof(margin="none: equality at theta = 2, where the two variables are opposite"),
    controls=[
        control("C = 0.0624, one part in 600 too small", cells=grid(C=0.0624)),
        control("C = 1/(6 pi), its limit at small theta", bound="1/2 - theta**2/4 + theta**3/(6*pi)"),
        control("theta^2/2, as if nothing were rectified", bound="1/2 - theta**2/2 + C*theta**3"),
        control("theta read as the angle", angle=True),
    ],
    blind={
        "premise theta <= 2": "no chord of the unit sphere is longer",
        "term -theta**2/4": "it lowers the bound, which says less without it",
    },
    note="the paper asks for a small theta; with C = 1/16 every theta in (0, 2] will do",
)
def rectified_product(bound: Bound, C: float, *, angle: bool = False) -> list[Step]:
    """E[relu(Z1) relu(Z2)] of jointly Gaussian Z1, Z2, N(0, 1), of any correlation up to 1 - theta^2/2, theta > 0."""
    theta, end = (ANGLE, sympy.Integer(2)) if angle else (DISTANCE_AT_ANGLE, pi)
    limit = bound.expr.subs({symbol("C"): Rational(C), symbol("theta"): theta})
    found = nonnegative(limit - relu_mean_product(), ANGLE, 0, end)
    return [_step("the mean is at most the bound at every angle", found), *_course_of_the_mean()]


@functools.cache
def _course_of_the_mean() -> tuple[Step, ...]:
    """What holds whatever the bound: smaller correlations are covered, and no C below 1/(6 pi) will do."""
    mean = relu_mean_product()
    # 1/2 - theta^2/4 is half the cosine.
    remainder = sympy.expand(mean - cos(ANGLE) / 2)
    rises = sympy.diff(remainder, ANGLE) * DISTANCE_AT_ANGLE - 3 * remainder * sympy.diff(DISTANCE_AT_ANGLE, ANGLE)
    at_zero = [sympy.diff(remainder, ANGLE, order).subs(ANGLE, 0) for order in range(4)]
    return (
        _step("it falls with the angle", nonnegative(-sympy.diff(mean, ANGLE), ANGLE, 0, pi)),
        _step("its remainder over theta^3 rises with theta", nonnegative(rises, ANGLE, 0, pi)),
        Step(
            "from 1/(6 pi) at theta = 0",
            all_of(is_zero(found - value) for found, value in zip(at_zero, (0, 0, 0, 1 / pi), strict=True)),
        ),
    )


def _step(what: str, found: Decision) -> Step:
    return Step(what + found.where, found)


@claim(
    "zou2018:eq-A.1",
    bound=sheet.eq_A_1.reads(
        "alpha/2 + (1 - alpha**2)**(3/2)/(2*pi) - alpha/(2*pi)*(acos(alpha) - alpha*sqrt(1 - alpha**2))"
    ),
    premises="none needed: the closed form holds at every correlation from -1 to 1",
    sense="=",
    regime=Regime(cells=grid()),
    measured=["alpha"],
    evidence=Proof(),
    controls=[
        control(
            "sign of the second integral",
            bound="alpha/2 + (1-alpha**2)**(3/2)/(2*pi) + alpha/(2*pi)*(acos(alpha) - alpha*sqrt(1-alpha**2))",
        ),
        control(
            "factor 2 of the first integral",
            bound="alpha/2 + (1-alpha**2)**(3/2)/pi - alpha/(2*pi)*(acos(alpha) - alpha*sqrt(1-alpha**2))",
        ),
        control("mean given that both are positive", conditional=True),
    ],
)
def half_covariance(bound: Bound, *, conditional: bool = False) -> list[Step]:
    """E[relu(Z1) relu(Z2)] of standard Gaussians of correlation alpha: an integral over the plane, and quadrature."""
    alpha = sympy.Symbol("alpha", real=True)
    formula_at = bound.expr.subs(symbol("alpha"), alpha)
    share = (1 - acos(alpha) / pi) / 2 if conditional else sympy.Integer(1)
    mean = relu_mean_product().subs(ANGLE, acos(alpha)) / share
    return [
        Step("closed form equal to the integral over the plane", vanishes(mean - formula_at, alpha, -1, 1)),
        *(Step(f"the integral {name}", vanishes(gap, alpha, -1, 1)) for name, gap in _half_integrals(alpha)),
        *(_agrees_with_quadrature(bound, at, conditional) for at in CORRELATIONS),
    ]


def _half_integrals(alpha: sympy.Symbol) -> list[tuple[str, sympy.Expr]]:
    """I1 and I2 of the paper in polar coordinates, less their closed forms."""
    s = sympy.Symbol("s", real=True)
    # The cone u1 >= 0, sqrt(1 - alpha^2) u2 >= alpha u1; the radial integral of r^3 exp(-r^2/2) is 2.
    cone = (s, pi / 2 - acos(alpha), pi / 2)
    first = sqrt(1 - alpha**2) / pi * sympy.integrate(cos(s) * sympy.sin(s), cone)
    second = -alpha / pi * sympy.integrate(cos(s) ** 2, cone)
    return [
        ("I1", first - (1 - alpha**2) ** Rational(3, 2) / (2 * pi)),
        ("I2", second + alpha / (2 * pi) * (acos(alpha) - alpha * sqrt(1 - alpha**2))),
    ]


def _agrees_with_quadrature(bound: Bound, at: Fraction, conditional: bool) -> Step:
    with precision_of(128):
        correlation = flint.arb(flint.fmpq(at.numerator, at.denominator))
        mean = mean_product_ball(correlation)
        if conditional:
            mean = mean * 2 / (1 - correlation.acos() / flint.arb.pi())
        return Step(f"quadrature at alpha = {at}", bool(mean.overlaps(bound.ball(alpha=at))))


# Least widths that the premises allow at the largest distance they allow, phi = 7/(3 L), for one pair: 58 for one
# layer (phi = 1.68), 4,535 for two, 10^5 for three and 10^6 for four, the last two at delta = 0.35 and 0.45.
# The cells marked "outside" are a tenth as wide as they would have to be: they show where the premises begin, and
# earn nothing.
APART = Regime(
    cells=[
        *grid(L=1, n=3, phi=1.68, m=70, d=8, delta=0.1),
        *grid(L=1, n=4, phi=1.0, m=600, d=8, delta=0.1),
        *grid(L=1, n=2, phi=0.5, m=10**4, d=8, delta=0.1),
        *grid(L=2, n=3, phi=1.16, m=5300, d=8, delta=0.1),
        *grid(L=2, n=3, phi=1.0, m=10**4, d=8, delta=0.1),
        *grid(L=3, n=2, phi=0.777, m=10**4, d=8, delta=0.35),  # outside
        *grid(L=3, n=2, phi=0.777, m=10**5, d=8, delta=0.35),
    ],
    thorough=[
        *grid(L=1, n=2, phi=1.68, m=86, d=8, delta=0.01),
        *grid(L=2, n=16, phi=1.0, m=14500, d=32, delta=0.1),
        *grid(L=3, n=3, phi=0.77, m=147000, d=8, delta=0.1),
        *grid(L=4, n=2, phi=0.583, m=10**5, d=8, delta=0.45),  # outside
        *grid(L=4, n=2, phi=0.583, m=10**6, d=8, delta=0.45),
    ],
    least={"n": 2},
)
# For wrong variants: the cheapest of them with two layers.
ONE_PAIR = grid(L=2, n=2, phi=1.16, m=5300, d=8, delta=0.1)


@claim(
    "zou2018:lemma-A.4",
    bound=sheet.lemma_A_4.reads("(1 - log(2)/(2*L))**l*phi"),
    sense=">=",
    premises=[
        sheet.lemma_A_4_separation.reads("phi <= kappa/L"),
        sheet.lemma_A_4_width.reads("m >= Cbar*L**4*phi**(-4)*log(4*n**2*L/delta)"),
    ],
    regime=APART,
    measured=["l"],
    evidence=Trials(rate="delta", budget=1000),
    controls=[
        control("a fifth less than the loss per layer", bound="(1 - 2*log(2)/(5*L))**l*phi", cells=ONE_PAIR),
        control("no loss", bound="phi", cells=ONE_PAIR),
        control(
            "phi L = 2.9, beyond 2.81",
            cells=grid(L=2, n=2, phi=1.45, m=10**5, d=8, delta=0.1),
            without=sheet.lemma_A_4_separation,
        ),
        control(
            "m = 300, without the width condition",
            cells=grid(L=2, n=4, phi=1.0, m=300, d=8, delta=0.1),
            without=sheet.lemma_A_4_width,
        ),
        control("m read as the largest width, the first being 100", cells=ONE_PAIR, first_width=100),
        control("a bias half as large as the weights", cells=ONE_PAIR, bias=0.5),
    ],
    note="for all pairs i != j and all layers at once; the text forgets to exclude i = j. kappa = 7/3, Cbar = 91",
)
def directions_apart(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    phi: float,
    *,
    first_width: int = 0,
    bias: float = 0.0,
) -> Measured:
    """Distances ||xbar_{l,i} - xbar_{l,j}||, xbar = x/||x||, of all pairs at all layers of one network, of width m.

    Synthetic points are all at distance phi from one another, the least that is allowed, where there are such points.
    """
    X = points_apart(data, n, d, phi, rng)
    if bias:
        # One more coordinate, the same for all points, acts as a random bias of the first layer.
        X = np.hstack([X, np.full((len(X), 1), bias)])
    widths = (first_width or m, *(m,) * (L - 1))
    distances = direction_distances(layer_outputs(X, widths, rng))
    return Measured(distances, symbols={"l": np.arange(1, L + 1)[:, np.newaxis]})


@claim(
    "zou2018:corollary-A.5",
    bound=sheet.corollary_A_5.reads("phi/2"),
    sense=">=",
    premises=[
        sheet.lemma_A_4_separation.reads("phi <= kappa/L"),
        sheet.lemma_A_4_width.reads("m >= Cbar*L**4*phi**(-4)*log(4*n**2*L/delta)"),
    ],
    regime=APART,
    evidence=Trials(rate="delta", budget=1000),
    controls=[
        control("four fifths of phi", bound="4*phi/5", cells=ONE_PAIR),
        control(
            "antipodes, after four layers",
            cells=grid(L=4, n=2, phi=2.0, m=7600, d=8, delta=0.4),
            without=sheet.lemma_A_4_separation,
        ),
        control(
            "m = 12, without the width condition",
            cells=grid(L=2, n=4, phi=1.0, m=12, d=8, delta=0.1),
            without=sheet.lemma_A_4_width,
        ),
        control("a bias larger than the weights by half", cells=ONE_PAIR, bias=1.5),
    ],
)
def half_left(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, phi: float, *, bias: float = 0.0
) -> Measured:
    """Distances ||xbar_{l,i} - xbar_{l,j}||, xbar = x/||x||, i != j, all pairs and layers, as in A.4."""
    distances = directions_apart.function(rng, data, m, L, n, d, phi, bias=bias)
    return Measured(distances.value)


# The recursion that distances follow as the width grows; a cell stands for every phi its depth allows.
DEPTHS = Regime(cells=grid(L=[1, 2, 3, 4, 5, 8]), thorough=grid(L=[6, 7, *range(9, 17), 32, 64]))

# How far phi L may go.
KAPPA = Fraction(sheet.lemma_A_4_infinite_width_separation.constants["kappa"].value)
KAPPA_HALF = Fraction(sheet.corollary_A_5_infinite_width_separation.constants["kappa"].value)


def _monotone_steps() -> list[Step]:
    grows, falls = layer_is_monotone()
    return [
        Step("the distance after a layer grows with the distance before it", grows),
        Step("the share of it that is left falls", falls),
    ]


def _every_distance(bound: Bound, L: int, kappa: Fraction) -> list[Step]:
    """That infinitely wide layers 1..L leave what the bound says of every distance phi <= min(kappa/L, 2).

    As the share that is left falls with phi, on an interval it lies between its values at the ends.
    """
    largest = min(Rational(kappa) / L, sympy.Integer(2))
    for layer in range(1, L + 1):
        at_layer = bound.expr.subs({symbol("L"): L, symbol("l"): layer})
        wanted = Bound(sympy.expand_mul(at_layer / symbol("phi")))

        def above(phi: flint.arb, layer: int = layer, wanted: Bound = wanted) -> flint.arb:
            near, far = phi.lower(), phi.upper().min(flint.arb(flint.fmpq(largest.p, largest.q)))
            ends = [distance_left(end, layer) if end > 0 else flint.arb(1) for end in (near, far)]
            return ends[0].union(ends[1]) - wanted.ball(phi=phi)

        found = nonnegative_function(above, 0, largest)
        if found.holds is not True:
            return [*_monotone_steps(), _step(f"layer {layer} at every phi up to {largest}", found)]
    return [*_monotone_steps(), Step(f"layers 1 to {L} at every phi up to {largest}", True)]


@claim(
    "zou2018:lemma-A.4-infinite-width",
    title="separation of directions from layer to layer, at infinite width",
    bound=sheet.lemma_A_4.reads("(1 - log(2)/(2*L))**l*phi"),
    sense=">=",
    premises=sheet.lemma_A_4_infinite_width_separation.reads("phi <= kappa/L"),
    regime=DEPTHS,
    measured=["l", "phi"],
    scope="part: at infinite width, at the depths tried; lemma-A.4-every-depth is for all",
    evidence=Proof(margin="true up to phi L = 2.814 at two layers, 3.266 in deep networks"),
    controls=[
        control(
            "phi L up to 2.82",
            cells=grid(L=2),
            kappa=Fraction(282, 100),
            without=sheet.lemma_A_4_infinite_width_separation,
        ),
        control("half the loss per layer", bound="(1 - log(2)/(4*L))**l*phi", cells=grid(L=2)),
        control("no loss", bound="phi", cells=grid(L=3)),
    ],
    blind={"term 1": "without it a layer is allowed to lose more than it has: the bound says less"},
)
def every_distance(bound: Bound, L: int, *, kappa: Fraction = KAPPA) -> list[Step]:
    """Distance D_l, l <= L: D_0 = phi, D_{l+1}^2 = D_l^2 - 2/pi (sin t - t cos t), D_l = 2 sin(t/2); kappa = 14/5."""
    return _every_distance(bound, L, kappa)


@claim(
    "zou2018:lemma-A.4-every-depth",
    title="separation of directions from layer to layer, at infinite width and every depth",
    bound=sheet.lemma_A_4.reads("(1 - log(2)/(2*L))**l*phi"),
    sense=">=",
    premises=sheet.lemma_A_4_infinite_width_separation.reads("phi <= kappa/L"),
    regime=Regime(cells=grid()),
    measured=["L", "l", "phi"],
    evidence=Proof(unasked="each wrong bound would be simplified, which takes long"),
    controls=[
        control("phi L up to 2.82", kappa=Fraction(282, 100), without=sheet.lemma_A_4_infinite_width_separation),
        control("half the loss per layer", bound="(1 - log(2)/(4*L))**l*phi"),
        control("loss of order 1/L^2", bound="(1 - log(2)/(2*L**2))**l*phi"),
    ],
    note="a formula that is no power of one share per layer stays undecided: ask the variant infinite-width",
)
def every_depth(bound: Bound, *, kappa: Fraction = KAPPA) -> list[Step]:
    """Distance D_l, l <= L: D_0 = phi, D_{l+1}^2 = D_l^2 - 2/pi (sin t - t cos t), D_l = 2 sin(t/2); kappa = 14/5."""
    depth, layer = symbol("L"), symbol("l")
    share = sympy.simplify(bound.expr / symbol("phi"))
    first = share.subs(layer, 1)
    # One layer leaves the least share of the largest distance, and later layers face smaller ones.
    deep = first.subs(depth, Rational(kappa) / DISTANCE_AT_ANGLE)
    return [
        *_monotone_steps(),
        Step("the bound asks every layer for the same share", is_zero(share - first**layer) or None),
        _step("two layers or more", _leaves(deep, 2 * asin(Rational(kappa) / 4))),
        _step("one layer, at every phi", _leaves(first.subs(depth, 1), pi)),
    ]


def _leaves(share: sympy.Expr, end: sympy.Expr) -> Decision:
    """Whether an infinitely wide layer leaves that share of every distance at angles up to `end`."""
    return nonnegative(next_square() - (share * DISTANCE_AT_ANGLE) ** 2, ANGLE, 0, end)


@claim(
    "zou2018:corollary-A.5-infinite-width",
    title="directions keep half of the separation, at infinite width",
    bound=sheet.corollary_A_5.reads("phi/2"),
    sense=">=",
    premises=sheet.corollary_A_5_infinite_width_separation.reads("phi <= kappa/L"),
    regime=DEPTHS,
    measured=["l", "phi"],
    evidence=Proof(margin="true up to phi L = 6.888 at four layers, 3 pi in deep networks"),
    controls=[
        control(
            "phi L up to 6.9",
            cells=grid(L=4),
            kappa=Fraction(69, 10),
            without=sheet.corollary_A_5_infinite_width_separation,
        ),
        control("51 percent of phi", bound="51*phi/100", cells=grid(L=4)),
    ],
    scope="part: at infinite width, at the depths tried",
)
def half_of_every_distance(bound: Bound, L: int, *, kappa: Fraction = KAPPA_HALF) -> list[Step]:
    """Distance D_l, l <= L: D_0 = phi, D_{l+1}^2 = D_l^2 - 2/pi (sin t - t cos t), D_l = 2 sin(t/2); kappa = 34/5."""
    return _every_distance(bound, L, kappa)


@claim(
    "zou2018:eq-A.2",
    bound=sheet.eq_A_2.reads("(a - b)**2 + a*b*(phi**2 - 4*C*phi**3)"),
    premises="none needed: directions are exactly phi apart, the least that it allows, with any norms",
    sense=">=",
    regime=Regime(
        cells=grid(),
        draw={
            "a": reals(0.1, 2.0, logarithmic=True),
            "b": reals(0.1, 2.0, logarithmic=True),
            "phi": reals(1e-3, 1.999, logarithmic=True),
        },
        pinned=[{"a": 1.0, "b": 1.0, "phi": 1e-3}, {"a": 1.0, "b": 2.0, "phi": 1.9}, {"a": 1.0, "b": 1.0, "phi": 1.0}],
    ),
    evidence=Search(examples=40, adversary="far points of equal norms, where the bound is nearly met"),
    controls=[
        control("half of the cubic term", bound="(a - b)**2 + a*b*(phi**2 - phi**3/8)"),
        control("distance of the directions for that of the vectors", bound="(a-b)**2 + phi**2 - phi**3/4"),
        control("weight variance 1/m", gain=1.0),
    ],
    note="the two norms by symmetry, the cross term by rigorous quadrature of its own definition; C = 1/16 is that of "
    "Lemma A.3, so that no small distance is needed",
)
def mean_squared_distance(a: float, b: float, phi: float, *, gain: float = 2.0) -> Measured:
    """E||x_{l,i} - x_{l,i'}||^2 over W_l, given x_{l-1,i}, x_{l-1,i'} of norms a, b and with directions phi apart."""

    def ball() -> flint.arb:
        with precision_of(128):
            first, second, correlation = flint.arb(a), flint.arb(b), 1 - flint.arb(phi) ** 2 / 2
            cross = 2 * mean_product_ball(correlation)
            return (first**2 + second**2 - 2 * first * second * cross) * flint.arb(gain) / 2

    found = ball()
    return Measured(float(found.mid()), error=float(found.rad()) + 4.0 * UNIT_ROUNDOFF * float(found.mid()), ball=ball)


CLOSE = grid(m=264, n=3, L=2, d=16, phi=1.1, delta=0.4)
# One layer makes antipodes orthogonal.
OPPOSITE = grid(m=1024, n=2, L=1, d=16, phi=2.0, delta=0.4)


SIXTY_FOUR_LAYERS = control(
    "sixty-four layers as wide as their chance alone asks for",
    cells=grid(m=520, n=2, L=64, d=16, phi=0.035, delta=0.05),
    without=sheet.premise_5_1_width,
)

TWO_NEURONS = control(
    "antipodes, after a layer of two neurons",
    cells=grid(m=2, n=2, L=1, d=2, phi=2.0, delta=0.05),
    without=sheet.theorem_5_1_chance_width,
)


@claim(
    "zou2018:theorem-5.1-ii",
    bound=sheet.corollary_A_5.reads("phi/2"),
    sense=">=",
    premises=[
        sheet.premise_5_1_width.reads(
            "m >= Cbar*Max(L**4*phi**(-4)*log(n**2*L/delta), (log(n*L/delta)/beta_)**(2/3), n**2/phi*log(n**2/phi))"
        ),
        sheet.premise_5_1_sparsity.reads("s >= Cbar*log(n*L**2/delta)"),
        sheet.premise_5_1_separation.reads("phi <= kappa/L"),
        sheet.theorem_5_1_chance_width.reads("m >= Cbar*log(4*n**2*L/delta)"),
    ],
    regime=Regime(
        cells=[
            *grid(m=256, n=4, L=1, d=16, phi=1.2, delta=0.4),
            *CLOSE,
            *grid(m=1400, n=4, L=3, d=16, phi=0.75, delta=0.4),
            *grid(m=4096, n=4, L=2, d=16, phi=0.4, delta=0.4),
            *OPPOSITE,
        ],
        thorough=grid(m=20_000, n=8, L=4, d=16, phi=0.55, delta=0.4),
        derived=LEAST_OF_EQ_5_1,
        least={"n": 2, "d": 2},
    ),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("the whole of the separation", bound="phi", cells=CLOSE),
        control("half and the cube over 16, at antipodes", bound="phi/2 + phi**3/16", cells=OPPOSITE),
        control("points closer than phi/2", apart=0.45, cells=CLOSE),
        control("weight variance 1/m", gain=1.0, cells=grid(m=4096, n=4, L=2, d=16, phi=0.4, delta=0.4)),
        control(
            "antipodes, after four layers",
            cells=grid(m=2048, n=2, L=4, d=16, phi=2.0, delta=0.4),
            without=sheet.premise_5_1_separation,
        ),
        SIXTY_FOUR_LAYERS,
        TWO_NEURONS,
    ],
    blind={f"premise {sheet.premise_5_1_sparsity.text}": "it is for part (vi): no sparsity enters this one"},
    note="of the vectors themselves, where Corollary A.5 speaks of their directions. Cbar = 1, kappa = 7/3; beta_ and "
    "s, which parts (iv) and (vi) are about, near the least of (5.1); all layers of width m",
)
def outputs_apart(
    rng: Generator,
    data: DataSource,
    m: int,
    n: int,
    L: int,
    d: int,
    phi: float,
    *,
    apart: float = 1.0,
    gain: float = 2.0,
) -> Measured:
    """The least ||x_{l,i} - x_{l,i'}||, over all layers, pairs i != i', of points phi apart where there are such."""
    outputs = fresh_outputs(points_apart(data, n, d, apart * phi, rng), (m,) * L, rng, gain)[1:]
    pairs = np.triu_indices(n, 1)
    return Measured(min(float(pairwise_distances(x)[pairs].min()) for x in outputs))
