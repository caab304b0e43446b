"""All papers of the suite, by presence: a module in this folder that defines `PAPER` is a paper.

Main definitions: `papers`, `statement`, `find_statement`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from theory.statements import Paper, Statement, StatementError, check_references


@cache
def papers() -> dict[str, Paper]:
    """Every paper by its key, which is the name of its module.

    Raises `StatementError` for a module without a paper, or statements that refer to what does not exist.
    """
    found = {module.name: _paper(module.name) for module in pkgutil.iter_modules(__path__)}
    check_references({record.id: record for paper in found.values() for record in paper.statements})
    return found


def _paper(name: str) -> Paper:
    """The paper that the module `name` of this folder defines."""
    paper = getattr(importlib.import_module(f"{__name__}.{name}"), "PAPER", None)
    if not isinstance(paper, Paper):
        raise StatementError(f"theory/papers/{name}.py defines no paper; add PAPER = Paper(...)")
    if paper.key != name:
        raise StatementError(f"theory/papers/{name}.py defines paper {paper.key!r}; file name and key must agree")
    return paper


@cache
def _statements() -> dict[str, Statement]:
    """Every statement of every paper by its id."""
    return {record.id: record for paper in papers().values() for record in paper.statements}


def find_statement(identifier: str) -> Statement | None:
    """The statement of that id (`paper:name`), if some paper lists it."""
    return _statements().get(identifier)


def statement(identifier: str) -> Statement:
    """The statement of that id (`paper:name`).

    Raises `StatementError` if no paper lists it.
    """
    record = find_statement(identifier)
    if record is None:
        known = ", ".join(sorted(papers()))
        raise StatementError(f"no paper lists a statement {identifier!r}; papers are {known}, ids are `paper:name`")
    return record
