"""The pages as GitHub shows them: formulas are set, and what is no markup there is none in the site.

Main definitions: `on_page_markdown` and `on_page_content`, which mkdocs.yml has called for every page. Formulas become
MathML, which browsers set without a script.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from theory.reports.page.formulas import mathml

_CODE = re.compile(r"(```.*?```|`[^`]*`)", re.DOTALL)
# A product such as <u, v>, and the star of a symbol such as l*; the generator takes them for a tag and for emphasis.
_PRODUCT = re.compile(r"<(?=-?\w+, )")
_STAR = re.compile(r"(?<=[^\w*]\w)\*(?=[\s,.])")
# What stands between $` and `$ in Markdown.
_FORMULA = re.compile(r"\$<code>([^<]*)</code>\$")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The source of a page, with what is no markup marked as such; code stays as it is."""
    parts = _CODE.split(markdown)
    return "".join(part if part.startswith("`") else _STAR.sub(r"\*", _PRODUCT.sub("&lt;", part)) for part in parts)


def on_page_content(html: str, **_: Any) -> str:
    """The page with its formulas set. Raises `ValueError` for LaTeX that cannot be read."""
    return _FORMULA.sub(lambda found: str(mathml(unescape(found[1]))), html)
