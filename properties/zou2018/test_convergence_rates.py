"""zou2018: one step of gradient descent (C.6), the rates (Lemma 5.6), and zero training error (Corollary 4.4).

Main claims: `merged_powers` and `loss_change_in_one_step` (C.6); `time_to_a_loss`, and for the orders
`time_by_the_logarithm`, `time_by_the_cube_root`, `time_by_the_reciprocal`, `time_by_the_width` and
`time_by_the_number_of_samples` (Lemma 5.6); `no_width_classifies` and `threshold_with_equality`, errata, and
`loss_above_threshold` (Corollary 4.4).
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import flint
import numpy as np
import sympy as sp
from numpy.random import Generator

from bounds import Bound, all_of, certainly_le, is_nonnegative, is_zero, symbol
from bounds.papers import zou2018 as sheet
from nets.data.distances import separation
from nets.data.labelled import DataSource
from nets.data.points import hexagon_alternating
from nets.networks.forward import forward
from nets.networks.losses import EXPONENTIAL, HUBERISED_HINGE, LOGISTIC, SQUARED_HINGE, Loss, named_loss, power_loss
from nets.networks.losses import LOSSES as NAMED
from nets.networks.network import he_network, revealed_network
from nets.networks.operators import frobenius_norm
from properties.shared.places import at_most, away_from, nowhere_violated
from properties.zou2018 import descent
from properties.zou2018.expansion import draw_start, loss_size, two_pass_operations
from properties.zou2018.gradient_step import (
    FREE_STEP,
    SMOOTH,
    STEP_LOSSES,
    FreeStep,
    GradientStep,
    named,
    standing,
    step_size,
)
from properties.zou2018.mini_batches import CANCELLED
from properties.zou2018.perturbed_pass import WIDE
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Scaling, Search, Step


def _powers(flips: str, rest: str, part: int, radius: str = "tau**(1/3)") -> str:
    """The bound of (C.6) with other powers of two, or of the radius, and the last term divided by `part`."""
    terms = f"2**({flips})*C0*{radius}*M*sqrt(log(M))*eta + 2**({rest})*M**2*eta**2*(rho + lam)/{part}"
    return f"({terms})/n**2*S1abs**2"


# Where the terms are compared with the bound, with each size far from the others.
PLACES_OF_A_STEP = away_from(
    {"L": 1, "M": 3, "n": 1, "tau": 1, "eta": 1, "rho": 1, "lam": 1, "S1abs": 1},
    {
        "L": [2, 8],
        "M": [10**6],
        "n": [10**6],
        "tau": [1e-9],
        **{name: [1e-9, 1e9] for name in ("eta", "rho", "lam", "S1abs")},
    },
)


@claim(
    "zou2018:eq-C.6",
    bound=sheet.eq_C_6.reads(
        "(2**(12*L)*C0*tau**(1/3)*M*sqrt(log(M))*eta/n**2 + 2**(10*L)*M**2*eta**2*(rho + lam)/n**2)*S1abs**2"
    ),
    premises="none needed: the premises belong to (C.2) to (C.5), whose formulas it adds up",
    regime=Regime(cells=grid()),
    measured=["eta", "tau", "L", "M", "n", "lam", "rho", "S1abs"],
    evidence=Proof(margin="none in the flips at L = 1; a factor 14 in the rest and the gradients below the last layer"),
    controls=[
        control("2^(11 L) for 2^(12 L)", bound=_powers("11*L", "10*L", 1)),
        control("2^(9 L) for 2^(10 L)", bound=_powers("12*L", "9*L", 1)),
        control("a hundredth of the second-order term", bound=_powers("12*L", "10*L", 100)),
        control("flips of both iterates apart", flips=2),
        control("cube root of the radius lost", bound=_powers("12*L", "10*L", 1, radius="tau")),
    ],
    note="the merging alone is proved; the change of the loss itself is measured by certified. The first display of "
    "(C.6), which keeps L and 1/7, lies between these terms and the bound",
    scope="part: from (C.2) to (C.5), with any constant C0",
)
def merged_powers(bound: Bound, *, flips: int = 1) -> list[Step]:
    """That L_S' - L_S + eta ||grad_{W_L} L_S||_F^2, L_S' the loss after the step, is at most the bound, as it is at
    most S1abs/n times (2^(9L+3) L C0 tau^(1/3) M sqrt(log M) eta/n + 2^(9L) L M^(3/2) rho eta^2/(7n)) S1abs, of (C.3),
    plus lam/2 times the square of 2^(5L) M eta S1abs/(7n), of (C.2). Each term is a share of one of the bound, largest
    at L = M = 1; the gradients of the layers below the last only lower the loss further."""
    L, M, n, S1abs, lam, rho, C0 = map(symbol, ("L", "M", "n", "S1abs", "lam", "rho", "C0"))
    remainder = sp.expand(sheet.lemma_C_3_remainder.expr * S1abs / n)
    moves = sp.expand(lam / 2 * sheet.lemma_C_3.expr**2)
    taken_up = sp.expand(bound.expr)
    found = {
        "flips": (C0, flips * remainder.coeff(C0), 8 * flips * L / 8**L),
        "second order": (rho, remainder.coeff(rho), L / (7 * 2**L * sp.sqrt(M))),
        "curvature of the loss": (lam, moves.coeff(lam), sp.Rational(1, 98)),
    }
    steps = []
    for what, (part, term, stated) in found.items():
        share = sp.simplify(sp.powsimp(term / taken_up.coeff(part), force=True))
        at = [share.subs({L: layers, M: 1, symbol("tau"): sp.Rational(1, 10**9)}) for layers in (1, 2, 3, 8, 32)]
        steps += [
            Step(f"{what}: at most 1 at depths up to 32", all_of(at_most(value, sp.S.One) for value in at)),
            Step(f"{what}: a share {stated} of the bound", is_zero(share / stated - 1) or None),
        ]
    terms = Bound(
        bound.expr - flips * remainder.coeff(C0) * C0 - remainder.coeff(rho) * rho - moves, sheet.eq_C_6.constants
    )
    steps.append(nowhere_violated(terms, PLACES_OF_A_STEP))
    more = sp.Symbol("more", nonnegative=True)
    steps.append(Step("L/2^L and L/8^L fall, as 2 L >= L + 1 for L >= 1", is_nonnegative(2 * (1 + more) - (2 + more))))
    return steps


CHANNELS_AND_KINKS = ("Gaussian", "two channels", "own kink", "lower kink")
FROM_KINKS_AND_CHANNELS = Regime(
    cells=[*grid(L=[1, 2, 3], m=32, n=2, d=8), *grid(L=1, m=128, n=1, d=8)],
    thorough=grid(L=[2, 4], m=128, n=4, d=[8, 64]),
    draw={
        "weights": choices(*CHANNELS_AND_KINKS),
        "loss": choices(*SMOOTH),
        "norm": reals(0.25, 8.0, logarithmic=True),
        "size": reals(1e-4, 1.0, logarithmic=True),
    },
    pinned=[
        FreeStep(weights, loss, norm=2.0, size=1e-2)._asdict()
        for weights, loss in itertools.product(CHANNELS_AND_KINKS, SMOOTH[:2])
    ],
    built=FREE_STEP,
)


OF_THE_GRADIENTS = [
    *(f"{name} in S1abs*(S1abs**2*eta**2*m**(3/2)*prodW/n**2 + SumGam)/n" for name in ("m", "eta", "prodW")),
    *(f"{name} in S1abs**2*eta**2*m**(3/2)*prodW/n**2" for name in ("n", "S1abs")),
]
COVERED = "flips and the square of the move cover this term: lemma-C.3-remainder sees it"


@claim(
    "zou2018:eq-C.6-certified",
    title="change of the loss in one gradient step, by measured norms",
    bound=sheet.eq_C_6_certified.reads("dout**2*lam/2 + S1abs*(S1abs**2*eta**2*m**(3/2)*prodW/n**2 + SumGam)/n"),
    premises="none needed: measured norms replace the region; every loss drawn is smooth with its lam",
    regime=FROM_KINKS_AND_CHANNELS,
    measured=["eta", "S1abs", "SumGam", "prodW", "dout", "lam"],
    evidence=Search(examples=15, adversary="gradients along the largest norms; neurons placed just before their kink"),
    controls=[
        control("gradient term counted twice", gradients=2.0),
        control("gradient term without its step size", per_step=True),
        control("flips left out", gates=False),
        control(
            "Taylor's one half taken twice",
            bound="(SumGam + prodW*m**(3/2)*eta**2*S1abs**2/n**2)*S1abs/n + lam*dout**2/4",
        ),
        control("labels left out of the gradient", labels=False),
    ],
    note="weights are built for norms of 1/4 to 8; the layer that moves most moves by 10^(-4) to 1 times that. The "
    "printed form has these terms with every norm at its worst",
    blind=dict.fromkeys(OF_THE_GRADIENTS, COVERED),
    idle={"move": False},
)
def loss_change_in_one_step(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    *,
    gradients: float = 1.0,
    per_step: bool = False,
    gates: bool = True,
    labels: bool = True,
    move: bool = True,
) -> Measured:
    """L_S' - L_S + eta sum_l ||grad_{W_l} L_S||_F^2, primes after the step, or 0 if that is less. SumGam, at the worst
    sample, is sum_l ||b_l|| (eta ||G_l|| ||x'_{l-1}|| + ||W_l|| ||x'_{l-1} - x_{l-1}||), G_l = grad_{W_l} L_S and b_l
    the entries of v^T prod_{r>l} Sigma_r W_r^T at neurons that flip; prodW is the sum over t < l of (w_{l+1} ... w_L)^2
    max ||x_{l-1}|| w'_{t+1} ... w'_{l-1} w_{t+1} ... w_L max ||x_{t-1}||^2, w_l = ||W_l||; dout is m eta S1abs/n sum_t
    w'_{t+1} ... w'_L w_{t+1} ... w_L max ||x_{t-1}||^2. Layers have m neurons, the first m/2 if L > 1. Weights are
    Gaussian, or, with all samples alike, built so that a step moves the output far, or turns neurons off or on."""
    X, y, net = draw_start(rng, data, L, m, n, d, drawn)
    used = STEP_LOSSES[drawn.loss]
    eta = step_size(net, X, y, used, drawn.size * drawn.norm)
    step = GradientStep.of(net, X, y if labels else np.abs(y), used, eta)
    step = step if move else standing(step)
    start, end = used.value(y * step.start.output), used.value(y * step.end.output)
    promised = gradients * (1.0 if per_step else eta) * sum(frobenius_norm(G) ** 2 for G in step.gradients)
    slack = rounding(1.0, 4 * two_pass_operations(net)) * (loss_size(step, y, used) + promised)
    known = {"eta": eta, "S1abs": float(step.derivatives.sum()), "lam": used.constants.lam}
    return Measured(
        max(float(np.mean(end - start)) + promised - slack, 0.0),
        error=0.0,
        symbols={**known, **descent.certified_step(step, gates=gates)},
    )


TWO_THIRDS = power_loss(2 / 3)

# Those of exponent above 1/2 first; the last of either kind have no knee, or one that paths stay clear of.
RATED = named(LOGISTIC, TWO_THIRDS, EXPONENTIAL, HUBERISED_HINGE, SQUARED_HINGE, power_loss(1 / 2, -3.0))

# In the place of alpha0, which is infinite for a loss without knee, or infinite for all that the path meets of it.
NO_KNEE = 1e6


class RatedPath(NamedTuple):
    """A path as a search draws it: in steps of `share` of where curvature is felt, from the variance `gain`/m.

    Labels are as "drawn", or "wrong": all margins are negative at the start.
    """

    loss: str
    share: float
    labels: str
    gain: float


ONE_POINT = grid(L=1, m=64, n=1, d=3)
PATHS = Regime(
    cells=[*ONE_POINT, *grid(L=1, m=16, n=1, d=3), *grid(L=[1, 2], m=64, n=[2, 3], d=3)],
    thorough=grid(L=[1, 3], m=256, n=[2, 4], d=8),
    least={"d": 2},
    draw={
        "loss": choices(*RATED),
        "share": reals(0.02, 0.5, logarithmic=True),
        "labels": choices("drawn", "wrong"),
        "gain": reals(2.0, 32.0, logarithmic=True),
    },
    pinned=[
        *(RatedPath(loss, share=0.1, labels="drawn", gain=2.0)._asdict() for loss in RATED),
        RatedPath("logistic", share=0.1, labels="wrong", gain=32.0)._asdict(),
        RatedPath("huberised_hinge", share=0.1, labels="wrong", gain=32.0)._asdict(),
    ],
    built={"drawn": (RatedPath, RatedPath._fields)},
)


# With n^(6-2p) for n^(7-2p), and n^6 for n^7.
LESS_BY_A_FACTOR = "2*n**6*(L0 - eps)/(c0*alpha0**2*m*phi**3) + 2*n**(6-2*p)*clock/(c0*alpha1**2*m*phi**3)"

# With (L0 - eps)/L0^(2p) for `clock`, as if all the steps gained what the first one does.
RATE_OF_THE_START = "2*n**7*(L0 - eps)/(c0*m*phi**3)*(1/alpha0**2 + 1/(alpha1**2*(n*L0)**(2*p)))"


@claim(
    "zou2018:lemma-5.6",
    bound="2*n**7*(L0 - eps)/(c0*alpha0**2*m*phi**3) + 2*n**(7 - 2*p)*clock/(c0*alpha1**2*m*phi**3)",
    premises="none needed: each path's own c0 replaces the conditions on step size and radius",
    regime=PATHS,
    measured=["p", "eps", "L0", "clock", "c0", "alpha0", "alpha1", "phi"],
    normalised={"c0": "phi**3/n**4"},
    evidence=Search(examples=6, adversary="one hidden layer, one point; all labels wrong at the start"),
    idle={"descend": False},
    controls=[
        control("p in place of 2p in the recursion", power=0.5, cells=ONE_POINT),
        control("no time left of the knee", knee=False, cells=ONE_POINT),
        control("rate of the start kept, as in one step", bound=RATE_OF_THE_START, cells=ONE_POINT),
        control("n^(6-2p) for n^(7-2p)", bound=LESS_BY_A_FACTOR, cells=grid(L=1, m=64, n=2, d=3)),
        control("square of alpha1 taken twice, as (C.8) prints it", printed=True, cells=ONE_POINT),
        control("separation in place of the Gram matrices", hexagon=True, cells=grid(L=1, m=64, n=6, d=2)),
    ],
    note="from (C.7) on, with the c0 that the path itself guarantees; for orders see the variants rate. p is 1/2, 2/3 "
    "or 1, weights have variance 2/m to 32/m, eta is 1/50 to 1/2 of where curvature is felt, the largest loss being "
    "lam for the exponential",
    blind={"phi": CANCELLED["phi"]},
    scope="chain: until a thousandth of the loss is left or c0 is 0, 60 steps at most",
)
def time_to_a_loss(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: RatedPath,
    *,
    power: float = 1.0,
    knee: bool = True,
    printed: bool = False,
    hexagon: bool = False,
    descend: bool = True,
) -> Measured:
    """The time k eta for each k <= 60, while L_S(W^(k)), called eps, is above L0/1000 and c0 above 0; L0 is L_S(W^(0)).
    clock is the integral of x^(-2p) from eps to L0: (eps^(1-2p) - L0^(1-2p))/(2p - 1), or log(L0/eps) at p = 1/2. With
    c0, found from gated Gram matrices and decreases, each step so far lowers the loss by eta c0 m phi^3 S1abs^2/(2 n^7)
    at least; alpha0 is 10^6 where no margin is left of the knee, phi 2 for one point. With "wrong" labels, or where all
    margins would be 1 or more, none is positive at the start."""
    X, y = (hexagon_alternating().X, hexagon_alternating().y) if hexagon else data.draw(n, d, rng)
    net = he_network((X.shape[1], *[m] * L), rng, gain=drawn.gain)
    if not hexagon and (drawn.labels == "wrong" or not (y * forward(net, X).output < 1.0).any()):
        y = np.where(forward(net, X).output > 0.0, -1.0, 1.0)
    used, phi = RATED[drawn.loss], min(separation(X), 2.0)
    constants, eta = used.constants, drawn.share * descent.curvature_step(net, X, y, used)
    path = descent.guaranteed_path(net, X, y, used, eta, phi, eigenvalue=0.2 if hexagon else None)
    losses = path.losses if descend else np.full_like(path.losses, path.first)
    symbols = {"p": constants.p, "eps": losses, "L0": path.first, "c0": path.constants, "phi": phi}
    symbols |= {
        "clock": descent.clock(power * constants.p, path.first, losses),
        "alpha0": constants.alpha_0 if knee and not path.right_of_knee else NO_KNEE,
        "alpha1": constants.alpha_1 ** (2 if printed else 1),
    }
    return Measured(eta * path.steps, symbols=symbols)


HUBER_WAY = {name: value for name, value in descent.HUBER_CONSTANTS.items() if name != "p"}
WAY = {"n": 1, "phi": math.sqrt(2.0)}
CLOCK = sheet.lemma_5_6_clock.constants

# For each exponent a loss that has it, and the step size as a share of 1/(lam kernel).
PACE: dict[float, tuple[Loss, float]] = {0.5: (HUBERISED_HINGE, 0.2), 2 / 3: (TWO_THIRDS, 0.3), 1.0: (LOGISTIC, 0.15)}


def _recursion(p: float, m: int, L0: float, eps: float) -> float:
    """What the recursion behind (C.9) and (C.10) takes for one point, step by step, with the kernel of one layer."""
    if p not in PACE:
        raise ValueError(f"there is no loss of exponent p = {p} here: choose p = 1/2, 2/3 or 1")
    loss, share = PACE[p]
    return descent.recursion_time(loss, share / loss.constants.lam, L0, eps, descent.kernel_fall(m))


def _path(p: float, high: float, eps: Sequence[float], **constants: float) -> Regime:
    """From the loss `high` to those in `eps`, the last two of which are test cells."""
    way = {**WAY, "L": 1, "m": 2048, "L0": high, "p": p, **constants}
    return Regime(
        calibration=grid(eps=list(eps[:2]), **way), cells=grid(eps=list(eps[2:]), **way), derived={"clock": _recursion}
    )


@dataclass(frozen=True)
class TimedDescent:
    """K eta from one loss to another at a single point, the kernel at the first loss, and the margin at the start."""

    time: float
    kernel: float
    start: float


def _descent(rng: Generator, m: int, L: int, loss: Loss, share: float, high: float, low: float) -> TimedDescent:
    """One point, labelled against its output, in steps of `share`/(lam kernel)."""
    X = np.eye(1)
    net = revealed_network((1, *[m] * L), rng)
    output = forward(net, X).output
    y = np.where(output > 0.0, -1.0, 1.0)
    eta = share * descent.kernel_step(net, X, loss)
    first = next(step for step in descent.risk_iterates(net, X, y, loss, eta) if not step.loss > high)
    slope = float(loss.derivative(y * first.passed.output)[0])
    (time,) = descent.times_to(net, X, y, loss, eta, (high, low), 400)
    return TimedDescent(time, first.squared_gradient / slope**2, float(y[0] * output[0]))


def _time_at_the_mean_kernel(rng: Generator, m: int, L: int, L0: float, eps: float, loss: Loss, share: float) -> float:
    """K eta from the loss L0 to eps, times the kernel at L0 as a share of the mean one at random weights, m/2."""
    found = _descent(rng, m, L, loss, share, L0, eps)
    return found.time * found.kernel / (m / 2)


# The mean loss of several points is no power of the time; one has a single rate, up to its kernel's fall.
ALONE = (
    "one point, labelled against its output, one layer. clock: s times the steps from L0 to eps of x <- x - s k(x) "
    "ell'(x), s that part of 1/lam; k falls from 1 by 1/sqrt(pi m) per unit"
)


@claim(
    "zou2018:lemma-5.6-rate-half",
    title="linear convergence for a loss of exponent 1/2, at one point",
    bound=sheet.lemma_5_6_clock.reads("C*clock/m"),
    premises=sheet.theorem_4_1_width_half.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + "
        "2*n**6*log(L0/eps)/(alpha1**2*c0*phi**3))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=_path(0.5, 0.2, (0.1, 0.01, 0.001, 0.0001), **HUBER_WAY),
    evidence=Scaling({"clock": "equal"}, constant="C", replicates=12),
    expected=Verdict.VACUOUS,
    controls=[
        control("time that grows with the accuracy itself", bound="C*clock**2/m"),
        control("time of the order of the root of log(1/eps)", bound="C*sqrt(clock)/m"),
        control("time of the order of log(1/eps)^(21/20)", bound="C*clock**(21/20)/m"),
    ],
    note="eta a fifth of where curvature is felt, clock near log(L0/eps)/2; " + ALONE,
)
def time_by_the_logarithm(rng: Generator, m: int, L: int, L0: float, eps: float) -> float:
    """K eta from L0 to eps under the Huberised hinge, times ||grad f||^2 at L0 over its mean at random weights, m/2."""
    return _time_at_the_mean_kernel(rng, m, L, L0, eps, *PACE[0.5])


@claim(
    "zou2018:lemma-5.6-rate-two-thirds",
    title="loss of order 1/k^3 for a loss of exponent 2/3",
    bound=sheet.lemma_5_6_clock.reads("C*clock/m"),
    premises=sheet.theorem_4_1_width_knee.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + 2*eps**(1 - "
        "2*p)*n**(7 - 2*p)/(alpha1**2*c0*phi**3*(2*p - 1)))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=_path(2 / 3, 0.018, (0.009, 0.004, 0.0016, 0.0007), rho=1 / 9, alpha0=1 / 9, alpha1=1),
    evidence=Scaling({"clock": "equal"}, constant="C", replicates=12),
    expected=Verdict.VACUOUS,
    controls=[
        control("Huberised hinge, of exponent 1/2", loss=HUBERISED_HINGE, share=0.1),
        control("loss of order 1/k^2", bound="C*clock**(3/2)/m"),
        control("loss of order 1/k^4", bound="C*clock**(3/4)/m"),
        control("loss of order k^(-20/7)", bound="C*clock**(21/20)/m"),
    ],
    note="eta 3/10 of where curvature is felt, clock near 3 (eps^(-1/3)-L0^(-1/3)); " + ALONE,
)
def time_by_the_cube_root(
    rng: Generator, m: int, L: int, L0: float, eps: float, *, loss: Loss = TWO_THIRDS, share: float = 0.3
) -> float:
    """K eta from L0 to eps under ((1 - x)/3)^3, 0 for x > 1, tangent for x < 0, times ||grad f||^2 at L0 over m/2."""
    return _time_at_the_mean_kernel(rng, m, L, L0, eps, loss, share)


@claim(
    "zou2018:lemma-5.6-rate-one",
    title="loss of order 1/k for a loss of exponent 1",
    bound=sheet.lemma_5_6_clock.reads("C*clock/m"),
    premises=sheet.theorem_4_1_width_knee.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + 2*eps**(1 - "
        "2*p)*n**(7 - 2*p)/(alpha1**2*c0*phi**3*(2*p - 1)))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=_path(1.0, 0.3, (0.12, 0.06, 0.03, 0.015), rho=1, alpha0=0.5, alpha1=LOGISTIC.constants.alpha_1),
    evidence=Scaling({"clock": "equal"}, constant="C", replicates=12),
    expected=Verdict.VACUOUS,
    controls=[
        control("Huberised hinge, of exponent 1/2", loss=HUBERISED_HINGE, share=0.2),
        control("loss of order 1/k^2", bound="C*sqrt(clock)/m"),
        control("loss of order k^(-20/21)", bound="C*clock**(21/20)/m"),
    ],
    note="eta 3/20 of where curvature is felt, clock near 1/eps-1/L0+log(L0/eps); " + ALONE,
)
def time_by_the_reciprocal(
    rng: Generator, m: int, L: int, L0: float, eps: float, *, loss: Loss = LOGISTIC, share: float = 0.15
) -> float:
    """K eta from L0 to eps under the logistic loss, times ||grad f||^2 at L0 over its mean at random weights, m/2."""
    return _time_at_the_mean_kernel(rng, m, L, L0, eps, loss, share)


@claim(
    "zou2018:lemma-5.6-rate-width",
    title="time to a given loss, exponent of the width",
    bound="C/m",
    constants=CLOCK,
    premises=sheet.theorem_4_1_width_half.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + "
        "2*n**6*log(L0/eps)/(alpha1**2*c0*phi**3))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=Regime(
        calibration=grid(m=[500, 5000], L=2, eps=0.01, L0=0.2, p=0.5, **WAY, **HUBER_WAY),
        cells=grid(m=50_000, L=2, eps=0.01, L0=0.2, p=0.5, **WAY, **HUBER_WAY),
        nightly=grid(m=10**6, L=2, eps=0.01, L0=0.2, p=0.5, **WAY, **HUBER_WAY),
    ),
    evidence=Scaling({"m": "equal"}, constant="C", replicates=lambda m: 12 if m >= WIDE else 32),
    expected=Verdict.VACUOUS,
    controls=[
        control("time that does not fall with the width", bound="C"),
        control("time that falls with the root of the width", bound="C/sqrt(m)"),
        control("the time of Theorem 4.1's drift, not of its steps: m^(-3/2)", bound="C/m**(3/2)"),
        control("time that falls as m^(-9/10)", bound="C/m**(9/10)"),
    ],
    note="eta is 3/10 of where curvature is felt, the point labelled against its output. The recursion's time is 3/10 "
    "of the steps of x <- x - 3/10 k(x) ell'(x), where k falls from 1 at the start by 1.486/sqrt(pi m) per unit",
)
def time_by_the_width(rng: Generator, m: int, L: int, L0: float, eps: float) -> float:
    """K eta from the loss L0 to eps at one point, Huberised hinge, over the time that the margin's recursion takes."""
    found = _descent(rng, m, L, HUBERISED_HINGE, 0.3, L0, eps)
    return found.time / descent.recursion_time(HUBERISED_HINGE, 0.3, L0, eps, descent.kernel_fall(m, L), found.start)


@claim(
    "zou2018:lemma-5.6-rate-samples",
    title="time to a given loss, exponent of the number of samples",
    bound="C*n/m",
    constants=CLOCK,
    premises=sheet.theorem_4_1_width_half.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + "
        "2*n**6*log(L0/eps)/(alpha1**2*c0*phi**3))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=Regime(
        calibration=grid(n=[2, 4], L=1, m=4096, eps=0.001, L0=0.01, p=0.5, **HUBER_WAY, phi=WAY["phi"]),
        cells=grid(n=[8, 16], L=1, m=4096, eps=0.001, L0=0.01, p=0.5, **HUBER_WAY, phi=WAY["phi"]),
    ),
    evidence=Scaling({"n": "equal"}, constant="C", replicates=24),
    expected=Verdict.VACUOUS,
    controls=[
        control("the printed power, n^6", bound="C*n**6/m"),
        control("root of the number of samples", bound="C*sqrt(n)/m"),
        control("mean over the samples taken for their sum", times=True),
    ],
    note="eta is a fifth of where curvature is felt; on orthonormal points and one layer the kernel is diagonal: the "
    "mean over n samples makes each n times slower. The printed power has n^5 for the eigenvalue of worse points",
)
def time_by_the_number_of_samples(
    rng: Generator, n: int, m: int, L: int, L0: float, eps: float, *, times: bool = False
) -> float:
    """K eta from the mean loss L0, in the parabola of the Huberised hinge, to eps; labels wrong at the start."""
    X = np.eye(n)
    net = he_network((n, *[m] * L), rng)
    y = np.where(forward(net, X).output > 0.0, -1.0, 1.0)
    loss, share = PACE[0.5]
    eta = share * descent.kernel_step(net, X, loss)
    return descent.times_to(net, X, y, loss, eta, (L0, eps), 400)[0] / (n if times else 1)


MARGIN_LOSSES = named(*NAMED.values(), power_loss(2 / 3))


@claim(
    "zou2018:corollary-4.4",
    bound=sheet.corollary_4_4.reads("ell0/n"),
    premises=sheet.theorem_4_1_width_knee.reads(
        "m >= 2*2**(72*L + 18)*4**(2*L)*C0**6*n**30*rho**2*(2*L0*n**7/(alpha0**2*c0*phi**3) + 2*eps**(1 - "
        "2*p)*n**(7 - 2*p)/(alpha1**2*c0*phi**3*(2*p - 1)))**2*log(2*m)**6/(c0**6*phi**18)"
    ),
    regime=Regime(
        cells=grid(m=10**121, **descent.HEXAGON),
        derived={"ell0": lambda: math.log(2.0), "eps": lambda n, ell0: ell0 / n},
    ),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("one sample in six given up", bound="5*ell0/n"),
        control("width with a thousand digits", cells=grid(m=10**999, **descent.HEXAGON)),
    ],
    note="L = 1, the corners of a regular hexagon, labelled +1 and -1 in turn: the margins sum to zero, whatever loss "
    "is used for training. The step from a small loss to no error is the variant threshold",
    scope="as printed: the argument against it holds for every constant",
)
def no_width_classifies(bound: Bound, n: int, L: int, phi: float, ell0: float) -> list[Step]:
    """Why no weights make all margins of the hexagon positive, whatever the width, K and eta. The proof asks for a
    mean loss of the bound, ell0 = ell(0) = log 2; at margins of sum zero it is log 2 at least."""
    below = certainly_le(flint.arb(2).log(), bound.ball(ell0=ell0, n=n)) is False
    return descent.refuting_steps(descent.hexagon_argument(n, L, phi), below, "some weights make all margins positive")


@claim(
    "zou2018:corollary-4.4-threshold",
    printed=True,
    title="a loss of at most ell(0)/n leaves no training error",
    bound=sheet.corollary_4_4.reads("ell0/n"),
    premises="none needed: its steps check that the loss is positive at 0 and does not increase",
    measured=["ell0"],
    regime=Regime(cells=grid(n=[1, 2], loss=["huberised_hinge", "squared_hinge"])),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("threshold l(0)", bound="ell0"),
        control("eight samples", cells=grid(n=8, loss="huberised_hinge")),
        control("one sample, and a loss that is positive everywhere", cells=grid(n=1, loss="logistic")),
    ],
    note="false at equality: one sample with margin 0, for every loss; two samples with margins 0 and 1, for a loss "
    "that vanishes from 1 on",
)
def threshold_with_equality(bound: Bound, n: int, loss: str) -> list[Step]:
    """The mean loss at the margins 0, 1, ..., 1, one of them not positive: it is ell0/n at most, with ell0 = ell(0)."""
    used = named_loss(loss)
    at_zero, at_one = (float(used.value(margin)) for margin in (0.0, 1.0))
    mean = (flint.arb(at_zero) + (n - 1) * flint.arb(at_one)) / n
    reached = certainly_le(mean * n, bound.ball(ell0=at_zero, n=n) * n)
    steps = np.diff(used.value(np.linspace(-2.0, 2.0, 401)))
    return [
        Step(
            "the loss is positive at 0 and does not increase on [-2, 2]", bool(at_zero > 0.0 and np.all(steps <= 0.0))
        ),
        Step("a mean loss of at most the bound makes all margins positive", False if reached else None),
    ]


@claim(
    "zou2018:corollary-4.4-corrected",
    title="a loss below ell(0)/n leaves no training error",
    sense=">=",
    bound=sheet.corollary_4_4.reads("ell0/n"),
    premises="none needed: every loss drawn is never negative and nowhere increasing; margins may be any numbers",
    measured=["ell0"],
    regime=Regime(
        cells=grid(n=[1, 2, 5, 32]),
        draw={"loss": choices(*MARGIN_LOSSES), "worst": reals(-4.0, 0.0), "spread": reals(0.0, 30.0)},
        pinned=[{"loss": loss, "worst": 0.0, "spread": 30.0} for loss in MARGIN_LOSSES],
    ),
    evidence=Search(examples=60, adversary="one margin at zero and all others large"),
    controls=[
        control("threshold l(0)", bound="ell0", cells=grid(n=[2, 5, 32])),
        control("threshold l(0)/(n - 1)", bound="ell0/(n - 1)", cells=grid(n=[5])),
        control("labels left out of the margins", labels=False),
        control("loss that turns negative", shift=0.25),
    ],
    note="for every loss that is nowhere increasing and never negative, by contraposition; ell0 is ell(0). The bound "
    "is attained, by a margin of 0. The orders of the width are the variant width-exponents",
    scope="part: from a small loss to no error, in numbers",
)
def loss_above_threshold(
    rng: Generator, n: int, loss: str, worst: float, spread: float, *, labels: bool = True, shift: float = 0.0
) -> Measured:
    """The mean loss of n margins, one `worst`, not positive, the others further on by `spread`/2 to `spread`."""
    used = MARGIN_LOSSES[loss]
    margins = worst + spread * np.append(0.0, 0.5 + 0.5 * rng.random(n - 1))
    values = used.value(margins if labels else np.abs(margins)) - shift
    # Where the other losses vanish the mean has rounded once, and so has the bound.
    return Measured(values.mean(), symbols={"ell0": float(used.value(0.0)) - shift})
