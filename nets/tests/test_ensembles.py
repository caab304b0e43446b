"""Ensembles drawn at the points alone have the law of dense networks, one by one."""

import numpy as np
import pytest
from scipy import stats

from nets.core.arrays import Array
from nets.data.points import pair_at_distance, sphere
from nets.networks.forward import forward
from nets.networks.fresh import Ensemble, sample_ensemble
from nets.networks.network import he_network
from nets.networks.operators import layer_norms

# Chance that a law test refuses the right law, were its seed drawn anew, and what a wrong law must fall below.
LEVEL = 1e-3
CONTROL_LEVEL = 1e-9

NETWORKS = 4000
WIDTHS = (7, 5, 4)

# (n, d): fewer points than coordinates, and more points than coordinates or neurons, hence dependent ones.
SHAPES = [(3, 6), (6, 2)]


def dense_ensemble(X: Array, widths: tuple[int, ...], networks: int, rng: np.random.Generator) -> Ensemble:
    """The same from stored networks."""
    passes = [forward(he_network((X.shape[1], *widths), rng), X) for _ in range(networks)]
    return Ensemble(np.stack([layer_norms(fwd)[:, 1:] for fwd in passes]), np.stack([fwd.output for fwd in passes]))


def statistics(ensemble: Ensemble) -> Array:
    """Numbers that depend on the norms, on the outputs, and on two points or layers jointly: (networks, k)."""
    norms, outputs = ensemble
    return np.stack(
        [
            *norms[:, 0].T,
            norms[:, 0, -1] - norms[:, 1, -1],
            norms[:, 1, 0] - norms[:, 1, -1],
            outputs[:, 0],
            outputs[:, 0] - outputs[:, 1],
            outputs[:, 0] * outputs[:, -1],
        ],
        axis=1,
    )


def pvalues(one: Ensemble, other: Ensemble) -> list[float]:
    columns = zip(statistics(one).T, statistics(other).T, strict=True)
    return [float(stats.ks_2samp(a, b).pvalue) for a, b in columns]


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_same_law_as_dense_networks(n: int, d: int) -> None:
    rng = np.random.default_rng(0)
    X = sphere(n, d, rng)
    found = pvalues(dense_ensemble(X, WIDTHS, NETWORKS, rng), sample_ensemble(X, WIDTHS, NETWORKS, rng))
    assert min(found) > LEVEL / len(found)


def test_half_the_variance_is_noticed() -> None:
    rng = np.random.default_rng(1)
    X = sphere(3, 6, rng)
    dense = dense_ensemble(X, WIDTHS, NETWORKS, rng)
    wrong = sample_ensemble(X, WIDTHS, NETWORKS, rng)
    # Behind l layers of half the variance everything is smaller by 2^(l/2).
    wrong.norms[:] *= 0.5 ** (0.5 * np.arange(1, len(WIDTHS) + 1))
    wrong.outputs[:] *= 0.5 ** (0.5 * len(WIDTHS))
    assert min(pvalues(dense, wrong)) < CONTROL_LEVEL


def test_points_that_do_not_share_their_network_are_noticed() -> None:
    rng = np.random.default_rng(2)
    X = pair_at_distance(0.3, 6, rng)
    dense = dense_ensemble(X, WIDTHS, NETWORKS, rng)
    apart = [sample_ensemble(x[np.newaxis], WIDTHS, NETWORKS, rng) for x in X]
    wrong = Ensemble(*(np.concatenate(parts, axis=1) for parts in zip(*apart, strict=True)))
    assert min(pvalues(dense, wrong)) < CONTROL_LEVEL


def test_layers_that_do_not_share_their_network_are_noticed() -> None:
    rng = np.random.default_rng(3)
    X = sphere(3, 6, rng)
    dense = dense_ensemble(X, WIDTHS, NETWORKS, rng)
    wrong = sample_ensemble(X, WIDTHS, NETWORKS, rng)
    wrong.norms[:, :, -1] = rng.permutation(wrong.norms[:, :, -1])
    assert min(pvalues(dense, wrong)) < CONTROL_LEVEL


def test_networks_are_independent_within_and_between_blocks() -> None:
    outputs = sample_ensemble(np.eye(1, 3), (64,), 4000, np.random.default_rng(4)).outputs[:, 0]
    assert np.unique(outputs).size == outputs.size
    for lag in range(1, 9):
        assert stats.pearsonr(outputs[:-lag], outputs[lag:]).pvalue > LEVEL / 8


@pytest.mark.parametrize("phi", [1e-6, 1e-10])
def test_close_points_keep_their_distance(phi: float) -> None:
    """The slope of the output between two points has one law at all small distances."""
    rng = np.random.default_rng(5)
    slopes = []
    for distance in (1e-3, phi):
        outputs = sample_ensemble(pair_at_distance(distance, 6, rng), WIDTHS, NETWORKS, rng).outputs
        slopes.append((outputs[:, 0] - outputs[:, 1]) / distance)
    assert stats.ks_2samp(*slopes).pvalue > LEVEL


def test_equal_points_give_equal_numbers() -> None:
    rng = np.random.default_rng(7)
    X = sphere(3, 4, rng)
    X[2] = X[0]
    norms, outputs = sample_ensemble(X, (9, 6), 50, rng)
    np.testing.assert_allclose(norms[:, 2], norms[:, 0], rtol=1e-12)
    np.testing.assert_allclose(outputs[:, 2], outputs[:, 0], atol=1e-12)


def test_the_seed_fixes_the_draws() -> None:
    X = sphere(2, 4, np.random.default_rng(8))
    one, again, other = (sample_ensemble(X, (6, 4), 20, np.random.default_rng(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.norms, again.norms)
    np.testing.assert_array_equal(one.outputs, again.outputs)
    assert not np.isclose(one.outputs, other.outputs).any()


@pytest.mark.parametrize("width", [50, 1000])
@pytest.mark.parametrize("networks", [1, 7, 20])
def test_blocks_cover_all_networks(width: int, networks: int) -> None:
    """Blocks of more networks than there are, and, at the larger width, of 8."""
    norms, outputs = sample_ensemble(np.eye(2), (width, 4), networks, np.random.default_rng(9))
    assert norms.shape == (networks, 2, 2)
    assert outputs.shape == (networks, 2)
    assert (norms[:, :, 0] > 0.0).all()


def test_nan_in_a_point_reaches_all_its_numbers() -> None:
    X = np.eye(3)
    X[1, 1] = np.nan
    norms, outputs = sample_ensemble(X, (6, 5, 4), 10, np.random.default_rng(10))
    assert np.isnan(norms[:, 1]).all()
    assert np.isnan(outputs[:, 1]).all()
    assert np.isfinite(norms[:, 0]).all()


@pytest.mark.parametrize(
    ("widths", "networks", "message"),
    [
        ((), 5, "hidden widths are"),
        ((4, 0, 2), 5, "hidden widths are"),
        ((4, 3), 5, "even, positive number"),
        ((4, 2), 0, "0 networks"),
    ],
)
def test_impossible_ensembles_are_refused(widths: tuple[int, ...], networks: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sample_ensemble(np.eye(2), widths, networks, np.random.default_rng(11))
