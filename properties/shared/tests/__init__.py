"""Unit tests of what papers share."""
