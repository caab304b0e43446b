# At outputs=4: the limit of the chance that the square of a projection, chi^2_1/d, exceeds
# a norm of 1.
import math

outputs = 4
print(math.erfc(math.sqrt(outputs / 2)), 1 / 10)
