"""Unit tests of theory."""
