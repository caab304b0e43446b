"""The limiting kernel has the order of the kernel of a drawn network, and its least eigenvalue for a pair."""

import numpy as np
import pytest

from nets.networks.forward import forward
from nets.networks.network import recurrent_network
from properties.allenzhu2018rnn.fake_gradient import loss_gram
from properties.allenzhu2018rnn.limiting_kernel import least_in_the_limit, limiting_kernel
from properties.allenzhu2018rnn.near_pairs import limit_eigenvalue
from properties.allenzhu2018rnn.sequences import sequences


def test_a_wide_network_has_nearly_this_kernel_in_this_order() -> None:
    rng = np.random.default_rng(0)
    X = sequences(2, 3, 4, rng, "unit")
    net = recurrent_network(4, 20_000, 1, 3, rng, stored=0)
    limit = limiting_kernel(X)
    assert limit.shape == (4, 4)
    assert np.abs(loss_gram(net, forward(net, X)) / 20_000 - limit).max() < 0.1 * limit.max()


def test_the_least_eigenvalue_of_a_pair_is_that_of_its_closed_form() -> None:
    X = sequences(2, 2, 3, np.random.default_rng(1), "zero", 0.3)
    assert least_in_the_limit(X) == pytest.approx(limit_eigenvalue(0.3), rel=1e-9)
