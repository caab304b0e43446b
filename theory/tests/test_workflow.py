"""Workflows, linters before a commit, forms of issues: rights, pinned actions, time limits, supported versions."""

from __future__ import annotations

import configparser
import copy
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.specifiers import SpecifierSet

from theory.upkeep.over_seeds import seeds_of

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
# What a job may write, by its name; such a job runs nothing of the checkout.
RIGHTS = {"publish": {"pages": "write", "id-token": "write"}}
# A commit, and in a comment the version that it is.
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
LONGEST = 360
RIGHTED = {"permissions": RIGHTS["publish"]}

Workflow = dict[str, Any]


def workflow(name: str = "ci") -> Workflow:
    loaded: Workflow = yaml.safe_load((GITHUB / "workflows" / f"{name}.yml").read_text())
    return loaded


def pythons(job: Workflow) -> Iterator[str]:
    """The versions that the job sets up."""
    for step in job["steps"]:
        version = str(step.get("with", {}).get("python-version", ""))
        if version.startswith("${{"):
            yield from map(str, job["strategy"]["matrix"]["python"])
        elif version:
            yield version


def commands(job: Workflow) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def complaints(found: Workflow, supported: SpecifierSet) -> list[str]:
    """What is wrong with a workflow, its pins aside, which only its text shows."""
    said = [] if found.get("permissions") == {"contents": "read"} else ["rights beyond reading"]
    for name, job in found["jobs"].items():
        if not 0 < job.get("timeout-minutes", 0) <= LONGEST:
            said.append(f"{name}: no time limit")
        runs = bool(commands(job))
        if "permissions" in job and (runs or job["permissions"] != RIGHTS.get(name)):
            said.append(f"{name}: rights of its own")
        versions = list(pythons(job))
        if (runs and not versions) or not all(supported.contains(version) for version in versions):
            said.append(f"{name}: Python {versions}")
    return said


def supported() -> SpecifierSet:
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    return SpecifierSet(settings["options"]["python_requires"])


@pytest.mark.parametrize("name", [path.stem for path in WORKFLOWS])
def test_every_job_only_reads_ends_in_time_and_runs_a_python_that_is_supported(name: str) -> None:
    assert complaints(workflow(name), supported()) == []


def test_the_site_is_built_for_every_change_and_published_from_main() -> None:
    jobs = workflow("site")["jobs"]
    judged, built = (step for step in jobs["build"]["steps"] if "run" in step)
    assert judged["run"].startswith("make verify || ")
    assert judged["if"] == jobs["publish"]["if"]
    assert built["run"] == "make site"
    assert "if" not in {**built, **jobs["build"]}
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["if"] == "github.ref == 'refs/heads/main'"


def test_three_versions_of_python_and_the_lowest_dependencies_are_tested() -> None:
    jobs = workflow()["jobs"]
    assert set(pythons(jobs["test"])) == {"3.11", "3.12", "3.13"}
    assert any(step.get("run") == "make lowest" for step in jobs["lowest"]["steps"])
    lowest = min((int(v.split(".")[1]), v) for v in pythons(jobs["test"]))[1]
    assert list(pythons(jobs["lowest"])) == [lowest]


def test_a_pull_request_is_judged_at_seed_0_and_at_a_fresh_one() -> None:
    jobs = workflow()["jobs"]
    assert jobs["fresh"]["if"] == "github.event_name == 'pull_request'"
    assert [words for words in commands(jobs["fresh"]) if "pytest --seed fresh " in words]
    assert "exec make test" in (ROOT / ".ci" / "run").read_text()
    judged = (ROOT / "Makefile").read_text().split("\njudged: ")[1].split("\n\n")[0]
    assert "pytest" in judged
    assert "--seed" not in judged  # 0 is the default


def test_each_night_has_five_seeds_of_its_own(tmp_path: Path) -> None:
    job = workflow()["jobs"]["seeds"]
    assert job["if"] == "github.event_name == 'schedule'"
    (command,) = (words for words in commands(job) if words.startswith("make seeds"))
    (tmp_path / "Makefile").write_text("seeds:\n\t@echo $(SEEDS)\n")
    # A make inside another prints the folders that it enters.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=alone, capture_output=True, text=True, check=True)
    asked = done.stdout.strip()
    assert len(seeds_of(asked)) == 5
    assert re.fullmatch(r"20\d{6}0-20\d{6}4", asked)


def test_each_night_asks_rows_that_are_new_or_changed_about_wrong_code_and_keeps_the_record() -> None:
    job = workflow()["jobs"]["mutants"]
    assert job["if"] == "github.event_name == 'schedule'"
    assert commands(job) == ["make mutants JOBS=4 MORE=--missing"]
    recipe = (ROOT / "Makefile").read_text().split("\nmutants: ")[1].split("\n\n")[0]
    kept = job["steps"][-1]
    assert kept["if"] == "always()"
    assert f"--record {kept['with']['path']} " in recipe


def test_every_action_is_pinned_by_its_commit_with_the_version_beside_it() -> None:
    lines = [line for path in WORKFLOWS for line in path.read_text().splitlines()]
    uses = [line.strip().removeprefix("- ") for line in lines if "uses:" in line]
    assert uses
    assert [line for line in uses if not PINNED.fullmatch(line)] == []
    # One action is one commit everywhere.
    commits = {line.split("@")[0]: line for line in uses}
    assert set(uses) == set(commits.values())


@pytest.mark.parametrize("line", ["uses: a/b@v4", "uses: a/b@main # v4.0.0", f"uses: a/b@{'0' * 40}"])
def test_a_branch_a_tag_and_a_bare_commit_are_no_pins(line: str) -> None:
    assert PINNED.fullmatch(line) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found.pop("permissions"), "rights beyond reading"),
        (lambda found: found.update(permissions="write-all"), "rights beyond reading"),
        (lambda found: found["jobs"]["test"].update(permissions={"contents": "write"}), "test: rights of its own"),
        (lambda found: found["jobs"]["guard"].pop("timeout-minutes"), "guard: no time limit"),
        (lambda found: found["jobs"]["test"]["strategy"]["matrix"].update(python=["3.10"]), "test: Python ['3.10']"),
        (lambda found: found["jobs"]["lowest"].update(steps=[{"run": "make lowest"}]), "lowest: Python []"),
        (lambda found: found["jobs"].update(publish=found["jobs"].pop("test") | RIGHTED), "publish: rights of its own"),
    ],
)
def test_a_workflow_that_does_otherwise_is_noticed(change: Callable[[Workflow], Any], said: str) -> None:
    other = copy.deepcopy(workflow())
    change(other)
    assert complaints(other, supported()) == [said]


def test_the_lowest_versions_are_taken_from_every_line_of_the_settings() -> None:
    """The Makefile reads them with an expression of its own; what it misses would be tried at any version."""
    makefile = (ROOT / "Makefile").read_text()
    found = re.search(r"sed -nE 's/(.*)/\\1==\\3/p' setup\.cfg", makefile.replace("$$", "$"))
    assert found is not None
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    extras = settings["options.extras_require"]
    listed = [settings["options"]["install_requires"], extras["dev"]]
    lines = [line for text in listed for line in text.strip().splitlines() if not line.startswith("#")]
    assert len(lines) > 10
    assert [line for line in lines if not re.fullmatch(found[1], f"    {line}")] == []


def test_the_unit_tests_of_every_room_are_run_once() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\ntest: ")[1].split("\n\n")[0]
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py") if any(path.parent.rglob("tests/test_*.py"))}
    assert {"theory", "bounds", "nets", "properties", "benchmarks"} <= rooms
    assert sorted(re.findall(r" unit-(\w+)(?![\w-])", recipe)) == sorted(rooms)
    # Of those of theory some may read the claims of the suite, or some of these, and the others must not.
    marks = re.findall(r" -m (\".*?\"|reads\w+)", (ROOT / "Makefile").read_text())
    read_all = ["reads_claims"] * 2  # in two runs
    assert marks == ['"not reads_claims and not reads_claims_of"', *read_all, "reads_claims_of"]
    assert " unit-theory-of-claims unit-theory-of-some-claims " in recipe


def test_the_linters_before_a_commit_are_those_of_the_tests() -> None:
    """Each hook is the target of the Makefile itself, so that it cannot run another linter or another version."""
    recipes = dict(re.findall(r"^(\w+):[^\n]*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE))
    linters = {"lint": ("ruff check", "ruff format"), "types": ("mypy",), "contracts": ("lint-imports",)}
    assert {name: [words for words in run if words not in recipes[name]] for name, run in linters.items()} == {
        name: [] for name in linters
    }
    assert set(linters) <= set(recipes["test"].split())
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"
    entries = {hook["id"]: hook["entry"] for hook in repository["hooks"]}
    assert entries == {name: f"make --no-print-directory {name}" for name in linters}


@pytest.mark.parametrize("form", ["claim", "lemma", "bug"])
def test_every_form_of_an_issue_asks_for_the_replay_line(form: str) -> None:
    body = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / f"{form}.yml").read_text())["body"]
    (asked,) = (field for field in body if field["id"] == "replay")
    assert asked["attributes"]["placeholder"].startswith("pytest --claim ")
    assert len({field["id"] for field in body}) == len(body)


def test_a_pull_request_is_asked_for_its_tests_in_a_few_lines() -> None:
    text = (GITHUB / "pull_request_template.md").read_text()
    assert "`make test`" in text
    assert "replay line" in text
    assert len(text.splitlines()) <= 10
