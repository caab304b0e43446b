"""guo2024: distances of two points after the random input layer (Appendix B.2).

Main claims: `covariance_of_two_projections` (31), `distance_after_the_input_layer` (36) and `tail_of_a_difference`,
which is false with s/2 and true with s/4.
"""

import numpy as np
import scipy
import sympy as sp
from numpy.random import Generator

from bounds import Bound, all_of, is_zero, symbol
from bounds.papers import guo2024 as sheet
from nets.data.points import pair_at_distance
from properties.guo2024.initial_norms import draw
from properties.guo2024.slopes import SLOPES
from theory.claims import Measured, Regime, Verdict, claim, control, grid, reals
from theory.evidence import Distribution, Proof, Search, Step


@claim(
    "guo2024:eq-31",
    bound="= 1 - theta**2/2",
    premises="none needed: any two unit vectors, theta their distance",
    measured=["theta"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="none: an equality, and for <h_i, h_j> at most 1 - theta**2/2, as printed, an upper bound"),
    controls=[
        control("the trace of the covariance in place of 1, as printed", trace=True),
        control("the whole square", bound="1 - theta**2"),
        control("the chord not squared", bound="1 - theta/2"),
        control("correlated coordinates", correlation=sp.Rational(1, 2)),
    ],
)
def covariance_of_two_projections(bound: Bound, *, trace: bool = False, correlation: sp.Expr = sp.S.Zero) -> list[Step]:
    """The mean of <u, h_i> <u, h_j> over u ~ N(0, I), for unit h_i and h_j with ||h_i - h_j|| = theta, by integrals."""
    theta, z = symbol("theta"), sp.Symbol("z", real=True)
    density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    square, mean = (sp.integrate(z**k * density, (z, -sp.oo, sp.oo)) for k in (2, 1))
    # In the plane of the two vectors: h_i = (1, 0) and h_j = (cosine, sine).
    cosine = 1 - theta**2 / 2
    sine = sp.sqrt(1 - cosine**2)
    product = cosine * (2 * square if trace else square) + sine * (mean**2 + correlation)
    chord = sp.expand((1 - cosine) ** 2 + sine**2)
    places = [sp.Rational(k, 10) for k in (1, 10, 14, 20)]
    return [
        Step("the vectors have the chord", is_zero(chord - theta**2)),
        Step(
            f"equal at {len(places)} chords",
            all_of(is_zero((product - bound.expr).subs(theta, place)) for place in places),
        ),
        Step("equal at every chord", is_zero(product - bound.expr)),
    ]


PAIR = {"m": 12, "d": 4, "slope": 0.5}
WIDE_PAIR = {"m": 150, "d": 4, "slope": 0.5, "phi": 0.5}


@claim(
    "guo2024:eq-36",
    bound="= phi**2",
    premises="none needed: an equality in law at every width, dimension and distance",
    regime=Regime(
        cells=[
            *[{**PAIR, "phi": phi} for phi in (1e-6, 0.5, 2.0)],
            *grid(m=1, d=2, slope=list(SLOPES), phi=1.0),
            # The law is narrow enough for a scale off by a tenth to be seen.
            WIDE_PAIR,
        ],
        thorough=[{**PAIR, "m": 50, "d": 50, "phi": phi} for phi in (1e-6, 0.5, 2.0)],
    ),
    evidence=Distribution(law=lambda m: scipy.stats.chi2(m, scale=1.0 / m), trials=300),
    controls=[
        control("variance one over the inputs", fan_in=True, cells=[{**PAIR, "phi": 2.0}]),
        control("distance not squared", bound="phi"),
        control("distance to the fourth", bound="phi**4"),
        control("a tenth more", bound="11*phi**2/10", cells=[WIDE_PAIR]),
        control("a tenth less", bound="9*phi**2/10", cells=[WIDE_PAIR]),
        control(
            "after one more layer, which makes antipodes equal", layer=2, cells=[{**PAIR, "slope": -1.0, "phi": 2.0}]
        ),
    ],
    note="more than the mean: the law of chi2_m/m, which does not depend on the two points but by their distance",
)
def distance_after_the_input_layer(
    rng: Generator, m: int, d: int, slope: float, phi: float, *, fan_in: bool = False, layer: int = 1
) -> Measured:
    """The squared distance ||A x_i - A x_j||^2, ||x_i - x_j|| = phi: over phi^2 it has the law chi2_m/m, of mean 1."""
    _, fwd = draw(pair_at_distance(phi, d, rng), m, 1, 1, slope, rng)
    first, second = fwd.post[layer]
    return Measured(float(np.sum((first - second) ** 2)) * (m / d if fan_in else 1.0))


APART = {"theta": 2.0, "level": 3.0}
LEVELS = {"theta": reals(0.2, 2.0), "level": reals(0.2, 6.0)}


def _chances(m: int, theta: float, level: float, part: float) -> Measured:
    """The probability that ||A (x_i - x_j)||^2 exceeds the level, with that of ||A x||^2 for a part of it."""
    # From the difference of the points, of which the law knows the length alone.
    measured = float(scipy.stats.chi2.sf(m * level / theta**2, m))
    return Measured(
        measured, error=1e-12 * measured, symbols={"chance": float(scipy.stats.chi2.sf(m * part * level, m))}
    )


@claim(
    "guo2024:claim-subexp-difference",
    bound=sheet.claim_subexp_difference.reads("2*chance"),
    premises="none needed: any two unit vectors and any level",
    measured=["chance"],
    probability=True,
    regime=Regime(cells=grid(m=[1, 2, 10, 100]), draw=LEVELS, pinned=[APART]),
    evidence=Search(examples=30, adversary="antipodes, where ||A x_i - A x_j|| is twice ||A x_i||"),
    expected=Verdict.REFUTED,
    controls=[control("without the factor 2", bound="chance"), control("the level undivided", part=1.0)],
    note="x_j = -x_i, m = 100, s = 3: 0.9708 against 0.0018. At m = 1 too, with s = 6: 0.2207 against 0.1665",
)
def tail_of_a_difference(m: int, theta: float, level: float, *, part: float = 0.5) -> Measured:
    """P(||A x_i - A x_j||^2 > s) at distance theta and level s, by its law, against P(||A x_i||^2 > s/2), `chance`."""
    return _chances(m, theta, level, part)


@claim(
    "guo2024:claim-subexp-difference-corrected",
    title="tail of a difference from tails of the two vectors at a quarter of the level",
    bound=sheet.claim_subexp_difference.reads("2*chance"),
    premises="none needed: any two unit vectors and any level",
    measured=["chance"],
    probability=True,
    regime=Regime(cells=grid(m=[1, 2, 10, 100]), draw=LEVELS, pinned=[APART]),
    evidence=Search(examples=30, adversary="antipodes, where one half of the bound is attained"),
    controls=[control("a third of the level", part=1.0 / 3.0), control("half of the level", part=0.5)],
    note="||a - b||^2 > s needs ||a||^2 > s/4 or ||b||^2 > s/4; for vectors of one law the factor 2 is not needed",
)
def tail_of_a_difference_at_a_quarter(m: int, theta: float, level: float, *, part: float = 0.25) -> Measured:
    """P(||A x_i - A x_j||^2 > s) at distance theta and level s, by its law, against P(||A x_i||^2 > s/4), `chance`."""
    return _chances(m, theta, level, part)
