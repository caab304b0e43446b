"""A plan in print: lines for a terminal that end with a summary, `needs.json`, and the page `needs.html`.

Main definitions: `table`, `summary`, `widths`, `texts` and `write`; `readable`, a width in a few digits.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import Any

from theory.core.statements import FALSE
from theory.reports.needs import Plan, TheoremNeed
from theory.reports.solving import FAILS, HOLDS, LEAST, MEASURED, NO_WIDTH, Need, PremiseNeed

SCHEMA = 2

# Bits of an integer in JSON: Python writes none of more than 4300 digits, and few read them.
LONGEST_INTEGER = 10_000

# Percent of an axis at each end, so that what stands there is seen.
EDGE = 2

# So many claims at most are told one by one on a terminal; the page has all.
FEW = 20

# How a long number is written.
_LONG = re.compile(r"(\d\.\d+)e(-?\d+)")

_WORDS = {HOLDS: "holds", FAILS: "fails", MEASURED: "undecided without a trial"}
_COUNTED = {HOLDS: "hold", FAILS: "fail", MEASURED: "undecided"}


REACHED = {True: "within reach of", False: "out of reach of", None: "not known to be within reach of"}


def readable(number: float | int | None) -> str:
    """A number in print: three digits of a long integer, rounded up so that it still suffices."""
    if number is None:
        return "-"
    if isinstance(number, int) and number >= 10**9:
        return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(number):.2e}".replace("e+", "e")
    return str(number) if isinstance(number, int) else f"{number:.3g}"


def table(found: Plan) -> list[str]:
    """The plan in lines, the summary last: before it each theorem and claim with premises, where these are few."""
    asking = [need for need in found.claims if need.asks]
    if len(found.claims) > FEW:
        return summary(found)
    needs = {need.id: need for need in found.claims}
    lines = [line for theorem in found.theorems for line in _theorem(theorem, needs)]
    lines += [line for need in asking for line in _claim(need)]
    if others := len(found.claims) - len(asking):
        lines.append(f"{others} {'claims have' if others > 1 else 'claim has'} no premises")
    return lines + summary(found)


def _theorem(theorem: TheoremNeed, needs: Mapping[str, Need]) -> list[str]:
    """A theorem with the statements behind it."""
    lines = [f"{theorem.id}: {theorem.title}: {_asked_for(theorem)}{_reach(theorem)}"]
    lines += [f"    {note}" for note in notes(theorem, needs)]
    for name, form in theorem.forms.items():
        need = needs[form]
        if need.asks:
            lines.append(f"    {name}: {', '.join([_width(need), *_counts(need)])} ({said_of(need)})")
    return lines


def notes(theorem: TheoremNeed, needs: Mapping[str, Need]) -> list[str]:
    """What else is to be said of a theorem, in sentences."""
    lines = []
    if theorem.premise:
        lines.append(
            f"{'fails' if theorem.barred else 'costliest'}: {_costliest(theorem, needs)} of {theorem.costliest}"
        )
    lines += [f"{form}: {_width(needs[form])} ({said_of(needs[form])})" for form in theorem.own]
    if others := [name for name in theorem.false if name != theorem.id]:
        lines.append(f"rests on what is {FALSE}, and no form is declared as its correction: {', '.join(others)}")
    if theorem.missed:
        lines.append(f"not at this width, too large for other sizes of their cells: {', '.join(theorem.missed)}")
    if theorem.unselected:
        count = len(theorem.unselected)
        lines.append(f"of {count} {'statements' if count > 1 else 'statement'} that it rests on no claim was selected")
    if theorem.untested:
        names = ", ".join(name.split(":", 1)[1] for name in theorem.untested)
        lines.append(f"which width is enough is not known: no claim is about {names}")
    for form, values in theorem.constants.items():
        given = ", ".join(f"{name} = {value:.3g}" for name, value in values.items())
        lines.append(f"would hold at this width with {given} in {form}")
    if theorem.inflexible:
        lines.append(f"no constants make the premises hold at this width: {', '.join(theorem.inflexible)}")
    return lines


def _claim(need: Need) -> list[str]:
    """A claim with its premises."""
    sizes = [f"{name} {'>=' if name in LEAST else '<='} {readable(size)}" for name, size in need.sizes.items()]
    lines = [
        f"{need.id} ({said_of(need)}): {', '.join([_width(need), *sizes])}" + (f" at {need.at}" if need.at else "")
    ]
    lines += [f"    {_WORDS[p.status]}: {_in_words(p)}{p.text}{_constants(p)}" for p in need.premises]
    if need.chosen:
        chosen = ", ".join(f"{name} = {readable(size)}" for name, size in need.chosen.items())
        lines.append(f"    chosen, as premises fail at the size of the cell: {chosen}")
    if need.kept:
        lines.append(f"    taken as at the width of the cell: {', '.join(need.kept)}")
    if need.unsolved:
        lines.append(f"    not solved for, as other symbols follow from it: {', '.join(need.unsolved)}")
    return lines


def summary(found: Plan) -> list[str]:
    """The theorems by the least width, what is within reach, and the premises that cost most."""
    needs = {need.id: need for need in found.claims}
    count = len(found.theorems)
    if not count:
        return []
    ranked = sorted(found.theorems, key=lambda t: (bool(t.barred), t.width is None, t.width or 0))
    lines = [f"least widths of {count} theorems and corollaries" if count > 1 else "least width of one theorem"]
    lines += [f"{_in_short(theorem):>10}  {theorem.id}{_remarks(theorem, needs)}" for theorem in ranked]
    deciding = Counter(
        f"{_words_of(theorem, needs)} of {theorem.costliest}" for theorem in found.theorems if theorem.premise
    )
    if deciding and count > 1:
        most = ", ".join(f"{said} (of {times})" for said, times in deciding.most_common(3))
        lines.append(f"premises that decide most theorems: {most}")
    if found.asked is not None:
        for answer, words in REACHED.items():
            mine = [theorem.id for theorem in ranked if theorem.within is answer]
            if mine or answer is not None:
                listed = f": {', '.join(mine)}" if mine and answer is not False else ""
                lines.append(f"{words} m = {readable(found.asked)}: {len(mine)} of {count}{listed}")
        met = sum(bool(theorem.constants) for theorem in found.theorems)
        lines.append(f"with other constants in their premises would hold there: {met}")
    return lines


def _in_short(theorem: TheoremNeed) -> str:
    """The width of a theorem in the first column of the summary."""
    if theorem.barred:
        return "no width"
    if _is_unknown(theorem):
        return "not known"
    return "any" if theorem.width == 1 else readable(theorem.width)


def _remarks(theorem: TheoremNeed, needs: Mapping[str, Need]) -> str:
    """Its verdict, and where its width comes from."""
    own = [needs[form] for form in theorem.own]
    printed = [need for need in own if need.printed]
    said = [", ".join(dict.fromkeys(need.verdict for need in printed))] if printed else ["not tested itself"]
    if any(need.is_false for need in own):
        said.append(FALSE)
        if theorem.printed is not None and theorem.printed != theorem.width:
            said.append(f"printed m >= {readable(theorem.printed)}")
        said += [f"corrected {', '.join([_width(need), *_left_open(need)])}" for need in own if need.is_repair]
    said += dict.fromkeys(left for need in printed for left in _left_open(need))
    if theorem.premise:
        said.append(f"by {_words_of(theorem, needs)} of {theorem.costliest}")
    if theorem.unselected:
        said.append("as far as was selected")
    if theorem.untested:
        said.append("as far as there are claims")
    return f" ({'; '.join(said)})"


def _left_open(need: Need) -> list[str]:
    """How many premises of a claim no width decides."""
    count = len(need.of(MEASURED))
    return [f"{count} {'premises' if count > 1 else 'premise'} undecided"] if count else []


def _words_of(theorem: TheoremNeed, needs: Mapping[str, Need]) -> str:
    """The premise that decides a theorem, in its first words or else as text."""
    premise = deciding(theorem, needs)
    words = re.split("[;:]", premise.words)[0] if premise is not None else ""
    return words or theorem.premise


def deciding(theorem: TheoremNeed, needs: Mapping[str, Need]) -> PremiseNeed | None:
    """The premise that decides a theorem."""
    if not theorem.premise:
        return None
    return next((p for p in needs[theorem.forms[theorem.costliest]].premises if p.text == theorem.premise), None)


def _costliest(theorem: TheoremNeed, needs: Mapping[str, Need]) -> str:
    premise = deciding(theorem, needs)
    return theorem.premise if premise is None else f"{_in_words(premise)}{premise.text}"


def _asked_for(theorem: TheoremNeed) -> str:
    if theorem.barred:
        return NO_WIDTH
    return "width not known" if _is_unknown(theorem) else f"m >= {readable(theorem.width)}"


def _is_unknown(theorem: TheoremNeed) -> bool:
    """Whether all that is known of a width comes from claims that any width is enough for, and some have none."""
    return bool(theorem.untested) and theorem.width in (None, 1)


def _reach(theorem: TheoremNeed) -> str:
    return {None: "", True: ", within reach", False: ", out of reach"}[theorem.within]


def said_of(need: Need) -> str:
    """The verdict of a claim, and whether it is a printed form that is false or a correction."""
    return f"{need.verdict}, {FALSE}" if need.is_false else f"{need.verdict}, {need.scope}"


def _width(need: Need) -> str:
    return need.why or f"m >= {readable(need.width)}"


def _in_words(premise: PremiseNeed) -> str:
    return f"{premise.words}: " if premise.words else ""


def widths(found: Plan) -> dict[str, str]:
    """The least width that the premises of each claim ask for, or why there is none, and the sizes that it is for."""
    asking = [need for need in found.claims if need.asks]
    return {
        need.id: (need.why or readable(need.width))
        + (f" at {need.at}" if need.at else "")
        + (f", {FALSE}" if need.is_false else "")
        for need in asking
    }


def _counts(need: Need) -> list[str]:
    """How many premises hold, fail and are measured."""
    return [f"{len(need.of(status))} {word}" for status, word in _COUNTED.items() if need.of(status)]


def _constants(premise: PremiseNeed) -> str:
    """The constants of a premise, with the values with which a ledger saw the claim pass."""
    found = [
        f"{name} = {value:.4g}" + (f" (passed with {premise.best[name]:.4g})" if name in premise.best else "")
        for name, value in premise.constants.items()
    ]
    enough = ", ".join(f"{name} = {value:.3g}" for name, value in premise.enough.items())
    return (f" with {', '.join(found)}" if found else "") + (f"; would hold with {enough}" if enough else "")


def texts(found: Plan, beside: bool) -> dict[str, str]:
    """`needs.json` and the page `needs.html`, by name; `beside` says that a ledger's page is in that folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from theory.reports.page import style
    from theory.reports.page.formulas import mathml

    templates = Path(__file__).parent / "page" / "templates"
    environment = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"readable": lambda number: Markup(_LONG.sub(r"\1 · 10<sup>\2</sup>", readable(number)))}
    environment.filters["math"] = mathml
    environment.filters["verdict"] = said_of
    needs = {need.id: need for need in found.claims}
    page = environment.get_template("needs.html").render(
        plan=found,
        beside=beside,
        needs=needs,
        unknown={theorem.id for theorem in found.theorems if _is_unknown(theorem)},
        untrue={theorem.id for theorem in found.theorems if any(needs[form].is_false for form in theorem.own)},
        notes={theorem.id: notes(theorem, needs) for theorem in found.theorems},
        papers=[_view(key, found) for key in dict.fromkeys(need.paper for need in found.claims)],
        steps=LEAST,
        style=style("base.css", "card.css"),
    )
    as_json = json.dumps({"schema": SCHEMA, **_short(asdict(found))}, indent=1, allow_nan=False)
    return {"needs.json": as_json + "\n", "needs.html": page}


def _short(value: Any) -> Any:
    """`value` for JSON, where integers that Python does not write are text of three digits, and floats finite."""
    if isinstance(value, Mapping):
        return {name: _short(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_short(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return readable(value) if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER else value


@dataclass(frozen=True)
class _View:
    """A paper on the page: its theorems, its claims with premises, and the axis of its widths, from `low` to `high`."""

    key: str
    theorems: Sequence[TheoremNeed]
    claims: Sequence[Need]
    others: int
    low: int
    high: int

    def place(self, width: int) -> str:
        """Where a width stands on the axis, in percent of it."""
        return self.at(math.log10(width))

    def at(self, power: float) -> str:
        """Where a power of ten stands."""
        return f"{EDGE + (100 - 2 * EDGE) * (power - self.low) / (self.high - self.low):.2f}%"

    def shows(self, width: int) -> bool:
        """Whether a width is not left of the axis."""
        return math.log10(width) >= self.low

    @property
    def ticks(self) -> list[int]:
        """Powers of ten at round numbers, at most eight steps, and the one at which the axis begins."""
        rough = (self.high - self.low) / 8
        scale = 10 ** max(0, math.floor(math.log10(rough)))
        step = next(k * scale for k in (1, 2, 5, 10) if k * scale >= rough)
        first = -(-self.low // step) * step
        return [self.low] * (first - self.low > step / 2) + list(range(first, self.high + 1, step))


def _view(paper: str, found: Plan) -> _View:
    """The theorems and claims of a paper, on an axis from the least width that one needs or that is asked for."""
    theorems = [theorem for theorem in found.theorems if theorem.paper == paper]
    claims = [need for need in found.claims if need.paper == paper]
    asked = [found.asked] if found.asked is not None else []
    ends = [math.log10(width) for width in [*(t.width for t in theorems if t.width and t.width > 1), *asked]] or [0.0]
    low = math.floor(min(ends))
    asking = [need for need in claims if need.asks]
    return _View(paper, theorems, asking, len(claims) - len(asking), low, max(math.ceil(max(ends)), low + 1))


def write(directory: Path, found: Plan) -> tuple[Path, Path]:
    """Write `needs.json` and `needs.html` and return their paths. Raises `OSError` where that cannot be."""
    directory.mkdir(parents=True, exist_ok=True)
    contents = texts(found, (directory / "index.html").exists())
    for name, content in contents.items():
        (directory / name).write_text(content, encoding="utf-8")
    first, second = contents
    return directory / first, directory / second
