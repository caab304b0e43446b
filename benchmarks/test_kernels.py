"""Every compiled kernel, against its naive twin.

Each is called before the clock starts, so that compilation is not timed.
"""

from __future__ import annotations

from typing import Any

import pytest

import nets.networks.losses
import nets.networks.operators  # noqa: F401 - the modules register their kernels
from benchmarks.instances import KERNEL_CASES
from benchmarks.notes import note, relative_error
from nets.core.jit import KERNELS
from nets.tests import naive

pytestmark = pytest.mark.benchmark(max_time=0.3)

# Sums of 16,384 terms in another order.
ROUNDING = 1e-11


@pytest.mark.parametrize("width", [128, 1024, 16384])
@pytest.mark.parametrize("name", sorted(KERNEL_CASES))
def test_kernel(benchmark: Any, name: str, width: int) -> None:
    arguments, operations = KERNEL_CASES[name](width)
    error = relative_error(naive.outcome(KERNELS[name], arguments), naive.outcome(getattr(naive, name), arguments))
    benchmark(KERNELS[name], *arguments)
    note(benchmark, operations, width=width, error_against_twin=error)
    assert error <= ROUNDING
