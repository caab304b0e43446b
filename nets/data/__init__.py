"""Labelled data, points on the unit sphere, and their distances."""
