"""The network of Definition 3.1, its Gram matrices and its training, which several of the claims beside it measure."""

import numpy as np

# lambda_0 of the points of `fan`.
LAM0 = "1/2 - c*(pi - acos(c))/(2*pi)"


def fan(n, c):
    """n points of the unit sphere (n, n + 1), any two with the inner product c, and labels of both signs in turn (n,).

    The error of these labels lies in the eigenspace of lambda_0, which c moves from 1/2 to 0.
    """
    return np.hstack([np.sqrt(1.0 - c) * np.eye(n), np.full((n, 1), np.sqrt(c))]), np.resize([1.0, -1.0], n)


def limit(X):
    """H^infinity of points (n, d) of the unit sphere, (n, n)."""
    inner = np.clip(X @ X.T, -1.0, 1.0)
    return inner * (np.pi - np.arccos(inner)) / (2.0 * np.pi)


def least(X):
    """lambda_0, the least eigenvalue of H^infinity."""
    return np.linalg.eigvalsh(limit(X))[0]


def gram(X, W):
    """H of points (n, d) with the gates of weights (m, d), (n, n)."""
    gates = (X @ W.T >= 0.0).astype(float)
    return (X @ X.T) * (gates @ gates.T) / len(W)


def complexity(X, y):
    """sqrt(y^T (H^infinity)^-1 y)."""
    return np.sqrt(y @ np.linalg.solve(limit(X), y))


def start(rng, m, d, kappa):
    """Weights (m, d) from N(0, kappa^2), and signs (m,)."""
    return kappa * rng.standard_normal((m, d)), rng.choice([-1.0, 1.0], m)


def outputs(X, W, a):
    """f at points (n, d), (n,)."""
    return np.maximum(X @ W.T, 0.0) @ a / np.sqrt(len(a))


def descend(X, y, W, a, eta, steps):
    """Weights and outputs of gradient descent on half the sum of squares, one pair for the start and each step."""
    for step in range(steps + 1):
        fields = X @ W.T
        u = np.maximum(fields, 0.0) @ a / np.sqrt(len(a))
        yield W, u
        if step < steps:
            W = W - eta * ((fields >= 0.0) * (u - y)[:, None] * a).T @ X / np.sqrt(len(a))
