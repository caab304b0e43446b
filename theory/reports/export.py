"""A claim, a paper or a theme for a paper or slides: a table with formulas, figures, and the errata with citations.

Main definition: `export`. `lemmata export WHAT LEDGER FOLDER` writes `export.tex`, `references.bib`, a PDF for each
figure and a report on the errata of each paper to FOLDER, from a ledger that `--ledger` wrote; WHAT is the id of a
claim or a statement, the key of a paper, or a theme. All of it comes from the ledger, so that a reader's own papers are
cited as those of the suite are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from theory.claims.selection import SelectionError, nearest
from theory.core.statements import THEMES
from theory.core.values import Json, JsonDict
from theory.core.verdict import Verdict
from theory.papers import papers
from theory.reports import figures
from theory.reports.page.changes import read
from theory.reports.pictures import picture
from theory.reports.to_authors import corrected, report
from theory.reports.typeset import render, tex

# Figures are drawn of so few claims; of more there are tables alone.
MOST_FIGURES = 12


def chosen(ledger: Json, what: str) -> list[JsonDict]:
    """The claims of a ledger that a word is about, in the order of their papers.

    Raises `SelectionError` where there are none.
    """
    claims: list[JsonDict] = ledger["claims"]
    found = [c for c in claims if what in (c["id"], c["statement"], c["paper"], c["theme"])]
    if not found:
        known = [*ledger["papers"], *THEMES, *(c["id"] for c in claims)]
        raise SelectionError(f"{what!r} is no claim, paper or theme of the ledger; {nearest(what, known)}")
    at = {entry["id"]: k for k, entry in enumerate(e for p in ledger["papers"].values() for e in p["proofs"])}
    return sorted(
        [c for c in found if c["id"] == what] or found,
        key=lambda c: (at.get(c["statement"], len(at)), c["id"] != c["statement"], c["id"]),
    )


def described(ledger: Json) -> Json:
    """The ledger, with title, authors and year of every paper that it leaves to the records of the suite."""
    known = papers()
    told = {
        key: {"title": known[key].title, "authors": list(known[key].authors), "year": known[key].year}
        if key in known
        else {"title": key, "authors": [], "year": ""}
        for key in ledger["papers"]
    }
    return {**ledger, "papers": {key: {**told[key], **entry} for key, entry in ledger["papers"].items()}}


def bibliography(cited: Mapping[str, Json]) -> str:
    """Entries of BibTeX, by key."""
    return "\n".join(_entry(key, paper) for key, paper in cited.items())


def _entry(key: str, paper: Json) -> str:
    fields = {
        "title": f"{{{tex(paper['title'])}}}",
        "author": tex(" and ".join(paper["authors"])),
        "year": str(paper["year"]),
        "howpublished": rf"\url{{{paper['url']}}}" if paper.get("url") else "",
    }
    said = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{key},\n{said}}}\n"


def export(ledger: Json, what: str, folder: Path) -> list[Path]:
    """Write what there is to say of a claim, a paper or a theme, and return the files.

    Raises `SelectionError` where the ledger has nothing of that name, and `OSError` where the folder cannot be written.
    """
    ledger = described(ledger)
    claims = chosen(ledger, what)
    drawn = {c["id"]: picture(c) for c in claims} if len(claims) <= MOST_FIGURES else {}
    files = {identifier: f"{identifier.replace(':', '-')}.pdf" for identifier, figure in drawn.items() if figure}
    about = list(dict.fromkeys(c["statement"] for c in claims))
    cited = {key: ledger["papers"][key] for key in dict.fromkeys(c["paper"] for c in claims)}
    text = render(
        "export.tex",
        what=what,
        suite=ledger["suite"],
        claims=[{**c, "figure_file": files.get(c["id"], ""), "corrected": _corrected(c, ledger)} for c in claims],
        errata=_errata(ledger, cited, about),
    )
    contents: dict[str, bytes] = {"export.tex": text.encode(), "references.bib": bibliography(cited).encode()}
    contents |= {
        "errata.tex" if len(cited) == 1 else f"errata-{key}.tex": said.encode()
        for key in cited
        if (said := report(ledger, key, about))
    }
    contents |= {files[name]: figures.pdf(figure) for name, figure in drawn.items() if figure is not None}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


def _errata(ledger: Json, cited: Mapping[str, Json], about: Sequence[str]) -> list[JsonDict]:
    """The doubts about these statements, in the order of their papers."""
    labels = {claim["statement"]: claim["label"] for claim in ledger["claims"]}
    found = {entry["id"]: {**entry, "paper": key} for key, paper in cited.items() for entry in paper["errata"]}
    return [{**found[name], "label": labels[name]} for name in about if name in found]


def _corrected(claim: Json, ledger: Json) -> list[Json]:
    """What holds in place of a form that is refuted, itself aside."""
    if claim["verdict"] != Verdict.REFUTED.value:
        return []
    rows = {row["id"]: row for row in ledger["claims"]}
    errata = [e for e in ledger["papers"][claim["paper"]]["errata"] if claim["id"] in e["refuted"]]
    return corrected(errata[0]["tested"] if errata else [], rows)[:1]


def main(arguments: list[str]) -> int:
    """Write the files, or say in one line why not; the exit code."""
    if len(arguments) != 3:
        print("usage: lemmata export CLAIM|PAPER|THEME LEDGER FOLDER", file=sys.stderr)
        return 2
    what, ledger, folder = arguments
    try:
        found = export(read(Path(ledger)), what, Path(folder))
    except (SelectionError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"written to {folder}: {', '.join(path.name for path in found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
