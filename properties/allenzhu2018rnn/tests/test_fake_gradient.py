"""The closed form against differences of outputs and the backward pass; the Gram matrix and its worst losses."""

from dataclasses import replace

import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.forward import Forward, forward
from nets.networks.gradients import output_gradient
from nets.networks.network import Network, recurrent_network, shifted
from nets.tangent.linearised import tangent_features
from properties.allenzhu2018rnn.fake_gradient import (
    alike_gates,
    as_losses,
    backward_matrix,
    fake_gradient,
    fake_pair,
    from_time_two,
    loss_gram,
    neuron_norms,
    product_frobenius_norm,
    row_kinks,
    row_step,
    slope_along,
    turned_gates,
    worst_losses,
)
from properties.allenzhu2018rnn.sequences import sequences

SIZES = {"n": 3, "L": 4, "d": 3, "outputs": 2}


@pytest.fixture
def case() -> tuple[Network, Forward, Array]:
    """A network of 7 neurons, its pass of three sequences of four inputs, and losses."""
    rng = np.random.default_rng(5)
    net = recurrent_network(3, 7, 2, 4, rng)
    return net, forward(net, sequences(3, 4, 3, rng)), rng.standard_normal((3, 4, 2))


def test_the_backward_matrix_is_the_derivative_of_an_output_in_an_earlier_state(
    case: tuple[Network, Forward, Array],
) -> None:
    """A change of h_{i,2} reaches the output of time 4 by Back_{i,2->4}, and its own output by B."""
    net, fwd, _ = case
    change = 1e-6 * np.arange(7.0)
    states = [fwd.post[2][1], fwd.post[2][1] + change]
    for time in (3, 4):
        states = [np.maximum(h @ net.weights[0] + fwd.inputs[time - 1][1] @ net.frozen[0], 0.0) for h in states]
    moved = (states[1] - states[0]) @ net.v
    np.testing.assert_allclose(moved, backward_matrix(net, fwd, 1, 2, 4) @ change, rtol=1e-7, atol=1e-14)
    np.testing.assert_array_equal(backward_matrix(net, fwd, 1, 4, 4), net.v.T)


def test_the_fake_gradient_is_the_derivative_of_the_outputs_with_fixed_coefficients(
    case: tuple[Network, Forward, Array],
) -> None:
    """It is linear in the losses, and a small step in W changes the weighted outputs by it."""
    net, fwd, losses = case
    found = fake_gradient(net, fwd, losses)
    step = 1e-6 * np.random.default_rng(1).standard_normal((7, 7))
    X = np.stack(fwd.inputs, axis=1)
    rise = np.sum(losses * (forward(shifted(net, [step]), X).output - forward(shifted(net, [-step]), X).output))
    assert rise == pytest.approx(2.0 * np.sum(found * step), rel=1e-7)
    np.testing.assert_allclose(fake_gradient(net, fwd, 2.0 * losses), 2.0 * found, rtol=1e-12)


def test_losses_of_time_one_count_nowhere(case: tuple[Network, Forward, Array]) -> None:
    """No output of time 1 depends on W."""
    net, fwd, losses = case
    only = losses - from_time_two(losses)
    assert np.abs(output_gradient(net, fwd, only)[0]).max() == 0.0
    np.testing.assert_array_equal(fake_gradient(net, fwd, only), np.zeros((7, 7)))


def test_the_factors_have_the_norms_of_the_double_sum(case: tuple[Network, Forward, Array]) -> None:
    """In all, and neuron by neuron."""
    net, fwd, losses = case
    found, pair = fake_gradient(net, fwd, losses), fake_pair(net, fwd, losses)
    np.testing.assert_allclose(pair[0].T @ pair[1], found, rtol=1e-12, atol=1e-12)
    assert product_frobenius_norm(pair) == pytest.approx(np.linalg.norm(found), rel=1e-12)
    np.testing.assert_allclose(neuron_norms(pair), np.linalg.norm(found, axis=0), rtol=1e-7)


def test_the_gram_matrix_gives_the_squared_norm_of_the_fake_gradient(case: tuple[Network, Forward, Array]) -> None:
    """v^T K v for the losses v of times 2 to 4."""
    net, fwd, losses = case
    v = losses[:, 1:].reshape(-1)
    assert v @ loss_gram(net, fwd) @ v == pytest.approx(np.sum(fake_gradient(net, fwd, losses) ** 2), rel=1e-10)
    np.testing.assert_array_equal(as_losses(v, 3, 2), from_time_two(losses))


def test_the_gram_matrix_is_that_of_the_backward_pass_whole_and_of_a_set_of_neurons(
    case: tuple[Network, Forward, Array],
) -> None:
    """Of which it uses nothing; the neurons are columns of the gradient."""
    net, fwd, losses = case
    whole = tangent_features(net, fwd).grams[0].reshape(3, 4, 2, 3, 4, 2)[:, 1:, :, :, 1:]
    np.testing.assert_allclose(loss_gram(net, fwd), whole.reshape(18, 18), rtol=1e-10, atol=1e-12)
    v, chosen = losses[:, 1:].reshape(-1), np.array([4, 1])
    squares = np.sum(fake_gradient(net, fwd, losses)[:, chosen] ** 2)
    assert v @ loss_gram(net, fwd, chosen) @ v == pytest.approx(squares, rel=1e-10)


def test_the_slope_along_the_fake_gradient_is_its_squared_norm(case: tuple[Network, Forward, Array]) -> None:
    """And along another step its inner product with that."""
    net, fwd, losses = case
    X, found = np.stack(fwd.inputs, axis=1), fake_gradient(net, fwd, losses)
    other = np.random.default_rng(2).standard_normal(found.shape)
    assert slope_along(net, X, losses, found) == pytest.approx(np.sum(found**2), rel=1e-6)
    assert slope_along(net, X, losses, other) == pytest.approx(np.sum(found * other), rel=1e-6)


def test_losses_of_equal_sequences_that_cancel_have_a_slope_of_zero() -> None:
    rng = np.random.default_rng(6)
    X = np.repeat(sequences(1, 8, 3, rng), 2, axis=0)
    net, losses = recurrent_network(3, 1024, 1, 8, rng, stored=0), rng.standard_normal((1, 8, 1)) * [[[1.0]], [[-1.0]]]
    step = output_gradient(net, forward(net, X), losses)[0]
    assert slope_along(net, X, losses, step) == pytest.approx(0.0, abs=1e-9)


def test_gates_are_those_of_the_pre_activations(case: tuple[Network, Forward, Array]) -> None:
    """Slopes that a pass has otherwise are none of the closed form."""
    net, fwd, losses = case
    leaky = replace(fwd, masks=tuple(np.maximum(mask, 0.1) for mask in fwd.masks))
    np.testing.assert_array_equal(fake_gradient(net, leaky, losses), fake_gradient(net, fwd, losses))


def test_the_worst_losses_attain_what_is_said_of_them(case: tuple[Network, Forward, Array]) -> None:
    """The largest has norm 1, they attain `high`, no drawn losses come below it, and it is not below `low`."""
    net, fwd, _ = case
    K, rng = loss_gram(net, fwd), np.random.default_rng(0)
    found = worst_losses(K, 2)
    assert np.linalg.norm(found.losses.reshape(-1, 2), axis=1).max() == pytest.approx(1.0)
    assert found.losses @ K @ found.losses == pytest.approx(found.high)
    assert found.low <= found.high
    for _ in range(50):
        v = rng.standard_normal(len(K))
        assert v @ K @ v >= found.high * np.linalg.norm(v.reshape(-1, 2), axis=1).max() ** 2


def test_a_step_makes_the_gates_of_two_sequences_alike() -> None:
    """All of them at time 2 where the radius is large, none at radius 0, and no step is longer than it."""
    rng = np.random.default_rng(3)
    net, X = recurrent_network(3, 64, 1, 2, rng), sequences(2, 2, 3, rng, "alike", 0.3)
    fwd = forward(net, X)
    for radius, left in ((10.0, 0), (0.0, None)):
        step = alike_gates(net, fwd, radius)
        masks = forward(shifted(net, [step]), X).masks[1]
        differing = int(np.sum(masks[0] != masks[1]))
        assert differing == (int(np.sum(fwd.masks[1][0] != fwd.masks[1][1])) if left is None else left)
        assert np.linalg.norm(step, 2) <= radius * (1.0 + 1e-12)


def test_a_step_turns_the_smallest_pre_activations_first() -> None:
    """The gates that a short step turns at time 2 are those of the smallest pre-activations, and it fits the radius."""
    rng = np.random.default_rng(4)
    net, X = recurrent_network(3, 64, 1, 2, rng), sequences(1, 2, 3, rng, "unit")
    fwd = forward(net, X)
    step = turned_gates(net, fwd, 0.1)
    turned = np.flatnonzero(forward(shifted(net, [step]), X).masks[1][0] != fwd.masks[1][0])
    smallest = np.argsort(np.abs(fwd.pre[1][0]))[: turned.size]
    assert turned.size > 1
    assert set(turned) == set(smallest)
    assert np.linalg.norm(step, 2) <= 0.1 * (1.0 + 1e-12)


def test_a_step_in_one_neuron_turns_its_gate_at_each_kink(case: tuple[Network, Forward, Array]) -> None:
    """No other column changes, and at each size after the two ends, to first order, one more gate of it is turned."""
    net, fwd, _ = case
    direction = fwd.post[1][0] / np.linalg.norm(fwd.post[1][0])
    sizes = row_kinks(fwd, direction, 2, 1e3)
    np.testing.assert_array_equal(sizes[:2], [1e3, -1e3])
    gates = np.concatenate([pre[:, 2] for pre in fwd.pre[1:]])
    along = np.concatenate([h @ direction for h in fwd.post[1:-1]])
    for size in sizes[2:]:
        step = row_step(net, direction, 2, float(size))
        assert np.abs(np.delete(step, 2, axis=1)).max() == 0.0
        moved = gates + along * size
        assert np.min(np.abs(moved) / np.abs(gates)) < 1e-5
    assert len(sizes) > 4
