"""A claim, a paper or a theme for a paper or slides: a table with formulas, figures, and the errata with citations.

Main definition: `export`. `lemmata export WHAT LEDGER FOLDER` writes `export.tex`, `references.bib`
and a PDF for each figure to FOLDER, from a ledger that `--ledger` wrote; WHAT is the id of a claim or a statement, the
key of a paper, or a theme.
"""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

from theory.claims.selection import SelectionError, nearest
from theory.core.digits import near_one
from theory.core.statements import THEMES, Paper
from theory.core.values import Json, JsonDict
from theory.papers import papers
from theory.reports import figures
from theory.reports.page import TEMPLATES
from theory.reports.page.changes import read
from theory.reports.pictures import picture

# Figures are drawn of so few claims; of more there are tables alone.
MOST_FIGURES = 12

_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def tex(text: str) -> str:
    """`text` in TeX, as it stands, on one line."""
    return "".join(_TEX.get(letter, letter if letter.isprintable() else " ") for letter in text)


def _comment(text: str) -> str:
    """`text` on the one line of a comment."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _ratio(ratio: float | str) -> str:
    """A ratio in the mathematics of TeX."""
    value = float(ratio)
    if not math.isfinite(value):
        return r"\infty" if value > 0.0 else r"\text{--}"
    return re.sub(r"e([+-]?)0*(\d+)", lambda found: f"\\cdot 10^{{{found[1].strip('+')}{found[2]}}}", near_one(value))


def chosen(ledger: Json, what: str) -> list[JsonDict]:
    """The claims of a ledger that a word is about. Raises `SelectionError` where there are none."""
    claims: list[JsonDict] = ledger["claims"]
    found = [c for c in claims if what in (c["id"], c["statement"], c["paper"], c["theme"])]
    if not found:
        known = [*papers(), *THEMES, *(c["id"] for c in claims)]
        raise SelectionError(f"{what!r} is no claim, paper or theme of the ledger; {nearest(what, known)}")
    return [c for c in found if c["id"] == what] or found


def bibliography(cited: list[Paper]) -> str:
    """Entries of BibTeX."""
    return "\n".join(
        f"@misc{{{paper.key},\n  title = {{{{{tex(paper.title)}}}}},\n"
        f"  author = {{{tex(' and '.join(paper.authors))}}},\n  year = {{{paper.year}}},\n}}\n"
        for paper in cited
    )


def export(ledger: Json, what: str, folder: Path) -> list[Path]:
    """Write what there is to say of a claim, a paper or a theme, and return the files.

    Raises `SelectionError` where the ledger has nothing of that name, and `OSError` where the folder cannot be written.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    claims = chosen(ledger, what)
    drawn = {c["id"]: picture(c) for c in claims} if len(claims) <= MOST_FIGURES else {}
    files = {identifier: f"{identifier.replace(':', '-')}.pdf" for identifier, figure in drawn.items() if figure}
    about = {c["statement"] for c in claims}
    cited = {key: paper for key, paper in papers().items() if key in {c["paper"] for c in claims}}
    errata = [
        {**entry, "paper": key, "label": statement.label}
        for key, paper in cited.items()
        for entry in ledger["papers"][key]["errata"]
        if entry["id"] in about and (statement := paper.find(entry["id"])) is not None
    ]
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        block_start_string="((%",
        block_end_string="%))",
        variable_start_string="(((",
        variable_end_string=")))",
        comment_start_string="((#",
        comment_end_string="#))",
    )
    environment.filters |= {"tex": tex, "ratio": _ratio, "comment": _comment}
    text = environment.get_template("export.tex").render(
        what=what,
        suite=ledger["suite"],
        claims=[{**c, "figure_file": files.get(c["id"], "")} for c in claims],
        errata=errata,
    )
    folder.mkdir(parents=True, exist_ok=True)
    references = bibliography(list(cited.values()))
    contents: dict[str, bytes] = {"export.tex": text.encode(), "references.bib": references.encode()}
    contents |= {files[name]: figures.pdf(figure) for name, figure in drawn.items() if figure is not None}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


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
