"""Stand-ins for formulas, which are made in another room, and claims that exist for one test only.

Main definitions: `FakeBound`, `FakePremise`, `formula`; `declared`, a claim registered for the length of a
`with`; `decide` and `row`, which judge such a claim; `for_workers`, claims that other processes find; `without_times`,
a ledger as it must come out again.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import joblib.externals.loky
import pytest

from theory.claims import claim, control, registry
from theory.claims.block import Claim
from theory.claims.regime import Regime
from theory.claims.results import Evidence
from theory.core.protocols import FactorLike
from theory.evidence import Search
from theory.judging.judge import Row, judge
from theory.running.case import Case, RunConfig

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


@dataclass(frozen=True)
class FakeConstant:
    """A constant with a value and a reason."""

    value: float
    reason: str = "chosen for the test"
    reserve: float | None = None

    def __float__(self) -> float:
        return self.value


class AllNumbers:
    """A domain without limits."""

    text = "real"
    integer = False

    def contains(self, value: float) -> bool:
        """Whether it is a number."""
        return value == value


@dataclass(frozen=True)
class FakeDifference:
    """A change of shape without a factor."""

    shape: bool = True
    factors: tuple[FactorLike, ...] = ()


@dataclass(frozen=True)
class FakeBound:
    """A bound from a function of its symbols and constants, which are the function's parameters."""

    function: Callable[..., Any]
    text: str = "formula"
    constants: Mapping[str, FakeConstant] = field(default_factory=dict)
    exponents: Mapping[str, float] = field(default_factory=dict)
    enclosure: Callable[..., Any] | None = None
    lacking: Mapping[str, FakeBound] = field(default_factory=dict)

    @property
    def latex(self) -> str:
        """The text once more."""
        return self.text

    @property
    def symbols(self) -> tuple[str, ...]:
        """Parameters that are no constants."""
        return tuple(n for n in inspect.signature(self.function).parameters if n not in self.constants)

    def meanings(self, paper: str) -> Mapping[str, str]:
        """A word for each parameter, but none for one called `unsaid`."""
        names = inspect.signature(self.function).parameters
        return {name: "" if name == "unsaid" else f"meaning of {name}" for name in names}

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The function at `values`; a name without a value raises KeyError."""
        known = {name: constant.value for name, constant in self.constants.items()} | dict(values)
        return self.function(**{name: known[name] for name in inspect.signature(self.function).parameters})

    def ball(self, **values: Any) -> Any:
        """The enclosure given, at the same values."""
        assert self.enclosure is not None
        return self.enclosure(**{name: values[name] for name in self.symbols})

    def exponent(self, name: str, **values: Any) -> float:
        """The exponent given."""
        return self.exponents[name]

    @property
    def domains(self) -> Mapping[str, AllNumbers]:
        """All numbers, for every symbol."""
        return dict.fromkeys(self.symbols, AllNumbers())

    def power(self, name: str) -> Fraction | None:
        """Nothing: whether a function is a power is not known."""
        return None

    def frozen(self, name: str, value: Any) -> FakeBound:
        """The function with `value` for the symbol."""
        exponents = {**self.exponents, name: 0.0}
        return self._changed(lambda **values: self.function(**{**values, name: value}), exponents)

    def tilted(self, name: str, at: Any, power: Fraction) -> FakeBound:
        """The function times a power of the symbol."""
        exponents = {**self.exponents, name: self.exponents.get(name, 0.0) + float(power)}
        return self._changed(lambda **values: self.function(**values) * (values[name] / at) ** float(power), exponents)

    def without_terms(self) -> Mapping[str, FakeBound]:
        """The bounds given."""
        return self.lacking

    @property
    def places(self) -> Sequence[Any]:
        """None: where the parameters of a function stand is not known."""
        return ()

    def evaluate_at(self, place: Any, values: Mapping[str, Any], at: Any, power: Fraction | None) -> Any:
        """Never asked: there is no place."""
        raise NotImplementedError

    def changed_at(self, place: Any, at: Any, power: Fraction | None) -> FakeBound:
        """Never asked: there is no place."""
        raise NotImplementedError

    def difference(self, other: FakeBound, free: Sequence[str] = ()) -> FakeDifference:
        """Nothing is known of the terms of a function."""
        return FakeDifference()

    def _changed(self, function: Callable[..., Any], exponents: Mapping[str, float]) -> FakeBound:
        vars(function)["__signature__"] = inspect.signature(self.function)
        return replace(self, function=function, exponents=exponents)


@dataclass(frozen=True)
class FakePremise:
    """A premise from a function that says whether it holds."""

    function: Callable[..., bool]
    text: str = "premise"
    constants: Mapping[str, FakeConstant] = field(default_factory=dict)
    note: str = ""
    source: str = ""

    @property
    def latex(self) -> str:
        """The text once more."""
        return self.text

    @property
    def symbols(self) -> tuple[str, ...]:
        """Parameters of the function."""
        return tuple(inspect.signature(self.function).parameters)

    def meanings(self, paper: str) -> Mapping[str, str]:
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
    return FakeBound(function, text, exponents=exponents)


ONE = formula(lambda: 1.0, "1")
NEVER = control("a bound nothing meets", bound=formula(lambda: -1.0, "-1"))
# The same for a bound that is read from text, which is held against its controls term by term.
NEVER_READ = control("at most -1, which nothing meets", bound="-1")


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
