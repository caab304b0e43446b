# At n=1, p=1, margin=0: the logistic loss, whose slopes are held against a power of the
# mean loss without alpha1.
import numpy as np

margin, p, n = 0.0, 1.0, 1
loss = np.log1p(np.exp(-margin))
slope = 1 / (1 + np.exp(margin))
print(slope**2, (n * loss) ** (2 * p))
