"""Neurons near and away from the kink, against loops over neurons; the part of pre-activations that is known."""

import math

import mpmath
import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.frames import StateFrames
from properties.allenzhu2018rnn.indicators import later_away, minus_log_chance, near_kink, others_away, revealed_part
from properties.allenzhu2018rnn.sequences import sequences

X = sequences(3, 4, 5, np.random.default_rng(0))
NET = recurrent_network(5, 30, 1, 4, np.random.default_rng(1))
PASS = forward(NET, X)


def test_conditions_are_those_of_single_neurons() -> None:
    W, A, level = np.asarray(NET.weights[0]), NET.frozen[0], 0.6 / math.sqrt(30)

    def size(i: int, time: int, k: int) -> float:
        return abs(float(PASS.post[time][i] @ W[:, k] + X[i, time] @ A[:, k]))

    neurons = range(30)
    near = [size(1, 2, k) <= level for k in neurons]
    others = [min(size(i, 2, k) for i in (0, 2)) >= level for k in neurons]
    later = [min(size(i, 3, k) for i in range(3)) >= level for k in neurons]
    for found, expected in [
        (near_kink(PASS, 1, 2, 0.6), near),
        (others_away(PASS, 1, 2, 0.6), others),
        (later_away(PASS, 2, 0.6), later),
    ]:
        np.testing.assert_array_equal(found, expected)
        assert 0 < np.count_nonzero(found) < 30


def test_after_the_last_time_all_neurons_are_away() -> None:
    assert later_away(PASS, 3, 1e9).all()


def test_the_whole_frame_reveals_everything_and_none_reveals_the_input_alone() -> None:
    frames = StateFrames(PASS)
    np.testing.assert_allclose(revealed_part(NET, PASS, frames.frame(2), 1, 2), PASS.pre[2][1], atol=1e-13)
    np.testing.assert_allclose(revealed_part(NET, PASS, frames.frame(0), 1, 2), X[1, 2] @ NET.frozen[0], atol=1e-13)


@pytest.mark.parametrize(("trials", "chance"), [(1, 0.25), (30, 0.006), (1000, 0.25), (4000, 0.25), (10**5, 1e-4)])
@pytest.mark.parametrize("above", [False, True], ids=["few", "many"])
def test_logarithms_of_chances_are_off_by_less_than_they_say(trials: int, chance: float, above: bool) -> None:
    middle = max(1, math.ceil(trials * chance / 2.0))
    counts = np.arange(trials // 2 + 1, min(trials + 1, trials // 2 + 900)) if above else np.arange(middle)
    found = minus_log_chance(counts, trials, chance)
    with mpmath.workdps(40):
        p = mpmath.mpf(chance)
        terms = (mpmath.binomial(trials, k) * p**k * (1 - p) ** (trials - k) for k in counts.tolist())
        off = abs(-mpmath.log(mpmath.fsum(terms)) - found.value)
    assert off <= found.error < 1e-8
