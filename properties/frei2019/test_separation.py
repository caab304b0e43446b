"""frei2019: the margin of random features, and the vector that separates the states of all layers.

Main claims: `witnessed_margins` (Assumption 3.2) with `largest_margins`; `aligned_states` (Proposition C.5),
`drift_along_a_vector` (39), `drift_of_a_layer` (40).
"""

import functools

import numpy as np
import sympy as sp
from numpy.random import Generator

from bounds import Bound, is_identity, symbol
from bounds.papers import frei2019 as sheet
from nets import Dataset, forward, residual_network, sphere
from nets.data.labelled import load
from properties.frei2019.aligned_states import largest_drift, least_alignments
from properties.frei2019.random_feature_margin import (
    LAWS,
    MarginSource,
    circle_dual,
    circle_feature,
    enclosed_margin,
    witness_direction,
)
from theory.claims import Measured, Regime, choices, claim, control, grid, reals, rounding
from theory.evidence import Proof, Search, Step, Trials


@claim(
    "frei2019:assumption-3.2",
    bound=">= gamma",
    premises="none needed: laws that meet the assumption with the margin gamma",
    regime=Regime(
        cells=grid(n=16, d=[2, 5]),
        draw={"share": reals(0.1, 1.0, logarithmic=True), "law": choices(*LAWS)},
        pinned=[{"share": 0.25, "law": law, "trial": 0} for law in LAWS],
    ),
    evidence=Search(examples=25, adversary="points on the edge of the support"),
    measured=["gamma"],
    controls=[
        control("one label turned", turned=True),
        control("linear features of no sign, c equal to 1", constant=True),
    ],
    note="|c| <= 1; the mean is an exact integral over a plane. |x_1| is gamma sqrt(2 pi) or more for caps, just that "
    "for rings; wedges lie by two axes, labelled by which; of offset one class is a point",
)
def witnessed_margins(
    rng: Generator, n: int, d: int, share: float, law: str, *, turned: bool = False, constant: bool = False
) -> Measured:
    """The margins y E[c(u) relu(<u, x>)], u Gaussian, c of the law, at points of its support, some on its edge."""
    source = MarginSource(share * LAWS[law][0], law)
    X, y = source.draw(n, d, rng)
    worst = source.worst(y[:, np.newaxis] * np.eye(d)[0], y)
    X, y = np.concatenate([X, worst]), np.concatenate([y, y])
    edges, values = source.witness_edges()
    # All but wedges depend on the first coordinate and on the length of the others.
    aside = X[:, 1] if law == "wedges" else np.linalg.norm(X[:, 1:], axis=1)
    margins = y * circle_feature(edges, np.ones_like(values) if constant else values, np.arctan2(aside, X[:, 0]))
    margins[0] *= -1.0 if turned else 1.0
    # Less than the margin of the law by as little as no rounding decides.
    return Measured(margins, error=rounding(1.0, 64.0), symbols={"gamma": source.gamma * (1.0 - 1e-11)})


@claim(
    "frei2019:assumption-3.2-largest",
    title="largest margin of random features, by weights of the samples",
    bound="= gamma",
    premises="none needed: weak duality, at any weights of sum 1",
    regime=Regime(
        cells=[{}],
        draw={"share": reals(0.02, 1.0, logarithmic=True), "law": choices("caps", "wedges")},
        pinned=[{"share": 0.25, "law": law} for law in ("caps", "wedges")],
    ),
    evidence=Search(examples=25),
    measured=["gamma"],
    controls=[control("weights that are not equal", skewed=True), control("labels left out", labelled=False)],
    note="so the margins of caps (|x_1| >= gamma sqrt(2 pi), labelled by its sign), of rings, their edges, and of "
    "wedges (by two axes, labelled by which) are exact; on caps it is the linear one over sqrt(2 pi)",
)
def largest_margins(share: float, law: str, *, skewed: bool = False, labelled: bool = True) -> Measured:
    """The mean of |sum_i q_i y_i relu(<u, x_i>)|, u Gaussian, no less than any margin; q weighs the worst points."""
    source = MarginSource(share * LAWS[law][0], law)
    angles, labels, weights = source.tight()
    if skewed:
        weights = weights * np.linspace(0.5, 1.5, weights.size)
    dual = circle_dual(angles, labels if labelled else np.ones_like(labels), weights)
    return Measured(dual, error=rounding(1.0, 64.0), symbols={"gamma": source.gamma})


@functools.cache
def _rows(name: str) -> Dataset:
    """A bundled data set, read once."""
    return load(name)


@claim(
    "frei2019:assumption-3.2-digits",
    title="margin of random features on two written digits, against that of the kernel",
    # Down to 0.489 and 0.482 at 14 and 103 images chosen for it, 0.527 at all 357.
    bound=">= 2*rms/5",
    premises="none needed: images are distinct and of norm one",
    measured=["rms"],
    regime=Regime(cells=grid(n=[6, 40, 120]), thorough=grid(n=357)),
    evidence=Search(examples=6),
    controls=[
        control("an image in both classes", opposed=True, cells=grid(n=40)),
        control("the square root of the margin", bound="2*sqrt(rms)/5"),
    ],
    note="c of mean square 1 at most have the margin rms; that of all 357 images lies between 0.0215 and 0.0409. Of "
    "images chosen for it the ratio gets to 0.48",
)
def margin_of_digits(rng: Generator, n: int, *, opposed: bool = False) -> Measured:
    """The largest margin min_i y_i E[c(u) relu(<u, x_i>)], |c| <= 1, of drawn images of 3 and 8, as an interval."""
    X, y = _rows("digits").draw(n, None, rng)
    low, high = enclosed_margin(X, y)
    if opposed:
        X[1], y[1] = X[0], -y[0]
        return Measured.between(0.0, enclosed_margin(X, y)[1], symbols={"rms": high})
    return Measured.between(low, high, symbols={"rms": high})


@claim(
    "frei2019:assumption-3.2-breast-cancer",
    title="margin of random features on real data that are no images",
    bound="1/10000",
    premises="none needed: weak duality, on all 569 rows",
    regime=Regime(cells=[{}]),
    evidence=Search(examples=1),
    controls=[control("ten of the rows", rows=10)],
    note="breast cancer, malignant or benign, the 30 features as they come, rows divided by their norms: these are "
    "nearly parallel. So the printed widths, of order gamma^-32, are above 10^128; ten rows have a larger margin",
)
def margin_of_breast_cancer(rng: Generator, *, rows: int = 0) -> Measured:
    """The largest margin min_i y_i E[c(u) relu(<u, x_i>)], |c| <= 1, from the linear one up to that by E c^2 <= 1."""
    data = _rows("breast_cancer")
    X, y = data.draw(rows or data.n, None, rng)
    return Measured.between(*enclosed_margin(X, y))


def _scale(gamma: float, L: int, times: float) -> float:
    """theta as large as the last line of the proof lets it be, times a factor."""
    premise = sheet.prop_c5_scale
    return 0.999 * times * float(premise.larger.evaluate({"gamma": gamma})) / L


LAWFUL = [
    *grid(gamma=0.39, law="caps", m=320, d=2, L=3, n=4, delta=0.5, times=1.0),
    *grid(gamma=0.14, law="wedges", m=2600, d=2, L=2, n=4, delta=0.5, times=1.0),
    *grid(gamma=0.1, law="offset", m=5600, d=2, L=4, n=4, delta=0.5, times=1.0),
    # Wide enough for a failure rate of 1/20, with one residual layer.
    *grid(gamma=0.39, law="caps", m=320, d=2, L=2, n=4, delta=0.05, times=1.0),
]


@claim(
    "frei2019:proposition-C.5",
    bound=">= gamma/2",
    premises=[
        sheet.prop_c5_width.reads("m >= C*(d*log(1/gamma) + log(L/delta))/gamma**2"),
        sheet.prop_c5_scale.reads("theta*L <= gamma/(4*C)"),
    ],
    regime=Regime(
        cells=LAWFUL,
        thorough=[
            *grid(gamma=0.1, law="rings", m=10000, d=4, L=4, n=4, delta=0.5, times=1.0),
            *grid(gamma=0.05, law="offset", m=28200, d=2, L=4, n=4, delta=0.5, times=1.0),
        ],
        derived={"theta": _scale},
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("twice the margin", bound="2*gamma"),
        control("the margin's square root", bound="sqrt(gamma)/2"),
        control("features of another law", other=True, cells=LAWFUL[1:2]),
        control(
            "scale that the margin does not limit",
            cells=grid(gamma=0.1, law="offset", m=5600, d=2, L=4, n=4, delta=0.5, times=200.0),
            without=sheet.prop_c5_scale,
        ),
        control(
            "a width of 64",
            cells=grid(gamma=0.05, law="caps", m=64, d=8, L=2, n=4, delta=0.5, times=1.0),
            without=sheet.prop_c5_width,
        ),
    ],
    note="a law of margin gamma by c, |c| <= 1 [Assumption 3.2]; the proof takes gamma/2 at the first layer, where it "
    "is sqrt(2) gamma, and so ends at gamma/4; the vector is that of the proof, before any sample is seen. Here "
    "100 times this scale would do",
)
def aligned_states(
    rng: Generator, gamma: float, law: str, m: int, d: int, L: int, n: int, theta: float, *, other: bool = False
) -> Measured:
    """The least y <alpha, x_l>, l = 1..L, that descent finds on the support; alpha_j = c(sqrt(m/2) w_{1,j})/norm."""
    source = MarginSource(gamma, law)
    X, y = source.draw(n, d, rng)
    net = residual_network((d, *[m] * (L + 1)), theta, rng, stored=d * m)
    alpha = witness_direction(MarginSource(gamma) if other else source, net.weights[0])
    return Measured(least_alignments(net, source, alpha, X, y)[0])


@claim(
    "frei2019:eq-39",
    bound="= 0",
    premises="none needed: an identity, alpha with entries +-1/sqrt(m) as drawn",
    regime=Regime(
        cells=[*grid(m=8, L=2, n=3, d=2), *grid(m=32, L=5, n=3, d=4)],
        thorough=grid(m=128, L=20, n=3, d=4),
        draw={"theta": reals(0.01, 2.0, logarithmic=True)},
    ),
    evidence=Search(examples=12),
    controls=[
        control("scale left out", scaled=False),
        control("gates left out", gated=False),
        control("sum from the first layer on", first=1),
        control("state behind the layer", later=True),
    ],
)
def drift_along_a_vector(
    rng: Generator,
    m: int,
    L: int,
    n: int,
    d: int,
    theta: float,
    *,
    scaled: bool = True,
    gated: bool = True,
    first: int = 2,
    later: bool = False,
) -> Measured:
    """The difference of <alpha, x_l> and <alpha, x_1> + theta sum_{r=2}^l <alpha, Sigma_r W_r^T x_{r-1}>, for all l."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng)
    fwd = forward(net, sphere(n, d, rng))
    alpha = rng.choice([-1.0, 1.0], m) / np.sqrt(m)
    total = fwd.post[1] @ alpha
    size = np.abs(fwd.post[1]) @ np.abs(alpha)
    differences = []
    for layer in range(first, L + 1):
        W, below = net.weights[layer - 1], fwd.post[layer if later else layer - 1]
        moved = (below @ W) * (fwd.masks[layer - 1] if gated else 1.0) if layer > 1 else fwd.post[1]
        total = total + (theta if scaled else 1.0) * (moved @ alpha)
        size = size + 2.0 * theta * (fwd.post[layer - 1] @ np.abs(W)) @ np.abs(alpha) if layer > 1 else size
        differences.append(fwd.post[layer] @ alpha - total)
    scale = float(size.max())
    return Measured(np.array(differences), error=rounding(scale, L * (2.0 * m + d + 8.0)), scale=scale)


DRIFTING = grid(m=400, d=4, L=3, n=4, delta=0.3, theta=0.05)


@claim(
    "frei2019:eq-40",
    bound="C",
    constants={"C": (2, "C_6: the mean 2/sqrt(pi) at norms near 1, and what the sphere adds")},
    premises=[
        sheet.eq_40_width.reads("m >= C*d*log(L/delta)"),
        sheet.lemma_b1_depth.reads("L >= 2"),
        "residual scale small against depth [Appendix B, theta = 1/Omega(L); the number is ours]: theta*L <= 1/5",
    ],
    regime=Regime(
        cells=[*grid(m=256, d=2, L=2, n=4, delta=0.4, theta=0.02), *DRIFTING],
        thorough=grid(m=1200, d=16, L=4, n=4, delta=0.5, theta=0.04),
    ),
    evidence=Trials(rate="delta", budget=200),
    controls=[
        control("the constant 1", bound="1"),
        control("weight variance 6/m", gain=6.0),
        control("sums not divided by the root of the width", divided=False),
        control(
            "as many neurons as inputs",
            cells=grid(m=4, d=64, L=2, n=4, delta=0.3, theta=0.02),
            without=sheet.eq_40_width,
        ),
        control("scale 1 in four layers", cells=[{**DRIFTING[0], "L": 4, "theta": 1.0}], without="theta*L <= 1/5"),
    ],
    blind={f"premise {sheet.lemma_b1_depth.text}": "it says that there is a residual layer"},
    scope="part: the constant C_6 for the right side at all inputs; the inequality (40) itself is the variant terms",
    note="printed with x_l for x_{l-1} in the last line; at theta L of 1/5 states grow by exp(theta L/sqrt(pi)), 1.12, "
    "in the mean; the last line of the proof, theta L <= gamma/(4 C_7), leaves no more than 1/42",
)
def drift_of_a_layer(
    rng: Generator, m: int, d: int, L: int, n: int, theta: float, *, gain: float = 2.0, divided: bool = True
) -> Measured:
    """The sum_j |w_{l,j}^T x_{l-1}|/sqrt(m) of each residual layer, the largest that a climb on the sphere finds."""
    net = residual_network((d, *[m] * (L + 1)), theta, rng, stored=d * m)
    found = largest_drift(net, sphere(n, d, rng)) * np.sqrt(gain / 2.0)
    return Measured(found * (1.0 if divided else np.sqrt(m)))


@claim(
    "frei2019:eq-40-terms",
    title="drift of one residual layer along a vector of bounded entries, term by term",
    kind="deterministic",
    bound="sumpre",
    premises="none needed: the triangle inequality, |c| <= 1, for the vector before its norm is made 1",
    measured=["sumpre"],
    regime=Regime(
        cells=[*grid(m=2, d=2), *grid(m=64, d=3)], draw={"law": choices("caps", "wedges", "offset")}, least={"d": 2}
    ),
    evidence=Search(examples=20, adversary="a sample that opens the gates of one sign of c alone"),
    controls=[
        control("the vector of norm 1", normalised=True),
        control("half of the sum", bound="sumpre/2"),
        control("entries 1", size="one"),
    ],
    note="printed with one letter for both vectors; that of norm 1 has entries above 1/sqrt(m) where |c| < 1",
)
def drift_term_by_term(
    rng: Generator, m: int, d: int, law: str, *, normalised: bool = False, size: str = ""
) -> Measured:
    """The size of <alpha', S W^T x>, alpha' = c/sqrt(m), W^T x along the signs of c; sumpre sums |w_j^T x|/sqrt(m)."""
    source = MarginSource(0.1, law)
    c = source.witness(rng.standard_normal((m, d)))
    sizes = np.abs(rng.standard_normal(m)) * np.sqrt(2.0 / m)
    pre = sizes * np.where(c > 0.0, 1.0, rng.choice([-1.0, 0.0]))
    # So that no rounding decides: one pre-activation that the sum counts and no gate lets through.
    pre[0] = -sizes[0]
    alpha = c if size == "one" else c / (np.linalg.norm(c) if normalised else np.sqrt(m))
    total = float(np.abs(pre).sum() / np.sqrt(m))
    drift = abs(float(np.maximum(pre, 0.0) @ alpha))
    return Measured(drift, error=rounding(2.0 * total, m + 8.0), symbols={"sumpre": total})


@claim(
    "frei2019:eq-40-mean",
    title="mean size of the pre-activations of one layer, summed over sqrt(m)",
    kind="expectation",
    bound="= 2*r/sqrt(pi)",
    premises="none needed: a Gaussian integral",
    measured=["r"],
    regime=Regime(cells=[{}]),
    evidence=Proof(margin="none: an equality, at every width and norm"),
    controls=[
        control("weight variance 1/m", gain=1),
        control("the positive part alone", positive=True),
        control("the square of the norm", bound="2*r**2/sqrt(pi)"),
    ],
)
def mean_drift(bound: Bound, *, gain: int = 2, positive: bool = False) -> list[Step]:
    """The mean modulus of a Gaussian of variance 2 r^2/m, r = ||x_{l-1}||, times m and over sqrt(m)."""
    m, r = symbol("m"), symbol("r")
    z = sp.symbols("z", real=True)
    variance = gain * r**2 / m
    half = sp.integrate(z * sp.exp(-(z**2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance), (z, 0, sp.oo))
    total = (half if positive else 2 * half) * sp.sqrt(m)
    return [Step("m neurons over sqrt(m)", is_identity(total - bound.expr))]
