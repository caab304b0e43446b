"""Frames of hidden states: orthonormal, nested, of the same span as QR's, complete where states depend on others."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.frames import StateFrames, gram_schmidt, row_norm
from properties.allenzhu2018rnn.sequences import sequences

WIDE = recurrent_network(5, 64, 2, 4, np.random.default_rng(0))
PASS = forward(WIDE, sequences(3, 4, 5, np.random.default_rng(1)))


def test_gram_schmidt_is_qr_up_to_signs() -> None:
    vectors = np.random.default_rng(2).standard_normal((6, 20))
    U = gram_schmidt(vectors)
    Q, R = np.linalg.qr(vectors.T)
    np.testing.assert_allclose(U, Q.T * np.sign(np.diag(R))[:, np.newaxis], atol=1e-13)


def test_nearly_equal_vectors_give_an_orthonormal_frame() -> None:
    rng = np.random.default_rng(3)
    first = rng.standard_normal(50)
    vectors = np.stack([first, first + 1e-10 * rng.standard_normal(50), first - 1e-9 * rng.standard_normal(50)])
    U = gram_schmidt(vectors)
    np.testing.assert_allclose(U @ U.T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("vectors", [np.zeros((3, 4)), np.ones((4, 4)), np.eye(4)[[1, 1, 2, 0]]])
def test_dependent_vectors_are_completed(vectors: np.ndarray) -> None:
    U = gram_schmidt(vectors)
    np.testing.assert_allclose(U @ U.T, np.eye(len(vectors)), atol=1e-14)
    np.testing.assert_allclose(vectors @ U.T @ U, vectors, atol=1e-14)


def test_more_vectors_than_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 3"):
        gram_schmidt(np.ones((2, 3)), np.eye(3)[:2])


def test_frames_are_orthonormal_and_nested_and_span_the_states() -> None:
    frames = StateFrames(PASS)
    assert frames.basis.shape == (12, 64)
    np.testing.assert_allclose(frames.basis @ frames.basis.T, np.eye(12), atol=1e-14)
    for time in range(1, 5):
        U = frames.frame(time)
        states = np.concatenate(PASS.post[1 : time + 1])
        np.testing.assert_allclose(states @ U.T @ U, states, atol=1e-13)
    np.testing.assert_array_equal(frames.frame(2), frames.frame(3)[:6])
    assert frames.frame(0).shape == (0, 64)


def test_leftovers_are_those_of_a_least_squares_fit() -> None:
    frames = StateFrames(PASS)
    np.testing.assert_allclose(frames.leftover[:, 0], np.linalg.norm(PASS.post[1], axis=1), rtol=1e-14)
    earlier = np.concatenate(PASS.post[1:3]).T
    for i, h in enumerate(PASS.post[3]):
        residual = h - earlier @ np.linalg.lstsq(earlier, h, rcond=None)[0]
        assert frames.leftover[i, 2] == pytest.approx(np.linalg.norm(residual), rel=1e-10)


def test_fresh_directions_are_unit_and_orthogonal_to_the_frame_before() -> None:
    frames = StateFrames(PASS)
    for time in range(1, 5):
        v = frames.fresh(time)
        np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, rtol=1e-14)
        np.testing.assert_allclose(v @ frames.frame(time - 1).T, 0.0, atol=1e-13)
        np.testing.assert_allclose(np.sum(v * PASS.post[time], axis=1), frames.leftover[:, time - 1], rtol=1e-10)


def test_sequences_that_share_a_prefix_have_a_frame_and_leftovers() -> None:
    """Equal states depend on each other, which the frame completes; what is new in them is not their difference."""
    fwd = forward(WIDE, sequences(3, 4, 5, np.random.default_rng(4), shared=2))
    frames = StateFrames(fwd)
    np.testing.assert_allclose(frames.basis @ frames.basis.T, np.eye(12), atol=1e-14)
    np.testing.assert_array_equal(frames.leftover[:, :2], frames.leftover[[0, 0, 0], :2])
    assert frames.leftover.min() > 0.1


def test_a_state_in_the_span_of_earlier_ones_has_no_fresh_direction() -> None:
    post = (PASS.post[0], PASS.post[1], PASS.post[1][::-1].copy())
    frames = StateFrames(type(PASS)(PASS.pre[:2], post, PASS.masks[:2], PASS.output))
    np.testing.assert_array_equal(frames.leftover[:, 1], 0.0)
    with pytest.raises(ValueError, match="state 1 of time 2"):
        frames.fresh(2)
    np.testing.assert_allclose(frames.frame(1) @ frames.first_direction(2), 0.0, atol=1e-14)


def test_the_first_direction_is_the_fresh_one_of_the_first_sequence() -> None:
    frames = StateFrames(PASS)
    for time in range(1, 5):
        np.testing.assert_allclose(frames.first_direction(time), frames.fresh(time)[0], atol=1e-14)


def test_row_norm_is_the_frobenius_norm_at_two_and_the_largest_row_far_out() -> None:
    W = np.random.default_rng(5).standard_normal((7, 3))
    assert row_norm(W, 2.0) == pytest.approx(np.linalg.norm(W), rel=1e-14)
    assert row_norm(W, 1.0) == pytest.approx(np.linalg.norm(W, axis=1).sum(), rel=1e-14)
    assert row_norm(1e100 * W, 1e6) == pytest.approx(1e100 * np.linalg.norm(W, axis=1).max(), rel=1e-5)
    assert row_norm(np.zeros((2, 2)), 3.0) == 0.0
