"""The page of errata: written from a ledger, one entry a doubt, and refused where the ledger lacks a row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from theory.core.agreement import TOLERANCE
from theory.core.statements import DECISIONS, NOT_REPRODUCED, Statement, StatementError, Suspect
from theory.papers import papers
from theory.reports import errata, quoted
from theory.reports.errata import errata_claims, errata_page, main


def _ledger(**changes: Any) -> dict[str, Any]:
    """A ledger with one plain row for every claim that decides a doubt."""
    cell = {
        "at": {"m": 4},
        "measured": 2.0,
        "error": 2e-12,
        "bound": 1.0,
        "ratio": 2.0,
        "premises": "inside",
        "verdict": "refuted",
        "trials": 7,
        "failures": 3,
    }
    row = {
        "verdict": "refuted",
        "premise_status": "inside",
        "error": "",
        "expect": "",
        "worst_ratio": 2.0,
        "bound": "C*m",
        "bound_latex": "C m",
        "sense": "<=",
        "evidence": {"note": "a note", "method": "independent trials"},
        "cells": [{**cell, "ratio": "NaN", "measured": 9.0}, cell],
    }
    return {
        "suite": {"versions": {"hypothesis": "6.140.0"}},
        "main_theorems": [],
        "claims": [{**row, "id": name, **changes} for name in errata_claims()],
    }


@pytest.fixture(autouse=True)
def _nothing_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other page says anything of these ledgers."""
    monkeypatch.setattr(errata, "README", tmp_path / "README.md")
    monkeypatch.setattr(errata, "THEOREMS", tmp_path / "theorems.md")


def test_every_doubt_has_an_entry_with_its_decision() -> None:
    page = errata_page(_ledger())
    for paper in papers().values():
        for statement in paper.statements:
            assert (f"### {statement.label}: {statement.title}\n" in page) == (statement.suspect is not None)
    assert all(f"**{decision}**" in page for decision in DECISIONS)


def test_a_refuted_form_is_shown_with_its_worst_case() -> None:
    name = next(
        s.suspect.refuted[0] for p in papers().values() for s in p.statements if s.suspect and s.suspect.refuted
    )
    page = errata_page(_ledger())
    said = "refuted, measured 2 (ratio 2) where at most `C*m` = 1 is claimed at m = 4 (3 failures in 7 trials). a note."
    assert f"`{name}`: {said}" in page


def test_a_failed_proof_shows_no_number_and_long_integers_are_short() -> None:
    cell = _cell(at={"m": 10**30}, measured=1.0, ratio="NaN", trials=7, failures=1)
    page = errata_page(_ledger(evidence={"note": "", "method": "proof"}, cells=[cell]))
    assert "refuted, a step towards `C*m` fails at m = 1.00e30." in page


def test_a_form_that_nothing_could_break_shows_no_ratio() -> None:
    page = errata_page(_ledger(verdict="vacuous", premise_status="trivial", worst_ratio="NaN"))
    assert "vacuous, as nothing could break it, bound $`C m`$\n" in page
    assert "nan" not in page


def test_a_row_that_takes_a_package_reads_the_same_with_and_without_it() -> None:
    judged = errata_page(_ledger(takes={"torch": "pip install torch"}))
    assert judged == errata_page(_ledger(takes={"torch": "pip install torch"}, verdict="vacuous", cells=[]))
    assert "judged where torch can be imported, without numbers here. a note." in judged


def test_a_ledger_without_a_row_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(_ledger() | {"claims": []}))
    assert main([str(path)]) == 1
    assert f"the ledger has no row {errata_claims()[0]}; run the whole suite" in capsys.readouterr().err
    assert main([]) == 2
    assert main([str(tmp_path / "none.json")]) == 1


def test_a_page_that_is_out_of_date_is_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(_ledger()))
    assert main(["--check", str(path)]) == 1
    assert main([str(path)]) == 0
    assert main(["--check", str(path)]) == 0
    path.write_text(json.dumps(_ledger(verdict="holds")))
    capsys.readouterr()
    assert main(["--check", str(path)]) == 1
    assert "differs from what this run found" in capsys.readouterr().err


def _cell(**changes: Any) -> dict[str, Any]:
    numbers = {"measured": 2.0, "error": 2e-12, "bound": 1.0, "ratio": 2.0, "trials": 70, "failures": 30}
    return {"at": {"m": 4}, "premises": "inside", "verdict": "refuted"} | numbers | changes


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"worst_ratio": 2.0 * (1.0 - 0.4 * TOLERANCE)}, 0),
        ({"worst_ratio": 2.0 * (1.0 - 2.0 * TOLERANCE)}, 1),
        ({"worst_ratio": "NaN"}, 1),
        ({"worst_ratio": "Infinity"}, 1),
        ({"cells": [_cell(measured=2.01)]}, 0),
        ({"cells": [_cell(measured=2.05)]}, 1),
        ({"cells": [_cell(measured=-2.0)]}, 1),
        ({"cells": [_cell(bound=1.005, ratio=1.99)]}, 0),
        ({"cells": [_cell(bound=1.05)]}, 1),
        ({"cells": [_cell(ratio=1.9)]}, 1),
        ({"cells": [_cell(failures=31)]}, 1),
        ({"cells": [_cell(trials=71)]}, 1),
        ({"cells": [_cell(at={"m": 5})]}, 1),
        ({"evidence": {"note": "another", "method": "independent trials"}}, 1),
    ],
)
def test_the_check_compares_numbers_up_to_the_tolerance_of_processors_and_words_exactly(
    changes: dict[str, Any], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(_ledger(cells=[_cell()])))
    assert main([str(path)]) == 0
    path.write_text(json.dumps(_ledger(**{"cells": [_cell()], **changes})))
    assert main(["--check", str(path)]) == code


def test_with_another_release_of_hypothesis_words_alone_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(_ledger()))
    assert main([str(path)]) == 0
    assert "as Hypothesis 6.140.0 does" in errata.PAGE.read_text()
    later = {"suite": {"versions": {"hypothesis": "6.141.0"}}}
    for changes, code in (({"worst_ratio": 1.0}, 0), ({"verdict": "holds"}, 1)):
        path.write_text(json.dumps(_ledger(**changes) | later))
        capsys.readouterr()
        assert main(["--check", str(path)]) == code
        assert "numbers are not compared" in capsys.readouterr().out


def _exact(measured: float) -> dict[str, Any]:
    """A cell with the bound 1 that measures this number without an error."""
    return _cell(measured=measured, ratio=measured, error=0.0)


def _of_residues(refuted: dict[str, Any], met: dict[str, Any]) -> dict[str, Any]:
    """A ledger in which forms miss a lower bound by this cell, and what is tested meets an upper one by that cell."""
    doubts = [s.suspect for paper in papers().values() for s in paper.statements if s.suspect is not None]
    false = {name for doubt in doubts for name in doubt.refuted}
    below = {"sense": ">=", "worst_ratio": refuted["ratio"], "cells": [refuted]}
    above = {"verdict": "holds", "worst_ratio": met["ratio"], "cells": [{**met, "verdict": "holds"}]}
    ledger = _ledger()
    ledger["claims"] = [{**row, **(below if row["id"] in false else above)} for row in ledger["claims"]]
    return ledger


def test_digits_that_may_be_rounding_are_not_on_the_page_and_may_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(_of_residues(_cell(measured=1e-30, ratio=1e30), _exact(1e-17))))
    assert main([str(path)]) == 0
    page = errata.PAGE.read_text()
    assert "measured 0 (ratio inf) where at least `C*m` = 1 is claimed" in page
    assert "worst ratio below 1e-12\n" in page
    none_left = _cell(measured=0.0, ratio="Infinity")
    for met, code in ((_exact(0.0), 0), (_exact(1e-3), 1)):
        path.write_text(json.dumps(_of_residues(none_left, met)))
        assert main(["--check", str(path)]) == code


def test_what_is_lost_in_the_error_that_it_states_is_zero_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ratio, 1e10, is far from that of a residue; elsewhere it may be any larger number."""
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path, met = tmp_path / "ledger.json", _cell(measured=0.5, ratio=0.5)
    for measured, ratio in ((1e-10, 1e10), (-1e-10, "Infinity"), (0.0, "Infinity")):
        path.write_text(json.dumps(_of_residues(_cell(measured=measured, error=2e-10, ratio=ratio), met)))
        if not errata.PAGE.exists():
            assert main([str(path)]) == 0
            assert "measured 0 (ratio inf) where at least `C*m` = 1 is claimed" in errata.PAGE.read_text()
        assert main(["--check", str(path)]) == 0


def test_a_number_that_its_own_error_moves_too_far_is_found_out() -> None:
    for error, told in ((2e-3, 0), (0.2, 1)):
        ledger = _ledger(cells=[_cell(error=error)], worst_ratio=2.0)
        assert min(errata.differs_by_rounding(ledger)[0], 1) == told


def test_cells_that_their_own_errors_cannot_tell_apart_are_shown_alike() -> None:
    near = [_cell(error=1e-4), _cell(at={"m": 5}, measured=2.0 + 3e-5, ratio=2.0 + 3e-5, error=1e-4)]
    assert "is claimed at m = 4" in errata_page(_ledger(cells=near))
    assert errata.differs_by_rounding(_ledger(cells=near)) == (0, "")


def test_a_ledger_whose_numbers_state_no_errors_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, old = tmp_path / "ledger.json", _cell()
    del old["error"]
    path.write_text(json.dumps(_ledger(cells=[old])))
    for arguments in ([str(path)], ["--check", str(path)]):
        assert main(arguments) == 1
        assert capsys.readouterr().err == (
            f"error: {path}: its numbers state no rounding errors, as those of ledgers before schema 10:"
            " judge the suite again\n"
        )


LUCK = [_cell(at={"m": 4}, measured=1e-33, ratio=1e33), _cell(at={"m": 5}, measured=1e-36, ratio=1e36)]


def test_what_is_zero_but_for_rounding_is_shown_at_its_first_cell() -> None:
    for cells in (LUCK, [LUCK[0], _cell(at={"m": 5}, measured=0.0, ratio="Infinity")]):
        page = errata_page(_ledger(sense=">=", worst_ratio=1e36, cells=cells))
        assert "measured 0 (ratio inf) where at least `C*m` = 1 is claimed at m = 4" in page
    larger = [LUCK[0], _cell(at={"m": 5}, measured=2.2, ratio=2.2)]
    assert "at m = 5" in errata_page(_ledger(cells=[_cell(), larger[1]]))


@pytest.mark.parametrize(
    ("cells", "same"),
    [
        ([_cell(), _cell(at={"m": 5})], True),
        ([_cell(), _cell(at={"m": 5}, ratio=2.0 * (1.0 + 1e-12))], True),
        ([_cell(), _cell(at={"m": 5}, ratio=2.0 * (1.0 + 1e-3))], True),
        (LUCK, True),
        ([_cell(), _cell(at={"m": 5}, ratio=2.2)], True),
        ([_cell(measured=1e16, ratio=1e16)], True),
    ],
)
def test_the_page_is_the_same_whatever_the_rounding_of_what_was_measured(cells: list[Any], same: bool) -> None:
    worst = max(cell["ratio"] for cell in cells)
    ledger = _ledger(cells=cells, sense=">=" if cells is LUCK else "<=", worst_ratio=worst)
    assert (errata.differs_by_rounding(ledger) == (0, "")) is same


def test_a_page_that_shows_the_luck_of_rounding_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errata, "printed_ratio", lambda cell, sense: float(cell["ratio"]))
    assert errata.differs_by_rounding(_ledger(sense=">=", worst_ratio=1e36, cells=LUCK))[0] > 0


def test_an_instance_that_is_the_worst_on_another_processor_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    for here, there, code in ((2.004, 2.0, 0), (2.0, 2.004, 0), (2.0, 2.2, 1)):
        path.write_text(json.dumps(_ledger(cells=[_cell(ratio=here), _cell(at={"m": 5})])))
        assert main([str(path)]) == 0
        path.write_text(json.dumps(_ledger(cells=[_cell(), _cell(at={"m": 5}, ratio=there)])))
        assert main(["--check", str(path)]) == code


def test_a_small_violation_is_seen_and_may_be_smaller_on_another_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    cell = _cell(measured=700.7123874336623, bound=700.75, ratio=1.000053677610118)
    small = {"sense": ">=", "cells": [cell], "worst_ratio": cell["ratio"]}
    path.write_text(json.dumps(_ledger(**small)))
    assert main([str(path)]) == 0
    line = "measured 700.71 (ratio 1 + 5.4e-5) where at least `C*m` = 700.75 is claimed at m = 4"
    assert line in errata.PAGE.read_text()
    smaller = {**small, "cells": [_cell(measured=700.7498, bound=700.75, ratio=1.0 + 3e-7)], "worst_ratio": 1.0 + 3e-7}
    path.write_text(json.dumps(_ledger(**smaller)))
    assert main(["--check", str(path)]) == 0


def test_of_an_exact_identity_no_ratio_is_shown() -> None:
    assert "worst ratio" not in errata_page(_ledger(sense="=", evidence={"note": "", "method": "adversarial search"}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decision": "wrong"}, "unknown decision 'wrong' of a doubt"),
        ({"why": " "}, "has no text or no argument"),
        ({"decision": "false as printed"}, "exactly where a claim on it is refuted"),
        ({"refuted": ("toy:a",)}, "exactly where a claim on it is refuted"),
    ],
)
def test_a_doubt_that_contradicts_itself_is_refused(changes: dict[str, Any], message: str) -> None:
    fields: dict[str, Any] = {"what": "a sign", "decision": "no error", "why": "it is right"}
    with pytest.raises(StatementError, match=message):
        Suspect(**{**fields, **changes})


def test_only_an_experiment_is_not_reproduced() -> None:
    doubt = Suspect("the order", NOT_REPRODUCED, "On other data it is another.", ("toy:figure-1",))
    said: dict[str, Any] = {
        "id": "toy:figure-1",
        "label": "Figure 1",
        "title": "errors",
        "theme": "experiments",
        "locator": "page 1",
    }
    assert Statement(**said, kind="experiment", suspect=doubt).suspect is doubt
    with pytest.raises(StatementError, match="only an experiment can be repeated on other data"):
        Statement(**said, kind="probability", suspect=doubt)


def test_the_check_reads_what_other_pages_say_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(errata, "PAGE", tmp_path / "ERRATA.md")
    path = tmp_path / "ledger.json"
    theorem = {"id": "toy:one", "label": "Theorem 1", "unseen": True}
    path.write_text(json.dumps(_ledger() | {"main_theorems": [theorem]}))
    assert main([str(path)]) == 0
    errata.THEOREMS.write_text("| toy: Theorem 1 | refuted | repaired (formula unseen) | `one` | holds |\n")
    assert main(["--check", str(path)]) == 0
    errata.THEOREMS.write_text("| toy: Theorem 1 | refuted | repaired | `one` | holds |\n")
    assert main(["--check", str(path)]) == 1
    assert "docs/theorems.md, line 1: in this run the best rows of toy: Theorem 1 see no" in capsys.readouterr().err
    errata.THEOREMS.unlink()
    errata.README.write_text(f"{quoted.BEGIN}\ntoy:none  title  holds  inside  1  exact  1/1  0.1+0.1s\n{quoted.END}\n")
    assert main(["--check", str(path)]) == 1
    assert "the ledger has no row toy:none, which README.md shows" in capsys.readouterr().err
