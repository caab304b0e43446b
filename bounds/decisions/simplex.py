"""Linear programs in exact fractions, by the two-phase simplex method.

:func:`minimise` is for the small programs that decide chains of exponents: a dozen variables, exact data, a couple
of thousand programs for the chains of two papers. Each answer carries its proof, which is verified in fractions
before it is given, so that nothing rests on the method: a minimum the multipliers of the conditions (its dual) that
prove it least, an infeasible program multipliers that contradict each other, an unbounded one a direction.

Written by hand: sympy's solver takes 15 times as long, and on one of six variables it did not end in a minute. HiGHS
(`scipy.optimize.linprog`), rounded to fractions and verified likewise, agrees everywhere but takes 1.8 to 2.7 ms a
program against 0.5 ms here, refuses programs without variables, and of several minima, which the witnesses of a chain
show, picks another one for one program in thirteen.

Bland's rule keeps the method from cycling, so that every program comes to an end. The table holds integers over one
common denominator, the last pivot, by which each step divides without remainder.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = ["InfeasibleError", "Minimum", "UnboundedError", "minimise"]

Row = Sequence[Fraction]

_ZERO = Fraction(0)


class InfeasibleError(ValueError):
    """No point meets all conditions; `multipliers` of the conditions, equal ones first, add up to a contradiction."""

    def __init__(self, multipliers: list[Fraction]) -> None:
        super().__init__("no point meets all conditions")
        self.multipliers = multipliers


class UnboundedError(ValueError):
    """The objective falls without end, from any point along `direction`."""

    def __init__(self, direction: list[Fraction]) -> None:
        super().__init__("the objective falls without end")
        self.direction = direction


class Minimum(NamedTuple):
    """The least value, a point that attains it, and multipliers of the conditions, equal ones first, that prove it.

    Those of inequalities are non-negative, the conditions times them add up to no more than the cost in any variable,
    and the numbers of the conditions add up to the value.
    """

    value: Fraction
    point: list[Fraction]
    multipliers: list[Fraction]


def minimise(
    cost: Row, equal: Sequence[tuple[Row, Fraction]] = (), at_least: Sequence[tuple[Row, Fraction]] = ()
) -> Minimum:
    """Return the least cost . x, and an x that attains it, over x >= 0.

    Parameters
    ----------
    cost
        One number for each variable.
    equal, at_least
        Pairs (row, number): row . x = number, and row . x >= number.

    Raises
    ------
    InfeasibleError
        No x >= 0 meets the conditions.
    UnboundedError
        cost . x has no minimum.
    ArithmeticError
        An answer failed its verification.
    """
    size, slacks, rows = len(cost), len(at_least), [*at_least, *equal]
    table: list[list[int]] = []
    basis: list[int] = []
    artificial: list[int] = []
    # By what each row was multiplied.
    scales: list[int] = []
    width = size + slacks
    for place, (row, number) in enumerate(rows):
        numbers, scale = _integers([*row, number])
        slack = [int(place == other) for other in range(slacks)]
        # A row ">= 0 or less" starts with its slack in the basis, any other one with an artificial variable.
        if place < slacks and numbers[-1] <= 0:
            table.append([*(-value for value in numbers[:-1]), *slack, -numbers[-1]])
            basis.append(size + place)
        else:
            line = [*numbers[:-1], *(-value for value in slack), numbers[-1]]
            scale = -scale if line[-1] < 0 else scale
            table.append([-value for value in line] if line[-1] < 0 else line)
            basis.append(width + len(artificial))
            artificial.append(place)
        scales.append(scale)
    table = [[*line[:-1], *(int(place == other) for other in artificial), line[-1]] for place, line in enumerate(table)]
    column_of = {place: width + number for number, place in enumerate(artificial)}

    def multipliers(prices: Sequence[int], denominator: int, artificial_cost: int) -> list[Fraction]:
        """The multiplier of each condition, equal ones first, by the prices of slacks and artificial variables."""
        lower = [Fraction(prices[size + place] * scales[place], denominator) for place in range(slacks)]
        fixed = [
            (artificial_cost - Fraction(prices[column_of[place]], denominator)) * scales[place]
            for place in range(slacks, len(rows))
        ]
        return [*fixed, *lower]

    # Phase one: the artificial variables have price 1 and are in the basis, which leaves the prices of the others.
    prices = [-sum(table[place][j] for place in artificial) for j in range(width)]
    prices += [0] * len(artificial) + [-sum(table[place][-1] for place in artificial)]
    denominator, _ = _run(table, basis, prices, 1, width + len(artificial))
    conditions = [*equal, *at_least]
    if prices[-1]:
        refuted = multipliers(prices, denominator, 1)
        _verify(_dominated(refuted, conditions, len(equal), [_ZERO] * size) and _total(refuted, conditions) > 0)
        raise InfeasibleError(refuted)
    for place, column in enumerate(basis):
        # An artificial variable that is left in the basis is 0 there, and any other of its row may take its place.
        entering = next((j for j in range(width) if table[place][j]), None) if column >= width else None
        if entering is not None:
            if table[place][entering] < 0:
                table[place] = [-value for value in table[place]]
            denominator = _pivot(table, basis, prices, place, entering, denominator)
    # A row that keeps its artificial variable has nothing else left in it, and changes no more.
    numbers, scale = _integers(cost)
    numbers += [0] * (len(prices) - size)
    prices = [denominator * value for value in numbers]
    for place, column in enumerate(basis):
        prices = [price - numbers[column] * value for price, value in zip(prices, table[place], strict=True)]
    denominator, growing = _run(table, basis, prices, denominator, width)
    point = [_ZERO] * width
    for place, column in enumerate(basis):
        if column < width:
            point[column] = Fraction(table[place][-1], denominator)
    _verify(_admitted(point[:size], equal, at_least))
    if growing is not None:
        direction = [Fraction(int(column == growing)) for column in range(width)]
        for place, column in enumerate(basis):
            if column < width:
                direction[column] = Fraction(-table[place][growing], denominator)
        onwards = [[(row, _ZERO) for row, _ in group] for group in (equal, at_least)]
        _verify(_admitted(direction[:size], *onwards) and _dot(cost, direction[:size]) < 0)
        raise UnboundedError(direction[:size])
    found = Minimum(
        Fraction(-prices[-1], denominator * scale), point[:size], multipliers(prices, denominator * scale, 0)
    )
    _verify(_dominated(found.multipliers, conditions, len(equal), cost))
    _verify(_dot(cost, found.point) == found.value == _total(found.multipliers, conditions))
    return found


def _dot(row: Row, point: Row) -> Fraction:
    return sum((a * b for a, b in zip(row, point, strict=True) if a and b), _ZERO)


def _total(multipliers: Row, conditions: Sequence[tuple[Row, Fraction]]) -> Fraction:
    return _dot(multipliers, [number for _, number in conditions])


def _admitted(point: Row, equal: Sequence[tuple[Row, Fraction]], at_least: Sequence[tuple[Row, Fraction]]) -> bool:
    """Whether the point is non-negative and meets all conditions."""
    return (
        all(value >= 0 for value in point)
        and all(_dot(row, point) == number for row, number in equal)
        and all(_dot(row, point) >= number for row, number in at_least)
    )


def _dominated(multipliers: Row, conditions: Sequence[tuple[Row, Fraction]], fixed: int, cost: Row) -> bool:
    """Whether the rows times their multipliers, non-negative ones but for the first `fixed`, are at most the cost."""
    used = [(row, factor) for (row, _), factor in zip(conditions, multipliers, strict=True) if factor]
    return all(factor >= 0 for factor in multipliers[fixed:]) and all(
        sum((row[place] * factor for row, factor in used if row[place]), _ZERO) <= price
        for place, price in enumerate(cost)
    )


def _verify(holds: bool) -> None:
    if not holds:
        raise ArithmeticError("the answer to a linear program failed its verification in fractions")


def _integers(row: Row) -> tuple[list[int], int]:
    """A multiple of the row in whole numbers, and by what it was multiplied."""
    scale = math.lcm(*(value.denominator for value in row))
    return [value.numerator * (scale // value.denominator) for value in row], scale


def _run(
    table: list[list[int]], basis: list[int], prices: list[int], denominator: int, width: int
) -> tuple[int, int | None]:
    """Pivot until none of the first `width` variables has a negative price, or one of them can grow without end.

    Returns the denominator then, and the variable that can, if there is one.
    """
    while True:
        entering = next((j for j, price in enumerate(prices[:width]) if price < 0), None)
        if entering is None:
            return denominator, None
        ratios = [
            (Fraction(line[-1], line[entering]), basis[place], place)
            for place, line in enumerate(table)
            if line[entering] > 0
        ]
        if not ratios:
            return denominator, entering
        denominator = _pivot(table, basis, prices, min(ratios)[2], entering, denominator)


def _pivot(
    table: list[list[int]], basis: list[int], prices: list[int], place: int, column: int, denominator: int
) -> int:
    """Let the variable `column` enter the basis in the row `place`; the new denominator."""
    leading = table[place]
    pivot = leading[column]

    def reduced(line: list[int]) -> list[int]:
        factor = line[column]
        if not factor:
            return [pivot * a // denominator for a in line] if pivot != denominator else line
        return [(pivot * a - factor * b) // denominator for a, b in zip(line, leading, strict=True)]

    table[:] = [line if other == place else reduced(line) for other, line in enumerate(table)]
    prices[:] = reduced(prices)
    basis[place] = column
    return pivot
