"""Unit tests of nets."""
