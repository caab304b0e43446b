"""What a definition reaches by names, on small sources; and that claims of the suite call nothing beyond it."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import numba
import numpy as np
import pytest

from theory.claims import registry
from theory.claims.block import Claim
from theory.core.reach import Sources
from theory.core.refusal import ROOT
from theory.tests.fakes import entries_of_the_suite, of_the_suite

FILES = {
    "nets/core.py": """
'''Kernels.'''

LIMIT = 3


def part(x):
    '''A part.'''
    return x + 1
""",
    "nets/passes.py": """
from nets.core import LIMIT, part


def forward(x):
    return part(x) * LIMIT


def other(x):
    return x
""",
    "nets/__init__.py": """
if TYPE_CHECKING:
    from nets.passes import forward as forward
""",
    "nets/shapes.py": """
class Net:
    def run(self):
        return helper(self)


def helper(net):
    return net
""",
    "nets/tables.py": """
TABLE = {}
TABLE['a'] = len


@dispatch.register
def _(x):
    return 1


def dispatch(x):
    return 0
""",
    "bounds/papers/toy.py": """
C = 3
rate = 2 * C
unused = 5
""",
    "properties/test_toy.py": """
import nets.passes as whole
from nets import forward, passes, tables
from nets.shapes import Net


def by_name(x):
    return forward(x)


def by_module(x):
    return passes.other(x)


def handed_on(x):
    return run(whole)


def by_class(x):
    return Net().run()


@claim('a', bound='rate*m')
def by_word(x):
    return x


def by_table(x):
    return tables.TABLE['a'](tables.dispatch(x))
""",
    "properties/tests/test_it.py": """
def never():
    return 0
""",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read(root: Path, kept: Path | None = None) -> Sources:
    return Sources.read(root, ("nets", "bounds", "properties"), "bounds.papers", kept)


def reached(root: Path, name: str) -> set[tuple[str, str]]:
    return set(read(root).reached([("properties.test_toy", name)]))


FORWARD = {("nets.passes", "forward"), ("nets.core", "part"), ("nets.core", "LIMIT")}


def test_names_are_followed_through_imports_of_packages(root: Path) -> None:
    assert reached(root, "by_name") == {("properties.test_toy", "by_name"), *FORWARD}


def test_a_name_of_a_module_is_that_definition_alone_and_a_module_handed_on_is_all_of_it(root: Path) -> None:
    assert reached(root, "by_module") == {("properties.test_toy", "by_module"), ("nets.passes", "other")}
    assert reached(root, "handed_on") >= {("nets.passes", "other"), *FORWARD}


def test_a_class_reaches_what_its_methods_name(root: Path) -> None:
    assert ("nets.shapes", "helper") in reached(root, "by_class")


def test_words_in_strings_reach_the_sheets(root: Path) -> None:
    found = reached(root, "by_word")
    assert {("bounds.papers.toy", "rate"), ("bounds.papers.toy", "C")} <= found
    assert ("bounds.papers.toy", "unused") not in found


def test_what_is_put_into_a_table_or_registered_belongs_to_its_name(root: Path) -> None:
    before = read(root).reached([("properties.test_toy", "by_table")])
    for old, new in (("= len", "= abs"), ("return 1", "return 2")):
        file = root / "nets/tables.py"
        text = file.read_text()
        file.write_text(text.replace(old, new))
        assert read(root).reached([("properties.test_toy", "by_table")]) != before
        file.write_text(text)


def test_comments_docstrings_and_lines_do_not_count(root: Path) -> None:
    before = read(root).reached([("properties.test_toy", "by_name")])
    file = root / "nets/core.py"
    text = file.read_text().replace("'''A part.'''", "'''Another.'''\n\n    # why")
    file.write_text(text.replace("Kernels", "\n\nMore"))
    assert read(root).reached([("properties.test_toy", "by_name")]) == before


def test_tests_are_no_sources_and_a_line_leads_to_its_definition(root: Path) -> None:
    found = read(root)
    assert not any("tests" in name for name in found.modules)
    module = found.module_of(root / "properties/test_toy.py")
    assert module is not None
    line = FILES["properties/test_toy.py"].splitlines().index("@claim('a', bound='rate*m')") + 1
    assert module.at(line) == ("by_word",)
    assert found.module_of(Path("/elsewhere.py")) is None


def test_what_was_read_is_kept_and_a_changed_or_broken_file_is_read_again(root: Path, tmp_path: Path) -> None:
    kept, place = tmp_path / "kept.json", [("properties.test_toy", "by_name")]
    first = read(root, kept).reached(place)
    assert read(root, kept).reached(place) == first == read(root).reached(place)
    (root / "nets/core.py").write_text("LIMIT = 3\n\n\ndef part(x):\n    return x - 1\n")
    assert read(root, kept).reached(place) != first
    kept.write_text("{")
    assert read(root, kept).reached(place) == read(root).reached(place)


# Claims of which it is looked at what they call.
SAMPLE = 12


def first_cell(claim: Claim) -> Mapping[str, Any]:
    """What the first cell of a claim gives its function."""
    cell: Mapping[str, Any] = next(iter(claim.regime.cells), {})
    return {name: cell[name] for name in claim.parameters if name in cell}


# A long run calls what it calls soon: it is left after so many calls.
ENOUGH = 50_000


class SeenError(Exception):
    """Enough of a run was seen."""


def called(claim: Claim) -> set[tuple[str, str]]:
    """The functions of nets, bounds and properties that a claim calls for an instance of its first cell."""
    found: set[tuple[str, str]] = set()
    calls = itertools.count()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if next(calls) > ENOUGH:
            sys.setprofile(None)
            raise SeenError
        module, name = str(frame.f_globals.get("__name__", "")), frame.f_code.co_qualname.partition(".")[0]
        # What a dataclass makes of itself, and what runs at import, has no name of its own.
        if event == "call" and module.startswith(("nets.", "bounds.papers.", "properties.")) and name.isidentifier():
            found.add((module, name))

    values = first_cell(claim)
    sys.setprofile(note)
    try:
        claim.function(*(values.get(name, np.random.default_rng(0)) for name in claim.parameters))
    except SeenError:
        pass
    finally:
        sys.setprofile(None)
    return {(module, name) for module, name in found if name != "__create_fn__" and not module.startswith("nets.core")}


def calls_are_reached() -> None:
    """Look at some claims that draw nothing but from their generator; raises AssertionError for one that calls more."""
    # What numba does before its first kernel counts as calls, and must not be left in the middle.
    numba.njit(lambda: 0)()
    with tempfile.TemporaryDirectory() as folder:
        sources = of_the_suite(Path(folder)).sources
    entries = [entry for entry in entries_of_the_suite() if not entry.takes_data]
    drawn = (registry.found(entry.id, entry.file) for entry in random.Random(0).sample(entries, len(entries)))
    alone = (c for c in drawn if not c.absent and {*c.parameters} - {*first_cell(c)} <= {"rng"})
    looked = 0
    for claim in itertools.islice(alone, SAMPLE):
        module = sources.module_of(ROOT / claim.file)
        assert module is not None
        found = called(claim)
        looked += bool(found)
        assert found <= set(sources.reached((module.name, name) for name in module.at(claim.line))), claim.id
    assert looked > SAMPLE // 2


@pytest.mark.reads_claims
def test_claims_call_nothing_that_they_do_not_reach() -> None:
    """In a process of its own, where no other test has left a thread, a patch or a profile behind."""
    alone = "from theory.tests.test_reach import calls_are_reached; calls_are_reached()"
    done = subprocess.run([sys.executable, "-c", alone], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
