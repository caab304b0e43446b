"""Fine-Grained Analysis of Optimization and ...: its statements as its source has them, all of them open.

Written by `lemmata read main.tex`. Kinds and themes are guesses, and so are titles that are the beginning of a text.
"""

from lemmata import Open, Paper, Statement

# Not read, or left out:
# - No proof was found of Theorem 3.1.

OPEN = Open("no claim is about it yet; it was read from the source of the paper")

PAPER = Paper(
    key="arora2019",
    title="Fine-Grained Analysis of Optimization and Generalization for Overparameterized Two-Layer Neural Networks",
    authors=("Sanjeev Arora", "Simon S. Du", "Wei Hu", "Zhiyuan Li", "Ruosong Wang"),
    year=2019,
    statements=(
        # ass:data
        Statement(
            id="arora2019:assumption-3.1",
            label="Assumption 3.1",
            title="Unit inputs, bounded labels",
            kind="assumption",
            theme="ntk",
            locator="Section 3, Assumption 3.1, main.tex:25",
            coverage=OPEN,
        ),
        # def:network
        Statement(
            id="arora2019:definition-3.1",
            label="Definition 3.1",
            title="Two-layer network",
            kind="definition",
            theme="convergence",
            locator="Section 3, Definition 3.1, main.tex:29",
            coverage=OPEN,
        ),
        # eq:network
        Statement(
            id="arora2019:eq-3.1",
            label="(3.1)",
            title="f(x) = 1/√(m) ∑_{r=1}^m a_r σ(w_r^⊤x), w_r(0) ∼N(0, κ^2 I), 0 < κ≤1",
            kind="definition",
            theme="convergence",
            locator="Section 3, (3.1), main.tex:31",
            coverage=OPEN,
            uses=("arora2019:definition-3.1",),
        ),
        # def:gram
        Statement(
            id="arora2019:definition-3.2",
            label="Definition 3.2",
            title="Gram matrix",
            kind="definition",
            theme="ntk",
            locator="Section 3, Definition 3.2, main.tex:37",
            coverage=OPEN,
        ),
        # eq:gram
        Statement(
            id="arora2019:eq-3.2",
            label="(3.2)",
            title="H^∞_{ij} = 𝔼_w[x_i^⊤x_j 1{w^⊤x_i ≥0, w^⊤x_j ≥0}] = (x_i^⊤x_j (π- ...",
            kind="definition",
            theme="ntk",
            locator="Section 3, (3.2), main.tex:39",
            coverage=OPEN,
            uses=("arora2019:definition-3.2",),
        ),
        # thm:linear
        Statement(
            id="arora2019:theorem-3.1",
            label="Theorem 3.1",
            title="Linear rate, by Du et al.",
            kind="probability",
            theme="convergence",
            locator="Section 3, Theorem 3.1, main.tex:47",
            coverage=OPEN,
        ),
        # eq:linear
        Statement(
            id="arora2019:eq-3.3",
            label="(3.3)",
            title="‖y - u(k+1)‖_2^2 ≤(1 - ηλ_0 / 2) ‖y - u(k)‖_2^2 for all k",
            kind="probability",
            theme="convergence",
            locator="Section 3, (3.3), main.tex:50",
            coverage=OPEN,
            uses=("arora2019:theorem-3.1",),
        ),
        # thm:rates
        Statement(
            id="arora2019:theorem-4.1",
            label="Theorem 4.1",
            title="Rates by eigenvectors",
            kind="convergence",
            theme="ntk",
            locator="Section 4, Theorem 4.1, main.tex:57",
            coverage=OPEN,
            uses=("arora2019:eq-3.1", "arora2019:theorem-3.1", "arora2019:lemma-C.1", "arora2019:lemma-C.2"),
        ),
        # eq:rates
        Statement(
            id="arora2019:eq-4.1",
            label="(4.1)",
            title="‖y - u(k)‖_2 = √(∑_{i=1}^n (1 - ηλ_i)^{2k} (v_i^⊤y)^2) ±ϵ",
            kind="convergence",
            theme="ntk",
            locator="Section 4, (4.1), main.tex:60",
            coverage=OPEN,
            uses=("arora2019:theorem-4.1",),
        ),
        # def:nondegenerate
        Statement(
            id="arora2019:definition-5.1",
            label="Definition 5.1",
            title="Non-degenerate distribution",
            kind="definition",
            theme="ntk",
            locator="Section 5, Definition 5.1, main.tex:67",
            coverage=OPEN,
        ),
        # thm:population
        Statement(
            id="arora2019:theorem-5.1",
            label="Theorem 5.1",
            title="Population loss",
            kind="probability",
            theme="generalisation",
            locator="Section 5, Theorem 5.1, main.tex:71",
            coverage=OPEN,
            uses=("arora2019:theorem-3.1", "arora2019:definition-5.1", "arora2019:lemma-5.3", "arora2019:lemma-5.4"),
        ),
        # eq:population
        Statement(
            id="arora2019:eq-5.1",
            label="(5.1)",
            title="√(2 y^⊤(H^∞)^{-1} y / n) + O(√(log(n / (λ_0 δ)) / n))",
            kind="probability",
            theme="generalisation",
            locator="Section 5, (5.1), main.tex:74",
            coverage=OPEN,
            uses=("arora2019:theorem-5.1",),
        ),
        # cor:classifier
        Statement(
            id="arora2019:corollary-5.2",
            label="Corollary 5.2",
            title="Population error of a classifier",
            kind="deterministic",
            theme="generalisation",
            locator="Section 5, Corollary 5.2, main.tex:79",
            coverage=OPEN,
            uses=("arora2019:theorem-5.1", "arora2019:eq-5.1"),
        ),
        # lem:weights
        Statement(
            id="arora2019:lemma-5.3",
            label="Lemma 5.3",
            title="Change of weights",
            kind="probability",
            theme="ntk",
            locator="Section 5, Lemma 5.3, main.tex:84",
            coverage=OPEN,
            uses=("arora2019:theorem-3.1", "arora2019:eq-3.3", "arora2019:eq-4.1", "arora2019:lemma-C.1"),
        ),
        # eq:weights
        Statement(
            id="arora2019:eq-5.2",
            label="(5.2)",
            title="‖W(k) - W(0)‖_F ≤√(y^⊤(H^∞)^{-1} y) + O((n κ)/(λ_0 δ)) + (poly(n, 1/λ_0, ...",
            kind="probability",
            theme="ntk",
            locator="Section 5, (5.2), main.tex:87",
            coverage=OPEN,
            uses=("arora2019:lemma-5.3",),
        ),
        # lem:rademacher
        Statement(
            id="arora2019:lemma-5.4",
            label="Lemma 5.4",
            title="Rademacher complexity near the start",
            kind="probability",
            theme="generalisation",
            locator="Section 5, Lemma 5.4, main.tex:93",
            coverage=OPEN,
            uses=("arora2019:definition-3.2",),
        ),
        # eq:rademacher
        Statement(
            id="arora2019:eq-5.3",
            label="(5.3)",
            title="B/√(2 n) (1 + ((2 log(2/δ))/m)^{1/4}) + (2 R^2 √(m))/κ + R √(2 log(2/δ))",
            kind="probability",
            theme="generalisation",
            locator="Section 5, (5.3), main.tex:96",
            coverage=OPEN,
            uses=("arora2019:lemma-5.4",),
        ),
        # thm:power
        Statement(
            id="arora2019:theorem-6.1",
            label="Theorem 6.1",
            title="One power",
            kind="deterministic",
            theme="ntk",
            locator="Section 6, Theorem 6.1, main.tex:104",
            coverage=OPEN,
            uses=("arora2019:eq-3.2",),
        ),
        # eq:power
        Statement(
            id="arora2019:eq-6.1",
            label="(6.1)",
            title="√(y^⊤(H^∞)^{-1} y) ≤3 p |α| ‖β‖_2^p",
            kind="deterministic",
            theme="ntk",
            locator="Section 6, (6.1), main.tex:106",
            coverage=OPEN,
            uses=("arora2019:theorem-6.1",),
        ),
        # cor:sums
        Statement(
            id="arora2019:corollary-6.2",
            label="Corollary 6.2",
            title="Sums of powers",
            kind="deterministic",
            theme="ntk",
            locator="Section 6, Corollary 6.2, main.tex:109",
            coverage=OPEN,
            uses=("arora2019:theorem-6.1",),
        ),
        # lem:start
        Statement(
            id="arora2019:lemma-C.1",
            label="Lemma C.1",
            title="Gram matrix at the start",
            kind="probability",
            theme="ntk",
            locator="Appendix C, Lemma C.1, main.tex:119",
            coverage=OPEN,
            uses=("arora2019:eq-3.2",),
        ),
        # lem:way
        Statement(
            id="arora2019:lemma-C.2",
            label="Lemma C.2",
            title="Gram matrix on the way",
            kind="probability",
            theme="ntk",
            locator="Appendix C, Lemma C.2, main.tex:124",
            coverage=OPEN,
            uses=("arora2019:eq-3.3",),
        ),
    ),
)
