"""Claims on the effect of one step."""
