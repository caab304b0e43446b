"""What a few replicates tell of many: constants, misses, exponents that are left open."""

from __future__ import annotations

import math

import numpy as np
import pytest

from theory.core.verdict import Verdict
from theory.evidence.exponents import agreement_of, wanted
from theory.evidence.foretelling import foretold, is_unlikely, share_beyond, spread_within


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("logarithms", [True, False])
def test_the_constant_that_128_would_give_is_told_by_eight_within_their_spread(upper: bool, logarithms: bool) -> None:
    rng, below = np.random.default_rng(0), 0
    for _ in range(200):
        cells = [np.exp(0.3 * rng.standard_normal(128)) if logarithms else rng.standard_normal(128) for _ in range(3)]
        beyond = [np.sort(cell)[124 if upper else 3] for cell in cells]
        fitted = 1.25 * max(beyond) if upper else min(beyond) / 1.25
        found = foretold([cell[:8] for cell in cells], [128] * 3, 0.025, 1.25, upper)
        off = abs(math.log(found.likely / fitted)) if logarithms else abs(found.likely - fitted)
        assert off < 1.0 if logarithms else off < 2.5
        below += found.loosest > fitted if upper else found.loosest < fitted
    assert below >= 190


def test_a_constant_is_none_where_a_measurement_is_no_number_and_that_of_equal_ones_is_theirs() -> None:
    assert math.isnan(foretold([np.array([1.0, math.nan])], [20], 0.0, 2.0, True).likely)
    assert foretold([np.array([3.0, 3.0])], [20], 0.0, 2.0, True).loosest == pytest.approx(6.0)
    assert foretold([np.array([3.0])], [20], 0.0, 2.0, False).likely == pytest.approx(1.5)


def test_the_share_that_misses_is_that_of_the_law() -> None:
    ratios = np.exp(np.random.default_rng(1).standard_normal(4000) - 1.0)
    assert share_beyond(ratios, "<=") == pytest.approx(0.159, abs=0.02)
    assert share_beyond(1.0 / ratios, ">=") == pytest.approx(0.159, abs=0.02)
    assert share_beyond(np.array([0.5]), "<=") == share_beyond(np.full(9, 0.5), "<=") == 0.0


def test_the_spread_is_a_factor_and_so_many_misses_are_unlikely() -> None:
    cells = [size * np.exp(0.5 * np.random.default_rng(2).standard_normal(500)) for size in (1.0, 9.0)]
    assert spread_within(cells) == pytest.approx(math.exp(0.5), rel=0.05)
    assert spread_within([np.array([0.0, 1.0])]) == 1.0
    assert [is_unlikely(missed, 8, 0.1) for missed in (0, 2, 3, 8)] == [False, False, True, True]


def entry(windows: list[list[float]], agreement: str = "equal", claimed: float = -0.5) -> dict[str, object]:
    return {"windows": windows, "agreement": agreement, "claimed": claimed}


def test_an_interval_three_times_too_wide_takes_nine_times_the_replicates_or_three_times_the_range() -> None:
    found = wanted(entry([[-0.8, -0.2]]))
    assert found.times == pytest.approx(9.0, rel=0.2)
    assert found.spread == pytest.approx(3.0, rel=0.1)
    half = 0.3 / math.sqrt(found.times)
    assert agreement_of("equal", -0.5, -0.5 - half, -0.5 + half) is Verdict.CONSISTENT
    assert wanted(entry([[-1.4, -0.6]], "at most")).times == 1.0


def test_windows_that_bend_are_not_decided_by_more_replicates_where_the_claim_lies_between_them() -> None:
    assert math.isinf(wanted(entry([[-0.6, -0.4], [-0.3, -0.1], [-0.9, -0.7]])).times)
    assert math.isfinite(wanted(entry([[-0.6, -0.4], [-0.6, -0.2], [-0.8, -0.4]])).times)
