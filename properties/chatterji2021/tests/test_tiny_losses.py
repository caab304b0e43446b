"""Networks in balls: passes and gradients against closed forms in 120 digits, and instances with the loss asked for."""

import math
from collections.abc import Sequence
from typing import Any

import flint
import mpmath
import numpy as np
import pytest

from bounds.arithmetic.balls import certainly_le, precision_of
from bounds.papers import chatterji2021 as sheet
from properties.chatterji2021.ball_members import MEMBER_BITS, MEMBERS_IN_BALLS, activation
from properties.chatterji2021.closed_form import ExactNetwork
from properties.chatterji2021.smooth_members import MEMBER_PIECES
from properties.chatterji2021.tests.networks import network, phi_of, random_network, unit_points
from properties.chatterji2021.tiny_losses import (
    JUST_BELOW,
    RANK_ONE,
    BallInstance,
    NearRankOne,
    gradient_alignment,
    gradient_step,
    largest_h,
    log_threshold,
    near_rank_one,
    one_sample_chain,
    small_network,
    suffix_sums,
    two_block_chain,
)
from properties.shared.ball_pass import (
    backward,
    forward,
    gradients,
    logistic_coefficients,
    logistic_losses,
    logistic_weights,
    mean,
    norm,
)
from theory.claims import Regime, grid, reals

names = pytest.mark.parametrize("name", [*MEMBER_PIECES, "scaled_swish"])
DIGITS = 90


def _near(ball: Any, value: Any, error: float = 1e-70) -> bool:
    """Whether a ball has the value of 90 digits, relatively."""
    with precision_of(MEMBER_BITS):
        true = flint.arb(mpmath.nstr(value, DIGITS))
        return bool(abs(ball - true) <= abs(true) * error + 1e-80)


# --- passes and gradients -------------------------------------------------------------------------------


def _instance(name: str, h: float = 0.4) -> BallInstance:
    net = random_network(1, 2, 3, 4)
    weights = tuple(V + 0.4 for V in net.weights)
    return BallInstance(weights, unit_points(2, 3, 2), np.array([1.0, -1.0, 1.0]), activation(name, h))


@names
def test_passes_losses_and_gradients_are_those_of_the_closed_form(name: str) -> None:
    instance = _instance(name)
    closed = ExactNetwork.of(network(*instance.weights), instance.X, instance.y, name, 0.4)
    with precision_of(MEMBER_BITS):
        found = forward(instance.net, instance.X)
        b = backward(instance.net, found)
        slopes = gradients(instance.net, found, b, logistic_coefficients(found, instance.y))
        loss = mean(logistic_losses(found, instance.y))
        weights = logistic_weights(found, instance.y)
        size = norm(slopes)
    with mpmath.workdps(DIGITS):
        for s, x in enumerate(closed.X):
            pre, post, bends, f = closed.passes(x)
            assert _near(found.output[s], f)
            assert _near(weights[s], 1 / (1 + mpmath.exp(int(instance.y[s]) * f)))
            for layer, bend in enumerate(bends):
                assert all(_near(found.pre[layer][s, j], z) for j, z in enumerate(pre[layer]))
                assert all(_near(found.post[layer + 1][s, j], z) for j, z in enumerate(post[layer + 1]))
                assert all(_near(found.slopes[layer][s * len(bend) + j], z) for j, z in enumerate(bend))
        assert _near(loss, closed.loss())
        exact = closed.gradients()
        for G, M in zip(exact, slopes, strict=True):
            assert all(_near(M[place], G[place]) for place in np.ndindex(*G.shape))
        assert _near(size, mpmath.sqrt(mpmath.fsum(z**2 for G in exact for z in G.ravel())))


def test_backward_vectors_are_derivatives_of_the_output_by_hand() -> None:
    """f = 5 phi(3 phi(2 x)) of the Huberised ReLU with h = 8 at x = 1: u = 2, x = 1/4, u = 3/4, slopes 1/4 and 3/32."""
    net = BallInstance(
        tuple(np.array([[w]]) for w in (2.0, 3.0, 5.0)), np.ones((1, 1)), np.ones(1), activation("huberised_relu", 8.0)
    ).net
    found = forward(net, np.ones((1, 1)))
    assert [M[0, 0] for M in backward(net, found)] == [flint.arb(45.0 / 128.0), flint.arb(15.0 / 32.0), flint.arb(1)]
    assert found.output[0] == flint.arb(5.0 * 9.0 / 256.0)


@pytest.mark.parametrize("depth", [20, 80])
def test_losses_and_their_gradients_far_below_every_double_keep_their_digits(depth: int) -> None:
    """Scalar linear layers w: f = w^(L+1) and grad_l J = -g w^L, here with J = exp(-w^(L+1)) down to 1e-916."""
    w = float((1.0 + 24.0 * depth) ** (1.0 / (depth + 1)))
    instance = one_sample_chain(depth, w, w, 1.0)
    with precision_of(MEMBER_BITS):
        net = instance.net
        found = forward(net, instance.X)
        loss = logistic_losses(found, instance.y)[0]
        slopes = gradients(net, found, backward(net, found), logistic_coefficients(found, instance.y))
    with mpmath.workdps(DIGITS), precision_of(MEMBER_BITS):
        f = mpmath.mpf(w) ** (depth + 1)
        assert _near(loss / flint.arb(10) ** -200, mpmath.log1p(mpmath.exp(-f)) * mpmath.mpf(10) ** 200, 1e-60)
        g = 1 / (1 + mpmath.exp(f))
        for G in slopes:
            assert _near(G[0, 0] / flint.arb(10) ** -200, -g * mpmath.mpf(w) ** depth * mpmath.mpf(10) ** 200, 1e-60)


# --- instances ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("L", "m", "n"), [(1, 1, 3), (2, 5, 4), (6, 3, 3)])
def test_thresholds_are_those_of_the_sheet(L: int, m: int, n: int) -> None:
    assert math.exp(-log_threshold(L, n)) == pytest.approx(float(sheet.eq_3_loss.evaluate({"n": n, "L": L})), rel=1e-9)
    at = {"L": L, "m": m, "normV1": 2.5, "J1": math.exp(-log_threshold(L, n))}
    assert largest_h(L, m, log_threshold(L, n), 2.5) == pytest.approx(float(sheet.eq_3a.evaluate(at)), rel=1e-9)


def test_the_largest_h_is_one_at_most_and_needs_no_loss_that_is_a_double() -> None:
    assert largest_h(1, 1, 1e6, 0.5) == 1.0
    # L^(L/2 - 3) log(1/J)/(24 ||V||^L) with L = 4.
    assert largest_h(4, 1, 1e5, 20.0) == pytest.approx(4.0**-1 * 1e5 / 24.0 / 20.0**4, rel=1e-12)


def _log_loss(instance: BallInstance) -> float:
    with precision_of(MEMBER_BITS):
        return float(mean(logistic_losses(forward(instance.net, instance.X), instance.y)).log())


def _norm(weights: Sequence[Any]) -> float:
    return math.sqrt(sum(float(np.sum(V**2)) for V in weights))


@pytest.mark.parametrize("name", MEMBERS_IN_BALLS)
@pytest.mark.parametrize(("L", "m", "n", "noise"), [(1, 1, 3, 0.0), (2, 3, 4, 0.0), (3, 2, 3, 0.05)])
def test_small_networks_have_the_loss_and_the_h_asked_for_and_points_of_norm_one(
    name: str, L: int, m: int, n: int, noise: float
) -> None:
    rng = np.random.default_rng((L, m))
    made = small_network(rng, L, m, n, NearRankOne(name, 0.9, 0.05, noise, 0.2 if m > 1 else 0.0, 0.1, 0.5))
    assert -_log_loss(made) / log_threshold(L, n) == pytest.approx(1.05, rel=1e-4)
    h = min(1.0, 0.9 * largest_h(L, m, -_log_loss(made), _norm(made.weights)))
    assert made.phi.h == pytest.approx(h, rel=0.01)
    sizes = np.linalg.norm(made.X, axis=1)
    assert np.all((sizes <= 1.0) & (sizes >= 1.0 - 1e-15))
    assert set(made.y) <= {-1.0, 1.0}
    with precision_of(MEMBER_BITS):
        found = forward(made.net, made.X)
        assert all(int(label) * f > 0 for label, f in zip(made.y, found.output, strict=True))


def test_a_search_hands_over_networks_near_rank_one_with_the_shares_it_was_given() -> None:
    shares = reals(0.25, 0.5)
    regime = Regime(cells=grid(L=1), **near_rank_one(shares))
    assert set(regime.draw) == set(NearRankOne._fields)
    assert regime.draw["share"] is shares
    assert regime.names("name") == MEMBERS_IN_BALLS
    made = regime.build({"name": "bent", "share": 0.3, **RANK_ONE})
    assert made == {"drawn": NearRankOne("bent", 0.3, JUST_BELOW, 0.0, 0.0, 0.0, 0.5)}


def test_tilt_makes_later_layers_longer() -> None:
    made = small_network(np.random.default_rng(0), 3, 1, 3, NearRankOne("identity", 0.5, 0.1, 0.0, 0.0, 0.4, 0.5))
    sizes = np.abs([V[0, 0] for V in made.weights])
    assert sizes[3] / sizes[0] == pytest.approx(math.exp(0.8), rel=1e-9)


@pytest.mark.parametrize("L", [2, 10, 120])
@pytest.mark.parametrize("bend", [0.3, 0.9])
def test_chains_of_two_blocks_have_the_weights_and_the_loss_asked_for(L: int, bend: float) -> None:
    made = two_block_chain(L, 3, 0.5, 0.8, 0.99, 0.02, bend)
    weights = [float(V[0, 0]) for V in made.weights]
    block = max(1, round(0.5 * L))
    assert len(weights) == L + 1
    assert weights[:block] == [0.8] * block
    assert len(set(weights[block:])) == 1
    assert -_log_loss(made) / log_threshold(L, 3) == pytest.approx(1.02, rel=1e-6)
    assert made.phi.h == pytest.approx(0.99 * largest_h(L, 1, -_log_loss(made), _norm(made.weights)), rel=0.03)


def test_a_chain_that_saturates_at_once_does_not_reach_the_loss_and_is_left_with_one_outside_the_premises() -> None:
    made = two_block_chain(10, 3, 0.5, 0.8, 0.99, 0.02, 0.0)
    assert -_log_loss(made) < log_threshold(10, 3)


def test_chains_of_two_blocks_may_be_given_by_their_larger_weights() -> None:
    made = two_block_chain(60, 3, 0.5, 0.8, 0.5, 0.02, 0.5, large=0.05)
    weights = [float(V[0, 0]) for V in made.weights]
    assert weights[-1] == pytest.approx(1.05 * math.sqrt(math.e * 60 / 31), rel=1e-12)
    assert -_log_loss(made) / log_threshold(60, 3) == pytest.approx(1.02, rel=1e-6)


# --- what is measured -----------------------------------------------------------------------------------


@pytest.mark.parametrize("L", [1, 3, 30])
def test_the_constant_of_a_linear_chain_is_l_plus_1_in_the_limit_and_known_exactly(L: int) -> None:
    """||grad J|| = g sqrt(L + 1) w^L and ||V|| = sqrt(L + 1) w: the quotient is (L + 1) f g/(J log(1/J))."""
    w = 60.0 ** (1.0 / (L + 1))
    found = gradient_alignment(one_sample_chain(L, w, w, 1.0))
    with mpmath.workdps(DIGITS):
        f = mpmath.mpf(w) ** (L + 1)
        loss = mpmath.log1p(mpmath.exp(-f))
        assert _near(found.constant, (L + 1) * f / (1 + mpmath.exp(f)) / (loss * -mpmath.log(loss)), 1e-60)
    # <grad_l f, V_l> = f of every homogeneous layer: nothing falls short.
    assert all(abs(shortfall) < 1e-60 for shortfall in found.shortfalls)
    assert found.symbols["normV"] == pytest.approx(math.sqrt(L + 1) * w, rel=1e-14)
    assert float(found.symbols["J"]) == pytest.approx(math.log1p(math.exp(-(w ** (L + 1)))), rel=1e-9)
    assert found.symbols["h"] == 1.0


def test_shortfalls_of_one_huberised_neuron_by_hand() -> None:
    """f = v (u - h/2) with u = 2 and v = 3: f - <grad_1 f, V_1> = -v h/2."""
    found = gradient_alignment(one_sample_chain(1, 2.0, 3.0, 0.5, "huberised_relu"))
    assert abs(found.shortfalls[0] + 0.75) < 1e-80


@pytest.mark.parametrize("hidden", [False, True])
def test_a_step_of_a_linear_chain_takes_off_what_120_digits_say(hidden: bool) -> None:
    """Of a length so short that no double shows the difference: 1e-30 of the weights."""
    instance = one_sample_chain(2, 2.0, 3.0, 1.0)
    length = 2.0**-60
    found = gradient_step(instance, lambda loss, total: length, 1, hidden)
    with mpmath.workdps(120):
        first, rest = mpmath.mpf(2), mpmath.mpf(3)
        g = 1 / (1 + mpmath.exp(first * rest**2))
        after = (first + length * g * rest**2) * (rest + length * g * first * rest)
        after *= rest if hidden else rest + length * g * first * rest
        before = mpmath.log1p(mpmath.exp(-first * rest**2))
        assert _near(found.decrease, before - mpmath.log1p(mpmath.exp(-after)), 1e-50)
        slopes = [rest**2, first * rest, first * rest]
        assert _near(found.gradient, g * mpmath.sqrt(sum(slope**2 for slope in slopes)))
        assert _near(found.norm, mpmath.sqrt(22))
        assert _near(found.loss, before)
    assert found.size == length


def test_a_step_along_the_gradient_raises_the_loss() -> None:
    instance = _instance("huberised_relu")
    against, with_it = (gradient_step(instance, lambda loss, total: 0.01 * loss, sign) for sign in (1, -1))
    assert certainly_le(against.decrease, 0.0) is False
    assert certainly_le(with_it.decrease, 0.0) is True
    assert against.size == with_it.size == pytest.approx(0.01 * float(against.loss), rel=1e-12)


def test_suffix_sums_by_hand_and_of_operator_norms() -> None:
    chain = [np.array([[w]]) for w in (7.0, 2.0, -3.0, 5.0)]
    # Products above layers 1, 2, 3: 30, 15, 5.
    assert suffix_sums(chain) == pytest.approx([50.0, 20.0, 5.0], rel=1e-12)
    weights = [np.diag([9.0, 9.0]), np.diag([1.0, -4.0]), np.array([[3.0], [4.0]])]
    assert suffix_sums(weights) == pytest.approx([25.0, 5.0], rel=1e-12)
    assert np.all(suffix_sums(weights) >= [25.0, 5.0])


def test_one_sample_chains_have_the_weights_and_the_activation_named() -> None:
    made = one_sample_chain(2, 0.5, 1.5, 0.25, "saturating")
    assert [float(V[0, 0]) for V in made.weights] == [0.5, 1.5, 1.5]
    with mpmath.workdps(DIGITS):
        assert _near(made.phi.pieces(flint.arb(0.125))[0], phi_of("saturating", 0.125, 0.25))
