"""The claims: one folder per theme, one file per paper in it, one block per statement."""
