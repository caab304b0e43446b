"""Conditions on the sizes that imply one another: exact arithmetic of exponents."""
