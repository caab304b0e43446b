"""Claims on convergence."""
