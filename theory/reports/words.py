"""What an entry of a ledger says in words: the terminal's story and the page take these, so that both say the same.

Main definitions: `verdict`, a sentence; `missed`, a counterexample with its numbers; `failures`, what a row of trials
counted; `worst`, its worst ratio; `caught`, which error would have been noticed; `replay`, what its line ends with.

Entries are those of `theory.reports.ledger`. One of an older ledger lacks some parts, which are then not told.
"""

from __future__ import annotations

import math
from decimal import Decimal

from theory.core import agreement
from theory.core.agreement import is_lost, printed
from theory.core.digits import apart, near_one
from theory.core.statements import Suspect
from theory.core.values import Json
from theory.core.verdict import MEANING, PremiseStatus, Verdict
from theory.evidence import of_method
from theory.papers import find_statement

# How the sense of a claim is read.
SENSES = {"<=": "at most", ">=": "at least", "=": "exactly"}

# A bound that is met up to so much is attained.
ATTAINED = 1e-4

# From here on an integer is shown by its size.
LONG = 10**9


def suspect(entry: Json) -> Suspect | None:
    """The doubt about the printed form of its statement, and how it was decided."""
    record = find_statement(entry["statement"])
    return None if record is None else record.suspect


def is_printed_error(entry: Json) -> bool:
    """Whether it is a printed form that is known to be false, or not to be reproduced, and came out so."""
    doubt = suspect(entry)
    return doubt is not None and entry["id"] in doubt.refuted and entry["verdict"] == Verdict.REFUTED


def at(values: Json) -> str:
    """Sizes and what was drawn, without the number of the trial."""
    return ", ".join(f"{name} = {in_digits(value)}" for name, value in values.items() if name != "trial")


def in_digits(value: object, digits: int = 4) -> str:
    """A value with so many digits, an integer as it is unless it is too long to read."""
    if isinstance(value, int) and abs(value) >= LONG:
        return f"{Decimal(value):.2e}".replace("e+", "e")
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def missed(sense: str, example: Json) -> str:
    """What a counterexample measured, and what is claimed: `measured 685.8, where at least 700.8 is claimed`."""
    measured, bound = apart(printed_measured(example, sense), float(example["bound"]), least=5)
    return f"measured {measured}, where {SENSES[sense]} {bound} is claimed"


def verdict(entry: Json) -> str:
    """The verdict of the row in a sentence or two, with the numbers that it rests on."""
    found = Verdict(entry["verdict"])
    said = _SENTENCES[found](entry)
    if entry["ok"] or found is Verdict.ERROR:
        return said
    if entry["verdict"] == entry["expected_verdict"]:
        return f"{said} But not all is as it should be: a control was not refuted, or a declaration is stale."
    return f"{said} Expected was: {entry['expected_verdict']}."


def _refuted(entry: Json) -> str:
    doubt = suspect(entry)
    lead = doubt.decision.capitalize() if doubt is not None and is_printed_error(entry) else "False"
    plan, evidence = of_method(entry["evidence"]["method"]), entry["evidence"]
    examples = entry.get("counterexamples", [])
    cells = [cell for cell in entry["cells"] if cell["verdict"] == Verdict.REFUTED]
    if examples:
        strongest = examples[-1]
        return f"{lead}: at {at(strongest['at'])} the run {missed(entry['sense'], strongest)}."
    if plan.counts_failures and cells:
        worst = max(cells, key=lambda cell: cell["failures"] / max(1, cell["trials"]))
        return f"{lead}: {_counted(worst)} at {at(worst['at'])}, {_allowed(entry, [worst])}."
    wrong = {name: fitted for name, fitted in evidence["exponents"].items() if fitted["verdict"] == Verdict.REFUTED}
    if wrong:
        return f"{lead}: {'; '.join(exponent(name, fitted) for name, fitted in wrong.items())}."
    if not plan.compares:
        steps = [step for step in evidence.get("steps", []) if not step["holds"]]
        what = next((step.get("what", step.get("step", "")) for step in steps), "")
        where = f" at {at(cells[0]['at'])}" if cells and cells[0]["at"] else ""
        return f"{lead}: a step towards it fails{where}" + (f" ({what})." if what else ".")
    if cells:
        worst = max(cells, key=lambda cell: _number(cell["ratio"], math.inf))
        where = f"at {at(worst['at'])} " if worst["at"] else ""
        if plan.bound_is_of_test:
            measured, bound = apart(float(worst["measured"]), float(worst["bound"]))
            return f"{lead}: {where}the law is {measured} away from the one claimed; chance explains {bound}."
        remark = f" ({worst['remark']})" if worst["remark"] else ""
        return f"{lead}: {where}the run {missed(entry['sense'], worst)}{remark}."
    return f"{lead}: {MEANING[Verdict.REFUTED]}."


def _holds(entry: Json) -> str:
    count = entry["evidence"]["trials"]
    among = "the one instance" if count == 1 else f"{count:,} instances"
    if entry["sense"] == "=":
        return f"No counterexample: both sides are equal, up to rounding, in {among}."
    ratio = near_one(_number(entry["worst_ratio"]))
    if count == 1:
        return f"No counterexample: the one instance there is comes to {ratio} of its bound."
    return f"No counterexample: the worst of {among} that were tried comes to {ratio} of its bound."


def _proved(entry: Json) -> str:
    steps = len(entry["evidence"].get("steps", []))
    said = f" in {steps} steps" if steps > 1 else ""
    return f"Decided{said}, symbolically or in ball arithmetic, over the whole stated domain."


def _supported(entry: Json) -> str:
    evidence, plan = entry["evidence"], of_method(entry["evidence"]["method"])
    if plan.counts_failures:
        weak = " It is weak: a failure rate of 1/4 would have gone unseen." if entry["weak"] else ""
        return f"{_capital(failures(entry))}.{weak}"
    if plan.bound_is_of_test:
        count = evidence["trials"]
        return f"The law of {count:,} draws is the stated one, as far as chance lets so many tell."
    if plan.averages:
        return f"The mean of {evidence['trials']:,} draws is on its side of the bound."
    return "Computed from its exact law: at every size judged it fails less often than the statement allows."


def _consistent(entry: Json) -> str:
    fitted = entry["evidence"]["exponents"]
    said = "A constant fitted on the smaller sizes is enough at the larger ones"
    return f"{said}; {'; '.join(exponent(name, found) for name, found in fitted.items())}." if fitted else f"{said}."


def _undecided(entry: Json) -> str:
    why = next((c["remark"] for c in entry["cells"] if c["verdict"] == Verdict.UNDECIDED and c["remark"]), "")
    return f"Open: {why or MEANING[Verdict.UNDECIDED]}."


def _vacuous(entry: Json) -> str:
    unjudged = next((remark for remark in entry["remarks"] if remark.startswith("not judged: ")), "")
    if unjudged:
        return f"Says nothing here: {unjudged.removeprefix('not judged: ')}."
    if entry["premise_status"] == PremiseStatus.TRIVIAL:
        return "Says nothing: at every size that was tried its bound is one that nothing could miss."
    if entry["premise_status"] == PremiseStatus.IDLE:
        return "Says nothing: where nothing is done at all the bound is met as well."
    if entry["evidence"]["needs"]:
        return "Says nothing about the statement: no size that can be tested meets its premises, which need far more."
    return "Says nothing about the statement: it was judged outside its premises."


def _error(entry: Json) -> str:
    return "No result: the claim or a control of it raised, was stopped, or lost its worker."


_SENTENCES = {
    Verdict.REFUTED: _refuted,
    Verdict.HOLDS: _holds,
    Verdict.PROVED: _proved,
    Verdict.SUPPORTED: _supported,
    Verdict.CONSISTENT: _consistent,
    Verdict.UNDECIDED: _undecided,
    Verdict.VACUOUS: _vacuous,
    Verdict.ERROR: _error,
}


def exponent(name: str, fitted: Json) -> str:
    """An exponent as it was measured and as it is claimed."""
    low, high = (float(end) for end in fitted["ci"])
    claimed = "" if fitted["agreement"] == "equal" else f"{fitted['agreement']} "
    return (
        f"{name} has the exponent {float(fitted['measured']):.3g} in [{low:.3g}, {high:.3g}], "
        f"claimed is {claimed}{float(fitted['claimed']):.3g}"
    )


def failures(entry: Json) -> str:
    """How many trials failed beside how many may; empty where a row does not count them."""
    if not of_method(entry["evidence"]["method"]).counts_failures or not entry["evidence"]["trials"]:
        return ""
    judged = [cell for cell in entry["cells"] if cell["trials"]]
    return f"{_counted(entry['evidence'])}, {_allowed(entry, judged)}"


def _counted(counts: Json) -> str:
    failed, trials = counts["failures"], counts["trials"]
    return f"{'none' if not failed else f'{failed:,}'} of {trials:,} trials {'fails' if failed < 2 else 'fail'}"


def _allowed(entry: Json, cells: list[Json]) -> str:
    """The rate at which the statement may fail, which is a symbol of the cells or a number."""
    name = entry["evidence"].get("rate symbol")
    rates = sorted({float(cell["at"][name]) for cell in cells if name in cell["at"]}) if name else []
    if rates:
        several = f"{rates[0]:.3g}" if rates[0] == rates[-1] else f"{rates[0]:.3g} to {rates[-1]:.3g}"
        return f"where a share of {name} = {several} may"
    rate = entry["evidence"].get("rate")
    return f"where a share of {float(rate):.3g} may" if rate is not None else "where few may"


def printed_ratio(cell: Json, sense: str) -> float:
    """The ratio of a cell, or of a counterexample, as it is printed on every processor."""
    return printed(float(cell["ratio"]), sense, float(cell["ratio"]), _lost(cell))


def printed_measured(cell: Json, sense: str) -> float:
    """What was measured in a cell, or of a counterexample, as it is printed on every processor."""
    return printed(float(cell["measured"]), sense, float(cell["ratio"]), _lost(cell))


def share_of_itself(cell: Json) -> float:
    """By how much of itself rounding may have moved what was measured in a cell, or of a counterexample."""
    return agreement.share_of_itself(float(cell["measured"]), float(cell["error"]))


def _lost(cell: Json) -> bool:
    return is_lost(float(cell["measured"]), float(cell.get("error", 0.0)))


def worst_ratio(entry: Json) -> float:
    """The worst ratio of a row, as it is printed on every processor."""
    of = next((cell for cell in entry["cells"] if cell["ratio"] == entry["worst_ratio"]), None)
    return float(entry["worst_ratio"]) if of is None else printed_ratio(of, entry["sense"])


def worst(ratio: float, counted: tuple[int, int] | None) -> str:
    """The worst ratio of a row, as printed; `counted` are failures and trials of a row in which some may fail.

    There a ratio above 1 is one of a failure that its rate allows, or not, so that the count is told in its place.
    """
    if counted is not None and ratio > 1.0:
        return f"{counted[0]}/{counted[1]} fail"
    return near_one(ratio)


def caught(entry: Json) -> str:
    """Which error of the statement the run would have noticed, in a sentence without its end; empty for none."""
    kind, value, found = entry["power"]["kind"], _number(entry["power"]["value"]), Verdict(entry["verdict"])
    if found is Verdict.REFUTED:
        most = max((_number(one["ratio"]) for one in entry.get("counterexamples", [])), default=math.nan)
        easier = _percent(100.0 * (most - 1.0))
        return f"a bound {easier} easier to meet would have been refuted as well" if most < math.inf else ""
    if not found.is_pass:
        return ""
    if kind == "exact":
        return "every wrong step would have been found"
    if kind == "nothing" or math.isnan(value):
        return ""
    if kind == "bound factor":
        return _of_a_factor(value)
    if kind == "failure rate":
        best = entry["power"]["best"]
        least = f", and at the size that sees most {_share(_number(best))}" if best is not None else ""
        return f"a statement that fails in {_share(value)} of all draws{least} would have been noticed"
    if kind == "exponent":
        return f"an exponent off by {value:.2g} would have been noticed"
    if kind == "distance in law":
        return f"a distribution function that is off by {value:.2g} anywhere would have been noticed"
    return f"a relative error of {value:.2g} would have been noticed"


def _of_a_factor(value: float) -> str:
    if value <= 0.0:
        return "no bound above 0 would have failed"
    if value > 1.0 - ATTAINED:
        return "any tighter bound would have failed: this one is attained"
    if value > 0.5:
        return f"a bound {_percent(100.0 * (1.0 - value))} tighter would have failed"
    return f"a bound tighter by a factor of {1.0 / value:.3g} would have failed, and none before"


def _share(rate: float) -> str:
    return _percent(100.0 * rate)


def _percent(number: float) -> str:
    return f"{number:.2g} %" if number < 99.5 else f"{number:,.0f} %"


def replay(entry: Json) -> str:
    """What the replay line does not decide, beside what it expects; empty where it decides all."""
    if not entry.get("expect", ""):
        return ""
    rate = of_method(entry["evidence"]["method"]).counts_failures and "trial=" in entry["reproduce"]
    return "one trial decides no rate: the verdict of this run alone is undecided" if rate else ""


def _number(value: object, nothing: float = math.nan) -> float:
    """A number of a ledger, which writes what is not finite as text."""
    found = float(value) if isinstance(value, int | float | str) else nothing
    return nothing if math.isnan(found) else found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
