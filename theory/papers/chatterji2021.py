"""Chatterji, Long and Bartlett 2021: gradient descent on the logistic loss of deep networks with smoothed ReLUs.

Main definition: `PAPER`, with every statement of the paper: those of the main text first, then those of the
appendices. A display inside a proof has a record of its own where it can be wrong on its own. Where a printed
form is doubtful and nothing decides it yet, the reason that the statement is open says why.
"""

from functools import partial

from theory.statements import ByClaim, ByDefinition, Open, Paper, Statement, Suspect, ids

_ids = partial(ids, "chatterji2021")

PAPER = Paper(
    key="chatterji2021",
    title=(
        "When Does Gradient Descent with Logistic Loss Interpolate Using Deep Networks with Smoothed ReLU Activations?"
    ),
    authors=("Niladri S. Chatterji", "Philip M. Long", "Peter L. Bartlett"),
    year=2021,
    statements=(
        Statement(
            id="chatterji2021:def-local-lip",
            label="Section 2.1 (Lip)",
            title="local Lipschitz constant of the gradient of the loss",
            kind="definition",
            theme="smoothness",
            locator="Section 2.1, last display",
            coverage=Open(
                "needs Hessian-vector products of a network whose activation has a kinked derivative, "
                "taken from both sides of each kink, with a stated error"
            ),
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
            coverage=Open(
                "needs backpropagation through smooth layers with a trained output, held against the "
                "explicit product and against differences"
            ),
        ),
        Statement(
            id="chatterji2021:def-2.2",
            label="Definition 2.2",
            title="loss of each example and of all examples along the path",
            kind="definition",
            theme="convergence",
            locator="Section 2.2, Definition 2.2",
            coverage=Open(
                "needs the logistic loss and its logarithm accurate far below the smallest float, since "
                "the theorems start at losses like 1e-36"
            ),
        ),
        Statement(
            id="chatterji2021:eq-3",
            label="(3a)-(3c)",
            title="largest bend, largest step and the rate they allow",
            kind="definition",
            theme="convergence",
            locator="Section 3.1, eqs. (3a) to (3c)",
            uses=_ids("def-2.2"),
            coverage=Open(
                "needs the three formulas on the sheet, compared with high precision, and a fixed point "
                "where h and the first loss depend on each other"
            ),
        ),
        Statement(
            id="chatterji2021:thm-3.1",
            label="Theorem 3.1",
            title="gradient descent from a small loss goes on at rate 1/t at any width",
            kind="convergence",
            theme="convergence",
            locator="Section 3.1, Theorem 3.1; proof in Section 4.2",
            uses=_ids("eq-3", "ih", "lemma-4.6", "lemma-4.7", "lemma-4.8"),
            coverage=Open(
                "needs starting weights that meet every hypothesis, and descent that carries differences, "
                "as plain floats freeze; printed form doubtful because the proof passes through Lemma 4.5, "
                "which fails for very deep networks"
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
            coverage=Open(
                "needs the largest margin of the gradient features, a convex quadratic problem over the "
                "simplex, solved with a bound on what is left"
            ),
        ),
        Statement(
            id="chatterji2021:eq-4-5",
            label="(4)-(5)",
            title="radius and bend of the two-stage result",
            kind="definition",
            theme="ntk",
            locator="Section 3.2, eqs. (4) and (5)",
            uses=_ids("assumption-3.2"),
            coverage=Open(
                "needs both formulas on the sheet with the hidden constant stated; printed form doubtful "
                "because this h exceeds the limit (3a) by the factor 4/sqrt(6) at the norm that the proof "
                "of Theorem 3.3 inserts"
            ),
        ),
        Statement(
            id="chatterji2021:thm-3.3",
            label="Theorem 3.3",
            title="two stages of descent from Gaussian weights under a margin",
            kind="convergence",
            theme="convergence",
            locator="Section 3.2, Theorem 3.3; proof in Appendix D.3",
            uses=_ids("eq-3", "assumption-3.2", "eq-4-5", "thm-3.1", "lemma-D.8", "lemma-D.9", "lemma-E.12"),
            coverage=Open(
                "needs its pieces one by one, as the first stage alone takes 1e12 steps: the rate of the "
                "second stage in symbols and the stages as recursions; printed form doubtful because the "
                "step h_NT < h_max of the proof is wrong by a constant factor"
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
            coverage=Open(
                "needs a quadratic that attains equality at the longest step, beside networks whose "
                "curvature is measured along the segment"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-4.2",
            label="Lemma 4.2",
            title="curvature of the loss proportional to the loss",
            kind="deterministic",
            theme="smoothness",
            locator="Section 4.1, Lemma 4.2; proof in Appendix B.4",
            uses=_ids("def-local-lip", "lemma-B.17"),
            coverage=Open(
                "needs an adversary with pre-activations inside the bend, and exponents in h, in the loss "
                "and in the norm, as the constant is loose by four orders; doubtful at the smallest norm, "
                "where Lemma B.17 asks for more"
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
            coverage=Open(
                "needs a search over balanced weights and misclassified points, with the sharper product "
                "of operator norms beside the printed power"
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
            coverage=Open(
                "needs steps of the largest allowed length from conflicting samples, the decrease carried "
                "as a difference; doubtful only in that n >= 3 is used and not said"
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
            coverage=Open(
                "needs a minimisation over unequal margins and activations that bend downwards, in high "
                "precision for hundreds of layers; printed form doubtful because a chain of 500 layers "
                "undercuts it by one per cent, and one sample with weights (0, 1) has gradient zero"
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
            coverage=Open(
                "needs all three slacks at every step of the runs of Theorem 3.1, resolved at relative "
                "changes of 1e-10 to 1e-20"
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
            coverage=Open(
                "needs a proof for the scalar map z(1 - cz) under its cap, and the same inequality along true paths"
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
            coverage=Open(
                "needs increments of the ratio from carried differences and the sufficient condition (9), "
                "with the case of one hidden layer written out, which the proof only sketches"
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
            coverage=Open(
                "needs the sign of a derivative in symbols for the growth of a power of the logarithm "
                "times its argument; the sqrt(p) of the last display is p"
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
            coverage=Open(
                "needs the weight and its logarithm without cancellation for margins from -700 to 700 and beyond"
            ),
        ),
        Statement(
            id="chatterji2021:def-B.2",
            label="Definition B.2",
            title="features and slopes along the path",
            kind="definition",
            theme="forward_stability",
            locator="Appendix B.1, Definition B.2",
            uses=_ids("def-2.1", "def-2.2"),
            coverage=Open(
                "needs the smooth forward pass that returns pre-activations, features and slopes; doubtful "
                "only in that the output layer has no feature of its own"
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
            coverage=Open(
                "needs random concave functions on the simplex, negative ones included, since the proof "
                "calls them non-negative without use"
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
            coverage=Open(
                "needs balanced identity networks of one neuron, which attain the sharp form of the proof; "
                "printed form doubtful because zero weights meet it with a single sample, n >= 3 being "
                "unsaid"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.6",
            label="Lemma B.6",
            title="product of the norms of the last layers under a total norm",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.6",
            coverage=Open(
                "needs an exact optimum over how the norm is shared among layers; printed form doubtful "
                "because part 1 fails from L = 2 on when most of the norm sits in the output layer"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-B.7",
            label="Lemma B.7",
            title="product of operator norms under a total Frobenius norm",
            kind="deterministic",
            theme="scalar_inequalities",
            locator="Appendix B.2, Lemma B.7",
            coverage=Open(
                "needs the allocation of a budget over any number of factors; printed form doubtful "
                "because two blocks sqrt(e) and a zero block exceed both of its branches"
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
            coverage=Open(
                "needs an adversarial search from scalars to small matrices, with the sharper exponent L "
                "as a second claim; its proof quotes the doubtful Lemma B.7"
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
            coverage=Open("needs pairs of vectors and every activation at hand, where equality holds beyond the bend"),
        ),
        Statement(
            id="chatterji2021:lemma-B.10",
            label="Lemma B.10",
            title="features and their change when one layer is replaced",
            kind="deterministic",
            theme="forward_stability",
            locator="Appendix B.4, Lemma B.10",
            uses=_ids("lemma-B.7", "lemma-B.9"),
            coverage=Open(
                "needs networks of norm near the least allowed, with one layer replaced at a time and all "
                "layers above it measured"
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
            coverage=Open(
                "needs pre-activations within the bend, where slopes change at the full rate 1/h; the "
                "statement counts one layer too few, as in print the output layer is missing"
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
            coverage=Open(
                "needs the doubling condition checked on the whole segment between the two networks, not "
                "only at its ends"
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
            coverage=Open(
                "needs scaling in h, loss and norm since the constant is never approached; printed form "
                "doubtful because the product condition of Lemma B.12, which its proof invokes, is missing"
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
            coverage=Open(
                "needs the first of the three terms itself, for every pair of layers, zero where the "
                "replaced layer comes later"
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
            coverage=Open(
                "needs replacements large enough to break the unlisted product condition of Lemma B.12; "
                "printed form doubtful because nothing in its setting bounds them"
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
            coverage=Open(
                "needs the third term measured beside its two auxiliary bounds on replaced features and "
                "output weights; one display of the proof has lost a factor"
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
            coverage=Open(
                "needs pairs whose hybrids, layers swapped one by one, fall below the least norm; printed "
                "form doubtful because neither that norm nor a unit bound on each layer is asked for, and "
                "a hybrid of index L + 2 is named"
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
            coverage=Open(
                "needs the exact identity behind it, and downward-kinked activations in high precision; "
                "printed form doubtful because it rests on part 1 of Lemma B.6 and a chain of 80 layers "
                "breaks it"
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
            coverage=Open(
                "needs clustered points on the sphere, the explicit direction of the proof and its margin "
                "against the counts; the sign of one term in (36) is a doubt"
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
            coverage=Open(
                "needs the exact binomial law of both counts and a Gaussian tail with a union bound for part (c)"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-C.2",
            label="Lemma C.2",
            title="those counts are met with high probability",
            kind="probability",
            theme="initialisation",
            locator="Appendix C, Lemma C.2",
            uses=_ids("event-margin", "thm-F.5"),
            coverage=Open(
                "needs trials of the whole event at several widths, its hidden power of a logarithm "
                "stated; a quantifier in the union bound is a doubt"
            ),
        ),
        Statement(
            id="chatterji2021:def-D.1",
            label="Definition D.1",
            title="ball that limits every layer separately",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.1",
            coverage=Open(
                "needs the largest layer distance as a function, with a test that the total distance may "
                "exceed it by a root of the depth"
            ),
        ),
        Statement(
            id="chatterji2021:def-D.2",
            label="Definition D.2",
            title="functions that are linear around the start",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.2",
            uses=_ids("def-D.1"),
            coverage=Open(
                "needs the linearised output as code, affine along any line of weights, and exact at the start"
            ),
        ),
        Statement(
            id="chatterji2021:def-D.3",
            label="Definition D.3",
            title="least training loss among linearised functions",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.3",
            uses=_ids("def-D.2"),
            coverage=Open(
                "needs a convex solver on the ball with a dual lower bound, so that the least loss is "
                "enclosed; V^(0) in the display is V^(1)"
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
            coverage=Open(
                "needs an ascent over two sets of weights and both signs, whose result is a lower bound of "
                "the supremum only"
            ),
        ),
        Statement(
            id="chatterji2021:def-D.5",
            label="Definition D.5",
            title="largest layer gradient in a ball",
            kind="definition",
            theme="ntk",
            locator="Appendix D.1, Definition D.5",
            uses=_ids("def-D.1"),
            coverage=Open(
                "needs the gradient norm of the output per layer, maximised by a search or taken over the "
                "points of a run"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-D.6",
            label="Lemma D.6",
            title="mean loss along descent against the best linearised loss",
            kind="deterministic",
            theme="convergence",
            locator="Appendix D.2, Lemma D.6",
            uses=_ids("def-D.3", "def-D.4", "def-D.5"),
            coverage=Open(
                "needs both sides along short runs of wide networks, the hidden step constant derived, and "
                "runs refused where linearisation errs by 3/8"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-D.7",
            label="Lemma D.7",
            title="error of linearisation and gradient size close to the start",
            kind="probability",
            theme="semi_smoothness",
            locator="Appendix D.2, Lemma D.7; proof in Appendix E.3",
            uses=_ids("def-D.4", "def-D.5", "lemma-E.1", "lemma-E.13", "lemma-E.14", "lemma-E.15", "ineq-check-sigma"),
            coverage=Open(
                "needs exponents of a searched error in the radius and in the width, at radii far below "
                "one; printed form doubtful because the last step for (a) needs the radius large where the "
                "lemma wants it small"
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
            coverage=Open(
                "needs a reference point of moderate linearised loss, so that its number of steps can be "
                "run, and the layer distances of all iterates"
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
            coverage=Open(
                "needs the direction of largest margin from the quadratic problem and the outputs at the "
                "start, then one evaluation; the deterministic core holds with explicit constants"
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
            coverage=Open(
                "needs its eight parts, Lemmas E.2 to E.9, as claims and a union over them; printed form "
                "doubtful because (h) applies a layer to its own output"
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
            coverage=Open(
                "needs widths of some thousands by revealed layers, the failure rate over seeds, and the "
                "wrong variance 1/p rejected"
            ),
        ),
        Statement(
            id="chatterji2021:ineq-49",
            label="(49)",
            title="mean squared norm of a smoothed layer from both sides",
            kind="expectation",
            theme="norm_preservation",
            locator="Appendix E.1.1, proof of Lemma E.2, eq. (49)",
            uses=_ids("ex-huber"),
            coverage=Open(
                "needs a one-dimensional Gaussian integral in balls; printed form doubtful because the "
                "line before it has sqrt(2 pi) for sqrt(pi) and fails, and the bound itself asks for h "
                "sqrt(p) at most the norm"
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
            coverage=Open(
                "needs largest singular values by Lanczos and the exact chi-square law of the output "
                "layer, with explicit constants"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.4",
            label="Lemma E.4",
            title="operator norm of gated products of Gaussian layers",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.3, Lemma E.4",
            uses=_ids("lemma-E.10", "lemma-F.9"),
            coverage=Open(
                "needs singular values of products over all pairs of layers, and their growth with depth, "
                "which looks slower than linear"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.5",
            label="Lemma E.5",
            title="gated products on sparse vectors from the right",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.4, Lemma E.5",
            uses=_ids("lemma-E.10", "lemma-F.10"),
            coverage=Open(
                "needs a truncated power iteration over supports, because random sparse vectors never come "
                "near the constant three"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.6",
            label="Lemma E.6",
            title="gated products on sparse vectors from the left",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.5, Lemma E.6",
            uses=_ids("lemma-E.10", "lemma-F.9", "lemma-F.10"),
            coverage=Open("needs the row version of the sparse search and a bounded result as depth and width grow"),
        ),
        Statement(
            id="chatterji2021:lemma-E.7",
            label="Lemma E.7",
            title="gated products between two sparse vectors",
            kind="probability",
            theme="sparse_spectral",
            locator="Appendix E.1.6, Lemma E.7",
            uses=_ids("lemma-E.10", "lemma-F.10"),
            coverage=Open(
                "needs alternating hard thresholding for the bilinear form and a fit of its exponents 1/2 "
                "in sparsity and -1/2 in width; (66) conditions on the wrong layer"
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
            coverage=Open(
                "needs only the k largest entries of one row vector, which give the supremum exactly, at growing width"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.9",
            label="Lemma E.9",
            title="few pre-activations close to zero",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.8, Lemma E.9",
            uses=_ids("lemma-E.2", "thm-F.5"),
            coverage=Open(
                "needs the binomial law of the count given the features below; printed form doubtful "
                "because the layer index is off by one and Hoeffding as cited gives a weaker exponent than "
                "the one claimed"
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
            coverage=Open(
                "needs a vector drawn before the weights, many widths, and the limit sqrt(2) that the norm tends to"
            ),
        ),
        Statement(
            id="chatterji2021:lemma-E.11",
            label="Lemma E.11",
            title="outputs at the start are of logarithmic size",
            kind="probability",
            theme="initialisation",
            locator="Appendix E.1.9, Lemma E.11",
            uses=_ids("lemma-E.2"),
            coverage=Open(
                "needs the conditional Gaussian law of the output given its last features; printed form "
                "doubtful because the condition on h of Lemma E.2 is missing and a square too many stands "
                "in the proof"
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
            coverage=Open(
                "needs the exact law, a sum of two scaled chi-squares, and a sharper companion, as five is "
                "far above the mean; inequality signs in the proof are flipped"
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
            coverage=Open(
                "needs flips placed on the top singular coordinates and rank-one moves, measured in terms "
                "of the constant of Lemma E.1"
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
            coverage=Open(
                "needs an adversary that spends the radius on rows close to zero, and exponents 2/3 and 1 "
                "in that radius"
            ),
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
            coverage=Open(
                "needs a sparse diagonal disturbance chosen on the largest coordinates, and the exponent "
                "1/3 of the radius that only such a choice can show"
            ),
        ),
        Statement(
            id="chatterji2021:def-F.1",
            label="Definition F.1",
            title="norm of sub-Gaussian variables",
            kind="definition",
            theme="scalar_inequalities",
            locator="Appendix F, Definition F.1",
            coverage=ByDefinition(where="bounds.orlicz.sub_gaussian_norm", tested="bounds/tests/test_orlicz.py"),
        ),
        Statement(
            id="chatterji2021:def-F.2",
            label="Definition F.2",
            title="norm of sub-exponential variables",
            kind="definition",
            theme="scalar_inequalities",
            locator="Appendix F, Definition F.2",
            coverage=ByDefinition(where="bounds.orlicz.sub_exponential_norm", tested="bounds/tests/test_orlicz.py"),
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
            coverage=ByDefinition(where="nets.covering.is_net", tested="nets/tests/test_covering.py"),
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
)
