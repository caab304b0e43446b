"""Gradient descent and its stochastic form, stored or carried as differences from the start."""
