"""Unit tests of the guard, of the scaling plot and of what the benchmarks share."""
