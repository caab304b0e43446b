"""A network that is only a function: what it computes, what is refused when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nets.descent.training import train
from nets.networks.forward import forward
from nets.networks.function_network import FunctionNetwork
from nets.networks.gradients import loss_gradient
from nets.networks.losses import LOGISTIC, SQUARE
from nets.networks.network import Network, Step, he_network
from nets.tangent.linearised import tangent_features

SAMPLES, Y = np.random.default_rng(1).standard_normal((6, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
NET = he_network((3, 8, 4), np.random.default_rng(2))

Parameters = Sequence[np.ndarray]


def value(parameters: Parameters, X: np.ndarray) -> np.ndarray:
    """Two ReLU layers with the read-out of `NET`."""
    W_1, W_2 = parameters
    return np.asarray(np.maximum(np.maximum(X @ W_1, 0.0) @ W_2, 0.0) @ NET.v)


def slope(parameters: Parameters, X: np.ndarray, coefficients: np.ndarray) -> list[np.ndarray]:
    """By the chain rule, written out."""
    W_1, W_2 = parameters
    first = np.maximum(X @ W_1, 0.0)
    second = (first @ W_2 > 0.0) * np.outer(coefficients, NET.v)
    return [X.T @ ((first > 0.0) * (second @ W_2.T)), first.T @ second]


def made(function: Any = value, gradient: Any = slope) -> FunctionNetwork:
    return FunctionNetwork(function, gradient, NET.weights, SAMPLES)


def test_it_is_the_network_that_it_writes_out() -> None:
    own, X = made(), np.random.default_rng(3).standard_normal((5, 3))
    y, fwd = Y[:5], forward(NET, X)
    np.testing.assert_allclose(own.output(X), fwd.output, rtol=1e-12, atol=1e-14)
    for mine, theirs in zip(own.loss_gradient(X, y, LOGISTIC), loss_gradient(NET, fwd, y, LOGISTIC), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-14)
    kernel = tangent_features(NET, fwd).grams.sum(axis=0)
    np.testing.assert_allclose(own.tangent_kernel(X), kernel, rtol=1e-10, atol=1e-14)
    risks, last = own.train(X, y, LOGISTIC, 0.1, 12)
    path = train(NET, X, y, LOGISTIC, 0.1, 12)
    np.testing.assert_allclose(risks, path.loss, rtol=1e-10)
    np.testing.assert_allclose(last.parameters[0], path.network.weights[0], rtol=1e-10)


def attention(parameters: Parameters, X: np.ndarray) -> np.ndarray:
    """One head over the parts of each sample (n, parts, d), the queries being the parts themselves."""
    (K,), v = parameters, np.array([1.0, -1.0, 0.5])
    scores = np.einsum("npd,de,nqe->npq", X, K, X)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.asarray(np.einsum("npq,nqd,d->n", weights, X, v))


def attention_slope(parameters: Parameters, X: np.ndarray, coefficients: np.ndarray) -> list[np.ndarray]:
    (K,), v = parameters, np.array([1.0, -1.0, 0.5])
    scores = np.einsum("npd,de,nqe->npq", X, K, X)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    read = X @ v
    centred = weights * (read[:, np.newaxis, :] - np.einsum("npq,nq->np", weights, read)[:, :, np.newaxis])
    return [np.einsum("n,npq,npd,nqe->de", coefficients, centred, X, X)]


def test_attention_over_the_parts_of_a_sample_is_a_function() -> None:
    X = np.random.default_rng(4).standard_normal((4, 5, 3))
    own = FunctionNetwork(attention, attention_slope, (0.3 * np.eye(3),), X)
    risks, _ = own.train(X, np.array([1.0, -1.0, 1.0, -1.0]), LOGISTIC, 0.5, 20)
    assert risks[-1] < risks[0]


def test_several_outputs_take_a_loss_of_outputs() -> None:
    def both(parameters: Parameters, X: np.ndarray) -> np.ndarray:
        return np.asarray(np.tanh(X @ parameters[0]))

    def back(parameters: Parameters, X: np.ndarray, coefficients: np.ndarray) -> list[np.ndarray]:
        return [X.T @ (coefficients * (1.0 - np.tanh(X @ parameters[0]) ** 2))]

    own = FunctionNetwork(both, back, (np.random.default_rng(5).standard_normal((3, 2)),), SAMPLES)
    assert own.features(SAMPLES).shape == (12, 6)
    risks, _ = own.train(SAMPLES, np.zeros((6, 2)), SQUARE, 0.1, 5)
    assert (np.diff(risks) < 0.0).all()


def over_the_batch(parameters: Parameters, X: np.ndarray) -> np.ndarray:
    """Normalisation over a batch."""
    outputs = value(parameters, X)
    return np.asarray((outputs - outputs.mean()) / (outputs.std() + 1.0))


def writing(parameters: Parameters, X: np.ndarray) -> np.ndarray:
    X += 1.0
    return value(parameters, X)


@pytest.mark.parametrize(
    ("function", "gradient", "message"),
    [
        (over_the_batch, slope, "a network is a function of one sample; normalise by numbers that are fixed, not over"),
        (value, lambda p, X, c: [0.5 * G for G in slope(p, X, c)], "the gradient in parameter 1 gives"),
        (value, lambda p, X, c: [slope(p, X, c)[0], -slope(p, X, c)[1]], "the gradient in parameter 2 gives"),
        (value, lambda p, X, c: [slope(p, X, c)[0], 0.0 * p[1]], "the gradient in parameter 2 gives 0 along"),
        (value, lambda p, X, c: slope(p, X, np.ones(len(X))), "the gradient in parameter 1 gives"),
        (value, lambda p, X, c: [1.001 * G for G in slope(p, X, c)], "the gradient in parameter 1 gives"),
        (value, lambda p, X, c: slope(p, X, c)[:1], "let it return those of the parameters"),
        (value, lambda p, X, c: [np.nan * G for G in slope(p, X, c)], "the gradient in parameter 1 is not finite"),
        (lambda p, X: value(p, X)[0], slope, "let it return a finite one per sample"),
        (lambda p, X: np.nan * value(p, X), slope, "let it return a finite one per sample"),
        (writing, slope, "writes into the arrays that it is given"),
    ],
)
def test_what_is_no_such_network_is_refused(function: Any, gradient: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(function, gradient)


def test_one_sample_is_too_few_to_check_at() -> None:
    with pytest.raises(ValueError, match="pass two at least"):
        FunctionNetwork(value, slope, NET.weights, SAMPLES[:1])
    with pytest.raises(ValueError, match="has no parameters"):
        FunctionNetwork(value, slope, (), SAMPLES)


def test_attention_and_normalisation_are_no_activations() -> None:
    from nets.networks.activations import custom_activation

    def softmax(z: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))

    with pytest.raises(ValueError, match="as no normalisation over a batch, softmax or attention does"):
        custom_activation("softmax", softmax, softmax, smoothness=1.0)
    with pytest.raises(ValueError, match="the activation softmax is none, as its derivative is not known"):
        Step(0, softmax)  # type: ignore[arg-type]
    assert isinstance(NET, Network)


def test_a_gradient_that_is_right_at_one_choice_of_the_parameters_alone_is_refused() -> None:
    def curved(parameters: Parameters, X: np.ndarray) -> np.ndarray:
        return np.asarray(np.tanh(X @ parameters[0]))

    def level(parameters: Parameters, X: np.ndarray, coefficients: np.ndarray) -> list[np.ndarray]:
        return [X.T @ coefficients]

    with pytest.raises(
        ValueError, match=r"^at parameters beside those given, by 0.125 of their size, the gradient in par"
    ):
        FunctionNetwork(curved, level, (np.zeros(3),), SAMPLES)


def test_parameters_beside_the_given_ones_need_have_no_outputs() -> None:
    def root(parameters: Parameters, X: np.ndarray) -> np.ndarray:
        return np.asarray(np.sqrt(parameters[0]).sum() * X.sum(axis=1))

    def back(parameters: Parameters, X: np.ndarray, coefficients: np.ndarray) -> list[np.ndarray]:
        return [0.5 / np.sqrt(parameters[0]) * np.sum(coefficients * X.sum(axis=1))]

    given = (np.array([1e-4, 1.0, 1.0, 1.0]),)
    assert FunctionNetwork(root, back, given, SAMPLES).parameters[0].shape == (4,)
