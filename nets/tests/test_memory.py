"""What would not fit in memory is refused before anything is allocated, and says what it would take."""

from __future__ import annotations

import math
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nets.core import memory
from nets.core.memory import NotEnoughMemoryError, memory_limit, require
from nets.data.points import sphere
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.activations import RELU
from nets.networks.fresh import fresh_layer, sample_ensemble
from nets.networks.network import gaussian_network, gaussian_smooth_network, he_network, revealed_network


class Undrawn:
    """A generator that must not be asked for anything."""

    def __getattr__(self, name: str) -> None:
        raise AssertionError(f"{name} was asked for")


UNDRAWN: Any = Undrawn()


@pytest.fixture
def gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 16 GB, whatever the one at hand has."""
    monkeypatch.setattr(memory, "memory_limit", lambda: 16e9)


TOO_LARGE: dict[str, tuple[Callable[[], object], str]] = {
    "stored": (
        lambda: he_network((10, 200_000, 200_000), UNDRAWN),
        "a network of 2 layers, the largest of shape (200000, 200000), would take 320 GB",
    ),
    "deep": (
        lambda: he_network((8, *[1000] * 3000), UNDRAWN),
        "a network of 3000 layers, the largest of shape (1000, 1000), would take 24 GB",
    ),
    "stored where small": (
        lambda: gaussian_network((8, *[2048] * 500), UNDRAWN),
        "a network of 500 layers, the largest of shape (2048, 2048), would take 16.7 GB",
    ),
    "revealed where large": (
        lambda: gaussian_network((8, *[10**8] * 20), UNDRAWN),
        "a network of 20 layers, the largest of shape (100000000, 100000000), would take 31.2 GB",
    ),
    "revealed": (
        lambda: revealed_network((8, *[10**6] * 2000), UNDRAWN),
        "a network of 2000 layers, the largest of shape (1000000, 1000000), would take 32 GB",
    ),
    "smooth": (
        lambda: gaussian_smooth_network((8, *[2048] * 500), RELU, UNDRAWN),
        "a network of 500 layers, the largest of shape (2048, 2048), would take 16.7 GB",
    ),
    "points": (lambda: sphere(10**6, 10**6, UNDRAWN), "1000000 points of dimension 1000000 would take 8e+03 GB"),
    "fresh": (
        lambda: fresh_layer(np.eye(40), 10**9, UNDRAWN),
        "the pre-activations of 1000000000 neurons at 40 points would take 640 GB",
    ),
    "ensemble": (
        lambda: sample_ensemble(np.eye(2), [10**9, 10**9], 1, UNDRAWN),
        "1 networks of widths up to 1000000000 at 2 points, in blocks of 8, would take 384 GB",
    ),
}


@pytest.mark.usefixtures("gigabytes")
@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_would_not_fit_is_refused_before_anything_is_drawn(name: str) -> None:
    make, message = TOO_LARGE[name]
    with pytest.raises(NotEnoughMemoryError) as caught:
        make()
    assert str(caught.value) == f"{message}, and there are 16 GB of memory: take smaller sizes"


@pytest.mark.usefixtures("gigabytes")
def test_what_fits_is_drawn_as_before() -> None:
    first, second = (he_network((3, 4, 4), np.random.default_rng(1)) for _ in range(2))
    assert all(np.array_equal(V, W) for V, W in zip(first.weights, second.weights, strict=True))
    require(2e9, lambda: "exactly all")
    with pytest.raises(NotEnoughMemoryError, match=r"^a number of no size would take nan bytes"):
        require(math.nan, lambda: "a number of no size")


def test_a_revealed_matrix_refuses_its_first_direction_before_it_is_drawn() -> None:
    W = RevealedGaussian(10**6, 10**6, 1.0, UNDRAWN, memory_limit=10**6)
    with pytest.raises(MemoryError, match="over its limit of 1000000 bytes"):
        np.ones((1, 10**6)) @ W


def test_the_refusal_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(NotEnoughMemoryError("one line")))
    assert isinstance(error, MemoryError)
    assert str(error) == "one line"


def test_the_limit_is_that_of_the_machine_or_less() -> None:
    assert 0 < memory_limit() < math.inf


def test_limits_of_control_groups_are_read(tmp_path: Path) -> None:
    listed = tmp_path / "cgroup"
    listed.write_text("9:name=systemd:/\n4:memory:/a/b\n1:cpu,cpuacct:/\n0::/user/session:1\n")
    for file, text in {
        "memory/a/memory.limit_in_bytes": "4000\n",
        "memory/a/b/memory.limit_in_bytes": "3000\n",
        "user/memory.max": "2000\n",
        "user/session:1/memory.max": "max\n",
        "cpu/memory.max": "1\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert sorted(memory._limits_of_groups(listed, tmp_path)) == [2000, 3000, 4000]
    listed.write_text("nonsense\n\xff")
    assert memory._limits_of_groups(listed, tmp_path) == []
    assert memory._limits_of_groups(tmp_path / "missing", tmp_path) == []


BEYOND = """
import numpy as np
from nets.core import memory

memory.memory_limit = lambda: 2e9
undo = memory.refuse_beyond_limit()
try:
    np.zeros((20_000, 20_000))
except MemoryError as error:
    print(error)
undo()
np.zeros((20_000, 20_000))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on what a process may allocate")
def test_no_allocation_passes_the_limit_of_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", BEYOND], cwd=memory.__file__.rsplit("nets", 1)[0], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert re.match(rb"Unable to allocate 2\.98 GiB for an array with shape \(20000, 20000\)", done.stdout)
