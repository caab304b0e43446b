"""allenzhu2018rnn, Appendix C.4: perturbations W' = y z^T of rank one, where y has few entries.

Main claims: `entries_changed` (Lemma C.10), its sharp form and the order of its third term; `columns_changed_by_gates`
and `columns_changed_by_weights` (Lemma C.11) and the order of the terms of its proof; (5.4) and (5.5).
"""

import math
from dataclasses import replace

import sympy
from numpy.random import Generator

from bounds import Bound, Constant, symbol
from bounds.papers import allenzhu2018rnn as sheet
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.forward_norms import ends_multiplied
from properties.allenzhu2018rnn.perturbation import RecurrentShift
from properties.allenzhu2018rnn.products import gates_multiplied
from properties.allenzhu2018rnn.rank_one import backward_changes, largest_entry, rank_one_shift
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.shared.implications import implies
from theory.claims import Regime, claim, control, grid
from theory.evidence import Proof, Scaling, Step, Trials

m, n, L, outputs = map(symbol, ("m", "n", "depth", "outputs"))
tau, rows, rho, t = map(symbol, ("tau", "rows", "rho_", "t"))
SIZES = {"rho_": n * L * outputs}

FITTED = {"C": Constant(1, "fitted on the calibration cells")}
ONE_VALUE = "one value: printed powers of it are for widths beyond all of them; sharp or weights sees it"
NO_POWER_OF_RHO = "no power of it is needed at these sizes"


def _shifts(
    rng: Generator, m: int, rows: int, tau: float, aims: tuple[str, ...], *, outputs: int = 1, stored: float = 0
) -> list[RecurrentShift]:
    """The perturbations with these aims of one network on one sequence of three inputs."""
    net, X = recurrent_network(4, m, outputs, 3, rng, stored=stored), sequences(1, 3, 4, rng, str(rng.choice(LATER)))
    return [rank_one_shift(net, X, rows, tau, aim, rng) for aim in aims]


def _replicates(m: int) -> int:
    """Many where they are cheap."""
    return 48 if m <= 2048 else 24


def _stored_replicates(m: int) -> int:
    """The same, where W is stored."""
    return 64 if m <= 256 else 32


WIDTHS = Regime(calibration=grid(m=[256, 1024]), cells=grid(m=[2048, 8192]), thorough=grid(m=[16384, 32768]))
LOOP = f"premise {sheet.lemma_C_10_loop.text}"
LEVEL = "m >= 10*log(1/delta)"
LARGE_WIDTHS = "within the other premise it matters from widths of some 10^5 on alone"

SIZED = Regime(
    calibration=grid(m=[256, 1024], rows=16, tau=1.0, n=1, L=3, outputs=1),
    cells=grid(m=[2048, 8192], rows=16, tau=1.0, n=1, L=3, outputs=1),
    thorough=grid(m=[16384, 32768], rows=16, tau=1.0, n=1, L=3, outputs=1),
)
# Several outputs, so that a column has a norm that scatters little; W is stored.
BACK = {"rows": 8, "tau": 1.0, "n": 1, "L": 3, "outputs": 16}
SEVERAL = Regime(calibration=grid(m=[64, 256], **BACK), cells=grid(m=1024, **BACK), thorough=grid(m=512, **BACK))


@claim(
    "allenzhu2018rnn:lemma-C.10",
    bound="C*(n*L*outputs*log(m))**8*rows**(2/3)*tau**(5/6)/m**(2/3)",
    premises="none needed: the exponent of the width is measured, at sizes of W' that stay the same",
    regime=SIZED,
    evidence=Scaling({"m": "at most"}, constant="C", replicates=_replicates),
    controls=[
        control("exponent -4/3 of the width", bound="C*(n*L*outputs*log(m))**8*rows**(2/3)/m**(4/3)"),
        control("as many rows as a quarter of the neurons", share=0.25, bound="C/m**(2/3)"),
        control("exponent -6/5 of the width", bound="C/m**(6/5)"),
    ],
    blind={
        **dict.fromkeys(("n", "L", "outputs", "m in log(m)**8"), NO_POWER_OF_RHO),
        "tau": ONE_VALUE,
        "rows": ONE_VALUE,
    },
    note="one sequence; W' is aimed at the entry. Print: varrho^-100 <= tau <= varrho^50, N <= varrho^100, chance of "
    "failure e^(-Omega(rho^2)). Attacks decay like 1/m up to a logarithm: sharp",
    scope="part: the power of the width, at tau = 1 and N = rows = 16",
)
def entries_changed(rng: Generator, m: int, rows: int, tau: float, *, share: float = 0.0) -> float:
    """The largest |((W~ + W') h'_l)_k| at three times, W' = y z^T, ||z|| = 1, y of `rows` entries tau/sqrt(m)."""
    count = max(rows, int(share * m))
    return max(largest_entry(shift) for shift in _shifts(rng, m, count, tau, ("entry",)))


@claim(
    "allenzhu2018rnn:lemma-C.10-sharp",
    title="entries that a rank-one perturbation with few rows changes forward, of order N tau sqrt(log(m/delta))/m",
    bound="C*rows*tau*sqrt(log(m/delta))/m",
    constants={
        "C": Constant.above(
            5,
            attacked=4.29,
            seeds="0 to 99",
            why="99 of 100 starts; 4.63 for one row in the limit, 2 sqrt(2) of a weight and 1.64 of two states",
        )
    },
    premises=[
        sheet.lemma_C_10_loop.reads("tau**2 <= C*rows"),
        sheet.lemma_C_10_twice.reads("tau**2 <= C*sqrt(m)"),
        "width against level, for products of few weights (10 is ours): m >= 10*log(1/delta)",
    ],
    regime=Regime(
        cells=[
            {"m": 64, "rows": 2, "tau": 0.1, "delta": 0.4},
            {"m": 128, "rows": 2, "tau": 4.0, "delta": 0.4},
            {"m": 512, "rows": 16, "tau": 1.0, "delta": 0.4},
        ],
        thorough=[{"m": 768, "rows": 32, "tau": 3.0, "delta": 0.4}],
        most={"rows": "m"},
    ),
    evidence=Trials(rate="delta", budget=60),
    idle={"aims": ("random",)},
    controls=[
        control("constant 1", bound="rows*tau*sqrt(log(m/delta))/m"),
        control("the last state twice as long", last=2.0, cells=[{"m": 64, "rows": 2, "tau": 0.1, "delta": 0.05}]),
        control("exponent -3/2 of the width", bound="5*rows*tau*sqrt(log(m/delta))/m**(3/2)"),
        control("square root of the number of rows", bound="5*sqrt(rows)*tau*sqrt(log(m/delta))/m"),
        control(
            "a perturbation that meets its own change",
            cells=[{"m": 256, "rows": 256, "tau": 45.0, "delta": 0.05}],
            without=sheet.lemma_C_10_twice,
        ),
        control("two neurons", cells=[{"m": 2, "rows": 1, "tau": 1.68, "delta": 0.05}], without=LEVEL),
    ],
    blind={
        "m": "three widths, each with its N and tau; eq-5.4-5.5-forward sees the power of the width",
        LOOP: LARGE_WIDTHS,
    },
    note="one sequence; below N^(2/3) tau^(5/6)/m^(2/3) if N sqrt(tau) <= m, up to logarithms. C is 9 and 2 in turn",
)
def entries_changed_sharp(
    rng: Generator,
    m: int,
    rows: int,
    tau: float,
    *,
    aims: tuple[str, ...] = ("entry", "loop", "sum", "flips"),
    last: float = 1.0,
) -> float:
    """The largest |((W~ + W') h'_l)_k| at three times, W' = y z^T, ||z|| = 1, y of N = `rows` entries tau/sqrt(m)."""
    shifts = _shifts(rng, m, rows, tau, aims, stored=math.inf)
    return max(largest_entry(replace(s, after=ends_multiplied(s.after, last))) for s in shifts)


@claim(
    "allenzhu2018rnn:lemma-C.10-third",
    title="third term of the forward change by a rank-one perturbation: tau^(4/3), not tau^(5/6), without logarithms",
    kind="implication",
    bound="rho_**8*rows**(2/3)*tau**(4/3)/m**(2/3)",
    premises="none needed: products of orders; assumed are tau >= 1 and, for the other two terms, m >= N tau^2",
    measured=["rho_", "rows", "tau", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a factor L^(1/3) between the powers of L"),
    controls=[
        control("tau^(5/6), as printed", bound="rho_**8*rows**(2/3)*tau**(5/6)/m**(2/3)"),
        control("rho^7", bound="rho_**7*rows**(2/3)*tau**(4/3)/m**(2/3)"),
        control("width enough for tau alone", wide=m >= tau),
    ],
)
def order_of_the_third_term(bound: Bound, *, wide: sympy.Expr = m >= rows * tau**2) -> list[Step]:
    """L times L^(5/3) (tau^2 N)^(1/6)/m^(1/6), by Corollary B.15, times L^5 tau sqrt(N/m), by Lemma C.2(c); N = `rows`.

    The other terms are L^6 tau^2 sqrt(N)/m and L^2 rho N tau/m; rho is n L outputs.
    """
    root = sympy.Rational(1, 3)
    third = L ** (5 * root) * tau**root * rows ** (root / 2) / m ** (root / 2) * L**5 * tau * sympy.sqrt(rows / m)
    given = [tau >= 1]
    return [
        implies("the third term", [*given, t <= L * third], t <= bound.expr, define=SIZES),
        implies(
            "the first term", [*given, wide, t <= L**6 * tau**2 * sympy.sqrt(rows) / m], t <= bound.expr, define=SIZES
        ),
        implies("the second term", [*given, wide, t <= L**2 * rho * rows * tau / m], t <= bound.expr, define=SIZES),
    ]


@claim(
    "allenzhu2018rnn:lemma-C.11",
    bound="C*(n*L*outputs*log(m))**3*tau**(1/3)*rows**(1/6)/m**(1/6)",
    premises="none needed: the exponent of the width is measured, at sizes of W' that stay the same",
    regime=SEVERAL,
    evidence=Scaling({"m": "at most"}, constant="C", replicates=_stored_replicates),
    controls=[
        control("exponent -1 of the width", bound="C*(n*L*outputs*log(m))**3/m"),
        control("exponent -2/3 of the width", bound="C*m**(-2/3)"),
        control("exponent -3/4 of the width", bound="C*m**(-3/4)"),
    ],
    blind={
        **dict.fromkeys(("n", "L", "outputs", "m in log(m)**3"), NO_POWER_OF_RHO),
        "tau": ONE_VALUE,
        "rows": ONE_VALUE,
    },
    scope="part: (a), by gates, the power of the width",
    note="part (a), one sequence, by the power of m alone. W' = y z^T, ||z|| = 1, y of rows = 8 entries tau/sqrt(m), "
    "tau = 1, does not look at B, of 16 outputs",
)
def columns_changed_by_gates(rng: Generator, m: int, rows: int, tau: float) -> float:
    """The longest column of B D_l W~ ... D_b W~ less the same with the gates before, over b <= l <= L = 3."""
    return max(
        backward_changes(shift)[0] for shift in _shifts(rng, m, rows, tau, ("column",), outputs=16, stored=math.inf)
    )


@claim(
    "allenzhu2018rnn:lemma-C.11-weights",
    title="columns of the backward matrices that W' itself changes, of order tau sqrt(N/m)",
    bound="C*tau*sqrt(rows*log(2/delta)/m)",
    constants={
        "C": Constant.above(
            4, attacked=3, seeds="tried", why="sqrt(2) in standard deviation with one output and z along an axis"
        )
    },
    premises=[
        "radius and neurons drawn again against the width, so that W' does not meet itself, whatever z is: "
        "tau**2*rows <= m",
        "width against level, for products of few weights (10 is ours): m >= 10*log(1/delta)",
    ],
    regime=Regime(
        cells=[
            {"m": 32, "rows": 4, "tau": 0.1, "delta": 0.05},
            {"m": 8192, "rows": 16, "tau": 1.0, "delta": 0.4},
            {"m": 512, "rows": 256, "tau": 1.4, "delta": 0.4},
        ],
        thorough=[{"m": 30000, "rows": 64, "tau": 1.0, "delta": 0.4}],
        most={"rows": "m"},
    ),
    evidence=Trials(rate="delta", budget=60),
    idle={"aims": ("random",)},
    controls=[
        control("constant 1/4", bound="tau*sqrt(rows*log(2/delta)/m)/4"),
        control("gates of the first time 64 for 1", wide=64.0, cells=[{"m": 64, "rows": 4, "tau": 0.1, "delta": 0.05}]),
        control(
            "a perturbation that looks at B",
            aims=("outputs",),
            cells=[{"m": 512, "rows": 128, "tau": 2.0, "delta": 0.4}],
        ),
        control(
            "a perturbation that meets itself",
            cells=[{"m": 128, "rows": 128, "tau": 60.0, "delta": 0.4}],
            without="tau**2*rows <= m",
        ),
        control("two neurons", cells=[{"m": 2, "rows": 1, "tau": 1.4, "delta": 0.01}], without=LEVEL),
    ],
    blind={"delta": "the root of its logarithm, at two levels"},
    note="part (b), one sequence: W' = y z^T, ||z|| = 1, y of entries tau/sqrt(m) at N = rows neurons drawn at random, "
    "does not look at B; N^(5/6) tau^(5/3)/m^(1/3) in print is larger at large m; of the z tried an axis is worst",
)
def columns_changed_by_weights(
    rng: Generator, m: int, rows: int, tau: float, *, aims: tuple[str, ...] = ("axis", "again"), wide: float = 1.0
) -> float:
    """The longest column of B D_l W ... D_b W less the same with W~, over b <= l <= 3 = L, gates after in both."""
    shifts = _shifts(rng, m, rows, tau, aims, stored=2**11)
    return max(backward_changes(replace(s, after=gates_multiplied(s.after, 1, wide)))[1] for s in shifts)


@claim(
    "allenzhu2018rnn:lemma-C.11-order",
    title="norm of what one change of gates adds to the product in (a), before B, without logarithms: rho^6, not rho^3",
    kind="implication",
    bound="rho_**6*tau**(1/3)*rows**(1/6)/m**(1/6)",
    premises="none needed: products of orders; terms with more changes are no larger where m >= L^16 N tau^2",
    measured=["rho_", "rows", "tau", "m"],
    regime=Regime(cells=grid()),
    evidence=Proof(margin="a factor L^(1/3) between the powers of L"),
    controls=[
        control("rho^3, as printed", bound="rho_**3*tau**(1/3)*rows**(1/6)/m**(1/6)"),
        control("rho^5", bound="rho_**5*tau**(1/3)*rows**(1/6)/m**(1/6)"),
    ],
)
def order_of_the_backward_terms(bound: Bound) -> list[Step]:
    """The order of v = (prod D W~ - prod D~ W~) e_k, W~ = W + W', of which (a) is a^T B v; rho = n L outputs.

    L^3, times L terms with one change of gates, times L^(5/3) (tau^2 N)^(1/6)/m^(1/6) of Corollary B.15; N = `rows`.
    """
    root = sympy.Rational(1, 3)
    terms = L**3 * L * L ** (5 * root) * tau**root * rows ** (root / 2) / m ** (root / 2)
    return [implies("the terms with one change of gates", [t <= terms], t <= bound.expr, define=SIZES)]


@claim(
    "allenzhu2018rnn:eq-5.4-5.5",
    bound="C/m**(1/6)",
    premises="widths from the least on at which C is fitted, at sizes of W' that stay the same: m >= 64",
    regime=Regime(calibration=grid(m=[64, 256]), cells=grid(m=1024), thorough=grid(m=512)),
    evidence=Scaling({"m": "at most"}, constant="C", replicates=lambda m: 64 if m <= 256 else 16),
    controls=[
        control("exponent -2/3", bound="C/m**(2/3)"),
        control("exponent -3/4", bound="C/m**(3/4)"),
        control("exponent -1", bound="C/m"),
    ],
    note="(5.5), or (5.4) times 2/5 sqrt(m), so both count; W' = y z^T blind to B, ||z|| = 1, y of 8 entries 1/sqrt(m)",
    scope="part: the power of the width, for one sequence, L = 3, 16 outputs, tau = 1 and eight rows",
)
def columns_and_entries_changed(rng: Generator, m: int) -> float:
    """The most that gates or W' change a column of B D_l W ... D_b W, or 2/5 sqrt(m) |((W~ + W') h'_l)_k| if larger."""
    (column, entry) = _shifts(rng, m, 8, 1.0, ("column", "entry"), outputs=16, stored=math.inf)
    return max(*backward_changes(column), 0.4 * math.sqrt(m) * largest_entry(entry))


@claim(
    "allenzhu2018rnn:eq-5.4-5.5-forward",
    title="order of the entries that a rank-one perturbation changes",
    bound="C/m**(2/3)",
    premises="widths from the least on at which C is fitted, at sizes of W' that stay the same: m >= 256",
    regime=WIDTHS,
    evidence=Scaling({"m": "at most"}, constant="C", replicates=_replicates),
    controls=[
        control("exponent -4/3", bound="C/m**(4/3)"),
        control("exponent -6/5", bound="C/m**(6/5)"),
        control("as many rows as a quarter of the neurons", share=0.25),
    ],
    blind={
        "premise m >= 256": "below it the change still falls like 1/m, faster than the bound: no width there is tried"
    },
    note="(5.4); W' = y z^T, ||z|| = 1, y of sixteen entries 1/sqrt(m); near 1/m",
    scope="part: the power of the width, for one sequence, L = 3, tau = 1 and sixteen rows",
)
def entries_changed_order(rng: Generator, m: int, *, share: float = 0.0) -> float:
    """The largest |((W~ + W') h'_l)_k| at three times l, over all k, W' aimed at it, or to meet its own change."""
    count = max(16, int(share * m))
    return max(largest_entry(shift) for shift in _shifts(rng, m, count, 1.0, ("entry", "loop")))
