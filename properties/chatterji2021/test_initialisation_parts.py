"""chatterji2021, Lemma E.1: its eight parts on one network at initialisation.

Main claim: `eight_parts_of_one_network`. Lemmas E.2 to E.9 have rows of their own, each with networks of its own; here
all parts are asked of the same one, which is drawn once for all wrong variants.
"""

import functools

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import DataSource, arranged, forward, gaussian_smooth_network, huberised_relu
from properties.chatterji2021.eight_parts import PARTS, shares_of_the_parts
from properties.chatterji2021.initial_norms import largest_smoothing
from properties.shared.interval_ends import Ends
from theory.claims import Measured, Regime, claim, control, grid
from theory.evidence import Trials


def _threshold(m: int, L: int, tau: float) -> float:
    """The least threshold of part (h), rounded up."""
    return 1.0001 * float(sheet.lemma_E_9_threshold(m=m, L=L, tau=tau))


@functools.lru_cache(maxsize=64)
def _drawn(seed: int, points: bytes, n: int, m: int, L: int, h: float, s: int, beta: float, gain: float) -> Ends:
    """What the parts take of their bounds in the network of that seed; `points` are those of n rows."""
    rng = np.random.default_rng(seed)
    X = np.frombuffer(points).reshape(n, -1)
    net = gaussian_smooth_network((X.shape[1], *[m] * L), huberised_relu(h), rng, gain)
    return shares_of_the_parts(net, forward(net, X), s, beta, rng)


# Too narrow for the norms to be sure, but soon drawn: what is wrong with one part fails there in every trial.
SMALL = grid(m=300, L=1, n=1, d=300, delta=0.02, s=3, tau=0.03)

TOO_NARROW = (sheet.lemma_E_2_width, sheet.lemma_E_3_width)

EIGHT_PARTS = Regime(
    cells=grid(m=1250, L=1, n=1, d=1250, delta=0.5, s=1, tau=0.03),
    thorough=[
        *grid(m=2080, L=1, n=1, d=8, delta=0.05, s=2, tau=0.03),
        *grid(m=1350, L=1, n=2, d=1350, delta=0.8, s=3, tau=0.03, points=["drawn", "antipodes"]),
    ],
    usual={"points": "drawn"},
    derived={"h": largest_smoothing, "beta_": _threshold},
    least={"m": 2},  # bounds of parts have the factor log(m)
)

BLIND_TO_PARTS = dict.fromkeys(
    (f"premise {premise.text}" for premise in sheet.lemma_E_1_premises),
    "it is that of a part, and the row of that part sees it or says why it need not",
)


# A part alone, at that share of its bound.
SHARES = [
    *((part, "8/10", 10 / 8) for part in "bc"),
    *((part, "half", 2.0) for part in "def"),
    ("g", "a third", 3.0),
    ("h", "a tenth", 10.0),
]


@claim(
    "chatterji2021:lemma-E.1",
    bound="1",
    premises=[
        sheet.lemma_E_2_smoothing.reads("50*L*h*sqrt(m) < 1"),
        sheet.lemma_E_2_width.reads("m >= C*L*log(16*n*L/delta)"),
        sheet.lemma_E_3_width.reads("m >= C*log(16*L/delta)"),
        sheet.lemma_E_4_deep_width.reads("m >= C*L*log(8*n*L/delta)"),
        sheet.lemma_E_4_width.reads("m >= C*log(8*n*L/delta)"),
        sheet.lemma_E_4_inputs.reads("d <= m"),
        sheet.lemma_E_5_width.reads("m >= C*L**2*log(8*n*L/delta)"),
        sheet.lemma_E_5_sparsity.reads("s <= c*m/(L**2*log(m))"),
        sheet.lemma_E_7_sparsity.reads("s*log(m) >= C*log(16*n*L/delta)"),
        sheet.lemma_E_8_width.reads("m >= C*L**2*log(8*n*L/delta)"),
        sheet.lemma_E_8_sparsity.reads("s*log(m) >= C*log(16*n*L/delta)"),
        sheet.lemma_E_9_least_radius.reads("tau >= C*log(L*n/delta)**2/(L**3*m**(3/2))"),
        sheet.lemma_E_9_least_threshold.reads("beta_ >= C*L**2*tau**(2/3)/sqrt(m)"),
        sheet.lemma_E_9_level.reads("n*L >= 2*delta"),
        "one hidden layer, as it is all that is judged: L <= 1",
    ],
    regime=EIGHT_PARTS,
    evidence=Trials(rate="delta", budget=35),
    scope="part: one hidden layer, where the products of (c) to (f) are one matrix",
    controls=[
        control("(a) alone, weight variance 3/m", part="a", gain=3.0, cells=SMALL, without=TOO_NARROW),
        *[
            control(f"({part}) at {share} of its bound", part=part, times=times, cells=SMALL, without=TOO_NARROW)
            for part, share, times in SHARES
        ],
    ],
    note="bounds: 1/10 (a), 3 and sqrt(2 m) (b), 3 L and 2 sqrt(m) L (c), 3 (d) and (e), 4 sqrt(s log(m)/m) (f), "
    "2 sqrt(s log(m)) (g), 3 m^(3/2) beta (h), ours but in (a), (d). One sample, s = 1; more at greater effort",
    blind={**BLIND_TO_PARTS, "premise L <= 1": "two layers would have to be five thousand neurons wide"},
)
def eight_parts_of_one_network(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    h: float,
    s: int,
    beta_: float,
    points: str,
    *,
    part: str = "",
    times: float = 1.0,
    gain: float = 2.0,
) -> Measured:
    """Shares that all parts take of their bounds, over layers and samples, at once but for probability delta.

    Of | ||x_l|| - 1 | (a), ||V_l||_op and ||V_{L+1}|| (b), ||V_l2 Sigma .. V_l1||_op, l2 up to L and L + 1 (c), on unit
    vectors of s entries from the right (d), left (e), both (f), at L + 1 (g); of counts |u_i| <= beta (h); tau is free.
    """
    X = arranged(data.draw(n, d, rng)[0], points, rng)
    low, high = _drawn(int(rng.integers(2**63)), X.tobytes(), n, m, L, h, s, beta_, gain)
    asked = [PARTS.index(letter) for letter in part or PARTS]
    return Measured.between(times * low[asked], times * high[asked])
