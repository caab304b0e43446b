"""Trees of all batches: their levels, and means over them."""

from dataclasses import dataclass

import numpy as np

from properties.shared.batch_trees import Batch, IterateTree, tree_levels


@dataclass(frozen=True)
class _Counted:
    loss: float


def _after(at: _Counted, batch: Batch) -> _Counted:
    return _Counted(10.0 * at.loss + float(batch[0]))


def test_a_level_has_every_batch_after_every_iterate() -> None:
    levels = tree_levels(_Counted(1.0), np.array([[2], [3]]), 2, _after)
    assert [[at.loss for at in level] for level in levels] == [[1.0], [12.0, 13.0], [122.0, 123.0, 132.0, 133.0]]


def test_mean_losses_are_those_of_the_levels() -> None:
    tree = IterateTree(tree_levels(_Counted(1.0), np.array([[2], [3]]), 2, _after))
    assert np.array_equal(tree.mean_losses, [1.0, 12.5, 127.5])
