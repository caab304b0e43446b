# At often=0.5, low=-1: f is 1 or -1 as a fair coin Y falls and X is constant; a = 1.
import numpy as np

f, a = np.array([1.0, -1.0]), 1.0
chance = np.mean(f >= a)
measured = float(np.mean(f) >= a * chance / 2)
print(measured, chance / 2)
