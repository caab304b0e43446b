"""The ledger of a run as JSON and Markdown.

Main definitions: `Suite`, what is known of the run as a whole; `to_json`; `to_markdown`; `try_folder`, which says
before a run whether its ledger can be written; `write`.

A run that did not judge all its claims writes `ledger.partial.json` and `ledger.partial.md`, and leaves the ledger of a
complete run as it is.
"""

from __future__ import annotations

import contextlib
import functools
import html
import json
import math
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bounds.bound import Bound
from bounds.premise import Premise
from bounds.symbols import SYMBOLS
from theory.claims.points import OfPoints
from theory.claims.results import CellResult
from theory.core.budget import FALSE_ALARM_BUDGET
from theory.core.digits import apart, near_one
from theory.core.guard import Failure, SessionError
from theory.core.scope import MEANING as SCOPES
from theory.core.seeds import canonical
from theory.core.statements import ByClaim, ByDefinition, Open, Paper, Through
from theory.core.values import Json, JsonDict
from theory.core.verdict import MEANING, NONE_NEEDED, Verdict
from theory.judging.counterexamples import Counterexample
from theory.judging.dots import Dot
from theory.judging.judge import ControlResult, Row
from theory.judging.trend import METHOD, Trend
from theory.papers import papers
from theory.reports import expected, figures, needs_shown, noticed, second_opinions, words
from theory.reports.figures import Figure
from theory.reports.hidden_constants import ConstantEntry, constants_table
from theory.reports.looseness import loose_claims
from theory.reports.main_theorems import Answer, Form, main_theorems, named, of_rows, passing, scopes
from theory.reports.needs import Plan, with_best
from theory.reports.pictures import Along, along
from theory.reports.records import recorded
from theory.reports.rests_on import NOT_RUN, Standing, standings
from theory.reports.versions import side_by_side

SCHEMA = 10
SCHEMA_FILE = Path(__file__).with_name("ledger.schema.json")

# The files of a complete run and of one that ended early, and how they begin.
COMPLETE = ("ledger.json", "ledger.md", "index.html")
PLANNER = ("needs.json", "needs.html")
PARTIAL = ("ledger.partial.json", "ledger.partial.md")
_BEGINNINGS = {
    ".json": re.compile(rb'\s*\{\s*"schema"\s*:\s*\d+\s*,\s*"(?:suite|asked)"'),
    ".md": re.compile(rb"# Ledger\s"),
    ".html": re.compile(
        rb"<!doctype html>\s*<html[^>]*>\s*<head>.{0,400}<title>lemmata: (?:ledger|needs)</title>", re.DOTALL
    ),
}

# The folder of the figures, beside the ledger.
FIGURES = "figures"

# Bytes that must be free for a ledger: that of the whole suite takes less than half.
ROOM = 2**23


class LedgerError(SessionError):
    """A ledger that cannot be written; the message is one line."""


@dataclass(frozen=True)
class Suite:
    """The run as a whole. `started` is an ISO 8601 time; `seconds` the wall time.

    `dirty` says that the sources are not those of the commit, `data` which training points the user brought, and
    `what_if` which formula or sizes were asked for in place of the declared ones; both are empty where none was.
    `missing` are the ids of the claims that were to be judged and have no row, because the run ended before. `figures`
    are those of the claims, by id; `selected` says that an option chose among the claims. `budget` is the chance that a
    run refutes some true claim. Unless `paged`, the ledger has no pages.
    """

    version: str
    commit: str
    effort: str
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    started: str = ""
    seconds: float = 0.0
    missing: tuple[str, ...] = ()
    figures: Mapping[str, Figure] = field(default_factory=dict)
    dirty: bool = False
    data: str = ""
    what_if: str = ""
    selected: bool = False
    budget: float = FALSE_ALARM_BUDGET
    paged: bool = True

    @property
    def complete(self) -> bool:
        """Whether every claim that was to be judged has a row."""
        return not self.missing

    @property
    def figure_files(self) -> dict[str, str]:
        """Where the figure of each claim stands, but for the ending: only a complete run writes them."""
        files: dict[str, str] = {}
        for identifier in sorted(self.figures) if self.complete else ():
            name = re.sub(r"[^A-Za-z0-9.-]", "-", identifier)
            same = sum(file == f"{FIGURES}/{name}" or file.startswith(f"{FIGURES}/{name}_") for file in files.values())
            files[identifier] = f"{FIGURES}/{name}" + (f"_{same + 1}" if same else "")
        return files


def plain(value: Any) -> Any:
    """`value` in JSON's terms: numbers as numbers, NaN and infinities as strings, the rest as it stands."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, OfPoints):
        return value.short
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def to_json(rows: Sequence[Row], suite: Suite) -> JsonDict:
    """The ledger as an object that `ledger.schema.json` describes."""
    # Once for all rows: both look at every row.
    loose, files, forms = loose_claims(rows), suite.figure_files, of_rows(rows)
    return {
        "schema": SCHEMA,
        "suite": {
            "version": suite.version,
            "commit": suite.commit,
            "dirty": suite.dirty,
            "data": suite.data,
            "what_if": suite.what_if,
            "effort": suite.effort,
            "seed": suite.seed,
            "false_alarm_budget": suite.budget,
            "versions": plain(suite.versions),
            "threads": suite.threads,
            "started": suite.started,
            "seconds": plain(suite.seconds),
            "complete": suite.complete,
            "missing": sorted(suite.missing),
        },
        "papers": {key: _paper(paper, rows, forms) for key, paper in _asked_for(rows, suite).items()},
        "main_theorems": [
            _tested(entry) for entry in main_theorems(forms) if _key(entry.statement.id) in _asked_for(rows, suite)
        ],
        "constants": [_constant(entry) for entry in constants_table(rows)],
        "versions": plain(side_by_side(rows)),
        "claims": [_claim(row, loose, files) for row in sorted(rows, key=lambda row: row.claim.id)],
    }


def _asked_for(rows: Sequence[Row], suite: Suite) -> dict[str, Paper]:
    """The papers that a run was about; all where it judged nothing."""
    asked = {row.claim.paper for row in rows} | {_key(identifier) for identifier in suite.missing}
    return {key: paper for key, paper in papers().items() if key in asked or not asked}


def _key(identifier: str) -> str:
    """The key of the paper of a claim or a statement."""
    return identifier.split(":")[0]


def _paper(paper: Paper, rows: Sequence[Row], forms: Sequence[Form]) -> JsonDict:
    statements = paper.statements
    return {
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "url": paper.url,
        "setting": paper.setting,
        "statements": len(statements),
        "covered": sum(isinstance(s.coverage, ByClaim | ByDefinition | Through) for s in statements),
        "scopes": scopes(paper, forms),
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
        **({"record": own} if (own := recorded(paper)) else {}),
    }


def _tested(entry: Answer) -> JsonDict:
    return {
        "id": entry.statement.id,
        "label": entry.statement.label,
        "title": entry.statement.title,
        "printed": entry.printed,
        "scope": entry.scope,
        "of": entry.of,
        "best": [form.claim.id for form in entry.best],
        "unseen": entry.unseen,
        "through": list(entry.through),
        "rows": [
            {
                "id": form.claim.id,
                "scope": form.scope.value,
                "of": form.of,
                "verdict": form.verdict.value,
                "ok": form.ok,
                "sizes": form.sizes,
                "largest": form.largest,
            }
            for form in entry.forms
        ],
    }


def _standing(standing: Standing) -> JsonDict:
    return {
        "id": standing.id,
        "own": standing.own,
        "corrected": standing.corrected,
        "weakest": standing.weakest,
        "through": list(standing.through),
        "text": standing.text,
    }


def _constant(entry: ConstantEntry) -> JsonDict:
    return {name: plain(value) for name, value in asdict(entry).items()}


def _scalar(value: Any) -> Any:
    """A symbol's value as a JSON scalar."""
    written = plain(value)
    return str(value) if isinstance(written, list | dict) or written is None else written


def _cell(cell: CellResult) -> JsonDict:
    return {
        "at": {name: _scalar(value) for name, value in cell.at.items()},
        "measured": plain(cell.measured),
        "error": plain(cell.rounding_error),
        "bound": plain(cell.bound),
        "ratio": plain(cell.ratio),
        "trials": cell.trials,
        "failures": cell.failures,
        "trivial": cell.trivial,
        "seconds": plain(cell.seconds),
        "premises": str(cell.premises),
        "verdict": str(cell.verdict),
        "remark": cell.remark,
        "idle": plain(cell.idle),
        "budget": cell.budget,
    }


def _short(value: float) -> Any:
    """A number with as many digits as a picture shows."""
    return plain(float(f"{value:.5g}"))


def _dot(dot: Dot) -> JsonDict:
    return {
        "cell": dot.cell,
        "worst": dot.worst,
        "measured": _short(dot.measured),
        "bound": _short(dot.bound),
        "drawn": {name: _short(value) for name, value in dot.drawn.items()},
    }


def _along(line: Along) -> JsonDict:
    return {
        "places": [_short(place) for place in line.places],
        "bound": [_short(limit) for limit in line.bound],
        "inside": [[_short(end) for end in ends] for ends in line.inside],
    }


def _trend(name: str, trend: Trend) -> JsonDict:
    return {
        "slope": plain(trend.slope),
        "interval": plain(trend.interval),
        "method": METHOD,
        "sizes": plain(trend.sizes),
        "ratios": plain(trend.ratios),
        "crosses": plain(trend.crossing),
        "along": list(trend.along),
        "drawn": trend.drawn,
        "saturates": _saturates(trend),
        "followed": _followed(trend),
        "remark": trend.remark(name),
    }


def _saturates(trend: Trend) -> JsonDict | None:
    curve = trend.saturation
    return None if curve is None else {"gap": plain(curve.gap), "power": plain(curve.power)}


def _followed(trend: Trend) -> JsonDict | None:
    found = trend.followed
    if found is None:
        return None
    return {
        "sizes": plain(found.sizes),
        "ratios": plain(found.ratios),
        "end": str(found.end),
        "beyond": plain(found.beyond),
        "why": found.why,
    }


def _control(control: ControlResult) -> JsonDict:
    change = control.change
    fields = {"bound": "bound_ratio", "measured": "measured_ratio", "closest": "closest"}
    return {
        "name": control.name,
        "verdict": str(control.verdict),
        "refuted": control.refuted,
        "ratio": change.ratio,
        "bound_ratio": plain(change.bound),
        "measured_ratio": plain(change.measured),
        "closest": change.closest,
        "error": change.error,
        "why_none": {fields[name]: why for name, why in change.why.items()},
    }


def _counterexample(row: Row, found: Counterexample) -> JsonDict:
    return {
        "which": found.which,
        "at": {name: _scalar(value) for name, value in found.at.items()},
        "measured": plain(found.measured),
        "error": plain(found.error),
        "bound": plain(found.bound),
        "ratio": plain(found.ratio),
        "reproduce": row.measuring(found.at),
        "expect": expected.of(found.printed_ratio(row.claim.sense), found.share_of_itself, row.verdict),
    }


def _typeset(row: Row) -> dict[str, str]:
    """How the symbols of a row are set, where that is another way than by their names."""
    formulas: tuple[Bound | Premise, ...] = (row.bound, *row.claim.premises)
    names = dict.fromkeys(name for formula in formulas for name in (*formula.symbols, *formula.constants))
    names |= dict.fromkeys(name for cell in row.evidence.cells for name in cell.at)
    return {name: SYMBOLS[name].latex for name in names if name in SYMBOLS and SYMBOLS[name].latex != name}


def entry(row: Row) -> JsonDict:
    """A row by itself as a ledger has it."""
    return _claim(row, loose_claims([row]), {})


def _claim(row: Row, loose: Collection[str], files: Mapping[str, str]) -> JsonDict:
    claim, evidence, worst = row.claim, row.evidence, row.worst
    bound, excused = row.bound, row.excused
    return {
        "id": claim.id,
        "statement": claim.statement,
        "uses": list(claim.uses),
        "paper": claim.paper,
        "label": claim.label,
        "title": claim.title,
        "theme": claim.theme,
        "kind": claim.kind,
        "source": claim.source,
        "declared": claim.place,
        "sense": claim.sense,
        "bound": bound.text,
        "bound_latex": bound.latex,
        "measures": claim.measures,
        "symbols": row.meanings,
        "typeset": _typeset(row),
        "premises": [{"text": p.text, "latex": p.latex, "words": p.note, "source": p.source} for p in claim.premises],
        "premise_status": row.premises_said,
        "premises_needless": "" if claim.premises else claim.needs_none,
        "limits": claim.regime.limits,
        "verdict": str(row.verdict),
        "weak": row.weak,
        "expected_verdict": str(row.expected),
        "scope": {
            "is": claim.scope.found(row.verdict).value,
            "of": claim.scope.of,
            "own_constants": list(claim.scope.constants),
            "ceiling": claim.scope.ceiling,
            "declared": claim.scope.declared,
        },
        "noticed": noticed.said(claim.id),
        "judges": second_opinions.said(claim.id, _steps(row)),
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
        "sees": plain(row.sight.sees),
        "blind": {name: {"found": why, "declared": excused.get(name, "")} for name, why in row.sight.blind.items()},
        "no_evidence": row.no_evidence,
        "sight_unasked": row.sight.unasked,
        "trend": {name: _trend(name, trend) for name, trend in row.trends.items()},
        "dots": [_dot(dot) for dot in row.finding.dots],
        "along": {name: _along(line) for name, line in _drawable(row).items()},
        "remarks": row.remarks,
        "power": {
            "kind": evidence.power.kind,
            "value": plain(evidence.power.value),
            "best": plain(evidence.power.best),
        },
        "controls": [_control(control) for control in row.controls],
        "own_variants": {
            "asked": len(row.sight.own),
            "refuted": list(row.sight.refuted),
            "others": [text for text, refuted in row.sight.own.items() if not refuted],
        },
        "cells": [_cell(cell) for cell in evidence.cells],
        "counterexamples": [_counterexample(row, found) for found in row.finding.counterexamples],
        "figure": f"{files[claim.id]}.png" if claim.id in files else "",
        "takes": dict(claim.packages),
        "reproduce": row.reproduce,
        "expect": expected.of_row(row),
        "seconds": plain(row.seconds),
        "seconds_controls": plain(row.seconds_controls),
        "known": row.known,
    }


def _drawable(row: Row) -> dict[str, Along]:
    """The bound along sizes, for pictures; nothing where that fails, since a picture costs no row."""
    try:
        return along(row)
    except Exception:
        return {}


def to_markdown(rows: Sequence[Row], suite: Suite) -> str:
    """The ledger as a Markdown page: the main theorems, all claims, then what the verdicts mean and what is open."""
    forms = of_rows(rows)
    lines = [
        "# Ledger",
        "",
        f"Effort {suite.effort}, seed {suite.seed}, commit {suite.commit}, {suite.seconds:.0f} s. "
        f"False-alarm budget: {suite.budget:g}.",
        "",
        *_what_is_missing(suite, len(rows)),
        *_main_theorems(forms),
        "## Claims",
        "",
        "| claim | statement | sense | bound | verdict | premises | worst ratio | power | controls |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    loose = loose_claims(rows)
    for row in sorted(rows, key=lambda row: row.claim.id):
        claim, worst = row.claim, row.worst
        bound = row.bound
        mark = (" (formula unseen)" if row.no_evidence else "") + ("" if row.ok else " **(unexpected)**")
        slack = " (loose)" if claim.id in loose else ""
        lines.append(
            f"| {_code(claim.id)} | {_text(f'{claim.title} ({claim.label})')} "
            f"| {_text(claim.sense)} "
            f"| $`{_latex(bound.latex)}`$ | {row.said}{mark} | {row.premises_marked} "
            f"| {words.worst(worst.printed_ratio(claim.sense), row.counted) if worst else 'nan'}{slack} "
            f"| {_text(row.evidence.power.text)} "
            f"| {row.controls_said} |"
        )
    lines += ["", "## Without a result", ""] if any(row.error for row in rows) else []
    lines += [f"- {_code(row.claim.id)}: {_text(row.error)}" for row in rows if row.error]
    lines += ["", "## Not judged", ""] if any(row.unjudged for row in rows) else []
    lines += [f"- {_code(row.claim.id)}: {_text(row.unjudged)}" for row in rows if row.unjudged]
    lines += _counterexamples(rows)
    lines += _figures(suite)
    lines += ["", "## What each row sees", "", *_sight(rows)]
    lines += ["", "## Ratios that rise", "", *_rising(rows)]
    lines += ["", "## What is measured", "", *_measures(rows)]
    lines += ["", "## Verdicts", ""]
    lines += [f"- `{verdict}`: {meaning}" for verdict, meaning in MEANING.items()]
    lines += ["", "## Scopes", ""]
    lines += [f"- `{scope}`: {meaning}" for scope, meaning in SCOPES.items()]
    lines += ["", "| claim | scope |", "|---|---|"]
    lines += [f"| {_code(form.claim.id)} | {_text(_scope(form))} |" for form in sorted(forms, key=_by_id)]
    lines += ["", "## Constants", "", *_constants_markdown(rows)]
    for key, paper in _asked_for(rows, suite).items():
        summary = _paper(paper, rows, forms)
        lines += ["", f"## {_text(key)}: {summary['covered']} of {summary['statements']} statements covered", ""]
        lines += [f"{_text(paper.title)} ({paper.year}).", ""]
        lines += [f"Unless a block says otherwise: {_text(paper.setting)}", ""] if paper.setting else []
        counts = ", ".join(f"{count} {answer}" for answer, count in summary["scopes"].items())
        lines += [f"Statements by the best scope of a row that passes: {counts}.", ""]
        lines += [f"- open: {_code(entry['id'])}: {_text(entry['reason'])}" for entry in summary["open"]]
        lines += ["", f"### What the statements of {_text(key)} rest on", ""]
        lines += ["| statement | itself | the weakest among those its proof uses |", "|---|---|---|"]
        lines += [f"| {_code(entry['id'])} | {entry['own']} | {_text(entry['text'])} |" for entry in summary["proofs"]]
    return "\n".join(lines) + "\n"


def _steps(row: Row) -> list[str]:
    """The steps of a proof, in words."""
    return [str(step.get("step", "")) for step in row.evidence.details.get("steps", ()) if isinstance(step, dict)]


def _by_id(form: Form) -> str:
    return form.claim.id


def _scope(form: Form) -> str:
    told = noticed.said(form.claim.id)
    said = told["text"] if told["silent"] or not told["asked"] else ""
    return f"{form.scope}" + (f": {form.of}" if form.of else "") + (f"; {said}" if said else "")


def _main_theorems(forms: Sequence[Form]) -> list[str]:
    """A table of the theorems and corollaries that this run has something to say of."""
    lines = []
    for entry in main_theorems(forms):
        if entry.scope != NOT_RUN:
            shown = entry.best or tuple(form for form in entry.forms if form.verdict.value == entry.scope)
            columns = (
                entry.printed,
                passing(entry),
                _text(", ".join(sorted({form.verdict.value for form in shown})) or "-"),
                named(entry) or "-",
                _text(shown[0].sizes if shown else "") or "-",
            )
            title = f"{entry.statement.id.split(':')[0]}: {entry.statement.label}, {entry.statement.title}"
            lines.append(f"| {_text(title)} | {' | '.join(columns)} |")
    head = [
        "What the columns say stands in `docs/theorems.md`, which has the table without a run.",
        "",
        "| theorem | printed form | what of it passes | verdict | by | sizes of the first |",
        "|---|---|---|---|---|---|",
    ]
    return ["## Main theorems", "", *head, *lines, ""] if lines else []


def _counterexamples(rows: Sequence[Row]) -> list[str]:
    """A table of the rows refuted by a number, with digits that show by how much each misses its bound."""
    lines = []
    for row in sorted(rows, key=lambda row: row.claim.id):
        if row.verdict is Verdict.REFUTED and row.worst is not None and row.claim.evidence.compares:
            sense, at = row.claim.sense, canonical(row.worst.worst or row.worst.at)
            measured, bound = apart(row.worst.printed_measured(sense), row.worst.bound)
            numbers = f"{measured} | {_text(sense)} | {bound} | {near_one(row.worst.printed_ratio(sense))}"
            lines.append(f"| {_code(row.claim.id)} | {numbers} | {_code(at)} |")
    head = ["| claim | measured | claimed to be | bound | ratio | at |", "|---|---|---|---|---|---|"]
    return ["", "## Counterexamples", "", *head, *lines] if lines else []


def _figures(suite: Suite) -> list[str]:
    """The pictures, each with its caption and a link to its numbers."""
    lines = []
    for identifier, file in suite.figure_files.items():
        caption = _text(suite.figures[identifier].caption)
        lines += [
            f"![{_text(identifier)}]({file}.png)",
            "",
            f"{_code(identifier)}: {caption} [Numbers]({file}.json)",
            "",
        ]
    return ["", "## Figures", "", *lines[:-1]] if lines else []


def _sight(rows: Sequence[Row]) -> list[str]:
    """A table of the passing rows: which changes of their statement they would have refuted, and which not."""
    lines = [
        "Each symbol of the bound is frozen at the first value judged, or its exponent is moved by 1/2 or 1 either way",
        "with the same value there. A symbol that stands in a sum, or in several factors, is asked about at each of",
        "its places as well, as `a in a*x**2`. Each term of a sum is left out, each premise dropped. A row sees what",
        "of these it refutes by what it has measured. A row that is blind to a symbol is no evidence for its",
        "dependence on it; one that sees no symbol of its bound is no evidence for the formula.",
        "",
        *_unfounded(rows),
        "| claim | sees | blind to | need not see |",
        "|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: row.claim.id):
        if not row.verdict.is_pass:
            continue
        sight, excused = row.sight, row.excused
        seen = [f"{_code(name)} ({_text(', '.join(how))})" for name, how in sight.sees.items()]
        blind = [f"{_code(name)} ({_text(why)})" for name, why in sight.blind.items() if name not in excused]
        blind += [f"not asked: {_text(sight.unasked)}"] if sight.unasked else []
        reasons = [f"{_code(name)} ({_text(excused[name])})" for name in sight.blind if name in excused]
        columns = "; ".join(seen), "; ".join(blind), "; ".join(reasons)
        lines.append(f"| {_code(row.claim.id)} | {' | '.join(column or '-' for column in columns)} |")
    return lines


def _unfounded(rows: Sequence[Row]) -> list[str]:
    """A list of the rows that are no evidence for their formula, if there are any."""
    named = sorted(row.claim.id for row in rows if row.no_evidence)
    return [f"No evidence for the formula ({len(named)}): {', '.join(map(_code, named))}.", ""] if named else []


def _rising(rows: Sequence[Row]) -> list[str]:
    """A table of the rows whose worst ratio rises with a size at every step and may pass 1, or was followed."""
    lines = []
    for row in sorted(rows, key=lambda row: row.claim.id):
        for name, trend in row.trends.items():
            if remark := trend.remark(name):
                low, high = trend.interval
                slope = f"{trend.slope:.2f} in [{low:.2f}, {high:.2f}]"
                lines.append(f"| {_code(row.claim.id)} | {_text(remark)} | {_text(slope)} |")
    if not lines:
        return ["None."]
    return [
        f"Slopes: {_text(METHOD)}.",
        "",
        "| claim | what rises | slope of the logarithms |",
        "|---|---|---|",
        *lines,
    ]


def _measures(rows: Sequence[Row]) -> list[str]:
    """Two tables: what each row measures under which premises, and what the symbols stand for."""
    lines = ["| claim | measured | premises | declared |", "|---|---|---|---|"]
    meanings: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.claim.id):
        premises = "; ".join(f"{_code(p.text)}" + (f" ({_text(p.note)})" if p.note else "") for p in row.claim.premises)
        premises = premises or _text(f"{NONE_NEEDED}: {row.claim.needs_none}")
        premises += f"; only sizes {_code(row.claim.regime.limits)}" if row.claim.regime.limits else ""
        lines.append(f"| {_code(row.claim.id)} | {_text(row.claim.measures)} | {premises} | {_code(row.claim.place)} |")
        meanings |= row.meanings
    lines += ["", "| symbol | meaning |", "|---|---|"]
    return lines + [f"| {_code(name)} | {_text(meanings[name])} |" for name in sorted(meanings)]


def _constants_markdown(rows: Sequence[Row]) -> list[str]:
    """Two tables: the best values found, and the values stated without one, each with the claims that state it."""
    entries = constants_table(rows)
    lines = [
        "Where a bound is proportional to its constant, the best value is the one at which the worst ratio of the",
        "judged cells would be 1: the smallest for an upper bound, the largest for a lower one. Of a premise it is the",
        "least demanding one with which a cell that passed is inside, and every cell that failed outside.",
        "",
        "| claim | constant | of | stated | best | at | how |",
        "|---|---|---|---|---|---|---|",
    ]
    found = [entry for entry in entries if not math.isnan(entry.best)]
    lines += [
        f"| {_code(e.claim)} | {_text(e.name)} | {_text(e.where)} | {e.value:.4g} | {e.best:.4g} | {_text(e.at)} "
        f"| {_text(e.how)} |"
        for e in found
    ]
    lines += ["", "All values stated, in bounds and premises:", ""]
    lines += ["| constant | value | reason | claims |", "|---|---|---|---|"]
    stated: dict[tuple[str, str, str], dict[str, None]] = {}
    for e in entries:
        stated.setdefault((e.name, f"{e.value:.4g}", e.reason), {})[e.claim] = None
    lines += [
        f"| {_text(name)} | {value} | {_text(reason)} | {', '.join(map(_code, claims))} |"
        for (name, value, reason), claims in sorted(stated.items())
    ]
    return lines


def _what_is_missing(suite: Suite, judged: int) -> list[str]:
    """The lines that mark the ledger of a run that ended early."""
    if suite.complete:
        return []
    total = judged + len(suite.missing)
    return [
        f"**Partial**: the run ended when {judged} of its {total} claims were judged.",
        f"Not judged: {', '.join(map(_code, sorted(suite.missing)))}.",
        "",
    ]


# What Markdown, or a formula set with dollars, takes for more than the character that it is. Parentheses, braces and
# exclamation marks are active beside these alone.
_ACTIVE = re.compile(r"([\\`*_\[\]#~|$])")


def _text(text: str) -> str:
    """`text` as Markdown that shows it as it stands, in a paragraph or a table, on one line."""
    return html.escape(_ACTIVE.sub(r"\\\1", _one_line(text)), quote=False)


def _code(text: str) -> str:
    """`text` as a code span, in a paragraph or a table."""
    shown = _one_line(text).replace("|", "\\|")
    # Closed by as many backticks as open it, more than are anywhere inside.
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _latex(latex: str) -> str:
    """A formula inside a table and a code span, its bars by name and without what would end the span."""
    formula = latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
    return _one_line(formula).replace("`", "'")


def _one_line(text: str) -> str:
    """`text` with blanks for line breaks and for what does not print."""
    return "".join(c if c.isprintable() else " " for c in text)


def try_folder(directory: Path) -> None:
    """Say before a run whether its ledger can be written to `directory`, and leave everything there as it is.

    Raises `LedgerError` where that is no folder, cannot be written, has no room, or holds a file of the name of a
    ledger that is none.
    """
    try:
        place = _nearest_there(directory.absolute())
        if not place.is_dir():
            raise LedgerError(f"--ledger: {_named(place)} is no folder; name a folder")
        if place == directory.absolute():
            if os.path.lexists(directory / FIGURES) and not (directory / FIGURES).is_dir():
                raise LedgerError(f"--ledger: {_named(directory / FIGURES)} is no folder; move it or name another one")
            for name in (*COMPLETE, *PARTIAL, *PLANNER):
                _refuse_foreign(directory / name)
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(bytes(ROOM))
            file.flush()
            os.fsync(file.fileno())
    except (OSError, ValueError) as error:
        if isinstance(error, LedgerError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise LedgerError(f"--ledger: {_named(directory)}: {reason}; name a folder that can be written") from None


def _nearest_there(path: Path) -> Path:
    """`path`, or the nearest above it that is there."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return _nearest_there(path.parent)
    return path


def _refuse_foreign(path: Path) -> None:
    """Refuse what stands where a ledger would be written and is none; an empty file is no loss."""
    if not os.path.lexists(path):
        return
    if stat.S_ISREG(path.stat().st_mode):
        with path.open("rb") as file:
            beginning = file.read(4096)
        if not beginning or _BEGINNINGS[path.suffix].match(beginning):
            return
    raise LedgerError(f"--ledger: {_named(path)} is no ledger and would be overwritten; move it or name another folder")


def _named(path: Path) -> str:
    """A path in one line, as it stands where it is printable."""
    return str(path) if str(path).isprintable() else repr(str(path))


def write(
    directory: Path,
    rows: Sequence[Row],
    suite: Suite,
    old: Json | None = None,
    plan: Plan | None = None,
    lost: list[str] | None = None,
) -> tuple[Path, Path]:
    """Write the ledger as JSON and as Markdown to `directory`, its figures into a folder there; return the two files.

    A complete run writes a page as well, unless `suite` asks for none, which says what changed against the ledger
    `old`, and beside it what the premises ask for, if there is a `plan`. All are replaced by whole files or none is; a
    part that cannot be made is left out, and `lost` gets a word on it. Those of a run that ended early take the place
    of no complete ones, and those of a complete run make earlier partial ones superfluous. Raises `LedgerError` if they
    cannot be written.
    """
    missed = lost if lost is not None else []
    try:
        ledger = to_json(rows, suite)
        text = json.dumps(ledger, indent=1, allow_nan=False) + "\n"
    except Exception:
        rows, suite = _writable(rows, suite, missed)
        ledger = to_json(rows, suite)
        text = json.dumps(ledger, indent=1, allow_nan=False) + "\n"
    names = COMPLETE if suite.complete else PARTIAL

    def add(name: str, make: Callable[[], dict[str, str | bytes]]) -> None:
        """Add what is made, or note that it could not be."""
        try:
            made = {file: part.encode() if isinstance(part, str) else part for file, part in make().items()}
        except Exception as error:
            missed.append(f"no {name} was made: {Failure.of(error).reason}")
        else:
            contents.update(made)

    def of_page() -> dict[str, str | bytes]:
        # Imported here: templates and layouts take a while, and few runs write a page.
        from theory.reports.page import page
        from theory.reports.page.packing import packed

        widths = None if plan is None else needs_shown.widths(plan)
        return {COMPLETE[2]: packed(page(ledger, suite.figures, old, suite.selected, widths))}

    contents: dict[str, bytes] = {}
    for identifier, file in suite.figure_files.items():
        figure = suite.figures[identifier]
        drawn = functools.partial(_of_figure, figure, file)
        add(f"figure of {identifier}", drawn)
    contents[names[0]] = text.encode()
    add(names[1], lambda: {names[1]: to_markdown(rows, suite)})
    if suite.complete and suite.paged:
        add(COMPLETE[2], of_page)
    if suite.complete and plan is not None:
        asked = plan
        add("needs.html", lambda: dict(needs_shown.texts(with_best(asked, ledger["constants"]), beside=True)))
    targets = [directory / name for name in contents]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            if suite.figure_files:
                (directory / FIGURES).mkdir(exist_ok=True)
                # An empty one is left over where nothing could be written.
                stack.callback(_remove_empty, directory / FIGURES)
            new = [
                _temporary(stack, target, content) for target, content in zip(targets, contents.values(), strict=True)
            ]
            before = [_second_name(stack, target) for target in targets]
            stack.enter_context(_all_or_none(targets, before))
            for temporary, target in zip(new, targets, strict=True):
                os.replace(temporary, target)
    except OSError as error:
        raise LedgerError(f"--ledger: {_named(directory)}: {error.strerror or error}; the ledger is lost") from error
    if suite.complete:
        # Pages of an earlier run would be of other rows.
        for name in PARTIAL if suite.paged else (*PARTIAL, COMPLETE[2], *PLANNER):
            with contextlib.suppress(OSError):
                (directory / name).unlink()
    return directory / names[0], directory / names[1]


def _writable(rows: Sequence[Row], suite: Suite, lost: list[str]) -> tuple[Sequence[Row], Suite]:
    """The rows that a ledger can hold; the run misses the others, and `lost` gets a word on each."""
    kept = []
    for row in rows:
        try:
            json.dumps(to_json([row], suite), allow_nan=False)
        except Exception as error:
            lost.append(f"no row of {row.claim.id}: {Failure.of(error).reason}")
        else:
            kept.append(row)
    gone = {row.claim.id for row in rows} - {row.claim.id for row in kept}
    return kept, replace(suite, missing=tuple(sorted({*suite.missing, *gone})))


def _of_figure(figure: Figure, file: str) -> dict[str, str | bytes]:
    """The files of a figure: a picture, and its numbers."""
    return {f"{file}.png": figures.png(figure), f"{file}.json": figures.numbers(figure)}


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _temporary(stack: contextlib.ExitStack, target: Path, content: bytes) -> Path:
    """A file with `content` beside `target`, on the disk, gone with the stack unless it is renamed."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    stack.callback(temporary.unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, 0o644)
    return temporary


def _second_name(stack: contextlib.ExitStack, target: Path) -> Path | None:
    """Another name for the file that is about to be replaced, gone with the stack; nothing if there is none."""
    if not target.exists():
        return None
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    stack.callback(folder.rmdir)
    second = folder / target.name
    stack.callback(second.unlink, missing_ok=True)
    try:
        os.link(target, second)
    except OSError:  # a file system without links
        shutil.copy2(target, second)
    return second


@contextlib.contextmanager
def _all_or_none(targets: Sequence[Path], before: Sequence[Path | None]) -> Iterator[None]:
    """Put back what stood at `targets` when the replacements inside do not all succeed."""
    was = [os.stat(target).st_ino if old is not None else None for target, old in zip(targets, before, strict=True)]
    try:
        yield
    except BaseException:
        for target, old, number in zip(targets, before, was, strict=True):
            if old is None:
                target.unlink(missing_ok=True)
            elif os.stat(target).st_ino != number:
                os.replace(old, target)
        raise
