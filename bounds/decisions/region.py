"""Where premises hold together: rigorous search over boxes of parameters.

:func:`premise_region` decides whether some point within limits meets all premises. It cuts the box of limits
into smaller boxes, evenly in the logarithm, and evaluates each premise on a whole box in the interval
arithmetic of `bounds.arithmetic.intervals`: a box on which one premise fails everywhere is dropped, so that when
none is left, emptiness is proved. A point that might meet all premises is checked in ball arithmetic.

:func:`smallest` does the same in one integer, from the left, and :func:`largest` in one symbol, from the right.

Written by hand: libraries of intervals with doubles for ends stop at 2**1024, and widths here reach 2**20000.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bounds.arithmetic.balls import precision_of
from bounds.arithmetic.intervals import INTERVALS, Interval, between, is_above_one, is_below_one
from bounds.arithmetic.tree import compile_tree
from bounds.numeric import MissingValueError, enter
from bounds.premise import Premise
from bounds.symbols import SYMBOLS

__all__ = ["RegionReport", "UndecidedSizeError", "largest", "premise_region", "smallest"]

Number: TypeAlias = int | float
Range: TypeAlias = tuple[Number, Number]
Box: TypeAlias = dict[str, Range]

# Intervals lose a few bits an operation, and boxes are not cut below 2**-RELATIVE_CUT of their place.
PRECISION = 128
RELATIVE_CUT = 40
LARGEST_SIZE = 2**20000
BOXES = 20_000
BOXES_ONE_SIZE = 100_000


class UndecidedSizeError(ArithmeticError):
    """The search for the smallest size ran out of boxes."""


@dataclass(frozen=True)
class RegionReport:
    """Outcome of :func:`premise_region`.

    `empty` is True when no point within the limits meets all premises (proved), False when `witness` does
    (verified in ball arithmetic), None when the budget ended first. `boxes` counts the boxes looked at;
    `excluded` tells for each premise, by its text, how many of them it ruled out.
    """

    empty: bool | None
    witness: dict[str, Number] | None
    boxes: int
    excluded: dict[str, int] = field(default_factory=dict)


class _OnBoxes:
    """One premise as a function of boxes."""

    def __init__(self, premise: Premise) -> None:
        self.premise = premise
        self.larger = compile_tree(premise.larger.expr, INTERVALS)
        self.smaller = compile_tree(premise.smaller.expr, INTERVALS)
        # The quotient is simplified as a formula: what cancels in it cannot widen its interval.
        self.quotient: Callable[[Mapping[str, Interval]], Interval] | None = None
        if premise.smaller.expr != 0:
            self.quotient = compile_tree(premise.larger.expr / premise.smaller.expr, INTERVALS)

    def everywhere(self, box: Mapping[str, Interval]) -> bool | None:
        """True if the premise holds on all of the box, False if it fails on all of it, else None."""
        large, small = self.larger(box), self.smaller(box)
        strict = self.premise.strict
        if large is None or small is None:
            return None
        if small[1].before(large[0]) if strict else not large[0].before(small[1]):
            return True
        if not small[0].before(large[1]) if strict else large[1].before(small[0]):
            return False
        if small[0].sign > 0 and self.quotient is not None:
            quotient = self.quotient(box)
            if is_above_one(quotient, or_equal=not strict):
                return True
            if is_below_one(quotient, or_equal=strict):
                return False
        return None


def _fixed_part(premises: Sequence[Premise], values: Mapping[str, Any], free: Iterable[str]) -> dict[str, Interval]:
    """Intervals of the constants, and of the symbols that `values` fixes."""
    skip = set(free)
    found: dict[str, Interval] = {}
    for premise in premises:
        for name, constant in premise.constants.items():
            found[name] = enter(values.get(name, constant.value), INTERVALS)
        for name in premise.symbols:
            if name in skip:
                continue
            if values.get(name) is None:
                raise MissingValueError(f"the premise {premise.text} needs a value for {name}")
            found[name] = enter(values[name], INTERVALS)
    return found


# ------------------------------------------------------------------------- one size


def smallest(
    premises: Sequence[Premise],
    name: str,
    at: Mapping[str, Any],
    low: int = 1,
    high: int = LARGEST_SIZE,
    boxes: int = BOXES_ONE_SIZE,
    exact: bool = True,
) -> int | None:
    """Return the smallest integer `name` >= `low` that meets all premises, None if none up to `high` does.

    `at` gives the other symbols (a value for `name` in it is ignored); values and result may be integers of
    any length. Nothing is assumed of the premises while boxes are cut: whole ranges are excluded in interval
    arithmetic, so `name` may stand on both sides, and a premise may hold, fail and hold again (m >= C log(m)
    holds at m = 1: pass `low` to look beyond). Only inside a range shorter than 2**-40 of its place is it
    assumed that the premises, if they hold at its upper end, turn from false to true once: there it bisects.
    Where no ball decides a premise it counts as failed. Where `exact` is False it does not bisect there, which saves
    most of the time at sizes of hundreds of digits: the result meets all premises, and where it is above 2**40 a
    smaller size may meet them that differs from it by less than 2**-40 of itself.

    Raises :class:`bounds.bound.MissingValueError`, and :class:`UndecidedSizeError` when ranges stay undecided
    after `boxes` steps.
    """
    known = {other: value for other, value in at.items() if other != name}
    depending = [premise for premise in premises if name in premise.symbols]
    for premise in premises:
        if premise not in depending and premise.certainly(known) is not True:
            return None
    if not depending:
        return low if low <= high else None

    def meets(size: int) -> bool:
        return all(premise.certainly({**known, name: size}) is True for premise in depending)

    tests = [_OnBoxes(premise) for premise in depending]
    with precision_of(PRECISION):
        box = _fixed_part(depending, known, [name])
        ranges = [(low, high)] if low <= high else []
        for _ in range(boxes):
            if not ranges:
                return None
            first, last = ranges.pop()
            box[name] = between(first, last)
            verdicts = [test.everywhere(box) for test in tests]
            if False in verdicts:
                continue
            if all(verdicts):
                return first
            if last - first <= first >> RELATIVE_CUT:
                ends = dict.fromkeys((first, last))
                found = _bisect(meets, first, last) if exact else next(filter(meets, ends), None)
                if found is not None:
                    return found
                continue
            middle = _middle(first, last)
            ranges += [(middle + 1, last), (first, middle)]
    texts = "; ".join(premise.text for premise in depending)
    raise UndecidedSizeError(f"no smallest {name} was found in {boxes} steps for {texts}")


def largest(
    premises: Sequence[Premise],
    name: str,
    at: Mapping[str, Any],
    low: Number,
    high: Number,
    boxes: int = BOXES_ONE_SIZE,
) -> Number | None:
    """Return the largest `name` from `low` to `high` that meets all premises, None if none does.

    A number that is returned meets them in ball arithmetic. `low` and `high` are integers of any length for an
    integer, where the result is exact, and doubles for a real number: then every number above the result fails, but for
    those of a range of relative length 2**-40 whose upper end fails. Where no ball decides a premise it counts as
    failed. `at` gives the other symbols (a value for `name` in it is ignored).

    Raises :class:`bounds.bound.MissingValueError`, and :class:`UndecidedSizeError` when ranges stay undecided after
    `boxes` steps.
    """
    known = {other: value for other, value in at.items() if other != name}
    depending = [premise for premise in premises if name in premise.symbols]
    for premise in premises:
        if premise not in depending and premise.certainly(known) is not True:
            return None
    if not depending:
        return high if low <= high else None
    tests = [_OnBoxes(premise) for premise in depending]
    with precision_of(PRECISION):
        box = _fixed_part(depending, known, [name])
        ranges = [(low, high)] if low <= high else []
        for _ in range(boxes):
            if not ranges:
                return None
            first, last = ranges.pop()
            box[name] = between(first, last)
            verdicts = [test.everywhere(box) for test in tests]
            if False in verdicts:
                continue
            if all(verdicts):
                return last
            if not _divisible(first, last):
                for end in (last, first):
                    if all(premise.certainly({**known, name: end}) is True for premise in depending):
                        return end
                continue
            middle = _middle(first, last)
            upper = middle + 1 if isinstance(middle, int) else middle
            ranges += [(first, middle), (upper, last)]
    texts = "; ".join(premise.text for premise in depending)
    raise UndecidedSizeError(f"no largest {name} was found in {boxes} steps for {texts}")


def _bisect(meets: Callable[[int], bool], first: int, last: int) -> int | None:
    if meets(first):
        return first
    if not meets(last):
        return None
    while last - first > 1:
        middle = (first + last) // 2
        if meets(middle):
            last = middle
        else:
            first = middle
    return last


# --------------------------------------------------------------------------- regions


def premise_region(
    premises: Sequence[Premise], limits: Mapping[str, tuple[Number, Number] | Number], budget: int = BOXES
) -> RegionReport:
    """Decide whether some point within `limits` meets all `premises`.

    Parameters
    ----------
    premises
        The inequalities.
    limits
        (low, high) for each symbol, both included, or one number that fixes it. Limits of symbols with an
        integer domain are integers of any length; the others are doubles. A constant may be given too.
    budget
        Number of boxes to look at before giving up.

    Returns
    -------
    RegionReport
        Empty (proved), not empty (with a verified witness), or undecided.

    Raises
    ------
    MissingValueError
        A symbol has no limits.
    ValueError
        A low limit is above the high one.
    """
    start, fixed = _first_box(premises, limits)
    excluded = dict.fromkeys([premise.text for premise in premises], 0)
    if start is None:
        return RegionReport(True, None, 0, excluded)
    search = _Search(list(premises), fixed)
    with precision_of(PRECISION):
        return search.run(start, budget, excluded)


def _first_box(
    premises: Sequence[Premise], limits: Mapping[str, tuple[Number, Number] | Number]
) -> tuple[Box | None, dict[str, Number]]:
    box: Box = {}
    constants = {name for premise in premises for name in premise.constants}
    fixed = {name: value for name, value in limits.items() if name in constants and not isinstance(value, tuple)}
    for name in sorted({name for premise in premises for name in premise.symbols}):
        if name not in limits:
            raise MissingValueError(f"no limits are given for {name}: add {name}=(low, high)")
        given = limits[name]
        low, high = given if isinstance(given, tuple) else (given, given)
        if low > high:
            raise ValueError(f"the limits of {name} are empty: {low} is above {high}")
        if SYMBOLS[name].domain.integer:
            low, high = math.ceil(low), math.floor(high)
            if low > high:
                return None, fixed
        else:
            low, high = float(low), float(high)
        box[name] = (low, high)
    return box, fixed


def _middle(low: Any, high: Any) -> Any:
    """A point between, at the geometric mean where both ends are positive and not close."""
    if isinstance(low, int):
        return math.isqrt(low * high) if low > 0 and high > 4 * low else (low + high) // 2
    if low > 0 and high > 4 * low:
        return math.sqrt(low) * math.sqrt(high)
    return low + (high - low) / 2


def _divisible(low: Number, high: Number) -> bool:
    if isinstance(low, int):
        return low < high
    return high - low > max(abs(low), abs(high)) * 2.0**-RELATIVE_CUT


class _Search:
    """Best-first branch and bound over boxes."""

    def __init__(self, premises: list[Premise], fixed: dict[str, Number]) -> None:
        self.premises = premises
        self.fixed = fixed
        self.tests = [_OnBoxes(premise) for premise in premises]

    def run(self, start: Box, budget: int, excluded: dict[str, int]) -> RegionReport:
        constants = _fixed_part(self.premises, self.fixed, start)
        order = itertools.count()
        queue: list[tuple[float, int, Box]] = [(0.0, next(order), start)]
        looked_at, unresolved = 0, 0
        while queue and looked_at < budget:
            _, _, box = heapq.heappop(queue)
            looked_at += 1
            intervals = constants | {name: between(*ends) for name, ends in box.items()}
            failing = self._failing(intervals)
            if failing is not None:
                excluded[failing.text] += 1
                continue
            sides, corner = self._slopes(box)
            for point in (self._centre(box), corner):
                if all(premise.certainly(point) is True for premise in self.premises):
                    witness = {name: point[name] for name in box}
                    return RegionReport(False, witness, looked_at, excluded)
            splittable = [name for name, ends in box.items() if _divisible(*ends)]
            if not splittable:
                unresolved += self._failing_at(corner) is None
                continue
            name = max(splittable, key=lambda name: sides[name])
            low, high = box[name]
            middle = _middle(low, high)
            upper = middle + 1 if isinstance(low, int) else middle
            for ends in ((low, middle), (upper, high)):
                half = {**box, name: ends}
                heapq.heappush(queue, (-self._slack(self._centre(half)), next(order), half))
        decided = not queue and not unresolved
        return RegionReport(True if decided else None, None, looked_at, excluded)

    def _failing(self, intervals: Mapping[str, Interval]) -> "Premise | None":
        """A premise that fails on the whole box."""
        for test in self.tests:
            if test.everywhere(intervals) is False:
                return test.premise
        return None

    def _failing_at(self, point: Mapping[str, Any]) -> "Premise | None":
        for premise in self.premises:
            if premise.certainly(point) is False:
                return premise
        return None

    def _centre(self, box: Box) -> dict[str, Number]:
        return self.fixed | {name: _middle(low, high) for name, (low, high) in box.items()}

    def _slack(self, point: Mapping[str, Any]) -> float:
        """Smallest slack over the premises; a guide only, so undefined counts as far outside."""
        slacks = [premise.slack(point) for premise in self.premises]
        return min((slack if slack == slack else -math.inf for slack in slacks), default=math.inf)

    def _slopes(self, box: Box) -> tuple[dict[str, float], dict[str, Number]]:
        """How much the worst slack changes across the box in each symbol, and the corner it points to."""
        centre = self._centre(box)
        corner: dict[str, Number] = dict(self.fixed)
        sides: dict[str, float] = {}
        for name, (low, high) in box.items():
            below, above = self._slack({**centre, name: low}), self._slack({**centre, name: high})
            corner[name] = high if above >= below else low
            change = abs(above - below)
            # Equal infinities say nothing: then the widest range goes first.
            sides[name] = change if change == change else 1e6 * (1.0 + math.log1p(abs(math.log1p(abs(high - low)))))
        return sides, corner
