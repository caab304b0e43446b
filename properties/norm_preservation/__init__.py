"""Claims on norm preservation."""
