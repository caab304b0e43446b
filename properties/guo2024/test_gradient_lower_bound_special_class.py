"""guo2024, Lemma B.19: gradients from below on the special class of targets.

Main claims: `gradient_against_the_loss`, false by its scaling, and `squared_gradient_against_the_loss`, the form that
the proof means, false for close points.
"""

import flint
from numpy.random import Generator
from sympy import Rational

from bounds import Bound, certainly_le, precision_of
from nets import forward, leaky_network, tangent_features
from properties.guo2024.close_pair import DECIMAL_SLOPES, limit_kernel
from properties.guo2024.risk import draw_population, of_the_class, residuals
from theory.claims import Measured, Regime, Verdict, claim, control, grid
from theory.evidence import Proof, Search, Step


@claim(
    "guo2024:lemma-B.19",
    bound=">= C*(1 - slope)**2/(1 + slope**2)*m/outputs**2*L0",
    constants={"C": (1, "hidden in the paper; whatever it is, there are widths beyond it")},
    premises="none needed: the weights are those at the start, which every ball around them holds",
    measured=["L0"],
    regime=Regime(
        cells=[
            *grid(m=256, n=4, L=2, d=8, outputs=1, phi=0.5, slope=[-2.0, -1.0, -0.5, 0.0, 0.05]),
            *grid(m=8192, n=4, L=2, d=8, outputs=1, phi=0.5, slope=[0.5, 0.9]),
        ]
    ),
    evidence=Search(examples=1),
    expected=Verdict.REFUTED,
    controls=[
        control("two thirds of it", bound="2/3*(1 - slope)**2/(1 + slope**2)*m/outputs**2*L0"),
        control("with the square of the number of samples", bound="n*(1 - slope)**2/(1 + slope**2)*m*L0"),
    ],
    note="the norm grows like sqrt(m L0) and the bound like m L0: beyond some width it is larger, whatever the "
    "constant; with a unit constant 256 neurons are enough at slopes from -2 to 1/20",
)
def gradient_against_the_loss(
    rng: Generator, m: int, n: int, L: int, d: int, outputs: int, phi: float, slope: float
) -> Measured:
    """The norm ||grad L||_F at W^(0), L without 1/2, of value L0, residuals E sigma(<u, h_{i,L-2}>), u ~ N(0, I)."""
    net = leaky_network(d, m, L, outputs, slope, rng)
    population = of_the_class(net, draw_population(n, n, d, outputs, phi, rng), slope, 1.0, rng)
    passed = forward(net, population.X)
    left = residuals(passed, population).reshape(-1)
    square = 4.0 * float(left @ tangent_features(net, passed).grams.sum(axis=0) @ left)
    return Measured(square**0.5, symbols={"L0": float(left @ left)})


@claim(
    "guo2024:lemma-B.19-squared",
    title="squared gradient from below in a ball, by residuals at its centre",
    bound=">= C*(1 - slope)**2/(1 + slope**2)*m/outputs**2",
    constants={"C": (Rational(1, 100), "hidden in the paper; whatever it is, there are points too close for it")},
    premises="none needed: in the limit of infinite width, where the ball holds weights with any residuals",
    measured=["slope", "m", "outputs"],
    printed=True,
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("a millionth of it", bound="(1 - slope)**2/(1 + slope**2)*m/10**6"),
        control("half of it", bound="(1 - slope)**2/(1 + slope**2)*m/200"),
    ],
    note="two points at a small angle and residuals of opposite signs: a change of the outputs by a constant takes "
    "weights of order 1/sqrt(m), far within the ball; the hypothesis is about its centre alone",
)
def squared_gradient_against_the_loss(bound: Bound, *, share: float = 0.1) -> list[Step]:
    """The least ||grad L||_F^2/L, L without 1/2, over residuals at two points of a small angle, and the bound.

    Two layers, one output: it is 2 m (2 - K), K the kernel of the points in units of m/2; the angle is C kappa^2/10.
    """
    below = []
    # Cosines of angles as small as these lose half of their digits.
    with precision_of(256):
        for text in DECIMAL_SLOPES:
            slope = flint.arb(text)
            fall = (1 - slope) ** 2 / (1 + slope**2)
            asked = bound.ball(slope=slope, m=1, outputs=1)
            least = 2 * (2 - limit_kernel(flint.arb(share) * asked, fall))
            below.append(certainly_le(asked, least) is False)
    return [Step(f"no smaller than stated at {len(below)} slopes", False if all(below) else None)]
