"""One claim judged from Python, in a script or a notebook, without pytest.

Main definitions: `check`; `claims`, what there is to be judged.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.catalogue import Catalogue
from theory.claims.selection import SelectionError, nearest, parse_at, select
from theory.claims.what_if import asked_bound
from theory.core.budget import OWN_BUDGET, shares
from theory.core.choices import EFFORTS, TIME_LIMIT
from theory.core.data import Data
from theory.core.refusal import ROOT
from theory.core.seeds import said
from theory.judging.judge import decide
from theory.running.config import RunConfig
from theory.surface import rooms
from theory.surface.judged import Judged
from theory.surface.named import claims_at
from theory.surface.watching import shown


def check(
    what: Claim | str | os.PathLike[str],
    *,
    at: str | Mapping[str, Any] = "",
    bound: str | None = None,
    effort: str = "quick",
    seed: int = 0,
    data: str | None = None,
) -> Judged:
    """Judge a claim with its controls: the decorated function, an id, FILE::NAME, or a file that has one claim.

    `at`, `bound`, `effort`, `seed` and `data` are as after the options of these names. A claim of the suite has its
    share of the suite's error budget, any other one the budget of a reader's claims. Raises `SelectionError` for what
    cannot be judged, and `ClaimError` for a file that cannot be accepted. In a terminal and in a notebook a bar shows
    how far it has come.
    """
    from bounds.decisions.region import smallest

    if effort not in EFFORTS:
        raise SelectionError(f"effort: no level {effort!r}; {nearest(effort, EFFORTS)}")
    claim, alpha = _asked(what)
    brought = None if data is None else rooms.load_data(data)
    report = () if brought is None else rooms.describe_data(brought)
    points = Data(rooms.sphere() if claim.takes_data else None, brought, report)
    config = RunConfig(
        effort=effort,
        seed=seed,
        at=parse_at(at if isinstance(at, str) else said(at), [claim], points),
        bound=None if bound is None else asked_bound(claim, bound),
        data=points,
        smallest=partial(smallest, exact=False),
        time_limit=TIME_LIMIT[effort],
    )
    with shown():
        found = decide(claim, config, alpha)
    return Judged(claim, config, found)


def claims(paper: str = "", theme: str = "", place: str | os.PathLike[str] | None = None) -> list[Claim]:
    """The claims of the suite, or of a folder, loaded: those of one paper, on one theme, or all of them."""
    catalogue = _catalogue(place)
    wanted = select(catalogue.entries, (), [paper] if paper else (), [theme] if theme else ())
    return [registry.found(entry.id, entry.file) for entry in wanted]


def _asked(what: Claim | str | os.PathLike[str]) -> tuple[Claim, float]:
    """The claim that is meant, and its share of the error budget."""
    if not isinstance(what, Claim | str | os.PathLike):
        raise SelectionError(
            f"{what!r} is no claim; give a function under @lemma or @claim, an id, a file or FILE::NAME"
        )
    if isinstance(what, Claim):
        identifier = what.id
    elif isinstance(what, str) and "::" not in what and not Path(what).exists():
        identifier = what
    else:
        loaded = claims_at(os.fspath(what))
        if len(loaded) != 1:
            ids = ", ".join(claim.id for claim in loaded)
            raise SelectionError(f"{os.fspath(what)}: it has {len(loaded)} claims; name one by its id: {ids}")
        identifier = loaded[0].id
    known = registry.find(identifier)
    if known is not None and not (ROOT / known.file).resolve().is_relative_to(registry.SUITE):
        return known, OWN_BUDGET
    catalogue = _catalogue()
    (entry,) = select(catalogue.entries, [identifier], (), ())
    return registry.found(entry.id, entry.file), shares(catalogue.entries)[entry.id]


def _catalogue(place: str | os.PathLike[str] | None = None) -> Catalogue:
    """What is known of the claims of the suite, or of a folder."""
    cache = os.environ.get("LEMMATA_CACHE_DIR")
    found = Catalogue((Path(cache) if cache else ROOT / ".cache") / "claims.json")
    if place is None:
        found.add_suite()
    else:
        found.add_place(Path(place))
    return found
