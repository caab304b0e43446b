"""Allen-Zhu, Li and Song 2018: training recurrent ReLU networks, one matrix at every time step.

Main definition: `PAPER`, with every statement of the paper: those of the main text first, then those of the appendices.
A display inside a proof has a record of its own where it can be wrong on its own.

The horizon L is the number of time steps, the dimension of the outputs d is `outputs` here and that of the inputs d_x
is d, the separation delta of the first inputs is phi; rho is n L d log m, and
varrho is n L d log(m/eps)/delta.
"""

from functools import partial

from theory.core.statements import ByClaim, ByDefinition, Open, Paper, Statement, Suspect, Through, Version, ids

_ids = partial(ids, "allenzhu2018rnn")

_NOT_YET = Open("no claim is written yet")

PAPER = Paper(
    key="allenzhu2018rnn",
    title="On the convergence rate of training recurrent neural networks",
    authors=("Zeyuan Allen-Zhu", "Yuanzhi Li", "Zhao Song"),
    year=2018,
    url="https://arxiv.org/abs/1810.12065",
    setting=(
        "h_l = phi(g_l), g_l = W h_{l-1} + A x_l, phi the ReLU, h_0 = 0, and y_l = B h_l, at L times; m neurons, n "
        "sequences of L inputs. At the start the entries of W and A are independent N(0, 2/m), of B N(0, 1/outputs); "
        "W alone is trained. First inputs have norm 1, the last coordinate 1/sqrt(2) and distances of at least phi, "
        "later ones norm at most 1: drawn, of norm 1 (unit), zero, the first again (repeated), its negative and "
        "itself by turns (opposed), or drawn once for all sequences (alike). D_l has the gates as its diagonal, 1 "
        "where g_l >= 0; Back_{l->a} = B D_a W ... D_{l+1} W. The columns of U_l are the Gram-Schmidt frame of all "
        "states up to time l. Norms are Euclidean, of matrices operator norms unless F is said. The loss f is half "
        "of the squared errors loss_l = y_l - y*_l, summed over samples and times from 2 on; any vectors in the fake "
        "gradient. A perturbation W' of the start W~ has operator norm tau/sqrt(m); ~ marks what W~ gives, ' what W' "
        "changes. rho is n L outputs log(m), varrho n L outputs log(m/eps)/phi. The failure rate delta is ours, for "
        "the printed exp(-Omega(.)) or high probability, as are hidden constants."
    ),
    statements=(
        Statement(
            id="allenzhu2018rnn:eq-2.1",
            label="(2.1)",
            title="mixed norm of the rows of a matrix",
            kind="definition",
            theme="initialisation",
            locator="Section 2, eq. (2.1)",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:def-gs",
            label="GS",
            title="Gram-Schmidt frame of vectors, completed where they depend on one another",
            kind="definition",
            theme="norm_preservation",
            locator="Section 2, the Gram-Schmidt process GS",
            coverage=ByClaim(),
            suspect=Suspect(
                what="a first vector of 0 is divided by its norm, and more vectors than dimensions have no frame",
                decision="slip of print",
                why="The completion that is said of later vectors is meant of the first as well, and n L <= m "
                "throughout the paper.",
                tested=_ids("def-gs"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:setup-inputs",
            label="Section 2.1",
            title="inputs in the unit ball, the first on the sphere with a bias",
            kind="assumption",
            theme="initialisation",
            locator="Section 2.1, the normalisation of the inputs, and footnote 5",
            coverage=ByClaim(),
            suspect=Suspect(
                what="nothing bounds the labels",
                decision="gap in the proof",
                why="Theorems 1 and 2 start from ||B h - y*||^2 = O(rho^2 L^2), which labels of any size exceed; what "
                "is said of the inputs is enough for all statements about the network alone.",
                tested=_ids("setup-inputs"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:assumption-2.1",
            label="Assumption 2.1",
            title="least distance of two first inputs",
            kind="assumption",
            theme="separation",
            locator="Section 2.1, Assumption 2.1",
            uses=_ids("setup-inputs"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.sequences.first_inputs",
                tested="properties/allenzhu2018rnn/tests/test_sequences.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:def-rnn",
            label="Section 2.1",
            title="one ReLU matrix at all times, inputs at every time, read at every time",
            kind="definition",
            theme="initialisation",
            locator="Section 2.1, the recurrent network",
            coverage=ByDefinition(
                where="nets.networks.network.recurrent_network", tested="nets/tests/test_architectures.py"
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-2.2",
            label="Definition 2.2",
            title="gates of the neurons at every time",
            kind="definition",
            theme="activation",
            locator="Section 2.1, Definition 2.2",
            uses=_ids("def-rnn"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="h_{i,l} = D_{i,l} W h_{i,l-1} leaves out A x_{i,l}",
                decision="false as printed",
                why="At the first time W h_0 = 0, so that the states would all be 0. With A x_{i,l} it is an identity.",
                refuted=_ids("definition-2.2"),
                tested=_ids("definition-2.2-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-2.3",
            label="Definition 2.3",
            title="Gaussian weights, of variance 2/m, and one over the outputs in B",
            kind="definition",
            theme="initialisation",
            locator="Section 2.1, Definition 2.3",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:assumption-2.4",
            label="Assumption 2.4",
            title="width polynomial in all sizes, and the numbers rho and varrho",
            kind="assumption",
            theme="initialisation",
            locator="Section 2.1, Assumption 2.4, with rho and varrho",
            uses=_ids("assumption-2.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="Lemmas C.7 and C.9 write varrho for n L d log m, which is rho",
                decision="slip of print",
                why="rho is at most phi varrho for an accuracy of at most 1, so that powers of rho may be replaced by "
                "those of varrho, which is what these lemmas do.",
                tested=_ids("assumption-2.4"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:def-objective",
            label="Section 2.2",
            title="half of the squared errors, summed over samples and times from 2 on",
            kind="definition",
            theme="convergence",
            locator="Section 2.2, the objective",
            uses=_ids("def-rnn"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.descent.objective",
                tested="properties/allenzhu2018rnn/tests/test_descent.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:fact-2.5",
            label="Fact 2.5",
            title="closed form of the back-propagation gradient",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Section 2.2, Fact 2.5",
            uses=_ids("def-objective", "definition-2.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-1",
            label="Theorem 1",
            title="linear convergence of gradient descent to any accuracy",
            kind="convergence",
            theme="convergence",
            locator="Section 3, Theorem 1",
            uses=_ids("theorem-3-restated", "theorem-4-restated"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the labels may have any size, and the number of steps does not know them",
                decision="false as printed",
                why=(
                    "A step takes the share eta ||B||^2 ||h_1||^2 of the error of one sequence at two times at most, "
                    "so that a large enough label leaves any error after any number of steps. With labels bounded by "
                    "rho L the logarithm of the loss at the start adds log(n rho^2 L^3) to that of 1/eps. "
                    "It fails for every choice of constants, as the label may be chosen after them."
                ),
                refuted=_ids("theorem-1"),
                tested=_ids("theorem-1-labels"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-2",
            label="Theorem 2",
            title="linear convergence of stochastic gradient descent to any accuracy",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Section 3, Theorem 2",
            uses=_ids("theorem-3-restated", "theorem-4-restated"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="labels of any size; and the step has no factor n, the one of the appendix has n/|S|",
                decision="false as printed",
                why=(
                    "With one sequence it is Theorem 1, and a large enough label leaves any error. The factor makes "
                    "steps n times longer in the mean, which the hidden polynomials in n take up. "
                    "It fails for every choice of constants, as the label may be chosen after them."
                ),
                refuted=_ids("theorem-2"),
                tested=_ids("theorem-1-labels", "theorem-2-restated-mean"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-3",
            label="Theorem 3",
            title="Polyak-Lojasiewicz-type two-sided gradient bound near initialisation",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 3, Theorem 3",
            uses=_ids("theorem-5", "lemma-F.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-4",
            label="Theorem 4",
            title="semi-smoothness of the objective",
            kind="probability",
            theme="semi_smoothness",
            locator="Section 3, Theorem 4",
            uses=_ids("claim-G.2", "proposition-G.3"),
            coverage=Through(
                _ids("theorem-4-restated"),
                "The largest residual is at most sqrt(2 f), and the powers of rho are below poly(varrho).",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:footnote-3",
            label="Footnote 3",
            title="linear rate of SGD on convex functions with a minimiser in common",
            kind="expectation",
            theme="stochastic_convergence",
            locator="Section 1.1, footnote 3",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.1",
            label="(4.1)",
            title="norms of states are at least 1/2 and at most of the order of the time",
            kind="probability",
            theme="norm_preservation",
            locator="Section 4, eq. (4.1)",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.2",
            label="(4.2)",
            title="share of a state that is new, up to logarithms",
            kind="probability",
            theme="norm_preservation",
            locator="Section 4, eq. (4.2)",
            uses=_ids("lemma-B.6"),
            coverage=Through(_ids("lemma-B.6"), "the same display, whose logarithms and constant the lemma states"),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.3",
            label="(4.3)",
            title="what is fresh in two states stays separable",
            kind="probability",
            theme="separation",
            locator="Section 4, eq. (4.3)",
            uses=_ids("lemma-B.9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(4.3) asks for no small separation, and Lemma B.9 does",
                decision="no error",
                why="Assumption 2.4 has it. First inputs at right angles, with zero inputs after, lose half of the "
                "separability within 12 times, as what is fresh in a state shrinks like 1/l; up to 1/L they do not",
                tested=("allenzhu2018rnn:eq-4.3", "allenzhu2018rnn:lemma-B.9"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.4",
            label="(4.4)",
            title="operator norm of products that begin and end with W",
            kind="probability",
            theme="sparse_spectral",
            locator="Section 4, eq. (4.4)",
            uses=_ids("lemma-B.11"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the text gives the norms 2 of W and sqrt(2) of D W",
                decision="slip of print",
                why="entries of variance 2/m make them 2 sqrt(2) and 1 + sqrt(2) in the limit; nothing that is shown "
                "uses the numbers",
                tested=("allenzhu2018rnn:eq-4.4", "allenzhu2018rnn:eq-4.4-W", "allenzhu2018rnn:eq-4.4-DW"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.5",
            label="(4.5)",
            title="order of products of layers between sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Section 4, eq. (4.5)",
            uses=_ids("corollary-B.15"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-4.6",
            label="(4.6)",
            title="order of the backward matrices on sparse vectors",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Section 4, eq. (4.6)",
            uses=_ids("corollary-B.18"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:remark-4.1",
            label="Remark 4.1",
            title="conjecture: products of layers have norms of order 1",
            kind="asymptotic",
            theme="sparse_spectral",
            locator="Section 4, Remark 4.1",
            uses=_ids("lemma-B.11"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="whether a bound of order 1 may hold",
                decision="false as printed",
                why="the squared singular values of L masked factors have the limit law of L Gaussian factors, with "
                "one W as with fresh ones, since non-crossing pairings join W with the W^T of the same time "
                "alone; its end is above 2 e L. "
                "It fails for every constant, as that end grows with L.",
                refuted=("allenzhu2018rnn:remark-4.1",),
                tested=(
                    "allenzhu2018rnn:remark-4.1-limit",
                    "allenzhu2018rnn:lemma-B.11-sharp",
                    "allenzhu2018rnn:lemma-B.11-below",
                ),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-5.1",
            label="(5.1)",
            title="orders of the changes in the forward pass under every small perturbation",
            kind="probability",
            theme="forward_stability",
            locator="Section 5, eq. (5.1)",
            uses=_ids("lemma-C.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-5.2-5.3",
            label="(5.2), (5.3)",
            title="orders of the changes of products and backward rows under every small perturbation",
            kind="probability",
            theme="forward_stability",
            locator="Section 5, eqs. (5.2), (5.3)",
            uses=_ids("lemma-C.7", "lemma-C.9"),
            coverage=Through(
                _ids("lemma-C.7", "lemma-C.9"),
                "(5.2) by the triangle inequality from Lemma C.7, with and without W'; (5.3) from Lemma C.9, "
                "whose exponent of the width is measured in lemma-C.9-flips",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-5.4-5.5",
            label="(5.4), (5.5)",
            title="order of what a rank-one perturbation changes, forward and backward",
            kind="probability",
            theme="forward_stability",
            locator="Section 5, eqs. (5.4), (5.5)",
            uses=_ids("lemma-C.10", "lemma-C.11"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:sketch-5-logic",
            label="Section 5",
            title="from changes small in norm to few turned gates and back",
            kind="probability",
            theme="forward_stability",
            locator="Section 5, steps (1) and (2) of the argument",
            uses=_ids("claim-C.4", "claim-C.5"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-6.2",
            label="(6.2)",
            title="share of neurons at which the backward sum is small",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 6.1, eq. (6.2)",
            uses=_ids("lemma-D.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="Lemma D.7 has 1/(6 sqrt(d) n L) in place of 1/rho, which is larger where sqrt(d) log m < 6",
                decision="no error",
                why=(
                    "The share of neurons below 1/rho is at most 1/(n L sqrt(d) log m), which tends to 0 as the width "
                    "grows; the lemma is not needed for a share of 1 - o(1)."
                ),
                tested=_ids("eq-6.2"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-6.3",
            label="(6.3)",
            title="neurons near one kink and away from all others",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 6.1, eq. (6.3)",
            uses=_ids("lemma-D.2"),
            coverage=Through(
                ids=_ids("lemma-D.2"), why="Lemma D.2 is the same statement, with the share beta_-/(64 L) written out"
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-6.4-6.8",
            label="(6.4) to (6.8)",
            title="thought experiment: per-coordinate fake-gradient lower bound and its bounded differences",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Sections 6.2 and 6.3, eqs. (6.4) to (6.8)",
            uses=_ids("lemma-E.6", "lemma-E.8", "lemma-A.19"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(6.8) and the display after it have no factor delta, and theta is scaled by 1/sqrt(m) here alone",
                decision="false as printed",
                why=(
                    "Two sequences at distance phi with opposite losses leave a gradient of order phi and less, below "
                    "any polynomial in rho. With the separation, as in Theorem 5, it stands. "
                    "It fails for every constant, as the separation may be chosen after it."
                ),
                refuted=_ids("eq-6.4-6.8"),
                tested=_ids("eq-6.4-6.8-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:proposition-6.1",
            label="Proposition 6.1",
            title="Gaussian as one of the same law and a small rest, correlated with it",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Section 6.3, Proposition 6.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:eq-7.1-7.2",
            label="(7.1), (7.2)",
            title="change of the hidden states through corrected gates, and the remainder of the objective",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Section 7, eqs. (7.1), (7.2)",
            uses=_ids("claim-G.2", "proposition-G.3", "fact-2.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(7.2) and (G.3) have f(W) and its gradient at W where those at W^v are meant",
                decision="slip of print",
                why="W is W^v + W', so that the printed left side would be - <grad f(W), W'>; a control takes it.",
                tested=_ids("eq-7.1-7.2"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:params",
            label="Section 8",
            title="thresholds, scale and number of neurons of the proofs",
            kind="definition",
            theme="parameter_chains",
            locator="Section 8, the list of parameters",
            uses=_ids("definition-D.1", "definition-E.3"),
            coverage=Through(
                ids=_ids("definition-E.3", "eq-E.12-E.13"),
                why="the list repeats the numbers of Definitions D.1 and E.3 and of (E.13), which those claims put in",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:fact-A.1",
            label="Fact A.1",
            title="an event of two variables splits into two likely events",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A.1, Fact A.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:fact-A.2",
            label="Fact A.2",
            title="conditional mean of a function that is often large",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A.1, Fact A.2",
            coverage=ByClaim(),
            suspect=Suspect(
                what="nothing says that f is nonnegative",
                decision="false as printed",
                why=(
                    "For f = 1 or -1 as a fair coin falls, and a = 1, the chance is 1/2 and the mean 0, below 1/4. "
                    "What is not large has to be at least 0; then the chance of a large value is at most that of the "
                    "rows above the level, plus half of itself."
                ),
                refuted=_ids("fact-A.2"),
                tested=_ids("fact-A.2-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.3",
            label="Lemma A.3",
            title="tails of a chi-square variable on a common exponent",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.2, Lemma A.3",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.4",
            label="Lemma A.4",
            title="relative deviation of a chi-square variable",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.2, Lemma A.4",
            uses=_ids("lemma-A.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof writes sqrt(8b) for sqrt(8) b",
                decision="slip of print",
                why=(
                    "With sqrt(8) b the two terms are 2/(2.83 b) + 2/(8 b^2), at most 0.96/b for b >= 1. The "
                    "statement is judged by the exact law."
                ),
                tested=_ids("lemma-A.4"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.5",
            label="Lemma A.5",
            title="sum of truncated squared Gaussians",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.2, Lemma A.5",
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the proof integrates (x - g)^2 over one side for x^2 - g^2 over both, and calls y_i sub-Gaussian"
                ),
                decision="gap in the proof",
                why=(
                    "The mean is 15 times what the integral gives for 100 variables, and still at most 1/sqrt(m). A "
                    "truncated square is sub-exponential, not sub-Gaussian. Chernoff's bound at 1/4 gives the "
                    "statement with the constant 3/20 for every m."
                ),
                tested=_ids("lemma-A.5", "lemma-A.5-mean"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.6",
            label="Lemma A.6",
            title="norm of rectified Gaussians, upper tail",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.3, Lemma A.6",
            uses=_ids("lemma-A.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the proof ends with 2 exp(-eps^2 n/96), counts degrees of freedom at most, and writes X for its "
                    "root"
                ),
                decision="gap in the proof",
                why=(
                    "By the exact law one tail is at most exp(-eps^2 n/4) at all sizes tried, so that the printed "
                    "exponent holds without the factor 2."
                ),
                tested=_ids("lemma-A.6", "lemma-A.8-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.7",
            label="Lemma A.7",
            title="norm of rectified Gaussians, lower tail",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.3, Lemma A.7",
            uses=_ids("lemma-A.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.8",
            label="Lemma A.8",
            title="norm of rectified Gaussians, both tails",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.3, Lemma A.8",
            uses=_ids("lemma-A.6", "lemma-A.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="phi is defined as max(a, 0)^2",
                decision="false as printed",
                why=(
                    "With the square the norm has the unit sigma^2, and heavier tails: for one variable, sigma = 1 "
                    "and eps = 60 the chance is 2.5e-11 for 4.6e-16 at most. With max(a, 0) the statement holds."
                ),
                refuted=_ids("lemma-A.8"),
                tested=_ids("lemma-A.8-corrected", "lemma-A.8-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-A.9",
            label="Corollary A.9",
            title="norm of one Gaussian ReLU layer at a fixed vector",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.3, Corollary A.9",
            uses=_ids("lemma-A.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof once writes exp(-eps m/100)",
                decision="slip of print",
                why="The square of eps is meant, as before and after; it is what is tested.",
                tested=_ids("corollary-A.9", "corollary-A.9-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-A.10",
            label="Corollary A.10",
            title="norm of a Gaussian ReLU layer at fixed blocks",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.3, Corollary A.10",
            uses=_ids("corollary-A.9"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:fact-A.11",
            label="Fact A.11",
            title="law of a Gaussian behind a gate of another direction",
            kind="probability",
            theme="activation",
            locator="Appendix A.3, Fact A.11",
            coverage=ByClaim(),
            suspect=Suspect(
                what="nothing says that h + q is not 0",
                decision="false as printed",
                why=(
                    "For q = -h the gate asks whether 0 is at least 0, and is open in every row, so that the degrees "
                    "of freedom are m and not binomial. For every other q the size of <W_i, h> is independent of the "
                    "gate."
                ),
                refuted=_ids("fact-A.11"),
                tested=_ids("fact-A.11-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:fact-A.12",
            label="Fact A.12",
            title="chance that a Gaussian is within one deviation, linear bounds",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A.4, Fact A.12",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the upper end is stated for a Gaussian of any mean",
                decision="false as printed",
                why=(
                    "At mu = t = sigma = 1 the chance is 0.5227, and the printed upper end 1/3. For mu = 0 both ends "
                    "hold, and the lower one for every mean, as the chance is least at mu = 0; the paper uses no "
                    "more."
                ),
                refuted=_ids("fact-A.12"),
                tested=_ids("fact-A.12-corrected", "fact-A.12-lower"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.13",
            label="Lemma A.13",
            title="central percentiles of a vector of Gaussians",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.4, Lemma A.13",
            uses=_ids("fact-A.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof bounds each sign alone, and the union over both is left out",
                decision="false as printed",
                why=(
                    "For odd m and alpha < 1/m each sign would need more than half of the coordinates, so that the "
                    "chance of failure is 1; for m = 1 it is at every alpha. With a factor 2 the statement holds."
                ),
                refuted=_ids("lemma-A.13"),
                tested=_ids("lemma-A.13-corrected", "lemma-A.13-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-A.14",
            label="Definition A.14",
            title="good vectors: nearly half of the coordinates large with either sign",
            kind="definition",
            theme="norm_preservation",
            locator="Appendix A.4, Definition A.14",
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.percentiles.lack",
                tested="properties/allenzhu2018rnn/tests/test_percentiles.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-A.15",
            label="Corollary A.15",
            title="Gaussian vectors are good",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.4, Corollary A.15",
            uses=_ids("lemma-A.13"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the union over both signs is left out, as in Lemma A.13",
                decision="false as printed",
                why=(
                    "A vector of one coordinate is never good, and one of odd length m is not for alpha < 1/m. With a"
                    " factor 2 the statement holds."
                ),
                refuted=_ids("corollary-A.15"),
                tested=_ids("corollary-A.15-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-A.16",
            label="Corollary A.16",
            title="images of fixed blocks under Gaussian matrices are good",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A.4, Corollary A.16",
            uses=_ids("corollary-A.15"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the union over both signs is left out, as in Lemma A.13",
                decision="false as printed",
                why="The image of one row is never good. With a factor 2 the statement holds.",
                refuted=_ids("corollary-A.16"),
                tested=_ids("corollary-A.16-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.17",
            label="Lemma A.17",
            title="images of a sphere as a sparse vector and one of small coordinates",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix A.5, Lemma A.17",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least sparsity is called d, which is not the number of columns n",
                decision="slip of print",
                why=(
                    "The union over a net of the sphere needs the number of columns. For a smaller "
                    "sparsity the statement fails: with 5000 rows and columns and s = 1 a single row is too long."
                ),
                tested=_ids("lemma-A.17", "lemma-A.17-sharp", "lemma-A.17-drawn"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.18",
            label="Lemma A.18",
            title="tails of a function with bounded differences",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.6, Lemma A.18",
            coverage=ByClaim(),
            suspect=Suspect(
                what="both inequalities are turned round, and the second exponent is positive",
                decision="false as printed",
                why=(
                    "For one fair coin and t = 1 the chance is 0, where the first line asks for exp(-2) and the "
                    "second for exp(2) at least. With both chances at most exp(-2 t^2/sum c_i^2) it is McDiarmid's "
                    "inequality."
                ),
                refuted=_ids("lemma-A.18"),
                tested=_ids("lemma-A.18-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-A.19",
            label="Lemma A.19",
            title="tail of a function with bounded differences off exceptional points",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.6, Lemma A.19",
            uses=_ids("fact-A.1", "martingale-A.19"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof quotes a martingale tail that is false, and drops constants",
                decision="gap in the proof",
                why=(
                    "Of two points that differ in w_k the second is atypical with a chance known before w_k, so "
                    "that all increments are bounded on both sides until that chance exceeds sqrt(p). This gives the "
                    "statement with the constant 1/16, and 1 for N^2."
                ),
                tested=_ids("lemma-A.19", "lemma-A.19-sharp", "martingale-A.19-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:martingale-A.19",
            label="martingale in the proof of Lemma A.19",
            title="lower tail of a martingale with increments bounded from below",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A.6, proof of Lemma A.19, the martingale concentration with a one-sided bound",
            coverage=ByClaim(),
            suspect=Suspect(
                what="increments that are bounded from below alone have no Gaussian lower tail",
                decision="false as printed",
                why=(
                    "One increment, -1 with chance 3/4 and 3 with 1/4, is -1 with chance 3/4, for exp(-1) at most as "
                    "printed, and exp(-1/2) with the factor that increments bounded on both sides have."
                ),
                refuted=_ids("martingale-A.19"),
                tested=_ids("martingale-A.19-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-B.1",
            label="Definition B.1",
            title="frame of the states of all samples up to a time",
            kind="definition",
            theme="norm_preservation",
            locator="Appendix B, Definition B.1",
            uses=_ids("def-gs"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:definition-B.2",
            label="Definition B.2",
            title="direction of what a state adds to the frame before it",
            kind="definition",
            theme="norm_preservation",
            locator="Appendix B, Definition B.2",
            uses=_ids("definition-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:footnote-13",
            label="Footnotes 13, 17",
            title="W on a frame chosen from its answers, and A, are independent Gaussians",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix B, footnotes 13 and 17",
            uses=_ids("definition-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.3",
            label="Lemma B.3",
            title="norms of states along time",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, Lemma B.3",
            uses=_ids("corollary-A.10", "claim-B.4", "claim-B.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the lower bound has one factor 1 - 1/(4L) too few",
                decision="false as printed",
                why="At l = 0 it says ||h_{i,1}|| >= 1, whose square has mean 1 and variance 5/m. The base case of "
                "the proof has 1 - 1/(4L), and its end (1 - 1/(4L))^l for ||h_{i,l}||.",
                refuted=_ids("lemma-B.3"),
                tested=_ids("lemma-B.3-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-B.3",
            label="Appendix B.1",
            title="sum of a geometric recursion over at most L steps",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.1, end of the proof of Lemma B.3",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:claim-B.4",
            label="Claim B.4",
            title="one step multiplies norms by at most 1 + 1/L, input included",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, Claim B.4",
            uses=_ids("corollary-A.10", "footnote-13"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:claim-B.5",
            label="Claim B.5",
            title="one step takes at most the share 1/(4L) of a norm",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, Claim B.5",
            uses=_ids("corollary-A.10", "footnote-13"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.6",
            label="Lemma B.6",
            title="what a state adds to the span of all states before its time",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2, Lemma B.6",
            uses=_ids("lemma-B.3", "lemma-B.7", "corollary-A.16"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="Lemma B.7 is used with a share alpha below what it admits",
                decision="gap in the proof",
                why="alpha = 1/(2 10^4 L^2 log(m)^2) is below 1/(100 L^4) for all horizons below sqrt(200) log m, "
                "some 14 log m; the statement itself was tested",
                tested=_ids("lemma-B.6", "scalar-B.6-floor"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-B.6",
            label="Appendix B.2",
            title="constants of the induction on what is fresh",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, the constants of the induction",
            uses=_ids("lemma-B.6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.7",
            label="Lemma B.7",
            title="ReLU of a good vector and noise, off the span of few vectors",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.2.1, Lemma B.7",
            uses=_ids("lemma-A.5", "definition-A.14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof arrives at alpha^(3/2)/2, where the statement has alpha^(3/2)/4; it takes ||U^T v|| "
                "for its square, and a chi-square variable of few degrees for its mean",
                decision="gap in the proof",
                why="U takes d of the (1 - alpha) m/2 directions of v, so that what is left has the law of r times a "
                "chi variable of nearly as many degrees: by far enough for the statement. The induction of Lemma B.6 "
                "has room for alpha^(3/2)/2 as well.",
                tested=_ids("lemma-B.7", "scalar-B.6"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-B.8",
            label="Definition B.8",
            title="separable vectors",
            kind="definition",
            theme="separation",
            locator="Appendix B.3, Definition B.8",
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.separability.separability",
                tested="properties/allenzhu2018rnn/tests/test_separability.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:separability-of-inputs",
            label="Appendix B.3",
            title="unit vectors at a distance, with a bias, are separable",
            kind="deterministic",
            theme="separation",
            locator="Appendix B.3, after Lemma B.9",
            uses=_ids("assumption-2.1", "definition-B.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="O(delta)-separable",
                decision="slip of print",
                why="Lemma B.9 needs a bound from below: Omega(delta), with the constant sqrt(3)/2, since distance t "
                "leaves t sqrt(1 - t^2/4)",
                tested=("allenzhu2018rnn:separability-of-inputs",),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.9",
            label="Lemma B.9",
            title="separability of what is fresh at all times",
            kind="probability",
            theme="separation",
            locator="Appendix B.3, Lemma B.9",
            uses=_ids("lemma-B.7", "claim-B.10", "corollary-A.16"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="Lemma B.7 is used with a share alpha below what it admits",
                decision="gap in the proof",
                why="alpha = 16 delta log m is below 1/(100 L^4) for all horizons up to 25 log m; the statement "
                "itself was tested",
                tested=("allenzhu2018rnn:lemma-B.9", "allenzhu2018rnn:scalar-B.9-floor"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-B.10",
            label="Claim B.10",
            title="one step keeps the separability of what is fresh",
            kind="probability",
            theme="separation",
            locator="Appendix B.3, Claim B.10",
            uses=_ids("lemma-B.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factor 1 - 3 alpha, where (B.10) and the proof have 1 - 2 alpha - 1/(4 L)",
                decision="false as printed",
                why="the squared factor of a step is (2/m) chi-square with Binomial(m, 1/2) degrees of freedom, less "
                "what is taken off: it is below 1 about every second time, while 3 alpha is far below its spread. "
                "It fails for every choice of constants, as this is so at any width.",
                refuted=("allenzhu2018rnn:claim-B.10",),
                tested=("allenzhu2018rnn:claim-B.10-corrected",),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-B.9",
            label="Appendix B.3",
            title="the constants of the induction on separability",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.3, the constants of the induction",
            uses=_ids("lemma-B.9"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.11",
            label="Lemma B.11",
            title="operator norm of products of layers",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.4, Lemma B.11",
            uses=_ids("claim-B.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="l_1 = 0 is admitted, where D_0 is not defined",
                decision="slip of print",
                why="the products begin at time 1 at the earliest",
                tested=("allenzhu2018rnn:lemma-B.11",),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-B.12",
            label="Claim B.12",
            title="a fixed vector along products of layers",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.4, Claim B.12",
            uses=_ids("claim-B.13", "footnote-13"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:claim-B.13",
            label="Claim B.13",
            title="norm of a gated Gaussian image",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.4.1, Claim B.13",
            uses=_ids("fact-A.11"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="x = 0 and y = 0 are admitted, where every gate is open",
                decision="false as printed",
                why="then the norm is sqrt(2) ||z|| in the limit, above 1 + 1/(2 L) from L = 2 on; with an input, or "
                "y not zero, each gate is a fair coin beside the size of (M z)_k. "
                "It fails for every constant in the width, as wider layers come nearer to that limit.",
                refuted=("allenzhu2018rnn:claim-B.13",),
                tested=("allenzhu2018rnn:claim-B.13-corrected", "allenzhu2018rnn:claim-B.13-law"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.14",
            label="Lemma B.14",
            title="products of layers between two sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.5, Lemma B.14",
            uses=_ids("claim-B.12", "lemma-A.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-B.15",
            label="Corollary B.15",
            title="products of layers between two sparse vectors, up to all vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.5, Corollary B.15",
            uses=_ids("lemma-B.14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="s may be as large as m^(1/6), where all vectors are meant; t >= 2 of Lemma B.14 is not assured",
                decision="false as printed",
                why=(
                    "Lemma B.14 leaves a chance of failure of e^(-Omega(m/L^2)) at least, so that the one printed asks "
                    "for s of order m^(1/6)/(L log m) at most. At s = m^(1/6) a single weight of size sqrt(log m) is "
                    "enough to fail, with a chance of about m^(-m/4), not exp(-c m log(m)^2). That t is at least 2 at "
                    "s = m^(-1/4) asks for m^(1/12) log m >= 10 sqrt(nL), which is a polynomial width."
                ),
                refuted=_ids("corollary-B.15"),
                tested=_ids("corollary-B.15-corrected", "eq-4.5"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-B.16",
            label="Corollary B.16",
            title="entries of products of layers",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.5, Corollary B.16",
            uses=_ids("lemma-B.14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="with the printed t the chance of failure of Lemma B.14 is exp(-Omega(n^2 L^2 d log m))",
                decision="slip of print",
                why=(
                    "t = sqrt(nL) d log(m)/5 gives the bound rho/sqrt(m) and n L t^2 = rho^2/25, hence "
                    "exp(-Omega(rho^2)); with the printed one the bound is smaller than stated and the "
                    "chance of failure larger."
                ),
                tested=_ids("corollary-B.16", "corollary-B.16-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-B.17",
            label="Lemma B.17",
            title="response of one combination of the outputs to sparse vectors",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix B.6, Lemma B.17",
            uses=_ids("claim-B.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof gives 3t where the lemma says t, and counts combinations though one is fixed",
                decision="no error",
                why="t is free up to constants that the chance of failure hides; the larger net adds e^(O(d)).",
                tested=_ids("lemma-B.17"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-B.18",
            label="Corollary B.18",
            title="response of all outputs to sparse vectors, up to all vectors",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix B.6, Corollary B.18",
            uses=_ids("lemma-B.17"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="s may be as large as m^(1/6), where all vectors are meant",
                decision="false as printed",
                why=(
                    "As for Corollary B.15 the chance of failure is e^(-Omega(m/L^2)) at least in Lemma B.17. At "
                    "s = m^(1/6) one large weight of B and one of W are enough to fail, with a chance of about "
                    "m^(-0.71 m), not exp(-c m log(m)^2). With s of order m^(1/6)/(L log m) at most it is true."
                ),
                refuted=_ids("corollary-B.18"),
                tested=_ids("corollary-B.18-corrected", "eq-4.6"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:corollary-B.19",
            label="Corollary B.19",
            title="columns of the backward matrices",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix B.6, Corollary B.19",
            uses=_ids("lemma-B.17"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:definition-C.1",
            label="Definition C.1",
            title="what a perturbation of the recurrent matrix changes",
            kind="definition",
            theme="forward_stability",
            locator="Appendix C, Definition C.1",
            uses=_ids("definition-2.2"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.perturbation.RecurrentShift",
                tested="properties/allenzhu2018rnn/tests/test_perturbation.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-C.2-C.3",
            label="(C.2), (C.3)",
            title="change of the pre-activations, one time back and unrolled",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix C.1, eqs. (C.2), (C.3)",
            uses=_ids("definition-C.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(C.3) calls the whole sum g'_l,1 as well as g'_l",
                decision="slip of print",
                why="g'_l,1 is one of the two parts into which the proof then splits the sum; the sum itself is right.",
                tested=_ids("eq-C.2-C.3"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-C.2",
            label="Lemma C.2",
            title="stability of the forward pass in a ball of the operator norm",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.1, Lemma C.2",
            uses=_ids("lemma-B.11", "claim-C.3", "claim-C.4", "claim-C.6", "lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(a) is O(L^6 tau_0)/sqrt(m), and its proof ends with tau_3, which has a logarithm of the width",
                decision="gap in the proof",
                why=(
                    "tau_3 = tau_1 + 4 L tau_5 log m is of order L^6 tau_0 log m. The logarithm comes from the entries "
                    "of what turned gates pass; in norm it is at most 9 tau_5/sqrt(m) each, as products keep norms of "
                    "sparse vectors (Claim B.12), and so (a) holds as printed."
                ),
                tested=_ids("lemma-C.2", "lemma-C.2-drift", "lemma-C.2-chain", "lemma-C.2-chain-sparse"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-C.3",
            label="Claim C.3",
            title="what the perturbation itself adds at one time",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.1.1, Claim C.3",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:claim-C.4",
            label="Claim C.4",
            title="gates turned by a change in two parts, and what passes them",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.1.1, Claim C.4",
            uses=_ids("definition-A.14", "corollary-A.16"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the second part of the change may have any size; the proof takes its entries to be at most xi",
                decision="false as printed",
                why=(
                    "A second part above all entries turns every gate, whatever the first is. In Lemma C.2 tau_2 is "
                    "12 L tau_1 log m, which is below m xi at large widths; with that as a premise the claim is true. "
                    "The step 5/4 of its second case needs no threshold: an entry that turns beyond 2 xi ends at "
                    "|g'_1j| at most, and the norm is then at most 2 tau_1/sqrt(m)."
                ),
                refuted=_ids("claim-C.4"),
                tested=_ids("claim-C.4-corrected", "claim-C.4-good", "claim-C.4-mass", "claim-C.4-mass-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-C.5",
            label="Claim C.5",
            title="what products of masked layers make of sparse vectors, in two parts",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.1.1, Claim C.5",
            uses=_ids("claim-B.12", "lemma-A.17"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:claim-C.6",
            label="Claim C.6",
            title="what products of masked layers make of what passes turned gates, in two parts",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.1.1, Claim C.6",
            uses=_ids("claim-C.4", "claim-C.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the second part of the change may have any size, as in Claim C.4; the product goes from l to b, "
                "and the vector behind it is of the time l - 1",
                decision="false as printed",
                why=(
                    "A gate that a large second part turns passes an entry of its size, of which neither bound has "
                    "anything; with the threshold of the proof of Claim C.4 for a premise the claim is true. (C.5) in "
                    "the proof of Lemma C.2 says which product is meant: it starts at the time of the flips."
                ),
                refuted=_ids("claim-C.6"),
                tested=_ids("claim-C.6-corrected", "claim-C.6-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-C.7",
            label="Lemma C.7",
            title="norms of products of layers after a small perturbation",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.2, Lemma C.7",
            uses=_ids("lemma-C.2", "claim-C.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="varrho is n L d log m here and has the separation and the accuracy in Lemma C.2",
                decision="slip of print",
                why="It bounds the range of radii alone, and both are polynomials of the sizes.",
                tested=_ids("lemma-C.7"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-C.8",
            label="Claim C.8",
            title="norms of products of layers with few gates changed at will",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.2, Claim C.8",
            uses=_ids("lemma-B.11", "corollary-B.15"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the binomial coefficients are of l2 - l1, and a product has l2 - l1 + 1 factors",
                decision="slip of print",
                why="One factor more changes constants alone; the sum over the sets of gates is of scalar-binomial.",
                tested=_ids("claim-C.8"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-C.9",
            label="Lemma C.9",
            title="change of rows that go backward, by gates and by the perturbation",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.3, Lemma C.9",
            uses=_ids("lemma-C.2", "corollary-B.15", "corollary-B.18", "lemma-B.11", "lemma-C.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the sums leave out the term in which the gates of all times change, and four statements are five",
                decision="slip of print",
                why=(
                    "For l1 = l2 the printed sum is empty and the left side is not: it has to run to l2 - l1 + 1, "
                    "which changes constants alone."
                ),
                tested=_ids("lemma-C.9", "lemma-C.9-flips", "lemma-C.9-direct"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-C.10",
            label="Lemma C.10",
            title="entries that a rank-one perturbation with few rows changes forward",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.4, Lemma C.10",
            uses=_ids("lemma-C.2", "corollary-B.15", "corollary-B.16", "lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the third term has tau_0^(1/2) where Lemma C.2(c) has tau_0, and the first is said to dominate",
                decision="gap in the proof",
                why=(
                    "With Lemma C.2(c) the third term is of order tau_0^(4/3), more than the tau_0^(5/6) printed once "
                    "tau_0 > 1, and it dominates at large widths. No attack comes near it: what y passes on through "
                    "one layer is of order N tau_0 sqrt(log m)/m, in m far below m^(-2/3), which is all that is used."
                ),
                tested=_ids("lemma-C.10", "lemma-C.10-sharp", "lemma-C.10-third"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-C.11",
            label="Lemma C.11",
            title="columns of the backward matrices that a rank-one perturbation changes",
            kind="probability",
            theme="forward_stability",
            locator="Appendix C.4, Lemma C.11",
            uses=_ids("lemma-C.2", "lemma-B.11", "corollary-B.15", "corollary-B.18", "corollary-B.19", "lemma-C.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "in (a) the factor L^3 of ||C e_k|| is lost in the next line, and a^T B v is said to be of order "
                    "||v|| with chance 1 - exp(-Omega(m)); footnote 19 loses a factor rho"
                ),
                decision="gap in the proof",
                why=(
                    "Without B the terms add up to L^(17/3) log m, no order of rho^3 for n = d = 1; rho^6 holds. With "
                    "few outputs a^T B v is Gaussian given v, and one factor rho gives the chance exp(-Omega(rho^2)). "
                    "The exponents of the width are those printed, and attacks that do not look at B stay below them."
                ),
                tested=_ids("lemma-C.11", "lemma-C.11-weights", "lemma-C.11-order"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-D.1",
            label="Definition D.1",
            title="thresholds near and far from the kink",
            kind="definition",
            theme="gradient_lower_bound",
            locator="Appendix D.1, Definition D.1",
            coverage=Through(
                ids=_ids("definition-E.3", "eq-E.12-E.13"),
                why="two numbers, which those claims put in; the lemmas of Appendix D are tested at any thresholds",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-D.2",
            label="Lemma D.2",
            title="neurons of a set near one kink and away from all others",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix D.1, Lemma D.2",
            uses=_ids("lemma-D.3", "lemma-D.4", "lemma-D.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the exponents of Lemmas D.4 and D.5 give less than the printed one; l* = L has no time l* + 1",
                decision="gap in the proof",
                why="A neuron is near another kink with probability 1/4 at most, whatever is known, so that the "
                "exponents of both lemmas are of the order of the set, without n and L. Kinks are those of times up to "
                "L.",
                tested=_ids("lemma-D.2", "lemma-D.4-chance"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-D.3",
            label="Lemma D.3",
            title="number of neurons of a set near one kink",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix D.1, Lemma D.3",
            uses=_ids("fact-A.12", "lemma-B.3", "footnote-13"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="no least size of the set is asked for, which the net over the states of the proof needs",
                decision="gap in the proof",
                why="For a fixed state the exact binomial law gives the statement for sets of every size. The net "
                "takes |N_1| beta_- of order n L^2 log, which Lemma D.2 asks for nearly.",
                tested=_ids("lemma-D.3", "lemma-D.3-chance"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-D.4",
            label="Lemma D.4",
            title="other sequences away from their kinks at the same time",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix D.1, Lemma D.4",
            uses=_ids("lemma-B.9", "fact-A.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the threshold is printed beta_-, where Lemma D.2 needs beta_+; W U U is W U U^T",
                decision="slip of print",
                why="The proof allows every threshold up to phi/(5 n), beta_+ = phi/rho^2 included, and the larger "
                "one implies the smaller.",
                tested=_ids("lemma-D.4", "lemma-D.4-chance"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-D.5",
            label="Lemma D.5",
            title="all sequences away from their kinks at later times",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix D.1, Lemma D.5",
            uses=_ids("lemma-B.6", "fact-A.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the threshold is printed beta_-, where Lemma D.2 needs beta_+; Lemma B.6 says nothing of delta/2",
                decision="slip of print",
                why="The leftover of Lemma B.6 is far above delta/2, and the proof allows every threshold up to its "
                "order over n L.",
                tested=_ids("lemma-D.5", "lemma-D.4-chance"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-D.6",
            label="Definition D.6",
            title="backward matrices",
            kind="definition",
            theme="gradient_lower_bound",
            locator="Appendix D.2, Definition D.6",
            uses=_ids("definition-2.2"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.fake_gradient.backward_matrix",
                tested="properties/allenzhu2018rnn/tests/test_fake_gradient.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-D.7",
            label="Lemma D.7",
            title="number of neurons at which the backward sum is small",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix D.2, Lemma D.7",
            uses=_ids("corollary-B.16", "fact-A.12", "lemma-A.18"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the root may cover d or d n L; Step 1 finds a chance of 1/(4 n L), the last step turns a "
                    "mean into a share, and an index is transposed"
                ),
                decision="gap in the proof",
                why=(
                    "With the root over d n L the lemma is false from n L = 15 on, where 0.133/sqrt(n L) exceeds "
                    "1/(2 n L); the end of the proof has 6 n L sqrt(d). From the variance 1/(2 d) Step 1 gives "
                    "0.377/(n L), and 0.266/(n L) even from 1/d, both above 1/(4 n L); a mean of h of 1 - 1/(2 n L) "
                    "gives a share of 1 - 1/(n L) alone. Directly the chance is at most 0.19/(n L), below 1/(2 n L)."
                ),
                tested=_ids("lemma-D.7", "lemma-D.7-last-time"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-E.1",
            label="Definition E.1",
            title="fake gradient",
            kind="definition",
            theme="gradient_lower_bound",
            locator="Appendix E, Definition E.1",
            uses=_ids("definition-D.6"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.fake_gradient.fake_gradient",
                tested="properties/allenzhu2018rnn/tests/test_fake_gradient.py",
            ),
            suspect=Suspect(
                what="Appendix E.2.1 starts the sum u_{i,l} at time l, beside h_{i,l} and the gate of time l + 1",
                decision="slip of print",
                why=(
                    "That shifts Back by one time, which changes the gradient altogether, and asks for a gate of time "
                    "L + 1. The kink of the largest loss is at its own time l*, with the state of time l* - 1 below it."
                ),
                tested=_ids("fact-2.5", "fact-2.5-recursive"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.2",
            label="Lemma E.2",
            title="fake-gradient upper bounds",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix E, Lemma E.2",
            uses=_ids("lemma-B.11", "lemma-B.3", "corollary-B.19"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-5",
            label="Theorem 5",
            title="fake-gradient lower bound at random initialisation",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 6 and Appendix E.4, Theorem 5",
            uses=_ids("lemma-E.4", "lemma-E.5", "lemma-E.7", "lemma-E.10", "lemma-A.19"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the last displays of the proof sum over N where all neurons are meant",
                decision="slip of print",
                why="The sets N are added up before; the statement itself was tested for all losses at once.",
                tested=_ids("theorem-5", "theorem-5-linear", "theorem-5-orders"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-E.3",
            label="Definition E.3",
            title="scale theta of the randomness drawn again",
            kind="definition",
            theme="parameter_chains",
            locator="Appendix E.1, Definition E.3",
            uses=_ids("definition-D.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.4",
            label="Lemma E.4",
            title="W as one of the same law and a rank-one part along a fresh direction",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix E.1, Lemma E.4",
            uses=_ids("proposition-6.1", "fact-A.12", "footnote-13"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof says that an entry of theta g_2 exceeds theta/sqrt(m) with probability 1/4 at least",
                decision="gap in the proof",
                why="The entries of g_2 have variance 2/m: the probability is Q(1/sqrt(2)) = 0.23975. Part (c) asks "
                "for u_k >= theta/(2 sqrt(m)), which has at least 0.2936.",
                tested=_ids("lemma-E.4", "lemma-E.4-proof", "lemma-E.4-size", "lemma-E.4-law"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.5",
            label="Lemma E.5",
            title="W drawn again along a fresh direction in one neuron or a set of neurons",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix E.1, Lemma E.5",
            uses=_ids("lemma-E.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the second bullet gives the law of W_0 where W_1 was defined",
                decision="slip of print",
                why="W_0 is W_1 for a single neuron. Both have the law of W for neurons fixed beforehand.",
                tested=_ids("lemma-E.5", "lemma-E.5-sum"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.6",
            label="Lemma E.6",
            title="many coordinates with large expected fake gradient",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix E.2, Lemma E.6",
            uses=_ids(
                "lemma-D.2",
                "lemma-D.7",
                "lemma-C.11",
                "corollary-B.19",
                "lemma-B.3",
                "lemma-C.2",
                "lemma-C.10",
                "lemma-B.6",
                "lemma-E.4",
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the largest loss is written as an argmin, bars of a count are missing, and l* is off by one",
                decision="slip of print",
                why=(
                    "The proof takes the largest loss. The gate that its backward vector belongs to is that of its own "
                    "time, above the state of the time before."
                ),
                tested=_ids("lemma-E.6", "lemma-E.6-kink"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-E.6",
            label="Appendix E.2",
            title="mean length with a random gate",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix E.2, the inequality on two gates in the proof of Lemma E.6",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.7",
            label="Lemma E.7",
            title="sum over a set of neurons of expected squared gradients, from below",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix E.2.2, Lemma E.7",
            uses=_ids("lemma-E.6", "fact-A.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="rho^2 stands for n^2 L^3 d, and Fact A.2 is named for A.1",
                decision="gap in the proof",
                why=(
                    "That asks for L <= d log^2 m, and rho^3 always suffices. On crowds of sequences no more than the "
                    "fourth root of n is lost, and no power of L."
                ),
                tested=_ids("lemma-E.7", "lemma-E.7-linear", "lemma-E.7-order"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.8",
            label="Lemma E.8",
            title="gradient stability under one-coordinate perturbation",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix E.3, Lemma E.8",
            uses=_ids("claim-E.9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the largest loss is written as an argmin, and its norm 1 is left out",
                decision="slip of print",
                why="As at Lemma E.6; the statement was tested with losses of norm 1.",
                tested=_ids("lemma-E.8-orders"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-E.9",
            label="Claim E.9",
            title="per-coordinate gradient stability",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix E.3.1, Claim E.9",
            uses=_ids("lemma-C.2", "lemma-C.11", "corollary-B.19", "lemma-B.3", "lemma-E.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="rho^6 stands for n^2 rho^2 L^6",
                decision="gap in the proof",
                why=(
                    "That is less where L <= n d^2 log^2 m, and rho^8 always suffices. Measured changes need no more "
                    "than L^4, so that the statement stands."
                ),
                tested=_ids("claim-E.9", "claim-E.9-neurons", "claim-E.9-flips", "claim-E.9-order"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-E.10",
            label="Lemma E.10",
            title="bounded differences of the summed squared gradients of a set of neurons",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix E.3.2, Lemma E.10",
            uses=_ids("lemma-E.8", "fact-A.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="two sources of randomness have one name, and a net is taken for a discontinuous function",
                decision="gap in the proof",
                why=(
                    "The first bullet means the part outside N. Gates jump at finitely many sizes of the step, so that "
                    "these and the pieces between them replace the net."
                ),
                tested=_ids("lemma-E.10-sharp"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-E.12-E.13",
            label="(E.12), (E.13)",
            title="number of neurons whose rows are drawn again",
            kind="deterministic",
            theme="parameter_chains",
            locator="Appendix E.4, eqs. (E.12), (E.13)",
            uses=_ids("lemma-A.19"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:lemma-F.1",
            label="Lemma F.1",
            title="fake-gradient bounds after any small perturbation",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix F, Lemma F.1",
            uses=_ids("lemma-E.2", "theorem-5", "lemma-C.2", "lemma-C.9", "corollary-B.18", "lemma-B.11", "lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the states are taken to move by tau^(1/2), for tau; the four terms of higher order are left out",
                decision="gap in the proof",
                why=(
                    "The sum (F.1) takes n L^9 log m for at most rho^8, so L <= n^7 d^8 log^7 m. The orders "
                    "1/3 of (F.1) are right and attained, and the lemma needs a width of order tau^2/phi^3 at least."
                ),
                tested=_ids("lemma-F.1-change", "lemma-F.1-linear", "lemma-F.1-radius", "lemma-F.1-width"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-F",
            label="Appendix F",
            title="squares of sums and differences",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix F, the squared triangle inequalities",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-3-restated",
            label="Theorem 3 (restated)",
            title="gradient lower/upper bound near initialisation",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix F, Theorem 3 (restated)",
            uses=_ids("lemma-F.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the radius is a power of rho, and of varrho in Lemma F.1 and in the main text",
                decision="slip of print",
                why=(
                    "Radii are tested by their number, tau. The largest loss and f differ by a factor between 1/2 and "
                    "n L/2; where the chance is over W, that of the start is meant."
                ),
                tested=_ids("theorem-3", "theorem-3-restated"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:definition-G.1",
            label="Definition G.1",
            title="networks at the start, at current weights and after a step",
            kind="definition",
            theme="semi_smoothness",
            locator="Appendix G, Definition G.1",
            uses=_ids("definition-2.2"),
            coverage=ByDefinition(
                where="properties.allenzhu2018rnn.gate_corrections.ThreeNetworks",
                tested="properties/allenzhu2018rnn/tests/test_gate_corrections.py",
            ),
        ),
        Statement(
            id="allenzhu2018rnn:claim-G.2",
            label="Claim G.2",
            title="exact recursion for the change of the hidden states, with few corrected gates",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix G, Claim G.2",
            uses=_ids("proposition-G.3", "lemma-C.7", "lemma-C.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:proposition-G.3",
            label="Proposition G.3",
            title="difference of two ReLU vectors through the gates of one and a correction",
            kind="deterministic",
            theme="activation",
            locator="Appendix G.1, Proposition G.3",
            coverage=ByClaim(),
            suspect=Suspect(
                what="where a < 0 <= b the display has 0 (a - b) - b/(b - a) (a - b), which is b and not -b",
                decision="slip of print",
                why="The correction b/(b - a) that is defined there gives -b; a control takes the sign of the display.",
                tested=_ids("proposition-G.3"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-4-restated",
            label="Theorem 4 (restated)",
            title="semi-smoothness of the objective with powers of rho, radius and width",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix G, Theorem 4 (restated)",
            uses=_ids("claim-G.2", "corollary-B.18", "corollary-B.15", "lemma-C.7", "lemma-B.3", "lemma-C.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factors L^18 n m and rho^11 do not come out of the sums over times",
                decision="gap in the proof",
                why=(
                    "(G.4) is about one time, so that the squares sum to L^19 n m; (G.5) is about one pair of times, "
                    "so that the terms with kinks sum to n L^(38/3), which rho^13 bounds."
                ),
                tested=_ids("theorem-4-restated-quadratic-order", "theorem-4-restated-kink-order"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-1-restated",
            label="Theorem 1 (restated)",
            title="gradient descent with the step, the range of steps and the width in powers of rho",
            kind="convergence",
            theme="convergence",
            locator="Appendix H, Theorem 1 (restated)",
            uses=_ids("theorem-3-restated", "theorem-4-restated", "lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="at eps = 1 the range of T is [0, 0], and f(W^(0)) is claimed to be at most 1",
                decision="false as printed",
                why=(
                    "One sequence with the label -2 has f of at least 2 in half of the cases, at any width. The proof "
                    "asks for log(n rho^2 L^3/eps), and for bounded labels. Besides, the path of length "
                    "eta T rho^8.5 sqrt(m) is not within varrho^50/sqrt(m) at the upper end of the range: the orders "
                    "give d^51.5 against d^50, and varrho^51.5 holds it at the price of a larger width. "
                    "It fails for every choice of constants, as at eps = 1 the range of steps is [0, 0]."
                ),
                refuted=_ids("theorem-1-restated"),
                tested=_ids(
                    "theorem-1-restated-corrected",
                    "theorem-1-restated-certified",
                    "theorem-1-restated-wide",
                    "theorem-1-restated-rate",
                    "theorem-1-restated-separation",
                    "theorem-1-restated-kernel",
                    "theorem-1-restated-horizon",
                    "theorem-1-restated-movement",
                    "theorem-1-restated-radius",
                ),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:init-loss",
            label="Appendix H",
            title="loss at the start against rho, the samples and the horizon",
            kind="probability",
            theme="convergence",
            locator="Appendix H, the first step of the proof of Theorem 1",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="no bound on the labels is stated",
                decision="false as printed",
                why="A label far below 0 gives any loss in half of the cases. With labels of norm rho L it is true. "
                "It fails for every constant, as the label may be chosen after it.",
                refuted=_ids("init-loss"),
                tested=_ids("init-loss-corrected"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:theorem-2-restated",
            label="Theorem 2 (restated)",
            title="stochastic descent on mini-batches with step, range of steps and width in powers of rho",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Appendix I, Theorem 2 (restated)",
            uses=_ids("theorem-3-restated", "theorem-4-restated"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "at eps = 1 the range of T is [0, 0]; the sum over the batch has the gradient of f, not of f_i; "
                    "the step delta/(rho^12 m), the number of steps rho^57/delta^2 and the radius rho^50 do not fit"
                ),
                decision="false as printed",
                why=(
                    "As for Theorem 1, the start has f above 1 in half of the cases, at any width. The mean loss falls "
                    "for steps up to delta/(rho^44 m), which takes rho^59/delta^2 steps; the path carries varrho^28, "
                    "which no power of rho bounds as delta tends to 0. One-sided differences are not enough for the "
                    "inequality of Azuma that follows. "
                    "It fails for every choice of constants, as at eps = 1 no step is due."
                ),
                refuted=_ids("theorem-2-restated"),
                tested=_ids(
                    "theorem-2-restated-certified",
                    "theorem-2-restated-mean",
                    "theorem-2-restated-corrected",
                    "theorem-2-restated-step",
                    "theorem-2-restated-iterations",
                ),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:eq-I.2-I.3",
            label="(I.2), (I.3)",
            title="fall of the mean of f over the batches in a step, and growth for the worst batch",
            kind="expectation",
            theme="stochastic_convergence",
            locator="Appendix I, eqs. (I.2), (I.3)",
            uses=_ids("theorem-3-restated", "theorem-4-restated"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the squared gradient of a batch is bounded by n^2/|S|^2 times the sum of the squares; the last "
                    "line has eta delta/(rho^15 m) for eta delta m/rho^15"
                ),
                decision="gap in the proof",
                why=(
                    "Equal samples add up: Cauchy-Schwarz gives n^2/|S|, and the bound O(rho^12 m) that follows "
                    "stands. The rate is a slip of print."
                ),
                tested=_ids("eq-I.2-I.3-batch", "eq-I.2-I.3-growth"),
            ),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-I",
            label="Appendix I",
            title="fluctuation less drift",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix I, completing the square",
            coverage=ByClaim(),
        ),
        Statement(
            id="allenzhu2018rnn:scalar-binomial",
            label="Appendices C and G",
            title="sum over sets of gates",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendices C.2 to C.4 and G, the sums over sets of gates",
            coverage=ByClaim(),
        ),
    ),
    versions=(
        Version(
            "least distance of two outputs of a layer, or of what is fresh in two states",
            "allenzhu2018rnn:lemma-B.9",
            apart="about what is fresh in two states, and not about outputs of layers",
        ),
        Version(
            "norm of a layer's output against that of the input",
            "allenzhu2018rnn:corollary-A.9-sharp",
            apart="about one layer, and not about all layers up to a depth",
        ),
        Version("operator norm of products of gated layers", "allenzhu2018rnn:lemma-B.11"),
        Version("response of the output to a sparse vector in a layer", "allenzhu2018rnn:eq-4.6"),
        Version(
            "neurons that flip within a radius",
            "allenzhu2018rnn:eq-5.1",
            apart="in a radius that is the norm times the root of the width",
        ),
        Version(
            "what flips change in the vector propagated back",
            "allenzhu2018rnn:lemma-C.9-flips",
            apart="in a radius that is the norm times the root of the width",
        ),
        Version("loss beyond first order in the weights: semi-smoothness", "allenzhu2018rnn:theorem-4-restated"),
        Version(
            "gradient from below by the loss and the separation",
            "allenzhu2018rnn:theorem-5-orders",
            apart="about the squared gradient, and not about its share for each neuron",
        ),
        Version("gradient from above by the loss", "allenzhu2018rnn:lemma-E.2-sharp"),
        Version("share of the loss that a step of gradient descent takes", "allenzhu2018rnn:theorem-1-restated-rate"),
        Version("what a step on a mini-batch takes of the loss, in the mean", "allenzhu2018rnn:eq-I.2-I.3"),
        Version(
            "size of the correction of the gates between two rectified vectors", "allenzhu2018rnn:proposition-G.3-range"
        ),
        Version("order of the width that gradient descent asks for", "allenzhu2018rnn:theorem-1-restated-width"),
    ),
)
