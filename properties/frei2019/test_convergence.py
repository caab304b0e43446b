"""frei2019, Appendix A.1 and Theorem 3.5: gradient descent on the logistic loss, step by step and as a whole.

Main claims: `iterate_in_the_ball` (4), `decrease_of_the_loss` (6) and `error_by_the_decrease` (7);
`distance_travelled` and `best_iterate`; Theorem 3.5 by `least_error`, `least_error_by_the_margin`, `radius_of_the_run`.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator
from sympy import Rational

from bounds.papers import frei2019 as sheet
from nets import LOGISTIC, Array, DataError, Network, RevealedGaussian, forward, residual_network
from properties.frei2019.perturbation import radius
from properties.frei2019.random_feature_margin import ONE_LABEL, MarginSource
from properties.frei2019.training_path import POINT_FAMILIES, Downhill, OneStep, Path, gradient_scales, unkind
from theory.claims import Measured, Regime, Verdict, choices, claim, control, form, grid, reals
from theory.evidence import Search

# Norms are rounded up, and constants from below rounded down, by this share where both sides of a claim can be equal.
ROUNDED_DOWN = 1.0 - 4e-12

STARTS = ("Gaussian", "against the labels", "small last layer")
RUNS = {
    "gamma": reals(0.03, 0.39, logarithmic=True),
    "theta": reals(0.01, 0.5, logarithmic=True),
    "length": reals(0.02, 1.0, logarithmic=True),
    "points": choices(*POINT_FAMILIES),
    "start": choices(*STARTS),
}
SIZES = [*grid(m=32, L=2, n=1, d=3), *grid(m=64, L=[2, 4], n=4, d=3)]
AGAINST = {"gamma": 0.2, "theta": 0.05, "length": 0.02, "points": "drawn", "start": "against the labels"}
KIND = {**AGAINST, "length": 0.5, "start": "Gaussian"}
# Where the last layer leads: with the 16fold one the first does.
SMALL_LAST = {**KIND, "start": "small last layer"}
# The logistic loss comes to no rest: a run has the K steps of its cell, as the statement has.
PATHS = Regime(
    cells=[*({**sizes, "K": 8} for sizes in SIZES), *grid(m=32, L=2, n=1, d=3, K=64)],
    thorough=[*grid(m=256, L=8, n=8, d=5, K=32), *grid(m=64, L=2, n=4, d=3, K=1000)],
    draw=RUNS,
    pinned=[AGAINST, KIND, SMALL_LAST],
)


# Those of which a control takes the largest.
LAYERS = {"": slice(None), "first": slice(1), "last": slice(-1, None)}


def _start(
    rng: Generator, m: int, L: int, n: int, d: int, gamma: float, theta: float, points: str, start: str
) -> tuple[Network, Array, Array]:
    """A network, and points of the margin gamma with their labels.

    Against the labels, the last layer is so large, and its signs so chosen, that errors are near 1; a small one has a
    16th of its size. Raises `DataError` where no gate of the last layer is open at any of the points.
    """
    X, y = unkind(*MarginSource(gamma).draw(n, d, rng), points, rng)
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    fwd = forward(net, X)
    if not fwd.masks[-1].any():
        raise DataError(f"outputs of {m} neurons that no weight moves, as all gates are closed: take more neurons")
    if start == "small last layer":
        return net.with_weights([*net.weights[:-1], net.weights[-1] / 16.0]), X, y
    if start == "Gaussian":
        return net, X, y
    wrong = -float(np.sign(y @ fwd.output)) or 1.0
    return Network((*net.weights[:-1], 16.0 * net.weights[-1]), wrong * net.v, net.steps), X, y


@claim(
    "frei2019:eq-4",
    bound="tau",
    premises=[
        "iterate k - 1 in the inner half of the ball [Appendix A.1: all before k are within tau/2]: tau >= 2*D",
        "step that does not leave the ball [Appendix A.1, before (4)]: 2*Gmax*eta*sqrt(m) <= tau",
        "scale of at most 1, so that no residual layer moves further than Gmax lets it: theta <= 1",
    ],
    regime=Regime(
        cells=SIZES,
        thorough=grid(m=256, L=8, n=8, d=5),
        draw={**RUNS, "k": st.integers(1, 6)},
        pinned=[{**AGAINST, "k": 2}, {**AGAINST, "k": 4}, {**KIND, "k": 1}, {**SMALL_LAST, "k": 2}],
    ),
    measured=["tau", "D", "Gmax", "eta"],
    evidence=Search(examples=8, adversary="one sample with a large wrong output, whose gradient does not turn"),
    idle={"taken": 0.0},
    controls=[
        control("two steps", taken=2.0),
        control("a radius of two steps", least="step", without="tau >= 2*D"),
        control("a radius of the distance before", least="distance", without="2*Gmax*eta*sqrt(m) <= tau"),
        control("D and Gmax of the first layer alone", layers="first"),
        control("D and Gmax of the last layer alone", layers="last"),
    ],
    blind={"premise theta <= 1": "draws go to 1/2; beyond 1 it takes a loss that rises before the step"},
    note="the step of an induction, k - 1 to k, Gmax for the C_1 of Lemma 4.4; tau is the least radius with both "
    "premises. Starts are Gaussian, or have a 16th of the last layer, or 16 times it, with signs against the labels",
)
def iterate_in_the_ball(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    gamma: float,
    theta: float,
    length: float,
    points: str,
    start: str,
    k: int,
    *,
    taken: float = 1.0,
    least: str = "",
    layers: str = "",
) -> Measured:
    """The largest ||W_l^(k) - W_l^(0)||_F over the layers after k steps of descent, D being that after k - 1.

    Gmax is the largest ||grad_{W_l} L_S||_F/(sqrt(m) E_S) before any of them, over theta too in residual layers.
    """
    net, X, y = _start(rng, m, L, n, d, gamma, theta, points, start)
    path = Path.of(net, X, y, length / m, k, theta, gamma)
    drift = path.trajectory.drift_frobenius
    before, constant = (float(of[LAYERS[layers]].max()) for of in (drift[k - 1], path.gradient_constants))
    step = constant * path.eta * np.sqrt(m)
    tau = {"step": 2.0 * step, "distance": 2.0 * before}.get(least, 2.0 * max(before, step))
    moved = float(drift[k].max())
    if taken != 1.0:
        moved = float(Path.of(net, X, y, taken * path.eta, k, theta, gamma).trajectory.drift_frobenius.max())
    symbols = {"tau": max(tau / ROUNDED_DOWN, 1e-300), "D": before, "Gmax": constant, "eta": path.eta}
    return Measured(moved, symbols=symbols)


WIDE = {"n": 4, "d": 3, "delta": 0.1, "gamma": 0.35, "K": 20}
RUN_OF_A_HUNDRED = grid(m=96, L=2, **{**WIDE, "K": 100})
TOO_NARROW = Regime(
    cells=[*grid(m=128, L=2, **WIDE), *grid(m=256, L=4, **WIDE)],
    thorough=grid(m=256, L=8, **WIDE),
    derived={"eta": lambda m, gamma: 20.0 * gamma**4 / m},
    pinned=[{"trial": 0}],
)


def _path(rng: Generator, m: int, L: int, n: int, d: int, gamma: float, eta: float, K: int) -> Path:
    """K steps from a Gaussian start with theta L = 1/500, on points of the margin gamma."""
    theta = 0.002 / L
    net, X, y = _start(rng, m, L, n, d, gamma, theta, "drawn", "Gaussian")
    return Path.of(net, X, y, eta, K, theta, gamma)


@claim(
    "frei2019:eq-6",
    bound=">= C*eta*m*gamma**4*ES**2",
    constants={"C": (Rational(1, 76800), "half of the constant of Lemma 4.3: the other half is for the bracket")},
    premises=[
        sheet.theorem_35_width.reads("m >= d*log(m)**2*log(m*log(m)**(3/2)/(gamma**12*delta))/gamma**16"),
        sheet.theorem_35_time.reads("m*gamma**24 >= K*log(m)**3*sqrt(log(n/delta))"),
    ],
    regime=TOO_NARROW,
    measured=["ES"],
    evidence=Search(examples=1),
    expected=Verdict.VACUOUS,
    controls=[
        control("ascent", taken=-1.0),
        control("nothing done", taken=0.0),
        control("the number 40000 for 1/76800", bound="40000*eta*m*gamma**4*ES**2"),
    ],
    note="premises at tau = gamma^12 log(m)^(-3/2), eta = gamma^4/m, hidden constants 1: a width of 18 digits. One "
    "run, of eta = 20 gamma^4/m, far narrower; no probability is judged. The constant is met 10^6 times over",
)
def decrease_of_the_loss(
    rng: Generator, m: int, L: int, n: int, d: int, gamma: float, eta: float, K: int, *, taken: float = 1.0
) -> Measured:
    """The decrease L_S(W^(k)) - L_S(W^(k+1)) in each of K steps, ES being E_S(W^(k)); theta L is 1/500.

    Steps have a size eta of 20 gamma^4/m at most, for the O(gamma^4/m) of print.
    """
    path = _path(rng, m, L, n, d, gamma, taken * eta, K)
    return Measured(path.falls, symbols={"ES": path.errors[:-1]})


@claim(
    "frei2019:eq-7",
    bound="C*fall/(eta*m*gamma**4)",
    constants={"C": (76800, "the inverse of that of (6)")},
    premises=[
        sheet.theorem_35_width.reads("m >= d*log(m)**2*log(m*log(m)**(3/2)/(gamma**12*delta))/gamma**16"),
        sheet.theorem_35_time.reads("m*gamma**24 >= K*log(m)**3*sqrt(log(n/delta))"),
    ],
    regime=TOO_NARROW,
    measured=["fall"],
    evidence=Search(examples=1),
    expected=Verdict.VACUOUS,
    controls=[
        control("ascent", taken=-1.0),
        control("nothing done", taken=0.0),
        control("the number 1/40000 for 76800", bound="fall/(40000*eta*m*gamma**4)"),
    ],
    note="(6), solved for the error; premises at tau = gamma^12 log(m)^(-3/2), eta = gamma^4/m, hidden constants 1. "
    "One run, of eta = 20 gamma^4/m, which has no such width; no probability is judged",
)
def error_by_the_decrease(
    rng: Generator, m: int, L: int, n: int, d: int, gamma: float, eta: float, K: int, *, taken: float = 1.0
) -> Measured:
    """The square E_S(W^(k))^2 before each of K steps, fall being L_S(W^(k)) - L_S(W^(k+1)); theta L is 1/500.

    Steps have a size eta of 20 gamma^4/m at most, for the O(gamma^4/m) of print.
    """
    path = _path(rng, m, L, n, d, gamma, taken * eta, K)
    return Measured(path.errors[:-1] ** 2, symbols={"fall": path.falls})


def _allowed(start: Downhill, m: int, gamma: float, share: float) -> tuple[float, float]:
    """The longest step, of a falling row of sizes, that takes `share` of what the errors allow; and c0 before it."""
    c0 = ROUNDED_DOWN * float(start.norms[1][-1] ** 2 / (m * gamma**4 * start.error**2))
    error, eta = start.error, 16.0 / m
    while eta > 1e-9 / m:
        step = start.step(eta)
        if 2.0 * error * step.beyond + step.moved**2 / 4.0 <= share * eta * c0 * m * gamma**4 * error**2:
            break
        eta *= 0.7
    return eta, c0


STEPS = Regime(
    cells=[*grid(m=32, L=2, n=1, d=3), *grid(m=64, L=[2, 4], n=4, d=3)],
    thorough=grid(m=256, L=8, n=8, d=5),
    draw={name: drawn for name, drawn in RUNS.items() if name not in ("length", "start")}
    | {"small": reals(0.05, 1.0, logarithmic=True)},
    pinned=[{"gamma": 0.3, "theta": 0.05, "points": "drawn", "small": 0.05}],
)


def _small_last(
    rng: Generator, m: int, L: int, n: int, d: int, gamma: float, theta: float, points: str, small: float
) -> tuple[Network, Array, Array]:
    """A start whose last layer is `small`, so that its own gradient is nearly all there is."""
    net, X, y = _start(rng, m, L, n, d, gamma, theta, points, "Gaussian")
    return net.with_weights([*net.weights[:-1], small * net.weights[-1]]), X, y


TAKEN_UP = "c0 or kappa takes it up: lemma-4.3-sharp sees gamma, m and E_S, theorem-3.5-certified eta"


@claim(
    "frei2019:eq-6-certified",
    title="decrease of the loss in a step whose measured errors take half of the last layer's gradient at most",
    bound=">= eta*c0*m*gamma**4*ES**2/2",
    premises=sheet.eq_6_errors.reads("eta*c0*m*gamma**4*ES**2 >= 2*ES*change + dout**2/4"),
    regime=STEPS,
    measured=["eta", "c0", "ES", "change", "dout"],
    normalised={"c0": "m*gamma**4*ES**2"},
    evidence=Search(examples=8, adversary="a last layer so small that the others' gradients do not help"),
    idle={"taken": 0.0},
    controls=[
        control("ascent", taken=-1.0),
        control("a third of the step", taken=1.0 / 3.0),
        control("labels left out of the gradient", labelled=False, cells=grid(m=64, L=2, n=4, d=3)),
        control("step 200 times as long", longer=200.0, without=sheet.eq_6_errors),
        control("the error itself", bound="ES*c0*eta*gamma**4*m/2"),
    ],
    note="c0 is ||grad_{W_(L+1)} L_S||_F^2/(m gamma^4 ES^2) before the step, change the largest |f^ - f~ - <W^ - W~, "
    "grad f~>|; steps as long as the premise allows, from a last layer of 5 to 100 % of its size. The margin cancels",
    blind=dict.fromkeys(("gamma", "ES", "m"), TAKEN_UP),
)
def decrease_by_the_last_layer(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    gamma: float,
    theta: float,
    points: str,
    small: float,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
    labelled: bool = True,
) -> Measured:
    """The decrease of L_S in a step that takes outputs f~ to f^; dout^2 is the mean of (f^ - f~)^2 over the samples."""
    net, X, y = _small_last(rng, m, L, n, d, gamma, theta, points, small)
    start = Downhill.of(net, X, y)
    eta, c0 = _allowed(start, m, gamma, ROUNDED_DOWN)
    step = start.step(longer * eta)
    fall = step.fall if taken == 1.0 else start.step(taken * eta).fall
    if not labelled:
        after = OneStep.of(net, X, np.abs(y), eta).after
        fall = float(np.mean(LOGISTIC.value(y * start.fwd.output) - LOGISTIC.value(y * after.output)))
    symbols = {"eta": longer * eta, "c0": c0, "ES": step.error, "change": step.beyond, "dout": step.moved}
    return Measured(fall, error=1e-13, symbols=symbols)


@claim(
    "frei2019:eq-7-certified",
    title="surrogate error by what the loss falls by, at every step of a run with measured errors",
    bound="2*fall/(c0*eta*m*gamma**4)",
    premises=sheet.eq_6_errors.reads("eta*c0*m*gamma**4*ES**2 >= 2*ES*change + dout**2/4"),
    regime=Regime(
        cells=STEPS.cells,
        thorough=STEPS.thorough,
        draw={**STEPS.draw, "k": st.integers(1, 3)},
        pinned=[{**STEPS.pinned[0], "k": 2}],
    ),
    measured=["fall", "eta", "c0", "ES", "change", "dout"],
    normalised={"c0": "m*gamma**4*ES**2"},
    evidence=Search(examples=6, adversary="a last layer so small that the others' gradients do not help"),
    idle={"taken": 0.0},
    controls=[
        control("ascent", taken=-1.0),
        control("a third of the step", taken=1.0 / 3.0),
        control("step 200 times as long", longer=200.0, without=sheet.eq_6_errors),
        control("square of the decrease", bound="2*fall**2/(c0*eta*m*gamma**4)"),
    ],
    note="c0 is ||grad_{W_(L+1)} L_S||_F^2/(m gamma^4 ES^2) before the step, change the largest |f^ - f~ - <W^ - W~, "
    "grad f~>|; steps take half of what the start allows, of a last layer of 5 to 100 % of its size",
    blind=dict.fromkeys(("gamma", "m"), TAKEN_UP),
)
def error_at_each_step(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    gamma: float,
    theta: float,
    points: str,
    small: float,
    k: int,
    *,
    taken: float = 1.0,
    longer: float = 1.0,
) -> Measured:
    """The square ES^2 before step k, in which L_S falls by fall, outputs f~ go to f^; dout^2 is mean (f^ - f~)^2."""
    net, X, y = _small_last(rng, m, L, n, d, gamma, theta, points, small)
    reached = Downhill.of(net, X, y)
    eta = longer * _allowed(reached, m, gamma, 0.5)[0]
    for _ in range(k - 1):
        reached = reached.step(eta).reached
    step = reached.step(eta)
    fall = step.fall if taken == 1.0 else reached.step(taken * eta).fall
    symbols = {
        "fall": fall,
        "eta": eta,
        "c0": ROUNDED_DOWN * float(step.frobenius_norms[-1] ** 2 / (m * gamma**4 * step.error**2)),
        "ES": step.error,
        "change": step.beyond,
        "dout": step.moved,
    }
    return Measured(step.error**2, symbols=symbols)


SHORTENED = "steps are halved until the loss falls at each"


def _falling(net: Network, X: Array, y: Array, eta: float, K: int, theta: float, gamma: float) -> Path:
    """The run of K steps of the size eta, halved until the loss falls at each, up to forty times.

    A long step may close all gates of the last layer, after which there is nothing left to descend.
    """
    for size in eta * 0.5 ** np.arange(41):
        path = Path.of(net, X, y, float(size), K, theta, gamma)
        if path.falls.min() > 0.0:
            break
    return path


@claim(
    "frei2019:a1-displacement",
    bound="Gmax*sqrt(k*eta*fall/kappa)/gamma**2",
    premises=[
        "loss that falls in every step [Theorem 3.5, (6)]: drop > 0",
        "scale of at most 1, so that no residual layer moves further than Gmax lets it: theta <= 1",
    ],
    regime=PATHS,
    measured=["Gmax", "k", "eta", "fall", "drop", "kappa"],
    normalised={"Gmax": "sqrt(m)", "kappa": "eta*m*gamma**4"},
    evidence=Search(examples=8, adversary="one sample with a large wrong output, whose gradient does not turn"),
    idle={"taken": 0.0},
    controls=[
        control("decrease of the last step for that of all, as in print", index="last"),
        control("nine tenths of it", bound="9/10*Gmax*sqrt(k*eta*fall/kappa)/gamma**2"),
        control("two steps", taken=2.0),
        control("the margin once", bound="Gmax*sqrt(k*eta*fall/kappa)/gamma"),
        control("Gmax of the first layer alone", layers="first"),
        control("Gmax of the last layer alone", layers="last"),
    ],
    note="Gmax is the largest ||grad_{W_l} L_S||_F/(sqrt(m) E_S) before a step, over theta too if residual; in print "
    "the summand has the index k. Starts are Gaussian, or have 16 times the last layer or a 16th of it",
    scope="chain: before (8), with the constants of gradient and decrease that the path has",
    blind={
        "gamma": TAKEN_UP,
        "premise drop > 0": SHORTENED,
        "premise theta <= 1": "draws go to 1/2; at 2, in eight layers, twice the bound is met",
    },
)
def distance_travelled(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    K: int,
    gamma: float,
    theta: float,
    length: float,
    points: str,
    start: str,
    *,
    taken: float = 1.0,
    index: str = "",
    layers: str = "",
) -> Measured:
    """The largest ||W_l^(k) - W_l^(0)||_F over the layers, for each k <= K, fall being L_S(W^(0)) - L_S(W^(k)).

    drop is the least L_S(W^(j)) - L_S(W^(j+1)) of all K steps, kappa the least of it over eta m gamma^4 E_S(W^(j))^2.
    """
    net, X, y = _start(rng, m, L, n, d, gamma, theta, points, start)
    path = _falling(net, X, y, length / m, K, theta, gamma)
    moved = path.trajectory
    if taken != 1.0:
        moved = Path.of(net, X, y, taken * path.eta, K, theta, gamma).trajectory
    k = np.arange(1, K + 1)
    falls = k * path.falls if index == "last" else np.cumsum(path.falls)
    gradient, drop = path.gradient_constants[LAYERS[layers]].max() / ROUNDED_DOWN, path.falls.min()
    symbols = {"k": k, "eta": path.eta, "fall": falls, "drop": float(drop), "kappa": path.decrease_constant}
    return Measured(moved.drift_frobenius.max(axis=1)[1:], symbols={**symbols, "Gmax": float(gradient)})


@claim(
    "frei2019:a1-telescoping",
    bound="sqrt(fall/(kappa*K*eta*m))/gamma**2",
    premises="loss that falls in every step [Theorem 3.5, (6)]: drop > 0",
    regime=Regime(
        cells=[*grid(m=32, L=2, n=1, d=3, K=1), *grid(m=64, L=[2, 4], n=4, d=3, K=[2, 8])],
        thorough=grid(m=256, L=8, n=8, d=5, K=16),
        draw=RUNS,
        pinned=[AGAINST, KIND],
        most={"L": 12},
    ),
    measured=["fall", "drop", "kappa", "eta"],
    normalised={"kappa": "eta*m*gamma**4"},
    evidence=Search(examples=6, adversary="outputs far below zero, where errors hardly change"),
    idle={"taken": 0.0},
    controls=[
        control("sum from 1 to K, as in print", index="later", cells=grid(m=64, L=2, n=4, d=3, K=2)),
        control("nine tenths of it", bound="9/10*sqrt(fall/(kappa*K*eta*m))/gamma**2"),
        control("largest error", best=False),
        control("half of each step", taken=0.5),
    ],
    note="in print the sum runs from 1 to K, over the errors after the steps. Starts are Gaussian, or have 16 times "
    "the last layer or a 16th of it; eta is so small that the loss falls at each step",
    scope="chain: before (8), with the constant of the decrease that the path has",
    blind={**dict.fromkeys(("eta", "gamma", "m"), TAKEN_UP), "premise drop > 0": SHORTENED},
)
def best_iterate(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    K: int,
    gamma: float,
    theta: float,
    length: float,
    points: str,
    start: str,
    *,
    taken: float = 1.0,
    index: str = "",
    best: bool = True,
) -> Measured:
    """The least E_S(W^(k)) over k < K, fall being L_S(W^(0)) - L_S(W^(K)).

    drop is the least L_S(W^(k)) - L_S(W^(k+1)) of all K steps, kappa the least of it over eta m gamma^4 E_S(W^(k))^2.
    """
    net, X, y = _start(rng, m, L, n, d, gamma, theta, points, start)
    path = _falling(net, X, y, length / m, K, theta, gamma)
    eta, kappa, errors = path.eta, path.decrease_constant, path.errors[:-1]
    fall = float(path.falls.sum())
    if index == "later":
        kappa = fall / (eta * m * gamma**4 * float(np.sum(path.errors[1:] ** 2)))
    if taken != 1.0:
        fall = float(Path.of(net, X, y, taken * eta, K, theta, gamma).falls.sum())
    symbols = {"fall": fall, "drop": float(path.falls.min()), "kappa": ROUNDED_DOWN * kappa, "eta": eta}
    return Measured(errors.min() if best else errors.max(), symbols=symbols)


@claim(
    "frei2019:theorem-3.5",
    bound="C*log(n/delta)**(1/4)/(gamma**2*sqrt(K*eta*m))",
    constants={"C": (Rational(1, 10), "hidden; so small that the start does not meet it")},
    premises=[
        sheet.theorem_35_width.reads("m >= d*log(m)**2*log(m*log(m)**(3/2)/(gamma**12*delta))/gamma**16"),
        sheet.theorem_35_time.reads("m*gamma**24 >= K*log(m)**3*sqrt(log(n/delta))"),
    ],
    regime=Regime(
        cells=[*RUN_OF_A_HUNDRED, *grid(m=128, L=3, **{**WIDE, "K": 100})],
        thorough=[*grid(m=256, L=8, **{**WIDE, "K": 100}), *grid(m=512, L=2, **{**WIDE, "K": 100})],
        derived={"eta": lambda m, gamma: 20.0 * gamma**4 / m},
        pinned=[{"trial": 0}],
    ),
    evidence=Search(examples=1),
    expected=Verdict.VACUOUS,
    controls=[
        control("a tenth of the steps", hurry=10, cells=RUN_OF_A_HUNDRED),
        control("a tenth of the step size", taken=0.1, cells=RUN_OF_A_HUNDRED),
        control("ascent", taken=-1.0, cells=RUN_OF_A_HUNDRED),
        control("nothing done", taken=0.0, cells=RUN_OF_A_HUNDRED),
        control("equal points with opposite labels", merged=True, cells=RUN_OF_A_HUNDRED),
    ],
    note="premises at tau = gamma^12 log(m)^(-3/2), eta = gamma^4/m, hidden constants 1: a width of some 20 digits. "
    "One run, of eta = 20 gamma^4/m, far narrower; no probability is judged, theorem-3.5-radius has the ball",
)
def least_error(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    gamma: float,
    eta: float,
    K: int,
    *,
    taken: float = 1.0,
    hurry: int = 1,
    merged: bool = False,
) -> float:
    """The least E_S(W^(k)) over k < K, of K steps of gradient descent from a Gaussian start with theta L = 1/500."""
    theta = 0.002 / L
    net, X, y = _start(rng, m, L, n, d, gamma, theta, "drawn", "Gaussian")
    if merged:
        X = np.repeat(X[:1], n, axis=0)
        y = np.resize([1.0, -1.0], n)
    return float(Path.of(net, X, y, taken * eta, K // hurry, theta, gamma).errors[:-1].min())


# By Lemma 4.3 with half of the square of the margin, as Lemma B.6 has it and descent keeps it: it opens the gates of
# neurons for the samples of their sign and closes the others, which adds to the squares. The premises are those of
# lemma-4.3-sharp; the last layer is small, so that the gradients of the others hardly help.
OF_A_MARGIN = Regime(
    cells=[
        *grid(gamma=0.39, law="rings", m=1024, d=2, L=2, n=16, delta=0.5, K=3, pace=1.0),
        *grid(gamma=0.2, law="rings", m=1400, d=3, L=2, n=32, delta=0.5, K=1, pace=0.25),
        # Labels that are all +1, at the axes and their antipodes, where no labels are in another order.
        *grid(gamma=0.398, law=ONE_LABEL, m=640, d=8, L=2, n=16, delta=0.5, K=2, pace=0.25),
    ],
    thorough=grid(gamma=0.2, law="rings", m=3000, d=3, L=4, n=32, delta=0.5, K=3, pace=0.5),
    derived={"theta": lambda gamma, L: gamma / (17.0 * L), "eta": lambda m, pace: pace / m},
    draw={"small": reals(0.02, 0.1, logarithmic=True)},
    pinned=[{"small": 0.02}],
)
# The errors fall to a third of what they are at the start, at four points, which is all that the edge has in the plane.
LOW_ERRORS = [{**OF_A_MARGIN.cells[0], "m": 3000, "n": 4, "K": 12, "pace": 3.0}]
# So small a margin that one power of it less is beyond what the constant leaves.
SMALL_MARGIN = [{**OF_A_MARGIN.cells[1], "gamma": 0.14, "m": 3000, "n": 16}]
# Steps so long, and so many, that the errors fall to half and less of what they are at the start.
# The least width that the margin allows, and one at which powers of it are far apart.
NARROW_AND_WIDE = [{**OF_A_MARGIN.cells[0], "n": 4, "K": 1, "m": m} for m in (176, 2**14)]
STEP_BY_STEP = replace(
    OF_A_MARGIN, cells=[{**OF_A_MARGIN.cells[0], "K": 5, "pace": 2.0}, *SMALL_MARGIN, *LOW_ERRORS, *NARROW_AND_WIDE]
)
# Four steps so short that a run which stands still after one of them misses the bound.
SHORT_STEPS = [{**OF_A_MARGIN.cells[2], "K": 4, "pace": 0.125}]
# Longer steps and more of them, so that K eta m is far from 1.
OF_LONG_STEPS = replace(
    OF_A_MARGIN, cells=[{**OF_A_MARGIN.cells[0], "K": 8, "pace": 2.0}, *SMALL_MARGIN, *SHORT_STEPS, *NARROW_AND_WIDE]
)
NO_OTHER_LAYER = "points of the least margin, a last layer so small that no other one helps"
ELSEWHERE = {
    f"premise {sheet.prop_c5_width.text}": "as the scale: proposition-C.5 sees it",
    f"premise {sheet.prop_c5_scale.text}": "as it is for Lemma 4.3: proposition-C.5 sees it",
    f"premise {sheet.lemma_b6_sharp_samples.text}": "many samples in hundreds of dimensions are dear",
    f"premise {sheet.lemma_43_sharp_radius.text}": "lemma-4.3-sharp sees it",
    f"premise {sheet.lemma_43_sharp_level.text}": "chances below e^(-d) are none that a few runs see",
    f"premise {sheet.theorem_35_errors.text}": "steps so long leave the ball as well: eq-6-certified sees it",
}


class _Run(NamedTuple):
    """A run of which every step is looked at: errors before the steps, falls in them, how far it led, and symbols.

    `farthest` is the largest distance from the start behind a step, `constants` are the Gmax of each layer.
    """

    errors: Array
    falls: Array
    far: float
    farthest: float
    constants: Array
    symbols: dict[str, float]


def _of_a_margin(
    rng: Generator,
    sizes: tuple[int, int, int, int, int],
    law: tuple[str, float],
    theta: float,
    eta: float,
    small: float,
    taken: float,
    coins: bool,
    moving: int | None = None,
) -> _Run:
    """K steps at n points of the edge of a law, where the margin is least; the last layer is `small`.

    So the gradients of the other layers hardly help. With `moving` the run stands still after so many steps.
    """
    (m, d, L, n, K), gamma = sizes, law[1]
    X, y = MarginSource(gamma, law[0]).edge(n, d)
    y = rng.permutation(y) if coins else y
    # Revealed at any width, as few points pass the layers; of that kind a small layer is drawn, not scaled.
    net = residual_network((d, *[m] * (L + 1)), theta, rng, stored=0)
    start = net.with_weights([*net.weights[:-1], RevealedGaussian(m, m, small * math.sqrt(2.0 / m), rng)])
    met, falls, distances, reached = list[OneStep](), list[float](), list[float](), Downhill.of(start, X, y)
    for k in range(K):
        met.append(reached.step(eta))
        part = taken if moving is None or k < moving else 0.0
        done = met[-1] if part == 1.0 else reached.step(part * eta)
        falls.append(done.fall)
        reached = done.reached
        distances.append(radius(start, reached.net))
    scales = np.sqrt(m) * gradient_scales(L, theta)
    longest = np.max([step.frobenius_norms / (scales * step.error) for step in met], axis=0)
    symbols = {
        "fall": max(sum(falls), 0.0),
        "Gmax": float(longest.max()) / ROUNDED_DOWN,
        # Of half of what the last layer gives, which is at least half of m gamma^2 ES^2.
        "rise": max((s.error * s.beyond + s.moved**2 / 8.0) / (eta * m * (gamma * s.error) ** 2 / 4.0) for s in met),
    }
    errors = np.array([step.error for step in met])
    return _Run(errors, np.array(falls), distances[-1], max(distances), longest, symbols)


@claim(
    "frei2019:eq-6-margin",
    title="decrease of the loss in each step of a run by the margin, for steps whose errors are measured",
    bound=">= eta*m*gamma**2*ES**2/4",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
        sheet.lemma_b6_sharp_samples.reads("m >= n"),
        sheet.lemma_43_sharp_radius.reads("tau <= C*gamma"),
        sheet.lemma_43_sharp_level.reads("m*gamma**2 >= C*log(1/delta)"),
        sheet.theorem_35_errors.reads("rise <= 1"),
    ],
    regime=STEP_BY_STEP,
    measured=["ES", "rise", "tau"],
    evidence=Search(examples=3, adversary=NO_OTHER_LAYER),
    idle={"taken": 0.0},
    controls=[
        control("labels in another order, of no margin", coins=True),
        control("a tenth of each step", taken=0.1),
        control("the error itself", bound="eta*m*gamma**2*ES/4", cells=LOW_ERRORS),
        control("the margin once", bound="eta*m*gamma*ES**2/4", cells=SMALL_MARGIN),
        control("1/56 for 1/4, order 3/2 of m", bound="eta*m**(3/2)*gamma**2*ES**2/56", cells=NARROW_AND_WIDE),
    ],
    blind=ELSEWHERE,
    scope="chain: 1 to 12 steps, of K = tau^2 gamma^4/(eta sqrt(log(n/delta))), 0.003 to 2.5 here at tau = gamma/4",
    note="gamma^4 in print. tau is the largest ||W_l^(k) - W_l^(0)||_F, rise the largest (ES b + s^2/8)/(eta m gamma^2 "
    "ES^2/4) of a step, outputs moving by s in root mean square, by b at most beyond first order",
)
def decrease_by_the_margin(
    rng: Generator,
    m: int,
    d: int,
    L: int,
    n: int,
    K: int,
    gamma: float,
    law: str,
    theta: float,
    eta: float,
    small: float,
    *,
    taken: float = 1.0,
    coins: bool = False,
) -> Measured:
    """The decrease L_S(W^(k)) - L_S(W^(k+1)) in each of K steps, ES = E_S(W^(k)); the last layer at 2 to 10 % first.

    The bound is for all starts but for a chance delta: no rate is judged, and none that is met may fail.
    """
    run = _of_a_margin(rng, (m, d, L, n, K), (law, gamma), theta, eta, small, taken, coins)
    return Measured(run.falls, symbols={"ES": run.errors, "rise": run.symbols["rise"], "tau": run.farthest})


@claim(
    "frei2019:eq-7-margin",
    title="surrogate error before each step of a run by the decrease of the loss in it and the margin",
    bound="4*fall/(eta*m*gamma**2)",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
        sheet.lemma_b6_sharp_samples.reads("m >= n"),
        sheet.lemma_43_sharp_radius.reads("tau <= C*gamma"),
        sheet.lemma_43_sharp_level.reads("m*gamma**2 >= C*log(1/delta)"),
        sheet.theorem_35_errors.reads("rise <= 1"),
    ],
    regime=STEP_BY_STEP,
    measured=["fall", "rise", "tau"],
    evidence=Search(examples=3, adversary=NO_OTHER_LAYER),
    idle={"taken": 0.0},
    controls=[
        control("labels in another order, of no margin", coins=True),
        control("a tenth of each step", taken=0.1),
        control("the error itself", power=1.0, cells=LOW_ERRORS),
        control("the margin once", bound="4*fall/(eta*m*gamma)", cells=SMALL_MARGIN),
        control("56 for 4, order 3/2 of m", bound="56*fall/(eta*m**(3/2)*gamma**2)", cells=NARROW_AND_WIDE),
    ],
    blind=ELSEWHERE,
    scope="chain: 1 to 12 steps, of K = tau^2 gamma^4/(eta sqrt(log(n/delta))), 0.003 to 2.5 here at tau = gamma/4",
    note="(6) with gamma^2, for ES. tau is the largest ||W_l^(k) - W_l^(0)||_F, rise the largest (ES b + s^2/8)/(eta m "
    "gamma^2 ES^2/4) of a step, outputs moving by s in root mean square, b at most beyond first order",
)
def error_by_the_margin(
    rng: Generator,
    m: int,
    d: int,
    L: int,
    n: int,
    K: int,
    gamma: float,
    law: str,
    theta: float,
    eta: float,
    small: float,
    *,
    taken: float = 1.0,
    coins: bool = False,
    power: float = 2.0,
) -> Measured:
    """The square E_S(W^(k))^2 before each of K steps, fall = L_S(W^(k)) - L_S(W^(k+1)); last layer from 2 to 10 %.

    The bound is for all starts but for a chance delta: no rate is judged, and none that is met may fail.
    """
    run = _of_a_margin(rng, (m, d, L, n, K), (law, gamma), theta, eta, small, taken, coins)
    symbols = {"fall": np.maximum(run.falls, 0.0), "rise": run.symbols["rise"], "tau": run.farthest}
    return Measured(run.errors**power, symbols=symbols)


@claim(
    "frei2019:theorem-3.5-certified",
    title="least surrogate error of a run by the margin, for steps whose errors are measured",
    bound="2*sqrt(fall/(K*eta*m))/gamma",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
        sheet.lemma_b6_sharp_samples.reads("m >= n"),
        sheet.lemma_43_sharp_radius.reads("tau <= C*gamma"),
        sheet.lemma_43_sharp_level.reads("m*gamma**2 >= C*log(1/delta)"),
        sheet.theorem_35_errors.reads("rise <= 1"),
    ],
    regime=OF_LONG_STEPS,
    measured=["fall", "rise", "tau"],
    evidence=Search(examples=3, adversary=NO_OTHER_LAYER),
    idle={"taken": 0.0},
    controls=[
        control("exponent 1 of K*eta*m", bound="2*sqrt(fall)/(K*eta*m*gamma)", cells=OF_LONG_STEPS.cells[:1]),
        control("labels in another order, of no margin", coins=True, cells=OF_LONG_STEPS.cells[:2]),
        control("a tenth of each step", taken=0.1, cells=SHORT_STEPS),
        control("no step after the first one", moving=1, cells=SHORT_STEPS),
        control("26 for 2, m for its root", bound="26*sqrt(fall/(K*eta))/(m*gamma)", cells=NARROW_AND_WIDE),
    ],
    blind=ELSEWHERE,
    scope="chain: 1 to 8 steps, of K = tau^2 gamma^4/(eta sqrt(log(n/delta))), 0.003 to 2.5 here at tau = gamma/4",
    note="fall is L_S(W^(0)) - L_S(W^(K)), tau the largest ||W_l^(k) - W_l^(0)||_F for k <= K, rise the largest (ES b "
    "+ s^2/8)/(eta m gamma^2 ES^2/4) of a step, outputs moving by s in root mean square, by b at most beyond first "
    "order. Print: gamma^2",
)
def least_error_by_the_margin(
    rng: Generator,
    m: int,
    d: int,
    L: int,
    n: int,
    K: int,
    gamma: float,
    law: str,
    theta: float,
    eta: float,
    small: float,
    *,
    taken: float = 1.0,
    coins: bool = False,
    moving: int | None = None,
) -> Measured:
    """The least E_S(W^(k)) over k < K, of K steps of descent from a last layer of 2 to 10 % of its size.

    The bound is for all starts but for a chance delta: no rate is judged, and none that is met may fail.
    """
    run = _of_a_margin(rng, (m, d, L, n, K), (law, gamma), theta, eta, small, taken, coins, moving)
    symbols = {"fall": run.symbols["fall"], "rise": run.symbols["rise"], "tau": run.farthest}
    return Measured(float(run.errors.min()), symbols=symbols)


@claim(
    "frei2019:theorem-3.5-radius",
    title="distance from the start after a run as long as the radius allows, by the margin",
    bound="tau/2",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
        sheet.lemma_b6_sharp_samples.reads("m >= n"),
        sheet.lemma_43_sharp_radius.reads("tau <= C*gamma"),
        sheet.lemma_43_sharp_level.reads("m*gamma**2 >= C*log(1/delta)"),
        sheet.theorem_35_errors.reads("rise <= 1"),
        (
            "radius of at least the length of the path [Theorem 3.5: the condition on K eta]: "
            "tau*gamma >= 4*Gmax*sqrt(K*eta*fall)"
        ),
    ],
    regime=OF_A_MARGIN,
    measured=["tau", "fall", "Gmax", "rise"],
    evidence=Search(examples=3, adversary=NO_OTHER_LAYER),
    idle={"taken": 0.0},
    controls=[
        control("labels in another order, of no margin", coins=True, cells=OF_A_MARGIN.cells[:2]),
        control(
            "half of the radius", times=0.5, cells=OF_A_MARGIN.cells[2:], without="tau*gamma >= 4*Gmax*sqrt(K*eta*fall)"
        ),
        control("Gmax of the first layer alone", first=True, cells=OF_A_MARGIN.cells[2:]),
    ],
    blind=ELSEWHERE,
    scope="chain: 1 to 3 steps, of K = tau^2 gamma^4/(eta sqrt(log(n/delta))), 0.01 to 0.4 here at tau = gamma/4",
    note="tau is the least allowed; fall is L_S(W^(0)) - L_S(W^(K)); over steps Gmax is the largest "
    "||grad_{W_l} L_S||_F/(sqrt(m) E_S), over theta too at residual l, rise the largest (ES b+s^2/8)/(eta m gamma^2 "
    "ES^2/4), outputs moving by s (root mean square), b at most beyond first order. Printed for all k",
)
@form(
    "radius-sharp",
    title="distance from the start after a run, by the margin and by what kinks and curvature take",
    # Nothing tried meets the rise, which bounds what a step can lose: without it the ratio is 0.85 up to a rise of 1.8.
    bound="2*Gmax*sqrt(K*eta*fall/(2 - rise))/gamma",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
        sheet.lemma_b6_sharp_samples.reads("m >= n"),
        sheet.lemma_43_sharp_radius.reads("tau <= C*gamma"),
        sheet.lemma_43_sharp_level.reads("m*gamma**2 >= C*log(1/delta)"),
        sheet.theorem_35_errors.reads("rise <= 1"),
    ],
    normalised={"Gmax": "sqrt(m)"},
    controls=[
        control("labels in another order, of no margin", coins=True, cells=OF_A_MARGIN.cells[:2]),
        control("two thirds of it", bound="4*Gmax*sqrt(K*eta*fall/(2 - rise))/(3*gamma)"),
        control("Gmax of the first layer alone", first=True, cells=OF_A_MARGIN.cells[2:]),
    ],
    note="tau is 4 Gmax sqrt(K eta fall)/gamma; fall is L_S(W^(0)) - L_S(W^(K)); over steps Gmax is the largest "
    "||grad_{W_l} L_S||_F/(sqrt(m) E_S), over theta too at residual l, rise the largest (ES b + s^2/8)/(eta m gamma^2 "
    "ES^2/4), outputs moving by s (root mean square), b at most beyond first order",
)
def radius_of_the_run(
    rng: Generator,
    m: int,
    d: int,
    L: int,
    n: int,
    K: int,
    gamma: float,
    law: str,
    theta: float,
    eta: float,
    small: float,
    *,
    taken: float = 1.0,
    times: float = 1.0,
    coins: bool = False,
    first: bool = False,
) -> Measured:
    """The largest ||W_l^(K) - W_l^(0)||_F over l after K steps, here that of the last layer.

    W_{L+1}^(0) is 2 to 10 % of a drawn one. The bound is for all starts but for a chance delta: no rate is judged, and
    none that is met may fail.
    """
    run = _of_a_margin(rng, (m, d, L, n, K), (law, gamma), theta, eta, small, taken, coins)
    known = {**run.symbols, "Gmax": float(run.constants[0])} if first else run.symbols
    reached = known["Gmax"] * 4.0 * np.sqrt(K * eta * known["fall"]) / (gamma * ROUNDED_DOWN)
    return Measured(run.far, symbols={**known, "tau": max(times * float(reached), 1e-300)})
