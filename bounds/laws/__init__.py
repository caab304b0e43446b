"""Exact laws of random layers, and the special functions that their tails take."""
