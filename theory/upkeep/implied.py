"""Which controls by hand say nothing that their row does not refute by itself, in every ledger that is given.

A control that changes the bound alone is implied where

- its bound is that of the claim times a number which the power of the row leaves far on the refuted side; or
- it moves an exponent that was fitted far out of the interval that was measured; or
- a wrong variant that the row made of its own bound is refuted, and the bound of the control asks for at least as much
  wherever the variant asks for more than the claim: whatever refutes the one refutes the other. Both are about the same
  symbol, or a term is left out.

That is found out by evaluating the formulas at the judged cells. Names that the cells leave open, of what is drawn,
measured or fitted, are given numbers at random, and must not matter. What is in doubt is not implied.

Main definitions: `Implied`; `implied`, those of one claim; `superfluous`, which of them may go.
`python -m theory.upkeep.implied LEDGER.json ...` lists those that may go by all ledgers.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from bounds.bound import Bound
from theory.claims import registry
from theory.claims.block import Claim, Control
from theory.claims.regime import Cell
from theory.claims.wrong_bounds import WrongBound, of_place, of_symbol, of_terms
from theory.core.values import Json, Values
from theory.core.verdict import PremiseStatus, Verdict
from theory.papers import find_statement

# A number before the bound is implied where the worst ratio, or the error of an equality, leaves so much room.
RATIO_MARGIN, ERROR_MARGIN = 0.9, 10.0

# Quotients nearer than this are the same: the formulas are evaluated in floats.
SAME = 1e-9

# How often names that are open are given numbers, and the seed of these.
DRAWS, SEED = 8, 20_18

# Formulas that are other formulas elsewhere: a number at random says little of them.
PIECEWISE = ("Min(", "Max(", "Abs(", "Piecewise(", "floor(", "ceiling(", "sign(", "Heaviside(")

# What the name of a control has that is about a printed form.
PRINTED = re.compile(r"\b(print|paper|Theorem|Lemma|Proposition|Corollary)")

# A multiple of the bound below this share of it is no mistake that anyone makes: one such control alone is none.
LEAST_SHARE = 0.1

# So many own wrong variants have to be refuted where no control by hand is left.
LEAST_OWN = 2


@dataclass(frozen=True)
class Implied:
    """A control, by its name, and why it is implied."""

    control: str
    why: str


@dataclass(frozen=True)
class _Judged:
    """A claim as one ledger has it."""

    claim: Claim
    row: Json

    @cached_property
    def cells(self) -> list[Cell]:
        """The numbers of every cell that was judged, by name."""
        inside = [cell["at"] for cell in self.row["cells"] if cell["premises"] == PremiseStatus.INSIDE.value]
        return [{name: value for name, value in at.items() if _is_number(value)} for at in inside]

    @property
    def own(self) -> frozenset[str]:
        """The own wrong variants that the row refutes, in words."""
        return frozenset(self.row["own_variants"]["refuted"])

    @cached_property
    def variants(self) -> list[WrongBound]:
        """The same as formulas."""
        return [wrong for wrong in self._possible() if wrong.text in self.own]

    def _possible(self) -> Iterator[WrongBound]:
        bound = self.claim.bound
        for name in bound.symbols:
            for at in self._anchors(name):
                yield from of_symbol(bound, name, [at])
                for place in bound.variants.places:
                    if place.symbol == name:
                        yield from of_place(bound, place, [at])
        yield from of_terms(bound)

    def _anchors(self, name: str) -> list[Any]:
        """The values of a symbol at which variants agree with the bound, as their words have them."""
        found = []
        for text in self.own:
            of, _, change = text.partition(": ")
            if of == name or of.startswith(f"{name} in "):
                told = change.removeprefix("frozen at ").partition("/")
                found.append(_number(told[2].partition(")")[0] if told[1] else told[0]))
        return list(dict.fromkeys(value for value in found if value is not None))

    def open(self, *formulas: Bound) -> list[str]:
        """The names in the formulas to which not every cell gives a number, and which have none that is sure."""
        plan = self.claim.evidence
        fitted = set() if plan.constant is None else {plan.constant}
        moving = {*self.claim.measured, *self.claim.regime.symbols, *fitted}
        names = {name for f in formulas for name in (*f.symbols, *(set(f.constants) & moving))}
        known = set.intersection(*(set(cell) for cell in self.cells)) if self.cells else set()
        return sorted(names - (known - set(self.claim.measured)))


def implied(judged: _Judged) -> list[Implied]:
    """The controls of a claim that change the bound alone and are implied, by one ledger."""
    row, claim = judged.row, judged.claim
    if not Verdict(row["verdict"]).is_pass or row["error"]:
        return []
    if "bound" in claim.parameters and claim.evidence.compares:
        return []  # with another bound it measures something else
    found = []
    for control in claim.controls:
        if changes_the_bound_alone(control) and not _is_printed(control):
            why = _multiple(judged, control) or _beyond_exponents(judged, control) or _by_variant(judged, control)
            found += [Implied(control.name, why)] if why else []
    return found


def changes_the_bound_alone(control: Control) -> bool:
    """Whether nothing but the formula differs: no cell, no premise, no keyword of the function."""
    return control.bound is not None and control.cells is None and not control.without and not control.knobs


def _is_printed(control: Control) -> bool:
    """Whether a control is a form that the paper has: that it is false is worth saying by hand."""
    return bool(PRINTED.search(control.name) or (control.bound is not None and control.bound.source))


def superfluous(claim: Claim, rows: Sequence[Json]) -> list[Implied]:
    """The controls of a claim that may go by all of its rows, which are those of several seeds, say.

    One by hand stays where the row is blind to something of its bound, or has too few wrong variants of its own, and
    where the words of the claim are about a control. What stays by hand is no tiny multiple of the bound alone.
    """
    if not rows or "control" in _words(claim):
        return []
    everywhere = [_Judged(claim, row) for row in rows]
    lists = [{entry.control: entry for entry in implied(judged)} for judged in everywhere]
    going = [entry for name, entry in lists[0].items() if all(name in other for other in lists)]
    blind = any(not name.startswith("premise ") for row in rows for name in row["blind"])
    own = min(len(judged.own) for judged in everywhere)
    names = {entry.control for entry in going}
    left = [c for c in claim.controls if c.name not in names]
    needs_one = blind or own < LEAST_OWN
    if (left or needs_one) and not any(_has_substance(everywhere[0], c) for c in left):
        kept = next((c.name for c in claim.controls if c.name in names and _has_substance(everywhere[0], c)), None)
        going = [entry for entry in going if entry.control != kept] if kept is not None else []
    return going


def _words(claim: Claim) -> str:
    """What is said of a claim where it may name a control."""
    record = find_statement(claim.statement)
    doubt = record.suspect if record is not None else None
    return " ".join([claim.note, *claim.blind.values(), *((doubt.what, doubt.why) if doubt is not None else ())])


def _has_substance(judged: _Judged, control: Control) -> bool:
    factor = _constant(judged, control.bound) if changes_the_bound_alone(control) else None
    return factor is None or abs(factor) >= LEAST_SHARE


def _multiple(judged: _Judged, control: Control) -> str:
    """Why a control is implied whose bound is a multiple of that of the claim; empty where it is not."""
    power, sense = judged.row["power"], judged.claim.sense
    value = power["value"]
    if judged.claim.evidence.spends_alpha or not _is_number(value) or value <= 0.0:
        return ""
    factor = _constant(judged, control.bound)
    if factor is None:
        return ""
    if power["kind"] == "bound factor":
        limit = RATIO_MARGIN * value
        if (sense == "<=" and 0.0 <= factor <= limit) or (sense == ">=" and factor * limit >= 1.0):
            return f"the bound times {factor:.4g}, where the power of the row is x{value:.4g}"
    if power["kind"] == "relative error" and sense == "=" and abs(factor - 1.0) >= ERROR_MARGIN * value:
        return f"the bound times {factor:.4g}, where the row forgives {value:.2g}"
    return ""


def _constant(judged: _Judged, wrong: Any) -> float | None:
    """The number by which a bound is that of the claim; none where it is no number, or the claim's may be negative."""
    bound = judged.claim.bound
    quotients = [_over(wrong, bound, values) for _, drawn in _points(judged, wrong, bound) for values in drawn]
    if not quotients or None in quotients or _may_switch(judged, wrong, bound):
        return None
    known = [quotient for quotient in quotients if quotient is not None]
    return known[0] if _is_one_number(known) else None


def _by_variant(judged: _Judged, control: Control) -> str:
    """The own wrong variant of a row that implies a control, in words; empty where none does."""
    plan = judged.claim.evidence
    if not (plan.is_monotone or plan.fits):
        return ""
    for variant in judged.variants:
        if not _is_about(judged, control, variant):
            continue
        try:
            formula = variant.formula
        except ValueError:  # the wrong formula is undefined
            continue
        if (_is_same_fit if plan.fits else _follows)(judged, control, formula):
            return f"the row refutes {variant.text}"
    return ""


def _is_about(judged: _Judged, control: Control, variant: WrongBound) -> bool:
    """Whether a control changes the dependence on the symbol of a variant, or on any where that lacks a term.

    Another number before the bound, say, is refuted with many variants, and says something else.
    """
    wrong, bound = control.bound, judged.claim.bound
    assert wrong is not None
    symbol = variant.of if variant.place is None else variant.place.symbol
    asked = bound.symbols if variant.without is not None else (symbol,)
    names = sorted({*wrong.symbols, *bound.symbols, *judged.open(wrong, bound)})
    for values in _assigned(judged, {}, names, (wrong, bound)):
        here = _over(wrong, bound, values)
        for name in asked:
            there = _over(wrong, bound, {**values, name: 2.0 * values[name]})
            if here is not None and there is not None and not _is_one_number([here, there]):
                return True
    return False


def _follows(judged: _Judged, control: Control, variant: Bound) -> bool:
    """Whether a control asks for as much as a variant wherever that asks for more than the claim.

    It is asked at every judged cell, and where it matters in one at least.
    """
    wrong, bound, sense = control.bound, judged.claim.bound, judged.claim.sense
    assert wrong is not None
    if _may_switch(judged, wrong, variant, bound):
        return False
    matters = False
    for _, drawn in _points(judged, wrong, variant, bound):
        of_variant = [_over(variant, bound, values) for values in drawn]
        of_control = [_over(wrong, variant, values) for values in drawn]
        if None in of_variant or None in of_control:
            return False
        moved, further = ([value for value in some if value is not None] for some in (of_variant, of_control))
        if _is_one_number(moved) and not _is_tighter(moved[0], sense):
            continue
        if sense == "=" and not _is_one_number(moved):
            return False
        if not _is_one_number(further) or not _is_as_far(further[0], moved[0], sense):
            return False
        matters = True
    return matters


def _is_tighter(quotient: float, sense: str) -> bool:
    """Whether a variant asks for more than the claim, of which it is so many times."""
    return {"<=": quotient < 1.0 - SAME, ">=": quotient > 1.0 + SAME, "=": abs(quotient - 1.0) > SAME}[sense]


def _is_as_far(further: float, moved: float, sense: str) -> bool:
    """Whether what is `further` times a variant, that is `moved` times the claim, asks for no less than the variant."""
    below = sense == "<=" or (sense == "=" and moved < 1.0)
    return 0.0 <= further <= 1.0 + SAME if below else further >= 1.0 - SAME


def _is_same_fit(judged: _Judged, control: Control, variant: Bound) -> bool:
    """Whether a control is a variant but for a number, which the fitted constant takes up."""
    plan, wrong = judged.claim.evidence, control.bound
    assert wrong is not None
    if plan.constant is None or _may_switch(judged, wrong, variant):
        return False
    taken_up = all(_moved(judged, formula, None, plan.constant) == 1.0 for formula in (wrong, variant))
    return taken_up and _is_multiple_everywhere(judged, wrong, variant)


def _beyond_exponents(judged: _Judged, control: Control) -> str:
    """Why a control is implied that moves the exponent of a symbol beyond what was measured; empty where it is not.

    It is moved out of the interval by more than its whole width, which the intervals of other seeds do not reach.
    """
    wrong, bound, plan = control.bound, judged.claim.bound, judged.claim.evidence
    assert wrong is not None
    if not plan.fits or _may_switch(judged, wrong, bound):
        return ""
    for name, found in judged.row["evidence"]["exponents"].items():
        moved = _moved(judged, wrong, bound, name) if name in bound.symbols else None
        low, high = found["ci"]
        if moved and all(map(_is_number, (low, high, found["claimed"]))):
            claimed, room = found["claimed"] + moved, high - low + 2.0 * float(judged.row["evidence"]["resolution"])
            above = claimed > high + room and found["agreement"] in ("equal", "at least")
            below = claimed < low - room and found["agreement"] in ("equal", "at most")
            if above or below:
                return f"the exponent {claimed:.4g} of {name}, measured in [{low:.4g}, {high:.4g}]"
    return ""


def _is_multiple_everywhere(judged: _Judged, wrong: Bound, other: Bound) -> bool:
    """Whether one formula is a positive number times another, at all numbers."""
    names = sorted({*wrong.symbols, *other.symbols, *judged.open(wrong, other)})
    quotients = [_over(wrong, other, values) for values in _assigned(judged, {}, names, (wrong, other))]
    known = [quotient for quotient in quotients if quotient is not None and quotient > 0.0]
    return len(known) == len(quotients) == DRAWS and _is_one_number(known)


def _moved(judged: _Judged, wrong: Bound, bound: Bound | None, name: str) -> float | None:
    """The power of a symbol, or of a constant, by which a formula differs from another, and in nothing but a number.

    Without another formula it is the exponent alone, whatever else the formula holds. None where it is no power.
    """
    formulas = (wrong,) if bound is None else (wrong, bound)
    names = sorted({name, *(symbol for f in formulas for symbol in f.symbols), *judged.open(*formulas)})
    found = []
    for values in _assigned(judged, {}, names, formulas):
        here, there = (_over(wrong, bound, {**values, name: times * values[name]}) for times in (1.0, 4.0))
        if here is None or there is None or here <= 0.0 or there <= 0.0:
            return None
        found.append((round(math.log(there / here) / math.log(4.0), 9), here, values[name]))
    power = found[0][0]
    rest = [here / value**power for _, here, value in found]
    same = all(slope == power for slope, _, _ in found) and (bound is None or _is_one_number(rest))
    return power if same and len(found) == DRAWS else None


# ------------------------------------------------------------------ numbers


def _points(judged: _Judged, *formulas: Bound) -> list[tuple[Cell, list[Cell]]]:
    """Every judged cell, one without numbers where there is none, with what the formulas are evaluated at."""
    names = judged.open(*formulas)
    return [(cell, list(_assigned(judged, cell, names, formulas))) for cell in judged.cells or [{}]]


def _assigned(judged: _Judged, cell: Values, names: Sequence[str], formulas: Sequence[Bound]) -> Iterator[Cell]:
    """A cell with numbers for these names: `DRAWS` of them, or the cell itself where there is no name."""
    domains = {name: domain for formula in formulas for name, domain in formula.domains.items()}
    random = Random(SEED)
    for _ in range(DRAWS if names else 1):
        yield {**cell, **{name: _drawn(random, domains.get(name)) for name in names}}


def _drawn(random: Random, domain: Any) -> float:
    """A number of a domain, or a positive one where none is known."""
    for _ in range(100):
        value = float(random.randint(2, 60)) if domain is not None and domain.integer else 10 ** random.uniform(-2, 2)
        if domain is None or domain.contains(value):
            return value
    return random.random()


def _over(one: Any, other: Any, values: Values) -> float | None:
    """A formula over another one, or 1, that is positive; none where it is not, or either is no finite number."""
    try:
        first, second = float(one.evaluate(values)), 1.0 if other is None else float(other.evaluate(values))
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return None
    if not (math.isfinite(first) and math.isfinite(second) and second > 0.0):
        return None
    return first / second


def _may_switch(judged: _Judged, *formulas: Bound) -> bool:
    """Whether numbers at random are needed, and may miss that a formula is another one elsewhere."""
    return bool(judged.open(*formulas)) and any(part in f.text for f in formulas for part in PIECEWISE)


def _is_one_number(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= SAME * max(abs(value) for value in values)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _number(text: str) -> float | None:
    """The number that words of a variant have, exactly; none where it is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def main(arguments: Sequence[str]) -> int:
    """List the controls that may go by all ledgers that are named; the exit code is 2 where none is."""
    if not arguments:
        print("error: pass the ledger.json of one or more runs of the suite", file=sys.stderr)
        return 2
    ledgers = [json.loads(Path(name).read_text(encoding="utf-8"))["claims"] for name in arguments]
    rows: dict[str, list[Json]] = {}
    for row in (row for ledger in ledgers for row in ledger):
        rows.setdefault(row["id"], []).append(row)
    total = 0
    for claim in registry.load_claims():
        for entry in superfluous(claim, rows.get(claim.id, [])):
            print(f"{claim.id}: {entry.control!r}: {entry.why}")
            total += 1
    print(f"{total} controls by hand are implied by what their rows refute")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
