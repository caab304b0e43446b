"""The blocks of the documentation, as a reader would copy them: each claim comes out as it is expected to."""

from __future__ import annotations

import configparser
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from theory import papers as records
from theory.claims import registry
from theory.claims.registry import load_file
from theory.core.data import Data
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Mean, Proof, Scaling, Search, Trials
from theory.judging.judge import judge
from theory.lemmata.commands import COMMANDS
from theory.lemmata.plugin import FLAGS, VALUES
from theory.running.config import RunConfig
from theory.surface import rooms

# The file that the README names.
pytestmark = pytest.mark.reads_claims_of("guo2024/test_separation.py")

ROOT = Path(__file__).resolve().parents[2]

PAGES = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md"))
EVERY_PAGE = [Path("README.md"), Path("CONTRIBUTING.md"), *PAGES]
GLOSSARY = Path("docs/glossary.md")

DEAR = "arora2019:lemma-C.2"

EXPECTED = {
    "arora2019:lemma-C.1": (Scaling, Verdict.CONSISTENT),
    DEAR: (Scaling, Verdict.CONSISTENT),
    "mypaper:lemma-11": (Scaling, Verdict.CONSISTENT),
    "mypaper:lemma-7": (Scaling, Verdict.CONSISTENT),
    "mypaper:theorem-8": (Scaling, Verdict.CONSISTENT),
    "mypaper:fact-9": (Search, Verdict.HOLDS),
    "mypaper:lemma-10": (Mean, Verdict.SUPPORTED),
    "mypaper:lemma-2": (Trials, Verdict.SUPPORTED),
    "mypaper:lemma-2-sharp": (Trials, Verdict.SUPPORTED),
    "mypaper:conjecture-1": (Search, Verdict.REFUTED),
    "mypaper:lemma-3": (Search, Verdict.HOLDS),
    "mypaper:lemma-4": (Mean, Verdict.SUPPORTED),
    "mypaper:lemma-5": (Scaling, Verdict.CONSISTENT),
    "mypaper:fact-6": (Proof, Verdict.PROVED),
}


def blocks() -> list[str]:
    """The Python blocks of the page on adding a lemma."""
    page = (ROOT / "docs" / "adding.md").read_text()
    return [text.split("```")[0] for text in page.split("```python\n")[1:]]


def readme_blocks() -> tuple[str, str]:
    """The Python blocks of the README: a claim of the suite, and a lemma of one's own."""
    text = (ROOT / "README.md").read_text()
    own, lemma = (part.split("```")[0] for part in text.split("```python\n")[1:])
    return own, lemma


def named_file() -> str:
    (file,) = re.findall(r"what would refute it \(`(properties/\S+)`\)", (ROOT / "README.md").read_text())
    return str(file)


def test_the_block_of_the_readme_stands_in_the_file_that_it_names() -> None:
    assert readme_blocks()[0] in (ROOT / named_file()).read_text()


# What rounding decides differs between processors: the numbers measured, and which of several worst cells is told.
ROUNDED = re.compile(r"(measured |ratio |slope=)[^ ,]+")


def test_the_story_of_the_readme_is_what_the_command_prints() -> None:
    """Lines in their order, with [...] where something is left out."""
    text = (ROOT / "README.md").read_text()
    (name,) = re.findall(r"`pytest --claim (\S+) -s` tells its story", text)
    story = text.split("tells its story")[1].split("```")[1].strip("\n").splitlines()
    assert f'"{name}"' in readme_blocks()[0]
    command = [sys.executable, "-m", "pytest", named_file(), "--claim", name, "-s"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    printed = iter(ROUNDED.sub(r"\1_", done.stdout).splitlines())
    for line in story:
        pattern = ".*".join(map(re.escape, ROUNDED.sub(r"\1_", line).split("[...]")))
        assert any(re.fullmatch(pattern, other) for other in printed), line


def test_the_lemma_of_the_readme_has_seven_lines_and_comes_out_as_a_reader_would_expect(tmp_path: Path) -> None:
    lemma = readme_blocks()[1]
    assert len([line for line in lemma.splitlines() if line]) == 7
    (tmp_path / "test_lemma_of_the_readme.py").write_text(lemma)
    (claim,) = load_file(tmp_path / "test_lemma_of_the_readme.py")
    try:
        row = judge(claim, RunConfig(), alpha=1e-8)
    finally:
        registry.remove(claim.id)
    assert row.complaint == ""
    assert row.verdict is Verdict.HOLDS


def commands(page: Path) -> Iterator[str]:
    """Commands in the blocks and between the backticks of a page, without what is said of them."""
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    inline = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for line in [*lines, *inline]:
        if line.startswith(("make ", "pytest ", "python ", "pip ", "lemmata ")):
            yield re.sub(r"\s+# .*", "", " ".join(line.split()))


KNOWN = {
    "--collect-only",
    "--help",
    "--junitxml",
    "--key",
    "--kind",
    "--replace",
    "--statements",
    *(f"--{entry[0]}" for entry in (*VALUES, *FLAGS)),
}


def unknown(command: str) -> str:
    """What of the command the suite does not have: a target, an option, a module, an extra."""
    if command.startswith("make "):
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return "" if command.split()[1] in targets else command
    if command.startswith("pip "):
        settings = configparser.ConfigParser()
        settings.read(ROOT / "setup.cfg")
        extras = re.findall(r"\.\[(\w+)\]", command)
        return " ".join(set(extras) - set(settings["options.extras_require"]))
    if command.startswith("python -m "):
        return "" if importlib.util.find_spec(command.split()[2]) else command
    if command.startswith("lemmata ") and command.split()[1] not in {*COMMANDS, "--help"}:
        return command
    return " ".join({word.split("=")[0] for word in command.split() if word.startswith("--")} - KNOWN)


@pytest.mark.parametrize("page", EVERY_PAGE, ids=str)
def test_what_the_pages_say_to_type_exists(page: Path) -> None:
    assert [found for found in map(unknown, commands(page)) if found] == []


def test_commands_are_found_in_the_pages_and_wrong_ones_noticed() -> None:
    assert len({command for page in EVERY_PAGE for command in commands(page)}) > 40
    wrong = [
        "make nothing",
        "pytest --nothing=3 -s",
        "python -m theory.nothing",
        "lemmata nothing",
        "pip install -e '.[nothing]'",
    ]
    assert all(map(unknown, wrong))


@pytest.mark.parametrize("page", [page for page in EVERY_PAGE if page != GLOSSARY], ids=str)
def test_every_page_leads_to_the_words(page: Path) -> None:
    assert re.search(r"\]\((docs/)?glossary\.md\)", (ROOT / page).read_text())


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_readme_leads_to_every_page(page: Path) -> None:
    assert f"({page})" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", EVERY_PAGE, ids=str)
def test_no_formula_is_broken_where_its_rest_would_be_a_quotation(page: Path) -> None:
    assert not re.search(r"^>", (ROOT / page).read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", EVERY_PAGE, ids=str)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    missing = [link for link in links if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []


def test_the_blocks_of_the_readme_are_claims_that_come_out_as_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_elsewhere", {})
    *patterns, template, further, record = blocks()
    (tmp_path / "paper.py").write_text(record)
    (tmp_path / "test_blocks_of_the_readme.py").write_text("\n".join([*patterns, template, further]))
    try:
        claims = load_file(tmp_path / "test_blocks_of_the_readme.py")
        assert list(records.papers())[-1] == "mythesis"
        # What the page says takes a minute is judged by a part of its measurements.
        quicker = [replace(c, evidence=c.evidence.sketch(24)) if c.id == DEAR else c for c in claims]
        rows = [judge(claim, RunConfig(data=Data(rooms.sphere())), alpha=1e-4) for claim in quicker]
    finally:
        for identifier in EXPECTED:
            registry.remove(identifier)
        for cached in (records._all, records._statements, records.papers):
            cached.cache_clear()
    assert [row.complaint for row in rows] == [""] * len(EXPECTED)
    assert {row.claim.id: (type(row.claim.evidence), row.verdict) for row in rows} == EXPECTED
    assert {row.premise_status for row in rows} == {PremiseStatus.INSIDE}
    known = {claim.id: claim for claim in claims}
    assert [premise.text for premise in known["mypaper:lemma-2"].premises] == ["m >= C*log(2*n/delta)"]
    assert all(known[name].takes_data for name in ("arora2019:lemma-C.1", DEAR, "mypaper:lemma-2", "mypaper:lemma-7"))


def test_each_pattern_of_a_kind_of_statement_has_fifteen_lines_at_most_and_runs_alone(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "adding.md").read_text()
    found = [block for block in blocks() if '@lemma("mypaper' in block and block in page.split("## As a block")[0]]
    assert len(found) == 5
    for number, block in enumerate(found):
        assert len([line for line in block.splitlines() if line]) <= 15
        (tmp_path / f"test_pattern_{number}.py").write_text(block)
        (claim,) = load_file(tmp_path / f"test_pattern_{number}.py")
        registry.remove(claim.id)
