"""A campaign judges each seed once, goes on after an interruption, and names what it cannot read."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from theory.claims.selection import SelectionError
from theory.tests.fakes import FakeBound, FakePremise, chosen, declared, formula
from theory.tests.test_reserves import entry
from theory.upkeep import over_seeds
from theory.upkeep.over_seeds import LEDGER, LOG, Campaign, SeedsError, main, own_constants, read, seeds_of, selection

# A suite that leaves the ledger that stands beside it, with the seed that is asked for.
CONFTEST = """
import json, pathlib

def pytest_addoption(parser):
    for name in ("seed", "ledger", "jobs", "backend", "claim"):
        parser.addoption(f"--{name}")

def pytest_sessionfinish(session):
    option = session.config.option
    ledger = json.loads(pathlib.Path("ledger-of-a-run.json").read_text())
    ledger["suite"] |= {"seed": int(option.seed), "commit": f"{option.jobs} {option.backend} {option.claim}"}
    pathlib.Path(option.ledger, "ledger.json").write_text(json.dumps(ledger))
"""


def whole(*rows: dict[str, Any], **suite: Any) -> dict[str, Any]:
    """A ledger as a run leaves it."""
    said = {"seed": 0, "commit": "c0ffee", "dirty": False, "effort": "quick", "complete": True, "missing": []}
    return {"suite": {**said, "what_if": "", "data": "", **suite}, "claims": list(rows), "constants": []}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout where a run notes its options and leaves a ledger with one row, or none where the seed is 13."""
    root = tmp_path / "checkout"
    (root / "theory").mkdir(parents=True)
    (root / "ledger-of-a-run.json").write_text(json.dumps(whole(entry())))

    def run(options: Sequence[str], log: Path) -> None:
        with (root / "runs").open("a") as noted:
            noted.write(" ".join(word for word in options if not word.startswith("--ledger=")) + "\n")
        log.write_text("what pytest says")
        asked = dict(word.split("=", 1) for word in options)
        if asked["--seed"] != "13":
            ledger = json.loads((root / "ledger-of-a-run.json").read_text())
            ledger["suite"]["seed"] = int(asked["--seed"])
            (Path(asked["--ledger"]) / LEDGER).write_text(json.dumps(ledger))

    monkeypatch.setattr(over_seeds, "ROOT", root)
    monkeypatch.setattr(over_seeds, "_pytest", run)
    return root


def runs(root: Path) -> list[str]:
    """What was run so far: the seed of each run."""
    noted = root / "runs"
    return (
        [line.split()[0].removeprefix("--seed=") for line in noted.read_text().splitlines()] if noted.exists() else []
    )


@pytest.mark.parametrize(
    ("text", "seeds"), [("3", [3]), ("0-4", [0, 1, 2, 3, 4]), ("7,0, 2-3,2", [0, 2, 3, 7]), ("20300101-20300102", 2)]
)
def test_seeds_are_numbers_and_ranges(text: str, seeds: list[int] | int) -> None:
    found = seeds_of(text)
    assert (len(found) if isinstance(seeds, int) else found) == seeds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is no seed and no range; write them as in 0-19 or 0,2,5-9"),
        ("-3", "'-3' is no seed"),
        ("fresh", "'fresh' is no seed"),
        ("9-5", "the range '9-5' ends before it begins; write 5-9"),
        ("0-99999", "the range '0-99999' has 100000 seeds; ask for 10000 at most"),
    ],
)
def test_what_is_no_seed_is_refused_with_what_to_write(
    text: str, said: str, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SeedsError, match=r"^--seeds: "):
        seeds_of(text)
    assert main([f"--seeds={text}"]) == 2
    assert said in capsys.readouterr().err
    assert runs(suite) == []


@pytest.mark.parametrize("words", [("--jobs", "0"), ("--backend", "lokey")])
def test_other_words_are_refused_before_anything_runs(words: tuple[str, ...], suite: Path) -> None:
    assert main(["--seeds", "0", *words]) == 2
    assert runs(suite) == []


def test_a_seed_that_is_finished_is_not_judged_again(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = ["--output", str(suite / "out")]
    assert main(["--seeds", "0,2", "--jobs", "3", *output]) == 0
    assert (suite / "runs").read_text() == "--seed=0 --jobs=3 --backend=loky\n--seed=2 --jobs=3 --backend=loky\n"
    assert main(["--seeds", "0-2", *output]) == 0
    assert runs(suite) == ["0", "2", "1"]
    said = capsys.readouterr().out
    assert "seed 2 is there: 0 rows not as expected" in said
    assert said.count("seed 0: 0 of 1 rows not as expected") == 2
    tables = json.loads((suite / "out" / "seeds.json").read_text())
    assert [count["seed"] for count in tables["seeds"]] == [0, 1, 2]
    assert (suite / "out" / "seeds.md").read_text().startswith("# Seeds\n")


def test_other_sources_another_selection_and_a_ledger_that_was_touched_are_judged_again(suite: Path) -> None:
    campaign = Campaign(suite / "out")
    assert campaign.finished(4) is None
    campaign.run(4)
    assert campaign.finished(4) is not None
    assert Campaign(suite / "out", ("--claim=toy:a",)).finished(4) is None
    (suite / "theory" / "new.py").write_text("x = 1\n")
    assert campaign.finished(4) is None
    campaign.run(4)
    assert campaign.finished(4) is not None
    ledger = campaign.folder(4) / LEDGER
    ledger.write_text(ledger.read_text()[:-9])
    assert campaign.finished(4) is None
    assert main(["--seeds", "4", "--output", str(suite / "out")]) == 0
    assert runs(suite) == ["4", "4", "4"]


def test_options_and_the_selection_reach_a_process_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(over_seeds, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:lemmata -p no:cacheprovider")  # the conftest below stands for it
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_nothing.py").write_text("def test_nothing(): pass\n")
    (tmp_path / "ledger-of-a-run.json").write_text(json.dumps(whole(entry())))
    words = ["--seeds", "1", "--claim", "toy:*", "--jobs", "2", "--backend", "dask", "--output", str(tmp_path / "out")]
    assert main(words) == 0
    assert read(tmp_path / "out" / "seed-1")["suite"]["commit"] == "2 dask toy:*"
    assert "1 passed" in (tmp_path / "out" / "seed-1" / LOG).read_text()


def test_an_interrupted_campaign_goes_on(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Campaign.run

    def interrupted(campaign: Campaign, seed: int) -> dict[str, Any]:
        if seed == 1:
            raise KeyboardInterrupt
        return run(campaign, seed)

    words = ["--seeds", "0-2", "--output", str(suite / "out")]
    with monkeypatch.context() as patch:
        patch.setattr(Campaign, "run", interrupted)
        assert main(words) == 2
    assert capsys.readouterr().err == "error: interrupted; the same command goes on with the seeds that are left\n"
    assert main(words) == 0
    assert runs(suite) == ["0", "1", "2"]


def test_a_run_without_a_ledger_is_named_with_its_log_and_the_others_count(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = suite / "out"
    assert main(["--seeds", "13-14", "--output", str(out)]) == 1
    log = out / "seed-13" / LOG
    said = capsys.readouterr().out
    assert f"seed 13: its run left no complete ledger; {log} says why\n" in said
    assert log.read_text() == "what pytest says"
    assert "seed 14: 0 of 1 rows not as expected" in said


def test_a_row_not_as_expected_at_one_seed_is_red(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = entry("toy:bad", verdict="undecided", ok=False)
    (suite / "ledger-of-a-run.json").write_text(json.dumps(whole(bad)))
    assert main(["--seeds", "8", "--output", str(suite / "out")]) == 1
    said = capsys.readouterr().out
    assert "seed 8: 1 of 1 rows not as expected: 1 undecided\n" in said
    assert said.count("pytest --claim toy:bad --seed 8\n") == 1


class TestRead:
    def folder(self, place: Path, ledger: dict[str, Any] | str) -> Path:
        place.mkdir(parents=True)
        (place / LEDGER).write_text(ledger if isinstance(ledger, str) else json.dumps(ledger))
        return place

    def test_ledgers_are_read_from_folders_and_from_folders_of_folders(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone = self.folder(tmp_path / "alone", whole(entry(), seed=7))
        self.folder(tmp_path / "more" / "seed-2", whole(entry(), seed=2))
        self.folder(tmp_path / "more" / "seed-11", whole(entry(), seed=11))
        assert main(["--read", str(alone), str(tmp_path / "more"), "--output", str(tmp_path / "out")]) == 0
        said = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()]
        assert said[:3] == ["seed 2", "seed 7", "seed 11"]

    @pytest.mark.parametrize(
        ("ledger", "said"),
        [
            ("{", "is no ledger, or a broken one; judge its seed again"),
            ("[]", "is no ledger, or a broken one"),
            ('{"suite": {}}', "is no ledger, or a broken one"),
            (whole(complete=False, missing=["toy:b", "toy:c"]), "2 claims have no row; judge its seed again"),
            (whole(what_if="m=8"), "is about m=8; name ledgers of the claims as declared"),
            (whole(data="iris"), "is about iris"),
        ],
    )
    def test_a_ledger_that_is_of_no_use_is_named(
        self, ledger: dict[str, Any] | str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        good, bad = self.folder(tmp_path / "good", whole(entry())), self.folder(tmp_path / "bad", ledger)
        assert main(["--read", str(good), str(bad), "--output", str(tmp_path / "out")]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {bad / LEDGER}")
        assert said in error
        assert error.count("\n") == 1
        assert not (tmp_path / "out").exists()

    def test_a_place_without_a_ledger_and_a_seed_twice_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(SeedsError, match="nowhere: No such file or directory; name a folder"):
            read(tmp_path / "nowhere")
        first, second = (self.folder(tmp_path / name, whole(entry())) for name in ("one", "two"))
        with pytest.raises(SeedsError, match=r"one and .*two are both of seed 0; leave one of them"):
            over_seeds.read_all([first, second])


def test_constants_select_the_claims_that_have_a_named_one() -> None:
    own = FakeBound(lambda C: C, "C", {"C": chosen(2.0)})
    premise = FakePremise(lambda m: True, "m >= c", {"c": chosen(1.0)})
    asked: dict[str, Any] = {"constants": True, "claim": [], "paper": [], "theme": []}
    with (
        declared(lambda m: 0.5, statement="toy:bound", bound=own) as bound,
        declared(lambda m: 0.5, statement="toy:premise", premises=[premise]) as inside,
        declared(lambda m: 0.5, statement="toy:none", bound=formula(lambda: 1.0)) as none,
    ):
        assert [own_constants(claim) for claim in (bound, inside, none)] == [["C"], ["c"], []]
        claims = [none, inside, bound]
        assert selection(Namespace(**asked), lambda: claims) == ("--claim=toy:bound", "--claim=toy:premise")
        some = {**asked, "claim": ["*:b*"]}
        assert selection(Namespace(**some), lambda: claims) == ("--claim=toy:bound",)
        with pytest.raises(SelectionError, match="no selected claim has a named constant"):
            selection(Namespace(**{**asked, "claim": ["toy:none"]}), lambda: claims)


def test_without_constants_no_claim_is_loaded() -> None:
    asked = Namespace(constants=False, claim=["toy:*"], paper=["zou2018"], theme=[])

    def never() -> list[Any]:
        raise AssertionError("all claims were loaded")

    assert selection(asked, never) == ("--paper=zou2018", "--claim=toy:*")
