"""Formulas typed by a user, read by a whitelist over Python's syntax tree.

Nothing is evaluated as code: :func:`parse_formula` builds the sympy expression node by node from numbers, the
names it is given, + - * / ** and the functions of `bounds.arithmetic.tree`. Before a number is computed its size is
estimated, so that no short text makes a long computation. A refusal is a :class:`FormulaError`, which shows
the place. Decimal numbers are read exactly: ``0.1`` is 1/10.

Written by hand: `sympy.parse_expr` evaluates what is typed.
"""

import ast
import contextlib
import difflib
import gc
import math
import operator
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction

import sympy

from bounds.arithmetic.logfloat import LOG_FLOATS, LogFloat
from bounds.arithmetic.tree import FUNCTIONS, SELECTIONS, UnsupportedFormulaError, compile_tree
from bounds.symbols import SYMBOLS, how_to_declare, symbol

__all__ = ["FormulaError", "parse_formula"]

LONGEST_TEXT = 500
# Nesting of parentheses, and of the syntax tree, where a sum of k terms is k deep: far below what the
# recursion of Python and sympy can take, far above what a formula of LONGEST_TEXT characters needs.
DEEPEST_PARENTHESES = 40
DEEPEST_TREE = 120
# An exact number may need this many bits, and a symbol-free part must fit into a double.
MOST_BITS = 4096
# sympy takes the q-th root of a number of b bits by factoring numbers of up to b * q bits, and products of
# two such roots share an exponent of denominator q * q. Without a number to factor only q itself is limited.
LARGEST_ROOT = 32768
LONGEST_FRACTION = 10000
LARGEST_LOG = 700.0
# Comparing the arguments of Min and Max is what takes sympy longest. What slips through all limits is given
# up after this much computing time.
MOST_SECONDS = 0.8
MOST_CHOICES = 8
MOST_SELECTIONS = 5

CONSTANTS: dict[str, sympy.Expr] = {"pi": sympy.pi, "E": sympy.E}
OPERATORS: dict[type[ast.operator], tuple[str, Callable[[sympy.Expr, sympy.Expr], sympy.Expr]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.Pow: ("**", operator.pow),
}


class FormulaError(ValueError):
    """A refused formula; its text is one line on what is wrong, the formula, and carets under the place."""

    def __init__(self, reason: str, text: str, start: int = 0, end: int | None = None) -> None:
        super().__init__(reason, text, start, end)
        self.reason = reason
        # Control characters would shift the carets or act on the terminal.
        self.text = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)
        self.start = max(0, min(start, len(text) - 1))
        self.end = len(text) if end is None else max(self.start + 1, min(end, len(text)))

    def __str__(self) -> str:
        first = max(0, self.start - 60)
        piece = self.text[first : first + 160]
        width = min(self.end, first + len(piece)) - self.start
        return f"{self.reason}\n  {piece}\n  {' ' * (self.start - first)}{'^' * max(1, width)}"


class _OvertimeError(BaseException):
    """Not an Exception, so that no handler inside sympy takes it for its own."""


def parse_formula(text: str, names: Iterable[str] | None = None) -> sympy.Expr:
    """Return the formula `text` as a sympy expression in the symbols called `names`, by default in all declared ones.

    Besides symbols it may hold numbers, pi, E, the operators + - * / **, parentheses, and the functions of
    `bounds.arithmetic.tree`, sqrt(x) and Rational(p, q). Raises :class:`FormulaError` for anything else, for a number
    that is infinite, not real, or too large to write down, and for a division by zero.
    """
    if not text.strip():
        raise FormulaError("the formula is empty", text or " ")
    if len(text) > LONGEST_TEXT:
        raise FormulaError(f"the formula has {len(text)} characters, more than {LONGEST_TEXT}", text)
    _check_characters(text)
    try:
        with _deadline(MOST_SECONDS):
            return _Reader(text, names).read()
    except _OvertimeError:
        raise FormulaError("the formula takes too long to work out", text) from None


def _bits(number: sympy.Rational) -> int:
    """Length of an exact fraction when written down."""
    return int(number.p).bit_length() + int(number.q).bit_length()


def _degree(exponent: sympy.Expr) -> int:
    """Which root a power takes: the denominator of its exponent."""
    return int(exponent.q) if isinstance(exponent, sympy.Rational) else 1


def _radicals(expr: sympy.Expr) -> list[tuple[sympy.Rational, int]]:
    """The numbers among the factors of `expr`, each with the degree of the root taken of it."""
    found = [(sympy.S.One, 1)]
    for factor in sympy.Mul.make_args(expr):
        base, exponent = factor.as_base_exp()
        if isinstance(base, sympy.Rational):
            found.append((base, _degree(exponent)))
    return found


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise :class:`_OvertimeError` inside once the process has computed for `seconds`.

    It needs the signal of a timer of computing time, which POSIX systems give to the main thread; elsewhere
    the limits on numbers and on nesting stand alone. Garbage is collected before and after: in a process with millions
    of objects that takes longer than a formula, and is none of its time.
    """
    if not hasattr(signal, "SIGVTALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise _OvertimeError

    collects = gc.isenabled()
    gc.disable()
    previous = signal.signal(signal.SIGVTALRM, stop)
    try:
        # again and again, should the first one come where an exception is dropped
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.05)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, previous)
        if collects:
            gc.enable()


def _check_characters(text: str) -> None:
    depth = 0
    for place, character in enumerate(text):
        if character == "^":
            raise FormulaError("^ is no operator here: write ** for a power", text, place, place + 1)
        if character == "#" or (character != " " and not (character.isascii() and character.isprintable())):
            raise FormulaError(f"the character {character!a} has no place in a formula", text, place, place + 1)
        depth += (character in "([{") - (character in ")]}")
        if depth > DEEPEST_PARENTHESES:
            raise FormulaError(f"parentheses are nested more than {DEEPEST_PARENTHESES} deep", text, place, place + 1)


class _Reader:
    """Turns the syntax tree of one text into a sympy expression, bottom up."""

    def __init__(self, text: str, names: Iterable[str] | None) -> None:
        self.text = text
        # Blank space in front would be an indentation error to Python.
        self.indent = len(text) - len(text.lstrip())
        self.in_any_symbol = names is None
        self.names = sorted(set(SYMBOLS if names is None else names))

    def read(self) -> sympy.Expr:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python warns of "2if"; such text is refused just below
                tree = ast.parse(self.text.strip(), mode="eval")
        except SyntaxError as error:
            start = self.indent + (error.offset or 1) - 1
            reason = f"this is no formula: {error.msg}"
            raise FormulaError(reason, self.text, start, start + 1) from None
        except (ValueError, MemoryError, RecursionError):
            raise FormulaError("this is no formula", self.text) from None
        self._check_depth(tree)
        self._check_selections(tree)
        expr = self._node(tree.body)
        self._compiled(expr, tree.body)
        return expr

    def _check_depth(self, tree: ast.AST) -> None:
        level: list[ast.AST] = [tree]
        for _ in range(DEEPEST_TREE):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
            if not level:
                return
        raise FormulaError(f"the formula is nested more than {DEEPEST_TREE} deep", self.text)

    def _check_selections(self, tree: ast.AST) -> None:
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in SELECTIONS]
        if len(names) > MOST_SELECTIONS:
            raise self._refusal(f"Min and Max occur more than {MOST_SELECTIONS} times", names[MOST_SELECTIONS])

    def _refusal(self, reason: str, node: ast.expr) -> FormulaError:
        end = None if node.end_col_offset is None else node.end_col_offset + self.indent
        return FormulaError(reason, self.text, node.col_offset + self.indent, end)

    # ------------------------------------------------------------------ nodes

    def _node(self, node: ast.expr) -> sympy.Expr:
        if isinstance(node, ast.Constant):
            return self._number(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.UnaryOp):
            return self._sign(node)
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        what = {
            ast.Attribute: "an attribute",
            ast.Compare: "a comparison",
            ast.Subscript: "an index",
            ast.Lambda: "a lambda",
            ast.BoolOp: "a logical operation",
            ast.IfExp: "a condition",
            ast.Tuple: "a list of formulas",
            ast.JoinedStr: "a string",
        }.get(type(node), "this")
        raise self._refusal(f"{what} has no place in a formula", node)

    def _number(self, node: ast.Constant) -> sympy.Expr:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            kind = "an imaginary number" if isinstance(value, complex) else f"{value!r}"
            raise self._refusal(f"{kind} has no place in a formula", node)
        if isinstance(value, int):
            return self._checked(sympy.Integer(value), node)
        if math.isinf(value):
            raise self._refusal("the number is too large", node)
        literal = (ast.get_source_segment(self.text.strip(), node) or repr(value)).replace("_", "")
        if value == 0.0 and any(digit in literal.lower().split("e")[0] for digit in "123456789"):
            raise self._refusal("the number is too close to zero", node)
        exact = Fraction(literal) if value != 0.0 else Fraction(0)
        return self._checked(sympy.Rational(exact.numerator, exact.denominator), node)

    def _name(self, node: ast.Name) -> sympy.Expr:
        name = node.id
        if name in self.names and name in SYMBOLS:
            return symbol(name)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self._functions:
            raise self._refusal(f"the function {name} needs its arguments in parentheses", node)
        if self.in_any_symbol or name in self.names:
            raise self._refusal(how_to_declare(name), node)
        raise self._refusal(f"there is no {name} here; {self._nearest(name)}", node)

    def _sign(self, node: ast.UnaryOp) -> sympy.Expr:
        if not isinstance(node.op, (ast.USub, ast.UAdd)):
            raise self._refusal("only the signs + and - have a place in front of a formula", node)
        operand = self._node(node.operand)
        return -operand if isinstance(node.op, ast.USub) else operand

    def _operation(self, node: ast.BinOp) -> sympy.Expr:
        if type(node.op) not in OPERATORS:
            known = " ".join(sign for sign, _ in OPERATORS.values())
            raise self._refusal(f"only the operators {known} have a place in a formula", node)
        sign, make = OPERATORS[type(node.op)]
        left, right = self._node(node.left), self._node(node.right)
        if sign == "/" and right == 0:
            raise self._refusal("this divides by zero", node)
        if sign == "**":
            self._check_power(left, right, node)
        return self._made(make, node, left, right)

    def _check_power(self, base: sympy.Expr, exponent: sympy.Expr, node: ast.BinOp) -> None:
        if not exponent.free_symbols:
            size = self._estimate(exponent, node.right).value
            if base == 0 and size < 0:
                raise self._refusal("this divides by zero", node)
            if base.free_symbols and abs(size) > MOST_BITS:
                raise self._refusal(f"the exponent is larger than {MOST_BITS}", node.right)
            # sympy raises the rational factor of the base; an exact power multiplies its bits.
            factor = base.as_coeff_Mul()[0]
            if factor not in (0, 1, -1):
                self._check_bits(_bits(factor) * abs(size), node)
            for number, degree in _radicals(base):
                self._check_root(number, degree * _degree(exponent), node)
        else:
            self._check_numbers(exponent, node.right)

    def _call(self, node: ast.Call) -> sympy.Expr:
        if not isinstance(node.func, ast.Name):
            raise self._refusal("only named functions have a place in a formula", node.func)
        name = node.func.id
        if name not in self._functions:
            known = self.names + list(CONSTANTS)
            why = "is no function" if name in known else f"is not known; functions: {', '.join(self._functions)}"
            raise self._refusal(f"{name} {why}", node.func)
        if node.keywords:
            raise self._refusal(f"{name} takes no named arguments", node)
        least, most = self._functions[name][0]
        if not least <= len(node.args) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            raise self._refusal(f"{name} takes {count} argument{'s' * (most > 1)}, not {len(node.args)}", node)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self._refusal("an unpacked argument has no place in a formula", argument)
        arguments = [self._node(argument) for argument in node.args]
        if name == "Rational":
            return self._rational(arguments, node)
        if name == "exp":
            self._check_exponential(arguments[0], node)
        if name == "log" and arguments[0] == 0:
            raise self._refusal("this is the logarithm of zero", node)
        return self._made(self._functions[name][1], node, *arguments)

    def _check_exponential(self, argument: sympy.Expr, node: ast.Call) -> None:
        if not argument.free_symbols and abs(self._estimate(argument, node.args[0]).value) > LARGEST_LOG:
            raise self._refusal("this number does not fit into a double", node)
        logs = [found for found in argument.atoms(sympy.log) if isinstance(found.args[0], sympy.Rational)]
        if logs:
            self._check_numbers(argument.xreplace(dict.fromkeys(logs, sympy.S.One)), node.args[0])
        for product in argument.atoms(sympy.Mul) | argument.atoms(sympy.log):
            coefficient, rest = product.as_coeff_Mul()
            for factor in sympy.Mul.make_args(rest):
                # sympy writes exp(c * log(k)) as the power k**c
                if isinstance(factor, sympy.log) and isinstance(factor.args[0], sympy.Rational):
                    self._check_bits(_bits(factor.args[0]) * abs(float(coefficient)), node)
                    self._check_root(factor.args[0], int(coefficient.q), node)

    def _rational(self, arguments: list[sympy.Expr], node: ast.Call) -> sympy.Expr:
        p, q = arguments
        if not (isinstance(p, sympy.Integer) and isinstance(q, sympy.Integer)):
            raise self._refusal("Rational takes two integers", node)
        if q == 0:
            raise self._refusal("this divides by zero", node)
        return sympy.Rational(p, q)

    # ----------------------------------------------------------------- checks

    @property
    def _functions(self) -> dict[str, tuple[tuple[int, int], Callable[..., sympy.Expr]]]:
        return (
            {name: ((1, 1), made) for name, made in FUNCTIONS.items()}
            | {"sqrt": ((1, 1), sympy.sqrt), "Rational": ((2, 2), sympy.Rational)}
            | {name: ((2, MOST_CHOICES), made) for name, made in SELECTIONS.items()}
        )

    def _nearest(self, name: str) -> str:
        valid = [*self.names, *CONSTANTS, *self._functions]
        folded = {other.lower().rstrip("_"): other for other in valid}
        near = difflib.get_close_matches(name, valid, n=3) or [
            folded[other] for other in difflib.get_close_matches(name.lower(), folded, n=3)
        ]
        if near:
            return f"nearest: {', '.join(near)}"
        return f"names: {', '.join(self.names) or 'none'}"

    def _check_numbers(self, exponent: sympy.Expr, node: ast.expr) -> None:
        """Refuse an exponent with a large number in it: 2**(n + 10**9) would be split in two."""
        if any(abs(number) > MOST_BITS for number in exponent.atoms(sympy.Rational)):
            raise self._refusal(f"the exponent holds a number larger than {MOST_BITS}", node)

    def _check_root(self, number: sympy.Rational, degree: int, node: ast.expr) -> None:
        limit = LONGEST_FRACTION**2 if number in (0, 1, -1) else LARGEST_ROOT / _bits(number)
        if degree > 1 and degree**2 > limit:
            raise self._refusal("the exponent is too long a fraction for what it raises: write fewer digits", node)

    def _check_bits(self, bits: float, node: ast.expr) -> None:
        if not bits <= MOST_BITS:
            raise self._refusal(f"this number needs more than {MOST_BITS} bits", node)

    def _estimate(self, expr: sympy.Expr, node: ast.expr) -> LogFloat:
        """Value of a symbol-free part, computed in floats."""
        value = self._compiled(expr, node)({})
        if math.isnan(value.log):
            raise self._refusal("this is no real number", node)
        if abs(value.value) == math.inf:
            raise self._refusal("this number does not fit into a double", node)
        return value

    def _compiled(self, expr: sympy.Expr, node: ast.expr) -> Callable[[Mapping[str, LogFloat]], LogFloat]:
        try:
            return compile_tree(expr, LOG_FLOATS)
        except UnsupportedFormulaError as error:
            # a function that sympy put in place of the one written
            raise self._refusal(str(error), node) from None

    def _made(self, make: Callable[..., sympy.Expr], node: ast.expr, *arguments: sympy.Expr) -> sympy.Expr:
        try:
            made = make(*arguments)
        except (ValueError, TypeError, ArithmeticError, NotImplementedError, RecursionError):
            # Min and Max of what is not real for all values of the symbols, as acos(2*m)
            raise self._refusal("this may be undefined or not real", node) from None
        return self._checked(made, node)

    def _checked(self, expr: sympy.Expr, node: ast.expr) -> sympy.Expr:
        """Refuse what sympy found to be infinite, undefined or not real."""
        if expr.has(sympy.zoo, sympy.nan, sympy.oo, sympy.S.NegativeInfinity, sympy.I):
            raise self._refusal("this is no finite real number", node)
        self._check_bits(_bits(expr.as_coeff_Mul()[0]), node)
        for number, degree in _radicals(expr):
            self._check_root(number, degree, node)
        if not expr.free_symbols:
            self._estimate(expr, node)
        return expr
