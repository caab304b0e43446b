# At s=15, m=27: points in the nets of all spheres of s entries, nine along each axis.
import math

s, m = 15, 27
print(float(math.comb(m, s) * 9**s), float(m**s))
