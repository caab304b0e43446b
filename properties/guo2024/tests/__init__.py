"""Unit tests of what the claims of guo2024 measure with."""
