"""Formulas and premises from functions, and claims that exist for one test only.

Main definitions: `FakeBound`, `FakePremise`, `chosen`, `formula`; `declared`, a claim registered for the length of a
`with`; `decide` and `row`, which judge such a claim; `for_workers`, claims that other processes find; `without_times`,
a ledger as it must come out again.
"""

from __future__ import annotations

import inspect
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib.externals.loky
import pytest
import sympy

from bounds.bound import Bound, Constant
from bounds.difference import Difference
from bounds.places import Place
from bounds.premise import Premise
from bounds.symbols import DOMAINS, Domain
from theory.claims import claim, control, registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue, Entry
from theory.claims.regime import Regime
from theory.claims.results import Evidence
from theory.core.refusal import ROOT
from theory.evidence import Search
from theory.judging.judge import Row, judge
from theory.judging.known import SOURCES, Dependencies
from theory.running.case import Case
from theory.running.config import RunConfig

ALPHA = 1e-4

# Claims in text that do what no code can catch; `claim`, `os`, `threading` and COMMON stand above them.
UNCATCHABLE = """class Leaving:
    def __del__(self):
        raise ArithmeticError("left")


@claim("toy:leaving", **COMMON)
def leaving(m):
    Leaving()
    return 0.5


@claim("toy:thread", **COMMON)
def in_thread(m):
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    return 0.5


@claim("toy:exit", **COMMON)
def process_exit(m):
    os._exit(0)
"""


def chosen(value: float, reason: str = "chosen for the test", reserve: float | None = None) -> Constant:
    """A constant with a value and a reason, perhaps set so many times beyond what attacks reach."""
    return Constant(value, reason, None if reserve is None else value / reserve)


@dataclass
class FakeBound(Bound):
    """A bound from a function of its symbols and constants, which are the function's parameters."""

    function: Callable[..., Any]
    text: str = "formula"
    constants: Mapping[str, Constant] = field(default_factory=dict)
    slopes: Mapping[str, float] = field(default_factory=dict)
    enclosure: Callable[..., Any] | None = None
    lacking: dict[str, Bound] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        names = inspect.signature(self.function).parameters
        self.symbols = tuple(name for name in names if name not in self.constants)
        # Equal to no other formula.
        self.expr = sympy.Dummy(self.text)

    @property
    def latex(self) -> str:
        """The text once more."""
        return self.text

    def meanings(self, paper: str) -> dict[str, str]:
        """A word for each parameter, but none for one called `unsaid`."""
        names = inspect.signature(self.function).parameters
        return {name: "" if name == "unsaid" else f"meaning of {name}" for name in names}

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The function at `values`; a name without a value raises KeyError."""
        known = {name: float(constant) for name, constant in self.constants.items()} | dict(values)
        return self.function(**{name: known[name] for name in inspect.signature(self.function).parameters})

    def ball(self, *, precision: int = 128, **values: Any) -> Any:
        """The enclosure given, at the same values."""
        assert self.enclosure is not None
        return self.enclosure(**{name: values[name] for name in self.symbols})

    def signed_log(self, values: Mapping[str, Any]) -> tuple[int, float]:
        """Sign and logarithm of the number that `evaluate` gives."""
        value = float(self.evaluate(values))
        return (value > 0.0) - (value < 0.0), math.log(abs(value)) if value else -math.inf

    def exponent(self, name: str, **values: Any) -> float:
        """The exponent given."""
        return self.slopes[name]

    @property
    def domains(self) -> dict[str, Domain]:
        """All numbers, for every symbol."""
        return dict.fromkeys(self.symbols, DOMAINS["real"])

    @property
    def variants(self) -> Any:
        """The bound itself, which makes its own."""
        return self

    def plus(self, number: int) -> FakeBound:
        """The function moved by a number."""
        return self._changed(lambda **values: self.function(**values) + number, self.slopes)

    def power(self, name: str) -> Fraction | None:
        """Nothing: whether a function is a power is not known."""
        return None

    def frozen(self, name: str, value: float | Fraction) -> FakeBound:
        """The function with `value` for the symbol."""
        exponents = {**self.slopes, name: 0.0}
        return self._changed(lambda **values: self.function(**{**values, name: value}), exponents)

    def tilted(self, name: str, at: float | Fraction, power: Fraction) -> FakeBound:
        """The function times a power of the symbol."""
        exponents = {**self.slopes, name: self.slopes.get(name, 0.0) + float(power)}
        return self._changed(lambda **values: self.function(**values) * (values[name] / at) ** float(power), exponents)

    def without_terms(self) -> dict[str, Bound]:
        """The bounds given."""
        return self.lacking

    def difference(self, other: Bound, free: Iterable[str] = ()) -> Difference:
        """A change of shape without a factor: nothing is known of the terms of a function."""
        return Difference(True, ())

    def _changed(self, function: Callable[..., Any], exponents: Mapping[str, float]) -> FakeBound:
        vars(function)["__signature__"] = inspect.signature(self.function)
        return replace(self, function=function, slopes=exponents)


@dataclass
class FakePremise(Premise):
    """A premise from a function that says whether it holds."""

    function: Callable[..., bool]
    text: str = "premise"
    constants: Mapping[str, Constant] = field(default_factory=dict)
    note: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        self.symbols = tuple(inspect.signature(self.function).parameters)

    @property
    def latex(self) -> str:
        """The text once more."""
        return self.text

    def meanings(self, paper: str) -> dict[str, str]:
        """A word for each parameter."""
        return {name: f"meaning of {name}" for name in self.symbols}

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it holds."""
        return bool(self.function(**{name: values[name] for name in self.symbols}))

    def slack(self, values: Mapping[str, Any]) -> float:
        """Nothing is known of the sides."""
        return math.nan


def formula(function: Callable[..., Any], text: str = "formula", **exponents: float) -> FakeBound:
    """A bound without constants."""
    return FakeBound(function, text, slopes=exponents)


ONE = formula(lambda: 1.0, "1")
NEVER = control("a bound nothing meets", bound=formula(lambda: 1e-9, "1e-9"))
# The same for a bound that is read from text, which is held against its controls term by term.
NEVER_READ = control("at most 0, which nothing meets", bound="0")


def of_the_suite(folder: Path) -> Dependencies:
    """What the claims of the suite depend on; `folder` gets what runs noted of files that have not changed since."""
    with suppress(OSError):
        shutil.copy(ROOT / ".cache" / "known" / SOURCES, folder)
    return Dependencies(RunConfig(), folder / SOURCES)


def entries_of_the_suite() -> list[Entry]:
    """Every claim of the suite, by what runs noted of files that have not changed since."""
    suite = Catalogue(ROOT / ".cache" / "claims.json")
    suite.add_suite()
    return suite.entries


@contextmanager
def _room_for(identifier: str) -> Iterator[None]:
    """Set aside the claim of the suite with this id, if another test has loaded it."""
    known = registry.find(identifier)
    if known is None or not known.file.startswith("properties"):
        yield
        return
    registry.remove(identifier)
    try:
        yield
    finally:
        registry._claims[identifier] = known


@contextmanager
def declared(function: Callable[..., Any], **block: Any) -> Iterator[Claim]:
    """The claim that `function` measures, by default `function() <= 1` in one cell; forgotten afterwards."""
    parts = (block.get("statement", "toy:statement"), block.get("variant"))
    with _room_for("-".join(filter(None, parts))), _registered(function, **block) as made:
        yield made


@contextmanager
def _registered(function: Callable[..., Any], **block: Any) -> Iterator[Claim]:
    defaults: dict[str, Any] = {
        "statement": "toy:statement",
        "title": "a toy statement",
        "kind": "deterministic",
        "theme": "activation",
        "source": "Section 1",
        "bound": ONE,
        "regime": Regime(cells=[{"m": 4}]),
        "evidence": Search(examples=20),
        "controls": [NEVER if isinstance(block.get("bound", ONE), FakeBound) else NEVER_READ],
    }
    made = claim(**{**defaults, **block})(function)
    try:
        yield made
    finally:
        registry.remove(made.id)


def decide(
    function: Callable[..., Any],
    config: RunConfig | None = None,
    alpha: float = ALPHA,
    of_control: str | None = None,
    **block: Any,
) -> Evidence:
    """What the plan of the claim, or of the control named `of_control`, finds."""
    with declared(function, **block) as made:
        wrong = next((c for c in made.controls if c.name == of_control), None)
        assert (wrong is None) == (of_control is None)
        return made.evidence.run(Case(made, config or RunConfig(), alpha, wrong))


def row(function: Callable[..., Any], config: RunConfig | None = None, **block: Any) -> Row:
    """The ledger row of the claim."""
    with declared(function, **block) as made:
        return judge(made, config or RunConfig(), ALPHA)


@contextmanager
def for_workers(folder: Path, patch: pytest.MonkeyPatch, module: str) -> Iterator[list[Claim]]:
    """The claims of a file in a folder of its own, where fresh workers find them by file and id."""
    (folder / "test_toy.py").write_text(module)
    patch.setattr(registry, "_claims", {})
    patch.setattr(registry, "_loaded", {})
    patch.setattr(sys, "path", [*sys.path])
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    yield registry.load_claims(folder)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)
    del sys.modules["test_toy"]


def without_times(entry: Any) -> Any:
    """A ledger in JSON's terms without what may differ between two runs: times, and how many workers there were."""
    if isinstance(entry, dict):
        timed = ("seconds", "seconds_controls", "started", "threads")
        return {name: without_times(value) for name, value in entry.items() if name not in timed}
    return [without_times(value) for value in entry] if isinstance(entry, list) else entry
