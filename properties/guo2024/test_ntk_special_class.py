"""guo2024, Lemma B.17: averages over a random layer are linear functions of the features, with coefficients of norm 1.

Main claims: `least_coefficients`; `features_of_the_class`, the coefficients of the proof, which the printed width
refutes, and `features_of_the_class_with_a_logarithm`.
"""

import math

import numpy as np
import sympy
from numpy.random import Generator

from bounds import Bound, symbol
from bounds.papers import guo2024 as sheet
from nets import Array, forward, leaky_network, sphere
from properties.guo2024.risk import class_average
from properties.guo2024.slopes import SLOPES
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Step, Trials

# The share of the constant part in the coefficients; the rest is the sign of a product with a direction.
EVEN = 0.25


def _errors(rng: Generator, m: int, n: int, d: int, outputs: int, slope: float, *, times: float = 1.0) -> Array:
    """|<u_j, h_i> - f_j(x_i)| over the norm of the state below, h_i the state above: an array (n, outputs)."""
    # The features are those of the first of two layers: the second is not drawn.
    net = leaky_network(d, m, 1, outputs, slope, rng)
    passed = forward(net, sphere(n, d, rng))
    directions = rng.standard_normal((m, outputs))
    neurons = math.sqrt(m / 2.0) * net.stored_weights()[0]
    u = (EVEN + (1.0 - EVEN) * np.sign(neurons.T @ directions)) * times / math.sqrt(2.0 * m)
    below = passed.post[1]
    errors = passed.post[2] @ u - class_average(below, directions, slope, EVEN)
    return np.asarray(np.abs(errors) / np.linalg.norm(below, axis=1, keepdims=True))


# Singular values of the features below this share of the largest over sqrt(n outputs) are left out, as points near each
# other have them: the largest grows as sqrt(n), those of points that are nearly orthogonal do not. What is left out
# misses a target by a share of lambda, which falls as 1/sqrt(n outputs): of antipodes near slope 1 by a fortieth.
SMALL = 0.08


def accuracy(n: int, outputs: int) -> float:
    """About the largest lambda that Assumption B.13 leaves, 1/(2 sqrt(n outputs))."""
    return 1.0 / (2.1 * math.sqrt(n * outputs))


@claim(
    "guo2024:lemma-B.17",
    title="a random-layer target is linear in the features, with coefficients of norm at most 1",
    bound="1",
    premises=(
        "width against samples, outputs and failure rate, as 1/lambda^2 times a logarithm, at least two neurons for "
        "each number, the constants are ours: "
        "m >= n*outputs*Max(2, 1 + 4*log(1/delta))"
    ),
    regime=Regime(
        cells=[
            *grid(m=384, n=16, d=16, outputs=4, slope=SLOPES, delta=0.3),
            *grid(m=416, n=16, d=3, outputs=2, slope=[-1.0, 0.0], delta=0.3),
        ],
        derived={"lam": accuracy},
    ),
    evidence=Trials(rate="delta"),
    controls=[
        control("a sixth", bound="1/6"),
        control("coefficients six times as large", times=6.0),
        control(
            "fewer neurons than samples",
            cells=grid(m=8, n=64, d=16, outputs=4, slope=0.0, delta=0.3),
            without="m >= n*outputs*Max(2, 1 + 4*log(1/delta))",
        ),
    ],
    note="residuals y - f(x; W^(0)) equal to f_j, lambda = 1/(2.1 sqrt(n outputs)), delta for exp(-Omega(lambda^2 m)), "
    "over x_i and a_j too. u is N(0, I) as in the proof, not N(0, 2/m). Norms found: 0.2 to 0.5; the proof's u_j miss "
    "more: variant proof",
    scope="part: L = 2, x_i drawn uniformly from the sphere, residuals equal to f_j, and c_j of one form",
)
def least_coefficients(
    rng: Generator, m: int, n: int, d: int, outputs: int, slope: float, lam: float, *, times: float = 1.0
) -> float:
    """The largest ||u_j||, least squares <u_j, h_{i,1}> = f_j(x_i); 1e300 if some f_j(x_i) is missed by more than lam.

    Singular values below 2/(25 sqrt(n outputs)) of the top are left out. f_j = E c_j(u) sigma(<u, h_{i,0}>), u and a_j
    N(0, I), c_j(u) = 1/4 + 3/4 sign<u, a_j>.
    """
    net = leaky_network(d, m, 1, outputs, slope, rng)
    passed = forward(net, sphere(n, d, rng))
    targets = times * class_average(passed.post[1], rng.standard_normal((m, outputs)), slope, EVEN)
    u = np.linalg.lstsq(passed.post[2], targets, rcond=SMALL / math.sqrt(n * outputs))[0]
    missed = float(np.abs(passed.post[2] @ u - targets).max())
    return float(np.linalg.norm(u, axis=0).max()) if missed <= lam else 1e300


@claim(
    "guo2024:lemma-B.17-proof",
    title="error of the coefficients that its proof has, above the 2 lambda that it says",
    bound=">= 2*lam",
    premises=[
        "width against samples and outputs, with a unit constant: m >= n*outputs",
        "the least such width, at which the exponent lambda^2 m is least: m <= n*outputs",
        "targets enough, of which given the layer some 8 in 100 miss at a point: outputs >= 20 + 100*log(1/delta)",
    ],
    regime=Regime(
        cells=[
            *grid(m=320, n=1, d=16, outputs=320, slope=-1.0, delta=0.3),
            *grid(m=320, n=2, d=16, outputs=160, slope=[-1.0, 0.0], delta=0.3),
        ],
        derived={"lam": accuracy},
    ),
    evidence=Trials(rate="delta"),
    controls=[
        control("eight times what the proof says", bound="16*lam"),
        control(
            "two points and one output",
            cells=grid(m=2, n=2, d=16, outputs=1, slope=0.0, delta=0.3),
            without="outputs >= 20 + 100*log(1/delta)",
        ),
    ],
    blind={
        "lam": "one accuracy, nearly the largest; few targets have a larger one, and none of them miss",
        **dict.fromkeys(
            ("premise m >= n*outputs", "premise m <= n*outputs"), "the one width that the proof is taken at"
        ),
    },
    note="L = 2, x_i uniform on the sphere, c_j(u) = 1/4 + 3/4 sign<u, a_j>, a_j and u N(0, I), w_k of neuron k in "
    "W_1. At lam = 1/(2.1 sqrt(n outputs)) some 8 numbers in 100 miss: the union asks for a logarithm. The quotient "
    "by ||h_{i,0}|| is ours",
)
def features_of_the_class(rng: Generator, m: int, n: int, d: int, outputs: int, slope: float) -> float:
    """The largest |<u_j, h_{i,1}> - E c_j(u) sigma(u^T h_{i,0})|/||h_{i,0}||; u_jk = c_j(sqrt(m/2) w_k)/sqrt(2 m).
    The failure rate delta is over x_i and a_j too."""
    return float(_errors(rng, m, n, d, outputs, slope).max())


# The numbers n outputs, and the constant in the exponent of (150), whatever it is.
NUMBERS, RATE = sympy.Symbol("v", positive=True), sympy.Symbol("rate", positive=True)


@claim(
    "guo2024:lemma-B.17-any-constant",
    title="width that the union over samples and outputs asks for, above the printed one with any constant",
    kind="implication",
    bound=">= C*n*outputs",
    premises="none needed: samples and outputs without limit, at the largest lambda of Assumption B.13",
    constants={"C": (1, "hidden in the paper: the limit is 0 with every one, which stays a symbol")},
    measured=["n", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="every order below n outputs log(n outputs) is too small", unasked="limits take long"),
    controls=[
        control("with the logarithm", bound="C*n*outputs*log(n*outputs)"),
        control("lambda larger by the root of the logarithm", larger=1),
    ],
    note="nd exp(-rate lambda^2 m) of the proof is at most 1 from this width on; at m = C n outputs it is "
    "nd exp(-rate C/4), beyond every number. A smaller lambda asks for more",
    scope="part: the union of its proof",
)
def width_of_the_union(bound: Bound, *, larger: int = 0) -> list[Step]:
    """The limit, 0, of the bound over log(v)/(rate lambda^2), as v = n outputs grows, lambda = 1/(2 sqrt(v))."""
    asked = sympy.log(NUMBERS) / (RATE * sympy.log(NUMBERS) ** larger / (4 * NUMBERS))
    printed = bound.expr.subs({symbol("n"): NUMBERS, symbol("outputs"): 1})
    return [Step("the quotient of the widths tends to 0", bool(sympy.limit(printed / asked, NUMBERS, sympy.oo) == 0))]


# So many numbers that the largest of them is above what one alone may reach.
MANY = grid(m=128, n=128, d=16, outputs=256, slope=-1.0, delta=0.5)


@claim(
    "guo2024:lemma-B.17-corrected",
    bound=sheet.lemma_B_17_corrected.reads("sqrt(C*Max(1, slope**2)/(1 + slope**2)*log(2*n*outputs/delta)/m)"),
    premises="none needed: the states below the layer are given, whatever their norms",
    regime=Regime(
        cells=[
            *grid(m=64, n=16, d=16, outputs=2, slope=SLOPES, delta=0.2),
            *grid(m=128, n=32, d=16, outputs=4, slope=-1.0, delta=0.2),
            *MANY,
        ]
    ),
    evidence=Trials(budget=160),
    controls=[
        control("falls with the width", bound="log(2*n*outputs/delta)/m"),
        control("an eighth of it", bound="1/3*sqrt(log(2*n*outputs/delta)/m)"),
        control("coefficients six times as large", times=6.0),
        control(
            "no union over samples and outputs",
            bound="sqrt(C*Max(1, slope**2)/(1 + slope**2)*log(2/delta)/m)",
            cells=MANY,
        ),
    ],
    blind={
        "slope in slope**2 of slope**2 + 1": "beside max(1, slope^2) it is worth a factor of 2 at most",
        "m": "the tail is lighter than the bound: a wrong power, as the control has it, is refuted",
        "delta": "two values, in a logarithm",
        "n": "it enters by a logarithm, which a control leaves out",
    },
    note="C is 4 + 8/pi, w_k the weights of neuron k in W_1, x_i uniform on the sphere, delta over x_i and a_j too. An "
    "accuracy of lambda needs a width of order log(n outputs)/lambda^2: n outputs log(n outputs) at the largest lambda",
    scope="part: L = 2, residuals f_j = E c_j(u) sigma(u^T h_{i,0}), c_j(u) = 1/4 + 3/4 sign<u, a_j>, u, a_j N(0, I)",
)
def features_of_the_class_with_a_logarithm(
    rng: Generator, m: int, n: int, d: int, outputs: int, slope: float, *, times: float = 1.0
) -> float:
    """The largest |<u_j, h_{i,1}> - E c_j(u) sigma(u^T h_{i,0})|/||h_{i,0}||; u_jk = c_j(sqrt(m/2) w_k)/sqrt(2 m)."""
    return float(_errors(rng, m, n, d, outputs, slope, times=times).max())
