"""The blocks of the documentation, as a reader would copy them: each claim comes out as it is expected to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from theory import papers as records
from theory.claims import registry
from theory.claims.registry import load_file
from theory.core.verdict import PremiseStatus, Verdict
from theory.evidence import Proof, Scaling, Search, Trials
from theory.judging.judge import judge
from theory.running.case import RunConfig
from theory.surface import rooms

ROOT = Path(__file__).resolve().parents[2]

PAGES = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md"))

EXPECTED = {
    "mypaper:lemma-2": (Trials, Verdict.SUPPORTED),
    "mypaper:conjecture-1": (Search, Verdict.REFUTED),
    "mypaper:lemma-3": (Search, Verdict.HOLDS),
    "mypaper:lemma-5": (Scaling, Verdict.CONSISTENT),
    "mypaper:fact-6": (Proof, Verdict.PROVED),
}


def blocks() -> list[str]:
    """The Python blocks of the page on adding a lemma."""
    page = (ROOT / "docs" / "adding.md").read_text()
    return [text.split("```")[0] for text in page.split("```python\n")[1:]]


def test_the_block_of_the_readme_stands_in_the_file_that_it_names() -> None:
    text = (ROOT / "README.md").read_text()
    (block,) = (part.split("```")[0] for part in text.split("```python\n")[1:])
    (file,) = re.findall(r"what would refute it \(`(properties/\S+)`\)", text)
    assert block in (ROOT / file).read_text()


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_readme_leads_to_every_page(page: Path) -> None:
    assert f"({page})" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    "page", [Path("README.md"), *sorted(p.relative_to(ROOT) for p in (ROOT / "docs").glob("*.md"))], ids=str
)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    missing = [link for link in links if "://" not in link and not (ROOT / page).parent.joinpath(link).exists()]
    assert missing == []


def test_the_blocks_of_the_readme_are_claims_that_come_out_as_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "_elsewhere", {})
    template, further, record = blocks()
    (tmp_path / "paper.py").write_text(record)
    (tmp_path / "test_blocks_of_the_readme.py").write_text(f"{template}\n{further}")
    try:
        claims = load_file(tmp_path / "test_blocks_of_the_readme.py")
        assert list(records.papers())[-1] == "mythesis"
        rows = [judge(claim, RunConfig(data=rooms.sphere()), alpha=1e-8) for claim in claims]
    finally:
        for identifier in EXPECTED:
            registry.remove(identifier)
        for cached in (records._all, records._statements, records.papers):
            cached.cache_clear()
    assert [row.complaint for row in rows] == [""] * len(EXPECTED)
    assert {row.claim.id: (type(row.claim.evidence), row.verdict) for row in rows} == EXPECTED
    assert {row.premise_status for row in rows} == {PremiseStatus.INSIDE}
    assert [premise.text for premise in claims[0].premises] == ["m >= C*log(2*n/delta)"]
    assert claims[0].takes_data
