"""A reader's own repository, with the suite installed from a wheel: claims, symbols and a record beside their text."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theory.lemmata.commands import COMMANDS, main
from theory.surface.settings import SECTION
from theory.tests.conftest import Installed, install_with
from theory.tests.fakes import UNCATCHABLE
from theory.tests.test_surface import AGAIN, check_again

# Those with the claims that a reader asks for.
CLAIM_FILES = (
    "chatterji2021/test_initialisation_nets.py",
    "chatterji2021/test_scalar_inequalities.py",
    "zou2018/test_separation.py",
)
pytestmark = pytest.mark.reads_claims_of(*CLAIM_FILES)

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("theory", "bounds", "nets", "properties", "benchmarks")

RECORD = """
from lemmata import ByClaim, Open, Paper, Statement, declare

declare("lam0", "least eigenvalue of the limiting kernel", latex=r"\\lambda_0", towards=0)

PAPER = Paper(
    "no2018",
    "Gradient Descent Provably Optimizes Over-parameterized Neural Networks",
    ("Simon S. Du", "Xiyu Zhai", "Barnabas Poczos", "Aarti Singh"),
    2018,
    (
        Statement("no2018:lemma-3.1", "Lemma 3.1", "least eigenvalue of the kernel at initialisation", "probability",
                  "ntk", "Section 3, Lemma 3.1", ByClaim()),
        Statement("no2018:theorem-3.2", "Theorem 3.2", "linear rate of the gradient flow", "convergence",
                  "convergence", "Section 3, Theorem 3.2", Open("needs a flow"), uses=("no2018:lemma-3.1",)),
    ),
)
"""

CLAIMS = '''
import numpy as np

from lemmata import Regime, Trials, claim, control, grid


def gram(points, weights):
    gates = points @ weights > 0
    return points @ points.T * (gates @ gates.T.astype(float)) / weights.shape[1]


@claim(
    "no2018:lemma-3.1",
    bound="3*lam0/4",
    sense=">=",
    premises=["m >= C*n**2*log(n/delta)/lam0**2"],
    constants={"C": (1, "less than the proof asks for")},
    regime=Regime(cells=grid(n=[2, 3], lam0=1/3, m=1024, delta=0.1)),
    evidence=Trials(rate="delta"),
    controls=[control("more than the limit", bound="9*lam0/8")],
)
def least_eigenvalue(rng, m, n):
    """The least eigenvalue of the Gram matrix of n unit points at angles of 60 degrees; that of the limit is 1/3."""
    points = np.linalg.cholesky((np.eye(n) + 1.0) / 2.0)
    return float(np.linalg.eigvalsh(gram(points, rng.standard_normal((n, m))))[0])


@claim(
    "no2018:lemma-3.1",
    variant="entries",
    title="entries of the kernel at initialisation",
    bound="sqrt(log(2*n**2/delta)/(2*m))",
    regime=Regime(cells=grid(m=256, n=4, d=8, delta=0.1)),
    evidence=Trials(rate="delta"),
    controls=[control("no root", bound="log(2*n**2/delta)/(2*m)")],
)
def entries(rng, data, m, n, d):
    """The largest distance of an entry of the Gram matrix of n of the data from its limit."""
    points, _ = data.draw(n, d, rng)
    inner = np.clip(points @ points.T, -1.0, 1.0)
    limit = inner * (np.pi - np.arccos(inner)) / (2.0 * np.pi)
    return float(np.abs(gram(points, rng.standard_normal((d, m))) - limit).max())
'''

BROKEN = (
    """
import os
import threading

from lemmata import Regime, Search, claim, control

COMMON = dict(title="t", kind="deterministic", theme="activation", source="s", bound="m",
              regime=Regime(cells=[{"m": 4}]), evidence=Search(examples=2), controls=[control("half", bound="m/2")])


"""
    + UNCATCHABLE
)
ERRORS = {
    "toy:leaving": "ArithmeticError: left (line 13), in a finaliser or callback",
    "toy:thread": "ZeroDivisionError: division by zero (line 24), in a thread",
    "toy:exit": "ProcessExitError: os._exit(0) (line 32)",
}

OWN = """@claim("toy:own", **{**COMMON, "bound": "m"})
def own(m):
    \"\"\"A number below m.\"\"\"
    return 0.9 * m
"""

OF_THE_SUITE = "zou2018:lemma-A.3"

RUNS: dict[str, tuple[str, ...]] = {
    "alone": ("claims/", "--paper", "no2018", "--ledger=out"),
    # `out` exists by then, and pytest would take it for a place of tests.
    "together": ("claims/", "--claim", "no2018:*", "--claim", OF_THE_SUITE, "--jobs", "2", "--ledger", "out"),
    "data": ("claims/", "--paper", "no2018", "--data", "points.csv", "--ledger", "out"),
    "what if": ("claims/", "--claim", "no2018:lemma-3.1", "--bound", "9*lam0/8", "--jobs", "2", "--ledger", "out"),
    "one function": ("claims/test_gram.py::entries",),
    "no symbol": ("claims/", "--claim", "no2018:lemma-3.1", "--bound", "lam1/2"),
    "broken": ("claims/", "broken/", "--claim", "toy:*", "--ledger", "out"),
    "broken in workers": ("claims/", "broken/", "--claim", "toy:*", "--jobs", "2", "--ledger", "out"),
}

# Runs pytest once for each list of arguments, and keeps the ledger each has written.
IN_ONE_PROCESS = """
import contextlib, io, json, pathlib, sys
import pytest

found = {}
for name, arguments in json.loads(sys.argv[1]).items():
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        code = pytest.main(["-q", "-p", "lemmata", *arguments])
    out = pathlib.Path("out/ledger.json")
    found[name] = [int(code), stream.getvalue(), json.loads(out.read_text()) if out.exists() else None]
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Reader:
    """The wheel, the folder it is installed in, the reader's repository, and what came of the runs there.

    `nowhere` are the runs in a folder that has nothing in it.
    """

    wheel: Path
    site: Path
    repository: Path
    outcomes: dict[str, tuple[int, str, Any]]
    nowhere: dict[str, tuple[int, str, Any]]

    def rows(self, name: str) -> dict[str, tuple[str, str]]:
        """Verdict and premises of every claim in the ledger of a run, by id."""
        _, output, ledger = self.outcomes[name]
        assert ledger is not None, output
        return {row["id"]: (row["verdict"], row["premise_status"]) for row in ledger["claims"]}


def _python(site: Path, repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in the reader's repository, with the wheel and not the checkout on its path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    environment = kept | {"PYTHONPATH": str(site), "LEMMATA_CACHE_DIR": str(site.parent / "cache")}
    return subprocess.run(
        [sys.executable, *arguments], cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A repository with claims, and what came of runs there with the suite installed from a wheel."""
    folder = tmp_path_factory.mktemp("reader")
    suite = install_with(CLAIM_FILES, tmp_path_factory.mktemp("installed"))
    site = suite.site
    repository = folder / "mypaper"
    claims = repository / "claims"
    claims.mkdir(parents=True)
    (repository / "paper.tex").write_text("")
    (claims / "paper.py").write_text(RECORD)
    (claims / "test_gram.py").write_text(CLAIMS)
    (repository / "broken").mkdir()
    (repository / "broken" / "test_broken.py").write_text(BROKEN)
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.standard_normal((20, 5)), np.arange(20) % 2])
    np.savetxt(repository / "points.csv", table, delimiter=",")
    outcomes = _outcomes(site, repository, RUNS)
    (folder / "nowhere").mkdir()
    return Reader(suite.wheel, site, repository, outcomes, _outcomes(site, folder / "nowhere", AGAIN))


def _outcomes(site: Path, place: Path, runs: dict[str, tuple[str, ...]]) -> dict[str, tuple[int, str, Any]]:
    """Exit code, output and ledger of runs of pytest in a folder, in their order."""
    done = _python(site, place, "-c", IN_ONE_PROCESS, json.dumps(runs))
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[int, str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.at_night
def test_failed_claims_of_the_suite_are_run_again_where_nothing_else_is(reader: Reader) -> None:
    check_again({name: (code, output) for name, (code, output, _) in reader.nowhere.items()})


def test_the_wheel_has_one_name_in_an_environment_and_all_its_files_below(reader: Reader) -> None:
    with zipfile.ZipFile(reader.wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        (points,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt")]
    assert {name.split("/")[0] for name in names} == {"lemmata"}
    modules = {
        f"lemmata/{path.relative_to(ROOT).as_posix()}"
        for room in ("theory", "bounds", "nets", "properties")
        for path in (ROOT / room).rglob("*.py")
        if not {"tests", "upkeep"} & set(path.parts) and (ROOT / "theory" / "lemmata") not in path.parents
        if room != "properties" or path.name[:5] != "test_" or f"{path.parent.name}/{path.name}" in CLAIM_FILES
    }
    assert modules - set(names) == set()
    assert {"lemmata/__init__.py", "lemmata/plugin.py", "lemmata/__main__.py"} <= set(names)
    assert points.split() == ["[console_scripts]", "lemmata", "=", "lemmata.__main__:main"]


def test_the_claims_of_a_reader_are_judged_where_they_stand(reader: Reader) -> None:
    code, output, ledger = reader.outcomes["alone"]
    assert code == 0, output
    assert reader.rows("alone") == {
        "no2018:lemma-3.1": ("supported", "inside"),
        "no2018:lemma-3.1-entries": ("supported", "none needed"),
    }
    assert "no2018: 1 of 2 statements covered, 1 open" in output
    (row,) = [row for row in ledger["claims"] if row["id"] == "no2018:lemma-3.1"]
    assert row["title"] == "least eigenvalue of the kernel at initialisation"
    assert "lambda_0" in row["bound_latex"]
    assert ledger["papers"]["no2018"]["open"] == [{"id": "no2018:theorem-3.2", "reason": "needs a flow"}]


def test_the_claims_of_the_reader_have_a_budget_of_their_own(reader: Reader) -> None:
    _, output, ledger = reader.outcomes["alone"]
    assert "the false-alarm budget of 0.001 is shared among 2 of yours" in output
    shares = {row["id"]: row["evidence"]["alpha"] for row in ledger["claims"]}
    # What following a trend may spend is set aside.
    assert 1e-4 < sum(shares.values()) <= 1e-3
    assert ledger["suite"]["false_alarm_budget"] == pytest.approx(1e-3)
    _, output, ledger = reader.outcomes["together"]
    together = {row["id"]: row["evidence"]["alpha"] for row in ledger["claims"]}
    assert {name: together[name] for name in shares} == shares
    assert ledger["suite"]["false_alarm_budget"] == pytest.approx(1e-3 + 1e-6)
    assert "claims of the suite and 0.001 is shared among 2 of yours" in output


def test_they_run_together_with_claims_of_the_suite_in_two_processes(reader: Reader) -> None:
    code, output, _ = reader.outcomes["together"]
    assert code == 0, output
    assert list(reader.rows("together")) == ["no2018:lemma-3.1", "no2018:lemma-3.1-entries", OF_THE_SUITE]


def test_they_run_on_the_data_of_the_reader(reader: Reader) -> None:
    code, output, ledger = reader.outcomes["data"]
    assert code == 0, output
    assert "data set points.csv: n = 20, d = 5" in output
    (row,) = ledger["claims"]
    assert row["id"] == "no2018:lemma-3.1-entries"
    assert row["cells"][0]["at"]["d"] == 5


def test_a_what_if_may_use_the_symbols_of_the_reader(reader: Reader) -> None:
    code, output, _ = reader.outcomes["what if"]
    assert code == 1, output
    assert reader.rows("what if") == {"no2018:lemma-3.1": ("refuted", "inside")}
    code, output, _ = reader.outcomes["no symbol"]
    assert code == 4, output
    assert "there is no lam1 here; nearest: lam0" in output


def test_a_function_of_a_claim_file_can_be_named_without_an_option(reader: Reader) -> None:
    code, output, _ = reader.outcomes["one function"]
    assert code == 0, output
    assert "1 claim: 1 supported" in output


# Each way to name claims that `lemmata show` takes, and whose stories it tells.
SHOWN: dict[str, list[str]] = {
    "claims/test_gram.py::entries": ["no2018:lemma-3.1-entries"],
    "claims/test_gram.py::no2018:lemma-3.1": ["no2018:lemma-3.1"],
    "claims/test_gram.py": ["no2018:lemma-3.1", "no2018:lemma-3.1-entries"],
    "no2018:lemma-3.1": ["no2018:lemma-3.1"],
    "claims/test_gram.py::entry": [],
    "claims/none.py::entries": [],
}

SHOW = """
import contextlib, io, json, sys
from lemmata.__main__ import main

found = {}
for asked in json.loads(sys.argv[1]):
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        code = main(["show", asked])
    found[asked] = [int(code), stream.getvalue()]
print(json.dumps(found))
"""


def test_the_story_of_a_claim_is_told_by_its_function_its_file_or_its_id(reader: Reader) -> None:
    done = _python(reader.site, reader.repository, "-c", SHOW, json.dumps(list(SHOWN)))
    assert done.returncode == 0, done.stderr
    told: dict[str, tuple[int, str]] = json.loads(done.stdout.splitlines()[-1])
    for asked, wanted in SHOWN.items():
        code, said = told[asked]
        assert said.count("\nreproduce ") == len(wanted), said
        assert [line.strip("= ") for line in said.splitlines() if line.startswith("==") and ":" in line] == wanted
        assert code == (0 if wanted else 4), said
    assert "no claim is called 'entry'; nearest: entries" in told["claims/test_gram.py::entry"][1]
    assert "claims/none.py: there is no such file" in told["claims/none.py::entries"][1]


@pytest.mark.parametrize("name", ["broken", "broken in workers"])
def test_what_no_code_can_catch_is_an_error_of_the_claim_with_and_without_workers(name: str, reader: Reader) -> None:
    code, output, ledger = reader.outcomes[name]
    assert code == 1, output
    assert {row["id"]: row["error"] for row in ledger["claims"]} == ERRORS
    assert {row["verdict"] for row in ledger["claims"]} == {"error"}


def test_a_block_that_is_refused_gets_file_line_and_the_piece_underlined_and_no_traceback(reader: Reader) -> None:
    file = reader.repository / "claims" / "test_gram.py"
    text = file.read_text()
    file.write_text(text.replace("m >= C*n**2", "m => C*n**2"))
    try:
        done = _python(reader.site, reader.repository, "-m", "lemmata", "check", "-q", "claims/")
    finally:
        file.write_text(text)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "claim.py" not in done.stdout
    assert done.stderr.splitlines() == [
        f"ERROR: {file}:{text[: text.index('@claim')].count(chr(10)) + 1}: claim no2018:lemma-3.1: its premise: "
        "a premise is written with one of >= <= > <",
        "  m => C*n**2*log(n/delta)/lam0**2",
        "    ^^",
        "",
    ]


@pytest.fixture
def other_rooms(reader: Reader) -> Iterator[Path]:
    """Packages of the reader's own with the names of rooms."""
    for room in ROOMS:
        (reader.repository / room).mkdir()
        (reader.repository / room / "__init__.py").write_text("mine = True\n")
    yield reader.repository
    for room in ROOMS:
        shutil.rmtree(reader.repository / room)


def test_claims_beside_folders_of_the_names_of_rooms_are_judged_and_import_these(
    reader: Reader, other_rooms: Path
) -> None:
    file = other_rooms / "claims" / "test_rooms.py"
    imported = f"import {', '.join(ROOMS)}\nassert {' and '.join(f'{room}.mine' for room in ROOMS)}\n"
    file.write_text(imported + BROKEN.split("class Leaving")[0] + OWN)
    try:
        done = _python(reader.site, other_rooms, "-m", "lemmata", "check", "-q", str(file), "-o", "pythonpath=.")
    finally:
        file.unlink()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 claim: 1 holds" in done.stdout


def test_a_file_that_imports_as_in_a_checkout_gets_one_sentence(reader: Reader) -> None:
    file = reader.repository / "claims" / "test_old.py"
    file.write_text("from theory.claims import claim\nfrom theory.evidence import Trials\n")
    try:
        done = _python(reader.site, reader.repository, "-m", "lemmata", "check", "-q", "claims")
    finally:
        file.unlink()
    assert done.returncode == 4, done.stdout
    assert f"{file}:1: claim files import from `lemmata` alone" in done.stderr
    assert "Traceback" not in done.stdout


BLIND = """
from lemmata import Regime, Search, claim, control

@claim("toy:blind", title="t", kind="deterministic", theme="activation", source="s", bound="1 + m/10**4",
       regime=Regime(cells=[{"m": 2}, {"m": 3}]), evidence=Search(examples=2), controls=[control("half", bound="1/2")])
def nearly_one(m):
    \"\"\"A number that does not depend on m.\"\"\"
    return 0.999
"""


def test_strict_fails_on_a_row_that_is_blind_without_a_reason(reader: Reader) -> None:
    file = reader.repository / "claims" / "test_blind.py"
    file.write_text(BLIND)
    try:
        strict, plain = (
            _python(reader.site, reader.repository, "-m", "lemmata", "check", "-q", str(file), *option)
            for option in (("--strict",), ())
        )
    finally:
        file.unlink()
    assert (strict.returncode, plain.returncode) == (1, 0), strict.stdout
    assert "toy:blind: no evidence for the formula" in strict.stdout


@pytest.mark.parametrize("command", [(), *([name] for name in COMMANDS)], ids=str)
def test_each_command_has_its_help_in_a_screen(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: lemmata")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 120


def test_a_command_that_is_none_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chek"]) == 4
    assert "nearest: check" in capsys.readouterr().err


def test_the_installed_suite_writes_the_skeleton_of_a_claim(reader: Reader) -> None:
    done = _python(
        reader.site, reader.repository, "-m", "lemmata", "new", "no2018:theorem-3.2", "--kind", "proof", "claims"
    )
    file = reader.repository / "claims" / "test_no2018_theorem_3_2.py"
    try:
        assert (done.returncode, done.stderr) == (0, "")
        assert "title=" not in file.read_text()
        assert (reader.repository / "pyproject.toml").read_text() == SECTION
    finally:
        file.unlink()
        (reader.repository / "pyproject.toml").unlink()


SHORT = '''
from lemmata import lemma


@lemma("short2020 Lemma 1", "C/sqrt(zeta*m)", whp=0.1, m=[64, 4096], C="fit", zeta=1.0)
def deviation(rng, m):
    """Deviation of a mean of squares from its mean."""
    return abs((rng.standard_normal(m) ** 2).mean() - 1.0)
'''


def test_a_lemma_in_short_form_is_tried_and_judged_from_an_empty_folder(tmp_path: Path, installed: Installed) -> None:
    (tmp_path / "test_short.py").write_text(SHORT)
    tried = _python(installed.site, tmp_path, "-m", "lemmata", "try", "test_short.py::deviation")
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert re.search(r"most likely fit it on the smaller sizes, at most \S+; the best value is", tried.stdout)
    assert "beyond: m=16384" in tried.stdout
    done = _python(installed.site, tmp_path, "-m", "lemmata", "check", "-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "short2020:lemma-1" in done.stdout
    asked = _python(
        installed.site, tmp_path, "-c", "import lemmata; print(repr(lemmata.check('test_short.py').verdict))"
    )
    assert "consistent" in asked.stdout, asked.stderr
