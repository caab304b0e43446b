"""Claims in a repository of the reader's own: options from any folder, node ids, pytest's own ways of selecting."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from theory.lemmata.plugin import FLAGS, VALUES, is_suite, joined_options
from theory.tests.test_registry import BLOCK, HEAD, LINES
from theory.tests.test_surface import IN_ONE_PROCESS

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ["-p", "theory.lemmata"]
FAILING = BLOCK.replace("toy:a", "toy:b").replace("measured", "too_much").replace("0.5", "2.0")
MIXED = HEAD + BLOCK.replace("toy:a", "toy:c") + "\n\ndef test_plain():\n    assert True\n"

RUNS: dict[str, list[str]] = {
    "help": ["--help"],
    "all": ["claims"],
    "ledger in an existing folder": ["claims", "--ledger", "out", "--paper", "toy"],
    "id": ["claims/test_toy.py::toy:a"],
    "function": ["claims/test_toy.py::measured"],
    "claim": ["claims", "--claim", "toy:[ab]"],
    "keyword": ["claims", "-k", "too_much"],
    "collect": ["claims", "--collect-only"],
    "failed": ["claims", "--lf"],
    "no capture": ["claims/test_toy.py::measured", "-p", "no:capture", "--claim", "toy:a"],
    "package": ["--pyargs", "package.test_packed"],
    "empty": ["claims", "--claim", "toy:z"],
    "slip": ["slip"],
    "no claims": ["plain"],
    "nothing": ["nothing"],
    "needs of nothing": ["nothing", "--needs"],
    "own import": ["kit"],
    "from a helper": ["star"],
    "kept out": ["kept"],
    "ignored": ["kept", "--ignore=kept/test_out.py"],
    "dropped": ["dropped"],
    "broken": ["broken"],
    "empty name": ["claims", "--ledger", ""],
    "printed id": ["claims/test_dots.py", "-vv"],
    "beside a slip": ["slips/test_right.py"],
    "all with a slip": ["slips"],
    "by its id": ["slips", "--claim", "toy:right"],
    "by an id that is not there": ["slips", "--claim", "toy:wrong"],
    "by a pattern": ["slips", "--claim", "toy:*"],
    "by another paper": ["slips", "--paper", "other"],
    "helper alone": ["alone"],
    "helper beside tests": ["beside"],
    "helper left out": ["beside", "--ignore=beside/blocks.py"],
}
OTHER = BLOCK.replace("measured", "another")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with claims, a package of claims, a file with a slip and a file of plain tests."""
    folder = tmp_path_factory.mktemp("reader")
    files = {
        "pytest.ini": "[pytest]\npythonpath = .\n",
        "claims/test_toy.py": HEAD + BLOCK + "\n\n" + FAILING,
        "claims/test_mixed.py": MIXED,
        "package/__init__.py": "",
        "package/test_packed.py": HEAD + BLOCK.replace("toy:a", "toy:packed"),
        "slip/test_slip.py": HEAD + BLOCK.replace('source="s"', "").replace("**COMMON", "title=''"),
        "plain/test_plain.py": "def test_theory():\n    assert 'claim'\n",
        "out/keep.txt": "",
        "nothing/keep.txt": "",
        "claims/test_dots.py": HEAD + OTHER.replace("toy:a", "toy:lemma-A.3"),
        "kit/kit_of_claims.py": "from lemmata import claim\n",
        "kit/test_kit.py": HEAD.replace("from theory.claims import", "from kit_of_claims import")
        + OTHER.replace("toy:a", "toy:k"),
        "star/star_blocks.py": HEAD + OTHER.replace("toy:a", "toy:s"),
        "star/test_star.py": "from star_blocks import *\n\ndef test_plain():\n    pass\n",
        "kept/conftest.py": "collect_ignore = ['test_out.py']\n",
        "kept/test_in.py": HEAD + OTHER.replace("toy:a", "toy:in"),
        "kept/test_out.py": HEAD + OTHER.replace("toy:a", "toy:out"),
        "dropped/conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n",
        "dropped/test_dropped.py": HEAD + OTHER.replace("toy:a", "toy:d1") + OTHER.replace("toy:a", "toy:d2"),
        "broken/test_broken.py": HEAD + "def f(:\n",
        "slips/test_right.py": HEAD + OTHER.replace("toy:a", "toy:right"),
        "slips/test_wrong.py": HEAD + "@claim('toy:wrong')\ndef wrong(m):\n    return 0.5\n",
        "slips/below/test_other.py": HEAD + OTHER.replace("toy:a", "other:a"),
        "alone/blocks.py": HEAD + OTHER.replace("toy:a", "toy:alone"),
        "beside/blocks.py": HEAD + OTHER.replace("toy:a", "toy:beside"),
        "beside/test_beside.py": "def test_plain():\n    pass\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@pytest.fixture(scope="module")
def outcomes(repository: Path) -> dict[str, tuple[int, str]]:
    """Exit code and output of each of `RUNS`."""
    return dict(zip(RUNS, run(repository, RUNS.values()), strict=True))


def run(repository: Path, asked: Iterable[list[str]]) -> list[tuple[int, str]]:
    """Exit code and output of runs with these arguments."""
    runs = json.dumps([[*PLUGIN, *arguments] for arguments in asked])
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS, runs],
        cwd=repository,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(code, output) for code, output in json.loads(done.stdout.splitlines()[-1])]


def judged(output: str) -> list[str]:
    """The ids of the rows of the ledger."""
    return [
        line.split()[0]
        for line in output.splitlines()
        if ":" in line
        and line.split()[-1].endswith("s")
        and any(f" {verdict} " in line for verdict in ("holds", "refuted", "proved"))
    ]


def test_the_help_shows_every_option(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["help"]
    assert code == 0, output
    assert [name for name, *_ in [*VALUES, *FLAGS] if f"  --{name}" not in output] == []


def test_all_claims_are_judged_and_tests_beside_them_run(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["all"]
    assert code == 1
    assert judged(output) == ["toy:a", "toy:b", "toy:c", "toy:lemma-A.3"]
    assert "1 failed, 4 passed" in output
    assert "the false-alarm budget of 0.001 is shared among 4 of yours" in output


def test_an_option_takes_an_existing_folder_after_a_blank(
    outcomes: dict[str, tuple[int, str]], repository: Path
) -> None:
    code, output = outcomes["ledger in an existing folder"]
    assert code == 1, output
    rows = json.loads((repository / "out" / "ledger.json").read_text())["claims"]
    assert [row["id"] for row in rows] == ["toy:a", "toy:b", "toy:c", "toy:lemma-A.3"]


@pytest.mark.parametrize("name", ["id", "function", "no capture"])
def test_a_node_id_and_the_name_of_the_function_select_a_claim(outcomes: dict[str, tuple[int, str]], name: str) -> None:
    code, output = outcomes[name]
    assert code == 0, output
    assert judged(output) == ["toy:a"]
    # So that it comes out alone as in company.
    assert "is shared among 4 of yours, those in the files beside included" in output


def test_patterns_keywords_and_the_last_failures_select(outcomes: dict[str, tuple[int, str]]) -> None:
    for name, wanted in {"claim": ["toy:a", "toy:b"], "keyword": ["toy:b"], "failed": ["toy:b"]}.items():
        code, output = outcomes[name]
        assert code == 1, output
        assert judged(output) == wanted, name


@pytest.mark.parametrize("name", ["nothing", "needs of nothing"])
def test_a_folder_without_claims_is_told_to_be_one(outcomes: dict[str, tuple[int, str]], name: str) -> None:
    code, output = outcomes[name]
    assert code == 5
    assert "no claim stands there; write @lemma(...) or @claim(...) above a function in a file test_....py" in output


def test_collecting_alone_judges_nothing(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["collect"]
    assert code == 0
    assert "claims/test_toy.py::toy:b" in output
    assert "ledger" not in output


def test_a_package_is_found_by_its_name(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["package"]
    assert code == 0, output
    assert judged(output) == ["toy:packed"]


@pytest.mark.reads_claims_of("zou2018/test_separation.py")
def test_claims_of_the_suite_may_be_asked_for_as_well(repository: Path) -> None:
    asked = ["claims/test_toy.py::measured", "--claim", "toy:a", "--claim", "zou2018:eq-A.1"]
    ((code, output),) = run(repository, [asked])
    assert code == 0, output
    assert judged(output) == ["toy:a", "zou2018:eq-A.1"]
    assert re.search(
        r"budget of 1e-06 is shared among \d+ claims of the suite and 0.001 is shared among 4 of yours", output
    )


@pytest.mark.parametrize(
    ("name", "told"), [("empty", "--claim: no claim 'toy:z'; nearest: toy:"), ("slip", "test_slip.py:")]
)
def test_a_slip_is_told_in_one_line(outcomes: dict[str, tuple[int, str]], name: str, told: str) -> None:
    code, output = outcomes[name]
    assert code == 4, output
    assert told in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("own import", "claim toy:k registers, and no run collects it; write the block in a file test_*.py"),
        ("from a helper", "claim toy:s registers, and no run collects it"),
        ("kept out", "claim toy:out is there and was not collected: a conftest, or norecursedirs, keeps its file out"),
        ("dropped", "claim toy:d2 was collected and then dropped by a plugin or a conftest"),
        ("broken", "test_broken.py:10: does not load: SyntaxError"),
        ("empty name", "--ledger: it is empty"),
    ],
)
def test_no_claim_goes_missing_without_a_word(outcomes: dict[str, tuple[int, str]], name: str, told: str) -> None:
    code, output = outcomes[name]
    assert code == 4, output
    assert told in output
    assert "Traceback" not in output


def test_a_slip_in_a_file_of_which_nothing_is_asked_is_told_and_blocks_nothing(
    outcomes: dict[str, tuple[int, str]],
) -> None:
    for name, wanted in {"beside a slip": "toy:right", "by its id": "toy:right", "by another paper": "other:a"}.items():
        code, output = outcomes[name]
        assert code == 0, output
        assert judged(output) == [wanted]
        told = "nothing is asked of a file that cannot be accepted: "
        assert re.search(rf"^{told}.*test_wrong.py:{LINES + 1}: ", output, re.M), output


@pytest.mark.parametrize("name", ["all with a slip", "by an id that is not there", "by a pattern"])
def test_a_slip_in_a_file_that_may_hold_what_is_asked_is_refused(
    outcomes: dict[str, tuple[int, str]], name: str
) -> None:
    code, output = outcomes[name]
    assert code == 4, output
    assert f"test_wrong.py:{LINES + 1}: " in output


@pytest.mark.parametrize("name", ["helper alone", "helper beside tests"])
def test_blocks_in_a_file_that_is_not_collected_are_refused_where_no_claim_is(
    outcomes: dict[str, tuple[int, str]], name: str
) -> None:
    code, output = outcomes[name]
    assert code == 4, output
    assert f"blocks.py:{LINES + 1}: a claim block stands in a file that no run collects; move it to" in output
    assert outcomes["helper left out"][0] == 0


def test_what_the_user_leaves_out_by_name_is_left_out(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["ignored"]
    assert code == 0, output
    assert judged(output) == ["toy:in"]


def test_an_id_with_points_is_printed_as_it_is_typed(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["printed id"]
    assert code == 0, output
    assert "claims/test_dots.py::toy:lemma-A.3 PASSED" in output


def test_tests_that_are_no_claims_run_as_ever(outcomes: dict[str, tuple[int, str]]) -> None:
    code, output = outcomes["no claims"]
    assert code == 0
    assert "ledger" not in output


def test_without_assertions_the_verdicts_are_the_same(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *PLUGIN, "claims/test_toy.py"],
        cwd=repository,
        env=environment(PYTHONOPTIMIZE="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert judged(done.stdout) == ["toy:a", "toy:b"]


def test_only_existing_paths_are_joined_to_their_options(tmp_path: Path) -> None:
    here = str(tmp_path)
    assert joined_options(["--ledger", here, "x"]) == [f"--ledger={here}", "x"]
    assert joined_options(["--ledger", "nowhere at all", here]) == ["--ledger", "nowhere at all", here]
    assert joined_options([f"--ledger={here}", "--resume", here]) == [f"--ledger={here}", "--resume", here]
    assert joined_options(["--data", here, "--ledger", here]) == [f"--data={here}", f"--ledger={here}"]
    assert joined_options(["--", "--ledger", here]) == ["--", "--ledger", here]
    assert joined_options(["--claim", "x\0y"]) == ["--claim", "x\0y"]


def test_a_checkout_in_which_another_one_is_installed_is_a_suite_too(tmp_path: Path) -> None:
    assert is_suite(ROOT)
    assert not is_suite(tmp_path)
    (tmp_path / "theory" / "lemmata").mkdir(parents=True)
    (tmp_path / "theory" / "lemmata" / "plugin.py").touch()
    assert is_suite(tmp_path)
