"""Claims as pytest sees them: a claim file, and one item for each claim with its controls.

Main definitions: `ClaimFile`, `ClaimItem`, `ClaimFailure`; `defines_tests`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import TerminalRepr

from theory.claims.catalogue import Entry
from theory.claims.registry import find, load_file
from theory.core.refusal import ClaimError
from theory.surface.run import Run
from theory.surface.session import session_of

if TYPE_CHECKING:
    from theory.claims.block import Claim
    from theory.judging.judge import Row

# Functions and classes that pytest would take for tests.
_TESTS = re.compile(r"^(?:async )?(?:def|class) ([Tt]est\w*)", re.MULTILINE)


class ClaimFailure(Exception):  # noqa: N818 - it is an outcome, as pytest calls it
    """A claim did not meet its expected verdict."""


class ClaimItem(pytest.Item):
    """One claim with its controls. The claim itself is loaded once it is known to be wanted."""

    entry: Entry

    def runtest(self) -> None:
        """Judge the claim; fail when it misses its expected verdict or a control survives."""
        from theory.core.guard import SessionError

        run, claim = session_of(self.config).run, find(self.entry.id)
        assert run is not None and claim is not None  # noqa: PT018 - what collecting ends with
        try:
            row = run.row(claim)
        except SessionError as error:
            pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
        # A plugin may run an item again.
        run.rows[:] = [other for other in run.rows if other.claim is not claim]
        run.rows.append(row)
        undrawn = self._draw(run, claim) if self._draws(row) else ""
        if not row.ok:
            raise ClaimFailure(row.complaint)
        if self.config.getoption("strict_claims") and row.gaps:
            raise ClaimFailure(f"{self.entry.id}: {'; '.join(row.gaps)}")
        if undrawn:
            raise ClaimFailure(undrawn)

    def _draws(self, row: Row) -> bool:
        """Whether the figure of a claim is wanted: for the page, or to see whether it can still be drawn."""
        option = self.config.getoption
        return option("ledger") is not None and not row.unjudged and not (option("no_page") and row.known)

    def _draw(self, run: Run, claim: Claim) -> str:
        """Have the claim's figure at hand for the ledger, if it has one; why it has not where it fails."""
        from theory.core.guard import Failure
        from theory.reports.figures import made

        found = made(claim, run.config)
        if isinstance(found, Failure):
            return f"{claim.id}: its figure: {found.reason}"
        if found is not None and not self.config.getoption("no_page"):
            run.figures[claim.id] = found
        return ""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | TerminalRepr:
        """One line for a verdict; a traceback for anything else."""
        if isinstance(excinfo.value, ClaimFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the claim stands, and what it is called.

        Not the id alone: in a name that ends a node id pytest writes `::` for each point when it prints it.
        """
        return self.path, self.entry.line - 1, f"claim {self.entry.id}"


class ClaimFile(pytest.Module):
    """A file of claims. They come from the catalogue, so that a file need not be loaded to be collected.

    Tests that stand beside the claims are collected as in any other file.
    """

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """An item for each claim, then whatever else pytest finds there; none of what is refused."""
        claims = session_of(self.config)
        if claims.refusal is not None or self.path.resolve() in claims.catalogue.slips:
            return
        for entry in session_of(self.config).catalogue.of_file(self.path):
            item: ClaimItem = ClaimItem.from_parent(self, name=entry.id)
            item.entry = entry
            item.extra_keyword_matches.add(entry.function)
            yield item
        claimed = {entry.function for entry in claims.catalogue.of_file(self.path)}
        if defines_tests(self.path, claimed):
            # Loaded as a file of claims first: pytest imports it for the tests, and takes the module that is there.
            try:
                load_file(self.path)
            except ClaimError as error:
                claims.refusal = error
                return
            yield from super().collect()


def defines_tests(path: Path, claimed: Set[str]) -> bool:
    """Whether a file defines anything that pytest would take for a test, the functions of its claims aside."""
    return any(name not in claimed for name in _TESTS.findall(path.read_text(encoding="utf-8")))
