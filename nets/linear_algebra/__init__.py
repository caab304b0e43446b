"""Operator norms, low-rank matrices and Gaussian matrices that are too large to store."""
