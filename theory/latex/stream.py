"""LaTeX files as one stream of tokens: with what they include in its place, without comments and what is switched off.

Main definitions: `Stream`, of the tokens of a main file; `Token`, with the file and the line that it comes from; and
`Problem`, what could not be read. pylatexenc splits the text; macros of the paper are replaced where their text has
labels, references, environments or definitions in it, and all others are left as they are written.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pylatexenc.latexwalker import LatexWalker, LatexWalkerEndOfStream, LatexWalkerParseError
from pylatexenc.macrospec import LatexContextDb

# So many texts one in another at most: macros that stand for themselves have no end.
DEEPEST = 60
# In a title so many macros are replaced at most.
MOST_REPLACED = 100

VERBATIM = {"verbatim", "Verbatim", "lstlisting", "minted", "comment", "filecontents", "alltt", "tikzpicture"}

# Environments that say nothing of statements, so that macros with nothing else in them are left as they are.
_PLAIN = {
    *("center", "itemize", "enumerate", "description", "array", "tabular", "figure", "table", "minipage", "flushleft"),
    *(
        "flushright",
        "quote",
        "small",
        "split",
        "aligned",
        "gathered",
        "cases",
        "bmatrix",
        "pmatrix",
        "matrix",
        "vmatrix",
    ),
    *("smallmatrix", "document", "abstract", "list", "trivlist"),
}
_TOLD = re.compile(
    r"\\(?:begin\s*\{(?P<begun>[^}]*)\}|end\s*\{(?P<ended>[^}]*)\}|label|tag|notag|nonumber|\[|\]|input|include|appendix|"
    r"(?:sub)*section|chapter|newtheorem|declaretheorem|spnewtheorem|numberwithin|counterwithin|(?:re)?newenvironment|"
    r"setcounter|addtocounter|csname|(?:end)?(?:equation|align|gather|multline|eqnarray)|[A-Za-z]*[rR]ef(?:range)?)(?![A-Za-z])"
)
_CONDITIONS = {
    *(
        "if",
        "ifcat",
        "ifnum",
        "ifdim",
        "ifodd",
        "ifvmode",
        "ifhmode",
        "ifmmode",
        "ifinner",
        "ifvoid",
        "ifhbox",
        "ifvbox",
    ),
    *(
        "ifx",
        "ifeof",
        "iftrue",
        "iffalse",
        "ifcase",
        "ifdefined",
        "ifcsname",
        "iffontchar",
        "ifpdf",
        "ifxetex",
        "ifluatex",
    ),
}
_DECIDED = {"iftrue": True, "iffalse": False, "ifpdf": True, "ifxetex": False, "ifluatex": False, "ifmmode": False}

# What is read where it stands, whatever a paper defines it as.
_KEPT = {
    *("begin", "end", "label", "ref", "eqref", "cref", "Cref", "autoref", "tag", "section", "subsection", "chapter"),
    *("subsubsection", "paragraph", "part", "appendix", "input", "include", "newtheorem", "item", "documentclass"),
    *("maketitle", "title", "author", "date", "caption", "footnote", "thanks", "newcommand", "def", "ifthenelse"),
}

# Text up to what means something, in one token.
_WORDS = re.compile(r"[ \t]*\n?[ \t]*([^\\%{}$\[\]*#\s][^\\%{}$\[\]*#\n]*)")
_AT = re.compile(r"\\([A-Za-z@]+)[ \t]*")
# What begins text that stands for itself up to the same sign, with some macros after the name of a language.
_VERB = re.compile(r"\*?(.)")
_LISTING = re.compile(r"\*?(?:\[[^\]]*\])?(?:\{[a-z]+\}(?=\S))?([^\sA-Za-z])")
_NAME = re.compile(r"\s*([^\s\\%{}]+)")
# An argument in braces, with two levels of braces in it.
_GROUP = re.compile(r"\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_PARAMETERS = re.compile(r"((?:#\d)*)\s*")

_DEFINING = {"newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"}
_DEFINING_ENVIRONMENTS = {"newenvironment", "renewenvironment"}
_DOCUMENT_COMMANDS = {"NewDocumentCommand", "RenewDocumentCommand", "DeclareDocumentCommand", "ProvideDocumentCommand"}
_DOCUMENT_ENVIRONMENTS = {"NewDocumentEnvironment", "RenewDocumentEnvironment", "DeclareDocumentEnvironment"}
_PACKAGES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}


class SourceError(Exception):
    """A source from which nothing can be read; the message says why in a sentence."""


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """What could not be read, and where."""

    place: Place
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


@dataclass(frozen=True)
class Token:
    """A piece of the source.

    `kind` is macro, open, close, math or text; `text` the name of a macro or what stands there; `raw` is the same as
    written, with the blanks before it and those that a macro takes.
    """

    kind: str
    text: str
    raw: str
    place: Place


@dataclass(frozen=True)
class _Definition:
    """What a macro stands for; an argument is m, s or o, the last with what stands for it where it is not given."""

    arguments: tuple[tuple[str, str], ...]
    text: str
    end: str = ""


@dataclass
class _Text:
    """A text that is being read: a file, or what a macro stands for, with one place for all of it."""

    source: str
    name: str
    at: bool = False
    package: bool = False
    folder: Path | None = None
    place: Place | None = None
    position: int = 0
    opened: int = 0
    path: Path | None = None
    after: list[Token] = field(default_factory=list)
    walker: LatexWalker = field(init=False)
    lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.walker = LatexWalker(self.source, latex_context=LatexContextDb(), tolerant_parsing=True)
        self._outside = self._state = self.walker.make_parsing_state()
        self._inline = self._state.sub_context(in_math_mode=True, math_mode_delimiter="$")
        self.lines = [found.start() for found in re.finditer("\n", self.source)]

    def where(self, position: int) -> Place:
        """The place of a position."""
        return self.place or Place(self.name, bisect.bisect_left(self.lines, position) + 1)

    def token(self) -> Token | None:
        """The next token; None at the end."""
        while True:
            start = self.position
            words = _WORDS.match(self.source, start)
            if words is not None:
                self.position = words.end()
                return Token("text", words[1], words[0], self.where(words.start(1)))
            try:
                found = self.walker.get_token(start, environments=False, parsing_state=self._state)
            except (LatexWalkerEndOfStream, LatexWalkerParseError):
                self.position = len(self.source)
                return None
            name, end = found.arg, found.pos + found.len
            if found.tok == "macro" and self.at:
                match = _AT.match(self.source, found.pos)
                if match is not None:
                    name, end = match[1], match.end()
            self.position = end
            if found.tok == "comment":
                # A blank line after it is the end of a paragraph, and is left there.
                continue
            if found.tok == "mathmode_inline" and name == "$":
                self._state = self._inline if self._state is self._outside else self._outside
            elif name == "\n\n":
                # As TeX does: no formula in a line goes on in the next paragraph.
                self._state = self._outside
            kinds = {"macro": "macro", "brace_open": "open", "brace_close": "close"}
            kind = kinds.get(found.tok, "math" if found.tok.startswith("mathmode") else "text")
            return Token(kind, str(name), self.source[start:end], self.where(found.pos))


def _read(file: Path) -> str:
    """The text of a file, in UTF-8 or, where it is not, in Latin-1."""
    content = file.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Stream:
    """The tokens of a paper whose main file is `main`; what could not be read is in `problems`.

    `printed_as` is told how the paper has a counter printed, the text of a `\\the...`, and says whether there is such a
    counter; `counted_as` that a counter is another one from now on. Raises `SourceError` for a main file that cannot be
    read or holds nothing.
    """

    def __init__(
        self,
        main: Path,
        printed_as: Callable[[str, str], bool] = lambda counter, text: False,
        counted_as: Callable[[str, str], None] = lambda counter, other: None,
    ) -> None:
        self._printed_as, self._counted_as = printed_as, counted_as
        self.folder = main.resolve().parent
        self.problems: list[Problem] = []
        self.opened: list[Place] = []
        self.texts: dict[str, _Definition] = {}
        self.classes: list[str] = []
        self.packages: set[str] = set()
        self.environments: dict[str, _Definition] = {}
        self._macros: dict[str, _Definition] = {}
        self._switches: dict[str, bool] = {}
        self._open_conditions = 0
        self._pushed: list[Token] = []
        self._fence: _Text | None = None
        try:
            source = _read(main)
        except OSError as error:
            raise SourceError(f"{main}: cannot be read: {error.strerror}") from None
        if not source.strip():
            raise SourceError(f"{main}: there is nothing in it")
        if "\0" in source:
            raise SourceError(f"{main}: this is no text; name the .tex file of the paper")
        self._stack = [_Text(source, main.name, folder=self.folder, path=main.resolve())]
        self.place = Place(main.name, 1)

    @property
    def in_package(self) -> bool:
        """Whether a class or a package is being read."""
        return any(text.package for text in self._stack)

    def problem(self, what: str, place: Place | None = None) -> None:
        """Note what could not be read, once; of classes and packages nothing is expected."""
        found = Problem(place or self.place, what)
        if not self.in_package and found not in self.problems:
            self.problems.append(found)

    # Tokens

    def raw(self) -> Token | None:
        """The next token as it stands, with nothing replaced; None at the end."""
        if self._pushed:
            token = self._pushed.pop()
            self.place = token.place
            return token
        while self._stack:
            text = self._stack[-1]
            found = text.token()
            if found is not None:
                self.place = found.place
                return found
            if text is self._fence:
                return None
            if text.package:
                del self.opened[text.opened :]
            self._stack.pop()
            if text.after:
                self._pushed = text.after
                return self.raw()
        return None

    @contextmanager
    def _within_file(self) -> Iterator[None]:
        """While it lasts, the file that is being read ends the stream: no argument goes on in another one."""
        before = self._fence
        self._fence = next((text for text in reversed(self._stack) if text.path is not None), None)
        try:
            yield
        finally:
            self._fence = before

    def push(self, *tokens: Token) -> None:
        """Give tokens back, which come next again, the first one first."""
        self._pushed += reversed(tokens)

    def next(self) -> Token | None:
        """The next token of what LaTeX would typeset: files, macros and switches are in their place."""
        while (token := self.raw()) is not None:
            if token.kind == "open":
                self.opened.append(token.place)
            elif token.kind == "close":
                if self.opened:
                    self.opened.pop()
                else:
                    self.problem("a brace is closed that was not opened", token.place)
                    continue
            elif token.kind == "macro" and self._is_done(token):
                continue
            return token
        return None

    def _is_done(self, token: Token) -> bool:
        """Do what a macro says about the source itself; whether it is one of these."""
        name = token.text
        if name in ("input", "include", "subfile", "subfileinclude", "InputIfFileExists"):
            self._include(token.place)
        elif name in ("import", "subimport"):
            base = self.name()
            self._include(token.place, base)
        elif name in _PACKAGES:
            self._load(name)
        elif name in _DEFINING:
            self._define(name)
        elif name in _DEFINING_ENVIRONMENTS:
            self._define_environment()
        elif name in _DOCUMENT_COMMANDS:
            named = self.command()
            self._macro(named, _Definition(_specified(self.group()), self.group(long=True)))
        elif name in _DOCUMENT_ENVIRONMENTS:
            named, arguments = self.group(), _specified(self.group())
            self._environment(named, _Definition(arguments, self.group(long=True), self.group(long=True)))
        elif name in ("def", "gdef", "edef", "xdef"):
            self._define_plainly()
        elif name == "let":
            self._let()
        elif name == "csname":
            self._by_name(token)
        elif name in ("verb", "lstinline", "mintinline"):
            self._skip_verbatim(name)
        elif name == "makeatletter" or name == "makeatother":
            self._stack[-1].at = name == "makeatletter"
        elif name == "newif":
            named = self.command()
            self._switches[named.removeprefix("if")] = False
        elif name in ("else", "or", "fi"):
            self._leave_branch(name)
        elif name.endswith(("true", "false")) and name.removesuffix("true").removesuffix("false") in self._switches:
            self._switches[name.removesuffix("true").removesuffix("false")] = name.endswith("true")
        elif self._is_condition(name):
            self._branch(token)
        elif name in self._macros:
            self._expand(token)
        else:
            return False
        return True

    # Arguments

    def star(self) -> bool:
        """Whether a star comes next, which is taken."""
        token = self.raw()
        if token is not None and token.kind == "text" and token.text.startswith("*"):
            return True
        if token is not None:
            self.push(token)
        return False

    def optional(self) -> str | None:
        """The argument in brackets that comes next, if one does."""
        token = self.raw()
        if token is None or token.kind != "text" or token.text != "[":
            if token is not None:
                self.push(token)
            return None
        taken, depth = [token], 0
        with self._within_file():
            while (token := self.raw()) is not None:
                taken.append(token)
                depth += {"open": 1, "close": -1}.get(token.kind, 0)
                if token.text == "]" and token.kind == "text" and depth == 0:
                    return "".join(t.raw for t in taken[1:-1]).strip()
                if token.text == "\n\n" or depth < 0:
                    break
        self.problem("a bracket is opened and not closed", taken[0].place)
        self.push(*taken[1:])
        return None

    def name(self) -> str:
        """The argument that comes next where it is a name; empty where a macro stands in it, which is taken no more."""
        return " ".join(self.group(plain=True).split())

    def group(self, long: bool = False, plain: bool = False) -> str:
        """The argument that comes next, as it is written; a paragraph ends it unless it is long, a macro if plain."""
        first = self.raw()
        if first is None or first.text == "\n\n":
            # The end of a paragraph is an argument, too.
            return ""
        if first.kind == "close":
            self.push(first)
            return ""
        if first.kind != "open":
            if first.kind == "text" and len(first.text) > 1:
                self.push(Token("text", first.text[1:], first.text[1:], first.place))
                return first.text[0]
            return first.raw.strip()
        taken: list[Token] = []
        depth = 1
        with self._within_file():
            while (token := self.raw()) is not None:
                depth += {"open": 1, "close": -1}.get(token.kind, 0)
                if depth == 0:
                    return "".join(t.raw for t in taken)
                if plain and token.kind == "macro":
                    self.push(token)
                    taken.clear()
                    break
                if token.text == "\n\n" and not long:
                    self.push(token)
                    break
                taken.append(token)
        self.problem("a brace is opened and not closed", first.place)
        if long:
            self.push(*taken)
            return ""
        return "".join(t.raw for t in taken)

    def command(self) -> str:
        """The name of a macro that comes next, with or without braces and star."""
        self.star()
        return self.group().strip().removeprefix("\\").strip()

    # Files

    def _include(self, place: Place, base: str = "") -> None:
        text = self._stack[-1] if self._stack and not self._pushed else None
        token = self.raw()
        if token is None:
            return
        self.push(token)
        if token.kind == "open" or text is None or text.place is not None:
            name = self.name()
        else:
            # As in plain TeX, up to a blank.
            self._pushed.pop()
            match = _NAME.match(text.source, text.position - len(token.raw))
            if match is None:
                return
            name, text.position = match[1], match.end()
        self._open(name.strip('"'), place, base)

    def _open(self, name: str, place: Place, base: str) -> None:
        near = [text.folder for text in reversed(self._stack) if text.folder is not None]
        for folder in dict.fromkeys((self.folder, *near)):
            for candidate in (folder / base / f"{name}.tex", folder / base / name):
                if os.path.isfile(candidate):
                    self._enter(candidate.resolve(), name, place)
                    return
        self.problem(f"there is no file {base}{name} to include", place)

    def _enter(self, file: Path, name: str, place: Place) -> None:
        if any(text.path == file for text in self._stack):
            self.problem(f"{name} includes itself, and is read once", place)
            return
        try:
            source = _read(file).replace("\0", "")
        except OSError as error:
            self.problem(f"{name} cannot be read: {error.strerror}", place)
            return
        shown = file.relative_to(self.folder) if file.is_relative_to(self.folder) else file.name
        self._stack.append(_Text(source, str(shown), folder=file.parent, path=file))

    def _load(self, name: str) -> None:
        """Note a class or packages, and read those that lie beside the main file."""
        self.optional()
        for word in self.name().split(","):
            named = word.strip()
            if name in ("documentclass", "LoadClass"):
                self.classes.append(named)
            self.packages.add(named)
            file = self.folder / f"{named}{_PACKAGES[name]}"
            if os.path.isfile(file) and not any(text.path == file for text in self._stack):
                text = _Text(_read(file), file.name, at=True, package=True, folder=file.parent, path=file)
                text.opened = len(self.opened)
                self._stack.append(text)

    # Definitions

    def _define(self, name: str) -> None:
        named = self.command()
        count, default = self.optional(), self.optional()
        definition = _Definition(_numbered(count, default), self.group(long=True))
        if name != "providecommand" or named not in {*self.texts, *self._macros}:
            self._macro(named, definition)

    def _define_environment(self) -> None:
        self.star()
        named = self.group().strip()
        count, default = self.optional(), self.optional()
        begin, end = self.group(long=True), self.group(long=True)
        self._environment(named, _Definition(_numbered(count, default), begin, end))

    def _define_plainly(self) -> None:
        """`\\def` with arguments one after the other; with anything between them it is left alone."""
        token = self.raw()
        if token is None or token.kind != "macro":
            return
        between = ""
        while (other := self.raw()) is not None and other.kind != "open":
            between += other.raw
        if other is None:
            return
        self.push(other)
        text = self.group(long=True)
        parameters = _PARAMETERS.fullmatch(between.strip())
        if parameters is not None:
            self._macro(token.text, _Definition((("m", ""),) * (len(parameters[1]) // 2), text))

    def _let(self) -> None:
        named, other = self.command(), self.raw()
        if other is not None and other.text.strip() == "=":
            other = self.raw()
        if other is None or other.kind != "macro":
            return
        if named.startswith("c@") and other.text.startswith("c@"):
            self._counted_as(named.removeprefix("c@"), other.text.removeprefix("c@"))
        elif other.text in self._macros:
            self._macros[named] = self._macros[other.text]

    def _by_name(self, first: Token) -> None:
        """The macro whose name stands up to `\\endcsname` comes next."""
        named = ""
        while (token := self.raw()) is not None:
            if token.kind == "macro":
                if token.text != "endcsname":
                    self.push(token)
                break
            named += token.raw
        self.push(Token("macro", named.strip(), first.raw, first.place))

    def _macro(self, name: str, definition: _Definition) -> None:
        if name.startswith("the") and self._printed_as(name.removeprefix("the"), definition.text):
            return
        self.texts[name] = definition
        self._macros.pop(name, None)
        if name not in _KEPT and self._says_something(definition.text):
            self._macros[name] = definition

    def _says_something(self, text: str) -> bool:
        """Whether a text has to do with statements, itself or by another macro in it."""
        for found in _TOLD.finditer(text):
            if (found["begun"] or found["ended"] or "").rstrip("*") not in _PLAIN:
                return True
        return any(name in self._macros for name in re.findall(r"\\([A-Za-z@]+)", text))

    def _environment(self, name: str, definition: _Definition) -> None:
        self.environments.pop(name, None)
        if self._says_something(definition.text + definition.end):
            self.environments[name] = definition

    def expanded(self, text: str) -> str:
        """`text` with the macros of the paper replaced, those with arguments where these are in braces.

        After so many the rest is left as it is written.
        """
        return self._replaced(text, [MOST_REPLACED])

    def _replaced(self, text: str, left: list[int]) -> str:
        said, at = "", 0
        for found in re.finditer(r"\\([A-Za-z@]+)\s*", text):
            definition = self.texts.get(found[1])
            if definition is None or found.start() < at or left[0] <= 0:
                continue
            given, end = [], found.end()
            for kind, _ in definition.arguments:
                group = _GROUP.match(text, end) if kind == "m" else None
                if group is None:
                    break
                given.append(group[1])
                end = group.end()
            if len(given) < len(definition.arguments):
                continue
            left[0] -= 1
            said += text[at : found.start()]
            # So that its first letters do not go to a macro before it, nor its end to what comes after.
            said += " " * bool(re.search(r"\\[A-Za-z@]+$", said))
            said += self._replaced(_filled(definition.text, given), left)
            at = end if definition.arguments else found.start() + 1 + len(found[1])
        return said + text[at:]

    def _expand(self, token: Token) -> None:
        definition = self._macros[token.text]
        self.enter(definition.text, self.arguments(definition), token)

    def arguments(self, definition: _Definition) -> list[str]:
        """The arguments that a macro or an environment takes next."""
        given = []
        for kind, default in definition.arguments:
            if kind == "s":
                given.append("*" if self.star() else "")
            elif kind == "o":
                found = self.optional()
                given.append(default if found is None else found)
            else:
                given.append(self.group(long=True))
        return given

    def enter(self, text: str, given: list[str], token: Token) -> None:
        """Read a text next, with arguments in their places, as if it stood where `token` does."""
        if len(self._stack) > DEEPEST:
            self.problem(f"\\{token.text} stands for itself without end", token.place)
            self._macros.pop(token.text, None)
            self.environments.pop(token.text, None)
            return

        source = _filled(text, given)
        # What was given back comes after it.
        self._stack.append(_Text(source, token.place.file, at="@" in source, place=token.place, after=self._pushed))
        self._pushed = []

    # What is switched off

    def _is_condition(self, name: str) -> bool:
        return name in _CONDITIONS or (name.startswith("if") and name.removeprefix("if") in self._switches)

    def _branch(self, token: Token) -> None:
        name = token.text
        switch = name.removeprefix("if")
        taken = self._switches.get(switch, _DECIDED.get(name))
        if taken is None and name == "ifdefined":
            taken = self.command() in {*self.texts, *self._macros}
        if taken is None:
            self.problem(f"what \\{name} decides is not known here; its first branch is read", token.place)
            taken = True
        if taken or self._skip() == "else":
            self._open_conditions += 1

    def _leave_branch(self, name: str) -> None:
        if self._open_conditions and (name == "fi" or self._skip() == "fi"):
            self._open_conditions -= 1

    def _skip(self) -> str:
        """Leave out what is switched off; the `else` or `fi` that ends it."""
        depth, start = 0, self.place
        with self._within_file():
            while (token := self.raw()) is not None:
                if token.kind != "macro":
                    continue
                if self._is_condition(token.text):
                    depth += 1
                elif token.text == "fi" and depth:
                    depth -= 1
                elif token.text in ("fi", "else") and not depth:
                    return token.text
                elif token.text == "newif":
                    self.command()
        self.problem("what is switched off here has no end", start)
        return "fi"

    def _skip_verbatim(self, name: str) -> None:
        text = self._stack[-1] if self._stack else None
        if text is None or self._pushed:
            return
        found = (_VERB if name == "verb" else _LISTING).match(text.source, text.position)
        if found is not None:
            closing = "}" if found[1] == "{" else found[1]
            end = text.source.find(closing, found.end())
            text.position = len(text.source) if end < 0 else end + 1

    def skip_environment(self, name: str, place: Place) -> None:
        """Leave out what stands up to the end of an environment."""
        text = self._stack[-1] if self._stack else None
        end = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(text.source, text.position) if text else None
        if text is None or end is None:
            self.problem(f"\\begin{{{name}}} is not closed", place)
        else:
            text.position = end.end()


def _filled(text: str, given: list[str]) -> str:
    """The text of a macro with its arguments in their places."""

    def argument(found: re.Match[str]) -> str:
        at = -1 if found[1] == "#" else int(found[1]) - 1
        return "#" if at < 0 else given[at] if at < len(given) else ""

    return re.sub(r"#([#\d])", argument, text)


def _numbered(count: str | None, default: str | None) -> tuple[tuple[str, str], ...]:
    """The arguments of `\\newcommand[count][default]`."""
    number = int(count) if count is not None and count.strip().isdigit() else 0
    arguments = [("m", "")] * number
    if number and default is not None:
        arguments[0] = ("o", default)
    return tuple(arguments)


def _specified(text: str) -> tuple[tuple[str, str], ...]:
    """The arguments of `\\NewDocumentCommand`; those of rare kinds count as arguments in braces."""
    found = re.findall(r"([msotdr])|O\s*\{([^}]*)\}", text.replace("+", ""))
    return tuple(("o" if kind in ("", "o") else kind if kind == "s" else "m", default) for kind, default in found)
