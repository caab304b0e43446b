"""Blocks of valid and invalid parts: refused in a line or judged, never a traceback, never a false claim that holds.

A hundred blocks where nothing else is said; as many as LEMMATA_BLOCKS says, other ones each time, with `make fuzz`.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from bounds.bound import Constant
from theory.claims import Measured, Regime, control, grid, reals
from theory.core.refusal import ClaimError
from theory.evidence import Distribution, ExactLaw, Proof, Scaling, Search, Step, Trials
from theory.judging.judge import Row
from theory.reports import ledger
from theory.reports.report import story, table
from theory.running.config import RunConfig
from theory.tests.conftest import AT_NIGHT
from theory.tests.fakes import row

BLOCKS = int(os.environ.get("LEMMATA_BLOCKS", "100"))

# Formulas with what they come to, in other words.
FORMULAS: dict[str, Callable[[float], float]] = {
    "m": lambda m: m,
    "sqrt(m)": lambda m: math.sqrt(m),
    "C*m": lambda m: 3.0 * m,
    "exp(-m)": lambda m: math.exp(-m),
    "m**2 + 1": lambda m: m * m + 1.0,
    "log(m + 1)": lambda m: math.log(m + 1.0),
    "1/m": lambda m: 1.0 / m,
    "m - m": lambda m: 0.0,
}
NO_FORMULAS: list[Any] = [
    "",
    "m +",
    "q",
    "m < 2",
    "import os",
    "m.real",
    "10**10**10",
    3.5,
    None,
    ["m"],
    "E*m",
    "m*\n2",
]
SENSES = ("<=", ">=", "=")
FAR = 1.5


@dataclass(frozen=True)
class Drawn:
    """A block, and whether what it says of its function is false at all its cells."""

    block: dict[str, Any]
    false: bool


def _measure(kind: str, number: Callable[[float], float]) -> Callable[..., Any]:
    """A function that gives this number of the size in one way or another."""

    def drawn(rng: np.random.Generator, m: int) -> Any:
        return number(m) * (1.0 + 1e-3 * rng.random())

    def cached(rng: np.random.Generator, m: int) -> Any:
        return number(m)

    def steps(bound: Any, m: int) -> Any:
        met = number(m) <= bound.evaluate({"m": m})
        return [Step("it is met", met)]

    def constant(bound: Any, m: int) -> Any:
        return [Step("it is so", True)]

    ways: dict[str, Callable[..., Any]] = {
        "drawn": drawn,
        "cached": cached,
        "steps": steps,
        "constant": constant,
        "number": lambda m: number(m),
        "array": lambda m: np.array([0.0, number(m), 0.0]) if number(m) > 0 else np.array([number(m)] * 3),
        "one for all": lambda m: np.full(1, number(m)),
        "with a large error": lambda m: Measured(number(m), error=10.0 * abs(number(m)) + 1.0),
        "with a scale": lambda m: Measured(number(m), error=abs(number(m)), scale=1e12),
        "with another size": lambda m: Measured(number(m), symbols={"m": 10**6}),
        "with another constant": lambda m: Measured(number(m), symbols={"C": 10**6}),
        "with a wrong ball": lambda m: Measured(number(m), error=0.0, ball=lambda: flint.arb(0)),
        "not finite": lambda m: math.nan,
        "nothing": lambda m: None,
        "a text": lambda m: "number",
        "an interval": lambda m: Measured.between(number(m), number(m)),
        "raising": lambda m: 1 / 0,
        "empty": lambda m: np.zeros(0),
        "ragged": lambda m: [[1.0], [1.0, 2.0]],
    }
    return ways[kind]


WAYS = (
    "drawn", "cached", "steps", "constant", "number", "array", "one for all", "with a large error", "with a scale",
    "with another size", "with another constant", "with a wrong ball", "not finite", "nothing", "a text", "an interval",
    "raising", "empty", "ragged",
)  # fmt: skip

# Parts that a block may have in place of sound ones, or besides.
ODD: dict[str, list[Any]] = {
    "bound": NO_FORMULAS,
    "regime": [
        None, {}, {"m": 4}, lambda: Regime(cells=[]), lambda: Regime(cells=[{}]), lambda: Regime(cells=[{"m": -1}]),
        lambda: Regime(cells=[{"m": 4, "E": 2}]), lambda: Regime(cells=[{"m": 4.5}]),
        lambda: Regime(cells=[{"m": "a"}]),
        lambda: Regime(cells=grid(m=[4, 4])), lambda: Regime(cells=[{"m": 4}], least={"m": 5}),
        lambda: Regime(cells=[{"m": 4}], draw={"m": reals(0, 1)}), lambda: Regime(cells=[{"m": 10**400}]),
        lambda: Regime(cells=[{"m": 4}], derived={"k": lambda q: q}), lambda: Regime(cells=[{"n": 4}]),
    ],
    "evidence": [
        None, Search, "Search", Search(examples=-1), Search(examples=0), Trials(rate=2.0), Trials(rate="q"),
        Trials(rate=0.1, budget=-1), ExactLaw(), Proof(), Scaling(exponents={"m": "equal"}, constant="C"),
        Distribution(law=lambda: None, trials=10),
    ],
    "sense": ["<", "==", None, 3],
    "premises": ["m >= 1", "m <= 1", "m", "m >= q", 3, ["m >= 1", "m >= 1"], "none needed", "none needed: because", ""],
    "measured": ["k", ["k"], ["m"], ["pi"], 3, [3]],
    "controls": [
        (), None, "control", [control("none")], [control("as it is", bound="m")], [control("odd", bound="q")],
        [control("a knob", gain=2.0)], [control("cells", cells=[{"m": 3}])], [control("drops", without="m >= 7")],
        [control("never", bound="-1"), control("never", bound="-2")], [3],
    ],
    "title": ["", "\x1b[31m", "\u202e", "\ud800", "引理", 3, None],
    "kind": ["lemma", "probability", 3],
    "theme": ["none", 3],
    "source": ["", 3],
    "constants": [{"C": 3}, {"C": (3,)}, {"C": (math.nan, "why")}, {"q": (1, "why")}, {"m": (1, "why")}, 3, {}],
    "entries": ["n", "m", -1, 3, "m*2", 2.5],
    "note": ["\x00", 3],
    "blind": [{"m": ""}, {"q": "why"}, {"m": "why"}, 3],
    "ceiling": ["m", "q", 3],
    "probability": [True, "yes"],
    "expected": ["holds", 3],
    "idle": [{"gain": 0.0}, 3],
    "weight": [1e308],
    "scope": ["whole", "part", "part: some"],
}  # fmt: skip


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Callable[..., Any], Drawn]:
    """A function and its block, of which at most three parts are odd."""
    text = draw(st.sampled_from(sorted(FORMULAS)))
    sense, way = draw(st.sampled_from(SENSES)), draw(st.sampled_from(WAYS))
    factor = draw(st.sampled_from([1.0 / FAR, 1.0, FAR]))
    limit = FORMULAS[text]
    beyond = {"<=": factor > 1.0, ">=": factor < 1.0, "=": factor != 1.0}[sense] and text != "m - m"
    wrong = ("a tenth", f"({text})/10") if sense == "<=" else ("ten times", f"10*({text})")
    plans = [Trials(rate=0.1)] if way in ("drawn", "cached") else [Proof()] if way in ("steps", "constant") else []
    block: dict[str, Any] = {
        "bound": text,
        "sense": sense,
        "constants": {"C": Constant(3, "chosen for the test")} if "C" in text else {},
        "regime": Regime(cells=grid(m=draw(st.sampled_from([[4], [2, 40], [700, 800]])))),
        "evidence": draw(st.sampled_from([*plans, Search(examples=5)])),
        "controls": [control(wrong[0], bound=wrong[1])],
        "kind": "probability" if way == "drawn" else "deterministic",
    }
    odd = draw(st.sampled_from([0, 0, 1, 1, 2, 3]))
    for name in draw(st.lists(st.sampled_from(sorted(ODD)), min_size=odd, max_size=odd, unique=True)):
        block[name] = draw(st.sampled_from(ODD[name]))
    # What is said of another bound, in another sense, or of the measured size, is another claim.
    other = block["bound"] != text or block["sense"] != sense or block.get("measured") == ["m"]
    return _measure(way, lambda m: factor * limit(m)), Drawn(block, beyond and not other)


def judged(function: Callable[..., Any], block: dict[str, Any]) -> Row | None:
    """The row; none where the block is refused, in a line that a terminal may print."""
    made = dict(block)
    try:
        if callable(made.get("regime")) and not isinstance(made["regime"], Regime):
            made["regime"] = made["regime"]()
        return row(function, RunConfig(time_limit=20.0), **made)
    except (ClaimError, ValueError) as error:  # a part may be refused before there is a block
        refused = str(error)
    assert refused
    assert all(line.isprintable() for line in refused.split("\n")), ascii(refused)
    return None


@settings(
    max_examples=BLOCKS,
    deadline=None,
    derandomize=not AT_NIGHT,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    database=None,
)
@given(drawn=blocks())
def test_no_block_ends_in_a_traceback_and_none_that_is_false_is_as_expected(
    drawn: tuple[Callable[..., Any], Drawn],
) -> None:
    function, said = drawn
    note(repr(said.block))
    found = judged(function, said.block)
    if found is None:
        return
    assert not (said.false and found.ok), (found.verdict, said.block)
    # What is told of it, and the ledger, are there for any row.
    shown = [*story(found), *table([found], 120)]
    assert all(line.isprintable() for line in shown)
    assert ledger.plain(ledger._claim(found, (), {}))


def test_the_blocks_are_of_all_kinds() -> None:
    """Else nothing would be found: some are refused, some as expected, some false and judged."""
    kinds: Counter[str] = Counter()

    @settings(max_examples=60, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    @given(drawn=blocks())
    def count(drawn: tuple[Callable[..., Any], Drawn]) -> None:
        function, said = drawn
        found = judged(function, said.block)
        kinds["refused" if found is None else "false" if said.false else "as expected" if found.ok else "other"] += 1

    count()
    assert min(kinds[kind] for kind in ("refused", "false", "as expected", "other")) >= 3, kinds
