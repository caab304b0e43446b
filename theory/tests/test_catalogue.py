"""The index of claims: nothing is loaded that is known, and nothing is known that may have changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theory.claims import catalogue, registry
from theory.claims.catalogue import Catalogue, Entry
from theory.core.refusal import ROOT, ClaimError, TakenError
from theory.tests.test_registry import BLOCK, HEAD


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with one claim file and a helper; the registry is as new each time `seen` is called."""
    folder = tmp_path / "claims"
    folder.mkdir()
    (folder / "test_first.py").write_text("import helper\n" + HEAD + BLOCK)
    (folder / "helper.py").touch()
    for name in ("_claims", "_loaded"):
        monkeypatch.setattr(registry, name, {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield folder
    forget(folder)


def forget(folder: Path) -> None:
    """Have nothing loaded from a folder, as in a new process."""
    registry._claims.clear()
    registry._loaded.clear()
    registry._registered.clear()
    registry._called.clear()
    for name in [n for n, m in sys.modules.items() if str(getattr(m, "__file__", "") or "").startswith(str(folder))]:
        del sys.modules[name]


def seen(folder: Path) -> tuple[list[Entry], int]:
    """The entries of a folder in a new process, and how many claims were loaded for them."""
    forget(folder)
    known = Catalogue(folder.parent / "index.json")
    known.add_place(folder)
    return known.entries, len(registry.claims())


def test_what_has_not_changed_is_not_loaded(place: Path) -> None:
    first, loaded = seen(place)
    assert loaded == 1
    assert seen(place) == (first, 0)
    (entry,) = first
    assert (entry.id, entry.paper, entry.function, entry.path) == ("toy:a", "toy", "measured", place / "test_first.py")


@pytest.mark.parametrize("name", ["test_first.py", "helper.py"])
def test_what_has_changed_or_imports_what_has_is_loaded(place: Path, name: str) -> None:
    seen(place)
    (place / name).write_text((place / name).read_text() + "# changed\n")
    assert seen(place)[1] == 1


def test_a_change_of_another_claim_file_loads_that_one_and_those_that_name_it(place: Path) -> None:
    (place / "test_other.py").write_text(HEAD + BLOCK.replace("toy:a", "toy:b"))
    (place / "test_third.py").write_text("import test_other\n" + HEAD + BLOCK.replace("toy:a", "toy:c"))
    seen(place)
    (place / "test_first.py").write_text((place / "test_first.py").read_text() + "# changed\n")
    assert seen(place)[1] == 1
    (place / "test_other.py").write_text((place / "test_other.py").read_text() + "# changed\n")
    assert seen(place)[1] == 2


def test_a_new_version_of_a_package_loads_all(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen(place)
    monkeypatch.setattr(catalogue, "PACKAGES", ("numpy",))
    assert seen(place)[1] == 1


@pytest.mark.parametrize("text", ["", "[]", "{", '{"claims": 0, "files": {}}', "[" * 100_000, '{"claims": 1}'])
def test_an_index_that_is_none_is_as_good_as_no_index(place: Path, text: str) -> None:
    entries, _ = seen(place)
    (place.parent / "index.json").write_text(text)
    assert seen(place) == (entries, 1)


def test_an_entry_that_is_damaged_is_loaded_again(place: Path) -> None:
    entries, _ = seen(place)
    index = json.loads((place.parent / "index.json").read_text())
    del next(iter(index["files"].values()))["claims"][0]["theme"]
    (place.parent / "index.json").write_text(json.dumps(index))
    assert seen(place) == (entries, 1)


def test_without_a_place_for_the_index_all_is_loaded(place: Path) -> None:
    (place.parent / "index.json").mkdir()
    assert seen(place)[1] == 1
    assert seen(place)[1] == 1


def test_what_cannot_be_accepted_is_refused_from_the_index_too(place: Path) -> None:
    (place / "test_other.py").write_text(HEAD + BLOCK)
    for _ in range(2):
        with pytest.raises(
            ClaimError, match=r"its id is taken by .*test_first.py:\d+; rename it.* in a folder of its own"
        ):
            seen(place)
    (place / "test_other.py").rename(place / "helpers.py")
    with pytest.raises(ClaimError, match=r"helpers.py:\d+: a claim block stands in a file that no run collects"):
        seen(place)


def test_a_file_that_may_wait_is_set_aside_with_its_refusal_and_a_taken_id_never_is(place: Path) -> None:
    (place / "test_wrong.py").write_text(HEAD + "claim('toy:wrong', **COMMON)\n")
    (place / "blocks.py").write_text(HEAD + BLOCK.replace("toy:a", "toy:b"))
    with pytest.raises(ClaimError, match=r"blocks.py:\d+: a claim block stands in a file that no run collects"):
        seen(place)
    known = Catalogue(place.parent / "index.json", may_wait=lambda path: path != place / "test_first.py")
    known.add_place(place)
    assert [entry.id for entry in known.entries] == ["toy:a"]
    assert {path.name for path in known.slips} == {"test_wrong.py", "blocks.py"}
    assert "decorates no function" in str(known.slips[place / "test_wrong.py"])
    (place / "test_same.py").write_text(HEAD + BLOCK)
    forget(place)
    with pytest.raises(TakenError, match="its id is taken by"):
        Catalogue(place.parent / "index.json", may_wait=lambda path: True).add_place(place)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_file_beside_what_was_asked_for_takes_no_ids_from_it(place: Path, is_known: bool) -> None:
    (place / "test_draft.py").write_text(HEAD + BLOCK + BLOCK.replace("toy:a", "toy:b").replace("measured", "other"))
    (place / "deeper").mkdir()
    (place / "deeper" / "test_later.py").write_text(HEAD + BLOCK)

    def asked(name: str) -> Catalogue:
        forget(place)
        known = Catalogue(place.parent / "index.json", is_beside=lambda path: path.name != name)
        known.add_place(place)
        return known

    if is_known:
        for name in ("test_draft.py", "test_first.py"):
            asked(name)
    for name, ids in (("test_draft.py", ["toy:a", "toy:b"]), ("test_first.py", ["toy:a"])):
        known = asked(name)
        assert [entry.id for entry in known.entries] == ids
        assert {path.name for path in known.slips} == {"test_draft.py", "test_first.py", "test_later.py"} - {name}
        assert all(claim.file.endswith(name) for claim in registry.claims())
    # Asked for together they are refused.
    with pytest.raises(TakenError, match="its id is taken by"):
        Catalogue(place.parent / "index.json", is_beside=lambda path: False).add_place(place)


def test_the_rooms_hold_no_claims_of_a_reader() -> None:
    assert catalogue.in_a_room(ROOT / "theory" / "tests")
    assert not catalogue.in_a_room(ROOT)
    assert not catalogue.in_a_room(ROOT / "mypaper")


def test_a_file_without_claims_is_known_as_such(place: Path) -> None:
    (place / "test_none.py").write_text("# theory, and no claim\n")
    known = Catalogue(place.parent / "index.json")
    known.add_place(place)
    assert known.of_file(place / "test_none.py") == []
    assert [entry.id for entry in known.of_file(place / "test_first.py")] == ["toy:a"]


def test_the_sources_of_a_reader_are_all_files_of_the_folders_added(place: Path) -> None:
    known = Catalogue(place.parent / "index.json")
    known.add_place(place)
    assert known.sources_outside == [place / "helper.py", place / "test_first.py"]
