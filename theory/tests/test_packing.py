"""A large page has its pictures and repeated formulas compressed: nothing is lost, and a small page stays as it is."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from theory.reports.ledger import to_json
from theory.reports.page import page
from theory.reports.page.formulas import in_line, mathml
from theory.reports.page.packing import LARGE, packed
from theory.tests.test_page import HOSTILE, SUITE, Reader, toy


@pytest.fixture(scope="module")
def whole() -> str:
    """The page of two forms of one statement, whose names are hostile."""
    row = toy(HOSTILE)
    sharp = replace(row, claim=replace(row.claim, id=f"{row.claim.statement}-sharp", title="sharp form"))
    return page(to_json([row, sharp], SUITE), {})


def _stored(text: str) -> Any:
    (kept,) = re.findall(r'<script type="text/plain" id="packed">([^<]*)</script>', text)
    return json.loads(gzip.decompress(base64.b64decode(kept)))


def test_a_small_page_stays_as_it_is(whole: str) -> None:
    assert len(whole.encode()) < LARGE
    assert packed(whole) == whole


def test_what_is_packed_can_be_put_back_in_its_place(whole: str) -> None:
    text = packed(whole, large=0)
    stored = _stored(text)
    assert len(stored["pictures"]) == 2
    assert "><svg viewBox" not in re.findall(r"<article.*</article>", text, re.DOTALL)[0]
    put = re.sub(
        r"<figure data-p=(\d+)>", lambda found: f"<figure tabindex=0>{stored['pictures'][int(found[1])]}", text
    )
    put = re.sub(r"<i data-f=(\d+)>[^<]*</i>", lambda found: stored["formulas"][int(found[1])], put)
    data = [json.loads(re.findall(r'id="?data"?>(\{.*?\})</script>', page)[0]) for page in (put, whole)]
    assert {**data[0], "papers": stored["papers"]} == data[1]
    cards = [re.findall(r"<article.*?</article>", page, re.DOTALL) for page in (put, whole)]
    assert [re.sub('[\n"]', "", card) for card in cards[0]] == [re.sub('[\n"]', "", card) for card in cards[1]]
    assert stored["bounds"] == ["2*m", "2*m"]
    assert "<option" in stored["choices"][0]


def test_it_is_whole_and_hostile_names_stay_text(whole: str) -> None:
    reader = Reader(packed(whole, large=0))
    assert reader.open == []
    assert reader.tags["script"] == 4
    assert "img" not in reader.tags
    assert reader.handlers == []
    assert set(reader.ids) == {*Reader(whole).ids, "packed"}


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"m \geq n", "m \N{GREATER-THAN OR EQUAL TO} n"),
        (r"\frac{1 - \alpha}{8 L}", "(1 \N{MINUS SIGN} α)/(8 L)"),
        (r"\sqrt{m}", "\N{SQUARE ROOT}(m)"),
        (r"x_{i}^{2}", "x_i^2"),
        (r"L^{2} m", "L^2 m"),
        (r"\log{\left(m \right)}", "log(m)"),
        (r"a < b", "a < b"),
    ],
)
def test_a_formula_is_read_in_a_line(latex: str, line: str) -> None:
    assert in_line(mathml(latex)) == line
