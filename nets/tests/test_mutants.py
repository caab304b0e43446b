"""Every wrong variant is wrong: on a small example it gives other numbers than the true function, in like shapes."""

import functools
import inspect
import operator
import pkgutil
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

from nets.core.arrays import Array
from nets.descent.carried_descent import CarriedDescent
from nets.descent.in_place import InPlaceDescent
from nets.mutants import MUTANTS, Mutant
from nets.networks.activations import RELU, huberised_relu
from nets.networks.forward import forward
from nets.networks.gradients import backward, loss_coefficients, rank_one_pairs
from nets.networks.losses import CROSS_ENTROPY, LOGISTIC, SQUARE
from nets.networks.network import Network, he_network, recurrent_network, smooth_network
from nets.tangent.linearised import TangentFeatures

Y = np.array([1.0, -1.0, 1.0])
BATCH = np.array([0, 2])
CLASSES = np.eye(4)[:3]


def _rng() -> np.random.Generator:
    return np.random.default_rng(5)


X = _rng().standard_normal((3, 4))
SEQUENCES = _rng().standard_normal((2, 3, 4))
NET, OTHER = he_network((4, 4, 4, 4), _rng()), he_network((4, 4, 4, 4), np.random.default_rng(6))
PASS, BACK = forward(NET, X), backward(NET, forward(NET, X))
SMOOTH = smooth_network((*_rng().standard_normal((2, 4, 4)), np.ones((4, 1))), huberised_relu(0.5))
SLOPES = loss_coefficients(PASS, Y, LOGISTIC)
GRAM = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]])
SPHERE = X / np.linalg.norm(X, axis=1, keepdims=True)


RECURRENT = recurrent_network(4, 8, 2, 3, _rng())
RUN, LOSSES_GIVEN = forward(RECURRENT, SEQUENCES), _rng().standard_normal((2, 3, 2))
PAPER = "properties.allenzhu2018rnn."


def _frames() -> Any:
    return pkgutil.resolve_name(PAPER + "frames.StateFrames")(RUN)


def _carried(made: Callable[..., None]) -> Any:
    run = CarriedDescent.__new__(CarriedDescent)
    made(run, SMOOTH, X, Y, 0.1)
    return run.advance(2)


def _in_place(descend: Callable[..., None]) -> Any:
    run = InPlaceDescent(NET, X)
    for _ in range(2):
        descend(run, SLOPES, 0.1)
    return run.network


EXAMPLES: dict[str, Callable[[Any], Any]] = {
    "nets.networks.network.he_network": lambda f: f((3, 4, 4, 4, 2), _rng()),
    "nets.networks.network.gaussian_network": lambda f: f((3, 4, 4, 4, 2), _rng()),
    "nets.networks.network.gaussian_smooth_network": lambda f: f((3, 4), huberised_relu(0.5), _rng()),
    "nets.networks.network.leaky_network": lambda f: forward(f(4, 5, 2, 2, 0.5, _rng()), X).output,
    "nets.networks.network.revealed_network": lambda f: ((net := f((3, 4, 2), _rng())).v, forward(net, X[:, :3]).pre),
    "nets.networks.network.smooth_network": lambda f: forward(f(SMOOTH.weights, SMOOTH.activation), X).output,
    "nets.networks.network.residual_network": lambda f: [
        ((net := f((4, 5, 5, 5, 2), 0.5, _rng(), stored=stored)).v, forward(net, X).output) for stored in (0, 100)
    ],
    "nets.networks.network.recurrent_network": lambda f: [
        forward(f(4, 5, 2, 3, _rng(), stored=stored), SEQUENCES).output for stored in (0, 100)
    ],
    "nets.networks.constructors.two_layer_network": lambda f: f(4, 6, _rng(), 0.5),
    "nets.networks.constructors.plain_network": lambda f: f((4, 6, 3, 2), _rng(), biases="trained", bias_variance=0.5),
    "nets.networks.constructors.ntk_network": lambda f: forward(f((4, 6, 3, 2), _rng(), bias_scale=0.3), X).output,
    "nets.networks.constructors.patch_network": lambda f: [(net := f(3, 4, 6, _rng())), forward(net, SEQUENCES).output],
    "nets.networks.constructors.sliding_patches": lambda f: f(X, 2, 2)[:, :1] + f(X, 2, stride=2)[:, 1:2],
    "nets.networks.activations.leaky_relu": lambda f: (f(0.5).value_and_slope(X), f(0.5, False).value_and_slope(X)),
    "nets.networks.fresh.fresh_forward": lambda f: f(X, (4, 4), _rng()),
    "nets.networks.fresh.fresh_outputs": lambda f: f(X, (4, 4), _rng()),
    "nets.networks.forward.forward": lambda f: f(NET, X),
    "nets.networks.activations.Activation.value_and_slope": lambda f: f(RELU, X),
    "nets.networks.gradients.backward": lambda f: f(NET, PASS).b,
    "nets.networks.gradients.rank_one_pairs": lambda f: f(PASS, BACK),
    "nets.networks.gradients.output_gradient": lambda f: f(NET, PASS, SLOPES),
    "nets.networks.losses.Loss.value_and_derivative": lambda f: f(LOGISTIC, X),
    "nets.networks.losses.OutputLoss.at_outputs": lambda f: [f(loss, X, CLASSES) for loss in (SQUARE, CROSS_ENTROPY)],
    "nets.networks.losses.LossConstants.alpha_1": lambda f: f(LOGISTIC.constants),
    "nets.networks.losses.LossConstants.rho": lambda f: f(LOGISTIC.constants),
    "nets.networks.losses.LossConstants.lam": lambda f: f(LOGISTIC.constants),
    "nets.networks.losses.empirical_risk": lambda f: f(LOGISTIC, Y, X[:, 0]),
    "nets.networks.gradients.loss_coefficients": lambda f: (f(PASS, Y, LOGISTIC), f(PASS, Y, LOGISTIC, BATCH)),
    "nets.networks.gradients.pair_norms": lambda f: f(rank_one_pairs(PASS, BACK)),
    "nets.networks.gradients.gradient_norms": lambda f: f(PASS, BACK, SLOPES),
    "nets.networks.log_loss.logistic_terms": lambda f: f(X),
    "nets.networks.logistic_gradients.loss_weights": lambda f: f(PASS, Y),
    "nets.networks.logistic_gradients.log_gradient_norms": lambda f: f(NET, PASS, Y),
    "nets.descent.training.descent_step": lambda f: f(NET, PASS, Y, LOGISTIC, 0.1, BATCH),
    "nets.descent.training.sgd_step": lambda f: f(NET, X, Y, LOGISTIC, 0.1, 2, _rng()),
    "nets.networks.network.shifted": lambda f: (f(NET, OTHER.weights), f(NET, OTHER.weights, -0.5)),
    "nets.descent.training.all_batches": lambda f: f(4, 2),
    "nets.descent.training.draw_batch": lambda f: [f(9, 6, np.random.default_rng(seed)) for seed in range(4)],
    "nets.descent.in_place.InPlaceDescent.descend": _in_place,
    "nets.descent.training.train": lambda f: f(NET, X, Y, LOGISTIC, 0.1, 2).loss,
    "nets.networks.logistic_gradients.logistic_step": lambda f: f(NET, X, Y, 0.1),
    "nets.descent.carried_descent.CarriedDescent": _carried,
    "nets.descent.carried_descent.CarriedDescent.advance": lambda f: f(CarriedDescent(SMOOTH, X, Y, 0.1), 2),
    "nets.networks.operators.masked_product": lambda f: [f(NET, PASS, 0, *layers) for layers in ((1, 2), (2, 3))],
    "nets.networks.operators.masked_product_operator": lambda f: [
        f(NET, PASS, 0, *layers) for layers in ((1, 2), (2, 3))
    ],
    "nets.networks.operators.largest_masked_product_norm": lambda f: f(NET, PASS),
    "nets.networks.operators.operator_norm": lambda f: f(X),
    "nets.networks.operators.frobenius_norm": lambda f: f(X),
    "nets.networks.operators.layer_norms": lambda f: f(PASS),
    "nets.networks.operators.sparse_supremum": lambda f: f(X, 2),
    "nets.networks.operators.threshold_counts": lambda f: f(X, np.array([0.6])),
    "nets.networks.operators.flip_counts": lambda f: f(PASS, forward(OTHER, X)),
    "nets.networks.operators.flipped_anywhere": lambda f: f(PASS, forward(OTHER, X)),
    "nets.networks.operators.gated_gram": lambda f: f(PASS),
    "nets.networks.operators.pairwise_distances": lambda f: f(X),
    "nets.data.distances.separation": lambda f: f(X),
    "nets.data.distances.normalise_rows": lambda f: f(X),
    "nets.data.covering.sphere_net": lambda f: len(f(2, 0.5, 40)),
    "nets.data.covering.maximal_separated": lambda f: len(f(X, 0.1)),
    "nets.data.covering.is_net": lambda f: [f(SPHERE[:1], SPHERE, eps) for eps in (0.01, 1.0, 2.01)],
    "nets.tangent.linearised.in_ball": lambda f: [f(NET, OTHER, radius) for radius in (0.1, 1e3)],
    "nets.tangent.linearised.layer_distances": lambda f: f(NET, OTHER),
    "nets.tangent.linearised.linearised": lambda f: f(NET, PASS, OTHER),
    "nets.tangent.linearised.best_linearised_loss": lambda f: f(GRAM[np.newaxis], np.zeros(3), Y, 0.5),
    "nets.tangent.linearised.linearisation_error": lambda f: f(NET, OTHER, X),
    "nets.tangent.linearised.TangentFeatures.layer_norms": lambda f: f(
        TangentFeatures(rank_one_pairs(PASS, BACK), (3,))
    ),
    "nets.tangent.linearised.tangent_features": lambda f: f(NET, PASS),
    "nets.tangent.margin.largest_margin": lambda f: f(GRAM, Y),
    PAPER + "descent.gradient": lambda f: [f(RECURRENT, RUN, LOSSES_GIVEN, batch) for batch in (None, np.array([1]))],
    PAPER + "fake_gradient.fake_gradient": lambda f: f(RECURRENT, RUN, LOSSES_GIVEN),
    PAPER + "fake_gradient.loss_gram": lambda f: f(RECURRENT, RUN),
    PAPER + "gate_corrections.gate_correction": lambda f: f(X[0], X[1]),
    PAPER + "frames.StateFrames.first_direction": lambda f: f(_frames(), 2),
    PAPER + "frames.StateFrames.fresh": lambda f: f(_frames(), 2),
}


@functools.singledispatch
def _numbers(found: Any) -> list[Array]:
    if is_dataclass(found):
        return [array for field in fields(found) for array in _numbers(getattr(found, field.name))]
    return [np.asarray(found, dtype=np.float64)]


@_numbers.register(tuple)
@_numbers.register(list)
def _of_all(found: Any) -> list[Array]:
    return [array for part in found for array in _numbers(part)]


@_numbers.register
def _of_network(found: Network) -> list[Array]:
    return [*found.weights, found.v]


@_numbers.register
def _of_operator(found: LinearOperator) -> list[Array]:
    return [found @ np.eye(found.shape[1])]


def _true(path: str) -> Any:
    """The function of that path; of a class its `__init__`, of a property or a field what reads it."""
    owner, _, name = path.rpartition(".")
    found = inspect.getattr_static(pkgutil.resolve_name(owner), name, None)
    if inspect.isclass(found):
        return found.__init__
    return operator.attrgetter(name) if found is None else getattr(found, "fget", found)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.function}: {mutant.name}")
def test_a_variant_gives_other_numbers_of_the_same_shapes(mutant: Mutant) -> None:
    true, example = _true(mutant.function), EXAMPLES[mutant.function]
    right, wrong = _numbers(example(true)), _numbers(example(mutant.wrong(true)))
    assert [array.shape for array in right] == [array.shape for array in wrong]
    assert any(not np.allclose(a, b, rtol=1e-3, atol=1e-9) for a, b in zip(right, wrong, strict=True))


def test_no_slip_is_declared_twice_and_every_example_is_of_a_variant() -> None:
    assert len({(mutant.function, mutant.name) for mutant in MUTANTS}) == len(MUTANTS)
    assert set(EXAMPLES) == {mutant.function for mutant in MUTANTS}
