"""The cards of claims: what each shows beside its entry in the ledger, and the statements under which they stand.

Main definitions: `shown_claims`; `shown_statements`, the claims of each statement, which stand together as its forms.
Sentences are those of `theory.reports.words`, so that the terminal's story has them too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup, escape

from theory.core.digits import apart, near_one
from theory.core.statements import Statement
from theory.core.values import Json, JsonDict
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import of_method
from theory.papers import papers
from theory.reports import words
from theory.reports.expected import asking
from theory.reports.figures import Figure
from theory.reports.page.drawing import svg
from theory.reports.page.formulas import compared, letter, mathml, prose, typeset
from theory.reports.pictures import picture, quantity
from theory.reports.rests_on import NOT_RUN

# What no formula says is told by the name of a place, a term or a premise, as a row's `sees` has them.
_PLACE = re.compile(r"(?P<name>\w+) in (?P<place>.*)")
_AS_A_TERM = re.compile(r"(?P<name>\w+) as a term")

# Signs as they are printed.
_SIGNS, _BOTH = {"+": "+", "-": "\N{MINUS SIGN}"}, "\N{PLUS-MINUS SIGN}"

# An equals sign at which no line ends.
_KEPT = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"

# Rows of a table of sizes that are shown without being asked for.
FEW = 8


def shown_claims(ledger: Json, figures: Mapping[str, Figure]) -> list[JsonDict]:
    """What the page shows of each claim: its entry in the ledger, sentences, tables, its picture."""
    constants: dict[str, list[Json]] = {}
    for constant in ledger["constants"]:
        constants.setdefault(constant["claim"], []).append(constant)
    by_id = {entry["id"]: entry for entry in ledger["claims"]}
    found = []
    for entry in ledger["claims"]:
        drawn = picture(entry)
        own = figures.get(entry["id"])
        symbols = _symbols(entry)
        found.append(
            {
                **entry,
                "picture": "" if drawn is None else svg(drawn, f"{quantity(entry)}, beside the bound"),
                "own": "" if own is None else svg(own, named=True),
                "own_caption": "" if own is None else own.caption,
                "said": prose(words.verdict(entry).replace(" = ", _KEPT), symbols),
                "worst_said": _worst(entry),
                "measured": [prose(paragraph, symbols) for paragraph in entry["measures"].split("\n")],
                "pair": _pair(entry, by_id),
                "examples": [_example(entry, example, symbols) for example in entry.get("counterexamples", [])],
                "sizes": _sizes(entry, symbols),
                "constants": [
                    {**constant, "set": _name(constant["name"], symbols), "why": prose(constant["reason"], symbols)}
                    for constant in constants.get(entry["id"], [])
                ],
                "needs": [_need(need, symbols) for need in entry["evidence"]["needs"]],
                "note": prose(entry["evidence"]["note"], symbols),
                "exponents": [prose(words.exponent(n, e), symbols) for n, e in entry["evidence"]["exponents"].items()],
                "caught": words.caught(entry),
                "failures": prose(words.failures(entry), symbols),
                "told": _dependences(entry, symbols),
                "title_set": prose(entry["title"], symbols),
                "premises_told": [
                    {"words": prose(p["words"], symbols), **_told(entry, f"premise {p['text']}", symbols)}
                    for p in entry["premises"]
                ],
                "controls_named": [prose(control["name"], symbols) for control in entry["controls"]],
                "adversary": prose(entry["evidence"].get("adversary", ""), symbols),
                "replay": asking(entry["reproduce"], entry.get("expect", "")),
                "replay_ends": words.replay(entry),
                "remarks_set": [
                    prose(remark, symbols) for remark in entry["remarks"] if not remark.startswith(_TOLD_ELSEWHERE)
                ],
            }
        )
    return found


# A remark on one symbol stands beside that symbol.
_TOLD_ELSEWHERE = "no evidence for its dependence on "


def shown_statements(ledger: Json, claims: Sequence[Json]) -> list[JsonDict]:
    """The statements that claims are about, in the order of the ledger: what they share, and the forms of each."""
    records = {statement.id: statement for paper in papers().values() for statement in paper.statements}
    used_by: dict[str, list[str]] = {}
    for record in records.values():
        for used in record.uses:
            used_by.setdefault(used, []).append(record.id)
    standing = {entry["id"]: entry["own"] for paper in ledger["papers"].values() for entry in paper["proofs"]}

    def linked(identifiers: Sequence[str]) -> list[JsonDict]:
        return [
            {"id": name, "label": records[name].label, "verdict": standing.get(name, NOT_RUN)}
            for name in identifiers
            if name in records
        ]

    forms: dict[str, list[Json]] = {}
    for claim in claims:
        forms.setdefault(claim["statement"], []).append(claim)
    found = []
    for identifier, members in forms.items():
        first, own = members[0], records.get(identifier)
        found.append(
            {
                "id": identifier,
                "paper": first["paper"],
                "label": first["label"] or identifier,
                "title": first["title"] if own is None else own.title,
                "title_set": prose(first["title"] if own is None else own.title, _symbols(first)),
                "source": first["source"] if own is None else own.locator,
                "kind": first["kind"],
                "cited": _cited(first["paper"]),
                "url": papers()[first["paper"]].url if first["paper"] in papers() else "",
                "forms": [{**claim, "form": _form(identifier, claim)} for claim in members],
                "doubt": _doubt(own, members),
                "symbols": _meanings(members),
                "uses": linked(first["uses"]),
                "used_by": linked(used_by.get(identifier, [])),
            }
        )
    return found


def _cited(key: str) -> str:
    """Authors and year of a paper: `Chatterji, Long and Bartlett 2021`; the key where no paper is recorded."""
    paper = papers().get(key)
    if paper is None:
        return key
    names = [author.split()[-1] for author in paper.authors]
    joined = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{joined} {paper.year}".strip()


def _form(statement: str, claim: Json) -> str:
    """What a form of a statement is called among its forms."""
    identifier = claim["id"]
    if identifier == statement:
        return "as printed"
    tail = identifier.removeprefix(f"{statement}-") if identifier.startswith(f"{statement}-") else identifier
    return str(tail.split(":", 1)[-1])


def _doubt(record: Statement | None, members: Sequence[Json]) -> JsonDict | None:
    """What is doubtful about a statement and how it was decided, and on the card of which form that stands."""
    if record is None or record.suspect is None:
        return None
    doubt, names = record.suspect, [claim["id"] for claim in members]
    holder = next((name for name in (*doubt.refuted, *names) if name in names), names[0])
    symbols = {name: latex for claim in members for name, latex in _symbols(claim).items()}
    told = {"what": prose(doubt.what, symbols), "why": prose(doubt.why, symbols)}
    return {**told, "decision": doubt.decision, "on": holder}


def _symbols(entry: Json) -> dict[str, str]:
    """The LaTeX of every symbol that the entry names."""
    names = dict.fromkeys(
        [*entry["symbols"], *entry["sees"], *entry["blind"], *(n for c in entry["cells"] for n in c["at"])]
    )
    plain = {name: name for name in names if len(name) == 1 and name.isalpha()}
    return {**plain, **entry.get("typeset", {})}


def _worst(entry: Json) -> str:
    """The worst ratio, or of a row that counts failures and has some how many these are."""
    evidence = entry["evidence"]
    plan = of_method(evidence["method"])
    counts = plan.counts_failures or (plan.fits and Verdict(entry["verdict"]).is_pass)
    counted = (evidence["failures"], evidence["trials"]) if counts else None
    return words.worst(words.worst_ratio(entry), counted)


def _pair(entry: Json, by_id: Mapping[str, Json]) -> JsonDict | None:
    """The printed form beside the one that repairs it, each with what the other has not marked; where both were run."""
    doubt = words.suspect(entry)
    if doubt is None or not words.is_printed_error(entry):
        return None
    repairs = [by_id[name] for name in doubt.tested if name in by_id]
    repair = next((one for one in repairs if Verdict(one["verdict"]).is_pass), None)
    if repair is None:
        return None
    formulas = compared(entry["bound_latex"], repair["bound_latex"])
    sets = [{p["latex"] for p in one["premises"]} for one in (entry, repair)]
    symbols = [_symbols(one) for one in (entry, repair)]
    sides = [
        {
            "id": one["id"],
            "verdict": one["verdict"],
            "sense": one["sense"],
            "formula": formula,
            "premises": [
                {"formula": mathml(p["latex"]), "words": prose(p["words"], known), "other": p["latex"] not in others}
                for p in one["premises"]
            ],
        }
        for one, formula, others, known in zip((entry, repair), formulas, reversed(sets), symbols, strict=True)
    ]
    same = formulas[0] == formulas[1] and sets[0] == sets[1] and entry["sense"] == repair["sense"]
    return {"sides": sides, "same": same, "measures": prose(repair["measures"], symbols[1])}


def _example(entry: Json, example: Json, symbols: Mapping[str, str]) -> JsonDict:
    return {
        "which": example["which"],
        "at": _at(example["at"], symbols),
        "said": words.missed(entry["sense"], example),
        "ratio": near_one(float(example["ratio"])),
        "replay": asking(example["reproduce"], example["expect"]),
    }


def _need(need: str, symbols: Mapping[str, str]) -> Markup:
    """The width that the premises ask for at a size, as a formula, and the size in words."""
    width, _, where = need.partition(" at ")
    sizes = where.replace("=", _KEPT).replace(",", ", ")
    return typeset(width, symbols) + (Markup(" at ") + prose(sizes, symbols) if where else "")


def _at(values: Json, symbols: Mapping[str, str]) -> Markup:
    """Sizes with their symbols set, none parted from its number by the end of a line."""
    return prose(words.at(values).replace(" = ", _KEPT), symbols)


def _sizes(entry: Json, symbols: Mapping[str, str]) -> JsonDict | None:
    """The sizes judged as a table: what differs among them in columns, what is the same for all in words."""
    cells = entry["cells"]
    plan = of_method(entry["evidence"]["method"])
    if not cells or (not plan.compares and not any(cell["at"] for cell in cells)):
        return None
    names = list(dict.fromkeys(name for cell in cells for name in cell["at"]))
    values = {name: [cell["at"].get(name) for cell in cells] for name in names}
    several = len(cells) > 1
    same = {name: found[0] for name, found in values.items() if several and all(value == found[0] for value in found)}
    columns = [name for name in names if name not in same]
    # A verdict or standing that all share is told above the table.
    verdicts = len({cell["verdict"] for cell in cells}) > 1
    outside = any(cell["premises"] != PremiseStatus.INSIDE for cell in cells)
    counts, compares = plan.counts_failures, plan.compares
    rows = []
    for cell in cells:
        row = [words.in_digits(cell["at"].get(name, "")) for name in columns]
        if compares:
            row += [*apart(float(cell["measured"]), float(cell["bound"]))]
            row += [] if counts else [near_one(float(cell["ratio"]))]
        row += [f"{cell['failures']} of {cell['trials']}"] if counts else []
        row += [cell["premises"]] if outside else []
        row += [cell["verdict"]] if verdicts else []
        rows.append({"cells": row, "verdict": cell["verdict"], "remark": cell["remark"]})
    more = ["measured", "bound"] if compares else []
    more += ["ratio"] if compares and not counts else []
    more += ["failures"] if counts else []
    more += ["premises"] if outside else []
    more += ["verdict"] if verdicts else []
    return {
        "heads": [*_heads(columns, symbols, names), *more],
        "rows": rows,
        "same": _at(same, symbols),
        "few": len(rows) <= FEW,
        "worst": counts and any(float(cell["ratio"]) > 1.0 for cell in cells),
    }


def _heads(columns: Sequence[str], symbols: Mapping[str, str], names: Sequence[str]) -> list[Markup | str]:
    """How sizes are set at the head of a table; two of one letter are told by their names.

    A head that is a formula alone is none to a screen reader; a letter with its index is text.
    """
    letters = Counter(symbols.get(name) for name in names)
    return [_name(name, symbols) if letters[symbols.get(name)] == 1 else name for name in columns]


def _name(name: str, symbols: Mapping[str, str]) -> Markup | str:
    return letter(mathml(symbols[name])) if name in symbols else name


def _dependences(entry: Json, symbols: Mapping[str, str]) -> list[JsonDict]:
    """What the row would have noticed of symbols, places and terms; those of which the same is said stand together."""
    alike: dict[tuple[str, ...], list[Markup]] = {}
    for name in dict.fromkeys([*entry["symbols"], *entry["sees"], *entry["blind"]]):
        told = _told(entry, name, symbols)
        if not name.startswith("premise ") and any(told.values()):
            alike.setdefault((told["seen"], told["lacking"], told["excused"]), []).append(_set(name, symbols))
    return [
        {"name": Markup(", ").join(names), "seen": seen, "lacking": lacking, "excused": excused}
        for (seen, lacking, excused), names in alike.items()
    ]


def _meanings(members: Sequence[Json]) -> list[tuple[Markup, Markup]]:
    """The symbols of the forms of a statement, each with what it stands for, in all ways that the forms say."""
    found: dict[Markup, dict[Markup, None]] = {}
    for entry in members:
        symbols = _symbols(entry)
        for name, meaning in entry["symbols"].items():
            found.setdefault(_set(name, symbols), {})[prose(meaning, symbols)] = None
    return [(name, Markup("; ").join(said)) for name, said in found.items()]


def _set(name: str, symbols: Mapping[str, str]) -> Markup:
    """A symbol, a place or a term as a formula."""
    if name.startswith("term "):
        return Markup("term {}").format(typeset(name.removeprefix("term "), symbols))
    if place := _PLACE.fullmatch(name):
        return Markup("{} in {}").format(_name(place["name"], symbols), _places(place["place"], symbols))
    if alone := _AS_A_TERM.fullmatch(name):
        return Markup("{} as a term").format(_name(alone["name"], symbols))
    return Markup(escape(_name(name, symbols)))


def _places(text: str, symbols: Mapping[str, str]) -> Markup:
    """A place in a formula, or in a part of one: `1/m of 1/m + 1/n`."""
    return Markup(" of ").join(typeset(part, symbols) for part in text.split(" of "))


def _told(entry: Json, name: str, symbols: Mapping[str, str]) -> JsonDict:
    """What a row would have noticed of a symbol, a place, a term or a premise.

    `seen` says which changes; `lacking` why it is no evidence; `excused` why it need not see it, which is said only
    where the block gives a reason.
    """
    seen = prose(", ".join(_in_words(entry["sees"].get(name, []))), symbols)
    blind = entry["blind"].get(name)
    if blind is None:
        return {"seen": seen, "lacking": "", "excused": ""}
    found, declared = (prose(blind[part], symbols) for part in ("found", "declared"))
    return {"seen": seen, "lacking": "" if blind["declared"] else found, "excused": declared}


def _in_words(changes: Sequence[str]) -> list[str]:
    """Changes that were refuted, exponents of either sign together."""
    found: list[str] = []
    for change in changes:
        if re.fullmatch(r"[+-]\d+(/\d+)?", change):
            size = change[1:]
            both = {f"+{size}", f"-{size}"} <= set(changes)
            said = f"{_BOTH if both else _SIGNS[change[0]]}{size}"
            if not any(entry.startswith("exponent ") for entry in found):
                said = f"exponent {said}"
        else:
            said = change
        if said not in found and f"exponent {said}" not in found:
            found.append(said)
    return found
