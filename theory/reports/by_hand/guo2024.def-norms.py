# At m=2, shear=0.1: the operator norm against the largest absolute eigenvalue.
import numpy as np

W = np.array([[0.01, 0.1], [0.0, 0.01]])
print(np.linalg.norm(W, 2), np.abs(np.linalg.eigvals(W)).max())
