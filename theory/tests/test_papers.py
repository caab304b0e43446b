"""The records of the papers are complete, agree with one another, and point at code and tests that exist."""

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

from theory import papers as records
from theory.core.statements import (
    FALSE,
    STATEMENT_KINDS,
    THEMES,
    ByClaim,
    ByDefinition,
    Open,
    Paper,
    Statement,
    StatementError,
    Through,
    check_references,
    ids,
)
from theory.papers import find_statement, papers, statement, variant_of
from theory.papers.allenzhu2018rnn import PAPER as ALLENZHU
from theory.papers.chatterji2021 import PAPER as CHATTERJI
from theory.papers.frei2019 import PAPER as FREI
from theory.papers.guo2024 import PAPER as GUO
from theory.papers.zou2018 import PAPER as ZOU

ROOT = Path(__file__).resolve().parents[2]

# The first word of the label of what a paper numbers.
NUMBERED = ("Assumption", "Corollary", "Definition", "Lemma", "Proposition", "Remark", "Theorem")


def record(name: str, **changes: object) -> Statement:
    """A valid statement of the paper `toy`, with `changes`."""
    fields = {
        "id": f"toy:{name}",
        "label": "Lemma 1",
        "title": "a title",
        "kind": "deterministic",
        "theme": "convergence",
        "locator": "Section 1, Lemma 1",
        "coverage": ByClaim(),
    }
    return Statement(**{**fields, **changes})  # type: ignore[arg-type]


def toy(*statements: Statement) -> Paper:
    return Paper("toy", "A toy", ("A. Author",), 2018, statements)


def references(*statements: Statement) -> None:
    check_references({s.id: s for s in statements})


def names_defined(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """What a module or class body defines: functions, classes and assigned names."""
    defined: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined[node.target.id] = node
        elif isinstance(node, ast.Assign):
            defined.update({t.id: node for t in node.targets if isinstance(t, ast.Name)})
    return defined


def defines(root: Path, where: str) -> bool:
    """Whether the dotted path `where` names a module below `root`, or something a module there defines.

    The source is read, not imported: unit tests import no other package.
    """
    parts = where.split(".")
    for length in range(len(parts), 0, -1):
        source = root.joinpath(*parts[:length]).with_suffix(".py")
        if source.is_file():
            body = ast.parse(source.read_text(encoding="utf-8")).body
            for name in parts[length:]:
                node = names_defined(body).get(name)
                if node is None:
                    return False
                body = node.body if isinstance(node, ast.ClassDef) else []
            return True
    return False


def all_statements() -> list[Statement]:
    return [s for paper in papers().values() for s in paper.statements]


def covered_by(kind: type) -> list[Statement]:
    return [s for s in all_statements() if isinstance(s.coverage, kind)]


def test_papers_are_found_by_the_presence_of_their_file() -> None:
    files = {path.stem for path in (ROOT / "theory" / "papers").glob("*.py")} - {"__init__"}
    assert set(papers()) == files
    assert papers()["zou2018"] is ZOU
    assert papers()["chatterji2021"] is CHATTERJI


def test_a_file_in_the_folder_adds_its_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = ("ByClaim()", 'Through(("absent1999:lemma-0",), "it is Lemma 0")', 'Open("no claim")')
    listed = "".join(
        f"    Statement('absent1999:lemma-{k}', 'Lemma {k}', 'norm {k}', 'probability', 'ntk', 'page {k}', {kind}),\n"
        for k, kind in enumerate(kinds)
    )
    head = "from theory.core.statements import ByClaim, Open, Paper, Statement, Through\n"
    (tmp_path / "absent1999.py").write_text(
        f"{head}PAPER = Paper('absent1999', 'A toy', ('A.',), 2026, (\n{listed}))\n"
    )
    before = set(papers())
    cached = (records._of_the_suite, records._all, records._statements, records.papers)
    monkeypatch.setattr(records, "__path__", [*records.__path__, str(tmp_path)])
    try:
        for function in cached:
            function.cache_clear()
        assert set(papers()) - before == {"absent1999"}
        assert statement("absent1999:lemma-2").coverage == Open("no claim")
    finally:
        for function in cached:
            function.cache_clear()
        sys.modules.pop("theory.papers.absent1999", None)
        vars(records).pop("absent1999", None)


def test_zou2018_lists_all_96_statements() -> None:
    assert len(ZOU.statements) == 96
    assert len({s.id for s in ZOU.statements}) == 96


def test_zou2018_numbered_results_are_all_there() -> None:
    """Every theorem, lemma, corollary, remark and assumption of the paper, by its number."""
    labels = {s.label for s in ZOU.statements}
    numbered = [f"Assumption 3.{k}" for k in range(1, 8)]
    numbered += [
        "Theorem 4.1",
        "Remark 4.2",
        "Remark 4.3",
        "Corollary 4.4",
        "Theorem 4.5",
        "Remark 4.6",
        "Corollary 4.7",
    ]
    numbered += ["Theorem 5.1", "Remark 5.2", "Theorem 5.3", "Remark 5.4"]
    numbered += [f"Theorem 5.1({part})" for part in ("i", "ii", "iii", "iv", "v", "vi", "vii")]
    numbered += [f"Theorem 5.3({part})" for part in ("i", "ii", "iii", "iv", "v", "vi")]
    numbered += [f"Lemma 5.{k}" for k in range(5, 9)]
    numbered += [f"{'Corollary' if k in (2, 5) else 'Lemma'} A.{k}" for k in range(1, 12)]
    numbered += [f"Lemma B.{k}" for k in range(1, 7)] + [f"Lemma C.{k}" for k in range(1, 6)]
    assert set(numbered) <= labels


def test_chatterji2021_lists_all_82_statements() -> None:
    assert len(CHATTERJI.statements) == 82
    assert len({s.id for s in CHATTERJI.statements}) == 82


def test_chatterji2021_numbered_results_are_all_there() -> None:
    """Every definition, assumption, theorem, proposition and lemma of the paper, by its number."""
    numbered = [f"Definition {k}" for k in ("2.1", "2.2", "B.1", "B.2", "F.1", "F.2", "F.8")]
    numbered += [f"Definition D.{k}" for k in range(1, 6)]
    numbered += ["Theorem 3.1", "Assumption 3.2", "Theorem 3.3", "Proposition C.1", "Lemma C.2"]
    numbered += [f"Lemma 4.{k}" for k in range(1, 9)] + [f"Lemma B.{k}" for k in range(3, 19)]
    numbered += [f"Lemma D.{k}" for k in range(6, 10)] + [f"Lemma E.{k}" for k in range(1, 16)]
    numbered += [f"{'Theorem' if k in (5, 6, 7) else 'Lemma'} F.{k}" for k in (3, 4, 5, 6, 7, 9, 10)]
    labels = {s.label for s in CHATTERJI.statements}
    assert set(numbered) == {label for label in labels if label.split()[0] in NUMBERED}


def test_chatterji2021_displays_are_all_there() -> None:
    """The equations of the main text that fix a quantity or a step, and those of proofs that can be wrong alone."""
    labels = {s.label for s in CHATTERJI.statements}
    assert {"(1)", "(2a)-(2b)", "(3a)-(3c)", "(4)-(5)", "(I1)-(I3)", "proof of Lemma 4.5, (33)-(34)", "(49)"} <= labels


def test_the_induction_of_chatterji2021_is_no_circle() -> None:
    """The invariants rest on the three lemmas that carry them one step on, and the theorem on the invariants."""
    steps = {f"chatterji2021:lemma-4.{k}" for k in (6, 7, 8)}
    assert steps <= set(statement("chatterji2021:ih").uses)
    assert "chatterji2021:ih" in statement("chatterji2021:thm-3.1").uses


def test_guo2024_lists_all_146_statements_and_9_of_experiments() -> None:
    kinds = Counter(s.kind == "experiment" for s in GUO.statements)
    assert kinds == {False: 146, True: 9}


def test_guo2024_numbered_results_are_all_there() -> None:
    """Every theorem, lemma, corollary, assumption and figure with an experiment, by its number."""
    numbered = ["Assumption 2.1", "Theorem 3.1", "Theorem 3.2", "Corollary 3.3", "Theorem 3.4"]
    numbered += [f"Lemma 4.{k}" for k in (1, 2, 3)] + [f"Lemma B.{k}" for k in (*range(1, 12), 17, 18, 19)]
    numbered += ["Theorem B.12", "Assumption B.13", "Theorem B.14", "Theorem B.15", "Theorem B.16"]
    numbered += [f"Figure {k}" for k in range(2, 7)]
    assert set(numbered) <= {s.label for s in GUO.statements}


def test_allenzhu2018rnn_lists_all_120_statements_and_a_display_of_a_proof() -> None:
    assert len(ALLENZHU.statements) == 121


def test_allenzhu2018rnn_numbered_results_are_all_there() -> None:
    """Every numbered statement of the paper, by its number; the theorems of Section 3 are restated in the appendix."""
    numbered = ["Assumption 2.1", "Definition 2.2", "Definition 2.3", "Assumption 2.4", "Fact 2.5", "Remark 4.1"]
    numbered += [f"Theorem {k}" for k in range(1, 6)] + [f"Theorem {k} (restated)" for k in range(1, 5)]
    numbered += ["Proposition 6.1", "Fact A.1", "Fact A.2", "Fact A.11", "Fact A.12", "Definition A.14"]
    numbered += [f"Lemma A.{k}" for k in (3, 4, 5, 6, 7, 8, 13, 17, 18, 19)]
    numbered += [f"Corollary A.{k}" for k in (9, 10, 15, 16)] + [f"Definition B.{k}" for k in (1, 2, 8)]
    numbered += [f"Lemma B.{k}" for k in (3, 6, 7, 9, 11, 14, 17)] + [f"Claim B.{k}" for k in (4, 5, 10, 12, 13)]
    numbered += [f"Corollary B.{k}" for k in (15, 16, 18, 19)] + [f"Lemma C.{k}" for k in (2, 7, 9, 10, 11)]
    numbered += ["Definition C.1", *[f"Claim C.{k}" for k in (3, 4, 5, 6, 8)], "Definition D.1", "Definition D.6"]
    numbered += [f"Lemma D.{k}" for k in (2, 3, 4, 5, 7)] + ["Definition E.1", "Definition E.3", "Claim E.9"]
    numbered += [f"Lemma E.{k}" for k in (2, 4, 5, 6, 7, 8, 10)] + ["Lemma F.1", "Definition G.1", "Claim G.2"]
    assert {*numbered, "Proposition G.3"} <= {s.label for s in ALLENZHU.statements}


def test_frei2019_lists_88_statements_and_one_of_its_appendix() -> None:
    assert len(FREI.statements) == 89


def test_frei2019_numbered_results_are_all_there() -> None:
    """What the appendix numbers, and the assumptions and theorems of the main text that it names."""
    numbered = [f"Assumption 3.{k}" for k in (1, 2, 3)] + ["Theorem 3.5", "Theorem 3.6", "Corollary 3.7"]
    numbered += [f"Lemma 4.{k}" for k in range(1, 5)] + [f"Lemma B.{k}" for k in range(1, 7)]
    numbered += ["Claim C.1", *[f"Lemma C.{k}" for k in (2, 3, 4)], "Proposition C.5", "Claim D.1"]
    assert set(numbered) <= {s.label for s in FREI.statements}


def test_a_numbered_result_stands_where_its_locator_says() -> None:
    for s in all_statements():
        if s.label.split()[0] in NUMBERED:
            assert s.label in s.locator, s.id


@pytest.mark.parametrize("text", ["title", "locator"])
def test_no_two_statements_share(text: str) -> None:
    for paper in papers().values():
        count = Counter(getattr(s, text) for s in paper.statements)
        assert [shared for shared, times in count.items() if times > 1] == []


def test_a_statement_is_found_by_its_id() -> None:
    lemma = statement("zou2018:lemma-A.7")
    assert lemma.label == "Lemma A.7"
    assert lemma.uses == ("zou2018:corollary-A.2", "zou2018:fact-bernstein")
    assert find_statement("zou2018:lemma-A.7") is lemma is ZOU.find("zou2018:lemma-A.7")


def test_an_id_that_goes_on_where_a_listed_one_ends_names_a_variant() -> None:
    assert variant_of("zou2018:lemma-A.7", None) == ("zou2018:lemma-A.7", "")
    assert variant_of("zou2018:lemma-A.7-sharp", None) == ("zou2018:lemma-A.7", "sharp")
    assert variant_of("zou2018:lemma-A.7-sharp-from-below", None) == ("zou2018:lemma-A.7", "sharp-from-below")
    for other in ("zou2018:lemma-A.77", "zou2018:lemma-A.7-", "zou2018:lemma", "nobody:lemma-A.7-sharp", "lemma-A.7"):
        assert variant_of(other, None) == (other, "")


def test_an_unknown_id_is_refused_with_the_papers_there_are() -> None:
    assert find_statement("zou2018:lemma-Z.9") is None
    with pytest.raises(StatementError, match=r"no paper lists a statement 'zou2018:lemma-Z.9'; papers are .*zou2018"):
        statement("zou2018:lemma-Z.9")


def test_every_reference_of_every_paper_resolves_without_a_cycle() -> None:
    check_references({s.id: s for s in all_statements()})


def test_the_plain_id_of_what_a_paper_prints_falsely_is_refuted() -> None:
    """The true form stands beside it under the id of a variant."""
    false = [s for s in all_statements() if s.suspect and s.suspect.decision == FALSE]
    assert len({s.id.split(":")[0] for s in false}) > 1
    for s in false:
        assert s.suspect is not None
        assert s.id in s.suspect.refuted
        assert s.id not in s.suspect.tested


@pytest.mark.parametrize("key", sorted(papers()))
def test_a_paper_says_once_what_its_blocks_take_for_granted(key: str) -> None:
    words = len(papers()[key].setting.split())
    assert 60 <= words <= 220, f"theory/papers/{key}.py has a setting of {words} words; write 60 to 220"


def test_definitions_and_assumptions_use_no_theorem() -> None:
    by_id = {s.id: s for s in all_statements()}
    for s in all_statements():
        if s.kind in ("definition", "assumption"):
            assert {by_id[used].kind for used in s.uses} <= {"definition", "assumption"}, s.id


def test_every_statement_of_every_paper_has_words_from_the_vocabularies() -> None:
    assert {s.kind for s in all_statements()} <= set(STATEMENT_KINDS)
    assert {s.theme for s in all_statements()} <= set(THEMES)
    assert len(THEMES) == 18


@pytest.mark.parametrize("s", covered_by(ByDefinition), ids=lambda s: s.id)
def test_what_a_statement_is_defined_by_exists(s: Statement) -> None:
    assert isinstance(s.coverage, ByDefinition)
    assert defines(ROOT, s.coverage.where), f"{s.coverage.where} is not in the checkout"
    assert (ROOT / s.coverage.tested).is_file(), f"{s.coverage.tested} is not in the checkout"


def test_the_tested_file_mentions_what_it_pins() -> None:
    for s in covered_by(ByDefinition):
        assert isinstance(s.coverage, ByDefinition)
        name = s.coverage.where.rsplit(".", 1)[-1]
        assert name in (ROOT / s.coverage.tested).read_text(encoding="utf-8"), f"{s.id}: {name}"


def test_a_path_that_names_nothing_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "thing.py").write_text("TABLE = {}\nclass Made:\n    size: int\n    def grow(self): ...\n")
    present = ["room.thing", "room.thing.TABLE", "room.thing.Made", "room.thing.Made.size", "room.thing.Made.grow"]
    absent = ["room.other", "room.thing.table", "room.thing.Made.shrink", "room.thing.TABLE.key", "thing"]
    assert [path for path in present if not defines(tmp_path, path)] == []
    assert [path for path in absent if defines(tmp_path, path)] == []


def test_what_is_covered_through_others_says_why() -> None:
    for s in covered_by(Through):
        assert isinstance(s.coverage, Through)
        assert s.coverage.ids, s.id
        assert len(s.coverage.why.split()) >= 3, s.id


def test_what_is_open_says_what_a_test_needs() -> None:
    """No reason is short enough to be a shrug, and none is the reason of another statement too."""
    reasons = {s.id: s.coverage.reason for s in covered_by(Open) if isinstance(s.coverage, Open)}
    assert [identifier for identifier, reason in reasons.items() if len(reason.split()) < 8] == []
    words = {identifier: set(reason.lower().split()) for identifier, reason in reasons.items()}
    alike = [
        (one, other)
        for one in words
        for other in words
        if one < other and len(words[one] & words[other]) > 0.6 * len(words[one] | words[other])
    ]
    assert alike == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "guess"}, "unknown kind 'guess'; use one of definition"),
        ({"theme": "astrology"}, "unknown theme 'astrology'; use one of norm_preservation"),
        ({"locator": " "}, "has no locator; write one"),
        ({"title": ""}, "has no title; write one"),
        ({"label": ""}, "has no label; write one"),
    ],
)
def test_a_record_with_a_bad_word_is_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(StatementError, match=f"statement toy:a .*{message}"):
        record("a", **changes)


def test_a_paper_with_a_foreign_or_repeated_id_is_refused() -> None:
    with pytest.raises(StatementError, match="statement other:a stands in paper toy; its id must start with toy:"):
        toy(record("a", id="other:a"))
    with pytest.raises(StatementError, match="statement toy:a occurs 2 times in paper toy"):
        toy(record("a"), record("b"), record("a"))


def test_a_reference_to_nothing_is_refused() -> None:
    with pytest.raises(StatementError, match="statement toy:a uses toy:b, which no paper lists"):
        references(record("a", uses=ids("toy", "b")))
    with pytest.raises(StatementError, match="statement toy:a is covered through toy:b, which no paper lists"):
        references(record("a", coverage=Through(ids("toy", "b"), "why")))


@pytest.mark.parametrize("coverage", [Open("no test yet"), Through(("toy:c",), "why")])
def test_coverage_through_what_is_not_tested_itself_is_refused(coverage: Open | Through) -> None:
    through = record("a", coverage=Through(ids("toy", "b"), "why"))
    with pytest.raises(StatementError, match="toy:a is covered through toy:b, which has neither a claim nor an impl"):
        references(through, record("b", coverage=coverage), record("c"))


def test_a_circular_proof_is_refused() -> None:
    circle = [record("a", uses=ids("toy", "b")), record("b", uses=ids("toy", "c")), record("c", uses=ids("toy", "a"))]
    with pytest.raises(StatementError, match=r"the proofs go in a circle: toy:. <- toy:. <- toy:. <- toy:."):
        references(*circle)
    references(*circle[:2], record("c"))
