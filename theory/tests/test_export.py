"""What is written for papers and slides: every text escaped, every citation there, a figure for each claim."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theory.claims.selection import SelectionError
from theory.papers import papers
from theory.reports import figures
from theory.reports.export import bibliography, chosen, described, export, main
from theory.reports.ledger import to_json
from theory.reports.to_authors import by_hand, report
from theory.reports.typeset import code, number, tex
from theory.tests.test_page import HOSTILE, SUITE, toy


def ledger(title: str = "toy") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(to_json([toy(title)], SUITE)))
    return found


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of figures are there, and no figure is drawn, which takes a second: of tests that read what is written."""
    monkeypatch.setattr(figures, "pdf", lambda figure: b"")


def test_a_claim_a_statement_a_paper_and_a_theme_are_found_by_name() -> None:
    known = ledger()
    (claim,) = known["claims"]
    for what in (claim["id"], claim["statement"], "zou2018", claim["theme"]):
        assert chosen(known, what) == [claim]
    with pytest.raises(SelectionError, match=r"'zou2019' is no claim, paper or theme of the ledger; .*zou2018"):
        chosen(known, "zou2019")


def test_files_hold_the_table_the_figure_and_what_is_cited(tmp_path: Path) -> None:
    found = export(ledger(), "zou2018", tmp_path)
    assert sorted(path.suffix for path in found) == [".bib", ".pdf", ".tex"]
    text = (tmp_path / "export.tex").read_text()
    (figure,) = re.findall(r"\\includegraphics\[.*\]\{(.*)\}", text)
    assert (tmp_path / figure).read_bytes().startswith(b"%PDF")
    cited = set(re.findall(r"\\cite\{(\w+)\}", text))
    assert cited == set(re.findall(r"@misc\{(\w+)", (tmp_path / "references.bib").read_text())) == {"zou2018"}
    assert "\\fit{\\le 2*m}" in text
    assert "adjustbox" not in text
    assert "pytest -{}-claim zou2018" in text
    assert text.count("\\begin{") == text.count("\\end{")


@pytest.mark.usefixtures("undrawn")
def test_texts_stay_texts(tmp_path: Path) -> None:
    title = rf"{HOSTILE} \input{{/etc/passwd}} 100% $x_1^2$ #1 ~ {{"
    export(ledger(title), "zou2018", tmp_path)
    text = (tmp_path / "export.tex").read_text()
    assert "\\input{/etc" not in text
    row = next(line for line in text.splitlines() if "textbackslash" in line and line.endswith(r"\\*"))
    # What separates the four columns is all that is not escaped.
    assert len(re.findall(r"(?<!\\)&", row)) == 3
    assert not re.search(r"(?<!\\)[#%]", row)
    assert tex("a\nb") == "a b"
    assert tex("\\{}") == r"\textbackslash{}\{\}"


def test_every_paper_of_a_ledger_has_an_entry_with_where_it_can_be_read() -> None:
    entries = bibliography(described(ledger())["papers"])
    assert entries.count("@misc{zou2018") == entries.count("@misc{") == 1
    assert entries.count("{") == entries.count("}")
    assert "Quanquan Gu" in entries
    assert rf"\url{{{papers()['zou2018'].url}}}" in entries


def own_ledger() -> dict[str, Any]:
    """A ledger of a paper that the suite does not have: two statements, of which the second is false as printed."""
    found = ledger()
    (claim,) = found["claims"]
    cells = [
        {**claim["cells"][0], "at": {"m": m}, "verdict": "refuted", "measured": 3.0 * m, "bound": 2.0 * m, "ratio": 1.5}
        for m in (8, 4)
    ]
    printed = {
        "id": "mine2026:lemma-2",
        "statement": "mine2026:lemma-2",
        "label": "Lemma 2",
        "source": "Section 3, Lemma 2",
        "verdict": "refuted",
        "worst_ratio": 1.5,
        "cells": cells,
        "premises": [{"text": "m >= 4", "latex": r"m \geq 4", "words": "wide enough", "source": ""}],
        "symbols": {"m": "width"},
        "reproduce": "pytest claims --claim mine2026:lemma-2 --seed 3 --at m=8",
    }
    claims = [
        {**claim, "id": "mine2026:a-later-one", "statement": "mine2026:lemma-1", "label": "Lemma 1"},
        {**claim, **printed, "evidence": {**claim["evidence"], "note": "erratum: at m = 4 it is 12 for 8 at most"}},
        {**claim, "id": "mine2026:lemma-2-corrected", "statement": "mine2026:lemma-2", "label": "Lemma 2"},
    ]
    erratum = {
        "id": "mine2026:lemma-2",
        "doubt": "a factor of 3/2 is lost",
        "decision": "false as printed",
        "why": "The sum has three terms & not two.",
        "refuted": ["mine2026:lemma-2"],
        "tested": ["mine2026:lemma-2-corrected"],
    }
    paper = {
        **found["papers"]["zou2018"],
        "title": "My own paper",
        "authors": ["A. Author", "B. Writer"],
        "year": 2026,
        "errata": [erratum],
        "proofs": [{"id": f"mine2026:{name}"} for name in ("lemma-2", "lemma-1")],
    }
    for claim in claims:
        claim["paper"] = "mine2026"
    return {**found, "claims": claims, "papers": {**found["papers"], "mine2026": paper}}


@pytest.mark.usefixtures("undrawn")
def test_an_own_paper_is_cited_with_its_errata_in_the_order_of_its_statements(tmp_path: Path) -> None:
    known = own_ledger()
    assert [c["label"] for c in chosen(known, "mine2026")] == ["Lemma 2", "Lemma 2", "Lemma 1"]
    names = {path.name for path in export(known, "mine2026", tmp_path)}
    assert {"export.tex", "references.bib", "errata.tex"} <= names
    assert "author = {A. Author and B. Writer}" in (tmp_path / "references.bib").read_text()
    text = (tmp_path / "export.tex").read_text()
    assert "a factor of 3/2 is lost" in text
    assert r"\fit{m \geq 4}" in text
    assert r"In its place \fit{\le 2*m}: holds" in text


@pytest.mark.usefixtures("undrawn")
def test_a_report_to_authors_has_the_statement_the_least_counterexample_and_what_holds(tmp_path: Path) -> None:
    export(own_ledger(), "mine2026", tmp_path)
    text = (tmp_path / "errata.tex").read_text()
    assert text.count("\\begin{") == text.count("\\end{")
    for said in (
        "Errata of ``My own paper''",
        "Section 3, Lemma 2",
        r"\fit{\le 2*m}",
        r"$m$ is width",
        "At $m = 4$.",
        "Measured: $12$. Claimed: at most $8$.",
        "At m = 4 it is 12 for 8 at most.",
        r"The sum has three terms \& not two.",
        r"Verdict: \emph{holds}",
        r"pytest claims -{}-claim mine2026:lemma-2 -{}-seed 3",
    ):
        assert said in text, said
    assert not (tmp_path / "none").exists()
    export(ledger(), "zou2018", tmp_path / "none")
    assert not (tmp_path / "none" / "errata.tex").exists()


def test_a_report_to_authors_shows_the_lines_that_measure_by_hand_and_no_number_runs_over_its_line() -> None:
    """Of a claim that has such lines, at a width of 10^121 and at one that is no power of ten."""
    first = own_ledger()
    (erratum,) = first["papers"]["mine2026"]["errata"]
    erratum["refuted"] = ["zou2018:lemma-A.11"]
    (printed,) = (claim for claim in first["claims"] if claim["id"] == "mine2026:lemma-2")
    printed |= {"id": "zou2018:lemma-A.11", "reproduce": f"pytest --at m={10**121}"}
    printed["counterexamples"] = []
    printed["cells"] = [cell := next(cell for cell in printed["cells"] if cell["verdict"] == "refuted")]
    for width, shown in (
        (10**121, r"1\cdot 10^{121}"),
        (4 * 10**12, r"4\cdot 10^{12}"),
        (1234567890123, "1234567890123"),
    ):
        cell["at"]["m"] = width
        text = report(first, "mine2026", ["mine2026:lemma-2"])
        assert f"$m = {shown}$" in text, width
        assert f"\\begin{{verbatim}}\n{by_hand('zou2018:lemma-A.11')}\\end{{verbatim}}" in text
        assert max(map(len, re.findall(r"\d+", text))) <= 30


def test_numbers_and_commands_are_set() -> None:
    assert number("1.5e-07") == r"1.5\cdot 10^{-7}"
    assert number("inf") == r"\infty"
    assert number("NaN") == r"\text{--}"
    assert code("a --at m=1,n=2") == r"\texttt{a -{}-at m=1,\allowbreak{}n=2}"


def test_the_command_runs_as_a_module_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_text(json.dumps(ledger()))
    command = [sys.executable, "-m", "lemmata", "export", "zou2018", "ledger.json", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "export.tex").exists()


@pytest.mark.usefixtures("undrawn")
def test_the_command_says_what_it_wrote_or_why_it_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ledger.json").write_text(json.dumps(ledger()))
    assert main(["zou2018", str(tmp_path), str(tmp_path / "out")]) == 0
    assert "export.tex, references.bib" in capsys.readouterr().out
    assert main(["zou2018", str(tmp_path / "none"), str(tmp_path / "out")]) == 2
    assert main(["nothing", str(tmp_path), str(tmp_path / "out")]) == 2
    assert main([]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == ["error", "error", "usage"]


# A title as `read` guesses it from a source: letters for which a plain TeX has no code.
GUESSED = "With probability at least 1-δ, ‖H(0)-𝐇^∞‖_F ≤ C n√(log(n/δ)/m), 𝔼[x⊤y₂²] ∈ ℓ² — Łoś, ḟ, 中"


def test_letters_beyond_ascii_are_written_in_tex() -> None:
    assert tex(GUESSED).isascii()
    assert tex("1-δ, √n") == r"1-{\ensuremath{\delta}}, {\ensuremath{\surd}}n"
    assert tex("ḟ中") == "f?"
    assert "\\mathscr" not in tex("𝒩")


@pytest.mark.parametrize("made", ["hostile", "own", "guessed"])
def test_tex_sets_it(tmp_path: Path, made: str) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex here: install Debian's texlive-latex-base")
    known, what = (
        (own_ledger(), "mine2026") if made == "own" else (ledger(GUESSED if made == "guessed" else HOSTILE), "zou2018")
    )
    for file in export(known, what, tmp_path):
        if file.suffix == ".tex":
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file.name]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
            assert done.returncode == 0, done.stdout[-2000:]
