"""A row in a script and in a notebook: columns, a card, a picture, and a bar while it is judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import theory.lemmata as lemmata
from bounds.symbols import SYMBOLS
from theory.claims import registry
from theory.core import progress
from theory.core.guard import SessionError
from theory.surface import watching
from theory.surface.judged import Columns, Judged, Picture
from theory.upkeep.notebook import executed

ROOT = Path(__file__).resolve().parents[2]

CELL = '''
from lemmata import lemma

@lemma("judged Lemma 1", "zeta*m", m=[4, 16], zeta=2)
def half(m):
    """Half of <the> width."""
    return m / 2
'''


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judged]:
    """A row of a block in the cell of a notebook."""
    monkeypatch.setattr(registry, "_claims", {})
    known = set(SYMBOLS)
    names: dict[str, Any] = {}
    exec(compile(CELL, "<ipython-input-1>", "exec"), names)
    yield lemmata.check(names["half"])
    for name in set(SYMBOLS) - known:
        del SYMBOLS[name]


def test_cells_are_columns_and_a_table_of_pandas_where_that_is_installed(
    row: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=dict, __spec__=SimpleNamespace()))
    assert isinstance(row.cells, dict)
    assert row.cells["m"] == [4, 16]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    cells = row.cells
    assert isinstance(cells, Columns)
    assert len(cells) == 10
    assert (cells["measured"], cells["verdict"]) == ([2.0, 8.0], ["holds", "holds"])
    assert repr(cells).splitlines()[1].split()[:3] == ["4", "2", "2"]
    assert "<td>16</td>" in cells._repr_html_()


def test_a_row_is_a_card_a_line_and_a_picture(row: Judged, tmp_path: Path) -> None:
    card = row._repr_html_()
    assert "judged:lemma-1" in card
    assert "Half of &lt;the&gt; width" in card
    assert "nobody says what zeta" in card
    assert repr(row) == "<judged:lemma-1: holds, ratio 0.25>"
    picture = row.plot()
    assert isinstance(picture, Picture)
    assert picture._repr_png_().startswith(b"\x89PNG")
    picture.save(tmp_path / "row.png")
    assert (tmp_path / "row.png").stat().st_size == len(picture.png)


def test_a_picture_of_nothing_is_refused(row: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.surface.judged.picture", lambda entry: None)
    with pytest.raises(SessionError, match="no number was measured that could be drawn"):
        row.plot()


class TestBar:
    def test_of_a_terminal(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
        monkeypatch.setattr(watching, "EVERY", -1.0)
        with watching.shown():
            progress.report("a claim", "1/2 trials", 0.5)
        said = capsys.readouterr().err
        assert "[############............] 1/2 trials  a claim" in said
        assert said.endswith("\r\x1b[K")
        assert not progress.is_heard()

    def test_of_a_notebook(self, monkeypatch: pytest.MonkeyPatch) -> None:
        shown: list[str] = []
        handle = SimpleNamespace(update=shown.append)

        def display(made: str, display_id: bool) -> Any:
            shown.append(made)
            return handle

        shell = SimpleNamespace(
            get_ipython=lambda: SimpleNamespace(kernel=1), display=SimpleNamespace(HTML=str, display=display)
        )
        monkeypatch.setitem(sys.modules, "IPython", shell)
        monkeypatch.setattr(watching, "EVERY", -1.0)
        with watching.shown():
            progress.report("a <claim>", "1/2 trials", 0.5)
            progress.report("a <claim>", "2/2 trials", 1.0)
        assert len(shown) == 3
        assert "a &lt;claim&gt;" in shown[0]
        assert shown[-1] == ""

    def test_nobody_is_told_where_nobody_watches(self, capsys: pytest.CaptureFixture[str]) -> None:
        with watching.shown():
            assert not progress.is_heard()
        heard: list[Any] = []
        progress.listen(heard.append)
        try:
            with watching.shown():
                progress.report("still heard")
            assert len(heard) == 1
            assert progress.is_heard()
        finally:
            progress.listen(None)


def test_the_notebook_of_the_docs_shows_what_its_cells_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_claims", {})
    kept = json.loads((ROOT / "docs" / "notebook.ipynb").read_text())
    found = executed(kept)

    def texts(notebook: Any) -> list[Any]:
        outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
        return [
            output.get("text") or {k: v for k, v in output["data"].items() if k != "image/png"} for output in outputs
        ]

    assert texts(found) == texts(kept)
    assert any("image/png" in output.get("data", {}) for cell in found["cells"] for output in cell.get("outputs", ()))
