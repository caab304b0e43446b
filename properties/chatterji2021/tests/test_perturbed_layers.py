"""Perturbed pairs: changes against 60 digits, bounds on losses against dense paths, and what a search may choose."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from nets.core.arrays import Array
from nets.networks.activations import Activation, huberised_relu
from properties.chatterji2021.curvature import LABELS
from properties.chatterji2021.norm_products import least_norm, norm_of_largest_output
from properties.chatterji2021.perturbed_layers import (
    BY_THE_NORMS,
    BY_THE_OUTPUT,
    DEEPEST,
    EPS,
    EQUAL_ENTRIES,
    FIRST_COORDINATES,
    HUBERISED,
    IDENTITY,
    LARGEST_LOG,
    LEAST_LOG_LOSS,
    LOST,
    PERTURBED_MEMBERS,
    SHAPE_OF_ALL,
    ZERO,
    PerturbedPair,
    all_layers,
    direction,
    hybrid_rise,
    layer_direction,
    mixture,
    one_layer,
    pinned_of_all,
    pinned_pair,
    rise_between,
    slope_change,
    smoothing_of,
    stretched_activation,
    weights_of,
)
from properties.chatterji2021.tests.networks import DIGITS, losses_of, network, phi_of, random_network, slope_of

members = pytest.mark.parametrize("member", PERTURBED_MEMBERS)


def _pair(seed: int, step: float, member: str, n: int = 1, h: float = 0.5, level: int | None = None) -> PerturbedPair:
    """Two networks of two hidden layers of width 3, apart by about `step` in one layer or in all."""
    net, other = random_network((seed, 0), 3, 3, 3), random_network((seed, 1), 3, 3, 3)
    moved = [
        V + step * D * (level in (None, k)) for k, (V, D) in enumerate(zip(net.weights, other.weights, strict=True))
    ]
    X = np.random.default_rng((seed, 2)).standard_normal((n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.resize([1.0, -1.0], n)
    V, W = (each.with_activation(PERTURBED_MEMBERS[member](h)) for each in (net, network(*moved)))
    return PerturbedPair(V, W, X, y, h, level)


# --- changes of slopes ------------------------------------------------------------------------------


@members
@pytest.mark.parametrize("h", [0.25, 0.1, 1e-6])
def test_slope_changes_agree_with_60_digits_from_moves_of_one_rounding_to_large_ones(member: str, h: float) -> None:
    activation = PERTURBED_MEMBERS[member](h)
    rng = np.random.default_rng((list(PERTURBED_MEMBERS).index(member), 7))
    before = h * rng.uniform(-2.0, 2.0, 300)
    after = before + h * rng.choice([-1.0, 1.0], 300) * 10.0 ** rng.uniform(-15.0, 0.5, 300)
    found, reach = slope_change(activation, before, after)
    assert np.any((found != 0.0) & (np.abs(after - before) < 1e-9 * h)) or member == IDENTITY
    name = member
    with mpmath.workdps(DIGITS):
        for a, b, change, largest in zip(before, after, found, reach, strict=True):
            true = slope_of(name, b, h) - slope_of(name, a, h)
            assert abs(true) <= largest * (1.0 + 1e-12)
            # A kink may be off by a rounding: a step of that size.
            assert abs(change - true) <= LOST * largest + 4.0 * EPS * min(abs(true), 1.0) + EPS


@members
def test_slope_changes_of_short_moves_keep_their_digits_where_slopes_are_smooth(member: str) -> None:
    """Moves of 1e-12 h, where a difference of slopes has four digits at most."""
    h = 0.25
    before = h * np.array([-1.625, -0.375, 0.125, 0.625, 0.875, 1.5])
    after = before + h * 2.0**-40
    found, reach = slope_change(PERTURBED_MEMBERS[member](h), before, after)
    with mpmath.workdps(DIGITS):
        true = [slope_of(member, b, h) - slope_of(member, a, h) for a, b in zip(before, after, strict=True)]
        assert all(abs(c - t) <= 1e-10 * r for c, t, r in zip(found, true, reach, strict=True))
        assert member == IDENTITY or any(t != 0 for t in true)


def test_slope_changes_across_kinks_by_hand() -> None:
    """Of the Huberised ReLU with h = 1: 0 up to 0, z on [0, 1], 1 from there on."""
    phi = huberised_relu(1.0)
    short = 2.0**-20
    before = np.array([-short, 1.0 - short, 1.0 + short, -3.0, 2.0, 0.25])
    after = np.array([short, 1.0 + short, 1.0 - short, 4.0, -1.0, 0.25])
    found, reach = slope_change(phi, before, after)
    assert found.tolist() == [short, short, -short, 1.0, -1.0, 0.0]
    assert reach.tolist() == [2.0 * short, 2.0 * short, 2.0 * short, 7.0, 3.0, 0.0]


def test_without_a_second_derivative_slopes_are_subtracted() -> None:
    phi = stretched_activation(huberised_relu(1.0), 3.0)
    found, reach = slope_change(phi, np.array([0.25, -1.0]), np.array([0.5, 2.0]))
    assert found.tolist() == [0.75, 3.0]
    assert reach.tolist() == [1.0, 3.0]


def test_stretched_multiplies_values_and_slopes_and_is_no_copy_at_one() -> None:
    phi = huberised_relu(0.5)
    z = np.linspace(-1.0, 2.0, 13)
    assert stretched_activation(phi, 1.0) is phi
    assert stretched_activation(phi, 1.5).value(z).tolist() == (1.5 * phi.value(z)).tolist()
    assert stretched_activation(phi, 1.5).slope(z).tolist() == (1.5 * phi.slope(z)).tolist()
    assert stretched_activation(phi, 1.5).h == 0.5


# --- losses on a path -------------------------------------------------------------------------------


def test_rise_between_by_hand() -> None:
    # From 0 to 1 with a move of 2: up to 3/2 and back. A move too short to get there: the end itself.
    assert rise_between(np.array([[0.0], [1.0]]), 2.0) == pytest.approx(math.exp(1.5), rel=1e-14)
    assert rise_between(np.array([[0.0], [1.0]]), 0.0) == pytest.approx(math.e, rel=1e-14)
    assert rise_between(np.array([[0.0, 5.0], [-1.0, 5.5], [-2.0, 5.0]]), 0.5) == pytest.approx(
        math.exp(0.5), rel=1e-14
    )
    assert rise_between(np.array([[0.0], [1e4]]), 1.0) == math.exp(LARGEST_LOG)


def test_no_path_of_bounded_speed_rises_beyond_rise_between() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        move = float(rng.uniform(0.1, 3.0))
        path = np.cumsum(move / 50.0 * rng.choice([-1.0, 1.0], (101, 2)), axis=0)
        bound = rise_between(path[[0, 50, 100]], move)
        assert math.exp(float((path - path[0]).max())) <= bound * (1.0 + 1e-12)


@members
@pytest.mark.parametrize("step", [1e-3, 0.1, 1.0])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_rise_bounds_the_losses_between_two_networks_and_is_close_for_short_steps(
    member: str, step: float, level: int
) -> None:
    pair = _pair(11, step, member, n=3, level=level)
    start = losses_of(pair.V.weights, pair.X, pair.y, pair.V.activation)
    largest = 0.0
    for t in np.linspace(0.0, 1.0, 41):
        layers = [V + t * D for V, D in zip(pair.V.weights, pair.steps, strict=True)]
        largest = max(largest, float((losses_of(layers, pair.X, pair.y, pair.V.activation) / start).max()))
    assert largest <= pair.rise
    speed = float(pair.before.without_one[level]) * pair.distop
    assert pair.rise <= largest * math.exp(0.5 * speed) * (1.0 + 1e-9)
    end = float((losses_of(pair.W.weights, pair.X, pair.y, pair.V.activation) / start).max())
    assert pair.end_rise == pytest.approx(end, rel=1e-9)
    assert pair.end_rise <= pair.rise * (1.0 + 1e-11)


@members
@pytest.mark.parametrize("step", [0.01, 0.3])
def test_hybrid_rise_bounds_the_losses_as_layers_are_replaced_one_by_one(member: str, step: float) -> None:
    pair = _pair(12, step, member, n=2)
    bound = hybrid_rise(pair)
    start = losses_of(pair.V.weights, pair.X, pair.y, pair.V.activation)
    for j in range(3):
        hybrid = [*pair.W.weights[:j], *pair.V.weights[j:]]
        here = losses_of(hybrid, pair.X, pair.y, pair.V.activation)
        assert float((here / start).max()) <= bound
        for t in np.linspace(0.0, 1.0, 21):
            layers = list(hybrid)
            layers[j] = pair.V.weights[j] + t * pair.steps[j]
            assert float((losses_of(layers, pair.X, pair.y, pair.V.activation) / here).max()) <= bound


# --- losses, norms and changes ------------------------------------------------------------------------


class _Exact:
    """What a pass of one sample is in 60 digits: features, slopes, backward vectors, J and g."""

    def __init__(self, layers: Any, x: Array, y: float, name: str, h: float, slopes: Any = None) -> None:
        self.post = [[mpmath.mpf(z) for z in x]]
        self.slopes = []
        for V in layers[:-1]:
            pre = [mpmath.fsum(a * mpmath.mpf(V[i, j]) for i, a in enumerate(self.post[-1])) for j in range(V.shape[1])]
            self.post.append([phi_of(name, u, h) for u in pre])
            self.slopes.append([slope_of(name, u, h) for u in pre])
        self.slopes = self.slopes if slopes is None else slopes
        f = mpmath.fsum(a * mpmath.mpf(v) for a, v in zip(self.post[-1], layers[-1][:, 0], strict=True))
        self.loss, self.g = mpmath.log1p(mpmath.exp(-y * f)), 1 / (1 + mpmath.exp(y * f))
        b = [[mpmath.mpf(1)]]
        for V, slope in zip(reversed(layers[1:]), reversed(self.slopes), strict=True):
            q = [mpmath.fsum(c * mpmath.mpf(V[i, j]) for j, c in enumerate(b[-1])) for i in range(V.shape[0])]
            b.append([s * z for s, z in zip(slope, q, strict=True)])
        self.b = b[::-1]


def _norm(values: Any) -> Any:
    return mpmath.sqrt(mpmath.fsum(z**2 for z in values))


def _difference(one: Any, other: Any, factors: tuple[Any, Any] = (1, 1)) -> list[Any]:
    return [factors[0] * a - factors[1] * b for a, b in zip(one, other, strict=True)]


@members
@pytest.mark.parametrize("step", [0.3, 1e-4, 1e-8])
def test_the_three_terms_of_a_change_agree_with_60_digits(member: str, step: float) -> None:
    """Xi_1 = g_W ||c|| ||x_W - x_V||, Xi_2 = ||g_W c - g_V b_V|| ||x_V||, Xi_3 = g_W ||b_W - c|| ||x_W||.

    c is the backward vector at the slopes of V, with the hidden layers of V and the output layer of W.
    """
    pair = _pair(5, step, member)
    found = pair.terms()
    name, h, x, y = member, pair.h, pair.X[0], float(pair.y[0])
    # Features carry some roundings of 1, which a slope turns into roundings of 1/h.
    rounding = 200.0 * EPS / h
    with mpmath.workdps(DIGITS):
        at_V = _Exact(pair.V.weights, x, y, name, h)
        at_W = _Exact(pair.W.weights, x, y, name, h)
        mixed = _Exact([*pair.V.weights[:-1], pair.W.weights[-1]], x, y, name, h, at_V.slopes)
        for k in range(2):
            c = mixed.b[k]
            true = [
                at_W.g * _norm(c) * _norm(_difference(at_W.post[k], at_V.post[k])),
                _norm(_difference(c, at_V.b[k], (at_W.g, at_V.g))) * _norm(at_V.post[k]),
                at_W.g * _norm(_difference(at_W.b[k], c)) * _norm(at_W.post[k]),
            ]
            for (values, lost), exact in zip(found, true, strict=True):
                allowed = rounding + (0.0 if lost is None else float(lost[k]))
                assert abs(values[k] - exact) <= allowed + 1e-8 * exact


@pytest.mark.parametrize("step", [1e-10, 1e-13])
def test_terms_of_linear_layers_keep_their_digits_in_steps_of_a_rounding(step: float) -> None:
    """Where slopes do not change, backward vectors differ by the steps alone, which are known exactly."""
    pair = _pair(5, step, IDENTITY)
    values, _ = pair.terms()[2]
    with mpmath.workdps(DIGITS):
        at_V = _Exact(pair.V.weights, pair.X[0], 1.0, "identity", 0.5)
        at_W = _Exact(pair.W.weights, pair.X[0], 1.0, "identity", 0.5)
        mixed = _Exact([*pair.V.weights[:-1], pair.W.weights[-1]], pair.X[0], 1.0, "identity", 0.5, at_V.slopes)
        exact = at_W.g * _norm(_difference(at_W.b[0], mixed.b[0])) * _norm(at_W.post[0])
        assert abs(values[0] / exact - 1) <= 1e-12
    # The last hidden layer has no hidden layer above it: nothing changes there.
    assert values[1] == 0.0


@members
@pytest.mark.parametrize("step", [0.3, 1e-3])
def test_gradient_and_weight_changes_agree_with_60_digits(member: str, step: float) -> None:
    pair = _pair(6, step, member)
    name, x, y = member, pair.X[0], float(pair.y[0])
    with mpmath.workdps(DIGITS):
        at_V, at_W = _Exact(pair.V.weights, x, y, name, pair.h), _Exact(pair.W.weights, x, y, name, pair.h)
        entries = [
            at_V.g * a * c - at_W.g * b * d
            for k in range(3)
            for a, b in zip(at_V.post[k], at_W.post[k], strict=True)
            for c, d in zip(at_V.b[k], at_W.b[k], strict=True)
        ]
        assert abs(pair.gradient_change() / _norm(entries) - 1) <= 1e-10
        assert abs(pair.weight_change() / abs(at_V.g - at_W.g) - 1) <= 1e-10
        assert abs(pair.loss / at_V.loss - 1) <= 1e-13


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_losses_far_below_a_double_are_raised_to_a_floor_with_all_that_is_proportional(label: float) -> None:
    """One scalar layer of weight w: f = w^2 = 2500, J = exp(-2500) with the right label and 2500 with the wrong one."""
    phi = PERTURBED_MEMBERS[IDENTITY](1.0)
    V, W = (network([[50.0]], [[last]]).with_activation(phi) for last in (50.0, 50.0 + 2.0**-10))
    pair = PerturbedPair(V, W, np.ones((1, 1)), np.array([label]), 1.0, 1)
    if label > 0.0:
        assert pair.log_loss == pytest.approx(-2500.0, rel=1e-14)
        assert pair.loss == math.exp(LEAST_LOG_LOSS)
        # g/J is 1 there, and the gradient of J is J times (w, w); the step divides J by exp(50/1024).
        fall = math.exp(-50.0 / 1024.0)
        expected = pair.loss * math.hypot(50.0 - fall * (50.0 + 2.0**-10), 50.0 - fall * 50.0)
        assert pair.gradient_change() == pytest.approx(expected, rel=1e-9)
    else:
        assert pair.loss == pytest.approx(2500.0, rel=1e-13)
        assert pair.gradient_change() == pytest.approx(2.0**-10, rel=1e-9)


@pytest.mark.parametrize("level", [None, 1])
def test_norms_of_a_step_are_no_smaller_than_the_true_ones(level: int | None) -> None:
    pair = _pair(9, 1e-3, HUBERISED, n=2, level=level)
    sizes = [float(np.linalg.norm(D, 2)) for D in pair.steps]
    assert np.all(pair.moved >= sizes)
    assert np.all(pair.moved <= np.array(sizes) * (1.0 + 1e-11) + 1e-11)
    largest = max(sizes) if level is None else sizes[level]
    assert largest <= pair.distop <= largest * (1.0 + 1e-6)
    total = math.sqrt(sum(float(np.sum(D**2)) for D in pair.steps))
    assert total <= pair.dist <= total * (1.0 + 1e-6)
    assert pair.low == min(pair.V.norm, pair.W.norm)
    assert np.all(pair.larger.norms >= pair.before.norms)


# --- what a search chooses ----------------------------------------------------------------------------


def _chosen(**changes: Any) -> dict[str, Any]:
    shape: dict[str, Any] = pinned_pair(**changes)
    return shape


def test_pinned_pairs_differ_from_the_plain_one_in_what_is_asked() -> None:
    plain, changed = _chosen(), _chosen(width=3, turn=0.5)
    assert {key for key in plain if plain[key] != changed[key]} == {"width", "turn"}
    assert pinned_pair()["trial"] == 0


@pytest.mark.parametrize("size", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rough", [0.0, 0.5])
def test_layers_have_the_norm_and_the_proportions_asked_for(size: float, rough: float) -> None:
    rng = np.random.default_rng(0)
    layers = weights_of(rng, 3, _chosen(width=3, size=size, heavy=1, weight=2.0, rough=rough), 2.0, 50.0)
    norms = np.array([np.linalg.norm(V) for V in layers])
    assert np.linalg.norm(norms) == pytest.approx(2.0 * 25.0**size, rel=1e-12)
    assert norms[1] / norms[[0, 2, 3]] == pytest.approx([100.0] * 3, rel=1e-12)
    assert [V.shape for V in layers] == [(3, 3)] * 3 + [(3, 1)]


def test_a_heavy_layer_may_be_one_of_zeros() -> None:
    layers = weights_of(np.random.default_rng(0), 2, _chosen(heavy=2, weight=ZERO), 2.0, 50.0)
    assert [bool(V.any()) for V in layers] == [True, True, False]


@pytest.mark.parametrize(
    ("name", "expected"), [(FIRST_COORDINATES, [1.0, 0.0, 0.0, 0.0]), (EQUAL_ENTRIES, [0.5, 0.5, 0.5, 0.5])]
)
def test_layers_of_rank_one_pass_their_direction_on(name: str, expected: list[float]) -> None:
    chosen = _chosen(width=4, along=name)
    along = direction(chosen)
    assert along.tolist() == expected
    assert np.linalg.norm(along) == pytest.approx(1.0, rel=1e-14)
    layers = weights_of(np.random.default_rng(0), 2, chosen, 3.0, 3.0)
    # Three layers of norm sqrt(3) each.
    assert along @ layers[0] @ layers[1] @ layers[2] == pytest.approx([3.0**1.5], rel=1e-12)


def test_smoothing_puts_the_bend_where_the_pre_activations_are() -> None:
    norms = np.array([2.0, 3.0, 5.0])
    assert smoothing_of(_chosen(bent=0, bend=-1.0), norms, 1.0) == pytest.approx(0.2, rel=1e-14)
    assert smoothing_of(_chosen(bent=1, bend=-2.0), norms, 1.0) == pytest.approx(0.06, rel=1e-14)
    assert smoothing_of(_chosen(bent=1, bend=1.0), norms, 0.25) == 0.25
    assert smoothing_of(_chosen(bend=-2.0), np.array([1e-9, 1.0]), 1.0) == 1e-8
    assert smoothing_of(_chosen(), np.array([0.0, 1.0]), 0.5) == 0.5


def test_mixtures_have_norm_one_and_do_not_vanish() -> None:
    rng = np.random.default_rng(0)
    target, noise = rng.standard_normal((2, 3, 3))
    for share in (0.0, 0.3, 1.0):
        assert np.linalg.norm(mixture(target, noise, share)) == pytest.approx(1.0, rel=1e-14)
    assert mixture(target, noise, 0.0, -1.0) == pytest.approx(-target / np.linalg.norm(target), rel=1e-14)
    assert mixture(np.array([[2.0]]), np.array([[-3.0]]), 0.5).tolist() == [[1.0]]


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_unit_steps_go_along_the_layers_or_against_them(turn: float) -> None:
    chosen = _chosen(width=3, along=EQUAL_ENTRIES, turn=turn)
    hidden = layer_direction(np.random.default_rng(0), chosen, last=False)
    assert hidden == pytest.approx(np.full((3, 3), turn / 3.0), rel=1e-12)
    assert layer_direction(np.random.default_rng(0), chosen, last=True) == pytest.approx(
        np.full((3, 1), turn / 3.0**0.5)
    )
    mixed = layer_direction(np.random.default_rng(0), _chosen(width=3, turn=0.2), last=False)
    assert np.linalg.norm(mixed) == pytest.approx(1.0, rel=1e-14)


def _one_layer(L: int, seed: int = 0, **options: Any) -> PerturbedPair:
    changes = options.pop("changes", {})
    settings: dict[str, Any] = {
        "least": least_norm(L),
        "largest": norm_of_largest_output(L),
        "farthest": lambda norm: norm,
    }
    return one_layer(np.random.default_rng(seed), L, _chosen(**changes), **settings | options)


@pytest.mark.parametrize("L", [1, 2, 5])
def test_the_plain_pair_nearly_doubles_a_small_loss(L: int) -> None:
    pair = _one_layer(L)
    assert pair.log_loss < -50.0
    assert 1.9 <= pair.end_rise < 2.0


@pytest.mark.parametrize("unit", ["norm", "loss", "bend"])
@pytest.mark.parametrize("level", [0, 2, DEEPEST])
def test_pairs_differ_in_the_layer_chosen_and_no_farther_than_allowed(unit: str, level: int) -> None:
    changes = {"width": 3, "level": level, "turn": 0.4, "rough": 0.5, "reach": 4.0}
    pair = _one_layer(2, unit=unit, changes=changes, farthest=lambda norm: 1e-3 * norm)
    assert pair.level == level % 3
    assert [bool(D.any()) for D in pair.steps] == [k == pair.level for k in range(3)]
    assert float(np.linalg.norm(pair.steps[pair.level])) <= 1e-3 * pair.V.norm * (1.0 + 1e-9)
    assert least_norm(2) * (1.0 - 1e-12) <= pair.V.norm <= norm_of_largest_output(2) * (1.0 + 1e-12)
    assert float(np.linalg.norm(pair.X)) == pytest.approx(1.0, rel=1e-14)


def test_a_step_of_one_bend_moves_a_chain_by_h() -> None:
    """Scalar layers without a bend in reach: the pre-activation near the bend moves by `reach` times h."""
    changes = {"member": IDENTITY, "level": 0, "bent": 1, "reach": 0.5, "turn": 1.0}
    pair = _one_layer(2, unit="bend", changes=changes, largest_h=1e-3)
    assert pair.at_W.pre[1][0, 0] - pair.at_V.pre[1][0, 0] == pytest.approx(0.5 * pair.h, rel=1e-6)


def test_wrong_variants_reach_the_activation_and_the_input() -> None:
    pair = _one_layer(1, stretch=2.0, bend_length=0.5, input_norm=3.0)
    assert pair.V.activation.h == 0.5 * pair.h
    assert float(pair.V.activation.slope(np.array(1e3))) == 2.0
    assert float(np.linalg.norm(pair.X)) == pytest.approx(3.0, rel=1e-14)


@pytest.mark.parametrize("steps", [BY_THE_OUTPUT, BY_THE_NORMS])
@pytest.mark.parametrize("others", [0, 2])
def test_pairs_that_differ_everywhere_stay_as_near_as_allowed(steps: str, others: int) -> None:
    changes = {"width": 3, "steps": steps, "reach": 4.0, "others": others, "rough": 0.3}
    pair = all_layers(
        np.random.default_rng(1), 2, _chosen(**changes), least=2.0, largest=20.0, farthest=lambda norm: 1e-3 * norm
    )
    total = math.sqrt(sum(float(np.sum(D**2)) for D in pair.steps))
    assert total <= 1e-3 * pair.V.norm * (1.0 + 1e-9)
    assert all(D.any() for D in pair.steps)
    assert pair.level is None
    assert pair.X.shape == (1 + others, 3)
    assert np.linalg.norm(pair.X, axis=1) == pytest.approx([1.0] * (1 + others), rel=1e-14)
    assert set(pair.y) <= {-1.0, 1.0}


def test_steps_of_a_whole_chain_nearly_double_a_small_loss() -> None:
    pair = all_layers(
        np.random.default_rng(1), 3, _chosen(steps=BY_THE_OUTPUT), least=20.0, largest=20.0, farthest=lambda norm: norm
    )
    assert 1.9 <= pair.end_rise < 2.0


def test_steps_of_all_layers_are_in_proportion_to_the_layers_or_to_the_products_of_the_others() -> None:
    """Norms a and b of two scalar layers: steps go by b and a where the output decides, else by a and b."""
    for steps, expected in ((BY_THE_OUTPUT, 0.1), (BY_THE_NORMS, 10.0)):
        chosen = _chosen(steps=steps, heavy=0, weight=1.0, reach=1e-3)
        pair = all_layers(np.random.default_rng(0), 1, chosen, least=2.0, largest=20.0, farthest=lambda norm: norm)
        first, second = (float(np.linalg.norm(D)) for D in pair.steps)
        assert first / second == pytest.approx(expected, rel=1e-9)


def test_pins_of_one_layer_serve_all_layers_with_steps_of_either_kind_and_none_twice() -> None:
    pins = pinned_of_all([pinned_pair(), pinned_pair(level=2), pinned_pair(size=0.1)])
    assert [(pin["size"], pin["steps"]) for pin in pins] == [
        (size, steps) for size in (0.5, 0.1) for steps in (BY_THE_OUTPUT, BY_THE_NORMS)
    ]
    assert all(set(pin) == {*SHAPE_OF_ALL, "trial"} for pin in pins)


@pytest.mark.parametrize(("name", "label"), LABELS.items())
def test_the_sample_along_the_layers_has_the_label_named(name: str, label: float) -> None:
    together = all_layers(
        np.random.default_rng(0), 2, _chosen(steps=BY_THE_NORMS, label=name), least=2.0, largest=20.0, farthest=abs
    )
    assert [_one_layer(2, changes={"label": name}).y[0], together.y[0]] == [label, label]


def test_the_same_seed_gives_the_same_pair() -> None:
    first, second = (_one_layer(2, seed=4, changes={"width": 3, "rough": 0.7, "turn": 0.1}) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first.W.weights, second.W.weights, strict=True))


def test_every_name_of_a_member_gives_the_activation_it_is_called_by() -> None:
    z = np.array([-0.7, -0.2, 0.1, 0.45, 0.9])
    for name, member in PERTURBED_MEMBERS.items():
        activation: Activation = member(0.5)
        with mpmath.workdps(DIGITS):
            assert activation.value(z) == pytest.approx([float(phi_of(name, u, 0.5)) for u in z], rel=1e-13, abs=1e-15)
