"""guo2024, Lemma B.2 and its proof: how far apart the layers keep two inputs.

Main claims: `mean_product_in_parts` (33), `mean_product_of_close_points` (30), `distance_left_in_the_mean` and
`distance_left_by_a_layer` (38), `distance_of_directions` (part 3 of the proof), `distances_at_every_layer` (34) and
`cosines_at_every_layer` (Lemma B.2).

Printed for a separation that antipodes meet as well, Lemma B.2 is false of them at every slope, and (34) at slope -1,
where the network is even. The corrected forms ask for the signed separation.
"""

import math

import numpy as np
import sympy
from numpy.random import Generator
from sympy import Rational, pi

from bounds import Bound, all_of, at_least, is_zero, nonnegative, symbol, vanishes
from bounds.papers import guo2024 as sheet
from nets import DataError, Network, forward, leaky_relu, pair_at_distance
from nets import Step as Layer
from properties.guo2024.distances import (
    ANGLE,
    DISTANCE_AT_ANGLE,
    EXACT_SLOPES,
    FACTOR,
    SIGN_CHANGE,
    distance_path,
    largest_square_cosine,
    layer_states,
    leaky_mean_product,
    least_distance,
    path_rounding,
    signed_points,
)
from properties.shared.places import nowhere_violated
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid, reals, rounding
from theory.evidence import Proof, Search, Step, Trials

slope, theta = symbol("slope"), symbol("theta")


# Where a gap is tried in balls: close points, right angles and antipodes, at all slopes.
PLACES = [{"angle": turn, "slope": value} for turn in (Rational(1, 10), Rational(3, 2), pi) for value in EXACT_SLOPES]


def _for_every_slope(gap: sympy.Expr) -> list[Step]:
    """That a gap in angle and slope is nowhere negative: at places, and as f(slope) times a function of the angle."""
    tried = nowhere_violated(Bound(gap), PLACES)
    if tried.holds is False:
        return [tried]
    alone = sympy.simplify(gap / FACTOR)
    found = None if alone.has(slope) else nonnegative(alone, ANGLE, 0, pi)
    return [
        tried,
        Step("f(slope) times a function of the angle", found is not None or None),
        Step(f"which is nowhere negative{'' if found is None else found.where}", found),
    ]


@claim(
    "guo2024:eq-33",
    bound="= cos(angle)/2 + (1 - slope)**2/(1 + slope**2)*(sin(angle) - angle*cos(angle))/(2*pi)",
    premises="none needed: two unit vectors at any angle, and every slope",
    measured=["angle", "slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality"),
    controls=[
        control(
            "the sign of the second part",
            bound="cos(angle)/2 - (1-slope)**2/(1+slope**2)*(sin(angle) - angle*cos(angle))/(2*pi)",
        ),
        control(
            "both patterns of signs again",
            bound="cos(angle)/2 + (1-slope)**2/(1+slope**2)*(sin(angle) - angle*cos(angle))/pi",
        ),
        control("not rescaled", rescaled=False),
        control("means given the signs, as the bars read", conditional=True),
    ],
    note="the bars in print stand for restricted means: with conditional ones the identity is false",
)
def mean_product_in_parts(bound: Bound, *, rescaled: bool = True, conditional: bool = False) -> list[Step]:
    """E[sigma(<u, h_i>) sigma(<u, h_j>)], u ~ N(0, I), of unit vectors at this angle, by its integrals over sectors.

    It is half the mean of Z_1 Z_2 = <u, h_i> <u, h_j> less (1 - slope)^2/(1 + slope^2) times that of Z_1 Z_2 where
    Z_1 >= 0 > Z_2, which is -(sin(angle) - angle cos(angle))/(2 pi).
    """
    mean = leaky_mean_product(rescaled, conditional)
    gap = mean - bound.expr
    found = []
    for value in EXACT_SLOPES:
        found.append(vanishes(gap.subs(slope, value), ANGLE, 0, pi))
        if not found[-1]:
            return [Step(f"equal at slope {value} and all angles", found[-1])]
    return [
        Step("equal at seven slopes and all angles", all_of(found)),
        Step("equal for every slope", is_zero(gap) or None),
    ]


@claim(
    "guo2024:eq-30",
    bound="(1 - theta**2/2)/2 + (1 - slope)**2/(1 + slope**2)*C*theta**3",
    premises="none needed: the printed form admits every smaller inner product, and so antipodes",
    measured=["theta", "slope"],
    regime=Regime(cells=grid(C=100.0)),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("a smaller constant", cells=grid(C=1.0)),
        control("power four", bound="(1-theta**2/2)/2 + (1-slope)**2/(1+slope**2)*C*theta**4"),
    ],
    note="antipodes, of product -1, have there the mean of a point with itself; no C helps, as theta may be small",
)
def mean_product_of_far_points(bound: Bound, C: float) -> list[Step]:
    """E[sigma(<u, h_i>) sigma(<u, h_j>)] of antipodes at slope -1, 1/2, against the bound at theta = 1/(16 C)."""
    constant = sympy.Rational(C)
    limit = bound.expr.subs({symbol("C"): constant, theta: 1 / (16 * constant), slope: -1})
    mean = leaky_mean_product().subs({ANGLE: pi, slope: -1})
    return [Step(f"{mean} at most {float(limit):.8f}", at_least(limit, mean))]


@claim(
    "guo2024:eq-30-corrected",
    bound="(1 - theta**2/2)/2 + (1 - slope)**2/(16 + 16*slope**2)*theta**3",
    premises="none needed: two unit vectors at any angle, and every slope",
    measured=["theta", "slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="attained at antipodes; 8/(3 pi) of the last term for close points"),
    controls=[
        control("a seventeenth", bound="(1-theta**2/2)/2 + (1-slope)**2/(1+slope**2)*theta**3/17"),
        control("without the slope", bound="(1-theta**2/2)/2 + theta**3/16"),
        control("twice the square term, without the slope", bound="1/2 - theta**2/2 + theta**3/16"),
        control("not rescaled", rescaled=False),
    ],
    blind={"term -theta**2/4": "it lowers the bound, which says less without it"},
    note="for an inner product equal to 1 - theta^2/2; of smaller ones it is false, as at antipodes and slope -1",
)
def mean_product_of_close_points(bound: Bound, *, rescaled: bool = True) -> list[Step]:
    """E[sigma(<u, h_i>) sigma(<u, h_j>)], u ~ N(0, I), of unit vectors theta apart, at every angle and slope."""
    gap = bound.expr.subs(theta, DISTANCE_AT_ANGLE) - leaky_mean_product(rescaled)
    return _for_every_slope(gap)


@claim(
    "guo2024:eq-38",
    bound=">= theta**2*(1 - (1 - slope)**2/(4 + 4*slope**2)*theta)",
    premises="none needed: inputs of a layer on the unit sphere at any distance, every slope",
    measured=["theta", "slope"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="attained at antipodes"),
    controls=[
        control("a fifth for a quarter", bound="theta**2*(1 - (1-slope)**2/(1+slope**2)*theta/5)"),
        control("without the slope", bound="theta**2*(1 - theta/4)"),
        control("variance 1/m", gain=1),
    ],
    blind={"term 1": "without it the bound is negative"},
    note="1/4 is the least C for every angle. The rows are sqrt(2/m) u; 2 u/m is printed. The tail is eq-38-tail",
    scope="part: the mean, of two unit states, with 1/4 for the C that is not given",
)
def distance_left_in_the_mean(bound: Bound, *, gain: int = 2) -> list[Step]:
    """E||h_{i,l} - h_{j,l}||^2 = 2 - 2 E<h_{i,l}, h_{j,l}> for unit h_{i,l-1}, h_{j,l-1} at distance theta."""
    square = gain * (DISTANCE_AT_ANGLE**2 / 2 - 2 * FACTOR * SIGN_CHANGE) + (2 - gain)
    return _for_every_slope(sympy.expand(square - bound.expr.subs(theta, DISTANCE_AT_ANGLE)))


FEW = grid(m=48, d=4, theta=0.6, eps=0.4, slope=0.0, delta=0.01)
WIDER_THAN_THE_SLOPE = "Bernstein's room is wider than what it changes; the row on the mean is sharp in it"
NEAR = [
    *grid(m=800, d=4, theta=0.6, eps=0.4, slope=[-2.0, -1.0, 0.9], delta=0.1),
    *grid(m=500, d=3, theta=0.3, eps=0.4, slope=[-0.5, 0.0, 0.05], delta=0.1),
    *grid(m=300, d=3, theta=1.5, eps=0.5, slope=0.5, delta=0.1),
]


@claim(
    "guo2024:eq-38-tail",
    title="chance that a layer shrinks a distance much below its mean",
    # Each neuron adds Y^2 2/m, |Y| at most |u^T (h_i - h_j)|, so that the fourth moments sum to at most 12 theta^4/m
    # and Bernstein's inequality for nonnegative terms, exp(-t^2/(2 sum of squares)), has this exponent for t = eps E.
    bound=">= (1 - eps)*theta**2*(1 - (1 - slope)**2/(4 + 4*slope**2)*theta)",
    premises=(
        "width against accuracy, so that the chance of a smaller distance is at most delta [Appendix B.2, eqs. "
        "(37)-(38)]: m*eps**2*(1 - (1 - slope)**2/(4 + 4*slope**2)*theta)**2 >= 24*log(1/delta)"
    ),
    regime=Regime(cells=NEAR),
    evidence=Trials(rate="delta", budget=400),
    controls=[
        control("the distance, not its square", bound="(1-eps)*theta", cells=NEAR[:1]),
        control("no loss at all", bound="theta**2*(1 + theta/4)", cells=NEAR[:1]),
        control("variance 1/m", gain=1.0, cells=NEAR[:1]),
        control(
            "a width twenty times as small",
            cells=FEW,
            without="m*eps**2*(1 - (1 - slope)**2/(4 + 4*slope**2)*theta)**2 >= 24*log(1/delta)",
        ),
    ],
    blind={"term -theta*(1 - slope)**2/(4*slope**2 + 4)": WIDER_THAN_THE_SLOPE, "eps": WIDER_THAN_THE_SLOPE},
    note="by Bernstein for nonnegative terms: exp(-m eps^2 (1 - f theta/4)^2/24), f = jump^2; eps is theta in print",
)
def distance_left_by_a_layer(rng: Generator, m: int, d: int, theta: float, slope: float, *, gain: float = 2.0) -> float:
    """The squared distance ||h_i - h_j||^2 after one layer, W^(0), of two unit vectors in R^d at distance theta."""
    W = rng.normal(0.0, np.sqrt(gain / m), (d, m))
    first, second = forward(
        Network((W,), np.ones(m), (Layer(0, leaky_relu(slope)),)), pair_at_distance(theta, d, rng)
    ).post[1]
    return float(np.sum((first - second) ** 2))


@claim(
    "guo2024:claim-normalised-distance",
    bound=">= phi*(1 - sqrt(phi))",
    premises="small distance of the normalised features [Appendix B.2, part 3 of Lemma B.2]: phi < 1/4",
    regime=Regime(cells=grid(d=[2, 5]), draw={"phi": reals(1e-3, 0.2499), "excess": reals(-1.0, 1.0)}),
    evidence=Search(adversary="the longer vector along the shorter one's direction, as far as their norms allow"),
    controls=[
        control("no loss", bound="phi"),
        control("three halves", bound="3/2*phi*(1 - sqrt(phi))"),
        control("norms off by the distance itself", power=1.0),
    ],
    blind={
        "premise phi < 1/4": "beyond it the bound says less than it could",
        "phi in -sqrt(phi)": "norms within phi^3 of 1 take about phi^4 off",
    },
    note="the cosine is then at most 1 - phi^2/8. The square is not, if phi is but a lower bound: it is 1 at antipodes",
    scope="own constants: norms within phi^3 of 1, where print has squared norms within O(phi^3)",
)
def distance_of_directions(rng: Generator, d: int, phi: float, excess: float, *, power: float = 3.0) -> float:
    """The distance ||u - v|| of the directions of two vectors at distance phi whose norms are within phi^3 of 1."""
    far, near = 1.0 + phi**power, 1.0 - abs(excess) * phi**power
    # Three sides of a triangle give its angle; where they make none, the vectors are parallel.
    cosine = min((far**2 + near**2 - phi**2) / (2.0 * far * near), 1.0)
    return float(2.0 * np.sin(0.5 * np.arccos(cosine)))


@claim(
    "guo2024:eq-34",
    bound=">= phi/(2*(l + 1))",
    premises="none needed: antipodes are at least phi apart, whatever phi is below 1, as Assumption 2.1 has it",
    regime=Regime(cells=grid(m=[30, 1000], L=2, slope=-1.0, phi=0.5)),
    measured=["l"],
    evidence=Search(),
    expected=Verdict.REFUTED,
    controls=[control("half of it", bound="phi/(4*(l + 1))"), control("falling by halves", bound="phi/2**(l + 2)")],
    note="at slope -1 the network is even: x and -x have the same outputs from layer 1 on, at any width and any phi",
)
def distances_of_antipodes(rng: Generator, m: int, L: int, slope: float, phi: float) -> Measured:
    """The distance of the outputs h_l of x and -x, for the layers l = 1, ..., L of one network."""
    x = np.array([[1.0], [-1.0]])
    states = layer_states(x, m, L, slope, rng)[1:]
    return Measured(np.array([least_distance(h) for h in states]), symbols={"l": np.arange(1, L + 1)})


WIDE = grid(m=160, n=4, d=4, L=2, phi_pm=0.3, delta=0.4, slope=[-2.0, -1.0, 0.0, 0.05])
OTHERS = grid(m=100, n=6, d=5, L=1, phi_pm=0.2, delta=0.4, slope=[-0.5, 0.5, 0.9])
# Points all but alike, and two at sixty degrees, which slope -1 brings together fastest.
ENDS = [
    *grid(m=100, n=4, d=4, L=1, phi_pm=0.004, delta=0.4, slope=-1.0),
    *grid(m=640, n=2, d=4, L=5, phi_pm=1.0, delta=0.4, slope=-1.0),
]
SIGNED = Regime(cells=[*WIDE, *OTHERS, *ENDS], thorough=grid(m=6000, n=8, d=6, L=4, phi_pm=0.25, delta=0.1, slope=-1.0))
OF_ONE_LAYER = "m >= 8*log(n**2*L/delta)"
NARROW = grid(m=3, n=2, d=4, L=1, phi_pm=0.3, delta=0.02, slope=-1.0)
ROOM = "layers lose far less than they may; the row on infinite width is at all depths"
ORDER = {f"premise {sheet.lemma_B_2_width.text}": "an order: narrower networks keep distances as well, less surely"}


@claim(
    "guo2024:eq-34-corrected",
    bound=sheet.eq_34_corrected.reads("phi_pm/(2*(l + 1))"),
    sense=">=",
    premises=[
        sheet.lemma_B_2_width.reads("m >= C*L**4*log(n**2*L/delta)"),
        # Behind the input layer 1 - cos^2 is below a quarter of what it was with a chance of exp(-0.223 m), nearly.
        "width against samples and failure rate, ours, for the input layer: m >= 8*log(n**2*L/delta)",
    ],
    regime=SIGNED,
    measured=["l"],
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("three neurons", cells=NARROW, without=OF_ONE_LAYER),
        control("more than the inputs have", bound="9*phi_pm/(8*(l + 1)**(1/8))", cells=WIDE[1:2]),
        control("antipodes", antipodes=True, cells=WIDE[1:2]),
        control("variance 1/(4 m)", gain=0.25, cells=WIDE[1:2]),
    ],
    blind={**ORDER, "term 2": ROOM},
    note="C is 1/4 for Omega in print, delta, of the start, for exp(-Omega(phi^4 m/L^4)), which no trials would see",
)
def distances_at_every_layer(
    rng: Generator,
    m: int,
    n: int,
    d: int,
    L: int,
    phi_pm: float,
    slope: float,
    *,
    antipodes: bool = False,
    gain: float = 2.0,
) -> Measured:
    """The least distance of two h_l, l = 0..L, of n points in pairs phi_pm, at most 1, apart or from opposite."""
    X = signed_points(n, d, 0.0 if antipodes else phi_pm, rng)
    states = layer_states(X, m, L, slope, rng, gain)
    return Measured(np.array([least_distance(h) for h in states]), symbols={"l": np.arange(L + 1)})


# The signed separation of orthogonal points, which none exceeds.
MOST_APART = math.sqrt(2.0)


def _limits(L: int, phi_pm: float, slope: float, signed: bool) -> tuple[np.ndarray, np.ndarray]:
    """The paths (2, L + 1) of a near pair and of a nearly opposite one, and their rounding errors; where not `signed`,
    of antipodes.

    Raises `DataError` for a signed separation beyond that of orthogonal points.
    """
    if phi_pm > MOST_APART:
        raise DataError(f"no two points are {phi_pm:g} from each other's antipodes too: ask for sqrt(2) at most")
    opposite = float(np.sqrt(4.0 - phi_pm**2)) if signed else 2.0
    paths = [distance_path(start, slope, L) for start in (phi_pm, opposite)]
    return np.array(paths), np.array([path_rounding(path, slope) for path in paths])


# Any slope, and the seven in any case.
ANY_SLOPE = Regime(
    cells=grid(L=64),
    most={"phi_pm": MOST_APART},
    draw={"phi_pm": reals(0.01, 1.414), "slope": reals(-3.0, 0.95)},
    pinned=[{"phi_pm": phi_pm, "slope": float(value)} for value in EXACT_SLOPES for phi_pm in (0.1, 1.414)],
)


@claim(
    "guo2024:eq-34-limit",
    title="distance that infinitely wide layers leave at every depth",
    kind="deterministic",
    bound=sheet.eq_34_corrected.reads("phi_pm/(2*(l + 1))"),
    sense=">=",
    premises="none needed: every signed separation and every slope drawn, in layers of infinite width",
    regime=ANY_SLOPE,
    measured=["l"],
    entries="2*L + 2",
    evidence=Search(adversary="near duplicates and near antipodes, at the separation itself"),
    controls=[control("by the root of the depth", bound="phi_pm/(2*sqrt(l + 1))"), control("antipodes", signed=False)],
    blind={"term 2": "the deepest layers decide, where it does not count"},
    note="the least ratio is 2, at the inputs; as l grows 3 pi/(f(slope) l) is left, f = jump^2, in the limit",
)
def distances_in_the_limit(L: int, phi_pm: float, slope: float, *, signed: bool = True) -> Measured:
    """The distances after l = 0..L infinitely wide layers, of two points phi_pm apart and two phi_pm from opposite."""
    paths, errors = _limits(L, phi_pm, slope, signed)
    return Measured(paths, error=errors, symbols={"l": np.arange(L + 1)})


@claim(
    "guo2024:lemma-B.2",
    bound=">= phi**2/(32*(l + 1)**2)",
    premises="none needed: antipodes are at least phi apart, whatever phi is below 1, as Assumption 2.1 has it",
    regime=Regime(cells=grid(m=[50, 1000], L=1, slope=[-2.0, -1.0, -0.5, 0.0, 0.05, 0.5, 0.9], phi=0.5)),
    measured=["l"],
    evidence=Search(),
    expected=Verdict.REFUTED,
    controls=[
        control("half of it", bound="phi**2/(64*(l + 1)**2)"),
        control("falling by quarters", bound="phi**2/4**(l + 3)"),
    ],
    note="at l = 0, which (66) uses, the squared cosine of antipodes is 1 at every slope; at slope -1 in all layers",
)
def cosines_of_antipodes(rng: Generator, m: int, L: int, slope: float, phi: float) -> Measured:
    """The number 1 - cos^2 of the outputs h_l of x and -x, for l = 0, ..., L of one network."""
    states = layer_states(np.array([[1.0], [-1.0]]), m, L, slope, rng)
    return Measured(
        np.array([1.0 - largest_square_cosine(h) for h in states]), error=1e-12, symbols={"l": np.arange(L + 1)}
    )


@claim(
    "guo2024:lemma-B.2-corrected",
    bound=">= phi_pm**2/(32*(l + 1)**2)",
    premises=[
        sheet.lemma_B_2_width.reads("m >= C*L**4*log(n**2*L/delta)"),
        "width against samples and failure rate, ours, for the input layer: m >= 8*log(n**2*L/delta)",
    ],
    regime=SIGNED,
    measured=["l"],
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("three neurons", cells=NARROW, without=OF_ONE_LAYER),
        control("without the 32", bound="phi_pm**2/(l + 1)**(1/4)", cells=WIDE[1:2]),
        control("antipodes", antipodes=True, cells=WIDE[1:2]),
        control("the distance, not its square", bound="phi_pm", cells=WIDE[1:2]),
    ],
    blind={**ORDER, **dict.fromkeys(("l", "term 1", "term l"), "at finite width the variant sharp sees the depth")},
    note="infinitely wide layers keep 16 times the bound at every depth, see the variant limit; 8 times it is the "
    "variant sharp. C is 1/4 for Omega in print, delta, of the start, for exp(-Omega(phi^4 m/L^4))",
)
@form(
    "sharp",
    title="squared cosines of the outputs at every layer, eight times as far below 1",
    bound="phi_pm**2/(4*(l + 1)**2)",
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("three neurons", cells=NARROW, without=OF_ONE_LAYER),
        control("without the factor", bound="phi_pm**2/(l + 1)**(1/4)", cells=WIDE[1:2]),
        control("antipodes", antipodes=True, cells=WIDE[1:2]),
    ],
    blind={**ORDER, "term 1": ROOM},
    note="half of what infinitely wide layers leave, which is the room for the width; the C of the premise is 1/4",
)
def cosines_at_every_layer(
    rng: Generator, m: int, n: int, d: int, L: int, phi_pm: float, slope: float, *, antipodes: bool = False
) -> Measured:
    """The number 1 - max cos^2 over two of h_l, l = 0..L, of n points in pairs phi_pm <= 1 apart or from opposite."""
    states = layer_states(signed_points(n, d, 0.0 if antipodes else phi_pm, rng), m, L, slope, rng)
    return Measured(np.array([1.0 - largest_square_cosine(h) for h in states]), symbols={"l": np.arange(L + 1)})


@claim(
    "guo2024:lemma-B.2-limit",
    title="squared cosines that infinitely wide layers leave at every depth",
    kind="deterministic",
    bound=">= phi_pm**2/(2*(l + 1)**2)",
    premises="none needed: every signed separation and every slope drawn, in layers of infinite width",
    regime=ANY_SLOPE,
    measured=["l"],
    entries="2*L + 2",
    evidence=Search(adversary="near duplicates and near antipodes, at the separation itself"),
    controls=[
        control("by the depth, not its square", bound="phi_pm**2/(2*(l + 1))"),
        control("the power 3/2 of the depth", bound="phi_pm**2/(2*(l + 1)**(3/2))", cells=grid(L=1000)),
        control("antipodes", signed=False),
    ],
    note="attained at the inputs, by orthogonal ones; the lemma has 1/32 for 1/2: room for networks of finite width",
)
def cosines_in_the_limit(L: int, phi_pm: float, slope: float, *, signed: bool = True) -> Measured:
    """The 1 - cos^2 after l = 0..L infinitely wide layers, of two points phi_pm apart and two phi_pm from opposite."""
    paths, errors = _limits(L, phi_pm, slope, signed)
    squares = paths**2
    # Twice a distance, at most 4, is how fast its square changes, and the product changes no faster.
    lost = 4.0 * errors + rounding(4.0, 8.0)
    return Measured(squares * (1.0 - squares / 4.0), error=lost, symbols={"l": np.arange(L + 1)})
