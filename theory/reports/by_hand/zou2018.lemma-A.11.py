# At n=6, the corners of a regular hexagon with the coefficients 1, -1, 1, -1, 1, -1; phi =
# 1 and C = 2/25.
import numpy as np

angles = np.arange(6) * np.pi / 3
z = np.column_stack([np.cos(angles), np.sin(angles)])
a = np.array([1, -1, 1, -1, 1, -1])
w = np.random.default_rng(0).standard_normal((100000, 2))
h = ((w @ z.T > 0) * a) @ z
measured = np.mean(np.linalg.norm(h, axis=1) >= 1 / 6)
print(measured, 2 / 25 * 1 / 6)
