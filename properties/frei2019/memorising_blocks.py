"""Networks of many blocks side by side, one for each point, of which training moves those of the sample alone.

Each point has an input of its own and meets two neurons a layer that no other point meets, so that the wide network is
known from one block that moves and one that does not, for any number of points. All labels are 1, and where nothing
has moved the output is a little below 0: every point of the sample is learnt, and every other one is an error. Beside
these there may be points that are right by far from the start, so that errors are rare.

Main definitions: `block`, at the start, and `moved`, after its step; `right_by_far`, the block of the others;
`memorised`, the errors of all of them.
"""

import numpy as np
import numpy.typing as npt

from nets import LOGISTIC, Network, forward, layer_distances, linearised, residual_network, tangent_features
from properties.frei2019.trained_errors import Trained, linear_part

#: What a step of a block does: both neurons stay open, or one opens.
BLOCK_STEPS = ("linear", "opened")
# The norm of the last layer, so large that its own gradient is small beside that of the first one; and what outputs
# are below 0.
_LAST, _BELOW = 1e3, 1e-6
# The output of a point that is right by far.
_FAR = 30.0


def block(kind: str, L: int, theta: float, size: float) -> Network:
    """One input and two neurons a layer, in which steps of the first layer up to the output `size` are allowed.

    Of a linear block both neurons are open there, one for each sign. Of an opened one the neuron of sign 1 is closed at
    the start, and the other one is so small that it has next to no gradient.
    """
    rng = np.random.default_rng(0)
    net = residual_network((1, *[2] * (L + 1)), theta, rng)
    entry = size / (1.9 * _LAST)
    if kind == "linear":
        first, last = np.array([[entry, entry]]), np.array([[_LAST, 0.0], [0.0, _LAST]])
    else:
        first, last = np.array([[entry, entry]]), np.array([[_LAST, 0.0], [-(1.0 + 1e-6) * _LAST, 0.0]])
    grown = (1.0 + theta) ** (L - 1) * entry
    last[1, 1] += _BELOW / grown
    return net.with_weights([first, *[np.eye(2) for _ in net.weights[1:-1]], last])


def moved(start: Network, z: float) -> Network:
    """The block after the step of the first layer, up in one neuron and as far down in the other, to the output z."""
    x = np.ones((1, 1))

    def after(far: float) -> Network:
        return start.with_weights([start.weights[0] + far * np.array([[1.0, -1.0]]), *start.weights[1:]])

    low, high = 0.0, float(start.weights[0][0, 1])
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if forward(after(middle), x).output[0] < z else (low, middle)
    return after(high)


def right_by_far(L: int, theta: float) -> Network:
    """One input and two neurons a layer, one of them open: a large output, gradients far below those of `block`."""
    net = residual_network((1, *[2] * (L + 1)), theta, np.random.default_rng(0))
    entry = float(np.sqrt(_FAR / (1.0 + theta) ** (L - 1)))
    last = np.diag([entry, 0.0])
    return net.with_weights([np.array([[entry, 0.0]]), *[np.eye(2) for _ in net.weights[1:-1]], last])


def memorised(
    start: Network, end: Network, points: int, sample: npt.NDArray[np.intp], right: tuple[Network, float, int]
) -> Trained:
    """Errors of the network in which the blocks of the sample, numbers (k,) of `points` points, have moved to `end`.

    Beside these points there are others, with the block, the share of all points and the number of draws that `right`
    gives. The radius is that of the layer that moved most, over all the blocks that did.
    """
    x = np.ones((1, 1))
    fwd, (other, share, drawn) = forward(start, x), right
    passed = forward(other, x)
    before, after, known = (float(out[0]) for out in (fwd.output, forward(end, x).output, passed.output))
    off = abs(after - float(linearised(start, fwd, end)[0]))
    met, n = len(np.unique(sample)) / points, len(sample) + drawn
    radius = float(np.sqrt(met * points) * layer_distances(end, start).max())
    errors = -LOGISTIC.derivative(np.array([before, after, known]))
    # The mean over all points of the squared gradients, as that of one point.
    norms = [tangent_features(*pair).layer_norms[:, 0] for pair in ((start, fwd), (other, passed))]
    mean = np.sqrt((1.0 - share) * norms[0] ** 2 + share * norms[1] ** 2)[:, np.newaxis]
    learnt = (1.0 - met) * errors[0] + met * errors[1]
    return Trained(
        wrong=(1.0 - share) * ((1.0 - met) * (before < 0.0) + met * (after < 0.0)) + share * (known < 0.0),
        sample_error=float((len(sample) * errors[1] + drawn * errors[2]) / n),
        population_error=float((1.0 - share) * learnt + share * errors[2]),
        deviation=off * ((1.0 - share) * met + len(sample) / n) / 2.0,
        complexity=linear_part(mean, radius, n),
    )
