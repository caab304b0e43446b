"""What the premises of theorems ask for, found without a trial, with those of the lemmas that they rest on.

Main definitions: `plan`, from claims to a `Plan`; `TheoremNeed`, what a theorem asks for; `own_forms`, the claims that
say what it asks for itself; `with_best`, which adds what a ledger knows of the constants. What one claim asks for is
found in `theory.reports.solving`, and a plan is shown by `theory.reports.needs_shown`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from theory.claims.block import Claim
from theory.core.scope import Scope
from theory.core.seeds import said
from theory.core.statements import Open, Paper, Statement
from theory.core.values import Values
from theory.reports.main_theorems import MAIN
from theory.reports.page.graph import ancestors
from theory.reports.solving import GAVE_UP, NO_WIDTH, WIDTH, Need, Solvers, need_of, unsolved
from theory.running.config import RunConfig

# Scopes of forms that say what a statement asks for, where there is neither a printed form nor a corrected one.
_PARTS = (Scope.OWN_CONSTANTS, Scope.PART, Scope.STEPS, Scope.START)


@dataclass(frozen=True)
class TheoremNeed:
    """What a theorem or corollary asks for: the largest width among its own forms and all that it rests on.

    Its own forms are the printed ones, whatever their verdict, those of the whole statement that no testable size is
    inside of, and, where a printed one is refuted, those that a block declares corrected. Of what it rests on the
    printed form is taken, or the corrected one where that is refuted and there is one. A form that speaks of a part of
    its statement stands for none of these.

    `width` is nothing where some of them has none at these sizes: `barred` names those. `widths` has the width of each
    statement that has one, nearest first, and `open` those whose width was not found. `forms` has the claim of each
    that was taken, and `own` its own. `printed` is the width of its printed form. `false` are the statements whose
    taken form is refuted. `costliest` is the statement that decides, and `premise` the premise of it. `unselected` are
    the statements with claims of which none was selected, and `untested` those that no claim is about, itself included:
    nothing is known of these, so that no width is enough. `missed` are those with premises
    that fail at the width asked for, although it is no smaller than the one they need: not at these sizes. `constants`
    has values for all constants that keep a premise from holding at the width asked for, by claim, with which all that
    is decided holds; `inflexible` are the claims for which there are none, and then `constants` is empty.
    """

    id: str
    label: str
    title: str
    width: int | None
    widths: Mapping[str, int]
    open: tuple[str, ...]
    forms: Mapping[str, str]
    costliest: str
    premise: str
    within: bool | None
    missed: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    printed: int | None = None
    false: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    unselected: tuple[str, ...] = ()
    untested: tuple[str, ...] = ()
    constants: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    inflexible: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        """The key of its paper."""
        return self.id.split(":")[0]


@dataclass(frozen=True)
class Plan:
    """What the claims ask for, and what that means for each theorem; `asked` is the width of --at, if it gives one.

    `data` says whose sizes and separation are in force, where the user brought points, and `given` what --at assigns.
    """

    asked: int | None
    claims: tuple[Need, ...]
    theorems: tuple[TheoremNeed, ...]
    data: str = ""
    given: str = ""


def plan(
    claims: Sequence[Claim],
    config: RunConfig,
    papers: Mapping[str, Paper],
    solvers: Solvers,
    data: str = "",
    verdicts: Mapping[str, str] | None = None,
) -> Plan:
    """What the claims ask for at their first cells, with what `config` assigns.

    `verdicts` are those of rows, by id; the others are what the blocks expect. `config.forms` says which claims there
    are on each statement, selected or not.
    """
    known = verdicts or {}
    found = tuple(need_of(claim, config, solvers, known.get(claim.id, "")) for claim in claims)
    asked = config.at.get(WIDTH)
    return Plan(asked, found, tuple(_theorems(found, config.forms, papers, asked)), data, said(config.at))


def own_forms(claims: Sequence[Claim]) -> list[Claim]:
    """The claims that say what their statements ask for themselves, with the verdicts that their blocks expect."""
    forms: dict[str, list[Need]] = {}
    for claim in claims:
        forms.setdefault(claim.statement, []).append(unsolved(claim))
    taken = {need.id for needs in forms.values() for need in _own(needs)}
    return [claim for claim in claims if claim.id in taken]


def with_best(found: Plan, constants: Iterable[Values]) -> Plan:
    """The plan with the best values of constants from the table of a ledger, `constants` as `ledger.json` has it."""
    best: dict[tuple[str, str], dict[str, float]] = {}
    for entry in constants:
        if math.isfinite(float(entry["best"])):
            best.setdefault((entry["claim"], entry["where"]), {})[entry["name"]] = float(entry["best"])

    def filled(need: Need) -> Need:
        premises = [replace(p, best=best.get((need.id, f"premise {p.text}"), {})) for p in need.premises]
        return replace(need, premises=tuple(premises))

    return replace(found, claims=tuple(map(filled, found.claims)))


def _theorems(
    needs: Sequence[Need], known: Mapping[str, Sequence[str]], papers: Mapping[str, Paper], asked: int | None
) -> list[TheoremNeed]:
    """The theorems and corollaries of which something is known, each with what it rests on."""
    forms: dict[str, list[Need]] = {}
    for need in needs:
        forms.setdefault(need.statement, []).append(need)
    uses = {s.id: s.uses for paper in papers.values() for s in paper.statements}
    untested = {s.id for paper in papers.values() for s in paper.statements if _is_untested(s)} - {*known, *forms}
    found = []
    for paper in papers.values():
        for statement in paper.statements:
            if not statement.label.startswith(MAIN):
                continue
            behind = ancestors(uses, statement.id)
            unselected = tuple(name for name in behind if name in known and name not in forms)
            # Of a theorem that was not selected only what it rests on could be said, and that only as a whole.
            if not forms.keys() & behind.keys() or (statement.id not in forms and unselected):
                continue
            own = _own(forms.get(statement.id, []))
            taken = {name: max(_taken(forms[name]), key=_cost) for name in behind if name in forms}
            if own:
                taken[statement.id] = max(own, key=_cost)
            lacking = tuple(name for name in behind if name in untested)
            found.append(_theorem(statement, own, taken, unselected, lacking, asked))
    return found


def _is_untested(statement: Statement) -> bool:
    """Whether what a statement asks for is told by claims alone; a definition asks for nothing."""
    return isinstance(statement.coverage, Open) and statement.kind != "definition"


def _theorem(
    statement: Statement,
    own: Sequence[Need],
    taken: Mapping[str, Need],
    unselected: tuple[str, ...],
    untested: tuple[str, ...],
    asked: int | None,
) -> TheoremNeed:
    """What a theorem asks for, with its own forms and the ones `taken` of the statements behind it."""
    widths = {name: need.width for name, need in taken.items() if need.width is not None}
    barred = tuple(name for name, need in taken.items() if need.why == NO_WIDTH)
    opened = tuple(name for name, need in taken.items() if need.why == GAVE_UP)
    missed = tuple(name for name in widths if asked is not None and _misses(taken[name], asked))
    most = barred[0] if barred else max(widths, key=lambda name: widths[name], default="")
    decides = taken[most] if most else None
    premise = "" if decides is None else (*decides.lacking, decides.costliest)[0]
    constants, inflexible = _constants(taken) if asked is not None else ({}, ())
    return TheoremNeed(
        id=statement.id,
        label=statement.label,
        title=statement.title,
        width=None if barred or not widths else widths[most],
        widths=widths,
        open=opened,
        forms={name: need.id for name, need in taken.items()},
        costliest=most,
        premise=premise,
        within=_within(widths, asked, bool(barred or missed), bool(opened or unselected or untested)),
        missed=missed,
        own=tuple(need.id for need in own),
        printed=max((need.width for need in own if need.printed and need.width is not None), default=None),
        false=tuple(name for name, need in taken.items() if need.is_false),
        barred=barred,
        unselected=unselected,
        untested=untested,
        constants=constants,
        inflexible=inflexible,
    )


def _within(widths: Mapping[str, int], asked: int | None, fails: bool, unknown: bool) -> bool | None:
    """Whether the width asked for is enough; nothing where none is asked for or not all is known."""
    if asked is None:
        return None
    if fails or any(width > asked for width in widths.values()):
        return False
    return None if unknown or not widths else True


def _constants(taken: Mapping[str, Need]) -> tuple[dict[str, Mapping[str, float]], tuple[str, ...]]:
    """Values of constants, by claim, with which the premises hold at the width asked for, and claims without any."""
    found: dict[str, Mapping[str, float]] = {}
    inflexible = []
    for need in taken.values():
        if need.within is not False:
            continue
        enough = [p.enough for p in need.premises if p.status == "fails"]
        if enough and all(enough):
            found[need.id] = {name: value for values in enough for name, value in values.items()}
        else:
            inflexible.append(need.id)
    return ({} if inflexible else found), tuple(inflexible)


def _misses(need: Need, asked: int) -> bool:
    """Whether a width fails that is not too small."""
    return need.width is not None and need.width <= asked and need.within is False


def _own(forms: Sequence[Need]) -> list[Need]:
    """The forms that say what a theorem asks for itself."""
    repaired = [need for need in forms if need.is_repair] if any(need.is_false for need in forms) else []
    return [*_whole(forms), *repaired] or _taken(forms)


def _taken(forms: Sequence[Need]) -> list[Need]:
    """The forms that say what a statement asks of those that rest on it."""
    whole, repaired = _whole(forms), [need for need in forms if need.is_repair]
    if whole and not any(need.is_false for need in whole):
        return whole
    return repaired or whole or [need for need in forms if need.scope in _PARTS] or list(forms)


def _whole(forms: Sequence[Need]) -> list[Need]:
    """The printed forms, and the cases of them that no testable size is inside of; nothing where none is printed."""
    if not any(need.printed for need in forms):
        return []
    return [need for need in forms if need.printed or need.scope == Scope.VACUOUS]


def _cost(need: Need) -> float:
    """How much a form asks for: no width is more than any."""
    if need.width is None:
        return math.inf if need.why == NO_WIDTH else -1.0
    return math.log(need.width)
