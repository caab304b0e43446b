"""What to send to the authors of a paper: each printed form that is false, a counterexample, and what holds instead.

Main definitions: `report`, as LaTeX; `by_hand`. All of it comes from the ledger: the statement from the claims on its
printed form, the counterexample in the least sizes that refute it, why the proof breaks from the record of the paper.
Beside some counterexamples stand the lines of `theory/reports/by_hand`, which measure them without this project.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from theory.core.digits import apart
from theory.core.statements import DECISIONS, FALSE
from theory.core.values import Json, JsonDict
from theory.core.verdict import Verdict
from theory.evidence import of_method
from theory.reports.typeset import render

BY_HAND = Path(__file__).with_name("by_hand")

# An integer of more digits is written by its power of ten.
LONG = 12

# So many corrected forms are told of a statement, those that repair it first.
MOST_FORMS = 3


def report(ledger: Json, key: str, about: Sequence[str], references: str = "references") -> str:
    """The report on a paper, in LaTeX, about the statements of these ids; empty where none of them has an erratum."""
    paper = ledger["papers"][key]
    order = [entry["id"] for entry in paper["proofs"]]
    rows = {claim["id"]: claim for claim in ledger["claims"]}
    labels = {claim["statement"]: claim["label"] for claim in ledger["claims"]}
    errata = sorted((e for e in paper["errata"] if e["id"] in about), key=lambda entry: order.index(entry["id"]))
    told = [entry for entry in errata if entry["decision"] != "no error"]
    if not told:
        return ""
    return render(
        "errata.tex",
        key=key,
        suite=ledger["suite"],
        title=paper.get("title", key),
        references=references,
        entries=[_entry(entry, rows) for entry in told if entry["decision"] == FALSE],
        others=[
            (decision, said, [{**e, "label": labels.get(e["id"], e["id"])} for e in told if e["decision"] == decision])
            for decision, said in DECISIONS.items()
            if decision != FALSE and any(e["decision"] == decision for e in told)
        ],
    )


def _entry(erratum: Json, rows: Json) -> JsonDict:
    printed = [rows[name] for name in erratum["refuted"] if name in rows]
    first: Json = printed[0] if printed else {}
    return {
        **erratum,
        "label": first.get("label", erratum["id"]),
        "title": first.get("title", ""),
        "source": first.get("source", ""),
        "printed": [
            {
                **claim,
                "example": _example(claim),
                "by_hand": by_hand(claim["id"]),
                "note": _sentence(claim["evidence"]["note"]),
                "again": any(_same(claim, other) for other in printed[:k]),
            }
            for k, claim in enumerate(printed)
        ],
        "corrected": corrected(erratum["tested"], rows),
    }


def by_hand(identifier: str) -> str:
    """The lines that measure the counterexample of a claim without this project; empty where there are none."""
    file = BY_HAND / f"{identifier.replace(':', '.')}.py"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _same(claim: Json, other: Json) -> bool:
    """Whether two claims state one bound under the same premises."""
    return all(claim[name] == other[name] for name in ("sense", "bound", "premises"))


def _sentence(note: str) -> str:
    """The note of a block as a sentence of a letter."""
    said = note.removeprefix("erratum: ").removeprefix("false as printed: ").rstrip(".")
    return said[:1].upper() + said[1:] + "." if said else ""


def corrected(tested: Sequence[str], rows: Json) -> list[Json]:
    """Of the claims that stand for a form that is false those that pass, the repaired ones first."""
    passing = [rows[name] for name in tested if name in rows and Verdict(rows[name]["verdict"]).is_pass]
    return sorted(passing, key=lambda claim: claim["scope"]["is"] != "repaired")[:MOST_FORMS]


def _example(claim: Json) -> JsonDict | None:
    """The counterexample in the least sizes, with the command that measures it again; none where nothing refuted."""
    compares = of_method(claim["evidence"]["method"]).compares
    kept = [entry for entry in claim.get("counterexamples", ()) if entry["which"] == "smallest"]
    refuting = [cell for cell in claim["cells"] if cell["verdict"] == Verdict.REFUTED.value]
    if not kept and not refuting:
        return None
    found = kept[0] if kept else min(refuting, key=_size)
    measured, bound = apart(float(found["measured"]), float(found["bound"]))
    return {
        "at": {name: _shown(value) for name, value in found["at"].items() if name != "trial"},
        "measured": measured,
        "bound": bound,
        "compares": compares,
        "failures": found.get("failures", 0),
        "trials": found.get("trials", 0) if of_method(claim["evidence"]["method"]).counts_failures else 0,
        "reproduce": found.get("reproduce", claim["reproduce"]),
        "worst": "reproduce" in found or found["ratio"] == claim["worst_ratio"],
    }


def _size(cell: Json) -> float:
    """How large the whole numbers among the sizes of a cell are together."""
    sizes = [n for n in cell["at"].values() if isinstance(n, int) and not isinstance(n, bool) and n > 1]
    return math.fsum(math.log(n) for n in sizes)


def _shown(value: object) -> str:
    """A size in print; of one that a search chose all digits that a double needs, of a long one no zeros at its end."""
    digits = str(value)
    if isinstance(value, int) and len(digits) > LONG and len(short := digits.rstrip("0")) == 1:
        return f"{short}e{len(digits) - 1}"
    return f"{value:.17g}" if isinstance(value, float) and f"{value:.6g}" != repr(value) else str(value)
