"""`lemmata read`: papers in LaTeX become records, with the numbers that LaTeX prints and what their proofs refer to.

Three papers of different styles stand in `papers_in_latex/`; their numbers were counted by hand.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory import papers as records
from theory.core.statements import Open, Paper, check_references
from theory.latex.counters import Counters, printed
from theory.latex.document import read
from theory.latex.record import Record, python, recorded
from theory.lemmata.commands import main

ROOT = Path(__file__).resolve().parents[2]
PAPERS = Path(__file__).with_name("papers_in_latex")

# Of each statement its name, its labels in the source, where it stands, and the names of what it uses.
Row = tuple[str, str, str, str]

CONFERENCE: list[Row] = [
    ("eq-1", "eq:net", "main.tex:22", ""),
    ("assumption-1", "ass:unit", "main.tex:26", ""),
    ("theorem-1", "thm:main", "main.tex:30", "eq-1 assumption-1 lemma-2 eq-5 lemma-6"),
    ("eq-3", "eq:rate", "main.tex:33", "theorem-1"),
    ("eq-star", "eq:star", "main.tex:35", "theorem-1"),
    ("lemma-2", "lem:gram", "main.tex:45", "eq-1 remark-3"),
    ("remark-3", "rem:used", "main.tex:49", ""),
    ("corollary-5", "cor:zero", "main.tex:51", "theorem-1 eq-3"),
    ("claim-plain", "claim:plain", "main.tex:53", ""),
    ("eq-5", "eq:step", "main.tex:62", ""),
    ("lemma-6", "lem:steps", "main.tex:68", "eq-1"),
]
ARTICLE: list[Row] = [
    ("definition-1.1", "def:kernel", "parts/setting.tex:1", ""),
    ("assumption-A", "as:data", "parts/setting.tex:4", ""),
    ("assumption-B", "as:labels", "parts/setting.tex:5", ""),
    ("eq-1.1a", "eq:flow", "parts/setting.tex:7", ""),
    ("eq-1.1b", "eq:weights", "parts/setting.tex:8", ""),
    ("eq-1.1", "eq:dynamics", "parts/setting.tex:6", ""),
    ("lemma-2.1", "lem:positive", "parts/results.tex:1", "definition-1.1 assumption-A"),
    (
        "theorem-2.2",
        "thm:flow",
        "parts/results.tex:4",
        "assumption-A assumption-B eq-1.1a lemma-2.1 proposition-2.3 lemma-A.1 eq-A.1",
    ),
    ("eq-2.1", "eq:decay", "parts/results.tex:6", "theorem-2.2"),
    ("proposition-2.3", "prop:close it:first", "parts/results.tex:10", "eq-1.1b eq-1.1 lemma-A.1"),
    ("lemma-2.4", "lem:spectrum", "parts/results.tex:17", "lemma-2.1 eq-2.1 proposition-2.3"),
    ("lemma-A.1", "lem:gronwall", "parts/proofs.tex:5", ""),
    ("eq-A.1", "eq:aux", "parts/proofs.tex:8", ""),
]
BOOK: list[Row] = [
    ("notation-1.1.1", "not:len", "main.tex:24", ""),
    ("eq-1.1", "eq:len", "main.tex:25", ""),
    ("hilfssatz-1-I", "hs:mean", "main.tex:26", "notation-1.1.1 eq-1.1"),
    ("satz-1-II", "st:variance", "main.tex:31", "eq-1.1 hilfssatz-1-I eq-1.2 eq-1.3"),
    ("eq-1.2", "eq:one", "main.tex:34", ""),
    ("eq-1.3", "eq:two", "main.tex:36", ""),
    ("eq-K", "eq:k", "main.tex:42", ""),
    ("main-theorem-mt", "mt", "main.tex:43", "satz-1-II eq-K"),
    ("conjecture-2.1", "co", "main.tex:45", ""),
    ("satz-2-VII", "st:late", "main.tex:47", "main-theorem-mt conjecture-2.1"),
    ("eq-A.1", "eq:half", "main.tex:53", ""),
    ("hilfssatz-A-I", "hs:last", "main.tex:54", ""),
]
UNREAD = {
    "conference": [
        "main.tex:68: Lemma 6 refers to Theorem 1, which rests on it; left out of what it uses.",
        "main.tex:63: refers to lem:nowhere, a label that is nowhere.",
        "Proofs and statements refer to what is no statement: sec:steps.",
        "No proof was found of Claim.",
        "Left out, since no proof refers to them: Remark 4 (main.tex:50).",
    ],
    "article": [
        "main.tex:28: there is no file parts/missing to include.",
        "parts/setting.tex:12: parts/setting includes itself, and is read once.",
        "parts/proofs.tex:11: taken for Proposition 2.3, which stands at parts/results.tex:10, said again.",
        "The source does not say the year; 2026 was taken.",
    ],
    "book": [
        "The source does not say the year; 2026 was taken.",
        "Proofs and statements refer to what is no statement: ch:app.",
        "No proof was found of Hilfssatz A-I.",
    ],
}


def record_of(source: Path) -> Record:
    return recorded(read(source), "key", 2026)


def rows(record: Record) -> list[Row]:
    def names(identifiers: tuple[str, ...]) -> str:
        return " ".join(name.removeprefix("key:") for name in identifiers)

    return [
        (names((s.id,)), " ".join(record.labels[s.id]), s.locator.split(", ")[-1], names(s.uses))
        for s in record.paper.statements
    ]


@pytest.mark.parametrize(("style", "expected"), [("conference", CONFERENCE), ("article", ARTICLE), ("book", BOOK)])
def test_numbers_places_and_proofs_are_those_of_the_paper(style: str, expected: list[Row]) -> None:
    record = record_of(PAPERS / style / "main.tex")
    assert rows(record) == expected
    assert list(record.unread) == UNREAD[style]


def test_a_paper_is_described_in_plain_words() -> None:
    conference, article, book = (recorded(read(PAPERS / name / "main.tex"), None, 2026).paper for name in UNREAD)
    assert (conference.key, conference.title) == ("example2021", "Wide Layers and Their Kernels")
    assert (conference.authors, conference.year) == (("Ada Example", "Ben Sample"), 2021)
    assert (article.key, article.title) == ("muller2026", "On the Least Eigenvalue")
    assert article.authors == ("Carla Müller", "Dan O'Hara")
    titles = {s.id.split(":")[1]: s.title for paper in (conference, article, book) for s in paper.statements}
    assert titles["lemma-6"] == "Small steps, after [other]"
    assert titles["hilfssatz-1-I"] == r"\strange {Mean} length"
    assert titles["eq-K"] == "x = y"
    assert titles["theorem-2.2"].startswith("Under Assumptions A and B, the flow (1.1a) obeys ‖u(t) - y‖^2 ≤")
    assert {s.locator for s in article.statements if s.label == "Lemma A.1"} == {
        "Appendix A.1, Lemma A.1, parts/proofs.tex:5"
    }


def test_titles_have_the_formulas_of_the_paper_in_a_line(tmp_path: Path) -> None:
    source = r"\newcommand{\norm}[1]{\left\|#1\right\|}\newcommand{\again}{\again}\begin{document}\begin{lemma}"
    source += r"$\norm{w_r}_2 \le \frac{n\,\kappa}{\sqrt{m}\lambda_0} + \tfrac12$ and \again\thing.\end{lemma}"
    (tmp_path / "main.tex").write_text(PREAMBLE + source)
    (statement,) = record_of(tmp_path / "main.tex").paper.statements
    assert statement.title == r"‖w_r‖_2 ≤(n κ)/(√(m)λ_0) + 1/2 and \again \thing ."


def test_kinds_and_themes_are_guessed_from_words() -> None:
    found = {
        s.label: (s.kind, s.theme)
        for name in ("conference", "book")
        for s in record_of(PAPERS / name / "main.tex").paper.statements
    }
    assert found["Theorem 1"] == ("convergence", "convergence")
    assert found["Lemma 2"] == ("probability", "ntk")
    assert found["Assumption 1"][0] == "assumption"
    assert found["Hilfssatz 1-I"][0] == "expectation"
    assert found["Notation 1.1.1"][0] == "definition"


PREAMBLE = r"""\documentclass{article}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem{corollary}{Corollary}[theorem]
\newtheorem{remark}{Remark}
"""

# What a paper has in it, and which statements that makes: name, labels, and what it uses.
PIECES: dict[str, tuple[str, str]] = {
    "a counter within a theorem": (
        r"\begin{theorem}a\end{theorem}\begin{corollary}b\end{corollary}\begin{corollary}c\end{corollary}"
        r"\begin{theorem}d\end{theorem}\begin{corollary}e\end{corollary}",
        "theorem-1; corollary-1.1; corollary-1.2; theorem-2; corollary-2.1",
    ),
    "only displays that are referred to have numbers": (
        r"\mathtoolsset{showonlyrefs}\begin{equation}\label{a}1\end{equation}\begin{align}2\label{b}\\3\end{align}"
        r"\begin{lemma}\eqref{b}\end{lemma}",
        "eq-a [a]; eq-1 [b]; lemma-1 <- eq-1",
    ),
    "a statement whose number comes later": (
        r"\begin{restatable*}{theorem}{again}\label{a} x\end{restatable*}\begin{lemma}\label{b}y\end{lemma}"
        r"\again\begin{proof}\ref{b}\end{proof}",
        "theorem-2 [a] <- lemma-1; lemma-1 [b]",
    ),
    "a statement that is said again by its number": (
        r"\begin{theorem}\label{a} Widths are large enough.\end{theorem}\begin{lemma}\label{b}y\end{lemma}"
        r"\setcounter{theorem}{0}\begin{theorem}Widths are large enough.\end{theorem}\begin{proof}\ref{b}\end{proof}",
        "theorem-1 [a] <- lemma-2; lemma-2 [b]",
    ),
    "a statement that is said again under a label": (
        r"\begin{theorem}\label{a}x\end{theorem}{\renewcommand{\thetheorem}{\ref{a}}\begin{theorem}x\end{theorem}"
        r"\addtocounter{theorem}{-1}}\begin{lemma}y\end{lemma}",
        "theorem-1 [a]; lemma-2",
    ),
    "an informal statement before the formal one": (
        r"\newtheorem*{idea}{Theorem}\begin{idea}[Informal form of Theorem~\ref{a}]x\end{idea}"
        r"\begin{theorem}\label{a}y\end{theorem}",
        "theorem-1 [a]",
    ),
    "keys of thmtools": (
        r"\begin{theorem}[name=Big, label={a}, restate=big]x\end{theorem}\begin{lemma}[label=b]y\end{lemma}"
        r"\big*\begin{proof}\cref{b}\end{proof}",
        "theorem-1 [a] <- lemma-2; lemma-2 [b]",
    ),
    "a proof that names its theorem by number": (
        r"\begin{theorem}a\end{theorem}\begin{lemma}\label{b}y\end{lemma}\begin{proof}[Proof of Theorem~1]\ref{b}"
        r"\end{proof}",
        "theorem-1 <- lemma-2; lemma-2 [b]",
    ),
    "a section that is a proof, and ends": (
        r"\begin{theorem}\label{a}x\end{theorem}\begin{lemma}\label{b}y\end{lemma}\begin{lemma}\label{c}z\end{lemma}"
        r"\section{Proof of Theorem~\ref{a}}By \ref{b}.\subsection{More}\ref{c}\section{Remarks}See \ref{a}.",
        "theorem-1 [a] <- lemma-2 lemma-3; lemma-2 [b]; lemma-3 [c]",
    ),
    "environments for proofs": (
        r"\newenvironment{proofof}[1]{\begin{proof}[Proof of #1]}{\end{proof}}"
        r"\newenvironment{prf}[1]{{\bf Proof of \ref{#1}.}}{}"
        r"\begin{theorem}\label{a}x\end{theorem}\begin{lemma}\label{b}y\end{lemma}\begin{lemma}\label{c}z\end{lemma}"
        r"\begin{proofof}{Theorem~\ref{a}}\ref{b}\end{proofof}\begin{prf}{b}\ref{c}\end{prf}",
        "theorem-1 [a] <- lemma-2; lemma-2 [b] <- lemma-3; lemma-3 [c]",
    ),
    "a claim within a proof": (
        r"\newtheorem{claim}{Claim}\begin{theorem}x\end{theorem}\begin{lemma}\label{b}y\end{lemma}\begin{proof}[Of 1]"
        r"\begin{claim}\label{c}z\end{claim}\begin{proof}\ref{b}\end{proof}\end{proof}",
        "theorem-1; lemma-2 [b]; claim-1 [c] <- lemma-2",
    ),
    "many ways to refer": (
        r"\begin{theorem}\label{a}x\end{theorem}\begin{lemma}\label{b}y\end{lemma}\begin{lemma}\label{c}z\end{lemma}"
        r"\begin{lemma}\label{d}w\end{lemma}\begin{lemma}v\end{lemma}"
        r"\begin{proof}\hyperref[a]{the Theorem}, \Cref{b,c}, \myownref{d}, \href{a}{b}, \pageref{a}\end{proof}",
        "theorem-1 [a]; lemma-2 [b]; lemma-3 [c]; lemma-4 [d]; lemma-5 <- theorem-1 lemma-2 lemma-3 lemma-4",
    ),
    "macros with arguments": (
        r"\def\eqn#1#2{\begin{equation}\label{#1}#2\end{equation}}\let\same\eqn"
        r"\newcommand{\see}[2][a]{\eqref{#1} and \eqref{#2}}\eqn{a}{x}\same{b}{y}\begin{lemma}\see{b}\end{lemma}",
        "eq-1 [a]; eq-2 [b]; lemma-1 <- eq-1 eq-2",
    ),
    "displays by macros, and one counter for all": (
        r"\makeatletter\let\c@equation\c@theorem\makeatother\newenvironment{wide}{\csname align\endcsname}"
        r"{\csname endalign\endcsname}\begin{lemma}x\end{lemma}\begin{wide}a\label{a}\\b\label{b}\end{wide}"
        r"\equation c\label{c}\endequation\begin{lemma}y\end{lemma}",
        "lemma-1; eq-2 [a]; eq-3 [b]; eq-4 [c]; lemma-5",
    ),
    "macros that name sections": (
        r"\titleformat{\section}{\large}{\thesection}{1em}{}\titlespacing\section{0pt}{1pt}{1pt}\patchcmd{\section}{a}{b}"
        r"{}{}\counterwithin{theorem}{section}\section{A}\begin{lemma}x\end{lemma}",
        "lemma-1.1",
    ),
    "remarks that are not referred to": (
        r"\begin{remark}\label{a}x\end{remark}\begin{remark}y\end{remark}\begin{lemma}\ref{a}\end{lemma}",
        "remark-1 [a]; lemma-1 <- remark-1",
    ),
    "displays without numbers and in several lines": (
        r"\begin{eqnarray}a\label{a}\\b\\c\nonumber\\d\label{d}\end{eqnarray}\begin{multline}a\\b\label{m}\end{multline}"
        r"\begin{align*}q\label{n}\end{align*}\[x\tag{X}\label{x}\]$$y$$",
        "eq-1 [a]; eq-3 [d]; eq-4 [m]; eq-n [n]; eq-X [x]",
    ),
    "what is switched off, and verbatim": (
        r"\newif\ifall\ifall\begin{lemma}a\end{lemma}\else\begin{lemma}b\end{lemma}\fi\alltrue\ifall\begin{lemma}c"
        r"\end{lemma}\fi\verb+{+\lstinline|{|\begin{comment}\begin{lemma}\end{comment}\begin{lemma}$\ifx$\end{lemma}",
        "lemma-1; lemma-2; lemma-3",
    ),
    "a circle through a part of a theorem": (
        r"\begin{theorem}\begin{equation}\label{e}1\end{equation}\end{theorem}\begin{proof}\ref{b}\end{proof}"
        r"\begin{lemma}\label{b}See \ref{e}.\end{lemma}",
        "theorem-1 <- lemma-2; eq-1 [e] <- theorem-1; lemma-2 [b]",
    ),
    "a circle": (
        r"\begin{theorem}\label{a}x\end{theorem}\begin{proof}\ref{b}\end{proof}\begin{lemma}\label{b}y\end{lemma}"
        r"\begin{proof}\ref{c}\end{proof}\begin{lemma}\label{c}z\end{lemma}\begin{proof}\ref{a}\end{proof}",
        "theorem-1 [a] <- lemma-2; lemma-2 [b] <- lemma-3; lemma-3 [c]",
    ),
}


def told(record: Record) -> str:
    """The statements in a line, as in `PIECES`."""
    return "; ".join(
        name + (f" [{labels}]" if labels else "") + (f" <- {uses}" if uses else "")
        for name, labels, _, uses in rows(record)
    )


@pytest.mark.parametrize("name", PIECES)
def test_a_piece_of_latex_is_read_as_latex_prints_it(name: str, tmp_path: Path) -> None:
    source, expected = PIECES[name]
    file = tmp_path / "main.tex"
    file.write_text(f"{PREAMBLE}\\begin{{document}}{source}\n\\end{{document}}")
    assert told(record_of(file)) == expected


# What is wrong with a source, and the one sentence on it, behind the place.
WRONG = {
    "a title without its end": ("\\section{Intro\ntext\n\n", "main.tex:7: a brace is opened and not closed."),
    "a macro without its end": ("\\newcommand{\\x}{y\n", "main.tex:7: a brace is opened and not closed."),
    "a brace too few": ("\n{ text", "main.tex:8: a brace is opened and not closed."),
    "a brace too many": ("text }\n", "main.tex:7: a brace is closed that was not opened."),
    "an environment without its end": (
        "\\begin{align} x",
        "main.tex:7: \\begin{align} is not closed before \\end{document} in line 8.",
    ),
    "an end without its beginning": ("\\end{lemma}", "main.tex:7: \\end{lemma} closes nothing."),
    "a file that is not there": ("\\input{nowhere}", "main.tex:7: there is no file nowhere to include."),
    "a file that includes itself": ("\\input{main}", "main.tex:7: main includes itself, and is read once."),
    "a macro without end": ("\\newcommand{\\x}{\\ref{a}\\x}\\x", "main.tex:7: \\x stands for itself without end."),
    "a label that is there twice": (
        "\\begin{equation}\\label{a}\\end{equation}\\begin{lemma}\\label{a}\\end{lemma}",
        "main.tex:7: the label a is there twice; references lead to the first.",
    ),
    "an environment of nobody": (
        "\\begin{proposition}x\\end{proposition}",
        "main.tex:7: no file that was read defines the environment proposition; it is numbered by itself, from 1.",
    ),
    "a condition": (
        "\\ifnum 1=1 x\\fi",
        "main.tex:7: what \\ifnum decides is not known here; its first branch is read.",
    ),
    "what is switched off without end": ("\\iffalse x", "main.tex:7: what is switched off here has no end."),
    "verbatim without end": ("\\begin{verbatim} x", "main.tex:7: \\begin{verbatim} is not closed."),
    "a value": (
        "\\setcounter{theorem}{\\what}",
        "main.tex:7: the value \\what of the counter theorem is not understood; it stays as it is.",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read_is_told_in_a_sentence_and_the_rest_is_read(name: str, tmp_path: Path) -> None:
    source, sentence = WRONG[name]
    file = tmp_path / "main.tex"
    first = r"\begin{document}\begin{lemma}One.\end{lemma}"
    file.write_text(f"{PREAMBLE}{first}\n{source}\n\\end{{document}}")
    document = read(file)
    assert [f"{problem}." for problem in document.problems] == [sentence]
    assert "key:lemma-1" in {s.id for s in recorded(document, "key", 2026).paper.statements}


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "there is nothing in it"),
        (" \n", "there is nothing in it"),
        ("\0\1", "this is no text; name the .tex file of the paper"),
        ("\\begin{document}Words.\\end{document}", "there is no theorem in it and no display with a label"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_source_that_says_nothing_is_refused_in_a_sentence(
    source: str | None,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if source is not None:
        Path("main.tex").write_text(source)
    assert main(["read", "main.tex"]) == 4
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"lemmata read: main.tex: {sentence}\n")
    assert not Path("paper.py").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--key", "A b"], "--key: 'A b' is no key of a paper; write small letters and digits, as in du2018"),
        (["nowhere/x.py"], "nowhere: there is no such folder; make it first"),
        (["paper.txt"], "paper.txt: a record is a file of Python; name a folder, or a file that ends in .py"),
        ([], "paper.py: there is such a file already; name another place, or say --replace"),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("paper.py").write_text("mine")
    assert main(["read", str(PAPERS / "book" / "main.tex"), *arguments]) == 4
    assert capsys.readouterr().err == f"lemmata read: {sentence}\n"
    assert Path("paper.py").read_text() == "mine"
    assert main(["read", str(PAPERS / "book" / "main.tex"), "--replace"]) == 0
    assert "PAPER" in Path("paper.py").read_text()


def test_files_of_other_encodings_and_line_ends_are_read(tmp_path: Path) -> None:
    source = f"{PREAMBLE}\\begin{{document}}\\begin{{lemma}}[Größe]x\\end{{lemma}}\n".replace("\n", "\r\n")
    for encoding in ("latin-1", "utf-8", "utf-8-sig"):
        (tmp_path / "main.tex").write_bytes(source.encode(encoding))
        (statement,) = record_of(tmp_path / "main.tex").paper.statements
        assert (statement.title, statement.locator) == ("Größe", "Lemma 1, main.tex:6")


def test_counters_print_in_the_styles_of_latex() -> None:
    assert [printed("Roman", number) for number in (4, 9, 14, 1999)] == ["IV", "IX", "XIV", "MCMXCIX"]
    assert [printed(style, 3) for style in ("alph", "Alph", "roman", "arabic", "fnsymbol")] == [
        "c",
        "C",
        "iii",
        "3",
        "3",
    ]
    assert printed("alph", 27) == "27"
    counters = Counters()
    counters.new("a", "section")
    assert (counters.step("section"), counters.step("a"), counters.step("a"), counters.step("section")) == (
        "1",
        "1.1",
        "1.2",
        "2",
    )
    assert counters.step("a") == "2.1"
    counters.without("a")
    assert counters.step("a") == "2"


@pytest.fixture
def _nothing_recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Records that a test loads are known no longer after it."""
    monkeypatch.setattr(records, "_elsewhere", {})
    monkeypatch.setattr(records, "_loaded", {})
    yield
    for cached in (records._all, records._statements, records.papers):
        cached.cache_clear()


@pytest.mark.usefixtures("_nothing_recorded")
@pytest.mark.parametrize("style", UNREAD)
def test_the_file_that_is_written_loads_with_every_statement_open(style: str, tmp_path: Path) -> None:
    source = PAPERS / style / "main.tex"
    record = record_of(source)
    text = python(record, "main.tex")
    (tmp_path / "paper.py").write_text(text)
    loaded = records.beside(tmp_path)
    assert isinstance(loaded, Paper)
    assert loaded == record.paper
    assert records.papers()["key"] == record.paper
    assert all(isinstance(statement.coverage, Open) for statement in loaded.statements)
    check_references({statement.id: statement for statement in loaded.statements})
    assert max(map(len, text.splitlines())) <= 120
    comment = " ".join(line.lstrip("# ") for line in text.splitlines() if line.startswith("#"))
    assert all(sentence in comment for sentence in record.unread)


def test_the_ledger_lists_a_paper_before_a_claim_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Read by the command, listed by the command, with the drawing of what rests on what on the page."""
    assert main(["read", str(PAPERS / "article" / "main.tex"), str(tmp_path), "--key", "muller2026"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # Every name that the file gives is used.
    assert re.findall(r"^([A-Z, ]+) = ", (tmp_path / "paper.py").read_text(), re.MULTILINE) == ["OPEN", "PAPER"]
    assert lines[0] == f"{tmp_path}/paper.py: 8 statements, 5 displays and 16 uses of one by another, all of them open"
    # The key says the year.
    assert lines[2:-1] == [f"  {sentence}" for sentence in UNREAD["article"][:-1]]
    # A script of that name that has nothing to do with claims is not run.
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "paper.py").write_text("raise RuntimeError\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "theory.lemmata", str(tmp_path), f"--ledger={tmp_path / 'out'}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5, done.stdout + done.stderr
    assert "muller2026: 0 of 13 statements covered, 13 open" in done.stdout
    assert "muller2026:lemma-2.1: Positive limit; uses definition-1.1, assumption-A" in done.stdout
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_text())
    assert ledger["claims"] == []
    assert len(ledger["papers"]["muller2026"]["open"]) == 13
    assert "muller2026:theorem-2.2" in (tmp_path / "out" / "index.html").read_text()


def test_the_source_in_the_documentation_gives_the_lines_beside_it(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "adding.md").read_text()
    source, rest = page.split("```latex\n")[1].split("```", 1)
    (tmp_path / "main.tex").write_text(source)
    written = python(recorded(read(tmp_path / "main.tex"), "arora2019", 2026), "main.tex").splitlines()
    lines = rest.split("```\n")[1].splitlines()
    assert len(lines) == 4
    assert set(lines) <= set(written)


def test_the_record_of_the_example_is_what_its_source_says() -> None:
    example = ROOT / "examples" / "arora2019"
    record = recorded(read(example / "main.tex"), "arora2019")
    assert (example / "paper.py").read_text() == python(record, "main.tex")
    numbers = {s.label: [used.removeprefix("arora2019:") for used in s.uses] for s in record.paper.statements}
    assert numbers["Theorem 4.1"] == ["eq-3.1", "theorem-3.1", "lemma-C.1", "lemma-C.2"]
    assert numbers["Lemma 5.3"] == ["theorem-3.1", "eq-3.3", "eq-4.1", "lemma-C.1"]
    assert record.unread == ("No proof was found of Theorem 3.1.",)


def test_a_source_of_many_pages_is_read_in_seconds(tmp_path: Path) -> None:
    page = (
        r"Let $x_1 + \alpha$ be given, see \eqref{a}. \begin{lemma} Words \textbf{and} $\sum_i x_i$. \end{lemma}" + "\n"
    )
    (tmp_path / "main.tex").write_text(f"{PREAMBLE}\\begin{{document}}{page * 200}\\end{{document}}")
    record = record_of(tmp_path / "main.tex")
    assert record.paper.statements[-1].label == "Lemma 200"
