"""Questions put to an SMT solver, z3: inequalities between polynomials, and implications between conditions on sizes.

Along sizes that grow as powers of one number t, up to constants and logarithms, a product of powers is a linear form
in their exponents, with the exponent p of the loss in its coefficients, a sum is its largest term and a root of it a
share of that. So a chain of conditions is a formula of real arithmetic in the exponents and p, of which the solver
finds out whether it can fail. It is made of the formulas here, by rules of its own.

Main definitions: `implied`, `never_negative`; `IS_THERE`, whether the solver is installed.

Nothing here has a solver of its own: z3 decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from bounds.decisions.powers import CONSTANTS
from bounds.decisions.questions import Implied
from bounds.premise import Premise
from bounds.symbols import SYMBOLS, symbol

try:
    import z3
except ModuleNotFoundError:
    z3 = None

IS_THERE = z3 is not None

#: Milliseconds for one question.
TIMEOUT = 20_000


class NotExpressibleError(ValueError):
    """A question that is none of real arithmetic."""


def _real(value: Fraction) -> Any:
    return z3.Q(value.numerator, value.denominator)


def _fraction(value: sympy.Expr) -> Fraction:
    return Fraction(int(value.p), int(value.q))


# ------------------------------------------------------------------------------------- conditions on sizes


class _Growth:
    """The exponent of t in a formula, where the sizes are powers of t."""

    def __init__(self) -> None:
        self.p = z3.Real("p")
        self.sizes: dict[str, Any] = {}
        # A largest or smallest term is a variable of its own, held to be one of the terms and none below or above it.
        self.held: list[Any] = []

    def size(self, name: str) -> Any:
        return self.sizes.setdefault(name, z3.Real(f"size of {name}"))

    def of(self, expr: sympy.Expr) -> Any:
        free = {part.name for part in expr.free_symbols}
        if isinstance(expr, sympy.log) or expr == symbol("L") or free <= CONSTANTS | {"p"}:
            return _real(Fraction(0))
        if isinstance(expr, sympy.Symbol):
            return self.size(expr.name)
        if isinstance(expr, sympy.Pow):
            return self._power(*expr.as_base_exp())
        if isinstance(expr, sympy.Mul):
            return z3.Sum([self.of(part) for part in expr.args])
        if isinstance(expr, sympy.Add | sympy.Max | sympy.Min):
            if isinstance(expr, sympy.Add) and any(part.could_extract_minus_sign() for part in expr.args):
                raise NotExpressibleError(f"{expr} is a difference")
            return self._extreme([self.of(part) for part in expr.args], isinstance(expr, sympy.Min))
        raise NotExpressibleError(f"{expr} has no growth")

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> Any:
        if not base.free_symbols:
            # A power of the depth, which is told in powers of 2^L.
            rate = sympy.log(base, 2) * exponent.coeff(symbol("L"))
            if not rate.is_Rational:
                raise NotExpressibleError(f"{base}**({exponent}) is no power of 2**L")
            return _real(_fraction(rate)) * self.size("2**L")
        return self._number(exponent) * self.of(base)

    def _number(self, exponent: sympy.Expr) -> Any:
        """An exponent, which may hold p."""
        if isinstance(exponent, sympy.Rational):
            return _real(_fraction(exponent))
        if exponent == symbol("p"):
            return self.p
        if isinstance(exponent, sympy.Add):
            return z3.Sum([self._number(part) for part in exponent.args])
        if isinstance(exponent, sympy.Mul):
            return z3.Product([self._number(part) for part in exponent.args])
        if isinstance(exponent, sympy.Pow) and exponent.exp == -1:
            return 1 / self._number(exponent.base)
        raise NotExpressibleError(f"the exponent {exponent}")

    def _extreme(self, terms: list[Any], smallest: bool) -> Any:
        found = z3.Real(f"term {len(self.held)}")
        self.held.append(z3.Or([found == term for term in terms]))
        self.held += [found <= term if smallest else found >= term for term in terms]
        return found

    def relation(self, relation: Any, define: Mapping[str, sympy.Expr]) -> Any:
        relation = relation.relation if isinstance(relation, Premise) else relation
        sides = []
        for side in (relation.gts, relation.lts):
            for name, value in define.items():
                side = side.subs(symbol(name), value)
            sides.append(self.of(side))
        return sides[0] >= sides[1]

    def domains(self) -> list[Any]:
        """What the sizes are known to be: at least 1, or bounded."""
        found = []
        for name, size in self.sizes.items():
            if name == "2**L" or SYMBOLS[name].domain.low >= 1.0:
                found.append(size >= 0)
            elif math.isfinite(SYMBOLS[name].domain.high):
                found.append(size <= 0)
        return found


def implied(question: Implied) -> bool | None:
    """Whether the conditions imply the target, up to constants and logarithms; None where the solver gives up.

    Raises :class:`NotExpressibleError`.
    """
    growth = _Growth()
    given = [growth.relation(relation, question.define) for relation in question.given]
    target = growth.relation(question.target, question.define)
    solver = _solver()
    low, high = (_real(end) for end in question.ends)
    solver.add(growth.p > low if question.open_ends[0] else growth.p >= low)
    solver.add(growth.p < high if question.open_ends[1] else growth.p <= high)
    solver.add(*given, *growth.held, *growth.domains(), z3.Not(target))
    return _never(solver)


def _solver() -> Any:
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT)
    return solver


def _never(solver: Any) -> bool | None:
    found = solver.check()
    return True if found == z3.unsat else False if found == z3.sat else None


# --------------------------------------------------------------------------------------------- polynomials


def never_negative(
    expr: sympy.Expr, domains: Mapping[sympy.Symbol, tuple[sympy.Expr, sympy.Expr, bool]], *, strict: bool
) -> bool | None:
    """Whether a formula of + - * / and roots of symbols is >= 0, or > 0, for all values of its symbols.

    `domains` has the ends of each symbol, and whether the lower one is left out. True is a proof. False need not be
    one where a symbol is an integer, for the solver takes real numbers, and is then None.

    Raises :class:`NotExpressibleError`.
    """
    solver = _solver()
    roots = _roots(expr)
    known: dict[sympy.Symbol, Any] = {}
    for free, (low, high, is_open) in domains.items():
        # A symbol under roots is a power of another one.
        root = z3.Real(f"root of {free.name}")
        known[free] = root
        power = roots.get(free, 1)
        if power > 1 and not (low.is_nonnegative):
            raise NotExpressibleError(f"a root of {free}, which may be negative")
        value = root**power if power > 1 else root
        if power > 1:
            solver.add(root >= 0)
        for end, below in ((low, True), (high, False)):
            if end in (sympy.oo, -sympy.oo):
                continue
            if not isinstance(end, sympy.Rational):
                raise NotExpressibleError(f"the end {end}")
            bound = _real(_fraction(end))
            solver.add((value > bound if is_open else value >= bound) if below else value <= bound)
    value, defined = _Polynomials(known, roots).of(expr)
    solver.add(*defined, value <= 0 if strict else value < 0)
    found = _never(solver)
    if found is False and any(free.is_integer for free in domains):
        return None
    return found


def _roots(expr: sympy.Expr) -> dict[sympy.Symbol, int]:
    """The common denominator of the exponents that each symbol has."""
    found: dict[sympy.Symbol, int] = {}
    for part in expr.atoms(sympy.Pow):
        if isinstance(part.base, sympy.Symbol) and isinstance(part.exp, sympy.Rational):
            found[part.base] = math.lcm(found.get(part.base, 1), int(part.exp.q))
    return found


class _Polynomials:
    def __init__(self, known: Mapping[sympy.Symbol, Any], roots: Mapping[sympy.Symbol, int]) -> None:
        self.known = known
        self.roots = roots

    def of(self, expr: sympy.Expr) -> tuple[Any, list[Any]]:
        """The formula for the solver, and what it takes for granted: that it does not divide by 0."""
        if isinstance(expr, sympy.Rational):
            return _real(_fraction(expr)), []
        if isinstance(expr, sympy.Symbol):
            return self._raised(expr, Fraction(1))
        if isinstance(expr, sympy.Add | sympy.Mul):
            parts = [self.of(part) for part in expr.args]
            value = (z3.Sum if isinstance(expr, sympy.Add) else z3.Product)([part for part, _ in parts])
            return value, [one for _, defined in parts for one in defined]
        if isinstance(expr, sympy.Pow) and isinstance(expr.exp, sympy.Rational):
            exponent = _fraction(expr.exp)
            if isinstance(expr.base, sympy.Symbol):
                return self._raised(expr.base, exponent)
            if exponent.denominator == 1:
                value, defined = self.of(expr.base)
                whole = int(exponent)
                if whole > 0:
                    return z3.Product([value] * whole), defined
                return 1 / z3.Product([value] * -whole), [*defined, value != 0]
        raise NotExpressibleError(f"{expr} is no polynomial")

    def _raised(self, free: sympy.Symbol, exponent: Fraction) -> tuple[Any, list[Any]]:
        root = self.known[free]
        whole = int(exponent * self.roots.get(free, 1))
        if abs(whole) > 60:
            raise NotExpressibleError(f"the power {exponent} of {free}")
        if whole > 0:
            return z3.Product([root] * whole), []
        return 1 / z3.Product([root] * -whole), [root != 0]
