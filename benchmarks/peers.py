"""The same computations in PyTorch, as one would write them there: float64, on the CPU, one thread.

Main definitions: `TorchNetwork` and `TorchRecurrent`, dense passes and gradients; `batched_norms` and `looped_norms`,
Monte-Carlo of small networks; `product_norm`. Importing this module needs PyTorch: `pip install -e .[peers]`.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence

# Large arrays on large pages, as numpy has them by default; without, new arrays take PyTorch twice the time.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

with warnings.catch_warnings():
    # Its imports deprecate things of the standard library; that is not ours to mend.
    warnings.simplefilter("ignore")
    import torch

import numpy as np

from nets.core.arrays import Array
from nets.networks.network import Network


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """PyTorch with so many threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class TorchNetwork:
    """A network with its points (n, d) as tensors."""

    def __init__(self, net: Network, X: Array) -> None:
        self.weights = [torch.from_numpy(W).clone().requires_grad_() for W in net.weights]
        self.v = torch.from_numpy(net.v)
        self.X = torch.from_numpy(X)

    def _output(self) -> torch.Tensor:
        x = self.X
        for W in self.weights:
            x = torch.relu(x @ W)
        return x @ self.v

    def forward(self) -> torch.Tensor:
        """Outputs (n,), nothing kept for gradients."""
        with torch.inference_mode():
            return self._output()

    def gradients(self) -> tuple[torch.Tensor, ...]:
        """Forward pass, then the gradients of the sum of the outputs in all layers."""
        return torch.autograd.grad(self._output().sum(), self.weights)

    def product_norm(self, masks: Sequence[Array]) -> float:
        """Operator norm of the masked product of layers 2..L: products stored, then all singular values."""
        with torch.inference_mode():
            product = self.weights[1]
            for W, mask in zip(self.weights[2:], masks, strict=True):
                product = (product * torch.from_numpy(mask)) @ W
            return float(torch.linalg.matrix_norm(product, ord=2))


class TorchRecurrent:
    """A recurrent network with its sequences (n, times, d) as tensors: one dense matrix at every time."""

    def __init__(self, net: Network, X: Array) -> None:
        self.W = torch.from_numpy(net.stored_weights()[0]).clone().requires_grad_()
        self.A, self.B = torch.from_numpy(net.frozen[0]), torch.from_numpy(net.v)
        self.X = torch.from_numpy(X)

    def loss(self) -> torch.Tensor:
        """Half of the summed squared outputs of all samples and times."""
        state = torch.zeros((self.X.shape[0], self.W.shape[0]), dtype=torch.float64)
        total = torch.zeros((), dtype=torch.float64)
        for time in range(self.X.shape[1]):
            state = torch.relu(state @ self.W + self.X[:, time] @ self.A)
            total = total + 0.5 * torch.sum((state @ self.B) ** 2)
        return total

    def gradient(self) -> torch.Tensor:
        """Forward pass, then the gradient of the loss in the matrix of all times."""
        return torch.autograd.grad(self.loss(), self.W)[0]


def batched_norms(X: Array, widths: Sequence[int], networks: int, chunk: int) -> Array:
    """Layer norms (networks, n, L) of independent networks, drawn and multiplied many at a time."""
    points = torch.from_numpy(X)
    norms = torch.empty((networks, X.shape[0], len(widths)), dtype=torch.float64)
    with torch.inference_mode():
        for start in range(0, networks, chunk):
            count = min(chunk, networks - start)
            x = points.expand(count, *points.shape)
            for layer, m in enumerate(widths):
                W = torch.randn((count, x.shape[2], m), dtype=torch.float64)
                x = torch.bmm(x, W).mul_((2.0 / m) ** 0.5).relu_()
                norms[start : start + count, :, layer] = torch.linalg.vector_norm(x, dim=2)
    return norms.numpy()


def looped_norms(X: Array, widths: Sequence[int], networks: int) -> Array:
    """The same, one network after the other."""
    points = torch.from_numpy(X)
    norms = torch.empty((networks, X.shape[0], len(widths)), dtype=torch.float64)
    with torch.inference_mode():
        for index in range(networks):
            x = points
            for layer, m in enumerate(widths):
                W = torch.randn((x.shape[1], m), dtype=torch.float64)
                x = (x @ W).mul_((2.0 / m) ** 0.5).relu_()
                norms[index, :, layer] = torch.linalg.vector_norm(x, dim=1)
    return norms.numpy()


def same_method_norms(X: Array, widths: Sequence[int], networks: int, chunk: int) -> Array:
    """The same with the method of `nets.networks.fresh`: normals at the points, from the triangle of a batched QR."""
    norms = torch.empty((networks, X.shape[0], len(widths)), dtype=torch.float64)
    with torch.inference_mode():
        for start in range(0, networks, chunk):
            count = min(chunk, networks - start)
            x = torch.from_numpy(X).expand(count, *X.shape)
            for layer, m in enumerate(widths):
                R = torch.linalg.qr(x.transpose(1, 2), mode="r")[1]
                normals = torch.randn((count, R.shape[1], m), dtype=torch.float64)
                x = torch.bmm(R.transpose(1, 2), normals).mul_((2.0 / m) ** 0.5).relu_()
                norms[start : start + count, :, layer] = torch.linalg.vector_norm(x, dim=2)
    return norms.numpy()


def seed(value: int) -> None:
    """Fix the draws that follow."""
    torch.manual_seed(value)


def arrays(tensors: Sequence[torch.Tensor]) -> tuple[np.ndarray, ...]:
    """Tensors as arrays."""
    return tuple(tensor.detach().numpy() for tensor in tensors)
