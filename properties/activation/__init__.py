"""Claims on the activation function alone."""
