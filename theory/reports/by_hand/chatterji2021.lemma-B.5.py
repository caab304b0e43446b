# At L=1, n=1, first=0.01, rest=0.01: two scalar layers whose loss on one sample is below
# the 2 that is allowed.
import numpy as np

L, V = 1, np.array([0.01, 0.01])
loss = np.log1p(np.exp(-V[0] * V[1]))
assert loss <= 2 * 1 ** (-24.0 * L - 1)
print(np.linalg.norm(V), np.sqrt(L + 1))
