"""Generators of trials are those that numpy spawns from the root seed."""

import numpy as np
import pytest

from theory.core.seeds import canonical, generator, stable_key

CELL = {"m": 64, "delta": 0.05, "law": "caps"}


@pytest.mark.parametrize("root", [0, 7, 2**32 - 1, 2**32, 20261128_0000_0004, 2**127 + 3, 2**200 + 1])
@pytest.mark.parametrize("trial", [0, 1, 2**31 - 1, 2**32 - 1, 2**32, 2**40 + 5])
def test_a_generator_and_its_children_are_those_that_numpy_spawns(root: int, trial: int) -> None:
    key = (stable_key("toy:block"), stable_key(canonical(CELL)), trial)
    wanted = np.random.default_rng(np.random.SeedSequence(root, spawn_key=key))
    found = generator(root, "toy:block", CELL, trial)
    assert found.bit_generator.state == wanted.bit_generator.state
    for child, wanted_child in zip(found.spawn(3), wanted.spawn(3), strict=True):
        assert child.bit_generator.state == wanted_child.bit_generator.state
        (grandchild,), (wanted_grandchild,) = child.spawn(1), wanted_child.spawn(1)
        assert grandchild.bit_generator.state == wanted_grandchild.bit_generator.state
