# At n=1, p=1, margin=0: the loss exp(-x/2), whose slopes are held against a power of the
# mean loss without alpha1.
import numpy as np

margin, p, n = 0.0, 1.0, 1
loss = np.exp(-margin / 2)
slope = loss / 2
print(slope**2, (n * loss) ** (2 * p))
