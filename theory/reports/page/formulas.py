"""Formulas for a page: LaTeX as MathML, which browsers set without a script.

Main definitions: `mathml`.
"""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup, escape

# No text of a formula may become a tag: the library escapes its letters, and not its text.
_SIGNS = {"<": r"\lt ", ">": r"\gt "}
_TAG = re.compile(r"<(?!/?m[a-z]+[ />])")

# What latex2mathml writes and browsers take for granted; a bar that must not stretch is none of it.
_NEEDLESS = re.compile(r' (?:xmlns="[^"]*"|display="inline"|stretchy="true"|fence="(?:true|false)"|form="\w+")')
_ONE_CHILD = re.compile(r"<mrow>(<m[ion]>[^<]*</m[ion]>)</mrow>")
_NUMBERED = re.compile(r"&#x([0-9A-F]+);")


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
    short = _ONE_CHILD.sub(r"\1", _NEEDLESS.sub("", found))
    return Markup(_NUMBERED.sub(lambda letter: escape(chr(int(letter[1], 16))), short))
