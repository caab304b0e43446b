"""Claims on scalar inequalities."""
