"""Claims on semi-smoothness."""
