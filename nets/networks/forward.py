"""The forward pass of a network."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nets.core.arrays import Array, matrix
from nets.linear_algebra.products import times
from nets.networks.losses import check_labels
from nets.networks.network import Network


@dataclass(frozen=True, eq=False)
class Forward:
    """All layers at all samples; rows are samples.

    `pre` and `masks` start at layer 1 and `post` at the input, as in the papers. For masks that do not come
    from the weights (zou2018, Lemma B.1) replace them: `dataclasses.replace(fwd, masks=...)`.

    Attributes
    ----------
    pre : L arrays (n, m_l); pre[l - 1] holds W_l^T x_{l-1,i}, with what an input of its own adds
    post : L + 1 arrays (n, m_l); post[l] holds x_{l,i}, the states; post[0] the input, or zeros
    masks : L arrays (n, m_l); masks[l - 1] holds phi'(pre), the diagonals of Sigma_{l,i}: of ReLU 0.0 and 1.0
    output : (n,), f(x_i), of a network with one output; (n, times, outputs) of all others
    inputs : the input of each step that has one of its own, in their order: arrays (n, d); then what the bias of each
        step that has one is multiplied by: arrays (n, 1)
    """

    pre: tuple[Array, ...]
    post: tuple[Array, ...]
    masks: tuple[Array, ...]
    output: Array
    inputs: tuple[Array, ...] = ()

    def margins(self, y: npt.ArrayLike) -> Array:
        """y_i f(x_i) for labels y (n,) of -1 and +1."""
        return check_labels(y, self.output.size) * self.output


def forward(net: Network, X: npt.ArrayLike) -> Forward:
    """Run the samples X through the network. NaN in a sample reaches all its later entries.

    X is (n, d), which every step with an input of its own meets, or (n, times, d), one for each of these steps. Of a
    layer only the product `X @ W` is asked.
    """
    parameters = net.parameters
    inputs = _inputs(X, net.fed, net.inputs) if net.fed else ()
    if net.steps[0].input is None:
        state = matrix(X, "the sample array X")
        if state.shape[1] != net.widths[0]:
            raise ValueError(f"X has {state.shape[1]} columns: the network takes inputs of dimension {net.widths[0]}")
    else:
        state = np.zeros((len(inputs[0]), net.widths[0]))
    pre: list[Array] = []
    post = [state]
    masks: list[Array] = []
    waiting = iter(inputs)
    constants: list[Array] = []
    for step in net.steps:
        if step.input is None:
            z = times(state, parameters[step.weight])
        elif not pre:  # from zero
            z = times(next(waiting), parameters[step.input])
        else:
            z = times(state, parameters[step.weight]) + times(next(waiting), parameters[step.input])
        if step.bias is not None:
            constants.append(np.full((len(state), 1), float(step.bias_scale)))
            z = z + constants[-1] @ parameters[step.bias]
        x, mask = step.activation.value_and_slope(z)
        state = step.combined(state, x)
        pre.append(z)
        post.append(state)
        masks.append(mask)
    return Forward(tuple(pre), tuple(post), tuple(masks), read(net, post), (*inputs, *constants))


def read(net: Network, post: list[Array] | tuple[Array, ...]) -> Array:
    """The outputs at the states 0..L: (n,), or (n, times, outputs)."""
    if net.scalar:
        output = np.asarray(post[-1] @ net.v)
        return output if output.ndim == 1 else output[:, 0]
    matrix_v = net.v.reshape(len(net.v), -1)
    states = post[1:] if net.every_step else post[-1:]
    return np.stack([x @ matrix_v for x in states], axis=1)


def _inputs(X: npt.ArrayLike, fed: int, dimension: int) -> tuple[Array, ...]:
    array = np.asarray(X, dtype=np.float64)
    if array.ndim not in (2, 3) or array.shape[-1] != dimension or (array.ndim == 3 and array.shape[1] != fed):
        raise ValueError(
            f"X has shape {array.shape}: pass (n, {dimension}), or (n, {fed}, {dimension}), an input for each step"
            " that has one"
        )
    if array.ndim == 2:
        return (matrix(array, "the sample array X"),) * fed
    return tuple(matrix(array[:, time], "the sample array X") for time in range(fed))
