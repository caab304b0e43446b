"""Claims on stability of the forward pass and of activation patterns."""
