# At s=16, m=33: points in the nets of all spheres of s entries, nine along each axis.
import math

s, m = 16, 33
print(float(math.comb(m, s) * 9**s), float(m**s))
