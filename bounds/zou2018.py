"""Formula sheet of zou2018: every bound under its statement's id, with `-` and `.` turned into `_`.

A constant that the paper hides has a value here, once, with the reason for it. Premises stand as tuples named after
the statement. `formula` makes a bound from text, for wrong variants and new lemmas.
"""

from fractions import Fraction

import sympy as sp
from sympy import Rational, acos, exp, log, pi, sqrt

from bounds.bound import Bound, Constant
from bounds.parse import parse_formula
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, symbol

(m, n, L, M, d, l, s, B, k) = (symbol(name) for name in "m n L M d l s B k".split())
(delta, phi, phi_pm, tau, beta_, theta, alpha, eps, eta, rho, p) = (
    symbol(name) for name in "delta phi phi_pm tau beta_ theta alpha eps eta rho p".split()
)
(S1, S1abs, x, a, b, r, D, count, prodW, normW, normsq, mean_sq) = (
    symbol(name) for name in "S1 S1abs x a b r D count prodW normW normsq mean_sq".split()
)
(C, C0, c, c0, kappa) = (symbol(name) for name in "C C0 c c0 kappa".split())


def formula(text: str) -> Bound:
    """The bound that `text` writes, in any declared symbols; raises `FormulaError`."""
    return Bound(parse_formula(text, SYMBOLS))


def _source(locator: str) -> str:
    return f"zou2018, {locator}"


# sup over 0 < e <= 1 of e/sqrt(I(1 +- e)) is 3.93359 for the masked chi-square law; a union bound over both sides
# and over n L events, with n L/delta >= 2, multiplies it by sqrt 2 at most.
C_A_1 = Constant(Fraction(557, 100), "Chernoff rate of the masked chi-square law, both sides, n L/delta >= 2")

lemma_A_1 = Bound(C * sqrt(log(n * L / delta) / m), {"C": C_A_1}, _source("Lemma A.1"))
lemma_A_1_premises = (Premise(m >= C**2 * log(n * L / delta), {"C": C_A_1}),)
lemma_A_1_expectation = Bound(sp.Integer(1), source=_source("proof of Lemma A.1"))

corollary_A_2 = Bound(
    C * l * sqrt(log(n * L / delta) / m),
    {"C": C_A_1},
    _source("Corollary A.2"),
)
corollary_A_2_premises = (Premise(m >= C**2 * L**2 * log(n * L / delta), {"C": C_A_1}),)

lemma_A_3 = Bound(
    Rational(1, 2) - theta**2 / 4 + C * theta**3,
    {"C": Constant(Fraction(1, 16), "largest value of the remainder over theta^3 on (0, 2], attained at 2")},
    _source("Lemma A.3"),
)
eq_A_1 = Bound(
    alpha / 2
    + (1 - alpha**2) ** Rational(3, 2) / (2 * pi)
    - alpha / (2 * pi) * (acos(alpha) - alpha * sqrt(1 - alpha**2)),
    source=_source("eq. (A.1)"),
)
lemma_A_4 = Bound((1 - log(2) / (2 * L)) ** l * phi, source=_source("Lemma A.4"))
corollary_A_5 = Bound(phi / 2, source=_source("Corollary A.5"))
fact_A_5_scalar = Bound(exp(-x), source=_source("proof of Corollary A.5"))

lemma_A_6 = Bound(
    2 * C * sqrt(log(2 * n / delta)),
    {"C": Constant(Fraction(3, 2), "bound on the norm of the last but one layer, Theorem 5.1(i)")},
    _source("Lemma A.6"),
)
lemma_A_7 = Bound(2 * m ** Rational(3, 2) * beta_, source=_source("Lemma A.7"))
fact_A_8_key = Bound(sp.Integer(1), source=_source("proof of Lemma A.8"))
lemma_A_8 = Bound(C * L, {"C": Constant(4, "fitted")}, _source("Lemma A.8"))
lemma_A_9 = Bound(C * L * sqrt(s * log(M)), {"C": Constant(1, "fitted")}, _source("Lemma A.9"))

lemma_A_11 = Bound(C * phi / n, {"C": Constant(Fraction(1, 10**6), "any positive value")}, _source("Lemma A.11"))
lemma_A_11_corrected = Bound(
    c * phi_pm / n, {"c": Constant(Fraction(8, 100), "flip of one sign")}, _source("Lemma A.11")
)

theorem_5_1_i = Bound(Rational(7, 2), source=_source("Theorem 5.1(i)"))
theorem_5_1_i_norm = Bound(Rational(3, 2), source=_source("Theorem 5.1(i)"))
theorem_5_3_i = Bound(sp.Integer(4), source=_source("Theorem 5.3(i)"))
theorem_5_3_i_premises = (Premise(normW <= Rational(7, 2)), Premise(tau <= Rational(1, 2)))

lemma_B_2 = Bound(8**L * tau / 7, source=_source("Lemma B.2"))
lemma_B_2_sharp = Bound((3 * 4 ** (l - 1) - 1) * tau / 2, source=_source("Lemma B.2, recursion with factor 1"))
lemma_B_3 = Bound(3 * 4**L * m * tau ** Rational(2, 3), source=_source("Lemma B.3"))
lemma_B_3_certified = Bound(count + D**2 / beta_**2, source=_source("proof of Lemma B.3"))
# Of Theorem 5.1 the proofs of Lemmas B.2 and B.3 use the norms of the (perturbed) weights and of the outputs, and
# the number of small pre-activations. Without the last premise of Lemma B.3 its bound exceeds the width.
lemma_B_2_premises = (Premise(normW <= 4), Premise(r <= Rational(3, 2)))
lemma_B_3_premises = (*lemma_B_2_premises, Premise(count <= lemma_A_7.expr), Premise(lemma_B_3.expr / m < 1))
lemma_B_3_exponent = Bound(
    C * m * tau ** Rational(2, 3),
    {"C": Constant((3 / pi) ** Rational(1, 3), "what the best perturbation flips in the first layer as m grows, tau falls")},
    _source("Lemma B.3"),
)
eq_B_1_telescoping = Bound(sp.Integer(0), source=_source("proof of Lemma B.1"))
lemma_B_5 = Bound(
    c0 * m * phi**3 / n**7 * S1**2, {"c0": Constant(1, "fitted")}, _source("Lemma B.5")
)
lemma_B_6 = Bound(4**L * sqrt(M) / n * S1abs, source=_source("Lemma B.6"))
lemma_B_6_sharp = Bound(prodW * sqrt(m) / n * S1abs, source=_source("proof of Lemma B.6"))

lemma_C_1 = Bound((b ** (1 - 2 * p) - a ** (1 - 2 * p)) / (1 - 2 * p), source=_source("Lemma C.1"))
lemma_C_1_left = Bound((b - a) / b ** (2 * p), source=_source("Lemma C.1, left side"))
lemma_C_2 = Bound(2 ** (5 * L) * sqrt(M) * eta / (7 * n) * S1abs, source=_source("Lemma C.2"))
lemma_C_2_sharp = Bound(
    (5 * 4 ** (l - 1) - 2) / 3 * 4**L * sqrt(M) * eta / n * S1abs, source=_source("Lemma C.2, recursion with factor 1")
)
lemma_C_3 = Bound(2 ** (5 * L) * M * eta / (7 * n) * S1abs, source=_source("Lemma C.3, eq. (C.2)"))
lemma_C_5 = Bound((n - B) / (B * (n - 1)) * mean_sq, source=_source("Lemma C.5"))
eq_D_2 = Bound(sp.Integer(0), source=_source("eq. (D.2)"))
eq_C_5 = Bound(-eta * normsq, source=_source("eq. (C.5)"))
lemma_5_5 = Bound(4**L * sqrt(M) * rho * k * eta, source=_source("Lemma 5.5"))
lemma_5_5_sharp = Bound(4 ** (L - 1) * sqrt(M) * rho * k * eta, source=_source("proof of Lemma 5.5"))
theorem_4_1 = Bound(eps, source=_source("Theorem 4.1"))
fact_gradient = Bound(sp.Integer(0), source=_source("Section 3.4"))

# Whatever the tail at norm 1/2 allows: the deviation ratio there is 2 sqrt(pi)/2 = 1.77, and the Chernoff exponent
# 1.128 (1.77 log 1.77 - 0.77) = 0.272 per unit of m^(3/2) beta, so C^(3/2) >= 3.68 suffices.
C_A_7 = Constant(Fraction(24, 10), "Chernoff bound of the binomial count at incoming norm 1/2")
lemma_A_7_premises = (
    Premise(m >= C * (log(n * L / delta) / beta_) ** Rational(2, 3), {"C": C_A_7}),
    Premise(m >= C * L**2 * log(n * L / delta), {"C": C_A_7}),
    Premise(beta_ <= m ** Rational(-1, 2) / 2, note="beyond it the bound exceeds the width"),
)
lemma_A_6_premises = (
    Premise(m >= C * L**2 * log(n * L / delta), {"C": Constant(4, "so that the layer norms stay below 3/2")}),
)
