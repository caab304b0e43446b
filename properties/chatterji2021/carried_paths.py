"""What the claims on gradient descent from a tiny loss measure: starts that meet every hypothesis, and their paths.

Main definitions: `Begin` and `first_iterate`, networks with losses below n^-(1+24L) in one class, two classes, or with
random weights; `extremes`, the worst of a quantity over stretches of a path; the quantities `rates`, `decreases`,
`decreases_by_log`, `log_ratios`, `step_ratios` and `shares_of_the_invariants`; `plain_rates`, the same path in plain
floats with a bound on its rounding errors.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.papers import chatterji2021 as sheet
from nets import Activation, Array, DataError, Network, backward, forward, huberised_relu, scaled_swish, smooth_network
from nets.descent.carried_descent import CarriedDescent, Stretch
from nets.networks.curvature import EPS, rounding_errors
from nets.networks.log_loss import log_mean_loss
from nets.networks.logistic_gradients import logistic_step
from nets.networks.piecewise_slopes import piecewise_quadratic
from properties.chatterji2021.smooth_members import knots

# Relative. Against 70 digits, on forty starts of the kinds below, what a descent reports was off by 3e-14 at most:
# little cancels, also where samples pull in different directions.
CARRIED_ERROR = 1e-10

# Steps taken between two looks at a path: three arrays of half a megabyte.
BLOCK = 2**16

# A step size and a rate at the very end of what is allowed, with room for the rounding of J_1.
UP_TO = 1.0 - 2.0**-40

# Stands for a share of nothing: a number, so that it counts as a violation.
RISEN = 1e300

# To how many digits h and the loss of a first iterate have to be what they were chosen to be.
AGREEMENT = 1e-9

FIRST_ITERATES = ONE_CLASS, TWO_CLASSES, GENERIC, CONFLICT = "one class", "two classes", "generic", "conflict"
# Starts that leave a hypothesis.
UNFIT = FLAT, DEAD = "flat", "dead"


def _compiled(name: str, h: float) -> Activation:
    """The member of that name in the form that a compiled descent takes: by the slopes at its knots."""
    places, slopes = knots(name)
    return piecewise_quadratic(name, h, tuple(h * place for place in places), slopes)


ACTIVATIONS: dict[str, Callable[[float], Activation]] = {
    "huberised_relu": huberised_relu,
    "scaled_swish": scaled_swish,
    "bent down at 3/4": functools.partial(_compiled, "bent down at 3/4"),
    "identity": functools.partial(_compiled, "identity"),
}


@dataclass(frozen=True, eq=False)
class FirstIterate:
    """A first iterate with its points; `h`, the step size `eta` and the rate `Q` as the theorem allows them."""

    net: Network
    X: Array
    y: Array
    log_loss: float
    eta: float
    Q: float

    @property
    def symbols(self) -> dict[str, Any]:
        """Values of the symbols of the premises."""
        return {
            "n": self.y.size,
            "m": max(self.net.widths[1:]),
            "h": self.net.activation.h,
            "J1": math.exp(self.log_loss),
            "normV1": self.net.norm,
            "eta": self.eta,
            "Q": self.Q,
        }

    def scaled_step(self, leap: float = 0.0) -> float:
        """eta J_1; with a leap, what would raise the margins by that share.

        Such steps break the theorem's hypothesis, by a factor of 10^14 at least.
        """
        scaled = self.eta * math.exp(self.log_loss)
        if leap:
            slope = float(CarriedDescent(self.net, self.X, self.y, scaled).advance(1).gradient[0])
            scaled = leap * -self.log_loss / slope**2
        return scaled

    def descent(self, leap: float = 0.0, direction: float = 1.0) -> CarriedDescent:
        """Gradient descent from here in steps of eta, or of a leap; ascent in the direction -1, a stand at 0."""
        return CarriedDescent(self.net, self.X, self.y, direction * self.scaled_step(leap))


@dataclass(frozen=True)
class Begin:
    """Which first iterate to take, as a search chooses it.

    Attributes
    ----------
    n : number of samples
    kind : ONE_CLASS has scalar layers of equal size and one point n times; TWO_CLASSES a channel for each class, and
        points at angles up to `spread` from the axis; GENERIC the same at width 3, with Gaussian noise, relative to the
        size of a weight, on weights and points; CONFLICT points that pull apart. Two leave a hypothesis: FLAT has
        scalar layers whose activation, of h = 1 however small h_max, is flat where they meet it; DEAD scalar layers of
        which the first is 0, and the loss log(2)
    activation : name of an activation in ACTIVATIONS
    excess : the loss is n^(-excess (1 + 24 L))
    bend, stride : h over h_max, and eta over alpha_max
    noise, spread, pattern : as above, and the number of the noise
    tilt : logarithm of the last layer over the first, halved, those between along a line
    """

    n: int = 3
    kind: str = ONE_CLASS
    activation: str = "huberised_relu"
    excess: float = 1.02
    bend: float = 0.99
    stride: float = 1.0
    noise: float = 0.0
    spread: float = 0.0
    pattern: int = 0
    tilt: float = 0.0


@functools.lru_cache(maxsize=512)
def first_iterate(L: int, begin: Begin, beside: int = 0) -> FirstIterate:
    """The first iterate at depth L: h, J_1 and the scale of the weights depend on one another, and are iterated.

    `beside` is the number of neurons in each hidden layer, beside the others, whose weights are all zero. Noise that
    puts a sample on the wrong side is halved. Raises `DataError` where the iteration does not end.
    """
    if begin.kind in UNFIT:
        return _unfit(L, begin)
    noise = begin.noise
    wanted = -begin.excess * (1 + 24 * L) * math.log(begin.n)
    make = ACTIVATIONS[begin.activation]
    scale, h = (-wanted) ** (1.0 / (L + 1)), 1e-3
    weights, X, y = _shapes(L, begin, noise, beside)
    for _ in range(500):
        net = smooth_network([scale * V for V in weights], make(h))
        log_loss = log_mean_loss(forward(net, X).margins(y))
        if log_loss >= 0.0:
            noise, scale, h = 0.5 * noise, (-wanted) ** (1.0 / (L + 1)), 1e-3
            weights, X, y = _shapes(L, begin, noise, beside)
            continue
        at = {"L": L, "m": max(net.widths[1:]), "normV1": net.norm, "J1": math.exp(log_loss)}
        wider = begin.bend * float(sheet.eq_3a.evaluate(at))
        if abs(wider / h - 1.0) < AGREEMENT and abs(log_loss / wanted - 1.0) < AGREEMENT:
            return with_longest_step(net, X, y, log_loss, begin.stride)
        scale, h = scale * (wanted / log_loss) ** (1.0 / (L + 1)), wider
    raise DataError(f"no first iterate was found at depth {L} for {begin}: ask for another depth")


def with_longest_step(net: Network, X: Array, y: Array, log_loss: float, stride: float = 1.0) -> FirstIterate:
    """`FirstIterate` with `stride` times the longest step that Theorem 3.1 allows; log_loss is that of the network."""
    at = {"L": net.depth, "m": max(net.widths[1:]), "normV1": net.norm, "J1": math.exp(log_loss)}
    eta = stride * UP_TO * float(sheet.eq_3b.evaluate({**at, "h": net.activation.h}))
    return FirstIterate(net, X, y, log_loss, eta, UP_TO * float(sheet.eq_3c.evaluate({**at, "eta": eta})))


def _unfit(L: int, begin: Begin) -> FirstIterate:
    """The start of a kind in UNFIT, as far in the loss as `excess` says where it is FLAT."""
    sizes, phi = [0.0] + [2.0] * L, huberised_relu(2.0**-10)
    if begin.kind == FLAT:
        # Past its flat place the activation is 1/2.
        sizes = [1.0] + [2.0] * (L - 1) + [2.0 * begin.excess * (1 + 24 * L) * math.log(begin.n)]
        phi = _compiled("saturating", 1.0)
    net = smooth_network([np.full((1, 1), size) for size in sizes], phi)
    X, y = np.ones((begin.n, 1)), np.ones(begin.n)
    return with_longest_step(net, X, y, log_mean_loss(forward(net, X).margins(y)), begin.stride)


def _shapes(L: int, begin: Begin, noise: float, beside: int) -> tuple[list[Array], Array, Array]:
    """Layers of size one but for the tilt, with neurons of zero weights beside the others, points and labels."""
    weights, X, y = _reached(L, begin, noise)
    if beside:
        hidden = [np.pad(V, ((beside * (layer > 0), 0), (beside, 0))) for layer, V in enumerate(weights[:-1])]
        weights = [*hidden, np.pad(weights[-1], ((beside, 0), (0, 0)))]
    return weights, X, y


def _reached(L: int, begin: Begin, noise: float) -> tuple[list[Array], Array, Array]:
    """Layers of size one but for the tilt, points on the sphere and labels."""
    n, kind = begin.n, begin.kind
    tilts = [math.exp(begin.tilt * (2 * layer / L - 1)) for layer in range(L + 1)]
    if kind == ONE_CLASS:
        return [np.full((1, 1), size) for size in tilts], np.ones((n, 1)), np.ones(n)
    rng = np.random.default_rng((L, n, begin.pattern))
    p = 3 if kind == GENERIC else 2
    channels, last = np.zeros((p, p)), np.zeros((p, 1))
    channels[0, :2] = last[:2, 0] = 1.0, -1.0
    weights = [channels, *[np.eye(p)] * (L - 1), last]
    y = np.resize([1.0, -1.0], n)
    angles = begin.spread * np.linspace(-1.0, 1.0, n)
    if kind == CONFLICT:
        # The angle between two points, taken with their labels, has the cosine -0.95; the weights are nearer to every
        # second point, so that the others have the smaller margin and pull harder.
        angles = np.resize([1.03, -0.97], n) * 0.5 * math.acos(-0.95)
    X = np.zeros((n, p))
    X[:, 0], X[:, 1] = np.cos(angles), np.sin(angles)
    if kind == GENERIC:
        weights = [V + noise * rng.standard_normal(V.shape) for V in weights]
        X = X + noise * rng.standard_normal(X.shape)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    weights = [np.ascontiguousarray(size * V) for size, V in zip(tilts, weights, strict=True)]
    return weights, np.ascontiguousarray(y[:, np.newaxis] * X), y


# --- quantities along a path ------------------------------------------------------------------------

# Of the iterates of a stretch; ell is log(1/J_1).
Quantity = Callable[[Stretch, float], Array]


def rates(path: Stretch, ell: float) -> Array:
    """(J_1/J_t - 1)/(t - 1), for t > 1."""
    later = path.steps > 0.0
    return np.asarray(path.fall[later] / (1.0 - path.fall[later]) / path.steps[later])


def decreases(path: Stretch, ell: float) -> Array:
    """(J_t - J_{t+1}) J_1/J_t^2, which eta J_1 times the square of a rate of the gradient must be below."""
    return np.asarray(np.diff(path.fall) / (1.0 - path.fall[:-1]) ** 2)


def decreases_by_log(path: Stretch, ell: float) -> Array:
    """The same times ||V^(t)||^2/(||V^(1)||^2 log^2(1/J_t))."""
    log_losses = ell - np.log1p(-path.fall[:-1])
    return np.asarray(decreases(path, ell) * (1.0 + path.growth[:-1]) / log_losses**2)


def quotient(small: Array | float, large: Array) -> Array:
    """small/large; where `large` is not positive, as the loss did not fall, far above anything allowed."""
    return np.asarray(np.where(large > 0.0, small / np.where(large > 0.0, large, 1.0), RISEN + 0.0 * (small + large)))


def _log_norms(path: Stretch) -> Array:
    """log(||V^(t)||/||V^(1)||)."""
    return 0.5 * np.log1p(path.growth)


def log_ratios(path: Stretch, ell: float) -> Array:
    """Growth of log ||V|| in a step over that of log log(1/J)."""
    own = -np.log1p(-path.fall)
    # log(1/J_t) = ell + own: log1p of the quotient of its growth in one step.
    return quotient(np.diff(_log_norms(path)), np.log1p(np.diff(own) / (ell + own[:-1])))


def step_ratios(path: Stretch, ell: float) -> Array:
    """Growth of log ||V|| in a step over that of log(1/J), times log(1/J_t)."""
    own = -np.log1p(-path.fall)
    return quotient(np.diff(_log_norms(path)) * (ell + own[:-1]), np.diff(own))


def shares_of_the_invariants(path: Stretch, ell: float, Q: float, norms: tuple[float, float]) -> Array:
    """Of what (I1), (I2) and (I3) allow since the start, the shares that are taken at t > 1: (3, k).

    J_1/J_t - 1 has to be Q (t - 1) at least, and log ||V|| may grow by log log(1/J) and log(1/J) over `norms`, at
    worst for the last: where (I3) is an equality at the start.
    """
    later = path.steps > 0.0
    grown, own = _log_norms(path)[later], -np.log1p(-path.fall[later])
    return np.stack(
        [
            quotient(Q, rates(path, ell)),
            norms[0] * quotient(grown, np.log1p(own / ell)),
            norms[1] * quotient(grown, own),
        ]
    )


def stretches(run: CarriedDescent, steps: int) -> Iterator[Stretch]:
    """The iterates 0 to `steps` of a run, in stretches each of which begins where the last one ends."""
    last: Stretch | None = None
    left = steps + 1
    while left:
        part = run.advance(min(left, BLOCK))
        if last is not None:
            part = Stretch(*(np.concatenate([old[-1:], new]) for old, new in zip(last, part, strict=True)))
        yield part
        last = part
        left -= min(left, BLOCK)


def extremes(run: CarriedDescent, steps: int, quantity: Quantity, worst: Callable[..., Any]) -> Array:
    """The least or largest (`worst` is np.min or np.max) of a quantity over each stretch: no step is left out."""
    found = [worst(quantity(path, -run.log_loss), axis=-1) for path in stretches(run, steps)]
    return np.stack(found, axis=-1)


def path_error(value: Array, steps: int) -> Array:
    """What a quantity of each step is off by: the difference of two numbers that so many steps have grown."""
    return np.asarray((CARRIED_ERROR + 16.0 * EPS * steps) * np.abs(value))


# --- plain floats -----------------------------------------------------------------------------------


def plain_rates(begin: FirstIterate, steps: int) -> tuple[Array, Array]:
    """(J_1/J_t - 1)/(t - 1) of descent on the totals in float64, t = 2 to steps + 1, and bounds on its errors.

    A step rounds each weight, by half a unit in its last place at most, which moves a margin by
    sum_l |x_{l-1}| |V_l| |b_l| EPS/2; the passes at both ends add what `rounding_errors` says. To first order.
    """
    net, values, errors, moved, at_start = begin.net, [], [], 0.0, 0.0
    for k in range(steps + 1):
        fwd = forward(net, begin.X)
        log_loss = log_mean_loss(fwd.margins(begin.y))
        own = float(rounding_errors(net, fwd)[-1].max()) + 4.0 * EPS * abs(log_loss)
        if k == 0:
            at_start = own
        else:
            values.append(math.expm1(begin.log_loss - log_loss) / k)
            errors.append((moved + own + at_start) / k)
        pairs = zip(fwd.post, net.weights, backward(net, fwd).b, strict=True)
        weights = sum(np.einsum("si,ij,sj->s", np.abs(x), np.abs(V), np.abs(b)) for x, V, b in pairs)
        moved += 0.5 * EPS * float(np.max(weights))
        net = logistic_step(net, begin.X, begin.y, begin.eta)
    return np.array(values), np.array(errors)
