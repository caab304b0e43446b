"""Claims that are named by their file and their function or id, as `FILE` or `FILE::NAME`.

Main definition: `claims_at`.
"""

from __future__ import annotations

from pathlib import Path

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.selection import SelectionError, nearest


def claims_at(what: str) -> list[Claim]:
    """The claims of a file, or those that are named there by their function or an id.

    Raises `SelectionError` where there are none, and `ClaimError` for a file that cannot be accepted.
    """
    file, _, name = what.partition("::")
    path = Path(file)
    if not path.is_file():
        raise SelectionError(f"{file}: there is no such file; write FILE or FILE::NAME")
    found = registry.load_file(path)
    if not found:
        raise SelectionError(f"{file}: no claim stands there; put @lemma(...) above a function")
    wanted = [claim for claim in found if not name or name in (claim.id, claim.function.__name__)]
    if not wanted:
        names = [claim.function.__name__ for claim in found]
        raise SelectionError(f"{file}: no claim is called {name!r}; {nearest(name, names)}")
    return wanted
