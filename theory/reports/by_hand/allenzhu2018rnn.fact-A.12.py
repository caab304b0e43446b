# At centre=1, deviation=1: the chance that a Gaussian of this mean and variance 1 is at
# least t from 0.
import math

centre, deviation = 1.0, 1.0
below = math.erfc((centre + deviation) / math.sqrt(2)) / 2
above = math.erfc((deviation - centre) / math.sqrt(2)) / 2
print(below + above, 1 - 2 * deviation / 3)
