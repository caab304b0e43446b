"""Activations of chatterji2021: Definition 2.1 decided for a sympy expression, and the smallest h it holds with.

phi is *h-smoothly approximately ReLU* when it is differentiable, phi(0) = 0, |phi'| <= 1, phi' is 1/h-Lipschitz and
|phi'(z) z - phi(z)| <= h/2 for all z. phi is cut into smooth pieces; what happens where two meet is decided in exact
algebra. Then the supremum of |F| is found on the whole line for F = phi', phi'' and phi' z - phi
(:func:`supremum`): symbolically at the ends of pieces, at critical points with a closed form and at infinity; by
bisection in ball arithmetic in between, boxes where F is monotone counting by their ends; and on the two half-lines
beyond by the series of `bounds.laws.asymptotic_series`. A tight condition, such as |phi'| <= 1 with phi'(z) -> 1, is
decided by the exact values. Answers are True, False or None for "not decided"; a False names a place,
an infinite one where it takes large z.

The definition scales: phi(z) is for h what s phi(z/s) is for s h.

Written by hand: `sympy.calculus.util.maximum` finds no critical points of the slope of Swish, and raises.
"""

import contextlib
import functools
import heapq
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import flint
import sympy

from bounds.arithmetic.balls import BALLS, BallArithmetic, precision_of
from bounds.arithmetic.logfloat import plain_number
from bounds.arithmetic.tree import UnsupportedFormulaError, compile_tree
from bounds.laws.asymptotic_series import Tail, TailError, ball_of, sign_of, tail_of

__all__ = [
    "ActivationReport",
    "Condition",
    "Enclosure",
    "SmallestH",
    "Supremum",
    "check_activation",
    "huberised_relu",
    "scaled_swish",
    "smallest_h",
    "supremum",
]

PRECISION = 160
# A supremum without a closed form is enclosed this tightly, in proportion.
ACCURACY = Fraction(1, 10**15)
MOST_BOXES = 6000
# Powers of one exponential up to this one are factored as a polynomial is.
HIGHEST_POWER = 12
# Half-lines begin at powers of 2 between these exponents.
NEAREST, FARTHEST = -30, 24

_Z = sympy.Symbol("z", real=True)


def huberised_relu(h: int | Fraction | sympy.Expr, z: sympy.Symbol = _Z) -> sympy.Expr:
    """Return the Huberised ReLU: 0 below 0, z**2/(2 h) up to h, z - h/2 above (chatterji2021, eq. (1))."""
    return sympy.Piecewise(
        (0, z < 0), (z**2 / (2 * sympy.sympify(h, strict=True)), z <= h), (z - sympy.sympify(h, strict=True) / 2, True)
    )


def scaled_swish(h: int | Fraction | sympy.Expr, z: sympy.Symbol = _Z) -> sympy.Expr:
    """Return the scaled Swish z/(1.1 (1 + exp(-2 z/h))) (chatterji2021, Section 2.2)."""
    return sympy.Rational(10, 11) * z / (1 + sympy.exp(-2 * z / sympy.sympify(h, strict=True)))


@dataclass(frozen=True)
class Supremum:
    """The least upper bound of a function, between `low` and `high`; `exact` where it has a closed form.

    `place` is where it is attained, approached (an infinite place), or nearly attained.
    """

    low: flint.arb
    high: flint.arb
    place: sympy.Expr
    exact: sympy.Expr | None = None

    def at_most(self, limit: sympy.Expr) -> bool | None:
        """Whether the supremum is <= an exact finite number; None when that is not decided."""
        if self.exact is not None:
            sign = sign_of(limit - self.exact) if self.exact.is_finite else -1
            return None if sign is None else sign >= 0
        ball = ball_of(limit)
        if self.high <= ball:
            return True
        return False if self.low > ball else None


@dataclass(frozen=True)
class Condition:
    """One line of the definition: whether it holds, what was found and where."""

    name: str
    holds: bool | None
    found: str
    place: sympy.Expr | None = None


@dataclass(frozen=True)
class ActivationReport:
    """The answer about an activation and an h; `conditions` in the order of the definition."""

    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool | None:
        """False when a condition fails, None when one is not decided, else True."""
        answers = {condition.holds for condition in self.conditions}
        return False if False in answers else None if None in answers else True


@dataclass(frozen=True)
class Enclosure:
    """A number between `low` and `high`, `exact` where it has a closed form."""

    low: flint.arb
    high: flint.arb
    exact: sympy.Expr | None

    def __str__(self) -> str:
        """The closed form, or twelve digits of the upper end."""
        return str(self.exact) if self.exact is not None else _digits(self.high)

    def __float__(self) -> float:
        return float(self.exact) if self.exact is not None else float(self.high)


@dataclass(frozen=True)
class SmallestH:
    """The h > 0 with which the definition holds: from `smallest` to `largest`, both included where positive and finite.

    Where no h will do `smallest` is infinite, and where that is not decided it may be; `obstacle` names the reason.
    """

    smallest: Enclosure
    largest: Enclosure
    obstacle: Condition | None

    def __float__(self) -> float:
        return float(self.smallest)


# ------------------------------------------------------------------ pieces


@dataclass(frozen=True)
class _Piece:
    """A smooth expression in `_Z` between two exact ends, which may be infinite."""

    expr: sympy.Expr
    low: sympy.Expr
    high: sympy.Expr


def _read(expression: sympy.Expr) -> sympy.Expr:
    """The expression in the variable of this module, as one Piecewise without Abs, Min, Max and tanh."""
    expression = sympy.sympify(expression, strict=True)
    if not isinstance(expression, sympy.Expr) or len(expression.free_symbols) > 1:
        raise UnsupportedFormulaError(f"an activation is an expression in one variable, not {expression}")
    for free in expression.free_symbols:
        expression = expression.subs(free, _Z)
    if expression.has(sympy.Float):
        raise UnsupportedFormulaError(f"the activation {expression} holds a float: write it as a Rational")
    expression = expression.rewrite([sympy.Abs, sympy.Max, sympy.Min, sympy.sign], sympy.Piecewise)
    hyperbolic = (sympy.tanh, sympy.sinh, sympy.cosh, sympy.sech)
    return sympy.piecewise_fold(expression.replace(lambda part: isinstance(part, hyperbolic), _as_exponentials))


def _as_exponentials(part: sympy.Expr) -> sympy.Expr:
    return part.rewrite(sympy.exp)


def _pieces(expression: sympy.Expr) -> list[_Piece]:
    """The smooth pieces from left to right."""
    if not isinstance(expression, sympy.Piecewise):
        return [_Piece(expression, -sympy.oo, sympy.oo)]
    found = []
    try:
        pairs = expression.as_expr_set_pairs(sympy.S.Reals)
    except NotImplementedError as error:
        raise UnsupportedFormulaError(f"where the pieces of {expression} begin and end is not known") from error
    for part, where in pairs:
        for interval in where.args if isinstance(where, sympy.Union) else (where,):
            if isinstance(interval, sympy.Interval):
                found.append(_Piece(part, interval.inf, interval.sup))
            elif not isinstance(interval, sympy.FiniteSet):
                raise UnsupportedFormulaError(f"the piece {part} of {expression} lives on {where}")
    found.sort(key=lambda piece: -math.inf if piece.low == -sympy.oo else float(piece.low))
    ends = [-sympy.oo, *(piece.high for piece in found)]
    if [piece.low for piece in found] != ends[:-1] or ends[-1] != sympy.oo:
        raise UnsupportedFormulaError(f"{expression} is not defined on the whole line")
    return found


def _value(expr: sympy.Expr, at: sympy.Expr, side: str = "+") -> sympy.Expr:
    """The exact value, or the limit from one side where the expression itself is undefined."""
    value = expr.subs(_Z, at)
    return sympy.limit(expr, _Z, at, side) if value.has(sympy.nan, sympy.zoo, sympy.oo) else value


# ------------------------------------------------------------- suprema of |F|


class _Best:
    """The largest |F| found so far."""

    def __init__(self) -> None:
        self.ball = flint.arb(-1)
        self.exact: sympy.Expr | None = None
        self.place: sympy.Expr = sympy.S.Zero
        self.rivals: list[flint.arb] = []
        self.pole: sympy.Expr | None = None

    def see(self, ball: flint.arb, place: sympy.Expr) -> None:
        """Take |F| at an inner point as a bound from below."""
        if ball.is_finite() and ball > self.ball:
            self.ball, self.exact, self.place = ball, None, place

    def account(self, value: sympy.Expr, place: sympy.Expr) -> None:
        """Take the exact value of F at an end, or its limit at infinity, into account.

        One that may exceed the best, or not, is a rival.
        """
        if value.is_infinite:
            self.pole = place
            return
        exact = abs(value)
        ball = ball_of(exact) if value.is_finite and value.is_number else flint.arb.nan()
        if not ball.is_finite():
            self.rivals.append(flint.arb.pos_inf())
            return
        if ball < self.ball:
            return
        sign = 1 if ball > self.ball else None if self.exact is None else sign_of(exact - self.exact)
        if sign is None and self.exact is None:
            self.rivals.append(self.ball)
            sign = 1
        if sign is None:
            self.rivals.append(ball)
        elif sign > 0:
            self.ball, self.exact, self.place = ball, exact, place

    def covers(self, high: flint.arb, exact: sympy.Expr | None) -> bool:
        """Whether no value up to `high`, which is `exact` if that is given, beats the best one."""
        if exact is not None and self.exact is not None and sign_of(exact - self.exact) in (-1, 0):
            return True
        return bool(high <= self.ball)


class _Balls(BallArithmetic):
    """Balls at one precision, where each number of a formula is enclosed once."""

    def __init__(self) -> None:
        self.known: dict[sympy.Expr, flint.arb] = {}

    def literal(self, value: sympy.Expr) -> flint.arb:
        """A rational number, pi or E."""
        if value not in self.known:
            self.known[value] = super().literal(value)
        return self.known[value]


def _shorter(expr: sympy.Expr) -> sympy.Expr:
    """The expression or its factors, whichever has fewer operations; what is constant is found out.

    Exponentials exp(r z) enter as powers of one of them, lest exp(2000 z) be a polynomial of degree 2000.
    """
    rates = [part.args[0].coeff(_Z) for part in expr.atoms(sympy.exp) if part.args[0].has(_Z)]
    if not all(rate.is_Rational and rate != 0 for rate in rates):
        return expr
    unit = sympy.gcd_list(rates) if rates else sympy.S.One
    if any(abs(rate / unit) > HIGHEST_POWER for rate in rates):
        return expr
    power = sympy.Dummy(positive=True)

    def swapped(part: sympy.Expr) -> sympy.Expr:
        rate = part.args[0].coeff(_Z)
        return power ** (rate / unit) * sympy.exp(part.args[0] - rate * _Z)

    factors = sympy.factor(expr.replace(lambda part: isinstance(part, sympy.exp) and part.has(_Z), swapped))
    return min((expr, factors.subs(power, sympy.exp(unit * _Z))), key=sympy.count_ops)


class _Function:
    """F on one piece with its first two derivatives."""

    def __init__(self, expr: sympy.Expr) -> None:
        self.exprs = [_shorter(expr)]
        for _ in range(2):
            self.exprs.append(_shorter(sympy.diff(self.exprs[-1], _Z)))
        self.forms = [compile_tree(each, _Balls()) for each in self.exprs]
        self.is_constant = self.exprs[1] == 0
        self._critical_ends: dict[sympy.Expr, bool] = {}

    def at(self, order: int, place: flint.arb) -> flint.arb:
        """F, F' or F'' on a ball."""
        return self.forms[order]({_Z.name: place})

    def critical_points(self) -> Iterator[sympy.Expr]:
        """Zeros of F' with a simple closed form, where F' is rational."""
        numerator, _ = sympy.fraction(sympy.together(self.exprs[1]))
        if numerator.is_polynomial(_Z):
            for factor, _ in sympy.factor_list(numerator, _Z)[1]:
                if sympy.degree(factor, _Z) <= 2:
                    yield from (root for root in sympy.roots(factor, _Z) if root.is_real)

    def is_critical(self, end: sympy.Expr | None) -> bool:
        """Whether F' is exactly zero at an exact end."""
        if end is None:
            return False
        if end not in self._critical_ends:
            slope = self.exprs[1].subs(_Z, end)
            self._critical_ends[end] = bool(slope.is_finite) and sign_of(slope) == 0
        return self._critical_ends[end]


class _Box:
    """F between two balls, which are ends of the piece where the exact ends are given."""

    exact = None

    def __init__(
        self,
        function: _Function,
        low: flint.arb,
        high: flint.arb,
        exact_low: sympy.Expr | None = None,
        exact_high: sympy.Expr | None = None,
    ) -> None:
        self.function, self.low, self.high = function, low, high
        self.exact_low, self.exact_high = exact_low, exact_high
        self.whole = low.union(high)
        self.middle = flint.arb(self.whole.mid())
        self.slope = function.at(1, self.whole)
        centred = function.at(0, self.middle) + self.slope * (self.whole - self.middle)
        tops = [abs(enclosure).upper() for enclosure in (function.at(0, self.whole), centred) if enclosure.is_finite()]
        self.top = min(tops, key=float) if tops else flint.arb.pos_inf()

    def is_settled(self) -> bool:
        """Whether F is monotone, so that only the ends matter: no zero of F', or one at an exact end and none of F''.

        Where boxes meet inside a piece F' has one sign across: F is monotone along a chain of such boxes, and
        |F| is largest at the ends of the chain, which are accounted for.
        """
        if self.slope > 0 or self.slope < 0:
            return True
        if not (self.function.is_critical(self.exact_low) or self.function.is_critical(self.exact_high)):
            return False
        bend = self.function.at(2, self.whole)
        return bool(bend > 0 or bend < 0)

    def divide(self, best: _Best) -> list["_Box | _HalfLine"]:
        """Two halves; none where there is nothing left to cut."""
        if not (self.low < self.middle and self.middle < self.high):
            return []
        best.see(abs(self.function.at(0, self.middle)), sympy.Rational(float(self.middle)))
        return [
            _Box(self.function, self.low, self.middle, exact_low=self.exact_low),
            _Box(self.function, self.middle, self.high, exact_high=self.exact_high),
        ]


class _HalfLine:
    """F from a power of 2 to infinity on the given side (1 or -1)."""

    def __init__(self, function: _Function, side: int, exponent: int) -> None:
        self.function, self.side, self.exponent = function, side, exponent
        self.top, self.exact = flint.arb.pos_inf(), None
        self.tail: Tail | None = None
        turned = function.exprs[0].subs(_Z, side * _Z)
        with contextlib.suppress(TailError):
            self.tail = tail_of(turned, flint.arb(2) ** exponent)
        if self.tail is not None and self.tail.limit.is_finite:
            self._bound(self.tail)

    def _bound(self, tail: Tail) -> None:
        size, sign = abs(ball_of(tail.limit)), sign_of(tail.limit)
        comes_from_inside = tail.side is not None and sign is not None and tail.side * sign < 0
        if tail.side == 0 or (comes_from_inside and tail.distance <= 2 * size):
            self.top, self.exact = size.upper(), abs(tail.limit)
        else:
            self.top = (size + tail.distance).upper()

    def account(self, best: _Best) -> None:
        """Take the limit into account, which the supremum is at least, and the value at the near end."""
        near = self.side * flint.arb(2) ** self.exponent
        best.see(abs(self.function.at(0, near)), sympy.Rational(float(near)))
        if self.tail is not None and self.tail.limit.is_finite:
            best.account(self.tail.limit, self.side * sympy.oo)

    def is_clear(self) -> bool:
        """Whether F stays on one side of its limit from here on."""
        return self.tail is not None and (self.tail.side is not None or not self.tail.limit.is_finite)

    @staticmethod
    def is_settled() -> bool:
        """Its supremum is the limit, or unknown."""
        return False

    def divide(self, best: _Best) -> list["_Box | _HalfLine"]:
        """The box up to the next power of 2, and the half-line from there."""
        if self.exponent >= FARTHEST:
            return []
        near, far = (self.side * flint.arb(2) ** e for e in (self.exponent, self.exponent + 1))
        best.see(abs(self.function.at(0, far)), sympy.Rational(float(far)))
        low, high = (near, far) if self.side > 0 else (far, near)
        farther = _HalfLine(self.function, self.side, self.exponent + 1)
        farther.account(best)
        return [_Box(self.function, low, high), farther]


def _nearest(function: _Function, side: int, inner: list[float]) -> _HalfLine:
    """The half-line beyond the inner points that begins as near as its series is clear, by bisection over exponents."""
    low = max([NEAREST, *(math.frexp(point)[1] for point in inner if point)])
    first, clear = _HalfLine(function, side, max(low, 0)), None
    high = max(low, 0) if first.is_clear() else FARTHEST
    low = low if first.is_clear() else max(low, 0) + 1
    clear = first if first.is_clear() else None
    while low < high:
        middle = (low + high) // 2
        tried = _HalfLine(function, side, middle)
        if tried.is_clear():
            clear, high = tried, middle
        else:
            low = middle + 1
    return clear or first


def _cover(piece: _Piece, best: _Best) -> list[_Box | _HalfLine]:
    """Boxes and half-lines that cover a piece; the exact values at its ends are accounted for."""
    function = _Function(piece.expr)
    inside = [point for point in (sympy.S.Zero, *function.critical_points()) if piece.low < point < piece.high]
    points = sorted({*inside, *(end for end in (piece.low, piece.high) if end.is_finite)}, key=float)
    for point in points:
        best.account(_value(piece.expr, point, "-" if point == piece.high else "+"), point)
    if function.is_constant:
        return []
    ends: list[tuple[flint.arb, sympy.Expr | None]] = [(ball_of(point), point) for point in points]
    parts: list[_Box | _HalfLine] = []
    for side, end in ((-1, piece.low), (1, piece.high)):
        if not end.is_finite:
            half_line = _nearest(function, side, [float(abs(point)) for point in points])
            half_line.account(best)
            parts.append(half_line)
            ends.append((side * flint.arb(2) ** half_line.exponent, None))
    ends.sort(key=lambda end: float(end[0]))
    for (low, exact_low), (high, exact_high) in itertools.pairwise(ends):
        parts.append(_Box(function, low, high, exact_low, exact_high))
    return parts


def supremum(expression: sympy.Expr) -> Supremum:
    """Return the supremum over the line of |F|, for a sympy expression F in one variable, smooth piece by piece.

    Raises :class:`bounds.arithmetic.tree.UnsupportedFormulaError` for what has no ball form (floats, erf, Heaviside).
    """
    return _supremum(_pieces(_read(expression)))


def _supremum(pieces: list[_Piece]) -> Supremum:
    """Best first: the part of the line that may hold the largest value is cut until nothing is larger."""
    with precision_of(PRECISION):
        best = _Best()
        order = itertools.count()
        heap = [(-float(part.top), next(order), part) for piece in pieces for part in _cover(piece, best)]
        heapq.heapify(heap)
        infinite = flint.arb.pos_inf()
        if best.pole is not None:
            return Supremum(infinite, infinite, best.pole, sympy.oo)
        highest, cuts = None, 0
        while heap and highest is None:
            _, _, part = heapq.heappop(heap)
            if best.covers(part.top, part.exact) or part.is_settled():
                continue
            if isinstance(part, _HalfLine) and part.tail is not None and not part.tail.limit.is_finite:
                return Supremum(infinite, infinite, sympy.oo * part.side, sympy.oo)
            tight = part.top - best.ball <= BALLS.number(ACCURACY) * abs(best.ball)
            halves = [] if tight or cuts >= MOST_BOXES else part.divide(best)
            if not halves:
                highest = BALLS.select("Max", [part.top, *(other.top for _, _, other in heap)])
            for half in halves:
                heapq.heappush(heap, (-float(half.top), next(order), half))
            cuts += 1
        tops = [rival for rival in best.rivals if not rival <= best.ball] + ([highest] if highest is not None else [])
        if tops:
            return Supremum(best.ball.lower(), BALLS.select("Max", [best.ball, *tops]).upper(), best.place)
        return Supremum(best.ball.lower(), best.ball.upper(), best.place, best.exact)


# -------------------------------------------------------------- Definition 2.1


@functools.lru_cache(maxsize=64)
def _activation(expression: sympy.Expr) -> "_Activation":
    return _Activation(expression)


class _Activation:
    """The three suprema of an activation, and where its pieces fit together."""

    def __init__(self, expression: sympy.Expr) -> None:
        self.phi = _read(expression)
        pieces = _pieces(self.phi)
        self.zero = self._at_zero(pieces)
        self.joints = self._joints(pieces)
        slopes = [sympy.diff(piece.expr, _Z) for piece in pieces]
        gaps = [slope * _Z - piece.expr for piece, slope in zip(pieces, slopes, strict=True)]
        self.slope = self._of(pieces, slopes)
        self.bend = self._of(pieces, [sympy.diff(slope, _Z) for slope in slopes])
        self.gap = self._of(pieces, gaps)

    @staticmethod
    def _of(pieces: list[_Piece], exprs: list[sympy.Expr]) -> Supremum:
        return _supremum(
            [_Piece(_tidy(expr), piece.low, piece.high) for piece, expr in zip(pieces, exprs, strict=True)]
        )

    def _at_zero(self, pieces: list[_Piece]) -> Condition:
        name = "phi(0) = 0"
        value = self.phi.subs(_Z, 0)
        if not value.is_finite:
            (piece,) = [piece for piece in pieces if piece.low < 0 <= piece.high]
            value = _value(piece.expr, sympy.S.Zero, "-")
        sign = sign_of(value)
        return Condition(name, None if sign is None else sign == 0, f"phi(0) = {value}", sympy.S.Zero)

    def _joints(self, pieces: list[_Piece]) -> Condition:
        """Differentiability: values and slopes agree where two pieces meet."""
        open_joint = None
        for left, right in itertools.pairwise(pieces):
            at = left.high
            for order, word in ((0, "values"), (1, "slopes")):
                sides = [
                    _value(sympy.diff(piece.expr, _Z, order), at, side) for piece, side in ((left, "-"), (right, "+"))
                ]
                jumps = [sides[1] - sides[0]] + ([self.phi.subs(_Z, at) - sides[0]] if order == 0 else [])
                found = f"{word} {sides[0]} and {sides[1]} on the sides of {at}"
                signs = [sign_of(jump) if jump.is_finite else None for jump in jumps]
                if any(signs) or any(side.is_infinite for side in sides):
                    return Condition("phi is differentiable", False, found, at)
                if None in signs:
                    open_joint = Condition("phi is differentiable", None, found, at)
        return open_joint or Condition("phi is differentiable", True, f"{len(pieces)} smooth pieces that fit")

    def steepness(self) -> Condition:
        """|phi'| <= 1."""
        return _condition("|phi'(z)| <= 1", self.slope, sympy.S.One)


def _digits(ball: flint.arb) -> str:
    return str(ball.str(12, radius=False)) if ball.is_finite() else "oo"


def _tidy(expr: sympy.Expr) -> sympy.Expr:
    """Polynomials multiplied out, so that terms that cancel are gone; others as they are."""
    return sympy.expand(expr) if expr.is_polynomial(_Z) else expr


def _condition(name: str, found: Supremum, limit: sympy.Expr) -> Condition:
    with precision_of(PRECISION):
        size = str(found.exact) if found.exact is not None else _digits(found.high)
        return Condition(name, found.at_most(limit), f"the supremum is {size}", found.place)


def check_activation(expression: sympy.Expr, h: int | float | Fraction | sympy.Expr) -> ActivationReport:
    """Decide whether a sympy expression in one variable is h-smoothly approximately ReLU (Definition 2.1).

    `h` > 0 is a number (a float is taken exactly) or an exact sympy number. Raises ValueError for another h, and
    :class:`bounds.arithmetic.tree.UnsupportedFormulaError` for an expression that cannot be read or has no ball form.
    """
    given = h if isinstance(h, sympy.Expr) else sympy.Rational(Fraction(plain_number(h)))
    if given.free_symbols or sign_of(given) != 1:
        raise ValueError(f"h is {h}, not a positive number")
    activation = _activation(sympy.sympify(expression, strict=True))
    lipschitz = _condition("phi' is 1/h-Lipschitz", activation.bend, 1 / given)
    if activation.joints.holds is not True and lipschitz.holds is not False:
        lipschitz = Condition(lipschitz.name, activation.joints.holds, activation.joints.found, activation.joints.place)
    gap = _condition("|phi'(z) z - phi(z)| <= h/2", activation.gap, given / 2)
    return ActivationReport((activation.joints, activation.zero, activation.steepness(), lipschitz, gap))


def smallest_h(expression: sympy.Expr) -> SmallestH:
    """Return the range of the h for which the expression is h-smoothly approximately ReLU.

    The bound on |phi'(z) z - phi(z)| asks for a large h, the Lipschitz constant of phi' for a small one; see
    :func:`check_activation` for what is refused.
    """
    activation = _activation(sympy.sympify(expression, strict=True))
    with precision_of(PRECISION):
        gap, bend = activation.gap, activation.bend
        smallest = Enclosure(2 * gap.low, 2 * gap.high, None if gap.exact is None else 2 * gap.exact)
        largest = _inverse(bend)
        fits = _not_above(smallest, largest)
    answers = [
        activation.joints,
        activation.zero,
        activation.steepness(),
        Condition("one h is large enough and small enough", fits, f"the range is {smallest} to {largest}"),
    ]
    failed = [condition for condition in answers if condition.holds is False]
    undecided = [condition for condition in answers if condition.holds is None]
    infinite = flint.arb.pos_inf()
    if failed:
        return SmallestH(Enclosure(infinite, infinite, sympy.oo), largest, failed[0])
    if undecided:
        return SmallestH(Enclosure(smallest.low, infinite, None), largest, undecided[0])
    return SmallestH(smallest, largest, None)


def _inverse(found: Supremum) -> Enclosure:
    if found.exact is not None:
        exact = sympy.oo if found.exact == 0 else sympy.S.Zero if found.exact == sympy.oo else 1 / found.exact
        ball = flint.arb.pos_inf() if exact == sympy.oo else ball_of(exact)
        return Enclosure(ball.lower(), ball.upper(), exact)
    # an infinite upper end leaves 0, and a lower end of at most 0 no bound
    low = (1 / found.high).lower() if found.high.is_finite() else flint.arb(0)
    return Enclosure(low, (1 / found.low).upper() if found.low > 0 else flint.arb.pos_inf(), None)


def _not_above(small: Enclosure, large: Enclosure) -> bool | None:
    """Whether some h > 0 lies in between."""
    if large.exact == 0 or small.exact == sympy.oo:
        return False
    if large.exact == sympy.oo and small.high.is_finite():
        return True
    if small.exact is not None and large.exact is not None:
        sign = sign_of(large.exact - small.exact)
        return None if sign is None else sign >= 0
    if small.high <= large.low:
        return True
    return False if small.low > large.high else None
