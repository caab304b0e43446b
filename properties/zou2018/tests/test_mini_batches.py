"""Steps over all batches against gradients written out, trees and paths by hand, and a decrease in many digits."""

import itertools
import math
from collections.abc import Iterator
from functools import partial

import mpmath
import numpy as np
import pytest
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.data.points import sphere
from nets.descent.training import train
from nets.networks.forward import forward
from nets.networks.gradients import loss_gradient, output_gradient
from nets.networks.losses import EXPONENTIAL, HUBERISED_HINGE, LOGISTIC
from nets.networks.network import Network, he_network
from nets.networks.operators import frobenius_norm, gated_gram
from properties.shared.batch_trees import Batch
from properties.zou2018.descent import kernel_step
from properties.zou2018.mini_batches import (
    KNEES,
    LONG,
    SLOW_EXPONENTIAL,
    BatchTree,
    Branching,
    FirstPassage,
    ball_decrease,
    batch_tree,
    best_loss,
    gram_rate,
    measured_rate,
    passage,
    path_to,
    steepest_samples,
    unit_curvature_step,
)
from theory.claims import Measured


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(73)


def branching(rng: Generator, size: int, eta: float = 0.2) -> Branching:
    """An iterate at four samples, of two layers."""
    X, y = sphere(4, 3, rng), np.array([1.0, -1.0, 1.0, -1.0])
    return Branching(he_network((3, 8, 8), rng), X, y, LOGISTIC, eta, size)


def one_margin(a: float, eta: float = 0.5) -> Branching:
    """One sample with the margin a, whose gradient has norm 1."""
    net = Network((np.array([[a, -1.0]]),), np.array([1.0, -1.0]))
    return Branching(net, np.ones((1, 1)), np.ones(1), EXPONENTIAL, eta, 1)


def test_the_slow_exponential_halves_its_own_size() -> None:
    value, slope = SLOW_EXPONENTIAL.value_and_derivative(np.array([0.0, 2.0]))
    assert value == pytest.approx([1.0, math.exp(-1.0)], rel=1e-14)
    assert slope == pytest.approx(-0.5 * value, rel=1e-14)
    assert SLOW_EXPONENTIAL.constants.alpha_1 == 0.5


def test_the_losses_with_a_knee_have_three_exponents() -> None:
    assert [loss.constants.p for loss in KNEES.values()] == pytest.approx([1.0, 0.5, 2 / 3])
    assert all(math.isfinite(loss.constants.alpha_0) for loss in KNEES.values())


@pytest.mark.parametrize("size", [1, 3])
def test_the_next_iterates_are_steps_down_the_gradients_of_the_batches(size: int, rng: Generator) -> None:
    root = branching(rng, size)
    batches = list(itertools.combinations(range(4), size))
    assert len(root.children) == len(batches)
    for batch, child in zip(batches, root.children, strict=True):
        rows = list(batch)
        alone = forward(root.net, root.X[rows])
        gradients = loss_gradient(root.net, alone, root.y[rows], LOGISTIC)
        for W, V, G in zip(child.net.weights, root.net.weights, gradients, strict=True):
            assert pytest.approx(V - 0.2 * G, abs=1e-13) == W
    risks = [float(np.mean(np.log1p(np.exp(-child.y * child.passed.output)))) for child in root.children]
    assert [child.risk for child in root.children] == pytest.approx(risks, rel=1e-12)
    assert root.mean_decrease == pytest.approx(root.risk - np.mean(risks), rel=1e-9)


def test_numbers_of_an_iterate_are_those_written_out(rng: Generator) -> None:
    root = branching(rng, 2)
    margins = root.y * forward(root.net, root.X).output
    slopes = -1.0 / (1.0 + np.exp(margins))
    assert root.values == pytest.approx(np.log1p(np.exp(-margins)), rel=1e-12)
    assert root.slope_sum == pytest.approx(-slopes.sum(), rel=1e-12)
    assert root.errors == int(np.sum(margins <= 0.0))
    wanted = [frobenius_norm(G) ** 2 for G in loss_gradient(root.net, root.passed, root.y, LOGISTIC)]
    assert root.squared_gradients == pytest.approx(wanted, rel=1e-10)
    # The kernel of gradients, of each sample, gives the change of outputs to first order.
    rows = [np.concatenate([G.ravel() for G in output_gradient(root.net, root.passed, e)]) for e in np.eye(4)]
    kernel = np.array(rows) @ np.array(rows).T
    for batch, moves in zip(itertools.combinations(range(4), 2), root.linear_moves, strict=True):
        inside = np.isin(np.arange(4), batch)
        assert moves == pytest.approx(-0.2 * kernel @ (root.y * slopes * inside / 2.0), rel=1e-9, abs=1e-12)


def test_first_order_moves_are_those_of_a_short_step(rng: Generator) -> None:
    root = branching(rng, 1, eta=1e-7)
    for child, moves in zip(root.children, root.linear_moves, strict=True):
        assert child.passed.output - root.passed.output == pytest.approx(moves, rel=1e-4, abs=1e-13)


def test_an_error_is_a_margin_of_zero_or_less() -> None:
    net = Network((np.array([[1.0, 1.0]]),), np.array([1.0, -1.0]))
    assert Branching(net, np.ones((1, 1)), np.ones(1), LOGISTIC, 0.1, 1).errors == 1


def test_the_unit_step_meets_the_kernel(rng: Generator) -> None:
    root = branching(rng, 1)
    assert unit_curvature_step(root.net, root.X) == kernel_step(root.net, root.X, HUBERISED_HINGE)
    assert unit_curvature_step(root.net, root.X) == pytest.approx(
        0.25 * kernel_step(root.net, root.X, LOGISTIC), rel=1e-12
    )


def test_a_tree_has_a_path_for_every_sequence_of_batches(rng: Generator) -> None:
    tree = batch_tree(branching(rng, 3), 2)
    assert isinstance(tree, BatchTree)
    assert [len(level) for level in tree.levels] == [1, 4, 16]
    by_hand = tree.levels[0][0].children[2].children[1]
    assert tree.risks(2)[2 * 4 + 1] == by_hand.risk
    assert tree.slopes(2)[2 * 4 + 1] == pytest.approx(by_hand.slope_sum / 4.0, rel=1e-14)
    rates = [measured_rate(iterate) for level in tree.levels[:2] for iterate in level]
    assert tree.rate == min(rates)


def test_the_constant_of_a_tree_makes_its_bound_hold_at_every_iterate_but_the_last(rng: Generator) -> None:
    tree = batch_tree(branching(rng, 2, eta=0.05), 2)
    c0 = tree.constant(8, 4, 0.5)
    attained = []
    for iterate in (*tree.levels[0], *tree.levels[1]):
        sizes = {"eta": 0.05, "m": 8, "phi": 0.5, "n": 4, "S1abs": iterate.slope_sum, "c0": c0}
        attained.append(float(sheet.eq_C_18.evaluate(sizes)) / iterate.mean_decrease)
    assert max(attained) == pytest.approx(1.0, rel=1e-9)


def test_a_tree_that_goes_up_or_is_flat_has_the_constant_that_stands_for_none() -> None:
    assert BatchTree(((one_margin(1.0),),), -1.0).constant(2, 1, 1.0) == 1e-12
    assert BatchTree(((one_margin(1.0),),), math.inf).constant(2, 1, 1.0) == 1e-12


def test_rates_of_one_sample_by_hand() -> None:
    """The loss e^-a falls to e^-(a + eta e^-a), S1 = e^-a; the Gram matrix is 1 of 2 neurons, so both rates agree."""
    root = one_margin(0.3)
    slope = math.exp(-0.3)
    wanted = (slope - math.exp(-0.3 - 0.5 * slope)) / (0.5 * slope**2)
    assert wanted * (1 - 2e-11) < measured_rate(root) < wanted * (1 - 5e-12)
    assert gated_gram(root.passed) == pytest.approx(np.array([[0.5]]), rel=1e-14)
    assert gram_rate(root) == pytest.approx(wanted, rel=1e-9)


def test_the_rate_of_the_gram_matrix_is_the_smaller_one(rng: Generator) -> None:
    """The least eigenvalue bounds the gradient that the slopes at hand have."""
    for _ in range(5):
        root = branching(rng, 2, eta=0.02)
        assert 0.0 <= gram_rate(root) <= measured_rate(root) * (1.0 + 1e-9)


def test_a_flat_iterate_promises_nothing() -> None:
    dead = Network((-np.ones((1, 2)),), np.array([1.0, -1.0]))
    flat = Branching(dead, np.ones((1, 1)), np.ones(1), HUBERISED_HINGE, 0.5, 1)
    assert flat.mean_decrease == 0.0
    far = one_margin(800.0)
    assert far.slope_sum == 0.0
    assert math.isinf(measured_rate(far))


def test_a_path_of_one_margin_is_its_recursion_by_hand() -> None:
    a, here = 0.1, one_margin(0.1)
    for _ in range(5):
        assert here.risk == pytest.approx(math.exp(-a), rel=1e-12)
        a, (here,) = a + 0.5 * math.exp(-a), here.children


def test_a_random_path_stops_at_its_loss_and_states_what_the_lemma_asks(rng: Generator) -> None:
    X, y = np.eye(2, 3), np.array([1.0, -1.0])
    root = Branching(he_network((3, 64, 64), rng), X, y, LOGISTIC, 0.01, 1)
    found = passage(root, 0.5 * root.risk, rng)
    assert isinstance(found, FirstPassage)
    assert found.last.risk <= 0.5 * root.risk
    steps = round(found.time / 0.01)
    assert found.time == pytest.approx(steps * 0.01, rel=1e-12)
    assert found.symbols["L0"] == root.risk
    assert found.symbols["phi"] == pytest.approx(math.sqrt(2.0), rel=1e-12)
    assert found.symbols["eps"] == 0.5 * root.risk
    assert found.symbols["c0"] > 1e-12
    sizes = {**found.symbols, "m": 64, "n": 2}
    assert found.time <= float(sheet.lemma_5_8.evaluate(sizes))


def test_a_fixed_path_takes_the_first_batch_each_time_and_the_rate_asked(rng: Generator) -> None:
    X, y = np.eye(2, 3), np.array([1.0, -1.0])
    root = Branching(he_network((3, 64, 64), rng), X, y, LOGISTIC, 0.01, 1)
    rates: list[float] = []

    def rate(iterate: Branching) -> float:
        """The measured one, noted."""
        rates.append(measured_rate(iterate))
        return rates[-1]

    found = passage(root, 0.9 * root.risk, rng, rate=rate, fixed=True)
    wanted = root
    for _ in rates:
        wanted = wanted.children[0]
    assert found.last.risk == wanted.risk
    assert found.symbols["c0"] == pytest.approx(2.0 * min(rates) * 2**7 / (64 * math.sqrt(2.0) ** 3), rel=1e-9)


def test_a_path_goes_to_its_loss_by_the_drawn_batches_and_makes_no_others(rng: Generator) -> None:
    root = Branching(he_network((3, 64), rng), np.eye(3), np.array([1.0, -1.0, 1.0]), LOGISTIC, 0.1, 2)
    eps = 0.9 * root.risk
    path = list(path_to(root, eps, np.random.default_rng(5)))
    assert path[-1].risk <= eps < min(iterate.risk for iterate in path[:-1])
    draws, wanted = np.random.default_rng(5), root
    for iterate in path[1:]:
        wanted = wanted.after(wanted.batches[draws.integers(3)])
        assert [np.array_equal(V, W) for V, W in zip(iterate.net.weights, wanted.net.weights, strict=True)] == [True]
    steps = sum(any(after is child for child in before.children) for before, after in itertools.pairwise(path))
    assert steps == len(path) - 1
    assert len(list(path_to(root, 0.0, rng, most=2))) == 3


def test_a_child_is_made_once_and_alone(rng: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[list[int]] = []
    after = Branching.after

    def noted(iterate: Branching, batch: Batch) -> Branching:
        made.append(list(batch))
        return after(iterate, batch)

    monkeypatch.setattr(Branching, "after", noted)
    root = Branching(he_network((3, 8), rng), np.eye(3), np.array([1.0, -1.0, 1.0]), LOGISTIC, 0.1, 2)
    assert root.child(1) is root.child(1)
    assert made == [[0, 2]]
    assert root.children[1] is root.child(1)
    assert made == [[0, 2], [0, 1], [1, 2]]


def test_a_path_that_is_given_up_counts_as_too_long_where_the_lemma_promised_less(rng: Generator) -> None:
    X, y = np.eye(2, 3), np.array([1.0, -1.0])
    root = Branching(he_network((3, 64, 64), rng), X, y, LOGISTIC, 0.01, 1)
    found = passage(root, 0.1 * root.risk, rng, rate=lambda _: 1.0, most=2, presumed=True)
    allowed = float(sheet.lemma_5_8.evaluate({**found.symbols, "m": 64, "n": 2}))
    assert found.time == pytest.approx(2.0 * allowed, rel=1e-12)
    # Where it promises nothing within reach the path is as long as it was followed.
    assert math.isnan(passage(root, 0.1 * root.risk, rng, rate=lambda _: 1.0, most=2).time)
    assert passage(root, 0.1 * root.risk, rng, rate=lambda _: 0.0, most=2, presumed=True).time == pytest.approx(
        0.02, rel=1e-12
    )


def test_a_path_that_stands_still_counts_steps_and_comes_nowhere(rng: Generator) -> None:
    X, y = np.eye(2, 3), np.array([1.0, -1.0])
    root = Branching(he_network((3, 64, 64), rng), X, y, LOGISTIC, 0.01, 1)
    found = passage(root, 0.9 * root.risk, rng, rate=lambda _: 0.0, most=5, still=True, presumed=True)
    assert found.last is root
    assert found.time == pytest.approx(0.05, rel=1e-12)


def _next(rates: Iterator[float], _: Branching) -> float:
    """The next of these rates, whatever the iterate."""
    return next(rates)


def test_a_long_path_ends_where_it_is_longer_than_the_lemma_allows(rng: Generator) -> None:
    root = Branching(he_network((3, 8), rng), np.eye(2, 3), np.array([1.0, -1.0]), LOGISTIC, 0.01, 1)
    sizes = {"m": 8, "n": 2}
    one = passage(root, 0.9 * root.risk, rng, rate=lambda _: 1.0, most=1, still=True, presumed=True).symbols
    times = float(sheet.lemma_5_8.evaluate({**one, **sizes})) / root.eta
    # A rate with which the lemma allows a time of 4 steps, and one with which it allows 400 and a half.
    for steps, met in ((4.0, LONG), (400.5, 401)):
        rates = iter([times / steps] * 1000)
        found = passage(root, 0.9 * root.risk, rng, rate=partial(_next, rates), still=True)
        assert found.time == pytest.approx(met * root.eta, rel=1e-9)


def test_a_path_keeps_none_of_the_iterates_that_it_left(rng: Generator) -> None:
    root = Branching(he_network((3, 8), rng), np.eye(2, 3), np.array([1.0, -1.0]), LOGISTIC, 0.01, 1)
    child = root.child(0)
    passage(root, 0.0, rng, most=3, presumed=True)
    assert root.child(0) is not child
    assert [np.array_equal(V, W) for V, W in zip(root.child(0).net.weights, child.net.weights, strict=True)] == [True]


def test_the_steepest_samples_have_the_longest_gradients_of_all_batches(rng: Generator) -> None:
    net, X = he_network((3, 8, 8), rng), sphere(6, 3, rng)
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    passed = forward(net, X)
    lengths = [
        math.sqrt(sum(frobenius_norm(G) ** 2 for G in loss_gradient(net, passed, y, LOGISTIC, np.array([i]))))
        for i in range(6)
    ]
    chosen = steepest_samples(net, passed, y, LOGISTIC, 2)
    assert sorted(chosen.tolist()) == chosen.tolist()
    assert set(chosen.tolist()) == set(np.argsort(lengths)[-2:].tolist())


@pytest.mark.parametrize("size", [1, 2])
def test_the_decrease_in_ball_arithmetic_is_that_of_floats_where_these_suffice(size: int, rng: Generator) -> None:
    X, y = sphere(3, 3, rng), np.array([1.0, -1.0, 1.0])
    net, offset = he_network((3, 6, 6), rng), 0.1
    moved = Network(tuple(W + offset / math.sqrt(W.size) for W in net.weights), net.v)
    wanted = Branching(moved, X, y, LOGISTIC, 0.3, size).mean_decrease
    assert ball_decrease(net, X, y, size, 0.3, offset, share=size) == pytest.approx(wanted, rel=1e-9)


def test_the_decrease_of_a_step_far_below_rounding_is_exact() -> None:
    """One sample of margin 1/2: log(1 + e^-1/2) falls by its slope squared times eta, up to eta^2."""
    net = Network((np.array([[0.5, -1.0]]),), np.array([1.0, -1.0]))
    eta = 1e-40
    with mpmath.workdps(100):
        slope = 1 / (1 + mpmath.exp(mpmath.mpf(1) / 2))
        after = mpmath.mpf(1) / 2 + mpmath.mpf(eta) * slope
        wanted = mpmath.log1p(mpmath.exp(-mpmath.mpf(1) / 2)) - mpmath.log1p(mpmath.exp(-after))
        assert ball_decrease(net, np.ones((1, 1)), np.ones(1), 1, eta, 0.0, 1) == pytest.approx(
            float(wanted), rel=1e-12
        )
        # The sum over a batch divided by 4 in place of 1 makes a quarter of the step.
        quarter = ball_decrease(net, np.ones((1, 1)), np.ones(1), 1, eta, 0.0, 4)
        assert quarter == pytest.approx(0.25 * float(wanted), rel=1e-12)


def test_a_network_without_an_active_neuron_does_not_move() -> None:
    net = Network((np.array([[-0.5, -1.0]]),), np.array([1.0, -1.0]))
    assert ball_decrease(net, np.ones((1, 1)), np.ones(1), 1, 0.5, 0.0, 1) == 0.0


def test_gates_and_decreases_that_the_bits_do_not_decide_are_refused() -> None:
    one, label = np.ones((1, 1)), np.ones(1)
    net = Network((np.array([[0.5, -1.0]]),), np.array([1.0, -1.0]))
    few, many = (ball_decrease(net, one, label, 1, eta, 0.0, 1) for eta in (1e-60, 1e-100))
    assert many == pytest.approx(1e-40 * few, rel=1e-12)
    with pytest.raises(ArithmeticError, match="is not known at 1280 bits"):
        ball_decrease(net, one, label, 1, 0.0, 0.0, 1)
    # With an offset without bounds no gate is known.
    with pytest.raises(ArithmeticError, match="the decrease nan is not known"):
        ball_decrease(net, one, label, 1, 0.1, math.inf, 1)
    # 0.3 - 0.1 - 0.2 is not 0 in doubles: exactly 0 it is for 0.5 - 0.25 - 0.25, where the offset is not known to be.


def _best(net: Network, seed: int) -> Measured:
    X, y = sphere(6, 4, np.random.default_rng(3)), np.resize([1.0, -1.0], 6)
    return best_loss(net, X, y, 2, 12, 0.5, np.random.default_rng(seed))


@pytest.fixture
def wide() -> Network:
    return he_network((4, 32, 24), np.random.default_rng(8))


def test_the_best_loss_is_the_least_of_the_path_that_these_batches_take(wide: Network) -> None:
    X, y = sphere(6, 4, np.random.default_rng(3)), np.resize([1.0, -1.0], 6)
    eta = 0.5 * unit_curvature_step(wide, X)
    path = train(wide, X, y, HUBERISED_HINGE, eta, 12, batch_size=2, rng=np.random.default_rng(1)).loss
    assert _best(wide, 1).value == path.min() < path[0]


@pytest.mark.parametrize("seed", range(3))
def test_neurons_in_another_order_lead_to_a_best_loss_within_its_error(wide: Network, seed: int) -> None:
    first, last = wide.weights
    turned = Network((np.ascontiguousarray(first[:, ::-1]), np.ascontiguousarray(last[::-1])), wide.v)
    one, other = _best(wide, seed), _best(turned, seed)
    assert one.error is not None
    assert other.error is not None
    assert abs(one.value - other.value) <= one.error + other.error
    # It is no excuse for everything: ten digits are left.
    assert one.error <= 1e-10 * one.value
