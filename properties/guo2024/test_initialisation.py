"""guo2024 at initialisation: norms of matrices, Algorithm 1 in its two forms, and outputs and losses at the start.

Main claims: `norm_by_eigenvalues`, which no norm is, and `norms_of_a_tuple`; `laws_of_the_initialisation`;
`outputs_in_two_forms`, `step_in_the_other_form` and `training_at_the_inverse_slope`; `large_outputs` (105),
`very_large_outputs` (109), `initial_loss` (108) and `small_initial_loss` (163), each false as printed, with what holds.
"""

import math

import flint
import numpy as np
import scipy
import sympy as sp
from numpy.random import Generator

from bounds import Bound, certainly_le, symbol
from bounds.laws.leaky_layers import LeakyChiSquare
from bounds.papers import guo2024 as sheet
from nets import SQUARE, DataSource, Network, arranged, forward, leaky_network, leaky_relu, operator_norm, train
from nets.descent.training import gradient_step
from nets.linear_algebra.lowrank import frobenius_norms
from properties.guo2024.initial_norms import draw, trained_layer_ratios
from properties.guo2024.output_tails import norm_off, output_below, output_exceeds
from properties.guo2024.slopes import SLOPES
from properties.shared.chi_square import log_chi_square_tail
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid, reals, rounding
from theory.core.measured import DEFAULT_RELATIVE_ERROR
from theory.evidence import Distribution, ExactLaw, Proof, Search, Step, Tail

# By how much a column is shorter than that of an orthogonal matrix: far beyond rounding.
NEARLY = 1e-6


@claim(
    "guo2024:def-norms",
    bound="spectral",
    premises="none needed: the definition is for every square matrix",
    measured=["spectral"],
    regime=Regime(cells=grid(m=[2, 20]), draw={"shear": reals(0.1, 10.0)}, least={"m": 2}),
    evidence=Search(examples=10, adversary="one entry off the diagonal"),
    expected=Verdict.REFUTED,
    controls=[control("twice the spectral radius", bound="2*spectral"), control("its square", bound="spectral**2")],
    note="[[0, 1], [0, 0]] has the eigenvalue 0 alone and the norm 1. The largest absolute eigenvalue is the norm of a "
    "normal matrix, and a lower bound on that of any other",
)
def norm_by_eigenvalues(m: int, shear: float) -> Measured:
    """The operator norm of 0.01 I with `shear` as entry (1, 2), against spectral = max_j |lambda_j| = 0.01."""
    W = 0.01 * np.eye(m)
    W[0, 1] = shear
    return Measured(operator_norm(W), symbols={"spectral": 0.01})


@claim(
    "guo2024:def-norms-corrected",
    title="norms of a tuple of matrices by their largest singular values",
    bound="sqrt(L*m)*normW",
    premises="none needed: every tuple of square matrices",
    measured=["normW"],
    regime=Regime(
        cells=grid(m=[2, 9, 30], L=[1, 4]), draw={"family": choices("next to orthogonal", "Gaussian", "nilpotent")}
    ),
    evidence=Search(examples=12, adversary="matrices next to orthogonal ones, where it is nearly attained"),
    controls=[
        control("spectral radii in place of norms", radii=True),
        control("the norm of the least of them", least=True),
    ],
    scope="part: one inequality, which singular values meet and eigenvalues do not",
)
def norms_of_a_tuple(
    rng: Generator, m: int, L: int, family: str, *, radii: bool = False, least: bool = False
) -> Measured:
    """The norm sqrt(sum_l ||W_l||_F^2) of a tuple of L matrices of side m, normW = max_l ||W_l||_2."""
    weights = [rng.standard_normal((m, m)) for _ in range(L)]
    if family == "next to orthogonal":
        # Shorter by so little in one column that the bound is met beyond rounding.
        shorter = np.append(1.0 - NEARLY, np.ones(m - 1))
        weights = [np.ascontiguousarray(np.linalg.qr(W)[0] * shorter) for W in weights]
    if family == "nilpotent":
        weights = [np.triu(W, 1) for W in weights]
    norms = [np.abs(np.linalg.eigvals(W)).max() if radii else operator_norm(W) for W in weights]
    total = float(frobenius_norms([frobenius_norms(weights)])[0])
    largest = float(min(norms) / 2.0 if least else max(norms))
    return Measured(total, error=1e-12 * total, symbols={"normW": largest})


def _law_of_the_part(m: int, outputs: int, slope: float, part: str) -> object:
    """The law of what the initialisation draws there: of A, of a layer with its activation, of four layers, of B."""
    if part == "layer":
        return LeakyChiSquare(m, slope)
    free = outputs if part == "readout" else m
    return scipy.stats.chi2(free, scale=1.0 / free)


# Wide enough, at that slope, for a scale off by a tenth to be seen in each of the four laws.
WIDE = {"m": 128, "d": 4, "outputs": 128, "slope": -1.0}
PARTS = ("input", "layer", "four layers", "readout")


@claim(
    "guo2024:algorithm-1",
    bound="= 1",
    premises="none needed: equalities in law at every width, dimension and slope, given that no h in a quotient is 0",
    regime=Regime(
        cells=[
            *[{**WIDE, "part": part} for part in PARTS],
            *[{"m": 9, "d": 4, "outputs": 3, "slope": slope, "part": "layer"} for slope in SLOPES if slope],
            *grid(m=40, d=4, outputs=3, slope=0.0, part=("layer", "readout")),
        ]
    ),
    evidence=Distribution(law=_law_of_the_part, trials=300),
    controls=[
        control("read-out of variance 1/m", wrong="readout", cells=[{**WIDE, "m": 40, "part": "readout"}]),
        control("input layer of variance one over the inputs", wrong="input", cells=[{**WIDE, "part": "input"}]),
        control("layers of variance 1/m", wrong="layer", cells=grid(m=9, d=4, outputs=3, slope=-2.0, part="layer")),
        control("not rescaled", wrong="scale", cells=grid(m=9, d=4, outputs=3, slope=-2.0, part="layer")),
        control("one matrix for the first and third", wrong="shared", cells=[{**WIDE, "m": 40, "part": "four layers"}]),
        *[
            control(f"a tenth {word}, {part}", bound=scale, cells=[{**WIDE, "part": part}])
            for part in PARTS
            for word, scale in (("more", "11/10"), ("less", "9/10"))
        ],
    ],
    note="their laws are chi2_m/m, (2/((1 + slope^2) m)) (chi2_K + slope^2 chi2_{m-K}) with K ~ Bin(m, 1/2), chi2_m/m "
    "for four layers, and chi2_outputs/outputs: each in cells of its own",
    scope="part: these norms; of the entries nothing else is seen",
)
def laws_of_the_initialisation(
    rng: Generator, data: DataSource, m: int, d: int, outputs: int, slope: float, part: str, *, wrong: str = ""
) -> float:
    """By `part` ||A x||^2, ||h_1||^2/||h_0||^2, ||h_0 (W_1 + .. + W_4)||^2/(8 ||h_0||^2) or ||B h_1||^2/||h_1||^2.

    ||x|| = 1. The bound is the scale of its law.
    """
    X, _ = data.draw(1, d, rng)
    gain = 1.0 if wrong == "layer" else 2.0
    net, fwd = draw(X, m, 4 if part == "four layers" else 1, outputs, slope, rng, gain=gain, rescaled=wrong != "scale")
    if part == "four layers":
        met = (0, 1, 0, 3) if wrong == "shared" else range(4)
        total = sum(fwd.post[1] @ net.weights[number] for number in met)
        return float(np.sum(total**2) / (8.0 * np.sum(fwd.post[1] ** 2)))
    if part == "input":
        return float(np.sum(fwd.post[1] ** 2)) * (m / X.shape[1] if wrong == "input" else 1.0)
    if part == "layer":
        return float(trained_layer_ratios(fwd)[0, 0])
    state = fwd.post[-1][0]
    out = float(np.sum((state @ net.v.reshape(m, -1)) ** 2) / (state @ state))
    return out * (outputs / m if wrong == "readout" else 1.0)


def _in_the_weights(net: Network, slope: float, shrink: float = 0.5) -> Network:
    """The same function with the factor (1 + slope^2)^(-1/2) in the weights."""
    factor = (1.0 + slope**2) ** -shrink
    return net.with_weights([factor * W for W in net.weights]).with_activation(leaky_relu(slope, rescaled=False))


FORMS = [
    {"m": 10, "L": L, "d": 3, "outputs": outputs, "slope": s}
    for L, outputs, s in zip((1, 2, 3, 2, 3, 1, 3), (1, 2, 1, 3, 1, 2, 1), SLOPES, strict=True)
]


@claim(
    "guo2024:claim-reparametrisation",
    bound=sheet.claim_reparametrisation.reads("1"),
    premises="none needed: an identity for all weights, inputs and slopes",
    sense="=",
    regime=Regime(cells=FORMS),
    evidence=Search(examples=6, adversary="seven slopes, and points that are near the antipodes of others"),
    controls=[
        control("weights divided by 1 + slope^2", shrink=1.0, cells=FORMS[:3]),
        control("weights left as they are", shrink=0.0, cells=FORMS[:3]),
        control("weights multiplied", shrink=-0.5, cells=FORMS[:3]),
    ],
    note="four points, W^(0). The outputs alone agree: in training the steps differ, see the variant training",
)
def outputs_in_two_forms(
    rng: Generator, data: DataSource, m: int, L: int, d: int, outputs: int, slope: float, *, shrink: float = 0.5
) -> Measured:
    """One plus the relative F distance of the outputs with 1/sqrt(1 + slope^2) in W_1..W_L and in the activation."""
    X = arranged(data.draw(4, d, rng)[0], "antipodes", rng)
    net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    rescaled, plain = forward(net, X).output, forward(_in_the_weights(net, slope, shrink), X).output
    return Measured(1.0 + float(quotients(np.linalg.norm(rescaled - plain), np.linalg.norm(rescaled))), error=1e-12)


@claim(
    "guo2024:claim-reparametrisation-training",
    title="the step with the factor in the activation that does what another does with it in the weights",
    bound="= eta*(1 + slope**2)",
    premises="none needed: an identity at every point of a run where the gradient is not 0, for every step size",
    regime=Regime(cells=[{**form, "n": 3, "eta": eta} for form in FORMS for eta in (1e-3, 0.1)], most={"L": 8}),
    evidence=Search(examples=3, adversary="every step of three, with drawn targets"),
    controls=[
        control("the root", bound="eta*sqrt(1 + slope**2)"),
        control("the other sign of the slope", bound="eta*(1 - slope**2)"),
    ],
    note="so that runs of equal steps compare slopes in one form or in the other, and not in both",
)
def step_in_the_other_form(
    rng: Generator, data: DataSource, m: int, L: int, d: int, outputs: int, slope: float, n: int, eta: float
) -> Measured:
    """The eta' with sqrt(1 + a^2) (V^(t) - V^(t+1)) = eta' grad L(sqrt(1 + a^2) V^(t)), t = 0, 1, 2, V by steps of eta.
    a is the slope, V the weights with the factor in them, grad L that with it in the activation; eta' is the part of
    the move along this gradient, alone and with the size of the part across it, over the norm of the gradient."""
    X = data.draw(n, d, rng)[0]
    net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    while not forward(net, X).output.any():  # silent at every point, as narrow networks are where all are alike
        net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    y = rng.standard_normal((n, 1, outputs) if outputs > 1 else n)
    root, plain = math.sqrt(1.0 + slope**2), _in_the_weights(net, slope)
    found, errors = [], []
    for _ in range(3):
        after = gradient_step(plain, X, y, SQUARE, eta)
        rescaled = net.with_weights([root * W for W in plain.weights])
        gradient = _flat(rescaled) - _flat(gradient_step(rescaled, X, y, SQUARE, 1.0))
        if not gradient.any():
            break  # silenced by the steps before
        move, length = root * (_flat(plain) - _flat(after)), float(np.linalg.norm(gradient))
        along = float(move @ gradient / length**2)
        rest = float(np.linalg.norm(move - along * gradient)) / length
        found += [along, along + rest]
        # Both steps are differences of weights, and each gradient is known as a pass is.
        weights = float(np.linalg.norm(_flat(rescaled)))
        lost = rounding(weights, 2.0) / length * (1.0 + eta * root**2)
        lost += 2.0 * DEFAULT_RELATIVE_ERROR * eta * root**2
        errors += [lost, 2.0 * lost]
        plain = after
    return Measured(np.array(found), error=np.array(errors))


def _flat(net: Network) -> np.ndarray:
    """All trained weights as one vector."""
    return np.concatenate([W.ravel() for W in net.stored_weights()])


MIRRORED = [
    {"m": 10, "L": L, "d": 3, "outputs": 2, "slope": slope}
    for L, slope in zip((1, 2, 3, 2, 3, 1), (-2.0, -1.0, -0.5, 0.05, 0.5, 0.9), strict=True)
]


@claim(
    "guo2024:claim-reparametrisation-mirror",
    title="the inverse of a slope with the weights turned into their negatives, or points and outputs",
    bound=sheet.claim_reparametrisation.reads("1"),
    premises="none needed: an identity for all inputs, steps, slopes but 0, which has no inverse, and weights at which "
    "no pre-activation is 0, where the derivative is of one side",
    sense="=",
    regime=Regime(cells=MIRRORED),
    evidence=Search(examples=4, adversary="negative slopes on both sides of -1, -1 itself, and positive slopes"),
    controls=[
        control("weights not turned", sign=1.0, cells=MIRRORED[:1]),
        control("the slope left as it is", power=1, cells=MIRRORED[:1]),
        control("the inverse with the other sign", power=-1, turned=-1.0, cells=MIRRORED[:1]),
        control("not rescaled", rescaled=False, cells=MIRRORED[:1]),
        control("points and outputs not turned at a positive slope", side=1.0, cells=MIRRORED[3:4]),
    ],
    note="to rounding, steps of 1/50 on half the loss. The weights W_l turn at negative slopes; points, targets and "
    "outputs at positive ones. So slopes below -1 do what those from -1 to 0 do. At -1 each layer is even",
)
def training_at_the_inverse_slope(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    d: int,
    outputs: int,
    slope: float,
    *,
    sign: float = -1.0,
    power: int = -1,
    turned: float = 1.0,
    side: float = -1.0,
    rescaled: bool = True,
) -> Measured:
    """One plus the relative distances, slopes a and 1/a, of the losses at t = 0..5 and the outputs at t = 5, in F."""
    X = data.draw(3, d, rng)[0]
    net = leaky_network(X.shape[1], m, L, outputs, slope, rng)
    weights, side = (1.0, side) if slope > 0.0 else (sign, 1.0)
    other = net.with_weights([weights * W for W in net.weights])
    other = other.with_activation(leaky_relu(turned * slope**power, rescaled))
    y = rng.standard_normal((3, 1, outputs) if outputs > 1 else 3)
    runs = [train(net, X, y, SQUARE, 0.02, 5), train(other, side * X, side * y, SQUARE, 0.02, 5)]
    ends = [forward(runs[0].network, X).output, side * forward(runs[1].network, side * X).output]
    gaps = np.abs(runs[1].loss / runs[0].loss - 1.0)
    return Measured(
        1.0 + np.append(gaps, quotients(np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[0]))), error=1e-11
    )


@claim(
    "guo2024:eq-105",
    bound=sheet.eq_105.reads("C*m/outputs"),
    premises="none needed: every width; print asks outputs = O(1), and it fails at one output",
    sense=">=",
    regime=Regime(cells=grid(m=[10, 100, 10**6], outputs=[1, 2])),
    evidence=Search(adversary="the exact law; the tail falls like exp(-sqrt(m outputs)/2)"),
    expected=Verdict.REFUTED,
    controls=[control("constant 1", bound="m/outputs"), control("the square of the width", bound="m**2/(10*outputs)")],
    note="with one output and m = 100 the chance is 0.0016. The root belongs to the norm, and not to its square",
    scope="part: the display before (105), for ||h|| = 1 and with 1/10 for the C that is not given",
)
def large_outputs(m: int, outputs: int) -> float:
    """The number - log P(||B h||^2 > sqrt(m/outputs)) for ||h|| = 1."""
    return -log_chi_square_tail(outputs * math.sqrt(m / outputs), outputs)


v, POSITIVE = sp.Symbol("v", positive=True), sp.Symbol("x", positive=True)

# From below on P(chi2_1 > x), by Mills's ratio.
MILLS = sp.sqrt(2 * POSITIVE / sp.pi) / (1 + POSITIVE) * sp.exp(-POSITIVE / 2)
PLACES = (flint.arb("0.01"), flint.arb(1), flint.arb(5), flint.arb(100), flint.arb(10**4))


def _exponent_is_small(threshold: sp.Expr, exponent: sp.Expr) -> list[Step]:
    """That - log P(chi2_1 > threshold) becomes small beside the exponent as v grows without limit."""
    mills = Bound(MILLS.subs(POSITIVE, symbol("x")))
    below = all(certainly_le(mills.ball(x=x), (x / 2).sqrt().erfc()) for x in PLACES)
    most = sp.expand_log(-sp.log(MILLS)).subs(POSITIVE, threshold)
    return [
        Step(f"the tail is above its bound by Mills's ratio at {len(PLACES)} places, in balls", below),
        Step("the quotient of the exponents tends to 0", bool(sp.limit(most / exponent, v, sp.oo) == 0)),
    ]


@claim(
    "guo2024:eq-105-any-constant",
    title="squared outputs above the root of the width, with any constant in the exponent",
    bound=sheet.eq_105.reads("C*m/outputs"),
    premises="none needed: one output, and widths without limit",
    measured=["m", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="an exponent above the root of the width is too large", unasked="limits take long"),
    controls=[
        control("the root of the width as exponent", bound="C*sqrt(m/outputs)"),
        control("the width as threshold", power=2),
        control("no width in the exponent", bound="C/outputs"),
    ],
    note="whatever C is, from some width on the printed bound fails",
)
def large_outputs_at_any_constant(bound: Bound, *, power: int = 1) -> list[Step]:
    """The limit, 0, of - log P((B h)^2 > sqrt(m)) over the bound, as printed, as m = v^2 grows, ||h|| = 1."""
    return _exponent_is_small(v**power, bound.expr.subs({symbol("outputs"): 1, symbol("m"): v**2}))


@claim(
    "guo2024:eq-105-corrected",
    title="squared norm of the outputs above the width over their number",
    bound=">= m/4",
    premises=(
        "width against outputs: r = m/outputs has then r - 1 - log(r) >= r/2 [Appendix B.5, eq. (105), corrected]: "
        "m >= 6*outputs"
    ),
    regime=Regime(cells=[{"m": times * k, "outputs": k} for k in (1, 2, 10, 100) for times in (6, 7, 20, 1000)]),
    evidence=Search(adversary="the exact law, in balls; widths down to the least admitted"),
    controls=[
        control("the root of the threshold", power=0.5),
        control("a width of twice the outputs", cells=[{"m": 200, "outputs": 100}], without="m >= 6*outputs"),
    ],
    note="what the sentence after it uses: ||B h|| is at most of the order of sqrt(m/outputs), and so is ||e_i||",
    scope="part: the display before (105), for ||h|| = 1",
)
def very_large_outputs(m: int, outputs: int, *, power: float = 1.0) -> float:
    """The number - log P(||B h||^2 > m/outputs) for ||h|| = 1."""
    return -log_chi_square_tail(outputs * (m / outputs) ** power, outputs)


WIDTHS = [10, 100, 10**8, 10**16, 10**64, 10**200]


@claim(
    "guo2024:eq-109",
    bound=sheet.eq_109.reads("C*outputs*log(m)"),
    premises="none needed: every width and number of outputs",
    sense=">=",
    regime=Regime(cells=grid(m=WIDTHS, outputs=[1, 10])),
    evidence=Search(adversary="widths up to 10^200: the logarithm of the tail is followed, in balls"),
    expected=Verdict.REFUTED,
    controls=[
        control("constant 1", bound="outputs*log(m)"),
        control("the square of the logarithm", bound="outputs*log(m)**2/20"),
    ],
    note="over outputs log m it is 0.56, 0.21, 0.055 and 0.028 at m = 10^2, 10^8, 10^64 and 10^200 for one output: a "
    "tail exp(-outputs eps^2) is for eps below 1; for all constants: any-constant",
    scope="own constants: C = 1/20, and 1 for the one hidden in the threshold; one sample, ||h|| = 1",
)
def outputs_above_a_root_of_the_logarithm(m: int, outputs: int) -> float:
    """The number - log P(chi2_k > (1 + sqrt(log m)) k), k = outputs: of ||B h||^2 > 1 + sqrt(log m) for ||h|| = 1."""
    return -log_chi_square_tail(outputs * (1.0 + math.sqrt(math.log(m))), outputs)


@claim(
    "guo2024:eq-109-any-constant",
    title="squared outputs above a root of the logarithm of the width, with any constant in the exponent",
    bound=sheet.eq_109.reads("C*outputs*log(m)"),
    premises="none needed: one output, and widths without limit",
    measured=["m", "outputs"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="an exponent above the root of the logarithm is too large", unasked="limits take long"),
    controls=[
        control("the root in the exponent", bound="C*outputs*sqrt(log(m))"),
        control("the logarithm as threshold", power=2),
        control("no width in the exponent", bound="C*outputs"),
    ],
    note="whatever C is, from some width on the printed bound fails",
)
def outputs_above_a_root_at_any_constant(bound: Bound, *, power: int = 1) -> list[Step]:
    """The limit, 0, of - log P(chi2_1 > 1 + sqrt(log m)) over the bound, as printed, as m = exp(v^2) grows."""
    given = bound.expr.subs({symbol("outputs"): 1, symbol("m"): sp.exp(v**2)})
    return _exponent_is_small(1 + v**power, sp.simplify(given))


@claim(
    "guo2024:eq-109-corrected",
    title="squared outputs above a logarithm of the width",
    bound=">= outputs*(log(m) - log(1 + log(m)))/2",
    premises="none needed: Chernoff's inequality, at every width and number of outputs",
    regime=Regime(cells=grid(m=[2, *WIDTHS], outputs=[1, 3, 10, 1000])),
    evidence=Search(adversary="many outputs and large widths, where it is sharp up to factors; in balls"),
    controls=[
        control("a tenth more", bound="11/20*outputs*(log(m) - log(1 + log(m)))"),
        control("the root of the logarithm as threshold", power=0.5),
    ],
    note="||B h_{i,L}||^2 is O(log m), not O(sqrt(log m)), with probability 1 - m^(-c outputs), c > 0",
    scope="part: one sample, given that ||h|| = 1; the union over the samples is in eq-108-corrected",
)
def outputs_above_a_logarithm(m: int, outputs: int, *, power: float = 1.0) -> float:
    """The number - log P(chi2_k > (1 + log m) k), k = outputs: of ||B h||^2 > 1 + log m for ||h|| = 1."""
    return -log_chi_square_tail(outputs * (1.0 + math.log(m) ** power), outputs)


HUGE = {"m": 10**20, "n": 1, "L": 2, "outputs": 1}


@claim(
    "guo2024:eq-108",
    bound=sheet.eq_108.reads("C*n*sqrt(log(m))"),
    premises="none needed: labels of 0, inputs of norm 1, and any slope",
    regime=Regime(cells=[{**HUGE, "n": n} for n in (1, 10)], derived={"rate": lambda m: m**-0.5}),
    evidence=ExactLaw(rate="rate"),
    expected=Verdict.REFUTED,
    controls=[
        control("half of it", bound="2*n*sqrt(log(m))"),
        control("without the number of samples", bound="4*sqrt(log(m))"),
    ],
    note="for one input, met n times: at m = 10^20 it fails with probability 2e-7, not m^(-1/2), C = 4 and 1/2 being "
    "ours. With others from other widths on, as exp(-C sqrt(log m)/2) is above every power of 1/m",
)
def initial_loss(threshold: float, m: int, n: int, L: int, outputs: int) -> Tail:
    """The probability that the loss of n equal inputs with labels 0 exceeds `threshold`."""
    return output_exceeds(threshold / n, m, L, outputs)


@claim(
    "guo2024:eq-108-any-constant",
    title="initial loss above a root of the logarithm of the width, with any constants",
    bound=sheet.eq_108.reads("C*n*sqrt(log(m))"),
    premises="none needed: equal inputs with labels 0, one output, and widths without limit",
    measured=["m", "n"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="every order below n log(m) is too small", unasked="limits take long"),
    controls=[
        control("the logarithm", bound="C*n*log(m)"),
        control("its square", bound="C*n*log(m)**2"),
        control("norms that shrink like the root of the logarithm", shrinking=True),
    ],
    note="whatever C and c are, from some width on the chance of a larger loss is above m^(-c)",
)
def initial_loss_at_any_constant(bound: Bound, *, shrinking: bool = False) -> list[Step]:
    """The limit, 0, of - log P(n (B h)^2 > bound) over log m, m = exp(v^2), if ||h||^2 >= 1/2 has a chance of 1/2."""
    threshold = sp.simplify(bound.expr.subs({symbol("n"): 1, symbol("m"): sp.exp(v**2)}))
    long = all(norm_off(m, L, 0.5)[0] <= 0.5 for m, L in ((10**3, 1), (10**4, 4), (10**6, 16)))
    return [
        Step("||h_L||^2 is at least 1/2 with a chance of 1/2, at three widths", long),
        *_exponent_is_small(2 * threshold * (v if shrinking else 1), v**2),
    ]


VERY_WIDE = {"m": 4 * 10**4, "n": 1, "L": 2, "outputs": 1}


@claim(
    "guo2024:eq-108-corrected",
    title="initial loss against the number of samples and a logarithm of the width",
    bound="n*(1 + 3*sqrt(log(m)))**2",
    premises=[
        "no more samples than neurons [Appendix B.6, after eq. (109)]: n <= m",
        "width against depth, 500 is ours, for norms of at most 3/2 [Appendix B.6, Lemma B.1]: m >= 500*L**2*log(m)",
    ],
    regime=Regime(
        cells=[
            *[{**VERY_WIDE, "n": n, "outputs": outputs} for n, outputs in ((1, 1), (1000, 1), (4 * 10**4, 3))],
            {**VERY_WIDE, "m": 10**7, "L": 8, "n": 10**6},
            {**HUGE, "n": 10**20},
        ],
        derived={"rate": lambda m: 1.0 / m},
    ),
    evidence=ExactLaw(rate="rate"),
    controls=[
        control("the root of the logarithm", bound="n*(1 + 3*log(m)**(1/4))**2", cells=[{**HUGE, "m": 10**60}]),
        control("without the number of samples", bound="(1 + 3*sqrt(log(m)))**2", cells=[{**VERY_WIDE, "n": 1000}]),
        control("read-out of variance 30/outputs", scale=30.0, cells=[VERY_WIDE]),
    ],
    blind={
        "premise n <= m": "from below stands the tail of equal inputs, which knows no union over the samples",
        "premise m >= 500*L**2*log(m)": "outside of it the brackets from above are 1",
        "term 1": "the constant of the logarithm has room for labels of norm 1",
    },
    note="but for a chance of 1/m, of the start; the power of the logarithm in Theorem 3.1 has room for it",
)
def initial_loss_against_a_logarithm(
    threshold: float, m: int, n: int, L: int, outputs: int, *, scale: float = 1.0
) -> Tail:
    """The probability that the loss of n samples with labels of norm at most 1 exceeds `threshold`. From below n equal
    inputs with labels 0; from above a union over the samples, of outputs too large for their part of it."""
    level = threshold / n
    part = max(0.0, math.sqrt(level) - 1.0) ** 2
    upper = min(1.0, n * output_exceeds(part / scale, m, L, outputs).upper)
    return Tail(min(upper, output_exceeds(level / scale, m, L, outputs).lower), upper)


THOUSAND = {"m": 1000, "n": 1, "L": 2, "outputs": 1}


@claim(
    "guo2024:eq-163",
    bound="C",
    constants={"C": (10, "open in the paper; any constant fails, as the chance of a smaller loss knows no width")},
    premises="none needed: labels of 0, inputs of norm 1, and any slope",
    regime=Regime(
        cells=[{**THOUSAND, "m": m, "n": n} for m in (10**4, 10**6) for n in (1, 5)],
        derived={"rate": lambda m: math.exp(-m / 100.0)},
    ),
    evidence=ExactLaw(rate="rate"),
    expected=Verdict.REFUTED,
    controls=[control("constant 5", bound="5"), control("constant 1", bound="1")],
    note="for one input, met n times, label 0 and one output, the loss is below n/10 with a probability near 0.248, "
    "however wide the layers, and not exp(-m/100), where 1/100 is ours",
)
def small_initial_loss(threshold: float, m: int, n: int, L: int, outputs: int) -> Tail:
    """The probability that n over the loss of n equal inputs with labels 0 exceeds `threshold`."""
    return output_below(1.0 / threshold, m, L, outputs)


SMALL = {"m": 2 * 10**5, "n": 1, "L": 2, "outputs": 1, "slope": -1.0, "delta": 0.5}


@claim(
    "guo2024:eq-163-corrected",
    title="initial loss from below, with a failure probability of its own",
    bound="C/delta**2",
    constants={
        "C": (
            6,
            "P(||B h||^2 < x) is at most sqrt(2 x/(pi (1 - t))), t = 3/20 for the norm of h, and half of the "
            "samples have at most twice the mean loss",
        )
    },
    premises=(
        "width against depth, of ours, for the norm of h [Appendix B.13, eq. (163)]: m >= 10**4*L**2*log(2*L/delta)"
    ),
    regime=Regime(
        cells=[
            *({**SMALL, "slope": slope} for slope in SLOPES),
            {**SMALL, "n": 10, "delta": 0.1, "m": 10**6},
            {**SMALL, "outputs": 4, "slope": 0.0, "delta": 0.1, "m": 10**6},
            {**SMALL, "m": 10**7, "L": 8, "n": 3, "delta": 0.01},
        ]
    ),
    evidence=ExactLaw(rate="delta"),
    controls=[
        control("1/delta", bound="6/delta", cells=[{**SMALL, "m": 10**6, "delta": 0.01}]),
        control("a tenth of the constant", bound="3/(5*delta**2)", cells=[{**SMALL, "m": 10**6, "delta": 0.1}]),
        control("read-out of a hundredth of the variance", scale=0.01, cells=[SMALL]),
        control(
            "a single ReLU",
            cells=[{**SMALL, "m": 1, "slope": 0.0, "delta": 0.3}],
            without="m >= 10**4*L**2*log(2*L/delta)",
        ),
    ],
    note="constant in the width: outputs come near fixed labels with a chance of the order of their distance; labels "
    "that know the start may leave no loss",
)
def small_initial_loss_with_a_chance(
    threshold: float, m: int, n: int, L: int, outputs: int, slope: float, *, scale: float = 1.0
) -> Tail:
    """The probability that n over the loss of n samples with labels fixed before the draw exceeds `threshold`. From
    below n equal inputs with labels 0, or a layer of ReLUs none of which is above 0. From above: half of the samples
    have a loss of at most twice the mean, and no fixed label makes that more likely than 0."""
    alone = output_below(1.0 / threshold / scale, m, L, outputs)
    dead = 0.5**m if slope == 0.0 else 0.0
    upper = alone.upper if n == 1 else 2.0 * output_below(2.0 / threshold / scale, m, L, outputs).upper
    return Tail(max(alone.lower, dead), max(min(1.0, upper), dead))
