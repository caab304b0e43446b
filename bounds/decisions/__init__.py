"""Inequalities decided: proofs, regions, chains of exponents, growth, the definition of an activation."""
