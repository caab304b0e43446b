"""chatterji2021, the bend of Theorem 3.3 on networks: where descent from Gaussian weights has ended its first stage.

Main claims: `bend_where_the_second_stage_starts`, an erratum, with `corrected_bend_where_the_second_stage_starts`.
"""

from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets.data.labelled import DataSource
from properties.chatterji2021.first_stage import (
    LONG_RUN_CELLS,
    RUN_CELLS,
    TARGET,
    bend_of,
    cells_of,
    run_examples,
    second_start,
)
from theory.claims import Measured, Regime, Verdict, claim, control
from theory.evidence import Search

NARROW = cells_of(50, 1, TARGET)
SEARCH = Search(examples=run_examples, adversary="the narrowest networks that stay within sqrt(6 m L)")


@claim(
    "chatterji2021:ineq-h-NT-run",
    title="the bend of the two-stage result where descent from Gaussian weights has met its target",
    bound=sheet.eq_3a.reads("Min(L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L), 1)"),
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        sheet.theorem_3_1_loss.reads("n**(-24*L - 1) > J1"),
        sheet.theorem_3_3_norm.reads("normV1 <= sqrt(6*m*L)"),
    ],
    printed=True,
    regime=Regime(cells=cells_of([50, 100, 200], 1, TARGET)),
    measured=["J1", "normV1"],
    evidence=SEARCH,
    expected=Verdict.REFUTED,
    controls=[
        control("7 for 6 in h_NT", constant=7, cells=NARROW),
        control("no first stage", trained=False, cells=NARROW, without=sheet.theorem_3_1_loss),
        control("m for its root in h_max", bound="L**(L/2 - 3)*log(1/J1)/(24*m*normV1**L)"),
    ],
    note="stage one takes steps of order 1/(m L^5 J). At one hidden layer the norm is about sqrt(3 m) at the start and "
    "grows, so that at this loss the bend is near 1.11 times h_max, for wide networks as well; further steps lower it",
)
def bend_where_the_second_stage_starts(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    pace: float,
    end: str,
    *,
    constant: int = 6,
    trained: bool = True,
) -> Measured:
    """Bend h_NT = (1 + 24 L) log(n)/(6 (6 m)^((L + 1)/2) L^3), V^(1) the first iterate with J_1 <= n^-(2 + 24 L).

    Layers are m times m, the first one too: inputs have m coordinates, as in print, of which d are not 0.
    """
    start = second_start(rng, data, (m, L, n, d), pace, end, bend_of(constant), trained)
    return Measured(start.net.activation.h, symbols=start.symbols)


@claim(
    "chatterji2021:ineq-h-NT-run-corrected",
    title="the corrected bend where descent from Gaussian weights ends its first stage",
    bound=sheet.eq_3a.reads("Min(L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**L), 1)"),
    premises=[
        sheet.theorem_3_1_samples.reads("n >= 3"),
        sheet.theorem_3_1_loss.reads("n**(-24*L - 1) > J1"),
        sheet.theorem_3_3_norm.reads("normV1 <= sqrt(6*m*L)"),
    ],
    regime=Regime(cells=RUN_CELLS, thorough=LONG_RUN_CELLS, usual={"points": "drawn"}),
    measured=["J1", "normV1"],
    evidence=SEARCH,
    idle={"trained": False},
    controls=[
        control("6 for 10, as printed", constant=6, cells=NARROW),
        control("no first stage", trained=False, cells=NARROW, without=sheet.theorem_3_1_loss),
        control("||V||^(L + 1) in h_max", bound="L**(L/2 - 3)*log(1/J1)/(24*sqrt(m)*normV1**(L + 1))"),
        control("m for its root in h_max", bound="L**(L/2 - 3)*log(1/J1)/(24*m*normV1**L)"),
    ],
    blind={
        f"premise {sheet.theorem_3_1_samples.text}": "one sample has no h_NT; its share of h_max is the same for all n"
    },
    note="stage one takes steps of order 1/(m L^5 J) and ends where they sum up to those of the theorem",
)
def corrected_bend_where_the_second_stage_starts(
    rng: Generator,
    data: DataSource,
    m: int,
    L: int,
    n: int,
    d: int,
    pace: float,
    end: str,
    points: str,
    *,
    constant: int = 10,
    trained: bool = True,
) -> Measured:
    """Bend (1+24 L) log(n)/(10 (6 m)^((L+1)/2) L^3); V^(1) where J <= n^-(2+24 L) first, or stage one ends."""
    start = second_start(rng, data, (m, L, n, d), pace, end, bend_of(constant), trained, points)
    return Measured(start.net.activation.h, symbols=start.symbols)
