"""What a row sees: which wrong variants of its statement it would have refuted, from what was measured already.

For every symbol of the bound in force the dependence on it is taken away, or its exponent moved; for a symbol that
stands in a sum, or in several factors, this is done at each of its places as well. Every term of a sum is left out, and
every premise is dropped. A row that refutes none of the variants of a symbol, or of one of its places, is blind to it:
it is no evidence for that dependence. What cancels between what is measured and its bound is not seen either.

Main definitions: `Sight`; `look`, which finds it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bounds.places import Place
from bounds.premise import Premise
from theory.claims.block import Control
from theory.claims.results import Evidence
from theory.claims.wrong_bounds import FROZEN, Answer, Retrial, WrongBound, of_place, of_symbol, of_terms
from theory.core.seeds import canonical
from theory.core.verdict import PremiseStatus, Verdict, gate
from theory.evidence.retrial import Entries
from theory.judging.cancelling import cancelled
from theory.running.case import Case

ONE_VALUE = "one value"
NEVER_LEFT = "no cell, draw or control leaves it"


@dataclass(frozen=True)
class Sight:
    """What a row sees and what not, by symbol, place of a symbol, `term ...` of a sum, or `premise ...`.

    `sees` lists the variants that are refuted, of a place the first of them, and `blind` says why none is; `unasked`
    why nothing was asked, empty where it was. `within` has for each place asked about its symbol and the terms that
    hold it. `own` are the wrong variants of the bound that were asked about, in words, with whether each is refuted.
    """

    sees: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blind: Mapping[str, str] = field(default_factory=dict)
    unasked: str = ""
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own: Mapping[str, bool] = field(default_factory=dict)

    @property
    def refuted(self) -> tuple[str, ...]:
        """The row's own wrong variants that it refutes."""
        return tuple(text for text, refuted in self.own.items() if refuted)

    def is_seen(self, symbol: str) -> bool:
        """Whether a wrong dependence on a symbol would be noticed, and where it stands, if it is asked about there."""
        places = [place for place, (name, *_) in self.within.items() if name == symbol]
        return symbol in self.sees and (not places or any(place in self.sees for place in places))


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
    own: dict[str, bool] = {}
    retrial = _noting(retrial, own)
    gone = cancelled(case, evidence, retrial.kept)
    places: dict[str, list[Place]] = {name: [] for name in case.bound.symbols}
    for place in case.bound.variants.places:
        places[place.symbol].append(place)
    within: dict[str, tuple[str, ...]] = {}
    for name, values, one in _symbols(case, retrial):
        why = gone.get(name) or one
        if why:
            blind[name] = why
            continue
        answers = _answers(retrial, of_symbol(case.bound, name, values, whole=not retrial.dear))
        _note(name, answers, sees, blind)
        # A symbol that is not seen at all is not seen anywhere; one that is not to be frozen is seen where it stands.
        if name in blind or (len(places[name]) == 1 and FROZEN in sees[name]):
            continue
        for place in places[name]:
            found = _at_place(case, retrial, place, values, alone=len(places[name]) == 1)
            if found:
                _note(place.name, found, sees, blind)
                within[place.name] = (name, *(f"term {term}" for term in place.within))
    for wrong in of_terms(case.bound):
        if retrial.tightens(wrong):
            _note(wrong.of, {wrong.name: _ask(retrial, wrong)}, sees, blind)
    return Sight(sees, blind, within=within, own=own)


def _noting(retrial: Retrial, own: dict[str, bool]) -> Retrial:
    """The retrial, which notes in `own` every wrong bound that is asked about, in words, and whether it is refuted."""

    def ask(wrong: WrongBound) -> Answer:
        answer = retrial.ask(wrong)
        own[wrong.text] = answer.refuted
        return answer

    return replace(retrial, ask=ask)


def _note(name: str, answers: Mapping[str, Answer], sees: dict[str, tuple[str, ...]], blind: dict[str, str]) -> None:
    """Note which of the variants of a symbol, a place or a term are refuted, or what the nearest came to."""
    refuted = tuple(variant for variant, answer in answers.items() if answer.refuted)
    if refuted:
        sees[name] = refuted
    else:
        nearest = max(answers.values(), key=lambda answer: answer.share)
        blind[name] = f"no wrong variant is refuted{f': {nearest.told}' if nearest.told else ''}"


def _at_place(case: Case, retrial: Retrial, place: Place, values: Sequence[Any], alone: bool) -> dict[str, Answer]:
    """The answers for wrong dependences at one place, up to the first that is refuted.

    Not asked are those that nowhere tighten the bound, and, where the symbol stands nowhere else, the frozen one: the
    symbol itself is frozen by it.
    """
    answers: dict[str, Answer] = {}
    for wrong in of_place(case.bound, place, values, whole=not retrial.dear)[alone:]:
        if _tightens(retrial, wrong):
            answers[wrong.name] = _ask(retrial, wrong)
            if answers[wrong.name].refuted:
                break
    return answers


def _answers(retrial: Retrial, wrong: Sequence[WrongBound]) -> dict[str, Answer]:
    """The answers for the wrong variants of one symbol or term, by their names."""
    answers = {}
    for variant in wrong:
        answers[variant.name] = _ask(retrial, variant)
        if retrial.dear and answers[variant.name].refuted:
            break
    return answers


def _symbols(case: Case, retrial: Retrial) -> list[tuple[str, Sequence[Any], str]]:
    """For each symbol of the bound: its name, the values it takes, and why it cannot be asked about."""
    found = []
    for name in case.bound.symbols:
        met = retrial.values(name)
        values = met or [_inner(case, name)]
        several = not met or any(value != values[0] for value in values)
        found.append((name, values, "" if several else f"{ONE_VALUE}, {values[0]:.6g}"))
    return found


def _inner(case: Case, name: str) -> Any:
    """A value of the domain of a symbol that ranges over all of it."""
    return 1 if case.bound.domains[name].contains(1) else 0.5


def _ask(retrial: Retrial, wrong: WrongBound) -> Answer:
    try:
        return retrial.ask(wrong)
    except ValueError:  # the wrong formula is undefined
        return Answer(False)


def _tightens(retrial: Retrial, wrong: WrongBound) -> bool:
    try:
        return retrial.tightens(wrong)
    except ValueError:  # the wrong formula is undefined
        return False


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

    def note(premises: Sequence[Premise], failed: bool) -> None:
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
    outside = [(kept, at) for kept, at in searched if not case.standing.has_kept_inside(at, kept)]
    if outside:
        entries = Entries(case, [kept for kept, _ in outside], [at for _, at in outside])
        for (kept, _), failed in zip(outside, entries.missed()[0], strict=True):
            everything = case.with_constants({**kept.values, **kept.symbols})
            note([p for p in case.premises if not p.holds(everything)], bool(failed))
    return found
