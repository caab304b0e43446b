"""Unit tests of what the claims of frei2019 measure with."""
