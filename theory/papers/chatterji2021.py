"""Chatterji, Long and Bartlett 2021: gradient descent on the logistic loss of deep networks with smoothed ReLUs.

Main definition: `PAPER`, with every statement of the paper: those of the main text first, then those of the
appendices. A display inside a proof has a record of its own where it can be wrong on its own. Where a printed
form is doubtful and nothing decides it yet, the reason that the statement is open says why.
"""

from functools import partial

from theory.core.statements import ByClaim, ByDefinition, Paper, Statement, Suspect, Version, ids

_ids = partial(ids, "chatterji2021")

PAPER = Paper(
    key="chatterji2021",
    title=(
        "When Does Gradient Descent with Logistic Loss Interpolate Using Deep Networks with Smoothed ReLU Activations?"
    ),
    authors=("Niladri S. Chatterji", "Philip M. Long", "Peter L. Bartlett"),
    year=2021,
    url="https://arxiv.org/abs/2102.04998",
    setting=(
        "f(x) = V_{L+1} phi(V_L ... phi(V_1 x)): L hidden layers of m neurons (p in the paper), one output; all L + 1 "
        "layers are trained. V_1 takes d coordinates, m in print. In Section 3.2 and Appendices C to E phi is the "
        "Huberised ReLU of bend h and V^(1) is Gaussian: independent entries N(0, 2/m) in V_1 to V_L, N(0, 1) in "
        "V_{L+1}. Elsewhere weights are any, and phi is any activation of Definition 2.1: phi(0) = 0, |phi'| <= 1, "
        "phi' 1/h-Lipschitz, |phi'(z) z - phi(z)| <= h/2. Inputs x_0 are n unit vectors, labels y 1 or -1; in Appendix "
        "C L = 1 and they are close to y mu, mu a unit vector. u_l = V_l x_{l-1} are the pre-activations, x_l = "
        "phi(u_l) the features of layer l, Sigma_l the diagonal matrix of slopes phi'(u_l), in between in products of "
        "layers. J is the mean over the samples of J_s = log(1 + exp(-y f(x))), g_s = 1/(1 + exp(y f(x))). Descent is "
        "V^(t+1) = V^(t) - eta grad J (alpha in print), J_t = J(V^(t)). Norms of vectors are Euclidean; of matrices, "
        "all layers together (||V||) and gradients Frobenius, unless op says operator norm. "
        "delta is a chance of failure over V^(1); constants C, c that print leaves open are ours."
    ),
    statements=(
        Statement(
            id="chatterji2021:def-local-lip",
            label="Section 2.1 (Lip)",
            title="local Lipschitz constant of the gradient of the loss",
            kind="definition",
            theme="smoothness",
            locator="Section 2.1, last display",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-2.1",
            label="Definition 2.1",
            title="differentiable activations that are nearly rectification",
            kind="definition",
            theme="activation",
            locator="Section 2.2, Definition 2.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:ex-huber",
            label="(1)",
            title="rectification with a quadratic bend of length h",
            kind="definition",
            theme="activation",
            locator="Section 2.2, eq. (1)",
            uses=_ids("def-2.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:ex-swish",
            label="Section 2.2, example 2",
            title="Swish scaled down by 1.1",
            kind="definition",
            theme="activation",
            locator="Section 2.2, second example of an activation",
            uses=_ids("def-2.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:eq-2",
            label="(2a)-(2b)",
            title="gradient of the output and of the loss in every layer, the last one included",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Section 2.2, eqs. (2a) and (2b)",
            uses=_ids("def-2.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-2.2",
            label="Definition 2.2",
            title="loss of each example and of all examples along the path",
            kind="definition",
            theme="convergence",
            locator="Section 2.2, Definition 2.2",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:eq-3",
            label="(3a)-(3c)",
            title="largest bend, largest step and the rate they allow",
            kind="definition",
            theme="convergence",
            locator="Section 3.1, eqs. (3a) to (3c)",
            uses=_ids("def-2.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:thm-3.1",
            label="Theorem 3.1",
            title="gradient descent from a small loss goes on at rate 1/t at any width",
            kind="convergence",
            theme="convergence",
            locator="Section 3.1, Theorem 3.1; proof in Section 4.2",
            uses=_ids("eq-3", "ih", "lemma-4.6", "lemma-4.7", "lemma-4.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof is an induction by Lemmas 4.5 and 4.7, both false for very deep networks",
                decision="gap in the proof",
                why=(
                    "It stands where the first weights have norm sqrt(e L) at least, to which a small loss of three "
                    "samples forces them up to depth 11. Deeper the rate was watched and not proved: it has a power "
                    "of the logarithm to spare for the gradient in the last layer alone, near J log(1/J)/||V||; "
                    "(I2) and the rate with the squared logarithm fail at the second iterate of a network of 800 "
                    "layers. From three layers on a step does not move plain floats, and without an allowance for "
                    "rounding it would be called false."
                ),
                tested=_ids("thm-3.1", "thm-3.1-sharp", "thm-3.1-deep", "thm-3.1-very-deep"),
            ),
        ),
        Statement(
            id="chatterji2021:assumption-3.2",
            label="Assumption 3.2",
            title="margin in the gradient features at the start",
            kind="assumption",
            theme="ntk",
            locator="Section 3.2, Assumption 3.2",
            uses=_ids("ex-huber"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:eq-4-5",
            label="(4)-(5)",
            title="radius and bend of the two-stage result",
            kind="definition",
            theme="ntk",
            locator="Section 3.2, eqs. (4) and (5)",
            uses=_ids("assumption-3.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the radius is justified in the proof of Theorem 3.3 by an upper bound of the exponential",
                decision="slip of print",
                why=(
                    "It is as large as Lemma D.9 asks, by exp(z) - 1 >= z and not by the inequality cited, with the "
                    "root over p alone. Of the bend nothing is doubtful but what the proof of Theorem 3.3 says of it."
                ),
                tested=_ids("eq-4-5", "eq-4-5-bend"),
            ),
        ),
        Statement(
            id="chatterji2021:thm-3.3",
            label="Theorem 3.3",
            title="two stages of descent from Gaussian weights under a margin",
            kind="convergence",
            theme="convergence",
            locator="Section 3.2, Theorem 3.3; proof in Appendix D.3",
            uses=_ids(
                "eq-3", "assumption-3.2", "eq-4-5", "ineq-h-NT", "thm-3.1", "lemma-D.8", "lemma-D.9", "lemma-E.12"
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "its proof puts h_NT below h_max, which is wrong by a constant factor; it rests on Lemma D.7(a), "
                    "the last step of which asks for a large radius where the lemma has a small one; and a width of "
                    "r/gamma^2 does not make the radius as small as Lemma D.8 asks"
                ),
                decision="gap in the proof",
                why=(
                    "With 10 for 6 in h_NT Theorem 3.1 applies, and 72 takes the place of 50 in the rate, within the "
                    "unstated constant. The number of steps of the first stage reaches its target exactly; the radius "
                    "enters through the error of linearisation alone, which is measured where Lemmas D.6 and D.8 are "
                    "run. The theorem's own first stage takes 3^26 steps at the least; it is run in steps divided by "
                    "the loss, and the second from where it ends, with either bend: the loss falls faster than it has "
                    "to, also where h_NT is above its limit. For Lemma D.8 to apply the width has to be of the order "
                    "gamma^-8, which is the least; for a constant margin that is no more than the paper asks. The "
                    "printed m >= r/gamma^2 is not enough, whatever the polynomial r: along m = t^2, gamma = 1/t the "
                    "radius stays and its limit falls. So the first scenario after the theorem needs omega below 1/8, "
                    "not below 1/2; and the logarithm of m asks for a power of log(1/gamma) more."
                ),
                tested=_ids(
                    "thm-3.3",
                    "thm-3.3-rate",
                    "thm-3.3-first",
                    "thm-3.3-width",
                    "thm-3.3-corrected",
                    "thm-3.3-run-corrected",
                    "thm-3.3-run-sharp",
                    "ineq-h-NT-corrected",
                    "lemma-D.8",
                ),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.1",
            label="Lemma 4.1",
            title="decrease in one step along which the gradient is Lipschitz",
            kind="deterministic",
            theme="smoothness",
            locator="Section 4.1, Lemma 4.1; proof in Appendix B.3",
            uses=_ids("def-local-lip", "def-2.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-4.2",
            label="Lemma 4.2",
            title="curvature of the loss proportional to the loss",
            kind="deterministic",
            theme="smoothness",
            locator="Section 4.1, Lemma 4.2; proof in Appendix B.4",
            uses=_ids("def-local-lip", "lemma-B.17"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "at the smallest norm allowed the proof applies Lemma B.17, which asks for a larger one, of the "
                    "weights and of all hybrids with their neighbours"
                ),
                decision="gap in the proof",
                why=(
                    "The second derivative bounded by the operator norms of the layers gives the statement for every "
                    "norm above one, the smallest included, and with the power 2 L of the norm for 3 L + 5. So no "
                    "network comes near the printed bound, at whatever depth."
                ),
                tested=_ids("lemma-4.2", "lemma-4.2-sharp", "lemma-4.2-norms"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.3",
            label="Lemma 4.3",
            title="gradient of the loss at most a power of the norm times the loss",
            kind="deterministic",
            theme="gradient_upper_bound",
            locator="Section 4.1, Lemma 4.3; proof in Appendix B.5",
            uses=_ids("eq-2", "lemma-B.3", "lemma-B.7", "lemma-B.9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof cites Lemma B.7, which is false as printed for deep networks",
                decision="no error",
                why=(
                    "Of that lemma it uses only that a product of L norms is at most the power L + 1 of the whole, "
                    "which is true for norms above one; the forms without that loss are attained."
                ),
                tested=_ids("lemma-4.3", "lemma-4.3-sharp", "lemma-4.3-products"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.4",
            label="Lemma 4.4",
            title="one step of descent lowers a small loss",
            kind="deterministic",
            theme="convergence",
            locator="Section 4.1, Lemma 4.4; proof in Appendix B.6",
            uses=_ids("lemma-4.1", "lemma-4.2", "lemma-4.3", "lemma-B.5", "ineq-binomial"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="three samples or more are used, through Lemma B.5, and not asked for",
                decision="false as printed",
                why=(
                    "With one sample every loss below 1 is small enough, the weights may be small, and the step is "
                    "bounded by an inverse power of their norm: the right side then exceeds the whole loss. From two "
                    "samples on the lemma holds."
                ),
                refuted=_ids("lemma-4.4"),
                tested=_ids("lemma-4.4-corrected"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.5",
            label="Lemma 4.5",
            title="gradient from below by its alignment with the weights",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Section 4.1, Lemma 4.5; proof in Appendix B.7",
            uses=_ids("eq-2", "eq-3", "lemma-B.3", "lemma-B.4", "lemma-B.5", "ineq-psi", "lemma-B.18"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "rests on Lemma B.18, which fails for deep networks, and with one sample weights (0, v) have "
                    "next to no gradient, or none at all"
                ),
                decision="false as printed",
                why=(
                    "A chain of 500 neurons, weak layers below strong ones and an activation that bends down in "
                    "between, has a gradient of 0.98 times the bound, by ball arithmetic. With norms of at least "
                    "sqrt(e L) the proof is right; three samples make them so large up to 11 layers. Past its bend an "
                    "activation lags by h/2 in each layer, and what follows the weak layers magnifies it; equal "
                    "layers, with (L + 1)/(L + 3/4), do not show it. With one sample any loss below 1 is small "
                    "enough: at V = (0, v) the margin is 0, J = log(2) < 1, and the gradient is v phi'(0)/2 in V_1 "
                    "and nothing in V_2, where 0.445/v is asked for: too little for v up to 0.94 where phi'(0) = 1, "
                    "and for all v where phi'(0) = 0."
                ),
                refuted=_ids("lemma-4.5", "lemma-4.5-one-sample"),
                tested=_ids("lemma-4.5-corrected", "lemma-4.5-deep"),
            ),
        ),
        Statement(
            id="chatterji2021:ih",
            label="(I1)-(I3)",
            title="three invariants of the path: loss, ratio of log-loss to norm, step length",
            kind="convergence",
            theme="convergence",
            locator="Section 4.2, displays (I1) to (I3)",
            uses=_ids("eq-3", "lemma-4.6", "lemma-4.7", "lemma-4.8"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the second invariant is that of Lemma 4.7, whose proof needs larger weights than deep nets need",
                decision="false as printed",
                why=(
                    "801 scalar layers that meet every hypothesis break it with the first step, decided in balls; with "
                    "first weights of norm sqrt(e L) at least all three hold at every step of every path."
                ),
                refuted=_ids("ih"),
                tested=_ids("ih-corrected", "ih-long"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.6",
            label="Lemma 4.6",
            title="first invariant: the loss keeps its rate for one more step",
            kind="deterministic",
            theme="convergence",
            locator="Section 4.2, Lemma 4.6",
            uses=_ids("eq-3", "lemma-4.4", "lemma-4.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="(7) is derived from Lemma 4.5, which is false for very deep networks",
                decision="gap in the proof",
                why=(
                    "From (7) on the lemma is proved, and (7) was watched at every step of true paths; for first "
                    "weights of norm sqrt(e L) at least its proof stands."
                ),
                tested=_ids("lemma-4.6", "lemma-4.6-path", "lemma-4.6-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.7",
            label="Lemma 4.7",
            title="second invariant: log-loss over a power of the norm does not fall",
            kind="deterministic",
            theme="convergence",
            locator="Section 4.2, Lemma 4.7",
            uses=_ids("lemma-4.3", "lemma-4.4", "lemma-4.5", "lemma-B.5", "ineq-binomial"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof uses Lemma 4.5, which is false for very deep networks, and leaves out one hidden layer",
                decision="false as printed",
                why=(
                    "The ratio falls in the first step of 801 scalar layers that meet every hypothesis, decided in "
                    "balls. For first weights of norm sqrt(e L) at least it does not, and (9) is proved at every depth."
                ),
                refuted=_ids("lemma-4.7"),
                tested=_ids("lemma-4.7-corrected", "lemma-4.7-sufficient"),
            ),
        ),
        Statement(
            id="chatterji2021:ineq-binomial",
            label="proofs of Lemmas 4.4, 4.7, B.5, B.16, B.17",
            title="powers and exponentials against their first-order forms",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Section 4.2, proof of Lemma 4.7; Appendix B, proofs of Lemmas 4.4, 4.5, B.5, B.16 and B.17",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-4.8",
            label="Lemma 4.8",
            title="third invariant: the step stays short enough",
            kind="deterministic",
            theme="convergence",
            locator="Section 4.2, Lemma 4.8",
            uses=_ids("eq-3", "lemma-4.6", "lemma-4.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the argument rests on Lemma 4.7, which is false for very deep networks, and its last display has "
                    "sqrt(p) for p"
                ),
                decision="gap in the proof",
                why=(
                    "From Lemma 4.7 on the argument is proved, with p as in alpha_max and (I3). Where Lemma 4.7 holds, "
                    "as for first weights of norm sqrt(e L) at least, the lemma does."
                ),
                tested=_ids("lemma-4.8", "lemma-4.8-path"),
            ),
        ),
        Statement(
            id="chatterji2021:def-B.1",
            label="Definition B.1",
            title="weight of an example in the gradient",
            kind="definition",
            theme="convergence",
            locator="Appendix B.1, Definition B.1",
            uses=_ids("def-2.2"),
            coverage=ByDefinition(where="nets.networks.log_loss.logistic_terms", tested="nets/tests/test_log_loss.py"),
        ),
        Statement(
            id="chatterji2021:def-B.2",
            label="Definition B.2",
            title="features and slopes along the path",
            kind="definition",
            theme="forward_stability",
            locator="Appendix B.1, Definition B.2",
            uses=_ids("def-2.1", "def-2.2"),
            coverage=ByDefinition(where="nets.networks.forward.Forward", tested="nets/tests/test_smooth_networks.py"),
            suspect=Suspect(
                what="features and slopes are defined for the output layer too, which has no activation",
                decision="slip of print",
                why="they are never used there; the pre-activation of the output layer is the output",
                tested=_ids("eq-2", "eq-2-backpropagation"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.3",
            label="Lemma B.3",
            title="weight of an example below its loss",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.3",
            uses=_ids("def-B.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-B.4",
            label="Lemma B.4",
            title="a sum of concave terms is least at a corner",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.4",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof calls psi non-negative, which the lemma does not ask for",
                decision="gap in the proof",
                why=(
                    "Not needed: a concave psi with psi(0) = 0 is at least its chord from 0 to M, so that the terms "
                    "add up to psi(M) or more, whatever their signs. Functions below zero are among those tested."
                ),
                tested=_ids("lemma-B.4"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.5",
            label="Lemma B.5",
            title="a small loss needs large weights",
            kind="deterministic",
            theme="convergence",
            locator="Appendix B.2, Lemma B.5",
            uses=_ids("lemma-B.9", "ineq-binomial"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof uses three samples or more, which the lemma does not ask for",
                decision="false as printed",
                why=(
                    "With one sample a loss of 2 is allowed, and zero weights have the loss log(2). Two samples are "
                    "enough for the proof, which needs a margin above 1."
                ),
                refuted=_ids("lemma-B.5"),
                tested=_ids("lemma-B.5-corrected", "lemma-B.5-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.6",
            label="Lemma B.6",
            title="product of the norms of the last layers under a total norm",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.6",
            coverage=ByClaim(),
            suspect=Suspect(
                what="part 1 takes (||V||/sqrt(q))^q to grow with the number q of factors up to L",
                decision="false as printed",
                why=(
                    "It grows up to q = ||V||^2/e only, so that fewer layers with all the norm have a larger product: "
                    "for L = 2 an output layer of norm 7/4 alone. From ||V|| = sqrt(e L) on part 1 is right; part 2 "
                    "is right as it stands. At the printed premise, ||V||^2 near L + 1, that is long before q = L. "
                    "Random layers are balanced and do not show it; for L = 1, where the output layer is the only one "
                    "above, part 1 is true. Sharp is ||V||^2 = L^L/(L-1)^(L-1), just below e L, where L - 1 factors "
                    "do as well as L. With three samples or more a loss below n^-(1 + 24 L) makes ||V|| so large up "
                    "to L = 11."
                ),
                refuted=_ids("lemma-B.6"),
                tested=_ids("lemma-B.6-corrected", "lemma-B.6-part-2", "lemma-B.6-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.7",
            label="Lemma B.7",
            title="product of operator norms under a total Frobenius norm",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.7",
            coverage=ByClaim(),
            suspect=Suspect(
                what="the proof compares the ends of (||A||/sqrt(q))^q, which has its largest value between them",
                decision="false as printed",
                why=(
                    "Of three scalar blocks 3/2, 3/2 and 0 the first two multiply to 9/4, more than both branches. "
                    "Later proofs use no more than ||A||^(L+1) for ||A|| of at least 1, which is right; that of Lemma "
                    "B.8 uses more, and does without."
                ),
                refuted=_ids("lemma-B.7"),
                tested=_ids("lemma-B.7-corrected", "lemma-B.7-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.8",
            label="Lemma B.8",
            title="change of a product of matrices when every factor moves",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.2, Lemma B.8",
            uses=_ids("lemma-B.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof quotes Lemma B.7, which is false",
                decision="gap in the proof",
                why=(
                    "Exactly L factors remain where one is exchanged, so that the inequality of means does without "
                    "Lemma B.7. It gives a form without a lower bound on the norm, with the power L in place of L + "
                    "1, which equal scalars approach."
                ),
                tested=_ids("lemma-B.8", "lemma-B.8-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.9",
            label="Lemma B.9",
            title="the activation does not stretch distances",
            kind="deterministic",
            theme="activation",
            locator="Appendix B.2, Lemma B.9",
            uses=_ids("def-2.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-B.10",
            label="Lemma B.10",
            title="features and their change when one layer is replaced",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.4, Lemma B.10",
            uses=_ids("lemma-B.7", "lemma-B.9"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof quotes Lemma B.7, which is false for deep networks",
                decision="no error",
                why=(
                    "Products of operator norms are all it needs, and with a norm of at least 1 these are below the "
                    "power L + 1. The form with the products is an equality for the identity and aligned layers."
                ),
                tested=_ids("lemma-B.10", "lemma-B.10-change", "lemma-B.10-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.11",
            label="Lemma B.11",
            title="change of the slopes when one layer is replaced",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.4, Lemma B.11",
            uses=_ids("def-2.1", "lemma-B.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="states V as L layers, where the norm, its least value and the power belong to L + 1",
                decision="slip of print",
                why=(
                    "As in Lemma B.10, which it quotes, there are L + 1 layers. With a zero output layer that "
                    "reading contains the printed one, and such weights are among those tested."
                ),
                tested=_ids("lemma-B.11", "lemma-B.11-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.12",
            label="Lemma B.12",
            title="change of the weight of an example when one layer is replaced",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.4, Lemma B.12",
            uses=_ids("def-B.1", "lemma-B.3", "lemma-B.10", "ineq-logistic-second"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="asks for a step that is short in proportion to a power of the norm",
                decision="no error",
                why=(
                    "It is needed for the second-order expansion of the proof alone. By the mean value theorem the "
                    "change is at most J d Pi/log(2), d being the step and Pi the product of the other norms, as "
                    "long as the loss of W is at most twice that of V."
                ),
                tested=_ids("lemma-B.12", "lemma-B.12-margins", "lemma-B.12-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:ineq-logistic-second",
            label="proof of Lemma B.12",
            title="second derivative of the weight below the loss",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.4, proof of Lemma B.12, step (i) for the second term",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-B.13",
            label="Lemma B.13",
            title="change of the gradient when one layer is replaced",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.4, Lemma B.13",
            uses=_ids("eq-2", "lemma-B.3", "lemma-B.10", "lemma-B.12", "lemma-B.14", "lemma-B.15", "lemma-B.16"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "its proof invokes Lemma B.12, whose condition on the product of step and norms is not among "
                    "the hypotheses"
                ),
                decision="gap in the proof",
                why=(
                    "Lemma B.12 holds without that condition, and with it the statement as printed: so it was "
                    "tested, with steps that break the condition, and with it. The sharp form needs the loss of W "
                    "to be at most twice that of V, nothing else, and no root of the width."
                ),
                tested=_ids("lemma-B.13", "lemma-B.13-corrected", "lemma-B.13-sharp", "lemma-B.13-implied"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.14",
            label="Lemma B.14",
            title="part of that change due to the incoming features",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.4, Lemma B.14",
            uses=_ids("lemma-B.3", "lemma-B.7", "lemma-B.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof quotes Lemma B.7, which is false for deep networks",
                decision="no error",
                why=(
                    "A product of the operator norms of L - 1 layers is all that is left, which a power of the norm "
                    "bounds. The form with this product is approached by a small loss that doubles."
                ),
                tested=_ids("lemma-B.14", "lemma-B.14-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.15",
            label="Lemma B.15",
            title="part of that change due to the weight of the example and the output layer",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.4, Lemma B.15",
            uses=_ids("lemma-B.3", "lemma-B.7", "lemma-B.10", "lemma-B.12"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "its proof invokes Lemma B.12 without the condition on the product of step and norms; and Lemma "
                    "B.7, which is false"
                ),
                decision="gap in the proof",
                why=(
                    "Lemma B.12 holds without that condition, and products of operator norms replace Lemma B.7. The "
                    "statement was tested as printed, with the condition, and in a sharp form without any on norms "
                    "or step."
                ),
                tested=_ids("lemma-B.15", "lemma-B.15-corrected", "lemma-B.15-sharp", "lemma-B.15-implied"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.16",
            label="Lemma B.16",
            title="part of that change due to the slopes in between",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.4, Lemma B.16",
            uses=_ids("lemma-B.3", "lemma-B.7", "lemma-B.8", "lemma-B.10", "lemma-B.11", "ineq-binomial"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "one display of its proof has lost the factor ||V - W||, and Lemma B.7, which it quotes, is false"
                ),
                decision="gap in the proof",
                why=(
                    "With the factor put back the next line follows, and products of operator norms replace Lemma "
                    "B.7. The sharp form is approached by hidden layers in the bend and by a small loss that "
                    "doubles."
                ),
                tested=_ids("lemma-B.16", "lemma-B.16-features", "lemma-B.16-output", "lemma-B.16-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.17",
            label="Lemma B.17",
            title="change of the gradient when all layers move",
            kind="deterministic",
            theme="smoothness",
            locator="Appendix B.4, Lemma B.17",
            uses=_ids("lemma-B.13", "ineq-binomial"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "neither that the hybrids are above the least norm, nor that steps are at most 1, nor the "
                    "product condition of Lemma B.12 is asked for; and a hybrid of index L + 2 is named"
                ),
                decision="gap in the proof",
                why=(
                    "None of the three is needed: if each sample has at most twice its loss at W, swapping layers one "
                    "by one in the gradient of the output and the weight of the sample at once bounds the change by "
                    "products of operator norms, far below the printed bound. The index is a slip: hybrids go from 0 "
                    "to L + 1. The losses on all segments are bounded above, from T(0) to T(1) too, which j in [L + "
                    "1] leaves out; the sharp form does with J_s(W) <= 2 J_s(V)."
                ),
                tested=_ids("lemma-B.17", "lemma-B.17-corrected", "lemma-B.17-sharp", "lemma-B.17-implied"),
            ),
        ),
        Statement(
            id="chatterji2021:ineq-psi",
            label="proof of Lemma 4.5, (33)-(34)",
            title="alignment of one concentrated loss, with its constants",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.7, proof of Lemma 4.5, eqs. (33) and (34)",
            uses=_ids("def-B.1", "lemma-B.4", "ineq-binomial"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-B.18",
            label="Lemma B.18",
            title="alignment of the gradient with the weights of one hidden layer",
            kind="deterministic",
            theme="gradient_lower_bound",
            locator="Appendix B.7, Lemma B.18",
            uses=_ids("eq-2", "def-2.1", "lemma-B.5", "lemma-B.6"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="rests on part 1 of Lemma B.6, which fails where some layers hold little of the norm",
                decision="false as printed",
                why=(
                    "In a chain of 80 neurons, weak layers below strong ones and an activation that bends down, the "
                    "products of norms above a layer exceed the printed power in the mean over layers, by ball "
                    "arithmetic. The sum of these products in its place is right for all weights, the printed power "
                    "where the norm is at least sqrt(e L). Three samples alike and 22 layers of weight 0.67 below 59 "
                    "of 1.322 are enough."
                ),
                refuted=_ids("lemma-B.18"),
                tested=_ids("lemma-B.18-corrected", "lemma-B.18-sharp", "lemma-B.18-deep"),
            ),
        ),
        Statement(
            id="chatterji2021:prop-C.1",
            label="Proposition C.1",
            title="margin of constant order on two opposite clusters",
            kind="probability",
            theme="ntk",
            locator="Appendix C, Proposition C.1",
            uses=_ids("ex-huber", "eq-2", "event-margin", "lemma-C.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the first inequality of (36) subtracts a negative number, and so is no lower bound",
                decision="slip of print",
                why=(
                    "The absolute value of the scalar product is meant, with which the next line follows; that product "
                    "is -r^2/2 exactly, so that more remains than the proof keeps, as the sharp form shows."
                ),
                tested=_ids("prop-C.1", "prop-C.1-counts", "prop-C.1-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:event-margin",
            label="proof of Proposition C.1",
            title="neurons with moderate output weight on either side",
            kind="probability",
            theme="initialisation",
            locator="Appendix C, proof of Proposition C.1, event with parts (a) to (c)",
            uses=_ids("ex-huber", "thm-F.5"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-C.2",
            label="Lemma C.2",
            title="those counts are met with high probability",
            kind="probability",
            theme="initialisation",
            locator="Appendix C, Lemma C.2",
            uses=_ids("event-margin", "thm-F.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the union bound of part (c) is printed for some neuron and sample",
                decision="slip of print",
                why="All of them are meant, as in the event; the law of the largest move over all of them is computed.",
                tested=_ids("lemma-C.2", "lemma-C.2-law", "event-margin-moved"),
            ),
        ),
        Statement(
            id="chatterji2021:def-D.1",
            label="Definition D.1",
            title="ball that limits every layer separately",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.1",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-D.2",
            label="Definition D.2",
            title="functions that are linear around the start",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.2",
            uses=_ids("def-D.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-D.3",
            label="Definition D.3",
            title="least training loss among linearised functions",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.3",
            uses=_ids("def-D.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the minimiser is printed as one of the ball about V^(0)",
                decision="slip of print",
                why="Iterates start with V^(1), about which the loss is defined one line above.",
                tested=_ids("lemma-D.6", "lemma-D.9"),
            ),
        ),
        Statement(
            id="chatterji2021:def-D.4",
            label="Definition D.4",
            title="largest error of linearisation in a ball",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.4",
            uses=_ids("def-D.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-D.5",
            label="Definition D.5",
            title="largest layer gradient in a ball",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.5",
            uses=_ids("def-D.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-D.6",
            label="Lemma D.6",
            title="mean loss along descent against the best linearised loss",
            kind="deterministic",
            theme="convergence",
            locator="Appendix D.2, Lemma D.6",
            uses=_ids("def-D.3", "def-D.4", "def-D.5"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-D.7",
            label="Lemma D.7",
            title="error of linearisation and gradient size close to the start",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix D.2, Lemma D.7; proof in Appendix E.3",
            uses=_ids(
                "def-D.4",
                "def-D.5",
                "ineq-absorption",
                "lemma-E.1",
                "lemma-E.13",
                "lemma-E.14",
                "lemma-E.15",
                "ineq-check-sigma",
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the last step of the proof of (a) is false, and not the lemma",
                decision="gap in the proof",
                why=(
                    "The lemma itself stands as tested: the terms that the step absorbs are of the order of the bound, "
                    "which the attack attains. Two layers stay far below L^5, of which the attack needs nothing; with "
                    "three not one neuron opens below a width of 10^5."
                ),
                tested=_ids("lemma-D.7", "lemma-D.7-gradient", "ineq-absorption-corrected"),
            ),
        ),
        Statement(
            id="chatterji2021:ineq-absorption",
            label="proof of Lemma D.7(a), last display",
            title="the linear term of the radius absorbed into its power 4/3",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix E.3, proof of Lemma D.7(a), last display",
            uses=_ids("lemma-E.13"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "it absorbs sqrt(p) tau L^3 into the bound, which needs tau above the range that the lemma allows"
                ),
                decision="false as printed",
                why=(
                    "The ratio of the two sides of that step grows like sqrt(p) at the smallest radius and like L^2 "
                    "at the largest, so no constant will do. The step asks for tau of order 1/(L^6 log(m)^(3/2)) "
                    "at least, where the lemma has it of order 1/(L^12 log(m)^(3/2)) at most. The terms in question "
                    "vanish where slopes agree: the matrix Sigma^ + S - Sigma~ and the vector chi are zero at all but "
                    "k neurons, k of order m L^2 tau^(2/3), and |chi| <= h sqrt(k)/2. Lemmas E.8 and E.15 then give "
                    "them the order of the bound."
                ),
                refuted=_ids("ineq-absorption"),
                tested=_ids("ineq-absorption-corrected"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-D.8",
            label="Lemma D.8",
            title="descent reaches six times the best linearised loss",
            kind="convergence",
            theme="convergence",
            locator="Appendix D.2, Lemma D.8",
            uses=_ids("def-D.3", "lemma-D.6", "lemma-D.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof takes the error of linearisation from Lemma D.7(a), whose last step is wrong",
                decision="gap in the proof",
                why=(
                    "All that it takes is an error of at most 1/8, which is a premise of the tested form and is "
                    "measured along every run. The orders of Lemma D.7 itself were tested and stand. The conditions "
                    "on the width and the radius, and the probability, are there to make it so small."
                ),
                tested=_ids("lemma-D.8", "lemma-D.8-width", "ineq-absorption-corrected"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-D.9",
            label="Lemma D.9",
            title="a margin gives linearised functions of small loss",
            kind="probability",
            theme="ntk",
            locator="Appendix D.2, Lemma D.9",
            uses=_ids("assumption-3.2", "def-D.3", "lemma-E.11"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:ineq-h-NT",
            label="proof of Theorem 3.3, part 2",
            title="the bend of the two-stage result below its limit where the second stage starts",
            kind="deterministic",
            theme="ntk",
            locator="Appendix D.3, proof of Theorem 3.3, part 2, first display after the norm of V^(T+1)",
            uses=_ids("eq-3", "eq-4-5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="h_NT exceeds the limit (3a) by the factor 4/sqrt(6) at the norm that the proof inserts",
                decision="false as printed",
                why=(
                    "At the norm sqrt(6 p L) and the loss n^-(1+24L) sizes cancel from the quotient, which is 24 over "
                    "6 sqrt(6) for all of them; 10 in place of 6 makes it less than one. The limit is exceeded, by a "
                    "smaller factor, on networks of one hidden layer where descent from Gaussian weights has met its "
                    "target; at two their norm is small enough. Steps beyond the target, which the theorem takes and "
                    "its proof does not use, lead to a loss some 10^4 times as small at three samples, and the limit "
                    "there is above h_NT from a width of some hundreds on."
                ),
                refuted=_ids("ineq-h-NT", "ineq-h-NT-run"),
                tested=_ids("ineq-h-NT-corrected", "ineq-h-NT-run-corrected"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.1",
            label="Lemma E.1",
            title="eight properties of Gaussian layers at once",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1, Lemma E.1",
            uses=_ids(
                "lemma-E.2", "lemma-E.3", "lemma-E.4", "lemma-E.5", "lemma-E.6", "lemma-E.7", "lemma-E.8", "lemma-E.9"
            ),
            coverage=ByClaim(),
            suspect=Suspect(
                what="part (h) applies a layer to its own output",
                decision="slip of print",
                why="The proof of Lemma E.9 has the features that enter the layer, which is what was tested.",
                tested=_ids("lemma-E.1", "lemma-E.9", "lemma-E.9-network"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.2",
            label="Lemma E.2",
            title="features of every layer have norm near one",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix E.1.1, Lemma E.2",
            uses=_ids("ineq-49", "lemma-F.3", "lemma-F.4", "thm-F.6"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:ineq-49",
            label="(49)",
            title="mean squared norm of a smoothed layer from both sides",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix E.1.1, proof of Lemma E.2, eq. (49)",
            uses=_ids("ex-huber"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the line before it has sqrt(2 pi) where E|N(0, s^2)| gives sqrt(pi), and h^2 p/4 also where the "
                    "activation is 0; the bound itself grows with h once h sqrt(p) exceeds the norm"
                ),
                decision="false as printed",
                why=(
                    "The exact moment, in balls, lies below the line at every smoothing admitted, already to first "
                    "order. With sqrt(pi), and without the last term, it is true for all h; (49) itself is true where "
                    "h sqrt(p) is at most twice the norm, and false where the norm is far smaller."
                ),
                refuted=_ids("ineq-49", "ineq-49-any-norm"),
                tested=_ids("ineq-49-corrected", "ineq-49-final", "ineq-49-upper"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.3",
            label="Lemma E.3",
            title="operator norm of each layer at the start",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.2, Lemma E.3",
            uses=_ids("thm-F.7"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.4",
            label="Lemma E.4",
            title="operator norm of gated products of Gaussian layers",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.3, Lemma E.4",
            uses=_ids("lemma-E.10", "lemma-F.9"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.5",
            label="Lemma E.5",
            title="gated products on sparse vectors from the right",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.4, Lemma E.5",
            uses=_ids("lemma-E.10", "lemma-F.10"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.6",
            label="Lemma E.6",
            title="gated products on sparse vectors from the left",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.5, Lemma E.6",
            uses=_ids("lemma-E.10", "lemma-F.9", "lemma-F.10"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.7",
            label="Lemma E.7",
            title="gated products between two sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.6, Lemma E.7",
            uses=_ids("lemma-E.10", "lemma-F.10"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the probability in (66) is conditional on the layers up to l1 - 1",
                decision="slip of print",
                why="the line before it fixes the layers below l2, of which the vector that meets V_l2 is a function",
                tested=_ids("lemma-E.7"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.8",
            label="Lemma E.8",
            title="output functional on sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.7, Lemma E.8",
            uses=_ids("lemma-E.10", "lemma-F.10"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.9",
            label="Lemma E.9",
            title="few pre-activations close to zero",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.8, Lemma E.9",
            uses=_ids("lemma-E.2", "thm-F.5"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "a layer is applied to its own output, L^(8/3) stands once for L^2, and Hoeffding's inequality as "
                    "cited gives the exponent p^2 beta^2, far below the p^(3/2) beta that is claimed"
                ),
                decision="gap in the proof",
                why=(
                    "At the least radius p^2 beta^2 tends to 0, so that the inequality cited gives nothing. The count "
                    "given the incoming norm is binomial, and its exact tail gives the statement, for thresholds of "
                    "the order named; far below it the bound is less than one neuron."
                ),
                tested=_ids("lemma-E.9", "lemma-E.9-network"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.10",
            label="Lemma E.10",
            title="gated products keep the norm of a fixed vector within two",
            kind="probability",
            theme="norm_preservation",
            locator="Appendix E.1.9, Lemma E.10",
            uses=_ids("ex-huber", "lemma-F.3", "lemma-F.4", "thm-F.6", "thm-F.7"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.11",
            label="Lemma E.11",
            title="outputs at the start are of logarithmic size",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.9, Lemma E.11",
            uses=_ids("lemma-E.2"),
            coverage=ByClaim(),
            suspect=Suspect(
                what=(
                    "the condition on h of Lemma E.2, which the proof applies, is missing, and the proof has the "
                    "square of the norm for the norm"
                ),
                decision="gap in the proof",
                why=(
                    "Lemma E.2 cannot be applied, but only its upper bound is used, and smoothing makes features "
                    "shorter: the norms of the ReLU network bound those of every h. So the statement holds without the "
                    "condition, as the exact law given the features shows."
                ),
                tested=_ids("lemma-E.11", "lemma-E.11-sharp", "lemma-E.11-law"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.12",
            label="Lemma E.12",
            title="norm of all weights at the start",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.9, Lemma E.12",
            uses=_ids("thm-F.7"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="its proof bounds the chances that the norms are small, by signs the wrong way round",
                decision="slip of print",
                why="What is meant are the chances of large norms; the exact law of the whole was used.",
                tested=_ids("lemma-E.12", "lemma-E.12-sharp", "lemma-E.12-law"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.13",
            label="Lemma E.13",
            title="gated products under small moves and sparse flips",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix E.2, Lemma E.13",
            uses=_ids("lemma-E.1"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="factors are dropped in the proof: 3 before (91), 4 in (96), and L in the last display",
                decision="slip of print",
                why=(
                    "The constant of the lemma is left open, and the attacked products stay far below 30 C L^2. Up to "
                    "three layers entries of 3 everywhere could not break that, and four ask for widths beyond "
                    "4*10^4."
                ),
                tested=_ids("lemma-E.13", "lemma-E.13-sharp"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.14",
            label="Lemma E.14",
            title="slopes and features of two networks close to the start",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix E.2, Lemma E.14",
            uses=_ids("lemma-E.1", "lemma-E.13", "ineq-check-sigma"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:ineq-check-sigma",
            label="proof of Lemma E.14",
            title="secant of the bent rectifier against its slopes",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix E.2, proof of Lemma E.14, the bound by one and eq. (100)",
            uses=_ids("ex-huber"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-E.15",
            label="Lemma E.15",
            title="backward products of two networks close to the start",
            kind="deterministic",
            theme="semi_smoothness",
            locator="Appendix E.2, Lemma E.15",
            uses=_ids("lemma-E.1", "lemma-E.13", "lemma-E.14"),
            coverage=ByClaim(),
            suspect=Suspect(
                what="the layers up to L are kept within tau, and nothing is said of the output layer",
                decision="slip of print",
                why=(
                    "the bound contains the output layer, and (103) uses that it is within tau too, as it is in the "
                    "ball in which the lemma is applied; a control with a free output layer is refuted"
                ),
                tested=_ids("lemma-E.15"),
            ),
        ),
        Statement(
            id="chatterji2021:def-F.1",
            label="Definition F.1",
            title="norm of sub-Gaussian variables",
            kind="definition",
            theme="scalar_inequalities",
            locator="Appendix F, Definition F.1",
            coverage=ByDefinition(where="bounds.laws.orlicz.sub_gaussian_norm", tested="bounds/tests/test_orlicz.py"),
        ),
        Statement(
            id="chatterji2021:def-F.2",
            label="Definition F.2",
            title="norm of sub-exponential variables",
            kind="definition",
            theme="scalar_inequalities",
            locator="Appendix F, Definition F.2",
            coverage=ByDefinition(
                where="bounds.laws.orlicz.sub_exponential_norm", tested="bounds/tests/test_orlicz.py"
            ),
            suspect=Suspect(
                what="in print the bracket of the expectation closes after the comparison with two",
                decision="slip of print",
                why="read as printed the mean of a comparison would be taken; the norm of Lemma F.3 is meant",
                tested=_ids("lemma-F.3"),
            ),
        ),
        Statement(
            id="chatterji2021:lemma-F.3",
            label="Lemma F.3",
            title="squares of sub-Gaussian variables",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix F, Lemma F.3",
            uses=_ids("def-F.1", "def-F.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-F.4",
            label="Lemma F.4",
            title="Lipschitz functions of one Gaussian are sub-Gaussian",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix F, Lemma F.4",
            uses=_ids("def-F.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:thm-F.5",
            label="Theorem F.5",
            title="Hoeffding bound for sums, absolute constant left open",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix F, Theorem F.5",
            uses=_ids("def-F.1"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:thm-F.6",
            label="Theorem F.6",
            title="Bernstein bound for sums, absolute constant left open",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix F, Theorem F.6",
            uses=_ids("def-F.2"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:thm-F.7",
            label="Theorem F.7",
            title="upper tail of the squared norm of a Gaussian vector",
            kind="probability",
            theme="scalar_inequalities",
            locator="Appendix F, Theorem F.7",
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:def-F.8",
            label="Definition F.8",
            title="finite set that comes close to every point",
            kind="definition",
            theme="initialisation",
            locator="Appendix F, Definition F.8",
            coverage=ByDefinition(where="nets.data.covering.is_net", tested="nets/tests/test_covering.py"),
        ),
        Statement(
            id="chatterji2021:lemma-F.9",
            label="Lemma F.9",
            title="size of a quarter-net of the unit sphere",
            kind="deterministic",
            theme="initialisation",
            locator="Appendix F, Lemma F.9",
            uses=_ids("def-F.8"),
            coverage=ByClaim(),
        ),
        Statement(
            id="chatterji2021:lemma-F.10",
            label="Lemma F.10",
            title="size of a quarter-net of sparse unit vectors",
            kind="deterministic",
            theme="initialisation",
            locator="Appendix F, Lemma F.10",
            uses=_ids("def-F.8", "lemma-F.9"),
            coverage=ByClaim(),
        ),
    ),
    versions=(
        Version("size of the output at the start", "chatterji2021:lemma-E.11"),
        Version("number of small pre-activations", "chatterji2021:lemma-E.9-network"),
        Version("operator norm of Gaussian layers", "chatterji2021:lemma-E.3-sharp"),
        Version("operator norm of products of gated layers", "chatterji2021:lemma-E.4"),
        Version(
            "response of the output to a sparse vector in a layer",
            "chatterji2021:lemma-E.8-exponent",
            theme="sparse_spectral",
        ),
        Version("neurons that flip within a radius", "chatterji2021:lemma-E.14-flips", renamed={"L": 1.0}),
        Version(
            "error of linearisation of the output in a ball, by neurons that flip",
            "chatterji2021:lemma-D.7",
            theme="ntk",
        ),
        Version("order of the width that gradient descent asks for", "chatterji2021:thm-3.3-width"),
        Version(
            "tail of a weighted sum of sub-exponential variables",
            "chatterji2021:thm-F.6-constant",
            theme="scalar_inequalities",
        ),
    ),
)
