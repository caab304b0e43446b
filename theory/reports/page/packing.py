"""A large page in fewer bytes: what its script alone uses, pictures and repeated formulas are kept compressed for it.

Without a script all text stands as it is; a formula that the page has set before is written in a line, and a picture is
said to be missing. The small pages of `theory.reports.page.statements` have everything without a script.

Main definitions: `packed`; `LARGE`, the size up to which a page stays as it is.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter
from html import unescape

from markupsafe import Markup

from theory.reports.page.formulas import in_line

# Bytes up to which a page opens at once and is small enough to send.
LARGE = 2_000_000

# A shorter formula takes no more room than its place in the list of stored ones.
SHORT = 44

# What is kept apart: pictures, formulas, what a drawing can be asked for, bounds in which words are sought.
_PICTURE = re.compile(r'<figure tabindex="0">(<svg.*?</svg>)', re.DOTALL)
_FORMULA = re.compile(r"<math>.*?</math>", re.DOTALL)
_CHOICE = re.compile(r'(<p class="script graph-tools"[^>]*><label>focus <select>)(.*?)(?=</select>)', re.DOTALL)
_BOUND = re.compile(r' data-b=("[^"]*"|[^ >]+)')
_DATA = re.compile(r'(?<=<script type="application/json" id="data">)\{.*?\}(?=</script>)', re.DOTALL)

# Where a line ends between blocks, which need none.
_LINE = re.compile(
    r"\n(?=</?(?:article|section|div|nav|h[1-6]|p|ul|li|dl|dt|dd|table|thead|tbody|tr|td|details|summary|figure)\b)"
)

# Quotes of links and names around what needs none.
_QUOTED = re.compile(r'(?<= )((?:href|id|rel|role|name|type)=)"([\w:.,#?+-]+)"(?=[ >])')

_BARE = r"\1\2"

# Of what the script reads at once: what it can wait for.
_LATER = "papers"


def packed(text: str, large: int = LARGE) -> str:
    """A page as `theory.reports.page.page` gives it; of one with more than `large` bytes the script unpacks a part."""
    data = _DATA.search(text)
    if len(text.encode()) <= large or data is None:
        return text
    known = json.loads(data.group())
    later = {_LATER: known.pop(_LATER)}
    body, pictures = _without_pictures(text[: data.start()])
    body, choices = _without_choices(body)
    bounds = [unescape(found[1].strip('"')) for found in _BOUND.finditer(body)]
    body, formulas = _without_repeated_formulas(_BOUND.sub("", body))
    stored = _json({**later, "pictures": pictures, "choices": choices, "bounds": bounds, "formulas": formulas})
    compressed = base64.b64encode(gzip.compress(stored.encode(), mtime=0)).decode()
    left = _json(known).replace("<", "\\u003c")
    begun, told = body.split("<body>", 1)
    head, rest = f"{begun}<body>{_QUOTED.sub(_BARE, _LINE.sub('', told))}", text[data.end() :]
    return f'{head}{left}</script>\n<script type="text/plain" id="packed">{compressed}{rest}'


def _json(values: object) -> str:
    return json.dumps(values, separators=(",", ":"))


def _without_pictures(text: str) -> tuple[str, list[str]]:
    """The text with figures that say by number what they show, and the pictures."""
    pictures: list[str] = []

    def numbered(found: re.Match[str]) -> str:
        pictures.append(found[1])
        return f"<figure data-p={len(pictures) - 1}>"

    return _PICTURE.sub(numbered, text), pictures


def _without_choices(text: str) -> tuple[str, list[str]]:
    """The text with nothing to choose from above the drawings, which a script alone can draw anew."""
    choices = [found[2] for found in _CHOICE.finditer(text)]
    return _CHOICE.sub(r"\1", text), choices


def _without_repeated_formulas(text: str) -> tuple[str, list[str]]:
    """The text in which a formula is set once and then stands in a line, with its number, and the formulas."""
    counts = Counter(_FORMULA.findall(text))
    numbers: dict[str, int] = {}
    seen: set[str] = set()

    def numbered(found: re.Match[str]) -> str:
        formula = found.group()
        if counts[formula] == 1 or len(formula.encode()) < SHORT or formula not in seen:
            seen.add(formula)
            return formula
        number = numbers.setdefault(formula, len(numbers))
        return Markup("<i data-f={}>{}</i>").format(number, in_line(formula))

    return _FORMULA.sub(numbered, text), list(numbers)
