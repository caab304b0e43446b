"""guo2024 on the rate of gradient descent: its exponents in all that Theorem 3.1 names.

Main claims: `fall_in_a_step`, for residuals that a step feels least; `fall_for_neighbours`, in the shape of f(alpha);
`fall_of_a_chain`, in the limit of infinite width; `fall_near_slope_one`, late in a run from residuals of any kind.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from bounds.laws.tangent_kernel import limit_kernel
from nets.data.points import polygon
from properties.guo2024.chains import CLOSED, chain_kernel
from properties.guo2024.descent import fitted_targets, leaky_iterates
from properties.guo2024.seen_networks import seen_network
from properties.guo2024.slopes import SLOPES, jump
from theory.claims import Regime, claim, control, grid
from theory.evidence import Scaling

# Size of the residuals, so small that hardly a neuron changes sign in a step.
SMALL = 1e-3

# Of three points in a row, at one step size.
MANY_FLIPS, NO_TOO_LONG, NEIGHBOURS = "m*phi_pm >= 600", "eta*m <= 1/2", "phi_pm <= 1/2"

# Of three points far apart, of whose limiting kernel no eigenvalue is above 3/4 of the width.
NOT_TOO_FAR = "4*eta*m <= 3"


def _limit_at_corners(slope: float, n: int) -> float:
    """The least eigenvalue of the limiting kernel of one layer, per neuron, at the corners of a polygon with n."""
    X = polygon(n)
    return float(np.linalg.eigvalsh(limit_kernel(X @ X.T, 1, slope))[0])


SHORT_STEP = "eta <= outputs/(2*n*m)"

RATE: dict[str, Callable[..., float]] = {
    "kerlim": _limit_at_corners,
    "eta": lambda share, outputs, n, m: share * outputs / (n * m),
}


@claim(
    "guo2024:theorem-3.1-rate",
    title="share of the loss that a step of gradient descent takes, exponents",
    bound="C*eta*kerlim*m/outputs",
    premises=[
        "width against residuals: for fewer neurons the kernel of a network is not near its limit, and its least "
        "eigenvalue is less by a share of about 2 sqrt(n outputs/m), ours: m >= 160*n*outputs",
        "step small enough, with the constant 1/2 [eq. (16)]: eta <= outputs/(2*n*m)",
    ],
    sense=">=",
    regime=Regime(
        calibration=[
            *grid(slope=[-2.0, 0.05], n=3, m=2048, outputs=[1, 4], share=[0.001, 0.02]),
            *grid(slope=[-1.0, 0.0], n=3, m=8192, outputs=[1, 4], share=[0.001, 0.02]),
        ],
        cells=[
            *grid(slope=[-1.0, 0.5, 0.9], n=3, m=32768, outputs=1, share=[0.02, 0.4]),
            *grid(slope=[0.95, 0.98, 0.99], n=3, m=8192, outputs=1, share=0.4),
            *grid(slope=list(SLOPES), n=3, m=8192, outputs=4, share=0.4),
            *grid(slope=[-0.5, 0.9], n=3, m=[8192, 32768], outputs=16, share=0.02),
        ],
        derived=RATE,
    ),
    evidence=Scaling(
        dict.fromkeys(("m", "eta", "outputs", "kerlim"), "equal"),
        constant="C",
        replicates=lambda outputs: 10 if outputs < 16 else 4,
        resolution=0.05,
    ),
    controls=[
        control("the root of the width", bound="C*kerlim*eta*sqrt(m)"),
        control(
            "fewer neurons than residuals ask for",
            without="m >= 160*n*outputs",
            cells=grid(slope=[-0.5, 0.9], n=5, m=[128, 512], outputs=[4, 22], share=0.02),
        ),
        # The residuals that such a step feels least become 0.6 times as long, and turn: longer ones make them longer.
        control("steps that go too far", without=SHORT_STEP, cells=grid(slope=-1.0, n=3, m=2048, outputs=1, share=5.8)),
    ],
    note="at the corners of a triangle; kerlim, the least eigenvalue of their limiting kernel per neuron, stands for "
    "kappa^2 phi/n. At -2, -1 and -1/2 other residuals are felt least than at larger slopes, so that the rate is no "
    "power of the jump: see theorem-3.1-shape and -samples",
    scope="steps: 1 of t, by the order of the rate",
)
def fall_in_a_step(rng: Generator, m: int, n: int, outputs: int, slope: float, eta: float) -> float:
    """The share 1 - gamma by which the loss falls in the first step, L = 1, for small residuals that it feels least."""
    X = polygon(n)
    net = seen_network(2, m, 1, outputs, slope, rng)
    targets = fitted_targets(net, X, "flat", SMALL, rng)
    before, after = itertools.islice(leaky_iterates(net, X, targets, eta), 2)
    return 1.0 - after.loss / before.loss


# Of the loss at the start this share is rounding: double precision, squared, of residuals a tenth of the outputs.
RESTS = 1e-20


@claim(
    "guo2024:theorem-3.1-slope",
    title="rate late in a run of one trained layer as the slope tends to 1, exponent of the jump",
    bound=">= C*jump**2*eta*m",
    premises=[
        "width, ours, at which one run is like another: m >= 256",
        "step that does not go too far, ours: 4*eta*m <= 3",
    ],
    regime=Regime(
        calibration=grid(m=1024, slope=[0.9, 0.99], share=0.5),
        cells=grid(m=1024, slope=[0.25, 0.5, 0.999, 0.9999], share=0.5),
        derived={"L": lambda: 1, "jump": jump, "eta": lambda share, m: share / m},
        least={"m": 256},
    ),
    evidence=Scaling({"jump": "equal"}, constant="C", replicates=20, resolution=0.03),
    controls=[
        control("the jump to the power 11/5", bound="C*jump**(11/5)*eta*m"),
        control("slope of the wrong sign", sign=-1.0),
        control("the first steps", at=8),
        control("a step that goes too far", cells=grid(m=1024, slope=0.25, share=1.7), without=NOT_TOO_FAR),
    ],
    blind={
        **dict.fromkeys(("eta", "m"), "one width and step size: theorem-3.1-rate has more"),
        "premise m >= 256": "runs of fewer neurons are about the same in the mean, and scatter",
    },
    note="eta is share/m; near 1 the jump is (1 - slope)/sqrt(2). Three points in the plane: one combination of their "
    "outputs no linear network changes; the other two are learned in the first steps",
    scope="steps: 60 of t, or until it rests, by the order of the rate near slope 1",
)
def fall_near_slope_one(
    rng: Generator, m: int, L: int, slope: float, eta: float, *, sign: float = 1.0, at: int = 60
) -> float:
    """The share x that a step takes of the residuals' norm, in the last eight steps, from Gaussian residuals.

    Of the loss a step takes 1 - gamma = 2 x - x^2, which bends where x is not small, at slopes far from 1. A
    run rests where the loss has fallen by 10^20, beyond which it is one of rounding; others are left after 60 steps.
    """
    X = polygon(3)
    net = seen_network(2, m, 1, 1, sign * slope, rng)
    targets = fitted_targets(net, X, "drawn", 0.1, rng)
    losses: list[float] = []
    for met in itertools.islice(leaky_iterates(net, X, targets, eta), at + 1):
        if len(losses) > 8 and met.loss < RESTS * losses[0]:
            break
        losses.append(met.loss)
    return float(1.0 - (losses[-1] / losses[-9]) ** (1.0 / 16.0))


@claim(
    "guo2024:theorem-3.1-shape",
    title="rate of descent for three near points against f(alpha), exponent",
    bound=">= C*jump**2*eta*m*phi_pm",
    premises=[
        "neurons that tell the points apart, so many that their share is near its mean, ours: m*phi_pm >= 600",
        "step that does not go too far, ours: eta*m <= 1/2",
        "neighbours on less than a third of a circle, ours: phi_pm <= 1/2",
    ],
    regime=Regime(
        calibration=grid(m=2048, slope=[-1.0, 0.5], phi_pm=0.3, share=0.5),
        cells=grid(m=8192, slope=[*SLOPES, 0.97, 0.98, 0.99, 0.996], phi_pm=0.3, share=0.5),
        derived={"jump": jump, "eta": lambda share, m: share / m},
    ),
    evidence=Scaling({"jump": "equal"}, constant="C", replicates=10, resolution=0.05),
    controls=[
        control("1 - slope for the jump", bound="C*(1-slope)**2*eta*m*phi_pm"),
        control("residuals that a step feels most", residuals="steep"),
    ],
    blind={
        **dict.fromkeys(("eta", "m"), "one step size, per neuron: theorem-3.1-rate has more"),
        "phi_pm": "one distance: theorem-3.1-samples has more",
        f"premise {MANY_FLIPS}": "of fewer the rate is less, but not at every start",
        f"premise {NO_TOO_LONG}": "losses that rise have no share that a power could be fitted to",
        f"premise {NEIGHBOURS}": "at twice the distance the power of the jump is about the same",
    },
    note="jump^2 is f(alpha); slopes -2 to 0.996. Three points of a circle in a row: the residuals that a step feels "
    "least are those that no linear network changes, so small that hardly a neuron turns",
    scope="steps: 4 of t, by the order of the rate in the slope",
)
def fall_for_neighbours(
    rng: Generator, m: int, slope: float, phi_pm: float, eta: float, *, residuals: str = "flat"
) -> float:
    """The mean share 1 - gamma that 4 steps take of the loss, L = 1: 3 points phi_pm apart, residuals felt least."""
    turns = 2.0 * math.asin(0.5 * phi_pm) * np.arange(3)
    X = np.column_stack([np.cos(turns), np.sin(turns)])
    net = seen_network(2, m, 1, 1, slope, rng)
    targets = fitted_targets(net, X, residuals, SMALL * phi_pm, rng)
    losses = [at.loss for at in itertools.islice(leaky_iterates(net, X, targets, eta), 5)]
    return float(1.0 - (losses[-1] / losses[0]) ** 0.25)


@claim(
    "guo2024:theorem-3.1-samples",
    title="rate at the largest step in the limit of infinite width, exponents of samples, separation and jump",
    bound=">= C*jump**2*phi_pm/n",
    premises="neighbours on less than half a circle, in the limit of infinite width: n*phi_pm <= 3",
    regime=Regime(
        calibration=grid(slope=[-0.5, 0.0], phi_pm=[1e-3, 1e-4], n=[16, 24]),
        cells=grid(slope=list(SLOPES), phi_pm=[1e-5, 1e-6], n=[32, 48]),
        derived={"jump": jump},
    ),
    evidence=Scaling({"jump": "equal", "phi_pm": "equal", "n": "equal"}, constant="C", replicates=2, resolution=0.02),
    controls=[
        control("the printed power of the samples", bound="C*jump**2*phi_pm/n**2"),
        control(
            "slope of the wrong sign", sign=-1.0, cells=grid(slope=[0.05, 0.5, 0.9], phi_pm=[1e-5, 1e-6], n=[32, 48])
        ),
    ],
    blind={"premise n*phi_pm <= 3": CLOSED},
    note="neighbours on an arc: at a step that falls as 1/n the rate falls as 1/n, where the print has 1/n^2",
    scope="steps: 1 of t, by the order of the rate in the samples",
)
def fall_of_a_chain(slope: float, phi_pm: float, n: int, *, sign: float = 1.0) -> float:
    """The share 1 - gamma of a step of outputs/(4 n m), L = 1, at n points in a row on an arc, residuals felt least.

    Each point is phi_pm from the next.
    """
    least = float(np.linalg.eigvalsh(chain_kernel(sign * slope, phi_pm, n))[0])
    return least / n * (1.0 - 0.25 * least / n)
