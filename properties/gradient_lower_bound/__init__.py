"""Claims on lower bounds on gradients."""
