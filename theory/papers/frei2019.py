"""Frei, Cao and Gu 2019: deep residual ReLU networks, what descent finds and how it generalises.

Main definition: `PAPER`, with every statement of the appendix, which is what is in hand: definitions and theorems of
the main text are read off the appendix that uses and proves them, and their locators say so.

The margin gamma is that of random features; theta scales the residual layers, and theta L is of order one.
"""

from functools import partial

from theory.core.statements import ByClaim, ByDefinition, Paper, Statement, Suspect, Through, Version, ids

_ids = partial(ids, "frei2019")

PAPER = Paper(
    key="frei2019",
    title="Algorithm-dependent generalization bounds for overparameterized deep residual networks",
    authors=("Spencer Frei", "Yuan Cao", "Quanquan Gu"),
    year=2019,
    url="https://arxiv.org/abs/1910.02934",
    setting=(
        "x_1 = phi(W_1^T x), x_l = x_{l-1} + theta phi(W_l^T x_{l-1}) in the residual layers 2 to L, x_{L+1} = "
        "phi(W_{L+1}^T x_L), f(x) = v^T x_{L+1}, phi the ReLU, m neurons a layer. At the start, W or W^(0), entries of "
        "W_l are independent N(0, 2/m), m its width; v is fixed, half 1, half -1. Inputs are unit vectors of R^d, "
        "labels y +-1. Sigma_l or S_l is diagonal, 1 at open gates of layer l; H_l^{l'} is the product of the layers l "
        "to l' (L + 1 if unsaid) at the gates of x, I at l > l'. W^ and W~ are two weight tuples, dW their difference, "
        "with x^_l, H~, ...; in the ball tau limits the Frobenius norm of each layer's step. Other norms are "
        "Euclidean, of matrices operator norms unless F is said. gamma is the margin: y E[c(u) phi(u^T x)] >= gamma at "
        "all inputs for some |c| <= 1, u ~ N(0, I). L_S is the mean over n samples of l(y f(x)), l(z) = log(1 + "
        "exp(-z)); the surrogate error E_S (ES) that of -l'. Descent moves all layers by -eta grad L_S. delta is the "
        "chance of failure over starts. Constants open in print are ours, C anew in each premise; C_0 = 41/10 limits "
        "norms of layers."
    ),
    statements=(
        Statement(
            id="frei2019:def-network",
            label="Network",
            title="residual ReLU network, scaled, with plain first and last layers",
            kind="definition",
            theme="initialisation",
            locator="main text, reconstructed: the network",
            coverage=ByDefinition(
                where="nets.networks.network.residual_network", tested="nets/tests/test_architectures.py"
            ),
        ),
        Statement(
            id="frei2019:def-interlayer",
            label="(1)",
            title="maps from a layer to a later one, at the gates of a sample",
            kind="definition",
            theme="norm_preservation",
            locator="main text, reconstructed: eq. (1)",
            uses=_ids("def-network"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-2",
            label="(2)",
            title="gradient of the output in each layer, in closed form",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="main text, reconstructed: eq. (2)",
            uses=_ids("def-network", "def-interlayer"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:def-loss",
            label="Loss",
            title="cross-entropy loss, empirical and population surrogate error, gradient descent",
            kind="definition",
            theme="convergence",
            locator="main text, reconstructed: logistic loss and surrogate errors",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:def-neighbourhood",
            label="Neighbourhood",
            title="ball around the initial weights, Frobenius norm of each layer",
            kind="definition",
            theme="forward_stability",
            locator="main text, reconstructed: the ball W(W, tau)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:def-gaussian-init",
            label="Initialisation",
            title="Gaussian weights, variance 2 over the outputs of the layer",
            kind="definition",
            theme="initialisation",
            locator="main text, reconstructed: the Gaussian initialisation",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:def-h",
            label="h",
            title="distance of two weight tuples: operator norms, weighted by the scale",
            kind="definition",
            theme="semi_smoothness",
            locator="main text, reconstructed: the distance h",
            coverage=ByDefinition(
                where="properties.frei2019.weight_pairs.weighted_distance",
                tested="properties/frei2019/tests/test_weight_pairs.py",
            ),
        ),
        Statement(
            id="frei2019:assumption-3.1",
            label="Assumption 3.1",
            title="inputs of unit norm",
            kind="assumption",
            theme="initialisation",
            locator="main text, reconstructed: Assumption 3.1",
            coverage=ByDefinition(where="nets.data.points.sphere", tested="nets/tests/test_points.py"),
        ),
        Statement(
            id="frei2019:assumption-3.2",
            label="Assumption 3.2",
            title="margin of the data in random ReLU features",
            kind="assumption",
            theme="separation",
            locator="main text, reconstructed: Assumption 3.2, used in Appendix C.5",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:assumption-3.3",
            label="Assumption 3.3",
            title="widths of one order",
            kind="assumption",
            theme="gradient_upper_bound",
            locator="main text, reconstructed: Assumption 3.3",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:assumption-3.4",
            label="Residual scaling",
            title="scale of the residual layers of the order of 1/L",
            kind="assumption",
            theme="parameter_chains",
            locator="main text, reconstructed: the assumption on theta, repeated in Appendix B",
            coverage=Through(
                ids=_ids("lemma-4.1", "proposition-C.5"),
                why=(
                    "It is a condition alone. Norms near 1 and a margin at every layer are what it is used for: Lemma "
                    "4.1 and Proposition C.5 state which theta L they take, and controls leave that out."
                ),
            ),
            suspect=Suspect(
                what="the constant is said to be absolute, and Proposition C.5 takes theta L below a multiple of gamma",
                decision="gap in the proof",
                why=(
                    "The vector of the proof drifts by theta L times the mean of c, which exceeds a small margin at a "
                    "fixed theta L: a control of Proposition C.5 at 200 times its scale is refuted. Lemma 4.1 needs an "
                    "absolute constant only."
                ),
                tested=_ids("lemma-4.1", "proposition-C.5"),
            ),
        ),
        Statement(
            id="frei2019:theorem-3.5",
            label="Theorem 3.5",
            title="gradient descent reaches a small surrogate error near the start",
            kind="convergence",
            theme="convergence",
            locator="main text, reconstructed: Theorem 3.5, proved in Appendix A.1",
            uses=_ids("lemma-4.2", "lemma-4.3", "lemma-4.4", "eq-4", "eq-5", "eq-6", "eq-7", "eq-8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:theorem-3.6",
            label="Theorem 3.6",
            title="classification error bound over the tau-neighbourhood",
            kind="probability",
            theme="generalisation",
            locator="main text, reconstructed: Theorem 3.6, proved in Appendix A.2",
            uses=_ids("eq-9", "a2-uniform", "a2-markov", "a2-i1", "a2-i2", "lemma-4.1", "lemma-4.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:corollary-3.7",
            label="Corollary 3.7",
            title="width, samples and steps by the classification error",
            kind="probability",
            theme="parameter_chains",
            locator="main text, reconstructed: Corollary 3.7, proved in Appendix A.3",
            uses=_ids("theorem-3.5", "theorem-3.6", "eq-11"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the width is printed without what Lemma B.4 asks of it, and the steps with gamma^(-4)",
                decision="gap in the proof",
                why="At the radius (11) the lemma asks for gamma^16 d^3 eps^4 as well; with it all conditions hold.",
                tested=_ids("corollary-3.7"),
            ),
        ),
        Statement(
            id="frei2019:lemma-4.1",
            label="Lemma 4.1",
            title="norms of all layers on the whole sphere",
            kind="probability",
            theme="norm_preservation",
            locator="main text, reconstructed: Lemma 4.1, proved in Appendix B.1",
            uses=_ids("lemma-B.1", "lemma-B.2", "lemma-B.3", "a41-monotone"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-4.2",
            label="Lemma 4.2",
            title="output and loss beyond first order in a ball, by radius and distance",
            kind="probability",
            theme="semi_smoothness",
            locator="main text, reconstructed: Lemma 4.2, proved in Appendix B.2",
            uses=_ids(
                "lemma-4.1",
                "lemma-B.4",
                "lemma-B.5",
                "eq-16",
                "eq-18",
                "eq-21",
                "eq-23",
                "eq-24",
                "eq-25",
                "eq-26",
                "b2-taylor",
            ),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-4.3",
            label="Lemma 4.3",
            title="gradient of the last layer from below by the surrogate error, in a ball of weights",
            kind="probability",
            theme="gradient_lower_bound",
            locator="main text, reconstructed: Lemma 4.3, proved in Appendix B.3",
            uses=_ids(
                "lemma-B.6", "lemma-4.1", "lemma-B.4", "eq-27", "eq-28", "eq-29", "eq-30", "eq-31", "eq-32", "eq-33"
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(30) counts the gates that change at one sample, and (32) needs gates that stay at all of them",
                decision="gap in the proof",
                why=(
                    "The gates that change somewhere are up to n times as many; a weighted count repairs the proof for "
                    "tau of order gamma^(9/2). The mean over neurons of their gradients, along alpha, needs no gate to "
                    "stay at all samples: it gives gamma^2 for gamma^4, and tau of order gamma for gamma^3."
                ),
                tested=_ids("lemma-4.3", "lemma-4.3-sharp", "lemma-4.3-averaged", "lemma-4.3-flipped"),
            ),
        ),
        Statement(
            id="frei2019:lemma-4.4",
            label="Lemma 4.4",
            title="gradient of the loss from above, by the surrogate error",
            kind="probability",
            theme="gradient_upper_bound",
            locator="main text, reconstructed: Lemma 4.4, proved in Appendix B.4",
            uses=_ids("eq-34", "eq-35", "lemma-B.2", "lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the display after (34) has Sigma_(l+1) where the gradient in W_l has the gates of layer l",
                decision="slip of print",
                why="With the gates of the next layer norms are others, which a control of the certified form shows.",
                tested=_ids("lemma-4.4-certified"),
            ),
        ),
        Statement(
            id="frei2019:eq-4",
            label="(4)",
            title="a gradient step from half of the radius stays within it",
            kind="deterministic",
            theme="convergence",
            locator="Appendix A.1, eq. (4)",
            uses=_ids("lemma-4.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the induction for iterates within tau/2 is said to end with iterates within tau",
                decision="slip of print",
                why="Its last display has tau/2, which the next step needs: from tau a step leaves the ball.",
                tested=_ids("eq-4", "theorem-3.5-radius"),
            ),
        ),
        Statement(
            id="frei2019:eq-5",
            label="(5)",
            title="length of a step of descent in the distance h",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix A.1, eq. (5)",
            uses=_ids("lemma-4.4", "def-h"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-6",
            label="(6)",
            title="decrease of the loss in a step of gradient descent",
            kind="convergence",
            theme="convergence",
            locator="Appendix A.1, eq. (6)",
            uses=_ids("lemma-4.2", "lemma-4.3", "eq-5"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-7",
            label="(7)",
            title="surrogate error by what the loss falls by",
            kind="convergence",
            theme="convergence",
            locator="Appendix A.1, eq. (7)",
            uses=_ids("eq-6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-8",
            label="(8)",
            title="loss and outputs at the start",
            kind="probability",
            theme="initialisation",
            locator="Appendix A.1, eq. (8)",
            uses=_ids("lemma-4.1", "a1-loss-bound"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a1-variance",
            label="Appendix A.1",
            title="variance of the output, given what enters the last layer",
            kind="expectation",
            theme="initialisation",
            locator="Appendix A.1, of the sum that the output is before (8)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a1-loss-bound",
            label="Appendix A.1",
            title="logistic loss against the size of the margin",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A.1, the bound on the logistic loss",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a1-displacement",
            label="Appendix A.1",
            title="distance from the start along gradient descent",
            kind="deterministic",
            theme="convergence",
            locator="Appendix A.1, the distance by Cauchy and Schwarz",
            uses=_ids("eq-4", "eq-7", "eq-8", "lemma-4.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the summand is printed with the index k of the last iterate, not with that of the sum",
                decision="slip of print",
                why="With the decrease of the last step the bound is too small, as later steps lower the loss less.",
                tested=_ids("a1-displacement"),
            ),
        ),
        Statement(
            id="frei2019:a1-telescoping",
            label="Appendix A.1",
            title="least surrogate error of a run by telescoping",
            kind="deterministic",
            theme="convergence",
            locator="Appendix A.1, the best iterate",
            uses=_ids("eq-6", "eq-8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the sum over the errors is printed from 1 to K",
                decision="slip of print",
                why=(
                    "It telescopes (6) at 0, ..., K - 1; the error after the last step may be below all of those, "
                    "and then K times their least square is more than the printed sum."
                ),
                tested=_ids("a1-telescoping"),
            ),
        ),
        Statement(
            id="frei2019:eq-9",
            label="(9)",
            title="empirical Rademacher complexity of the neighbourhood class",
            kind="definition",
            theme="generalisation",
            locator="Appendix A.2, eq. (9)",
            coverage=ByDefinition(
                where="properties.shared.rademacher.rademacher", tested="properties/shared/tests/test_rademacher.py"
            ),
        ),
        Statement(
            id="frei2019:a2-uniform",
            label="Appendix A.2",
            title="surrogate generalisation gap by Rademacher complexity",
            kind="probability",
            theme="generalisation",
            locator="Appendix A.2, uniform convergence",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a2-markov",
            label="Appendix A.2",
            title="indicator of a negative margin and the derivative of the loss",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix A.2, Markov's inequality",
            coverage=ByClaim(),
            suspect=Suspect(
                what="-l'(x) is printed as (1 + exp(-x))^(-1), below 1/2 for negative x",
                decision="slip of print",
                why="It is 1/(1 + exp(x)), above 1/2 for negative x; the inequality that follows is right.",
                tested=_ids("a2-markov"),
            ),
        ),
        Statement(
            id="frei2019:a2-rademacher-split",
            label="Appendix A.2",
            title="Rademacher complexity splits into linearisation error and linear part",
            kind="deterministic",
            theme="generalisation",
            locator="Appendix A.2, the split I1 + I2",
            uses=_ids("eq-9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the linear part is printed with x where x_i is meant",
                decision="slip of print",
                why="At one point for all samples it does not bound the complexity; the next display has x_i.",
                tested=_ids("a2-rademacher-split"),
            ),
        ),
        Statement(
            id="frei2019:a2-i1",
            label="Appendix A.2",
            title="largest linearisation error in the ball around the start",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix A.2, the term I1",
            uses=_ids("lemma-4.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the square of h is bounded with tau^2 (2 + L theta), which lacks a square",
                decision="slip of print",
                why="L theta is bounded, so that the square is a constant, and the term is below the other one.",
                tested=_ids("a2-i1"),
            ),
        ),
        Statement(
            id="frei2019:eq-10",
            label="(10)",
            title="gradient of the output at the start, in every layer and at all points",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix A.2, eq. (10)",
            uses=_ids("eq-2", "lemma-4.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a2-i2",
            label="Appendix A.2",
            title="Rademacher complexity of the linearised class",
            kind="probability",
            theme="generalisation",
            locator="Appendix A.2, the term I2",
            uses=_ids("eq-10"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-11",
            label="(11)",
            title="radius of the ball by the error",
            kind="deterministic",
            theme="parameter_chains",
            locator="Appendix A.3, eq. (11)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the display before has gamma^(-2) where (11) has gamma^(-4)",
                decision="slip of print",
                why="Two factors gamma^(-2) meet, one of the bound and one of the time.",
                tested=_ids("eq-11"),
            ),
        ),
        Statement(
            id="frei2019:a3-width",
            label="Appendix A.3",
            title="width of all lemmas by the error",
            kind="deterministic",
            theme="parameter_chains",
            locator="Appendix A.3, the condition on the width",
            uses=_ids("lemma-B.3", "lemma-B.4", "lemma-B.5", "lemma-B.6"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the factor d of tau^(-4/3) d is dropped",
                decision="false as printed",
                why=(
                    "With the radius (11) Lemma B.4 asks for gamma^16 d^3 eps^4, which the largest of d and eps^(-14) "
                    "is not where d exceeds eps^(-6)."
                ),
                refuted=_ids("a3-width"),
                tested=_ids("a3-width-corrected"),
            ),
        ),
        Statement(
            id="frei2019:a3-rates",
            label="Appendix A.3",
            title="widths, samples and steps by the error",
            kind="deterministic",
            theme="parameter_chains",
            locator="Appendix A.3, the orders of m, n and K",
            uses=_ids("eq-11", "theorem-3.5", "theorem-3.6"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the number of steps is printed with gamma^(-4)",
                decision="slip of print",
                why=(
                    "K eta has gamma^(-4)/m and the step gamma^4/m, which makes gamma^(-8); the corollary hides the "
                    "power. It hides logarithms too: the root of log(m) beside tau^(4/3) sqrt(m) is dropped on the way "
                    "to m >= eps^(-14)."
                ),
                tested=_ids("a3-rates-steps"),
            ),
        ),
        Statement(
            id="frei2019:lemma-B.1",
            label="Lemma B.1",
            title="operator norms of Gaussian weight matrices",
            kind="probability",
            theme="initialisation",
            locator="Appendix B.1, Lemma B.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-B.2",
            label="Lemma B.2",
            title="product of Gaussian residual maps with any gates",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, Lemma B.2",
            uses=_ids("lemma-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-B.3",
            label="Lemma B.3",
            title="outputs of every layer are Lipschitz in the input",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.1, Lemma B.3",
            uses=_ids("lemma-B.1", "lemma-B.2", "claim-C.1", "b3-first-layer"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "for the first layer the difference of the outputs is printed as the difference of the gates "
                    "times W_1^T (x - x'), which vanishes where the gates agree"
                ),
                decision="gap in the proof",
                why=(
                    "Claim C.1 gives a diagonal of norm at most 1 in its place, and with it the same constant; the "
                    "statement itself is tested, at pairs whose gates agree too."
                ),
                tested=("frei2019:lemma-B.3",),
            ),
        ),
        Statement(
            id="frei2019:b3-first-layer",
            label="Appendix C.2",
            title="difference of the first outputs, by the difference of the gates",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix C.2, the first layer",
            uses=_ids("claim-C.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the gates of the first point and a diagonal of Claim C.1 are printed as a difference of gates",
                decision="false as printed",
                why="The difference vanishes where the gates agree, and the outputs differ; Claim C.1 repairs it.",
                refuted=_ids("b3-first-layer"),
                tested=_ids("claim-C.1", "lemma-B.3"),
            ),
        ),
        Statement(
            id="frei2019:a41-monotone",
            label="Appendix B.1",
            title="entries of the states grow from layer to layer",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix B.1, states that do not fall",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:a41-layer1",
            label="Appendix B.1",
            title="norm of the first layer over a net",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, the first layer on a net",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-13",
            label="(13)",
            title="norms of all layers over a net, from above",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, eq. (13)",
            uses=_ids("lemma-B.2", "a41-layer1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-15",
            label="(15)",
            title="norm of the last layer over a net, from below",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.1, eq. (15)",
            uses=_ids("lemma-B.3", "eq-13"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-B.4",
            label="Lemma B.4",
            title="outputs and gates of all layers at two weights in the ball",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.1, Lemma B.4",
            uses=_ids("claim-C.1", "lemma-B.1", "lemma-B.2", "lemma-4.1", "lemma-C.2", "eq-36", "eq-37", "c3-split"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "sums start at r = 1, where the first layer stands already; each layer of the induction has a "
                    "constant of its own, larger than the one below"
                ),
                decision="gap in the proof",
                why=(
                    "The sums start at 2. Unrolled, (37) makes the constants grow by exp(theta L times the norms) in "
                    "all, whatever the depth."
                ),
                tested=_ids("lemma-B.4", "lemma-B.4-flips", "eq-37"),
            ),
        ),
        Statement(
            id="frei2019:lemma-B.5",
            label="Lemma B.5",
            title="output map on sparse vectors, at perturbed weights and all inputs",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix B.2, Lemma B.5",
            uses=_ids("lemma-C.3", "lemma-C.4", "eq-38", "b5-split"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="nothing ties the sparsity to the dimension, though the supremum is over all inputs",
                decision="false as printed",
                why=(
                    "The union is over vectors alone. An input has d numbers to open the gates that serve one entry, "
                    "which makes the response grow like sqrt(d), without any step and at s = 1. With s + d for s "
                    "it holds; where the lemma is used s is at least d. "
                    "It fails for every constant, as d may be chosen after it."
                ),
                refuted=_ids("lemma-B.5"),
                tested=_ids("lemma-B.5-corrected", "lemma-B.5-dimension"),
            ),
        ),
        Statement(
            id="frei2019:eq-16",
            label="(16)",
            title="output difference of two weight tuples, telescoped over the layers",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (16)",
            uses=_ids("def-interlayer"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-17",
            label="(17)",
            title="change of the image of a layer: flipped neurons, changed states, linear part",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (17)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-18",
            label="(18)",
            title="pre-activations of neurons whose gates differ",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.2, eq. (18)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:b2-sparse-signs",
            label="Appendix B.2",
            title="norm of a sparse vector of bounded entries",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, the norm of a sparse vector of signs",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-21",
            label="(21)",
            title="term of the last layer beyond its linear part",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (21)",
            uses=_ids("eq-17", "eq-18", "b2-sparse-signs", "lemma-B.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-23",
            label="(23)",
            title="terms of the residual layers beyond their linear parts",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (23)",
            uses=_ids("eq-17", "eq-18", "lemma-B.4", "lemma-B.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a sum over r is printed from l to 2, for 2 to l; in another l stands for the summed index r",
                decision="slip of print",
                why="The sums come from Lemma B.4, where they run from 2 to l; they are tested so.",
                tested=_ids("eq-23"),
            ),
        ),
        Statement(
            id="frei2019:eq-24",
            label="(24)",
            title="term of the first layer beyond its linear part",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (24)",
            uses=_ids("lemma-B.5", "eq-18"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the constant of Lemma B.5 and of (18) is left out",
                decision="slip of print",
                why="Any constant serves in (26); with 1, as printed, it stands at the sizes tested.",
                tested=_ids("eq-24"),
            ),
        ),
        Statement(
            id="frei2019:eq-25",
            label="(25)",
            title="linear terms of the split as inner products with the gradients",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (25)",
            uses=_ids("eq-2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the map in front of the step is printed as H_l; the gradient has H_{l+1}",
                decision="false as printed",
                why=(
                    "H_l has a factor I + theta Sigma W^T more, so that one sample and one neuron a layer give 2 for 1 "
                    "at theta = 1; in the first and the last layer its shape does not fit. The proof, (22) to (24), "
                    "uses H_{l+1}."
                ),
                refuted=_ids("eq-25"),
                tested=_ids("eq-25-corrected"),
            ),
        ),
        Statement(
            id="frei2019:eq-26",
            label="(26)",
            title="output beyond first order in a ball, by radius and distance",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix B.2, eq. (26)",
            uses=_ids("eq-21", "eq-23", "eq-24", "eq-25"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="a step of the first layer is printed as the difference of W_1 and W_{L+1}, of other shapes",
                decision="slip of print",
                why="The product comes from (21), which has the step of the first layer; it goes into h^2.",
                tested=_ids("eq-26"),
            ),
        ),
        Statement(
            id="frei2019:b2-taylor",
            label="Appendix B.2",
            title="mean logistic loss beyond first order in the outputs",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.2, the expansion of the loss",
            uses=_ids("lemma-B.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-B.6",
            label="Lemma B.6",
            title="features of the last layer from below, for all weights of the samples",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.3, Lemma B.6",
            uses=_ids("proposition-C.5", "eq-41", "eq-42"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-27",
            label="(27)",
            title="features of the last layer from below, weighted by the slopes of the loss",
            kind="probability",
            theme="gradient_lower_bound",
            locator="Appendix B.3, eq. (27)",
            uses=_ids("lemma-B.6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-28",
            label="(28)",
            title="gradient of one neuron of the last layer, from above",
            kind="probability",
            theme="gradient_upper_bound",
            locator="Appendix B.3, eq. (28)",
            uses=_ids("lemma-4.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=("the norms of the states are bounded by 1.02 by Lemma 4.1, which has 1.024"),
                decision="no error",
                why=(
                    "The states that enter the last layer are below 1.015 and a little, and 1.024^2 is below the 1.05 "
                    "that follows as well."
                ),
                tested=_ids("eq-28", "eq-28-certified"),
            ),
        ),
        Statement(
            id="frei2019:eq-29",
            label="(29)",
            title="number of neurons with a large gradient",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.3, eq. (29)",
            uses=_ids("eq-27", "eq-28"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-30",
            label="(30)",
            title="gates of the last layer that differ at one sample",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, eq. (30)",
            uses=_ids("lemma-B.4", "eq-29"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=("A' is defined at one sample, and (32) takes the neurons outside of it at all samples"),
                decision="gap in the proof",
                why=(
                    "One step of norm 12/n turns nearly every gate at some of n samples. Neurons that turn at samples "
                    "of a share c gamma of the error are C tau^(2/3) m/(c gamma) at most, which asks for tau <= nu "
                    "gamma^(9/2); Theorem 3.5 has gamma^12."
                ),
                tested=_ids("eq-30", "eq-30-union", "eq-32-weighted", "lemma-4.3-flipped"),
            ),
        ),
        Statement(
            id="frei2019:eq-31",
            label="(31)",
            title="number of these neurons whose gates stay",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.3, eq. (31)",
            uses=_ids("eq-29", "eq-30"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-32",
            label="(32)",
            title="gradient of a neuron whose gate is the same at all samples",
            kind="probability",
            theme="forward_stability",
            locator="Appendix B.3, eq. (32)",
            uses=_ids("lemma-B.4"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "of A less A' for one sample it is false, and of all samples (30) does not bound the set; sigma is "
                    "printed for its derivative"
                ),
                decision="gap in the proof",
                why=(
                    "A neuron may turn at all samples but that one and lose its gradient. With the share of the error "
                    "at whose samples it turns as a second term it holds for every neuron."
                ),
                tested=_ids("eq-32", "eq-32-weighted"),
            ),
        ),
        Statement(
            id="frei2019:eq-33",
            label="(33)",
            title="gradient of a neuron from below, where its gates stay",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.3, eq. (33)",
            uses=_ids("eq-31", "eq-32"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="C_3 tau is asked to be below 134^(-1/2) - 1/16, without the margin gamma",
                decision="false as printed",
                why=(
                    "gamma/sqrt(134) - C_3 tau is below gamma/16 as soon as C_3 tau exceeds gamma times that number. "
                    "tau <= nu gamma^3 gives it for a nu below that number over C_3, so that nothing else changes."
                ),
                refuted=_ids("eq-33"),
                tested=_ids("eq-33-corrected"),
            ),
        ),
        Statement(
            id="frei2019:eq-34",
            label="(34)",
            title="gradient of the loss in each layer, in closed form",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Appendix B.4, eq. (34)",
            uses=_ids("eq-2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-35",
            label="(35)",
            title="perturbed states and maps to the last layer stay bounded",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix B.4, eq. (35)",
            uses=_ids("lemma-B.2", "lemma-B.4"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-B.2-core",
            label="Appendix C.1",
            title="product of residual maps with any gates",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix C.1, the product of norms",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:claim-C.1",
            label="Claim C.1",
            title="difference of two rectified vectors as a contracted diagonal map",
            kind="deterministic",
            theme="activation",
            locator="Appendix C.2, Claim C.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-C.2",
            label="Lemma C.2",
            title="few neurons with small pre-activations, at all inputs",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix C.3, Lemma C.2",
            uses=_ids("claim-D.1", "lemma-4.1", "lemma-B.1", "lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:c3-split",
            label="Appendix C.3",
            title="gates that differ, of small and of large pre-activations",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix C.3, the two kinds of flips",
            uses=_ids("lemma-C.2", "eq-36", "eq-37"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-36",
            label="(36)",
            title="first layer at two weights",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix C.3, eq. (36)",
            uses=_ids("claim-C.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-37",
            label="(37)",
            title="residual layer at two weights and two inputs",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix C.3, eq. (37)",
            uses=_ids("claim-C.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:lemma-C.3",
            label="Lemma C.3",
            title="bilinear form of the last layer on pairs of sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix C.4, Lemma C.3",
            uses=_ids("eq-44", "d2-nets", "d2-lift"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the maps are not said to be independent of the last layer, and nets count only from s = 22 on",
                decision="false as printed",
                why=(
                    "A map of rank one made of a weight vector w of the last layer has norm 1 and at single entries "
                    "the value ||w||, about sqrt(2). Independent maps keep the bound, for smaller s as well. "
                    "It fails for every constant, as the bound falls with the width and that value does not."
                ),
                refuted=_ids("lemma-C.3"),
                tested=_ids("lemma-C.3-corrected", "lemma-C.3-sharp"),
            ),
        ),
        Statement(
            id="frei2019:lemma-C.4",
            label="Lemma C.4",
            title="output row on sparse vectors, at one input",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix C.4, Lemma C.4",
            uses=_ids("d3-lift"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the maps are not said to be independent of the last layer; the proof gates by the sparse vector",
                decision="false as printed",
                why=(
                    "A map of rank one made of the output row u has norm 1 and the response ||u||, about sqrt(m). The "
                    "proof's sum has the gates of the sparse vector for those of the state, and is not linear; with "
                    "the right gates its terms have the tail that it asks for. "
                    "It fails for every constant, as the bound is of order sqrt(log m)."
                ),
                refuted=_ids("lemma-C.4"),
                tested=_ids("lemma-C.4-corrected", "lemma-C.4-network"),
            ),
        ),
        Statement(
            id="frei2019:eq-38",
            label="(38)",
            title="perturbed residual product, applied to a vector",
            kind="deterministic",
            theme="norm_preservation",
            locator="Appendix C.4, eq. (38)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:b5-split",
            label="Appendix C.4",
            title="response at perturbed weights in four terms",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix C.4, the four terms",
            uses=_ids("eq-38"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the third term is printed with the matrices of layer l + 1",
                decision="slip of print",
                why="They are those of the last layer, as in the split itself.",
                tested=_ids("b5-split", "b5-split-terms"),
            ),
        ),
        Statement(
            id="frei2019:proposition-C.5",
            label="Proposition C.5",
            title="one vector separates the states of all layers",
            kind="probability",
            theme="separation",
            locator="Appendix C.5, Proposition C.5",
            uses=_ids("assumption-3.2", "lemma-B.3", "eq-39", "eq-40"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="gamma/2 is stated for all layers, and the proof ends at gamma/4, for scales theta below gamma/L",
                decision="gap in the proof",
                why=(
                    "The vector of the proof has the margin sqrt(2) gamma at the first layer, not gamma/2, which pays "
                    "for the drift. The scale has to be small against gamma for that vector where c has a mean: "
                    "without it a control is refuted."
                ),
                tested=_ids("proposition-C.5"),
            ),
        ),
        Statement(
            id="frei2019:eq-39",
            label="(39)",
            title="aligned state of a layer as a sum of drifts",
            kind="deterministic",
            theme="separation",
            locator="Appendix C.5, eq. (39)",
            uses=_ids("def-network"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-40",
            label="(40)",
            title="drift of one residual layer along a vector",
            kind="probability",
            theme="separation",
            locator="Appendix C.5, eq. (40)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="alpha stands for the vector of the proof and for that of norm 1, and x_l for x_{l-1} at the end",
                decision="slip of print",
                why=(
                    "Entries of size 1/sqrt(m) are those of the vector before it is divided by its norm, which is at "
                    "most 1; with that of norm 1 the terms may be larger, as a control shows, and their sum is at most "
                    "the norm of the layer's output."
                ),
                tested=_ids("eq-40", "eq-40-terms"),
            ),
        ),
        Statement(
            id="frei2019:eq-41",
            label="(41)",
            title="weighted aligned state of a sample from below",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix C.5, eq. (41)",
            uses=_ids("proposition-C.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the bound is printed as a y gamma/4, with the label",
                decision="slip of print",
                why="That is weaker for label -1, and void for Lemma B.6, whose proof goes on without the label.",
                tested=_ids("eq-41"),
            ),
        ),
        Statement(
            id="frei2019:eq-42",
            label="(42)",
            title="share of open gates in the last layer",
            kind="probability",
            theme="initialisation",
            locator="Appendix C.5, eq. (42)",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:b6-arith",
            label="Appendix C.5",
            title="numbers of Lemmas 4.3 and B.6",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendices B.3 and C.5, the numerical constants",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:claim-D.1",
            label="Claim D.1",
            title="few neurons with small pre-activations, for finitely many vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix D.1, Claim D.1",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the finite set is not said to be independent of the layer",
                decision="false as printed",
                why=(
                    "A vector chosen against the layer is orthogonal to all weight vectors but one: m - 1 are small, "
                    "99, 399 and 1599 of 100, 400 and 1600, where the bound, of order sqrt(m), has 25, 49 and 99. Of "
                    "vectors made of the layers before it is true, and the paper takes no others."
                ),
                refuted=_ids("claim-D.1"),
                tested=_ids("claim-D.1-corrected"),
            ),
        ),
        Statement(
            id="frei2019:d1-lift",
            label="Appendix D.1",
            title="small pre-activations at an input and at the nearest point of a net",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix D.1, from the net to the sphere",
            uses=_ids("lemma-B.3"),
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:eq-44",
            label="(44)",
            title="tail of the bilinear form at fixed vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix D.2, eq. (44)",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the tail of a Gaussian is printed with log(1/delta), without a factor 2 inside",
                decision="no error",
                why="P(|N(0, 1)| > u) is at most exp(-u^2/2), so that the printed form holds with the constant 2 C_0.",
                tested=_ids("eq-44"),
            ),
        ),
        Statement(
            id="frei2019:d2-nets",
            label="Appendix D.2",
            title="points in nets of sparse spheres",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix D.2, the size of the nets",
            coverage=ByClaim(),
            suspect=Suspect(
                what="binom(m, s) 9^s is said to be at most m^s for s larger than 15",
                decision="false as printed",
                why=(
                    "For large m it is m^s 9^s/s!, and 9^s exceeds s! up to s = 21: at s = 16 it fails from m = 33 on. "
                    "From 22 on it is true; the lemma changes by a constant."
                ),
                refuted=_ids("d2-nets"),
                tested=_ids("d2-nets-corrected"),
            ),
        ),
        Statement(
            id="frei2019:d2-lift",
            label="Appendix D.2",
            title="suprema over pairs of sparse vectors from nets",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix D.2, from the nets to sparse vectors",
            coverage=ByClaim(),
        ),
        Statement(
            id="frei2019:d3-lift",
            label="Appendix D.3",
            title="suprema over sparse vectors from a net",
            kind="deterministic",
            theme="sparse_spectral",
            locator="Appendix D.3, from the net to sparse vectors",
            coverage=ByClaim(),
        ),
    ),
    versions=(
        Version("size of the output at the start", "frei2019:eq-8-outputs"),
        # At the first layer, which inputs of norm 1 enter.
        Version("number of small pre-activations", "frei2019:claim-D.1-corrected", renamed={"clow": 1.0}),
        Version("operator norm of Gaussian layers", "frei2019:lemma-B.1-sharp", theme="initialisation"),
        Version(
            "norm of a layer's output against that of the input",
            "frei2019:a41-layer1",
            apart="about the first layer at all points of a net, and not about all layers",
        ),
        Version(
            "norm of the last layer against the depth, with scaled skips, with skips and without",
            "frei2019:lemma-4.1-depth-without-skips",
            theme="norm_preservation",
        ),
        Version(
            "norm of the last layer against the depth, with scaled skips, with skips and without",
            "frei2019:lemma-4.1-depth",
        ),
        Version(
            "norm of the last layer against the depth, with scaled skips, with skips and without",
            "frei2019:lemma-4.1-depth-at-large-widths",
        ),
        Version(
            "norm of the last layer against the depth, with scaled skips, with skips and without",
            "frei2019:lemma-4.1-depth-at-scale-1",
        ),
        Version("neurons that flip within a radius", "frei2019:lemma-B.4-flips"),
        Version(
            "what flips change in the vector propagated back",
            "frei2019:eq-26-kinks",
            apart="about what a step from kinks gains of the output, and not about the vector alone",
        ),
        Version("loss beyond first order in the weights: semi-smoothness", "frei2019:lemma-4.2"),
        Version("gradient from below by the loss and the separation", "frei2019:lemma-4.3-sharp"),
        Version("gradient from above by the loss", "frei2019:lemma-4.4-orders"),
        Version("loss beyond first order in the outputs", "frei2019:b2-taylor", theme="smoothness"),
        Version("loss beyond first order in the outputs", "frei2019:b2-taylor-sharp"),
        Version("error of linearisation of the output in a ball, by neurons that flip", "frei2019:a2-i1"),
        Version(
            "Rademacher complexity of what is linear in the weights of a ball",
            "frei2019:a2-i2",
            renamed={"tau": "omega"},
        ),
        Version(
            "size of the correction of the gates between two rectified vectors",
            "frei2019:claim-C.1",
            theme="activation",
        ),
        Version("order of the width that gradient descent asks for", "frei2019:corollary-3.7"),
    ),
)
