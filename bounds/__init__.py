"""Formulas of the papers: one sympy object per bound, and its float, log-domain and ball forms."""

from pathlib import Path

from bounds.lazy_sheet import install

install(__name__, Path(__file__).parent)
