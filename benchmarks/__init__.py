"""Speed: one benchmark per kernel and size, peers beside them, the headline sizes, a guard for CI, a scaling plot."""
