"""The training points of a run: what the user brought comes first, and fixes what a claim about data is judged at."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from theory.core.data import NO_DATA, Data

SPHERE: Any = object()
FILE: Any = SimpleNamespace(n=5, d=3, separation=0.25)


def test_points_are_drawn_from_what_the_user_brought() -> None:
    assert Data(SPHERE).source is SPHERE
    assert Data(SPHERE, FILE).source is Data(brought=FILE).source is FILE


def test_a_data_set_fixes_dimension_and_separation() -> None:
    data = Data(SPHERE, FILE, ("5 points", "in 3 dimensions"))
    assert (data.is_brought, data.fixed, data.rows) == (True, {"d": 3, "phi": 0.25}, 5)
    assert data.said == "5 points; in 3 dimensions"


def test_where_there_is_none_nothing_is_fixed() -> None:
    for data in (NO_DATA, Data(SPHERE), Data(SPHERE, FILE, ("5 points",)).declared):
        assert (data.is_brought, data.fixed, data.rows, data.said) == (False, {}, 0, "")
    assert Data(SPHERE, FILE).declared.source is SPHERE
