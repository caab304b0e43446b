"""guo2024, Appendices B.11 and B.13: descent where the residuals at the start are averages over a random layer.

Main claims: `rate_free_of_the_separation`, which two close points refute.
"""

from __future__ import annotations

import flint

from bounds.arithmetic.balls import certainly_le, precision_of
from bounds.bound import Bound
from bounds.formula import formula
from bounds.papers import guo2024 as sheet
from theory.claim import claim, control
from theory.evidence import Proof, Step
from theory.regime import Regime, grid
from theory.verdict import Verdict

# Slopes at which a statement about all of them is decided, those of the experiments among them.
SLOPES = (-100, "-2", "-1.01", "-1", "-0.5", "0", "0.05", "0.5", "0.9", "0.999")


def _limit_kernel(angle: flint.arb, fall: flint.arb) -> flint.arb:
    """The tangent kernel of two trained layers, of two inputs at that angle, in units of m/(2 outputs), as m grows.

    A layer maps a cosine r to r + (fall/pi)(sin t - t cos t), r = cos t, and passes gradients on by 1 - fall t/pi.
    """
    passes, cosines = [], [angle.cos()]
    for _ in range(2):
        t = cosines[-1].acos()
        passes.append(1 - fall * t / flint.arb.pi())
        cosines.append(cosines[-1] + fall / flint.arb.pi() * (t.sin() - t * t.cos()))
    return cosines[0] * passes[0] * passes[1] + cosines[1] * passes[1]


@claim(
    "guo2024:theorem-B.14",
    bound=sheet.theorem_B_14.reads("1 - C*(1 - slope)**2/(1 + slope**2)*eta*m/outputs**2"),
    premises="none needed: in the limit of infinite width, which is above every bound that the theorem has for it",
    measured=["slope", "eta", "m", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(),
    expected=Verdict.REFUTED,
    controls=[
        control("a millionth of the rate", bound=formula("1 - (1 - slope)**2/(1 + slope**2)*eta*m/10**6")),
        control("half of it", bound=formula("1 - (1 - slope)**2/(1 + slope**2)*eta*m/200")),
    ],
    note="two points at a small angle: the difference of their residuals falls at a rate of the order of the angle, "
    "and the loss with it, long before an arbitrary accuracy; the hypothesis is about the start alone",
)
def rate_free_of_the_separation(bound: Bound, *, share: float = 0.1) -> list[Step]:
    """The factor of the square of that difference in a step, against what the theorem promises of the whole loss.

    Two layers, one output, the largest step of unit constant. The angle is that share of what the promised rate has
    beside eta m. With c(u) = 1 where the leaky ReLU is larger at the first point, the difference is half the
    mean distance of the two values, to which the half-planes where both are unchanged add what is computed here.
    """
    slower, differ = [], []
    # Cosines of angles as small as these lose half of their digits.
    with precision_of(256):
        for text in SLOPES:
            slope = flint.arb(text)
            fall = (1 - slope) ** 2 / (1 + slope**2)
            promised = bound.ball(slope=slope, eta=flint.arb(1) / 8, m=1, outputs=1)
            angle = flint.arb(share) * 8 * (1 - promised)
            # Of a point with itself the kernel is 2; the difference is an eigenvector of that of the two points.
            kept = (1 - (2 - _limit_kernel(angle, fall)) / 8) ** 2
            slower.append(certainly_le(kept, promised) is False)
            half = (angle / 2).sin()
            differ.append(certainly_le(half * (1 - half) / (2 * flint.arb.pi() * (1 + slope**2)).sqrt(), 0) is False)
    return [
        Step("the residuals of the two points differ, at all slopes", all(differ) or None),
        Step(
            f"their difference falls no more slowly than promised, at {len(slower)} slopes",
            False if all(slower) else None,
        ),
    ]
