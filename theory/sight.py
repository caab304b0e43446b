"""What a row sees: which wrong variants of its statement it would have refuted, from what was measured already.

For every symbol of the bound in force the dependence on it is taken away, or its exponent moved; every term of a sum is
left out, and every premise is dropped. A row that refutes none of the variants of a symbol is blind to it: it is no
evidence for that dependence.

Main definitions: `Sight`; `look`, which finds it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from theory.block import Control
from theory.case import Case
from theory.evidence.retrial import Entries
from theory.protocols import PremiseLike
from theory.results import Evidence
from theory.seeds import canonical
from theory.verdict import PremiseStatus, Verdict, gate
from theory.wrong_bounds import Answer, Retrial, WrongBound, of_symbol, of_terms

NEVER_LEFT = "no cell, draw or control leaves it"


@dataclass(frozen=True)
class Sight:
    """What a row sees and what not, by symbol, `term ...` of a sum, or `premise ...`.

    `sees` lists the variants that are refuted, and `blind` says why none is; `unasked` why nothing was asked, empty
    where it was.
    """

    sees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blind: Mapping[str, str] = field(default_factory=dict)
    unasked: str = ""


def look(case: Case, evidence: Evidence, caught: Sequence[Control]) -> Sight:
    """What the case sees, which was decided with this evidence; `caught` are its controls that were refuted."""
    verdict = gate(evidence.verdict, evidence.premises)
    if not verdict.is_pass:
        return Sight(unasked=f"the row is {verdict}")
    sees, blind = _premises(case, evidence, caught)
    if not case.bound.symbols:
        return Sight(sees, blind)  # a number: there is nothing to ask
    retrial = case.claim.evidence.retrial(case, evidence)
    if isinstance(retrial, str):
        return Sight(sees, blind, retrial)
    for name, wrong, one in _questions(case, retrial):
        if one:
            blind[name] = one
            continue
        answers = _answers(retrial, wrong)
        refuted = tuple(variant for variant, answer in answers.items() if answer.refuted)
        if refuted:
            sees[name] = refuted
        else:
            nearest = max(answers.values(), key=lambda answer: answer.share)
            blind[name] = f"no wrong variant is refuted{f': {nearest.told}' if nearest.told else ''}"
    return Sight(sees, blind)


def _answers(retrial: Retrial, wrong: Sequence[WrongBound]) -> dict[str, Answer]:
    """The answers for the wrong variants of one symbol or term, by their names."""
    answers = {}
    for variant in wrong:
        answers[variant.name] = _ask(retrial, variant)
        if retrial.dear and answers[variant.name].refuted:
            break
    return answers


def _questions(case: Case, retrial: Retrial) -> list[tuple[str, list[WrongBound], str]]:
    """For each symbol and term: its name, its wrong variants, and why there are none."""
    questions = []
    for name in case.bound.symbols:
        values = retrial.values(name) or [_inner(case, name)]
        ranges = not retrial.values(name)
        one = "" if ranges or any(value != values[0] for value in values) else f"one value, {values[0]:.6g}"
        questions.append((name, [] if one else of_symbol(case.bound, name, values, whole=not retrial.dear), one))
    questions += [(wrong.of, [wrong], "") for wrong in of_terms(case.bound) if retrial.tightens(wrong)]
    return questions


def _inner(case: Case, name: str) -> Any:
    """A value of the domain of a symbol that ranges over all of it."""
    return 1 if case.bound.domains[name].contains(1) else 0.5


def _ask(retrial: Retrial, wrong: WrongBound) -> Answer:
    try:
        return retrial.ask(wrong)
    except ValueError:  # the wrong formula is undefined
        return Answer(False)


def _premises(
    case: Case, evidence: Evidence, caught: Sequence[Control]
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Which premises the row sees: a control without it is refuted, or what was measured outside of it alone fails.

    A control that has another bound as well may be refuted for that.
    """
    sees: dict[str, tuple[str, ...]] = {}
    blind: dict[str, str] = {}
    left = _outside(case, evidence)
    for premise in case.premises:
        name = f"premise {premise.text}"
        passed, failed = left.get(premise.text, (0, 0))
        alone = [control for control in caught if control.without == (premise,) and control.bound is None]
        found = [f"control {control.name!r}" for control in alone]
        found += [f"{failed} of {passed + failed} outside it fail"] if failed else []
        if found:
            sees[name] = tuple(found)
        else:
            blind[name] = f"{passed} outside it pass" if passed else NEVER_LEFT
    return sees, blind


def _outside(case: Case, evidence: Evidence) -> dict[str, tuple[int, int]]:
    """For each premise, by its text: how many cells and instances outside of it alone pass, and how many fail."""
    found: dict[str, tuple[int, int]] = {}

    def note(premises: Sequence[PremiseLike], failed: bool) -> None:
        if len(premises) == 1:
            passes, fails = found.get(premises[0].text, (0, 0))
            found[premises[0].text] = (passes + (not failed), fails + failed)

    searched = []
    for cell in evidence.cells:
        known = case.with_constants(cell.at)
        decided = [p for p in case.premises if set(p.symbols) <= set(known)]
        left = [p for p in decided if not p.holds(known)] if cell.premises is PremiseStatus.EXTRAPOLATED else []
        if left and cell.verdict is not Verdict.UNDECIDED:
            note(left, cell.verdict is Verdict.REFUTED)
        if len(decided) < len(case.premises) and not left:
            searched += [(kept, cell.at) for kept in case.memory.kept.get(canonical(cell.at), ())]
    outside = [(kept, at) for kept, at in searched if not case.kept_inside(at, kept)]
    if outside:
        entries = Entries(case, [kept for kept, _ in outside], [at for _, at in outside])
        for (kept, _), failed in zip(outside, entries.missed()[0], strict=True):
            everything = case.with_constants({**kept.values, **kept.symbols})
            note([p for p in case.premises if not p.holds(everything)], bool(failed))
    return found
