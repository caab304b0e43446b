"""What is written for papers and slides: every text escaped, every citation there, a figure for each claim."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from theory.claims.selection import SelectionError
from theory.papers import papers
from theory.reports.export import bibliography, chosen, export, main, tex
from theory.reports.ledger import to_json
from theory.tests.test_page import HOSTILE, SUITE, toy


def ledger(title: str = "toy") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(to_json([toy(title)], SUITE)))
    return found


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
    assert "$\\displaystyle \\le 2*m$" in text
    assert text.count("\\begin{") == text.count("\\end{")


def test_texts_stay_texts(tmp_path: Path) -> None:
    title = rf"{HOSTILE} \input{{/etc/passwd}} 100% $x_1^2$ #1 ~ {{"
    export(ledger(title), "zou2018", tmp_path)
    text = (tmp_path / "export.tex").read_text()
    assert "\\input{/etc" not in text
    row = next(line for line in text.splitlines() if "textbackslash" in line and line.endswith(r"\\"))
    # What separates the five columns is all that is not escaped.
    assert len(re.findall(r"(?<!\\)&", row)) == 4
    assert not re.search(r"(?<!\\)[#%]", row)
    assert tex("a\nb") == "a b"
    assert tex("\\{}") == r"\textbackslash{}\{\}"


def test_every_paper_has_an_entry() -> None:
    entries = bibliography(list(papers().values()))
    assert entries.count("@misc{") == len(papers())
    assert entries.count("{") == entries.count("}")
    assert "Allen-Zhu and Yuanzhi Li" in entries


def test_the_command_says_what_it_wrote_or_why_it_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ledger.json").write_text(json.dumps(ledger()))
    assert main(["zou2018", str(tmp_path), str(tmp_path / "out")]) == 0
    assert "export.tex, references.bib" in capsys.readouterr().out
    assert main(["zou2018", str(tmp_path / "none"), str(tmp_path / "out")]) == 2
    assert main(["nothing", str(tmp_path), str(tmp_path / "out")]) == 2
    assert main([]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in said] == ["error", "error", "usage"]


def test_tex_sets_it(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex here: install TeX Live with adjustbox and booktabs")
    export(ledger(HOSTILE), "zou2018", tmp_path)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "export.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
