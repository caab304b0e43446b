"""What the user selects and assigns, checked: ids, papers, themes, `--at`. Every refusal is one line.

Main definitions: `select`, `chosen`, `parse_at`, `nearest`, `SelectionError`.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from theory.core.data import NO_DATA, Data
from theory.core.statements import THEMES
from theory.core.values import Values

if TYPE_CHECKING:
    from bounds.symbols import Domain
    from theory.claims.block import Claim

# The largest sizes that `--at` takes, unless a selected claim declares a larger one. Layers are made one by one, so a
# network of more would take hours before it ran out of memory; other sizes are left to the memory there is.
MOST = {"L": 10**6, "depth": 10**6, "l": 10**6}
MOST_OF_ALL = 10**12

# How long a power such as 10**5 may be. Premises are solved up to 2**20000.
MOST_BITS = 20_000


class Selectable(Protocol):
    """What can be selected: a claim, or what is known of one that is not loaded."""

    @property
    def id(self) -> str:
        """Paper and name."""

    @property
    def paper(self) -> str:
        """Key of the paper."""

    @property
    def theme(self) -> str:
        """One of `THEMES`."""


Chosen = TypeVar("Chosen", bound=Selectable)


class SelectionError(ValueError):
    """A selection or an assignment that makes no sense; the message is one line."""


def nearest(name: str, valid: Iterable[str], most: int = 3) -> str:
    """The valid names closest to `name`, for the end of an error message."""
    known = sorted(valid)
    lowered = {entry.lower(): entry for entry in known}
    close = [lowered[entry] for entry in difflib.get_close_matches(name.lower(), lowered, n=most, cutoff=0.4)]
    if close:
        return f"nearest: {', '.join(close)}"
    return f"valid: {', '.join(known[:20])}{', ...' if len(known) > 20 else ''}"


def select(
    everything: Sequence[Chosen], ids: Sequence[str] = (), papers: Sequence[str] = (), themes: Sequence[str] = ()
) -> list[Chosen]:
    """As `chosen`. Raises `SelectionError` for a name that nothing has, and for an empty selection."""
    known_ids, known_papers = {c.id for c in everything}, {c.paper for c in everything}
    for pattern in ids:
        if not fnmatch.filter(known_ids, pattern):
            raise SelectionError(f"--claim: no claim {pattern!r}; {nearest(pattern, known_ids)}")
    for paper in papers:
        if paper not in known_papers:
            raise SelectionError(f"--paper: no paper {paper!r}; {nearest(paper, known_papers)}")
    for theme in themes:
        if theme not in THEMES:
            raise SelectionError(f"--theme: no theme {theme!r}; {nearest(theme, THEMES)}")
    selected = chosen(everything, ids, papers, themes)
    if not selected:
        raise SelectionError("the selection is empty: no claim is of that paper, theme and id at once")
    return selected


def chosen(
    entries: Sequence[Chosen], ids: Sequence[str] = (), papers: Sequence[str] = (), themes: Sequence[str] = ()
) -> list[Chosen]:
    """The claims with one of the ids (or shell patterns), of one of the papers, on one of the themes.

    An empty list of any of them selects everything.
    """
    return [
        c
        for c in entries
        if (not ids or any(fnmatch.fnmatchcase(c.id, pattern) for pattern in ids))
        and (not papers or c.paper in papers)
        and (not themes or c.theme in themes)
    ]


def parse_at(text: str, selected: Sequence[Claim], data: Data = NO_DATA, planned: bool = False) -> dict[str, Any]:
    """`m=4096,L=3,loss=logistic` as numbers and names: integers where written as such, or whole where all cells give
    integers.

    `data` may have a data set of the user, which fixes symbols. With `planned` nothing is built or judged at these
    numbers: sizes may be of any length, more points be asked for than the data have, and the constants of premises be
    assigned as well.

    Raises `SelectionError` for a pair that is no assignment, a value that is neither a finite number nor a name that a
    selected claim declares for that symbol, a number that lies outside the
    domain of its symbol or is larger than any size that is built, or a name that no selected claim has. What a claim
    measures cannot be assigned; nor can what the data are, but to their own value: the claim would be judged on them
    under premises that they do not meet.
    """
    known = {name for c in selected for name in (*c.regime.symbols, *c.bound.constants)}
    if planned:
        known |= {name for c in selected for premise in c.premises for name in premise.constants}
    if any(map(_is_numbered, selected)):
        known.add("trial")
    # Not at the head of the file: formulas take a while to import, and a selection by id and theme does without.
    from bounds.symbols import domain_of

    assigned: dict[str, Any] = {}
    for pair in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, number = (" ".join(part.split()) for part in pair.partition("="))
        if not equals or not name or not number:
            raise SelectionError(f"--at: {pair!r} is no assignment; write NAME=NUMBER, as in m=4096,L=3")
        if name not in known:
            raise SelectionError(f"--at: no selected claim has a symbol {name!r}; {nearest(name, known)}")
        if name in assigned:
            raise SelectionError(f"--at: {name} is given twice; give it once")
        if (not planned or data.is_brought) and any(name in c.regime.from_data for c in selected):
            raise SelectionError(
                f"--at: {name} is measured on the points; leave it out, or give other points by --data"
            )
        names = _named(name, selected)
        if _bare(number) in names or _has_names_alone(name, selected):
            assigned[name] = _name(name, number, names)
            continue
        value = _number(name, number)
        if value == int(value) and _counts(name, selected):
            value = int(value)
        if name == "trial" and not (isinstance(value, int) and value >= 0):
            raise SelectionError(f"--at: trial={number!r} numbers no trial; write a whole number from 0 up")
        if (domain := domain_of(name)) is not None:
            _check_domain(name, number, value, domain, _declared(name, selected), planned)
        assigned[name] = value
    if data.is_brought and any(c.takes_data for c in selected):
        _refuse_other_data(assigned, data, planned)
    return assigned


def _refuse_other_data(assigned: Values, data: Data, planned: bool) -> None:
    fixed = data.fixed
    for name, value in assigned.items():
        if value != fixed.get(name, value):
            raise SelectionError(
                f"--at: {name}={value!r}, but the points of --data have {name}={fixed[name]!r}; leave out one of both"
            )
        if name == "n" and value > data.rows and not planned:
            raise SelectionError(f"--at: n={value!r}, but --data has {data.rows} rows; ask for at most so many")


def _is_numbered(claim: Claim) -> bool:
    """Whether its measurements at one size have numbers: they are drawn, or are replicates."""
    return "rng" in claim.parameters or claim.evidence.replicates_cells


def _named(name: str, selected: Sequence[Claim]) -> tuple[str, ...]:
    """The names of a symbol, where the claims that have it give it names."""
    return tuple(dict.fromkeys(entry for c in selected for entry in c.regime.names(name)))


def _has_names_alone(name: str, selected: Sequence[Claim]) -> bool:
    having = [c.regime for c in selected if name in c.regime.symbols]
    return bool(having) and all(regime.names(name) for regime in having)


def _name(name: str, written: str, names: Sequence[str]) -> str:
    bare = _bare(written)
    if bare not in names:
        raise SelectionError(f"--at: {name}={written} is no choice of {name}; {nearest(bare, names)}")
    return bare


def _bare(written: str) -> str:
    """A name without the quotes around it."""
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "'\""
    return written[1:-1] if quoted else written


def _declared(name: str, selected: Sequence[Claim]) -> list[Any]:
    """The values that the cells of the claims give to a symbol."""
    return [cell[name] for c in selected for cell in c.regime.all_cells() if name in cell]


def _check_domain(
    name: str, written: str, value: int | float, domain: Domain, declared: Sequence[Any], planned: bool
) -> None:
    """Refuse a value that no claim could be built at."""
    numbers = [entry for entry in declared if isinstance(entry, int | float)]
    if not all(map(domain.contains, numbers)):
        return  # these claims mean something else by the name
    if not domain.contains(value):
        raise SelectionError(f"--at: {name}={written} is no value of {name}, which is {_article(domain.text)}")
    if not planned and domain.integer and value > (most := max([MOST.get(name, MOST_OF_ALL), *numbers])):
        raise SelectionError(f"--at: {name}={written} is larger than what is built; write a number up to {most}")


def _article(domain: str) -> str:
    return f"an {domain}" if domain.startswith("integer") else domain


def _counts(name: str, selected: Sequence[Claim]) -> bool:
    """Whether every declared value of a symbol is an integer, so that 4e3 means 4000."""
    declared = _declared(name, selected)
    return bool(declared) and all(isinstance(value, int) for value in declared)


def _number(name: str, text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        pass
    base, power, exponent = (part.strip() for part in text.partition("**"))
    if power and base.isdecimal() and exponent.isdecimal():
        if int(exponent) * int(base).bit_length() > MOST_BITS:
            raise SelectionError(
                f"--at: {name}={text} is longer than any number that is looked at; write a smaller one"
            )
        whole: int = int(base) ** int(exponent)
        return whole
    try:
        value = float(text)
    except ValueError:
        raise SelectionError(f"--at: {name}={text} is no number; write an integer or a decimal") from None
    if value != value or value in (float("inf"), float("-inf")):
        raise SelectionError(f"--at: {name}={text} is not finite; write a finite number")
    return value
