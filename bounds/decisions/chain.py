"""Parameter chains: whether conditions on the sizes imply another one, decided in the exponents.

A width such as n^(44-4p) eps^(2-4p) / phi^24 and what it is to imply are products of powers. In the logarithms
they are linear forms, with exponents that are affine in the exponent p of the loss, and "up to constants and
logarithms" the conditions say: wherever all premise forms are non-negative, so is the form of the target.
:func:`decide` settles that for all sizes and for all p of a range, and returns a :class:`ChainResult`;
:func:`smallest_exponents` finds how small the powers of a sufficient size may be.

What is set aside (`bounds.decisions.powers`) is named in the result. Where the exponents tie it decides, and the
result says so. Sizes of at least 1 and sizes below a constant are premises by their domain in `bounds.symbols`.

Why linear programs decide it. For fixed p the premises make a cone, and a linear form is non-negative on a
cone exactly where it is a non-negative combination of the premises (Farkas), which one linear program
finds. For fixed sizes a form is affine in p, hence non-negative on a range of p as soon as it is at both
ends, and if it is negative at an end that the range leaves out, then also near that end. So with premises
free of p two programs decide. Premises that depend on p get one factor for the whole range, and a larger
side that is a sum gets one weighting of its terms; then the combination is still a proof, but not finding one
is no refutation. A refutation is always a witness, a direction in which the sizes grow as powers of t, in
whole numbers, as a cone allows. What the solver answers is verified in exact fractions: proofs, witnesses, least
exponents and what has no solution (`bounds.decisions.simplex`).

Written by hand: the linear programs are solved in `bounds.decisions.simplex`, which says why; the rest is this reading
of a chain.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import sympy
from sympy.logic.boolalg import BooleanAtom

from bounds.decisions.powers import (
    DEPTH,
    NO_POWER,
    ChainError,
    Exponent,
    Powers,
    Terms,
    exponents_of,
    power_of,
    product_of,
    read_terms,
)
from bounds.decisions.questions import Decision, Implied
from bounds.decisions.simplex import InfeasibleError, UnboundedError, minimise
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, symbol

__all__ = [
    "ABOVE_HALF",
    "AT_HALF",
    "BELOW_HALF",
    "EVERY_P",
    "ChainResult",
    "Range",
    "Relation",
    "Witness",
    "decide",
    "smallest_exponents",
]

Relation: TypeAlias = Premise | sympy.Ge | sympy.Le | sympy.Gt | sympy.Lt | BooleanAtom

_ZERO, _ONE = Fraction(0), Fraction(1)
# Shares of a range at which a witness is sought when the ends give none, and how often an end that the range
# leaves out is approached by halves.
_INSIDE = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
_HALVINGS = 40


@dataclass(frozen=True)
class Range:
    """Exponents p of the loss from `low` to `high`, an end left out where it is called open."""

    low: Fraction
    high: Fraction
    open_low: bool = False
    open_high: bool = False

    def __post_init__(self) -> None:
        if self.low > self.high or (self.low == self.high and (self.open_low or self.open_high)):
            raise ChainError(f"the range of p from {self.low} to {self.high} is empty")

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """The ends, once if they are the same."""
        return (self.low,) if self.low == self.high else (self.low, self.high)

    def __contains__(self, p: Fraction) -> bool:
        above = self.low < p or (self.low == p and not self.open_low)
        return above and (p < self.high or (p == self.high and not self.open_high))

    def __str__(self) -> str:
        if self.low == self.high:
            return f"p = {self.low}"
        return f"{self.low} {'<' if self.open_low else '<='} p {'<' if self.open_high else '<='} {self.high}"


EVERY_P = Range(_ZERO, _ONE)
BELOW_HALF = Range(_ZERO, Fraction(1, 2), open_high=True)
AT_HALF = Range(Fraction(1, 2), Fraction(1, 2))
ABOVE_HALF = Range(Fraction(1, 2), _ONE, open_low=True)


@dataclass(frozen=True)
class Witness:
    """Sizes that grow as powers of t, at `p`, for which the larger side is short by t to the `gap`."""

    p: Fraction
    powers: Mapping[str, Fraction]
    gap: Fraction

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} = {_power('t', value)}" for name, value in self.powers.items())
        return f"along {sizes}: short by {_power('t', self.gap)}"


@dataclass(frozen=True)
class ChainResult:
    """How a chain was decided, for all exponents `p` of a range; `depends` says whether p matters at all.

    `holds` is None where neither a proof nor a witness was found. `under` names a further condition without
    which it fails, as the `witness` shows. `ties` are the sizes that can grow with both sides of the target
    equal, for all p or at one: there what was set aside, `dropped`, decides. `factors` gives, for each term
    of the target, the premises that add up to it, with their factors at the ends of the range of p.
    """

    what: str
    holds: bool | None
    p: Range
    depends: bool = True
    witness: Witness | None = None
    under: str = ""
    ties: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    factors: tuple[Mapping[str, tuple[Fraction, ...]], ...] = field(default=(), repr=False)
    asked: tuple[tuple[Implied, bool | None], ...] = field(default=(), repr=False, compare=False)

    @property
    def decision(self) -> Decision:
        """The same as a step of a proof takes it: with the questions, without proof and witness."""
        return Decision(self.holds, asked=self.asked)

    def __str__(self) -> str:
        among = f" for {self.p}" if self.depends else ""
        at = f" at p = {self.witness.p}" if self.depends and self.witness is not None else ""
        if self.holds is None:
            return f"{self.what}: open{among}"
        if not self.holds:
            return f"{self.what}: fails{at}{f' {self.witness}' if self.witness is not None else ''}"
        said = f"{self.what}: holds{among}"
        if self.under:
            said += f" under {self.under}, and without it fails{at} {self.witness}"
        if self.ties:
            said += f"; ties in {', '.join(self.ties)}"
        return said + (f"; set aside: {', '.join(self.dropped)}" if self.dropped else "")


def _power(base: str, value: Fraction) -> str:
    if value == 1:
        return base
    return f"{base}**{value}" if value.denominator == 1 and value > 0 else f"{base}**({value})"


# --------------------------------------------------------------------- relations


@dataclass(frozen=True)
class _Goal:
    """Products of powers of which one has to be at least another."""

    larger: tuple[Powers, ...]
    smaller: Powers

    @property
    def forms(self) -> list[Powers]:
        """The logarithm of larger/smaller, one form for each product."""
        opposite = power_of(self.smaller, Exponent(-_ONE))
        return [product_of(product, opposite) for product in self.larger]


@lru_cache(maxsize=4096)
def _side(side: sympy.Expr, define: tuple[tuple[str, sympy.Expr], ...]) -> tuple[Terms, frozenset[str]]:
    """The terms of a side with definitions inserted, and what they leave out."""
    for name, value in define:
        side = side.subs(symbol(name), value)
    return read_terms(side)


def _goals(relation: Relation, define: Mapping[str, sympy.Expr], dropped: set[str]) -> list[_Goal]:
    """What a relation asks for, with definitions inserted in their order."""
    relation = relation.relation if isinstance(relation, Premise) else relation
    (larger, some), (smaller, others) = (_side(side, tuple(define.items())) for side in (relation.gts, relation.lts))
    dropped |= some | others
    if smaller.choice < 0:
        raise ChainError(f"the smaller side of {relation} is a minimum: state a relation for one of its parts")
    if larger.choice > 0:
        return [_Goal(larger.products, product) for product in smaller.products]
    return [_Goal((one,), other) for other in smaller.products for one in larger.products]


def _premises(
    given: Sequence[Relation], define: Mapping[str, sympy.Expr], names: Iterable[str], dropped: set[str]
) -> dict[str, Powers]:
    """The form of each premise under its text, the domains of all sizes that occur included."""
    forms: dict[str, Powers] = {}
    for relation in given:
        text = _text(relation)
        for place, goal in enumerate(_goals(relation, define, dropped)):
            if len(goal.larger) > 1:
                raise ChainError(f"the larger side of the premise {text} is a sum: state a premise for each case")
            forms[f"{text} ({place + 1})" if place else text] = goal.forms[0]
    occurring = dict.fromkeys([*names, *itertools.chain.from_iterable(forms.values())])
    for name in occurring:
        if name == DEPTH or SYMBOLS[name].domain.low >= 1.0:
            forms[f"{name} >= 1"] = {name: Exponent(_ONE)}
        elif math.isfinite(SYMBOLS[name].domain.high):
            forms[f"{name} <= 1"] = {name: Exponent(-_ONE)}
    return forms


def _text(relation: Relation) -> str:
    relation = relation.relation if isinstance(relation, Premise) else relation
    if isinstance(relation, BooleanAtom):
        return str(relation)
    return f"{relation.lhs} {relation.rel_op} {relation.rhs}"


def _value(form: Powers, direction: Mapping[str, Fraction], p: Fraction) -> Fraction:
    return sum((exponent.at(p) * direction.get(name, _ZERO) for name, exponent in form.items()), _ZERO)


def _row(form: Powers, names: Sequence[str], p: Fraction, sign: int = 1) -> list[Fraction]:
    """Coefficients of a form in the positive and then the negative parts of the logarithms."""
    row = [sign * form.get(name, NO_POWER).at(p) for name in names]
    return [*row, *(-value for value in row)]


# ---------------------------------------------------------------------- decisions


def decide(
    target: Relation,
    *,
    given: Sequence[Relation] = (),
    define: Mapping[str, sympy.Expr] | None = None,
    p: Range = EVERY_P,
    under: Sequence[Relation] = (),
    what: str = "",
) -> ChainResult:
    """Decide whether the premises imply the target, up to constants and logarithms.

    Parameters
    ----------
    target
        An inequality between products of powers. On its smaller side sums and maxima are treated term by
        term, on its larger side minima are; a sum on the larger side is at least each mean of its terms.
    given
        Premises, beyond the domains of the sizes.
    define
        Formulas for names of the relations, inserted in this order.
    p
        Exponents of the loss.
    under
        Conditions to add, one after the other and then all, if the chain fails without.
    what
        Words for the target in the result.

    What the domains of the symbols decide, which sympy writes as true or false, is decided by them: as a target, and as
    a premise, which is left out where it is true.

    Raises
    ------
    ChainError
        A relation has no form in the exponents, or a premise is false.
    """
    what = what or _text(target)
    if isinstance(target, BooleanAtom):
        said = f"{what} is {'always' if target else 'never'} so, by the domains of the symbols"
        return ChainResult(said, bool(target), p, depends=False)
    given = [relation for relation in given if relation != sympy.true]
    if sympy.false in given:
        raise ChainError("a premise is never true, by the domains of its symbols")
    plain = _asked(target, tuple(given), define or {}, p, what)
    if plain.holds is not False:
        return plain
    for added in [*((condition,) for condition in under), *([tuple(under)] if len(under) > 1 else [])]:
        found = _asked(target, (*given, *added), define or {}, p, what)
        if found.holds:
            asked = (*plain.asked, *found.asked)
            return replace(found, under=" and ".join(map(_text, added)), witness=plain.witness, asked=asked)
    return plain


def _asked(
    target: Relation, given: tuple[Relation, ...], define: Mapping[str, sympy.Expr], p: Range, what: str
) -> ChainResult:
    """The decision, with what was asked."""
    found = _decide(target, given, define, p, what)
    question = Implied(target, given, define, (p.low, p.high), (p.open_low, p.open_high))
    return replace(found, asked=((question, found.holds),))


def _decide(
    target: Relation, given: tuple[Relation, ...], define: Mapping[str, sympy.Expr], p: Range, what: str
) -> ChainResult:
    dropped: set[str] = set()
    goals = _goals(target, define, dropped)
    names = dict.fromkeys(
        itertools.chain.from_iterable((*goal.smaller, *itertools.chain(*goal.larger)) for goal in goals)
    )
    premises = _premises(given, define, names, dropped)
    forms = [*premises.values(), *itertools.chain.from_iterable(goal.forms for goal in goals)]
    depends = any(exponent.slope for form in forms for exponent in form.values())
    among = p if depends else Range(p.low, p.low)
    factors: list[Mapping[str, tuple[Fraction, ...]]] = []
    ties: set[str] = set()
    witnesses: list[Witness] = []
    holds: bool | None = True
    for goal in goals:
        found = _combination(goal.forms, premises, among)
        if found is None:
            witness = _witness(goal.forms, premises, among)
            witnesses += [witness] if witness is not None else []
            holds = None
        else:
            factors.append(found)
            ties |= set(_ties(goal, premises, among))
    if witnesses:
        simplest = min(witnesses, key=lambda found: sum(map(abs, found.powers.values())))
        return ChainResult(what, False, p, depends, simplest, dropped=tuple(sorted(dropped)))
    kept = tuple(sorted(tie for tie in ties if " " not in tie or tie.split()[0] not in ties))
    return ChainResult(what, holds, p, depends, None, "", kept, tuple(sorted(dropped)), tuple(factors))


def _ties(goal: _Goal, premises: Mapping[str, Powers], p: Range) -> list[str]:
    """The sizes that can grow with both sides equal, where one product of powers is to be larger than another.

    The directions of a tie make a cone, so that one of them moves all these sizes: the one that moves most.
    """
    if len(goal.larger) > 1:
        return []
    middle = (p.low + p.high) / 2
    always = _tied(goal.forms[0], premises, middle)
    at_ends = [
        f"{name} at p = {end}"
        for end in p.ends
        if end in p and end != middle
        for name in _tied(goal.forms[0], premises, end)
        if name not in always
    ]
    return always + at_ends


def _tied(form: Powers, premises: Mapping[str, Powers], p: Fraction) -> list[str]:
    alone = [premise for premise in premises.values() if len(premise) == 1]
    occurring = dict.fromkeys(itertools.chain(form, *(premise for premise in premises.values() if len(premise) > 1)))
    signs = {name: 1 if exponent.at(p) > 0 else -1 for premise in alone for name, exponent in premise.items()}
    moving = [name for name in occurring if name in signs]
    names = list(occurring)
    # Beyond the logarithms, for each size a share of at most 1 and at most the logarithm.
    blank = [_ZERO] * len(moving)
    rows = [([*_row(premise, names, p), *blank], _ZERO) for premise in premises.values() if {*premise} <= {*names}]
    for place, name in enumerate(moving):
        share = [-_ONE if other == place else _ZERO for other in range(len(moving))]
        rows.append(([*_row({name: Exponent(_ONE)}, names, p, signs[name]), *share], _ZERO))
        rows.append(([_ZERO] * (2 * len(names)) + share, -_ONE))
    cost = [_ZERO] * (2 * len(names)) + [-_ONE] * len(moving)
    found = minimise(cost, equal=[([*_row(form, names, p), *blank], _ZERO)], at_least=rows).point
    return [name for name, share in zip(moving, found[2 * len(names) :], strict=True) if share]


def _combination(
    forms: Sequence[Powers], premises: Mapping[str, Powers], p: Range
) -> Mapping[str, tuple[Fraction, ...]] | None:
    """Factors with which the premises add up to a mean of the forms, at both ends of p; None if there are none."""
    # One weight for each form, then one factor for a premise that depends on p, else one for each end.
    columns: list[tuple[str, int | None]] = [(text, None) for text in map(str, range(len(forms)))]
    for text, premise in premises.items():
        depends = any(exponent.slope for exponent in premise.values())
        columns += [(text, None)] if depends else [(text, end) for end in range(len(p.ends))]
    names = dict.fromkeys(itertools.chain(*forms, *premises.values()))
    rows: list[tuple[list[Fraction], Fraction]] = []
    for end, value in enumerate(p.ends):
        for name in names:
            row = [form.get(name, NO_POWER).at(value) for form in forms]
            row += [
                -premises[text].get(name, NO_POWER).at(value) if only in (None, end) else _ZERO
                for text, only in columns[len(forms) :]
            ]
            rows.append((row, _ZERO))
    rows.append(([_ONE] * len(forms) + [_ZERO] * (len(columns) - len(forms)), _ONE))
    try:
        found = minimise([_ZERO] * len(columns), equal=rows).point
    except InfeasibleError:
        return None
    factors: dict[str, tuple[Fraction, ...]] = {}
    for (text, _), factor in list(zip(columns, found, strict=True))[len(forms) :]:
        factors[text] = (*factors.get(text, ()), factor)
    return {text: values for text, values in factors.items() if any(values)}


def _witness(forms: Sequence[Powers], premises: Mapping[str, Powers], p: Range) -> Witness | None:
    """A direction of the cone in which every form falls, at a p of the range."""
    inside = [p.low + share * (p.high - p.low) for share in _INSIDE] if len(p.ends) > 1 else []
    for value in (*p.ends, *inside):
        direction = _falling(forms, premises, value)
        if direction is None:
            continue
        at = _moved_inside(forms, premises, direction, value, p)
        if at is not None:
            gap = -max(_value(form, direction, at) for form in forms)
            return Witness(at, direction, gap)
    return None


def _falling(forms: Sequence[Powers], premises: Mapping[str, Powers], p: Fraction) -> dict[str, Fraction] | None:
    """The direction with the least sum of powers among those in which every form falls, in whole numbers."""
    names = list(dict.fromkeys(itertools.chain(*forms, *premises.values())))
    rows = [(_row(premise, names, p), _ZERO) for premise in premises.values()]
    rows += [(_row(form, names, p, -1), _ONE) for form in forms]
    try:
        found = minimise([_ONE] * (2 * len(names)), at_least=rows).point
    except InfeasibleError:
        return None
    values = [found[place] - found[place + len(names)] for place in range(len(names))]
    scale = Fraction(math.lcm(*(value.denominator for value in values)))
    scale /= math.gcd(*(int(value * scale) for value in values))
    return {name: value * scale for name, value in zip(names, values, strict=True) if value}


def _moved_inside(
    forms: Sequence[Powers],
    premises: Mapping[str, Powers],
    direction: Mapping[str, Fraction],
    p: Fraction,
    among: Range,
) -> Fraction | None:
    """The value p, or one near it if the range leaves it out, at which the direction is a witness."""
    other = among.high if p == among.low else among.low
    for value in (p, *(p + (other - p) / Fraction(2**halving) for halving in range(1, _HALVINGS))):
        admitted = value in among and all(_value(premise, direction, value) >= 0 for premise in premises.values())
        if admitted and all(_value(form, direction, value) < 0 for form in forms):
            return value
    return None


# --------------------------------------------------------------- smallest exponents


def smallest_exponents(
    target: Relation,
    size: str,
    form: sympy.Expr,
    *,
    given: Sequence[Relation] = (),
    define: Mapping[str, sympy.Expr] | None = None,
    p: Range = EVERY_P,
) -> dict[str, Exponent]:
    """For each size in `form`, the exponent nearest to 0 with which `size` >= `form` still implies the target.

    The other exponents stay as they are. The exponents are found by one linear program at each end of p: the
    largest `size` that violates the target where the size in question is t or 1/t.

    Raises :class:`ChainError` where no exponent is enough, where one is not affine in p, and for relations
    without a form in the exponents.
    """
    dropped: set[str] = set()
    goals = _goals(target, define or {}, dropped)
    stated = exponents_of(form)
    names = dict.fromkeys([size, *stated])
    for goal in goals:
        names |= dict.fromkeys([*goal.smaller, *itertools.chain(*goal.larger)])
    premises = _premises(given, define or {}, names, dropped)

    def at(name: str, value: Fraction) -> Fraction:
        found = [_largest(goal, premises, size, stated, name, value) for goal in goals]
        return max((exponent for exponent in found if exponent is not None), default=_ZERO)

    result: dict[str, Exponent] = {}
    for name in stated:
        low, high = at(name, p.low), at(name, p.high)
        slope = (high - low) / (p.high - p.low) if p.high > p.low else _ZERO
        line = Exponent(low - slope * p.low, slope)
        middle = (p.low + p.high) / 2
        if at(name, middle) != line.at(middle):
            raise ChainError(f"the smallest exponent of {name} is not affine in p on {p}: split the range")
        result[name] = line if _grows(premises, name, p.low) else -line
    return result


def _grows(premises: Mapping[str, Powers], name: str, p: Fraction) -> bool:
    """Whether the premises let a size go to infinity, and not to 0."""
    possible = []
    names = list(dict.fromkeys([name, *itertools.chain(*premises.values())]))
    rows = [(_row(premise, names, p), _ZERO) for premise in premises.values()]
    for sign in (1, -1):
        try:
            minimise([_ZERO] * (2 * len(names)), at_least=[*rows, (_row({name: Exponent(_ONE)}, names, p, sign), _ONE)])
            possible.append(sign)
        except InfeasibleError:
            continue
    if len(possible) != 1:
        raise ChainError(f"no premise says whether {name} is at least or at most 1")
    return possible[0] == 1


def _largest(
    goal: _Goal, premises: Mapping[str, Powers], size: str, stated: Powers, name: str, p: Fraction
) -> Fraction | None:
    """The power of t by which `size` over the other factors can grow with the target violated, if it can be."""
    names = list(dict.fromkeys([size, *stated, *itertools.chain(*premises.values(), *goal.forms)]))
    sign = 1 if _grows(premises, name, p) else -1
    rows = [(_row(premise, names, p), _ZERO) for premise in premises.values()]
    rows += [(_row(form, names, p, -1), _ZERO) for form in goal.forms]
    others = {other: exponent for other, exponent in stated.items() if other != name}
    objective = product_of({size: Exponent(_ONE)}, power_of(others, Exponent(-_ONE)))
    unit = (_row({name: Exponent(_ONE)}, names, p, sign), _ONE)
    try:
        return -minimise(_row(objective, names, p, -1), equal=[unit], at_least=rows).value
    except InfeasibleError:
        return None
    except UnboundedError:
        raise ChainError(f"no power of {name} makes {size} large enough") from None
