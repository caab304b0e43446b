"""chatterji2021, Theorem 3.3 run from Gaussian weights: a first stage to its target, then the second to the letter.

Main claims: `rate_of_the_second_stage` with h_NT as printed, `rate_of_the_second_stage_corrected` with 10 for 6 in it,
where Theorem 3.1 applies, and `rate_by_the_gradient`.

Steps of the first stage are divided by the loss, so that there are some hundreds of them; those of the second are
alpha_max, which is some 1e-16 of what would move a margin by one, and its path carries differences.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import DataSource, forward, log_gradient_norms
from properties.chatterji2021.carried_paths import FirstIterate, extremes, path_error, rates
from properties.chatterji2021.first_stage import (
    LONG_RUN_CELLS,
    OPPOSED,
    RUN_CELLS,
    TARGET,
    bend_of,
    cells_of,
    run_examples,
    second_start,
)
from theory.claims import Measured, Regime, claim, control
from theory.evidence import Search

# Steps of the second stage that are watched, of some 10^17 after which half of the loss is promised.
STEPS = 32
BY_FORMULA = {"Q": "the rate by its formula (3c), from loss, norm of the weights and step at the first iterate"}

NARROW = cells_of(50, 1, TARGET)
MORE_SAMPLES = cells_of(200, 1, TARGET, n=8)
SHORT_STEPS = [{**cell, "stride": 0.01} for cell in NARROW]
CLOSE = [{**cell, "points": OPPOSED} for cell in cells_of(300, 1, TARGET)]
RUNS = Regime(cells=[*RUN_CELLS, *SHORT_STEPS], thorough=LONG_RUN_CELLS, usual={"points": "drawn", "stride": 1.0})
SEARCH = Search(examples=run_examples, adversary="the narrowest networks that stay within sqrt(6 m L)")

TOO_GREAT = control("Q a hundred times as large", times=100.0, cells=NARROW, without=sheet.theorem_3_1_constant)
# What the runs need not see, and why.
BLIND = {
    f"premise {sheet.theorem_3_1_samples.text}": "one sample has no h_NT, and two do as well here; thm-3.1 sees it",
    f"premise {sheet.theorem_3_1_loss.text}": "without a first stage the rate is some hundred times Q; thm-3.1 sees it",
    f"premise {sheet.theorem_3_1_step.text}": "steps 1e17 times as long lower these losses too; thm-3.1 sees it",
    f"premise {sheet.theorem_3_3_norm.text}": "it is what puts h_NT below h_max, and the rate is met beyond it",
}
BLIND_CORRECTED = {
    **BLIND,
    f"premise {sheet.theorem_3_1_smoothing.text}": "at the corrected h_NT, the premise on the norm implies it",
}


def _rate(start: FirstIterate, direction: float, times: float = 1.0) -> Measured:
    """The least rate; the symbol Q is `times` the one of the start."""
    found = extremes(start.descent(direction=direction), STEPS, rates, np.min)
    return Measured(found, error=path_error(found, STEPS), symbols={**start.symbols, "Q": times * start.Q})


@claim(
    "chatterji2021:thm-3.3",
    bound=sheet.theorem_3_1_rate.reads("Q"),
    sense=">=",
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        sheet.theorem_3_1_loss.reads("n**(-24*L - 1) > J1"),
        sheet.theorem_3_3_norm.reads("normV1 <= sqrt(6*m*L)"),
        sheet.theorem_3_1_step.reads(
            "eta <= Min(h*normV1**(-3*L - 5)/(1024*J1*m*(L + 1)**2), normV1**2*(L + 1/2)/(2*J1*L*(L + "
            "3/4)**2*log(1/J1)**(2/L)))"
        ),
        sheet.theorem_3_1_constant.reads("J1*L*eta*(L + 3/4)**2*log(1/J1)**(2/L)/(normV1**2*(L + 1/2)) >= Q"),
    ],
    regime=RUNS,
    measured=["h", "J1", "normV1", "eta", "Q"],
    evidence=SEARCH,
    controls=[
        control("log^(3/L) for log^(2/L)", bound="Q*log(1/J1)**(1/L)", cells=NARROW),
        control("||V|| for its square", bound="Q*normV1", cells=NARROW),
        control("m for 48 L", bound="Q*m/(48*L)", cells=MORE_SAMPLES),
        control("ascent", direction=-1.0, cells=NARROW),
        TOO_GREAT,
    ],
    idle={"direction": 0.0},
    blind=BLIND,
    note="part 2 alone, steps alpha_max, Q of (3c) for its order: stage one takes steps of order 1/(m L^5 J) to loss "
    "n^-(2 + 24 L), or for the theorem's T alpha. Margin, width and h < h_max are not asked, no probability is judged",
    scope="steps: 32 of all t of the second stage",
    independent=BY_FORMULA,
)
def rate_of_the_second_stage(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    pace: float,
    end: str,
    points: str,
    stride: float,
    *,
    direction: float = 1.0,
    times: float = 1.0,
) -> Measured:
    """Least (J_1/J_{k+1} - 1)/k, k <= 32, V^(1) where stage one ends; h = (1+24 L) log(n)/(6 (6 m)^((L+1)/2) L^3)."""
    return _rate(second_start(rng, data, (m, L, n, d), pace, end, bend_of(6), True, points, stride), direction, times)


@claim(
    "chatterji2021:thm-3.3-run-corrected",
    title="the rate of the second stage from Gaussian weights, at a bend for which Theorem 3.1 speaks",
    bound=sheet.theorem_3_1_rate.reads("Q"),
    sense=">=",
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        sheet.theorem_3_1_loss.reads("n**(-24*L - 1) > J1"),
        sheet.theorem_3_1_smoothing.reads("h < Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.theorem_3_1_step.reads(
            "eta <= Min(h*normV1**(-3*L - 5)/(1024*J1*m*(L + 1)**2), normV1**2*(L + 1/2)/(2*J1*L*(L + "
            "3/4)**2*log(1/J1)**(2/L)))"
        ),
        sheet.theorem_3_1_constant.reads("J1*L*eta*(L + 3/4)**2*log(1/J1)**(2/L)/(normV1**2*(L + 1/2)) >= Q"),
        sheet.theorem_3_3_norm.reads("normV1 <= sqrt(6*m*L)"),
    ],
    regime=RUNS,
    measured=["h", "J1", "normV1", "eta", "Q"],
    evidence=SEARCH,
    controls=[
        control("log^(3/L) for log^(2/L)", bound="Q*log(1/J1)**(1/L)", cells=NARROW),
        control("||V|| for its square", bound="Q*normV1", cells=NARROW),
        control("ascent", direction=-1.0, cells=NARROW),
        control(
            "rate of the longest step for that of the step",
            bound="L*h*(L+3/4)**2*log(1/J1)**(2/L)/(1024*m*normV1**(3*L+7)*(L+1)**2*(L+1/2))",
            cells=SHORT_STEPS,
        ),
        TOO_GREAT,
    ],
    idle={"direction": 0.0},
    blind=BLIND_CORRECTED,
    note="part 2 alone, steps alpha_max: all premises of Theorem 3.1 hold. Stage one takes steps of order 1/(m L^5 J) "
    "to loss n^-(2 + 24 L), or to the theorem's T alpha in all. Margin and width are not asked, no chance is judged",
    scope="steps: 32 of all t of the second stage, with the repaired bend",
    independent=BY_FORMULA,
)
def rate_of_the_second_stage_corrected(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    pace: float,
    end: str,
    points: str,
    stride: float,
    *,
    direction: float = 1.0,
    times: float = 1.0,
) -> Measured:
    """Least (J_1/J_{k+1} - 1)/k, k <= 32, V^(1) where stage one ends; h = (1+24 L) log(n)/(10 (6 m)^((L+1)/2) L^3)."""
    return _rate(second_start(rng, data, (m, L, n, d), pace, end, bend_of(10), True, points, stride), direction, times)


@claim(
    "chatterji2021:thm-3.3-run-sharp",
    title="the rate of the second stage from Gaussian weights, by the gradient where it starts",
    bound=">= L*eta*normG**2/(J1*(L + 1/2))",
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        sheet.theorem_3_1_loss.reads("n**(-24*L - 1) > J1"),
        sheet.theorem_3_1_smoothing.reads("h < Min(1, L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L))"),
        sheet.theorem_3_1_step.reads(
            "eta <= Min(h*normV1**(-3*L - 5)/(1024*J1*m*(L + 1)**2), normV1**2*(L + 1/2)/(2*J1*L*(L + "
            "3/4)**2*log(1/J1)**(2/L)))"
        ),
        sheet.theorem_3_1_constant.reads("J1*L*eta*(L + 3/4)**2*log(1/J1)**(2/L)/(normV1**2*(L + 1/2)) >= Q"),
        sheet.theorem_3_3_norm.reads("normV1 <= sqrt(6*m*L)"),
    ],
    regime=RUNS,
    measured=["h", "J1", "normV1", "eta", "Q", "normG"],
    evidence=SEARCH,
    controls=[
        control("(L + 1/2)/L for its inverse", bound="(L + 1/2)*eta*normG**2/(J1*L)"),
        control("ascent", direction=-1.0, cells=NARROW),
        control("6/10 of the step, counted in full", direction=0.6, cells=NARROW),
        control("gradient of points that are far apart", bound="J1*L*eta*m/(4*n)", cells=CLOSE),
    ],
    idle={"direction": 0.0},
    blind={
        **BLIND_CORRECTED,
        f"premise {sheet.theorem_3_1_constant.text}": "it is about Q alone, which this bound does not have",
        **dict.fromkeys(("L", "term 1/2"), "L/(L + 1/2) is what the lemma gives away: so short a step gains all of it"),
    },
    scope="chain: 32 steps of the second stage, which goes on without end",
    note="the rate of such short steps is eta ||grad J||^2/J_1 to ten digits, the bound L/(L + 1/2) of that. Stage one "
    "takes steps of order 1/(m L^5 J) to loss n^-(2 + 24 L), or to the theorem's T alpha in all; h as in run-corrected",
)
def rate_by_the_gradient(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    pace: float,
    end: str,
    points: str,
    stride: float,
    *,
    direction: float = 1.0,
) -> Measured:
    """Least (J_1/J_{k+1} - 1)/k, k <= 32, steps alpha_max; V^(1) is where stage one ends, normG = ||grad J(V^(1))||."""
    start = second_start(rng, data, (m, L, n, d), pace, end, bend_of(10), True, points, stride)
    found = _rate(start, direction)
    steepest = math.exp(float(log_gradient_norms(start.net, forward(start.net, start.X), start.y)[-1]))
    return replace(found, symbols={**found.symbols, "normG": steepest})
