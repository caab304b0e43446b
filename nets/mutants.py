"""Wrong variants of the functions here, one slip each, which the claims that run a function have to notice.

Main definitions: `Mutant` and the list `MUTANTS`. The function is named by its dotted path, and `wrong` makes the
variant of the true one, so that a variant calls what it spoils: it has the same parameters, and gives results of the
same shapes. A kernel that compiled code calls is not among them, because compiled code keeps the true one.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nets.networks.activations import IDENTITY, Activation
from nets.networks.network import Network


class Mutant(NamedTuple):
    """A slip: `wrong` makes the wrong variant of the true function, whose dotted path is `function`."""

    function: str
    name: str
    wrong: Callable[[Any], Any]

    @property
    def signal(self) -> bool:
        """Whether it is a wrong gradient or a wrong gate."""
        return self.function.startswith(SIGNAL) or "gate" in self.name or "derivative" in self.name


# Where passes and gradients are computed: every slip there is one of gates, of what they let through, or of a gradient.
SIGNAL = (
    "nets.networks.forward.",
    "nets.networks.gradients.",
    "nets.networks.logistic_gradients.",
    "nets.networks.activations.Activation.",
    "nets.descent.in_place.",
)


def _giving(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The variant whose result is changed."""

    def wrong(true: Any) -> Any:
        return functools.wraps(true)(lambda *given, **named: change(true(*given, **named)))

    return wrong


def _taking(at: int, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The variant that takes the argument number `at`, where it is given by place, for another."""

    def wrong(true: Any) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            changed = [change(value) if at == number else value for number, value in enumerate(given)]
            return true(*changed, **named)

        return functools.wraps(true)(called)

    return wrong


def _keyword(name: str, at: int, change: Callable[[Any], Any], default: Any) -> Callable[[Any], Any]:
    """The variant that takes another value of a parameter, given by name or by place or left at its default."""

    def wrong(true: Any) -> Any:
        def called(*given: Any, **named: Any) -> Any:
            if len(given) > at:
                return true(*given[:at], change(given[at]), *given[at + 1 :], **named)
            return true(*given, **{**named, name: change(named.get(name, default))})

        return functools.wraps(true)(called)

    return wrong


def _times(factor: float) -> Callable[[Any], Any]:
    return _giving(lambda found: factor * found)


def _next_sample(array: Any) -> Any:
    return np.roll(array, 1, axis=0)


# --- networks -------------------------------------------------------------------------------------


def _over_inputs(true: Any) -> Any:
    def called(widths: Any, *given: Any, **named: Any) -> Network:
        net: Network = true(widths, *given, **named)
        pairs = zip(net.weights, widths[:-1], widths[1:], strict=False)
        return net.with_weights(
            [
                *(W * math.sqrt(m / d) if isinstance(W, np.ndarray) else W for W, d, m in pairs),
                *net.weights[len(widths) - 1 :],
            ]
        )

    return functools.wraps(true)(called)


def _rescaled(W: Any, variance: float) -> Any:
    """A layer as it was drawn, its variance multiplied."""
    if isinstance(W, np.ndarray):
        return W * math.sqrt(variance)
    # Of a layer of which nothing is sampled yet, and that no other network shares.
    W._store.std *= math.sqrt(variance)
    return W


def _variance(factor: float) -> Callable[[Any], Any]:
    """The variant with another variance of all trained layers."""
    return _giving(lambda net: net.with_weights([_rescaled(W, factor) for W in net.weights]))


def _input_variance(factor: float) -> Callable[[Any], Any]:
    return _giving(lambda net: replace(net, frozen=tuple(_rescaled(A, factor) for A in net.frozen)))


def _readout_variance(factor: float) -> Callable[[Any], Any]:
    return _giving(lambda net: replace(net, readout=net.v * math.sqrt(factor)))


def _no_skips(net: Network) -> Network:
    return replace(net, steps=[replace(step, carry=0.0, scale=1.0) for step in net.steps])


def _one_for_all(net: Network) -> Network:
    """All layers of a shape are the first of them, as where one generator starts anew for each."""
    first: dict[tuple[int, ...], Any] = {}
    return net.with_weights([first.setdefault(W.shape, W) for W in net.weights])


def _no_biases(net: Network) -> Network:
    biases = {step.bias for step in net.steps}
    return net.with_weights([0.0 * W if number in biases else W for number, W in enumerate(net.weights)])


def _other_fan(net: Network) -> Network:
    return net.with_weights([W * math.sqrt(W.shape[0] / W.shape[1]) for W in net.weights])


def _states_unscaled(net: Network) -> Network:
    return replace(net, steps=[net.steps[0], *(replace(step, scale=1.0) for step in net.steps[1:])])


def _inputs_unscaled(net: Network) -> Network:
    return replace(net, steps=[replace(net.steps[0], scale=1.0), *net.steps[1:]])


def _last_linear(net: Network) -> Network:
    return replace(net, steps=[*net.steps[:-1], replace(net.steps[-1], activation=IDENTITY)])


def _one_sign(net: Network) -> Network:
    return replace(net, readout=np.abs(net.v))


def _readout_over_width(net: Network) -> Network:
    return replace(net, readout=net.v * math.sqrt(net.v.shape[1] / net.v.shape[0]))


def _inputs_over_inputs(net: Network) -> Network:
    A = net.frozen[0]
    return replace(net, frozen=(A * math.sqrt(A.shape[1] / A.shape[0]) if isinstance(A, np.ndarray) else A,))


def _inputs_beside_zeros(net: Network) -> Network:
    A = net.frozen[0]
    return replace(net, frozen=(np.eye(*A.shape) if isinstance(A, np.ndarray) else A,))


def _inputs_activated(net: Network) -> Network:
    return replace(net, steps=(replace(net.steps[0], activation=net.steps[-1].activation), *net.steps[1:]))


def _other_side(activation: Activation) -> Activation:
    slope, scale = activation.parameters
    slope = slope or 1e-200
    kinks = tuple(kink._replace(jump=-kink.jump) for kink in activation.kinks)
    return replace(activation, parameters=(1.0 / slope, slope * scale), kinks=kinks)


def _halfway(outputs: Any) -> Any:
    return tuple(0.5 * (x + x[:1]) for x in outputs)


# Variances of the layers of networks whose constructor takes a gain: of half the size, and off by a tenth.
GAINS = [("variance 1/m", 0.5), ("variance 2.2/m", 1.1)]


def _gain(at: int, factor: float) -> Callable[[Any], Any]:
    return _keyword("gain", at, lambda gain: factor * gain, 2.0)


# Networks of the field that are no paper's of the suite.
CONSTRUCTORS = [
    Mutant("nets.networks.constructors.two_layer_network", "output signs all positive", _giving(_one_sign)),
    Mutant(
        "nets.networks.constructors.two_layer_network",
        "read-out over the root of half the width",
        _giving(lambda net: replace(net, readout=net.v * math.sqrt(2.0))),
    ),
    Mutant("nets.networks.constructors.two_layer_network", "kappa squared", _keyword("kappa", 3, lambda k: k**2, 1.0)),
    Mutant("nets.networks.constructors.plain_network", "variance over the other fan", _giving(_other_fan)),
    Mutant("nets.networks.constructors.plain_network", "biases left out", _giving(_no_biases)),
    *(Mutant("nets.networks.constructors.plain_network", what, _gain(9, factor)) for what, factor in GAINS),
    Mutant("nets.networks.constructors.ntk_network", "factors of the states left out", _giving(_states_unscaled)),
    Mutant("nets.networks.constructors.ntk_network", "factor of the inputs left out", _giving(_inputs_unscaled)),
    Mutant("nets.networks.constructors.ntk_network", "biases left out", _giving(_no_biases)),
    Mutant("nets.networks.constructors.patch_network", "output signs all positive", _giving(_one_sign)),
    Mutant("nets.networks.constructors.patch_network", "the last patch alone", _giving(_no_skips)),
    *(Mutant("nets.networks.constructors.patch_network", what, _gain(4, factor)) for what, factor in GAINS),
    Mutant("nets.networks.constructors.sliding_patches", "stride 1", _keyword("stride", 2, lambda _: 1, 1)),
]

INITIALISATIONS = [
    *(
        Mutant(f"nets.networks.network.{name}", what, _gain(at, factor))
        for name, at in (
            ("he_network", 2),
            ("revealed_network", 2),
            ("gaussian_network", 2),
            ("gaussian_smooth_network", 3),
        )
        for what, factor in GAINS
    ),
    *(
        Mutant(f"nets.networks.network.{name}", what, _variance(factor))
        for name in ("leaky_network", "residual_network", "recurrent_network")
        for what, factor in GAINS
    ),
    *(
        Mutant(f"nets.networks.network.{name}", "one matrix for all layers of a shape", _giving(_one_for_all))
        for name in ("he_network", "gaussian_network", "leaky_network", "residual_network")
    ),
    *(
        Mutant(f"nets.networks.network.{name}", *slip)
        for name in ("he_network", "gaussian_network")
        for slip in (
            ("variance over the inputs of a layer", _over_inputs),
            ("output signs all positive", _giving(_one_sign)),
        )
    ),
    Mutant("nets.networks.network.revealed_network", "output signs all positive", _giving(_one_sign)),
    Mutant(
        "nets.networks.network.residual_network", "theta squared", _keyword("theta", 1, lambda theta: theta**2, 1.0)
    ),
    Mutant("nets.networks.network.residual_network", "no skip connections", _giving(_no_skips)),
    Mutant("nets.networks.network.residual_network", "output signs all positive", _giving(_one_sign)),
    *(
        Mutant(f"nets.networks.network.{name}", *slip)
        for name, input_gain in (("leaky_network", "1.1"), ("recurrent_network", "2.2"))
        for slip in (
            (f"input variance {input_gain}/m", _input_variance(1.1)),
            ("read-out variance 1.1/outputs", _readout_variance(1.1)),
        )
    ),
    Mutant("nets.networks.network.recurrent_network", "input variance 1/m", _input_variance(0.5)),
    Mutant("nets.networks.network.recurrent_network", "input layer over the inputs", _giving(_inputs_over_inputs)),
    Mutant("nets.networks.network.recurrent_network", "read-out over the width", _giving(_readout_over_width)),
    Mutant("nets.networks.network.smooth_network", "last layer linear", _giving(_last_linear)),
    Mutant("nets.networks.network.leaky_network", "read-out over the width", _giving(_readout_over_width)),
    Mutant("nets.networks.network.leaky_network", "input layer over the inputs", _giving(_inputs_over_inputs)),
    Mutant(
        "nets.networks.network.leaky_network",
        "the other sign of the slope",
        _keyword("slope", 4, lambda slope: -slope, 0.0),
    ),
    Mutant("nets.networks.network.leaky_network", "input layer left out", _giving(_inputs_beside_zeros)),
    Mutant("nets.networks.network.leaky_network", "input layer activated", _giving(_inputs_activated)),
    Mutant(
        "nets.networks.network.leaky_network",
        "one layer less",
        _keyword("depth", 2, lambda depth: max(1, depth - 1), 1),
    ),
    Mutant("nets.networks.activations.leaky_relu", "never rescaled", _keyword("rescaled", 1, lambda _: False, True)),
    Mutant("nets.networks.activations.leaky_relu", "always rescaled", _keyword("rescaled", 1, lambda _: True, True)),
    Mutant("nets.networks.activations.leaky_relu", "the other sign of the slope", _taking(0, lambda slope: -slope)),
    Mutant("nets.networks.activations.leaky_relu", "slope above 0", _giving(_other_side)),
    Mutant(
        "nets.networks.network.gaussian_smooth_network",
        "output variance doubled",
        _keyword("output_variance", 4, lambda variance: 2.0 * variance, 1.0),
    ),
    Mutant(
        "nets.networks.network.gaussian_smooth_network",
        "output variance 1.1",
        _keyword("output_variance", 4, lambda variance: 1.1 * variance, 1.0),
    ),
    Mutant(
        "nets.networks.fresh.fresh_forward", "variance 1/m", _keyword("gain", 3, lambda gain: np.divide(gain, 2.0), 2.0)
    ),
    Mutant("nets.networks.fresh.fresh_outputs", "variance 1/m", _keyword("gain", 3, lambda gain: gain / 2.0, 2.0)),
    Mutant("nets.networks.fresh.fresh_outputs", "samples halfway to the first", _giving(_halfway)),
]

# --- forward and backward passes ------------------------------------------------------------------


def _gates(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The result, a pass, with other gates."""
    return _giving(lambda fwd: replace(fwd, masks=tuple(change(mask) for mask in fwd.masks)))


def _pass_with(change: Callable[[Any], Any], at: int = 1) -> Callable[[Any], Any]:
    """The argument number `at`, a pass, with other gates."""
    return _taking(at, lambda fwd: replace(fwd, masks=tuple(change(mask) for mask in fwd.masks)))


def _last_gate_open(fwd: Any) -> Any:
    return replace(fwd, masks=(*fwd.masks[:-1], np.ones_like(fwd.masks[-1])))


def _moved_with(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The step in place, with other gates."""

    def wrong(true: Any) -> Any:
        def called(run: Any, *given: Any) -> None:
            run._gates = [change(gate) for gate in run._gates]
            true(run, *given)

        return functools.wraps(true)(called)

    return wrong


PASSES = [
    Mutant("nets.networks.forward.forward", "gates of another sample", _gates(_next_sample)),
    Mutant("nets.networks.forward.forward", "gates turned round", _gates(lambda mask: 1.0 - mask)),
    Mutant(
        "nets.networks.forward.forward", "output doubled", _giving(lambda fwd: replace(fwd, output=2.0 * fwd.output))
    ),
    Mutant(
        "nets.networks.forward.forward",
        "last state before its activation",
        _giving(lambda fwd: replace(fwd, post=(*fwd.post[:-1], fwd.pre[-1]))),
    ),
    Mutant(
        "nets.networks.activations.Activation.value_and_slope",
        "value doubled",
        _giving(lambda found: (2.0 * found[0], found[1])),
    ),
    Mutant(
        "nets.networks.activations.Activation.value_and_slope",
        "slope halved",
        _giving(lambda found: (found[0], 0.5 * found[1])),
    ),
    Mutant("nets.networks.gradients.backward", "gates left open", _pass_with(np.ones_like)),
    Mutant("nets.networks.gradients.backward", "gates of another sample", _pass_with(_next_sample)),
    Mutant("nets.networks.gradients.backward", "last gate left open", _taking(1, _last_gate_open)),
    Mutant(
        "nets.networks.gradients.rank_one_pairs",
        "state of another sample",
        _giving(lambda pairs: tuple((_next_sample(left), right) for left, right in pairs)),
    ),
    Mutant(
        "nets.networks.gradients.output_gradient",
        "opposite sign",
        _giving(lambda found: tuple(-1.0 * G for G in found)),
    ),
    Mutant(
        "nets.networks.gradients.output_gradient",
        "first sample twice",
        _taking(2, lambda c: np.concatenate([2.0 * c[:1], c[1:]])),
    ),
    Mutant("nets.descent.in_place.InPlaceDescent.descend", "opposite sign", _taking(1, np.negative)),
    Mutant(
        "nets.descent.in_place.InPlaceDescent.descend",
        "first sample twice",
        _taking(1, lambda c: np.concatenate([2.0 * c[:1], c[1:]])),
    ),
    Mutant("nets.descent.in_place.InPlaceDescent.descend", "gates left open", _moved_with(np.ones_like)),
    Mutant("nets.descent.in_place.InPlaceDescent.descend", "gates of another sample", _moved_with(_next_sample)),
]

# --- losses and their gradients -------------------------------------------------------------------


def _batch_over_all(true: Any) -> Any:
    def called(fwd: Any, y: Any, loss: Any, batch: Any = None) -> Any:
        found = true(fwd, y, loss, batch)
        return found if batch is None else found * (len(batch) / len(found))

    return functools.wraps(true)(called)


def _mean_left_out(true: Any) -> Any:
    def called(fwd: Any, y: Any, loss: Any, batch: Any = None) -> Any:
        return true(fwd, y, loss, batch) * (len(fwd.output) if batch is None else len(batch))

    return functools.wraps(true)(called)


def _labels_left_out(true: Any) -> Any:
    return functools.wraps(true)(lambda fwd, y, *given: np.multiply(y, true(fwd, y, *given)))


def _sum_of_losses(true: Any) -> Any:
    return functools.wraps(true)(lambda loss, y, output: len(output) * true(loss, y, output))


def _for_loss(name: str, change: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """The variant of `OutputLoss.at_outputs` that changes the derivatives, given the targets, of one loss alone."""

    def wrong(true: Any) -> Any:
        def called(loss: Any, outputs: Any, targets: Any) -> Any:
            values, slopes = true(loss, outputs, targets)
            return values, change(slopes, targets) if loss.name == name else slopes

        return functools.wraps(true)(called)

    return wrong


LOSSES = [
    Mutant(
        "nets.networks.losses.OutputLoss.at_outputs",
        "opposite derivative",
        _giving(lambda found: (found[0], -found[1])),
    ),
    Mutant(
        "nets.networks.losses.OutputLoss.at_outputs", "value doubled", _giving(lambda found: (2.0 * found[0], found[1]))
    ),
    Mutant(
        "nets.networks.losses.OutputLoss.at_outputs",
        "square: derivative halved",
        _for_loss("square", lambda slopes, _: 0.5 * slopes),
    ),
    Mutant(
        "nets.networks.losses.OutputLoss.at_outputs",
        "cross entropy: derivative without the target",
        _for_loss("cross_entropy", np.add),
    ),
    Mutant(
        "nets.networks.losses.Loss.value_and_derivative",
        "opposite derivative",
        _giving(lambda found: (found[0], -found[1])),
    ),
    Mutant(
        "nets.networks.losses.Loss.value_and_derivative",
        "derivative halved",
        _giving(lambda found: (found[0], 0.5 * found[1])),
    ),
    Mutant(
        "nets.networks.losses.Loss.value_and_derivative",
        "value doubled",
        _giving(lambda found: (2.0 * found[0], found[1])),
    ),
    Mutant("nets.networks.losses.LossConstants.alpha_1", "doubled", _times(2.0)),
    Mutant("nets.networks.losses.LossConstants.rho", "halved", _times(0.5)),
    Mutant("nets.networks.losses.LossConstants.lam", "halved", _times(0.5)),
    Mutant("nets.networks.losses.empirical_risk", "1/n missing", _sum_of_losses),
    Mutant("nets.networks.losses.empirical_risk", "labels left out", _taking(1, np.abs)),
    Mutant("nets.networks.gradients.loss_coefficients", "opposite sign", _times(-1.0)),
    Mutant("nets.networks.gradients.loss_coefficients", "1/n missing", _mean_left_out),
    Mutant("nets.networks.gradients.loss_coefficients", "batch divided by n", _batch_over_all),
    Mutant("nets.networks.gradients.loss_coefficients", "labels left out", _labels_left_out),
    Mutant("nets.networks.gradients.pair_norms", "the two norms exchanged", _giving(lambda found: found[::-1])),
    Mutant(
        "nets.networks.gradients.gradient_norms", "doubled", _giving(lambda found: (2.0 * found[0], 2.0 * found[1]))
    ),
    Mutant(
        "nets.networks.log_loss.logistic_terms",
        "slope of the other side",
        _giving(lambda t: t._replace(weight=1.0 - t.weight)),
    ),
    Mutant("nets.networks.log_loss.logistic_terms", "loss doubled", _giving(lambda t: t._replace(loss=2.0 * t.loss))),
    Mutant(
        "nets.networks.log_loss.logistic_terms",
        "logarithm of the slope halved",
        _giving(lambda t: t._replace(log_weight=0.5 * t.log_weight)),
    ),
    Mutant(
        "nets.networks.logistic_gradients.loss_weights",
        "1/n missing",
        _giving(lambda w: w._replace(first=len(w.first) * w.first, second=len(w.second) * w.second)),
    ),
    Mutant(
        "nets.networks.logistic_gradients.loss_weights",
        "labels left out",
        _giving(lambda w: w._replace(first=-np.abs(w.first))),
    ),
    Mutant(
        "nets.networks.logistic_gradients.loss_weights",
        "second derivative doubled",
        _giving(lambda w: w._replace(second=2.0 * w.second)),
    ),
    Mutant("nets.networks.logistic_gradients.log_gradient_norms", "natural for half", _times(0.5)),
]

# --- training -------------------------------------------------------------------------------------


def _last_layer_alone(true: Any) -> Any:
    def called(net: Network, *given: Any) -> Any:
        after, gradients = true(net, *given)
        return net.with_weights([*net.weights[:-1], after.weights[-1]]), gradients

    return functools.wraps(true)(called)


def _all_samples(true: Any) -> Any:
    return functools.wraps(true)(lambda net, fwd, y, loss, eta, *_: true(net, fwd, y, loss, eta))


def _with_replacement(_true: Any) -> Any:
    return lambda n, size, rng: np.sort(rng.integers(0, n, size)).astype(np.intp)


def _first_samples(_true: Any) -> Any:
    return lambda n, size, rng: np.arange(size, dtype=np.intp)


def _first_batch_alone(batches: Any) -> Any:
    return np.repeat(batches[:1], len(batches), axis=0)


def _sample_twice(batches: Any) -> Any:
    return np.concatenate([batches[:, :-1], batches[:, :1]], axis=1)


TRAINING = [
    Mutant("nets.networks.network.shifted", "nothing moved", _keyword("factor", 2, lambda factor: 0.0 * factor, 1.0)),
    Mutant("nets.networks.network.shifted", "the opposite way", _keyword("factor", 2, lambda factor: -factor, 1.0)),
    Mutant("nets.descent.training.all_batches", "the first batch every time", _giving(_first_batch_alone)),
    Mutant("nets.descent.training.all_batches", "a sample twice", _giving(_sample_twice)),
    Mutant("nets.descent.training.descent_step", "ascent", _taking(4, lambda eta: -eta)),
    Mutant("nets.descent.training.descent_step", "half of the step", _taking(4, lambda eta: 0.5 * eta)),
    Mutant("nets.descent.training.descent_step", "last layer alone", _last_layer_alone),
    Mutant("nets.descent.training.descent_step", "all samples for a batch", _all_samples),
    Mutant("nets.descent.training.sgd_step", "ascent", _taking(4, lambda eta: -eta)),
    Mutant("nets.descent.training.draw_batch", "with replacement", _with_replacement),
    Mutant("nets.descent.training.draw_batch", "the first samples", _first_samples),
    Mutant("nets.descent.training.train", "ascent", _taking(4, lambda eta: -eta)),
    Mutant(
        "nets.networks.logistic_gradients.logistic_step",
        "ascent",
        lambda true: lambda net, X, y, h: _reflected(net, true(net, X, y, h)),
    ),
    Mutant(
        "nets.descent.carried_descent.CarriedDescent.advance",
        "gradients doubled",
        _giving(lambda s: s._replace(gradient=2.0 * s.gradient)),
    ),
    Mutant(
        "nets.descent.carried_descent.CarriedDescent.advance",
        "losses rise",
        _giving(lambda s: s._replace(fall=-s.fall)),
    ),
    Mutant("nets.descent.carried_descent.CarriedDescent", "twice the step", _taking(4, lambda scaled: 2.0 * scaled)),
]


def _reflected(net: Network, after: Network) -> Network:
    return net.with_weights([W - (V - W) for W, V in zip(net.weights, after.weights, strict=True)])


# --- norms, products and counts -------------------------------------------------------------------


def _one_layer_less(true: Any) -> Any:
    return functools.wraps(true)(lambda net, fwd, i, l1, l2: true(net, fwd, i, min(l1 + 1, l2), l2))


def _one_layer_more(true: Any) -> Any:
    return functools.wraps(true)(lambda net, fwd, i, l1, l2: true(net, fwd, i, max(l1 - 1, 1), l2))


OPERATORS = [
    *(
        Mutant(f"nets.networks.operators.{name}", *slip)
        for name in ("masked_product", "masked_product_operator")
        for slip in (
            ("one layer too few", _one_layer_less),
            ("one layer too many", _one_layer_more),
            ("gates left open", _pass_with(np.ones_like)),
        )
    ),
    Mutant("nets.networks.operators.masked_product", "gates of another sample", _pass_with(_next_sample)),
    Mutant("nets.networks.operators.largest_masked_product_norm", "gates left open", _pass_with(np.ones_like)),
    Mutant("nets.networks.operators.operator_norm", "squared", _giving(lambda norm: norm**2)),
    Mutant("nets.networks.operators.frobenius_norm", "squared", _giving(lambda norm: norm**2)),
    Mutant("nets.networks.operators.layer_norms", "squared", _giving(lambda norms: norms**2)),
    Mutant("nets.networks.operators.sparse_supremum", "one entry too many", _taking(1, lambda s: s + 1)),
    Mutant("nets.networks.operators.sparse_supremum", "one entry alone", _taking(1, lambda s: 1)),
    Mutant(
        "nets.networks.operators.threshold_counts", "threshold doubled", _taking(1, lambda beta: np.multiply(2.0, beta))
    ),
    Mutant("nets.networks.operators.flip_counts", "doubled", _times(2.0)),
    Mutant("nets.networks.operators.flip_counts", "halved", _times(0.5)),
    Mutant("nets.networks.operators.flipped_anywhere", "doubled", _times(2.0)),
    Mutant("nets.networks.operators.gated_gram", "gates left out", _pass_with(np.ones_like, 0)),
    Mutant("nets.networks.operators.gated_gram", "m times as large", _giving(lambda G: len(G) * G)),
    Mutant("nets.networks.operators.pairwise_distances", "halved", _times(0.5)),
    Mutant("nets.networks.operators.pairwise_distances", "squared", _giving(np.square)),
    Mutant("nets.data.distances.separation", "doubled", _times(2.0)),
    Mutant("nets.data.distances.normalise_rows", "rows of norm 2", _times(2.0)),
    Mutant("nets.data.covering.sphere_net", "half of the points", _giving(lambda points: points[::2].copy())),
    Mutant("nets.data.covering.is_net", "every set", lambda true: lambda net, points, eps: True),
    Mutant("nets.data.covering.is_net", "half of the distance", _taking(2, lambda eps: 0.5 * eps)),
    Mutant("nets.data.covering.maximal_separated", "half of the points", _giving(lambda points: points[::2].copy())),
]

# --- tangent features -----------------------------------------------------------------------------


TANGENT = [
    Mutant("nets.tangent.linearised.in_ball", "every network", lambda true: lambda net, start, radius: True),
    Mutant("nets.tangent.linearised.layer_distances", "halved", _times(0.5)),
    Mutant(
        "nets.tangent.linearised.linearised",
        "first-order term missing",
        lambda true: lambda start, fwd, net: fwd.output.copy(),
    ),
    Mutant("nets.tangent.linearised.best_linearised_loss", "radius doubled", _taking(3, lambda radius: 2.0 * radius)),
    Mutant(
        "nets.tangent.linearised.best_linearised_loss",
        "point halfway to the start",
        _giving(lambda found: replace(found, coefficients=0.5 * found.coefficients)),
    ),
    Mutant(
        "nets.tangent.linearised.best_linearised_loss",
        "point twice as far away",
        _giving(lambda found: replace(found, coefficients=2.0 * found.coefficients)),
    ),
    Mutant("nets.tangent.linearised.linearisation_error", "halved", _times(0.5)),
    Mutant("nets.tangent.linearised.linearisation_error", "doubled", _times(2.0)),
    Mutant("nets.tangent.linearised.TangentFeatures.layer_norms", "halved", _times(0.5)),
    Mutant(
        "nets.tangent.linearised.tangent_features",
        "another sample's",
        _taking(1, lambda fwd: replace(fwd, masks=tuple(map(_next_sample, fwd.masks)))),
    ),
    Mutant(
        "nets.tangent.margin.largest_margin",
        "doubled",
        _giving(lambda found: replace(found, low=2.0 * found.low, high=2.0 * found.high)),
    ),
]

# --- what the claims of one paper share -------------------------------------------------------------

RECURRENT = "properties.allenzhu2018rnn."


def _no_batch_factor(true: Any) -> Any:
    def called(net: Any, passed: Any, targets: Any, batch: Any = None, *, share: float = 1.0) -> Any:
        kept = 1.0 if batch is None else len(batch) / len(passed.output)
        return true(net, passed, targets, batch, share=kept * share)

    return functools.wraps(true)(called)


def _other_gates(fwd: Any) -> Any:
    return replace(fwd, pre=tuple(map(_next_sample, fwd.pre)))


SHARED = [
    Mutant(RECURRENT + "descent.gradient", "no factor n/|S|", _no_batch_factor),
    Mutant(RECURRENT + "descent.gradient", "halved", _giving(lambda found: tuple(0.5 * G for G in found))),
    Mutant(RECURRENT + "fake_gradient.fake_gradient", "gates left out", _keyword("gated", 6, lambda _: False, True)),
    Mutant(RECURRENT + "fake_gradient.fake_gradient", "state one time later", _keyword("state", 6, lambda _: 1, 0)),
    Mutant(RECURRENT + "fake_gradient.loss_gram", "gates of another sample", _taking(1, _other_gates)),
    Mutant(RECURRENT + "fake_gradient.loss_gram", "halved", _times(0.5)),
    Mutant(RECURRENT + "gate_corrections.gate_correction", "opposite sign", _times(-1)),
    Mutant(RECURRENT + "frames.StateFrames.first_direction", "of another neuron", _giving(_next_sample)),
    Mutant(RECURRENT + "frames.StateFrames.fresh", "of another neuron", _giving(lambda v: np.roll(v, 1, axis=1))),
]

MUTANTS: tuple[Mutant, ...] = (
    *INITIALISATIONS,
    *CONSTRUCTORS,
    *PASSES,
    *LOSSES,
    *TRAINING,
    *OPERATORS,
    *TANGENT,
    *SHARED,
)
