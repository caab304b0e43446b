"""Claims judged ahead of their turn, on several workers: at quick effort most of them are too short to be split.

Main definition: `Ahead`, which starts on all claims at once and hands out their rows in whatever order they are asked
for. A row does not depend on where it was judged, because nothing but the seed, the claim and the cell decides what is
drawn.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import joblib

from theory import registry
from theory.claim import Claim
from theory.judge import Finding, Row, decide
from theory.run import RunConfig


class Ahead:
    """The rows of `claims` under `config`, judged by `config.jobs` processes on this machine."""

    def __init__(self, claims: Sequence[Claim], config: RunConfig, alphas: Mapping[str, float]) -> None:
        self._config = config
        self._findings: dict[str, Finding | Exception] = {}
        alone = replace(config, jobs=1)
        tasks = (joblib.delayed(_in_worker)(claim.id, alone, alphas[claim.id]) for claim in claims)
        pool = joblib.Parallel(n_jobs=config.jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
        self._arriving: Iterator[tuple[str, Finding | Exception]] = pool(tasks)

    def row(self, claim: Claim) -> Row:
        """The row of a claim, as soon as it is there. Raises what judging it raised."""
        while claim.id not in self._findings:
            name, finding = next(self._arriving)
            self._findings[name] = finding
        finding = self._findings[claim.id]
        if isinstance(finding, Exception):
            raise finding
        return Row(claim, self._config, finding)


def _in_worker(identifier: str, config: RunConfig, alpha: float) -> tuple[str, Finding | Exception]:
    """The finding on a claim, or what went wrong: it has to be told when the claim's turn comes."""
    try:
        claim = registry.find(identifier)
        if claim is None:
            registry.load_claims()
            claim = registry.find(identifier)
        if claim is None:
            raise LookupError(f"no claim {identifier} is loaded in this worker")
        return identifier, decide(claim, config, alpha)
    except Exception as error:
        error.add_note(f"in a worker:\n{traceback.format_exc()}")
        return identifier, error
