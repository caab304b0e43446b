"""allenzhu2018rnn, Definition 2.2: the gates of the neurons at every time.

Main claim: `states_through_gates`.
"""

import numpy as np
from numpy.random import Generator

from bounds.papers import allenzhu2018rnn as sheet
from nets import forward, recurrent_network
from properties.allenzhu2018rnn.forward_norms import ends_multiplied
from properties.allenzhu2018rnn.sequences import LATER, sequences
from properties.shared.quotients import quotients
from theory.claims import Measured, Regime, Verdict, choices, claim, control, grid
from theory.evidence import Search


def _distance(
    rng: Generator, m: int, n: int, L: int, d: int, later: str, *, fed: bool, gates: str, time: int, last: float = 1.0
) -> Measured:
    """One plus ||h_l - D_l (W h_{l-1} + A x_l)||/||h_l|| at all sequences and times; `time` steps are skipped.

    D_l is by the definition, and then of the pass, whose masks all other claims use: `gates` is for these.
    """
    X = sequences(n, L, d, rng, later)
    net = recurrent_network(d, m, 1, L, rng)
    (W,), (A,) = net.weights, net.frozen
    fwd = ends_multiplied(forward(net, X), last)
    distances = []
    for step in range(L):
        h, before = fwd.post[step + 1], fwd.post[max(step - time, 0)]
        g = before @ W + (X[:, step] @ A if fed else 0.0)
        own = fwd.masks[step]
        own = {
            "of the pass": own,
            "turned over": 1.0 - own,
            "of the other samples": own[::-1],
            "of another time": fwd.masks[step - 1],
        }[gates]
        for D in (fwd.pre[step] >= 0.0, own):
            distances.append(quotients(np.linalg.norm(h - D * g, axis=1), np.linalg.norm(h, axis=1)))
    return Measured(1.0 + np.array(distances), error=1e-12)


@claim(
    "allenzhu2018rnn:definition-2.2",
    bound=sheet.definition_2_2.reads("1"),
    premises="none needed: an identity of all weights and inputs",
    sense="=",
    expected=Verdict.REFUTED,
    regime=Regime(cells=grid(m=16, n=1, L=1, d=2), draw={"later": choices(*LATER)}),
    evidence=Search(),
    controls=[
        control("gates turned over", gates="turned over"),
        control("the state two times before", time=1, cells=grid(m=16, n=1, L=3, d=2)),
    ],
    note="smallest counterexample: one neuron, one time, W = 0 and A = x = 1, where h = 1 and D W 0 = 0",
)
def states_without_inputs(
    rng: Generator, m: int, n: int, L: int, d: int, later: str, *, gates: str = "of the pass", time: int = 0
) -> Measured:
    """One plus ||h_{i,l} - D_{i,l} W h_{i,l-1}||/||h_{i,l}||, 0/0 as 0, at every sequence and time."""
    return _distance(rng, m, n, L, d, later, fed=False, gates=gates, time=time)


@claim(
    "allenzhu2018rnn:definition-2.2-corrected",
    title="states as gated pre-activations, inputs included",
    bound=sheet.definition_2_2.reads("1"),
    premises="none needed: an identity of all weights and inputs",
    sense="=",
    regime=Regime(cells=grid(m=32, n=2, L=[1, 6], d=3), draw={"later": choices(*LATER)}),
    evidence=Search(),
    controls=[
        control("the inputs left out", fed=False),
        control("gates turned over", gates="turned over"),
        control("gates of the other sequence", gates="of the other samples"),
        control("gates of the time before", gates="of another time", cells=grid(m=32, n=2, L=6, d=3)),
        control("the state two times before", time=1, cells=grid(m=32, n=2, L=6, d=3)),
        control("the last state of the last sequence twice as long", last=2.0, cells=grid(m=32, n=2, L=6, d=3)),
    ],
    note="an input of 0 is where the printed form is right, from the second time on; gates are open at "
    "0 too, as in the definition; the pass has them shut there, which makes the same state",
)
def states_through_gates(
    rng: Generator,
    m: int,
    n: int,
    L: int,
    d: int,
    later: str,
    *,
    fed: bool = True,
    gates: str = "of the pass",
    time: int = 0,
    last: float = 1.0,
) -> Measured:
    """One plus ||h_{i,l} - D_{i,l} (W h_{i,l-1} + A x_{i,l})||/||h_{i,l}||, 0/0 as 0, at every sequence and time.

    Twice: D_{i,l} by the definition, and as the pass has it.
    """
    return _distance(rng, m, n, L, d, later, fed=fed, gates=gates, time=time, last=last)
