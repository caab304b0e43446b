"""What is found in the source of a paper: statements and displays, proofs, and references between them.

Main definitions: `Document`, of `Item`s and `Proof`s; `Reference`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from theory.latex.stream import Place, Problem

_SORTS = (
    ("conjecture", re.compile(r"conjectur", re.IGNORECASE)),
    ("assumption", re.compile(r"assum|hypothes|condition|axiom", re.IGNORECASE)),
    ("definition", re.compile(r"defin|notation|setting|setup|construction|algorithm|model|procedure", re.IGNORECASE)),
    ("aside", re.compile(r"remark|example|exercise|note\b|problem|question|discussion|comment|warning", re.IGNORECASE)),
)
# So many pieces of a text are enough for a title.
_BEGINNING = 60


@dataclass(frozen=True)
class Reference:
    """A label that is referred to; `sure` where the macro refers to labels and to nothing else."""

    label: str
    place: Place
    sure: bool = True


@dataclass(eq=False)
class Item:
    """A statement, or a display with a label.

    heading : what the paper calls it, such as Lemma; empty for a display
    number : as LaTeX prints it, without brackets; empty where it has none
    title, text : as they are written, in LaTeX
    labels : those that lead to it
    references : what its own text refers to
    where : the section that it stands in
    inside : the statement that it stands in, and `proof` the proof
    again : the labels, or the title, of the statement that it may repeat
    """

    heading: str
    number: str
    place: Place
    where: str
    environment: str = ""
    title: str = ""
    labels: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    inside: Item | None = None
    proof: Proof | None = None
    again: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(self.parts)

    @property
    def beginning(self) -> str:
        """What it says in the first pieces, enough for a title."""
        return "".join(self.parts[:_BEGINNING])

    @property
    def is_display(self) -> bool:
        """Whether it is a displayed formula."""
        return not self.heading

    @property
    def sort(self) -> str:
        """Display, conjecture, assumption, definition or aside, by its name; else assertion."""
        if self.is_display:
            return "display"
        for sort, words in _SORTS:
            if words.search(self.heading) or words.search(self.environment):
                return sort
        return "assertion"

    @property
    def name(self) -> str:
        """What the paper calls it, as in Lemma 3 or (4); without a number, what it is."""
        if self.is_display:
            return f"({self.number})" if self.number else "display without a number"
        return f"{self.heading} {self.number}".strip()


@dataclass(eq=False)
class Proof:
    """A proof, or a section that is one.

    title, labels : what it says that it proves, and the labels in that
    after : the statement before it
    section : the section around it that is a proof by its title
    references : what it refers to
    steps : the statements that stand in it
    """

    place: Place
    title: str = ""
    labels: list[str] = field(default_factory=list)
    after: Item | None = None
    section: Proof | None = None
    references: list[Reference] = field(default_factory=list)
    steps: list[Item] = field(default_factory=list)
    is_section: bool = False


@dataclass
class Document:
    """What a source says: `labels` are all, each with its item or, where it is that of something else, None."""

    main: str
    items: list[Item] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    labels: dict[str, Item | None] = field(default_factory=dict)
    title: str = ""
    authors: list[str] = field(default_factory=list)
    date: str = ""
    problems: list[Problem] = field(default_factory=list)
    expand: Callable[[str], str] = lambda text: text
