# At L=2, empty=1, tilt=0, rest=0, excess=0.0009765625: all of the norm in the output layer,
# ||V|| a little above sqrt(3).
import numpy as np

L, V = 2, np.array([0.0, 0.0, np.sqrt(3) * np.exp(0.0009765625)])
norm = np.linalg.norm(V)
products = [np.prod(V[k:]) for k in range(1, L + 1)]
print(max(products), (norm / np.sqrt(L)) ** L)
