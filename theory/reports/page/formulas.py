"""Formulas for a page: LaTeX as MathML, which browsers set without a script.

Main definitions: `mathml`; `letter`, one of these as text; `compared`, two formulas in which the difference is
marked; `typeset`, a formula of the suite as it is written in Python; `in_line`, one of MathML in a line of text;
`prose`, a text whose symbols are set as in the formulas.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from xml.etree import ElementTree as ET

from markupsafe import Markup, escape

# No text of a formula may become a tag: the library escapes its letters, and not its text.
_SIGNS = {"<": r"\lt ", ">": r"\gt "}
_TAG = re.compile(r"<(?!/?m[a-z]+[ />])")

# What latex2mathml writes and browsers take for granted; a bar that must not stretch is none of it.
_NEEDLESS = re.compile(r' (?:xmlns="[^"]*"|display="inline"|stretchy="true"|fence="(?:true|false)"|form="\w+")')
# A letter, perhaps with an index, as a formula.
_LETTER = re.compile(
    r"<math>(?:<mi>(?P<letter>\w)</mi>|<msub><mi>(?P<base>\w)</mi><m[in]>(?P<index>\w+)</m[in]></msub>)</math>"
)


# What is marked where two formulas differ.
_MARK = "d"

# Names in prose; not the letter of a label, as in (C.7) and B.5, nor the one of "Gordon's".
_WORD = re.compile(r"(?<![\w\\])(?<!\w')[A-Za-z_]\w*(?!\w|\.\d)")
_NO_SYMBOLS = frozenset("aAI")
_GREEK = frozenset(
    {*("alpha", "beta", "gamma", "delta", "eps", "eta", "theta", "kappa", "lam", "mu", "nu", "xi", "rho", "varrho")}
    | {*("sigma", "tau", "phi", "psi", "omega", "Gamma", "Delta")}
)

# How functions and relations of a formula are set; others stand upright by their names.
_FUNCTIONS = {"log": r"\log", "exp": r"\exp", "Min": r"\min", "Max": r"\max", "min": r"\min", "max": r"\max"}
_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.LtE: r"\leq",
    ast.GtE: r"\geq",
    ast.Lt: r"\lt",
    ast.Gt: r"\gt",
    ast.Eq: "=",
}
# Of a formula in a page attributes may have lost their quotes.
_ATTRIBUTES = re.compile(r"<(\w+)[^>]*?(/?)>")

# Signs with a blank on either side in a line.
_SPACED = frozenset("=<>+\N{MINUS SIGN}\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}")

# How tightly what stands there holds together: sums, products, powers, and what needs no parentheses.
_SUM, _PRODUCT, _POWER, _WHOLE = range(4)


@cache
def mathml(latex: str) -> Markup:
    """A formula in LaTeX as MathML. Raises `ValueError` for what the library cannot read."""
    from latex2mathml import exceptions
    from latex2mathml.converter import convert

    known = (kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
    unreadable: tuple[type[Exception], ...] = (*known, IndexError, KeyError)
    try:
        found = convert("".join(_SIGNS.get(letter, letter) for letter in latex))
    except unreadable as error:
        raise ValueError(f"the formula {latex!r} cannot be written as MathML: {error!r}; simplify it") from None
    if tag := _TAG.search(found.replace("<math ", "<mrow ").replace("</math>", "</mrow>")):
        raise ValueError(f"the formula {latex!r} would write {tag.group()!r} into a page; leave that out")
    whole = ET.fromstring(_NEEDLESS.sub("", found))
    _unwrap(whole)
    return _written(whole)


def _unwrap(element: ET.Element) -> None:
    """Take out rows that hold a single element, and the one around all: the formula is a row itself."""
    for part in element:
        _unwrap(part)
    while len(element) == 1 and element.tag == "math" and _is_plain_row(element[0]):
        element[:] = list(element[0])
    element[:] = [part[0] if _is_plain_row(part) and len(part) == 1 else part for part in element]


def _is_plain_row(element: ET.Element) -> bool:
    return element.tag == "mrow" and not element.attrib


def letter(formula: Markup) -> Markup:
    """A formula that is a letter, perhaps with an index, as text in a third of the room; others as they are."""
    found = _LETTER.fullmatch(formula)
    if found is None:
        return formula
    index = Markup("<sub>{}</sub>").format(found["index"]) if found["index"] else Markup("")
    return Markup("<i>{}</i>").format(found["letter"] or found["base"]) + index


def compared(first: str, second: str) -> tuple[Markup, Markup]:
    """Both formulas, each with what the other has not in it marked. Raises `ValueError` as `mathml` does."""
    one, other = (ET.fromstring(str(mathml(latex))) for latex in (first, second))
    _mark(one, other)
    return _written(one), _written(other)


def _mark(one: ET.Element, other: ET.Element) -> None:
    """Mark what two elements have not in common, as deep inside as their parts can be told to belong together."""
    if ET.tostring(one) == ET.tostring(other):
        return
    if one.tag != other.tag or not (len(one) and len(other)) or (one.tag not in _ROWS and len(one) != len(other)):
        one.set("class", _MARK)
        other.set("class", _MARK)
        return
    mine, theirs = list(one), list(other)
    if one.tag not in _ROWS:
        for part, twin in zip(mine, theirs, strict=True):
            _mark(part, twin)
        return
    texts, others = ([ET.tostring(part) for part in parts] for parts in (mine, theirs))
    for kind, a, b, c, d in SequenceMatcher(a=texts, b=others, autojunk=False).get_opcodes():
        if kind == "replace" and b - a == d - c:
            for part, twin in zip(mine[a:b], theirs[c:d], strict=True):
                _mark(part, twin)
        elif kind != "equal":
            for part in (*mine[a:b], *theirs[c:d]):
                part.set("class", _MARK)


# Elements whose children stand in a row, of any number; of all others each child has a place of its own.
_ROWS = frozenset({"math", "mrow", "mstyle", "mpadded", "msqrt"})


def _written(element: ET.Element) -> Markup:
    return Markup(ET.tostring(element, encoding="unicode"))


def in_line(formula: str) -> str:
    """A formula of MathML in a line of text: `(1 - alpha)/(8 L)`, with the letters as they are set."""
    return _in_line(ET.fromstring(_ATTRIBUTES.sub(r"<\1\2>", str(formula)))).strip()


def _in_line(element: ET.Element) -> str:
    parts = [_in_line(part) for part in element]
    match element.tag, parts:
        case "mo", _:
            sign = element.text or ""
            return f" {sign} " if sign in _SPACED else sign
        case "mfrac", [over, under]:
            return f"{_held(over)}/{_held(under)}"
        case (("msup" | "mover"), [base, raised]):
            return f"{_held(base)}^{_held(raised)}" if element.tag == "msup" else base + raised
        case (("msub" | "munder"), [base, index]):
            return f"{base}_{_held(index)}"
        case (("msubsup" | "munderover"), [base, index, raised]):
            return f"{base}_{_held(index)}^{_held(raised)}"
        case "msqrt", _:
            return f"\N{SQUARE ROOT}({''.join(parts).strip()})"
    found = element.text or ""
    for part in parts:
        # A product has no sign, and two names are not one.
        found += f" {part}" if found[-1:].isalnum() and part[:1].isalnum() else part
    return found


def _held(part: str) -> str:
    """A part of a formula as one thing."""
    part = part.strip()
    return part if part.isalnum() or re.fullmatch(r"\([^()]*\)", part) else f"({part})"


def prose(text: str, symbols: Mapping[str, str]) -> Markup:
    """A text in which the names of symbols, of which `symbols` has the LaTeX, are set as in the formulas.

    Left as they are: names of several letters that are words, and `a`, `A` and `I`.
    """
    found, end = Markup(""), 0
    for word in _WORD.finditer(text):
        name = word.group()
        if name in symbols and _is_no_word(name):
            found += escape(text[end : word.start()]) + letter(mathml(symbols[name]))
            end = word.end()
    return found + escape(text[end:])


def _is_no_word(name: str) -> bool:
    if len(name) == 1:
        return name not in _NO_SYMBOLS
    return name in _GREEK or bool(re.search(r"[\d_]", name)) or name[1:] != name[1:].lower()


def typeset(text: str, symbols: Mapping[str, str]) -> Markup:
    """A formula in Python as a text of the suite has it, with the LaTeX of its symbols; what is none stays text."""
    try:
        return mathml(_latex(ast.parse(text, mode="eval").body, symbols)[0])
    except (SyntaxError, ValueError, RecursionError):
        return escape(text)


def _latex(node: ast.expr, symbols: Mapping[str, str]) -> tuple[str, int]:
    """The LaTeX of a part of a formula, and how tightly it holds together. Raises `ValueError` for what is no part."""

    def inside(part: ast.expr, least: int) -> str:
        latex, holds = _latex(part, symbols)
        return latex if holds >= least else rf"\left({latex}\right)"

    match node:
        case ast.Name(id=name):
            return symbols.get(name, name if len(name) == 1 else rf"\text{{{name}}}"), _WHOLE
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _number(value), _WHOLE
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{inside(operand, _PRODUCT)}", _SUM
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            least = _SUM if isinstance(sign, ast.Add) else _PRODUCT
            return f"{inside(left, _SUM)} {'+' if least == _SUM else '-'} {inside(right, least)}", _SUM
        case ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=first), op=ast.Mult() | ast.Div() as sign, right=right):
            return f"-{_latex(ast.BinOp(first, sign, right), symbols)[0]}", _SUM
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            dot = r"\cdot " if isinstance(right, ast.Constant) else ""
            if _begins_with_minus(left):
                return f"{_latex(left, symbols)[0]} {dot}{inside(right, _PRODUCT)}", _SUM
            return f"{inside(left, _PRODUCT)} {dot}{inside(right, _PRODUCT)}", _PRODUCT
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{_latex(left, symbols)[0]}}}{{{_latex(right, symbols)[0]}}}", _PRODUCT
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{{{inside(left, _WHOLE)}}}^{{{_raised(right, symbols)}}}", _POWER
        case ast.Compare(left=left, ops=[relation], comparators=[right]) if type(relation) in _RELATIONS:
            return f"{_latex(left, symbols)[0]} {_RELATIONS[type(relation)]} {_latex(right, symbols)[0]}", _SUM
        case ast.Call(func=ast.Name(id="sqrt"), args=[under], keywords=[]):
            return rf"\sqrt{{{_latex(under, symbols)[0]}}}", _WHOLE
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]):
            upright = rf"\text{{{name}}}"
            return f"{_FUNCTIONS.get(name, upright)}{_arguments(given, symbols)}", _WHOLE
    raise ValueError(f"{ast.unparse(node)} is no formula")


def _begins_with_minus(node: ast.expr) -> bool:
    """Whether a product has its sign in front, where it needs no parentheses."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        node = node.left
    return isinstance(node, ast.UnaryOp)


def _number(value: float) -> str:
    """A number with its power of ten written out."""
    mantissa, _, power = f"{value:.4g}".partition("e")
    return mantissa if not power else rf"{mantissa} \cdot 10^{{{int(power)}}}"


def _raised(node: ast.expr, symbols: Mapping[str, str]) -> str:
    """An exponent; a quotient of numbers stands in a line."""
    match node:
        case ast.BinOp(left=ast.Constant(value=int() as over), op=ast.Div(), right=ast.Constant(value=int() as under)):
            return f"{over}/{under}"
    return _latex(node, symbols)[0]


def _arguments(given: Sequence[ast.expr], symbols: Mapping[str, str]) -> str:
    return rf"\left({', '.join(_latex(part, symbols)[0] for part in given)}\right)"
