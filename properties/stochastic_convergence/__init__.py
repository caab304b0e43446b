"""Claims on mini-batch steps and what they reach."""
