"""All papers, by presence: a module in this folder that defines `PAPER`, or a file `paper.py` beside claims elsewhere.

Main definitions: `papers`, `statement`, `find_statement`; `beside`, which loads the file beside claims; `listed`,
`labelled` and `unlisted`, what a claim may take from the papers; `by_label`.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path

from theory.core.refusal import ClaimError, does_not_load, relative
from theory.core.statements import ByClaim, Open, Paper, Statement, StatementError, check_references

# The name of the file beside claims that may define `PAPER`, and declare symbols.
RECORD = "paper.py"

_KEY = re.compile("[a-z0-9]+")

# The papers recorded beside claims, each with the file it stands in, and what each file loaded so far has recorded.
_elsewhere: dict[str, tuple[Paper, Path]] = {}
_loaded: dict[Path, Paper | None] = {}


@cache
def _of_the_suite() -> dict[str, Paper]:
    """The papers of this folder by key, which is the name of the module."""
    return {module.name: _paper(module.name) for module in pkgutil.iter_modules(__path__)}


@cache
def _all() -> dict[str, Paper]:
    return _of_the_suite() | {key: paper for key, (paper, _) in sorted(_elsewhere.items())}


@cache
def _statements() -> dict[str, Statement]:
    """Every statement of every paper by its id."""
    return {record.id: record for paper in _all().values() for record in paper.statements}


@cache
def papers() -> dict[str, Paper]:
    """Every paper by its key: those of the suite, then those that were loaded beside claims.

    Raises `StatementError` for a module without a paper, or statements that refer to what does not exist.
    """
    check_references(_statements())
    return _all()


def _paper(name: str) -> Paper:
    """The paper that the module `name` of this folder defines."""
    paper = getattr(importlib.import_module(f"{__name__}.{name}"), "PAPER", None)
    if not isinstance(paper, Paper):
        raise StatementError(f"theory/papers/{name}.py defines no paper; add PAPER = Paper(...)")
    if paper.key != name:
        raise StatementError(f"theory/papers/{name}.py defines paper {paper.key!r}; file name and key must agree")
    return paper


def beside(folder: Path) -> Paper | None:
    """The paper recorded beside the claims of a folder: in a file `paper.py`, which may also declare symbols.

    References between statements are checked by `papers`, when every record is there. Raises `ClaimError` for a file
    that does not load, a key that is none or that another paper has, and a `PAPER` that is no paper.
    """
    file = folder.resolve() / RECORD
    if file in _loaded or not file.is_file():
        return _loaded.get(file)
    # Named by its place: two folders of claims may each have a record, and neither is a package.
    name = f"record_{hashlib.sha256(str(file).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise does_not_load(file, error) from error
    paper = getattr(module, "PAPER", None)
    _loaded[file] = None if paper is None else _registered(paper, file)
    return _loaded[file]


def _registered(paper: object, file: Path) -> Paper:
    if not isinstance(paper, Paper):
        raise ClaimError(f"{relative(file)}: PAPER is no paper; write PAPER = Paper(key=..., ...)")
    if not _KEY.fullmatch(paper.key):
        raise ClaimError(
            f"{relative(file)}: {paper.key!r} is no key of a paper; write small letters and digits, as du2018"
        )
    if paper.key in _all():
        where = _place(_all()[paper.key])
        raise ClaimError(f"{relative(file)}: the paper {paper.key} is recorded in {where} already; take another key")
    _elsewhere[paper.key] = paper, file
    _forget()
    return paper


def is_of_the_suite(key: str) -> bool:
    """Whether a paper is one of this folder."""
    return key in _of_the_suite()


def recorded_elsewhere(paper: Paper, file: Path) -> None:
    """Take in a paper that a ledger has with its statements.

    Raises `StatementError` where they refer to what does not exist.
    """
    check_references({**_statements(), **{record.id: record for record in paper.statements}})
    _elsewhere[paper.key] = paper, file
    _forget()


def check_records(claimed: Collection[str] | None) -> None:
    """Check the records loaded beside claims against the statements that all claims are about, if these are known.

    What is listed as open there and has a claim is covered by it. Raises `ClaimError` for a reference to a statement
    that no paper lists, and for a statement that is listed as claimed and is not.
    """
    files = ", ".join(relative(file) for _, file in _elsewhere.values())
    try:
        papers()
    except StatementError as error:
        raise ClaimError(f"{files}: {error}") from None
    if claimed is None:
        return
    _forget()
    for key, (_, file) in list(_elsewhere.items()):
        # As it was recorded: another run in this process may know other claims.
        paper = _loaded.get(file) or _elsewhere[key][0]
        _elsewhere[key] = replace(paper, statements=tuple(_covered(s, claimed) for s in paper.statements)), file
        for record in paper.statements:
            if isinstance(record.coverage, ByClaim) and record.id not in claimed:
                raise ClaimError(
                    f"{relative(file)}: statement {record.id} is listed ByClaim(), but no claim is about it; "
                    f'write one, or list it as Open("what a test would need")'
                )


def _covered(record: Statement, claimed: Collection[str]) -> Statement:
    """The record, covered by a claim where it was open and one is about it."""
    is_claimed = isinstance(record.coverage, Open) and record.id in claimed
    return replace(record, coverage=ByClaim()) if is_claimed else record


def _forget() -> None:
    """Let what is known of all papers be gathered again."""
    for cached in (_all, _statements, papers):
        cached.cache_clear()


def find_statement(identifier: str) -> Statement | None:
    """The statement of that id (`paper:name`), if some paper lists it."""
    return _statements().get(identifier)


def listed(identifier: str, own: Paper | None) -> Statement | None:
    """The statement of that id as a claim beside the record `own` finds it: in a paper of the suite, or in that record.

    What other folders record is not asked, so that it does not matter which files are loaded.
    """
    paper = _known(identifier, own)
    return None if paper is None else paper.find(identifier)


def variant_of(identifier: str, own: Paper | None) -> tuple[str, str]:
    """The listed statement that an id is about, and the variant that it names after a hyphen, if any.

    It is the longest id that the paper lists; where it lists none the whole is a statement.
    """
    paper = _known(identifier, own)
    about = identifier
    while paper is not None and ":" in about and paper.find(about) is None:
        about = about.rpartition("-")[0]
    variant = identifier[len(about) + 1 :]
    return (about, variant) if about and variant else (identifier, "")


def labelled(key: str, label: str, own: Paper | None) -> Statement | None:
    """The statement that a paper, as a claim beside the record `own` finds it, calls so; None where it has none."""
    paper = _known(key, own)
    return None if paper is None else next((record for record in paper.statements if record.label == label), None)


def by_label(label: str) -> str:
    """The name of a statement after the colon of its id, by what its paper calls it: `lemma-C.1` of `Lemma C.1`.

    Words are in small letters, and what has a digit or is one letter stays as it is.
    """
    words = [re.sub(r"^\W+|\W+$", "", word) for word in label.split()]
    return "-".join(w if len(w) == 1 or re.search(r"\d", w) else w.lower() for w in words if w)


def unlisted(identifier: str, own: Paper | None) -> str:
    """What to say of an id that its paper does not list; empty where it does, and where no record of the paper is."""
    paper = _known(identifier, own)
    if paper is None or paper.find(identifier) is not None:
        return ""
    near = difflib.get_close_matches(identifier, [record.id for record in paper.statements], n=3)
    said = f"nearest: {', '.join(near)}" if near else "none is near"
    return (
        f"{_place(paper)} lists no such statement ({said}); list it there, or name a listed one and give it a variant"
    )


def _known(identifier: str, own: Paper | None) -> Paper | None:
    key = identifier.split(":")[0]
    return own if own is not None and own.key == key else _of_the_suite().get(key)


def _place(paper: Paper) -> str:
    """The file that records a paper."""
    return relative(_elsewhere[paper.key][1]) if paper.key in _elsewhere else f"theory/papers/{paper.key}.py"


def statement(identifier: str) -> Statement:
    """The statement of that id (`paper:name`).

    Raises `StatementError` if no paper lists it.
    """
    record = find_statement(identifier)
    if record is None:
        known = ", ".join(sorted(papers()))
        raise StatementError(f"no paper lists a statement {identifier!r}; papers are {known}, ids are `paper:name`")
    return record
