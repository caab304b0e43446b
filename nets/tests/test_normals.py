"""Standard normal numbers are those of numpy, whoever draws them, and leave the generator where numpy would."""

import ctypes
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nets.core import pcg64
from nets.core.normals import FEW, standard_normal, write_standard_normal
from nets.core.pcg64 import words_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("shape", [0, 3, (2, 5), FEW - 1, FEW, (40, 30), (2, 3, 400)])
def test_they_are_those_of_numpy_in_any_shape_and_so_are_the_next_ones(shape: int | tuple[int, ...]) -> None:
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    np.testing.assert_allclose(standard_normal(rng, shape), other.standard_normal(shape), rtol=1e-15)
    assert rng.random() == other.random()


@pytest.mark.parametrize("kind", [np.random.PCG64DXSM, np.random.Philox, np.random.SFC64, np.random.MT19937])
def test_of_another_generator_numpy_draws_them(kind: type[np.random.BitGenerator]) -> None:
    rng, other = np.random.Generator(kind(5)), np.random.Generator(kind(5))
    assert words_of(rng) == 0
    np.testing.assert_array_equal(standard_normal(rng, 2 * FEW), other.standard_normal(2 * FEW))
    assert rng.random() == other.random()


def test_a_build_of_numpy_that_keeps_its_words_otherwise_draws_them(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = (ctypes.c_uint64 * 4)(*(ctypes.c_uint64 * 4).from_address(words_of(np.random.default_rng(0)))[::-1])
    monkeypatch.setattr(pcg64, "_address", lambda bits: ctypes.addressof(turned))
    pcg64._readable.cache_clear()
    try:
        assert words_of(np.random.default_rng(0)) == 0
    finally:
        pcg64._readable.cache_clear()


def test_what_is_drawn_between_words_of_half_a_size_is_that_of_numpy() -> None:
    """numpy keeps the other half of a word for the next small integer, whatever is drawn in between."""
    rng, other = np.random.default_rng(6), np.random.default_rng(6)
    drawn = [
        (one.integers(0, 9, dtype=np.uint32), draw(one), one.integers(0, 9, dtype=np.uint32), one.bit_generator.state)
        for one, draw in ((rng, lambda g: standard_normal(g, FEW)[-1]), (other, lambda g: g.standard_normal(FEW)[-1]))
    ]
    assert drawn[0] == drawn[1]


def test_many_are_drawn_with_all_branches_of_the_algorithm() -> None:
    many = standard_normal(np.random.default_rng(0), 2 * 10**6)
    # Beyond 3.654 the tail of the algorithm begins, of which a share 2.6e-4 is expected.
    tail = np.count_nonzero(np.abs(many) > 3.6541528853610088)
    share = math.erfc(3.6541528853610088 / math.sqrt(2.0))
    assert abs(tail - share * many.size) < 6.0 * math.sqrt(share * many.size)
    np.testing.assert_allclose(many, np.random.default_rng(0).standard_normal(many.size), rtol=1e-15)


def test_a_row_of_an_array_is_filled_in_place_and_no_other() -> None:
    rows = np.zeros((3, 2 * FEW))
    write_standard_normal(np.random.default_rng(2), rows[1])
    assert rows[1].all()
    assert not rows[[0, 2]].any()


# A signal after a while, again and again, whose handler raises: as a time limit does, and Ctrl-C.
INTERRUPTED = """
import signal
import numpy as np
from nets.core import pcg64
from nets.core.normals import FEW, standard_normal

class Stop(Exception):
    pass

def stop(*_):
    raise Stop

standard_normal(np.random.default_rng(0), FEW)
signal.signal(signal.SIGALRM, stop)
stopped = 0
for turn in range(1500):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 + (turn % 97) * 2e-6)
        while True:
            standard_normal(np.random.default_rng(turn), FEW)
    except Stop:
        stopped += 1
print(stopped)
"""


def test_a_signal_at_any_moment_ends_it_with_what_its_handler_raises() -> None:
    """A generator that numba itself takes apart crashes the process once in some hundred times."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1500\n", "")
