"""Chances of a longer output against the exact law of a layer."""

from __future__ import annotations

import pytest

from bounds.laws.layers import MaskedChiSquare
from properties.frei2019.layer_tails import chance_of_longer_state


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
