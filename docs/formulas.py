"""Formulas of the pages, which GitHub sets from LaTeX, as MathML in the site: browsers set it without a script.

Main definition: `on_page_content`, which mkdocs.yml has called for every page.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from theory.reports.page.formulas import mathml

# What stands between $` and `$ in Markdown.
_FORMULA = re.compile(r"\$<code>([^<]*)</code>\$")


def on_page_content(html: str, **_: Any) -> str:
    """The page with its formulas set. Raises `ValueError` for LaTeX that cannot be read."""
    return _FORMULA.sub(lambda found: str(mathml(unescape(found[1]))), html)
