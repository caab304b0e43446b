# At deviation=1: the chance that a fair coin, 0 or 1, is above its mean by so much; it
# changes by 1.
import numpy as np

coin, deviation, changes = np.array([0.0, 1.0]), 1.0, 1.0
print(np.mean(coin - coin.mean() >= deviation), np.exp(-2 * deviation**2 / changes))
