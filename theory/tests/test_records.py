"""Papers recorded beside claims: found by the name of their file, refused with that file, and none but the suite's own
remembered afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from theory import papers as records
from theory.claims import registry
from theory.claims.block import Claim
from theory.claims.registry import load_file
from theory.core.refusal import ClaimError
from theory.core.statements import ByClaim, Open, StatementError
from theory.papers import beside, check_records, find_statement, papers, unlisted

RECORD = """
from theory.core.statements import ByClaim, Open, Paper, Statement

KEY = {key!r}
PAPER = Paper(KEY, "A paper", ("A. Author",), 2018, (
    Statement(f"{{KEY}}:lemma-1", "Lemma 1", "a toy", "deterministic", "activation", "Section 1", ByClaim(), {uses!r}),
    Statement(f"{{KEY}}:lemma-2", "Lemma 2", "another", "deterministic", "activation", "Section 2", Open("a theory")),
))
"""

CLAIM = """
from theory.claims import claim, control
from theory.evidence import Search
from theory.claims.regime import Regime


@claim("{id}", bound="1", regime=Regime(cells=[{{"m": 4}}]), evidence=Search(), controls=[control("0", bound="0")])
def one(m):
    return 1.0
"""


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Records and claims of a test are known during the test only."""
    caches = (records._all, records._statements, records.papers)
    monkeypatch.setattr(records, "_elsewhere", {})
    monkeypatch.setattr(records, "_loaded", {})
    before = {claim.id for claim in registry.claims()}
    yield
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()
    for claim in registry.claims():
        if claim.id not in before:
            registry.remove(claim.id)


def record(folder: Path, key: str, uses: tuple[str, ...] = (), text: str = RECORD) -> Path:
    """The folder, with a record of the paper `key` in it."""
    folder.mkdir(exist_ok=True)
    (folder / "paper.py").write_text(text.format(key=key, uses=uses))
    return folder


def claim_in(folder: Path, identifier: str) -> Claim:
    """The claim of a file of claims in the folder."""
    file = folder / f"test_{folder.name}_{identifier.replace(':', '_').replace('-', '_')}.py"
    file.write_text(CLAIM.format(id=identifier))
    (claim,) = load_file(file)
    return claim


def test_a_claim_takes_from_the_record_beside_it_what_its_block_does_not_say(tmp_path: Path) -> None:
    claim = claim_in(record(tmp_path, "no2018"), "no2018:lemma-1")
    assert (claim.title, claim.label, claim.kind, claim.theme, claim.source) == (
        "a toy",
        "Lemma 1",
        "deterministic",
        "activation",
        "Section 1",
    )
    assert list(papers())[-1] == "no2018"
    check_records({"no2018:lemma-1"})


def test_a_folder_is_loaded_once_and_one_without_a_record_is_none(tmp_path: Path) -> None:
    before = set(papers())
    beside(tmp_path)
    assert set(papers()) == before
    beside(record(tmp_path, "no2018"))
    beside(tmp_path)
    assert set(papers()) - before == {"no2018"}
    assert find_statement("no2018:lemma-2") is not None


def test_a_record_may_refer_to_another_one_whichever_is_loaded_first(tmp_path: Path) -> None:
    beside(record(tmp_path / "one", "no2018", ("arora2019:lemma-2", "zou2018:lemma-A.7")))
    assert find_statement("no2018:lemma-1") is not None
    with pytest.raises(StatementError, match="uses arora2019:lemma-2, which no paper lists"):
        papers()
    beside(record(tmp_path / "two", "arora2019"))
    assert {"no2018", "arora2019"} <= set(papers())


def test_a_reference_to_what_no_paper_lists_is_refused_with_the_files_of_the_records(tmp_path: Path) -> None:
    beside(record(tmp_path, "no2018", ("no2018:lemma-9",)))
    with pytest.raises(ClaimError, match=r"paper\.py: statement no2018:lemma-1 uses no2018:lemma-9, which no paper"):
        check_records(set())


def test_a_statement_listed_as_claimed_needs_a_claim(tmp_path: Path) -> None:
    beside(record(tmp_path, "no2018"))
    with pytest.raises(ClaimError, match=r"paper\.py: statement no2018:lemma-1 is listed ByClaim\(\), but no claim is"):
        check_records({"no2018:lemma-2"})
    check_records(None)  # nor is it missed where not all claims are known


def test_a_claim_on_a_recorded_paper_has_to_be_about_a_listed_statement(tmp_path: Path) -> None:
    with pytest.raises(
        ClaimError, match=r"paper\.py lists no such statement \(nearest: no2018:lemma-\d, no2018:lemma-"
    ):
        claim_in(record(tmp_path, "no2018"), "no2018:lemma-3")
    assert unlisted("zou2018:lemma-A.77", None).startswith(
        "theory/papers/zou2018.py lists no such statement (nearest: zou2018"
    )
    assert unlisted("nobody2018:lemma-1", None) == ""


def test_a_record_speaks_for_the_claims_beside_it_whichever_files_are_loaded(tmp_path: Path) -> None:
    folder = record(tmp_path, "no2018")
    below = folder / "below"
    below.mkdir()
    with pytest.raises(ClaimError, match="it has no source locator"):
        claim_in(below, "no2018:lemma-1")
    assert claim_in(folder, "no2018:lemma-1").title == "a toy"
    with pytest.raises(ClaimError, match="it has no source locator"):
        claim_in(below, "no2018:lemma-1")


@pytest.mark.parametrize("key", ["zou2018", "arora2019"])
def test_two_records_of_one_paper_are_refused_with_both_files(tmp_path: Path, key: str) -> None:
    beside(record(tmp_path / "one", "arora2019"))
    other = "theory/papers/zou2018.py" if key == "zou2018" else str(tmp_path / "one" / "paper.py")
    with pytest.raises(ClaimError) as caught:
        beside(record(tmp_path / "two", key))
    file = tmp_path / "two" / "paper.py"
    assert str(caught.value) == f"{file}: the paper {key} is recorded in {other} already; take another key"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RECORD.replace("{key!r}", "'Du 2018'"), ": 'Du 2018' is no key of a paper; write small letters and digits"),
        ("PAPER = 'no2018'", ": PAPER is no paper; write PAPER = Paper"),
        ("import theory\nPAPER = theory.Paper", ":2: does not load: AttributeError: "),
        ("\nPAPER = (", ":2: does not load: SyntaxError: "),
        (
            "from bounds.symbols import declare\ndeclare('m', 'a mass')",
            ":2: does not load: SymbolError: the symbol m is declared already, as 'width",
        ),
    ],
)
def test_a_record_that_is_none_is_refused_with_its_file_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    for _ in range(2):  # a second time as the first
        with pytest.raises(ClaimError) as caught:
            beside(record(tmp_path, "no2018", text=text))
        assert str(caught.value).startswith(str(tmp_path / "paper.py"))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_symbols_of_the_record_are_known_to_the_claims_beside_it(tmp_path: Path) -> None:
    text = "from bounds.symbols import declare\ndeclare('lam9', 'an eigenvalue', latex=r'\\lambda_9')\n"
    block = CLAIM.replace('{"m": 4}', '{"m": 4, "lam9": 0.5}').replace(
        'bound="1"', 'bound="2*lam9", title="a", kind="deterministic", theme="activation", source="Section 1"'
    )
    folder = record(tmp_path, "", text=text)
    (folder / "test_lam9.py").write_text(block.format(id="mine:lemma-1"))
    (claim,) = load_file(folder / "test_lam9.py")
    assert claim.bound.evaluate({"lam9": 0.5}) == 1.0
    assert claim.bound.latex == r"2 \lambda_9"


def test_what_is_open_in_a_record_follows_from_the_claims_that_exist(tmp_path: Path) -> None:
    folder = record(tmp_path, "no2018", text=RECORD.replace(', Open("a theory")', ""))
    beside(folder)
    found = {s.id: s.coverage for s in papers()["no2018"].statements}
    assert found["no2018:lemma-2"] == Open("no claim is about it yet")
    check_records({"no2018:lemma-1", "no2018:lemma-2"})
    assert {s.coverage for s in papers()["no2018"].statements} == {ByClaim()}
    # What is called open is covered by its claim as well.
    other = record(tmp_path / "other", "li2019")
    beside(other)
    check_records({"li2019:lemma-1", "li2019:lemma-2", "no2018:lemma-1"})
    assert {s.coverage for s in papers()["li2019"].statements} == {ByClaim()}
