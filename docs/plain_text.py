"""The docstrings of the sources, which are plain text, as Markdown for the reference that `make site` builds.

Main definitions: `as_markdown`, and `PlainText`, by which mkdocs.yml names it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import griffe

# What is code already stays as it is; of the rest what Markdown would take for emphasis, for markup or for a link.
_CODE = re.compile(r"(`+[^`]+`+)")
_MARKS = re.compile(r"[*_\[]")
# A reference as Sphinx writes it is its name here.
_ROLE = re.compile(r":\w+:(?=`)")
_RULE = re.compile(r"-{3,}")
_INDENT = " " * 4


def _escaped(line: str) -> str:
    parts = _CODE.split(_ROLE.sub("", line))
    return "".join(part if part.startswith("`") else _marked(part) for part in parts)


def _marked(words: str) -> str:
    return _MARKS.sub(r"\\\g<0>", words).replace("<", "&lt;")


def _lines(text: str) -> Iterator[str]:
    """The lines of the Markdown; a section is underlined, its entries are `name : words`, and a blank line ends it."""
    lines, before, section, code = inspect.cleandoc(text).split("\n"), "", False, False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        indented = line.startswith(_INDENT)
        section = section and bool(line)
        code = (indented and not section and (code or not before)) or (code and not line)
        if _RULE.fullmatch(after) and line:
            section = True
            yield f"**{line}**"
        elif section and _RULE.fullmatch(line):
            yield ""
        elif section and not indented:
            name, _, words = line.partition(" : ")
            yield f"- `{name}`: {_escaped(words)}" if words else f"- `{name}`:"
        elif line.startswith("- ") and before and not before.startswith(("- ", "  ")):
            yield f"\n{_escaped(line)}"
        else:
            yield line if code else _escaped(line)
        before = line


def as_markdown(text: str) -> str:
    """The same words: indented blocks as code, underlined sections as lists, and nothing else as markup."""
    return "\n".join(_lines(text))


class PlainText(griffe.Extension):
    """Docstrings are rewritten as they are collected."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
