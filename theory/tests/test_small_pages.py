"""The page of a ledger in small ones: a statement each, under an address that stays, and no link that leads nowhere."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import validate

from theory import papers as records
from theory.core.statements import ByClaim, Paper, Statement
from theory.lemmata.commands import main
from theory.papers import papers
from theory.reports import ledger as ledgers
from theory.reports.ledger import to_json, write
from theory.reports.page import page
from theory.reports.page.statements import LIST, SHEET, address, small_pages
from theory.tests.test_page import HOSTILE, SUITE, Reader, toy


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """All pages of a ledger with two claims on one statement, by path; `index.html` among them."""
    row = toy(HOSTILE)
    sharp = replace(row, claim=replace(row.claim, id=f"{row.claim.statement}-sharp", title="sharp form"))
    ledger = to_json([row, sharp], SUITE)
    whole = page(ledger, {})
    return {"index.html": whole, **small_pages(ledger, whole)}


def test_every_statement_of_the_paper_has_a_page_that_is_whole(made: dict[str, str]) -> None:
    statements = papers()["zou2018"].statements
    assert set(made) == {"index.html", SHEET, LIST, *(address(s.id) for s in statements)}
    for statement in statements:
        reader = Reader(made[address(statement.id)])
        assert reader.open == []
        assert "script" not in reader.tags
        assert "img" not in reader.tags
        assert reader.handlers == []
    assert address("zou2018:lemma-A.7") == "statements/zou2018/lemma-A.7.html"


def test_a_page_has_all_forms_of_its_statement_and_those_of_no_other(made: dict[str, str]) -> None:
    first, second = papers()["zou2018"].statements[:2]
    assert re.findall(r'<article class=claim id="([^"]+)"', made[address(first.id)]) == [first.id, f"{first.id}-sharp"]
    assert "<article" not in made[address(second.id)]
    assert second.locator.split(",")[0] in made[address(second.id)]


def test_every_link_leads_to_a_page_and_a_place_on_it(made: dict[str, str]) -> None:
    ids = {name: set(Reader(text).ids) for name, text in made.items() if name.endswith(".html")}
    for name, text in made.items():
        if name == "index.html" or not name.endswith(".html"):
            continue
        for link in (link for link in Reader(text).links if not link.startswith("https:")):
            path, _, place = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert target in made, (name, link)
            if place and target != "index.html":
                assert place in ids[target], (name, link)


def test_the_command_writes_them_where_it_is_asked_to(tmp_path: Path) -> None:
    write(tmp_path / "ledger", [toy()], SUITE)
    assert main(["site", str(tmp_path / "ledger"), str(tmp_path / "plain")]) == 0
    assert [path.name for path in (tmp_path / "plain").iterdir()] == ["index.html"]
    assert main(["site", str(tmp_path / "ledger"), str(tmp_path / "out"), "--statements"]) == 0
    assert (tmp_path / "out" / LIST).exists()
    assert (tmp_path / "out" / address(toy().claim.id)).exists()


def test_a_paper_of_a_readers_own_has_its_pages_where_its_record_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(records, "_elsewhere", {})
    first = Statement("mine:lemma-1", "Lemma 1", "norms", "deterministic", "ntk", "page 3", ByClaim())
    second = Statement("mine:theorem-2", "Theorem 2", "rates", "convergence", "ntk", "page 4", uses=("mine:lemma-1",))
    records.recorded_elsewhere(Paper("mine", "My thesis", ("A. Author",), 2025, (first, second)), tmp_path / "paper.py")
    row = toy()
    row = replace(row, claim=replace(row.claim, id="mine:lemma-1", statement="mine:lemma-1", paper="mine"))
    write(tmp_path / "ledger", [row], SUITE)
    found = json.loads((tmp_path / "ledger" / "ledger.json").read_text())
    validate(found, json.loads((Path(ledgers.__file__).parent / "ledger.schema.json").read_text()))
    assert [one["id"] for one in found["papers"]["mine"]["record"]] == ["mine:lemma-1", "mine:theorem-2"]
    # In another process, and another folder, nothing is known of that paper.
    records._elsewhere.clear()
    records._forget()
    assert main(["site", str(tmp_path / "ledger"), str(tmp_path / "out"), "--statements"]) == 0
    assert "<article" in (tmp_path / "out" / address("mine:lemma-1")).read_text()
    text = (tmp_path / "out" / address("mine:theorem-2")).read_text()
    assert "Theorem 2: rates" in text
    assert "Not tested: no claim is about it yet" in text
    assert "mine/theorem-2.html" in (tmp_path / "out" / LIST).read_text()
    found["papers"]["mine"]["record"][0]["kind"] = "none such"
    (tmp_path / "ledger" / "ledger.json").write_text(json.dumps(found))
    records._elsewhere.clear()
    records._forget()
    assert main(["site", str(tmp_path / "ledger"), str(tmp_path / "out")]) == 4
    assert "its record of the paper mine cannot be read" in capsys.readouterr().err
    records._forget()
