"""The network of the documentation, as a reader would copy it."""

from pathlib import Path
from typing import Any

import numpy as np

from nets.descent.training import train
from nets.networks.activations import scaled_swish
from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC
from nets.networks.network import Network, Step

PAGE = Path(__file__).resolve().parents[2] / "docs" / "networks.md"


def test_the_network_of_the_page_is_the_function_it_says_and_trains_its_first_layer() -> None:
    (block,) = PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
    rng, d, m = np.random.default_rng(0), 3, 40
    X, y = rng.standard_normal((5, d)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    names: dict[str, Any] = {
        "Network": Network,
        "Step": Step,
        "scaled_swish": scaled_swish,
        "train": train,
        "LOGISTIC": LOGISTIC,
        "rng": rng,
        "d": d,
        "m": m,
        "X": X,
        "y": y,
    }
    exec(block.split("```")[0], names)
    net, W, v = names["net"], names["W"], names["v"]
    hidden = X @ W / (1.1 * (1.0 + np.exp(-2.0 * (X @ W) / 0.1)))
    np.testing.assert_allclose(forward(net, X).output, hidden @ v, rtol=1e-12, atol=1e-12)
    path = names["path"]
    assert path.loss[-1] < path.loss[0]
    assert path.network.v is v
    assert path.drift_frobenius[-1, 0] > 0.0
