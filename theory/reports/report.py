"""The terminal's view of a run: one line per claim, and the whole story of one claim.

Main definitions: `table`, `story`, `summary`.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Sequence

from bounds.constant import Constant
from theory.claims.results import CellResult
from theory.core.digits import apart, near_one
from theory.core.scope import MEANING as SCOPES
from theory.core.statements import Open, Paper
from theory.core.values import Values
from theory.core.verdict import MEANING, NONE_NEEDED, PremiseStatus, Verdict
from theory.judging.judge import NO_WIDTH, ControlResult, Row
from theory.judging.trend import METHOD
from theory.papers import find_statement, papers
from theory.reports import expected, noticed, second_opinions, words
from theory.reports.ledger import entry
from theory.reports.looseness import LOOSE, loose_claims
from theory.reports.main_theorems import of_rows, scopes
from theory.reports.rests_on import NOT_RUN, standings

# Below this many characters a title says nothing; a narrower terminal wraps the line instead.
LEAST_TITLE = 28

# Letters of a line of the setting of a paper, in a story.
SETTING_WIDTH = 100

# Beside the verdict of a row that sees no symbol of its bound.
UNSEEN = "unseen"

_COLUMNS = ("claim", "title", "verdict", "premises", "ratio", "power", "controls", "time")


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _number(value: float) -> str:
    return f"{value:.4g}"


def table(rows: Sequence[Row], width: int) -> list[str]:
    """One line per claim, titles shortened to fit `width` columns."""
    entries, loose = [], loose_claims(rows)
    for row in sorted(rows, key=lambda row: row.claim.id):
        worst = row.worst
        entries.append(
            [
                row.claim.id,
                row.claim.title,
                row.said + (f" {UNSEEN}" if row.no_evidence else "") + ("" if row.ok else " !"),
                row.premises_marked,
                (words.worst(worst.printed_ratio(row.claim.sense), row.counted) if worst is not None else "-")
                + (" loose" if row.claim.id in loose else ""),
                row.evidence.power.short,
                row.controls_said,
                row.known or f"{row.seconds:.1f}+{row.seconds_controls:.1f}s",
            ]
        )
    widths = [max(len(line[i]) for line in [list(_COLUMNS), *entries]) for i in range(len(_COLUMNS))]
    room = width - (sum(widths) - widths[1]) - 2 * (len(widths) - 1)
    widths[1] = max(LEAST_TITLE, min(widths[1], room))
    lines = []
    for line in [list(_COLUMNS), *entries]:
        cells = [_short(text, widths[i]).ljust(widths[i]) for i, text in enumerate(line)]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * w for w in widths))
    return lines


def summary(rows: Sequence[Row]) -> list[str]:
    """Counts of verdicts, controls and coverage."""
    counts = Counter(row.said for row in rows)
    controls = [c for row in rows for c in row.controls]
    lines = [
        ("1 claim: " if len(rows) == 1 else f"{len(rows)} claims: ")
        + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())),
        f"{sum(c.refuted for c in controls)} of {len(controls)} negative controls by hand refuted",
    ]
    known = sorted(row.known for row in rows if row.known)
    lines += [f"{len(known)} of {len(rows)} rows are known, the oldest since {known[0]}"] if known else []
    own = [refuted for row in rows for refuted in row.sight.own.values()]
    lines += [f"{sum(own)} of {len(own)} wrong variants that rows made of their own bounds refuted"] if own else []
    lines += [f"{row.claim.id} is not as expected; again: {row.again}" for row in rows if not row.ok]
    lines += [f"{row.claim.id} has no result: {row.error}" for row in rows if row.error]
    lines += [f"{row.claim.id} is not judged: {row.unjudged}" for row in rows if row.unjudged]
    cells = [cell for row in rows for cell in row.evidence.cells]
    trivial = sum(cell.premises is PremiseStatus.TRIVIAL for cell in cells), sum(cell.trivial for cell in cells)
    lines.append(f"{trivial[0]} cells and {trivial[1]} instances set aside as trivial: their bound cannot be missed")
    idle = sum(cell.premises is PremiseStatus.IDLE for cell in cells)
    lines += [f"{idle} cells set aside as idle: what the claim is about is not needed there"] if idle else []
    lines += _sight(rows)
    lines += [
        f"{name} is loose: its bound is met by more than a factor of {1.0 / LOOSE:g}, and no row of it is sharper"
        for name in sorted(loose_claims(rows))
    ]
    lines += [f"{row.claim.id} is trivial: {_missed_nowhere(row)}" for row in rows if _is_trivial(row)]
    lines += [f"{row.claim.id} is outside its premises: {_asked(need)}" for row in rows for need in row.needs]
    forms = of_rows(rows)
    for key in sorted({row.claim.paper for row in rows} & set(papers())):
        lines.append(_coverage(papers()[key]))
        best = [f"{count} {answer}" for answer, count in scopes(papers()[key], forms).items() if answer != NOT_RUN]
        lines.append(f"{key}: by best scope {', '.join(best)}")
        lines += _on_refuted(papers()[key], rows)
    return lines


def listed(paper: Paper) -> list[str]:
    """The statements of a paper without claims, each with what it rests on, and how many are open."""
    lines = []
    for statement in paper.statements:
        used = ", ".join(name.removeprefix(f"{paper.key}:") for name in statement.uses)
        rests = f"; uses {used}" if used else ""
        lines.append(f"{statement.id}: {statement.title}{rests}")
    return [*lines, _coverage(paper)]


def _coverage(paper: Paper) -> str:
    opened = sum(isinstance(statement.coverage, Open) for statement in paper.statements)
    count = len(paper.statements)
    return f"{paper.key}: {count - opened} of {count} statements covered, {opened} open"


# What is not seen is named where it is no more than this.
FEW_UNSEEN = 8


def _sight(rows: Sequence[Row]) -> list[str]:
    """How many symbols of the bounds that pass are seen, and where a ratio rises: a line each, if there are any."""
    passing = [row for row in rows if row.verdict.is_pass]
    symbols = _counts([(row, name) for row in passing for name in row.bound.symbols])
    places = _counts([(row, name) for row in passing for name in row.sight.within])
    unfounded = sum(row.no_evidence for row in passing)
    rising = sum(any(math.isfinite(trend.crossing) for trend in row.trends.values()) for row in passing)
    found = [trend for row in passing for trend in row.trends.values()]
    bent = sum(trend.saturation is not None for trend in found)
    followed = sum(trend.followed is not None for trend in found)
    lines = [f"of the symbols of bounds that pass {symbols}"] if symbols else []
    lines += [f"of the places where they are asked about apart {places}"] if places else []
    unseen = [f"{name} of {row.claim.id}" for row in passing for name in row.unseen]
    lines += [f"not seen: {', '.join(unseen)}"] if 0 < len(unseen) <= FEW_UNSEEN else []
    lines += [f"{unfounded} of {len(passing)} rows that pass are no evidence for their formula"] if unfounded else []
    if rising or bent or followed:
        told = f"the worst ratio rises with a size and may pass 1 in {rising} rows"
        lines.append(f"{told}; {bent} trends saturate, {followed} were followed beyond the sizes of the row")
    return lines


def _counts(asked: Sequence[tuple[Row, str]]) -> str:
    """How many symbols or places are seen, are not, and need not be; nothing where none was asked about."""
    seen = sum(name in row.sight.sees for row, name in asked)
    excused = sum(name in row.excused for row, name in asked)
    unseen = sum(name in row.unseen for row, name in asked)
    return f"{seen} are seen, {unseen} are not, {excused} need not be" if seen + unseen + excused else ""


def _is_trivial(row: Row) -> bool:
    return row.premise_status is PremiseStatus.TRIVIAL


def _missed_nowhere(row: Row) -> str:
    cells = [_at(cell.at) for cell in row.evidence.cells if cell.premises is PremiseStatus.TRIVIAL]
    return f"nothing that can be measured would miss its bound at {'; '.join(cells)}"


def _asked(need: str) -> str:
    return need if need.startswith(NO_WIDTH) else f"it needs {need}"


def _on_refuted(paper: Paper, rows: Sequence[Row]) -> list[str]:
    """The theorems and corollaries judged in this run that rest on a refuted statement."""
    judged = {row.claim.statement for row in rows}
    results = [s.id for s in paper.statements if s.label.startswith(("Theorem", "Corollary")) and s.id in judged]
    found = standings(paper, rows)
    return [f"{name} {found[name].text}" for name in results if found[name].weakest == Verdict.REFUTED.value]


def _constant(name: str, constant: Constant, row: Row) -> str:
    """A constant of the bound with its value, that of a fit where it is fitted and there is one."""
    if name != row.claim.evidence.constant:
        return f"{name} = {constant.value}"
    fitted = row.evidence.details.get("constant", math.nan)
    return f"{name} = {fitted:.4g}" if math.isfinite(fitted) else name


def _cell_line(cell: CellResult, counted: bool) -> str:
    """What was seen in a cell; where its trials are not counted one by one its remark says how many there were."""
    measured, bound = apart(cell.measured, cell.bound)
    parts = [f"measured {measured}", f"bound {bound}", f"ratio {near_one(cell.ratio)}"]
    if cell.trials and counted:
        parts.append(f"{cell.failures} failures in {cell.trials} trials")
    if cell.premises is not PremiseStatus.INSIDE:
        parts.append(str(cell.premises))
    if cell.idle is not None:
        parts.append(f"ratio with nothing done {near_one(cell.idle)}")
    if cell.trivial:
        parts.append(f"{cell.trivial} trivial instances set aside")
    if cell.remark:
        parts.append(cell.remark)
    return f"  {_at(cell.at)}: {', '.join(parts)} -> {cell.verdict}"


def _at(at: Values) -> str:
    return ", ".join(f"{name}={_number(v) if isinstance(v, float) else v}" for name, v in at.items()) or "(no symbols)"


def _control_line(control: ControlResult) -> str:
    """How a control came out, and by which factors it differs from the claim."""
    change = control.change
    line = f"control    {control.name}: {control.verdict}" + ("" if control.refuted else " (NOT CAUGHT)")
    said = [
        f"{what} {_range(factors)}"
        for what, factors in (("bound", change.bound), ("measured", change.measured))
        if factors not in (None, (1.0, 1.0))
    ]
    said += [f"ratio {near_one(change.ratio)}"] if change.ratio is not None else []
    said += [f"caught up to a factor {near_one(change.closest)} on its bound"] if change.closest is not None else []
    return f"{line}; {', '.join(said)}" if said else line


def _range(factors: tuple[float, float]) -> str:
    """Factors in words, from the least to the largest."""
    least, largest = (near_one(factor) for factor in factors)
    return f"times {least}" if least == largest else f"times {least} to {largest}"


def _substituted(text: str, cell: CellResult) -> str:
    """The bound with numbers in place of symbols, those of the worst instance as it was judged."""
    values = {**cell.at, **cell.worst, **cell.reported}

    def number(match: re.Match[str]) -> str:
        value = values.get(match.group())
        return f"{value:.6g}" if isinstance(value, int | float) else match.group()

    return re.sub(r"[A-Za-z_]\w*", number, text)


def _scope(row: Row) -> list[str]:
    """How much of the statement the row is about, and whether it would notice wrong code."""
    scoped, found = row.claim.scope, row.claim.scope.found(row.verdict)
    said = scoped.text if found is scoped.scope else found.value
    lines = [f"scope      {said} ({SCOPES[found]})"]
    lines += [f"  own      constants of the suite: {', '.join(scoped.constants)}"] if scoped.constants else []
    lines += [f"  at most  a chain: {scoped.ceiling}"] if scoped.ceiling else []
    silent = noticed.said(row.claim.id)
    return lines + ([f"  code     {silent['text']}"] if silent["text"] else [])


def story(row: Row) -> list[str]:
    """Everything a run knows of one claim, from the statement to the line that reproduces it."""
    claim, evidence = row.claim, row.evidence
    bound, told = row.bound, entry(row)
    label = f" ({claim.label})" if claim.label else ""
    measures, *more = claim.measures.splitlines() or ["not said"]
    lines = [
        f"{claim.id}: {claim.title}",
        f"source     {claim.paper}, {claim.source}{label}; {claim.kind}; theme {claim.theme}",
        f"declared   {claim.place}",
        f"measures   {measures}",
        *(f"           {line}" for line in more),
        f"claim      measured {claim.sense} {bound.text}" + (" (what if)" if row.config.bound is not None else ""),
    ]
    if row.config.bound is not None:
        lines.append(f"published  measured {claim.sense} {claim.bound.text}")
    if claim.bound.note:
        lines.append(f"  in words {claim.bound.note}")
    for name, constant in bound.constants.items():
        lines.append(f"constant   {_constant(name, constant, row)}: {constant.reason}")
    for premise in claim.premises:
        source = f" ({premise.source})" if premise.source else ""
        lines.append(f"premise    {premise.text}{source}")
        if premise.note:
            lines.append(f"  in words {premise.note}")
        for name, constant in premise.constants.items():
            lines.append(f"  with     {name} = {constant.value}: {constant.reason}")
    if not claim.premises:
        lines.append(f"premise    {NONE_NEEDED}: {claim.needs_none}")
    if claim.regime.limits:
        lines.append(f"sizes      {claim.regime.limits}: only these are built or measured")
    lines += [f"symbol     {name}: {meaning}" for name, meaning in row.meanings.items()]
    paper = papers().get(claim.paper)
    if paper is not None and paper.setting:
        told_once = textwrap.wrap(paper.setting, SETTING_WIDTH)
        lines += [f"{'setting' if not number else '':11}{line}" for number, line in enumerate(told_once)]
    record = find_statement(claim.statement)
    if record is not None and record.suspect is not None:
        lines.append(f"suspect    {record.suspect.what}")
        lines.append(f"decided    {record.suspect.decision}: {record.suspect.why}")
    if claim.note:
        lines.append(f"note       {claim.note}")
    if claim.uses:
        lines.append(f"uses       {', '.join(claim.uses)}")
    lines.append(
        f"verdict    {row.said} ({MEANING[row.verdict]}); premises {row.premises_marked}; expected {row.expected}"
    )
    lines.append(f"in words   {words.verdict(told)}")
    lines += _scope(row)
    if row.finding.failure is not None:
        lines.append(f"error      {row.error}")
        lines += [f"  {line}" for line in row.finding.failure.trace.splitlines()]
    lines.append(f"evidence   {evidence.method}" + (f", alpha {evidence.alpha:.3g}" if evidence.alpha else ""))
    for name, value in evidence.details.items():
        if name == "steps":
            known = second_opinions.judges(claim.id)
            for step in value:
                what = step["what"] if "what" in step else step["step"]
                lines.append(f"  step     {what}: {step['holds']}" + (f" ({known[what]})" if what in known else ""))
        elif value is not None:
            lines.append(f"  {name}: {value}")
    for name, interval in evidence.intervals.items():
        lines.append(f"  interval {name}: {interval}")
    for name, fitted in evidence.exponents.items():
        low, high = fitted["ci"]
        lines.append(
            f"  exponent of {name}: claimed {fitted['claimed']:.4g} ({fitted['agreement']}), measured "
            f"{fitted['measured']:.4g} in [{low:.4g}, {high:.4g}] -> {fitted['verdict']}"
        )
    lines += [f"sees       {name}: {', '.join(how)}" for name, how in row.sight.sees.items()]
    for name, why in row.sight.blind.items():
        excuse = f"; it need not see it: {row.excused[name]}" if name in row.excused else ""
        lines.append(f"blind      {name}: {why}{excuse}")
    if row.sight.unasked:
        lines.append(f"blind      not asked: {row.sight.unasked}")
    for name, trend in row.trends.items():
        low, high = trend.interval
        curve = trend.saturation
        bends = f"; it saturates, like 1 - {curve.gap:.2g} - c/{name}^{curve.power:.2g}" if curve is not None else ""
        lines.append(
            f"trend      of the ratio in {name}: slope {trend.slope:.2f} in [{low:.2f}, {high:.2f}] ({METHOD}){bends}"
        )
    lines += [f"remark     {remark}" for remark in row.remarks]
    caught = words.caught(told)
    lines.append(f"power      {evidence.power.text}{f': {caught}' if caught else ''}")
    lines.append("cells")
    lines += [_cell_line(cell, not claim.evidence.averages) for cell in evidence.cells]
    judged = [c for c in evidence.cells if c.ratio == c.ratio]
    if judged and row.worst is not None:
        tightest = min(judged, key=lambda c: c.ratio)
        lines.append(f"easiest    ratio {near_one(tightest.ratio)} at {_at(tightest.at)}")
        allowed = ", a failure" if row.counted is not None and row.worst.ratio > 1.0 else ""
        ratio = near_one(row.worst.printed_ratio(claim.sense))
        lines.append(f"worst      ratio {ratio}{allowed} at {_at(row.worst.worst or row.worst.at)}")
        if "steps" not in evidence.details:  # steps are counted, not compared with the value of the bound
            lines.append(
                f"numbers    {_substituted(bound.text, row.worst)} = {apart(row.worst.measured, row.worst.bound)[1]}"
            )
    lines += [f"failures   {words.failures(told)}"] if words.failures(told) else []
    for found in told["counterexamples"]:
        ratio = near_one(words.printed_ratio(found, claim.sense))
        lines.append(
            f"{found['which']:<10} at {words.at(found['at'])}: {words.missed(claim.sense, found)}, ratio {ratio}"
        )
        lines.append(f"  again    {expected.asking(found['reproduce'], found['expect'])}")
    lines += [f"needs      {need}" for need in row.needs]
    lines += [_control_line(control) for control in row.controls]
    lines += [f"own        {text}: {'refuted' if gone else 'not refuted'}" for text, gone in row.sight.own.items()]
    lines.append(f"time       {row.seconds:.1f} s for the claim, {row.seconds_controls:.1f} s for its controls")
    lines += [f"known      nothing that it depends on has changed since {row.known}"] if row.known else []
    lines.append(f"reproduce  {expected.asking(row.reproduce, expected.of_row(row))}")
    return lines
