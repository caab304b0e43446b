"""Perturbations, masks and weights that come as near to a bound as possible."""
