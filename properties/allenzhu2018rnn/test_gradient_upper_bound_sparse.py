"""allenzhu2018rnn, Appendix B.6: the backward matrices on sparse vectors.

Main claims: `sparse_responses` (Lemma B.17) and `responses_given_the_layers`; `response_of_two_weights`, an erratum of
Corollary B.18, and `sparse_responses_of_all_outputs`, which stands in its place; `columns_of_backward_matrices`
(Corollary B.19) with its sharp form; `sparse_response_found` (4.6), exponents.
"""

import math

import numpy as np
import scipy
from numpy.random import Generator

from bounds.bound import Bound
from bounds.papers import allenzhu2018rnn as sheet
from nets.networks.operators import sparse_supremum
from properties.allenzhu2018rnn.products import gates_multiplied, response
from properties.allenzhu2018rnn.sparse_norms import (
    back_product_stacks,
    log_chance_of_a_response,
    recurrent_back_products,
    response_norm,
    started,
)
from theory.claims import Measured, Regime, Verdict, claim, control, form, grid
from theory.evidence import Distribution, Proof, Scaling, Step, Trials

WIDE = "m >= 3*L**2*log(n/delta)"
# Of many outputs columns of B W are as long as those of W at open rows: twice as long with the chance e^(-0.355 m).
WIDER = "m >= 4*L**2*log(n/delta)"
# Of premises that a chance of failure asks for.
TAILS = "it is for tails that no trials see"
# Of several sequences and times.
SEVERAL = {"m": 64, "L": 2, "n": 2, "outputs": 1, "delta": 0.05}


@claim(
    "allenzhu2018rnn:lemma-B.17",
    bound="dev/sqrt(outputs)",
    premises=[
        (
            "tail against the net of sparse vectors: their union, e^(O(s log m)), against the chance of a single pair: "
            "dev**2 >= C*(s*log(m) + log(n*L**2/delta))"
        ),
        sheet.sparse_width.reads("m >= C*L**2*(s*log(m) + log(n*L**2/delta))"),
        "chance against the width, ours; of fewer neurons the length of one column moves too: m >= 20*log(1/delta)",
    ],
    constants={"C": (4, "hidden in the paper; the s largest of m Gaussian entries have squares near 2 s log m")},
    regime=Regime(
        cells=[
            {"m": 64, "L": 2, "n": 1, "s": 2, "outputs": 1, "dev": 7.2, "delta": 0.4},
            {"m": 256, "L": 3, "n": 2, "s": 4, "outputs": 4, "dev": 10.3, "delta": 0.4},
            {"m": 10**4, "L": 2, "n": 1, "s": 200, "outputs": 2, "dev": 86.0, "delta": 0.4},
        ],
        thorough=[{"m": 30000, "L": 3, "n": 1, "s": 50, "outputs": 2, "dev": 46.0, "delta": 0.4}],
        most={"s": "m"},
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("half of it", bound="dev/(2*sqrt(outputs))"),
        control("read-out of variance 1", ordinary=False),
        control(
            "t = 2 for eleven entries",
            cells=[{"m": 256, "L": 2, "n": 1, "s": 11, "outputs": 1, "dev": 2.0, "delta": 0.4}],
            without="dev**2 >= C*(s*log(m) + log(n*L**2/delta))",
        ),
        control("gates of the last sequence at time 1 64 for 1", wide=64.0, cells=[{**SEVERAL, "s": 1, "dev": 6.1}]),
    ],
    blind={f"premise {sheet.sparse_width.text}": TAILS, "premise m >= 20*log(1/delta)": TAILS},
    note="dev is t, s is k in print. Exact: the s largest entries of one row. t >= 2 follows for m >= 3. C is 4 for t, "
    "1 for m",
)
def sparse_responses(
    rng: Generator, m: int, L: int, n: int, s: int, outputs: int, *, ordinary: bool = True, wide: float = 1.0
) -> Measured:
    """The largest |a^T B D_l W ... D_b W y| over unit y with s entries, for one unit a, all samples and b <= l."""
    net, fwd = started(rng, m, L, n, outputs, stored=1e5)
    fwd = gates_multiplied(fwd, 1, wide)
    a = np.full(outputs, outputs**-0.5) * (1.0 if ordinary else math.sqrt(outputs))
    return Measured(max(float(sparse_supremum(a @ A, s)) for A in recurrent_back_products(net, fwd)))


@claim(
    "allenzhu2018rnn:lemma-B.17-law",
    title="law of the backward matrices at a fixed vector, given what the layers make of it",
    bound="= 1/sqrt(outputs)",
    premises="none needed: an equality in law at every width and horizon, as B is independent of the rest; z not 0",
    regime=Regime(
        cells=[{"m": 16, "L": 2, "s": 1, "outputs": 2000}, {"m": 32, "L": 16, "s": 4, "outputs": 400}],
        thorough=[{"m": 2000, "L": 64, "s": 4, "outputs": 100}],
        most={"s": "m"},
    ),
    evidence=Distribution(law=lambda: scipy.stats.norm(), trials=150),
    controls=[
        control("variance 1/m in B", bound="1/sqrt(m)"),
        control("over the norm of y, not of what the layers make of it", made=False),
        control("read-out variance 1.1/outputs", gain=1.1, cells=[{"m": 16, "L": 2, "s": 1, "outputs": 2000}]),
    ],
    note="from the first time to the last; with the norm of z by Claim B.12 it is the chance of a single pair",
)
def responses_given_the_layers(
    rng: Generator, m: int, L: int, s: int, outputs: int, *, made: bool = True, gain: float = 1.0
) -> Measured:
    """Entries of B z/||z||, z = D_L W ... D_1 W y, y with s equal entries: Gaussian, the bound its deviation."""
    y, norm = np.zeros(m), 0.0
    y[:s] = s**-0.5
    # What closed gates leave nothing of, which a few neurons may do, has no law.
    while not norm:
        net, fwd = started(rng, m, L, 1, outputs)
        norm = float(response(net, fwd, 0, 1, y)[-1])
    *_, product = recurrent_back_products(net, fwd)
    norm = norm if made else 1.0
    return Measured(math.sqrt(gain) * (product @ y) / norm)


@claim(
    "allenzhu2018rnn:corollary-B.18",
    bound=sheet.corollary_B_18.reads("sqrt(s)*log(m)"),
    premises=[sheet.sparse_range_least.reads("s >= m**(1/6)"), sheet.sparse_range_most.reads("s <= m")],
    regime=Regime(cells=[{"m": m, "s": m} for m in (10**4, 10**12)]),
    evidence=Proof(margin="a logarithm of the chance 10 times smaller than that of the one allowed"),
    expected=Verdict.REFUTED,
    controls=[
        control("a fiftieth in the exponent", rate=0.02, cells=[{"m": 10**20, "s": 10**20}]),
        control("a tenth of the entries", cells=[{"m": 10**12, "s": 10**11}]),
    ],
    note="two weights are enough, one of B and one of W; their chance is m^(-0.71 m), not exp(-c m log(m)^2): no c "
    "will do at s = m^(1/6) in print, whose s^2 m^(2/3) is s here",
)
def response_of_two_weights(bound: Bound, m: int, s: int, *, rate: float = 1.0) -> list[Step]:
    """Whether ||B D_1 W|| of one output is above the bound more often than exp(-s log(m)^2)."""
    chance = log_chance_of_a_response(m, float(bound.evaluate({"m": m, "s": s})))
    said = "an entry of B D_1 W is above the bound with a chance of exp(-s log(m)^2) at most"
    return [Step(said, False if chance > -rate * s * math.log(m) ** 2 else None)]


# The s largest of m Gaussian entries: a union over e^(s log m) supports, each with the tail exp(-s log(m)^2/2), half of
# which is for a length of B D_l W ... that is not 1.
@claim(
    "allenzhu2018rnn:corollary-B.18-corrected",
    title="the backward matrices on sparse vectors, with fewer entries",
    bound=sheet.corollary_B_18.reads("sqrt(s)*log(m)"),
    premises=[
        sheet.corollary_B_15_sparsity.reads("m >= C*L**2*(s*log(m)**2 + log(n*L**2/delta))"),
        "net of sparse vectors and level of failure within the printed exp(-Omega(s^2 m^(2/3) log(m)^2)), "
        "for all samples and times at once: s*log(m)**2 >= C*(s*log(m) + log(n*L**2/delta))",
        "width against level, samples and times, so that B keeps its length (5 is ours): m >= 5*log(n*L**2/delta)",
    ],
    constants={"C": (4, "hidden in the paper; half of the exponent of a single vector is for the length of B")},
    regime=Regime(
        cells=[
            {"m": 280, "L": 2, "n": 1, "s": 2, "outputs": 1, "delta": 0.4},
            {"m": 256, "L": 2, "n": 2, "s": 2, "outputs": 3, "delta": 0.4},
            {"m": 10**4, "L": 2, "n": 1, "s": 50, "outputs": 2, "delta": 0.4},
        ],
        thorough=[{"m": 30000, "L": 3, "n": 1, "s": 50, "outputs": 2, "delta": 0.4}],
        most={"s": "m"},
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control(
            "fifth root of the number of entries",
            bound="s**(1/5)*log(m)",
            cells=[{"m": 10**4, "L": 2, "n": 1, "s": 50, "outputs": 1, "delta": 0.4}],
        ),
        control("read-out of variance 1", ordinary=False, cells=grid(m=192, L=2, n=2, s=3, outputs=64, delta=0.4)),
        control(
            "72 neurons, 64 times",
            cells=grid(m=72, L=64, n=1, s=72, outputs=1, delta=0.05),
            without=sheet.corollary_B_15_sparsity,
        ),
        control(
            "30 samples, of one time",
            cells=grid(m=33, L=1, n=30, s=1, outputs=1, delta=0.05),
            without="s*log(m)**2 >= C*(s*log(m) + log(n*L**2/delta))",
        ),
    ],
    note="C = 1/2, 4; s is s^2 m^(2/3) in print. From above by the s longest columns, exact for one output; in print "
    "chance exp(-Omega(s log(m)^2))",
)
def sparse_responses_of_all_outputs(
    rng: Generator, m: int, L: int, n: int, s: int, outputs: int, *, ordinary: bool = True
) -> Measured:
    """The largest |a^T B D_l W ... D_b W y| over unit a and unit y with s entries, all samples and b <= l."""
    net, fwd = started(rng, m, L, n, outputs, stored=1e5)
    scale = 1.0 if ordinary else math.sqrt(outputs)
    ends = np.array([response_norm(A, s) for A in recurrent_back_products(net, fwd)]).max(axis=0)
    return Measured.between(*(scale * ends))


@claim(
    "allenzhu2018rnn:corollary-B.19",
    bound="n*L*outputs*log(m)",
    premises=[
        "level of failure that the bound allows for: (n*L*outputs*log(m))**2 >= C*log(1/delta)",
        "width against horizon, samples and level, for norms of states (3 is ours): m >= 3*L**2*log(n/delta)",
    ],
    constants={"C": (8, "hidden in the paper; a single entry of variance 1 has the tail exp(-rho^2/2)")},
    regime=Regime(
        cells=[
            {"m": 256, "L": 1, "n": 1, "outputs": 1, "delta": 0.4},
            {"m": 10**4, "L": 2, "n": 1, "outputs": 1, "delta": 0.4},
            {"m": 256, "L": 2, "n": 2, "outputs": 4, "delta": 0.4},
            {"m": 256, "L": 8, "n": 1, "outputs": 1, "delta": 0.4},
        ],
        thorough=[{"m": 30000, "L": 3, "n": 1, "outputs": 2, "delta": 0.4}],
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("a fifth", bound="n*L*outputs*log(m)/5"),
        control("weight variance 32/m", gain=32.0, cells=[{"m": 32, "L": 2, "n": 1, "outputs": 1, "delta": 0.4}]),
        control("16 neurons, 64 times", cells=grid(m=16, L=64, n=1, outputs=1, delta=0.05), without=WIDE),
        control("gates of the last sequence at time 1 64 for 1", wide=64.0, cells=[SEVERAL]),
    ],
    blind={
        **dict.fromkeys(("n", "outputs", "L"), "no more than a logarithm of n L is needed, and no outputs: sharp"),
        "premise L**2*n**2*outputs**2*log(m)**2 >= C*log(1/delta)": TAILS,
    },
    note="C is 8. Of 64 neurons and 64 times one in five exceeds it, where the chance in print is e^(-Omega(rho^2))",
)
@form(
    "sharp",
    title="columns of the backward matrices, with a logarithm over the number of outputs",
    bound="C*sqrt(1 + log(n*L*m/delta)/outputs)",
    constants={"C": (2, "entries are nearly Gaussian of variance 1/outputs; near sqrt(1 + 2 log(m n L^2)/outputs)")},
    premises="width against horizon, samples and level, for norms of states (4 is ours): m >= 4*L**2*log(n/delta)",
    regime=Regime(
        cells=[
            {"m": 32, "L": 2, "n": 1, "outputs": 1, "delta": 0.4},
            {"m": 10**4, "L": 2, "n": 1, "outputs": 1, "delta": 0.4},
            {"m": 256, "L": 3, "n": 2, "outputs": 64, "delta": 0.4},
            {"m": 256, "L": 8, "n": 1, "outputs": 1, "delta": 0.4},
        ],
        thorough=[{"m": 30000, "L": 3, "n": 1, "outputs": 2, "delta": 0.4}],
    ),
    controls=[
        control("constant 1", bound="sqrt(1 + log(n*L*m/delta)/outputs)"),
        control("weight variance 8/m", gain=8.0, cells=[{"m": 64, "L": 2, "n": 1, "outputs": 4, "delta": 0.4}]),
        control("32 neurons, 64 times", cells=grid(m=32, L=64, n=1, outputs=64, delta=0.4), without=WIDER),
        control("gates of the last sequence at time 1 64 for 1", wide=64.0, cells=[SEVERAL]),
    ],
    blind={
        **dict.fromkeys(
            ("n", "delta in log(L*m*n/delta)/outputs", "L in log(L*m*n/delta)/outputs"), "it enters by a logarithm"
        ),
        "outputs in log(L*m*n/delta)/outputs": "at 64 outputs the term is a tenth beside 1",
    },
)
def columns_of_backward_matrices(
    rng: Generator, m: int, L: int, n: int, outputs: int, *, gain: float = 2.0, wide: float = 1.0
) -> Measured:
    """The longest column of B D_l W ... D_b W, the most at unit a and 1-sparse unit y, over all samples and b <= l."""
    return _longest_column(rng, m, L, n, outputs, gain, wide)


def _longest_column(rng: Generator, m: int, L: int, n: int, outputs: int, gain: float, wide: float) -> Measured:
    net, fwd = started(rng, m, L, n, outputs, gain=gain, stored=1e5)
    fwd = gates_multiplied(fwd, 1, wide)
    return Measured(max(float(np.linalg.norm(stack, axis=1).max()) for stack in back_product_stacks(net, fwd)))


@claim(
    "allenzhu2018rnn:eq-4.6",
    bound="C*sqrt(s)*log(m)",
    premises="width against horizon, as one W at all times lets products grow (3 is ours): m >= 3*L**2",
    regime=Regime(
        calibration=[{"m": 128, "L": L, "s": s} for L in (2, 4) for s in (1, 4, 16)],
        cells=[{"m": 256, "L": L, "s": s} for L in (2, 4) for s in (1, 4, 32)]
        + [{"m": 10**4, "L": 2, "s": s} for s in (1, 16, 128)],
        thorough=[{"m": 10**4, "L": 4, "s": s} for s in (1, 16, 128)],
        most={"s": "m"},
    ),
    evidence=Scaling({"s": "at most", "m": "free", "L": "free"}, constant="C", replicates=10),
    controls=[
        control("exponent 1/5 of the number of entries", bound="C*s**(1/5)*log(m)"),
        control("exponent 1/4 of it", bound="C*s**(1/4)*log(m)"),
        control("16 neurons, 64 times", cells=[{"m": 16, "L": 64, "s": 4}], without="m >= 3*L**2"),
    ],
    blind={"m": "it enters by a logarithm"},
    note="exact: the s largest entries of the row; one output, one sequence. In print s >= rho^2, for the chance",
)
def sparse_response_found(rng: Generator, m: int, L: int, s: int) -> float:
    """The largest |B D_l W ... D_b W y| of one output over unit vectors y with s entries, and all b <= l."""
    net, fwd = started(rng, m, L, 1, stored=1e5)
    return max(float(sparse_supremum(A[0], s)) for A in recurrent_back_products(net, fwd))
