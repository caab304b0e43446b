"""Inequalities decided: proofs, regions, chains of powers, the definition of an activation."""
