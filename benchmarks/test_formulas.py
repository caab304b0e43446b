"""Formulas and exact laws."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.notes import note
from bounds.laws.layers import MaskedChiSquare
from bounds.papers.zou2018 import lemma_A_7

pytestmark = pytest.mark.benchmark(max_time=0.3)


@pytest.mark.parametrize("width", [64, 256, 1024])
def test_exact_tail(benchmark: Any, width: int) -> None:
    tail = float(benchmark(MaskedChiSquare(width).sf, 1.5))
    note(benchmark, width, width=width, tail=tail)
    assert 0.0 < tail < 0.1


def test_formula(benchmark: Any) -> None:
    value = benchmark(lemma_A_7.evaluate, {"m": 1024, "beta_": 1e-3})
    note(benchmark, 4)
    assert value == pytest.approx(2.0 * 1024**1.5 * 1e-3)
