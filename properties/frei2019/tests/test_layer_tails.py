"""Chances of a longer state and of a larger output against laws that are known, and against draws."""

import numpy as np
import pytest
from scipy import stats

from bounds.laws.layers import MaskedChiSquare
from properties.frei2019.layer_tails import (
    chance_of_larger_output,
    chance_of_longer_state,
    chance_of_longer_states,
    grown,
)


@pytest.mark.parametrize("gain", [1.0, 2.0, 2.1])
def test_it_is_above_the_exact_law_and_of_its_order(gain: float) -> None:
    law = MaskedChiSquare(400, gain)
    for share in (1.05, 1.3, 1.8):
        exact = law.sf(share * gain / 2.0)
        assert exact <= chance_of_longer_state(share * gain / 2.0, 400, gain) <= 40.0 * exact


def test_up_to_the_mean_it_says_nothing() -> None:
    assert chance_of_longer_state(1.0, 50) == 1.0
    assert chance_of_longer_state(0.5, 50) == 1.0
    assert chance_of_longer_state(0.9, 50, gain=1.0) < 1.0


def test_outputs_are_as_large_as_drawn_ones_are_so_often() -> None:
    m, norm, gain = 64, 1.5, 3.0
    pre = norm * np.sqrt(gain / m) * np.random.default_rng(0).standard_normal((50_000, m))
    outputs = np.maximum(pre, 0.0) @ np.repeat([1.0, -1.0], m // 2)
    for level in (0.0, 0.5, 2.0, 4.0):
        share = np.mean(np.abs(outputs) >= level)
        assert chance_of_larger_output(level, m, norm, gain) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("level", [0.5, 3.0, 7.0])
def test_a_wide_last_layer_has_gaussian_outputs(level: float) -> None:
    gaussian = 2.0 * stats.norm.sf(level / np.sqrt(1.0 - 1.0 / np.pi))
    assert chance_of_larger_output(level, 10**8, 1.0) == pytest.approx(gaussian, rel=1e-4)


def test_narrow_last_layers_have_heavier_tails_all_below_the_sub_gaussian_one() -> None:
    chances = [chance_of_larger_output(6.0, m, 1.0) for m in (64, 256, 1024)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] <= 2.0 * np.exp(-18.0)


@pytest.mark.parametrize("m", [62, 65])
def test_widths_that_the_integral_is_not_for_are_refused(m: int) -> None:
    with pytest.raises(ValueError, match=f"a width of {m}"):
        chance_of_larger_output(1.0, m, 1.0)


def test_residual_layers_add_to_what_a_state_has_and_grow_by_the_scale() -> None:
    level, alone = 1.04, chance_of_longer_states(1.04, 4000, 2, 1e-6)
    assert alone == chance_of_longer_states(level, 4000, 1, 1.0) < 0.5
    assert chance_of_longer_states(level, 4000, 2, 1.0) > 0.7
    assert grown(0.1, 1000, 10, 1e-6) == pytest.approx(0.1)
    assert grown(0.1, 1000, 10, 1.0) == 1.0
