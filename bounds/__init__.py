"""Formulas of the papers: one sympy object per bound, and the float, log-domain and ball forms made from it."""
