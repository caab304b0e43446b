# At m=1, alpha=0.0098: a good vector has (1 - alpha)/2 of its coordinates above alpha/4,
# and as many below -alpha/4.
import numpy as np

m, alpha = 1, 0.0098
w = np.random.default_rng(0).standard_normal((100000, m))
above = (w >= alpha / 4).sum(axis=1) >= (1 - alpha) / 2 * m
below = (w <= -alpha / 4).sum(axis=1) >= (1 - alpha) / 2 * m
print(1 - np.mean(above & below), np.exp(-(alpha**2) * m / 100))
