"""Guo, Li and Lerman 2024: the slope of leaky ReLUs in wide deep networks, for training and for unseen points.

Main definition: `PAPER`, with every statement of the paper: those of the main text first, then those of the appendices,
then the experiments. A display inside a proof has a record of its own where it can be wrong on its own.

The slope alpha is below 1, and f(alpha) = (1 - alpha)^2/(1 + alpha^2). The paper's separation delta is phi here, its d
the number of outputs, its p the input dimension d.
"""

from functools import partial

from theory.core.statements import ByClaim, ByDefinition, Paper, Statement, Suspect, Version, ids

_ids = partial(ids, "guo2024")

PAPER = Paper(
    key="guo2024",
    title="The effect of Leaky ReLUs on the training and generalization of overparameterized networks",
    authors=("Yinglong Guo", "Shaohan Li", "Gilad Lerman"),
    year=2024,
    url="https://arxiv.org/abs/2402.11942",
    setting=(
        "yhat = sigma(... sigma(x A W_1) ... W_L) B with rows as samples (W_l h in print is h W_l); sigma is the "
        "leaky ReLU of slope alpha < 1 (slope here) divided by the root of 1 + alpha^2; jump, or kappa, is that of "
        "its derivative at 0. A (d x m) and B (m x outputs) are fixed, W_1 to W_L (m x m) trained. At the start, "
        "W^(0), entries are independent, of A N(0, 1/m), of W_l N(0, 2/m), of B N(0, 1/outputs). h_0 = x A, g_l = "
        "h_{l-1} W_l, h_l = sigma(g_l) = g_l D_l, with gates D_l; e_i = yhat_i - y_i. As in print Back_l = B "
        "D_L W_L ... D_l W_l; G_{i,l}(v) is the gradient of <v, yhat_i> in W_l. W* or W^(0) are weights before a step "
        "W', h', g', D' what it changes. Inputs are n unit vectors, at least phi (delta in print) apart; phi_pm counts "
        "antipodes too. Norms are Euclidean, of matrices operator norms, of several the largest, "
        "unless F is said; omega limits the step of each layer. The loss is the sum of ||e_i||^2, without a half. "
        "Descent moves all layers by eta times the gradient, of the loss or its terms in a batch of B. delta is a "
        "failure rate over the start."
    ),
    statements=(
        Statement(
            id="guo2024:def-leaky-relu",
            label="(2) / Section 2",
            title="leaky ReLU, divided by the root of 1 + alpha^2",
            kind="definition",
            theme="activation",
            locator="Section 2, eq. (2)",
            coverage=ByDefinition(
                where="nets.networks.activations.leaky_relu", tested="nets/tests/test_activations.py"
            ),
            suspect=Suspect(
                what="the derivative at 0 is that of the right side in (18) and that of the left side in (21)",
                decision="no error",
                why=(
                    "A pre-activation is 0 with probability 0 unless the layer below is 0, and the value at 0 is 0 on "
                    "both sides; here the derivative is that of the left."
                ),
                tested=_ids("eq-152"),
            ),
        ),
        Statement(
            id="guo2024:def-network",
            label="(1), (18), (19)",
            title="leaky layers between a frozen input layer and a frozen read-out",
            kind="definition",
            theme="initialisation",
            locator="Section 2, eq. (1), and Appendix B.1, eqs. (18), (19)",
            coverage=ByDefinition(
                where="nets.networks.network.leaky_network", tested="nets/tests/test_architectures.py"
            ),
        ),
        Statement(
            id="guo2024:def-loss",
            label="Section 2 / Section B.1",
            title="sum of squares over the samples",
            kind="definition",
            theme="convergence",
            locator="Section 2 and Appendix B.1",
            coverage=ByDefinition(
                where="properties.guo2024.descent.sum_of_squares", tested="properties/guo2024/tests/test_descent.py"
            ),
            suspect=Suspect(
                what="the loss is halved in the appendix, and neither in the main text nor in (108) and (163)",
                decision="slip of print",
                why=(
                    "One loss is meant. Its factor changes constants alone, and exact claims here take the loss "
                    "that is not halved, whose gradient has the factor 2."
                ),
                tested=_ids("algorithm-2"),
            ),
        ),
        Statement(
            id="guo2024:def-generalization-error",
            label="Section 2",
            title="population risk",
            kind="definition",
            theme="generalisation",
            locator="Section 2, the generalisation error",
            coverage=ByDefinition(
                where="properties.guo2024.complexity.population_risk",
                tested="properties/guo2024/tests/test_complexity.py",
            ),
        ),
        Statement(
            id="guo2024:def-gradient",
            label="Section B.1",
            title="layer gradients by back-propagation",
            kind="definition",
            theme="gradient_upper_bound",
            locator="Appendix B.1, the gradient",
            uses=_ids("def-network", "def-loss"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:def-norms",
            label="Section 4.1 / B.1",
            title="operator norm of a matrix, and norms of tuples of matrices",
            kind="deterministic",
            theme="initialisation",
            locator="Sections 4.1 and B.1",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the printed definition takes the largest absolute eigenvalue",
                decision="false as printed",
                why=(
                    "That is the spectral radius, no norm: it is 0 for [[0, 1], [0, 0]], whose operator norm is 1. The "
                    "proofs use the largest singular value, which is what all other claims take."
                ),
                refuted=_ids("def-norms"),
                tested=_ids("def-norms-corrected"),
            ),
        ),
        Statement(
            id="guo2024:assumption-2.1",
            label="Assumption 2.1",
            title="separation of the inputs",
            kind="assumption",
            theme="separation",
            locator="Section 2, Assumption 2.1",
            coverage=ByDefinition(where="nets.data.distances.separation", tested="nets/tests/test_distances.py"),
            suspect=Suspect(
                what="it admits antipodes, at which Lemma B.2 fails, and i = j is not left out",
                decision="gap in the proof",
                why=(
                    "Antipodes have the distance 2, the largest there is, and the squared cosine 1; at slope -1 the "
                    "network cannot tell them apart. The signed separation repairs what rests on it."
                ),
                tested=_ids("lemma-B.2-corrected", "eq-34-corrected"),
            ),
        ),
        Statement(
            id="guo2024:algorithm-1",
            label="Algorithm 1",
            title="Gaussian initialisation with variances 1/m, 2/m and 1/outputs",
            kind="probability",
            theme="initialisation",
            locator="Section 2, Algorithm 1",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-reparametrisation",
            label="Section 2, text after Algorithm 1",
            title="moving the factor of the leaky ReLU between weights and activation",
            kind="deterministic",
            theme="initialisation",
            locator="Section 2, after Algorithm 1",
            coverage=ByClaim(),
            suspect=Suspect(
                what="called equivalent, though the same step trains the two forms differently",
                decision="no error",
                why=(
                    "As a statement on the initial function it is true. Gradient descent with the factor in the "
                    "weights and step eta is, to rounding, that with the factor in the activation and step eta (1 + "
                    "alpha^2): with equal steps the slopes are compared in one form or the other, never in both."
                ),
                tested=_ids(
                    "claim-reparametrisation", "claim-reparametrisation-training", "claim-reparametrisation-mirror"
                ),
            ),
        ),
        Statement(
            id="guo2024:algorithm-2",
            label="Algorithm 2",
            title="step of gradient descent",
            kind="definition",
            theme="convergence",
            locator="Section 2, Algorithm 2",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:algorithm-3",
            label="Algorithm 3",
            title="step of mini-batch gradient descent",
            kind="definition",
            theme="stochastic_convergence",
            locator="Section 2, Algorithm 3",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:theorem-3.1",
            label="Theorem 3.1",
            title="linear convergence of gradient descent with slope-dependent rate",
            kind="convergence",
            theme="convergence",
            locator="Section 3, Theorem 3.1",
            uses=_ids("lemma-4.1", "lemma-4.2", "eq-14", "eq-15", "eq-16", "lemma-B.9", "eq-108"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "slope -1 makes the network even, while the data may hold antipodes with different targets; "
                    "the step (15) needs a larger width"
                ),
                decision="false as printed",
                why=(
                    "Of x and -x with the targets 1 and -1 no weights of any width have a loss below 2 at slope -1. "
                    "With the separation up to signs the rate is of the order stated. What (15) asks of the width is "
                    "decided there. "
                    "It fails for every choice of constants, as no weights fit such data."
                ),
                refuted=_ids("theorem-3.1"),
                tested=_ids(
                    "theorem-3.1-even",
                    "theorem-3.1-corrected",
                    "theorem-3.1-corrected-deep",
                    "theorem-3.1-start",
                    "theorem-3.1-certified",
                    "theorem-3.1-rate",
                    "theorem-3.1-shape",
                    "theorem-3.1-samples",
                ),
            ),
        ),
        Statement(
            id="guo2024:theorem-3.1-T",
            label="(4) and T-bound in Section 4.1",
            title="number of steps of gradient descent to an accuracy",
            kind="implication",
            theme="parameter_chains",
            locator="Section 3, eq. (4), and Section 4.1",
            uses=_ids("theorem-3.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factor 1/f(alpha) of 1/(1 - gamma) is missing, so that slopes near 1 are too quick",
                decision="false as printed",
                why=(
                    "1/(1 - gamma) has the factor (1 + alpha^2)/(1 - alpha)^2, which grows without limit as alpha "
                    "tends to 1."
                ),
                refuted=_ids("theorem-3.1-T"),
                tested=_ids("theorem-3.1-T-corrected"),
            ),
        ),
        Statement(
            id="guo2024:theorem-3.2",
            label="Theorem 3.2",
            title="linear convergence of mini-batch gradient descent with slope-dependent rate",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Section 3, Theorem 3.2",
            uses=_ids("lemma-4.1", "lemma-4.2", "eq-113", "eq-117", "eq-118", "eq-120", "lemma-B.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "slope -1 makes the network even; the rate is said for all t up to T and only for t above a "
                    "threshold; increments of the loss are taken to be bounded below"
                ),
                decision="false as printed",
                why="As Theorem 3.1: no weights fit two antipodes with different targets at slope -1. "
                "It fails for every choice of constants.",
                refuted=_ids("theorem-3.2"),
                tested=_ids("theorem-3.2-corrected", "theorem-3.2-certified", "theorem-3.2-rate"),
            ),
        ),
        Statement(
            id="guo2024:corollary-3.3",
            label="Corollary 3.3",
            title="slope that minimises the bound on the rate",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Section 3, Corollary 3.3",
            uses=_ids("theorem-3.1", "theorem-3.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-derivative-gap",
            label="Section 4.1",
            title="largest jump of the rescaled derivative",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Section 4.1, the gap of the derivative",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:theorem-3.4",
            label="Theorem 3.4",
            title="epoch-dependent risk bound for GD",
            kind="probability",
            theme="generalisation",
            locator="Section 3, Theorem 3.4",
            uses=_ids("lemma-4.3", "lemma-B.9", "claim-omega-small-t", "theorem-3.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the terms are those of another width, and the distance from the start is that of a loss of order 1"
                ),
                decision="gap in the proof",
                why=(
                    "At the printed width n^(10 + 2 tau) the radius of Lemma 4.2 gives n^(3 + tau), where "
                    "n^(1/2 + tau) is printed, the power of a width n^(5 + 2 tau); the linear term has L^(1 + tau) "
                    "d^(3/2 + tau) for L^(2 + tau) d^(1/2 + tau). The two terms that grow with t are short by "
                    "d^(4/3) n^(2/3) and d sqrt(n). No size that runs meets the width: the risk decides nothing."
                ),
                tested=_ids("theorem-3.4-bent-term", "theorem-3.4-linear-term", "theorem-3.4-early-terms"),
            ),
        ),
        Statement(
            id="guo2024:claim-zou-gu-comparison",
            label="Section 3, text after Corollary 3.3",
            title="rate of ReLU networks that does not fall with the depth",
            kind="asymptotic",
            theme="convergence",
            locator="Section 3, after Corollary 3.3",
            uses=_ids("theorem-3.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the largest step size falls with the depth, and the gain n^(-3) in the width rests on (15)",
                decision="gap in the proof",
                why=(
                    "At a fixed step size the least eigenvalue does not fall with the depth. The gain in the "
                    "width goes where (15) is corrected, which its own claim decides."
                ),
                tested=_ids("claim-zou-gu-comparison", "eq-15-corrected"),
            ),
        ),
        Statement(
            id="guo2024:lemma-4.1",
            label="Lemma 4.1",
            title="semi-smoothness of the training loss",
            kind="probability",
            theme="semi_smoothness",
            locator="Section 4.1, Lemma 4.1",
            uses=_ids("lemma-B.8", "lemma-B.5", "lemma-B.3", "eq-96-97", "eq-98", "eq-102", "eq-105", "eq-106"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="powers of L do not follow from its displays, and neither does the probability",
                decision="gap in the proof",
                why=(
                    "(102) and (106) are printed with L^2 where their factors give L^3, and Lemma B.4, which is used, "
                    "holds with exp(-Omega(sqrt(m)/log m)) alone. Attacks on both parts stay within L^2."
                ),
                tested=_ids("lemma-4.1"),
            ),
        ),
        Statement(
            id="guo2024:lemma-4.2",
            label="Lemma 4.2",
            title="gradient bounds near the start, from both sides",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 4.1, Lemma 4.2",
            uses=_ids("lemma-B.5", "lemma-B.6", "lemma-B.7", "lemma-B.4", "eq-90", "eq-92"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "Assumption 2.1 does not keep inputs from antipodes, and three different probabilities are printed"
                ),
                decision="false as printed",
                why=(
                    "At slope -1 the network is even, so that (10) fails for x and -x of opposite residuals "
                    "at every width. With the signed separation it holds; (9) stands. "
                    "It fails for every constant, as the gradient is 0 there and the loss is not."
                ),
                refuted=_ids("lemma-4.2"),
                tested=_ids("lemma-4.2-corrected", "lemma-4.2-upper"),
            ),
        ),
        Statement(
            id="guo2024:eq-11-13",
            label="(11)-(13)",
            title="change of the loss in a step of gradient descent",
            kind="deterministic",
            theme="convergence",
            locator="Section 4.1, eqs. (11)-(13)",
            uses=_ids("lemma-4.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-14",
            label="(14)",
            title="loss bounded by the norm of its gradient",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 4.1, eq. (14)",
            uses=_ids("lemma-4.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="it is the inverse of (10), which fails for antipodes at slope -1",
                decision="false as printed",
                why="Opposite residuals at x and -x leave a gradient of zero and a positive loss. "
                "It fails for every constant, as the gradient is 0 there.",
                refuted=_ids("eq-14"),
                tested=_ids("eq-14-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-15",
            label="(15) and the sentence after it",
            title="absorption of the term with kinks into the decrease",
            kind="implication",
            theme="parameter_chains",
            locator="Section 4.1, eq. (15) and the sentence after it",
            uses=_ids("eq-11-13", "eq-14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="with the radius of Lemma 4.2 the absorbed term keeps a factor sqrt(n/L)",
                decision="false as printed",
                why=(
                    "omega^(1/3) n L^2 phi^(-1/2) is n^(1/2) L^(-1/2) at omega = phi^(3/2) n^(-3/2) L^(-15/2), which "
                    "no constant bounds. Radii up to phi^(3/2) n^(-3) L^(-6) do, at the cost of a width n^8 L^12 in "
                    "Theorem 3.1."
                ),
                refuted=_ids("eq-15"),
                tested=_ids("eq-15-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-16",
            label="(16)",
            title="decrease of the loss in a step by a third of the squared gradient",
            kind="convergence",
            theme="convergence",
            locator="Section 4.1, eq. (16)",
            uses=_ids("eq-11-13", "eq-15"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-4.3",
            label="Lemma 4.3",
            title="uniform risk bound on a ball around initialisation",
            kind="probability",
            theme="generalisation",
            locator="Section 4.1, Lemma 4.3",
            uses=_ids("eq-122", "eq-123-125", "lemma-B.11", "eq-125-bound", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="outputs on the ball are taken to be bounded by ln^(1/4) m",
                decision="false as printed",
                why=(
                    "The ball moves an output that is not in the sample by omega sqrt(m/d), whose square the risk has "
                    "and no term of the bound: from some width on it exceeds them at every constant, on the Frobenius "
                    "ball and so on that of the operator norm. At the start Lemma 4.3 holds but for its chance: one "
                    "output is above sqrt(ln m) with more than any power of 1/m, in the end."
                ),
                refuted=_ids("lemma-4.3", "lemma-4.3-chance"),
                tested=_ids("lemma-4.3-any-constant", "lemma-4.3-start", "eq-122-corrected", "eq-125-bound-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-17",
            label="Section 5.2, Eq. (17)",
            title="hidden constant of the rate, fitted to the fall of the training error at slope 0",
            kind="definition",
            theme="convergence",
            locator="Section 5.2, eq. (17)",
            coverage=ByDefinition("properties.guo2024.slope_runs.fall", "properties/guo2024/tests/test_slope_runs.py"),
        ),
        Statement(
            id="guo2024:appA-T-order",
            label="Appendix A, T estimate",
            title="order of the number of steps at the largest step size",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix A, the order of T",
            uses=_ids("theorem-3.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the separation and the slope are left out",
                decision="false as printed",
                why=(
                    "At the largest step 1 - gamma is f(alpha) phi/(nL)^2, so that T is (nL)^2/(f(alpha) phi): "
                    "larger than (nL)^2 without limit for close points, or slopes near 1."
                ),
                refuted=_ids("appA-T-order"),
                tested=_ids("appA-T-order-corrected"),
            ),
        ),
        Statement(
            id="guo2024:appA-early",
            label="Appendix A, t = Theta((nL)^{1-k})",
            title="complexity terms of the risk bound for an early stop",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix A, small t",
            uses=_ids("theorem-3.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="it rests on the terms of Theorem 3.4 that grow with t",
                decision="false as printed",
                why="The term from kinks is larger by d^(4/3) n^(2/3), see Theorem 3.4.",
                refuted=_ids("appA-early"),
                tested=_ids("appA-early-corrected"),
            ),
        ),
        Statement(
            id="guo2024:appA-late",
            label="Appendix A, t = Omega((nL)^{1+k})",
            title="complexity terms of the risk bound for late stops",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix A, large t",
            uses=_ids("theorem-3.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the smaller of two products is taken exponent by exponent",
                decision="false as printed",
                why=(
                    "The smaller of (nL)^k and n^(1/2) L^2 is one of the two products. At k = 1 and n = L it is L^2, "
                    "and the printed n^(1/2) L is L^(3/2). With the term t d^(3/2)/(n^(1/2) L) it is "
                    "d^(3/2) n^(1/2 + k) L^k at each k, as what does not grow with t is larger."
                ),
                refuted=_ids("appA-late"),
                tested=_ids("appA-late-corrected"),
            ),
        ),
        Statement(
            id="guo2024:appA-final",
            label="Appendix A, t = T",
            title="complexity terms of the risk bound at the last step",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix A, t = T",
            uses=_ids("theorem-3.4", "appA-T-order"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="1/T stands where T has to",
                decision="false as printed",
                why=(
                    "With T = (nL)^2/(f(alpha) phi) in the terms of Theorem 3.4 that grow with t, the powers of n, "
                    "L, phi and f(alpha) change their signs: the bound is least at alpha = -1, and not largest."
                ),
                refuted=_ids("appA-final"),
                tested=_ids("appA-final-corrected"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.1",
            label="Lemma B.1",
            title="norms of all layers stay near one",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, Lemma B.1",
            uses=_ids("eq-20", "eq-24", "eq-28", "claim-subgaussian", "ext-azuma-subgaussian"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the probability has no constant in front, so that it says too much where it is large",
                decision="no error",
                why=(
                    "Where eps sqrt(m) is small, all L + 1 norms are within eps of 1 with a chance of order eps^(L + "
                    "1), and the printed chance is of order eps^2: no constant in the exponent is small enough for "
                    "every eps above a multiple of L/m. But the paper reads Omega(N) for N from some number on "
                    "(Appendix B.1), so that m eps^2/L is at least a constant; the claim has it as a failure "
                    "probability of at most 1/2, which is then needed and sees it."
                ),
                tested=_ids("lemma-B.1"),
            ),
        ),
        Statement(
            id="guo2024:eq-20",
            label="(20)",
            title="chi-square tail of the input layer",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, eq. (20)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-22-23",
            label="(22)-(23)",
            title="law of the norm ratio of one leaky layer: two chi-squares with a binomial split",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix B.2, eqs. (22)-(23)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the number of neurons above 0 is called Bernoulli",
                decision="slip of print",
                why="It is a sum of m Bernoulli variables: binomial, as the law that was tested has it.",
                tested=_ids("eq-22-23"),
            ),
        ),
        Statement(
            id="guo2024:eq-24",
            label="(24)",
            title="the squared norm is a product of independent ratios",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix B.2, eq. (24)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-25",
            label="(25)",
            title="mean norm ratio of one leaky layer",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix B.2, eq. (25)",
            uses=_ids("eq-22-23"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-26",
            label="(26)",
            title="Jensen's inequality on both sides of a mean log ratio",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, eq. (26)",
            uses=_ids("eq-25"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the left side is minus infinity, since all neurons may be on one side",
                decision="slip of print",
                why="Given the window of (27), which the next sentence assumes, both sides are finite.",
                tested=_ids("eq-26", "eq-26-right"),
            ),
        ),
        Statement(
            id="guo2024:eq-27",
            label="(27)",
            title="share of the neurons above zero",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, eq. (27)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-chi2-log",
            label="Sentence before (28)",
            title="mean logarithm of a chi-square variable from below",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, before eq. (28)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the logarithm of K/(m/2) is of order 1 for some K in the window",
                decision="false as printed",
                why=(
                    "For a fixed K the mean is digamma(K/2) + log(4/m), at m = 5 and K = 2 already below -4/m, at m = "
                    "1000 and K = 400 -0.2257 against -0.004. Averaged over K ~ Binomial(m, 1/2) given the window, "
                    "which is all that (28) needs, it is about -2.5/m."
                ),
                refuted=_ids("claim-chi2-log"),
                tested=_ids("claim-chi2-log-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-28",
            label="(28)",
            title="drift of the logarithm of the norm in one layer",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix B.2, eq. (28)",
            uses=_ids("eq-26", "claim-chi2-log"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-subgaussian",
            label="Section B.2",
            title="Gaussian tail of the logarithm of a norm ratio",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, after eq. (28)",
            uses=_ids("eq-22-23", "eq-27"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the logarithm of |Delta| is bounded, on one side",
                decision="slip of print",
                why=(
                    "Delta is positive and the tail is used on both sides: |log Delta| is meant, and its tail is "
                    "shown for t up to m/4 alone."
                ),
                tested=_ids("claim-subgaussian"),
            ),
        ),
        Statement(
            id="guo2024:ext-azuma-subgaussian",
            label="Shamir (2011) Thm 2, quoted",
            title="sum of the log ratios of several layers about its mean",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, Theorem 2 of Shamir (2011)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.2",
            label="Lemma B.2",
            title="squared cosines of the outputs at every layer",
            kind="probability",
            theme="separation",
            locator="Appendix B.2, Lemma B.2",
            uses=_ids("eq-30", "eq-34", "lemma-B.1", "claim-normalised-distance"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="antipodes meet the assumption, and their squared cosine at the inputs is 1",
                decision="false as printed",
                why=(
                    "<u, v> <= 1 - c gives <u, v>^2 <= (1 - c)^2 only where <u, v> >= -(1 - c). At slope -1 the "
                    "cosine is 1 at all further layers too. With the signed separation it is true."
                ),
                refuted=_ids("lemma-B.2"),
                tested=_ids("lemma-B.2-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-30",
            label="(30)",
            title="mean product of two leaky ReLUs of close points",
            kind="expectation",
            theme="separation",
            locator="Appendix B.2, eq. (30)",
            uses=_ids("eq-33", "claim-cubic"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="for slopes below 0 the mean product does not grow with the inner product",
                decision="false as printed",
                why=(
                    "Antipodes at slope -1 have the mean product 1/2, above the bound for every small theta and any "
                    "constant. For an inner product equal to 1 - theta^2/2 it is true with the constant 1/16."
                ),
                refuted=_ids("eq-30"),
                tested=_ids("eq-30-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-31",
            label="(31)",
            title="mean product of two Gaussian projections",
            kind="expectation",
            theme="separation",
            locator="Appendix B.2, eq. (31)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the printed chain has E[u^T u], which is the dimension, where 1 is meant",
                decision="slip of print",
                why="The mean of u_k^2 is 1; the next line of the paper has the right value.",
                tested=_ids("eq-31"),
            ),
        ),
        Statement(
            id="guo2024:eq-33",
            label="(32)-(33)",
            title="mean product of two leaky ReLUs in a linear part and one of unlike signs",
            kind="expectation",
            theme="separation",
            locator="Appendix B.2, eqs. (32)-(33)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="bars that read as conditional means stand for restricted ones",
                decision="slip of print",
                why="With conditional means the identity is false; with restricted ones it is exact.",
                tested=_ids("eq-33"),
            ),
        ),
        Statement(
            id="guo2024:claim-cubic",
            label="Sentence after (33) (Zou et al. 2020, Lemma A.3)",
            title="cubic order of the part of a kernel where signs differ",
            kind="expectation",
            theme="scalar_inequalities",
            locator="Appendix B.2, after eq. (33)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-34",
            label="(34)",
            title="least distance of the outputs at every layer",
            kind="probability",
            theme="separation",
            locator="Appendix B.2, eq. (34)",
            uses=_ids("eq-30", "eq-36", "eq-38", "claim-telescoping-factor"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="at slope -1 the network is even, so that antipodes have the same outputs",
                decision="false as printed",
                why=(
                    "The distance of the outputs of x and -x is 0 from the first layer on, at any width. With the "
                    "signed separation it is true, and in the limit at every depth up to 64."
                ),
                refuted=_ids("eq-34"),
                tested=_ids("eq-34-corrected", "eq-34-limit"),
            ),
        ),
        Statement(
            id="guo2024:eq-36",
            label="(35)-(36)",
            title="distance of two points after the input layer",
            kind="expectation",
            theme="separation",
            locator="Appendix B.2, eqs. (35)-(36)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="an index of the sum runs to m in place of the input dimension",
                decision="slip of print",
                why="The value of the sum is right, and so is the law that was tested.",
                tested=_ids("eq-36"),
            ),
        ),
        Statement(
            id="guo2024:claim-subexp-difference",
            label="Between (36) and (37)",
            title="tail of a difference from tails of two vectors",
            kind="probability",
            theme="separation",
            locator="Appendix B.2, between eqs. (36) and (37)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="half of the level is printed where the triangle inequality gives a quarter",
                decision="false as printed",
                why=(
                    "For antipodes the difference is twice as long as each vector: at m = 100 and s = 3 its tail is "
                    "0.9708, and the right side 0.0018. As ||a - b||^2 is at most 4 max(||a||^2, ||b||^2), a quarter "
                    "of the level is enough, and the order of the tail, which is what the proof uses, is the same."
                ),
                refuted=_ids("claim-subexp-difference"),
                tested=_ids("claim-subexp-difference-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-38",
            label="(37)-(38)",
            title="squared distance that one layer leaves",
            kind="probability",
            theme="separation",
            locator="Appendix B.2, eqs. (37)-(38)",
            uses=_ids("eq-30", "lemma-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the rows of the weights are printed as 2 u/m",
                decision="slip of print",
                why="sqrt(2/m) u is meant, as in Algorithm 1; with it the mean is as stated, with C = 1/4.",
                tested=_ids("eq-38"),
            ),
        ),
        Statement(
            id="guo2024:claim-telescoping-factor",
            label="Below (39)",
            title="factor by which separations shrink from layer to layer",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, after eq. (39)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-normalised-distance",
            label="Part 3 of the proof of Lemma B.2",
            title="distance of the directions of two nearly unit vectors",
            kind="deterministic",
            theme="separation",
            locator="Appendix B.2, part 3 of the proof of Lemma B.2",
            coverage=ByClaim(),
            suspect=Suspect(
                what="squaring the bound on the cosine needs a bound from below as well",
                decision="gap in the proof",
                why=(
                    "The distance of the directions is as stated; what follows for the squared cosine is false of "
                    "antipodes."
                ),
                tested=_ids("claim-normalised-distance"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.3",
            label="Lemma B.3",
            title="products of layers at the start, on all vectors and on sparse ones",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.3, Lemma B.3",
            uses=_ids("lemma-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="item 1 admits b = L, where the last factor is the read-out B and no layer",
                decision="false as printed",
                why="||B D_L||^2 is near m/2 with one output at every slope, which no constant covers. For b < L the "
                "item is true in order, and the others need no repair.",
                refuted=_ids("lemma-B.3"),
                tested=_ids(
                    "lemma-B.3-layers",
                    "lemma-B.3-back",
                    "lemma-B.3-sparse",
                    "lemma-B.3-response",
                    "lemma-B.3-response-outputs",
                ),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.4",
            label="Lemma B.4",
            title="flips and moves of all layers under a step of small norm",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, Lemma B.4",
            uses=_ids("lemma-B.1", "lemma-B.3", "eq-40", "eq-42", "eq-43", "eq-50-51", "eq-54", "eq-55"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-Dprime-magnitude",
            label="Proof of Lemma B.4",
            title="size of the entries of D', by which the derivative jumps at a flip",
            kind="deterministic",
            theme="activation",
            locator="Appendix B.3, proof of Lemma B.4",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-40",
            label="(40)",
            title="number of pre-activations below a threshold",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.3, eq. (40)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-41",
            label="(41)",
            title="what flipped neurons below the threshold contribute to D' g",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.3, eq. (41)",
            uses=_ids("claim-Dprime-magnitude"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-42",
            label="(42)",
            title="number of flipped neurons at the threshold or beyond",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix B.3, eq. (42)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-43",
            label="(43)-(45)",
            title="what flipped neurons at the threshold or beyond contribute to D' g",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.3, eqs. (43)-(45)",
            uses=_ids("claim-Dprime-magnitude", "eq-42"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-xi-optimal",
            label="After (45)",
            title="best threshold between small and large pre-activations",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.3, after eq. (45)",
            uses=_ids("eq-40", "eq-42"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-46-48",
            label="(46)-(48)",
            title="norm of D' g and number of flips by the radius",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, eqs. (46)-(48)",
            uses=_ids("eq-41", "eq-43", "claim-xi-optimal"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(46) has kappa where its square is drawn from what stands before it, and (48) no kappa",
                decision="slip of print",
                why="kappa is at most sqrt(2), so that both are true as printed, and weaker than need be: the squared "
                "norm falls like kappa^2 as the slope tends to 1.",
                tested=_ids("eq-46-48", "eq-46-48-squared", "eq-46-48-squared-sharp"),
            ),
        ),
        Statement(
            id="guo2024:eq-49",
            label="(49)",
            title="one-step expansion of the change of the pre-activations",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.3, eq. (49)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the last term has D' g' of the layer below in place of D' g + D^(0) g'",
                decision="false as printed",
                why="With one neuron a layer, weights 1 and the first raised by 1/2, no gate moves, and the printed "
                "expansion of g'_2 is 0, where g'_2 is not. (50)-(51) unroll the right form.",
                refuted=_ids("eq-49"),
                tested=_ids("eq-49-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-50-51",
            label="(50)-(51)",
            title="change of the pre-activations, unrolled down to the first layer",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.3, eqs. (50)-(51)",
            uses=_ids("eq-49"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-52",
            label="(52)",
            title="what the steps of the weights add to the change of the pre-activations",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, eq. (52)",
            uses=_ids("lemma-B.3", "lemma-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the term of the first layer has the factor max(|alpha|, 1)/sqrt(1 + alpha^2) of the others",
                decision="slip of print",
                why="D_0 is the identity, and a step of the first layer of one reaches sqrt(2) times that at -1. With "
                "||D|| <= 1 instead the order is the same.",
                tested=_ids("eq-52", "eq-52-certified"),
            ),
        ),
        Statement(
            id="guo2024:eq-53",
            label="(53)",
            title="flipped part of a layer, carried through the layers above",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.3, eq. (53)",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-54",
            label="(54)",
            title="tail of a Gaussian entry at a multiple of a threshold",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.3, eq. (54)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the bound is that of one tail, where absolute values have two",
                decision="false as printed",
                why="At three standard deviations P(|y| > 3 sigma) = 0.0027 and the printed bound is 0.0015; with "
                "twice the bound it is true at every threshold. What follows hides constants and is not touched.",
                refuted=_ids("eq-54"),
                tested=_ids("eq-54-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-55",
            label="(55), (58), (59)",
            title="mass of the large entries of a Gaussian vector",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.3, eqs. (55), (58), (59)",
            uses=_ids("eq-54"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="q b^2 log(q) is of order 1/sqrt(m), not of order 1/m",
                decision="false as printed",
                why="q = sqrt(m)/log(m)^2 and b^2 of order log(m)/m make it 1/sqrt(m). One entry beyond b has more "
                "than C/m already, too often from m = 10^5 on with C = 100. ||y_1|| is then of order m^(-1/4), and "
                "the width has to be of order L^4, where L^2 is assumed. "
                "It fails for every choice of constants, from some width on.",
                refuted=_ids("eq-55"),
                tested=_ids("eq-55-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-60",
            label="(60)",
            title="largest entry of what flips below add to the pre-activations, heavy entries aside",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, eq. (60)",
            uses=_ids("eq-55"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the norm of the second part sums its entries over S_2",
                decision="slip of print",
                why="All m entries count, and the norm is at most sqrt(m) times the largest one, as it goes on.",
                tested=_ids("eq-60"),
            ),
        ),
        Statement(
            id="guo2024:claim-h-prime",
            label="End of proof of Lemma B.4",
            title="change of the features from that of the pre-activations and the flips",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.3, end of the proof of Lemma B.4",
            coverage=ByClaim(),
            suspect=Suspect(
                what="D of the layer after the step counts D' g' twice",
                decision="false as printed",
                why="With one neuron whose weight goes from 1 to -1 the two sides differ by 2 kappa. With D^(0), "
                "the gates before the step, it is an identity, and the bound drawn from it stands.",
                refuted=_ids("claim-h-prime"),
                tested=_ids("claim-h-prime-corrected"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.5",
            label="Lemma B.5",
            title="products of layers after a step, and their differences",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, Lemma B.5",
            uses=_ids("lemma-B.3", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="items 3 and 4 have the factor kappa, although steps of the weights count with linear layers too",
                decision="false as printed",
                why="With a thousand neurons a layer and a slope of 1 - 1e-8 a step of norm 1/2000 changes the "
                "product by more than 100 kappa L^(3/2), but for a chance of 1 %. With kappa + omega in item 3, and "
                "kappa omega^(1/3) + omega in item 4, both are true in order. "
                "It fails for every constant, as the slope may be chosen after it, and kappa tends to 0.",
                refuted=_ids("lemma-B.5"),
                tested=_ids(
                    "lemma-B.5-gates",
                    "lemma-B.5-products",
                    "lemma-B.5-difference",
                    "lemma-B.5-read-out",
                    "lemma-B.5-exponent",
                ),
            ),
        ),
        Statement(
            id="guo2024:def-G",
            label="(61)",
            title="gradient of one sample in a layer, as a map of its residual",
            kind="definition",
            theme="gradient_upper_bound",
            locator="Appendix B.4, eq. (61)",
            uses=_ids("def-gradient"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the operator in (61) is that of the layer itself, which the gradient has not passed yet",
                decision="false as printed",
                why=(
                    "With Back_{i,l} in place of Back_{i,l+1} shapes agree, as all layers have one width, and"
                    " the values do not. (83) uses the right one."
                ),
                refuted=_ids("def-G"),
                tested=_ids("def-G-corrected"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.6",
            label="Lemma B.6",
            title="gradient of one sample in a layer from above at the start",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix B.4, Lemma B.6",
            uses=_ids("lemma-B.3", "lemma-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.7",
            label="Lemma B.7",
            title="gradient of every layer from below at the start",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.4, Lemma B.7",
            uses=_ids("lemma-B.1", "lemma-B.2", "eq-64", "eq-66", "eq-73", "eq-82", "eq-83", "ext-hoeffding"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "antipodes at slope -1; the proof fixes the rows v and the statement has all; the "
                    "exponent of its probability"
                ),
                decision="false as printed",
                why=(
                    "x and -x have the same gradients in every layer at slope -1, so that v and -v cancel, "
                    "from one neuron on. The rows that matter are eigenvectors, and with the signed "
                    "separation they are bounded as printed. "
                    "It fails for every constant, as the sum is 0 there."
                ),
                refuted=_ids("lemma-B.7"),
                tested=_ids("lemma-B.7-corrected", "lemma-B.7-even", "lemma-B.7-near-antipodes"),
            ),
        ),
        Statement(
            id="guo2024:eq-64",
            label="(63)-(64)",
            title="strips about the zeros of neurons that exclude each other",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (63)-(64)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-66",
            label="(66)-(69)",
            title="chance of a strip about the zeros of a neuron",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (66)-(69)",
            uses=_ids("lemma-B.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-71",
            label="(71)",
            title="gates of the other samples in a strip",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eq. (71)",
            uses=_ids("eq-64"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-73",
            label="(72)-(73)",
            title="longer of a row gradient and that at the reflected weights",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (72)-(73)",
            uses=_ids("eq-71"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-82",
            label="(74), (82)",
            title="coordinates of backward vectors are of the usual size with a constant probability",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (74), (82)",
            uses=_ids("eq-81", "eq-76"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="printed with O where a bound from below is meant",
                decision="slip of print",
                why="The next use needs a multiple of ||v||^2/d from below.",
                tested=_ids("eq-82"),
            ),
        ),
        Statement(
            id="guo2024:eq-81",
            label="(75), (78)-(81)",
            title="norms of all backward vectors, by the tail of the active half",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.4, eqs. (75), (78)-(81)",
            uses=_ids("eq-76", "eq-79"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the step (78) takes a tail of chi2_K below 0.5 m (1 - eps) for every K >= (0.5 - eps/2) m",
                decision="false as printed",
                why=(
                    "At the least such K the threshold is the mean of chi2_K, and the chance one half whatever the "
                    "width: 0.53 at m = 100 and eps = 0.48. With K >= (0.5 - eps/4) m, which has a chance of the same "
                    "order, the step is right. The conclusion holds: by the exact law of the norms, with the constant "
                    "of the sheet."
                ),
                refuted=_ids("eq-81"),
                tested=_ids("eq-81-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-76",
            label="(76)-(77)",
            title="a Gaussian row given its side of a random half-space",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (76)-(77)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="applied row by row to a matrix all of whose rows share one h",
                decision="gap in the proof",
                why=(
                    "For one row and an h of its own it is true. The rows of W_l share h_{l-1}, and are dependent "
                    "given their gates: their sum has a variance above that of independent rows. What is drawn from it "
                    "in (79) is true for another reason."
                ),
                tested=_ids("eq-76", "eq-79-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-79",
            label="(79)",
            title="law of the norm ratio of two backward vectors",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix B.4, eq. (79)",
            uses=_ids("eq-76"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="W_l given z_l is taken to be Gaussian, though z_l knows of the gates that W_l made",
                decision="false as printed",
                why=(
                    "Given z_l the law is another one for ReLU: where z_L is positive the rows of active neurons, all "
                    "on one side of h_{l-1}, add up. But the signs of what arrives at a layer are independent of the "
                    "forward pass, so that a row, its gate and the arriving number may change sign together: given the "
                    "gates and the norm of z_l alone the law is exactly the printed one, and this is all that (80) "
                    "needs. At slope -1 both are true."
                ),
                refuted=_ids("eq-79"),
                tested=_ids("eq-79-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-83",
            label="(83)-(84)",
            title="layer gradient as a sum over neurons, and over strips",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eqs. (83)-(84)",
            uses=_ids("def-G", "eq-64"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:ext-hoeffding",
            label="Part 4 of Lemma B.7",
            title="tail of the sum over the rows of a layer",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.4, part 4 of the proof of Lemma B.7",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the exponent of the probability is for rows v_i of equal norms",
                decision="false as printed",
                why=(
                    "Where one row carries all, the chance per neuron is that of one strip, phi/(n L), and "
                    "minus the logarithm of the tail falls as 1/n. By Chernoff's bound it is at least m "
                    "phi/(8 n L) for all rows. "
                    "It fails for every constant, as n may be chosen after it."
                ),
                refuted=_ids("ext-hoeffding"),
                tested=_ids("ext-hoeffding-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-85",
            label="(85)",
            title="change of the layer gradients by that of their factors",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.4, eq. (85)",
            uses=_ids("def-G"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-86-89",
            label="(86)-(89)",
            title="change of the backward vector and of the features, for the gradient near the start",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.4, eqs. (86)-(89)",
            uses=_ids("lemma-B.5", "lemma-B.1", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(86) is drawn from item 4 of Lemma B.5, but has no kappa; (88) has a chance of failure that "
                "Lemma B.4 does not give",
                decision="gap in the proof",
                why="Without kappa (86) is what is true of item 4 at every slope. The chance of (88) is "
                "exp(-Omega(sqrt(m)/log(m))), by Lemma B.4.",
                tested=_ids("eq-86-89", "eq-86-89-start", "eq-86-89-end"),
            ),
        ),
        Statement(
            id="guo2024:eq-90",
            label="(90)",
            title="change of the layer gradients in a ball of weights",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.4, eq. (90)",
            uses=_ids("eq-85", "eq-86-89"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the square of the sum of n norms in (85) is bounded by the sum of their squares",
                decision="false as printed",
                why=(
                    "Cauchy's inequality adds a factor n, which points nearer to each other than the radius attain. "
                    "That step is what is tested; its terms, one sample each, are those of (86) to (89)."
                ),
                refuted=_ids("eq-90"),
                tested=_ids("eq-90-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-92",
            label="(92)",
            title="change of the gradient below its lower bound",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.4, eq. (92)",
            uses=_ids("eq-90"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the comparison leaves out f(alpha), and (90) the factor n",
                decision="gap in the proof",
                why=(
                    "As printed the exponents are equal. With f(alpha) and the factor n that (85) leads to, the "
                    "radius has to be smaller by kappa^3 n^(-3/2)."
                ),
                tested=_ids("eq-92", "eq-92-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-93",
            label="(93)",
            title="lower bounds of the layers added up",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.4, eq. (93)",
            uses=_ids("lemma-B.7", "eq-90"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.8",
            label="Lemma B.8",
            title="exact mean-value decomposition of the feature difference",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.5, Lemma B.8",
            uses=_ids("lemma-B.5", "lemma-B.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-95",
            label="(95)",
            title="quadratic expansion of the sample loss",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix B.5, eq. (95)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-96-97",
            label="(96)-(97)",
            title="exact remainder of the linearisation",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix B.5, eqs. (96)-(97)",
            uses=_ids("eq-95", "def-gradient"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-98",
            label="(98)",
            title="quadratic part",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.5, eq. (98)",
            uses=_ids("lemma-B.8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-102",
            label="(99)-(102)",
            title="non-smooth part",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.5, eqs. (99)-(102)",
            uses=_ids("lemma-B.5", "lemma-B.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the loss is counted without its factor 1/2, and the sum over the layers without its factor L",
                decision="slip of print",
                why=(
                    "The loss (94) is half of the sum of squares, so that the squared sum of the norms is at most 2 n "
                    "times it, where print has n: what is hidden takes that up. (101) summed over the layers gives "
                    "L^3; measured it grows more slowly than sqrt(L), so that L^2 stands."
                ),
                tested=_ids("eq-102-residuals", "eq-102"),
            ),
        ),
        Statement(
            id="guo2024:eq-106",
            label="(103)-(106)",
            title="cross term",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.5, eqs. (103)-(106)",
            uses=_ids("lemma-B.3", "lemma-B.5", "lemma-B.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factors in print multiply to L^3, not L^2",
                decision="gap in the proof",
                why=(
                    "L layers, sqrt(L m/d) and L^(3/2) give L^3 before the residual. Steps whose products reach an "
                    "output give L(L-1), so that L^2 stands."
                ),
                tested=_ids("eq-106"),
            ),
        ),
        Statement(
            id="guo2024:eq-105",
            label="(105) and display before it",
            title="size of a residual",
            kind="probability",
            theme="initialisation",
            locator="Appendix B.5, eq. (105) and the display before it",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the threshold of the squared norm is sqrt(m/d), with a failure probability exp(-m)",
                decision="false as printed",
                why=(
                    "The tail at sqrt(m/d) is of the order exp(-sqrt(m d)/2): at one output and m = 100 it is 0.0016, "
                    "and the quotient of the exponents tends to 0. With m/d, as the sentence after it needs, the "
                    "probability is at most exp(-m/4). "
                    "It fails for every constant, from some width on."
                ),
                refuted=_ids("eq-105"),
                tested=_ids("eq-105-corrected", "eq-105-any-constant"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.9",
            label="Lemma B.9",
            title="gradient descent stays in the ball of Lemma 4.2",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.6, Lemma B.9",
            uses=_ids("eq-16", "eq-14", "eq-108", "eq-111"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="near antipodes at slope -1; the proof takes the distance from (111), which is false there",
                decision="false as printed",
                why=(
                    "Slope -1, two points at 0.12 from being antipodes, labels 1 and -1, a layer of 2^13 neurons, a "
                    "step in the range stated: weights leave the ball of the constant 2 from every start: while "
                    "most gates stay the move grows by the same amount in each step, as the labels are not met, and "
                    "neither width nor step size knows how near the antipodes are. It fails for every choice of "
                    "constants, as the step is too long: times m it grows like sqrt(m)/ln^2 m, so that from some width "
                    "on the loss of a single point rises until weights have moved by the order of 1, while the radius "
                    "falls. That of Theorem 3.1 is short enough: in steps of which the loss does not rise the lemma "
                    "holds with the separation up to signs, at other slopes as printed."
                ),
                refuted=_ids("lemma-B.9", "lemma-B.9-large-widths"),
                tested=_ids(
                    "lemma-B.9-any-constant",
                    "lemma-B.9-corrected",
                    "lemma-B.9-drift",
                    "lemma-B.9-other-slopes",
                    "eq-111-corrected",
                ),
            ),
        ),
        Statement(
            id="guo2024:eq-108",
            label="(108)",
            title="loss at initialisation from above",
            kind="probability",
            theme="initialisation",
            locator="Appendix B.6, eq. (108)",
            uses=_ids("eq-109"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="rests on (109), which fails above a threshold sqrt(log m)",
                decision="false as printed",
                why=(
                    "For one input, or n equal ones, the loss exceeds C n sqrt(log m) with a chance of about exp(-C "
                    "sqrt(log m)/2), above every power of 1/m for large m. The order n log(m) is right, with failure "
                    "probability 1/m for n <= m; ln^4 m in the width of Theorem 3.1 has room for it. "
                    "It fails for every constant, from some width on."
                ),
                refuted=_ids("eq-108"),
                tested=_ids("eq-108-corrected", "eq-108-any-constant"),
            ),
        ),
        Statement(
            id="guo2024:eq-109",
            label="(109)",
            title="squared output norms at initialisation",
            kind="probability",
            theme="initialisation",
            locator="Appendix B.6, eq. (109)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="a tail exp(-d eps^2) of a chi-square variable is used at eps = sqrt(log m), above 1",
                decision="false as printed",
                why=(
                    "Beyond its mean the tail of chi2_d is exp(-d eps/2) up to powers. So - log P/(d log m) tends to 0 "
                    "like 1/(2 sqrt(log m)): at one output 0.56, 0.21, 0.055, 0.028 for m = 10^2, 10^8, 10^64, 10^200, "
                    "and no constant works. With eps = log m the exponent is right, and outputs are O(log m)."
                ),
                refuted=_ids("eq-109"),
                tested=_ids("eq-109-corrected", "eq-109-any-constant"),
            ),
        ),
        Statement(
            id="guo2024:eq-110",
            label="(110)",
            title="length of a step by the fall of the root of the loss",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.6, eq. (110)",
            uses=_ids("eq-16", "eq-14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="points near antipodes at slope -1; the first display lacks the square of the gradient",
                decision="false as printed",
                why=(
                    "Two points near antipodes are nearly 2 apart, and at slope -1 have an eigenvalue that vanishes "
                    "as they come nearer. With the separation up to signs it holds at widths of the order that Theorem "
                    "3.1 asks for in it: of narrower ones too many neurons turn on the way."
                ),
                refuted=_ids("eq-110"),
                tested=_ids("eq-110-corrected", "eq-110-certified"),
            ),
        ),
        Statement(
            id="guo2024:eq-111",
            label="(111)",
            title="distance from the start by the loss there",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.6, eq. (111)",
            uses=_ids("eq-110"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="points near antipodes at slope -1",
                decision="false as printed",
                why=(
                    "Two points near antipodes are nearly 2 apart, and at slope -1 have an eigenvalue that vanishes "
                    "as they come nearer. With the separation up to signs it holds at widths of the order that Theorem "
                    "3.1 asks for in it: of narrower ones too many neurons turn on the way."
                ),
                refuted=_ids("eq-111"),
                tested=_ids("eq-111-corrected", "eq-111-certified"),
            ),
        ),
        Statement(
            id="guo2024:eq-113",
            label="(112)-(114)",
            title="mean decrease of the loss over the batches of a step",
            kind="expectation",
            theme="stochastic_convergence",
            locator="Appendix B.7, eqs. (112)-(114)",
            uses=_ids("lemma-4.1", "lemma-4.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the coefficient 1 of the squared gradient; the step size d/(b L^2 m)",
                decision="false as printed",
                why=(
                    "One sample refutes the coefficient at any step size. With a third of it the printed step "
                    "size fails where the gradients of samples nearly cancel; one of the order of the least "
                    "eigenvalue over the square of the largest does. "
                    "It fails for every constant in the step size, which knows no least eigenvalue."
                ),
                refuted=_ids("eq-113", "eq-113-third"),
                tested=_ids("eq-113-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-115",
            label="(115)",
            title="squared gradient of a batch",
            kind="probability",
            theme="stochastic_convergence",
            locator="Appendix B.7, eq. (115)",
            uses=_ids("lemma-4.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="no constant is printed",
                decision="false as printed",
                why="One sample has twice the printed bound in the mean over networks.",
                refuted=_ids("eq-115"),
                tested=_ids("eq-115-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-117",
            label="(116)-(117)",
            title="largest growth of the loss in a mini-batch step",
            kind="probability",
            theme="stochastic_convergence",
            locator="Appendix B.7, eqs. (116)-(117)",
            uses=_ids("eq-115", "lemma-4.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-118",
            label="(118)-(119)",
            title="Azuma's inequality for the logarithm of the loss",
            kind="probability",
            theme="stochastic_convergence",
            locator="Appendix B.7, eqs. (118)-(119)",
            uses=_ids("eq-117", "eq-113"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="increments are to be at most log(beta/gamma) in size, by a bound on the mean factor",
                decision="false as printed",
                why=(
                    "The mean of the logarithm lies below the logarithm of the mean, and nothing bounds the least "
                    "factor: neither side follows. The range of log L in a step does."
                ),
                refuted=_ids("eq-118"),
                tested=_ids("eq-118-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-120",
            label="(120)",
            title="fall of the logarithm of the loss after a burn-in",
            kind="probability",
            theme="stochastic_convergence",
            locator="Appendix B.7, eq. (120)",
            uses=_ids("eq-118", "claim-square-completion"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factor 1/2 of the completed square is lost",
                decision="false as printed",
                why="(x - y)^2 is at least x^2/2 for x of at least 4 y, and never x^2.",
                refuted=_ids("eq-120"),
                tested=_ids("eq-120-corrected"),
            ),
        ),
        Statement(
            id="guo2024:claim-square-completion",
            label="Before (120)",
            title="half of a square beyond its vertex",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.7, before eq. (120)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the square is printed with a plus sign, where the proof needs a minus sign",
                decision="slip of print",
                why="With a plus sign the inequality is true and of no use; with a minus sign it is true from "
                "x = 4 b/a on, as 9 b^2 >= 8 b^2 there.",
                tested=_ids("claim-square-completion-used"),
            ),
        ),
        Statement(
            id="guo2024:claim-log-bounds",
            label="Before (121)",
            title="logarithm between two rational functions",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.7, before eq. (121)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-121",
            label="(121)",
            title="number of steps after which the stochastic rate holds",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.7, eq. (121)",
            uses=_ids("eq-120", "claim-log-bounds"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.10",
            label="Lemma B.10",
            title="mini-batch descent stays in the ball of Lemma 4.2",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Appendix B.7, Lemma B.10",
            uses=_ids("eq-115", "eq-120", "eq-121"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "points near antipodes at slope -1; 1/(1 - sqrt(gamma)) upside down; the loss at the start "
                    "for its root"
                ),
                decision="false as printed",
                why=(
                    "Two points near antipodes are nearly 2 apart, and at slope -1 the distance it takes to "
                    "fit them grows without end: where as few neurons tell them apart at every width it stays, and the "
                    "ball falls. The row has the distance of the proof. The other two are slips of print. "
                    "It fails for every constant, as the points may be chosen after it."
                ),
                refuted=_ids("lemma-B.10"),
                tested=_ids("lemma-B.10-corrected"),
            ),
        ),
        Statement(
            id="guo2024:theorem-3.2-T",
            label="End of Section B.7",
            title="number of steps of stochastic descent to an accuracy",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.7, end",
            uses=_ids("theorem-3.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the fraction is printed upside down",
                decision="false as printed",
                why="log(1/gamma) is of the order of 1 - gamma, so that T is of the order of its inverse.",
                refuted=_ids("theorem-3.2-T"),
                tested=_ids("theorem-3.2-T-corrected"),
            ),
        ),
        Statement(
            id="guo2024:def-function-class",
            label="Section B.8 (function class)",
            title="coordinate function class on a ball",
            kind="definition",
            theme="generalisation",
            locator="Appendix B.8, the function class",
            coverage=ByDefinition(
                where="properties.shared.rademacher.class_values", tested="properties/shared/tests/test_rademacher.py"
            ),
        ),
        Statement(
            id="guo2024:def-rademacher",
            label="Section B.8 (Rademacher complexity)",
            title="empirical Rademacher complexity",
            kind="definition",
            theme="generalisation",
            locator="Appendix B.8, the Rademacher complexity",
            coverage=ByDefinition(
                where="properties.shared.rademacher.rademacher", tested="properties/shared/tests/test_rademacher.py"
            ),
            suspect=Suspect(
                what="the factor 1/n is missing",
                decision="slip of print",
                why="It is there in (123) to (125), and the theorem that is quoted has it.",
                tested=_ids("eq-123-125"),
            ),
        ),
        Statement(
            id="guo2024:eq-122",
            label="(122) (Mohri et al. Thm 11.3)",
            title="risk bound for the squared loss via Rademacher complexity",
            kind="probability",
            theme="generalisation",
            locator="Appendix B.8, eq. (122), Theorem 11.3 of Mohri et al.",
            uses=_ids("def-rademacher", "eq-109", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the last term has the bound on the residuals, M, where the quoted theorem has its square",
                decision="false as printed",
                why=(
                    "The loss lies in [0, M^2], and for one function its mean on a sample is off by the order of "
                    "M^2/sqrt(n), with a constant probability. With ln(m)^(1/4) for M the square is of the order of "
                    "the root of ln m, which Lemma 4.3 has room for."
                ),
                refuted=_ids("eq-122"),
                tested=_ids("eq-122-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-123-125",
            label="(123)-(126)",
            title="linearisation split of the Rademacher complexity",
            kind="deterministic",
            theme="generalisation",
            locator="Appendix B.8, eqs. (123)-(126)",
            uses=_ids("def-rademacher"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.11",
            label="Lemma B.11",
            title="linearisation error of the network output",
            kind="probability",
            theme="ntk",
            locator="Appendix B.8, Lemma B.11",
            uses=_ids("lemma-B.4", "lemma-B.3", "eq-128-131"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the error is said to have the factor (1-alpha)/sqrt(1+alpha^2) at every depth",
                decision="false as printed",
                why=(
                    "At two layers products of two steps move an output by omega^2 sqrt(m)/2 at every slope, with no "
                    "kink in their way: a deep linear network is not linear in its weights. The proof drops this part, "
                    "(130), as much smaller, with neither the factor nor sqrt(m). Near slope 1 it is all there is. "
                    "It fails for every constant, as the slope may be chosen after it."
                ),
                refuted=_ids("lemma-B.11"),
                tested=_ids("lemma-B.11-corrected", "lemma-B.11-one-layer", "lemma-B.11-products"),
            ),
        ),
        Statement(
            id="guo2024:eq-125-bound",
            label="Display after Lemma B.11",
            title="linear part of the Rademacher complexity",
            kind="expectation",
            theme="generalisation",
            locator="Appendix B.8, after Lemma B.11",
            uses=_ids("lemma-4.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="Frobenius norms of gradients go with a ball of the operator norm",
                decision="false as printed",
                why=(
                    "The supremum over a spectral ball is a nuclear norm: two neurons and two orthogonal inputs exceed "
                    "the display by sqrt(2) at slope -1, and n samples by the order of sqrt(n), so that the part does "
                    "not fall with n. On the Frobenius ball, in which training stays by (111), it is true, by Jensen. "
                    "The appendix writes the operator norm without an index; Section 4.1 so writes the Frobenius norm."
                ),
                refuted=_ids("eq-125-bound"),
                tested=_ids("eq-125-bound-corrected", "eq-125-bound-order", "eq-125-bound-spectral"),
            ),
        ),
        Statement(
            id="guo2024:eq-128-131",
            label="(128)-(131)",
            title="telescoping decomposition of the output change",
            kind="deterministic",
            theme="ntk",
            locator="Appendix B.8, eqs. (128)-(131)",
            uses=_ids("eq-133"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-132",
            label="(132)",
            title="sign-change part of the linearisation error",
            kind="probability",
            theme="ntk",
            locator="Appendix B.8, eq. (132)",
            uses=_ids("lemma-B.4", "lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factors in print multiply to L^3, not L^2",
                decision="gap in the proof",
                why=(
                    "L layers, omega^(1/3) sqrt(m L log m) and kappa omega L^(3/2) give L^3. Flips in every layer that "
                    "favour one output add up to the first power of L, well below the printed one."
                ),
                tested=_ids("eq-132"),
            ),
        ),
        Statement(
            id="guo2024:eq-133",
            label="(133)",
            title="gradient of one output coordinate",
            kind="deterministic",
            theme="ntk",
            locator="Appendix B.8, eq. (133)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-omega-small-t",
            label="Section B.9",
            title="distance from the start after few steps of gradient descent",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.9",
            uses=_ids("lemma-4.2", "lemma-B.9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the root of the loss, of order n, is put in as that of a constant",
                decision="false as printed",
                why=(
                    "sqrt(L) is of order sqrt(n), so that the distance is eta t n sqrt(m/d), and sqrt(n) larger than "
                    "printed."
                ),
                refuted=_ids("claim-omega-small-t"),
                tested=_ids("claim-omega-small-t-corrected"),
            ),
        ),
        Statement(
            id="guo2024:theorem-B.12",
            label="Theorem B.12",
            title="epoch-dependent risk bound for SGD",
            kind="probability",
            theme="generalisation",
            locator="Appendix B.10, Theorem B.12",
            uses=_ids("lemma-4.3", "lemma-B.10", "theorem-3.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the terms are those of another width, and those that grow with t lack powers of the outputs",
                decision="gap in the proof",
                why=(
                    "At the printed width n^(13 + 2 eps) the terms at the radius of Lemma 4.2 have n^(9/2 + eps), "
                    "where n^(2 + eps) is printed, the power of a width n^(8 + 2 eps); the linear one has L^(1 + eps) "
                    "d^(3/2 + eps) for L^(2 + eps) d^(1/2 + eps). The two terms that grow with t are short by "
                    "d^(4/3) phi^(4/3) b^(2/3) and d phi sqrt(b), of which a factor d is that of Lemma 4.3."
                ),
                tested=_ids("theorem-B.12-bent-term", "theorem-B.12-linear-term", "theorem-B.12-early-terms"),
            ),
        ),
        Statement(
            id="guo2024:claim-sgd-omega",
            label="After Theorem B.12",
            title="distance from the start in stochastic descent, for the risk bound",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.10, after Theorem B.12",
            uses=_ids("eq-115", "lemma-B.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the distance quoted from the lemma on stochastic descent is another one there",
                decision="false as printed",
                why=(
                    "The lemma gives f(alpha)^(-2) sqrt(d) n^2 sqrt(n)/(phi L sqrt(m b)); what is printed lacks the "
                    "slope and a factor n^(3/2)."
                ),
                refuted=_ids("claim-sgd-omega"),
                tested=_ids("claim-sgd-omega-corrected"),
            ),
        ),
        Statement(
            id="guo2024:def-function-class-F",
            label="(135)",
            title="functions realised by averaging one random layer",
            kind="definition",
            theme="generalisation",
            locator="Appendix B.11, eq. (135)",
            coverage=ByDefinition("properties.guo2024.risk.of_the_class", "properties/guo2024/tests/test_risk.py"),
            suspect=Suspect(
                what="the variance of the weights that are averaged over",
                decision="slip of print",
                why="with variance 2/m the class shrinks like 1/sqrt(m); the proof of Lemma B.17 has variance 1",
            ),
        ),
        Statement(
            id="guo2024:assumption-B.13",
            label="Assumption B.13",
            title="initial residuals are realisable by a random layer",
            kind="assumption",
            theme="generalisation",
            locator="Appendix B.11, Assumption B.13",
            uses=_ids("def-function-class-F"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="labels that are fixed before the weights are drawn",
                decision="false as printed",
                why="the class is bounded by (1 + |alpha|)/sqrt(2 pi (1 + alpha^2)), below 0.57, and the output at the"
                " start is a standard Gaussian: a residual is out of reach with a chance of more than a half;"
                " labels made from the draw are within reach",
                refuted=_ids("assumption-B.13"),
                tested=_ids("assumption-B.13-class"),
            ),
        ),
        Statement(
            id="guo2024:theorem-B.14",
            label="Theorem B.14",
            title="linear convergence of gradient descent on the special data class",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.11, Theorem B.14",
            uses=_ids("lemma-B.19", "lemma-4.1", "eq-165"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "a rate free of the separation at all steps, from a hypothesis about the residuals at the start; "
                    "the width lacks 1/f(alpha), which the proof has"
                ),
                decision="false as printed",
                why="two points at a small angle, in the limit of infinite width: the difference of their residuals"
                " falls at a rate of the order of the angle, and the loss with it, long before an arbitrary accuracy. "
                "It fails for every constant, as the angle may be chosen after it.",
                refuted=_ids("theorem-B.14"),
                tested=_ids("theorem-B.14-early", "theorem-B.14-width-exponents"),
            ),
        ),
        Statement(
            id="guo2024:theorem-B.15",
            label="Theorem B.15",
            title="risk bound on the special data class",
            kind="probability",
            theme="generalisation",
            locator="Appendix B.11, Theorem B.15",
            uses=_ids("lemma-4.3", "eq-165", "theorem-B.14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the two terms that grow with t are those of Theorem 3.4",
                decision="gap in the proof",
                why=(
                    "They are short as there, by d^(4/3) n^(2/3) and d sqrt(n): the step size and Lemma 4.3 are the "
                    "same. The two terms at the largest radius follow as printed."
                ),
                tested=_ids("theorem-3.4-early-terms", "theorem-B.15-bent-term", "theorem-B.15-linear-term"),
            ),
        ),
        Statement(
            id="guo2024:claim-B15-improvement",
            label="After Theorem B.15",
            title="what the special class improves in the risk bound",
            kind="implication",
            theme="parameter_chains",
            locator="Appendix B.11, after Theorem B.15",
            uses=_ids("theorem-3.4", "theorem-B.15"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a term said to be smaller by 1/L is larger",
                decision="false as printed",
                why=(
                    "The quotient of the first terms is sqrt(L)/phi^tau, never below 1. The improvement of the rate "
                    "is as printed; that of the linear term lacks phi^(-tau)."
                ),
                refuted=_ids("claim-B15-improvement"),
                tested=_ids("claim-B15-improvement-corrected"),
            ),
        ),
        Statement(
            id="guo2024:def-convex-loss",
            label="(136)-(137)",
            title="convex losses",
            kind="definition",
            theme="convergence",
            locator="Appendix B.12, eqs. (136), (137)",
            coverage=ByDefinition("nets.networks.losses.exponential_of_square", "nets/tests/test_losses.py"),
        ),
        Statement(
            id="guo2024:theorem-B.16",
            label="Theorem B.16",
            title="convergence of gradient descent for convex losses",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.12, Theorem B.16",
            uses=_ids("eq-142", "eq-143", "eq-144", "eq-147", "eq-148", "claim-convex-recursion"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a step size that knows nothing of the curvature of the loss",
                decision="false as printed",
                why="convexity alone is not enough: with fifty times the squared distance a step of the printed size"
                " multiplies the loss by a thousand, at any width; with the distance itself it moves the output by as"
                " much however near the target is; what a bound on the curvature gives is the growth of 1/E by a"
                " constant, without a logarithm. "
                "It fails for every choice of constants: to a shorter step belongs a larger squared distance.",
                refuted=_ids("theorem-B.16", "theorem-B.16-distance"),
                tested=_ids("theorem-B.16-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-142",
            label="(141)-(142)",
            title="gradient bounds for convex losses of the outputs",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.12, eqs. (141)-(142)",
            uses=_ids("lemma-B.6", "lemma-B.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "(142) is (10) again, with its antipodes; the remark after it equates the sum of the "
                    "squared derivatives with the loss"
                ),
                decision="false as printed",
                why=(
                    "The gradient depends on the loss by its derivatives in the outputs alone. For the "
                    "squared loss their sum of squares is 2 L, or 4 L without 1/2, which changes a constant."
                ),
                refuted=_ids("eq-142", "eq-142-remark"),
                tested=_ids("eq-142-corrected", "eq-142-upper"),
            ),
        ),
        Statement(
            id="guo2024:eq-143",
            label="(143)",
            title="semi-smoothness for convex losses",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.12, eq. (143)",
            uses=_ids("lemma-4.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="no constant of the loss enters, and convexity bounds no second derivative",
                decision="false as printed",
                why=(
                    "A sample that is fitted has no derivative, and a times the squared loss rises by a times as "
                    "much. A bound a on the second derivative repairs it; the exponential loss (137) has none. "
                    "It fails for every constant, as a may be chosen after it."
                ),
                refuted=_ids("eq-143"),
                tested=_ids("eq-143-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-144",
            label="(144)",
            title="descent for convex losses",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.12, eq. (144)",
            uses=_ids("eq-142", "eq-143"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-145",
            label="(145)",
            title="gradient lower bound from convexity",
            kind="deterministic",
            theme="convergence",
            locator="Appendix B.12, eq. (145)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-147",
            label="(146)-(147)",
            title="output distance to the minimiser",
            kind="probability",
            theme="convergence",
            locator="Appendix B.12, eqs. (146)-(147)",
            uses=_ids("lemma-B.5", "eq-145"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a distance from the start to the minimiser is taken to be bounded",
                decision="false as printed",
                why="a convex loss may be least as far away as one likes, with derivatives below 1 on the way; outputs"
                " change by the order sqrt(L) where the weights do by sqrt(outputs/m) at most. "
                "It fails for every constant, as the least loss may lie farther away than it.",
                refuted=_ids("eq-147"),
                tested=_ids("eq-147-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-148",
            label="(148)",
            title="quadratic recursion for the excess loss",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.12, eq. (148)",
            uses=_ids("eq-144", "eq-147"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-convex-recursion",
            label="End of proof of Theorem B.16",
            title="number of steps of a recursion with quadratic decrease",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.12, end of the proof of Theorem B.16",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:claim-B16-corollary",
            label="After Theorem B.16",
            title="slope that minimises the bound on the steps for convex losses",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.12, after Theorem B.16",
            uses=_ids("corollary-3.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.17",
            label="Lemma B.17",
            title="random-layer target is linear in the features",
            kind="probability",
            theme="ntk",
            locator="Appendix B.13, Lemma B.17",
            uses=_ids("def-function-class-F", "eq-150"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a union over all samples and outputs without the logarithm in the width",
                decision="gap in the proof",
                why="The coefficients that the proof makes do not do it: lambda is below 1/(2 sqrt(n d)), so that at a"
                " width of n d the exponent lambda^2 m is below 1/4, and all n d numbers are within 2 lambda with a"
                " chance near 0; they need a width of log(n d)/lambda^2. The lemma asks for some coefficients of norm"
                " 1 at most: those of least norm do at the printed width",
                tested=_ids("lemma-B.17", "lemma-B.17-corrected", "lemma-B.17-proof", "lemma-B.17-any-constant"),
            ),
        ),
        Statement(
            id="guo2024:eq-150",
            label="(150)",
            title="Hoeffding for the random-layer average",
            kind="probability",
            theme="generalisation",
            locator="Appendix B.13, eq. (150)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:lemma-B.18",
            label="Lemma B.18",
            title="gradient at the start for targets that a random layer realises",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.13, Lemma B.18",
            uses=_ids("lemma-B.17", "eq-163", "eq-82"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "a loss of order n is used, which the assumption does not give; signs, states and gates "
                    "are treated as independent"
                ),
                decision="false as printed",
                why=(
                    "Assumption B.13 admits residuals as small as one likes, so also a small multiple of the "
                    "bottom eigenvector of two close points, whose gradient falls as their distance. With the"
                    " square of the loss over n, as in (162), it holds. "
                    "It fails for every constant, as the residuals may be chosen after it."
                ),
                refuted=_ids("lemma-B.18"),
                tested=_ids("lemma-B.18-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-152",
            label="(152)",
            title="a leaky gate as a constant and a switching part",
            kind="deterministic",
            theme="activation",
            locator="Appendix B.13, eq. (152)",
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:eq-155-156",
            label="(155)-(156)",
            title="chance of a sum of fair coins away from its mean",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.13, eqs. (155)-(156)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the root of n is two standard deviations of the sum, and not one",
                decision="false as printed",
                why="The chance tends to 1 - Phi(2) = 0.0228. With sqrt(n)/2 in place of sqrt(n) it "
                "is above 0.13 for all n > 100, and the argument goes on with other constants.",
                refuted=_ids("eq-155-156"),
                tested=_ids("eq-155-156-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-160",
            label="(160)",
            title="projection of a row of the read-out from below",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.13, eq. (160)",
            uses=_ids("eq-82"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the variance 1/d of the row is lost",
                decision="false as printed",
                why=(
                    "The square of the projection is chi2_1 over d, so that it exceeds the squared norm with "
                    "a probability below exp(-d/2)."
                ),
                refuted=_ids("eq-160"),
                tested=_ids("eq-160-corrected"),
            ),
        ),
        Statement(
            id="guo2024:eq-163",
            label="(163)",
            title="loss at initialisation from below",
            kind="probability",
            theme="initialisation",
            locator="Appendix B.13, eq. (163)",
            uses=_ids("lemma-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="claimed with overwhelming probability, of which the argument by a mean says nothing",
                decision="false as printed",
                why=(
                    "With the label 0 and one output the loss is chi2_1 times a norm near 1: below a tenth with "
                    "probability 0.2482 whatever the width, and with n equal inputs below n/10 as well. With a failure "
                    "probability delta of its own the loss is at least delta^2 n/6. "
                    "It fails for every choice of constants, from some width on."
                ),
                refuted=_ids("eq-163"),
                tested=_ids("eq-163-corrected"),
            ),
        ),
        Statement(
            id="guo2024:lemma-B.19",
            label="Lemma B.19",
            title="improved gradient lower bound near initialisation",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.13, Lemma B.19",
            uses=_ids("lemma-B.18", "eq-90"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a norm that should be squared, and residuals that are looked at elsewhere",
                decision="false as printed",
                why="the norm grows like the root of width times loss, and the bound like their product; squared, the"
                " bound fails for close points, as the hypothesis is about the residuals at the centre of the ball, and"
                " others are within it. "
                "It fails for every constant, from some width on, and squared as the points may be chosen after it.",
                refuted=_ids("lemma-B.19", "lemma-B.19-squared"),
            ),
        ),
        Statement(
            id="guo2024:eq-165",
            label="(165)-(166)",
            title="drift bound on the special class",
            kind="convergence",
            theme="convergence",
            locator="Appendix B.13, eqs. (165)-(166)",
            uses=_ids("lemma-B.19", "eq-108"),
            coverage=ByClaim(),
        ),
        Statement(
            id="guo2024:synthetic-separation",
            label="Section 5.1, synthetic set",
            title="separation of a thousand Gaussian points in five dimensions, of norm 1",
            kind="experiment",
            theme="experiments",
            locator="Section 5.1, Synthetic dataset",
            coverage=ByClaim(),
            suspect=Suspect(
                what="Assumption 2.1 is said to hold for the synthetic set with the separation 0.21",
                decision="false as printed",
                why=(
                    "Of a thousand points of norm 1, which Section 2 asks for, some 180 pairs are nearer to each "
                    "other; the least distance is 0.02 to 0.09, of the order n^(-1/2). Before the points are "
                    "normalised it exceeds 0.21 in one of seven draws."
                ),
                refuted=_ids("synthetic-separation"),
                tested=_ids("synthetic-separation-corrected"),
            ),
        ),
        Statement(
            id="guo2024:figure-1-synthetic",
            label="Figure 1 (left), Table 1",
            title="least training error at slope -1 on the synthetic regression set",
            kind="experiment",
            theme="experiments",
            locator="Section 5.2, Figure 1 (left), Table 1, Synthetic",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least training error at slope -1, and 22 to 91 percent below that of ReLU",
                decision="not reproduced",
                why="without biases the network of slope -1 is even, and Gaussian points in five dimensions have"
                " others near their antipodes: on 80 unit rows -2 is ahead; a constant coordinate ends that,"
                " and -1 leaves less than 0 by the 22 percent. Of Table 1 the 91 percent are those against 1/20:"
                " 89 against ReLU. The separation 0.21 is not that of 1,000 points of norm 1 in five dimensions, which"
                " have mostly 0.03 to 0.07",
                refuted=_ids("figure-1-synthetic", "figure-1-synthetic-percentages", "figure-1-synthetic-separation"),
                tested=_ids(
                    "figure-1-synthetic-constant",
                    "figure-1-synthetic-early-test",
                    "figure-1-synthetic-percentages-corrected",
                ),
            ),
        ),
        Statement(
            id="guo2024:figure-1-fmnist",
            label="Figure 1 (middle), Table 1",
            title="least training error at slope -1 on images, by cross entropy",
            kind="experiment",
            theme="experiments",
            locator="Section 5.2, Figure 1 (middle), Table 1, F-MNIST",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least training error at slope -1, by a loss that the theory does not treat",
                decision="not reproduced",
                why="by cross entropy on images of digits of unit norm ReLU is ahead of slope -1 by a factor near 2,"
                " and by squared loss, for which the rate bound is, behind by more than that; for images of the"
                " norm that the paper gives them the order depends on the seed at these sizes",
                refuted=_ids("figure-1-fmnist"),
                tested=_ids("figure-1-fmnist-squared-loss", "figure-1-fmnist-order"),
            ),
        ),
        Statement(
            id="guo2024:figure-1-cifar",
            label="Figure 1 (right), Table 1",
            title="least training error of a convolutional network at slope -1",
            kind="experiment",
            theme="experiments",
            locator="Section 5.2, Figure 1 (right), Table 1, CIFAR-10",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least training error at slope -1, by a convolutional network and cross entropy",
                decision="not reproduced",
                why="on small images of digits, which stand in for CIFAR-10, with 16 channels in the place of 512,"
                " ReLU leaves less than half of the error of slope -1; weights are Gaussian and there are no biases",
                refuted=_ids("figure-1-cifar", "figure-1-cifar-mnist"),
                tested=_ids("figure-1-cifar-relu"),
            ),
        ),
        Statement(
            id="guo2024:figure-2",
            label="Figure 2",
            title="fall of the training error in a step against the slope, least at -1 for its factor",
            kind="experiment",
            theme="experiments",
            locator="Section 5.2, Figure 2",
            uses=_ids("eq-17"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the measured rate is best at slope -1, on the synthetic set",
                decision="not reproduced",
                why="on centred points in five dimensions, without biases, it has a dip at -1, where the network is"
                " even; on points that are not centred it has at least half of the predicted shape at each slope",
                refuted=_ids("figure-2"),
                tested=_ids("figure-2-shape", "figure-2-kernel"),
            ),
        ),
        Statement(
            id="guo2024:figure-3",
            label="Figure 3",
            title="fastest training at slope -1 on handwritten digits and on a table",
            kind="experiment",
            theme="experiments",
            locator="Appendix C.2, Figure 3",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the fastest training at slope -1 on tables",
                decision="not reproduced",
                why="on standardised tables without biases slope -1 is the slowest, being even; with a constant"
                " coordinate, as the one-hot columns of the table of houses are together, it is ahead of ReLU."
                " Without centring rows are nearly parallel, all slopes come down alike, and -1 is ahead of the"
                " others in some four seeds of ten, which is left open",
                refuted=_ids("figure-3"),
                tested=_ids("figure-3-constant", "figure-3-not-centred"),
            ),
        ),
        Statement(
            id="guo2024:figure-4",
            label="Figure 4",
            title="training of a recurrent network and of a transformer by slope",
            kind="experiment",
            theme="experiments",
            locator="Appendix C.2, Figure 4",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the fastest training at slope -1, by a transformer and cross entropy",
                decision="not reproduced",
                why="a transformer of one encoder, on small images of digits, leaves less error at 0 and at 1/20"
                " than at -1, in nearly all seeds; reviews of films come with no package, so that the"
                " recurrent network is drawn, on the same images, and not decided",
                refuted=_ids("figure-4"),
            ),
        ),
        Statement(
            id="guo2024:figure-5",
            label="Figure 5",
            title="training error falls with the width, test error with the depth",
            kind="experiment",
            theme="experiments",
            locator="Appendix C.2, Figure 5",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the test error falls with the depth up to 4",
                decision="not reproduced",
                why="on images of digits it rises from 3 to 4 layers as often as it falls; the fall of the training"
                " error with the width, at one step size, and its order against ReLU at each width hold; against 1/2"
                " and 9/10 it holds from 64 neurons on",
                refuted=_ids("figure-5"),
                tested=_ids("figure-5-width", "figure-5-order"),
            ),
        ),
        Statement(
            id="guo2024:figure-6",
            label="Figure 6",
            title="least training error at slope -1 by exponential loss",
            kind="experiment",
            theme="experiments",
            locator="Appendix C.2, Figure 6",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least squared error at slope -1 by a loss whose factor lambda is not given",
                decision="not reproduced",
                why="on centred points in five dimensions -2 is ahead of -1, where the network is even, for a"
                " lambda at which the loss is nearly quadratic; with a constant coordinate -1 is ahead of ReLU",
                refuted=_ids("figure-6"),
                tested=_ids("figure-6-constant"),
            ),
        ),
    ),
    versions=(
        Version("number of small pre-activations", "guo2024:eq-40"),
        # The points are at one distance from one another, and farther from the antipodes; the last layer is the worst.
        Version(
            "least distance of two outputs of a layer, or of what is fresh in two states",
            "guo2024:eq-34-corrected",
            renamed={"phi_pm": "phi", "l": "L"},
        ),
        Version("norm of a layer's output against that of the input", "guo2024:lemma-B.1"),
        Version(
            "response of the output to a sparse vector in a layer",
            "guo2024:lemma-B.3-response",
            renamed={"outputs": 1.0},
        ),
        Version("neurons that flip within a radius", "guo2024:lemma-B.4-flips", renamed={"omega": "tau"}),
        Version(
            "what flips change in the vector propagated back", "guo2024:lemma-B.5-exponent", theme="semi_smoothness"
        ),
        Version(
            "loss beyond first order in the weights: semi-smoothness", "guo2024:lemma-4.1", theme="semi_smoothness"
        ),
        Version(
            "gradient from below by the loss and the separation",
            "guo2024:lemma-B.7-orders",
            apart="about the least eigenvalue of a kernel, and not about the gradient at a loss",
        ),
        Version("gradient from above by the loss", "guo2024:lemma-B.6-orders", theme="gradient_upper_bound"),
        Version(
            "share of the loss that a step of gradient descent takes", "guo2024:theorem-3.1-rate", theme="convergence"
        ),
        Version(
            "what a step on a mini-batch takes of the loss, in the mean",
            "guo2024:theorem-3.2-rate",
            theme="stochastic_convergence",
        ),
        Version(
            "error of linearisation of the output in a ball, by neurons that flip",
            "guo2024:eq-132",
            apart="about the part of the error that changes of sign add, and not about all of it",
        ),
        Version(
            "Rademacher complexity of what is linear in the weights of a ball",
            "guo2024:eq-125-bound-order",
            theme="generalisation",
        ),
        Version("order of the width that gradient descent asks for", "guo2024:theorem-3.1-width-exponents"),
    ),
)
