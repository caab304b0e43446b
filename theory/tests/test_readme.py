"""The blocks of the README, as a reader would copy them: each claim comes out as it is expected to."""

from __future__ import annotations

from pathlib import Path

import pytest

from theory import papers as records
from theory import registry
from theory.case import RunConfig
from theory.evidence import Proof, Scaling, Search, Trials
from theory.judge import judge
from theory.registry import load_file
from theory.surface import rooms
from theory.verdict import PremiseStatus, Verdict

ROOT = Path(__file__).resolve().parents[2]

EXPECTED = {
    "mypaper:lemma-2": (Trials, Verdict.SUPPORTED),
    "mypaper:conjecture-1": (Search, Verdict.REFUTED),
    "mypaper:lemma-3": (Search, Verdict.HOLDS),
    "mypaper:lemma-5": (Scaling, Verdict.CONSISTENT),
    "mypaper:fact-6": (Proof, Verdict.PROVED),
}


def blocks() -> list[str]:
    """The Python blocks of the README's section on adding a lemma."""
    section = (ROOT / "README.md").read_text().split("## Adding a lemma")[1].split("\n## ")[0]
    return [text.split("```")[0] for text in section.split("```python\n")[1:]]


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
