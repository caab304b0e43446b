"""The picture of the page for the documentation is taken by a command; what keeps it from that is told in a line."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from theory.reports.ledger import to_json
from theory.tests.test_browser import REQUIRED, lacking
from theory.tests.test_page import SUITE, toy
from theory.upkeep import page_picture
from theory.upkeep.page_picture import PLACE, SIZE, main, picture


def size(drawn: bytes) -> tuple[int, int]:
    """How wide and tall a PNG is."""
    assert drawn.startswith(b"\x89PNG")
    wide, tall = struct.unpack(">II", drawn[16:24])
    return wide, tall


def test_a_card_is_drawn_as_large_as_the_picture_that_is_there() -> None:
    if why := lacking():
        assert os.environ.get(REQUIRED) is None, why
        pytest.skip(why)
    pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")
    ledger: Any = to_json([toy()], SUITE)
    drawn = picture(ledger, toy().claim.id)
    assert size(drawn) == SIZE == size(PLACE.read_bytes())
    assert len(drawn) > 10_000


def test_what_keeps_it_from_being_taken_is_told_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps(to_json([toy()], SUITE)), encoding="utf-8")
    assert main([]) == 2
    assert main([str(tmp_path / "none.json")]) == 1
    assert main([str(file), str(tmp_path / "page.png")]) == 1
    assert "has no claim chatterji2021:lemma-4.5" in capsys.readouterr().err
    monkeypatch.setattr("theory.upkeep.page_picture.shutil.which", lambda name: None)
    with pytest.raises(page_picture.PictureError, match="no chromium and no chromedriver"):
        picture(to_json([toy()], SUITE), toy().claim.id)
    assert not (tmp_path / "page.png").exists()
