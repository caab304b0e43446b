"""Texts, numbers and symbols in LaTeX, and the templates that are written in it.

Main definitions: `tex`, a text as it stands; `number` and `ratio`, in its mathematics; `symbol`; `render`, a template.
"""

from __future__ import annotations

import math
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

from bounds.symbols import SYMBOLS
from theory.core.digits import near_one
from theory.core.values import Json
from theory.reports.page import TEMPLATES

if TYPE_CHECKING:
    from jinja2 import Environment

_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}

# Of a number that takes more than a line.
_DIGITS = re.compile(r"\d{30}(?=\d)")

_POWER = re.compile(r"e([+-]?)0*(\d+)")

SENSES = {"<=": r"\le", ">=": r"\ge", "=": "="}


# Where what pylatexenc writes takes a package, or is no sign by itself.
_INSTEAD = {"\\sqrt{}": "\\surd", "\\mathscr": "\\mathcal"}


def tex(text: str) -> str:
    """`text` in TeX, as it stands, on one line; in ASCII, as few letters are known to every installation of TeX."""
    return "".join(_letter(letter) for letter in text)


@cache
def _letter(letter: str) -> str:
    """A letter in TeX; one for which TeX has nothing without the marks on it, or else a question mark."""
    if letter in _TEX or letter.isascii():
        return _TEX.get(letter, letter if letter.isprintable() else " ")
    if not letter.isprintable():
        return " "
    found: str = _encoder().unicode_to_latex(letter)
    for written, instead in _INSTEAD.items():
        found = found.replace(written, instead)
    return found


@cache
def _encoder() -> Any:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    def unknown(letter: str) -> str:
        plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        return "".join(_TEX.get(one, one) for one in plain) or "?"

    return UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all", unknown_char_policy=unknown, unknown_char_warning=False
    )


def code(text: str) -> str:
    """A command in TeX, which may be broken after a comma and in a long number, and keeps both of its hyphens."""
    broken = _DIGITS.sub(r"\g<0>\\allowbreak{}", tex(text).replace("--", "-{}-").replace(",", r",\allowbreak{}"))
    return r"\texttt{" + broken + "}"


def comment(text: str) -> str:
    """`text` on the one line of a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def ratio(value: float | str) -> str:
    """A ratio in the mathematics of TeX."""
    found = float(value)
    return number(near_one(found)) if math.isfinite(found) else number(str(found))


def number(shown: str) -> str:
    """A number in print in the mathematics of TeX."""
    if shown.lower().lstrip("-+") in ("inf", "infinity"):
        return r"-\infty" if shown.startswith("-") else r"\infty"
    if shown.lower() == "nan":
        return r"\text{--}"
    return _POWER.sub(lambda found: f"\\cdot 10^{{{found[1].strip('+')}{found[2]}}}", shown)


def symbol(name: str, claim: Json) -> str:
    """A symbol of a claim as its formulas have it, in the mathematics of TeX."""
    if name in claim.get("typeset", {}):
        return str(claim["typeset"][name])
    return SYMBOLS[name].latex if name in SYMBOLS else r"\mathit{" + tex(name) + "}"


def render(template: str, **given: Any) -> str:
    """The template of this name with what is given."""
    return _environment().get_template(template).render(**given, senses=SENSES)


@cache
def _environment() -> Environment:
    """Marks of the templates that stand for nothing in LaTeX."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        block_start_string="((%",
        block_end_string="%))",
        variable_start_string="(((",
        variable_end_string=")))",
        comment_start_string="((#",
        comment_end_string="#))",
    )
    environment.filters |= {"tex": tex, "code": code, "ratio": ratio, "comment": comment, "number": number}
    environment.globals["symbol"] = symbol
    return environment
