"""Every kernel agrees with its naive twin; a kernel without a twin fails."""

import importlib
import pkgutil
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import nets
from nets.core import jit
from nets.tests import naive

# Twins use the same elementary functions in another order: a sum of 6 squares, a power with an exponent of at
# most 10 and a few roundings cost less than 100 units in the last place. Below 1e-250 digits are lost to
# underflow.
RELATIVE = 100 * np.finfo(np.float64).eps
ABSOLUTE = 1e-250

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(nets.__path__, "nets.")
    if not found.name.startswith("nets.tests")
]


def untested(kernels: dict[str, Callable[..., Any]], twins: types.ModuleType) -> list[str]:
    """Names of kernels that lack a twin or inputs."""
    return [name for name in kernels if not hasattr(twins, name) or name not in twins.INPUTS]


def agree(kernel: Callable[..., Any], twin: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether both give the same arrays, NaN and infinities included, up to rounding."""
    with np.errstate(all="ignore"):
        wanted = naive.outcome(twin, args)
    found = naive.outcome(kernel, args)
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    return len(found) == len(wanted) and all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
        for a, b in zip(found, wanted, strict=True)
    )


def test_no_kernel_lacks_a_twin() -> None:
    assert untested(jit.KERNELS, naive) == []


def test_a_kernel_without_twin_is_noticed() -> None:
    assert untested({"unheard_of": np.sin}, naive) == ["unheard_of"]


def test_no_twin_lacks_a_kernel() -> None:
    assert set(naive.INPUTS) <= set(jit.KERNELS)


def test_all_compiled_functions_are_registered() -> None:
    compiled = {name for module in MODULES for name, value in vars(module).items() if hasattr(value, "py_func")}
    assert compiled <= {*jit.KERNELS, *jit.PARTS}
    assert not jit.KERNELS.keys() & jit.PARTS.keys()


@pytest.mark.parametrize("name", sorted(naive.INPUTS))
def test_kernel_agrees_with_twin(name: str) -> None:
    @given(naive.INPUTS[name])
    def compare(args: tuple[Any, ...]) -> None:
        assert agree(jit.KERNELS[name], getattr(naive, name), args)

    compare()


def test_a_wrong_twin_is_noticed() -> None:
    def gate_closed_at_nothing(pre: Any, post: Any, gate: Any) -> None:
        post[:], gate[:] = np.maximum(pre, 0.0), pre >= 0.0

    assert not agree(jit.KERNELS["write_relu"], gate_closed_at_nothing, tuple(np.zeros((3, 1, 1))))
