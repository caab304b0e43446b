"""Two inputs at a small angle, in infinitely wide networks of two trained layers, in ball arithmetic.

Main definitions: `limit_kernel`; `DECIMAL_SLOPES`, at which a statement about all slopes is decided.
"""

import flint

# Those of the experiments, more near -1, and both ends.
DECIMAL_SLOPES = ("-100", "-2", "-1.01", "-1", "-0.5", "0", "0.05", "0.5", "0.9", "0.999")


def limit_kernel(angle: flint.arb, fall: flint.arb) -> flint.arb:
    """The tangent kernel of two inputs at that angle, in units of m/(2 outputs), as m grows; fall is f(alpha).

    A layer maps a cosine r to r + (fall/pi)(sin t - t cos t), r = cos t, and passes gradients on by 1 - fall t/pi.
    """
    passes, cosines = [], [angle.cos()]
    for _ in range(2):
        t = cosines[-1].acos()
        passes.append(1 - fall * t / flint.arb.pi())
        cosines.append(cosines[-1] + fall / flint.arb.pi() * (t.sin() - t * t.cos()))
    return cosines[0] * passes[0] * passes[1] + cosines[1] * passes[1]
