"""Claims on sparse and masked spectral bounds."""
