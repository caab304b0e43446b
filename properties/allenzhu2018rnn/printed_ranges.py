"""Why Theorems 1 and 2 are false as printed, step by step, for one sequence at two times with one output.

Main definitions: `label_argument`, labels of any size; `range_argument`, the range of T at eps = 1. With one sequence
stochastic descent is gradient descent.
"""

import sympy as sp

from bounds import Bound, all_of, is_nonnegative, is_zero
from theory.evidence import Step


def _asked(bound: Bound, eps: float) -> float:
    """What the claim says f is at most."""
    return float(bound.evaluate({"eps": eps} if "eps" in bound.symbols else {}))


def label_argument(bound: Bound, n: int, L: int, outputs: int, eps: float) -> list[Step]:
    """Steps that refute `bound` on f after any number of steps that does not know the label.

    A step takes the share q = eta ||B||^2 ||h_1||^2 of the error at most, as ReLU is 1-Lipschitz.
    """
    q, T, level = (sp.Symbol(name, positive=True) for name in ("q", "T", "level"))
    t, error = sp.Symbol("t", integer=True), sp.Function("error")
    label = 2 * sp.sqrt(2 * level) / (1 - q) ** T
    path_of_errors = sp.rsolve(error(t + 1) - (1 - q) * error(t), error(t), {error(0): label})
    times = path_of_errors.subs(t, T) ** 2 / 2 / level
    left = is_zero(times - 4, sp.simplify(sp.powsimp(times, force=True)) - 4)
    # h_1 (D B)^T times the error is the gradient: a gate of 0 or 1 makes its norm no larger.
    entry = sp.Symbol("entry", real=True)
    shorter = all_of(is_nonnegative(entry**2 - (gate * entry) ** 2) for gate in (sp.S.Zero, sp.S.One))
    alone = (n, L, outputs) == (1, 2, 1)
    refuted = alone and shorter and left and _asked(bound, eps) > 0.0
    return [
        Step("one sequence, two times and one output: the error is one number", alone or None),
        Step(
            "a gate makes no entry of B larger, so that a step moves the error by the share q at most", shorter or None
        ),
        Step("B is symmetric given the states: the error is the label or more with probability 1/2", alone or None),
        Step("with that label f after T steps is four times the level that is asked for", left or None),
        Step("f is at most eps after T steps, whatever the label", False if refuted else None),
    ]


def range_argument(bound: Bound, n: int, L: int, outputs: int, phi: float, eps: float, powers: int) -> list[Step]:
    """Steps that refute `bound` on f at T = 0 for the label -2; the number of steps is of order rho^powers."""
    rho, varrho = sp.Symbol("rho", positive=True), sp.Symbol("varrho", positive=True)
    first = rho**powers / phi**2 * sp.log(1 / sp.nsimplify(eps))
    last = first * varrho**28
    at_start = all_of(map(is_zero, (first, last)))
    output = sp.Symbol("output", nonnegative=True)
    least = sp.expand(((output + 2) ** 2 - 4) / 2)
    c, size = sp.symbols("c size", positive=True)
    never = sp.limit(sp.exp(-c * size**2), size, sp.oo) == 0
    alone = n == 1 and outputs == 1 and L >= 2
    refuted = at_start and bool(least.is_nonnegative) and never and alone and _asked(bound, eps) < 2.0
    return [
        Step("the range of T ends where it begins, at 0", at_start or None),
        Step("B is symmetric given the states: B h is at least 0 with probability 1/2 or more", alone or None),
        Step("then f is half of (B h + 2)^2 at least, which is 2 or more", is_nonnegative(least) or None),
        Step("exp(-c rho^2) falls below 1/2 as the width grows, for every c > 0", never or None),
        Step("the loss at T = 0 is at most eps", False if refuted else None),
    ]
