"""Descent of a network with one weight is a recursion by hand; the drift and the fall of the kernel as they are stated.

The network of one point and one active neuron, `one_margin`, has the margin a and a gradient of norm 1, so that
gradient descent is a <- a - eta ell'(a).
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from numpy.random import Generator

from bounds.papers import zou2018 as sheet
from nets.data.points import SphereSource, hexagon_alternating, sphere
from nets.descent.training import gradient_step
from nets.linear_algebra.revealed import RevealedGaussian
from nets.networks.forward import forward
from nets.networks.gradients import backward, loss_gradient, output_gradient, rank_one_pairs
from nets.networks.losses import EXPONENTIAL, HINGE, HUBERISED_HINGE, LOGISTIC, Loss
from nets.networks.network import Network, gaussian_network, he_network
from nets.networks.operators import frobenius_norm, operator_norm
from properties.zou2018.descent import (
    BEGINNINGS,
    BOUNDED_SLOPE,
    FALL_BY_DEPTH,
    HEXAGON,
    HUBER_CONSTANTS,
    LOGISTIC_CONSTANTS,
    UNBOUNDED_SLOPE,
    Arrival,
    DrawnTraining,
    Guarantee,
    GuaranteedPath,
    RiskIterate,
    arrival,
    certified_step,
    clock,
    curvature_step,
    draw_training,
    drift_of,
    first_step,
    guaranteed_path,
    hexagon_argument,
    iterate,
    kernel_fall,
    kernel_step,
    mean_loss_argument,
    path_from,
    recursion_time,
    refuting_steps,
    risk_iterates,
    scaled_to_norm,
    steep,
    times_to,
    watched,
)
from properties.zou2018.gradient_step import GradientStep
from properties.zou2018.perturbed_pass import norm_above

ONE, LABEL = np.ones((1, 1)), np.ones(1)


@pytest.fixture
def rng() -> Generator:
    """One generator for each test."""
    return np.random.default_rng(23)


def one_margin(a: float) -> Network:
    """The network of margin a > 0 at the point 1; its second neuron is dead."""
    return Network((np.array([[a, -1.0]]),), np.array([1.0, -1.0]))


def test_iterates_are_those_of_gradient_descent(rng: Generator) -> None:
    net, X, y = he_network((3, 6, 6), rng), sphere(4, 3, rng), np.array([1.0, -1.0, 1.0, -1.0])
    other = net
    for k, step in enumerate(itertools.islice(risk_iterates(net, X, y, LOGISTIC, 0.2), 4)):
        for W, V in zip(step.net.weights, other.weights, strict=True):
            assert pytest.approx(V, abs=1e-13) == W
        assert step.loss == pytest.approx(float(np.mean(np.log1p(np.exp(-y * forward(other, X).output)))), rel=1e-12)
        assert step.squared_gradient == pytest.approx(sum(frobenius_norm(G) ** 2 for G in step.gradients), rel=1e-12)
        same = iterate(RiskIterate(net, X, y, LOGISTIC), 0.2, k)
        assert isinstance(same, RiskIterate)
        assert same.loss == step.loss
        other = gradient_step(other, X, y, LOGISTIC, 0.2)


def by_hand(loss: Loss, a: float, eta: float, low: float) -> tuple[float, float]:
    """Time and distance from a margin to a loss, the logarithm of the loss linear within the last step."""
    start, steps = a, 0
    while True:
        after = a - eta * float(loss.derivative(a))
        if loss.value(after) <= low:
            share = math.log(loss.value(a) / low) / math.log(loss.value(a) / loss.value(after))
            return (steps + share) * eta, a - start + share * (after - a)
        a, steps = after, steps + 1


@pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL, HUBERISED_HINGE], ids=lambda loss: loss.name)
def test_a_single_margin_arrives_when_its_recursion_does(loss: Loss) -> None:
    a, eta, low = 0.25, 0.05, 0.1
    time, drift = by_hand(loss, a, eta, low)
    found = arrival(RiskIterate(one_margin(a), ONE, LABEL, loss), eta, low, 1000)
    assert found.time == pytest.approx(time, rel=1e-12)
    assert found.drift == pytest.approx(drift, rel=1e-12)
    assert recursion_time(loss, eta, float(loss.value(a)), low) == pytest.approx(time, rel=1e-9)


def test_what_does_not_arrive_in_time_is_no_number() -> None:
    late = arrival(RiskIterate(one_margin(0.25), ONE, LABEL, LOGISTIC), 0.05, 0.1, 3)
    assert isinstance(late, Arrival)
    assert math.isnan(late.time)
    assert math.isnan(late.drift)
    times = times_to(one_margin(0.25), ONE, LABEL, LOGISTIC, 0.05, [0.55, 0.5, 1e-3], 20)
    assert times[0] > 0.0
    assert math.isnan(times[1])


@pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL], ids=lambda loss: loss.name)
def test_times_between_losses_add_up(loss: Loss) -> None:
    """Those from 1/2 are differences of those from the start, and small steps turn them into the integral."""
    start, eta = one_margin(0.1), 4e-3
    first, second = times_to(start, ONE, LABEL, loss, eta, [0.5, 0.25, 0.125], 5000)
    arrivals = [arrival(RiskIterate(start, ONE, LABEL, loss), eta, low, 5000).time for low in (0.5, 0.25, 0.125)]
    assert [first, second] == pytest.approx([arrivals[1] - arrivals[0], arrivals[2] - arrivals[0]], rel=1e-9)
    if loss is EXPONENTIAL:
        # d ell/dt = -ell^2, and each step is off by its relative size.
        assert first == pytest.approx(float(clock(1.0, 0.5, 0.25)), rel=4e-3)


def test_several_losses_within_one_step_are_all_met() -> None:
    """One step of size 4 from the loss 1 of margin 0.001 passes 1/2 and 1/4."""
    (time,) = times_to(one_margin(1e-3), ONE, LABEL, EXPONENTIAL, 4.0, [0.5, 0.25], 1)
    assert time == pytest.approx(math.log(2.0) / float(EXPONENTIAL.derivative(1e-3)) * -1.0, rel=1e-9)


@pytest.mark.parametrize("p", [0.0, 0.5, 2 / 3, 1.0])
def test_the_clock_is_the_integral_of_the_power(p: float) -> None:
    lows = np.array([0.5, 0.1, 0.003])
    wanted = [float(mpmath.quad(lambda x: x ** (-2 * mpmath.mpf(p)), [low, 0.05 + low, 2.0])) for low in lows]
    assert clock(p, 2.0, lows) == pytest.approx(wanted, rel=1e-9)
    assert float(clock(p, 2.0, 0.5)) == pytest.approx(wanted[0], rel=1e-9)


def kernel(net: Network, X: np.ndarray) -> float:
    """||grad f||^2 at one point, from its backward vectors."""
    fwd = forward(net, X)
    return sum(float(np.sum(x * x) * np.sum(b * b)) for x, b in rank_one_pairs(fwd, backward(net, fwd)))


@pytest.mark.parametrize(("depth", "m", "draws", "allowed"), [(1, 4096, 150, 0.03), (2, 192, 80, 0.1)])
def test_the_kernel_falls_by_the_share_stated_while_the_margin_gains_one(
    depth: int, m: int, draws: int, allowed: float
) -> None:
    """With the hinge, whose slope is 1, in some forty small steps; what is left out counts for `allowed`."""
    rng, shares = np.random.default_rng(29), []
    x = np.ones((1, 1)) if depth == 1 else np.eye(1, 4)
    for _ in range(draws):
        net = he_network((x.shape[1], *[m] * depth), rng)
        first, before = float(forward(net, x).output[0]), kernel(net, x)
        eta = 0.025 / before
        for step in risk_iterates(
            net, x, LABEL, Loss("slope", HINGE.constants, lambda z: np.stack([-z, -np.ones_like(z)])), eta
        ):
            gain = float(step.passed.output[0]) - first
            if gain >= 1.0:
                shares.append((1.0 - kernel(step.net, x) / before) / gain)
                break
    error = float(np.std(shares)) / math.sqrt(draws)
    assert kernel_fall(m, depth) == pytest.approx(FALL_BY_DEPTH[depth] / math.sqrt(math.pi * m), rel=1e-14)
    assert np.mean(shares) == pytest.approx(kernel_fall(m, depth), abs=5.0 * error + allowed * kernel_fall(m, depth))


def test_a_kernel_that_falls_slows_the_recursion() -> None:
    """One step by hand: from the margin 0 of the loss 1, with e' = -1, at a kernel that is 1 - 0.5 (0 + 1) there."""
    time = recursion_time(EXPONENTIAL, 1.0, 1.0, math.exp(-0.25), fall=0.5, start=-1.0)
    assert time == pytest.approx(0.5, rel=1e-9)
    fast, slow = (recursion_time(LOGISTIC, 0.1, 0.6, 0.2, fall=fall) for fall in (0.0, 0.1))
    assert slow > fast
    # At a fall of 1 the margin stops one above its start, where the loss is 1/e.
    assert math.isnan(recursion_time(EXPONENTIAL, 1.0, 1.0, 1e-3, fall=1.0))


def test_a_path_goes_on_from_a_pass_that_is_known_and_makes_each_pass_once(rng: Generator) -> None:
    net, X, y = he_network((3, 6, 6), rng), sphere(4, 3, rng), np.array([1.0, -1.0, 1.0, -1.0])
    passed = forward(net, X)
    start = RiskIterate(net, X, y, LOGISTIC, passed)
    assert start.passed is passed
    assert first_step(start) == kernel_step(net, X, LOGISTIC)
    wanted = loss_gradient(net, passed, y, LOGISTIC)
    first, second = itertools.islice(path_from(start, 0.2), 2)
    assert first is start
    assert "passed" not in vars(second)
    assert all(np.array_equal(np.asarray(G), H) for G, H in zip(first.gradients, wanted, strict=True))
    assert second.loss == iterate(RiskIterate(net, X, y, LOGISTIC), 0.2, 1).loss
    assert "gradients" not in vars(second)


def test_the_kernel_step_is_the_one_of_the_gram_matrix_of_gradients(rng: Generator) -> None:
    net, X = he_network((3, 6, 6), rng), sphere(4, 3, rng)
    fwd = forward(net, X)
    rows = [np.concatenate([G.ravel() for G in output_gradient(net, fwd, one)]) for one in np.eye(4)]
    largest = np.linalg.norm(np.array(rows), 2) ** 2
    assert kernel_step(net, X, LOGISTIC) == pytest.approx(4 / (0.25 * largest), rel=1e-9)
    assert kernel_step(net, X, EXPONENTIAL, curvature=2.0) == pytest.approx(2 / largest, rel=1e-9)
    assert kernel_step(Network((-np.abs(net.weights[0]), net.weights[1]), net.v), np.abs(X), LOGISTIC) == 1.0


def test_the_guarantee_is_exact_for_one_sample_and_one_layer() -> None:
    """Then the gradient is that of the last layer, and its bound an equality."""
    eta, guarantee = 0.1, Guarantee()
    assert guarantee.constant(1, 1.0) == 0.0
    before, after = itertools.islice(risk_iterates(one_margin(0.5), ONE, LABEL, LOGISTIC, eta), 2)
    guarantee.take(before, after, eta)
    slope = float(LOGISTIC.derivative(0.5))
    allowed = float(
        sheet.eq_C_7.evaluate({"eta": eta, "m": 2, "phi": 1.0, "n": 1, "S1": slope, "c0": guarantee.constant(1, 1.0)})
    )
    assert allowed == pytest.approx(before.loss - after.loss, rel=1e-9)


def test_every_step_met_keeps_what_the_guarantee_promises(rng: Generator) -> None:
    net, X, y = he_network((4, 32, 32), rng), sphere(3, 4, rng), np.array([1.0, -1.0, 1.0])
    eta, guarantee = 0.05, Guarantee()
    steps = list(itertools.pairwise(itertools.islice(risk_iterates(net, X, y, LOGISTIC, eta), 12)))
    for before, after in steps:
        guarantee.take(before, after, eta)
    c0 = guarantee.constant(3, 0.7)
    assert c0 > 0.0
    for before, after in steps:
        slopes = float(LOGISTIC.derivative(y * before.passed.output).sum())
        sizes = {"eta": eta, "m": 32, "phi": 0.7, "n": 3, "S1": slopes, "c0": c0}
        assert before.loss - after.loss >= float(sheet.eq_C_7.evaluate(sizes)) * (1.0 - 1e-9)


def test_a_step_that_raises_the_loss_leaves_no_guarantee() -> None:
    before, after = itertools.islice(risk_iterates(one_margin(0.5), ONE, LABEL, LOGISTIC, 0.1), 2)
    guarantee = Guarantee()
    guarantee.take(after, before, 0.1)
    assert guarantee.constant(1, 1.0) == 0.0


def test_steep_weights_have_the_norms_and_the_largest_gradient_of_the_last_layer(rng: Generator) -> None:
    """norm^(L-1) sqrt(m - 2), of sqrt(m) that norms allow; the output is far below zero."""
    x, norm, sizes = sphere(1, 5, rng)[0], 3.0, (8, 6, 10)
    net = steep(x, sizes, norm)
    fwd = forward(net, x[np.newaxis])
    assert [operator_norm(W) for W in net.weights] == pytest.approx([norm] * 3, rel=1e-12)
    assert fwd.masks[-1].sum() == 8
    assert fwd.output[0] < -0.5 * norm**3
    gradient = frobenius_norm(output_gradient(net, fwd, np.ones(1))[-1])
    assert gradient == pytest.approx(norm**2 * math.sqrt(8.0), rel=1e-12)
    for _ in range(20):
        rival = he_network((5, *sizes), rng)
        rival = Network(tuple(scaled_to_norm(W, norm, rng) for W in rival.weights), rival.v)
        other = output_gradient(rival, forward(rival, x[np.newaxis]), np.ones(1))[-1]
        assert frobenius_norm(other) < gradient


def test_a_layer_is_scaled_to_a_norm_stored_or_revealed(rng: Generator) -> None:
    W = rng.standard_normal((4, 6))
    scaled = scaled_to_norm(W, 3.5, rng)
    assert operator_norm(scaled) == pytest.approx(3.5, rel=1e-12)
    assert scaled / W == pytest.approx(np.full((4, 6), 3.5 / operator_norm(W)), rel=1e-12)
    revealed = scaled_to_norm(RevealedGaussian(4, 600, 0.1, rng), 3.5, rng)
    assert isinstance(revealed, RevealedGaussian)
    assert norm_above(revealed) == pytest.approx(3.5, rel=1e-12)


@pytest.mark.parametrize("depth", [1, 3])
def test_the_loss_changes_by_no_more_than_a_certified_step_says(depth: int, rng: Generator) -> None:
    """Beyond first order, as (C.6) with measured norms has it; some of the steps flip neurons."""
    flipped = 0
    for eta in (0.1, 1.0, 4.0):
        net, X = gaussian_network((4, *[8] * depth), rng), sphere(3, 4, rng)
        y = np.array([1.0, -1.0, 1.0])
        step = GradientStep.of(net, X, y, LOGISTIC, eta)
        sizes = {
            **certified_step(step),
            "m": 8,
            "n": 3,
            "eta": eta,
            "S1abs": float(step.derivatives.sum()),
            "lam": 0.25,
        }
        losses = [float(LOGISTIC.value(y * end.output).mean()) for end in (step.start, step.end)]
        beyond = losses[1] - losses[0] + eta * sum(frobenius_norm(G) ** 2 for G in step.gradients)
        assert beyond <= float(sheet.eq_C_6_certified.evaluate(sizes))
        assert np.all(np.abs(step.end.output - step.start.output) <= sizes["dout"])
        flipped += int(sum(np.abs(a - b).sum() for a, b in zip(step.start.masks, step.end.masks, strict=True)))
        without = certified_step(step, gates=False)
        assert without["SumGam"] == 0.0
        assert (without["prodW"], without["dout"]) == (sizes["prodW"], sizes["dout"])
    assert flipped > 0


def test_the_hexagon_fails_for_one_hidden_layer_and_in_no_other_setting() -> None:
    assert all(hexagon_argument(6, 1, 1.0).values())
    for n, L, phi in ((5, 1, 1.0), (6, 2, 1.0), (6, 1, 1.1)):
        assert [bool(holds) for holds in hexagon_argument(n, L, phi).values()].count(False) == 1


def test_the_mean_logistic_loss_of_margins_of_sum_zero_is_log_2_or_more(rng: Generator) -> None:
    assert [bool(holds) for holds in mean_loss_argument().values()] == [True]
    margins = rng.standard_normal((50, 6))
    losses = LOGISTIC.value(margins - margins.mean(axis=1, keepdims=True)).mean(axis=1)
    assert np.all(losses >= math.log(2.0) - 1e-14)


def test_a_promise_is_refuted_by_a_whole_argument_that_contradicts_it_alone() -> None:
    whole, gap = {"first": True, "second": True}, {"first": True, "second": False}
    assert [step.holds for step in refuting_steps(whole, True, "promise")] == [True, True, False]
    assert [step.holds for step in refuting_steps(whole, False, "promise")] == [True, True, None]
    assert [step.holds for step in refuting_steps(gap, True, "promise")] == [True, None, None]
    assert [step.what for step in refuting_steps(gap, True, "promise")] == ["first", "second", "promise"]


def test_the_margins_of_any_single_hidden_layer_sum_to_zero_on_the_hexagon(rng: Generator) -> None:
    data = hexagon_alternating()
    outputs = forward(he_network((2, 50), rng), data.X).output
    assert abs(float(data.y @ outputs)) < 1e-12 * np.abs(outputs).sum() * 50
    deep = forward(he_network((2, 50, 50), rng), data.X).output
    assert abs(float(data.y @ deep)) > 1e-3
    assert (HEXAGON["n"], HEXAGON["d"], HEXAGON["L"]) == (*data.X.shape, 1)


def test_lipschitz_losses_have_slopes_up_to_their_constant_and_the_others_beyond_any() -> None:
    margins = -np.geomspace(1e-3, 600.0, 50)
    for loss in BOUNDED_SLOPE.values():
        assert np.abs(loss.derivative(margins)).max() <= loss.constants.rho * (1.0 + 1e-12)
    assert max(loss.constants.rho for loss in BOUNDED_SLOPE.values()) == 2.0
    for loss in UNBOUNDED_SLOPE.values():
        assert np.abs(loss.derivative(margins)).max() > 1000.0


@pytest.mark.parametrize(("constants", "loss"), [(LOGISTIC_CONSTANTS, LOGISTIC), (HUBER_CONSTANTS, HUBERISED_HINGE)])
def test_the_slopes_of_the_two_losses_are_bounded_below_as_their_constants_say(
    constants: dict[str, float], loss: Loss
) -> None:
    """|ell'| >= min(alpha0, alpha1 ell^p), Assumption 3.2."""
    margins = np.linspace(-5.0, 12.0, 400)
    value, slope = loss.value_and_derivative(margins)
    least = np.minimum(constants["alpha0"], constants["alpha1"] * value ** constants["p"])
    assert np.all(-slope >= least * (1.0 - 1e-9))


def test_a_watched_path_says_at_each_step_what_it_guarantees_so_far(rng: Generator) -> None:
    net, X, y = he_network((3, 16), rng), sphere(3, 3, rng), np.array([1.0, -1.0, 1.0])
    own = Guarantee()
    path = risk_iterates(net, X, y, LOGISTIC, 0.05)
    steps = zip(itertools.pairwise(path), watched(net, X, y, LOGISTIC, 0.05), strict=False)
    for (before, after), (start, end, guarantee) in itertools.islice(steps, 4):
        own.take(before, after, 0.05)
        assert (start.loss, end.loss) == (before.loss, after.loss)
        assert guarantee == own
    _, _, assumed = next(watched(net, X, y, LOGISTIC, 0.05, eigenvalue=0.25, decrease=0.5))
    assert assumed == Guarantee(share=0.5, eigenvalue=0.25)


def test_a_guaranteed_path_ends_where_its_loss_has_fallen_or_nothing_is_guaranteed(rng: Generator) -> None:
    net, X, y = he_network((3, 16), rng), sphere(3, 3, rng), np.array([1.0, -1.0, 1.0])
    eta = curvature_step(net, X, y, LOGISTIC)
    assert eta == kernel_step(net, X, LOGISTIC)
    path = guaranteed_path(net, X, y, LOGISTIC, eta, 1.0, most=5)
    assert isinstance(path, GuaranteedPath)
    losses = [step.loss for step in itertools.islice(risk_iterates(net, X, y, LOGISTIC, eta), 6)]
    assert [path.first, *path.losses] == losses[: path.losses.size + 1]
    assert np.array_equal(path.steps, 1.0 + np.arange(path.losses.size))
    assert np.all(np.diff(path.constants) <= 0.0)
    assert path.constants[-1] > 0.0
    # Antipodes with opposite labels: the gated Gram matrix is singular from the start on.
    hexagon = hexagon_alternating()
    nothing = guaranteed_path(he_network((2, 16), rng), hexagon.X, hexagon.y, LOGISTIC, 0.1, 1.0)
    assert (list(nothing.steps), list(nothing.losses), list(nothing.constants)) == ([0.0], [nothing.first], [1.0])
    assert nothing.right_of_knee


def test_the_step_of_the_exponential_loss_is_that_of_its_largest_value(rng: Generator) -> None:
    net, X, y = he_network((3, 16), rng), sphere(3, 3, rng), np.array([1.0, -1.0, 1.0])
    largest = float(np.exp(-y * forward(net, X).output).max())
    assert curvature_step(net, X, y, EXPONENTIAL) == pytest.approx(kernel_step(net, X, LOGISTIC, largest), rel=1e-12)


def test_steps_that_are_drawn_use_up_their_share_of_the_time() -> None:
    drawn = DrawnTraining("steep", "hinge", k=8, tau=0.25, share=0.5)
    assert drawn.step_size(2, 64, 2.0) * 8 == pytest.approx(0.5 * 0.25 / (16.0 * 8.0 * 2.0), rel=1e-14)


@pytest.mark.parametrize("weights", BEGINNINGS)
def test_training_begins_where_its_name_says(weights: str, rng: Generator) -> None:
    X, y, net = draw_training(rng, SphereSource(), 2, 16, 4, 3, weights, 3.0)
    assert net.widths == (3, 8, 16)
    norms = [norm_above(W) for W in net.weights]
    assert (norms == pytest.approx([3.0, 3.0], rel=1e-8)) == (weights != "Gaussian")
    assert np.all(X[0] == X) == (weights == "steep")
    if weights == "steep":
        assert np.array_equal(y, np.ones(4))
        assert np.array_equal(
            draw_training(rng, SphereSource(), 2, 16, 4, 3, weights, 3.0, alike=1)[1], [1, -1, -1, -1]
        )
        assert np.all(forward(net, X).output < -1.0)


def test_the_drift_is_the_norm_of_the_change_of_each_layer(rng: Generator) -> None:
    net = he_network((3, 6, 6), rng)
    moved = Network((net.weights[0] + np.outer([3.0, 0.0, 4.0], np.eye(6)[0]), net.weights[1]), net.v)
    assert drift_of(net, moved) == pytest.approx([5.0, 0.0], abs=1e-12)
