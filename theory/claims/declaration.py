"""The claim block: a statement, its bound, where it is tested, and what would refute it.

Main definitions: the decorator `claim`, which makes a `theory.claims.block.Claim`, and `control`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims import points, registry
from theory.claims.block import Claim, Control, Plan
from theory.claims.reading import Reading
from theory.claims.regime import Choices, Regime
from theory.claims.scoping import Block, scope_of
from theory.claims.stated_factors import unstated
from theory.claims.wrong_bounds import of_terms
from theory.core.refusal import ClaimError, relative
from theory.core.scope import Scope, Scoped
from theory.core.seeds import canonical
from theory.core.statements import STATEMENT_KINDS, THEMES
from theory.core.verdict import NONE_NEEDED, Verdict
from theory.papers import beside, listed, unlisted

SENSES = ("<=", ">=", "=")

# Parameters a measuring function may ask for besides the claim's symbols.
#   rng        the generator of this trial          data       training points, synthetic or the user's own
#   bound      the bound in force (proofs)          threshold  the level whose tail is asked (exact laws)
#   X, y       the training points of the cell and their labels, drawn once for all its trials
SERVICES = frozenset({"rng", "data", "bound", "threshold"})

# Names a symbol may not have: those above, and the trial number of `--at`.
RESERVED = SERVICES | {"trial"}

# Why a claim without premises has none, where its block gives no other reason.
NO_PREMISE = "whatever its cells and draws give is an instance of the statement"

# A premise or several, each read where it is text.
Premises: TypeAlias = Premise | str | Sequence[Premise | str]

# What is read from text.
Formula = TypeVar("Formula", Bound, Premise)

# A paper's key, a colon, and a name without blanks, so that the id can be typed after `--claim`.
ID = re.compile(r"[a-z0-9]+:\S+")


@dataclass(frozen=True)
class _Unread(Control):
    """A control of which a formula is text, so that it has neither bound nor premises before `claim` has read it."""

    written: Bound | str | None = None
    dropped: tuple[Premise | str, ...] = ()


def control(
    name: str,
    *,
    bound: Bound | str | None = None,
    cells: Sequence[Mapping[str, Any]] | None = None,
    without: Premises = (),
    **knobs: Any,
) -> Control:
    """A `Control`, with the measuring function's keyword arguments written as keywords.

    `without` is a premise of the claim, or several: the control is judged as if the statement did not ask for them. Of
    those that the cells decide, every one has to fail at a cell of the control, where all other premises hold.
    """
    places, dropped = None if cells is None else tuple(cells), _listed(without)
    read = tuple(premise for premise in dropped if isinstance(premise, Premise))
    if (bound is None or isinstance(bound, Bound)) and len(read) == len(dropped):
        return Control(name, bound, places, read, knobs)
    return _Unread(name, None, places, (), knobs, bound, dropped)


def _reason_for_none(premises: Premises) -> str | None:
    """Why no premise is needed, where that is what is written in their place."""
    if not isinstance(premises, str) or not premises.startswith(NONE_NEEDED):
        return None
    return premises.removeprefix(NONE_NEEDED).removeprefix(":").strip()


def _listed(premises: Premises) -> tuple[Premise | str, ...]:
    """The premises, of which one may stand alone."""
    return (premises,) if isinstance(premises, str | Premise) else tuple(premises)


def claim(
    statement: str,
    *,
    bound: Bound | str,
    regime: Regime | None = None,
    evidence: Plan | None = None,
    controls: Sequence[Control] = (),
    sense: str = "<=",
    premises: Premises = (),
    measured: Sequence[str] = (),
    ceiling: Bound | str | None = None,
    probability: bool = False,
    constants: Mapping[str, Any] | None = None,
    variant: str = "",
    printed: bool | None = None,
    expected: Verdict | None = None,
    weight: float = 1.0,
    note: str = "",
    blind: Mapping[str, str] | None = None,
    idle: Mapping[str, Any] | None = None,
    normalised: Mapping[str, Bound | str] | None = None,
    figure: Callable[..., Any] | None = None,
    packages: Mapping[str, str] | None = None,
    scope: str = "",
    independent: Mapping[str, str] | None = None,
    label: str = "",
    title: str = "",
    kind: str = "",
    theme: str = "",
    source: str = "",
) -> Callable[[Callable[..., Any]], Claim]:
    """Declare the decorated measuring function to be a claim.

    `statement` is `paper:id`. For a statement that the paper's data module lists, title, label, kind, theme
    and source come from there; a new lemma gives them here. `variant` names a second claim about the same
    statement (a corrected form, an exponent); its id is the statement's followed by "-" and the variant.
    `printed` says whether the block states the printed form, so that its verdict is the statement's: by default where
    it has no variant. A variant that is printed too shows where the printed form fails; any other is a form of one's
    own.
    `measured` names the symbols that only the measurement knows. `ceiling` is what the measured quantity can never
    exceed, such as the width for a count of neurons (for a lower bound: never fall below); where the bound lies beyond
    it, passing is no evidence. `probability` says that a chance or an error rate is measured, from 0 to 1.
    `expected` is the verdict a healthy run ends with, by default the one its evidence can reach.

    `normalised` gives for a symbol of `measured` by what the function divides to measure it, as in
    {"c0": "m*gamma**4"}: what the bound multiplies by again cancels, and the row does not count as seeing it.

    A premise that is text may begin with what it asks for in the words of the field, and a colon, as in "width against
    depth: m >= 4*L**2". `premises` may be the text "none needed: " and the reason. `blind` says of symbols of the
    bound, of their places, terms of a sum or premises, by the names that the row has for them, why the claim need not
    see a wrong dependence on them; it is refused where the row does see it. `idle` sets keywords of the function so
    that nothing is done: no step, no perturbation, no descent; a cell whose bound is met as well like this is no
    evidence.

    `figure` is a function of the keywords `rng` and `effort` that returns a `theory.reports.figures.Figure`; with
    `--ledger` it is called once, after the claim is judged, and its picture and numbers stand beside the ledger.

    `packages` are names under which optional packages are imported, each with what installs it; where one is missing
    the claim is not judged, and its row says so.

    `scope` says how much of the statement the claim is about, where that is not what follows from the block: a word of
    `theory.core.scope` and after a colon which part, as in "part: the first item" or "steps: 6 of T", or why it is more
    than what follows. What compares a run with symbols that the run itself reports is a chain at most; `independent`
    says of such symbols, by name, why they are known otherwise.

    A bound, premise or ceiling may be text in the grammar of `--bound`, here and in the controls. `constants` then
    gives the value of each constant in them and the reason for it, as in {"C": (2, "the value in the proof")}; a
    constant that the evidence fits needs neither, and one that is set beyond attacks is a `bounds.bound.Constant.above`
    or `below`, which says with which reserve.

    Raises `ClaimError` for an incomplete or contradictory block.
    """

    caller = sys._getframe(1)
    file, line = caller.f_code.co_filename, caller.f_lineno
    registry.call(file, line)

    def declare(function: Callable[..., Any]) -> Claim:
        identifier = f"{statement}-{variant}" if variant else statement

        def refuse(problem: str) -> ClaimError:
            return ClaimError(f"{relative(Path(file))}:{line}: claim {identifier}: {problem}")

        own = beside(Path(file).parent)
        record = listed(statement, own)
        described = {"label": label, "title": title, "kind": kind, "theme": theme, "source": source}
        if record is not None:
            known = {
                "label": record.label,
                "title": record.title,
                "kind": record.kind,
                "theme": record.theme,
                "source": record.locator,
            }
            for name, text in described.items():
                if text and text == known[name]:
                    raise refuse(f"its {name} is the one that its paper lists already; leave it out")
            described = {name: text or known[name] for name, text in described.items()}
        if ":" not in statement:
            raise refuse("its id has no paper; write it as `paper:statement`")
        if not ID.fullmatch(identifier):
            raise refuse("its id has blanks or no paper key; write `paper:statement`, as in zou2018:lemma-A.7")
        if problem := unlisted(statement, own):
            raise refuse(problem)
        if unwritten := _unwritten(function, {**described, "bound": bound, "ceiling": ceiling}, premises, controls):
            raise refuse(f"what stands as ... there is still to be written: {', '.join(unwritten)}")
        if not described["source"]:
            raise refuse('it has no source locator; add source="where the statement stands", such as "Lemma A.7"')
        for name in ("title", "kind", "theme"):
            if not described[name]:
                raise refuse(f'no paper lists this statement, so the block must give {name}="..."')
        if described["theme"] not in THEMES:
            raise refuse(f"unknown theme {described['theme']!r}; use one of {', '.join(THEMES)}")
        if described["kind"] not in STATEMENT_KINDS:
            raise refuse(f"unknown kind {described['kind']!r}; use one of {', '.join(STATEMENT_KINDS)}")
        if regime is None or not regime.cells:
            raise refuse("it has no regime; add regime=Regime(cells=grid(...)) with the sizes to test it at")
        if evidence is None:
            raise refuse("it has no evidence plan; add evidence=Search(...), Trials(...), ExactLaw(...) or another")
        if not isinstance(evidence, Plan):
            raise refuse(f"its evidence {evidence!r} is no plan; derive its class from theory.claims.Plan")
        if not controls and not (expected or evidence.pass_verdict).is_pass:
            raise refuse("it has no negative control; add controls=[control('what is wrong', ...)] that must fail")
        reason = _reason_for_none(premises)
        if reason is not None and not reason:
            raise refuse('its premises are none needed, without a reason; write "none needed: " and why')
        place = (statement.split(":")[0], described["label"])
        formulas = _read_formulas(
            bound, () if reason else premises, ceiling, controls, normalised, constants, evidence, place, refuse
        )
        if sense not in SENSES:
            raise refuse(f"unknown sense {sense!r}; use one of {', '.join(SENSES)}")
        if not (math.isfinite(weight) and weight > 0.0):
            raise refuse(f"its weight is {weight}; give a positive number, as the error budget is split by weight")
        if probability and sense == "=":
            raise refuse("a probability is bounded by 1 and 0, which an equality does not ask; leave probability out")
        if probability and ceiling is not None:
            raise refuse("it is about a probability and gives a ceiling besides; leave the ceiling out")
        if expected is Verdict.ERROR:
            raise refuse("it expects an error, which says nothing of the statement; expect another verdict")
        declared = Claim(
            id=identifier,
            statement=statement,
            paper=statement.split(":")[0],
            bound=formulas.bound,
            sense=sense,
            premises=formulas.premises,
            regime=regime,
            evidence=evidence,
            controls=formulas.controls,
            measured=tuple(measured),
            ceiling=formulas.ceiling,
            probability=probability,
            expected=expected or evidence.pass_verdict,
            printed=not variant if printed is None else printed,
            weight=weight,
            note=note,
            needs_none=reason or NO_PREMISE,
            blind=dict(blind or {}),
            idle=dict(idle or {}),
            figure=figure,
            packages=dict(packages or {}),
            normalised=formulas.normalised,
            # Until the block is whole: what follows from it is found below.
            scope=Scoped(Scope.PART),
            uses=record.uses if record is not None else (),
            function=function,
            file=relative(Path(file)),
            line=line,
            **described,
        )
        _check_regime(declared, refuse)
        _check_symbols(declared, refuse)
        _check_controls(declared, refuse)
        _check_blind(declared, refuse)
        _check_normalised(declared, refuse)
        _check_idle(declared, refuse)
        _check_figure(declared, refuse)
        for name, remedy in declared.packages.items():
            if not name.isidentifier() or not remedy.strip():
                raise refuse(f"its package {name!r} is no name to import, or has no remedy; write what installs it")
        problem = evidence.check(declared)
        if problem:
            raise refuse(problem)
        listed_as = Block(scope, independent or {}, record.kind if record else "", record.title if record else "")
        declared = replace(declared, scope=scope_of(declared, listed_as, refuse))
        registry.add(declared, (file, line))
        return declared

    return declare


def _unwritten(
    function: Callable[..., Any], given: Mapping[str, Any], premises: Any, controls: Sequence[Control]
) -> list[str]:
    """What of a block that `theory.surface.skeleton` wrote still stands as `...`."""
    found = [name for name, value in given.items() if value is ...]
    found += ["premises"] if premises is ... or (isinstance(premises, list | tuple) and ... in premises) else []
    found += ["controls"] if any(... in (c.name, c.bound) for c in controls) else []
    found += ["the docstring"] if (function.__doc__ or "").strip() == "..." else []
    # A function that uses no name and knows the constant ... does nothing but return it.
    code = function.__code__
    return found + (["what the function returns"] if ... in code.co_consts and not code.co_names else [])


@dataclass(frozen=True)
class _Formulas:
    """The formulas of a block, those written as text read."""

    bound: Bound
    premises: tuple[Premise, ...]
    ceiling: Bound | None
    controls: tuple[Control, ...]
    normalised: Mapping[str, Bound]


def _read_formulas(
    bound: Bound | str,
    premises: Premises,
    ceiling: Bound | str | None,
    controls: Sequence[Control],
    normalised: Mapping[str, Bound | str] | None,
    constants: Mapping[str, Any] | None,
    evidence: Plan,
    place: tuple[str, str],
    refuse: Callable[[str], ClaimError],
) -> _Formulas:
    """Read what is text, and refuse what is no formula with the piece underlined.

    `place` is the paper's key and the label of the statement, where its premises stand.
    """
    fitted = {} if evidence.constant is None else {evidence.constant: (1, "fitted on the calibration cells")}
    reading = Reading(constants or {}, fitted, *place)

    def read(what: str, reader: Callable[[object], Formula], written: object) -> Formula:
        try:
            return reader(written)
        except ValueError as error:
            raise refuse(f"its {what}: {error}") from None

    def read_control(c: Control) -> Control:
        what = f"control {c.name!r}"
        if not isinstance(c, _Unread):
            return c
        wrong = None if c.written is None else read(what, reading.bound, c.written)
        return Control(c.name, wrong, c.cells, tuple(read(what, reading.premise, p) for p in c.dropped), c.knobs)

    stated = read("bound", reading.bound, bound)
    # What is written beside it may name the constants of the bound, which have their values there.
    reading.shared = {**fitted, **stated.constants}
    formulas = _Formulas(
        bound=stated,
        premises=tuple(read("premise", reading.premise, p) for p in _listed(premises)),
        ceiling=None if ceiling is None else read("ceiling", reading.bound, ceiling),
        controls=tuple(map(read_control, controls)),
        normalised={name: read(f"divisor of {name!r}", reading.bound, by) for name, by in (normalised or {}).items()},
    )
    for name in reading.unused:
        raise refuse(f"its constant {name!r} occurs in none of its formulas that are text; leave it out")
    return formulas


def _check_regime(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse cells that differ in their symbols, and derived symbols that cannot be computed from them."""
    regime = declared.regime
    reserved = RESERVED | (set(points.POINTS) if regime.from_data else set())
    for name in sorted(regime.symbols & reserved):
        raise refuse(f"its regime has a symbol {name!r}, a name the run itself uses; rename it")
    if declared.has_points and (missing := sorted(set(points.SIZES) - regime.symbols)):
        raise refuse(f"its points take n and d, and its regime does not give {', '.join(missing)}; add it to the cells")
    given = set(regime.all_cells()[0])
    cells: list[tuple[str, Mapping[str, Any]]] = [("regime", cell) for cell in regime.all_cells()]
    cells += [(f"control {c.name!r}", _undetermined(regime, cell)) for c in declared.controls for cell in c.cells or ()]
    for where, cell in cells:
        if set(cell) != given:
            uneven = ", ".join(sorted(given ^ set(cell)))
            raise refuse(f"not every cell of its {where} gives {uneven}; give all cells the same symbols")
    for name, function in regime.from_data.items():
        known = given | set(regime.derived) - regime.following | set(points.POINTS)
        if missing := sorted(set(points.asked(function)) - known):
            raise refuse(
                f"symbol {name!r} of its points needs {', '.join(missing)}; let its function take X, y and symbols "
                f"that the cells give"
            )
    given |= set(regime.from_data)
    for name, compute in regime.derived.items():
        missing = sorted(set(inspect.signature(compute).parameters) - given)
        if missing:
            raise refuse(f"derived symbol {name!r} needs {', '.join(missing)}; add it to the cells or derive it first")
        given.add(name)
    fixed = {*regime.all_cells()[0], *itertools.chain(*(cell for c in declared.controls for cell in c.cells or ()))}
    twice = sorted(
        (set(regime.all_cells()[0]) & set(regime.derived))
        | (given & set(regime.draw))
        | (fixed | set(regime.derived)) & set(regime.from_data)
    )
    if twice:
        raise refuse(f"{twice[0]!r} is given twice; let the cells fix it, or derive it, or draw it, or measure it")
    for name, (_, parts) in regime.built.items():
        if unknown := sorted(set(parts) - set(regime.draw)):
            raise refuse(f"its argument {name!r} is built from {', '.join(unknown)}, which nothing draws; draw it")
        if name in regime.symbols | RESERVED:
            raise refuse(f"its argument {name!r} is built and given; rename one of them")
    for name, drawn in regime.draw.items():
        if isinstance(drawn, Choices):
            for pinned in regime.pinned:
                if name in pinned and pinned[name] not in drawn.names:
                    raise refuse(f"pinned {name}={pinned[name]!r} is none of its choices: {', '.join(drawn.names)}")
    for pinned in regime.pinned:
        if set(pinned) - {"trial"} != set(regime.draw):
            raise refuse(
                f"pinned {dict(pinned)} must assign the drawn symbols and no other: {', '.join(sorted(regime.draw))}"
            )


def _undetermined(regime: Regime, cell: Mapping[str, Any]) -> dict[str, Any]:
    """The symbols of a cell that the regime does not derive, the usual ones included."""
    return {name: value for name, value in {**regime.usual, **cell}.items() if name not in regime.derived}


def _check_symbols(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a block whose formulas or function use names that nothing gives a value."""
    known = declared.regime.symbols | frozenset(declared.measured)
    hidden = {declared.evidence.constant}
    formulas: list[tuple[str, Bound | Premise]] = [("bound", declared.bound)]
    formulas += [(f"premise {p.text}", p) for p in declared.premises]
    formulas += [("ceiling", declared.ceiling)] if declared.ceiling is not None else []
    formulas += [(f"bound of control {c.name!r}", c.bound) for c in declared.controls if c.bound is not None]
    for what, formula in formulas:
        for name in formula.symbols:
            if name in declared.bound.constants and name not in known | hidden:
                raise refuse(f"constant {name!r} has no value in its {what}; give that formula constants={{...}}")
            if name not in known | hidden:
                raise refuse(
                    f"unknown symbol {name!r} in its {what}; give it in the regime, or list it in "
                    f"measured=(...) if the function reports it"
                )
        for name, meaning in formula.meanings(declared.paper).items():
            if not meaning:
                raise refuse(
                    f"nobody says what {name!r} in its {what} stands for in {declared.paper}; say it in the formula "
                    f"sheet of that paper, or beside your claims: from bounds.symbols import state_meanings; "
                    f"state_meanings({declared.paper!r}, {{{name!r}: 'what it stands for'}})"
                )
    for name in declared.parameters:
        if name not in declared.regime.symbols | frozenset(declared.regime.built) | SERVICES | set(points.POINTS):
            raise refuse(
                f"its function asks for {name!r}, which the regime does not give; add it to the cells, "
                f"or make it keyword-only if a control sets it"
            )
    if "threshold" in declared.parameters and not declared.evidence.gives_threshold:
        raise refuse("its function asks for 'threshold', which only evidence=ExactLaw(...) gives; use that")


def _check_controls(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a control that changes nothing, or that sets what the function does not take."""
    keyword_only = {
        p.name: p.default
        for p in inspect.signature(declared.function).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    }
    for name, default in keyword_only.items():
        if default is inspect.Parameter.empty:
            raise refuse(f"keyword {name!r} of its function has no default; write the published value there")
    names = [c.name for c in declared.controls]
    for c in declared.controls:
        if names.count(c.name) > 1:
            raise refuse(f"two controls are called {c.name!r}; give each its own name")
        for name in c.knobs:
            if name not in keyword_only:
                raise refuse(
                    f"control {c.name!r} sets {name!r}, which is no keyword-only parameter of its function; "
                    f"write it after * with the published value as default"
                )
        _check_dropped(declared, c, refuse)
        _check_factor(declared, c, refuse)
        changed = [c.bound is not None and c.bound != declared.bound, c.cells is not None, bool(c.without)]
        changed += [not _equal(value, keyword_only[name]) for name, value in c.knobs.items()]
        if not any(changed):
            raise refuse(
                f"control {c.name!r} changes nothing; give it a wrong bound, cells, a premise to drop or a keyword"
            )


def _check_dropped(declared: Claim, c: Control, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a control that drops a premise and stays where it holds, or leaves another one as well."""
    for premise in c.without:
        if premise not in declared.premises:
            raise refuse(f"control {c.name!r} drops {premise.text}, which is no premise of the claim")
    if not c.without:
        return
    regime = declared.regime
    cells = regime.select("quick", {}) if c.cells is None else [regime.complete(cell, cell) for cell in c.cells]
    for premise in declared.premises:
        if not set(premise.symbols) <= set(cells[0]):
            continue
        held = [premise.holds(cell) for cell in cells]
        if premise in c.without and all(held):
            raise refuse(
                f"control {c.name!r} drops {premise.text}, which all its cells satisfy; give it cells that do not"
            )
        if premise not in c.without and not all(held):
            at = canonical(cells[held.index(False)])
            raise refuse(
                f"control {c.name!r} does not drop {premise.text}, which fails at {at}; drop it, or move the cell"
            )


def _check_factor(declared: Claim, c: Control, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a control whose bound has another form and another number, which its name does not state."""
    fitted = declared.evidence.constant
    if c.bound is not None and (factor := unstated(c.name, declared.bound, c.bound, fitted)) is not None:
        raise refuse(
            f"control {c.name!r} changes the form of the bound, and by the factor {factor.value:.6g} besides, which "
            f"its name does not state; take the factor out of {c.bound.text}, or state it in the name"
        )


def _check_blind(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a declaration about what the statement does not have, or without a reason."""
    known = [*declared.bound.symbols, *(f"premise {premise.text}" for premise in declared.premises)]
    if any(name not in known for name in declared.blind):
        known += [wrong.of for wrong in of_terms(declared.bound)] + [place.name for place in declared.bound.places]
    for name, reason in declared.blind.items():
        if name not in known:
            raise refuse(f"it need not see {name!r}, which its statement does not have; it has {', '.join(known)}")
        if not reason.strip():
            raise refuse(f"it need not see {name!r}, without a reason; say why")


def _check_normalised(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a divisor of what is not measured, or by what the claim does not know."""
    for name, by in declared.normalised.items():
        if name not in declared.measured:
            raise refuse(f"it normalises {name!r}, which is none of the symbols that its function measures")
        unknown = sorted(set(by.symbols) - declared.names)
        if unknown:
            raise refuse(f"the divisor of {name!r} has {', '.join(unknown)}, which the claim does not know")


def _check_idle(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse an idle form that sets what the function does not take, or that nothing can be concluded from."""
    if not declared.idle:
        return
    parameters = inspect.signature(declared.function).parameters
    for name in declared.idle:
        if name not in parameters or parameters[name].kind is not inspect.Parameter.KEYWORD_ONLY:
            raise refuse(f"its idle form sets {name!r}, which is no keyword-only parameter of its function")
    if not declared.evidence.by_instance:
        raise refuse("its idle form is measured instance by instance, for Search and Trials alone; leave it out")
    if declared.sense == "=":
        raise refuse("an equality may hold of nothing done as well as of anything; leave its idle form out")


def _check_figure(declared: Claim, refuse: Callable[[str], ClaimError]) -> None:
    """Refuse a figure that could not be asked for."""
    if declared.figure is not None:
        try:
            inspect.signature(declared.figure).bind(rng=None, effort="quick")
        except TypeError:
            raise refuse("its figure is no function of rng and effort; let it take these two keywords") from None


def _equal(one: Any, other: Any) -> bool:
    """Whether two keyword values are certainly the same; arrays are taken to differ."""
    try:
        return bool(one == other)
    except ValueError:
        return False
