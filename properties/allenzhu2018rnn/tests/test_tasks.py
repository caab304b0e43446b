"""Tasks on sequences: inputs as the paper asks, and the label of a sequence at every time."""

import numpy as np

from properties.allenzhu2018rnn.sequences import is_normalised
from properties.allenzhu2018rnn.tasks import digit_rows, memory_task


def test_the_memory_task_asks_for_alternating_labels_at_all_times() -> None:
    X, targets = memory_task(3, 4, 5, np.random.default_rng(0), "zero", 0.5)
    assert X.shape == (3, 4, 5)
    assert is_normalised(X)
    assert targets.shape == (3, 4, 1)
    assert (targets[:, :, 0] == np.array([[1.0], [-1.0], [1.0]])).all()


def test_digits_come_row_by_row_with_a_bias_at_the_first() -> None:
    X, targets = digit_rows(12, np.random.default_rng(0))
    assert X.shape == (12, 8, 9)
    assert is_normalised(X)
    assert not X[:, 1:, -1].any()
    assert len({row.tobytes() for row in X}) == 12
    assert targets.shape == (12, 8, 1)
    assert set(np.unique(targets)) == {-1.0, 1.0}
