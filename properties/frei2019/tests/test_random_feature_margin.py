"""The laws have the margins that they say, by their witness and by weights, and their points are what they say."""

import numpy as np
import pytest

from nets.data.distances import DataError
from properties.frei2019.random_feature_margin import (
    LARGEST_MARGIN,
    LAWS,
    ONE_LABEL,
    MarginSource,
    circle_dual,
    circle_feature,
    enclosed_margin,
    witness_direction,
)

SOURCES = [MarginSource(gamma, law) for law in LAWS for gamma in (0.02, 0.1, LAWS[law][0])]


@pytest.mark.parametrize("source", SOURCES)
def test_witness_has_the_margin_on_the_points_and_weights_show_that_none_is_larger(source: MarginSource) -> None:
    X, y = source.draw(200, 2, np.random.default_rng(1))
    margins = y * circle_feature(*source.witness_edges(), np.arctan2(X[:, 1], X[:, 0]))
    assert margins.min() >= source.gamma * (1.0 - 1e-12)
    if source.law == "offset":
        with pytest.raises(ValueError, match="no weights"):
            source.tight()
        return
    angles, labels, weights = source.tight()
    assert labels * circle_feature(*source.witness_edges(), angles) == pytest.approx(source.gamma, rel=1e-12)
    assert circle_dual(angles, labels, weights) == pytest.approx(source.gamma, rel=1e-12)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("d", [2, 7])
def test_points_are_of_unit_norm_and_as_far_from_the_boundary_as_said(source: MarginSource, d: int) -> None:
    X, y = source.draw(300, d, np.random.default_rng(2))
    assert X.shape == (300, d)
    assert X.flags.c_contiguous
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0, abs=1e-14)
    assert 100 < np.count_nonzero(y > 0) < 200
    if source.law == "wedges":
        near = np.where(y > 0, np.abs(X[:, 0]), np.abs(X[:, 1]))
        assert near.min() >= np.cos(source.opening) - 1e-12
    elif source.law == "offset":
        assert X[:, 0] == pytest.approx(np.where(y > 0, source.gap, 1.0))
    else:
        assert (y * X[:, 0]).min() >= source.gap - 1e-15


@pytest.mark.parametrize("source", SOURCES)
def test_no_drawn_point_is_below_the_worst_one(source: MarginSource) -> None:
    rng = np.random.default_rng(6)
    X, y = source.draw(500, 4, rng)
    for g in rng.standard_normal((5, 4)):
        worst = source.worst(np.tile(g, (2, 1)), [1.0, -1.0])
        assert np.linalg.norm(worst, axis=1) == pytest.approx(1.0)
        for row, label in zip(worst, (1.0, -1.0), strict=True):
            drawn = X[y == label] @ g
            assert row @ g <= drawn.min() + 1e-12
            assert row @ g >= drawn.min() - 0.5


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("n", "d"), [(16, 2), (16, 3), (16, 6), (15, 2), (15, 3)])
def test_points_of_the_edge_have_the_margin_and_no_more(source: MarginSource, n: int, d: int) -> None:
    X, y = source.edge(n, d)
    assert X.shape == (n, d)
    assert y.sum() == n % 2
    assert np.linalg.norm(X, axis=1) == pytest.approx(1.0)
    aside = X[:, 1] if source.law == "wedges" else np.linalg.norm(X[:, 1:], axis=1)
    margins = y * circle_feature(*source.witness_edges(), np.arctan2(aside, X[:, 0]))
    assert margins == pytest.approx(source.gamma, rel=1e-9)
    assert len(np.unique(np.round(X, 9), axis=0)) >= (2 if source.gap == 1.0 or source.opening < 1e-6 else 3)


def test_caps_are_uniform_beyond_the_gap() -> None:
    source, rng = MarginSource(0.1), np.random.default_rng(3)
    X, _ = source.draw(4000, 5, rng)
    uniform = rng.standard_normal((40_000, 5))
    first = np.abs(uniform[:, 0]) / np.linalg.norm(uniform, axis=1)
    assert np.abs(X[:, 0]).mean() == pytest.approx(first[first >= source.gap].mean(), rel=0.02)


def test_exact_integrals_are_the_means_over_directions() -> None:
    rng = np.random.default_rng(4)
    U = rng.standard_normal((400_000, 3))
    for source in (MarginSource(0.1), MarginSource(0.1, "wedges"), MarginSource(0.1, "offset")):
        X, _ = source.draw(4, 3, rng)
        X[:, 2] = 0.0
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        found = circle_feature(*source.witness_edges(), np.arctan2(X[:, 1], X[:, 0]))
        features = np.maximum(U @ X.T, 0.0)
        assert source.witness(U) @ features / len(U) == pytest.approx(found, abs=4e-3)
        q, y = rng.dirichlet(np.ones(4)), rng.choice([-1.0, 1.0], 4)
        dual = circle_dual(np.arctan2(X[:, 1], X[:, 0]), y, q)
        assert np.abs(features @ (q * y)).mean() == pytest.approx(dual, abs=4e-3)


@pytest.mark.parametrize("source", SOURCES[:6])
def test_the_interval_of_any_points_holds_the_known_margin(source: MarginSource) -> None:
    angles, labels, _ = source.tight()
    low, high = enclosed_margin(source.placed(angles, 3), labels)
    assert low == pytest.approx(source.gamma, rel=1e-9)
    assert source.gamma < high < 1.3 * source.gamma


def test_a_point_in_both_classes_has_no_margin() -> None:
    X, _ = MarginSource(0.1).draw(3, 3, np.random.default_rng(7))
    low, high = enclosed_margin(np.concatenate([X, X]), np.repeat([1.0, -1.0], 3))
    assert low == 0.0
    assert high < 1e-6


def test_alignment_is_the_unit_vector_of_the_witness() -> None:
    W = np.random.default_rng(5).standard_normal((3, 50))
    alpha = witness_direction(MarginSource(0.1), W)
    assert np.array_equal(np.sign(alpha), np.sign(W[0]))
    assert np.linalg.norm(alpha) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("gamma", "law"), [(0.0, "caps"), (1.1 * LARGEST_MARGIN, "rings"), (0.2, "wedges"), (0.1, "x")]
)
def test_a_margin_that_no_points_have_is_refused(gamma: float, law: str) -> None:
    with pytest.raises(ValueError, match=r"take one|choose one"):
        MarginSource(gamma, law)


def test_one_dimension_is_refused() -> None:
    with pytest.raises(DataError, match="take d >= 2"):
        MarginSource(0.1).draw(3, 1, np.random.default_rng(0))
    with pytest.raises(DataError, match="take d >= 2"):
        MarginSource(0.1).edge(4, 1)


@pytest.mark.parametrize("law", LAWS)
def test_one_point_of_the_edge_is_of_the_first_class(law: str) -> None:
    X, y = MarginSource(0.1, law).edge(1, 3)
    assert X.shape == (1, 3)
    assert y.tolist() == [1.0]


@pytest.mark.parametrize("gamma", [0.1, LARGEST_MARGIN])
def test_points_of_one_label_have_the_margin_of_a_constant(gamma: float) -> None:
    source = MarginSource(gamma, ONE_LABEL)
    X, y = source.draw(300, 4, np.random.default_rng(2))
    edge, labels = source.edge(11, 3)
    for points, signs in ((X, y), (edge, labels)):
        assert np.linalg.norm(points, axis=1) == pytest.approx(1.0, abs=1e-14)
        assert (signs == 1.0).all()
        turns = np.arctan2(np.linalg.norm(points[:, 1:], axis=1), points[:, 0])
        assert circle_feature(*source.witness_edges(), turns) == pytest.approx(gamma, rel=1e-12)
    assert len(np.unique(edge, axis=0)) == 6
    gradient = np.array([[3.0, 0.0, 4.0, 0.0]])
    assert source.worst(gradient, [1.0]) == pytest.approx(-gradient / 5.0)
    with pytest.raises(ValueError, match="no weights"):
        source.tight()
