"""allenzhu2018rnn on stochastic gradient descent: Theorem 2 as printed, twice refuted, and means over all batches.

Main claims: `labels_without_end` and `start_of_the_range`, errata; `mean_loss_from_bounded_errors`, repaired, and
`mean_loss_after_steps`, with the constants of the kernel; `share_lost_in_the_mean` (I.2), `growth_in_a_step` (I.3);
`steps_to_an_accuracy` (footnote 3). All means are exact: every batch is listed.
"""

import math

import numpy as np
from numpy.random import Generator

from bounds.bound import Bound
from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, DataError, Network, all_batches, forward, frobenius_norm, recurrent_network, shifted
from properties.allenzhu2018rnn.common_minimiser import LeastSquares, least_squares
from properties.allenzhu2018rnn.descent import (
    RECURRENT_RUN,
    RECURRENT_RUNS,
    RecurrentIterate,
    RecurrentRun,
    RecurrentRunStart,
    error_targets,
    gradient,
    objective,
    recurrent_run_start,
    recurrent_tree,
    rounding_of_objective,
)
from properties.allenzhu2018rnn.limiting_kernel import least_in_the_limit
from properties.allenzhu2018rnn.near_pairs import FEW_SEQUENCES, PAIR_EXPONENTS, PAIR_SIZES, hard_pair
from properties.allenzhu2018rnn.printed_ranges import label_argument, range_argument
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.allenzhu2018rnn.written_out import WrittenOut
from theory.claims import Measured, Regime, Verdict, Walk, choices, claim, control, form, grid, reals
from theory.evidence import Proof, Search, Step, Trials

ONE = {"n": 1, "L": 2, "outputs": 1, "phi": 1.0, "B": 1}


@claim(
    "allenzhu2018rnn:theorem-2",
    bound=sheet.theorem_2.reads("eps"),
    premises=sheet.theorem_2_width.reads("m >= C*(n*L*outputs*log(m/eps)/phi)**C"),
    regime=Regime(cells=grid(m=[10**4, 10**30], eps=[0.01, 0.5], **ONE)),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("10^9, any number", bound="10**9"),
        control("a width with a thousand digits", cells=grid(m=10**999, eps=0.5, **ONE)),
    ],
    note="with one sequence a batch is all of it, as in Theorem 1: a step takes the share eta ||B||^2 ||h_1||^2 of the "
    "error at most, below 1 at the printed eta, and a large enough label leaves any error",
    scope="as printed: the argument against it holds for every constant",
)
def labels_without_end(bound: Bound, n: int, L: int, outputs: int, eps: float) -> list[Step]:
    """Why, for a label that T does not know, f of one sequence is above eps after T steps, with chance 1/2; L = 2."""
    return label_argument(bound, n, L, outputs, eps)


@claim(
    "allenzhu2018rnn:theorem-2-restated",
    bound=sheet.theorem_2.reads("eps"),
    premises=sheet.theorem_2_width.reads("m >= C*(n*L*outputs*log(m/eps)/phi)**C"),
    regime=Regime(cells=grid(m=[10**4, 10**30], eps=1.0, **ONE)),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("1.999, just below 2", bound="1999/1000"),
        control("a width with a thousand digits", cells=grid(m=10**999, eps=1.0, **ONE)),
        control("as many times as you like", cells=grid(m=10**30, eps=1.0, **{**ONE, "L": 64})),
    ],
    note="at eps = 1 the range of T is [0, 0], and the start has a loss above 1 in half of the cases; "
    "the printed power rho^(-12) of the step is no reason, as shorter and longer steps all begin at W^(0)",
    scope="as printed: the argument against it holds for every constant",
)
def start_of_the_range(bound: Bound, n: int, L: int, outputs: int, phi: float, eps: float) -> list[Step]:
    """Why one sequence with the label -2 has a loss above 1 at T = 0 with probability 1/2 at least, at any width."""
    return range_argument(bound, n, L, outputs, phi, eps, powers=57)


# The objective counts from time 2 on, and a batch is a part of the samples.
BATCH: dict[str, int | str] = {"L": 2, "n": "B"}

# Steps as short as near duplicates ask for would be lost in the rounding of the loss.
APART = {**RECURRENT_RUNS, "phi": reals(0.2, 1.0), "share": reals(0.2, 0.9)}
BATCHES = [
    # Of four steps on one batch, the same in all of them, the variance takes more than the bound leaves.
    *grid(m=128, L=2, n=2, B=1, d=3, outputs=1, steps=4),
    *grid(m=128, L=3, n=2, B=1, d=3, outputs=1, steps=2),
    *grid(m=128, L=2, n=3, B=2, d=3, outputs=2, steps=2),
    *grid(m=128, L=8, n=2, B=1, d=3, outputs=1, steps=2),
]
MANY_BATCHES = [
    *grid(m=128, L=2, n=2, B=1, d=3, outputs=1, steps=9),
    *grid(m=128, L=2, n=3, B=2, d=3, outputs=2, steps=5),
]
ENDS = [
    {**RecurrentRun(later, 0.5, errors, 1e-3, share=0.9)._asdict(), "trial": 0}
    for later, errors in (("zero", "flat"), ("drawn", "steep"), ("alike", "flat"))
]


def _steady(rng: Generator, sizes: tuple[int, int, int, int, int], B: int, run: RecurrentRun) -> RecurrentRunStart:
    """Where a run begins, with the share `run.share` of the step size that the variance of a batch allows."""
    found = recurrent_run_start(rng, sizes, run)
    low, high = RecurrentIterate.of(found.net, found.X, found.targets).eigenvalues
    return found._replace(eta=run.share * B * low / (sizes[2] * high**2))


@claim(
    "allenzhu2018rnn:theorem-2-restated-certified",
    title="linear convergence of stochastic descent in the mean, with the constants of the kernel at the start",
    bound="(1 - eta*kerlow/2)**k*L0",
    premises=[
        "step small enough for the variance of a batch [Appendix I]: eta <= B*kerlow/(n*kerhigh**2)",
        "kinks and curvature take an eighth of the fall at most [Appendix I]: away <= kerlow/8",
    ],
    measured=["eta", "kerlow", "kerhigh", "away", "k", "L0"],
    regime=Regime(cells=BATCHES, thorough=MANY_BATCHES, draw=APART, built=RECURRENT_RUN, pinned=ENDS, least=BATCH),
    evidence=Search(examples=4, adversary="errors of which a step feels least and most, opposed inputs"),
    idle={"step": 0.0},
    controls=[
        control("three times the rate", bound="(1 - 3*eta*kerlow/2)**(2*k)*L0"),
        control("twice as many steps and more", bound="(1 - eta*kerlow/2)**(5*k)*L0"),
        control("ascent", step=-1.0),
        control("a fifth of n/|S|", share=0.2),
        control("six times the step that the variance allows", times=6.0, without="eta <= B*kerlow/(n*kerhigh**2)"),
        control(
            "errors too large for the width",
            larger=1e7,
            without="away <= kerlow/8",
            cells=grid(m=128, L=3, n=2, B=1, d=3, outputs=1, steps=2),
        ),
    ],
    scope="chain: 2 to 9 steps of T, rho^57 log(1/eps)/phi^2 in print, here 10^73 and more",
    note="a step takes eta n/B times the gradient of the batch's share of f off W; means over all sequences of batches "
    "of B samples, listed; L0 is f, and the kernel is tangent, at the start",
)
def mean_loss_after_steps(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    B: int,
    outputs: int,
    steps: int,
    run: RecurrentRun,
    *,
    step: float = 1.0,
    share: float = 1.0,
    times: float = 1.0,
    larger: float = 1.0,
) -> Measured:
    """The mean of f after each of so few steps k that all batches of all can be listed: no path rests in them. kerlow
    and kerhigh are the extreme eigenvalues of the kernel; away is how far a step leaves the outputs from where the
    kernel sends them, at most, over eta times the norm of the errors."""
    X, targets, net, eta = _steady(rng, (m, L, n, d, outputs), B, run._replace(size=larger * run.size))
    tree = recurrent_tree(net, X, targets, times * eta, all_batches(n, B), steps, taken=step, share=share)
    right = step == 1.0 and share == 1.0
    sizes = (tree if right else recurrent_tree(net, X, targets, times * eta, all_batches(n, B), steps)).sizes
    losses = tree.mean_losses
    symbols = {**sizes, "eta": times * eta, "k": np.arange(1, steps + 1), "L0": losses[0]}
    return Measured(losses[1:], error=rounding_of_objective(losses[1:], targets), symbols=symbols)


def _differences(net: Network, X: Array, targets: Array, by: float) -> Array:
    """The derivatives of f in all weights, by central differences of two forward passes each."""
    steps = by * np.eye(net.weights[0].size).reshape(-1, *net.weights[0].shape)
    sides = [[objective(forward(shifted(net, [side * step]), X).output, targets) for step in steps] for side in (1, -1)]
    return (np.array(sides[0]) - np.array(sides[1])) / (2.0 * by)


SINGLES_OF_FOUR = grid(m=8, L=2, n=4, B=1, d=3, outputs=2)
PAIRS_OF_FOUR = grid(m=8, L=2, n=4, B=2, d=3, outputs=2)


@claim(
    "allenzhu2018rnn:theorem-2-restated-mean",
    title="mean over the batches of n/|S| times the gradients of a batch",
    kind="expectation",
    bound="= z",
    premises="none needed: for all sequences, targets, batches of at most n samples, and weights with no neuron at 0",
    measured=["z"],
    regime=Regime(
        cells=[
            *grid(m=8, L=[2, 4], n=[1, 4], B=1, d=3, outputs=2),
            *grid(m=8, L=16, n=2, B=1, d=3, outputs=1),
            *PAIRS_OF_FOUR,
            *grid(m=8, L=2, n=3, B=3, d=3, outputs=2),
        ],
        draw={"later": choices(*LATER)},
        least=BATCH,
    ),
    evidence=Search(examples=3),
    controls=[
        control("n for n/|S|", share=2.0, cells=PAIRS_OF_FOUR),
        control("no factor n/|S|, as in Theorem 2", share=0.25, cells=SINGLES_OF_FOUR),
        control("the gradient of f for each f_i, as printed", whole=True, cells=SINGLES_OF_FOUR),
        control("half of the batches", half=True, cells=SINGLES_OF_FOUR),
    ],
    note="the step of the main text has no factor n/|S|, so that it is n times shorter in the mean; the printed step "
    "of the appendix, with the gradient of f in the sum, is n times longer",
)
def mean_over_batches(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    B: int,
    outputs: int,
    later: str,
    *,
    share: float = 1.0,
    whole: bool = False,
    half: bool = False,
) -> Measured:
    """The mean over all S of B samples of n/B sum_{i in S} grad f_i at the start; z is by difference quotients of f."""
    # Until pre-activations are so far from their kinks that no difference meets one.
    while True:
        X, net = sequences(n, L, d, rng, later), recurrent_network(d, m, outputs, L, rng)
        passed = forward(net, X)
        if min(float(np.abs(pre).min()) for pre in passed.pre[1:]) > 1e-4:
            break
    targets = rng.standard_normal((n, L, outputs))
    z = _differences(net, X, targets, 1e-6)
    batches = all_batches(n, B)
    steps = [
        n * gradient(net, passed, targets)[0] if whole else gradient(net, passed, targets, S, share=share)[0]
        for S in (batches[: len(batches) // 2] if half else batches)
    ]
    scale = float(np.abs(z).max())
    return Measured(np.ravel(np.mean(steps, axis=0)), error=1e-6 * scale, scale=scale, symbols={"z": z})


def longest_admitted(m: int, n: int, B: int, L: int, outputs: int, phi: float) -> float:
    """The longest step that the premises of the repaired Theorem 2 admit for batches of B of n samples."""
    return (1.0 - 1e-12) * B * phi * outputs / (n**3.25 * L**2 * (L - 1) ** 2 * m)


STEADY = [
    {"m": 1024, "phi": 1.0, "n": 2, "B": 1, "L": 2, "d": 3, "outputs": 1, "K": 4, "size": 0.2, "delta": 0.4},
    {"m": 4096, "phi": 0.1, "n": 2, "B": 1, "L": 2, "d": 3, "outputs": 1, "K": 2, "size": 0.04, "delta": 0.4},
    {"m": 1024, "phi": 0.4, "n": 3, "B": 2, "L": 4, "d": 3, "outputs": 1, "K": 2, "size": 0.2, "delta": 0.4},
    {"m": 2048, "phi": 0.4, "n": 7, "B": 3, "L": 2, "d": 5, "outputs": 2, "K": 1, "size": 0.2, "delta": 0.4},
    {"m": 720, "phi": 0.9, "n": 2, "B": 1, "L": 2, "d": 3, "outputs": 1, "K": 1, "size": 0.2, "delta": 0.05},
    {"m": 1024, "phi": 0.9, "n": 2, "B": 1, "L": 8, "d": 3, "outputs": 1, "K": 1, "size": 0.2, "delta": 0.4},
]
# Batches of one of many, whose factor n/|S| the drift does not have.
SINGLES = [{**STEADY[4], "m": 1024, "phi": 1.0, "n": 16, "d": 10, "delta": 0.4}]
FEW = [{**STEADY[0], "m": 20, "phi": 0.05, "size": 5e-4}]
EIGHTY = [{**STEADY[0], "m": 80, "phi": 0.0125, "size": 9e-5}]
HUGE = [{**STEADY[2], "size": 1e9, "delta": 0.3}]
TOO_LONG = [{**STEADY[0], "eta": 0.003}]
ALONE = [{**STEADY[4], "m": 160, "phi": 1.0, "n": 1, "delta": 1e-3}]
# Opposite to one first input there is one other: two at such a distance from it are the same.
OPPOSITE = [{**STEADY[0], "m": 128, "phi": 1.4142, "n": 3, "K": 1}]
BOTH_WIDTHS = [sheet.theorem_5_sharp_width, sheet.theorem_2_limit_width]


@claim(
    "allenzhu2018rnn:theorem-2-restated-corrected",
    title="linear convergence of stochastic descent in the mean from bounded errors, with constants of our own",
    bound="(1 - c*eta*phi*m/(n**(1/4)*outputs))**K*L0",
    constants={"c": sheet.RATE},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.theorem_1_errors.reads("m*phi**4 >= C*outputs*L0"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "step small enough for the variance of a batch [Appendix I]: eta*n**(13/4)*L**2*(L - 1)**2*m <= B*phi*outputs",
        "width against horizon and level, as the kernel is near its limit then: m >= 3*L**2*log(2/delta)",
    ],
    regime=Regime(cells=STEADY, derived={"eta": longest_admitted, "L0": lambda size: size**2 / 2.0}, least=BATCH),
    evidence=Trials(rate="delta", budget=60),
    idle={"step": 0.0},
    blind={"premise m >= 3*L**2*log(2/delta)": "of full batches over 40 times one path in twenty fails"},
    controls=[
        control("ascent", step=-1.0),
        control("a hundredth of n/|S|", share=0.01),
        control("n/B times the rate", bound="(1 - eta*phi*m*n**(3/4)/(16*B*outputs))**K*L0", cells=SINGLES),
        control("twenty neurons, at errors that they admit", cells=FEW, without=sheet.theorem_5_sharp_width),
        control("errors of norm 10^9", cells=HUGE, without=sheet.theorem_1_errors),
        control("a distance of sqrt(2)", cells=OPPOSITE, without=sheet.separability_of_inputs_range),
        control("a step of 3/1000", cells=TOO_LONG, without="eta*n**(13/4)*L**2*(L - 1)**2*m <= B*phi*outputs"),
    ],
    note="C is 10 and 400 in turn, c = 1/16, L0 is f at first. From n^(1/4) outputs log(L0/eps)/(c eta phi m) steps on "
    "the bound is at most eps. At the separation 1 four steps take a twentieth of f",
    scope="steps: 1 to 4 of T, in the exact mean, from bounded errors, at a width and a step of fewer powers",
)
@form(
    "limit",
    title="linear convergence of stochastic descent in the mean, at the rate of the limiting kernel",
    bound="(1 - c*eta*kerlim*m/outputs)**(2*K)*L0",
    constants={"c": sheet.RATE_OF_THE_LIMIT},
    premises=[
        sheet.theorem_5_sharp_width.reads("m*phi >= C*n*L*outputs*(1 + log(1/delta))"),
        sheet.theorem_1_errors.reads("m*phi**4 >= C*outputs*L0"),
        sheet.separability_of_inputs_range.reads("phi <= 1"),
        "step small enough for the variance of a batch [Appendix I]: eta*n**(13/4)*L**2*(L - 1)**2*m <= B*phi*outputs",
        "width against horizon and level, as the kernel is near its limit then: m >= 3*L**2*log(2/delta)",
        sheet.theorem_2_limit_width.reads("m*phi >= C*outputs*(1 + log(1/delta))"),
    ],
    measured=["kerlim"],
    independent={"kerlim": "by the law of infinitely wide layers at these inputs, which knows no gradient"},
    controls=[
        control("a quarter of the gradient", step=0.25),
        control("half of n/|S|, as in Theorem 2 for two samples", share=0.5, cells=STEADY[4:5]),
        control("eighty neurons, at errors that they admit", cells=EIGHTY, without=BOTH_WIDTHS),
        control("one sequence, one start in 1000", cells=ALONE, without=sheet.theorem_2_limit_width),
        control("errors of norm 10^9", cells=HUGE, without=sheet.theorem_1_errors),
        control("a step of 3/1000", cells=TOO_LONG, without="eta*n**(13/4)*L**2*(L - 1)**2*m <= B*phi*outputs"),
    ],
    blind={
        "premise m >= 3*L**2*log(2/delta)": "of full batches over 40 times one path in twenty fails",
        f"premise {sheet.theorem_5_sharp_width.text}": FEW_SEQUENCES,
        f"premise {sheet.separability_of_inputs_range.text}": "kerlim knows how near inputs are: corrected sees it",
    },
    note="kerlim is the least eigenvalue of the limiting kernel, per neuron and for one output; c = 1/2, C is 10, "
    "400, 160. Twice the drift for the square of the errors; the variance of the batches takes less than what is left",
)
def mean_loss_from_bounded_errors(
    rng: Generator,
    m: int,
    n: int,
    B: int,
    L: int,
    d: int,
    outputs: int,
    phi: float,
    K: int,
    size: float,
    eta: float,
    *,
    step: float = 1.0,
    share: float = 1.0,
) -> Measured:
    """The mean of f after K steps -eta n/B sum_{i in S} grad f_i, over all S of B samples: first inputs one and others
    at phi from it, to both sides along orthogonal axes, later ones alike, zero or repeated, errors of norm `size` along
    the kernel's least eigenvector. As that lives at time 2, fact-2.5-recursive sees what is led back through W."""
    X = sequences(n, L, d, rng, str(rng.choice(("alike", "zero", "repeated"))), phi, crowded=True)
    net = recurrent_network(d, m, outputs, L, rng, stored=2**15)
    targets = error_targets(net, X, "flat", size, rng)
    tree = recurrent_tree(net, X, targets, eta, all_batches(n, B), K, taken=step, share=share)
    return Measured(float(tree.mean_losses[-1]), symbols={"kerlim": least_in_the_limit(X)})


@claim(
    "allenzhu2018rnn:eq-I.2-I.3",
    bound=">= C*eta*m",
    premises=[
        "short steps, ours; two sequences, second input 0, with small errors that a step feels least: eta*m <= 1/100",
        "first inputs far apart, ours, as C has the separation in it: phi >= 1/2",
        "width, ours, from where the kernel is near its limit: m >= 256",
    ],
    regime=PAIR_SIZES,
    evidence=PAIR_EXPONENTS,
    controls=[
        control("divided by the width, as the last line is printed", bound="C*eta/m"),
        control("steps beyond the curvature", cells=grid(m=1024, phi=0.5, eta=0.1), without="eta*m <= 1/100"),
        control("first inputs nearly the same", cells=grid(m=1024, phi=0.01, eta=1e-7), without="phi >= 1/2"),
        control("four neurons", cells=grid(m=4, phi=0.5, eta=1e-5), without="m >= 256"),
    ],
    scope="part: (I.2), the fall of the mean",
    note="n, L, outputs, phi at one value: C is for phi/rho^15, log(m)^15 left out; phi: "
    "theorem-1-restated-separation. m below the line in (I.2) is a slip, above it two displays on",
)
def share_lost_in_the_mean(rng: Generator, m: int, phi: float, eta: float) -> float:
    """The share 1 - E f(W^(1))/f(W^(0)), W^(1) = W^(0) - 2 eta grad f_i, i either sequence, errors least felt."""
    X, targets, net = hard_pair(rng, m, phi)
    before, after = recurrent_tree(net, X, targets, eta, all_batches(2, 1), 1).mean_losses
    return float(1.0 - after / before)


# Norm of errors of which kinks and curvature are hardly felt.
SMALL = 1e-4


@claim(
    "allenzhu2018rnn:eq-I.2-I.3-growth",
    title="growth of f in the first step, for the worst batch and the worst errors",
    kind="deterministic",
    # Errors e become (1 - eta n/|S| K_S) e and what is off by eta away ||e|| at most: 1 + 1/101 or less, squared.
    bound="51*rise/50",
    premises="kinks and curvature move the errors by a hundredth at most [Appendix I]: 101*eta*away <= sqrt(rise)",
    measured=["rise", "eta", "away"],
    regime=Regime(
        cells=[*grid(m=[64, 256], L=2, n=2, B=1, d=3, outputs=1), *grid(m=64, L=[3, 8], n=3, B=[1, 2], d=3, outputs=1)],
        draw={name: RECURRENT_RUNS[name] for name in ("later", "phi", "share")},
        # At L = 8 a gradient that leads no errors back through W has half of the growth.
        pinned=[{"later": "drawn", "phi": 0.5, "share": 0.9, "trial": 0}],
        least=BATCH,
    ),
    evidence=Search(examples=6, adversary="the batch and the errors of which f grows most; near duplicates"),
    controls=[
        control("ascent", step=-1.0),
        control("nineteen twentieths", bound="19*rise/20"),
        control("errors too large for the width", larger=1e7, without="101*eta*away <= sqrt(rise)"),
    ],
    note="with the factor n/|S| a batch may raise f, while the mean over the batches falls; rise for the 1 + O(rho^12 "
    "eta m) of (I.3). eta is below 1 over the largest eigenvalue of the kernel K; K_S acts on the errors of S alone",
)
@form(
    "growth-attained",
    title="growth of f in the first step, attained by the worst batch and the worst errors",
    bound=">= 49*rise/50",
    controls=[
        control("twenty-one twentieths", bound="21*rise/20"),
        control("half of the gradient", step=0.5),
        control("a tenth less of it", step=0.9),
        control("errors too large for the width", larger=1e4, without="101*eta*away <= sqrt(rise)"),
    ],
    note="from below: so that a step which is too short shows",
)
def growth_in_a_step(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    B: int,
    outputs: int,
    later: str,
    phi: float,
    share: float,
    *,
    step: float = 1.0,
    larger: float = 1.0,
) -> Measured:
    """The quotient of f after and before a step, for the batch S of B samples and the errors that raise it most.

    rise is the largest eigenvalue of (1 - eta n/|S| K_S)^T (1 - eta n/|S| K_S) over the batches S, away is how far a
    step on any of them leaves the outputs from where the kernel sends them, over eta times the norm of the errors: both
    of the network written out, so that a wrong gate or gradient of the code that takes the step is not in them.
    """
    X, net = sequences(n, L, d, rng, later, phi), recurrent_network(d, m, outputs, L, rng)
    plain, batches = WrittenOut.of(net, X), all_batches(n, B)
    if not plain.kernel.any():
        raise DataError(f"no output of {m} neurons depends on W, as gates are closed: take more")
    eta = share / float(np.linalg.eigvalsh(plain.kernel)[-1])
    felt = np.zeros((len(batches), n))
    np.put_along_axis(felt, batches, n / B, axis=1)
    felt = np.repeat(felt, len(plain.kernel) // n, axis=1)
    found = [np.linalg.svd(np.eye(len(plain.kernel)) - eta * plain.kernel * of_batch) for of_batch in felt]
    _, values, directions = max(found, key=lambda parts: float(parts[1][0]))
    errors = larger * SMALL * directions[0]
    targets = np.zeros((n, L, outputs))
    targets[:, 1:] = (plain.outputs - errors).reshape(n, L - 1, outputs)
    tree = recurrent_tree(net, X, targets, eta, batches, 1, taken=step)
    first = tree.levels[0][0].loss
    most = max(at.loss for at in tree.levels[1]) / first
    error = 4.0 * float(rounding_of_objective([first], targets)[0]) / first
    away = max(plain.departure(of_batch * errors, eta) for of_batch in felt) / float(np.linalg.norm(errors))
    return Measured(most, error=error, symbols={"rise": float(values[0] ** 2), "eta": eta, "away": away})


EQUAL = grid(m=32, L=2, n=2, B=2, d=3, outputs=1, later="alike", phi=0.0)

# By how much targets of equal sequences differ: gradients that are quite alike meet the bound with equality.
NEARLY = 1e-3


@claim(
    "allenzhu2018rnn:eq-I.2-I.3-batch",
    title="squared gradient of a batch against n^2/|S| times the sum of the squares",
    kind="deterministic",
    bound="n**2/B*steep",
    premises="none needed: for all weights, sequences and targets",
    measured=["steep"],
    regime=Regime(
        cells=[
            *EQUAL,
            *grid(m=16, L=3, n=4, B=[2, 3, 4], d=3, outputs=2, later="alike", phi=0.0),
            *grid(m=16, L=3, n=4, B=2, d=3, outputs=2, later="drawn", phi=0.2),
            *grid(m=16, L=16, n=3, B=2, d=3, outputs=1, later="unit", phi=0.2),
        ],
        least=BATCH,
    ),
    evidence=Search(examples=1, adversary="equal sequences with errors that add up"),
    controls=[
        control("as printed, with |S|^2, at two equal sequences", bound="n**2*steep/B**2", cells=EQUAL),
        control("twice the factor n/|S|", share=2.0),
    ],
    note="Cauchy-Schwarz, nearly with equality. The proof has |S|^2 for |S|: two equal sequences with equal targets "
    "have 4 for its 2; the bound that follows in print stands",
)
def squared_gradient_of_a_batch(
    rng: Generator, m: int, L: int, n: int, d: int, B: int, outputs: int, later: str, phi: float, *, share: float = 1.0
) -> Measured:
    """The ||n/|S| sum_{i in S} grad f_i||_F^2, |S| = B, at the start; steep is the sum over S of ||grad f_i||_F^2."""
    X, net = sequences(n, L, d, rng, later, phi), recurrent_network(d, m, outputs, L, rng)
    targets = error_targets(net, X, "steep", 1.0, rng) + NEARLY * rng.standard_normal((n, L, outputs))
    passed, batch = forward(net, X), np.arange(B)
    whole = frobenius_norm(gradient(net, passed, targets, batch, share=share)[0]) ** 2
    alone = [frobenius_norm(gradient(net, passed, targets, np.array([i]), share=1.0 / n)[0]) ** 2 for i in batch]
    return Measured(whole, error=1e-13 * whole, symbols={"steep": math.fsum(alone)})


# Below this share of the first nothing is left of a mean squared distance; a path that keeps more is left after so many
# steps. Each step may lose some roundings of what is left.
GONE, MOST_STEPS, ROUNDING_A_STEP = 1e-30, 300, 1e-14

CONVEX = {"kind": choices("flat or steep", "drawn"), "ratio": reals(0.3, 0.9)}
LIP_IS_A_UNIT = "it is a unit of the functions: its quotient with lam counts, whose power lam shows"


@claim(
    "allenzhu2018rnn:footnote-3",
    bound="1 + (lip/lam)**2*log(1/eps)",
    premises=[sheet.footnote_3_common.reads("spread <= 0"), "accuracy of at most 1: eps <= 1"],
    measured=["lam", "spread"],
    regime=Regime(
        cells=grid(n=[2, 5], d=[1, 3], lip=[1.0, 4.0], eps=[0.5, 1e-2, 1e-6]),
        draw=CONVEX,
        pinned=[{"kind": "flat or steep", "ratio": 0.9, "trial": 0}],
    ),
    evidence=Search(examples=5, adversary="functions that are flat or as steep as allowed along one direction"),
    idle={"step": 0.0},
    controls=[
        control("lip/sigma without its square", bound="1 + (lip/lam)*log(1/eps)"),
        control("without the accuracy", bound="1 + (lip/lam)**2"),
        control("ascent", step=-1.0),
        control("a hundredth of the step", step=0.01),
        control("minimisers apart", apart=1.0, without=sheet.footnote_3_common),
    ],
    blind={"lip": LIP_IS_A_UNIT, "premise eps <= 1": "beyond it no step is asked for, and the bound may be below 0"},
    note="f = (1/n) sum f_i lam-strongly convex, each f_i lip-smooth and quadratic, so second moments are exact; steps "
    "lam/lip^2 on one drawn f_i; spread is the root mean square gradient of the f_i at f's minimiser",
    scope="own constants: 1, and a step more, where print has an order; quadratic functions, the distance for f",
)
def steps_to_an_accuracy(
    rng: Generator,
    n: int,
    d: int,
    lip: float,
    eps: float,
    kind: str,
    ratio: float,
    *,
    step: float = 1.0,
    apart: float = 0.0,
) -> Measured:
    """The steps until the mean squared distance to the minimiser is at most eps times the first, counted to 400."""
    problem = least_squares(n, d, lip, kind, ratio, rng, apart)
    eta = step * problem.lam / lip**2
    return Measured(float(problem.steps(eta, eps, 400)), symbols={"lam": problem.lam, "spread": problem.spread})


@claim(
    "allenzhu2018rnn:footnote-3-sharp",
    title="mean squared distance of SGD to a common minimiser at the step 1/lip",
    bound="(1 - lam/lip)**k",
    premises="convex, quadratic f_i with a common minimiser, that of f [footnote 3]: spread <= 0",
    measured=["lam", "k", "spread"],
    regime=Regime(
        cells=grid(n=[2, 5], d=[1, 3], lip=[1.0, 4.0]),
        draw=CONVEX,
        pinned=[{"kind": "flat or steep", "ratio": 0.5, "trial": 0}],
    ),
    evidence=Search(examples=5, adversary="functions that are flat or as steep as allowed along one direction"),
    idle={"step": 0.0},
    controls=[
        control("twice the rate", bound="(1 - lam/lip)**(2*k)"),
        control("half of the step", step=0.5),
        control("twice the step", step=2.0),
        control("minimisers apart", apart=1.0, without=sheet.footnote_3_common),
    ],
    blind={"lip": LIP_IS_A_UNIT},
    note="lip/lam log(1/eps) steps on one drawn f_i; f = (1/n) sum f_i lam-strongly convex, f_i lip-smooth; nearly "
    "met by f_i flat or steep along an axis; spread: root mean square grad f_i at f's minimiser",
)
def distance_after_steps(
    rng: Generator, n: int, d: int, lip: float, kind: str, ratio: float, *, step: float = 1.0, apart: float = 0.0
) -> Measured:
    """The mean squared distance to the minimiser over the first, after each of 300 steps, or until 10^(-30) is left."""
    problem: LeastSquares = least_squares(n, d, lip, kind, ratio, rng, apart)
    found = problem.distances(step / lip, MOST_STEPS)[1:]
    found = found[: 1 + int(np.argmax(found <= GONE))] if (found <= GONE).any() else found
    k = np.arange(1, len(found) + 1)
    symbols = {"lam": problem.lam, "spread": problem.spread, "k": k}
    walk = Walk(len(found), bool(found[-1] <= GONE))
    return Measured(found, error=ROUNDING_A_STEP * k * found, symbols=symbols, walk=walk)
