"""What is written in a claim block and in the forms beside it, before any of it is read.

Main definitions: `Texts`, all that can be written, by keyword, and `DEFAULTS`, what holds where it is not; `Form`, a
further bound of what a block measures; `Unread`, a control of which text is to be read; `Written`, what a block, or a
form of it, says of one claim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias, TypedDict, cast

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Control, Plan
from theory.claims.regime import Regime
from theory.claims.selection import nearest
from theory.core.refusal import ClaimError, printable, relative
from theory.core.values import Function, Values
from theory.core.verdict import Verdict

# A premise or several, each read where it is text.
Premises: TypeAlias = Premise | str | Sequence[Premise | str]

Refuse: TypeAlias = Callable[[str], ClaimError]

# How what is measured may stand to a bound.
SENSES = ("<=", ">=", "=")
_SENSE = re.compile(r"\s*(<=|>=|=)(?!=)\s*")


class Texts(TypedDict, total=False):
    """All that can be written in a block besides its statement and variant."""

    # The bound, premises and ceiling may be text in the grammar of `--bound`, here and in the controls. `constants`
    # gives the value of each constant in them and the reason for it, as in {"C": (2, "the value in the proof")}; a
    # constant that the evidence fits needs neither, and one that is set beyond attacks is a
    # `bounds.bound.Constant.above` or `below`, which says with which reserve.
    bound: Bound | str
    constants: Values
    # "<=", ">=" or "=": how what is measured stands to the bound. One that is text may begin with it, as in ">= m/2".
    sense: str
    # A premise or several, or the text "none needed: " and the reason. A premise that is text may begin with what it
    # asks for in the words of the field, and a colon, as in "width against depth: m >= 4*L**2".
    premises: Premises
    # What the measured quantity can never exceed, such as the width for a count of neurons (for a lower bound: never
    # fall below); where the bound lies beyond it, passing is no evidence.
    ceiling: Bound | str | None
    # Whether a chance or an error rate is measured, from 0 to 1.
    probability: bool
    # How many numbers the function measures at an instance, as in "n", "2*L" or "L + 1": another count is an error.
    entries: int | str
    # The symbols that only the measurement knows.
    measured: Sequence[str]
    # For a symbol of `measured` by what the function divides to measure it, as in {"c0": "m*gamma**4"}: what the bound
    # multiplies by again cancels, and the row does not count as seeing it.
    normalised: Mapping[str, Bound | str]
    regime: Regime
    evidence: Plan
    controls: Sequence[Control]
    # The verdict a healthy run ends with, by default the one its evidence can reach.
    expected: Verdict | None
    # Whether the block states the printed form, so that its verdict is the statement's: by default where it has no
    # variant. A variant that is printed too shows where the printed form fails; any other is a form of one's own.
    printed: bool | None
    # What to know of the row in a sentence or two.
    note: str
    # Why the claim need not see a wrong dependence on symbols of the bound, on their places, terms of a sum or
    # premises, by the names that the row has for them; refused where the row does see it.
    blind: Mapping[str, str]
    # Why its ratio may rise with a size: what it tends to, or where it ends. `lemmata check --strict` fails without.
    rising: Mapping[str, str]
    # Keywords of the function, set so that nothing is done: no step, no perturbation, no descent; a cell whose bound is
    # met as well like this is no evidence.
    idle: Values
    # A function of the keywords `rng` and `effort` that returns a `theory.reports.figures.Figure`; with `--ledger` it
    # is called once, after the claim is judged, and its picture and numbers stand beside the ledger.
    figure: Function | None
    # Names under which optional packages are imported, each with what installs it; where one is missing the claim is
    # not judged, and its row says so.
    packages: Mapping[str, str]
    # How much of the statement the claim is about, where that is not what follows from the block: a word of
    # `theory.core.scope` and after a colon which part, as in "part: the first item" or "steps: 6 of T", or why it is
    # more than what follows. What compares a run with symbols that the run itself reports is a chain at most;
    # `independent` says of such symbols, by name, why they are known otherwise.
    scope: str
    independent: Mapping[str, str]
    # What the paper's data module says of a statement that it lists; a new lemma says it here. The theme is that which
    # the name of the file begins with, where it begins with one.
    title: str
    kind: str
    theme: str
    source: str


# But for a bound, a regime, evidence and controls, which every block has to give.
DEFAULTS: Texts = {
    "constants": {},
    "sense": "<=",
    "premises": (),
    "ceiling": None,
    "probability": False,
    "entries": 0,
    "measured": (),
    "normalised": {},
    "controls": (),
    "expected": None,
    "printed": None,
    "note": "",
    "blind": {},
    "rising": {},
    "idle": {},
    "figure": None,
    "packages": {},
    "scope": "",
    "independent": {},
    "title": "",
    "kind": "",
    "theme": "",
    "source": "",
}


# What a statement has from the list of its paper.
DESCRIBED = ("title", "kind", "theme", "source")


def _listed(*kinds: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list | tuple) and all(isinstance(part, kinds) for part in value)


def _by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _premises(value: object) -> bool:
    return isinstance(value, Premise | str) or _listed(Premise, str, EllipsisType)(value)


# What each keyword takes, in words, and whether a value is that; what is still to be written is said elsewhere.
TAKES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("sense", "note", "scope", *DESCRIBED), ("a text", lambda value: isinstance(value, str))),
    "bound": ("a formula, as a text", lambda value: isinstance(value, Bound | str)),
    "ceiling": ("a formula, as a text", lambda value: value is None or isinstance(value, Bound | str)),
    "constants": ("a dictionary from names", _by_name),
    "premises": ("inequalities, as texts in a list", _premises),
    "probability": ("True or False", lambda value: isinstance(value, bool)),
    "printed": ("True or False", lambda value: value is None or isinstance(value, bool)),
    "entries": ("a number, or a text as in L + 1", lambda value: isinstance(value, int | str)),
    "measured": ("a list of names", _listed(str)),
    "controls": ("a list of control(...)", _listed(Control)),
    "expected": ("a Verdict", lambda value: value is None or isinstance(value, Verdict)),
    "regime": ("Regime(cells=grid(...))", lambda value: value is None or isinstance(value, Regime)),
    **dict.fromkeys(
        ("normalised", "blind", "rising", "idle", "packages", "independent"), ("a dictionary from names", _by_name)
    ),
}

# What a form says for itself or not at all: what its block says is about another bound.
OF_ONE_BOUND = ("expected", "printed", "note", "figure")


@dataclass(frozen=True)
class Unread(Control):
    """A control of which a formula is text, so that it has neither bound nor premises before it is read."""

    written: Bound | str | None = None
    dropped: tuple[Premise | str, ...] = ()


class Site(NamedTuple):
    """Where a call of `claim` or `form` stands."""

    file: str
    line: int

    @property
    def folder(self) -> Path:
        """Where what stands beside it is looked for: its folder, of a cell of a notebook that in which this runs."""
        return Path(self.file).parent if Path(self.file).is_file() else Path.cwd()

    def refuse(self, identifier: str, problem: str) -> ClaimError:
        """The refusal of what is written here, in one line."""
        return ClaimError(f"{relative(Path(self.file))}:{self.line}: claim {printable(identifier)}: {problem}")


@dataclass(frozen=True)
class Form:
    """A further bound of what a block measures, with what is written of it alone.

    It is a claim of its own, on the statement of the block or on another one.
    """

    variant: str
    statement: str
    says: str
    site: Site
    texts: Texts


@dataclass(frozen=True)
class Measuring:
    """A measuring function below its forms, until the block above them takes both."""

    function: Function
    forms: tuple[Form, ...] = ()


def _kind(value: object, is_that: Callable[[Any], bool]) -> str:
    """Of which other kind a value is, or that of the first item in it for which that is so."""
    items = value if isinstance(value, list | tuple) else ()
    odd = next((item for item in items if not is_that([item])), None)
    if odd is not None:
        return f" has an item of kind {type(odd).__name__}"
    return " is None" if value is None else f" is of kind {type(value).__name__}"


@dataclass(frozen=True)
class Written:
    """What a block, or a form of it, says of one claim, whatever it does not say included.

    `own` are the keywords that stand there. `says` goes on where the docstring of the function ends. `form_of` is the
    id of the block's own claim. `short` is whether it stands in the short form, where a symbol need not have a meaning.
    """

    statement: str
    variant: str
    site: Site
    texts: Texts
    own: frozenset[str]
    says: str = ""
    form_of: str = ""
    short: bool = False

    @classmethod
    def of(cls, statement: str, variant: str, site: Site, texts: Texts, short: bool = False) -> Written:
        """What a block says. Raises `ClaimError` for a keyword that there is none, and for two senses."""
        made = cls(statement, variant, site, _filled(_with_sense(texts)), frozenset(texts), short=short)._known()
        return made._of_one_sense(texts)

    def with_form(self, form: Form) -> Written:
        """What a form of this block says: what is written there, and as the block says the rest.

        Raises `ClaimError` for a form that has no name, that is of another paper, or that has two senses.
        """
        left = (*OF_ONE_BOUND, *(DESCRIBED if form.statement else ()))
        shared = {name: text for name, text in self.texts.items() if name not in left}
        texts = _filled({**shared, **_with_sense(form.texts)})
        statement = form.statement or self.statement
        made = (
            Written(
                statement, form.variant, form.site, texts, frozenset(form.texts), form.says, self.identifier, self.short
            )
            ._known()
            ._of_one_sense(form.texts)
        )
        if not (form.variant or form.statement):
            raise made.refuse('a form of it has no name; give it one, as in form("sharp", bound=...)')
        if statement.partition(":")[0] != self.statement.partition(":")[0]:
            raise made.refuse(f"it is a form of what {self.identifier} measures, and of another paper; write a block")
        return made

    @property
    def identifier(self) -> str:
        """The id of the claim: the statement's, followed by "-" and the variant where there is one."""
        return f"{self.statement}-{self.variant}" if self.variant else self.statement

    def refuse(self, problem: str) -> ClaimError:
        """The refusal of the claim."""
        return self.site.refuse(self.identifier, problem)

    def refuse_kinds(self) -> None:
        """Raise `ClaimError` for a keyword whose value is of another kind than it takes."""
        for name, (takes, is_that) in TAKES.items():
            value = self.texts.get(name)
            given = name in self.texts and value is not ... and not (value is None and name in ("bound", "controls"))
            if given and not is_that(value):
                raise self.refuse(f"its {name}{_kind(value, is_that)}; write {takes}")

    def _of_one_sense(self, texts: Texts) -> Written:
        if texts.get("sense", self.texts["sense"]) != self.texts["sense"]:
            raise self.refuse(
                f"its bound begins with {self.texts['sense']!r}, and its sense is {texts['sense']!r}; leave one out"
            )
        return self

    def _known(self) -> Written:
        for name in sorted(self.own - set(Texts.__annotations__)):
            raise self.refuse(f"it has a keyword {name!r}, which no block has; {nearest(name, Texts.__annotations__)}")
        return self


def with_sense(bound: str) -> tuple[str, str]:
    """The sense that a text of a bound begins with, empty where it begins with none, and the formula."""
    found = _SENSE.match(bound)
    return (found[1], bound[found.end() :]) if found else ("", bound)


def _with_sense(texts: Texts) -> Texts:
    """The texts, with the sense that the bound begins with, if it does, as a text of its own."""
    bound = texts.get("bound")
    sense, formula = with_sense(bound) if isinstance(bound, str) else ("", "")
    return {**texts, "sense": sense, "bound": formula} if sense else texts


def _filled(texts: Values) -> Texts:
    """The texts and the defaults; also for what is written as `None`, by a form that lacks what its block has."""
    given = {name: DEFAULTS.get(name) if text is None else text for name, text in texts.items()}
    return cast(Texts, {**DEFAULTS, **given})


def listed_premises(premises: Premises) -> tuple[Premise | str, ...]:
    """The premises, of which one may stand alone."""
    return (premises,) if isinstance(premises, str | Premise) else tuple(premises)
