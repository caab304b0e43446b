# At L=1, n=6, m=1024, phi=1, d=2: the same hexagon, so many nodes that respond to it, C2 =
# 1/50.
import numpy as np

angles = np.arange(6) * np.pi / 3
x = np.column_stack([np.cos(angles), np.sin(angles)])
a = np.array([1, -1, 1, -1, 1, -1])
W = np.random.default_rng(0).standard_normal((1024, 2))
response = ((W @ x.T > 0) * a) @ x / 6
measured = np.count_nonzero(np.linalg.norm(response, axis=1) > 1e-12)
print(float(measured), 1 / 50 * 1024 * 1 / 6)
