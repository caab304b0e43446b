"""The eight parts on one network: each against a count or a search over all sparse vectors of small matrices."""

import itertools

import numpy as np
import pytest

from bounds.papers import chatterji2021 as sheet
from nets.core.arrays import Array
from nets.networks.activations import huberised_relu
from nets.networks.forward import forward
from properties.chatterji2021.eight_parts import PARTS, shares_of_the_parts
from properties.chatterji2021.tests.networks import random_network, unit_points

M, BETA = 6, 0.1


def _blocks(A: Array, k: int, left: bool, right: bool) -> float:
    """The largest norm of a block of k rows, k columns, or both."""
    rows = list(itertools.combinations(range(A.shape[0]), k)) if left else [tuple(range(A.shape[0]))]
    columns = list(itertools.combinations(range(A.shape[1]), k)) if right else [tuple(range(A.shape[1]))]
    return max(float(np.linalg.norm(A[np.ix_(r, c)], 2)) for r in rows for c in columns)


@pytest.mark.parametrize("L", [1, 2])
@pytest.mark.parametrize("s", [1, 2])
def test_each_part_is_what_its_lemma_bounds(L: int, s: int) -> None:
    net = random_network(L, *[M] * (L + 1)).with_activation(huberised_relu(1e-3))
    X = unit_points(5, 2, M)
    fwd = forward(net, X)
    *hidden, last = net.stored_weights()
    # Of the orientation of the paper: V_l maps what enters to what leaves.
    V = [W.T for W in hidden]
    slopes = fwd.masks
    products = [*V, *(V[1] @ np.diag(slopes[0][i]) @ V[0] for i in range(2) if L == 2)]
    outer = [last.T @ np.diag(slopes[L - 1][i]) @ V[L - 1] for i in range(2)]
    outer += [outer[i] @ np.diag(slopes[0][i]) @ V[0] for i in range(2) if L == 2]
    norms = [float(np.linalg.norm(A, 2)) for A in products]
    rows = [float(np.linalg.norm(q)) for q in outer]
    wanted = {
        "a": max(abs(float(np.linalg.norm(x)) - 1.0) for layer in fwd.post[1:] for x in layer) / sheet.lemma_E_2(),
        "b": max(max(norms[:L]) / sheet.lemma_E_3(), float(np.linalg.norm(last)) / sheet.lemma_E_3_output(m=M)),
        "c": max(max(norms) / sheet.lemma_E_4(L=L), max(rows) / sheet.lemma_E_4_output(m=M, L=L)),
        "d": max(_blocks(A, s, False, True) for A in products) / sheet.lemma_E_5(),
        "e": max(_blocks(A, s, True, False) for A in products) / sheet.lemma_E_6(),
        "f": max(_blocks(A, s, True, True) for A in products) / sheet.lemma_E_7(s=s, m=M),
        "g": max(_blocks(q, s, False, True) for q in outer) / sheet.lemma_E_8(s=s, m=M),
        "h": max(int((np.abs(u) <= BETA).sum()) for layer in fwd.pre for u in layer) / sheet.lemma_E_9(m=M, beta_=BETA),
    }
    found = shares_of_the_parts(net, fwd, s, BETA, np.random.default_rng(0))
    assert len(found.low) == len(found.high) == len(PARTS)
    for part, low, high in zip(PARTS, found.low, found.high, strict=True):
        assert low * (1.0 - 1e-9) <= wanted[part] <= high * (1.0 + 1e-9), part
        if part in "abcgh":
            assert low == high
    assert found.low[PARTS.index("f")] >= 0.8 * wanted["f"]
