"""Whatever registers is judged, and what looks like a claim block and is not is refused with its file and line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import registry
from theory.claims.registry import load_claims, load_file, module_of, refuse_shadowed_rooms
from theory.claims.sites import block_sites, papers_named, python_files
from theory.core.refusal import ROOT, ClaimError

HEAD = """
from theory.claims import claim
from theory.evidence import Search
from theory.claims.regime import Regime
from theory.tests.fakes import NEVER, ONE

COMMON = dict(title="t", kind="deterministic", theme="activation", source="s", bound=ONE,
              regime=Regime(cells=[{"m": 4}]), evidence=Search(examples=2), controls=[NEVER])

"""
LINES = len(HEAD.splitlines())
BLOCK = """@claim("toy:a", **COMMON)
def measured(m):
    return 0.5
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for claims, forgotten afterwards."""
    for name in ("_claims", "_loaded"):
        monkeypatch.setattr(registry, name, {})
    for name in ("_called", "_registered"):
        monkeypatch.setattr(registry, name, [])
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def ids(place: Path) -> list[str]:
    return [claim.id for claim in load_claims(place)]


def refusal(place: Path) -> str:
    """The one line that refuses the claims of a folder, without the folder."""
    with pytest.raises(ClaimError) as caught:
        load_claims(place)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{place}/")
    assert registry.claims() == []
    return message.removeprefix(f"{place}/")


class TestJudged:
    """Claims that were once passed over in silence."""

    def test_those_of_a_folder_without_an_init_file(self, place: Path) -> None:
        (place / "new").mkdir()
        (place / "new" / "test_new_theme.py").write_text(HEAD + BLOCK)
        assert ids(place) == ["toy:a"]

    def test_those_of_a_file_that_ends_in_test(self, place: Path) -> None:
        (place / "mypaper_test.py").write_text(HEAD + BLOCK)
        assert ids(place) == ["toy:a"]

    def test_two_whose_functions_share_a_name(self, place: Path) -> None:
        (place / "test_namesakes.py").write_text(HEAD + BLOCK + BLOCK.replace("toy:a", "toy:b"))
        assert ids(place) == ["toy:a", "toy:b"]

    def test_those_in_a_list_in_a_class_and_from_a_factory(self, place: Path) -> None:
        (place / "test_hidden.py").write_text(
            HEAD
            + "class Group:\n"
            + "".join(f"    {line}\n" for line in BLOCK.splitlines())
            + 'LIST = [claim(f"toy:list-{i}", **COMMON)(lambda m: 0.5) for i in range(2)]\n'
            + 'def family(i):\n    @claim(f"toy:family-{i}", **COMMON)\n    def one(m):\n        return 0.5\n'
            + "for i in range(2):\n    family(i)\n"
        )
        assert ids(place) == ["toy:a", "toy:family-0", "toy:family-1", "toy:list-0", "toy:list-1"]

    def test_those_that_another_claim_file_imports(self, place: Path) -> None:
        (place / "test_first.py").write_text(HEAD + BLOCK)
        (place / "test_again.py").write_text("import test_first\n" + HEAD + BLOCK.replace("toy:a", "toy:b"))
        assert ids(place) == ["toy:a", "toy:b"]
        assert [claim.id for claim in load_file(place / "test_first.py")] == ["toy:a"]

    def test_a_file_is_loaded_once(self, place: Path) -> None:
        (place / "test_once.py").write_text(HEAD + BLOCK)
        assert load_file(place / "test_once.py") == load_file(place / "test_once.py")


class TestRefused:
    """What would never be judged."""

    def test_a_block_in_a_helper_module(self, place: Path) -> None:
        (place / "helper.py").write_text(HEAD + BLOCK)
        assert refusal(place) == (
            f"helper.py:{LINES + 1}: a claim block stands in a file that no run collects; "
            "move it to a file named test_*.py or *_test.py, not below tests/"
        )

    def test_a_block_among_unit_tests(self, place: Path) -> None:
        (place / "tests").mkdir()
        (place / "tests" / "test_helper.py").write_text(HEAD + BLOCK)
        assert refusal(place).startswith(f"tests/test_helper.py:{LINES + 1}: a claim block stands in a file that no")

    def test_a_block_that_a_helper_from_elsewhere_registers(self, place: Path) -> None:
        (place / "claims").mkdir()
        (place / "factory.py").write_text(HEAD + BLOCK)
        (place / "claims" / "test_borrowed.py").write_text(
            f"import sys\nsys.path.append({str(place)!r})\nimport factory\n" + HEAD + BLOCK.replace("toy:a", "toy:b")
        )
        with pytest.raises(ClaimError, match=rf"factory.py:{LINES + 1}: a claim block of this file registered while"):
            load_claims(place / "claims")

    def test_one_id_twice_from_a_factory(self, place: Path) -> None:
        (place / "test_twice.py").write_text(
            HEAD + "for i in range(2):\n" + "".join(f"    {x}\n" for x in BLOCK.split("\n"))
        )
        assert refusal(place) == (
            f"test_twice.py:{LINES + 2}: claim toy:a: its id is taken by an earlier turn of this same block; "
            "rename it or give it a variant"
        )

    @pytest.mark.parametrize("lead", ["if False:\n", "def never():\n"])
    def test_a_block_that_never_runs(self, place: Path, lead: str) -> None:
        (place / "test_never.py").write_text(HEAD + lead + "".join(f"    {line}\n" for line in BLOCK.splitlines()))
        assert refusal(place) == (
            f"test_never.py:{LINES + 2}: looks like a claim block and never runs, so it would never be judged; "
            "run it or remove it"
        )

    def test_a_call_that_decorates_nothing(self, place: Path) -> None:
        (place / "test_bare.py").write_text(HEAD + BLOCK.replace("@claim", "claim"))
        assert refusal(place) == (
            f"test_bare.py:{LINES + 1}: calls claim(...), lemma(...) or form(...) and decorates no function with it; "
            "put @ before it and a function below, each form between the claim and its function"
        )

    def test_a_file_that_skips_itself(self, place: Path) -> None:
        (place / "test_skipped.py").write_text(HEAD + "import pytest\npytest.importorskip('no_such_module')\n" + BLOCK)
        assert refusal(place).startswith(f"test_skipped.py:{LINES + 2}: does not load: Skipped: could not import")

    def test_two_files_of_one_name_outside_of_packages(self, place: Path) -> None:
        for folder, name in (("one", "a"), ("two", "b")):
            (place / folder).mkdir()
            (place / folder / "test_same.py").write_text(HEAD + BLOCK.replace("toy:a", f"toy:{name}"))
        with pytest.raises(ClaimError, match=r"two/test_same.py: another file of that name is loaded, .*__init__.py"):
            load_claims(place)


def test_a_formula_shown_that_is_not_the_one_of_the_bound_is_refused_with_file_line_and_both(place: Path) -> None:
    text = "from bounds.formula import formula\nSHEET = formula('2*m*n')\n\n@claim('toy:a', bound=SHEET.reads('{}'))\n"
    (place / "test_shown.py").write_text(f"{HEAD}{text.format('n*m')}def measured(m):\n    return 0.5\n")
    assert refusal(place) == (
        f"test_shown.py:{LINES + 4}: does not load: FormulaError: 'n*m' is shown as the formula 2*m*n; write that one"
    )


def test_a_room_that_would_come_from_elsewhere_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "nets").mkdir()
    (place / "nets" / "__init__.py").touch()
    monkeypatch.syspath_prepend(place)
    monkeypatch.delitem(sys.modules, "nets", raising=False)
    with pytest.raises(ClaimError, match=r"`import nets` gives .*nets.*rename that folder"):
        refuse_shadowed_rooms()


def test_the_name_of_a_module_is_that_which_pytest_gives_it(tmp_path: Path) -> None:
    package = tmp_path / "one" / "two"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    assert module_of(package / "test_a.py") == ("two.test_a", tmp_path / "one")
    assert module_of(tmp_path / "test_a.py") == ("test_a", tmp_path)
    assert module_of(registry.SUITE / "x" / "test_a.py") == ("properties.x.test_a", ROOT)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("from theory.claims import claim\nclaim('a')", (2,)),
        ("from theory.claims import claim as c\n\n@c('a')\ndef f(): ...", (3,)),
        ("import theory.claims\n@theory.claims.claim(\n'a')\ndef f(): ...", (2,)),
        ("import theory.claims as t\n@t.claim('a')\ndef f(): ...", (2,)),
        ("from theory import claims\n@claims.claim('a')\ndef f(): ...", (2,)),
        ("from theory.claims import claim\ndef test_f():\n    claim('a')", ()),
        ("from theory.claims import claim, form\n@claim('a')\n@form('sharp')\ndef f(): ...", (2, 3)),
        ("from theory import claims\n@claims.claim('a')\n@claims.form('sharp')\ndef f(): ...", (2, 3)),
        ("from theory.claims import claim\n@claim('a')\n@form('sharp')\ndef f(): ...", (2,)),
        ("from theory.claims import claim\ndef f():\n    claim('a')", (3,)),
        ("def claim(x): ...\nclaim('theory')", ()),
        ("from theory.claims import claim\nclaim(", ()),
    ],
)
def test_blocks_are_found_in_the_text(text: str, lines: tuple[int, ...]) -> None:
    assert block_sites(text.encode()) == lines


def test_hidden_folders_and_environments_hold_no_files_of_claims(tmp_path: Path) -> None:
    for folder in (".hidden", "environment", "__pycache__", "claims"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_a.py").touch()
    (tmp_path / "environment" / "pyvenv.cfg").touch()
    assert python_files(tmp_path) == [tmp_path / "claims" / "test_a.py"]


@pytest.mark.parametrize(
    ("blocks", "papers"),
    [
        ("@claim('toy:a')\ndef a(m): ...\n\n@claim('other:b', bound=...)\ndef b(m): ...\n", {"toy", "other"}),
        ("for name in 'ab':\n    claim(f'toy:{name}', bound=1)(print)\n", {"toy"}),
        ("claim(NAME)(print)\n", None),
        ("claim(f'{NAME}:a')(print)\n", None),
        ("claim(statement='toy:a')(print)\n", None),
        ("def f(:\n", None),
    ],
)
def test_the_papers_of_a_file_are_read_where_its_ids_are_written_out(blocks: str, papers: set[str] | None) -> None:
    assert papers_named(("from theory.claims import claim\n" + blocks).encode()) == papers


def test_links_that_lead_nowhere_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").touch()
    (tmp_path / ".#test_a.py").symlink_to("someone@somewhere")
    assert python_files(tmp_path) == [tmp_path / "test_a.py"]
