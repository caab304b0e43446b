"""Zou, Cao, Zhou and Gu 2018: gradient descent and its stochastic form on wide deep ReLU networks.

Main definition: `PAPER`, with every statement of the paper: those of the main text first, then the
inequalities it quotes, then those of the appendices. A display inside a proof has a record of its own where
it can be wrong on its own. One record, `zou2018:fact-self-bounding`, is not printed in the paper: it decides
which cases of the theorems are empty.
"""

from functools import partial

from theory.core.statements import ByClaim, ByDefinition, Paper, Statement, Suspect, Through, Version, ids

_ids = partial(ids, "zou2018")

PAPER = Paper(
    key="zou2018",
    title="Stochastic Gradient Descent Optimizes Over-parameterized Deep ReLU Networks",
    authors=("Difan Zou", "Yuan Cao", "Dongruo Zhou", "Quanquan Gu"),
    year=2018,
    url="https://arxiv.org/abs/1811.08888",
    setting=(
        "f(x) = v^T relu(W_L^T ... relu(W_1^T x)); W_l is m_{l-1} x m_l, m_0 = d, a column per neuron. m is the least "
        "width or the one named, M the largest. At the start the entries of W_l are independent N(0, 2/m_l); v is "
        "fixed, half 1, half -1. Inputs are n unit vectors, the nearest two phi apart (phi_pm with antipodes), labels "
        "1 or -1. x_l is the output of layer l, Sigma_l the diagonal of its open gates. Norms are Euclidean, of "
        "matrices operator norms (F: Frobenius); tau limits that of each layer's step, to weights W~. L_S is the mean "
        "of ell(y f(x)) over samples, L0 at the start; by Assumptions 3.2-3.4 |ell'| is at most rho, at least alpha0 "
        "left of the knee x_0 and alpha1 ell^p (p <= 1) beyond, ell' lam-Lipschitz; ell'_i is that of sample i, "
        "S1abs the sum of |ell'_i|. Descent moves all layers by eta times the gradient of L_S, stochastic descent by "
        "that of B samples drawn without replacement, for K steps or to the loss eps; curvature is felt at eta = n/lam "
        "over the initial tangent kernel's norm. From Theorem 5.3 on print assumes Theorem 5.1, blocks their premises "
        "alone. Constants open in print (C.., c.., kappa) are ours; delta is a chance of failure over the weights."
    ),
    statements=(
        Statement(
            id="zou2018:def-3.1",
            label="(3.1)",
            title="matrix product with later factors on the left",
            kind="definition",
            theme="forward_stability",
            locator="Section 3.1, eq. (3.1)",
            coverage=ByDefinition(
                where="nets.networks.operators.masked_product", tested="nets/tests/test_operators.py"
            ),
        ),
        Statement(
            id="zou2018:def-network",
            label="Section 3.2 (network)",
            title="deep ReLU network with a fixed balanced sign output",
            kind="definition",
            theme="initialisation",
            locator="Section 3.2, display before eq. (3.2)",
            coverage=ByDefinition(where="nets.networks.forward.forward", tested="nets/tests/test_forward.py"),
        ),
        Statement(
            id="zou2018:def-erm",
            label="(3.2)",
            title="empirical risk of a margin loss",
            kind="definition",
            theme="convergence",
            locator="Section 3.2, eq. (3.2)",
            uses=_ids("def-network"),
            coverage=ByDefinition(where="nets.networks.losses.empirical_risk", tested="nets/tests/test_losses.py"),
        ),
        Statement(
            id="zou2018:assumption-3.1",
            label="Assumption 3.1",
            title="non-increasing loss that vanishes at large margins",
            kind="assumption",
            theme="convergence",
            locator="Section 3.2, Assumption 3.1",
            coverage=ByDefinition(
                where="nets.networks.losses.Loss.value_and_derivative", tested="nets/tests/test_losses.py"
            ),
            suspect=Suspect(
                what=(
                    "the limit of the derivative is printed at minus infinity, where Assumption 3.2 keeps it away "
                    "from zero; plus infinity is meant"
                ),
                decision="slip of print",
                why=(
                    "Assumption 3.2 bounds the size of the derivative from below left of its threshold, so it cannot "
                    "vanish at minus infinity; every loss of the suite has the limit at plus infinity."
                ),
            ),
        ),
        Statement(
            id="zou2018:assumption-3.2",
            label="Assumption 3.2",
            title="derivative of the loss bounded below by a power of the loss",
            kind="assumption",
            theme="convergence",
            locator="Section 3.2, Assumption 3.2",
            coverage=ByDefinition(
                where="nets.networks.losses.LossConstants.alpha_1", tested="nets/tests/test_losses.py"
            ),
            suspect=Suspect(
                what=(
                    "exponents below 1/2 contradict smoothness and a threshold at minus infinity contradicts the "
                    "Lipschitz bound, so several cases of the theorems are empty"
                ),
                decision="gap in the proof",
                why=(
                    "The self-bounding inequality forces p >= 1/2 and the Lipschitz bound a finite threshold; the "
                    "theorems are tested on losses that exist, and their other cases are empty."
                ),
                tested=_ids("fact-self-bounding"),
            ),
        ),
        Statement(
            id="zou2018:fact-self-bounding",
            label="derived from Assumptions 3.1, 3.4",
            title="self-bounding derivative of a smooth non-negative loss",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="not printed; follows from Assumptions 3.1 and 3.4 of Section 3.2",
            uses=_ids("assumption-3.1", "assumption-3.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:assumption-3.3",
            label="Assumption 3.3",
            title="Lipschitz loss",
            kind="assumption",
            theme="convergence",
            locator="Section 3.2, Assumption 3.3",
            coverage=ByDefinition(where="nets.networks.losses.LossConstants.rho", tested="nets/tests/test_losses.py"),
        ),
        Statement(
            id="zou2018:assumption-3.4",
            label="Assumption 3.4",
            title="smooth loss",
            kind="assumption",
            theme="smoothness",
            locator="Section 3.2, Assumption 3.4",
            coverage=ByDefinition(where="nets.networks.losses.LossConstants.lam", tested="nets/tests/test_losses.py"),
        ),
        Statement(
            id="zou2018:assumption-3.5",
            label="Assumption 3.5",
            title="inputs on the unit sphere",
            kind="assumption",
            theme="separation",
            locator="Section 3.2, Assumption 3.5",
            coverage=ByDefinition(where="nets.data.distances.normalise_rows", tested="nets/tests/test_distances.py"),
        ),
        Statement(
            id="zou2018:assumption-3.6",
            label="Assumption 3.6",
            title="pairwise separation of the inputs",
            kind="assumption",
            theme="separation",
            locator="Section 3.2, Assumption 3.6",
            coverage=ByDefinition(where="nets.data.distances.separation", tested="nets/tests/test_distances.py"),
            suspect=Suspect(
                what=(
                    "too weak for one hidden layer, where antipodal inputs satisfy it and break the gradient lower "
                    "bound"
                ),
                decision="gap in the proof",
                why=(
                    "As an assumption it is satisfiable; what it is used for fails at one hidden layer, which the "
                    "rows of Theorem 4.1 and Lemma A.11 show."
                ),
                tested=_ids("lemma-A.11-corrected"),
            ),
        ),
        Statement(
            id="zou2018:assumption-3.7",
            label="Assumption 3.7",
            title="hidden widths within a factor two of each other",
            kind="assumption",
            theme="initialisation",
            locator="Section 3.2, Assumption 3.7",
            uses=_ids("def-network"),
            coverage=ByDefinition(where="bounds.papers.zou2018.assumption_3_7", tested="bounds/tests/test_zou2018.py"),
            suspect=Suspect(
                what=(
                    "leaves the input dimension free, while Theorem 5.1(i) needs it to be at most about 2.17 times "
                    "the first width"
                ),
                decision="gap in the proof",
                why=(
                    "As an assumption on hidden widths it can be met, and is a premise wherever widths differ. What it "
                    "is used for, Theorem 5.1(i), needs it for the input as well: with that, widths that halve from "
                    "layer to layer keep the norm of a layer near sqrt(2) + 2, below 7/2."
                ),
                tested=_ids("theorem-5.1-i-corrected"),
            ),
        ),
        Statement(
            id="zou2018:def-gaussian-init",
            label="Gaussian initialization",
            title="Gaussian weights of variance two over the output width",
            kind="definition",
            theme="initialisation",
            locator="Section 3.3, paragraph on Gaussian initialisation",
            uses=_ids("def-network"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:def-gd",
            label="Gradient descent",
            title="full-batch gradient step on all layers at once",
            kind="definition",
            theme="convergence",
            locator="Section 3.3, paragraph on gradient descent",
            uses=_ids("def-erm", "def-gaussian-init"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:def-sgd",
            label="Stochastic gradient descent",
            title="mini-batch gradient step on all layers at once",
            kind="definition",
            theme="stochastic_convergence",
            locator="Section 3.3, paragraph on stochastic gradient descent",
            uses=_ids("def-erm", "def-gaussian-init"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-layer-output",
            label="Section 3.4, output after layer l",
            title="forward pass as a masked linear map",
            kind="deterministic",
            theme="forward_stability",
            locator="Section 3.4, first and second items",
            uses=_ids("def-3.1", "def-network"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-gradient",
            label="Section 3.4, gradient",
            title="closed form of the layer gradients",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Section 3.4, third item",
            uses=_ids("def-3.1", "def-erm", "fact-layer-output"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-4.1",
            label="Theorem 4.1",
            title="width and iterations for gradient descent to reach a given loss",
            kind="convergence",
            theme="convergence",
            locator="Section 4, Theorem 4.1; proof with explicit exponents in Section 5.1",
            uses=_ids("lemma-5.5", "lemma-5.6", "theorem-5.1", "theorem-5.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "fails for one hidden layer on antipodal data whatever the width, and no admissible loss has an "
                    "exponent below 1/2"
                ),
                decision="false as printed",
                why=(
                    "With one hidden layer the gated features of an alternating hexagon cancel for every weight, so "
                    "gradient descent never lowers the loss below that of the zero function, whatever the width. No "
                    "smaller data set will do: for margins that, weighted by some c >= 0, sum to zero whatever the "
                    "weights, the kink of a neuron must cancel between a point and its antipode, with the other label "
                    "and the same c; what is left is sum_k c_k y_k x_k = 0 over one point of each pair, which takes "
                    "three lines, hence n = 6, in d = 2. From L = 2 on hidden outputs are non-negative and have no "
                    "antipodes. In the corrected form the c0 of (C.7) is that of the path: by the least eigenvalue of "
                    "the gated Gram matrices along it, and the least share of the decrease that the gradients "
                    "promise. For L = 1 no separation makes that eigenvalue positive. In the conditional form c0 is "
                    "that of Lemma B.5 in the whole region around the start, found before the first step, and "
                    "radius, step size and time are those of the proof for this c0. At widths that can be run they "
                    "let the loss fall by less than 10^(-25) of its value, which ball arithmetic follows; a fall to "
                    "eps begins at 10^120 neurons. In the certified form radius and step size are those for which "
                    "the errors of the region itself, from its norms and the neurons that can flip in it, take half "
                    "of its gradient: radii of 10^(-4) to 0.07, and losses that fall by up to 8 percent. "
                    "It fails for every choice of constants, as the loss does not fall there."
                ),
                refuted=_ids("theorem-4.1"),
                tested=_ids("theorem-4.1-corrected", "theorem-4.1-conditional", "theorem-4.1-certified"),
            ),
        ),
        Statement(
            id="zou2018:remark-4.2",
            label="Remark 4.2",
            title="range of the accuracy exponent of the width under gradient descent",
            kind="asymptotic",
            theme="convergence",
            locator="Section 4, Remark 4.2",
            uses=_ids("theorem-4.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:remark-4.3",
            label="Remark 4.3",
            title="gradient descent on losses that are Lipschitz only along its path",
            kind="convergence",
            theme="convergence",
            locator="Section 4, Remark 4.3",
            uses=_ids("theorem-4.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:corollary-4.4",
            label="Corollary 4.4",
            title="zero training error by gradient descent",
            kind="convergence",
            theme="convergence",
            locator="Section 4, Corollary 4.4; proof in Section 5.1",
            uses=_ids("theorem-4.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "a mean loss of exactly the threshold allows a zero margin; and it fails for one hidden layer with "
                    "Theorem 4.1"
                ),
                decision="false as printed",
                why=(
                    "With one hidden layer the margins of every network sum to zero on the alternating hexagon, so "
                    "they are never all positive. The step of the proof fails at equality, at one sample with margin "
                    "0 for every loss, at two for a loss that vanishes from 1 on; below the threshold it holds for "
                    "every non-increasing loss, and the orders stay as they are. The proof calls the loss strictly "
                    "decreasing. Assumption 3.2 makes it so where it is positive, which is no help to one sample, and "
                    "a loss may vanish; for two samples or more one that is positive everywhere does."
                ),
                refuted=_ids("corollary-4.4", "corollary-4.4-threshold"),
                tested=_ids("corollary-4.4-corrected", "corollary-4.4-width-exponents"),
            ),
        ),
        Statement(
            id="zou2018:theorem-4.5",
            label="Theorem 4.5",
            title="width and iterations for stochastic gradient descent to reach a given loss",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Section 4, Theorem 4.5; proof with explicit exponents in Section 5.2",
            uses=_ids("lemma-5.7", "lemma-5.8", "theorem-5.1", "theorem-5.3"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "says high probability where Lemma 5.8 gives a constant one, and fails on antipodal data as "
                    "Theorem 4.1 does; its step size lacks the batch size, and the width in its proof has exp(-O(L)) "
                    "where the loss has a knee"
                ),
                decision="false as printed",
                why=(
                    "With one hidden layer no weights bring the logistic loss on the alternating hexagon below that of "
                    "the zero function, so no iterate does, for any batches. Elsewhere the conclusion stands with the "
                    "constant probability that Markov's inequality leaves. The rest are slips: the proof takes K from "
                    "K eta and the step size of Lemma 5.8, of order B/n times that of Theorem 4.1, without which K "
                    "would not have its factor 1/B; and K eta <= T, solved for the width, has 4^(2L) and the radius "
                    "to the power -2 on the right, hence exp(+O(L)) in all cases, as the theorem itself has it. "
                    "It fails for every choice of constants, as the loss does not fall there."
                ),
                refuted=_ids("theorem-4.5"),
                tested=_ids("theorem-4.5-corrected"),
            ),
        ),
        Statement(
            id="zou2018:remark-4.6",
            label="Remark 4.6",
            title="price of mini-batches in width and iterations",
            kind="asymptotic",
            theme="convergence",
            locator="Section 4, Remark 4.6",
            uses=_ids("theorem-4.1", "theorem-4.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the stated iteration counts differ by at most one power of the inverse accuracy, not two",
                decision="false as printed",
                why=(
                    "The price in steps is n/B times the smaller of the power -2p of n times the accuracy and, from p "
                    "= 1/2 on, the inverse accuracy; the square of the inverse accuracy is the price in width."
                ),
                refuted=_ids("remark-4.6"),
                tested=_ids("remark-4.6-corrected"),
            ),
        ),
        Statement(
            id="zou2018:corollary-4.7",
            label="Corollary 4.7",
            title="zero training error by stochastic gradient descent",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Section 4, Corollary 4.7; proof in Section 5.2",
            uses=_ids("theorem-4.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "same threshold step as Corollary 4.4, which equality breaks, and the same failure for one hidden "
                    "layer"
                ),
                decision="false as printed",
                why=(
                    "On the alternating hexagon the margins of every iterate of a network with one hidden layer sum to "
                    "zero, so one of them is not positive. An accuracy below the threshold mends the step of the proof "
                    "and leaves the orders as they are. "
                    "It fails for every choice of constants."
                ),
                refuted=_ids("corollary-4.7"),
                tested=_ids("corollary-4.7-corrected", "corollary-4.7-width-exponents"),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.1",
            label="Theorem 5.1",
            title="seven simultaneous properties of Gaussian weights",
            kind="probability",
            theme="initialisation",
            locator="Section 5, Theorem 5.1 with condition (5.1)",
            uses=_ids(
                "fact-vershynin-5.35",
                "lemma-A.1",
                "corollary-A.2",
                "lemma-A.4",
                "corollary-A.5",
                "lemma-A.6",
                "lemma-A.7",
                "lemma-A.8",
                "lemma-A.9",
                "lemma-A.10",
                "theorem-5.1-i",
                "theorem-5.1-ii",
                "theorem-5.1-iii",
                "theorem-5.1-iv",
                "theorem-5.1-v",
                "theorem-5.1-vi",
                "theorem-5.1-vii",
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "constants that must be small are called large, the input dimension is free, and part (vii) "
                    "fails for some data at one hidden layer"
                ),
                decision="false as printed",
                why=(
                    "Its first part fails for inputs of more than 2.17 times the first width, its last for one hidden "
                    "layer with antipodes. With such inputs excluded, parts (i) to (vi) hold in the same network; part "
                    "(vii) has its own row. The constants of phi <= C/L and of (vii) are meant to be small. "
                    "It fails for every choice of constants, as none of them bounds the input dimension."
                ),
                refuted=_ids("theorem-5.1", "theorem-5.1-i", "theorem-5.1-vii"),
                tested=_ids("theorem-5.1-corrected"),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.1-i",
            label="Theorem 5.1(i)",
            title="layer norms and weight norms at initialisation",
            kind="probability",
            theme="norm_preservation",
            locator="Section 5, Theorem 5.1(i)",
            uses=_ids("fact-vershynin-5.35", "corollary-A.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="at the first layer it needs an input dimension of at most about 2.17 times the width",
                decision="false as printed",
                why=(
                    "At an input dimension of four times the first width the norm of the first layer tends to 3 sqrt "
                    "2, above 7/2. "
                    "It fails for every choice of constants, as none of them bounds the input dimension."
                ),
                refuted=_ids("theorem-5.1-i"),
                tested=_ids("theorem-5.1-i-corrected"),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.1-ii",
            label="Theorem 5.1(ii)",
            title="layer outputs keep half of the separation",
            kind="probability",
            theme="separation",
            locator="Section 5, Theorem 5.1(ii)",
            uses=_ids("lemma-A.4", "corollary-A.5", "corollary-A.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.1-iii",
            label="Theorem 5.1(iii)",
            title="bounded network output at initialisation",
            kind="probability",
            theme="initialisation",
            locator="Section 5, Theorem 5.1(iii)",
            uses=_ids("lemma-A.6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.1-iv",
            label="Theorem 5.1(iv)",
            title="number of small pre-activations",
            kind="probability",
            theme="initialisation",
            locator="Section 5, Theorem 5.1(iv)",
            uses=_ids("lemma-A.7"),
            coverage=Through(
                _ids("lemma-A.7"), "the same bound under stronger premises, with a share of the failure probability"
            ),
        ),
        Statement(
            id="zou2018:theorem-5.1-v",
            label="Theorem 5.1(v)",
            title="operator norm of masked weight products",
            kind="probability",
            theme="sparse_spectral",
            locator="Section 5, Theorem 5.1(v)",
            uses=_ids("lemma-A.8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.1-vi",
            label="Theorem 5.1(vi)",
            title="backward vector on sparse directions",
            kind="probability",
            theme="sparse_spectral",
            locator="Section 5, Theorem 5.1(vi)",
            uses=_ids("lemma-A.9"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.1-vii",
            label="Theorem 5.1(vii)",
            title="many neurons whose weighted features do not cancel",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 5, Theorem 5.1(vii)",
            uses=_ids("lemma-A.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="fails for one hidden layer on antipodal data; deeper layers are non-negative and safe",
                decision="false as printed",
                why=(
                    "The six points that refute Lemma A.10 meet every condition of the theorem at one hidden layer. "
                    "For two layers and more hidden vectors are non-negative, so none is near the antipode of another. "
                    "It fails for every choice of constants, as nothing responds there."
                ),
                refuted=_ids("theorem-5.1-vii"),
                tested=_ids("theorem-5.1-vii-deep", "theorem-5.1-vii-hidden", "lemma-A.10-corrected"),
            ),
        ),
        Statement(
            id="zou2018:remark-5.2",
            label="Remark 5.2",
            title="threshold of small pre-activations that suits the radius",
            kind="asymptotic",
            theme="initialisation",
            locator="Section 5, Remark 5.2",
            uses=_ids("theorem-5.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.3-i",
            label="Theorem 5.3(i)",
            title="weight norms in the perturbation region",
            kind="deterministic",
            theme="forward_stability",
            locator="Section 5, Theorem 5.3(i)",
            uses=_ids("theorem-5.1-i"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:theorem-5.3-ii",
            label="Theorem 5.3(ii)",
            title="layer outputs in the perturbation region",
            kind="deterministic",
            theme="forward_stability",
            locator="Section 5, Theorem 5.3(ii)",
            uses=_ids("theorem-5.1-i", "lemma-B.2"),
            coverage=Through(
                _ids("lemma-B.2", "theorem-5.1-i", "theorem-5.3-i"),
                (
                    "Lemma B.2 is this inequality, for the same steps. Its claim asks for ||W~_l|| <= 4 and ||x_l|| "
                    "<= 3/2 alone, which part (i) and Theorem 5.1(i) give, and for no Gaussian weights"
                ),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.3-iii",
            label="Theorem 5.3(iii)",
            title="activation flips in the perturbation region",
            kind="deterministic",
            theme="forward_stability",
            locator="Section 5, Theorem 5.3(iii)",
            uses=_ids("theorem-5.1-iv", "lemma-B.3"),
            coverage=Through(
                _ids("lemma-B.3", "theorem-5.1-i", "lemma-A.7", "theorem-5.3-i"),
                (
                    "Lemma B.3 is this inequality, for every layer and sample. Its claim asks for the norms of parts "
                    "(i) and, at the threshold of the proof, for the count of Theorem 5.1(iv), which is Lemma A.7"
                ),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.3-iv",
            label="Theorem 5.3(iv)",
            title="perturbed backward vector on sparse directions, main-text form",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Section 5, Theorem 5.3(iv)",
            uses=_ids("theorem-5.1-vi", "lemma-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="prints another bound than Lemma B.1 and omits that the sparsity must cover the flips",
                decision="false as printed",
                why=(
                    "A step of norm tau flips some m tau^(2/3) neurons of a Gaussian layer, which raises the response "
                    "to one coordinate by the order of sqrt(m) tau^(2/3): above the bound, whatever its constant, for "
                    "a small radius and a large width. With a sparsity that covers the flips it follows from the "
                    "proof of Lemma B.1; the smaller coefficient 4^L of the radius is right at every depth for a "
                    "radius of 1/10 at most. The least width for C' = 2 and s = 3 is 4.5e8. The printed sqrt(m), m "
                    "the least width, falls short by up to 1.12 where the last layer has twice that width."
                ),
                refuted=_ids("theorem-5.3-iv"),
                tested=_ids("theorem-5.3-iv-corrected", "lemma-B.1"),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.3-v",
            label="Theorem 5.3(v)",
            title="gradient lower bound in the last hidden layer, main-text form",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Section 5, Theorem 5.3(v)",
            uses=_ids("theorem-5.1-vii", "lemma-B.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the radius lacks the power 3/2 of the separation that Lemma B.5 asks for, and one hidden layer "
                    "fails as there"
                ),
                decision="false as printed",
                why=(
                    "Steps of norm near 0.8 phi^(3/2) give the corners of a square of side phi the same gates in all "
                    "layers. Their vectors then cancel, and the gradient with them, at every depth: a radius that "
                    "does not shrink with phi is too large with every constant; a power of phi below 3/2 would be, "
                    "too. There x_1 + x_3 = x_2 + x_4, and the network is linear on them; labels in turn and equal "
                    "loss derivatives, as the loss is linear up to margin 5, leave a gradient of 0."
                ),
                refuted=_ids("theorem-5.3-v"),
                tested=_ids("theorem-5.3-v-certified", "theorem-5.3-v-corrected", "theorem-5.3-v-radius"),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.3-vi",
            label="Theorem 5.3(vi)",
            title="gradient upper bounds in the Frobenius norm",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Section 5, Theorem 5.3(vi)",
            uses=_ids("lemma-B.6"),
            coverage=Through(
                _ids("lemma-B.6", "fact-gradient", "theorem-5.3-i"),
                (
                    "Lemma B.6 has the same right sides, and its claims, for full and for mini-batches, measure the "
                    "Frobenius norm of this part, which is at least the operator norm; its only premise is part (i). "
                    "Nor does the proof lose by it: the gradient for one sample has rank one, where both norms agree, "
                    "and the triangle inequality adds up the samples in either"
                ),
            ),
        ),
        Statement(
            id="zou2018:theorem-5.3",
            label="Theorem 5.3",
            title="six properties of every network in the perturbation region",
            kind="deterministic",
            theme="forward_stability",
            locator="Section 5, Theorem 5.3",
            uses=_ids(
                "theorem-5.1",
                "lemma-B.1",
                "lemma-B.2",
                "lemma-B.3",
                "lemma-B.4",
                "lemma-B.5",
                "lemma-B.6",
                "theorem-5.3-i",
                "theorem-5.3-ii",
                "theorem-5.3-iii",
                "theorem-5.3-iv",
                "theorem-5.3-v",
                "theorem-5.3-vi",
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="parts (iv) and (v) are doubtful as printed, and the first mask before it lacks a transpose",
                decision="false as printed",
                why=(
                    "Part (iv) fails where the sparsity is below the number of flips and part (v) for radii that do "
                    "not shrink with the separation, and so does the whole. With a sparsity that covers the flips, "
                    "and the radius of Lemma B.5, all six parts hold at once for each perturbation tried. The bound "
                    "of (iv) can be missed only where few neurons flip, at width 10^4 or one layer; elsewhere that "
                    "part has no say. Of Theorem 5.1 the norms (i) and the counts (iv) are found and asked for at "
                    "each draw; what (vi) and (vii) of it promise enters through constants. The mask of the first "
                    "layer, printed with W_1 x_i, is meant with W_1^T x_i, as in Section 3.4. "
                    "It fails for every choice of constants, as the separation may be chosen after them."
                ),
                refuted=_ids("theorem-5.3", "theorem-5.3-iv", "theorem-5.3-v"),
                tested=_ids("theorem-5.3-corrected"),
            ),
        ),
        Statement(
            id="zou2018:remark-5.4",
            label="Remark 5.4",
            title="exponential growth of the perturbation bounds with depth",
            kind="asymptotic",
            theme="forward_stability",
            locator="Section 5, Remark 5.4",
            uses=_ids("theorem-5.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-5.5",
            label="Lemma 5.5",
            title="gradient descent stays in the perturbation region",
            kind="deterministic",
            theme="convergence",
            locator="Section 5.1, Lemma 5.5; proof in Appendix C.1",
            uses=_ids("theorem-5.3-vi", "assumption-3.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-5.6",
            label="Lemma 5.6",
            title="convergence rates of gradient descent",
            kind="convergence",
            theme="convergence",
            locator="Section 5.1, Lemma 5.6; proof in Appendix C.2",
            uses=_ids(
                "lemma-C.1",
                "lemma-C.2",
                "lemma-C.3",
                "lemma-B.5",
                "theorem-5.1-iii",
                "theorem-5.3",
                "assumption-3.2",
                "eq-C.7",
                "eq-C.9",
                "eq-C.10",
                "eq-x0-rate",
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "no admissible loss has an exponent below 1/2 or an infinite threshold, and the step total is "
                    "meant as a lower limit"
                ),
                decision="slip of print",
                why=(
                    "Of its six cases two are about losses that exist, those with a knee and an exponent of at least "
                    "1/2; the others are empty, not wrong. K eta is printed as equal to an order, and the proof shows "
                    "that any larger one will do: so it is tested, on every path, with what the path guarantees. The "
                    "c0 is that of the eigenvalues of the gated Gram matrices along the path and of the decrease per "
                    "squared gradient, for exponents 1/2, 2/3 and 1, with a knee and without. Exponents are fitted at "
                    "one point and one layer, where theory knows what bends them: the step size, the shape of the "
                    "loss, and a kernel that falls by 1/sqrt(pi m) per unit of the margin. With two layers it falls "
                    "by 1.486/sqrt(pi m), some 6 % on the way at m = 500, which would bend the exponent of the width "
                    "by 0.01."
                ),
                tested=_ids(
                    "lemma-5.6",
                    "lemma-5.6-rate-half",
                    "lemma-5.6-rate-two-thirds",
                    "lemma-5.6-rate-one",
                    "lemma-5.6-rate-samples",
                    "fact-self-bounding",
                ),
            ),
        ),
        Statement(
            id="zou2018:lemma-5.7",
            label="Lemma 5.7",
            title="stochastic gradient descent stays in the perturbation region",
            kind="deterministic",
            theme="stochastic_convergence",
            locator="Section 5.2, Lemma 5.7; proof in Appendix C.3",
            uses=_ids("theorem-5.3-vi", "assumption-3.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-5.8",
            label="Lemma 5.8",
            title="convergence rates of stochastic gradient descent",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Section 5.2, Lemma 5.8; proof in Appendix C.4",
            uses=_ids("lemma-C.1", "lemma-C.4", "lemma-C.5", "theorem-5.3-v", "eq-C.18", "eq-C.20", "eq-best-iterate"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "drops a term that matters for accuracies above 1/n, and does not ask that the iterates stay in "
                    "the region"
                ),
                decision="gap in the proof",
                why=(
                    "For accuracies of at most 1/n the term that is kept outweighs the other, and Theorem 4.5 brings "
                    "the region from Lemma 5.7. For larger ones the proof gives both terms, and with both the lemma "
                    "was tested; a start deep in the flat part of the loss needs the one that is dropped. Of the "
                    "slack a factor 2 is Markov's inequality and one of 1/eps is that 2p stands for 2p - 1."
                ),
                tested=_ids("lemma-5.8", "lemma-5.8-dropped-term"),
            ),
        ),
        Statement(
            id="zou2018:fact-bernstein",
            label="Bernstein inequality (cited)",
            title="Bernstein inequality for sub-exponential sums",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A, proof of Lemma A.1, citing Vershynin 2010, Proposition 5.16",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-hoeffding",
            label="Hoeffding inequality (cited)",
            title="Hoeffding inequality for sub-Gaussian sums",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix A, proof of Lemma A.6, quoted without a reference",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-vershynin-5.35",
            label="Vershynin Corollary 5.35 (cited)",
            title="operator norm of a standard Gaussian matrix",
            kind="probability",
            theme="initialisation",
            locator="Appendix A, first paragraph, citing Vershynin 2010, Corollary 5.35",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-vershynin-5.2",
            label="Vershynin Lemma 5.2 (cited)",
            title="covering number of the unit sphere",
            kind="deterministic",
            theme="initialisation",
            locator="Appendix A, proofs of Lemmas A.8 and A.9, citing Vershynin 2010, Lemma 5.2",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-A.1",
            label="Lemma A.1",
            title="one layer keeps the squared norm",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A, Lemma A.1",
            uses=_ids("fact-bernstein", "lemma-A.1-expectation"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-A.1-expectation",
            label="proof of Lemma A.1",
            title="conditional mean of the squared layer norm",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix A, proof of Lemma A.1, first display",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:corollary-A.2",
            label="Corollary A.2",
            title="all layers keep the norm",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix A, Corollary A.2",
            uses=_ids("lemma-A.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "without a width of order depth squared the bound linear in the layer fails far more often than "
                    "stated"
                ),
                decision="false as printed",
                why=(
                    "A layer much deeper than wide has a norm close to zero more often than the corollary allows, for "
                    "every pair of constants. The premise of Lemma A.1 admits any depth, and the squared norm of a "
                    "deep narrow network has a polynomial tail. With the constant 5.57 the last layer fails from "
                    "depth 478 on at large widths; larger constants only move the failure to larger widths and "
                    "depths: 24 fails at width 10^5."
                ),
                refuted=_ids("corollary-A.2"),
                tested=_ids("corollary-A.2-corrected", "corollary-A.2-sqrt-depth"),
            ),
        ),
        Statement(
            id="zou2018:lemma-A.3",
            label="Lemma A.3",
            title="mean product of two rectified Gaussians close to each other",
            kind="deterministic",
            theme="separation",
            locator="Appendix A, Lemma A.3",
            uses=_ids("eq-A.1", "fact-arccos"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-A.1",
            label="(A.1)",
            title="mean product of two rectified Gaussians in closed form",
            kind="deterministic",
            theme="separation",
            locator="Appendix A, proof of Lemma A.3, eq. (A.1) with the integrals that follow it",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-arccos",
            label="proof of Lemma A.3",
            title="expansion of the arc cosine at one",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A, proof of Lemma A.3, display before the bound of the second integral",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-A.4",
            label="Lemma A.4",
            title="separation of directions from layer to layer",
            kind="probability",
            theme="separation",
            locator="Appendix A, Lemma A.4",
            uses=_ids("lemma-A.1", "corollary-A.2", "lemma-A.3", "eq-A.2", "fact-bernstein"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "is printed for all i and j, one of which it calls i' elsewhere, and so for i = j; its proof asks "
                    "for phi_l^(-4) in the width and once drops the n^2 L of a logarithm"
                ),
                decision="slip of print",
                why=(
                    "A point is at distance 0 from itself, so that pairs of two points are meant. phi_l is the bound "
                    "itself, at least phi/2: the width then differs by a factor 16 at most, which the constant takes."
                ),
                tested=_ids("lemma-A.4"),
            ),
        ),
        Statement(
            id="zou2018:eq-A.2",
            label="(A.2)",
            title="mean squared distance after one layer",
            kind="expectation",
            theme="separation",
            locator="Appendix A, proof of Lemma A.4, eq. (A.2)",
            uses=_ids("lemma-A.3", "lemma-A.1-expectation"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:corollary-A.5",
            label="Corollary A.5",
            title="directions keep half of the separation",
            kind="probability",
            theme="separation",
            locator="Appendix A, Corollary A.5",
            uses=_ids("lemma-A.4", "fact-A.5-scalar"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-A.5-scalar",
            label="proof of Corollary A.5",
            title="chord above the exponential up to log 2",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A, proof of Corollary A.5",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-A.6",
            label="Lemma A.6",
            title="sub-Gaussian network output",
            kind="probability",
            theme="initialisation",
            locator="Appendix A, Lemma A.6",
            uses=_ids("fact-hoeffding", "corollary-A.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "no width is asked for, yet in a narrow network of two layers or more the output has heavier tails "
                    "than any constant allows"
                ),
                decision="false as printed",
                why=(
                    "The output is the norm r of the last hidden vector times an independent variable with Gaussian "
                    "tails. With two neurons a layer r has tails like those of a Gaussian from the second layer on, "
                    "and the product heavier ones, at a fixed width whatever the constant. For five such layers the "
                    "quantile at level delta over sqrt(log(1/delta)) is 1.5, 4.1, 7.9 and 12.7 for delta = 1e-2, 1e-3, "
                    "1e-4 and 1e-5. The proof quotes Corollary A.2 for r, which needs a width; with that width "
                    "beside it the statement holds, and with r itself in the bound at every width."
                ),
                refuted=_ids("lemma-A.6"),
                tested=_ids("lemma-A.6-corrected", "lemma-A.6-sharp"),
            ),
        ),
        Statement(
            id="zou2018:lemma-A.7",
            label="Lemma A.7",
            title="few small pre-activations",
            kind="probability",
            theme="initialisation",
            locator="Appendix A, Lemma A.7",
            uses=_ids("corollary-A.2", "fact-bernstein"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof has half of the mean of a count: beta sqrt(m/pi) for 2 beta sqrt(m/pi)",
                decision="gap in the proof",
                why=(
                    "A pre-activation behind a vector of norm 1/2 has the density sqrt(m/pi) at 0, over an interval of "
                    "length 2 beta. The true mean 2 m^(3/2) beta/sqrt(pi) is still below the bound 2 m^(3/2) beta, by "
                    "a factor 1.77 that Bernstein's inequality can do with, where the printed one leaves 3.5."
                ),
                tested=_ids("lemma-A.7", "fact-bernstein-count"),
            ),
        ),
        Statement(
            id="zou2018:fact-A.8-key",
            label="proof of Lemma A.8 (key observation)",
            title="a masked layer keeps the mean squared norm of any fixed vector",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix A, proof of Lemma A.8, display on a fixed vector",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-A.8",
            label="Lemma A.8",
            title="operator norm of masked weight products grows at most linearly in depth",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix A, Lemma A.8",
            uses=_ids("lemma-A.1", "corollary-A.2", "fact-vershynin-5.2", "fact-A.8-key"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the net is too large for the deviations of a layer to stay small, so the proof does not give a "
                    "bound linear in depth"
                ),
                decision="false as printed",
                why=(
                    "At a width of C log(n L^2/delta), all that is asked, the squared norm of the last layer is a "
                    "product of many independent ratios with a tail like 1/t, and exceeds (C' L)^2 more often than "
                    "delta allows. A width that grows with the depth as well repairs this; the growth measured there "
                    "is close to the square root of the depth. For equal widths free probability gives the limit min "
                    "over w > 0 of ((1 + w)^(L-1) (2 + w)^2/w)^(1/2), which is 4.20, 5.30 and 6.21 for L = 2, 3 and "
                    "4. "
                    "It fails for every choice of constants, where delta is small enough."
                ),
                refuted=_ids("lemma-A.8"),
                tested=_ids("lemma-A.8-explicit", "lemma-A.8-orders"),
            ),
        ),
        Statement(
            id="zou2018:lemma-A.9",
            label="Lemma A.9",
            title="largest response of the backward vector to a sparse direction",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix A, Lemma A.9",
            uses=_ids("lemma-A.8", "fact-vershynin-5.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="asks for no width, though the norms of a deep narrow network have heavy tails",
                decision="false as printed",
                why=(
                    "With as many entries as a layer has neurons the supremum is at least |f(x)| over the norm of "
                    "the layer's input, whose square has a tail like 1/t in deep layers of width C log(n L/delta), "
                    "and exceeds the bound more often than delta allows. With the width that Theorem 5.1 asks for "
                    "the bound holds, even without its factor L. "
                    "It fails for every choice of constants, where delta is small enough."
                ),
                refuted=_ids("lemma-A.9"),
                tested=_ids("lemma-A.9-sharp", "lemma-A.9-orders"),
            ),
        ),
        Statement(
            id="zou2018:lemma-A.10",
            label="Lemma A.10",
            title="many neurons respond to every coefficient vector",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix A, Lemma A.10",
            uses=_ids("lemma-A.11", "fact-bernstein"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="fails for one hidden layer on antipodal data, as Lemma A.11 does",
                decision="false as printed",
                why=(
                    "On three points of an arc and their antipodes, with coefficients of opposite signs, no node of one"
                    " hidden layer responds, whatever the weights. With the distance from antipodes, or from two layers"
                    " on, it was not refuted. The proof twice prints exp(+C m phi/n) for exp(-C m phi/n), a slip. "
                    "It fails for every choice of constants, as nothing responds there."
                ),
                refuted=_ids("lemma-A.10"),
                tested=_ids("lemma-A.10-corrected", "lemma-A.10-plane", "theorem-5.1-vii-deep"),
            ),
        ),
        Statement(
            id="zou2018:lemma-A.11",
            label="Lemma A.11",
            title="anti-concentration of a gated sum of separated vectors",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix A, Lemma A.11, quoting Li and Liang 2018, Lemma A.3",
            coverage=ByClaim(),
            suspect=Suspect(
                what="antipodal vectors such as a regular hexagon can make the sum vanish for every weight vector",
                decision="false as printed",
                why=(
                    "The coefficients 1, -1, 1, -1, 1, -1 on the corners of a regular hexagon give a sum that "
                    "vanishes for every weight vector; five points do not suffice. No fewer points do this in any "
                    "dimension: crossing the hyperplane of z adds or removes a_z z, so where the sum is constant "
                    "every z comes with -z, of the opposite coefficient; each such pair contributes the constant a_z "
                    "z, and these cancel only if three of them are dependent. "
                    "It fails for every constant, as the sum is 0 there."
                ),
                refuted=_ids("lemma-A.11"),
                tested=_ids("lemma-A.11-corrected", "lemma-A.11-nonnegative"),
            ),
        ),
        Statement(
            id="zou2018:lemma-B.1",
            label="Lemma B.1",
            title="perturbed backward vector on sparse directions",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix B, Lemma B.1",
            uses=_ids("theorem-5.1-i", "theorem-5.1-vi", "theorem-5.3-i", "eq-B.1-telescoping"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-B.1-telescoping",
            label="proof of Lemma B.1",
            title="difference of two masked products as a telescoping sum",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, proof of Lemma B.1",
            uses=_ids("def-3.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-B.2",
            label="Lemma B.2",
            title="stability of the layer outputs",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, Lemma B.2",
            uses=_ids("theorem-5.1-i", "theorem-5.3-i", "eq-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "its geometric sum exceeds the stated bound fourfold; the bound itself holds because ReLU is "
                    "1-Lipschitz"
                ),
                decision="gap in the proof",
                why=(
                    "The recursion in print, d_l <= 4 tau + 8 d_(l-1), sums to 4 (8^l - 1)/7 tau, at least 7/2 times "
                    "what it is said to. As rectification is 1-Lipschitz and the input has norm 1, d_1 <= tau and d_l "
                    "<= 3 tau/2 + 4 d_(l-1), which sum to (3 * 4^(l-1) - 1)/2 tau <= 8^l tau/7."
                ),
                tested=_ids("lemma-B.2", "lemma-B.2-sharp", "lemma-B.2-recursion", "eq-B.1-sharp"),
            ),
        ),
        Statement(
            id="zou2018:eq-B.1",
            label="(B.1)",
            title="one-layer stability when activations flip",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, proof of Lemma B.2, eq. (B.1)",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-B.3",
            label="Lemma B.3",
            title="number of activation flips",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, Lemma B.3",
            uses=_ids("theorem-5.1-iv", "lemma-B.2", "eq-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-B.3",
            label="(B.3)",
            title="stability of the pre-activations",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, proof of Lemma B.3, eq. (B.3)",
            uses=_ids("lemma-B.2", "theorem-5.1-i", "theorem-5.3-i"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-B.4",
            label="Lemma B.4",
            title="neurons of the last layer that flip for some sample",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B, Lemma B.4",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-B.5",
            label="Lemma B.5",
            title="gradient lower bound in the last hidden layer",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B, Lemma B.5",
            uses=_ids("theorem-5.1-vii", "lemma-B.2", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "fails for one hidden layer on antipodal data through Lemma A.11, and its last display puts the "
                    "largest width for the last one"
                ),
                decision="false as printed",
                why=(
                    "At one hidden layer the alternating hexagon makes the gradient vanish while the derivatives do "
                    "not. The M of the last display is a slip for m_L, which the statement has. The constants of the "
                    "premises are those that the corrected Lemma A.11 gives. "
                    "It fails for every choice of constants, as the gradient is 0 there."
                ),
                refuted=_ids("lemma-B.5"),
                tested=_ids("lemma-B.5-deep", "lemma-B.5-one-hidden-layer-corrected"),
            ),
        ),
        Statement(
            id="zou2018:lemma-B.6",
            label="Lemma B.6",
            title="gradient upper bounds in the operator norm",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Appendix B, Lemma B.6",
            uses=_ids("theorem-5.3-i", "fact-gradient"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-C.1",
            label="Lemma C.1",
            title="difference quotient of a power against its argument",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix C.2, Lemma C.1; proof in Appendix D.1",
            coverage=ByClaim(),
            suspect=Suspect(
                what="for p < 1/2 the chain of its proof changes direction, and two of its links are false",
                decision="gap in the proof",
                why=(
                    "At a = 1, b = 4 and p = 1/4 it reads -1.5 <= -0.5 >= -4 >= -0.25 = -2. The lemma holds: with the "
                    "weights 1 - 2p and 2p the geometric mean of a and b is at most the arithmetic one, which is the "
                    "inequality to be shown. It is tested on all p, and p < 1/2 is the empty case of Assumption 3.2."
                ),
                tested=_ids("lemma-C.1"),
            ),
        ),
        Statement(
            id="zou2018:lemma-C.2",
            label="Lemma C.2",
            title="change of the layer outputs in one gradient step",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix C.2, Lemma C.2; proof in Appendix D.2",
            uses=_ids("lemma-B.2", "lemma-B.6", "theorem-5.1-i", "eq-B.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its geometric sum has the slip of Lemma B.2; the bound itself holds",
                decision="gap in the proof",
                why=(
                    "The recursion in print sums to four times the bound or more. As rectification is 1-Lipschitz, "
                    "d_1 <= g and d_l <= 2 g + 4 d_(l-1) with g the bound of Lemma B.6 times the step size, which "
                    "sum to (5 * 4^(l-1) - 2)/3 <= 8^l/7 times g."
                ),
                tested=_ids("lemma-C.2", "lemma-C.2-sharp", "lemma-C.2-recursion"),
            ),
        ),
        Statement(
            id="zou2018:lemma-C.3",
            label="Lemma C.3",
            title="change of the output in one gradient step, from both sides",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix C.2, Lemma C.3, eqs. (C.2) and (C.3); proof in Appendix D.3",
            uses=_ids(
                "lemma-B.1", "lemma-B.3", "lemma-B.6", "lemma-C.2", "eq-D.2", "eq-D.4", "eq-D.6", "assumption-3.3"
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="flips between two iterates can be twice the count that the proof inserts",
                decision="gap in the proof",
                why=(
                    "Two iterates may each differ from the centre in as many neurons as Lemma B.3 counts. The printed "
                    "constant sqrt(3) C + 1 still covers it, as sqrt(6) C L <= sqrt(3) C 2^L; and with the flips "
                    "counted as they are the remainder holds."
                ),
                tested=_ids("lemma-C.3", "lemma-C.3-remainder", "eq-D.4-constants"),
            ),
        ),
        Statement(
            id="zou2018:eq-D.2",
            label="(D.2)",
            title="output difference of two networks as a telescoping sum",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix D.3, proof of Lemma C.3, eq. (D.2)",
            uses=_ids("def-3.1", "fact-layer-output"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-D.3",
            label="(D.3)",
            title="flipped neurons between two iterates carry little",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix D.3, proof of Lemma C.3, eq. (D.3)",
            uses=_ids("eq-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-D.4",
            label="(D.4)",
            title="contribution of flipped neurons to the output",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix D.3, proof of Lemma C.3, eq. (D.4)",
            uses=_ids("lemma-B.1", "lemma-B.3", "lemma-C.2", "eq-D.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-D.6",
            label="(D.6)",
            title="second-order term of one step",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix D.3, proof of Lemma C.3, eq. (D.6)",
            uses=_ids("lemma-B.6", "lemma-C.2", "theorem-5.3-i", "assumption-3.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.4",
            label="(C.4)",
            title="loss change through the smoothness of the loss",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.4)",
            uses=_ids("assumption-3.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.5",
            label="(C.5) trace identity",
            title="linear term of a step is minus the squared gradient norm",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix C.2, proof of Lemma 5.6, trace identity and eq. (C.5)",
            uses=_ids("lemma-C.3", "fact-gradient"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.6",
            label="(C.6)",
            title="change of the loss in one step before constants are chosen",
            kind="deterministic",
            theme="convergence",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.6)",
            uses=_ids("eq-C.4", "eq-C.5", "lemma-C.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.7",
            label="(C.7)",
            title="guaranteed decrease of the loss in one step",
            kind="convergence",
            theme="convergence",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.7)",
            uses=_ids("eq-C.6", "lemma-B.5"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.8",
            label="(C.8)",
            title="sum of loss derivatives against a power of the mean loss",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.8)",
            uses=_ids("assumption-3.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "a factor alpha_1^2 stands in the middle of the display as well as at its end, and the signs of "
                    "the derivatives before it are mixed up"
                ),
                decision="false as printed",
                why=(
                    "With the factor in the middle the second inequality says that the slopes add up to the power of "
                    "the loss without alpha_1, which exp(-x/2) breaks at every margin. Without it both "
                    "inequalities hold, so that what follows from the display is not touched."
                ),
                refuted=_ids("eq-C.8"),
                tested=_ids("eq-C.8-corrected"),
            ),
        ),
        Statement(
            id="zou2018:eq-C.9",
            label="(C.9)",
            title="rate of the scalar recursion for exponents other than 1/2",
            kind="convergence",
            theme="scalar_inequalities",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.9)",
            uses=_ids("lemma-C.1", "eq-C.8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.10",
            label="(C.10)",
            title="geometric rate of the scalar recursion for exponent 1/2",
            kind="convergence",
            theme="scalar_inequalities",
            locator="Appendix C.2, proof of Lemma 5.6, eq. (C.10)",
            uses=_ids("eq-C.8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:fact-min-harmonic",
            label="proof of Lemma 5.6",
            title="minimum of two numbers above half their harmonic mean",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix C.2, proof of Lemma 5.6, regime of a finite threshold",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-x0-rate",
            label="proof of Lemma 5.6 (x_0 > -inf)",
            title="rate of the scalar recursion with a finite threshold",
            kind="convergence",
            theme="scalar_inequalities",
            locator=("Appendix C.2, proof of Lemma 5.6, last display before the rates for a finite threshold"),
            uses=_ids("lemma-C.1", "eq-C.8", "fact-min-harmonic"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-C.4",
            label="Lemma C.4",
            title="change of the output in one mini-batch step",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix C.4, Lemma C.4, eqs. (C.11) and (C.12); proof in Appendix D.4",
            uses=_ids("lemma-C.3", "lemma-B.6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:lemma-C.5",
            label="Lemma C.5",
            title="second moment of a centred batch mean without replacement",
            kind="expectation",
            theme="convergence",
            locator="Appendix C.4, Lemma C.5; proof in Appendix D.5",
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.16",
            label="(C.16)",
            title="second moment of the output change over batches",
            kind="expectation",
            theme="stochastic_convergence",
            locator="Appendix C.4, proof of Lemma 5.8, eq. (C.16) and the display before it",
            uses=_ids("lemma-C.5", "lemma-C.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the mean on the left of the display before it has lost its square",
                decision="slip of print",
                why=(
                    "The right side of the same line is the mean of a square, and without the square the two sides are "
                    "of different degree in the derivatives."
                ),
                tested=_ids("eq-C.16", "eq-C.16-moment"),
            ),
        ),
        Statement(
            id="zou2018:eq-C.18",
            label="(C.17)-(C.18)",
            title="mean decrease of the loss in one mini-batch step",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Appendix C.4, proof of Lemma 5.8, eqs. (C.17) and (C.18)",
            uses=_ids("lemma-C.4", "lemma-C.5", "theorem-5.3-v", "eq-C.16"),
            coverage=ByClaim(),
        ),
        Statement(
            id="zou2018:eq-C.20",
            label="(C.19)-(C.21)",
            title="rates of the mean loss for exponents of at least 1/2",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Appendix C.4, proof of Lemma 5.8, eqs. (C.19) to (C.21)",
            uses=_ids("lemma-C.1", "eq-C.18"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the squared factor of Assumption 3.2 is missing from (C.19) on",
                decision="slip of print",
                why=(
                    "The same step for full batches, (C.8), has it. Without it the rate is too fast for a loss whose "
                    "factor is below 1, which a control shows at every run."
                ),
                tested=_ids("eq-C.20", "eq-C.20-linear"),
            ),
        ),
        Statement(
            id="zou2018:eq-best-iterate",
            label="proof of Lemma 5.8",
            title="mean squared loss derivative at the best iterate",
            kind="convergence",
            theme="stochastic_convergence",
            locator="Appendix C.4, proof of Lemma 5.8, from the summed form of (C.18) to the end",
            uses=_ids("eq-C.18", "fact-min-harmonic"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the least is taken from the iterate 1 on, the average that bounds it from the iterate 0 on",
                decision="slip of print",
                why=(
                    "Theorem 4.5 counts the start among the iterates, and so does the average. With the start, the "
                    "least of the terms is at most their average."
                ),
                tested=_ids("eq-best-iterate"),
            ),
        ),
    ),
    versions=(
        Version("size of the output at the start", "zou2018:lemma-A.6-corrected", theme="initialisation"),
        Version("number of small pre-activations", "zou2018:lemma-A.7-orders", theme="initialisation"),
        Version("number of small pre-activations", "zou2018:lemma-A.7-network"),
        Version("operator norm of Gaussian layers", "zou2018:fact-vershynin-5.35"),
        Version(
            "least distance of two outputs of a layer, or of what is fresh in two states",
            "zou2018:theorem-5.1-ii",
            theme="separation",
        ),
        Version(
            "norm of a layer's output against that of the input",
            "zou2018:corollary-A.2-network",
            theme="norm_preservation",
        ),
        Version(
            "norm of the last layer against the depth, with scaled skips, with skips and without",
            "zou2018:corollary-A.2-exponent",
        ),
        Version("operator norm of products of gated layers", "zou2018:lemma-A.8-orders", theme="sparse_spectral"),
        Version("response of the output to a sparse vector in a layer", "zou2018:lemma-A.9-orders", renamed={"M": "m"}),
        Version("neurons that flip within a radius", "zou2018:lemma-B.3-exponent", theme="forward_stability"),
        Version(
            "what flips change in the vector propagated back",
            "zou2018:eq-D.4-exponent",
            renamed={"M": "m", "tau": "omega"},
        ),
        Version("loss beyond first order in the weights: semi-smoothness", "zou2018:lemma-C.3-remainder"),
        Version(
            "gradient from below by the loss and the separation",
            "zou2018:lemma-B.5-linear",
            theme="gradient_lower_bound",
        ),
        Version("gradient from above by the loss", "zou2018:lemma-B.6-sharp"),
        # The second derivative of the logistic loss is at most a quarter.
        Version("loss beyond first order in the outputs", "zou2018:eq-C.4", renamed={"lam": 0.25}),
        Version(
            "share of the loss that a step of gradient descent takes",
            "zou2018:theorem-4.1-certified",
            apart="about the time that steps take, and not about the share that one takes",
        ),
        Version("what a step on a mini-batch takes of the loss, in the mean", "zou2018:eq-C.20-one-step"),
        Version(
            "order of the width that gradient descent asks for",
            "zou2018:corollary-4.4-width-exponents",
            theme="parameter_chains",
        ),
        Version("tail of a weighted sum of sub-exponential variables", "zou2018:fact-bernstein-constant"),
    ),
)
