"""Linear programs in exact fractions, by the two-phase simplex method.

:func:`minimise` is for the small programs that decide chains of exponents: a dozen variables, exact data, some
hundreds of programs in a run, for which sympy's solver takes a hundred times as long. Bland's rule keeps the
method from cycling, so that every program comes to an end. The table holds integers over one common
denominator, the last pivot, by which each step divides without remainder.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

__all__ = ["InfeasibleError", "UnboundedError", "minimise"]

Row = Sequence[Fraction]


class InfeasibleError(ValueError):
    """No point meets all conditions."""


class UnboundedError(ValueError):
    """The objective falls without end."""


def minimise(
    cost: Row,
    equal: Sequence[tuple[Row, Fraction]] = (),
    at_least: Sequence[tuple[Row, Fraction]] = (),
) -> tuple[Fraction, list[Fraction]]:
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
    """
    size, slacks, rows = len(cost), len(at_least), [*at_least, *equal]
    table: list[list[int]] = []
    basis: list[int] = []
    artificial: list[int] = []
    width = size + slacks
    for place, (row, number) in enumerate(rows):
        numbers, _ = _integers([*row, number])
        slack = [int(place == other) for other in range(slacks)]
        # A row ">= 0 or less" starts with its slack in the basis, any other one with an artificial variable.
        if place < slacks and numbers[-1] <= 0:
            table.append([*(-value for value in numbers[:-1]), *slack, -numbers[-1]])
            basis.append(size + place)
        else:
            line = [*numbers[:-1], *(-value for value in slack), numbers[-1]]
            table.append([-value for value in line] if line[-1] < 0 else line)
            basis.append(width + len(artificial))
            artificial.append(place)
    table = [[*line[:-1], *(int(place == other) for other in artificial), line[-1]] for place, line in enumerate(table)]
    # Phase one: the artificial variables have price 1 and are in the basis, which leaves the prices of the others.
    prices = [-sum(table[place][j] for place in artificial) for j in range(width)]
    prices += [0] * len(artificial) + [-sum(table[place][-1] for place in artificial)]
    denominator = _run(table, basis, prices, 1)
    if prices[-1]:
        raise InfeasibleError
    for place, column in enumerate(basis):
        # An artificial variable that is left in the basis is 0 there, and any other of its row may take its place.
        entering = next((j for j in range(width) if table[place][j]), None) if column >= width else None
        if entering is not None:
            if table[place][entering] < 0:
                table[place] = [-value for value in table[place]]
            denominator = _pivot(table, basis, prices, place, entering, denominator)
    kept = [place for place, column in enumerate(basis) if column < width]
    table = [[*table[place][:width], table[place][-1]] for place in kept]
    basis = [basis[place] for place in kept]
    numbers, scale = _integers(cost)
    numbers += [0] * (slacks + 1)
    prices = [denominator * value for value in numbers]
    for place, column in enumerate(basis):
        prices = [price - numbers[column] * value for price, value in zip(prices, table[place], strict=True)]
    denominator = _run(table, basis, prices, denominator)
    found = [Fraction(0)] * width
    for place, column in enumerate(basis):
        found[column] = Fraction(table[place][-1], denominator)
    return Fraction(-prices[-1], denominator * scale), found[:size]


def _integers(row: Row) -> tuple[list[int], int]:
    """A multiple of the row in whole numbers, and by what it was multiplied."""
    scale = math.lcm(*(value.denominator for value in row))
    return [value.numerator * (scale // value.denominator) for value in row], scale


def _run(table: list[list[int]], basis: list[int], prices: list[int], denominator: int) -> int:
    """Pivot until no variable has a negative price; the denominator then."""
    while True:
        entering = next((j for j, price in enumerate(prices[:-1]) if price < 0), None)
        if entering is None:
            return denominator
        ratios = [
            (Fraction(line[-1], line[entering]), basis[place], place)
            for place, line in enumerate(table)
            if line[entering] > 0
        ]
        if not ratios:
            raise UnboundedError
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
