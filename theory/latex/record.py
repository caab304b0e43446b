"""The record of a paper, made of what its LaTeX source says: every statement open, with what its proof refers to.

Main definitions: `recorded`, which gives a `Record`: the paper, and what was not read or was left out, in sentences;
`python`, the text of a file `paper.py`. Kinds, themes, and titles that the source does not give, are guesses.
"""

from __future__ import annotations

import difflib
import graphlib
import itertools
import json
import logging
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from theory.core.statements import Open, Paper, Statement
from theory.latex.items import Document, Item, Proof, Reference
from theory.latex.stream import SourceError

# How one statement uses another: it is a part of that, its proof refers to it, or its own text does.
PART, PROOF, TEXT = range(3)

OPEN = Open("no claim is about it yet; it was read from the source of the paper")

WIDTH = 120
LONGEST_TITLE = 76
# Texts are the same or not by so many letters.
COMPARED = 1500

# What words say of the kind and the theme of a statement, the surest first.
_KINDS = (
    ("convergence", re.compile(r"(?s)(?:gradient (?:descent|flow)|\bsgd\b|training).*(?:converg|rate|loss)")),
    ("probability", re.compile(r"probability|w\.h\.p|\\pr\b|\\mathbb\{?p\}?|\\bbp\b")),
    ("expectation", re.compile(r"expectation|expected|\\mathbb\{?e\}?|\\bbe\b|\\e\b")),
    ("asymptotic", re.compile(r"\\omega\(|\\theta\(|(?<![a-z\\])o\(|\\lesssim|\\gtrsim|constant")),
)
_DEFINES = re.compile(r":=|\\coloneqq|\\triangleq|\\stackrel|\\overset\{\\(?:text|mathrm)\{def|\\equiv")
_THEMES = (
    ("generalisation", re.compile(r"generali[sz]ation|rademacher|population|test error|unseen")),
    ("ntk", re.compile(r"tangent kernel|gram matri|eigenvalue|eigenvector|\bntk\b|kernel")),
    ("semi_smoothness", re.compile(r"semi-?smooth")),
    ("convergence", re.compile(r"gradient descent|gradient flow|converge|training|iterate|iterations")),
    ("separation", re.compile(r"separat|distinct|parallel")),
    ("sparse_spectral", re.compile(r"sparse|spectral|operator norm")),
    ("forward_stability", re.compile(r"perturb|pattern|flip|stab")),
    ("gradient_lower_bound", re.compile(r"gradient.*(?:lower|at least)|(?:lower|at least).*gradient")),
    ("gradient_upper_bound", re.compile(r"gradient")),
    ("smoothness", re.compile(r"smooth|lipschitz")),
    ("initialisation", re.compile(r"initiali[sz]|random weights")),
    ("norm_preservation", re.compile(r"norm of|norms|length")),
    ("activation", re.compile(r"activation|relu")),
)
_ELSE = "scalar_inequalities"

_BESIDE_NAMES = (
    *("thanks", "footnote", "email", "inst", "texttt", "affil", "orcid", "orcidlink", "url", "href"),
    *("textsuperscript", "corref", "fnref"),
)


@dataclass(frozen=True)
class Record:
    """A paper as its source has it.

    labels : the labels of each statement by its id, as they stand in the source
    unread : what could not be read or was left out, a sentence for each
    """

    paper: Paper
    labels: dict[str, tuple[str, ...]]
    unread: tuple[str, ...]


def recorded(document: Document, key: str | None = None, this_year: int = 0) -> Record:
    """The record of `document`, under `key` or one made of the first author and the year.

    Raises `SourceError` where there is neither a statement nor a display with a label.
    """
    return _Recording(document, key, this_year).record


@dataclass
class _Recording:
    document: Document
    asked: str | None
    this_year: int
    notes: list[str] = field(default_factory=list)
    proved: dict[Proof, list[Item]] = field(default_factory=dict)

    @property
    def record(self) -> Record:
        """The whole of it."""
        if not self.document.items:
            raise SourceError(f"{self.document.main}: there is no theorem in it and no display with a label")
        edges = self._without_circles(self._edges)
        statements, labels = [], {}
        for item in self._kept:
            name = self._ids[item]
            labels[name] = tuple(item.labels)
            statements.append(
                Statement(
                    id=name,
                    label=self.called(item),
                    title=self._title(item),
                    kind=self._kind(item),
                    theme=self._themes[item],
                    locator=", ".join(part for part in (item.where, self.called(item), str(item.place)) if part),
                    coverage=OPEN,
                    uses=tuple(self._ids[used] for used in self._kept if used in edges[item]),
                )
            )
        title = self.plain(_without(self.document.title, "thanks", "footnote")) or self.document.main
        paper = Paper(self.key, title, self.authors, self.year, tuple(statements))
        problems = [f"{problem}." for problem in self.document.problems]
        return Record(paper, labels, (*problems, *self.notes, *self._left_out))

    # What is the same

    @cached_property
    def _repeats(self) -> dict[Item, Item]:
        """Statements that are said again, each with the first."""
        found: dict[Item, Item] = {}
        first: dict[str, Item] = {}
        for item in self.document.items:
            if item.is_display:
                continue
            other = self._repeated(item) if item.again else None
            if other is None and item.number:
                other = first.setdefault(item.name, item)
                if other is not item and not _alike(item.text, other.text):
                    self.notes.append(f"{item.place}: there is another {self.called(item)} at {other.place}.")
                    other = None
            if other is not None and other is not item:
                found[item] = other
        repeats = {}
        for item in found:
            passed, other = [item], found[item]
            while other in found and other not in passed:
                passed.append(other)
                other = found[other]
            # Of those that repeat one another in a circle none is the first.
            if other not in found:
                repeats[item] = other
                self.notes.append(
                    f"{item.place}: taken for {self.called(other)}, which stands at {other.place}, said again."
                )
        return repeats

    def _repeated(self, item: Item) -> Item | None:
        for label in item.again:
            other = self.document.labels.get(label)
            if other is not None and other is not item and not other.is_display:
                return other
        named = [other for text in item.again for other in self._named(text) if other is not item]
        return named[0] if named else None

    def _named(self, text: str) -> list[Item]:
        """The statements that a text names by heading and number, without a label."""
        plain = " ".join(text.replace("~", " ").split()).lower()
        return [
            item
            for item in self.document.items
            if item.number
            and not item.is_display
            and item.heading.lower() in plain
            and re.search(rf"\b{re.escape(item.heading.lower())}s? {re.escape(item.number.lower())}(?![\w.]*\w)", plain)
        ]

    def _one(self, item: Item | None) -> Item | None:
        return None if item is None else self._repeats.get(item, item)

    def _led_to(self, reference: Reference) -> Item | None:
        return self._one(self.document.labels.get(reference.label))

    # Proofs

    def _proved(self, proof: Proof) -> list[Item]:
        """The statements that a proof is about."""
        if proof not in self.proved:
            self.proved[proof] = self._about(proof)
        return self.proved[proof]

    def _about(self, proof: Proof) -> list[Item]:
        named = self._proved_by_title(proof)
        if named:
            return named
        if not proof.is_section:
            section = proof.section
            if section is not None and proof.after is section.after and self._proved_by_title(section):
                return self._proved_by_title(section)
            after = self._one(proof.after)
            return [after] if after is not None else []
        return []

    def _proved_by_title(self, proof: Proof) -> list[Item]:
        labels = proof.labels or [word for word in (proof.title.strip(),) if word in self.document.labels]
        led = [self._one(self.document.labels.get(label)) for label in labels]
        found = [item for item in led if item is not None and not item.is_display]
        return list(dict.fromkeys(found or [self._repeats.get(item, item) for item in self._named(proof.title)]))

    @cached_property
    def _rests(self) -> dict[Item, dict[Item, int]]:
        """What each item refers to, and how, by the surest way."""
        rests: dict[Item, dict[Item, int]] = {item: {} for item in self._originals}
        for item in self.document.items:
            own = self._one(item)
            assert own is not None
            self._add(rests, own, item.references, TEXT)
            if item.is_display and item.inside is not None:
                inside = self._one(item.inside)
                if inside is not None:
                    rests[own][inside] = PART
        for proof in self.document.proofs:
            for item in self._proved(proof):
                self._add(rests, item, proof.references, PROOF)
                for step in proof.steps:
                    single = self._one(step)
                    if single is not None and single is not item:
                        rests[item][single] = min(PROOF, rests[item].get(single, PROOF))
        return rests

    def _add(self, rests: dict[Item, dict[Item, int]], item: Item, references: Iterable[Reference], how: int) -> None:
        for reference in references:
            used = self._led_to(reference)
            if used is None or used is item or self._one(used.inside) is item:
                continue
            rests[item][used] = min(how, rests[item].get(used, how))

    @property
    def _originals(self) -> list[Item]:
        return [item for item in self.document.items if item not in self._repeats]

    @cached_property
    def _kept(self) -> list[Item]:
        """All but asides that nothing rests on."""
        kept = {item for item in self._originals if item.sort != "aside"}
        added = set(kept)
        while added:
            added = {used for item in added for used in self._rests[item]} - kept
            kept |= added
        return [item for item in self._originals if item in kept]

    @cached_property
    def _edges(self) -> dict[Item, dict[Item, int]]:
        kept = set(self._kept)
        return {item: {used: how for used, how in self._rests[item].items() if used in kept} for item in self._kept}

    def _without_circles(self, edges: dict[Item, dict[Item, int]]) -> dict[Item, dict[Item, int]]:
        """The same without what closes circles: first what a text refers to, then what a lemma uses of a theorem."""
        order = {item: at for at, item in enumerate(self._kept)}
        left = {item: dict(used) for item, used in edges.items()}
        while True:
            try:
                graphlib.TopologicalSorter(left).prepare()
                return left
            except graphlib.CycleError as error:
                # Each uses the one before it.
                circle: list[Item] = error.args[1]
                ranked = [
                    (left[user][used], _rank(used) - _rank(user), order[used], user, used)
                    for used, user in itertools.pairwise(circle)
                ]
                *_, user, used = max(ranked, key=lambda entry: entry[:3])
                del left[user][used]
                self.notes.append(
                    f"{user.place}: {self.called(user)} refers to {self.called(used)}, which rests on it; "
                    f"left out of what it uses."
                )

    # What is not there

    @property
    def _left_out(self) -> list[str]:
        """What the record does not have, in sentences."""
        referring = [
            reference
            for references in (
                *(item.references for item in self.document.items),
                *(proof.references for proof in self.document.proofs if self._proved(proof)),
            )
            for reference in references
        ]
        lost = dict.fromkeys(
            (reference.label, reference.place)
            for reference in referring
            if reference.sure and reference.label not in self.document.labels
        )
        found = [f"{place}: refers to {label}, a label that is nowhere." for label, place in lost]
        elsewhere = sorted(
            {r.label for r in referring if r.label in self.document.labels and self.document.labels[r.label] is None}
        )
        if elsewhere:
            found.append(f"Proofs and statements refer to what is no statement: {', '.join(elsewhere)}.")
        proved = {item for proof in self.document.proofs for item in self._proved(proof)}
        bare = [item for item in self._kept if item.sort == "assertion" and item not in proved]
        if bare:
            found.append(f"No proof was found of {', '.join(map(self.called, bare))}.")
        stray = [proof for proof in self.document.proofs if not proof.is_section and not self._proved(proof)]
        found += [f"{proof.place}: it is not known what this proves." for proof in stray]
        asides = [item for item in self._originals if item not in set(self._kept)]
        if asides:
            named = ", ".join(f"{self.called(item)} ({item.place})" for item in asides)
            found.append(f"Left out, since no proof refers to them: {named}.")
        return found

    # Words

    @cached_property
    def _ids(self) -> dict[Item, str]:
        found: dict[Item, str] = {}
        taken: Counter[str] = Counter()
        for item in self._kept:
            name = self._name(item)
            taken[name] += 1
            found[item] = f"{self.key}:{name}" + (f"-{taken[name]}" if taken[name] > 1 else "")
        return found

    def _name(self, item: Item) -> str:
        head = "eq" if item.is_display else _slug(item.heading)
        number = re.sub("[^A-Za-z0-9.*-]+", "-", self.plain(item.number)).strip("-")
        if number:
            return f"{head}-{number}"
        said = item.labels[0].split(":")[-1] if item.labels else " ".join(self.plain(item.title).split()[:4])
        return f"{head}-{_slug(said)}".rstrip("-")

    def _title(self, item: Item) -> str:
        title = self.plain(item.title) or self.plain(item.beginning).rstrip(",;. " if item.is_display else "")
        if not title:
            return item.name
        return textwrap.shorten(title, LONGEST_TITLE, placeholder=" ...") if len(title) > LONGEST_TITLE else title

    def _kind(self, item: Item) -> str:
        if item.sort in ("definition", "assumption"):
            return item.sort
        if item.is_display and item.inside is not None:
            return self._kind(item.inside) if item.inside.sort == "assertion" else "definition"
        if item.is_display and _DEFINES.search(item.text):
            return "definition"
        said = f"{item.title} {item.text}".lower()
        return next((kind for kind, words in _KINDS if words.search(said)), "deterministic")

    @cached_property
    def _themes(self) -> dict[Item, str]:
        guessed = {item: self._theme(item) for item in self._kept}
        common = Counter(theme for theme in guessed.values() if theme).most_common(1)
        return {item: theme or (common[0][0] if common else _ELSE) for item, theme in guessed.items()}

    def _theme(self, item: Item) -> str:
        inside = item.inside or item
        for said in (inside.title, inside.text, item.where):
            found = Counter({theme: len(words.findall(said.lower())) for theme, words in _THEMES})
            theme, times = found.most_common(1)[0]
            if times:
                return theme
        return ""

    def plain(self, text: str) -> str:
        """LaTeX in plain words; macros that nobody knows are left as they stand."""
        text = re.sub(r"\\label\s*(?:\[[^\]]*\])?\{[^}]*\}", "", text)
        text = re.sub(r"\\texorpdfstring\s*\{[^{}]*\}\s*\{([^{}]*)\}", r"\1", text)
        text = re.sub(r"\\ref\s*\{([^}]*)\}", lambda found: self._said_for(found[1]), text)
        text = re.sub(r"\\cite[a-z]*\*?\s*(?:\[[^\]]*\])*\s*\{([^}]*)\}", r"[\1]", text)
        text = re.sub(r"\(\(([^()]*)\)\)", r"(\1)", text)
        text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\s*\.?", "", self.document.expand(text))
        text = re.sub(r"\\[td]frac(?![A-Za-z])", r"\\frac", text.replace(r"\|", "‖"))
        try:
            said = _PLAIN.latex_to_text(text, tolerant_parsing=True)
        except Exception:
            # A macro of LaTeX without its arguments, as where a text is cut, raises one thing or another in pylatexenc:
            # the text stays as it is written.
            said = text
        return " ".join(said.split())

    def _said_for(self, labels: str) -> str:
        items = [self._one(self.document.labels.get(label.strip())) for label in labels.split(",")]
        return ", ".join(
            "??" if item is None else item.name if item.is_display or not item.number else item.number for item in items
        )

    def called(self, item: Item) -> str:
        """What the paper calls it, in plain words."""
        return self.plain(item.name)

    # The paper

    @cached_property
    def authors(self) -> tuple[str, ...]:
        """The names of the authors, without what stands below them."""
        found = []
        for text in self.document.authors:
            text = _without(text, *_BESIDE_NAMES)
            text = re.sub(r"\\footnotemark\s*(?:\[[^\]]*\])?|\$[^$]*\$", "", text)
            for part in re.split(r"\\(?:and|And|AND|name)(?![A-Za-z])|,\s*(?!Jr)|\sand\s", text):
                line = self.plain(re.split(r"\\\\|\\(?:email|addr|newline)(?![A-Za-z])", part.strip())[0])
                line = re.sub(r"\\[A-Za-z]+\s*|\s*[\d*†‡,]+$", "", line).strip()
                if re.fullmatch(r"[^\W\d][\w.'’ -]+", line) and len(line.split()) <= 6:
                    found.append(line)
        if not found:
            self.notes.append("The authors are not said in a way that is read; write them into the record.")
        return tuple(dict.fromkeys(found)) or ("unknown",)

    @cached_property
    def year(self) -> int:
        """The year of the date, of the key that was asked for, or this one."""
        for text in (self.document.date, self.asked or ""):
            years = re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)
            if years:
                return int(years[0])
        self.notes.append(f"The source does not say the year; {self.this_year} was taken.")
        return self.this_year

    @cached_property
    def key(self) -> str:
        """The key that was asked for, or the first author's last name and the year."""
        if self.asked:
            return self.asked
        name = unicodedata.normalize("NFKD", self.authors[0].split()[-1]).encode("ascii", "ignore").decode()
        return re.sub("[^a-z0-9]", "", name.lower()) + str(self.year)


def _unknown_macro(node: Any) -> str:
    return f"\\{node.macroname} "


def _fraction(node: Any, l2tobj: LatexNodes2Text) -> str:
    """A fraction in a line, with brackets around a part that is no word and no root."""
    if node.nodeargd is None or None in node.nodeargd.argnlist:
        # At the end of a text, without its parts.
        return ""
    parts = [l2tobj.nodelist_to_text(getattr(part, "nodelist", [part])).strip() for part in node.nodeargd.argnlist]
    return "/".join(part if re.fullmatch(r"[\w.^]*|√\([^()]*\)", part) else f"({part})" for part in parts)


def _to_text() -> LatexNodes2Text:
    words = get_default_latex_context_db()
    words.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=_unknown_macro))
    words.add_context_category("fractions", macros=[MacroTextSpec("frac", simplify_repl=_fraction)], prepend=True)
    return LatexNodes2Text(latex_context=words, math_mode="text", strict_latex_spaces="macros", keep_braced_groups=True)


_PLAIN = _to_text()
# What it has to say of a text is nothing that a reader could act upon.
logging.getLogger("pylatexenc").addHandler(logging.NullHandler())


def _without(text: str, *macros: str) -> str:
    """`text` without these macros and their arguments."""
    inner = r"[^{}]*"
    for _ in range(3):
        inner = rf"(?:[^{{}}]|\{{{inner}\}})*"
    return re.sub(rf"\\(?:{'|'.join(macros)})\s*\{{{inner}\}}", "", text)


def _rank(item: Item) -> int:
    """How much a statement rests on others by its name."""
    words = item.heading.lower()
    return next((at for at, word in ((3, "theorem"), (2, "corollar"), (1, "proposition")) if word in words), 0)


def _alike(one: str, other: str) -> bool:
    first, second = (" ".join(text.split())[:COMPARED] for text in (one, other))
    return difflib.SequenceMatcher(None, first, second, autojunk=False).ratio() > 0.6


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9.]+", "-", plain.lower()).strip("-.")


# The file

_FILE = '''"""{title}: its statements as its source has them, all of them open.

Written by `lemmata read {main}`. Kinds and themes are guesses, and so are titles that are the beginning of a text.
"""

from lemmata import Open, Paper, Statement
{unread}
OPEN = Open({reason})

PAPER = Paper(
    key={key},
    title={full},
    authors={authors},
    year={year},
    statements=(
{statements}    ),
)
'''


def python(record: Record, main: str) -> str:
    """The text of a file `paper.py` with the record of a source whose main file has the name `main`."""
    paper = record.paper
    unread = ""
    if record.unread:
        lines = [line for sentence in record.unread for line in _comment(sentence)]
        unread = "\n".join(["", "# Not read, or left out:", *lines, ""])
    return _FILE.format(
        title=textwrap.shorten(paper.title.replace("\\", "").replace('"', "'"), 58, placeholder=" ..."),
        main=textwrap.shorten(main, 40, placeholder=" ..."),
        unread=unread,
        reason=_quoted(OPEN.reason),
        key=_quoted(paper.key),
        full=_quoted(paper.title),
        authors=_tuple(paper.authors),
        year=paper.year,
        statements="".join(_statement(statement, record.labels[statement.id]) for statement in paper.statements),
    )


def _comment(sentence: str) -> list[str]:
    return textwrap.wrap(
        sentence, WIDTH, initial_indent="# - ", subsequent_indent="#   ", break_on_hyphens=False, break_long_words=False
    )


def _statement(statement: Statement, labels: Sequence[str]) -> str:
    lines = [f"# {', '.join(labels)}"] if labels else []
    lines += ["Statement("]
    for name in ("id", "label", "title", "kind", "theme", "locator"):
        lines.append(f"    {name}={_quoted(getattr(statement, name))},")
    lines.append("    coverage=OPEN,")
    if statement.uses:
        lines += _uses(statement.uses)
    return "".join(f"        {line}\n" for line in [*lines, "),"])


def _uses(uses: Sequence[str]) -> list[str]:
    line = f"    uses={_tuple(uses)},"
    if len(line) + 8 <= WIDTH:
        return [line]
    return ["    uses=(", *(f"        {_quoted(used)}," for used in uses), "    ),"]


def _tuple(words: Sequence[str]) -> str:
    return f"({', '.join(map(_quoted, words))}{',' if len(words) == 1 else ''})"


def _quoted(text: str) -> str:
    """A text as Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
