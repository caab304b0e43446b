"""Formulas of the papers: one sympy object per bound, and its float, log-domain and ball forms."""
