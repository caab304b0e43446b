"""guo2024, Lemma B.4: how many neurons a step flips, and how far it moves pre-activations and features.

Main claims: `all_items` (Lemma B.4), `most_flips` for its orders, `norm_of_the_flipped_part` for (46) to (48).
"""

import math

import numpy as np
from numpy.random import Generator

from bounds.bound import Constant
from bounds.papers import guo2024 as sheet
from properties.guo2024.layer_changes import StepEffect, attacked_layer, first_layer_flips, leaky_start
from properties.guo2024.slopes import SLOPES, jump
from properties.shared.sparse_blocks import soft_threshold
from theory.claims import Regime, claim, control, form, grid
from theory.evidence import Scaling, Trials


def shares(effect: StepEffect, slope: float, omega: float, flips: float, radius: float) -> float:
    """The largest share, over the layers, that the quantities of Lemma B.4 take of their orders."""
    m, depth = effect.net.widths[-1], effect.layers
    far = omega**radius * depth**2.5 * math.sqrt(math.log(m))
    found = []
    for layer in range(1, depth + 1):
        change = effect.change(layer)
        found += [
            effect.flips(layer) / (m * omega**flips * depth),
            float(np.linalg.norm(effect.flipped_part(layer))) / (jump(slope) * omega**radius * depth**1.5),
            float(np.linalg.norm(soft_threshold(change, far / math.sqrt(m)))) / (omega**radius * depth**1.5),
            float(np.linalg.norm(change)) / far,
            float(np.linalg.norm(effect.feature_change(layer))) / far,
        ]
    return max(found)


REGION = Regime(
    cells=[
        {"m": 128, "L": 1, "omega": 0.03, "delta": 0.4},
        {"m": 72, "L": 2, "omega": 0.01, "delta": 0.4},
        {"m": 128, "L": 4, "omega": 0.002, "delta": 0.4},
    ],
    thorough=[{"m": 512, "L": 4, "omega": 0.001, "delta": 0.4}, {"m": 512, "L": 1, "omega": 1e-3, "delta": 0.4}],
)
# Of the features at the start: their squared norms are lognormal, near enough, of variance 5 L/m at most.
STARTS = "m >= 8 + 32*L*log(1/delta)"
FLIPS = "L*m*omega**(2/3) >= 4*log(1/delta)"


@claim(
    "guo2024:lemma-B.4",
    bound="C",
    constants={"C": Constant.above(2, attacked=1.63, why="hidden in the paper: 99 of 100 starts, depths up to 4")},
    premises=[
        sheet.lemma_B_4_radius.reads("omega*L**(9/2)*log(m)**(3/2) <= C"),
        sheet.lemma_B_4_width.reads("m >= L**2"),
        "width against depth and failure rate, ours: m >= 8 + 32*L*log(1/delta)",
        "flips enough that the order is not one of their chance, ours: L*m*omega**(2/3) >= 4*log(1/delta)",
    ],
    regime=REGION,
    evidence=Trials(rate="delta", budget=150),
    idle={"part": 0.0},
    controls=[
        control("flips linear in the radius", flips=1.0),
        control("moves of order omega^(3/2)", radius=1.5),
        control("half of each order", bound="1/2"),
        control("steps twenty times as long", part=20.0),
        control("two neurons", cells=[{"m": 2, "L": 1, "omega": 28.0, "delta": 0.01}], without=STARTS),
        control("one flip", cells=[{"m": 160, "L": 1, "omega": 1.7e-4, "delta": 0.01}], without=FLIPS),
    ],
    blind={
        f"premise {sheet.lemma_B_4_radius.text}": "the orders go on to hold far beyond it, at these depths",
        f"premise {sheet.lemma_B_4_width.text}": "it is for (58), and for widths near the depth, which none here is",
    },
    note="w is omega, f = w L^(5/2) sqrt(log m). Item 2 at the best split: g'_1 is what g' has beyond f/sqrt(m); C = "
    "20 in the radius; all layers, slopes -2 to 9/10, steps that flip small g_L, shift h_L or push one neuron "
    "across; delta for exp(-Omega(sqrt(m)/log m))",
)
def all_items(
    rng: Generator, m: int, L: int, omega: float, *, flips: float = 2.0 / 3.0, radius: float = 1.0, part: float = 1.0
) -> float:
    """The largest of ||D'||_0/(m w^(2/3) L), ||D' g||/(kappa w L^(3/2)), ||g'_1||/(w L^(3/2)), ||g'||/f, ||h'||/f."""
    slope = float(rng.choice(SLOPES))
    net, x = leaky_start(rng, m, L, slope)
    attacks = ("flips", "shift", "overshoot")
    return max(shares(attacked_layer(rng, net, x, part * omega, a), slope, omega, flips, radius) for a in attacks)


@claim(
    "guo2024:lemma-B.4-drift",
    title="changes of pre-activations and features under a step, with a stated constant",
    bound="C*omega*L**(5/2)*sqrt(log(m))",
    constants={"C": Constant.above(1, attacked=0.6, why="hidden in the paper: 99 of 100 starts")},
    premises=[
        sheet.lemma_B_4_radius.reads("omega*L**(9/2)*log(m)**(3/2) <= C"),
        sheet.lemma_B_4_width.reads("m >= L**2"),
        "width against depth and failure rate, ours: m >= 8 + 32*L*log(1/delta)",
    ],
    regime=REGION,
    evidence=Trials(rate="delta", budget=150),
    idle={"part": 0.0},
    controls=[
        control("two neurons", cells=[{"m": 2, "L": 1, "omega": 0.03, "delta": 0.05}], without=STARTS),
        control("an eighth", bound="omega*L**(5/2)*sqrt(log(m))/8"),
        control("steps twenty times as long", part=20.0),
    ],
    blind={
        "m": "it enters by its logarithm alone",
        f"premise {sheet.lemma_B_4_radius.text}": "the order goes on to hold far beyond it, at these depths",
        f"premise {sheet.lemma_B_4_width.text}": "it is for (58)",
    },
    note="item 3 at l = L, a slope of seven, -2 to 9/10; the radius has C = 20; delta for exp(-Omega(sqrt(m)/log m))",
)
def largest_drift(rng: Generator, m: int, L: int, omega: float, *, part: float = 1.0) -> float:
    """The larger one of ||g'_L|| and ||h'_L||, after steps of norm omega that move the last layer far."""
    net, x = leaky_start(rng, m, L, float(rng.choice(SLOPES)))
    effect = attacked_layer(rng, net, x, part * omega, "shift")
    return float(max(np.linalg.norm(effect.change(L)), np.linalg.norm(effect.feature_change(L))))


PART = "omega <= 1/4"


@claim(
    "guo2024:lemma-B.4-flips",
    title="number of flips in the first trained layer, exponents of the radius and the width",
    bound="C*m*omega**(2/3)",
    constants={"C": (1, "fitted; (3/pi)^(1/3) = 0.985 with features of norm 1")},
    premises=[
        "flips enough that one more is but a twentieth, ours: m*omega**(2/3) >= 20",
        "a radius that flips no more than part of the neurons, print: O(1/(L^(9/2) log(m)^(3/2))): omega <= 1/4",
    ],
    ceiling="m + 1",
    regime=Regime(
        calibration=grid(m=[300, 1200], omega=[0.02, 0.06, 0.18]),
        cells=grid(m=[5000, 20000], omega=[0.02, 0.06, 0.18]),
        thorough=grid(m=10**6, omega=[0.005, 0.02, 0.06]),
    ),
    evidence=Scaling(
        {"omega": "equal", "m": "equal"}, constant="C", replicates=lambda m: 40 if m < 5000 else 16, margin=1.2
    ),
    controls=[
        control("exponent 3/4 of the radius", bound="C*m*omega**(3/4)"),
        control("exponent 1/2 of the radius", bound="C*m*sqrt(omega)"),
        control("random steps, which flip a multiple of m omega", random=True),
        control("hardly a flip", cells=grid(m=[300, 1200], omega=[1e-5, 3e-5, 1e-4]), without="m*omega**(2/3) >= 20"),
    ],
    blind={f"premise {PART}": "beyond it all neurons flip, which meets the bound"},
    note="no step flips more; with features of norm 1 the constant is (3/pi)^(1/3) = 0.985, at every slope",
)
def most_flips(rng: Generator, m: int, omega: float, *, random: bool = False) -> float:
    """One more than the flips of the step of norm omega that flips most, L = 1, at one of seven slopes, -2 to 9/10."""
    net, x = leaky_start(rng, m, 1, float(rng.choice(SLOPES)), stored=0)
    effect = attacked_layer(rng, net, x, omega, "random") if random else first_layer_flips(net, x, omega)
    return effect.flips(1) + 1.0


ONE_WIDTH = dict.fromkeys(
    ("premise m*omega >= 20", "premise m >= 50"), "the row has one width, at which smaller steps measure 0"
)


@claim(
    "guo2024:eq-46-48",
    bound="C*omega",
    constants={"C": (10, "hidden in the paper, and fitted here")},
    premises=[
        "radius against the width, ours, at which the step goes across the kink next to it: m*omega >= 20",
        "width, ours, at which the features of the one layer have a norm near 1: m >= 50",
    ],
    regime=Regime(calibration=grid(m=4000, omega=[0.01, 0.03, 0.1]), cells=grid(m=4000, omega=[0.3, 0.8])),
    evidence=Scaling({"omega": "equal"}, constant="C", replicates=6),
    controls=[control("exponent 2/3, that of flips", bound="C*omega**(2/3)")],
    blind=ONE_WIDTH,
    note="as printed without kappa; with it in eq-46-48-squared, and (47) in lemma-B.4-flips",
    scope="part: (48) at L = 1, by its power of the radius",
)
def norm_of_the_flipped_part(rng: Generator, m: int, omega: float) -> float:
    """The largest norm ||D'_1 g_1|| over slopes -2 to 9/10, steps of norm omega on the neuron next to its kink."""
    found = []
    for slope in SLOPES:
        net, x = leaky_start(rng, m, 1, slope, stored=0)
        found.append(float(np.linalg.norm(attacked_layer(rng, net, x, omega, "overshoot").flipped_part(1))))
    return max(found)


# The exponent of kappa is that of slopes near 1; the others are judged as well.
KAPPA = Regime(
    calibration=grid(m=4000, slope=[-1.0, 0.5], omega=[0.05, 0.3]),
    cells=[*grid(m=4000, slope=[0.9, 0.99], omega=[0.05, 0.3, 0.8]), *grid(m=4000, slope=SLOPES[:-1], omega=0.8)],
    derived={"jump": jump},
)


@claim(
    "guo2024:eq-46-48-squared",
    title="squared norm of D' g, with one factor kappa",
    bound="C*jump*omega**2",
    constants={"C": (10, "hidden in the paper, and fitted here")},
    premises=[
        "radius against the width, ours, at which the step goes across the kink next to it: m*omega >= 20",
        "width, ours, at which the features of the one layer have a norm near 1: m >= 50",
    ],
    regime=KAPPA,
    evidence=Scaling({"jump": "at least", "omega": "equal"}, constant="C", replicates=16),
    controls=[control("linear in the radius", bound="C*jump*omega")],
    blind={"jump": "its square is met: squared-sharp", **ONE_WIDTH},
    note="(46) at L = 1, true as kappa^2 is at most sqrt(2) kappa; squared-sharp has the power that is met",
)
@form(
    "squared-sharp",
    title="squared norm of D' g, with the square of kappa",
    bound="C*jump**2*omega**2",
    evidence=Scaling({"jump": "equal", "omega": "equal"}, constant="C", replicates=16),
    note="(46) at L = 1, in the limit of slopes to 1: kappa is of order 1 - slope there",
    controls=(),
    blind=ONE_WIDTH,
)
def squared_norm_of_the_flipped_part(rng: Generator, m: int, slope: float, omega: float) -> float:
    """The square ||D'_1 g_1||^2, a step of norm omega spent on the neuron next to its kink."""
    net, x = leaky_start(rng, m, 1, slope, stored=0)
    return float(np.sum(attacked_layer(rng, net, x, omega, "overshoot").flipped_part(1) ** 2))
