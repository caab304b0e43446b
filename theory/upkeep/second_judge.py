"""The second judge of proofs: answers what a first one was asked, by arithmetic that shares none of its own.

The first judge is python-flint's balls, sympy's simplifications and assumptions, and linear programs in fractions.
This one takes the same formulas and domains, and

- inequalities in one variable on an interval: by mpmath's intervals and bisection, with Taylor coefficients at an end
  where the formula is 0, of which exact arithmetic knows that they vanish; Sturm's sequence in fractions if it is a
  polynomial or a quotient of two;
- inequalities in several: by coefficients of a normal form in fractions, none of which is negative; else z3, in
  polynomials;
- identities: by that normal form. Where it does not tell, they are tried at places, which is no proof;
- numbers: by mpmath's intervals, at ever more digits; equal ones by the normal form;
- implications between conditions on sizes: by z3.

Main definitions: `answer`, to one question, and `Answer`. What it does not know it leaves open.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
import sympy
from mpmath import iv

from bounds.decisions.questions import Implied, IsZero, NotBelowZero, Question
from theory.upkeep import solver
from theory.upkeep.interval_jets import (
    EXACT,
    INTERVALS,
    PRECISION,
    UndefinedError,
    highest,
    interval,
    jet,
    lowest,
    rational,
)
from theory.upkeep.normal_forms import Form, TooLargeError, normal_form
from theory.upkeep.sturm import is_nowhere_negative

Ends: TypeAlias = tuple[sympy.Expr, sympy.Expr, bool]

# Boxes of one question, and how often one is halved.
BOXES, DEEPEST = 3000, 80
# The highest order of a zero at an end.
HIGHEST_ORDER = 8
# Bits with which numbers are told from 0, and places at which an identity or a witness is looked for.
DIGITS = (160, 600, 2400)
PLACES = 24


@dataclass(frozen=True)
class Answer:
    """What the second judge says (None: nothing), and by what; `places` at how many it found no contradiction."""

    holds: bool | None
    by: str
    places: int = 0


OPEN = Answer(None, "not decided")


def answer(question: Question) -> Answer:
    """Answer a question by arithmetic of its own."""
    before = iv.prec
    iv.prec = PRECISION
    try:
        if isinstance(question, Implied):
            return _implied(question)
        return _is_zero(question) if isinstance(question, IsZero) else _not_below_zero(question)
    finally:
        iv.prec = before


def _implied(question: Implied) -> Answer:
    if not solver.IS_THERE:
        return Answer(None, "z3 is not installed")
    try:
        return Answer(solver.implied(question), "z3")
    except solver.NotExpressibleError as problem:
        return Answer(None, str(problem))


# ---------------------------------------------------------------------------------------------- identities


def _is_zero(question: IsZero) -> Answer:
    form = _form(question.expr)
    if form is not None and form.is_zero:
        return Answer(True, "normal form")
    domains = _domains(question)
    met = 0
    for place in itertools.islice(_places(domains), PLACES):
        value = _value(question.expr, place)
        if value is None:
            continue
        if not lowest(value) <= 0 <= highest(value):
            return Answer(False, "intervals at a place")
        met += bool(highest(value) - lowest(value) < mpmath.mpf(2) ** -80)
    return Answer(None, "no normal form", met)


def _form(expr: sympy.Expr) -> Form | None:
    try:
        return normal_form(expr)
    except (TooLargeError, ZeroDivisionError, OverflowError, RecursionError):
        return None


# -------------------------------------------------------------------------------------------- inequalities


def _not_below_zero(question: NotBelowZero) -> Answer:
    expr, domains = question.expr, _domains(question)
    place = {free: low for free, low, high in question.within if low is high or low == high}
    if len(place) == len(domains):
        return _number(expr, place, strict=question.strict)
    if len(domains) == 1:
        ((variable, ends),) = domains.items()
        found = is_nowhere_negative(expr, variable, ends[:2], open_low=ends[2], strict=question.strict)
        if found is not None:
            return Answer(found, "Sturm's sequence")
    witness = _witness(question, domains)
    if witness:
        return Answer(False, "intervals at a place")
    if _by_coefficients(expr, domains, strict=question.strict):
        return Answer(True, "coefficients")
    if len(domains) == 1:
        ((variable, ends),) = domains.items()
        if not (question.strict and ends[2]):
            found = _on_boxes(expr, variable, ends, strict=question.strict)
            if found is not None:
                return Answer(found, "intervals")
    if solver.IS_THERE:
        try:
            found = solver.never_negative(expr, domains, strict=question.strict)
        except solver.NotExpressibleError:
            found = None
        if found is not None:
            return Answer(found, "z3")
    return OPEN


def _number(expr: sympy.Expr, place: Mapping[sympy.Symbol, Any], *, strict: bool) -> Answer:
    for bits in DIGITS:
        iv.prec = bits
        value = _value(expr, {free: _end(number) for free, number in place.items()})
        if value is not None and lowest(value) > 0:
            return Answer(True, "intervals")
        if value is not None and highest(value) < 0:
            return Answer(False, "intervals")
    # What no number of digits tells from 0 may be 0.
    try:
        number = normal_form(expr, lambda free: normal_form(sympy.sympify(_fraction(place[free])))).number
    except (TooLargeError, ZeroDivisionError, OverflowError, RecursionError):
        return OPEN
    return OPEN if number is None else Answer(number > 0 if strict else number >= 0, "fractions")


def _fraction(number: Any) -> Any:
    """A number as a formula has it; a float is the fraction that it is."""
    return sympy.Rational(number) if isinstance(number, int | float | Fraction) else number


def _domains(question: IsZero | NotBelowZero) -> dict[sympy.Symbol, Ends]:
    """For each symbol its ends, and whether the lower one is left out."""
    stated = {variable: (low, high, False) for variable, low, high in question.within}
    found: dict[sympy.Symbol, Ends] = {}
    for free in sorted(question.expr.free_symbols, key=str):
        if free in stated:
            found[free] = stated[free]
        elif free.is_positive:
            found[free] = (sympy.S.One, sympy.oo, False) if free.is_integer else (sympy.S.Zero, sympy.oo, True)
        elif free.is_nonnegative:
            found[free] = (sympy.S.Zero, sympy.oo, False)
        else:
            found[free] = (-sympy.oo, sympy.oo, False)
    return found


def _places(domains: Mapping[sympy.Symbol, Ends]) -> Iterator[dict[sympy.Symbol, Any]]:
    """Points of the domains, always the same, small and large ones among them."""
    draw = random.Random(len(domains))
    while True:
        point = {}
        for free, (low, high, _) in domains.items():
            share = Fraction(draw.randrange(1, 1024), 1024)
            if high != sympy.oo and low != -sympy.oo:
                first, last = _end(low), _end(high)
                point[free] = first + (last - first) * rational(share)
                continue
            size = share / (1 - share) * draw.choice([Fraction(1), Fraction(8), Fraction(1, 8)])
            if free.is_integer:
                size = Fraction(int(size))
            if low == -sympy.oo and high == sympy.oo:
                point[free] = rational(size * draw.choice([1, -1]))
            elif low == -sympy.oo:
                point[free] = _end(high) - rational(size)
            else:
                point[free] = _end(low) + rational(size)
                if size == 0 and free.is_positive and low == 0:
                    point[free] = rational(Fraction(1))
        yield point


def _end(end: sympy.Expr) -> Any:
    """An enclosure of the end of a domain."""
    found = _value(sympy.sympify(_fraction(end)), {})
    if found is None:
        raise UndefinedError(f"{end} has no value")
    return found


def _value(expr: sympy.Expr, at: Mapping[sympy.Symbol, Any]) -> Any | None:
    """An enclosure; None where the formula is not defined or not known."""
    try:
        return jet(expr, at, None, 0, INTERVALS)[0]
    except UndefinedError:
        return None


def _witness(question: NotBelowZero, domains: Mapping[sympy.Symbol, Ends]) -> bool:
    """Whether the inequality fails at one of some places."""
    for place in itertools.islice(_places(domains), PLACES):
        value = _value(question.expr, place)
        if value is not None and (highest(value) < 0 or (question.strict and highest(value) == 0)):
            return True
    return False


def _by_coefficients(expr: sympy.Expr, domains: Mapping[sympy.Symbol, Ends], *, strict: bool) -> bool:
    """Whether no coefficient is negative once every symbol is counted from its lower end, where it has one."""
    shifted: dict[sympy.Symbol, Form] = {}
    for free, (low, _, is_open) in domains.items():
        if low == -sympy.oo:
            # It may stand in exponentials, which are positive.
            shifted[free] = Form.atom(("symbol", free.name, False))
            continue
        if not isinstance(low, sympy.Rational):
            return False
        beyond = Form.atom(("symbol", f"{free.name} beyond its end", True))
        shifted[free] = beyond + Form.of(Fraction(int(low.p), int(low.q)))
        if strict and not is_open and low == 0:
            return False
    try:
        form = normal_form(expr, shifted.get)
    except (TooLargeError, ZeroDivisionError, OverflowError, RecursionError):
        return False
    positive = all(
        factor > 0 and all(_is_counted(atom) for atom, _ in monomial)
        for part in (form.above, form.below)
        for monomial, factor in part.items()
    )
    # A term without symbols is above 0 at the ends too, where the others may vanish.
    ends = all(is_open for _, _, is_open in domains.values()) or any(
        not any(atom[0] == "symbol" for atom, _ in monomial) for monomial in form.above
    )
    return positive and (not strict or (bool(form.above) and ends))


def _is_counted(atom: Any) -> bool:
    """Whether an atom is not negative, where its symbols are positive."""
    if atom[0] in ("root", "log"):
        # Roots and logarithms of what is at least 1 there.
        inner = atom[1] if atom[0] == "root" else atom[1][1] if atom[1][0] == "sum" else None
        if inner is None:
            return bool(atom[1][0] in ("prime", "pi"))
        return all(f > 0 and all(_is_counted(a) and e > 0 for a, e in m) for m, f in inner) and (
            atom[0] == "root" or dict(inner).get((), 0) >= 1
        )
    return atom[0] in ("prime", "pi", "exp", "exp of") or (atom[0] == "symbol" and atom[2])


# -------------------------------------------------------------------------------------------------- boxes


class _Line:
    """The points between two ends as intervals, by their share in [0, 1]."""

    def __init__(self, low: sympy.Expr, high: sympy.Expr) -> None:
        self.low = None if low == -sympy.oo else _value(low, {})
        self.high = None if high == sympy.oo else _value(high, {})

    def point(self, share: Fraction) -> Any:
        if share == 0 and self.low is not None:
            return self.low
        if share == 1 and self.high is not None:
            return self.high
        if self.low is not None and self.high is not None:
            return self.low + (self.high - self.low) * rational(share)
        infinite = iv.mpf("inf")
        if self.low is not None:
            return infinite if share == 1 else self.low + rational(share / (1 - share))
        if self.high is not None:
            return -infinite if share == 0 else self.high - rational((1 - share) / share)
        if share in (0, 1):
            return infinite if share else -infinite
        return rational((2 * share - 1) / (share * (1 - share)))

    def box(self, first: Fraction, last: Fraction) -> Any:
        return interval(self.point(first), self.point(last))


def _on_boxes(expr: sympy.Expr, variable: sympy.Symbol, ends: Ends, *, strict: bool) -> bool | None:
    """Whether a formula in one variable is nowhere negative, by bisection."""
    line = _Line(*ends[:2])
    at_low = None if line.low is None or strict else _order(expr, variable, ends[0])
    at_high = None if line.high is None or strict else _order(expr, variable, ends[1])
    queue: list[tuple[float, int, Fraction, Fraction]] = [(0.0, 0, Fraction(0), Fraction(1))]
    for _ in range(BOXES):
        if not queue:
            return True
        _, depth, first, last = heapq.heappop(queue)
        low, decided = _lowest_on(expr, variable, line, first, last, strict=strict)
        if decided:
            continue
        if first == 0 and at_low and _leading(expr, variable, line.box(first, last), at_low) >= 0:
            continue
        if last == 1 and at_high:
            leading = _leading(expr, variable, line.box(first, last), at_high, turned=at_high % 2 == 1)
            if leading >= 0:
                continue
        middle = (first + last) / 2
        value = _value(expr, {variable: line.point(middle)})
        if value is not None and highest(value) < 0:
            return False
        if depth >= DEEPEST:
            return None
        for half in ((first, middle), (middle, last)):
            heapq.heappush(queue, (low, depth + 1, *half))
    return None if queue else True


def _lowest_on(
    expr: sympy.Expr, variable: sympy.Symbol, line: _Line, first: Fraction, last: Fraction, *, strict: bool
) -> tuple[float, bool]:
    """A lower bound on a box, and whether it is enough."""
    box = line.box(first, last)
    found = []
    value = _value(expr, {variable: box})
    if value is not None:
        found.append(lowest(value))
    if not any(_enough(low, strict=strict) for low in found):
        try:
            _, rate = jet(expr, {variable: box}, variable, 1, INTERVALS)
        except UndefinedError:
            rate = None
        if rate is not None:
            middle = line.point((first + last) / 2)
            around = _value(expr, {variable: middle})
            if around is not None and not mpmath.isinf(highest(box) - lowest(box)):
                found.append(lowest(around + rate * (box - middle)))
            if lowest(rate) >= 0 or highest(rate) <= 0:
                end = _value(expr, {variable: line.point(first if lowest(rate) >= 0 else last)})
                if end is not None:
                    found.append(lowest(end))
    low = max(found, default=-mpmath.inf)
    return float(low), _enough(low, strict=strict)


def _enough(low: Any, *, strict: bool) -> bool:
    return bool(low > 0 if strict else low >= 0)


def _leading(expr: sympy.Expr, variable: sympy.Symbol, box: Any, order: int, *, turned: bool = False) -> Any:
    """The lower end of the Taylor coefficient of that order on a box."""
    try:
        found = jet(expr, {variable: box}, variable, order, INTERVALS)[order]
    except UndefinedError:
        return -mpmath.inf
    return -highest(found) if turned else lowest(found)


def _order(expr: sympy.Expr, variable: sympy.Symbol, end: sympy.Expr) -> int:
    """The order of the zero at an end, of which exact arithmetic is sure; 0 where there is none or no answer."""
    for order in range(HIGHEST_ORDER + 1):
        try:
            found = jet(expr, {variable: normal_form(end)}, variable, order, EXACT)[order]
        except (UndefinedError, TooLargeError, ZeroDivisionError, OverflowError, RecursionError):
            return 0
        if not found.is_zero:
            return order
    return 0
