"""Passes, gradients and steps in balls for every architecture and activation of `nets`.

They enclose numbers of 50 digits and the passes in floats, at 53 and at 500 bits; also where the weights are balls that
reach across kinks.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import flint
import mpmath
import numpy as np
import pytest

import nets.networks.forward
import nets.networks.gradients
from bounds.arithmetic.balls import certainly_le, precision_of
from nets.core.arrays import Array
from nets.descent.training import gradient_step
from nets.networks.activations import RELU
from nets.networks.losses import LOGISTIC, SQUARE
from nets.networks.network import Network, Step, he_network
from nets.tests.naive_network import DIGITS, STEP, Twin, slope
from nets.tests.test_architectures import ACTIVATIONS, ARCHITECTURES, TIMES, D, N
from properties.shared.ball_activations import ONE, ZERO, Ball, Phi, ValueAndSlope, ball_form, piecewise
from properties.shared.ball_pass import (
    BALL_PRECISIONS,
    BallForward,
    BallNetwork,
    Factored,
    Matrix,
    backward,
    forward,
    gates_are,
    gradients,
    in_balls,
    layered,
    logistic_coefficients,
    logistic_losses,
    logistic_weights,
    mean,
    norm,
    rank_one_pairs,
    with_enough_bits,
)
from properties.shared.tests.enclosures import encloses

PRECISIONS = (53, 500)
LABELS = np.array([1.0, -1.0, 1.0])
# What a pass in floats loses, relatively to 1 and its size.
ROUNDING = 1e-12
# Directional differences of 50 digits over 1e-16: the square of the step times a third derivative.
DIFFERENCE = "1e-26"
# A sum of a few numbers loses some bits of the last place.
LOST_BITS = 24


def _tanh(z: Ball) -> ValueAndSlope:
    """From the ends, as it is monotone: the formula of flint knows nothing of wide balls."""
    value = z.lower().tanh().union(z.upper().tanh())
    return value, 1 - value**2


def _elu(z: Ball) -> ValueAndSlope:
    """z above 0 and exp(z) - 1 below."""
    return piecewise(z, [ZERO], [lambda below: (below.exp() - 1, below.exp()), lambda above: (above, ONE)])


FORMS = {"tanh": Phi(1.0, _tanh), "elu": Phi(1.0, _elu)}
# Biases are not known in balls, which says so.
IN_BALLS = [name for name in ARCHITECTURES if name != "biases"]
cases = pytest.mark.parametrize(("architecture", "activation"), list(itertools.product(IN_BALLS, ACTIVATIONS)))


def _case(architecture: str, activation: str) -> tuple[Network, Array, Array]:
    """The network, samples, and coefficients of all outputs."""
    rng = np.random.default_rng(list(f"{activation} {architecture}".encode()))
    net = ARCHITECTURES[architecture]("stored", rng).with_activation(ACTIVATIONS[activation])
    X = rng.standard_normal((N, TIMES, D) if net.steps[0].input is not None else (N, D))
    return net, X, rng.standard_normal(nets.networks.forward.forward(net, X).output.shape)


def _per_time(coefficients: Array) -> list[Matrix]:
    """Coefficients (n,) or (n, times, outputs) as matrices, one for each time."""
    array = coefficients.reshape(N, -1, 1) if coefficients.ndim == 1 else coefficients
    return [Matrix(array[:, time].tolist()) for time in range(array.shape[1])]


def _everything(
    net: BallNetwork, X: Array, coefficients: Array
) -> tuple[BallForward, tuple[Matrix, ...], tuple[Matrix, ...]]:
    found = forward(net, X)
    b = backward(net, found, _per_time(coefficients))
    return found, b, gradients(net, found, b)


def _entries(found: BallForward, b: Sequence[Matrix], G: Sequence[Matrix]) -> list[Ball]:
    """All balls of a pass and its gradients."""
    matrices = [*found.pre, *found.post, *found.reads, *b, *G]
    return [*(entry for M in matrices for entry in M.entries()), *itertools.chain(*found.slopes)]


def _float_entries(net: Network, X: Array, coefficients: Array) -> Array:
    """The same in floats."""
    fwd = nets.networks.forward.forward(net, X)
    reads = fwd.output.reshape(N, -1, 1) if fwd.output.ndim == 1 else fwd.output
    bwd = nets.networks.gradients.backward(net, fwd, coefficients=coefficients)
    read_b = [np.stack([np.asarray(M.tolist(), dtype=float) for M in _per_time(coefficients)])]
    arrays = [*fwd.pre, *fwd.post, *reads.swapaxes(0, 1), *bwd.b[: net.depth]]
    arrays += read_b if net.readout is None else []
    arrays += [*nets.networks.gradients.output_gradient(net, fwd, coefficients), *fwd.masks]
    return np.concatenate([np.ravel(array) for array in arrays])


def _near(balls: Sequence[Ball], numbers: Array) -> bool:
    """Whether the balls hold the numbers, up to the rounding of these."""
    pairs = zip(balls, numbers.tolist(), strict=True)
    return all(bool(abs(ball - number).lower() <= ROUNDING * (1.0 + abs(number))) for ball, number in pairs)


@cases
def test_balls_hold_the_floats_and_are_as_narrow_as_their_bits(architecture: str, activation: str) -> None:
    net, X, coefficients = _case(architecture, activation)
    numbers = _float_entries(net, X, coefficients)
    found = []
    for bits in PRECISIONS:
        with precision_of(bits):
            balls = _entries(*_everything(in_balls(net, FORMS), X, coefficients))
            assert _near(balls, numbers)
            assert all(ball.rad() <= 2.0 ** (LOST_BITS - bits) * (1 + abs(ball.mid())) for ball in balls)
            found.append(balls)
    with precision_of(PRECISIONS[1]):
        assert all(wide.contains(narrow) for wide, narrow in zip(*found, strict=True))


@cases
@pytest.mark.parametrize("bits", PRECISIONS)
def test_passes_and_gradients_hold_50_digits(architecture: str, activation: str, bits: int) -> None:
    net, X, coefficients = _case(architecture, activation)
    rng = np.random.default_rng(bits)
    direction = [rng.standard_normal(W.shape) for W in net.weights]
    with precision_of(bits):
        found, _, G = _everything(in_balls(net, FORMS), X, coefficients)
        along = sum((a * x for M, E in zip(G, direction, strict=True) for a, x in _pairs(M, E)), Ball(0))
    with mpmath.workdps(DIGITS):
        twin = Twin(net)
        for i, x in enumerate(X):
            pres, states = twin.states(x)
            for M, row in [*zip(found.pre, pres, strict=True), *zip(found.post, states, strict=True)]:
                assert all(encloses(M[i, j], row[j], "1e-45") for j in range(row.cols))
            for step, slopes, row in zip(net.steps, found.slopes, pres, strict=True):
                numbers = [slope(step.activation, z) for z in row]
                met = slopes[i * row.cols : (i + 1) * row.cols]
                assert all(encloses(*pair, DIFFERENCE) for pair in zip(met, numbers, strict=True))
            read = [entry for M in found.reads for entry in M.tolist()[i]]
            assert all(encloses(*pair, "1e-45") for pair in zip(read, twin.outputs(x), strict=True))

        def combined() -> Any:
            rows = zip(coefficients, X, strict=True)
            return sum(a * f for row, x in rows for a, f in zip(np.ravel(row), twin.outputs(x), strict=True))

        ends = []
        for sign in (1, -1):
            twin.shift(direction, sign * STEP)
            ends.append(combined())
            twin.shift(direction, -sign * STEP)
        assert encloses(along, (ends[0] - ends[1]) / (2 * STEP), DIFFERENCE)


def _pairs(M: Matrix, E: Array) -> Iterator[tuple[Ball, float]]:
    return zip(M.entries(), E.ravel().tolist(), strict=True)


@cases
def test_balls_of_weights_hold_the_passes_and_gradients_of_all_weights_in_them(
    architecture: str, activation: str
) -> None:
    """Most pre-activations reach across a kink here: what is not decided is enclosed."""
    net, X, coefficients = _case(architecture, activation)
    rng, radius = np.random.default_rng(0), 0.25
    weights = [Matrix([[flint.arb(w, radius) for w in row] for row in W.tolist()]) for W in net.weights]
    balls = _entries(*_everything(in_balls(net, FORMS).with_weights(weights), X, coefficients))
    for _ in range(6):
        moves = [radius * rng.choice([-1.0, 1.0, 0.3], W.shape) for W in net.weights]
        moved = net.with_weights([W + move for W, move in zip(net.weights, moves, strict=True)])
        assert _near(balls, _float_entries(moved, X, coefficients))


@cases
def test_steps_down_losses_hold_those_in_floats(architecture: str, activation: str) -> None:
    net, X, targets = _case(architecture, activation)
    with precision_of(128):
        here = in_balls(net, FORMS)
        found = forward(here, X)
        # Of half the squared distance to the targets, in the mean over the samples.
        gaps = [(read - target) / N for read, target in zip(found.reads, _per_time(targets), strict=True)]
        moved = here.descended(gradients(here, found, backward(here, found, gaps)), 0.125)
        logistic = []
        if net.scalar:
            b = backward(here, found)
            step = gradients(here, found, b, logistic_coefficients(found, LABELS))
            logistic = [entry for W in here.descended(step, 0.125).weights for entry in W.entries()]
            margins = LABELS * nets.networks.forward.forward(net, X).output
            values, derivatives = LOGISTIC.value_and_derivative(margins)
            assert _near(logistic_losses(found, LABELS), values)
            assert _near(logistic_weights(found, LABELS), -derivatives)
    wanted = gradient_step(net, X, targets, SQUARE, 0.125).weights
    assert _near([entry for W in moved.weights for entry in W.entries()], np.concatenate([W.ravel() for W in wanted]))
    if net.scalar:
        wanted = gradient_step(net, X, LABELS, LOGISTIC, 0.125).weights
        assert _near(logistic, np.concatenate([W.ravel() for W in wanted]))
    assert moved.frozen == here.frozen
    assert moved.readout is here.readout


@cases
def test_a_weight_that_is_no_number_leaves_nothing_that_passes(architecture: str, activation: str) -> None:
    """NaN in all entries of one weight after the other."""
    net, X, coefficients = _case(architecture, activation)
    here = in_balls(net, FORMS)
    for number, W in enumerate(here.weights):
        weights = list(here.weights)
        weights[number] = Matrix(W.nrows(), W.ncols(), [Ball.nan()] * (W.nrows() * W.ncols()))
        found, _, G = _everything(here.with_weights(weights), X, coefficients)
        outputs = [f for M in found.reads for f in M.tolist()[0]]
        assert outputs[-1].is_nan()
        assert certainly_le(outputs[-1], np.inf) is None
        # Through a slope that is not known no gradient below is.
        assert all(entry.is_nan() for M in G[:number] for entry in M.entries())


def test_a_sample_that_is_no_number_reaches_its_slopes_and_no_other_sample() -> None:
    net, X, _ = _case("zou2018", "relu")
    X[1, 0] = np.nan
    found = forward(in_balls(net), X)
    assert [f.is_nan() for f in found.output] == [False, True, False]
    rows = [found.slopes[0][i * net.widths[1] : (i + 1) * net.widths[1]] for i in range(N)]
    assert [all(s.is_nan() for s in row) for row in rows] == [False, True, False]
    assert not gates_are(found, nets.networks.forward.forward(net, np.nan_to_num(X)).masks)


def test_gates_are_certain_where_no_kink_is_reached_and_closed_at_zero() -> None:
    net = Network((np.array([[1.0, -1.0, 0.0]]),), np.ones(3))
    X = np.array([[0.5], [0.0]])
    masks = nets.networks.forward.forward(net, X).masks
    assert masks[0].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert gates_are(forward(in_balls(net), X), masks)
    assert not gates_are(forward(in_balls(net), X), [1.0 - masks[0]])
    assert not gates_are(forward(in_balls(net), X), [masks[0] + np.nan])
    wide = Matrix([[flint.arb(0.5, 1.0)], [0]])
    found = forward(in_balls(net), wide)
    assert not gates_are(found, masks)
    undecided = found.slopes[0][0]
    assert undecided.contains(Ball(0))
    assert undecided.contains(Ball(1))
    # max(z, 0) + max(-z, 0) = |z| for |z| <= 3/2.
    assert found.output[0].contains(Ball(1.5))
    assert found.output[0].contains(Ball(0))


def test_one_backward_pass_serves_the_gradients_of_all_coefficients() -> None:
    net, X, coefficients = _case("shared and scalar", "scaled_swish")
    with precision_of(200):
        here = in_balls(net)
        found = forward(here, X)
        shared = gradients(here, found, backward(here, found), list(map(Ball, coefficients.tolist())))
        own = gradients(here, found, backward(here, found, _per_time(coefficients)))
        pairs = rank_one_pairs(here, found, backward(here, found))
        for one, other in zip(shared, own, strict=True):
            gaps = (one - other).entries()
            assert all(abs(gap) <= 1e-50 for gap in gaps)
            assert all(gap.contains(Ball(0)) for gap in gaps)
    # One matrix at all times, and that of the inputs.
    assert [len(uses) for uses in pairs] == [TIMES, TIMES]


def test_a_factored_layer_is_the_matrix_it_stands_for() -> None:
    rng = np.random.default_rng(0)
    a, b, u, v = (Matrix(rng.standard_normal(shape).tolist()) for shape in ((3, 2), (2, 4), (3, 1), (1, 4)))
    X, last = rng.standard_normal((2, 3)), Matrix(rng.standard_normal((4, 3)).tolist())
    readout = Matrix([[1], [-1], [1]])
    with precision_of(200):
        found = []
        for W in (a * b + u * v, Factored(((a, b), (u, v)))):
            net = layered([W, last], ball_form(RELU), readout)
            passed = forward(net, X)
            found.append(_entries(passed, backward(net, passed), gradients(net, passed, backward(net, passed))))
        assert all(abs(one - other) <= 1e-50 for one, other in zip(*found, strict=True))
        B = Matrix(rng.standard_normal((2, 4)).tolist())
        gaps = Factored(((a, b), (u, v))).transpose().under(B) - B * (a * b + u * v).transpose()
        assert all(abs(gap) <= 1e-50 for gap in gaps.entries())


def test_layers_alone_make_a_network_whose_last_weight_is_read() -> None:
    """max(2 x, 0) times 5, and the gradients 5 x and max(2 x, 0)."""
    net = layered([Matrix([[2]]), Matrix([[5]])], ball_form(RELU))
    found = forward(net, np.array([[3.0]]))
    assert found.output == (Ball(30),)
    assert [G[0, 0] for G in gradients(net, found, backward(net, found))] == [Ball(15), Ball(6)]
    assert [W[0, 0] for W in net.descended((Matrix([[1]]), Matrix([[2]])), 0.5).weights] == [1.5, 4]
    assert norm([Matrix([[3, 0]]), Matrix([[4], [12]])]) == 13
    assert mean([Ball(1), Ball(5), Ball(3)]) == 3


def test_misfits_are_refused() -> None:
    rng = np.random.default_rng(0)
    for kind in ("guo2024", "zou2018"):
        with pytest.raises(ValueError, match="is not stored: this needs a network of arrays"):
            in_balls(ARCHITECTURES[kind]("revealed", rng))
    net = in_balls(he_network((3, 4), rng))
    with pytest.raises(ValueError, match="X has 2 columns: the network takes inputs of dimension 3"):
        forward(net, np.ones((1, 2)))
    with pytest.raises(ValueError, match="an array has 3 axes"):
        forward(net, np.ones((1, 2, 3)))
    with pytest.raises(ValueError, match=r"the coefficients have shapes \[\(1, 1\)\]: pass \[\(2, 1\)\]"):
        backward(net, forward(net, np.ones((2, 3))), [Matrix([[1]])])
    often = in_balls(Network((np.eye(2),), np.eye(2), [Step(0, input=1)] * 3, (np.eye(2),), every_step=True))
    found = forward(often, np.ones((1, 2)))
    with pytest.raises(ValueError, match="the network has 3 x 2 outputs: this needs one"):
        backward(often, found)


def test_more_bits_are_taken_where_the_first_do_not_decide() -> None:
    tried: list[tuple[int, int]] = []

    def settled(bits: int, needed: int) -> int:
        tried.append((bits, flint.ctx.prec))
        if bits < needed:
            raise ArithmeticError(f"not known at {bits} bits")
        return bits

    few, many = BALL_PRECISIONS
    before = flint.ctx.prec
    assert with_enough_bits(lambda bits: settled(bits, few)) == few
    assert with_enough_bits(lambda bits: settled(bits, many)) == many
    with pytest.raises(ArithmeticError, match=f"not known at {many} bits"):
        with_enough_bits(lambda bits: settled(bits, many + 1))
    assert tried == [(few, few), (few, few), (many, many), (few, few), (many, many)]
    assert flint.ctx.prec == before


def test_biases_are_not_known_in_balls() -> None:
    with pytest.raises(ValueError, match="a step has a bias, which is not known in balls"):
        in_balls(ARCHITECTURES["biases"]("stored", np.random.default_rng(0)))
