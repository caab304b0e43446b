"""chatterji2021, Sections 2.1 and 4.1: how fast the gradient changes, and what one step along it gains.

Main claims: `quotients_below` with `quotients_reach` (the local Lipschitz constant), `decrease` (Lemma 4.1) with
`decrease_by_measured_curvature` and `quadratic`, and `curvature` (Lemma 4.2) with `curvature_by_norms`,
`order_of_curvature` and `printed_from_norms`.
"""

import math
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy
from hypothesis import strategies as st
from numpy.random import Generator

from bounds import Bound, all_of, at_least, certainly_le, is_positive, is_zero, nonnegative, symbol
from bounds.papers import chatterji2021 as sheet
from nets import Array, Network, forward, logistic_terms, output_gradient, smooth_network
from nets.networks.curvature import Hessian, flatten, local_lipschitz, rounding_errors, unflatten
from nets.networks.log_loss import log_mean_loss
from nets.networks.logistic_gradients import log_gradient_norms, logistic_gradient, loss_weights
from properties.chatterji2021.closed_form import ExactNetwork
from properties.chatterji2021.curvature import (
    MEMBER_NAMES,
    Instance,
    bent_instance,
    chain_instance,
    drawn_instance,
    lipschitz_bound,
)
from properties.chatterji2021.norm_products import Products, operator_norms
from properties.chatterji2021.smooth_members import MEMBERS
from properties.shared.places import away_from, nowhere_violated
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals
from theory.evidence import Proof, Scaling, Search, Step

EPS = float(np.finfo(np.float64).eps)
MEMBER = choices(*MEMBER_NAMES)

# Digits carried, and the distance in multiples of h at which quotients are taken.
DIGITS = 60
NEAR = 1e-25

BETWEEN_KINKS, AT_A_KINK = "between kinks", "at a kink"


class DyadicNetwork(NamedTuple):
    """A network of few binary digits as a search draws it: h is 2^-power, and `place` that of a pre-activation."""

    member: str
    power: int
    place: str

    def of(self, rng: Generator, L: int, m: int, n: int) -> Instance:
        """The network, its points and labels; the pre-activation is one of the first layer."""
        phi = MEMBERS[self.member](2.0**-self.power)
        layers = [np.round(8.0 * rng.standard_normal((m, width))) / 8.0 for width in [*[m] * L, 1]]
        X = np.round(8.0 * rng.standard_normal((n, m))) / 8.0
        X[0] = np.eye(1, m)
        bend = float(rng.choice(phi.bends)) if self.place == AT_A_KINK and phi.bends else 0.75 * phi.h
        layers[0][0, 0] = bend
        # The others stay away from kinks, unless nothing arrives.
        layers[0][0, 1:] += 2.0**-12
        layers[1:] = [V + 2.0**-12 for V in layers[1:]]
        layers[-1][0, 0] = rng.choice([-2.0, 2.0])
        return Instance(smooth_network(layers, phi), X, rng.choice([-1.0, 1.0], n))


def _hessian(instance: Instance, side: float) -> Array:
    """The Hessian of J with all second derivatives of phi from one side: (weights, weights)."""
    A = Hessian(instance.net, forward(instance.net, instance.X), instance.y).operator(side)
    return np.asarray(A.matmat(np.eye(A.shape[0])))


def _directions(rng: Generator, instance: Instance) -> list[Array]:
    """Directions of the largest and the least curvature, both ways, of networks next to this one.

    Where it lies at a kink, the two on opposite sides of it: one of the two ways leads to each.
    """
    net, found = instance.net, []
    shift = 2.0**-36 * instance.net.activation.h * rng.standard_normal(sum(V.size for V in net.weights))
    for sign in (1.0, -1.0):
        parts = zip(net.weights, unflatten(net, sign * shift), strict=True)
        beside = instance._replace(net=instance.net.with_weights([V + E for V, E in parts]))
        for vector in np.linalg.eigh(_hessian(beside, 1.0)).eigenvectors.T[[0, -1]]:
            found += [vector, -vector]
        if not _kinks(instance):
            return found[::2]
    return found


def _kinks(instance: Instance) -> bool:
    """Whether a pre-activation lies at a kink of the activation."""
    kinks = instance.net.activation.bends
    return any(bool(np.isin(u, kinks).any()) for u in forward(instance.net, instance.X).pre)


def _largest_quotient(instance: Instance, directions: list[Array], steps: float) -> float:
    """The largest ||grad J(V + D) - grad J(V)||/||D||, the lengths of D being `steps` h."""
    net, X, y = instance
    phi = net.activation
    with mpmath.workdps(DIGITS):
        here = ExactNetwork.of(net, X, y, phi.name, phi.h)
        start, largest = here.gradients(), mpmath.mpf(0)
        for direction in directions:
            length = mpmath.mpf(steps * phi.h) / mpmath.mpf(float(np.linalg.norm(direction)))
            end = here.moved(unflatten(net, direction), length).gradients()
            square = mpmath.fsum(z**2 for a, b in zip(start, end, strict=True) for z in (a - b).ravel())
            largest = max(largest, mpmath.sqrt(square) / mpmath.mpf(steps * phi.h))
        return float(largest)


KINKED = Regime(
    cells=[*grid(L=1, m=[1, 3], n=1), *grid(L=2, m=[1, 2], n=1)],
    thorough=grid(L=[1, 2, 3], m=[2, 3], n=1),
    draw={"member": MEMBER, "power": st.integers(0, 20), "place": choices(BETWEEN_KINKS, AT_A_KINK)},
    pinned=[
        {**DyadicNetwork(name, power, place)._asdict(), "trial": 0}
        for name, power, place in (
            ("huberised_relu", 10, AT_A_KINK),
            ("saturating", 3, AT_A_KINK),
            ("scaled_swish", 10, BETWEEN_KINKS),
        )
    ],
    built={"drawn": (DyadicNetwork, DyadicNetwork._fields)},
)
SMALL_HESSIANS = "networks of few weights, curvature along the eigenvectors of the Hessians from both sides of a kink"


@claim(
    "chatterji2021:def-local-lip",
    bound=sheet.def_local_lip.reads("lip"),
    premises="none needed: the loss is differentiable at every network drawn, kinks of the slope included",
    measured=["lip"],
    regime=KINKED,
    evidence=Search(examples=4, adversary=SMALL_HESSIANS),
    controls=[
        control("one part in a thousand less", bound="999*lip/1000"),
        control("flat side of the kink alone", of="left"),
        control("curvature of the loss along the outputs alone", of="outputs"),
        control("largest curvature along a single weight", of="diagonal"),
    ],
    note="gradients in 60 digits at a distance of 1e-25 h. The kinks are met exactly, all numbers being dyadic",
)
def quotients_below(rng: Generator, L: int, m: int, n: int, drawn: DyadicNetwork, *, of: str = "") -> Measured:
    """Largest ||grad J(V) - grad J(W)||/||V - W|| found near V, lip the upper end of an interval for its lim sup."""
    instance = drawn.of(rng, L, m, n)
    net, X, y = instance
    if of in ("left", "diagonal"):
        H = _hessian(instance, -1.0)
        lip = float(np.linalg.norm(H, 2) if of == "left" else np.abs(np.diag(H)).max())
    elif of == "outputs":
        fwd = forward(net, X)
        second = loss_weights(fwd, y).second
        rows = [flatten(output_gradient(net, fwd, row)) for row in np.diag(np.sqrt(second))]
        lip = float(np.linalg.norm(np.array(rows), 2)) ** 2
    else:
        lip = local_lipschitz(net, X, y, rng, exact=True).high
    quotient = _largest_quotient(instance, _directions(rng, instance), NEAR)
    # At a distance of 1e-25 h the limit is missed by 1e-20 of the terms, all pre-activations at kinks included.
    largest = Products(operator_norms(net.weights)).curvature(net.activation.h)
    slack = 4.0 * EPS * quotient + 1e-20 * largest * float(np.sum(X**2))
    return Measured(max(0.0, quotient - slack), error=0.0, symbols={"lip": lip})


@claim(
    "chatterji2021:def-local-lip-reached",
    title="local Lipschitz constant of the gradient, reached by quotients",
    bound=sheet.def_local_lip.reads("lip"),
    sense=">=",
    premises="none needed: the loss is differentiable at every network drawn, kinks of the slope included",
    measured=["lip"],
    regime=KINKED,
    evidence=Search(examples=4, adversary=SMALL_HESSIANS),
    controls=[
        control("one part in a thousand more", bound="1001*lip/1000"),
        control("step of 4 h", steps=4.0),
        control("step of h/2", steps=0.5),
        control("random directions", random=True, cells=grid(L=2, m=2, n=1)),
    ],
    note="the two ends are within 1e-7 of each other where no kink is; a step longer than h averages the bend away",
)
def quotients_reach(
    rng: Generator, L: int, m: int, n: int, drawn: DyadicNetwork, *, steps: float = NEAR, random: bool = False
) -> Measured:
    """Largest ||grad J(V) - grad J(W)||/||V - W|| found near V, lip the lower end of an interval for its lim sup."""
    instance = drawn.of(rng, L, m, n)
    net, X, y = instance
    directions = _directions(rng, instance)
    if random:
        directions = list(rng.standard_normal((8, directions[0].size)))
    quotient = _largest_quotient(instance, directions, steps)
    lip = local_lipschitz(net, X, y, rng, exact=True).low
    return Measured(quotient, error=4.0 * EPS * quotient, symbols={"lip": lip})


class _Descent:
    """A step of gradient descent from an instance: where it ends and what it gains."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.fwd = forward(instance.net, instance.X)
        self.gradients = logistic_gradient(instance.net, self.fwd, instance.y)
        # By the factors of the gradients, with other weights of the samples: the step is no judge of its own length.
        self.norm = math.exp(float(log_gradient_norms(instance.net, self.fwd, instance.y)[-1]))
        self.margins = self.fwd.margins(instance.y)

    def end(self, eta: float, frozen: int | None = None) -> Network:
        """V - eta grad J; the layer `frozen`, counted from 0, stays as it is."""
        pairs = zip(self.instance.net.weights, self.gradients, strict=True)
        return self.instance.net.with_weights([V if k == frozen else V - eta * G for k, (V, G) in enumerate(pairs)])

    def decrease(self, eta: float, frozen: int | None = None) -> float:
        """J(V) - J(V - eta grad J) from the difference of the margins, and what rounding may have taken off it."""
        net, X, y = self.instance
        end = self.end(eta, frozen)
        after = forward(end, X)
        moves, weights = after.margins(y) - self.margins, logistic_terms(self.margins).weight
        lost = rounding_errors(net, self.fwd)[-1] + rounding_errors(end, after)[-1] + 8.0 * EPS * np.abs(moves)
        # Each weight of the end is rounded.
        steepest = float(np.mean(weights)) * Products(operator_norms(end.weights)).squares ** 0.5
        spilt = EPS * end.norm * max(steepest, self.norm)
        gained = float(np.mean(-np.log1p(weights * np.expm1(-moves))))
        return gained + float(np.mean(weights * np.exp(np.abs(moves)) * lost)) + spilt

    def measured(self, eta: float, lip: float, frozen: int | None = None, taken: float = 1.0) -> Measured:
        """The decrease in the part of a step that is taken, with eta, ||grad J|| and a bound on the curvature."""
        symbols = {"eta": eta, "normG": self.norm, "lip": lip}
        return Measured(self.decrease(taken * eta, frozen), error=0.0, symbols=symbols)


class SteppedNetwork(NamedTuple):
    """A network from which a step is taken, as a search draws it.

    The weights are "any", or "bent": then the last hidden layer is inside its bend, where the loss is a parabola.
    """

    weights: str
    member: str
    h: float
    size: float

    def of(self, rng: Generator, L: int, m: int, n: int) -> _Descent:
        """The step from the network whose weights have the norm `size`."""
        phi = MEMBERS[self.member](self.h)
        if self.weights == "bent":
            return _Descent(bent_instance(L, m, n, phi, self.size, top=0.5))
        return _Descent(drawn_instance(rng, L, m, n, phi, self.size))


STEPPED = {"drawn": (SteppedNetwork, SteppedNetwork._fields)}
HALF = sympy.Rational(1, 2)
# Depths, steps and slopes at which a parabola's longest step is compared with the bound.
PARABOLAS: dict[str, list[float]] = {"L": [1, 8], "eta": [1e-6, 1e6], "normG": [1e-6, 1e6]}
LONGEST = "the longest step allowed"


@claim(
    "chatterji2021:lemma-4.1",
    bound=sheet.lemma_4_1_decrease.reads("eta*L*normG**2/(L + 1/2)"),
    sense=">=",
    premises=sheet.lemma_4_1_step.reads("eta <= 1/((L + 1/2)*lip)"),
    measured=["eta", "normG", "lip"],
    regime=Regime(
        cells=[*grid(L=1, m=1, n=1), *grid(L=[1, 2], m=2, n=2), *grid(L=[3, 6], m=2, n=1)],
        thorough=grid(L=[1, 2, 4], m=[1, 3], n=[1, 3]),
        draw={
            "weights": choices("any", "bent"),
            "member": MEMBER,
            "h": reals(1e-5, 1.0, logarithmic=True),
            "size": reals(0.5, 30.0, logarithmic=True),
            "share": reals(0.1, 1.0),
        },
        pinned=[
            {**SteppedNetwork("bent", name, h=1e-5, size=size)._asdict(), "share": 1.0}
            for name, size in (("huberised_relu", 1.0), ("saturating", 5.0), ("odd and flat at zero", 30.0))
        ],
        built=STEPPED,
    ),
    evidence=Search(
        examples=9, adversary=f"steps inside the bend of the last hidden layer, where the loss is a parabola; {LONGEST}"
    ),
    controls=[
        control("L + 1/8 for L", bound="eta*(L+1/8)*normG**2/(L+1/2)"),
        control("first layer left as it is", frozen=0),
        control("a step along half of the gradient", taken=0.5),
        control("curvature without the bends of the activation", bends=False),
        control("steps four times as long", longer=4.0, without=sheet.lemma_4_1_step),
    ],
    idle={"taken": 0.0},
    note="lip bounds the Lipschitz constants on the segment, by operator norms and sample weights as lemma-4.2-sharp",
)
def decrease(
    rng: Generator,
    L: int,
    m: int,
    n: int,
    drawn: SteppedNetwork,
    share: float,
    *,
    frozen: int | None = None,
    bends: bool = True,
    longer: float = 1.0,
    taken: float = 1.0,
) -> Measured:
    """J(V) - J(V - eta grad J), normG = ||grad J(V)||, eta at most `share` times the longest step that lip allows."""
    step = drawn.of(rng, L, m, n)
    net, smoothing = step.instance.net, drawn.h if bends else math.inf
    eta = 1.0 / ((L + 0.5) * lipschitz_bound(net, net, step.margins, smoothing))
    # No longer than the step before, whose segment its own is a part of and curves no more than.
    eta = 1.0 / ((L + 0.5) * lipschitz_bound(net, step.end(eta), step.margins, smoothing))
    eta *= longer * share * (1.0 - 4.0 * EPS)
    return step.measured(eta, lipschitz_bound(net, step.end(eta), step.margins, smoothing), frozen, taken)


# Places on a segment at which the curvature is measured, and what is allowed for that between them.
UNKNOWN = 1e300
PLACES = np.linspace(0.0, 1.0, 5)
BETWEEN = 1.05


def _segment_curvature(rng: Generator, step: _Descent, eta: float) -> float:
    """The largest local Lipschitz constant on the segment; `UNKNOWN` where a peak may lie between.

    It may where the ends of neighbouring intervals differ by more than is allowed for, or where a pre-activation
    passes more than h/4 of the bend in between.
    """
    net, X, y = step.instance
    end = step.end(eta)
    highs, before = [], None
    for place in PLACES:
        parts = zip(net.weights, end.weights, strict=True)
        middle = net.with_weights([(1.0 - place) * A + place * B for A, B in parts])
        highs.append(local_lipschitz(middle, X, y, rng, steps=12).high)
        pre = np.concatenate([np.ravel(u) for u in forward(middle, X).pre])
        if before is not None and np.abs(pre - before).max() > 0.25 * net.activation.h:
            return UNKNOWN
        before = pre
    alike = np.maximum(highs[1:], highs[:-1]) <= BETWEEN * np.minimum(highs[1:], highs[:-1])
    return BETWEEN * max(highs) if alike.all() else UNKNOWN


@claim(
    "chatterji2021:lemma-4.1-measured",
    title="decrease in one step along which the curvature is measured",
    bound=sheet.lemma_4_1_decrease.reads("eta*L*normG**2/(L + 1/2)"),
    sense=">=",
    premises=sheet.lemma_4_1_step.reads("eta <= 1/((L + 1/2)*lip)"),
    measured=["eta", "normG", "lip"],
    regime=Regime(
        cells=grid(L=[1, 2], m=2, n=2),
        thorough=grid(L=3, m=3, n=2),
        draw={
            "member": choices("scaled_swish", "identity", MEMBER_NAMES[0]),
            "h": reals(0.1, 1.0, logarithmic=True),
            "size": reals(1.0, 8.0, logarithmic=True),
        },
    ),
    evidence=Search(examples=8, adversary=f"curvature from Hessian-vector products at five places; {LONGEST}"),
    controls=[
        control("first layer left as it is", frozen=0),
        control("steps ten times as long", longer=10.0, without=sheet.lemma_4_1_step),
    ],
    idle={"taken": 0.0},
    note="lip is 1.05 times the largest of five places; where curvature varies too much between them, none is judged",
)
def decrease_by_measured_curvature(
    rng: Generator,
    L: int,
    m: int,
    n: int,
    member: str,
    h: float,
    size: float,
    *,
    frozen: int | None = None,
    longer: float = 1.0,
    taken: float = 1.0,
) -> Measured:
    """J(V) - J(V - eta grad J) for nearly the longest step that lip, measured along it, allows; normG = ||grad J(V)||.

    Halved until that curvature is known; a longer one is taken as it is, with the curvature where it begins.
    """
    step = _Descent(drawn_instance(rng, L, m, n, MEMBERS[member](h), size))
    net, X, y = step.instance
    start = local_lipschitz(net, X, y, rng, steps=12).high
    if start == 0.0:
        return Measured(0.0, error=0.0, symbols={"eta": 1.0, "normG": step.norm, "lip": 1.0})
    eta = 1.0 / (BETWEEN**3 * (L + 0.5) * start)
    if longer > 1.0:
        return step.measured(longer / ((L + 0.5) * start), start)
    lip = _segment_curvature(rng, step, eta)
    for _ in range(4):
        if (L + 0.5) * lip * eta <= 1.0:
            break
        eta /= 2.0
        lip = _segment_curvature(rng, step, eta)
    return step.measured(eta, lip, frozen, taken)


@claim(
    "chatterji2021:lemma-4.1-quadratic",
    title="decrease in one step for functions with Lipschitz gradients, attained by a parabola",
    bound=sheet.lemma_4_1_decrease.reads("eta*L*normG**2/(L + 1/2)"),
    sense=">=",
    premises=sheet.lemma_4_1_step.reads("eta <= 1/((L + 1/2)*lip)"),
    measured=["eta", "normG", "L", "lip"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: a parabola of that curvature attains it with the longest step"),
    controls=[
        control("L + 1/8 for L", bound="eta*(L+1/8)*normG**2/(L+1/2)"),
        control("step up to 1/(L M)", longest=sympy.S.Zero),
        control("no one half in front of the curvature", taylor=sympy.S.One),
    ],
    blind={
        f"premise {sheet.lemma_4_1_step.text}": "the steps of the proof are in it; lemma-4.1 sees that it is needed"
    },
)
def quadratic(bound: Bound, *, longest: sympy.Expr = HALF, taylor: sympy.Expr = HALF) -> list[Step]:
    """J(V) - J(V - eta grad J) is at least (eta - eta^2 M/2) normG^2, by integration along the segment.

    M is lip, which bounds the Lipschitz constants there, normG = ||grad J(V)||, eta = u/((L + 1/2) M), 0 < u <= 1.
    """
    M, u, w = sympy.Symbol("M", positive=True), sympy.Symbol("u", positive=True), sympy.Symbol("w", positive=True)
    eta, norm, L = symbol("eta"), symbol("normG"), symbol("L")
    attained = Bound(eta * norm**2 * (1 - 1 / (2 * L + 1)) - bound.expr)
    at_places = nowhere_violated(attained, away_from({"L": 2, "eta": 1, "normG": 1}, PARABOLAS))
    if not at_places.holds:
        return [at_places]
    step = u / ((L + longest) * M)
    gained = eta * norm**2 - taylor * M * eta**2 * norm**2
    share = sympy.simplify(((gained - bound.expr) / (eta * norm**2)).subs(eta, step))
    at_end = sympy.factor(share.subs(L, 1 / w).subs(u, 1))
    least = nonnegative(at_end, w, 0, 1)
    V = sympy.Symbol("V", real=True)
    parabola = M * V**2 / 2
    slope = sympy.diff(parabola, V)
    end = step.subs(u, 1)
    lost = parabola - parabola.subs(V, V - end * slope) - bound.expr.subs({eta: end, norm: slope})
    return [
        at_places,
        Step("what is left over falls with the step", is_positive(-sympy.diff(share, u))),
        Step(f"and is not negative at the longest one{least.where}", least),
        Step("a parabola attains it there", is_zero(lost) or None),
    ]


class CurvedNetwork(NamedTuple):
    """A network with an activation that bends, as a search draws it.

    The weights are "any", or "bent": then one pre-activation lies at the share `top` of the bend, and the sample has
    that `margin`. In a "chain" of one neuron a layer all layers are alike. How large the weights are, `stretch` says.
    """

    weights: str
    member: str
    h: float
    top: float
    margin: float
    stretch: float

    def of(self, rng: Generator, L: int, m: int, n: int, size: float, shorter: float = 1.0) -> Instance:
        """The network whose weights have the norm `size`, its points and labels; h is divided by `shorter`."""
        phi = MEMBERS[self.member](self.h / shorter)
        if self.weights == "bent":
            return bent_instance(L, m, n, phi, size, self.top, self.margin)
        if self.weights == "chain":
            return chain_instance(m, n, phi, np.full(L + 1, size / math.sqrt(L + 1.0)), 1.0)
        return drawn_instance(rng, L, m, n, phi, size)


CURVED = {
    "weights": choices("any", "bent"),
    "member": MEMBER,
    "h": reals(1e-6, 1.0, logarithmic=True),
    "top": reals(0.02, 0.98),
    "margin": reals(1e-3, 300.0, logarithmic=True),
}
CURVED_NETWORK = {"drawn": (CurvedNetwork, CurvedNetwork._fields)}
INSIDE = "one pre-activation of the last hidden layer inside the bend, its row at right angles to what arrives"


def _curvature_of(rng: Generator, instance: Instance) -> Measured:
    """The interval of the local Lipschitz constant, with ||V||, J and the products of norms."""
    net, X, y = instance
    interval = local_lipschitz(net, X, y, rng)
    log_loss = log_mean_loss(forward(net, X).margins(y))
    products = Products(operator_norms(net.weights)).sums()
    return Measured.between(interval.low, interval.high, {"normV": net.norm, "J": math.exp(log_loss), **products})


@claim(
    "chatterji2021:lemma-4.2",
    bound=sheet.lemma_4_2.reads("256*(L + 1)*sqrt(m)*normV**(3*L + 5)*J/h"),
    premises=[sheet.lemma_4_2_smoothing.reads("h <= 1"), sheet.lemma_4_2_large.reads("normV >= sqrt(L + 1/2)")],
    measured=["normV", "J"],
    regime=Regime(
        cells=[*grid(L=[1, 2], m=[2, 3], n=2), *grid(L=[3, 6], m=2, n=1)],
        least={"m": 2},
        thorough=grid(L=[1, 4], m=[2, 4], n=[1, 3]),
        draw={**CURVED, "stretch": reals(1.0, 1000.0, logarithmic=True)},
        pinned=[
            CurvedNetwork("bent", MEMBER_NAMES[0], h=1e-6, top=0.3, margin=margin, stretch=stretch)._asdict()
            for margin, stretch in ((1e-3, 1.0), (1e-3, 1e3), (300.0, 300.0))
        ],
        built=CURVED_NETWORK,
    ),
    evidence=Search(examples=3, adversary=f"{INSIDE}; from the smallest norm on"),
    ceiling=sheet.lemma_4_2_ceiling,
    expected=Verdict.VACUOUS,
    controls=[
        control("no 1/h", bound="256*(L+1)*sqrt(m)*normV**(3*L+5)*J"),
        control("no norm", bound="256*(L+1)*sqrt(m)*J/h"),
        control("square of the loss", bound="256*(L+1)*sqrt(m)*normV**(3*L+5)*J**2/h", cells=grid(L=2, m=2, n=1)),
    ],
    note="loose by four orders at the smallest norm and by the power L + 5 of the norm or more beyond it: with every "
    "operator norm below ||V|| nothing could break it at any depth, and the forms beside this one are the test",
)
def curvature(rng: Generator, L: int, m: int, n: int, drawn: CurvedNetwork) -> Measured:
    """The local Lipschitz constant of grad J at weights of 1 to 1000^(1/L) times the smallest norm allowed."""
    norm = drawn.stretch ** (1.0 / L) * float(sheet.lemma_4_2_large.smaller.evaluate({"L": L})) * (1.0 + 1e-12)
    return _curvature_of(rng, drawn.of(rng, L, m, n, norm))


@claim(
    "chatterji2021:lemma-4.2-sharp",
    title="curvature of the loss by the operator norms of the layers",
    # The form <D, H D> of the Hessian H of a sample is g (1 - g) (R f)^2 - y g R^2 f, R being the derivative along D.
    # With v_l for the operator norms and |D_l| = d_l, |R f| is at most sum_l d_l prod_{j != l} v_j, and |R^2 f| at most
    #     sum_{k != l} d_k d_l prod_{j != k, l} v_j
    #       + (1/h) sum_{l <= L} (prod_{j > l} v_j) (sum_{k <= l} d_k prod_{j <= l, j != k} v_j)^2.
    bound="J*(squares + pairs + bends/h)",
    premises="none needed: true for all weights and every h; points have norm one as drawn",
    measured=["J", "squares", "pairs", "bends"],
    regime=Regime(
        cells=[*grid(L=[1, 2], m=[2, 3], n=2), *grid(L=[3, 6], m=2, n=1)],
        least={"m": 2},
        thorough=grid(L=[1, 4], m=[2, 4], n=[1, 3]),
        draw={**CURVED, "weights": choices("any", "bent", "chain"), "stretch": reals(1e-6, 1e4, logarithmic=True)},
        pinned=[
            *(
                CurvedNetwork("bent", name, h=1e-6, top=top, margin=9.0, stretch=1e3)._asdict()
                for name, top in (("huberised_relu", 0.05), ("saturating", 0.3), ("scaled_swish", 0.5))
            ),
            CurvedNetwork("chain", "huberised_relu", h=1.0, top=0.5, margin=1.0, stretch=17.0)._asdict(),
            CurvedNetwork("chain", "identity", h=1.0, top=0.5, margin=1.0, stretch=1e-6)._asdict(),
        ],
        built=CURVED_NETWORK,
    ),
    evidence=Search(examples=6, adversary=f"{INSIDE}; norms of any size"),
    controls=[
        control("one part in a hundred of the bends less", bound="J*(squares + pairs + 99*bends/(100*h))"),
        control("half of the squares", bound="J*(squares/2 + pairs + bends/h)", cells=grid(L=1, m=2, n=2)),
        control("half of the pairs", bound="J*(squares + pairs/2 + bends/h)", cells=grid(L=1, m=2, n=2)),
        control("square of the loss", bound="J**2*(squares + pairs + bends/h)", cells=grid(L=2, m=2, n=1)),
        control("activation that bends over h/2", shorter=2.0),
        control("inputs of norm 2", times=2.0),
    ],
    note="true for all weights, without h <= 1; approached where the bends outweigh the rest and the loss is small, "
    "and by the squares in a chain of large weights; of the pairs small weights meet three quarters",
)
def curvature_by_norms(
    rng: Generator, L: int, m: int, n: int, drawn: CurvedNetwork, *, shorter: float = 1.0, times: float = 1.0
) -> Measured:
    """The local Lipschitz constant of grad J, at norms about sqrt(L + 1) times 10^(-6/L) to 10^(4/L).

    With v_j for ||V_j||_op: squares sums prod_{j != l} v_j^2 over l, pairs is the largest eigenvalue of the matrix of
    prod_{j != k, l} v_j, k != l, and bends sums (prod_{j > l} v_j) prod_{j <= l, j != k} v_j^2 over k <= l <= L.
    """
    found = drawn.of(rng, L, m, n, drawn.stretch ** (1.0 / L) * math.sqrt(L + 1.0), shorter)
    if times != 1.0:
        # The same pre-activations from inputs that are longer and a first layer that is shorter.
        layers = (found.net.weights[0] / times, *found.net.weights[1:])
        found = found._replace(net=found.net.with_weights(layers), X=times * found.X)
    return _curvature_of(rng, found)


def _order(power: str) -> str:
    return f"C*normV**({power})*J/h"


@claim(
    "chatterji2021:lemma-4.2-order",
    title="exponents of the curvature in the smoothing, the loss and the norm",
    bound="C*normV**(2*L - 1)*J/h",
    constants={"C": (1, "found from the smallest sizes; the sharp form gives one that depends on the depth alone")},
    premises=[
        sheet.lemma_4_2_smoothing.reads("h <= 1"),
        sheet.lemma_4_2_large.reads("normV >= sqrt(L + 1/2)"),
        "bends that far outweigh the rest (100 is ours): 100*h*normV <= 1",
        "small loss, of which weights of samples are a share near 1 (100 is ours): 100*J <= 1",
        "norm far above what so small a loss asks for (ours): 1000*log(1/J) <= normV**(L + 1)",
    ],
    regime=Regime(
        calibration=grid(m=2, h=[1e-4, 1e-5], J=[1e-3, 1e-9], normV=[30.0, 60.0]),
        cells=grid(m=2, h=1e-6, J=[1e-3, 1e-30], normV=[60.0, 120.0]),
        least={"m": 2, "L": 3},
        most={"L": 3},
        thorough=grid(m=2, h=[1e-5, 1e-6], J=1e-60, normV=[80.0, 160.0]),
        # Deeper networks take larger norms for their bends to outweigh the rest.
        derived={"L": lambda: 3},
    ),
    evidence=Scaling(
        exponents={"h": "equal", "J": "equal", "normV": "equal"}, constant="C", replicates=2, resolution=0.02
    ),
    controls=[
        control("power 3 L + 5 of the norm, as printed", bound=_order("3*L+5")),
        control("activation without bend", activation="identity"),
    ],
    blind={
        "L": "it is about h, J and the norm at one depth; lemma-4.2-sharp sees the depth",
        **dict.fromkeys(
            (
                *(f"premise {premise.text}" for premise in (sheet.lemma_4_2_smoothing, sheet.lemma_4_2_large)),
                "premise 100*h*normV <= 1",
                "premise 100*J <= 1",
                "premise 1000*log(1/J) <= normV**(L + 1)",
            ),
            "it is about small h and J and large norms alone, where bends outweigh the rest",
        ),
    },
    note="a network that comes near the sharp form, as the bends outweigh the rest: there the power of the norm in "
    "print, 3 L + 5, is L + 6 too large. Beyond, where ||V|| exceeds 1/h, the power is 2 L, without 1/h",
)
def order_of_curvature(
    rng: Generator, L: int, m: int, h: float, J: float, normV: float, *, activation: str = "huberised_relu"
) -> Measured:
    """Local Lipschitz constant of grad J at L = 3, one sample, a pre-activation in the bend, ||V|| = normV, loss J."""
    phi = MEMBERS[activation](h)
    margin = -math.log(math.expm1(J))
    net, X, y = bent_instance(L, m, 1, phi, normV, 1.0 / (2 * L - 1), margin)
    interval = local_lipschitz(net, X, y, rng)
    return Measured.between(interval.low, interval.high)


@claim(
    "chatterji2021:lemma-4.2-norms",
    title="the printed bound on the curvature from the one by the norms of the layers",
    bound=sheet.lemma_4_2.reads("256*(L + 1)*sqrt(m)*normV**(3*L + 5)*J/h"),
    premises=[sheet.lemma_4_2_smoothing.reads("h <= 1"), sheet.lemma_4_2_large.reads("normV >= sqrt(L + 1/2)")],
    measured=["normV", "L", "J", "h", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="L/2 + 2 against 256 (L + 1/2)^((L + 5)/2)"),
    controls=[control("power 2 L - 2 of the norm", bound="256*(L+1)*sqrt(m)*normV**(2*L-2)*J/h")],
    blind={
        "m": "no root of the width is needed: lemma-4.2-sharp is without it",
        **dict.fromkeys(("term 256", "term 256*L"), "two orders more than needed; lemma-4.2-sharp sees the constant"),
        f"premise {sheet.lemma_4_2_smoothing.text}": "the constant has room for every h up to 256",
        f"premise {sheet.lemma_4_2_large.text}": "the constant has room for every norm from 1 on, up to L = 500",
    },
    note="the smallest norm included; each operator norm of a layer is at most ||V||",
)
def printed_from_norms(bound: Bound) -> list[Step]:
    """The bound is at least J ((L+1) r^(2L) + L r^(L-1) + L (L+1) r^(2L-1)/(2h)), r = ||V||, above the sharp form.

    As r > 1 and h <= 1 that is at most (L + 1)(2 + L/2) r^(2L) J/h, and r^(L+5) >= r^2 >= L + 1/2.
    """
    L, r, h, J = (symbol(name) for name in ("L", "normV", "h", "J"))
    # What a network attains but for a tenth: the last bend alone, with the best norms.
    best = L * (2 * (L - 1) / (L * (2 * L - 1))) ** (L - 1) / sympy.sqrt(2 * L - 1)
    attained = Bound(sympy.Rational(9, 10) * best * J * r ** (2 * L - 1) / h)
    places = [
        {"L": depth, "normV": 10**6, "h": smoothing, "J": J_, "m": 1} for depth in (2, 3, 9) for smoothing, J_ in SMALL
    ]
    violated = [certainly_le(attained.ball(**_used(attained, at)), bound.ball(**_used(bound, at))) for at in places]
    above = sympy.simplify(bound.expr.subs(symbol("m"), 1) * h / ((L + 1) * J * r ** (2 * L)))
    slack = sympy.simplify(256 * (L + sympy.Rational(1, 2)) - (2 + L / 2))
    sums = [Products(np.full(depth + 1, 2.0)) for depth in range(1, 7)]
    below = all(
        found.squares <= (k + 1) * 4.0**k
        and found.pairs <= k * 2.0 ** (k - 1) * (1.0 + 1e-12)
        and found.bends <= k * (k + 1) / 2 * 2.0 ** (2 * k - 1)
        for k, found in enumerate(sums, start=1)
    )
    return [
        Step("the sums of products are at most these, at r = 2 and L up to 6", below),
        Step("not violated by bends in the last hidden layer", False not in violated),
        Step("the bound over (L + 1) r^(2L) J/h is 256 r^(L+5)", is_zero(above - 256 * r ** (L + 5)) or None),
        Step(
            "2 + L/2 <= 256 (L + 1/2)",
            all_of(at_least(part, 0, strict=True) for part in (slack.subs(L, 1), sympy.diff(slack, L))),
        ),
    ]


SMALL = ((1e-200, 1e-3), (1e-200, 1e-9), (1e-200, 1e-180))


def _used(bound: Bound, values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in bound.symbols}
