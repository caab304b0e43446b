"""zou2018, Lemma C.2 and (C.4): how far one gradient step moves the outputs of the layers, and the loss.

Main claims: `layer_moves`, `layer_moves_by_measured_norms`, `recursion_over_layers`, `loss_change_beyond_first_order`.
"""

import numpy as np
import sympy
from numpy.random import Generator

from bounds import Bound, is_nonnegative, symbol
from bounds.papers import zou2018 as sheet
from nets import HINGE, DataSource
from properties.shared.places import below_at, met_from_the_first
from properties.zou2018.expansion import draw_outputs, draw_start
from properties.zou2018.gradient_step import (
    BLIND_TO_OUTPUTS,
    FREE_STEP,
    REGION_STEP,
    SMOOTH,
    STEP_LOSSES,
    FreeStep,
    RegionStep,
    longest_step,
    region_symbols,
    standing,
    step_in_region,
    widths,
)
from properties.zou2018.limits import LAYER_NORM, OUTPUT_NORM
from properties.zou2018.perturbed_pass import ALLOWED_SHARE
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Search, Step

# Where a factor of the bound is seen best, and a wrong one refuted at once.
ONE_LAYER = grid(L=1, M=32, n=8, d=8)
TWO_LAYERS = grid(L=2, M=32, n=8, d=8)
# One sample at a large width, beside eight at a small one.
WIDE_LAYER = grid(L=1, M=2048, n=1, d=8)
CHANNELS = "equal samples, all neurons but two active, gradients along the largest norms"


# Of the bound of Lemma C.2.
A_SIXTH = "2**(5*L)*sqrt(M)*eta/(42*n)*S1abs"

IN_A_REGION = {
    "weights": choices("Gaussian", "two channels"),
    "loss": choices(*STEP_LOSSES),
    "size": reals(1e-6, 1.0, logarithmic=True),
    "moved": reals(0.0, 0.99),
}


@claim(
    "zou2018:lemma-C.2",
    bound=sheet.lemma_C_2.reads("2**(5*L)*sqrt(M)*eta/(7*n)*S1abs"),
    premises=[
        sheet.lemma_C_2_radius.reads("tau <= 7/2*8**(-L)"),
        sheet.lemma_C_2_norms.reads("normW <= 7/2"),
        sheet.lemma_C_2_outputs.reads("r <= 3/2"),
    ],
    ceiling="1",  # Proof of Lemma C.2
    regime=Regime(
        cells=[*grid(L=[1, 2, 3], M=32, n=8, d=8), *WIDE_LAYER],
        thorough=grid(L=[2, 4], M=128, n=4, d=[8, 64]),
        draw=IN_A_REGION,
        pinned=[RegionStep("two channels", "huberised_hinge", size, moved=0.0)._asdict() for size in (1e-3, 0.1)],
        built=REGION_STEP,
    ),
    measured=["S1abs", "eta", "tau", "normW", "r"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("a sixth, where the first sample stands still", bound=A_SIXTH, opposite=True, cells=ONE_LAYER),
        control("mean over the samples taken twice", bound="2**(5*L)*sqrt(M)*eta/(7*n**2)*S1abs"),
        control("norms of the columns for the norm of a layer", norm=12.0, columns=True),
        control("inputs of norm 3", times=3.0, cells=ONE_LAYER),
        control("layers of norm 20", norm=20.0, cells=TWO_LAYERS, without=sheet.lemma_C_2_norms),
        control("iterates further off by 100", beyond=100.0, cells=TWO_LAYERS, without=sheet.lemma_C_2_radius),
    ],
    note="normW and r are the largest norms of a layer and an output at the centre, which need not be Gaussian; both "
    "iterates are within tau of it, by Lemma B.2 their outputs within 1/2: a bound above 1 says nothing",
    blind=BLIND_TO_OUTPUTS,
    idle={"move": False},
)
def layer_moves(
    rng: Generator,
    data: DataSource,
    L: int,
    M: int,
    n: int,
    d: int,
    drawn: RegionStep,
    *,
    norm: float = LAYER_NORM,
    beyond: float = 0.0,
    times: float = 1.0,
    columns: bool = False,
    opposite: bool = False,
    move: bool = True,
) -> Measured:
    """The moves ||x'_l - x_l|| of the outputs, all layers and samples, from an iterate in the region to the next.

    A centre with two channels has the largest norms that the premises allow, in the places where a gradient meets them.
    """
    X, y = data.draw(n, d, rng)
    channels = (OUTPUT_NORM / times**2 * ALLOWED_SHARE, norm * ALLOWED_SHARE)
    centre, step = step_in_region(rng, times * X, y, widths(X.shape[1], M, L), drawn, channels, beyond, opposite)
    step = step if move else standing(step)
    return Measured(step.outputs[:, 1:], symbols=region_symbols(centre, step, columns=columns))


@claim(
    "zou2018:lemma-C.2-sharp",
    title="change of the layer outputs in one gradient step, by measured norms",
    bound=sheet.lemma_C_2_sharp.reads("prodW*sqrt(m)*eta/n*S1abs"),
    premises="none needed: measured norms replace the region: weights of any norm, steps of any size",
    regime=Regime(
        cells=[*grid(L=[1, 2, 3, 4], m=32, n=4, d=8), *grid(L=1, m=128, n=1, d=8)],
        thorough=grid(L=[2, 5], m=128, n=4, d=[8, 64]),
        draw={
            "weights": choices("Gaussian", "two channels"),
            "loss": choices(*STEP_LOSSES),
            "norm": reals(0.25, 16.0, logarithmic=True),
            "size": reals(1e-3, 10.0, logarithmic=True),
        },
        pinned=[
            FreeStep("two channels", "huberised_hinge", norm=4.0, size=1e-3)._asdict(),
            FreeStep("Gaussian", "logistic", norm=2.0, size=1.0)._asdict(),
        ],
        built=FREE_STEP,
    ),
    measured=["S1abs", "eta", "prodW"],
    evidence=Search(examples=25, adversary=CHANNELS),
    controls=[
        control("one neuron in twelve missed", bound="prodW*sqrt(11*m/12)*eta/n*S1abs"),
        control("moves of the layers added in quadrature", quadrature=True),
        control("the first of two layers moved a tenth further", first=1.1, cells=grid(L=2, m=32, n=4, d=8)),
        control("inputs taken to have norm 1 where they have norm 2", times=2.0),
        control("a third less, where the first sample is 0", bound="2/3*prodW*sqrt(m)*eta/n*S1abs", silent=True),
    ],
    idle={"move": False},
)
def layer_moves_by_measured_norms(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    *,
    times: float = 1.0,
    quadrature: bool = False,
    silent: bool = False,
    first: float = 1.0,
    move: bool = True,
) -> Measured:
    """The largest ||x'_l - x_l|| over the samples, at each l; w_t, w'_t are the norms of W_t before and after the step.

    At l prodW is the sum over t <= l of w'_{t+1} ... w'_l w_{t+1} ... w_L max_i ||x_{t-1,i}||^2; m is the last width.
    With two channels a short step misses the bound only by the two dead neurons of the last layer.
    """
    X, y, net = draw_start(rng, data, L, m, n, d, drawn)
    X = np.concatenate([0.0 * X[:1], X[1:]]) if silent else X
    step = longest_step(net, times * X, y, STEP_LOSSES[drawn.loss], drawn.size * drawn.norm)
    step = step if move else standing(step)
    own = step.own_moves / np.array([times**2, *[1.0] * (L - 1)])
    moves = np.sqrt(step.stretched(own**2, power=2)) if quadrature else step.stretched(own)
    symbols = {"S1abs": step.derivatives.sum(), "eta": step.eta, "prodW": moves}
    outputs = step.outputs[:, 1:].max(axis=0) * np.array([first, *[1.0] * (L - 1)])
    return Measured(outputs, symbols=symbols)


@claim(
    "zou2018:lemma-C.2-recursion",
    title="the recursion over the layers that gives the constant of Lemma C.2",
    bound="8**l/7",
    premises="none needed: ||x_l|| <= 2 before the step and ||W_l|| <= 4 after it, the region, are in the recursion",
    regime=Regime(cells=grid()),
    measured=["l"],
    evidence=Proof(margin="6^(l-1) in place of 8^l/7 would do"),
    controls=[
        control("the recursion in print", own=(4, 4), carried=8),
        control("twice the move of the pre-activations, as for flips apart", own=(2, 4), carried=8),
        control("inputs of norm 2 in the first layer", own=(2, 2)),
        control("5^(l-1)", bound="5**(l-1)"),
        control("4^(l-1): nothing added after the first layer", bound="4**(l-1)"),
    ],
    note="' marks what is there after one step. The moves of gates and of pre-activations are not bounded apart: the "
    "ReLU is 1-Lipschitz",
)
def recursion_over_layers(bound: Bound, *, own: tuple[int, int] = (1, 2), carried: int = 4) -> list[Step]:
    """The recursion d_1 <= ||x_0|| = 1 and d_l <= ||x_{l-1}|| + ||W'_l|| d_{l-1} <= 2 + 4 d_{l-1}, by induction over l.

    d_l is ||x'_l - x_l|| over the largest move of a layer. `own` is what the step of a layer itself adds, in the first
    layer and above; `carried` the factor of d_{l-1}.
    """
    first, above = own
    moves = [first]
    while len(moves) < 12:
        moves.append(above + carried * moves[-1])
    compared = [below_at(Bound(sympy.Integer(move)), bound, {"l": layer}) for layer, move in enumerate(moves, 1)]
    layers = sympy.Symbol("layers", nonnegative=True, integer=True)
    more = sympy.Symbol("more", nonnegative=True)
    at = [sympy.expand(bound.expr.subs(symbol("l"), layers + k)) for k in (1, 2)]
    left = sympy.expand((at[1] - carried * at[0] - above).subs(8**layers, 1 + more))
    return [
        Step("it is met at l = 1, and not violated up to l = 12", met_from_the_first(compared)),
        Step("if it is met at l then at l + 1, as 8^(l-1) >= 1", is_nonnegative(left)),
    ]


@claim(
    "zou2018:eq-C.4",
    bound="lam*mean_sq/2",
    premises="none needed: every loss drawn is smooth with its lam; the networks may be any two",
    regime=Regime(
        cells=grid(L=[1, 3], m=16, n=[1, 4], d=8),
        thorough=grid(L=[2, 5], m=64, n=[4, 16], d=[8, 64]),
        draw={
            "weights": choices("unrelated", "Gaussian", "two channels"),
            "loss": choices(*SMOOTH),
            "norm": reals(0.25, 8.0, logarithmic=True),
            "size": reals(1e-3, 1.0, logarithmic=True),
        },
        pinned=[FreeStep("two channels", name, norm=2.0, size=1e-3)._asdict() for name in SMOOTH],
        built=FREE_STEP,
    ),
    measured=["lam", "mean_sq"],
    evidence=Search(examples=25, adversary="gradient steps from margins 0, where the losses curve most"),
    controls=[
        control("labels left out of the move", labels=False),
        control("square of the mean move for the mean of its square", mean_first=True),
        control("hinge loss, which has a kink, with constant 1", kinked=True, cells=grid(L=[1, 3], m=16, n=4, d=8)),
    ],
    note="the change of the loss less its linear part, so that both sides are of second order; print adds it to both",
)
def loss_change_beyond_first_order(
    rng: Generator,
    data: DataSource,
    L: int,
    m: int,
    n: int,
    d: int,
    drawn: FreeStep,
    *,
    labels: bool = True,
    mean_first: bool = False,
    kinked: bool = False,
) -> Measured:
    """L_S' - L_S less mean ell'_i Delta_i, 0 if negative; Delta_i = y_i (f'(x_i) - f(x_i)), mean_sq is mean Delta_i^2.

    The networks are unrelated Gaussian ones, or a gradient step apart, from Gaussian weights or from an output of 0.
    """
    y, before, after = draw_outputs(rng, data, L, m, n, d, drawn, before_kink=kinked)
    used = HINGE if kinked else STEP_LOSSES[drawn.loss]
    value, slope = used.value_and_derivative(y * before)
    ended = used.value(y * after)
    moves = (y if labels else 1.0) * (after - before)
    terms = np.abs(ended) + np.abs(value) + np.abs(slope * moves)
    # The loss itself is accurate to a few units in the last place, and the margins are what they are.
    slack = rounding(1.0, 16 + n) * np.mean(terms + np.abs(slope) * (np.abs(after) + np.abs(before)))
    mean_sq = float(np.mean(moves) ** 2 if mean_first else np.mean(moves**2))
    return Measured(
        max(float(np.mean(ended - value - slope * moves) - slack), 0.0),
        error=0.0,
        symbols={"lam": 1.0 if kinked else used.constants.lam, "mean_sq": mean_sq},
    )
