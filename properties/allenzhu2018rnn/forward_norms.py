"""Forward passes of recurrent networks at initialisation, and the norms along time that claims compare.

Main definitions: `recurrent_pass`, a network and its pass; `input_energy`, the norm that states have at infinite width;
`fresh_answers`, what W makes of the fresh directions of every time; `ends_multiplied`, a pass that is spoilt at its
ends.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from nets import Array, Forward, Network, RevealedGaussian, Step, forward, layer_norms, recurrent_network
from properties.allenzhu2018rnn.frames import StateFrames


def recurrent_pass(X: Array, m: int, rng: Generator, gain: float = 2.0) -> tuple[Network, Forward]:
    """A network of width m with one output, weight variance gain/m, and its pass over sequences X (n, times, d).

    With another gain than 2 the states are those of such weights, as relu is homogeneous; the pre-activations are
    not multiplied.
    """
    net = recurrent_network(X.shape[2], m, 1, X.shape[1], rng)
    if gain != 2.0:
        net = replace(net, steps=[replace(step, scale=math.sqrt(0.5 * gain)) for step in net.steps])
    return net, forward(net, X)


def fresh_pass(X: Array, m: int, rng: Generator) -> Forward:
    """The pass of a network with a matrix of its own at every time: what the paper's network is not."""
    _, times, d = X.shape
    weights = tuple(RevealedGaussian(m, m, math.sqrt(2.0 / m), own) for own in rng.spawn(times))
    A = rng.normal(0.0, math.sqrt(2.0 / m), (d, m))
    steps = tuple(Step(k, input=times) for k in range(times))
    return forward(Network(weights, np.ones((m, 1)), steps, (A,), every_step=True), X)


def ends_multiplied(fwd: Forward, factor: float, first: float = 1.0) -> Forward:
    """The pass whose last state of the last sequence, and the pre-activation under it, are multiplied.

    So is the first of that sequence, by `first`. A largest over all sequences and times notices both; one over the
    first of them does not notice the last, nor one over the last time alone the first.
    """
    for time, by in ((len(fwd.pre), factor), (1, first)):
        if by != 1.0:
            pre, post = [np.array(g) for g in fwd.pre], [np.array(h) for h in fwd.post]
            pre[time - 1][-1] *= by
            post[time][-1] *= by
            fwd = replace(fwd, pre=tuple(pre), post=tuple(post))
    return fwd


def state_norms(fwd: Forward) -> Array:
    """||h_{i,l}|| for l = 1..L: (n, L)."""
    return layer_norms(fwd)[:, 1:]


def preactivation_norms(fwd: Forward) -> Array:
    """||g_{i,l}|| for l = 1..L: (n, L)."""
    return np.stack([np.linalg.norm(g, axis=1) for g in fwd.pre], axis=1)


def input_energy(X: Array) -> Array:
    """The root of the summed squared norms of the inputs 1..l of X (n, L, d): (n, L); the limit of ||h_{i,l}||."""
    return np.asarray(np.sqrt(np.cumsum(np.sum(X**2, axis=2), axis=1)))


def arriving_norms(fwd: Forward, X: Array) -> Array:
    """The root of ||h_{i,l-1}||^2 + ||x_{i,l}||^2 for l = 1..L, what enters the step to time l: (n, L)."""
    return np.hypot(layer_norms(fwd)[:, :-1], np.linalg.norm(X, axis=2))


def fresh_answers(net: Network, fwd: Forward) -> Array:
    """v W for an orthonormal frame of what the states of every time add to those before, time after time: (n L, m)."""
    return np.asarray(StateFrames(fwd).basis @ net.weights[0])
