"""frei2019, Corollary 3.7 from end to end: runs whose step size, number of steps and radius are those of its formulas.

Main claims: `error_of_the_run`, at widths far below those it asks for; `error_by_what_the_run_meets`, Theorem 3.5 put
into Theorem 3.6; `bound_of_the_run`, which brings that below the target.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from bounds.papers import frei2019 as sheet
from nets import DataError, forward, residual_network, sphere
from properties.frei2019.random_feature_margin import MarginSource
from properties.frei2019.trained_errors import Trained, WeightedRun
from theory.claims import Measured, Regime, Verdict, claim, control, grid
from theory.core.statistics import clopper_pearson_interval
from theory.evidence import Search


def _steps(gamma: float, eps: float, n: int, delta: float) -> int:
    """The number of steps of the corollary."""
    return math.ceil(float(sheet.corollary_37_steps(gamma=gamma, eps=eps, n=n, delta=delta)))


DERIVED: dict[str, Callable[..., float]] = {
    "eta": lambda m, gamma: float(sheet.corollary_37_step(m=m, gamma=gamma)),
    "K": _steps,
    "tau": lambda m, gamma, eps, n, delta: float(
        sheet.corollary_37_radius(m=m, gamma=gamma, eps=eps, n=n, delta=delta)
    ),
}

# Points of a law, all equally likely; new ones where labels are coins, and the confidence of the interval there.
POINTS, NEW, CONFIDENCE = 40, 2000, 1.0 - 1e-9
SHARE_OF_KAPPA = 1.0 - 1e-9  # so that no rounding decides


class _Sides(NamedTuple):
    """Both sides of the corollary: the error of the best iterate, and what Theorem 3.5 in Theorem 3.6 has for it."""

    wrong: tuple[float, float]
    symbols: dict[str, float]


def _sides(
    rng: Generator,
    sizes: tuple[int, int, int, int],
    law: str,
    gamma: float,
    run: tuple[float, float, int],
    *,
    turned: bool = False,
) -> _Sides:
    """A run of K steps of size eta within tau, on n draws among the points of a law, or n points with coins for labels.

    The signs of the last layer are those that err more at the start. `turned` trains on the labels of the other class.
    """
    (m, L, d, n), (tau, eta, K) = sizes, run
    net = residual_network((d, *[m] * (L + 1)), 0.1 / L, rng)
    if law == "coins":
        X, y = sphere(n + NEW, d, rng), rng.choice((-1.0, 1.0), size=n + NEW)
        known, new, shares = np.arange(n), np.arange(n, n + NEW), np.full(n, 1.0 / n)
    else:
        X, y = MarginSource(gamma, law).draw(POINTS, d, rng)
        known = new = np.arange(POINTS)
        shares = rng.multinomial(n, np.full(POINTS, 1.0 / POINTS)) / n
    wrong_signs = -1.0 if y[known] @ forward(net, X[known]).output > 0.0 else 1.0
    net = replace(net, readout=wrong_signs * net.v)
    met = WeightedRun.of(net, (X[known], -y[known] if turned else y[known]), shares, eta, K)
    found, falls = Trained.at(net, met.best, (X, y), known, tau, new, shares), -np.diff(met.losses)
    wrong = (found.wrong, found.wrong)
    if law == "coins":
        wrong = clopper_pearson_interval(round(found.wrong * NEW), NEW, CONFIDENCE)
    symbols = {
        "fall": float(falls.sum()),
        "drop": float(falls.min()),
        "kappa": SHARE_OF_KAPPA * float((falls / (eta * m * gamma**4 * met.errors[:-1] ** 2)).min()),
        "eapp": found.deviation,
        # It was for as many draws as there are points.
        "complexity": found.complexity * math.sqrt(known.size / n),
        "D": met.far,
    }
    return _Sides(wrong, symbols)


def _falling(sides: _Sides) -> _Sides:
    """The same. Raises `DataError` where the loss does not fall in every step, so that (6) has no constant."""
    if not sides.symbols["drop"] > 0.0:
        raise DataError("a run whose loss does not fall in some step, as of few neurons or inputs: take more of them")
    return sides


SIZES = {"L": 2, "d": 5, "n": 10**7, "gamma": 0.38, "eps": 0.4, "delta": 1e-9, "law": "caps"}
LOOSE = {**SIZES, "eps": 0.7}
# Fewer samples and a level that a width of hundreds has room for.
FEWER = {**LOOSE, "n": 2 * 10**5, "delta": 0.04}


@claim(
    "frei2019:corollary-3.7-run",
    title="classification error of a run by the formulas of Corollary 3.7",
    bound=sheet.corollary_37.reads("eps"),
    probability=True,
    premises=[
        (
            "width against margin and accuracy [Corollary 3.7, constant 1]: "
            "m*gamma**32*eps**14 >= log(n/delta)**4*(1 + log(m))**3"
        ),
        sheet.corollary_37_samples.reads("n*gamma**8*eps**4 >= log(n/delta)"),
    ],
    regime=Regime(
        cells=grid(m=32, **{**SIZES, "law": "rings", "L": 3}),
        thorough=grid(m=64, **{**SIZES, "eps": 0.35}),
        derived=DERIVED,
        pinned=[{"trial": 0}],
    ),
    evidence=Search(examples=1),
    expected=Verdict.VACUOUS,
    controls=[control("labels of the sample turned", turned=True), control("labels by a fair coin", coins=True)],
    note="eta is 100 gamma^4/m, K sqrt(log(n/delta))/(200 gamma^8 eps^2), tau sqrt(log(n/delta))/(36 gamma^4 eps "
    "sqrt(m)), their constants ours; n counts draws among 40 points, and the term d of the width is left out",
)
def error_of_the_run(
    rng: Generator,
    m: int,
    L: int,
    d: int,
    n: int,
    gamma: float,
    law: str,
    tau: float,
    eta: float,
    K: int,
    *,
    turned: bool = False,
    coins: bool = False,
) -> Measured:
    """P(y f(x) < 0), x new, at the iterate of least E_S of K steps; theta = 0.1/L; v or -v, of less mean y f."""
    sizes, law = (m, L, d, POINTS if coins else n), "coins" if coins else law
    return Measured.between(*_sides(rng, sizes, law, gamma, (tau, eta, K), turned=turned).wrong)


COINS = grid(m=64, L=2, d=64, n=48, gamma=0.38, eps=0.25, delta=1e-9, law="coins")
REFUSED = "runs whose loss rises in a step are no measurement"
ROOM = "the ball and the start of the run leave room: controls that leave out more are refuted"


@claim(
    "frei2019:corollary-3.7-certified",
    title="classification error of a run by what lowers its loss and by the ball of radius (11)",
    kind="deterministic",
    bound=sheet.corollary_37_certified.reads(
        "2*sqrt(fall/(kappa*K*eta*m))/gamma**2 + eapp + complexity + sqrt(2*log(1/delta)/n)"
    ),
    probability=True,
    premises=[
        "loss that falls in every step [Theorem 3.5, (6)]: drop > 0",
        "iterates in the ball [Theorem 3.5: the iterates stay in the ball of radius (11)]: tau >= D",
        sheet.theorem_36_level.reads("delta <= 10**(-8)"),
    ],
    regime=Regime(
        cells=[*grid(m=128, **{**LOOSE, "law": ["caps", "rings"]}), *COINS],
        thorough=grid(m=192, **{**LOOSE, "eps": 0.6}),
        derived=DERIVED,
        pinned=[{"trial": 0}],
    ),
    measured=["fall", "drop", "kappa", "eapp", "complexity", "D"],
    normalised={"kappa": "eta*m*gamma**4"},
    evidence=Search(examples=1, adversary="labels that mean nothing, which the run memorises"),
    controls=[
        control(
            "1/64 of the confidence, without what the ball adds",
            bound="2*sqrt(fall/(kappa*K*eta*m))/gamma**2 + sqrt(2*log(1/delta)/n)/64",
        ),
        control("the surrogate error once", bound="sqrt(fall/(kappa*K*eta*m))/gamma**2"),
        control("1/30 of it, without the surrogate error", bound="(eapp + complexity + sqrt(2*log(1/delta)/n))/30"),
    ],
    blind={
        "n": "one size; at no draw of the sample the run may fail",
        "premise drop > 0": REFUSED,
        "premise tau >= D": "errors are 0 at the laws and the bound exceeds 1 at coins, so that no ball is tested",
        **dict.fromkeys(("m", "K", "eta", "eapp", "complexity", "fall", "kappa", "term complexity", "term eapp"), ROOM),
        "term sqrt(2)*sqrt(log(1/delta))/sqrt(n)": ROOM,
        "term 2*sqrt(fall)/(sqrt(K)*sqrt(eta)*gamma**2*sqrt(kappa)*sqrt(m))": ROOM,
        **dict.fromkeys(
            ("delta", f"premise {sheet.theorem_36_level.text}"),
            "one level, so small that no draw of the sample may fail",
        ),
        "gamma": "the laws have one margin; kappa holds its fourth power",
    },
    note="kappa is a step's least fall over eta m gamma^4 E_S^2, fall L_S(W^(0)) - L_S(W^(K)), eapp half the sum of "
    "mean |f - F| over new x and over the sample as drawn, F linearised f, complexity tau/sqrt(n) sum_l root mean "
    "square of ||grad_l f_W0||_F over new x",
    scope="chain: Theorem 3.5 in Theorem 3.6, with constants measured on the run",
)
def error_by_what_the_run_meets(
    rng: Generator, m: int, L: int, d: int, n: int, gamma: float, law: str, tau: float, eta: float, K: int
) -> Measured:
    """P(y f(x) < 0), x new, at the iterate of least E_S of K steps; D: largest distance of a layer from its start.

    theta = 0.1/L, eta = 100 gamma^4/m; r^2 = log(n/delta), K = r/(200 gamma^8 eps^2), tau = r/(36 gamma^4 eps sqrt(m)).
    The n samples are draws, with repetition, among the 40 points of a law, or points with coins for labels. Of v and -v
    the one with the lower mean of y f at the start: a choice by labels, so that the chance of failure is 2 delta.
    """
    sides = _falling(_sides(rng, (m, L, d, n), law, gamma, (tau, eta, K)))
    return Measured.between(*sides.wrong, symbols=sides.symbols)


@claim(
    "frei2019:corollary-3.7-reached",
    title="the bound of Corollary 3.7 by what a run meets is below its target",
    kind="deterministic",
    bound=sheet.corollary_37.reads("eps"),
    premises=[
        sheet.corollary_37_samples.reads("n*gamma**8*eps**4 >= log(n/delta)"),
        "as many steps as the corollary has: C*K*gamma**8*eps**2 >= sqrt(log(n/delta))",
        "width against samples, ours, at which the ball is small against the start: m >= 24*log(n/delta)",
        "loss that falls in every step [Theorem 3.5, (6)]: drop > 0",
        "loss at the start that is small beside (8), ours, as of nineteen in twenty starts: fall <= 7/4",
        "margins, ours, of which widths of hundreds make kinks count little: gamma >= 3/8",
        "targets, ours, for which such widths do: eps >= 13/20",
    ],
    constants={"C": (200, "the inverse of that of the number of steps")},
    regime=Regime(
        cells=grid(m=376, **{**FEWER, "law": ["caps", "rings"]}),
        most={"eps": 1},
        thorough=grid(m=400, **{**FEWER, "eps": 0.65}),
        derived=DERIVED,
        pinned=[{"trial": 0}],
    ),
    measured=["fall", "drop"],
    evidence=Search(examples=1),
    controls=[
        control("32 neurons", cells=grid(m=32, **FEWER), without="m >= 24*log(n/delta)"),
        control("one step", cells=grid(m=376, K=1, **FEWER), without="C*K*gamma**8*eps**2 >= sqrt(log(n/delta))"),
        control(
            "ten samples",
            cells=grid(m=32, **{**FEWER, "n": 10}),
            without=(sheet.corollary_37_samples, "m >= 24*log(n/delta)"),
        ),
    ],
    blind={
        "eps": "one target, and one at thorough effort",
        f"premise {sheet.corollary_37_samples.text}": "a control leaves it with the width, which costs less than alone",
        "premise drop > 0": REFUSED,
        "premise fall <= 7/4": "a start beyond it is rare, and one in sixty of 256 neurons then misses the target",
        "premise eps >= 13/20": "at 1/5 and a width of 200 four times the target is left, after 1799 dear steps",
        "premise gamma >= 3/8": "steps grow like its eighth power: smaller margins are as dear",
    },
    note="fall is L_S(W^(0)) - L_S(W^(K)), kappa a step's least fall over eta m gamma^4 E_S^2, eapp half the "
    "sum of mean |f - F| over the 40 points and over the sample as drawn, F linearised f, complexity tau/sqrt(n) sum_l "
    "root mean square of ||grad_l f_W0||_F over the 40",
    scope="chain: the formulas of the corollary, with constants measured on the run",
)
def bound_of_the_run(
    rng: Generator, m: int, L: int, d: int, n: int, gamma: float, delta: float, law: str, tau: float, eta: float, K: int
) -> Measured:
    """The 2 sqrt(fall/(kappa K eta m))/gamma^2 + eapp + complexity + sqrt(2 log(1/delta)/n) of a run of K steps.

    theta = 0.1/L, eta = 100 gamma^4/m; r^2 = log(n/delta), K = r/(200 gamma^8 eps^2), tau = r/(36 gamma^4 eps sqrt(m)).
    Of v and -v the one with the lower mean of y f at the start. The n samples are draws, with repetition, among 40
    points of a law of margin gamma; f is that of the iterate of least E_S, and F is linearised at the start.
    """
    known = {"K": K, "eta": eta, "m": m, "gamma": gamma, "delta": delta, "n": n}
    symbols = _falling(_sides(rng, (m, L, d, n), law, gamma, (tau, eta, K))).symbols
    reached = float(sheet.corollary_37_certified.evaluate({**symbols, **known}))
    return Measured(reached, symbols={name: symbols[name] for name in ("fall", "drop")})
