"""The statements, displays and proofs of a paper, read from its LaTeX source and numbered as LaTeX numbers them.

Main definition: `read`, which gives a `Document`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from theory.latex.counters import LEVELS, Counters
from theory.latex.items import Document, Item, Proof, Reference
from theory.latex.stream import VERBATIM, Place, Stream, Token

# Classes that count chapters; one that is not known here does once it has a chapter.
BOOKS = {"book", "report", "memoir", "amsbook", "scrbook", "scrreprt", "svmono", "svmult", "extbook", "extreport"}

# Environments that packages of a paper's style define, which the source need not show.
USUAL = ("theorem", "lemma", "corollary", "proposition", "definition", "assumption", "claim", "conjecture", "fact")

SINGLE = {"equation", "multline", "dmath", "math", "displaymath"}
ROWS = {"align", "gather", "eqnarray", "alignat", "flalign", "xalignat", "IEEEeqnarray", "dgroup"}
# These are macros as well, as all environments are.
DISPLAYS = {"equation", "multline", "align", "gather", "eqnarray"}
UNNUMBERED = {"math", "displaymath", r"\[", "$$"}
# A label in one of these is that of a picture or a program.
FLOATS = {"figure", "table", "algorithm", "algorithmic", "listing", "wrapfigure", "lstlisting", "algorithm2e"}

_PROOF = re.compile(r"(?:.*proof.*|pf|prf|pfof|demo)\*?", re.IGNORECASE)
_REFERENCE = re.compile(r"[A-Za-z]*[rR]ef(?:s|range|name)?")
_SURE = {
    *("ref", "eqref", "cref", "Cref", "autoref", "vref", "Vref", "nameref", "hyperref", "labelcref", "crefrange"),
    *("Crefrange", "refeq", "zcref", "thref"),
}
_NOT_TO_STATEMENTS = {"href", "pageref", "cpageref", "nolinkref", "bibref", "phantomref"}
_KEYS = re.compile(r"\s*(?:name|label|restate|note|continues|store|title)\s*=")
_KEY = re.compile(r"([a-z]+)\s*=\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^,{}]*(?:\{[^{}]*\}[^,{}]*)*)")
_AGAIN = re.compile(r"restat|repeat|again|informal", re.IGNORECASE)
# Ends the text that is read for itself; no source holds it.
_END = "lemmatatextend"
# More than this says nothing more about what a statement is about.
_LONGEST = 6000
# A heading or a name is not longer, unless a brace is missing.
LONGEST_NAME = 60


@dataclass
class _Theorem:
    """What `\\newtheorem` says: the heading, and the counter, empty for none."""

    heading: str
    counter: str


@dataclass
class _Scope:
    """What ends with a brace or an environment, and how counters were printed before it."""

    environment: str = ""
    place: Place = field(default_factory=lambda: Place("", 0))
    kind: str = ""
    item: Item | None = None
    proof: Proof | None = None
    unnumbered: bool = False
    tag: str | None = None
    equation: int = 0
    printed: list[tuple[str, str | None]] = field(default_factory=list)


@dataclass
class _Heading:
    level: int
    where: str
    proof: Proof | None


def read(main: Path) -> Document:
    """What the source whose main file is `main` says.

    Raises `SourceError` for a file that cannot be read or holds nothing.
    """
    reader = _Reader(main)
    document = reader.read()
    if reader.referenced_alone is None:
        return document
    # Only displays that are referred to have a number, so that all references have to be known first.
    return _Reader(main, reader.referenced_alone).read()


class _Reader:
    def __init__(self, main: Path, referenced: frozenset[str] | None = None) -> None:
        self._document = Document(main.name)
        self._counters = Counters(lambda text: self._stream.expanded(text))
        self._stream = Stream(main, self._printed_as, self._counters.alias)
        self._document.expand = self._stream.expanded
        self._referenced = referenced
        self._referring: list[tuple[str, Reference]] = []
        self._theorems: dict[str, _Theorem] = {}
        self._restated: dict[str, Item] = {}
        self._scopes: list[_Scope] = []
        self._ends: dict[str, list[list[str]]] = {}
        self._headings: list[_Heading] = []
        self._last: Item | None = None
        self._appendix = False
        self._numbered = True
        self._ended = False

    @property
    def referenced_alone(self) -> frozenset[str] | None:
        """The labels of displays that have numbers, where only some have; None otherwise, or where that is known."""
        if self._referenced is not None:
            return None
        if "autonum" in self._stream.packages:
            return frozenset(reference.label for _, reference in self._referring)
        if "showonlyrefs" in self._stream.packages:
            return frozenset(r.label for name, r in self._referring if name in ("eqref", "refeq"))
        return None

    def read(self) -> Document:
        """The document."""
        while not self._ended and (token := self._stream.next()) is not None:
            self._token(token)
        for scope in reversed(self._scopes):
            if scope.environment and scope.environment != "document":
                self._problem(f"\\begin{{{scope.environment}}} is not closed", scope.place)
            self._close(scope)
        if self._stream.opened:
            self._problem("a brace is opened and not closed", self._stream.opened[0])
        for item in self._restated.values():
            if item.number == "??":
                item.number = ""
        self._document.problems = sorted(self._stream.problems, key=lambda problem: problem.place)
        return self._document

    def _problem(self, what: str, place: Place | None = None) -> None:
        self._stream.problem(what, place)

    # Tokens

    def _token(self, token: Token) -> None:
        if not self._counters.chapters and BOOKS & set(self._stream.classes):
            self._counters.has_chapters()
        if self._stream.in_package:
            # What it sets is no part of the text.
            if token.kind == "macro" and token.text in _DECLARED_IN_PACKAGES:
                _DECLARATIONS[token.text](self)
            return
        if token.kind == "open":
            self._scopes.append(_Scope())
        elif token.kind == "close":
            if self._scopes and not self._scopes[-1].environment:
                self._restore(self._scopes.pop())
        elif token.kind == "math" and token.text in (r"\[", r"\]", "$$"):
            self._display(token)
            return
        elif token.kind == "macro" and self._macro(token):
            return
        self._said(token.raw)

    def _said(self, raw: str) -> None:
        """Note what stands in the statements and the displays around."""
        for scope in self._scopes:
            if scope.item is not None and len(scope.item.parts) < _LONGEST:
                scope.item.parts.append(raw)

    def _macro(self, token: Token) -> bool:
        """Do what a macro says of statements; whether it says something."""
        name = token.text
        if name in ("begin", "end"):
            environment = self._stream.name()
            if environment:
                (self._begin if name == "begin" else self._end)(environment, token)
        elif name.rstrip("*") in DISPLAYS:
            self._begin(name, token)
        elif name.startswith("end") and name.removeprefix("end").rstrip("*") in DISPLAYS:
            self._end(name.removeprefix("end"), token)
        elif name in LEVELS:
            self._section(name, token)
        elif name == "label":
            self._stream.optional()
            self._label(self._stream.name())
        elif name in ("tag", "notag", "nonumber"):
            self._tag(name)
        elif name == "\\":
            self._row()
            return False
        elif name in self._restated:
            self._restate(name)
        elif name in _DECLARATIONS:
            _DECLARATIONS[name](self)
        elif _REFERENCE.fullmatch(name) and name not in _NOT_TO_STATEMENTS:
            self._refer(name, token)
        else:
            return False
        return True

    # Environments

    def _begin(self, name: str, token: Token) -> None:
        base = name.rstrip("*")
        if name in VERBATIM or base in VERBATIM:
            self._stream.skip_environment(name, token.place)
        elif base == "restatable":
            title = self._stream.optional()
            environment = self._stream.name()
            self._statement(name, environment, title, token, self._stream.command(), later=name.endswith("*"))
        elif name in self._theorems or base in self._theorems:
            self._statement(name, name, self._stream.optional(), token)
        elif base == "proof" or (_PROOF.fullmatch(name) and r"\begin{" not in self._definition(name)):
            self._proof(name, token)
        elif base in SINGLE | ROWS:
            scope = self._scope(name, token, "rows" if base in ROWS else "single")
            scope.unnumbered = name.endswith("*") or base in UNNUMBERED
            scope.item = self._new_display(token.place)
        elif base == "subequations":
            self._subequations(name, token)
        elif name in self._stream.environments:
            definition = self._stream.environments[name]
            given = self._stream.arguments(definition)
            self._ends.setdefault(name, []).append(given)
            self._stream.enter(definition.text, given, token)
        elif base in USUAL:
            self._problem(
                f"no file that was read defines the environment {base}; it is numbered by itself, from 1", token.place
            )
            self._theorems[base] = _Theorem(base.capitalize(), base)
            self._counters.new(base)
            self._statement(name, name, self._stream.optional(), token)
        else:
            if name in ("appendix", "appendices"):
                self._start_appendix()
            self._scope(name, token, "float" if base in FLOATS else "")
            self._said(f"\\begin{{{name}}}")

    def _definition(self, name: str) -> str:
        definition = self._stream.environments.get(name)
        return "" if definition is None else definition.text

    def _scope(self, name: str, token: Token, kind: str) -> _Scope:
        self._scopes.append(_Scope(name, token.place, kind))
        return self._scopes[-1]

    def _end(self, name: str, token: Token) -> None:
        if self._ends.get(name):
            given = self._ends[name].pop()
            definition = self._stream.environments.get(name)
            if definition is not None:
                self._stream.enter(definition.end, given, token)
            return
        if name not in [scope.environment for scope in self._scopes]:
            self._problem(f"\\end{{{name}}} closes nothing", token.place)
            return
        while (scope := self._scopes.pop()).environment != name:
            if scope.environment:
                self._problem(
                    f"\\begin{{{scope.environment}}} is not closed before \\end{{{name}}} in line {token.place.line}",
                    scope.place,
                )
            self._close(scope)
        self._close(scope)
        if scope.kind in ("", "float"):
            self._said(f"\\end{{{name}}}")
        self._ended = name == "document"

    def _close(self, scope: _Scope) -> None:
        if scope.kind in ("rows", "single"):
            self._finish_row(scope)
        elif scope.kind == "subequations":
            self._counters.set("equation", scope.equation)
            if scope.item is not None and scope.item.labels:
                self._document.items.append(scope.item)
        self._restore(scope)

    def _restore(self, scope: _Scope) -> None:
        for counter, text in reversed(scope.printed):
            self._counters.print_as(counter, text)

    def _printed_as(self, counter: str, text: str) -> bool:
        if not self._counters.known(counter):
            return False
        before = self._counters.print_as(counter, text)
        if self._scopes:
            self._scopes[-1].printed.append((counter, before))
        return True

    def _inner(self, *kinds: str) -> _Scope | None:
        """The innermost environment around of these kinds."""
        return next((scope for scope in reversed(self._scopes) if scope.kind in kinds), None)

    # Statements and proofs

    def _statement(
        self, name: str, environment: str, options: str | None, token: Token, macro: str = "", later: bool = False
    ) -> None:
        theorem = self._theorems.get(environment) or self._theorems.get(environment.rstrip("*"))
        if theorem is None:
            self._problem(f"no file that was read defines the environment {environment}", token.place)
            theorem = self._theorems[environment] = _Theorem(environment.capitalize(), environment)
            self._counters.new(environment)
        title, labels = options or "", list[str]()
        if _KEYS.match(title):
            keys = {key: value.strip().removeprefix("{").removesuffix("}") for key, value in _KEY.findall(title)}
            title = keys.get("name") or keys.get("title") or keys.get("note") or ""
            labels = [keys["label"]] if "label" in keys else []
            macro = macro or keys.get("restate", "") or keys.get("store", "")
        numbered = bool(theorem.counter) and (environment in self._theorems or not environment.endswith("*"))
        # A heading may be a macro that refers to a label: a theorem that is said again.
        heading, again = self._read(self._stream.expanded(theorem.heading.replace(r"\protect", "")), token)
        title, referred = self._read(title, token)
        number = "" if not numbered else "??" if later else self._counters.step(theorem.counter)
        again += [label.strip() for found in re.findall(r"\\ref\s*\{([^}]*)\}", number) for label in found.split(",")]
        if again:
            number = ""
        elif _AGAIN.search(title) or (not numbered and referred):
            again = referred or [title]
        proof, inside = self._inner("proof"), self._inner("statement")
        item = Item(
            _words(heading) or environment.capitalize(),
            number,
            token.place,
            self._where,
            environment,
            title,
            inside=inside.item if inside else None,
            proof=proof.proof if proof else None,
            again=again,
        )
        self._document.items.append(item)
        if item.proof is not None:
            item.proof.steps.append(item)
        scope = self._scope(name, token, "statement")
        scope.item = item
        for label in labels:
            self._label(label)
        if macro:
            self._restated[macro] = item
        if item.sort == "assertion":
            self._last = item

    def _restate(self, macro: str) -> None:
        """A statement that is said again by its macro; with `restatable*` it has its number where there is no star."""
        item = self._restated[macro]
        theorem = self._theorems.get(item.environment)
        if not self._stream.star() and theorem is not None and theorem.counter:
            number = self._counters.step(theorem.counter)
            if item.number == "??":
                item.number, item.where = number, self._where
        self._last = item

    def _proof(self, name: str, token: Token) -> None:
        definition = self._stream.environments.get(name)
        if definition is not None and name.rstrip("*") != "proof":
            title = " ".join(self._stream.arguments(definition))
        else:
            title = self._stream.optional() or ""
            if not title and re.fullmatch(r".*proof.*of\*?", name, re.IGNORECASE):
                title = self._stream.group()
        title, labels = self._read(title, token)
        sections = [heading.proof for heading in self._headings if heading.proof is not None]
        proof = Proof(token.place, title, labels, self._last, sections[-1] if sections else None)
        self._document.proofs.append(proof)
        self._scope(name, token, "proof").proof = proof

    # Sections

    @property
    def _where(self) -> str:
        return self._headings[-1].where if self._headings else ""

    def _section(self, name: str, token: Token) -> None:
        starred = self._stream.star()
        self._stream.optional()
        following = self._stream.raw()
        if following is not None:
            self._stream.push(following)
        if following is None or following.kind == "close":
            # It is named and not used, as for a package that sets it.
            return
        title, labels = self._read(self._stream.group(), token)
        if name == "chapter":
            self._counters.has_chapters()
        level = LEVELS[name]
        number = ""
        if not starred and self._numbered and level <= self._counters.depth:
            number = self._counters.step(name)
        self._headings = [heading for heading in self._headings if heading.level < level]
        kind = "Appendix" if self._appendix and level >= 0 else {-1: "Part", 0: "Chapter"}.get(level, "Section")
        where = f"{kind} {number}" if number else f"{kind} “{_words(title)}”"
        if level > 3 and self._headings:
            where = self._where
        proof = None
        if re.search(r"\bproof", title, re.IGNORECASE):
            proof = Proof(token.place, title, labels, self._last, is_section=True)
            self._document.proofs.append(proof)
        self._headings.append(_Heading(level, where, proof))

    def _start_appendix(self) -> None:
        if not self._appendix:
            self._appendix = True
            self._counters.appendix()

    # Displays

    def _new_display(self, place: Place) -> Item:
        statement, proof = self._inner("statement", "proof"), self._inner("proof")
        inside = statement.item if statement is not None and statement.kind == "statement" else None
        return Item("", "", place, self._where, inside=inside, proof=proof.proof if proof else None)

    def _display(self, token: Token) -> None:
        opens = token.text == r"\[" or (token.text == "$$" and "$$" not in [s.environment for s in self._scopes])
        if opens:
            scope = self._scope(token.text, token, "single")
            scope.unnumbered, scope.item = True, self._new_display(token.place)
        else:
            self._end(r"\[" if token.text == r"\]" else "$$", token)

    def _row(self) -> None:
        scope = self._scopes[-1] if self._scopes else None
        if scope is None or scope.kind != "rows":
            return
        self._finish_row(scope)
        scope.item, scope.tag = self._new_display(self._stream.place), None
        scope.unnumbered = scope.environment.endswith("*")

    def _finish_row(self, scope: _Scope) -> None:
        item = scope.item
        if item is None:
            return
        if scope.tag is not None:
            item.number = scope.tag
        elif not scope.unnumbered and (self._referenced is None or self._referenced & set(item.labels)):
            item.number = self._counters.step("equation")
        if item.labels:
            self._document.items.append(item)

    def _tag(self, name: str) -> None:
        scope = self._inner("rows", "single")
        if name == "tag":
            self._stream.star()
            tag = self._stream.group().strip()
            if scope is not None:
                scope.tag = tag
        elif scope is not None:
            scope.unnumbered = True

    def _subequations(self, name: str, token: Token) -> None:
        scope = self._scope(name, token, "subequations")
        number = self._counters.step("equation")
        scope.item, scope.equation = self._new_display(token.place), self._counters.value("equation")
        scope.item.number = number
        self._counters.set("equation", 0)
        self._printed_as("equation", number + r"\alph{equation}")

    # Labels and references

    def _label(self, label: str) -> None:
        if not label:
            return
        scope = self._inner("rows", "single", "subequations", "statement", "float", "proof")
        item = scope.item if scope is not None else None
        known = self._document.labels
        if label in known and known[label] is not item:
            self._problem(f"the label {label} is there twice; references lead to the first")
            return
        known[label] = item
        if item is not None and label not in item.labels:
            item.labels.append(label)

    def _refer(self, name: str, token: Token) -> None:
        self._stream.star()
        option = self._stream.optional()
        if name == "hyperref":
            if option is None:
                return
            given = option
        else:
            given = self._stream.name()
            if name.endswith("range"):
                given += f",{self._stream.name()}"
        scope = self._inner("statement", "proof")
        sections = [heading.proof for heading in self._headings if heading.proof is not None]
        if scope is not None and scope.item is not None:
            references = scope.item.references
        elif scope is not None and scope.proof is not None:
            references = scope.proof.references
        else:
            references = sections[-1].references if sections else []
        for label in filter(None, map(str.strip, given.split(","))):
            reference = Reference(label, token.place, name in _SURE)
            references.append(reference)
            self._referring.append((name, reference))
        self._said(rf"\ref{{{given}}}")

    def _read(self, text: str, token: Token) -> tuple[str, list[str]]:
        """A text for itself, such as a title, with macros in their place, and the labels it refers to.

        A label in it is that of what it belongs to, which has none of its own yet.
        """
        if "\\" not in text:
            return text.strip(), []
        said, labels = "", list[str]()
        self._stream.enter(f"{text}\\{_END} ", [], token)
        while (part := self._stream.next()) is not None and part.text != _END:
            if part.kind == "macro" and part.text == "label":
                self._document.labels.setdefault(self._stream.name(), None)
            elif part.kind == "macro" and _REFERENCE.fullmatch(part.text) and part.text not in _NOT_TO_STATEMENTS:
                self._stream.star()
                option = self._stream.optional()
                found = option or "" if part.text == "hyperref" else self._stream.name()
                labels += [label.strip() for label in found.split(",") if label.strip()]
                said += part.raw[: len(part.raw) - len(part.raw.lstrip())]
                said += "" if part.text == "hyperref" else rf"\ref{{{found}}}"
            else:
                said += part.raw
        return said.strip(), labels

    # What a source declares

    def _new_theorem(self) -> None:
        starred = self._stream.star()
        name = self._stream.group().strip()
        shared, heading, within = self._stream.optional(), self._stream.group(), self._stream.optional()
        self._theorem(name, heading, "" if starred else name, shared or "", within or "")

    def _sp_new_theorem(self) -> None:
        self._new_theorem()
        self._stream.group()
        self._stream.group()

    def _declare_theorem(self) -> None:
        options = self._stream.optional() or ""
        keys = {key: value.strip().removeprefix("{").removesuffix("}") for key, value in _KEY.findall(options)}
        shared = next((keys[key] for key in ("sibling", "numberlike", "sharenumber") if key in keys), "")
        within = next((keys[key] for key in ("parent", "numberwithin", "within") if key in keys), "")
        for word in self._stream.group().split(","):
            name = word.strip()
            heading = keys.get("name") or keys.get("title") or keys.get("heading") or name.capitalize()
            self._theorem(name, heading, "" if keys.get("numbered") in ("no", "false") else name, shared, within)

    def _theorem(self, name: str, heading: str, counter: str, shared: str, within: str) -> None:
        self._theorems[name] = _Theorem(heading, counter)
        if not counter:
            return
        if shared and shared != name:
            if not self._counters.known(shared):
                self._problem(f"the counter {shared} of the environment {name} is not known; it starts here")
                self._counters.new(shared)
            self._counters.alias(name, shared)
        elif not shared:
            self._counters.new(name, within)

    def _new_counter(self) -> None:
        name = self._stream.group().strip()
        self._counters.new(name, self._stream.optional() or "")

    def _alias_counter(self) -> None:
        self._counters.alias(self._stream.group().strip(), self._stream.group().strip())

    def _number_within(self) -> None:
        self._stream.star()
        self._stream.optional()
        inner, outer = self._stream.group().strip(), self._stream.group().strip()
        if outer == "chapter":
            self._counters.has_chapters()
        self._counters.within(inner, outer)

    def _number_without(self) -> None:
        self._stream.star()
        self._counters.without(self._stream.group().strip())
        self._stream.group()

    def _add_to_reset(self) -> None:
        self._counters.resets(self._stream.group().strip(), self._stream.group().strip())

    def _set_counter(self) -> None:
        self._count(0)

    def _add_to_counter(self) -> None:
        self._count(1)

    def _count(self, times: int) -> None:
        name, text = self._stream.group().strip(), self._stream.group()
        value = re.sub(
            r"\\value\s*\{([^}]*)\}|\\arabic\s*\{([^}]*)\}",
            lambda found: str(self._counters.value(found[1] or found[2])),
            self._stream.expanded(text),
        )
        if name in ("secnumdepth", "tocdepth"):
            if name == "secnumdepth" and re.fullmatch(r"\s*-?\d+\s*", value):
                self._counters.depth = int(value)
        elif re.fullmatch(r"\s*[-+]?\d+\s*", value):
            self._counters.set(name, times * self._counters.value(name) + int(value))
        elif self._counters.known(name):
            self._problem(f"the value {text.strip()} of the counter {name} is not understood; it stays as it is")

    def _step_counter(self) -> None:
        self._counters.step(self._stream.group().strip())

    def _set_section(self) -> None:
        self._stream.star()
        self._stream.group()

    def _front(self) -> None:
        self._numbered = False

    def _main(self) -> None:
        self._numbered = True

    def _tools(self) -> None:
        if re.search(r"showonlyrefs(?!\s*=\s*false)", self._stream.group()):
            self._stream.packages.add("showonlyrefs")

    def _title(self) -> None:
        self._stream.optional()
        title = self._stream.group(long=True)
        self._document.title = self._document.title or title

    def _author(self) -> None:
        self._stream.optional()
        self._document.authors.append(self._stream.group(long=True))

    def _date(self) -> None:
        self._document.date = self._stream.group(long=True)


def _words(text: str) -> str:
    """A short text without the macros that only set it."""
    plain = re.sub(r"\\(?:text[a-z]+|emph|bf|it|sc|rm|protect|boldmath|mathrm|mathbf)\b\s*", "", text)
    words = plain.replace("{", "").replace("}", "").replace("~", " ").replace("$", "")
    return textwrap.shorten(words, LONGEST_NAME, placeholder=" ...")


_DECLARATIONS: dict[str, Callable[[_Reader], None]] = {
    "newtheorem": _Reader._new_theorem,
    "spnewtheorem": _Reader._sp_new_theorem,
    "declaretheorem": _Reader._declare_theorem,
    "newcounter": _Reader._new_counter,
    "newaliascnt": _Reader._alias_counter,
    "numberwithin": _Reader._number_within,
    "counterwithin": _Reader._number_within,
    "counterwithout": _Reader._number_without,
    "@addtoreset": _Reader._add_to_reset,
    "setcounter": _Reader._set_counter,
    "addtocounter": _Reader._add_to_counter,
    "stepcounter": _Reader._step_counter,
    "refstepcounter": _Reader._step_counter,
    "appendix": _Reader._start_appendix,
    "appendices": _Reader._start_appendix,
    "titleformat": _Reader._set_section,
    "titlespacing": _Reader._set_section,
    "frontmatter": _Reader._front,
    "mainmatter": _Reader._main,
    "backmatter": _Reader._front,
    "mathtoolsset": _Reader._tools,
    "title": _Reader._title,
    "icmltitle": _Reader._title,
    "author": _Reader._author,
    "icmlauthor": _Reader._author,
    "date": _Reader._date,
}
_DECLARED_IN_PACKAGES = {
    *("newtheorem", "spnewtheorem", "declaretheorem", "newcounter", "newaliascnt", "numberwithin", "counterwithin"),
    *("counterwithout", "@addtoreset", "setcounter", "mathtoolsset"),
}
