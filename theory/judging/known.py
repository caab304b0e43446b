"""Verdicts that are still known: of rows that were judged before, and of which nothing that they depend on has changed.

A row depends on the definitions that its block can reach by name (`theory.core.reach`), on the machinery of `theory`,
`bounds` and `nets.core` as a whole, on the formulas of its claim, on seed, effort and share of the error budget, on the
versions of what it computes with, and on the kind of processor and BLAS. Their digest is kept with what was found;
where it is the same, the finding is that of then. Kept are rows as the blocks declare them that came out as expected,
so that nothing that went wrong is ever taken for known. Comments and docstrings do not count.

Main definitions: `Known`, the findings of a folder; `Dependencies`, the digest of what a claim depends on.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import importlib.metadata
import json
import os
import pickle
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bounds.bound import Bound
from bounds.premise import Premise
from theory.claims.block import Claim
from theory.core.journal import conditions
from theory.core.reach import Place, Sources
from theory.core.refusal import ROOT
from theory.judging.judge import Finding, Row
from theory.papers import listed
from theory.running.config import RunConfig

FORMAT = "lemmata known 2"

# The file beside the findings that keeps what was read of the sources.
SOURCES = "sources.json"

# Modules that count as a whole for every claim, beginning so; what only reports and upkeep do changes no finding.
MACHINERY = (
    *("theory.core", "theory.claims", "theory.running", "theory.evidence", "theory.judging", "theory.surface"),
    *("bounds", "nets.core"),
)
NOT_MACHINERY = ("bounds.papers",)

# What the surface hands in as an object, where a claim takes points.
POINTS: tuple[Place, ...] = (("nets.data.points", "SphereSource"),)

# Further packages of which another version may find something else.
SEARCHING = ("hypothesis",)


class Dependencies:
    """What the findings on claims depend on, under one configuration; `kept` is a file for what was read."""

    def __init__(self, config: RunConfig, kept: Path | None = None, root: Path = ROOT) -> None:
        self.sources = Sources.read(root, ("theory", "bounds", "nets", "properties"), "bounds.papers", kept)
        self._config = config

    @cached_property
    def _common(self) -> str:
        """The digest of what all claims depend on: the machinery, and what computes."""
        return _digest_of([self._conditions, self._defined(_is_machinery)])

    @cached_property
    def _conditions(self) -> str:
        versions = {name: importlib.metadata.version(name) for name in SEARCHING}
        asked = {"seed": self._config.seed, "effort": self._config.effort}
        return json.dumps([FORMAT, conditions(), versions, asked])

    def _defined(self, of: Callable[[str], bool]) -> list[list[str]]:
        """The definitions of some modules, by their digests."""
        modules = [name for name in sorted(self.sources.modules) if of(name)]
        return [[name, n, d.digest] for name in modules for n, d in self.sources.modules[name].definitions.items()]

    def digest(self, claim: Claim, alpha: float) -> str:
        """The digest of all that the finding on a claim depends on; empty where its block is not of these sources."""
        module = self.sources.module_of(ROOT / claim.file)
        if module is None:
            return ""
        places: list[Place] = [(module.name, name) for name in module.at(claim.line) or module.definitions]
        places += POINTS if claim.takes_data else ()
        reached = sorted(self.sources.reached(places).items())
        packages = {name: _version(name) for name in claim.packages}
        stated = [_stated(claim), repr(listed(claim.statement, None)), alpha.hex(), packages]
        return _digest_of([self._common, reached, stated])


def _digest_of(what: object) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _is_machinery(module: str) -> bool:
    def within(parts: tuple[str, ...]) -> bool:
        return any(module == part or module.startswith(f"{part}.") for part in parts)

    return within(MACHINERY) and not within(NOT_MACHINERY)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed, or not under that name"


def _formula(formula: Bound | Premise | None) -> list[object]:
    """A formula with the values of its constants, which a sheet may give."""
    return [] if formula is None else [formula.text, sorted((n, repr(c.value)) for n, c in formula.constants.items())]


def _stated(claim: Claim) -> list[object]:
    """What a claim says in formulas, wherever they stand."""
    controls = [[c.name, _formula(c.bound), [_formula(p) for p in c.without]] for c in claim.controls]
    premises = [_formula(premise) for premise in claim.premises]
    return [claim.id, claim.sense, claim.kind, _formula(claim.bound), _formula(claim.ceiling), premises, controls]


@dataclass(frozen=True)
class Judged:
    """A finding of before, and the day on which it was made, as 2026-01-31."""

    finding: Finding
    day: str


class Known:
    """The findings that a folder keeps, one file a claim, for runs under `config` with these shares `alphas`."""

    def __init__(self, folder: Path, config: RunConfig, alphas: Mapping[str, float], root: Path = ROOT) -> None:
        self._folder = folder
        self._root = root
        self._alphas = alphas
        self._digests: dict[str, str] = {}
        self._usable = not config.asks_elsewhere and config.bound is None and _is_private(folder)
        self._config = config

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies(self._config, self._folder / SOURCES, self._root)

    def find(self, claim: Claim) -> Judged | None:
        """What is known of a claim; None where nothing is, or something has changed."""
        digest = self._digest(claim)
        if not digest:
            return None
        with contextlib.suppress(OSError, ValueError, pickle.UnpicklingError, EOFError):
            content = self._file(claim).read_bytes()
            head, _, body = content.partition(b"\n")
            said = json.loads(head)
            # Nothing is made of the rest before it is known to be of these very sources.
            if said == {"digest": digest, "day": said["day"], "sum": _sum(body)}:
                finding: Any = pickle.loads(body)
                return Judged(finding, said["day"])
        return None

    def keep(self, row: Row) -> None:
        """Keep what was found, if it is as expected; a folder that cannot be written keeps nothing."""
        digest = self._digest(row.claim)
        if not digest or not row.ok or row.unjudged:
            return
        body = pickle.dumps(row.finding)
        day = datetime.datetime.now(datetime.UTC).date().isoformat()
        head = json.dumps({"digest": digest, "day": day, "sum": _sum(body)}).encode()
        with contextlib.suppress(OSError):
            file, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(file, "wb") as writing:
                writing.write(head + b"\n" + body)
            os.replace(name, self._file(row.claim))

    def _digest(self, claim: Claim) -> str:
        if not self._usable:
            return ""
        if claim.id not in self._digests:
            self._digests[claim.id] = self._dependencies.digest(claim, self._alphas[claim.id])
        return self._digests[claim.id]

    def _file(self, claim: Claim) -> Path:
        return self._folder / f"{hashlib.sha256(claim.id.encode()).hexdigest()[:32]}.row"


def _sum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _is_private(folder: Path) -> bool:
    """Whether the folder is there, or can be made, and nobody else can put a finding into it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # a system without this kind of owners and permissions
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
