"""What a block is refused for once its formulas are read: names without a value, controls that change nothing.

Main definition: `check`, which raises the first refusal of a claim.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import TAKEN, Domain, domain_elsewhere, domain_of
from theory.claims import points
from theory.claims.block import Claim, Control
from theory.claims.regime import Cell, Choices, Regime, limit_of
from theory.claims.stated_factors import unstated
from theory.claims.written import Refuse
from theory.claims.wrong_bounds import of_terms
from theory.core.refusal import ClaimError
from theory.core.seeds import canonical
from theory.core.values import Values

# Parameters a measuring function may ask for besides the claim's symbols.
#   rng        the generator of this trial          data       training points, synthetic or the user's own
#   bound      the bound in force (proofs)          threshold  the level whose tail is asked (exact laws)
#   X, y       the training points of the cell and their labels, drawn once for all its trials
SERVICES = frozenset({"rng", "data", "bound", "threshold"})

# One sort of what is wrong with a claim.
Check = Callable[[Claim, Refuse], None]

# Where a symbol takes its values, by its name.
Domains = Callable[[str], Domain | None]

# Python writes no integer of more digits than 4300.
MOST_BITS = 14000

# A refusal that quotes a value is cut here: a value may have any length.
MOST_TOLD = 100

# So the docstring of a function begins that measures a chance.
OF_CHANCE = re.compile(r"(the )?(exact )?(chance|probability)\b|pr?[\[(]", re.IGNORECASE)

# Names a symbol may not have: those above, and the trial number of `--at`.
RESERVED = SERVICES | {"trial"}


def check(declared: Claim, refuse: Refuse, needs_meanings: bool = True) -> None:
    """Raise what `refuse` makes of all that is wrong with a claim, its scope aside: the first thing of each sort.

    Symbols need not have a meaning where `needs_meanings` is not set, and letters of the suite's papers may then have
    another sense than there.
    """
    values = functools.partial(_values, domain=domain_of if needs_meanings else domain_elsewhere)
    names: tuple[Check, ...] = (
        _cells,
        values,
        _derived,
        _draws,
        _entries,
        _symbols,
        *([_meanings] if needs_meanings else []),
    )
    # What is said of controls takes symbols that are known.
    others: tuple[Check, ...] = (_chance, _controls, _blind, _normalised, _idle, _figure, _packages)
    for parts in (names, others):
        refused: list[ClaimError] = []
        for part in parts:
            try:
                part(declared, refuse)
            except ClaimError as refusal:
                refused.append(refusal)
        if refused:
            raise refused[0] if len(refused) == 1 else ClaimError("\n".join(map(str, refused)))
    if problem := declared.evidence.check(declared):
        raise refuse(problem)


def _cells(declared: Claim, refuse: Refuse) -> None:
    """Refuse cells that differ in their symbols, or that lack what the points of a cell take."""
    regime = declared.regime
    reserved = RESERVED | (set(points.POINTS) if regime.from_data else set())
    for name in sorted(regime.symbols & reserved):
        raise refuse(f"its regime has a symbol {name!r}, a name the run itself uses; rename it")
    for name in sorted((regime.symbols | set(declared.measured)) & TAKEN):
        raise refuse(f"it has a symbol {name!r}, which every formula reads as the constant or function; rename it")
    if declared.has_points and (missing := sorted(set(points.SIZES) - regime.symbols)):
        raise refuse(f"its points take n and d, and its regime does not give {', '.join(missing)}; add it to the cells")
    given = set(regime.all_cells()[0])
    cells: list[tuple[str, Values]] = [("regime", cell) for cell in regime.all_cells()]
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


def _values(declared: Claim, refuse: Refuse, domain: Domains) -> None:
    """Refuse a cell with what is neither a number nor a name, or with a value that a symbol cannot have, and twins."""
    in_formulas = {name for formula in _formulas(declared) for name in formula.symbols}
    regime = declared.regime
    groups: list[tuple[str, list[Values]]] = [("regime", [*regime.cells])]
    groups += [("calibration", [*regime.calibration])]
    groups += [("thorough regime", [*regime.thorough]), ("nightly regime", [*regime.nightly])]
    groups += [(f"control {c.name!r}", [*c.cells]) for c in declared.controls if c.cells is not None]
    for where, cells in groups:
        for place, cell in enumerate(cells):
            for name, value in cell.items():
                if what := _no_value(name, value, name in in_formulas, domain):
                    raise refuse(f"{name}={_shown(value)} in a cell of its {where} is {what}")
            if cell in cells[:place]:
                raise refuse(f"two cells of its {where} are {canonical(cell)[:MOST_TOLD]}; leave one out")


def _formulas(declared: Claim) -> list[Bound | Premise]:
    """The formulas in which symbols of the cells stand, those of controls included."""
    given = [declared.bound, *declared.premises, declared.ceiling, *(c.bound for c in declared.controls)]
    return [formula for formula in given if formula is not None]


def _shown(value: Any) -> str:
    """A value as it is quoted."""
    try:
        return repr(value)[:MOST_TOLD]
    except ValueError:
        return "a number"


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float | np.number)


def _no_value(name: str, value: Any, in_formula: bool, domain: Domains = domain_of) -> str:
    """Why a value is none that a cell may give to a symbol, and what to write; empty where it is one."""
    if isinstance(value, tuple):
        return next(filter(None, (_no_value("", part, in_formula=False) for part in value)), "")
    if isinstance(value, str) and not in_formula:
        return ""
    if not _is_number(value):
        return "no number; give one, as the formulas need it" if in_formula else "neither a number nor a name"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "longer than any number that is written down; give a smaller one"
    if isinstance(value, float) and not math.isfinite(value):
        return "not finite; give a finite number"
    known = domain(name) if in_formula else None
    # Layers and times are counted from 0 here and from 1 there.
    if known is not None and not known.contains(cast(float, value)) and not (known.integer and value == 0):
        return f"outside the domain of {name}, {known.text}; give another, or another symbol"
    return ""


def _derived(declared: Claim, refuse: Refuse) -> None:
    """Refuse derived symbols that cannot be computed from the cells, and symbols that are given twice."""
    regime = declared.regime
    given = set(regime.all_cells()[0])
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
    for cell in regime.all_cells() if regime.derived else ():
        try:
            regime.complete(cell, {})
        except Exception as error:
            at, why = canonical(cell)[:MOST_TOLD], f"{type(error).__name__}: {error}"
            raise refuse(f"its derived symbols have no value at {at} ({why}); derive what every cell has") from None


def _draws(declared: Claim, refuse: Refuse) -> None:
    """Refuse arguments built from nothing, and pinned instances that are none of those that can be drawn."""
    regime = declared.regime
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


def _entries(declared: Claim, refuse: Refuse) -> None:
    """Refuse a count of what is measured that is none, or that asks for what no cell gives."""
    entries, regime = declared.entries, declared.regime
    if isinstance(entries, bool) or not isinstance(entries, int | str) or (isinstance(entries, int) and entries < 0):
        raise refuse(f"its entries={entries!r} is no count; write how many numbers are measured, as in n or L + 1")
    if isinstance(entries, str):
        try:
            limit_of(entries, regime.complete(regime.all_cells()[0], {}))
        except ValueError as error:
            raise refuse(f"its entries: {error}") from None
        except KeyError as error:
            raise refuse(f"its entries={entries!r} needs {error.args[0]}, which its cells do not give") from None


def _undetermined(regime: Regime, cell: Values) -> Cell:
    """The symbols of a cell that the regime does not derive, the usual ones included."""
    return {name: value for name, value in {**regime.usual, **cell}.items() if name not in regime.derived}


def _symbols(declared: Claim, refuse: Refuse) -> None:
    """Refuse a block whose formulas or function use names that nothing gives a value."""
    known = declared.regime.symbols | frozenset(declared.measured)
    hidden = {declared.evidence.constant}
    for what, formula in _named_formulas(declared):
        for name in formula.symbols:
            if name in declared.bound.constants and name not in known | hidden:
                raise refuse(f"constant {name!r} has no value in its {what}; give that formula constants={{...}}")
            if name not in known | hidden:
                raise refuse(
                    f"unknown symbol {name!r} in its {what}; give it in the regime, or list it in "
                    f"measured=(...) if the function reports it"
                )
    for name in declared.parameters:
        if name not in declared.regime.symbols | frozenset(declared.regime.built) | SERVICES | set(points.POINTS):
            raise refuse(
                f"its function asks for {name!r}, which the regime does not give; add it to the cells, "
                f"or make it keyword-only if a control sets it"
            )
    if "threshold" in declared.parameters and not declared.evidence.gives_threshold:
        raise refuse("its function asks for 'threshold', which only evidence=ExactLaw(...) gives; use that")


def _named_formulas(declared: Claim) -> list[tuple[str, Bound | Premise]]:
    """The formulas of a block, each with what it is there."""
    formulas: list[tuple[str, Bound | Premise]] = [("bound", declared.bound)]
    formulas += [(f"premise {p.text}", p) for p in declared.premises]
    formulas += [("ceiling", declared.ceiling)] if declared.ceiling is not None else []
    return formulas + [(f"bound of control {c.name!r}", c.bound) for c in declared.controls if c.bound is not None]


def _meanings(declared: Claim, refuse: Refuse) -> None:
    """Refuse symbols of which nobody says what they stand for."""
    for what, formula in _named_formulas(declared):
        for name, meaning in formula.meanings(declared.paper).items():
            if not meaning:
                raise refuse(
                    f"nobody says what {name!r} in its {what} stands for in {declared.paper}; say it in the formula "
                    f"sheet of that paper, or beside your claims: from bounds.symbols import state_meanings; "
                    f"state_meanings({declared.paper!r}, {{{name!r}: 'what it stands for'}})"
                )


def _chance(declared: Claim, refuse: Refuse) -> None:
    """Refuse a claim that says it measures a chance, and not that a bound of 1 and more could not be missed."""
    plan = declared.evidence
    level = plan.gives_threshold or not plan.compares
    reached = declared.probability or declared.ceiling is not None or declared.sense == "="
    if not level and not reached and OF_CHANCE.match(declared.measures):
        raise refuse(
            "its docstring says that it measures a chance, of which a bound of 1 says nothing; write probability=True, "
            "or begin the docstring with what else is measured"
        )


def _controls(declared: Claim, refuse: Refuse) -> None:
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
        _refuse_dropped(declared, c, refuse)
        _refuse_factor(declared, c, refuse)
        changed = [c.bound is not None and c.bound != declared.bound, c.cells is not None, bool(c.without)]
        changed += [not _equal(value, keyword_only[name]) for name, value in c.knobs.items()]
        if not any(changed):
            raise refuse(
                f"control {c.name!r} changes nothing; give it a wrong bound, cells, a premise to drop or a keyword"
            )


def _refuse_dropped(declared: Claim, c: Control, refuse: Refuse) -> None:
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


def _refuse_factor(declared: Claim, c: Control, refuse: Refuse) -> None:
    """Refuse a control that changes the number before a bound and something else, where its name states no number."""
    if c.bound is None:
        return
    fitted, beside = declared.evidence.constant, bool(c.knobs or c.without)
    factor = unstated(c.name, declared.bound, c.bound, fitted, beside)
    if factor is not None:
        what = "the form of the bound" if not beside else "what is measured" if c.knobs else "the premises"
        raise refuse(
            f"control {c.name!r} changes {what}, and the bound by the factor {factor.value:.6g} besides, which "
            f"its name does not state; take the factor out of {c.bound.text}, or state it in the name"
        )


def _blind(declared: Claim, refuse: Refuse) -> None:
    """Refuse a declaration about what the statement does not have, or without a reason."""
    known = [*declared.bound.symbols, *(f"premise {premise.text}" for premise in declared.premises)]
    if any(name not in known for name in declared.blind):
        known += [wrong.of for wrong in of_terms(declared.bound)]
        known += [place.name for place in declared.bound.variants.places]
    for name, reason in declared.blind.items():
        if name not in known:
            raise refuse(f"it need not see {name!r}, which its statement does not have; it has {', '.join(known)}")
        if not reason.strip():
            raise refuse(f"it need not see {name!r}, without a reason; say why")
    for name, reason in declared.rising.items():
        if name not in declared.names or not reason.strip():
            raise refuse(f"its ratio rises with {name!r}: write a symbol of its cells or draws, and why")


def _normalised(declared: Claim, refuse: Refuse) -> None:
    """Refuse a divisor of what is not measured, or by what the claim does not know."""
    for name, by in declared.normalised.items():
        if name not in declared.measured:
            raise refuse(f"it normalises {name!r}, which is none of the symbols that its function measures")
        unknown = sorted(set(by.symbols) - declared.names)
        if unknown:
            raise refuse(f"the divisor of {name!r} has {', '.join(unknown)}, which the claim does not know")


def _idle(declared: Claim, refuse: Refuse) -> None:
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


def _figure(declared: Claim, refuse: Refuse) -> None:
    """Refuse a figure that could not be asked for."""
    if declared.figure is not None:
        try:
            inspect.signature(declared.figure).bind(rng=None, effort="quick")
        except TypeError:
            raise refuse("its figure is no function of rng and effort; let it take these two keywords") from None


def _packages(declared: Claim, refuse: Refuse) -> None:
    """Refuse a package that cannot be imported under its name, or without a remedy where it is missing."""
    for name, remedy in declared.packages.items():
        if not name.isidentifier() or not remedy.strip():
            raise refuse(f"its package {name!r} is no name to import, or has no remedy; write what installs it")


def _equal(one: object, other: object) -> bool:
    """Whether two keyword values are certainly the same; arrays are taken to differ."""
    try:
        return bool(one == other)
    except ValueError:
        return False
