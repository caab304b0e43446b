"""Counters as LaTeX has them: who resets whom, and how a number is printed.

Main definitions: `Counters`, with those of a class; `printed`, a number in one of LaTeX's styles.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# From the outermost on, each reset by the one before, with the level that `secnumdepth` is held against.
LEVELS = {
    "part": -1,
    "chapter": 0,
    "section": 1,
    "subsection": 2,
    "subsubsection": 3,
    "paragraph": 4,
    "subparagraph": 5,
}

# No number is longer, unless it stands for itself.
LONGEST = 60

_PRINTED = re.compile(r"\\(arabic|alph|Alph|roman|Roman|value)\s*\{\s*([^{}]+?)\s*\}")
_THE = re.compile(r"\\the([A-Za-z@]+)")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_SMALL_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def printed(style: str, number: int) -> str:
    """`number` as `\\arabic`, `\\alph` or another of LaTeX's styles prints it; in figures where the style has none."""
    if style in ("alph", "Alph") and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter.upper() if style == "Alph" else letter
    if style in ("roman", "Roman") and number > 0:
        text, rest = "", number
        for value, letters in (*_ROMAN, *_SMALL_ROMAN):
            text += letters * (rest // value)
            rest %= value
        return text.upper() if style == "Roman" else text
    return str(number)


class Counters:
    """The counters of a document, by name.

    `expand` replaces the macros of the paper in the text of a `\\the...` by what they stand for.
    """

    def __init__(self, expand: Callable[[str], str] = lambda text: text) -> None:
        self._expand = expand
        self._values: dict[str, int] = {}
        self._within: dict[str, str] = {}
        self._formats: dict[str, str] = {}
        self._same: dict[str, str] = {}
        self.chapters = False
        self.depth = 3
        for name in ("part", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "equation"):
            self.new(name)
        for inner, outer in (
            ("subsection", "section"),
            ("subsubsection", "subsection"),
            ("paragraph", "subsubsection"),
            ("subparagraph", "paragraph"),
        ):
            self.within(inner, outer)
        self._formats["part"] = r"\Roman{part}"

    def has_chapters(self) -> None:
        """Let there be chapters, as in a book: they number sections, and displays where there is one."""
        if self.chapters:
            return
        self.chapters, self.depth = True, 2
        self.new("chapter")
        # What the paper has said of these before holds.
        self._within.setdefault("section", "chapter")
        self._within.setdefault("equation", "chapter")

    def new(self, name: str, within: str = "") -> None:
        """A counter at 0."""
        self._values[name] = 0
        if within:
            self.within(name, within)

    def alias(self, name: str, other: str) -> None:
        """Let `name` be a further name of the counter `other`."""
        if self._counter(other) != name:
            self._same[name] = other

    def within(self, name: str, outer: str) -> None:
        """Let a step of `outer` reset a counter, whose number stands behind that of `outer` from now on."""
        self._within[name] = self._counter(outer)
        self._formats.pop(name, None)

    def resets(self, name: str, outer: str) -> None:
        """Let a step of `outer` reset a counter that is printed as before."""
        before = self.format(name)
        self.within(name, outer)
        self._formats[name] = before

    def without(self, name: str) -> None:
        """Let nothing reset a counter, which is printed alone from now on."""
        self._within.pop(name, None)
        self._formats.pop(name, None)

    def format(self, name: str) -> str:
        """The text of `\\the...`, by default the number behind that of the outer counter."""
        counter = self._counter(name)
        if name in self._formats or counter in self._formats:
            return self._formats[name if name in self._formats else counter]
        outer = self._within.get(counter)
        own = rf"\arabic{{{counter}}}"
        if outer is None:
            return own
        # A book prints the number of a display alone while there is no chapter.
        alone = counter == "equation" and outer == "chapter" and not self._values.get("chapter")
        return own if alone else rf"\the{outer}.{own}"

    def print_as(self, name: str, text: str | None) -> str | None:
        """Let a counter be printed as `text`, or as by default; return how it was."""
        before = self._formats.pop(name, None)
        if text is not None:
            self._formats[name] = text
        return before

    def appendix(self) -> None:
        """Count the outermost sections by letters from now on, from the first one."""
        name = "chapter" if self.chapters else "section"
        self._values[name] = 0
        self._reset_below(name)
        self._formats[name] = rf"\Alph{{{name}}}"

    def step(self, name: str) -> str:
        """Count one on, reset what is counted within, and return the number as it is printed."""
        counter = self._counter(name)
        self.set(counter, self.value(counter) + 1)
        self._reset_below(counter)
        return self.the(name)

    def set(self, name: str, value: int) -> None:
        """Set a counter and nothing else."""
        self._values[self._counter(name)] = value

    def value(self, name: str) -> int:
        """Where a counter stands."""
        return self._values.get(self._counter(name), 0)

    def known(self, name: str) -> bool:
        """Whether there is such a counter."""
        return self._counter(name) in self._values

    def the(self, name: str, depth: int = 0) -> str:
        """What `\\the...` prints."""
        text = self._expand(self.format(name))

        def number(found: re.Match[str]) -> str:
            return printed(found[1], self.value(found[2]))

        def other(found: re.Match[str]) -> str:
            return self.the(found[1], depth + 1) if depth < len(LEVELS) and self.known(found[1]) else found[0]

        return _THE.sub(other, _PRINTED.sub(number, text))[:LONGEST]

    def _counter(self, name: str) -> str:
        for _ in self._same:
            if name not in self._same:
                break
            name = self._same[name]
        return name

    def _reset_below(self, name: str) -> None:
        below, found = [name], set[str]()
        while below:
            outer = below.pop()
            inner = {counter for counter, by in self._within.items() if by == outer} - found
            self._values.update(dict.fromkeys(inner, 0))
            found |= inner
            below += inner
