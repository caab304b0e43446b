"""allenzhu2018rnn, Theorem 5, Lemma F.1 and Theorem 3: losses that are large at one sequence and time force a gradient.

At fixed weights the squared gradient is a quadratic form of the losses, so that the worst losses are near the bottom
eigenvector of the Gram matrix of the gradients of all outputs: a row measures the least over all losses, which also is
that over all targets, and draws none. The worst sequences are a crowd: first inputs at the distance phi from one of
them, later ones alike. The Gram matrix is that of the closed form, and a difference quotient of two forward passes has
to give the same along the gradient that the backward pass makes of the worst losses.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.papers import allenzhu2018rnn as sheet
from nets import Network, forward, outer, output_gradient, recurrent_network, shifted
from properties.allenzhu2018rnn.descent import gradient
from properties.allenzhu2018rnn.fake_gradient import (
    alike_gates,
    as_losses,
    fake_pair,
    loss_gram,
    product_frobenius_norm,
    slope_along,
    turned_gates,
    worst_losses,
)
from properties.allenzhu2018rnn.limiting_kernel import least_in_the_limit
from properties.allenzhu2018rnn.near_pairs import FEW_SEQUENCES
from properties.allenzhu2018rnn.sequences import nearest_first, sequences
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Scaling, Search, Trials

# Later inputs that do not tell the sequences apart.
UNKIND = ("alike", "zero", "repeated")

# Losses count from time 2 on, where W acts first.
TWO_TIMES = {"L": 2}

# rho counts from two neurons on: of one its logarithm is 0, by which printed bounds divide.
OF_RHO = {"L": 2, "m": 2}

# Layers with more entries than this are sampled where they are looked at: quicker for a few sequences.
STORED = 2**15


def _near(
    n: int,
    L: int,
    m: int,
    d: int,
    outputs: int,
    phi: float,
    rng: Generator,
    later: str = "unkind",
    stored: int = STORED,
) -> tuple[Network, np.ndarray]:
    """A network and a crowd of sequences, first inputs phi from one, later inputs of a family, or of one of `UNKIND`.

    With "common" they are alike, and all of norm 1.
    """
    family = str(rng.choice(UNKIND)) if later == "unkind" else "unit" if later == "common" else later
    X = sequences(n, L, d, rng, family, phi, crowded=True)
    if later == "common":
        X[:, 1:] = X[0, 1:]
    return recurrent_network(d, m, outputs, L, rng, stored=stored), X


def _least(net: Network, X: np.ndarray, outputs: int, size: float = 1.0) -> Measured:
    """The least squared gradient over losses of which the largest has a given norm, as an interval.

    What the closed form and the slope along the gradient of the worst losses differ by is taken off.
    """
    fwd = forward(net, X)
    found = worst_losses(loss_gram(net, fwd), outputs)
    losses = as_losses(found.losses, len(X), outputs)
    apart = abs(slope_along(net, X, losses, output_gradient(net, fwd, losses)[0]) - found.high)
    return Measured.between(size**2 * (found.low - apart), size**2 * (found.high - apart))


FAR = grid(m=256, phi=[0.1, 1.0], n=2, L=[2, 3], d=3, outputs=1)


@claim(
    "allenzhu2018rnn:theorem-5",
    bound="c*phi/(n*L*outputs*log(m))**14*m",
    constants={"c": (1, "hidden in the paper")},
    sense=">=",
    premises=sheet.theorem_5_width.reads("m >= L**42*n**42*outputs**42*Max(1, log(m))**42/phi**2"),
    regime=Regime(cells=FAR, least=OF_RHO),
    evidence=Search(examples=2, adversary="the worst losses at the weights drawn, sequences near each other"),
    expected=Verdict.VACUOUS,
    controls=[
        control("without the power of rho", bound="phi*m"),
        control("the square of the width", bound="phi*m**2/10"),
        control("without phi and rho", bound="m/2"),
    ],
    note="c = 1; with probability 1 - exp(-Omega(rho^2)) over W, A and B as in print, looked at draw by draw, and for "
    "all losses at once, fixed in print; the proof's width is far beyond what can be run: theorem-5-linear",
)
def least_fake_gradient(rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float) -> Measured:
    """The least squared Frobenius norm of the fake gradient at W^(0), over losses of which the largest has norm 1.

    First inputs are one and others at the distance phi from it, to both sides along orthogonal axes, later ones alike,
    zero or repeated.
    """
    return _least(*_near(n, L, m, d, outputs, phi, rng), outputs)


PAIR = {"n": 2, "L": 2, "d": 3, "outputs": 1}
TOLD_APART = "m*phi >= 8*n*L*outputs"
MANY_TIMES = {
    "premise m >= 3*L**2*log(2/delta)": "as many neurons as separation asks for will do up to thousands of times"
}
LINEAR = [
    {"m": 1024, "phi": 0.4, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 16384, "phi": 0.01, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 2048, "phi": 0.6, "n": 2, "L": 2, "d": 3, "outputs": 8, "delta": 0.4},
    {"m": 2048, "phi": 0.4, "n": 15, "L": 2, "d": 9, "outputs": 1, "delta": 0.4},
    {"m": 1024, "phi": 0.4, "n": 2, "L": 8, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 400, "phi": 0.8, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.05},
]
# Fourteen near one, as later inputs tell them apart least.
CLUSTER = [{**LINEAR[3], "m": 6144, "phi": 0.1, "later": "common"}]
ALONE = [{**LINEAR[0], "m": 160, "phi": 1.0, "n": 1, "delta": 1e-3}]
# Opposite to one first input there is one other: two at such a distance from it are the same.
OPPOSITE = [{**LINEAR[0], "m": 128, "phi": 1.4142, "n": 3}]
BOTH_WIDTHS = [sheet.theorem_5_sharp_width, sheet.kernel_at_the_start_width]


@claim(
    "allenzhu2018rnn:theorem-5-linear",
    title="fake gradient from below at the start, with a constant and the fourth root of n for its powers",
    bound=">= c*phi*m/(n**(1/4)*outputs)",
    constants={"c": (Rational(1, 12), "crowds make 0.08 without the power of n, which leaves a half at 15 sequences")},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "width against horizon, as a share of gates common to all times moves distances: m >= 3*L**2*log(2/delta)",
    ],
    regime=Regime(
        cells=LINEAR,
        thorough=grid(m=8192, phi=0.4, n=3, L=24, d=3, outputs=1, delta=0.2),
        usual={"later": "unkind"},
        least=TWO_TIMES,
    ),
    evidence=Trials(rate="delta", budget=80),
    controls=[
        control("first inputs and all later ones equal", equal=True),
        control("all losses zero", size=0.0),
        control("without the outputs", bound="m*phi/(12*n**(1/4))", cells=LINEAR[2:3]),
        control("without the samples", bound="m*phi/(12*outputs)", cells=CLUSTER),
        control("m^(6/5)", bound="m**(6/5)*phi/(12*n**(1/4)*outputs)"),
        control("twenty neurons", cells=[{**LINEAR[0], "m": 20, "phi": 0.05}], without=sheet.theorem_5_sharp_width),
        control("a distance of sqrt(2)", cells=OPPOSITE, without=sheet.separability_of_inputs_range),
    ],
    note="C = 10, for all losses. Of near sequences with opposite losses the share phi/pi of neurons whose gates "
    "differ remains; the fourth root of n is more than crowds need, see theorem-1-restated-horizon",
    scope="part: with the orders that can be measured, at widths that are not printed",
    blind={
        "n": "near sequences ask for no power of their number in the limit, theorem-1-restated-horizon; a control",
        **MANY_TIMES,
    },
)
@form(
    "limit",
    title="fake gradient from below at the start, against the limiting kernel of the sequences themselves",
    bound="c*kerlim*m/outputs",
    constants={"c": (Rational(1, 2), "about 1 in the middle; 0.6 of one in twenty at the least widths")},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "width against horizon, as a share of gates common to all times moves distances: m >= 3*L**2*log(2/delta)",
        sheet.kernel_at_the_start_width.reads("m*phi >= C*outputs*(1 + log(1/delta))"),
    ],
    measured=["kerlim"],
    controls=[
        control("first inputs and all later ones equal", equal=True),
        control("two and a half times the constant", bound="5*kerlim*m/(4*outputs)"),
        control("eighty neurons", cells=[{**LINEAR[0], "m": 80, "phi": 0.0125}], without=BOTH_WIDTHS),
        control("one sequence, one start in 1000", cells=ALONE, without=sheet.kernel_at_the_start_width),
    ],
    note="kerlim, the least eigenvalue of the limit of outputs K/m, K the kernel of all outputs at W^(0), is computed "
    "from the inputs by the law of infinitely wide layers: n, L and phi enter as they do there; C is 10 and 80",
    blind={
        **MANY_TIMES,
        f"premise {sheet.theorem_5_sharp_width.text}": FEW_SEQUENCES,
        f"premise {sheet.separability_of_inputs_range.text}": "kerlim knows how near inputs are: linear sees it",
    },
)
def least_fake_gradient_linearly(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    outputs: int,
    phi: float,
    later: str,
    *,
    equal: bool = False,
    size: float = 1.0,
) -> Measured:
    """The least ||fake gradient||_F^2 at W^(0), largest loss 1, first inputs phi from one, later alike, 0, repeated."""
    net, X = _near(n, L, m, d, outputs, phi, rng, later)
    symbols = {"kerlim": least_in_the_limit(X)}
    if equal:
        X[1] = X[0]
    return replace(_least(net, X, outputs, size), symbols=symbols)


@claim(
    "allenzhu2018rnn:theorem-5-orders",
    title="fake gradient from below, exponent of the width",
    bound=">= c*phi*m",
    constants={"c": (Rational(1, 10), "fitted")},
    premises="an order; width so that gates tell near sequences apart (8 is ours): m*phi >= 8*n*L*outputs",
    regime=Regime(
        calibration=grid(m=[512, 4096], phi=0.2, **PAIR),
        cells=grid(m=32768, phi=0.2, **PAIR),
        least={**TWO_TIMES, "n": 2, "phi": 0.2},
        most={"n": 2, "L": 2, "outputs": 1, "phi": 0.2},  # the constant is one of two sequences of two times
    ),
    evidence=Scaling(
        exponents={"m": "equal"}, constant="c", replicates=lambda m: 24 if m > 8192 else 96, resolution=0.05
    ),
    controls=[
        control("m^(3/4)", bound="c*phi*m**(3/4)"),
        control("eight neurons", cells=grid(m=8, phi=0.2, **PAIR), without=TOLD_APART),
    ],
    blind={"phi": "theorem-5-linear sees the separation, from 0.01 to 0.4"},
    note="linear, as printed; two sequences of two times, phi = 1/5; phi m is far above the number of outputs",
)
def least_fake_gradient_by_sizes(rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float) -> float:
    """The number ||fake gradient||_F^2 at W^(0) of the worst losses found, largest norm 1, later inputs alike.

    The two first inputs are at the distance phi.
    """
    return float(_least(*_near(n, L, m, d, outputs, phi, rng, "alike"), outputs).value)


NEARER = grid(m=2048, phi=0.004, outputs=1, n=4, L=3, d=8)


@claim(
    "allenzhu2018rnn:theorem-5-sizes",
    title="fake gradient from below, exponents of samples and times",
    bound=">= c*m*phi/(n*L*outputs)",
    constants={"c": (Rational(1, 4), "fitted")},
    premises="an order; width so that gates tell near sequences apart (8 is ours): m*phi >= 8*n*L*outputs",
    regime=Regime(
        calibration=grid(m=2048, phi=0.4, outputs=1, n=[3, 8], L=[2, 5], d=8),
        cells=grid(m=2048, phi=0.4, outputs=1, n=[4, 12], L=[3, 7], d=8),
        least={**TWO_TIMES, "m": 256},
    ),
    evidence=Scaling(exponents={"n": "at least", "L": "at least"}, constant="c", replicates=24, resolution=0.1),
    controls=[
        control("growing with the samples", bound="c*m*phi*n/(L*outputs)"),
        control("growing with the times", bound="c*m*phi*L/(n*outputs)"),
        control("growing with both", bound="c*m*phi*n*L/outputs"),
        control("a hundredth of the separation", cells=NEARER, without=TOLD_APART),
    ],
    blind={
        "m": "one width: theorem-5-orders has its exponent",
        "phi": "one separation: theorem-5-linear sees it",
        "outputs": "one output: theorem-5-linear sees their number",
        "n": "no exponent below -1 is all that so few sizes tell",
        "L": "no exponent below -1 is all that so few sizes tell",
    },
    note="no evidence for the exponent 1: intervals are 0.8 wide on either side. Print: n^-14 and L^-14; for the least "
    "eigenvalue, which no losses beat. Smaller powers, in the limit of width: theorem-1-restated-horizon",
)
def least_eigenvalue_by_sizes(rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float) -> float:
    """The least eigenvalue of the Gram matrix of the gradients of all outputs at W^(0), later inputs alike.

    First inputs are one and others at the distance phi from it, to both sides along orthogonal axes.
    """
    net, X = _near(n, L, m, d, outputs, phi, rng, "alike")
    return float(np.linalg.eigvalsh(loss_gram(net, forward(net, X)))[0])


def _near_after(
    n: int, L: int, m: int, d: int, outputs: int, phi: float, tau: float, rng: Generator
) -> tuple[Network, np.ndarray]:
    """The same after a step of norm tau/sqrt(m) that gives the two nearest sequences the same gates at time 2.

    They come first. One sequence alone has the most of its gates turned.
    """
    net, X = _near(n, L, m, d, outputs, phi, rng)
    if n > 1:
        X = nearest_first(X)
    step = alike_gates if n > 1 else turned_gates
    return shifted(net, [step(net, forward(net, X), tau / math.sqrt(m))]), X


@claim(
    "allenzhu2018rnn:lemma-F.1",
    bound="c*phi/(n*L*outputs*log(m))**14*m",
    constants={"c": (1, "hidden in the paper")},
    sense=">=",
    premises=[
        sheet.theorem_5_width.reads("m >= L**42*n**42*outputs**42*Max(1, log(m))**42/phi**2"),
        (
            "width against radius and separation: the square of (F.1), rho^16 (tau m)^(2/3), is at most phi/rho^14 m, "
            "with unit constants [Appendix F, (F.1)]: m >= L**90*n**90*outputs**90*tau**2*Max(1, log(m))**90/phi**3"
        ),
    ],
    regime=Regime(cells=[{**FAR[0], "tau": 10.0}, {**FAR[-1], "tau": 0.1}], least=OF_RHO),
    evidence=Search(examples=2, adversary="a step that gives the two nearest sequences the same gates, worst losses"),
    expected=Verdict.VACUOUS,
    idle={"steps": 0.0},
    controls=[
        control("without the power of rho", bound="phi*m"),
        control("the square of the width", bound="phi*m**2/10"),
        control("without phi and rho", bound="m/2"),
    ],
    note="c = 1; the lower bound, for one kind of step: lemma-F.1-linear. Others: theorem-3-upper, lemma-F.1-change",
)
@form(
    of="allenzhu2018rnn:theorem-3-restated",
    bound="c*phi/(n*L*outputs*log(m))**14*m",
    premises=(
        "width against separation: what Lemma F.1 needs at tau = rho^100, with unit constants [Appendix F, (F.1), "
        "at the radius of Theorem 3 (restated)]: m >= L**290*n**290*outputs**290*Max(1, log(m))**290/phi**3"
    ),
    evidence=Search(examples=2, adversary="a step that gives the two nearest sequences the same gates, worst targets"),
    expected=Verdict.VACUOUS,
    note="targets may be any, so that the least over targets is that over losses. The lower bound alone, c = 1, at the "
    "tau of the cells, rho^100 in print; what can be measured stands at theorem-3 and theorem-3-upper",
    says="It is the least squared gradient over the square of the largest loss, for all targets.",
)
def least_fake_gradient_in_the_ball(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, tau: float, *, steps: float = 1.0
) -> Measured:
    """The least ||fake gradient||_F^2, largest loss 1, after a W' of norm tau/sqrt(m) on gates that tell two apart.

    First inputs are one and others at the distance phi from it, to both sides along orthogonal axes, later ones alike,
    zero or repeated.
    """
    return _least(*_near_after(n, L, m, d, outputs, phi, steps * tau, rng), outputs)


BALL = [
    {"m": 400, "phi": 0.4, "tau": 0.25, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.05},
    {"m": 4096, "phi": 0.1, "tau": 0.1, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 1024, "phi": 0.4, "tau": 0.4, "n": 2, "L": 8, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 2048, "phi": 0.4, "tau": 0.55, "n": 2, "L": 2, "d": 3, "outputs": 10, "delta": 0.4},
    {"m": 16384, "phi": 0.01, "tau": 0.006, "n": 2, "L": 2, "d": 3, "outputs": 1, "delta": 0.4},
    {"m": 2048, "phi": 0.4, "tau": 0.55, "n": 15, "L": 2, "d": 9, "outputs": 1, "delta": 0.4},
]
# Where m phi^2 >= C tau^2 holds, and not the premise.
BEYOND = [{**BALL[4], "tau": 0.064 * (1.0 - 1e-12)}]
FEW = [{**BALL[1], "m": 20, "phi": 0.05, "tau": 0.002}]
# Of a horizon that is dear, targets that outputs are off at time 2 alone: two times are run.
OFF_AT_ONE_TIME = [{**BALL[0], "m": 187200, "phi": 0.4, "tau": 5.4, "L": 130, "off": 2}]
OPPOSITE_MOVED = [{**BALL[1], "m": 128, "phi": 1.4142, "n": 3}]


@claim(
    "allenzhu2018rnn:lemma-F.1-linear",
    title="fake gradient from below after a step, with a constant and the radius that it bears",
    bound=">= c*phi*m/(n**(1/4)*outputs)",
    constants={"c": (Rational(1, 24), "half of what stands at the start")},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.lemma_F_1_sharp_width.reads("m*phi**3 >= C*tau**2"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "width against horizon, as a share of gates common to all times moves distances: m >= 3*L**2*log(2/delta)",
    ],
    regime=Regime(cells=BALL, least=TWO_TIMES),
    evidence=Trials(rate="delta", budget=80),
    idle={"steps": 0.0},
    controls=[
        control("a radius beyond phi^(3/2)", cells=BEYOND, without=sheet.lemma_F_1_sharp_width),
        control("twenty neurons", cells=FEW, without=sheet.theorem_5_sharp_width),
        control("a distance of sqrt(2)", cells=OPPOSITE_MOVED, without=sheet.separability_of_inputs_range),
        control("the root of the separation", bound="m*sqrt(phi)/(24*n**(1/4)*outputs)"),
        control("without the outputs", bound="m*phi/(24*n**(1/4))", cells=BALL[3:4]),
        control("m^(6/5)", bound="m**(6/5)*phi/(24*n**(1/4)*outputs)", cells=BALL[4:5]),
        control("ten times the constant", bound="10*m*phi/(24*n**(1/4)*outputs)"),
        control("all losses zero", size=0.0),
    ],
    blind={
        "n": "near sequences ask for no power in the limit, theorem-1-restated-horizon; theorem-5-linear has a control",
        **MANY_TIMES,
    },
    note="for all losses, after a step that makes such gates alike. One of norm 0.3 phi^(3/2) does so for all of two "
    "sequences, and phi becomes phi^2: m has to grow like tau^2/phi^3, see lemma-F.1-radius. C is 10 and 400",
)
def least_fake_gradient_in_the_ball_linearly(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    outputs: int,
    phi: float,
    tau: float,
    *,
    steps: float = 1.0,
    size: float = 1.0,
) -> Measured:
    """The least ||fake gradient||_F^2, largest loss 1, after a W' of norm tau/sqrt(m) on gates that tell two apart.

    First inputs are one and others at the distance phi from it, to both sides along orthogonal axes, later ones alike,
    zero or repeated.
    """
    return _least(*_near_after(n, L, m, d, outputs, phi, steps * tau, rng), outputs, size)


@claim(
    "allenzhu2018rnn:lemma-F.1-radius",
    title="fake gradient beyond the radius phi^(3/2): the separation counts squared",
    bound="C*m*phi**2/outputs",
    constants=sheet.eq_F_1.constants,
    premises="none needed: a step of norm phi^(3/2), which is allowed where m <= tau^2/phi^3",
    regime=Regime(
        calibration=[*grid(m=[512, 4096], phi=0.4, **PAIR), *grid(m=8192, phi=0.1, **PAIR)],
        cells=[*grid(m=32768, phi=0.4, **PAIR), *grid(m=8192, phi=[0.025, 0.4], **PAIR)],
        least={"n": 2, **TWO_TIMES},
        most={"n": 2},  # of more, those that are not made alike count too while phi is large, which bends its exponent
    ),
    evidence=Scaling(
        {"m": "equal", "phi": "equal"}, constant="C", replicates=lambda m: 24 if m > 8192 else 64, resolution=0.1
    ),
    controls=[control("no step", steps=0.0)],
    blind={"outputs": "one output: theorem-5-linear sees their number"},
    note="from above: what the worst losses attain there. So no constant makes Lemma F.1 true below the width "
    "tau^2/phi^3, and with equal gates only the states differ, by phi",
)
def fake_gradient_of_equal_gates(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, *, steps: float = 1.0
) -> float:
    """The ||fake gradient||_F^2 of the worst losses, largest norm 1, n = 2, after a step phi^(3/2) to alike gates."""
    radius = steps * phi**1.5
    net, X = _near_after(n, L, m, d, outputs, phi, radius * math.sqrt(m), rng)
    return _least(net, X, outputs).value


@claim(
    "allenzhu2018rnn:lemma-F.1-change",
    title="change of the fake gradient under a small perturbation of W",
    bound=sheet.eq_F_1.reads("C*(tau*m)**(1/3)"),
    premises=(
        "an order; width against radius, so that gates turn in number, and few of all (ours): "
        "m >= Max(100/tau, 36*tau**2)"
    ),
    regime=Regime(
        calibration=[*grid(m=[1024, 8192], tau=2.0, L=2, d=3, outputs=1), *grid(m=8192, tau=0.25, L=2, d=3, outputs=1)],
        cells=[*grid(m=32768, tau=[2.0], L=2, d=3, outputs=1), *grid(m=4096, tau=[0.5, 8.0], L=2, d=3, outputs=1)],
        least=TWO_TIMES,
        most={"L": 2, "outputs": 1},  # of more times gates turn at all of them, which bends the exponent of the radius
    ),
    evidence=Scaling(
        exponents={"m": "equal", "tau": "equal"}, constant="C", replicates=lambda m: 24 if m > 8192 else 48
    ),
    controls=[
        control("linear in the radius", bound="C*tau*m**(1/3)"),
        control("a radius of order tau/m^(3/2)", shorter=True),
    ],
    blind={
        "premise m >= Max(100/tau, 36*tau**2)": "where one gate at most turns, or half of all do, there is no order"
    },
    note="(F.1) without its power of rho, for one sequence of two times and one output, by the step that turns most "
    "gates at time 2; radii 0.003 to 0.13 turn many gates and few of all: both exponents 1/3 are attained",
)
def change_by_turned_gates(
    rng: Generator, m: int, L: int, d: int, outputs: int, tau: float, *, shorter: bool = False
) -> float:
    """The ||.||_F of a change of the fake gradient, loss_2 of norm 1, by the step tau/sqrt(m) that turns most gates."""
    net, X = _near(1, L, m, d, outputs, 0.0, rng, "unit")
    fwd, radius = forward(net, X), (1024.0 / m if shorter else 1.0) * tau / math.sqrt(m)
    step = turned_gates(net, fwd, radius)
    losses = as_losses(np.ones((L - 1) * outputs) / math.sqrt(outputs), 1, outputs)
    after = shifted(net, [step])
    (left, right), (left_after, right_after) = (fake_pair(one, forward(one, X), losses) for one in (net, after))
    return product_frobenius_norm((np.vstack([left, left_after]), np.vstack([right, -right_after])))


@claim(
    "allenzhu2018rnn:theorem-3",
    bound=">= c*phi*m/(n**(1/4)*outputs)",
    constants={"c": (Rational(1, 16), "the loss is half of the squares; two near sequences make 0.2 after the step")},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.lemma_F_1_sharp_width.reads("m*phi**3 >= C*tau**2"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "width against horizon, as a share of gates common to all times moves distances: m >= 3*L**2*log(2/delta)",
    ],
    regime=Regime(cells=BALL, usual={"off": 0}, least=TWO_TIMES, most={"off": "L"}),
    evidence=Trials(rate="delta", budget=80),
    idle={"steps": 0.0},
    controls=[
        control("a radius beyond phi^(3/2)", cells=BEYOND, without=sheet.lemma_F_1_sharp_width),
        control("twenty neurons", cells=FEW, without=sheet.theorem_5_sharp_width),
        control("a distance of sqrt(2)", cells=OPPOSITE_MOVED, without=sheet.separability_of_inputs_range),
        control("without the outputs", bound="m*phi/(16*n**(1/4))", cells=BALL[3:4]),
        control("sqrt(L/2) times as much", bound="m*phi*sqrt(L)/(16*sqrt(2)*n**(1/4)*outputs)", cells=OFF_AT_ONE_TIME),
        control("ten times as much", bound="5*m*phi/(8*n**(1/4)*outputs)"),
    ],
    note="the lower bound; theorem-3-upper has the upper ones. Targets may be any, so that the losses may: twice the "
    "least eigenvalue is the infimum, and is attained. C is 10 and 400",
    scope="part: the lower bound, after one kind of step",
    blind={
        "n": "near sequences ask for no power in the limit, theorem-1-restated-horizon; theorem-5-linear has a control",
        **MANY_TIMES,
    },
)
def least_gradient_over_the_objective(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    outputs: int,
    phi: float,
    tau: float,
    off: int,
    *,
    steps: float = 1.0,
) -> float:
    """The least ||grad f||_F^2/f over all targets, after a step tau/sqrt(m) that makes gates of the two nearest alike.

    First inputs are at the distance phi from one, later ones alike, zero or repeated. The least is attained at
    targets from which the outputs are off along an eigenvector: there the gradient of f is taken, f is 1/2, and what
    its slope, a difference quotient, differs from the closed form by is taken off. With `off` targets are met
    exactly after that time, so that later times add nothing and are not run.
    """
    net, X = _near_after(n, off or L, m, d, outputs, phi, steps * tau, rng)
    fwd = forward(net, X)
    values, vectors = np.linalg.eigh(loss_gram(net, fwd))
    errors = as_losses(vectors[:, 0], n, outputs)
    slope = slope_along(net, X, errors, gradient(net, fwd, fwd.output - errors)[0])
    return 2.0 * float(values[0] - abs(slope - values[0]))


EQUAL = [
    *grid(m=256, n=[1, 8], L=[2, 6], d=3, outputs=1, tau=1.0, delta=0.4),
    *grid(m=[24, 1024], n=1, L=2, d=3, outputs=1, tau=1.0, delta=0.4),
    *grid(m=60, n=1, L=2, d=3, outputs=3, tau=1.0, delta=0.4),
    *grid(m=360, n=2, L=3, d=3, outputs=8, tau=1.0, delta=0.4),
    *grid(m=48, n=1, L=2, d=3, outputs=1, tau=1.0, delta=0.05),
]
WIDE = "m >= 3*L**2*outputs*log(2/delta)"


@claim(
    "allenzhu2018rnn:theorem-3-upper",
    title="gradient from above near the start against the objective",
    bound="C*n*L**3*m/outputs",
    constants={"C": (Rational(1, 2), "equal sequences that repeat their input make 0.13 to 0.19 in the middle")},
    premises=[
        "width against horizon, outputs and level (3 is ours): m >= 3*L**2*outputs*log(2/delta)",
        "radius small against width and horizon, so that W' moves states by less than they are: L*tau <= sqrt(m)",
    ],
    regime=Regime(cells=EQUAL, least=TWO_TIMES),
    evidence=Trials(rate="delta", budget=80),
    controls=[
        control("without the samples", bound="L**3*m/(2*outputs)", cells=EQUAL[2:3]),
        control("the square of the times", bound="L**2*m*n/(2*outputs)", cells=EQUAL[1:2]),
        control("a fifteenth", bound="n*L**3*m/(30*outputs)"),
        control("weights of variance 8/m", gain=2.0, cells=EQUAL[1:2]),
        control("the root of the width", bound="L**3*sqrt(m)*n/(2*outputs)"),
        control("a radius of 100", cells=[{**EQUAL[1], "tau": 100.0}], without="L*tau <= sqrt(m)"),
        control("16 neurons, 16 times", cells=grid(m=16, n=1, L=16, d=3, outputs=1, tau=0.2, delta=0.05), without=WIDE),
    ],
    note="for f; f_i is n = 1. Sequences repeat one input; W' moves all neurons alike; tau is poly(varrho) in print",
    scope="part: the upper bounds, after one kind of step",
)
def largest_gradient_over_the_objective(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, tau: float, *, gain: float = 1.0
) -> float:
    """The largest ||grad f||_F^2/f over targets, equal sequences, after a step tau/sqrt(m) along their last state."""
    net, X = _near(n, L, m, d, outputs, 0.0, rng, "repeated", stored=m**2)
    if gain != 1.0:
        net = net.with_weights([gain * net.weights[0]])
    state = forward(net, X).post[-1][0]
    # Of norm tau/sqrt(m), but for a state of 0, along which there is none.
    rise, along = np.full((1, m), tau / m), quotients(state, np.linalg.norm(state))
    raised = shifted(net, [outer(net.weights[0], along[np.newaxis], rise)])
    return 2.0 * float(np.linalg.eigvalsh(loss_gram(raised, forward(raised, X)))[-1])
