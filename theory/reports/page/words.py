"""Words of the field that find a claim by its theme or kind, beside those that its own text has.

Main definition: `field_words`.
"""

from __future__ import annotations

from theory.core.statements import STATEMENT_KINDS, THEMES

# What else the field calls it.
ALSO = {
    "norm_preservation": "forward signal propagation, hidden norm, variance of a layer",
    "separation": "distance between points, angle, data separability, distinct inputs",
    "sparse_spectral": "spectral norm, operator norm, sparse vectors, restricted norm, products of gated matrices",
    "forward_stability": "perturbation, activation pattern, gate, flip, sign change",
    "semi_smoothness": "semi-smooth, linearisation, linearization, first-order expansion, Taylor, kinks",
    "gradient_lower_bound": "gradient lower bound, Polyak-Lojasiewicz, PL inequality, no critical points",
    "gradient_upper_bound": "gradient upper bound, backpropagation",
    "smoothness": "Lipschitz gradient, descent lemma, one step",
    "convergence": "gradient descent, GD, training, linear rate, global minimum, interpolation",
    "stochastic_convergence": "stochastic gradient descent, SGD, mini-batch",
    "ntk": "NTK, neural tangent kernel, lazy training, Gram matrix, least eigenvalue, infinite width",
    "generalisation": "generalization, Rademacher complexity, test error, risk",
    "initialisation": "initialization, He, Kaiming, Gaussian weights, random start",
    "activation": "ReLU, leaky ReLU, smoothed ReLU, Swish, Huber",
    "parameter_chains": "width, radius, step size, conditions that imply others",
    "scalar_inequalities": "concentration, tail bound, Bernstein, Hoeffding, Azuma, chi-squared",
    "probability": "with high probability, w.h.p., whp, failure probability",
    "deterministic": "worst case, for all, almost surely",
    "expectation": "mean, on average, in expectation",
    "asymptotic": "up to a constant, order, big O, Omega, Theta, poly",
    "implication": "implies, parameter chain",
}


def field_words() -> dict[str, str]:
    """For each theme and kind of statement what it is about, and what else it is called."""
    meaning = {**THEMES, **STATEMENT_KINDS}
    both = {name: f"{THEMES.get(name, '')} {STATEMENT_KINDS.get(name, '')}".strip() for name in meaning}
    return {name: f"{said} {ALSO.get(name, '')}".strip() for name, said in both.items()}
