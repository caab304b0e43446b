"""The network of the documentation, as a reader would copy it."""

from pathlib import Path
from typing import Any

import numpy as np

from nets.descent.training import train
from nets.networks.activations import scaled_swish
from nets.networks.forward import forward
from nets.networks.losses import LOGISTIC, SQUARE, empirical_risk
from nets.networks.network import Network, Step

PAGE = Path(__file__).resolve().parents[2] / "docs" / "networks.md"


def test_the_networks_of_the_page_are_the_functions_that_it_says() -> None:
    *before, block = PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
    rng, d, m = np.random.default_rng(0), 3, 40
    X, y = rng.standard_normal((5, d)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    names: dict[str, Any] = {
        "np": np,
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
    for earlier in before:
        exec(earlier.split("```")[0], names)
    hidden = np.maximum(X @ names["W"] + names["b"], 0.0)
    np.testing.assert_allclose(forward(names["biased"], X).output[:, 0], hidden @ names["V"], rtol=1e-12, atol=1e-12)
    assert (names["gradient_in_W"].shape, names["gradient_in_b"].shape) == ((d, m), (1, m))
    assert names["left"] < empirical_risk(SQUARE, names["targets"], forward(names["biased"], X).output)
    assert names["pooled"].shape == (5,)
    assert names["risks"][-1] < names["risks"][0]
    assert names["kernel"].shape == (5, 5)
    exec(block.split("```")[0], names)
    net, W, v = names["net"], names["W"], names["v"]
    hidden = X @ W / (1.1 * (1.0 + np.exp(-2.0 * (X @ W) / 0.1)))
    np.testing.assert_allclose(forward(net, X).output, hidden @ v, rtol=1e-12, atol=1e-12)
    path = names["path"]
    assert path.loss[-1] < path.loss[0]
    assert path.network.v is v
    assert path.drift_frobenius[-1, 0] > 0.0
