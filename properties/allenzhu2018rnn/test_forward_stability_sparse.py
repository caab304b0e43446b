"""allenzhu2018rnn, Claims C.5 and C.6: what products of masked layers make of sparse vectors, in two parts.

Main claims: `excess_of_sparse_vectors` (Claim C.5) with its sharp form; `excess_of_any_change` (Claim C.6), an erratum,
with `excess_of_what_flips_pass` and its sharp form. Step (2) of Section 5 is Claim C.5.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from sympy import Rational

from bounds.constant import Constant
from bounds.papers import allenzhu2018rnn as sheet
from nets import Array, DataError, Forward, Network, forward, masked_product, recurrent_network
from properties.allenzhu2018rnn.parted_flips import aimed_mass
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.allenzhu2018rnn.sparse_excess import largest_excess
from properties.shared.sparse_blocks import soft_threshold
from theory.claims import Regime, Verdict, claim, control, form
from theory.evidence import Trials


def _start(rng: Generator, m: int, L: int, *, stored: float) -> tuple[Network, Forward]:
    net = recurrent_network(4, m, 1, L, rng, stored=stored)
    return net, forward(net, sequences(1, L, 4, rng, str(rng.choice(LATER))))


def _products(net: Network, fwd: Forward) -> Iterator[Array]:
    """W D_l W ... D_b W for all 1 <= b <= l + 1 <= L: arrays (m, m)."""
    for b in range(1, net.depth + 1):
        # One factor alone is W, whatever b is.
        for last in range(b + (b > 1), net.depth + 1):
            yield masked_product(net, fwd, 0, b, last)


def entries_of(m: int, tau4: float) -> int:
    """How many entries a vector may have: tau_4 m^(2/3). Raises `DataError` for none, and for more than it has."""
    entries = int(tau4 * m ** (2.0 / 3.0) * (1.0 + 1e-12))
    if not 1 <= entries <= m:
        raise DataError(
            f"vectors of {m} entries with {entries} that are not 0 asked for: take tau4 m^(2/3) from 1 to m"
        )
    return entries


SPARSE = [
    {"m": 64, "L": 3, "tau4": 0.07, "tau5": 1.0, "delta": 0.4},
    {"m": 128, "L": 3, "tau4": 0.4, "tau5": 3.0, "delta": 0.4},
    {"m": 64, "L": 8, "tau4": 0.4, "tau5": 1.0, "delta": 0.4},
]
NORMS = "m >= L**2*log(1/delta)"
LEVEL = "tau4*m**(2/3)*log(m)**2 >= log(1/delta)"
# The union over the supports of a row leaves e^(-s - 1) at all widths from 2 on; of one neuron the bound is 0.
LEVEL_SHARP = "tau4*m**(2/3)*Min(1, log(m)) >= log(1/delta)"
ONE = [{"m": 1, "L": 1, "tau4": 1.0, "tau5": 1.0, "delta": 0.4}]
# Products are 2.33 sqrt(L) long, more than 3 log(m)^2 from L = log(m)^4 on, which needs m = 10^12 and more.
FAR_BEYOND = "it matters from some 10^6 times on, at widths of 10^12 and more"


@claim(
    "allenzhu2018rnn:claim-C.5",
    bound="3*tau5*sqrt(tau4)*log(m)**2/m**(2/3)",
    premises=[
        "width against horizon and level, for norms of states (1 is ours): m >= L**2*log(1/delta)",
        "level of failure within the printed one (1 is ours): tau4*m**(2/3)*log(m)**2 >= log(1/delta)",
        "horizon short beside the logarithms, as products grow with its root (1 is ours): L <= 1 + log(m)**3",
    ],
    regime=Regime(cells=SPARSE, thorough=[{"m": 768, "L": 3, "tau4": 0.4, "tau5": 3.0, "delta": 0.4}]),
    evidence=Trials(rate="delta", budget=60, one_number="hardly an entry is beyond the level at such widths"),
    controls=[
        control("one part alone and no logarithms", level=0.0, bound="3*tau5*sqrt(tau4)/m**(2/3)/2"),
        control("entries of tau5/m, a thirtieth and no logarithms", level=0.25, bound="tau5*sqrt(tau4)/m**(2/3)/10"),
        control("all vectors, and tau5/m^(2/3)", dense=True, level=0.0, bound="tau5/m**(2/3)"),
        control("16 neurons, 16 times", cells=[{**SPARSE[2], "m": 16, "L": 16, "delta": 0.05}], without=NORMS),
        control("one neuron", cells=ONE, without=LEVEL),
    ],
    blind=dict.fromkeys(
        ("m", "tau4", "tau5"),
        "the logarithms make the bound larger than the norm of what is measured, until m is 10^5; sharp sees each",
    )
    | {"premise L <= log(m)**3 + 1": FAR_BEYOND},
    note="y_1 is the excess over the level, y_2 the rest; one sequence, b <= l + 1 <= L. At testable widths y_1 is 0 "
    "but in some draws of eight layers",
    scope="own constants: delta, at the width and level of the premises, for exp(-Omega(tau4 m^(2/3) log(m)^2))",
)
def excess_of_sparse_vectors(
    rng: Generator, m: int, L: int, tau4: float, tau5: float, *, level: float = 1.0, dense: bool = False
) -> float:
    """Largest found ||(|W D_l ... D_b W x| - 4 tau5 log(m)/m)_+||, x of norm tau5/sqrt(m), tau4 m^(2/3) entries."""
    net, fwd = _start(rng, m, L, stored=math.inf)
    s, beyond = m if dense else entries_of(m, tau4), level * 4.0 * math.log(m) / math.sqrt(m)
    found = [largest_excess(M, s, beyond, starts=2, sweeps=4) for M in _products(net, fwd)]
    return tau5 / math.sqrt(m) * max(found)


SHORT = "m**(1/3) >= L**2*tau4*log(m)"


@claim(
    "allenzhu2018rnn:claim-C.5-sharp",
    title="what products of masked layers make of sparse vectors, in two parts with the root of the logarithm",
    bound="C*tau5*sqrt(tau4)*sqrt(log(m))/m**(2/3)",
    constants={
        "C": Constant.above(
            3, attacked=2.5, seeds="0 to 2", why="the most at the smallest widths; a row alone reaches 2 at the largest"
        )
    },
    premises=[
        "width against sparsity and horizon, as in Lemma B.14 (1 is ours): m**(1/3) >= L**2*tau4*log(m)",
        "width against horizon and chance (1 is ours): m >= L**2*log(1/delta)",
        "level of failure within e^(-s), s entries, two neurons or more (1 is ours): "
        "tau4*m**(2/3)*Min(1, log(m)) >= log(1/delta)",
    ],
    regime=Regime(
        cells=[
            {"m": 256, "L": 3, "tau4": 0.08, "tau5": 3.0, "delta": 0.4},
            {"m": 256, "L": 2, "tau4": 0.28, "tau5": 0.1, "delta": 0.4},
            {"m": 32, "L": 2, "tau4": 0.2, "tau5": 0.1, "delta": 0.4},
        ],
        thorough=[{"m": 768, "L": 3, "tau4": 0.1, "tau5": 3.0, "delta": 0.4}],
    ),
    evidence=Trials(rate="delta", budget=60, dear=True),
    controls=[
        control("a sixth", bound="tau5*sqrt(tau4)/m**(2/3)"),
        control("1/8 of it, exponent 1 of the number of entries", bound="3*tau4*tau5/(4*m**(1/3))"),
        control("entries of tau5/m", level=0.0),
        control("64 neurons, 8 times", cells=SPARSE[2:], without=SHORT),
        control("one neuron", cells=ONE, without=LEVEL_SHARP),
    ],
    note="y_1 is the excess, y_2 the rest; one sequence, b <= l + 1 <= L; entries of W reach 2 sqrt(log(m)/m)",
)
def excess_of_sparse_vectors_sharp(
    rng: Generator, m: int, L: int, tau4: float, tau5: float, *, level: float = 1.0
) -> float:
    """Most found: ||(|W D_l..D_b W x| - 2 tau5 sqrt(log m)/m)_+||, ||x|| = tau5/sqrt(m), tau4 m^(2/3) entries not 0."""
    net, fwd = _start(rng, m, L, stored=math.inf)
    beyond = level * 2.0 * math.sqrt(math.log(m) / m)
    found = [largest_excess(M, entries_of(m, tau4), beyond, starts=2, sweeps=4) for M in _products(net, fwd)]
    return tau5 / math.sqrt(m) * max(found)


ROWS = [{"tau4": 1.0, "tau5": 3.0, "delta": 0.4, "m": m} for m in (10**4, 10**6)]


@claim(
    "allenzhu2018rnn:claim-C.5-row",
    title="what one row of W makes of sparse vectors, at widths where logarithms count",
    bound="3*tau5*sqrt(tau4)*log(m)**2/m**(2/3)",
    premises="level of failure within the printed one (1 is ours): tau4*m**(2/3)*log(m)**2 >= log(1/delta)",
    regime=Regime(
        cells=[*ROWS, {**ROWS[1], "tau4": 25.0}, {**ROWS[0], "tau5": 0.1}], thorough=[{**ROWS[1], "m": 10**7}]
    ),
    evidence=Trials(rate="delta", budget=60),
    controls=[
        control("no logarithms", bound="3*tau5*sqrt(tau4)/m**(2/3)", cells=ROWS[1:]),
        control("one neuron", cells=[{**ROWS[0], "m": 1}], without=LEVEL),
    ],
    blind=dict.fromkeys(
        ("m", "tau4", "tau5"),
        "the square of the logarithm makes the bound a hundred times what one row gives: row-sharp",
    ),
    note="b = l + 1; the vector is along the largest entries of a row, which is all that is drawn",
)
@form(
    "row-sharp",
    title="what one row of W makes of sparse vectors, with the root of the logarithm",
    bound="2*tau5*sqrt(tau4)*sqrt(log(m))/m**(2/3)",
    premises=(
        "level of failure within e^(-s), s entries, two neurons or more (1 is ours): "
        "tau4*m**(2/3)*Min(1, log(m)) >= log(1/delta)"
    ),
    controls=[
        control("no logarithm", bound="3*tau5*sqrt(tau4)/(2*m**(2/3))", cells=ROWS[1:]),
        control("one neuron", cells=[{**ROWS[0], "m": 1}], without=LEVEL_SHARP),
    ],
    blind={"m in sqrt(log(m))": "it enters by the root of a logarithm: a control leaves it out"},
    note="b = l + 1; the s largest of m standard Gaussians have a norm of about sqrt(2 s log(m)) at most",
)
def excess_of_one_row(rng: Generator, m: int, tau4: float, tau5: float) -> float:
    """The excess (|(W x)_k| - 4 tau5 log(m)/m)_+, ||x|| = tau5/sqrt(m), on the tau4 m^(2/3) largest of row k."""
    row, s = math.sqrt(2.0 / m) * rng.standard_normal(m), entries_of(m, tau4)
    largest = np.partition(np.abs(row), m - s)[m - s :]
    return max(tau5 / math.sqrt(m) * float(np.linalg.norm(largest)) - 4.0 * tau5 * math.log(m) / m, 0.0)


# Attacks on C.6: how many entries of the product are aimed at, and how often the aim follows what is beyond the level.
AIMS, SWEEPS = 2, 3
# Entries up to which a layer that meets so many rows is better stored.
SMALL = 2**16
TAUS = {"tau4": lambda tau1: 10.0 * tau1 ** (2.0 / 3.0), "tau5": lambda tau1: 3.0 * tau1}

FLIPPED = [
    {"m": 65536, "L": 2, "tau1": 0.3, "tau2": 1.0, "delta": 0.4},
    {"m": 65536, "L": 2, "tau1": 1.5, "tau2": 3.0, "delta": 0.4},
    {"m": 16384, "L": 2, "tau1": 24.0, "tau2": 15.0, "delta": 0.4},
    {"m": 1024, "L": 2, "tau1": 16.0, "tau2": 9.0, "delta": 0.4},
    {"m": 1024, "L": 8, "tau1": 8.0, "tau2": 5.0, "delta": 0.4},
    {"m": 128, "L": 2, "tau1": 8.0, "tau2": 4.0, "delta": 0.05},
]
BEYOND = [{"m": 1024, "L": 3, "tau1": 0.05, "tau2": 100.0, "delta": 0.4}]


RARE = "m**(2/3)*tau1**(2/3) >= log(1/delta)"
WIDE = "m >= 3*L**2*log(1/delta)"
MANY_TIMES = [{"m": 8, "L": 64, "tau1": 1.0, "tau2": 0.6, "delta": 0.05}]
HARDLY_ANY = [{"m": 256, "L": 2, "tau1": 2.5e-4, "tau2": 0.0045, "delta": 5e-4}]


@claim(
    "allenzhu2018rnn:claim-C.6-corrected",
    title="what turned gates send through products of layers, in two parts, the second change below the threshold",
    bound="3*tau5*sqrt(tau4)*log(m)**2/m**(2/3)",
    premises=[
        sheet.claim_C_4_sup.reads("tau2 <= 10**(2/3)*m**(1/6)*tau1**(2/3)/10"),
        "level of failure within that of Poisson's law for the entries near 0 (1 is ours): "
        "m**(2/3)*tau1**(2/3) >= log(1/delta)",
        "width against horizon and level, for norms of states (3 is ours): m >= 3*L**2*log(1/delta)",
        "horizon short beside the logarithms, as products grow with its root (7 is ours): L <= 7 + 7*log(m)**3",
    ],
    regime=Regime(
        cells=FLIPPED,
        thorough=[{"m": 10**5, "L": 3, "tau1": 30.0, "tau2": 30.0, "delta": 0.4}],
        derived=TAUS,
        least={"L": 2, "m": 2},  # of one neuron the bound is 0
    ),
    evidence=Trials(rate="delta", budget=60),
    idle={"part": 0.0},
    controls=[
        control("a second part far above the threshold", cells=BEYOND, without=sheet.claim_C_4_sup),
        control("8 neurons, 64 times", cells=MANY_TIMES, without=WIDE),
    ],
    blind={f"premise {RARE}": "it is for tails that no trials see", "premise L <= 7*log(m)**3 + 7": FAR_BEYOND}
    | dict.fromkeys(
        ("m", "tau4", "tau5"), "log(m)^2 makes the bound some hundred times what is measured: sharp sees each"
    ),
    note="stricter, with entries of y_2 up to tau5 sqrt(log m)/m, 4 tau5 log(m)/m in print. With that level too y_1 is "
    "above 0 from tau1 = 30 and m = 10^6 on. In print chance e^(-Omega(tau1^(4/3) m^(1/3)))",
    scope="part: (repaired) products that end at l = L - 1 and begin at b = 2 or L, one sequence",
)
@form(
    "sharp",
    title="what turned gates send through products of layers, in two parts with the root of their length",
    bound="C*sqrt(L - 1)*tau5*sqrt(tau4)/m**(2/3)",
    premises=[
        sheet.claim_C_4_sup.reads("tau2 <= 10**(2/3)*m**(1/6)*tau1**(2/3)/10"),
        "level of failure within that of Poisson's law for the entries near 0 (1 is ours): "
        "m**(2/3)*tau1**(2/3) >= log(1/delta)",
        "width against horizon and level, for norms of states (3 is ours): m >= 3*L**2*log(1/delta)",
    ],
    constants={
        "C": (
            Rational(3, 10),
            "a change aimed at one row makes 0.068 of one factor; at the top singular vector of many 0.12",
        )
    },
    controls=[
        control("a fortieth", bound="tau5*sqrt(tau4)/m**(2/3)/200"),
        control("one part alone", level=0.0),
        control("a second part far above the threshold", cells=BEYOND, without=sheet.claim_C_4_sup),
        control("hardly an entry near 0", cells=HARDLY_ANY, without=RARE),
        control("8 neurons, 64 times", cells=MANY_TIMES, without=WIDE),
    ],
    blind={},
    note="entries of y_2 up to tau5 sqrt(log m)/m; a change aimed at one row makes 0.645 tau1^(4/3) m^(-2/3)",
)
def excess_of_what_flips_pass(
    rng: Generator, m: int, L: int, tau1: float, tau2: float, *, part: float = 1.0, level: float = 1.0
) -> float:
    """The largest norm found of y_1 = (|W D_l ... D_b W D'_{b-1} g_{b-1}| - 3 tau1 sqrt(log m)/m)_+, one sequence.

    l is L - 1, b is 2 or L. D' is of a change of norm tau1/sqrt(m) and one of entries tau2/m, aimed at a row of the
    product; tau4 = 10 tau1^(2/3) and tau5 = 3 tau1.
    """
    net, fwd = _start(rng, m, L, stored=SMALL)
    W, found, beyond = net.weights[0], [0.0], level * 3.0 * tau1 * math.sqrt(math.log(m)) / m
    for source in {1, L - 1}:
        for aim in range(AIMS):
            along = np.eye(1, m, aim)
            for _ in range(SWEEPS):
                back = along @ W.T
                for time in range(L - 1, source, -1):
                    back = (back * fwd.masks[time - 1][0]) @ W.T
                budget, entry = part * tau1 / math.sqrt(m), part * tau2 / m
                rows = aimed_mass(fwd.pre[source - 1][0], budget, entry, back[0])[np.newaxis] @ W
                for time in range(source + 1, L):
                    rows = (rows * fwd.masks[time - 1][0]) @ W
                excess = soft_threshold(rows, beyond)
                found.append(float(np.linalg.norm(excess)))
                if not excess.any():
                    break
                along = excess / found[-1]
    return max(found)


@claim(
    "allenzhu2018rnn:claim-C.6",
    bound="3*tau5*sqrt(tau4)*log(m)**2/m**(2/3)",
    premises="none needed: the printed claim is on all changes in two parts",
    regime=Regime(cells=[{"m": 2, "L": 2, "tau1": 1e-3, "tau2": 10.0, "delta": 0.4}], derived=TAUS, least={"L": 2}),
    evidence=Trials(rate="delta", budget=60),
    expected=Verdict.REFUTED,
    controls=[
        control("a thousand times the bound", bound="3000*tau5*sqrt(tau4)*log(m)**2/m**(2/3)"),
        control("of 1024 neurons", cells=[{"m": 1024, "L": 3, "tau1": 1.0, "tau2": 1e4, "delta": 0.4}]),
    ],
    note="as Claim C.4: g'_2 alone turns a gate and leaves about tau2/m behind it, which W sends on without limit, and "
    "the bound has no tau2; tau4 = 10 tau1^(2/3), tau5 = 3 tau1",
)
def excess_of_any_change(rng: Generator, m: int, L: int, tau1: float, tau2: float) -> float:
    """A large ||(|W D_l ... D_b W D'_{b-1} g_{b-1}| - 4 tau5 log(m)/m)_+||, ||g'_1|| tau1/sqrt(m), |g'_2| <= tau2/m."""
    return excess_of_what_flips_pass(rng, m, L, tau1, tau2, level=4.0 * math.sqrt(math.log(m)))
