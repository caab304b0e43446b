"""Growth exponents: the limit of d log(formula) / d log(symbol) at an end of the symbol's domain.

:func:`growth` reads the exponent off the formula by rules that are exact for power laws and their sums, and
treats logarithms as growing with exponent 0 and exponentials with an infinite one. Where the rules cannot
tell (leading terms that may cancel, say) it asks sympy for the limit.
"""

import sympy

__all__ = ["UnknownGrowthError", "growth"]


class UnknownGrowthError(ValueError):
    """Neither the rules nor sympy find the growth exponent."""


def growth(expr: sympy.Expr, name: sympy.Symbol, towards: sympy.Expr) -> sympy.Expr:
    """Return the growth exponent of `expr` in `name`, as `name` goes to `towards` (infinity or 0).

    The result is a number, plus or minus infinity, or a formula in the other symbols (n**(44 - 4*p) has the
    exponent 44 - 4*p in n). Raises :class:`UnknownGrowthError` where there is none to be found.
    """
    if towards == 0:
        # Same name, read from the other end: x -> 1/x turns the end around and the sign with it.
        mirror = sympy.Dummy(positive=True)
        return -growth(expr.subs(name, 1 / mirror), mirror, sympy.oo)
    try:
        return sympy.simplify(_exponent(expr, name))
    except UnknownGrowthError:
        return _limit(expr, name)


def _limit(expr: sympy.Expr, name: sympy.Symbol) -> sympy.Expr:
    try:
        found = sympy.limit(sympy.simplify(name * sympy.diff(expr, name) / expr), name, sympy.oo)
    except (NotImplementedError, ValueError, TypeError):
        found = sympy.nan
    if found is sympy.nan or found.has(sympy.Limit, sympy.AccumBounds, name):
        raise UnknownGrowthError(f"no growth exponent of {expr} in {name} was found")
    return found


def _exponent(expr: sympy.Expr, name: sympy.Symbol) -> sympy.Expr:
    """The rules, for `name` towards infinity."""
    if not expr.has(name):
        return sympy.S.Zero
    if expr == name:
        return sympy.S.One
    if isinstance(expr, sympy.Mul):
        return _finite_sum([_exponent(factor, name) for factor in expr.args], expr)
    if isinstance(expr, sympy.exp):
        return _exponential(expr.args[0], name)
    if isinstance(expr, sympy.Pow):
        if expr.exp.has(name):
            return _exponential(expr.exp * sympy.log(expr.base), name)
        return _finite_sum([expr.exp * _exponent(expr.base, name)], expr)
    if isinstance(expr, sympy.log):
        inner = _exponent(expr.args[0], name)
        if inner.is_infinite:
            return _exponent(sympy.expand_log(expr, force=True), name) if _splits(expr) else _unknown(expr)
        return sympy.S.Zero if inner.is_nonzero or _stays_off_one(expr.args[0], name) else _unknown(expr)
    if isinstance(expr, sympy.Abs):
        return _exponent(expr.args[0], name)
    if isinstance(expr, sympy.Add):
        return _leading([(_exponent(term, name), term) for term in expr.args], expr)
    if isinstance(expr, (sympy.Max, sympy.Min)) and all(part.is_nonnegative for part in expr.args):
        choose = sympy.Max if isinstance(expr, sympy.Max) else sympy.Min
        return choose(*[_exponent(part, name) for part in expr.args])
    return _unknown(expr)


def _unknown(expr: sympy.Expr) -> sympy.Expr:
    raise UnknownGrowthError(f"the rules do not cover {expr}")


def _finite_sum(exponents: list[sympy.Expr], expr: sympy.Expr) -> sympy.Expr:
    total = sympy.Add(*exponents)
    return _unknown(expr) if total is sympy.nan else total


def _splits(expr: sympy.Expr) -> bool:
    return sympy.expand_log(expr, force=True) != expr


def _stays_off_one(argument: sympy.Expr, name: sympy.Symbol) -> bool:
    """Whether log(argument), of an argument that grows slower than any power, tends to a non-zero value."""
    try:
        value = sympy.limit(argument, name, sympy.oo)
    except (NotImplementedError, ValueError, TypeError):
        return False
    return bool(value.is_infinite or value.is_zero or (value.is_number and value != 1))


def _exponential(argument: sympy.Expr, name: sympy.Symbol) -> sympy.Expr:
    inner = _exponent(argument, name)
    if inner.is_negative:
        return sympy.S.Zero
    if not inner.is_positive:
        return _unknown(argument)
    if argument.is_positive or argument.is_negative:
        return sympy.oo if argument.is_positive else -sympy.oo
    value = sympy.limit(argument, name, sympy.oo)
    return value if value.is_infinite else _unknown(argument)


def _leading(terms: list[tuple[sympy.Expr, sympy.Expr]], expr: sympy.Expr) -> sympy.Expr:
    """The largest exponent of a sum, where the terms that attain it cannot cancel."""
    top = sympy.Max(*[exponent for exponent, _ in terms])
    if isinstance(top, sympy.Max):
        return top if all(term.is_nonnegative for _, term in terms) else _unknown(expr)
    leaders = [term for exponent, term in terms if exponent == top]
    same_sign = all(term.is_positive for term in leaders) or all(term.is_negative for term in leaders)
    return top if len(leaders) == 1 or (same_sign and not top.is_infinite) else _unknown(expr)
