"""The eight parts of Lemma E.1 of chatterji2021 on one network: what of its bound each of them takes.

Main definitions: `PARTS`, their letters; `shares_of_the_parts`.
"""

import numpy as np
from numpy.random import Generator

from bounds.papers import chatterji2021 as sheet
from nets import Forward, Network, norm_interval, sparse_supremum, threshold_counts
from properties.chatterji2021.gates import chain_norms, chains, output_functionals, sparse_norm
from properties.shared.interval_ends import Ends
from properties.shared.sparse_blocks import doubly_sparse, doubly_sparse_bound

PARTS = "abcdefgh"

# Lanczos steps: the upper end of a norm is then 1.03 times the lower one at width 10^3.
LANCZOS_STEPS = 48


def shares_of_the_parts(net: Network, fwd: Forward, s: int, beta: float, rng: Generator) -> Ends:
    """Low and high ends (8,), in the order of `PARTS`, of what each part takes of its bound, over all its indices.

    The layers have one width and are stored; `s` is the sparsity of (d) to (g), `beta` the threshold of (h). Upper ends
    of norms beyond the width of LAPACK are wrong with probability 1e-9 at most.
    """
    m, L = net.widths[-1], net.depth
    layers = np.array([norm_interval(V, rng, LANCZOS_STEPS)[:2] for V in net.stored_weights()[:-1]]).max(axis=0)
    # A product of one factor is a layer.
    norms = np.array(chain_norms(net, fwd, rng, LANCZOS_STEPS)).max(axis=1) if L > 1 else layers
    products, rows = list(chains(net, fwd)), output_functionals(net, fwd)
    right = np.array([sparse_norm(A, s) for A in products]).max(axis=0)
    left = np.array([sparse_norm(np.ascontiguousarray(A.T), s) for A in products]).max(axis=0)
    both = np.array([(doubly_sparse(A, s), doubly_sparse_bound(A, s)) for A in products]).max(axis=0)
    off = max(float(np.abs(np.linalg.norm(x, axis=1) - 1.0).max()) for x in fwd.post[1:])
    output = float(np.linalg.norm(net.weights[-1]))
    longest = max(float(np.linalg.norm(q, axis=1).max()) for q in rows)
    sparsest = max(float(sparse_supremum(q, s).max()) for q in rows)
    count = max(int(threshold_counts(u, np.array([beta])).max()) for u in fwd.pre)
    ends = [
        np.full(2, off / sheet.lemma_E_2()),
        np.maximum(layers / sheet.lemma_E_3(), output / sheet.lemma_E_3_output(m=m)),
        np.maximum(norms / sheet.lemma_E_4(L=L), longest / sheet.lemma_E_4_output(m=m, L=L)),
        right / sheet.lemma_E_5(),
        left / sheet.lemma_E_6(),
        both / sheet.lemma_E_7(s=s, m=m),
        np.full(2, sparsest / sheet.lemma_E_8(s=s, m=m)),
        np.full(2, count / sheet.lemma_E_9(m=m, beta_=beta)),
    ]
    low, high = np.array(ends).T
    return Ends(low, high)
