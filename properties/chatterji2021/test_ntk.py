"""chatterji2021 on the tangent ball: its radius and the smoothing, eqs. (4) and (5), and Lemma D.9.

Main claims: `smoothing_below_its_limit`, an erratum, with `smoothing_corrected`; `radius_suffices`;
`linearised_loss_in_the_ball` (Lemma D.9) with `loss_along_the_margin`, its deterministic core.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import sympy
from numpy.random import Generator

from bounds import Bound, all_of, at_least, certainly_le, is_zero, nonnegative, symbol
from bounds.papers import chatterji2021 as sheet
from nets import ARRANGEMENTS, DataSource, arranged, best_linearised_loss, linearised, logistic_terms, shifted
from nets.tangent.margin import Margin, margin_direction
from properties.chatterji2021.tangent_features import Tangent, tangent, two_stage_smoothing, wide_network
from properties.shared.places import below_at
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals
from theory.evidence import Proof, Search, Step, Trials

m, n, L = map(symbol, ("m", "n", "L"))

# Sizes at which formulas are compared in ball arithmetic, beside the proofs for all of them.
SIZES = [
    dict(zip(("n", "L", "m"), sizes, strict=True))
    for sizes in itertools.product((3, 10, 10**6), (1, 2, 3, 20), (64, 10**4, 10**9))
]


def _against_the_limit(bound: Bound, constant: int, room: int) -> list[Step]:
    """h_NT with `constant` for 6, against `bound`; its ratio to h_max at the norm sqrt(room m L) for all sizes.

    h_max is (3a) where J is n^-(1 + 24 L), the largest loss there; a smaller loss is treated by its logarithm alone.
    """
    h = sheet.eq_5.expr * sympy.Rational(6, constant)
    limit = sheet.eq_3a.expr.args
    first = next(term for term in limit if term.free_symbols)
    at_the_norm = first.subs({symbol("normV1"): sympy.sqrt(room * m * L), symbol("J1"): sheet.eq_3_loss.expr})
    ratio = sympy.simplify(sympy.powsimp(sympy.expand_log(h / at_the_norm, force=True), force=True))
    # For room = 6 nothing is left of the sizes.
    expected = sympy.Rational(24, constant) * (sympy.Rational(room, 6)) ** (L / 2) / sympy.sqrt(6)
    known = is_zero(h / at_the_norm / expected - 1, sympy.simplify(ratio / expected) - 1)
    # ratio^2 at L = 1, from where it grows with L if room > 6
    square = Fraction(24**2, constant**2) * Fraction(room, 6) / 6
    meets = [below_at(Bound(h), bound, at) for at in SIZES]
    return [
        Step("h_NT over h_max is 24/sqrt(6) over the constant, at the norm sqrt(6 m L), for all n, m and L", known),
        Step("its square is at most 1", at_least(1, square)),
        Step("h_NT is at most the bound, at every size tried", all_of(meets)),
    ]


@claim(
    "chatterji2021:ineq-h-NT",
    bound=sheet.theorem_3_3_h_max.reads("Min((1 + 24*L)*log(n)*L**(L/2 - 3)/(24*sqrt(m)*(6*m*L)**(L/2)), 1)"),
    premises="none needed: it fails at every width and depth, from two samples on: no hypothesis would save it",
    regime=Regime(cells=grid()),
    measured=["n", "L", "m"],
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("9 for 6 in h_NT", constant=9),
        control(
            "the loss n^-(2 + 24 L) that the first stage is to reach",
            bound="Min((2 + 24*L)*log(n)*L**(L/2 - 3)/(24*sqrt(m)*(6*m*L)**(L/2)), 1)",
        ),
    ],
    note="the quotient with the first term of the minimum is 4/sqrt(6) = 1.63, whatever n >= 2, m and L",
)
def smoothing_below_its_limit(bound: Bound, *, constant: int = 6, room: int = 6) -> list[Step]:
    """The bend (1 + 24 L) log(n)/(6 (6 m)^((L + 1)/2) L^3) against h_max at norm sqrt(6 m L) and loss n^-(1 + 24 L)."""
    return _against_the_limit(bound, constant, room)


@claim(
    "chatterji2021:ineq-h-NT-corrected",
    title="bend of the two-stage result, with a constant that keeps it below its limit",
    bound=sheet.theorem_3_3_h_max.reads("Min((1 + 24*L)*log(n)*L**(L/2 - 3)/(24*sqrt(m)*(6*m*L)**(L/2)), 1)"),
    premises=sheet.theorem_3_3_bend_width.reads("m >= log(n)"),
    regime=Regime(cells=grid()),
    measured=["n", "L", "m"],
    evidence=Proof(margin="24/sqrt(6) = 9.80 is needed of the constant 10; 5/12 of log(n) is needed of the width"),
    controls=[
        control("6 for 10, as printed", constant=6),
        control("9 for 10", constant=9),
        control("norm of sqrt(7 m L)", room=7),
        control("a width of log(n)/10", share=Fraction(1, 10), without=sheet.theorem_3_3_bend_width),
    ],
)
def smoothing_corrected(
    bound: Bound, *, constant: int = 10, room: int = 6, share: Fraction = Fraction(1)
) -> list[Step]:
    """The bend (1 + 24 L) log(n)/(10 (6 m)^((L + 1)/2) L^3) against h_max at norm sqrt(6 m L) and loss n^-(1 + 24 L).

    And against 1, for widths of log(n) or more: a premise of ours, as the theorem asks for far larger ones.
    """
    steps = _against_the_limit(bound, constant, room)
    # (1 + 24 L) log(n) <= 25 L m/share, and the denominator is at least 60 m L^3: equalities at L = 1
    below_one = at_least(1, Fraction(25, 10 * 6) / share)
    return [*steps, Step("h_NT is at most 1", below_one)]


@claim(
    "chatterji2021:eq-4-5",
    bound=sheet.eq_4.reads("C/(sqrt(m)*gamma)*(sqrt(log(n/delta)) + log(6*n**(2 + 24*L)))"),
    premises="none needed: gamma, delta and width enter both radii alike; what is left is the logarithm",
    regime=Regime(cells=grid()),
    measured=["n", "L", "m", "gamma", "delta"],
    evidence=Proof(margin="exp(z) - 1 and z, at z = 1/(6 n^(2+24 L)), differ by half the square of z"),
    controls=[
        control("factor 6 left out", bound="C/(sqrt(m)*gamma)*(sqrt(log(n/delta)) + log(n**(2 + 24*L)))"),
        control("exponent 1 + 24 L", bound="C/(sqrt(m)*gamma)*(sqrt(log(n/delta)) + log(6*n**(1 + 24*L)))"),
        control("root of gamma", bound="C/sqrt(m*gamma)*(sqrt(log(n/delta)) + log(6*n**(2 + 24*L)))"),
    ],
    note="C is c_1 of (4) in both. Print's reason is exp(z) <= 1 + 2 z, where exp(z) >= 1 + z is it; root over m only",
    scope="part: (4) against the radius of Lemma D.9; (5) is ineq-h-NT and eq-4-5-bend",
)
def radius_suffices(bound: Bound) -> list[Step]:
    """C (sqrt(log(n/delta)) + log(1/(exp(eps) - 1)))/(sqrt(m) gamma), of Lemma D.9, at eps = 1/(6 n^(2 + 24 L))."""
    z = sympy.Symbol("z", nonnegative=True)
    known = nonnegative(sympy.exp(z) - 1 - z, z, 0, 1)
    meets = []
    for at in SIZES:
        values = {"m": at["m"], "gamma": Fraction(1, 3), "delta": Fraction(1, 10), "n": at["n"], "C": 1}
        target = Fraction(1, 6 * at["n"] ** (2 + 24 * at["L"]))
        # z/2 is what the two logarithms differ by.
        precision = 64 + 2 * target.denominator.bit_length()
        needed = sheet.lemma_D_9_radius.ball(**values, eps=target, precision=precision)
        rest = {name: value for name, value in {**values, "L": at["L"]}.items() if name in (*bound.symbols, "C")}
        if "C" not in bound.constants:
            rest.pop("C")
        meets.append(certainly_le(needed, bound.ball(**rest, precision=precision)))
    return [
        Step(f"exp(z) - 1 >= z on [0, 1]{known.where}", known),
        Step("the bound is at least the radius of the lemma, where tried", None if None in meets else all(meets)),
    ]


def _start(rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, points: str, adverse: bool) -> Tangent:
    """Points of a family and random weights; `adverse` labels are those that the network gets wrong."""
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    h = two_stage_smoothing(m, max(n, 3), L)
    start = tangent(wide_network(X.shape[1], m, L, rng), X, y, h)
    return tangent(start.net, X, -np.sign(start.fwd.output), h) if adverse else start


ONE_LAYER = grid(m=500, L=1, n=4, d=8, delta=0.1, eps=1e-6)


@claim(
    "chatterji2021:lemma-D.9",
    bound=sheet.lemma_D_9.reads("eps"),
    premises=[sheet.lemma_D_9_width.reads("m >= C*L*log(16*n*L/delta)"), sheet.lemma_D_9_loss.reads("eps <= log(2)")],
    regime=Regime(
        cells=[
            *grid(m=2000, L=1, n=4, d=8, delta=0.1, eps=1e-6),
            *grid(m=500, L=2, n=3, d=8, delta=0.1, eps=0.3),
            *grid(m=500, L=1, n=3, d=8, delta=0.05, eps=1e-6, points="arc"),
        ],
        thorough=[
            *grid(m=10**4, L=3, n=3, d=8, delta=0.1, eps=1e-3),
            *grid(m=10**5, L=2, n=2, d=8, delta=0.1, eps=0.1),
        ],
        derived={"rate": lambda delta: 2.0 * delta},
        usual={"points": "drawn"},
    ),
    evidence=Trials(rate="rate", budget=240),
    controls=[
        control("one root of the width too many in the radius", power=1.0, cells=ONE_LAYER),
        control("radius without its second term", target=False, cells=ONE_LAYER),
        control("the same point in both classes", opposed=True, cells=ONE_LAYER),
    ],
    blind={
        f"premise {sheet.lemma_D_9_width.text}": "narrower, large outputs are rarer than one in a thousand",
        f"premise {sheet.lemma_D_9_loss.text}": "beyond it a term of the radius is negative, and soon the radius",
    },
    note="rho is 2 (sqrt(log(n/delta)) + log(1/(exp(eps) - 1))) over sqrt(m) gamma, the largest min_s y_s <grad f, W>, "
    "||W|| = 1, at V^(1); labels are wrong there; h is h_NT of (5), 10 for 6, n at least 3. Met up to a duality gap",
    scope="own constants: the 2 of the radius",
)
def linearised_loss_in_the_ball(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    delta: float,
    eps: float,
    points: str,
    *,
    power: float = 0.5,
    target: bool = True,
    opposed: bool = False,
) -> Measured:
    """Least mean of log(1 + exp(-y F)), F = f + <grad f, V - V^(1)>, all ||V_l - V^(1)_l|| <= rho; at rate 2 delta."""
    start = _start(rng, data, m, L, n, d, points, adverse=True)
    gamma = start.largest_margin().low / math.sqrt(m)
    if opposed:
        X, y = start.X.copy(), start.y.copy()
        X[1], y[1] = X[0], -y[0]
        start = tangent(start.net, X, y, start.net.activation.h)
    values = {"m": m, "n": n, "delta": delta, "gamma": gamma, "eps": eps if target else math.log(2.0)}
    radius = float(sheet.lemma_D_9_radius.evaluate(values)) * m ** (0.5 - power)
    found = best_linearised_loss(start.features.grams, start.margins, start.y, radius)
    return Measured.between(found.low, found.high)


FOUR_SAMPLES = grid(n=4, L=1, m=64, d=4)
TARGETS = Regime(
    cells=grid(n=[1, 4], L=[1, 3], m=64, d=4),
    thorough=[*grid(n=8, L=4, m=64, d=4), *grid(n=2, L=2, m=10**5, d=8)],
    draw={"target": reals(1e-12, 0.69, logarithmic=True), "points": choices(*ARRANGEMENTS)},
)


@claim(
    "chatterji2021:lemma-D.9-core",
    title="a step along the direction of largest margin gives a linearised function of small loss",
    kind="deterministic",
    bound=sheet.lemma_D_9.reads("eps"),
    premises=[
        sheet.lemma_D_9_loss.reads("eps <= log(2)"),
        "margin: gamma is the largest min_s y_s <grad f(x_s), W>/sqrt(m), ||W|| = 1: gamma > 0",
    ],
    measured=["eps", "gamma"],
    regime=TARGETS,
    evidence=Search(
        examples=lambda m: 15 if m <= 64 else 2,
        adversary="labels that the network gets wrong; of one sample the step is just enough",
    ),
    controls=[
        control("outputs at the start forgotten", outputs=False),
        control("margin of every layer by itself taken for that of all", layers=True),
        control("log(1/(2 eps)) for log(1/(exp(eps) - 1))", double=True),
        control("mean of the features for the direction of largest margin", uniform=True, cells=FOUR_SAMPLES),
        control("losses above 2", more=2.0, cells=FOUR_SAMPLES, without=sheet.lemma_D_9_loss),
    ],
    blind={"premise gamma > 0": "without a margin there is no such step; lemma-D.9 has a control with opposite labels"},
    note="equality with one sample that the network gets wrong; h is h_NT of (5), 10 for 6, n at least 3",
)
def loss_along_the_margin(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    target: float,
    points: str,
    *,
    outputs: bool = True,
    layers: bool = False,
    double: bool = False,
    uniform: bool = False,
    more: float = 0.0,
) -> Measured:
    """Loss of f + lam <grad f, W*> at V^(1), lam = (max |f(x_s)| + log(1/(exp(eps) - 1)))/min y_s <grad f(x_s), W*>.

    W* is the direction of norm 1 over all layers in which that least margin is largest; eps is the target.
    """
    eps = target + more
    start = _start(rng, data, m, L, n, d, points, adverse=True)
    margin = start.largest_margin()
    largest = float(np.abs(start.fwd.output).max()) if outputs else 0.0
    wanted = -math.log(2.0 * eps) if double else -math.log(math.expm1(eps))
    length = (largest + wanted) / (margin.low * (math.sqrt(L + 1) if layers else 1.0))
    direction = margin_direction(start.net, start.fwd, start.y, margin)
    if uniform:
        even = Margin(margin.low, margin.high, np.full(n, 1.0 / n))
        direction = margin_direction(start.net, start.fwd, start.y, even)
    reached = start.y * linearised(start.net, start.fwd, shifted(start.net, direction, length))
    return Measured(
        float(np.mean(logistic_terms(reached).loss)), symbols={"eps": eps, "gamma": margin.low / math.sqrt(m)}
    )
