"""The ledger of a run as JSON and Markdown.

Main definitions: `Suite`, what is known of the run as a whole; `to_json`; `to_markdown`; `write`.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from theory.budget import FALSE_ALARM_BUDGET
from theory.constants import ConstantEntry, constants_table
from theory.evidence.plan import CellResult
from theory.judge import Row
from theory.looseness import loose_claims
from theory.papers import papers
from theory.standing import Standing, standings
from theory.statements import ByClaim, ByDefinition, Open, Paper, Through
from theory.verdict import MEANING

SCHEMA = 3
SCHEMA_FILE = Path(__file__).with_name("ledger.schema.json")


@dataclass(frozen=True)
class Suite:
    """The run as a whole. `started` is an ISO 8601 time; `seconds` the wall time."""

    version: str
    commit: str
    effort: str
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    started: str = ""
    seconds: float = 0.0


def plain(value: Any) -> Any:
    """`value` in JSON's terms: numbers as numbers, NaN and infinities as strings, the rest as it stands."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def to_json(rows: Sequence[Row], suite: Suite) -> dict[str, Any]:
    """The ledger as an object that `ledger.schema.json` describes."""
    return {
        "schema": SCHEMA,
        "suite": {
            "version": suite.version,
            "commit": suite.commit,
            "effort": suite.effort,
            "seed": suite.seed,
            "false_alarm_budget": FALSE_ALARM_BUDGET,
            "versions": plain(suite.versions),
            "threads": suite.threads,
            "started": suite.started,
            "seconds": plain(suite.seconds),
        },
        "papers": {key: _paper(paper, rows) for key, paper in papers().items()},
        "constants": [_constant(entry) for entry in constants_table(rows)],
        "claims": [_claim(row, loose_claims(rows)) for row in sorted(rows, key=lambda row: row.claim.id)],
    }


def _paper(paper: Paper, rows: Sequence[Row]) -> dict[str, Any]:
    statements = paper.statements
    return {
        "statements": len(statements),
        "covered": sum(isinstance(s.coverage, ByClaim | ByDefinition | Through) for s in statements),
        "open": [{"id": s.id, "reason": s.coverage.reason} for s in statements if isinstance(s.coverage, Open)],
        "errata": [
            {
                "id": s.id,
                "doubt": s.suspect.what,
                "decision": s.suspect.decision,
                "why": s.suspect.why,
                "refuted": list(s.suspect.refuted),
                "tested": list(s.suspect.tested),
            }
            for s in statements
            if s.suspect is not None
        ],
        "proofs": [_standing(standing) for standing in standings(paper, rows).values()],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "id": standing.id,
        "own": standing.own,
        "corrected": standing.corrected,
        "weakest": standing.weakest,
        "through": list(standing.through),
        "text": standing.text,
    }


def _constant(entry: ConstantEntry) -> dict[str, Any]:
    return {name: plain(value) for name, value in asdict(entry).items()}


def _scalar(value: Any) -> Any:
    """A symbol's value as a JSON scalar."""
    written = plain(value)
    return str(value) if isinstance(written, list | dict) or written is None else written


def _cell(cell: CellResult) -> dict[str, Any]:
    return {
        "at": {name: _scalar(value) for name, value in cell.at.items()},
        "measured": plain(cell.measured),
        "bound": plain(cell.bound),
        "ratio": plain(cell.ratio),
        "trials": cell.trials,
        "failures": cell.failures,
        "trivial": cell.trivial,
        "seconds": plain(cell.seconds),
        "premises": str(cell.premises),
        "verdict": str(cell.verdict),
        "remark": cell.remark,
    }


def _claim(row: Row, loose: Collection[str]) -> dict[str, Any]:
    claim, evidence, worst = row.claim, row.evidence, row.worst
    bound = row.config.bound or claim.bound
    return {
        "id": claim.id,
        "paper": claim.paper,
        "label": claim.label,
        "title": claim.title,
        "theme": claim.theme,
        "kind": claim.kind,
        "source": claim.source,
        "sense": claim.sense,
        "bound": bound.text,
        "bound_latex": bound.latex,
        "premises": [premise.text for premise in claim.premises],
        "premise_status": str(row.premise_status),
        "verdict": str(row.verdict),
        "expected_verdict": str(row.expected),
        "ok": row.ok,
        "error": row.error,
        "worst_ratio": plain(worst.ratio if worst is not None else float("nan")),
        "loose": claim.id in loose,
        "evidence": {
            # First, so that no detail can take the place of an entry that every row has.
            **plain(evidence.details),
            "method": evidence.method,
            "trials": sum(cell.trials for cell in evidence.cells),
            "failures": sum(cell.failures for cell in evidence.cells),
            "alpha": plain(evidence.alpha),
            "intervals": plain(evidence.intervals),
            "exponents": plain(evidence.exponents),
            "constants": {name: plain(float(constant)) for name, constant in bound.constants.items()},
            "needs": list(row.needs),
            "note": claim.note,
        },
        "power": {"kind": evidence.power.kind, "value": plain(evidence.power.value)},
        "controls": [{"name": c.name, "verdict": str(c.verdict), "refuted": c.refuted} for c in row.controls],
        "cells": [_cell(cell) for cell in evidence.cells],
        "reproduce": row.reproduce,
        "seconds": plain(row.seconds),
        "seconds_controls": plain(row.seconds_controls),
    }


def to_markdown(rows: Sequence[Row], suite: Suite) -> str:
    """The ledger as a Markdown page: one table, then what the verdicts mean and what is open."""
    lines = [
        "# Ledger",
        "",
        f"Effort {suite.effort}, seed {suite.seed}, commit {suite.commit}, {suite.seconds:.0f} s. "
        f"False-alarm budget of the suite: {FALSE_ALARM_BUDGET:g}.",
        "",
        "| claim | statement | sense | bound | verdict | premises | worst ratio | power | controls |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    loose = loose_claims(rows)
    for row in sorted(rows, key=lambda row: row.claim.id):
        claim, worst = row.claim, row.worst
        bound = row.config.bound or claim.bound
        mark = "" if row.ok else " **(unexpected)**"
        slack = " (loose)" if claim.id in loose else ""
        lines.append(
            f"| `{claim.id}` | {_cell_text(f'{claim.title} ({claim.label})')} "
            f"| {_angles(claim.sense)} "
            f"| $`{_cell_latex(bound.latex)}`$ | {row.verdict}{mark} | {row.premise_status} "
            f"| {worst.ratio if worst else float('nan'):.4g}{slack} | {row.evidence.power.text} "
            f"| {sum(c.refuted for c in row.controls)}/{len(row.controls)} |"
        )
    lines += ["", "## Without a result", ""] if any(row.error for row in rows) else []
    lines += [f"- `{row.claim.id}`: {_angles(row.error)}" for row in rows if row.error]
    lines += ["", "## Verdicts", ""]
    lines += [f"- `{verdict}`: {meaning}" for verdict, meaning in MEANING.items()]
    lines += ["", "## Constants", "", *_constants_markdown(rows)]
    for key, paper in papers().items():
        summary = _paper(paper, rows)
        lines += ["", f"## {key}: {summary['covered']} of {summary['statements']} statements covered", ""]
        lines += [f"{paper.title} ({paper.year}).", ""]
        lines += [f"- open: `{entry['id']}`: {entry['reason']}" for entry in summary["open"]]
        lines += ["", f"### What the statements of {key} rest on", ""]
        lines += ["| statement | itself | the weakest among those its proof uses |", "|---|---|---|"]
        lines += [f"| `{entry['id']}` | {entry['own']} | {entry['text']} |" for entry in summary["proofs"]]
    return "\n".join(lines) + "\n"


def _constants_markdown(rows: Sequence[Row]) -> list[str]:
    """Two tables: the best values found, and the values stated without one, each with the claims that state it."""
    entries = constants_table(rows)
    lines = [
        "Where a bound is proportional to its constant, the best value is the one at which the worst ratio of the",
        "judged cells would be 1: the smallest for an upper bound, the largest for a lower one.",
        "",
        "| claim | constant | stated | best | at | how |",
        "|---|---|---|---|---|---|",
    ]
    found = [entry for entry in entries if not math.isnan(entry.best)]
    lines += [
        f"| `{e.claim}` | {e.name} | {e.value:.4g} | {e.best:.4g} | {_cell_text(e.at)} | {e.how} |" for e in found
    ]
    lines += ["", "All values stated, in bounds and premises:", ""]
    lines += ["| constant | value | reason | claims |", "|---|---|---|---|"]
    stated: dict[tuple[str, str, str], dict[str, None]] = {}
    for e in entries:
        stated.setdefault((e.name, f"{e.value:.4g}", e.reason), {})[e.claim] = None
    lines += [
        f"| {name} | {value} | {_cell_text(_angles(reason))} | {', '.join(f'`{claim}`' for claim in claims)} |"
        for (name, value, reason), claims in sorted(stated.items())
    ]
    return lines


def _angles(text: str) -> str:
    """`text` with its inequality signs written so that Markdown does not take them for tags."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _cell_text(text: str) -> str:
    """`text` inside a table, where a bar would begin the next column."""
    return text.replace("|", "\\|")


def _cell_latex(latex: str) -> str:
    """A formula inside a table, its bars by name."""
    return latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")


def write(directory: Path, rows: Sequence[Row], suite: Suite) -> None:
    """Write `ledger.json` and `ledger.md` to `directory`, each at once: no half-written file is ever left."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        "ledger.json": json.dumps(to_json(rows, suite), indent=1, allow_nan=False) + "\n",
        "ledger.md": to_markdown(rows, suite),
    }
    for name, text in texts.items():
        handle, temporary = tempfile.mkstemp(dir=directory, prefix=f".{name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(temporary, 0o644)
            os.replace(temporary, directory / name)
        except BaseException:
            os.unlink(temporary)
            raise
