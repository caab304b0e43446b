"""Training runs of a convolutional network, a recurrent one and a transformer that differ in the slope alone.

Main definitions: `StructuredRecipe`, what a run is besides its slope; `structured_errors`, one run; `NETWORKS`, the
networks by name: their weights, and their outputs in PyTorch, which is imported where a run begins.

The networks are those of Appendix C.1 at a small size, without biases: the rescaled leaky ReLU follows each convolution
and the linear layer after them, stands within each encoder of the transformer and in its read-out, and in the read-out
of the recurrent network, whose gates keep their sigmoids. Weights are Gaussian: of variance 2 over the number of
entries that enter a sum before a leaky ReLU, 1 over it elsewhere.
"""

import contextlib
import functools
import importlib
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from properties.guo2024.experiment_data import DIGITS, SOURCES
from properties.guo2024.slope_runs import TESTS, Errors

# What installs what the runs need.
REMEDY = "pip install -e '.[peers]'"

# Sides of a patch and entries of a token of the transformer, its encoders, and entries of the recurrent state.
PATCH = 2
TOKEN = 16
ENCODERS = 1
STATE = 16

Weights = Mapping[str, Any]


class LayerShape(NamedTuple):
    """The shape of a layer's weights, how many entries enter a sum, and whether a leaky ReLU follows."""

    shape: tuple[int, ...]
    entering: int
    leaky: bool = False


@dataclass(frozen=True)
class StructuredRecipe:
    """A training run, all but its slope: network, source of square images, width, steps of descent and their size.

    Each step takes all n images; the loss is cross entropy. Images of `source` are averaged over squares of side
    `pooled`. Test errors are met every `every` steps, and never where it is 0.
    """

    network: str
    source: str
    n: int
    m: int
    steps: int
    eta: float
    pooled: int = 1
    every: int = 0


@functools.lru_cache(maxsize=1024)
def structured_errors(recipe: StructuredRecipe, slope: float, seed: int) -> Errors:
    """The run of that slope and seed: mean cross entropies. Runs of one seed share images and initial weights."""
    with _single_threaded() as torch:
        for_points, for_weights = (np.random.default_rng([seed, use]) for use in range(2))
        rows, targets = SOURCES[recipe.source](recipe.n + (TESTS if recipe.every else 0), for_points)
        images = torch.from_numpy(_squares(rows, recipe.pooled))
        classes = torch.from_numpy(targets[:, 0].argmax(axis=1))
        shapes, output = NETWORKS[recipe.network]
        weights = _drawn(shapes(images.shape[-1], recipe.m), for_weights, torch)

        def error(chosen: slice) -> Any:
            met = output(torch, weights, images[chosen], _leaky(torch, slope))
            return torch.nn.functional.cross_entropy(met, classes[chosen])

        training, test = [], []
        for step in range(recipe.steps + 1):
            met = error(slice(recipe.n))
            training.append(met.item())
            if recipe.every and step % recipe.every == 0:
                with torch.no_grad():
                    test.append(error(slice(recipe.n, None)).item())
            if step < recipe.steps:
                slopes = torch.autograd.grad(met, list(weights.values()))
                with torch.no_grad():
                    for entries, upwards in zip(weights.values(), slopes, strict=True):
                        entries -= recipe.eta * upwards
    return Errors(np.array(training), np.array(test))


@contextlib.contextmanager
def _single_threaded() -> Iterator[Any]:
    """PyTorch with one thread and algorithms that give the same numbers each time; as it was, afterwards."""
    with warnings.catch_warnings():
        # Its imports deprecate things of the standard library; that is not ours to mend.
        warnings.simplefilter("ignore")
        torch = importlib.import_module("torch")
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield torch
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


def _squares(rows: np.ndarray, pooled: int) -> np.ndarray:
    """Images (count, 1, side, side) of rows of entries from 0 up, brought to [-1, 1] as Appendix C.1 does."""
    side = math.isqrt(rows.shape[1]) // pooled
    images = rows.reshape(len(rows), 1, side, pooled, side, pooled).mean(axis=(3, 5))
    return np.asarray(2.0 * images / images.max() - 1.0)


def _drawn(layers: Mapping[str, LayerShape], rng: Generator, torch: Any) -> Weights:
    """Gaussian weights of all layers, which gradients are taken in."""
    scales = {name: math.sqrt((2.0 if layer.leaky else 1.0) / layer.entering) for name, layer in layers.items()}
    drawn = {name: scales[name] * rng.standard_normal(layer.shape) for name, layer in layers.items()}
    return {name: torch.from_numpy(entries).requires_grad_() for name, entries in drawn.items()}


def _leaky(torch: Any, slope: float) -> Callable[[Any], Any]:
    """The leaky ReLU over sqrt(1 + slope^2)."""
    return lambda x: torch.where(x > 0, x, slope * x) / math.sqrt(1.0 + slope**2)


def _convolution_layers(side: int, m: int) -> dict[str, LayerShape]:
    """Table 7: four convolutions of 3 x 3 to m channels, and two linear layers."""
    channels = {1: 1, 2: m, 3: m, 4: m}
    convolutions = {f"convolution {k}": LayerShape((m, c, 3, 3), 9 * c, True) for k, c in channels.items()}
    flat = m * (side // 4) ** 2
    return convolutions | {
        "linear": LayerShape((flat, 4 * m), flat, True),
        "output": LayerShape((4 * m, DIGITS), 4 * m),
    }


def _convolution(torch: Any, weights: Weights, x: Any, leaky: Callable[[Any], Any]) -> Any:
    """Its outputs (count, 10); the maximum over squares of side 2 follows each second convolution."""
    for k in range(1, 5):
        x = leaky(torch.conv2d(x, weights[f"convolution {k}"], padding=1))
        if k % 2 == 0:
            x = torch.max_pool2d(x, 2)
    return leaky(x.flatten(1) @ weights["linear"]) @ weights["output"]


def _transformer_layers(side: int, m: int) -> dict[str, LayerShape]:
    """Table 5: tokens of patches with their places, encoders with m neurons each, and a read-out of m neurons."""
    layers = {
        "patch": LayerShape((PATCH**2, TOKEN), PATCH**2),
        "place": LayerShape(((side // PATCH) ** 2, TOKEN), TOKEN),
    }
    for k in range(ENCODERS):
        layers |= {f"{name} {k}": LayerShape((TOKEN, TOKEN), TOKEN) for name in ("query", "key", "value")}
        layers |= {f"in {k}": LayerShape((TOKEN, m), TOKEN, True), f"out {k}": LayerShape((m, TOKEN), m)}
    return layers | {"linear": LayerShape((TOKEN, m), TOKEN, True), "output": LayerShape((m, DIGITS), m)}


def _transformer(torch: Any, weights: Weights, x: Any, leaky: Callable[[Any], Any]) -> Any:
    """Its outputs (count, 10), of the mean token; attention and neurons see tokens of mean 0 and variance 1."""

    def level(tokens: Any) -> Any:
        return torch.layer_norm(tokens, (TOKEN,))

    patches = torch.nn.functional.unfold(x, PATCH, stride=PATCH).transpose(1, 2)
    x = patches @ weights["patch"] + weights["place"]
    for k in range(ENCODERS):
        seen = level(x)
        query, key, value = (seen @ weights[f"{name} {k}"] for name in ("query", "key", "value"))
        x = x + torch.softmax(query @ key.transpose(1, 2) / math.sqrt(TOKEN), dim=-1) @ value
        x = x + leaky(level(x) @ weights[f"in {k}"]) @ weights[f"out {k}"]
    return leaky(level(x).mean(dim=1) @ weights["linear"]) @ weights["output"]


def _recurrent_layers(side: int, m: int) -> dict[str, LayerShape]:
    """Table 8 with a single layer: four gates of a row and the state before it, and a read-out of m neurons."""
    return {
        "row": LayerShape((side, 4 * STATE), side),
        "state": LayerShape((STATE, 4 * STATE), STATE),
        "linear": LayerShape((STATE, m), STATE, True),
        "output": LayerShape((m, DIGITS), m),
    }


def _recurrent(torch: Any, weights: Weights, x: Any, leaky: Callable[[Any], Any]) -> Any:
    """Its outputs (count, 10), of the state after the last row of the image: a long short-term memory."""
    rows = x[:, 0] @ weights["row"]
    state = memory = torch.zeros(len(x), STATE, dtype=x.dtype)
    for place in range(rows.shape[1]):
        entered, kept, shown, new = (rows[:, place] + state @ weights["state"]).chunk(4, dim=1)
        memory = torch.sigmoid(kept) * memory + torch.sigmoid(entered) * torch.tanh(new)
        state = torch.sigmoid(shown) * torch.tanh(memory)
    return leaky(state @ weights["linear"]) @ weights["output"]


NETWORKS: dict[str, tuple[Callable[[int, int], dict[str, LayerShape]], Callable[..., Any]]] = {
    "convolution": (_convolution_layers, _convolution),
    "transformer": (_transformer_layers, _transformer),
    "recurrent": (_recurrent_layers, _recurrent),
}
