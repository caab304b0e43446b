# At variables=1, chance=0.0001: one increment, (1 - q)/q with the chance q and -1 else, has
# mean 0 and is at least -1.
import numpy as np

q = 0.0001
values, chances = np.array([-1.0, (1 - q) / q]), np.array([1 - q, q])
assert abs(values @ chances) < 1e-12
print(chances[values <= -1].sum(), np.exp(-(1**2) / (2 * 1 * 1**2)))
