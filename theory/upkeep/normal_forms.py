"""Exact normal forms of formulas: quotients of polynomials in atoms, with fractions as coefficients and exponents.

An atom is a symbol, a prime number, pi, the exponential of a product, a logarithm, a root of a sum, a sine or cosine,
or anything else that is left as it stands. Exponentials and logarithms of products and sums are taken apart, roots and
cosines have exponents below 1 and 2. A formula whose numerator has no terms is 0 wherever it is defined; the converse
need not hold. What is computed uses nothing of sympy but the tree of the formula.

Main definitions: `Form`, with its arithmetic; `normal_form` of a formula; `TooLargeError`.

Written by hand: it has to be independent of `sympy.simplify`, whose answers it checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy

Atom: TypeAlias = tuple[Any, ...]
Monomial: TypeAlias = tuple[tuple[Atom, Fraction], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]

_ZERO, _ONE = Fraction(0), Fraction(1)
_PI: Atom = ("pi",)
# Atoms whose powers may stand above or below a fraction.
_MOVABLE = ("symbol", "pi", "exp", "exp of", "log")

# Beyond so many terms, or such powers of sums, a formula is left alone.
MOST_TERMS = 4000
LARGEST_POWER = 64
# Prime factors are sought up to here; what is left of a number is then taken for one.
LARGEST_FACTOR = 10_000


class TooLargeError(ArithmeticError):
    """A formula that has no normal form of an affordable size, or no value."""


def _order(item: tuple[Any, Any]) -> str:
    return repr(item[0])


def _key(polynomial: Polynomial) -> Monomial:
    """A polynomial as something to be compared and hashed."""
    return tuple(sorted(polynomial.items(), key=_order))


def _is_positive(atom: Atom) -> bool:
    kind = atom[0]
    return (
        kind in ("pi", "prime", "exp", "exp of")
        or (kind == "symbol" and atom[2])
        or (kind == "log" and atom[1][0] == "prime")
    )


def _polynomial(terms: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
    total: Polynomial = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, _ZERO) + factor
    if len(total) > MOST_TERMS:
        raise TooLargeError(f"more than {MOST_TERMS} terms")
    return {monomial: factor for monomial, factor in total.items() if factor}


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    if len(one) * len(other) > 40 * MOST_TERMS:
        raise TooLargeError("a product of large sums")
    plain: list[tuple[Monomial, Fraction]] = []
    rest: Polynomial = {}
    for a, f in one.items():
        for b, g in other.items():
            monomial, factor, more = _joined(a, b)
            if more is None:
                plain.append((monomial, f * g * factor))
            else:
                rest = _plus(rest, _times({monomial: f * g * factor}, more))
    return _plus(_polynomial(plain), rest)


def _plus(one: Polynomial, other: Polynomial) -> Polynomial:
    return _polynomial([*one.items(), *other.items()]) if one and other else one or other


def _joined(one: Monomial, other: Monomial) -> tuple[Monomial, Fraction, Polynomial | None]:
    """The product of two monomials, its number, and a sum that it is to be multiplied with, if there is one."""
    exponents = dict(one)
    for atom, exponent in other:
        exponents[atom] = exponents.get(atom, _ZERO) + exponent
    number = _ONE
    more: Polynomial | None = None
    for atom, exponent in list(exponents.items()):
        if atom[0] == "prime" and not 0 <= exponent < 1:
            whole = math.floor(exponent)
            number *= Fraction(atom[1]) ** whole
            exponents[atom] = exponent - whole
        elif atom[0] == "root" and exponent >= 1:
            exponents[atom] = exponent - 1
            more = dict(atom[1]) if more is None else _times(more, dict(atom[1]))
        elif atom[0] == "cos" and exponent >= 2:
            exponents[atom] = exponent - 2
            squared: Polynomial = {(): _ONE, ((("sin", *atom[1:]), Fraction(2)),): -_ONE}
            more = squared if more is None else _times(more, squared)
    found = tuple(sorted(((a, e) for a, e in exponents.items() if e), key=_order))
    return found, number, more


@dataclass(frozen=True)
class Form:
    """The quotient of two polynomials in atoms."""

    above: Polynomial
    below: Polynomial

    @staticmethod
    def of(number: Fraction | int) -> Form:
        """A number."""
        return Form({(): Fraction(number)} if number else {}, {(): _ONE})

    @staticmethod
    def atom(atom: Atom, exponent: Fraction = _ONE) -> Form:
        """A power of one atom."""
        monomial, number, more = _joined((), ((atom, exponent),))
        return Form(_times({monomial: number}, more) if more else {monomial: number}, {(): _ONE})

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 wherever it is defined; not being so proves nothing."""
        return not self.above

    @property
    def number(self) -> Fraction | None:
        """Its value, if it is a rational number as it stands."""
        if not self.above:
            return _ZERO
        if set(self.above) == set(self.below) == {()}:
            return self.above[()] / self.below[()]
        return None

    def __add__(self, other: Form) -> Form:
        if self.below == other.below:
            return _reduced(_plus(self.above, other.above), self.below)
        above = _plus(_times(self.above, other.below), _times(other.above, self.below))
        return _reduced(above, _times(self.below, other.below))

    def __mul__(self, other: Form) -> Form:
        return _reduced(_times(self.above, other.above), _times(self.below, other.below))

    def __neg__(self) -> Form:
        return Form({monomial: -factor for monomial, factor in self.above.items()}, self.below)

    def __sub__(self, other: Form) -> Form:
        return self + -other

    def inverse(self) -> Form:
        """1 over it."""
        if not self.above:
            raise TooLargeError("a division by 0")
        return _reduced(self.below, self.above)

    def power(self, exponent: Fraction) -> Form:
        """A power with a fixed exponent."""
        if exponent < 0:
            return self.inverse().power(-exponent)
        if exponent.denominator == 1:
            if exponent > LARGEST_POWER and len(self.above) + len(self.below) > 2:
                raise TooLargeError(f"the power {exponent} of a sum")
            if len(self.above) == 1 and set(self.below) == {()} and exponent <= 10**6:
                ((monomial, factor),) = self.above.items()
                if all(atom[0] in _MOVABLE for atom, _ in monomial) and len(monomial) > 0:
                    scaled = tuple((atom, e * exponent) for atom, e in monomial)
                    return Form({scaled: (factor / self.below[()]) ** int(exponent)}, {(): _ONE})
            result, base, left = Form.of(1), self, int(exponent)
            if left > 10_000:
                raise TooLargeError(f"the power {exponent}")
            while left:
                result = result * base if left % 2 else result
                base, left = base * base if left > 1 else base, left // 2
            return result
        return _root(self.above, exponent) * _root(self.below, exponent).inverse()

    def terms(self) -> list[tuple[Monomial, Fraction]] | None:
        """Its terms, if it is no quotient."""
        return [(m, f / self.below[()]) for m, f in self.above.items()] if set(self.below) == {()} else None

    @property
    def key(self) -> Atom:
        """What equal forms have in common."""
        return (_key(self.above), _key(self.below))


def _reduced(above: Polynomial, below: Polynomial) -> Form:
    """A quotient, without a monomial below that can as well stand above."""
    if not above:
        return Form({}, {(): _ONE})
    if above == below:
        return Form.of(1)
    if len(below) == 1:
        ((monomial, factor),) = below.items()
        if all(atom[0] in (*_MOVABLE, "prime") for atom, _ in monomial):
            inverse: Monomial = tuple((atom, -exponent) for atom, exponent in monomial)
            return Form(_times(above, {inverse: 1 / factor}), {(): _ONE})
    leading = below[min(below, key=repr)]
    if leading != 1:
        above = {monomial: factor / leading for monomial, factor in above.items()}
        below = {monomial: factor / leading for monomial, factor in below.items()}
    return Form(above, below)


def _parted(polynomial: Polynomial) -> tuple[Fraction, Monomial, Polynomial]:
    """A positive number, a product of powers of positive atoms, and a sum, whose product it is."""
    leading = abs(polynomial[min(polynomial, key=repr)])
    shared: dict[Atom, Fraction] = {}
    for atom in {atom for monomial in polynomial for atom, _ in monomial}:
        if _is_positive(atom) and atom[0] != "prime":
            shared[atom] = min(dict(monomial).get(atom, _ZERO) for monomial in polynomial)
    common = tuple(sorted(((a, e) for a, e in shared.items() if e), key=_order))
    inverse = tuple((atom, -exponent) for atom, exponent in common)
    return leading, common, _times(polynomial, {inverse: 1 / leading})


def _root(polynomial: Polynomial, exponent: Fraction) -> Form:
    """A power of a sum that is positive, with a positive exponent that is no integer."""
    number, common, rest = _parted(polynomial)
    result = _number_power(number, exponent)
    for atom, power in common:
        result = result * Form.atom(atom, power * exponent)
    if rest == {(): _ONE}:
        return result
    if set(rest) == {()}:
        raise TooLargeError("a root of a negative number")
    whole = math.floor(exponent)
    if whole:
        result = result * Form(rest, {(): _ONE}).power(Fraction(whole))
    if exponent == whole:
        return result
    return result * Form.atom(("root", _key(rest)), exponent - whole)


def _factors(number: int) -> dict[int, int]:
    found: dict[int, int] = {}
    factor = 2
    while factor * factor <= number and factor <= LARGEST_FACTOR:
        while number % factor == 0:
            found[factor] = found.get(factor, 0) + 1
            number //= factor
        factor += 1
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found


def _primes(number: Fraction) -> dict[int, int]:
    above, below = _factors(number.numerator), _factors(number.denominator)
    return {prime: above.get(prime, 0) - below.get(prime, 0) for prime in {*above, *below}}


def _number_power(number: Fraction, exponent: Fraction) -> Form:
    result = Form.of(1)
    for prime, times in sorted(_primes(number).items()):
        result = result * Form.atom(("prime", prime), times * exponent)
    return result


def exponential(form: Form) -> Form:
    """exp of a form."""
    terms = form.terms()
    if terms is None:
        number = form.above[min(form.above, key=repr)]
        unit = Form({monomial: factor / number for monomial, factor in form.above.items()}, form.below)
        return Form.atom(("exp of", unit.key), number)
    result = Form.of(1)
    for monomial, factor in terms:
        if len(monomial) == 1 and monomial[0][0][0] == "log" and monomial[0][1] == 1:
            inner = monomial[0][0][1]
            base = Form(dict(inner[1]), {(): _ONE}) if inner[0] == "sum" else Form.atom(inner)
            result = result * base.power(factor)
        else:
            result = result * Form.atom(("exp", monomial), factor)
    return result


def logarithm(form: Form) -> Form:
    """log of a positive form."""
    return _log(form.above) - _log(form.below)


def _log(polynomial: Polynomial) -> Form:
    if not polynomial:
        raise TooLargeError("the logarithm of 0")
    number, common, rest = _parted(polynomial)
    result = Form.of(0)
    for prime, times in sorted(_primes(number).items()):
        result = result + Form.of(times) * Form.atom(("log", ("prime", prime)))
    for atom, exponent in common:
        inside = _inside(atom) if atom[0] in ("exp", "exp of") else Form.atom(("log", atom))
        result = result + Form.of(exponent) * inside
    if rest == {(): _ONE}:
        return result
    if len(rest) == 1 and next(iter(rest.values())) == 1:
        for atom, exponent in next(iter(rest)):
            if atom[0] == "prime":
                result = result + Form.of(exponent) * Form.atom(("log", atom))
            elif atom[0] == "root":
                result = result + Form.of(exponent) * Form.atom(("log", ("sum", atom[1])))
            else:
                return result + Form.atom(("log", ("sum", _key(rest))))
        return result
    return result + Form.atom(("log", ("sum", _key(rest))))


def _inside(atom: Atom) -> Form:
    """What an exponential is taken of."""
    if atom[0] == "exp":
        return Form({atom[1]: _ONE}, {(): _ONE})
    above, below = atom[1]
    return Form(dict(above), dict(below))


def circular(form: Form) -> tuple[Form, Form]:
    """Sine and cosine of a form."""
    terms = form.terms()
    if terms is None:
        return Form.atom(("sin", form.key)), Form.atom(("cos", form.key))
    sine, cosine = Form.of(0), Form.of(1)
    for monomial, factor in terms:
        one, other = _circular_of_term(monomial, factor)
        sine, cosine = sine * other + cosine * one, cosine * other - sine * one
    return sine, cosine


def _circular_of_term(monomial: Monomial, factor: Fraction) -> tuple[Form, Form]:
    if factor < 0:
        sine, cosine = _circular_of_term(monomial, -factor)
        return -sine, cosine
    if monomial == ((_PI, _ONE),):
        return _circular_of_pi(factor)
    unit = factor / factor.numerator
    inner = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else ()
    if unit == 1 and inner[:2] in (("call", "acos"), ("call", "asin")):
        value = Form(dict(inner[2][0]), dict(inner[2][1]))
        rest = (Form.of(1) - value * value).power(Fraction(1, 2))
        sine, cosine = (rest, value) if inner[1] == "acos" else (value, rest)
    else:
        key = (_key({monomial: unit}), _key({(): _ONE}))
        sine, cosine = Form.atom(("sin", key)), Form.atom(("cos", key))
    if factor.numerator > LARGEST_POWER:
        raise TooLargeError("a large multiple of an angle")
    one, other = sine, cosine
    for _ in range(factor.numerator - 1):
        one, other = one * cosine + other * sine, other * cosine - one * sine
    return one, other


# Four times the squares of sine and cosine at these multiples of pi.
_SQUARES = {
    _ZERO: (0, 4),
    Fraction(1, 6): (1, 3),
    Fraction(1, 4): (2, 2),
    Fraction(1, 3): (3, 1),
    Fraction(1, 2): (4, 0),
}


def _circular_of_pi(factor: Fraction) -> tuple[Form, Form]:
    """Sine and cosine of a multiple of pi."""
    factor %= 2
    if factor >= 1:
        sine, cosine = _circular_of_pi(factor - 1)
        return -sine, -cosine
    if factor > Fraction(1, 2):
        sine, cosine = _circular_of_pi(1 - factor)
        return sine, -cosine
    half = Fraction(1, 2)
    if factor in _SQUARES:
        one, other = (
            Form.of(number).power(half) * Form.of(half) if number else Form.of(0) for number in _SQUARES[factor]
        )
        return one, other
    key = (_key({((_PI, _ONE),): factor}), _key({(): _ONE}))
    return Form.atom(("sin", key)), Form.atom(("cos", key))


_TURNS: dict[str, dict[Fraction | int, Fraction]] = {
    "acos": {
        -1: Fraction(1),
        0: Fraction(1, 2),
        1: _ZERO,
        Fraction(1, 2): Fraction(1, 3),
        -Fraction(1, 2): Fraction(2, 3),
    },
    "asin": {-1: Fraction(-1, 2), 0: _ZERO, 1: Fraction(1, 2), Fraction(1, 2): Fraction(1, 6)},
    "atan": {0: _ZERO, 1: Fraction(1, 4), -1: Fraction(-1, 4)},
}


def called(name: str, form: Form) -> Form:
    """Any other function of one argument: its value where that is known, else an atom."""
    number = form.number
    if name in _TURNS and number is not None and number in _TURNS[name]:
        return Form.of(_TURNS[name][number]) * Form.atom(_PI)
    if name == "Abs":
        terms = form.terms()
        if number is not None:
            return Form.of(abs(number))
        if terms is not None and all(all(_is_positive(a) for a, _ in m) and f > 0 for m, f in terms):
            return form
    return Form.atom(("call", name, form.key))


def normal_form(expr: sympy.Expr, values: Callable[[sympy.Symbol], Form | None] = lambda _: None) -> Form:
    """The normal form of a formula, with `values` of symbols put in.

    Raises :class:`TooLargeError` where it is too large, or a part has no value.
    """
    if isinstance(expr, sympy.Symbol):
        given = values(expr)
        return Form.atom(("symbol", expr.name, bool(expr.is_positive))) if given is None else given
    if isinstance(expr, sympy.Rational):
        return Form.of(Fraction(expr.p, expr.q))
    if expr == sympy.pi:
        return Form.atom(_PI)
    if expr == sympy.E:
        return exponential(Form.of(1))
    parts = [normal_form(part, values) for part in expr.args]
    if isinstance(expr, sympy.Add):
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total
    if isinstance(expr, sympy.Mul):
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product
    if isinstance(expr, sympy.Pow):
        exponent = parts[1].number
        return exponential(parts[1] * logarithm(parts[0])) if exponent is None else parts[0].power(exponent)
    if isinstance(expr, sympy.exp):
        return exponential(parts[0])
    if isinstance(expr, sympy.log) and len(parts) == 1:
        return logarithm(parts[0])
    if isinstance(expr, sympy.sin | sympy.cos):
        return circular(parts[0])[0 if isinstance(expr, sympy.sin) else 1]
    if isinstance(expr, sympy.Function) and len(parts) == 1:
        return called(expr.func.__name__, parts[0])
    if not parts or not isinstance(expr, sympy.Function | sympy.Min | sympy.Max):
        raise TooLargeError(f"{expr.func.__name__} has no normal form")
    # The order of what the smallest or largest is chosen from does not matter.
    return Form.atom(("call", expr.func.__name__, *sorted((part.key for part in parts), key=repr)))
