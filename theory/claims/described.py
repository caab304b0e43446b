"""What is said of a statement: by the list of its paper, or by the block of a new lemma.

Main definitions: `Description`, and `description_of`, which refuses what is said by neither, or by both; `unwritten`,
the gaps that a skeleton leaves.
"""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theory.claims.block import Control
from theory.claims.written import DESCRIBED, Written
from theory.core.statements import STATEMENT_KINDS, THEMES, Statement
from theory.core.values import Function
from theory.papers import beside, listed, unlisted

# A paper's key, a colon, and a name without blanks, so that the id can be typed after `--claim`.
ID = re.compile(r"[a-z0-9]+:\S+")

# Unicode's categories of control characters and surrogates.
UNPRINTABLE = ("Cc", "Cs")

# Unicode's bidirectional classes of characters that turn round what is written after them.
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


@dataclass(frozen=True)
class Description:
    """Title, kind and theme of a statement, and where it stands; `record` is its entry in the list of its paper."""

    title: str
    kind: str
    theme: str
    source: str
    record: Statement | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """What the paper calls it; empty where no paper lists it."""
        return self.record.label if self.record is not None else ""


def description_of(written: Written, function: Function) -> Description:
    """What is said of the statement of a block whose function is `function`.

    Raises `ClaimError` for an id that is none, for gaps of a skeleton, and where something is not said, or said again.
    """
    own = beside(written.site.folder)
    record = listed(written.statement, own)
    said: dict[str, Any] = {name: text for name, text in written.texts.items() if name in DESCRIBED}
    if record is not None:
        known = {"title": record.title, "kind": record.kind, "theme": record.theme, "source": record.locator}
        for name in DESCRIBED:
            if said[name] and said[name] == known[name]:
                raise written.refuse(f"its {name} is the one that its paper lists already; leave it out")
        said = {name: said[name] or known[name] for name in DESCRIBED} | {
            "theme": said["theme"] or theme_of(Path(written.site.file)) or record.theme
        }
    else:
        said["theme"] = said["theme"] or theme_of(Path(written.site.file))
    _refuse_unprintable(written, {**said, "label": record.label if record is not None else ""})
    if not inspect.isfunction(function):
        raise written.refuse(f"what it decorates is no function but a {type(function).__name__}; write a def below it")
    if ":" not in written.statement:
        raise written.refuse("its id has no paper; write it as `paper:statement`")
    if not ID.fullmatch(written.identifier):
        raise written.refuse("its id has blanks or no paper key; write `paper:statement`, as in zou2018:lemma-A.7")
    if problem := unlisted(written.statement, own):
        raise written.refuse(problem)
    if gaps := unwritten(written, function):
        raise written.refuse(f"what stands as ... there is still to be written: {', '.join(gaps)}")
    found = Description(**said, record=record)
    _refuse_unsaid(written, found)
    return found


def theme_of(file: Path) -> str:
    """The theme that the name of a file of claims begins with, behind `test_`; empty where it begins with none."""
    name = f"{file.stem.removeprefix('test_')}_"
    return max((theme for theme in THEMES if name.startswith(f"{theme}_")), key=len, default="")


def _refuse_unprintable(written: Written, said: Mapping[str, Any]) -> None:
    """Refuse control characters, which a terminal would obey, and halves of characters, which no file can hold."""
    controls: Sequence[Control] = written.texts["controls"]
    texts = {"id": written.identifier, **said, **{f"control {at}": c.name for at, c in enumerate(controls, start=1)}}
    # Of several lines are these alone.
    texts |= {what: " ".join(str(written.texts[what]).splitlines()) for what in ("note", "scope")}
    for what, text in texts.items():
        if isinstance(text, str) and (bad := next(filter(_is_unprintable, text), None)):
            raise written.refuse(f"its {what} has the character {bad!a}, which cannot be printed; leave it out")


def _is_unprintable(letter: str) -> bool:
    return unicodedata.category(letter) in UNPRINTABLE or unicodedata.bidirectional(letter) in TURNING


def _refuse_unsaid(written: Written, found: Description) -> None:
    """Refuse what is said neither by the block nor by the list of its paper, and words that nobody knows."""
    if not found.source:
        raise written.refuse('it has no source locator; add source="where the statement stands", such as "Lemma A.7"')
    for name in ("title", "kind", "theme"):
        if not getattr(found, name):
            raise written.refuse(f'no paper lists this statement, so the block must give {name}="..."')
    if found.theme not in THEMES:
        raise written.refuse(f"unknown theme {found.theme!r}; use one of {', '.join(THEMES)}")
    if found.kind not in STATEMENT_KINDS:
        raise written.refuse(f"unknown kind {found.kind!r}; use one of {', '.join(STATEMENT_KINDS)}")


def unwritten(written: Written, function: Function) -> list[str]:
    """What of a block that `theory.surface.skeleton` wrote still stands as `...`."""
    texts = written.texts
    premises: object = texts["premises"]
    controls: Sequence[Control] = texts["controls"]
    found = [name for name in (*DESCRIBED, "bound", "ceiling") if texts.get(name) is ...]
    found += ["premises"] if premises is ... or (isinstance(premises, list | tuple) and ... in premises) else []
    found += ["controls"] if any(... in (c.name, c.bound) for c in controls) else []
    found += ["the docstring"] if (function.__doc__ or "").strip() == "..." else []
    # A function that uses no name and knows the constant ... does nothing but return it.
    code = function.__code__
    return found + (["what the function returns"] if ... in code.co_consts and not code.co_names else [])
