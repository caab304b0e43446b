# At L=2, empty=1, excess=0.3466796875: two equal scalar blocks and one of 0, which is left
# out of the product.
import numpy as np

L, block = 2, np.exp(0.3466796875)
A = np.array([block, block, 0.0])
norm = np.linalg.norm(A)
print(A[0] * A[1], max(norm ** (L + 1) / (L + 1) ** ((L + 1) / 2), norm))
