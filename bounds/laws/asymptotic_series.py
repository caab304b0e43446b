"""A smooth function on a half-line z >= Z, up to infinity: leading terms exactly, and a bound on all the rest.

A :class:`TailSeries` is a finite sum of exact coefficients times monomials z**i * exp(j*z), and a remainder that
stays below a sum of such monomials with ball coefficients. Sums, products, powers, exp, log and atan of such
series are series again, by Taylor's theorem with its remainder; a series then tells limit, side of approach and a
bound for all z >= Z at once (:func:`tail_of`). :class:`TailError` says that Z is too small, or that the function
is none of this kind.

Written by hand: the series of sympy have a term O(...) and no bound on the rest; those of python-flint stand at a
finite point.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

import flint
import sympy

from bounds.arithmetic.balls import BALLS
from bounds.arithmetic.tree import compile_tree

__all__ = ["Tail", "TailError", "ball_of", "sign_of", "tail_of"]

# (j, i) stands for z**i * exp(j*z); tuples compare as the monomials grow.
Key = tuple[Fraction, Fraction]

# Taylor polynomials stop before this degree, and so many exact terms are kept.
ORDER = 4
MOST_TERMS = 10
_CONSTANT: Key = (Fraction(0), Fraction(0))
# Bits at which the sign of an exact number is looked for before its being zero is proved symbolically.
SIGN_BITS = (128, 512)


class TailError(ValueError):
    """The function has no such series on this half-line."""


def ball_of(number: sympy.Expr) -> flint.arb:
    """Return an enclosure of an exact number, at the present precision."""
    return compile_tree(number, BALLS)({})


def sign_of(number: sympy.Expr) -> int | None:
    """Return the sign of an exact number; None where neither balls nor symbolic algebra tell it."""
    if isinstance(number, sympy.Rational):
        return int(number.p > 0) - int(number.p < 0)
    for bits in SIGN_BITS:
        with flint.ctx.workprec(bits):
            ball = ball_of(number)
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
    return 0 if sympy.simplify(number) == 0 else None


def _fraction(number: sympy.Expr) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _times(a: Key, b: Key) -> Key:
    return a[0] + b[0], a[1] + b[1]


def _decreases(key: Key, start: flint.arb) -> bool:
    """Whether the monomial does not grow on z >= start."""
    rate, power = key
    if rate == 0:
        return power <= 0
    return rate < 0 and bool(BALLS.number(power) <= BALLS.number(-rate) * start)


def _at(key: Key, start: flint.arb) -> flint.arb:
    """The monomial at `start`."""
    rate, power = key
    root = BALLS.rational_power(start, sympy.Rational(power.numerator, power.denominator))
    return root * (BALLS.number(rate) * start).exp()


@dataclass(frozen=True)
class TailSeries:
    """Sum of `exact` coefficients times monomials, up to a remainder below the sum of `rest` times monomials."""

    exact: Mapping[Key, sympy.Expr]
    rest: Mapping[Key, flint.arb]

    def plus(self, other: "TailSeries") -> "TailSeries":
        """Sum."""
        exact, rest = dict(self.exact), dict(self.rest)
        for key, coefficient in other.exact.items():
            exact[key] = exact.get(key, sympy.S.Zero) + coefficient
        for key, bound in other.rest.items():
            rest[key] = rest.get(key, flint.arb(0)) + bound
        return _shortened(exact, rest)

    def times(self, other: "TailSeries") -> "TailSeries":
        """Product."""
        exact: dict[Key, sympy.Expr] = {}
        for a, left in self.exact.items():
            for b, right in other.exact.items():
                exact[_times(a, b)] = exact.get(_times(a, b), sympy.S.Zero) + left * right
        rest = _product(self.rest, other.sizes())
        for key, bound in _product({key: abs(ball_of(c)) for key, c in self.exact.items()}, other.rest).items():
            rest[key] = rest.get(key, flint.arb(0)) + bound
        return _shortened(exact, rest)

    def scaled(self, factor: sympy.Expr, key: Key = _CONSTANT) -> "TailSeries":
        """Product with one term."""
        return self.times(TailSeries({key: factor}, {}))

    def sizes(self) -> dict[Key, flint.arb]:
        """A bound on the absolute value, term by term."""
        sizes = {key: abs(ball_of(coefficient)) for key, coefficient in self.exact.items()}
        for key, bound in self.rest.items():
            sizes[key] = sizes.get(key, flint.arb(0)) + bound
        return sizes

    def leading(self) -> Key:
        """The monomial that outgrows all others; :class:`TailError` where the remainder may do so."""
        if not self.exact or any(key >= max(self.exact) for key in self.rest):
            raise TailError("the leading term is lost in the remainder")
        return max(self.exact)


def _product(a: Mapping[Key, flint.arb], b: Mapping[Key, flint.arb]) -> dict[Key, flint.arb]:
    product: dict[Key, flint.arb] = {}
    for x, left in a.items():
        for y, right in b.items():
            product[_times(x, y)] = product.get(_times(x, y), flint.arb(0)) + left * right
    return product


def _shortened(exact: Mapping[Key, sympy.Expr], rest: dict[Key, flint.arb]) -> TailSeries:
    """Drop the zeros, and move the smallest terms into the remainder."""
    kept: dict[Key, sympy.Expr] = {}
    for key in sorted(exact, reverse=True):
        sign = sign_of(exact[key])
        if sign is None:
            raise TailError(f"whether {exact[key]} is zero is not known")
        if sign == 0:
            continue
        if len(kept) < MOST_TERMS:
            kept[key] = exact[key]
        else:
            rest[key] = rest.get(key, flint.arb(0)) + abs(ball_of(exact[key]))
    return TailSeries(kept, rest)


def _total(sizes: Mapping[Key, flint.arb], start: flint.arb) -> flint.arb:
    """A bound on the sum for all z >= start; every monomial has to vanish at infinity."""
    total = flint.arb(0)
    for key, bound in sizes.items():
        if key >= _CONSTANT or not _decreases(key, start):
            raise TailError("a term does not fall off from here on")
        total += bound * _at(key, start)
    return total.upper()


def _merged(series: TailSeries, start: flint.arb) -> TailSeries:
    """The same with the smaller terms of the remainder counted with its largest one."""
    if len(series.rest) < 2:
        return series
    top = max(series.rest)
    rest = {top: series.rest[top]}
    for key, bound in series.rest.items():
        ratio = (key[0] - top[0], key[1] - top[1])
        if key != top and _decreases(ratio, start):
            rest[top] += bound * _at(ratio, start)
        elif key != top:
            rest[key] = bound
    return TailSeries(series.exact, rest)


def _taylor(small: TailSeries, coefficients: list[sympy.Expr], remainder: flint.arb, start: flint.arb) -> TailSeries:
    """Sum of coefficients[k] * small**k, with |remainder| * |small|**len(coefficients) left over."""
    total, power = TailSeries({_CONSTANT: coefficients[0]}, {}), TailSeries({_CONSTANT: sympy.S.One}, {})
    size: dict[Key, flint.arb] = {_CONSTANT: flint.arb(1)}
    sizes = small.sizes()
    for coefficient in coefficients[1:]:
        power = power.times(small)
        total = total.plus(power.scaled(coefficient))
        size = _product(size, sizes)
    size = _product(size, sizes)
    left = TailSeries({}, {key: bound * remainder for key, bound in size.items()})
    return _merged(total.plus(left), start)


def _relative(series: TailSeries, start: flint.arb) -> tuple[Key, sympy.Expr, TailSeries, flint.arb]:
    """Leading monomial and coefficient, the rest in proportion to them, and a bound of that below 1/2."""
    lead = series.leading()
    coefficient = series.exact[lead]
    others = TailSeries({key: c for key, c in series.exact.items() if key != lead}, series.rest)
    small = others.scaled(1 / coefficient, (-lead[0], -lead[1]))
    size = _total(small.sizes(), start)
    if not size < flint.arb(1) / 2:
        raise TailError("the leading term does not dominate from here on")
    return lead, coefficient, small, size


def _power(series: TailSeries, exponent: sympy.Rational, start: flint.arb) -> TailSeries:
    if exponent.is_Integer and exponent > 0:
        power = series
        for _ in range(int(exponent) - 1):
            power = power.times(series)
        return power
    lead, coefficient, small, size = _relative(series, start)
    if not exponent.is_Integer and sign_of(coefficient) != 1:
        raise TailError("a root of something negative")
    coefficients = [sympy.binomial(exponent, k) for k in range(ORDER)]
    # Lagrange's remainder: binomial(r, K) (1 + xi)^(r - K) with |xi| <= size, largest at one of the two ends.
    highest = exponent - ORDER
    ends = [BALLS.rational_power(1 - size, highest), BALLS.rational_power(1 + size, highest)]
    bound = abs(BALLS.literal(sympy.binomial(exponent, ORDER))) * ends[0].max(ends[1])
    r = _fraction(exponent)
    return _taylor(small, coefficients, bound, start).scaled(coefficient**exponent, (lead[0] * r, lead[1] * r))


def _exp(series: TailSeries, start: flint.arb) -> TailSeries:
    growing = {key: c for key, c in series.exact.items() if key > _CONSTANT}
    linear: Key = (Fraction(0), Fraction(1))
    rate = growing.pop(linear, sympy.S.Zero)
    if growing or not isinstance(rate, sympy.Rational):
        raise TailError("the exponential of something that is not linear, or has an irrational rate")
    constant = series.exact.get(_CONSTANT, sympy.S.Zero)
    small = TailSeries({key: c for key, c in series.exact.items() if key < _CONSTANT}, series.rest)
    size = _total(small.sizes(), start)
    coefficients = [sympy.Rational(1, factorial(k)) for k in range(ORDER)]
    total = _taylor(small, coefficients, size.exp() / factorial(ORDER), start)
    return total.scaled(sympy.exp(constant), (_fraction(rate), Fraction(0)))


def _log(series: TailSeries, start: flint.arb) -> TailSeries:
    lead, coefficient, small, size = _relative(series, start)
    if lead[1] != 0 or sign_of(coefficient) != 1:
        raise TailError("the logarithm of something negative, or of a power")
    coefficients = [sympy.S.Zero, *(sympy.Rational((-1) ** (k + 1), k) for k in range(1, ORDER))]
    total = _taylor(small, coefficients, (1 - size) ** -ORDER / ORDER, start)
    rate = sympy.Rational(lead[0].numerator, lead[0].denominator)
    whole = {_CONSTANT: sympy.log(coefficient), (Fraction(0), Fraction(1)): rate}
    return total.plus(_shortened(whole, {}))


def _atan(series: TailSeries, start: flint.arb) -> TailSeries:
    lead = series.leading()
    if lead > _CONSTANT:
        side = sign_of(series.exact[lead])
        inverse = _atan(_power(series, sympy.S.NegativeOne, start), start)
        return inverse.scaled(sympy.S.NegativeOne).plus(TailSeries({_CONSTANT: side * sympy.pi / 2}, {}))
    if lead == _CONSTANT:
        raise TailError("the arc tangent of something with a finite limit")
    _total(series.sizes(), start)
    # |atan(x) - x + x**3/3| <= |x|**5 / 5 for all x
    square = series.times(series)
    sizes = _product(series.sizes(), _product(square.sizes(), square.sizes()))
    left = TailSeries({}, {key: bound / 5 for key, bound in sizes.items()})
    return _merged(series.plus(square.times(series).scaled(sympy.Rational(-1, 3))).plus(left), start)


def _series(expr: sympy.Expr, start: flint.arb) -> TailSeries:
    if not expr.free_symbols:
        return _shortened({_CONSTANT: expr}, {})
    if isinstance(expr, sympy.Symbol):
        return TailSeries({(Fraction(0), Fraction(1)): sympy.S.One}, {})
    if isinstance(expr, (sympy.Add, sympy.Mul)):
        total = _series(expr.args[0], start)
        for part in expr.args[1:]:
            other = _series(part, start)
            total = _merged(total.plus(other) if isinstance(expr, sympy.Add) else total.times(other), start)
        return total
    if isinstance(expr, sympy.Pow) and isinstance(expr.exp, sympy.Rational):
        return _power(_series(expr.base, start), expr.exp, start)
    for function, rule in ((sympy.exp, _exp), (sympy.log, _log), (sympy.atan, _atan)):
        if isinstance(expr, function):
            return rule(_series(expr.args[0], start), start)
    raise TailError(f"no series is known for {expr}")


@dataclass(frozen=True)
class Tail:
    """Where a function is on z >= Z.

    `limit` is its limit, infinite too; `distance` a bound on how far it is from there, and `side` the side on which
    it stays all the time: 1 above, -1 below, 0 on the limit, None where it may be on both.
    """

    limit: sympy.Expr
    distance: flint.arb
    side: int | None


def tail_of(expr: sympy.Expr, start: flint.arb) -> Tail:
    """Return what holds for all z >= `start` > 0, at the present precision.

    Raises :class:`TailError`.
    """
    series = _series(expr, start)
    if not series.exact and not series.rest:
        return Tail(sympy.S.Zero, flint.arb(0), 0)
    if series.exact and max(series.exact) > _CONSTANT:
        lead = series.leading()
        return Tail(sympy.oo * (sign_of(series.exact[lead]) or 1), flint.arb.pos_inf(), None)
    limit = series.exact.get(_CONSTANT, sympy.S.Zero)
    others = TailSeries({key: c for key, c in series.exact.items() if key != _CONSTANT}, series.rest)
    if not others.exact and not others.rest:
        return Tail(limit, flint.arb(0), 0)
    try:
        lead, coefficient, _, _ = _relative(others, start)
        side = sign_of(coefficient)
    except TailError:
        side = None
    return Tail(limit, _total(others.sizes(), start), side)
