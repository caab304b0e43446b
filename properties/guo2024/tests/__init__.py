"""Unit tests of what the claims of zou2018 measure with."""
