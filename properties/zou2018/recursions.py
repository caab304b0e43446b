"""Sequences of losses that fall by exactly what a recursion asks.

Main definition: `loss_after`.
"""

from collections.abc import Callable


def loss_after(loss: float, decrease: Callable[[float], float], steps: int) -> tuple[float, int]:
    """The loss after so many steps of the given decrease, or after fewer where the next one would end it."""
    for k in range(steps):
        lower = loss - decrease(loss)
        if not lower > 0.0:
            return loss, k
        loss = lower
    return loss, steps
